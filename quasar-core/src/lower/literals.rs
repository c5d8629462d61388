//! Constants, literals of arrays, cells and tuples, closures, and the components of vectors.

use super::body::Lowering;
use crate::ir::build::{self, element_of, int_type, same_type, with_element};
use crate::ir::{Expr, ExprKind, Index};
use crate::sema::model::{Constant, Definition, module_variable};
use crate::source::Span;
use crate::syntax::ast::{self, Element, NodeId};
use crate::types::{ArrayType, Rank, Type};
use quasar_devicelib::element::{Overflow, Scalar};
use quasar_devicelib::ops;

impl<'a> Lowering<'a, '_> {
    /// A compile-time constant as an expression of the given type.
    pub(super) fn constant(&mut self, constant: &Constant, ty: &Type, span: Span) -> Option<Expr> {
        match (constant, ty) {
            (Constant::Scalar(value), Type::Scalar(..) | Type::Enum(_)) => Some(scalar(*value, ty, span)),
            (Constant::Scalar(value), Type::Dynamic) => {
                let ty = build::scalar_type(value.element_type());
                Some(build::convert(scalar(*value, &ty, span), &Type::Dynamic))
            }
            (Constant::Text(text), _) => Some(Expr::new(ExprKind::Text(text.clone()), Type::Text, span)),
            (Constant::Array(sizes, values), Type::Array(array)) => {
                let element = &array.element;
                let known = sizes.iter().map(|size| Some(*size as u32)).collect();
                let rank_fits = array.rank == Rank::Known(sizes.len() as u8);
                if !rank_fits || values.len() != sizes.iter().product::<usize>() {
                    return None;
                }
                let literal = nested(sizes, values, element, span);
                let exact = build::sized_type((**element).clone(), known);
                let literal = Expr { ty: exact, ..literal };
                Some(if same_type(&literal.ty, ty) { literal } else { build::convert(literal, ty) })
            }
            _ => None,
        }
    }

    /// `[a, b]`
    pub(super) fn array_literal(&mut self, expr: &'a ast::Expr, items: &'a [Element]) -> Expr {
        let ty = self.type_of(expr);
        let Type::Array(array) = &ty else { return self.literal_of_values(expr, items) };
        if self.has_unknown_spread(items) {
            return self.concatenation(expr, items, array);
        }
        let array = array.clone();
        let items = self.elements(items, |this, value| this.item(value, &array));
        let items = items.unwrap_or_default();
        let mut exact = array.clone();
        if let Some(first) = exact.sizes.first_mut() {
            *first = Some(items.len() as u32);
        }
        let literal = Expr::new(ExprKind::Array(items), Type::Array(exact), expr.span);
        if same_type(&literal.ty, &ty) { literal } else { build::convert(literal, &ty) }
    }

    /// `[a, ...b]` with elements whose types are known at run time only.
    fn literal_of_values(&mut self, expr: &'a ast::Expr, items: &'a [Element]) -> Expr {
        let mut form = String::new();
        let mut args = self.ordered(items, |this, item| {
            let (mark, item) = match item {
                Element::Expr(item) => ('x', item),
                Element::Spread(item) => ('.', item),
            };
            form.push(mark);
            let value = this.expr(item);
            build::convert(value, &Type::Dynamic)
        });
        args.insert(0, Expr::new(ExprKind::Text(form), Type::Text, expr.span));
        Expr::new(ExprKind::Library { name: "array_of", args }, Type::Dynamic, expr.span)
    }

    /// An element of an array literal in the element type of the whole.
    fn item(&mut self, value: Expr, whole: &ArrayType) -> Expr {
        match (element_of(&value.ty), element_of(&whole.element)) {
            (Some(_), Some(element)) => {
                let ty = with_element(&value.ty, element);
                self.convert_number(value, &ty)
            }
            _ => build::convert(value, &whole.element),
        }
    }

    /// The elements in order, with known spreads taken apart; `None` where a length is not known.
    fn elements(
        &mut self,
        items: &'a [Element],
        mut f: impl FnMut(&mut Self, Expr) -> Expr,
    ) -> Option<Vec<Expr>> {
        let mut done: Vec<Expr> = Vec::new();
        for item in items {
            let mark = self.out.len();
            let values = match item {
                Element::Expr(item) => vec![self.expr(item)],
                Element::Spread(item) => {
                    let value = self.expr(item);
                    let length = self.known_length(&value.ty)?;
                    self.components(value, length)
                }
            };
            let values: Vec<Expr> = values.into_iter().map(|value| f(self, value)).collect();
            self.protect(&mut done, mark);
            done.extend(values);
        }
        Some(done)
    }

    fn has_unknown_spread(&self, items: &'a [Element]) -> bool {
        items.iter().any(|item| match item {
            Element::Spread(spread) => self.known_length(&self.type_of(spread)).is_none(),
            Element::Expr(_) => false,
        })
    }

    /// `[...u, 4, ...v]` with vectors of lengths known at run time only.
    fn concatenation(&mut self, expr: &'a ast::Expr, items: &'a [Element], array: &ArrayType) -> Expr {
        let vec = Type::Array(ArrayType {
            element: array.element.clone(),
            rank: Rank::Known(1),
            sizes: vec![None],
        });
        let args = self.ordered(items, |this, item| match item {
            Element::Expr(item) => {
                let value = this.expr(item);
                let value = build::convert(value, &array.element);
                Expr::new(
                    ExprKind::Array(vec![value]),
                    build::sized_type((*array.element).clone(), vec![Some(1)]),
                    item.span,
                )
            }
            Element::Spread(item) => {
                let value = this.expr(item);
                build::convert(value, &vec)
            }
        });
        let ty = Type::Array(array.clone());
        Expr::new(ExprKind::Library { name: "horzcat", args }, ty, expr.span)
    }

    /// `{a, b}`
    pub(super) fn cell_literal(&mut self, expr: &'a ast::Expr, items: &'a [Element]) -> Expr {
        let ty = self.type_of(expr);
        if self.has_unknown_spread(items) {
            return match &ty {
                Type::Array(array) if element_of(&array.element).is_some() => {
                    self.concatenation(expr, items, array)
                }
                _ => self.joined_cell(expr, items, &ty),
            };
        }
        let mut position = 0;
        let wanted = ty.clone();
        let items = self.elements(items, |_, value| {
            let target = match &wanted {
                Type::Tuple(types) => types.get(position).cloned().unwrap_or(Type::Dynamic),
                Type::Array(array) => (*array.element).clone(),
                _ => Type::Dynamic,
            };
            position += 1;
            build::convert(value, &target)
        });
        let Some(items) = items else {
            return self.missing(expr.span, "`...` of a value of unknown length in a cell literal", ty);
        };
        match &ty {
            Type::Array(array) => {
                let mut exact = array.clone();
                if let Some(first) = exact.sizes.first_mut() {
                    *first = Some(items.len() as u32);
                }
                build::convert(Expr::new(ExprKind::Tuple(items), Type::Array(exact), expr.span), &ty)
            }
            Type::Tuple(_) => Expr::new(ExprKind::Tuple(items), ty, expr.span),
            _ => {
                let element = Box::new(Type::Dynamic);
                let cell = ArrayType { element, rank: Rank::Known(1), sizes: vec![Some(items.len() as u32)] };
                build::convert(Expr::new(ExprKind::Tuple(items), Type::Array(cell), expr.span), &ty)
            }
        }
    }

    /// `{...u, 4, ...v}` with vectors of lengths known at run time only.
    fn joined_cell(&mut self, expr: &'a ast::Expr, items: &'a [Element], ty: &Type) -> Expr {
        let element = match ty {
            Type::Array(array) => (*array.element).clone(),
            _ => Type::Dynamic,
        };
        let cell = build::array_type(Type::Dynamic, 1);
        let args = self.ordered(items, |this, item| match item {
            Element::Expr(item) => {
                let value = this.expr(item);
                let value = build::convert(build::convert(value, &element), &Type::Dynamic);
                Expr::new(ExprKind::Tuple(vec![value]), cell.clone(), item.span)
            }
            Element::Spread(item) => {
                let value = this.expr(item);
                build::convert(value, &Type::Dynamic)
            }
        });
        build::convert(Expr::new(ExprKind::Library { name: "cell_of_all", args }, cell, expr.span), ty)
    }

    /// A lambda or named function as a value: the captured variables as they are now.
    pub(super) fn closure(&mut self, node: NodeId, ty: Type, span: Span) -> Expr {
        let Type::Closure(closure) = &ty else {
            return self.missing(span, "a function as a value of this type", ty);
        };
        if let Some(variable) = self.inner.get(&node)
            && !closure.captures.is_empty()
        {
            return build::convert(self.body.read(*variable, span), &ty);
        }
        let mut captures = Vec::new();
        for (name, ty) in &closure.captures {
            // Where no path that comes here set it, capturing it is an error of the running program.
            let value = self.captured(node, name, span).unwrap_or_else(|| self.local(name, ty, span));
            captures.push(build::convert(value, ty));
        }
        Expr::new(ExprKind::Tuple(captures), ty, span)
    }

    /// The value of a variable that a function or lambda captures.
    pub(super) fn captured(&mut self, node: NodeId, name: &str, span: Span) -> Option<Expr> {
        let own = match self.instance.definition {
            Definition::Function(own) | Definition::Lambda(own) => own == node,
            Definition::Module(_) => false,
        };
        if own && let Some(position) = self.instance.captures.iter().position(|capture| capture.name == name)
        {
            return self.body.params.get(position).map(|param| self.body.read(*param, span));
        }
        match self.environment.get(name) {
            Some(variable) => Some(self.body.read(*variable, span)),
            None => match self.tables.captured.get(name) {
                Some(unique) => Some(self.global(unique, span)),
                None => match module_variable(name) {
                    Some(unique) => Some(self.global(unique, span)),
                    None => self.special(name, span),
                },
            },
        }
    }

    /// How many components a value has, where its type says so.
    pub(super) fn known_length(&self, ty: &Type) -> Option<usize> {
        match ty {
            Type::Array(array) => match array.sizes[..] {
                [Some(length)] => Some(length as usize),
                [Some(1), Some(length)] | [Some(length), Some(1)] => Some(length as usize),
                _ => None,
            },
            Type::Tuple(items) => Some(items.len()),
            _ => None,
        }
    }

    /// The components of a vector or tuple of `count` components, each as an expression of its own.
    pub(super) fn components(&mut self, value: Expr, count: usize) -> Vec<Expr> {
        match value.kind {
            ExprKind::Array(items) | ExprKind::Tuple(items) if items.len() == count => items,
            ExprKind::Apply { row, args } if matches!(value.ty, Type::Array(_)) => {
                self.components_of_row(row, args, &value.ty, count, value.span)
            }
            ExprKind::Convert(inner) if self.splits(&inner.ty, &value.ty) => {
                let element = match &value.ty {
                    Type::Array(array) => (*array.element).clone(),
                    other => other.clone(),
                };
                let items = self.components(*inner, count);
                items.into_iter().map(|item| self.convert_number(item, &element)).collect()
            }
            kind => {
                let value = Expr { kind, ..value };
                let value = self.atom(value);
                (0..count).map(|k| self.component(&value, k)).collect()
            }
        }
    }

    /// Whether a conversion of vectors is one of their components.
    fn splits(&self, from: &Type, to: &Type) -> bool {
        let vec = |ty: &Type| matches!(ty, Type::Array(array) if array.rank == Rank::Known(1));
        vec(from) && vec(to)
    }

    fn components_of_row(
        &mut self,
        row: &'static ops::Row,
        args: Vec<Expr>,
        ty: &Type,
        count: usize,
        span: Span,
    ) -> Vec<Expr> {
        let element = match ty {
            Type::Array(array) => (*array.element).clone(),
            other => other.clone(),
        };
        let mut columns: Vec<Vec<Expr>> = Vec::new();
        for arg in args {
            if matches!(arg.ty, Type::Array(_)) {
                columns.push(self.components(arg, count));
            } else {
                let arg = if count > 1 { self.atom(arg) } else { arg };
                columns.push(vec![arg; count]);
            }
        }
        (0..count)
            .map(|k| {
                let args = columns.iter().filter_map(|column| column.get(k).cloned()).collect();
                build::apply(row, args, element.clone(), span)
            })
            .collect()
    }

    /// Component `k` of a variable.
    fn component(&mut self, value: &Expr, k: usize) -> Expr {
        let span = value.span;
        match &value.ty {
            Type::Tuple(items) => {
                let ty = items.get(k).cloned().unwrap_or(Type::Dynamic);
                Expr::new(ExprKind::Field(Box::new(value.clone()), k), ty, span)
            }
            Type::Closure(closure) => {
                let ty = closure.captures.get(k).map_or(Type::Dynamic, |(_, ty)| ty.clone());
                Expr::new(ExprKind::Field(Box::new(value.clone()), k), ty, span)
            }
            Type::Array(array) => {
                let at = |k: usize| Index::At(build::int(k as i32, span));
                let index = match (array.rank, array.sizes.first()) {
                    (Rank::Known(2), Some(Some(1))) => vec![at(0), at(k)],
                    (Rank::Known(2), _) => vec![at(k), at(0)],
                    _ => vec![at(k)],
                };
                let (array, ty) = (Box::new(value.clone()), (*array.element).clone());
                let boundary = self.default_mode().boundary;
                Expr::new(ExprKind::Load { array, index, boundary }, ty, span)
            }
            Type::Dynamic => {
                let index = vec![Index::At(build::int(k as i32, span))];
                let boundary = self.default_mode().boundary;
                Expr::new(
                    ExprKind::Load { array: Box::new(value.clone()), index, boundary },
                    Type::Dynamic,
                    span,
                )
            }
            _ => value.clone(),
        }
    }
}

fn scalar(value: Scalar, ty: &Type, span: Span) -> Expr {
    let (element, overflow) = match ty {
        Type::Scalar(element, overflow) => (*element, *overflow),
        _ => (crate::types::ElementType::Int32, Overflow::Checked),
    };
    match ops::convert_scalar(value, element, overflow) {
        Ok(value) => Expr::new(ExprKind::Constant(value), ty.clone(), span),
        Err(_) => {
            let raw = Expr::new(ExprKind::Constant(value), build::scalar_type(value.element_type()), span);
            build::convert(raw, ty)
        }
    }
}

fn nested(sizes: &[usize], values: &[Scalar], element: &Type, span: Span) -> Expr {
    let Some((first, rest)) = sizes.split_first() else {
        return scalar(values.first().copied().unwrap_or(Scalar::I32(0)), element, span);
    };
    let items: Vec<Expr> = match values.len().checked_div(*first) {
        Some(chunk) if chunk > 0 => {
            values.chunks(chunk).map(|part| nested(rest, part, element, span)).collect()
        }
        _ => Vec::new(),
    };
    let known = sizes.iter().map(|size| Some(*size as u32)).collect();
    Expr::new(ExprKind::Array(items), build::sized_type(element.clone(), known), span)
}

/// `int` vector of known length.
pub(super) fn int_vector(items: Vec<Expr>, span: Span) -> Expr {
    let ty = build::sized_type(int_type(), vec![Some(items.len() as u32)]);
    Expr::new(ExprKind::Array(items), ty, span)
}
