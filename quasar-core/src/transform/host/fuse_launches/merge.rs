//! The kernel of several launches: their code one after the other, at each position. What a position reads of an element that it
//! has stored stays in a variable, and arrays that nobody reads behind the launch are not stored.

use super::Fusion;
use super::candidate::{Accesses, Candidate};
use super::group::{Group, Item, Place};
use super::member::{Launch, is_allocation};
use super::names::{Names, alias};
use crate::analysis::elementwise_kernel::own_position;
use crate::ir::rewrite::{
    blocks, copy_block, expand_stmts, operands, operands_mut, read_in, root, substitute, transform,
    transform_stmts, variables, visit_block, visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, Stmt, StmtKind, VarId, VarSet, build};
use crate::transform::host::outline;
use std::collections::{BTreeMap, BTreeSet};

/// One launch in place of several.
pub(super) struct Merged {
    /// Numbers that it is given, and the launch.
    pub(super) launch: Block,
    /// The names of arrays that are not stored.
    gone: BTreeSet<VarId>,
    names: Names,
}

impl Merged {
    /// Statements beside the launches, without those that make arrays which are not stored.
    pub(super) fn without_stores(&self, block: Block) -> Block {
        let mut block = block;
        for stmt in &mut block {
            operands_mut(stmt, &mut |e| *e = self.names.substituted(e));
        }
        let makes = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign { variable, value } if is_allocation(stmt) || alias(value).is_some() => {
                self.gone.contains(variable)
            }
            _ => false,
        };
        block.retain(|stmt| !makes(stmt));
        block
    }
}

impl Fusion<'_, '_> {
    pub(super) fn merged(&mut self, group: &Group) -> Merged {
        let names = &group.names;
        let mut launch = Block::new();
        let mut maps = Vec::new();
        for member in group.members() {
            maps.push(self.given(&member.launch, names, &mut launch));
        }
        let mut scratch = Body { variables: self.host.body.variables.clone(), ..Body::default() };
        let mut block = Block::new();
        let mut accumulators = Vec::new();
        for (member, (mut map, constants)) in group.members().zip(maps) {
            let kernel = &self.candidate(&member.launch).kernel;
            for (accumulator, result) in kernel.accumulators.iter().zip(&member.launch.results) {
                if let Some(result) = result {
                    map.insert(accumulator.variable, *result);
                    accumulators.push((*result, accumulator.row));
                }
            }
            let mut code = kernel.body.block.clone();
            transform_stmts(&mut code, &mut |stmt| operands_mut(stmt, &mut |e| substitute(e, &constants)));
            block.extend(copy_block(&code, &kernel.body, &mut scratch, &mut map));
        }
        self.keep_in_registers(group, &mut scratch, &mut block);
        let gone = self.not_stored(group, &mut block);
        let first = group.members().next().map(|member| &member.launch);
        let dims = first.map_or_else(Vec::new, |launch| launch.dims.clone());
        let dims: Vec<Expr> = dims.iter().map(|e| names.substituted(e)).collect();
        let span = first.map_or_else(Default::default, |launch| launch.span);
        let name = outline::kernel_name(self.host.name, self.context.line(span));
        let made = outline::at_positions(name, &scratch, dims.len(), &block, &accumulators, span);
        let results = made.results.iter().map(|result| Some(*result)).collect();
        let candidate = Candidate::of(&made.kernel);
        let kernels = &mut self.host.kernels;
        launch.push(outline::launch(kernels, made.kernel, &made.args, results, dims, &self.host.body, span));
        if let (Some(Stmt { kind: StmtKind::Launch { kernel, .. }, .. }), Some(candidate)) =
            (launch.last(), candidate)
        {
            self.made.insert(*kernel, candidate);
        }
        Merged { launch, gone, names: names.clone() }
    }

    /// The host's variables for the parameters of a launch, and those parameters that are constants. What is neither gets a variable.
    fn given(
        &mut self,
        launch: &Launch,
        names: &Names,
        before: &mut Block,
    ) -> (BTreeMap<VarId, VarId>, BTreeMap<VarId, Expr>) {
        let (mut map, mut constants) = (BTreeMap::new(), BTreeMap::new());
        let params = self.candidate(launch).kernel.body.params.clone();
        for (param, arg) in params.iter().zip(&launch.args) {
            if let Some(array) = alias(arg) {
                map.insert(*param, names.root(array));
            } else if let ExprKind::Constant(_) = arg.kind {
                constants.insert(*param, arg.clone());
            } else if let ExprKind::Local(variable) = arg.kind {
                map.insert(*param, variable);
            } else {
                let variable = self.host.body.temporary(arg.ty.clone(), arg.span);
                before.push(build::assign(variable, arg.clone()));
                map.insert(*param, variable);
            }
        }
        (map, constants)
    }

    /// The accesses of all launches to an array.
    fn accesses_to<'s>(&'s self, group: &'s Group, array: VarId) -> impl Iterator<Item = &'s Accesses> {
        group.members().flat_map(move |member| {
            let candidate = self.candidate(&member.launch);
            let params = candidate.kernel.body.params.iter().zip(&member.launch.args);
            let named = params.filter(move |(_, arg)| alias(arg).map(|v| group.names.root(v)) == Some(array));
            named.filter_map(|(param, _)| candidate.arrays.get(param))
        })
    }

    /// Elements that positions have stored, and read later, are variables.
    fn keep_in_registers(&self, group: &Group, scratch: &mut Body, block: &mut Block) {
        for array in &group.arrays {
            let mut accesses = self.accesses_to(group, *array).peekable();
            let stored = accesses.peek().is_some_and(|first| first.stored_first);
            let count = self.accesses_to(group, *array).count();
            if !stored || count < 2 || !self.accesses_to(group, *array).all(|each| each.own && !each.unknown)
            {
                continue;
            }
            let ty = match scratch.variables[*array].ty.as_array() {
                Some(array) => (*array.element).clone(),
                None => continue,
            };
            let is_array = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == *array);
            let variable = scratch.temporary(ty.clone(), scratch.variables[*array].span);
            transform_stmts(block, &mut |stmt| {
                operands_mut(stmt, &mut |operand| {
                    transform(operand, &mut |e| {
                        if let ExprKind::Load { array, .. } = &e.kind
                            && is_array(array)
                        {
                            *e = build::local(variable, e.ty.clone(), e.span);
                        }
                    });
                });
            });
            expand_stmts(block, &mut |stmt| kept(stmt, *array, variable, &ty));
        }
    }

    /// Takes the stores to arrays away that are dead behind the launch, and gives the names of those that nothing mentions any more.
    fn not_stored(&self, group: &Group, block: &mut Block) -> BTreeSet<VarId> {
        let mut gone = BTreeSet::new();
        for array in &group.arrays {
            let names = group.names.all(*array);
            let dead =
                group.names.fresh(*array).is_some() && !names.iter().any(|name| group.live.contains(name));
            if !dead || loads(block, *array) {
                continue;
            }
            expand_stmts(block, &mut |stmt| match &stmt.kind {
                StmtKind::Store { array: target, .. } if root(target) == Some(*array) => Vec::new(),
                _ => vec![stmt],
            });
            let mut mentioned = false;
            visit_block(block, &mut |e| mentioned |= matches!(e.kind, ExprKind::Local(v) if v == *array));
            visit_stmts(block, &mut |stmt| {
                if let StmtKind::Update { array: target, .. } = &stmt.kind {
                    mentioned |= root(target) == Some(*array);
                }
            });
            if !mentioned && !used_between(group, &names) {
                gone.extend(names);
            }
        }
        gone
    }
}

/// `array[pos] = value` as `variable = value; array[pos] = variable`; the same for updates.
fn kept(stmt: Stmt, array: VarId, variable: VarId, ty: &crate::types::Type) -> Vec<Stmt> {
    let span = stmt.span;
    let read = build::local(variable, ty.clone(), span);
    match stmt.kind {
        StmtKind::Store { array: target, index, boundary, value } if root(&target) == Some(array) => {
            debug_assert!(own_position(&index));
            let store = StmtKind::Store { array: target, index, boundary, value: read };
            vec![build::assign(variable, value), Stmt::new(store, span)]
        }
        StmtKind::Update { array: target, index, boundary, row, value, result, .. }
            if root(&target) == Some(array) =>
        {
            let new = build::apply(row, vec![read.clone(), value], ty.clone(), span);
            let store = StmtKind::Store { array: target, index, boundary, value: read.clone() };
            let mut stmts = vec![build::assign(variable, new), Stmt::new(store, span)];
            stmts.extend(result.map(|result| build::assign(result, read)));
            stmts
        }
        _ => vec![stmt],
    }
}

/// Whether a block reads elements of an array.
fn loads(block: &Block, array: VarId) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| {
        if let ExprKind::Load { array: each, .. } = &e.kind {
            found |= root(each) == Some(array);
        }
    });
    found
}

/// Whether the statements between launches need an array itself: neither another name nor an extent that is known otherwise.
fn used_between(group: &Group, names: &[VarId]) -> bool {
    let mut used = VarSet::new();
    let mut look = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign { variable, value } if alias(value).is_some() => {
            if !names.contains(variable) {
                used.extend(alias(value));
            }
        }
        _ => {
            operands(stmt, &mut |e| used.add(&variables(&group.names.substituted(e))));
            blocks(stmt, &mut |block| used.add(&read_in(block)));
        }
    };
    for item in &group.items {
        match item {
            Item::Member(each) => each.0.around().chain(&each.0.after).for_each(&mut look),
            Item::Passed { place: Place::Nowhere, .. } => {}
            Item::Passed { stmt, .. } => look(stmt),
        }
    }
    names.iter().any(|name| used.contains(name))
}
