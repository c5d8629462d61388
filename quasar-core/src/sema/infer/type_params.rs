//! Type parameters: unification of the declared parameter types of a generic function with the types of the arguments.

#![allow(clippy::result_large_err, reason = "a refusal is a whole message, made once per wrong call")]

use super::Analyzer;
use super::arguments::{Callable, Piece};
use crate::message::Message;
use crate::sema::scope::Lexical;
use crate::syntax::ast::*;
use crate::types::resolve::{self, Bound, Unknown};
use crate::types::{Type, lattice};

impl<'a> Analyzer<'a> {
    /// Binds the type parameters of a function, some of which may be given explicitly. An object determines those of
    /// its class: `List[scalar]` takes an `int`. The other arguments determine a common type.
    pub(super) fn bind_parameters(
        &mut self,
        callable: &Callable<'a>,
        params: &[&'a Param],
        slots: &[Option<Piece>],
        lexical: &mut Lexical,
        base: usize,
    ) -> Result<(), Message> {
        for objects in [true, false] {
            let bound = lexical.bindings[base..].iter().filter(|(_, bound)| bound.is_some());
            let known: Vec<String> = bound.map(|(name, _)| name.clone()).collect();
            for (param, slot) in params.iter().zip(slots) {
                let written = param.annotation.as_ref().and_then(|annotation| annotation.ty.as_ref());
                let (Some(piece), Some(written)) = (slot, written) else { continue };
                if piece.ty.class().is_some_and(|class| !class.args.is_empty()) != objects
                    || self.bind_others(written, &piece.ty, lexical, base, &known)
                {
                    continue;
                }
                let text = format!(
                    "argument '{}' of '{}' has the type '{}', which fits its declared type for no value of the type parameters",
                    param.name.text,
                    callable.name,
                    self.show(&piece.ty)
                );
                return Err(Message::error("Q0324", piece.span, text));
            }
        }
        Ok(())
    }

    /// Binds type parameters so that a type expression matches an actual type.
    pub(super) fn bind(
        &mut self,
        written: &'a TypeExpr,
        actual: &Type,
        lexical: &mut Lexical,
        base: usize,
    ) -> bool {
        self.bind_others(written, actual, lexical, base, &[])
    }

    /// The same, without those that an object determined.
    fn bind_others(
        &self,
        written: &'a TypeExpr,
        actual: &Type,
        lexical: &mut Lexical,
        base: usize,
        known: &[String],
    ) -> bool {
        let this: &Self = self;
        resolve::unify(written, actual, &mut |unknown, bound| match (unknown, bound) {
            (Unknown::Name(name) | Unknown::Rank(name), _) if known.iter().any(|known| known == name) => true,
            (Unknown::Name(name), bound) | (Unknown::Rank(name), bound) => {
                let Some((_, slot)) = lexical.bindings[base..].iter_mut().find(|(key, _)| key == name) else {
                    return true;
                };
                match (slot.take(), bound) {
                    (None, bound) => {
                        *slot = Some(bound);
                        true
                    }
                    (Some(Bound::Integer(a)), Bound::Integer(b)) => {
                        *slot = Some(Bound::Integer(a.max(b)));
                        true
                    }
                    (Some(Bound::Type(a)), Bound::Type(b)) => {
                        let joined = lattice::join(&a, &b);
                        let agree = a == b || (joined != Type::Dynamic && !joined.mentions_dynamic());
                        *slot = Some(Bound::Type(joined));
                        agree
                    }
                    (old, _) => {
                        *slot = old;
                        false
                    }
                }
            }
            (Unknown::Size(expr), Bound::Integer(actual)) => this.solve(expr, actual, lexical, base),
            (Unknown::Size(_), Bound::Type(_)) => true,
        })
    }

    /// Solves `a*N+b = actual` for a size parameter `N`.
    fn solve(&self, expr: &Expr, actual: i64, lexical: &mut Lexical, base: usize) -> bool {
        if let Some(value) = self.size_expression(expr, lexical) {
            return value == actual;
        }
        let Some((factor, name, offset)) = self.linear(expr, lexical) else { return true };
        let rest = actual - offset;
        if factor == 0 || rest % factor != 0 {
            return false;
        }
        match lexical.bindings[base..].iter_mut().find(|(key, _)| *key == name) {
            Some((_, slot)) => {
                *slot = Some(Bound::Integer(rest / factor));
                true
            }
            None => true,
        }
    }

    /// An expression as `factor * name + offset` with one unbound name.
    fn linear(&self, expr: &Expr, lexical: &Lexical) -> Option<(i64, String, i64)> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.linear(inner, lexical),
            ExprKind::Name(name) => Some((1, name.clone(), 0)),
            ExprKind::Infix { op, lhs, rhs } => {
                let (left, right) = (self.size_expression(lhs, lexical), self.size_expression(rhs, lexical));
                match (op, left, right) {
                    (InfixOp::Add, None, Some(n)) => self.linear(lhs, lexical).map(|(a, x, b)| (a, x, b + n)),
                    (InfixOp::Add, Some(n), None) => self.linear(rhs, lexical).map(|(a, x, b)| (a, x, b + n)),
                    (InfixOp::Subtract, None, Some(n)) => {
                        self.linear(lhs, lexical).map(|(a, x, b)| (a, x, b - n))
                    }
                    (InfixOp::Multiply, None, Some(n)) => {
                        self.linear(lhs, lexical).map(|(a, x, b)| (a * n, x, b * n))
                    }
                    (InfixOp::Multiply, Some(n), None) => {
                        self.linear(rhs, lexical).map(|(a, x, b)| (a * n, x, b * n))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
