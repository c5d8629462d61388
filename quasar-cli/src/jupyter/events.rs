//! What goes to the notebook: one JSON object per line, in the order in which things happen.

use crate::output::Listener;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The events of a session; clones write to the same place.
#[derive(Clone, Default)]
pub(super) struct Events(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_running: bool,
    /// Messages of a running cell that nothing was printed behind: if it fails, they say why.
    held: Vec<String>,
}

impl State {
    fn send(&self, event: &Value) -> io::Result<()> {
        let mut output = io::stdout().lock();
        writeln!(output, "{event}")?;
        output.flush()
    }

    fn stream(&self, name: &str, text: &str) -> io::Result<()> {
        self.send(&json!({"event": "stream", "name": name, "text": text}))
    }

    /// Shows the messages that were held back, as those of something that goes on.
    fn let_go(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        held.iter().try_for_each(|message| self.stream("stderr", &format!("{message}\n")))
    }
}

impl Events {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an answer.
    pub(super) fn send(&self, event: &Value) -> io::Result<()> {
        self.state().send(event)
    }

    /// Says that a cell begins.
    pub(super) fn begin(&self) {
        self.state().is_running = true;
    }

    /// Says that a cell has ended; the messages of one that failed are its error.
    pub(super) fn end(&self, id: &Value, good: bool) -> io::Result<()> {
        let mut state = self.state();
        state.is_running = false;
        if good {
            state.let_go()?;
        } else {
            let text = std::mem::take(&mut state.held).join("\n");
            state.send(&json!({"event": "error", "text": text.trim_end()}))?;
        }
        state.send(&json!({"event": "done", "id": id, "ok": good}))
    }

    /// Shows a figure.
    pub(super) fn figure(&self, number: i64, svg: &str, loss: &str) -> io::Result<()> {
        let mut state = self.state();
        state.let_go()?;
        state.send(&json!({"event": "figure", "number": number, "svg": svg}))?;
        if loss.is_empty() { Ok(()) } else { state.stream("stderr", &format!("figure {number}: {loss}\n")) }
    }
}

impl Listener for Events {
    fn text(&self, text: &str) -> io::Result<()> {
        let mut state = self.state();
        state.let_go()?;
        state.stream("stdout", text)
    }

    fn complaint(&self, message: &str) {
        let mut state = self.state();
        if state.is_running {
            state.held.push(message.to_owned());
        } else {
            // Who does not read the events does not read this one.
            let _ = state.stream("stderr", &format!("{message}\n"));
        }
    }
}

/// What programs print.
impl Write for Events {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text(&String::from_utf8_lossy(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
