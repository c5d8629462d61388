//! Finds the text of a program: a string literal, the tokens of the call as they stand in the file, or a file.

use proc_macro::{Delimiter, Span, TokenStream, TokenTree};
use std::path::PathBuf;

/// A program's text and where it comes from.
pub(crate) struct Source {
    /// The name in messages.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
    /// How many lines of the Rust file stand before it.
    pub(crate) first_line: u32,
    /// Whether it stands as tokens, so that Rust's comments are comments.
    pub(crate) tokens: bool,
    /// Where imports are searched.
    pub(crate) folder: PathBuf,
    /// The file, unless the text stands in the Rust file.
    pub(crate) path: Option<PathBuf>,
}

/// The folder of the Rust file that holds the call.
fn folder(span: Span) -> PathBuf {
    let beside = span.local_file().and_then(|file| file.parent().map(PathBuf::from));
    beside.or_else(|| std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)).unwrap_or_default()
}

fn single_literal(input: &TokenStream) -> Option<(String, Span)> {
    let mut tokens = input.clone().into_iter();
    let (first, rest) = (tokens.next()?, tokens.next());
    if rest.is_some_and(|t| !matches!(&t, TokenTree::Punct(p) if p.as_char() == ',')) {
        return None;
    }
    match first {
        TokenTree::Literal(literal) => {
            let span = literal.span();
            let parsed: syn::LitStr =
                syn::parse2(proc_macro2::TokenStream::from(TokenStream::from(TokenTree::Literal(literal))))
                    .ok()?;
            Some((parsed.value(), span))
        }
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => single_literal(&group.stream()),
        _ => None,
    }
}

/// The text of `quasar!`.
pub(crate) fn inline(input: TokenStream) -> Result<Source, String> {
    let call = Span::call_site();
    let source = |text: String, line: usize, tokens: bool| Source {
        name: call.file(),
        text,
        first_line: line.saturating_sub(1) as u32,
        tokens,
        folder: folder(call),
        path: None,
    };
    if let Some((text, span)) = single_literal(&input) {
        return Ok(source(text, span.line(), false));
    }
    let Some(whole) = call.source_text() else {
        return Err(
            "quasar!: the text of this call is not available here; write it as a string literal".to_string()
        );
    };
    let inside = whole.find('!').and_then(|bang| {
        let open = bang + whole[bang..].find(['{', '(', '['])?;
        let close = whole.rfind(['}', ')', ']'])?;
        (open < close).then(|| (open + 1, close))
    });
    let Some((open, close)) = inside else {
        return Err(
            "quasar!: the text of this call was not understood; write it as a string literal".to_string()
        );
    };
    let line = call.line() + whole[..open].matches('\n').count();
    Ok(source(whole[open..close].to_string(), line, true))
}

/// The text of `quasar_file!`.
pub(crate) fn file(input: TokenStream) -> Result<Source, String> {
    let Some((name, _)) = single_literal(&input) else {
        return Err("quasar_file!: expected the path of a file as a string literal".to_string());
    };
    let path = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default().join(&name);
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("quasar_file!: cannot read '{}': {error}", path.display()))?;
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    Ok(Source { name, text, first_line: 0, tokens: false, folder, path: Some(path) })
}
