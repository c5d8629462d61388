//! The command `quasar`: runs, checks and inspects Quasar programs. This file dispatches to the commands.

#![forbid(unsafe_code)]

mod arguments;
mod emit;
mod emulate;
mod load;
mod native;
mod output;
mod run;

use arguments::{Command, Engine};
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = match arguments::parse(std::env::args().collect()) {
        Ok(command) => command,
        Err(error) => return arguments_refused(&error),
    };
    let result = match command {
        Command::Run { file, engine: Engine::Interpreter, arguments, options } => {
            run::interpret(&file, &arguments, &options)
        }
        Command::Run { file, engine: Engine::Cpu, arguments, options } => {
            native::run(&file, &arguments, &options)
        }
        Command::Check { file, options } => load::check(&file, &options),
        Command::Emit { file, stage, options } => emit::emit(&file, stage, &options),
        Command::ListPasses => emit::list_passes(),
        Command::Emulate { file, emulation, arguments, options } => {
            emulate::emulate(&file, &emulation, &arguments, &options)
        }
        Command::Devices => {
            quasar_runtime::device::select::report().iter().try_for_each(|line| output::line(line))
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            if !text.is_empty() {
                output::complain(&text);
            }
            ExitCode::FAILURE
        }
    }
}

/// Prints the help text or the error in the command line.
fn arguments_refused(error: &clap::Error) -> ExitCode {
    match (error.exit_code(), error.print()) {
        (0, Ok(())) => ExitCode::SUCCESS,
        (code, Ok(())) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        (_, Err(failure)) => {
            output::complain(&output::failed(&failure));
            ExitCode::FAILURE
        }
    }
}
