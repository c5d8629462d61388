//! Pattern matching with backtracking: whether an expression is an instance of a pattern. Alternatives (commuting
//! operands, terms of sums, what a captured function abstracts over) come from `ways` and are tried in turn.

use super::super::Analyzer;
use super::super::expressions::bare;
use super::rules::{PatternVariable, Role, Rule};
use crate::sema::scope::Lexical;
use crate::syntax::ast::*;
use crate::syntax::compare::without_parens;
use crate::types::convert::conversion;
use crate::types::resolve::{Bound, Resolved};
use crate::types::{ElementType, Rank, Type};

/// The step limit of one match; a pattern that exceeds it does not match.
const STEPS: usize = 3000;

/// Costs of an untyped variable, of a type class, and of an integer literal for another number type.
const ANYTHING: u32 = 12;
const CLASS: u32 = 11;
const LITERAL: u32 = 3;

/// Whether the operands of an operator commute; those of a matrix product do only if one is a scalar.
pub(super) fn commutes(op: InfixOp) -> bool {
    matches!(
        op,
        InfixOp::Add
            | InfixOp::Multiply
            | InfixOp::DotMultiply
            | InfixOp::Equal
            | InfixOp::NotEqual
            | InfixOp::And
            | InfixOp::Or
    )
}

/// The binding of a pattern variable.
#[derive(Clone, Debug)]
pub(super) enum Binding<'a> {
    /// An expression.
    One(&'a Expr),
    /// Several arguments or elements; `None` is an implicit coefficient.
    Several(Vec<Option<&'a Expr>>),
    /// The function that maps the second expression to the first, which contains it.
    Function(&'a Expr, &'a Expr),
    /// One function for each term of a sum.
    Functions(Vec<(&'a Expr, &'a Expr)>),
    /// A type, size or dimension, determined by the types of other variables.
    Type,
}

/// Types, sizes and dimensions by their names in a rule.
type BoundTypes = Vec<(String, Option<Bound>)>;

/// A match of a pattern.
#[derive(Clone, Debug)]
pub(super) struct Found<'a> {
    pub(super) bindings: Vec<Binding<'a>>,
    /// The values of types, sizes and dimensions, by their names in the rule.
    pub(super) types: BoundTypes,
    /// The conversion distance between the types of the operands and those of the variables.
    pub(super) cost: u32,
    /// The terms of a sum that the pattern does not cover.
    pub(super) rest: Vec<&'a Expr>,
}

/// A goal of the search.
#[derive(Clone, Debug)]
pub(super) enum Goal<'a> {
    /// The expression (second) is an instance of the pattern (first).
    Same(&'a Expr, &'a Expr),
    /// The patterns match terms in any order; `open` allows unmatched terms.
    Terms { op: InfixOp, patterns: Vec<&'a Expr>, terms: Vec<&'a Expr>, open: bool },
    /// Each term matches the pattern, with its own values of the variadic variables.
    Each(&'a Expr, Vec<&'a Expr>),
}

/// The state of one match.
pub(super) struct Attempt<'r, 'a> {
    pub(super) rule: &'r Rule<'a>,
    pub(super) slots: Vec<Option<Binding<'a>>>,
    pub(super) rest: Vec<&'a Expr>,
    pub(super) steps: usize,
    /// Whether only a part of the pattern is matched, so that variables may stay unbound.
    pub(super) part: bool,
}

impl<'a> Analyzer<'a> {
    /// An expression with its current replacements, without parentheses.
    pub(in crate::sema::infer) fn bare(&self, expr: &'a Expr) -> &'a Expr {
        let mut expr = self.now(expr);
        while let ExprKind::Paren(inner) = &expr.kind {
            expr = self.now(inner);
        }
        expr
    }

    /// The current replacement of an expression, or the expression itself.
    pub(in crate::sema::infer) fn now(&self, expr: &'a Expr) -> &'a Expr {
        if self.frame.tables.replacements.is_empty() {
            return expr;
        }
        let unit = self.unit;
        let made = self.frame.tables.replacements.get(&expr.id).and_then(|id| unit.made.expr(*id));
        made.unwrap_or(expr)
    }

    /// Matches an expression against a rule's pattern.
    pub(super) fn instance_of(&mut self, rule: &Rule<'a>, expr: &'a Expr) -> Option<Found<'a>> {
        let slots = vec![None; rule.variables.len()];
        let mut attempt = Attempt { rule, slots, rest: Vec::new(), steps: STEPS, part: false };
        let goals = vec![Goal::Same(rule.pattern, expr)];
        let (types, cost) = self.prove_goals(&mut attempt, goals, true)?;
        let bindings = attempt.slots.into_iter().map(|slot| slot.unwrap_or(Binding::Type)).collect();
        Some(Found { bindings, types, cost, rest: attempt.rest })
    }

    /// Proves all goals, with backtracking; returns the bound types and the cost.
    pub(super) fn prove_goals(
        &mut self,
        attempt: &mut Attempt<'_, 'a>,
        mut goals: Vec<Goal<'a>>,
        root: bool,
    ) -> Option<(BoundTypes, u32)> {
        attempt.steps = attempt.steps.checked_sub(1)?;
        let waits = |goal: &Goal<'a>| match goal {
            Goal::Same(pattern, _) => self.waits(attempt, pattern),
            Goal::Terms { .. } | Goal::Each(..) => false,
        };
        // Goals that apply a function variable to an unbound variable wait until another goal binds it.
        let next = goals.iter().rposition(|goal| !waits(goal)).or(goals.len().checked_sub(1));
        let Some(next) = next else { return self.types_fit(attempt) };
        let goal = goals.remove(next);
        for way in self.ways(attempt, &goal, root) {
            let (slots, rest) = (attempt.slots.clone(), attempt.rest.clone());
            if way.takes.into_iter().all(|(variable, binding)| self.take(attempt, variable, binding)) {
                attempt.rest.extend(way.rest);
                let mut goals = goals.clone();
                goals.extend(way.goals);
                if let Some(found) = self.prove_goals(attempt, goals, false) {
                    return Some(found);
                }
            }
            (attempt.slots, attempt.rest) = (slots, rest);
        }
        None
    }

    /// Whether a pattern applies a function variable to an unbound variable.
    fn waits(&self, attempt: &Attempt<'_, 'a>, pattern: &'a Expr) -> bool {
        match applied(attempt.rule, pattern) {
            Some((_, argument)) => match &bare(argument).kind {
                ExprKind::Name(name) => {
                    attempt.rule.variable(name).is_some_and(|place| attempt.slots[place].is_none())
                }
                _ => false,
            },
            None => false,
        }
    }

    /// Binds a variable, or compares the value with its existing binding.
    fn take(&mut self, attempt: &mut Attempt<'_, 'a>, place: usize, binding: Binding<'a>) -> bool {
        let Some(variable) = attempt.rule.variables.get(place) else { return false };
        if let Some(known) = &attempt.slots[place] {
            return self.same_binding(known, &binding);
        }
        let fits = match &binding {
            Binding::One(expr) => self.may_be(attempt.rule, variable, expr),
            Binding::Several(list) => {
                list.iter().flatten().all(|expr| self.may_be(attempt.rule, variable, expr))
            }
            Binding::Function(..) | Binding::Functions(_) | Binding::Type => true,
        };
        if fits {
            attempt.slots[place] = Some(binding);
        }
        fits
    }

    fn same_binding(&self, a: &Binding<'a>, b: &Binding<'a>) -> bool {
        match (a, b) {
            (Binding::One(a), Binding::One(b)) => self.equal(a, b),
            (Binding::Several(a), Binding::Several(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| match (a, b) {
                        (Some(a), Some(b)) => self.equal(a, b),
                        (a, b) => a.is_none() && b.is_none(),
                    })
            }
            (Binding::Function(body, argument), Binding::Function(other, its)) => {
                self.equal(body, other) && self.equal(argument, its)
            }
            _ => false,
        }
    }

    /// Whether two expressions are syntactically equal, with their current replacements.
    pub(super) fn equal(&self, a: &'a Expr, b: &'a Expr) -> bool {
        std::ptr::eq(a, b) || self.plain(a) == self.plain(b)
    }

    /// A copy of an expression with its current replacements, without ids, spans and parentheses.
    pub(super) fn plain(&self, expr: &'a Expr) -> Expr {
        let replaced = &self.frame.tables.replacements;
        match replaced.is_empty() {
            true => without_parens(expr),
            false => without_parens(&crate::sema::overlay::in_expr(self.unit, replaced, expr)),
        }
    }

    /// The type of an operand, if it is known and not in error.
    pub(super) fn operand_type(&self, expr: &Expr) -> Option<Type> {
        let ty = match (self.frame.tables.types.get(&expr.id), &expr.kind) {
            (Some(ty), _) => Some(ty.clone()),
            (None, ExprKind::Name(name)) => self.frame.env.get(name).map(|variable| variable.ty.clone()),
            (None, _) => None,
        };
        ty.filter(|ty| !matches!(ty, Type::Error | Type::Unit))
    }

    /// Whether a variable may match an expression; types that depend on other variables are checked at the end.
    fn may_be(&mut self, rule: &Rule<'a>, variable: &PatternVariable<'a>, expr: &'a Expr) -> bool {
        let Some(ty) = self.operand_type(expr) else {
            // Unreachable code was not typed.
            return variable.ty.is_none() && !self.frame.tables.types.contains_key(&expr.id);
        };
        match (variable.ty, variable.role) {
            (Some(_), Role::Function) | (None, _) => true,
            (Some(written), _) => {
                let lexical = self.rule_lexical(rule);
                let resolved = self.quietly(|this| this.resolve_in(written, &lexical).0);
                self.operand_distance(variable, &resolved, &ty, expr).is_some()
            }
        }
    }

    /// Runs `f` and discards its messages.
    pub(in crate::sema::infer) fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let said = self.frame.messages.len();
        let result = f(self);
        self.frame.messages.truncate(said);
        result
    }

    /// The lexical environment of the types of a rule's variables.
    pub(super) fn rule_lexical(&self, rule: &Rule<'a>) -> Lexical {
        let mut bindings = if rule.local { self.frame.lexical.bindings.clone() } else { Vec::new() };
        let types = rule.variables.iter().filter(|variable| variable.role == Role::Type);
        bindings.extend(types.map(|variable| (variable.name.to_owned(), None)));
        Lexical { module: rule.module, bindings, ..Lexical::default() }
    }

    /// The conversion distance from an operand to a variable. A vector as the type of a variadic variable is that of all its
    /// operands together, when they are numbers.
    fn operand_distance(
        &self,
        variable: &PatternVariable<'a>,
        wanted: &Resolved,
        ty: &Type,
        expr: &Expr,
    ) -> Option<u32> {
        match wanted {
            Resolved::Is(Type::Array(array))
                if variable.variadic && ty.is_number() && array.rank == Rank::Known(1) =>
            {
                self.distance(&Resolved::Is((*array.element).clone()), ty, expr)
            }
            _ => self.distance(wanted, ty, expr),
        }
    }

    /// The conversion distance from a type to a variable's; `None` if the variable does not accept it.
    fn distance(&self, wanted: &Resolved, ty: &Type, expr: &Expr) -> Option<u32> {
        match wanted {
            Resolved::Any | Resolved::Open => Some(ANYTHING),
            Resolved::OneOf(_) => wanted.accepts(ty).then_some(CLASS),
            Resolved::Is(Type::Dynamic) => Some(ANYTHING),
            // In patterns, a number does not match an array of one element.
            Resolved::Is(Type::Array(_)) if ty.is_number() => None,
            Resolved::Is(_) if wanted.accepts(ty) && *ty != Type::Dynamic => match wanted {
                Resolved::Is(wanted) => Some(conversion(ty, wanted).map_or(1, |how| how.cost())),
                _ => None,
            },
            Resolved::Is(Type::Scalar(wanted, _)) => {
                let literal = matches!(bare(expr).kind, ExprKind::Number(Number::Int(_)));
                let integer = ty.is_number() && ty.is_integer();
                (literal && integer && *wanted != ElementType::Int32).then_some(LITERAL)
            }
            Resolved::Is(_) => None,
        }
    }

    /// Checks the types of all variables together.
    fn types_fit(&mut self, attempt: &Attempt<'_, 'a>) -> Option<(BoundTypes, u32)> {
        if attempt.part {
            return Some((Vec::new(), 0));
        }
        let rule = attempt.rule;
        let mut lexical = self.rule_lexical(rule);
        let types = rule.variables.iter().filter(|variable| variable.role == Role::Type).count();
        let base = lexical.bindings.len() - types;
        let mut values: Vec<(&PatternVariable<'a>, &'a Expr, Option<Type>)> = Vec::new();
        let mut cost = 0;
        for (variable, slot) in rule.variables.iter().zip(&attempt.slots) {
            let list: Vec<&'a Expr> = match slot {
                None if variable.role == Role::Type => continue,
                None => return None,
                Some(Binding::One(expr)) => vec![expr],
                Some(Binding::Several(list)) => list.iter().flatten().copied().collect(),
                Some(Binding::Function(body, _)) => {
                    // An abstraction over a larger body is less specific.
                    cost += ANYTHING;
                    self.visit(body, &mut |_| cost += 1);
                    continue;
                }
                Some(Binding::Functions(list)) => {
                    cost += ANYTHING;
                    list.iter().for_each(|(body, _)| self.visit(body, &mut |_| cost += 1));
                    continue;
                }
                Some(Binding::Type) => continue,
            };
            for expr in list {
                values.push((variable, expr, self.operand_type(expr)));
            }
        }
        for (variable, _, ty) in &values {
            if let (Some(written), Some(ty), true) = (variable.ty, ty, types > 0)
                && !self.bind(written, ty, &mut lexical, base)
            {
                return None;
            }
        }
        for (variable, expr, ty) in &values {
            // A variable is less specific than a literal pattern.
            cost += 1 + match (variable.ty, variable.role) {
                (Some(_), Role::Function) | (None, _) => ANYTHING,
                (Some(written), _) => {
                    let resolved = self.quietly(|this| this.resolve_in(written, &lexical).0);
                    self.operand_distance(variable, &resolved, ty.as_ref()?, expr)?
                }
            };
        }
        let types = lexical.bindings.split_off(base);
        types.iter().all(|(_, bound)| bound.is_some()).then_some((types, cost))
    }
}

/// The function variable and the argument of a pattern such as `f(x)`.
pub(super) fn applied<'a>(rule: &Rule<'a>, pattern: &'a Expr) -> Option<(usize, &'a Expr)> {
    let ExprKind::Call { callee, args } = &bare(pattern).kind else { return None };
    let (ExprKind::Name(name), [CallArg::Positional(argument)]) = (&callee.kind, args.as_slice()) else {
        return None;
    };
    let place = rule.variable(name).filter(|place| rule.variables[*place].role == Role::Function)?;
    Some((place, argument))
}

/// An alternative for proving a goal: bindings to make, subgoals to prove, and terms left over.
#[derive(Debug, Default)]
pub(super) struct Alternative<'a> {
    pub(super) takes: Vec<(usize, Binding<'a>)>,
    pub(super) goals: Vec<Goal<'a>>,
    pub(super) rest: Vec<&'a Expr>,
}

impl<'a> Alternative<'a> {
    pub(super) fn goals(goals: Vec<Goal<'a>>) -> Alternative<'a> {
        Alternative { goals, ..Alternative::default() }
    }

    pub(super) fn takes(variable: usize, binding: Binding<'a>) -> Alternative<'a> {
        Alternative { takes: vec![(variable, binding)], ..Alternative::default() }
    }
}
