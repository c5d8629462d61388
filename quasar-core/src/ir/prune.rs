//! Variables that nothing mentions, and kernels that nothing launches any more.

use super::rewrite::{read_in, rename, set_in, transform_stmts};
use super::{Body, KernelId, Program, StmtKind, VarId};
use crate::ids::{Arena, Id};
use std::collections::BTreeSet;

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

/// Removes kernels that nothing launches.
pub fn remove_kernels(program: &mut Program, gone: &BTreeSet<KernelId>) {
    if gone.is_empty() {
        return;
    }
    let mut kept = Arena::new();
    let mut places = Vec::with_capacity(program.kernels.len());
    let kernels = std::mem::take(&mut program.kernels);
    for (id, kernel) in kernels.iter() {
        places.push(Id::new(kept.len()));
        if !gone.contains(&id) {
            kept.push(kernel.clone());
        }
    }
    program.kernels = kept;
    let functions = program.functions.iter_mut().map(|(_, function)| &mut function.body);
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| &mut kernel.body);
    for body in functions.chain(kernels) {
        transform_stmts(&mut body.block, &mut |stmt| {
            if let StmtKind::Launch { kernel, .. } = &mut stmt.kind {
                *kernel = places[kernel.index()];
            }
        });
    }
}
