//! What kernels use that walk over positions: quotients of positions, divisions by constants, elements moved together.

use crate::job::{BLOCK, Case, Grid, Job, Mistakes, merged};
use quasar_devicelib::element::{ElementType, Scalar};

/// Quotients of positions below and above 2^32 by extents.
fn quotients() -> Case {
    let positions = [0, 1, 6, 1000, 0xffff_ffff, 0x1_0000_0000, 0x7fff_ffff_ffff_ffff, 123_456_789_012];
    let extents = [1, 2, 7, 4096, i32::MAX];
    let pairs: Vec<(u64, i32)> = positions.iter().flat_map(|&at| extents.map(|n| (at, n))).collect();
    let mut grid = Grid::new(pairs.len());
    grid.input("at", ElementType::UInt64, pairs.iter().map(|p| Scalar::U64(p.0)).collect());
    grid.input("n", ElementType::Int32, pairs.iter().map(|p| Scalar::I32(p.1)).collect());
    grid.output(ElementType::UInt64, "q_quotient(at, n)");
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        for (&(at, n), got) in pairs.iter().zip(grid.read(buffers, 0)) {
            let want = Scalar::U64(at / n as u64);
            mistakes.expect(got == want, || format!("{at} / {n} is {got:?}, not {want:?}"));
        }
        mistakes.result()
    });
    Case { name: "quotients".to_owned(), job, check }
}

/// Divisions by numbers whose reciprocal is known, to the last bit.
fn divisions() -> Case {
    let special = [0.0, -0.0, 1e-40, -1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN, f32::INFINITY, f32::NAN];
    let divisors = [255.0_f32, 9.0, 3.0, -10.0, 0.1, 1.999_999_9, 1.000_000_1, 7e-18, 3e17];
    let mut state = 1_u32;
    let mut pairs: Vec<(f32, f32)> = special.iter().flat_map(|&x| divisors.map(|d| (x, d))).collect();
    for k in 0..20_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let x = if k % 2 == 0 { f32::from_bits(state) } else { (state >> 16) as f32 };
        pairs.push((x, divisors[k / 2 % divisors.len()]));
    }
    let mut grid = Grid::new(pairs.len());
    let single = |values: Vec<f32>| values.into_iter().map(Scalar::F32).collect();
    grid.input("x", ElementType::Single, single(pairs.iter().map(|p| p.0).collect()));
    grid.input("d", ElementType::Single, single(pairs.iter().map(|p| p.1).collect()));
    grid.input("r", ElementType::Single, single(pairs.iter().map(|p| 1.0 / p.1).collect()));
    grid.output(ElementType::Single, "q_over_f32(x, d, r)");
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        for (&(x, d), got) in pairs.iter().zip(grid.read(buffers, 0)) {
            let Scalar::F32(got) = got else { return Err("no single".to_owned()) };
            let want = x / d;
            let right = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            mistakes.expect(right, || format!("{x:e} / {d:e} is {got:e}, not {want:e}"));
        }
        mistakes.result()
    });
    Case { name: "divisions".to_owned(), job, check }
}

/// Bytes that are moved through registers by accesses of each width.
fn moves() -> Case {
    let mut text =
        "Q_KERNEL void run(Q_GLOBAL q_u8 *out, Q_GLOBAL const q_u8 *in) {\n    const q_i32 i = Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0);\n"
            .to_owned();
    let mut first = 0;
    for bytes in [4, 8, 16] {
        text += &format!("    Q_ALIGNED q_u8 e{bytes}[{bytes}];\n");
        text += &format!("    q_fetch_{bytes}(e{bytes}, in + {first} + i * {bytes});\n");
        text += &format!("    e{bytes}[1] = (q_u8)(e{bytes}[1] + e{bytes}[{}]);\n", bytes - 1);
        text += &format!("    q_put_{bytes}(out + {first} + i * {bytes}, e{bytes});\n");
        first += BLOCK * bytes;
    }
    text += "}\n";
    let input: Vec<u8> = (0..first).map(|k| (k * 7 + k / 256) as u8).collect();
    let job = Job { text, buffers: vec![vec![0; first], input.clone()], threads: BLOCK };
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut want = input.clone();
        let mut first = 0;
        for bytes in [4, 8, 16] {
            for group in want[first..][..BLOCK * bytes].chunks_exact_mut(bytes) {
                group[1] = group[1].wrapping_add(group[bytes - 1]);
            }
            first += BLOCK * bytes;
        }
        if buffers[0] == want { Ok(()) } else { Err("other bytes".to_owned()) }
    });
    Case { name: "moves".to_owned(), job, check }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![merged("walk", vec![quotients(), divisions()]), moves()]
}
