//! Programs for the emulator, compiled in two forms: as written, and after the transforms.

use quasar_core::driver::{self, Compilation, Options};
use quasar_core::message::render::{self, Style};
use quasar_core::settings::Settings;
use quasar_core::source::{NoImports, SearchPath, SourceMap, SourceProvider};
use quasar_core::types::ElementType;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// A program that can be run on the virtual device.
#[derive(Debug)]
pub struct Program {
    written: Compilation,
    transformed: Compilation,
    pub(crate) precision: ElementType,
}

/// The compiler rejected the program. Displays its messages with source excerpts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected(String);

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Rejected {}

/// Inputs of the compilation besides the text.
struct Given<'a> {
    settings: Settings,
    provider: &'a dyn SourceProvider,
    command_line: bool,
    definitions: &'a [String],
}

impl Program {
    /// A program in a string, which messages call `name`. It can import library modules only.
    ///
    /// # Errors
    /// The compiler's messages.
    pub fn from_text(name: &str, text: &str) -> Result<Program, Rejected> {
        let given = Given {
            settings: Settings::default(),
            provider: &NoImports,
            command_line: false,
            definitions: &[],
        };
        Program::compile(name, text, &given)
    }

    /// A program in a file, which can import files beside it.
    ///
    /// # Errors
    /// The file cannot be read, or the compiler's messages.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Program, Rejected> {
        Program::load(path.as_ref(), Settings::default(), Vec::new(), false, &[])
    }

    /// As [`Program::from_file`], in double precision.
    ///
    /// # Errors
    /// The file cannot be read, or the compiler's messages.
    pub fn from_file_in_double_precision(path: impl AsRef<Path>) -> Result<Program, Rejected> {
        let settings = Settings { precision: ElementType::Double, ..Settings::default() };
        Program::load(path.as_ref(), settings, Vec::new(), false, &[])
    }

    /// A program in a file whose `main` gets command-line arguments, with an import search path. The definitions, each
    /// of the form `NAME = value`, override constants of the program and settings.
    ///
    /// # Errors
    /// The file cannot be read, or the compiler's messages.
    pub fn for_command_line(
        path: &Path,
        settings: Settings,
        folders: Vec<std::path::PathBuf>,
        definitions: &[String],
    ) -> Result<Program, Rejected> {
        Program::load(path, settings, folders, true, definitions)
    }

    fn load(
        path: &Path,
        settings: Settings,
        folders: Vec<std::path::PathBuf>,
        command_line: bool,
        definitions: &[String],
    ) -> Result<Program, Rejected> {
        let text = quasar_files::read::text(path)
            .map_err(|error| Rejected(format!("Error: {}: {error}", path.display())))?;
        let provider = SearchPath { folders, read: quasar_files::read::module };
        Program::compile(
            &path.to_string_lossy(),
            &text,
            &Given { settings, provider: &provider, command_line, definitions },
        )
    }

    fn compile(name: &str, text: &str, given: &Given<'_>) -> Result<Program, Rejected> {
        let compile = |optimise| {
            let options = Options {
                optimise,
                settings: given.settings.clone(),
                command_line: given.command_line,
                definitions: given.definitions.to_vec(),
                ..Options::default()
            };
            let compilation = driver::compile(name, text, given.provider, &options);
            if compilation.program.is_some() {
                return Ok(compilation);
            }
            let errors: Vec<_> =
                compilation.messages.iter().filter(|m| m.category.is_error()).cloned().collect();
            Err(Rejected(render::snippets(&errors, &compilation.sources, Style::Plain)))
        };
        let written = compile(false)?;
        let precision = written.settings.precision;
        Ok(Program { written, transformed: compile(true)?, precision })
    }

    /// The source texts of the program.
    pub(crate) fn sources(&self) -> &SourceMap {
        &self.written.sources
    }

    /// The program as written or after the transforms.
    pub(crate) fn form(&self, transformed: bool) -> Option<&quasar_core::ir::Program> {
        let compilation = if transformed { &self.transformed } else { &self.written };
        compilation.program.as_ref()
    }

    /// Whether the transforms generated kernels that do not exist in the program as written.
    pub(crate) fn has_made_kernels(&self) -> bool {
        let names = |transformed: bool| {
            let kernels = self.form(transformed).map(|program| &program.kernels);
            kernels.into_iter().flat_map(|kernels| kernels.iter()).map(|(_, kernel)| kernel.name.as_str())
        };
        let written: BTreeSet<&str> = names(false).collect();
        names(true).any(|name| !written.contains(name))
    }
}
