//! `quasar run --engine cpu` and the like: builds a crate around the program with cargo, cached by its contents, and runs the
//! binary, with the kernels on the device that the engine names.
//!
//! A cached binary is executed without verification, so it is kept in a folder that nobody else can write to, under the
//! digest of everything it was built from.

use crate::arguments::Options;
use crate::load;
use quasar_core::driver::Compilation;
use quasar_core::settings::{Settings, is_setting};
use quasar_files::trust;
use quasar_runtime::device::select;
use quasar_runtime::kernel::cache::ImageKey;
use std::io;
use std::path::Path;
use std::process::Command;

/// Builds the program unless it is cached, and runs it with its kernels on a device, a value of `QUASAR_DEVICE`. It writes the
/// report of a profile, where one is wanted.
pub(crate) fn run(
    file: &Path,
    arguments: &[String],
    options: &Options,
    device: &str,
    profile: Option<&Path>,
) -> Result<(), String> {
    if options.text.is_some() || crate::fmt::is_stream(file) {
        return Err(format!(
            "Error: `--engine {device}` compiles files: write the program into one, or use the interpreter"
        ));
    }
    device_exists(device)?;
    let compilation = load::compile(file, options, true)?;
    let has_main = compilation.program.as_ref().is_some_and(|program| program.main.is_some());
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let key = digest(file, &compilation, &options.definitions);
    let cache = trust::cache_folder();
    let programs = cache.join("programs");
    let folder = programs.join(format!("{}-{key}", crate_name(&stem)));
    // What all programs depend on is compiled once for each version.
    let target = programs.join(concat!("target-", env!("CARGO_PKG_VERSION")));
    for private in [&cache, &programs, &folder, &target] {
        trust::make_private(private)
            .map_err(|error| format!("Error: there is no safe place for the compiled program: {error}"))?;
    }
    let binary = folder.join(BINARY);
    if !is_whole(&folder, &binary) {
        let texts = compilation.program.as_ref().is_some_and(|program| program.texts.is_some());
        let place = Place { folder: &folder, target: &target, name: format!("program-{key}") };
        build(file, &place, (has_main, texts), &compilation.settings, &options.definitions)?;
        take(&place, &binary)?;
        // If the note cannot be written, the next run builds again, incrementally.
        let _ =
            quasar_files::replace::replace(&folder.join(NOTE), about(&binary).unwrap_or_default().as_bytes());
    }
    let settings = options.settings.iter().filter(|(name, _)| !is_setting(name));
    let settings = settings.map(|(name, value)| (name, value));
    let profile = profile.map(|path| (quasar_runtime::profile::VARIABLE, path));
    let mut process = Command::new(&binary);
    process.args(arguments).env("QUASAR_DEVICE", device).envs(settings).envs(profile);
    let status = process.status();
    let status = status.map_err(|error| format!("{}: {error}", binary.display()))?;
    if status.success() { Ok(()) } else { Err(String::new()) }
}

/// Refuses a device that this machine does not have, before anything is built. A program alone would warn and go on without.
fn device_exists(device: &str) -> Result<(), String> {
    let (kind, number) = device.split_once(':').unwrap_or((device, "0"));
    let found = match kind {
        "opencl" => select::opencl(),
        "cuda" | "cuda - multi" => select::cuda(),
        _ => return Ok(()),
    };
    let refused = |why: String| {
        format!("Error: the engine '{device}' cannot be used: {why}\n`quasar devices` lists what there is")
    };
    let count = found.map_err(|why| refused(why.to_string()))?.len();
    match number.parse::<usize>() {
        Ok(number) if number < count => Ok(()),
        _ => Err(refused(format!("there are {count} devices of this kind, numbered from 0"))),
    }
}

/// The digest of everything that a program is built from.
fn digest(file: &Path, compilation: &Compilation, definitions: &[String]) -> ImageKey {
    let compiler = std::env::current_exe().ok().and_then(|compiler| about(&compiler)).unwrap_or_default();
    // All settings in effect, wherever they come from.
    let said = compilation.settings.said();
    let mut parts: Vec<Vec<u8>> = vec![env!("CARGO_PKG_VERSION").into(), compiler.into()];
    for list in [&said[..], definitions] {
        parts.push((list.len() as u64).to_le_bytes().into());
        parts.extend(list.iter().map(|text| text.clone().into_bytes()));
    }
    // The generated crate refers to the file by its path.
    let place = std::fs::canonicalize(file).unwrap_or_default();
    parts.push(place.as_os_str().as_encoded_bytes().into());
    for (_, source) in compilation.sources.files() {
        parts.extend([source.name.clone().into_bytes(), source.text.clone().into_bytes()]);
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    ImageKey::of(&parts)
}

/// Where a program is built.
struct Place<'a> {
    /// The folder of its crate.
    folder: &'a Path,
    /// The target folder of all programs.
    target: &'a Path,
    /// The name of the crate, which no other program has.
    name: String,
}

/// The executable in the folder of a program.
const BINARY: &str = "program";

/// Copies the executable that cargo built to the folder of its program.
fn take(place: &Place<'_>, binary: &Path) -> Result<(), String> {
    let built = place.target.join("release").join(format!("{}{}", place.name, std::env::consts::EXE_SUFFIX));
    std::fs::copy(&built, binary).map(drop).map_err(|error| format!("{}: {error}", built.display()))
}

/// The file that identifies the binary that cargo finished.
const NOTE: &str = "finished";

/// Size and modification time of a file.
fn about(file: &Path) -> Option<String> {
    let data = std::fs::metadata(file).ok()?;
    let age = data.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{} {}", data.len(), age.as_nanos()))
}

/// Whether the binary is the finished one, and not a partial one left by a crash.
fn is_whole(folder: &Path, binary: &Path) -> bool {
    let note = quasar_files::read::text(&folder.join(NOTE));
    note.is_ok_and(|note| !note.is_empty() && Some(note) == about(binary))
}

fn build(
    file: &Path,
    place: &Place<'_>,
    (has_main, texts): (bool, bool),
    settings: &Settings,
    definitions: &[String],
) -> Result<(), String> {
    let folder = place.folder;
    let io = |error: io::Error| format!("{}: {error}", folder.display());
    let source = std::fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display()))?;
    std::fs::create_dir_all(folder.join("src")).map_err(io)?;
    let manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{}\n\n[workspace]\n",
        place.name,
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
    // As strings, because not every Quasar token is a Rust token.
    let all = definitions.iter().filter(|text| !is_setting(text.trim_start()));
    let given: String = all.chain(&settings.said()).map(|text| format!(", {text:?}")).collect();
    let main = format!(
        "mod program {{ quasar::quasar_file!(#![command_line] {:?}{given}); }}\n\
         fn main() -> std::process::ExitCode {{\n    match {run} {{\n        Ok(_) => std::process::ExitCode::SUCCESS,\n        \
         Err(error) => {{ let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!(\"Error: {{error}}\\n\")); \
         std::process::ExitCode::FAILURE }}\n    }}\n}}\n",
        source.to_string_lossy()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(io)?;
    std::fs::write(folder.join("src/main.rs"), main).map_err(io)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--quiet"])
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        // Cargo and rustup read configuration in the working directory and above it, which others may control.
        .current_dir(folder.ancestors().last().unwrap_or(folder))
        .env("CARGO_TARGET_DIR", place.target)
        .output()
        .map_err(|error| format!("the engine 'cpu' needs cargo, which could not be started: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("cargo could not build the program:\n{}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// The dependency on the crate `quasar-array`: a path in a checkout, otherwise from the registry.
fn dependency(texts: bool) -> String {
    let features = if texts { ", features = [\"eval\", \"figure\"]" } else { ", features = [\"figure\"]" };
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if checkout.join("quasar-core").is_dir() {
        format!("quasar-array = {{ path = {:?}{features} }}", checkout.to_string_lossy())
    } else {
        format!("quasar-array = {{ version = {:?}{features} }}", env!("CARGO_PKG_VERSION"))
    }
}

fn crate_name(stem: &str) -> String {
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
