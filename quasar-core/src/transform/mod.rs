//! Passes from IR to IR. A pass keeps the program's results and says what it did.

mod constants;
mod dead_functions;
mod dead_outputs;
mod definite_assignment;
pub mod host;
mod inline_launches;
mod inlining;
pub mod kernel;
mod known_sizes;
mod legalize;
pub mod messages;
pub mod pass;
pub mod pipeline;
mod schedule;
mod tables;
mod unroll_on_request;
mod write_out;

pub use pass::{Pass, PassContext, Runner, Stage};

/// Lets launches fill tables wherever that is possible, for tests: what the pass `tabulate` does where it pays.
pub fn tabulate_always(program: &mut crate::ir::Program) {
    tables::run(program, tables::Profit::ALWAYS);
}
