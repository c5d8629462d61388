//! Definite assignment: reading an unassigned variable is an error. If some path leaves a variable unassigned and
//! another reads it, a flag tracks the assignment at run time:
//!
//! ```text
//! if c > 0                    $2 = 0
//!     t = 1                   if c > 0
//! endif                =>         t = 1
//! print(t)                        $2 = 1
//!                             endif
//!                             if $2 == 0
//!                                 unset_error("the variable 't' is used ..")
//!                             endif
//!                             print(t)
//! ```
//!
//! Variables assigned on all paths need no flag. Bodies are visited twice: first to find the variables that need flags,
//! then to insert them.

mod globals;
mod walk;

use super::PassContext;
use crate::ir::{Body, Program, VarId, VarSet, Variable, build};
use crate::message::Sink;
use crate::source::Span;
use crate::types::known;
use globals::GlobalSet;
use std::collections::BTreeMap;
use walk::{AssignmentAnalysis, Flags};

/// Runs the pass.
pub(super) fn run(program: &mut Program, _context: &PassContext<'_>, _sink: &mut Sink) {
    let all: GlobalSet = program.globals.ids().collect();
    let entries = globals::entries(program, &all);
    let none = Flags::default();
    let (mut locals, mut unset) = (Vec::new(), GlobalSet::new());
    for (id, function) in program.functions.iter_mut() {
        let walk =
            AssignmentAnalysis::over(&mut function.body, &none, entries.get(&id).unwrap_or(&all), true);
        unset.add(&walk.unset.globals);
        locals.push((id, walk.unset.locals));
    }
    let flags_of_globals = globals::flags(program, &unset);
    for (id, locals) in locals {
        let function = &mut program.functions[id];
        let flags =
            Flags { locals: flags_of(&mut function.body, &locals), globals: flags_of_globals.clone() };
        if !flags.is_empty() {
            AssignmentAnalysis::over(&mut function.body, &flags, entries.get(&id).unwrap_or(&all), true);
            start(&mut function.body, &flags.locals, function.device);
        }
    }
    for (_, kernel) in program.kernels.iter_mut() {
        let locals = AssignmentAnalysis::over(&mut kernel.body, &none, &all, false).unset.locals;
        let flags = Flags { locals: flags_of(&mut kernel.body, &locals), ..Flags::default() };
        if !flags.is_empty() {
            AssignmentAnalysis::over(&mut kernel.body, &flags, &all, false);
            start(&mut kernel.body, &flags.locals, true);
        }
    }
    globals::start(program, &flags_of_globals);
}

/// Creates a flag for each of the variables, with its name, since messages about loops may speak of the flag.
fn flags_of(body: &mut Body, variables: &VarSet) -> BTreeMap<VarId, VarId> {
    let mut flag = |variable: VarId| {
        let name = body.variables[variable].name.clone();
        body.variables.push(Variable::new(&name, build::int_type(), Span::default()))
    };
    variables.iter().map(|variable| (variable, flag(variable))).collect()
}

/// Clears the flags at the start of a body. The variables get default values too, since loops that become kernels pass
/// them even if they are unassigned.
fn start(body: &mut Body, flags: &BTreeMap<VarId, VarId>, device: bool) {
    let mut first = Vec::new();
    for (variable, flag) in flags {
        let Body { variables, .. } = &*body;
        let ty = &variables[*variable].ty;
        let span = variables[*variable].span;
        // Kernels do not allocate heap memory for this.
        if let Some(value) = build::placeholder(ty, span).filter(|_| !(device && known::on_heap(ty))) {
            first.push(build::assign(*variable, value));
        }
        first.push(build::assign(*flag, build::int(0, span)));
    }
    body.block.splice(0..0, first);
}
