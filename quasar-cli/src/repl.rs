//! `quasar repl`: programs that are written line by line, from a terminal or from the standard input. Its session also serves
//! notebooks.

mod commands;
mod defined;
mod entry;

mod program;
mod questions;
mod session;
mod terminal;

use crate::arguments::Options;
use crate::interrupt::Interrupts;
use crate::kept::{SessionHost, Variables};
use crate::{load, output};
pub(crate) use commands::Done;
use quasar_core::interp::{self, InterpOptions};
use quasar_runtime::context::checks_numbers;
use quasar_runtime::library::host_services::with_host;
pub(crate) use session::Session;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use terminal::{Line, Terminal};

/// Runs files, then what is written, until the end of the input. Without a terminal, fails if one of the texts did.
pub(crate) fn repl(files: &[PathBuf], options: &Options) -> Result<(), String> {
    let interrupts = Interrupts::default();
    let at_terminal = std::io::stdin().is_terminal();
    if at_terminal {
        interrupts.listen();
    }
    with_session(options, &interrupts, |session| {
        let mut good = true;
        for file in files {
            let text = crate::fmt::read(file)?;
            good &= session.run_file(&file.to_string_lossy(), &text);
        }
        match at_terminal {
            true => from_terminal(session, &interrupts),
            false => from_stream(session, good),
        }
    })
}

/// Runs `f` with a new session, whose entries are ended by interrupts.
pub(crate) fn with_session(
    options: &Options,
    interrupts: &Interrupts,
    f: impl FnOnce(&mut Session<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let settings = load::settings(options)?;
    let working = settings.precision;
    let mut watcher = interrupts.clone();
    let variables = Variables::default();
    with_host(working, |host| {
        let mut host = SessionHost { host, variables: variables.clone() };
        let machine = InterpOptions { working, check_numbers: checks_numbers(), ..InterpOptions::default() };
        let machine = interp::Session::new(machine, &mut host).with_watcher(&mut watcher);
        f(&mut Session::new(&settings, options, variables, machine))
    })
}

/// Runs a command of a session; `None` if the text is none.
pub(crate) fn run_command(session: &mut Session<'_>, text: &str) -> Option<Result<Done, String>> {
    command(text).map(|command| commands::run(session, command))
}

/// Whether a text is a command, and what is behind its colon.
fn command(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix(':')
}

fn from_terminal(session: &mut Session<'_>, pressed: &Interrupts) -> Result<(), String> {
    let mut terminal = Terminal::new(session.defined.clone())?;
    output::line(&format!("Quasar {}; :help lists the commands", env!("CARGO_PKG_VERSION")))?;
    loop {
        let text = match terminal.line()? {
            Line::Text(text) => text,
            Line::Dropped => continue,
            Line::End => break,
        };
        pressed.clear();
        match command(&text) {
            Some(command) => {
                if let Done::Quit = commands::run(session, command)? {
                    break;
                }
            }
            None => {
                session.run(&text);
            }
        }
    }
    terminal.keep_history();
    Ok(())
}

fn from_stream(session: &mut Session<'_>, mut good: bool) -> Result<(), String> {
    let mut text = String::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| format!("Error: the standard input cannot be read: {error}"))?;
        if text.is_empty()
            && let Some(command) = command(&line)
        {
            match commands::run(session, command)? {
                Done::Ok => {}
                Done::Failed => good = false,
                Done::Quit => return ended(good),
            }
            continue;
        }
        text += &line;
        text.push('\n');
        if !entry::is_open(&text) {
            good &= session.run(&std::mem::take(&mut text));
        }
        if session.is_unread {
            return ended(false);
        }
    }
    // What is still open at the end is wrong, and is said to be.
    if !text.is_empty() {
        good &= session.run(&text);
    }
    ended(good)
}

fn ended(good: bool) -> Result<(), String> {
    if good { Ok(()) } else { Err(String::new()) }
}
