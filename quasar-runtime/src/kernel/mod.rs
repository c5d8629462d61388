//! Launches of compiled kernels on the processor's threads.

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
    // Work below the limit is not worth waking another thread.
    if plan.depth == 0 || work < context::serial_work() {
        return kernel::run::<K, R>(args, task, fault);
    }
    context::install(|| {
        let threads = rayon::current_num_threads();
        if threads < 2 {
            return kernel::run::<K, R>(args, task, fault);
        }
        let grain = (GRAIN / u64::from(plan.cost.max(1))) as usize;
        let grain = grain.max(task.count() / (threads * PARTS));
        divide::<K, R>(args, task, plan.depth, grain, fault)
    })
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
    let (a, b) = rayon::join(
        || divide::<K, R>(before, first, depth, grain, fault),
        || divide::<K, R>(after, second, depth, grain, fault),
    );
    K::merge(a, b)
}
