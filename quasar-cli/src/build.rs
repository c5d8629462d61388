//! `quasar build`: makes libraries of programs, for C (a shared library and a header) and for Python (a wheel).

mod c_header;
mod elements;
mod exports;
mod python;
mod rust_side;
mod wheel;

use crate::arguments::{Building, Options};
use crate::compiled_crate::{self, Kind, Wanted};
use crate::tune::tuned;
use crate::{load, output};
use exports::Export;
use quasar_core::message::render::{self, Style};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
pub(crate) use wheel::version;

/// A library that is to be printed.
struct Library {
    /// Its name, with which all names in C begin.
    name: String,
    /// The file name of its program.
    source: String,
    exports: Vec<Export>,
}

/// `quasar build`
pub(crate) fn build(file: &Path, building: &Building, options: &Options) -> Result<(), String> {
    if crate::fmt::is_stream(file) {
        return Err("Error: `quasar build` makes libraries of files: write the program into one".to_owned());
    }
    let name = library_name(file, building)?;
    let options = &tuned::applied(file, options, &engine_of_builds())?;
    let compilation = load::compile(file, options, true)?;
    let (exports, left_out) = exports::of(&compilation);
    let style = if std::io::stderr().is_terminal() { Style::Coloured } else { Style::Plain };
    for message in &left_out {
        output::complain(&render::snippet(message, &compilation.sources, style));
    }
    if exports.is_empty() {
        return Err(format!(
            "Error: {}: there is no function for a library: it would have those whose parameters have types, as in `x : mat`",
            file.display()
        ));
    }
    let source = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let library = Library { name, source, exports };
    let module = compiled_crate::module(file, "", &compilation, &options.definitions)?;
    let source = format!("{module}{}", rust_side::print(&library));
    let built = compiled_crate::built(&Wanted {
        file,
        compilation: &compilation,
        definitions: &options.definitions,
        kind: Kind::Library,
        source: &source,
    })?;
    let binary = std::fs::read(&built).map_err(|error| format!("{}: {error}", built.display()))?;
    let folder = &building.output;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file_name = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", library.name);
    if building.c {
        write(folder.join(format!("{}.h", library.name)), c_header::print(&library).as_bytes())?;
        write(folder.join(&file_name), &binary)?;
    }
    if building.python {
        let wheel = wheel::make(&library, &building.version, &file_name, &binary)?;
        write(folder.join(wheel.name), &wheel.bytes)?;
    }
    Ok(())
}

/// The engine whose tuned values libraries get: where they run is not known yet.
fn engine_of_builds() -> String {
    let named = std::env::var("QUASAR_DEVICE").unwrap_or_default();
    if named.starts_with("cuda") || named.starts_with("opencl") { named } else { "cpu".to_owned() }
}

fn write(path: PathBuf, bytes: &[u8]) -> Result<(), String> {
    quasar_files::replace::replace(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    output::line(&path.display().to_string())
}

/// The name of the library: that of the file, or another one that the user chose.
fn library_name(file: &Path, building: &Building) -> Result<String, String> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = building.name.as_deref().unwrap_or(&stem);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name || (building.python && python::is_keyword(name)) {
        return Err(format!(
            "Error: a library has a name of letters, digits and underscores, and '{name}' is none that its users can write: \
             give it one with --name"
        ));
    }
    Ok(name.to_owned())
}
