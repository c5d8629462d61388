//! The prover against enumeration: what it calls decided must be so for every small integer assignment.

use proptest::prelude::*;
use quasar_core::logic::{Atom, Facts, Linear, Proposition, Rational, Relation, Truth};

const NAMES: [&str; 3] = ["a", "b", "c"];
const RANGE: std::ops::RangeInclusive<i64> = -3..=3;

fn linear() -> impl Strategy<Value = (Linear, [i64; 4])> {
    prop::array::uniform4(-3i64..=3).prop_map(|k| {
        let mut term = Linear::constant(k[3]);
        for (name, factor) in NAMES.iter().zip(k) {
            term = term.plus(&Linear::atom(Atom::integer(*name)), Rational::from(factor)).unwrap();
        }
        (term, k)
    })
}

#[derive(Clone, Debug)]
enum Tree {
    Leaf(Linear, [i64; 4], Relation),
    Not(Box<Tree>),
    All(Vec<Tree>),
    Any(Vec<Tree>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let relation = prop::sample::select(vec![
        Relation::Zero,
        Relation::NotZero,
        Relation::AtMostZero,
        Relation::BelowZero,
    ]);
    let leaf = (linear(), relation).prop_map(|((term, k), relation)| Tree::Leaf(term, k, relation));
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|t| Tree::Not(Box::new(t))),
            prop::collection::vec(inner.clone(), 1..3).prop_map(Tree::All),
            prop::collection::vec(inner, 1..3).prop_map(Tree::Any),
        ]
    })
}

impl Tree {
    fn proposition(&self) -> Proposition {
        match self {
            Tree::Leaf(term, _, relation) => Proposition::Compare(term.clone(), *relation),
            Tree::Not(inner) => inner.proposition().negated(),
            Tree::All(parts) => Proposition::All(parts.iter().map(Tree::proposition).collect()),
            Tree::Any(parts) => Proposition::Any(parts.iter().map(Tree::proposition).collect()),
        }
    }

    fn holds(&self, at: [i64; 3]) -> bool {
        match self {
            Tree::Leaf(_, k, relation) => {
                let value = k[0] * at[0] + k[1] * at[1] + k[2] * at[2] + k[3];
                match relation {
                    Relation::Zero => value == 0,
                    Relation::NotZero => value != 0,
                    Relation::AtMostZero => value <= 0,
                    Relation::BelowZero => value < 0,
                }
            }
            Tree::Not(inner) => !inner.holds(at),
            Tree::All(parts) => parts.iter().all(|p| p.holds(at)),
            Tree::Any(parts) => parts.iter().any(|p| p.holds(at)),
        }
    }
}

fn small_box() -> Facts {
    let mut facts = Facts::default();
    for name in NAMES {
        let atom = Linear::atom(Atom::integer(name));
        facts.assume(Proposition::at_most(&atom, &Linear::constant(*RANGE.end())).unwrap());
        facts.assume(Proposition::at_most(&Linear::constant(*RANGE.start()), &atom).unwrap());
    }
    facts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn decided_answers_hold_for_every_assignment(facts in prop::collection::vec(tree(), 0..3), question in tree()) {
        let mut known = small_box();
        for fact in &facts {
            known.assume(fact.proposition());
        }
        let answer = known.check(&question.proposition());
        for a in RANGE {
            for b in RANGE {
                for c in RANGE {
                    let at = [a, b, c];
                    if facts.iter().all(|fact| fact.holds(at)) {
                        let wrong = if question.holds(at) { Truth::Unsatisfiable } else { Truth::Valid };
                        prop_assert_ne!(answer, wrong);
                    }
                }
            }
        }
    }

    /// The other direction: what follows by adding two facts is found.
    #[test]
    fn sums_of_facts_are_found((left, _) in linear(), (right, _) in linear(), weight in 1i64..4) {
        let mut known = Facts::default();
        known.assume(Proposition::Compare(left.clone(), Relation::AtMostZero));
        known.assume(Proposition::Compare(right.clone(), Relation::AtMostZero));
        let sum = left.plus(&right, Rational::from(weight)).unwrap();
        prop_assert_ne!(known.check(&Proposition::Compare(sum, Relation::AtMostZero)), Truth::Satisfiable);
    }
}
