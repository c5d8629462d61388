//! `quasar lsp`: the language server on the standard streams.

use crate::arguments::Options;
use crate::{load, output};
use std::io::BufReader;

/// Serves an editor until it says `exit`; an error if it did not shut the server down before.
pub(crate) fn lsp() -> Result<(), String> {
    let settings = load::settings(&Options::default())?;
    // What the compiler does beside must not write into the stream of the protocol: only this handle does.
    let mut stream = std::io::stdout().lock();
    let input = BufReader::new(std::io::stdin());
    match quasar_lsp::serve(input, &mut stream, load::folders(), settings) {
        Ok(true) => Ok(()),
        Ok(false) => Err(String::new()),
        Err(error) => Err(output::failed(&error)),
    }
}
