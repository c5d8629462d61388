//! Array elements as unknowns: `v[1]` is one value until something is stored into an array. Components of a kernel's
//! position are never negative.

use super::Analyzer;
use super::expressions::bare;
use super::linearize::{exact_integers, range};
use crate::logic::{Atom, Linear, Proposition};
use crate::sema::scope::Assigned;
use crate::sema::walk::{self, Visitor};
use crate::syntax::ast::*;
use crate::types::Type;
use std::collections::BTreeSet;
use std::sync::Arc;

impl<'a> Analyzer<'a> {
    /// An integer array element with constant indices. In kernels, positions only: other threads may write to arrays.
    pub(super) fn element_term(&mut self, base: &'a Expr, indices: &'a [IndexArg]) -> Option<Linear> {
        let ExprKind::Name(name) = &self.bare(base).kind else { return None };
        let element = self.frame.env.get(name)?.ty.as_array()?.element.clone();
        let (low, high) = range(&element)?;
        let (unknown, position) = self.element(name, indices)?;
        let name: Arc<str> = format!("n#{unknown}").into();
        self.frame.facts.limit(&name, if position { 0 } else { low }, high);
        Some(Linear::atom(Atom::integer(name)))
    }

    /// An element of an array of real floats. Adds the proposition that it is a number to `guards`.
    pub(super) fn real_element(
        &mut self,
        base: &'a Expr,
        indices: &'a [IndexArg],
        guards: &mut Vec<Proposition>,
    ) -> Option<Linear> {
        let ExprKind::Name(name) = &self.bare(base).kind else { return None };
        exact_integers(self.frame.env.get(name)?.ty.as_array()?.element.element_type()?)?;
        let (unknown, _) = self.element(name, indices)?;
        let name: Arc<str> = format!("x#{unknown}").into();
        guards.push(Proposition::Opaque(format!("number({name})").into(), vec![name.clone()]));
        Some(Linear::atom(Atom::real(name)))
    }

    /// The unknown of an element with constant indices, and whether it belongs to a kernel position.
    fn element(&mut self, name: &str, indices: &'a [IndexArg]) -> Option<(u32, bool)> {
        let places = indices.iter().map(|index| match index {
            IndexArg::Expr(index) => self.known_integer(index.id),
            IndexArg::All(_) | IndexArg::Spread(_) => None,
        });
        let places: Vec<i64> = places.collect::<Option<_>>()?;
        let array = self.identify(name)?;
        let position = self.frame.positions.contains(&array);
        if self.on_device() && !position {
            return None;
        }
        let unknown = match self.frame.elements.get(&(array, places.clone())) {
            Some(known) => *known,
            None => {
                self.frame.unknowns += 1;
                self.frame.elements.insert((array, places), self.frame.unknowns);
                self.frame.unknowns
            }
        };
        Some((unknown, position))
    }

    /// Assumes that the special parameters of a kernel are not negative. Vectors qualify only if the body uses them in
    /// arithmetic and indices alone: then they are immutable.
    pub(super) fn learn_positions(&mut self, params: &'a [Param], body: &'a [Stmt]) {
        let mut assigned = Assigned::default();
        walk::block(body, &mut assigned);
        for param in params {
            let name = param.name.text.as_str();
            let Some(variable) = self.frame.env.get(name).filter(|variable| variable.special) else {
                continue;
            };
            match variable.ty.clone() {
                Type::Scalar(..) => {
                    let Some(term) = self.variable_term(name) else { continue };
                    if let Some(fact) = Proposition::at_most(&Linear::constant(0), &term) {
                        self.frame.facts.assume(fact);
                    }
                }
                Type::Array(_) => {
                    let mut uses = Uses { name, computed: BTreeSet::new(), other: false };
                    walk::block(body, &mut uses);
                    if !uses.other
                        && !assigned.elements.contains(name)
                        && let Some(id) = self.identify(name)
                    {
                        self.frame.positions.push(id);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether a variable is used for anything but arithmetic and indices.
struct Uses<'n> {
    name: &'n str,
    computed: BTreeSet<NodeId>,
    other: bool,
}

impl<'a> Visitor<'a> for Uses<'_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        let mut allow = |part: &Expr| {
            self.computed.insert(bare(part).id);
        };
        match &expr.kind {
            ExprKind::Infix { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|part| allow(part)),
            ExprKind::Prefix { operand, .. } => allow(operand),
            ExprKind::Index { base, indices } => {
                allow(base);
                for index in indices {
                    if let IndexArg::Expr(index) | IndexArg::Spread(index) = index {
                        allow(index);
                    }
                }
            }
            ExprKind::Name(name) if name == self.name => self.other |= !self.computed.contains(&expr.id),
            _ => {}
        }
        true
    }
}
