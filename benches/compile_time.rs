//! Compile-time cost of a thousand lines of Quasar: macro expansion and a debug build of the crate that contains them,
//! with the crate `quasar` already built, as `cargo build` does it without any settings.
//!
//! `cargo bench --bench compile_time`: writes crates below the target directory and builds each of them three times,
//! after a first build of their dependencies, which takes minutes. The macros report their own time.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const LINES: usize = 1000;
const RUNS: usize = 3;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_time");
    prepare(root, &folder);
    println!(
        "{:24} {:>6} {:>8} {:>13} {:>12}",
        "least of three", "lines", "macros", "expansion, ms", "build, s"
    );
    for (name, modules) in
        [("filters in ten modules", filters(root)), ("programs of the tests", programs(root))]
    {
        let lines = modules.iter().map(|text| text.lines().count()).sum::<usize>();
        write_modules(&folder, &modules);
        let runs: Vec<_> = (0..RUNS).map(|_| build(&folder)).collect();
        let expansion = runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min);
        let whole = runs.iter().map(|run| run.1).min().unwrap_or_default();
        println!("{name:24} {lines:6} {:8} {expansion:13.0} {:12.2}", modules.len(), whole.as_secs_f64());
    }
}

/// Enough copies of the programs of the other benches, which are realistic filters. Each module has distinct constants.
fn filters(root: &Path) -> Vec<String> {
    let host = read(&root.join("benches/host.rs"));
    let (_, host) = host.split_once("r#\"").expect("the bench holds a program");
    let (host, _) = host.split_once("\"#").expect("the program ends");
    let texts = [read(&root.join("benches/tasks.q")), host.to_string()];
    let mut modules = Vec::new();
    let mut lines = 0;
    while lines < LINES {
        let k = modules.len();
        let text =
            texts[k % 2].replace("255", &(255 + k).to_string()).replace("1664525", &format!("16645{k:02}"));
        lines += text.lines().count();
        modules.push(text);
    }
    modules
}

/// Enough programs of the tests, sorted by name.
fn programs(root: &Path) -> Vec<String> {
    let list = read(&root.join("tests/programs/list.in"));
    let files =
        list.lines().filter_map(|line| Some((line.split('"').nth(1)?, !line.trim_start().starts_with("//"))));
    let mut modules = Vec::new();
    let mut lines = 0;
    for (file, _) in files.filter(|(file, wanted)| *wanted && file.ends_with(".q")) {
        let text = read(&root.join(file));
        if lines >= LINES {
            break;
        }
        if !text.contains("import") {
            lines += text.lines().count();
            modules.push(text);
        }
    }
    modules
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// A crate without modules whose dependencies are built.
fn prepare(root: &Path, folder: &Path) {
    fs::create_dir_all(folder.join("src")).expect("a folder below the target directory");
    let manifest = format!(
        "[package]\nname = \"measured\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         quasar-array = {{ path = {root:?}, default-features = false }}\n\n[workspace]\n"
    );
    write(&folder.join("Cargo.toml"), &manifest);
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
    write_modules(folder, &[]);
    build(folder);
}

fn write_modules(folder: &Path, modules: &[String]) {
    let mut lib = "#![allow(deprecated, missing_docs)]\n".to_string();
    for (k, text) in modules.iter().enumerate() {
        write(&folder.join("src").join(format!("m{k}.q")), text);
        let _ = writeln!(lib, "pub mod m{k} {{\n    quasar::quasar_file!(#![quiet] \"src/m{k}.q\");\n}}");
    }
    write(&folder.join("src/lib.rs"), &lib);
}

/// Milliseconds in macros, and the total build time.
fn build(folder: &Path) -> (f64, Duration) {
    let lib: PathBuf = folder.join("src/lib.rs");
    let text = read(&lib);
    write(&lib, &text);
    let start = Instant::now();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--offline", "--quiet", "--target-dir", "target"])
        .env("QUASAR_TIME", "1")
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(folder)
        .output()
        .expect("cargo runs");
    let whole = start.elapsed();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let times =
        said.lines().filter_map(|line| line.strip_prefix("quasar: expanded in ")?.strip_suffix(" ms"));
    (times.filter_map(|time| time.parse::<f64>().ok()).sum(), whole)
}
