//! The interpreter: runs a program as the language defines it, host code and kernels alike.
//!
//! Kernels run on a virtual device. All threads of a block (or of the grid) that must meet at barriers are alive
//! together, as resumable states, not as threads of the system; their order is serial or given by a seed, and an
//! [`Observer`] sees each access to memory that they share. Programs run before and after transforms, with the same
//! results: this is what back ends are compared with.

mod code;
mod compare;
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
mod texts;
mod thread;

pub use error::{RunError, RunErrorKind};
pub use observer::{Access, Kind, Observer, Outside, SharedArray, Space, ThreadId};
pub use races::{Finding, FindingKind, RaceDetector};
pub use texts::evaluate;

use crate::ir::Program;
use crate::ir::texts::Evaluated;
use crate::source::SourceMap;
use crate::types::ElementType;
use error::Fault;
use machine::Machine;
use quasar_devicelib::value::{Host, Value};
use std::sync::Arc;
use texts::Origin;

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
    /// Whether kernels that the compiler made of loops and expressions run in a random order as well as in order; an error
    /// says where they differ.
    pub compare_orders: bool,
}

impl Default for InterpOptions {
    fn default() -> Self {
        InterpOptions {
            working: ElementType::Single,
            order: ThreadOrder::Serial,
            step_limit: None,
            compare_orders: false,
        }
    }
}

/// A program that is being run: its module-level variables live from call to call.
pub struct Interpreter<'p> {
    machine: Machine<'p>,
}

impl<'p> Interpreter<'p> {
    /// A program that has not begun. `host` prints, keeps time and knows the functions that the value library lacks.
    pub fn new(program: &'p Program, options: InterpOptions, host: &'p mut dyn Host) -> Interpreter<'p> {
        Interpreter { machine: Machine::new(Origin::Own(program), options, host) }
    }

    /// The program of a text, whose functions go on as values when this is gone.
    fn of_text(text: &'p Arc<Evaluated>, host: &'p mut dyn Host) -> Interpreter<'p> {
        let working = texts::working(&text.program);
        let options = InterpOptions { working, ..InterpOptions::default() };
        let machine = Machine::new(Origin::Text(text.clone()), options, host);
        Interpreter { machine }.with_sources(&text.sources)
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
