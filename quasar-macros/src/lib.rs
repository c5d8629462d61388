//! The procedural macros `quasar!` and `quasar_file!`, which compile a Quasar program together with the Rust crate that
//! contains it. The crate `quasar` documents them; this file only holds their entry points.

#![forbid(unsafe_code)]

#[cfg(any(test, feature = "embed-ptx"))]
mod embed;
mod expand;
mod names;
mod place;
mod report;
mod source_text;
#[cfg(test)]
mod tests;
mod tokens;
mod tuned;

use expand::Expansion;
use proc_macro::TokenStream;
use proc_macro2::Span;
use source_text::{Refusal, Source};
use std::time::Instant;

/// Compiles Quasar source written as tokens or as a string literal.
///
/// The call expands to a Rust function for each host function with typed parameters that is not `concealed`. Errors
/// are shown at the tokens they refer to; warnings appear as uses of deprecated items. A call that begins with
/// `#![quiet]` shows no warnings, one that begins with `#![verbose]` also remarks of the optimiser. After
/// `#![double]`, `scalar` has double precision and is an `f64` in Rust. `#![define(NAME = value, ..)]` overrides
/// constants of the program, and settings, as in `#![define(COMPILER_PRECISION = double)]`; definitions may also
/// follow a string literal.
///
/// A generic function, `function y = fill[T](..)`, is instantiated for each requested type:
/// `#![instantiate(fill[scalar])]` gives `fill_scalar`.
#[proc_macro]
pub fn quasar(input: TokenStream) -> TokenStream {
    expanded(input, source_text::inline)
}

/// Compiles a file, whose path is relative to the folder of `Cargo.toml`, or else to that of the Rust file.
///
/// `NAME = value` after the path overrides a constant of the program: `quasar_file!("x.q", RADIUS = 3)`. `fill[scalar]`
/// there instantiates the generic function `fill[T]` as a Rust function `fill_scalar`.
///
/// Where `quasar tune` left a file of values beside the program (`x.tune.json`), the tuning parameters have those of the processor that
/// builds, or of the engine that the environment variable `QUASAR_DEVICE` names while it builds; `#![untuned]` before the path leaves
/// them as the program says.
///
/// Cargo rebuilds the crate when the file, or a file that it imports, changes.
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
    let Expansion { messages: said, printed, declared } = expand::call(input.into(), Span::call_site(), find);
    let mut tokens = TokenStream::from(said);
    // Parsed directly: going through `proc_macro2` would convert the tokens a second time.
    match printed.parse::<TokenStream>() {
        Ok(printed) => tokens.extend(TokenStream::from(names::with_places(printed.into(), &declared))),
        Err(error) => {
            let said = format!("the printed code cannot be read: {error}");
            tokens.extend(TokenStream::from(expand::defect(&said, Span::call_site()).messages));
        }
    }
    if let Some(start) = start {
        eprintln!("quasar: expanded in {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    tokens
}
