//! The functions that are scalarised, each with its expansion.

use super::{Pass, array_of, element, position, sizes};
use crate::ir::build::{self, int_type};
use crate::ir::{Expr, ExprKind};
use crate::types::known::rank;
use crate::types::{ElementType, Type};
use quasar_devicelib::element::Scalar;

/// The layout of an array along a dimension: extents before it, along it, and after it.
#[derive(Clone, Copy)]
struct Lines {
    outer: usize,
    length: usize,
    inner: usize,
}

impl Lines {
    fn along(sizes: &[usize], axis: usize) -> Lines {
        let length = sizes.get(axis).copied().unwrap_or(1);
        let inner = sizes.iter().skip(axis + 1).product();
        Lines { outer: sizes.iter().take(axis).product(), length, inner }
    }

    /// The flat indices of the elements of each line.
    fn places(self) -> Vec<Vec<usize>> {
        let line = |o: usize, i: usize| (0..self.length).map(move |k| (o * self.length + k) * self.inner + i);
        (0..self.outer).flat_map(|o| (0..self.inner).map(move |i| line(o, i).collect())).collect()
    }
}

impl Pass<'_> {
    /// The scalarised form of an expression, if it has one.
    pub(super) fn elementary(&mut self, e: &Expr) -> Option<Expr> {
        match &e.kind {
            ExprKind::Reduce { row, arg, axis: Some(axis) } => self.along(arg, *axis, &e.ty, |this, line| {
                let ty = line.first()?.ty.clone();
                line.into_iter().map(Some).reduce(|a, b| this.row(row.name, vec![a?, b?], &ty))?
            }),
            ExprKind::Library { name, args } => self.function(name, args, &e.ty),
            _ => None,
        }
    }

    fn function(&mut self, name: &str, args: &[Expr], ty: &Type) -> Option<Expr> {
        let (first, second) = (args.first(), args.get(1));
        let axis = match second {
            Some(axis) => axis.constant_int().and_then(|k| usize::try_from(k).ok()),
            None => None,
        };
        match (name, first?, second) {
            ("copy", x, None) => sizes(&x.ty).map(|_| x.clone()),
            ("reshape" | "squeeze", x, _) => {
                let (from, to) = (sizes(&x.ty)?, sizes(ty)?);
                if from.iter().product::<usize>() != to.iter().product::<usize>() {
                    return None;
                }
                if from == to {
                    return Some(build::convert(x.clone(), ty));
                }
                let items = self.elements(x)?;
                array_of(items, ty, self.span)
            }
            ("eye", _, _) => self.matrix(ty, |this, i, j| this.number(i64::from(i == j), &element(ty)?)),
            ("diag", m, None) => self.diagonal(m, ty),
            ("diagm", v, None) => {
                let items = self.elements(v)?;
                self.matrix(ty, |this, i, j| match i == j {
                    true => items.get(i).cloned(),
                    false => this.number(0, &element(ty)?),
                })
            }
            ("shuffledims", x, Some(order)) => self.shuffled(x, order, ty),
            ("repmat", x, Some(_)) => self.repeated(x, ty),
            ("pos2ind", dims, Some(at)) => self.linear_index(dims, at),
            ("any" | "all", x, None) => self.truth(x, name == "any"),
            ("argmin" | "argmax", x, None) => self.place_of_extreme(x, name == "argmin"),
            ("mean" | "std" | "var", x, None) => {
                let items = self.floats(x, ty)?;
                let value = self.statistic(name, items)?;
                Some(build::convert(value, ty))
            }
            ("mean" | "std" | "var", x, Some(_)) => {
                let float = element(ty).unwrap_or_else(|| ty.clone());
                self.along(x, axis?, ty, |this, line| {
                    let line = line.into_iter().map(|item| build::convert(item, &float)).collect();
                    this.statistic(name, line)
                })
            }
            ("cumsum" | "cumprod" | "cummin" | "cummax", x, _) => {
                let axis = if second.is_some() { axis? } else { usize::from(sizes(&x.ty)?.len() > 1) };
                let row = match name {
                    "cumsum" => "add",
                    "cumprod" => "multiply",
                    "cummin" => "min",
                    _ => "max",
                };
                self.scanned(x, axis, row, ty)
            }
            ("sort", x, None) if sizes(&x.ty)?.len() == 1 => {
                let items = self.elements(x)?;
                let items = self.sorted(items)?;
                array_of(items, ty, self.span)
            }
            ("median", x, None) if sizes(&x.ty)?.iter().filter(|n| **n != 1).count() <= 1 => {
                let items = self.floats(x, ty)?;
                self.median(items)
            }
            ("median", x, None) if sizes(&x.ty)?.len() == 2 => {
                self.along(x, 0, ty, |this, line| this.median(line))
            }
            ("any" | "all", x, Some(_)) => {
                self.along_as_is(x, axis?, ty, |this, line| this.truth_of(line, name == "any"))
            }
            ("seq", from, Some(_)) => self.stepped(from, args.get(2), ty),
            ("linspace", from, Some(to)) => self.spaced(from, to, ty),
            ("horzcat" | "vertcat" | "cat", ..) => self.joined(name, args, ty),
            ("norm", x, Some(p)) if p.constant().is_some_and(|p| p.as_f64() == 1.0) => {
                let items = self.floats(x, ty)?;
                let items = items.into_iter().map(|item| self.row("abs", vec![item], ty));
                let items: Vec<Expr> = items.collect::<Option<_>>()?;
                self.total(items)
            }
            ("matpow", m, Some(power)) => self.power(m, power.constant_int()?),
            _ => self.of_products(name, args, ty),
        }
    }

    /// Reduces each line along a dimension to one element, after conversion to the result's element type.
    fn along(
        &mut self,
        x: &Expr,
        axis: usize,
        ty: &Type,
        mut f: impl FnMut(&mut Self, Vec<Expr>) -> Option<Expr>,
    ) -> Option<Expr> {
        let number = element(ty).unwrap_or_else(|| ty.clone());
        self.along_as_is(x, axis, ty, |this, line| {
            let line = line.into_iter().map(|item| build::convert(item, &number)).collect();
            f(this, line)
        })
    }

    /// As `along`, without conversion.
    fn along_as_is(
        &mut self,
        x: &Expr,
        axis: usize,
        ty: &Type,
        mut f: impl FnMut(&mut Self, Vec<Expr>) -> Option<Expr>,
    ) -> Option<Expr> {
        let lines = Lines::along(&sizes(&x.ty)?, axis);
        let items = self.elements(x)?;
        let mut done = Vec::new();
        for places in lines.places() {
            done.push(f(self, places.into_iter().map(|k| items[k].clone()).collect())?);
        }
        array_of(done, ty, self.span)
    }

    /// The elements converted to the type of a floating-point result.
    fn floats(&mut self, x: &Expr, ty: &Type) -> Option<Vec<Expr>> {
        let real = matches!(ty, Type::Scalar(float, _) if float.is_float());
        let items = self.elements(x).filter(|_| real)?;
        Some(items.into_iter().map(|item| build::convert(item, ty)).collect())
    }

    pub(super) fn total(&mut self, items: Vec<Expr>) -> Option<Expr> {
        let ty = items.first()?.ty.clone();
        items.into_iter().map(Some).reduce(|a, b| self.row("add", vec![a?, b?], &ty))?
    }

    /// Mean, variance or standard deviation of floats.
    fn statistic(&mut self, name: &str, items: Vec<Expr>) -> Option<Expr> {
        let (ty, n) = (items.first()?.ty.clone(), items.len() as i64);
        if !matches!(ty, Type::Scalar(float, _) if float.is_float()) {
            return None;
        }
        let total = self.total(items.clone())?;
        let mean = self.row("divide", vec![total, self.number(n, &ty)?], &ty)?;
        if name == "mean" {
            return Some(mean);
        }
        let mean = self.keep(mean)?;
        let mut squares = Vec::new();
        for item in items {
            let distance = self.row("subtract", vec![item, mean.clone()], &ty)?;
            let distance = self.keep(distance)?;
            squares.push(self.row("multiply", vec![distance.clone(), distance], &ty)?);
        }
        let total = self.total(squares)?;
        let variance = self.row("divide", vec![total, self.number((n - 1).max(1), &ty)?], &ty)?;
        if name == "var" { Some(variance) } else { self.row("sqrt", vec![variance], &ty) }
    }

    /// A matrix given by its elements.
    fn matrix(
        &mut self,
        ty: &Type,
        mut f: impl FnMut(&mut Self, usize, usize) -> Option<Expr>,
    ) -> Option<Expr> {
        let [rows, columns] = sizes(ty)?[..] else { return None };
        let mut items = Vec::new();
        for k in 0..rows * columns {
            items.push(f(self, k / columns, k % columns)?);
        }
        array_of(items, ty, self.span)
    }

    fn diagonal(&mut self, m: &Expr, ty: &Type) -> Option<Expr> {
        let [rows, columns] = sizes(&m.ty)?[..] else { return None };
        let items = self.elements(m)?;
        let items = (0..rows.min(columns)).map(|k| items[k * columns + k].clone()).collect();
        array_of(items, ty, self.span)
    }

    fn shuffled(&mut self, x: &Expr, order: &Expr, ty: &Type) -> Option<Expr> {
        let ExprKind::Array(order) = &order.kind else { return None };
        let order: Vec<usize> = order
            .iter()
            .map(|k| k.constant_int().and_then(|k| usize::try_from(k).ok()))
            .collect::<Option<_>>()?;
        let (from, to) = (sizes(&x.ty)?, sizes(ty)?);
        let valid =
            order.len() == from.len() && to.len() == order.len() && order.iter().all(|k| *k < from.len());
        let items = self.elements(x).filter(|_| valid)?;
        let source = |k: usize| {
            let mut at = vec![0; from.len()];
            position(k, &to).into_iter().zip(&order).for_each(|(place, axis)| at[*axis] = place);
            at.iter().zip(&from).fold(0, |k, (at, size)| k * size + at)
        };
        let items = (0..items.len()).map(|k| items.get(source(k)).cloned()).collect::<Option<_>>()?;
        array_of(items, ty, self.span)
    }

    /// `repmat`: a vector or matrix tiled to the result's size.
    fn repeated(&mut self, x: &Expr, ty: &Type) -> Option<Expr> {
        let (rows, columns) = match sizes(&x.ty)?[..] {
            [n] => (1, n),
            [m, n] => (m, n),
            _ => return None,
        };
        let items = self.elements(x)?;
        match sizes(ty)?[..] {
            [n] => array_of((0..n).map(|j| items[j % columns].clone()).collect(), ty, self.span),
            _ => self.matrix(ty, |_, i, j| Some(items[i % rows * columns + j % columns].clone())),
        }
    }

    /// `from`, `from + step`, and so on; the default step is 1.
    fn stepped(&mut self, from: &Expr, step: Option<&Expr>, ty: &Type) -> Option<Expr> {
        let ([n], number) = (&sizes(ty)?[..], element(ty)?) else { return None };
        let mut items = Vec::new();
        for k in 0..*n {
            let k = self.number(k as i64, &number)?;
            let way = match step {
                Some(step) => {
                    self.row("multiply", vec![k, build::convert(step.clone(), &number)], &number)?
                }
                None => k,
            };
            items.push(self.row("add", vec![build::convert(from.clone(), &number), way], &number)?);
        }
        array_of(items, ty, self.span)
    }

    /// Equidistant numbers; both ends are exact.
    fn spaced(&mut self, from: &Expr, to: &Expr, ty: &Type) -> Option<Expr> {
        let [n] = sizes(ty)?[..] else { return None };
        let double = build::scalar_type(ElementType::Double);
        let from = self.keep(build::convert(from.clone(), &double))?;
        let to = self.keep(build::convert(to.clone(), &double))?;
        let mut items = Vec::new();
        for k in 0..n - 1 {
            let ratio = Scalar::F64(k as f64 / (n - 1) as f64);
            let ratio = Expr::new(ExprKind::Constant(ratio), double.clone(), self.span);
            let width = self.row("subtract", vec![to.clone(), from.clone()], &double)?;
            let way = self.row("multiply", vec![width, ratio], &double)?;
            items.push(self.row("add", vec![from.clone(), way], &double)?);
        }
        items.push(to);
        array_of(items, ty, self.span)
    }

    /// Arrays concatenated along a dimension. A vector is a row if the result is no vector.
    fn joined(&mut self, name: &str, args: &[Expr], ty: &Type) -> Option<Expr> {
        let (axis, parts) = joined_along(name, args)?;
        let whole = sizes(ty)?;
        let axis = if whole.len() == 1 { 0 } else { axis };
        let mut items: Vec<Option<Expr>> = vec![None; whole.iter().product()];
        let mut begin = 0;
        for part in parts {
            let (own, elements) = match &part.ty {
                Type::Array(_) => (sizes(&part.ty)?, self.elements(part)?),
                _ => (vec![1], vec![self.keep(part.clone())?]),
            };
            let own = raised(own, whole.len());
            for (k, element) in elements.into_iter().enumerate() {
                let mut at = position(k, &own);
                *at.get_mut(axis)? += begin;
                *items.get_mut(at.iter().zip(&whole).fold(0, |k, (at, size)| k * size + at))? = Some(element);
            }
            begin += own.get(axis)?;
        }
        array_of(items.into_iter().collect::<Option<_>>()?, ty, self.span)
    }

    fn linear_index(&mut self, dims: &Expr, at: &Expr) -> Option<Expr> {
        let (dims, at) = (self.elements(dims)?, self.elements(at)?);
        let all = dims.iter().chain(&at).all(|item| item.ty == int_type());
        if dims.len() != at.len() || !all {
            return None;
        }
        let mut places = at.into_iter().zip(dims);
        let (first, _) = places.next()?;
        places.try_fold(first, |index, (at, size)| {
            let rows = self.row("multiply", vec![index, size], &int_type())?;
            self.row("add", vec![rows, at], &int_type())
        })
    }

    fn truth(&mut self, x: &Expr, any: bool) -> Option<Expr> {
        let items = self.elements(x)?;
        self.truth_of(items, any)
    }

    fn truth_of(&mut self, items: Vec<Expr>, any: bool) -> Option<Expr> {
        let mut tests = Vec::new();
        for item in items {
            let zero = self.number(0, &item.ty)?;
            tests.push(self.row("not_equal", vec![item, zero], &int_type())?);
        }
        let span = self.span;
        tests.into_iter().reduce(|a, b| {
            let (a, b) = (Box::new(a), Box::new(b));
            Expr::new(if any { ExprKind::Or(a, b) } else { ExprKind::And(a, b) }, int_type(), span)
        })
    }

    /// The index of the first extremum; NaN only counts if there is nothing else.
    fn place_of_extreme(&mut self, x: &Expr, least: bool) -> Option<Expr> {
        let items = self.elements(x)?;
        let ty = items.first()?.ty.clone();
        let Type::Scalar(number, _) = ty else { return None };
        let span = self.span;
        let (mut best, mut place) = (items.first()?.clone(), build::int(0, span));
        for (k, item) in items.into_iter().enumerate().skip(1) {
            let row = if least { "less" } else { "greater" };
            let mut better = self.row(row, vec![item.clone(), best.clone()], &int_type())?;
            if number.is_float() {
                let nothing = self.row("not_equal", vec![best.clone(), best.clone()], &int_type())?;
                let something = self.row("equal", vec![item.clone(), item.clone()], &int_type())?;
                let first = ExprKind::And(Box::new(nothing), Box::new(something));
                let first = Expr::new(first, int_type(), span);
                better = Expr::new(ExprKind::Or(Box::new(better), Box::new(first)), int_type(), span);
            }
            let better = self.keep(better)?;
            let choose = |then: Expr, otherwise: Expr| {
                let ty = then.ty.clone();
                let (condition, then, otherwise) =
                    (Box::new(better.clone()), Box::new(then), Box::new(otherwise));
                Expr::new(ExprKind::Select { condition, then, otherwise }, ty, span)
            };
            let (next, at) = (choose(item, best), choose(build::int(k as i32, span), place));
            best = self.keep(next)?;
            place = self.keep(at)?;
        }
        Some(place)
    }

    fn scanned(&mut self, x: &Expr, axis: usize, row: &str, ty: &Type) -> Option<Expr> {
        let number = element(ty)?;
        let lines = Lines::along(&sizes(&x.ty)?, axis);
        let items = self.elements(x)?;
        let mut done: Vec<Option<Expr>> = vec![None; items.len()];
        for places in lines.places() {
            let mut so_far: Option<Expr> = None;
            for k in places {
                let item = build::convert(items[k].clone(), &number);
                let next = match so_far {
                    None => item,
                    Some(before) => self.row(row, vec![before, item], &number)?,
                };
                let next = self.keep(next)?;
                done[k] = Some(next.clone());
                so_far = Some(next);
            }
        }
        array_of(done.into_iter().collect::<Option<_>>()?, ty, self.span)
    }

    /// The elements in ascending order, by Batcher's odd-even merge network; exchanges beyond the end are dropped.
    fn sorted(&mut self, mut items: Vec<Expr>) -> Option<Vec<Expr>> {
        let (n, ty) = (items.len(), items.first()?.ty.clone());
        // The operation `min` ignores NaN, so a NaN would be lost.
        if !matches!(ty, Type::Scalar(number, _) if !number.is_complex()) {
            return None;
        }
        for (a, b) in exchanges(n) {
            let greater = self.row("greater", vec![items[a].clone(), items[b].clone()], &int_type())?;
            let nothing = self.row("not_equal", vec![items[a].clone(), items[a].clone()], &int_type())?;
            let swap = Expr::new(ExprKind::Or(Box::new(greater), Box::new(nothing)), int_type(), self.span);
            let swap = self.keep(swap)?;
            let span = self.span;
            let choose = |then: &Expr, otherwise: &Expr| {
                let (condition, then, otherwise) =
                    (Box::new(swap.clone()), Box::new(then.clone()), Box::new(otherwise.clone()));
                Expr::new(ExprKind::Select { condition, then, otherwise }, ty.clone(), span)
            };
            let (low, high) = (choose(&items[b], &items[a]), choose(&items[a], &items[b]));
            (items[a], items[b]) = (self.keep(low)?, self.keep(high)?);
        }
        Some(items)
    }

    fn median(&mut self, items: Vec<Expr>) -> Option<Expr> {
        let (n, ty) = (items.len(), &items.first()?.ty.clone());
        if !matches!(ty, Type::Scalar(float, _) if float.is_float()) {
            return None;
        }
        let sorted = self.sorted(items)?;
        let (a, b) = (sorted[(n - 1) / 2].clone(), sorted[n / 2].clone());
        if n % 2 == 1 {
            return Some(a);
        }
        let two = self.number(2, ty)?;
        let a = self.row("divide", vec![a, two.clone()], ty)?;
        let b = self.row("divide", vec![b, two], ty)?;
        self.row("add", vec![a, b], ty)
    }

    fn power(&mut self, m: &Expr, power: i32) -> Option<Expr> {
        if !(1..=16).contains(&power) || rank(&m.ty) != Some(2) {
            return None;
        }
        let m = self.keep(m.clone())?;
        let mut product = m.clone();
        for _ in 1..power {
            let args = vec![product, m.clone()];
            let next = Expr::new(ExprKind::Library { name: "matmul", args }, m.ty.clone(), self.span);
            product = self.keep(next)?;
        }
        Some(product)
    }
}

/// The extents of an array raised to a higher rank: a vector is a row.
fn raised(mut sizes: Vec<usize>, rank: usize) -> Vec<usize> {
    if sizes.len() == 1 && rank > 1 {
        sizes.insert(0, 1);
    }
    while sizes.len() < rank {
        sizes.push(1);
    }
    sizes
}

/// The dimension along which a function concatenates arrays, and the arrays.
pub(in crate::transform::kernel) fn joined_along<'e>(
    name: &str,
    args: &'e [Expr],
) -> Option<(usize, &'e [Expr])> {
    match name {
        "horzcat" => Some((1, args)),
        "vertcat" => Some((0, args)),
        _ => {
            let (axis, parts) = args.split_first()?;
            Some((usize::try_from(axis.constant_int()?).ok()?, parts))
        }
    }
}

/// The compare-exchanges of Batcher's odd-even merge sort, for any number of elements.
fn exchanges(n: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut p = 1;
    while p < n {
        let mut k = p;
        while k >= 1 {
            for j in (k % p..n.saturating_sub(k)).step_by(2 * k) {
                for i in 0..k.min(n - j - k) {
                    if (i + j) / (2 * p) == (i + j + k) / (2 * p) {
                        found.push((i + j, i + j + k));
                    }
                }
            }
            k /= 2;
        }
        p *= 2;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_sorts_all_zeros_and_ones() {
        for n in 1..=10usize {
            for bits in 0..1u32 << n {
                let mut x: Vec<u32> = (0..n).map(|k| bits >> k & 1).collect();
                for (a, b) in exchanges(n) {
                    if x[a] > x[b] {
                        x.swap(a, b);
                    }
                }
                assert!(x.is_sorted(), "{n} elements, {bits:b}");
            }
        }
    }
}
