//! `quasar debug`: runs a program on the interpreter, and stops where a user wants to look at it: at a terminal, or in an editor by
//! the Debug Adapter Protocol.

mod dap;
pub(crate) mod debuggee;
mod engine;
mod terminal;

use crate::arguments::Options;
use crate::{failure, output};
use debuggee::Debuggee;
use engine::{Command, Engine, Front, Reason, Request};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::message::render::Style;
use quasar_runtime::context;
use quasar_runtime::library::host_services::with_host;
use quasar_runtime::library::{command_line, figure};
use std::path::Path;
use terminal::Terminal;

/// Random numbers are the same in each run, so that going back comes to the same place.
const SEED: u64 = 1;

/// Debugs a program at the terminal. Fails if the program did, or a command from a pipe.
pub(crate) fn debug(file: &Path, arguments: &[String], options: &Options, dap: bool) -> Result<(), String> {
    if dap {
        return dap::serve(file, arguments, options);
    }
    let debuggee = Debuggee::load(file, options)?;
    let mut terminal = Terminal::new()?;
    let ran = session(&debuggee, arguments, &mut terminal);
    context::set_output(None);
    match terminal.failure {
        Some(why) => Err(why),
        None => ran.map_err(|_| String::new()),
    }
}

/// Runs a program as often as the user wants; its error, if it ended with one.
fn session(debuggee: &Debuggee, arguments: &[String], front: &mut dyn Front) -> Result<(), String> {
    let mut engine = Engine::new(debuggee, front);
    // Where the program failed when it was last seen to.
    let mut failed_at = None;
    loop {
        engine.begin();
        let result = run(debuggee, arguments, &mut engine);
        match engine.request.take() {
            Some(Request::RunAgain) => {
                failed_at = None;
                continue;
            }
            Some(Request::Quit) => return Ok(()),
            None if engine.search_ended() => continue,
            None => {}
        }
        // The state is gone with the error: run again up to the statement that fails.
        if let Err(error) = &result
            && failed_at != Some(engine.latest())
        {
            failed_at = Some(engine.latest());
            if engine.go_to_latest(Reason::Error(error.clone())) {
                continue;
            }
        }
        let error = result.as_ref().err().map(String::as_str);
        match engine.ended(error) {
            Command::Quit => return result,
            Command::Back | Command::BackOver if engine.go_to_latest(Reason::Step) => {}
            command => engine.start_again(command),
        }
    }
}

/// Runs the program once.
fn run(debuggee: &Debuggee, arguments: &[String], engine: &mut Engine<'_>) -> Result<(), String> {
    let compilation = &debuggee.compilation;
    let Some(program) = &compilation.program else { return Ok(()) };
    let working = compilation.settings.precision;
    context::seed(SEED);
    let ran = with_host(working, |host| {
        let options =
            InterpOptions { working, check_numbers: context::checks_numbers(), ..InterpOptions::default() };
        let mut interpreter = Interpreter::new(program, options, host).with_sources(&compilation.sources);
        interpreter = interpreter.with_watcher(engine);
        interpreter.run_initializer()?;
        if interpreter.has_main() {
            let arguments = command_line::arguments(arguments.iter().cloned(), working);
            interpreter.run_main(vec![arguments])?;
        }
        Ok(())
    });
    if let Err(error) = figure::show_figures() {
        output::complain(&format!("Error: {error}"));
    }
    ran.map_err(|error| failure::shown(&error, &compilation.sources, Style::Plain))
}
