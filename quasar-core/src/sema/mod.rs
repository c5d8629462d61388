//! Semantic analysis: name resolution, type inference and overload resolution. Syntactic expansions (macros, `eval` of
//! literals, defaults, specialisation attributes) run on the AST first; `infer` then fills the side tables of
//! [`model`], one set per monomorphised instance. Inference does not change the AST, and no IR is built here.

pub mod auto_specialize;
pub mod defaults;
pub mod eval_literals;
mod flow_state;
mod infer;
pub mod macros;
mod messages;
pub mod model;
pub mod overlay;
pub mod overrides;
mod roots;
mod scope;
mod shadowing;
pub mod specialize_attribute;
pub mod unit;
pub mod walk;

pub(crate) use scope::Assigned;

use crate::message::Sink;
use crate::settings::FunctionPointers;
use crate::types::ElementType;
use model::SemanticModel;
use unit::Unit;

/// The name of the generated function that distributes command-line arguments to the parameters of `main`.
pub const ENTRY: &str = "__main__";
/// What messages and errors call it, and the text that it comes from.
pub const COMMAND_LINE: &str = "command line";

/// Options of the analysis.
#[derive(Clone, Debug)]
pub struct SemaOptions {
    /// The element type that `scalar` stands for: `Single` or `Double`.
    pub precision: ElementType,
    /// Whether the facts engine decides conditions; otherwise only constants and types do.
    pub facts: bool,
    /// Which calls may choose their callee at run time.
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

/// Analyses a unit. Never fails: errors are reported to `sink`, and erroneous nodes get the type `Error`.
pub fn analyze(unit: &Unit, options: &SemaOptions, sink: &mut Sink) -> SemanticModel {
    shadowing::tell(unit, sink);
    infer::run(unit, options, sink)
}
