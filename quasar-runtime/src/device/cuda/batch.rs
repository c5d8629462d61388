//! Launch batching with CUDA graphs: the driver needs several microseconds for a launch, but less than one for each
//! kernel of a graph.
//!
//! The first launches after a synchronisation are submitted immediately, so that the device starts early. Later ones
//! are queued and submitted together. A kernel sequence that repeats becomes a graph, whose node arguments are updated
//! where they differ; its edges are the true memory dependences (`order`). Every other operation flushes the queue
//! first ([`Engine::enter`]), which preserves the order of the calls.

use super::super::{LaunchArg, LaunchConfig};
use super::driver::{CUfunction, Functions, SUCCESS};
use super::engine::Engine;
use super::module::bytes;
use super::order::{Edges, Order};
use super::sys::{self, CUgraph, CUgraphExec, CUgraphNode};
use crate::error::Result;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of launches after a synchronisation that are submitted immediately.
const AT_ONCE: u32 = 16;
/// After kernels with this many threads in total an event is recorded, on which copies can wait. For smaller ones the
/// event would cost more than the kernels.
const EPOCH: u64 = 1 << 17;
/// A queue of at least this length ends where its first kernel comes again..
const ENOUGH: usize = 32;
/// .. and at the latest here.
const MOST: usize = super::order::MOST;
/// Maximum number of remembered sequences.
const SEQUENCES: usize = 64;
/// A sequence becomes a graph at this occurrence: building a graph costs as much as submitting its kernels.
const WORTHWHILE: u32 = 3;

/// A launch without its arguments.
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

    /// Total number of threads.
    fn threads(&self) -> u64 {
        self.grid.iter().chain(&self.block).fold(1, |n: u64, &d| n.saturating_mul(u64::from(d)))
    }

    /// Submits a launch.
    ///
    /// # Safety
    /// As for [`super::super::Device::launch`]; the context is current, and each pointer points to an argument.
    pub(super) unsafe fn submit(&self, engine: &Engine, arguments: *mut *mut c_void) -> i32 {
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        let (launch, stream, none) = (engine.functions.launch, engine.stream, null_mut());
        // SAFETY: guaranteed by the caller; the stream exists.
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

/// The arguments of a launch in one buffer, each aligned to 16 bytes.
#[derive(Default)]
struct Arguments {
    bytes: Vec<Piece>,
    /// Start of each argument, as an index into `bytes`.
    starts: Vec<usize>,
}

/// Has the alignment of the largest argument.
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

    /// A pointer to each argument for the driver, which only reads them.
    fn pointers<'p>(&self, list: &'p mut Vec<*mut c_void>) -> &'p mut Vec<*mut c_void> {
        // Derived from the whole buffer, not from the first piece: the driver reads all pieces of a long argument.
        let base = self.bytes.as_ptr();
        list.clear();
        list.extend(self.starts.iter().map(|&start| base.wrapping_add(start).cast_mut().cast::<c_void>()));
        list
    }
}

/// A queued launch.
struct Queued {
    shape: Shape,
    /// The earlier launches of the queue that it depends on.
    after: Edges,
    name: Arc<str>,
    arguments: Arguments,
}

/// An instantiated graph with the current arguments of its nodes.
struct Graph {
    /// The graph that owns the nodes.
    graph: CUgraph,
    executable: CUgraphExec,
    nodes: Vec<CUgraphNode>,
    arguments: Vec<Vec<Piece>>,
}

// SAFETY: graphs of the driver may be used from any thread, by one at a time, as the lock of the queue says.
unsafe impl Send for Graph {}

/// A kernel sequence that was submitted before: its number of occurrences, or its graph.
enum Sequence {
    Times(u32),
    Graph(Graph),
}

/// The launch queue and the graphs of one device.
#[derive(Default)]
pub(super) struct Batch {
    /// Whether the queue is non-empty; every operation checks it.
    waiting: AtomicBool,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    launches: Vec<Queued>,
    /// Argument buffers of submitted launches, for reuse.
    spare: Vec<Arguments>,
    known: HashMap<Vec<(Shape, Edges)>, Sequence>,
    /// Memory dependences of the queued launches.
    order: Order,
    /// Launches submitted immediately since the last synchronisation.
    at_once: u32,
    /// Threads launched since an epoch was closed here.
    threads: u64,
    /// Scratch list.
    pointers: Vec<*mut c_void>,
}

// SAFETY: the pointers are only scratch data.
unsafe impl Send for Queue {}

impl Batch {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device is idle, so the next launches are submitted immediately.
    pub(super) fn start_again(&self) {
        self.queue().at_once = 0;
    }

    /// Submits a launch immediately or queues it.
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
        // Events for the times of a launch stand around it in the stream.
        if starts || !engine.functions.has_graphs() || crate::profile::is_on() {
            queue.at_once = queue.at_once.saturating_add(1);
            engine.make_current()?;
            // SAFETY: guaranteed by the caller.
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

    /// Submits the queue.
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

    /// Destroys the graphs. No kernel may be running.
    pub(super) fn release(&mut self, functions: &Functions) {
        let queue = self.queue.get_mut().unwrap_or_else(PoisonError::into_inner);
        queue.known.drain().for_each(|(_, known)| known.release(functions));
    }
}

impl Sequence {
    fn release(self, functions: &Functions) {
        let destroy = (functions.destroy_graph_exec, functions.destroy_graph);
        if let (Sequence::Graph(graph), (Some(destroy_executable), Some(destroy))) = (self, destroy) {
            // SAFETY: the graph has no users except launches in flight, which the driver lets finish.
            unsafe {
                destroy_executable(graph.executable);
                destroy(graph.graph);
            }
        }
    }
}

impl Queue {
    /// Closes an epoch after enough threads were launched. The queue must be empty.
    fn close_epoch(&mut self, engine: &Engine) {
        if self.threads >= EPOCH {
            self.threads = 0;
            engine.overlap.close_submitted(engine);
        }
    }

    /// Submits all queued launches, as a graph if their sequence is known. Returns the first error.
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
            // SAFETY: guaranteed when the launch was queued; the arguments are stored with it.
            engine.launched(&launch.name, unsafe { launch.shape.submit(engine, pointers) })?;
        }
        Ok(())
    }

    /// Submits the launches as a graph if their sequence occurred often enough. Returns whether it did.
    fn replay(&mut self, engine: &Engine, launches: &[Queued]) -> Result<bool> {
        if launches.len() < ENOUGH {
            return Ok(false);
        }
        let sequence: Vec<_> = launches.iter().map(|launch| (launch.shape, launch.after)).collect();
        if self.known.len() >= SEQUENCES && !self.known.contains_key(&sequence) {
            // The driver destroys graphs that are still running once they complete.
            self.known.drain().for_each(|(_, known)| known.release(engine.functions));
        }
        engine.make_current()?;
        let known = self.known.entry(sequence).or_insert(Sequence::Times(0));
        if let Sequence::Times(times) = known {
            *times += 1;
            if *times < WORTHWHILE {
                return Ok(false);
            }
            match Graph::new(engine.functions, launches, &mut self.pointers) {
                Some(graph) => *known = Sequence::Graph(graph),
                None => return Ok(false),
            }
        }
        let Sequence::Graph(graph) = known else { return Ok(false) };
        graph.run(engine, launches, &mut self.pointers)
    }
}

impl Graph {
    /// Builds a graph with one kernel node for each launch and its dependences as edges. `None` if the driver refuses
    /// it; then each launch reports the reason.
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
            // SAFETY: the graph and the previous nodes exist; the driver copies the arguments.
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
            // SAFETY: the graph has no users.
            unsafe { destroy(graph) };
            return None;
        }
        let arguments = launches.iter().map(|launch| launch.arguments.bytes.clone()).collect();
        Some(Graph { graph, executable, nodes, arguments })
    }

    /// Updates the arguments and launches the graph. Returns whether the driver accepted them.
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
            // SAFETY: the node belongs to the graph; the driver copies the arguments; launches in flight keep theirs.
            if unsafe { set(self.executable, *node, &raw const parameters) } != SUCCESS {
                kept.clear();
                return Ok(false);
            }
            kept.clone_from(&launch.arguments.bytes);
        }
        // SAFETY: the behaviour of the kernels was guaranteed when they were queued.
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
