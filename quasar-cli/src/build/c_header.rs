//! The header of a library for C and C++.

use super::Library;
use super::elements::names;
use super::exports::{Export, Item, Kind};
use quasar_core::types::ElementType;
use std::fmt::Write;

/// What all libraries have in common. Programs may include the headers of several.
const COMMON: &str = include_str!("common.h");

pub(super) fn print(library: &Library) -> String {
    let name = &library.name;
    let guard = format!("{}_H", name.to_uppercase());
    let mut text = format!(
        "/* Functions of {source}, written by `quasar build`. */\n\n#ifndef {guard}\n#define {guard}\n\n{}\n#ifdef __cplusplus\nextern \"C\" \
         {{\n#endif\n\n\
         /* Why the last call on this thread failed; empty if it did not. It stays until the next call. */\n\
         const char *{name}_error(void);\n\n\
         /* Frees a result, by its `owner`; nothing where that is null. */\n\
         void {name}_free(void *owner);\n\n\
         /* Changes a setting of the run-time system, such as RUNTIME_HOST_POOLSIZE. */\n\
         int32_t {name}_set(const char *name, const char *value);\n",
        common(),
        source = library.source.replace("*/", "* /"),
    );
    for export in &library.exports {
        function(&mut text, name, export);
    }
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    text
}

fn common() -> String {
    let structures = ElementType::ALL.iter().map(|element| {
        let names = names(*element);
        format!("QUASAR_ARRAY_({}, quasar_{});\n", names.c, names.array)
    });
    COMMON.replace("@ARRAYS@\n", &structures.collect::<String>())
}

fn function(text: &mut String, library: &str, export: &Export) {
    let doc = export.doc.replace("*/", "* /");
    let params = export.params.iter().map(parameter);
    let list: Vec<String> = params.chain(export.results.iter().map(result)).collect();
    let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\n/* {} */\nint32_t {library}_{}({list});\n",
        doc.trim_end().replace('\n', "\n   ").replace("   \n", "\n"),
        export.c_name
    );
}

fn parameter(Item { name, kind }: &Item) -> String {
    match kind {
        Kind::Number(element) => format!("{} {name}", names(*element).c),
        Kind::Array(element) => format!("const quasar_{} *{name}", names(*element).array),
        Kind::Text => format!("const char *{name}"),
    }
}

fn result(Item { name, kind }: &Item) -> String {
    match kind {
        Kind::Number(element) => format!("{} *{name}", names(*element).c),
        Kind::Array(element) => format!("quasar_{} *{name}", names(*element).array),
        Kind::Text => format!("quasar_text *{name}"),
    }
}
