//! Code without `unsafe` that uses the parts of kernels as nobody should: wrong sizes, indices from one end of the integers to the other,
//! and implementations of traits that tell lies. It may get zeros and panics, and never memory that is not its own.
//!
//! Run it where that is seen: under Miri, AddressSanitizer or valgrind (CONTRIBUTING.md has the commands).

#![forbid(unsafe_code)]

use half::f16;
use num_complex::Complex;
use quasar_devicelib::element::{Element, Scalar};
use quasar_devicelib::isa::{self, Body, Isa, Lanes, Level};
use quasar_devicelib::kernel::{
    Access, Add, Atomic, Band, Checked, Clamped, Dump, Fault, Grid, Heap, Line, Mirror, Mode, Part, Safe,
    Scatter, Shared, Tally, Task, Unchecked, View, Whole,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Indices that arithmetic on 32 bits tends to produce.
const INDICES: [i32; 9] = [i32::MIN, i32::MIN + 1, -2, -1, 0, 1, 2, i32::MAX - 1, i32::MAX];

/// Extents that do not describe six elements, although some of their products do so modulo 2^64 or 2^32.
const WRONG: [[usize; 3]; 8] = [
    [6, 2, 1],
    [0, 2, 3],
    [1 << 32, 1 << 32, 6],
    [1 << 63, 2, 6],
    [usize::MAX, usize::MAX, 6],
    [(1 << 32) + 6, 1, 1],
    [1, 1, usize::MAX],
    [1 << 31, 1 << 33, 3],
];

/// A mode that sends every index where there is nothing.
#[derive(Clone, Copy)]
struct Liar<const FOLDS: bool>;

impl<const FOLDS: bool> Mode for Liar<FOLDS> {
    const FOLDS: bool = FOLDS;
    const PADS: bool = !FOLDS;

    fn map(i: i32, n: i32) -> i32 {
        n.wrapping_add(i).wrapping_abs().max(n)
    }
}

fn refused(f: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(f)).is_err(), "it should have been refused");
}

#[test]
fn extents_that_do_not_describe_the_elements_are_refused() {
    for extents in WRONG {
        let mut data = [1_i32, 2, 3, 4, 5, 6];
        refused(|| {
            let _ = View::<i32, 3>::new(&data, &extents);
        });
        refused(|| {
            let _ = Whole::<i32, 3>::new(&mut data, &extents);
        });
        refused(|| {
            let _ = Band::<i32, 3>::new(&mut data, &extents);
        });
        refused(|| {
            let _ = Scatter::<i32, 3>::new(&mut data, &extents);
        });
        refused(|| {
            let _ = Tally::<i32, Add, 3>::new(&mut data, &extents);
        });
    }
    // An extent of 0 makes all others harmless, however large.
    let empty = View::<i32, 3>::new(&[], &[usize::MAX, 0, usize::MAX]);
    for i in INDICES {
        assert_eq!((empty.get::<Safe>([i; 3]), empty.get::<Mirror>([i; 3])), (0, 0));
    }
}

fn read<T: Element, A: Access<T, 2>>(array: &A, index: [i32; 2], fault: &Fault) -> bool {
    let _ = (array.get::<Safe>(index), array.get::<Checked>(index), array.get::<Unchecked>(index));
    let _ = (array.get::<Mirror>(index), array.get::<Clamped>(index));
    let _ = (array.get::<Liar<false>>(index), array.get::<Liar<true>>(index));
    array.try_get(index, fault, ("a", 1)).is_some()
}

fn write<T: Element, A: Access<T, 2>>(array: &mut A, index: [i32; 2], value: T, fault: &Fault) {
    array.put(index, value);
    array.try_put(index, value, fault, ("a", 1));
    array.update(index, |_| value);
    array.try_update(index, |_| value, fault, ("a", 1));
}

/// Every way to reach a matrix of 2 x 3 at every pair of indices. Only places inside change.
fn everywhere<T: Atomic>(value: T) {
    let fault = Fault::default();
    let mut inside = 0;
    for index in INDICES.into_iter().flat_map(|i| INDICES.map(|j| [i, j])) {
        let mut data = [T::default(); 6];
        inside += usize::from(read(&View::<T, 2>::new(&data, &[2, 3]), index, &fault));
        write(&mut Whole::<T, 2>::new(&mut data, &[2, 3]), index, value, &fault);
        write(&mut Band::<T, 2>::new(&mut data, &[2, 3]), index, value, &fault);
        let mut scatter = Scatter::<T, 2>::new(&mut data, &[2, 3]);
        write(&mut scatter, index, value, &fault);
        scatter.compare_exchange(index, value, value);
        read(&scatter, index, &fault);
        let is_inside = (0..2).contains(&index[0]) && (0..3).contains(&index[1]);
        let changed = data.iter().filter(|&&x| x != T::default()).count();
        assert_eq!(changed, usize::from(is_inside), "{index:?}");
    }
    assert_eq!(inside, 6);
}

#[test]
fn no_index_leaves_an_array() {
    everywhere(1_i8);
    everywhere(1_u8);
    everywhere(1_i16);
    everywhere(1_u16);
    everywhere(f16::ONE);
    everywhere(1_i32);
    everywhere(1_u32);
    everywhere(1.0_f32);
    everywhere(1_i64);
    everywhere(1_u64);
    everywhere(1.0_f64);
    everywhere(Complex::new(1.0_f32, 2.0));
    everywhere(Complex::new(1.0_f64, 2.0));
}

#[test]
fn rows_and_lines_stay_inside_whatever_is_asked_for() {
    let data = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let view = View::<f32, 2>::new(&data, &[2, 3]);
    let mut line = Line::new();
    for index in INDICES.into_iter().flat_map(|i| INDICES.map(|j| [i, j])) {
        for n in [0, 1, 3, 7] {
            assert_eq!(line.fetch::<Mirror, 2, _>(&view, index, n).len(), n);
            assert_eq!(line.fetch::<Safe, 2, _>(&view, index, n).len(), n);
            let _ = catch_unwind(AssertUnwindSafe(|| line.fetch::<Liar<true>, 2, _>(&view, index, n).len()));
            let mut copy = data;
            let (mut band, mut dump) = (Band::<f32, 2>::new(&mut copy, &[2, 3]), Dump::new());
            band.row(index, n, &mut dump).0.fill(9.0);
            let _ = (band.has_row(index), band.soon(index), view.has_row(index));
        }
    }
}

/// Cuts that lie anywhere leave two parts without a common element.
#[test]
fn parts_never_overlap() {
    for cut in INDICES.into_iter().flat_map(|i| INDICES.map(|j| [i, j])) {
        let mut data = [0_i32; 6];
        let (mut first, mut second) = Band::<i32, 2>::new(&mut data, &[2, 3]).split(&cut);
        for index in (0..2).flat_map(|i| (0..3).map(move |j| [i, j])) {
            first.update(index, |x| x + 1);
            second.update(index, |x| x + 1);
        }
        assert_eq!(data, [1; 6], "{cut:?}");
    }
    let mut data = [0_i32; 6];
    let (mut all, mut none) = Whole::<i32, 2>::new(&mut data, &[2, 3]).split(&[1]);
    none.put([0, 0], 1);
    all.put([0, 1], 1);
    assert_eq!(data, [0, 1, 0, 0, 0, 0]);
}

#[test]
fn threads_share_elements_through_cells_only() {
    let threads: u32 = 4;
    let rounds: u32 = if cfg!(miri) { 20 } else { 2000 };
    let mut data = [0.0_f64, 0.0];
    let view = Scatter::<f64, 1>::new(&mut data, &[2]);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(move || {
                let mut view = view;
                for _ in 0..rounds {
                    let _ = view.update([1], |x| x + 1.0);
                }
            });
        }
    });
    assert_eq!(data, [0.0, f64::from(threads * rounds)]);
}

#[test]
fn tables_take_any_index_and_panics_leave_them_whole() {
    let mut data = [0_i32; 6];
    let tally = Tally::<i32, Add, 2>::new(&mut data, &[2, 3]);
    let fault = Fault::default();
    let task = Task::new([100, 100]);
    let torn = catch_unwind(AssertUnwindSafe(|| {
        let mut table = tally.open(&task);
        table.add(0, [0, 0], 1);
        panic!("in the middle of a kernel");
    }));
    assert!(torn.is_err());
    let mut table = tally.open(&task);
    for index in INDICES.into_iter().flat_map(|i| INDICES.map(|j| [i, j])) {
        table.add(usize::MAX, index, 1);
        table.add_checked(3, index, 1, &fault, ("t", 1));
    }
    // What is forgotten is not added, and that is all.
    std::mem::forget(tally.open(&task));
    drop(table);
    assert_eq!(tally.finish(), None);
    assert_eq!(data, [3, 2, 2, 2, 2, 2]);
}

#[test]
fn arrays_of_blocks_and_threads_have_the_sizes_that_they_say() {
    let (fault, mut shared) = (Fault::default(), Shared::<f32, 3>::new());
    for dims in [[-1, 2, 3], [i32::MAX; 3], [1 << 20, 1 << 22, 1 << 22], [0, 5, 7], [2, 2, 2]] {
        shared.reset();
        shared.allocate(dims, 0, &fault, ("s", 1));
        for i in INDICES {
            let mut view = shared.view();
            view.put([i; 3], 1.0);
            read3(&view, [i; 3]);
        }
        let heap = Heap::<i32, 3>::zeros(dims.map(|n| n.min(1 << 16)), &Fault::default(), ("h", 1));
        let other = heap.reshaped([1 << 16, 1 << 16, 1 << 16]);
        INDICES.into_iter().for_each(|i| read3(&other, [i; 3]));
    }
}

fn read3<T: Element, A: Access<T, 3>>(array: &A, index: [i32; 3]) {
    let _ = (array.get::<Safe>(index), array.get::<Mirror>(index), array.get::<Liar<true>>(index));
}

/// Takes registers of the instruction set out of the code that was compiled for it.
struct Smuggler;

impl Body for Smuggler {
    type Output = Box<dyn Fn(&[f32], &mut [f32])>;

    fn run<I: Isa>(self) -> Self::Output {
        Box::new(|from, to| {
            let x = I::Single::load(from);
            x.multiply_add(I::Single::splat(2.0), x).add(x).subtract(x).multiply(x).store(to);
        })
    }
}

#[test]
fn registers_are_those_of_the_processor_wherever_they_go() {
    for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
        let multiply = isa::dispatch_on(level, Smuggler);
        let (from, mut to) = ([2.0_f32; 16], [0.0_f32; 16]);
        multiply(&from, &mut to);
        assert!(to.starts_with(&[12.0; 4]));
        refused(|| multiply(&from[..1], &mut [0.0; 16]));
        refused(|| multiply(&from, &mut [0.0; 1]));
    }
}

/// A set of instructions that claims the highest level.
#[derive(Clone, Copy)]
struct Boaster;

impl Isa for Boaster {
    const FMA: bool = true;
    const LEVEL: Level = Level::Avx512;
    type Single = <isa::Baseline as Isa>::Single;
    type Double = <isa::Baseline as Isa>::Double;
}

#[test]
fn levels_that_somebody_claims_are_not_believed() {
    let found = isa::dispatch_on(Boaster::LEVEL, Smuggler);
    let mut to = [0.0_f32; 16];
    found(&[1.0; 16], &mut to);
    assert!(to.starts_with(&[3.0; 4]));
}

#[test]
fn positions_of_absurd_launches_are_only_numbers() {
    let task = Task::new([0, i32::MIN, i32::MAX]);
    assert_eq!(task.rows().count(), 0);
    let grid = Grid::new([i32::MIN, 0, 3]);
    assert_eq!(grid.block_counts(), [0, 0, 1]);
    assert_eq!(grid.lanes([i32::MAX, i32::MIN, 0]).filter(|lane| !lane.shadow).count(), 0);
}

/// Elements are what the run-time system takes their memory for.
#[test]
fn elements_have_the_bits_that_they_promise() {
    fn plain<T: Element>() {
        let zero = T::default();
        assert_eq!(zero.to_scalar(), Scalar::zero(T::TYPE));
        assert_eq!(T::from_scalar(zero.to_scalar()), Some(zero));
        assert_eq!(size_of::<T>(), T::TYPE.size());
    }
    let all: [fn(); 13] = [
        plain::<i8>,
        plain::<i16>,
        plain::<i32>,
        plain::<i64>,
        plain::<u8>,
        plain::<u16>,
        plain::<u32>,
        plain::<u64>,
        plain::<f16>,
        plain::<f32>,
        plain::<f64>,
        plain::<Complex<f32>>,
        plain::<Complex<f64>>,
    ];
    all.iter().for_each(|same| same());
}
