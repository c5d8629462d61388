//! The record of the first error of a launch on a device.

/// As `q_fault` in `device/fault.h`: zero before the launch; a `state` other than 0 afterwards means an error.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultRecord {
    /// The kernel's [`identity`](super::identity) once a thread has claimed the record.
    pub state: i32,
    /// One of the constants of this type.
    pub kind: i32,
    /// The place, an index into the list that goes with the kernel.
    pub site: i32,
    /// The number of indices.
    pub rank: i32,
    /// An index out of range.
    pub index: [i32; 16],
    /// The extents.
    pub dims: [i32; 16],
    /// Values of the message: integers as they are, floats as their bits, complex numbers as two.
    pub values: [i64; 16],
}

impl FaultRecord {
    /// An index out of range.
    pub const OUT_OF_BOUNDS: i32 = 1;
    /// A condition that does not hold.
    pub const ASSERTION: i32 = 2;
    /// `error(..)`.
    pub const ERROR: i32 = 3;
    /// A value that does not fit an integer type.
    pub const OVERFLOW: i32 = 4;
    /// NaN or infinity in what a launch wrote.
    pub const NOT_FINITE: i32 = 5;
    /// An argument with an impossible value.
    pub const ARGUMENT: i32 = 8;
    /// Sizes or numbers of elements that do not fit.
    pub const SIZE: i32 = 6;
    /// A variable that no path has set is read.
    pub const UNSET: i32 = 7;
    /// Bytes of the record.
    pub const BYTES: usize = size_of::<FaultRecord>();

    /// The record from the bytes that a device wrote; nothing when there are too few.
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
