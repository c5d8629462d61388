//! Constant folding in inference: compile-time values of scalars, strings, small arrays and sizes in types.

use super::Analyzer;
use crate::sema::messages;
use crate::sema::model::Constant;
use crate::sema::scope::Lexical;
use crate::syntax::ast::*;
use crate::types::resolve::Bound;
use crate::types::{ElementType, Overflow, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops;

/// The maximal number of elements of a folded array.
const LIMIT: usize = 4096;

/// Converts a number to another element type; `None` if it does not fit.
pub(super) fn convert(value: Scalar, to: ElementType) -> Option<Scalar> {
    if value.element_type() == to {
        return Some(value);
    }
    ops::convert_scalar(value, to, Overflow::Checked).ok()
}

impl<'a> Analyzer<'a> {
    /// The type of a constant.
    pub(super) fn constant_type(&self, value: &Constant) -> Type {
        match value {
            Constant::Scalar(value) => Type::scalar(value.element_type()),
            Constant::Text(_) => Type::Text,
            Constant::Array(sizes, values) => {
                let element = values.first().map_or(self.working(), |value| value.element_type());
                let sizes: Vec<Option<u32>> = sizes.iter().map(|n| u32::try_from(*n).ok()).collect();
                Type::numbers(element, &sizes)
            }
        }
    }

    /// Records the components of a constant integer vector.
    pub(super) fn record_parts(&mut self, id: NodeId, value: &Constant) {
        if let Constant::Array(sizes, values) = value
            && sizes.len() == 1
            && values.iter().all(|value| value.element_type().is_integer())
        {
            self.frame.known_components.insert(id, values.iter().map(|value| Some(value.as_i64())).collect());
        }
    }

    /// Folds a scalar row on constants, and on integer vectors with some known components.
    pub(super) fn fold(
        &mut self,
        id: NodeId,
        row: &str,
        operands: &[(NodeId, Type)],
        converted: &[Type],
        result: &Type,
    ) {
        let Some(row) = ops::find(row) else { return };
        let constants: Option<Vec<Constant>> =
            operands.iter().map(|(id, _)| self.frame.tables.constants.get(id).cloned()).collect();
        if let Some(constants) = constants {
            if let Some(value) = fold_constants(row, &constants, converted) {
                self.record_parts(id, &value);
                self.frame.tables.constants.insert(id, value);
            }
            return;
        }
        let Type::Array(array) = result else { return };
        let Some(length) = array.vector_length().filter(|n| *n <= 16) else { return };
        if result.element_type() != Some(ElementType::Int32) {
            return;
        }
        let component = |id: &NodeId, k: usize| -> Option<Scalar> {
            let value = match (self.frame.tables.constants.get(id), self.frame.known_components.get(id)) {
                (Some(Constant::Scalar(value)), _) => value.as_i64(),
                (_, Some(parts)) => (*parts.get(k)?)?,
                _ => return None,
            };
            i32::try_from(value).ok().map(Scalar::I32)
        };
        let all_int = operands.iter().all(|(_, ty)| ty.element_type() == Some(ElementType::Int32));
        if !all_int {
            return;
        }
        let parts: Vec<Option<i64>> = (0..length as usize)
            .map(|k| {
                let args: Option<Vec<Scalar>> = operands.iter().map(|(id, _)| component(id, k)).collect();
                Some((row.eval)(&args?).as_i64())
            })
            .collect();
        if parts.iter().any(Option::is_some) {
            self.frame.known_components.insert(id, parts);
        }
    }

    /// Folds a conversion of a constant to integers, if it is one. What does not fit stays for the running program, which fails there.
    pub(super) fn fold_conversion(
        &mut self,
        expr: &Expr,
        operands: &[(NodeId, Type)],
        result: &Type,
    ) -> bool {
        let [(operand, _)] = operands else { return false };
        let Some(to) = result.element_type().filter(|to| to.is_integer()) else { return false };
        let to = |value: &Scalar| ops::convert_scalar(*value, to, Overflow::Checked);
        let converted = match self.frame.tables.constants.get(operand) {
            Some(Constant::Scalar(value)) => to(value).map(Constant::Scalar),
            Some(Constant::Array(sizes, values)) => values
                .iter()
                .map(to)
                .collect::<Result<_, _>>()
                .map(|values| Constant::Array(sizes.clone(), values)),
            Some(Constant::Text(_)) | None => return false,
        };
        match converted {
            Ok(value) => {
                self.record_parts(expr.id, &value);
                self.frame.tables.constants.insert(expr.id, value);
            }
            Err(error) => self.say(messages::constant_does_not_fit(expr.span, &error)),
        }
        true
    }

    /// Folds an integer to a constant integer power.
    pub(super) fn fold_power(&mut self, id: NodeId, operands: &[(NodeId, Type)]) {
        let value = |position: usize| match self.frame.tables.constants.get(&operands.get(position)?.0) {
            Some(Constant::Scalar(value)) => Some(*value),
            _ => None,
        };
        let (Some(base), Some(exponent), Some(row)) = (value(0), value(1), ops::find("powi")) else { return };
        let promoted = quasar_devicelib::element::promote(base.element_type(), base.element_type());
        if let Some(base) = convert(base, promoted) {
            let exponent = exponent.as_i64().clamp(0, i32::MAX.into()) as i32;
            let value = (row.eval)(&[base, Scalar::I32(exponent)]);
            if value.element_type() == promoted {
                self.frame.tables.constants.insert(id, Constant::Scalar(value));
            }
        }
    }

    /// Concatenates known strings and integers.
    pub(super) fn joined(&self, operands: &[(NodeId, Type)]) -> Option<String> {
        let part = |(id, _): &(NodeId, Type)| match self.frame.tables.constants.get(id)? {
            Constant::Text(text) => Some(text.clone()),
            Constant::Scalar(value @ Scalar::I32(_)) => Some(value.as_i64().to_string()),
            _ => None,
        };
        operands.iter().map(part).collect()
    }

    /// The value of a size in a type: linear in parameters and constants.
    pub(super) fn size_expression(&self, expr: &Expr, lexical: &Lexical) -> Option<i64> {
        match &expr.kind {
            ExprKind::Number(Number::Int(n)) => i64::try_from(*n).ok(),
            ExprKind::Paren(inner) => self.size_expression(inner, lexical),
            ExprKind::Prefix { op: PrefixOp::Negate, operand } => {
                self.size_expression(operand, lexical)?.checked_neg()
            }
            ExprKind::Infix { op, lhs, rhs } => {
                let (a, b) = (self.size_expression(lhs, lexical)?, self.size_expression(rhs, lexical)?);
                match op {
                    InfixOp::Add => a.checked_add(b),
                    InfixOp::Subtract => a.checked_sub(b),
                    InfixOp::Multiply | InfixOp::DotMultiply => a.checked_mul(b),
                    InfixOp::Divide | InfixOp::DotDivide if b != 0 && a % b == 0 => Some(a / b),
                    InfixOp::Power | InfixOp::DotPower => a.checked_pow(u32::try_from(b).ok()?),
                    _ => None,
                }
            }
            ExprKind::Name(name) => {
                if let Some((_, bound)) = lexical.bindings.iter().rev().find(|(key, _)| key == name) {
                    return match bound {
                        Some(Bound::Integer(n)) => Some(*n),
                        _ => None,
                    };
                }
                if let Some(variable) = self.frame.env.get(name) {
                    return integer_of(variable.value.as_ref()?);
                }
                integer_of(self.global(lexical.module, name)?.1.value.as_ref()?)
            }
            _ => None,
        }
    }

    /// The value of a typed expression, if it is a known integer.
    pub(super) fn known_integer(&self, id: NodeId) -> Option<i64> {
        integer_of(self.frame.tables.constants.get(&id)?)
    }

    /// Forgets the components of integer vectors, after a write through a reference that may alias them.
    pub(super) fn forget_parts(&mut self) {
        self.frame.elements.clear();
        for variable in self.frame.env.values_mut() {
            if !variable.access.constant {
                variable.known_components = None;
                if matches!(variable.value, Some(Constant::Array(..))) {
                    variable.value = None;
                }
            }
        }
    }
}

fn integer_of(value: &Constant) -> Option<i64> {
    match value {
        Constant::Scalar(value) if value.element_type().is_integer() => Some(value.as_i64()),
        Constant::Scalar(value) if value.as_f64().fract() == 0.0 && !value.element_type().is_complex() => {
            Some(value.as_f64() as i64)
        }
        _ => None,
    }
}

fn fold_constants(row: &ops::Row, constants: &[Constant], converted: &[Type]) -> Option<Constant> {
    let elements: Option<Vec<ElementType>> = converted.iter().map(Type::element_type).collect();
    let elements = elements?;
    let mut sizes: Option<Vec<usize>> = None;
    for constant in constants {
        match constant {
            Constant::Scalar(_) => {}
            Constant::Array(own, values) => {
                if values.len() > LIMIT || sizes.as_ref().is_some_and(|sizes| sizes != own) {
                    return None;
                }
                sizes = Some(own.clone());
            }
            Constant::Text(_) => return None,
        }
    }
    let at = |k: usize| -> Option<Scalar> {
        let args: Option<Vec<Scalar>> = constants
            .iter()
            .zip(&elements)
            .map(|(constant, element)| match constant {
                Constant::Scalar(value) => convert(*value, *element),
                Constant::Array(_, values) => convert(*values.get(k)?, *element),
                Constant::Text(_) => None,
            })
            .collect();
        Some((row.eval)(&args?))
    };
    match sizes {
        None => at(0).map(Constant::Scalar),
        Some(sizes) => {
            let count: usize = sizes.iter().product();
            (0..count).map(at).collect::<Option<Vec<Scalar>>>().map(|values| Constant::Array(sizes, values))
        }
    }
}
