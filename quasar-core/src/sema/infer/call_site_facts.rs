//! Call-site specialisation: if the facts at a call decide a condition that the callee leaves undecided, the call uses
//! a version of the callee in which that condition is a fact, as `$specialize` would create it.
//!
//! ```text
//! function y = f(n : int)            assert(n > 3)
//!     if n > 0 ..                    y = f(n)         runs a version of `f` that knows `n > 0`
//! ```
//!
//! Only facts that decide a condition select a version, so there are few. A version with an error, for instance an
//! assertion that cannot hold, is discarded: the error then occurs at run time.

use super::Analyzer;
use super::arguments::Given;
use super::monomorphize::Request;
use super::symbolic::unknowns;
use crate::logic::{Atom, Linear, Proposition, Rational, Truth};
use crate::message::Category;
use crate::sema::flow_state::Identity;
use crate::sema::model::*;
use crate::source::Span;
use crate::types::Type;
use std::sync::Arc;

/// The maximal number of versions of a function for facts of its callers.
const VERSIONS: usize = 8;
/// The maximal number of recorded conditions of a function.
const MAX_UNDECIDED: usize = 16;

/// A condition on the parameters of a function that its own facts do not decide.
#[derive(Clone, Debug)]
pub(super) struct UndecidedCondition {
    condition: Proposition,
    /// Whether it is asserted: if it is false, that is an error of the running program.
    asserted: bool,
}

impl<'a> Analyzer<'a> {
    /// Gives the parameters of an instance their unknowns, which come first, and assumes the callers' facts.
    pub(super) fn known_of_params(&mut self, names: &[&str], request: &Request) {
        for name in names {
            self.frame.unknowns += 1;
            let unknown = Identity::Value(self.frame.unknowns);
            if let Some(variable) = self.frame.env.get_mut(*name).filter(|variable| !variable.special) {
                variable.identity = unknown;
            }
        }
        self.frame.params = self.frame.unknowns;
        request.known.iter().for_each(|fact| self.frame.facts.assume(fact.clone()));
    }

    /// Records an undecided condition if it depends only on the values of parameters.
    pub(super) fn doubt(&mut self, condition: &Proposition, asserted: bool) {
        let frame = &mut self.frame;
        let known = frame.undecided_conditions.iter().any(|doubt| doubt.condition == *condition);
        if known || frame.undecided_conditions.len() >= MAX_UNDECIDED || frame.in_meta_operand && !asserted {
            return;
        }
        let mut names = Vec::new();
        condition.names(&mut names);
        let mut all = names.iter().flat_map(|name| unknowns(name)).peekable();
        let of_params = all.peek().is_some() && all.all(|(_, unknown)| unknown <= frame.params);
        if of_params {
            frame.undecided_conditions.push(UndecidedCondition { condition: condition.clone(), asserted });
        }
    }

    /// The instance for a request, or a version of it specialised for the facts about the arguments.
    pub(super) fn instantiate_for(
        &mut self,
        request: Request,
        args: &[Argument],
        given: &[Given<'a>],
        span: Span,
    ) -> Option<(InstanceId, Vec<Type>)> {
        let (instance, results) = self.instantiate(request.clone(), span)?;
        let known = self.decided_by_caller(instance, args, given);
        if known.is_empty() || !self.may_have_version(&request, &known) {
            return Some((instance, results));
        }
        let Some((version, found)) = self.instantiate(Request { known, ..request }, span) else {
            return Some((instance, results));
        };
        let refused =
            self.instance_messages[version.index()].iter().any(|message| message.category == Category::Error);
        let fits = !refused && found == results;
        Some(if fits { (version, found) } else { (instance, results) })
    }

    fn may_have_version(&self, request: &Request, known: &[Proposition]) -> bool {
        let mut versions =
            self.requests_of(request.definition).into_iter().filter(|other| !other.known.is_empty());
        versions.clone().any(|other| other.known == known) || versions.by_ref().count() < VERSIONS
    }

    /// The undecided conditions of a function that these arguments decide; negated where they are false.
    fn decided_by_caller(
        &mut self,
        instance: InstanceId,
        args: &[Argument],
        given: &[Given<'a>],
    ) -> Vec<Proposition> {
        let frame = &self.frame;
        if !self.options.facts
            || frame.facts_disabled
            || frame.dead
            || frame.in_meta_operand
            || self.is_running(instance)
        {
            return Vec::new();
        }
        let mut known = Vec::new();
        for doubt in self.undecided_conditions.get(instance.index()).cloned().unwrap_or_default() {
            let Some(here) = self.of_arguments(&doubt.condition, instance, args, given) else { continue };
            let mut names = Vec::new();
            here.names(&mut names);
            // Constant arguments are no facts of the caller.
            if names.is_empty() {
                continue;
            }
            self.frame.prover_queries += 1;
            match self.frame.facts.check(&here) {
                Truth::Valid => known.push(doubt.condition),
                Truth::Unsatisfiable if !doubt.asserted => known.push(doubt.condition.negated()),
                Truth::Unsatisfiable => {}
                // The callers of this function may decide it.
                Truth::Satisfiable => self.doubt(&here, doubt.asserted),
            }
        }
        known
    }

    /// Translates a condition on parameters to one on the arguments.
    fn of_arguments(
        &mut self,
        condition: &Proposition,
        instance: InstanceId,
        args: &[Argument],
        given: &[Given<'a>],
    ) -> Option<Proposition> {
        let mut each = |parts: &[Proposition]| -> Option<Vec<Proposition>> {
            parts.iter().map(|part| self.of_arguments(part, instance, args, given)).collect()
        };
        Some(match condition {
            Proposition::All(parts) => Proposition::All(each(parts)?),
            Proposition::Any(parts) => Proposition::Any(each(parts)?),
            Proposition::Not(part) => self.of_arguments(part, instance, args, given)?.negated(),
            Proposition::Compare(term, relation) => {
                let mut sum = Linear::constant(term.constant);
                for (atom, factor) in &term.terms {
                    sum = sum.plus(&self.given_for(&atom.name, instance, args, given)?, *factor)?;
                }
                Proposition::Compare(sum, *relation)
            }
            Proposition::Opaque(text, names) => {
                let [name] = names.as_slice() else { return None };
                if !text.starts_with("number(") {
                    return None;
                }
                let value = self.given_for(name, instance, args, given)?;
                match value.terms.as_slice() {
                    // Constants are never NaN.
                    [] => Proposition::All(Vec::new()),
                    [(atom, Rational::ONE)] if value.constant == Rational::ZERO => {
                        Proposition::Opaque(format!("number({})", atom.name).into(), vec![atom.name.clone()])
                    }
                    _ => return None,
                }
            }
        })
    }

    /// The argument for an unknown of the callee: `n#2` is its second parameter, `size(#1,0)` a size of its first.
    fn given_for(
        &mut self,
        name: &str,
        instance: InstanceId,
        args: &[Argument],
        given: &[Given<'a>],
    ) -> Option<Linear> {
        let place = unknowns(name).next()?.1 as usize;
        let ordinary = |instance: &Instance| -> Vec<Type> {
            instance.params.iter().filter(|param| !param.special).map(|param| param.ty.clone()).collect()
        };
        let wanted = ordinary(&self.instances[instance]).get(place.checked_sub(1)?)?.clone();
        let Argument::Expr(id, _) = args.get(place - 1)? else { return None };
        let value = given.iter().find(|one| one.expr.id == *id)?.expr;
        let found = self.frame.tables.types.get(id)?.clone();
        let (kind, rest) = name.split_once('#')?;
        match kind {
            "n" if found == wanted || wanted == Type::INT => self.term(value),
            "x" if found == wanted => self.real_term(value),
            "size(" => {
                let axis: usize = rest.split_once(',')?.1.strip_suffix(')')?.parse().ok()?;
                let rank = |ty: &Type| ty.as_array().and_then(|array| array.known_rank());
                (rank(&found) == rank(&wanted)).then_some(())?;
                self.shape(value)?.get(axis).cloned()
            }
            "numel(" => {
                let name: Arc<str> = format!("numel(#{})", self.identity_of(value)?).into();
                Some(Linear::atom(Atom::integer(name)))
            }
            _ => None,
        }
    }
}
