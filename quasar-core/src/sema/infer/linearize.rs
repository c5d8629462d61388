//! Linearisation: typed expressions as the prover sees them, as linear terms over integer unknowns and propositions
//! about them.
//!
//! An unknown stands for one value, as in SSA form: `n#4` is what one assignment gave `n`, and a later assignment
//! creates another unknown. So facts about an unknown never become wrong. Element counts belong to the array object,
//! whose sizes never change.
//!
//! `int` arithmetic wraps around, linear terms do not. Sums and products are therefore computed modulo 2^32 and taken
//! as exact only if the result provably lies in the range of `int`. Comparisons of floats are false for NaN: each comes
//! with an opaque proposition that its unknowns are numbers.

use super::Analyzer;
use crate::builtins::Kind;
use crate::logic::{Atom, Facts, Linear, Proposition, Rational, Relation, Truth};
use crate::sema::flow_state::Identity;
use crate::sema::model::*;
use crate::sema::walk;
use crate::syntax::ast::*;
use crate::types::{ElementType, Type};
use std::sync::Arc;

/// The range of an integer type whose values convert exactly for `int` arithmetic.
pub(super) fn range(ty: &Type) -> Option<(i64, i64)> {
    match ty {
        Type::Enum(_) => Some((i32::MIN.into(), i32::MAX.into())),
        Type::Scalar(element, _) => Some(match element {
            ElementType::Int8 => (-128, 127),
            ElementType::UInt8 => (0, 255),
            ElementType::Int16 => (-32768, 32767),
            ElementType::UInt16 => (0, 65535),
            ElementType::Int32 => (i32::MIN.into(), i32::MAX.into()),
            _ => return None,
        }),
        _ => None,
    }
}

/// The maximal number of distinct unknowns for element counts that are shared between arrays.
const MAX_COUNTS: usize = 16;

/// Integers up to this size are exact in a float type.
pub(super) fn exact_integers(element: ElementType) -> Option<i64> {
    match element {
        ElementType::Half => Some(1 << 11),
        ElementType::Single => Some(1 << 24),
        ElementType::Double => Some(1 << 52),
        _ => None,
    }
}

/// What an assignment teaches about a variable.
pub(super) enum AssignmentFact {
    Nothing,
    /// The same value as this unknown of this type.
    Same(u32, Type),
    /// This integer.
    Equals(Linear),
    /// An array with these sizes.
    Shaped(Vec<Linear>),
}

/// Whether an expression assigns something.
#[derive(Default)]
struct Assigns(bool);

impl<'a> walk::Visitor<'a> for Assigns {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        self.0 |= matches!(
            expr.kind,
            ExprKind::Assign { .. } | ExprKind::Declare { .. } | ExprKind::Exchange { .. }
        );
        !self.0
    }
}

impl<'a> Analyzer<'a> {
    fn type_at(&self, expr: &Expr) -> Option<&Type> {
        self.frame.tables.types.get(&expr.id)
    }

    /// The unknown for the current value of a local variable, created on demand.
    pub(super) fn identify(&mut self, name: &str) -> Option<u32> {
        let variable = self.frame.env.get_mut(name)?;
        if variable.global.is_some() || variable.self_function.is_some() || variable.access.shared {
            return None;
        }
        if variable.identity == Identity::Unknown {
            self.frame.unknowns += 1;
            variable.identity = Identity::Value(self.frame.unknowns);
        }
        match variable.identity {
            Identity::Value(id) => Some(id),
            Identity::Unknown | Identity::Volatile => None,
        }
    }

    /// The unknown of an expression that is a variable.
    pub(super) fn identity_of(&mut self, expr: &'a Expr) -> Option<u32> {
        match &self.bare(expr).kind {
            ExprKind::Name(name) => self.identify(name),
            _ => None,
        }
    }

    fn fresh(&mut self) -> u32 {
        self.frame.unknowns += 1;
        self.frame.unknowns
    }

    fn number_atom(&mut self, name: &str, id: u32, ty: &Type) -> Option<Linear> {
        let (low, high) = range(ty)?;
        let name: Arc<str> = format!("{name}#{id}").into();
        self.frame.facts.limit(&name, low, high);
        Some(Linear::atom(Atom::integer(name)))
    }

    /// An integer variable as a linear term.
    pub(super) fn variable_term(&mut self, name: &str) -> Option<Linear> {
        let ty = self.frame.env.get(name)?.ty.clone();
        range(&ty)?;
        let id = self.identify(name)?;
        self.number_atom("n", id, &ty)
    }

    fn extent_atom(&mut self, id: u32, axis: usize) -> Linear {
        let name: Arc<str> = format!("size(#{id},{axis})").into();
        self.frame.facts.limit(&name, 0, i32::MAX.into());
        Linear::atom(Atom::integer(name))
    }

    /// The sizes of an array variable of known rank.
    pub(super) fn variable_shape(&mut self, name: &str) -> Option<Vec<Linear>> {
        let ty = self.frame.env.get(name)?.ty.clone();
        let Type::Array(array) = &ty else { return None };
        array.known_rank()?;
        ty.element_type()?;
        let id = self.identify(name)?;
        let sizes = array.sizes.clone();
        Some(
            sizes
                .iter()
                .enumerate()
                .map(|(axis, size)| match size {
                    Some(size) => Linear::constant(i64::from(*size)),
                    None => self.extent_atom(id, axis),
                })
                .collect(),
        )
    }

    /// An integer expression without side effects; `None` if it is not linear, or may wrap around.
    pub(super) fn term(&mut self, expr: &'a Expr) -> Option<Linear> {
        let term = self.modular(expr)?;
        let plain = term.constant == Rational::ZERO
            && term.terms.len() == 1
            && term.terms.iter().all(|(_, factor)| *factor == Rational::ONE);
        (plain || self.frame.facts.between(&term, i32::MIN.into(), i32::MAX.into())).then_some(term)
    }

    /// An integer expression modulo 2^32.
    fn modular(&mut self, expr: &'a Expr) -> Option<Linear> {
        let expr = self.now(expr);
        range(self.type_at(expr)?)?;
        if let Some(Constant::Scalar(value)) = self.frame.tables.constants.get(&expr.id) {
            return value.element_type().is_integer().then(|| Linear::constant(value.as_i64()));
        }
        match &expr.kind {
            ExprKind::Paren(inner) | ExprKind::Prefix { op: PrefixOp::Plus, operand: inner } => {
                self.modular(inner)
            }
            ExprKind::Prefix { op: PrefixOp::Negate, operand } => {
                self.modular(operand)?.scaled(Rational::ONE.negate())
            }
            ExprKind::Name(name) => self.variable_term(name),
            ExprKind::Infix { op, lhs, rhs } => {
                let (left, right) = (self.modular(lhs)?, self.modular(rhs)?);
                combined(*op, &left, &right)
            }
            ExprKind::Call { args, .. } => self.size_query(expr, args),
            ExprKind::Index { base, indices } => self.element_term(base, indices),
            _ => None,
        }
    }

    fn builtin_name(&self, expr: &Expr) -> Option<&'static str> {
        match self.frame.tables.callees.get(&expr.id)? {
            Callee::Builtin { builtin, .. } => Some(builtin.name),
            _ => None,
        }
    }

    /// `size(x, k)` and `numel(x)`.
    fn size_query(&mut self, expr: &'a Expr, args: &'a [CallArg]) -> Option<Linear> {
        let name = self.builtin_name(expr)?;
        let (CallArg::Positional(array), rest) = args.split_first()? else { return None };
        let ExprKind::Name(variable) = &self.bare(array).kind else { return None };
        match (name, rest) {
            ("size", [CallArg::Positional(axis)]) => {
                let axis = usize::try_from(self.known_integer(axis.id)?).ok()?;
                self.variable_shape(variable)?.get(axis).cloned()
            }
            ("numel", []) => {
                let mut shape = self.variable_shape(variable)?;
                for size in &mut shape {
                    if let Some(known) = self.known_size(size) {
                        *size = Linear::constant(i64::from(known));
                    }
                }
                let mut product = Linear::constant(1);
                for size in &shape {
                    product = match (product.as_constant(), size.as_constant()) {
                        (Some(factor), _) => size.scaled(factor)?,
                        (_, Some(factor)) => product.scaled(factor)?,
                        (None, None) => return self.count_of(variable, &shape),
                    };
                }
                Some(product)
            }
            _ => None,
        }
    }

    /// The element count of an array of unknown sizes: one unknown for all arrays whose sizes are provably equal.
    fn count_of(&mut self, variable: &str, shape: &[Linear]) -> Option<Linear> {
        let same = |facts: &Facts, other: &[Linear]| {
            let sizes = shape.iter().zip(other).map(|(a, b)| Proposition::equal(a, b));
            let sizes: Option<Vec<Proposition>> = sizes.collect();
            shape.len() == other.len()
                && sizes.is_some_and(|sizes| facts.check(&Proposition::All(sizes)) == Truth::Valid)
        };
        let facts = &self.frame.facts;
        let known =
            self.frame.counts.iter().find(|(other, _)| shape == other.as_slice() || same(facts, other));
        if let Some((_, name)) = known {
            return Some(Linear::atom(Atom::integer(name.clone())));
        }
        let name: Arc<str> = format!("numel(#{})", self.identify(variable)?).into();
        self.frame.facts.limit(&name, 0, i32::MAX.into());
        if self.frame.counts.len() < MAX_COUNTS {
            self.frame.counts.push((shape.to_vec(), name.clone()));
        }
        Some(Linear::atom(Atom::integer(name)))
    }

    /// The components of an integer vector.
    pub(super) fn vector(&mut self, expr: &'a Expr) -> Option<Vec<Linear>> {
        let expr = self.now(expr);
        if let Some(parts) = self.frame.known_components.get(&expr.id)
            && let Some(parts) = parts.iter().copied().collect::<Option<Vec<i64>>>()
        {
            return Some(parts.into_iter().map(Linear::constant).collect());
        }
        match &expr.kind {
            ExprKind::Paren(inner) => self.vector(inner),
            ExprKind::Array(elements) => elements
                .iter()
                .map(|element| match element {
                    Element::Expr(element) => self.term(element),
                    Element::Spread(_) => None,
                })
                .collect(),
            ExprKind::Call { args, .. } if self.builtin_name(expr) == Some("size") => match args.as_slice() {
                [CallArg::Positional(array)] => match &self.bare(array).kind {
                    ExprKind::Name(name) => self.variable_shape(name),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// The sizes of the array that an expression creates or names.
    pub(super) fn shape(&mut self, expr: &'a Expr) -> Option<Vec<Linear>> {
        let expr = self.now(expr);
        let rank = self.type_at(expr)?.as_array()?.known_rank()?;
        let shape = match &expr.kind {
            ExprKind::Paren(inner) | ExprKind::Prefix { op: PrefixOp::Negate, operand: inner } => {
                self.shape(inner)
            }
            ExprKind::Name(name) => self.variable_shape(name),
            ExprKind::Infix { op, lhs, rhs } => self.combined_shape(*op, lhs, rhs),
            ExprKind::Call { args, .. } => self.made_shape(expr, args),
            _ => None,
        };
        shape.filter(|shape| shape.len() == rank)
    }

    fn combined_shape(&mut self, op: InfixOp, lhs: &'a Expr, rhs: &'a Expr) -> Option<Vec<Linear>> {
        let number = |this: &Self, expr: &Expr| this.type_at(expr).is_some_and(Type::is_number);
        let by_element = matches!(
            op,
            InfixOp::Add | InfixOp::Subtract | InfixOp::DotMultiply | InfixOp::DotDivide | InfixOp::DotPower
        );
        match (number(self, lhs), number(self, rhs)) {
            (false, true) if by_element || matches!(op, InfixOp::Multiply | InfixOp::Divide) => {
                self.shape(lhs)
            }
            (true, false) if by_element || op == InfixOp::Multiply => self.shape(rhs),
            (false, false) if by_element => self.shape(lhs).or_else(|| self.shape(rhs)),
            _ => None,
        }
    }

    fn made_shape(&mut self, expr: &'a Expr, args: &'a [CallArg]) -> Option<Vec<Linear>> {
        let arguments: Option<Vec<&'a Expr>> = args
            .iter()
            .map(|arg| match arg {
                CallArg::Positional(value) => Some(value),
                CallArg::Named(..) | CallArg::Spread(_) => None,
            })
            .collect();
        let arguments = arguments?;
        match self.frame.tables.callees.get(&expr.id)? {
            Callee::Construct { .. } => match arguments.as_slice() {
                [sizes] if self.type_at(sizes).is_some_and(|ty| !ty.is_number()) => self.vector(sizes),
                sizes => sizes.iter().map(|size| self.term(size)).collect(),
            },
            Callee::Builtin { builtin, .. } => match (arguments.as_slice(), builtin.kind) {
                ([array], Kind::Elementwise(_)) => self.shape(array),
                ([array], _) if builtin.name == "copy" => self.shape(array),
                _ => None,
            },
            _ => None,
        }
    }

    /// A float expression without arithmetic. Adds the propositions that its unknowns are numbers to `guards`.
    fn real(&mut self, expr: &'a Expr, other: &Type, guards: &mut Vec<Proposition>) -> Option<Linear> {
        let expr = self.now(expr);
        if self.is_symbolic(expr) {
            return self.symbolic_term(expr);
        }
        if let Some(Constant::Scalar(value)) = self.frame.tables.constants.get(&expr.id) {
            let value = *value;
            if value.element_type().is_integer() {
                let limit = exact_integers(other.element_type()?)?;
                return (value.as_i64().abs() <= limit).then(|| Linear::constant(value.as_i64()));
            }
            let real = !value.element_type().is_complex() && value.as_f64().is_finite();
            return real.then(|| Rational::from_f64(value.as_f64()).map(Linear::constant)).flatten();
        }
        match &expr.kind {
            ExprKind::Paren(inner) => self.real(inner, other, guards),
            ExprKind::Name(name) => {
                exact_integers(self.frame.env.get(name)?.ty.element_type()?)?;
                if !self.frame.env.get(name)?.ty.is_number() {
                    return None;
                }
                let name: Arc<str> = format!("x#{}", self.identify(name)?).into();
                guards.push(Proposition::Opaque(format!("number({name})").into(), vec![name.clone()]));
                Some(Linear::atom(Atom::real(name)))
            }
            ExprKind::Index { base, indices } => self.real_element(base, indices, guards),
            _ => None,
        }
    }

    /// A float variable as a linear term.
    pub(super) fn real_atom(&mut self, name: &str) -> Option<Linear> {
        let name: Arc<str> = format!("x#{}", self.identify(name)?).into();
        Some(Linear::atom(Atom::real(name)))
    }

    /// A float expression without arithmetic, or a symbolic one.
    pub(super) fn real_term(&mut self, expr: &'a Expr) -> Option<Linear> {
        let ty = self.type_at(expr)?.clone();
        self.real(expr, &ty, &mut Vec::new())
    }

    /// The proposition of a condition as it is written, even if its operands were decided.
    pub(super) fn as_written(&mut self, condition: &'a Expr) -> Option<Proposition> {
        let condition = self.now(condition);
        match &condition.kind {
            ExprKind::Paren(inner) => self.as_written(inner),
            ExprKind::Prefix { op: PrefixOp::Not, operand } => Some(self.as_written(operand)?.negated()),
            ExprKind::Infix { op: InfixOp::And, lhs, rhs } => {
                Some(Proposition::All(vec![self.as_written(lhs)?, self.as_written(rhs)?]))
            }
            ExprKind::Infix { op: InfixOp::Or, lhs, rhs } => {
                Some(Proposition::Any(vec![self.as_written(lhs)?, self.as_written(rhs)?]))
            }
            ExprKind::Infix { op, lhs, rhs } => self.comparison(*op, lhs, rhs),
            _ => self.proposition(condition),
        }
    }

    /// The proposition of a condition; `None` if it cannot be expressed or has side effects.
    pub(super) fn proposition(&mut self, condition: &'a Expr) -> Option<Proposition> {
        let condition = self.now(condition);
        if let Some(Constant::Scalar(value)) = self.frame.tables.constants.get(&condition.id) {
            let holds = value.is_truthy();
            return Some(if holds { Proposition::All(Vec::new()) } else { Proposition::Any(Vec::new()) });
        }
        match &condition.kind {
            ExprKind::Paren(inner) => self.proposition(inner),
            ExprKind::Prefix { op: PrefixOp::Not, operand } if self.type_at(operand)?.is_number() => {
                Some(self.proposition(operand)?.negated())
            }
            ExprKind::Infix { op: op @ (InfixOp::And | InfixOp::Or), lhs, rhs } => {
                if !self.type_at(lhs)?.is_number() || !self.type_at(rhs)?.is_number() {
                    return None;
                }
                let parts = vec![self.proposition(lhs)?, self.proposition(rhs)?];
                Some(if *op == InfixOp::And { Proposition::All(parts) } else { Proposition::Any(parts) })
            }
            ExprKind::Infix { op, lhs, rhs } => self.comparison(*op, lhs, rhs),
            ExprKind::Call { .. } if self.is_symbolic(condition) => self.predicate(condition),
            _ => {
                let value = self.term(condition)?;
                Proposition::compare(&value, &Linear::constant(0), Relation::NotZero)
            }
        }
    }

    fn comparison(&mut self, op: InfixOp, lhs: &'a Expr, rhs: &'a Expr) -> Option<Proposition> {
        related(op, &Linear::constant(0), &Linear::constant(0))?;
        let (left, right) = (self.type_at(lhs)?.clone(), self.type_at(rhs)?.clone());
        if range(&left).is_some() && range(&right).is_some() {
            return related(op, &self.term(lhs)?, &self.term(rhs)?);
        }
        if left.is_number() && right.is_number() {
            let mut guards = Vec::new();
            let (a, b) = (self.real(lhs, &right, &mut guards)?, self.real(rhs, &left, &mut guards)?);
            let different = op == InfixOp::NotEqual;
            guards.push(related(if different { InfixOp::Equal } else { op }, &a, &b)?);
            let whole = Proposition::All(guards);
            return Some(if different { whole.negated() } else { whole });
        }
        let (a, b) = (self.components_of(lhs, &left)?, self.components_of(rhs, &right)?);
        let count = a.len().max(b.len());
        let fits = |list: &[Linear], ty: &Type| list.len() == count || ty.is_number();
        if count == 0 || !fits(&a, &left) || !fits(&b, &right) {
            return None;
        }
        let at = |list: &[Linear], k: usize| list.get(k.min(list.len() - 1)).cloned();
        let parts: Option<Vec<Proposition>> =
            (0..count).map(|k| related(op, &at(&a, k)?, &at(&b, k)?)).collect();
        Some(Proposition::All(parts?))
    }

    fn components_of(&mut self, expr: &'a Expr, ty: &Type) -> Option<Vec<Linear>> {
        if range(ty).is_some() { Some(vec![self.term(expr)?]) } else { self.vector(expr) }
    }

    /// The propositions that follow from a condition's being true or false.
    pub(super) fn implied(&mut self, condition: &'a Expr, holds: bool) -> Vec<Proposition> {
        let condition = self.now(condition);
        let mut assigns = Assigns::default();
        walk::expr(condition, &mut assigns);
        if assigns.0 {
            return Vec::new();
        }
        let mut found = Vec::new();
        self.collect_implied(condition, holds, &mut found);
        found
    }

    fn collect_implied(&mut self, condition: &'a Expr, holds: bool, into: &mut Vec<Proposition>) {
        let condition = self.now(condition);
        match &condition.kind {
            ExprKind::Paren(inner) => return self.collect_implied(inner, holds, into),
            ExprKind::Infix { op, lhs, rhs }
                // An array is true if all elements are, so a true conjunction of arrays makes each operand true.
                if holds && *op == InfixOp::And
                    || !holds
                        && *op == InfixOp::Or
                        && [lhs, rhs].iter().all(|part| self.type_at(part).is_some_and(Type::is_number)) =>
            {
                self.collect_implied(lhs, holds, into);
                return self.collect_implied(rhs, holds, into);
            }
            ExprKind::Prefix { op: PrefixOp::Not, operand }
                if self.type_at(operand).is_some_and(Type::is_number) =>
            {
                return self.collect_implied(operand, !holds, into);
            }
            _ => {}
        }
        if let Some(proposition) = self.proposition(condition) {
            into.push(if holds { proposition } else { proposition.negated() });
        }
    }

    /// What assigning this expression teaches about the variable.
    pub(super) fn learnt(&mut self, value: &'a Expr) -> AssignmentFact {
        let Some(ty) = self.type_at(value).cloned() else { return AssignmentFact::Nothing };
        if let ExprKind::Name(name) = &self.bare(value).kind
            && self.frame.env.get(name).is_some_and(|variable| variable.ty == ty)
        {
            return self.identify(name).map_or(AssignmentFact::Nothing, |id| AssignmentFact::Same(id, ty));
        }
        if range(&ty).is_some() {
            return self.term(value).map_or(AssignmentFact::Nothing, AssignmentFact::Equals);
        }
        self.shape(value).map_or(AssignmentFact::Nothing, AssignmentFact::Shaped)
    }

    /// The unknown of a variable of this type after an assignment.
    pub(super) fn remember(&mut self, learnt: AssignmentFact, ty: &Type, from: &Type) -> Identity {
        match learnt {
            AssignmentFact::Same(id, source) if source == *ty => Identity::Value(id),
            AssignmentFact::Equals(term) if ty == from || *ty == Type::INT => {
                let id = self.fresh();
                let unknown = self.number_atom("n", id, ty);
                let fact = unknown.and_then(|unknown| Proposition::equal(&unknown, &term));
                fact.into_iter().for_each(|fact| self.frame.facts.assume(fact));
                Identity::Value(id)
            }
            AssignmentFact::Shaped(shape) => {
                let Some(array) = ty.as_array().filter(|array| array.known_rank() == Some(shape.len()))
                else {
                    return Identity::Unknown;
                };
                let id = self.fresh();
                for (axis, (size, term)) in array.sizes.clone().into_iter().zip(shape).enumerate() {
                    let extent = match size {
                        Some(size) => Linear::constant(i64::from(size)),
                        None => self.extent_atom(id, axis),
                    };
                    let fact = Proposition::equal(&extent, &term);
                    fact.into_iter().for_each(|fact| self.frame.facts.assume(fact));
                }
                Identity::Value(id)
            }
            _ => Identity::Unknown,
        }
    }

    /// Lower and upper bound of the variable of a loop over this sequence.
    pub(super) fn loop_limits(&mut self, sequence: &'a Expr) -> Option<[Option<Linear>; 2]> {
        let ExprKind::Range { from, step, to } = &self.bare(sequence).kind else { return None };
        let step = match step {
            Some(step) => {
                self.known_integer(step.id).filter(|_| self.type_at(step).is_some_and(Type::is_integer))?
            }
            None => 1,
        };
        let (first, last) = (self.term(from), self.term(to));
        match step {
            1.. => Some([first, last]),
            ..=-1 => Some([last, first]),
            0 => None,
        }
    }

    /// Assumes these bounds of a loop variable.
    pub(super) fn assume_limits(&mut self, name: &str, limits: &[Option<Linear>; 2]) {
        let Some(variable) = self.variable_term(name) else { return };
        let [low, high] = limits;
        let above = low.as_ref().and_then(|low| Proposition::at_most(low, &variable));
        let below = high.as_ref().and_then(|high| Proposition::at_most(&variable, high));
        above.into_iter().chain(below).for_each(|fact| self.frame.facts.assume(fact));
    }
}

/// `left op right` of linear terms, modulo 2^32.
pub(super) fn combined(op: InfixOp, left: &Linear, right: &Linear) -> Option<Linear> {
    match op {
        InfixOp::Add => left.plus(right, Rational::ONE),
        InfixOp::Subtract => left.minus(right),
        InfixOp::Multiply | InfixOp::DotMultiply => match (left.as_constant(), right.as_constant()) {
            (Some(factor), _) => right.scaled(factor),
            (_, Some(factor)) => left.scaled(factor),
            (None, None) => None,
        },
        _ => None,
    }
}

fn related(op: InfixOp, left: &Linear, right: &Linear) -> Option<Proposition> {
    match op {
        InfixOp::Equal => Proposition::equal(left, right),
        InfixOp::NotEqual => Proposition::compare(left, right, Relation::NotZero),
        InfixOp::Less => Proposition::below(left, right),
        InfixOp::LessEqual => Proposition::at_most(left, right),
        InfixOp::Greater => Proposition::below(right, left),
        InfixOp::GreaterEqual => Proposition::at_most(right, left),
        _ => None,
    }
}
