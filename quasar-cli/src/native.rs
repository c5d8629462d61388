//! Runs programs natively: a crate around the file is built by cargo, once for each text, and started.

use crate::arguments::Options;
use crate::load;
use quasar_core::settings::{Settings, is_setting};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the program if it is not built yet, and runs it.
pub(crate) fn run(file: &Path, arguments: &[String], options: &Options) -> Result<(), String> {
    let compilation = load::compile(file, options, true)?;
    let has_main = compilation.program.as_ref().is_some_and(|program| program.main.is_some());
    let mut hasher = DefaultHasher::new();
    // What settings say, wherever it comes from: the program is built again when it changes.
    let said = compilation.settings.said();
    (env!("CARGO_PKG_VERSION"), &said, &options.definitions).hash(&mut hasher);
    for (_, source) in compilation.sources.files() {
        source.text.hash(&mut hasher);
    }
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = cache().join(format!("{}-{:016x}", crate_name(&stem), hasher.finish()));
    let binary = folder.join("target/release/program");
    if !binary.exists() {
        let texts = compilation.program.as_ref().is_some_and(|program| program.texts.is_some());
        build(file, &folder, (has_main, texts), &compilation.settings, &options.definitions)?;
    }
    let settings = options.settings.iter().filter(|(name, _)| !is_setting(name));
    let settings = settings.map(|(name, value)| (name, value));
    let status = Command::new(&binary).args(arguments).envs(settings).status();
    let status = status.map_err(|error| format!("{}: {error}", binary.display()))?;
    if status.success() { Ok(()) } else { Err(String::new()) }
}

fn build(
    file: &Path,
    folder: &Path,
    (has_main, texts): (bool, bool),
    settings: &Settings,
    definitions: &[String],
) -> Result<(), String> {
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    let source = std::fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display()))?;
    std::fs::create_dir_all(folder.join("src")).map_err(io)?;
    let manifest = format!(
        "[package]\nname = \"program\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{}\n\n[workspace]\n",
        dependency(texts)
    );
    let element = format!("{:?}", settings.precision);
    let run = if has_main {
        format!(
            "program::main(&quasar::abi::arguments(std::env::args().skip(1), quasar::ElementType::{element}))"
        )
    } else {
        "program::initialize()".to_string()
    };
    // As text, since not every token of Quasar is one of Rust.
    let all = definitions.iter().filter(|text| !is_setting(text.trim_start()));
    let given: String = all.chain(&settings.said()).map(|text| format!(", {text:?}")).collect();
    let main = format!(
        "mod program {{ quasar::quasar_file!(#![command_line] {:?}{given}); }}\n\
         fn main() -> std::process::ExitCode {{\n    match {run} {{\n        Ok(_) => std::process::ExitCode::SUCCESS,\n        \
         Err(error) => {{ eprintln!(\"Error: {{error}}\"); std::process::ExitCode::FAILURE }}\n    }}\n}}\n",
        source.to_string_lossy()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(io)?;
    std::fs::write(folder.join("src/main.rs"), main).map_err(io)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .map_err(|error| format!("the engine 'cpu' needs cargo, which could not be started: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("cargo could not build the program:\n{}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// The crate `quasar`: beside this package in a checkout, from the registry otherwise.
fn dependency(texts: bool) -> String {
    let features = if texts { ", features = [\"eval\"]" } else { "" };
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if checkout.join("quasar-core").is_dir() {
        format!("quasar = {{ path = {:?}{features} }}", checkout.to_string_lossy())
    } else {
        format!("quasar = {{ version = {:?}{features} }}", env!("CARGO_PKG_VERSION"))
    }
}

fn cache() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    base.unwrap_or_else(std::env::temp_dir).join("quasar")
}

fn crate_name(stem: &str) -> String {
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
