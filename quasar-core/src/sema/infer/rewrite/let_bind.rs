//! Let-binding: operands that a rule duplicates and that are expensive are evaluated once, before the replacement:
//!
//! ```text
//! reduction (x : scalar) -> sq(x) = x*x
//!
//! sq(f(a))    becomes    (x__1 = f(a); x__1*x__1)
//! ```
//!
//! Names, elements and plain arithmetic are not bound, so that other rules can match them.

use super::super::Analyzer;
use super::super::expressions::bare;
use super::matching::Binding;
use super::{Applied, Chosen, has_effect};
use crate::builtins::Kind;
use crate::sema::model::Callee;
use crate::sema::walk;
use crate::syntax::ast::*;
use crate::syntax::compare::without_parens;

/// A let-bound operand.
#[derive(Clone, Debug)]
pub(super) struct LetBinding {
    /// The operand without ids and parentheses.
    pub(super) plain: Expr,
    /// The variable that holds its value.
    pub(super) variable: String,
}

/// Counts the evaluations of a name; a use in a lambda counts as many.
struct Uses<'x>(&'x str, usize);

impl<'a> walk::Visitor<'a> for Uses<'_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) if name == self.0 => self.1 += 1,
            ExprKind::Lambda(lambda) => {
                let mut inner = Uses(self.0, 0);
                walk::expr(&lambda.body, &mut inner);
                self.1 += 2 * inner.1;
                return false;
            }
            // Meta functions inspect expressions without evaluating them.
            ExprKind::Call { callee, .. } => return !is_meta(callee),
            _ => {}
        }
        true
    }
}

fn uses(expr: &Expr, name: &str) -> usize {
    let mut uses = Uses(name, 0);
    walk::expr(expr, &mut uses);
    uses.1
}

/// Whether this callee inspects its arguments instead of evaluating them.
pub(super) fn is_meta(callee: &Expr) -> bool {
    matches!(&bare(callee).kind, ExprKind::Meta { .. })
}

impl<'a> Analyzer<'a> {
    /// The operands to let-bind, with their expressions.
    pub(super) fn computed_once(&self, chosen: &[Chosen<'a>], expr: &'a Expr) -> Vec<(LetBinding, &'a Expr)> {
        if self.frame.in_meta_operand || matches!(self.bare(expr).kind, ExprKind::Assign { .. }) {
            return Vec::new();
        }
        let mut found: Vec<(LetBinding, &'a Expr, usize)> = Vec::new();
        // The alternative without any rule uses each operand once.
        let stays = usize::from(chosen.last().is_some_and(|one| one.conditional));
        for one in chosen {
            let rule = &self.rules.all[one.rule];
            for (variable, binding) in rule.variables.iter().zip(&one.found.bindings) {
                let Binding::One(operand) = binding else { continue };
                if !self.is_work(operand) {
                    continue;
                }
                let condition = rule.condition.filter(|_| one.conditional);
                let count = uses(rule.replacement, variable.name)
                    + condition.map_or(0, |condition| uses(condition, variable.name));
                let plain = self.plain(operand);
                match found.iter_mut().find(|(known, ..)| known.plain == plain) {
                    Some((.., all)) => *all += count,
                    None => {
                        let variable = format!("{}__{}", variable.name, self.unit.made.number());
                        found.push((LetBinding { plain, variable }, operand, count + stays));
                    }
                }
            }
        }
        found.into_iter().filter(|(.., count)| *count > 1).map(|(once, operand, _)| (once, operand)).collect()
    }

    /// Whether evaluating an operand again would be expensive. One with side effects is never duplicated.
    fn is_work(&self, operand: &'a Expr) -> bool {
        if self.frame.tables.constants.get(&operand.id).is_some()
            || self.operand_type(operand).is_none_or(|ty| !ty.functions().is_empty())
            || has_effect(operand)
        {
            return false;
        }
        let mut work = false;
        self.visit(operand, &mut |e| {
            work |= match self.frame.tables.callees.get(&e.id) {
                None | Some(Callee::Convert | Callee::Identity) => false,
                Some(Callee::Builtin { builtin, .. }) => {
                    !matches!(builtin.kind, Kind::Elementwise(_) | Kind::Query | Kind::Convert)
                }
                Some(_) => true,
            }
        });
        work
    }

    /// Puts the assignments of let-bound operands before a replacement.
    pub(super) fn behind_operands(&mut self, once: &[(LetBinding, &'a Expr)], made: Expr) -> Expr {
        if once.is_empty() {
            return made;
        }
        let span = made.span;
        let mut steps = Vec::new();
        for (once, operand) in once {
            let value = Box::new(self.copied(operand, Vec::new()));
            let place = self.node(ExprKind::Name(once.variable.clone()), span);
            let target = Box::new(Target::Place { place, annotation: None });
            steps.push(self.node(ExprKind::Assign { target, op: None, value }, span));
        }
        steps.push(made);
        self.node(ExprKind::Sequence(steps), span)
    }

    /// Records the applied rules with their operands, also under the names of let-bound operands.
    pub(super) fn remember_applied(&mut self, chosen: &[Chosen<'a>], once: &[LetBinding]) {
        for one in chosen {
            let operands = self.operands_of(&one.found);
            if !once.is_empty() {
                let named =
                    operands.iter().map(|operand| match once.iter().find(|once| once.plain == *operand) {
                        Some(once) => {
                            without_parens(&self.node(ExprKind::Name(once.variable.clone()), operand.span))
                        }
                        None => operand.clone(),
                    });
                let named = named.collect();
                self.applied.push(Applied { rule: one.rule, operands: named });
            }
            self.applied.push(Applied { rule: one.rule, operands });
        }
    }
}
