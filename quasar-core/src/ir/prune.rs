//! Variables that nothing mentions.

use super::rewrite::{read_in, rename, set_in};
use super::{Body, VarId};
use crate::ids::{Arena, Id};

/// Removes variables that nothing mentions.
pub fn prune(body: &mut Body) {
    let mut used = read_in(&body.block);
    used.add(&set_in(&body.block));
    used.extend(body.params.iter().chain(&body.results));
    let mut kept = Arena::new();
    // The new name of each variable that is kept.
    let mut places = Vec::with_capacity(body.variables.len());
    for (id, variable) in body.variables.iter() {
        places.push(Id::new(kept.len()));
        if used.contains(&id) {
            let mut variable = variable.clone();
            if variable.name.starts_with('$') {
                variable.name = format!("${}", kept.len());
            }
            kept.push(variable);
        }
    }
    let mut place = |id: VarId| places[id.index()];
    rename(&mut body.block, &mut place);
    for id in body.params.iter_mut().chain(&mut body.results) {
        *id = place(*id);
    }
    body.variables = kept;
}
