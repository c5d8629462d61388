//! Function multiversioning: a body of code is compiled for several instruction set levels, and the best one is chosen
//! at run time.

#![allow(unsafe_code, reason = "instructions that not all processors have")]

mod interleave;
mod lanes;
mod shared;

pub use lanes::Lanes;

use crate::element::Element;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// The instruction set for which the surrounding code is compiled.
pub trait Isa: Copy + 'static {
    /// Whether a fused multiply-add is one instruction; otherwise `mul_add` would be a library call.
    const FMA: bool;
    /// The level for dispatching parts of this code that are compiled separately.
    const LEVEL: Level;
    /// SIMD vectors of `f32`.
    type Single: Lanes<f32>;
    /// SIMD vectors of `f64`.
    type Double: Lanes<f64>;

    /// Groups of `S` elements as one vector for each of the `S`.
    #[inline(always)]
    fn deinterleave<T: Element, const S: usize, const L: usize>(groups: &[[T; S]; L]) -> [[T; L]; S] {
        interleave::plain_deinterleave(groups)
    }

    /// `S` vectors as groups of one element of each.
    #[inline(always)]
    fn interleave<T: Element, const S: usize, const L: usize>(vectors: &[[T; L]; S]) -> [[T; S]; L] {
        interleave::plain_interleave(vectors)
    }

    /// Copies elements that other threads may write, as relaxed atomic loads of each: the leading ones that fill vectors. Returns how
    /// many bytes those are.
    ///
    /// # Safety
    /// So many bytes may be loaded atomically from `from` on, and written from `to` on. Elements of `from` lie at multiples of their
    /// size, which is eight at most.
    #[inline(always)]
    unsafe fn load_shared(_from: *const u8, _to: *mut u8, _bytes: usize) -> usize {
        0
    }

    /// Copies to elements that other threads may read and write, as [`Isa::load_shared`].
    ///
    /// # Safety
    /// So many bytes may be read from `from` on, and stored atomically from `to` on. Elements of `to` lie at multiples of their size,
    /// which is eight at most.
    #[inline(always)]
    unsafe fn store_shared(_from: *const u8, _to: *mut u8, _bytes: usize) -> usize {
        0
    }
}

/// The instruction set of the build target.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

impl Isa for Baseline {
    const FMA: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));
    const LEVEL: Level = Level::Baseline;
    #[cfg(target_arch = "x86_64")]
    type Single = lanes::x86::Single128;
    #[cfg(target_arch = "x86_64")]
    type Double = lanes::x86::Double128;
    #[cfg(not(target_arch = "x86_64"))]
    type Single = lanes::Four<f32>;
    #[cfg(not(target_arch = "x86_64"))]
    type Double = lanes::Four<f64>;

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[inline(always)]
    unsafe fn load_shared(from: *const u8, to: *mut u8, bytes: usize) -> usize {
        // SAFETY: the caller's promise.
        unsafe { shared::baseline::load(from, to, bytes) }
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[inline(always)]
    unsafe fn store_shared(from: *const u8, to: *mut u8, bytes: usize) -> usize {
        // SAFETY: as above.
        unsafe { shared::baseline::store(from, to, bytes) }
    }
}

// Private, so that only a dispatch can name them: their lanes use instructions that not all processors have.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Isa for Avx2 {
    const FMA: bool = true;
    const LEVEL: Level = Level::Avx2;
    type Single = lanes::x86::Single256;
    type Double = lanes::x86::Double256;

    #[inline(always)]
    fn deinterleave<T: Element, const S: usize, const L: usize>(groups: &[[T; S]; L]) -> [[T; L]; S] {
        // SAFETY: code that gets the level runs on a processor with its instructions.
        unsafe { interleave::avx2::deinterleave(groups) }
    }

    #[inline(always)]
    fn interleave<T: Element, const S: usize, const L: usize>(vectors: &[[T; L]; S]) -> [[T; S]; L] {
        // SAFETY: as above.
        unsafe { interleave::avx2::interleave(vectors) }
    }

    #[cfg(not(miri))]
    #[inline(always)]
    unsafe fn load_shared(from: *const u8, to: *mut u8, bytes: usize) -> usize {
        // SAFETY: the caller's promise; code that gets the level runs on a processor with its instructions.
        unsafe { shared::avx2::load(from, to, bytes) }
    }

    #[cfg(not(miri))]
    #[inline(always)]
    unsafe fn store_shared(from: *const u8, to: *mut u8, bytes: usize) -> usize {
        // SAFETY: as above.
        unsafe { shared::avx2::store(from, to, bytes) }
    }
}

#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Isa for Avx512 {
    const FMA: bool = true;
    const LEVEL: Level = Level::Avx512;
    type Single = lanes::x86::Single512;
    type Double = lanes::x86::Double512;

    #[inline(always)]
    fn deinterleave<T: Element, const S: usize, const L: usize>(groups: &[[T; S]; L]) -> [[T; L]; S] {
        // SAFETY: code that gets the level runs on a processor with its instructions.
        unsafe { interleave::avx512::deinterleave(groups) }
    }

    #[inline(always)]
    fn interleave<T: Element, const S: usize, const L: usize>(vectors: &[[T; L]; S]) -> [[T; S]; L] {
        // SAFETY: as above.
        unsafe { interleave::avx512::interleave(vectors) }
    }

    #[cfg(not(miri))]
    #[inline(always)]
    unsafe fn load_shared(from: *const u8, to: *mut u8, bytes: usize) -> usize {
        // SAFETY: the caller's promise; code that gets the level runs on a processor with its instructions.
        unsafe { shared::avx512::load(from, to, bytes) }
    }

    #[cfg(not(miri))]
    #[inline(always)]
    unsafe fn store_shared(from: *const u8, to: *mut u8, bytes: usize) -> usize {
        // SAFETY: as above.
        unsafe { shared::avx512::store(from, to, bytes) }
    }
}

/// The instruction set levels for which bodies are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The instruction set of the build target.
    Baseline,
    /// AVX2 with FMA.
    Avx2,
    /// AVX-512 F, BW, DQ, VL.
    Avx512,
}

/// A body that is compiled once per level. Implementations mark `run` `#[inline(always)]`; otherwise it is compiled for
/// the baseline alone.
pub trait Body {
    /// The result type.
    type Output;

    /// The best level that gains anything. None above it is compiled.
    const BEST: Level = Level::Avx512;

    /// Executes the body.
    fn run<I: Isa>(self) -> Self::Output;
}

/// The best level that this CPU supports.
pub fn detected() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt");
    let avx512 = avx2
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (avx512, avx2) {
        (true, _) => Level::Avx512,
        (false, true) => Level::Avx2,
        (false, false) => Level::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Baseline
}

/// The level set by [`limit`], as a number.
static LIMIT: AtomicU8 = AtomicU8::new(Level::Avx512 as u8);

/// Sets the maximum level that [`dispatch`] chooses.
pub fn limit(level: Level) {
    LIMIT.store(level as u8, Ordering::Relaxed);
}

fn allowed() -> Level {
    match LIMIT.load(Ordering::Relaxed) {
        0 => Level::Baseline,
        1 => Level::Avx2,
        _ => Level::Avx512,
    }
}

/// The best level that this CPU supports and [`limit`] allows.
pub fn level() -> Level {
    allowed().min(detected())
}

/// Runs a body compiled for the best level that this CPU supports and [`limit`] allows.
#[inline]
pub fn dispatch<B: Body>(body: B) -> B::Output {
    dispatch_on(allowed(), body)
}

/// Runs a body compiled for a level, or for the best lower one that this CPU supports.
#[inline]
pub fn dispatch_on<B: Body>(level: Level, body: B) -> B::Output {
    #[cfg(target_arch = "x86_64")]
    {
        // The guards are constants: what they exclude is not compiled.
        match level.min(B::BEST).min(detected()) {
            Level::Avx512 if const { B::BEST as u8 >= Level::Avx512 as u8 } => {
                // SAFETY: the level is at most the detected one, so the processor has these features.
                return unsafe { run_avx512(body) };
            }
            // SAFETY: as above.
            Level::Avx2 if const { B::BEST as u8 >= Level::Avx2 as u8 } => return unsafe { run_avx2(body) },
            _ => {}
        }
    }
    let _ = level;
    run_baseline(body)
}

#[inline(never)]
fn run_baseline<B: Body>(body: B) -> B::Output {
    body.run::<Baseline>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn run_avx2<B: Body>(body: B) -> B::Output {
    body.run::<Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn run_avx512<B: Body>(body: B) -> B::Output {
    body.run::<Avx512>()
}

macro_rules! truncations {
    ($($name:ident $rust:ty;)*) => {
        $(/// The integer part as `i32`, clipped to its range; NaN gives 0. The same as `as i32`, which LLVM does element by
        /// element.
        #[inline(always)]
        pub(crate) fn $name(x: $rust) -> i32 {
            let number = if x.is_nan() { 0.0 } else { x };
            let raised = if number < -2147483648.0 { -2147483648.0 } else { number };
            let inside = if raised < 2147483648.0 { raised } else { 0.0 };
            // SAFETY: the value is a number in the range of `i32`.
            let whole = unsafe { inside.to_int_unchecked::<i32>() };
            if raised < 2147483648.0 { whole } else { i32::MAX }
        })*
    };
}
truncations! {
    truncate_single f32;
    truncate_double f64;
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Which;

    impl Body for Which {
        type Output = bool;

        #[inline(always)]
        fn run<I: Isa>(self) -> bool {
            I::FMA
        }
    }

    #[test]
    fn truncation_is_the_saturating_cast() {
        let edges = [
            0.0,
            -0.0,
            0.9,
            -0.9,
            1.5,
            127.9,
            2147483520.0,
            2147483647.0,
            2147483648.0,
            -2147483649.0,
            1.0e30,
        ];
        for x in edges.into_iter().flat_map(|x| [x, -x]).chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]) {
            assert_eq!(truncate_double(x), x as i32);
            assert_eq!(truncate_single(x as f32), x as f32 as i32);
        }
    }

    #[test]
    fn levels_above_the_processor_are_lowered() {
        for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
            let fused = dispatch_on(level, Which);
            assert_eq!(fused, level.min(detected()) > Level::Baseline || Baseline::FMA);
        }
        assert_eq!(dispatch(Which), detected() > Level::Baseline || Baseline::FMA);
        limit(Level::Baseline);
        assert_eq!(dispatch(Which), Baseline::FMA);
        limit(Level::Avx512);
    }
}
