//! The macros without rustc: a crate of macros gives nothing but macros, so its files are compiled here once more.

#![allow(dead_code, missing_docs, reason = "the files are those of another crate")]

#[path = "../../../quasar-macros/src/expand.rs"]
mod expand;
mod place;
#[path = "../../../quasar-macros/src/report.rs"]
mod report;
#[path = "../../../quasar-macros/src/source_text.rs"]
mod source_text;
#[path = "../../../quasar-macros/src/tokens.rs"]
mod tokens;

use proc_macro2::{Group, Literal, Span, TokenStream, TokenTree};

const SETTINGS: [&str; 8] = [
    "",
    "#![quiet]",
    "#![verbose]",
    "#![double]",
    "#![command_line]",
    "#![define(N = 3, b = [1, 2])]",
    "#![instantiate(f[scalar])]",
    "#![define(COMPILER_PRECISION = double)]",
];

fn said(expansion: &expand::Expansion) -> String {
    expansion.said.to_string()
}

/// What a call of `quasar!` with this text says; none where rustc would not read the tokens.
pub fn tokens(text: &str) -> Option<String> {
    let call = format!("quasar! {{{text}\n}}");
    let trees: Vec<TokenTree> = call.parse::<TokenStream>().ok()?.into_iter().collect();
    let (Some(first), Some(TokenTree::Group(last))) = (trees.first(), trees.last()) else { return None };
    let span = first.span().join(last.span()).unwrap_or(last.span());
    Some(said(&expand::call(last.stream(), span, source_text::inline)))
}

/// The same with tokens that come from another macro.
pub fn tokens_without_places(text: &str) -> Option<String> {
    let bare = without_places(text.parse().ok()?);
    Some(said(&expand::call(bare, Span::call_site(), source_text::inline)))
}

fn without_places(tokens: TokenStream) -> TokenStream {
    let bare = |tree| {
        let mut tree = match tree {
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), without_places(group.stream())))
            }
            other => other,
        };
        tree.set_span(Span::call_site());
        tree
    };
    tokens.into_iter().map(bare).collect()
}

/// The text in a string literal, behind one of the settings.
pub fn literal(text: &str, setting: u8) -> Option<String> {
    let setting = SETTINGS[usize::from(setting) % SETTINGS.len()];
    let call = format!("{setting} {}", Literal::string(text)).parse().ok()?;
    Some(said(&expand::call(call, Span::call_site(), source_text::inline)))
}

/// A call of `quasar_file!`.
pub fn file(path: &str) -> Option<String> {
    let call = Literal::string(path).to_string().parse().ok()?;
    Some(said(&expand::call(call, Span::call_site(), source_text::file)))
}
