//! Kernels that get one array for several parameters, with one parameter for it.

use super::build::same_type;
use super::rewrite::{rename, stored_in, transform_stmts, visit_stmts};
use super::{Body, Expr, ExprKind, FunctionId, Kernel, Program, StmtKind, Storage, VarId, VarSet};
use crate::types::Type;
use std::collections::BTreeMap;

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

/// Lets calls pass an array once that they pass for several parameters of a device function that changes it.
pub fn merge_calls(program: &mut Program) {
    let mut made = BTreeMap::new();
    for id in program.kernels.ids() {
        let mut body = std::mem::take(&mut program.kernels[id].body);
        merge_calls_of(program, &mut made, &mut body);
        program.kernels[id].body = body;
    }
    // Also the functions that are made meanwhile.
    let mut number = 0;
    while let Some(id) = program.functions.ids().nth(number) {
        let mut body = std::mem::take(&mut program.functions[id].body);
        merge_calls_of(program, &mut made, &mut body);
        program.functions[id].body = body;
        number += 1;
    }
}

type Merged = BTreeMap<(FunctionId, Vec<usize>), FunctionId>;

fn merge_calls_of(program: &mut Program, made: &mut Merged, body: &mut Body) {
    transform_stmts(&mut body.block, &mut |stmt| {
        let StmtKind::Call { function, args, .. } = &mut stmt.kind else { return };
        let callee = &program.functions[*function];
        if !callee.device {
            return;
        }
        let pattern = repeated(&callee.body, args);
        if pattern.iter().enumerate().all(|(k, first)| k == *first) {
            return;
        }
        let mut number = 0..;
        args.retain(|_| number.next().is_none_or(|k: usize| pattern[k] == k));
        let key = (*function, pattern);
        *function = match made.get(&key) {
            Some(known) => *known,
            None => {
                let mut copy = program.functions[key.0].clone();
                copy.name = program.free_name(&copy.name);
                let params = copy.body.params.clone();
                let first = |variable: VarId| match params.iter().position(|param| *param == variable) {
                    Some(k) if k < key.1.len() => params[key.1[k]],
                    _ => variable,
                };
                rename(&mut copy.body.block, &mut |variable| first(variable));
                copy.body.params.retain(|param| first(*param) == *param);
                let id = program.functions.push(copy);
                made.insert(key, id);
                id
            }
        };
    });
}

/// Which argument each parameter gets: the number of the first one that is the same array.
fn repeated(callee: &Body, args: &[Expr]) -> Vec<usize> {
    let local = |arg: &Expr| match arg.kind {
        ExprKind::Local(variable) if matches!(arg.ty, Type::Array(_)) => Some(variable),
        _ => None,
    };
    let twice = |k: usize| local(&args[k]).is_some_and(|v| (0..k).any(|j| local(&args[j]) == Some(v)));
    let count = args.len().min(callee.params.len());
    if !(0..count).any(twice) {
        return (0..args.len()).collect();
    }
    let changed = changed_in(callee);
    let one_array = |k: usize, j: usize| {
        let (a, b) = (callee.params[k], callee.params[j]);
        local(&args[k]).is_some()
            && local(&args[k]) == local(&args[j])
            && same_type(&callee.variables[a].ty, &callee.variables[b].ty)
            && (changed.contains(&a) || changed.contains(&b))
    };
    (0..args.len()).map(|k| (0..k.min(count)).find(|j| k < count && one_array(k, *j)).unwrap_or(k)).collect()
}
