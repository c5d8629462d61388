//! A session: programs that run one after the other in one machine, so that values which one of them leaves behind work in the
//! later ones, functions among them.

use super::machine::Machine;
use super::texts::Origin;
use super::{InterpOptions, RunError, Watcher};
use crate::ir::Program;
use crate::ir::texts::Evaluated;
use crate::source::SourceMap;
use quasar_devicelib::value::Host;
use std::sync::Arc;

/// A machine for several programs.
pub struct Session<'p> {
    machine: Machine<'p>,
}

impl<'p> Session<'p> {
    /// A session that has run nothing.
    pub fn new(options: InterpOptions, host: &'p mut dyn Host) -> Session<'p> {
        let nothing = Evaluated { program: Program::default(), sources: SourceMap::default() };
        Session { machine: Machine::new(Origin::Text(Arc::new(nothing)), options, host) }
    }

    /// Sets what watches all programs.
    pub fn with_watcher(mut self, watcher: &'p mut dyn Watcher) -> Session<'p> {
        self.machine.watch(watcher);
        self
    }

    /// Runs the top-level statements of a program. Errors name its lines, also where functions of earlier ones fail.
    pub fn run(&mut self, program: &Arc<Evaluated>) -> Result<(), RunError> {
        // Texts that were compiled against an earlier program do not know what is defined now.
        self.machine.known.clear();
        self.machine.launches = 0;
        self.machine.named = Some(self.machine.programs.len());
        self.machine.load(program).map(drop).map_err(|fault| fault.report(None))
    }
}
