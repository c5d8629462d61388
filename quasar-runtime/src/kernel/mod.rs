//! Launches of compiled kernels on the processor's threads.

pub(crate) mod finite;
pub mod offload;
pub(crate) mod pending;
pub mod sources;

pub use quasar_compiled::cache;

use crate::context;
use quasar_devicelib::kernel::{self, Fault, Kernel, Part, Task};

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
    let work = task.count() as u64 * u64::from(plan.cost.max(1));
    // Work below the limit is not worth waking another thread. Settings take effect when they are first asked for.
    if work < context::serial_work() || plan.depth == 0 {
        return kernel::run::<K, R>(args, task, fault);
    }
    let mut whole = Once::new(|| {
        let threads = rayon::current_num_threads();
        if threads < 2 {
            return kernel::run::<K, R>(args, task, fault);
        }
        let grain = (GRAIN / u64::from(plan.cost.max(1))) as usize;
        let grain = grain.max(task.count() / (threads * PARTS));
        divide::<K, R>(args, task, plan.depth, grain, fault)
    });
    enter(&mut || whole.run());
    whole.result()
}

fn divide<K: Kernel<R>, const R: usize>(
    args: K::Args<'_>,
    task: Task<R>,
    depth: usize,
    grain: usize,
    fault: &Fault,
) -> K::Sum {
    let Some((first, cut, second)) = task.halve(depth, grain) else {
        return kernel::run::<K, R>(args, task, fault);
    };
    let (before, after) = args.split(&cut[..depth.min(R)]);
    let mut before = Once::new(|| divide::<K, R>(before, first, depth, grain, fault));
    let mut after = Once::new(|| divide::<K, R>(after, second, depth, grain, fault));
    join(&mut || before.run(), &mut || after.run());
    K::merge(before.result(), after.result())
}

/// Work for the thread pool. It comes by reference, so that the pool's code is compiled once and not for each kernel.
type Work<'a> = &'a mut (dyn FnMut() + Send);

/// Does the work where its parts run on the configured threads.
fn enter(work: Work<'_>) {
    context::install(work);
}

/// Does both, on two threads when another one is free.
fn join(first: Work<'_>, second: Work<'_>) {
    rayon::join(first, second);
}

/// A call that is still to be made, then its result.
enum Once<F, T> {
    Call(F),
    Running,
    Done(T),
}

impl<F: FnOnce() -> T, T> Once<F, T> {
    fn new(call: F) -> Once<F, T> {
        Once::Call(call)
    }

    fn run(&mut self) {
        if let Once::Call(call) = std::mem::replace(self, Once::Running) {
            *self = Once::Done(call());
        }
    }

    /// What the call gave. The pool has run it, or has passed its panic on.
    fn result(self) -> T {
        match self {
            Once::Done(result) => result,
            Once::Call(_) | Once::Running => unreachable!("the pool returns when the work is done"),
        }
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
