//! Lexer, parser, printer and messages: any text gives a tree, and a tree without mistakes is printed as it is read.

use super::text;
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

pub fn run(data: &[u8]) {
    let text = &*text(data);
    let (module, sink) = read(text);
    let mut sources = SourceMap::default();
    sources.add("fuzz.q", text);
    snippets(sink.messages(), &sources, Style::Coloured);
    for message in sink.messages() {
        assert!(message.primary.span.start <= message.primary.span.end, "{message:?}");
        assert!(message.primary.span.end as usize <= text.len(), "{message:?}");
    }
    let mut ids = NodeIds::default();
    parse_with(FileId(0), text, ParseOptions { rust_comments: true, ..ParseOptions::default() }, &mut ids, &mut Sink::default());
    parse_expression(FileId(0), text, &mut ids, &mut Sink::default());
    parse_type(FileId(0), text, &mut ids, &mut Sink::default());
    let printed = print(&module);
    if !sink.has_errors() {
        let (again, messages) = read(&printed);
        assert!(!messages.has_errors(), "{text}\nis printed as\n{printed}\n{:?}", messages.messages());
        // The printer may put parentheses around the beginning of a statement.
        let same = same_module(&module, &again) || same_meaning(&module, &again);
        assert!(same, "{text}\nis printed as\n{printed}");
        assert_eq!(print(&again), printed, "{text}\nis printed in two ways");
    }
}
