//! Types of array literals, cells and ranges.

use super::Analyzer;
use crate::builtins::typing;
use crate::sema::model::*;
use crate::syntax::ast::*;
use crate::types::{ArrayType, ElementType, Type, lattice, shape};
use quasar_devicelib::element::{Scalar, promote};
use quasar_devicelib::value::sequence;

/// The most items of a tuple that are one value where compiled code needs that.
const LONGEST_TUPLE: usize = 16;

impl<'a> Analyzer<'a> {
    pub(super) fn array_literal(&mut self, expr: &'a Expr, elements: &'a [Element]) -> Type {
        let mut types: Vec<Type> = Vec::new();
        let mut length = Some(0u32);
        for element in elements {
            match element {
                Element::Expr(value) => {
                    types.push(self.expr(value));
                    length = length.and_then(|n| n.checked_add(1));
                }
                Element::Spread(value) => {
                    let ty = self.expr(value);
                    let (element, count) = match &ty {
                        Type::Array(array) if array.known_rank() == Some(1) => {
                            ((*array.element).clone(), array.vector_length())
                        }
                        Type::Tuple(parts) => {
                            let joined = parts
                                .iter()
                                .fold(parts.first().cloned(), |a, b| a.map(|a| lattice::join(&a, b)));
                            (joined.unwrap_or(Type::Dynamic), Some(parts.len() as u32))
                        }
                        Type::Error => (Type::Error, None),
                        Type::Dynamic => (Type::Dynamic, None),
                        other => {
                            let text = format!("'...' spreads a vec, found '{}'", self.show(other));
                            (self.error("Q0317", value.span, text), None)
                        }
                    };
                    types.push(element);
                    length = length.zip(count).and_then(|(n, count)| n.checked_add(count));
                }
            }
        }
        if types.contains(&Type::Error) {
            return Type::Error;
        }
        let Some(first) = types.first().cloned() else {
            return Type::numbers(self.working(), &[Some(0)]);
        };
        let spread = elements.iter().any(|element| matches!(element, Element::Spread(_)));
        let ty = if types.iter().all(Type::is_number) {
            let element = types
                .iter()
                .filter_map(Type::element_type)
                .reduce(|a, b| if a == b { a } else { promote(a, b) })
                .unwrap_or(ElementType::Int32);
            Type::numbers(element, &[length])
        } else if types.iter().all(|ty| *ty == Type::Text) {
            Type::array(Type::Text, &[length])
        } else if types.iter().any(|ty| matches!(ty, Type::Dynamic)) {
            // Numbers, strings or rows: a vec or a mat, decided at run time. Used as a size or a position, it has one
            // number for each element.
            if !spread {
                self.frame.known_components.insert(expr.id, vec![None; elements.len()]);
            }
            Type::Dynamic
        } else if !spread && types.iter().all(Type::is_number_array) {
            self.stacked(expr, &types)
        } else {
            let found: Vec<String> = types.iter().map(|ty| format!("'{}'", self.show(ty))).collect();
            let text = format!(
                "the elements of an array literal must all be numbers, or all be arrays of one size, found {}; use {{..}} for a cell",
                found.join(", ")
            );
            self.error("Q0317", expr.span, text)
        };
        let _ = first;
        if !spread {
            self.literal_value(expr, elements, &ty);
        }
        ty
    }

    /// Stacks vectors as the rows of a mat, and mats as the slices of a cube.
    fn stacked(&mut self, expr: &'a Expr, types: &[Type]) -> Type {
        let mut shape: Option<ArrayType> = None;
        let mut element: Option<ElementType> = None;
        for ty in types {
            let (Type::Array(array), Some(this)) = (ty, ty.element_type()) else { return Type::Error };
            element = Some(
                element.map_or(this, |so_far| if so_far == this { so_far } else { promote(so_far, this) }),
            );
            shape = match shape {
                None => Some(array.clone()),
                Some(so_far) if so_far.rank != array.rank => None,
                Some(so_far) => {
                    let sizes: Option<shape::Sizes> = so_far
                        .sizes
                        .iter()
                        .zip(&array.sizes)
                        .map(|(a, b)| shape::same_size(*a, *b))
                        .collect();
                    sizes.map(|sizes| so_far.with_sizes(&sizes))
                }
            };
            if shape.is_none() {
                let found: Vec<String> = types.iter().map(|ty| format!("'{}'", self.show(ty))).collect();
                let text =
                    format!("the rows of an array literal must have one size, found {}", found.join(", "));
                return self.error("Q0317", expr.span, text);
            }
        }
        let (Some(shape), Some(element)) = (shape, element) else { return Type::Error };
        if shape.known_rank().is_none_or(|rank| rank >= 16) {
            return self.not_supported(expr.span, "stacking arrays of unknown dimensionality");
        }
        let mut sizes = vec![Some(types.len() as u32)];
        sizes.extend(&shape.sizes);
        Type::numbers(element, &sizes)
    }

    /// Folds a literal of constants.
    fn literal_value(&mut self, expr: &'a Expr, elements: &'a [Element], ty: &Type) {
        let Some(element) = ty.element_type() else { return };
        let ids: Vec<NodeId> = elements
            .iter()
            .map(|element| match element {
                Element::Expr(value) | Element::Spread(value) => value.id,
            })
            .collect();
        let mut sizes = vec![ids.len()];
        let mut values = Vec::new();
        let mut complete = true;
        for id in &ids {
            match self.frame.tables.constants.get(id) {
                Some(Constant::Scalar(value)) => values.extend(super::constants::convert(*value, element)),
                Some(Constant::Array(inner, list)) => {
                    if sizes.len() == 1 {
                        sizes.extend(inner);
                    }
                    values.extend(list.iter().filter_map(|value| super::constants::convert(*value, element)));
                }
                _ => complete = false,
            }
        }
        if complete && values.len() == sizes.iter().product::<usize>() && values.len() <= 4096 {
            let value = Constant::Array(sizes, values);
            self.record_parts(expr.id, &value);
            self.frame.tables.constants.insert(expr.id, value);
        } else if matches!(ty, Type::Array(array) if array.known_rank() == Some(1)) && element.is_integer() {
            let parts = ids.iter().map(|id| self.known_integer(*id)).collect();
            self.frame.known_components.insert(expr.id, parts);
        }
    }

    pub(super) fn cell_literal(&mut self, expr: &'a Expr, elements: &'a [Element]) -> Type {
        let mut types = Vec::new();
        let mut open = false;
        for element in elements {
            match element {
                Element::Expr(value) => types.push(self.expr(value)),
                Element::Spread(value) => match self.expr(value) {
                    Type::Tuple(parts) => types.extend(parts),
                    Type::Array(array) => {
                        open = true;
                        types.push((*array.element).clone());
                    }
                    Type::Error => return Type::Error,
                    Type::Dynamic => {
                        open = true;
                        types.push(Type::Dynamic);
                    }
                    other => {
                        let text = format!("'...' spreads a vec or a cell, found '{}'", self.show(&other));
                        return self.error("Q0317", value.span, text);
                    }
                },
            }
        }
        if types.contains(&Type::Error) {
            return Type::Error;
        }
        if self.on_device() && types.iter().any(Type::mentions_dynamic) {
            return self.host_only(expr.span, "cells with values known at run time only");
        }
        let Some(first) = types.first().cloned() else {
            return Type::array(Type::Dynamic, &[Some(0)]);
        };
        if types.iter().all(|ty| same_kind(ty, &first)) {
            let element = types.iter().fold(first, |a, b| lattice::join(&a, b));
            return Type::array(element, &[None]);
        }
        if open || types.iter().any(|ty| matches!(ty, Type::Dynamic)) || self.is_long(&types) {
            return Type::array(Type::Dynamic, &[None]);
        }
        Type::Tuple(types)
    }

    pub(super) fn range(
        &mut self,
        expr: &'a Expr,
        from: &'a Expr,
        step: Option<&'a Expr>,
        to: &'a Expr,
    ) -> Type {
        let mut parts = vec![(from, self.expr(from))];
        if let Some(step) = step {
            parts.push((step, self.expr(step)));
        }
        parts.push((to, self.expr(to)));
        let mut element: Option<ElementType> = None;
        for (part, ty) in &parts {
            match ty {
                Type::Error => return Type::Error,
                // A vec of numbers, whose type is known when the program runs.
                Type::Dynamic => return Type::Dynamic,
                ty if ty.is_number() && !ty.element_type().is_some_and(ElementType::is_complex) => {
                    let this = ty.element_type().unwrap_or(ElementType::Int32);
                    element = Some(element.map_or(this, |so_far| promote(so_far, this)));
                }
                ty => {
                    let text =
                        format!("the parts of a sequence must be real numbers, found '{}'", self.show(ty));
                    return self.error("Q0317", part.span, text);
                }
            }
        }
        let element = element.unwrap_or(ElementType::Int32);
        let element = if element.is_integer() { promote(element, element) } else { element };
        let value = |expr: &Expr| match self.frame.tables.constants.get(&expr.id) {
            Some(Constant::Scalar(value)) => Some(value.as_f64()),
            _ => None,
        };
        let by = step.map_or(Some(1.0), value);
        if by == Some(0.0) {
            return self.error("Q0317", expr.span, sequence::ZERO_STEP);
        }
        let length = match (value(from), by, value(to)) {
            (Some(from), Some(by), Some(to)) => typing_length(from, by, to, element.is_integer()),
            _ => self.window_length(from, step, to),
        };
        if let (Some(first), Some(by), Some(n)) = (value(from), by, length)
            && value(to).is_some()
            && u64::from(n) <= ArrayType::MAX_IN_REGISTERS
        {
            let values: Option<Vec<Scalar>> = (0..n)
                .map(|k| super::constants::convert(Scalar::F64(first + f64::from(k) * by), element))
                .collect();
            if let Some(values) = values {
                let value = Constant::Array(vec![n as usize], values);
                self.record_parts(expr.id, &value);
                self.frame.tables.constants.insert(expr.id, value);
            }
        }
        Type::numbers(element, &[length])
    }

    /// The constant length of windows `a..a+n` and `a-m..a+n`, whatever `a` is.
    fn window_length(&self, from: &Expr, step: Option<&Expr>, to: &Expr) -> Option<u32> {
        if step.is_some() {
            return None;
        }
        let (a, low) = self.offset(from)?;
        let (b, high) = self.offset(to)?;
        let length = high.checked_sub(low)?.checked_add(1)?;
        (same_text(a, b)).then(|| u32::try_from(length.max(0)).ok()).flatten()
    }

    /// An integer expression as a base plus a constant.
    fn offset(&self, expr: &'a Expr) -> Option<(&'a Expr, i64)> {
        let expr = self.bare(expr);
        if !self.frame.tables.types.get(&expr.id)?.is_integer() {
            return None;
        }
        if let ExprKind::Infix { op: op @ (InfixOp::Add | InfixOp::Subtract), lhs, rhs } = &expr.kind
            && let Some(n) = self.known_integer(rhs.id)
        {
            let (base, so_far) = self.offset(lhs)?;
            let n = if *op == InfixOp::Add { n } else { n.checked_neg()? };
            return Some((base, so_far.checked_add(n)?));
        }
        Some((expr, 0))
    }
}

/// Whether two expressions without side effects are syntactically equal.
pub(super) fn same_text(a: &Expr, b: &Expr) -> bool {
    let (a, b) = (super::expressions::bare(a), super::expressions::bare(b));
    match (&a.kind, &b.kind) {
        (ExprKind::Name(x), ExprKind::Name(y)) => x == y,
        (ExprKind::Number(x), ExprKind::Number(y)) => x == y,
        (ExprKind::Infix { op: p, lhs: a, rhs: b }, ExprKind::Infix { op: q, lhs: c, rhs: d }) => {
            p == q && same_text(a, c) && same_text(b, d)
        }
        (ExprKind::Prefix { op: p, operand: a }, ExprKind::Prefix { op: q, operand: b }) => {
            p == q && same_text(a, b)
        }
        (ExprKind::Index { base: a, indices: x }, ExprKind::Index { base: b, indices: y }) => {
            same_text(a, b)
                && x.len() == y.len()
                && x.iter().zip(y).all(|(x, y)| match (x, y) {
                    (IndexArg::Expr(x), IndexArg::Expr(y)) => same_text(x, y),
                    _ => false,
                })
        }
        _ => false,
    }
}

fn typing_length(from: f64, step: f64, to: f64, integral: bool) -> Option<u32> {
    crate::builtins::sequence_length(from, step, to, integral)
}

/// Whether two cell elements share a type up to sizes.
fn same_kind(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Array(a), Type::Array(b)) => a.rank == b.rank && same_kind(&a.element, &b.element),
        // Masks are arrays of `int`.
        _ => a.clone().taken_out() == b.clone().taken_out(),
    }
}

impl Analyzer<'_> {
    /// Whether a cell of mixed types must be typed with dynamic elements, since the variable's elements are assigned.
    /// Aliases of the cell would not see that, so it must have none yet.
    pub(super) fn decays(&self, name: &str, ty: &Type) -> bool {
        let Type::Tuple(parts) = ty else { return false };
        let nested = || parts.iter().any(|part| part.any(&|ty| matches!(ty, Type::Tuple(_))));
        let replaced = &self.frame.assigned_elements;
        !ty.holds_functions()
            && !self.on_device()
            && (replaced.elements.contains(name) || replaced.inner.contains(name) && nested())
    }

    /// Whether a cell of mixed types has too many items for a tuple.
    fn is_long(&self, types: &[Type]) -> bool {
        types.len() > LONGEST_TUPLE && !self.on_device() && !types.iter().any(Type::holds_functions)
    }

    /// Whether operators on the type are resolved at run time.
    pub(super) fn is_cell(&self, ty: &Type) -> bool {
        typing::is_cell_like(ty)
    }
}
