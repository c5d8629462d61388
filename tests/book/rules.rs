//! The rules of the language: each has a name at the paragraph that states it, a row in `rules.txt`, and tests.

use crate::{CHAPTERS, exists, page_is, root, tests, text};
use std::collections::BTreeMap;
use std::fmt::Write;

struct Row {
    id: String,
    says: String,
    tests: Vec<String>,
}

fn rows() -> Vec<Row> {
    let lines = tests::rows(&root(), "docs/book/rules.txt");
    lines
        .iter()
        .map(|line| {
            let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let [id, says, tests] = cells[..] else { panic!("three columns are needed: {line}") };
            let tests = tests.split_whitespace().filter(|test| *test != "none").map(tests::path).collect();
            Row { id: id.to_string(), says: says.to_string(), tests }
        })
        .collect()
}

/// The rules that chapters state, in order, with their chapters.
fn stated() -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for chapter in CHAPTERS {
        let text = text(chapter);
        let ids = text.split("<small id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
        for (id, rest) in ids {
            assert!(
                rest.starts_with(&format!(">[{id}]<")),
                "{chapter}.md: the anchor and the name of {id} differ"
            );
            found.push((id.to_string(), *chapter));
        }
    }
    found
}

#[test]
fn each_rule_of_the_book_has_one_row() {
    let mut stated: Vec<String> = stated().into_iter().map(|(id, _)| id).collect();
    let mut listed: Vec<String> = rows().into_iter().map(|row| row.id).collect();
    stated.sort();
    listed.sort();
    let missing: Vec<&String> = stated.iter().filter(|id| listed.binary_search(id).is_err()).collect();
    let unknown: Vec<&String> = listed.iter().filter(|id| stated.binary_search(id).is_err()).collect();
    assert!(missing.is_empty(), "these have no row in rules.txt: {missing:?}");
    assert!(unknown.is_empty(), "no chapter states these: {unknown:?}");
    let twice =
        |ids: &[String]| ids.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0].clone()).collect::<Vec<_>>();
    assert!(twice(&stated).is_empty(), "stated twice: {:?}", twice(&stated));
    assert!(twice(&listed).is_empty(), "listed twice: {:?}", twice(&listed));
}

#[test]
fn rules_name_tests_that_exist() {
    for row in rows() {
        for test in &row.tests {
            assert!(exists(test), "{}: there is no file {test}", row.id);
            if let Some(stem) = test.strip_prefix("tests/programs/").and_then(|name| name.strip_suffix(".q"))
            {
                let expected = format!("tests/programs/{stem}.expected");
                assert!(exists(&expected), "{}: {test} expects nothing", row.id);
            }
        }
    }
}

#[test]
fn the_page_of_rules_is_up_to_date() {
    page_is("rules", &page());
}

fn page() -> String {
    let rows: BTreeMap<String, Row> = rows().into_iter().map(|row| (row.id.clone(), row)).collect();
    let shown = rows.values().filter(|row| !row.tests.is_empty()).count();
    let mut page = String::from(
        "# Index of rules\n\nWritten from `docs/book/rules.txt` by the test `book`; change that file.\n\n",
    );
    writeln!(page, "The book states {} rules; tests show {shown} of them.", rows.len()).unwrap();
    let mut last = "";
    for (id, chapter) in stated() {
        let Some(row) = rows.get(&id) else { continue };
        if last != chapter {
            let title = text(chapter).lines().next().unwrap_or_default().trim_start_matches("# ").to_string();
            writeln!(page, "\n## {title}\n\n| rule | what it says | shown by |\n|---|---|---|").unwrap();
            last = chapter;
        }
        let tests: Vec<String> = row.tests.iter().map(|test| link(test)).collect();
        let tests = if tests.is_empty() { "no test yet".into() } else { tests.join(", ") };
        writeln!(page, "| [{id}]({chapter}.md#{id}) | {} | {tests} |", row.says.replace('|', r"\|")).unwrap();
    }
    page
}

fn link(test: &str) -> String {
    let name = test.rsplit('/').next().unwrap_or(test);
    let name = name.trim_end_matches(".q").trim_end_matches(".test");
    format!("[{name}](../../../{test})")
}
