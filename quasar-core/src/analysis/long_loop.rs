//! Kernels that spend their time in one loop which only accumulates: where a launch has few positions, the threads of a
//! block can share the rounds of the loop.

use super::dependence::accumulation;
use crate::ir::rewrite::{free_variables, read_in, set_in, stored_in, visit_stmts};
use crate::ir::{Expr, Kernel, Stmt, StmtKind, VarId};
use crate::types::known::scalar;
use quasar_devicelib::ops::Row;

/// Loops of so many rounds at least are long; so are those whose rounds are not known.
const LONG: i64 = 4096;

/// The loop of a kernel whose rounds may run in any order.
pub struct LongLoop {
    /// Its place among the statements of the kernel.
    pub at: usize,
    /// What it accumulates.
    pub accumulators: Vec<(VarId, &'static Row)>,
}

/// The last statement of a kernel that is such a loop, if what is before it has no effects.
pub fn long_loop(kernel: &Kernel) -> Option<LongLoop> {
    let block = &kernel.body.block;
    if !kernel.parallel || !kernel.body.results.is_empty() {
        return None;
    }
    let at = block.iter().rposition(|stmt| matches!(stmt.kind, StmtKind::For { .. }))?;
    let StmtKind::For { variable, range, body, .. } = &block[at].kind else { return None };
    let rounds = |a: &Expr, b: &Expr| Some(i64::from(b.constant_int()?) - i64::from(a.constant_int()?));
    let short = rounds(&range.from, &range.to).is_some_and(|n| n < LONG);
    let plain = |block: &[Stmt]| stored_in(block).is_empty() && !has_effects(block);
    let set = set_in(body);
    if short || set.contains(variable) || !plain(body) || !plain(&block[..at]) {
        return None;
    }
    let (carried, after) = (free_variables(body), read_in(&block[at + 1..]));
    if after.contains(variable) {
        return None;
    }
    let mut accumulators = Vec::new();
    for variable in set {
        if carried.contains(&variable) || after.contains(&variable) {
            let row = accumulation(body, variable)?;
            scalar(&kernel.body.variables[variable].ty).filter(|e| !e.is_complex())?;
            accumulators.push((variable, row));
        }
    }
    (!accumulators.is_empty()).then_some(LongLoop { at, accumulators })
}

/// Whether statements do more than compute, or go elsewhere.
fn has_effects(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= !matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::If { .. } | StmtKind::For { .. });
    });
    found
}
