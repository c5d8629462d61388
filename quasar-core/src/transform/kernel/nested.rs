//! Nested launches, from kernels and device functions: each thread runs the positions of the nested kernel itself, in
//! order.

use super::tiling::for_each_round;
use crate::ir::barriers::{meets, waits};
use crate::ir::build::{self, element_of, int_type};
use crate::ir::inline;
use crate::ir::rewrite::{expand_stmts, operands_mut, transform, transform_stmts, visit_block, visit_stmts};
use crate::ir::{
    Block, Body, Coordinate, Dims, Expr, ExprKind, Kernel, KernelId, LaunchMode, Program, Stmt, StmtKind,
    Storage, VarId,
};
use crate::message::Sink;
use crate::source::Span;
use crate::transform::{PassContext, messages};
use crate::types::ElementType;
use quasar_devicelib::element::Scalar;
use std::collections::BTreeMap;

/// The deepest nesting of kernels.
const DEPTH: usize = 4;

/// Inlines nested kernels at their launches. What cannot be inlined stays, and the back ends refuse it.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    refuse(program, sink);
    for _ in 0..DEPTH {
        let kernels: BTreeMap<KernelId, Kernel> = nested(program);
        if kernels.is_empty() {
            return;
        }
        let mut expand = |body: &mut Body| {
            let mut block = std::mem::take(&mut body.block);
            expand_stmts(&mut block, &mut |stmt| {
                let made = visited(body, &kernels, &stmt);
                if let (Some(_), StmtKind::Launch { kernel, .. }) = (&made, &stmt.kind) {
                    sink.push(messages::nested(stmt.span, &kernels[kernel].name));
                }
                made.unwrap_or_else(|| vec![stmt])
            });
            body.block = block;
        };
        program.kernels.iter_mut().for_each(|(_, kernel)| expand(&mut kernel.body));
        let device = program.functions.iter_mut().filter(|(_, function)| function.device);
        device.for_each(|(_, function)| expand(&mut function.body));
    }
}

/// Refuses nested kernels that use more than their position, which a nested launch does not provide.
pub(in crate::transform) fn refuse(program: &Program, sink: &mut Sink) {
    launches(program, &mut |kernel, span| {
        if let Some(what) = more_than_position(&program.kernels[kernel]) {
            sink.push(messages::not_nested(span, &program.kernels[kernel].name, what));
        }
    });
}

/// Visits the launches in device code.
fn launches(program: &Program, f: &mut dyn FnMut(KernelId, Span)) {
    let device = program.functions.iter().filter(|(_, function)| function.device).map(|(_, f)| &f.body);
    for body in program.kernels.iter().map(|(_, kernel)| &kernel.body).chain(device) {
        visit_stmts(&body.block, &mut |stmt| {
            if let StmtKind::Launch { kernel, .. } = &stmt.kind {
                f(*kernel, stmt.span);
            }
        });
    }
}

/// The kernels that device code launches and that a single thread can run.
fn nested(program: &Program) -> BTreeMap<KernelId, Kernel> {
    let mut found = BTreeMap::new();
    launches(program, &mut |kernel, _| {
        if more_than_position(&program.kernels[kernel]).is_none() {
            found.insert(kernel, program.kernels[kernel].clone());
        }
    });
    found
}

/// What a kernel uses besides its position.
fn more_than_position(kernel: &Kernel) -> Option<&'static str> {
    if waits(&kernel.body.block) || kernel.body.variables.iter().any(|(_, v)| v.storage == Storage::Shared) {
        return Some("shares memory or waits at barriers");
    }
    if meets(&kernel.body.block) {
        return Some("uses a group of threads");
    }
    let mut found = None;
    visit_block(&kernel.body.block, &mut |e| {
        if matches!(e.kind, ExprKind::Coordinate(c, _) if !matches!(c, Coordinate::Position | Coordinate::WarpSize))
        {
            found = Some("asks for its block");
        }
    });
    found
}

/// The loops that replace a launch.
fn visited(body: &mut Body, kernels: &BTreeMap<KernelId, Kernel>, stmt: &Stmt) -> Option<Block> {
    let span = stmt.span;
    let StmtKind::Launch { kernel, dims: Dims::Each(dims), args, results, mode, .. } = &stmt.kind else {
        return None;
    };
    let kernel = kernels.get(kernel)?;
    if *mode == LaunchMode::Devices || dims.len() != kernel.rank {
        return None;
    }
    let mut out = Block::new();
    let mut map = inline::arguments(body, &kernel.body, args, &mut out)?;
    for result in &kernel.body.results {
        let ty = kernel.body.variables[*result].ty.clone();
        let zero = Scalar::zero(element_of(&ty).unwrap_or(ElementType::Int32));
        let inside = *map.entry(*result).or_insert_with(|| body.temporary(ty.clone(), span));
        out.push(build::assign(inside, Expr::new(ExprKind::Constant(zero), ty, span)));
    }
    let mut block = inline::code(body, &kernel.body, &mut map);
    let places: Vec<VarId> = dims.iter().map(|_| body.temporary(int_type(), span)).collect();
    transform_stmts(&mut block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Coordinate(Coordinate::Position, k) = e.kind {
                    *e = build::local(places[k], int_type(), e.span);
                }
            });
        });
    });
    let counts: Vec<Expr> = dims.iter().map(|dim| kept(body, dim, &mut out, span)).collect();
    for (place, count) in places.iter().zip(counts).rev() {
        block = vec![for_each_round(*place, count, std::mem::take(&mut block), span)];
    }
    out.append(&mut block);
    for (target, result) in results.iter().zip(&kernel.body.results) {
        if let (Some(target), Some(inside)) = (target, map.get(result)) {
            out.push(build::assign(*target, body.read(*inside, span)));
        }
    }
    Some(out)
}

fn kept(body: &mut Body, value: &Expr, out: &mut Block, span: Span) -> Expr {
    if value.constant_int().is_some() {
        return value.clone();
    }
    let variable = body.temporary(int_type(), span);
    out.push(build::assign(variable, value.clone()));
    body.read(variable, span)
}
