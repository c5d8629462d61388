//! The command `quasar`: runs, checks and inspects Quasar programs. This file dispatches to the commands.

#![forbid(unsafe_code)]

mod arguments;
mod build;
mod compiled_crate;
mod debug;
mod emit;
mod emulate;
mod explain;
mod failure;
mod fmt;
mod html;
mod interrupt;
mod jupyter;
mod kept;
mod load;
mod lsp;
mod memcheck;
mod native;
mod new;
mod output;
mod profile;
mod repl;
mod run;
mod test;
mod tune;
mod workbench;

use arguments::{Command, Engine};
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = match arguments::parse(std::env::args().collect()) {
        Ok(command) => command,
        Err(error) => return arguments_refused(&error),
    };
    warn_of_options_behind(&command);
    let result = match command {
        Command::Run { file, engine: Engine::Interpreter, arguments, options } => {
            run::interpret(&file, &arguments, &options)
        }
        Command::Run { file, engine: Engine::Native(device), arguments, options } => {
            native::run(&file, &arguments, &options, &device, None)
        }
        Command::Profile { file, wanted, .. } if file.extension().is_some_and(|e| e == "json") => {
            profile::show(&file, &wanted)
        }
        Command::Profile { file, engine, arguments, options, wanted } => {
            profile::measure(&file, &engine, &arguments, &options, &wanted)
        }
        Command::Compare { before, now } => profile::compare(&before, &now),
        Command::New { folder } => new::new(&folder),
        Command::Build { file, building, options } => build::build(&file, &building, &options),
        Command::Check { file, options } => load::check(&file, &options),
        Command::Emit { file, stage, options } => emit::emit(&file, stage, &options),
        Command::Explain { code } => explain::explain(code.as_deref()),
        Command::Debug { file, arguments, options, dap } => debug::debug(&file, &arguments, &options, dap),
        Command::Repl { files, options } => repl::repl(&files, &options),
        Command::Test { paths, testing, options } => test::test(&paths, &testing, &options),
        Command::ExplainLine { file, line, options } => explain::line(&file, line, &options),
        Command::Workbench { file, output, options } => workbench::workbench(&file, &output, &options),
        Command::ListPasses => emit::list_passes(),
        Command::Fmt { files, check } => fmt::fmt(&files, check),
        Command::Lsp => lsp::lsp(),
        Command::Jupyter(wanted) => jupyter::jupyter(&wanted),
        Command::Emulate { file, emulation, arguments, options } => {
            emulate::emulate(&file, &emulation, &arguments, &options)
        }
        Command::Memcheck { file, wanted, arguments, options } => {
            return memcheck::memcheck(&file, &wanted, &arguments, &options);
        }
        Command::Tune { file, wanted, arguments, options } => {
            tune::tune(&file, &wanted, &arguments, &options)
        }
        Command::Devices => {
            quasar_runtime::device::select::report().iter().try_for_each(|line| output::line(line))
        }
    };
    // What interpreted programs wrote; a program that failed leaves its arrays unfinished.
    let written = || quasar_runtime::store::flush().map_err(|error| format!("Error: {error}"));
    match result.and_then(|()| written()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            if !text.is_empty() {
                output::complain(&text);
            }
            ExitCode::FAILURE
        }
    }
}

/// What stands behind the file is for the program, which a misplaced option would reach in silence.
fn warn_of_options_behind(command: &Command) {
    let (Command::Run { arguments, .. }
    | Command::Debug { arguments, .. }
    | Command::Emulate { arguments, .. }
    | Command::Memcheck { arguments, .. }
    | Command::Tune { arguments, .. }
    | Command::Profile { arguments, .. }) = command
    else {
        return;
    };
    // Whoever writes `--` means what follows for the program.
    if std::env::args().any(|word| word == "--") {
        return;
    }
    if let Some((argument, name)) = arguments::options_behind(arguments) {
        output::complain(&format!(
            "Warning: '{argument}' stands behind the file, so it is an argument of main; options of quasar such as {name} \
             stand before the file\n  = help: write -- before the arguments of main if it is meant for the program"
        ));
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
