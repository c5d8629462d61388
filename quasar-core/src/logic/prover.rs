//! Refutation: shows that propositions cannot hold together, by case distinction and Fourier-Motzkin elimination.
//!
//! Equalities are substituted first (Gauss), integer rows are tightened by their common divisor, and every step is
//! bounded; a row that overflows or a limit that is hit ends the attempt without a proof. The elimination is the
//! textbook method (Schrijver, Theory of Linear and Integer Programming, section 12.2).

use super::term::{Atom, Linear, Proposition, Rational, Relation};

const MAX_CASES: usize = 256;
const MAX_ROWS: usize = 300;

/// `term <= 0`, or `term < 0` where strict.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    term: Linear,
    strict: bool,
}

/// A conjunction under construction.
#[derive(Clone, Debug, Default)]
struct Case {
    zeros: Vec<Linear>,
    rows: Vec<Row>,
    holds: Vec<String>,
    fails: Vec<String>,
}

/// Whether the propositions provably cannot hold together.
pub(super) fn contradictory(propositions: &[Proposition]) -> bool {
    let mut budget = MAX_CASES;
    refute(Case::default(), propositions.to_vec(), &mut budget)
}

/// Takes propositions one by one; a disjunction is refuted when each of its parts is.
fn refute(mut case: Case, mut open: Vec<Proposition>, budget: &mut usize) -> bool {
    let mut choices: Vec<Vec<Proposition>> = Vec::new();
    while let Some(next) = open.pop() {
        match next {
            Proposition::All(parts) => open.extend(parts),
            Proposition::Any(parts) => choices.push(parts),
            Proposition::Opaque(text, _) => case.holds.push(text),
            Proposition::Not(inner) => match *inner {
                Proposition::Opaque(text, _) => case.fails.push(text),
                // Only comparisons whose negation overflowed stay under a `Not`: nothing is known then.
                Proposition::Compare(..) => {}
                other @ (Proposition::Not(_) | Proposition::All(_) | Proposition::Any(_)) => {
                    open.push(other.negated())
                }
            },
            Proposition::Compare(term, Relation::Zero) => case.zeros.push(term),
            Proposition::Compare(term, Relation::AtMostZero) => case.rows.push(Row { term, strict: false }),
            Proposition::Compare(term, Relation::BelowZero) => case.rows.push(Row { term, strict: true }),
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

    /// `None` when a limit was hit.
    fn rows_contradictory(&self) -> Option<bool> {
        let mut rows = self.rows.clone();
        let mut zeros = self.zeros.clone();
        while let Some(zero) = zeros.pop() {
            let Some((atom, coefficient)) = pivot(&zero) else {
                match zero.as_constant() {
                    Some(value) if value != Rational::ZERO => return Some(true),
                    Some(_) => continue,
                    None => return None,
                }
            };
            if !divisible(&zero) {
                return Some(true);
            }
            for other in &mut zeros {
                *other = substitute(other, &zero, &atom, coefficient)?;
            }
            for row in &mut rows {
                row.term = substitute(&row.term, &zero, &atom, coefficient)?;
            }
        }
        eliminate(rows)
    }
}

/// The atom to solve an equation for: one with coefficient 1 or -1 if there is one, so that integers stay integers.
fn pivot(zero: &Linear) -> Option<(Atom, Rational)> {
    let unit = zero.terms.iter().find(|(_, c)| c.is_integer() && c.numerator().abs() == 1);
    unit.or_else(|| zero.terms.iter().next()).map(|(atom, c)| (atom.clone(), *c))
}

/// `term` with `atom` replaced according to `zero = 0`.
fn substitute(term: &Linear, zero: &Linear, atom: &Atom, coefficient: Rational) -> Option<Linear> {
    let here = term.coefficient(atom);
    if here == Rational::ZERO {
        return Some(term.clone());
    }
    term.plus(zero, here.multiply(coefficient.reciprocal()?)?.negate())
}

/// Whether an equation over integers can hold: the common divisor of the coefficients divides the constant.
fn divisible(zero: &Linear) -> bool {
    let Some((scaled, divisor)) = integral(zero) else { return true };
    scaled.constant.numerator() % divisor == 0
}

/// The term times a positive number such that all coefficients and the constant are integers, with the greatest
/// common divisor of the coefficients; `None` if an atom is real.
fn integral(term: &Linear) -> Option<(Linear, i128)> {
    if term.terms.is_empty() || term.terms.keys().any(|atom| !atom.integer) {
        return None;
    }
    let mut scale: i128 = term.constant.denominator();
    for coefficient in term.terms.values() {
        let (mut a, mut b) = (scale, coefficient.denominator());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        scale = scale.checked_mul(coefficient.denominator() / a)?;
    }
    let scaled = term.scaled(Rational::new(scale, 1)?)?;
    let divisor = scaled.terms.values().fold(0i128, |divisor, c| {
        let (mut a, mut b) = (divisor.abs(), c.numerator().abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    });
    Some((scaled, divisor.max(1)))
}

/// The strongest equivalent row: over integers, `d*t + c <= 0` becomes `t + ceil(c/d) <= 0`.
fn tightened(row: Row) -> Option<Row> {
    let Some((scaled, divisor)) = integral(&row.term) else { return Some(row) };
    let mut term = scaled.scaled(Rational::new(1, divisor)?)?;
    let constant = term.constant;
    let rounded = constant.negate().floor().negate();
    term.constant = if row.strict && constant.is_integer() { constant.add(Rational::ONE)? } else { rounded };
    Some(Row { term, strict: false })
}

fn eliminate(rows: Vec<Row>) -> Option<bool> {
    let mut rows: Vec<Row> = rows.into_iter().map(tightened).collect::<Option<_>>()?;
    loop {
        for row in &rows {
            if let Some(value) = row.term.as_constant()
                && (value.signum() > 0 || row.strict && value.signum() == 0)
            {
                return Some(true);
            }
        }
        rows.retain(|row| row.term.as_constant().is_none());
        let Some(atom) = cheapest(&rows) else { return Some(false) };
        let (with, mut kept): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.term.coefficient(&atom) != Rational::ZERO);
        let (upper, lower): (Vec<Row>, Vec<Row>) =
            with.into_iter().partition(|row| row.term.coefficient(&atom).signum() > 0);
        for above in &upper {
            for below in &lower {
                let row = combine(above, below, &atom)?;
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

/// The atom whose elimination makes the fewest rows.
fn cheapest(rows: &[Row]) -> Option<Atom> {
    let mut counts: std::collections::BTreeMap<&Atom, (usize, usize)> = std::collections::BTreeMap::new();
    for row in rows {
        for (atom, coefficient) in &row.term.terms {
            let count = counts.entry(atom).or_default();
            if coefficient.signum() > 0 { count.0 += 1 } else { count.1 += 1 }
        }
    }
    counts.into_iter().min_by_key(|(_, (up, down))| up * down).map(|(atom, _)| atom.clone())
}

/// Adds positive multiples of an upper and a lower bound such that `atom` cancels.
fn combine(upper: &Row, lower: &Row, atom: &Atom) -> Option<Row> {
    let factor =
        upper.term.coefficient(atom).multiply(lower.term.coefficient(atom).negate().reciprocal()?)?;
    let term = upper.term.plus(&lower.term, factor)?;
    tightened(Row { term, strict: upper.strict || lower.strict })
}
