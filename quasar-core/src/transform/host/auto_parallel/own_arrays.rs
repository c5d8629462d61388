//! Loops whose iterations make arrays of unknown size, as `w = x[n-r..n+r]` or `d = zeros(n, n)` do: slices and functions of them are
//! written out as loops over elements, and what is left becomes a kernel whose threads make the arrays.
//!
//! ```text
//! for n = ..                               launch n = ..
//!     w = x[n-r..n+r]                          w = uninit(2*r+1)
//!     y[n] = w[0] + median(w)      =>          for k = 0..2*r: w[k] = x[n-r+k] ..
//! endfor
//! ```
//!
//! Devices have little memory for such arrays: there the loop stays as it was, where that launches kernels of its own. So it does where
//! it has few iterations.

use super::super::kernel_rules::Refusal;
use super::own_sizes::{multiplies, products_are_small, take_checks};
use super::small_launches::{is_large, is_medium, is_small};
use super::{Pass, nest_of};
use crate::ir::rewrite::{free_variables, set_in, visit_block, visit_stmts};
use crate::ir::{Block, Body, Dims, Expr, ExprKind, Index, Kernel, Stmt, StmtKind, Target, VarSet, build};
use crate::target::any::FEW_POSITIONS;
use crate::transform::kernel;
use crate::transform::schedule::plain_nests::{sink_numbers, with_plain_ranges};
use crate::types::Type;
use crate::types::known::{is_kept, on_heap, scalar};

/// The variables for arrays that belong to an iteration of a loop with such a body, and that are no values of few numbers.
pub(super) fn of(block: &Block, after: &VarSet, body: &Body) -> VarSet {
    let exposed = free_variables(block);
    let is_own = |v: &_| is_kept(&body.variables[*v].ty) && !exposed.contains(v) && !after.contains(v);
    set_in(block).iter().filter(is_own).collect()
}

/// Those of unknown size, which are in memory.
pub(super) fn in_memory(block: &Block, after: &VarSet, body: &Body) -> VarSet {
    of(block, after, body).iter().filter(|v| on_heap(&body.variables[*v].ty)).collect()
}

/// Threads of the processor make arrays of any size.
pub(super) fn keep_on_processor(kernel: &mut Kernel) {
    kernel.attributes.memory_model = true;
    kernel.attributes.target = Target::Processor;
}

impl Pass<'_> {
    /// The loop as a kernel whose threads make arrays, where it is one; beside the loop as it was, where that has parallel parts.
    pub(super) fn with_own_arrays(
        &mut self,
        stmt: &Stmt,
        after: &VarSet,
        (forced, refusal): (bool, &Refusal),
    ) -> Option<Block> {
        if self.own_arrays || !self.context.kernel_memory || self.context.only_blocks {
            return None;
        }
        let mut sizes = products_are_small(stmt).ok()?;
        let (mut makes_some, multiplies) = (false, multiplies(stmt));
        let loops = nest_of(stmt, self.body).map_or(0, |nest| nest.loops.len());
        let whole = self.attempt(|pass| {
            let mut block = vec![pass.written_out(stmt)?];
            if let Some(others) = sizes.take() {
                // The loop as it was says what does not fit.
                let checks = take_checks(&mut block).into_iter().chain(sink_numbers(&mut block));
                sizes = Some(checks.fold(others, build::and));
            }
            let stmt = block.pop()?;
            let nest = nest_of(&stmt, pass.body)?;
            let makes_none = !multiplies && of(nest.blocks[0], after, pass.body).is_empty();
            // Slices of elements that are written are further dimensions.
            if makes_none && nest.loops.len() == loops {
                return None;
            }
            makes_some = !in_memory(nest.blocks[0], after, pass.body).is_empty();
            pass.own_arrays = true;
            let found = pass.parallel(&nest, after, forced).ok();
            pass.own_arrays = false;
            found.filter(|found| !makes_none || has_dims(found, nest.loops.len()))
        })?;
        if !makes_some && sizes.is_none() {
            // Arrays of known size are few elements to any other form, and devices have them as well.
            return Some(self.or_planes_in_order(stmt, whole, after));
        }
        let work = self.work_of_iteration(stmt, &whole);
        let large = work.clone().map(|work| is_large(work, stmt));
        let may_be_set = self.may_be_set.clone();
        let (kernels, made, said) = (self.kernels.len(), self.made.len(), self.sink.mark());
        let shared = forced || self.is_proved(stmt, after);
        let shared = if shared { self.on_threads(stmt, after, (refusal, large.as_ref())).ok() } else { None };
        let on_threads = shared.is_some();
        let parts = shared.unwrap_or_else(|| vec![self.inside(stmt.clone(), after)]);
        self.may_be_set = may_be_set;
        self.sink.back_to(said);
        let condition = if self.is_parallel_since(kernels, made) {
            let launches = self.kernels.since(kernels).iter().any(|kernel| kernel.parallel);
            // Devices have no memory for arrays of threads.
            let many = is_many(&whole, launches && makes_some)?;
            // Launches have vectors and tiles for the nests of an iteration, which pays where those are large.
            let small =
                work.map(|work| if on_threads { is_small(work, stmt) } else { is_medium(work, stmt) });
            let many = small.map_or(many.clone(), |small| build::and(many, small));
            sizes.map_or(many.clone(), |sizes| build::and(many, sizes))
        } else if let Some(sizes) = sizes {
            sizes
        } else {
            self.kernels.truncate(kernels);
            return Some(whole);
        };
        Some(vec![build::choice(condition, whole, parts, stmt.span)])
    }

    /// A loop in order that takes sums or extremes of slices, as loops over elements: all of it may be one kernel where they are short.
    pub(super) fn with_sums_of_slices(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Block> {
        if self.own_arrays || !self.context.auto_parallel || !takes_numbers_of_slices(stmt) {
            return None;
        }
        self.tried(|pass| {
            let kernels = pass.kernels.len();
            let mut block = vec![pass.written_out(stmt)?];
            let outside: Vec<_> = free_variables(&block).iter().chain(after.iter()).collect();
            with_plain_ranges(&mut block, &outside);
            let checks = take_checks(&mut block);
            let sets_arrays =
                set_in(&block).iter().any(|v| matches!(pass.body.variables[v].ty, Type::Array(_)));
            if sets_arrays || pass.allowed(&block, after).is_err() {
                return None;
            }
            let block = block.pop().map(|plain| pass.judged(plain, after))?;
            let block = match checks.into_iter().reduce(build::and) {
                // The loop as it was says what does not fit.
                Some(fits) => vec![build::choice(fits, block, vec![stmt.clone()], stmt.span)],
                None => block,
            };
            (pass.kernels.len() > kernels).then_some(block)
        })
    }

    /// The loop with its slices and functions as loops over elements.
    pub(super) fn written_out(&mut self, stmt: &Stmt) -> Option<Stmt> {
        let block = vec![stmt.clone()];
        let params = free_variables(&block).iter().filter(|v| on_heap(&self.body.variables[*v].ty)).collect();
        let variables = std::mem::take(&mut self.body.variables);
        let mut trial = Body { variables, block, params, ..Body::default() };
        kernel::scalarize(&mut trial);
        kernel::write_out_rows(&mut trial);
        self.body.variables = trial.variables;
        let only = trial.block.pop().filter(|_| trial.block.is_empty())?;
        Some(only)
    }
}

/// Whether a loop sets elements and numbers only, some of which are sums or extremes of slices.
fn takes_numbers_of_slices(stmt: &Stmt) -> bool {
    let (mut slices, mut plain) = (false, true);
    let block = std::slice::from_ref(stmt);
    visit_stmts(block, &mut |stmt| {
        plain &= match &stmt.kind {
            StmtKind::Store { index, .. } | StmtKind::Update { index, .. } => {
                index.iter().all(|each| matches!(each, Index::At(_)))
            }
            StmtKind::Assign { value, .. } => scalar(&value.ty).is_some(),
            StmtKind::For { .. } | StmtKind::If { .. } => true,
            _ => false,
        };
    });
    visit_block(block, &mut |e| match &e.kind {
        ExprKind::Load { .. } => slices |= on_heap(&e.ty),
        ExprKind::Library { name, .. } => plain &= matches!(*name, "dotprod" | "mean" | "transpose"),
        _ => {}
    });
    slices && plain
}

/// Whether all of a block are launches of so many dimensions.
fn has_dims(block: &Block, count: usize) -> bool {
    block.iter().all(
        |stmt| matches!(&stmt.kind, StmtKind::Launch { dims: Dims::Each(dims), .. } if dims.len() == count),
    )
}

/// Whether a launch has many positions, and none of another form would go to a device.
fn is_many(launch: &Block, other_launches: bool) -> Option<Expr> {
    let many = has_many_positions(launch)?;
    if !other_launches {
        return Some(many);
    }
    let span = many.span;
    let on_device =
        Expr::new(ExprKind::Library { name: "on_device", args: Vec::new() }, build::int_type(), span);
    let elsewhere = build::select(on_device, build::int(0, span), build::int(1, span));
    Some(build::and(elsewhere, many))
}

/// Whether the launch that a block chooses has many positions.
fn has_many_positions(block: &Block) -> Option<Expr> {
    let first = block.first()?;
    match &first.kind {
        StmtKind::Launch { dims: Dims::Each(dims), .. } => {
            let count = dims.iter().cloned().reduce(|a, b| build::of_ints("multiply", a, b))?;
            Some(build::of_ints("greater_equal", count, build::int(FEW_POSITIONS, first.span)))
        }
        StmtKind::If { condition, then, otherwise } => {
            let (then, otherwise) = (has_many_positions(then)?, has_many_positions(otherwise)?);
            Some(build::select(condition.clone(), then, otherwise))
        }
        _ => None,
    }
}
