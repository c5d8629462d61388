//! Speculation on the fast path, per row: whether to first compute a row with code that is only correct for ordinary
//! arguments, as `ops::Exponent` defines them.

use super::view::View;
use crate::element::Element;

/// Tracks recent failures of the speculation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quick {
    /// Rows that still skip the fast path.
    rest: u32,
}

/// After a failure this many rows skip the fast path: special values are often clustered, and failed speculation costs
/// time.
const REST: u32 = 15;

impl Quick {
    /// Expects ordinary numbers.
    #[inline(always)]
    pub fn new() -> Quick {
        Quick::default()
    }

    /// Whether to speculate for the next row.
    #[inline(always)]
    pub fn is_wanted(&mut self) -> bool {
        let wanted = self.rest == 0;
        self.rest = self.rest.saturating_sub(1);
        wanted
    }

    /// Records whether the speculation succeeded, and returns that.
    #[inline(always)]
    pub fn note(&mut self, well: bool) -> bool {
        if !well {
            self.rest = REST;
        }
        well
    }
}

/// An array with an element for each byte, which indices that are bytes never leave.
#[derive(Clone, Copy, Debug)]
pub struct ByteTable<'a, T>(Option<&'a [T; 256]>);

impl<'a, T: Element> ByteTable<'a, T> {
    /// The first elements of an array, if there are so many.
    #[inline(always)]
    pub fn of<const PART: bool>(array: &View<'a, T, 1, PART>) -> ByteTable<'a, T> {
        ByteTable(if PART { None } else { array.elements().first_chunk() })
    }

    /// Whether there is an element for each byte.
    #[inline(always)]
    pub fn serves(&self) -> bool {
        self.0.is_some()
    }

    /// The element of a byte.
    #[inline(always)]
    pub fn at(&self, [byte]: [i32; 1]) -> T {
        self.0.map_or_else(T::default, |table| table[usize::from(byte as u8)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_pause_after_one_in_vain() {
        let mut quick = Quick::new();
        assert!(quick.is_wanted() && quick.note(true) && quick.is_wanted());
        assert!(!quick.note(false));
        assert_eq!((0..100).position(|_| quick.is_wanted()), Some(REST as usize));
    }

    #[test]
    fn short_arrays_are_no_tables_for_bytes() {
        let numbers: Vec<i32> = (0..300).collect();
        let table = |len: usize| ByteTable::of(&View::<i32, 1>::new(&numbers[..len], &[len]));
        assert!(!table(255).serves());
        assert!(table(256).serves() && table(300).serves());
        assert_eq!([0, 7, 255].map(|byte| table(256).at([byte])), [0, 7, 255]);
        assert_eq!(table(255).at([3]), 0);
    }
}
