//! Kernels that get one array for several parameters, with one parameter for it.

use super::rewrite::{rename, stored_in, visit_stmts};
use super::{Body, ExprKind, Kernel, Program, StmtKind, Storage, VarId, VarSet};

/// The arrays that a kernel may write to, by itself or through what it calls.
pub fn changed_in(body: &Body) -> VarSet {
    let mut changed = stored_in(&body.block);
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::Call { args, .. } = &stmt.kind {
            let passed = args.iter().filter_map(|arg| match arg.kind {
                ExprKind::Local(variable) => Some(variable),
                _ => None,
            });
            changed.extend(passed);
        }
    });
    changed
}

/// A name for another form of a kernel.
pub fn free_name(program: &Program, kernel: &str) -> String {
    let taken = |name: &str| program.kernels.iter().any(|(_, kernel)| kernel.name == name);
    let mut names = (2..).map(|k| format!("{kernel}_{k}"));
    names.find(|name| !taken(name)).unwrap_or_else(|| kernel.to_owned())
}

/// A kernel with one parameter for those that `pattern` gives the same number, which is that of the first of them.
pub fn merged(program: &Program, kernel: &Kernel, pattern: &[usize]) -> Kernel {
    let mut copy = kernel.clone();
    copy.name = free_name(program, &kernel.name);
    let params = kernel.body.params.clone();
    let first = |variable: VarId| match params.iter().position(|param| *param == variable) {
        Some(k) if k < pattern.len() => params[pattern[k]],
        _ => variable,
    };
    rename(&mut copy.body.block, &mut |variable| first(variable));
    copy.body.params.retain(|param| first(*param) == *param);
    for param in &params {
        let constant = kernel.body.variables[*param].constant;
        copy.body.variables[first(*param)].constant &= constant;
        if kernel.body.variables[*param].storage != Storage::Constant {
            copy.body.variables[first(*param)].storage = Storage::Local;
        }
    }
    copy
}
