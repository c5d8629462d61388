//! Flow facts: adds facts of assertions, conditions and loops to the prover's state at the current program point, and
//! queries it for conditions.
//!
//! Facts are about unknowns (see `terms`), so an assignment invalidates nothing. Facts learnt inside a branch or loop
//! body are released at its end.

use super::Analyzer;
use crate::logic::{Fact, Linear, Proposition};
use crate::sema::flow_state::Environment;
use crate::sema::messages;
use crate::sema::model::Constant;
use crate::sema::walk;
use crate::syntax::ast::*;
use crate::syntax::printer;
use crate::types::Type;

/// The maximal number of queries per function; further conditions stay undecided.
const MAX_QUESTIONS: usize = 1500;

/// The state at the end of one of several paths.
pub(super) struct PathEnd {
    pub(super) env: Environment,
    pub(super) facts: Vec<Fact>,
}

/// The names in an expression, each once.
#[derive(Default)]
pub(super) struct Named<'a>(pub(super) Vec<(NodeId, &'a str)>);

impl<'a> walk::Visitor<'a> for Named<'a> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        if let ExprKind::Name(name) = &expr.kind
            && !self.0.iter().any(|(_, known)| known == name)
        {
            self.0.push((expr.id, name));
        }
        true
    }
}

/// Removes the guards that unknowns are numbers, which the programmer did not write.
fn without_guards(proposition: Proposition) -> Proposition {
    match proposition {
        Proposition::All(parts) => {
            let guard = |part: &Proposition| matches!(part, Proposition::Opaque(text, _) if text.starts_with("number("));
            Proposition::All(parts.into_iter().filter(|part| !guard(part)).map(without_guards).collect())
        }
        other => other,
    }
}

impl<'a> Analyzer<'a> {
    /// Assumes that a condition is true (`holds`) or false.
    pub(super) fn learn(&mut self, condition: &'a Expr, holds: bool) {
        if self.frame.dead {
            return;
        }
        let found = self.implied(condition, holds);
        if found.is_empty() {
            return;
        }
        let origin = u32::try_from(self.frame.origins.len()).ok();
        self.frame.origins.push((condition, holds));
        for proposition in found {
            self.frame.facts.assume_from(proposition, origin);
        }
    }

    /// The value of a typed condition, if constants or facts decide it.
    pub(super) fn truth(&mut self, condition: &'a Expr) -> Option<bool> {
        match self.frame.tables.constants.get(&condition.id) {
            Some(Constant::Scalar(value)) => return Some(value.is_truthy()),
            Some(Constant::Array(_, values)) => {
                return Some(!values.is_empty() && values.iter().all(|value| value.is_truthy()));
            }
            Some(Constant::Text(_)) => return None,
            None => {}
        }
        self.question(condition)
    }

    /// Queries the facts for a condition.
    fn question(&mut self, condition: &'a Expr) -> Option<bool> {
        if !self.options.facts
            || self.frame.facts_disabled
            || self.frame.dead
            || self.frame.prover_queries >= MAX_QUESTIONS
        {
            return None;
        }
        if let ExprKind::Infix { op: InfixOp::And | InfixOp::Or, .. } = self.bare(condition).kind {
            // The operands were queried before, the right one under the assumption about the left one.
            return None;
        }
        self.frame.prover_queries += 1;
        let proposition = self.proposition(condition)?;
        let decided = self.frame.facts.check(&proposition).decided();
        if decided.is_none() {
            self.doubt(&proposition, self.frame.asserts);
        }
        decided
    }

    /// Reports an assertion that is false whenever it is reached.
    pub(super) fn contradicted(&mut self, condition: &'a Expr) {
        let proposition = self.as_written(condition);
        let facts = &self.frame.facts;
        let mut against = Vec::new();
        if let Some(proposition) = &proposition {
            if facts.impossible(proposition) {
                return;
            }
            against = facts.against(proposition);
        }
        let quoted = |(fact, holds): &(&Expr, bool)| {
            let text = printer::print_expr(fact);
            if *holds { text } else { format!("!({text})") }
        };
        let origins: Vec<String> =
            against.iter().filter_map(|k| self.frame.origins.get(*k as usize)).map(quoted).collect();
        let text = printer::print_expr(condition);
        let mut message = messages::contradiction(condition.span, &text, &origins);
        if let [k] = against.as_slice()
            && let Some((fact, _)) = self.frame.origins.get(*k as usize)
        {
            message = message.related(fact.span, "this is known");
        }
        self.say(message);
    }

    /// Refines the types of array variables in an assertion with the sizes that are known now. Not in kernels, where a
    /// fixed-size array is a different type, and not in loops, whose head would then change its type; facts suffice
    /// there.
    pub(super) fn refine(&mut self, condition: &'a Expr) {
        if self.on_device() || !self.frame.loops.is_empty() || self.frame.tries > 0 || self.frame.dead {
            return;
        }
        let mut named = Named::default();
        walk::expr(condition, &mut named);
        for (id, name) in named.0 {
            let Some(variable) = self.frame.env.get(name) else { continue };
            let Type::Array(array) = &variable.ty else { continue };
            let (array, access) = (array.clone(), variable.access);
            let Some(shape) = self.variable_shape(name) else { continue };
            let sizes: Vec<Option<u32>> = shape.iter().map(|size| self.known_size(size)).collect();
            if sizes == array.sizes {
                continue;
            }
            let ty = Type::Array(array.with_sizes(&sizes));
            if let Some(variable) = self.frame.env.get_mut(name) {
                variable.ty = ty.clone();
            }
            let mode = self.mode(access);
            self.frame.tables.assigned.insert(id, (ty, mode));
        }
    }

    pub(super) fn known_size(&self, size: &Linear) -> Option<u32> {
        let (Some(low), Some(high)) = self.frame.facts.interval(size) else { return None };
        let same = low == high && low.is_integer();
        same.then(|| u32::try_from(low.numerator()).ok()).flatten()
    }

    /// `unassert(p)`
    pub(super) fn unassert(&mut self, condition: &'a Expr) {
        if let Some(proposition) = self.as_written(condition) {
            self.frame.facts.unassume(&without_guards(proposition));
        }
    }

    /// Ends one of several paths that began at a mark; the first `kept` facts after the mark remain assumed.
    pub(super) fn end_path(&mut self, ends: &mut Vec<PathEnd>, mark: usize, kept: usize, dead_before: bool) {
        let facts = self.frame.facts.release(mark);
        self.frame.facts.resume(facts.iter().take(kept).cloned().collect());
        if !self.frame.dead || dead_before {
            ends.push(PathEnd { env: self.frame.env.clone(), facts });
        }
        self.frame.dead = dead_before;
    }

    /// Continues with the facts that hold at the end of every path.
    pub(super) fn common_facts(&mut self, paths: &mut [PathEnd]) {
        let Some((first, rest)) = paths.split_first_mut() else { return };
        let facts = std::mem::take(&mut first.facts);
        let everywhere = |fact: &Fact| {
            rest.iter().all(|path| path.facts.iter().any(|other| other.proposition == fact.proposition))
        };
        let common = facts.into_iter().filter(everywhere).collect();
        self.frame.facts.resume(common);
    }
}
