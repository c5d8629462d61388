//! Weighted sums over windows are what plain loops make them, whatever the form of the window and the width of the rows.

use quasar_devicelib::isa::{Body, Isa, Level, detected, dispatch_on};
use quasar_devicelib::kernel::{Mirror, Mode, Safe, Taps, View};

const HEIGHT: usize = 11;

/// `(row, column, weight)` of each element of a window.
type Window = Vec<(i32, i32, f32)>;

struct Sums<'a> {
    x: &'a [f32],
    width: usize,
    window: &'a Window,
    /// Weights also change from row to row.
    uneven: bool,
}

impl Body for Sums<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<f32> {
        let view = View::<f32, 2>::new(self.x, &[HEIGHT, self.width]);
        let mut taps = Taps::<f32, 2>::new();
        let mut out = Vec::new();
        for row in 0..HEIGHT as i32 {
            taps.turn_to(|ahead, list| {
                let row = row + ahead;
                for &(dy, dx, weight) in self.window {
                    let weight = if self.uneven && row % 3 == 0 { -weight } else { weight };
                    list.push([row + dy, dx], weight);
                }
                false
            });
            let middle = self.width / 3;
            for (start, end) in [(0, middle), (middle, self.width)] {
                out.extend_from_slice(taps.sums::<I, Mirror>(&view, 0.5, start as i32, end - start));
            }
        }
        out
    }
}

fn check(window: &Window, width: usize, uneven: bool) {
    let x: Vec<f32> = (0..HEIGHT * width).map(|k| ((k * 37 + 11) % 101) as f32).collect();
    for level in [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter(|l| *l <= detected()) {
        let got = dispatch_on(level, Sums { x: &x, width, window, uneven });
        for (k, &got) in got.iter().enumerate() {
            let (row, column) = ((k / width) as i32, (k % width) as i32);
            let sign = if uneven && row % 3 == 0 { -1.0 } else { 1.0 };
            let sum: f64 = window
                .iter()
                .map(|&(dy, dx, weight)| {
                    let m = Mirror::map(row + dy, HEIGHT as i32) as usize;
                    let n = Mirror::map(column + dx, width as i32) as usize;
                    f64::from(sign * weight) * f64::from(x[m * width + n])
                })
                .sum();
            let want = 0.5 + sum;
            assert!((f64::from(got) - want).abs() < 1e-3, "{got}, not {want} at {row}, {column} of {width}");
        }
    }
}

fn rectangle(height: i32, width: i32) -> Window {
    let place = |k: i32| (k / width - height / 2, k % width - width / 2);
    (0..height * width).map(|k| (place(k).0, place(k).1, 0.01 * (k % 7 + 1) as f32)).collect()
}

#[test]
fn all_forms_and_widths() {
    for width in [1, 5, 60, 301] {
        for window in [rectangle(9, 1), rectangle(1, 9), rectangle(5, 3), rectangle(3, 3)] {
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
    taps.turn_to(|ahead, list| {
        (0..7).for_each(|dy| list.push([ahead + dy, 0], 1.0));
        false
    });
    let sums = taps.sums::<quasar_devicelib::isa::Baseline, Safe>(&view, 0.0, 0, 64);
    assert!(sums.iter().all(|&s| s == 7.0));
}
