//! Programs, written and random ones, with random mistakes go through the whole compiler: there are messages, but no
//! panic, no message about a defect of the compiler, and no compilation without end.
//!
//! `QUASAR_FUZZ_SECONDS=600` runs for that long, `QUASAR_FUZZ_SEED=N` begins with that seed. A failure names its seed.

#[path = "../../tests/random/generator.rs"]
#[allow(dead_code, reason = "only the programs are of interest here")]
mod generator;
#[path = "../../tests/random/minimise.rs"]
mod minimise;
#[path = "../../tests/random/mutants.rs"]
mod mutants;

use generator::random;
use mutants::{mutant, programs};
use quasar_core::backend::rust::Options as Printing;
use quasar_core::driver::{self, Options};
use quasar_core::message::{Category, Message, Sink};
use quasar_core::source::NoImports;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a compilation may take, with debug code on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

/// How many random programs are changed beside the written ones.
const RANDOM_PROGRAMS: u64 = 100;

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What is wrong with the compiler, seen by this text.
fn defect(text: &str) -> Option<String> {
    let start = Instant::now();
    let compiled = catch_unwind(AssertUnwindSafe(|| compile(text)));
    let Ok(messages) = compiled else {
        return Some(PANIC.with_borrow(Clone::clone));
    };
    if start.elapsed() > LIMIT {
        return Some("a compilation without end".into());
    }
    let is_defect = |m: &&Message| m.category == Category::Bug || m.text.contains("internal error");
    messages.iter().find(is_defect).map(|message| message.text.clone())
}

fn compile(text: &str) -> Vec<Message> {
    let options = Options { verify: true, ..Options::default() };
    let mut compiled = driver::compile("mutant.q", text, &NoImports, &options);
    let mut sink = Sink::default();
    if let Some(program) = &compiled.program {
        driver::print_rust(program, &compiled.sources, &Printing::default(), &mut sink);
    }
    compiled.messages.extend(sink.into_sorted());
    compiled.messages
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn mistakes_are_messages() {
    let mut texts = Vec::new();
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    programs(&package.join("../tests/programs"), &mut texts);
    programs(&package.join("lib"), &mut texts);
    texts.extend((0..RANDOM_PROGRAMS).map(generator::program));
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), ToString::to_string);
        let said = info.payload_as_str().unwrap_or("a panic");
        PANIC.set(format!("{place}: {said}"));
    }));
    let end = Instant::now() + Duration::from_secs(number("QUASAR_FUZZ_SECONDS").unwrap_or(0));
    let first = number("QUASAR_FUZZ_SEED").unwrap_or(0);
    let mut defects: BTreeMap<String, u64> = BTreeMap::new();
    let mut seed = first;
    while seed < first + 100 || Instant::now() < end {
        if let Some(defect) = defect(&mutant(seed, &texts)) {
            defects.entry(defect).or_insert(seed);
        }
        seed += 1;
    }
    let shortest = |(said, seed): (&String, &u64)| {
        let wrong = |texts: &[String]| texts.iter().map(|text| defect(text).as_ref() == Some(said)).collect();
        let text = minimise::minimise(&mutant(*seed, &texts), wrong);
        format!("seed {seed}: {said}\n{text}\n")
    };
    let found: Vec<String> = defects.iter().map(shortest).collect();
    drop(std::panic::take_hook());
    println!("seeds {first}..{seed}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
