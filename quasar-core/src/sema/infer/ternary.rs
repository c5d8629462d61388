//! `condition ? then : otherwise`: one branch is evaluated, and the type is what both have in common.

use super::Analyzer;
use crate::message::Message;
use crate::syntax::ast::*;
use crate::types::Type;

impl<'a> Analyzer<'a> {
    /// The type of a branch of `?:`, which has no value if it always fails: `x > 0 ? x : error("negative")`.
    fn alternative(&mut self, expr: &'a Expr) -> Type {
        let dead_before = self.frame.dead;
        match self.results(expr, 1).into_iter().next() {
            None | Some(Type::Unit) if self.frame.dead && !dead_before => Type::Unit,
            None | Some(Type::Unit) => self.error("Q0317", expr.span, "this expression has no value"),
            Some(ty) => {
                self.frame.tables.types.insert(expr.id, ty.clone());
                ty
            }
        }
    }

    /// `condition ? then : otherwise`
    pub(super) fn ternary(
        &mut self,
        expr: &'a Expr,
        condition: &'a Expr,
        then: &'a Expr,
        otherwise: &'a Expr,
    ) -> Type {
        let known = self.condition(condition);
        if let Some(found @ Type::Array(_)) = self.frame.tables.types.get(&condition.id) {
            let text = format!("the condition of '?:' is one number, found '{}'", self.show(found));
            let help = "'?:' takes one value, not one for each element; 'if' asks whether all elements differ from 0, x[mask] = y assigns where a mask holds";
            self.say(Message::error("Q0310", condition.span, text).help(help));
        }
        if let Some(value) = known {
            let taken = if value { then } else { otherwise };
            let ty = self.alternative(taken);
            self.copy_facts(taken.id, expr.id);
            return ty;
        }
        let before = self.frame.env.clone();
        let dead_before = self.frame.dead;
        let mark = self.frame.facts.mark();
        self.learn(condition, true);
        let first = self.alternative(then);
        self.frame.facts.release(mark);
        let after = std::mem::replace(&mut self.frame.env, before);
        let first_fails = std::mem::replace(&mut self.frame.dead, dead_before) && !dead_before;
        self.learn(condition, false);
        let second = self.alternative(otherwise);
        self.frame.facts.release(mark);
        let second_fails = self.frame.dead && !dead_before;
        // A branch that always fails has no value, and control does not continue after it.
        self.frame.dead = dead_before || first_fails && second_fails;
        match (first_fails, second_fails) {
            (true, false) => return second,
            (false, true) => {
                self.frame.env = after;
                return first;
            }
            _ => {}
        }
        self.frame.env = crate::sema::flow_state::join(&[after, std::mem::take(&mut self.frame.env)]);
        let ty = crate::types::lattice::join(&first, &second);
        if ty == Type::Dynamic && first != Type::Dynamic && second != Type::Dynamic && self.on_device() {
            let text = format!(
                "the branches of '?:' have the types '{}' and '{}', which a kernel cannot mix",
                self.show(&first),
                self.show(&second)
            );
            return self.error("Q0402", expr.span, text);
        }
        self.widen_functions(&[(then.span, first), (otherwise.span, second)], &ty);
        ty
    }
}
