//! The observer interface of the virtual device: accesses to shared memory, barriers, thread switches.

use crate::source::Span;
use quasar_devicelib::element::Scalar;

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId {
    /// Linear index of its block, in row-major order.
    pub block: u64,
    /// Linear index in the block, in row-major order.
    pub thread: u64,
}

/// The kind of an element access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads it.
    Load,
    /// Writes it.
    Store,
    /// Atomic read-modify-write.
    Atomic,
    /// Atomic exchange, or a compare-and-swap that fails.
    Exchange,
}

/// The address space of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// In an array that was passed to the launch.
    Global,
    /// In shared memory of the thread's block.
    Shared,
}

/// One access to memory that other threads can reach.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// Kind of access.
    pub kind: Kind,
    /// Address space.
    pub space: Space,
    /// Identity of the array, unique among live arrays.
    pub array: usize,
    /// Name of the variable that holds it; empty for an anonymous array.
    pub name: &'a str,
    /// The extents of the array.
    pub dims: &'a [usize],
    /// Linear index of the element, in row-major order.
    pub offset: usize,
    /// For a single element: the value read, or the value after the access.
    pub value: Option<Scalar>,
    /// The accessing thread.
    pub thread: ThreadId,
    /// The running kernel or device function.
    pub function: &'a str,
    /// Source location.
    pub span: Span,
}

/// An out-of-bounds access that the boundary mode does not define: an unchecked one, or a store, which has no effect.
#[derive(Clone, Copy, Debug)]
pub struct Outside<'a> {
    /// Kind of access.
    pub kind: Kind,
    /// Name of the variable that holds the array.
    pub name: &'a str,
    /// The extents of the array.
    pub dims: &'a [usize],
    /// The indices.
    pub index: &'a [i64],
    /// Whether it is a store dropped by the boundary mode of the array.
    pub dropped: bool,
    /// The accessing thread; `None` in host code.
    pub thread: Option<ThreadId>,
    /// Source location.
    pub span: Span,
}

/// Shared memory allocated by a block.
#[derive(Clone, Copy, Debug)]
pub struct SharedArray<'a> {
    /// Identity of the array, unique among live arrays.
    pub array: usize,
    /// Name of the variable that holds it.
    pub name: &'a str,
    /// Size in bytes.
    pub bytes: usize,
    /// The block.
    pub block: u64,
    /// Whether its elements are initialised.
    pub defined: bool,
}

/// An observer of the virtual device. Accesses to private variables and arrays are not reported.
pub trait Observer {
    /// A launch starts; launches may nest. The threads of a `serial` one run in order.
    fn begin_launch(&mut self, _kernel: &str, _dims: &[usize], _block: &[usize], _serial: bool) {}
    /// The innermost launch ends.
    fn end_launch(&mut self) {}
    /// A thread accesses an element.
    fn access(&mut self, _access: &Access<'_>) {}
    /// An access is out of bounds.
    fn outside(&mut self, _access: &Outside<'_>) {}
    /// A block allocates a shared array.
    fn allocate_shared(&mut self, _shared: &SharedArray<'_>) {}
    /// All threads of a block (of the grid if `None`) have reached a barrier.
    fn barrier(&mut self, _block: Option<u64>, _span: Span) {}
    /// Threads of one warp have waited for each other.
    fn meet(&mut self, _threads: &[ThreadId]) {}
    /// A thread executes a fence.
    fn fence(&mut self, _thread: ThreadId) {}
    /// Execution switches to another thread.
    fn switch_thread(&mut self, _thread: ThreadId, _span: Span) {}
    /// A statement starts, in host code or in the running thread.
    fn statement(&mut self, _function: &str, _span: Span) {}
    /// Whether `statement` and `switch_thread` are wanted, since they are expensive.
    fn wants_statements(&self) -> bool {
        false
    }
}
