//! Small private arrays become variables: `w = zeros(9); w[k] = ..` with known `k`, as the rows of a kernel then hold nothing but
//! numbers, of which vectors are made. First indices become known: loops over such arrays are unrolled, `while` loops whose number of
//! iterations is bounded become branches within each other, and an access at an index with several values becomes a choice.
//!
//! ```text
//!     w = zeros(3)                        w0 = 0;  w1 = 0;  w2 = 0
//!     w[0] = a                            w0 = a
//!     k = c ? 1 : 2                       k = c ? 1 : 2
//!     w[k] += b                           w1 = k == 1 ? w1 + b : w1;  w2 = k == 2 ? w2 + b : w2
//! ```

mod choices;
mod propagate;
mod scalars;

pub(in crate::transform) use scalars::of_element;
mod values;

use super::unroll_short_loops::drop_unread_constants;
use crate::ir::barriers::waits;
use crate::ir::effects::may_fail;
use crate::ir::rewrite::{operands, read_in, stored_in, visit, visit_stmts};
use crate::ir::{Body, Kernel, Stmt, StmtKind, Storage, VarId, VarSet, build};
use crate::target::cpu::PRIVATE_ARRAY_NODES;
use crate::types::known::array_element;
use propagate::Propagation;

/// Runs the pass on one kernel.
pub(in crate::transform) fn run(kernel: &mut Kernel) {
    if waits(&kernel.body.block) {
        return;
    }
    let mut arrays = private_arrays(&kernel.body);
    // Arrays that turn out to stay are left out, since code for their accesses would be in vain.
    for _ in 0..3 {
        if arrays.is_empty() {
            scalars::folds(&mut kernel.body);
            return;
        }
        let mut body = kernel.body.clone();
        let (stay, chosen) = attempt(&mut body, &arrays);
        if stay.is_empty() {
            if chosen {
                choices::run(&mut body);
            }
            kernel.schedule.branchless = chosen;
            kernel.body = body;
            return;
        }
        arrays.retain(|v| !stay.contains(v));
    }
}

/// Makes variables of the arrays. Those for which that is impossible come back, and whether accesses became choices.
fn attempt(body: &mut Body, arrays: &[VarId]) -> (VarSet, bool) {
    let mut propagation = Propagation::new(body, arrays, PRIVATE_ARRAY_NODES);
    propagation.run();
    let (mut stay, chosen) = propagation.finish();
    if stay.is_empty() {
        stay = scalars::run(body, arrays);
    }
    if stay.is_empty() && !chosen.is_empty() && !is_straight(&body.block) {
        stay.add(&chosen);
    }
    if stay.is_empty() {
        drop_unread_constants(body);
    }
    (stay, !chosen.is_empty())
}

/// Whether rows are straight code that never fails, of which vectors are made: then choices are worth it.
fn is_straight(block: &[Stmt]) -> bool {
    let mut straight = true;
    visit_stmts(block, &mut |stmt| {
        straight &=
            matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::Store { .. } | StmtKind::If { .. });
        operands(stmt, &mut |e| straight &= !may_fail(e));
    });
    straight
}

/// The small arrays of numbers that a thread keeps to itself and accesses by elements.
fn private_arrays(body: &Body) -> Vec<VarId> {
    let (read, stored) = (read_in(&body.block), stored_in(&body.block));
    let small = body.variables.iter().filter(|(v, variable)| {
        let used = read.contains(v) || stored.contains(v);
        let own = !body.params.contains(v) && !body.results.contains(v);
        let kept = build::is_small(&variable.ty) && array_element(&variable.ty).is_some();
        used && own && kept && variable.storage == Storage::Local
    });
    small.map(|(v, _)| v).collect()
}

/// The number of nodes of statements.
fn size(block: &[Stmt]) -> usize {
    let mut nodes = 0;
    visit_stmts(block, &mut |stmt| {
        nodes += 1;
        operands(stmt, &mut |e| visit(e, &mut |_| nodes += 1));
    });
    nodes
}
