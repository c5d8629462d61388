//! An expression means the same whether the compiler knows the types of its parts or the running program finds them: in each
//! `print` of each program under `tests/programs`, the variables and numbers are made values of unknown type, one statement at a
//! time, and the program must print what it printed before or be refused with a message, when it is compiled or when it runs.
//!
//! One statement in 23 by default, chosen by its text, so that other programs do not change the choice.
//! `QUASAR_UNKNOWN_TYPES=1 cargo test --test unknown_types -- --nocapture` takes all of them.

use quasar_core::driver::{self, Compilation};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::sema::walk::{self, Visitor};
use quasar_core::source::SearchPath;
use quasar_core::syntax::ast::{Expr, ExprKind, Stmt, StmtKind};
use quasar_core::types::{ElementType, Type};
use quasar_runtime::context::capture;
use quasar_runtime::library::command_line;
use quasar_runtime::library::host_services::with_host;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// What gives a value of unknown type.
const ERASE: &str = "value_of_unknown_type";
const FUNCTION: &str = "\nfunction y : ?? = value_of_unknown_type(x : ??)\n    y = x\nendfunction\n";
/// What programs of the tests do in this many steps, and no more.
const STEPS: u64 = 20_000_000;

fn compile(file: &Path, text: &str) -> Compilation {
    let provider = SearchPath { folders: Vec::new(), read: |path: &Path| Ok(fs::read_to_string(path).ok()) };
    let options = driver::Options { optimise: false, command_line: true, ..Default::default() };
    driver::compile(&file.to_string_lossy(), text, &provider, &options)
}

/// What a program prints, and the error that ends it.
fn printed(compilation: &Compilation, arguments: &quasar::Value) -> Option<(String, Option<String>)> {
    let program = compilation.program.as_ref()?;
    let working = compilation.settings.precision;
    let (result, output) = capture(|| {
        let options = InterpOptions { step_limit: Some(STEPS), working, ..InterpOptions::default() };
        with_host(working, |host| {
            let mut interpreter = Interpreter::new(program, options, host).with_sources(&compilation.sources);
            interpreter.run_initializer()?;
            match interpreter.has_main() {
                true => interpreter.run_main(vec![arguments.clone()]).map(drop),
                false => Ok(()),
            }
        })
    });
    Some((output, result.err().map(|error| error.text)))
}

/// The places of leaves, statement by statement.
struct Prints<'a> {
    compilation: &'a Compilation,
    found: Vec<(u32, Vec<(u32, u32)>)>,
}

impl<'a> Visitor<'a> for Prints<'_> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if let StmtKind::Print(items) = &stmt.kind {
            let mut leaves = Leaves { compilation: self.compilation, found: Vec::new() };
            items.iter().for_each(|item| walk::expr(item, &mut leaves));
            leaves.found.sort_unstable();
            leaves.found.dedup();
            // What a macro was expanded to stands elsewhere in the text, or in one place with its arguments.
            let inside = |(start, end): &(u32, u32)| stmt.span.start <= *start && *end <= stmt.span.end;
            let apart = leaves.found.windows(2).all(|pair| pair[0].1 <= pair[1].0);
            if !leaves.found.is_empty() && apart && leaves.found.iter().all(inside) {
                self.found.push((stmt.span.start, leaves.found));
            }
        }
        true
    }
}

/// Variables and numbers with values that a place of unknown type holds.
struct Leaves<'a> {
    compilation: &'a Compilation,
    found: Vec<(u32, u32)>,
}

impl<'a> Visitor<'a> for Leaves<'_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            // What asks about types answers for the type that is known.
            ExprKind::Call { callee, .. } if matches!(&callee.kind, ExprKind::Name(name) if name == "type") =>
            {
                return false;
            }
            ExprKind::Call { callee, args } if matches!(callee.kind, ExprKind::Name(_)) => {
                for arg in args {
                    if let quasar_core::syntax::ast::CallArg::Positional(value) = arg {
                        walk::expr(value, self);
                    }
                }
                return false;
            }
            ExprKind::Lambda(_)
            | ExprKind::Meta { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Exchange { .. } => {
                return false;
            }
            ExprKind::Name(_) | ExprKind::Number(_) => {
                let instances = self.compilation.model.instances.iter();
                let types: Vec<&Type> =
                    instances.filter_map(|(_, instance)| instance.tables.types.get(&expr.id)).collect();
                let fits = |ty: &&Type| matches!(ty, Type::Scalar(..) | Type::Text) || ty.is_number_array();
                if !types.is_empty() && types.iter().all(fits) {
                    self.found.push((expr.span.start, expr.span.end));
                }
            }
            _ => {}
        }
        true
    }
}

fn erased(text: &str, leaves: &[(u32, u32)]) -> String {
    let (mut result, mut done) = (String::new(), 0);
    for &(start, end) in leaves {
        let (start, end) = (start as usize, end as usize);
        result += &text[done..start];
        result += &format!("{ERASE}({})", &text[start..end]);
        done = end;
    }
    result + &text[done..] + FUNCTION
}

/// Programs that look at the text of expressions, at what is known of them, or at rules and versions for types and constants.
const ABOUT_THEMSELVES: &[&str] =
    &["evaluated_text.q", "meta_functions_in_detail.q", "rules_everywhere.q", "versions_by_calls.q"];

/// What questions about facts answer.
const ANSWERS: &[&str] = &["Unsatisfiable", "Satisfiable", "Valid"];

/// The answers in a printed text, and what stands around them.
fn answers(mut printed: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut answers, mut around) = (Vec::new(), Vec::new());
    while let Some((at, word)) =
        ANSWERS.iter().filter_map(|word| printed.find(word).map(|at| (at, *word))).min()
    {
        around.push(&printed[..at]);
        answers.push(word);
        printed = &printed[at + word.len()..];
    }
    around.push(printed);
    (answers, around)
}

/// Whether a program prints the same where types are not known. Less can be decided then, but nothing else.
fn agree(known: &str, unknown: &str) -> bool {
    let (known, unknown) = (answers(known), answers(unknown));
    let mut pairs = known.0.iter().zip(&unknown.0);
    known.1 == unknown.1 && pairs.all(|(known, unknown)| known == unknown || *unknown == "Satisfiable")
}

#[test]
fn answers_may_become_undecided_only() {
    assert!(agree("a Valid, Unsatisfiable", "a Satisfiable, Unsatisfiable"));
    assert!(!agree("a Valid", "a Unsatisfiable") && !agree("a Satisfiable", "a Valid"));
    assert!(!agree("a Valid", "b Valid") && !agree("Valid", "Valid Valid") && !agree("Valid", ""));
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the programs").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => programs(&path, found),
            false if path.extension().is_some_and(|extension| extension == "q") => found.push(path),
            false => {}
        }
    }
    found.sort();
}

/// Statements in which the language lets the type that is known decide, by file and line.
const BY_TYPE: &[(&str, usize)] = &[
    // Constants decide how many dimensions `zeros(5,4,1)` has; otherwise it has as many as there are arguments.
    ("02-types/last_extents_of_one.q", 24),
    ("02-types/shapes_of_values.q", 3),
    ("02-types/shapes_of_values.q", 4),
    ("02-types/trailing_extents_of_one.q", 1),
    ("09-builtins/creation.q", 4),
    ("09-builtins/transposing.q", 3),
    // So does `A` have three, which an index out of bounds is tested against.
    ("03-expressions/every_index.q", 10),
    ("03-expressions/every_index.q", 17),
    // The message calls an array without a name that is converted first.
    ("03-expressions/boundary_modes_of_names.q", 35),
    ("03-expressions/boundary_modes_of_names.q", 47),
    ("03-expressions/modes_of_all_accesses.q", 5),
    ("03-expressions/modes_of_all_accesses.q", 18),
    ("03-expressions/modes_outside.q", 14),
    // Known numbers alone in braces are a vector: `{3}` is `[3]`.
    ("02-types/conversions_at_run_time.q", 27),
    ("02-types/records_and_cells.q", 46),
    ("03-expressions/arrays_and_cells.q", 28),
    ("03-expressions/comparisons_and_literals.q", 47),
    ("03-expressions/formats_of_values.q", 10),
    ("04-functions/spread_of_unknown_length.q", 29),
    // The rank of a typed array tells how many places a spread vector fills; of another one, `x[0, ...v]` has two indices.
    ("04-functions/spread_of_unknown_length.q", 35),
    // A comparison of arrays is an array where its type is known, and a number where the values turn out to have different shapes.
    ("03-expressions/kept_comparison_of_shapes.q", 5),
    ("03-expressions/sequences_and_choices.q", 7),
    ("03-expressions/operators_on_shapes.q", 39),
    // The types that are known choose the overload.
    ("04-functions/costs_of_overloads.q", 37),
];

fn is_by_type(file: &Path, start: u32, text: &str) -> bool {
    let line = text[..start as usize].lines().count() + 1;
    BY_TYPE.iter().any(|&(name, at)| file.ends_with(name) && line == at)
}

/// Whether a statement is one of those that are tried, of which there is one in `every`.
fn is_sampled(file: &Path, statement: &str, every: u64) -> bool {
    let mut hasher = DefaultHasher::new();
    file.file_name().hash(&mut hasher);
    statement.lines().next().hash(&mut hasher);
    hasher.finish().is_multiple_of(every)
}

/// Numbers that the program printed differently only where it went on after an error, or that were cut off by one.
fn is_refused(before: &(String, Option<String>), after: &(String, Option<String>)) -> bool {
    after.1.is_some() && before.1 != after.1 && before.0.starts_with(&after.0)
}

#[test]
fn values_of_unknown_type_mean_the_same() {
    let every: u64 =
        std::env::var("QUASAR_UNKNOWN_TYPES").ok().and_then(|text| text.parse().ok()).unwrap_or(23);
    let only = std::env::var("QUASAR_UNKNOWN_TYPES_IN").unwrap_or_default();
    let mut files = Vec::new();
    programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs"), &mut files);
    let (mut tried, mut refused, mut by_type, mut differ) = (0, 0, 0, String::new());
    let about_themselves = |file: &Path| ABOUT_THEMSELVES.iter().any(|name| file.ends_with(name));
    files.retain(|file| !about_themselves(file) && file.to_string_lossy().contains(&only));
    for file in &files {
        let text = fs::read_to_string(file).expect("a program");
        let words = text.lines().next().and_then(|line| line.strip_prefix("% arguments:")).unwrap_or("");
        let words = words.split_whitespace().map(String::from);
        let arguments = command_line::arguments(words, ElementType::Single);
        let compilation = compile(file, &text);
        let Some(module) = compilation.unit.modules.last() else { continue };
        let mut prints = Prints { compilation: &compilation, found: Vec::new() };
        walk::block(&module.module.items, &mut prints);
        let mut before = None;
        for (start, leaves) in &prints.found {
            if !is_sampled(file, &text[*start as usize..], every) {
                continue;
            }
            let before = before.get_or_insert_with(|| printed(&compilation, &arguments));
            let Some(before) = before.as_ref().filter(|(_, error)| error.is_none()) else { break };
            tried += 1;
            let Some(after) = printed(&compile(file, &erased(&text, leaves)), &arguments) else {
                refused += 1;
                continue;
            };
            if is_refused(before, &after) {
                refused += 1;
            } else if before.1 == after.1 && agree(&before.0, &after.0) {
                continue;
            } else if is_by_type(file, *start, &text) {
                by_type += 1;
            } else {
                let line = text[..*start as usize].lines().count() + 1;
                let pairs = before.0.lines().zip(after.0.lines());
                let (a, b) = pairs.into_iter().find(|(a, b)| a != b).unwrap_or_default();
                differ += &format!("{}:{line}\n    known   {a}\n    unknown {b}\n", file.display());
            }
        }
    }
    println!("{tried} statements, {refused} refused");
    assert!(tried > 0 && differ.is_empty(), "{differ}");
    let all = every == 1 && only.is_empty();
    assert!(!all || by_type == BY_TYPE.len(), "{by_type} of the statements in BY_TYPE differ");
}
