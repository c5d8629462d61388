//! Whatever the text is, parsing ends with a tree and messages: no panic, no stack overflow. Trees that come from
//! texts without mistakes survive printing.
//!
//! `QUASAR_FUZZ_SECONDS=600` runs the random tests for that long.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use quasar_core::message::Sink;
use quasar_core::message::render::{Style, snippets};
use quasar_core::source::{FileId, SourceMap};
use quasar_core::syntax::ast::{Module, NodeIds};
use quasar_core::syntax::compare::{same_meaning, same_module};
use quasar_core::syntax::{ParseOptions, parse, parse_expression, parse_type, parse_with, print};

fn read(text: &str) -> (Module, Sink) {
    let mut sink = Sink::default();
    let module = parse(FileId(0), text, &mut NodeIds::default(), &mut sink);
    (module, sink)
}

/// Parses in all ways, renders all messages, and checks the round trip of texts without mistakes.
fn check(text: &str) {
    let (module, sink) = read(text);
    let mut sources = SourceMap::default();
    sources.add("fuzz.q", text);
    snippets(sink.messages(), &sources, Style::Coloured);
    for message in sink.messages() {
        assert!(message.primary.span.start <= message.primary.span.end, "{message:?}");
        assert!(message.primary.span.end as usize <= text.len(), "{message:?}");
    }
    let mut ids = NodeIds::default();
    parse_with(
        FileId(0),
        text,
        ParseOptions { rust_comments: true, ..ParseOptions::default() },
        &mut ids,
        &mut Sink::default(),
    );
    parse_expression(FileId(0), text, &mut ids, &mut Sink::default());
    parse_type(FileId(0), text, &mut ids, &mut Sink::default());
    let printed = print(&module);
    if !sink.has_errors() {
        let (again, messages) = read(&printed);
        assert!(!messages.has_errors(), "{text}\nis printed as\n{printed}\n{:?}", messages.messages());
        // Where a statement could be taken for another one, the printer puts parentheses around its beginning.
        let parens = |text: &str| text.matches('(').count();
        let same = if parens(&printed) > parens(text) { same_meaning } else { same_module };
        assert!(same(&module, &again), "{text}\nis printed as\n{printed}");
        assert_eq!(print(&again), printed, "{text}\nis printed in two ways");
    }
}

fn fixed_seed() -> TestRng {
    TestRng::deterministic_rng(RngAlgorithm::ChaCha)
}

fn run(strategy: impl Strategy<Value = String>) {
    let seconds = std::env::var("QUASAR_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
        // The same cases in each ordinary run, others in each long one.
        let mut runner = if seconds == 0 {
            TestRunner::new_with_rng(config, fixed_seed())
        } else {
            TestRunner::new(config)
        };
        let result = runner.run(&strategy, |text| {
            check(&text);
            Ok(())
        });
        if let Err(error) = result {
            panic!("{error}");
        }
        if Instant::now() >= end {
            return;
        }
    }
}

#[test]
fn parentheses_may_be_added_at_the_beginning() {
    check("print * with ");
    check("a'a.a%");
}

const WORDS: &str = "function endfunction if elseif else endif for endfor while endwhile repeat until match with \
    endmatch type endtype class mutable enum try catch endtry macro endmacro reduction where symbolic import break \
    continue end print error syncthreads __kernel__ __device__ true a b x vec mat int scalar cube 0 1 2.5 1e3 2j \
    0..9 \"t\" $str $args + - * / ^ .* ./ .^ == != < <= > >= && || ! ? : ; , . .. ... -> <- := = += ^^= __= ~= ' ( ) \
    [ ] { } | _ # ?? ` & ~ {!parallel #pragma concealed";

fn soup() -> impl Strategy<Value = String> {
    let words: Vec<&'static str> = WORDS.split_whitespace().collect();
    let space = prop_oneof![4 => Just(" "), 2 => Just("\n"), 1 => Just(""), 1 => Just("; ")];
    prop::collection::vec((prop::sample::select(words), space), 0..60)
        .prop_map(|parts| parts.into_iter().map(|(word, space)| format!("{word}{space}")).collect())
}

/// Statements that are mostly right, nested and mixed, so that deep paths of the grammar are reached.
fn nearly_right() -> impl Strategy<Value = String> {
    let lines = [
        "x = f(a, b)[1..2]",
        "[a, _] = g()",
        "y : mat'const = [1,2]",
        "for i = 0..9",
        "endfor",
        "if a < b",
        "else",
        "endif",
        "while c",
        "endwhile",
        "repeat",
        "until a",
        "function y = f(x : vec)",
        "endfunction",
        "match x with",
        "| 1 -> x = 2",
        "| (a, b) ->",
        "endmatch",
        "try",
        "catch e : t",
        "endtry",
        "print a, (b)",
        "{!unroll}",
        "!p a",
        "type t : class",
        "a : int",
        "endtype",
        "reduction (x) -> f(x) = x",
        "l:",
        "f = (x, y) -> (x; y)",
        "x = (a <- b)",
        "z = c ? {1} : {a := 2}",
        "w = vec[int](3) + T'half",
        "end",
    ];
    prop::collection::vec(prop::sample::select(lines.to_vec()), 0..30).prop_map(|lines| lines.join("\n"))
}

#[test]
fn any_text() {
    run(any::<String>());
}

#[test]
fn any_bytes() {
    run(prop::collection::vec(any::<u8>(), 0..200)
        .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
}

#[test]
fn any_ascii() {
    run("[ -~\n]{0,120}");
}

#[test]
fn any_tokens() {
    run(soup());
}

#[test]
fn any_lines() {
    run(nearly_right());
}

#[test]
fn deep_texts_give_a_message() {
    let n = 10_000;
    let deep = [
        format!("x = {}1{}", "(".repeat(n), ")".repeat(n)),
        format!("x = {}1", "(".repeat(n)),
        format!("x = {}1{}", "[".repeat(n), "]".repeat(n)),
        format!("x = {}1{}", "{".repeat(n), "}".repeat(n)),
        format!("x = {}1", "2^".repeat(n)),
        format!("x = a{}", "[0]".repeat(n)),
        format!("x = a{}", ".b".repeat(n)),
        format!("x = {}1", "c ? 1 : ".repeat(n)),
        format!("x = {}1", "x -> ".repeat(n)),
        format!("x = {}1", "a = ".repeat(n)),
        format!("x = {}a{}", "f(".repeat(n), ")".repeat(n)),
        format!("x : {}int{}", "vec[".repeat(n), "]".repeat(n)),
        format!("x : {}int", "^".repeat(n)),
        format!("x : [{}int]", "int -> ".repeat(n)),
        format!("x = vec[{}int{}](1)", "{".repeat(n), "}".repeat(n)),
        format!("{}{}", "if a\n".repeat(n), "endif\n".repeat(n)),
        "if a\n".repeat(n),
        "function [] = f()\n".repeat(n),
        format!("{}{}", "match a with\n| 1 ->\n".repeat(n), "endmatch\n".repeat(n)),
        "{!".repeat(n),
        "`a,".repeat(n),
        "a:\n".repeat(n),
    ];
    for text in &deep {
        let (module, sink) = read(text);
        assert!(sink.has_errors(), "{}", &text[..40]);
        assert!(sink.len() < 20 || text.starts_with("a:"), "{}: {} messages", &text[..40], sink.len());
        print(&module);
        check(text);
    }
    let deep = deep.iter().filter(|t| t.starts_with("x = (") && t.ends_with(')'));
    assert!(deep.flat_map(|t| read(t).1.messages().to_vec()).all(|m| m.text == "nested too deeply"));
}

#[test]
fn chains_of_any_length_are_read_and_printed() {
    let n = 100_000;
    let long = [
        format!("x = 1{}", " + 1".repeat(n)),
        format!("x = 1{}", " - 2*3".repeat(n)),
        format!("x = a{}", ".*b".repeat(n)),
        format!("x = a{}", " && b".repeat(n)),
        format!("x = (a{})*2", " || (b && c)".repeat(n)),
        format!("x = \"a\"{}", " + \"b\"".repeat(n)),
        format!("x = {}1", "- ".repeat(n)),
        format!("x = {}a", "!".repeat(n)),
        format!("x = a{}", ".next()".repeat(n)),
        format!("x = f(1){}", "(2)".repeat(n)),
        format!("x = -a{} < 1 ? 2 : 3", " + b".repeat(n)),
        format!("x = [{}1]", "1, ".repeat(n)),
        format!("x = 1{}", " _\n + 1".repeat(n)),
        "% a comment\n\n".repeat(n),
    ];
    for text in &long {
        let (module, sink) = read(text);
        let start = text.chars().take(40).collect::<String>();
        assert!(!sink.has_errors(), "{start}: {:?}", sink.messages().first());
        let printed = print(&module);
        let (again, _) = read(&printed);
        assert_eq!(print(&again), printed, "{start}");
        if text.starts_with("x = 1 + 1") {
            assert_eq!(printed, format!("{text}\n"));
        }
    }
}

#[test]
fn long_texts_are_read_quickly() {
    let start = Instant::now();
    for line in ["x = f(a, b)[1..2]\n", "x = (\n", "endif\n", "a b c\n", "| 1 -> x\n", "x = [[1,2],[3,4]]\n"]
    {
        read(&line.repeat(5_000));
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Reserved words cannot be variables; words that the language uses at their places only, and names of functions, can.
#[test]
fn words_that_cannot_be_variables() {
    let words = "function endfunction if elseif else endif for endfor while endwhile repeat until match endmatch type \
                 endtype try catch endtry macro endmacro reduction import break continue end syncthreads __kernel__ \
                 __device__ __host__ nullptr true false";
    for word in words.split_whitespace() {
        for text in [format!("{word} = 3\n"), format!("x = [1, {word} = 2]\n")] {
            assert!(!read(&text).1.messages().is_empty(), "{text}");
        }
    }
    let free =
        "print class mutable dynamic enum with where concealed symbolic error sum in out size gamma scalar";
    for word in free.split_whitespace() {
        let text = format!("{word} = 3\n");
        let (_, sink) = read(&text);
        assert!(sink.messages().is_empty(), "{text}{:?}", sink.messages());
    }
}
