//! Every program under `tests/programs` prints what its `.expected` file says: on the interpreter as lowered, on the
//! interpreter after the transforms (threads in order and in random order), and as compiled Rust.
//!
//! A program that compiled code cannot run yet is shown as ignored, and must be refused with a message.
//!
//! `UPDATE_EXPECT=1` rewrites `programs/list.in` (then run the tests again, since it is compiled in) and the expected
//! files of programs that have none; an expectation that is there is never rewritten.

use libtest_mimic::{Arguments, Failed, Trial};
use quasar_core::backend::rust;
use quasar_core::driver::{self, Compilation};
use quasar_core::interp::{InterpOptions, Interpreter, ThreadOrder};
use quasar_core::message::render::{Style, snippets};
use quasar_core::message::{Category, Sink};
use quasar_core::source::SearchPath;
use quasar_core::transform::kernel::shape_for_cpu;
use quasar_core::types::ElementType;
use quasar_runtime::context::capture;
use quasar_runtime::library::command_line;
use quasar_runtime::library::host_services::with_host;
use std::fs;
use std::path::{Path, PathBuf};

/// A compiled program: its path below `tests/programs` without ending, and what runs it.
type Native = (&'static str, fn(&quasar::Value) -> quasar::Result<()>);

macro_rules! programs {
    ($($module:ident $entry:ident $path:literal;)*) => {
        $(mod $module { quasar::quasar_file!(#![quiet] #![command_line] $path); })*
        const NATIVE: &[Native] = &[$(($path, start!($module $entry))),*];
    };
}

/// How a program is started: `main` is given its arguments.
macro_rules! start {
    ($module:ident main) => {
        |arguments| $module::main(arguments)
    };
    ($module:ident initialize) => {
        |_| $module::initialize()
    };
}

include!("programs/list.in");

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files = Vec::new();
    find(&root, &mut files);
    files.sort();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        write_list(&root, &files);
    }
    let mut trials = vec![Trial::test("the list of compiled programs is complete", {
        let files = files.clone();
        move || complete(&files)
    })];
    for file in files {
        let name = below_package(&file);
        for engine in [Engine::Lowered, Engine::Transformed, Engine::RandomOrder] {
            let file = file.clone();
            trials
                .push(Trial::test(format!("{name} [{}]", engine.name()), move || interpreted(&file, engine)));
        }
        match NATIVE.iter().find(|(path, _)| *path == name) {
            Some((_, run)) => trials.push(Trial::test(format!("{name} [cpu]"), move || native(&file, *run))),
            None => {
                let trial = Trial::test(format!("{name} [cpu: not supported yet]"), || Ok(()));
                trials.push(trial.with_ignored_flag(true));
            }
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

#[derive(Clone, Copy, PartialEq)]
enum Engine {
    Lowered,
    Transformed,
    RandomOrder,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Engine::Lowered => "interpreter",
            Engine::Transformed => "interpreter, transformed",
            Engine::RandomOrder => "interpreter, random order",
        }
    }
}

fn find(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            find(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "q")
            && path.with_extension("expected").exists()
            || std::env::var_os("UPDATE_EXPECT").is_some()
                && path.extension().is_some_and(|ending| ending == "q")
        {
            into.push(path);
        }
    }
}

/// The path as the macro takes it.
fn below_package(file: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/")
}

fn write_list(root: &Path, files: &[PathBuf]) {
    let mut text =
        String::from("// Written by `UPDATE_EXPECT=1 cargo test --test programs`.\n\nprograms! {\n");
    for file in files.iter().filter(|file| !refused(file)) {
        let path = below_package(file);
        let stem = path.trim_start_matches("tests/programs/").trim_end_matches(".q");
        let module: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let source = fs::read_to_string(file).unwrap_or_default();
        let entry = if source.contains("= main(") { "main" } else { "initialize" };
        text.push_str(&format!("    p{module} {entry} {path:?};\n"));
    }
    text.push_str("}\n");
    let list = root.join("list.in");
    if fs::read_to_string(&list).unwrap_or_default() != text {
        fs::write(&list, text).expect("tests/programs/list.in can be written");
    }
}

/// Whether compiled programs cannot do what the program needs, and say so at a place.
fn refused(file: &Path) -> bool {
    let Ok(Compilation { program: Some(mut program), sources, .. }) = compile(file, true) else {
        return false;
    };
    shape_for_cpu(&mut program);
    let mut sink = Sink::default();
    rust::emit(&program, &sources, &rust::Options::default(), &mut sink);
    sink.messages().iter().any(|message| message.category == Category::Limitation)
}

fn complete(files: &[PathBuf]) -> Result<(), Failed> {
    let missing: Vec<String> = files
        .iter()
        .filter(|file| !NATIVE.iter().any(|(path, _)| *path == below_package(file)) && !refused(file))
        .map(|file| below_package(file))
        .collect();
    if missing.is_empty() && !NATIVE.is_empty() {
        return Ok(());
    }
    Err(format!("run with UPDATE_EXPECT=1 to add these to tests/programs/list.in: {missing:?}").into())
}

fn compile(file: &Path, optimise: bool) -> Result<Compilation, Failed> {
    let text = fs::read_to_string(file)?;
    let provider = SearchPath { folders: Vec::new(), read: |path: &Path| fs::read_to_string(path).ok() };
    let options =
        driver::Options { optimise, verify: true, command_line: true, ..driver::Options::default() };
    Ok(driver::compile(&file.to_string_lossy(), &text, &provider, &options))
}

/// What a program is started with: the words of its first line, if that is `% arguments: ..`.
fn arguments(file: &Path) -> Result<quasar::Value, Failed> {
    let text = fs::read_to_string(file)?;
    let words = text.lines().next().and_then(|line| line.strip_prefix("% arguments:")).unwrap_or("");
    Ok(command_line::arguments(words.split_whitespace().map(String::from), ElementType::Single))
}

fn interpreted(file: &Path, engine: Engine) -> Result<(), Failed> {
    let compilation = compile(file, engine != Engine::Lowered)?;
    let Some(program) = &compilation.program else {
        return Err(snippets(&compilation.messages, &compilation.sources, Style::Plain).into());
    };
    let arguments = arguments(file)?;
    let order = if engine == Engine::RandomOrder { ThreadOrder::Random(7) } else { ThreadOrder::Serial };
    let (result, output) = capture(|| {
        let options = InterpOptions { order, ..InterpOptions::default() };
        with_host(options.working, |host| {
            let mut interpreter = Interpreter::new(program, options, host).with_sources(&compilation.sources);
            interpreter.run_initializer()?;
            if interpreter.has_main() { interpreter.run_main(vec![arguments]).map(drop) } else { Ok(()) }
        })
    });
    let output = match result {
        Ok(()) => output,
        Err(error) => format!("{output}Error: {error}\n"),
    };
    judge(file, &output)
}

fn native(file: &Path, run: fn(&quasar::Value) -> quasar::Result<()>) -> Result<(), Failed> {
    let arguments = arguments(file)?;
    let (result, output) = capture(|| run(&arguments));
    let output = match result {
        Ok(()) => output,
        Err(error) => format!("{output}Error: {error}\n"),
    };
    judge(file, &output)
}

fn judge(file: &Path, output: &str) -> Result<(), Failed> {
    let path = file.with_extension("expected");
    if !path.exists() && std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, output)?;
    }
    let expected = fs::read_to_string(&path)?;
    if agree(&expected, output) {
        return Ok(());
    }
    Err(format!("expected:\n{expected}\nfound:\n{output}").into())
}

/// Equal up to a relative difference of 1e-5 in numbers that are printed with a decimal point or an exponent.
fn agree(expected: &str, found: &str) -> bool {
    let (a, b) = (pieces(expected), pieces(found));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a == b || close(a, b))
}

/// Numbers and what stands between them.
fn pieces(text: &str) -> Vec<&str> {
    let is_number = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let mut result = Vec::new();
    let mut start = 0;
    let mut inside = false;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        let now = is_number(c) || (c == '-' || c == '+') && inside && last == 'e';
        if now != inside {
            result.push(&text[start..at]);
            start = at;
            inside = now;
        }
        last = c;
    }
    result.push(&text[start..]);
    result
}

fn close(a: &str, b: &str) -> bool {
    let inexact = |text: &str| text.contains('.') || text.contains('e');
    let (Ok(x), Ok(y)) = (a.parse::<f64>(), b.parse::<f64>()) else { return false };
    (inexact(a) || inexact(b)) && (x - y).abs() <= 1e-5 * x.abs().max(y.abs())
}
