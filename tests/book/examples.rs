//! Examples: programs in the text, and what the text says of them.

use crate::{file, text, updating};
use quasar_core::driver::{self, Compilation};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::message::render::{Style, snippets};
use quasar_core::message::{Category, Message};
use quasar_core::source::SearchPath;
use quasar_emulator::{Emulator, Program};
use quasar_runtime::context::capture;
use quasar_runtime::library::host_services::with_host;
use std::fs;
use std::ops::Range;

/// What messages call the examples.
const NAME: &str = "example.q";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// It is run, and prints exactly this.
    Run,
    /// The compiler refuses it with this.
    Error,
    /// The compiler translates it and says this.
    Warning,
    /// The emulator says this.
    Emulate,
}

struct Example {
    kind: Kind,
    line: usize,
    source: String,
    /// The lines of the text that is expected.
    said: Range<usize>,
}

/// Checks all examples of a chapter; with `UPDATE_EXPECT` the texts are written.
pub(crate) fn check(chapter: &str) {
    // Examples write files. All paths of these tests are absolute.
    std::env::set_current_dir(env!("CARGO_TARGET_TMPDIR")).expect("the folder for what tests write");
    let text = text(chapter);
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let examples = examples(chapter, &lines);
    let mut wrong = String::new();
    for example in examples.iter().rev() {
        let expected = lines[example.said.clone()].join("\n");
        match said(example, &expected) {
            Ok(()) => {}
            Err(Wrong::Text(found)) if updating() => {
                lines
                    .splice(example.said.clone(), found.trim_end_matches('\n').split('\n').map(String::from));
            }
            Err(Wrong::Text(found)) => {
                let place = format!("{chapter}.md, line {}", example.line);
                wrong.push_str(&format!("{place}:\nexpected:\n{expected}\nfound:\n{found}\n"));
            }
            Err(Wrong::Kind(why)) => wrong.push_str(&format!("{chapter}.md, line {}: {why}\n", example.line)),
        }
    }
    let changed = lines.join("\n") + "\n";
    if updating() && changed != text {
        fs::write(file(chapter), changed).expect("the chapter can be written");
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn examples(chapter: &str, lines: &[String]) -> Vec<Example> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(info) = lines[at].strip_prefix("```") else {
            at += 1;
            continue;
        };
        let body = block(chapter, lines, at);
        if let Some(kind) = info.strip_prefix("quasar") {
            let kind = match kind {
                "" => Kind::Run,
                ",error" => Kind::Error,
                ",warned" => Kind::Warning,
                ",emulate" => Kind::Emulate,
                // The test `gallery` of the command runs those of the gallery, and compares the pictures below them.
                ",figure" => {
                    let done = compile(&(lines[body.clone()].join("\n") + "\n"), true);
                    assert!(done.program.is_some(), "{chapter}.md, line {}: {}", at + 1, all(&done));
                    at = body.end + 1;
                    continue;
                }
                other => panic!("{chapter}.md, line {}: no kind of example '{other}'", at + 1),
            };
            let next = (body.end + 1..lines.len()).find(|&k| !lines[k].is_empty());
            let next = next.filter(|&k| lines[k] == "```text");
            let Some(next) = next else { panic!("{chapter}.md, line {}: what it prints is missing", at + 1) };
            let said = block(chapter, lines, next);
            let source = lines[body].join("\n") + "\n";
            found.push(Example { kind, line: at + 1, source, said: said.clone() });
            at = said.end + 1;
        } else {
            at = body.end + 1;
        }
    }
    found
}

/// The lines inside the block that begins in a line.
fn block(chapter: &str, lines: &[String], start: usize) -> Range<usize> {
    let end = (start + 1..lines.len()).find(|&k| lines[k] == "```");
    start + 1..end.unwrap_or_else(|| panic!("{chapter}.md, line {}: the block has no end", start + 1))
}

enum Wrong {
    /// It says this instead.
    Text(String),
    /// It is no example of this kind.
    Kind(String),
}

fn said(example: &Example, expected: &str) -> Result<(), Wrong> {
    match example.kind {
        Kind::Run => {
            let written = output(&example.source, false)?;
            let transformed = output(&example.source, true)?;
            if written != transformed {
                let both = format!("as written:\n{written}\nafter the transforms:\n{transformed}");
                return Err(Wrong::Kind(both));
            }
            equal(written.trim_end_matches('\n'), expected)
        }
        Kind::Error | Kind::Warning => {
            let done = compile(&example.source, true);
            let refused = done.program.is_none();
            if refused != (example.kind == Kind::Error) {
                return Err(Wrong::Kind(if refused { all(&done) } else { "no error is found".into() }));
            }
            part(&all(&done), expected)
        }
        Kind::Emulate => {
            let program = Program::from_text(NAME, &example.source);
            let program = program.map_err(|error| Wrong::Kind(error.to_string()))?;
            part(&Emulator::new(&program).main(&[]).to_string(), expected)
        }
    }
}

fn equal(found: &str, expected: &str) -> Result<(), Wrong> {
    if found == expected { Ok(()) } else { Err(Wrong::Text(found.to_string())) }
}

fn part(found: &str, expected: &str) -> Result<(), Wrong> {
    let fits = !expected.trim().is_empty() && found.contains(expected);
    if fits { Ok(()) } else { Err(Wrong::Text(found.to_string())) }
}

/// What the compiler says of a program.
pub(crate) fn messages(name: &str, source: &str) -> String {
    all(&compile_as(name, source, true))
}

fn compile(source: &str, optimise: bool) -> Compilation {
    compile_as(NAME, source, optimise)
}

fn compile_as(name: &str, source: &str, optimise: bool) -> Compilation {
    let provider = SearchPath { folders: Vec::new(), read: |_: &std::path::Path| Ok(None) };
    let options =
        driver::Options { optimise, verify: true, command_line: true, ..driver::Options::default() };
    driver::compile(name, source, &provider, &options)
}

/// All messages; those of optimisations too.
fn all(done: &Compilation) -> String {
    snippets(&done.messages, &done.sources, Style::Plain)
}

fn is_error(message: &Message) -> bool {
    matches!(message.category, Category::Error | Category::Limitation | Category::Bug)
}

/// What a program prints that compiles.
pub(crate) fn printed(source: &str) -> String {
    match output(source, true) {
        Ok(text) => text,
        Err(Wrong::Text(text) | Wrong::Kind(text)) => panic!("{source}{text}"),
    }
}

/// What a program prints; the error that ends it is the last line.
fn output(source: &str, optimise: bool) -> Result<String, Wrong> {
    let done = compile(source, optimise);
    let Some(program) = &done.program else {
        let errors: Vec<Message> = done.messages.iter().filter(|m| is_error(m)).cloned().collect();
        return Err(Wrong::Kind(snippets(&errors, &done.sources, Style::Plain)));
    };
    let (result, output) = capture(|| {
        let options = InterpOptions::default();
        with_host(options.working, |host| {
            let mut interpreter = Interpreter::new(program, options, host).with_sources(&done.sources);
            interpreter.run_initializer()?;
            let arguments = quasar::Value::cell(Vec::new());
            if interpreter.has_main() { interpreter.run_main(vec![arguments]).map(drop) } else { Ok(()) }
        })
    });
    Ok(match result {
        Ok(()) => output,
        Err(error) => format!("{output}Error: {error}\n"),
    })
}
