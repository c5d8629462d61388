//! `quasar jupyter`: notebooks. Jupyter starts `jupyter/kernel.py`, which speaks its protocol through the package `ipykernel` that each
//! Jupyter has, and which starts `quasar jupyter serve`. The crates that speak the protocol need a runtime for asynchronous code and
//! some dozens of packages more, for sockets that Jupyter's own package has already.

mod events;
mod install;
mod serve;

use crate::arguments::Notebook;

/// Installs the kernel, or serves it.
pub(crate) fn jupyter(wanted: &Notebook) -> Result<(), String> {
    match wanted {
        Notebook::Install { prefix } => install::install(prefix.as_deref()),
        Notebook::Serve => serve::serve(),
    }
}
