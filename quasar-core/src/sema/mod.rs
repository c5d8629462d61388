//! Meaning: which definition each name refers to and which type each expression has.

pub mod auto_specialize;
pub mod defaults;
pub mod definitions;
pub mod dispatch;
mod env;
mod finish;
mod hiding;
mod infer;
pub mod macros;
mod messages;
pub mod model;
pub mod replaced;
mod scope;
pub mod texts;
pub mod unit;
pub mod walk;

use crate::message::Sink;
use crate::settings::FunctionPointers;
use crate::types::ElementType;
use model::SemanticModel;
use unit::Unit;

/// The name of the function that takes a command line apart for `main`, where there is one.
pub const ENTRY: &str = "__main__";

/// Settings of the analysis.
#[derive(Clone, Debug)]
pub struct SemaOptions {
    /// What `scalar` means: `Single` or `Double`.
    pub precision: ElementType,
    /// Whether facts decide conditions; otherwise constants and types alone do.
    pub facts: bool,
    /// Which calls may choose their function at run time.
    pub function_pointers: FunctionPointers,
}

impl Default for SemaOptions {
    fn default() -> Self {
        SemaOptions {
            precision: ElementType::Single,
            facts: true,
            function_pointers: FunctionPointers::default(),
        }
    }
}

/// Finds the meaning of a unit. Never fails: what is wrong is said in `sink`, and such parts have the type `Error`.
pub fn analyze(unit: &Unit, options: &SemaOptions, sink: &mut Sink) -> SemanticModel {
    hiding::tell(unit, sink);
    infer::run(unit, options, sink)
}
