//! The emulator driver: runs a program, as written and transformed, under several thread schedules, and merges the
//! results into a report.

use crate::diagnostic::{Mistake, MistakeKind};
use crate::launches::VirtualDevice;
use crate::monitor::Monitor;
use crate::program::Program;
use crate::report::{Report, Stopped};
use crate::trace::Trace;
use quasar_core::interp::{InterpOptions, Interpreter, RunError, RunErrorKind, ThreadOrder};
use quasar_core::message::render::Style;
use quasar_devicelib::value::{ErrorKind, Value};
use quasar_runtime::context::capture;
use quasar_runtime::library::command_line;
use quasar_runtime::library::host_services::with_host;
use std::ops::Range;

/// The configuration of an emulated run.
#[derive(Clone, Debug)]
pub struct Emulator<'p> {
    program: &'p Program,
    seeds: Range<u64>,
    kernel: Option<String>,
    trace: Option<(usize, Option<Vec<usize>>)>,
    device: VirtualDevice,
    steps: u64,
    coloured: bool,
}

/// The entry point.
enum Entry<'a> {
    Main(&'a [String]),
    Function(&'a str, &'a [Value]),
}

impl<'p> Emulator<'p> {
    /// An emulator that runs the program with serial threads and with two random interleavings.
    pub fn new(program: &'p Program) -> Emulator<'p> {
        let (kernel, trace, device) = (None, None, VirtualDevice::HOPPER);
        Emulator { program, seeds: 0..2, kernel, trace, device, steps: 1 << 32, coloured: false }
    }

    /// The seeds of the random interleavings; an empty range leaves the serial order only.
    pub fn seeds(mut self, seeds: Range<u64>) -> Emulator<'p> {
        self.seeds = seeds;
        self
    }

    /// Restricts the diagnostics to one kernel. Kernels that the compiler generated from loops are called
    /// `opt__FUNCTION_lineN`.
    pub fn kernel(mut self, name: &str) -> Emulator<'p> {
        self.kernel = Some(name.to_string());
        self
    }

    /// Traces accesses to shared data, at most this many lines, in the first run of the program as written.
    pub fn trace(mut self, lines: usize) -> Emulator<'p> {
        self.trace = Some((lines, self.trace.and_then(|(_, position)| position)));
        self
    }

    /// Traces the thread at one position, and barriers.
    pub fn trace_position(mut self, position: &[usize], lines: usize) -> Emulator<'p> {
        self.trace = Some((lines, Some(position.to_vec())));
        self
    }

    /// The device whose limits determine occupancy; the default is [`VirtualDevice::HOPPER`].
    pub fn device(mut self, device: VirtualDevice) -> Emulator<'p> {
        self.device = device;
        self
    }

    /// The maximum number of statements of a run, after which it fails; the default is four thousand million.
    pub fn step_limit(mut self, steps: u64) -> Emulator<'p> {
        self.steps = steps;
        self
    }

    /// Whether the report is coloured, for terminals.
    pub fn coloured(mut self, coloured: bool) -> Emulator<'p> {
        self.coloured = coloured;
        self
    }

    /// Runs the top-level statements and then an exported function. Each run gets copies of the arguments.
    pub fn call(&self, function: &str, arguments: &[Value]) -> Report {
        self.run(&Entry::Function(function, arguments))
    }

    /// Runs the top-level statements and then `main`, if there is one, with these command-line arguments.
    pub fn main(&self, arguments: &[String]) -> Report {
        self.run(&Entry::Main(arguments))
    }

    fn run(&self, entry: &Entry<'_>) -> Report {
        let mut report = Report {
            sources: self.program.sources().clone(),
            mistakes: Vec::new(),
            warnings: Vec::new(),
            launches: Vec::new(),
            trace: Vec::new(),
            output: String::new(),
            result: Ok(Vec::new()),
            stopped_by_mistake: false,
            runs: 0,
            device: self.device,
            style: if self.coloured { Style::Coloured } else { Style::Plain },
        };
        let forms: &[bool] = if self.program.has_made_kernels() { &[false, true] } else { &[false] };
        for &transformed in forms {
            let orders =
                std::iter::once(ThreadOrder::Serial).chain(self.seeds.clone().map(ThreadOrder::Random));
            for order in orders {
                self.run_once(entry, transformed, order, &mut report);
            }
        }
        // A missing barrier explains an uninitialised read, so races come first.
        report.mistakes.sort_by_key(|mistake| mistake.kind);
        let first = report.mistakes.partition_point(|mistake| mistake.kind < MistakeKind::Dropped);
        report.warnings = report.mistakes.split_off(first);
        report
    }

    /// One run. Its results go into the report if it is the first one.
    fn run_once(&self, entry: &Entry<'_>, transformed: bool, order: ThreadOrder, report: &mut Report) {
        let Some(program) = self.program.form(transformed) else { return };
        let first = report.runs == 0;
        let trace = self.trace.as_ref().filter(|_| first);
        let trace = trace.map(|(most, position)| Trace::new(*most, position.as_deref()));
        let mut watch = Monitor::new(self.program.sources(), self.kernel.as_deref(), trace);
        let working = self.program.precision;
        let options =
            InterpOptions { working, order, step_limit: Some(self.steps), ..InterpOptions::default() };
        let (result, output) = capture(|| {
            with_host(working, |host| {
                let mut interpreter = Interpreter::new(program, options, host)
                    .with_sources(self.program.sources())
                    .with_observer(&mut watch);
                interpreter.run_initializer()?;
                match entry {
                    Entry::Main(_) if !interpreter.has_main() => Ok(Vec::new()),
                    Entry::Main(arguments) => {
                        let arguments = command_line::arguments(arguments.iter().cloned(), working);
                        interpreter.run_main(vec![arguments])
                    }
                    Entry::Function(name, arguments) => interpreter.call(name, copies(arguments)),
                }
            })
        });
        if order == ThreadOrder::Serial {
            let known = report.launches.clone();
            report.launches.extend(watch.launches.into_iter().filter(|launch| !known.contains(launch)));
        }
        for mistake in watch.mistakes.into_iter().chain(result.as_ref().err().and_then(|e| self.of_error(e)))
        {
            if !report.mistakes.iter().any(|known| known.repeats(&mistake)) {
                report.mistakes.push(mistake);
            }
        }
        if first {
            report.output = output;
            report.stopped_by_mistake = result.as_ref().is_err_and(|error| self.of_error(error).is_some());
            report.result = result.map_err(|error| Stopped { text: error.text, function: error.function });
            if let Some(trace) = watch.trace {
                report.trace = trace.lines;
                if trace.dropped > 0 {
                    report.trace.push(format!("({} more lines)", trace.dropped));
                }
            }
        }
        report.runs += 1;
    }

    /// The diagnostic of a runtime error, if it is one that the emulator reports.
    fn of_error(&self, error: &RunError) -> Option<Mistake> {
        let kind = match error.kind {
            RunErrorKind::Divergence => MistakeKind::Divergence,
            RunErrorKind::Value(ErrorKind::Index) => MistakeKind::OutOfBounds,
            _ => return None,
        };
        if self.kernel.as_ref().is_some_and(|kernel| *kernel != error.function) {
            return None;
        }
        let sources = self.program.sources();
        let mut mistake = match kind {
            MistakeKind::Divergence => {
                let text =
                    "divergent barrier: all threads of a block must reach the same barrier".to_string();
                Mistake::new(kind, &error.function, "", text)
            }
            _ => Mistake::new(kind, &error.function, "", error.brief.clone()).at(
                sources,
                error.span,
                "there is no such element",
            ),
        };
        for (text, span) in &error.related {
            mistake = mistake.at(sources, *span, text.clone());
        }
        Some(mistake)
    }
}

/// Copies the arguments, so that no other run modifies their arrays.
fn copies(values: &[Value]) -> Vec<Value> {
    values.iter().map(|value| value.copied().unwrap_or_else(|_| value.clone())).collect()
}
