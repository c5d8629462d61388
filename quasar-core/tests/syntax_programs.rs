//! Whole programs are read without messages.

use quasar_core::message::{Sink, render};
use quasar_core::source::SourceMap;
use quasar_core::syntax::ast::{Module, NodeIds};
use quasar_core::syntax::parse;

fn read(text: &str) -> (Module, Vec<String>) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.q", text);
    let mut sink = Sink::default();
    let module = parse(file, text, &mut NodeIds::default(), &mut sink);
    (module, sink.messages().iter().map(|m| render::line(m, &sources)).collect())
}

#[test]
fn the_program_of_the_overview() {
    let (module, messages) = read(include_str!("syntax/unsharp.q"));
    assert_eq!(messages, Vec::<String>::new());
    assert_eq!(module.imports.len(), 1);
    assert_eq!(module.items.len(), 3);
}
