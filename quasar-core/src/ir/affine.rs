//! Affine forms over what all threads of a launch know and over positions, and conditions that compare them with zero. A launch
//! or a thread tests a few of them, and versions of the code rely on them.

use super::VarId;
use crate::types::Boundary;

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
pub const LARGEST: i64 = 1 << 24;

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
        if factor == 0 {
            return self;
        }
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

    /// Whether sums of a few such forms stay far from overflow.
    pub fn is_small(&self) -> bool {
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

    /// The minimum or maximum over all positions of a launch with the same first component.
    pub fn over_row(&self, largest: bool) -> AffineForm {
        let first = Symbol::Position(0);
        let factor = self.terms.iter().find(|(symbol, _)| *symbol == first).map_or(0, |(_, factor)| *factor);
        let rest = self.clone().plus_times(&AffineForm::symbol(first), -factor);
        rest.over_launch(largest, &|_| 1).plus_times(&AffineForm::symbol(first), factor)
    }
}

/// Rows of an array, from `low` to `high`, both inclusive, as affine forms over the launch and the first component of the
/// position. Those outside the array mean what the boundary mode says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowRange {
    /// The first row.
    pub low: AffineForm,
    /// The last row.
    pub high: AffineForm,
    /// The boundary mode; without one, no row is read, but both ends must be numbers that `int` holds.
    pub boundary: Option<Boundary>,
}

/// A conjunction of conditions `sum >= 0`. Of sums that differ by a constant only the strictest is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    pub(super) sums: Vec<AffineForm>,
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
