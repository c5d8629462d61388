//! Writing files so that readers, and whoever looks after a crash, see the old contents or the new ones.
//!
//! The new contents are written beside the old file, which then gets replaced in one step. What others know of the file
//! stays: links are followed, mode, owner and group are kept, and a file that this user may not write is not replaced
//! either. Where a new file could not be like the old one (it has several names, another owner that this user cannot give, or a
//! folder that this user cannot write to), the contents of the old file are changed, last what could be lost. Devices and pipes
//! simply get the bytes.
//!
//! Old contents that are replaced survive a failure of power as well: the new ones are on the disk first. A file that is new is
//! left to the system, as `cp` does.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Error, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes these bytes the contents of a file.
///
/// # Errors
/// As the system says it; the old contents are still there then.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(data) if data.is_file() => replace_file(path, &data, contents),
        Ok(data) if data.is_dir() => Err(Error::new(ErrorKind::IsADirectory, "this is a folder, not a file")),
        Ok(_) => append(path, contents),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let target = followed(path)?.ok_or(error)?;
            write_beside(&target, None, contents)
        }
        Err(error) => Err(error),
    }
}

/// What a device or a pipe gets.
fn append(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(contents)?;
    file.flush()
}

fn replace_file(path: &Path, old: &Metadata, contents: &[u8]) -> io::Result<()> {
    // Whether this user may write the file is the file's concern, not that of its folder.
    let file = OpenOptions::new().write(true).open(path)?;
    let target = followed(path)?.filter(|_| is_alone(old));
    let Some(target) = target else { return overwrite(file, old.len(), contents) };
    match write_beside(&target, Some(old), contents) {
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            overwrite(file, old.len(), contents)
        }
        done => done,
    }
}

/// Whether a file has one name only.
#[cfg(unix)]
fn is_alone(data: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(data) == 1
}

#[cfg(not(unix))]
fn is_alone(_data: &Metadata) -> bool {
    true
}

/// Changes the contents of a file: first what is longer, for which there may be no room, then what was there.
fn overwrite(mut file: File, old: u64, contents: &[u8]) -> io::Result<()> {
    let kept = usize::try_from(old).unwrap_or(usize::MAX).min(contents.len());
    let (front, behind) = contents.split_at(kept);
    file.seek(SeekFrom::Start(kept as u64))?;
    if let Err(error) = file.write_all(behind) {
        // The first error says what went wrong.
        let _ = file.set_len(old);
        return Err(error);
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(front)?;
    file.set_len(contents.len() as u64)?;
    file.sync_data()
}

/// The file that a chain of links leads to, which need not exist. None for those of the system, such as `/dev/stdout`: they stand
/// for files that a process has open, of which a new one would make two.
fn followed(path: &Path) -> io::Result<Option<PathBuf>> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if cfg!(unix) && path.starts_with("/proc") {
            return Ok(None);
        }
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_symlink() => {
                check_link(&path, &data)?;
                let target = fs::read_link(&path)?;
                path = folder_of(&path).join(target);
            }
            _ => return Ok(Some(path)),
        }
    }
    Err(Error::other("too many links lead to each other"))
}

/// In folders where everybody may make files, such as the one for temporary files, the links of others are not followed:
/// systems refuse that too where files are opened by such a name.
#[cfg(unix)]
fn check_link(path: &Path, link: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    const FOR_ALL: u32 = 0o1002;
    let folder = fs::metadata(folder_of(path))?;
    let trusted = link.uid() == crate::trust::user() || link.uid() == folder.uid();
    if folder.mode() & FOR_ALL == FOR_ALL && !trusted {
        let text = "this is a link of another user in a folder that all users can write to";
        return Err(Error::new(ErrorKind::PermissionDenied, text));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_link(_path: &Path, _link: &Metadata) -> io::Result<()> {
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a new file beside the target, like the old one if there is one, and gives it the target's name.
fn write_beside(target: &Path, old: Option<&Metadata>, contents: &[u8]) -> io::Result<()> {
    if target.file_name().is_none() || target.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(Error::new(ErrorKind::InvalidInput, "this is not the name of a file"));
    }
    let (temporary, mut file) = new_beside(target, old.is_some())?;
    let written = file.write_all(contents).and_then(|()| match old {
        None => Ok(()),
        Some(old) => {
            keep_owner_and_mode(&file, old)?;
            file.sync_data()
        }
    });
    drop(file);
    let done = written.and_then(|()| fs::rename(&temporary, target));
    if done.is_err() {
        // The first error says what went wrong.
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// A new file in the target's folder, which nobody else can read if its mode is still to be given.
fn new_beside(target: &Path, private: bool) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    const MOST_TRIES: usize = 100;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let _ = private;
    let mut tries = 0;
    loop {
        // Of a length of its own: with the target's name in it, it could be too long where the target's is not.
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".quasar-{}-{number}.tmp", std::process::id());
        let temporary = folder_of(target).join(name);
        match options.open(&temporary) {
            // Left by a process of the same number that was killed.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && tries < MOST_TRIES => tries += 1,
            opened => return opened.map(|file| (temporary, file)),
        }
    }
}

/// Gives a new file the owner, the group and the mode of the old one.
#[cfg(unix)]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))?;
    }
    // New contents do not inherit the right to run as their owner.
    file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
