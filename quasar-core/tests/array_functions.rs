//! How each function of arrays meets an array expression: `tests/array_functions.txt` has a line for each, a call and what
//! became of it. `delayed`: one kernel computes the elements where they are read; `kernel`: one kernel folds the expression;
//! `library`: the library computes an array beside the kernel, and the compiler says why; `number`: the library computes a
//! number of a stored array. `UPDATE_EXPECT=1` writes what was found.

use quasar_core::builtins::{Kind, entries};
use quasar_core::driver::{Options, compile};
use quasar_core::ir::print;
use quasar_core::source::NoImports;
use std::fmt::Write as _;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/array_functions.txt");

/// Functions that are not about arrays of numbers: texts, cells, objects, files, devices; and those with several results or
/// results of unknown rank or three elements.
const OTHERS: &[&str] = &[
    "cell",
    "object",
    "imread",
    "open_array",
    "csvread",
    "load",
    "exists",
    "numgpus",
    "lincell",
    "sprintf",
    "strcat",
    "strjoin",
    "strtrim",
    "startswith",
    "endswith",
    "strlen",
    "str2num",
    "num2str",
    "tostring",
    "string",
    "strfind",
    "strreplace",
    "strsplit",
    "upper",
    "lower",
    "substr",
    "fromascii",
    "toascii",
    "fromunicode",
    "tounicode",
    "hash",
    "svd",
    "symeig",
    "qr",
    "lu",
    "ndgrid",
    "cross",
];

/// What became of `2 * call` or, where the call gives a number, of the call.
fn found(call: &str) -> String {
    let text = format!(
        "function y = f(x : mat, s : mat, v : vec, w : vec, c : cube, n : int)\n    y = 2*{call}\nendfunction\n"
    );
    let options = Options { optimise: true, verify: true, ..Options::default() };
    let compilation = compile("test.q", &text, &NoImports, &options);
    let Some(program) = &compilation.program else {
        return format!("refused: {:?}", compilation.messages.first().map(|m| m.text.clone()));
    };
    let printed = print::program(program);
    let body = printed.split("function [y").nth(1).unwrap_or_default();
    let body = body.split("endfunction").next().unwrap_or_default();
    let launches = body.matches("parallel_do(").count();
    // What runs where conditions do not hold stands as it was written.
    let mut depth = 0;
    let called = body.lines().map(str::trim).any(|line| {
        depth += i32::from(line == "else") - i32::from(depth > 0 && line == "endif");
        depth == 0 && (line.contains("fold[") || line.contains("[list ") || calls_library(line))
    });
    let reason = compilation.messages.iter().find_map(|message| message.text.split_once("of its own: "));
    let number = body.starts_with(" : scalar") || body.starts_with(" : int");
    match (called, number) {
        (false, true) if launches > 0 => "kernel".to_string(),
        (false, false) if launches > 0 => "delayed".to_string(),
        (true, true) => "number".to_string(),
        _ => format!("library: {}", reason.map_or("no reason", |(_, why)| why.trim_end_matches('.'))),
    }
}

/// Whether a printed line has `$name(`; variables without a name are `$4`.
fn calls_library(line: &str) -> bool {
    line.split('$').skip(1).any(|rest| {
        let name = rest.split('(').next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name != "uninit"
    })
}

#[test]
fn each_function_meets_expressions_as_the_table_says() {
    let table = std::fs::read_to_string(TABLE).unwrap();
    let mut written = String::new();
    for line in table.lines() {
        let call = line.split_once(" -> ").map_or(line, |(call, _)| call).trim();
        writeln!(written, "{call:40} -> {}", found(call)).unwrap();
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(TABLE, &written).unwrap();
    } else {
        assert_eq!(written, table);
    }
    assert!(!written.contains("no reason") && !written.contains("refused"), "{written}");
}

#[test]
fn the_table_names_each_function_of_arrays() {
    let table = std::fs::read_to_string(TABLE).unwrap();
    for entry in entries().filter(|entry| matches!(entry.builtin.kind, Kind::Library(_) | Kind::Reduction(_)))
    {
        let name = entry.builtin.name;
        let listed = table.lines().any(|line| line.starts_with(&format!("{name}(")));
        assert!(listed || OTHERS.contains(&name), "no line for '{name}'");
    }
}
