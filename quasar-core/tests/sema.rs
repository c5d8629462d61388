//! Types of whole programs: each `.test` file holds a source, then `--- types` with what inference found.
//! `UPDATE_EXPECT=1` writes the expectation.

use quasar_core::backend::rust;
use quasar_core::driver::{Compilation, Options, compile, print_rust};
use quasar_core::message::{Category, Message, Sink, render};
use quasar_core::sema::model::{Binding, Instance};
use quasar_core::source::NoImports;
use quasar_core::types::Type;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn files(name: &str, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no {extension} file in {name}");
    files
}

fn options() -> Options {
    Options { optimise: false, ..Options::default() }
}

fn bindings(list: &[Binding]) -> String {
    let part = |binding: &Binding| match binding.name.as_str() {
        "" => binding.ty.to_string(),
        name => format!("{name} : {}", binding.ty),
    };
    list.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// One line per instance, then one per variable with the types it takes.
fn describe(instance: &Instance) -> String {
    let mut text = String::new();
    let captures = match instance.captures.as_slice() {
        [] => String::new(),
        captures => format!(" captures {}", bindings(captures)),
    };
    writeln!(
        text,
        "{:?} {}({}) -> ({}){captures}",
        instance.kind,
        instance.name,
        bindings(&instance.params),
        bindings(&instance.results)
    )
    .unwrap();
    let mut variables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut note = |name: &str, ty: &Type| {
        let types = variables.entry(name.to_owned()).or_default();
        let ty = ty.to_string();
        if !types.contains(&ty) {
            types.push(ty);
        }
    };
    for (id, (ty, _)) in instance.tables.assigned.iter() {
        use quasar_core::sema::model::NameUse;
        match instance.tables.names.get(&id) {
            Some(NameUse::Local(name) | NameUse::Special(name)) => note(name, ty),
            Some(NameUse::Global(name)) => note(&format!("{name} (global)"), ty),
            _ => note("?", ty),
        }
    }
    for (name, types) in variables {
        writeln!(text, "  {name} : {}", types.join(", ")).unwrap();
    }
    text
}

#[test]
fn types_are_as_expected() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut failures = Vec::new();
    for path in files("sema", "test") {
        let text = std::fs::read_to_string(&path).unwrap();
        let source = text.split("--- types").next().unwrap().trim_end().to_owned() + "\n";
        let compiled = compile("t.q", &source, &NoImports, &options());
        let mut found = source.clone() + "--- types\n";
        for (_, instance) in compiled.model.instances.iter() {
            found += &describe(instance);
        }
        for message in compiled.messages.iter().filter(|message| !is_export_hint(message)) {
            writeln!(found, "{}", render::line(message, &compiled.sources)).unwrap();
        }
        if update {
            std::fs::write(&path, found).unwrap();
        } else if found != text {
            failures.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The messages about a program. A first line `% optimised` asks for the passes too, `% compiled` also for the Rust code,
/// `NAME=VALUE` in it for a setting;
/// remarks on what the passes did are left out unless it says `with remarks`, and those on exports without a first line
/// `% exports`.
fn messages(source: &str) -> Compilation {
    let compiled_too = source.starts_with("% compiled");
    let optimise = compiled_too || source.starts_with("% optimised");
    let first = source.lines().next().filter(|line| line.starts_with('%')).unwrap_or_default();
    let given = first.split_whitespace().filter(|word| word.starts_with("COMPILER_"));
    let definitions = given.map(str::to_owned).collect();
    let options = Options { optimise, definitions, ..Options::default() };
    let mut compiled = compile("t.q", source, &NoImports, &options);
    if compiled_too && let Some(program) = &compiled.program {
        let mut sink = Sink::default();
        print_rust(program, &compiled.sources, &rust::Options::default(), &mut sink);
        compiled.messages.extend(sink.into_sorted());
    }
    let hints = source.starts_with("% exports");
    let remarks = source.lines().next().is_some_and(|line| line.ends_with("with remarks"));
    let is_remark =
        |message: &Message| matches!(message.category, Category::Optimization | Category::Reduction);
    let trace = |message: &Message| is_remark(message) && !remarks;
    compiled.messages.retain(|message| !trace(message) && (hints || !is_export_hint(message)));
    compiled
}

/// Remarks on functions that Rust code does not see: most functions of these tests.
fn is_export_hint(message: &Message) -> bool {
    message.code.0 == "Q0333"
}

/// `%   ^^^ Q0201 words` under a line: a message with this code begins in that column and contains the words.
#[test]
fn messages_are_as_expected() {
    let mut failures = Vec::new();
    for path in files("messages", "q") {
        let source = std::fs::read_to_string(&path).unwrap();
        let compiled = messages(&source);
        let mut open: Vec<(u32, u32, String, String)> = compiled
            .messages
            .iter()
            .map(|message| {
                let span = message.primary.span;
                let (line, column) = compiled.sources.line_column(span.file, span.start);
                (
                    line,
                    column,
                    message.code.0.to_owned(),
                    format!("{} {}", message.text, message.help.join(" ")),
                )
            })
            .collect();
        let mut last = 0;
        for (number, line) in source.lines().enumerate() {
            let expectation =
                line.trim_start().strip_prefix('%').map(str::trim_start).filter(|l| l.starts_with('^'));
            let Some(expectation) = expectation else {
                last = number as u32 + 1;
                continue;
            };
            let column = line.find('^').unwrap() as u32 + 1;
            let rest = expectation.trim_start_matches('^').trim();
            let (code, words) = rest.split_once(' ').unwrap_or((rest, ""));
            let place = open.iter().position(|(line, at, found, text)| {
                *line == last && *at == column && found == code && text.contains(words)
            });
            match place {
                Some(place) => {
                    open.remove(place);
                }
                None => failures.push(format!("{}:{last}:{column}: missing {code} {words}", path.display())),
            }
        }
        for (line, column, code, text) in open {
            failures.push(format!("{}:{line}:{column}: unexpected {code} {text}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_rules_do_is_told() {
    let source = "reduction (x : scalar) -> sin(x)^2 + cos(x)^2 = 1.0\n\
                  function y = f(a : scalar)\n    y = 3 + (cos(a + 1)^2 + sin(a + 1)^2)*a\nendfunction\n";
    let compiled = compile("t.q", source, &NoImports, &options());
    let told: Vec<String> = compiled
        .messages
        .iter()
        .filter(|message| message.category == Category::Reduction)
        .map(|message| render::line(message, &compiled.sources))
        .collect();
    assert_eq!(told, ["Reduction: t.q line 3: cos(a + 1)^2 + sin(a + 1)^2 -> 1.0"]);
}

/// Programs with words dropped, doubled or exchanged are wrong in many ways, and never more than that.
#[test]
fn damaged_programs_only_give_messages() {
    let mut sources: Vec<String> = Vec::new();
    for (name, extension) in [
        ("sema", "test"),
        ("messages", "q"),
        ("../../tests/programs/04-functions", "q"),
        ("../../tests/programs/05-parallelism", "q"),
        ("../../tests/programs/03-expressions", "q"),
    ] {
        for path in files(name, extension) {
            let text = std::fs::read_to_string(path).unwrap();
            sources.push(text.split("--- types").next().unwrap().to_owned());
        }
    }
    let mut seed = 1u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below.max(1)
    };
    for source in &sources {
        for _ in 0..40 {
            let mut words: Vec<&str> = source.split_inclusive([' ', '\n', '(', ')', '[', ']', ',']).collect();
            for _ in 0..=random(3) {
                let (a, b) = (random(words.len()), random(words.len()));
                match random(3) {
                    0 => drop(words.remove(a)),
                    1 => words.insert(a, words[b]),
                    _ => words.swap(a, b),
                }
            }
            compile("t.q", &words.concat(), &NoImports, &options());
        }
    }
}
