//! Where `unsafe` is, how much of it, and why it is sound: `docs/unsafe.txt` counts it for each file, so that growth is a difference
//! that somebody reads, and names the argument of ADR 26 that holds for it. `UPDATE_EXPECT=1` writes the numbers; the argument of a
//! new file is written by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The packages, and what their roots say of `unsafe`: those without any forbid it, the others allow it file by file.
const CRATES: &[(&str, &str)] = &[
    ("src/lib.rs", "forbid"),
    ("quasar-cli/src/main.rs", "forbid"),
    ("quasar-emulator/src/lib.rs", "forbid"),
    ("quasar-eval/src/lib.rs", "forbid"),
    ("quasar-macros/src/lib.rs", "forbid"),
    ("quasar-compiled/src/lib.rs", "deny"),
    ("quasar-playground/src/lib.rs", "deny"),
    ("quasar-core/src/lib.rs", "deny"),
    ("quasar-devicelib/src/lib.rs", "deny"),
    ("quasar-runtime/src/lib.rs", "deny"),
    // A bridge to another binding, all of which is about memory of that binding.
    ("quasar-cust/src/lib.rs", ""),
];

const FOLDERS: &[&str] =
    &["src", "quasar-cli/src", "quasar-emulator/src", "quasar-eval/src", "quasar-macros/src"];
const TABLE: &str = "docs/unsafe.txt";
const DECISION: &str = "docs/adr/0026-unsafe-code.md";
const HEAD: &str = "\
# Written by `UPDATE_EXPECT=1 cargo test -p quasar-core --test unsafe_code`, but for the last column: the argument of ADR 26.
# blocks functions implementations traits foreign | file | argument
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Blocks, functions, implementations, traits and blocks of foreign functions. Types of function pointers are none of these.
fn counted(text: &str) -> [usize; 5] {
    let mut counts = [0; 5];
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    for (at, word) in code.match_indices("unsafe") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '"') {
            continue;
        }
        let rest = code[at + word.len()..].trim_start();
        let kinds = ["{", "fn ", "impl", "trait ", "extern"];
        let Some(kind) = kinds.iter().position(|start| rest.starts_with(start)) else { continue };
        let is_pointer = kind == 4 && rest.split('{').next().is_some_and(|head| head.contains("fn("));
        if !is_pointer {
            counts[kind] += 1;
        }
    }
    counts
}

fn found() -> BTreeMap<String, [usize; 5]> {
    let root = root();
    let mut files = Vec::new();
    for (lib, _) in CRATES {
        let folder = Path::new(lib).parent().expect("a folder");
        rust_files(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "the sources were not found");
    let name = |file: &Path| {
        let parts = file.strip_prefix(&root).expect("inside").iter().map(|part| part.to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    };
    let counts = files.iter().map(|file| (name(file), counted(&fs::read_to_string(file).expect("a source"))));
    counts.filter(|(_, counts)| counts.iter().any(|&n| n > 0)).collect()
}

#[test]
fn the_table_counts_what_is_there_and_names_why_it_is_sound() {
    let path = root().join(TABLE);
    let table = fs::read_to_string(&path).unwrap_or_default();
    let argument = |file: &str| {
        let line = table.lines().find(|line| line.split('|').nth(1).is_some_and(|cell| cell.trim() == file));
        line.and_then(|line| line.split('|').nth(2)).map_or("?", str::trim).to_owned()
    };
    let mut written = String::from(HEAD);
    let mut sum = [0; 5];
    let line = |counts: [usize; 5], file: &str, argument: &str| {
        let numbers = counts.map(|n| format!("{n:>4}")).concat();
        format!("{numbers} | {file} | {argument}").trim_end().to_owned() + "\n"
    };
    for (file, counts) in found() {
        written += &line(counts, &file, &argument(&file));
        sum.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
    }
    written += &line(sum, "all", "");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &written).expect("the table is written");
    } else {
        assert!(
            table == written,
            "{TABLE} does not show what is there; UPDATE_EXPECT=1 rewrites it:\n{written}"
        );
    }
    let decision = fs::read_to_string(root().join(DECISION)).expect("the decision");
    for row in written.lines().filter(|row| !row.starts_with('#')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, file, arguments] = cells[..] else { panic!("three columns: {row}") };
        for argument in arguments.split(' ').filter(|_| file != "all") {
            let heading = format!("**{argument}. ");
            assert!(decision.contains(&heading), "{file}: ADR 26 has no argument '{argument}'");
        }
    }
}

#[test]
fn packages_without_unsafe_code_forbid_it() {
    let found = found();
    for (lib, level) in CRATES {
        let text = fs::read_to_string(root().join(lib)).expect("a root");
        let says = level.is_empty() || text.contains(&format!("#![{level}(unsafe_code)]"));
        assert!(says, "{lib} should say #![{level}(unsafe_code)]");
    }
    for folder in FOLDERS {
        let inside: Vec<_> = found.keys().filter(|file| file.starts_with(&format!("{folder}/"))).collect();
        assert!(inside.is_empty(), "{inside:?}");
    }
}

#[test]
fn counting_knows_code_from_words() {
    let text = "unsafe { f() }; // unsafe { g() }\n\"unsafe\", is_unsafe {\nunsafe fn f() {}\nunsafe impl Send for X {}\n\
                pub unsafe trait T {}\nunsafe extern \"C\" {\nx: unsafe extern \"C\" fn(u8),\nunsafe_code";
    assert_eq!(counted(text), [1, 1, 1, 1, 1]);
}
