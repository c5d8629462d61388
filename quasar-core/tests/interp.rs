//! Whole programs on the interpreter: each must print the same before and after the transforms and in every order of
//! threads. `tests/interp/*.test` hold a source and, after `--- output`, what it prints; an error that stops the
//! program is the last line.

use quasar_core::driver::{Options, compile};
use quasar_core::interp::{InterpOptions, Interpreter, ThreadOrder};
use quasar_core::source::NoImports;
use quasar_devicelib::element::Scalar;
use quasar_devicelib::value::{ArrayBuf, ArrayData, BufferHost, Value};
use std::path::{Path, PathBuf};

/// No test needs more steps.
const STEPS: u64 = 50_000_000;

/// What a program prints, with its error or the messages of the compiler behind it.
fn output(text: &str, optimise: bool, order: ThreadOrder) -> String {
    let options = Options { optimise, verify: true, ..Options::default() };
    let compilation = compile("test.q", text, &NoImports, &options);
    let Some(program) = &compilation.program else {
        return compilation.messages.iter().map(|message| format!("{}\n", message.text)).collect();
    };
    let mut host = BufferHost::default();
    let options = InterpOptions { order, step_limit: Some(STEPS), ..InterpOptions::default() };
    let mut interpreter = Interpreter::new(program, options, &mut host).with_sources(&compilation.sources);
    let mut result = interpreter.run_initializer();
    if result.is_ok() && interpreter.has_main() {
        result = interpreter.run_main(Vec::new()).map(drop);
    }
    drop(interpreter);
    match result {
        Ok(()) => host.output,
        Err(error) => format!("{}{}\n", host.output, error.text),
    }
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of test cases");
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("a test case").path()) {
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Runs cases in every way and lists those that fail.
fn check(cases: &[(String, String, String)]) {
    assert!(!cases.is_empty(), "no test case was found");
    let mut failures = Vec::new();
    for (name, source, expected) in cases {
        for (optimise, order) in [
            (false, ThreadOrder::Serial),
            (true, ThreadOrder::Serial),
            (false, ThreadOrder::Random(1)),
            (true, ThreadOrder::Random(2)),
        ] {
            let found = output(source, optimise, order);
            if found.trim_end() != expected.trim_end() {
                failures.push(format!("{name} (optimise: {optimise}, {order:?})\n{found}"));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} of {} cases fail\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn cases_print_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interp");
    let case = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a readable case");
        let (source, expected) = text.split_once("--- output\n").expect("a part `--- output`");
        (path.display().to_string(), source.to_string(), expected.to_string())
    };
    check(&files(&folder, "test").iter().map(case).collect::<Vec<_>>());
}

/// The code of a function relies on the types of its parameters, whatever it is called with from outside.
#[test]
fn arguments_from_outside_are_converted() {
    let text = "function y = f(m : imat, n : int)\n    y = sum(m) == 10 && n == 2\nendfunction\n";
    let compilation = compile("test.q", text, &NoImports, &Options::default());
    let program = compilation.program.as_ref().expect("a program");
    let mut host = BufferHost::default();
    let mut interpreter = Interpreter::new(program, InterpOptions::default(), &mut host);
    let matrix = ArrayBuf::new(vec![2, 2], ArrayData::F32(vec![1.0, 2.0, 3.0, 4.0])).unwrap();
    let results = interpreter.call("f", vec![matrix.into(), Value::Scalar(Scalar::F32(2.0))]).unwrap();
    assert_eq!(results[0].as_scalar(), Some(Scalar::I32(1)));
    let error = interpreter.call("f", vec![Value::from("text"), Value::int(2)]).unwrap_err();
    assert!(error.text.contains("'string'") && error.text.contains("'mat[int]'"), "{}", error.text);
    let error = interpreter.call("f", vec![Value::int(2)]).unwrap_err();
    assert!(error.text.contains("2"), "{}", error.text);
}
