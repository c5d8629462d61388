//! The support table: `docs/support.txt` has a line for every feature of the language, names tests that exist, and is what
//! `docs/support.md` shows. `UPDATE_EXPECT=1` writes the page.

#[path = "tables/tests.rs"]
mod tests;

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The features of the language: the letter of a group, its title, and how many there are.
const GROUPS: &[(char, &str, usize)] = &[
    ('L', "Language and types", 73),
    ('K', "Kernels and parallelism", 30),
    ('M', "Compile-time logic", 21),
    ('T', "Transforms and code generation", 21),
    ('R', "Run time", 20),
    ('B', "Library", 19),
    ('D', "Tools", 10),
    ('P', "Performance figures", 21),
    ('E', "Embedding", 2),
];

const STATES: &[(&str, &str)] = &[
    ("supported", "passing tests show it"),
    ("partly", "passing tests show a part of it; the last column says what is missing"),
    ("refused", "the compiler says at the place that it is not supported, or has no effect, yet"),
    ("absent", "there is nothing yet, and no syntax that could be refused; or no test shows it"),
];

struct Row {
    id: String,
    name: String,
    state: String,
    tests: Vec<String>,
    note: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rows() -> Vec<Row> {
    let lines = tests::rows(&root(), "docs/support.txt");
    lines
        .iter()
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let [id, name, state, tests, note] = cells[..] else { panic!("five columns are needed: {line}") };
            Row {
                id: id.to_string(),
                name: name.to_string(),
                state: state.to_string(),
                tests: tests.split_whitespace().map(tests::path).collect(),
                note: note.to_string(),
            }
        })
        .collect()
}

fn expected_ids() -> Vec<String> {
    let group = |(letter, _, count): &(char, &str, usize)| {
        let letter = *letter;
        (1..=*count).map(move |k| format!("{letter}-{k:03}"))
    };
    GROUPS.iter().flat_map(group).collect()
}

fn page(rows: &[Row]) -> String {
    let mut text = String::from(
        "# What is supported\n\nWritten from `support.txt` by the test `support_table`; change that file.\n\n",
    );
    for (state, meaning) in STATES {
        let count = rows.iter().filter(|row| row.state == *state).count();
        writeln!(text, "* **{state}** ({count}): {meaning}.").unwrap();
    }
    for (letter, title, _) in GROUPS {
        writeln!(text, "\n## {title}\n\n| id | feature | state | tests | remarks |\n|---|---|---|---|---|")
            .unwrap();
        for row in rows.iter().filter(|row| row.id.starts_with(*letter)) {
            let tests: Vec<String> = row.tests.iter().map(|test| link(test)).collect();
            let tests = tests.join(", ");
            writeln!(text, "| {} | {} | {} | {tests} | {} |", row.id, row.name, row.state, row.note).unwrap();
        }
    }
    text
}

fn link(test: &str) -> String {
    let name = Path::new(test).file_stem().map_or(test.into(), |name| name.to_string_lossy());
    format!("[{name}](../{test})")
}

#[test]
fn every_feature_has_one_row_in_order() {
    let found: Vec<String> = rows().into_iter().map(|row| row.id).collect();
    let mut seen = HashSet::new();
    let twice: Vec<&String> = found.iter().filter(|id| !seen.insert(*id)).collect();
    assert!(twice.is_empty(), "there are several rows for {twice:?}");
    assert_eq!(found, expected_ids());
}

#[test]
fn rows_name_tests_that_exist() {
    for row in rows() {
        assert!(STATES.iter().any(|(state, _)| *state == row.state), "{}: no state '{}'", row.id, row.state);
        assert_eq!(
            row.state == "absent",
            row.tests.is_empty(),
            "{}: all states but 'absent' need tests",
            row.id
        );
        assert!(row.state != "partly" || !row.note.is_empty(), "{}: say what is missing", row.id);
        for test in &row.tests {
            let file = root().join(test);
            assert!(file.is_file(), "{}: there is no file {test}", row.id);
            if test.starts_with("tests/programs/") {
                assert!(file.with_extension("expected").is_file(), "{}: {test} expects nothing", row.id);
            }
        }
    }
}

/// The compiler's refusal of what is 'refused' stands in a message test of the row.
#[test]
fn refusals_are_shown() {
    for row in rows().iter().filter(|row| row.state == "refused") {
        let shown = row.tests.iter().any(|test| {
            let text = fs::read_to_string(root().join(test)).unwrap_or_default();
            test.contains("/messages/") && (text.contains("Q0001") || text.contains("Q0502"))
        });
        assert!(shown, "{}: no message test shows the refusal", row.id);
    }
}

#[test]
fn the_page_shows_the_table() {
    let (file, expected) = (root().join("docs/support.md"), page(&rows()));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, &expected).expect("docs/support.md can be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "docs/support.md is out of date: run this test with UPDATE_EXPECT=1");
}
