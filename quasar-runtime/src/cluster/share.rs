//! The share of a rank in a launch: its rows of positions, and the exchange of what it reads. Launches of little work, and those whose
//! positions cannot be divided, run on every rank, on the rows of arrays that they read.

use super::exchange::{Exchange, Messages};
use super::reductions::{self, Sums};
use super::world::{self, World};
use crate::array::{Intervals, SharedByRanks, hold_list};
use crate::context;
use crate::error::{Error, Result};
use crate::kernel::offload::{
    Arg, DeviceArray, DeviceKernel, Found, RowRange, bytes_read, offload, offload_rows,
};
use crate::kernel::{Plan, deferred_errors, launch_rows};
use quasar_devicelib::element::ElementType;
use quasar_devicelib::kernel::{Fault, Kernel};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// What the compiler knows of a kernel whose launches ranks share. Arrays are places among the arguments.
#[derive(Clone, Copy, Debug)]
pub struct Division {
    /// Whether ranks may visit some rows of positions each.
    pub by_rows: bool,
    /// The first row of positions.
    pub origin: i32,
    /// The rows of arrays that a row of positions reads. Of others it may read all.
    pub reads: &'static [(usize, &'static [RowRange])],
    /// The rows of arrays that a row of positions writes.
    pub writes: &'static [(usize, &'static [RowRange])],
    /// The arrays of which every element is written before it is read: argument index, and whether that holds for launches of any size;
    /// otherwise only for launches with the extents of the array.
    pub overwritten: &'static [(usize, bool)],
    /// The arrays to which all positions only add.
    pub sums: &'static [usize],
    /// The arrays that may differ between ranks where each visits all positions.
    pub unordered: &'static [usize],
    /// Whether a position may end with an error.
    pub may_fail: bool,
    /// Operations of a position.
    pub cost: u32,
    /// The kernel, as messages name it.
    pub name: &'static str,
}

/// The share of this rank in a launch, until it is dropped: then the launch is over.
pub struct Share {
    world: Option<&'static World>,
    /// The rows of positions of this rank, if it has not all.
    rows: Option<Range<i32>>,
    /// The first row of positions of the launch.
    origin: i32,
    may_fail: bool,
    /// The bytes of the arrays that will be valid on each rank.
    after: Vec<(Arc<dyn SharedByRanks>, Vec<Intervals>)>,
    sums: Vec<(Arc<dyn SharedByRanks>, ElementType)>,
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// Bytes that come at once, as those of a row.
const LITTLE: usize = 64 << 10;
/// Bytes of all copies of the arrays to which a launch adds, at most.
const MOST_SUMS: usize = 64 << 20;

/// An array of a launch.
struct Use {
    array: Arc<dyn SharedByRanks>,
    element: ElementType,
    /// The bytes that each rank needs, and those that it writes.
    needs: Vec<Intervals>,
    writes: Vec<Intervals>,
    is_written: bool,
    is_unordered: bool,
    is_sum: bool,
}

impl Use {
    /// That of an array in a list, in the order of the arguments: all ranks have the same order, though not the same addresses.
    fn of<'u>(list: &'u mut Vec<Use>, array: &dyn DeviceArray, ranks: usize, is_sum: bool) -> &'u mut Use {
        let of_all = array.by_ranks().0;
        let known = list.iter().position(|each| each.array.identity() == of_all.identity());
        let each = known.map(|place| list.swap_remove(place)).unwrap_or_else(|| Use {
            array: of_all,
            element: array.element_type(),
            needs: vec![Intervals::EMPTY; ranks],
            writes: vec![Intervals::EMPTY; ranks],
            is_written: false,
            is_unordered: false,
            is_sum,
        });
        list.push(each);
        match list.last_mut() {
            Some(each) => each,
            None => unreachable!("it was added"),
        }
    }
}

/// Begins the share of this rank in a launch: brings what it reads.
pub fn share(division: &Division, size: &[i32], args: &[Arg<'_>]) -> Result<Share> {
    let whole =
        Share { world: None, rows: None, origin: 0, may_fail: false, after: Vec::new(), sums: Vec::new() };
    if !world::is_active() || size.iter().any(|&n| n <= 0) {
        return Ok(whole);
    }
    let arrays = || args.iter().filter_map(Arg::array).map(|(array, _)| array.by_ranks().0);
    let work = size.iter().fold(u64::from(division.cost.max(1)), |n, &d| n.saturating_mul(d.max(0) as u64));
    let divides = division.by_rows && !context::checks_numbers();
    let pays = divides && work >= context::cluster_work();
    let small_shared = args.iter().filter_map(Arg::small).any(|array| array.by_ranks().0.is_shared());
    let stays = !pays && division.unordered.is_empty() && !arrays().any(|array| array.is_shared());
    if stays || small_shared {
        return Ok(whole);
    }
    let world = world::world()?;
    let launch = Launch { division, size, args };
    let divided = if pays || divides && launch.gathers_much(world) { launch.divided(world) } else { None };
    let (rows, uses) = match divided {
        Some((rows, uses)) => (Some(rows), uses),
        None => (None, launch.on_every_rank(world)),
    };
    let share = begin(world, division, rows, uses)?;
    if share.sums.is_empty() || world.place().0 == 0 {
        return Ok(share);
    }
    // The first rank adds to what is there, the others to zeros.
    for (array, _) in &share.sums {
        let _held = hold_list(&[array.to_be_changed()])?;
        array.with_bytes(&mut |bytes| bytes.fill(0))?;
    }
    Ok(share)
}

/// A launch and its arguments.
struct Launch<'a> {
    division: &'a Division,
    size: &'a [i32],
    args: &'a [Arg<'a>],
}

impl Launch<'_> {
    /// The rows of this rank, and what each rank reads and writes, if the launch can be divided.
    fn divided(&self, world: &World) -> Option<(Range<i32>, Vec<Use>)> {
        let (rank, ranks) = world.place();
        let rows = self.rows_of_ranks(ranks)?;
        let uses = self.uses(&rows)?;
        let apart =
            uses.iter().filter(|each| each.is_written && !each.is_sum).all(|each| are_apart(&each.writes));
        let sums = uses.iter().filter(|each| each.is_sum).map(|each| each.array.all_bytes()).sum::<usize>();
        let bounded = sums.saturating_mul(ranks) <= MOST_SUMS;
        (apart && bounded).then_some((rows.get(rank)?.clone(), uses))
    }

    /// Whether ranks that visit all positions would get much of arrays that they share: a launch of little work goes where these are.
    fn gathers_much(&self, world: &World) -> bool {
        // The same on all ranks, which decide alike.
        let absent = |each: Use| -> usize {
            let parts = each.array.parts().unwrap_or_default();
            let pairs = each.needs.iter().zip(&parts);
            pairs
                .map(|(needs, has)| needs.without(has).iter().map(ExactSizeIterator::len).sum::<usize>())
                .sum()
        };
        self.on_every_rank(world).into_iter().map(absent).sum::<usize>() > LITTLE * world.place().1
    }

    /// What each rank reads and writes where it visits all positions.
    fn on_every_rank(&self, world: &World) -> Vec<Use> {
        let first = self.division.origin;
        let all = first..first.saturating_add(self.size.first().copied().unwrap_or(0));
        let rows = vec![all; world.place().1];
        let known = if self.division.by_rows { self.uses(&rows) } else { None };
        let mut uses = known.unwrap_or_else(|| self.whole_uses(&rows));
        for each in uses.iter_mut().filter(|each| each.is_sum) {
            each.is_sum = false;
            each.is_unordered = true;
        }
        uses
    }

    /// The rows of positions of each rank: those of its block of rows of the array that is written, if positions are its rows.
    fn rows_of_ranks(&self, ranks: usize) -> Option<Vec<Range<i32>>> {
        let (first, count) = (i64::from(self.division.origin), i64::from(*self.size.first()?));
        let end = first + count;
        let written = self.division.writes.first().or_else(|| self.division.reads.first());
        let extent = written.and_then(|(k, _)| self.args.get(*k)?.array()?.0.dims().first().copied());
        let extent =
            extent.and_then(|n| i64::try_from(n).ok()).filter(|extent| *extent >= end && count * 2 > *extent);
        let cut = |k: usize| match extent {
            Some(extent) => (extent * k as i64 / ranks as i64).clamp(first, end),
            None => first + count * k as i64 / ranks as i64,
        };
        let cut = |k: usize| {
            if k == ranks {
                end
            } else if k == 0 {
                first
            } else {
                cut(k)
            }
        };
        let rows = (0..ranks).map(|k| Some(i32::try_from(cut(k)).ok()?..i32::try_from(cut(k + 1)).ok()?));
        rows.collect()
    }

    /// What each rank reads and writes where it visits these rows; nothing where that is not known of an array that is written.
    fn uses(&self, rows: &[Range<i32>]) -> Option<Vec<Use>> {
        let mut found: Vec<Use> = Vec::new();
        for (k, array, is_written) in self.arrays() {
            let list = if is_written { self.division.writes } else { self.division.reads };
            let ranges = list.iter().find(|(place, _)| *place == k).map(|(_, ranges)| *ranges);
            let is_sum = self.division.sums.contains(&k);
            let all = || Intervals::first(array.by_ranks().0.all_bytes());
            let touched = |rows: &Range<i32>| -> Option<Intervals> {
                if rows.is_empty() && !is_sum {
                    return Some(Intervals::EMPTY);
                }
                bytes_read(ranges, array, self.size, self.args, rows).map(Intervals::of)
            };
            let touched: Vec<Option<Intervals>> = rows.iter().map(touched).collect();
            if is_written && !is_sum && touched.iter().any(Option::is_none) {
                return None;
            }
            let touched: Vec<Intervals> =
                touched.into_iter().map(|bytes| bytes.unwrap_or_else(all)).collect();
            let keeps = !self.is_overwritten(k, array);
            let each = Use::of(&mut found, array, rows.len(), is_sum);
            // An array by two names that are written, or one of which is added to, is not divided.
            if is_written && each.is_written || each.is_sum != is_sum {
                return None;
            }
            each.is_written |= is_written;
            each.is_unordered |= self.division.unordered.contains(&k);
            for (rank, bytes) in touched.iter().enumerate() {
                if let Some(needs) = each.needs.get_mut(rank)
                    && (!is_written || keeps)
                {
                    needs.add_all(bytes);
                }
                if let Some(writes) = each.writes.get_mut(rank)
                    && is_written
                {
                    writes.add_all(bytes);
                }
            }
        }
        Some(found)
    }

    /// As [`Launch::uses`], where each rank may use everything.
    fn whole_uses(&self, rows: &[Range<i32>]) -> Vec<Use> {
        let mut found: Vec<Use> = Vec::new();
        for (k, array, is_written) in self.arrays() {
            let all = vec![Intervals::first(array.by_ranks().0.all_bytes()); rows.len()];
            let each = Use::of(&mut found, array, rows.len(), false);
            (each.needs, each.writes) = (all.clone(), all);
            each.is_written |= is_written;
            each.is_unordered |= self.division.unordered.contains(&k);
        }
        found
    }

    fn arrays(&self) -> impl Iterator<Item = (usize, &dyn DeviceArray, bool)> {
        self.args.iter().enumerate().filter_map(|(k, arg)| {
            let (array, access) = arg.array()?;
            Some((k, array, access != crate::array::coherence::Access::Read))
        })
    }

    fn is_overwritten(&self, k: usize, array: &dyn DeviceArray) -> bool {
        let as_large = || {
            let extents = self.size.iter().map(|&n| usize::try_from(n).unwrap_or(0));
            self.division.origin == 0 && extents.eq(array.dims().iter().copied())
        };
        let known = self.division.overwritten.iter().find(|(place, _)| *place == k);
        known.is_some_and(|(_, any)| *any || as_large())
    }
}

/// Whether no two of these have bytes in common.
fn are_apart(parts: &[Intervals]) -> bool {
    let mut all = Intervals::EMPTY;
    parts.iter().all(|part| {
        let apart = all.common(part).is_empty();
        all.add_all(part);
        apart
    })
}

/// Exchanges what ranks need, and notes what will be valid where.
fn begin(
    world: &'static World,
    division: &Division,
    rows: Option<Range<i32>>,
    uses: Vec<Use>,
) -> Result<Share> {
    let (rank, ranks) = world.place();
    let wanted: Vec<_> = uses.iter().map(|each| each.array.to_be_changed()).collect();
    let held = hold_list(&wanted)?;
    let mut share = Share {
        world: Some(world),
        may_fail: division.may_fail && rows.is_some(),
        rows,
        origin: division.origin,
        after: Vec::new(),
        sums: Vec::new(),
    };
    let (mut messages, mut exchanges) = (Messages::default(), Vec::new());
    for each in &uses {
        let all = Intervals::first(each.array.all_bytes());
        let mut valid = each.array.open()?.unwrap_or_else(|| vec![all.clone(); ranks]);
        let exchange = Exchange::plan(&each.needs, &valid, rank);
        warn_of_gathering(division, each, &valid, &all);
        messages.add(&exchange, |part, to| each.array.read(part, to))?;
        for (valid, needs) in valid.iter_mut().zip(&each.needs) {
            valid.add_all(needs);
        }
        exchanges.push(exchange);
        share.after.push((Arc::clone(&each.array), valid));
    }
    let mut received = messages.send(division.name)?;
    for (each, exchange) in uses.iter().zip(&exchanges) {
        received.take(exchange, |part, from| each.array.write(part, from))?;
    }
    drop(received);
    for (each, (_, valid)) in uses.iter().zip(&mut share.after) {
        write(each, valid, share.rows.is_some());
        if each.is_sum && share.rows.is_some() {
            share.sums.push((Arc::clone(&each.array), each.element));
        }
    }
    drop(held);
    Ok(share)
}

/// What is valid when the launch has written.
fn write(each: &Use, valid: &mut [Intervals], divided: bool) {
    if !each.is_written || each.is_sum {
        return;
    }
    for (rank, valid) in valid.iter_mut().enumerate() {
        for (other, written) in each.writes.iter().enumerate() {
            // Where each rank has written everything, the first one's order of additions counts.
            let others = if divided { other != rank } else { each.is_unordered && rank != 0 };
            if others {
                *valid = valid.without(written);
            } else {
                valid.add_all(written);
            }
        }
    }
}

/// Says when a launch needs all of a large array that ranks share.
fn warn_of_gathering(division: &Division, each: &Use, valid: &[Intervals], all: &Intervals) {
    const LARGE: usize = 1 << 20;
    let bytes = each.array.all_bytes();
    let gathers = |(needs, valid): (&Intervals, &Intervals)| *needs == *all && valid != all;
    if bytes >= LARGE && world::is_first() && each.needs.iter().zip(valid).any(gathers) {
        let text = format!(
            "{}: every rank needs all {} MB of an array that ranks share, since it may read any row",
            division.name,
            bytes >> 20
        );
        context::warn(Error::system(text));
    }
}

impl Share {
    /// Ends the launch: what all ranks have added is added together, in the order of the ranks.
    pub fn end(mut self) -> Result<()> {
        let Some(world) = self.world else { return Ok(()) };
        for (array, element) in std::mem::take(&mut self.sums) {
            let _held = hold_list(&[array.to_be_changed()])?;
            let mut own = Vec::new();
            array.with_bytes(&mut |bytes| own.extend_from_slice(bytes))?;
            let all = world.all_gather("sums", &own)?;
            array.with_bytes(&mut |bytes| add_all(element, &all, bytes))?;
        }
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        for (array, mut valid) in std::mem::take(&mut self.after) {
            // A launch that failed before all sums were added leaves those of the first rank.
            if self.sums.iter().any(|(sum, _)| sum.identity() == array.identity()) {
                valid.iter_mut().skip(1).for_each(|valid| *valid = Intervals::EMPTY);
            }
            array.close(valid);
        }
    }
}

/// Adds the elements of all ranks, in their order.
fn add_all(element: ElementType, parts: &[Vec<u8>], to: &mut [u8]) {
    macro_rules! add {
        ($ty:ty, $plus:expr) => {
            for (k, sum) in to.chunks_exact_mut(size_of::<$ty>()).enumerate() {
                let at = k * size_of::<$ty>()..(k + 1) * size_of::<$ty>();
                let number = |part: &Vec<u8>| {
                    let bytes = part.get(at.clone()).and_then(|bytes| bytes.try_into().ok());
                    bytes.map_or(<$ty>::default(), <$ty>::from_ne_bytes)
                };
                let total = parts.iter().map(number).reduce($plus).unwrap_or_default();
                sum.copy_from_slice(&total.to_ne_bytes());
            }
        };
    }
    match element {
        ElementType::Int32 => add!(i32, i32::wrapping_add),
        ElementType::Double => add!(f64, |a, b| a + b),
        _ => add!(f32, |a, b| a + b),
    }
}

/// Runs the share of this rank. Returns the reductions and the error of all ranks.
pub fn launch_share<K: Kernel<R>, const R: usize>(
    dims: [i32; R],
    args: K::Args<'_>,
    plan: Plan,
    share: &Share,
    fault: Fault,
) -> Result<(K::Sum, Fault)>
where
    K::Sum: Sums,
{
    let own = launch_rows::<K, R>(dims, args, plan, share.rows.clone(), &fault);
    match share.world.filter(|_| share.rows.is_some()) {
        Some(world) if share.may_fail || size_of::<K::Sum>() > 0 => {
            reductions::of_all(world, own, fault, K::merge)
        }
        _ => Ok((own, fault)),
    }
}

/// Runs the share of this rank on its device; nothing where the processor should run it. The reductions are those of all ranks.
pub fn offload_share(
    share: &Share,
    kernel: &'static DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
    place: (&'static str, &'static str),
) -> Result<Option<Found>> {
    let (Some(world), Some(rows)) = (share.world, &share.rows) else {
        return offload(kernel, size, block, args, place);
    };
    // Positions on devices begin at zero.
    let rows = rows.start - share.origin..rows.end - share.origin;
    let Some(own) = offload_rows(kernel, size, block, args, place, Some(&rows))? else { return Ok(None) };
    let error = if share.may_fail { deferred_errors::settle().err() } else { None };
    let own = own.scalars();
    if own.is_empty() && !share.may_fail {
        return Ok(Some(Found::of(own)));
    }
    reductions::scalars_of_all(world, kernel, &own, error).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_added_in_the_order_of_ranks() {
        let bytes = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<u8>>();
        let parts = [bytes(&[1e8, 1.0]), bytes(&[-1e8, 2.0]), bytes(&[0.5, 3.0])];
        let mut to = bytes(&[0.0, 0.0]);
        add_all(ElementType::Single, &parts, &mut to);
        assert_eq!(to, bytes(&[0.5, 6.0]));
    }

    #[test]
    fn parts_with_common_bytes_are_not_apart() {
        let set = |from, to| Intervals::of(std::iter::once(from..to));
        assert!(are_apart(&[set(0, 4), set(4, 8), set(9, 9)]));
        assert!(!are_apart(&[set(0, 4), set(8, 9), set(3, 5)]));
    }
}
