//! Programs on the interpreter, as lowered and as optimised, with limits for statements and memory and without files.

use super::text;
use crate::memory::limited;
use quasar_core::driver::{self, Options};
use quasar_core::interp::{InterpOptions, Interpreter, ThreadOrder};
use quasar_core::source::NoImports;
use quasar_devicelib::value::{BufferHost, Host, HostState};

/// Statements and bytes of an array. Together they stay far below ten seconds.
const STEPS: u64 = 1_000;
const BYTES: usize = 1 << 24;

/// A host that forgets what is printed.
struct Quiet(BufferHost);

impl Host for Quiet {
    fn print(&mut self, _text: &str) {}

    fn state(&mut self) -> &mut HostState {
        self.0.state()
    }

    fn now_ms(&self) -> f64 {
        0.0
    }
}

pub fn run(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else { return };
    let options = Options { optimise: choice & 1 == 0, verify: true, ..Options::default() };
    let compilation = limited(1 << 30, || driver::compile("fuzz.q", &text(rest), &NoImports, &options));
    let Some(program) = &compilation.program else { return };
    let order = if choice & 2 == 0 { ThreadOrder::Serial } else { ThreadOrder::Random(u64::from(*choice)) };
    let mut host = Quiet(BufferHost::default());
    let options = InterpOptions { order, step_limit: Some(STEPS), ..InterpOptions::default() };
    let mut interpreter = Interpreter::new(program, options, &mut host).with_sources(&compilation.sources);
    let ran = limited(BYTES, || {
        interpreter.run_initializer().and_then(|()| interpreter.run_main(Vec::new()).map(drop))
    });
    drop(ran.map_err(|error| error.to_string()));
}
