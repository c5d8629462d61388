//! The kernels of a launch with tables: those that fill them, and the one that reads them.

use super::plan::Table;
use super::purity::{has_tested, is_tested};
use super::{Axes, Filling};
use crate::ir::prune::prune;
use crate::ir::rewrite::{children_mut, expand_stmts, operands_mut, read_in};
use crate::ir::{
    Accumulator, Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, KernelAttributes, KernelId, Stmt,
    StmtKind, VarId, Variable, build,
};
use crate::source::Span;
use crate::types::known::scalar;
use crate::types::{Boundary, ElementType};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// The kernel with this code, which reads tables.
pub(super) fn reading(kernel: &Kernel, block: Block, tables: &[Table]) -> Kernel {
    let mut reading = kernel.clone();
    reading.body.block = block;
    for table in tables {
        let array = Variable { constant: true, ..Variable::new("$table", table.ty(), kernel.span) };
        let array = reading.body.variables.push(array);
        reading.body.params.push(array);
    }
    reading
}

/// The kernel that fills the tables with these axes.
pub(super) fn filling(kernel: &Kernel, tables: &[Table], axes: Axes) -> (Kernel, Filling) {
    let numbered: Vec<(usize, &Table)> =
        tables.iter().enumerate().filter(|(_, table)| table.axes == axes).collect();
    let span = kernel.span;
    let mut body = Body { variables: kernel.body.variables.clone(), ..Body::default() };
    let needed: BTreeMap<usize, &Stmt> = numbered
        .iter()
        .flat_map(|(_, table)| table.needed.iter().map(|(order, stmt)| (*order, stmt)))
        .collect();
    body.block = needed.into_values().cloned().collect();
    let mut arrays = Vec::new();
    for (_, table) in &numbered {
        let array = body.variables.push(Variable::new("$table", table.ty(), span));
        body.block.push(store(array, table, span));
        arrays.push(array);
    }
    let read = read_in(&body.block);
    let args: Vec<usize> =
        (0..kernel.body.params.len()).filter(|k| read.contains(&kernel.body.params[*k])).collect();
    body.params = args.iter().map(|k| kernel.body.params[*k]).chain(arrays).collect();
    let tests = has_tested(&body.block);
    if tests {
        let failed = body.variables.push(Variable::new("$failed", build::int_type(), span));
        body.results.push(failed);
        test_conversions(&mut body.block, failed);
    }
    prune(&mut body);
    let row = find("max").filter(|_| tests);
    let accumulators = row.into_iter().map(|row| Accumulator { variable: body.results[0], row }).collect();
    let first = numbered[0].1;
    let filling = Filling {
        // Known when it is part of the program.
        kernel: KernelId::new(0),
        args,
        tables: numbered.iter().map(|(k, _)| *k).collect(),
        loops: first.loops.clone(),
        position: first.position,
        tests,
    };
    let filled = Kernel {
        name: String::new(),
        rank: first.loops.len() + usize::from(first.position.is_some()),
        body,
        accumulators,
        attributes: KernelAttributes::default(),
        divisible: false,
        strip: None,
        // That of the kernel stands for all its versions, whose blocks have as many components.
        span: first.value.span,
        ..kernel.clone()
    };
    (filled, filling)
}

/// Writes the element of a table that belongs to the position.
fn store(array: VarId, table: &Table, span: Span) -> Stmt {
    let ty = table.ty();
    let rank = table.loops.len() + usize::from(table.position.is_some());
    let at = |axis| Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), span);
    let index = (0..rank).map(at).map(Index::At).collect();
    let (array, value) = (build::local(array, ty, span), table.value.clone());
    Stmt::new(StmtKind::Store { array, index, boundary: Boundary::Unchecked, value }, span)
}

/// Tests conversions before the statements that hold them, and converts zero where one would fail.
fn test_conversions(block: &mut Block, failed: VarId) {
    expand_stmts(block, &mut |mut stmt| {
        let mut tests = Vec::new();
        operands_mut(&mut stmt, &mut |e| test(e, failed, &mut tests));
        tests.push(stmt);
        tests
    });
}

fn test(e: &mut Expr, failed: VarId, tests: &mut Vec<Stmt>) {
    children_mut(e, &mut |child| test(child, failed, tests));
    let tested = is_tested(e);
    let ExprKind::Convert(inner) = &mut e.kind else { return };
    let Some(float) = scalar(&inner.ty).filter(|_| tested) else { return };
    let span = inner.span;
    let number = |value: f64| {
        let value = if float == ElementType::Single { Scalar::F32(value as f32) } else { Scalar::F64(value) };
        Expr::new(ExprKind::Constant(value), build::scalar_type(float), span)
    };
    let compare = |name: &str, a: Expr, b: Expr| {
        find(name).map(|row| build::apply(row, vec![a, b], build::int_type(), span))
    };
    let low = compare("greater_equal", (**inner).clone(), number(-2_147_483_648.0));
    let high = compare("less", (**inner).clone(), number(2_147_483_648.0));
    let (Some(low), Some(high)) = (low, high) else { return };
    let fits = Expr::new(ExprKind::And(Box::new(low), Box::new(high)), build::int_type(), span);
    let (old, one) = (build::local(failed, build::int_type(), span), build::int(1, span));
    tests.push(build::assign(failed, build::select(fits.clone(), old, one)));
    **inner = build::select(fits, (**inner).clone(), number(0.0));
}
