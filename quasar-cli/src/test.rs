//! `quasar test`: runs functions of `.q` files that are tests, each in a fresh program on the interpreter. Tests with parameters
//! are called with random arguments; those of a failure are made simpler before they are shown.

mod find;
mod samples;
mod sides;

use crate::arguments::{Options, Testing};
use crate::debug::debuggee::Debuggee;
use crate::{failure, load, output};
use find::Test;
use quasar_core::driver::Compilation;
use quasar_core::interp::{InterpOptions, Interpreter, RunError, RunErrorKind, Watcher};
use quasar_core::message::render::{self, Style};
use quasar_core::settings::Settings;
use quasar_core::source::Span;
use quasar_devicelib::value::Value;
use quasar_runtime::context;
use quasar_runtime::library::host_services::with_host;
use samples::{Kind, Random, Sample};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How many calls may be spent on simpler arguments, and how long.
const SIMPLER: (usize, Duration) = (2000, Duration::from_secs(5));
/// How many arguments are drawn for each case that is wanted, if most do not meet the conditions.
const DRAWN: u64 = 20;

/// What became of a test.
enum Outcome {
    /// A remark for its line.
    Passed(String),
    /// What is shown at the end.
    Failed(String),
}

/// Runs the tests of files and folders; fails if one of them does.
pub(crate) fn test(paths: &[PathBuf], testing: &Testing, options: &Options) -> Result<(), String> {
    let settings = load::settings(options)?;
    let begin = Instant::now();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut run = Run {
        seed: testing.seed.unwrap_or(u64::from(now.subsec_nanos())),
        testing,
        options,
        settings,
        passed: 0,
        failures: Vec::new(),
        filtered: 0,
        draws: false,
    };
    for (path, named) in find::files(paths)? {
        run.file(&path, named)?;
    }
    run.summary(begin)
}

struct Run<'a> {
    testing: &'a Testing,
    options: &'a Options,
    settings: Settings,
    seed: u64,
    passed: usize,
    /// What failed, and what is said about it.
    failures: Vec<(String, String)>,
    filtered: usize,
    /// Whether random arguments were drawn.
    draws: bool,
}

impl Run<'_> {
    fn file(&mut self, path: &Path, named: bool) -> Result<(), String> {
        let text = crate::fmt::read(path)?;
        let all = find::tests(&text);
        let count = all.len();
        let chosen = |test: &&Test| {
            self.testing.filter.as_ref().is_none_or(|filter| test.name.contains(filter.as_str()))
        };
        let tests: Vec<&Test> = all.iter().filter(chosen).collect();
        self.filtered += count - tests.len();
        if tests.is_empty() && !(named && count == 0) {
            return Ok(());
        }
        if self.testing.list {
            return tests
                .iter()
                .try_for_each(|test| output::line(&format!("{}: {}", path.display(), test.name)));
        }
        let counted = if tests.len() == 1 { "1 test".to_owned() } else { format!("{} tests", tests.len()) };
        output::line(&format!("{}: {counted}", path.display()))?;
        let (compilation, refused) = self.compile(path, &text, &all);
        if load::errors(&compilation.messages) > 0 {
            output::line(&format!("{} ... does not compile", path.display()))?;
            self.failures.push((path.display().to_string(), messages(&compilation, |_| true)));
            output::line("")?;
            return Ok(());
        }
        load::report(&compilation.messages, &compilation.sources, self.options);
        let program = Debuggee::of(path, self.options, compilation);
        for test in tests {
            output::text(&format!("test {} ... ", test.name))?;
            let refused = refused.iter().find(|(place, _)| *place == test.place);
            let outcome = match refused {
                Some((_, said)) => Outcome::Failed(said.clone()),
                None => self.test(&program, test),
            };
            match outcome {
                Outcome::Passed(remark) => {
                    self.passed += 1;
                    output::line(&format!("ok{remark}"))?;
                }
                Outcome::Failed(said) => {
                    self.failures.push((format!("{}: {}", path.display(), test.name), said));
                    output::line("FAILED")?;
                }
            }
        }
        output::line("")
    }

    /// Compiles a file. Tests with errors are left out, with what is said about each, so that the others run: an assertion that
    /// certainly fails is such an error.
    fn compile(&self, path: &Path, text: &str, tests: &[Test]) -> (Compilation, Vec<(Span, String)>) {
        let (mut text, mut refused) = (text.to_owned(), Vec::new());
        loop {
            let (name, optimise) = (path.to_string_lossy(), self.options.debug);
            let compilation = load::compile_text(&name, &text, self.settings.clone(), self.options, optimise);
            let inside = |test: &Test, span: Span| {
                span.file == test.span.file && span.start >= test.span.start && span.end <= test.span.end
            };
            let is_wrong = |test: &&Test| {
                let mut errors = compilation.messages.iter().filter(|message| message.category.is_error());
                errors.any(|message| inside(test, message.primary.span))
            };
            let wrong: Vec<&Test> = tests.iter().filter(is_wrong).collect();
            if wrong.is_empty() {
                return (compilation, refused);
            }
            for test in wrong {
                refused.push((test.place, messages(&compilation, |span| inside(test, span))));
                text = blanked(&text, test.span);
            }
        }
    }

    fn test(&mut self, debuggee: &Debuggee, test: &Test) -> Outcome {
        let compilation = &debuggee.compilation;
        let program = compilation.program.iter();
        let export = program.flat_map(|program| &program.exports).find(|export| export.span == test.place);
        let (Some(export), Some(program)) = (export, &compilation.program) else {
            let why = match &test.untyped {
                Some(param) => format!("its parameter '{param}' has no type"),
                None => "the types of its parameters are not known".to_owned(),
            };
            return Outcome::Failed(format!("Error: '{}' cannot be called: {why}\n", test.name));
        };
        let body = &program.functions[export.function].body;
        let mut kinds = Vec::new();
        for (param, name) in body.params.iter().zip(&test.params) {
            let ty = &body.variables[*param].ty;
            match Kind::of(ty) {
                Some(kind) => kinds.push(kind),
                None => {
                    let text = format!("no random arguments of type '{ty}' can be drawn for '{name}'");
                    return Outcome::Failed(format!("Error: {text}\n"));
                }
            }
        }
        let called = Called { debuggee, test, export: &export.name, kinds, run: self };
        match called.kinds.is_empty() {
            true => called.once(),
            false => {
                let outcome = called.property();
                self.draws = true;
                outcome
            }
        }
    }

    fn summary(&self, begin: Instant) -> Result<(), String> {
        if self.testing.list {
            return Ok(());
        }
        if !self.failures.is_empty() {
            output::line("failures:\n")?;
        }
        for (name, said) in &self.failures {
            output::text(&format!("---- {name}\n{said}\n"))?;
        }
        if self.draws {
            output::line(&format!("random arguments: --seed {}", self.seed))?;
        }
        let failed = self.failures.len();
        if self.passed + failed + self.filtered == 0 {
            output::line("tests are functions whose names begin with 'test_'; there are none")?;
        }
        let word = if failed == 0 { "ok" } else { "FAILED" };
        output::line(&format!(
            "test result: {word}. {} passed; {failed} failed; {} filtered out; finished in {:.2}s",
            self.passed,
            self.filtered,
            begin.elapsed().as_secs_f64()
        ))?;
        if failed == 0 { Ok(()) } else { Err(String::new()) }
    }
}

/// A test that can be called.
struct Called<'a> {
    debuggee: &'a Debuggee,
    test: &'a Test,
    export: &'a str,
    kinds: Vec<Kind>,
    run: &'a Run<'a>,
}

impl Called<'_> {
    /// Calls the test in a fresh program; what it printed, too.
    fn call(&self, samples: &[Sample]) -> (Result<(), RunError>, String) {
        match self.run.testing.nocapture {
            true => (self.call_watched(samples, None), String::new()),
            false => context::capture(|| self.call_watched(samples, None)),
        }
    }

    fn call_watched(&self, samples: &[Sample], watcher: Option<&mut dyn Watcher>) -> Result<(), RunError> {
        let values = self.kinds.iter().zip(samples).map(|(kind, sample)| samples::value(kind, sample));
        let values: Vec<Value> = values.map(Result::unwrap_or_default).collect();
        let compilation = &self.debuggee.compilation;
        let Some(program) = &compilation.program else { return Ok(()) };
        let working = compilation.settings.precision;
        context::seed(self.run.seed);
        with_host(working, |host| {
            let options = InterpOptions {
                working,
                compare_orders: self.run.options.debug,
                check_numbers: context::checks_numbers(),
                ..InterpOptions::default()
            };
            let mut interpreter = Interpreter::new(program, options, host).with_sources(&compilation.sources);
            if let Some(watcher) = watcher {
                interpreter = interpreter.with_watcher(watcher);
            }
            interpreter.run_initializer()?;
            interpreter.call(self.export, values).map(drop)
        })
    }

    /// What the sides of the comparison were that failed: found by running again, up to the assertion.
    fn sides(&self, samples: &[Sample], error: &RunError) -> String {
        let Some(sides) = sides::of(error, self.debuggee) else { return String::new() };
        let mut last = sides::Last { sides: &sides, number: 0 };
        let mut values =
            sides::Values { sides: &sides, debuggee: self.debuggee, number: 0, lines: Vec::new() };
        let (_, _) = context::capture(|| {
            let _ = self.call_watched(samples, Some(&mut last));
            values.number = last.number;
            if values.number > 0 {
                let _ = self.call_watched(samples, Some(&mut values));
            }
        });
        values.lines.concat()
    }

    fn once(&self) -> Outcome {
        match self.call(&[]) {
            (Ok(()), _) => Outcome::Passed(String::new()),
            (Err(error), printed) => Outcome::Failed(self.said(&[], &error, &printed)),
        }
    }

    fn said(&self, samples: &[Sample], error: &RunError, printed: &str) -> String {
        let said = failure::shown(error, &self.debuggee.compilation.sources, Style::Plain);
        let said = said + &self.sides(samples, error);
        let end = if printed.ends_with('\n') { "" } else { "\n" };
        if printed.is_empty() { said } else { format!("{said}it printed:\n{printed}{end}") }
    }

    /// Calls the test with random arguments until enough met its conditions, or one fails.
    fn property(&self) -> Outcome {
        let mut random = Random(self.run.seed ^ hashed(&self.test.name));
        let (wanted, mut met, mut drawn) = (self.run.testing.cases.max(1), 0, 0);
        while met < wanted && drawn < wanted.saturating_mul(DRAWN) {
            let progress = (drawn as f64 / wanted as f64).min(1.0);
            let samples = samples::draw(&self.kinds, &mut random, progress);
            drawn += 1;
            match self.call(&samples) {
                (Ok(()), _) => met += 1,
                (Err(error), _) if self.is_condition(&error) => {}
                (Err(error), printed) => return self.simplest(samples, error, printed, met + 1),
            }
        }
        match (met, drawn - met) {
            (0, _) => Outcome::Failed(format!(
                "Error: none of {drawn} random arguments meet the assertions that '{}' begins with\n",
                self.test.name
            )),
            (met, 0) => Outcome::Passed(format!(", {met} cases")),
            (met, others) => {
                Outcome::Passed(format!(", {met} cases ({others} did not meet the first assertions)"))
            }
        }
    }

    /// Whether an error says that the arguments are not meant.
    fn is_condition(&self, error: &RunError) -> bool {
        let inside = |span: &Span| {
            span.file == error.span.file && span.start <= error.span.start && error.span.end <= span.end
        };
        error.kind == RunErrorKind::Assertion && self.test.conditions.iter().any(inside)
    }

    /// Looks for simpler arguments that fail at the same place.
    fn simplest(&self, samples: Vec<Sample>, error: RunError, printed: String, case: u64) -> Outcome {
        let (begin, mut calls, mut steps) = (Instant::now(), 0, 0);
        let mut now = (samples, error, printed);
        'simpler: loop {
            for samples in samples::simpler(&self.kinds, &now.0) {
                calls += 1;
                if calls > SIMPLER.0 || begin.elapsed() > SIMPLER.1 {
                    break 'simpler;
                }
                let (result, printed) = self.call(&samples);
                if let Err(error) = result
                    && error.kind == now.1.kind
                    && error.span == now.1.span
                {
                    now = (samples, error, printed);
                    steps += 1;
                    continue 'simpler;
                }
            }
            break;
        }
        let (samples, error, printed) = now;
        let written = self.test.params.iter().zip(&self.kinds).zip(&samples);
        let written = written.map(|((name, kind), x)| format!("{name} = {}", samples::written(kind, x)));
        let written: Vec<String> = written.collect();
        let made = match steps {
            0 => String::new(),
            1 => ", made simpler once".to_owned(),
            n => format!(", made simpler {n} times"),
        };
        let with = format!("with {} (case {case}{made})\n", written.join(", "));
        Outcome::Failed(with + &self.said(&samples, &error, &printed))
    }
}

/// The errors at places that are wanted, with excerpts.
fn messages(compilation: &Compilation, wanted: impl Fn(Span) -> bool) -> String {
    let errors = compilation.messages.iter().filter(|message| message.category.is_error());
    let errors: Vec<_> = errors.filter(|message| wanted(message.primary.span)).cloned().collect();
    render::snippets(&errors, &compilation.sources, Style::Plain)
}

/// The text with blanks instead of a span, so that all other places stay.
fn blanked(text: &str, span: Span) -> String {
    let (start, end) = (span.start as usize, span.end as usize);
    let inside = text.get(start..end).unwrap_or_default();
    let blanks = inside.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' });
    let (before, behind) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    before.chars().chain(blanks).chain(behind.chars()).collect()
}

/// A number for a name (FNV-1a), so that each test has arguments of its own, whichever other tests there are.
fn hashed(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
