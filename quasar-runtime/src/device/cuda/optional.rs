//! Libraries that calls go to where they are: looked for once, their functions as tables, what their statuses mean.

use super::super::hardware::Engine as _;
use super::super::{Unavailable, device_error, out_of_memory};
use super::driver::{SUCCESS, Status};
use super::engine::Engine;
use crate::context;
use crate::error::{Error, Result};
use libloading::Library;
use quasar_compiled::libraries::{Wanted, variable};
use std::sync::OnceLock;

/// A library with the functions `F`.
pub(super) struct Optional<F> {
    pub(super) wanted: Wanted,
    pub(super) load: fn(&Library) -> std::result::Result<F, Unavailable>,
    /// The status of calls for which there is not enough memory.
    pub(super) no_memory: Status,
    /// What others mean.
    pub(super) meanings: &'static [(Status, &'static str)],
    pub(super) loaded: OnceLock<std::result::Result<F, Unavailable>>,
}

impl<F> Optional<F> {
    /// The functions, if the library is there. It is loaded once.
    pub(super) fn functions(&self) -> std::result::Result<&F, Unavailable> {
        let load = || self.wanted.find().and_then(|(library, _)| (self.load)(library));
        self.loaded.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    /// What `start` makes of the functions. A library that the user named and that is not there, and one that is there and
    /// does not work, is a warning.
    pub(super) fn start<T>(&'static self, start: impl FnOnce(&'static F) -> Result<T>) -> Option<T> {
        match self.functions() {
            Ok(functions) => match start(functions) {
                Ok(started) => return Some(started),
                Err(error) => {
                    context::warn(Error::system(format!("{} is not used: {error}", self.wanted.name)));
                }
            },
            Err(unavailable) if variable(self.wanted.variable).is_some() => {
                context::warn(Error::system(unavailable.reason));
            }
            Err(_) => {}
        }
        None
    }

    /// Whether it is there, or why not.
    pub(super) fn report(&self) -> String {
        let name = self.wanted.name;
        match self.functions() {
            Ok(_) => format!("{name}: found"),
            Err(reason) => format!("{name}: not available: {reason}"),
        }
    }

    /// The result of one of its functions.
    pub(super) fn check(&self, engine: &Engine, status: Status) -> Result<()> {
        if status == SUCCESS {
            return Ok(());
        }
        if status == self.no_memory {
            return Err(out_of_memory(&engine.name, 0));
        }
        // What was submitted before may be the reason, and what it means for the device.
        engine.synchronize()?;
        let meaning = self.meanings.iter().find(|(known, _)| *known == status);
        let (name, what) = (self.wanted.name, meaning.map_or("failed", |(_, what)| what));
        Err(device_error(&engine.name, format!("{name}: {what} (error {status})")))
    }

    /// That the library has all functions, where it is: it needs no GPU to be loaded.
    #[cfg(test)]
    pub(super) fn test(&self) {
        if let Err(reason) = self.functions() {
            let named = variable(self.wanted.variable);
            assert!(named.is_none() && reason.reason.contains("was not found"), "{reason}");
            println!("not tested: {reason}");
        }
    }
}
