//! Pages that are made of tables of the program: the functions of the library, the settings.

use crate::page_is;
use quasar::settings;
use quasar_core::builtins::{self, Availability, Entry};
use std::collections::BTreeMap;
use std::fmt::Write;

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
