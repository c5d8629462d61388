//! Launches that may pass one array for two parameters that the kernel writes, or for one that it reads after it wrote the other,
//! get a second form for that case:
//!
//! ```text
//! parallel_do(numel(a), a, b, k)   ->   if same_elements(a, b)
//!                                           parallel_do(numel(a), a, k_2)
//!                                       else
//!                                           parallel_do(numel(a), a, b, k)
//!                                       endif
//! ```
//!
//! Compiled kernels take what they write for themselves, so that they cannot have one array twice. Where the two have other
//! dimensions, or there are many of them, the kernel visits its positions in order (`aliased`).

use super::aliased::aliased;
use super::names::{self, Meet};
use crate::analysis::aliases::Aliases;
use crate::analysis::param_aliasing;
use crate::analysis::points_to::{ProgramAliases, Sharing, may_have_one_type};
use crate::ir::build::{self, same_type};
use crate::ir::merged::{changed_in, free_name, merge_calls, merged};
use crate::ir::rewrite::{expand_stmts, set_in};
use crate::ir::{Block, Body, Expr, ExprKind, Kernel, KernelId, LaunchMode, Program, Stmt, StmtKind, VarId};
use crate::types::Type;
use std::collections::BTreeMap;

/// Launches with more pairs of arrays that may be one stay as they are.
const MAX_PAIRS: usize = 3;
/// What the names of kernels begin with that were loops.
const MADE: &str = "opt__";

/// What was made of kernels.
#[derive(Default)]
struct Made {
    /// By the kernel, and which of its parameters are one.
    merged: BTreeMap<(KernelId, usize, usize), KernelId>,
    aliased: BTreeMap<KernelId, KernelId>,
}

/// Changes the launches of host functions.
pub(super) fn run(program: &mut Program) {
    let concerned: Vec<KernelId> = (program.kernels.iter())
        .filter(|(_, kernel)| !pairs(program, kernel, true).is_empty())
        .map(|(id, _)| id)
        .collect();
    if concerned.is_empty() {
        return;
    }
    let aliases = ProgramAliases::of(program);
    let mut made = Made::default();
    for id in program.functions.ids() {
        let Some(points) = aliases.of_function(id).filter(|_| !program.functions[id].device) else {
            continue;
        };
        let mut body = std::mem::take(&mut program.functions[id].body);
        let aliases = Aliases::of(&body, points.clone());
        let mut block = std::mem::take(&mut body.block);
        expand_stmts(&mut block, &mut |stmt| {
            let StmtKind::Launch { kernel, .. } = &stmt.kind else { return vec![stmt] };
            if !concerned.contains(kernel) {
                return vec![stmt];
            }
            Launches { program, made: &mut made, aliases: &aliases, body: &mut body }.told_apart(stmt)
        });
        body.block = block;
        program.functions[id].body = body;
    }
    merge_calls(program);
}

/// The positions of the arrays that a kernel writes to and does not replace.
fn written_arrays(kernel: &Kernel) -> Vec<usize> {
    let (changed, set) = (changed_in(&kernel.body), set_in(&kernel.body.block));
    let written = |param: &VarId| changed.contains(param) && !set.contains(param);
    let params = kernel.body.params.iter().enumerate();
    params.filter(|(_, param)| written(param)).map(|(k, _)| k).collect()
}

/// The pairs of parameters of a kernel, by their positions, that matter where they are one array. `in_order`: whether positions
/// see what earlier ones wrote. Of loops that became kernels it is known already what they do with one array.
fn pairs(program: &Program, kernel: &Kernel, in_order: bool) -> Vec<(usize, usize)> {
    let written = written_arrays(kernel);
    let mut found: Vec<(usize, usize)> =
        written.iter().enumerate().flat_map(|(n, i)| written[n + 1..].iter().map(|j| (*i, *j))).collect();
    if !kernel.name.starts_with(MADE) {
        let conflicts = param_aliasing::conflicts(program, kernel);
        let seen = conflicts.iter().filter(|c| in_order || !c.in_order);
        found.extend(seen.map(|c| (c.read.min(c.written), c.read.max(c.written))));
        found.sort_unstable();
        found.dedup();
    }
    found
}

/// Two arguments, where they are variables.
fn locals(args: &[Expr], i: usize, j: usize) -> Option<(VarId, VarId)> {
    match (&args[i].kind, &args[j].kind) {
        (ExprKind::Local(a), ExprKind::Local(b)) if a != b => Some((*a, *b)),
        _ => None,
    }
}

struct Launches<'a> {
    program: &'a mut Program,
    made: &'a mut Made,
    aliases: &'a Aliases,
    body: &'a mut Body,
}

impl Launches<'_> {
    fn told_apart(&mut self, mut stmt: Stmt) -> Block {
        let mut before = Block::new();
        if let StmtKind::Launch { kernel, args, mode, .. } = &mut stmt.kind
            && (self.first_pair(*kernel, args, mode.is_serial(), &[]).is_some()
                || !self.pairs_of_elements(*kernel, args, &[]).is_empty())
        {
            for arg in args.iter_mut().filter(|arg| matches!(arg.ty, Type::Array(_))) {
                if !matches!(arg.kind, ExprKind::Local(_)) {
                    let variable = self.body.temporary(arg.ty.clone(), arg.span);
                    before.push(build::assign(variable, arg.clone()));
                    *arg = self.body.read(variable, arg.span);
                }
            }
        }
        before.extend(self.split(stmt, &mut Vec::new()));
        before
    }

    /// The launch for all ways in which its arguments may be one array; `apart` are those that are known not to be.
    fn split(&mut self, stmt: Stmt, apart: &mut Vec<(VarId, VarId)>) -> Block {
        let StmtKind::Launch { kernel, args, mode, .. } = &stmt.kind else { return vec![stmt] };
        let Some((i, j)) = self.first_pair(*kernel, args, mode.is_serial(), apart) else {
            return self.in_order(stmt, apart);
        };
        let (ExprKind::Local(a), ExprKind::Local(b)) = (&args[i].kind, &args[j].kind) else {
            return vec![stmt];
        };
        let (a, b, span) = (*a, *b, stmt.span);
        let Some(condition) = names::same(self.body, &[(a, b)], Meet::Same, span) else { return vec![stmt] };
        let mut one = stmt.clone();
        if let StmtKind::Launch { kernel, args, .. } = &mut one.kind {
            args.remove(j);
            *kernel = self.merged(*kernel, i, j);
        }
        let then = self.split(one, &mut apart.clone());
        apart.push((a, b));
        let otherwise = self.split(stmt, apart);
        vec![build::choice(condition, then, otherwise, span)]
    }

    /// The launch, and before it a test of arrays that may have the same elements in another way.
    fn in_order(&mut self, stmt: Stmt, apart: &[(VarId, VarId)]) -> Block {
        let StmtKind::Launch { kernel, args, .. } = &stmt.kind else { return vec![stmt] };
        let (kernel, span) = (*kernel, stmt.span);
        let pairs = self.pairs_of_elements(kernel, args, apart);
        let pairs: Vec<_> = pairs.into_iter().filter_map(|(i, j)| locals(args, i, j)).collect();
        let Some(condition) = names::same(self.body, &pairs, Meet::Elements, span) else { return vec![stmt] };
        let Some(aliased) = self.aliased(kernel) else { return vec![stmt] };
        let mut one = stmt.clone();
        if let StmtKind::Launch { kernel, mode, .. } = &mut one.kind {
            (*kernel, *mode) = (aliased, LaunchMode::Serial);
        }
        vec![build::choice(condition, vec![one], vec![stmt], span)]
    }

    fn aliased(&mut self, kernel: KernelId) -> Option<KernelId> {
        if let Some(found) = self.made.aliased.get(&kernel) {
            return Some(*found);
        }
        let mut found = aliased(&self.program.kernels[kernel])?;
        found.name = free_name(self.program, &found.name);
        let found = self.program.kernels.push(found);
        self.made.aliased.insert(kernel, found);
        Some(found)
    }

    /// The arguments that the kernel writes and that may have the same elements, also under other dimensions. Vectors that are
    /// no one array, as `apart` says, have no common elements.
    fn pairs_of_elements(
        &self,
        kernel: KernelId,
        args: &[Expr],
        apart: &[(VarId, VarId)],
    ) -> Vec<(usize, usize)> {
        let kernel = &self.program.kernels[kernel];
        let written = written_arrays(kernel);
        let ty = |k: usize| &kernel.body.variables[kernel.body.params[k]].ty;
        let pairs = written.iter().enumerate().flat_map(|(n, i)| written[n + 1..].iter().map(|j| (*i, *j)));
        let may_share = |(i, j): &(usize, usize)| {
            let is_vector = ty(*i).as_array().and_then(|ty| ty.known_rank()) == Some(1);
            let known = is_vector && locals(args, *i, *j).is_some_and(|pair| apart.contains(&pair));
            !known && may_have_one_type(ty(*i), ty(*j)) && self.may_share(&args[*i], &args[*j], &[])
        };
        pairs.filter(may_share).collect()
    }

    fn merged(&mut self, kernel: KernelId, i: usize, j: usize) -> KernelId {
        if let Some(found) = self.made.merged.get(&(kernel, i, j)) {
            return *found;
        }
        let original = &self.program.kernels[kernel];
        let pattern: Vec<usize> =
            (0..original.body.params.len()).map(|k| if k == j { i } else { k }).collect();
        let found = merged(self.program, original, &pattern);
        let found = self.program.kernels.push(found);
        self.made.merged.insert((kernel, i, j), found);
        found
    }

    /// The first two arguments that may be one array where that matters.
    fn first_pair(
        &self,
        kernel: KernelId,
        args: &[Expr],
        serial: bool,
        apart: &[(VarId, VarId)],
    ) -> Option<(usize, usize)> {
        let kernel = &self.program.kernels[kernel];
        let pairs = pairs(self.program, kernel, serial || !kernel.parallel);
        if pairs.len() > MAX_PAIRS {
            return None;
        }
        let ty = |k: usize| &kernel.body.variables[kernel.body.params[k]].ty;
        let may_be_one = |(i, j): &(usize, usize)| {
            let same = same_type(ty(*i), ty(*j)) && may_have_one_type(&args[*i].ty, &args[*j].ty);
            same && matches!(args[*i].ty, Type::Array(_)) && self.may_share(&args[*i], &args[*j], apart)
        };
        pairs.into_iter().find(may_be_one)
    }

    fn may_share(&self, a: &Expr, b: &Expr, apart: &[(VarId, VarId)]) -> bool {
        match (&a.kind, &b.kind) {
            (ExprKind::Local(a), ExprKind::Local(b)) => {
                // What stood in place of a variable is known to nobody.
                let new = |v: VarId| !self.aliases.knows(v);
                !apart.contains(&(*a, *b))
                    && (new(*a) || new(*b) || self.aliases.sharing(*a, *b) != Sharing::Never)
            }
            (ExprKind::Convert(a), _) => self.may_share(a, b, apart),
            (_, ExprKind::Convert(b)) => self.may_share(a, b, apart),
            _ => [a, b].iter().all(|e| {
                matches!(
                    e.kind,
                    ExprKind::Local(_)
                        | ExprKind::Member(..)
                        | ExprKind::Field(..)
                        | ExprKind::Load { .. }
                        | ExprKind::Global(_)
                        | ExprKind::Select { .. }
                )
            }),
        }
    }
}
