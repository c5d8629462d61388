//! Sweeps every approximated function over its range against the standard library in double precision, on every
//! instruction set of this processor, and holds the error under the bound that its row states.

use quasar_devicelib::isa::{Body, Isa, Level, detected, dispatch_on};
use quasar_devicelib::ops;

/// Points per function and range.
const POINTS: u32 = 100_000;

/// Inputs spread over a range: evenly, and evenly in their exponents.
fn inputs(low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..POINTS).flat_map(move |i| {
        // Steps by the golden ratio hit all mantissas.
        let t = (f64::from(i) * 0.618_033_988_749_894_9).fract();
        let largest = low.abs().max(high.abs());
        let smallest = if low > 0.0 { low } else { largest * 1.0e-9 };
        let size = (smallest.ln() + t * (largest.ln() - smallest.ln())).exp();
        let spread = if low < 0.0 && i % 2 == 0 { -size } else { size };
        [low + t * (high - low), spread.clamp(low, high)]
    })
}

fn ulps_single(got: f32, want: f64) -> f64 {
    if want.abs() >= f64::from(f32::MAX) || got.is_nan() && want.is_nan() {
        let rounded = want as f32;
        return if got == rounded || got.is_nan() && want.is_nan() || got == f32::MAX {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let exponent = (want.abs().log2().floor() as i32).clamp(-126, 127);
    (f64::from(got) - want).abs() / 2.0_f64.powi(exponent - 23)
}

fn ulps_double(got: f64, want: f64) -> f64 {
    if got == want || got.is_nan() && want.is_nan() {
        return 0.0;
    }
    let exponent = (want.abs().log2().floor() as i32).clamp(-1022, 1023);
    (got - want).abs() / 2.0_f64.powi(exponent - 50) * 4.0
}

/// The largest errors and where they are.
type Worst = [(f64, f64, f64); 2];

macro_rules! sweep {
    ($name:literal, $function:ident($x:ident $(, $y:ident)?), $low:expr, $high:expr, $reference:expr $(, $y_low:expr, $y_high:expr)?) => {{
        #[derive(Clone, Copy)]
        struct Run;
        impl Body for Run {
            type Output = Worst;

            #[inline(always)]
            fn run<I: Isa>(self) -> Worst {
                let mut worst: Worst = [(0.0, 0.0, 0.0); 2];
                let (_y_low, _y_high) = (0.0, 0.0);
                $(let (_y_low, _y_high): (f64, f64) = ($y_low, $y_high); let _ = stringify!($y);)?
                let reference: fn(f64, f64) -> f64 = $reference;
                for (i, x) in inputs($low, $high).enumerate() {
                    let t = (i as f64 * 0.754_877_666_246_692_7).fract();
                    let y = _y_low + t * (_y_high - _y_low);
                    let ($x, _y) = (x as f32, y as f32);
                    $(let $y = _y;)?
                    let got = ops::$function::<I, f32>($x $(, $y)?);
                    let error = ulps_single(got, reference(f64::from(x as f32), f64::from(y as f32)));
                    if error > worst[0].0 || error.is_nan() {
                        worst[0] = (error, f64::from(x as f32), f64::from(y as f32));
                    }
                    let ($x, _y) = (x, y);
                    $(let $y = _y;)?
                    let error = ulps_double(ops::$function::<I, f64>($x $(, $y)?), reference(x, y));
                    if error > worst[1].0 || error.is_nan() {
                        worst[1] = (error, x, y);
                    }
                }
                worst
            }
        }
        check($name, Run);
    }};
}

fn check<B: Body<Output = Worst> + Copy>(name: &str, body: B) {
    let row = ops::find(name).unwrap();
    for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
        if level > detected() {
            continue;
        }
        let [single, double] = dispatch_on(level, body);
        println!(
            "{name:6} {level:?}: single {:.3} at {:?}, double {:.3} at {:?}",
            single.0,
            (single.1, single.2),
            double.0,
            (double.1, double.2)
        );
        assert!(single.0 <= f64::from(row.ulps.max(1)), "{name} {level:?} {single:?}");
        // The reference itself may be off by one, too.
        assert!(double.0 <= f64::from(row.ulps.max(1)) + 2.0, "{name} {level:?} {double:?}");
    }
}

#[test]
fn unary_functions_stay_within_their_bounds() {
    sweep!("exp", exp(x), -87.3, 88.7, |x, _| x.exp());
    sweep!("exp2", exp2(x), -126.0, 128.0, |x, _| x.exp2());
    sweep!("log", log(x), 1e-37, 3e+38, |x, _| x.ln());
    sweep!("log", log(x), 0.5, 2.0, |x, _| x.ln());
    sweep!("log2", log2(x), 1e-37, 3e+38, |x, _| x.log2());
    sweep!("log2", log2(x), 0.5, 2.0, |x, _| x.log2());
    sweep!("log10", log10(x), 1e-37, 3e+38, |x, _| x.log10());
    sweep!("log10", log10(x), 0.5, 2.0, |x, _| x.log10());
    sweep!("sqrt", sqrt(x), 1e-37, 3e+38, |x, _| x.sqrt());
    sweep!("rsqrt", rsqrt(x), 1e-37, 3e+38, |x, _| 1.0 / x.sqrt());
    sweep!("cbrt", cbrt(x), -3e+38, 3e+38, |x, _| x.cbrt());
    sweep!("sin", sin(x), -10.0, 10.0, |x, _| x.sin());
    sweep!("sin", sin(x), -100000.0, 100000.0, |x, _| x.sin());
    sweep!("cos", cos(x), -10.0, 10.0, |x, _| x.cos());
    sweep!("cos", cos(x), -1000000.0, 1000000.0, |x, _| x.cos());
    sweep!("tan", tan(x), -10.0, 10.0, |x, _| x.tan());
    sweep!("tan", tan(x), -100000.0, 100000.0, |x, _| x.tan());
    sweep!("asin", asin(x), -1.0, 1.0, |x, _| x.asin());
    sweep!("acos", acos(x), -1.0, 1.0, |x, _| x.acos());
    sweep!("atan", atan(x), -100.0, 100.0, |x, _| x.atan());
    sweep!("atan", atan(x), -1e+30, 1e+30, |x, _| x.atan());
    sweep!("sinh", sinh(x), -89.0, 89.0, |x, _| x.sinh());
    sweep!("cosh", cosh(x), -89.0, 89.0, |x, _| x.cosh());
    sweep!("tanh", tanh(x), -20.0, 20.0, |x, _| x.tanh());
    sweep!("asinh", asinh(x), -1e+30, 1e+30, |x, _| reference_asinh(x));
    sweep!("acosh", acosh(x), 1.0, 1e+30, |x, _| reference_acosh(x));
    sweep!("atanh", atanh(x), -0.999, 0.999, |x, _| reference_atanh(x));
}

#[test]
fn binary_functions_stay_within_their_bounds() {
    sweep!("pow", power(x, y), 1.0e-3, 1.0e3, |x, y| x.powf(y), -12.0, 12.0);
    sweep!("pow", power(x, y), 0.9, 1.1, |x, y| x.powf(y), -900.0, 900.0);
    sweep!("pow", power(x, y), 0.7, 1.45, |x, y| x.powf(y), -240.0, 240.0);
    sweep!("pow", power(x, y), 1.0e-30, 1.0, |x, y| x.powf(y), 0.1, 1.2);
    sweep!("pow", power(x, y), 1.0e-30, 1.0e30, |x, y| x.powf(y), -1.2, 1.2);
    sweep!("atan2", atan2(x, y), -100.0, 100.0, |x, y| x.atan2(y), -100.0, 100.0);
    sweep!("hypot", hypot(x, y), -100.0, 100.0, |x, y| x.hypot(y), -100.0, 100.0);
}

fn reference_asinh(x: f64) -> f64 {
    let a = x.abs();
    (a + a * a / (1.0 + (a * a + 1.0).sqrt())).ln_1p().copysign(x)
}

fn reference_acosh(x: f64) -> f64 {
    let t = x - 1.0;
    (t + (2.0 * t + t * t).sqrt()).ln_1p()
}

fn reference_atanh(x: f64) -> f64 {
    0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p().copysign(x)
}
