//! Source locations of tokens, from rustc, or from `proc_macro2` in tests, which run without rustc.

use proc_macro2::Span;
use std::path::PathBuf;

/// The line, from 1.
pub(crate) fn line(span: Span) -> usize {
    #[cfg(not(test))]
    return span.unwrap().line();
    #[cfg(test)]
    span.start().line
}

/// The column, from 1.
pub(crate) fn column(span: Span) -> usize {
    #[cfg(not(test))]
    return span.unwrap().column();
    #[cfg(test)]
    return span.start().column + 1;
}

/// The name of the file in messages.
pub(crate) fn file(span: Span) -> String {
    #[cfg(not(test))]
    return span.unwrap().file();
    #[cfg(test)]
    span.file()
}

/// The path of the file, if it is one on disk.
pub(crate) fn local_file(span: Span) -> Option<PathBuf> {
    #[cfg(not(test))]
    return span.unwrap().local_file();
    #[cfg(test)]
    span.local_file()
}
