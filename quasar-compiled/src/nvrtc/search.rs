//! Where NVRTC is: `$QUASAR_NVRTC`, where the loader of the system finds it, then the usual places of CUDA toolkits and
//! of the Python package.

use crate::Unavailable;
use crate::cache::{ImageKey, make_private};
use cudarc::nvrtc::sys;
use libloading::Library;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

/// Names the library's file or folder.
const VARIABLE: &str = "QUASAR_NVRTC";
/// What else decides which file is found.
const OTHERS: [&str; 5] = ["LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "VIRTUAL_ENV"];

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The library, which stays loaded.
pub(super) fn library() -> Result<&'static Library, Unavailable> {
    if let Some(named) = variable(VARIABLE).map(PathBuf::from) {
        let file = if named.is_dir() { in_folder(&named) } else { Some(named.clone()) };
        let library = file.as_deref().and_then(open);
        return library
            .ok_or_else(|| Unavailable::new(format!("{VARIABLE} names no NVRTC: '{}'", named.display())));
    }
    // SAFETY: loading NVRTC runs its start-up code, as in every program that uses it.
    if unsafe { sys::is_culib_present() } {
        // SAFETY: as above; it was found, so the binding does not panic.
        return Ok(unsafe { sys::culib() });
    }
    folders().iter().filter_map(|folder| in_folder(folder)).find_map(|file| open(&file)).ok_or_else(|| {
        Unavailable::new(format!(
            "NVRTC was not found; install the CUDA toolkit, or set {VARIABLE} to its libnvrtc"
        ))
    })
}

/// Loads NVRTC from a file, after its second library, which it would look for by name.
fn open(file: &Path) -> Option<&'static Library> {
    let folder = file.parent().unwrap_or(Path::new("."));
    for builtins in files(folder, "libnvrtc-builtins.so.") {
        // SAFETY: as below.
        if let Ok(library) = unsafe { Library::new(&builtins) } {
            std::mem::forget(library);
        }
    }
    // SAFETY: the file is called like NVRTC in a place for libraries, or the user names it; loading runs its start-up code.
    let library = unsafe { Library::new(file) }.ok()?;
    OPENED.get_or_init(|| file.to_path_buf());
    Some(Box::leak(Box::new(library)))
}

/// The file that `open` loaded.
static OPENED: OnceLock<PathBuf> = OnceLock::new();

/// The newest NVRTC of a folder.
fn in_folder(folder: &Path) -> Option<PathBuf> {
    files(folder, "libnvrtc.so.").pop()
}

/// The files of a folder whose name is this and a version, oldest version first.
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

/// Folders in which NVRTC may be, in the order of preference.
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

/// The folders below one whose names begin like this, by name.
fn children(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let named =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(named).collect();
    found.sort();
    found
}

/// The file that the loader of the system chose.
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

/// A note of which file has which version, to know it without loading the file.
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

    /// A note about the loaded library.
    pub(super) fn of_loaded(version: &str) -> Option<Stamp> {
        Stamp::of_file(&loaded_file()?, version)
    }

    /// Whether the same file would be loaded, and is what it was.
    pub(super) fn is_current(&self) -> bool {
        Stamp::of_file(Path::new(&self.file), &self.version).as_ref() == Some(self)
    }

    pub(super) fn read(folder: &Path) -> Option<Stamp> {
        let text = fs::read_to_string(folder.join(Stamp::NAME)).ok()?;
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

    /// Notes it; a folder that cannot be written only costs time.
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

/// A digest of the variables that decide which file is found.
fn environment() -> String {
    let values = [VARIABLE].into_iter().chain(OTHERS).map(|name| variable(name).unwrap_or_default());
    let values: Vec<OsString> = values.collect();
    let parts: Vec<&[u8]> = values.iter().map(|value| value.as_encoded_bytes()).collect();
    format!("{:?}", ImageKey::of(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_a_folder_is_taken() {
        let folder = std::env::temp_dir().join(format!("quasar-nvrtc-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(in_folder(&folder), None);
        for name in [
            "libnvrtc.so.9",
            "libnvrtc.so.13",
            "libnvrtc.alt.so.14",
            "libnvrtc.so",
            "libnvrtc-builtins.so.15",
        ] {
            fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(in_folder(&folder), Some(folder.join("libnvrtc.so.13")));
        assert_eq!(open(&folder.join("libnvrtc.so.13")).map(|_| ()), None, "an empty file is no library");

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
