//! Sequential loops in typed Quasar and in Rust, with each result compared.
//!
//! `cargo bench --bench host [FILTER]`: one thread, median and minimum of fifteen runs each in milliseconds; the two
//! sides alternate. The Rust side is idiomatic: slices, with bounds checks where the compiler keeps them. Both are
//! compiled for the baseline target, except what the Quasar compiler turns into a kernel.

use quasar::{Array, Result};
use std::hint::black_box;
use std::time::Instant;

mod program {
    quasar::quasar!(
        #![quiet]
        r#"
function [] = decay(x : vec, a : scalar)
    {!serial for}
    for i = 1..numel(x)-1
        x[i] = a * x[i] + (1 - a) * x[i-1]
    end
end

function best : int = collatz(limit : int)
    best = 0
    {!serial for}
    for start = 1..limit
        n : int = start
        steps = 0
        while n != 1
            n = and(n, 1) == 0 ? shr(n, 1) : 3 * n + 1
            steps += 1
        end
        best = max(best, steps)
    end
end

function [] = integral(x : mat, y : mat)
    {!serial for}
    for m = 0..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s += x[m,n]
            y[m,n] = m > 0 ? s + y[m-1,n] : s
        end
    end
end

function d : int = distance(a : vec[int], b : vec[int], row : vec[int])
    for j = 0..numel(b)
        row[j] = j
    end
    {!serial for}
    for i = 1..numel(a)
        corner = row[0]
        row[0] = i
        for j = 1..numel(b)
            above = row[j]
            step = a[i-1] == b[j-1] ? corner : corner + 1
            row[j] = min(min(above, row[j-1]) + 1, step)
            corner = above
        end
    end
    d = row[numel(b)]
end

function n : int = reach(x : vec, limit : scalar)
    n = 0
    s = 0.0
    while n < numel(x) && s < limit
        s += x[n]
        n += 1
    end
end

function [] = sort(x : vec)
    i = 1
    while i < numel(x)
        v = x[i]
        j = i
        while j > 0 && x[j-1] > v
            x[j] = x[j-1]
            j -= 1
        end
        x[j] = v
        i += 1
    end
end

function s : int = random(count : int, seed : int)
    s = seed
    k = 0
    while k < count
        s = s * 1664525 + 1013904223
        s = xor(s, shr(s, 13))
        k += 1
    end
end
"#
    );
}

fn decay(x: &mut [f32], a: f32) {
    for i in 1..x.len() {
        x[i] = a * x[i] + (1.0 - a) * x[i - 1];
    }
}

fn collatz(limit: i32) -> i32 {
    let mut best = 0;
    for start in 1..=limit {
        let (mut n, mut steps) = (start, 0);
        while n != 1 {
            n = if n & 1 == 0 { n >> 1 } else { 3 * n + 1 };
            steps += 1;
        }
        best = best.max(steps);
    }
    best
}

fn integral(x: &[f32], y: &mut [f32], width: usize) {
    for m in 0..x.len() / width {
        let mut s = 0.0;
        for n in 0..width {
            s += x[m * width + n];
            y[m * width + n] = if m > 0 { s + y[(m - 1) * width + n] } else { s };
        }
    }
}

fn distance(a: &[i32], b: &[i32], row: &mut [i32]) -> i32 {
    for (j, place) in row.iter_mut().enumerate() {
        *place = j as i32;
    }
    for i in 1..=a.len() {
        let mut corner = row[0];
        row[0] = i as i32;
        for j in 1..=b.len() {
            let above = row[j];
            let step = if a[i - 1] == b[j - 1] { corner } else { corner + 1 };
            row[j] = (above.min(row[j - 1]) + 1).min(step);
            corner = above;
        }
    }
    row[b.len()]
}

fn reach(x: &[f32], limit: f32) -> i32 {
    let (mut n, mut s) = (0, 0.0);
    while n < x.len() && s < limit {
        s += x[n];
        n += 1;
    }
    n as i32
}

fn sort(x: &mut [f32]) {
    let mut i = 1;
    while i < x.len() {
        let v = x[i];
        let mut j = i;
        while j > 0 && x[j - 1] > v {
            x[j] = x[j - 1];
            j -= 1;
        }
        x[j] = v;
        i += 1;
    }
}

fn random(count: i32, seed: i32) -> i32 {
    let (mut s, mut k) = (seed, 0);
    while k < count {
        s = s.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        s ^= s >> 13;
        k += 1;
    }
    s
}

const RUNS: usize = 15;

/// Runs both sides alternately and prints median and minimum of each, and the ratio of the minima, which other
/// processes disturb least.
fn compare<T: PartialEq + std::fmt::Debug>(
    name: &str,
    mut quasar: impl FnMut() -> Result<T>,
    mut rust: impl FnMut() -> T,
) -> Result<()> {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    if !name.contains(filter.as_str()) {
        return Ok(());
    }
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..=RUNS {
        let start = Instant::now();
        let ours = black_box(quasar()?);
        let between = Instant::now();
        let theirs = black_box(rust());
        let end = Instant::now();
        assert_eq!(ours, theirs, "{name}");
        if round > 0 {
            times[0].push((between - start).as_secs_f64() * 1e3);
            times[1].push((end - between).as_secs_f64() * 1e3);
        }
    }
    for list in &mut times {
        list.sort_by(f64::total_cmp);
    }
    let [ours, theirs] = &times;
    println!(
        "{name:20} {:8.3} {:8.3} | {:8.3} {:8.3} | {:6.2}",
        ours[RUNS / 2],
        ours[0],
        theirs[RUNS / 2],
        theirs[0],
        ours[0] / theirs[0]
    );
    Ok(())
}

fn main() -> Result<()> {
    let mut state = 1_u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    println!(
        "{:20} {:>8} {:>8} | {:>8} {:>8} | {:>6}",
        "one thread; ms", "Quasar", "least", "Rust", "least", "ratio"
    );

    let mut x: Vec<f32> = (0..1 << 20).map(|_| next() as f32 / 65536.0).collect();
    let vector = Array::from_slice(&[x.len()], &x)?;
    compare(
        "recurrence",
        || program::decay(&vector, 0.25).map(|()| vector.read()[1 << 19]),
        || {
            decay(&mut x, 0.25);
            x[1 << 19]
        },
    )?;
    compare("collatz", || program::collatz(black_box(30_000)), || collatz(black_box(30_000)))?;

    let picture: Vec<f32> = (0..1 << 20).map(|_| (next() & 7) as f32).collect();
    let mut sums = vec![0.0; picture.len()];
    let image = Array::from_slice(&[1024, 1024], &picture)?;
    let table = Array::zeros(&[1024, 1024])?;
    compare(
        "prefix sums",
        || program::integral(&image, &table).map(|()| table.read()[(1 << 20) - 1]),
        || {
            integral(&picture, &mut sums, 1024);
            sums[(1 << 20) - 1]
        },
    )?;

    let words: [Vec<i32>; 2] = std::array::from_fn(|_| (0..1500).map(|_| (next() & 3) as i32).collect());
    let mut row = vec![0; 1501];
    let (a, b) = (Array::from_slice(&[1500], &words[0])?, Array::from_slice(&[1500], &words[1])?);
    let line = Array::zeros(&[1501])?;
    compare(
        "edit distance",
        || program::distance(&a, &b, &line),
        || distance(&words[0], &words[1], &mut row),
    )?;

    let ones = vec![1.0_f32; 1 << 20];
    let steps = Array::from_slice(&[ones.len()], &ones)?;
    compare("while over a vector", || program::reach(&steps, 1e6), || reach(&ones, 1e6))?;

    let unsorted: Vec<f32> = (0..3000).map(|_| next() as f32).collect();
    let (mut copy, ours) = (unsorted.clone(), Array::from_slice(&[3000], &unsorted)?);
    compare(
        "insertion sort",
        || {
            ours.write().copy_from_slice(&unsorted);
            program::sort(&ours).map(|()| ours.read().to_vec())
        },
        || {
            copy.copy_from_slice(&unsorted);
            sort(&mut copy);
            copy.clone()
        },
    )?;
    compare("numbers only", || program::random(black_box(1 << 20), 1), || random(black_box(1 << 20), 1))
}
