//! Loops: the places of values at their heads and exits, labels, and conditions that need statements.

use super::body::{Environment, LoopFrame, Lowering};
use crate::ir::build;
use crate::ir::{Block, Expr, ExprKind, GlobalId, Range, Stmt, StmtKind, VarId};
use crate::sema::model::{Mode, NameUse};
use crate::source::Span;
use crate::syntax::ast::{self, NodeId};
use crate::types::{ElementType, Type};

impl<'a> Lowering<'a, '_> {
    /// Brings the variables that a loop or the body of a `try` changes into those that it expects at its head.
    pub(super) fn heads(&mut self, node: NodeId) -> Vec<(String, VarId)> {
        let mut heads = Vec::new();
        for (name, ty) in self.tables.loop_heads.get(&node).into_iter().flatten() {
            let Some(&current) = self.environment.get(name) else {
                // Set by an earlier iteration only.
                let mode = self.default_mode();
                let head = self.variable(name, ty, mode, Span::default());
                self.environment.insert(name.clone(), head);
                heads.push((name.clone(), head));
                continue;
            };
            let source = self.body.variables[current].clone();
            let mode = Mode::plain(source.boundary);
            let head = self.variable(name, ty, mode, source.span);
            if let Some(stmt) = self.conversion(current, head) {
                self.emit(stmt.kind, stmt.span);
            }
            self.environment.insert(name.clone(), head);
            heads.push((name.clone(), head));
        }
        heads
    }

    /// Brings the values back into the variables of a loop's head.
    fn settle(&mut self, heads: &[(String, VarId)]) {
        for (name, head) in heads {
            let Some(&current) = self.environment.get(name) else { continue };
            if let Some(stmt) = self.conversion(current, *head) {
                self.emit(stmt.kind, stmt.span);
            }
        }
    }

    /// Lowers the body of a loop; afterwards the environment is that of its exit.
    fn looped(&mut self, label: Option<&str>, heads: &[(String, VarId)], f: impl FnOnce(&mut Self)) -> Block {
        self.attributes = Default::default();
        let label = label.map(str::to_string);
        self.loops.push(LoopFrame { label, heads: heads.to_vec(), blocks: self.wishes.len(), group: false });
        let (block, ()) = self.in_block(|this| {
            f(this);
            this.settle(heads);
        });
        self.loops.pop();
        self.environment.extend(heads.iter().cloned());
        self.reachable = true;
        block
    }

    pub(super) fn for_loop(
        &mut self,
        stmt: &'a ast::Stmt,
        name: &'a ast::Name,
        sequence: &'a ast::Expr,
        body: &'a [ast::Stmt],
        label: Option<&str>,
    ) {
        if !self.reachable {
            return;
        }
        self.attributes_inside(body);
        let attributes = self.loop_attributes(stmt.span);
        let ty = self.tables.loop_variables.get(&stmt.id).cloned().unwrap_or(build::int_type());
        let mut range = match &unwrapped(sequence).kind {
            ast::ExprKind::Range { from, step, to } if ty != Type::Dynamic => {
                let range = self.range_of(from, step.as_deref(), to, &ty);
                Ok(self.possible(range))
            }
            _ => Err(self.expr(sequence)),
        };
        let heads = self.heads(stmt.id);
        let global = self.shared_variable(stmt.id);
        let kept = match self.tables.kept_loop_variables.contains(&stmt.id) {
            true => self.environment.get(&name.text).copied(),
            false => None,
        };
        let own = global.is_none() && kept.is_none();
        let variable = match own {
            false => self.body.temporary(ty.clone(), name.span),
            true => {
                let mode = self.default_mode();
                self.variable(&name.text, &ty, mode, name.span)
            }
        };
        if own {
            self.keep_if_empty(&name.text, variable, &ty, &mut range);
        }
        let before = self.environment.clone();
        if own {
            self.environment.insert(name.text.clone(), variable);
        }
        let heads: Vec<(String, VarId)> = heads.into_iter().filter(|(n, _)| *n != name.text).collect();
        let block = self.looped(label, &heads, |this| {
            this.share(global, variable, name.span);
            if let Some(kept) = kept {
                let ty = this.body.variables[kept].ty.clone();
                let value = this.body.read(variable, name.span);
                let value = this.convert_number(value, &ty);
                this.assign_to(kept, value);
            }
            this.statements(body);
        });
        self.forget_undefined(before);
        if own {
            self.environment.insert(name.text.clone(), variable);
        }
        let kind = match range {
            Ok(range) => StmtKind::For { variable, range, body: block, attributes },
            Err(over) => {
                let over = self.iterated(over, &ty);
                StmtKind::ForEach { variable, over, body: block, attributes }
            }
        };
        self.emit(kind, stmt.span);
    }

    /// The module-level variable that functions share and a loop or a handler sets.
    pub(super) fn shared_variable(&self, id: NodeId) -> Option<GlobalId> {
        match self.tables.names.get(&id) {
            Some(NameUse::Global(unique)) => self.cx.globals.get(unique).copied(),
            _ => None,
        }
    }

    /// Gives the value of a variable to a module-level variable.
    pub(super) fn share(&mut self, global: Option<GlobalId>, variable: VarId, span: Span) {
        let Some(global) = global else { return };
        let ty = self.cx.program.globals[global].ty.clone();
        let value = self.body.read(variable, span);
        let value = self.convert_number(value, &ty);
        self.emit(StmtKind::AssignGlobal { global, value }, span);
    }

    /// A loop over nothing leaves the variable as it was, also where it had another type.
    fn keep_if_empty(&mut self, name: &str, variable: VarId, ty: &Type, range: &mut Result<Range, Expr>) {
        let Some(&current) = self.environment.get(name) else { return };
        let before = self.body.variables[current].ty.clone();
        if matches!((&before, ty), (Type::Scalar(..), Type::Scalar(..)))
            && let Some(stmt) = self.conversion(current, variable)
        {
            // A number that does not fit is a mistake only where it is kept.
            let may_fail = ty.element_type().is_some_and(ElementType::is_integer) && before != *ty;
            let empty = range.as_mut().ok().filter(|_| may_fail).and_then(|range| self.is_empty(range));
            match empty {
                Some(condition) if condition.constant().is_some_and(|known| !known.is_truthy()) => {}
                Some(condition) => {
                    let span = stmt.span;
                    self.emit(StmtKind::If { condition, then: vec![stmt], otherwise: Vec::new() }, span);
                }
                None => self.emit(stmt.kind, stmt.span),
            }
        }
    }

    /// Whether a range of integers has no values, where the direction of its step is known.
    fn is_empty(&mut self, range: &mut Range) -> Option<Expr> {
        let up = match &range.step {
            None => true,
            Some(step) => step.constant()?.as_i64() > 0,
        };
        for part in [&mut range.from, &mut range.to] {
            if part.constant().is_none() {
                *part = self.atom(part.clone());
            }
        }
        let (from, to, span) = (range.from.clone(), range.to.clone(), range.from.span);
        if let (Some(from), Some(to)) = (from.constant(), to.constant()) {
            let (from, to) = (from.as_i64(), to.as_i64());
            return Some(build::int((if up { from > to } else { from < to }) as i32, span));
        }
        Some(self.row(if up { "greater" } else { "less" }, vec![from, to], &build::int_type(), span))
    }

    /// Variables that the loop body introduced stay visible; nothing is known about those that it might not have set.
    fn forget_undefined(&mut self, before: Environment) {
        for (name, variable) in before {
            self.environment.entry(name).or_insert(variable);
        }
    }

    fn iterated(&mut self, over: Expr, element: &Type) -> Expr {
        match &over.ty {
            Type::Array(array) => {
                let mut array = array.clone();
                array.element = Box::new(element.clone());
                build::convert(over, &Type::Array(array))
            }
            Type::Scalar(..) | Type::Enum(_) => {
                let span = over.span;
                let items = vec![build::convert(over, element)];
                Expr::new(ExprKind::Array(items), build::sized_type(element.clone(), vec![Some(1)]), span)
            }
            Type::Tuple(parts) => {
                let (count, span) = (parts.len(), over.span);
                let items = self.components(over, count);
                let items = items.into_iter().map(|item| build::convert(item, element)).collect();
                let ty = build::sized_type(element.clone(), vec![Some(count as u32)]);
                Expr::new(ExprKind::Tuple(items), ty, span)
            }
            _ => over,
        }
    }

    pub(super) fn while_loop(
        &mut self,
        stmt: &'a ast::Stmt,
        condition: &'a ast::Expr,
        body: &'a [ast::Stmt],
        label: Option<&str>,
    ) {
        if !self.reachable {
            return;
        }
        if self.decided(condition) == Some(false) {
            self.evaluated(condition);
            return;
        }
        let heads = self.heads(stmt.id);
        let before = self.environment.clone();
        let mut head = None;
        let mut block = self.looped(label, &heads, |this| {
            let (first, value) = this.in_block(|this| this.truth(condition));
            head = Some((first, value));
            this.statements(body);
        });
        self.forget_undefined(before);
        let Some((first, value)) = head else { return };
        if first.is_empty() {
            let endless = value.constant().is_some_and(|value| value.is_truthy());
            self.emit(StmtKind::While { condition: value, body: block }, stmt.span);
            self.reachable = !endless || breaks(body);
            return;
        }
        let leave = Stmt::new(StmtKind::Break { levels: 0 }, condition.span);
        let mut whole = first;
        whole.push(build::choice(value, Vec::new(), vec![leave], condition.span));
        whole.append(&mut block);
        let condition = build::int(1, condition.span);
        self.emit(StmtKind::While { condition, body: whole }, stmt.span);
    }

    pub(super) fn repeat_loop(
        &mut self,
        stmt: &'a ast::Stmt,
        body: &'a [ast::Stmt],
        until: &'a ast::Expr,
        label: Option<&str>,
    ) {
        if !self.reachable {
            return;
        }
        let heads = self.heads(stmt.id);
        let block = self.looped(label, &heads, |this| this.statements(body));
        let (test, until) = self.in_block(|this| this.truth(until));
        self.emit(StmtKind::Repeat { body: block, test, until }, stmt.span);
    }

    /// `break` and `continue`: the values go to where the loop expects them.
    pub(super) fn leave_loop(&mut self, span: Span, label: Option<&ast::Name>, leave: bool) {
        if !self.reachable {
            return;
        }
        let levels = match label {
            None => self.loops.iter().rev().position(|l| !l.group),
            Some(name) => {
                self.loops.iter().rev().position(|l| l.label.as_deref() == Some(name.text.as_str()))
            }
        };
        let Some(levels) = levels.filter(|levels| *levels < self.loops.len()) else {
            return super::messages::no_such_loop(self.cx.sink, span, label);
        };
        let frame = &self.loops[self.loops.len() - 1 - levels];
        let (heads, blocks) = (frame.heads.clone(), frame.blocks);
        self.settle(&heads);
        self.launch_as_before(blocks, span);
        let levels = levels as u32;
        self.emit(if leave { StmtKind::Break { levels } } else { StmtKind::Continue { levels } }, span);
        self.reachable = false;
    }
}

/// Whether statements hold a `break` that may leave the loop around them.
fn breaks(body: &[ast::Stmt]) -> bool {
    struct Find(bool);
    impl crate::sema::walk::Visitor<'_> for Find {
        fn stmt(&mut self, stmt: &ast::Stmt) -> bool {
            self.0 |= matches!(stmt.kind, ast::StmtKind::Break(_));
            true
        }
    }
    let mut find = Find(false);
    crate::sema::walk::block(body, &mut find);
    find.0
}

/// Without parentheses.
pub(super) fn unwrapped(expr: &ast::Expr) -> &ast::Expr {
    match &expr.kind {
        ast::ExprKind::Paren(inner) => unwrapped(inner),
        _ => expr,
    }
}
