//! The device library as source text: [`compose`] prepends the macros and functions that a kernel uses.
//!
//! A kernel's text is both CUDA C++ and OpenCL C. It uses types (`q_f32`), functions (`q_power_f32`) and macros
//! (`Q_GLOBAL`) with the same semantics on every device, defined by [`crate::ops`], [`crate::boundary`] and
//! [`crate::small`]; the files in `device/` follow these modules name by name. Each function is a template over its
//! types; `template.rs` describes the format.

mod record;
mod signature;
mod template;

pub use record::FaultRecord;
pub use signature::{Parameter, Signature};
pub use template::suffix;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::OnceLock;
use template::Definition;

/// The programming language of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// CUDA C++, for NVRTC without include files.
    Cuda,
    /// OpenCL C 1.2.
    OpenCl,
}

/// Bytes of constant memory available to the arrays of a kernel: the size on all devices, less what compilers reserve.
pub const CONSTANT_BYTES: usize = 63 << 10;

/// Bytes of constant memory that an array of `bytes` bytes occupies. An empty array holds a zero there.
pub fn constant_place(bytes: usize) -> usize {
    bytes.max(1).next_multiple_of(16)
}

/// Layout of the scratch memory in which the last block of a launch combines the reductions of all blocks.
pub mod results {
    /// Number of 32-bit counters at the start of the scratch memory, which are zero before and after a launch. The
    /// first one determines the last block.
    pub const COUNTERS: usize = 4096;

    /// Bytes behind the counters for each reduction of each block.
    pub const BYTES: usize = 16;

    /// Maximum threads of a block for which the combination works.
    pub const MOST_THREADS: u32 = 1024;
}

/// Layout of the heap for allocations in kernels, as in `heap.h`.
pub mod heap {
    /// Bytes of the pages that one bitmap word covers.
    pub const BYTES: usize = 32 << 10;

    /// Bytes of `count` bitmap words and of the chunk links of their pages.
    pub const fn word_bytes(count: u32) -> usize {
        count as usize * (4 + 32 * 16)
    }

    /// Bytes of the pages of `count` bitmap words.
    pub const fn page_bytes(count: u32) -> usize {
        count as usize * BYTES
    }
}

/// The preludes: the macros of each dialect, which precede every kernel.
const PRELUDES: [&str; 2] =
    [include_str!("../../device/prelude_cuda.h"), include_str!("../../device/prelude_opencl.h")];

/// The template files of the library.
const FILES: &[&str] = &[
    include_str!("../../device/types.h"),
    include_str!("../../device/convert.h"),
    include_str!("../../device/compare.h"),
    include_str!("../../device/arithmetic.h"),
    include_str!("../../device/math.h"),
    include_str!("../../device/complex.h"),
    include_str!("../../device/boundary.h"),
    include_str!("../../device/flow.h"),
    include_str!("../../device/groups.h"),
    include_str!("../../device/vectors.h"),
    include_str!("../../device/small.h"),
    include_str!("../../device/random.h"),
    include_str!("../../device/atomics.h"),
    include_str!("../../device/fault.h"),
    include_str!("../../device/heap.h"),
];

/// The definitions for a dialect, by name.
type Library = HashMap<String, Definition>;

fn library(dialect: Dialect) -> &'static Library {
    static LIBRARIES: [OnceLock<Library>; 2] = [OnceLock::new(), OnceLock::new()];
    LIBRARIES[dialect as usize]
        .get_or_init(|| FILES.iter().flat_map(|file| template::definitions(file, dialect)).collect())
}

/// Names of all types and functions of the library, sorted.
pub fn names(dialect: Dialect) -> Vec<&'static str> {
    let mut names: Vec<_> = library(dialect).keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// Links a kernel: prepends the macros of the dialect and the library definitions that it uses, transitively and in
/// dependence order. Unknown names are assumed to be the kernel's own.
pub fn compose(dialect: Dialect, text: &str) -> String {
    let mut composition =
        Composition { library: library(dialect), placed: HashSet::new(), out: String::new() };
    composition.out.push_str(&template::without_comments(PRELUDES[dialect as usize]));
    let _ = writeln!(composition.out, "#define Q_IDENTITY {}", identity(text));
    composition.place_used_by(text);
    composition.out.push_str(text);
    composition.out
}

/// A non-zero hash that identifies the kernel in error records.
pub fn identity(text: &str) -> i32 {
    // FNV-1a; it must be the same in the process that compiles the text and in the one that launches it.
    let hash =
        text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash & 0x7fff_ffff).max(1).cast_signed()
}

struct Composition {
    library: &'static Library,
    placed: HashSet<&'static str>,
    out: String,
}

impl Composition {
    fn place_used_by(&mut self, text: &str) {
        for name in names_in(text) {
            let Some((name, definition)) = self.library.get_key_value(name) else { continue };
            if self.placed.insert(name) {
                let body = definition.text();
                self.place_used_by(&body);
                self.out.push_str(&body);
            }
        }
    }
}

/// The identifiers of a text that begin with `q_`.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    text.split(move |c| !is_part(c)).filter(|word| word.starts_with("q_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIALECTS: [Dialect; 2] = [Dialect::Cuda, Dialect::OpenCl];

    #[test]
    fn only_what_is_used_is_included_and_in_order() {
        let text = "Q_KERNEL void k(Q_GLOBAL q_i32 *p) { p[0] = q_mirror(p[0], 7) + q_mine(2); }\n";
        for dialect in DIALECTS {
            let all = compose(dialect, text);
            assert!(all.ends_with(text));
            let position = |what: &str| all.find(what).unwrap_or_else(|| panic!("{what} in {all}"));
            assert!(position(" q_rem_i32(") < position(" q_modulo_i32("));
            assert!(position(" q_modulo_i32(") < position(" q_mirror_i32("));
            assert_eq!(all.matches("Q_FN q_i32 q_mirror(").count(), 1);
            for absent in ["q_f64", "fp64", "q_f16", "q_power", "$", "//"] {
                assert!(!all.contains(absent), "{absent} in {all}");
            }
            assert_eq!(all, compose(dialect, text));
        }
    }

    #[test]
    fn doubles_are_enabled_only_where_they_are_used() {
        let pragma = "cl_khr_fp64 : enable";
        assert!(compose(Dialect::OpenCl, "q_mod_ q_sin_f64").contains(pragma));
        assert!(!compose(Dialect::OpenCl, "q_sin_f32 q_power_f32 q_fail q_atomic_add_f32").contains(pragma));
        assert!(!compose(Dialect::Cuda, "q_sin_f64").contains("pragma"));
    }

    /// The C types of the result and of the arguments, from the suffixes of both.
    fn first_line(dialect: Dialect, name: &str) -> String {
        let text = library(dialect).get(name).unwrap_or_else(|| panic!("{name} is missing")).text();
        text.lines().find(|line| line.starts_with("Q_FN")).unwrap_or_default().to_owned()
    }

    #[test]
    fn every_row_has_a_function_for_every_type_of_its_domain() {
        use crate::element::ElementType;
        use crate::ops::TABLE;
        for dialect in DIALECTS {
            for row in TABLE {
                for &ty in ElementType::ALL.iter().filter(|&&ty| row.domain.contains(ty)) {
                    let suffix = template::suffix(ty);
                    let line = first_line(dialect, &format!("q_{}_{suffix}", row.symbol));
                    let result = template::suffix(row.result.apply(ty));
                    let start = format!("Q_FN q_{result} q_{}_{suffix}(q_{suffix} ", row.symbol);
                    assert!(line.starts_with(&start), "{line} is not {start}");
                    assert_eq!(
                        line.split('{').next().unwrap_or("").matches("q_").count(),
                        row.arity + 2,
                        "{line}"
                    );
                }
            }
            for &to in ElementType::ALL {
                for &from in ElementType::ALL {
                    for (rule, result) in [("to", to), ("saturate", to), ("fits", ElementType::Int32)] {
                        let (to, from, result) =
                            (template::suffix(to), template::suffix(from), template::suffix(result));
                        let line = first_line(dialect, &format!("q_{rule}_{to}_from_{from}"));
                        let start = format!("Q_FN q_{result} q_{rule}_{to}_from_{from}(q_{from} x)");
                        assert!(line.starts_with(&start), "{line} is not {start}");
                    }
                }
            }
        }
    }

    #[test]
    fn both_dialects_define_the_same_names_for_kernels() {
        let [cuda, opencl] = DIALECTS.map(names);
        assert_eq!(cuda, opencl);
        let macros = |text: &'static str| -> Vec<&str> {
            let names = text.lines().filter_map(|line| line.strip_prefix("#define "));
            let names = names.map(|line| line.split([' ', '(']).next().unwrap_or(""));
            let mut names: Vec<_> = names.filter(|name| !name.ends_with(['0', '1', '2'])).collect();
            names.sort_unstable();
            names
        };
        let own = |name: &&str| !["Q_CUDA", "Q_OPENCL"].contains(name);
        let [cuda, opencl] = PRELUDES.map(|text| macros(text).into_iter().filter(own).collect::<Vec<_>>());
        assert_eq!(cuda, opencl);
    }

    #[test]
    fn constant_memory_has_the_size_that_launches_count_with() {
        assert!(PRELUDES[Dialect::Cuda as usize].contains(&format!("q_constants[{CONSTANT_BYTES}]")));
        assert_eq!([0, 1, 16, 17].map(constant_place), [16, 16, 16, 32]);
    }

    #[test]
    fn definitions_use_only_what_exists() {
        for dialect in DIALECTS {
            for name in names(dialect) {
                let text = library(dialect)[name].text();
                assert!(!text.contains('$'), "{text}");
                for used in names_in(&text) {
                    assert!(library(dialect).contains_key(used), "{used} in {text}");
                }
            }
        }
    }
}
