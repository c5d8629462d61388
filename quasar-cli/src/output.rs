//! Output of the command; a full disk or a closed pipe is an error, not a panic.

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

/// The message for a failed write.
pub(crate) fn failed(error: &io::Error) -> String {
    format!("Error: the output cannot be written: {error}")
}

/// Writes a message to the standard error. A failure there cannot be reported and is ignored.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}
