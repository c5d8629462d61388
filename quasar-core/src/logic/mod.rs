//! The prover: decides what follows from the facts that hold at a program point.
//!
//! Shape inference, branch cutting, elimination of checks, `where` conditions and dependence tests query it. A query
//! has three answers; if the bounded effort does not suffice, the answer is [`Truth::Satisfiable`].

mod facts;
mod prover;
mod term;

pub use facts::{Fact, Facts, Truth};
pub use term::{Atom, Linear, Proposition, Rational, Relation};
