//! Moves statements of a host function into a new kernel.

use super::kernel_builder::NewKernels;
use crate::analysis::dependence::{Loop, accumulating_value};
use crate::ir::params::pass_by_reference;
use crate::ir::rewrite::{
    copy_block, free_variables, operands_mut, set_in, stored_in, substitute, transform_stmts, visit,
    visit_stmts,
};
use crate::ir::{
    Accumulator, Block, Body, Coordinate, Dims, Expr, ExprKind, Kernel, LaunchMode, Range, Stmt, StmtKind,
    Storage, VarId, VarSet, build,
};
use crate::source::Span;
use crate::types::{ElementType, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::{Row, find};
use std::collections::{BTreeMap, BTreeSet};

/// A kernel with what its launch passes to it and gets back.
pub struct Outlined {
    /// The new kernel.
    pub kernel: Kernel,
    /// Host variables that are passed, in the order of the kernel's parameters.
    pub args: Vec<VarId>,
    /// Host variables that receive the results.
    pub results: Vec<VarId>,
}

/// A kernel that runs `block` once for each combination of the loops' values, in any order. Accumulators are combined
/// by their rows.
pub fn parallel(
    name: String,
    host: &Body,
    loops: &[Loop],
    block: &Block,
    accumulators: &[(VarId, &'static Row)],
    span: Span,
) -> Outlined {
    let mut block = block.clone();
    for (variable, _) in accumulators {
        sum_instead_of_subtracting(&mut block, *variable);
    }
    let block = with_positions(block, loops, host);
    at_positions(name, host, loops.len(), &block, accumulators, span)
}

/// A kernel that runs `block`, which names host variables and coordinates, at each position of a box.
pub(super) fn at_positions(
    name: String,
    host: &Body,
    rank: usize,
    block: &Block,
    accumulators: &[(VarId, &'static Row)],
    span: Span,
) -> Outlined {
    let mut body = Body::default();
    let mut map = BTreeMap::new();
    let results: Vec<VarId> = accumulators.iter().map(|(variable, _)| *variable).collect();
    let args = inputs(block, &[], &results);
    add_params(&args, host, &mut body, &mut map);
    let mut kernel_accumulators = Vec::new();
    for (variable, row) in accumulators {
        let inside = body.variables.push(host.variables[*variable].clone());
        map.insert(*variable, inside);
        body.results.push(inside);
        kernel_accumulators.push(Accumulator { variable: inside, row });
    }
    body.block = copy_block(block, host, &mut body, &mut map);
    pass_by_reference(&mut body);
    let kernel = Kernel {
        name,
        body,
        rank,
        accumulators: kernel_accumulators,
        parallel: true,
        aliased: false,
        divisible: false,
        attributes: Default::default(),
        strip: None,
        schedule: Default::default(),
        span,
    };
    Outlined { kernel, args, results }
}

/// A kernel with a single position that runs `block` as it stands; variables that are `live_after` come back as results.
/// Those that `may_be_set` before keep their value where the block does not set them; the others start as zero.
pub fn serial(
    name: String,
    host: &Body,
    block: &Block,
    live_after: &VarSet,
    may_be_set: &VarSet,
    span: Span,
) -> Outlined {
    let results: Vec<VarId> = set_in(block).intersection(live_after).into_iter().collect();
    let (kept, fresh): (Vec<VarId>, Vec<VarId>) = results.iter().partition(|v| may_be_set.contains(v));
    let mut body = Body::default();
    let mut map = BTreeMap::new();
    // What is read before it is set, and cannot be set before the loop either, comes from an earlier round.
    let (args, unset): (Vec<VarId>, Vec<VarId>) =
        inputs(block, &kept, &[]).into_iter().partition(|v| may_be_set.contains(v));
    add_params(&args, host, &mut body, &mut map);
    let mut whole: Block = Vec::new();
    let starting: BTreeSet<&VarId> = fresh.iter().chain(&unset).collect();
    for variable in starting {
        let ty = &host.variables[*variable].ty;
        let element = build::element_of(ty).unwrap_or(ElementType::Int32);
        if matches!(ty, Type::Scalar(..) | Type::Enum(_)) {
            let zero = Expr::new(ExprKind::Constant(Scalar::zero(element)), ty.clone(), span);
            whole.push(build::assign(*variable, zero));
        }
    }
    whole.extend(block.iter().cloned());
    body.block = copy_block(&whole, host, &mut body, &mut map);
    // The only thread shares with nobody.
    let shared = body.variables.iter_mut().filter(|(_, variable)| variable.storage == Storage::Shared);
    shared.for_each(|(_, variable)| variable.storage = Storage::Local);
    pass_by_reference(&mut body);
    for variable in &results {
        let inside = map[variable];
        let out = body.temporary(host.variables[*variable].ty.clone(), span);
        body.results.push(out);
        let value = body.read(inside, span);
        body.block.push(build::assign(out, value));
    }
    let kernel = Kernel {
        name,
        body,
        rank: 1,
        accumulators: Vec::new(),
        parallel: false,
        aliased: false,
        divisible: false,
        attributes: Default::default(),
        strip: None,
        schedule: Default::default(),
        span,
    };
    Outlined { kernel, args, results }
}

/// The variables that come into a block, without those in `except`, and with those in `also`.
pub(super) fn inputs(block: &Block, also: &[VarId], except: &[VarId]) -> Vec<VarId> {
    let mut inputs = free_variables(block);
    inputs.add(&stored_in(block).difference(&set_in(block)));
    inputs.extend(also);
    inputs.into_iter().filter(|variable| !except.contains(variable)).collect()
}

pub(super) fn add_params(args: &[VarId], host: &Body, body: &mut Body, map: &mut BTreeMap<VarId, VarId>) {
    for variable in args {
        let inside = body.variables.push(host.variables[*variable].clone());
        map.insert(*variable, inside);
        body.params.push(inside);
    }
}

/// The block with loop variables given by the position: replaced where they are only read, assigned first otherwise.
fn with_positions(mut block: Block, loops: &[Loop], host: &Body) -> Block {
    let assigned = set_in(&block);
    let mut replacements = BTreeMap::new();
    let mut first = Vec::new();
    for (axis, each) in loops.iter().enumerate() {
        let value = loop_value(each, position(axis, each.range.from.span), host);
        if assigned.contains(&each.variable) {
            first.push(build::assign(each.variable, value));
        } else {
            replacements.insert(each.variable, value);
        }
    }
    transform_stmts(&mut block, &mut |stmt| operands_mut(stmt, &mut |expr| substitute(expr, &replacements)));
    first.extend(block);
    first
}

fn position(axis: usize, span: Span) -> Expr {
    Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), span)
}

/// `from + index * step`.
pub(super) fn loop_value(each: &Loop, index: Expr, host: &Body) -> Expr {
    let span = index.span;
    let ty = host.variables[each.variable].ty.clone();
    let scaled = match &each.range.step {
        Some(step) if step.constant_int() != Some(1) => binary("multiply", index, step.clone(), span),
        _ => index,
    };
    let value = match each.range.from.constant_int() {
        Some(0) => scaled,
        _ => binary("add", scaled, each.range.from.clone(), span),
    };
    build::convert(value, &ty)
}

fn binary(row: &'static str, a: Expr, b: Expr, span: Span) -> Expr {
    apply(row, vec![a, b], build::int_type(), span)
}

fn apply(row: &'static str, args: Vec<Expr>, ty: Type, span: Span) -> Expr {
    build::apply(find(row).expect("a row that the table has"), args, ty, span)
}

/// How many values a loop takes; may be negative for an empty one, which launches nothing.
pub fn trip_count(range: &Range) -> Expr {
    let span = range.to.span;
    let distance = match range.from.constant_int() {
        Some(0) => range.to.clone(),
        _ => binary("subtract", range.to.clone(), range.from.clone(), span),
    };
    let one = build::int(1, span);
    match range.step.as_ref().filter(|step| step.constant_int() != Some(1)) {
        None => match last_index(&distance) {
            Some(count) => count,
            None if range.from.constant_int().is_some() => binary("add", distance, one, span),
            // The distance of limits far apart is no `int`.
            None => {
                let backwards = binary("less", range.to.clone(), range.from.clone(), span);
                let (then, otherwise) =
                    (Box::new(build::int(0, span)), Box::new(binary("add", distance, one, span)));
                let kind = ExprKind::Select { condition: Box::new(backwards), then, otherwise };
                Expr::new(kind, build::int_type(), span)
            }
        },
        Some(step) => {
            // floor(distance / step) + 1; distances and quotients of 32-bit integers are exact enough in double precision.
            let double = build::scalar_type(ElementType::Double);
            let [from, to, step] = [&range.from, &range.to, step].map(|e| build::convert(e.clone(), &double));
            let distance = match range.from.constant_int() {
                Some(0) => to,
                _ => apply("subtract", vec![to, from], double.clone(), span),
            };
            let quotient = apply(
                "floor",
                vec![apply("divide", vec![distance, step], double.clone(), span)],
                double,
                span,
            );
            binary("add", build::convert(quotient, &build::int_type()), one, span)
        }
    }
}

/// For `n - 1` the `n`.
fn last_index(distance: &Expr) -> Option<Expr> {
    match &distance.kind {
        ExprKind::Apply { row, args } if row.name == "subtract" && args[1].constant_int() == Some(1) => {
            Some(args[0].clone())
        }
        _ => None,
    }
}

/// Turns `v = v - e` into `v = v + (-e)`, so that partial results are sums.
fn sum_instead_of_subtracting(block: &mut Block, variable: VarId) {
    transform_stmts(block, &mut |stmt| {
        let Some((row, other)) = accumulating_value(stmt, variable) else { return };
        let (Some(add), Some(negate), "subtract") = (find("add"), find("negate"), row.name) else { return };
        let (other, span) = (other.clone(), stmt.span);
        if let StmtKind::Assign { value, .. } = &mut stmt.kind {
            let ty = value.ty.clone();
            let negated = build::apply(negate, vec![other], ty.clone(), span);
            let this = build::local(variable, ty.clone(), span);
            *value = build::apply(add, vec![this, negated], ty, span);
        }
    });
}

/// The statement that launches a kernel with host variables as arguments.
pub(super) fn launch(
    kernels: &mut NewKernels,
    kernel: Kernel,
    args: &[VarId],
    results: Vec<Option<VarId>>,
    dims: Vec<Expr>,
    host: &Body,
    span: Span,
) -> Stmt {
    let body = &kernel.body;
    let mode = if kernel.parallel { LaunchMode::Parallel } else { LaunchMode::Serial };
    // Parameters are less exact about sizes than the variables that are passed.
    let convert = |(variable, param): (&VarId, &VarId)| {
        build::convert(host.read(*variable, span), &body.variables[*param].ty)
    };
    let args = args.iter().zip(&body.params).map(convert).collect();
    let kernel = kernels.push(kernel);
    Stmt::new(StmtKind::Launch { kernel, dims: Dims::Each(dims), block: None, args, results, mode }, span)
}

/// What a kernel made from a function at a line is called: a valid identifier.
pub fn kernel_name(function: &str, line: u32) -> String {
    let function: String =
        function.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("opt__{}_line{line}", function.trim_start_matches('_'))
}

/// Whether statements may store elements, or call who does.
pub fn may_store(block: &[Stmt]) -> bool {
    let mut found = !stored_in(block).is_empty();
    visit_stmts(block, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Call { .. }));
    found
}

/// Whether the bounds of a loop are computed of elements of arrays.
pub fn loads_elements(range: &Range) -> bool {
    [Some(&range.from), range.step.as_ref(), Some(&range.to)].into_iter().flatten().any(reads_elements)
}

/// Whether a value is computed of elements of arrays, one by one or all.
pub fn reads_elements(value: &Expr) -> bool {
    let mut found = false;
    visit(value, &mut |e| {
        found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Reduce { .. } | ExprKind::Library { .. });
    });
    found
}

/// Whether expressions read variables that a block sets.
pub fn depends_on(range: &Range, variables: &VarSet) -> bool {
    let mut found = false;
    let mut look = |expr: &Expr| {
        visit(expr, &mut |e| {
            if let ExprKind::Local(variable) = e.kind {
                found |= variables.contains(&variable);
            }
        });
    };
    look(&range.from);
    range.step.iter().for_each(&mut look);
    look(&range.to);
    found
}
