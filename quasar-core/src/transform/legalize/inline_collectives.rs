//! Device functions in which threads do something together, such as exchange values or wait for each other, are put in the place
//! of their calls: only kernels know who the threads are.

use crate::ir::build;
use crate::ir::dataflow::fixpoint;
use crate::ir::inline;
use crate::ir::rewrite::{expand_stmts, visit_stmts};
use crate::ir::{Body, Function, FunctionId, Program, Stmt, StmtKind, is_warp_function};
use crate::message::{Message, Sink};
use crate::transform::PassContext;
use std::collections::BTreeMap;

/// Functions that call each other so deep are taken for recursive.
const DEPTH: usize = 16;

/// Puts them in the place of all calls.
pub(in crate::transform) fn run(program: &mut Program, _: &PassContext<'_>, sink: &mut Sink) {
    let functions = collectives(program);
    if functions.is_empty() {
        return;
    }
    for _ in 0..DEPTH {
        let mut found = false;
        for (_, kernel) in program.kernels.iter_mut() {
            let mut block = std::mem::take(&mut kernel.body.block);
            expand_stmts(&mut block, &mut |stmt| match expanded(&mut kernel.body, &functions, &stmt) {
                Some(made) => {
                    found = true;
                    made
                }
                None => vec![stmt],
            });
            kernel.body.block = block;
        }
        if !found {
            break;
        }
    }
    for (_, kernel) in program.kernels.iter() {
        visit_stmts(&kernel.body.block, &mut |stmt| {
            if let StmtKind::Call { function, .. } = &stmt.kind
                && let Some(callee) = functions.get(function)
            {
                let name = &callee.source_name;
                let what = format!("this call of '{name}', whose threads do something together");
                sink.push(Message::not_supported(stmt.span, what));
            }
        });
    }
    // Nobody calls them any more.
    for id in functions.keys() {
        program.functions[*id].body = Body::default();
    }
}

/// The functions, with those that call them.
fn collectives(program: &Program) -> BTreeMap<FunctionId, Function> {
    fixpoint(BTreeMap::new(), |found: &mut BTreeMap<FunctionId, Function>| {
        for (id, function) in program.functions.iter().filter(|(_, function)| function.device) {
            let mut is_one = false;
            visit_stmts(&function.body.block, &mut |stmt| {
                is_one |= is_warp_function(stmt) || matches!(stmt.kind, StmtKind::Barrier(_));
                is_one |=
                    matches!(&stmt.kind, StmtKind::Call { function, .. } if found.contains_key(function));
            });
            if is_one && !found.contains_key(&id) {
                found.insert(id, function.clone());
            }
        }
    })
}

/// What a call does.
fn expanded(body: &mut Body, functions: &BTreeMap<FunctionId, Function>, stmt: &Stmt) -> Option<Vec<Stmt>> {
    let StmtKind::Call { function, args, results } = &stmt.kind else { return None };
    let callee = functions.get(function)?;
    let mut out = Vec::new();
    let mut map = inline::arguments(body, &callee.body, args, &mut out)?;
    out.append(&mut inline::code(body, &callee.body, &mut map));
    for (target, result) in results.iter().zip(&callee.body.results) {
        if let (Some(target), Some(inside)) = (target, map.get(result))
            && target != inside
        {
            let ty = body.variables[*target].ty.clone();
            out.push(build::assign(*target, build::convert(body.read(*inside, stmt.span), &ty)));
        }
    }
    Some(out)
}
