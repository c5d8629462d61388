//! Libraries that calls go to where they are.

use super::super::Unavailable;
use crate::context;
use crate::error::Error;
use quasar_compiled::libraries::{Wanted, variable};

/// Why a library is not used.
pub(super) enum Reason {
    /// There is none.
    Missing(Unavailable),
    /// It does not work.
    Failed(Error),
}

impl From<Unavailable> for Reason {
    fn from(unavailable: Unavailable) -> Reason {
        Reason::Missing(unavailable)
    }
}

impl From<Error> for Reason {
    fn from(error: Error) -> Reason {
        Reason::Failed(error)
    }
}

/// What was found of a library. What the user named and is not there, and what is there and does not work, is a warning.
pub(super) fn or_warn<T, E: Into<Reason>>(wanted: &Wanted, found: Result<T, E>) -> Option<T> {
    match found.map_err(Into::into) {
        Ok(found) => return Some(found),
        Err(Reason::Missing(_)) if variable(wanted.variable).is_none() => {}
        Err(Reason::Missing(unavailable)) => context::warn(Error::system(unavailable.reason)),
        Err(Reason::Failed(error)) => {
            context::warn(Error::system(format!("{} is not used: {error}", wanted.name)));
        }
    }
    None
}
