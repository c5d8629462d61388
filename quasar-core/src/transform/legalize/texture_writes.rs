//! Kernels that write to textures: what a launch reads is what was there before it (language reference §8.7).
//!
//! `k(x : mat'hwtex_nearest)` that reads and writes `x` gets the array as it was as one more parameter, from which it reads;
//! `parallel_do(d, a, k)` becomes `$t = copy(a); parallel_do(d, a, $t, k)`.

use super::copy_in_out::{Written, call_of, names_in};
use crate::ir::rewrite::{
    expand_stmts, operands_mut, rename_expr, root, transform_stmts, visit_block, visit_stmts,
};
use crate::ir::{Body, Expr, ExprKind, KernelId, Program, Stmt, StmtKind, VarId, VarSet};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::transform::PassContext;
use std::collections::BTreeMap;

/// Gives kernels and launches what they need.
pub(in crate::transform) fn run(program: &mut Program, _: &PassContext<'_>, sink: &mut Sink) {
    let textures = textures(program);
    if textures.is_empty() {
        return;
    }
    let written = Written::of(program);
    let touched = |kernel: KernelId, position: usize| {
        let body = &program.kernels[kernel].body;
        body.params.get(position).is_some_and(|param| written.touched(body).contains(param))
    };
    let surfaces: Vec<(KernelId, usize)> =
        textures.iter().copied().filter(|(kernel, position)| touched(*kernel, *position)).collect();
    let mut copies: BTreeMap<KernelId, Vec<usize>> = BTreeMap::new();
    for (kernel, position) in surfaces {
        let body = &mut program.kernels[kernel].body;
        let param = body.params[position];
        if let Some((span, what)) = refused(body, param, &written) {
            sink.push(Message::not_supported(span, what));
        } else if reads(body, param) {
            read_from_copy(body, param);
            copies.entry(kernel).or_default().push(position);
        }
        program.kernels[kernel].body.variables[param].constant = false;
    }
    for function in program.functions.ids() {
        copy_at_launches(&mut program.functions[function].body, &copies);
    }
    for kernel in program.kernels.ids() {
        copy_at_launches(&mut program.kernels[kernel].body, &copies);
    }
}

/// The textures of kernels, as positions in their lists of parameters. From here on they are arrays like others.
fn textures(program: &mut Program) -> Vec<(KernelId, usize)> {
    let mut found = Vec::new();
    for (id, kernel) in program.kernels.iter_mut() {
        let textures = std::mem::take(&mut kernel.attributes.textures);
        let params = kernel.body.params.iter().enumerate().filter(|(_, param)| textures.contains(param));
        found.extend(params.map(|(position, _)| (id, position)));
    }
    found
}

/// Whether a statement stores elements of a parameter, under its own name.
fn is_store(stmt: &Stmt, param: VarId) -> bool {
    matches!(&stmt.kind, StmtKind::Store { array, .. } if matches!(array.kind, ExprKind::Local(v) if v == param))
}

/// Whether the elements are read.
fn reads(body: &Body, param: VarId) -> bool {
    let (mut all, mut stored) = (0, 0);
    visit_block(&body.block, &mut |e| all += usize::from(matches!(e.kind, ExprKind::Local(v) if v == param)));
    visit_stmts(&body.block, &mut |stmt| stored += usize::from(is_store(stmt, param)));
    all > stored
}

/// The first statement that writes to a texture in another way than by storing elements of it.
fn refused(body: &Body, param: VarId, written: &Written) -> Option<(Span, &'static str)> {
    let touched = written.touched(body);
    let mut found = None;
    visit_stmts(&body.block, &mut |stmt| {
        let names = |value: &Expr| {
            let mut names = VarSet::new();
            names_in(value, &mut names);
            names.contains(&param)
        };
        let what = match &stmt.kind {
            StmtKind::Update { array, .. } | StmtKind::Exchange { array, .. } => {
                (root(array) == Some(param)).then_some("changing an element of a texture in place")
            }
            StmtKind::Assign { variable, value } if touched.contains(variable) && *variable != param => {
                names(value).then_some("writing to a texture under another name")
            }
            _ => call_of(stmt).and_then(|(callee, args)| {
                let mut args = args.iter().enumerate();
                let writes = args.any(|(k, arg)| written.contains(callee, k) && names(arg));
                writes.then_some("a function that writes to a texture")
            }),
        };
        found = found.or(what.map(|what| (stmt.span, what)));
    });
    found
}

/// All that is read of a parameter is read of a new one, the last.
fn read_from_copy(body: &mut Body, param: VarId) {
    let mut copy = body.variables[param].clone();
    copy.name.push_str(" before the launch");
    let before = body.variables.push(copy);
    body.params.push(before);
    transform_stmts(&mut body.block, &mut |stmt| {
        let store = is_store(stmt, param);
        operands_mut(stmt, &mut |e| rename_expr(e, &mut |v| if v == param { before } else { v }));
        if let (true, StmtKind::Store { array, .. }) = (store, &mut stmt.kind) {
            array.kind = ExprKind::Local(param);
        }
    });
}

fn copy_at_launches(body: &mut Body, copies: &BTreeMap<KernelId, Vec<usize>>) {
    let mut block = std::mem::take(&mut body.block);
    expand_stmts(&mut block, &mut |mut stmt| {
        let span = stmt.span;
        let mut result = Vec::new();
        if let StmtKind::Launch { kernel, args, .. } = &mut stmt.kind {
            for position in copies.get(kernel).into_iter().flatten() {
                let Some(array) = args.get(*position).cloned() else { continue };
                let ty = array.ty.clone();
                let variable = body.temporary(ty.clone(), span);
                let value = Expr::new(ExprKind::Library { name: "copy", args: vec![array] }, ty, span);
                result.push(Stmt::new(StmtKind::Assign { variable, value }, span));
                args.push(body.read(variable, span));
            }
        }
        result.push(stmt);
        result
    });
    body.block = block;
}
