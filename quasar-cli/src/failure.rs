//! What is said about an error that ended a program, with the line where it happened.

use quasar_core::interp::{RunError, RunErrorKind};
use quasar_core::message::Message;
use quasar_core::message::render::{self, Style};
use quasar_core::sema::COMMAND_LINE;
use quasar_core::source::SourceMap;
use std::io::IsTerminal;

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

/// The error as programs see it, and below it the file, the line and an excerpt.
pub(crate) fn described(error: &RunError, sources: &SourceMap) -> String {
    // The code that takes the arguments of the command line is nobody's.
    if sources.files().any(|(id, file)| id == error.span.file && file.name == COMMAND_LINE) {
        return format!("Error: {}", text(error));
    }
    let style = if std::io::stderr().is_terminal() { Style::Coloured } else { Style::Plain };
    let snippet = message(error, sources).map(|message| render::snippet(&message, sources, style));
    match snippet.as_deref().and_then(|snippet| snippet.split_once('\n')) {
        Some((_, place)) => format!("Error: {error}\n{}", place.trim_end()),
        None => format!("Error: {error}"),
    }
}

/// The error with file, line and excerpt. Ends with a newline.
pub(crate) fn shown(error: &RunError, sources: &SourceMap, style: Style) -> String {
    match message(error, sources) {
        Some(message) => render::snippet(&message, sources, style),
        None => format!("Error: {}\n", text(error)),
    }
}
