//! Symbolic ranges of indices: affine bounds over extents, scalar parameters and the thread's position. Comparing a few
//! of them per launch or thread makes bounds checks of single accesses redundant.

use crate::ir::affine::{AffineForm, LARGEST, Symbol};
use crate::ir::{Coordinate, Expr, ExprKind, Range, VarId};
use crate::types::ElementType;
use crate::types::known::scalar;

/// The symbolic range of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicRange {
    /// Lower bound, inclusive.
    pub low: AffineForm,
    /// Upper bound, inclusive.
    pub high: AffineForm,
}

impl SymbolicRange {
    /// A single value.
    pub fn exactly(sum: AffineForm) -> SymbolicRange {
        SymbolicRange { low: sum.clone(), high: sum }
    }

    fn between(low: i64, high: i64) -> SymbolicRange {
        SymbolicRange { low: AffineForm::constant(low), high: AffineForm::constant(high) }
    }

    /// Whether it is one symbol or one number, which cannot have wrapped around.
    pub fn is_represented(&self) -> bool {
        self.low == self.high && self.low.terms.len() + usize::from(self.low.constant != 0) <= 1
    }

    /// Whether sums of a few such ranges stay far from overflow.
    pub fn is_small(&self) -> bool {
        self.low.is_small() && self.high.is_small()
    }

    /// The range of sums.
    pub fn plus(self, other: &SymbolicRange) -> SymbolicRange {
        SymbolicRange { low: self.low.plus(&other.low), high: self.high.plus(&other.high) }
    }

    /// The range of multiples.
    pub fn times(self, factor: i64) -> SymbolicRange {
        let (a, b) = (self.low.times(factor), self.high.times(factor));
        if factor < 0 { SymbolicRange { low: b, high: a } } else { SymbolicRange { low: a, high: b } }
    }
}

/// The range of an integer expression, given those of variables by `bounds`. It ignores wrap-around: if it lies inside
/// an extent, no intermediate result that wrapped matters.
pub fn hull(expr: &Expr, bounds: &dyn Fn(VarId) -> Option<SymbolicRange>) -> Option<SymbolicRange> {
    let found = match &expr.kind {
        ExprKind::Convert(inner) => match scalar(&inner.ty)? {
            _ if scalar(&expr.ty) != Some(ElementType::Int32) => return None,
            ElementType::UInt8 => SymbolicRange::between(0, 255),
            ElementType::Int8 => SymbolicRange::between(-128, 127),
            ElementType::UInt16 => SymbolicRange::between(0, 65535),
            ElementType::Int16 => SymbolicRange::between(-32768, 32767),
            ElementType::Int32 => hull(inner, bounds)?,
            _ => return None,
        },
        _ if scalar(&expr.ty) != Some(ElementType::Int32) => return None,
        ExprKind::Constant(_) => {
            SymbolicRange::exactly(AffineForm::constant(i64::from(expr.constant_int()?)))
        }
        ExprKind::Local(v) => bounds(*v)?,
        ExprKind::Coordinate(Coordinate::Position, axis) => {
            SymbolicRange::exactly(AffineForm::symbol(Symbol::Position(*axis)))
        }
        ExprKind::Extent(array, axis) => match array.kind {
            ExprKind::Local(v) => SymbolicRange::exactly(AffineForm::symbol(Symbol::Extent(v, *axis))),
            _ => return None,
        },
        ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
            ("add", [a, b]) => hull(a, bounds)?.plus(&hull(b, bounds)?),
            ("subtract", [a, b]) => hull(a, bounds)?.plus(&hull(b, bounds)?.times(-1)),
            ("negate", [a]) => hull(a, bounds)?.times(-1),
            ("multiply", [a, b]) => {
                let factor = |e: &Expr| e.constant_int().map(i64::from).filter(|n| n.abs() <= LARGEST);
                match (factor(a), factor(b)) {
                    (_, Some(n)) => hull(a, bounds)?.times(n),
                    (Some(n), None) => hull(b, bounds)?.times(n),
                    (None, None) => return None,
                }
            }
            _ => return None,
        },
        _ => return None,
    };
    found.is_small().then_some(found)
}

/// The symbolic ranges of both ends of a loop, and that of its variable in the loop if the ends have not wrapped around.
pub fn loop_range(
    range: &Range,
    hull: &dyn Fn(&Expr) -> Option<SymbolicRange>,
) -> Option<([SymbolicRange; 2], SymbolicRange)> {
    let step = range.step.as_ref().map_or(Some(1), Expr::constant_int).filter(|step| *step != 0)?;
    let (nearest, farthest) = if step > 0 { ("max", "min") } else { ("min", "max") };
    // For a `min` or `max` of two numbers either operand serves: the loop's range is a subset of the range that ends there.
    let end = |expr: &Expr, extreme: &str| {
        hull(expr).or_else(|| match &expr.kind {
            ExprKind::Apply { row, args } if row.name == extreme => args.iter().find_map(hull),
            _ => None,
        })
    };
    let (from, to) = (end(&range.from, nearest)?, end(&range.to, farthest)?);
    let (low, high) = if step > 0 { (&from.low, &to.high) } else { (&to.low, &from.high) };
    let inside = SymbolicRange { low: low.clone(), high: high.clone() };
    Some(([from, to], inside))
}

/// The trip count of a loop by ones, if it has iterations at all. `given` are the parameters that keep their values.
pub fn trip_count(range: &Range, given: &dyn Fn(VarId) -> bool) -> Option<AffineForm> {
    if range.step.as_ref().is_some_and(|step| step.constant_int() != Some(1)) {
        return None;
    }
    let value = |v| given(v).then(|| SymbolicRange::exactly(AffineForm::symbol(Symbol::Value(v))));
    let bound = |end: &Expr| hull(end, &value).filter(|range| range.low == range.high).map(|range| range.low);
    Some(bound(&range.to)?.minus(&bound(&range.from)?).shifted(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build;
    use crate::source::Span;

    fn position(axis: usize) -> Expr {
        Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), Span::default())
    }

    fn apply(name: &str, args: Vec<Expr>) -> Expr {
        let row = quasar_devicelib::ops::find(name).expect("a row");
        build::apply(row, args, build::int_type(), Span::default())
    }

    #[test]
    fn the_bounds_of_a_sum_over_a_launch() {
        let int = |n| build::int(n, Span::default());
        let index = apply("subtract", vec![int(3), apply("multiply", vec![int(2), position(1)])]);
        let found = hull(&index, &|_| None).expect("bounds");
        let launch = AffineForm::symbol(Symbol::Launch(1));
        assert_eq!(found.high.over_launch(true, &|_| 1), AffineForm::constant(3));
        assert_eq!(found.low.over_launch(false, &|_| 1), launch.times(-2).shifted(5));
    }

    #[test]
    fn products_of_unknowns_and_unknown_variables_have_no_bounds() {
        let product = apply("multiply", vec![position(0), position(1)]);
        assert_eq!(hull(&product, &|_| None), None);
        let mut variables = crate::ids::Arena::default();
        let v: VarId = variables.push(crate::ir::Variable::new("k", build::int_type(), Span::default()));
        let read = build::local(v, build::int_type(), Span::default());
        assert_eq!(hull(&read, &|_| None), None);
        assert_eq!(hull(&read, &|_| Some(SymbolicRange::between(0, 4))), Some(SymbolicRange::between(0, 4)));
    }
}
