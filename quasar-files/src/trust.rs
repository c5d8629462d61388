//! Which folders and files are trusted with what is executed or changes what programs do.
//!
//! A name that others can guess is a name that others can create first. A folder for compiled code is therefore one of this
//! user alone, and a library or a configuration file belongs to this user or to the administrator. Where a system has no
//! owners and modes (Windows), the folders of the user's profile are as private as the system makes them.

use std::fs::{self, Metadata};
use std::io::{self, Error, ErrorKind};
use std::path::{Path, PathBuf};

/// What makes the opening of a file fail where its name is a link, and not wait where it is a pipe.
#[cfg(unix)]
pub const NO_LINKS: i32 = libc::O_NOFOLLOW | libc::O_NONBLOCK;

/// Names the folder for what can be made again.
pub const CACHE_FOLDER: &str = "QUASAR_CACHE_DIR";

/// The folder for what can be made again: `QUASAR_CACHE_DIR`, or where the system keeps such things for this user. It is
/// neither made nor checked: see [`make_private`].
pub fn cache_folder() -> PathBuf {
    cache_folder_from(|name| std::env::var_os(name).map(PathBuf::from), std::env::home_dir())
}

/// The same for these variables and this home.
fn cache_folder_from(variable: impl Fn(&str) -> Option<PathBuf>, home: Option<PathBuf>) -> PathBuf {
    if let Some(own) = variable(CACHE_FOLDER).filter(|path| !path.as_os_str().is_empty()) {
        return std::path::absolute(&own).unwrap_or(own);
    }
    // A relative path would mean another folder in each working directory.
    let absolute = |path: &PathBuf| path.is_absolute();
    // Without `HOME`, the system's list of users knows the home.
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
        // A user without a home. Everybody can create this name, so its owner and mode decide whether it is used.
        None => std::env::temp_dir().join(format!("quasar-{}", user())),
    }
}

/// The number of the user for whom this process acts.
#[cfg(unix)]
pub fn user() -> u32 {
    // SAFETY: the function takes nothing, changes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// The number of the user for whom this process acts.
#[cfg(not(unix))]
pub fn user() -> u32 {
    0
}

/// Makes a folder that nobody else can write to, or checks that one is like that: what is in it will be executed.
///
/// # Errors
/// It cannot be made, or [`ErrorKind::PermissionDenied`] with what others could do to it.
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
        // Somebody else may have been faster.
        check_private(folder)?;
    }
    Ok(())
}

fn refused(path: &Path, what: &str, advice: &str) -> Error {
    Error::new(ErrorKind::PermissionDenied, format!("'{}' {what}; {advice}", path.display()))
}

/// Checks that a folder belongs to this user, that nobody else can write to it or put another one in its place, and that
/// it is no link.
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
        // In a folder with this bit only the owner of an entry can rename it.
        const STICKY: u32 = 0o1000;
        if data.mode() & 0o002 != 0 && data.mode() & STICKY == 0 {
            return refused(above, "can be written by all users, who could replace what is in it");
        }
    }
    Ok(())
}

/// Checks that a folder is there. Who may write to it is the system's concern.
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

/// Checks that an open file in a private folder was made by this user, and that nobody else can change it.
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

/// Checks nothing: who may write to a file is the system's concern.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn check_settings(_path: &Path, _data: &Metadata, _beside: Option<&Path>) -> io::Result<()> {
    Ok(())
}

/// Checks that a library belongs to this user or the administrator, as does its folder, and that not everybody can
/// change it or put another one in its place.
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
        // Nobody else can rename what is in such a folder, but what lies beside the library would be loaded with it.
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
