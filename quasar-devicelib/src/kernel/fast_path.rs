//! Speculation on the fast path, per row: whether to first compute a row with code that is only correct for ordinary
//! arguments, as `ops::Exponent` defines them.

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
}
