//! Takes functions out of a program that nobody calls any more.

use crate::ids::{Arena, IdSet};
use crate::ir::rewrite::{transform_block, transform_stmts, visit_block, visit_stmts};
use crate::ir::{Block, ExprKind, Function, FunctionId, Program, StmtKind};
use std::collections::BTreeMap;

/// Removes those of the candidates that nothing refers to.
pub(super) fn remove(program: &mut Program, candidates: &IdSet<Function>) {
    let mut needed = IdSet::new();
    let mut open: Vec<FunctionId> = program.functions.ids().filter(|id| !candidates.contains(id)).collect();
    open.extend(program.exports.iter().map(|export| export.function));
    open.extend(program.initializer.iter().chain(&program.main));
    program.kernels.iter().for_each(|(_, kernel)| open.extend(referred(&kernel.body.block)));
    while let Some(id) = open.pop() {
        if needed.insert(id) {
            open.extend(referred(&program.functions[id].body.block));
        }
    }
    if program.functions.ids().all(|id| needed.contains(&id)) {
        return;
    }
    let mut places = BTreeMap::new();
    let mut kept = Arena::default();
    for (id, function) in program.functions.iter() {
        if needed.contains(&id) {
            places.insert(id, kept.push(function.clone()));
        }
    }
    program.functions = kept;
    let place = |id: &mut FunctionId| *id = places.get(id).copied().unwrap_or(*id);
    for id in program.functions.ids() {
        rename(&mut program.functions[id].body.block, &place);
    }
    for id in program.kernels.ids() {
        rename(&mut program.kernels[id].body.block, &place);
    }
    program.exports.iter_mut().for_each(|export| place(&mut export.function));
    program.initializer.iter_mut().chain(&mut program.main).for_each(place);
}

fn referred(block: &[crate::ir::Stmt]) -> Vec<FunctionId> {
    let mut found = Vec::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind {
            found.push(*function);
        }
    });
    visit_block(block, &mut |e| {
        if let ExprKind::Function { function, .. } = e.kind {
            found.push(function);
        }
    });
    found
}

fn rename(block: &mut Block, place: &impl Fn(&mut FunctionId)) {
    transform_stmts(block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &mut stmt.kind {
            place(function);
        }
    });
    transform_block(block, &mut |e| {
        if let ExprKind::Function { function, .. } = &mut e.kind {
            place(function);
        }
    });
}
