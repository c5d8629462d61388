//! Products of small vectors and what is made of them: `dotprod`, `cross`, `trace`, and `norm` without overflow.

use super::{Pass, array_of, sizes};
use crate::ir::build::{self, int_type};
use crate::ir::{Expr, ExprKind};
use crate::types::known::array_element;
use crate::types::{ElementType, Type};
use quasar_devicelib::element::Scalar;

/// Where squares lose digits in a type, and the exponents of the powers of two that bring what lies beyond back.
struct Range {
    low: f64,
    high: f64,
    up: i32,
    down: i32,
}

const SINGLE: Range = Range { low: 1e-30, high: 1e30, up: 90, down: -70 };
const DOUBLE: Range = Range { low: 1e-200, high: 1e200, up: 600, down: -600 };

impl Pass<'_> {
    /// A function of products, if it has a form here.
    pub(super) fn of_products(&mut self, name: &str, args: &[Expr], ty: &Type) -> Option<Expr> {
        // The library computes with halves in single precision.
        if args.iter().any(|arg| array_element(&arg.ty) == Some(ElementType::Half)) {
            return None;
        }
        match (name, args) {
            ("dotprod", [x, y]) if sizes(&x.ty)? == sizes(&y.ty)? => {
                let (x, y) = (self.converted(x, ty)?, self.converted(y, ty)?);
                let products = x.into_iter().zip(y).map(|(a, b)| self.row("multiply", vec![a, b], ty));
                let products = products.collect::<Option<_>>()?;
                self.total(products)
            }
            ("cross", [x, y]) => {
                let item = super::element(ty)?;
                let (x, y) = (self.converted(x, &item)?, self.converted(y, &item)?);
                let (3, 3) = (x.len(), y.len()) else { return None };
                let minor = |i: usize, j: usize| {
                    let product = |a: usize, b: usize| {
                        self.row("multiply", vec![x.get(a)?.clone(), y.get(b)?.clone()], &item)
                    };
                    self.row("subtract", vec![product(i, j)?, product(j, i)?], &item)
                };
                let items = vec![minor(1, 2)?, minor(2, 0)?, minor(0, 1)?];
                array_of(items, ty, self.span)
            }
            ("trace", [x]) => {
                let [rows, columns] = sizes(&x.ty)?[..] else { return None };
                let items = self.converted(x, ty).filter(|_| rows == columns)?;
                self.total(items.into_iter().step_by(columns + 1).collect())
            }
            ("norm", [x]) => self.norm(x, ty),
            _ => None,
        }
    }

    /// The elements in another type, each computed once.
    fn converted(&mut self, x: &Expr, ty: &Type) -> Option<Vec<Expr>> {
        let items = self.elements(x)?;
        items.into_iter().map(|item| self.keep(build::convert(item, ty))).collect()
    }

    /// The Euclidean norm. A power of two scales what is so large or so small that its squares would not have the type's digits;
    /// it is 1 else, and changes no bit.
    fn norm(&mut self, x: &Expr, ty: &Type) -> Option<Expr> {
        let Type::Scalar(float @ (ElementType::Single | ElementType::Double), _) = ty else { return None };
        let (range, float) = (if *float == ElementType::Single { SINGLE } else { DOUBLE }, *float);
        let items = self.converted(x, ty)?;
        let sum = self.sum_of_squares(&items, ty)?;
        let sum = self.keep(sum)?;
        let span = self.span;
        let number = |value: f64| {
            let value =
                if float == ElementType::Single { Scalar::F32(value as f32) } else { Scalar::F64(value) };
            Expr::new(ExprKind::Constant(value), ty.clone(), span)
        };
        let beyond = |row: &'static str, limit: f64| {
            let row = quasar_devicelib::ops::find(row)?;
            Some(build::apply(row, vec![sum.clone(), number(limit)], int_type(), span))
        };
        let (large, small) = (beyond("greater", range.high)?, beyond("less", range.low)?);
        let power = |sign: i32| {
            let number = |exponent: i32| number(2f64.powi(sign * exponent));
            let small = build::select(small.clone(), number(range.up), number(0));
            build::select(large.clone(), number(range.down), small)
        };
        let (scale, back) = (self.keep(power(1))?, power(-1));
        let mut scaled = Vec::new();
        for item in items {
            let item = self.row("multiply", vec![item, scale.clone()], ty)?;
            scaled.push(self.keep(item)?);
        }
        let sum = self.sum_of_squares(&scaled, ty)?;
        let root = self.row("sqrt", vec![sum], ty)?;
        self.row("multiply", vec![root, back], ty)
    }

    fn sum_of_squares(&mut self, items: &[Expr], ty: &Type) -> Option<Expr> {
        let squares = items.iter().map(|item| self.row("multiply", vec![item.clone(), item.clone()], ty));
        let squares = squares.collect::<Option<_>>()?;
        self.total(squares)
    }
}
