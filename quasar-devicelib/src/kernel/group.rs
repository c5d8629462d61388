//! Block-level semantics on the CPU: shared arrays, uniformity checks at barriers, and suppression of the side effects
//! of padding threads.

use super::access::Access;
use super::fault::{Fault, FaultKind, Site};
use super::mode::Mode;
use super::shape::Shape;
use super::whole::Whole;
use crate::element::Element;

/// A shared array of the block in execution.
#[derive(Debug)]
pub struct Shared<T, const N: usize> {
    data: Vec<T>,
    dims: [usize; N],
    there: bool,
}

impl<T: Element, const N: usize> Default for Shared<T, N> {
    fn default() -> Self {
        Shared::new()
    }
}

impl<T: Element, const N: usize> Shared<T, N> {
    /// Not allocated yet.
    pub fn new() -> Self {
        Shared { data: Vec::new(), dims: [0; N], there: false }
    }

    /// One array for each of `count` blocks.
    pub fn for_blocks(count: usize) -> Vec<Self> {
        std::iter::repeat_with(Shared::new).take(count).collect()
    }

    /// Starts the next block: deallocates the array.
    pub fn reset(&mut self) {
        self.there = false;
        self.dims = [0; N];
        self.data.clear();
    }

    /// The shared memory that the array occupies, in bytes.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        shared_bytes(self.data.len(), size_of::<T>())
    }

    /// Allocates the array once per block, if it fits beside the `taken` bytes of the block's other arrays.
    pub fn allocate(&mut self, dims: [i32; N], taken: usize, fault: &Fault, site: Site) {
        if self.there {
            return;
        }
        match shared_count(&dims, size_of::<T>(), taken) {
            Ok(count) => {
                self.dims = dims.map(|n| n as usize);
                self.data.resize(count, T::default());
                self.there = true;
            }
            Err(text) => fault.raise(site, FaultKind::Error(text)),
        }
    }

    /// The array as threads access it.
    #[inline(always)]
    pub fn view(&mut self) -> Whole<'_, T, N> {
        Whole::of_shape(&mut self.data, Shape::exact(self.dims))
    }
}

/// What `L` threads of a block from number `t` on keep.
#[inline(always)]
pub fn kept<T: Copy + Default, const L: usize>(state: &[T], t: usize) -> [T; L] {
    state.get(t..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([T::default(); L])
}

/// Has them keep other values.
#[inline(always)]
pub fn keep<T: Copy, const L: usize>(state: &mut [T], t: usize, values: [T; L]) {
    if let Some(place) = state.get_mut(t..).and_then(|rest| rest.first_chunk_mut()) {
        *place = values;
    }
}

/// Bytes of shared memory of a block (language reference §5.3).
pub const SHARED_MEMORY: usize = 48 << 10;

/// Memory fence: orders this thread's earlier writes before its later ones for all threads.
#[inline(always)]
pub fn memory_fence() {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

/// Bytes that a shared array occupies: each is aligned to 16 bytes.
pub const fn shared_bytes(count: usize, bytes: usize) -> usize {
    (count * bytes).next_multiple_of(16)
}

/// The number of elements of a shared array, or the reason why a block whose arrays occupy `taken` bytes cannot have
/// it.
pub fn shared_count(dims: &[i32], bytes: usize, taken: usize) -> Result<usize, String> {
    if dims.iter().any(|&n| n < 0) {
        return Err(format!("a shared array cannot have the size {dims:?}"));
    }
    let count = dims.iter().try_fold(1usize, |count, &n| count.checked_mul(n as usize));
    let left = SHARED_MEMORY.saturating_sub(taken);
    count.filter(|&n| n.saturating_mul(bytes) <= left).ok_or_else(|| match taken {
        0 => format!(
            "out of shared memory: a shared array of the size {dims:?} is larger than the 48 KB of a block"
        ),
        _ => format!(
            "out of shared memory: a shared array of the size {dims:?} does not fit into the 48 KB of a block, of which \
             {taken} bytes are taken"
        ),
    })
}

/// Checks that a value is uniform across the threads of a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Votes<T> {
    first: Option<T>,
    split: bool,
}

impl<T: Copy + PartialEq> Votes<T> {
    /// Before the first thread.
    #[inline(always)]
    pub fn new() -> Self {
        Votes { first: None, split: false }
    }

    /// Adds the value of a thread.
    #[inline(always)]
    pub fn add(&mut self, value: T) {
        match self.first {
            Some(first) => self.split |= first != value,
            None => self.first = Some(value),
        }
    }

    /// The uniform value. A divergent one is a fault: some threads would miss the barrier in this line.
    #[inline(always)]
    pub fn agreed(self, fault: &Fault, line: u32, barrier: u32) -> Option<T> {
        if self.split {
            divergent(fault, line, barrier);
            return None;
        }
        self.first
    }
}

#[cold]
#[inline(never)]
fn divergent(fault: &Fault, line: u32, barrier: u32) {
    let text = format!(
        "divergent barrier: line {line} decides which threads reach the barrier in line {barrier}, and the threads of \
         a block decide differently; all threads of a block must reach the same barrier"
    );
    fault.raise(("", line), FaultKind::Error(text));
}

/// An array as one thread accesses it: a padding thread writes nothing.
#[derive(Debug)]
pub struct Guarded<'a, A> {
    array: &'a mut A,
    shadow: bool,
}

impl<'a, A> Guarded<'a, A> {
    /// The array for one thread.
    #[inline(always)]
    pub fn new(array: &'a mut A, shadow: bool) -> Self {
        Guarded { array, shadow }
    }
}

impl<T: Element, A: Access<T, N>, const N: usize> Access<T, N> for Guarded<'_, A> {
    #[inline(always)]
    fn extent(&self, axis: usize) -> i32 {
        self.array.extent(axis)
    }

    #[inline(always)]
    fn count(&self) -> i32 {
        self.array.count()
    }

    #[inline(always)]
    fn get<M: Mode>(&self, index: [i32; N]) -> T {
        self.array.get::<M>(index)
    }

    #[inline(always)]
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        self.array.try_get(index, fault, site)
    }

    #[inline(always)]
    fn put(&mut self, index: [i32; N], value: T) {
        if !self.shadow {
            self.array.put(index, value);
        }
    }

    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        self.shadow || self.array.try_put(index, value, fault, site)
    }

    #[inline(always)]
    fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        if self.shadow {
            let old = self.array.get::<super::mode::Safe>(index);
            return (old, change(old));
        }
        self.array.update(index, change)
    }

    #[inline(always)]
    fn try_update(
        &mut self,
        index: [i32; N],
        change: impl Fn(T) -> T,
        fault: &Fault,
        site: Site,
    ) -> Option<(T, T)> {
        if self.shadow {
            return Some(self.update(index, change));
        }
        self.array.try_update(index, change, fault, site)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mode::Safe;
    use super::*;

    #[test]
    fn shared_arrays_live_for_one_block() {
        let fault = Fault::new();
        let mut shared = Shared::<f32, 2>::new();
        shared.allocate([2, 3], 0, &fault, ("s", 1));
        shared.view().put([1, 2], 5.0);
        shared.allocate([2, 3], 0, &fault, ("s", 1));
        assert_eq!(shared.view().get::<Safe>([1, 2]), 5.0);
        assert_eq!(shared.view().extent(1), 3);
        shared.reset();
        assert_eq!(shared.view().count(), 0);
        shared.allocate([1, 2], 0, &fault, ("s", 1));
        assert_eq!(shared.view().get::<Safe>([0, 1]), 0.0);
        assert!(!fault.is_set());
        shared.reset();
        shared.allocate([-1, 2], 0, &fault, ("s", 1));
        assert!(fault.is_set());
    }

    #[test]
    fn threads_agree_or_fault() {
        let fault = Fault::new();
        let mut votes = Votes::new();
        votes.add(1);
        votes.add(1);
        assert_eq!(votes.agreed(&fault, 3, 4), Some(1));
        votes.add(0);
        assert_eq!(votes.agreed(&fault, 3, 4), None);
        let Some(FaultKind::Error(text)) = fault.into_report().map(|r| r.kind) else { panic!("no fault") };
        assert!(text.contains("barrier in line 4"), "{text}");
    }

    #[test]
    fn shadow_threads_change_nothing() {
        let mut data = [1, 2];
        let mut whole = Whole::<i32, 1>::new(&mut data, &[2]);
        let mut shadow = Guarded::new(&mut whole, true);
        shadow.put([0], 7);
        assert_eq!(shadow.update([1], |x| x + 1), (2, 3));
        let mut other = Guarded::new(&mut whole, false);
        other.put([0], 9);
        assert_eq!(data, [9, 2]);
    }
}
