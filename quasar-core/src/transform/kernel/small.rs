//! Scalarises library functions on small fixed-size arrays in kernels and device functions: `cumsum(v)` becomes
//! `[v[0], v[0] + v[1], ..]`. What is used more than once is computed in front of the statement.

mod functions;
mod products;

pub(super) use functions::joined_along;

use crate::ir::build;
use crate::ir::rewrite::{children_mut, expand_stmts, operands_mut, visit};
use crate::ir::{Block, Body, Expr, ExprKind, Index, StmtKind};
use crate::source::Span;
use crate::target::any::REGISTER_ARRAY;
use crate::types::{Boundary, Overflow, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops;

/// Scalarises the functions in a body.
pub(super) fn run(body: &mut Body) {
    let mut block = std::mem::take(&mut body.block);
    expand_stmts(&mut block, &mut |mut stmt| {
        // A loop condition is evaluated in each iteration, so nothing can be hoisted in front of the loop.
        let place = match stmt.kind {
            StmtKind::While { .. } | StmtKind::Repeat { .. } => Evaluation::Repeated,
            _ => Evaluation::Once,
        };
        let mut pass = Pass { body, before: Block::new(), place, span: stmt.span };
        operands_mut(&mut stmt, &mut |e| pass.expr(e));
        let mut made = pass.before;
        made.push(stmt);
        made
    });
    body.block = block;
}

/// How often an expression is evaluated.
#[derive(Clone, Copy, PartialEq)]
enum Evaluation {
    /// Exactly once.
    Once,
    /// At most once: what may fail must not be hoisted.
    Conditional,
    /// Several times.
    Repeated,
}

struct Pass<'b> {
    body: &'b mut Body,
    before: Block,
    place: Evaluation,
    span: Span,
}

impl Pass<'_> {
    fn expr(&mut self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Select { condition, then, otherwise } => {
                self.expr(condition);
                self.perhaps(|this| {
                    this.expr(then);
                    this.expr(otherwise);
                });
            }
            ExprKind::And(first, second) | ExprKind::Or(first, second) => {
                self.expr(first);
                self.perhaps(|this| this.expr(second));
            }
            _ => children_mut(e, &mut |child| self.expr(child)),
        }
        let mark = self.before.len();
        match self.elementary(e) {
            Some(new) => *e = new,
            None => self.before.truncate(mark),
        }
    }

    fn perhaps(&mut self, f: impl FnOnce(&mut Self)) {
        let place = self.place;
        if place == Evaluation::Once {
            self.place = Evaluation::Conditional;
        }
        f(self);
        self.place = place;
    }

    /// Assigns a value to a temporary, so that it can be used several times.
    fn keep(&mut self, value: Expr) -> Option<Expr> {
        if value.is_atom() {
            return Some(value);
        }
        let may = match self.place {
            Evaluation::Once => true,
            Evaluation::Conditional => is_harmless(&value),
            Evaluation::Repeated => false,
        };
        if !may {
            return None;
        }
        let (ty, span) = (value.ty.clone(), self.span);
        let variable = self.body.temporary(ty.clone(), span);
        self.before.push(build::assign(variable, value));
        Some(build::local(variable, ty, span))
    }

    /// The elements of a small array in row-major order.
    fn elements(&mut self, array: &Expr) -> Option<Vec<Expr>> {
        let (sizes, element) = (sizes(&array.ty)?, element(&array.ty)?);
        let Some(kept) = self.keep(array.clone()) else {
            let ExprKind::Array(items) = &array.kind else { return None };
            return (sizes.len() == 1).then(|| items.clone());
        };
        let at = |k: usize| {
            let index =
                position(k, &sizes).into_iter().map(|k| Index::At(build::int(k as i32, self.span))).collect();
            let kind = ExprKind::Load { array: Box::new(kept.clone()), index, boundary: Boundary::Unchecked };
            Expr::new(kind, element.clone(), self.span)
        };
        Some((0..sizes.iter().product()).map(at).collect())
    }

    /// Applies an operation of the scalar table.
    fn row(&self, name: &str, args: Vec<Expr>, ty: &Type) -> Option<Expr> {
        Some(build::apply(ops::find(name)?, args, ty.clone(), self.span))
    }

    fn number(&self, value: i64, ty: &Type) -> Option<Expr> {
        let Type::Scalar(element, _) = ty else { return None };
        let value = ops::convert_scalar(Scalar::I64(value), *element, Overflow::Wrap).ok()?;
        Some(Expr::new(ExprKind::Constant(value), ty.clone(), self.span))
    }
}

/// The extents of a small array of numbers.
fn sizes(ty: &Type) -> Option<Vec<usize>> {
    let Type::Array(array) = ty else { return None };
    let sizes: Vec<usize> = array.sizes.iter().map(|s| s.map(|s| s as usize)).collect::<Option<_>>()?;
    let count = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(*s))?;
    let fits = !sizes.is_empty()
        && (1..=REGISTER_ARRAY).contains(&count)
        && matches!(*array.element, Type::Scalar(..));
    fits.then_some(sizes)
}

/// The multi-index of the `k`-th element.
fn position(k: usize, sizes: &[usize]) -> Vec<usize> {
    let (mut at, mut rest) = (vec![0; sizes.len()], k);
    for (axis, size) in sizes.iter().enumerate().rev() {
        at[axis] = rest % size;
        rest /= size;
    }
    at
}

fn element(ty: &Type) -> Option<Type> {
    ty.as_array().map(|array| (*array.element).clone())
}

/// Elements as a nested array literal of a type.
fn array_of(items: Vec<Expr>, ty: &Type, span: Span) -> Option<Expr> {
    fn rows(items: &[Expr], sizes: &[usize], element: &Type, span: Span) -> Option<Expr> {
        let (first, rest) = sizes.split_first()?;
        let items = match rest.is_empty() {
            true => items.to_vec(),
            false => {
                let part = items.len() / first;
                items.chunks(part).map(|part| rows(part, rest, element, span)).collect::<Option<_>>()?
            }
        };
        let sizes = sizes.iter().map(|n| Some(*n as u32)).collect();
        Some(Expr::new(ExprKind::Array(items), build::sized_type(element.clone(), sizes), span))
    }
    if let (Type::Scalar(..), [one]) = (ty, items.as_slice()) {
        return Some(build::convert(one.clone(), ty));
    }
    let (sizes, element) = (sizes(ty)?, element(ty)?);
    if items.len() != sizes.iter().product::<usize>() {
        return None;
    }
    let items: Vec<Expr> = items.into_iter().map(|item| build::convert(item, &element)).collect();
    Some(build::convert(rows(&items, &sizes, &element, span)?, ty))
}

/// Whether an expression cannot fail, so that it may be evaluated speculatively.
fn is_harmless(expr: &Expr) -> bool {
    let mut harmless = true;
    visit(expr, &mut |e| {
        harmless &= match &e.kind {
            ExprKind::Load { boundary, .. } => *boundary != Boundary::Checked,
            ExprKind::Convert(_) => !matches!(e.ty, Type::Scalar(to, Overflow::Checked) if to.is_integer()),
            ExprKind::Library { .. } | ExprKind::Member(..) => false,
            _ => true,
        };
    });
    harmless
}
