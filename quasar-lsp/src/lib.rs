//! The language server: the Language Server Protocol (3.17) on two streams, over the queries of the compiler.
//!
//! One thread reads messages, one answers them in order. Requests about a text that changed analyse it once; the passes, whose messages
//! take longer, run when no message came for a moment.

#![forbid(unsafe_code)]

pub mod about;
mod answers;
mod edits;
mod position;
mod server;
mod texts;
pub mod wire;

use serde_json::Value;
use server::{Next, Server};
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

/// How long no message may come until the passes run.
const QUIET: Duration = Duration::from_millis(150);

/// Serves a client until it says `exit` or closes the stream. `folders` are searched for imports behind that of the importing
/// file. Returns whether the client shut the server down before.
///
/// # Errors
/// The output cannot be written.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
    folders: Vec<PathBuf>,
    settings: quasar_core::settings::Settings,
) -> std::io::Result<bool> {
    let (sender, receiver) = mpsc::channel();
    // The thread ends with its stream; waiting for it would wait for a client that keeps the stream open.
    std::thread::spawn(move || {
        let mut input = input;
        while let Some(message) = wire::read(&mut input) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    let mut server = Server::new(folders, settings);
    loop {
        let received = match server.has_work() {
            true => receiver.recv_timeout(QUIET),
            false => receiver.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected),
        };
        let (answers, next) = match received {
            Ok(message) => server.message(message),
            Err(mpsc::RecvTimeoutError::Timeout) => (server.work(), Next::GoOn),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(false),
        };
        for answer in &answers {
            write(output, answer)?;
        }
        if let Next::End { in_order } = next {
            return Ok(in_order);
        }
    }
}

fn write(output: &mut dyn Write, message: &Value) -> std::io::Result<()> {
    output.write_all(wire::framed(message).as_bytes())?;
    output.flush()
}
