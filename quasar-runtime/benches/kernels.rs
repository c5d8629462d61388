//! Kernels in the form in which they are generated, beside plain hand-written loops for the same tasks.
//! `cargo bench -p quasar-runtime --bench kernels [FILTER]`; two threads, 4096x4096, median of nine runs.

use quasar_devicelib::isa::{self, Isa};
use quasar_devicelib::kernel::{
    Add, Band, ByteTables, Dump, Fault, Kernel, Line, Mirror, Tally, Task, View, add_byte, fold, part,
};
use quasar_devicelib::ops::{self};
use quasar_runtime::kernel::{Plan, launch};
use std::hint::black_box;
use std::time::Instant;

const N: usize = 4096;

// ------------------------------------------------------------------------------------------- generated: gamma
struct Gamma;

impl Kernel<2> for Gamma {
    type Args<'a> = (View<'a, f32, 2>, (Band<'a, f32, 2>, (f32, ())));
    type Sum = ();

    #[inline(always)]
    fn run<I: Isa>(args: Self::Args<'_>, task: Task<2>, fault: &Fault) {
        let (x, (mut y, (g, ()))) = args;
        let mut l0 = Line::new();
        let mut d0 = Dump::new();
        let width = x.extent(1).min(y.extent(1));
        for p in task.rows() {
            let edge = !x.has_row([p[0], 0]) | !y.has_row([p[0], 0]);
            for s in task.segments((0, width), edge) {
                let r0 = l0.fetch::<quasar_devicelib::kernel::Checked, 2>(&x, [p[0], s.start], s.len);
                let (w0, k0) = y.row([p[0], s.start], s.len, &mut d0);
                if s.edge {
                    Self::inner::<I, true>(s.len, p[0], s.start, fault, x, r0, w0, k0, g);
                } else {
                    Self::inner::<I, false>(s.len, p[0], s.start, fault, x, r0, w0, k0, g);
                }
            }
        }
    }

    fn merge(_: (), _: ()) {}
}

impl Gamma {
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "as generated")]
    fn inner<I: Isa, const EDGE: bool>(
        n: usize,
        p0: i32,
        c0: i32,
        fault: &Fault,
        x: View<'_, f32, 2>,
        r0: &[f32],
        w0: &mut [f32],
        k0: bool,
        g: f32,
    ) {
        let r0 = part(r0, 0, n);
        let w0 = &mut w0[..n];
        for i in 0..n {
            let p1 = c0.wrapping_add(i as i32);
            let t0 = if EDGE { x.checked([p0, p1], fault, ("x", 3)) } else { r0[i] };
            let t1 = 255.0_f32 * pow::<I>(t0 / 255.0_f32, g);
            if EDGE && !k0 {
                fault.out_of_bounds(("y", 3), &[p0, p1], &[]);
            }
            w0[i] = t1;
        }
    }
}

// ------------------------------------------------------------------------------------------- generated: box
struct Box3;

impl Kernel<2> for Box3 {
    type Args<'a> = (View<'a, f32, 2>, (Band<'a, f32, 2>, ()));
    type Sum = ();

    #[inline(always)]
    fn run<I: Isa>(args: Self::Args<'_>, task: Task<2>, _: &Fault) {
        let (x, (mut y, ())) = args;
        let (mut l0, mut l1, mut l2) = (Line::new(), Line::new(), Line::new());
        let mut d0 = Dump::new();
        for p in task.rows() {
            for s in task.segments((1, x.extent(1).wrapping_sub(1).min(y.extent(1))), false) {
                let r0 =
                    l0.fetch::<Mirror, 2>(&x, [p[0].wrapping_sub(1), s.start.wrapping_sub(1)], s.len + 2);
                let r1 = l1.fetch::<Mirror, 2>(&x, [p[0], s.start.wrapping_sub(1)], s.len + 2);
                let r2 =
                    l2.fetch::<Mirror, 2>(&x, [p[0].wrapping_add(1), s.start.wrapping_sub(1)], s.len + 2);
                let (w0, _) = y.row([p[0], s.start], s.len, &mut d0);
                Self::inner::<I>(
                    s.len,
                    w0,
                    part(r0, 0, s.len),
                    part(r0, 1, s.len),
                    part(r0, 2, s.len),
                    part(r1, 0, s.len),
                    part(r1, 1, s.len),
                    part(r1, 2, s.len),
                    part(r2, 0, s.len),
                    part(r2, 1, s.len),
                    part(r2, 2, s.len),
                );
            }
        }
    }

    fn merge(_: (), _: ()) {}
}

impl Box3 {
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "as generated")]
    fn inner<I: Isa>(
        n: usize,
        w0: &mut [f32],
        a0: &[f32],
        a1: &[f32],
        a2: &[f32],
        b0: &[f32],
        b1: &[f32],
        b2: &[f32],
        e0: &[f32],
        e1: &[f32],
        e2: &[f32],
    ) {
        let (w0, a0, a1, a2) = (&mut w0[..n], &a0[..n], &a1[..n], &a2[..n]);
        let (b0, b1, b2, e0, e1, e2) = (&b0[..n], &b1[..n], &b2[..n], &e0[..n], &e1[..n], &e2[..n]);
        for i in 0..n {
            let mut v = 0.0_f32;
            v = ops::add::<I, _>(v, a0[i]);
            v = ops::add::<I, _>(v, a1[i]);
            v = ops::add::<I, _>(v, a2[i]);
            v = ops::add::<I, _>(v, b0[i]);
            v = ops::add::<I, _>(v, b1[i]);
            v = ops::add::<I, _>(v, b2[i]);
            v = ops::add::<I, _>(v, e0[i]);
            v = ops::add::<I, _>(v, e1[i]);
            v = ops::add::<I, _>(v, e2[i]);
            w0[i] = v / 9.0;
        }
    }
}

// ------------------------------------------------------------------------------------------- generated: sum
struct Sum;

impl Kernel<2> for Sum {
    type Args<'a> = (View<'a, f32, 2>, ());
    type Sum = (f32, ());

    #[inline(always)]
    fn run<I: Isa>(args: Self::Args<'_>, task: Task<2>, _: &Fault) -> Self::Sum {
        let (x, ()) = args;
        let mut l0 = Line::new();
        let mut a0 = [0.0_f32; 512];
        for p in task.rows() {
            for s in task.segments((0, x.extent(1)), false) {
                let r0 = l0.fetch::<Mirror, 2>(&x, [p[0], s.start], s.len);
                for b in (0..s.len).step_by(512) {
                    Self::inner::<I>((s.len - b).min(512), &mut a0, &r0[b..]);
                }
            }
        }
        (fold(a0, ops::add::<I, _>), ())
    }

    fn merge(a: Self::Sum, b: Self::Sum) -> Self::Sum {
        (ops::add::<isa::Baseline, _>(a.0, b.0), ())
    }
}

impl Sum {
    #[inline(always)]
    fn inner<I: Isa>(n: usize, a0: &mut [f32; 512], r0: &[f32]) {
        let (a0, r0) = (&mut a0[..n], &r0[..n]);
        for i in 0..n {
            let mut v0 = a0[i];
            v0 = ops::add::<I, _>(v0, r0[i]);
            a0[i] = v0;
        }
    }
}

// ------------------------------------------------------------------------------------------- generated: histogram
struct Histogram;

impl Kernel<2> for Histogram {
    type Args<'a> = (View<'a, u8, 2>, (&'a Tally<'a, f32, Add, 1>, ()));
    type Sum = ();

    #[inline(always)]
    fn run<I: Isa>(args: Self::Args<'_>, task: Task<2>, _: &Fault) {
        let (x, (h, ())) = args;
        let mut h = h.open_bytes(&task);
        let h = h.tables();
        let mut l0 = Line::new();
        for p in task.rows() {
            for s in task.segments((0, x.extent(1)), false) {
                let r0 = l0.fetch::<Mirror, 2>(&x, [p[0], s.start], s.len);
                Self::inner(s.len, r0, h);
            }
        }
    }

    fn merge(_: (), _: ()) {}
}

impl Histogram {
    #[inline(always)]
    fn inner(n: usize, r0: &[u8], h: &mut ByteTables<f32>) {
        for (i, byte) in r0[..n].iter().enumerate() {
            add_byte::<_, Add>(h, i, *byte, 1.0);
        }
    }
}

// ------------------------------------------------------------------------------------------- generated: 31 taps
macro_rules! taps {
    ($use:ident $($extra:tt)*) => { $use! { $($extra)* 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 } };
}

struct Vertical;
macro_rules! vertical {
    ($($k:literal)*) => {
        impl Kernel<2> for Vertical {
            type Args<'a> = (View<'a, f32, 2>, (Band<'a, f32, 2>, (View<'a, f32, 1>, ())));
            type Sum = ();

            #[inline(always)]
            fn run<I: Isa>(args: Self::Args<'_>, task: Task<2>, _: &Fault) {
                let (x, (mut y, (w, ()))) = args;
                let u = [$(w.get::<quasar_devicelib::kernel::Safe>([$k])),*];
                let mut lines: [Line<f32>; 31] = std::array::from_fn(|_| Line::new());
                let mut d0 = Dump::new();
                for task in task.blocks(BLOCK) {
                for p in task.rows() {
                    for s in task.segments((0, x.extent(1).min(y.extent(1))), false) {
                        let mut k = -16;
                        let rows: [&[f32]; 31] = lines.each_mut().map(|l| { k += 1; l.fetch::<Mirror, 2>(&x, [p[0].wrapping_add(k), s.start], s.len) });
                        let (w0, _) = y.row([p[0], s.start], s.len, &mut d0);
                        taps31::<I>(s.len, w0, $(part(rows[$k], 0, s.len),)* &u);
                    }
                }
                }
            }

            fn merge(_: (), _: ()) {}
        }
    };
}
const BLOCK: i32 = 1024;
taps!(vertical);

struct Horizontal;
macro_rules! horizontal {
    ($($k:literal)*) => {
        impl Kernel<2> for Horizontal {
            type Args<'a> = (View<'a, f32, 2>, (Band<'a, f32, 2>, (View<'a, f32, 1>, ())));
            type Sum = ();

            #[inline(always)]
            fn run<I: Isa>(args: Self::Args<'_>, task: Task<2>, _: &Fault) {
                let (x, (mut y, (w, ()))) = args;
                let u = [$(w.get::<quasar_devicelib::kernel::Safe>([$k])),*];
                let mut line = Line::new();
                let mut d0 = Dump::new();
                for p in task.rows() {
                    for s in task.segments((15, x.extent(1).min(y.extent(1)) - 15), false) {
                        let row = line.fetch::<Mirror, 2>(&x, [p[0], s.start.wrapping_sub(15)], s.len + 30);
                        let (w0, _) = y.row([p[0], s.start], s.len, &mut d0);
                        taps31::<I>(s.len, w0, $(part(row, $k, s.len),)* &u);
                    }
                }
            }

            fn merge(_: (), _: ()) {}
        }
    };
}
taps!(horizontal);

macro_rules! inner31 {
    ($($name:ident $k:literal;)*) => {
        #[inline(always)]
        #[allow(clippy::too_many_arguments, reason = "as generated")]
        fn taps31<I: Isa>(n: usize, w0: &mut [f32], $($name: &[f32],)* u: &[f32; 31]) {
            let w0 = &mut w0[..n];
            $(let $name = &$name[..n];)*
            for i in 0..n {
                let mut v = 0.0_f32;
                $(v = quasar_devicelib::kernel::accumulate::<I, _>(v, u[$k], $name[i]);)*
                w0[i] = v;
            }
        }
    };
}
inner31! { r0 0; r1 1; r2 2; r3 3; r4 4; r5 5; r6 6; r7 7; r8 8; r9 9; r10 10; r11 11; r12 12; r13 13; r14 14; r15 15; r16 16; r17 17; r18 18; r19 19; r20 20; r21 21; r22 22; r23 23; r24 24; r25 25; r26 26; r27 27; r28 28; r29 29; r30 30; }

// ------------------------------------------------------------------------------------------- hand-written
struct ByHand<F>(F);
trait Rows {
    fn rows<I: Isa>(self);
}
impl<F: Rows> isa::Body for ByHand<F> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.0.rows::<I>();
    }
}

struct HandGamma<'a>(&'a [f32], &'a mut [f32], f32);
impl Rows for HandGamma<'_> {
    #[inline(always)]
    fn rows<I: Isa>(self) {
        for (y, x) in self.1.iter_mut().zip(self.0) {
            *y = 255.0 * pow::<I>(*x / 255.0, self.2);
        }
    }
}

struct HandBox<'a>(&'a [f32], &'a mut [f32], usize);
impl Rows for HandBox<'_> {
    #[inline(always)]
    fn rows<I: Isa>(self) {
        let mirror = |i: isize| {
            if i < 0 {
                (-1 - i) as usize
            } else if i as usize >= N {
                2 * N - 1 - i as usize
            } else {
                i as usize
            }
        };
        for (k, y) in self.1.chunks_exact_mut(N).enumerate() {
            let r = (self.2 + k) as isize;
            let [a, b, c] = [r - 1, r, r + 1].map(|r| &self.0[mirror(r) * N..][..N]);
            box_row(y, a, b, c);
        }
    }
}
#[inline(always)]
fn box_row(y: &mut [f32], a: &[f32], b: &[f32], c: &[f32]) {
    let at = |i: usize| a[i] + b[i] + c[i];
    y[0] = (at(0) + at(0) + at(1)) / 9.0;
    for ((y, a), (b, c)) in y[1..N - 1].iter_mut().zip(a.windows(3)).zip(b.windows(3).zip(c.windows(3))) {
        *y = (a[0] + a[1] + a[2] + b[0] + b[1] + b[2] + c[0] + c[1] + c[2]) / 9.0;
    }
    y[N - 1] = (at(N - 2) + at(N - 1) + at(N - 1)) / 9.0;
}

struct HandSum<'a>(&'a [f32]);
impl isa::Body for HandSum<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<I: Isa>(self) -> f64 {
        let mut total = 0.0;
        for block in self.0.chunks_exact(16384) {
            let mut a = [0f32; 128];
            for lanes in block.as_chunks::<128>().0 {
                for j in 0..128 {
                    a[j] += lanes[j];
                }
            }
            total += a.iter().map(|&v| f64::from(v)).sum::<f64>();
        }
        total
    }
}

fn hand_histogram(x: &[u8]) -> [u32; 256] {
    let mut h = [[0u32; 256]; 4];
    for bytes in x.as_chunks::<8>().0 {
        let a = u64::from_le_bytes(*bytes);
        for j in 0..8 {
            h[j & 3][((a >> (8 * j)) & 255) as usize] += 1;
        }
    }
    std::array::from_fn(|k| h.iter().map(|t| t[k]).sum())
}

#[inline(always)]
fn pow<I: Isa>(x: f32, g: f32) -> f32 {
    let fma = |a: f32, b: f32, c: f32| if I::FMA { a.mul_add(b, c) } else { a * b + c };
    let b = x.to_bits() as i32;
    let e = b.wrapping_sub(0x3f3504f3).wrapping_shr(23);
    let m = f32::from_bits(b.wrapping_sub(e.wrapping_shl(23)) as u32) - 1.0;
    let z = m * m;
    let mut p = 7.037_683_6E-2_f32;
    for k in [
        -1.151_461E-1,
        1.167_699_9E-1,
        -1.242_014_1E-1,
        1.424_932_3E-1,
        -1.666_805_8E-1,
        2.000_071_5E-1,
        -2.499_999_4E-1,
        3.333_333E-1,
    ] {
        p = fma(p, m, k);
    }
    let l = fma(p * z, m, -0.5 * z) + m;
    let t = (g * fma(l, std::f32::consts::LOG2_E, e as f32)).clamp(-126.0, 126.0);
    let r = t + 12_582_912.0;
    let f = t - (r - 12_582_912.0);
    let mut p = 1.535_336_2e-4_f32;
    for k in [1.339_887_4e-3, 9.618_437e-3, 5.550_332_5e-2, 2.402_264_8e-1, 6.931_472e-1, 1.0] {
        p = fma(p, f, k);
    }
    let v = f32::from_bits((p.to_bits() as i32).wrapping_add((r.to_bits() as i32).wrapping_shl(23)) as u32);
    if x > 0.0 { v } else { 0.0 }
}

// ------------------------------------------------------------------------------------------- harness
fn time(name: &str, filter: &str, mut f: impl FnMut()) {
    if !name.contains(filter) {
        return;
    }
    f();
    let mut times: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:24} {:9.3} ms  min {:9.3}", times[4], times[0]);
}

fn hand<F: Fn(usize, &mut [f32]) + Sync>(y: &mut [f32], rows: usize, first: usize, f: &F) {
    if rows <= 64 {
        return f(first, y);
    }
    let half = rows / 2;
    let (a, b) = y.split_at_mut(half * N);
    rayon::join(|| hand(a, half, first, f), || hand(b, rows - half, first + half, f));
}

fn main() {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    rayon::ThreadPoolBuilder::new().num_threads(2).build_global().expect("no other pool");
    let mut seed = 1_u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 24
    };
    let u: Vec<u8> = (0..N * N).map(|_| next() as u8).collect();
    let x: Vec<f32> = u.iter().map(|&v| f32::from(v)).collect();
    let mut y = vec![1.0_f32; N * N];
    let mut t = vec![1.0_f32; N * N];
    let dims = [N as i32; 2];
    let extents = [N, N];
    let plan = Plan { depth: 2, cost: 10 };
    let fault = Fault::new();
    let xv = || View::<f32, 2>::new(&x, &extents);

    time("gamma hand", &filter, || {
        hand(&mut y, N, 0, &|r, y| isa::dispatch(ByHand(HandGamma(&x[r * N..], y, 0.45))));
    });
    let check = y.clone();
    time("gamma generated", &filter, || {
        launch::<Gamma, 2>(dims, (xv(), (Band::new(&mut y, &extents), (0.45, ()))), plan, &fault);
    });
    assert!(y == check);
    time("box hand", &filter, || hand(&mut y, N, 0, &|r, y| isa::dispatch(ByHand(HandBox(&x, y, r)))));
    let check = y.clone();
    time("box generated", &filter, || {
        launch::<Box3, 2>(dims, (xv(), (Band::new(&mut y, &extents), ())), plan, &fault);
    });
    assert!(y.iter().zip(&check).all(|(a, b)| (a - b).abs() < 1e-3));
    time("sum hand", &filter, || {
        fn sum(x: &[f32]) -> f64 {
            if x.len() <= 64 * N {
                return isa::dispatch(HandSum(x));
            }
            let (a, b) = x.split_at(x.len() / 2);
            let (a, b) = rayon::join(|| sum(a), || sum(b));
            a + b
        }
        black_box(sum(&x));
    });
    time("sum generated", &filter, || {
        black_box(launch::<Sum, 2>(dims, (xv(), ()), plan, &fault));
    });
    time("histogram hand", &filter, || {
        let mut parts = [[0; 256]; 2];
        let (a, b) = u.split_at(u.len() / 2);
        let (p, q) = parts.split_at_mut(1);
        rayon::join(|| p[0] = hand_histogram(a), || q[0] = hand_histogram(b));
        black_box(parts);
    });
    let mut h = vec![0.0_f32; 256];
    time("histogram generated", &filter, || {
        let tally = Tally::new(&mut h, &[256]);
        launch::<Histogram, 2>(dims, (View::new(&u, &extents), (&tally, ())), plan, &fault);
        let _ = tally.finish();
    });
    let w: Vec<f32> = (0..31).map(|k| (-0.02 * (k as f32 - 15.0).powi(2)).exp() / 12.5).collect();
    let wv = || View::<f32, 1>::new(&w, &[31]);
    time("gauss vertical", &filter, || {
        launch::<Vertical, 2>(dims, (xv(), (Band::new(&mut t, &extents), (wv(), ()))), plan, &fault);
    });
    time("gauss horizontal", &filter, || {
        let tv = View::<f32, 2>::new(&t, &extents);
        launch::<Horizontal, 2>(dims, (tv, (Band::new(&mut y, &extents), (wv(), ()))), plan, &fault);
    });
    time("gauss one row", &filter, || {
        for _ in 0..1000 {
            launch::<Gamma, 2>(
                [1, 1],
                (View::new(&x[..1], &[1, 1]), (Band::new(&mut y[..1], &[1, 1]), (0.45, ()))),
                plan,
                &fault,
            );
        }
    });
    assert!(!fault.is_set());
}
