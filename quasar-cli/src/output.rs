//! Output of the command; a full disk or a closed pipe is an error, not a panic.

use std::io::{self, Write};
use std::sync::OnceLock;

/// Takes texts instead of the standard streams.
pub(crate) trait Listener: Send + Sync {
    /// What belongs to the standard output.
    fn text(&self, text: &str) -> io::Result<()>;
    /// A message of one or more lines.
    fn complaint(&self, message: &str);
}

static LISTENER: OnceLock<Box<dyn Listener>> = OnceLock::new();

/// Gives all texts of this process to a listener from now on; only the first one is taken.
pub(crate) fn listen(listener: Box<dyn Listener>) {
    let _ = LISTENER.set(listener);
}

/// Writes text to the standard output.
pub(crate) fn text(text: &str) -> Result<(), String> {
    let write = || match LISTENER.get() {
        Some(listener) => listener.text(text),
        None => {
            let mut output = io::stdout();
            output.write_all(text.as_bytes()).and_then(|()| output.flush())
        }
    };
    write().map_err(|error| failed(&error))
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
    match LISTENER.get() {
        Some(listener) => listener.complaint(message),
        None => {
            let _ = writeln!(io::stderr(), "{message}");
        }
    }
}
