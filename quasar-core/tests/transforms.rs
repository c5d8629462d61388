//! What transforms and settings make of programs: `tests/transforms/*.test` hold a source, whose first line may name settings
//! (`% NAME=VALUE ..`), and behind `--- ir` the program as it is after the passes. Each program prints the same before and
//! after them. `UPDATE_EXPECT=1` writes what was found; review the difference.

use quasar_core::driver::{Compilation, Options, compile};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::ir::print;
use quasar_core::source::NoImports;
use quasar_devicelib::value::BufferHost;
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transforms");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> = entries.collect();
    cases.sort();
    assert!(!cases.is_empty(), "the cases were not found");
    cases
}

fn compiled(text: &str, optimise: bool) -> Compilation {
    let first = text.lines().next().and_then(|line| line.strip_prefix('%')).unwrap_or_default();
    let settings = first.split_whitespace().filter(|word| word.starts_with("COMPILER_"));
    let definitions = settings.map(str::to_owned).collect();
    compile(
        "test.q",
        text,
        &NoImports,
        &Options { optimise, definitions, verify: true, ..Options::default() },
    )
}

/// What a program prints, with its error behind it.
fn output(compilation: &Compilation) -> String {
    let program = compilation.program.as_ref().expect("a program without mistakes");
    let mut host = BufferHost::default();
    let mut interpreter = Interpreter::new(program, InterpOptions::default(), &mut host);
    let mut result = interpreter.run_initializer();
    if result.is_ok() && interpreter.has_main() {
        result = interpreter.run_main(Vec::new()).map(drop);
    }
    let error = result.err().map(|error| format!("{error}")).unwrap_or_default();
    host.output + &error
}

#[test]
fn programs_become_what_is_expected() {
    let mut failures = Vec::new();
    for path in cases() {
        let case = std::fs::read_to_string(&path).unwrap();
        let text = case.find("--- ").map_or(case.as_str(), |at| &case[..at]);
        let compilation = compiled(text, true);
        assert_eq!(output(&compilation), output(&compiled(text, false)), "{}", path.display());
        let program = compilation.program.as_ref().expect("a program without mistakes");
        let whole = format!("{text}--- ir\n{}", print::program(program));
        if whole == case {
            continue;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, whole).unwrap();
        } else {
            failures.push(format!("{}: found\n{whole}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// An error that only the way to an output raises goes with the output that nobody takes.
#[test]
fn errors_of_what_is_not_computed_do_not_appear() {
    let text = "function [one : scalar, other : scalar] = careful(x : vec, k : int)\n    one = x[0]\n    other = x[k]\n\
                endfunction\nk = 100\n[o, _] = careful([1.0, 2.0], k)\nprint o\n";
    assert_eq!(output(&compiled(text, true)), "1\n");
}

/// What attributes promise of sizes is looked at before anything is cached.
#[test]
fn more_than_was_promised_to_be_cached_is_an_error() {
    let text = "function [] = __kernel__ k(v : mat, y : vec, a : int, pos : int)\n    \
                {!kernel_transform enable=\"sharedmemcaching\"}\n    \
                {!kernel_arg name=v; access=\"shared\"; cache_slices=v[:,a]; numel=4}\n    y[pos] = v[pos,a]\nendfunction\n\
                function [] = f(n : int)\n    y = zeros(n)\n    parallel_do(n, ones(n, 2), y, 1, k)\n    print sum(y)\nendfunction\n\
                f(4)\nf(5)\n";
    let found = output(&compiled(text, true));
    assert!(found.starts_with("4\n") && found.contains("at most 4 elements of 'v' are cached"), "{found}");
}
