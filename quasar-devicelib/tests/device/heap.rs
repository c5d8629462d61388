//! Memory that threads take while they run: no two of them have the same bytes, all of it comes back, and there is an end.

use crate::job::{Case, Job, Mistakes};
use quasar_devicelib::device_text::heap::{page_bytes, word_bytes};

/// Words of pages, and threads that take them.
const WORDS: u32 = 64;
const THREADS: usize = 4096;
/// What each thread counts.
const RESULTS: usize = 4;

/// Threads take arrays of many sizes at once, fill them, look whether they hold what was written, and give them back.
fn stress() -> Case {
    let text = format!(
        "Q_KERNEL void run(Q_GLOBAL q_u32 *words, Q_GLOBAL q_u8 *pages, Q_GLOBAL q_u32 *out) {{
    const q_u32 i = (q_u32)(Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0));
    q_heap own;
    Q_PRIVATE q_heap *heap = &own;
    q_heap_begin(heap, words, pages, {WORDS}u, i);
    q_u32 wrong = 0, taken = 0, refused = 0, beyond = 0;
    for (q_u32 round = 0; round < 20u; ++round) {{
        const q_u32 page = heap->page, used = heap->used, size = heap->size;
        Q_GLOBAL q_u32 *before = 0;
        q_u32 last = 0;
        for (q_u32 k = 0; k < 6u; ++k) {{
            const q_u32 count = 1u + (i * 7u + round * 131u + k * 977u) % 900u;
            Q_GLOBAL q_u32 *p = (Q_GLOBAL q_u32 *)q_heap_bytes(heap, (q_u64)count * 4u);
            if (p == 0) {{ ++refused; before = 0; continue; }}
            ++taken;
            const q_u32 first = (q_u32)(((Q_GLOBAL q_u8 *)p - pages) / 4);
            if (first % 4u != 0 || first + count > {end}u) ++beyond;
            for (q_u32 n = 0; n < count; ++n) p[n] = i * 31u + k + round;
            if (before != 0)
                for (q_u32 n = 0; n < last; ++n)
                    if (before[n] != i * 31u + k - 1u + round) ++wrong;
            before = k % 2u == 0 ? p : 0;
            last = count;
        }}
        q_heap_release(heap, page, used, size);
    }}
    q_heap_end(heap);
    out[i * {RESULTS}] = wrong;
    out[i * {RESULTS} + 1] = taken;
    out[i * {RESULTS} + 2] = refused;
    out[i * {RESULTS} + 3] = beyond;
}}
",
        end = page_bytes(WORDS) / 4,
    );
    let buffers =
        vec![vec![0; word_bytes(WORDS)], vec![0xff; page_bytes(WORDS)], vec![0; THREADS * RESULTS * 4]];
    let check = Box::new(|buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        let free = buffers[0][..WORDS as usize * 4].iter().all(|byte| *byte == 0);
        mistakes.expect(free, || "pages were not given back".to_owned());
        let (mut taken, mut refused) = (0, 0);
        for (i, counts) in words(&buffers[2]).chunks_exact(RESULTS).enumerate() {
            mistakes.expect(counts[0] == 0 && counts[3] == 0, || format!("thread {i} found {counts:?}"));
            taken += counts[1];
            refused += counts[2];
        }
        // The pages are 2 MB for arrays of 44 MB: how many requests are refused depends on how many threads a device has
        // at the same time.
        let all = THREADS as u32 * 120;
        mistakes
            .expect(taken + refused == all && taken > all / 8, || format!("{taken} arrays taken of {all}"));
        mistakes.result()
    });
    Case { name: "heap".to_owned(), job: Job { text, buffers, threads: THREADS }, check }
}

/// One thread at a time: sizes, what is left, and what stays for the next array.
fn limits() -> Case {
    let text = "Q_KERNEL void run(Q_GLOBAL q_u32 *words, Q_GLOBAL q_u8 *pages, Q_GLOBAL q_u32 *out) {
    if (Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0) != 0) return;
    q_heap own;
    Q_PRIVATE q_heap *heap = &own;
    q_heap_begin(heap, words, pages, 2u, 0);
    out[0] = q_heap_bytes(heap, 32769u) == 0;
    Q_GLOBAL q_u8 *a = q_heap_bytes(heap, 32768u);
    out[1] = a == pages && words[0] == 0xffffffffu && words[1] == 0;
    Q_GLOBAL q_u8 *b = q_heap_bytes(heap, 1u), *c = q_heap_bytes(heap, 1000u);
    out[2] = b == pages + 32768 && c == b + 16 && words[1] == 1u;
    Q_GLOBAL q_u8 *d = q_heap_bytes(heap, 2049u);
    out[3] = d == pages + 32768 + 4096 && words[1] == 0xf1u;
    out[4] = q_heap_bytes(heap, 30000u) == 0;
    const q_u32 page = heap->page, used = heap->used, size = heap->size;
    q_heap_bytes(heap, 4096u);
    out[5] = words[1] == 0xff1u || words[1] == 0xff1u + 0xf000u;
    q_heap_release(heap, page, used, size);
    out[6] = words[1] == 0xf1u && heap->used == used;
    q_heap_release(heap, 0, 0, 0);
    out[7] = words[0] == 0xffffffffu && words[1] == 0 && heap->used == 0;
    out[8] = q_heap_bytes(heap, 20u) == pages;
    q_heap_end(heap);
    out[9] = words[0] == 0 && words[1] == 0 && q_heap_take(heap, 8u) == 32u && words[1] == 0xffu;
}
";
    let buffers = vec![vec![0; word_bytes(2)], vec![0; page_bytes(2)], vec![0; 40]];
    let check = Box::new(|buffers: &[Vec<u8>], _| {
        let found = words(&buffers[2]);
        if found == [1; 10] { Ok(()) } else { Err(format!("{found:?}")) }
    });
    Case { name: "heap_limits".to_owned(), job: Job { text: text.to_owned(), buffers, threads: 1 }, check }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect()
}

pub(crate) fn cases() -> Vec<Case> {
    vec![stress(), limits()]
}
