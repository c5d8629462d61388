//! Neutral elements of reductions.

use crate::element::{ElementType, Scalar};
use half::f16;

/// The neutral element of a row used as a reduction: 0 for `add`, 1 for `multiply`, the largest value (infinity) for
/// `min`, .. Rows that are no reductions get 0.
pub fn neutral(row: &str, ty: ElementType) -> Scalar {
    match row {
        "multiply" => Scalar::one(ty),
        "min" => extreme(ty, true),
        "max" => extreme(ty, false),
        // All bits set.
        "and" => match ty {
            ElementType::UInt8 | ElementType::UInt16 | ElementType::UInt32 | ElementType::UInt64 => {
                extreme(ty, true)
            }
            _ => Scalar::from_i64(-1, ty),
        },
        _ => Scalar::zero(ty),
    }
}

fn extreme(ty: ElementType, largest: bool) -> Scalar {
    macro_rules! integer {
        ($variant:ident, $t:ty) => {
            Scalar::$variant(if largest { <$t>::MAX } else { <$t>::MIN })
        };
    }
    let infinity = if largest { f64::INFINITY } else { f64::NEG_INFINITY };
    match ty {
        ElementType::Int8 => integer!(I8, i8),
        ElementType::Int16 => integer!(I16, i16),
        ElementType::Int32 => integer!(I32, i32),
        ElementType::Int64 => integer!(I64, i64),
        ElementType::UInt8 => integer!(U8, u8),
        ElementType::UInt16 => integer!(U16, u16),
        ElementType::UInt32 => integer!(U32, u32),
        ElementType::UInt64 => integer!(U64, u64),
        ElementType::Half => Scalar::F16(f16::from_f64(infinity)),
        ElementType::Single => Scalar::F32(infinity as f32),
        ElementType::Double => Scalar::F64(infinity),
        ElementType::ComplexSingle | ElementType::ComplexDouble => Scalar::zero(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::find;

    #[test]
    fn combining_with_the_neutral_value_changes_nothing() {
        for row in ["add", "multiply", "min", "max", "and", "or", "xor"] {
            for ty in ElementType::ALL {
                let bitwise = matches!(row, "and" | "or" | "xor");
                let ordered = matches!(row, "min" | "max");
                if bitwise && !ty.is_integer() || ordered && ty.is_complex() {
                    continue;
                }
                for x in [0, 1, 2, 100].map(|x| Scalar::from_i64(x, *ty)) {
                    let eval = find(row).unwrap().eval;
                    assert_eq!(eval(&[neutral(row, *ty), x]), x, "{row} {ty:?}");
                }
            }
        }
    }
}
