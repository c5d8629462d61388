//! The interpreter: the reference semantics of the IR, for host code and kernels alike.
//!
//! Kernels run on a virtual device. All threads of a block (or of the grid) that synchronise at barriers are live at
//! the same time, as resumable states rather than OS threads. They run serially or in a seeded random order, and an
//! [`Observer`] sees each access to memory that they share. Programs must give the same results before and after the
//! passes; back ends are tested against this.

mod code;
mod compare;
mod compile;
mod convert;
mod error;
mod expressions;
mod finite;
mod host;
mod kernel;
mod machine;
mod memory;
mod messages;
mod objects;
mod observer;
mod operators;
mod races;
mod schedule;
mod session;
#[cfg(test)]
mod tests;
mod texts;
mod thread;
mod warps;
mod watch;

pub use error::{RunError, RunErrorKind};
pub use observer::{Access, Kind, Observer, Outside, SharedArray, Space, ThreadId};
pub use races::{Finding, FindingKind, RaceDetector};
pub use session::Session;
pub use texts::evaluate;
pub use watch::{Call, Moment, Next, Watcher};

use crate::ir::Program;
use crate::ir::texts::Evaluated;
use crate::source::SourceMap;
use crate::types::ElementType;
use error::Fault;
use machine::Machine;
use quasar_devicelib::value::{Host, Value};
use std::sync::Arc;
use texts::Origin;

/// The scheduling order of a launch's threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadOrder {
    /// One after the other in row-major order, each as far as it gets.
    #[default]
    Serial,
    /// Switches threads at every step, in an order determined by the seed.
    Random(u64),
}

/// Options of a run.
#[derive(Clone, Copy, Debug)]
pub struct InterpOptions {
    /// The precision of `scalar`.
    pub working: ElementType,
    /// The scheduling order.
    pub order: ThreadOrder,
    /// The number of statements after which to stop with an error.
    pub step_limit: Option<u64>,
    /// Whether kernels that the compiler outlined from loops and expressions run both in random order and in order; if
    /// the results differ, that is an error.
    pub compare_orders: bool,
    /// Whether elements that a kernel writes and that are not finite are an error.
    pub check_numbers: bool,
}

impl Default for InterpOptions {
    fn default() -> Self {
        InterpOptions {
            working: ElementType::Single,
            order: ThreadOrder::Serial,
            step_limit: None,
            compare_orders: false,
            check_numbers: false,
        }
    }
}

/// A running program. Its module-level variables live from call to call.
pub struct Interpreter<'p> {
    machine: Machine<'p>,
}

impl<'p> Interpreter<'p> {
    /// A program that has not started. `host` prints, keeps time and provides the functions that the value library
    /// lacks.
    pub fn new(program: &'p Program, options: InterpOptions, host: &'p mut dyn Host) -> Interpreter<'p> {
        Interpreter { machine: Machine::new(Origin::Own(program), options, host) }
    }

    /// The program of evaluated source, whose functions outlive this interpreter as values.
    fn of_text(text: &'p Arc<Evaluated>, host: &'p mut dyn Host) -> Interpreter<'p> {
        let working = texts::working(&text.program);
        let options = InterpOptions { working, ..InterpOptions::default() };
        let machine = Machine::new(Origin::Text(text.clone()), options, host);
        Interpreter { machine }.with_sources(&text.sources)
    }

    /// Sets the source files, so that errors name lines.
    pub fn with_sources(mut self, sources: &'p SourceMap) -> Interpreter<'p> {
        self.machine.sources = Some(sources);
        self
    }

    /// Sets the observer of the virtual device.
    pub fn with_observer(mut self, observer: &'p mut dyn Observer) -> Interpreter<'p> {
        self.machine.observer = Some(observer);
        self
    }

    /// Sets the watcher, which looks at the first instruction.
    pub fn with_watcher(mut self, watcher: &'p mut dyn Watcher) -> Interpreter<'p> {
        self.machine.watch(watcher);
        self
    }

    /// Gives a module-level variable that functions share a value, as a debugger does; `false` if there is none of this name.
    pub fn set_global(&mut self, name: &str, value: Value) -> bool {
        let found = self.machine.program(0).globals.iter().position(|(_, global)| global.name == name);
        let slot = found.and_then(|place| self.machine.programs[0].globals.get_mut(place));
        slot.map(|slot| *slot = value).is_some()
    }

    /// Runs the top-level statements of all modules, if there are any.
    pub fn run_initializer(&mut self) -> Result<(), RunError> {
        let Some(function) = self.machine.program(0).initializer else { return Ok(()) };
        let result = self.machine.call_function(0, function, Vec::new());
        result.map(drop).map_err(|fault| self.report(fault))
    }

    /// Runs `main`.
    pub fn run_main(&mut self, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let result = match self.machine.program(0).main {
            Some(function) => self.machine.call_function(0, function, args),
            None => Err(messages::no_main()),
        };
        result.map_err(|fault| self.report(fault))
    }

    /// Whether the program has a `main`.
    pub fn has_main(&self) -> bool {
        self.machine.program(0).main.is_some()
    }

    /// Calls an exported function by its Rust name.
    pub fn call(&mut self, export: &str, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let found = self.machine.program(0).exports.iter().find(|e| e.name == export).map(|e| e.function);
        let result = match found {
            Some(function) => self.machine.call_function(0, function, args),
            None => Err(messages::no_such_export(export)),
        };
        result.map_err(|fault| self.report(fault))
    }

    fn report(&self, fault: Fault) -> RunError {
        fault.report(self.machine.sources)
    }
}
