//! Rewrite rules (`reduction` statements): after an expression is typed, the best matching rule replaces it, and the
//! replacement is typed in its place, until no rule applies. The AST is not changed; a table of the instance maps nodes
//! to replacements.
//!
//! Replacements are memoised per node: the fixpoints of loops and other instances of the function reuse them.

mod instantiate;
mod let_bind;
mod match_alternatives;
mod matching;
mod rules;

use super::Analyzer;
use crate::builtins;
use crate::message::{Category, Code, Message};
use crate::sema::flow_state::Environment;
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::made::SyntheticId;
use crate::syntax::printer::print_expr;
use crate::types::Type;
use crate::types::resolve::Bound;
pub(super) use instantiate::Marks;
use instantiate::{Copies, RuleInstantiation};
use let_bind::LetBinding;
use matching::{Binding, Found};
use rules::Rule;
pub(super) use rules::Rules;
use std::collections::{BTreeMap, BTreeSet};

/// The maximal number of rewrites of one expression.
const REWRITES: usize = 1000;
/// The maximal nesting of rewrites.
const NESTING: usize = 60;

/// A rule and the operands it was applied to, for the expression being typed.
#[derive(Debug)]
pub(super) struct Applied {
    rule: usize,
    operands: Vec<Expr>,
}

/// The replacement of an expression by one or several rules.
#[derive(Clone, Debug)]
pub(super) struct Replacement<'a> {
    pub(super) id: SyntheticId,
    pub(super) expr: &'a Expr,
    /// For each rule, the fresh names of its type variables.
    pub(super) types: Vec<BTreeMap<String, String>>,
    /// The operands that are let-bound before it.
    once: Vec<LetBinding>,
}

impl<'a> Replacement<'a> {
    /// A replacement that no rule made.
    pub(super) fn plain(id: SyntheticId, expr: &'a Expr) -> Self {
        Replacement { id, expr, types: Vec::new(), once: Vec::new() }
    }
}

/// Memoised replacements, by node, rules and the subtree at the node.
pub(super) type Memory<'a> = BTreeMap<Vec<u32>, Replacement<'a>>;

/// The state before an expression was typed, to roll back to.
struct Before {
    env: Environment,
    dead: bool,
    missed: bool,
    mark: usize,
    said: usize,
    defaults: usize,
}

/// A rule that applies, unconditionally or if its condition holds at run time.
struct Chosen<'a> {
    rule: usize,
    found: Found<'a>,
    conditional: bool,
}

/// Whether an expression assigns anything but variables that rules introduced.
struct Effects(bool);

impl<'a> walk::Visitor<'a> for Effects {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        self.0 |= match &expr.kind {
            ExprKind::Assign { target, .. } => match &**target {
                Target::Place { place: Expr { id, kind: ExprKind::Name(name), .. }, .. } => {
                    !(id.is_synthetic() && name.contains("__"))
                }
                _ => true,
            },
            ExprKind::Exchange { .. } | ExprKind::Declare { .. } => true,
            _ => false,
        };
        !matches!(expr.kind, ExprKind::Lambda(_))
    }
}

fn has_effect(expr: &Expr) -> bool {
    let mut effects = Effects(false);
    walk::expr(expr, &mut effects);
    effects.0
}

/// Counts the occurrences of a name.
struct Count<'x>(&'x str, usize);

impl<'a> walk::Visitor<'a> for Count<'_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        self.1 += usize::from(matches!(&expr.kind, ExprKind::Name(name) if name == self.0));
        true
    }
}

impl<'a> Analyzer<'a> {
    /// Types an expression and applies rules to it until none matches.
    pub(super) fn rewritten(&mut self, expr: &'a Expr, wanted: usize) -> Vec<Type> {
        self.frame.stopped.remove(&expr.id);
        if self.depth == 0 {
            self.frame.rewrites = 0;
        }
        let active = self.applied.len();
        let said = self.frame.messages.len();
        let mut current = expr;
        let mut last: Option<usize> = None;
        let types = loop {
            let local = &self.frame.lexical.rules;
            let candidates = match self.marks.settled.contains(&current.id) {
                true => Vec::new(),
                false => self.rules.candidates(self.frame.lexical.module, local, current),
            };
            if candidates.is_empty() || self.frame.rewrites > REWRITES {
                let types = self.typed(current, wanted);
                let shown = self.now(expr);
                if std::ptr::eq(shown, current) || std::ptr::eq(shown, expr) {
                    break types;
                }
                // A meta function replaced the expression.
                current = shown;
                continue;
            }
            let before = self.before();
            let speaks = self.frame.in_meta_operand || self.is_symbolic(current);
            let speaks = std::mem::replace(&mut self.frame.in_meta_operand, speaks);
            let types = self.typed(current, wanted);
            let changed = self.frame.in_meta_operand != speaks;
            self.frame.in_meta_operand = speaks;
            match self.apply(&candidates, current) {
                Some((replacement, rule)) => {
                    let text = (print_expr(&self.as_seen(current)), print_expr(replacement.expr));
                    self.restore(before);
                    self.forget_tree(expr);
                    self.trace(expr.span, rule, &text);
                    self.frame.tables.replacements.insert(expr.id, replacement.id);
                    self.forget_tree_of(replacement.expr);
                    current = replacement.expr;
                    self.rewrite_depth += usize::from(last.replace(rule).is_none());
                    if self.too_many(expr, rule) {
                        break vec![Type::Error];
                    }
                }
                None if changed => {
                    // No rule applied, so symbolic names are an error again.
                    self.restore(before);
                    break self.typed(current, wanted);
                }
                None => break types,
            }
        };
        self.applied.truncate(active);
        if let Some(rule) = last {
            self.rewrite_depth -= 1;
            self.blame(said, rule);
        }
        types
    }

    fn before(&self) -> Before {
        Before {
            env: self.frame.env.clone(),
            dead: self.frame.dead,
            missed: self.frame.reads_later_assignment,
            mark: self.frame.facts.mark(),
            said: self.frame.messages.len(),
            defaults: self.frame.tables.defaults.len(),
        }
    }

    fn restore(&mut self, before: Before) {
        self.frame.env = before.env;
        self.frame.dead = before.dead;
        self.frame.reads_later_assignment = before.missed;
        self.frame.facts.release(before.mark);
        self.unsay(before.said);
        self.frame.tables.defaults.truncate(before.defaults);
    }

    /// Drops the messages about a replaced expression, except the traces of rewrites.
    fn unsay(&mut self, said: usize) {
        let taken = self.frame.messages.split_off(said.min(self.frame.messages.len()));
        let traces = taken.into_iter().filter(|message| message.category == Category::Reduction);
        for trace in traces {
            self.say(trace);
        }
    }

    /// Clears the tables for an expression with its current replacements.
    fn forget_tree(&mut self, expr: &'a Expr) {
        let mut ids = Vec::new();
        self.visit(expr, &mut |e| ids.push(e.id));
        self.forget_nodes(ids);
        self.forget_tree_of(expr);
    }

    /// Clears the tables for an expression as it was written or made.
    pub(in crate::sema::infer) fn forget_tree_of(&mut self, expr: &'a Expr) {
        struct Ids(Vec<NodeId>);
        impl<'a> walk::Visitor<'a> for Ids {
            fn expr(&mut self, expr: &'a Expr) -> bool {
                self.0.push(expr.id);
                true
            }
        }
        let mut ids = Ids(Vec::new());
        walk::expr(expr, &mut ids);
        // The replacement's root has the same id as the replaced node: keep that entry.
        let whole = self.frame.tables.replacements.get(&expr.id).copied();
        self.forget_nodes(ids.0);
        if let Some(whole) = whole {
            self.frame.tables.replacements.insert(expr.id, whole);
        }
    }

    fn forget_nodes(&mut self, ids: Vec<NodeId>) {
        for id in ids {
            self.frame.tables.forget(&id);
            self.frame.known_components.remove(&id);
        }
    }

    fn as_seen(&self, expr: &'a Expr) -> Expr {
        crate::sema::overlay::in_expr(self.unit, &self.frame.tables.replacements, self.bare(expr))
    }

    fn trace(&mut self, span: Span, rule: usize, (before, after): &(String, String)) {
        let text = format!("{before} -> {after}");
        let rule = self.rules.all[rule].span;
        let message = Message::new(Code("Q0613"), Category::Reduction, span, text);
        self.say(message.related(rule, "by this rule"));
    }

    /// Adds the rule to errors in its replacement.
    fn blame(&mut self, said: usize, rule: usize) {
        let span = self.rules.all[rule].span;
        for message in self.frame.messages.iter_mut().skip(said) {
            let known = message.related.iter().any(|label| label.span == span);
            if message.category.is_error() && !known {
                *message = message.clone().related(span, "the expression was rewritten by this reduction");
            }
        }
    }

    /// Whether rewriting exceeds its limits; reports that once.
    fn too_many(&mut self, expr: &'a Expr, rule: usize) -> bool {
        self.frame.rewrites += 1;
        if self.frame.rewrites <= REWRITES && self.rewrite_depth <= NESTING {
            return false;
        }
        self.endless(expr, Some(rule));
        true
    }

    /// Reports rewriting that does not terminate.
    pub(super) fn endless(&mut self, expr: &Expr, rule: Option<usize>) -> Type {
        let rule = rule.or(self.applied.last().map(|applied| applied.rule));
        let again = self.frame.rewrites > REWRITES;
        self.frame.rewrites = REWRITES + 1;
        if again && self.frame.messages.iter().any(|message| message.code.0 == "Q0612") {
            return Type::Error;
        }
        let text = "possible circular reduction: this expression is rewritten again and again";
        let message = Message::error("Q0612", expr.span, text);
        self.say(match rule {
            Some(rule) => message.related(self.rules.all[rule].span, "at last by this rule"),
            None => message,
        });
        Type::Error
    }

    /// Applies the matching rules to an expression; also returns the first of them.
    fn apply(&mut self, candidates: &[usize], expr: &'a Expr) -> Option<(Replacement<'a>, usize)> {
        let mut found: Vec<(usize, Found<'a>)> = Vec::new();
        for k in candidates {
            let rule = self.rules.all[*k].clone();
            if let Some(one) = self.instance_of(&rule, expr)
                && self.preserves_effects(&rule, &one)
            {
                if self.is_applied(*k, &one) {
                    self.frame.stopped.insert(expr.id);
                    continue;
                }
                found.push((*k, one));
            }
        }
        found.sort_by_key(|(k, one)| (one.cost, !self.rules.all[*k].local, *k));
        let mut chosen: Vec<Chosen<'a>> = Vec::new();
        for (rule, found) in found {
            let conditional = match self.rules.all[rule].condition {
                None => false,
                Some(condition) => match self.holds(rule, &found, condition, expr) {
                    Some(true) => false,
                    Some(false) => continue,
                    None => true,
                },
            };
            chosen.push(Chosen { rule, found, conditional });
            if !conditional {
                break;
            }
        }
        let first = chosen.first()?.rule;
        if chosen.iter().any(|one| one.conditional) {
            // Conditions decided at run time are tested in declaration order.
            let certain = chosen.iter().position(|one| !one.conditional).unwrap_or(chosen.len());
            chosen[..certain].sort_by_key(|one| one.rule);
        }
        let replacement = self.replacement(&chosen, expr);
        self.remember_applied(&chosen, &replacement.once);
        Some((replacement, first))
    }

    /// Whether every operand with side effects occurs exactly once in the replacement and condition.
    fn preserves_effects(&self, rule: &Rule<'a>, found: &Found<'a>) -> bool {
        let once = |name: &str| {
            let mut count = Count(name, 0);
            walk::expr(rule.replacement, &mut count);
            rule.condition.iter().for_each(|condition| walk::expr(condition, &mut count));
            count.1 == 1
        };
        rule.variables.iter().zip(&found.bindings).all(|(variable, binding)| {
            let effect = match binding {
                Binding::One(expr) => has_effect(expr),
                Binding::Several(list) => list.iter().flatten().any(|expr| has_effect(expr)),
                Binding::Function(body, _) => has_effect(body),
                Binding::Functions(list) => list.iter().any(|(body, _)| has_effect(body)),
                Binding::Type => false,
            };
            !effect || once(variable.name)
        })
    }

    fn operands_of(&self, found: &Found<'a>) -> Vec<Expr> {
        let mut operands = Vec::new();
        for binding in &found.bindings {
            match binding {
                Binding::One(expr) => operands.push(self.plain(expr)),
                Binding::Several(list) => operands.extend(list.iter().flatten().map(|expr| self.plain(expr))),
                Binding::Function(body, argument) => {
                    operands.extend([self.plain(body), self.plain(argument)]);
                }
                Binding::Functions(list) => operands.extend(list.iter().map(|(body, _)| self.plain(body))),
                Binding::Type => {}
            }
        }
        operands
    }

    /// Whether the rule was already applied to the same operands on the way to this expression.
    fn is_applied(&self, rule: usize, found: &Found<'a>) -> bool {
        let mut known = self.applied.iter().filter(|applied| applied.rule == rule).peekable();
        if known.peek().is_none() {
            return false;
        }
        let operands = self.operands_of(found);
        known.any(|applied| applied.operands == operands)
    }

    /// The value of a rule's condition for a match; `None` if it is decided at run time.
    fn holds(&mut self, rule: usize, found: &Found<'a>, condition: &'a Expr, expr: &'a Expr) -> Option<bool> {
        let key = self.memory_key(expr, &[(rule, false, found)], 1);
        let replacement = match self.memory.get(&key) {
            Some(known) => known.clone(),
            None => {
                let number = self.unit.made.number();
                let (condition, names) = self.filled(rule, found, condition, expr, number, &[]);
                let id = self.unit.made.fresh();
                let (id, expr) = self.keep(id, expr.span, condition);
                let made = Replacement { types: vec![names], ..Replacement::plain(id, expr) };
                self.memory.insert(key, made.clone());
                made
            }
        };
        self.bind_types(&replacement.types[0], &found.types);
        self.forget_tree_of(replacement.expr);
        let said = self.frame.messages.len();
        let speaks = self.frame.in_meta_operand || self.is_symbolic(replacement.expr);
        let speaks = std::mem::replace(&mut self.frame.in_meta_operand, speaks);
        let ty = self.undone(replacement.expr);
        self.frame.in_meta_operand = speaks;
        if ty == Type::Error {
            // The error was reported; the rule does not apply.
            self.blame(said, rule);
            return Some(false);
        }
        self.frame.messages.truncate(said);
        let decided = self.truth(replacement.expr);
        self.forget_tree(replacement.expr);
        decided
    }

    /// The memo key of a replacement.
    fn memory_key(&self, expr: &'a Expr, rules: &[(usize, bool, &Found<'a>)], what: u32) -> Vec<u32> {
        let mut key = vec![what, expr.id.0];
        for (rule, conditional, found) in rules {
            key.extend([*rule as u32, u32::from(*conditional), found.rest.len() as u32]);
            for binding in &found.bindings {
                match binding {
                    Binding::One(e) => key.push(e.id.0),
                    Binding::Several(list) => key.extend(list.iter().map(|e| e.map_or(0, |e| e.id.0))),
                    Binding::Function(body, argument) => key.extend([body.id.0, argument.id.0]),
                    Binding::Functions(list) => key.extend(list.iter().flat_map(|(f, x)| [f.id.0, x.id.0])),
                    Binding::Type => key.push(0),
                }
                key.push(u32::MAX);
            }
            key.extend(found.rest.iter().map(|term| term.id.0));
        }
        self.visit(expr, &mut |e| {
            key.push(e.id.0);
            key.extend(self.frame.tables.replacements.get(&e.id).map(|made| made.0));
            key.push(u32::from(self.frame.stopped.contains(&e.id)));
        });
        key
    }

    /// The replacement by the chosen rules: a chain of `?:` whose last alternative is the unconditional rule or the
    /// expression itself.
    fn replacement(&mut self, chosen: &[Chosen<'a>], expr: &'a Expr) -> Replacement<'a> {
        let list: Vec<(usize, bool, &Found<'a>)> =
            chosen.iter().map(|one| (one.rule, one.conditional, &one.found)).collect();
        let key = self.memory_key(expr, &list, 0);
        let known = self.memory.get(&key).cloned();
        let replacement = match known {
            Some(known) => known,
            None => {
                let made = self.made_by(chosen, expr);
                self.memory.insert(key, made.clone());
                made
            }
        };
        for (names, one) in replacement.types.iter().zip(chosen) {
            self.bind_types(names, &one.found.types);
        }
        replacement
    }

    fn made_by(&mut self, chosen: &[Chosen<'a>], expr: &'a Expr) -> Replacement<'a> {
        let mut result: Option<Expr> = None;
        let mut types = Vec::new();
        let span = expr.span;
        let once = self.computed_once(chosen, expr);
        if chosen.last().is_some_and(|one| one.conditional) {
            let named = once.iter().map(|(once, _)| {
                let name = self.node(ExprKind::Name(once.variable.clone()), span);
                (once.plain.clone(), name)
            });
            let named = named.collect();
            let mut otherwise = match self.error_if_uncovered(expr) {
                Some(error) => error,
                None => self.copied(self.bare(expr), named),
            };
            otherwise.id = self.unit.made.fresh();
            self.marks.settled.insert(otherwise.id);
            result = Some(otherwise);
        }
        for one in chosen.iter().rev() {
            let number = self.unit.made.number();
            let rule = self.rules.all[one.rule].clone();
            let (value, names) = self.filled(one.rule, &one.found, rule.replacement, expr, number, &once);
            let value = self.with_rest(value, &one.found.rest, span);
            result = Some(match (result, rule.condition.filter(|_| one.conditional)) {
                (Some(otherwise), Some(condition)) => {
                    let (condition, _) = self.filled(one.rule, &one.found, condition, expr, number, &once);
                    let [condition, then, otherwise] = [condition, value, otherwise]
                        .map(|part| self.node(ExprKind::Paren(Box::new(part)), span));
                    let kind = ExprKind::Ternary {
                        condition: Box::new(condition),
                        then: Box::new(then),
                        otherwise: Box::new(otherwise),
                    };
                    self.node(kind, span)
                }
                _ => value,
            });
            types.push(names);
        }
        types.reverse();
        let result = result.unwrap_or_else(|| expr.clone());
        let result = self.behind_operands(&once, result);
        let (id, expr) = self.keep(expr.id, span, result);
        let once = once.into_iter().map(|(once, _)| once).collect();
        Replacement { types, once, ..Replacement::plain(id, expr) }
    }

    /// What stands where no rule applies for a call of a name that only rules define: an error at run time.
    fn error_if_uncovered(&mut self, expr: &'a Expr) -> Option<Expr> {
        let ExprKind::Call { callee, .. } = &self.bare(expr).kind else { return None };
        let ExprKind::Name(name) = &callee.kind else { return None };
        if self.frame.tables.names.contains_key(&callee.id)
            || self.frame.tables.types.get(&expr.id) != Some(&Type::Error)
            || builtins::exists(name)
            || !self.module_functions(self.home(callee.id), name).is_empty()
        {
            return None;
        }
        let text = format!("no reduction covers '{}': none of their conditions holds", print_expr(expr));
        let text = self.node(ExprKind::Text(text), expr.span);
        let callee = Box::new(self.node(ExprKind::Name("error".to_owned()), expr.span));
        Some(self.node(ExprKind::Call { callee, args: vec![CallArg::Positional(text)] }, expr.span))
    }

    /// A synthesised node.
    pub(in crate::sema::infer) fn node(&self, kind: ExprKind, span: Span) -> Expr {
        Expr { id: self.unit.made.fresh(), span, kind }
    }

    /// Adds the terms of a sum that the pattern did not match.
    fn with_rest(&mut self, value: Expr, rest: &[&'a Expr], span: Span) -> Expr {
        let mut sum = value;
        for (k, term) in rest.iter().enumerate() {
            let term = self.copied(term, Vec::new());
            let (lhs, rhs) = (self.node(ExprKind::Paren(Box::new(sum)), span), term);
            let lhs = if k == 0 { lhs } else { unwrapped(lhs) };
            sum =
                self.node(ExprKind::Infix { op: InfixOp::Add, lhs: Box::new(lhs), rhs: Box::new(rhs) }, span);
        }
        sum
    }

    /// Instantiates the replacement or condition of a rule; also returns the fresh names of its type variables.
    fn filled(
        &mut self,
        rule: usize,
        found: &Found<'a>,
        text: &'a Expr,
        place: &'a Expr,
        number: u32,
        once: &[(LetBinding, &'a Expr)],
    ) -> (Expr, BTreeMap<String, String>) {
        let rule = self.rules.all[rule].clone();
        let renamed = self.new_names(&rule, number);
        let types = found
            .types
            .iter()
            .filter_map(|(name, _)| renamed.get(name).map(|new| (name.clone(), new.clone())));
        let types = types.collect();
        let is_once = |operand: &'a Expr| {
            once.iter()
                .find(|(once, _)| once.plain == self.plain(operand))
                .map(|(once, _)| once.variable.clone())
        };
        let named = found.bindings.iter().map(|binding| match binding {
            Binding::One(operand) if !once.is_empty() => is_once(operand),
            _ => None,
        });
        let named: Vec<Option<String>> = named.collect();
        let copies = Copies {
            unit: self.unit,
            replaced: &self.frame.tables.replacements,
            stopped: &self.frame.stopped,
            marks: &mut self.marks,
            instead: Vec::new(),
        };
        let mut fills = RuleInstantiation {
            copies,
            rule: &rule,
            bindings: &found.bindings,
            named,
            spoken: false,
            span: place.span,
            renamed,
            done: BTreeSet::new(),
        };
        let mut whole = text.clone();
        crate::syntax::change::VisitMut::expr(&mut fills, &mut whole);
        (whole, types)
    }

    /// Binds the fresh names of types, sizes and dimensions in a replacement.
    fn bind_types(&mut self, names: &BTreeMap<String, String>, types: &[(String, Option<Bound>)]) {
        for (name, bound) in types {
            let Some(new) = names.get(name) else { continue };
            let bindings = &mut self.frame.lexical.bindings;
            match bindings.iter_mut().find(|(known, _)| known == new) {
                Some((_, known)) => known.clone_from(bound),
                None => bindings.push((new.clone(), bound.clone())),
            }
        }
    }

    /// Names that local rules may introduce into a body.
    pub(super) fn names_of_local_rules(&self) -> Vec<&'a str> {
        struct Names<'a>(Vec<&'a str>);
        impl<'a> walk::Visitor<'a> for Names<'a> {
            fn expr(&mut self, expr: &'a Expr) -> bool {
                if let ExprKind::Name(name) = &expr.kind {
                    self.0.push(name);
                }
                true
            }
        }
        let mut names = Names(Vec::new());
        for rule in self.rules.local(&self.frame.lexical.rules) {
            walk::expr(rule.replacement, &mut names);
            rule.condition.iter().for_each(|condition| walk::expr(condition, &mut names));
            names.0.retain(|name| rule.variable(name).is_none());
        }
        names.0
    }
}

fn unwrapped(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Paren(inner) => *inner,
        kind => Expr { kind, ..expr },
    }
}
