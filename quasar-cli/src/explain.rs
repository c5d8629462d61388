//! `quasar explain`: what the codes of messages mean.

use crate::output;
use quasar_core::message::explain::{explain as find, explanations};

/// Explains a code, or lists all.
pub(crate) fn explain(code: Option<&str>) -> Result<(), String> {
    match code {
        None => explanations().try_for_each(|row| output::line(&format!("{}  {}", row.code, row.cause))),
        Some(code) => {
            let unknown = || {
                format!("Error: there is no message with the code '{code}'; `quasar explain` lists all codes")
            };
            let row = find(code).ok_or_else(unknown)?;
            output::line(&format!("{}\n  What is wrong: {}\n  What to do: {}", row.code, row.cause, row.cure))
        }
    }
}
