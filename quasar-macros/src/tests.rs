//! Tests of the expansion without rustc: `proc_macro2` creates the tokens and knows their spans.

mod embed;
mod fuzz;

use crate::expand::{self, Expansion};
use crate::names;
use crate::source_text::{file, inline};
use proc_macro2::{Group, LineColumn, Span, TokenStream, TokenTree};
use quote::ToTokens as _;

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

/// The expansion as Rust gets it.
fn tokens_of(expansion: &Expansion) -> TokenStream {
    names::with_places(expansion.printed.parse().expect("tokens"), &expansion.declared)
}

/// The names of the public functions and of their parameters with the places of their tokens.
fn declarations(tokens: TokenStream) -> Vec<(String, LineColumn)> {
    let items = syn::parse2::<syn::File>(tokens).expect("items").items;
    let mut found = Vec::new();
    for item in items {
        let syn::Item::Fn(function) = item else { continue };
        let mut add = |ident: &syn::Ident| found.push((ident.to_string(), ident.span().start()));
        add(&function.sig.ident);
        for input in &function.sig.inputs {
            if let syn::FnArg::Typed(typed) = input
                && let syn::Pat::Ident(name) = &*typed.pat
            {
                add(&name.ident);
            }
        }
    }
    found
}

#[test]
fn functions_and_parameters_stand_where_the_program_has_them() {
    let text = "quasar! {\n function y = twice(x : scalar, impl : mat)\n  y = 2 * x\n endfunction\n function [] = run(k : int)\n  \
                k = k\n endfunction\n}";
    let expected = [("twice", 2, 14), ("x", 2, 20), ("r#impl", 2, 32), ("run", 5, 15), ("k", 5, 19)];
    let at = |found: Vec<(String, LineColumn)>| -> Vec<_> {
        found.into_iter().map(|(name, at)| (name, at.line, at.column)).collect()
    };
    let expected: Vec<_> = expected.map(|(name, line, column)| (name.to_owned(), line, column)).into();
    let (tokens, span) = written(text).expect("a call");
    let first = tokens.clone().into_iter().next().expect("a token").span().start().line;
    let expansion = expand::call(tokens, span, inline);
    let found = at(declarations(tokens_of(&expansion)));
    let moved: Vec<_> =
        found.into_iter().map(|(name, line, column)| (name, line + 2 - first, column)).collect();
    assert_eq!(moved, expected);
    // So do those of a program with errors.
    let (tokens, span) = written(&text.replace("2 * x", "nothing(x)")).expect("a call");
    let expansion = expand::call(tokens, span, inline);
    assert!(expansion.messages.to_string().contains("compile_error"));
    let found = at(declarations(tokens_of(&expansion)));
    assert!(
        found.iter().zip(&expected).all(|(found, expected)| (&found.0, found.2) == (&expected.0, expected.2)),
        "{found:?}"
    );
    assert_eq!(found.len(), expected.len());
}

#[test]
fn comments_of_functions_stand_at_their_names() {
    let text = "quasar! {\n function y = twice(x : scalar)\n  y = 2 * x\n endfunction\n}";
    let (tokens, span) = written(text).expect("a call");
    let expansion = expand::call(tokens, span, inline);
    let items = syn::parse2::<syn::File>(tokens_of(&expansion)).expect("items").items;
    let function = items.into_iter().find_map(|item| match item {
        syn::Item::Fn(function) => Some(function),
        _ => None,
    });
    let function = function.expect("a function");
    let comment =
        function.attrs.iter().find(|attribute| attribute.path().is_ident("doc")).expect("a comment");
    let syn::Meta::NameValue(value) = &comment.meta else { panic!("no text") };
    let syn::Expr::Lit(literal) = &value.value else { panic!("no text") };
    assert_eq!(literal.lit.span().start(), function.sig.ident.span().start());
    assert!(literal.to_token_stream().to_string().contains("twice(x : scalar)"));
}

/// Editors give no positions: of bodies they get the names, which lead to what they mean.
#[test]
fn outlines_use_what_bodies_use() {
    let text = "quasar! {\n function y = twice(x : scalar)\n  y = 2 * x\n endfunction\n function z = four(x : scalar)\n  half = \
                twice(x)\n  if half == q.x\n z = twice(half)\n endif\n endfunction\n}";
    let (tokens, _) = written(text).expect("a call");
    let expansion = expand::call(without_positions(tokens), Span::call_site(), inline);
    let found = tokens_of(&expansion).to_string();
    let four = found.split("fn four").nth(1).expect("the function");
    for (part, count) in [
        ("let half : inferred", 1),
        ("let z : inferred", 1),
        ("let _ = & twice ;", 2),
        ("let _ = & half ;", 3),
        ("let _ = & x ;", 1),
        ("& q", 0),
        ("& endif", 0),
    ] {
        assert_eq!(four.matches(part).count(), count, "{part} in {four}");
    }
    assert!(found.contains("doc = \"function y = twice(x : scalar)\""), "{found}");
}

/// Texts and files have no tokens: their functions stand at the call.
#[test]
fn functions_of_texts_have_no_places() {
    let call = "r#\"function y = twice(x : scalar)\n  y = 2 * x\nendfunction\"#".parse().expect("a literal");
    let expansion = expand::call(call, Span::call_site(), inline);
    assert_eq!(functions(&expansion), ["twice"]);
    assert!(expansion.declared.is_empty());
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

#[test]
fn values_that_a_tuner_left_beside_a_file_are_used() {
    use quasar_core::query::tuning::Tuning;
    use quasar_core::query::tuning::values::{Best, Tuned, digest, file_of};
    let folder = std::env::temp_dir().join(format!("quasar-macros-tuned-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("x.q");
    let program = "function [] = __kernel__ k(x : vec, pos : int)\n    {!tuning_param name=\"$p\"; range=[8,16]; default=8}\n    \
                   {!cuda_launch_bounds max_threads_per_block=$p}\n    x[pos] = pos\nendfunction\n\
                   function [] = f(x : vec)\n    parallel_do(numel(x), x, k)\nendfunction\n";
    std::fs::write(&path, program).expect("a file");
    let expand = |front: &str, behind: &str| {
        let call = format!("{front} {:?}{behind}", path.to_string_lossy());
        whole(&expand::call(call.parse().expect("tokens"), Span::call_site(), file))
    };
    let threads = |text: &str| text.contains("__launch_bounds__(16)");
    assert!(!threads(&expand("", "")), "nothing was tuned");
    let tuning = Tuning::of("x.q", program, &quasar_core::source::NoImports);
    let mut tuned = Tuned { parameters: digest(&tuning.params), best: Vec::new() };
    let values = vec![("$p".to_owned(), "16".to_owned())];
    let (engine, device) = ("cpu".to_owned(), quasar_files::processor::name());
    tuned.put(Best { engine, device, values, times: [2.0, 1.0] });
    let beside = file_of(&path);
    std::fs::write(&beside, tuned.written()).expect("a file");
    let text = expand("", "");
    assert!(threads(&text) && text.contains("x.tune.json"), "{text}");
    assert!(!threads(&expand("#![untuned]", "")) && !threads(&expand("", ", \"$p = 8\"")));
    tuned.best[0].device = "another one".to_owned();
    std::fs::write(&beside, tuned.written()).expect("a file");
    assert!(!threads(&expand("", "")), "of another processor");
    std::fs::write(&beside, "{}").expect("a file");
    let text = expand("", "");
    assert!(!threads(&text) && text.contains("are not used: it is no file of tuned values"), "{text}");
    let _ = std::fs::remove_dir_all(&folder);
}
