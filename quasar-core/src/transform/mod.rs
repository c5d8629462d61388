//! Passes from IR to IR. A pass keeps the program's results and says what it did.

mod constants;
pub mod host;
mod inlining;
pub mod kernel;
pub mod messages;
mod pipeline;
mod unrolling;
mod unset;
mod unused_functions;
mod unused_outputs;

pub use pipeline::{HOST, Pass, PassContext, make_blocks, optimise};
