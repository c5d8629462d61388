//! Statements: choices, matches, exceptions, messages. Loops stand beside.

use super::body::{Environment, LoopFrame, Lowering};
use crate::ir::build::{self, same_type};
use crate::ir::{Block, Expr, ExprKind, Failure, Handler, LoopAttributes, Scope, Stmt, StmtKind, VarId};
use crate::sema::model::{Binding, Catches, Definition, Mode};
use crate::source::Span;
use crate::syntax::ast::{self, NodeId};
use crate::types::{ClosureType, Type};

/// So many ways of one choice stand in each other.
const GROUP: usize = 32;

/// One way through a choice: what it does, where its values are, and whether it reaches the end.
pub(super) struct Branch {
    pub(super) block: Block,
    pub(super) environment: Environment,
    pub(super) reachable: bool,
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn statements(&mut self, block: &'a [ast::Stmt]) {
        self.wishes.push(None);
        self.in_order(block);
        if let Some(last) = block.last() {
            self.launch_as_before(self.wishes.len() - 1, last.span);
        }
        self.wishes.pop();
    }

    fn in_order(&mut self, mut block: &'a [ast::Stmt]) {
        while let Some((stmt, rest)) = block.split_first() {
            block = rest;
            match self.group_length(stmt, rest) {
                Some(length) => {
                    self.grid_group(stmt.span, &rest[..length]);
                    block = &rest[length + 1..];
                }
                None => self.statement(stmt, None),
            }
        }
    }

    /// How many statements belong to the region of a kernel that begins here.
    fn group_length(&self, stmt: &ast::Stmt, rest: &[ast::Stmt]) -> Option<usize> {
        if self.instance.kind != ast::FunctionKind::Kernel || !is_attribute(stmt, "begin_grid_group") {
            return None;
        }
        let mut open = 1;
        rest.iter().position(|stmt| {
            open += usize::from(is_attribute(stmt, "begin_grid_group"));
            open -= usize::from(is_attribute(stmt, "end_grid_group"));
            open == 0
        })
    }

    /// Statements that are meant for every position.
    fn grid_group(&mut self, span: Span, inside: &'a [ast::Stmt]) {
        let frame = LoopFrame { label: None, heads: Vec::new(), blocks: self.wishes.len(), group: true };
        self.loops.push(frame);
        let (body, ()) = self.in_block(|this| this.in_order(inside));
        self.loops.pop();
        let variable = self.body.temporary(build::int_type(), span);
        let range = build::range(build::int(0, span), build::int(0, span));
        let attributes = LoopAttributes { every_position: true, ..LoopAttributes::default() };
        // What follows a jump that was left out is not reached, and neither is this.
        let reachable = std::mem::replace(&mut self.reachable, true);
        self.emit(StmtKind::For { variable, range, body, attributes }, span);
        self.reachable = reachable;
    }

    pub(super) fn statement(&mut self, stmt: &'a ast::Stmt, label: Option<&str>) {
        let span = stmt.span;
        let written = self.out.len();
        let is_attribute = matches!(stmt.kind, ast::StmtKind::Attribute(_) | ast::StmtKind::Pragma { .. });
        let switched = if is_attribute { None } else { self.switched.take() };
        match &stmt.kind {
            ast::StmtKind::Function(function) => self.inner_function(stmt, function),
            ast::StmtKind::TypeDef(_)
            | ast::StmtKind::Reduction(_)
            | ast::StmtKind::Macro(_)
            | ast::StmtKind::Symbolic(_) => {}
            ast::StmtKind::Attribute(attribute) => self.attribute(attribute),
            ast::StmtKind::Pragma { name, arguments } => self.pragma(name, arguments.as_deref()),
            ast::StmtKind::If { branches, otherwise } => self.choices(stmt, branches, otherwise.as_deref()),
            ast::StmtKind::Labelled { label, body } => self.statement(body, Some(&label.text)),
            ast::StmtKind::For { variable, sequence, body } => {
                self.for_loop(stmt, variable, sequence, body, label)
            }
            ast::StmtKind::While { condition, body } => self.while_loop(stmt, condition, body, label),
            ast::StmtKind::Repeat { body, until } => self.repeat_loop(stmt, body, until, label),
            ast::StmtKind::Match { subject, arms } => self.match_statement(stmt, subject, arms),
            ast::StmtKind::Try { body, catches } => self.try_statement(stmt, body, catches),
            ast::StmtKind::Break(label) => self.leave_loop(span, label.as_ref(), true),
            ast::StmtKind::Continue(label) => self.leave_loop(span, label.as_ref(), false),
            ast::StmtKind::SyncThreads(scope) => self.barrier(span, scope.as_ref()),
            ast::StmtKind::Print(args) => {
                let args = self.ordered(args, |this, arg| this.expr(arg));
                self.emit(StmtKind::Library { name: "print", args, results: Vec::new() }, span);
            }
            ast::StmtKind::Error(args) => {
                let message = self.ordered(args, |this, arg| this.expr(arg));
                self.fail(message, span);
            }
            ast::StmtKind::Expr(expr) => self.effect(expr),
            ast::StmtKind::Invalid => {}
        }
        if let Some(before) = switched.filter(|_| is_loop(stmt)) {
            (self.automatic, self.skewed) = before;
        }
        let keeps = match &stmt.kind {
            _ if is_attribute => true,
            // Attributes may depend on what is known.
            ast::StmtKind::If { .. } => self.out.len() == written,
            _ => false,
        };
        if !keeps {
            self.attributes = Default::default();
        }
    }

    pub(super) fn fail(&mut self, message: Vec<Expr>, span: Span) {
        self.emit(StmtKind::Fail { failure: Failure::Raised, message }, span);
        self.reachable = false;
    }

    fn barrier(&mut self, span: Span, scope: Option<&ast::Name>) {
        match scope_of(scope.map_or("block", |name| &name.text)) {
            // The threads of a launch are one grid; what they wrote is to be seen by everybody.
            Scope::Host => {
                self.emit(StmtKind::Fence(Scope::Host), span);
                self.emit(StmtKind::Barrier(Scope::Grid), span);
            }
            Scope::Block if self.behind_zeroing() => {}
            scope => self.emit(StmtKind::Barrier(scope), span),
        }
    }

    /// An inner function that captures variables is a variable of its own: it holds what they are here.
    fn inner_function(&mut self, stmt: &'a ast::Stmt, function: &'a ast::Function) {
        let Some(ty) = self.inner_type(stmt.id) else { return };
        let span = function.name.span;
        let value = self.closure(stmt.id, ty.clone(), span);
        let mode = self.default_mode();
        let variable = self.variable(&function.name.text, &ty, mode, span);
        self.emit(StmtKind::Assign { variable, value }, span);
        self.inner.insert(stmt.id, variable);
        // Lambdas and other inner functions capture it by its name.
        self.environment.insert(function.name.text.clone(), variable);
    }

    /// The closure type of an inner function that captures something: what an instance of it wants of the variables
    /// that exist here.
    fn inner_type(&self, node: NodeId) -> Option<Type> {
        let fits = |capture: &Binding| match self.environment.get(&capture.name) {
            Some(variable) => same_type(&self.body.variables[*variable].ty, &capture.ty),
            None => false,
        };
        let mut instances = self.cx.model.instances.iter().map(|(_, instance)| instance);
        let instance = instances.find(|instance| {
            let captures = &instance.captures;
            instance.definition == Definition::Function(node)
                && !captures.is_empty()
                && captures.iter().all(fits)
        })?;
        let captures =
            instance.captures.iter().map(|capture| (capture.name.clone(), capture.ty.clone())).collect();
        Some(Type::Closure(Box::new(ClosureType { definition: node, captures })))
    }

    fn choices(
        &mut self,
        stmt: &'a ast::Stmt,
        branches: &'a [(ast::Expr, Vec<ast::Stmt>)],
        otherwise: Option<&'a [ast::Stmt]>,
    ) {
        self.grouped(stmt, branches, &mut |this, group, untaken| {
            this.some_choices(stmt, group, &mut |this| match untaken {
                Some(taken) => this.leave_untaken(taken, stmt.span),
                None => this.statements(otherwise.unwrap_or(&[])),
            });
        });
    }

    /// Lowers the ways of a choice in groups, so that long ones do not become as deep as they are long. All groups but the last
    /// are given a variable: the end where none of the group was taken calls `leave_untaken` with it, and the next group is tried.
    #[allow(clippy::type_complexity, reason = "each part has its name where it is called")]
    fn grouped<T>(
        &mut self,
        stmt: &'a ast::Stmt,
        ways: &'a [T],
        group: &mut dyn FnMut(&mut Self, &'a [T], Option<VarId>),
    ) {
        if ways.len() <= GROUP {
            return group(self, ways, None);
        }
        let span = stmt.span;
        let taken = self.body.temporary(build::int_type(), span);
        let set = |this: &mut Self| {
            this.emit(StmtKind::Assign { variable: taken, value: build::int(1, span) }, span);
        };
        let mut groups = ways.chunks(GROUP).peekable();
        if let Some(ways) = groups.next() {
            set(self);
            group(self, ways, Some(taken));
        }
        while let Some(ways) = groups.next() {
            // Where all of a group is sure to be taken, nothing is left.
            let Some(untaken) = self.untaken.take() else { return };
            let read = self.body.read(taken, span);
            let condition = self.row("equal", vec![read, build::int(0, span)], &build::int_type(), span);
            let more = groups.peek().map(|_| taken);
            // There variables are where they were before the choice, and not where the ways that were taken agreed to leave them.
            let agreed = std::mem::replace(&mut self.environment, untaken);
            let then = self.branch(|this| {
                set(this);
                group(this, ways, more);
            });
            self.environment = agreed;
            let other = self.branch(|_| ());
            self.join(stmt.id, condition, then, other, span);
        }
    }

    /// Comes to the end of a group of ways of which none was taken.
    fn leave_untaken(&mut self, taken: VarId, span: Span) {
        self.emit(StmtKind::Assign { variable: taken, value: build::int(0, span) }, span);
        self.untaken = Some(self.environment.clone());
    }

    fn some_choices(
        &mut self,
        stmt: &'a ast::Stmt,
        branches: &'a [(ast::Expr, Vec<ast::Stmt>)],
        otherwise: &mut dyn FnMut(&mut Self),
    ) {
        let Some(((condition, body), rest)) = branches.split_first() else { return otherwise(self) };
        match self.evaluated(condition) {
            Some(true) => return self.statements(body),
            Some(false) => return self.some_choices(stmt, rest, otherwise),
            None => {}
        }
        let value = self.truth(condition);
        let then = self.branch(|this| this.statements(body));
        let other = self.branch(|this| this.some_choices(stmt, rest, otherwise));
        self.join(stmt.id, value, then, other, stmt.span);
    }

    /// Lowers one way of a choice; the environment is put back afterwards.
    pub(super) fn branch(&mut self, f: impl FnOnce(&mut Self)) -> Branch {
        let environment = self.environment.clone();
        let reachable = self.reachable;
        let (block, ()) = self.in_block(f);
        let environment = std::mem::replace(&mut self.environment, environment);
        let reachable = std::mem::replace(&mut self.reachable, reachable);
        Branch { block, environment, reachable }
    }

    /// Writes `if condition then other` and gives every variable one place again.
    pub(super) fn join(
        &mut self,
        node: NodeId,
        condition: Expr,
        mut then: Branch,
        mut other: Branch,
        span: Span,
    ) {
        if !self.reachable {
            return;
        }
        let agreed = self.merge(node, &mut [&mut then, &mut other]);
        self.emit(StmtKind::If { condition, then: then.block, otherwise: other.block }, span);
        self.environment = agreed;
        self.reachable = then.reachable || other.reachable;
    }

    /// Makes the reachable branches agree on the place of every variable, by conversions at their ends.
    pub(super) fn merge(&mut self, node: NodeId, branches: &mut [&mut Branch]) -> Environment {
        let live: Vec<usize> = (0..branches.len()).filter(|k| branches[*k].reachable).collect();
        let Some(&first) = live.first() else {
            return branches.first().map(|b| b.environment.clone()).unwrap_or_default();
        };
        let mut agreed = branches[first].environment.clone();
        for k in &live[1..] {
            for (name, variable) in &branches[*k].environment {
                agreed.entry(name.clone()).or_insert(*variable);
            }
        }
        for (name, target) in &mut agreed {
            let places: Vec<Option<VarId>> =
                live.iter().map(|k| branches[*k].environment.get(name).copied()).collect();
            let differ = places.iter().flatten().any(|place| place != target);
            let joined = self.tables.joins.get(&node).and_then(|joins| joins.iter().find(|(n, _)| n == name));
            let ty = joined.map_or_else(|| self.body.variables[*target].ty.clone(), |(_, ty)| ty.clone());
            if !differ && same_type(&ty, &self.body.variables[*target].ty) {
                continue;
            }
            let source = self.body.variables[*target].clone();
            let mode = Mode::plain(source.boundary);
            *target = self.variable(name, &ty, mode, source.span);
            for (k, place) in live.iter().zip(places) {
                if let Some(place) = place {
                    let conversion = self.conversion(place, *target);
                    branches[*k].block.extend(conversion);
                }
            }
        }
        agreed
    }

    /// `to = (from -> type of to)` unless both are one variable.
    pub(super) fn conversion(&mut self, from: VarId, to: VarId) -> Option<Stmt> {
        if from == to {
            return None;
        }
        let variable = &self.body.variables[to];
        let (name, span) = (variable.name.clone(), variable.span);
        let value = build::convert(self.body.read(from, span), &variable.ty);
        if self.is_reference(from) && self.mutated.contains(&name) {
            super::messages::register_alias(self.cx.sink, span, &name);
        }
        Some(build::assign(to, value))
    }

    fn match_statement(&mut self, stmt: &'a ast::Stmt, subject: &'a ast::Expr, arms: &'a [ast::MatchArm]) {
        let value = self.expr(subject);
        let value = self.spill(value);
        self.grouped(stmt, arms, &mut |this, group, untaken| {
            this.arms(stmt, &value, group, &mut |this| {
                if let Some(taken) = untaken {
                    this.leave_untaken(taken, stmt.span);
                }
            });
        });
    }

    fn arms(
        &mut self,
        stmt: &'a ast::Stmt,
        subject: &Expr,
        arms: &'a [ast::MatchArm],
        otherwise: &mut dyn FnMut(&mut Self),
    ) {
        let Some((arm, rest)) = arms.split_first() else { return otherwise(self) };
        let mut tests = Vec::new();
        for pattern in &arm.patterns {
            let value = self.expr(pattern);
            let Some(test) = self.matches(subject.clone(), value) else { continue };
            tests.push(test);
        }
        let condition = any_of(tests, arm.span);
        match (arm.patterns.is_empty(), condition) {
            (true, _) => self.statements(&arm.body),
            (false, None) => self.arms(stmt, subject, rest, otherwise),
            (false, Some(condition)) => {
                let then = self.branch(|this| this.statements(&arm.body));
                let other = self.branch(|this| this.arms(stmt, subject, rest, otherwise));
                self.join(stmt.id, condition, then, other, stmt.span);
            }
        }
    }

    /// Whether a subject equals a pattern; `None` where values of such types never do.
    fn matches(&mut self, subject: Expr, pattern: Expr) -> Option<Expr> {
        let span = pattern.span;
        let number = |ty: &Type| matches!(ty, Type::Scalar(..) | Type::Enum(_));
        let dynamic = subject.ty == Type::Dynamic || pattern.ty == Type::Dynamic;
        let texts = subject.ty == Type::Text && pattern.ty == Type::Text;
        if (number(&subject.ty) && number(&pattern.ty)) || texts || dynamic {
            return Some(self.row("equal", vec![subject, pattern], &build::int_type(), span));
        }
        None
    }

    fn try_statement(&mut self, stmt: &'a ast::Stmt, body: &'a [ast::Stmt], catches: &'a [ast::Catch]) {
        self.heads(stmt.id);
        let mut tried = self.branch(|this| this.statements(body));
        for (name, place) in &self.environment {
            if tried.environment.get(name).is_some_and(|inside| inside != place) {
                let what = format!("changing the type of '{name}' inside `try`");
                return self.cx.not_supported(stmt.span, &what);
            }
        }
        let uses = self.tables.catches.get(&stmt.id).cloned().unwrap_or_default();
        let mut handlers = Vec::new();
        let mut branches = Vec::new();
        for (catch, takes) in catches.iter().zip(uses) {
            let exception = match takes {
                Catches::All => None,
                Catches::Only(exception) => Some(exception),
                Catches::Nothing => continue,
            };
            let (variable, branch) = self.handler(stmt, catch);
            handlers.push((exception, variable));
            branches.push(branch);
        }
        if !self.reachable {
            return;
        }
        let mut ends: Vec<&mut Branch> = std::iter::once(&mut tried).chain(&mut branches).collect();
        let agreed = self.merge(stmt.id, &mut ends);
        let goes_on = ends.iter().any(|end| end.reachable);
        let handlers = handlers.into_iter().zip(branches);
        let handlers = handlers
            .map(|((exception, variable), branch)| Handler { exception, variable, block: branch.block })
            .collect();
        self.emit(StmtKind::Try { body: tried.block, handlers }, stmt.span);
        self.environment = agreed;
        self.reachable = goes_on;
    }

    /// What a clause does, and where the text of the error goes.
    fn handler(&mut self, stmt: &'a ast::Stmt, catch: &'a ast::Catch) -> (Option<VarId>, Branch) {
        let mut variable = None;
        let branch = self.branch(|this| {
            if let Some(name) = &catch.variable {
                let mode = this.default_mode();
                let global = this.shared_variable(catch.ty.as_ref().map_or(stmt.id, |ty| ty.id));
                let exception = match global {
                    Some(_) => this.body.temporary(Type::Text, name.span),
                    None => this.variable(&name.text, &Type::Text, mode, name.span),
                };
                if global.is_none() {
                    this.environment.insert(name.text.clone(), exception);
                }
                this.share(global, exception, name.span);
                variable = Some(exception);
            }
            this.statements(&catch.body);
        });
        (variable, branch)
    }
}

/// Whether one of several conditions holds, tried in their order. The tree is as low as it may be.
fn any_of(mut tests: Vec<Expr>, span: Span) -> Option<Expr> {
    if tests.len() < 2 {
        return tests.pop();
    }
    let second = any_of(tests.split_off(tests.len().div_ceil(2)), span)?;
    let first = any_of(tests, span)?;
    Some(Expr::new(ExprKind::Or(Box::new(first), Box::new(second)), build::int_type(), span))
}

fn is_attribute(stmt: &ast::Stmt, name: &str) -> bool {
    matches!(&stmt.kind, ast::StmtKind::Attribute(attribute) if attribute.words.iter().map(|word| &*word.text).eq([name]))
}

/// The scope that a barrier or fence names.
pub(super) fn scope_of(name: &str) -> Scope {
    match name {
        "warp" => Scope::Warp,
        // Launches whose blocks wait for each other stay on one device.
        "grid" | "multi_grid" => Scope::Grid,
        "host" => Scope::Host,
        _ => Scope::Block,
    }
}

/// Whether a statement is a loop, of which attributes before it speak.
fn is_loop(stmt: &ast::Stmt) -> bool {
    match &stmt.kind {
        ast::StmtKind::For { .. } | ast::StmtKind::While { .. } | ast::StmtKind::Repeat { .. } => true,
        ast::StmtKind::Labelled { body, .. } => is_loop(body),
        _ => false,
    }
}
