//! Which rows are first computed in a way that is right for ordinary numbers only.

/// Remembers whether that went well lately.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quick {
    /// How many rows still go the general way at once.
    rest: u32,
}

/// After a row with other numbers as many are not tried: they often come together, and trials in vain cost time.
const REST: u32 = 15;

impl Quick {
    /// All rows are expected to be ordinary.
    #[inline(always)]
    pub fn new() -> Quick {
        Quick::default()
    }

    /// Whether to try the next row.
    #[inline(always)]
    pub fn is_wanted(&mut self) -> bool {
        let wanted = self.rest == 0;
        self.rest = self.rest.saturating_sub(1);
        wanted
    }

    /// Takes in how a trial went, and gives it back.
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
