//! Arrays in folders of chunks, as Zarr (version 3) lays them out: rows are read and written one range after the other, so that nobody
//! needs a whole array.
//!
//! The format is that of `zarrs`; what stands here is what a program that may be killed at any time needs: chunks are written beside and
//! renamed, an array says whether all its chunks were written, and one that is missing or damaged is an error.

#![forbid(unsafe_code)]

mod folder;
mod journal;
mod region;
mod store;
mod zstd;

pub use journal::Journal;
pub use store::{Layout, Store};

use std::fmt;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    C32,
    C64,
}

impl Kind {
    /// All kinds.
    pub const ALL: &[Kind] = &[
        Kind::I8,
        Kind::I16,
        Kind::I32,
        Kind::I64,
        Kind::U8,
        Kind::U16,
        Kind::U32,
        Kind::U64,
        Kind::F16,
        Kind::F32,
        Kind::F64,
        Kind::C32,
        Kind::C64,
    ];

    /// Bytes of an element.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 | Kind::F16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::C32 => 8,
            Kind::C64 => 16,
        }
    }

    /// The name in Zarr.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::I8 => "int8",
            Kind::I16 => "int16",
            Kind::I32 => "int32",
            Kind::I64 => "int64",
            Kind::U8 => "uint8",
            Kind::U16 => "uint16",
            Kind::U32 => "uint32",
            Kind::U64 => "uint64",
            Kind::F16 => "float16",
            Kind::F32 => "float32",
            Kind::F64 => "float64",
            Kind::C32 => "complex64",
            Kind::C64 => "complex128",
        }
    }
}

/// How chunks become smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all: the fastest.
    #[default]
    None,
    /// As `gzip` does, quickly.
    Gzip,
}

/// Why something did not work, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// A failure with a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Failure {
        Failure(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// A result or a reason in words.
pub type Result<T> = std::result::Result<T, Failure>;
