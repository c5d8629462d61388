//! Launches that may pass one array for two parameters that the kernel writes get a second form for that case:
//!
//! ```text
//! parallel_do(numel(a), a, b, k)   ->   if same_elements(a, b)
//!                                           parallel_do(numel(a), a, k_2)
//!                                       else
//!                                           parallel_do(numel(a), a, b, k)
//!                                       endif
//! ```
//!
//! Compiled kernels take what they write for themselves, so that they cannot have one array twice.

use super::names::{self, Meet};
use crate::analysis::aliases::Aliases;
use crate::analysis::points_to::{ProgramAliases, Sharing, may_have_one_type};
use crate::ir::build::{self, same_type};
use crate::ir::merged::{changed_in, merged};
use crate::ir::rewrite::{expand_stmts, set_in};
use crate::ir::{Block, Body, Expr, ExprKind, Kernel, KernelId, Program, Stmt, StmtKind, VarId};
use crate::types::Type;
use std::collections::BTreeMap;

/// Launches with more written arrays that may be one stay as they are.
const MAX_PARAMS: usize = 3;

/// A kernel and which of its parameters are one.
type Merged = BTreeMap<(KernelId, usize, usize), KernelId>;

/// Changes the launches of host functions.
pub(super) fn run(program: &mut Program) {
    let written: Vec<KernelId> = program
        .kernels
        .iter()
        .filter(|(_, kernel)| written_arrays(kernel).len() > 1)
        .map(|(id, _)| id)
        .collect();
    if written.is_empty() {
        return;
    }
    let aliases = ProgramAliases::of(program);
    let mut made = Merged::new();
    for id in program.functions.ids() {
        let Some(points) = aliases.of_function(id).filter(|_| !program.functions[id].device) else {
            continue;
        };
        let mut body = std::mem::take(&mut program.functions[id].body);
        let aliases = Aliases::of(&body, points.clone());
        let mut block = std::mem::take(&mut body.block);
        expand_stmts(&mut block, &mut |stmt| {
            let StmtKind::Launch { kernel, .. } = &stmt.kind else { return vec![stmt] };
            if !written.contains(kernel) {
                return vec![stmt];
            }
            Launches { program, made: &mut made, aliases: &aliases, body: &mut body }.told_apart(stmt)
        });
        body.block = block;
        program.functions[id].body = body;
    }
}

/// The positions of the arrays that a kernel writes to and does not replace.
fn written_arrays(kernel: &Kernel) -> Vec<usize> {
    let (changed, set) = (changed_in(&kernel.body), set_in(&kernel.body.block));
    let written = |param: &VarId| changed.contains(param) && !set.contains(param);
    let params = kernel.body.params.iter().enumerate();
    params.filter(|(_, param)| written(param)).map(|(k, _)| k).collect()
}

struct Launches<'a> {
    program: &'a mut Program,
    made: &'a mut Merged,
    aliases: &'a Aliases,
    body: &'a mut Body,
}

impl Launches<'_> {
    fn told_apart(&mut self, mut stmt: Stmt) -> Block {
        let mut before = Block::new();
        if let StmtKind::Launch { kernel, args, .. } = &mut stmt.kind
            && self.first_pair(*kernel, args, &[]).is_some()
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
        let StmtKind::Launch { kernel, args, .. } = &stmt.kind else { return vec![stmt] };
        let Some((i, j)) = self.first_pair(*kernel, args, apart) else { return vec![stmt] };
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

    fn merged(&mut self, kernel: KernelId, i: usize, j: usize) -> KernelId {
        if let Some(found) = self.made.get(&(kernel, i, j)) {
            return *found;
        }
        let original = &self.program.kernels[kernel];
        let pattern: Vec<usize> =
            (0..original.body.params.len()).map(|k| if k == j { i } else { k }).collect();
        let found = merged(self.program, original, &pattern);
        let found = self.program.kernels.push(found);
        self.made.insert((kernel, i, j), found);
        found
    }

    /// The first two arguments that the kernel writes and that may be one array.
    fn first_pair(
        &self,
        kernel: KernelId,
        args: &[Expr],
        apart: &[(VarId, VarId)],
    ) -> Option<(usize, usize)> {
        let kernel = &self.program.kernels[kernel];
        let written = written_arrays(kernel);
        if written.len() > MAX_PARAMS {
            return None;
        }
        let ty = |k: usize| &kernel.body.variables[kernel.body.params[k]].ty;
        let pairs = written.iter().enumerate().flat_map(|(n, i)| written[n + 1..].iter().map(|j| (*i, *j)));
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
