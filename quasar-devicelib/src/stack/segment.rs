//! Stack segments, on which a thread continues when its stack is low. They are mapped on demand, with a guard page, and
//! unmapped afterwards; each thread caches one.
//!
//! Switching is one change of the stack pointer around a call, implemented for x86-64 on Unix. Elsewhere there are no
//! segments, and deep recursion ends with an error when the stack is low.

#![allow(unsafe_code, reason = "calls continue on memory of our own")]

#[cfg(all(unix, target_arch = "x86_64", not(miri)))]
pub(super) use mapped::{give, take};
#[cfg(not(all(unix, target_arch = "x86_64", not(miri))))]
pub(super) use nowhere::{give, take};

#[cfg(all(unix, target_arch = "x86_64", not(miri)))]
mod mapped {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::ptr::NonNull;

    /// Bytes of a segment, with its guard.
    const SIZE: usize = 8 << 20;
    /// Bytes of the guard: at least one page on any system of this kind.
    const GUARD: usize = 64 << 10;
    /// Bytes of zeros above the first frame. A backtrace looks there for the caller of that frame, and ends at a zero.
    const ABOVE: usize = 4 << 10;
    /// Maximum number of segments of a thread.
    const MOST: usize = (2 << 30) / SIZE;

    thread_local! {
        static SPARE: Cell<Option<Segment>> = const { Cell::new(None) };
        static TAKEN: Cell<usize> = const { Cell::new(0) };
    }

    /// A stack segment.
    pub(in super::super) struct Segment(NonNull<u8>);

    /// Takes a segment; `None` if there is no memory.
    pub(in super::super) fn take() -> Option<Segment> {
        let taken = TAKEN.get();
        if taken >= MOST {
            return None;
        }
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        let segment = spare.or_else(Segment::map)?;
        TAKEN.set(taken + 1);
        Some(segment)
    }

    /// Returns a segment that nothing runs on.
    pub(in super::super) fn give(segment: Segment) {
        TAKEN.set(TAKEN.get().saturating_sub(1));
        // If the thread is ending, the segment is unmapped.
        let _ = SPARE.try_with(|spare| spare.set(Some(segment)));
    }

    /// A closure to run on a segment, and its result.
    struct Work<F, R> {
        f: Option<F>,
        result: Option<std::thread::Result<R>>,
    }

    impl Segment {
        fn map() -> Option<Segment> {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
            // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
            let start = unsafe { libc::mmap(std::ptr::null_mut(), SIZE, access, kind, -1, 0) };
            if start == libc::MAP_FAILED {
                return None;
            }
            let segment = Segment(NonNull::new(start.cast())?);
            // SAFETY: the pages are the first of the new mapping.
            let guarded = unsafe { libc::mprotect(start, GUARD, libc::PROT_NONE) };
            (guarded == 0).then_some(segment)
        }

        /// The lowest usable address.
        pub(in super::super) fn lowest(&self) -> usize {
            self.0.as_ptr() as usize + GUARD
        }

        /// Runs `f` on the segment.
        pub(in super::super) fn run<R>(&self, f: impl FnOnce() -> R) -> std::thread::Result<R> {
            let mut work = Work { f: Some(f), result: None };
            // SAFETY: the address is page-aligned and lies in the mapping, nothing else runs on it, since `take` gave
            // it to one caller, and it outlives the call. `enter` gets the work that it is instantiated for, and does
            // not unwind.
            unsafe {
                let top = self.0.as_ptr().add(SIZE - ABOVE);
                call_on(top, enter_of(&work), (&raw mut work).cast());
            }
            match work.result {
                Some(result) => result,
                None => unreachable!("the work was done"),
            }
        }
    }

    impl Drop for Segment {
        fn drop(&mut self) {
            // SAFETY: the mapping was made with this size, and nothing runs on it any more.
            unsafe { libc::munmap(self.0.as_ptr().cast(), SIZE) };
        }
    }

    type Enter = unsafe extern "C" fn(*mut u8);

    fn enter_of<F: FnOnce() -> R, R>(_work: &Work<F, R>) -> Enter {
        enter::<F, R>
    }

    /// Runs the closure that a pointer refers to.
    ///
    /// # Safety
    ///
    /// It points to such work, which nobody else accesses meanwhile.
    unsafe extern "C" fn enter<F: FnOnce() -> R, R>(work: *mut u8) {
        // SAFETY: guaranteed by the caller.
        let work = unsafe { &mut *work.cast::<Work<F, R>>() };
        if let Some(f) = work.f.take() {
            work.result = Some(catch_unwind(AssertUnwindSafe(f)));
        }
    }

    /// Calls a function with its stack below `top`.
    ///
    /// # Safety
    ///
    /// Below `top`, which is aligned to 16 bytes, lies memory that is large enough for what the function does and that
    /// nobody else uses. The function may be called with `data`, and does not unwind.
    unsafe fn call_on(top: *mut u8, function: Enter, data: *mut u8) {
        // SAFETY: the stack pointer is saved in a register that the called function preserves, and all clobbers of a
        // call are declared.
        unsafe {
            std::arch::asm!(
                "mov r12, rsp",
                "mov rsp, {top}",
                "call {function}",
                "mov rsp, r12",
                top = in(reg) top,
                function = in(reg) function,
                in("rdi") data,
                out("r12") _,
                clobber_abi("C"),
            );
        }
    }
}

#[cfg(not(all(unix, target_arch = "x86_64", not(miri))))]
mod nowhere {
    /// A stack segment: uninhabited.
    pub(in super::super) enum Segment {}

    /// There are none.
    pub(in super::super) fn take() -> Option<Segment> {
        None
    }

    /// Returns a segment.
    pub(in super::super) fn give(segment: Segment) {
        match segment {}
    }

    impl Segment {
        /// The lowest usable address.
        pub(in super::super) fn lowest(&self) -> usize {
            match *self {}
        }

        /// Runs `f` on the segment.
        pub(in super::super) fn run<R>(&self, _f: impl FnOnce() -> R) -> std::thread::Result<R> {
            match *self {}
        }
    }
}
