//! The set of facts at a program point, and queries against it.

use super::prover::contradictory;
use super::term::{Atom, Linear, Proposition, Rational, Relation};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The most facts that a query considers; those most closely related to it come first.
const MAX_RELEVANT: usize = 16;
/// The most disjunctions among them: each doubles the work.
const MAX_CHOICES: usize = 2;
/// The most facts that are kept; dropping further ones only loses precision.
const MAX_FACTS: usize = 2000;

/// The most facts that are added up in a chain,
const MAX_CHAIN: usize = 3;
/// and the most additions that are tried to find one.
const MAX_STEPS: usize = 30;

/// The most cached answers.
const MAX_ANSWERS: usize = 1000;

/// The answer to whether a proposition holds.
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

    /// The truth value, if it is decided.
    pub fn decided(self) -> Option<bool> {
        match self {
            Truth::Valid => Some(true),
            Truth::Unsatisfiable => Some(false),
            Truth::Satisfiable => None,
        }
    }
}

/// A proposition that holds, and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The proposition.
    pub proposition: Proposition,
    /// The owner's identifier of its origin.
    pub origin: Option<u32>,
    names: Vec<Arc<str>>,
}

/// A set of facts, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    facts: Vec<Fact>,
    /// Cached answers: whether a set of propositions is contradictory. Loop bodies are inferred several times.
    answers: RefCell<HashMap<Vec<Proposition>, bool>>,
    /// The value ranges of integer unknowns, from their types.
    ranges: BTreeMap<Arc<str>, (i64, i64)>,
}

impl Facts {
    /// Adds a fact.
    pub fn assume(&mut self, proposition: Proposition) {
        self.assume_from(proposition, None);
    }

    /// Adds a fact and its origin; the parts of a conjunction become separate facts.
    pub fn assume_from(&mut self, proposition: Proposition, origin: Option<u32>) {
        if let Proposition::All(parts) = proposition {
            return parts.into_iter().for_each(|part| self.assume_from(part, origin));
        }
        let known = self.facts.iter().any(|fact| fact.proposition == proposition);
        if !known && self.facts.len() < MAX_FACTS {
            let mut names = Vec::new();
            proposition.names(&mut names);
            self.facts.push(Fact { proposition, origin, names });
        }
    }

    /// Sets the value range of an integer unknown.
    pub fn limit(&mut self, name: &Arc<str>, low: i64, high: i64) {
        self.ranges.insert(name.clone(), (low, high));
    }

    /// All facts, in the order in which they were added.
    pub fn all(&self) -> impl Iterator<Item = &Proposition> {
        self.facts.iter().map(|fact| &fact.proposition)
    }

    /// A position in the list of facts, for [`Facts::release`].
    pub fn mark(&self) -> usize {
        self.facts.len()
    }

    /// Retracts the facts added since a mark and returns them.
    pub fn release(&mut self, mark: usize) -> Vec<Fact> {
        self.facts.split_off(mark.min(self.facts.len()))
    }

    /// Adds facts that were retracted before.
    pub fn resume(&mut self, facts: Vec<Fact>) {
        self.facts.extend(facts);
    }

    /// Decides a proposition.
    pub fn check(&self, proposition: &Proposition) -> Truth {
        if let Some(known) = self.at_a_glance(proposition) {
            return if known { Truth::Valid } else { Truth::Unsatisfiable };
        }
        if self.chained(proposition) {
            return Truth::Valid;
        }
        if self.refutes(proposition, Ranges::Sizes) {
            Truth::Unsatisfiable
        } else if self.refutes(&proposition.negated(), Ranges::Sizes) {
            Truth::Valid
        } else {
            Truth::Satisfiable
        }
    }

    /// Whether the proposition provably holds; cheaper than [`Facts::check`].
    pub fn holds(&self, proposition: &Proposition) -> bool {
        match self.at_a_glance(proposition) {
            Some(known) => known,
            None => self.chained(proposition) || self.refutes(&proposition.negated(), Ranges::Sizes),
        }
    }

    /// As `holds`, also using the value range of `int`.
    fn holds_in_range(&self, proposition: &Proposition) -> bool {
        match self.at_a_glance(proposition) {
            Some(known) => known,
            None => self.chained(proposition) || self.refutes(&proposition.negated(), Ranges::All),
        }
    }

    /// Whether an integer term provably lies between two values, inclusive.
    pub fn between(&self, term: &Linear, low: i64, high: i64) -> bool {
        let (least, greatest) = self.interval(term);
        let above = || {
            let above = Proposition::at_most(&Linear::constant(low), term);
            above.is_some_and(|above| self.holds_in_range(&above))
        };
        let below = || {
            let below = Proposition::at_most(term, &Linear::constant(high));
            below.is_some_and(|below| self.holds_in_range(&below))
        };
        (least.is_some_and(|least| least.is_at_least(Rational::from(low))) || above())
            && (greatest.is_some_and(|greatest| Rational::from(high).is_at_least(greatest)) || below())
    }

    /// Retracts facts, the latest first, until the proposition no longer follows. Tautologies remain, and so do facts
    /// that it does not depend on. For a conjunction each part is retracted.
    pub fn unassume(&mut self, proposition: &Proposition) {
        if let Proposition::All(parts) = proposition {
            return parts.iter().for_each(|part| self.unassume(part));
        }
        let negated = proposition.negated();
        if contradictory(&self.with_ranges(vec![negated.clone()], Ranges::Sizes)) {
            return;
        }
        // Each iteration retracts a fact, so there are no more iterations than facts.
        for _ in 0..=self.facts.len() {
            if self.check(proposition) != Truth::Valid {
                return;
            }
            let alone = self
                .facts
                .iter()
                .rposition(|fact| contradictory(&[fact.proposition.clone(), negated.clone()]));
            let latest = || self.needed_against(&negated).into_iter().max();
            let Some(place) = alone.or_else(latest) else { return };
            // A placeholder, so that marks stay valid.
            self.facts[place] = Fact { proposition: truism(), origin: None, names: vec!["".into()] };
        }
    }

    /// A minimal set of facts that contradicts the proposition.
    fn needed_against(&self, proposition: &Proposition) -> Vec<usize> {
        let mut chosen: Vec<usize> = self.relevant(proposition);
        let refuted = |chosen: &[usize]| {
            let mut together: Vec<Proposition> =
                chosen.iter().map(|k| self.facts[*k].proposition.clone()).collect();
            together.push(proposition.clone());
            contradictory(&self.with_ranges(together, Ranges::Sizes))
        };
        let mut position = 0;
        while position < chosen.len() {
            let mut fewer = chosen.clone();
            fewer.remove(position);
            if refuted(&fewer) { chosen = fewer } else { position += 1 }
        }
        chosen
    }

    /// The origins of a minimal set of facts that contradicts the proposition.
    pub fn against(&self, proposition: &Proposition) -> Vec<u32> {
        let chosen = self.needed_against(proposition);
        let mut origins: Vec<u32> = Vec::new();
        for origin in chosen.iter().filter_map(|k| self.facts[*k].origin) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        origins
    }

    /// Whether the facts about the proposition's unknowns are contradictory: the point is unreachable.
    pub fn impossible(&self, proposition: &Proposition) -> bool {
        self.refutes(proposition, Ranges::Sizes) && self.refutes(&proposition.negated(), Ranges::Sizes)
    }

    /// The least constant upper bound of the term that can be proven, searched up to `2^40` in magnitude.
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

    /// Decides a proposition from the ranges of single unknowns, without a proof.
    fn at_a_glance(&self, proposition: &Proposition) -> Option<bool> {
        let Proposition::Compare(term, relation) = proposition else { return None };
        let (least, greatest) = self.interval(term);
        let sign = |bound: Option<Rational>| bound.map(Rational::signum);
        let (above, below) = (sign(least) == Some(1), sign(greatest) == Some(-1));
        let (from, to) = (sign(least).is_some_and(|s| s >= 0), sign(greatest).is_some_and(|s| s <= 0));
        match relation {
            Relation::Zero if above || below => Some(false),
            Relation::Zero if from && to => Some(true),
            Relation::NotZero if above || below => Some(true),
            Relation::NotZero if from && to => Some(false),
            Relation::AtMostZero if to => Some(true),
            Relation::AtMostZero if above => Some(false),
            Relation::BelowZero if below => Some(true),
            Relation::BelowZero if from => Some(false),
            _ => None,
        }
    }

    /// The interval of a term, from the ranges of its unknowns.
    pub fn interval(&self, term: &Linear) -> (Option<Rational>, Option<Rational>) {
        let (mut least, mut greatest) = (Some(term.constant), Some(term.constant));
        for (atom, factor) in &term.terms {
            let (low, high) = self.limits(atom);
            let (low, high) = if factor.signum() > 0 { (low, high) } else { (high, low) };
            least = least.and_then(|sum| sum.add(low?.multiply(*factor)?));
            greatest = greatest.and_then(|sum| sum.add(high?.multiply(*factor)?));
        }
        (least, greatest)
    }

    /// The range of an unknown, from its type and the facts about it alone.
    fn limits(&self, atom: &Atom) -> (Option<Rational>, Option<Rational>) {
        let range = self.ranges.get(&atom.name);
        let mut low = range.map(|(low, _)| Rational::from(*low));
        let mut high = range.map(|(_, high)| Rational::from(*high));
        let mut raise = |bound: Rational| low = Some(low.map_or(bound, |low| low.greater(bound)));
        let mut lower = |bound: Rational| high = Some(high.map_or(bound, |high| high.smaller(bound)));
        for fact in &self.facts {
            let [name] = fact.names.as_slice() else { continue };
            if *name != atom.name {
                continue;
            }
            let Proposition::Compare(term, relation) = &fact.proposition else { continue };
            let factor = term.coefficient(atom);
            let bound = factor.reciprocal().and_then(|one| term.constant.negate().multiply(one));
            let Some(bound) = bound else { continue };
            match relation {
                Relation::Zero => {
                    raise(bound);
                    lower(bound);
                }
                Relation::AtMostZero | Relation::BelowZero if factor.signum() > 0 => lower(bound),
                Relation::AtMostZero | Relation::BelowZero => raise(bound),
                Relation::NotZero => {}
            }
        }
        (low, high)
    }

    /// Whether a comparison follows by adding up a few facts: the common case, without elimination.
    fn chained(&self, proposition: &Proposition) -> bool {
        let Proposition::Compare(term, relation) = proposition else { return false };
        let strict = match relation {
            Relation::AtMostZero => Some(term.clone()),
            // Integers below zero are at most -1.
            Relation::BelowZero if term.is_integral() => term.plus(&Linear::constant(1), Rational::ONE),
            _ => None,
        };
        let mut steps = MAX_STEPS;
        strict.is_some_and(|term| self.at_most_zero(&term, MAX_CHAIN, &mut steps))
    }

    /// Whether `term <= 0`, by adding multiples of at most `depth` facts.
    fn at_most_zero(&self, term: &Linear, depth: usize, steps: &mut usize) -> bool {
        if self.interval(term).1.is_some_and(|greatest| greatest.signum() <= 0) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        for fact in self.facts.iter().rev().filter(|fact| fact.names.len() > 1) {
            let Proposition::Compare(known, relation) = &fact.proposition else { continue };
            for (atom, factor) in &term.terms {
                let here = known.coefficient(atom);
                let Some(ratio) = here.reciprocal().and_then(|one| factor.multiply(one)) else { continue };
                // A term that is at most zero may be added with a positive factor, a zero term with any factor.
                let fits =
                    *relation == Relation::Zero || (*relation != Relation::NotZero && ratio.signum() > 0);
                if !fits || *steps == 0 {
                    continue;
                }
                *steps -= 1;
                let rest = term.plus(known, ratio.negate());
                if rest.is_some_and(|rest| self.at_most_zero(&rest, depth - 1, steps)) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the facts and the proposition are provably contradictory.
    fn refutes(&self, proposition: &Proposition, ranges: Ranges) -> bool {
        let mut together: Vec<Proposition> =
            self.relevant(proposition).into_iter().map(|k| self.facts[k].proposition.clone()).collect();
        if together.is_empty()
            && matches!(proposition, Proposition::Compare(_, relation) if *relation != Relation::Zero)
        {
            // Only ranges are known, and those have been checked.
            return self.at_a_glance(proposition) == Some(false);
        }
        together.push(proposition.clone());
        let together = self.with_ranges(together, ranges);
        if let Some(answer) = self.answers.borrow().get(&together) {
            return *answer;
        }
        let answer = contradictory(&together);
        let mut answers = self.answers.borrow_mut();
        if answers.len() < MAX_ANSWERS {
            answers.insert(together, answer);
        }
        answer
    }

    /// Adds the value ranges of the unknowns in the propositions.
    fn with_ranges(&self, mut together: Vec<Proposition>, ranges: Ranges) -> Vec<Proposition> {
        let mut names = Vec::new();
        together.iter().for_each(|proposition| proposition.names(&mut names));
        names.sort_unstable();
        names.dedup();
        for name in names {
            let Some((low, high)) = self.ranges.get(&name) else { continue };
            let unknown = Linear::atom(Atom::integer(name));
            if ranges == Ranges::All || *low > i32::MIN.into() {
                together.extend(Proposition::at_most(&Linear::constant(*low), &unknown));
            }
            if ranges == Ranges::All || *high < i32::MAX.into() {
                together.extend(Proposition::at_most(&unknown, &Linear::constant(*high)));
            }
        }
        together
    }

    /// The indices of the facts connected with the proposition by shared unknowns, most closely related first.
    fn relevant(&self, proposition: &Proposition) -> Vec<usize> {
        let mut names = Vec::new();
        proposition.names(&mut names);
        let mut taken = vec![false; self.facts.len()];
        let mut found = Vec::new();
        let mut choices = 0;
        loop {
            let before = found.len();
            let mut further = Vec::new();
            for (place, fact) in self.facts.iter().enumerate().rev() {
                // A fact without unknowns is relevant to every query, since it may be false.
                let related = fact.names.is_empty() || fact.names.iter().any(|name| names.contains(name));
                if related && !taken[place] && found.len() < MAX_RELEVANT {
                    taken[place] = true;
                    if matches!(
                        fact.proposition,
                        Proposition::Any(_) | Proposition::Compare(_, Relation::NotZero)
                    ) {
                        choices += 1;
                        if choices > MAX_CHOICES {
                            continue;
                        }
                    }
                    found.push(place);
                    further.extend(fact.names.iter().cloned());
                }
            }
            names.extend(further);
            if found.len() == before || found.len() == MAX_RELEVANT {
                return found;
            }
        }
    }
}

/// Which value ranges a proof may use.
#[derive(Clone, Copy, PartialEq)]
enum Ranges {
    /// Those that are tighter than the range of `int`.
    Sizes,
    All,
}

fn truism() -> Proposition {
    Proposition::All(Vec::new())
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
        let mark = facts.mark();
        facts.assume(q.negated());
        assert_eq!(facts.release(mark).len(), 1);
        assert_eq!(facts.check(&q), Truth::Valid);
    }

    #[test]
    fn unassume_leaves_what_always_holds() {
        let (a, b) = (int("a"), int("b"));
        let either = Proposition::Any(vec![below(&a, &b), at_most(&b, &a)]);
        let mut facts = Facts::default();
        facts.assume(below(&a, &number(7)));
        facts.unassume(&either);
        assert_eq!(facts.check(&either), Truth::Valid);
        assert_eq!(facts.check(&below(&a, &number(7))), Truth::Valid);
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
