//! Atomic replacement of files: readers, also after a crash, see the old contents or the new ones.
//!
//! The new contents are written to a temporary file beside the target, which is then renamed over it. Links are
//! followed; mode, owner and group are kept; a file that this user may not write is not replaced. If the new file could
//! not equal the old one (several hard links, an owner that this user cannot set, or a folder that is not writable),
//! the old file is overwritten in place, in an order that loses nothing when the disk is full. Devices and pipes just
//! receive the bytes.
//!
//! Replaced contents also survive a power failure: the new ones are synced first. A file that did not exist is not
//! synced, as with `cp`.

use crate::memory;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Error, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Replaces the contents of a file, which need not exist.
///
/// # Errors
/// The system's error; the old contents are intact then.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    if memory::replace(path, contents) {
        return Ok(());
    }
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

/// Writes to a device or a pipe.
fn append(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(contents)?;
    file.flush()
}

fn replace_file(path: &Path, old: &Metadata, contents: &[u8]) -> io::Result<()> {
    // Write permission is checked on the file: a rename would only need that of the folder.
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

/// Whether a file has only one hard link.
#[cfg(unix)]
fn is_alone(data: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(data) == 1
}

#[cfg(not(unix))]
fn is_alone(_data: &Metadata) -> bool {
    true
}

/// Overwrites a file in place: first the part that extends it, which may not fit on the disk, then the old part.
fn overwrite(mut file: File, old: u64, contents: &[u8]) -> io::Result<()> {
    let kept = usize::try_from(old).unwrap_or(usize::MAX).min(contents.len());
    let (front, behind) = contents.split_at(kept);
    file.seek(SeekFrom::Start(kept as u64))?;
    if let Err(error) = file.write_all(behind) {
        // The first error is reported.
        let _ = file.set_len(old);
        return Err(error);
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(front)?;
    file.set_len(contents.len() as u64)?;
    file.sync_data()
}

/// Resolves a chain of symbolic links; the target need not exist. `None` for those into `/proc`, such as `/dev/stdout`:
/// they refer to an open file, which must not be replaced by a new one.
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

/// In world-writable sticky folders, such as the one for temporary files, links of other users are not followed.
/// Systems refuse that too when a file is opened through such a link.
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

/// Writes a temporary file beside the target, with the attributes of the old one if it exists, and renames it.
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
        // The first error is reported.
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// Creates a temporary file in the target's folder; readable by this user alone if its mode is set later.
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
        // Independent of the target's name, which may have the maximal length already.
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".quasar-{}-{number}.tmp", std::process::id());
        let temporary = folder_of(target).join(name);
        match options.open(&temporary) {
            // Left by a killed process with the same id.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && tries < MOST_TRIES => tries += 1,
            opened => return opened.map(|file| (temporary, file)),
        }
    }
}

/// Copies owner, group and mode of the old file to the new one.
#[cfg(unix)]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))?;
    }
    // New contents do not inherit the set-user-id and set-group-id bits.
    file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
