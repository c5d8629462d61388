//! Crates around Quasar programs, which cargo builds: executables for `quasar run`, libraries for `quasar build`. They are cached by
//! their contents.
//!
//! A cached binary is executed without verification, so it is kept in a folder that nobody else can write to, under the
//! digest of everything it was built from.

use quasar_core::driver::Compilation;
use quasar_core::settings::is_setting;
use quasar_files::trust;
use quasar_runtime::kernel::cache::ImageKey;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What cargo makes of a crate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Program,
    /// A shared library for C.
    Library,
}

/// A crate that is to be built.
pub(crate) struct Wanted<'a> {
    pub(crate) file: &'a Path,
    pub(crate) compilation: &'a Compilation,
    pub(crate) definitions: &'a [String],
    pub(crate) kind: Kind,
    /// The text of its root file, which [`module`] begins.
    pub(crate) source: &'a str,
}

/// The start of a root file: the program as the module `program`. `setting` stands in front of the path. Tuned values are among the
/// definitions.
pub(crate) fn module(
    file: &Path,
    setting: &str,
    compilation: &Compilation,
    definitions: &[String],
) -> Result<String, String> {
    let source = std::fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display()))?;
    // As strings, because not every Quasar token is a Rust token.
    let all = definitions.iter().filter(|text| !is_setting(text.trim_start()));
    let given: String = all.chain(&compilation.settings.said()).map(|text| format!(", {text:?}")).collect();
    let path = source.to_string_lossy();
    Ok(format!("mod program {{ quasar::quasar_file!({setting}#![untuned] {path:?}{given}); }}\n"))
}

/// Builds the crate unless it is cached. Says where the executable or library is.
pub(crate) fn built(wanted: &Wanted<'_>) -> Result<PathBuf, String> {
    let stem = wanted.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let key = digest(wanted);
    let cache = trust::cache_folder();
    let programs = cache.join("programs");
    let folder = programs.join(format!("{}-{key}", crate_name(&stem)));
    // What all programs depend on is compiled once for each version.
    let target = programs.join(concat!("target-", env!("CARGO_PKG_VERSION")));
    for private in [&cache, &programs, &folder, &target] {
        trust::make_private(private)
            .map_err(|error| format!("Error: there is no safe place for the compiled program: {error}"))?;
    }
    let (name, binary, artifact) = match wanted.kind {
        Kind::Program => {
            let name = format!("program-{key}");
            (name.clone(), "program", format!("{name}{EXE_SUFFIX}"))
        }
        Kind::Library => {
            let name = format!("library_{key}");
            (name.clone(), "library", format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
        }
    };
    let binary = folder.join(binary);
    let _building = one_at_a_time(&folder)?;
    if !is_whole(&folder, &binary) {
        build(&Place { folder: &folder, target: &target, name }, wanted)?;
        let built = target.join("release").join(artifact);
        std::fs::copy(&built, &binary).map_err(|error| format!("{}: {error}", built.display()))?;
        // If the note cannot be written, the next run builds again, incrementally.
        let _ =
            quasar_files::replace::replace(&folder.join(NOTE), about(&binary).unwrap_or_default().as_bytes());
    }
    Ok(binary)
}

/// Waits for other processes that build the same crate: they write the files that this one reads. The system unlocks the file
/// where the process ends, however it ends.
fn one_at_a_time(folder: &Path) -> Result<File, String> {
    let path = folder.join("lock");
    let locked = File::create(&path).and_then(|file| file.lock().map(|()| file));
    locked.map_err(|error| format!("{}: {error}", path.display()))
}

/// The digest of everything that a crate is built from.
fn digest(wanted: &Wanted<'_>) -> ImageKey {
    let Wanted { file, compilation, definitions, source, .. } = wanted;
    let compiler = std::env::current_exe().ok().and_then(|compiler| about(&compiler)).unwrap_or_default();
    // All settings in effect, wherever they come from.
    let said = compilation.settings.said();
    let mut parts: Vec<Vec<u8>> =
        vec![env!("CARGO_PKG_VERSION").into(), compiler.into(), source.as_bytes().into()];
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

/// Where a crate is built.
struct Place<'a> {
    /// The folder of the crate.
    folder: &'a Path,
    /// The target folder of all crates.
    target: &'a Path,
    /// The name of the crate, which no other one has.
    name: String,
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

fn build(place: &Place<'_>, wanted: &Wanted<'_>) -> Result<(), String> {
    let folder = place.folder;
    let io = |error: io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder.join("src")).map_err(io)?;
    let texts = wanted.compilation.program.as_ref().is_some_and(|program| program.texts.is_some());
    let (section, root) = match wanted.kind {
        Kind::Program => ("", "src/main.rs"),
        Kind::Library => ("[lib]\ncrate-type = [\"cdylib\"]\n\n", "src/lib.rs"),
    };
    let manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n{section}[dependencies]\n{}\n\n[workspace]\n",
        place.name,
        dependency(texts, wanted.compilation.settings.ranks)
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(io)?;
    std::fs::write(folder.join(root), wanted.source).map_err(io)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["rustc", "--release", "--quiet"])
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        // Libraries are given to others, who have no use for the names inside.
        .args(["--", "-C", if wanted.kind == Kind::Library { "strip=symbols" } else { "strip=none" }])
        // Cargo and rustup read configuration in the working directory and above it, which others may control.
        .current_dir(folder.ancestors().last().unwrap_or(folder))
        .env("CARGO_TARGET_DIR", place.target)
        .output();
    let who = match wanted.kind {
        Kind::Program => "the engine 'cpu'",
        Kind::Library => "`quasar build`",
    };
    let output =
        output.map_err(|error| format!("Error: {who} needs cargo, which could not be started: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("cargo could not build the program:\n{}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// The dependency on the crate `quasar-array`: a path in a checkout, otherwise from the registry. It has the features that the
/// interpreter has.
fn dependency(texts: bool, ranks: bool) -> String {
    let exr = if cfg!(feature = "exr") { ", \"exr\"" } else { "" };
    let zarr = if cfg!(feature = "zarr") { ", \"zarr\"" } else { "" };
    let eval = if texts { ", \"eval\"" } else { "" };
    let mpi = if ranks { ", \"mpi\"" } else { "" };
    source_of_quasar(&format!(", features = [\"figure\"{exr}{zarr}{eval}{mpi}]"))
}

/// The dependency on Quasar, with some keys behind it: the checkout that this command was built from, if it is still there, or the
/// package.
pub(crate) fn source_of_quasar(keys: &str) -> String {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if checkout.join("quasar-core").is_dir() {
        let checkout = checkout.canonicalize().unwrap_or(checkout);
        format!("quasar-array = {{ path = {:?}{keys} }}", checkout.to_string_lossy())
    } else {
        format!("quasar-array = {{ version = {:?}{keys} }}", env!("CARGO_PKG_VERSION"))
    }
}

fn crate_name(stem: &str) -> String {
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
