//! What the values of a kernel depend on: components of the position, loop variables, or more than a table can know.

use super::purity::{is_pure, operation_cost};
use super::{Axes, Loop};
use crate::ir::rewrite::{children, operands, set_in, sets, visit, visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Kernel, Program, Stmt, StmtKind, VarId, VarSet};
use crate::types::known::scalar;
use std::collections::{BTreeMap, BTreeSet};

/// A block whose statements may define values: the kernel's, or that of a loop.
struct Scope<'k> {
    stmts: Vec<&'k Stmt>,
    /// The loops around it that tables may have as axes.
    loops: Vec<usize>,
    /// The statement that is being visited.
    at: usize,
    active: bool,
}

/// A variable that a scope keeps to itself.
struct Value {
    scope: usize,
    axes: Axes,
    /// The statements of the scope that set it.
    definitions: Vec<usize>,
}

/// The scopes of a kernel that were entered so far.
pub(super) struct Scopes<'k> {
    program: &'k Program,
    kernel: &'k Kernel,
    /// The arrays that the kernel only reads.
    constant: VarSet,
    /// How many statements set each variable.
    setters: BTreeMap<VarId, usize>,
    /// The order of the statements, by their addresses.
    numbers: BTreeMap<*const Stmt, usize>,
    scopes: Vec<Scope<'k>>,
    values: BTreeMap<VarId, Value>,
    /// The loops that tables may have as axes.
    pub(super) loops: Vec<Loop>,
}

/// A statement that a value needs.
#[derive(Clone, Copy)]
pub(super) struct Needed<'k> {
    pub(super) stmt: &'k Stmt,
    scope: usize,
}

impl<'k> Scopes<'k> {
    pub(super) fn new(program: &'k Program, kernel: &'k Kernel, constant: VarSet) -> Scopes<'k> {
        let (mut setters, mut numbers) = (BTreeMap::new(), BTreeMap::new());
        visit_stmts(&kernel.body.block, &mut |stmt| {
            numbers.insert(std::ptr::from_ref(stmt), numbers.len());
            sets(stmt, &mut |v| *setters.entry(*v).or_insert(0) += 1);
        });
        let (scopes, values, loops) = (Vec::new(), BTreeMap::new(), Vec::new());
        Scopes { program, kernel, constant, setters, numbers, scopes, values, loops }
    }

    /// Enters a block. `variable` is that of its loop, if it may be an axis.
    pub(super) fn enter(&mut self, block: &'k [Stmt], around: Option<Loop>) {
        let mut loops =
            self.scopes.iter().rev().find(|scope| scope.active).map_or(Vec::new(), |s| s.loops.clone());
        if let Some(around) = around {
            loops.push(self.loops.len());
            self.loops.push(around);
        }
        let scope = self.scopes.len();
        self.scopes.push(Scope { stmts: block.iter().collect(), loops, at: 0, active: true });
        self.define(scope);
    }

    pub(super) fn leave(&mut self) {
        if let Some(scope) = self.scopes.iter_mut().rev().find(|scope| scope.active) {
            scope.active = false;
        }
    }

    /// Goes to a statement of the innermost block.
    pub(super) fn visit(&mut self, at: usize) {
        if let Some(scope) = self.scopes.iter_mut().rev().find(|scope| scope.active) {
            scope.at = at;
        }
    }

    /// Finds the variables that a scope keeps to itself, and what they depend on.
    fn define(&mut self, scope: usize) {
        let stmts = self.scopes[scope].stmts.clone();
        let mut here: BTreeMap<VarId, (usize, Vec<usize>)> = BTreeMap::new();
        for (at, stmt) in stmts.iter().enumerate() {
            visit_stmts(std::slice::from_ref(*stmt), &mut |inner| {
                sets(inner, &mut |v| {
                    let (count, at_statements) = here.entry(*v).or_default();
                    *count += 1;
                    if at_statements.last() != Some(&at) {
                        at_statements.push(at);
                    }
                });
            });
        }
        let body = &self.kernel.body;
        for (v, (count, definitions)) in here {
            let own = self.setters.get(&v) == Some(&count)
                && scalar(&body.variables[v].ty).is_some()
                && !body.params.contains(&v)
                && !body.results.contains(&v);
            if own {
                self.values.insert(v, Value { scope, axes: Axes::NONE, definitions });
            }
        }
        loop {
            let mut changed = false;
            for stmt in &stmts {
                let axes = self.of_statement(stmt, scope);
                for v in &set_in(std::slice::from_ref(*stmt)) {
                    if let Some(value) = self.values.get_mut(&v).filter(|value| value.scope == scope) {
                        changed |= value.axes.with(axes) != value.axes;
                        value.axes = value.axes.with(axes);
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether a variable belongs to the innermost block.
    pub(super) fn is_own(&self, v: VarId) -> bool {
        let scope = self.scopes.iter().rposition(|scope| scope.active);
        self.values.get(&v).is_some_and(|value| Some(value.scope) == scope)
    }

    /// What a statement of the innermost block depends on.
    pub(super) fn of_this(&self, stmt: &Stmt) -> Axes {
        let scope = self.scopes.iter().rposition(|scope| scope.active).unwrap_or_default();
        self.of_statement(stmt, scope)
    }

    fn of_statement(&self, stmt: &Stmt, scope: usize) -> Axes {
        let block = std::slice::from_ref(stmt);
        if !is_pure(self.program, block) {
            return Axes::ALL;
        }
        let mut axes = Axes::NONE;
        visit_block(block, &mut |e| axes = axes.with(self.of_node(e, Some(scope))));
        axes
    }

    /// What an expression at the statement that is being visited depends on.
    pub(super) fn of(&self, expr: &Expr) -> Axes {
        let mut axes = Axes::NONE;
        visit(expr, &mut |e| axes = axes.with(self.of_node(e, None)));
        axes
    }

    /// As `of`, without the operands. `inside` is the scope whose variables may still change.
    fn of_node(&self, e: &Expr, inside: Option<usize>) -> Axes {
        match &e.kind {
            ExprKind::Coordinate(Coordinate::Position, axis) => Axes::position(*axis),
            ExprKind::Local(v) => self.of_variable(*v, inside),
            _ if super::purity::is_plain(e) => Axes::NONE,
            _ => Axes::ALL,
        }
    }

    fn of_variable(&self, v: VarId, inside: Option<usize>) -> Axes {
        if let Some(k) = self.axis_of(v) {
            return Axes::of_loop(self.kernel.rank, k);
        }
        if let Some(value) = self.values.get(&v) {
            let scope = &self.scopes[value.scope];
            let settled = value.definitions.last().is_some_and(|last| *last < scope.at);
            let known = inside == Some(value.scope) || scope.active && settled;
            return if known { value.axes } else { Axes::ALL };
        }
        let given = self.kernel.body.params.contains(&v) && !self.setters.contains_key(&v);
        let number = scalar(&self.kernel.body.variables[v].ty).is_some();
        if given && (number || self.constant.contains(&v)) { Axes::NONE } else { Axes::ALL }
    }

    /// The loop around the statement being visited that has this variable.
    fn axis_of(&self, v: VarId) -> Option<usize> {
        let scope = self.scopes.iter().rev().find(|scope| scope.active)?;
        scope.loops.iter().rev().copied().find(|k| self.loops[*k].variable == v)
    }

    /// The statements that an expression needs, in their order; nothing where one is out of reach.
    pub(super) fn needed(&self, expr: &Expr) -> Option<Vec<Needed<'k>>> {
        let mut found: BTreeMap<usize, Needed<'k>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut open = Vec::new();
        let mut note = |e: &Expr, open: &mut Vec<VarId>| {
            visit(e, &mut |e| {
                if let ExprKind::Local(v) = e.kind
                    && self.axis_of(v).is_none()
                    && self.values.contains_key(&v)
                    && seen.insert(v)
                {
                    open.push(v);
                }
            });
        };
        note(expr, &mut open);
        while let Some(v) = open.pop() {
            let value = &self.values[&v];
            for at in &value.definitions {
                let stmt = self.scopes[value.scope].stmts[*at];
                let number = *self.numbers.get(&std::ptr::from_ref(stmt))?;
                if found.insert(number, Needed { stmt, scope: value.scope }).is_none() {
                    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
                        operands(stmt, &mut |e| note(e, &mut open));
                    });
                }
            }
        }
        Some(found.into_values().collect())
    }

    /// The order of a statement.
    pub(super) fn number(&self, stmt: &Stmt) -> usize {
        self.numbers.get(&std::ptr::from_ref(stmt)).copied().unwrap_or_default()
    }

    /// The loops around a statement that is needed.
    pub(super) fn loops_around(&self, needed: Needed<'k>) -> &[usize] {
        &self.scopes[needed.scope].loops
    }

    /// The loops around the statement being visited.
    pub(super) fn loops_here(&self) -> Vec<usize> {
        self.scopes.iter().rev().find(|scope| scope.active).map_or(Vec::new(), |scope| scope.loops.clone())
    }

    /// The operations that depend on exactly these axes, in an expression and the statements that it needs.
    pub(super) fn cost(&self, expr: &Expr, needed: &[Needed<'k>], axes: Axes) -> u32 {
        let mut total = self.cost_in(expr, None, axes);
        for each in needed {
            visit_stmts(std::slice::from_ref(each.stmt), &mut |stmt| {
                operands(stmt, &mut |e| total += self.cost_in(e, Some(each.scope), axes));
                if let StmtKind::Call { function, .. } = &stmt.kind
                    && self.of_statement(stmt, each.scope) == axes
                {
                    total += super::purity::cost_of_call(self.program, *function);
                }
            });
        }
        total
    }

    fn cost_in(&self, expr: &Expr, inside: Option<usize>, axes: Axes) -> u32 {
        let mut total = 0;
        let mut own = Axes::NONE;
        visit(expr, &mut |e| own = own.with(self.of_node(e, inside)));
        if own == axes {
            total += operation_cost(expr);
        }
        children(expr, &mut |child| total += self.cost_in(child, inside, axes));
        total
    }
}
