//! Fuzzing: programs with random mistakes and shuffled tokens, in each form of the macros. The result must be items or
//! error messages, without a panic or a message about a defect of the compiler.
//!
//! `QUASAR_FUZZ_SECONDS=600` runs for that long, `QUASAR_FUZZ_SEED=N` begins with that seed. A failure names its seed.

#[path = "../../../tests/random/mutants.rs"]
mod mutants;
#[path = "../../../tests/random/random.rs"]
#[allow(dead_code, reason = "the generator of programs uses more of it")]
mod random;

use super::{whole, without_positions, written};
use crate::expand::{self, Expansion, SETTINGS};
use crate::source_text::{file, inline};
use mutants::{mutant, programs};
use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use random::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The forms in which a program reaches a macro.
#[derive(Clone, Copy, Debug)]
enum Form {
    Tokens,
    Inserted,
    Outline,
    Literal,
    File,
}

const FORMS: [Form; 5] = [Form::Tokens, Form::Inserted, Form::Outline, Form::Literal, Form::File];

/// Shuffles tokens of this text and inserts some of another one; they keep their spans.
fn shuffled(text: &str, other: &str, random: &mut Random) -> Option<TokenStream> {
    let trees = |text: &str| Some(text.parse::<TokenStream>().ok()?.into_iter().collect::<Vec<_>>());
    let (mut own, other) = (trees(text)?, trees(other)?);
    for _ in 0..1 + random.below(6) {
        let at = random.below(own.len() + 1);
        match random.below(4) {
            0 if !other.is_empty() => own.insert(at, random.pick(&other).clone()),
            1 if at < own.len() => drop(own.remove(at)),
            2 if at < own.len() => {
                let to = random.below(own.len());
                own.swap(at, to);
            }
            _ => {
                let delimiter = *random.pick(&[Delimiter::None, Delimiter::Brace, Delimiter::Bracket]);
                let inner = own.split_off(at.max(own.len().saturating_sub(8)));
                own.push(TokenTree::Group(Group::new(delimiter, inner.into_iter().collect())));
            }
        }
    }
    Some(own.into_iter().collect())
}

/// The expansion of a call with this text; `None` if rustc would not accept the tokens.
fn expansion(form: Form, text: &str, texts: &[String], folder: &Path, seed: u64) -> Option<Expansion> {
    let mut random = Random::new(seed);
    let setting = match random.below(4) {
        0 => format!("#![{}]", random.pick(&SETTINGS)),
        _ => String::new(),
    };
    let call = Span::call_site();
    let quoted = |text: &str| format!("{setting} {}", Literal::string(text)).parse().ok();
    Some(match form {
        Form::Tokens => {
            let (tokens, span) = written(&format!("quasar! {{{setting}\n{text}\n}}"))?;
            expand::call(tokens, span, inline)
        }
        Form::Inserted => {
            expand::call(shuffled(text, &random.pick::<String>(texts).clone(), &mut random)?, call, inline)
        }
        Form::Outline => expand::call(without_positions(text.parse().ok()?), call, inline),
        Form::Literal => expand::call(quoted(text)?, call, inline),
        Form::File => {
            let path = folder.join("mutant.q");
            std::fs::write(&path, text).expect("a file below the target directory");
            expand::call(quoted(&path.to_string_lossy())?, call, file)
        }
    })
}

/// The defect in an expansion, if there is one.
fn defect(expansion: &Expansion) -> Option<String> {
    let said = expansion.messages.to_string();
    for words in ["internal error", "Bug in Quasar"] {
        if let Some(at) = said.find(words) {
            return Some(said[at..].lines().next().unwrap_or("").chars().take(300).collect());
        }
    }
    let text = whole(expansion);
    syn::parse_str::<syn::File>(&text).err().map(|error| {
        let column = error.span().start().column;
        let around: String = text.chars().skip(column.saturating_sub(60)).take(120).collect();
        format!("the code cannot be read: {error}, at {around}")
    })
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn run() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    programs(&package.join("../tests/programs"), &mut texts);
    let folder: PathBuf = std::env::temp_dir().join(format!("quasar-macro-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let end = Instant::now() + Duration::from_secs(number("QUASAR_FUZZ_SECONDS").unwrap_or(0));
    let first = number("QUASAR_FUZZ_SEED").unwrap_or(0);
    let (mut seed, mut counts) = (first, BTreeMap::<String, u64>::new());
    let mut defects: BTreeMap<String, String> = BTreeMap::new();
    while seed < first + 60 || Instant::now() < end {
        let text = mutant(seed, &texts);
        let form = FORMS[(seed % FORMS.len() as u64) as usize];
        if let Some(expansion) = expansion(form, &text, &texts, &folder, seed) {
            *counts.entry(format!("{form:?}")).or_default() += 1;
            if let Some(said) = defect(&expansion) {
                defects.entry(said).or_insert_with(|| format!("seed {seed}, {form:?}:\n{text}"));
            }
        }
        // Frees the texts that spans refer to, which would accumulate.
        proc_macro2::extra::invalidate_current_thread_spans();
        seed += 1;
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
    println!("seeds {first}..{seed}: {counts:?}");
    assert_eq!(counts.len(), FORMS.len(), "each form was seen: {counts:?}");
    let found: Vec<String> = defects.iter().map(|(said, how)| format!("{said}\n{how}\n")).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn mistakes_are_errors_in_words() {
    // rustc gives macros a larger stack than tests have.
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(run).expect("a thread");
    if let Err(payload) = thread.join() {
        std::panic::resume_unwind(payload);
    }
}
