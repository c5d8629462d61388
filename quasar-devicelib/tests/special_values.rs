//! Zeros, infinities, NaN, subnormal and extreme values, against the standard library; functions that it lacks,
//! against tables.

use quasar_devicelib::isa::{Baseline, Body, Isa, Level, dispatch_on};
use quasar_devicelib::ops;

const EDGES: &[f64] = &[
    0.0,
    1.0e-320,
    1.0e-300,
    1.0e-45,
    1.0e-40,
    1.0e-20,
    1.0e-5,
    0.1,
    0.25,
    0.5,
    0.75,
    0.999,
    1.0,
    1.001,
    1.5,
    2.0,
    2.5,
    3.0,
    5.0,
    7.5,
    20.0,
    64.0,
    88.0,
    89.0,
    104.0,
    128.0,
    150.0,
    200.0,
    700.0,
    709.9,
    710.3,
    745.0,
    746.0,
    1023.0,
    1024.0,
    1075.0,
    65504.0,
    8388607.5,
    8388609.0,
    16777217.0,
    4.0e15,
    1.0e20,
    1.0e38,
    3.4e38,
    1.0e200,
    1.7e308,
    f64::INFINITY,
    f64::NAN,
];

fn edges() -> impl Iterator<Item = f64> {
    EDGES.iter().flat_map(|&x| [x, -x])
}

fn close(got: f64, want: f64, step: f64, smallest: f64) -> bool {
    if want.is_nan() || got.is_nan() {
        return want.is_nan() && got.is_nan();
    }
    let same_sign = got.is_sign_negative() == want.is_sign_negative();
    same_sign && (got == want || (got - want).abs() <= 4.0 * (want.abs() * step).max(smallest))
}

fn close_single(got: f32, want: f64) -> bool {
    close(f64::from(got), f64::from(want as f32), f64::from(f32::EPSILON), 1.5e-45)
}

fn close_double(got: f64, want: f64) -> bool {
    close(got, want, f64::EPSILON, 5.0e-324)
}

struct Edges;

impl Body for Edges {
    type Output = ();

    fn run<I: Isa>(self) {
        macro_rules! unary {
            ($($name:ident $reference:ident),* $(,)?) => {
                for x in edges() {
                    $({
                        let single = x as f32;
                        let (got, want) = (ops::$name::<I, f32>(single), f64::from(single).$reference());
                        assert!(close_single(got, want), "{} of single {single:e}: {got:e}, not {want:e}", stringify!($name));
                        let (got, want) = (ops::$name::<I, f64>(x), x.$reference());
                        assert!(close_double(got, want), "{} of double {x:e}: {got:e}, not {want:e}", stringify!($name));
                    })*
                }
            };
        }
        unary!(
            exp exp, exp2 exp2, log ln, log2 log2, log10 log10, sqrt sqrt, cbrt cbrt, asin asin, acos acos, atan atan,
            sinh sinh, cosh cosh, tanh tanh, floor floor, ceil ceil, round round, fix trunc, abs abs,
        );
        for x in edges().filter(|x| x.abs() >= 1.0 || x.abs() < 1.0e-4) {
            let got = ops::atanh::<I, f64>(x);
            assert!(close_double(got, x.atanh()), "atanh of {x:e}: {got:e}");
        }
        for x in edges() {
            for y in edges() {
                let (a, b) = (x as f32, y as f32);
                let (wide_a, wide_b) = (f64::from(a), f64::from(b));
                macro_rules! binary {
                    ($name:ident, $single:expr, $double:expr) => {
                        let got = ops::$name::<I, f32>(a, b);
                        let want = $single(wide_a, wide_b);
                        assert!(
                            close_single(got, want),
                            "{} of single {a:e} {b:e}: {got:e}, not {want:e}",
                            stringify!($name)
                        );
                        let (got, want) = (ops::$name::<I, f64>(x, y), $double(x, y));
                        assert!(
                            close_double(got, want),
                            "{} of double {x:e} {y:e}: {got:e}, not {want:e}",
                            stringify!($name)
                        );
                    };
                }
                binary!(power, f64::powf, f64::powf);
                binary!(atan2, f64::atan2, f64::atan2);
                binary!(hypot, f64::hypot, f64::hypot);
                if (a / b).abs() < 9.0e15 || (a / b).is_nan() {
                    binary!(rem, |a, b| a % b, |a, b| a % b);
                }
            }
        }
    }
}

#[test]
fn edge_values_follow_the_standard_functions() {
    for level in [Level::Baseline, Level::Avx512] {
        dispatch_on(level, Edges);
    }
}

#[test]
fn angles_far_out_stay_in_range() {
    for x in edges().chain([1.0e7, 1.0e9, 1.0e12, 1.0e16, 1.0e17, 3.0e38]) {
        for y in [
            ops::sin::<Baseline, f64>(x),
            ops::cos::<Baseline, f64>(x),
            f64::from(ops::sin::<Baseline, f32>(x as f32)),
        ] {
            assert!(y.abs() <= 1.0 || !(x as f32).is_finite() && y.is_nan(), "{x:e} {y}");
        }
    }
    assert!((ops::sin::<Baseline, f64>(1.0e9) - 1.0e9_f64.sin()).abs() < 1.0e-6);
    assert!(ops::sin::<Baseline, f32>(-0.0).is_sign_negative());
    assert!(ops::sin::<Baseline, f32>(f32::INFINITY).is_nan());
}

#[test]
fn modulo_is_floored_and_stays_inside() {
    let modulo = ops::modulo::<Baseline, f32>;
    assert_eq!((modulo(-1.0, 4.0), modulo(5.5, -2.0), modulo(7.0, 0.0)), (3.0, -0.5, 7.0));
    assert_eq!((modulo(-1.0, f32::INFINITY), modulo(1.0, f32::INFINITY)), (f32::INFINITY, 1.0));
    assert!(modulo(f32::INFINITY, 2.0).is_nan());
    assert_eq!(modulo(-1.0e-20, 4.0), 0.0);
    for x in edges() {
        for n in edges().filter(|n| *n != 0.0) {
            let (a, b) = (x as f32, n as f32);
            let got = modulo(a, b);
            if a.is_finite() && b.is_finite() && b != 0.0 {
                assert!(got == 0.0 || got.abs() < b.abs() && (got < 0.0) == (b < 0.0), "{a:e} {b:e} {got:e}");
            }
            let got = ops::modulo::<Baseline, f64>(x, n);
            if x.is_finite() && n.is_finite() {
                assert!(got == 0.0 || got.abs() < n.abs() && (got < 0.0) == (n < 0.0), "{x:e} {n:e} {got:e}");
            }
        }
    }
    for (x, n) in [(1.0e15, 3.0), (1.0e9, 7.0), (123456789.0, 0.3), (-5.0e8, 0.7)] {
        let (a, b) = (x as f32, n as f32);
        let want = f64::from(a).rem_euclid(f64::from(b)) as f32;
        assert_eq!(ops::modulo::<Baseline, f32>(a, b), want, "{x} {n}");
    }
}

#[test]
fn nan_loses_comparisons() {
    let nan = f32::NAN;
    assert_eq!((ops::min::<Baseline, _>(nan, 1.0), ops::min::<Baseline, _>(1.0, nan)), (1.0, 1.0));
    assert_eq!((ops::max::<Baseline, _>(nan, 1.0), ops::max::<Baseline, _>(1.0, nan)), (1.0, 1.0));
    assert!(ops::max::<Baseline, _>(nan, nan).is_nan());
    assert_eq!(ops::saturate::<Baseline, _>(nan), 0.0);
    assert_eq!(ops::clamp3::<Baseline, i32>(7, 1, 5), 5);
}

#[test]
fn error_functions_match_the_table() {
    let table = [
        (0.1, 0.112_462_916_018_284_9, 0.887_537_083_981_715),
        (0.5, 0.5204998778130465, 0.4795001221869535),
        (0.94, 0.816_271_018_976_062_5, 0.183_728_981_023_937_56),
        (0.96, 0.825_423_649_643_818_3, 0.174_576_350_356_181_74),
        (1.5, 0.9661051464753107, 0.033894853524689274),
        (3.0, 0.9999779095030014, 2.209049699858544e-05),
        (5.5, 0.9999999999999927, 7.357847917974398e-15),
        (9.0, 1.0, 4.13703174651381e-37),
        (20.0, 1.0, 5.395865611607901e-176),
        (26.0, 1.0, 5.663192408856143e-296),
    ];
    for (x, erf, erfc) in table {
        for (got, want) in [
            (ops::erf::<Baseline, f64>(x), erf),
            (ops::erf::<Baseline, f64>(-x), -erf),
            (ops::erfc::<Baseline, f64>(x), erfc),
            (ops::erfc::<Baseline, f64>(-x), 2.0 - erfc),
        ] {
            assert!(close_double(got, want), "{x}: {got:e} {want:e}");
        }
        assert!(close_single(
            ops::erfc::<Baseline, f32>(x as f32),
            ops::erfc::<Baseline, f64>(f64::from(x as f32))
        ));
    }
    assert_eq!(
        (ops::erf::<Baseline, f32>(f32::NEG_INFINITY), ops::erfc::<Baseline, f64>(f64::INFINITY)),
        (-1.0, 0.0)
    );
    assert!(
        ops::erf::<Baseline, f64>(f64::NAN).is_nan() && ops::erf::<Baseline, f64>(-0.0).is_sign_negative()
    );
}

#[test]
fn gamma_functions_match_the_table() {
    let table = [
        (0.001, 999.4237724845955, 6.907178885383853),
        (0.3, 2.9915689876875904, 1.0957979948180756),
        (0.5, 1.772453850905516, 0.5723649429247001),
        (1.5, 0.886226925452758, -0.12078223763524522),
        (2.5, 1.329340388179137, 0.2846828704729192),
        (4.2, 7.756689535793178, 2.0485556369605897),
        (7.7, 2769.8303623273137, 7.926541356269004),
        (33.3, 7.487577596522707e+35, 82.60372358165495),
        (100.25, 2.94846628183877e+156, 360.2845596377642),
        (170.6, 9.29599595350119e+305, 704.518037127998),
        (-0.5, -3.544907701811032, 1.2655121234846454),
        (-1.5, 2.363271801207355, 0.860047015376481),
        (-3.3, 0.4385173921987628, -0.8243558050174271),
        (-20.7, -1.9040507251043991e-19, -43.105_133_189_536_22),
        (-100.5, -3.353690819807679e-159, -364.90096830942735),
    ];
    for (x, gamma, lgamma) in table {
        let got = ops::gamma::<Baseline, f64>(x);
        assert!((got / gamma - 1.0).abs() < 5.0e-14, "gamma({x}): {got:e} {gamma:e}");
        let got = ops::lgamma::<Baseline, f64>(x);
        assert!((got - lgamma).abs() < 1.0e-14 * lgamma.abs().max(1.0), "lgamma({x}): {got:e} {lgamma:e}");
    }
    let mut factorial = 1.0;
    for n in 1..23 {
        assert_eq!(ops::gamma::<Baseline, f64>(f64::from(n)), factorial);
        factorial *= f64::from(n);
    }
    assert_eq!(ops::gamma::<Baseline, f32>(0.0), f32::INFINITY);
    assert!(ops::gamma::<Baseline, f32>(-2.0).is_nan());
    assert_eq!(ops::gamma::<Baseline, f32>(40.0), f32::INFINITY);
    assert_eq!(ops::gamma::<Baseline, f64>(-200.5), 0.0);
    assert_eq!(ops::lgamma::<Baseline, f32>(-2.0), f32::INFINITY);
    assert!(close_double(ops::lgamma::<Baseline, f64>(-5.0e-324), 744.4400719213812));
}

#[test]
fn below_one_there_is_no_inverse_hyperbolic_cosine() {
    for x in edges().filter(|x| *x < 1.0) {
        assert!(
            ops::acosh::<Baseline, f64>(x).is_nan() && ops::acosh::<Baseline, f32>(x as f32).is_nan(),
            "{x:e}"
        );
    }
    assert_eq!(ops::acosh::<Baseline, f64>(1.0), 0.0);
}
