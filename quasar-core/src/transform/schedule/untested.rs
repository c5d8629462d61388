//! Versions of kernels for the processor that test no indices, for launches that stay inside their arrays:
//!
//! ```text
//!                                              if size(b,0) - n >= 0 && ..
//! parallel_do([M, N], a, b, c, n, k)    =>         parallel_do([M, N], a, b, c, n, k_inside)
//!     for j = 0..n-1                           else
//!         .. b[j,pos.1] ..                         parallel_do([M, N], a, b, c, n, k)
//! ```
//!
//! A test in a loop costs more than what most loops compute, and keeps them from becoming vectors. The conditions are those of the
//! versions for devices ([`loop_versioning`](super::loop_versioning)). Sums of products have forms of their own, with their own tests.

use super::contraction;
use super::loop_versioning::launch_version;
use crate::analysis::param_aliasing;
use crate::ir::affine::{AffineForm, Conditions, Symbol};
use crate::ir::build::{self, and, row};
use crate::ir::merged::free_name;
use crate::ir::numbers::NodeNumbers;
use crate::ir::rewrite::{operands, operands_mut, transform, transform_stmts, variables, visit, visit_stmts};
use crate::ir::schedule::Schedule;
use crate::ir::versions::{AccessFacts, CodeVersion, IndexFact};
use crate::ir::{
    Block, Body, Expr, ExprKind, Index, Kernel, KernelId, LaunchMode, Program, Stmt, StmtKind, VarId, VarSet,
};
use crate::source::Span;
use crate::target::cpu::{UNTESTED_CONDITIONS, UNTESTED_NODES};
use crate::transform::tables::launches::{Parts, double, launched, offered, parts, replace_each};
use crate::types::{Boundary, ElementType};
use std::collections::{BTreeMap, BTreeSet};

/// A version of a kernel, and the launches that it is for.
struct Version {
    kernel: KernelId,
    params: Vec<VarId>,
    conditions: Conditions,
}

/// Changes the launches of a program.
pub(super) fn run(program: &mut Program) {
    let mut made = BTreeMap::new();
    for id in launched(program) {
        if let Some((kernel, conditions)) = version(program, id) {
            let params = kernel.body.params.clone();
            made.insert(id, Version { kernel: program.kernels.push(kernel), params, conditions });
        }
    }
    if made.is_empty() {
        return;
    }
    replace_each(program, |body, stmt| changed(body, stmt, &made));
}

/// The launch on a device, else that of the version if its conditions hold, else as it was.
fn changed(body: &mut Body, stmt: &Stmt, made: &BTreeMap<KernelId, Version>) -> Option<Block> {
    let parts = parts(stmt)?;
    let version = made.get(&parts.kernel)?;
    let (mut out, dims, ran) = offered(body, &parts, stmt.span);
    let holds = condition(version, &parts, &dims, stmt.span)?;
    let launch = |kernel| {
        let how = (parts.results.to_vec(), LaunchMode::Parallel);
        vec![parts.launch(kernel, &dims, parts.args.to_vec(), how, stmt.span)]
    };
    let here = build::choice(holds, launch(version.kernel), launch(parts.kernel), stmt.span);
    out.push(build::choice(ran, Block::new(), vec![here], stmt.span));
    Some(out)
}

/// The conditions for a launch, in doubles: sums of extents may be larger than integers.
fn condition(version: &Version, parts: &Parts<'_>, dims: &[Expr], span: Span) -> Option<Expr> {
    let ty = build::scalar_type(ElementType::Double);
    let arg = |v: &VarId| parts.args.get(version.params.iter().position(|param| param == v)?);
    let value = |symbol: &Symbol| {
        Some(match symbol {
            Symbol::Launch(axis) => dims.get(*axis)?.clone(),
            Symbol::Value(v) => arg(v)?.clone(),
            Symbol::Extent(v, axis) => build::extent(arg(v)?.clone(), *axis, span),
            Symbol::Position(_) => return None,
        })
    };
    let sum = |sum: &AffineForm| {
        let mut total = double(sum.constant as f64, span);
        for (symbol, factor) in &sum.terms {
            let term = build::convert(value(symbol)?, &ty);
            let term =
                build::apply(row("multiply"), vec![double(*factor as f64, span), term], ty.clone(), span);
            total = build::apply(row("add"), vec![total, term], ty.clone(), span);
        }
        Some(build::apply(row("greater_equal"), vec![total, double(0.0, span)], build::int_type(), span))
    };
    version.conditions.sums().map(sum).collect::<Option<Vec<_>>>()?.into_iter().reduce(and)
}

/// The version of a kernel without tests, if that pays.
fn version(program: &Program, id: KernelId) -> Option<(Kernel, Conditions)> {
    let kernel = &program.kernels[id];
    let fits = kernel.parallel && !kernel.aliased && kernel.schedule.ranks.is_none();
    if !fits || !has_tests(&kernel.body.block) || nodes(&kernel.body.block) > UNTESTED_NODES {
        return None;
    }
    if contraction::choose(program, kernel).is_some() {
        return None;
    }
    let found = launch_version(program, kernel);
    let conditions = found.launch.clone();
    if conditions.is_empty() || conditions.sums().count() > UNTESTED_CONDITIONS {
        return None;
    }
    let mut inside = kernel.clone();
    untest(&mut inside.body.block, &found);
    if has_tests(&inside.body.block) {
        return None;
    }
    inside.name = free_name(program, &kernel.name);
    inside.schedule = Schedule {
        conflicts: Some(param_aliasing::conflicts(program, kernel)),
        untested: Some(kernel.shown_name().to_owned()),
        ..Schedule::default()
    };
    Some((inside, conditions))
}

fn nodes(block: &Block) -> usize {
    let mut nodes = 0;
    visit_stmts(block, &mut |stmt| operands(stmt, &mut |e| visit(e, &mut |_| nodes += 1)));
    nodes
}

/// Whether loops test indices that follow their variables across rows. Loops along rows have versions of their own, and so have windows,
/// whose loops have known bounds.
fn has_tests(block: &Block) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        let StmtKind::For { variable, range, body, .. } = &stmt.kind else { return };
        if range.constant_count().is_some() {
            return;
        }
        let mut follows = VarSet::new();
        follows.insert(*variable);
        let tested = |index: &[Index], boundary: Boundary| {
            let along =
                |i: &Index| matches!(i, Index::At(e) if variables(e).iter().any(|v| follows.contains(&v)));
            boundary == Boundary::Checked && index.iter().any(along)
        };
        visit_stmts(body, &mut |stmt| {
            if let StmtKind::Store { index, boundary, .. } | StmtKind::Update { index, boundary, .. } =
                &stmt.kind
            {
                found |= tested(index, *boundary);
            }
            operands(stmt, &mut |e| {
                visit(e, &mut |e| {
                    if let ExprKind::Load { index, boundary, .. } = &e.kind {
                        found |= tested(index, *boundary);
                    }
                });
            });
        });
    });
    found
}

/// Drops the tests of accesses that the version knows to be in bounds.
fn untest(block: &mut Block, version: &CodeVersion) {
    let inside = inside(block, version);
    transform_stmts(block, &mut |stmt| {
        if let StmtKind::Store { index, boundary, .. } | StmtKind::Update { index, boundary, .. } =
            &mut stmt.kind
            && inside.contains(&index.as_ptr())
        {
            *boundary = Boundary::Unchecked;
        }
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Load { index, boundary, .. } = &mut e.kind
                    && inside.contains(&index.as_ptr())
                {
                    *boundary = Boundary::Unchecked;
                }
            });
        });
    });
}

/// The tested accesses whose indices are all in bounds, by the place of their indices.
fn inside(block: &Block, version: &CodeVersion) -> BTreeSet<*const Index> {
    let (numbers, mut found) = (NodeNumbers::of(block), BTreeSet::new());
    let mut note = |index: &Vec<Index>, boundary: Boundary| {
        let facts = numbers.access(index).and_then(|access| version.accesses.get(access));
        let all = matches!(facts, Some(AccessFacts::Indices(facts))
            if facts.len() == index.len() && facts.iter().all(|fact| *fact == IndexFact::InBounds));
        if all && boundary == Boundary::Checked {
            found.insert(index.as_ptr());
        }
    };
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { index, boundary, .. } | StmtKind::Update { index, boundary, .. } = &stmt.kind
        {
            note(index, *boundary);
        }
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                if let ExprKind::Load { index, boundary, .. } = &e.kind {
                    note(index, *boundary);
                }
            });
        });
    });
    found
}
