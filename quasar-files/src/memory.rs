//! Files in memory: what a thread reads and writes instead of the system's files, where there are none (WebAssembly) or where a
//! program shall not reach them.
//!
//! All functions of [`crate::read`] and [`crate::replace`] use them. Files are written as a whole: who writes piece by piece, or lists a
//! folder, gets the error of [`only_whole`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Error, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Contents by path.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

thread_local! {
    static FILES: RefCell<Option<Files>> = const { RefCell::new(None) };
}

/// From now on this thread has these files and no others; with `None`, those of the system. The result is what it had.
pub fn install(files: Option<Files>) -> Option<Files> {
    FILES.replace(files.map(|files| files.into_iter().map(|(path, bytes)| (plain(&path), bytes)).collect()))
}

/// Whether this thread has files in memory.
pub fn are_installed() -> bool {
    FILES.try_with(|files| files.borrow().is_some()).unwrap_or(false)
}

/// `./a` and `a` are one file.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// Does something with the files in memory, if there are any.
fn with<R>(f: impl FnOnce(&mut Files) -> R) -> Option<R> {
    FILES.try_with(|files| files.borrow_mut().as_mut().map(f)).ok().flatten()
}

/// The contents of a file in memory; `None` if this thread has the files of the system.
pub(crate) fn bytes(path: &Path) -> Option<io::Result<Vec<u8>>> {
    let missing = || Error::new(ErrorKind::NotFound, "there is no such file");
    with(|files| files.get(&plain(path)).cloned().ok_or_else(missing))
}

/// Whether there is such a file; `None` if this thread has the files of the system.
pub(crate) fn exists(path: &Path) -> Option<bool> {
    with(|files| files.contains_key(&plain(path)))
}

/// Replaces a file in memory; `false` if this thread has the files of the system.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> bool {
    with(|files| files.insert(plain(path), contents.to_vec())).is_some()
}

/// Refuses what needs a file of the system, such as one that is written piece by piece, while there are files in memory.
///
/// # Errors
/// If this thread has files in memory.
pub fn only_whole() -> io::Result<()> {
    let text = "there are only files in memory here, which are written as a whole and not listed";
    if are_installed() { Err(Error::new(ErrorKind::Unsupported, text)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read, replace as on_disk};
    use std::io::{Read, Seek, SeekFrom};

    #[test]
    fn a_thread_has_the_files_in_memory_alone() {
        let own = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert!(read::exists(own) && read::bytes(own).is_ok());
        let files = Files::from([(PathBuf::from("./a.txt"), b"one".to_vec())]);
        assert!(install(Some(files)).is_none());
        assert_eq!(read::text(Path::new("a.txt")).unwrap(), "one");
        assert_eq!(read::module(Path::new("b.q")), Ok(None));
        assert_eq!(read::bytes_after(Path::new("a.txt"), b"on").unwrap().unwrap(), b"one");
        assert_eq!(read::bytes_after(Path::new("a.txt"), b"x").unwrap(), None);
        assert!(!read::exists(own) && read::bytes(own).is_err());
        let mut open = read::open(Path::new("a.txt")).unwrap();
        let (mut text, size) = (String::new(), open.size().unwrap());
        open.seek(SeekFrom::Start(1)).unwrap();
        open.read_to_string(&mut text).unwrap();
        assert_eq!((&text[..], size), ("ne", 3));
        assert_eq!(read::open(own).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(only_whole().unwrap_err().kind(), ErrorKind::Unsupported);
        on_disk::replace(Path::new("./b.txt"), b"two").unwrap();
        assert!(read::exists(Path::new("b.txt")));
        let left = install(None).unwrap();
        assert_eq!(left.get(Path::new("b.txt")).map(|bytes| &bytes[..]), Some(&b"two"[..]));
        assert!(read::exists(own) && !read::exists(Path::new("b.txt")));
    }

    /// Reports are written when the process ends, behind the end of what threads have.
    #[test]
    fn files_are_asked_for_at_the_end_of_threads() {
        struct AtEnd;
        impl Drop for AtEnd {
            fn drop(&mut self) {
                assert!(!are_installed() && bytes(Path::new("x")).is_none());
            }
        }
        thread_local! {
            static BEFORE: AtEnd = const { AtEnd };
            static BEHIND: AtEnd = const { AtEnd };
        }
        let thread = std::thread::spawn(|| {
            BEFORE.with(|_| {});
            install(None);
            BEHIND.with(|_| {});
        });
        thread.join().expect("a thread that ends");
    }
}
