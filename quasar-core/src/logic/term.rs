//! Linear terms over opaque atoms, and propositions over terms.

use std::cmp::Ordering;
use std::sync::Arc;

/// An unknown number: a variable, an extent, an element with constant index. Atoms with equal names are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom {
    /// Canonical text, such as `n` or `size(x,0)`.
    pub name: Arc<str>,
    /// Whether it is an integer; strict bounds are then tightened.
    pub integer: bool,
}

impl Atom {
    /// An integer unknown.
    pub fn integer(name: impl Into<Arc<str>>) -> Atom {
        Atom { name: name.into(), integer: true }
    }

    /// A real unknown.
    pub fn real(name: impl Into<Arc<str>>) -> Atom {
        Atom { name: name.into(), integer: false }
    }
}

/// An exact fraction. Operations return `None` on overflow, and the prover then gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i128,
    /// Always positive and coprime with the numerator.
    denominator: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

#[allow(clippy::should_implement_trait, reason = "the operations can fail, those of the traits cannot")]
impl Rational {
    /// 0.
    pub const ZERO: Rational = Rational { numerator: 0, denominator: 1 };
    /// 1.
    pub const ONE: Rational = Rational { numerator: 1, denominator: 1 };

    /// `numerator / denominator`.
    pub fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return None;
        }
        let divisor = gcd(numerator, denominator) * denominator.signum();
        Some(Rational { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// An integer that can be negated.
    fn whole(numerator: i128) -> Option<Rational> {
        (numerator != i128::MIN).then_some(Rational { numerator, denominator: 1 })
    }

    /// The exact value of a finite float of moderate size; `None` for others.
    pub fn from_f64(value: f64) -> Option<Rational> {
        let (mut scaled, mut denominator) = (value, 1i128);
        while scaled != scaled.trunc() {
            scaled *= 2.0;
            denominator = denominator.checked_mul(2)?;
            if denominator > 1 << 80 {
                return None;
            }
        }
        (scaled.abs() < 1e30).then(|| Rational::new(scaled as i128, denominator)).flatten()
    }

    /// The nearest float.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// -1, 0 or 1.
    pub fn signum(self) -> i128 {
        self.numerator.signum()
    }

    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        self.denominator == 1
    }

    /// The numerator in lowest terms.
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// The denominator in lowest terms.
    pub fn denominator(self) -> i128 {
        self.denominator
    }

    /// Rounded down to an integer.
    pub fn floor(self) -> Rational {
        Rational { numerator: self.numerator.div_euclid(self.denominator), denominator: 1 }
    }

    /// Sum.
    pub fn add(self, other: Rational) -> Option<Rational> {
        if self.denominator == 1 && other.denominator == 1 {
            return Rational::whole(self.numerator.checked_add(other.numerator)?);
        }
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Rational::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    /// Product.
    pub fn multiply(self, other: Rational) -> Option<Rational> {
        if self.denominator == 1 && other.denominator == 1 {
            return Rational::whole(self.numerator.checked_mul(other.numerator)?);
        }
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Rational::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    /// `1 / self`.
    pub fn reciprocal(self) -> Option<Rational> {
        Rational::new(self.denominator, self.numerator)
    }

    /// Whether it is provably no less than the other one; false for fractions too large to compare.
    pub fn is_at_least(self, other: Rational) -> bool {
        if self.denominator == other.denominator {
            return self.numerator >= other.numerator;
        }
        self.add(other.negate()).is_some_and(|difference| difference.signum() >= 0)
    }

    /// The greater of two; the first one if they cannot be compared.
    pub fn greater(self, other: Rational) -> Rational {
        if other.is_at_least(self) { other } else { self }
    }

    /// The smaller of two; the first one if they cannot be compared.
    pub fn smaller(self, other: Rational) -> Rational {
        if self.is_at_least(other) { other } else { self }
    }

    /// `-self`.
    pub fn negate(self) -> Rational {
        Rational { numerator: -self.numerator, denominator: self.denominator }
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Rational {
        Rational { numerator: i128::from(value), denominator: 1 }
    }
}

/// An affine term: `constant + sum of coefficient * atom`; all coefficients are non-zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    /// The constant term.
    pub constant: Rational,
    /// The coefficients, sorted by atom.
    pub terms: Vec<(Atom, Rational)>,
}

impl Linear {
    /// A constant.
    pub fn constant(value: impl Into<Rational>) -> Linear {
        Linear { constant: value.into(), terms: Vec::new() }
    }

    /// A single unknown.
    pub fn atom(atom: Atom) -> Linear {
        Linear { constant: Rational::ZERO, terms: vec![(atom, Rational::ONE)] }
    }

    /// `self + factor * other`.
    pub fn plus(&self, other: &Linear, factor: Rational) -> Option<Linear> {
        let constant = self.constant.add(other.constant.multiply(factor)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut mine, mut theirs) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (mine.peek(), theirs.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Some(Linear { constant, terms }),
            };
            let left = mine.next_if(|_| order.is_le());
            let right = theirs.next_if(|_| order.is_ge());
            let added = right.map_or(Some(Rational::ZERO), |(_, right)| right.multiply(factor))?;
            let total = left.map_or(Rational::ZERO, |(_, left)| *left).add(added)?;
            if let Some((atom, _)) = left.or(right).filter(|_| total != Rational::ZERO) {
                terms.push((atom.clone(), total));
            }
        }
    }

    /// `self - other`.
    pub fn minus(&self, other: &Linear) -> Option<Linear> {
        self.plus(other, Rational::ONE.negate())
    }

    /// `factor * self`.
    pub fn scaled(&self, factor: Rational) -> Option<Linear> {
        Linear::constant(0).plus(self, factor)
    }

    /// The coefficient of an atom, zero if it does not occur.
    pub fn coefficient(&self, atom: &Atom) -> Rational {
        self.terms.iter().find(|(known, _)| known == atom).map_or(Rational::ZERO, |(_, factor)| *factor)
    }

    /// Whether all its values are integers.
    pub fn is_integral(&self) -> bool {
        self.constant.is_integer()
            && self.terms.iter().all(|(atom, factor)| atom.integer && factor.is_integer())
    }

    /// The value, if no atom occurs.
    pub fn as_constant(&self) -> Option<Rational> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// The comparison of a linear term with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `= 0`
    Zero,
    /// `!= 0`
    NotZero,
    /// `<= 0`
    AtMostZero,
    /// `< 0`
    BelowZero,
}

/// A proposition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Proposition {
    /// A comparison with zero.
    Compare(Linear, Relation),
    /// An opaque proposition, such as `pred(a,b)` or `type(x,"mat")`, equal to others of the same text; with the names
    /// of the atoms in it.
    Opaque(Arc<str>, Vec<Arc<str>>),
    /// Negation.
    Not(Box<Proposition>),
    /// Conjunction; the empty one is true.
    All(Vec<Proposition>),
    /// Disjunction; the empty one is false.
    Any(Vec<Proposition>),
}

impl Proposition {
    /// `left relation right`, by subtraction.
    pub fn compare(left: &Linear, right: &Linear, relation: Relation) -> Option<Proposition> {
        Some(Proposition::Compare(left.minus(right)?, relation))
    }

    /// `left <= right`.
    pub fn at_most(left: &Linear, right: &Linear) -> Option<Proposition> {
        Proposition::compare(left, right, Relation::AtMostZero)
    }

    /// `left < right`.
    pub fn below(left: &Linear, right: &Linear) -> Option<Proposition> {
        Proposition::compare(left, right, Relation::BelowZero)
    }

    /// `left == right`.
    pub fn equal(left: &Linear, right: &Linear) -> Option<Proposition> {
        Proposition::compare(left, right, Relation::Zero)
    }

    /// Negation, pushed down to comparisons and opaque atoms.
    pub fn negated(&self) -> Proposition {
        match self {
            Proposition::Compare(term, relation) => {
                let minus = || term.scaled(Rational::ONE.negate());
                match relation {
                    Relation::Zero => Proposition::Compare(term.clone(), Relation::NotZero),
                    Relation::NotZero => Proposition::Compare(term.clone(), Relation::Zero),
                    Relation::AtMostZero => flipped(self, minus(), Relation::BelowZero),
                    Relation::BelowZero => flipped(self, minus(), Relation::AtMostZero),
                }
            }
            Proposition::Opaque(..) => Proposition::Not(Box::new(self.clone())),
            Proposition::Not(inner) => (**inner).clone(),
            Proposition::All(parts) => Proposition::Any(parts.iter().map(Proposition::negated).collect()),
            Proposition::Any(parts) => Proposition::All(parts.iter().map(Proposition::negated).collect()),
        }
    }

    /// The names of all unknowns.
    pub fn names(&self, into: &mut Vec<Arc<str>>) {
        match self {
            Proposition::Compare(term, _) => {
                into.extend(term.terms.iter().map(|(atom, _)| atom.name.clone()))
            }
            Proposition::Opaque(text, names) => {
                into.push(text.clone());
                into.extend(names.iter().cloned());
            }
            Proposition::Not(inner) => inner.names(into),
            Proposition::All(parts) | Proposition::Any(parts) => parts.iter().for_each(|p| p.names(into)),
        }
    }
}

/// The negated comparison; if negating its term overflowed, a `Not` of the original.
fn flipped(original: &Proposition, term: Option<Linear>, relation: Relation) -> Proposition {
    match term {
        Some(term) => Proposition::Compare(term, relation),
        None => Proposition::Not(Box::new(original.clone())),
    }
}
