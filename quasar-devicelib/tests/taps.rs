//! Weighted sums over windows are what plain loops make them, whatever the form of the window and the width of the rows.

use quasar_devicelib::element::Element;
use quasar_devicelib::isa::{Body, Isa, Level, detected, dispatch_on};
use quasar_devicelib::kernel::{Circular, Clamped, Mirror, Mode, MultiplyAdd, Safe, Soon, Taps, View};
use std::fmt::Debug;

const HEIGHT: usize = 11;

/// `(row, column, weight)` of each element of a window.
type Window = Vec<(i32, i32, f32)>;

/// Floats of both widths.
trait Real: MultiplyAdd + Element + Debug + From<f32> + Into<f64> {}
impl Real for f32 {}
impl Real for f64 {}

struct Sums<'a, T, M> {
    x: &'a [T],
    size: (usize, usize),
    window: &'a Window,
    /// Weights also change from row to row.
    uneven: bool,
    _mode: M,
}

impl<T: Real, M: Mode> Body for Sums<'_, T, M> {
    type Output = Vec<T>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<T> {
        let (height, width) = self.size;
        let view = View::<T, 2>::new(self.x, &[height, width]);
        let mut taps = Taps::<T, 2>::new();
        let mut out = Vec::new();
        for row in 0..height as i32 {
            taps.turn_to(&[row, 0], |ahead, list| {
                let row = row + ahead;
                for &(dy, dx, weight) in self.window {
                    let weight = if self.uneven && row % 3 == 0 { -weight } else { weight };
                    list.push([row + dy, dx], T::from(weight));
                }
                false
            });
            let middle = width / 3;
            for (start, end) in [(0, middle), (middle, width)] {
                let columns = (start as i32, end - start);
                out.extend_from_slice(taps.sums::<I, M, _>(&view, T::from(0.5), columns, Soon::default()));
            }
        }
        out
    }
}

fn check_as<T: Real, M: Mode>(window: &Window, size: (usize, usize), uneven: bool, mode: M) {
    let (height, width) = size;
    let x: Vec<T> = (0..height * width).map(|k| T::from(((k * 37 + 11) % 101) as f32)).collect();
    for level in [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter(|l| *l <= detected()) {
        let got = dispatch_on(level, Sums { x: &x, size, window, uneven, _mode: mode });
        assert_eq!(got.len(), height * width);
        for (k, &got) in got.iter().enumerate() {
            let (row, column) = ((k / width) as i32, (k % width) as i32);
            let sign = if uneven && row % 3 == 0 { -1.0 } else { 1.0 };
            let sum: f64 = window
                .iter()
                .map(|&(dy, dx, weight)| {
                    let (m, n) = (M::map(row + dy, height as i32), M::map(column + dx, width as i32));
                    let x = if m < 0 || n < 0 { 0.0 } else { x[m as usize * width + n as usize].into() };
                    f64::from(sign * weight) * x
                })
                .sum();
            let want = 0.5 + sum;
            assert!((got.into() - want).abs() < 1e-3, "{got:?}, not {want} at {row}, {column} of {size:?}");
        }
    }
}

fn check(window: &Window, width: usize, uneven: bool) {
    check_as::<f32, _>(window, (HEIGHT, width), uneven, Mirror);
    check_as::<f64, _>(window, (HEIGHT, width), uneven, Clamped);
    check_as::<f32, _>(window, (3, width), uneven, Circular);
    check_as::<f32, _>(window, (1, width), uneven, Safe);
}

fn rectangle(height: i32, width: i32) -> Window {
    let place = |k: i32| (k / width - height / 2, k % width - width / 2);
    (0..height * width).map(|k| (place(k).0, place(k).1, 0.01 * (k % 7 + 1) as f32)).collect()
}

#[test]
fn all_forms_and_widths() {
    for width in [1, 5, 17, 60, 301] {
        for window in [rectangle(9, 1), rectangle(1, 9), rectangle(5, 3), rectangle(3, 3), rectangle(21, 2)] {
            check(&window, width, false);
            check(&window, width, true);
        }
        check(&vec![(2, 1, 0.5), (-3, 4, 0.25), (0, 0, 1.0), (2, -1, 2.0)], width, false);
    }
}

#[test]
fn elements_outside_a_window_do_not_count() {
    let mut x = vec![1.0_f32; HEIGHT * 64];
    x[10 * 64 + 5] = f32::NAN;
    let view = View::<f32, 2>::new(&x, &[HEIGHT, 64]);
    let mut taps = Taps::<f32, 2>::new();
    taps.turn_to(&[0, 0], |ahead, list| {
        (0..7).for_each(|dy| list.push([ahead + dy, 0], 1.0));
        false
    });
    let sums = taps.sums::<quasar_devicelib::isa::Baseline, Safe, _>(&view, 0.0, (0, 64), Soon::default());
    assert!(sums.iter().all(|&s| s == 7.0));
}
