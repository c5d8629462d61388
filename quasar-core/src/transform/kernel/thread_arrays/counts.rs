//! How many values a range of integers has, with terms of its ends that cancel left out: `i..i+n-1` has `n` values, whatever `i` is.
//! Windows of one size are so seen to be of one size, and their loops to have the same bounds for all positions.

use super::{apply, integer};
use crate::ir::build::{int, int_type};
use crate::ir::rewrite::{same, visit};
use crate::ir::{Expr, ExprKind, Range};
use crate::source::Span;

/// A sum of integers, each with a factor. It wraps around as they do, so that cancelling is exact.
#[derive(Default)]
struct Sum {
    terms: Vec<(Expr, i32)>,
    constant: i32,
}

/// The number of values of a range with the step 1, where terms of its ends cancel; less than one where it has none.
pub(super) fn cancelled(range: &Range) -> Option<Expr> {
    let mut ends = [Sum::default(), Sum::default()];
    ends[0].add(&range.from, 1)?;
    ends[1].add(&range.to, 1)?;
    let apart = ends[0].terms.len() + ends[1].terms.len();
    let mut count = Sum { constant: 1, ..Sum::default() };
    count.add(&range.to, 1)?;
    count.add(&range.from, -1)?;
    (count.terms.len() < apart && !ends[0].terms.is_empty()).then(|| count.written(range.from.span))
}

impl Sum {
    /// Adds a multiple of an integer; nothing where it is not made of values that stay.
    fn add(&mut self, e: &Expr, factor: i32) -> Option<()> {
        if let Some(constant) = e.constant_int() {
            self.constant = self.constant.wrapping_add(constant.wrapping_mul(factor));
            return Some(());
        }
        if let ExprKind::Apply { row, args } = &e.kind
            && e.ty == int_type()
            && args.iter().all(|arg| arg.ty == int_type())
        {
            match (row.name, args.as_slice()) {
                ("add", [a, b]) => return self.add(a, factor).and(self.add(b, factor)),
                ("subtract", [a, b]) => return self.add(a, factor).and(self.add(b, factor.wrapping_neg())),
                ("negate", [a]) => return self.add(a, factor.wrapping_neg()),
                ("multiply", [a, b]) => {
                    let (known, other) = if a.constant_int().is_some() { (a, b) } else { (b, a) };
                    if let Some(times) = known.constant_int() {
                        return self.add(other, factor.wrapping_mul(times));
                    }
                }
                _ => {}
            }
        }
        (e.ty == int_type() && is_fixed(e)).then(|| self.add_term(e, factor))
    }

    fn add_term(&mut self, e: &Expr, factor: i32) {
        match self.terms.iter_mut().find(|(known, _)| same(known, e)) {
            Some((_, sum)) => *sum = sum.wrapping_add(factor),
            None => self.terms.push((e.clone(), factor)),
        }
        self.terms.retain(|(_, factor)| *factor != 0);
    }

    /// The sum as an expression: first what is added, then what is taken away.
    fn written(self, span: Span) -> Expr {
        let (more, less): (Vec<_>, Vec<_>) = self.terms.into_iter().partition(|(_, factor)| *factor > 0);
        let times = |e: Expr, factor: i32| match factor {
            1 => e,
            _ => integer("multiply", e, int(factor, span), span),
        };
        let mut constant = Some(self.constant).filter(|constant| *constant != 0);
        let added =
            more.into_iter().map(|(e, factor)| times(e, factor)).reduce(|a, b| integer("add", a, b, span));
        let mut sum = added.unwrap_or_else(|| int(constant.take().unwrap_or(0), span));
        for (e, factor) in less {
            sum = integer("subtract", sum, times(e, factor.wrapping_neg()), span);
        }
        match constant {
            Some(constant) => integer("add", sum, int(constant, span), span),
            None => sum,
        }
    }
}

/// Whether an integer is computed of numbers and sizes, so that it has one value where it stands twice.
pub(super) fn is_fixed(e: &Expr) -> bool {
    let mut fixed = true;
    visit(e, &mut |e| {
        fixed &= matches!(
            &e.kind,
            ExprKind::Constant(_)
                | ExprKind::Local(_)
                | ExprKind::Coordinate(..)
                | ExprKind::Extent(..)
                | ExprKind::Convert(_)
                | ExprKind::Apply { .. }
        );
    });
    fixed
}

/// A count as a size: not less than zero.
pub(super) fn at_least_none(count: Expr) -> Expr {
    let span = count.span;
    match count.constant_int() {
        Some(count) => int(count.max(0), span),
        None => apply("max", vec![count, int(0, span)], &int_type(), span),
    }
}
