//! Which parts of an array are written for good: lines beside the array that are on the disk before the program goes on. A program that
//! was ended and starts again goes on behind them, if it does the same.
//!
//! The first line names what writes the array, the others rows of positions that are done. Each line ends with a sum of its bytes, so that
//! one that was written in part does not count.

use crate::{Failure, Result};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

const NAME: &str = ".quasar-journal";

/// The journal of an array.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// What writes the array; nothing before it begins.
    writer: Option<u64>,
    /// Positions that are done from the first on, as far as the journal says.
    done: Vec<Range<i32>>,
    /// Whether several writers wrote the array: then it says nothing.
    is_closed: bool,
}

impl Journal {
    /// The journal of an array in a folder, as it was left.
    #[must_use]
    pub fn left(array: &Path) -> Option<Journal> {
        let path = array.join(NAME);
        let text = std::fs::read(&path).ok()?;
        let mut journal = Journal { path, writer: None, done: Vec::new(), is_closed: false };
        let mut good = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let Some(words) = checked(line) else { break };
            journal.take(words)?;
            good += line.len();
        }
        // What follows a damaged line is not known, and lines that are added must not belong to it.
        if good < text.len() {
            let file = OpenOptions::new().write(true).open(&journal.path).ok()?;
            file.set_len(good as u64).and_then(|()| file.sync_all()).ok()?;
        }
        (journal.writer.is_some() && !journal.is_closed).then_some(journal)
    }

    /// An empty journal.
    #[must_use]
    pub fn new(array: &Path) -> Journal {
        Journal { path: array.join(NAME), writer: None, done: Vec::new(), is_closed: false }
    }

    fn take(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["writer", writer] => self.writer = Some(u64::from_str_radix(writer, 16).ok()?),
            ["done", start, end] => self.done.push(start.parse().ok()?..end.parse().ok()?),
            ["closed"] => self.is_closed = true,
            _ => return None,
        }
        Some(())
    }

    /// What writes the array.
    #[must_use]
    pub fn writer(&self) -> Option<u64> {
        self.writer.filter(|_| !self.is_closed)
    }

    /// The end of the positions from a first one on that are done.
    #[must_use]
    pub fn done_from(&self, first: i32) -> i32 {
        let mut done = self.done.clone();
        done.sort_by_key(|range| range.start);
        done.iter().fold(first, |end, range| if range.start <= end { end.max(range.end) } else { end })
    }

    /// Says what writes the array from here on.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn begin(&mut self, writer: u64) -> Result<()> {
        self.add(&format!("writer {writer:016x}"))?;
        self.writer = Some(writer);
        Ok(())
    }

    /// Says that positions are done; what they wrote is on the disk.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn done(&mut self, positions: Range<i32>) -> Result<()> {
        self.add(&format!("done {} {}", positions.start, positions.end))?;
        self.done.push(positions);
        Ok(())
    }

    /// Says that several writers change the array.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn close(&mut self) -> Result<()> {
        if !self.is_closed {
            self.add("closed")?;
            self.is_closed = true;
        }
        Ok(())
    }

    /// Removes the journal: the array is whole, or made anew.
    ///
    /// # Errors
    /// It is there and cannot be removed.
    pub fn remove(array: &Path) -> Result<()> {
        match std::fs::remove_file(array.join(NAME)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::new(format!("the journal: {error}")))
            }
            _ => Ok(()),
        }
    }

    fn add(&self, line: &str) -> Result<()> {
        let failed = |error: std::io::Error| Failure::new(format!("the journal: {error}"));
        let is_new = !self.path.exists();
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path).map_err(failed)?;
        file.write_all(format!("{line} {:08x}\n", sum(line)).as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        if is_new && let Some(folder) = self.path.parent() {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        }
        Ok(())
    }
}

/// The words of a line, if its sum is right.
fn checked(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (words, found) = line.rsplit_once(' ')?;
    (u32::from_str_radix(found, 16) == Ok(sum(words))).then_some(words)
}

fn sum(line: &str) -> u32 {
    line.bytes().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_up_to_the_first_that_is_damaged() {
        let folder = std::env::temp_dir().join(format!("quasar-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut journal = Journal::new(&folder);
        assert!(Journal::left(&folder).is_none());
        journal.begin(0xfedc).unwrap();
        journal.done(0..7).unwrap();
        journal.done(7..9).unwrap();
        journal.done(20..30).unwrap();
        let text = std::fs::read(folder.join(NAME)).unwrap();
        let mut ends = Vec::new();
        for length in 0..=text.len() {
            std::fs::write(folder.join(NAME), &text[..length]).unwrap();
            ends.push(
                Journal::left(&folder).map(|left| (left.writer(), left.done_from(0), left.done_from(15))),
            );
        }
        let mut seen = ends.clone();
        seen.dedup();
        let state = |done| Some((Some(0xfedc), done, 15));
        assert_eq!(seen, [None, state(0), state(7), state(9)]);
        assert_eq!(Journal::left(&folder).unwrap().done_from(20), 30);
        journal.close().unwrap();
        assert!(Journal::left(&folder).is_none());
        Journal::remove(&folder).unwrap();
        Journal::remove(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
