//! Tests of the expansion without rustc: `proc_macro2` creates the tokens and knows their spans.

mod embed;
mod fuzz;

use crate::expand::{self, Expansion};
use crate::source_text::{file, inline};
use proc_macro2::{Group, Span, TokenStream, TokenTree};

/// The tokens of a call that is written in a Rust file, and the span of the call.
fn written(call: &str) -> Option<(TokenStream, Span)> {
    let trees: Vec<TokenTree> = call.parse::<TokenStream>().ok()?.into_iter().collect();
    let (Some(first), Some(TokenTree::Group(last))) = (trees.first(), trees.last()) else { return None };
    Some((last.stream(), first.span().join(last.span()).unwrap_or(last.span())))
}

/// The same tokens without spans, as editors provide them.
fn without_positions(tokens: TokenStream) -> TokenStream {
    let bare = |tree| {
        let mut tree = match tree {
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), without_positions(group.stream())))
            }
            other => other,
        };
        tree.set_span(Span::call_site());
        tree
    };
    tokens.into_iter().map(bare).collect()
}

fn whole(expansion: &Expansion) -> String {
    format!("{} {}", expansion.messages, expansion.printed)
}

/// The names of the functions, as `syn` parses them.
fn functions(expansion: &Expansion) -> Vec<String> {
    let items = syn::parse_str::<syn::File>(&whole(expansion)).expect("items").items;
    let name = |item| match item {
        syn::Item::Fn(function) => Some(function.sig.ident.to_string()),
        _ => None,
    };
    items.into_iter().filter_map(name).collect()
}

#[test]
fn a_panic_is_an_error_at_the_call() {
    for (expansion, said) in [
        (expand::guarded(Span::call_site(), || panic!("no {}", "way")), "no way"),
        (expand::guarded(Span::call_site(), || panic!("literally")), "literally"),
        (expand::guarded(Span::call_site(), || std::panic::panic_any(3)), "no reason given"),
    ] {
        let text = whole(&expansion);
        assert!(text.contains("compile_error"), "{text}");
        assert!(text.contains(&format!("Bug in Quasar: the compiler stopped: {said}")), "{text}");
        assert!(functions(&expansion).is_empty());
    }
    let found = |_, _| -> Result<_, _> { panic!("while the text is searched") };
    let text = whole(&expand::call(TokenStream::new(), Span::call_site(), found));
    assert!(text.contains("the compiler stopped: while the text is searched"), "{text}");
}

#[test]
fn errors_name_the_line_and_keep_the_functions() {
    let text = "quasar! {\n function y = twice(x : scalar)\n  y = 2 * x\n endfunction\n function y = wrong(x : mat)\n  y = \
                nothing(x)\n endfunction\n}";
    let (tokens, span) = written(text).expect("a call");
    let expansion = expand::call(tokens, span, inline);
    let said = expansion.messages.to_string();
    assert!(said.contains("nothing") && said.contains("compile_error"), "{said}");
    assert!(!said.contains("Bug in Quasar"), "{said}");
    assert_eq!(functions(&expansion), ["twice", "wrong"]);
}

#[test]
fn tokens_without_positions_give_the_heads_of_the_functions() {
    let text = "quasar! {\n function y = twice(x : scalar)\n  y = 2 * x\n endfunction\n function [] = run(a : mat, k : \
                int)\n  a[0, 0] = k +\n endfunction\n}";
    let (tokens, _) = written(text).expect("a call");
    let expansion = expand::call(without_positions(tokens), Span::call_site(), inline);
    assert_eq!(expansion.messages.to_string(), "", "editors are told nothing about an outline");
    assert_eq!(functions(&expansion), ["twice", "run"]);
    assert!(expansion.printed.contains("unreachable"), "{}", expansion.printed);
}

#[test]
fn settings_decide_and_are_watched() {
    let program = |front: &str| {
        let text =
            format!("quasar! {{ {front}\n function y = twice(x : scalar)\n  y = 2 * x\n endfunction\n}}");
        let (tokens, span) = written(&text).expect("a call");
        expand::call(tokens, span, inline)
    };
    let plain = program("");
    assert!(
        plain.messages.to_string().contains("option_env ! (\"COMPILER_PRECISION\")"),
        "{}",
        plain.messages
    );
    assert!(plain.printed.contains("f32") && !plain.printed.contains("f64"), "{}", plain.printed);
    for front in ["#![define(COMPILER_PRECISION = double)]", "#![double]"] {
        assert!(program(front).printed.contains("f64"), "{front}");
    }
    let said = program("#![define(COMPILER_PRECISION = half)]").messages.to_string();
    assert!(
        said.contains("'half' is no value of 'COMPILER_PRECISION'") && said.contains("use single, double"),
        "{said}"
    );
    let said = program("#![define(COMPILER_SPEED = 3)]").messages.to_string();
    assert!(said.contains("there is no setting 'COMPILER_SPEED'"), "{said}");
}

#[test]
fn versions_of_generic_functions_are_asked_for_in_front() {
    let text = "quasar! { #[instantiate(twice[scalar])] #![instantiate(twice[int])]\n function y : T = twice[T](x : T)\n  y = 2 * x\n endfunction\n}";
    let (tokens, span) = written(text).expect("a call");
    let expansion = expand::call(tokens, span, inline);
    assert!(!expansion.messages.to_string().contains("compile_error"), "{}", expansion.messages);
    assert_eq!(functions(&expansion), ["twice_scalar", "twice_int"]);
}

#[test]
fn a_file_that_is_missing_is_an_error() {
    let missing = "\"nowhere/at/all.q\"".parse().expect("a literal");
    let text = whole(&expand::call(missing, Span::call_site(), file));
    assert!(text.contains("cannot read 'nowhere/at/all.q'"), "{text}");
    let text = whole(&expand::call("a b".parse().expect("words"), Span::call_site(), file));
    assert!(text.contains("expected the path of a file"), "{text}");
}
