//! Variables of host functions that are declared `'shared`: in loops that become kernels because they are asked to, they
//! are memory of the blocks; elsewhere each iteration has them for itself.

use crate::ir::rewrite::{blocks, expand_stmts, operands, root, set_in, sets, variables, visit_stmts};
use crate::ir::{Block, Body, LoopMode, Scope, Stmt, StmtKind, Storage, VarId, VarSet};
use crate::message::Sink;
use crate::transform::messages;
use std::borrow::Cow;

/// Takes variables outside of parallel loops for what they are: nobody shares them.
pub(super) fn keep_to_themselves(body: &mut Body, sink: &mut Sink) {
    if !has_shared(body) {
        return;
    }
    let mut of_blocks = VarSet::new();
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::For { attributes, body, .. } = &stmt.kind
            && attributes.mode == LoopMode::Parallel
        {
            of_blocks.add(&set_in(body));
        }
    });
    for (id, variable) in body.variables.iter_mut() {
        if variable.storage == Storage::Shared && !of_blocks.contains(&id) {
            variable.storage = Storage::Local;
            sink.push(messages::nobody_shares(variable.span, &variable.name));
        }
    }
}

/// Whether a loop sets variables that its blocks share.
pub(super) fn shares_memory(stmt: &Stmt, body: &Body) -> bool {
    set_in(std::slice::from_ref(stmt)).iter().any(|v| body.variables[v].storage == Storage::Shared)
}

/// Statements without those that have to do with variables that are declared `'shared`, which a later pass judges.
pub(super) fn without_shared<'b>(block: &'b Block, body: &Body) -> Cow<'b, Block> {
    if !has_shared(body) {
        return Cow::Borrowed(block);
    }
    let mut copy = own_stores(block, body).into_owned();
    let shared = |v: &VarId| body.variables[*v].storage == Storage::Shared;
    expand_stmts(&mut copy, &mut |stmt| {
        let (mut uses, mut simple) = (false, true);
        operands(&stmt, &mut |e| uses |= variables(e).iter().any(|v| shared(&v)));
        blocks(&stmt, &mut |_| simple = false);
        let waits = matches!(stmt.kind, StmtKind::Barrier(Scope::Block));
        if uses && simple || waits { Vec::new() } else { vec![stmt] }
    });
    Cow::Owned(copy)
}

fn has_shared(body: &Body) -> bool {
    body.variables.iter().any(|(_, variable)| variable.storage == Storage::Shared)
}

/// Statements without those that set or store to variables that are declared `'shared`.
pub(super) fn own_stores<'b>(block: &'b Block, body: &Body) -> Cow<'b, Block> {
    if !has_shared(body) {
        return Cow::Borrowed(block);
    }
    let mut copy = block.clone();
    let shared = |v: &VarId| body.variables[*v].storage == Storage::Shared;
    expand_stmts(&mut copy, &mut |stmt| {
        let mut to_shared = false;
        sets(&stmt, &mut |v| to_shared |= shared(v));
        if let StmtKind::Store { array, .. } | StmtKind::Update { array, .. } = &stmt.kind {
            to_shared |= root(array).is_some_and(|v| shared(&v));
        }
        if to_shared { Vec::new() } else { vec![stmt] }
    });
    Cow::Owned(copy)
}
