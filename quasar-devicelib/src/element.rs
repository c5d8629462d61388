//! Element types and single values of any of them.

use half::f16;
use num_complex::Complex;

/// The type of one array element or scalar variable, with the precision resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// `int8`
    Int8,
    /// `int16`
    Int16,
    /// `int`, which is `int32`
    Int32,
    /// `int64`
    Int64,
    /// `uint8`
    UInt8,
    /// `uint16`
    UInt16,
    /// `uint32`
    UInt32,
    /// `uint64`
    UInt64,
    /// `scalar'half`
    Half,
    /// `scalar'single`, the usual `scalar`
    Single,
    /// `scalar'double`
    Double,
    /// `cscalar` of singles
    ComplexSingle,
    /// `cscalar` of doubles
    ComplexDouble,
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// `int8`
    I8(i8),
    /// `int16`
    I16(i16),
    /// `int`
    I32(i32),
    /// `int64`
    I64(i64),
    /// `uint8`
    U8(u8),
    /// `uint16`
    U16(u16),
    /// `uint32`
    U32(u32),
    /// `uint64`
    U64(u64),
    /// half precision
    F16(f16),
    /// single precision
    F32(f32),
    /// double precision
    F64(f64),
    /// complex single
    C32(Complex<f32>),
    /// complex double
    C64(Complex<f64>),
}

/// What happens when a value does not fit an integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Overflow {
    /// `'checked`: an error.
    #[default]
    Checked,
    /// `'sat`: the nearest representable value.
    Saturate,
    /// `'unchecked`: modulo 2^n.
    Wrap,
}
