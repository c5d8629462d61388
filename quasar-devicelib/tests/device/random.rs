//! Random numbers of devices are those of the processor, to the last bit.

use crate::job::{Case, Grid, Mistakes, merged};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::random::{integer, normal, uniform};

/// Seeds and indices: small ones, those near the limits of 32 and 64 bits, and some without a pattern.
fn places() -> Vec<(u64, u64)> {
    let limits = [0, 1, 7, 0x7fff_ffff, 0xffff_ffff, 0x1_0000_0000, 0x8000_0000_0000_0000, u64::MAX];
    let mut places: Vec<_> = limits
        .iter()
        .flat_map(|&seed| (0..40).map(move |k| (seed, limits[k / 5].wrapping_add((k % 5) as u64))))
        .collect();
    let mut state = 1_u64;
    for k in 0..60_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        places.push(if k % 2 == 0 { (state, state.rotate_left(32)) } else { (state >> 60, k) });
    }
    places
}

fn grid(places: &[(u64, u64)]) -> Grid {
    let mut grid = Grid::new(places.len());
    grid.input("seed", ElementType::UInt64, places.iter().map(|p| Scalar::U64(p.0)).collect());
    grid.input("at", ElementType::UInt64, places.iter().map(|p| Scalar::U64(p.1)).collect());
    grid
}

/// The bits of a number, so that zeros have a sign.
fn bits(x: Scalar) -> u64 {
    match x {
        Scalar::F32(x) => x.to_bits().into(),
        Scalar::F64(x) => x.to_bits(),
        other => other.as_i64() as u64,
    }
}

type Drawn = fn(u64, u64) -> Scalar;

fn floats() -> Case {
    let functions: [(&str, ElementType, Drawn); 4] = [
        ("q_uniform_f32", ElementType::Single, |seed, at| Scalar::F32(uniform(seed, at))),
        ("q_uniform_f64", ElementType::Double, |seed, at| Scalar::F64(uniform(seed, at))),
        ("q_normal_f32", ElementType::Single, |seed, at| Scalar::F32(normal(seed, at))),
        ("q_normal_f64", ElementType::Double, |seed, at| Scalar::F64(normal(seed, at))),
    ];
    let places = places();
    let mut grid = grid(&places);
    for (name, ty, _) in functions {
        grid.output(ty, &format!("{name}(seed, at)"));
    }
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        for (k, (name, _, function)) in functions.iter().enumerate() {
            for (&(seed, at), got) in places.iter().zip(grid.read(buffers, k)) {
                let want = function(seed, at);
                mistakes.expect(bits(got) == bits(want), || {
                    format!("{name}({seed}, {at}) is {got:?}, not {want:?}")
                });
            }
        }
        mistakes.result()
    });
    Case { name: "random_floats".to_owned(), job, check }
}

/// Limits for which no product, some and almost half of them are drawn again.
fn integers() -> Case {
    let limits = [1, 2, 6, 1000, 0x1_0000, 0x5555_5556, (1 << 30) + 1, i32::MAX as u32, 1 << 31];
    let places: Vec<_> = places().into_iter().cycle().take(90_000).collect();
    let mut grid = grid(&places);
    let n = |k: usize| limits[k % limits.len()];
    grid.input("n", ElementType::UInt32, (0..places.len()).map(|k| Scalar::U32(n(k))).collect());
    grid.output(ElementType::UInt32, "q_random_below(seed, at, n)");
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        for (k, (&(seed, at), got)) in places.iter().zip(grid.read(buffers, 0)).enumerate() {
            let n = limits[k % limits.len()];
            let want = Scalar::U32(integer(seed, at, n));
            mistakes.expect(got == want, || format!("integer({seed}, {at}, {n}) is {got:?}, not {want:?}"));
        }
        mistakes.result()
    });
    Case { name: "random_integers".to_owned(), job, check }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![merged("random", vec![floats(), integers()])]
}
