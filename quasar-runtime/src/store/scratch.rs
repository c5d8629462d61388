//! A file for an array that a program makes between stored ones and that is too large for memory. It has no name, so that nothing is left
//! of it, however the program ends.

use super::Backing;
use crate::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folder for such files: where the last new store lies, since a large result has room there.
static FOLDER: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Has files lie beside a store.
pub(super) fn lie_beside(store: &Path) {
    let folder = store.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    *FOLDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder.to_path_buf());
}

/// A file with the rows of an array; what nobody wrote is 0.
pub(super) struct Scratch {
    file: Mutex<File>,
    rows: usize,
    row_bytes: usize,
    writers: Mutex<Writers>,
}

/// Who wrote an array.
#[derive(Clone, Copy, Debug)]
pub(super) enum Writers {
    Nobody,
    One(u64),
    /// One, who has done all.
    Done(u64),
    Several,
}

impl Writers {
    pub(super) fn and(self, writer: Option<u64>) -> Writers {
        match (self, writer) {
            (Writers::Nobody, Some(writer)) => Writers::One(writer),
            _ => Writers::Several,
        }
    }

    pub(super) fn done(self) -> Writers {
        match self {
            Writers::One(writer) => Writers::Done(writer),
            other => other,
        }
    }

    /// Where the elements come from.
    pub(super) fn origin(self) -> Option<u64> {
        match self {
            Writers::Nobody => Some(0),
            Writers::Done(writer) => Some(writer),
            _ => None,
        }
    }
}

impl Scratch {
    pub(super) fn for_rows(rows: usize, row_bytes: usize) -> Result<Box<dyn Backing>> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = FOLDER.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let folder = folder.filter(|folder| folder.is_dir()).unwrap_or_else(std::env::temp_dir);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".quasar-{}-{number}.rows", std::process::id()));
        let failed = |error: std::io::Error| {
            Error::system(format!("a file for an array, {}: {error}", path.display()))
        };
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).map_err(failed)?;
        // What has no name any more goes with the program.
        let _ = std::fs::remove_file(&path);
        let bytes = (rows as u64).saturating_mul(row_bytes as u64);
        file.set_len(bytes).map_err(failed)?;
        Ok(Box::new(Scratch {
            file: Mutex::new(file),
            rows,
            row_bytes,
            writers: Mutex::new(Writers::Nobody),
        }))
    }

    fn writers(&self) -> MutexGuard<'_, Writers> {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at(&self, rows: &Range<usize>, f: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let start = rows.start as u64 * self.row_bytes as u64;
        let done = file.seek(SeekFrom::Start(start)).and_then(|_| f(&mut file));
        done.map_err(|error| Error::system(format!("the file for {}: {error}", self.name())))
    }
}

impl Backing for Scratch {
    fn name(&self) -> String {
        format!("an array of {} rows of {} bytes", self.rows, self.row_bytes)
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    fn unit(&self) -> usize {
        1
    }

    fn chunk_bytes(&self) -> usize {
        0
    }

    fn is_fixed(&self) -> bool {
        false
    }

    fn read(&self, rows: Range<usize>, into: &mut [u8]) -> Result<()> {
        self.at(&rows, |file| file.read_exact(into))
    }

    fn write(&self, rows: Range<usize>, from: &[u8]) -> Result<()> {
        self.at(&rows, |file| file.write_all(from))
    }

    fn finish(&self) -> Result<()> {
        Ok(())
    }

    fn origin(&self) -> Option<u64> {
        self.writers().origin()
    }

    fn claim(&self, writer: Option<u64>) -> Result<()> {
        let mut writers = self.writers();
        *writers = writers.and(writer);
        Ok(())
    }

    fn done_from(&self, first: i32) -> i32 {
        first
    }

    fn done(&self, _positions: Range<i32>, _rows: &[Range<usize>]) -> Result<()> {
        Ok(())
    }

    fn complete(&self) {
        let mut writers = self.writers();
        *writers = writers.done();
    }
}
