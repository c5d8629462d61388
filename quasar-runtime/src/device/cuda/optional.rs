//! Dynamically loaded vendor libraries: function tables that are resolved once, and the meaning of status codes.

use super::super::driver_device::Engine as _;
use super::super::{Unavailable, device_error, out_of_memory};
use super::driver::{SUCCESS, Status};
use super::engine::Engine;
use crate::context;
use crate::error::{Error, Result};
use libloading::Library;
use quasar_compiled::libraries::{LibrarySpec, variable};
use std::sync::OnceLock;

/// A library with the function table `F`.
pub(super) struct Optional<F> {
    pub(super) wanted: LibrarySpec,
    pub(super) load: fn(&Library) -> std::result::Result<F, Unavailable>,
    /// The status code for out of memory.
    pub(super) no_memory: Status,
    /// Messages for other status codes.
    pub(super) meanings: &'static [(Status, &'static str)],
    pub(super) loaded: OnceLock<std::result::Result<F, Unavailable>>,
}

impl<F> Optional<F> {
    /// The function table, if the library is available. It is loaded once.
    pub(super) fn functions(&self) -> std::result::Result<&F, Unavailable> {
        let load = || self.wanted.find().and_then(|(library, _)| (self.load)(library));
        self.loaded.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    /// Initialises the library with `start`. Warns if the user named a library that is not there, or if one is there
    /// but does not work.
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

    /// Whether the library is available, as a line of text.
    pub(super) fn report(&self) -> String {
        let name = self.wanted.name;
        match self.functions() {
            Ok(_) => format!("{name}: found"),
            Err(reason) => format!("{name}: not available: {reason}"),
        }
    }

    /// Converts a status code to a result.
    pub(super) fn check(&self, engine: &Engine, status: Status) -> Result<()> {
        if status == SUCCESS {
            return Ok(());
        }
        if status == self.no_memory {
            return Err(out_of_memory(&engine.name, 0));
        }
        // The failure may stem from earlier asynchronous work; synchronising reports that, and whether the device is
        // lost.
        engine.synchronize()?;
        let meaning = self.meanings.iter().find(|(known, _)| *known == status);
        let (name, what) = (self.wanted.name, meaning.map_or("failed", |(_, what)| what));
        Err(device_error(&engine.name, format!("{name}: {what} (error {status})")))
    }

    /// Tests that an available library has all functions: loading it needs no GPU.
    #[cfg(test)]
    pub(super) fn test(&self) {
        if let Err(reason) = self.functions() {
            let named = variable(self.wanted.variable);
            assert!(named.is_none() && reason.reason.contains("was not found"), "{reason}");
            println!("not tested: {reason}");
        }
    }
}
