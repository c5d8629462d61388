//! What the virtual device tells those who watch it: accesses to memory that threads share, barriers, thread switches.

use crate::source::Span;
use quasar_devicelib::element::Scalar;

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId {
    /// The number of its block in row-major order.
    pub block: u64,
    /// Its number in the block in row-major order.
    pub thread: u64,
}

/// What a statement does to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads it.
    Load,
    /// Writes it.
    Store,
    /// Reads and writes it in one step.
    Atomic,
    /// Exchanges it, or finds that it is not what was expected.
    Exchange,
}

/// Where an element lives.
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
    /// What happens.
    pub kind: Kind,
    /// Where.
    pub space: Space,
    /// Which array: a number that no other live array has.
    pub array: usize,
    /// The name of the variable that holds it; empty for an array without a name.
    pub name: &'a str,
    /// The extents of the array.
    pub dims: &'a [usize],
    /// Which element, counted in row-major order.
    pub offset: usize,
    /// The number that was read or is there now, where one element is accessed.
    pub value: Option<Scalar>,
    /// Who.
    pub thread: ThreadId,
    /// The kernel or device function that runs.
    pub function: &'a str,
    /// The place in the source.
    pub span: Span,
}

/// An access outside an array that no mode allows, since it is not tested, or that is a store, which does nothing.
#[derive(Clone, Copy, Debug)]
pub struct Outside<'a> {
    /// What happens.
    pub kind: Kind,
    /// The name of the variable that holds the array.
    pub name: &'a str,
    /// The extents of the array.
    pub dims: &'a [usize],
    /// The position.
    pub index: &'a [i64],
    /// Whether it is a store that the mode of the array drops.
    pub dropped: bool,
    /// Who; none in host code.
    pub thread: Option<ThreadId>,
    /// The place in the source.
    pub span: Span,
}

/// Shared memory that a block gets.
#[derive(Clone, Copy, Debug)]
pub struct SharedArray<'a> {
    /// A number that no other live array has.
    pub array: usize,
    /// The name of the variable that holds it.
    pub name: &'a str,
    /// How much it is.
    pub bytes: usize,
    /// The block.
    pub block: u64,
    /// Whether its elements have values.
    pub defined: bool,
}

/// Watches the virtual device. Accesses to variables and arrays of one thread alone are not told.
pub trait Observer {
    /// A launch begins; it may be nested in another one. The threads of a `serial` one run one after the other.
    fn begin_launch(&mut self, _kernel: &str, _dims: &[usize], _block: &[usize], _serial: bool) {}
    /// The launch that began last ends.
    fn end_launch(&mut self) {}
    /// A thread accesses an element.
    fn access(&mut self, _access: &Access<'_>) {}
    /// Somebody accesses what is outside an array.
    fn outside(&mut self, _access: &Outside<'_>) {}
    /// A block gets a shared array.
    fn allocate_shared(&mut self, _shared: &SharedArray<'_>) {}
    /// All threads of a block (or of the grid, without a block) have reached a barrier.
    fn barrier(&mut self, _block: Option<u64>, _span: Span) {}
    /// A thread has come to a fence: what it wrote before is seen by who sees what it does then.
    fn fence(&mut self, _thread: ThreadId) {}
    /// Another thread runs from here on.
    fn switch_thread(&mut self, _thread: ThreadId, _span: Span) {}
    /// A statement begins, in the host program or in the thread that runs.
    fn statement(&mut self, _function: &str, _span: Span) {}
    /// Whether `statement` and `switch_thread` are wanted; they cost time.
    fn wants_statements(&self) -> bool {
        false
    }
}
