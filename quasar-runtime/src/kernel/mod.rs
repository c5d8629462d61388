//! Launches of compiled kernels on the processor's threads.

pub(crate) mod finite;
pub mod offload;
pub(crate) mod pending;
pub mod sources;

pub use quasar_compiled::cache;

use crate::context;
use quasar_devicelib::kernel::{self, Fault, Kernel, Part as _, Task};

/// What a launch needs to know about its kernel, besides the arguments.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many leading components of a position the parts of a launch may differ in; 0 runs on one thread.
    pub depth: usize,
    /// Estimated operations a position.
    pub cost: u32,
}

/// Parts have at least this many operations.
const GRAIN: u64 = 1 << 16;
/// Parts a thread: several, so that a disturbed thread does not delay the launch.
const PARTS: usize = 8;

/// Runs a kernel over a box of positions.
pub fn launch<K: Kernel<R>, const R: usize>(
    dims: [i32; R],
    args: K::Args<'_>,
    plan: Plan,
    fault: &Fault,
) -> K::Sum {
    let task = Task::new(dims);
    let mut whole = Share::<K, R> { args: Some(args), task, fault, sum: None };
    share_out(&mut whole, task.count(), plan);
    match whole.sum {
        Some(sum) => sum,
        // The pool passes a panic on.
        None => unreachable!("the pool returns when the work is done"),
    }
}

/// Work that is shared out by code that does not know the kernel: it is compiled once and not for each kernel.
trait Work: Send {
    /// Does all of it on this thread.
    fn run(&mut self);
    /// Cuts it in two, unless it is too small, and passes both to `join`, which does them.
    fn halve(
        &mut self,
        depth: usize,
        grain: usize,
        join: &mut dyn FnMut(&mut dyn Work, &mut dyn Work),
    ) -> bool;
}

/// A part of a launch, and its results when it is done.
struct Share<'a, 'f, K: Kernel<R>, const R: usize> {
    args: Option<K::Args<'a>>,
    task: Task<R>,
    fault: &'f Fault,
    sum: Option<K::Sum>,
}

impl<K: Kernel<R>, const R: usize> Work for Share<'_, '_, K, R> {
    fn run(&mut self) {
        if let Some(args) = self.args.take() {
            self.sum = Some(kernel::run::<K, R>(args, self.task, self.fault));
        }
    }

    fn halve(
        &mut self,
        depth: usize,
        grain: usize,
        join: &mut dyn FnMut(&mut dyn Work, &mut dyn Work),
    ) -> bool {
        let Some((first, cut, second)) = self.task.halve(depth, grain) else { return false };
        let Some(args) = self.args.take() else { return false };
        let (before, after) = args.split(&cut[..depth.min(R)]);
        let mut before = Share::<K, R> { args: Some(before), task: first, fault: self.fault, sum: None };
        let mut after = Share::<K, R> { args: Some(after), task: second, fault: self.fault, sum: None };
        join(&mut before, &mut after);
        if let (Some(before), Some(after)) = (before.sum, after.sum) {
            self.sum = Some(K::merge(before, after));
        }
        true
    }
}

/// Does the work of a launch of so many positions, on several threads where that pays.
fn share_out(whole: &mut dyn Work, count: usize, plan: Plan) {
    let cost = u64::from(plan.cost.max(1));
    // Work below the limit is not worth waking another thread. Settings take effect when they are first asked for.
    if (count as u64) * cost < context::serial_work() || plan.depth == 0 {
        return whole.run();
    }
    context::install(&mut || {
        let threads = rayon::current_num_threads();
        if threads < 2 {
            return whole.run();
        }
        let grain = (GRAIN / cost) as usize;
        divide(whole, plan.depth, grain.max(count / (threads * PARTS)));
    });
}

fn divide(work: &mut dyn Work, depth: usize, grain: usize) {
    let halved = work.halve(depth, grain, &mut |first, second| {
        rayon::join(|| divide(first, depth, grain), || divide(second, depth, grain));
    });
    if !halved {
        work.run();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quasar_devicelib::isa::Isa;

    /// Lists its rows, so that parts that come in the wrong order are seen.
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
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for (depth, parallel) in [(0, false), (1, true)] {
            let plan = Plan { depth, cost: 100 };
            let (parts, rows) = pool.install(|| launch::<Rows, 2>([1000, 1000], (), plan, &fault));
            assert_eq!(rows, all);
            assert_eq!(parts > 1, parallel);
        }
    }
}
