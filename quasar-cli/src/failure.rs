//! What is said about an error that ended a program, with the line where it happened.

use quasar_core::interp::{RunError, RunErrorKind};
use quasar_core::message::Message;
use quasar_core::message::render::{self, Style};
use quasar_core::source::SourceMap;

/// The message without the line, which the excerpt shows.
pub(crate) fn text(error: &RunError) -> String {
    match error.kind {
        RunErrorKind::Assertion if error.brief.is_empty() => "assertion failed".to_owned(),
        RunErrorKind::Assertion => format!("assertion failed: {}", error.brief),
        _ => error.brief.clone(),
    }
}

/// The error as a message at its place; `None` if it has none in these files.
pub(crate) fn message(error: &RunError, sources: &SourceMap) -> Option<Message> {
    let known = !error.function.is_empty() && (error.span.file.0 as usize) < sources.files().count();
    let message = known.then(|| Message::error("", error.span, text(error)))?;
    let related = error.related.iter().filter(|(_, span)| (span.file.0 as usize) < sources.files().count());
    Some(related.fold(message, |message, (text, span)| message.related(*span, text)))
}

/// The error with file, line and excerpt. Ends with a newline.
pub(crate) fn shown(error: &RunError, sources: &SourceMap, style: Style) -> String {
    match message(error, sources) {
        Some(message) => render::snippet(&message, sources, style),
        None => format!("Error: {}\n", text(error)),
    }
}
