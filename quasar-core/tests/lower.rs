//! The cases in `tests/lower/*.test`: a text, then `--- ir` or `--- messages` and what is expected.
//!
//! `UPDATE_EXPECT=1 cargo test -p quasar-core --test lower` writes what was found; review the difference.

use std::fs;
use std::path::{Path, PathBuf};

use quasar_core::driver::{Options, compile};
use quasar_core::ir::print;
use quasar_core::message::render::line;
use quasar_core::source::NoImports;

/// The program as lowering makes it, or the messages.
fn found(text: &str) -> (&'static str, String) {
    let options = Options { optimise: false, verify: true, ..Options::default() };
    let compilation = compile("test.q", text, &NoImports, &options);
    match &compilation.program {
        Some(program) => ("ir", print::program(program)),
        None => {
            let errors = compilation.messages.iter().filter(|message| message.category.is_error());
            let lines: Vec<String> = errors.map(|message| line(message, &compilation.sources)).collect();
            ("messages", lines.join("\n") + "\n")
        }
    }
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower");
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut cases: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "test")).collect();
    cases.sort();
    assert!(cases.len() > 20, "the cases were not found");
    cases
}

#[test]
fn all_cases() {
    let mut failures = Vec::new();
    for path in cases() {
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        let case = fs::read_to_string(&path).unwrap();
        let text = case.find("--- ").map_or(case.as_str(), |at| &case[..at]);
        let (kind, found) = found(text);
        let whole = format!("{text}--- {kind}\n{found}");
        if whole == case {
            continue;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, whole).unwrap();
        } else {
            failures.push(format!("{name}: found\n{found}"));
        }
    }
    assert!(failures.is_empty(), "{} cases failed\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn optimised_programs_are_valid() {
    for path in cases() {
        let case = fs::read_to_string(&path).unwrap();
        let text = case.find("--- ").map_or(case.as_str(), |at| &case[..at]);
        let options = Options { verify: true, ..Options::default() };
        let compilation = compile("test.q", text, &NoImports, &options);
        let bug = compilation.messages.iter().find(|message| message.code.0 == "Q0599");
        assert!(bug.is_none(), "{}: {:?}", path.display(), bug.map(|bug| &bug.text));
    }
}
