//! The whole compiler, with all checks between its phases, up to Rust and the text for devices. The first byte chooses
//! options.

use super::text;
use crate::memory::limited;
use quasar_core::backend::rust::Options as Printing;
use quasar_core::driver::{self, Compilation, Options};
use quasar_core::message::render::{Style, snippets};
use quasar_core::message::{Category, Sink};
use quasar_core::settings::Settings;
use quasar_core::source::NoImports;
use quasar_core::types::ElementType;

pub fn run(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else { return };
    limited(1 << 30, || compile(*choice, &text(rest)));
}

/// Compiles and checks what is said; prints the code where there is a program.
pub(crate) fn compile(choice: u8, text: &str) -> Compilation {
    let precision = if choice & 1 == 0 { ElementType::Single } else { ElementType::Double };
    let options = Options {
        settings: Settings { precision, ..Settings::default() },
        command_line: choice & 2 != 0,
        facts: choice & 4 == 0,
        optimise: choice & 8 == 0,
        auto_parallel: choice & 16 == 0,
        auto_kernel: choice & 32 == 0,
        verify: true,
        ..Options::default()
    };
    let mut compilation = driver::compile("fuzz.q", text, &NoImports, &options);
    let mut sink = Sink::default();
    if let Some(program) = &compilation.program {
        let printing = Printing { working: precision, ..Printing::default() };
        driver::print_rust(program, &compilation.sources, &printing, &mut sink);
    }
    compilation.messages.extend(sink.into_sorted());
    for message in &compilation.messages {
        let is_defect = message.category == Category::Bug || message.text.contains("internal error");
        assert!(!is_defect, "{}", message.text);
    }
    snippets(&compilation.messages, &compilation.sources, Style::Plain);
    compilation
}
