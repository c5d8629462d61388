//! Calls of the macros: tokens with and without places, string literals and files. The first byte chooses the form and
//! what stands before the program.

use super::{folder, text};
use crate::memory::limited;

pub fn run(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else { return };
    let text = text(rest);
    let said = limited(1 << 30, || match choice & 3 {
        0 => quasar_fuzz_macros::tokens(&text),
        1 => quasar_fuzz_macros::tokens_without_places(&text),
        2 => quasar_fuzz_macros::literal(&text, choice >> 2),
        _ => {
            let path = folder().join("fuzz.q");
            std::fs::write(&path, text.as_bytes()).ok()?;
            quasar_fuzz_macros::file(&path.to_string_lossy())
        }
    });
    proc_macro2::extra::invalidate_current_thread_spans();
    let Some(said) = said else { return };
    for words in ["internal error", "Bug in Quasar"] {
        assert!(!said.contains(words), "{said}");
    }
}
