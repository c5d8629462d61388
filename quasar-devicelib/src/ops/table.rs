//! The table of all scalar functions, and the evaluation of its rows on dynamic values.

use super::*;
use crate::element::{Element, ElementType, Overflow, Scalar, promote};
use crate::isa::Baseline;

/// Whether a row that works on bits gives a mask where its operands are masks.
pub fn combines_masks(row: &str) -> bool {
    matches!(row, "and" | "or" | "xor")
}

/// Looks up the row of a language name.
pub fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

/// Converts the arguments to one element type inside the domain; missing ones are zero.
fn operands<const N: usize>(arguments: &[Scalar], domain: Domain) -> [Scalar; N] {
    let Some(first) = arguments.first() else {
        return [Scalar::F32(0.0); N];
    };
    let mut ty = first.element_type();
    for other in &arguments[1..] {
        if other.element_type() != ty {
            ty = promote(ty, other.element_type());
        }
    }
    if !domain.contains(ty) {
        ty = match domain {
            Domain::Integer => ElementType::Int64,
            _ if ty.is_complex() => ty.real(),
            _ => ElementType::Single,
        };
    }
    std::array::from_fn(|i| match arguments.get(i) {
        Some(&value) if value.element_type() == ty => value,
        Some(&value) => convert_scalar(value, ty, Overflow::Wrap).unwrap_or(Scalar::zero(ty)),
        None => Scalar::zero(ty),
    })
}

fn take<T: Element>(value: Scalar) -> T {
    T::from_scalar(value).unwrap_or_default()
}

/// Calls a generic function with the Rust type of the arguments, which `operands` has unified.
macro_rules! evaluate {
    (@first ($first:ident $(, $other:ident)*)) => { $first };
    (@call $f:ident $rust:ty, ($($x:ident),+)) => { $f::<Baseline, $rust>($(take::<$rust>($x)),+) };
    (Any $f:ident $args:tt) => {
        evaluate!(@ $f $args i8, i16, i32, i64, u8, u16, u32, u64, half::f16, f32, f64, num_complex::Complex<f32>, num_complex::Complex<f64>,)
    };
    (Real $f:ident $args:tt) => { evaluate!(@ $f $args i8, i16, i32, i64, u8, u16, u32, u64, half::f16, f32, f64,) };
    (Float $f:ident $args:tt) => { evaluate!(@ $f $args half::f16, f32, f64,) };
    (FloatOrComplex $f:ident $args:tt) => {
        evaluate!(@ $f $args half::f16, f32, f64, num_complex::Complex<f32>, num_complex::Complex<f64>,)
    };
    (Integer $f:ident $args:tt) => { evaluate!(@ $f $args i8, i16, i32, i64, u8, u16, u32, u64,) };
    (@ $f:ident $args:tt $($rust:ty,)*) => {{
        let ty = evaluate!(@first $args).element_type();
        $(if ty == <$rust as Element>::TYPE {
            return evaluate!(@call $f $rust, $args).to_scalar();
        })*
        Scalar::zero(ty)
    }};
}

macro_rules! table {
    ($($name:literal $symbol:ident $args:tt: $domain:ident -> $result:expr, $ulps:literal, $doc:literal,
       $source:literal => $value:literal;)*) => {
        /// All scalar functions.
        pub static TABLE: &[Row] = &[
            $(Row {
                name: $name,
                symbol: stringify!($symbol),
                doc: $doc,
                arity: table!(@count $args),
                domain: Domain::$domain,
                result: $result,
                eval: |arguments| {
                    let table!(@pattern $args) = operands(arguments, Domain::$domain);
                    evaluate!($domain $symbol $args)
                },
                ulps: $ulps,
                example: ($source, $value),
            },)*
            Row {
                name: "powi",
                symbol: "powi",
                doc: "Power with an `int` exponent, by repeated squaring.",
                arity: 2,
                domain: Domain::Any,
                result: Same,
                eval: |arguments| {
                    let exponent = arguments.get(1).map_or(0, |n| n.as_i64().clamp(i32::MIN.into(), i32::MAX.into()) as i32);
                    let [x] = operands(arguments.get(..1).unwrap_or_default(), Domain::Any);
                    evaluate_powi(x, exponent)
                },
                ulps: 16,
                example: ("3^4", "81"),
            },
        ];
    };
    (@count ($($x:ident),+)) => { [$(stringify!($x)),+].len() };
    (@pattern ($($x:ident),+)) => { [$($x),+] };
}

fn evaluate_powi(x: Scalar, exponent: i32) -> Scalar {
    macro_rules! each {
        ($($variant:ident)*) => {
            match x {
                $(Scalar::$variant(x) => powi::<Baseline, _>(x, exponent).to_scalar(),)*
            }
        };
    }
    each!(I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 C32 C64)
}

use ResultRule::{Complex, Fixed, Int, RealPart, Same, Truth};

table! {
    "int8" int8(x): Any -> Fixed(ElementType::Int8), 0, "Conversion to int8, modulo 2^8.", "int8(-1.7)" => "-1";
    "int16" int16(x): Any -> Fixed(ElementType::Int16), 0, "Conversion to int16, modulo 2^16.", "int16(-1.7)" => "-1";
    "int" int(x): Any -> Int, 0, "Conversion to int by truncation, modulo 2^32.", "int(-1.7)" => "-1";
    "int32" int(x): Any -> Int, 0, "Conversion to int by truncation, modulo 2^32.", "int32(-1.7)" => "-1";
    "int64" int64(x): Any -> Fixed(ElementType::Int64), 0, "Conversion to int64, modulo 2^64.", "int64(-1.7)" => "-1";
    "uint8" uint8(x): Any -> Fixed(ElementType::UInt8), 0, "Conversion to uint8, modulo 2^8.", "uint8(258)" => "2";
    "uint16" uint16(x): Any -> Fixed(ElementType::UInt16), 0, "Conversion to uint16, modulo 2^16.", "uint16(2)" => "2";
    "uint32" uint32(x): Any -> Fixed(ElementType::UInt32), 0, "Conversion to uint32, modulo 2^32.", "uint32(2)" => "2";
    "uint64" uint64(x): Any -> Fixed(ElementType::UInt64), 0, "Conversion to uint64, modulo 2^64.", "uint64(2)" => "2";
    "half" half(x): Real -> Fixed(ElementType::Half), 0, "Conversion to half precision.", "half(1)" => "1";
    "single" single(x): Real -> Fixed(ElementType::Single), 0, "Conversion to single precision.", "single(1)" => "1";
    "double" double(x): Real -> Fixed(ElementType::Double), 0, "Conversion to double precision.", "double(1)" => "1";
    "float" float(x): Float -> Same, 0, "Conversion to the working precision; floats stay.", "float(2)" => "2";
    "add" add(a, b): Any -> Same, 0, "Sum; integers wrap.", "1 + 2" => "3";
    "subtract" subtract(a, b): Any -> Same, 0, "Difference; integers wrap.", "1 - 2" => "-1";
    "multiply" multiply(a, b): Any -> Same, 0, "Product; integers wrap.", "3 * 4" => "12";
    "divide" divide(a, b): FloatOrComplex -> Same, 0, "Quotient; never an integer.", "1 / 4" => "0.25";
    "negate" negate(x): Any -> Same, 0, "The negated value; integers wrap.", "-(2)" => "-2";
    "exp" exp(x): FloatOrComplex -> Same, 2, "The exponential function.", "exp(0)" => "1";
    "exp2" exp2(x): FloatOrComplex -> Same, 2, "Two to the power of x.", "exp2(3)" => "8";
    "log" log(x): FloatOrComplex -> Same, 1, "The natural logarithm.", "log(1)" => "0";
    "log2" log2(x): FloatOrComplex -> Same, 1, "The logarithm to base 2.", "log2(8)" => "3";
    "log10" log10(x): FloatOrComplex -> Same, 1, "The logarithm to base 10.", "log10(1000)" => "3";
    "sqrt" sqrt(x): FloatOrComplex -> Same, 0, "The square root.", "sqrt(9)" => "3";
    "rsqrt" rsqrt(x): FloatOrComplex -> Same, 2, "The reciprocal of the square root.", "rsqrt(4)" => "0.5";
    "cbrt" cbrt(x): FloatOrComplex -> Same, 1, "The cube root; the principal one for complex numbers.", "cbrt(27)" => "3";
    "sin" sin(x): FloatOrComplex -> Same, 2, "The sine of an angle in radians.", "sin(0)" => "0";
    "cos" cos(x): FloatOrComplex -> Same, 2, "The cosine of an angle in radians.", "cos(0)" => "1";
    "tan" tan(x): FloatOrComplex -> Same, 1, "The tangent of an angle in radians.", "tan(0)" => "0";
    "asin" asin(x): FloatOrComplex -> Same, 2, "The inverse sine.", "asin(0)" => "0";
    "acos" acos(x): FloatOrComplex -> Same, 2, "The inverse cosine.", "acos(1)" => "0";
    "atan" atan(x): FloatOrComplex -> Same, 2, "The inverse tangent.", "atan(0)" => "0";
    "sinh" sinh(x): FloatOrComplex -> Same, 1, "The hyperbolic sine.", "sinh(0)" => "0";
    "cosh" cosh(x): FloatOrComplex -> Same, 1, "The hyperbolic cosine.", "cosh(0)" => "1";
    "tanh" tanh(x): FloatOrComplex -> Same, 2, "The hyperbolic tangent.", "tanh(0)" => "0";
    "asinh" asinh(x): FloatOrComplex -> Same, 1, "The inverse hyperbolic sine.", "asinh(0)" => "0";
    "acosh" acosh(x): FloatOrComplex -> Same, 1, "The inverse hyperbolic cosine.", "acosh(1)" => "0";
    "atanh" atanh(x): FloatOrComplex -> Same, 1, "The inverse hyperbolic tangent.", "atanh(0)" => "0";
    "floor" floor(x): Float -> Same, 0, "The largest integer not above x.", "floor(-1.7)" => "-2";
    "ceil" ceil(x): Float -> Same, 0, "The smallest integer not below x.", "ceil(-1.7)" => "-1";
    "round" round(x): Float -> Same, 0, "The nearest integer, halves away from zero.", "round(-2.5)" => "-3";
    "fix" fix(x): Float -> Same, 0, "The integer part, rounded toward zero.", "fix(-1.7)" => "-1";
    "gamma" gamma(x): Float -> Same, 1, "The gamma function.", "gamma(5)" => "24";
    "lgamma" lgamma(x): Float -> Same, 2, "The logarithm of the absolute value of the gamma function.", "lgamma(1)" => "0";
    "erf" erf(x): Float -> Same, 1, "The error function.", "erf(0)" => "0";
    "erfc" erfc(x): Float -> Same, 1, "The complementary error function, 1-erf(x).", "erfc(0)" => "1";
    "frac" frac(x): Float -> Same, 0, "x - floor(x).", "frac(-0.25)" => "0.75";
    "power" power(x, a): FloatOrComplex -> Same, 16, "x to the power a; a negative base with a fractional exponent gives NaN.", "2^-1" => "0.5";
    "pow" power(x, a): FloatOrComplex -> Same, 16, "x to the power a; a negative base with a fractional exponent gives NaN.", "pow(2,-1)" => "0.5";
    "atan2" atan2(y, x): Float -> Same, 2, "The angle of the point (x,y).", "atan2(0,1)" => "0";
    "hypot" hypot(a, b): Float -> Same, 1, "The length of the hypotenuse.", "hypot(3,4)" => "5";
    "angle" angle(x): FloatOrComplex -> RealPart, 2, "The angle of a complex number.", "angle(2+0j)" => "0";
    "equal" equal(a, b): Any -> Truth, 0, "Whether two values are equal.", "1 == 2" => "0";
    "not_equal" not_equal(a, b): Any -> Truth, 0, "Whether two values differ.", "1 != 2" => "1";
    "less" less(a, b): Real -> Truth, 0, "Whether the first value is less.", "1 < 2" => "1";
    "less_equal" less_equal(a, b): Real -> Truth, 0, "Whether the first value is less or equal.", "1 <= 2" => "1";
    "greater" greater(a, b): Real -> Truth, 0, "Whether the first value is greater.", "1 > 2" => "0";
    "greater_equal" greater_equal(a, b): Real -> Truth, 0, "Whether the first value is greater or equal.", "1 >= 2" => "0";
    "logical_not" logical_not(x): Any -> Truth, 0, "Whether the value is zero.", "!0" => "1";
    "logical_and" logical_and(a, b): Any -> Truth, 0, "Whether both values differ from zero.", "1 && 0" => "0";
    "logical_or" logical_or(a, b): Any -> Truth, 0, "Whether any of two values differs from zero.", "1 || 0" => "1";
    "isnan" isnan(x): Any -> Truth, 0, "Whether the value, or a part of it, is not a number.", "isnan(0/0)" => "1";
    "isinf" isinf(x): Any -> Truth, 0, "Whether the value, or a part of it, is infinite.", "isinf(1/0)" => "1";
    "isfinite" isfinite(x): Any -> Truth, 0, "Whether the value with all its parts is finite.", "isfinite(1/0)" => "0";
    "abs" abs(x): Any -> RealPart, 1, "The modulus; integers stay integers.", "abs(-3)" => "3";
    "sign" sign(x): Real -> Same, 0, "-1, 0 or 1.", "sign(-3)" => "-1";
    "mod" modulo(x, n): Real -> Same, 0, "Floored remainder, with the sign of n; mod(x,0) is x.", "mod(-1,4)" => "3";
    "rem" rem(x, n): Real -> Same, 0, "Truncated remainder, with the sign of x.", "rem(-1,4)" => "-1";
    "periodize" periodize(x, n): Real -> Same, 0, "The position in [0,n) when the range repeats.", "periodize(-5,4)" => "3";
    "mirror_ext" mirror_ext(x, n): Real -> Same, 0, "The position in [0,n) when the range is reflected.", "mirror_ext(-1,4)" => "0";
    "min" min(a, b): Real -> Same, 0, "The smaller value; NaN loses.", "min(2,3)" => "2";
    "max" max(a, b): Real -> Same, 0, "The larger value; NaN loses.", "max(2,3)" => "3";
    "clamp" clamp(x, n): Real -> Same, 0, "min(max(x,0),n).", "clamp(7,5)" => "5";
    "clamp3" clamp3(x, low, high): Real -> Same, 0, "min(max(x,low),high).", "clamp(7,1,5)" => "5";
    "saturate" saturate(x): Float -> Same, 0, "The value limited to [0,1].", "saturate(1.5)" => "1";
    "lerp" lerp(a, b, t): FloatOrComplex -> Same, 2, "a+(b-a)*t.", "lerp(2,4,0.25)" => "2.5";
    "nextpow2" nextpow2(x): Real -> Int, 0, "The smallest power of two not less than x.", "nextpow2(5)" => "8";
    "prevpow2" prevpow2(x): Real -> Int, 0, "The largest power of two not greater than x.", "prevpow2(5)" => "4";
    "real" real(x): Any -> RealPart, 0, "The real part.", "real(1+2j)" => "1";
    "imag" imag(x): Any -> RealPart, 0, "The imaginary part; 0 for real numbers.", "imag(1+2j)" => "2";
    "conj" conj(x): Any -> Same, 0, "The complex conjugate.", "conj(1+2j)" => "1-2j";
    "complex" complex(re): Real -> Complex, 0, "The complex number with this real part.", "complex(1)" => "1+0j";
    "complex2" complex2(re, im): Real -> Complex, 0, "The complex number of two parts.", "complex(1,2)" => "1+2j";
    "and" and(a, b): Integer -> Same, 0, "Bitwise and.", "and(6,3)" => "2";
    "or" or(a, b): Integer -> Same, 0, "Bitwise or.", "or(6,3)" => "7";
    "xor" xor(a, b): Integer -> Same, 0, "Bitwise exclusive or.", "xor(6,3)" => "5";
    "not" not(x): Integer -> Same, 0, "Bitwise complement.", "not(0)" => "-1";
    "shl" shl(x, n): Integer -> Same, 0, "Shift to the left; a negative n shifts to the right.", "shl(3,2)" => "12";
    "shr" shr(x, n): Integer -> Same, 0, "Shift to the right, arithmetic for signed types.", "shr(-8,1)" => "-4";
    "quotient" quotient(a, b): Integer -> Same, 0, "The quotient without its fraction.", "int(7/2)" => "3";
    "quotient_single" quotient_single(a, b): Integer -> Same, 0, "The same of a quotient in single precision.", "int(-7/2)" => "-3";
    "floor_quotient" floor_quotient(a, b): Integer -> Same, 0, "The largest integer that is not above the quotient.", "int(floor(-7/2))" => "-4";
    "floor_quotient_single" floor_quotient_single(a, b): Integer -> Same, 0, "The same of a quotient in single precision.", "int(floor(7/2))" => "3";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Values that are hard for some function.
    const EDGES: &[f64] = &[
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        3.0,
        7.0,
        100.0,
        127.0,
        128.0,
        -128.0,
        255.0,
        65504.0,
        2147483647.0,
        -2147483648.0,
        4294967295.0,
        9.3e18,
        -9.3e18,
        1.0e-40,
        1.0e30,
        -1.0e30,
        1.0e300,
        5.0e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];

    fn edges(ty: ElementType) -> Vec<Scalar> {
        let to = |&x: &f64| convert_scalar(Scalar::F64(x), ty, Overflow::Saturate).unwrap();
        let mut values: Vec<_> = EDGES.iter().map(to).collect();
        if ty.is_complex() {
            let parts: Vec<_> = EDGES.iter().step_by(3).map(|&x| Scalar::F64(x)).collect();
            for a in &parts {
                for b in &parts {
                    let z = Scalar::C64(num_complex::Complex::new(a.as_f64(), b.as_f64()));
                    values.push(convert_scalar(z, ty, Overflow::Wrap).unwrap());
                }
            }
        }
        values
    }

    #[test]
    fn names_are_unique_and_rows_are_documented() {
        let names: BTreeSet<_> = TABLE.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), TABLE.len());
        for row in TABLE {
            assert!(row.doc.ends_with('.') && !row.example.0.is_empty(), "{}", row.name);
            assert!(find(row.name).is_some_and(|found| std::ptr::eq(found, row)));
        }
    }

    #[test]
    fn every_row_evaluates_on_every_type_of_its_domain() {
        for row in TABLE {
            for &ty in ElementType::ALL.iter().filter(|&&ty| row.domain.contains(ty)) {
                let values = edges(ty);
                for &a in &values {
                    for &b in values.iter().take(if row.arity > 1 { usize::MAX } else { 1 }) {
                        let result = (row.eval)(&[a, b, Scalar::one(ty)][..row.arity]);
                        assert_eq!(result.element_type(), row.result.apply(ty), "{} {a:?} {b:?}", row.name);
                        if row.result == ResultRule::Truth {
                            assert!(matches!(result, Scalar::I32(0 | 1)));
                        }
                    }
                }
            }
        }
    }

    /// Calls written as `name(a,b)` with plain numbers.
    fn parse(source: &str) -> Option<(&str, Vec<f64>)> {
        let (name, rest) = source.split_once('(').filter(|(name, _)| *name != "-")?;
        let numbers = rest.strip_suffix(')')?.split(',').map(|number| number.parse().ok());
        Some((name, numbers.collect::<Option<_>>()?))
    }

    #[test]
    fn examples_hold() {
        let mut checked = 0;
        for row in TABLE {
            let Some((name, arguments)) = parse(row.example.0) else { continue };
            let Ok(want) = row.example.1.parse::<f64>() else { continue };
            if row.name == "powi" || arguments.len() != row.arity {
                continue;
            }
            assert!(row.name.starts_with(name), "{}", row.name);
            let whole = arguments.iter().all(|x| x.fract() == 0.0) && row.domain.contains(ElementType::Int32);
            let ty = if whole { ElementType::Int32 } else { ElementType::Single };
            let to = |&x: &f64| convert_scalar(Scalar::F64(x), ty, Overflow::Saturate).unwrap();
            let got = (row.eval)(&arguments.iter().map(to).collect::<Vec<_>>());
            assert_eq!(got.as_f64(), want, "{}", row.example.0);
            checked += 1;
        }
        assert!(checked > 60, "{checked}");
    }

    #[test]
    fn rows_evaluate_like_the_generic_functions() {
        let x = 1.7_f32;
        let eval = |name: &str, arguments: &[Scalar]| (find(name).unwrap().eval)(arguments);
        assert_eq!(eval("exp", &[Scalar::F32(x)]), Scalar::F32(exp::<Baseline, f32>(x)));
        assert_eq!(
            eval("pow", &[Scalar::F64(0.3), Scalar::F64(2.5)]),
            Scalar::F64(power::<Baseline, f64>(0.3, 2.5))
        );
        assert_eq!(eval("mod", &[Scalar::I32(-7), Scalar::I32(3)]), Scalar::I32(2));
        assert_eq!(eval("add", &[Scalar::U8(200), Scalar::U8(100)]), Scalar::U8(44));
        assert_eq!(eval("powi", &[Scalar::I32(-3), Scalar::I32(3)]), Scalar::I32(-27));
        assert_eq!(eval("abs", &[Scalar::C32(num_complex::Complex::new(3.0, 4.0))]), Scalar::F32(5.0));
        assert_eq!(eval("mod", &[Scalar::I32(i32::MIN), Scalar::I32(-1)]), Scalar::I32(0));
        assert_eq!(eval("shl", &[Scalar::I32(1), Scalar::I32(40)]), Scalar::I32(0));
    }

    #[test]
    fn arguments_outside_the_domain_are_brought_into_it() {
        for row in TABLE {
            for &a in ElementType::ALL {
                for &b in ElementType::ALL {
                    (row.eval)(&[Scalar::one(a), Scalar::zero(b), Scalar::one(a)]);
                    (row.eval)(&[Scalar::one(a)]);
                }
            }
            (row.eval)(&[]);
        }
    }
}
