//! Values of tuning parameters that `quasar tune` left beside a program.

use crate::source_text::Source;
use quasar_core::message::Message;
use quasar_core::query::tuning::{Tuning, values};
use quasar_core::source::{SourceProvider, Span};
use std::io::ErrorKind;
use std::path::PathBuf;

/// A file of tuned values.
pub(crate) struct Tuned {
    pub(crate) path: PathBuf,
    /// Why it is not used.
    pub(crate) refused: Option<Message>,
}

/// The variable that names the devices of the program, and so whose values are used.
pub(crate) const ENGINE: &str = "QUASAR_DEVICE";

/// Adds the values for the engine that the environment of the build names, or for the processor that builds. What the call defines
/// itself wins. `None` if there is no file.
pub(crate) fn of(
    source: &Source,
    files: &dyn SourceProvider,
    definitions: &mut Vec<String>,
) -> Option<Tuned> {
    let path = values::file_of(source.path.as_ref()?);
    let used = match quasar_files::read::text(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => Err(error.to_string()),
        Ok(text) => values::Tuned::read(&text).and_then(|tuned| {
            let tuning = Tuning::of(&source.name, &source.text, files);
            let engine = std::env::var(ENGINE).unwrap_or_default();
            let engine = engine.split(':').next().filter(|engine| ["cuda", "opencl"].contains(engine));
            let processor = quasar_files::processor::name();
            let device = if engine.is_some() { None } else { Some(&*processor) };
            tuned.definitions(&tuning, engine.unwrap_or("cpu"), device, definitions)
        }),
    };
    let refused = match used {
        Ok(used) => {
            definitions.extend(used);
            None
        }
        Err(why) => {
            let [text, help] = values::refused(&path, &why);
            Some(Message::warning("Q0218", Span::default(), text).help(help))
        }
    };
    Some(Tuned { path, refused })
}
