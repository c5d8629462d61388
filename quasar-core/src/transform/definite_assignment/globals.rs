//! Definite assignment of module-level variables. Only initializers assign them, in order; a function may read those
//! that are assigned at every call that leads to it.

use super::walk::{AssignmentAnalysis, Flags};
use crate::ids::IdSet;
use crate::ir::rewrite::{operands, visit, visit_stmts};
use crate::ir::{Block, ExprKind, FunctionId, Global, GlobalId, Program, Stmt, StmtKind, build};
use crate::source::Span;
use std::collections::BTreeMap;

/// A set of module-level variables.
pub(super) type GlobalSet = IdSet<Global>;

/// The variables assigned at the entry of functions; uncalled functions have no entry.
pub(super) fn entries(program: &mut Program, all: &GlobalSet) -> BTreeMap<FunctionId, GlobalSet> {
    let mut reached = Reached::default();
    if all.is_empty() {
        return reached.entries;
    }
    let (mut known, none) = (GlobalSet::new(), Flags::default());
    for part in initializers(program) {
        let walk = AssignmentAnalysis::over(&mut program.functions[part].body, &none, &known, true);
        for (callee, at_call) in &walk.calls {
            reached.meet(*callee, at_call);
        }
        // Its callees are handled by the calls that the analysis recorded.
        reached.entries.insert(part, known);
        known = walk.end.unwrap_or_else(|| all.clone());
    }
    for id in program.main.iter().chain(program.exports.iter().map(|export| &export.function)) {
        if Some(*id) != program.initializer {
            reached.meet(*id, &known);
        }
    }
    while let Some(id) = reached.open.pop() {
        let Some(known) = reached.entries.get(&id).cloned() else { continue };
        for callee in callees(&program.functions[id].body.block) {
            reached.meet(callee, &known);
        }
    }
    reached.entries
}

/// Worklist state: called functions, and what is assigned at their entries.
#[derive(Default)]
struct Reached {
    entries: BTreeMap<FunctionId, GlobalSet>,
    /// Functions whose callees have not been updated.
    open: Vec<FunctionId>,
}

impl Reached {
    /// Merges the state of a call into a function's entry.
    fn meet(&mut self, id: FunctionId, known: &GlobalSet) {
        let before = self.entries.get(&id);
        let both = before.map_or_else(|| known.clone(), |before| before.intersection(known));
        if before != Some(&both) {
            self.entries.insert(id, both);
            self.open.push(id);
        }
    }
}

/// The functions that assign module-level variables, in order; with several modules the initializer calls one for each.
fn initializers(program: &Program) -> Vec<FunctionId> {
    let Some(initializer) = program.initializer else { return Vec::new() };
    let plain = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Call { function, args, results } if args.is_empty() && results.is_empty() => {
            Some(*function)
        }
        _ => None,
    };
    let parts: Option<Vec<FunctionId>> =
        program.functions[initializer].body.block.iter().map(plain).collect();
    parts.unwrap_or_else(|| vec![initializer])
}

/// The functions that statements call, or use as values that are called later.
fn callees(block: &Block) -> Vec<FunctionId> {
    let mut found = Vec::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind {
            found.push(*function);
        }
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                if let ExprKind::Function { function, .. } = &e.kind {
                    found.push(*function);
                }
            });
        });
    });
    found
}

/// Creates a module-level flag for each of the variables, with the variable's name.
pub(super) fn flags(program: &mut Program, variables: &GlobalSet) -> BTreeMap<GlobalId, (GlobalId, String)> {
    let mut flag = |variable: GlobalId| {
        let name = program.globals[variable].name.clone();
        let flag = Global { name: format!("{name}_is_set"), ty: build::int_type() };
        (variable, (program.globals.push(flag), name))
    };
    variables.iter().map(&mut flag).collect()
}

/// Clears all flags before the initializer runs.
pub(super) fn start(program: &mut Program, flags: &BTreeMap<GlobalId, (GlobalId, String)>) {
    let Some(initializer) = program.initializer else { return };
    let unset = |(flag, _): &(GlobalId, String)| {
        let span = Span::default();
        Stmt::new(StmtKind::AssignGlobal { global: *flag, value: build::int(0, span) }, span)
    };
    program.functions[initializer].body.block.splice(0..0, flags.values().map(unset));
}
