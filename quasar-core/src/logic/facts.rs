//! The facts that hold at a point, and questions to them.

use super::prover::contradictory;
use super::term::{Linear, Proposition};

/// The answer to "does it hold?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It follows from the facts.
    Valid,
    /// It contradicts the facts.
    Unsatisfiable,
    /// Neither could be shown.
    Satisfiable,
}

impl Truth {
    /// The documented spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Truth::Valid => "Valid",
            Truth::Unsatisfiable => "Unsatisfiable",
            Truth::Satisfiable => "Satisfiable",
        }
    }
}

/// A set of facts; cheap to clone for a branch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    facts: Vec<Proposition>,
}

impl Facts {
    /// Adds a fact.
    pub fn assume(&mut self, proposition: Proposition) {
        if !self.facts.contains(&proposition) {
            self.facts.push(proposition);
        }
    }

    /// Drops the facts about an unknown, because it got a new value.
    pub fn forget(&mut self, name: &str) {
        self.facts.retain(|fact| !fact.mentions(name));
    }

    /// Keeps only the facts that are also in `other`: what holds where two paths meet.
    pub fn meet(&mut self, other: &Facts) {
        self.facts.retain(|fact| other.facts.contains(fact));
    }

    /// Whether the proposition holds.
    pub fn check(&self, proposition: &Proposition) -> Truth {
        if self.refutes(proposition) {
            Truth::Unsatisfiable
        } else if self.refutes(&proposition.negated()) {
            Truth::Valid
        } else {
            Truth::Satisfiable
        }
    }

    /// Removes facts, the latest first, until the proposition no longer follows.
    pub fn unassume(&mut self, proposition: &Proposition) {
        while self.check(proposition) == Truth::Valid {
            let related = self.relevant(proposition);
            let Some(last) = self.facts.iter().rposition(|fact| related.contains(fact)) else { return };
            let alone =
                self.facts.iter().rposition(|fact| contradictory(&[fact.clone(), proposition.negated()]));
            self.facts.remove(alone.unwrap_or(last));
        }
    }

    /// The facts that mention an unknown, in the order in which they were assumed.
    pub fn about(&self, name: &str) -> Vec<&Proposition> {
        self.facts.iter().filter(|fact| fact.mentions(name)).collect()
    }

    /// The smallest integer that the term provably does not exceed, searched up to `2^40` in size.
    pub fn upper_bound(&self, term: &Linear) -> Option<i64> {
        let below = |bound: i64| {
            let bound = Linear::constant(bound);
            Proposition::at_most(term, &bound).is_some_and(|p| self.check(&p) == Truth::Valid)
        };
        if let Some(value) = term.as_constant() {
            return i64::try_from(value.negate().floor().negate().numerator()).ok();
        }
        let (mut low, mut high) = (-(1i64 << 40), 1i64 << 40);
        if !below(high) || below(low) {
            return None;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if below(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// Whether the facts and the proposition provably cannot hold together.
    fn refutes(&self, proposition: &Proposition) -> bool {
        let mut together = self.relevant(proposition);
        together.push(proposition.clone());
        contradictory(&together)
    }

    /// The facts connected with the proposition by common unknowns.
    fn relevant(&self, proposition: &Proposition) -> Vec<Proposition> {
        let mut names = Vec::new();
        proposition.names(&mut names);
        let mut taken = vec![false; self.facts.len()];
        loop {
            let mut grew = false;
            for (fact, taken) in self.facts.iter().zip(&mut taken) {
                let related =
                    is_constant(fact) || names.iter().any(|n| fact.mentions(n) || is_opaque(fact, n));
                if !*taken && related {
                    *taken = true;
                    grew = true;
                    fact.names(&mut names);
                }
            }
            if !grew {
                break;
            }
        }
        self.facts.iter().zip(taken).filter(|(_, taken)| *taken).map(|(fact, _)| fact.clone()).collect()
    }
}

/// A fact without unknowns matters to every question: it may be false.
fn is_constant(fact: &Proposition) -> bool {
    let mut names = Vec::new();
    fact.names(&mut names);
    names.is_empty()
}

fn is_opaque(fact: &Proposition, text: &str) -> bool {
    let mut names = Vec::new();
    fact.names(&mut names);
    names.iter().any(|name| name == text)
}

#[cfg(test)]
mod tests {
    use super::super::term::{Atom, Rational};
    use super::*;

    fn int(name: &str) -> Linear {
        Linear::atom(Atom::integer(name))
    }
    fn real(name: &str) -> Linear {
        Linear::atom(Atom::real(name))
    }
    fn number(value: i64) -> Linear {
        Linear::constant(value)
    }
    fn below(a: &Linear, b: &Linear) -> Proposition {
        Proposition::below(a, b).unwrap()
    }
    fn at_most(a: &Linear, b: &Linear) -> Proposition {
        Proposition::at_most(a, b).unwrap()
    }
    fn equal(a: &Linear, b: &Linear) -> Proposition {
        Proposition::equal(a, b).unwrap()
    }

    /// The table of language reference §6.2 for `a > 2 && a < 4`.
    #[test]
    fn documented_interval_table() {
        let a = real("a");
        let mut facts = Facts::default();
        facts.assume(below(&number(2), &a));
        facts.assume(below(&a, &number(4)));
        assert_eq!(facts.check(&below(&number(1), &a)), Truth::Valid);
        assert_eq!(facts.check(&at_most(&number(2), &a)), Truth::Valid);
        assert_eq!(facts.check(&below(&number(3), &a)), Truth::Satisfiable);
        assert_eq!(facts.check(&below(&a, &number(2))), Truth::Unsatisfiable);
        assert_eq!(facts.check(&at_most(&a, &number(2))), Truth::Unsatisfiable);
        assert_eq!(facts.check(&below(&number(4), &a)), Truth::Unsatisfiable);
        assert_eq!(facts.check(&below(&number(3), &a).negated()), Truth::Satisfiable);
        assert_eq!(facts.check(&at_most(&a, &number(3))), Truth::Satisfiable);
    }

    #[test]
    fn integers_tighten_strict_bounds() {
        let a = int("a");
        let mut facts = Facts::default();
        facts.assume(below(&number(2), &a));
        facts.assume(below(&a, &number(4)));
        assert_eq!(facts.check(&equal(&a, &number(3))), Truth::Valid);
        assert_eq!(facts.upper_bound(&a), Some(3));
    }

    #[test]
    fn equalities_and_differences() {
        let mut facts = Facts::default();
        facts.assume(equal(&int("a"), &number(4)));
        assert_eq!(facts.check(&equal(&int("a"), &number(5)).negated()), Truth::Valid);
        facts.assume(at_most(&int("i"), &int("n").minus(&number(1)).unwrap()));
        assert_eq!(facts.check(&below(&int("i"), &int("n"))), Truth::Valid);
        assert_eq!(facts.check(&below(&int("i"), &int("m"))), Truth::Satisfiable);
    }

    #[test]
    fn parity_refutes_integer_equations() {
        let mut facts = Facts::default();
        let twice = int("a").scaled(Rational::from(2)).unwrap();
        facts.assume(equal(&twice, &number(7)));
        assert_eq!(facts.check(&equal(&number(0), &number(1))), Truth::Unsatisfiable);
        let facts = Facts::default();
        assert_eq!(facts.check(&equal(&twice, &number(7))), Truth::Unsatisfiable);
    }

    #[test]
    fn disjunctions_and_opaque_atoms() {
        let p = Proposition::Opaque("p(x)".into(), vec!["x".into()]);
        let q = Proposition::Opaque("q(x)".into(), vec!["x".into()]);
        let mut facts = Facts::default();
        facts.assume(Proposition::Any(vec![p.clone(), q.clone()]));
        assert_eq!(facts.check(&p), Truth::Satisfiable);
        facts.assume(p.negated());
        assert_eq!(facts.check(&q), Truth::Valid);
        facts.forget("x");
        assert_eq!(facts.check(&q), Truth::Satisfiable);
    }

    #[test]
    fn unassume_takes_back_what_implies_it() {
        let a = real("a");
        let mut facts = Facts::default();
        facts.assume(equal(&a, &number(4)));
        let positive = below(&number(0), &a);
        facts.unassume(&positive.negated());
        assert_eq!(facts.check(&positive), Truth::Valid);
        facts.unassume(&positive);
        assert_eq!(facts.check(&positive), Truth::Satisfiable);
    }

    #[test]
    fn huge_coefficients_give_up_instead_of_overflowing() {
        let huge = Rational::new(i128::MAX / 2, 1).unwrap();
        let term = int("a").scaled(huge).unwrap().plus(&int("b"), huge).unwrap();
        let mut facts = Facts::default();
        facts.assume(at_most(&term, &number(3)));
        facts.assume(at_most(&number(5), &term));
        let _ = facts.check(&below(&int("a"), &int("b")));
    }
}
