//! Open files: `fopen`, `fclose`, `fprintf`, `fgets`, `feof`, `fread`; and `dir`.
//!
//! A program knows an open file by a number. Nothing is buffered on writing, so nothing is lost when a program does
//! not close its files.

use crate::cluster;
use crate::error::{Error, Place, Result};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::{ArrayBuf, Value, ValueError};
use quasar_files::memory::only_whole;
use quasar_files::read::Source;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

enum Stream {
    Reading(BufReader<Source>),
    Writing(File),
}

struct OpenFile {
    path: PathBuf,
    stream: Stream,
}

struct Table {
    files: BTreeMap<i64, OpenFile>,
    next: i64,
}

/// The first numbers are left to the standard streams, as elsewhere.
static TABLE: Mutex<Table> = Mutex::new(Table { files: BTreeMap::new(), next: 3 });

fn table() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn file_error(function: &'static str, path: &Path, message: impl ToString) -> Error {
    Error::File { place: Place::UNKNOWN, function, path: path.to_path_buf(), message: message.to_string() }
}

/// Calls `f` with the open file that an argument names.
fn with_file<R>(
    function: &'static str,
    handle: &Value,
    f: impl FnOnce(&mut OpenFile) -> Result<R>,
) -> Result<R> {
    let number = handle.as_scalar().map(Scalar::as_i64);
    let mut table = table();
    match number.and_then(|number| table.files.get_mut(&number)) {
        Some(file) => f(file),
        None => {
            Err(Error::argument(format!("{function}: argument 1 must be an open file, as returned by fopen")))
        }
    }
}

fn reading<R>(
    function: &'static str,
    handle: &Value,
    f: impl FnOnce(&mut BufReader<Source>) -> std::io::Result<R>,
) -> Result<R> {
    with_file(function, handle, |file| match &mut file.stream {
        Stream::Reading(reader) => f(reader).map_err(|error| file_error(function, &file.path, error)),
        Stream::Writing(_) => Err(file_error(function, &file.path, "the file is open for writing")),
    })
}

/// `fopen(file, mode)`: "r", "w" (a new file) or "a" (at the end).
pub(super) fn fopen(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let (path, mode) = match args {
        [path] => (path, "r"),
        [path, mode] => (path, mode.as_text().unwrap_or("")),
        _ => return Err(ValueError::argument_count("fopen", "1 to 2", args.len()).into()),
    };
    let Some(path) = path.as_text().map(Path::new) else {
        return Err(ValueError::wrong_argument("fopen", 0, "a file name", &path.kind()).into());
    };
    // One rank of a cluster writes.
    let writes = !matches!(mode.trim_end_matches(['b', 't']), "r");
    let path = if writes && !cluster::is_first() { Path::new(NOWHERE) } else { path };
    let opened = match mode.trim_end_matches(['b', 't']) {
        "r" => quasar_files::read::open(path).map(|file| Stream::Reading(BufReader::new(file))),
        "w" => only_whole().and_then(|()| File::create(path)).map(Stream::Writing),
        "a" => {
            let append = |()| OpenOptions::new().append(true).create(true).open(path);
            only_whole().and_then(append).map(Stream::Writing)
        }
        _ => return Err(Error::argument("fopen: argument 2 must be \"r\", \"w\" or \"a\"")),
    };
    let stream = opened.map_err(|error| file_error("fopen", path, error))?;
    let mut table = table();
    let number = table.next;
    table.next += 1;
    table.files.insert(number, OpenFile { path: path.to_path_buf(), stream });
    Ok(vec![Value::int(number)])
}

/// A file for what ranks write that are not the first.
const NOWHERE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// `fclose(f)`.
pub(super) fn fclose(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let [handle] = args else {
        return Err(ValueError::argument_count("fclose", "1", args.len()).into());
    };
    with_file("fclose", handle, |_| Ok(()))?;
    let closed = handle.as_scalar().and_then(|number| table().files.remove(&number.as_i64()));
    let wrote = matches!(closed, Some(OpenFile { stream: Stream::Writing(_), .. }));
    drop(closed);
    if wrote {
        // Other ranks of a cluster may read the file from here on.
        cluster::on_first(|| Ok(()), || ())?;
    }
    Ok(Vec::new())
}

/// `fgets(f)`: the next line with its line end, or what remains; empty at the end of the file.
pub(super) fn fgets(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let [handle] = args else {
        return Err(ValueError::argument_count("fgets", "1", args.len()).into());
    };
    let line = reading("fgets", handle, |reader| {
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line)?;
        Ok(line)
    })?;
    Ok(vec![String::from_utf8_lossy(&line).into_owned().into()])
}

/// `feof(f)`: whether nothing is left to read.
pub(super) fn feof(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let [handle] = args else {
        return Err(ValueError::argument_count("feof", "1", args.len()).into());
    };
    Ok(vec![reading("feof", handle, |reader| Ok(reader.fill_buf()?.is_empty()))?.into()])
}

/// `fread(f[, n])`: the next n bytes, or all that remain.
pub(super) fn fread(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let (handle, limit) = match args {
        [handle] => (handle, u64::MAX),
        [handle, n] => match n.as_scalar().map(Scalar::as_i64).map(u64::try_from) {
            Some(Ok(n)) => (handle, n),
            _ => return Err(ValueError::wrong_argument("fread", 1, "a number of bytes", &n.kind()).into()),
        },
        _ => return Err(ValueError::argument_count("fread", "1 to 2", args.len()).into()),
    };
    let bytes = reading("fread", handle, |reader| {
        let mut bytes = Vec::new();
        reader.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    })?;
    Ok(vec![ArrayBuf::vec(bytes).into()])
}

/// Writes text to an open file.
pub(super) fn write(handle: &Value, text: &str) -> Result<()> {
    with_file("fprintf", handle, |file| match &mut file.stream {
        Stream::Writing(stream) => {
            stream.write_all(text.as_bytes()).map_err(|error| file_error("fprintf", &file.path, error))
        }
        Stream::Reading(_) => Err(file_error("fprintf", &file.path, "the file is open for reading")),
    })
}

/// `dir(pattern)`: the paths that match, sorted. `*` and `?` are allowed in the last part.
pub(super) fn dir(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let [pattern] = args else {
        return Err(ValueError::argument_count("dir", "1", args.len()).into());
    };
    let Some(text) = pattern.as_text() else {
        return Err(ValueError::wrong_argument("dir", 0, "a pattern", &pattern.kind()).into());
    };
    let path = Path::new(text);
    let (folder, name) = match path.file_name().and_then(|name| name.to_str()) {
        Some(name) if !path.is_dir() => (path.parent().unwrap_or(Path::new("")), name),
        _ => (path, "*"),
    };
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = only_whole()
        .and_then(|()| std::fs::read_dir(listed))
        .map_err(|error| file_error("dir", listed, error))?;
    let pattern: Vec<char> = name.chars().collect();
    let mut paths: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| matches(&pattern, &name.chars().collect::<Vec<_>>()))
        .map(|name| folder.join(name).to_string_lossy().into_owned())
        .collect();
    paths.sort();
    Ok(vec![Value::cell(paths.into_iter().map(Value::from).collect())])
}

fn matches(pattern: &[char], name: &[char]) -> bool {
    // Where to go on when a character does not match: after the last `*`, one character of the name later.
    let mut again = None;
    let (mut p, mut n) = (0, 0);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                again = Some((p + 1, n));
                p += 1;
            }
            Some(&c) if c == '?' || Some(&c) == name.get(n) => {
                p += 1;
                n += 1;
            }
            _ => match again {
                Some((after, from)) => {
                    again = Some((after, from + 1));
                    (p, n) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        let check = |pattern: &str, name: &str| {
            matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(check("*.png", "a.png") && check("*", "") && check("a?c*", "abcd") && check("*a*b", "xaayb"));
        assert!(!check("*.png", "a.pn") && !check("a", "ab") && !check("?", "") && !check("*a*b", "xaaby"));
    }
}
