//! The files in `editors`: their JSON is read, and the grammar knows every word of the lexer.

use quasar_core::query::tokens::keywords;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/vscode")
}

fn json(name: &str) -> Value {
    let text = fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_extension_names_files_that_exist() {
    let package = json("package.json");
    let contributes = &package["contributes"];
    for file in
        [&package["main"], &contributes["languages"][0]["configuration"], &contributes["grammars"][0]["path"]]
    {
        let file = file.as_str().expect("a path");
        assert!(folder().join(file).is_file(), "{file}");
    }
    assert_eq!(json("language-configuration.json")["comments"]["lineComment"], "%");
    let grammar = json("syntaxes/quasar.tmLanguage.json");
    assert_eq!(grammar["scopeName"], contributes["grammars"][0]["scopeName"]);
}

#[test]
fn the_grammar_knows_all_keywords() {
    let grammar = json("syntaxes/quasar.tmLanguage.json");
    let patterns = grammar["patterns"].as_array().expect("a list");
    let words: Vec<&str> = patterns
        .iter()
        .filter(|pattern| {
            let name = pattern["name"].as_str().unwrap_or_default();
            name.starts_with("keyword.control")
                || name.starts_with("keyword.other.quasar")
                || name.starts_with("storage")
        })
        .filter_map(|pattern| pattern["match"].as_str())
        .flat_map(|pattern| pattern.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .collect();
    let missing: Vec<&str> = keywords().filter(|keyword| !words.contains(keyword)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(keywords().count() > 35);
}
