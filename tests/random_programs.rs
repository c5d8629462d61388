//! Random programs: the interpreter before and after the transforms, in any order of threads, and compiled Rust print
//! the same text. Programs are exact (see the generator), so texts are compared as they are.
//!
//! `QUASAR_SEEDS=FROM..TO` chooses the seeds. Compiled programs come in batches, one crate each, which runs once for
//! each set of instructions that kernels are compiled for, and on the devices of `QUASAR_SEEDS_DEVICES` (`opencl`, `cuda`);
//! `--nocapture` shows the progress. `QUASAR_SEEDS_KEEP=FOLDER` keeps what was built, with the text it must print, for
//! machines with other devices and no Rust. A failing test shows the program of its first seed, cut down to what is needed.

#[path = "random/compiled.rs"]
mod compiled;
#[path = "random/generator.rs"]
mod generator;
#[path = "random/minimise.rs"]
mod minimise;

use compiled::Crate;
use minimise::minimise;
use quasar_core::driver::{self, Options};
use quasar_core::interp::{InterpOptions, Interpreter, ThreadOrder};
use quasar_core::message::render::{Style, snippets};
use quasar_core::source::NoImports;
use quasar_runtime::context::capture;
use quasar_runtime::library::host_services::with_host;
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::time::Instant;

fn seeds(default: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("QUASAR_SEEDS") else { return default };
    let parts = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parts.unwrap_or_else(|| panic!("QUASAR_SEEDS is '{text}', expected FROM..TO"))
}

/// Programs take fewer statements than this. Those that are cut down might not end.
const STEPS: u64 = 1_000_000;

/// What the interpreter prints for a program, or why it cannot run it.
fn interpret(text: &str, optimise: bool, order: ThreadOrder) -> Result<String, String> {
    let options = Options { optimise, verify: true, ..Options::default() };
    let compilation = driver::compile("random.q", text, &NoImports, &options);
    let Some(program) = &compilation.program else {
        return Err(snippets(&compilation.messages, &compilation.sources, Style::Plain));
    };
    let (result, output) = capture(|| {
        let options = InterpOptions { order, step_limit: Some(STEPS), ..InterpOptions::default() };
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

/// What programs are made of; among 200 programs several have it.
const CONSTRUCTS: &[&str] = &[
    "'shared table",
    "'shared values",
    "array expression",
    "atomics in global memory",
    "atomics in shared memory",
    "barrier in a branch",
    "barrier in a loop",
    "barrier in a while",
    "barrier over the grid",
    "break",
    "call of a device function",
    "call of a host function",
    "cell of vectors",
    "checked integers",
    "circular",
    "clamped",
    "class with type parameters",
    "continue",
    "copy of an object",
    "dot product",
    "exchange",
    "flat kernel",
    "for loop",
    "function as argument of a kernel",
    "histogram in a loop",
    "host lambda",
    "if",
    "kernel lambda",
    "labelled loops",
    "library function",
    "linked list",
    "loop over a cell",
    "loop over an array",
    "match",
    "method",
    "mirror",
    "mixed cell",
    "object",
    "object with two names",
    "printf",
    "reduction in a loop",
    "reduction of an expression",
    "repeat",
    "results of a kernel",
    "safe",
    "saturating integers",
    "serial_do",
    "shared memory",
    "slice",
    "small array that changes",
    "small matrix",
    "small vector",
    "sprintf",
    "store through a mask",
    "store to a slice",
    "text",
    "tiling",
    "while",
    "wide integers",
    "wrapping integers",
];

#[test]
fn programs_have_every_construct() {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..200 {
        for construct in generator::write_program(seed).1.into_keys() {
            *found.entry(construct).or_insert(0) += 1;
        }
    }
    let known: Vec<&str> = found.keys().copied().collect();
    assert_eq!(known, CONSTRUCTS, "{found:?}");
    let rare: Vec<_> = found.iter().filter(|(_, programs)| **programs < 4).collect();
    assert!(rare.is_empty(), "in fewer than 4 of 200 programs: {rare:?}");
}

#[test]
fn transforms_keep_the_results() {
    let mut wrong = Vec::new();
    for seed in seeds(0..250) {
        let (text, expected) = oracle(seed);
        for order in [ThreadOrder::Serial, ThreadOrder::Random(seed)] {
            let found = interpret(&text, true, order).unwrap_or_else(|error| error);
            if found != expected {
                wrong.push(Wrong { seed, text, expected, found });
                break;
            }
        }
    }
    if let Some(first) = wrong.first_mut() {
        let order = ThreadOrder::Random(first.seed);
        let differs = |text: &String| {
            let before = interpret(text, false, ThreadOrder::Serial);
            before.is_ok()
                && (interpret(text, true, ThreadOrder::Serial) != before
                    || interpret(text, true, order) != before)
        };
        first.text = minimise(&first.text, |texts| texts.iter().map(differs).collect());
    }
    report(&wrong);
}

/// Programs a crate: they share what rustc does once for a crate, but not more memory than a small machine has.
const BATCH: u64 = 200;

#[test]
fn compiled_programs_agree() {
    let seeds = seeds(0..40);
    let crate_of_programs = Crate::new("random_programs", seeds.end.saturating_sub(seeds.start));
    let (start, mut wrong) = (Instant::now(), Vec::new());
    for first in seeds.clone().step_by(BATCH as usize) {
        let last = seeds.end.min(first + BATCH);
        compare_batch(&crate_of_programs, first..last, &mut wrong);
        let found: Vec<u64> = wrong.iter().map(|wrong: &Wrong| wrong.seed).collect();
        let _ = writeln!(
            std::io::stderr(),
            "seeds {}..{last}: {} differ {found:?}, {:.0} s",
            seeds.start,
            found.len(),
            start.elapsed().as_secs_f64()
        );
    }
    for wrong in &wrong {
        let _ = write!(std::io::stderr(), "{}", wrong.summary());
    }
    if let Some(first) = wrong.first_mut() {
        first.text = minimise(&first.text, |texts| still_wrong(&crate_of_programs, texts));
    }
    report(&wrong);
}

/// Adds the programs of a batch for which compiled Rust prints something else than the interpreter.
fn compare_batch(crate_of_programs: &Crate, seeds: Range<u64>, wrong: &mut Vec<Wrong>) {
    let programs: Vec<(u64, String, String)> = seeds
        .map(|seed| {
            let (text, expected) = oracle(seed);
            (seed, text, expected)
        })
        .collect();
    let texts: Vec<(u64, String)> = programs.iter().map(|(seed, text, _)| (*seed, text.clone())).collect();
    let mut outputs = crate_of_programs.outputs(&texts);
    if let (Ok(folder), Some((first, ..))) = (std::env::var("QUASAR_SEEDS_KEEP"), programs.first()) {
        let all: String =
            programs.iter().map(|(seed, _, expected)| format!("=== {seed}\n{expected}")).collect();
        let kept = crate_of_programs.keep(folder.as_ref(), &format!("seeds{first}"), &all);
        kept.expect("the programs can be kept");
    }
    for (seed, text, expected) in programs {
        let found = outputs.remove(&seed).unwrap_or_default();
        if found != expected {
            wrong.push(Wrong { seed, text, expected, found });
        }
    }
}

/// Which of the programs run, but not as compiled Rust does.
fn still_wrong(crate_of_programs: &Crate, texts: &[String]) -> Vec<bool> {
    let expected: Vec<Option<String>> =
        texts.iter().map(|text| interpret(text, false, ThreadOrder::Serial).ok()).collect();
    let numbered = texts.iter().zip(0u64..).map(|(text, k)| (k, text.clone()));
    let runnable: Vec<(u64, String)> =
        numbered.zip(&expected).filter(|(_, expected)| expected.is_some()).map(|(text, _)| text).collect();
    let outputs = crate_of_programs.outputs(&runnable);
    let differs =
        |(k, expected): (u64, &Option<String>)| expected.is_some() && outputs.get(&k) != expected.as_ref();
    (0u64..).zip(&expected).map(differs).collect()
}

/// A program for which an engine printed something else than the interpreter did before the transforms.
struct Wrong {
    seed: u64,
    text: String,
    expected: String,
    found: String,
}

impl Wrong {
    /// The seed and the first lines that differ.
    fn summary(&self) -> String {
        let mut lines = self.expected.lines().zip(self.found.lines());
        let (expected, found) = lines.find(|(a, b)| a != b).unwrap_or(("more or fewer lines", ""));
        format!("seed {}: expected '{expected}', found '{found}'\n", self.seed)
    }
}

/// Fails with the first disagreement and the seeds of all.
fn report(wrong: &[Wrong]) {
    let Some(Wrong { seed, text, expected, found }) = wrong.first() else { return };
    let all: String = wrong.iter().map(Wrong::summary).collect();
    panic!("{all}seed {seed}:\n{text}\nexpected from the whole:\n{expected}\nfound:\n{found}");
}
