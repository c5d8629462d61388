//! A number that tells what launches get from what others get.

/// A number for bytes that were added in an order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0x9e37_79b9_7f4a_7c15)
    }
}

impl Digest {
    /// Adds bytes, and where they end.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.mix(word.try_into().map_or(0, u64::from_le_bytes));
        }
        let rest = words.remainder().iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        self.mix(rest);
        self.mix(bytes.len() as u64);
    }

    fn mix(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.0 = (mixed ^ mixed >> 32).wrapping_mul(0xc4ce_b9fe_1a85_ec53) ^ mixed >> 29;
    }

    /// The number.
    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&[u8]]) -> u64 {
        let mut digest = Digest::default();
        parts.iter().for_each(|part| digest.add(part));
        digest.value()
    }

    #[test]
    fn other_bytes_give_other_numbers() {
        let mut seen = std::collections::BTreeSet::new();
        let zeros = [0; 40];
        for length in 0..=zeros.len() {
            assert!(seen.insert(of(&[&zeros[..length]])), "{length} zeros");
            assert!(length == 0 || seen.insert(of(&[&zeros[..length], &[]])), "{length} zeros and nothing");
        }
        for bit in 0..320 {
            let mut bytes = zeros;
            bytes[bit / 8] = 1 << (bit % 8);
            assert!(seen.insert(of(&[&bytes])), "bit {bit}");
        }
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
    }
}
