//! `.mat` files of MATLAB, level 5 (`save -v6` and `-v7` there): numbers, truths, texts, cells and structures.
//!
//! A file is a header of 128 bytes and a list of elements, each with a type, a length and, inside of an array, elements again. Numbers
//! lie in the order of columns. An array of one row is a vec here, of one element a number; MATLAB knows neither.

mod read;
mod write;

pub(super) use super::numpy_file::Failure;
pub(super) use read::read;
pub(super) use write::bytes;

/// The bytes in front of the first element.
const HEADER: usize = 128;

/// The longest name of a variable or field.
const LONGEST_NAME: usize = 63;

/// The types of elements in a file.
mod mi {
    pub(super) const INT8: u32 = 1;
    pub(super) const UINT8: u32 = 2;
    pub(super) const INT16: u32 = 3;
    pub(super) const UINT16: u32 = 4;
    pub(super) const INT32: u32 = 5;
    pub(super) const UINT32: u32 = 6;
    pub(super) const SINGLE: u32 = 7;
    pub(super) const DOUBLE: u32 = 9;
    pub(super) const INT64: u32 = 12;
    pub(super) const UINT64: u32 = 13;
    pub(super) const MATRIX: u32 = 14;
    pub(super) const COMPRESSED: u32 = 15;
    pub(super) const UTF8: u32 = 16;
    pub(super) const UTF16: u32 = 17;
    pub(super) const UTF32: u32 = 18;
}

/// The classes of arrays.
mod class {
    pub(super) const CELL: u8 = 1;
    pub(super) const STRUCT: u8 = 2;
    pub(super) const CHAR: u8 = 4;
    pub(super) const DOUBLE: u8 = 6;
    pub(super) const SINGLE: u8 = 7;
    pub(super) const INT8: u8 = 8;
    pub(super) const UINT8: u8 = 9;
    pub(super) const INT16: u8 = 10;
    pub(super) const UINT16: u8 = 11;
    pub(super) const INT32: u8 = 12;
    pub(super) const UINT32: u8 = 13;
    pub(super) const INT64: u8 = 14;
    pub(super) const UINT64: u8 = 15;
}

/// Bits beside the class.
mod flag {
    pub(super) const LOGICAL: u8 = 2;
    pub(super) const COMPLEX: u8 = 8;
}
