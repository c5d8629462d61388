//! Estimates the cost of kernels, to decide whether a launch is worth several threads.

use super::symbolic_range::trip_count;
use crate::ir::affine::{AffineForm, Symbol};
use crate::ir::rewrite::{blocks, operands, set_in, visit};
use crate::ir::{Kernel, Range, Stmt, StmtKind};

/// Iterations of a loop of which nothing is known.
const ITERATIONS: u32 = 32;

/// Estimated operations of a block for one position.
pub fn cost(block: &[Stmt]) -> u32 {
    work(block, &|_| None).operations
}

/// Estimated operations of a kernel for one position, where a launch that has the `known` values knows how often loops go round.
pub fn work_of(kernel: &Kernel, known: &dyn Fn(Symbol) -> bool) -> Work {
    let set = set_in(&kernel.body.block);
    let given = |v| kernel.body.params.contains(&v) && !set.contains(&v);
    let trips = |range: &Range| {
        trip_count(range, &given).filter(|trips| trips.terms.iter().all(|(symbol, _)| known(*symbol)))
    };
    work(&kernel.body.block, &trips)
}

/// Operations of which some are done as often as launches say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Those that are done once.
    pub operations: u32,
    /// Loops: how many iterations they have, and what each costs.
    pub loops: Vec<(AffineForm, Work)>,
}

impl Work {
    /// Adds that of another block of a statement. Of two with loops, such as the versions of one loop, that counts of which more is
    /// known.
    fn add_block(&mut self, mut other: Work) {
        let less = other.operations < self.operations;
        if self.loops.is_empty() || less && !other.loops.is_empty() {
            std::mem::swap(self, &mut other);
        }
        if self.loops.is_empty() {
            self.add(other, 1);
        }
    }

    /// Adds work that is done so often.
    fn add(&mut self, other: Work, times: u32) {
        self.operations = self.operations.saturating_add(other.operations.saturating_mul(times));
        for (trips, mut each) in other.loops {
            let once = std::mem::take(&mut each);
            each.add(once, times);
            self.loops.push((trips, each));
        }
    }
}

/// The work of a block; `trips` says how many iterations a loop has, if a launch knows.
fn work(block: &[Stmt], trips: &dyn Fn(&Range) -> Option<AffineForm>) -> Work {
    let mut total = Work::default();
    for stmt in block {
        operands(stmt, &mut |e| visit(e, &mut |_| total.operations = total.operations.saturating_add(1)));
        let (mut times, mut counted) = (1, None);
        match &stmt.kind {
            StmtKind::For { range, .. } => match (range.from.constant_int(), range.to.constant_int()) {
                (Some(a), Some(b)) => times = (i64::from(b) - i64::from(a)).clamp(1, 1 << 20) as u32,
                _ => {
                    counted = trips(range);
                    times = if counted.is_some() { 1 } else { ITERATIONS };
                }
            },
            StmtKind::While { .. } | StmtKind::Repeat { .. } | StmtKind::ForEach { .. } => times = ITERATIONS,
            _ => {}
        }
        let mut inner = Work::default();
        blocks(stmt, &mut |block| inner.add_block(work(block, trips)));
        match counted {
            Some(trips) => total.loops.push((trips, inner)),
            None => total.add(inner, times),
        }
        total.operations = total.operations.saturating_add(1);
    }
    total
}
