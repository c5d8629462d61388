//! The functions of a library for C, in Rust: they take and give the structures of `quasar::abi::foreign` and call the functions of
//! the program.

use super::Library;
use super::elements::names;
use super::exports::{Export, Item, Kind};
use std::fmt::Write;

/// The root file of the crate, behind the program.
pub(super) fn print(library: &Library) -> String {
    let name = &library.name;
    let mut text = format!(
        "use quasar::abi::foreign;\nuse std::ffi::{{c_char, c_void}};\n\n\
         #[unsafe(no_mangle)]\npub extern \"C\" fn {name}_error() -> *const c_char {{\n    foreign::message()\n}}\n\n\
         #[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {name}_free(owner: *mut c_void) {{\n    unsafe {{ foreign::free(owner) }}\n}}\n\n\
         #[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {name}_set(name: *const c_char, value: *const c_char) -> i32 {{\n    \
         unsafe {{ foreign::set(name, value) }}\n}}\n"
    );
    for export in &library.exports {
        function(&mut text, name, export);
    }
    text
}

fn function(text: &mut String, library: &str, export: &Export) {
    let params = export.params.iter().map(|item| format!("p_{}: {}", item.name, parameter(item)));
    let outputs = export.results.iter().map(|item| format!("r_{}: *mut {}", item.name, result(item)));
    let list: Vec<String> = params.chain(outputs).collect();
    let mut line = |line: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    };
    line("\n#[allow(clippy::too_many_arguments)]\n#[unsafe(no_mangle)]");
    line(&format!("pub unsafe extern \"C\" fn {library}_{}({}) -> i32 {{", export.c_name, list.join(", ")));
    line("    foreign::call(|lent| {");
    for Item { name, .. } in &export.results {
        line(&format!("        let r_{name} = unsafe {{ foreign::Output::new(\"{name}\", r_{name}) }}?;"));
    }
    for Item { name, kind } in &export.params {
        match kind {
            Kind::Number(_) => {}
            Kind::Array(_) => {
                line(&format!("        let p_{name} = unsafe {{ lent.array(\"{name}\", p_{name}) }}?;"));
            }
            Kind::Text => {
                line(&format!("        let p_{name} = unsafe {{ foreign::text(\"{name}\", p_{name}) }}?;"))
            }
        }
    }
    let args = export.params.iter().map(|Item { name, kind }| match kind {
        Kind::Number(_) => format!("p_{name}"),
        Kind::Array(_) | Kind::Text => format!("&p_{name}"),
    });
    let args = args.collect::<Vec<_>>().join(", ");
    line(&format!("        let result = program::r#{}({args});", export.name));
    for Item { name, .. } in export.params.iter().filter(|item| matches!(item.kind, Kind::Array(_))) {
        line(&format!("        drop(p_{name});"));
    }
    line("        lent.end()?;");
    let results: Vec<String> = export.results.iter().map(|item| format!("v_{}", item.name)).collect();
    let pattern = match results.as_slice() {
        [one] => one.clone(),
        all => format!("({})", all.join(", ")),
    };
    line(&format!("        let {pattern} = result?;"));
    // What can fail comes first, so that a call that fails gives nothing.
    for Item { name, .. } in export.results.iter().filter(|item| matches!(item.kind, Kind::Array(_))) {
        line(&format!("        let v_{name} = foreign::given(v_{name})?;"));
    }
    for Item { name, .. } in &export.results {
        line(&format!("        r_{name}.set(v_{name});"));
    }
    line("        Ok(())\n    })\n}");
}

fn parameter(item: &Item) -> String {
    match item.kind {
        Kind::Number(element) => names(element).rust.to_owned(),
        Kind::Array(element) => format!("*const foreign::Descriptor<{}>", names(element).rust),
        Kind::Text => "*const c_char".to_owned(),
    }
}

fn result(item: &Item) -> String {
    match item.kind {
        Kind::Number(element) => names(element).rust.to_owned(),
        Kind::Array(element) => format!("foreign::Descriptor<{}>", names(element).rust),
        Kind::Text => "foreign::OwnedText".to_owned(),
    }
}
