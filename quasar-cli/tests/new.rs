//! `quasar new`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn quasar(folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_quasar"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("quasar");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

#[test]
fn a_new_crate_has_a_filter_a_program_and_tests() {
    let here = folder("new-crate");
    let (made, said, errors) = quasar(&here, &["new", "my-filters"]);
    assert!(made && said.contains("cargo test"), "{said}{errors}");
    let made = here.join("my-filters");
    let read =
        |name: &str| fs::read_to_string(made.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let manifest = read("Cargo.toml");
    assert!(
        manifest.contains("name = \"my-filters\"") && manifest.contains("\nquasar-array = {"),
        "{manifest}"
    );
    for (file, has) in [
        ("src/lib.rs", "quasar_file!"),
        ("src/main.rs", "my_filters::smooth"),
        ("tests/filter.rs", "my_filters::smooth"),
    ] {
        let text = read(file);
        assert!(text.contains(has) && !text.contains("NAME"), "{text}");
    }
    let (checked, _, errors) = quasar(&made, &["check", "src/filter.q"]);
    assert!(checked, "{errors}");
    assert!(!errors.contains("Error"), "{errors}");
}

#[test]
fn nothing_is_overwritten_and_names_are_those_of_crates() {
    let here = folder("new-refused");
    fs::create_dir(here.join("there")).expect("a folder");
    let (made, _, errors) = quasar(&here, &["new", "there"]);
    assert!(!made && errors.contains("there exists already"), "{errors}");
    for name in ["2d", "a b", "test", "ä", "..", ""] {
        let (made, _, errors) = quasar(&here, &["new", name]);
        assert!(!made && errors.contains("cannot be the name of a crate"), "{name}: {errors}");
    }
    assert_eq!(fs::read_dir(&here).expect("a folder").count(), 1);
}
