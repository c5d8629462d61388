//! The commands of a session, which begin with a colon.

use super::session::Session;
use crate::output;
use std::path::Path;

/// Names of commands, what they take, and what they do.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("type", "EXPR", "the type of an expression, or the header of a function"),
    ("time", "TEXT", "run it, and say how long that took"),
    (
        "emit",
        "FUNCTION",
        "the code of a function behind the transforms; a call, f(1), for parameters without types",
    ),
    ("vars", "", "the variables, with their types"),
    ("list", "", "the functions, types and imports"),
    ("forget", "NAME", "forget a variable, a function or a type"),
    ("load", "FILE", "run a file, and keep what it defines"),
    ("help", "", "this list"),
    ("quit", "", "leave; so does Ctrl-D"),
];

/// What a command did.
pub(crate) enum Done {
    Ok,
    Failed,
    Quit,
}

/// Runs a command; `text` begins behind its colon.
pub(super) fn run(session: &mut Session<'_>, text: &str) -> Result<Done, String> {
    let text = text.trim();
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let takes = COMMANDS.iter().find(|(known, ..)| *known == name).map(|(_, takes, _)| *takes);
    match takes {
        None => return refused(&format!("there is no command ':{name}'; ':help' lists all")),
        Some("") if !rest.is_empty() => return refused(&format!("':{name}' takes nothing")),
        Some(takes) if !takes.is_empty() && rest.is_empty() => {
            return refused(&format!("':{name}' needs more: :{name} {takes}"));
        }
        Some(_) => {}
    }
    let done = match name {
        "type" => session.type_of(rest)?,
        "time" => session.time(rest)?,
        "emit" => session.emit(rest)?,
        "vars" => variables(session)?,
        "list" => {
            let headers = session.defined.borrow().headers();
            headers.iter().try_for_each(|header| output::line(header))?;
            true
        }
        "forget" => session.forget(rest),
        "load" => match crate::fmt::read(Path::new(rest)) {
            Ok(text) => session.run_file(rest, &text),
            Err(error) => {
                output::complain(&error);
                false
            }
        },
        "help" => help()?,
        _ => return Ok(Done::Quit),
    };
    Ok(if done { Done::Ok } else { Done::Failed })
}

fn refused(why: &str) -> Result<Done, String> {
    output::complain(&format!("Error: {why}"));
    Ok(Done::Failed)
}

fn variables(session: &Session<'_>) -> Result<bool, String> {
    let variables = session.defined.borrow().variables.clone();
    for name in variables.names() {
        if let Some(variable) = variables.get(&name) {
            output::line(&format!("{name} : {}", variable.shown_type()))?;
        }
    }
    Ok(true)
}

fn help() -> Result<bool, String> {
    output::line("What is written runs at once; the value of a last expression is printed.")?;
    for (name, takes, does) in COMMANDS {
        output::line(&format!("  {:<16} {does}", format!(":{name} {takes}")))?;
    }
    Ok(true)
}
