//! A folder of the file system as the place where chunks lie. Each file is written beside and renamed, so that readers, also after the
//! program was killed, find a whole chunk or none: `zarrs_filesystem` empties a file before it writes.

use crate::{Failure, Journal};
use std::fs;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use zarrs::storage::byte_range::{ByteRange, ByteRangeIterator, InvalidByteRangeError};
use zarrs::storage::{
    Bytes, MaybeBytesIterator, OffsetBytesIterator, ReadableStorageTraits, StorageError, StoreKey,
    StorePrefix, WritableStorageTraits,
};

/// The file that says what an array is.
pub(crate) const METADATA: &str = "zarr.json";

/// A folder with the chunks of one array.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether each chunk must be there: one that is missing was lost.
    whole: AtomicBool,
    /// Bytes of a file, at most: no chunk of the array takes more.
    most: u64,
}

impl Folder {
    pub(crate) fn new(path: &Path, whole: bool, most: u64) -> Folder {
        Folder { path: path.to_path_buf(), whole: AtomicBool::new(whole), most }
    }

    pub(crate) fn expect_all(&self, all: bool) {
        self.whole.store(all, Ordering::Relaxed);
    }

    /// The file of a key.
    pub(crate) fn file(&self, key: &str) -> Result<PathBuf, StorageError> {
        let name = Path::new(key);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if name.as_os_str().is_empty() || !name.components().all(plain) {
            return Err(StorageError::Other(format!("'{key}' names no chunk")));
        }
        Ok(self.path.join(name))
    }

    fn missing(&self, key: &StoreKey) -> Result<(), StorageError> {
        if self.whole.load(Ordering::Relaxed) && key.as_str() != METADATA {
            return Err(StorageError::Other(format!("chunk {key} is missing")));
        }
        Ok(())
    }

    fn read(&self, key: &StoreKey, range: ByteRange) -> Result<Option<Vec<u8>>, StorageError> {
        let path = self.file(key.as_str())?;
        let of_chunk = |error: io::Error| StorageError::Other(format!("chunk {key}: {error}"));
        let mut file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return self.missing(key).map(|()| None),
            Err(error) => return Err(of_chunk(error)),
        };
        let about = file.metadata().map_err(of_chunk)?;
        if !about.is_file() {
            return Err(StorageError::Other(format!("chunk {key} is no file")));
        }
        let size = about.len();
        if size > self.most {
            let message =
                format!("chunk {key} is damaged: it has {size} bytes, and no chunk of the array so many");
            return Err(StorageError::Other(message));
        }
        let bytes = range.start(size)..range.end(size);
        if bytes.start > bytes.end || bytes.end > size {
            return Err(InvalidByteRangeError::new(range, size).into());
        }
        file.seek(SeekFrom::Start(bytes.start)).map_err(of_chunk)?;
        let mut content = Vec::new();
        file.take(bytes.end - bytes.start).read_to_end(&mut content).map_err(of_chunk)?;
        if content.len() as u64 != bytes.end - bytes.start {
            return Err(StorageError::Other(format!("chunk {key} became shorter while it was read")));
        }
        Ok(Some(content))
    }
}

/// The names of arrays and groups in a folder.
pub(crate) fn members(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let inner = entries.filter(|entry| entry.path().join(METADATA).is_file());
    let mut names: Vec<String> =
        inner.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Removes the chunks of an array and what describes it; nothing else.
pub(crate) fn clear(path: &Path) -> Result<(), Failure> {
    let gone = |done: io::Result<()>| match done {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::new(error.to_string())),
        _ => Ok(()),
    };
    // The description goes first: what is left of a killed program is no array.
    gone(fs::remove_file(path.join(METADATA)))?;
    Journal::remove(path)?;
    gone(fs::remove_dir_all(path.join("c")))
}

impl ReadableStorageTraits for Folder {
    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        let mut found = Vec::new();
        for range in ranges {
            match self.read(key, range)? {
                Some(bytes) => found.push(Ok(Bytes::from(bytes))),
                None => return Ok(None),
            }
        }
        Ok(Some(Box::new(found.into_iter())))
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        match fs::metadata(self.file(key.as_str())?) {
            Ok(about) => Ok(Some(about.len())),
            Err(error) if error.kind() == ErrorKind::NotFound => self.missing(key).map(|()| None),
            Err(error) => Err(error.into()),
        }
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

impl WritableStorageTraits for Folder {
    fn set(&self, key: &StoreKey, value: Bytes) -> Result<(), StorageError> {
        let path = self.file(key.as_str())?;
        let of_chunk = |error: io::Error| StorageError::Other(format!("chunk {key}: {error}"));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(of_chunk)?;
        }
        quasar_files::replace::replace(&path, &value).map_err(of_chunk)
    }

    fn set_partial_many(&self, key: &StoreKey, _: OffsetBytesIterator<'_>) -> Result<(), StorageError> {
        Err(StorageError::Other(format!("chunk {key}: files are written as a whole")))
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        match fs::remove_file(self.file(key.as_str())?) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        Err(StorageError::Other(format!("'{prefix}' is kept: single chunks are removed")))
    }

    fn supports_set_partial(&self) -> bool {
        false
    }
}
