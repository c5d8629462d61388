//! Inverses and solutions of systems of unknown size: Gaussian elimination with partial pivoting, in the order of the library, so that
//! both have the same bits.
//!
//! ```text
//! for k = 0..n-1
//!     p = place of the largest abs(w[k..n-1, k])
//!     exchange rows k and p of w and y
//!     for i = k+1..n-1
//!         f = w[i,k] / w[k,k]
//!         w[i,k+1..n-1] -= f * w[k,k+1..n-1];  y[i,:] -= f * y[k,:]
//! for i = n-1..-1..0
//!     for k = i+1..n-1:  y[i,:] -= w[i,k] * y[k,:]
//!     y[i,:] /= w[i,i]
//! ```

use super::source::Source;
use super::{Pass, apply, element_type, integer, minus_one, text};
use crate::ir::build::{self, int, int_type};
use crate::ir::{Expr, Failure, LoopAttributes, Range, StmtKind, VarId};
use crate::source::Span;
use crate::types::known::{rank, scalar};
use crate::types::{Boundary, ElementType, Type};

/// A system of equations while it is solved: a matrix and right sides, which become the solutions.
struct System {
    matrix: Expr,
    sides: Expr,
    /// Equations, and right sides where these are a matrix.
    rows: Expr,
    columns: Option<Expr>,
    number: Type,
    span: Span,
}

impl System {
    fn at(&self, row: &Expr, column: &Expr) -> Expr {
        let at = vec![row.clone(), column.clone()];
        build::load(self.matrix.clone(), at, Boundary::Unchecked, self.span)
    }

    fn compute(&self, name: &str, args: Vec<Expr>) -> Expr {
        apply(name, args, &self.number, self.span)
    }
}

impl Pass<'_> {
    /// `inv(a)`, `solve(a, b)`.
    pub(super) fn solved(&mut self, variable: VarId, args: &[Expr], ty: &Type, span: Span) -> bool {
        let number = element_type(ty);
        let real = scalar(&number).is_some_and(|e| e.is_float() && !e.is_complex() && e != ElementType::Half);
        let mark = self.out.len();
        let Some(system) = self.system(variable, args, ty, span).filter(|_| real) else {
            self.out.truncate(mark);
            return false;
        };
        let failed = match args.len() {
            1 => "inv: the matrix is singular",
            _ => "solve: the matrix is singular",
        };
        self.eliminated(&system, failed);
        self.substituted(&system);
        true
    }

    /// Copies of the matrix and of the right sides.
    fn system(&mut self, variable: VarId, args: &[Expr], ty: &Type, span: Span) -> Option<System> {
        let number = element_type(ty);
        let a = self.source(args.first()?)?.converted(&number);
        let [rows, across] = <[Expr; 2]>::try_from(a.dims.clone()).ok()?;
        self.alike(std::slice::from_ref(&rows), &[across], span);
        let sides = match args.get(1) {
            None => Source::unit(vec![rows.clone(), rows.clone()], &number, span),
            Some(b) => self.source(b)?.converted(&number),
        };
        if rank(ty)? != sides.dims.len() || sides.dims.len() > 2 {
            return None;
        }
        self.alike(std::slice::from_ref(&rows), &sides.dims[..1], span);
        let matrix = self.body.temporary(build::array_type(number.clone(), 2), span);
        self.fill(matrix, &a, false, span);
        self.fill(variable, &sides, false, span);
        let [matrix, target] = [matrix, variable].map(|v| self.body.read(v, span));
        Some(System { matrix, sides: target, rows, columns: sides.dims.get(1).cloned(), number, span })
    }

    fn eliminated(&mut self, system: &System, failed: &str) {
        let (span, last) = (system.span, minus_one(system.rows.clone(), system.span));
        self.in_range(build::range(int(0, span), last.clone()), span, |this, k| {
            let next = integer("add", k.clone(), int(1, span), span);
            let below = build::range(next.clone(), last.clone());
            let pivot = this.pivot(system, &k, &below);
            let zero = super::functions::zero(&system.number, span);
            let is_zero = apply("equal", vec![system.at(&pivot, &k), zero], &int_type(), span);
            this.fail_if(is_zero, Failure::Argument, vec![text(failed, span)], span);
            let (swap, ()) = this.aside(|this| this.exchanged(system, &k, &pivot));
            let apart = integer("not_equal", pivot, k.clone(), span);
            this.out.push(build::choice(apart, swap, Vec::new(), span));
            this.in_range(below.clone(), span, |this, i| {
                let parts = vec![system.at(&i, &k), system.at(&k, &k)];
                let factor = this.number_of(system.compute("divide", parts), span);
                this.in_range(below, span, |this, j| {
                    let product = system.compute("multiply", vec![factor.clone(), system.at(&k, &j)]);
                    let less = system.compute("subtract", vec![system.at(&i, &j), product]);
                    this.put(&system.matrix, &[i.clone(), j], less, span);
                });
                this.subtracted(system, &factor, [&i, &k]);
            });
        });
    }

    /// The row of the largest number in a column from the diagonal on.
    fn pivot(&mut self, system: &System, k: &Expr, below: &Range) -> Expr {
        let span = system.span;
        let [place, largest] = [&int_type(), &system.number].map(|ty| self.body.temporary(ty.clone(), span));
        let [found, most] = [place, largest].map(|v| self.body.read(v, span));
        self.out.push(build::assign(place, k.clone()));
        self.out.push(build::assign(largest, system.compute("abs", vec![system.at(k, k)])));
        self.in_range(below.clone(), span, |this, i| {
            let size = this.number_of(system.compute("abs", vec![system.at(&i, k)]), span);
            let larger = apply("greater", vec![size.clone(), most], &int_type(), span);
            let better = vec![build::assign(largest, size), build::assign(place, i)];
            this.out.push(build::choice(larger, better, Vec::new(), span));
        });
        found
    }

    fn exchanged(&mut self, system: &System, k: &Expr, pivot: &Expr) {
        let span = system.span;
        let columns = build::range(int(0, span), minus_one(system.rows.clone(), span));
        self.in_range(columns, span, |this, j| {
            let [first, second] = [k, pivot].map(|row| vec![row.clone(), j.clone()]);
            this.swapped(&system.matrix, &first, &second, span);
        });
        self.along_sides(system, |this, column| {
            let [first, second] = [k, pivot].map(|row| [vec![row.clone()], column.clone()].concat());
            this.swapped(&system.sides, &first, &second, span);
        });
    }

    fn swapped(&mut self, array: &Expr, first: &[Expr], second: &[Expr], span: Span) {
        let [a, b] =
            [first, second].map(|at| build::load(array.clone(), at.to_vec(), Boundary::Unchecked, span));
        let kept = self.number_of(a, span);
        self.put(array, first, b, span);
        self.put(array, second, kept, span);
    }

    fn substituted(&mut self, system: &System) {
        let (span, last) = (system.span, minus_one(system.rows.clone(), system.span));
        let upwards = Range { from: last.clone(), step: Some(int(-1, span)), to: int(0, span) };
        self.in_range(upwards, span, |this, i| {
            let next = integer("add", i.clone(), int(1, span), span);
            this.in_range(build::range(next, last), span, |this, k| {
                let factor = this.number_of(system.at(&i, &k), span);
                this.subtracted(system, &factor, [&i, &k]);
            });
            let pivot = this.number_of(system.at(&i, &i), span);
            this.along_sides(system, |this, column| {
                let at = [vec![i.clone()], column].concat();
                let side = build::load(system.sides.clone(), at.clone(), Boundary::Unchecked, span);
                this.put(&system.sides, &at, system.compute("divide", vec![side, pivot.clone()]), span);
            });
        });
    }

    /// `y[i,:] -= factor * y[k,:]`
    fn subtracted(&mut self, system: &System, factor: &Expr, rows: [&Expr; 2]) {
        let span = system.span;
        self.along_sides(system, |this, column| {
            let [to, from] = rows.map(|row| [vec![row.clone()], column.clone()].concat());
            let [side, other] = [&to, &from]
                .map(|at| build::load(system.sides.clone(), at.clone(), Boundary::Unchecked, span));
            let product = system.compute("multiply", vec![factor.clone(), other]);
            this.put(&system.sides, &to, system.compute("subtract", vec![side, product]), span);
        });
    }

    /// For each right side, whose index is there where they are a matrix.
    fn along_sides(&mut self, system: &System, f: impl FnOnce(&mut Self, Vec<Expr>)) {
        match &system.columns {
            None => f(self, Vec::new()),
            Some(columns) => {
                let (span, last) = (system.span, minus_one(columns.clone(), system.span));
                self.in_range(build::range(int(0, span), last), span, |this, j| f(this, vec![j]));
            }
        }
    }

    /// A number in a variable.
    fn number_of(&mut self, value: Expr, span: Span) -> Expr {
        let variable = self.body.temporary(value.ty.clone(), span);
        self.out.push(build::assign(variable, value));
        self.body.read(variable, span)
    }

    fn in_range(&mut self, range: Range, span: Span, f: impl FnOnce(&mut Self, Expr)) {
        let variable = self.body.temporary(int_type(), span);
        let at = self.body.read(variable, span);
        let (body, ()) = self.aside(|this| f(this, at));
        let attributes = LoopAttributes::default();
        self.push(StmtKind::For { variable, range, body, attributes }, span);
    }
}
