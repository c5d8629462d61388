//! The signature of a device kernel, bound to its text by a digest.
//!
//! A launch passes raw bytes and addresses to a text, so both must match. The compiler computes a digest of the text
//! with its parameter list; the runtime compiles only texts with the right digest, and passes only arguments that match
//! the list. So a text that was modified, or declared with other parameters, is rejected.

use crate::element::ElementType;

/// A parameter of a kernel, in argument order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// An array in device memory: element type and rank, followed by its extents.
    Array(ElementType, u8),
    /// An array that the device copies to constant memory: element type and rank, followed by its extents.
    Constant(ElementType, u8),
    /// A number or small array of this size in bytes, passed by value.
    Value(u32),
}

/// The contract between a kernel's text and its launches.
#[derive(Clone, Copy, Debug)]
pub struct Signature<'s> {
    /// The name of the entry function.
    pub entry: &'s str,
    /// The source text.
    pub text: &'s str,
    /// The kernel as packed PTX.
    pub portable: &'s [u8],
    /// The encoded schedule.
    pub style: [u32; 4],
    /// The rank of a position.
    pub rank: u8,
    /// Whether the start and end of a device's slice follow the extents of the launch.
    pub divisible: bool,
    /// The parameters that precede the extents of the launch.
    pub parameters: &'s [Parameter],
    /// The element type and the operation of each reduction.
    pub results: &'s [(ElementType, &'s str)],
    /// Whether the kernel uses dynamic shared memory.
    pub dynamic_shared: bool,
    /// Whether threads allocate memory at run time.
    pub heap: bool,
    /// Privatised tables: argument index and bytes of an element.
    pub tables: &'s [(usize, usize)],
    /// Number of sites in the text that may raise an error.
    pub sites: usize,
}

impl Signature<'_> {
    /// Whether `seal` is the digest of this signature.
    pub fn has_seal(&self, seal: u64) -> bool {
        self.digest() == seal
    }

    /// The digest, for a caller that vouches for the text.
    ///
    /// # Safety
    /// Launched with arguments that match the parameters, the kernel accesses only these, for any size of the launch
    /// that its program requests. `'unchecked` accesses are excepted: for them the program vouches.
    pub unsafe fn seal(&self) -> u64 {
        self.digest()
    }

    fn digest(&self) -> u64 {
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        digest.bytes(self.entry.as_bytes());
        digest.bytes(self.text.as_bytes());
        digest.bytes(self.portable);
        self.style.iter().for_each(|&number| digest.number(u64::from(number)));
        digest.number(u64::from(self.rank) | u64::from(self.divisible) << 8);
        digest.number(self.parameters.len() as u64);
        for parameter in self.parameters {
            match *parameter {
                Parameter::Array(element, rank) => {
                    digest.bytes(element.name().as_bytes());
                    digest.number(u64::from(rank));
                }
                Parameter::Constant(element, rank) => {
                    digest.bytes(element.name().as_bytes());
                    digest.number(1 << 8 | u64::from(rank));
                }
                Parameter::Value(bytes) => digest.number(1 << 32 | u64::from(bytes)),
            }
        }
        digest.number(self.results.len() as u64);
        for (element, row) in self.results {
            digest.bytes(element.name().as_bytes());
            digest.bytes(row.as_bytes());
        }
        digest.number(u64::from(self.dynamic_shared) | u64::from(self.heap) << 1);
        digest.number(self.tables.len() as u64);
        for &(array, size) in self.tables {
            digest.number(array as u64);
            digest.number(size as u64);
        }
        digest.number(self.sites as u64);
        digest.0
    }
}

/// A hash like FNV-1a over 64-bit words, since it runs in macros, which are compiled without optimisation.
struct Digest(u64);

impl Digest {
    fn number(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x0100_0000_01b3);
        // A product only carries upwards, so the upper half is folded down.
        self.0 ^= self.0 >> 32;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.number(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.number(u64::from_le_bytes(last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_changes_the_seal() {
        let parameters = [Parameter::Array(ElementType::Single, 2), Parameter::Value(4)];
        let results = [(ElementType::Single, "add")];
        let whole = Signature {
            entry: "k",
            text: "text",
            portable: b"ptx",
            style: [1, 0, 0, 0],
            rank: 2,
            parameters: &parameters,
            results: &results,
            divisible: false,
            dynamic_shared: false,
            heap: false,
            tables: &[],
            sites: 3,
        };
        let others = [
            Signature { entry: "l", ..whole },
            Signature { text: "texts", ..whole },
            Signature { portable: b"", ..whole },
            Signature { style: [1, 0, 1, 0], ..whole },
            Signature { rank: 1, ..whole },
            Signature { parameters: &parameters[..1], ..whole },
            Signature {
                parameters: &[Parameter::Array(ElementType::Double, 2), Parameter::Value(4)],
                ..whole
            },
            Signature {
                parameters: &[Parameter::Array(ElementType::Single, 3), Parameter::Value(4)],
                ..whole
            },
            Signature {
                parameters: &[Parameter::Array(ElementType::Single, 2), Parameter::Value(8)],
                ..whole
            },
            Signature {
                parameters: &[Parameter::Constant(ElementType::Single, 2), Parameter::Value(4)],
                ..whole
            },
            Signature { results: &[], ..whole },
            Signature { results: &[(ElementType::Single, "max")], ..whole },
            Signature { dynamic_shared: true, ..whole },
            Signature { heap: true, ..whole },
            Signature { divisible: true, ..whole },
            Signature { tables: &[(0, 4)], ..whole },
            Signature { sites: 4, ..whole },
        ];
        let mut seals: Vec<u64> = others.iter().map(Signature::digest).collect();
        seals.push(whole.digest());
        seals.sort_unstable();
        seals.dedup();
        assert_eq!(seals.len(), others.len() + 1);
        assert!(Signature { ..whole }.has_seal(whole.digest()));
        assert!(!whole.has_seal(others[0].digest()));
    }
}
