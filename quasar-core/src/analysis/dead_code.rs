//! Dead code elimination: removes statements whose values nothing live reads.
//!
//! A store is live if its array may be visible elsewhere: a parameter, a part of an object or a module-level variable,
//! the result of a call, or an alias of one of these.

use super::access_pattern::{DEPTH, changes};
use crate::ir::dataflow::{Facts, fixpoint};
use crate::ir::rewrite::{blocks, blocks_mut, operands, root, sets, variables, visit, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Program, Stmt, StmtKind, VarId, VarSet};
use crate::types::Type;
use crate::types::known::array_element;
use std::collections::BTreeMap;

/// Removes the code that neither results nor effects of a body need.
pub fn remove(program: &Program, body: &mut Body) {
    let code = Code { program, needed: body.results.iter().copied().collect(), groups: Groups::of(body) };
    let code = fixpoint(code, |code| code.need(&body.block));
    let mut block = std::mem::take(&mut body.block);
    code.sweep(&mut block);
    body.block = block;
}

struct Code<'c> {
    program: &'c Program,
    /// Variables read by live statements.
    needed: VarSet,
    groups: Groups,
}

impl Facts for Code<'_> {
    fn count(&self) -> usize {
        self.needed.len()
    }
}

impl Code<'_> {
    /// Adds the variables that live statements read. It goes backwards, so that one pass suffices outside loops.
    fn need(&mut self, block: &[Stmt]) {
        for stmt in block.iter().rev() {
            blocks(stmt, &mut |inner| self.need(inner));
            if self.is_of_use(stmt) {
                operands(stmt, &mut |e| self.needed.add(&variables(e)));
            }
        }
    }

    fn sweep(&self, block: &mut Block) {
        block.retain(|stmt| self.is_of_use(stmt));
        for stmt in block {
            if let StmtKind::Call { results, .. } = &mut stmt.kind {
                for result in results {
                    *result = result.filter(|v| self.needed.contains(v));
                }
            }
            blocks_mut(stmt, &mut |inner| self.sweep(inner));
        }
    }

    fn is_of_use(&self, stmt: &Stmt) -> bool {
        let mut is_read = false;
        sets(stmt, &mut |v| is_read |= self.needed.contains(v));
        match &stmt.kind {
            StmtKind::Assign { .. } => is_read,
            StmtKind::Store { array, .. }
            | StmtKind::Update { array, .. }
            | StmtKind::Exchange { array, .. } => {
                is_read || root(array).is_none_or(|array| self.is_seen(array))
            }
            StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::ForEach { .. }
            | StmtKind::Strips { .. } => {
                let mut found = false;
                blocks(stmt, &mut |inner| found |= inner.iter().any(|stmt| self.is_of_use(stmt)));
                found
            }
            StmtKind::Launch { kernel, args, .. } => {
                let kernel = &self.program.kernels[*kernel].body;
                let seen = |(arg, param): (&Expr, &VarId)| {
                    changes(self.program, &kernel.block, *param, DEPTH)
                        && root(arg).is_none_or(|array| self.is_seen(array))
                };
                is_read
                    || !self.only_computes(&kernel.block, DEPTH)
                    || args.iter().zip(&kernel.params).any(seen)
            }
            StmtKind::Call { function, args, .. } => {
                let callee = &self.program.functions[*function].body;
                let seen = |(arg, param): (&Expr, &VarId)| {
                    changes(self.program, &callee.block, *param, DEPTH)
                        && root(arg).is_none_or(|array| self.is_seen(array))
                };
                // The function that is being processed has an empty body at the moment.
                let unknown = callee.block.is_empty();
                unknown
                    || is_read
                    || !self.only_computes(&callee.block, DEPTH)
                    || args.iter().zip(&callee.params).any(seen)
            }
            // Loops of unknown length may not terminate, and jumps decide what executes.
            StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Break { .. }
            | StmtKind::Continue { .. }
            | StmtKind::Try { .. }
            | StmtKind::AssignGlobal { .. }
            | StmtKind::SetMember { .. }
            | StmtKind::CallValue { .. }
            | StmtKind::Library { .. }
            | StmtKind::Fail { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Shared { .. }
            | StmtKind::Barrier(_)
            | StmtKind::Fence(_) => true,
        }
    }

    /// Whether elements of an array may be read from outside, or by live statements.
    fn is_seen(&self, array: VarId) -> bool {
        let group = self.groups.find(array);
        self.groups.outside.contains(&group) || self.needed.iter().any(|v| self.groups.find(v) == group)
    }

    /// Whether a kernel or function has no effects except computing and writing to its array arguments.
    fn only_computes(&self, block: &[Stmt], depth: usize) -> bool {
        let mut only = depth > 0;
        visit_stmts(block, &mut |stmt| match &stmt.kind {
            StmtKind::Assert { .. }
            | StmtKind::Fail { .. }
            | StmtKind::Library { .. }
            | StmtKind::CallValue { .. }
            | StmtKind::AssignGlobal { .. }
            | StmtKind::SetMember { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Try { .. }
            | StmtKind::Launch { .. } => only = false,
            StmtKind::Call { function, .. } => {
                let callee = &self.program.functions[*function].body.block;
                only = only && !callee.is_empty() && self.only_computes(callee, depth - 1);
            }
            StmtKind::Store { array, .. }
            | StmtKind::Update { array, .. }
            | StmtKind::Exchange { array, .. } => {
                only &= array_element(&array.ty).is_some() && root(array).is_some();
            }
            _ => {}
        });
        only
    }
}

/// Alias classes of a body's variables, as a union-find forest.
struct Groups {
    parent: BTreeMap<VarId, VarId>,
    /// Classes that are visible outside the body.
    outside: VarSet,
}

impl Groups {
    fn of(body: &Body) -> Groups {
        let mut groups = Groups { parent: BTreeMap::new(), outside: VarSet::new() };
        let mut outside: Vec<VarId> = body.params.clone();
        visit_stmts(&body.block, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { variable, value } if !is_number(&body.variables[*variable].ty) => {
                if groups.join_parts(*variable, value, body) {
                    outside.push(*variable);
                }
            }
            StmtKind::Store { array, value, .. }
                if !is_number(&value.ty) && array_element(&array.ty).is_none() =>
            {
                if let Some(array) = root(array)
                    && groups.join_parts(array, value, body)
                {
                    outside.push(array);
                }
            }
            StmtKind::ForEach { variable, over, .. } if !is_number(&body.variables[*variable].ty) => {
                if groups.join_parts(*variable, over, body) {
                    outside.push(*variable);
                }
            }
            // A call may return anything that it can reach.
            _ => sets(stmt, &mut |v| {
                if !is_number(&body.variables[*v].ty) {
                    outside.push(*v);
                }
            }),
        });
        groups.outside = outside.into_iter().map(|v| groups.find(v)).collect();
        groups
    }

    fn find(&self, variable: VarId) -> VarId {
        let mut at = variable;
        while let Some(next) = self.parent.get(&at) {
            at = *next;
        }
        at
    }

    fn join(&mut self, a: VarId, b: VarId) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parent.insert(a, b);
        }
    }

    /// Unites a variable with all variables in its value, unless the value is a new array. Returns whether it may also
    /// alias something outside.
    fn join_parts(&mut self, variable: VarId, value: &Expr, body: &Body) -> bool {
        if is_new(value) {
            return false;
        }
        for other in variables(value).iter() {
            if !is_number(&body.variables[other].ty) {
                self.join(variable, other);
            }
        }
        let mut outside = false;
        visit(value, &mut |e| {
            outside |=
                matches!(e.kind, ExprKind::Global(_) | ExprKind::Member(..) | ExprKind::Function { .. });
        });
        outside
    }
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(..) | Type::Enum(_) | Type::Text)
}

/// Whether a value is a new array without aliases.
pub(super) fn is_new(value: &Expr) -> bool {
    const MAKERS: &[&str] =
        &["zeros", "ones", "uninit", "czeros", "copy", "eye", "rand", "randn", "linspace"];
    if array_element(&value.ty).is_none() {
        return false;
    }
    match &value.kind {
        ExprKind::Apply { .. } | ExprKind::Array(_) | ExprKind::Sequence(_) | ExprKind::Reduce { .. } => true,
        ExprKind::Load { array, .. } => array_element(&array.ty).is_some(),
        ExprKind::Library { name, .. } => MAKERS.contains(name),
        ExprKind::Convert(inner) => is_new(inner),
        ExprKind::Select { then, otherwise, .. } => is_new(then) && is_new(otherwise),
        _ => false,
    }
}
