//! One array in a folder.

use crate::folder::{self, Folder, METADATA};
use crate::region::{self, Corner};
use crate::{Compression, Failure, Journal, Kind, Result};
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zarrs::array::codec::{CodecOptions, Crc32cCodec, GzipCodec};
use zarrs::array::{Array, ArrayBuilder, ArrayMetadata, ArrayShardedExt, DataType};
use zarrs::array_subset::ArraySubset;

/// What a new array is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// What an element is.
    pub kind: Kind,
    /// The extents.
    pub dims: Vec<usize>,
    /// The extents of a chunk, as many as there are extents; chosen where nothing is said.
    pub chunks: Option<Vec<usize>>,
    /// How chunks become smaller.
    pub compression: Compression,
}

/// An array in a folder. Its methods may be called by several threads, as long as they write no chunk at the same time.
#[derive(Debug)]
pub struct Store {
    array: Array<Folder>,
    folder: Arc<Folder>,
    path: PathBuf,
    kind: Kind,
    dims: Vec<u64>,
    /// The extents of what is read or written at a time.
    grid: Vec<u64>,
    sharded: bool,
}

/// Where an array of ours says how far it was written.
const STATE: &str = "quasar";
/// Chunks are still to come.
const UNFINISHED: &str = "unfinished";
/// Each chunk was written: one that is missing was lost.
const WHOLE: &str = "whole";

/// Bytes of the description of an array, at most.
const MOST_METADATA: u64 = 16 << 20;
/// Extents of an array, at most.
const MOST_DIMS: usize = 16;
/// Bytes of a chunk that is chosen here, about.
const CHUNK: u64 = 1 << 20;
/// Bytes of a chunk that anybody chose, at most.
const MOST_CHUNK: u64 = 1 << 31;

impl Store {
    /// Opens an array to read it.
    ///
    /// # Errors
    /// There is no array, it is one of another kind, or its description makes no sense.
    pub fn open(path: &Path) -> Result<Store> {
        let metadata = described(path)?;
        let state = state_of(&metadata);
        if state == Some(UNFINISHED) {
            return Err(Failure::new(
                "the array is unfinished: the program that writes it did not come to its end",
            ));
        }
        Store::with_metadata(path, metadata)
    }

    /// Opens an array of ours that a program began to write, if there is one of this layout.
    #[must_use]
    pub fn reopen(path: &Path, layout: &Layout) -> Option<Store> {
        let metadata = described(path).ok()?;
        let store = Store::with_metadata(path, metadata).ok()?;
        let same = store.kind == layout.kind && store.dims().eq(layout.dims.iter().copied());
        let grid = chunk_shape(layout).ok()?;
        (same && state_of(store.array.metadata()) == Some(UNFINISHED) && store.grid == grid).then_some(store)
    }

    /// Makes an array, all of whose elements are 0. It replaces an array of Zarr, and nothing else.
    ///
    /// # Errors
    /// The folder holds something else, or cannot be written.
    pub fn create(path: &Path, layout: &Layout) -> Result<Store> {
        let grid = chunk_shape(layout)?;
        if on_the_net(path) {
            return Err(Failure::new(FOLDERS_ONLY));
        }
        let is_empty = match fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(Failure::new("there is a file of this name: an array is a folder"));
            }
            Err(error) => return Err(Failure::new(error.to_string())),
        };
        if !is_empty && !is_ours_to_replace(path) {
            return Err(Failure::new(
                "the folder holds other things than an array of Zarr: it is not replaced",
            ));
        }
        folder::clear(path)?;
        let made = guarded(|| build(path, layout, &grid))?;
        made.store_metadata().map_err(|error| Failure::new(error.to_string()))?;
        Store::of_array(path, made)
    }

    /// What tells the contents of a folder from others: names, sizes and times of its files.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn trace(&self, see: &mut dyn FnMut(&[u8])) -> Result<()> {
        fn walk(folder: &Path, see: &mut dyn FnMut(&[u8])) -> std::io::Result<()> {
            let mut entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let about = entry.metadata()?;
                see(entry.file_name().as_encoded_bytes());
                if about.is_dir() {
                    walk(&entry.path(), see)?;
                    continue;
                }
                see(&about.len().to_le_bytes());
                let since = about.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
                see(&since.as_nanos().to_le_bytes());
            }
            Ok(())
        }
        walk(&self.path, see).map_err(|error| Failure::new(error.to_string()))
    }

    /// Removes all chunks of an array that was reopened: all elements are 0 again.
    ///
    /// # Errors
    /// They cannot be removed.
    pub fn discard(&self) -> Result<()> {
        Journal::remove(&self.path)?;
        match fs::remove_dir_all(self.path.join("c")) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::new(error.to_string())),
            _ => Ok(()),
        }
    }

    fn with_metadata(path: &Path, metadata: ArrayMetadata) -> Result<Store> {
        let make = || {
            let folder = Arc::new(Folder::new(path, false, u64::MAX));
            Array::new_with_metadata(folder, "/", metadata).map_err(|error| Failure::new(error.to_string()))
        };
        Store::of_array(path, guarded(make)?)
    }

    fn of_array(path: &Path, array: Array<Folder>) -> Result<Store> {
        guarded(|| Store::checked(path, array))
    }

    fn checked(path: &Path, array: Array<Folder>) -> Result<Store> {
        let kind = kind_of(array.data_type())?;
        let dims = array.shape().to_vec();
        if dims.is_empty() || dims.len() > MOST_DIMS {
            let count = dims.len();
            return Err(Failure::new(format!(
                "the array has {count} dimensions; arrays have 1 to {MOST_DIMS}"
            )));
        }
        let bytes = product(&dims).and_then(|count| count.checked_mul(kind.size() as u64));
        if bytes.is_none_or(|bytes| bytes > isize::MAX as u64) {
            return Err(Failure::new(format!(
                "the array has more elements than memory has addresses: {}",
                list(&dims)
            )));
        }
        let origin = vec![0; dims.len()];
        let chunk = array.chunk_shape_usize(&origin).map_err(|error| Failure::new(error.to_string()))?;
        let chunk: Vec<u64> = chunk.into_iter().map(|n| n as u64).collect();
        if !is_regular(array.metadata()) {
            return Err(Failure::new("chunks of several sizes are not supported yet"));
        }
        let sharded = array.is_sharded();
        let inner = array.effective_inner_chunk_shape().filter(|_| sharded);
        let grid = inner.map_or(chunk.clone(), |inner| inner.iter().map(|n| n.get()).collect());
        let bytes = product(&grid).and_then(|count| count.checked_mul(kind.size() as u64));
        let Some(bytes) = bytes.filter(|bytes| *bytes <= MOST_CHUNK) else {
            return Err(Failure::new(format!(
                "chunks of {} elements are too large: at most 2 GiB",
                list(&grid)
            )));
        };
        if grid.contains(&0) {
            return Err(Failure::new("chunks have no elements"));
        }
        // What is stored of a chunk is hardly larger than the chunk; shards are read piece by piece.
        let most = if sharded { u64::MAX } else { bytes.saturating_mul(2).saturating_add(1 << 16) };
        let whole = state_of(array.metadata()) == Some(WHOLE);
        let folder = Arc::new(Folder::new(path, whole, most));
        let array = array.with_storage(Arc::clone(&folder));
        Ok(Store { array, folder, path: path.to_path_buf(), kind, dims, grid, sharded })
    }

    /// What an element is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The extents.
    pub fn dims(&self) -> impl Iterator<Item = usize> + '_ {
        self.dims.iter().map(|n| *n as usize)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Rows of a chunk: ranges that begin at a multiple of them are read and written without others.
    #[must_use]
    pub fn chunk_rows(&self) -> usize {
        self.grid.first().map_or(1, |n| *n as usize)
    }

    /// Bytes of a chunk.
    #[must_use]
    pub fn chunk_bytes(&self) -> usize {
        self.grid.iter().map(|n| *n as usize).product::<usize>() * self.kind.size()
    }

    /// Bytes of a row.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.dims.iter().skip(1).map(|n| *n as usize).product::<usize>() * self.kind.size()
    }

    /// Reads rows, in row-major order and the order of bytes of this machine.
    ///
    /// # Errors
    /// A chunk is missing, damaged or cannot be read.
    pub fn read_rows(&self, rows: Range<usize>, into: &mut [u8]) -> Result<()> {
        self.check(&rows, into.len())?;
        let rows = rows.start as u64..rows.end as u64;
        self.each_chunk(&rows, |chunk, inside| self.read_chunk(chunk, inside, &rows, into))
    }

    /// Writes rows. Chunks of which they are a part only are read before.
    ///
    /// # Errors
    /// A chunk cannot be written; the ones before it are, as a whole.
    pub fn write_rows(&self, rows: Range<usize>, from: &[u8]) -> Result<()> {
        self.check(&rows, from.len())?;
        let rows = rows.start as u64..rows.end as u64;
        self.each_chunk(&rows, |chunk, inside| self.write_chunk(chunk, inside, &rows, from))
    }

    /// Waits until the chunks of some rows are on the disk, also after a power failure.
    ///
    /// # Errors
    /// The system's.
    pub fn sync_rows(&self, rows: Range<usize>) -> Result<()> {
        let rows = rows.start as u64..rows.end as u64;
        let mut folders: Vec<PathBuf> = Vec::new();
        self.each_chunk(&rows, |chunk, _| {
            let key = self.array.chunk_key(chunk);
            let file = self.folder.file(key.as_str()).map_err(|error| Failure::new(error.to_string()))?;
            sync(&file)?;
            // New names are entries of folders, up to that of the array.
            let above = file.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.path));
            folders.extend(above.map(Path::to_path_buf));
            Ok(())
        })?;
        folders.sort();
        folders.dedup();
        folders.iter().try_for_each(|folder| sync(folder))
    }

    /// Says that all rows are written, or that some may be 0 because nobody wrote them.
    ///
    /// # Errors
    /// The description cannot be written.
    pub fn finish(&mut self, all_written: bool) -> Result<()> {
        let attributes = self.array.attributes_mut();
        if all_written {
            attributes.insert(STATE.to_owned(), WHOLE.into());
        } else {
            attributes.remove(STATE);
        }
        self.array.store_metadata().map_err(|error| Failure::new(error.to_string()))?;
        self.folder.expect_all(all_written);
        Ok(())
    }

    /// Says that chunks of a finished array are going to change.
    ///
    /// # Errors
    /// The description cannot be written.
    pub fn begin(&mut self) -> Result<()> {
        self.array.attributes_mut().insert(STATE.to_owned(), UNFINISHED.into());
        self.array.store_metadata().map_err(|error| Failure::new(error.to_string()))?;
        self.folder.expect_all(false);
        Ok(())
    }

    fn check(&self, rows: &Range<usize>, bytes: usize) -> Result<()> {
        let all = self.dims().next().unwrap_or(0);
        if rows.start > rows.end || rows.end > all || rows.len() * self.row_bytes() != bytes {
            let Range { start, end } = rows;
            return Err(Failure::new(format!("rows {start} to {end} of {all} are not {bytes} bytes")));
        }
        Ok(())
    }

    /// Calls `f` with each chunk that has elements of some rows, and the box of elements that it has of them.
    fn each_chunk(
        &self,
        rows: &Range<u64>,
        mut f: impl FnMut(&[u64], &[Range<u64>]) -> Result<()>,
    ) -> Result<()> {
        if rows.is_empty() || self.dims.contains(&0) {
            return Ok(());
        }
        let chunk = self.outer();
        let first: Vec<u64> =
            std::iter::once(rows.start / chunk[0]).chain(vec![0; chunk.len() - 1]).collect();
        let behind = self.dims.iter().zip(&chunk).enumerate();
        let behind =
            behind.map(|(k, (dim, n))| if k == 0 { rows.end.div_ceil(*n) } else { dim.div_ceil(*n) });
        let extent: Vec<u64> = behind.zip(&first).map(|(behind, first)| behind - first).collect();
        let mut place = vec![0; chunk.len()];
        loop {
            let at: Vec<u64> = place.iter().zip(&first).map(|(place, first)| place + first).collect();
            let inside = |(k, (at, n)): (usize, (&u64, &u64))| {
                let limits = if k == 0 { rows.clone() } else { 0..self.dims[k] };
                (at * n).max(limits.start)..(at.saturating_add(1)).saturating_mul(*n).min(limits.end)
            };
            let inside: Vec<Range<u64>> = at.iter().zip(&chunk).enumerate().map(inside).collect();
            f(&at, &inside)?;
            if !region::advance(&mut place, &extent) {
                return Ok(());
            }
        }
    }

    /// The extents of a file: of a chunk, or of a shard of many.
    fn outer(&self) -> Vec<u64> {
        let shape = self.array.chunk_shape(&vec![0; self.dims.len()]);
        shape.map_or_else(|_| self.grid.clone(), |shape| shape.iter().map(|n| n.get()).collect())
    }

    fn read_chunk(
        &self,
        at: &[u64],
        inside: &[Range<u64>],
        rows: &Range<u64>,
        into: &mut [u8],
    ) -> Result<()> {
        let outer = self.outer();
        let extent: Vec<u64> = inside.iter().map(|range| range.end - range.start).collect();
        let corner: Vec<u64> =
            inside.iter().zip(at).zip(&outer).map(|((r, at), n)| r.start - at * n).collect();
        let zeros = vec![0; extent.len()];
        let (bytes, dims, from) = if self.sharded {
            (self.decoded_part(at, &corner, &extent)?, &extent, &zeros)
        } else {
            (self.decoded(at)?, &outer, &corner)
        };
        let to: Vec<u64> =
            inside.iter().enumerate().map(|(k, r)| r.start - if k == 0 { rows.start } else { 0 }).collect();
        let target = self.box_of(rows);
        let from = (bytes.as_slice(), Corner { dims, at: from });
        let to = (into, Corner { dims: &target, at: &to });
        self.fits(region::copy(&extent, self.kind.size(), from, to), at)
    }

    fn write_chunk(&self, at: &[u64], inside: &[Range<u64>], rows: &Range<u64>, from: &[u8]) -> Result<()> {
        if self.sharded {
            return Err(Failure::new("arrays with shards are not written yet"));
        }
        let outer = self.outer();
        let extent: Vec<u64> = inside.iter().map(|range| range.end - range.start).collect();
        let corner: Vec<u64> =
            inside.iter().zip(at).zip(&outer).map(|((r, at), n)| r.start - at * n).collect();
        let begin = at[0] * outer[0];
        let whole = inside[0].start == begin && inside[0].end == (begin + outer[0]).min(self.dims[0]);
        let size = outer.iter().map(|n| *n as usize).product::<usize>() * self.kind.size();
        let mut bytes =
            if whole { vec![0; size] } else { self.present(at)?.unwrap_or_else(|| vec![0; size]) };
        let source: Vec<u64> =
            inside.iter().enumerate().map(|(k, r)| r.start - if k == 0 { rows.start } else { 0 }).collect();
        let dims = self.box_of(rows);
        let from = (from, Corner { dims: &dims, at: &source });
        let to = (bytes.as_mut_slice(), Corner { dims: &outer, at: &corner });
        self.fits(region::copy(&extent, self.kind.size(), from, to), at)?;
        let write = || self.array.store_chunk_opt(at, bytes, &options());
        guarded(|| write().map_err(|error| Failure::new(error.to_string())))
    }

    /// The extents of some rows.
    fn box_of(&self, rows: &Range<u64>) -> Vec<u64> {
        std::iter::once(rows.end - rows.start).chain(self.dims.iter().skip(1).copied()).collect()
    }

    fn fits(&self, fits: bool, at: &[u64]) -> Result<()> {
        if fits {
            Ok(())
        } else {
            Err(Failure::new(format!("{} is damaged: it is too short", self.named(at))))
        }
    }

    fn named(&self, at: &[u64]) -> String {
        format!("chunk {}", self.array.chunk_key(at))
    }

    fn decoded(&self, at: &[u64]) -> Result<Vec<u8>> {
        let read = || {
            let bytes =
                self.array.retrieve_chunk_opt(at, &options()).map_err(|error| self.damaged(at, &error))?;
            bytes.into_fixed().map(|bytes| bytes.into_owned()).map_err(|error| self.damaged(at, &error))
        };
        guarded(read)
    }

    fn present(&self, at: &[u64]) -> Result<Option<Vec<u8>>> {
        let key = self.array.chunk_key(at);
        let file = self.folder.file(key.as_str()).map_err(|error| Failure::new(error.to_string()))?;
        if file.try_exists().map_err(|error| Failure::new(error.to_string()))? {
            return self.decoded(at).map(Some);
        }
        Ok(None)
    }

    fn decoded_part(&self, at: &[u64], corner: &[u64], extent: &[u64]) -> Result<Vec<u8>> {
        let read = || {
            let part = ArraySubset::new_with_start_shape(corner.to_vec(), extent.to_vec());
            let part = part.map_err(|error| self.damaged(at, &error))?;
            let bytes = self.array.retrieve_chunk_subset_opt(at, &part, &options());
            let bytes = bytes.map_err(|error| self.damaged(at, &error))?;
            bytes.into_fixed().map(|bytes| bytes.into_owned()).map_err(|error| self.damaged(at, &error))
        };
        guarded(read)
    }

    fn damaged(&self, at: &[u64], error: &dyn std::fmt::Display) -> Failure {
        let (name, text) = (self.named(at), error.to_string());
        // What the folder says names the chunk already.
        let text = if text.contains(&name) { text } else { format!("{name} is damaged: {text}") };
        Failure::new(text)
    }
}

/// Each thread reads and writes chunks of its own.
fn options() -> CodecOptions {
    let mut options = CodecOptions::default();
    options.set_concurrent_target(1).set_store_empty_chunks(true).set_validate_checksums(true);
    options
}

/// A panic of the packages below is a failure like others: what they read was written by anybody.
fn guarded<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(f))
        .unwrap_or_else(|_| Err(Failure::new("the description of the array makes no sense")))
}

const FOLDERS_ONLY: &str = "arrays lie in folders of this machine; other places are not supported yet";

fn on_the_net(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains("://"))
}

/// What a folder says of its array.
fn described(path: &Path) -> Result<ArrayMetadata> {
    if on_the_net(path) {
        return Err(Failure::new(FOLDERS_ONLY));
    }
    let about = fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::new("there is no such folder"),
        _ => Failure::new(error.to_string()),
    })?;
    if !about.is_dir() {
        return Err(Failure::new("this is a file: an array of Zarr is a folder"));
    }
    let file = path.join(METADATA);
    let content = match fs::metadata(&file) {
        Ok(about) if about.is_file() && about.len() <= MOST_METADATA => fs::read(&file),
        Ok(_) => return Err(Failure::new("zarr.json is no description of an array")),
        Err(error) => Err(error),
    };
    let content = content.map_err(|error| match error.kind() {
        ErrorKind::NotFound if path.join(".zarray").exists() => {
            Failure::new("an array of Zarr 2; those of Zarr 3 are read (in Python, zarr_format=3)")
        }
        ErrorKind::NotFound => Failure::new("the folder has no zarr.json: it is no array of Zarr"),
        _ => Failure::new(format!("zarr.json: {error}")),
    })?;
    let unread = |error: serde_json::Error| Failure::new(format!("zarr.json is damaged: {error}"));
    let value: serde_json::Value = serde_json::from_slice(&content).map_err(unread)?;
    if value.get("node_type").and_then(|kind| kind.as_str()) == Some("group") {
        let inner = folder::members(path);
        let inner = if inner.is_empty() { "nothing".to_owned() } else { inner.join(", ") };
        return Err(Failure::new(format!("this is a group, not an array; it holds {inner}")));
    }
    guarded(|| serde_json::from_value(value).map_err(unread))
}

/// Whether a folder may be replaced by a new array: it is one, or what is left of one.
fn is_ours_to_replace(path: &Path) -> bool {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let known = |name: &String| name == METADATA || name == "c" || name.starts_with(".quasar");
    let array = || {
        let value = fs::read(path.join(METADATA)).ok();
        let value: Option<serde_json::Value> = value.and_then(|text| serde_json::from_slice(&text).ok());
        value.is_none_or(|value| value.get("node_type").and_then(|kind| kind.as_str()) == Some("array"))
    };
    names.iter().all(known) && array()
}

fn state_of(metadata: &ArrayMetadata) -> Option<&str> {
    match metadata {
        ArrayMetadata::V3(metadata) => metadata.attributes.get(STATE)?.as_str(),
        ArrayMetadata::V2(_) => None,
    }
}

fn is_regular(metadata: &ArrayMetadata) -> bool {
    match metadata {
        ArrayMetadata::V3(metadata) => metadata.chunk_grid.name() == "regular",
        ArrayMetadata::V2(_) => true,
    }
}

fn build(path: &Path, layout: &Layout, grid: &[u64]) -> Result<Array<Folder>> {
    let dims: Vec<u64> = layout.dims.iter().map(|n| *n as u64).collect();
    let kind = layout.kind;
    let fill = vec![0_u8; kind.size()];
    let mut builder =
        ArrayBuilder::new(dims, grid.to_vec(), data_type(kind), zarrs::array::FillValue::new(fill));
    let checked = Arc::new(Crc32cCodec::new());
    match layout.compression {
        Compression::None => builder.bytes_to_bytes_codecs(vec![checked]),
        Compression::Gzip => {
            let gzip = GzipCodec::new(1).map_err(|error| Failure::new(error.to_string()))?;
            builder.bytes_to_bytes_codecs(vec![Arc::new(gzip), checked])
        }
    };
    builder.attributes_mut().insert(STATE.to_owned(), UNFINISHED.into());
    let folder = Arc::new(Folder::new(path, false, u64::MAX));
    builder.build(folder, "/").map_err(|error| Failure::new(error.to_string()))
}

/// The extents of a chunk: what was asked for, or whole rows of about [`CHUNK`] bytes.
fn chunk_shape(layout: &Layout) -> Result<Vec<u64>> {
    let dims: Vec<u64> = layout.dims.iter().map(|n| *n as u64).collect();
    if dims.is_empty() || dims.len() > MOST_DIMS {
        return Err(Failure::new(format!("arrays have 1 to {MOST_DIMS} dimensions")));
    }
    let size = layout.kind.size() as u64;
    if product(&dims).and_then(|count| count.checked_mul(size)).is_none_or(|bytes| bytes > isize::MAX as u64)
    {
        return Err(Failure::new(format!("an array of {} elements is too large", list(&dims))));
    }
    if let Some(chunks) = &layout.chunks {
        let chunks: Vec<u64> = chunks.iter().map(|n| *n as u64).collect();
        let bytes = product(&chunks).and_then(|count| count.checked_mul(size));
        if chunks.len() != dims.len() || chunks.contains(&0) || bytes.is_none_or(|bytes| bytes > MOST_CHUNK) {
            let message =
                format!("chunks of {} elements do not fit an array of {}", list(&chunks), list(&dims));
            return Err(Failure::new(message));
        }
        return Ok(chunks);
    }
    let mut left = CHUNK / size;
    let mut shape: Vec<u64> = Vec::new();
    for dim in dims.iter().rev() {
        let extent = (*dim).clamp(1, left.max(1));
        shape.push(extent);
        left /= extent;
    }
    shape.reverse();
    Ok(shape)
}

fn product(extents: &[u64]) -> Option<u64> {
    extents.iter().try_fold(1_u64, |count, n| count.checked_mul(*n))
}

fn list(extents: &[u64]) -> String {
    extents.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

fn sync(path: &Path) -> Result<()> {
    let synced = fs::File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

fn kind_of(ty: &DataType) -> Result<Kind> {
    Ok(match ty {
        DataType::Int8 => Kind::I8,
        DataType::Int16 => Kind::I16,
        DataType::Int32 => Kind::I32,
        DataType::Int64 => Kind::I64,
        DataType::UInt8 => Kind::U8,
        DataType::UInt16 => Kind::U16,
        DataType::UInt32 => Kind::U32,
        DataType::UInt64 => Kind::U64,
        DataType::Float16 => Kind::F16,
        DataType::Float32 => Kind::F32,
        DataType::Float64 => Kind::F64,
        DataType::Complex64 | DataType::ComplexFloat32 => Kind::C32,
        DataType::Complex128 | DataType::ComplexFloat64 => Kind::C64,
        other => {
            let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            return Err(Failure::new(format!("elements are {other}; there are {}", known.join(", "))));
        }
    })
}

fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::I8 => DataType::Int8,
        Kind::I16 => DataType::Int16,
        Kind::I32 => DataType::Int32,
        Kind::I64 => DataType::Int64,
        Kind::U8 => DataType::UInt8,
        Kind::U16 => DataType::UInt16,
        Kind::U32 => DataType::UInt32,
        Kind::U64 => DataType::UInt64,
        Kind::F16 => DataType::Float16,
        Kind::F32 => DataType::Float32,
        Kind::F64 => DataType::Float64,
        Kind::C32 => DataType::Complex64,
        Kind::C64 => DataType::Complex128,
    }
}
