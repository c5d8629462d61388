//! Counter-based random numbers: a pure function of a seed and an index, so the same in any order, on any number of
//! threads and on every device.
//!
//! The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011):
//! the seed is its key and the index its counter. Device kernels use the same in `device/random.h`.

use crate::isa::{Baseline, Isa, Level};
use crate::ops;

/// An instruction set without fused multiply-add, whatever the build target has.
#[derive(Clone, Copy)]
struct Unfused;

impl Isa for Unfused {
    const FMA: bool = false;
    const LEVEL: Level = Level::Baseline;
    type Single = <Baseline as Isa>::Single;
    type Double = <Baseline as Isa>::Double;
}

/// Ten rounds of Philox on a counter and a key.
#[inline(always)]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let mut c = counter;
    let mut k = key;
    for _ in 0..10 {
        let a = u64::from(c[0]) * 0xD251_1F53;
        let b = u64::from(c[2]) * 0xCD9E_8D57;
        c = [(b >> 32) as u32 ^ c[1] ^ k[0], b as u32, (a >> 32) as u32 ^ c[3] ^ k[1], a as u32];
        k = [k[0].wrapping_add(0x9E37_79B9), k[1].wrapping_add(0xBB67_AE85)];
    }
    c
}

/// 128 random bits. Streams of one seed and index are independent, so that a rejected value can be drawn again.
#[inline(always)]
fn bits(seed: u64, index: u64, stream: u32) -> [u32; 4] {
    philox([index as u32, (index >> 32) as u32, stream, 0], [seed as u32, (seed >> 32) as u32])
}

/// Floats with random generators.
pub trait Random: Copy {
    /// Uniform in `[0, 1)`, a multiple of the spacing of numbers below 1.
    fn uniform(seed: u64, index: u64) -> Self;
    /// Standard normal.
    fn normal(seed: u64, index: u64) -> Self;
}

/// The 24 upper bits as a fraction.
#[inline(always)]
fn fraction_single(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// The 53 upper bits of two words as a fraction.
#[inline(always)]
fn fraction_double(high: u32, low: u32) -> f64 {
    (((u64::from(high) << 32) | u64::from(low)) >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

impl Random for f32 {
    #[inline(always)]
    fn uniform(seed: u64, index: u64) -> f32 {
        fraction_single(bits(seed, index, 0)[0])
    }

    #[inline(always)]
    fn normal(seed: u64, index: u64) -> f32 {
        let word = bits(seed, index, 0);
        box_muller(fraction_double(word[0], word[1]), fraction_double(word[2], word[3])) as f32
    }
}

impl Random for f64 {
    #[inline(always)]
    fn uniform(seed: u64, index: u64) -> f64 {
        let word = bits(seed, index, 0);
        fraction_double(word[0], word[1])
    }

    #[inline(always)]
    fn normal(seed: u64, index: u64) -> f64 {
        let word = bits(seed, index, 0);
        box_muller(fraction_double(word[0], word[1]), fraction_double(word[2], word[3]))
    }
}

/// The Box-Muller transform of two uniform numbers.
///
/// It is computed without fused operations, by this crate's own functions, so that CPU and devices agree.
#[inline(always)]
fn box_muller(u: f64, v: f64) -> f64 {
    // 1 - u is in (0, 1], where the logarithm is finite.
    let radius = (-2.0 * ops::log::<Unfused, f64>(1.0 - u)).sqrt();
    radius * ops::cos::<Unfused, f64>(std::f64::consts::TAU * v)
}

/// Uniform in `[0, 1)`: element `index` of the sequence of `seed`.
#[inline(always)]
pub fn uniform<T: Random>(seed: u64, index: u64) -> T {
    T::uniform(seed, index)
}

/// Standard normal: element `index` of the sequence of `seed`.
#[inline(always)]
pub fn normal<T: Random>(seed: u64, index: u64) -> T {
    T::normal(seed, index)
}

/// Uniform integer in `0..n`; 0 if `n` is 0.
///
/// Lemire's method ("Fast random integer generation in an interval", 2019): the upper half of a 64-bit product; the few
/// products that would bias the result are rejected and drawn again from the next stream.
#[inline]
pub fn integer(seed: u64, index: u64, n: u32) -> u32 {
    let threshold = n.wrapping_neg().checked_rem(n).unwrap_or(0);
    let mut stream = 0;
    loop {
        for word in bits(seed, index, stream) {
            let product = u64::from(word) * u64::from(n);
            if product as u32 >= threshold {
                return (product >> 32) as u32;
            }
        }
        stream = stream.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_passes_the_known_answers() {
        // From the `kat_vectors` of Random123.
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    fn moments(values: impl Iterator<Item = f64>) -> (f64, f64) {
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for x in values {
            n += 1.0;
            sum += x;
            squares += x * x;
        }
        (sum / n, squares / n - (sum / n) * (sum / n))
    }

    #[test]
    fn uniform_numbers_fill_the_unit_interval() {
        let values = || (0..100_000).map(|i| f64::from(uniform::<f32>(7, i)));
        assert!(values().all(|x| (0.0..1.0).contains(&x)));
        let (mean, variance) = moments(values());
        assert!((mean - 0.5).abs() < 0.003 && (variance - 1.0 / 12.0).abs() < 0.001, "{mean} {variance}");
        assert_eq!(fraction_single(u32::MAX), 1.0 - f32::EPSILON / 2.0);
        assert_eq!(fraction_double(u32::MAX, u32::MAX), 1.0 - f64::EPSILON / 2.0);
        assert_ne!(uniform::<f64>(7, 1), uniform::<f64>(8, 1));
    }

    #[test]
    fn normal_numbers_have_the_standard_moments() {
        let (mean, variance) = moments((0..100_000).map(|i| normal::<f64>(1, i)));
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.015, "{mean} {variance}");
        assert!((0..100_000).all(|i| normal::<f32>(3, i).is_finite()));
        assert!(box_muller(1.0 - f64::EPSILON / 2.0, 0.0).is_finite());
    }

    #[test]
    fn integers_are_spread_evenly() {
        assert_eq!(integer(1, 2, 0), 0);
        assert_eq!(integer(1, 2, 1), 0);
        let mut counts = [0_u32; 6];
        for i in 0..60_000 {
            counts[integer(5, i, 6) as usize] += 1;
        }
        assert!(counts.iter().all(|c| c.abs_diff(10_000) < 400), "{counts:?}");
        // Here almost half of all products are rejected.
        let n = (1 << 31) + 1;
        let low = (0..20_000).filter(|&i| integer(5, i, n) < n / 2).count();
        assert!(low.abs_diff(10_000) < 300, "{low}");
    }
}
