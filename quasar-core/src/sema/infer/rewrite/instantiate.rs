//! Instantiation: synthesises replacement expressions from a rule's right-hand side and the bindings of its variables.

use super::super::Analyzer;
use super::super::expressions::bare;
use super::let_bind::is_meta;
use super::matching::Binding;
use super::rules::{Role, Rule};
use crate::sema::overlay::Replacements;
use crate::sema::unit::Unit;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use crate::syntax::compare::without_parens;
use crate::syntax::made::SyntheticId;
use std::collections::{BTreeMap, BTreeSet};

/// Properties of individual synthesised nodes.
#[derive(Debug, Default)]
pub(in crate::sema::infer) struct Marks {
    /// Names that are resolved in another module, because a rule of that module introduced them.
    pub(super) foreign: BTreeMap<NodeId, usize>,
    /// Expressions that no rule may rewrite again.
    pub(super) settled: BTreeSet<NodeId>,
}

/// Copies expressions, with replacements applied and fresh ids.
pub(super) struct Copies<'x> {
    pub(super) unit: &'x Unit,
    pub(super) replaced: &'x Replacements,
    /// Expressions of this frame that no rule may rewrite again.
    pub(super) stopped: &'x BTreeSet<NodeId>,
    pub(super) marks: &'x mut Marks,
    /// Substitutions: an expression without ids and parentheses, and its substitute.
    pub(super) instead: Vec<(Expr, Expr)>,
}

impl VisitMut for Copies<'_> {
    fn node(&mut self, id: &mut NodeId, _: &mut Span) {
        let old = std::mem::replace(id, self.unit.made.fresh());
        if self.stopped.contains(&old) || self.marks.settled.contains(&old) {
            self.marks.settled.insert(*id);
        }
        if let Some(home) = self.marks.foreign.get(&old).copied() {
            self.marks.foreign.insert(*id, home);
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        if let Some(made) = self.replaced.get(&e.id).and_then(|id| self.unit.made.expr(*id)) {
            *e = made.clone();
        }
        if !self.instead.is_empty() {
            let plain = without_parens(e);
            if let Some((_, to)) = self.instead.iter().find(|(from, _)| *from == plain) {
                *e = grouped(to.clone());
                let instead = std::mem::take(&mut self.instead);
                change::expr_parts(self, e);
                self.instead = instead;
                return;
            }
        }
        change::expr_parts(self, e);
    }
}

/// Adds parentheses if the expression could need some in another context.
fn grouped(e: Expr) -> Expr {
    let loose = matches!(
        e.kind,
        ExprKind::Infix { .. }
            | ExprKind::Prefix { .. }
            | ExprKind::Ternary { .. }
            | ExprKind::Range { .. }
            | ExprKind::Lambda(_)
            | ExprKind::Assign { .. }
            | ExprKind::Exchange { .. }
    );
    if loose { Expr { id: e.id, span: e.span, kind: ExprKind::Paren(Box::new(e)) } } else { e }
}

/// Substitutes bindings into a copy of a rule's expression.
pub(super) struct RuleInstantiation<'x, 'a> {
    pub(super) copies: Copies<'x>,
    pub(super) rule: &'x Rule<'a>,
    pub(super) bindings: &'x [Binding<'a>],
    /// The let-bound variables of operands, by position.
    pub(super) named: Vec<Option<String>>,
    /// Whether the expression is the operand of a meta function.
    pub(super) spoken: bool,
    /// The span of the replaced expression.
    pub(super) span: Span,
    /// Fresh names for those that the rule introduces, types included.
    pub(super) renamed: BTreeMap<String, String>,
    /// Nodes that came from operands, in which nothing is substituted.
    pub(super) done: BTreeSet<NodeId>,
}

impl<'a> RuleInstantiation<'_, 'a> {
    fn made(&mut self, kind: ExprKind) -> Expr {
        let id = self.copies.unit.made.fresh();
        self.done.insert(id);
        Expr { id, span: self.span, kind }
    }

    /// A copy of an operand.
    pub(super) fn copy(&mut self, expr: &Expr) -> Expr {
        let mut copy = expr.clone();
        self.copies.expr(&mut copy);
        let mut copy = grouped(copy);
        if matches!(copy.kind, ExprKind::Paren(_)) && copy.id == inner_id(&copy) {
            copy.id = self.copies.unit.made.fresh();
        }
        self.done.insert(copy.id);
        copy
    }

    /// Beta-reduction: the body of a captured function with an argument for what it abstracts over.
    fn body(&mut self, body: &Expr, abstracted: &Expr, argument: &Expr) -> Expr {
        let from = without_parens(&crate::sema::overlay::in_expr(
            self.copies.unit,
            self.copies.replaced,
            abstracted,
        ));
        let mut whole = crate::sema::overlay::in_expr(self.copies.unit, self.copies.replaced, body);
        self.copies.instead.push((from, argument.clone()));
        self.copies.expr(&mut whole);
        self.copies.instead.pop();
        whole
    }

    /// A captured function as a lambda.
    fn lambda(&mut self, body: &Expr, abstracted: &Expr) -> Expr {
        let param = format!("x__{}", self.copies.unit.made.number());
        let argument = self.made(ExprKind::Name(param.clone()));
        let body = self.body(body, abstracted, &argument);
        let name = Name { text: param, span: self.span };
        let param = Param {
            id: self.copies.unit.made.fresh(),
            variadic: false,
            name,
            annotation: None,
            default: None,
        };
        let kind = FunctionKind::Host;
        let lambda = Lambda { kind, params: vec![param], bare: true, body };
        let lambda = self.made(ExprKind::Lambda(Box::new(lambda)));
        self.made(ExprKind::Paren(Box::new(lambda)))
    }

    /// The value of a pattern variable.
    fn value(&mut self, place: usize) -> Option<Expr> {
        let bindings = self.bindings;
        if let (Some(Some(variable)), false) = (self.named.get(place), self.spoken) {
            let variable = variable.clone();
            return Some(self.made(ExprKind::Name(variable)));
        }
        Some(match bindings.get(place)? {
            Binding::One(expr) => self.copy(expr),
            Binding::Several(list) => {
                let items = list.iter().map(|expr| Element::Expr(self.element(*expr))).collect();
                self.made(ExprKind::Cell(items))
            }
            Binding::Function(body, argument) => self.lambda(body, argument),
            Binding::Functions(list) => {
                let items = list.iter().map(|(body, argument)| Element::Expr(self.lambda(body, argument)));
                let items = items.collect();
                self.made(ExprKind::Cell(items))
            }
            Binding::Type => return None,
        })
    }

    /// One of several values; an implicit coefficient is 1.
    fn element(&mut self, expr: Option<&Expr>) -> Expr {
        match expr {
            Some(expr) => self.copy(expr),
            None => self.made(ExprKind::Number(Number::Int(1))),
        }
    }

    /// The values of `...a`, if `a` is a variadic variable.
    fn spread(&mut self, e: &Expr) -> Option<Vec<Expr>> {
        let ExprKind::Name(name) = &e.kind else { return None };
        if self.done.contains(&e.id) {
            return None;
        }
        let bindings = self.bindings;
        match bindings.get(self.rule.variable(name)?)? {
            Binding::Several(list) => Some(list.iter().map(|expr| self.element(*expr)).collect()),
            Binding::Functions(list) => {
                Some(list.iter().map(|(body, argument)| self.lambda(body, argument)).collect())
            }
            _ => None,
        }
    }

    /// Expands `...a` in a list.
    fn spreads(&mut self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Call { args, .. } => {
                for arg in std::mem::take(args) {
                    match &arg {
                        CallArg::Spread(inner) => match self.spread(inner) {
                            Some(values) => args.extend(values.into_iter().map(CallArg::Positional)),
                            None => args.push(arg),
                        },
                        _ => args.push(arg),
                    }
                }
            }
            ExprKind::Array(items) | ExprKind::Cell(items) => {
                for item in std::mem::take(items) {
                    match &item {
                        Element::Spread(inner) => match self.spread(inner) {
                            Some(values) => items.extend(values.into_iter().map(Element::Expr)),
                            None => items.push(item),
                        },
                        Element::Expr(_) => items.push(item),
                    }
                }
            }
            ExprKind::Index { indices, .. } => {
                for index in std::mem::take(indices) {
                    match &index {
                        IndexArg::Spread(inner) => match self.spread(inner) {
                            Some(values) => indices.extend(values.into_iter().map(IndexArg::Expr)),
                            None => indices.push(index),
                        },
                        _ => indices.push(index),
                    }
                }
            }
            _ => {}
        }
    }

    /// Expands `f(x)` with a captured `f`.
    fn application(&mut self, e: &Expr) -> Option<Expr> {
        let ExprKind::Call { callee, args } = &e.kind else { return None };
        let (ExprKind::Name(name), [CallArg::Positional(argument)]) = (&callee.kind, args.as_slice()) else {
            return None;
        };
        let bindings = self.bindings;
        let Binding::Function(body, abstracted) = bindings.get(self.rule.variable(name)?)? else {
            return None;
        };
        let mut argument = argument.clone();
        self.expr(&mut argument);
        let whole = self.body(body, abstracted, &argument);
        self.done.insert(whole.id);
        Some(self.made(ExprKind::Paren(Box::new(whole))))
    }
}

fn inner_id(e: &Expr) -> NodeId {
    match &e.kind {
        ExprKind::Paren(inner) => inner.id,
        _ => e.id,
    }
}

impl VisitMut for RuleInstantiation<'_, '_> {
    fn node(&mut self, id: &mut NodeId, span: &mut Span) {
        *id = self.copies.unit.made.fresh();
        *span = self.span;
    }

    fn span(&mut self, span: &mut Span) {
        *span = self.span;
    }

    fn name(&mut self, name: &mut Name) {
        name.span = self.span;
        if let Some(new) = self.renamed.get(&name.text) {
            name.text.clone_from(new);
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        if self.done.contains(&e.id) {
            return;
        }
        if let Some(whole) = self.application(e) {
            *e = whole;
            return;
        }
        if let ExprKind::Name(name) = &e.kind {
            if let Some(new) = self.renamed.get(name) {
                e.kind = ExprKind::Name(new.clone());
                return change::expr_parts(self, e);
            }
            if let Some(value) = self.rule.variable(name).and_then(|place| self.value(place)) {
                *e = value;
                return;
            }
            change::expr_parts(self, e);
            if !self.rule.local {
                self.copies.marks.foreign.insert(e.id, self.rule.module);
            }
            return;
        }
        self.spreads(e);
        let meta = matches!(&e.kind, ExprKind::Call { callee, .. } if is_meta(callee));
        let before = self.spoken;
        self.spoken |= meta;
        change::expr_parts(self, e);
        self.spoken = before;
    }
}

impl<'a> Analyzer<'a> {
    /// Fresh names for those that a rule introduces, for one application.
    pub(super) fn new_names(&self, rule: &Rule<'a>, number: u32) -> BTreeMap<String, String> {
        let types = rule.variables.iter().filter(|variable| variable.role == Role::Type);
        let assigned = rule.introduced.assigned.iter().copied();
        let new = assigned.filter(|name| !rule.local || !self.frame.env.contains_key(*name));
        let names =
            new.chain(rule.introduced.params.iter().copied()).chain(types.map(|variable| variable.name));
        names.map(|name| (name.to_owned(), format!("{name}__{number}"))).collect()
    }

    /// A copy of an expression with its current replacements.
    pub(in crate::sema::infer) fn copied(&mut self, expr: &'a Expr, instead: Vec<(Expr, Expr)>) -> Expr {
        let mut copy = expr.clone();
        Copies {
            unit: self.unit,
            replaced: &self.frame.tables.replacements,
            stopped: &self.frame.stopped,
            marks: &mut self.marks,
            instead,
        }
        .expr(&mut copy);
        copy
    }

    /// Allocates an expression under the id of the one it replaces.
    pub(in crate::sema::infer) fn keep(
        &mut self,
        id: NodeId,
        span: Span,
        mut expr: Expr,
    ) -> (SyntheticId, &'a Expr) {
        if matches!(bare(&expr).kind, ExprKind::Lambda(_)) && !matches!(expr.kind, ExprKind::Paren(_)) {
            // Lambdas are identified by their ids, which must not equal those of other expressions.
            expr = Expr { id, span, kind: ExprKind::Paren(Box::new(expr)) };
        }
        (expr.id, expr.span) = (id, span);
        let unit = self.unit;
        let (made, expr) = unit.made.keep(expr);
        self.index.add_made(expr, self.frame.lexical.module);
        (made, expr)
    }
}
