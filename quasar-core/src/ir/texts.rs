//! Texts that a program evaluates while it runs (`eval(text)`): the sources that it was made of, which they are compiled
//! with, and who compiles them. The IR cannot name the compiler, which stands above it.

use super::Program;
use crate::source::SourceMap;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Host;
use std::sync::Arc;

/// The name of the library function that statements of the IR call: it takes the text and the name of the module, and gives a
/// value of type `??`.
pub const EVAL: &str = "eval";

/// What a program was compiled from.
#[derive(Clone, Debug)]
pub struct Texts {
    /// The name of the root module in messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// How many lines of an enclosing file stand before it.
    pub first_line: u32,
    /// Whether it stands as tokens in a Rust file.
    pub rust_comments: bool,
    /// Whether `main` is given the texts of a command line.
    pub command_line: bool,
    /// Values for constants and settings from outside, each as `NAME = value`.
    pub definitions: Vec<String>,
    /// The settings, each as `NAME = value`.
    pub settings: Vec<String>,
    /// The precision of `scalar`, which is one of them.
    pub working: ElementType,
    /// The modules that are no library modules.
    pub imports: Vec<ImportedText>,
    /// Compiles a text in a module of the program; the error says what is wrong with it.
    pub compile: fn(&Arc<Texts>, module: &str, text: &str) -> Result<Evaluated, String>,
    /// Who gives functions from texts a host where compiled code calls them; nobody where the interpreter runs all.
    pub host: Option<WithHost>,
}

/// Does something with a host.
pub type WithHost = fn(ElementType, &mut dyn FnMut(&mut dyn Host));

/// An imported module.
#[derive(Clone, Debug)]
pub struct ImportedText {
    /// What the import says.
    pub path: String,
    /// The name of the importing module.
    pub from: String,
    /// The name in messages.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A text that was compiled: `main` of the program gives its value.
#[derive(Debug)]
pub struct Evaluated {
    /// The program.
    pub program: Program,
    /// What its places speak of. The text itself is not among them, since errors in it have no line of the program.
    pub sources: SourceMap,
}
