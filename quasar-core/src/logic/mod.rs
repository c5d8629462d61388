//! The truth-value system: what follows from the facts that hold at a point of the program.
//!
//! Sizes, branch cutting, check removal, `where` conditions and dependence tests all ask here. A question has three
//! answers; whenever the bounded effort does not suffice the answer is [`Truth::Satisfiable`].

mod facts;
mod prover;
mod term;

pub use facts::{Fact, Facts, Truth};
pub use term::{Atom, Linear, Proposition, Rational, Relation};
