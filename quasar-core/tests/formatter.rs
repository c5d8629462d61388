//! The formatter over every program of the repository and over programs whose layout was destroyed: the tree and the comments stay, and
//! formatting twice changes nothing.

use quasar_core::message::Sink;
use quasar_core::source::FileId;
use quasar_core::syntax::ast::{Module, NodeIds};
use quasar_core::syntax::formatter::format;
use quasar_core::syntax::lexer::{comments, lex_lines};
use quasar_core::syntax::{ParseOptions, parse, print};
use std::fs;
use std::path::{Path, PathBuf};

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "q") {
            found.push(path);
        }
    }
}

fn all() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in ["tests", "quasar-core", "examples", "benches", "quasar-emulator"] {
        programs(&root.join(folder), &mut found);
    }
    found.sort();
    assert!(found.len() > 300, "the programs were not found: {}", found.len());
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

fn tree(text: &str) -> Option<Module> {
    let mut sink = Sink::default();
    let module = parse(FileId(0), text, &mut NodeIds::default(), &mut sink);
    (!sink.has_errors()).then_some(module)
}

fn comments_of(text: &str) -> Vec<String> {
    let tokens = lex_lines(FileId(0), text, ParseOptions::default(), &mut Sink::default());
    comments(text, &tokens)
        .iter()
        .map(|(s, e)| text[*s as usize..*e as usize].trim_end().to_string())
        .collect()
}

/// The text with all indentation gone, or with blanks before signs.
fn messy(text: &str, seed: usize) -> String {
    let lines = text.lines().enumerate().map(|(k, line)| match (k + seed) % 3 {
        0 => line.trim_start().to_string(),
        1 => format!("\t {}  ", line.trim_end()),
        _ => line.to_string(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_program_keeps_its_tree_and_its_comments() {
    let (mut formatted, mut changed, mut wrong) = (0, 0, Vec::new());
    for (path, original) in all() {
        for text in [original.clone(), messy(&original, 0), messy(&original, 1)] {
            let Some(before) = tree(&text) else {
                assert!(format(&text).is_err(), "{}: errors, yet formatted", path.display());
                continue;
            };
            let Ok(once) = format(&text) else {
                wrong.push(format!("{}: refused", path.display()));
                continue;
            };
            let Some(after) = tree(&once) else {
                wrong.push(format!("{}: the formatted text has errors", path.display()));
                continue;
            };
            formatted += 1;
            changed += usize::from(once != text);
            if print(&before) != print(&after) {
                wrong.push(format!("{}: another tree", path.display()));
            }
            if comments_of(&text) != comments_of(&once) {
                wrong.push(format!("{}: other comments", path.display()));
            }
            if format(&once).ok().as_deref() != Some(&once) {
                wrong.push(format!("{}: not idempotent", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(formatted > 900 && changed > 600, "{formatted} formatted, {changed} changed");
}
