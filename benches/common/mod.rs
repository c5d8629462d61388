//! Helpers of the device benchmarks: timing of asynchronous calls, and input data.

use quasar::{Result, context};
use std::time::Instant;

const BURSTS: usize = 15;

/// Milliseconds per call: the median of fifteen bursts of some milliseconds, each between two synchronisations.
pub(crate) fn burst(call: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let mut timed = |calls: usize| -> Result<f64> {
        let start = Instant::now();
        (0..calls).try_for_each(|_| call())?;
        context::synchronize()?;
        Ok(start.elapsed().as_secs_f64() * 1e3 / calls as f64)
    };
    timed(3)?;
    let calls = (4.0 / timed(1)?).ceil().clamp(1.0, 200.0) as usize;
    let mut times = (0..BURSTS).map(|_| timed(calls)).collect::<Result<Vec<_>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[BURSTS / 2])
}

/// Pseudo-random bytes, the same in every run.
pub(crate) fn bytes(count: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}

/// The first argument that is not an option.
pub(crate) fn filter() -> String {
    std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default()
}

/// The index in range to which an index at most one extent outside maps by reflection.
pub(crate) fn mirror(i: isize, n: usize) -> usize {
    let n = n as isize;
    (if i < 0 {
        -1 - i
    } else if i >= n {
        2 * n - 1 - i
    } else {
        i
    }) as usize
}
