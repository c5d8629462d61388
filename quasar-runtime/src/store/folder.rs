//! Arrays in folders of chunks, as `quasar-store` reads and writes them.

use super::digest::Digest;
use super::scratch::Writers;
use super::{Backing, budget, scratch};
use crate::array::Array;
use crate::error::{Error, Place, Result};
use crate::threads;
use num_complex::Complex;
use quasar_devicelib::element::{Element, ElementType};
use quasar_devicelib::value::Value;
use quasar_store::{Compression, Journal, Kind, Layout, Store};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What an array for a new folder is.
#[derive(Clone, Debug)]
pub struct NewArray {
    /// What an element is.
    pub element: ElementType,
    /// The extents.
    pub dims: Vec<usize>,
    /// The extents of a chunk; chosen where nothing is said.
    pub chunks: Option<Vec<usize>>,
    /// Whether chunks are compressed as `gzip` does.
    pub gzip: bool,
}

/// The array in a folder.
///
/// # Errors
/// There is none, or it is one that programs cannot read.
pub fn open(path: &Path) -> Result<Value> {
    // What this program wrote there is to be seen.
    if Taken::is_written(path) {
        super::flush()?;
    }
    let taken = Taken::take(path, Use::Read);
    let store = Store::open(path).map_err(|failure| failed("open_array", path, &failure))?;
    value(Folder { taken, ..Folder::new("open_array", store, true) })
}

/// A new array of zeros in a folder.
///
/// # Errors
/// The folder holds something else, or cannot be written.
pub fn create(path: &Path, new: &NewArray) -> Result<Value> {
    let compression = if new.gzip { Compression::Gzip } else { Compression::None };
    let layout =
        Layout { kind: kind(new.element), dims: new.dims.clone(), chunks: new.chunks.clone(), compression };
    // Arrays that the program has forgotten are done.
    budget::flush_forgotten()?;
    let taken = Taken::take(path, Use::Written).ok_or_else(|| {
        let failure =
            quasar_store::Failure::new("this program has an array of that folder, which it reads or writes");
        failed("create_array", path, &failure)
    })?;
    // What a program left that was ended stays, until it shows whether this one does the same.
    let left = Store::reopen(path, &layout).and_then(|store| Some((store, Journal::left(path)?)));
    let (store, journal) = match left {
        Some((store, journal)) => (store, Some(journal)),
        None => {
            (Store::create(path, &layout).map_err(|failure| failed("create_array", path, &failure))?, None)
        }
    };
    scratch::lie_beside(path);
    let mut folder = Folder::new("create_array", store, false);
    folder.taken = Some(taken);
    folder.alone().left = journal;
    value(folder)
}

fn failed(function: &'static str, path: &Path, failure: &quasar_store::Failure) -> Error {
    Error::File { place: Place::UNKNOWN, function, path: path.to_path_buf(), message: failure.to_string() }
}

fn value(folder: Folder) -> Result<Value> {
    let dims = folder.dims.clone();
    let backing = Box::new(folder);
    macro_rules! arms {
        ($($kind:ident $type:ty),*) => {
            match backing.kind {
                $(Kind::$kind => Array::<$type>::stored(&dims, backing).map(|array| array.to_value()),)*
            }
        };
    }
    arms!(I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 half::f16, F32 f32, F64 f64,
        C32 Complex<f32>, C64 Complex<f64>)
}

fn kind(element: ElementType) -> Kind {
    macro_rules! arms {
        ($($kind:ident $type:ty),*) => {
            $(if element == <$type as Element>::TYPE {
                return Kind::$kind;
            })*
        };
    }
    arms!(I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 half::f16, F64 f64,
        C32 Complex<f32>, C64 Complex<f64>);
    Kind::F32
}

/// The folders that this program writes or reads, and how often.
static TAKEN: Mutex<BTreeMap<PathBuf, (Use, usize)>> = Mutex::new(BTreeMap::new());

/// How a folder is used: to be written by one array, or to be read by any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Written,
    Read,
}

/// A folder among them, until it is dropped.
#[derive(Debug)]
struct Taken(PathBuf);

impl Taken {
    /// The path that all names of a folder have in common.
    fn real(path: &Path) -> PathBuf {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let of_parent = || {
            let (parent, name) = (absolute.parent()?, absolute.file_name()?);
            parent.canonicalize().ok().map(|parent| parent.join(name))
        };
        absolute.canonicalize().ok().or_else(of_parent).unwrap_or_else(|| absolute.clone())
    }

    fn list() -> MutexGuard<'static, BTreeMap<PathBuf, (Use, usize)>> {
        TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_written(path: &Path) -> bool {
        Taken::list().get(&Taken::real(path)).is_some_and(|(found, _)| *found == Use::Written)
    }

    /// Takes a folder, unless somebody has it: what one array writes no other reads or writes.
    fn take(path: &Path, wanted: Use) -> Option<Taken> {
        let path = Taken::real(path);
        let mut list = Taken::list();
        let (found, count) = list.entry(path.clone()).or_insert((wanted, 0));
        if *count > 0 && (wanted == Use::Written || *found == Use::Written) {
            return None;
        }
        *count += 1;
        Some(Taken(path))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut list = Taken::list();
        if let Some((_, count)) = list.get_mut(&self.0) {
            *count -= 1;
            if *count == 0 {
                list.remove(&self.0);
            }
        }
    }
}

/// An array in a folder, and how far it was written.
struct Folder {
    /// For how long nobody else gets it.
    taken: Option<Taken>,
    function: &'static str,
    path: PathBuf,
    kind: Kind,
    dims: Vec<usize>,
    fixed: bool,
    state: RwLock<State>,
}

struct State {
    store: Store,
    /// The rows that were written, in order and apart.
    written: Vec<Range<usize>>,
    /// Whether the folder says that it is whole.
    finished: bool,
    /// The journal of a program that was ended, whose chunks are still there.
    left: Option<Journal>,
    /// The journal of what is being written.
    journal: Option<Journal>,
    writers: Writers,
}

impl Folder {
    fn new(function: &'static str, store: Store, fixed: bool) -> Folder {
        Folder {
            taken: None,
            function,
            path: store.path().to_path_buf(),
            kind: store.kind(),
            dims: store.dims().collect(),
            fixed,
            state: RwLock::new(State {
                store,
                written: Vec::new(),
                finished: fixed,
                left: None,
                journal: None,
                writers: Writers::Nobody,
            }),
        }
    }

    fn shared(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn alone(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ranges of rows that have chunks of their own: those that threads read or write.
    fn bands(&self, rows: Range<usize>, store: &Store) -> Vec<Range<usize>> {
        let unit = store.chunk_rows().max(1);
        if !budget::may_share(store.chunk_bytes()) {
            return vec![rows];
        }
        let firsts = (rows.start / unit * unit..rows.end).step_by(unit);
        firsts.map(|first| first.max(rows.start)..(first + unit).min(rows.end)).collect()
    }

    /// Calls `f` with each band, by several threads. The first error in their order counts.
    fn each<B: Sync>(&self, bands: &[B], f: &(dyn Fn(&B) -> quasar_store::Result<()> + Sync)) -> Result<()> {
        let failures: Vec<Mutex<Option<quasar_store::Failure>>> =
            bands.iter().map(|_| Mutex::default()).collect();
        let run = |k: usize| {
            if let (Some(band), Some(place)) = (bands.get(k), failures.get(k))
                && let Err(failure) = f(band)
            {
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
            }
        };
        if bands.len() > 1 {
            threads::run(bands.len(), &run)
        } else {
            run(0)
        }
        let first =
            failures.into_iter().find_map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner));
        first.map_or(Ok(()), |failure| Err(self.failed(&failure)))
    }

    fn failed(&self, failure: &quasar_store::Failure) -> Error {
        failed(self.function, &self.path, failure)
    }
}

impl State {
    /// Forgets what an earlier program left: the array is one of zeros.
    fn discard_left(&mut self) -> quasar_store::Result<()> {
        match self.left.take() {
            Some(_) => self.store.discard(),
            None => Ok(()),
        }
    }

    /// Says who writes the array: one writer with a name gets a journal, others end it.
    fn claim(&mut self, writer: Option<u64>) -> quasar_store::Result<()> {
        let known = self.left.as_ref().and_then(Journal::writer);
        if matches!(self.writers, Writers::Nobody) && writer.is_some() && known == writer {
            self.journal = self.left.take();
        } else {
            self.discard_left()?;
            match (self.writers, writer) {
                (Writers::Nobody, Some(writer)) => {
                    let mut journal = Journal::new(self.store.path());
                    journal.begin(writer)?;
                    self.journal = Some(journal);
                }
                _ => {
                    if let Some(mut journal) = self.journal.take() {
                        journal.close()?;
                    }
                }
            }
        }
        self.writers = self.writers.and(writer);
        Ok(())
    }

    fn note(&mut self, rows: Range<usize>) {
        self.written.push(rows);
        self.written.sort_by_key(|rows| rows.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for rows in self.written.drain(..) {
            match joined.last_mut() {
                Some(last) if rows.start <= last.end => last.end = last.end.max(rows.end),
                _ => joined.push(rows),
            }
        }
        self.written = joined;
    }
}

impl Backing for Folder {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn rows(&self) -> usize {
        self.dims.first().copied().unwrap_or(0)
    }

    fn row_bytes(&self) -> usize {
        self.dims.iter().skip(1).product::<usize>() * self.kind.size()
    }

    fn unit(&self) -> usize {
        self.shared().store.chunk_rows().max(1)
    }

    fn chunk_bytes(&self) -> usize {
        self.shared().store.chunk_bytes()
    }

    fn is_fixed(&self) -> bool {
        self.fixed
    }

    fn read(&self, rows: Range<usize>, into: &mut [u8]) -> Result<()> {
        if self.shared().left.is_some() {
            self.alone().discard_left().map_err(|failure| self.failed(&failure))?;
        }
        let state = self.shared();
        let mut bands = Vec::new();
        let mut rest = into;
        for rows in self.bands(rows, &state.store) {
            let (band, behind) = rest.split_at_mut_checked(rows.len() * self.row_bytes()).unwrap_or_default();
            rest = behind;
            bands.push(Mutex::new((rows, band)));
        }
        self.each(&bands, &|band| {
            let mut band = band.lock().unwrap_or_else(PoisonError::into_inner);
            let (rows, into) = &mut *band;
            state.store.read_rows(rows.clone(), into)
        })
    }

    fn write(&self, rows: Range<usize>, from: &[u8]) -> Result<()> {
        let mut state = self.alone();
        if state.finished {
            state.store.begin().map_err(|failure| self.failed(&failure))?;
            state.finished = false;
        }
        let row = self.row_bytes();
        let part = |band: &Range<usize>| (band.start - rows.start) * row..(band.end - rows.start) * row;
        let bands: Vec<_> =
            self.bands(rows.clone(), &state.store).into_iter().map(|band| (part(&band), band)).collect();
        self.each(&bands, &|(part, band)| {
            state.store.write_rows(band.clone(), from.get(part.clone()).unwrap_or_default())
        })?;
        state.note(rows);
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        let mut state = self.alone();
        if !state.finished {
            let all =
                matches!(state.written.as_slice(), [rows] if rows.len() == self.rows()) || self.rows() == 0;
            let finished = state.discard_left().and_then(|()| state.store.finish(all));
            finished.map_err(|failure| self.failed(&failure))?;
            state.finished = true;
            // The array is whole; whoever writes it again has no journal.
            state.journal = None;
            Journal::remove(&self.path).map_err(|failure| self.failed(&failure))?;
        }
        Ok(())
    }

    fn origin(&self) -> Option<u64> {
        if !self.fixed {
            return self.shared().writers.origin();
        }
        let mut digest = Digest::default();
        digest.add(self.path.as_os_str().as_encoded_bytes());
        self.shared().store.trace(&mut |bytes| digest.add(bytes)).ok()?;
        Some(digest.value())
    }

    fn claim(&self, writer: Option<u64>) -> Result<()> {
        self.alone().claim(writer).map_err(|failure| self.failed(&failure))
    }

    fn done_from(&self, first: i32) -> i32 {
        self.shared().journal.as_ref().map_or(first, |journal| journal.done_from(first))
    }

    fn done(&self, positions: Range<i32>, rows: &[Range<usize>]) -> Result<()> {
        let mut state = self.alone();
        rows.iter().for_each(|rows| state.note(rows.clone()));
        let State { store, journal, .. } = &mut *state;
        let Some(journal) = journal else { return Ok(()) };
        let noted = rows.iter().try_for_each(|rows| store.sync_rows(rows.clone()));
        noted.and_then(|()| journal.done(positions)).map_err(|failure| self.failed(&failure))
    }

    fn complete(&self) {
        let mut state = self.alone();
        state.writers = state.writers.done();
    }
}
