//! The table of modules in the chapter "Library": it names all modules, and its examples print what it says.

use std::collections::BTreeSet;
use std::fs;

/// The rows: the modules, and an example with what it prints on one line.
fn rows() -> Vec<(Vec<String>, String, String)> {
    let chapter = crate::text("library");
    let (_, table) = chapter.split_once("| module | functions | example |").expect("the table");
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let &[modules, _, example] = &cells[..] else { panic!("three columns are needed: {line}") };
            let modules = modules.split('`').filter(|part| part.ends_with(".q")).map(String::from).collect();
            let (program, printed) = example.split_once("` is `").expect("an example");
            let strip = |text: &str| text.trim_matches('`').to_string();
            (modules, strip(program), strip(printed))
        })
        .collect()
}

#[test]
fn the_table_names_all_modules() {
    let files = fs::read_dir(crate::root().join("quasar-core/lib")).expect("the modules").flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let there: BTreeSet<String> = names.filter(|name| name.ends_with(".q")).collect();
    let listed: BTreeSet<String> = rows().into_iter().flat_map(|(modules, _, _)| modules).collect();
    assert_eq!(listed, there);
}

#[test]
fn examples_of_modules_print_what_the_table_says() {
    for (modules, example, printed) in rows() {
        let imports: String = modules.iter().map(|module| format!("import \"{module}\"\n")).collect();
        let found = crate::examples::printed(&format!("{imports}print {example}\n"));
        let found: Vec<&str> = found.split_whitespace().collect();
        assert_eq!(found.join(" "), printed, "{example}");
    }
}
