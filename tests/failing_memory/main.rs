//! Programs while memory ends: an allocator fails the k-th request, for k = 1, 2, .. until a run makes fewer requests. Each run gives
//! the right result or an error, on the interpreter and compiled; nothing ends the process.
//!
//! Only requests of more than [`SMALL`] bytes fail. Smaller ones are of names, handles and messages, for which the standard library
//! has no way to fail, and of the code of the interpreter; what grows with the data of a program is larger as soon as it matters. The compiler may take what it
//! wants: programs are compiled before. Texts are not among the programs: a text as a value is counted by `Arc<str>`, which cannot say
//! that there is no memory; room for it is asked for just before.

mod allocator;
mod compiled;
mod programs;

use quasar_core::driver::{self, Compilation};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::source::SearchPath;
use quasar_core::types::ElementType;
use quasar_runtime::context::{self, capture};
use quasar_runtime::library::host_services::with_host;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Requests of at most so many bytes never fail.
const SMALL: usize = 16 << 10;

/// No program of these tests makes more large requests than this.
const MOST_REQUESTS: usize = 4_000;

/// One test at a time: the allocator counts the requests of all threads.
fn alone<R>(f: impl FnOnce() -> R) -> R {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    f()
}

/// Runs with the first, second, .. request failing and looks at each result; how many requests a whole run makes.
fn with_each_failure<R>(name: &str, mut run: impl FnMut() -> R, check: impl Fn(usize, R)) -> usize {
    for k in 1..=MOST_REQUESTS {
        let (result, failed) = allocator::failing(k, &mut run);
        check(k, result);
        if !failed {
            return k - 1;
        }
    }
    panic!("{name}: more than {MOST_REQUESTS} large requests");
}

fn compile(text: &str) -> Compilation {
    let provider = SearchPath { folders: Vec::new(), read: |_: &Path| Ok(None) };
    let compilation = driver::compile("program.q", text, &provider, &driver::Options::default());
    assert!(compilation.program.is_some(), "{text}: {:?}", compilation.messages);
    compilation
}

/// What the program prints, and the error that ends it.
fn interpreted(compilation: &Compilation) -> (String, Option<String>) {
    let program = compilation.program.as_ref().expect("a program");
    let (result, output) = capture(|| {
        with_host(ElementType::Single, |host| {
            let mut interpreter = Interpreter::new(program, InterpOptions::default(), host);
            interpreter.run_initializer()?;
            interpreter.run_main(Vec::new()).map(drop)
        })
    });
    (output, result.err().map(|error| error.text))
}

#[test]
fn the_interpreter_gives_the_result_or_an_error() {
    alone(|| {
        for (name, text) in programs::ALL {
            let compilation = compile(text);
            let (expected, error) = interpreted(&compilation);
            assert_eq!(error, None, "{name}");
            let requests = with_each_failure(
                name,
                || interpreted(&compilation),
                |k, (output, error)| match error {
                    None => assert!(output == expected || output.contains("caught"), "{name}, {k}: {output}"),
                    Some(text) => {
                        assert!(text.contains("memory"), "{name}, {k}: {text}");
                        assert!(expected.starts_with(&output), "{name}, {k}: {output}");
                    }
                },
            );
            assert!(requests > 0, "{name} makes no large request");
        }
    });
}

#[test]
fn compiled_code_gives_the_result_or_an_error() {
    alone(|| {
        // Memory that was freed goes back, so that each run asks for its own.
        context::set("RUNTIME_HOST_POOLSIZE", "0").unwrap();
        for (name, run) in compiled::ALL {
            let expected = run().unwrap_or_else(|error| panic!("{name}: {error}"));
            let requests = with_each_failure(name, run, |k, result| match result {
                Ok(found) => assert_eq!(found, expected, "{name}, {k}"),
                Err(error) => assert!(error.to_string().contains("memory"), "{name}, {k}: {error}"),
            });
            assert!(requests > 0, "{name} makes no large request");
        }
    });
}
