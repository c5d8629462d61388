//! Atomic changes by many threads at once: the results and the old values are those of some order of the threads.

use crate::job::{BLOCK, Case, Job, Mistakes, decode, encode, merged, suffix};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::ops;

const THREADS: usize = 2048;
/// Blocks that each change shared memory of their own.
const BLOCKS: usize = 2;
/// Neighbouring elements that are changed, so that small ones share a word.
const CELLS: usize = 8;

/// A change whose order does not matter: the start, the value of each thread, and the arguments that are the same in any
/// order (nothing when it takes too long).
struct Change {
    row: &'static str,
    start: i64,
    /// The value of a thread as C, by its number `i`, and the same here.
    value: (&'static str, fn(i64) -> f64),
}

const CHANGES: &[Change] = &[
    Change { row: "add", start: 0, value: ("1", |_| 1.0) },
    Change { row: "subtract", start: 100, value: ("1", |_| 1.0) },
    Change { row: "multiply", start: 3, value: ("i < 40 ? 2 : 1", |i| if i < 40 { 2.0 } else { 1.0 }) },
    Change { row: "divide", start: 96, value: ("i < 40 ? 2 : 1", |i| if i < 40 { 2.0 } else { 1.0 }) },
    Change { row: "min", start: 99, value: ("127 - i % 90", |i| (127 - i % 90) as f64) },
    Change { row: "max", start: 7, value: ("i % 90", |i| (i % 90) as f64) },
    Change {
        row: "and",
        start: 127,
        value: ("i % 32 == 5 ? 0x5b : 0x7f", |i| if i % 32 == 5 { 91.0 } else { 127.0 }),
    },
    Change { row: "or", start: 8, value: ("1 << i % 6", |i| (1 << (i % 6)) as f64) },
    Change { row: "xor", start: 5, value: ("i % 100", |i| (i % 100) as f64) },
    Change { row: "power", start: 2, value: ("i < 8 ? 3 : 1", |i| if i < 8 { 3.0 } else { 1.0 }) },
];

/// Whether kernels change elements of a type so.
fn changes(ty: ElementType) -> Vec<&'static Change> {
    let exists = |change: &&Change| {
        let parts = matches!(change.row, "add" | "subtract");
        ops::find(change.row).is_some_and(|row| row.domain.contains(ty)) && (!ty.is_complex() || parts)
    };
    CHANGES.iter().filter(exists).collect()
}

/// The statements that change the cells, which are `cells[0..]` of global or shared memory, and keep the old values.
fn statements(ty: ElementType, shared: &str) -> String {
    let t = suffix(ty);
    let mut text = String::new();
    for (k, change) in changes(ty).iter().enumerate() {
        let (row, value) = (change.row, change.value.0);
        let place = format!("cells + {} + i % {CELLS}", k * CELLS);
        let value = format!("q_to_{t}_from_i32({value})");
        let number = k * THREADS;
        text += &format!("    olds[{number} + i] = q_atomic_{row}{shared}_{t}({place}, {value});\n");
    }
    let place = format!("cells + {} + i % {CELLS}", changes(ty).len() * CELLS);
    let number = changes(ty).len() * THREADS;
    let value = format!("q_to_{t}_from_i32(i % 101 + 1)");
    text += &format!("    olds[{number} + i] = q_exchange{shared}_{t}({place}, {value});\n");
    if !ty.is_complex() {
        let place = format!("cells + {} + i % {CELLS}", (changes(ty).len() + 1) * CELLS);
        text += &format!(
            "    q_{t} seen = q_zero_{t}();
    for (;;) {{
        const q_{t} old = q_compare_exchange{shared}_{t}({place}, seen, q_add_{t}(seen, q_one_{t}()));
        if (q_equal_{t}(old, seen)) break;
        seen = old;
    }}\n"
        );
    } else {
        let place = format!("cells + {}", (changes(ty).len() + 1) * CELLS);
        text +=
            &format!("    if (i == 0) q_compare_exchange{shared}_{t}({place}, q_zero_{t}(), q_one_{t}());\n");
        text += &format!(
            "    if (i == 0) q_compare_exchange{shared}_{t}({place} + 1, q_one_{t}(), q_one_{t}());\n"
        );
    }
    text
}

/// The groups of cells: one for each change, then those of exchanges and of compared exchanges.
fn start(ty: ElementType) -> Vec<Scalar> {
    let starts = changes(ty).iter().map(|change| change.start).chain([0, 0]).collect::<Vec<_>>();
    starts.iter().flat_map(|&x| [Scalar::from_i64(x, ty); CELLS]).collect()
}

fn in_global_memory(ty: ElementType) -> Job {
    let t = suffix(ty);
    let text = format!(
        "Q_KERNEL void run(Q_GLOBAL q_{t} *cells, Q_GLOBAL q_{t} *olds) {{
    const q_i32 i = Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0);
{}}}
",
        statements(ty, "")
    );
    let olds = vec![0; ty.size() * THREADS * (changes(ty).len() + 1)];
    Job { text, buffers: vec![encode(&start(ty)), olds], threads: THREADS }
}

/// One kernel for several types, because only kernels have shared memory.
fn in_shared_memory(types: &[ElementType]) -> Job {
    let (mut parts, mut parameters, mut body, mut buffers) =
        (String::new(), Vec::new(), String::new(), Vec::new());
    for &ty in types {
        let t = suffix(ty);
        let (count, kept) = (start(ty).len(), THREADS * (changes(ty).len() + 1));
        let changed = statements(ty, "_shared");
        parts += &format!(
            "Q_FN void part_{t}(Q_SHARED q_{t} *cells, Q_GLOBAL q_{t} *olds, q_i32 i) {{\n{changed}}}\n"
        );
        parameters.push(format!("Q_GLOBAL q_{t} *all_{t}, Q_GLOBAL q_{t} *olds_{t}"));
        body += &format!(
            "    Q_SHARED_DECL q_{t} cells_{t}[{count}];
    for (q_i32 k = i; k < {count}; k += Q_BLOCK_DIM(0)) cells_{t}[k] = all_{t}[Q_BLOCK(0) * {count} + k];
    Q_BARRIER();
    part_{t}(cells_{t}, olds_{t} + Q_BLOCK(0) * {kept}, i);
    Q_BARRIER();
    for (q_i32 k = i; k < {count}; k += Q_BLOCK_DIM(0)) all_{t}[Q_BLOCK(0) * {count} + k] = cells_{t}[k];
"
        );
        buffers.push(encode(&start(ty).repeat(BLOCKS)));
        buffers.push(vec![0; ty.size() * kept * BLOCKS]);
    }
    let parameters = parameters.join(", ");
    let text =
        format!("{parts}Q_KERNEL void run({parameters}) {{\n    const q_i32 i = Q_THREAD(0);\n{body}}}\n");
    Job { text, buffers, threads: BLOCK * BLOCKS }
}

/// Numbers in an order that does not depend on that of the threads.
fn sorted(values: impl Iterator<Item = Scalar>) -> Vec<String> {
    let mut shown: Vec<String> = values.map(|x| format!("{x:?}")).collect();
    shown.sort();
    shown
}

/// Judges one group of cells after `threads` threads of one memory.
fn check_memory(ty: ElementType, cells: &[Scalar], olds: &[Scalar], threads: usize, mistakes: &mut Mistakes) {
    let convert = |x: f64| Scalar::from_i64(x as i64, ty);
    let of_cell = |cell: usize| (cell..threads).step_by(CELLS);
    for (k, change) in changes(ty).iter().enumerate() {
        let eval = ops::find(change.row).expect("the change is a row").eval;
        for cell in 0..CELLS {
            let (mut value, mut want_olds) = (Scalar::from_i64(change.start, ty), Vec::new());
            for i in of_cell(cell) {
                want_olds.push(value);
                value = eval(&[value, convert((change.value.1)(i as i64))]);
            }
            let got = cells[k * CELLS + cell];
            mistakes.expect(got == value, || format!("{} gives {got:?}, not {value:?}", change.row));
            let got_olds = of_cell(cell).map(|i| olds[k * THREADS + i]);
            // Threads that change by the same value leave the same old values in any order.
            if !ty.is_complex() && matches!(change.row, "add" | "subtract") {
                let (got, want) = (sorted(got_olds), sorted(want_olds.into_iter()));
                mistakes
                    .expect(got == want, || format!("old values of {}: {got:?}, not {want:?}", change.row));
            }
        }
    }
    let group = changes(ty).len();
    for cell in 0..CELLS {
        // Every value that went in came out once, or is still there.
        let out = of_cell(cell).map(|i| olds[group * THREADS + i]).chain([cells[group * CELLS + cell]]);
        let into = of_cell(cell).map(|i| Scalar::from_i64(i as i64 % 101 + 1, ty)).chain([Scalar::zero(ty)]);
        let parts = |values: Vec<Scalar>| {
            let real = values.iter().map(|x| if ty.is_complex() { Scalar::F64(x.as_f64()) } else { *x });
            sorted(real)
        };
        let (got, want) = (parts(out.collect()), parts(into.collect()));
        mistakes.expect(got == want, || format!("exchanged {got:?}, not {want:?}"));
        let last = cells[(group + 1) * CELLS + cell];
        let count = if ty.is_complex() { i64::from(cell == 0) } else { of_cell(cell).count() as i64 };
        let want = Scalar::from_i64(count, ty);
        mistakes.expect(last == want, || format!("compared exchanges left {last:?}, not {want:?}"));
    }
}

/// Judges the cells of so many memories, each changed by so many threads.
fn check(ty: ElementType, buffers: &[Vec<u8>], memories: usize, threads: usize, mistakes: &mut Mistakes) {
    let (group, kept) = (start(ty).len(), THREADS * (changes(ty).len() + 1));
    let cells = decode(&buffers[0], ty, group * memories);
    let olds = decode(&buffers[1], ty, kept * memories);
    for k in 0..memories {
        check_memory(ty, &cells[k * group..], &olds[k * kept..], threads, mistakes);
    }
}

fn global_case(ty: ElementType) -> Case {
    let judge = move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        check(ty, buffers, 1, THREADS, &mut mistakes);
        mistakes.result()
    };
    Case { name: suffix(ty).to_owned(), job: in_global_memory(ty), check: Box::new(judge) }
}

fn shared_case(name: &str, types: &[ElementType]) -> Case {
    let kept = types.to_vec();
    let judge = move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        for (ty, buffers) in kept.iter().zip(buffers.chunks(2)) {
            check(*ty, buffers, BLOCKS, BLOCK, &mut mistakes);
        }
        mistakes.result()
    };
    Case { name: format!("shared_{name}"), job: in_shared_memory(types), check: Box::new(judge) }
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let group = |ty: ElementType| match ty {
        _ if ty.is_complex() => "atomics_of_complex",
        _ if ty.is_float() => "atomics_of_floats",
        _ if ty.bits() < 32 => "atomics_of_small",
        _ => "atomics_of_integers",
    };
    for name in ["atomics_of_small", "atomics_of_integers", "atomics_of_floats", "atomics_of_complex"] {
        let types: Vec<_> = ElementType::ALL.iter().copied().filter(|&ty| group(ty) == name).collect();
        cases.push(merged(name, types.iter().map(|&ty| global_case(ty)).collect()));
        cases.push(shared_case(name, &types));
    }
    cases
}
