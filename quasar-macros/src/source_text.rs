//! Locates the source text of a call: a string literal, the tokens of the call as written in the file, or a file.

use crate::place;
use crate::tokens::{self, Body, Place};
use proc_macro2::{Delimiter, Literal, Span, TokenStream, TokenTree};
use std::path::PathBuf;

/// A program's source text and its origin.
pub(crate) struct Source {
    /// The name in messages.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
    /// The number of lines of the Rust file before it.
    pub(crate) first_line: u32,
    /// The range of each token in the text, in order; empty for a literal or a file.
    pub(crate) places: Vec<Place>,
    /// Whether it is written as tokens, so that Rust comments are comments.
    pub(crate) tokens: bool,
    /// What to underline if no token is known.
    pub(crate) span: Span,
    /// The folder for imports.
    pub(crate) folder: PathBuf,
    /// The file, unless the text is in the Rust file.
    pub(crate) path: Option<PathBuf>,
    /// External definitions, which follow the text in the call.
    pub(crate) given: Vec<Given>,
    /// Whether the text is only an outline, because the tokens have no positions: no messages are reported then.
    pub(crate) outline: bool,
    /// The bodies of the functions of an outline.
    pub(crate) bodies: Vec<Body>,
}

/// An external definition in a call, such as `NAME = value`.
pub(crate) struct Given {
    pub(crate) text: String,
    /// The ranges of its tokens in the text.
    pub(crate) places: Vec<Place>,
    /// What to underline if no token is known.
    pub(crate) span: Span,
}

/// Splits definitions at commas. A string literal contains one as text.
pub(crate) fn values(input: TokenStream, call: Span) -> Vec<Given> {
    let trees: Vec<TokenTree> = input.into_iter().collect();
    let comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ',');
    let parts = trees.split(comma).filter(|part| !part.is_empty());
    let value = |part: &[TokenTree]| {
        let tokens: TokenStream = part.iter().cloned().collect();
        if let Some((text, literal, _)) = leading_literal(&tokens) {
            return Given { text, places: Vec::new(), span: literal.span() };
        }
        let leaves = tokens::leaves(tokens);
        let span = leaves.first().map_or(call, |leaf| leaf.span);
        let (text, places) = tokens::rebuild(&leaves, call);
        Given { text, places, span }
    };
    parts.map(value).collect()
}

/// The reason why a call cannot be compiled at all, with a span.
pub(crate) struct Refusal {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// The folder of the package.
pub(crate) fn package() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default()
}

/// The folder of the Rust file with the call.
fn folder(span: Span) -> PathBuf {
    let beside = place::local_file(span).and_then(|file| file.parent().map(PathBuf::from));
    beside.unwrap_or_else(package)
}

/// A leading string literal, alone or before a comma, and the tokens after the comma.
fn leading_literal(input: &TokenStream) -> Option<(String, Literal, TokenStream)> {
    let mut tokens = input.clone().into_iter();
    let first = tokens.next()?;
    if tokens.next().is_some_and(|t| !matches!(&t, TokenTree::Punct(p) if p.as_char() == ',')) {
        return None;
    }
    match first {
        TokenTree::Literal(literal) => {
            let tree = TokenStream::from(TokenTree::Literal(literal.clone()));
            let parsed: syn::LitStr = syn::parse2(tree).ok()?;
            Some((parsed.value(), literal, tokens.collect()))
        }
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            let (text, literal, _) = leading_literal(&group.stream())?;
            Some((text, literal, tokens.collect()))
        }
        _ => None,
    }
}

/// The source of `quasar!`.
pub(crate) fn inline(input: TokenStream, call: Span) -> Result<Source, Refusal> {
    let source = |text: String, line: usize, span: Span| Source {
        name: place::file(call),
        text,
        first_line: line.saturating_sub(1) as u32,
        places: Vec::new(),
        tokens: false,
        span,
        folder: folder(call),
        path: None,
        given: Vec::new(),
        outline: false,
        bodies: Vec::new(),
    };
    if let Some((text, literal, behind)) = leading_literal(&input) {
        let span = literal.span();
        let given = values(behind, call);
        // Padding gives the first line the columns of the Rust file.
        let quote = span.source_text().and_then(|written| written.find('"')).unwrap_or(0);
        let text = " ".repeat(place::column(span) + quote) + &text;
        return Ok(Source { given, ..source(text, place::line(span), span) });
    }
    let leaves = tokens::leaves(input);
    let (Some(first), Some(last)) = (leaves.first(), leaves.last()) else {
        return Ok(source(String::new(), place::line(call), call));
    };
    if let Some((text, line, places)) = tokens::exact(&leaves, call) {
        return Ok(Source { places, tokens: true, ..source(text, line, call) });
    }
    if leaves.len() > 1 && (first.line, first.column) == (last.line, last.column) {
        let (text, places, bodies) = tokens::outline(&leaves);
        return Ok(Source { places, bodies, tokens: true, outline: true, ..source(text, 1, call) });
    }
    let (text, places) = tokens::rebuild(&leaves, call);
    Ok(Source { places, tokens: true, name: place::file(first.span), ..source(text, first.line, call) })
}

/// The source of `quasar_file!`.
pub(crate) fn file(input: TokenStream, call: Span) -> Result<Source, Refusal> {
    let Some((name, literal, behind)) = leading_literal(&input) else {
        let text = "quasar_file!: expected the path of a file as a string literal".to_string();
        return Err(Refusal { text, span: call });
    };
    let span = literal.span();
    let read = quasar_files::read::text;
    let from_package = package().join(&name);
    let beside = folder(span).join(&name);
    let (path, text) = match read(&from_package) {
        Ok(text) => (from_package, text),
        Err(error) => match read(&beside) {
            Ok(text) => (beside, text),
            Err(other) => {
                // Report the more specific of the two errors.
                let error = if error.kind() == std::io::ErrorKind::NotFound
                    && other.kind() != std::io::ErrorKind::NotFound
                {
                    other
                } else {
                    error
                };
                let text = format!(
                    "quasar_file!: cannot read '{name}': {error}\nhelp: paths are relative to the folder of Cargo.toml"
                );
                return Err(Refusal { text, span });
            }
        },
    };
    Ok(Source {
        name,
        text,
        first_line: 0,
        places: Vec::new(),
        tokens: false,
        span,
        folder: path.parent().map(PathBuf::from).unwrap_or_default(),
        path: Some(path),
        given: values(behind, call),
        outline: false,
        bodies: Vec::new(),
    })
}
