//! Module-level variables that are arrays of known numbers. Kernels cannot access module-level variables, so loops that
//! read such a one get its elements in a local variable of their function.
//!
//! ```text
//! for i = 0..n-1                       taps = [0.25, 0.5, 0.25]
//!     y[i] = .. taps[k] ..             for i = 0..n-1
//! endfor                                   y[i] = .. taps[k] ..
//! ```

use super::known::{Known, is_small, known};
use super::reading::{DEPTH, only_read};
use crate::ids::Arena;
use crate::ir::rewrite::{blocks_mut, transform_block, visit_block, visit_stmts};
use crate::ir::{
    Block, Body, Expr, ExprKind, Global, GlobalId, Program, Stmt, StmtKind, VarId, Variable, build,
};
use crate::message::Sink;
use crate::source::Span;
use crate::transform::PassContext;
use crate::types::Type;
use std::collections::BTreeMap;

/// Known values of module-level variables.
pub(super) type Globals = BTreeMap<GlobalId, Known>;

/// The module-level variables that are assigned once, to known arrays, and whose elements never change.
pub(super) fn known_globals(program: &Program) -> Globals {
    let mut found: BTreeMap<GlobalId, Option<Known>> = BTreeMap::new();
    if program.globals.iter().all(|(_, global)| !is_small(&global.ty)) {
        return Globals::new();
    }
    for (_, function) in program.functions.iter() {
        visit_stmts(&function.body.block, &mut |stmt| {
            let StmtKind::AssignGlobal { global, value } = &stmt.kind else { return };
            let array = match found.get(global) {
                None if is_small(&value.ty) => known(value, &|_| None),
                _ => None,
            };
            found.insert(*global, array);
        });
    }
    let constant = |id: &GlobalId| {
        let is = |e: &Expr| matches!(e.kind, ExprKind::Global(other) if other == *id);
        program.functions.iter().all(|(_, function)| only_read(program, &function.body.block, &is, DEPTH))
    };
    let known = found.into_iter().filter_map(|(id, array)| Some((id, array?)));
    known.filter(|(id, _)| constant(id)).collect()
}

/// Copies the elements into local variables for loops of host functions.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, _sink: &mut Sink) {
    let globals = known_globals(program);
    if globals.is_empty() {
        return;
    }
    for (_, function) in program.functions.iter_mut().filter(|(_, function)| !function.device) {
        let body = &mut function.body;
        let mut block = std::mem::take(&mut body.block);
        give(&mut block, body, &globals, &program.globals);
        body.block = block;
    }
}

fn give(block: &mut Block, body: &mut Body, globals: &Globals, all: &Arena<Global>) {
    let mut k = 0;
    while let Some(stmt) = block.get_mut(k) {
        k += 1;
        if !matches!(stmt.kind, StmtKind::For { .. } | StmtKind::ForEach { .. } | StmtKind::While { .. }) {
            blocks_mut(stmt, &mut |inner| give(inner, body, globals, all));
            continue;
        }
        let mut given: BTreeMap<GlobalId, VarId> = BTreeMap::new();
        let span = stmt.span;
        visit_block(std::slice::from_ref(stmt), &mut |e| {
            if let ExprKind::Global(global) = e.kind
                && globals.contains_key(&global)
            {
                given.entry(global).or_insert_with(|| {
                    body.variables.push(Variable::new(&all[global].name, e.ty.clone(), span))
                });
            }
        });
        transform_block(std::slice::from_mut(stmt), &mut |e| {
            if let ExprKind::Global(global) = e.kind
                && let Some(variable) = given.get(&global)
            {
                e.kind = ExprKind::Local(*variable);
            }
        });
        let values = given.iter().filter_map(|(global, variable)| {
            let ty = &all[*global].ty;
            Some(build::assign(*variable, build::convert(literal(&globals[global], ty, span)?, ty)))
        });
        let values: Vec<Stmt> = values.collect();
        let count = values.len();
        block.splice(k - 1..k - 1, values);
        k += count;
    }
}

/// A known array as a literal expression.
fn literal(known: &Known, ty: &Type, span: Span) -> Option<Expr> {
    let element = &ty.as_array()?.element;
    let mut items: Vec<Expr> = known
        .values
        .iter()
        .map(|value| Expr::new(ExprKind::Constant(*value), (**element).clone(), span))
        .collect();
    for axis in (0..known.sizes.len()).rev() {
        let sizes = known.sizes[axis..].iter().map(|size| Some(*size as u32)).collect();
        let ty = build::sized_type((**element).clone(), sizes);
        let row = |part: &[Expr]| Expr::new(ExprKind::Array(part.to_vec()), ty.clone(), span);
        items = items.chunks(known.sizes[axis]).map(row).collect();
    }
    items.pop()
}
