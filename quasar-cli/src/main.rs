//! The command `quasar`: runs, checks and inspects Quasar programs.

#![forbid(unsafe_code)]

mod arguments;
mod emit;
mod emulate;
mod load;
mod native;
mod run;

use arguments::{Command, Engine};
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = match arguments::parse(std::env::args().collect()) {
        Ok(command) => command,
        Err(error) => error.exit(),
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
        Command::Emulate { file, emulation, arguments, options } => {
            emulate::emulate(&file, &emulation, &arguments, &options)
        }
        Command::Devices => {
            quasar_runtime::device::select::report().iter().for_each(|line| println!("{line}"));
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            if !text.is_empty() {
                eprintln!("{text}");
            }
            ExitCode::FAILURE
        }
    }
}
