//! The error record of a launch on a device: the first error, as the kernel writes it.

/// The layout is that of `q_fault` in `device/fault.h`. All zero before the launch; afterwards a `state` other than 0
/// means an error.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultRecord {
    /// The kernel's [`identity`](super::identity) once a thread has claimed the record.
    pub state: i32,
    /// The kind of the error, one of the constants of this type.
    pub kind: i32,
    /// The source location, an index into the kernel's list of sites.
    pub site: i32,
    /// The rank of the index.
    pub rank: i32,
    /// The index out of range.
    pub index: [i32; 16],
    /// The extents of the array.
    pub dims: [i32; 16],
    /// Values for the message: integers as they are, floats as their bits, complex numbers as two.
    pub values: [i64; 16],
}

impl FaultRecord {
    /// An index out of range.
    pub const OUT_OF_BOUNDS: i32 = 1;
    /// A failed assertion.
    pub const ASSERTION: i32 = 2;
    /// `error(..)`.
    pub const ERROR: i32 = 3;
    /// A value out of range of an integer type.
    pub const OVERFLOW: i32 = 4;
    /// NaN or infinity in an output of a launch.
    pub const NOT_FINITE: i32 = 5;
    /// An argument with an impossible value.
    pub const ARGUMENT: i32 = 8;
    /// Mismatching sizes or numbers of elements.
    pub const SIZE: i32 = 6;
    /// A read of an uninitialised variable.
    pub const UNSET: i32 = 7;
    /// Size of the record in bytes.
    pub const BYTES: usize = size_of::<FaultRecord>();

    /// Decodes a record that a device wrote; `None` if there are too few bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<FaultRecord> {
        let (words, values) = bytes.get(..Self::BYTES)?.split_at(4 * 36);
        let (words, values) = (words.as_chunks().0, values.as_chunks().0);
        let word = |k: usize| words.get(k).map_or(0, |w| i32::from_ne_bytes(*w));
        Some(FaultRecord {
            state: word(0),
            kind: word(1),
            site: word(2),
            rank: word(3),
            index: std::array::from_fn(|k| word(4 + k)),
            dims: std::array::from_fn(|k| word(20 + k)),
            values: std::array::from_fn(|k| values.get(k).map_or(0, |w| i64::from_ne_bytes(*w))),
        })
    }
}
