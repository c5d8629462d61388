//! The order of the components of a position: the last one is that along which neighbours write neighbouring elements. `for n { for m {
//! y[m,n] = .. } }` becomes a kernel over `[m, n]`, whose rows are those of the array, for vectors on the processor and for coalesced
//! accesses on devices.

use super::interchange::launched_otherwise;
use crate::ir::barriers::waits;
use crate::ir::rewrite::{
    expand_stmts, operands_mut, transform, transform_stmts, visit, visit_block, visit_stmts,
};
use crate::ir::{
    Block, Coordinate, Dims, Expr, ExprKind, Index, Kernel, KernelAttributes, KernelId, Program, StmtKind,
};
use crate::message::Sink;
use crate::transform::PassContext;

/// Puts the components of the positions of kernels into the order of the arrays that they write, or only read.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, _sink: &mut Sink) {
    let fixed = launched_otherwise(program);
    for id in program.kernels.ids().collect::<Vec<_>>() {
        let kernel = &mut program.kernels[id];
        let Some(order) = order(kernel).filter(|_| !fixed.contains(&id)) else { continue };
        transform_stmts(&mut kernel.body.block, &mut |stmt| {
            operands_mut(stmt, &mut |e| {
                transform(e, &mut |e| {
                    if let ExprKind::Coordinate(Coordinate::Position, axis) = &mut e.kind {
                        *axis = order.iter().position(|old| old == axis).unwrap_or(*axis);
                    }
                });
            });
        });
        reorder_launches(program, id, &order);
    }
}

/// The components in their new order, where it differs from the old one.
fn order(kernel: &Kernel) -> Option<Vec<usize>> {
    let plain = kernel.parallel
        && kernel.rank > 1
        && kernel.accumulators.len() == kernel.body.results.len()
        && kernel.attributes == KernelAttributes::default();
    let block = &kernel.body.block;
    if !plain || waits(block) || !is_positional(block) {
        return None;
    }
    let (mut stores, mut loads) = (Orders::new(kernel.rank), Orders::new(kernel.rank));
    visit_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { index, .. } | StmtKind::Update { index, .. } | StmtKind::Exchange { index, .. } => {
            stores.add(index);
        }
        _ => {}
    });
    visit_block(block, &mut |e| {
        if let ExprKind::Load { index, .. } = &e.kind {
            loads.add(index);
        }
    });
    let order = if stores.accesses > 0 { stores.agreed() } else { loads.agreed() };
    order.filter(|order| !order.is_sorted())
}

/// Whether code knows nothing of threads and blocks but the position.
fn is_positional(block: &Block) -> bool {
    let mut positional = true;
    visit_block(block, &mut |e| {
        positional &= !matches!(&e.kind, ExprKind::Coordinate(c, _) if *c != Coordinate::Position);
    });
    positional
}

/// The orders of the components in the indices of accesses.
struct Orders {
    rank: usize,
    accesses: usize,
    /// Different orders; those of accesses without all components do not count.
    found: Vec<Vec<usize>>,
}

impl Orders {
    fn new(rank: usize) -> Orders {
        Orders { rank, accesses: 0, found: Vec::new() }
    }

    fn add(&mut self, index: &[Index]) {
        self.accesses += 1;
        if let Some(order) = components(index, self.rank)
            && !self.found.contains(&order)
        {
            self.found.push(order);
        }
    }

    /// The one order of all of them.
    fn agreed(self) -> Option<Vec<usize>> {
        <[_; 1]>::try_from(self.found).ok().map(|[order]| order)
    }
}

/// The components of the position in the order of an index, if each of its expressions holds at most one, and all occur once.
fn components(index: &[Index], rank: usize) -> Option<Vec<usize>> {
    let mut order = Vec::new();
    for each in index {
        let Index::At(e) = each else { return None };
        match single(e) {
            Found::None => {}
            Found::One(axis) => order.push(axis),
            Found::Several => return None,
        }
    }
    let all = order.len() == rank && (0..rank).all(|axis| order.contains(&axis));
    all.then_some(order)
}

/// The components of the position in an expression.
pub(super) enum Found {
    None,
    One(usize),
    Several,
}

pub(super) fn single(e: &Expr) -> Found {
    let mut found = Found::None;
    visit(e, &mut |e| {
        if let ExprKind::Coordinate(Coordinate::Position, axis) = &e.kind {
            found = match found {
                Found::None => Found::One(*axis),
                Found::One(known) if known == *axis => Found::One(known),
                _ => Found::Several,
            };
        }
    });
    found
}

fn reorder_launches(program: &mut Program, id: KernelId, order: &[usize]) {
    let reorder = |block: &mut Block| {
        expand_stmts(block, &mut |mut stmt| {
            if let StmtKind::Launch { kernel, dims: Dims::Each(dims), .. } = &mut stmt.kind
                && *kernel == id
            {
                *dims = order.iter().map(|old| dims[*old].clone()).collect();
            }
            vec![stmt]
        });
    };
    program.functions.iter_mut().for_each(|(_, function)| reorder(&mut function.body.block));
    program.kernels.iter_mut().for_each(|(_, kernel)| reorder(&mut kernel.body.block));
}
