//! No-fault conditions: linear expressions in extents and integer arguments, computed by the compiler, whose
//! non-negativity implies that all indices are in range. A launch that satisfies them cannot fail, so its error record
//! need not be read.

use super::Arg;

/// A linear expression.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// The constant term.
    pub constant: i64,
    /// The variables with their coefficients.
    pub terms: &'static [(Symbol, i64)],
}

/// A variable of a linear expression.
#[derive(Clone, Copy, Debug)]
pub enum Symbol {
    /// The extent of the launch along an axis.
    Launch(usize),
    /// The extent of an array argument along an axis.
    Extent(usize, usize),
    /// The value of an integer argument.
    Value(usize),
    /// The first component of the position.
    Row,
}

/// Whether all expressions are non-negative.
pub(super) fn cannot_fail(sums: Option<&[Sum]>, size: &[i32], args: &[Arg<'_>]) -> bool {
    let holds = |sum: &Sum| sum.total(size, args, None).is_some_and(|total| total >= 0);
    sums.is_some_and(|sums| sums.iter().all(holds))
}

impl Sum {
    fn total(&self, size: &[i32], args: &[Arg<'_>], row: Option<i32>) -> Option<i128> {
        let constant = i128::from(self.constant);
        self.terms.iter().try_fold(constant, |total, (symbol, factor)| {
            Some(total + i128::from(symbol.value(size, args, row)?) * i128::from(*factor))
        })
    }

    /// The value in a launch; `None` if the launch does not know it.
    pub(super) fn value(&self, size: &[i32], args: &[Arg<'_>]) -> Option<i64> {
        self.value_at(size, args, None)
    }

    /// The value at a row of positions.
    pub(super) fn value_at(&self, size: &[i32], args: &[Arg<'_>], row: Option<i32>) -> Option<i64> {
        self.total(size, args, row).and_then(|total| i64::try_from(total).ok())
    }
}

impl Symbol {
    fn value(self, size: &[i32], args: &[Arg<'_>], row: Option<i32>) -> Option<i64> {
        match self {
            Symbol::Row => row.map(i64::from),
            Symbol::Launch(axis) => size.get(axis).map(|&n| i64::from(n)),
            Symbol::Extent(array, axis) => match args.get(array)? {
                Arg::Read(array) | Arg::Write(array) => array.dims().get(axis).map(|&n| n as i64),
                Arg::Small(_) | Arg::Value(_) => None,
            },
            Symbol::Value(k) => match args.get(k)? {
                Arg::Value(bytes) => {
                    bytes.as_slice().try_into().ok().map(|b| i64::from(i32::from_ne_bytes(b)))
                }
                Arg::Read(_) | Arg::Write(_) | Arg::Small(_) => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Array;

    #[test]
    fn launches_inside_their_arrays_cannot_fail() {
        let x = Array::filled(&[4, 9], 0.0_f32).expect("an array");
        let args = [Arg::Read(&x), Arg::number(3)];
        // size(x, 1) - 2 * positions + number
        const TERMS: &[(Symbol, i64)] =
            &[(Symbol::Extent(0, 1), 1), (Symbol::Launch(0), -2), (Symbol::Value(1), 1)];
        let sums = [Sum { constant: 0, terms: TERMS }];
        assert!(cannot_fail(Some(&sums), &[6], &args) && cannot_fail(Some(&[]), &[6], &args));
        assert!(!cannot_fail(Some(&sums), &[7], &args) && !cannot_fail(None, &[6], &args));
        let elsewhere = [Sum { constant: 0, terms: &[(Symbol::Value(0), 1)] }];
        assert!(!cannot_fail(Some(&elsewhere), &[6], &args));
    }
}
