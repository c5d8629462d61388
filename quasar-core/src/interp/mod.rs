//! The interpreter: runs a program as the language defines it, host code and kernels alike.
//!
//! Kernels run on a virtual device. All threads of a block (or of the grid) that must meet at barriers are alive
//! together, as resumable states, not as threads of the system; their order is serial or given by a seed, and an
//! [`Observer`] sees each access to memory that they share. Programs run before and after transforms, with the same
//! results: this is what back ends are compared with.

mod code;
mod compile;
mod convert;
mod error;
mod expressions;
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
#[cfg(test)]
mod tests;
mod thread;

pub use error::{RunError, RunErrorKind};
pub use observer::{Access, Kind, Observer, Outside, SharedArray, Space, ThreadId};
pub use races::{Finding, FindingKind, RaceDetector};

use crate::ir::Program;
use crate::source::SourceMap;
use crate::types::ElementType;
use error::Fault;
use machine::Machine;
use quasar_devicelib::value::{Host, Value};

/// In which order the threads of a launch run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadOrder {
    /// One after the other in row-major order, each as far as it can.
    #[default]
    Serial,
    /// Switching at every step, in an order that follows from the seed.
    Random(u64),
}

/// How to run a program.
#[derive(Clone, Copy, Debug)]
pub struct InterpOptions {
    /// The precision of `scalar`.
    pub working: ElementType,
    /// The order of threads.
    pub order: ThreadOrder,
    /// After how many statements to stop with an error.
    pub step_limit: Option<u64>,
}

impl Default for InterpOptions {
    fn default() -> Self {
        InterpOptions { working: ElementType::Single, order: ThreadOrder::Serial, step_limit: None }
    }
}

/// A program that is being run: its module-level variables live from call to call.
pub struct Interpreter<'p> {
    machine: Machine<'p>,
}

impl<'p> Interpreter<'p> {
    /// A program that has not begun. `host` prints, keeps time and knows the functions that the value library lacks.
    pub fn new(program: &'p Program, options: InterpOptions, host: &'p mut dyn Host) -> Interpreter<'p> {
        Interpreter { machine: Machine::new(program, options, host) }
    }

    /// Errors name lines of these texts.
    pub fn with_sources(mut self, sources: &'p SourceMap) -> Interpreter<'p> {
        self.machine.sources = Some(sources);
        self
    }

    /// Somebody watches the virtual device.
    pub fn with_observer(mut self, observer: &'p mut dyn Observer) -> Interpreter<'p> {
        self.machine.observer = Some(observer);
        self
    }

    /// Runs the top-level statements of all modules. Does nothing when there are none.
    pub fn run_initializer(&mut self) -> Result<(), RunError> {
        let Some(function) = self.machine.program.initializer else { return Ok(()) };
        let result = self.machine.call_function(function, Vec::new());
        result.map(drop).map_err(|fault| self.report(fault))
    }

    /// Runs `main`.
    pub fn run_main(&mut self, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let result = match self.machine.program.main {
            Some(function) => self.machine.call_function(function, args),
            None => Err(messages::no_main()),
        };
        result.map_err(|fault| self.report(fault))
    }

    /// Whether the program has a `main`.
    pub fn has_main(&self) -> bool {
        self.machine.program.main.is_some()
    }

    /// Calls an exported function by its Rust name.
    pub fn call(&mut self, export: &str, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let result = match self.machine.program.exports.iter().find(|e| e.name == export) {
            Some(export) => self.machine.call_function(export.function, args),
            None => Err(messages::no_such_export(export)),
        };
        result.map_err(|fault| self.report(fault))
    }

    fn report(&self, fault: Fault) -> RunError {
        fault.report(self.machine.sources)
    }
}
