//! Figures: images, lines, points and bars in axes, drawn as PNG, SVG or HTML files or as text in a terminal.
//!
//! [`model`] says what a figure holds and [`session`] what the calls of a program do to its figures. [`draw`] places everything once,
//! for pixels ([`raster`]) and for SVG ([`vector`]); [`display`] decides where a finished figure goes.

#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)
)]

mod clip;
pub mod colour;
pub mod display;
pub mod draw;
mod glyphs;
mod legend;
pub mod model;
pub mod raster;
pub mod session;
pub mod terminal;
pub mod vector;

pub use display::Display;
pub use session::Session;

/// Why something is not shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An argument that no figure can hold.
    #[error("{0}")]
    Argument(String),
    /// A file that cannot be written.
    #[error("cannot write '{path}': {cause}")]
    File {
        /// The file or folder.
        path: String,
        /// What the system says.
        cause: std::io::Error,
    },
    /// Drawing failed.
    #[error("the figure cannot be drawn: {0}")]
    Drawing(String),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
