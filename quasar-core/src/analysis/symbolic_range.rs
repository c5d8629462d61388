//! Symbolic ranges of indices: affine bounds over extents, scalar parameters and the thread's position. Comparing a few
//! of them per launch or thread makes bounds checks of single accesses redundant.

use crate::ir::{Coordinate, Expr, ExprKind, Range, VarId};
use crate::types::ElementType;
use crate::types::known::scalar;

/// A value known to all threads of a launch, or a component of a thread's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// The number of positions of the launch along an axis.
    Launch(usize),
    /// An extent of an array.
    Extent(VarId, usize),
    /// An integer parameter of the launch.
    Value(VarId),
    /// A component of the position.
    Position(usize),
}

/// An affine form: a constant plus multiples of symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AffineForm {
    /// Non-zero coefficients, sorted by symbol. A sorted vector, since there are few and kernels create many sums.
    pub terms: Vec<(Symbol, i64)>,
    /// The constant.
    pub constant: i64,
}

/// Limit of coefficients and constants: sums of them fit into 64 bits.
const LARGEST: i64 = 1 << 24;

impl AffineForm {
    /// A constant.
    pub fn constant(constant: i64) -> AffineForm {
        AffineForm { terms: Vec::new(), constant }
    }

    /// A single symbol.
    pub fn symbol(symbol: Symbol) -> AffineForm {
        AffineForm { terms: vec![(symbol, 1)], constant: 0 }
    }

    /// Adds a multiple of a symbol.
    fn with(mut self, symbol: Symbol, factor: i64) -> AffineForm {
        let at = self.terms.iter().position(|(known, _)| *known >= symbol).unwrap_or(self.terms.len());
        match self.terms.get_mut(at) {
            Some((known, sum)) if *known == symbol => {
                *sum += factor;
                if *sum == 0 {
                    self.terms.remove(at);
                }
            }
            _ => self.terms.insert(at, (symbol, factor)),
        }
        self
    }

    /// Adds a constant.
    pub fn shifted(mut self, constant: i64) -> AffineForm {
        self.constant += constant;
        self
    }

    /// Sum of two forms.
    pub fn plus(self, other: &AffineForm) -> AffineForm {
        self.plus_times(other, 1)
    }

    /// Difference of two forms.
    pub fn minus(self, other: &AffineForm) -> AffineForm {
        self.plus_times(other, -1)
    }

    fn plus_times(mut self, other: &AffineForm, factor: i64) -> AffineForm {
        self.constant += other.constant * factor;
        for (symbol, each) in &other.terms {
            self = self.with(*symbol, each * factor);
        }
        self
    }

    /// A multiple of the form.
    pub fn times(mut self, factor: i64) -> AffineForm {
        if factor == 0 {
            return AffineForm::default();
        }
        self.constant *= factor;
        for (_, each) in &mut self.terms {
            *each *= factor;
        }
        self
    }

    fn is_small(&self) -> bool {
        self.constant.abs() <= LARGEST << 8
            && self.terms.len() <= 8
            && self.terms.iter().all(|(_, factor)| factor.abs() <= LARGEST)
    }

    /// The minimum or maximum over all positions of a launch. `last` gives the distance of the last position along an
    /// axis from the end.
    pub fn over_launch(&self, largest: bool, last: &dyn Fn(usize) -> i64) -> AffineForm {
        let mut sum = AffineForm::constant(self.constant);
        for (symbol, factor) in &self.terms {
            sum = match symbol {
                Symbol::Position(_) if (*factor > 0) != largest => continue,
                Symbol::Position(axis) => {
                    sum.with(Symbol::Launch(*axis), *factor).shifted(-last(*axis) * factor)
                }
                Symbol::Launch(_) | Symbol::Extent(..) | Symbol::Value(_) => sum.with(*symbol, *factor),
            };
        }
        sum
    }
}

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

    fn plus(self, other: &SymbolicRange) -> SymbolicRange {
        SymbolicRange { low: self.low.plus(&other.low), high: self.high.plus(&other.high) }
    }

    fn times(self, factor: i64) -> SymbolicRange {
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
    (found.low.is_small() && found.high.is_small()).then_some(found)
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

/// A conjunction of conditions `sum >= 0`. Of sums that differ by a constant only the strictest is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    sums: Vec<AffineForm>,
}

impl Conditions {
    /// Requires that a sum is non-negative.
    pub fn ask(&mut self, sum: AffineForm) {
        if sum.terms.is_empty() && sum.constant >= 0 {
            return;
        }
        match self.sums.iter_mut().find(|known| known.terms == sum.terms) {
            Some(known) => known.constant = known.constant.min(sum.constant),
            None => self.sums.push(sum),
        }
    }

    /// Requires that all values of a range are valid indices of an extent.
    pub fn require_in_bounds(&mut self, low: AffineForm, high: &AffineForm, extent: Symbol) {
        self.ask(low);
        self.ask(AffineForm::symbol(extent).minus(high).shifted(-1));
    }

    /// The sums that must be non-negative.
    pub fn sums(&self) -> impl Iterator<Item = &AffineForm> {
        self.sums.iter()
    }

    /// Whether there is no condition.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }
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

    #[test]
    fn of_conditions_that_differ_by_a_constant_the_strictest_counts() {
        let mut conditions = Conditions::default();
        let p = AffineForm::symbol(Symbol::Position(0));
        for offset in [-1, 4, -5, 0] {
            conditions.ask(p.clone().shifted(offset));
        }
        conditions.ask(AffineForm::constant(7));
        let sums: Vec<AffineForm> = conditions.sums().cloned().collect();
        assert_eq!(sums, [p.shifted(-5)]);
    }
}
