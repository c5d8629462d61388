//! What the threads of a warp do together: warps of 32 threads in CUDA, of one in OpenCL.

use crate::job::{Case, Job, Mistakes};
use quasar_devicelib::device_text::Dialect;
use quasar_devicelib::element::ElementType;

/// Threads of a block, and of all blocks.
const THREADS: usize = 256;

/// Types of values that are exchanged.
const TYPES: [&str; 6] = ["i32", "u32", "i64", "u64", "f32", "f64"];

/// Results that do not depend on a type, and for each type.
const PLAIN: usize = 12;
const TYPED: usize = 8;
const RESULTS: usize = PLAIN + TYPED * TYPES.len();

fn text() -> String {
    let mut text = format!(
        "Q_KERNEL void run(Q_GLOBAL q_i32 *Q_RESTRICT out) {{
    const q_i32 thread = Q_THREAD(0), i = Q_BLOCK(0) * Q_BLOCK_DIM(0) + thread;
    Q_GLOBAL q_i32 *at = out + i * {RESULTS};
    const q_u32 all = q_group_of_block(thread, Q_BLOCK_DIM(0));
    const q_u32 part = q_group_partition(all, 8);
    at[0] = q_group_rank(all);
    at[1] = q_group_size(all);
    at[2] = q_group_rank(part);
    at[3] = q_group_size(part);
    at[4] = q_group_all(part, i < 100);
    at[5] = q_group_any(part, i == 100);
    at[6] = (q_i32)q_group_ballot(part, i % 3 == 0);
    at[7] = q_group_size(q_group_lanes()) > 0;
    at[8] = q_group_size(q_group_of_block(70, 75));
    q_group_sync(all);
    at[9] = at[10] = at[11] = 0;
    if (i % 2 == 1) {{
        const q_u32 odd = Q_WARP_SIZE == 1 ? 1u : 0xaaaaaaaau;
        at[9] = q_group_rank(odd);
        at[10] = q_group_shuffle_i32(odd, i, 3);
        at[11] = (q_i32)q_group_ballot(odd, i % 4 == 1);
    }}
"
    );
    for (k, t) in TYPES.iter().enumerate() {
        let k = PLAIN + k * TYPED;
        let mut result = |k: usize, call: String| text.push_str(&format!("    at[{k}] = (q_i32){call};\n"));
        result(k, format!("q_group_shuffle_{t}(part, (q_{t})i, 2)"));
        result(k + 1, format!("q_group_shuffle_{t}(part, (q_{t})i, -1)"));
        result(k + 2, format!("q_group_shuffle_up_{t}(part, (q_{t})i, 1)"));
        result(k + 3, format!("q_group_shuffle_down_{t}(part, (q_{t})i, 3)"));
        result(k + 4, format!("q_group_shuffle_xor_{t}(part, (q_{t})i, 4)"));
        result(k + 5, format!("q_group_match_any_{t}(part, (q_{t})(i % 3))"));
        result(k + 6, format!("q_group_match_all_{t}(part, (q_{t})(i / 16))"));
        result(k + 7, format!("q_group_match_all_{t}(part, (q_{t})i)"));
    }
    text + "}\n"
}

/// The bits of those of a part's `size` threads, from `first` on, for which something holds.
fn bits(first: i32, size: i32, holds: impl Fn(i32) -> bool) -> i32 {
    (0..size).filter(|k| holds(first + k)).fold(0, |bits, k| bits | 1 << k)
}

/// What thread `i` finds, with warps of so many threads.
fn expected(i: i32, warp: i32) -> Vec<i32> {
    let (rank, size) = (i % warp.min(8), warp.min(8));
    let first = i - rank;
    let of = |source: i32| if (0..size).contains(&source) { first + source } else { i };
    let all = (0..size).all(|k| first + k < 100);
    let any = (0..size).any(|k| first + k == 100);
    let last = if warp == 1 { 1 } else { 11 };
    let mut found = vec![i % warp, warp, rank, size, all.into(), any.into()];
    found.extend([bits(first, size, |j| j % 3 == 0), 1, last]);
    found.extend(match (i % 2, warp) {
        (0, _) => [0, 0, 0],
        (_, 1) => [0, i, (i % 4 == 1).into()],
        _ => [i % 32 / 2, i / 32 * 32 + 7, 0x5555],
    });
    for _ in TYPES {
        found.extend([of(2), i, of(rank - 1), of(rank + 3), of(rank ^ 4)]);
        found.push(bits(first, size, |j| j % 3 == i % 3));
        found.extend([bits(first, size, |_| true), (size == 1).into()]);
    }
    found
}

pub(crate) fn cases() -> Vec<Case> {
    let job = Job { text: text(), buffers: vec![vec![0; 4 * RESULTS * THREADS]], threads: THREADS };
    let check = Box::new(|buffers: &[Vec<u8>], dialect: Dialect| {
        let warp = if dialect == Dialect::Cuda { 32 } else { 1 };
        let mut mistakes = Mistakes::default();
        let got = crate::job::decode(&buffers[0], ElementType::Int32, RESULTS * THREADS);
        for (i, got) in got.chunks(RESULTS).enumerate() {
            let got: Vec<i32> = got.iter().map(|value| value.as_f64() as i32).collect();
            let want = expected(i as i32, warp);
            mistakes.expect(got == want, || format!("thread {i}: {got:?}, not {want:?}"));
        }
        mistakes.result()
    });
    vec![Case { name: "groups".to_owned(), job, check }]
}
