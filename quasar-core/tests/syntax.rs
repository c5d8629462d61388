//! The cases in `tests/syntax/*.test`: a text, then `--- printed` or `--- messages` and what is expected.
//!
//! `UPDATE_EXPECT=1 cargo test -p quasar-core --test syntax` writes what was found; review the difference.

use std::fs;
use std::path::{Path, PathBuf};

use quasar_core::message::Sink;
use quasar_core::message::render::{Style, snippets};
use quasar_core::source::SourceMap;
use quasar_core::syntax::ast::{Module, NodeIds};
use quasar_core::syntax::compare::same_module;
use quasar_core::syntax::{parse, print};

fn read(text: &str) -> (Module, String) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.q", text);
    let mut sink = Sink::default();
    let module = parse(file, text, &mut NodeIds::default(), &mut sink);
    (module, snippets(&sink.into_sorted(), &sources, Style::Plain))
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax");
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut cases: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "test")).collect();
    cases.sort();
    assert!(cases.len() > 40, "the cases were not found");
    cases
}

/// Splits a case into the text, the kind of expectation and the expectation.
fn split(case: &str) -> Option<(&str, &str, &str)> {
    let at = case.find("--- ")?;
    let (heading, expected) = case[at..].split_once('\n').unwrap_or((&case[at..], ""));
    Some((&case[..at], &heading[4..], expected))
}

fn found(text: &str, kind: &str) -> Result<String, String> {
    let (module, messages) = read(text);
    if kind == "messages" {
        return Ok(messages);
    }
    if !messages.is_empty() {
        return Err(format!("unexpected messages:\n{messages}"));
    }
    let printed = print(&module);
    let (again, messages) = read(&printed);
    if !messages.is_empty() || !same_module(&module, &again) {
        return Err(format!("the printed text is read differently:\n{printed}\n{messages}"));
    }
    Ok(printed)
}

#[test]
fn all_cases() {
    let mut failures = Vec::new();
    for path in cases() {
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        let case = fs::read_to_string(&path).unwrap();
        let Some((text, kind, expected)) = split(&case) else {
            failures.push(format!("{name}: no `--- printed` or `--- messages`"));
            continue;
        };
        match found(text, kind) {
            Ok(found) if found == expected => {}
            Ok(found) if std::env::var_os("UPDATE_EXPECT").is_some() => {
                fs::write(&path, format!("{text}--- {kind}\n{found}")).unwrap();
            }
            Ok(found) => failures.push(format!("{name}: expected\n{expected}\nfound\n{found}")),
            Err(failure) => failures.push(format!("{name}: {failure}")),
        }
    }
    assert!(failures.is_empty(), "{} cases failed\n{}", failures.len(), failures.join("\n\n"));
}
