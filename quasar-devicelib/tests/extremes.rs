//! Extremes of windows are what plain loops make them: for windows of any height and width, on arrays that may be smaller
//! than the window, with every meaning of an index out of range, and with numbers that are none.

use proptest::prelude::*;
use quasar_devicelib::element::Element;
use quasar_devicelib::isa::{Body, Isa, Level, detected, dispatch_on};
use quasar_devicelib::kernel::{
    Circular, Clamped, Extremes, Largest, LargestNumber, Mirror, Mode, Pick, Safe, Smallest, SmallestNumber,
    Soon, View,
};

/// Rows relative to the position and, in ascending order, columns.
#[derive(Clone, Debug)]
struct Window {
    rows: Vec<i32>,
    columns: Vec<i32>,
}

struct Run<'a, T, P, M> {
    x: &'a [T],
    size: (usize, usize),
    window: &'a Window,
    pick: P,
    _mode: M,
}

impl<T: Element, P: Pick<T>, M: Mode> Body for Run<'_, T, P, M> {
    type Output = Vec<T>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<T> {
        let (height, width) = self.size;
        let view = View::<T, 2>::new(self.x, &[height, width]);
        let mut windows = Extremes::<T, 2>::new();
        let mut out = Vec::new();
        for row in 0..height as i32 {
            windows.turn_to(&[row, 0], |ahead, list| {
                self.window.rows.iter().for_each(|dy| list.push([row + ahead + dy, 0], ()));
                false
            });
            let middle = width / 3;
            for (start, end) in [(0, middle), (middle, width)] {
                let columns = (start as i32, end - start);
                let made = windows.of::<I, M, P, _>(
                    &view,
                    self.pick,
                    &self.window.columns,
                    columns,
                    Soon::default(),
                );
                out.extend_from_slice(made);
            }
        }
        out
    }
}

/// Whether a value differs from itself.
fn is_nan<T: PartialEq>(x: &T) -> bool {
    !x.eq(x)
}

fn check<T: Element + PartialEq + std::fmt::Debug, P: Pick<T>, M: Mode>(
    x: &[T],
    size: (usize, usize),
    window: &Window,
    (pick, mode): (P, M),
    fold: impl Fn(&[T]) -> T,
) {
    let (height, width) = size;
    for level in [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter(|l| *l <= detected()) {
        let got = dispatch_on(level, Run { x, size, window, pick, _mode: mode });
        assert_eq!(got.len(), height * width);
        for (k, got) in got.iter().enumerate() {
            let mut seen = Vec::new();
            for dy in &window.rows {
                for dx in &window.columns {
                    let m = M::map((k / width) as i32 + dy, height as i32);
                    let n = M::map((k % width) as i32 + dx, width as i32);
                    seen.push(if m < 0 || n < 0 { T::default() } else { x[m as usize * width + n as usize] });
                }
            }
            let want = fold(&seen);
            // Where a border makes one element of the whole window, there may be no number in it.
            let nothing = seen.iter().all(is_nan) && is_nan(got);
            assert!(
                nothing || *got == want,
                "{got:?}, not {want:?} at {k} of {size:?}, {window:?}, {level:?}"
            );
        }
    }
}

fn each_mode<T: Element + PartialEq + std::fmt::Debug, P: Pick<T>>(
    x: &[T],
    size: (usize, usize),
    window: &Window,
    pick: P,
    fold: impl Fn(&[T]) -> T,
) {
    check(x, size, window, (pick, Mirror), &fold);
    check(x, size, window, (pick, Safe), &fold);
    check(x, size, window, (pick, Clamped), &fold);
    check(x, size, window, (pick, Circular), &fold);
}

fn windows() -> impl Strategy<Value = Window> {
    let run = (-9_i32..4, 1_i32..19).prop_map(|(first, n)| (first..first + n).collect::<Vec<_>>());
    // Rows that do not follow each other, and columns that leave some out.
    let rows = prop_oneof![4 => run.clone(), 1 => Just(vec![2, -1, 5]), 1 => Just(vec![3, 2, 1, 0])];
    let columns = prop_oneof![4 => run, 1 => Just(vec![-4, -2, 0, 2, 4, 6]), 1 => Just((0..30).collect())];
    (rows, columns).prop_map(|(rows, columns)| Window { rows, columns })
}

fn sizes() -> impl Strategy<Value = (usize, usize)> {
    (1_usize..24, prop_oneof![8 => 1_usize..40, 1 => 500_usize..700])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn of_integers(window in windows(), size in sizes(), seed in any::<u32>()) {
        let mut state = seed | 1;
        let x: Vec<i32> = (0..size.0 * size.1).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as i32 % 1000 - 500
        }).collect();
        each_mode(&x, size, &window, Largest, |seen| seen.iter().copied().max().unwrap_or_default());
        each_mode(&x, size, &window, Smallest, |seen| seen.iter().copied().min().unwrap_or_default());
        let bytes: Vec<u8> = x.iter().map(|&v| v as u8).collect();
        each_mode(&bytes, size, &window, Largest, |seen| seen.iter().copied().max().unwrap_or_default());
    }

    #[test]
    fn of_floats(window in windows(), size in sizes(), seed in any::<u32>()) {
        let mut state = seed | 1;
        let x: Vec<f32> = (0..size.0 * size.1).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match state >> 29 {
                0 => f32::NAN,
                1 => f32::NEG_INFINITY,
                2 => f32::INFINITY,
                _ => (state >> 16) as f32 - 30000.0,
            }
        }).collect();
        // Where there is no number but NaN, what is known to be there already counts.
        let (most, least) = (f32::INFINITY, f32::NEG_INFINITY);
        each_mode(&x, size, &window, LargestNumber(least), |seen| seen.iter().copied().fold(least, f32::max));
        each_mode(&x, size, &window, SmallestNumber(most), |seen| seen.iter().copied().fold(most, f32::min));
        let number = |v: f32| if v.is_nan() { 12345.5 } else { v };
        let settled = |seen: &[f32], pick: fn(f32, f32) -> f32| number(seen.iter().copied().fold(f32::NAN, pick));
        let x: Vec<f32> = x.iter().map(|v| if *v == 12345.5 { 0.0 } else { *v }).collect();
        for (larger, pick) in [(true, f32::max as fn(f32, f32) -> f32), (false, f32::min)] {
            // NaN is not equal to itself, so that windows of nothing else are left out by a number in the middle.
            let mut x = x.clone();
            for (k, v) in x.iter_mut().enumerate() {
                if window.rows.len() * window.columns.len() < 40 || k % 3 == 0 {
                    *v = number(*v);
                }
            }
            if larger {
                each_mode(&x, size, &window, Largest, |seen| settled(seen, pick));
            } else {
                each_mode(&x, size, &window, Smallest, |seen| settled(seen, pick));
            }
        }
    }
}
