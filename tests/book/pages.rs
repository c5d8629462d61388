//! Pages that are made of tables of the program: the functions of the library, the settings, the codes of messages.

use crate::page_is;
use quasar::settings;
use quasar_core::builtins::{self, Availability, Entry};
use quasar_core::message::explain::explanations;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

#[test]
fn the_page_of_functions_is_up_to_date() {
    let mut rows: BTreeMap<(String, &str), Vec<&Entry>> = BTreeMap::new();
    for entry in builtins::entries().filter(|entry| !entry.builtin.name.starts_with('$')) {
        let name = entry.builtin.name;
        rows.entry((name.to_lowercase(), name)).or_default().push(entry);
    }
    let mut page = String::from(
        "# Table of functions\n\nWritten from the compiler's own table by the test `book`. *Where* is one of\n\n\
         * **all**: in host functions, device functions and kernels,\n\
         * **host**: in host functions only,\n\
         * **kernels**: in kernels only.\n\n\
         | function | arguments | where | what it gives |\n|---|---|---|---|\n",
    );
    for ((_, name), entries) in &rows {
        for entry in entries {
            let about = entry.builtin.doc.replace('|', "\\|");
            let (counts, place) = (arity(entry.arity), place(&entry.builtin.availability));
            writeln!(page, "| `{name}` | {counts} | {place} | {about} |").unwrap();
        }
    }
    page_is("functions", &page);
}

#[test]
fn the_page_of_codes_explains_all_codes() {
    let mut page = String::from(
        "# Table of codes\n\nWritten from the compiler's own table by the test `book`. `quasar explain Q0402` shows a row.\n",
    );
    let groups = [
        ("Q00", "Limits of this compiler"),
        ("Q01", "Syntax"),
        ("Q02", "Names and modules"),
        ("Q03", "Types, sizes and classes"),
        ("Q04", "Kernels, launches and parallel loops"),
        ("Q05", "Optimisations"),
        ("Q06", "Assertions, rules and macros"),
        ("Q09", "Mistakes that the emulator finds"),
    ];
    for (start, title) in groups {
        writeln!(page, "\n## {title}\n\n| code | what is wrong | what to do |\n|---|---|---|").unwrap();
        for row in explanations().filter(|row| row.code.starts_with(start)) {
            writeln!(page, "| `{}` | {} | {} |", row.code, row.cause, row.cure).unwrap();
        }
    }
    assert_eq!(page.matches("| `Q").count(), explanations().count(), "a code is in no group");
    page_is("codes", &page);
}

#[test]
fn codes_of_the_sources_are_explained_and_the_others_are_gone() {
    let mut used = BTreeSet::new();
    for package in ["quasar-core", "quasar-macros", "quasar-emulator", "quasar-eval", "quasar-cli"] {
        collect_codes(&crate::root().join(package).join("src"), &mut used);
    }
    let explained: BTreeSet<String> = explanations().map(|row| row.code.to_owned()).collect();
    assert_eq!(used, explained);
}

/// Adds the codes in quotes in the Rust files of a folder.
fn collect_codes(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_codes(&path, codes);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("explain.rs")
        {
            let text = fs::read_to_string(&path).expect("a source");
            let quoted = text.split('"').filter(|part| part.len() == 5 && part.starts_with("Q0"));
            let digits = |part: &&str| part.bytes().skip(1).all(|byte| byte.is_ascii_digit());
            codes.extend(quoted.filter(digits).map(str::to_owned));
        }
    }
}

fn arity((least, most): (usize, usize)) -> String {
    match (least, most) {
        (least, usize::MAX) => format!("{least} or more"),
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    }
}

fn place(availability: &Availability) -> &'static str {
    match availability {
        Availability::Host => "host",
        Availability::Everywhere => "all",
        Availability::Kernel => "kernels",
    }
}

#[test]
fn the_page_of_settings_is_up_to_date() {
    let mut page = String::from(
        "# Table of settings\n\nWritten from the program's own tables by the test `book`. The first value is the default.\n\n\
         | setting | values | what it does |\n|---|---|---|\n",
    );
    for row in settings::table() {
        let values = match row.kind {
            settings::Kind::Choice(words) => listed(words),
            settings::Kind::Engine(words, numbered) => {
                let numbered: Vec<String> = numbered.iter().map(|word| format!("`{word}:N`")).collect();
                format!("{}, {}", listed(words), numbered.join(", "))
            }
            settings::Kind::Number { default, least, .. } => format!("`{default}`, any number from {least}"),
        };
        writeln!(page, "| `{}` | {values} | {} |", row.name, row.doc).unwrap();
    }
    page_is("settings", &page);
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
