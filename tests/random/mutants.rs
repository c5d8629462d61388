//! Real programs with random mistakes.

use super::random::Random;
use std::path::Path;

/// The texts of all programs below a folder.
pub(crate) fn programs(folder: &Path, texts: &mut Vec<String>) {
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
pub(crate) fn mutant(seed: u64, texts: &[String]) -> String {
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
