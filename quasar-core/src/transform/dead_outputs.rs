//! Outputs of functions that a call does not take are not computed, as far as nothing else needs what computes them:
//!
//! ```text
//! [a, b] = both(x)                      [a, b] = both(x)
//!     a = sum(x)                            a = sum(x)
//!     b = sort(x)              ->           b = sort(x)
//!                                       [a] = both_outputs_0(x)
//! [s, _] = both(y)                          a = sum(x)
//!                                       [s] = both_outputs_0(y)
//! ```
//!
//! What prints, fails, asserts or changes something that others see stays. An error that only the way to such an output would
//! raise, by an index out of range for example, does not appear; a call that takes nothing at all keeps its errors, and so
//! does one whose results go to variables that are never read.

use super::{PassContext, dead_functions, messages};
use crate::analysis::dead_code;
use crate::ids::IdSet;
use crate::ir::rewrite::{expand_stmts, visit_stmts};
use crate::ir::{Block, Body, Function, FunctionId, Program, Stmt, StmtKind};
use crate::message::Sink;
use std::collections::{BTreeMap, BTreeSet};

/// Makes the versions that calls need, and calls them.
pub(super) fn run(program: &mut Program, _: &PassContext<'_>, sink: &mut Sink) {
    let names = program.functions.iter().map(|(_, function)| function.name.clone()).collect();
    let mut pass = Pass { versions: BTreeMap::new(), names, replaced: IdSet::new(), sink };
    // Versions come behind the others and call some themselves.
    let mut next = 0;
    while let Some(id) = program.functions.ids().nth(next) {
        let mut block = std::mem::take(&mut program.functions[id].body.block);
        pass.block(program, &mut block);
        program.functions[id].body.block = block;
        next += 1;
    }
    for id in program.kernels.ids() {
        let mut block = std::mem::take(&mut program.kernels[id].body.block);
        pass.block(program, &mut block);
        program.kernels[id].body.block = block;
    }
    let replaced = pass.replaced;
    dead_functions::remove(program, &replaced);
}

struct Pass<'s> {
    /// The version of a function that computes some outputs, if it is worth one.
    versions: BTreeMap<(FunctionId, Vec<bool>), Option<FunctionId>>,
    names: BTreeSet<String>,
    replaced: IdSet<Function>,
    sink: &'s mut Sink,
}

impl Pass<'_> {
    fn block(&mut self, program: &mut Program, block: &mut Block) {
        expand_stmts(block, &mut |mut stmt| {
            let span = stmt.span;
            let StmtKind::Call { function, results, .. } = &mut stmt.kind else { return vec![stmt] };
            let used: Vec<bool> = results.iter().map(Option::is_some).collect();
            if used.iter().all(|taken| *taken) || used.iter().all(|taken| !*taken) {
                return vec![stmt];
            }
            let Some(version) = self.version(program, *function, &used) else { return vec![stmt] };
            let callee = &program.functions[*function];
            let unused = callee.body.results.iter().zip(&used).filter(|(_, used)| !**used);
            let names: Vec<&str> = unused.map(|(v, _)| callee.body.variables[*v].name.as_str()).collect();
            self.sink.push(messages::not_computed(span, &callee.source_name, &names));
            self.replaced.insert(*function);
            *function = version;
            results.retain(Option::is_some);
            vec![stmt]
        });
    }

    fn version(&mut self, program: &mut Program, function: FunctionId, used: &[bool]) -> Option<FunctionId> {
        let key = (function, used.to_vec());
        if let Some(known) = self.versions.get(&key) {
            return *known;
        }
        let version = self.made(program, function, used);
        self.versions.insert(key, version);
        version
    }

    fn made(&mut self, program: &mut Program, function: FunctionId, used: &[bool]) -> Option<FunctionId> {
        let original = &program.functions[function];
        let mut body = original.body.clone();
        // The body of the function that is gone through at the moment is not there: it calls itself.
        if body.block.is_empty() || body.results.len() != used.len() {
            return None;
        }
        let mut kept = used.iter();
        body.results.retain(|_| kept.next().copied().unwrap_or(true));
        let before = statements(&body);
        dead_code::remove(program, &mut body);
        if statements(&body) == before {
            return None;
        }
        let places = used.iter().enumerate().filter(|(_, used)| **used).map(|(k, _)| format!("_{k}"));
        let base = format!("{}_outputs{}", original.name, places.collect::<String>());
        let mut name = base.clone();
        let mut number = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        let version = Function { name, body, ..original.clone() };
        Some(program.functions.push(version))
    }
}

fn statements(body: &Body) -> usize {
    let mut count = 0;
    visit_stmts(&body.block, &mut |_: &Stmt| count += 1);
    count
}
