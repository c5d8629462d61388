//! Programs with random mistakes go through the whole compiler: there are messages, but no panic, no message about a
//! defect of the compiler, and no compilation without end.
//!
//! `QUASAR_FUZZ_SECONDS=600` runs for that long, `QUASAR_FUZZ_SEED=N` begins with that seed. A failure names its seed.

#[path = "../../tests/random/minimise.rs"]
mod minimise;
#[path = "../../tests/random/random.rs"]
#[allow(dead_code, reason = "the generator of programs uses more of it")]
mod random;

use quasar_core::backend::rust::Options as Printing;
use quasar_core::driver::{self, Options};
use quasar_core::message::{Category, Message, Sink};
use quasar_core::source::NoImports;
use random::Random;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a compilation may take, with debug code on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The texts of all programs below a folder.
fn programs(folder: &Path, texts: &mut Vec<String>) {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            programs(&path, texts);
        } else if path.extension().is_some_and(|e| e == "q") {
            texts.push(std::fs::read_to_string(&path).expect("a program"));
        }
    }
}

/// Words, numbers, signs and white space, which make up the text again.
fn tokens(text: &str) -> Vec<String> {
    let class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 1,
        ' ' => 2,
        _ => 0,
    };
    let mut all: Vec<String> = Vec::new();
    let mut before = 0;
    for c in text.chars() {
        match all.last_mut() {
            Some(last) if class(c) != 0 && class(c) == before => last.push(c),
            _ => all.push(c.to_string()),
        }
        before = class(c);
    }
    all
}

const NUMBERS: [&str; 10] = ["0", "1", "2", "3", "-1", "2.5", "1e30", "2147483647", "4294967296", "65"];
const WORDS: [&str; 32] = [
    "int",
    "scalar",
    "cscalar",
    "vec",
    "mat",
    "cube",
    "ivec",
    "vec3",
    "vec[int]",
    "mat(2,2)",
    "string",
    "uint8",
    "'const",
    "'mirror",
    "__device__ ",
    "__kernel__ ",
    "pos",
    "syncthreads",
    "print ",
    "sum",
    "zeros",
    "size",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "=",
    "+=",
    ":",
    "..",
];

/// A token of this or another program, a number or a word.
fn token(random: &mut Random, own: &[String], other: &[String]) -> String {
    match random.below(5) {
        0 | 1 => random.pick(own).clone(),
        2 => random.pick(other).clone(),
        3 => random.pick(&NUMBERS).to_string(),
        _ => random.pick(&WORDS).to_string(),
    }
}

/// A program with mistakes.
fn mutant(seed: u64, texts: &[String]) -> String {
    let mut random = Random::new(seed);
    let mut all = tokens(random.pick::<String>(texts));
    let other = tokens(random.pick::<String>(texts));
    for _ in 0..1 + random.below(4) {
        if all.is_empty() {
            break;
        }
        let (at, from) = (random.below(all.len()), random.below(all.len()));
        match random.below(8) {
            0 => drop(all.remove(at)),
            1 => all.insert(at, all[from].clone()),
            2 => all.swap(at, from),
            3 | 4 => {
                let token = token(&mut random, &all, &other);
                all[at] = token;
            }
            5 => {
                let token = token(&mut random, &all, &other);
                all.insert(at, token);
            }
            6 => copy_line(&mut all, at, &other, &mut random),
            _ => {
                let end = all[at..].iter().position(|token| token == "\n").map_or(all.len(), |n| at + n);
                all.drain(at..end);
            }
        }
    }
    all.concat()
}

/// Inserts a line of another program.
fn copy_line(all: &mut Vec<String>, at: usize, other: &[String], random: &mut Random) {
    let lines: Vec<&[String]> = other.split(|token| token == "\n").collect();
    let line = *random.pick(&lines);
    let at = all[at..].iter().position(|token| token == "\n").map_or(all.len(), |n| at + n);
    let added = std::iter::once("\n".to_string()).chain(line.iter().cloned());
    all.splice(at..at, added.collect::<Vec<_>>());
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
