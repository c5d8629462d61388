//! Gives the functions of an expansion the places of the program's own tokens. Editors then lead from a call in Rust to the function
//! in the macro call, show its signature and comment there, and find its uses; messages of rustc about a call point at it, too.

use crate::source_text::Source;
use crate::tokens::Body;
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quasar_core::sema::model::{Definition, InstanceId, SemanticModel};
use quasar_core::sema::unit::Unit;
use quasar_core::source::{self, FileId};
use quote::quote;

/// A function that Rust code sees, with the tokens of its name and of those of its parameters.
pub(crate) struct Declared {
    name: String,
    /// Where its name is in the text.
    start: usize,
    span: Span,
    params: Vec<(String, Span)>,
    results: Vec<(String, Span)>,
    /// Statements that use what its body uses, for editors that see no more of it.
    uses: TokenStream,
}

/// The functions of a program that are written as tokens.
pub(crate) fn declared(unit: &Unit, model: &SemanticModel, source: &Source) -> Vec<Declared> {
    let main = model.main.map(|id| ("main", id));
    let named = model.exports.iter().map(|(name, id, _)| (name.as_str(), *id));
    let at = |span| token(source, span);
    let one = |(name, id): (&str, InstanceId)| {
        let Definition::Function(node) = model.instances[id].definition else { return None };
        let function = unit.function(node)?;
        let params =
            function.params.iter().filter_map(|param| Some((param.name.text.clone(), at(param.name.span)?)));
        let params = params.collect();
        let results = function
            .outputs
            .iter()
            .filter_map(|output| Some((output.name.text.clone(), at(output.name.span)?)));
        let results = results.collect();
        let (span, start) = (at(function.name.span)?, function.name.span.start as usize);
        Some(Declared { name: name.to_owned(), start, span, params, results, uses: TokenStream::new() })
    };
    let mut found: Vec<Declared> = named.chain(main).filter_map(one).collect();
    let names: Vec<String> = found.iter().map(|function| function.name.clone()).collect();
    for function in &mut found {
        let body = source.bodies.iter().find(|body| body.head.contains(&function.start));
        function.uses = body.map(|body| uses(body, function, &names)).unwrap_or_default();
    }
    found
}

/// Statements that declare what a body assigns and name all that it uses, at its tokens. The types of its variables are unknown here.
fn uses(body: &Body, function: &Declared, functions: &[String]) -> TokenStream {
    let mut known: Vec<&str> = function.params.iter().map(|(name, _)| &name[..]).collect();
    let mut found = TokenStream::new();
    let name = |text: &str, span: Span| syn::parse_str::<Ident>(text).ok().map(|_| Ident::new(text, span));
    let results = function.results.iter().map(|(name, span)| (&name[..], *span));
    let assigned = body.words.iter().filter(|word| word.assigned).map(|word| (&word.text[..], word.span));
    for (text, span) in results.chain(assigned) {
        if let Some(name) = name(text, span).filter(|_| !known.contains(&text)) {
            known.push(text);
            found.extend(quote!(let #name: inferred = ::std::unreachable!();));
        }
    }
    for word in &body.words {
        let called = word.called && functions.contains(&word.text);
        if let Some(name) = name(&word.text, word.span).filter(|_| called || known.contains(&&word.text[..]))
        {
            found.extend(quote!(let _ = &#name;));
        }
    }
    if found.is_empty() {
        return found;
    }
    quote!(#[allow(non_camel_case_types)] struct inferred; #found)
}

/// The token that begins at a place of the program. What rustc compiles has the names of the expansion: parameters do not become others
/// because a macro wrote some of them, and lints know that it is generated. Editors go by the tokens as they are.
fn token(source: &Source, span: source::Span) -> Option<Span> {
    let start = span.start as usize;
    let found = source.places.iter().find(|place| place.start == start && span.file == FileId(0))?;
    Some(if source.outline { found.span } else { found.span.resolved_at(Span::call_site()) })
}

/// The tokens of an expansion with these places at the names of functions, of their parameters, and at their comments.
pub(crate) fn with_places(tokens: TokenStream, declared: &[Declared]) -> TokenStream {
    let mut trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is =
        |tree: Option<&TokenTree>, word: &str| matches!(tree, Some(TokenTree::Ident(ident)) if ident == word);
    let mut comment = None;
    for at in 0..trees.len() {
        if is_comment(&trees[at]) {
            comment = Some(at);
        }
        if at == 0 || !is(trees.get(at - 1), "fn") {
            continue;
        }
        let TokenTree::Ident(name) = &mut trees[at] else { continue };
        let Some(function) =
            declared.iter().find(|function| name == &function.name || is_raw(name, &function.name))
        else {
            continue;
        };
        name.set_span(function.span);
        let written = trees[at..].iter_mut().find_map(|tree| match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => Some(group),
            _ => None,
        });
        if let Some(group) = written {
            *group = parameters(group, &function.params);
        }
        let body = trees[at..].iter_mut().find_map(|tree| match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
            _ => None,
        });
        if let Some(group) = body.filter(|_| !function.uses.is_empty()) {
            let inside = function.uses.clone().into_iter().chain(group.stream());
            *group = replaced(group, inside.collect());
        }
        if let Some(TokenTree::Group(group)) = comment.take().map(|at| &mut trees[at]) {
            *group = comment_at(group, function.span);
        }
    }
    trees.into_iter().collect()
}

fn is_raw(ident: &Ident, name: &str) -> bool {
    ident.to_string().strip_prefix("r#") == Some(name)
}

/// Whether it is the group of `#[doc = ".."]`.
fn is_comment(tree: &TokenTree) -> bool {
    let TokenTree::Group(group) = tree else { return false };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket && matches!(first, Some(TokenTree::Ident(word)) if word == "doc")
}

/// Parameters with the places of their names.
fn parameters(group: &Group, params: &[(String, Span)]) -> Group {
    let mut trees: Vec<TokenTree> = group.stream().into_iter().collect();
    let sign = |tree: Option<&TokenTree>, wanted: char| matches!(tree, Some(TokenTree::Punct(sign)) if sign.as_char() == wanted && sign.spacing() == Spacing::Alone);
    for at in 0..trees.len() {
        let begins = at == 0 || sign(trees.get(at - 1), ',');
        if !(begins && sign(trees.get(at + 1), ':')) {
            continue;
        }
        if let TokenTree::Ident(name) = &mut trees[at]
            && let Some((_, span)) = params.iter().find(|(param, _)| name == param || is_raw(name, param))
        {
            name.set_span(*span);
        }
    }
    replaced(group, trees)
}

/// A comment whose text stands at a place.
fn comment_at(group: &Group, span: Span) -> Group {
    let mut trees: Vec<TokenTree> = group.stream().into_iter().collect();
    let texts = trees.iter_mut().filter(|tree| matches!(tree, TokenTree::Literal(_)));
    texts.for_each(|text| text.set_span(span));
    replaced(group, trees)
}

fn replaced(group: &Group, trees: Vec<TokenTree>) -> Group {
    let mut found = Group::new(group.delimiter(), trees.into_iter().collect());
    found.set_span(group.span());
    found
}
