//! Loops that call functions: where the code of these makes the loop a kernel it takes the place of the calls, so that a function need
//! not say that it is for devices, and what it reads and writes is known to the dependence test.
//!
//! ```text
//! for k = 1..n                             launch k = 1..n
//!     y[k] = f(x, k)            =>             y[k] = x[k-1] + x[k+1]
//! endfor
//! ```

use super::draws::is_draw;
use super::{Pass, Sink};
use crate::analysis::aliases::sources;
use crate::ids::IdSet;
use crate::ir::rewrite::{expand_stmts, free_variables, rename, set_in, sets, visit_block, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Function, FunctionId, Program, Stmt, StmtKind, VarId, VarSet};
use crate::settings::Inlining;
use crate::target::any::{INLINED_NODES, LOOP_NODES};
use crate::transform::inlining::{Call, called, callees_first, is_plain, size};
use crate::transform::{known_sizes, messages};
use crate::types::Type;
use crate::types::known::on_heap;
use std::collections::BTreeMap;

/// The code of functions that loops call, as it was before any loop became a kernel.
pub(super) struct Callees(BTreeMap<FunctionId, Function>);

impl Callees {
    /// The functions that loops of the host call, also through others, and whose code may stand elsewhere.
    pub(super) fn of(program: &Program) -> Callees {
        let (order, recursive) = callees_first(program);
        let mut wanted = IdSet::new();
        for (_, function) in program.functions.iter().filter(|(_, function)| !function.device) {
            visit_stmts(&function.body.block, &mut |stmt| {
                if let StmtKind::For { body, .. }
                | StmtKind::While { body, .. }
                | StmtKind::Repeat { body, .. } = &stmt.kind
                {
                    wanted.extend(called(body));
                }
            });
        }
        let mut found = BTreeMap::new();
        for id in order.into_iter().rev() {
            let function = &program.functions[id];
            if !wanted.contains(&id) {
                continue;
            }
            wanted.extend(called(&function.body.block));
            if !recursive.contains(&id) && may_be_inlined(function) {
                found.insert(id, function.clone());
            }
        }
        Callees(found)
    }

    /// Whether code takes the place of a call: of one of a host function, or of one that gets a whole array.
    fn takes_place_of(&self, stmt: &Stmt) -> bool {
        let StmtKind::Call { function, args, .. } = &stmt.kind else { return false };
        let callee = self.0.get(function);
        callee.is_some_and(|callee| !callee.device || args.iter().any(|arg| on_heap(&arg.ty)))
    }

    /// The loop with code in the place of its calls; nothing where some stay, or there is too much. Variables from `first` on are its
    /// own.
    pub(super) fn in_place(
        &self,
        stmt: Stmt,
        first: usize,
        body: &mut Body,
        sink: &mut Sink,
    ) -> Option<Stmt> {
        let mut block = vec![stmt];
        let mut left = true;
        while left {
            left = false;
            expand_stmts(&mut block, &mut |stmt| {
                if !self.takes_place_of(&stmt) {
                    return vec![stmt];
                }
                let Some((code, name)) = self.code(&stmt, body) else { return vec![stmt] };
                sink.push(messages::inlined(stmt.span, name));
                left = true;
                code
            });
            if size(&block) > LOOP_NODES {
                return None;
            }
        }
        let mut calls = false;
        visit_stmts(&block, &mut |stmt| calls |= self.takes_place_of(stmt));
        if calls {
            return None;
        }
        known_sizes::propagate(&mut block, body, first);
        block.pop()
    }

    fn code(&self, stmt: &Stmt, body: &mut Body) -> Option<(Block, &str)> {
        let StmtKind::Call { function, args, results } = &stmt.kind else { return None };
        let callee = self.0.get(function)?;
        let before = body.variables.len();
        let mut code = Call { callee: &callee.body, args, device: false, refined: true }.code(body)?;
        for (target, value) in results.iter().zip(code.results) {
            let Some(target) = *target else { continue };
            // A result that is a variable of the caller is another name for it, or changes before it is read.
            let made = match value.kind {
                ExprKind::Local(made) if made.index() >= before => made,
                _ => return None,
            };
            if may_be_renamed(&code.block, made, target, body) {
                rename(&mut code.block, &mut |variable| if variable == made { target } else { variable });
            } else {
                let value = if names_no_arrays(&callee.body.block) { unshared(value) } else { value };
                let kind = StmtKind::Assign { variable: target, value };
                code.block.push(Stmt::new(kind, stmt.span));
            }
        }
        Some((code.block, &callee.source_name))
    }
}

/// Gives a loop variables of its own for the arrays that nothing else uses, so that their types may change.
pub(super) fn own_variables(block: &mut Block, body: &mut Body, after: &VarSet) {
    let outside = after.union(&free_variables(block));
    let mut own = BTreeMap::new();
    for variable in set_in(block).iter().filter(|v| !outside.contains(v)) {
        if on_heap(&body.variables[variable].ty) {
            own.insert(variable, body.variables.push(body.variables[variable].clone()));
        }
    }
    rename(block, &mut |variable| own.get(&variable).copied().unwrap_or(variable));
}

/// Whether a variable of inlined code may be the one that gets its value.
fn may_be_renamed(block: &Block, made: VarId, target: VarId, body: &Body) -> bool {
    let mut mentioned = false;
    visit_block(block, &mut |e| mentioned |= matches!(e.kind, ExprKind::Local(v) if v == target));
    visit_stmts(block, &mut |stmt| sets(stmt, &mut |v| mentioned |= *v == target));
    !mentioned && body.variables[made].ty == body.variables[target].ty
}

/// A small array that was a variable's: kernels keep such as values, which have no second name.
pub(super) fn unshared(value: Expr) -> Expr {
    let is_array = matches!(value.ty, Type::Array(_)) && !on_heap(&value.ty);
    if !is_array {
        return value;
    }
    let (ty, span) = (value.ty.clone(), value.span);
    Expr::new(ExprKind::Library { name: "copy", args: vec![value] }, ty, span)
}

/// Whether no variable becomes another name for an array.
fn names_no_arrays(block: &Block) -> bool {
    let mut named = Vec::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Assign { value, .. } = &stmt.kind
            && matches!(value.ty, Type::Array(_))
        {
            sources(value, &mut named);
        }
    });
    named.is_empty()
}

/// Whether the code of a function may stand in a loop. Arrays in memory have no second names in it, which tests of aliases would not
/// know.
fn may_be_inlined(function: &Function) -> bool {
    let body = &function.body;
    let mut plain = size(&body.block) <= INLINED_NODES && is_plain(function);
    visit_stmts(&body.block, &mut |stmt| match &stmt.kind {
        StmtKind::Assign { value, .. } if on_heap(&value.ty) => {
            let mut named = Vec::new();
            sources(value, &mut named);
            plain &= named.is_empty();
        }
        StmtKind::Library { name, .. } if is_draw(name) => {}
        StmtKind::Library { .. } | StmtKind::Launch { .. } | StmtKind::CallValue { .. } => plain = false,
        _ => {}
    });
    plain
}

impl Pass<'_> {
    /// The kernel that a loop is with the code of the functions that it calls; nothing where it is none.
    pub(super) fn with_inlined_calls(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Block> {
        let StmtKind::For { body, attributes, .. } = &stmt.kind else { return None };
        if !self.may_be_kernel(attributes.mode) || self.context.inlining == Inlining::Never {
            return None;
        }
        let mut calls = false;
        visit_stmts(body, &mut |stmt| calls |= self.callees.takes_place_of(stmt));
        if !calls {
            return None;
        }
        self.attempt(|this| {
            let (mut own, first) = (vec![stmt.clone()], this.body.variables.len());
            own_variables(&mut own, this.body, after);
            let inlined = this.callees.in_place(own.pop()?, first, this.body, this.sink)?;
            Some(this.with_own_bounds(inlined, after))
        })
    }
}
