//! Where a token stands, as `proc_macro2` knows it: `quasar-macros/src/place.rs` asks rustc, which is not here.

use proc_macro2::Span;
use std::path::PathBuf;

pub(crate) fn line(span: Span) -> usize {
    span.start().line
}

pub(crate) fn column(span: Span) -> usize {
    span.start().column + 1
}

pub(crate) fn file(span: Span) -> String {
    span.file()
}

pub(crate) fn local_file(span: Span) -> Option<PathBuf> {
    span.local_file()
}
