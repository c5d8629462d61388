//! Plans of Fourier transforms in single and double precision.
//!
//! The planners of `rustfft` are generic: who asks one for a plan compiles 1.4 MB of machine code, all algorithms for all registers in
//! both precisions. Here that happens beside the device library, not on the way from it to programs. Users hold plans as `dyn Fft`,
//! which compiles nothing.

pub use rustfft::{Fft, FftNum};

use rustfft::FftPlanner;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A precision of transforms.
pub trait Planned: FftNum {
    /// A plan for lines of `n` elements, which is kept for the next time. The inverse is not scaled.
    fn plan(n: usize, inverse: bool) -> Arc<dyn Fft<Self>>;
}

macro_rules! planned {
    ($($type:ty)*) => {
        $(impl Planned for $type {
            fn plan(n: usize, inverse: bool) -> Arc<dyn Fft<$type>> {
                static PLANNER: LazyLock<Mutex<FftPlanner<$type>>> = LazyLock::new(|| Mutex::new(FftPlanner::new()));
                let mut planner = PLANNER.lock().unwrap_or_else(PoisonError::into_inner);
                match inverse {
                    false => planner.plan_fft_forward(n),
                    true => planner.plan_fft_inverse(n),
                }
            }
        })*
    };
}
planned!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;
    use rustfft::num_complex::Complex;

    #[test]
    fn the_inverse_gives_the_elements_times_their_number() {
        for n in [1, 2, 7, 12, 97] {
            let x: Vec<Complex<f64>> = (0..n).map(|i| Complex::new(i as f64, 1.0 / (1 + i) as f64)).collect();
            let mut y = x.clone();
            f64::plan(n, false).process(&mut y);
            let sum: Complex<f64> = x.iter().sum();
            assert!((y[0] - sum).norm() < 1e-9 * sum.norm().max(1.0));
            f64::plan(n, true).process(&mut y);
            assert!(x.iter().zip(&y).all(|(x, y)| (x * n as f64 - y).norm() < 1e-9 * (n * n) as f64));
        }
    }
}
