//! Trust in folders and files whose contents are executed or change what programs do.
//!
//! A predictable name can be created by an attacker first. A folder for compiled code must therefore belong to this
//! user alone, and a library or a configuration file to this user or the administrator. On systems without owners and
//! modes (Windows), the folders of the user's profile are as private as the system makes them.

use std::fs::{self, Metadata};
use std::io::{self, Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Flags for `open`: fail if the name is a symbolic link, and do not block if it is a pipe.
#[cfg(unix)]
pub const NO_LINKS: i32 = libc::O_NOFOLLOW | libc::O_NONBLOCK;

/// The environment variable with the cache folder.
pub const CACHE_FOLDER: &str = "QUASAR_CACHE_DIR";

/// The cache folder: `QUASAR_CACHE_DIR`, or the system's standard location for this user. It is neither created nor
/// checked: see [`make_private`].
pub fn cache_folder() -> PathBuf {
    cache_folder_from(|name| std::env::var_os(name).map(PathBuf::from), std::env::home_dir())
}

/// The same for given variables and home folder.
fn cache_folder_from(variable: impl Fn(&str) -> Option<PathBuf>, home: Option<PathBuf>) -> PathBuf {
    if let Some(own) = variable(CACHE_FOLDER).filter(|path| !path.as_os_str().is_empty()) {
        return std::path::absolute(&own).unwrap_or(own);
    }
    // A relative path would depend on the working directory.
    let absolute = |path: &PathBuf| path.is_absolute();
    // The caller's home comes from the user database if `HOME` is not set.
    let home = home.filter(absolute);
    let system = if cfg!(windows) {
        variable("LOCALAPPDATA").filter(absolute)
    } else if cfg!(target_os = "macos") {
        home.map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").filter(absolute).or_else(|| home.map(|home| home.join(".cache")))
    };
    match system {
        Some(system) => system.join("quasar"),
        // No home folder. Anybody can create this name, so its owner and mode decide whether it is used.
        None => std::env::temp_dir().join(format!("quasar-{}", user())),
    }
}

/// The effective user id of this process.
#[cfg(unix)]
pub fn user() -> u32 {
    // SAFETY: the function takes nothing, changes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// The effective user id of this process; always 0 here.
#[cfg(not(unix))]
pub fn user() -> u32 {
    0
}

/// Creates a folder that only this user can write to, or checks an existing one: its contents will be executed.
///
/// # Errors
/// It cannot be created, or [`ErrorKind::PermissionDenied`] with what others could do to it.
pub fn make_private(folder: &Path) -> io::Result<()> {
    if let Err(error) = check_private(folder) {
        if error.kind() != ErrorKind::NotFound {
            return Err(error);
        }
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        // Somebody else may have created it in the meantime.
        check_private(folder)?;
    }
    Ok(())
}

fn refused(path: &Path, what: &str, advice: &str) -> Error {
    Error::new(ErrorKind::PermissionDenied, format!("'{}' {what}; {advice}", path.display()))
}

/// Checks that a folder belongs to this user, that nobody else can write to it or replace it, and that it is no
/// symbolic link.
///
/// # Errors
/// [`ErrorKind::NotFound`] if there is none, [`ErrorKind::PermissionDenied`] with what others could do to it.
#[cfg(unix)]
pub fn check_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;

    let advice = format!("name a folder of your own by {CACHE_FOLDER}");
    let refused = |path: &Path, what: &str| Err(refused(path, what, &advice));
    let data = fs::symlink_metadata(folder)?;
    if data.is_symlink() {
        return refused(folder, "is a link, which could lead anywhere");
    }
    if !data.is_dir() {
        return refused(folder, "is not a folder");
    }
    if data.uid() != user() {
        return refused(folder, &format!("belongs to {}, not to {}", owner(data.uid()), owner(user())));
    }
    if data.mode() & 0o022 != 0 {
        let mode = data.mode() & 0o7777;
        let what = format!("can be written by other users (its mode is {mode:03o})");
        return Err(self::refused(folder, &what, &format!("run chmod go-w on it, or {advice}")));
    }
    let absolute = std::path::absolute(folder)?;
    for above in absolute.ancestors().skip(1) {
        let link = fs::symlink_metadata(above)?;
        let trusted = |data: &Metadata| data.uid() == user() || data.uid() == 0;
        if link.is_symlink() && !trusted(&link) {
            return refused(
                above,
                &format!("is a link of {}, who could let it lead elsewhere", owner(link.uid())),
            );
        }
        let data = fs::metadata(above)?;
        // In a sticky folder only the owner of an entry can rename it.
        const STICKY: u32 = 0o1000;
        if data.mode() & 0o002 != 0 && data.mode() & STICKY == 0 {
            return refused(above, "can be written by all users, who could replace what is in it");
        }
    }
    Ok(())
}

/// Checks that a folder exists. Permissions are left to the system.
///
/// # Errors
/// [`ErrorKind::NotFound`] if there is none.
#[cfg(not(unix))]
pub fn check_private(folder: &Path) -> io::Result<()> {
    let data = fs::symlink_metadata(folder)?;
    if data.is_dir() {
        Ok(())
    } else {
        Err(refused(folder, "is not a folder", &format!("name another one by {CACHE_FOLDER}")))
    }
}

/// Whether an open file in a private folder was created by this user, and nobody else can change it.
pub fn is_private(data: &Metadata) -> bool {
    data.is_file() && is_own(data)
}

#[cfg(unix)]
fn is_own(data: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    data.uid() == user() && data.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_own(_data: &Metadata) -> bool {
    true
}

/// Checks that a file which decides what is executed belongs to this user, the administrator or the owner of `beside`,
/// and that not everybody can change it.
///
/// # Errors
/// [`ErrorKind::PermissionDenied`] with what others could do to it.
#[cfg(unix)]
pub fn check_settings(path: &Path, data: &Metadata, beside: Option<&Path>) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;

    let host = beside.and_then(|beside| fs::metadata(beside).ok()).map(|data| data.uid());
    if data.uid() != user() && data.uid() != 0 && host != Some(data.uid()) {
        let what = format!("belongs to {}, not to {}", owner(data.uid()), owner(user()));
        return Err(refused(path, &what, "copy it, or run chown on it"));
    }
    if data.mode() & 0o002 != 0 {
        return Err(refused(path, "can be written by all users", "run chmod o-w on it"));
    }
    Ok(())
}

/// Checks nothing: permissions are left to the system.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn check_settings(_path: &Path, _data: &Metadata, _beside: Option<&Path>) -> io::Result<()> {
    Ok(())
}

/// Checks that a library and its folder belong to this user or the administrator, and that not everybody can change or
/// replace it.
///
/// # Errors
/// It cannot be found, or [`ErrorKind::PermissionDenied`] with what others could do to it.
pub fn check_library(file: &Path) -> io::Result<()> {
    let file = fs::canonicalize(file)?;
    let data = fs::metadata(&file)?;
    if !data.is_file() {
        return Err(refused(&file, "is not an ordinary file", "name the library's file or folder"));
    }
    check_settings(&file, &data, None)?;
    match file.parent() {
        Some(folder) => check_library_folder(folder),
        None => Ok(()),
    }
}

/// Checks that the folder of a library belongs to this user or the administrator, and that not everybody can change it.
fn check_library_folder(folder: &Path) -> io::Result<()> {
    let data = fs::metadata(folder)?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&data) & 0o1002 == 0o1002 {
        // Entries cannot be renamed by others, but files placed beside the library would be loaded with it.
        return Err(refused(
            folder,
            "can be written by all users",
            "copy the library to a folder of your own",
        ));
    }
    check_settings(folder, &data, None)
}

#[cfg(unix)]
fn owner(uid: u32) -> String {
    match uid {
        0 => "root".into(),
        uid => format!("user {uid}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_looked_for_where_the_system_keeps_them() {
        let folder = |given: &[(&str, &str)], home: Option<&str>| {
            let variable = |name: &str| {
                given.iter().find(|(known, _)| *known == name).map(|(_, value)| PathBuf::from(value))
            };
            cache_folder_from(variable, home.map(PathBuf::from))
        };
        assert_eq!(folder(&[(CACHE_FOLDER, "/own")], Some("/home/a")), Path::new("/own"));
        assert!(folder(&[(CACHE_FOLDER, "own")], None).is_absolute());
        let temporary = std::env::temp_dir().join(format!("quasar-{}", user()));
        assert_eq!(folder(&[], None), temporary);
        if cfg!(all(unix, not(target_os = "macos"))) {
            assert_eq!(folder(&[("XDG_CACHE_HOME", "/x")], Some("/home/a")), Path::new("/x/quasar"));
            assert_eq!(
                folder(&[("XDG_CACHE_HOME", "x")], Some("/home/a")),
                Path::new("/home/a/.cache/quasar")
            );
            assert_eq!(
                folder(&[("XDG_CACHE_HOME", "")], Some("/home/a")),
                Path::new("/home/a/.cache/quasar")
            );
            assert_eq!(folder(&[(CACHE_FOLDER, "")], Some("/home/a")), Path::new("/home/a/.cache/quasar"));
            assert_eq!(folder(&[], Some("home")), temporary, "a relative home is none");
        }
    }
}
