//! `quasar emulate`: runs a program on the virtual device and reports errors in its kernels.

use crate::arguments::{Emulation, Options};
use crate::load;
use crate::output;
use quasar_emulator::{Emulator, Program};
use std::io::IsTerminal;
use std::path::Path;

/// Prints the program's output, its trace and the report; fails if an error was found or the program fails.
pub(crate) fn emulate(
    file: &Path,
    emulation: &Emulation,
    arguments: &[String],
    options: &Options,
) -> Result<(), String> {
    let settings = load::settings(options)?;
    let program = Program::for_command_line(file, settings, load::folders(), &options.definitions)
        .map_err(|error| error.to_string())?;
    let mut emulator = Emulator::new(&program).seeds(0..emulation.orders);
    emulator = emulator.coloured(std::io::stdout().is_terminal());
    if let Some(kernel) = &emulation.kernel {
        emulator = emulator.kernel(kernel);
    }
    emulator = match (emulation.trace, &emulation.position) {
        (None, _) => emulator,
        (Some(lines), None) => emulator.trace(lines),
        (Some(lines), Some(position)) => emulator.trace_position(position, lines),
    };
    let report = emulator.main(arguments);
    output::text(report.output())?;
    report.trace().iter().try_for_each(|line| output::line(line))?;
    output::line(&report.to_string())?;
    if report.is_clean() && report.result().is_ok() { Ok(()) } else { Err(String::new()) }
}
