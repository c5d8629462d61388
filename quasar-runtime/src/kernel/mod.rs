//! Launches of compiled kernels on the threads of the CPU: recursive splitting of the iteration space, and the merge of
//! partial reductions. `offload` is the same for devices.

pub(crate) mod deferred_errors;
pub mod kernel_loader;
pub(crate) mod nan_check;
#[allow(unsafe_code, reason = "launches kernels")]
pub mod offload;

pub use quasar_compiled::cache;

use crate::profile::{self, Source};
use crate::{calls, context, threads};
use quasar_devicelib::kernel::{self, Fault, Kernel, Part as _, Task};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Launch properties of a kernel, besides the arguments.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of leading dimensions in which the iteration space may be split; 0 runs on one thread.
    pub depth: usize,
    /// Estimated operations per position.
    pub cost: u32,
    /// The kernel in the source.
    pub kernel: &'static Source,
}

/// Minimum operations of a chunk.
const GRAIN: u64 = 1 << 16;
/// Chunks per thread: several, so that a preempted thread does not delay the launch.
const PARTS: usize = 8;
/// The same where each chunk packs what it reads.
const PACKED_PARTS: usize = 3;
/// The same where somebody waits for progress, or may cancel the call.
const WATCHED_PARTS: usize = 512;
/// Chunks of a row of positions are multiples of so many: whole vectors and lines of the cache.
const COLUMNS: usize = 64;
/// The same where that is more than a chunk should do: a line of the cache.
const LEAST_COLUMNS: usize = 16;

/// Runs a kernel over a box of positions. Returns its reductions.
pub fn launch<K: Kernel<R>, const R: usize>(
    dims: [i32; R],
    args: K::Args<'_>,
    plan: Plan,
    fault: &Fault,
) -> K::Sum {
    launch_rows::<K, R>(dims, args, plan, None, fault)
}

/// As [`launch`], for the positions whose first component is in a range, if there is one.
pub(crate) fn launch_rows<K: Kernel<R>, const R: usize>(
    dims: [i32; R],
    mut args: K::Args<'_>,
    plan: Plan,
    rows: Option<Range<i32>>,
    fault: &Fault,
) -> K::Sum {
    let _timer = profile::is_on()
        .then(|| profile::kernel(plan.kernel, args.bytes(), &dims, positions(&dims, rows.as_ref())));
    let mut task = Task::starting_at(K::ORIGIN, dims);
    if let Some(rows) = &rows {
        K::divide(&mut args, task.leading());
        args = args.split(&[rows.start]).1.split(&[rows.end]).0;
        task = task.with_leading(rows.clone());
    }
    let watched = calls::launch(plan.kernel, task.count() as u64);
    let parts = match &watched {
        Some(_) => WATCHED_PARTS,
        None if K::PACKS => PACKED_PARTS,
        None => PARTS,
    };
    // Only the one row of a launch is cut where vectors matter.
    let lanes = if task.count() == task.columns().len() { K::LANES } else { None };
    let chunk = |args, task| run_chunk::<K, R>(args, task, fault, watched.as_ref());
    let whole = lanes.unwrap_or(0).max(args.least_positions());
    let Some(cuts) = Cuts::of(task.count(), plan, (parts, lanes, whole), watched.is_some()) else {
        return chunk(args, task);
    };
    if rows.is_none() {
        K::divide(&mut args, task.leading());
    }
    let all = Mutex::new(Chunk { args: Some(args), task, sum: None });
    let mut shares = Chunks::<K, R> { parts: vec![all], fault, watched: watched.as_ref() };
    run_parallel(&mut shares, plan.depth, cuts);
    match shares.parts.swap_remove(0).into_inner().unwrap_or_else(PoisonError::into_inner).sum {
        Some(sum) => sum,
        // A panic in a chunk propagates to the caller.
        None => unreachable!("all parts are done"),
    }
}

/// Computes a chunk, unless the call was cancelled: then its positions are none.
fn run_chunk<K: Kernel<R>, const R: usize>(
    args: K::Args<'_>,
    task: Task<R>,
    fault: &Fault,
    watched: Option<&calls::Launch>,
) -> K::Sum {
    let skipped = watched.is_some_and(calls::Launch::is_cancelled);
    let sum = kernel::run::<K, R>(args, if skipped { task.without_positions() } else { task }, fault);
    watched.into_iter().for_each(|launch| launch.did(task.count() as u64));
    sum
}

/// How many positions a box has, or those of its rows in a range.
pub(crate) fn positions(dims: &[i32], rows: Option<&Range<i32>>) -> u64 {
    let of = |n: &i32| u64::try_from(*n).unwrap_or(0);
    match (dims, rows) {
        ([_, others @ ..], Some(rows)) => others.iter().map(of).product::<u64>() * rows.len() as u64,
        _ => dims.iter().map(of).product(),
    }
}

/// Where launches are cut.
#[derive(Clone, Copy)]
struct Cuts {
    /// Minimum number of positions of a chunk.
    grain: usize,
    /// Along rows of positions at multiples of so many.
    columns: usize,
}

impl Cuts {
    /// Those of a launch of `count` positions in so many chunks for each thread, of which vectors visit `lanes` together, and which had
    /// better have `whole` positions; `None` if it should run on one thread.
    fn of(
        count: usize,
        plan: Plan,
        (parts, lanes, whole): (usize, Option<usize>, usize),
        watched: bool,
    ) -> Option<Cuts> {
        let cost = u64::from(plan.cost.max(1));
        // Work below the threshold does not amortise waking another thread. Settings take effect when they are first asked
        // for.
        if (count as u64) * cost < context::serial_work() || plan.depth == 0 {
            return None;
        }
        let threads = threads::count();
        if threads < 2 && !watched {
            return None;
        }
        let least = (GRAIN / cost) as usize;
        // Narrower than its vectors, or than its tables are long, a chunk is slow, but waiting is slower.
        let whole = whole.min(count / threads);
        let grain = least.max(count / (threads * parts)).max(whole);
        let narrowest = if lanes.is_some() { LEAST_COLUMNS } else { 1 };
        let columns = least.max(1).next_power_of_two().clamp(narrowest, COLUMNS);
        Some(Cuts { grain, columns })
    }
}

/// Parallel work independent of the kernel's type, so that the splitting code is not monomorphised for each kernel.
/// Chunks are numbered; initially chunk 0 is everything.
trait Work: Sync {
    /// Splits a chunk in two, unless it is too small. Returns the number of the second half.
    fn halve(&mut self, part: usize, depth: usize, cuts: Cuts) -> Option<usize>;
    /// Executes a chunk.
    fn run(&self, part: usize);
    /// Merges the reductions of a chunk into those of the preceding one.
    fn merge(&mut self, first: usize, second: usize);
}

/// A chunk of a launch, and its reductions once it is done.
struct Chunk<'a, K: Kernel<R>, const R: usize> {
    args: Option<K::Args<'a>>,
    task: Task<R>,
    sum: Option<K::Sum>,
}

struct Chunks<'a, 'f, K: Kernel<R>, const R: usize> {
    parts: Vec<Mutex<Chunk<'a, K, R>>>,
    fault: &'f Fault,
    watched: Option<&'f calls::Launch>,
}

impl<'a, K: Kernel<R>, const R: usize> Chunks<'a, '_, K, R> {
    fn part(&mut self, part: usize) -> Option<&mut Chunk<'a, K, R>> {
        Some(self.parts.get_mut(part)?.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<K: Kernel<R>, const R: usize> Work for Chunks<'_, '_, K, R> {
    fn halve(&mut self, part: usize, depth: usize, cuts: Cuts) -> Option<usize> {
        let share = self.part(part)?;
        let (first, cut, second) = share.task.halve(depth, (cuts.grain, cuts.columns), K::TILE)?;
        let args = share.args.take()?;
        let (before, after) = args.split(&cut[..depth.min(R)]);
        (share.args, share.task) = (Some(before), first);
        self.parts.push(Mutex::new(Chunk { args: Some(after), task: second, sum: None }));
        Some(self.parts.len() - 1)
    }

    fn run(&self, part: usize) {
        let Some(share) = self.parts.get(part) else { return };
        let mut share = share.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(args) = share.args.take() {
            share.sum = Some(run_chunk::<K, R>(args, share.task, self.fault, self.watched));
        }
    }

    fn merge(&mut self, first: usize, second: usize) {
        let after = self.part(second).and_then(|part| part.sum.take());
        if let Some(part) = self.part(first)
            && let (Some(before), Some(after)) = (part.sum.take(), after)
        {
            part.sum = Some(K::merge(before, after));
        }
    }
}

/// The decomposition of the work: the chunks in order of position, and the merges in their order. Both depend only on
/// the number of threads, not on the scheduling, so reductions are deterministic.
#[derive(Default)]
struct Decomposition {
    parts: Vec<usize>,
    merges: Vec<(usize, usize)>,
}

impl Decomposition {
    fn divide(&mut self, work: &mut dyn Work, part: usize, depth: usize, cuts: Cuts) {
        let Some(second) = work.halve(part, depth, cuts) else { return self.parts.push(part) };
        self.divide(work, part, depth, cuts);
        self.divide(work, second, depth, cuts);
        self.merges.push((part, second));
    }
}

/// Executes work on several threads.
fn run_parallel(work: &mut dyn Work, depth: usize, cuts: Cuts) {
    let mut found = Decomposition::default();
    found.divide(work, 0, depth, cuts);
    let all = &*work;
    threads::run(found.parts.len(), &|k| found.parts.get(k).into_iter().for_each(|part| all.run(*part)));
    found.merges.iter().for_each(|&(first, second)| work.merge(first, second));
}

#[cfg(test)]
mod tests {
    use super::*;
    use quasar_devicelib::isa::Isa;

    /// Lists its rows, which reveals chunks merged in the wrong order.
    struct Rows;

    impl Kernel<2> for Rows {
        type Args<'a> = ();
        type Sum = (usize, Vec<[i32; 2]>);

        fn run<I: Isa>(_args: (), task: Task<2>, _fault: &Fault) -> Self::Sum {
            (1, task.rows().collect())
        }

        fn merge(first: Self::Sum, second: Self::Sum) -> Self::Sum {
            (first.0 + second.0, [first.1, second.1].concat())
        }
    }

    #[test]
    fn parts_of_a_launch_come_together_in_order() {
        let fault = Fault::default();
        let all: Vec<[i32; 2]> = (0..1000).map(|row| [row, 0]).collect();
        for (depth, parallel) in [(0, false), (1, true)] {
            let plan = Plan { depth, cost: 100, kernel: &Source { name: "rows", file: "", line: 0 } };
            let launch = || launch::<Rows, 2>([1000, 1000], (), plan, &fault);
            let (parts, rows) = threads::tests::with_threads(3, launch);
            assert_eq!(rows, all);
            assert_eq!(parts > 1, parallel);
        }
    }

    #[test]
    fn few_positions_that_do_much_are_divided() {
        let plan = |cost| Plan { depth: 1, cost, kernel: &Source { name: "columns", file: "", line: 0 } };
        let cuts = |count, cost, lanes| {
            let cuts = threads::tests::with_threads(4, || {
                Cuts::of(count, plan(cost), (8, lanes, lanes.unwrap_or(0)), false)
            });
            cuts.map(|cuts| (cuts.grain, cuts.columns))
        };
        assert_eq!(cuts(64, 10, None), None);
        assert_eq!(cuts(64, 1 << 20, None), Some((2, 1)));
        assert_eq!(
            cuts(64, 1 << 20, Some(128)),
            Some((16, 16)),
            "whole lines of the cache, a part for each thread"
        );
        assert_eq!(cuts(100_000, 100, Some(128)), Some((3125, 64)));
    }
}
