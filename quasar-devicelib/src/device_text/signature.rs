//! What the compiler knows of a kernel's text, tied to it by a seal.
//!
//! A launch passes bytes and addresses to a text, so both must fit together. The compiler seals the text with the list of
//! its parameters, and the run-time system compiles only texts whose seal is right and passes only arguments that the list
//! names: a text that was changed, or declared with other parameters, is refused.

use crate::element::ElementType;

/// A parameter of a kernel, in the order of the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// An array in memory of the device, and its extents.
    Array(ElementType, u8),
    /// An array that the device copies to constant memory, and its extents.
    Constant(ElementType, u8),
    /// A number or a small array of so many bytes.
    Value(u32),
}

/// What a kernel's text and its launches agree about.
#[derive(Clone, Copy, Debug)]
pub struct Signature<'s> {
    /// The name of the entry function.
    pub entry: &'s str,
    /// The text.
    pub text: &'s str,
    /// The text as PTX, packed.
    pub portable: &'s [u8],
    /// How positions are handed to threads, as numbers.
    pub style: [u32; 4],
    /// The number of components of a position.
    pub rank: u8,
    /// Whether the start and the end of a device's part come after the extents of the launch.
    pub divisible: bool,
    /// The parameters before the extents of the launch.
    pub parameters: &'s [Parameter],
    /// The type of each result and how it is accumulated.
    pub results: &'s [(ElementType, &'s str)],
    /// Whether the launch chooses the size of shared memory.
    pub dynamic_shared: bool,
    /// Whether threads take memory while they run.
    pub heap: bool,
    /// Arrays that blocks have tables for, and the bytes of an element.
    pub tables: &'s [(usize, usize)],
    /// How many places the text names where errors may arise.
    pub sites: usize,
}

impl Signature<'_> {
    /// Whether a seal is that of this text and all that belongs to it.
    pub fn has_seal(&self, seal: u64) -> bool {
        self.digest() == seal
    }

    /// The seal, for those who vouch for the text.
    ///
    /// # Safety
    /// Launched with arguments as the parameters name them, the kernel reads and writes only what these are, at any size of the launch
    /// that its program asks for. `'unchecked` accesses are excepted: for them the program vouches.
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

/// A hash like FNV-1a, of words of 64 bits: it runs in macros, which are compiled without optimisation.
struct Digest(u64);

impl Digest {
    fn number(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x0100_0000_01b3);
        // A product carries upwards only.
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
