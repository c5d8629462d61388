//! Locates NVRTC, and caches its version in a stamp file, to avoid loading the library.

use crate::Unavailable;
use crate::cache::ImageKey;
use crate::libraries::{LibrarySpec, loaded_by_name, variable};
use libloading::Library;
use quasar_files::trust::{check_private, make_private};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

/// The environment variable with the library's file or folder.
const VARIABLE: &str = "QUASAR_NVRTC";
/// Other environment variables that influence which file is found.
const OTHERS: [&str; 5] = ["LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "VIRTUAL_ENV"];

const NVRTC: LibrarySpec = LibrarySpec {
    name: "NVRTC",
    variable: VARIABLE,
    stem: "libnvrtc.so.",
    companion: Some("libnvrtc-builtins.so."),
    by_loader,
};

/// Names under which loaders find it: that of installations for developers, then those of the versions that are known.
#[cfg(not(windows))]
const NAMES: [&str; 4] = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"];
#[cfg(windows)]
const NAMES: [&str; 3] = ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];

fn by_loader() -> Option<&'static Library> {
    loaded_by_name(&NAMES)
}

/// The library, loaded for the life of the process.
pub(super) fn library() -> Result<&'static Library, Unavailable> {
    let (library, file) = NVRTC.find()?;
    if let Some(file) = file {
        OPENED.get_or_init(|| file);
    }
    Ok(library)
}

/// The file, if it was loaded by path.
static OPENED: OnceLock<PathBuf> = OnceLock::new();

/// The file of the loaded library.
fn loaded_file() -> Option<PathBuf> {
    if let Some(opened) = OPENED.get() {
        return Some(opened.clone());
    }
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| {
        let path = line.get(line.find('/')?..)?;
        let name = path.rsplit('/').next()?;
        name.starts_with("libnvrtc.so").then_some(path)
    })?;
    Some(PathBuf::from(path))
}

/// The stamp: identifies a file and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) version: String,
    file: String,
    bytes: u64,
    modified: u128,
    environment: String,
}

impl Stamp {
    const NAME: &str = "nvrtc.stamp";

    fn of_file(path: &Path, version: &str) -> Option<Stamp> {
        let data = fs::metadata(path).ok()?;
        let modified = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        let (version, file) = (version.to_string(), path.to_str()?.to_string());
        Some(Stamp { version, file, bytes: data.len(), modified, environment: environment() })
    }

    /// The stamp of the loaded library.
    pub(super) fn of_loaded(version: &str) -> Option<Stamp> {
        Stamp::of_file(&loaded_file()?, version)
    }

    /// Whether the same file would be loaded, and is unchanged.
    pub(super) fn is_current(&self) -> bool {
        Stamp::of_file(Path::new(&self.file), &self.version).as_ref() == Some(self)
    }

    pub(super) fn read(folder: &Path) -> Option<Stamp> {
        check_private(folder).ok()?;
        let text = quasar_files::read::text(&folder.join(Stamp::NAME)).ok()?;
        let mut lines = text.lines();
        let mut next = || lines.next().map(str::to_string);
        Some(Stamp {
            version: next()?,
            file: next()?,
            bytes: next()?.parse().ok()?,
            modified: next()?.parse().ok()?,
            environment: next()?,
        })
    }

    /// Writes the stamp file. Failure is harmless.
    pub(super) fn write(&self, folder: &Path) {
        let Stamp { version, file, bytes, modified, environment } = self;
        let text = format!("{version}\n{file}\n{bytes}\n{modified}\n{environment}\n");
        let temporary = folder.join(format!("stamp-{}.tmp", std::process::id()));
        let written = make_private(folder).and_then(|()| fs::write(&temporary, text));
        if written.and_then(|()| fs::rename(&temporary, folder.join(Stamp::NAME))).is_err() {
            let _ = fs::remove_file(&temporary);
        }
    }
}

/// A digest of the environment variables that influence which file is found.
fn environment() -> String {
    let values = [VARIABLE].into_iter().chain(OTHERS).map(|name| variable(name).unwrap_or_default());
    let values: Vec<OsString> = values.collect();
    let parts: Vec<&[u8]> = values.iter().map(|value| value.as_encoded_bytes()).collect();
    ImageKey::of(&parts).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_a_folder_is_taken() {
        let folder = std::env::temp_dir().join(format!("quasar-nvrtc-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        make_private(&folder).unwrap();
        assert_eq!(NVRTC.in_folder(&folder), None);
        for name in [
            "libnvrtc.so.9",
            "libnvrtc.so.13",
            "libnvrtc.alt.so.14",
            "libnvrtc.so",
            "libnvrtc-builtins.so.15",
        ] {
            fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(NVRTC.in_folder(&folder), Some(folder.join("libnvrtc.so.13")));
        assert_eq!(
            NVRTC.open(&folder.join("libnvrtc.so.13")).map(|_| ()),
            None,
            "an empty file is no library"
        );

        let stamp = Stamp::of_file(&folder.join("libnvrtc.so.13"), "13.0").unwrap();
        assert!(stamp.is_current());
        stamp.write(&folder);
        assert_eq!(Stamp::read(&folder), Some(stamp.clone()));
        fs::write(folder.join("libnvrtc.so.13"), "other").unwrap();
        assert!(!stamp.is_current());
        fs::write(folder.join(Stamp::NAME), "13.0\nfile\nmany\n").unwrap();
        assert_eq!(Stamp::read(&folder), None);
        fs::remove_dir_all(&folder).unwrap();
    }
}
