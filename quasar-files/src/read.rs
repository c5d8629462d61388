//! Reads files that programs and users name: only ordinary files, with a size limit for text.
//!
//! A pipe would block, `/dev/zero` never ends, and pseudo-files under `/proc` and `/sys` are not real files.

use crate::{memory, trust};
#[cfg(unix)]
use std::fs;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Cursor, Error, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

/// The maximal size in bytes of source text or a configuration file: some hundred thousand lines.
pub const MOST_TEXT: u64 = 64 << 20;

/// An open file: one of the system, or a copy of one in memory.
#[derive(Debug)]
pub enum Source {
    /// Of the system.
    File(File),
    /// In memory.
    Memory(Cursor<Vec<u8>>),
}

impl Source {
    /// The size of the file in bytes.
    ///
    /// # Errors
    /// The system's error.
    pub fn size(&self) -> io::Result<u64> {
        match self {
            Source::File(file) => file.metadata().map(|data| data.len()),
            Source::Memory(bytes) => Ok(bytes.get_ref().len() as u64),
        }
    }
}

impl Read for Source {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::File(file) => file.read(bytes),
            Source::Memory(memory) => memory.read(bytes),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        match self {
            Source::File(file) => file.seek(place),
            Source::Memory(memory) => memory.seek(place),
        }
    }
}

/// Opens an ordinary file.
///
/// # Errors
/// The system's error, or which other kind of file the path refers to.
pub fn open(path: &Path) -> io::Result<Source> {
    if let Some(found) = memory::bytes(path) {
        return found.map(|bytes| Source::Memory(Cursor::new(bytes)));
    }
    open_with_data(path).map(|(file, _)| Source::File(file))
}

fn open_with_data(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Otherwise a pipe without a writer would block here, and a terminal could become the controlling one of this
    // process.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = options.open(path)?;
    let data = file.metadata()?;
    if data.is_dir() {
        return Err(Error::new(ErrorKind::IsADirectory, "this is a folder, not a file"));
    }
    if !data.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "this is a device or a pipe, not a file"));
    }
    if is_of_system(&data) {
        return Err(Error::new(ErrorKind::InvalidInput, "this is information of the system, not a file"));
    }
    Ok((file, data))
}

/// Whether a file is in a pseudo file system of the kernel.
#[cfg(unix)]
fn is_of_system(data: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let root = fs::metadata("/").map(|root| root.dev()).ok();
    let shows_system = |folder: &str| fs::metadata(folder).is_ok_and(|found| found.dev() == data.dev());
    Some(data.dev()) != root && (shows_system("/proc") || shows_system("/sys"))
}

#[cfg(not(unix))]
fn is_of_system(_data: &Metadata) -> bool {
    false
}

/// Whether there is a file or a folder of this name.
pub fn exists(path: &Path) -> bool {
    memory::exists(path).unwrap_or_else(|| path.exists())
}

/// Reads an ordinary file.
///
/// # Errors
/// As [`open`], or there is not enough memory.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    if let Some(found) = memory::bytes(path) {
        return found;
    }
    let (file, data) = open_with_data(path)?;
    rest(file, &data, u64::MAX)
}

/// Reads a file that begins with `signature`; `None` for others, which are not read further.
///
/// # Errors
/// As [`open`], or there is not enough memory.
pub fn bytes_after(path: &Path, signature: &[u8]) -> io::Result<Option<Vec<u8>>> {
    if let Some(found) = memory::bytes(path) {
        return found.map(|bytes| bytes.starts_with(signature).then_some(bytes));
    }
    let (mut file, data) = open_with_data(path)?;
    let mut begin = Vec::new();
    (&mut file).take(signature.len() as u64).read_to_end(&mut begin)?;
    if begin != signature {
        return Ok(None);
    }
    // Includes the bytes read so far; reserving a few too many does no harm.
    rest(file, &data, u64::MAX).map(Some)
}

fn rest(file: File, data: &Metadata, most: u64) -> io::Result<Vec<u8>> {
    let too_large = |size: u64| {
        let text = format!("the file is too large: {} MB, at most {} MB are read", size >> 20, most >> 20);
        Error::new(ErrorKind::FileTooLarge, text)
    };
    if data.len() > most {
        return Err(too_large(data.len()));
    }
    let mut bytes = Vec::new();
    let size = usize::try_from(data.len()).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(size).map_err(|_| {
        let text = format!("not enough memory for the {} MB of this file", data.len() >> 20);
        Error::new(ErrorKind::OutOfMemory, text)
    })?;
    // The file may grow while it is read.
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if read as u64 > most { Err(too_large(read as u64)) } else { Ok(bytes) }
}

/// Reads the text of an ordinary file, of at most [`MOST_TEXT`] bytes.
///
/// # Errors
/// As [`open`], or the file is too large or not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    if let Some(found) = memory::bytes(path) {
        return text_of(found?);
    }
    let (file, data) = open_with_data(path)?;
    text_of(rest(file, &data, MOST_TEXT)?)
}

/// The text of an imported module; `None` if there is no such file.
///
/// # Errors
/// Why the file cannot be read.
pub fn module(path: &Path) -> Result<Option<String>, String> {
    match text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Reads the text of a table of any size.
///
/// # Errors
/// As [`bytes`], or the file is not UTF-8.
pub fn long_text(path: &Path) -> io::Result<String> {
    text_of(bytes(path)?)
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(
            ErrorKind::InvalidData,
            format!("this is no text in UTF-8: byte {at} is not part of a character"),
        )
    })
}

/// Reads a configuration file, checked by [`trust::check_settings`].
///
/// # Errors
/// As [`text`], or others could change the file.
pub fn settings(path: &Path, beside: Option<&Path>) -> io::Result<String> {
    let (file, data) = open_with_data(path)?;
    trust::check_settings(path, &data, beside)?;
    text_of(rest(file, &data, MOST_TEXT)?)
}
