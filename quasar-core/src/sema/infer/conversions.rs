//! Explicit and implicit conversions: checks, warnings about loss, and the call form `T(x)`.

use super::Analyzer;
use crate::sema::messages;
use crate::sema::model::*;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::Type;
use crate::types::convert::{Conversion, conversion};

impl<'a> Analyzer<'a> {
    /// Reports values that do not convert, and conversions that may lose information.
    pub(super) fn check_conversion(&mut self, span: Span, from: &Type, to: &Type) -> bool {
        match conversion(from, to) {
            None => {
                let (expected, found) = (self.show(to), self.show(from));
                let message = messages::mismatch(span, &expected, &found);
                let message = match (from.element_type(), to.element_type()) {
                    (Some(a), Some(b)) if a.is_complex() && !b.is_complex() => {
                        message.help("take the real part with real(..)")
                    }
                    _ => message,
                };
                self.say(message);
                false
            }
            Some(Conversion::Truncate) => {
                let spell = |ty: &Type| match ty.element_type() {
                    Some(element) => self.show(&Type::scalar(element)),
                    None => self.show(ty),
                };
                let message = messages::implicit_conversion(span, &spell(from), &spell(to));
                self.say(message);
                true
            }
            // A function of a declared type is still that function; those in tuples and cells are values.
            Some(other) => {
                if other == Conversion::Erase || matches!(from, Type::Tuple(_) | Type::Array(_)) {
                    self.convert_to_values(span, from, to);
                }
                true
            }
        }
    }

    /// `T(x)`
    pub(super) fn convert_call(&mut self, expr: &'a Expr, ty: Type, args: &'a [CallArg]) -> Type {
        let given = self.given(args);
        match given.as_slice() {
            [one] => {
                let from = one.ty.clone();
                self.check_conversion(expr.span, &from, &ty);
                self.frame.tables.callees.insert(expr.id, Callee::Convert);
                ty
            }
            _ => self.error("Q0313", expr.span, "a conversion takes one argument"),
        }
    }
}
