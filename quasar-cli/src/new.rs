//! `quasar new`: a crate with a filter, a program and tests, to begin with.

use crate::compiled_crate::source_of_quasar;
use crate::output;
use std::fs;
use std::path::Path;

/// The files of the crate. `NAME` stands for its name, `DEPENDENCY` for where Quasar comes from.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("new/manifest.toml")),
    ("src/filter.q", include_str!("new/filter.q")),
    ("src/lib.rs", include_str!("new/lib.rs")),
    ("src/main.rs", include_str!("new/main.rs")),
    ("tests/filter.rs", include_str!("new/filter.rs")),
    (".gitignore", "/target\n"),
];

/// Names that Cargo refuses for a package, or that would hide a crate that the files use.
const TAKEN: &[&str] = &["test", "core", "std", "alloc", "proc-macro", "quasar", "quasar-array"];

/// Makes the crate in a new folder, which is called as the crate.
pub(crate) fn new(folder: &Path) -> Result<(), String> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(word);
    if !named || TAKEN.contains(&name) {
        return Err(format!(
            "Error: '{name}' cannot be the name of a crate: take letters, digits, - and _, beginning with a letter"
        ));
    }
    let failed = |path: &Path, error: std::io::Error| format!("Error: {}: {error}", path.display());
    if fs::symlink_metadata(folder).is_ok() {
        return Err(format!("Error: {} exists already", folder.display()));
    }
    let dependency = source_of_quasar("");
    for (path, text) in FILES {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| failed(parent, error))?;
        let name = if path.extension().is_some_and(|end| end == "rs") {
            name.replace('-', "_")
        } else {
            name.to_owned()
        };
        let text = text.replace("NAME", &name).replace("DEPENDENCY", &dependency);
        fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    output::line(&format!(
        "{} is made. Next:\n    cd {}\n    cargo test\n    cargo run --release -- in.png out.png",
        folder.display(),
        folder.display()
    ))
}
