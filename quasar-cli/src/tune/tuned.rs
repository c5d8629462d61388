//! Values that an earlier `quasar tune` left beside a program, for the commands that compile it.

use crate::arguments::Options;
use crate::{load, output};
use quasar_core::query::tuning::{Tuning, values};
use quasar_runtime::device::select;
use std::io::ErrorKind;
use std::path::Path;

/// The options with the values for an engine, where there are some; what the command line defines wins. A file that cannot be used is a
/// warning.
pub(crate) fn applied(file: &Path, options: &Options, engine: &str) -> Result<Options, String> {
    let mut options = options.clone();
    let path = values::file_of(file);
    let used = match quasar_files::read::text(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(options),
        Err(error) => Err(error.to_string()),
        Ok(text) => values::Tuned::read(&text).and_then(|tuned| {
            let tuning = of(file).map_err(|error| error.trim_start_matches("Error: ").to_owned())?;
            let (kind, device) = device(engine);
            let used = tuned.definitions(&tuning, &kind, Some(&device), &options.definitions)?;
            if used.is_empty() && options.verbosity > 0 {
                output::complain(&format!(
                    "Note: '{}' has no values for {kind} on '{device}'",
                    path.display()
                ));
            }
            Ok(used)
        }),
    };
    match used {
        Ok(used) => options.definitions.extend(used),
        Err(why) => {
            let [text, help] = values::refused(&path, &why);
            output::complain(&format!("Warning: {}: {text} [Q0218]\n  = help: {help}", file.display()));
        }
    }
    Ok(options)
}

/// The tuning parameters of a file.
pub(super) fn of(file: &Path) -> Result<Tuning, String> {
    let text = crate::fmt::read(file)?;
    Ok(Tuning::of(&file.to_string_lossy(), &text, &load::modules()))
}

/// The kind of an engine, and the name of its device.
pub(super) fn device(engine: &str) -> (String, String) {
    let (kind, number) = engine.split_once(':').unwrap_or((engine, "0"));
    let number: usize = number.parse().unwrap_or(0);
    let named = |devices: Result<Vec<std::sync::Arc<dyn quasar_runtime::device::Device>>, _>| {
        let devices: Vec<_> = devices.unwrap_or_default();
        // The number of a device is no part of what it is.
        devices.get(number).map(|device| match device.name().split_once(' ') {
            Some((_, name)) => name.to_owned(),
            None => device.name().to_owned(),
        })
    };
    let found = match kind {
        "opencl" => ("opencl", named(select::opencl().map_err(drop))),
        "cpu" => ("cpu", None),
        _ => ("cuda", named(select::cuda().map_err(drop))),
    };
    match found {
        (kind, Some(name)) => (kind.to_owned(), name),
        _ => ("cpu".to_owned(), quasar_files::processor::name()),
    }
}
