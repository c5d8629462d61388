//! What becomes of loops as users write them (`tests/loop_bodies/bodies.txt`): each body once behind a plain `for` and once
//! behind `{!parallel for}`. The table of outcomes is `outcomes.txt`; `UPDATE_EXPECT=1` writes what was found. Each program
//! prints the same before and after the passes.

use quasar_core::driver::{Compilation, Options, compile};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::source::NoImports;
use quasar_devicelib::value::BufferHost;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const PRELUDE: &str = include_str!("loop_bodies/prelude.q");
const BODIES: &str = include_str!("loop_bodies/bodies.txt");

/// What the bodies work on.
const INPUT: &str = "function [] = main()
    x = zeros(8,8)
    for m = 0..7
        for n = 0..7
            x[m,n] = mod(7*m + 3*n + m*n, 11) / 11
        endfor
    endfor
    body(x, size(x,0), size(x,1))
endfunction
function [] = body(x : mat, M : int, N : int)
";

fn outcomes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/loop_bodies/outcomes.txt")
}

/// The program of a body, and the line of its loop.
fn program(body: &str, attribute: &str) -> (String, u32) {
    let body = body.replace("@\n", &format!("{attribute}\n")).replace('\n', "\n    ");
    let text = format!("{PRELUDE}{INPUT}    {}\nendfunction\n", body.trim_end());
    let place = text.find(&format!("    {attribute}\n    for")).expect("a loop");
    let line = text[..place].matches('\n').count() as u32 + 2;
    (text, line)
}

fn compiled(text: &str, optimise: bool) -> Compilation {
    compile("test.q", text, &NoImports, &Options { optimise, verify: true, ..Options::default() })
}

/// What a program prints, with its error behind it.
fn output(compilation: &Compilation) -> String {
    let Some(program) = &compilation.program else {
        let errors = compilation.messages.iter().filter(|message| message.category.is_error());
        return errors.map(|message| format!("refused: {}\n", message.text)).collect();
    };
    let mut host = BufferHost::default();
    let mut interpreter = Interpreter::new(program, InterpOptions::default(), &mut host);
    let error = interpreter.run_initializer().and_then(|()| interpreter.run_main(Vec::new()).map(drop)).err();
    host.output + &error.map(|error| format!("{error}")).unwrap_or_default()
}

/// Whether two outputs say the same, with numbers up to the rounding of sums.
fn alike(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| c.is_whitespace() || "[],".contains(c)).map(str::to_owned).collect()
    };
    let same = |(a, b): (&String, &String)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-5 * a.abs().max(1.0),
        _ => a == b,
    };
    let (a, b) = (words(a), words(b));
    a.len() == b.len() && a.iter().zip(&b).all(same)
}

/// What the messages say about the loop in a line.
fn outcome(compilation: &Compilation, line: u32) -> &'static str {
    if compilation.program.is_none() {
        return "refused";
    }
    let place = |message: &&quasar_core::message::Message| {
        let span = message.primary.span;
        compilation.sources.line_column(span.file, span.start).0 == line
    };
    let said =
        |text: &str| compilation.messages.iter().filter(place).any(|message| message.text.contains(text));
    match () {
        () if said("Automatic parallelization of") => "kernel",
        () if said("threads of the processor share") => "threads",
        () if said("one after the other") => "in order, said",
        () if said("serialization") || said("will be interpreted") => "in order, said",
        () => "in order",
    }
}

/// Shows why a loop became what it is.
fn compilation_notes(name: &str, compilation: &Compilation, line: u32) {
    for message in &compilation.messages {
        let span = message.primary.span;
        if compilation.sources.line_column(span.file, span.start).0 >= line {
            eprintln!("{name}: {}", message.text);
        }
    }
}

#[test]
fn loops_are_parallel_as_expected() {
    let mut differ = Vec::new();
    let mut table = String::from("body                                for             {!parallel for}\n");
    for case in BODIES.split("## ").skip(1) {
        let (name, body) = case.split_once('\n').expect("a name");
        let mut columns = Vec::new();
        for attribute in ["", "{!parallel for}"] {
            let (text, line) = program(body, attribute);
            let (plain, optimised) = (compiled(&text, false), compiled(&text, true));
            let outcome = outcome(&optimised, line);
            if std::env::var_os("SHOW").is_some() {
                compilation_notes(&format!("{name} {attribute}"), &optimised, line);
            }
            if outcome != "refused" {
                let (found, expected) = (output(&optimised), output(&plain));
                if !alike(&found, &expected) {
                    differ.push(format!("{name} {attribute}\n{found}\ninstead of\n{expected}"));
                }
            }
            columns.push(outcome);
        }
        writeln!(table, "{name:36}{:16}{}", columns[0], columns[1]).unwrap();
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(outcomes(), &table).unwrap();
    }
    let expected = std::fs::read_to_string(outcomes()).unwrap_or_default();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(table == expected, "the outcomes are\n{table}");
}
