//! Many small launches as one: the driver takes several microseconds for a launch, and less than one for each kernel of a
//! graph.
//!
//! The first launches after a wait are submitted at once, so that the device starts early. Those that follow are queued and
//! submitted together. When the same kernels come again in the same order, they become a graph, whose arguments change
//! where they differ; kernels in it wait only for those that they depend on (`order`). Every other operation submits the
//! queue first ([`Engine::enter`]), so the order stays that of the calls.

use super::super::{LaunchArg, LaunchConfig};
use super::driver::{CUfunction, Functions, SUCCESS};
use super::engine::Engine;
use super::module::bytes;
use super::order::{Edges, Order};
use crate::error::Result;
use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUgraphNode};
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many launches after a wait are submitted at once.
const AT_ONCE: u32 = 16;
/// After kernels of so many threads copies find an event to wait for. Recording it would take longer than smaller ones.
const EPOCH: u64 = 1 << 17;
/// A queue of this length ends where its first kernel comes again..
const ENOUGH: usize = 32;
/// .. and in any case here.
const MOST: usize = super::order::MOST;
/// Sequences that are known, at most.
const SEQUENCES: usize = 64;
/// A sequence becomes a graph when it comes for this time: making a graph takes as long as submitting its kernels.
const WORTHWHILE: u32 = 3;

/// What a launch does but for its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) function: CUfunction,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared: u32,
}

// SAFETY: a function of the driver may be used from any thread.
unsafe impl Send for Shape {}

impl Shape {
    pub(super) fn new(function: CUfunction, config: &LaunchConfig) -> Shape {
        Shape { function, grid: config.grid, block: config.block, shared: config.shared_bytes }
    }

    /// All threads of a launch.
    fn threads(&self) -> u64 {
        self.grid.iter().chain(&self.block).fold(1, |n: u64, &d| n.saturating_mul(u64::from(d)))
    }

    /// Submits a launch.
    ///
    /// # Safety
    /// As for [`super::super::Device::launch`]; the context is current, and each pointer leads to an argument.
    pub(super) unsafe fn submit(&self, engine: &Engine, arguments: *mut *mut c_void) -> i32 {
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        let (launch, stream, none) = (engine.functions.launch, engine.stream, null_mut());
        // SAFETY: as the caller promises; the stream exists.
        unsafe { launch(self.function, gx, gy, gz, bx, by, bz, self.shared, stream, arguments, none) }
    }

    fn parameters(&self, arguments: *mut *mut c_void) -> sys::CUDA_KERNEL_NODE_PARAMS_v2 {
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        sys::CUDA_KERNEL_NODE_PARAMS_v2 {
            func: self.function,
            gridDimX: gx,
            gridDimY: gy,
            gridDimZ: gz,
            blockDimX: bx,
            blockDimY: by,
            blockDimZ: bz,
            sharedMemBytes: self.shared,
            kernelParams: arguments,
            extra: null_mut(),
            kern: null_mut(),
            ctx: null_mut(),
        }
    }
}

/// The arguments of a launch, one after the other, each at a multiple of 16.
#[derive(Default)]
struct Arguments {
    bytes: Vec<Piece>,
    /// Where each begins.
    starts: Vec<usize>,
}

/// Aligned as the largest argument.
#[repr(C, align(16))]
#[derive(Clone, Copy, PartialEq)]
struct Piece([u8; 16]);

impl Arguments {
    fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
    }

    fn add(&mut self, argument: &[u8]) {
        self.starts.push(self.bytes.len());
        for part in argument.chunks(16) {
            let mut piece = Piece([0; 16]);
            piece.0.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
            self.bytes.push(piece);
        }
        if argument.is_empty() {
            self.bytes.push(Piece([0; 16]));
        }
    }

    /// A pointer to each, for the driver, which only reads them.
    fn pointers<'p>(&self, list: &'p mut Vec<*mut c_void>) -> &'p mut Vec<*mut c_void> {
        // Not a pointer to the first piece: the driver reads all pieces of a long argument.
        let base = self.bytes.as_ptr();
        list.clear();
        list.extend(self.starts.iter().map(|&start| base.wrapping_add(start).cast_mut().cast::<c_void>()));
        list
    }
}

/// A launch that waits.
struct Queued {
    shape: Shape,
    /// The earlier ones of the queue that it waits for.
    after: Edges,
    name: Arc<str>,
    arguments: Arguments,
}

/// A graph with the arguments that its kernels have now.
struct Graph {
    /// What the nodes belong to.
    graph: CUgraph,
    executable: CUgraphExec,
    nodes: Vec<CUgraphNode>,
    arguments: Vec<Vec<Piece>>,
}

// SAFETY: graphs of the driver may be used from any thread, by one at a time, as the lock of the queue says.
unsafe impl Send for Graph {}

/// A sequence of kernels that was submitted before.
enum Known {
    Times(u32),
    Graph(Graph),
}

/// See the module.
#[derive(Default)]
pub(super) struct Batch {
    /// Whether launches wait: what every operation asks.
    waiting: AtomicBool,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    launches: Vec<Queued>,
    /// Of launches that were submitted, to be filled again.
    spare: Vec<Arguments>,
    known: HashMap<Vec<(Shape, Edges)>, Known>,
    /// What the launches that wait do with memory.
    order: Order,
    /// Submitted at once since the last wait.
    at_once: u32,
    /// Threads of kernels since an epoch was closed here.
    threads: u64,
    /// A list to fill.
    pointers: Vec<*mut c_void>,
}

// SAFETY: the pointers are only a list to fill.
unsafe impl Send for Queue {}

impl Batch {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device is idle: what comes next starts at once.
    pub(super) fn start_again(&self) {
        self.queue().at_once = 0;
    }

    /// Submits a launch now or later.
    ///
    /// # Safety
    /// As for [`super::super::Device::launch`]; the arguments have the sizes of the kernel's parameters.
    pub(super) unsafe fn launch(
        &self,
        engine: &Engine,
        shape: Shape,
        name: &Arc<str>,
        args: &[LaunchArg<'_>],
        pointers: *mut *mut c_void,
    ) -> Result<()> {
        let mut queue = self.queue();
        let starts = queue.at_once < AT_ONCE && queue.launches.is_empty();
        if starts || !engine.functions.has_graphs() {
            queue.at_once = queue.at_once.saturating_add(1);
            engine.make_current()?;
            // SAFETY: as the caller promises.
            let submitted = engine.launched(name, unsafe { shape.submit(engine, pointers) });
            engine.overlap.touch_queued(args);
            queue.threads = queue.threads.saturating_add(shape.threads());
            queue.close_epoch(engine);
            return submitted;
        }
        let ends = queue.launches.len() >= ENOUGH
            && queue.launches.first().is_some_and(|first| first.shape == shape);
        if ends || queue.launches.len() >= MOST {
            queue.submit(engine)?;
            queue.close_epoch(engine);
        }
        let mut kept = queue.spare.pop().unwrap_or_default();
        kept.clear();
        args.iter().for_each(|arg| kept.add(bytes(arg)));
        let after = queue.order.add(args);
        queue.launches.push(Queued { shape, after, name: Arc::clone(name), arguments: kept });
        engine.overlap.touch_queued(args);
        queue.threads = queue.threads.saturating_add(shape.threads());
        self.waiting.store(true, Ordering::Release);
        Ok(())
    }

    /// Submits what waits.
    #[inline]
    pub(super) fn flush(&self, engine: &Engine) -> Result<()> {
        if self.waiting.load(Ordering::Acquire) {
            let mut queue = self.queue();
            let submitted = queue.submit(engine);
            self.waiting.store(false, Ordering::Release);
            return submitted;
        }
        Ok(())
    }

    /// Destroys the graphs, when no kernel is under way.
    pub(super) fn release(&mut self, functions: &Functions) {
        let queue = self.queue.get_mut().unwrap_or_else(PoisonError::into_inner);
        queue.known.drain().for_each(|(_, known)| known.release(functions));
    }
}

impl Known {
    fn release(self, functions: &Functions) {
        let destroy = (functions.destroy_graph_exec, functions.destroy_graph);
        if let (Known::Graph(graph), (Some(destroy_executable), Some(destroy))) = (self, destroy) {
            // SAFETY: nothing uses the graph any more, but for launches under way, which the driver lets end.
            unsafe {
                destroy_executable(graph.executable);
                destroy(graph.graph);
            }
        }
    }
}

impl Queue {
    /// Closes an epoch after large kernels, when nothing is held back.
    fn close_epoch(&mut self, engine: &Engine) {
        if self.threads >= EPOCH {
            self.threads = 0;
            engine.overlap.close_submitted(engine);
        }
    }

    /// Submits all launches, as a graph where they are known. The first error.
    fn submit(&mut self, engine: &Engine) -> Result<()> {
        let launches = std::mem::take(&mut self.launches);
        self.order.clear();
        let result = match self.replay(engine, &launches) {
            Ok(true) => Ok(()),
            Ok(false) => self.one_by_one(engine, &launches),
            Err(error) => Err(error),
        };
        self.spare.extend(launches.into_iter().map(|launch| launch.arguments));
        result
    }

    fn one_by_one(&mut self, engine: &Engine, launches: &[Queued]) -> Result<()> {
        engine.make_current()?;
        for launch in launches {
            let pointers = launch.arguments.pointers(&mut self.pointers).as_mut_ptr();
            // SAFETY: promised when the launch was queued; the arguments are kept with it.
            engine.launched(&launch.name, unsafe { launch.shape.submit(engine, pointers) })?;
        }
        Ok(())
    }

    /// Submits launches as a graph if their sequence came often enough. Says whether it did.
    fn replay(&mut self, engine: &Engine, launches: &[Queued]) -> Result<bool> {
        if launches.len() < ENOUGH {
            return Ok(false);
        }
        let sequence: Vec<_> = launches.iter().map(|launch| (launch.shape, launch.after)).collect();
        if self.known.len() >= SEQUENCES && !self.known.contains_key(&sequence) {
            // Graphs that are still under way are destroyed when they are done.
            self.known.drain().for_each(|(_, known)| known.release(engine.functions));
        }
        engine.make_current()?;
        let known = self.known.entry(sequence).or_insert(Known::Times(0));
        if let Known::Times(times) = known {
            *times += 1;
            if *times < WORTHWHILE {
                return Ok(false);
            }
            match Graph::new(engine.functions, launches, &mut self.pointers) {
                Some(graph) => *known = Known::Graph(graph),
                None => return Ok(false),
            }
        }
        let Known::Graph(graph) = known else { return Ok(false) };
        graph.run(engine, launches, &mut self.pointers)
    }
}

impl Graph {
    /// Kernels after those that they depend on. None where the driver refuses it; then each launch will say why.
    fn new(functions: &Functions, launches: &[Queued], pointers: &mut Vec<*mut c_void>) -> Option<Graph> {
        let (create, add) = (functions.create_graph?, functions.add_kernel_node?);
        let (instantiate, destroy) = (functions.instantiate_graph?, functions.destroy_graph?);
        let mut graph = null_mut();
        // SAFETY: the context is current; the function writes one pointer.
        if unsafe { create(&raw mut graph, 0) } != SUCCESS {
            return None;
        }
        let mut nodes: Vec<CUgraphNode> = Vec::with_capacity(launches.len());
        let mut before: Vec<CUgraphNode> = Vec::new();
        let mut status = SUCCESS;
        for launch in launches {
            let parameters = launch.shape.parameters(launch.arguments.pointers(pointers).as_mut_ptr());
            before.clear();
            before.extend(launch.after.iter().filter_map(|k| nodes.get(k).copied()));
            let mut node = null_mut();
            // SAFETY: the graph exists, so do the nodes before; the driver copies the arguments.
            status =
                unsafe { add(&raw mut node, graph, before.as_ptr(), before.len(), &raw const parameters) };
            if status != SUCCESS {
                break;
            }
            nodes.push(node);
        }
        let mut executable = null_mut();
        if status == SUCCESS {
            // SAFETY: the graph is complete; the function writes one pointer.
            status = unsafe { instantiate(&raw mut executable, graph, 0) };
        }
        if status != SUCCESS {
            // SAFETY: the graph is not used any more.
            unsafe { destroy(graph) };
            return None;
        }
        let arguments = launches.iter().map(|launch| launch.arguments.bytes.clone()).collect();
        Some(Graph { graph, executable, nodes, arguments })
    }

    /// Submits it with other arguments. Says whether it could be.
    fn run(&mut self, engine: &Engine, launches: &[Queued], pointers: &mut Vec<*mut c_void>) -> Result<bool> {
        let (Some(set), Some(submit)) = (engine.functions.set_kernel_node, engine.functions.launch_graph)
        else {
            return Ok(false);
        };
        for ((launch, node), kept) in launches.iter().zip(&self.nodes).zip(&mut self.arguments) {
            if *kept == launch.arguments.bytes {
                continue;
            }
            let parameters = launch.shape.parameters(launch.arguments.pointers(pointers).as_mut_ptr());
            // SAFETY: the node belongs to the graph; the driver copies the arguments; launches under way keep theirs.
            if unsafe { set(self.executable, *node, &raw const parameters) } != SUCCESS {
                kept.clear();
                return Ok(false);
            }
            kept.clone_from(&launch.arguments.bytes);
        }
        // SAFETY: what the kernels do was promised when they were queued.
        let status = unsafe { submit(self.executable, engine.stream) };
        engine.check(status).map(|()| true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_lie_where_their_pointers_say() {
        let long: Vec<u8> = (0..40).collect();
        let parts: [&[u8]; 5] = [&[1], &[2, 3, 4, 5, 6, 7, 8, 9], &long, &[], &[10; 16]];
        let mut arguments = Arguments::default();
        let mut list = Vec::new();
        for _ in 0..2 {
            arguments.clear();
            parts.iter().for_each(|part| arguments.add(part));
            let pointers = arguments.pointers(&mut list);
            assert_eq!(pointers.len(), parts.len());
            for (pointer, part) in pointers.iter().zip(parts) {
                assert!(pointer.addr().is_multiple_of(16));
                // SAFETY: the pointer leads to so many bytes of the arguments.
                let found = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), part.len()) };
                assert_eq!(found, part);
            }
        }
        let mut other = Arguments::default();
        parts.iter().for_each(|part| other.add(part));
        assert!(other.bytes == arguments.bytes);
    }
}
