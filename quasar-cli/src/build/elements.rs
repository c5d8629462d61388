//! What the types of numbers are called on each side.

use quasar_core::types::ElementType;

/// The names of a type of numbers.
pub(super) struct Names {
    /// In Rust.
    pub(super) rust: &'static str,
    /// A number in C.
    pub(super) c: &'static str,
    /// An array in C, behind `quasar_`; the Python side has the same names.
    pub(super) array: &'static str,
    /// In NumPy.
    pub(super) numpy: &'static str,
    /// The type of a number in Python.
    pub(super) python: &'static str,
}

pub(super) fn names(element: ElementType) -> Names {
    let (rust, c, array, numpy, python) = match element {
        ElementType::Int8 => ("i8", "int8_t", "i8", "int8", "int"),
        ElementType::Int16 => ("i16", "int16_t", "i16", "int16", "int"),
        ElementType::Int32 => ("i32", "int32_t", "i32", "int32", "int"),
        ElementType::Int64 => ("i64", "int64_t", "i64", "int64", "int"),
        ElementType::UInt8 => ("u8", "uint8_t", "u8", "uint8", "int"),
        ElementType::UInt16 => ("u16", "uint16_t", "u16", "uint16", "int"),
        ElementType::UInt32 => ("u32", "uint32_t", "u32", "uint32", "int"),
        ElementType::UInt64 => ("u64", "uint64_t", "u64", "uint64", "int"),
        ElementType::Half => ("quasar::abi::Half", "quasar_half", "f16", "float16", "float"),
        ElementType::Single => ("f32", "float", "f32", "float32", "float"),
        ElementType::Double => ("f64", "double", "f64", "float64", "float"),
        ElementType::ComplexSingle => {
            ("quasar::Complex<f32>", "quasar_complex_float", "c32", "complex64", "complex")
        }
        ElementType::ComplexDouble => {
            ("quasar::Complex<f64>", "quasar_complex_double", "c64", "complex128", "complex")
        }
    };
    Names { rust, c, array, numpy, python }
}
