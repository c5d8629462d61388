//! Nests whose outer loops alone need no atomics, but may have too few iterations for a machine: counts of the values of three
//! planes have three positions, or as many as pixels.
//!
//! ```text
//! for c = 0..size(x,0)-1                  if size(x,0) < 64
//!     for i = ..                              a launch over c, i, j, which adds atomically or to copies
//!         for j = ..               becomes    else
//!             h[c, x[c,i,j]] += 1             a launch over c
//! ```

use super::{Independence, Nest, Pass};
use crate::ir::rewrite::{root, set_in, visit, visit_stmts};
use crate::ir::{Block, Dims, Expr, ExprKind, Index, Kernel, LoopMode, Stmt, StmtKind, VarSet, build};
use crate::target::any::FEW_POSITIONS;
use crate::transform::host::outline::trip_count;
use crate::types::ElementType;
use quasar_devicelib::ops::find;

/// How many iterations the outer loops of a nest have together.
pub(super) enum Positions {
    Few,
    Many,
    /// Few where a condition holds.
    If(Expr),
}

impl Pass<'_> {
    /// The launch over the first `dims` loops, which are independent, or over more loops that add to common elements, whichever
    /// suits the number of iterations; and how many loops are dimensions of the kernel, at most.
    pub(super) fn few_or_many(
        &mut self,
        nest: &Nest<'_>,
        (dims, depth): (usize, usize),
        found: &Independence,
        after: &VarSet,
    ) -> (Block, usize) {
        let deeper = (dims + 1..=depth).rev().find_map(|deeper| {
            let found = self.test(nest, deeper, after, true).ok()?;
            (found.accumulators.is_empty() && scatters(nest, &found.shared_updates))
                .then_some((deeper, found))
        });
        let Some((deeper, common)) = deeper else { return (self.outline(nest, dims, found, after), dims) };
        match positions(nest, dims) {
            Positions::Many => (self.outline(nest, dims, found, after), dims),
            Positions::Few => (self.outline(nest, deeper, &common, after), deeper),
            Positions::If(condition) => {
                let then = self.outline(nest, deeper, &common, after);
                let otherwise = self.outline(nest, dims, found, after);
                (vec![build::choice(condition, then, otherwise, nest.span)], deeper)
            }
        }
    }
}

impl Pass<'_> {
    /// Whether a loop that runs in order gains by the launches in it: some have more than a few positions, or positions that do
    /// much, and do more than to add to one element. Otherwise they cost more than a kernel that does everything in order.
    pub(super) fn pays(&self, block: &[Stmt]) -> bool {
        let mut pays = false;
        visit_stmts(block, &mut |stmt| {
            pays |= match &stmt.kind {
                StmtKind::Launch { kernel, dims, .. } => match self.kernels.get(*kernel) {
                    Some(kernel) => {
                        kernel.parallel && !adds_to_one(kernel) && !(has_few(dims) && is_straight(kernel))
                    }
                    None => true,
                },
                StmtKind::For { attributes, .. } => {
                    matches!(attributes.mode, LoopMode::Parallel | LoopMode::Threads)
                }
                _ => false,
            };
        });
        pays
    }
}

/// Whether a launch surely has few positions.
fn has_few(dims: &Dims) -> bool {
    let Dims::Each(dims) = dims else { return false };
    let counts = dims.iter().map(|dim| known(dim).map(|n| n.max(0)));
    let count = counts.reduce(|a, b| a?.checked_mul(b?)).flatten();
    count.is_some_and(|count| count < i64::from(FEW_POSITIONS))
}

/// A number of iterations that is known.
fn known(count: &Expr) -> Option<i64> {
    match &count.kind {
        ExprKind::Apply { row, args } if row.name == "add" => args.iter().map(known).sum(),
        _ => count.constant_int().map(i64::from),
    }
}

/// Whether positions have no loops and call nothing.
fn is_straight(kernel: &Kernel) -> bool {
    let mut straight = true;
    visit_stmts(&kernel.body.block, &mut |stmt| {
        straight &= matches!(
            stmt.kind,
            StmtKind::Assign { .. } | StmtKind::Store { .. } | StmtKind::Update { .. } | StmtKind::If { .. }
        );
    });
    straight
}

/// Whether all additions to common elements are to elements that data choose: otherwise threads had better share the sums.
pub(super) fn scatters(nest: &Nest<'_>, common: &VarSet) -> bool {
    let block = nest.blocks[0];
    let mut set = set_in(block);
    for each in &nest.loops {
        set.remove(&each.variable);
    }
    let (mut scattered, mut found) = (true, false);
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Update { array, index, .. } = &stmt.kind
            && root(array).is_some_and(|array| common.contains(&array))
        {
            let mut by_data = false;
            for index in index {
                let Index::At(index) = index else { continue };
                visit(index, &mut |e| {
                    by_data |= match &e.kind {
                        ExprKind::Load { .. } => true,
                        ExprKind::Local(v) => set.contains(v),
                        _ => false,
                    };
                });
            }
            found = true;
            scattered &= by_data;
        }
    });
    found && scattered
}

/// The number of iterations of the first loops of a nest.
pub(super) fn positions(nest: &Nest<'_>, dims: usize) -> Positions {
    let mut product: i64 = 1;
    let mut unknown = Vec::new();
    for each in &nest.loops[..dims] {
        match each.range.constant_count() {
            Some(count) => product = product.saturating_mul(count),
            None => unknown.push(trip_count(&each.range)),
        }
    }
    let most = i64::from(FEW_POSITIONS);
    match (product < most, unknown.is_empty()) {
        (false, _) => Positions::Many,
        (true, true) => Positions::Few,
        (true, false) => Positions::If(is_few(product as i32, unknown, nest)),
    }
}

/// Whether a product is small. It is computed in double precision, where it does not wrap around.
fn is_few(known: i32, factors: Vec<Expr>, nest: &Nest<'_>) -> Expr {
    let (double, span) = (build::scalar_type(ElementType::Double), nest.span);
    let row = |name| find(name).expect("a row that the table has");
    let number = |value: i32| build::convert(build::int(value, span), &double);
    let product = factors.into_iter().fold(number(known), |product, factor| {
        build::apply(row("multiply"), vec![product, build::convert(factor, &double)], double.clone(), span)
    });
    build::apply(row("less"), vec![product, number(FEW_POSITIONS)], build::int_type(), span)
}

/// Whether all that a kernel does is to add to elements that are the same for all positions: threads would wait for each other.
fn adds_to_one(kernel: &Kernel) -> bool {
    let set = set_in(&kernel.body.block);
    let stays = |index: &Index| {
        let Index::At(index) = index else { return false };
        let mut stays = true;
        visit(index, &mut |e| {
            stays &= match &e.kind {
                ExprKind::Local(v) => !set.contains(v),
                ExprKind::Load { .. } | ExprKind::Coordinate(..) => false,
                _ => true,
            };
        });
        stays
    };
    let mut found = false;
    let only = kernel.body.block.iter().all(|stmt| match &stmt.kind {
        StmtKind::Update { index, atomic, .. } => {
            found = true;
            *atomic && index.iter().all(stays)
        }
        StmtKind::Assign { .. } => true,
        _ => false,
    });
    found && only && kernel.body.results.is_empty()
}
