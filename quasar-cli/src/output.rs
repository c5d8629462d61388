//! What the command writes, where a full disk or a reader that went away is an error and no panic.

use std::io::{self, Write};

/// Writes text to the standard output.
pub(crate) fn text(text: &str) -> Result<(), String> {
    let mut output = io::stdout();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| failed(&error))
}

/// Writes a line to the standard output.
pub(crate) fn line(line: &str) -> Result<(), String> {
    text(&format!("{line}\n"))
}

/// What a failure of the output is called.
pub(crate) fn failed(error: &io::Error) -> String {
    format!("Error: the output cannot be written: {error}")
}

/// Writes a message to the standard error. Where that fails, nobody can be told.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}
