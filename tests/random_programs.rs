//! Random programs: the interpreter before and after the transforms, in any order of threads, and compiled Rust print
//! the same text. Programs are exact (see the generator), so texts are compared as they are.
//!
//! `QUASAR_SEEDS=FROM..TO` chooses the seeds, `QUASAR_SEEDS_WITH=CONSTRUCT` programs with a construct of [`CONSTRUCTS`]. Compiled programs come in batches, one crate each, which runs once for
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
use quasar_core::ir::Program;
use quasar_core::message::Sink;
use quasar_core::message::render::{Style, snippets};
use quasar_core::settings::Settings;
use quasar_core::source::NoImports;
use quasar_core::transform::{Stage, pipeline, tabulate_always};
use quasar_core::types::ElementType;
use quasar_runtime::context::capture;
use quasar_runtime::library::host_services::with_host;
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

fn seeds(default: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("QUASAR_SEEDS") else { return default };
    let parts = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parts.unwrap_or_else(|| panic!("QUASAR_SEEDS is '{text}', expected FROM..TO"))
}

/// Programs take fewer statements than this. Those that are cut down might not end.
const STEPS: u64 = 2_000_000;

/// What the interpreter prints for a program, or why it cannot run it.
fn interpret(text: &str, optimise: bool, order: ThreadOrder) -> Result<String, String> {
    interpret_changed(text, optimise, order, |_| {})
}

/// What it prints where launches fill tables wherever they can.
fn interpret_with_tables(text: &str) -> Result<String, String> {
    interpret_changed(text, true, ThreadOrder::Serial, |program| {
        pipeline::shape(program, &[Stage::Kernel], &mut Sink::default());
        tabulate_always(program);
    })
}

fn interpret_changed(
    text: &str,
    optimise: bool,
    order: ThreadOrder,
    change: fn(&mut Program),
) -> Result<String, String> {
    let found = std::panic::catch_unwind(|| interpret_once(text, optimise, order, change));
    found.unwrap_or_else(|_| Err("the compiler or the interpreter panicked".to_string()))
}

fn interpret_once(
    text: &str,
    optimise: bool,
    order: ThreadOrder,
    change: fn(&mut Program),
) -> Result<String, String> {
    let precision = if generator::is_double(text) { ElementType::Double } else { ElementType::Single };
    let settings = Settings { precision, ..Settings::default() };
    let options = Options { optimise, verify: true, settings, ..Options::default() };
    let mut compilation = driver::compile("random.q", text, &NoImports, &options);
    let Some(program) = &mut compilation.program else {
        return Err(snippets(&compilation.messages, &compilation.sources, Style::Plain));
    };
    change(program);
    let program = &*program;
    let (result, output) = capture(|| {
        // Loops that the compiler made parallel do the same in any order.
        let compare_orders = optimise && order == ThreadOrder::Serial;
        let options = InterpOptions {
            order,
            step_limit: Some(STEPS),
            working: precision,
            compare_orders,
            ..InterpOptions::default()
        };
        with_host(options.working, |host| {
            let mut interpreter = Interpreter::new(program, options, host).with_sources(&compilation.sources);
            interpreter.run_initializer()?;
            interpreter.run_main(Vec::new()).map(drop)
        })
    });
    result.map(|()| output).map_err(|error| error.to_string())
}

/// The program of a seed and what it prints, or why it does not run, which no program should.
fn oracle(seed: u64) -> Result<(String, String), Box<Wrong>> {
    let text = generator::program(seed);
    match interpret(&text, false, ThreadOrder::Serial) {
        Ok(expected) => Ok((text, expected)),
        Err(found) => Err(Box::new(Wrong { seed, text, expected: DOES_RUN.to_string(), found })),
    }
}

/// What is expected of a program that does not run.
const DOES_RUN: &str = "a program that runs";

/// Does something for each seed, on all processors; what it gave comes in the order of the seeds.
fn for_all<T: Send>(seeds: Range<u64>, each: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let (next, all) = (AtomicU64::new(seeds.start), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..processors() {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let given = each(seed);
                    all.lock().expect("no other thread failed").insert(seed, given);
                }
            });
        }
    });
    all.into_inner().expect("no thread failed").into_values().collect()
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Parts of the seeds, after each of which the progress is shown.
fn parts(seeds: Range<u64>, size: u64) -> impl Iterator<Item = Range<u64>> {
    let end = seeds.end;
    seeds.step_by(size as usize).map(move |first| first..end.min(first + size))
}

fn progress(what: &str, seeds: Range<u64>, wrong: &[Wrong], start: Instant) {
    let found: Vec<u64> = wrong.iter().map(|wrong| wrong.seed).collect();
    let count = seeds.end.saturating_sub(seeds.start);
    let seconds = start.elapsed().as_secs_f64();
    let differ = found.len();
    let _ = writeln!(
        std::io::stderr(),
        "{what}: seeds {}..{}: {count} programs, {differ} differ {found:?}, {seconds:.0} s",
        seeds.start,
        seeds.end
    );
}

/// What programs are made of; among 1000 programs several have it.
const CONSTRUCTS: &[&str] = &[
    "'shared table",
    "'shared values",
    "Concurrent_set",
    "Concurrent_stack",
    "Hashmap",
    "LinkedList",
    "List",
    "Queue",
    "Stack",
    "allocation that is not made",
    "arithmetic of cells",
    "array expression",
    "array of objects",
    "array of pointers",
    "array under two names",
    "arrays in order",
    "arrays of iterations",
    "atomics in global memory",
    "atomics in shared memory",
    "attribute of a loop",
    "barrier in a branch",
    "barrier in a loop",
    "barrier in a while",
    "barrier over the grid",
    "bound that changes inside",
    "boundary by hand",
    "break",
    "call of a device function",
    "call of a host function",
    "cell of arrays",
    "cell of vectors",
    "chain of arrays",
    "chain of stencils",
    "chain over one array twice",
    "chain with parts",
    "checked integers",
    "chosen function",
    "circular",
    "clamped",
    "class with type parameters",
    "comparison of shapes",
    "complex arrays",
    "complex kernel",
    "complex numbers",
    "complex sum in a loop",
    "continue",
    "contraction",
    "copy of an array of objects",
    "copy of an object",
    "cube",
    "curried lambda",
    "dot product",
    "double precision",
    "double precision in a kernel",
    "dynamic object",
    "elements by a list of indices",
    "elements of other iterations",
    "enum",
    "enum in a kernel",
    "error in a kernel",
    "errors of several classes",
    "exchange",
    "exchange of pointers in a kernel",
    "fault in a called function",
    "faults in try",
    "flat kernel",
    "for loop",
    "function as a value",
    "function as argument of a kernel",
    "function of a type",
    "function of unknown type",
    "function with size parameters",
    "function without types",
    "functions in a cell",
    "guarded recurrence",
    "histogram in a loop",
    "host lambda",
    "if",
    "inner function",
    "iterated complex numbers",
    "kernel lambda",
    "kernel over a cube",
    "kernel with size parameters",
    "labelled loops",
    "labelled search",
    "launch in a kernel",
    "launch in place",
    "launch over halves",
    "library function",
    "library function as a value",
    "linked list",
    "list changed in a kernel",
    "list followed in a kernel",
    "list made in a kernel",
    "lists that share nodes",
    "local rule",
    "loop along a row",
    "loop along diagonals",
    "loop in two directions",
    "loop over a cell",
    "loop over a triangle",
    "loop over an array",
    "loop over earlier elements",
    "loop over elements that are stored",
    "loop over rows",
    "loop that changes its bounds",
    "loop that draws random numbers",
    "loop with jumps",
    "macro of attributes",
    "macro that chooses",
    "macro that exchanges",
    "macro with a loop",
    "match",
    "match of conditions",
    "match of many members",
    "match of texts",
    "match with many arms",
    "memory in a kernel",
    "method",
    "mirror",
    "mixed cell",
    "nullptr in a kernel",
    "object",
    "object made in a kernel",
    "object with array fields",
    "object with two names",
    "objects in a kernel",
    "objects of unknown class",
    "optional parameters",
    "pairs of one array under two names",
    "pairs of two sizes",
    "parameters with modifiers",
    "pixels",
    "printf",
    "products of slices",
    "program in double precision",
    "recursion",
    "recursion over a tree",
    "recursion over an array",
    "recursion that fails",
    "recursion through a function value",
    "recursive lambda",
    "reduction in a loop",
    "reduction of an expression",
    "repeat",
    "results of a kernel",
    "rounds of each position",
    "rows against rows",
    "rows of one array under two names",
    "rows of two sizes",
    "rule for a sum",
    "rule for any number of arguments",
    "rule in a loop",
    "rule that captures an expression",
    "rule with a condition",
    "safe",
    "saturating integers",
    "schedule",
    "serial_do",
    "several outputs",
    "several places of an array",
    "shared memory",
    "size vector as a bound",
    "size vector of an object",
    "slice",
    "slice across the edge",
    "slice as an argument",
    "slice of a slice",
    "slice over itself",
    "slice to a slice",
    "slices in variables",
    "small array that changes",
    "small matrix",
    "small vector",
    "spread",
    "spread in a literal",
    "spread of a vector",
    "sprintf",
    "store through a mask",
    "store to a slice",
    "stores to rows and columns",
    "sum in an element",
    "sums by shuffles",
    "sums of slices in order",
    "sums of two loops",
    "text",
    "tiling",
    "tree in a kernel",
    "try in try",
    "tuples",
    "two names of an array",
    "type class",
    "type parameters",
    "unset result",
    "unset variable in a kernel",
    "unset variable in a loop over an array",
    "update in place",
    "update of a vector in place",
    "update of planes in place",
    "variable unset by a loop",
    "variable unset by some paths",
    "variables of the module",
    "variadic function",
    "votes of groups",
    "weighted window",
    "while",
    "wide blocks",
    "wide integers",
    "window that ends at the border",
    "wrapping integers",
];

#[test]
fn programs_have_every_construct() {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..2000 {
        for construct in generator::write_program(seed).1.into_keys() {
            *found.entry(construct).or_insert(0) += 1;
        }
    }
    let known: Vec<&str> = found.keys().copied().collect();
    assert_eq!(known, CONSTRUCTS, "{found:?}");
    let rare: Vec<_> = found.iter().filter(|(_, programs)| **programs < 4).collect();
    assert!(rare.is_empty(), "in fewer than 4 of 2000 programs: {rare:?}");
}

#[test]
fn transforms_keep_the_results() {
    let (all, start, mut wrong) = (seeds(0..250), Instant::now(), Vec::new());
    for part in parts(all.clone(), 1000) {
        let last = part.end;
        wrong.extend(for_all(part, changed_by_transforms).into_iter().flatten().map(|wrong| *wrong));
        progress("transforms", all.start..last, &wrong, start);
    }
    summaries(&wrong);
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

/// The program of a seed, if it prints something else after the transforms, in order or in random order of threads.
fn changed_by_transforms(seed: u64) -> Option<Box<Wrong>> {
    let (text, expected) = match oracle(seed) {
        Ok(program) => program,
        Err(wrong) => return Some(wrong),
    };
    for order in [ThreadOrder::Serial, ThreadOrder::Random(seed)] {
        let found = interpret(&text, true, order).unwrap_or_else(|error| error);
        if found != expected {
            return Some(Box::new(Wrong { seed, text, expected, found }));
        }
    }
    let found = interpret_with_tables(&text).unwrap_or_else(|error| error);
    (found != expected).then(|| Box::new(Wrong { seed, text, expected, found }))
}

/// Programs a crate: they share what rustc does once for a crate, but not more memory than a small machine has.
const BATCH: u64 = 200;

#[test]
fn compiled_programs_agree() {
    let (all, start, mut wrong) = (seeds(0..40), Instant::now(), Vec::new());
    let count = all.end.saturating_sub(all.start);
    let crate_of_programs = Crate::new("random_programs", count, processors());
    for part in parts(all.clone(), BATCH) {
        let last = part.end;
        compare_batch(&crate_of_programs, part, &mut wrong);
        progress("compiled", all.start..last, &wrong, start);
    }
    summaries(&wrong);
    if let Some(first) = wrong.first_mut() {
        first.text = minimise(&first.text, |texts| still_wrong(&crate_of_programs, texts));
    }
    report(&wrong);
}

/// Adds the programs of a batch for which compiled Rust prints something else than the interpreter.
fn compare_batch(crate_of_programs: &Crate, seeds: Range<u64>, wrong: &mut Vec<Wrong>) {
    let (mut programs, mut expected) = (Vec::new(), BTreeMap::new());
    for (seed, program) in seeds.clone().zip(for_all(seeds, oracle)) {
        match program {
            Ok((text, output)) => {
                programs.push((seed, text));
                expected.insert(seed, output);
            }
            Err(program) => wrong.push(*program),
        }
    }
    let mut outputs = crate_of_programs.outputs(&programs);
    if let Ok(folder) = std::env::var("QUASAR_SEEDS_KEEP") {
        let kept = crate_of_programs.keep(folder.as_ref(), &programs, &expected);
        kept.expect("the programs can be kept");
    }
    for (seed, text) in programs {
        let (expected, found) =
            (expected.remove(&seed).unwrap_or_default(), outputs.remove(&seed).unwrap_or_default());
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

/// Shows what differs before the first program is cut down, which takes time.
fn summaries(wrong: &[Wrong]) {
    for wrong in wrong {
        let _ = write!(std::io::stderr(), "{}", wrong.summary());
    }
}

/// Fails with the first disagreement and the seeds of all.
fn report(wrong: &[Wrong]) {
    let Some(Wrong { seed, text, expected, found }) = wrong.first() else { return };
    let all: String = wrong.iter().map(Wrong::summary).collect();
    panic!("{all}seed {seed}:\n{text}\nexpected from the whole:\n{expected}\nfound:\n{found}");
}
