//! The procedural macros of Quasar: `quasar!` and `quasar_file!` compile a program together with the Rust crate that
//! holds it.

mod source_text;

use proc_macro::TokenStream;
use quasar_core::backend::rust::{self, Options as Printing};
use quasar_core::driver::{self, Options};
use quasar_core::message::Sink;
use quasar_core::message::render::{Style, snippets};
use quasar_core::source::SourceProvider;
use quasar_core::transform::kernel::shape_for_cpu;
use quote::{format_ident, quote};
use source_text::Source;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Compiles Quasar source written as tokens or as a string literal.
///
/// Each function of the program that is not concealed becomes a Rust function in the place of the call.
#[proc_macro]
pub fn quasar(input: TokenStream) -> TokenStream {
    match source_text::inline(input) {
        Ok(source) => expand(&source),
        Err(text) => complain(&text),
    }
}

/// Compiles a file, whose path is relative to the root of the crate. The crate is built anew when the file, or one
/// that it imports, changes.
#[proc_macro]
pub fn quasar_file(input: TokenStream) -> TokenStream {
    match source_text::file(input) {
        Ok(source) => expand(&source),
        Err(text) => complain(&text),
    }
}

fn complain(text: &str) -> TokenStream {
    quote!(::std::compile_error!(#text);).into()
}

/// Imports from the folder of the importing file.
struct Files {
    /// The name of the program itself in messages, which need not be a path.
    root: String,
    /// The folder that holds it.
    folder: PathBuf,
}

impl SourceProvider for Files {
    fn load(&self, name: &str, from: &str) -> Option<(String, String)> {
        let beside = if from == self.root { None } else { Path::new(from).parent() };
        let path = beside.unwrap_or(&self.folder).join(name);
        let text = std::fs::read_to_string(&path).ok()?;
        Some((text, path.to_string_lossy().into_owned()))
    }
}

fn expand(source: &Source) -> TokenStream {
    let mut options = Options { first_line: source.first_line, ..Options::default() };
    options.parse.rust_comments = source.tokens;
    let files = Files { root: source.name.clone(), folder: source.folder.clone() };
    let mut compiled = driver::compile(&source.name, &source.text, &files, &options);
    let watched = watch(source, &compiled.files);
    let mut sink = Sink::default();
    let mut printed = proc_macro2::TokenStream::new();
    if let Some(program) = &mut compiled.program {
        shape_for_cpu(program);
        let printing = Printing { module: module_name(source), working: options.precision };
        printed = rust::emit(program, &compiled.sources, &printing, &mut sink);
    }
    let mut errors: Vec<_> = compiled.messages.into_iter().filter(|m| m.category.is_error()).collect();
    errors.extend(sink.into_sorted().into_iter().filter(|m| m.category.is_error()));
    if errors.is_empty() {
        return quote!(#watched #printed).into();
    }
    let complaints = errors.iter().map(|message| {
        let text = snippets(std::slice::from_ref(message), &compiled.sources, Style::Plain);
        quote!(::std::compile_error!(#text);)
    });
    quote!(#watched #(#complaints)*).into()
}

/// Makes the compiler rebuild when a file changes.
fn watch(source: &Source, imported: &[String]) -> proc_macro2::TokenStream {
    let root = source.path.iter().map(|p| p.to_string_lossy().into_owned());
    let files = root.chain(imported.iter().cloned()).filter_map(|file| {
        let path = std::fs::canonicalize(file).ok()?;
        let path = path.to_string_lossy().into_owned();
        Some(quote!(
            const _: &[u8] = ::std::include_bytes!(#path);
        ))
    });
    quote!(#(#files)*)
}

/// A name that no other call in the same Rust module has.
fn module_name(source: &Source) -> String {
    let mut hasher = DefaultHasher::new();
    (&source.name, &source.text, source.first_line).hash(&mut hasher);
    format_ident!("__quasar_{:016x}", hasher.finish()).to_string()
}
