//! Random programs: the interpreter before and after the transforms, in any order of threads, and compiled Rust print
//! the same text. Programs are exact (see the generator), so texts are compared as they are.
//!
//! `QUASAR_SEEDS=FROM..TO` chooses the seeds; a failing test names its seed and shows the program.

#[path = "random/generator.rs"]
mod generator;

use quasar_core::driver::{self, Options};
use quasar_core::interp::{InterpOptions, Interpreter, ThreadOrder};
use quasar_core::message::render::{Style, snippets};
use quasar_core::source::NoImports;
use quasar_runtime::context::capture;
use quasar_runtime::library::host_services::with_host;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

fn seeds(default: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("QUASAR_SEEDS") else { return default };
    let parts = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parts.unwrap_or_else(|| panic!("QUASAR_SEEDS is '{text}', expected FROM..TO"))
}

/// What the interpreter prints for a program, or why it cannot run it.
fn interpret(text: &str, optimise: bool, order: ThreadOrder) -> Result<String, String> {
    let options = Options { optimise, verify: true, ..Options::default() };
    let compilation = driver::compile("random.q", text, &NoImports, &options);
    let Some(program) = &compilation.program else {
        return Err(snippets(&compilation.messages, &compilation.sources, Style::Plain));
    };
    let (result, output) = capture(|| {
        let options = InterpOptions { order, ..InterpOptions::default() };
        with_host(options.working, |host| {
            let mut interpreter = Interpreter::new(program, options, host).with_sources(&compilation.sources);
            interpreter.run_initializer()?;
            interpreter.run_main(Vec::new()).map(drop)
        })
    });
    result.map(|()| output).map_err(|error| error.to_string())
}

fn oracle(seed: u64) -> (String, String) {
    let text = generator::program(seed);
    match interpret(&text, false, ThreadOrder::Serial) {
        Ok(output) => (text, output),
        Err(error) => panic!("seed {seed} does not run:\n{error}\n{text}"),
    }
}

#[test]
fn transforms_keep_the_results() {
    let mut wrong = Vec::new();
    for seed in seeds(0..250) {
        let (text, expected) = oracle(seed);
        for order in [ThreadOrder::Serial, ThreadOrder::Random(seed)] {
            let found = interpret(&text, true, order);
            if found.as_ref() != Ok(&expected) {
                wrong.push((seed, text.clone(), expected.clone(), found.unwrap_or_else(|error| error)));
                break;
            }
        }
    }
    report(&wrong);
}

#[test]
fn compiled_programs_agree() {
    let seeds = seeds(0..40);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_programs");
    let programs: Vec<(u64, String, String)> = seeds
        .map(|seed| {
            let (text, expected) = oracle(seed);
            (seed, text, expected)
        })
        .collect();
    write_crate(&folder, &programs).expect("the crate of random programs can be written");
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_programs_target"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let found = sections(&text);
    let mut wrong = Vec::new();
    for (seed, program, expected) in programs {
        let found = found.get(&seed).cloned().unwrap_or_else(|| "nothing".to_string());
        if found != expected {
            wrong.push((seed, program, expected, found));
        }
    }
    report(&wrong);
}

fn write_crate(folder: &Path, programs: &[(u64, String, String)]) -> std::io::Result<()> {
    let package = env!("CARGO_MANIFEST_DIR");
    std::fs::create_dir_all(folder.join("src"))?;
    let mut main = String::from("#![forbid(unsafe_code)]\n");
    let mut calls = String::new();
    for (seed, text, _) in programs {
        std::fs::write(folder.join(format!("{seed}.q")), text)?;
        let _ = writeln!(main, "mod s{seed} {{ quasar::quasar_file!(\"{seed}.q\"); }}");
        let _ = writeln!(calls, "    run({seed}, s{seed}::main);");
    }
    let _ = writeln!(
        main,
        "fn run(seed: u64, program: fn() -> quasar::Result<()>) {{\n    println!(\"=== {{seed}}\");\n    \
         if let Err(error) = program() {{\n        println!(\"Error: {{error}}\");\n    }}\n}}\nfn main() {{\n{calls}}}"
    );
    std::fs::write(folder.join("src/main.rs"), main)?;
    std::fs::copy(Path::new(package).join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let manifest = format!(
        "[package]\nname = \"random_programs\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         quasar = {{ path = {package:?}, default-features = false }}\n\n[profile.dev]\ndebug = false\n\n[workspace]\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)
}

fn sections(text: &str) -> BTreeMap<u64, String> {
    let parts = text.split("=== ").skip(1).filter_map(|part| part.split_once('\n'));
    parts.filter_map(|(seed, output)| Some((seed.parse().ok()?, output.to_string()))).collect()
}

/// Fails with the first disagreement and the seeds of all.
fn report(wrong: &[(u64, String, String, String)]) {
    let Some((seed, text, expected, found)) = wrong.first() else { return };
    let seeds: Vec<u64> = wrong.iter().map(|(seed, ..)| *seed).collect();
    panic!("seeds {seeds:?} differ; seed {seed}:\n{text}\nexpected:\n{expected}\nfound:\n{found}");
}
