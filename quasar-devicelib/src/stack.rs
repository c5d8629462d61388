//! Recursion limits and stack growth: how many calls may be nested, and stack space for each of them.
//!
//! Only functions that may be recursive call this module, so other calls cost nothing. The check compares a counter
//! with its limit and the address of a local variable with the thread's floor. Below the floor the call continues on a
//! new stack segment (`segment`), so that the limit can be reached on threads with small stacks too.

mod bounds;
mod segment;

use crate::value::ValueError;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

/// The default maximum of nested calls.
pub const CALLS: u32 = 10_000;

/// Stack bytes reserved for functions that do not check: the library, launches, system calls.
const RESERVE: usize = 256 << 10;

/// Maximum number of nested calls; 0 until it is set, so that the first call on the host reads the settings.
static LIMIT: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Addresses below are considered low; all of them until the stack bounds are known.
    static FLOOR: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Depth of host function calls.
    static HOST: Cell<u32> = const { Cell::new(0) };
    /// Depth of kernel function calls.
    static KERNEL: Cell<u32> = const { Cell::new(0) };
    /// Depth of calls from outside.
    static ENTRIES: Cell<u32> = const { Cell::new(0) };
}

/// The maximum number of nested calls.
pub fn limit() -> u32 {
    match LIMIT.load(Ordering::Relaxed) {
        0 => CALLS,
        calls => calls,
    }
}

/// Sets the maximum number of nested calls.
pub fn set_limit(calls: u32) {
    LIMIT.store(calls.max(1), Ordering::Relaxed);
}

/// An approximation of the stack pointer.
#[inline(always)]
fn here() -> usize {
    let mark = 0_u8;
    (&raw const mark) as usize
}

/// Whether little stack is left.
#[inline(always)]
pub fn is_low() -> bool {
    here() < FLOOR.get() && is_measured_low()
}

#[cold]
#[inline(never)]
fn is_measured_low() -> bool {
    if FLOOR.get() == usize::MAX {
        let floor = match bounds::lowest() {
            Some(lowest) => lowest.saturating_add(RESERVE),
            // The system does not report the bounds, so assume a part of the usual stack size.
            None => here().saturating_sub(RESERVE),
        };
        FLOOR.set(floor);
    }
    here() < FLOOR.get()
}

/// Runs `f` on a new stack segment.
#[cold]
#[inline(never)]
pub fn on_more<R>(f: impl FnOnce() -> R) -> Result<R, ValueError> {
    let Some(segment) = segment::take() else {
        return Err(ValueError::no_stack(HOST.get().max(KERNEL.get())));
    };
    let before = FLOOR.replace(segment.lowest().saturating_add(RESERVE));
    let result = segment.run(f);
    FLOOR.set(before);
    segment::give(segment);
    // A panic continues after the stack is restored.
    Ok(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}

/// Runs `f`, on a new segment if the stack is low.
#[inline]
pub fn with_room<R>(f: impl FnOnce() -> R) -> Result<R, ValueError> {
    if is_low() { on_more(f) } else { Ok(f()) }
}

/// Runs `f` with at least this many bytes of stack, if the system can provide them.
pub fn with_bytes<R>(bytes: usize, f: impl FnOnce() -> R) -> R {
    if !is_low() && here() >= FLOOR.get().saturating_add(bytes) {
        return f();
    }
    let mut f = Some(f);
    let mut done = None;
    let run = || done = f.take().map(|f| f());
    // If no segment is available, the present stack may suffice.
    let _ = on_more(run);
    match (done, f) {
        (Some(result), _) => result,
        (None, Some(f)) => f(),
        (None, None) => unreachable!("what was taken was run"),
    }
}

type Counter = &'static std::thread::LocalKey<Cell<u32>>;

/// A call in progress.
#[derive(Debug)]
pub struct Call(Counter);

impl Call {
    #[inline(always)]
    fn enter(counter: Counter, limit: u32) -> Option<Call> {
        let calls = counter.get();
        (calls < limit).then(|| {
            counter.set(calls + 1);
            Call(counter)
        })
    }

    /// Enters a host function; `None` if too many calls are nested or the limit is not set yet.
    #[inline(always)]
    pub fn on_host() -> Option<Call> {
        Call::enter(&HOST, LIMIT.load(Ordering::Relaxed))
    }

    /// Enters a kernel function; fails if too many calls are nested.
    #[inline(always)]
    pub fn in_kernel() -> Result<Call, ValueError> {
        let limit = limit();
        Call::enter(&KERNEL, limit).ok_or_else(|| ValueError::calls(limit))
    }
}

impl Drop for Call {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// A call from outside, whose own calls are counted from zero: a pool thread may have started it inside of another
/// call.
#[derive(Debug)]
pub struct Entry {
    host: u32,
    kernel: u32,
}

impl Entry {
    /// Enters the call; fails if too many are nested.
    #[inline]
    pub fn begin() -> Result<Entry, ValueError> {
        let entries = ENTRIES.get();
        if entries >= limit() {
            return Err(ValueError::calls(limit()));
        }
        ENTRIES.set(entries + 1);
        Ok(Entry { host: HOST.replace(0), kernel: KERNEL.replace(0) })
    }

    /// Whether no other call of this thread is under way around it.
    pub fn is_outermost(&self) -> bool {
        ENTRIES.get() == 1
    }
}

/// Whether a call of this thread is under way.
pub fn is_in_call() -> bool {
    ENTRIES.get() > 0
}

impl Drop for Entry {
    #[inline]
    fn drop(&mut self) {
        ENTRIES.set(ENTRIES.get() - 1);
        HOST.set(self.host);
        KERNEL.set(self.kernel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses a kilobyte or more at each level.
    fn deep(levels: u32) -> Result<u64, ValueError> {
        if is_low() {
            return on_more(|| deep(levels))?;
        }
        let _call = Call::in_kernel()?;
        let block = std::hint::black_box([u64::from(levels); 128]);
        Ok(if levels == 0 { block[5] } else { deep(levels - 1)? + u64::from(block[7] > 0) })
    }

    fn on_thread<R: Send + 'static>(bytes: usize, f: impl FnOnce() -> R + Send + 'static) -> R {
        std::thread::Builder::new().stack_size(bytes).spawn(f).unwrap().join().unwrap()
    }

    #[test]
    fn the_limit_is_reached_on_stacks_of_all_sizes() {
        for bytes in [64 << 10, 512 << 10, 2 << 20, 64 << 20] {
            assert_eq!(on_thread(bytes, || deep(9_999)), Ok(9_999), "{bytes}");
            let error = on_thread(bytes, || deep(10_000)).unwrap_err();
            assert_eq!(error.text, "calls are nested more than 10000 deep; does a recursion never end?");
        }
    }

    #[test]
    fn large_needs_are_met_on_small_stacks() {
        let sum = on_thread(64 << 10, || {
            with_bytes(4 << 20, || {
                std::hint::black_box([1_u8; 1 << 20]).iter().map(|x| u64::from(*x)).sum::<u64>()
            })
        });
        assert_eq!(sum, 1 << 20);
    }

    #[test]
    fn what_others_ask_for_is_counted_by_itself() {
        on_thread(1 << 20, || {
            let calls: Vec<Call> = (0..9_990).map(|_| Call::in_kernel().unwrap()).collect();
            assert!(deep(20).is_err());
            let entry = Entry::begin().unwrap();
            assert_eq!(deep(9_000), Ok(9_000));
            drop(entry);
            assert!(deep(20).is_err());
            drop(calls);
        });
    }

    #[test]
    fn calls_that_ended_do_not_count() {
        on_thread(1 << 20, || {
            for _ in 0..3 {
                assert_eq!(deep(9_000), Ok(9_000));
                assert!(deep(20_000).is_err());
            }
        });
    }

    #[test]
    fn a_panic_comes_through_and_leaves_the_stack_in_order() {
        let caught = on_thread(64 << 10, || {
            let caught = std::panic::catch_unwind(|| on_more(|| -> u32 { std::panic::panic_any("thrown") }));
            assert_eq!(deep(9_000), Ok(9_000));
            caught.map(drop)
        });
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"thrown"));
    }
}
