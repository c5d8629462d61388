//! The procedural macros `quasar!` and `quasar_file!`, which compile a Quasar program together with the Rust crate that
//! contains it. The crate `quasar` documents them; this file only holds their entry points.

#![forbid(unsafe_code)]

#[cfg(any(test, feature = "embed-ptx"))]
mod embed;
mod expand;
mod place;
mod report;
mod source_text;
#[cfg(test)]
mod tests;
mod tokens;

use expand::Expansion;
use proc_macro::TokenStream;
use proc_macro2::Span;
use source_text::{Refusal, Source};
use std::time::Instant;

/// Compiles Quasar source written as tokens or as a string literal.
///
/// Each host function whose parameters have types, and which is not `concealed`, becomes a Rust function in the place
/// of the call. Errors are shown at the tokens that they are about; warnings appear as uses of deprecated items. A call
/// that begins with `#![quiet]` shows no warnings, one that begins with `#![verbose]` also what the optimiser did. After
/// `#![double]` a `scalar` has double precision, and is an `f64` in Rust. `#![define(NAME = value, ..)]` gives constants of
/// the program other values; behind a string literal they may stand as well. So may settings, as in
/// `#![define(COMPILER_PRECISION = double)]`.
///
/// A generic function, `function y = fill[T](..)`, becomes a Rust function for each type that is asked for:
/// `#![instantiate(fill[scalar])]` gives `fill_scalar`.
#[proc_macro]
pub fn quasar(input: TokenStream) -> TokenStream {
    expanded(input, source_text::inline)
}

/// Compiles a file, whose path is relative to the folder of `Cargo.toml`, or else to that of the Rust file.
///
/// `NAME = value` behind the path gives a constant of the program another value: `quasar_file!("x.q", RADIUS = 3)`.
/// `fill[scalar]` there makes a Rust function `fill_scalar` of the generic function `fill[T]`.
///
/// The Rust crate is compiled again when the file, or a file that it imports, changes.
#[proc_macro]
pub fn quasar_file(input: TokenStream) -> TokenStream {
    expanded(input, source_text::file)
}

/// Expands a call, and prints the time it takes if `QUASAR_TIME` is set.
fn expanded(
    input: TokenStream,
    find: fn(proc_macro2::TokenStream, Span) -> Result<Source, Refusal>,
) -> TokenStream {
    let start = std::env::var_os("QUASAR_TIME").map(|_| Instant::now());
    let Expansion { said, printed } = expand::call(input.into(), Span::call_site(), find);
    let mut tokens = TokenStream::from(said);
    // Parsed directly: going through `proc_macro2` would convert the tokens a second time.
    match printed.parse::<TokenStream>() {
        Ok(printed) => tokens.extend(printed),
        Err(error) => {
            let said = format!("the printed code cannot be read: {error}");
            tokens.extend(TokenStream::from(expand::defect(&said, Span::call_site()).said));
        }
    }
    if let Some(start) = start {
        eprintln!("quasar: expanded in {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    tokens
}
