//! Loop interchange: `for k { for j { c[i,j] += a[i,k]*b[k,j] } }` in a kernel over `i` becomes `for k` in a kernel over `i` and `j`,
//! where every iteration of `j` has elements of its own. For each element, the iterations of the other loops keep their order;
//! the positions become many, and neighbours read and write neighbouring elements.

use super::plain_nests;
use super::triangles::{self, Extent, Lifted};
use crate::analysis::access_pattern::own_prefix;
use crate::ir::barriers::waits;
use crate::ir::rewrite::{
    expand_stmts, jumps_out, operands_mut, set_in, stored_in, substitute, transform_stmts, visit,
    visit_block, visit_stmts,
};
use crate::ir::{
    Block, Coordinate, Dims, Expr, ExprKind, Index, Kernel, KernelAttributes, KernelId, LaunchMode,
    LoopAttributes, Program, Range, Stmt, StmtKind, VarId, build,
};
use crate::message::Sink;
use crate::transform::PassContext;
use crate::types::ElementType;
use crate::types::known::scalar;
use quasar_devicelib::ops::find;
use std::collections::{BTreeMap, BTreeSet};

/// Positions have no more components than this.
const LARGEST_RANK: usize = 5;

/// Makes the innermost loops of kernels components of the position, where that keeps the results.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, _sink: &mut Sink) {
    let fixed = launched_otherwise(program);
    for id in program.kernels.ids().filter(|id| !fixed.contains(id)).collect::<Vec<_>>() {
        let as_written = program.kernels[id].body.block.clone();
        program.kernels[id].body.block = plain_nests::of(&program.kernels[id]);
        if !take_loop(program, id) && !lift(program, id) {
            program.kernels[id].body.block = as_written;
            continue;
        }
        // Each adds a component, of which there are few.
        while take_loop(program, id) || lift(program, id) {}
    }
}

/// Makes the innermost loop of a kernel a component of the position, where that keeps the results.
fn take_loop(program: &mut Program, id: KernelId) -> bool {
    let Some((variable, range, block)) = interchanged(&program.kernels[id]) else { return false };
    let kernel = &mut program.kernels[id];
    let (axis, extent, params) = (kernel.rank, iterations(&range), kernel.body.params.clone());
    kernel.rank += 1;
    kernel.body.block = block;
    let position =
        Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), range.from.span);
    let value =
        if range.from.constant_int() == Some(0) { position } else { sum("add", position, range.from) };
    let replacements = BTreeMap::from([(variable, value)]);
    transform_stmts(&mut kernel.body.block, &mut |s| {
        operands_mut(s, &mut |e| substitute(e, &replacements));
    });
    widen_launches(program, id, &params, &Extent::Known(extent));
    true
}

/// Makes a loop that is not the innermost one, or goes over a triangle, a component of the position, where that keeps the results.
fn lift(program: &mut Program, id: KernelId) -> bool {
    let Some(Lifted { block, extent }) = triangles::lifted(&program.kernels[id]) else { return false };
    let kernel = &mut program.kernels[id];
    let params = kernel.body.params.clone();
    kernel.rank += 1;
    kernel.body.block = block;
    widen_launches(program, id, &params, &extent);
    true
}

/// The kernels with launches whose extents are not written out, or that ask for blocks or an order, or pass what cannot be
/// repeated.
pub(super) fn launched_otherwise(program: &Program) -> BTreeSet<KernelId> {
    let mut found = BTreeSet::new();
    let mut launched = BTreeSet::new();
    let blocks = program.functions.iter().map(|(_, f)| &f.body.block);
    for block in blocks.chain(program.kernels.iter().map(|(_, k)| &k.body.block)) {
        visit_stmts(block, &mut |stmt| {
            if let StmtKind::Launch { kernel, dims, block, args, mode, .. } = &stmt.kind {
                let plain = matches!(dims, Dims::Each(_)) && block.is_none() && *mode == LaunchMode::Parallel;
                launched.insert(*kernel);
                if !plain || !args.iter().all(is_repeatable) {
                    found.insert(*kernel);
                }
            }
        });
    }
    // Kernels that nobody launches may be meant for other ways to launch them.
    found.extend(program.kernels.ids().filter(|id| !launched.contains(id)));
    found
}

fn is_repeatable(arg: &Expr) -> bool {
    match &arg.kind {
        ExprKind::Convert(inner) => is_repeatable(inner) && scalar(&arg.ty).is_none(),
        _ => arg.is_atom(),
    }
}

/// The innermost loop of a kernel, whose iterations become positions, and the kernel's code without it.
fn interchanged(kernel: &Kernel) -> Option<(VarId, Range, Block)> {
    if !is_plain_kernel(kernel) || waits(&kernel.body.block) {
        return None;
    }
    let mut block = kernel.body.block.clone();
    let (variable, range, outer) = take_innermost(&mut block)?;
    let body = innermost(&block)?;
    let unit = range.step.as_ref().is_none_or(|step| step.constant_int() == Some(1));
    let known = |e: &Expr| is_known(kernel, e);
    if outer.is_empty() || !unit || !known(&range.from) || !known(&range.to) || jumps_out(body, 0) {
        return None;
    }
    let set = set_in(body);
    if set.contains(&variable) || outer.iter().any(|v| set.contains(v) || *v == variable) {
        return None;
    }
    (is_alone(kernel, body) && has_own_elements(kernel, body, variable)).then_some((variable, range, block))
}

/// Whether positions may have one more component.
pub(super) fn is_plain_kernel(kernel: &Kernel) -> bool {
    kernel.parallel
        && kernel.rank < LARGEST_RANK
        && kernel.body.results.is_empty()
        && kernel.attributes == KernelAttributes::default()
}

/// Takes the innermost of perfectly nested loops away, and gives the variables of those around it.
fn take_innermost(block: &mut Block) -> Option<(VarId, Range, Vec<VarId>)> {
    let [Stmt { kind: StmtKind::For { variable, range, body, attributes }, .. }] = block.as_mut_slice()
    else {
        return None;
    };
    if *attributes != LoopAttributes::default() {
        return None;
    }
    if let Some((inner, range, mut outer)) = take_innermost(body) {
        outer.push(*variable);
        return Some((inner, range, outer));
    }
    let found = (*variable, range.clone(), Vec::new());
    *block = std::mem::take(body);
    Some(found)
}

/// The statements inside of all loops.
fn innermost(block: &Block) -> Option<&Block> {
    match block.as_slice() {
        [Stmt { kind: StmtKind::For { body, .. }, .. }] => innermost(body),
        [] => None,
        _ => Some(block),
    }
}

/// Whether a bound can be computed before the launch, and cannot fail.
pub(super) fn is_known(kernel: &Kernel, bound: &Expr) -> bool {
    let params = &kernel.body.params;
    let set = set_in(&kernel.body.block);
    let mut known = scalar(&bound.ty) == Some(ElementType::Int32);
    visit(bound, &mut |e| {
        known &= match &e.kind {
            ExprKind::Constant(_) | ExprKind::Extent(..) => true,
            ExprKind::Local(v) => params.contains(v) && !set.contains(v),
            ExprKind::Apply { row, .. } => matches!(row.name, "add" | "subtract" | "multiply" | "negate"),
            _ => false,
        };
    });
    known
}

/// Whether statements do nothing but change elements, and carry no variable from one iteration to the next.
fn is_alone(kernel: &Kernel, body: &Block) -> bool {
    let mut alone = true;
    visit_stmts(body, &mut |stmt| {
        alone &= matches!(
            stmt.kind,
            StmtKind::Assign { .. }
                | StmtKind::Store { .. }
                | StmtKind::Update { result: None, .. }
                | StmtKind::If { .. }
        );
    });
    visit_block(body, &mut |e| {
        alone &= !matches!(&e.kind, ExprKind::Coordinate(c, _) if *c != Coordinate::Position);
    });
    let carried = |v: VarId| kernel.body.params.contains(&v) || !super::vectorize::sets_first(body, v);
    alone && !set_in(body).iter().any(carried)
}

/// Whether all accesses to the written arrays are to elements of the position and the iteration. Indices may hold all components in any
/// order: two such places are different ones for different iterations.
pub(super) fn has_own_elements(kernel: &Kernel, body: &Block, variable: VarId) -> bool {
    let written = stored_in(body);
    let is_written = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if written.contains(&v));
    let (mut own, mut mentions, mut parts) = (!written.is_empty(), 0, 0);
    let mut access = |array: &Expr, index: &[Index]| {
        if is_written(array) {
            parts += 1;
            own &= is_permuted(kernel, index, variable)
                || own_prefix(index, kernel.rank) == kernel.rank
                    && matches!(index.get(kernel.rank), Some(Index::At(Expr { kind: ExprKind::Local(v), .. })) if *v == variable);
        }
    };
    visit_stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::Store { array, index, .. } | StmtKind::Update { array, index, .. } => access(array, index),
        _ => {}
    });
    visit_block(body, &mut |e| match &e.kind {
        ExprKind::Load { array, index, .. } => access(array, index),
        ExprKind::Local(_) => mentions += i32::from(is_written(e)),
        _ => {}
    });
    let mut sized = 0;
    visit_block(body, &mut |e| {
        if let ExprKind::Extent(array, _) | ExprKind::Count(array) = &e.kind {
            sized += i32::from(is_written(array));
        }
    });
    own && mentions <= parts + sized && written.iter().all(|v| kernel.body.params.contains(&v))
}

/// Whether an index has all components of the position and the variable, each once.
fn is_permuted(kernel: &Kernel, index: &[Index], variable: VarId) -> bool {
    let component = |each: &Index| match each {
        Index::At(e) => match e.kind {
            ExprKind::Coordinate(Coordinate::Position, axis) => Some(axis),
            ExprKind::Local(v) if v == variable => Some(kernel.rank),
            _ => None,
        },
        _ => None,
    };
    let found: Option<Vec<usize>> = index.iter().map(component).collect();
    found.is_some_and(|found| {
        found.len() == kernel.rank + 1 && (0..=kernel.rank).all(|axis| found.contains(&axis))
    })
}

/// How often a loop goes round, if it does.
pub(super) fn iterations(range: &Range) -> Expr {
    let one = || build::int(1, range.to.span);
    let zero = range.from.constant_int() == Some(0);
    if let ExprKind::Apply { row, args } = &range.to.kind
        && let ("subtract", [count, by]) = (row.name, args.as_slice())
        && by.constant_int() == Some(1)
    {
        return if zero { count.clone() } else { sum("subtract", count.clone(), range.from.clone()) };
    }
    let end = sum("add", range.to.clone(), one());
    if zero { end } else { sum("subtract", end, range.from.clone()) }
}

fn sum(name: &str, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    build::apply(find(name).expect("a row"), vec![a, b], build::int_type(), span)
}

/// Adds an extent to the launches of a kernel, which is told in terms of its parameters.
fn widen_launches(program: &mut Program, id: KernelId, params: &[VarId], extent: &Extent) {
    let widen = |block: &mut Block| {
        expand_stmts(block, &mut |mut stmt| {
            if let StmtKind::Launch { kernel, dims: Dims::Each(dims), args, .. } = &mut stmt.kind
                && *kernel == id
            {
                let replacements = params.iter().copied().zip(args.iter().cloned()).collect();
                let extent = match extent {
                    Extent::Known(extent) => {
                        let mut extent = extent.clone();
                        substitute(&mut extent, &replacements);
                        extent
                    }
                    Extent::Component(axis, 0) => dims[*axis].clone(),
                    Extent::Component(axis, more) => {
                        let span = dims[*axis].span;
                        sum("add", dims[*axis].clone(), build::int(*more, span))
                    }
                };
                dims.push(extent);
            }
            vec![stmt]
        });
    };
    program.functions.iter_mut().for_each(|(_, function)| widen(&mut function.body.block));
    program.kernels.iter_mut().for_each(|(_, kernel)| widen(&mut kernel.body.block));
}
