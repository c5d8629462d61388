//! When a result of a device counts as that of the table of scalar functions.

use num_complex::Complex;
use quasar_devicelib::device_text::Dialect;
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::ops::{Row, TABLE};

/// The numbers that the library's own table of errors states for a function: the row's, then single and double
/// precision of CUDA and of OpenCL. Nothing for functions that are exact everywhere.
fn documented(symbol: &str) -> Option<[f64; 5]> {
    let lines = include_str!("../../device/math.h").lines().filter_map(|line| line.strip_prefix("//   "));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>()).find_map(|words| {
        let numbers = words.iter().position(|word| word.parse::<f64>().is_ok())?;
        if !words[..numbers].contains(&symbol) {
            return None;
        }
        let numbers: Vec<f64> = words[numbers..].iter().filter_map(|word| word.parse().ok()).collect();
        numbers.try_into().ok()
    })
}

/// The table in the library names the bounds of the rows as they are.
pub(crate) fn check_documentation() -> Result<(), String> {
    for row in TABLE.iter().filter(|row| row.ulps > 0) {
        let stated = documented(row.symbol).map(|numbers| numbers[0]);
        let computed_here = matches!(row.symbol, "powi" | "lerp" | "angle" | "abs");
        if stated != Some(f64::from(row.ulps)) && !computed_here {
            return Err(format!("{}: {stated:?} is stated, but it is {}", row.name, row.ulps));
        }
    }
    Ok(())
}

/// The difference that is allowed between the results of the device and of the row, in units of the last place.
fn allowed(row: &Row, ty: ElementType, dialect: Dialect) -> f64 {
    let other = match row.symbol {
        "angle" => "atan2",
        "abs" => "hypot",
        symbol => symbol,
    };
    let stated = documented(other).unwrap_or_default();
    let device = |double: usize| stated[double + if dialect == Dialect::Cuda { 1 } else { 3 }];
    let exact = row.ulps == 0 && stated == [0.0; 5];
    match ty {
        _ if exact => 0.0,
        // Singles that differ a little round to neighbours.
        ElementType::Half => 1.0,
        ElementType::Single => f64::from(row.ulps) + device(0),
        ElementType::Double => f64::from(row.ulps + 2) + device(1),
        // Computed in double precision.
        ElementType::ComplexSingle => 2.0,
        _ => 32.0,
    }
}

/// The distance between numbers of this size.
fn spacing(size: f64, ty: ElementType) -> f64 {
    let (digits, smallest) = match ty {
        ElementType::Half => (10, -14),
        ElementType::Single | ElementType::ComplexSingle => (23, -126),
        _ => (52, -1022),
    };
    let exponent = if size > 0.0 { (size.log2().floor() as i32).max(smallest) } else { smallest };
    // In two factors, since their product may be subnormal.
    2.0_f64.powi(exponent) * 2.0_f64.powi(-digits)
}

fn close(got: f64, want: f64, distance: f64, signed_zeros: bool) -> bool {
    if got.is_nan() || want.is_nan() {
        return got.is_nan() == want.is_nan();
    }
    if got == want {
        return got != 0.0 || !signed_zeros || got.is_sign_negative() == want.is_sign_negative();
    }
    got.is_finite() && want.is_finite() && (got - want).abs() <= distance
}

fn complex(x: Scalar) -> Complex<f64> {
    Complex::new(x.as_f64(), x.imaginary())
}

/// Angles from which on the processor's functions, and their definition, lose digits.
const FAR: f64 = 1048576.0;

/// The angle of which a function takes the sine or cosine.
fn angle(row: &Row, arguments: &[Scalar]) -> f64 {
    let z = complex(arguments[0]);
    let is_complex = arguments[0].element_type().is_complex();
    match row.symbol {
        "sin" | "cos" | "tan" => 2.0 * z.re,
        "exp" | "exp2" | "sinh" | "cosh" | "tanh" if is_complex => 2.0 * z.im,
        "power" if is_complex => exponent(arguments).im,
        _ => 0.0,
    }
}

/// What `e` is raised to by a power of complex numbers.
fn exponent(arguments: &[Scalar]) -> Complex<f64> {
    complex(arguments[1]) * complex(arguments[0]).ln()
}

fn is_remainder(row: &Row) -> bool {
    matches!(row.symbol, "modulo" | "rem" | "periodize" | "mirror_ext")
}

/// Whether a remainder of singles has more digits than the processor computes.
fn too_long(row: &Row, arguments: &[Scalar]) -> bool {
    is_remainder(row)
        && arguments[0].element_type() == ElementType::Single
        && (arguments[0].as_f64() / arguments[1].as_f64()).abs() >= 2.0_f64.powi(52)
        && arguments[0].as_f64().is_finite()
        && arguments[1].as_f64() != 0.0
}

/// Whether a device may give `got` for `row(arguments)`.
pub(crate) fn agrees(row: &Row, arguments: &[Scalar], got: Scalar, want: Scalar, dialect: Dialect) -> bool {
    let ty = want.element_type();
    if ty.is_integer() {
        return got == want;
    }
    let (g, w) = (complex(got), complex(want));
    let angle = angle(row, arguments);
    if angle.abs() > FAR && angle.is_finite() {
        let is_complex = ty.is_complex();
        return is_complex || row.symbol == "tan" && !g.re.is_nan() || g.re.abs() <= 1.0;
    }
    if too_long(row, arguments) {
        return g.re.is_finite();
    }
    let ulps = allowed(row, arguments[0].element_type(), dialect);
    let size = match row.symbol {
        // Where the logarithm of the gamma function passes through 0 its absolute error counts.
        "lgamma" => w.re.abs().max(1.0),
        // The product and the sum may be one rounding or two.
        "lerp" => {
            arguments.iter().map(|x| complex(*x).norm()).filter(|x| x.is_finite()).fold(w.norm(), f64::max)
        }
        _ => [w.re, w.im]
            .into_iter()
            .filter(|part| part.is_finite())
            .fold(0.0, |size, part| part.abs().max(size)),
    };
    let grown = if ty.is_complex() && row.symbol == "power" { 1.0 + exponent(arguments).norm() } else { 1.0 };
    let distance = ulps * grown * spacing(size, ty);
    if ty.is_complex() && row.symbol == "power" && exponent(arguments).re > 700.0 {
        // Which infinity it is hangs on the last digit of the angle.
        return g.is_finite() == w.is_finite();
    }
    // Remainders and powers may be zeros of any sign, and of two zeros each is the larger one.
    let extreme = dialect == Dialect::Cuda && matches!(row.symbol, "min" | "max" | "clamp" | "clamp3");
    let signed = !(is_remainder(row) || extreme || ty.is_complex() && row.symbol == "power");
    close(g.re, w.re, distance, signed) && close(g.im, w.im, distance, signed)
}
