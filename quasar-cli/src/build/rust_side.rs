//! The functions of a library for C, in Rust: macros of the run-time system make them around the functions of the program.

use super::Library;
use super::elements::names;
use super::exports::{Export, Item, Kind};
use std::fmt::Write;

/// The root file of the crate, behind the program.
pub(super) fn print(library: &Library) -> String {
    let name = &library.name;
    let mut text =
        format!("use quasar::abi::foreign;\n\nforeign::library!({name}_error {name}_free {name}_set);\n");
    for export in &library.exports {
        function(&mut text, name, export);
    }
    text
}

fn function(text: &mut String, library: &str, export: &Export) {
    let params =
        export.params.iter().map(|item @ Item { name, .. }| format!("\"{name}\" p_{name}: {}", ty(item)));
    let results = export
        .results
        .iter()
        .map(|item @ Item { name, .. }| format!("\"{name}\" r_{name} v_{name}: {}", ty(item)));
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\nforeign::function! {{\n    {library}_{} = program::r#{};\n    {};\n    {}\n}}",
        export.c_name,
        export.name,
        params.collect::<Vec<_>>().join(", "),
        results.collect::<Vec<_>>().join(", "),
    );
}

/// What stands for a type of parameters and results.
fn ty(item: &Item) -> String {
    match item.kind {
        Kind::Number(element) => format!("foreign::Number<{}>", names(element).rust),
        Kind::Array(element) => format!("foreign::Elements<{}>", names(element).rust),
        Kind::Text => "foreign::Letters".to_owned(),
    }
}
