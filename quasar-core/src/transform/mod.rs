//! Passes from IR to IR. A pass keeps the program's results and says what it did.

mod constants;
pub mod host;
mod inlining;
pub mod kernel;
mod legalize;
pub mod messages;
pub mod pass;
pub mod pipeline;
mod schedule;
mod unrolling;
mod unset;
mod unused_functions;
mod unused_outputs;

pub use pass::{Pass, PassContext, Runner, Stage};
