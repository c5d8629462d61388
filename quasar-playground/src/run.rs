//! Runs a program on the interpreter: what it prints and draws goes to the page while it runs, files are in memory, and it can be stopped.

use crate::{NAME, modules, options, place};
use quasar_core::driver;
use quasar_core::interp::{InterpOptions, Interpreter, Moment, Next, RunError, RunErrorKind, Watcher};
use quasar_core::message::Message;
use quasar_core::source::SourceMap;
use quasar_devicelib::value::{Host, HostState, Value as QuasarValue, ValueError};
use quasar_files::memory::{self, Files};
use quasar_runtime::context;
use quasar_runtime::library::host_services::with_host;
use quasar_runtime::library::{command_line, figure};
use serde_json::{Value, json};
use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

/// Characters that a program may print; the page could not show many more.
pub const MOST_PRINTED: usize = 1 << 20;
/// Figures that a program may draw.
pub const MOST_FIGURES: usize = 100;
/// Instructions between two looks at a program.
const BETWEEN_LOOKS: u64 = 1 << 14;

/// What a running program does to the page.
pub trait Page {
    /// It prints.
    fn print(&self, text: &str);
    /// It shows a figure: its number, SVG, and what its image does not show exactly.
    fn picture(&self, number: i64, svg: &str, loss: &str);
    /// It asks for the time, in milliseconds.
    fn now_ms(&self) -> f64;
    /// It is still running: what was held back may be shown.
    fn tick(&self) {}
}

/// How a program is run.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The files that it finds.
    pub files: Files,
    /// Where random numbers begin.
    pub seed: u64,
    /// How many instructions it may take.
    pub steps: Option<u64>,
}

/// What a program left behind.
#[derive(Debug)]
pub struct Ended {
    /// `messages` of the compiler, if it refused the program, and the `error` that ended it, or null.
    pub answer: Value,
    /// The files that it wrote.
    pub written: Vec<(PathBuf, Vec<u8>)>,
}

/// Compiles and runs a program.
pub fn run(text: &str, wanted: Wanted, page: &Rc<dyn Page>) -> Ended {
    let before = wanted.files.clone();
    let outside = memory::install(Some(wanted.files));
    let answer = with_files(text, wanted.seed, wanted.steps, page);
    let files = memory::install(outside).unwrap_or_default();
    let written = files.into_iter().filter(|(path, bytes)| before.get(path) != Some(bytes)).collect();
    Ended { answer, written }
}

fn with_files(text: &str, seed: u64, steps: Option<u64>, page: &Rc<dyn Page>) -> Value {
    let compilation = driver::compile(NAME, text, &modules(), &options());
    let Some(program) = &compilation.program else {
        let errors = compilation.messages.iter().filter(|message| message.category.is_error());
        let errors: Vec<Value> =
            errors.map(|message| place::message(message, &compilation.sources)).collect();
        return json!({"messages": errors, "error": null});
    };
    let working = compilation.settings.precision;
    let limits = Rc::new(Limits::default());
    show_figures_on(page, &limits);
    context::seed(seed);
    let ran = with_host(working, |services| {
        let mut host = PageHost { services, page: &**page, limits: &limits };
        let mut watcher = PageWatcher { page: &**page, limits: &limits };
        let settings = InterpOptions { working, step_limit: steps, ..InterpOptions::default() };
        let mut interpreter = Interpreter::new(program, settings, &mut host)
            .with_sources(&compilation.sources)
            .with_watcher(&mut watcher);
        interpreter.run_initializer()?;
        if interpreter.has_main() {
            interpreter.run_main(vec![command_line::arguments([].into_iter(), working)])?;
        }
        Ok(())
    });
    // What a program drew before it failed is shown as well.
    let shown = figure::show_figures();
    figure::set_viewer(None);
    let error = match (ran, shown) {
        (Err(error), _) => run_error(&error, &compilation.sources),
        (Ok(()), Err(error)) => json!({"text": error.to_string()}),
        (Ok(()), Ok(())) => Value::Null,
    };
    json!({"messages": [], "error": error})
}

fn show_figures_on(page: &Rc<dyn Page>, limits: &Rc<Limits>) {
    let (page, limits) = (Rc::clone(page), Rc::clone(limits));
    figure::set_viewer(Some(Box::new(move |number, svg, loss| {
        limits.figures.set(limits.figures.get() + 1);
        if limits.figures.get() <= MOST_FIGURES {
            page.picture(number, svg, loss);
        }
    })));
}

/// The error that ended a program, as a message with an excerpt where its place is known.
fn run_error(error: &RunError, sources: &SourceMap) -> Value {
    let is_placed = error.span.start < error.span.end;
    if !is_placed || error.kind == RunErrorKind::Stopped {
        return json!({"text": error.text});
    }
    let related = error.related.iter();
    let message = related
        .fold(Message::error("", error.span, error.brief.clone()), |message, (text, span)| {
            message.related(*span, text.clone())
        });
    place::message(&message, sources)
}

/// What a program has used up.
#[derive(Default)]
struct Limits {
    printed: Cell<usize>,
    figures: Cell<usize>,
}

impl Limits {
    /// Why the program shall end.
    fn reached(&self) -> Option<String> {
        if self.printed.get() > MOST_PRINTED {
            return Some(format!(
                "the program has printed more than {} KB, which is all that is shown here",
                MOST_PRINTED >> 10
            ));
        }
        (self.figures.get() > MOST_FIGURES)
            .then(|| format!("the program has drawn more than {MOST_FIGURES} figures"))
    }
}

struct PageWatcher<'a> {
    page: &'a dyn Page,
    limits: &'a Limits,
}

impl Watcher for PageWatcher<'_> {
    fn look(&mut self, moment: &Moment<'_>) -> Next {
        self.page.tick();
        self.limits.reached().map_or_else(|| Next::At(moment.number() + BETWEEN_LOOKS), Next::Stop)
    }
}

/// The console and the clock of the page; everything else as programs have it elsewhere.
struct PageHost<'a> {
    services: &'a mut dyn Host,
    page: &'a dyn Page,
    limits: &'a Limits,
}

impl Host for PageHost<'_> {
    fn print(&mut self, text: &str) -> Result<(), ValueError> {
        let printed = self.limits.printed.get();
        if printed <= MOST_PRINTED {
            self.page.print(text);
            self.limits.printed.set(printed + text.len());
        }
        Ok(())
    }

    fn state(&mut self) -> &mut HostState {
        self.services.state()
    }

    fn now_ms(&self) -> f64 {
        self.page.now_ms()
    }

    fn write_file(&mut self, handle: &QuasarValue, text: &str) -> Result<(), ValueError> {
        self.services.write_file(handle, text)
    }

    fn external(
        &mut self,
        name: &str,
        args: &[QuasarValue],
        results: usize,
    ) -> Option<Result<Vec<QuasarValue>, ValueError>> {
        self.services.external(name, args, results)
    }
}
