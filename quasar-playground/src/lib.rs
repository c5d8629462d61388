//! The playground: the interpreter in a web page. [`look`] says of a text what an editor shows of it, [`run`] runs it; both answer in
//! JSON, with places in units of UTF-16, as scripts count them. `exports.rs` is what the script of the page calls.
//!
//! The page itself is in `page`, the list of its programs in `examples.rs`.

#![deny(unsafe_code)]

pub mod examples;
#[cfg(target_family = "wasm")]
mod exports;
pub mod look;
mod place;
pub mod run;

use quasar_core::driver;
use quasar_core::source::{SearchPath, SourceProvider};

/// What messages call the program.
pub const NAME: &str = "program.q";

/// Modules come from the files of the page.
fn modules() -> impl SourceProvider {
    SearchPath { folders: Vec::new(), read: quasar_files::read::module }
}

fn options() -> driver::Options {
    driver::Options { optimise: false, command_line: true, ..driver::Options::default() }
}
