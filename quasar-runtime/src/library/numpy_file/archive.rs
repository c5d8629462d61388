//! The archives of `.npz` files: ZIP with entries that are stored or deflated, of any size (ZIP64).
//!
//! An archive ends with a directory, which says where each entry is. What it says is tested against the size of the file, so that a
//! small file cannot ask for much memory or time: entries do not overlap, and none unpacks to more than deflate can pack.

use super::Failure;
use flate2::Crc;
use quasar_devicelib::value::{Value, array};
use quasar_files::read::Source;
use std::io::{BufReader, Read, Seek, SeekFrom};

const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
const END_64: [u8; 4] = *b"PK\x06\x06";
const LOCATOR_64: [u8; 4] = *b"PK\x06\x07";

const LOCAL_SIZE: u64 = 30;
const CENTRAL_SIZE: usize = 46;
const END_SIZE: usize = 22;
const END_64_SIZE: usize = 56;
const LOCATOR_64_SIZE: usize = 20;
/// The extra field with sizes and places of 64 bits.
const EXTRA_64: u16 = 1;
/// Names in UTF-8.
const UTF8: u16 = 1 << 11;
const ENCRYPTED: u16 = 1;
/// What needs ZIP64, and what does not.
const VERSIONS: (u16, u16) = (20, 45);
/// 1980-01-01, the first day there is.
const NO_DATE: u16 = 0x21;

/// Sizes from here on take 64 bits.
pub(super) const LARGE: u64 = u32::MAX as u64;
/// Deflate packs 258 bytes into 2 bits at best.
const DENSEST: u64 = 1032;
/// The end of an archive, with a comment of any length.
const MOST_END: u64 = END_SIZE as u64 + u16::MAX as u64;

const DAMAGED: &str = "the archive is damaged";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Stored,
    Deflated,
}

#[derive(Clone, Debug)]
struct Entry {
    name: String,
    flags: u16,
    method: Method,
    crc: u32,
    packed: u64,
    size: u64,
    at: u64,
}

/// An archive that is read.
pub(super) struct Archive {
    file: BufReader<Source>,
    entries: Vec<Entry>,
}

/// Takes little-endian numbers from the front.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

impl Archive {
    /// Reads the directory.
    pub(super) fn open(file: Source) -> Result<Archive, Failure> {
        let length = file.size().map_err(|error| error.to_string())?;
        let mut file = BufReader::new(file);
        let tail = read_at(&mut file, length.saturating_sub(MOST_END), length.min(MOST_END))?;
        let (at, size, count) = directory(&mut file, &tail, length)?;
        let central = at.checked_add(size).filter(|&end| end <= length).ok_or(DAMAGED)?;
        let bytes = read_at(&mut file, at, central - at)?;
        let mut fields = Fields(&bytes);
        // Each entry takes some bytes of the directory, so that `count` is no reason to reserve memory.
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(entry(&mut fields)?);
        }
        if !fields.0.is_empty() {
            return Err(DAMAGED.into());
        }
        let packed = entries.iter().try_fold(0u64, |sum, entry| sum.checked_add(entry.packed));
        let overlap = packed.is_none_or(|packed| packed > at);
        let dense = entries.iter().any(|entry| match entry.method {
            Method::Stored => entry.size != entry.packed,
            Method::Deflated => entry.size / DENSEST > entry.packed,
        });
        if overlap || dense {
            return Err(format!("{DAMAGED}: it claims more than it can hold").into());
        }
        Ok(Archive { file, entries })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &entry.name[..])
    }

    /// Calls `f` with the unpacked bytes of an entry and their number.
    pub(super) fn entry(
        &mut self,
        k: usize,
        f: impl FnOnce(&mut dyn Read, u64) -> Result<Value, Failure>,
    ) -> Result<Value, Failure> {
        let entry = self.entries.get(k).ok_or(DAMAGED)?;
        if entry.flags & ENCRYPTED != 0 {
            return Err("the entry is encrypted".into());
        }
        let header = read_at(&mut self.file, entry.at, LOCAL_SIZE)?;
        let lengths = header.strip_prefix(&LOCAL).and_then(|rest| {
            let mut lengths = Fields(rest.get(22..)?);
            Some(u64::from(lengths.u16()?) + u64::from(lengths.u16()?))
        });
        let lengths = lengths.ok_or(DAMAGED)?;
        let begin = entry.at.saturating_add(LOCAL_SIZE + lengths);
        self.file.seek(SeekFrom::Start(begin)).map_err(|error| error.to_string())?;
        let packed = (&mut self.file).take(entry.packed);
        let value = match entry.method {
            Method::Stored => unpacked(entry, packed, f)?,
            Method::Deflated => unpacked(entry, flate2::bufread::DeflateDecoder::new(packed), f)?,
        };
        Ok(value)
    }
}

/// Where the directory is, its size, and how many entries it has.
fn directory(file: &mut BufReader<Source>, tail: &[u8], length: u64) -> Result<(u64, u64, u64), Failure> {
    // The last place where an end fits with its comment.
    let found = (0..=tail.len().saturating_sub(END_SIZE)).rev().find_map(|k| {
        let mut fields = Fields(tail.get(k..)?.strip_prefix(&END)?);
        fields.bytes(6)?;
        let count = fields.u16()?;
        let (size, at, comment) = (fields.u32()?, fields.u32()?, fields.u16()?);
        (fields.0.len() == usize::from(comment)).then_some((
            k,
            u64::from(at),
            u64::from(size),
            u64::from(count),
        ))
    });
    let (k, at, size, count) = found.ok_or("the archive is cut off: it has no directory")?;
    let end = length - (tail.len() - k) as u64;
    if count < u64::from(u16::MAX) && size < LARGE && at < LARGE {
        return Ok((at, size, count));
    }
    let Some(locator) = end.checked_sub(LOCATOR_64_SIZE as u64) else { return Ok((at, size, count)) };
    let locator = read_at(file, locator, LOCATOR_64_SIZE as u64)?;
    let Some(rest) = locator.strip_prefix(&LOCATOR_64) else { return Ok((at, size, count)) };
    let place =
        rest.get(4..).and_then(|rest| Fields(rest).u64()).filter(|&place| place < length).ok_or(DAMAGED)?;
    let end = read_at(file, place, END_64_SIZE as u64)?;
    let mut fields = Fields(end.strip_prefix(&END_64).and_then(|rest| rest.get(28..)).ok_or(DAMAGED)?);
    let count = fields.u64().ok_or(DAMAGED)?;
    let (size, at) = (fields.u64().ok_or(DAMAGED)?, fields.u64().ok_or(DAMAGED)?);
    Ok((at, size, count))
}

/// The next entry of the directory.
fn entry(fields: &mut Fields<'_>) -> Result<Entry, Failure> {
    let mut read = || {
        let mut fixed = Fields(fields.bytes(CENTRAL_SIZE)?.strip_prefix(&CENTRAL)?);
        fixed.bytes(4)?;
        let (flags, method) = (fixed.u16()?, fixed.u16()?);
        fixed.bytes(4)?;
        let (crc, packed, size) = (fixed.u32()?, fixed.u32()?, fixed.u32()?);
        let (name, extra, comment) = (fixed.u16()?, fixed.u16()?, fixed.u16()?);
        fixed.bytes(8)?;
        let at = fixed.u32()?;
        let name = String::from_utf8_lossy(fields.bytes(usize::from(name))?).into_owned();
        let extra = fields.bytes(usize::from(extra))?;
        fields.bytes(usize::from(comment))?;
        let mut wide = wide_numbers(extra);
        let mut number =
            |x: u32| if x == u32::MAX { wide.u64().or(Some(u64::from(x))) } else { Some(u64::from(x)) };
        let (size, packed, at) = (number(size)?, number(packed)?, number(at)?);
        Some((Entry { name, flags, method: Method::Stored, crc, packed, size, at }, method))
    };
    let (entry, method) = read().ok_or(DAMAGED)?;
    let method = match method {
        0 => Method::Stored,
        8 => Method::Deflated,
        other => {
            return Err(format!(
                "'{}' is packed by method {other}; entries that are stored or deflated are read",
                entry.name
            )
            .into());
        }
    };
    Ok(Entry { method, ..entry })
}

/// The numbers of 64 bits among the extra fields of an entry.
fn wide_numbers(extra: &[u8]) -> Fields<'_> {
    let mut extra = Fields(extra);
    while let (Some(id), Some(length)) = (extra.u16(), extra.u16()) {
        match extra.bytes(usize::from(length)) {
            Some(field) if id == EXTRA_64 => return Fields(field),
            Some(_) => {}
            None => break,
        }
    }
    Fields(&[])
}

fn unpacked(
    entry: &Entry,
    packed: impl Read,
    f: impl FnOnce(&mut dyn Read, u64) -> Result<Value, Failure>,
) -> Result<Value, Failure> {
    let mut source = Summed { source: packed, crc: Crc::new() };
    let value = f(&mut source, entry.size)?;
    // The reader took `entry.size` bytes, or failed.
    let more = source.source.read(&mut [0]).map_err(|error| error.to_string())?;
    if more > 0 || source.crc.sum() != entry.crc {
        return Err("the entry is damaged: its check sum is another one".into());
    }
    Ok(value)
}

/// Sums up what is read.
struct Summed<R> {
    source: R,
    crc: Crc,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.source.read(bytes)?;
        self.crc.update(bytes.get(..read).unwrap_or_default());
        Ok(read)
    }
}

fn read_at(file: &mut BufReader<Source>, at: u64, size: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = array::reserve(usize::try_from(size).map_err(|_| DAMAGED)?)?;
    file.seek(SeekFrom::Start(at)).map_err(|error| error.to_string())?;
    let read = file.take(size).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if read as u64 == size { Ok(bytes) } else { Err(DAMAGED.into()) }
}

/// An archive with entries that are stored as they are. Sizes and places from `large` on take 64 bits.
pub(super) fn written(entries: &[(String, Vec<u8>)], large: u64) -> Result<Vec<u8>, Failure> {
    const MOST_ABOUT_ENTRY: usize = 200;
    let room = |(name, bytes): &(String, Vec<u8>)| 2 * name.len() + bytes.len() + MOST_ABOUT_ENTRY;
    let mut archive = array::reserve(MOST_ABOUT_ENTRY + entries.iter().map(room).sum::<usize>())?;
    let mut directory = Vec::new();
    for (name, bytes) in entries {
        let (at, size) = (archive.len() as u64, bytes.len() as u64);
        let mut crc = Crc::new();
        crc.update(bytes);
        let length = u16::try_from(name.len()).map_err(|_| format!("the name '{name}' is too long"))?;
        let wide = size >= large || at >= large;
        let version = if wide { VERSIONS.1 } else { VERSIONS.0 };
        let narrow = |x: u64| if wide { u32::MAX } else { x as u32 };
        let common = |to: &mut Vec<u8>| {
            for number in [version, UTF8, 0, 0, NO_DATE] {
                to.extend_from_slice(&number.to_le_bytes());
            }
            for number in [crc.sum(), narrow(size), narrow(size)] {
                to.extend_from_slice(&number.to_le_bytes());
            }
            to.extend_from_slice(&length.to_le_bytes());
        };
        archive.extend_from_slice(&LOCAL);
        common(&mut archive);
        let extra = if wide { extra(&[size, size]) } else { Vec::new() };
        archive.extend_from_slice(&(extra.len() as u16).to_le_bytes());
        archive.extend_from_slice(name.as_bytes());
        archive.extend_from_slice(&extra);
        archive.extend_from_slice(bytes);
        directory.extend_from_slice(&CENTRAL);
        directory.extend_from_slice(&version.to_le_bytes());
        common(&mut directory);
        let extra = if wide { self::extra(&[size, size, at]) } else { Vec::new() };
        directory.extend_from_slice(&(extra.len() as u16).to_le_bytes());
        // No comment, the first disk, no attributes.
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&narrow(at).to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        directory.extend_from_slice(&extra);
    }
    end(&mut archive, &directory, entries.len() as u64, large);
    Ok(archive)
}

fn extra(numbers: &[u64]) -> Vec<u8> {
    let mut field = EXTRA_64.to_le_bytes().to_vec();
    field.extend_from_slice(&(8 * numbers.len() as u16).to_le_bytes());
    numbers.iter().for_each(|number| field.extend_from_slice(&number.to_le_bytes()));
    field
}

/// Puts the directory behind the entries, and behind it where it is.
fn end(archive: &mut Vec<u8>, directory: &[u8], count: u64, large: u64) {
    let (at, size) = (archive.len() as u64, directory.len() as u64);
    archive.extend_from_slice(directory);
    let wide = at >= large || size >= large || count >= u64::from(u16::MAX);
    if wide {
        let place = archive.len() as u64;
        archive.extend_from_slice(&END_64);
        archive.extend_from_slice(&(END_64_SIZE as u64 - 12).to_le_bytes());
        archive.extend_from_slice(&VERSIONS.1.to_le_bytes());
        archive.extend_from_slice(&VERSIONS.1.to_le_bytes());
        archive.extend_from_slice(&[0; 8]);
        for number in [count, count, size, at] {
            archive.extend_from_slice(&number.to_le_bytes());
        }
        archive.extend_from_slice(&LOCATOR_64);
        archive.extend_from_slice(&[0; 4]);
        archive.extend_from_slice(&place.to_le_bytes());
        archive.extend_from_slice(&1u32.to_le_bytes());
    }
    let narrow = |x: u64| if wide { u32::MAX } else { x as u32 };
    let count = if wide { u16::MAX } else { count as u16 };
    archive.extend_from_slice(&END);
    archive.extend_from_slice(&[0; 4]);
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&narrow(size).to_le_bytes());
    archive.extend_from_slice(&narrow(at).to_le_bytes());
    archive.extend_from_slice(&0u16.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn opened(name: &str, bytes: &[u8]) -> Result<Archive, Failure> {
        let path: PathBuf =
            std::env::temp_dir().join(format!("quasar-archive-{name}-{}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let file = Source::File(std::fs::File::open(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        Archive::open(file)
    }

    fn contents(archive: &mut Archive) -> Vec<(String, Vec<u8>)> {
        let names: Vec<String> = archive.names().map(str::to_owned).collect();
        let mut found = Vec::new();
        for (k, name) in names.into_iter().enumerate() {
            let mut bytes = Vec::new();
            let read = archive.entry(k, |source, _| {
                source.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
                Ok(Value::Null)
            });
            assert!(read.is_ok());
            found.push((name, bytes));
        }
        found
    }

    fn message<T>(result: Result<T, Failure>) -> String {
        match result {
            Err(Failure::File(message)) => message,
            Err(Failure::Other(error)) => error.to_string(),
            Ok(_) => "no error".to_owned(),
        }
    }

    #[test]
    fn entries_come_back_with_numbers_of_32_and_of_64_bits() {
        let entries = [("a.npy".to_owned(), b"hello".to_vec()), ("ä.npy".to_owned(), Vec::new())];
        for large in [LARGE, 0, 60] {
            let Ok(bytes) = written(&entries, large) else { panic!("no archive") };
            let mut archive = opened("round", &bytes).unwrap_or_else(|_| panic!("{large}"));
            assert_eq!(contents(&mut archive), entries);
            for end in 0..bytes.len() {
                assert!(opened("cut", &bytes[..end]).is_err(), "{end}");
            }
        }
        let Ok(bytes) = written(&[], LARGE) else { panic!("no archive") };
        assert_eq!(opened("empty", &bytes).map_or(9, |archive| archive.entries.len()), 0);
    }

    #[test]
    fn lies_of_the_directory_are_refused() {
        let entries = [("a.npy".to_owned(), b"hello".to_vec())];
        let Ok(bytes) = written(&entries, LARGE) else { panic!("no archive") };
        let central = bytes.windows(4).position(|found| found == CENTRAL).unwrap();
        let with = |at: usize, x: &[u8]| {
            let mut bytes = bytes.clone();
            bytes[central + at..central + at + x.len()].copy_from_slice(x);
            bytes
        };
        let unpacked = message(opened("bomb", &with(24, &[255, 255, 255, 127])));
        assert!(unpacked.contains("claims more than it can hold"), "{unpacked}");
        let packed = message(opened("packed", &with(20, &[255, 0, 0, 0])));
        assert!(packed.contains("claims more than it can hold"), "{packed}");
        assert!(message(opened("method", &with(10, &[14, 0]))).contains("method 14"));
        let nothing = |_: &mut dyn Read, _| Ok(Value::Null);
        let mut encrypted = opened("key", &with(8, &[1, 0])).unwrap_or_else(|_| panic!("opens"));
        assert!(message(encrypted.entry(0, nothing)).contains("encrypted"));
        let all = |source: &mut dyn Read, _| {
            std::io::copy(source, &mut std::io::sink()).map_err(|error| error.to_string())?;
            Ok(Value::Null)
        };
        let mut sum = opened("sum", &with(16, &[1, 2, 3, 4])).unwrap_or_else(|_| panic!("opens"));
        assert!(message(sum.entry(0, all)).contains("check sum"));
    }
}
