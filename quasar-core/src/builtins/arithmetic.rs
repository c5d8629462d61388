//! Elementwise mathematics: one entry per scalar function.

use super::typing::{self, CallTypes, Typing, TypingError};
use super::{Availability::Everywhere, Builtin, Entry, Kind, row};
use crate::types::{ArrayType, ElementType, Type};

/// Names of rows that the scalar table has by convention.
#[cfg(test)]
pub(super) const MATHEMATICS: &[&str] = &[
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2",
    "hypot", "exp", "exp2", "log", "log2", "log10", "sqrt", "rsqrt", "cbrt", "power", "floor", "ceil",
    "round", "fix", "frac", "angle", "gamma", "lgamma", "erf", "erfc",
];

const fn unary(name: &'static str, doc: &'static str) -> Entry {
    row(name, doc, Everywhere, Kind::Elementwise(name), (1, 1), typing::elementwise)
}

const fn binary(name: &'static str, doc: &'static str) -> Entry {
    row(name, doc, Everywhere, Kind::Elementwise(name), (2, 2), typing::elementwise)
}

const fn conversion(name: &'static str, doc: &'static str) -> Entry {
    row(name, doc, Everywhere, Kind::Convert, (1, 1), convert)
}

pub(super) static TABLE: &[Entry] = &[
    unary("sin", "Sine of an angle in radians."),
    unary("cos", "Cosine of an angle in radians."),
    unary("tan", "Tangent of an angle in radians."),
    unary("asin", "Inverse sine."),
    unary("acos", "Inverse cosine."),
    unary("atan", "Inverse tangent."),
    unary("sinh", "Hyperbolic sine."),
    unary("cosh", "Hyperbolic cosine."),
    unary("tanh", "Hyperbolic tangent."),
    unary("asinh", "Inverse hyperbolic sine."),
    unary("acosh", "Inverse hyperbolic cosine."),
    unary("atanh", "Inverse hyperbolic tangent."),
    binary("atan2", "Angle of the point (x,y): atan2(y,x)."),
    binary("hypot", "Length of the hypotenuse."),
    unary("exp", "Natural exponential."),
    unary("exp2", "Power of two."),
    unary("log", "Natural logarithm."),
    unary("log2", "Logarithm to base two."),
    unary("log10", "Logarithm to base ten."),
    unary("sqrt", "Square root."),
    unary("rsqrt", "One over the square root."),
    unary("cbrt", "Cube root."),
    row("pow", "The power x.^a.", Everywhere, Kind::Elementwise("power"), (2, 2), typing::elementwise),
    unary("abs", "Absolute value or modulus."),
    unary("sign", "The sign: -1, 0 or 1."),
    unary("floor", "The largest integral value not above."),
    unary("ceil", "The smallest integral value not below."),
    unary("round", "The nearest integral value, halves away from zero."),
    unary("fix", "The integral value towards zero."),
    unary("frac", "The fractional part x - floor(x)."),
    binary("mod", "Floored remainder."),
    binary("rem", "Truncated remainder."),
    binary("periodize", "The position in a range that repeats."),
    binary("mirror_ext", "The position in a range that is reflected."),
    row("clamp", "Limits to 0..n.", Everywhere, Kind::Elementwise("clamp"), (2, 2), typing::elementwise),
    row(
        "clamp",
        "Limits to low..high.",
        Everywhere,
        Kind::Elementwise("clamp3"),
        (3, 3),
        typing::elementwise,
    ),
    unary("saturate", "Limits to [0,1]."),
    binary("min", "The smaller value."),
    binary("max", "The larger value."),
    unary("isnan", "Whether the value is not a number."),
    unary("isinf", "Whether the value is infinite."),
    unary("isfinite", "Whether the value is finite."),
    unary("conj", "The complex conjugate."),
    unary("real", "The real part."),
    unary("imag", "The imaginary part."),
    unary("angle", "The argument of a complex number."),
    row(
        "complex",
        "Complex number of a real part.",
        Everywhere,
        Kind::Elementwise("complex"),
        (1, 1),
        complex,
    ),
    row(
        "complex",
        "Complex number of two parts.",
        Everywhere,
        Kind::Elementwise("complex2"),
        (2, 2),
        complex,
    ),
    unary("gamma", "The gamma function."),
    unary("lgamma", "Logarithm of the gamma function."),
    unary("erf", "The error function."),
    unary("erfc", "One minus the error function."),
    unary("nextpow2", "The smallest power of two not less."),
    unary("prevpow2", "The largest power of two not greater."),
    row(
        "lerp",
        "Linear interpolation a+(b-a)*t.",
        Everywhere,
        Kind::Elementwise("lerp"),
        (3, 3),
        typing::elementwise,
    ),
    binary("and", "Bitwise and."),
    binary("or", "Bitwise or."),
    binary("xor", "Bitwise exclusive or."),
    unary("not", "Bitwise complement."),
    binary("shl", "Shift to the left."),
    binary("shr", "Shift to the right."),
    conversion("int", "Conversion to int, towards zero."),
    conversion("int8", "Conversion to int8."),
    conversion("int16", "Conversion to int16."),
    conversion("int32", "Conversion to int."),
    conversion("int64", "Conversion to int64."),
    conversion("uint8", "Conversion to uint8."),
    conversion("uint16", "Conversion to uint16."),
    conversion("uint32", "Conversion to uint32."),
    conversion("uint64", "Conversion to uint64."),
    conversion("float", "Conversion to scalar."),
    conversion("scalar", "Conversion to scalar."),
    conversion("cscalar", "Conversion to cscalar."),
    conversion("half", "Conversion to half precision."),
    conversion("single", "Conversion to single precision."),
    conversion("double", "Conversion to double precision."),
];

/// The target element type of a conversion function.
pub(crate) fn converted_to(name: &str, working: ElementType) -> Option<ElementType> {
    Some(match name {
        "int" | "int32" => ElementType::Int32,
        "int8" => ElementType::Int8,
        "int16" => ElementType::Int16,
        "int64" => ElementType::Int64,
        "uint8" => ElementType::UInt8,
        "uint16" => ElementType::UInt16,
        "uint32" => ElementType::UInt32,
        "uint64" => ElementType::UInt64,
        "float" | "scalar" => working,
        "cscalar" => working.complex(),
        "half" => ElementType::Half,
        "single" => ElementType::Single,
        "double" => ElementType::Double,
        _ => return None,
    })
}

fn convert(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let Some(target) = converted_to(builtin.name, call.working) else {
        return Err(TypingError::Call(format!("'{}' is not a conversion", builtin.name)));
    };
    let ty = call.ty(0);
    match ty.element_type() {
        // `float` leaves floats unchanged.
        Some(element) if builtin.name == "float" && element.is_float() => {
            Typing::one(call, ty.with_element(element))
        }
        Some(element) if element.is_complex() && !target.is_complex() => Err(TypingError::Argument(
            0,
            format!(
                "a complex number has no conversion to '{}'; take its real part with real(..)",
                builtin.name
            ),
        )),
        Some(_) => Typing::one(call, ty.with_element(target)),
        None => match ty {
            Type::Dynamic => Typing::one(call, Type::Dynamic),
            Type::Tuple(_) if typing::is_number_cell(ty) => {
                Typing::one(call, Type::array(Type::Dynamic, &[None]))
            }
            Type::Array(cell) if typing::is_number_cell(ty) => {
                let inner = [typing::Operand { ty: (*cell.element).clone(), known: None }];
                let converted =
                    convert(builtin, &CallTypes { args: &inner, results: 1, working: call.working })?;
                let element = converted.results.into_iter().next().unwrap_or(Type::Dynamic);
                Typing::one(call, Type::Array(ArrayType { element: Box::new(element), ..cell.clone() }))
            }
            _ => Err(TypingError::Argument(0, format!("'{ty}' cannot be converted to '{}'", builtin.name))),
        },
    }
}

fn complex(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.args.len() == 1 && call.ty(0).element_type().is_some_and(ElementType::is_complex) {
        return Typing::one(call, call.ty(0).clone());
    }
    let mut widened: Vec<typing::Operand> = call.args.to_vec();
    for arg in &mut widened {
        if let Some(element) = arg.ty.element_type()
            && element.is_integer()
        {
            arg.ty = arg.ty.with_element(call.working);
        }
    }
    typing::elementwise(builtin, &CallTypes { args: &widened, results: call.results, working: call.working })
}
