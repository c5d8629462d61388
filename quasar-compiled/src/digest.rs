//! SHA-256 (FIPS 180-4), which names compiled kernels. The package for it brings six others along and needs 4 processor seconds of each
//! build; texts of kernels are short.

/// The fractional parts of the cube roots of the first 64 primes.
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

pub(crate) struct Sha256 {
    state: [u32; 8],
    /// What does not fill a block yet.
    rest: [u8; 64],
    filled: usize,
    bytes: u64,
}

impl Sha256 {
    pub(crate) fn new() -> Sha256 {
        // The fractional parts of the square roots of the first 8 primes.
        let state = [
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53a,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19,
        ];
        Sha256 { state, rest: [0; 64], filled: 0, bytes: 0 }
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        self.bytes = self.bytes.wrapping_add(bytes.len() as u64);
        while !bytes.is_empty() {
            let (taken, left) = bytes.split_at(bytes.len().min(64 - self.filled));
            self.rest[self.filled..][..taken.len()].copy_from_slice(taken);
            self.filled += taken.len();
            bytes = left;
            if self.filled == 64 {
                self.block();
                self.filled = 0;
            }
        }
    }

    pub(crate) fn finish(mut self) -> [u8; 32] {
        let bits = self.bytes.wrapping_mul(8).to_be_bytes();
        self.update(&[0x80]);
        while self.filled != 56 {
            self.update(&[0]);
        }
        self.update(&bits);
        let mut digest = [0; 32];
        for (to, word) in digest.as_chunks_mut().0.iter_mut().zip(self.state) {
            *to = word.to_be_bytes();
        }
        digest
    }

    fn block(&mut self) {
        let mut words = [0u32; 64];
        for (word, bytes) in words.iter_mut().zip(self.rest.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        for k in 16..64 {
            let (x, y) = (words[k - 15], words[k - 2]);
            let early = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
            let late = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
            words[k] = words[k - 16].wrapping_add(early).wrapping_add(words[k - 7]).wrapping_add(late);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        for (word, round) in words.iter().zip(ROUNDS) {
            let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let chosen = e & f ^ !e & g;
            let first = h.wrapping_add(mixed).wrapping_add(chosen).wrapping_add(round).wrapping_add(*word);
            let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let most = a & b ^ a & c ^ b & c;
            (h, g, f, e) = (g, f, e, d.wrapping_add(first));
            (d, c, b, a) = (c, b, a, first.wrapping_add(mixed.wrapping_add(most)));
        }
        for (word, x) in self.state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::Digest as _;

    #[test]
    fn digests_are_those_of_the_standard() {
        let bytes: Vec<u8> = (0..1000u32).map(|k| (k * 31 % 251) as u8).collect();
        for len in (0..130).chain([500, 1000]) {
            for cut in [0, len / 3, len] {
                let mut digest = Sha256::new();
                digest.update(&bytes[..cut]);
                digest.update(&bytes[cut..len]);
                let expected: [u8; 32] = sha2::Sha256::digest(&bytes[..len]).into();
                assert_eq!(digest.finish(), expected, "{len} {cut}");
            }
        }
    }
}
