//! Versions of functions for what their callers know: where the facts at a call decide a condition that the function leaves
//! open, the call runs a version in which that condition is a fact, as `$specialize` would make it.
//!
//! ```text
//! function y = f(n : int)            assert(n > 3)
//!     if n > 0 ..                    y = f(n)         runs a version of `f` that knows `n > 0`
//! ```
//!
//! Only what decides something counts, not all that is known, so that there are few versions. One that would be refused, for
//! instance because an assertion in it cannot hold, is not used: that is found when the program runs.

use super::Analyzer;
use super::arguments::Given;
use super::instances::Request;
use super::spoken::unknowns;
use crate::logic::{Atom, Linear, Proposition, Rational, Truth};
use crate::message::Category;
use crate::sema::env::Identity;
use crate::sema::model::*;
use crate::source::Span;
use crate::types::Type;
use std::sync::Arc;

/// A function has no more versions than this for what callers know.
const VERSIONS: usize = 8;
/// No more conditions of a function are kept.
const DOUBTS: usize = 16;

/// A condition on the parameters of a function that it leaves open.
#[derive(Clone, Debug)]
pub(super) struct Doubt {
    condition: Proposition,
    /// Whether it is asserted: that it does not hold is an error then, which belongs to the running program.
    asserted: bool,
}

impl<'a> Analyzer<'a> {
    /// Gives the parameters of an instance their unknowns, the first ones, and adds what the callers of this version know.
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

    /// Notes a condition that the facts did not decide, if it is one on the values that the function was given.
    pub(super) fn doubt(&mut self, condition: &Proposition, asserted: bool) {
        let frame = &mut self.frame;
        let known = frame.doubts.iter().any(|doubt| doubt.condition == *condition);
        if known || frame.doubts.len() >= DOUBTS || frame.speaks && !asserted {
            return;
        }
        let mut names = Vec::new();
        condition.names(&mut names);
        let mut all = names.iter().flat_map(|name| unknowns(name)).peekable();
        let of_params = all.peek().is_some() && all.all(|(_, unknown)| unknown <= frame.params);
        if of_params {
            frame.doubts.push(Doubt { condition: condition.clone(), asserted });
        }
    }

    /// The instance for a request, or a version of it for what is known of the arguments here.
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

    /// The conditions that a function leaves open and that are decided for these arguments, as they hold.
    fn decided_by_caller(
        &mut self,
        instance: InstanceId,
        args: &[Argument],
        given: &[Given<'a>],
    ) -> Vec<Proposition> {
        let frame = &self.frame;
        if !self.options.facts || frame.open || frame.dead || frame.speaks || self.is_running(instance) {
            return Vec::new();
        }
        let mut known = Vec::new();
        for doubt in self.doubts.get(instance.index()).cloned().unwrap_or_default() {
            let Some(here) = self.of_arguments(&doubt.condition, instance, args, given) else { continue };
            let mut names = Vec::new();
            here.names(&mut names);
            // What constants decide is no knowledge of the caller.
            if names.is_empty() {
                continue;
            }
            self.frame.questions += 1;
            match self.frame.facts.check(&here) {
                Truth::Valid => known.push(doubt.condition),
                Truth::Unsatisfiable if !doubt.asserted => known.push(doubt.condition.negated()),
                Truth::Unsatisfiable => {}
                // Perhaps the callers of this function know.
                Truth::Satisfiable => self.doubt(&here, doubt.asserted),
            }
        }
        known
    }

    /// A condition on parameters as one on what is given for them.
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
                    // Constants are numbers.
                    [] => Proposition::All(Vec::new()),
                    [(atom, Rational::ONE)] if value.constant == Rational::ZERO => {
                        Proposition::Opaque(format!("number({})", atom.name).into(), vec![atom.name.clone()])
                    }
                    _ => return None,
                }
            }
        })
    }

    /// What an unknown of a function is where it is called: `n#2` is its second parameter, `size(#1,0)` a size of its first.
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
