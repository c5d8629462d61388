//! Refutation: proves sets of propositions contradictory, by case analysis and Fourier-Motzkin elimination.
//!
//! Equalities are substituted first (Gaussian elimination), integer rows are tightened by the gcd of their
//! coefficients, and every step is bounded; an overflow or an exceeded limit gives up without a proof. The elimination
//! is the textbook method (Schrijver, Theory of Linear and Integer Programming, section 12.2).

use super::term::{Atom, Linear, Proposition, Rational, Relation};
use std::sync::Arc;

const MAX_CASES: usize = 256;
const MAX_ROWS: usize = 300;

/// A conjunction under construction.
#[derive(Clone, Debug, Default)]
struct Case {
    zeros: Vec<Linear>,
    /// Terms that are at most zero, or below zero if the flag is set.
    rows: Vec<(Linear, bool)>,
    holds: Vec<Arc<str>>,
    fails: Vec<Arc<str>>,
}

/// Whether the propositions are provably contradictory.
pub(super) fn contradictory(propositions: &[Proposition]) -> bool {
    let mut budget = MAX_CASES;
    refute(Case::default(), propositions.to_vec(), &mut budget)
}

/// Adds the propositions one by one; a disjunction is refuted if each of its cases is.
fn refute(mut case: Case, mut open: Vec<Proposition>, budget: &mut usize) -> bool {
    let mut choices: Vec<Vec<Proposition>> = Vec::new();
    while let Some(next) = open.pop() {
        match next {
            Proposition::All(parts) => open.extend(parts),
            Proposition::Any(parts) => choices.push(parts),
            Proposition::Opaque(text, _) => case.holds.push(text),
            Proposition::Not(inner) => match *inner {
                Proposition::Opaque(text, _) => case.fails.push(text),
                // Only a comparison whose negation overflowed remains under a `Not`; it is ignored.
                Proposition::Compare(..) => {}
                other @ (Proposition::Not(_) | Proposition::All(_) | Proposition::Any(_)) => {
                    open.push(other.negated())
                }
            },
            Proposition::Compare(term, Relation::Zero) => case.zeros.push(term),
            Proposition::Compare(term, Relation::AtMostZero) => case.rows.push((term, false)),
            Proposition::Compare(term, Relation::BelowZero) => case.rows.push((term, true)),
            Proposition::Compare(term, Relation::NotZero) => {
                let Some(minus) = term.scaled(Rational::ONE.negate()) else { continue };
                choices.push(vec![
                    Proposition::Compare(term, Relation::BelowZero),
                    Proposition::Compare(minus, Relation::BelowZero),
                ]);
            }
        }
    }
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    if case.is_contradictory() {
        return true;
    }
    let Some(parts) = choices.pop() else { return false };
    let rest: Vec<Proposition> = choices.into_iter().map(Proposition::Any).collect();
    parts.into_iter().all(|part| {
        let mut open = rest.clone();
        open.push(part);
        refute(case.clone(), open, budget)
    })
}

impl Case {
    fn is_contradictory(&self) -> bool {
        self.holds.iter().any(|text| self.fails.contains(text)) || self.rows_contradictory().unwrap_or(false)
    }

    /// `None` if a limit was exceeded.
    fn rows_contradictory(&self) -> Option<bool> {
        let atoms = self.atoms();
        let integer: Vec<bool> = atoms.iter().map(|atom| atom.integer).collect();
        let mut zeros: Vec<Row> = Vec::with_capacity(self.zeros.len());
        for term in &self.zeros {
            zeros.push(Row::new(term, false, &atoms)?);
        }
        let mut rows: Vec<Row> = Vec::with_capacity(self.rows.len());
        for (term, strict) in &self.rows {
            rows.push(Row::new(term, *strict, &atoms)?);
        }
        while let Some(mut zero) = zeros.pop() {
            let divisor = zero.divisor();
            if divisor == 0 {
                if zero.constant != 0 {
                    return Some(true);
                }
                continue;
            }
            if zero.constant % divisor == 0 {
                zero.divide(divisor);
            } else if zero.is_integer(&integer) {
                // The equation has no integer solution.
                return Some(true);
            }
            let pivot = zero.pivot()?;
            for other in zeros.iter_mut().chain(&mut rows) {
                other.substitute(&zero, pivot)?;
            }
        }
        eliminate(rows, &integer)
    }

    /// The unknowns; rows refer to them by index.
    fn atoms(&self) -> Vec<&Atom> {
        let terms = self.zeros.iter().chain(self.rows.iter().map(|(term, _)| term));
        let mut atoms: Vec<&Atom> = terms.flat_map(|term| term.terms.iter().map(|(atom, _)| atom)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}

/// `sum of factors * atoms + constant` with integer coefficients: at most zero, below zero if strict, or zero.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    factors: Vec<i128>,
    constant: i128,
    strict: bool,
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Row {
    /// The term scaled by a positive number to integer coefficients.
    fn new(term: &Linear, strict: bool, atoms: &[&Atom]) -> Option<Row> {
        let mut scale: i128 = term.constant.denominator();
        for (_, factor) in &term.terms {
            let denominator = factor.denominator();
            scale = (scale / gcd(scale, denominator)).checked_mul(denominator)?;
        }
        let scaled = |value: Rational| sum(value.numerator(), scale / value.denominator(), 0, 0);
        let mut factors = vec![0; atoms.len()];
        for (atom, factor) in &term.terms {
            let place = atoms.binary_search(&atom).ok()?;
            factors[place] = scaled(*factor)?;
        }
        Some(Row { factors, constant: scaled(term.constant)?, strict })
    }

    /// The gcd of the coefficients; zero if all are zero.
    fn divisor(&self) -> i128 {
        let mut divisor = 0i128;
        for factor in &self.factors {
            if *factor != 0 {
                divisor = gcd(divisor, factor.abs());
                if divisor == 1 {
                    break;
                }
            }
        }
        divisor
    }

    fn divide(&mut self, divisor: i128) {
        if divisor > 1 {
            self.factors.iter_mut().for_each(|factor| *factor /= divisor);
            self.constant /= divisor;
        }
    }

    fn is_integer(&self, integer: &[bool]) -> bool {
        self.factors.iter().zip(integer).all(|(factor, integer)| *factor == 0 || *integer)
    }

    /// The atom to solve an equation for, preferably with coefficient 1 or -1, which keeps coefficients small.
    fn pivot(&self) -> Option<usize> {
        let unit = self.factors.iter().position(|factor| factor.abs() == 1);
        unit.or_else(|| self.factors.iter().position(|factor| *factor != 0))
    }

    /// `a * self + b * other`
    fn combined(&self, a: i128, other: &Row, b: i128) -> Option<Row> {
        let mut factors = Vec::with_capacity(self.factors.len());
        for (x, y) in self.factors.iter().zip(&other.factors) {
            factors.push(sum(*x, a, *y, b)?);
        }
        let constant = sum(self.constant, a, other.constant, b)?;
        Some(Row { factors, constant, strict: self.strict || other.strict })
    }

    /// Eliminates the pivot by `zero = 0`.
    fn substitute(&mut self, zero: &Row, pivot: usize) -> Option<()> {
        let here = self.factors[pivot];
        if here != 0 {
            let there = zero.factors[pivot];
            let strict = self.strict;
            // The factor of the row itself is positive, which preserves the inequality's direction.
            *self = self.combined(there.abs(), zero, here.checked_neg()?.checked_mul(there.signum())?)?;
            self.strict = strict;
        }
        Some(())
    }

    /// The strongest equivalent row: for integers, `d*t + c <= 0` becomes `t + ceil(c/d) <= 0`.
    fn tighten(&mut self, integer: &[bool]) -> Option<()> {
        let divisor = self.divisor();
        if divisor == 0 {
            return Some(());
        }
        if self.is_integer(integer) {
            if self.strict {
                self.constant = self.constant.checked_add(1)?;
                self.strict = false;
            }
            let rounded = -(-self.constant).div_euclid(divisor);
            self.factors.iter_mut().for_each(|factor| *factor /= divisor);
            self.constant = rounded;
        } else {
            self.divide(gcd(divisor, self.constant.abs()));
        }
        Some(())
    }
}

/// `x * a + y * b`; `None` if it overflows or could not be negated.
fn sum(x: i128, a: i128, y: i128, b: i128) -> Option<i128> {
    let total = match (x, y) {
        (0, 0) => 0,
        (_, 0) => x.checked_mul(a)?,
        (0, _) => y.checked_mul(b)?,
        _ => x.checked_mul(a)?.checked_add(y.checked_mul(b)?)?,
    };
    (total != i128::MIN).then_some(total)
}

fn eliminate(mut rows: Vec<Row>, integer: &[bool]) -> Option<bool> {
    for row in &mut rows {
        row.tighten(integer)?;
    }
    loop {
        let mut open = Vec::with_capacity(rows.len());
        for row in rows {
            if row.factors.iter().any(|factor| *factor != 0) {
                open.push(row);
            } else if row.constant > 0 || row.strict && row.constant == 0 {
                return Some(true);
            }
        }
        let Some(atom) = cheapest(&open, integer.len()) else { return Some(false) };
        let (with, mut kept): (Vec<Row>, Vec<Row>) = open.into_iter().partition(|row| row.factors[atom] != 0);
        let (upper, lower): (Vec<Row>, Vec<Row>) = with.into_iter().partition(|row| row.factors[atom] > 0);
        for above in &upper {
            for below in &lower {
                let (up, down) = (above.factors[atom], below.factors[atom].checked_neg()?);
                let mut row = above.combined(down, below, up)?;
                row.tighten(integer)?;
                if !kept.contains(&row) {
                    kept.push(row);
                }
            }
        }
        if kept.len() > MAX_ROWS {
            return None;
        }
        rows = kept;
    }
}

/// The atom whose elimination creates the fewest rows.
fn cheapest(rows: &[Row], atoms: usize) -> Option<usize> {
    let mut counts = vec![(0usize, 0usize); atoms];
    for row in rows {
        for (factor, (up, down)) in row.factors.iter().zip(&mut counts) {
            match factor.signum() {
                1 => *up += 1,
                -1 => *down += 1,
                _ => {}
            }
        }
    }
    let used = counts.into_iter().enumerate().filter(|(_, count)| *count != (0, 0));
    used.min_by_key(|(_, (up, down))| up * down).map(|(atom, _)| atom)
}
