//! The code of lanes that are threads of one block, between two barriers: what they keep stands in arrays, from which vectors are read
//! before and to which they are written behind.

use super::super::super::code::{Code, Ident, quote};
use super::super::super::expr::Printer;
use super::super::super::names;
use super::super::Shaped;
use super::{Form, LaneCode, Role, assumed, declared, lane_code, lane_values, print_in};
use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::innermost_invariance::RowInvariance;
use crate::ir::rewrite::{read_in, set_in};
use crate::ir::schedule::Vector;
use crate::ir::{Kernel, VarId, VarSet};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A kernel whose threads wait for each other, as the code of its lanes sees it.
pub(in super::super::super) fn group<'k>(
    kernel: &'k Kernel,
    reaches: &BTreeMap<VarId, AccessPattern>,
) -> Shaped<'k> {
    Shaped {
        kernel,
        reaches: reaches.clone(),
        changing: VarSet::new(),
        repeatable: false,
        speculates: false,
        found: RefCell::default(),
    }
}

/// The code of neighbouring threads.
pub(in super::super::super) struct Lanes {
    /// What stands before a row of threads: which of its columns go by lanes.
    pub(in super::super::super) before: Code,
    /// What `L` threads from the one with the number `t` on do together.
    pub(in super::super::super) vector: Code,
}

/// What threads do together. `kept` has the arrays of what they keep.
pub(in super::super::super) fn threads(
    printer: &mut Printer<'_>,
    group: &Shaped<'_>,
    vector: &Vector,
    kept: &dyn Fn(VarId) -> Option<Ident>,
) -> Lanes {
    let set = set_in(&vector.block);
    let mentioned = read_in(&vector.block).union(&set);
    let mut changing = set.clone();
    changing.extend(&vector.wide);
    let uniform = RowInvariance::new(group.kernel, &group.reaches, &changing).in_block();
    let assumed = assumed(printer, &uniform, &vector.block);
    let code = lane_code(group, vector, (Form::Row, Role::Threads), uniform);
    let body = print_in(printer, &code, &vector.block);
    let declared = declared(group.kernel, vector);
    let (mut before, mut opened, mut closed) = (Code::new(), Code::new(), Code::new());
    for (id, state) in mentioned.iter().filter_map(|id| Some((id, kept(id)?))) {
        let (v, l) = (names::local(id), lane_values(id));
        if !vector.wide.contains(&id) {
            before.extend(quote!(let #v = #state[t];));
            continue;
        }
        opened.extend(quote!(#l = lib::kept(&#state, t);));
        if set.contains(&id) {
            closed.extend(quote!(lib::keep(&mut #state, t, #l);));
        }
    }
    let last = group.kernel.rank - 1;
    let (p, b) = (names::position(last), names::block_position(last));
    Lanes {
        before: quote!(#before let mut columns = lib::Columns::all(); #assumed),
        vector: quote!(let (start, first) = (#p, #b); #declared #opened #body #closed),
    }
}

impl LaneCode<'_> {
    /// The last component of the position, and of that in the block, of the first lane.
    pub(in super::super) fn at_first_lane(&self) -> Code {
        let last = self.shaped.kernel.rank - 1;
        let p = names::position(last);
        let b = names::block_position(last);
        let thread = (self.role == Role::Threads).then(|| quote!(let #b = first;));
        quote!(let #p = start; #thread)
    }

    /// The last component of the position in the block of a lane.
    pub(super) fn at_thread(&self) -> Option<Code> {
        let b = names::block_position(self.shaped.kernel.rank - 1);
        (self.role == Role::Threads).then(|| quote!(let #b = first.wrapping_add(i as i32);))
    }

    /// Whether the lanes are threads of one block.
    pub(in super::super::super) fn is_of_threads(&self) -> bool {
        self.role == Role::Threads
    }
}
