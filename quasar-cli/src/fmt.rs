//! `quasar fmt`: lays out source files.

use crate::output;
use quasar_core::message::render::{self, Style};
use quasar_core::source::SourceMap;
use quasar_core::syntax::formatter::format;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

/// Formats files in place, `-` from the standard input to the output; with `check` it only says which files would change. What
/// cannot be parsed is left as it is.
pub(crate) fn fmt(files: &[PathBuf], check: bool) -> Result<(), String> {
    let (mut refused, mut unlike) = (0, 0);
    for file in files {
        let text = read(file)?;
        let formatted = match format(&text) {
            Ok(formatted) => formatted,
            Err(messages) => {
                let mut sources = SourceMap::default();
                sources.add(file.to_string_lossy(), text);
                let style = if std::io::stderr().is_terminal() { Style::Coloured } else { Style::Plain };
                for message in messages.iter().filter(|message| message.category.is_error()) {
                    output::complain(&render::snippet(message, &sources, style));
                }
                refused += 1;
                continue;
            }
        };
        let same = formatted == text;
        if check && !same {
            output::line(&file.to_string_lossy())?;
            unlike += 1;
        } else if !check && is_stream(file) {
            output::text(&formatted)?;
        } else if !check && !same {
            quasar_files::replace::replace(file, formatted.as_bytes())
                .map_err(|error| format!("Error: {}: {error}", file.display()))?;
        }
    }
    match (refused, unlike) {
        (0, 0) => Ok(()),
        (0, 1) => Err("1 file is not formatted".to_string()),
        (0, _) => Err(format!("{unlike} files are not formatted")),
        (1, _) => Err("1 file has errors and was left as it is".to_string()),
        _ => Err(format!("{refused} files have errors and were left as they are")),
    }
}

/// Whether a file argument stands for the standard input.
pub(crate) fn is_stream(file: &Path) -> bool {
    file == Path::new("-")
}

/// The text of a file or of the standard input.
pub(crate) fn read(file: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("Error: {}: {error}", file.display());
    if !is_stream(file) {
        return quasar_files::read::text(file).map_err(failed);
    }
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}
