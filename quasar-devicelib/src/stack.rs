//! Nested calls: how many may be under way, and room on the stack for each of them.
//!
//! Functions that can call themselves ask here before they go on; nothing else does, so that other calls cost nothing. What
//! they ask is whether a counter has reached its limit, and whether the address of a local variable lies above a floor that
//! each thread knows. Below the floor the call goes on in memory of its own (`segment`), so that the limit can be reached on
//! threads with small stacks too.

mod bounds;
mod segment;

use crate::value::ValueError;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

/// So many calls may be nested unless a setting says otherwise.
pub const CALLS: u32 = 10_000;

/// What stays free for functions that do not ask: the library, launches, system calls.
const RESERVE: usize = 256 << 10;

/// How many calls may be nested; 0 until somebody has said it, so that the first call on a host asks for it.
static LIMIT: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Addresses below are taken for low; all of them until the bounds of the stack are known.
    static FLOOR: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Calls of functions of the host that are under way.
    static HOST: Cell<u32> = const { Cell::new(0) };
    /// Calls of functions of a kernel that are under way.
    static KERNEL: Cell<u32> = const { Cell::new(0) };
    /// Calls from outside that are under way.
    static ENTRIES: Cell<u32> = const { Cell::new(0) };
}

/// How many calls may be nested.
pub fn limit() -> u32 {
    match LIMIT.load(Ordering::Relaxed) {
        0 => CALLS,
        calls => calls,
    }
}

/// Lets this many calls be nested.
pub fn set_limit(calls: u32) {
    LIMIT.store(calls.max(1), Ordering::Relaxed);
}

/// About where the stack ends now.
#[inline(always)]
fn here() -> usize {
    let mark = 0_u8;
    (&raw const mark) as usize
}

/// Whether little of the stack is left.
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
            // The system does not say: some of what threads usually have.
            None => here().saturating_sub(RESERVE),
        };
        FLOOR.set(floor);
    }
    here() < FLOOR.get()
}

/// Runs `f` on a new piece of stack.
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
    // After the stack is in order again, a panic goes on.
    Ok(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}

/// Runs `f` where some stack is left.
#[inline]
pub fn with_room<R>(f: impl FnOnce() -> R) -> Result<R, ValueError> {
    if is_low() { on_more(f) } else { Ok(f()) }
}

/// Runs `f` where this many bytes of stack are left, as far as the system gives them.
pub fn with_bytes<R>(bytes: usize, f: impl FnOnce() -> R) -> R {
    if !is_low() && here() >= FLOOR.get().saturating_add(bytes) {
        return f();
    }
    let mut f = Some(f);
    let mut done = None;
    let run = || done = f.take().map(|f| f());
    // Without more, what there is may be enough.
    let _ = on_more(run);
    match (done, f) {
        (Some(result), _) => result,
        (None, Some(f)) => f(),
        (None, None) => unreachable!("what was taken was run"),
    }
}

type Counter = &'static std::thread::LocalKey<Cell<u32>>;

/// A call that is under way.
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

    /// Begins a call of a function of the host; none where too many are under way, or nobody has said yet how many may be.
    #[inline(always)]
    pub fn on_host() -> Option<Call> {
        Call::enter(&HOST, LIMIT.load(Ordering::Relaxed))
    }

    /// Begins a call of a function of a kernel, unless too many are under way.
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

/// What a thread does for code outside, whose own calls are counted from zero: a thread of a pool may have begun it inside of
/// something else.
#[derive(Debug)]
pub struct Entry {
    host: u32,
    kernel: u32,
}

impl Entry {
    /// Begins it, unless too many are under way.
    #[inline]
    pub fn begin() -> Result<Entry, ValueError> {
        let entries = ENTRIES.get();
        if entries >= limit() {
            return Err(ValueError::calls(limit()));
        }
        ENTRIES.set(entries + 1);
        Ok(Entry { host: HOST.replace(0), kernel: KERNEL.replace(0) })
    }
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
