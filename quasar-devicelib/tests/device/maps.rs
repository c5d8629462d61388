//! Index maps, the numbers of steps of ranges, the record of errors, and where threads are.

use crate::job::{Case, Grid, Job, Mistakes, merged};
use quasar_devicelib::boundary::Index;
use quasar_devicelib::device_text::FaultRecord;
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::kernel;

/// Indices and extents: those near 0 and near the limits.
fn pairs(low: i64, high: i64) -> Vec<(i64, i64)> {
    let near = |x: i64| (0..10).flat_map(move |k| [x.checked_add(k), x.checked_sub(k)]).flatten();
    let inside = |x: &i64| (low..=high).contains(x);
    let indices: Vec<i64> =
        near(0).chain(near(low)).chain(near(high)).chain(near(high / 2)).filter(inside).collect();
    let extents = [low, -1, 0, 1, 2, 3, 4, 7, 1000, high / 2 + 1, high - 1, high];
    indices.iter().flat_map(|&i| extents.map(|n| (i, n))).collect()
}

fn all_maps<T: Index + Into<Scalar>>(i: T, n: T) -> [Scalar; 4] {
    let inside = Scalar::I32(i.in_range(n).into());
    [i.mirror(n).into(), i.periodize(n).into(), i.clamp_index(n).into(), inside]
}

fn maps(name: &str, ty: ElementType, functions: [&str; 4]) -> Case {
    let wide = ty == ElementType::Int64;
    let pairs = if wide { pairs(i64::MIN, i64::MAX) } else { pairs(i32::MIN.into(), i32::MAX.into()) };
    let mut grid = Grid::new(pairs.len());
    grid.input("k", ty, pairs.iter().map(|p| Scalar::from_i64(p.0, ty)).collect());
    grid.input("n", ty, pairs.iter().map(|p| Scalar::from_i64(p.1, ty)).collect());
    for (k, function) in functions.iter().enumerate() {
        grid.output(if k == 3 { ElementType::Int32 } else { ty }, &format!("{function}(k, n)"));
    }
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        for k in 0..4 {
            for (&(i, n), got) in pairs.iter().zip(grid.read(buffers, k)) {
                let want = if wide { all_maps(i, n) } else { all_maps(i as i32, n as i32) };
                mistakes.expect(got == want[k], || {
                    format!("map {k} of {i} in {n} is {got:?}, not {:?}", want[k])
                });
            }
        }
        mistakes.result()
    });
    Case { name: name.to_owned(), job, check }
}

/// The number of steps, without taking too many.
fn steps(from: i32, step: i32, to: i32) -> i64 {
    let distance = i64::from(to) - i64::from(from);
    if step != 0 && (distance / i64::from(step)).abs() > 100_000 {
        return if (distance < 0) == (step < 0) {
            (distance / i64::from(step) + 1).min(0xffff_ffff)
        } else {
            0
        };
    }
    kernel::steps(from, step, to).count() as i64
}

fn ranges() -> Case {
    let ends = [i32::MIN, -1000, -3, -1, 0, 1, 2, 7, 1000, i32::MAX];
    let mut triples = Vec::new();
    for from in ends {
        for step in ends {
            triples.extend(ends.map(|to| [from, step, to]));
        }
    }
    let mut grid = Grid::new(triples.len());
    for (k, name) in ["from", "step", "to"].into_iter().enumerate() {
        grid.input(name, ElementType::Int32, triples.iter().map(|t| Scalar::I32(t[k])).collect());
    }
    grid.output(ElementType::UInt32, "q_steps(from, step, to)");
    grid.output(ElementType::UInt64, "q_float_steps(from * 0.01, step * 0.001, to * 0.01)");
    grid.output(ElementType::UInt32, "q_unit_steps(from, to)");
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        for (t, got) in triples.iter().zip(grid.read(buffers, 2)) {
            let want = steps(t[0], 1, t[2]);
            mistakes.expect(got.as_i64() == want, || format!("steps of 1 {t:?}: {got:?}, not {want}"));
        }
        for (t, got) in triples.iter().zip(grid.read(buffers, 0)) {
            let want = steps(t[0], t[1], t[2]);
            mistakes.expect(got.as_i64() == want, || format!("steps {t:?}: {got:?}, not {want}"));
        }
        for (t, got) in triples.iter().zip(grid.read(buffers, 1)) {
            let [from, step, to] = t.map(f64::from);
            if ((to - from) * 10.0 / step).abs() < 100_000.0 {
                let want = kernel::float_steps(from * 0.01, step * 0.001, to * 0.01).count() as i64;
                mistakes.expect(got.as_i64() == want, || format!("float steps {t:?}: {got:?}, not {want}"));
            }
        }
        mistakes.result()
    });
    Case { name: "ranges".to_owned(), job, check }
}

/// Many threads fail; one of them is recorded, with all that belongs to it, and leaves its loop. The record of another kernel does not
/// end loops of this one.
fn fault() -> Case {
    let text = "Q_KERNEL void run(Q_GLOBAL q_fault *fault, Q_GLOBAL q_fault *other, Q_GLOBAL q_i32 *count) {
    const q_i32 i = Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0);
    if (i == 0) count[1] = (q_i32)sizeof(q_fault);
    if (i >= 1024 || i % 3 != 1 || !q_fail(fault, 4, i)) return;
    q_atomic_add_i32(count, 1);
    fault->rank = 2;
    fault->index[0] = i;
    fault->index[15] = -i;
    fault->dims[0] = 2 * i;
    q_record_i8(fault, 0, -1);
    q_record_i16(fault, 1, -2);
    q_record_i32(fault, 2, -i);
    q_record_i64(fault, 3, -9000000000000);
    q_record_u8(fault, 4, 200);
    q_record_u16(fault, 5, 60000);
    q_record_u32(fault, 6, 4000000000u);
    q_record_u64(fault, 7, 0xffffffffffffffff);
    q_record_f16(fault, 8, q_to_f16_from_i32(2));
    q_record_f32(fault, 9, -0.5f);
    q_record_f64(fault, 10, 1.25);
    q_record_c32(fault, 11, q_complex2_f32(1.5f, 2.5f));
    q_record_c64(fault, 13, q_complex2_f64(3.5, -4.5));
    q_u32 rounds = 0;
    while (!q_stops(fault, ++rounds) && rounds < 5000u) {}
    count[2] = (q_i32)rounds;
    rounds = 0;
    while (!q_stops(other, ++rounds) && rounds < 5000u) {}
    count[3] = (q_i32)rounds;
}
";
    let mut other = vec![0; FaultRecord::BYTES];
    other[..4].fill(0xff);
    let buffers = vec![vec![0; FaultRecord::BYTES], other, vec![0; 16]];
    let job = Job { text: text.to_owned(), buffers, threads: 1024 };
    let check = Box::new(|buffers: &[Vec<u8>], _| {
        let record = FaultRecord::from_bytes(&buffers[0]).ok_or("no record")?;
        let counts = crate::job::decode(&buffers[2], ElementType::Int32, 4);
        let site = record.site;
        let (mut index, mut dims) = ([0; 16], [0; 16]);
        (index[0], index[15], dims[0]) = (site, -site, 2 * site);
        let single = |x: f32| i64::from(x.to_bits());
        let double = |x: f64| x.to_bits() as i64;
        #[rustfmt::skip]
        let values = [
            -1, -2, -i64::from(site), -9_000_000_000_000, 200, 60000, 4_000_000_000, -1, 0x4000, single(-0.5), double(1.25),
            single(1.5), single(2.5), double(3.5), double(-4.5), 0,
        ];
        let want = FaultRecord {
            state: record.state,
            kind: FaultRecord::OVERFLOW,
            site,
            rank: 2,
            index,
            dims,
            values,
        };
        let mut mistakes = Mistakes::default();
        mistakes.expect(record == want && record.state != 0 && site % 3 == 1, || {
            format!("{record:?}, not {want:?}")
        });
        mistakes.expect(counts == [1, FaultRecord::BYTES as i32, 1024, 5000].map(Scalar::I32), || {
            format!("{counts:?}")
        });
        mistakes.result()
    });
    Case { name: "fault".to_owned(), job, check }
}

/// Where threads are, and that they meet at barriers: each gets the position of its mirror image in the block.
fn threads() -> Case {
    let text = "Q_KERNEL void run(Q_GLOBAL q_i32 *Q_RESTRICT out) {
    Q_SHARED_DECL q_i32 cells[64];
    q_i32 own[4];
    Q_PRIVATE q_i32 *at = own;
    const Q_INDEX i = (Q_INDEX)Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0);
    cells[Q_THREAD(0)] = (q_i32)i;
    Q_WARP_BARRIER();
    Q_FENCE_BLOCK();
    Q_FENCE_GRID();
    Q_BARRIER();
    at[0] = cells[63 - Q_THREAD(0)];
    at[1] = Q_GRID_DIM(0) * 1000 + Q_BLOCK_DIM(0);
    at[2] = Q_THREAD(1) + Q_THREAD(2) + Q_BLOCK(1) + Q_BLOCK(2);
    at[3] = Q_BLOCK_DIM(1) * Q_BLOCK_DIM(2) * Q_GRID_DIM(1) * Q_GRID_DIM(2);
    for (q_i32 k = 0; k < 4; ++k) out[4 * i + k] = own[k];
#if (Q_WARP_SIZE < 1) || (defined(Q_CUDA) == defined(Q_OPENCL))
    out[0] = -1;
#endif
}
";
    let job = Job { text: text.to_owned(), buffers: vec![vec![0; 4 * 4 * 256]], threads: 256 };
    let check = Box::new(|buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        let got = crate::job::decode(&buffers[0], ElementType::Int32, 4 * 256);
        for (i, got) in got.chunks(4).enumerate() {
            let want = [i as i32 / 64 * 64 + 63 - i as i32 % 64, 4064, 0, 1].map(Scalar::I32);
            mistakes.expect(got == want, || format!("thread {i}: {got:?}, not {want:?}"));
        }
        mistakes.result()
    });
    Case { name: "threads".to_owned(), job, check }
}

/// Maps of indices that one reflection or period brings inside.
fn near() -> Case {
    let pairs = pairs(i32::MIN.into(), i32::MAX.into()).into_iter();
    let pairs: Vec<(i64, i64)> = pairs.filter(|&(i, n)| n > 0 && -n <= i && i < 2 * n).collect();
    let mut grid = Grid::new(pairs.len());
    grid.input("k", ElementType::Int32, pairs.iter().map(|p| Scalar::I32(p.0 as i32)).collect());
    grid.input("n", ElementType::Int32, pairs.iter().map(|p| Scalar::I32(p.1 as i32)).collect());
    grid.output(ElementType::Int32, "q_mirror_near(k, n)");
    grid.output(ElementType::Int32, "q_periodize_near(k, n)");
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        for k in 0..2 {
            for (&(i, n), got) in pairs.iter().zip(grid.read(buffers, k)) {
                let want = all_maps(i as i32, n as i32)[k];
                mistakes.expect(got == want, || format!("map {k} of {i} near {n} is {got:?}, not {want:?}"));
            }
        }
        mistakes.result()
    });
    Case { name: "near".to_owned(), job, check }
}

pub(crate) fn cases() -> Vec<Case> {
    let wide = ["q_mirror_i64", "q_periodize_index_i64", "q_clamp_index_i64", "q_in_range_i64"];
    let cases = vec![
        maps("maps_i32", ElementType::Int32, ["q_mirror", "q_periodize", "q_clamp_index", "q_in_range"]),
        maps("maps_i64", ElementType::Int64, wide),
        near(),
        ranges(),
        fault(),
    ];
    vec![merged("maps", cases), threads()]
}
