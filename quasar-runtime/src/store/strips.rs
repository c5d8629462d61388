//! Launches over stored arrays, strip by strip: some rows of positions, for which the rows of arrays that they use are brought to memory,
//! and whose results are written to the store before the next ones.

use super::budget::{self, Room};
use super::digest::Digest;
use super::plan::next_strip;
use super::window::{Paged, RowSet, Rows};
use crate::array::coherence::Access;
use crate::array::{Array, Hold, Intervals, StoredRows};
use crate::cluster::{self, Division, Share, Sums, launch_share};
use crate::error::{Error, Result};
use crate::kernel::offload::{Arg, DeviceArray, RowRange, bytes_read};
use crate::kernel::{Plan, launch_rows};
use quasar_devicelib::element::Element;
use quasar_devicelib::kernel::{Fault, Kernel};
use std::ops::Range;

/// The strips of a launch; one of all positions where its arrays are in memory.
#[derive(Debug)]
pub struct Strips<'a> {
    launch: Launch<'a>,
    /// The stored arrays of which there are only the rows that a strip uses.
    windows: Vec<Windowed>,
    /// The memory for them.
    room: Option<Room>,
    /// The positions that are left.
    left: Range<i32>,
    /// Those of the strip that is visited.
    last: Range<i32>,
    /// Whether of what is read whole chunks are brought.
    whole_chunks: bool,
    /// What the strip before has written: the place among the arguments, and the rows.
    written: Vec<(usize, RowSet)>,
    begun: bool,
    /// Whether the first strip is behind those of a program that was ended.
    goes_on: bool,
}

/// A strip of positions.
#[derive(Clone, Debug)]
pub struct Strip {
    rows: Option<Range<i32>>,
}

#[derive(Clone, Copy)]
struct Launch<'a> {
    division: &'a Division,
    size: &'a [i32],
    args: &'a [Arg<'a>],
}

impl std::fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launch")
            .field("name", &self.division.name)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// A stored array of a launch.
#[derive(Debug)]
struct Windowed {
    place: usize,
    stored: StoredRows,
    ranges: &'static [RowRange],
    is_written: bool,
    /// Whether positions write all elements of their rows before they read any.
    is_overwritten: bool,
}

/// Plans the strips of a launch.
///
/// `seal` tells the kernel from others; 0 says that its positions cannot be visited again.
pub fn strips<'a>(
    division: &'a Division,
    size: &'a [i32],
    args: &'a [Arg<'a>],
    seal: u64,
) -> Result<Strips<'a>> {
    let launch = Launch { division, size, args };
    let first = division.origin;
    let left = first..first.saturating_add(size.first().copied().unwrap_or(0));
    let (windows, written) = (Vec::new(), Vec::new());
    let last = first..first;
    let whole = Strips {
        launch,
        windows,
        room: None,
        left,
        last,
        whole_chunks: true,
        written,
        begun: false,
        goes_on: false,
    };
    if !budget::in_use() || cluster::is_active() || size.iter().any(|n| *n <= 0) {
        return Ok(whole);
    }
    loop {
        let stored = launch.stored();
        let bytes = stored.iter().map(|(_, stored, _)| stored.bytes()).fold(0, usize::saturating_add);
        // What fits stays in memory for the launches that follow.
        if stored.is_empty() {
            return Ok(whole);
        }
        if !budget::make_room(bytes)? {
            break;
        }
        // Others of the launch may have gone for it.
        if launch.stored().len() == stored.len() {
            return Ok(whole);
        }
    }
    let room = Room::most()?;
    let windows = launch.windows(launch.stored())?;
    let mut strips = Strips { windows, room: Some(room), ..whole };
    strips.go_on(seal)?;
    Ok(strips)
}

impl Launch<'_> {
    /// The arrays that are in their stores only: place, what is stored, and whether they are written.
    fn stored(&self) -> Vec<(usize, StoredRows, bool)> {
        let arrays = self.args.iter().enumerate().filter_map(|(k, arg)| arg.array().map(|array| (k, array)));
        arrays
            .filter_map(|(k, (array, access))| Some((k, array.stored_rows()?, access != Access::Read)))
            .collect()
    }

    /// The arrays of which strips have rows; none where the launch has no strips.
    fn windows(&self, stored: Vec<(usize, StoredRows, bool)>) -> Result<Vec<Windowed>> {
        let mut found: Vec<Windowed> = Vec::new();
        for (place, stored, is_written) in stored {
            let lists = [self.division.writes, self.division.reads];
            let ranges = lists.iter().flat_map(|list| list.iter()).find(|(k, _)| *k == place);
            let Some((_, ranges)) = ranges.filter(|_| self.division.by_rows) else {
                return Err(self.unknown(&stored));
            };
            let twice = |other: &Windowed| {
                other.stored.identity == stored.identity && (other.is_written || is_written)
            };
            if found.iter().any(twice) {
                return Err(self.unknown(&stored));
            }
            let is_overwritten = is_written && self.is_overwritten(place);
            found.push(Windowed { place, stored, ranges, is_written, is_overwritten });
        }
        Ok(found)
    }

    /// The error for an array of which any rows may be used.
    fn unknown(&self, stored: &StoredRows) -> Error {
        let name = self.division.name;
        budget::no_room(stored.bytes(), &format!("{name} may use any row of {}", stored.name))
    }

    fn array(&self, place: usize) -> Option<&dyn DeviceArray> {
        self.args.get(place).and_then(Arg::array).map(|(array, _)| array)
    }

    fn is_overwritten(&self, place: usize) -> bool {
        let as_large = || {
            let extents = self.size.iter().map(|&n| usize::try_from(n).unwrap_or(0));
            self.division.origin == 0
                && self.array(place).is_some_and(|array| extents.eq(array.dims().iter().copied()))
        };
        let known = self.division.overwritten.iter().find(|(k, _)| *k == place);
        known.is_some_and(|(_, any)| *any || as_large())
    }

    /// A number for the launch and all that it gets, if its results are in stores only.
    fn writer(&self, seal: u64, windows: &[Windowed]) -> Result<Option<u64>> {
        if seal == 0 || !self.division.sums.is_empty() {
            return Ok(None);
        }
        let mut digest = Digest::default();
        digest.add(&seal.to_le_bytes());
        self.size.iter().for_each(|n| digest.add(&n.to_le_bytes()));
        for (place, arg) in self.args.iter().enumerate() {
            let (array, is_written) = match arg {
                Arg::Value(number) => {
                    digest.add(number.as_slice());
                    continue;
                }
                Arg::Small(array) | Arg::Read(array) => (*array, false),
                Arg::Write(array) => (*array, true),
            };
            digest.add(array.element_type().name().as_bytes());
            array.dims().iter().for_each(|n| digest.add(&n.to_le_bytes()));
            if is_written {
                if !windows.iter().any(|window| window.place == place) {
                    return Ok(None);
                }
            } else if let Some(origin) = array.stored_origin() {
                digest.add(&origin.to_le_bytes());
            } else if array.stored_rows().is_some() {
                return Ok(None);
            } else {
                array.look_at(&mut |bytes| digest.add(bytes))?;
            }
        }
        Ok(Some(digest.value()))
    }

    /// The rows of an array that some rows of positions use.
    fn rows(&self, window: &Windowed, positions: &Range<i32>) -> Option<Intervals> {
        let bytes =
            bytes_read(Some(window.ranges), self.array(window.place)?, self.size, self.args, positions)?;
        let row = window.stored.row_bytes.max(1);
        Some(Intervals::of(bytes.into_iter().map(|bytes| bytes.start / row..bytes.end.div_ceil(row))))
    }

    /// The rows of an array that are brought for some rows of positions: of what is read, whole chunks where these fit.
    fn needs(&self, window: &Windowed, positions: &Range<i32>, whole_chunks: bool) -> Option<Intervals> {
        let rows = self.rows(window, positions)?;
        if window.is_written || !whole_chunks {
            return Some(rows);
        }
        let (unit, all) = (window.stored.unit.max(1), window.stored.rows);
        let whole = |rows: &Range<usize>| rows.start / unit * unit..rows.end.next_multiple_of(unit).min(all);
        Some(Intervals::of(rows.iter().map(whole)))
    }
}

impl<'a> Strips<'a> {
    /// Whether all positions are one strip.
    pub fn is_whole(&self) -> bool {
        self.windows.is_empty()
    }

    /// Takes the arrays that the launch writes, and begins where a program was ended that did the same.
    fn go_on(&mut self, seal: u64) -> Result<()> {
        let writer = self.launch.writer(seal, &self.windows)?;
        let first = self.left.start;
        let mut done = self.left.end;
        for window in self.windows.iter().filter(|window| window.is_written) {
            window.stored.backing.claim(writer)?;
            done = done.min(window.stored.backing.done_from(first));
        }
        if !self.windows.iter().any(|window| window.is_written) || done <= first {
            return Ok(());
        }
        for window in self.windows.iter().filter(|window| window.is_written) {
            let rows = self
                .launch
                .rows(window, &(first..done))
                .ok_or_else(|| self.launch.unknown(&window.stored))?;
            let rows: Vec<Range<usize>> = rows.iter().cloned().collect();
            window.stored.backing.done(first..done, &rows)?;
        }
        self.left.start = done;
        self.goes_on = true;
        Ok(())
    }

    /// The elements of an argument, to be read.
    pub fn reading<'g, T: Element>(
        &self,
        array: &'g Array<T>,
        held: Hold<'g>,
        place: usize,
    ) -> Result<Rows<'g, T>> {
        match self.has_window(place) {
            true => array.window_held(held, false).map(Rows::window),
            false => array.read_held(held).map(Rows::read),
        }
    }

    /// The elements of an argument, to be written.
    pub fn writing<'g, T: Element>(
        &self,
        array: &'g Array<T>,
        held: Hold<'g>,
        place: usize,
    ) -> Result<Rows<'g, T>> {
        match self.has_window(place) {
            true => array.window_held(held, true).map(Rows::window),
            false => array.write_held(held).map(Rows::written),
        }
    }

    fn has_window(&self, place: usize) -> bool {
        self.windows.iter().any(|window| window.place == place)
    }

    /// Ends a strip and begins the next, unless a position failed: writes what was computed, and brings what is used then.
    pub fn next(&mut self, arrays: &mut [(usize, &mut dyn Paged)], fault: &Fault) -> Result<Option<Strip>> {
        if self.windows.is_empty() {
            let first = !std::mem::replace(&mut self.begun, true);
            return Ok(first.then_some(Strip { rows: None }));
        }
        if self.begun && fault.is_set() {
            // What the positions before the one that failed have computed is seen, and nothing is done for good.
            return self.store_written(arrays, false).map(|()| None);
        }
        if !std::mem::replace(&mut self.begun, true) && self.left.is_empty() {
            // All was done before: the launch has no positions left, and a result all the same.
            return Ok(Some(Strip { rows: Some(self.left.clone()) }));
        }
        self.store_written(arrays, true)?;
        if self.left.is_empty() {
            let written = self.windows.iter().filter(|window| window.is_written);
            written.for_each(|window| window.stored.backing.complete());
            return Ok(None);
        }
        let strip = match self.choose() {
            // Chunks are read again for each strip then.
            Err(_) if std::mem::take(&mut self.whole_chunks) => self.choose()?,
            chosen => chosen?,
        };
        // Rows that the strip before has written in part are not in memory where a program goes on.
        let goes_on = std::mem::take(&mut self.goes_on);
        for window in &self.windows {
            let needs = self
                .launch
                .needs(window, &strip, self.whole_chunks)
                .ok_or_else(|| self.launch.unknown(&window.stored))?;
            let needs = RowSet(needs);
            paged(arrays, window.place)?.move_to(&needs, goes_on || !window.is_overwritten)?;
            if window.is_written {
                self.written.push((window.place, needs));
            }
        }
        self.left.start = strip.end;
        self.last = strip.clone();
        Ok(Some(Strip { rows: Some(strip) }))
    }

    /// Writes what the last strip has computed, and notes that it is done.
    fn store_written(&mut self, arrays: &mut [(usize, &mut dyn Paged)], is_done: bool) -> Result<()> {
        let written = std::mem::take(&mut self.written);
        for (place, rows) in &written {
            paged(arrays, *place)?.store(rows)?;
        }
        for (place, rows) in written.into_iter().filter(|_| is_done) {
            let rows: Vec<Range<usize>> = rows.0.iter().cloned().collect();
            let window = self.windows.iter().find(|window| window.place == place);
            window.map_or(Ok(()), |window| window.stored.backing.done(self.last.clone(), &rows))?;
        }
        Ok(())
    }

    fn choose(&self) -> Result<Range<i32>> {
        let bytes = |positions: Range<i32>| {
            self.windows.iter().try_fold(0_usize, |sum, window| {
                let rows: usize = self
                    .launch
                    .needs(window, &positions, self.whole_chunks)?
                    .iter()
                    .map(ExactSizeIterator::len)
                    .sum();
                sum.checked_add(rows.checked_mul(window.stored.row_bytes)?)
            })
        };
        let written =
            self.windows.iter().filter(|window| window.is_written).max_by_key(|window| window.stored.unit);
        let end = |positions: Range<i32>| {
            self.launch.rows(written?, &positions)?.iter().last().map(|rows| rows.end)
        };
        // Chunks that are decoded or encoded need memory beside the rows.
        let chunks = self
            .windows
            .iter()
            .map(|window| budget::for_chunks(window.stored.chunk_bytes))
            .max()
            .unwrap_or(0);
        let memory = self.room.as_ref().map_or(0, Room::bytes).saturating_sub(chunks);
        let unit = written.map_or(1, |window| window.stored.unit);
        let own = self.room.as_ref().map_or(0, Room::bytes);
        next_strip(self.left.clone(), memory, &bytes, &end, unit).ok_or_else(|| {
            let first = self.left.start..self.left.start.saturating_add(1);
            match bytes(first) {
                Some(bytes) => {
                    let names: Vec<&str> =
                        self.windows.iter().map(|window| window.stored.name.as_str()).collect();
                    let name = format!(
                        "{}: one row of positions over {}",
                        self.launch.division.name,
                        names.join(", ")
                    );
                    budget::no_room_beside(bytes.saturating_add(chunks), &name, own)
                }
                None => self
                    .windows
                    .first()
                    .map_or_else(|| Error::system("no strips"), |w| self.launch.unknown(&w.stored)),
            }
        })
    }
}

fn paged<'p, 'r>(
    arrays: &'p mut [(usize, &'r mut dyn Paged)],
    place: usize,
) -> Result<&'p mut (dyn Paged + 'r)> {
    let found = arrays.iter_mut().find(|(k, _)| *k == place);
    found.map(|(_, array)| &mut **array).ok_or_else(|| Error::system("an array of a strip is missing"))
}

/// Runs a kernel on the positions of a strip.
pub fn launch_strip<K: Kernel<R>, const R: usize>(
    dims: [i32; R],
    args: K::Args<'_>,
    plan: Plan,
    share: &Share,
    strip: &Strip,
    fault: Fault,
) -> Result<(K::Sum, Fault)>
where
    K::Sum: Sums,
{
    match &strip.rows {
        None => launch_share::<K, R>(dims, args, plan, share, fault),
        Some(rows) => Ok((launch_rows::<K, R>(dims, args, plan, Some(rows.clone()), &fault), fault)),
    }
}

/// The results of two strips in order, or of the first.
pub fn merge_strips<K: Kernel<R>, const R: usize>(before: Option<K::Sum>, strip: K::Sum) -> Option<K::Sum> {
    Some(match before {
        Some(before) => K::merge(before, strip),
        None => strip,
    })
}

/// The results of all strips.
pub fn all_strips<S>(sums: Option<S>) -> Result<S> {
    sums.ok_or_else(|| Error::system("a launch without strips"))
}
