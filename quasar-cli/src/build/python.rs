//! The Python side of a library: a module with a function for each function of the program, and its stubs. What they do together
//! stands in `python/calls.py`, which goes into the package as it is.

use super::Library;
use super::elements::names;
use super::exports::{Export, Item, Kind};

/// The file that all packages have.
pub(super) const CALLS: &str = include_str!("python/calls.py");

/// `__init__.py`
pub(super) fn module(library: &Library, file_name: &str) -> String {
    let name = &library.name;
    let mut text = format!(
        "{}\n\nfrom . import _calls\nfrom ._calls import Error\n\n_library = _calls.Library(\"{file_name}\", \"{name}\")\n\n\n\
         def set_setting(name, value):\n    \"\"\"Changes a setting of the run-time system, such as RUNTIME_HOST_POOLSIZE.\"\"\"\n    \
         _library.set(name, value)\n",
        quoted(&format!("Functions of {}.", library.source))
    );
    for export in &library.exports {
        let python = python_name(export);
        let items = |items: &[Item]| -> String {
            items.iter().map(|item| format!("{}, ", described(item))).collect()
        };
        let params: Vec<&str> = export.params.iter().map(|item| item.name.as_str()).collect();
        let params = params.join(", ");
        text.push_str(&format!(
            "\n\n_{name} = _library.function(\"{c_name}\", ({}), ({}))\n\n\ndef {python}({params}):\n    {}\n    return _{name}({params})\n",
            items(&export.params),
            items(&export.results),
            quoted(&export.doc),
            name = export.name,
            c_name = export.c_name,
        ));
    }
    text
}

/// `__init__.pyi`
pub(super) fn stubs(library: &Library) -> String {
    let mut text = "import numpy\nfrom numpy.typing import NDArray\n\nclass Error(RuntimeError): ...\n\n\
                    def set_setting(name: str, value: object) -> None: ...\n"
        .to_owned();
    for export in &library.exports {
        let params: Vec<String> =
            export.params.iter().map(|item| format!("{}: {}", item.name, hint(item.kind))).collect();
        let results: Vec<String> = export.results.iter().map(|item| hint(item.kind)).collect();
        let result = match results.as_slice() {
            [] => "None".to_owned(),
            [one] => one.clone(),
            all => format!("tuple[{}]", all.join(", ")),
        };
        text.push_str(&format!("def {}({}) -> {result}: ...\n", python_name(export), params.join(", ")));
    }
    text
}

/// The name of a function, which must not be that of something else in the module.
fn python_name(export: &Export) -> String {
    let name = &export.name;
    let taken = is_keyword(name) || name.starts_with('_') || matches!(name.as_str(), "Error" | "set_setting");
    if taken { format!("{}_", name.trim_start_matches('_')) } else { name.clone() }
}

fn described(Item { name, kind }: &Item) -> String {
    match kind {
        Kind::Number(element) => format!("_calls.Number(\"{name}\", \"{}\")", names(*element).array),
        Kind::Array(element) => format!("_calls.Array(\"{name}\", \"{}\")", names(*element).array),
        Kind::Text => format!("_calls.Text(\"{name}\")"),
    }
}

fn hint(kind: Kind) -> String {
    match kind {
        Kind::Number(element) => names(element).python.to_owned(),
        Kind::Array(element) => format!("NDArray[numpy.{}]", names(element).numpy),
        Kind::Text => "str".to_owned(),
    }
}

/// A text as a literal of several lines.
fn quoted(text: &str) -> String {
    format!(
        "\"\"\"{}\"\"\"",
        text.trim_end().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\n    ")
    )
    .replace("    \n", "\n")
}

/// Whether Python keeps a name for itself.
pub(super) fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
        "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in",
        "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    KEYWORDS.contains(&name)
}
