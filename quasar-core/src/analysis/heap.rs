//! Arrays that threads allocate, and their lifetimes: allocations of a loop iteration, or of a called function, can be freed
//! together if no array escapes.

use super::access_pattern::DEPTH;
use crate::ids::{Arena, IdSet};
use crate::ir::numbers::NodeNumbers;
use crate::ir::rewrite::{free_variables, operands, set_in, sets, visit, visit_stmts};
use crate::ir::schedule::{HeapScopes, ThreadHeap};
use crate::ir::{Block, Body, ExprKind, Function, Program, Stmt, StmtKind, Storage, VarId, VarSet};
use crate::types::known::on_heap;
use std::collections::BTreeMap;

/// Whether a variable is an array that its thread allocates.
pub fn is_heap_array(body: &Body, variable: VarId) -> bool {
    let declared = &body.variables[variable];
    on_heap(&declared.ty) && declared.storage == Storage::Local && !body.params.contains(&variable)
}

/// What the threads of a kernel allocate, also in the functions that they call.
pub fn of_threads(program: &Program, body: &Body) -> ThreadHeap {
    let used = makes(program, body, &body.block);
    let (mut functions, mut seen, mut open) = (BTreeMap::new(), IdSet::new(), vec![body]);
    while let Some(caller) = open.pop() {
        visit_stmts(&caller.block, &mut |stmt| {
            if let StmtKind::Call { function, .. } = &stmt.kind
                && seen.insert(*function)
            {
                let callee = &program.functions[*function].body;
                let found = scopes(program, callee, used);
                if found != HeapScopes::default() {
                    functions.insert(*function, found);
                }
                open.push(callee);
            }
        });
    }
    ThreadHeap { used, kernel: scopes(program, body, used), functions }
}

fn scopes(program: &Program, body: &Body, used: bool) -> HeapScopes {
    let arrays = body.variables.ids().filter(|v| is_heap_array(body, *v)).collect();
    if !used {
        return HeapScopes { arrays, ..HeapScopes::default() };
    }
    let (numbers, mut loops) = (NodeNumbers::of(&body.block), Vec::new());
    visit_stmts(&body.block, &mut |stmt| {
        if ends_with_round(program, body, stmt) {
            loops.extend(numbers.stmt(stmt));
        }
    });
    HeapScopes { arrays, loops, call: ends_with_call(program, body) }
}

/// Whether statements allocate such arrays, also in called functions.
fn makes(program: &Program, body: &Body, block: &[Stmt]) -> bool {
    set_in(block).iter().any(|v| is_heap_array(body, v)) || calls(&program.functions, block, DEPTH)
}

/// Whether statements call functions that allocate such arrays, looking `depth` calls deep.
pub fn calls(functions: &Arena<Function>, block: &[Stmt], depth: usize) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind
            && !found
        {
            let callee = &functions[*function].body;
            found = depth == 0
                || callee.variables.ids().any(|v| is_heap_array(callee, v))
                || calls(functions, &callee.block, depth - 1);
        }
    });
    found
}

/// Whether the allocations of an iteration can be freed at its end, and after the last one.
fn ends_with_round(program: &Program, body: &Body, stmt: &Stmt) -> bool {
    let inside = round(stmt);
    if !makes(program, body, &inside) {
        return false;
    }
    let made: VarSet = set_in(&inside).iter().filter(|v| is_heap_array(body, *v)).collect();
    let carried = free_variables(&inside);
    let (here, everywhere) = (std::slice::from_ref(stmt), &body.block);
    made.iter().all(|v| {
        !carried.contains(&v) && !body.results.contains(&v) && mentions(here, v) == mentions(everywhere, v)
    })
}

/// The statements that a loop repeats.
fn round(stmt: &Stmt) -> Block {
    match &stmt.kind {
        StmtKind::For { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::While { body, .. } => {
            body.clone()
        }
        StmtKind::Repeat { body, test, .. } => [body.as_slice(), test.as_slice()].concat(),
        _ => Block::new(),
    }
}

fn mentions(block: &[Stmt], variable: VarId) -> usize {
    let mut count = 0;
    visit_stmts(block, &mut |stmt| {
        sets(stmt, &mut |v| count += usize::from(*v == variable));
        operands(stmt, &mut |e| {
            visit(e, &mut |e| count += usize::from(matches!(e.kind, ExprKind::Local(v) if v == variable)));
        });
    });
    count
}

/// Whether the allocations of a called function can be freed when it returns.
fn ends_with_call(program: &Program, callee: &Body) -> bool {
    makes(program, callee, &callee.block) && !callee.results.iter().any(|r| on_heap(&callee.variables[*r].ty))
}
