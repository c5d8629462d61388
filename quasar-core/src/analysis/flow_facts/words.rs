//! Facts as a program would write them, for tools.

use super::FlowFacts;
use crate::ids::Arena;
use crate::ir::{VarSet, Variable};
use crate::logic::{Atom, Linear, Proposition, Rational, Relation};
use std::collections::BTreeMap;

impl FlowFacts {
    /// The facts that hold now and speak of some variables or their extents, as far as the program has names for all that is in them.
    pub fn in_words(&self, variables: &Arena<Variable>, about: &VarSet) -> Vec<String> {
        let mut names: BTreeMap<u32, &str> = BTreeMap::new();
        // Of two names for one value that counts which the statement uses.
        for used in [false, true] {
            let those = self.values.iter().filter(|(variable, _)| about.contains(variable) == used);
            let named = those.map(|(variable, symbol)| (*symbol, &variables[*variable].name[..]));
            names.extend(named.filter(|(_, name)| !name.starts_with('$')));
        }
        let wanted = |symbol: u32| {
            self.values.iter().any(|(variable, value)| *value == symbol && about.contains(variable))
        };
        let mut found = Vec::new();
        for fact in self.facts.all() {
            let mut symbols = Vec::new();
            fact.names(&mut symbols);
            let is_wanted =
                symbols.iter().any(|symbol| parts(symbol).is_some_and(|(_, number, _)| wanted(number)));
            let shown = || proposition(fact, &|atom| named(atom, &names));
            found.extend(is_wanted.then(shown).flatten().filter(|words| !found.contains(words)));
        }
        found
    }
}

/// The parts of a symbol's name: `n#3`, `size(#3,0)`, `numel(#3)`.
fn parts(symbol: &str) -> Option<(&str, u32, &str)> {
    let (before, after) = symbol.split_once('#')?;
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let (number, after) = after.split_at(end);
    matches!(before, "n" | "size(" | "numel(").then_some(())?;
    Some((before, number.parse().ok()?, after))
}

/// What the program calls an unknown.
fn named(atom: &Atom, names: &BTreeMap<u32, &str>) -> Option<String> {
    let (before, number, after) = parts(&atom.name)?;
    let name = names.get(&number)?;
    Some(if before == "n" { (*name).to_owned() } else { format!("{before}{name}{after}") })
}

/// The name of an unknown.
type Named<'n> = &'n dyn Fn(&Atom) -> Option<String>;

fn proposition(fact: &Proposition, named: Named<'_>) -> Option<String> {
    match fact {
        Proposition::Compare(term, relation) => comparison(term, *relation, named),
        Proposition::Any(parts) if !parts.is_empty() => {
            let parts: Option<Vec<String>> = parts.iter().map(|part| proposition(part, named)).collect();
            Some(parts?.join(" || "))
        }
        _ => None,
    }
}

/// A comparison with zero, with what is subtracted on the other side: `m - size(x,0) + 1 <= 0` is `m <= size(x,0) - 1`.
fn comparison(term: &Linear, relation: Relation, named: Named<'_>) -> Option<String> {
    let positive = |factor: &Rational| factor.signum() > 0;
    // A bound from below has what it bounds on the left, too.
    let turned = term.terms.iter().filter(|(_, factor)| positive(factor)).count() == 0;
    let (left, right): (Vec<_>, Vec<_>) =
        term.terms.iter().partition(|(_, factor)| positive(factor) != turned);
    let constant = if turned { term.constant } else { term.constant.negate() };
    let sign = match (relation, turned) {
        (Relation::Zero, _) => "==",
        (Relation::NotZero, _) => "!=",
        (Relation::AtMostZero, false) => "<=",
        (Relation::AtMostZero, true) => ">=",
        (Relation::BelowZero, false) => "<",
        (Relation::BelowZero, true) => ">",
    };
    let none = Rational::ZERO;
    Some(format!("{} {sign} {}", sum(&left, none, named)?, sum(&right, constant, named)?))
}

/// A sum of multiples, without their signs, and a constant with its sign.
fn sum(terms: &[&(Atom, Rational)], constant: Rational, named: Named<'_>) -> Option<String> {
    let mut parts = Vec::new();
    for (atom, factor) in terms {
        let factor = if factor.signum() < 0 { factor.negate() } else { *factor };
        let name = named(atom)?;
        parts.push(if factor == Rational::ONE { name } else { format!("{}*{name}", number(factor)) });
    }
    let all = parts.join(" + ");
    Some(match constant.signum() {
        _ if all.is_empty() => number(constant),
        0 => all,
        1.. => format!("{all} + {}", number(constant)),
        _ => format!("{all} - {}", number(constant.negate())),
    })
}

fn number(value: Rational) -> String {
    match value.denominator() {
        1 => value.numerator().to_string(),
        denominator => format!("{}/{denominator}", value.numerator()),
    }
}
