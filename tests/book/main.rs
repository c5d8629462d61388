//! The book in `docs/book`: every example does what the text below it says, on the interpreter as written and after the
//! transforms; every rule has a row in `rules.txt`; the pages that are made of tables are up to date; all links lead somewhere.
//!
//! A block that begins with `quasar` is a program, and the block `text` behind it is what it prints. Behind `quasar,error`,
//! `quasar,warned` and `quasar,emulate` stands a part of what the compiler says of it, or the emulator.
//! `UPDATE_EXPECT=1` writes these texts and pages; read whether they are right.

mod examples;
mod modules;
mod pages;
mod recipes;
mod rules;
#[path = "../tables/tests.rs"]
mod tests;
mod tutorial;

use std::fs;
use std::path::{Path, PathBuf};

/// The chapters that people write, one test each.
macro_rules! chapters {
    ($($name:ident)*) => {
        const CHAPTERS: &[&str] = &[$(stringify!($name)),*];
        mod chapters {
            $(#[test]
            fn $name() {
                crate::examples::check(stringify!($name));
            })*
        }
    };
}

chapters! {
    introduction first_filter tour lexical types classes expressions statements generics parallelism attributes logic rewriting
    cookbook faq
    runtime library larger libraries figures gallery messages migration emulator tools playground performance profiler checks_and_tuning cluster
    promises
}

/// The pages that are written from tables.
const PAGES: &[&str] = &["functions", "settings", "codes", "rules"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn file(chapter: &str) -> PathBuf {
    root().join("docs/book/src").join(format!("{chapter}.md"))
}

fn text(chapter: &str) -> String {
    fs::read_to_string(file(chapter)).unwrap_or_else(|error| panic!("{chapter}.md: {error}"))
}

fn updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

/// Compares a page with what it should be, or writes it.
fn page_is(chapter: &str, expected: &str) {
    let found = fs::read_to_string(file(chapter)).unwrap_or_default();
    if updating() && found != expected {
        return fs::write(file(chapter), expected).expect("the page can be written");
    }
    assert!(
        found == expected,
        "docs/book/src/{chapter}.md is out of date: run this test with UPDATE_EXPECT=1"
    );
}

/// The targets of the links in a text, without those to other sites.
fn links(text: &str) -> Vec<&str> {
    let behind = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    behind.filter(|link| !link.contains("://") && !link.contains(' ')).collect()
}

/// Text outside of code, where brackets are links.
fn prose(text: &str) -> String {
    let mut code = false;
    let mut result = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            code = !code;
        } else if !code {
            // What stands between an even and the next odd back-tick is prose.
            line.split('`').step_by(2).for_each(|part| result.push_str(part));
            result.push('\n');
        }
    }
    result
}

#[test]
fn the_summary_names_all_chapters() {
    let summary = text("SUMMARY");
    let mut named: Vec<String> =
        links(&summary).iter().map(|link| link.trim_end_matches(".md").into()).collect();
    let mut expected: Vec<String> = CHAPTERS.iter().chain(PAGES).map(ToString::to_string).collect();
    let files = fs::read_dir(root().join("docs/book/src")).expect("the folder of the book").flatten();
    let mut found: Vec<String> = files
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".md")?.to_string()))
        .filter(|name| name != "SUMMARY")
        .collect();
    named.sort();
    expected.sort();
    found.sort();
    assert_eq!(named, expected, "SUMMARY.md against the chapters that are tested");
    assert_eq!(found, expected, "the files against the chapters that are tested");
}

#[test]
fn links_lead_to_files_and_rules() {
    if updating() {
        // Other tests are writing the pages.
        return;
    }
    for chapter in CHAPTERS.iter().chain(PAGES) {
        let text = text(chapter);
        for link in links(&prose(&text)) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { file(chapter) } else { file(chapter).with_file_name(path) };
            assert!(target.is_file(), "{chapter}.md: there is no file {link}");
            // Anchors with a point are those of rules; others are made of headings.
            if anchor.contains('.') {
                let there = fs::read_to_string(&target).unwrap_or_default();
                assert!(
                    there.contains(&format!("id=\"{anchor}\"")),
                    "{chapter}.md: there is no place {link}"
                );
            }
        }
    }
}

/// The files below a folder with such an ending.
fn exists(path: &str) -> bool {
    Path::is_file(&root().join(path))
}
