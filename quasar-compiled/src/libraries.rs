//! Locates CUDA libraries: by an environment variable, the system loader, then the usual folders of CUDA toolkits and
//! Python packages; and declares function tables for them.

use crate::Unavailable;
use libloading::Library;
use quasar_files::trust::check_library;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A library to locate.
pub struct LibrarySpec {
    /// Human-readable name.
    pub name: &'static str,
    /// The environment variable with its file or folder.
    pub variable: &'static str,
    /// File name before the version.
    pub stem: &'static str,
    /// File name before the version of a library beside it, which it loads by name.
    pub companion: Option<&'static str>,
    /// Loads the library through the system loader.
    pub by_loader: fn() -> Option<&'static Library>,
}

impl LibrarySpec {
    /// Loads the library for the life of the process. Also returns its file, if known.
    pub fn find(&self) -> Result<(&'static Library, Option<PathBuf>), Unavailable> {
        let LibrarySpec { name, variable, .. } = self;
        if let Some(named) = self::variable(variable).map(PathBuf::from) {
            let file = if named.is_dir() { self.in_folder(&named) } else { Some(named.clone()) };
            if let Some(Err(error)) = file.as_deref().map(check_library)
                && error.kind() == ErrorKind::PermissionDenied
            {
                return Err(Unavailable::new(format!(
                    "{variable} names a library that is not loaded: {error}"
                )));
            }
            let library = file.and_then(|file| Some((self.open(&file)?, Some(file))));
            return library.ok_or_else(|| {
                Unavailable::new(format!("{variable} names no {name}: '{}'", named.display()))
            });
        }
        if let Some(library) = (self.by_loader)() {
            return Ok((library, None));
        }
        let files = folders().into_iter().filter_map(|folder| self.in_folder(&folder));
        let found = files.into_iter().find_map(|file| Some((self.open(&file)?, Some(file))));
        found.ok_or_else(|| {
            let file = self.stem.trim_end_matches(".so.");
            Unavailable::new(format!(
                "{name} was not found; install the CUDA toolkit, or set {variable} to its {file}"
            ))
        })
    }

    /// Loads the library from a file, after its companion; `None` if others could have modified the file.
    pub fn open(&self, file: &Path) -> Option<&'static Library> {
        check_library(file).ok()?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let companions = self.companion.map(|stem| files(folder, stem)).unwrap_or_default();
        for companion in companions.into_iter().filter(|file| check_library(file).is_ok()) {
            // SAFETY: as below.
            if let Ok(library) = unsafe { Library::new(&companion) } {
                std::mem::forget(library);
            }
        }
        // SAFETY: the file is named like the library and lies in a library folder, or the user named it; loading runs
        // its start-up code.
        let library = unsafe { Library::new(file) }.ok()?;
        Some(Box::leak(Box::new(library)))
    }

    /// The newest version in a folder.
    pub fn in_folder(&self, folder: &Path) -> Option<PathBuf> {
        files(folder, self.stem).pop()
    }
}

/// Loads the first library that the system loader finds under one of these names.
pub fn loaded_by_name(names: &[&str]) -> Option<&'static Library> {
    // SAFETY: the names are those of CUDA libraries; loading them runs their start-up code, as in every program that
    // uses them.
    let library = names.iter().find_map(|name| unsafe { Library::new(*name) }.ok())?;
    Some(Box::leak(Box::new(library)))
}

/// The value of an environment variable.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The files of a folder named by a prefix and a version, oldest version first.
fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.strip_prefix(name)?.to_string();
            let version: Result<Vec<u32>, _> = version.split('.').map(str::parse).collect();
            Some((version.ok()?, entry.path()))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// Candidate folders, in order of preference.
fn folders() -> Vec<PathBuf> {
    let mut toolkits: Vec<PathBuf> =
        ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"].into_iter().filter_map(variable).map(PathBuf::from).collect();
    toolkits.extend(["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from));
    toolkits.extend(children(Path::new("/usr/local"), "cuda-").into_iter().rev());
    let libraries = |toolkit: PathBuf| {
        ["lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"].map(|l| toolkit.join(l))
    };
    let mut folders: Vec<PathBuf> = toolkits.into_iter().flat_map(libraries).collect();
    let home = variable("HOME").map(PathBuf::from);
    let mut pythons: Vec<PathBuf> = variable("VIRTUAL_ENV").map(PathBuf::from).into_iter().collect();
    pythons.extend(home.map(|home| home.join(".local")));
    pythons.extend(["/usr/local", "/usr"].map(PathBuf::from));
    for python in pythons.iter().flat_map(|root| children(&root.join("lib"), "python3")) {
        for packages in ["site-packages/nvidia", "dist-packages/nvidia"].map(|name| python.join(name)) {
            folders.extend(children(&packages, "cu").into_iter().rev().map(|package| package.join("lib")));
        }
    }
    folders
}

/// The entries of a folder with this prefix, sorted by name.
fn children(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let named =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(named).collect();
    found.sort();
    found
}

/// Declares a table of functions that all return a `Status`, and a loader for it.
#[macro_export]
#[doc(hidden)]
macro_rules! functions {
    ($library:literal: $($field:ident = $symbol:literal ($($arg:ty),*);)*) => {
        /// Function pointers, resolved by symbol name.
        struct Functions {
            $($field: unsafe extern "C" fn($($arg),*) -> Status,)*
        }

        impl Functions {
            fn load(library: &libloading::Library) -> Result<Functions, Unavailable> {
                Ok(Functions {
                    $($field: {
                        // SAFETY: the type is that of the function in the library's interface, the same since CUDA 11.
                        let found = unsafe { library.get($symbol.as_bytes()) };
                        *found.map_err(|_| Unavailable::new(concat!($library, " is too old: it has no ", $symbol)))?
                    },)*
                })
            }
        }
    };
}
