//! Match alternatives: all ways in which one expression may be an instance of one pattern node.

use super::super::Analyzer;
use super::super::expressions::bare;
use super::matching::{Alternative, Attempt, Binding, Goal, applied, commutes};
use super::rules::{Role, Rule};
use crate::sema::model::{Constant, NameUse};
use crate::sema::walk;
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use crate::syntax::compare::without_parens;

/// Builtin functions of two arguments that commute.
const SYMMETRIC: [&str; 2] = ["max", "min"];

/// The elementwise variant of an operator, if it has one.
fn by_element(op: InfixOp) -> InfixOp {
    match op {
        InfixOp::Multiply => InfixOp::DotMultiply,
        InfixOp::Divide => InfixOp::DotDivide,
        InfixOp::Power => InfixOp::DotPower,
        op => op,
    }
}

impl<'a> Analyzer<'a> {
    pub(super) fn ways(
        &mut self,
        attempt: &Attempt<'_, 'a>,
        goal: &Goal<'a>,
        root: bool,
    ) -> Vec<Alternative<'a>> {
        match goal {
            Goal::Same(pattern, expr) => self.ways_to_be(attempt, bare(pattern), self.bare(expr), root),
            Goal::Terms { op, patterns, terms, open } => ways_of_terms(*op, patterns, terms, *open),
            Goal::Each(pattern, terms) => self.each_term(attempt, pattern, terms).into_iter().collect(),
        }
    }

    fn ways_to_be(
        &mut self,
        attempt: &Attempt<'_, 'a>,
        pattern: &'a Expr,
        expr: &'a Expr,
        root: bool,
    ) -> Vec<Alternative<'a>> {
        if let ExprKind::Name(name) = &pattern.kind
            && let Some(place) = attempt.rule.variable(name)
        {
            let types = attempt.rule.variables[place].role == Role::Type;
            return if types { Vec::new() } else { vec![Alternative::takes(place, Binding::One(expr))] };
        }
        if let Some((function, argument)) = applied(attempt.rule, pattern) {
            return self.abstractions(attempt, function, bare(argument), expr);
        }
        match (&pattern.kind, &expr.kind) {
            (ExprKind::Infix { op, .. }, ExprKind::Infix { op: other, lhs, rhs })
                if op == other || by_element(*op) == by_element(*other) && self.numbers(lhs, rhs) =>
            {
                self.ways_of_operator(*op, pattern, expr, root)
            }
            (ExprKind::Call { callee, args }, _)
                if self.is_sum_of_terms(attempt.rule, callee, args).is_some() =>
            {
                let term = self.is_sum_of_terms(attempt.rule, callee, args);
                let mut terms = Vec::new();
                self.flatten(InfixOp::Add, expr, &mut terms);
                term.map(|term| Alternative::goals(vec![Goal::Each(term, terms)])).into_iter().collect()
            }
            (ExprKind::Call { callee, args }, ExprKind::Call { callee: other, args: given }) => {
                self.ways_of_call(attempt.rule, (callee, args), (other, given))
            }
            _ => self.way_of_parts(attempt.rule, pattern, expr).into_iter().collect(),
        }
    }

    /// The alternative that matches the children of both nodes pairwise.
    fn way_of_parts(&self, rule: &Rule<'a>, pattern: &'a Expr, expr: &'a Expr) -> Option<Alternative<'a>> {
        let pairs = |list: &[(&'a Expr, &'a Expr)]| {
            Some(Alternative::goals(list.iter().map(|(pattern, expr)| Goal::Same(pattern, expr)).collect()))
        };
        match (&pattern.kind, &expr.kind) {
            (ExprKind::Number(number), _) => self.is_number(*number, expr).then(Alternative::default),
            (ExprKind::Name(_), ExprKind::Name(_)) => {
                self.same_name(rule, pattern, expr).then(Alternative::default)
            }
            (ExprKind::Prefix { op, operand }, ExprKind::Prefix { op: other, operand: given })
                if op == other =>
            {
                pairs(&[(operand, given)])
            }
            (ExprKind::Range { from, step, to }, ExprKind::Range { from: low, step: by, to: high }) => {
                match (step, by) {
                    (None, None) => pairs(&[(from, low), (to, high)]),
                    (Some(step), Some(by)) => pairs(&[(from, low), (step, by), (to, high)]),
                    _ => None,
                }
            }
            (
                ExprKind::Ternary { condition, then, otherwise },
                ExprKind::Ternary { condition: test, then: first, otherwise: second },
            ) => pairs(&[(condition, test), (then, first), (otherwise, second)]),
            (ExprKind::Member { base, member }, ExprKind::Member { base: of, member: found })
                if member.text == found.text =>
            {
                pairs(&[(base, of)])
            }
            (ExprKind::Index { base, indices }, ExprKind::Index { base: of, indices: given }) => {
                let part = |index: &'a IndexArg| match index {
                    IndexArg::All(_) => Part::All,
                    IndexArg::Expr(e) => Part::One(e),
                    IndexArg::Spread(e) => Part::Spread(e),
                };
                let mut way = lists(rule, indices.iter().map(part), given.iter().map(part))?;
                way.goals.push(Goal::Same(base, of));
                Some(way)
            }
            (ExprKind::Array(items), ExprKind::Array(given))
            | (ExprKind::Cell(items), ExprKind::Cell(given)) => {
                let part = |item: &'a Element| match item {
                    Element::Expr(e) => Part::One(e),
                    Element::Spread(e) => Part::Spread(e),
                };
                lists(rule, items.iter().map(part), given.iter().map(part))
            }
            (
                ExprKind::Assign { target, op, value },
                ExprKind::Assign { target: to, op: other, value: given },
            ) if op == other => match (&**target, &**to) {
                (
                    Target::Place { place, annotation: None },
                    Target::Place { place: written, annotation: None },
                ) => pairs(&[(place, written), (value, given)]),
                _ => None,
            },
            (
                ExprKind::Text(_)
                | ExprKind::Type(_)
                | ExprKind::Lambda(_)
                | ExprKind::Meta { .. }
                | ExprKind::TypeCheck { .. }
                | ExprKind::Instantiate { .. },
                _,
            ) => (without_parens(pattern) == self.plain(expr)).then(Alternative::default),
            _ => None,
        }
    }

    fn ways_of_operator(
        &mut self,
        op: InfixOp,
        pattern: &'a Expr,
        expr: &'a Expr,
        root: bool,
    ) -> Vec<Alternative<'a>> {
        let (ExprKind::Infix { lhs: p, rhs: q, .. }, ExprKind::Infix { lhs: a, rhs: b, .. }) =
            (&pattern.kind, &expr.kind)
        else {
            return Vec::new();
        };
        let mut ways = vec![Alternative::goals(vec![Goal::Same(q, b), Goal::Same(p, a)])];
        let number = |e: &'a Expr| self.operand_type(self.bare(e)).is_some_and(|ty| ty.is_number());
        if commutes(op) && (!matches!(op, InfixOp::Multiply) || number(a) || number(b)) {
            ways.push(Alternative::goals(vec![Goal::Same(q, a), Goal::Same(p, b)]));
        }
        if op == InfixOp::Add {
            let (mut patterns, mut terms) = (Vec::new(), Vec::new());
            flat(op, pattern, &mut patterns);
            // The most selective patterns first: a variable may match any term.
            patterns.sort_by_key(|pattern| matches!(pattern.kind, ExprKind::Name(_)));
            self.flatten(op, expr, &mut terms);
            if patterns.len() <= terms.len() && terms.len() > 2 {
                ways.push(Alternative::goals(vec![Goal::Terms { op, patterns, terms, open: root }]));
            }
        }
        ways
    }

    /// Whether both operands are scalars, for which an elementwise operator is equivalent.
    fn numbers(&self, lhs: &'a Expr, rhs: &'a Expr) -> bool {
        [lhs, rhs].into_iter().all(|e| self.operand_type(self.bare(e)).is_some_and(|ty| ty.is_number()))
    }

    /// The terms of a chain of one operator.
    fn flatten(&self, op: InfixOp, expr: &'a Expr, into: &mut Vec<&'a Expr>) {
        match &self.bare(expr).kind {
            ExprKind::Infix { op: other, lhs, rhs } if *other == op => {
                self.flatten(op, lhs, into);
                self.flatten(op, rhs, into);
            }
            _ => into.push(self.bare(expr)),
        }
    }

    /// The pattern of a term in `sum([ .. ])`.
    fn is_sum_of_terms(&self, rule: &Rule<'a>, callee: &'a Expr, args: &'a [CallArg]) -> Option<&'a Expr> {
        let ExprKind::Name(name) = &callee.kind else { return None };
        let [CallArg::Positional(Expr { kind: ExprKind::Array(items), .. })] = args else { return None };
        let [Element::Expr(term)] = items.as_slice() else { return None };
        let mut names = Variadic { rule, found: false };
        walk::expr(term, &mut names);
        (name == "sum" && names.found).then_some(term)
    }

    fn ways_of_call(
        &self,
        rule: &Rule<'a>,
        (callee, args): (&'a Expr, &'a [CallArg]),
        (other, given): (&'a Expr, &'a [CallArg]),
    ) -> Vec<Alternative<'a>> {
        let (callee, other) = (bare(callee), bare(other));
        let mut goals = Vec::new();
        let same = match (&callee.kind, &other.kind) {
            (ExprKind::Name(_), ExprKind::Name(_)) => self.same_name(rule, callee, other),
            (ExprKind::Member { base, member }, ExprKind::Member { base: of, member: found }) => {
                goals.push(Goal::Same(base, of));
                member.text == found.text
            }
            // An operator over functions.
            (ExprKind::Infix { .. }, ExprKind::Infix { .. })
            | (ExprKind::Prefix { .. }, ExprKind::Prefix { .. }) => {
                goals.push(Goal::Same(callee, other));
                true
            }
            _ => without_parens(callee) == self.plain(other),
        };
        if !same {
            return Vec::new();
        }
        let part = |arg: &'a CallArg| match arg {
            CallArg::Positional(e) => Part::One(e),
            CallArg::Named(name, e) => Part::Named(&name.text, e),
            CallArg::Spread(e) => Part::Spread(e),
        };
        let mut ways: Vec<Alternative<'a>> =
            lists(rule, args.iter().map(part), given.iter().map(part)).into_iter().collect();
        let symmetric = matches!(&callee.kind, ExprKind::Name(name) if SYMMETRIC.contains(&name.as_str()));
        if symmetric && args.len() == 2 && given.len() == 2 {
            ways.extend(lists(rule, args.iter().map(part), given.iter().rev().map(part)));
        }
        ways.iter_mut().for_each(|way| way.goals.extend(goals.iter().cloned()));
        ways
    }

    /// Whether a name in a pattern and one in the program refer to the same definition.
    fn same_name(&self, rule: &Rule<'a>, pattern: &Expr, expr: &Expr) -> bool {
        let (ExprKind::Name(name), ExprKind::Name(other)) = (&pattern.kind, &expr.kind) else { return false };
        if name != other {
            return false;
        }
        let ours = self.module_functions(rule.module, name);
        match self.frame.tables.names.get(&expr.id) {
            Some(NameUse::Local(_) | NameUse::Special(_)) => rule.local,
            Some(NameUse::Global(unique)) => {
                self.global(rule.module, name).is_some_and(|(_, global)| global.unique == *unique)
            }
            Some(NameUse::Function(id)) => rule.local || ours.contains(id),
            Some(NameUse::Constant) | None => {
                let theirs = self.module_functions(self.home(expr.id), name);
                let common =
                    theirs.iter().any(|id| ours.contains(id)) || theirs.is_empty() && ours.is_empty();
                let hidden = !expr.id.is_synthetic() && self.frame.env.contains_key(name);
                rule.local || (common && !hidden)
            }
        }
    }

    /// Whether an expression is this number, as a literal or constant.
    fn is_number(&self, number: Number, expr: &Expr) -> bool {
        let value = match number {
            Number::Int(n) => n as f64,
            Number::Float(x) => x,
            Number::Imaginary(_) => return matches!(&expr.kind, ExprKind::Number(other) if *other == number),
        };
        // Other expressions of this value may have side effects.
        let plain = matches!(expr.kind, ExprKind::Number(_) | ExprKind::Name(_) | ExprKind::Prefix { .. });
        match self.frame.tables.constants.get(&expr.id) {
            Some(Constant::Scalar(found)) if plain => {
                // The literal may have been rounded to the working precision.
                !found.element_type().is_complex()
                    && (found.as_f64() == value || found.as_f64() == f64::from(value as f32))
            }
            _ => false,
        }
    }

    /// Alternatives for `f(x)`: abstractions over the subexpressions that `x` may match.
    fn abstractions(
        &mut self,
        attempt: &Attempt<'_, 'a>,
        function: usize,
        argument: &'a Expr,
        expr: &'a Expr,
    ) -> Vec<Alternative<'a>> {
        let ExprKind::Name(name) = &argument.kind else { return Vec::new() };
        let Some(place) = attempt.rule.variable(name) else { return Vec::new() };
        let bound = match &attempt.slots[place] {
            Some(Binding::One(bound)) => Some(*bound),
            Some(_) => return Vec::new(),
            None => None,
        };
        if let Some(Binding::Function(body, abstracted)) = &attempt.slots[function] {
            let same = self.applied_to(body, abstracted, bound.unwrap_or(abstracted)) == self.plain(expr);
            let mut way = Alternative::default();
            if bound.is_none() {
                way.takes.push((place, Binding::One(abstracted)));
            }
            return if same { vec![way] } else { Vec::new() };
        }
        let candidates = match bound {
            Some(bound) => vec![bound],
            None => self.subjects(expr),
        };
        let contained = candidates.into_iter().filter(|candidate| self.stands_in(expr, candidate));
        let way = |candidate: &'a Expr| Alternative {
            takes: vec![(place, Binding::One(candidate)), (function, Binding::Function(expr, candidate))],
            ..Alternative::default()
        };
        contained.map(way).collect()
    }

    /// Candidates for abstraction: variables, symbolic ones first, and the arguments of a call.
    fn subjects(&self, expr: &'a Expr) -> Vec<&'a Expr> {
        let mut names: Vec<&'a Expr> = Vec::new();
        self.visit(expr, &mut |e| {
            if let ExprKind::Name(name) = &e.kind
                && self.frame.env.get(name).is_some_and(|variable| variable.self_function.is_none())
                && !names.iter().any(|known| known.kind == e.kind)
            {
                names.push(e);
            }
        });
        let symbolic = |e: &Expr| match &e.kind {
            ExprKind::Name(name) => self.frame.env.get(name).is_some_and(|variable| variable.symbolic),
            _ => false,
        };
        names.sort_by_key(|e| !symbolic(e));
        if let ExprKind::Call { args, .. } = &expr.kind {
            names.extend(args.iter().filter_map(|arg| match arg {
                CallArg::Positional(e) => Some(self.bare(e)),
                CallArg::Named(..) | CallArg::Spread(_) => None,
            }));
        }
        names
    }

    /// Whether an expression contains another one.
    fn stands_in(&self, whole: &'a Expr, part: &'a Expr) -> bool {
        let part = self.plain(part);
        let mut found = false;
        self.visit(whole, &mut |e| found |= self.plain(e) == part);
        found
    }

    /// Visits an expression and its descendants, with their current replacements.
    pub(super) fn visit(&self, expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
        let expr = self.now(expr);
        f(expr);
        crate::syntax::walk::for_each_child(&expr.kind, &mut |child| {
            if let crate::syntax::walk::Node::Expr(child) = child {
                self.visit(child, f);
            }
        });
    }

    /// The body of a captured function, applied to another argument.
    fn applied_to(&self, body: &'a Expr, abstracted: &'a Expr, argument: &'a Expr) -> Expr {
        struct Replace {
            from: Expr,
            to: Expr,
        }
        impl VisitMut for Replace {
            fn expr(&mut self, e: &mut Expr) {
                if *e == self.from { *e = self.to.clone() } else { change::expr_parts(self, e) }
            }
        }
        let mut whole = self.plain(body);
        Replace { from: self.plain(abstracted), to: self.plain(argument) }.expr(&mut whole);
        whole
    }

    /// Matches each term of a sum and gathers the values of the variadic variables.
    fn each_term(
        &mut self,
        attempt: &Attempt<'_, 'a>,
        pattern: &'a Expr,
        terms: &[&'a Expr],
    ) -> Option<Alternative<'a>> {
        let rule = attempt.rule;
        let variadic: Vec<usize> =
            (0..rule.variables.len()).filter(|k| rule.variables[*k].variadic).collect();
        let mut shared = attempt.slots.clone();
        let mut found: Vec<Vec<Option<Binding<'a>>>> = vec![Vec::new(); variadic.len()];
        for term in terms {
            let mut slots = shared.clone();
            variadic.iter().for_each(|k| slots[*k] = None);
            let mut one = Attempt { rule, slots, rest: Vec::new(), steps: attempt.steps / 2, part: true };
            let whole = self.prove_goals(&mut one, vec![Goal::Same(pattern, term)], false).is_some();
            let without = match (whole, &bare(pattern).kind) {
                (true, _) => None,
                // An implicit coefficient is 1.
                (false, ExprKind::Infix { op: InfixOp::Multiply | InfixOp::DotMultiply, rhs, .. }) => {
                    Some(&**rhs)
                }
                (false, _) => return None,
            };
            if let Some(without) = without {
                self.prove_goals(&mut one, vec![Goal::Same(without, term)], false)?;
            }
            for (k, list) in variadic.iter().zip(&mut found) {
                list.push(one.slots[*k].take());
            }
            shared = one.slots;
        }
        let mut way = Alternative::default();
        for (k, list) in variadic.into_iter().zip(found) {
            way.takes.push((k, gathered(list)?));
        }
        for (k, slot) in shared.into_iter().enumerate() {
            if let (Some(binding), false) = (slot, rule.variables[k].variadic) {
                way.takes.push((k, binding));
            }
        }
        Some(way)
    }

    /// The module in which a name is resolved.
    pub(in crate::sema::infer) fn home(&self, id: NodeId) -> usize {
        match id.is_synthetic() {
            true => self.marks.foreign.get(&id).copied().unwrap_or(self.frame.lexical.module),
            false => self.frame.lexical.module,
        }
    }

    /// Whether a name came from a rule of a module, so that it is not resolved in the current function.
    pub(in crate::sema::infer) fn is_foreign(&self, id: NodeId) -> bool {
        let rules = id.is_synthetic() && self.marks.foreign.contains_key(&id);
        rules && !(self.frame.top_level && self.home(id) == self.frame.lexical.module)
    }
}

/// Gathers the bindings of one variadic variable in all terms of a sum.
fn gathered<'a>(list: Vec<Option<Binding<'a>>>) -> Option<Binding<'a>> {
    if list.iter().any(|binding| matches!(binding, Some(Binding::Function(..)))) {
        let functions = list.into_iter().map(|binding| match binding {
            Some(Binding::Function(body, argument)) => Some((body, argument)),
            _ => None,
        });
        return functions.collect::<Option<Vec<_>>>().map(Binding::Functions);
    }
    let values = list.into_iter().map(|binding| match binding {
        Some(Binding::One(expr)) => Some(Some(expr)),
        None => Some(None),
        _ => None,
    });
    values.collect::<Option<Vec<_>>>().map(Binding::Several)
}

/// The terms of a chain in a pattern.
fn flat<'a>(op: InfixOp, pattern: &'a Expr, into: &mut Vec<&'a Expr>) {
    match &bare(pattern).kind {
        ExprKind::Infix { op: other, lhs, rhs } if *other == op => {
            flat(op, lhs, into);
            flat(op, rhs, into);
        }
        _ => into.push(bare(pattern)),
    }
}

/// Matches the first pattern with each of the terms; the others remain a goal for the rest.
fn ways_of_terms<'a>(
    op: InfixOp,
    patterns: &[&'a Expr],
    terms: &[&'a Expr],
    open: bool,
) -> Vec<Alternative<'a>> {
    let Some((first, others)) = patterns.split_first() else {
        let done = terms.is_empty() || open;
        return if done {
            vec![Alternative { rest: terms.to_vec(), ..Alternative::default() }]
        } else {
            Vec::new()
        };
    };
    let one = |k: usize| {
        let mut left = terms.to_vec();
        let term = left.remove(k);
        let rest = Goal::Terms { op, patterns: others.to_vec(), terms: left, open };
        Alternative::goals(vec![rest, Goal::Same(first, term)])
    };
    (0..terms.len()).map(one).collect()
}

/// An item of a list of arguments, indices or elements.
enum Part<'a> {
    All,
    One(&'a Expr),
    Named(&'a str, &'a Expr),
    Spread(&'a Expr),
}

/// Matches lists; `...a` with a variadic variable takes all items that remain.
fn lists<'a>(
    rule: &Rule<'a>,
    patterns: impl Iterator<Item = Part<'a>>,
    given: impl Iterator<Item = Part<'a>>,
) -> Option<Alternative<'a>> {
    let (patterns, given): (Vec<Part<'a>>, Vec<Part<'a>>) = (patterns.collect(), given.collect());
    let spread = |part: &Part<'a>| match part {
        Part::Spread(Expr { kind: ExprKind::Name(name), .. }) => {
            rule.variable(name).filter(|place| rule.variables[*place].variadic)
        }
        _ => None,
    };
    let variadic = patterns.iter().filter_map(spread).count();
    let many = given.len().checked_sub(patterns.len() - variadic)?;
    if variadic > 1 || variadic == 0 && many > 0 {
        return None;
    }
    let mut way = Alternative::default();
    let mut given = given.into_iter();
    for pattern in &patterns {
        if let Some(place) = spread(pattern) {
            let taken = given.by_ref().take(many).map(|part| match part {
                Part::One(e) => Some(Some(e)),
                _ => None,
            });
            way.takes.push((place, Binding::Several(taken.collect::<Option<Vec<_>>>()?)));
            continue;
        }
        match (pattern, given.next()?) {
            (Part::All, Part::All) => {}
            (Part::One(p), Part::One(e)) | (Part::Spread(p), Part::Spread(e)) => {
                way.goals.push(Goal::Same(p, e));
            }
            (Part::Named(name, p), Part::Named(other, e)) if *name == other => {
                way.goals.push(Goal::Same(p, e))
            }
            _ => return None,
        }
    }
    way.goals.reverse();
    Some(way)
}

/// Whether an expression names a variadic variable.
struct Variadic<'r, 'a> {
    rule: &'r Rule<'a>,
    found: bool,
}

impl<'a> walk::Visitor<'a> for Variadic<'_, '_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        if let ExprKind::Name(name) = &expr.kind {
            self.found |= self.rule.variable(name).is_some_and(|place| self.rule.variables[place].variadic);
        }
        true
    }
}
