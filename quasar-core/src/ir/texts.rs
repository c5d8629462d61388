//! The environment of `eval(text)`: the source of the program, against which evaluated source is compiled, and the
//! compiler as a function pointer, since the IR must not depend on the layers above it.

use super::Program;
use crate::source::SourceMap;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Host;
use std::sync::Arc;

/// Name of the IR's library function for `eval`. It takes the source and the name of the module, and returns a value of
/// type `??`.
pub const EVAL: &str = "eval";

/// The input from which a program was compiled.
#[derive(Clone, Debug)]
pub struct EvalEnvironment {
    /// Name of the root module, for messages.
    pub name: String,
    /// Source of the root module.
    pub text: String,
    /// Number of lines in front of it in an enclosing file.
    pub first_line: u32,
    /// Whether it is given as tokens in a Rust file.
    pub rust_comments: bool,
    /// Whether `main` receives command-line arguments as strings.
    pub command_line: bool,
    /// Externally defined constants and settings, each as `NAME = value`.
    pub definitions: Vec<String>,
    /// The settings, each as `NAME = value`.
    pub settings: Vec<String>,
    /// The precision of `scalar`, one of the settings.
    pub working: ElementType,
    /// The imported modules, except library modules.
    pub imports: Vec<ImportedText>,
    /// Compiles source in the context of a module; the error is its diagnostics.
    pub compile: fn(&Arc<EvalEnvironment>, module: &str, text: &str) -> Result<Evaluated, String>,
    /// Provides a host for evaluated functions called from compiled code; `None` if the interpreter runs everything.
    pub host: Option<WithHost>,
}

/// Runs a function with a host.
pub type WithHost = fn(ElementType, &mut dyn FnMut(&mut dyn Host));

/// An imported module.
#[derive(Clone, Debug)]
pub struct ImportedText {
    /// The path in the import.
    pub path: String,
    /// Name of the importing module.
    pub from: String,
    /// Name for messages.
    pub name: String,
    /// Source of the module.
    pub text: String,
}

/// Compiled source: `main` of the program returns its value.
#[derive(Debug)]
pub struct Evaluated {
    /// The program.
    pub program: Program,
    /// The files that spans refer to. The evaluated source is not among them, since its errors have no line in the
    /// program.
    pub sources: SourceMap,
}
