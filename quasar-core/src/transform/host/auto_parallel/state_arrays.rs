//! Loops in order over small arrays that get new values as a whole, as steps of an integrator or of a filter: each array gets storage
//! before the loop and the new elements go there, so that one kernel without allocations does everything in order.
//!
//! ```text
//! for k = ..                          if size(F,0) == size(F,1) && .. && 12.0 * size(x,0) < 65536
//!     x = F * x + b          =>           s = copy(x)
//!     out[k,:] = x                        t = uninit(size(x,0))
//! endfor                                  for k = .. for i = ..       % one kernel
//!                                             t[i] = ..
//!                                         x = s
//!                                     else
//!                                         for k = ..
//! ```
//!
//! Where arrays are large, each operation is a launch of its own, as before. What does not fit together is told by the loop as it was.

use super::Pass;
use super::inlined_calls::{own_variables, unshared};
use super::own_sizes::{Sizes, take_checks};
use super::small_launches::{has_attributes, small_loop};
use crate::analysis::aliases::sources;
use crate::analysis::points_to::Sharing;
use crate::ir::build::{self, int, of_ints};
use crate::ir::rewrite::{
    expand_stmts, free_variables, rename, same, set_in, stored_in, transform, transform_block,
    transform_stmts, variables, visit_block, visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, Index, LoopAttributes, Stmt, StmtKind, VarId, VarSet};
use crate::message::Decision;
use crate::source::Span;
use crate::transform::host::outline::trip_count;
use crate::transform::schedule::plain_nests::{is_of_sizes, with_plain_ranges};
use crate::types::known::{array_element, on_heap, rank};
use crate::types::{Boundary, Type};
use std::collections::BTreeMap;

/// What stands before a loop whose arrays have storage, and what must hold for it.
#[derive(Default)]
struct Before {
    allocations: Block,
    conditions: Vec<Expr>,
    /// Arrays from before the loop, with their storage.
    carried: Vec<(VarId, VarId)>,
    /// The extents of storage.
    extents: Vec<(VarId, Vec<Expr>)>,
}

impl Pass<'_> {
    /// What becomes of a loop in order, by `otherwise` or as one kernel where its arrays are small.
    pub(super) fn with_state_arrays(
        &mut self,
        stmt: &Stmt,
        after: &VarSet,
        otherwise: impl FnOnce(&mut Self) -> Block,
    ) -> Block {
        let may_be_set = self.may_be_set.clone();
        let found = self.state_arrays(stmt, after);
        self.may_be_set = may_be_set;
        let block = otherwise(self);
        match found {
            Some((condition, kernel)) => vec![build::choice(condition, kernel, block, stmt.span)],
            None => block,
        }
    }

    fn state_arrays(&mut self, stmt: &Stmt, after: &VarSet) -> Option<(Expr, Block)> {
        if self.own_arrays || !self.context.auto_parallel || self.context.only_blocks {
            return None;
        }
        if !has_array_statements(stmt, self.body) || has_attributes(std::slice::from_ref(stmt)) {
            return None;
        }
        // Storage is new: what else may be one array is told apart before.
        let (set, mut pairs) = (set_in(std::slice::from_ref(stmt)), self.aliases.pairs_in(stmt));
        pairs.retain(|(a, b)| !set.contains(a) && !set.contains(b));
        if !pairs.is_empty() {
            return None;
        }
        let found = self.tried(|pass| pass.in_storage(stmt, after))?;
        let what = "one kernel in order where its arrays are small".to_string();
        self.sink.remark(Decision::Transformed { what }.remark(stmt.span, stmt.span));
        Some(found)
    }

    /// The launch of the kernel with what stands around it, and where it may stand.
    fn in_storage(&mut self, stmt: &Stmt, after: &VarSet) -> Option<(Expr, Block)> {
        let span = stmt.span;
        let mut block = vec![self.with_code_of_calls(stmt, after)?];
        let mut before = self.storage(&mut block, after)?;
        let first = self.body.variables.len();
        let mut block = vec![self.written_out(&block.pop()?)?];
        keep_values(&mut block, first);
        before.hoist(&mut block, after, self.body)?;
        before.conditions.extend(take_checks(&mut block).into_iter().filter(|check| !is_trivial(check)));
        self.allowed(&block, after).ok()?;
        self.keeps_results(std::slice::from_ref(stmt)).ok()?;
        before.conditions.push(small_loop(block.first()?)?);
        let condition = before.conditions.into_iter().reduce(build::and)?;
        let storage = before.carried.iter().map(|(_, storage)| *storage);
        let made = set_in(&before.allocations);
        let may_be_set = self.may_be_set.union(&made).union(&storage.collect());
        let mut result = before.allocations;
        result.extend(self.in_parts(block.pop()?, after, may_be_set));
        for (array, storage) in before.carried {
            result.push(build::assign(array, self.body.read(storage, span)));
        }
        Some((condition, result))
    }

    /// Storage for the arrays that a loop sets, with stores to it in the place of assignments.
    fn storage(&mut self, block: &mut Block, after: &VarSet) -> Option<Before> {
        let [Stmt { kind, span }] = block.as_slice() else { return None };
        let (body, begins) = match kind {
            StmtKind::For { range, body, .. } => {
                (body, Some(of_ints("less", int(0, *span), trip_count(range))))
            }
            StmtKind::While { condition, body } => (body, Some(condition.clone())),
            StmtKind::Repeat { body, .. } => (body, None),
            _ => return None,
        };
        let (span, always) = (*span, set_always(body));
        let arrays = self.assigned_arrays(block, body, after)?;
        let (exposed, stored) = (free_variables(block), stored_in(block));
        let mut set = set_in(block);
        let is_carried = |v: &VarId| exposed.contains(v) || after.contains(v);
        let mut before = Before::default();
        for &(array, _) in arrays.iter().filter(|(v, _)| is_carried(v)) {
            let shares = |other| other != array && self.aliases.sharing(array, other) != Sharing::Never;
            let late = stored.contains(&array) && !is_set_first(body, array);
            if late
                || stored.iter().any(shares)
                || !always.contains(&array)
                || !self.may_be_set.contains(&array)
            {
                return None;
            }
            set.remove(&array);
        }
        let mut sizes = Sizes::from(set);
        let mut storage = BTreeMap::new();
        for (array, value) in arrays {
            let ty = self.body.variables[array].ty.clone();
            let place = self.body.variables.push(self.body.variables[array].clone());
            let name = self.body.read(array, span);
            let like = if is_carried(&array) { &name } else { &value };
            let extents = (0..rank(&ty)?).map(|axis| sizes.extent(like, axis));
            let extents: Vec<Expr> = extents.collect::<Option<_>>()?;
            let made = if is_carried(&array) {
                before.carried.push((array, place));
                Expr::new(ExprKind::Library { name: "copy", args: vec![name] }, ty, span)
            } else {
                sizes.learn(array, extents.clone());
                uninit(extents.clone(), ty, span)
            };
            before.extents.push((place, extents));
            before.allocations.push(build::assign(place, made));
            storage.insert(array, place);
        }
        if !before.carried.is_empty() {
            // Without an iteration, a name of another array remains one.
            before.conditions.extend(begins);
        }
        store_instead(block, &storage);
        Some(before)
    }

    /// The arrays of unknown size that a loop with such a body sets, each with its first value, if storage of their own makes no
    /// difference: no other statement sets them, none gets stores while it has a second name, none has one behind the loop, and no
    /// cell keeps one.
    fn assigned_arrays(&self, block: &Block, body: &Block, after: &VarSet) -> Option<Vec<(VarId, Expr)>> {
        let set = set_in(block);
        let outside = free_variables(block).union(after);
        let renamed = renamed(block);
        let is_own = |v: &VarId| set.contains(v) && !outside.contains(v) && !renamed.contains(v);
        let mut found: Vec<(VarId, Expr)> = Vec::new();
        let mut plain = names_end_before_stores(block, body);
        visit_stmts(block, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { variable, value } if on_heap(&self.body.variables[*variable].ty) => {
                let mut names = Vec::new();
                sources(value, &mut names);
                plain &= !after.contains(variable) || names.iter().all(is_own);
                if found.iter().all(|(known, _)| known != variable) {
                    found.push((*variable, value.clone()));
                }
            }
            StmtKind::Assign { value, .. } => {
                plain &= !matches!(&value.ty, Type::Array(_)) || array_element(&value.ty).is_some()
            }
            // There is no `continue`, which would pass over what ends a second name.
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. } => {}
            StmtKind::If { .. } | StmtKind::Break { .. } => {}
            StmtKind::Store { index, array, .. } | StmtKind::Update { index, array, result: None, .. } => {
                plain &= array_element(&array.ty).is_some()
                    && index.iter().all(|each| !matches!(each, Index::Position(_)));
            }
            StmtKind::Fail { .. } | StmtKind::Assert { .. } => {}
            _ => plain = false,
        });
        visit_block(block, &mut |e| {
            plain &= !matches!(e.ty, Type::Array(_)) || array_element(&e.ty).is_some();
        });
        plain.then_some(found)
    }

    /// The loop with the code of the functions that it calls.
    fn with_code_of_calls(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Stmt> {
        let (mut own, first) = (vec![stmt.clone()], self.body.variables.len());
        own_variables(&mut own, self.body, after);
        self.callees.in_place(own.pop()?, first, self.body, self.sink)
    }
}

impl Before {
    /// Moves the allocations of a loop before it, and replaces the extents of what they make.
    fn hoist(&mut self, block: &mut Block, after: &VarSet, body: &mut Body) -> Option<()> {
        let outside: Vec<VarId> = free_variables(block).iter().chain(after.iter()).collect();
        // Extents lead to integers, and those to further extents.
        for _ in 0..2 {
            with_plain_ranges(block, &outside);
            let mut made = self.extents.clone();
            visit_stmts(block, &mut |stmt| {
                if let StmtKind::Assign { variable, value } = &stmt.kind
                    && let ExprKind::Library { name: "uninit" | "zeros", args } = &value.kind
                {
                    made.push((*variable, args.clone()));
                }
            });
            replace_extents(block, made);
        }
        let set = set_in(block);
        let mut fixed = true;
        let allocations = &mut self.allocations;
        expand_stmts(block, &mut |stmt| {
            let StmtKind::Assign { variable, value } = &stmt.kind else { return vec![stmt] };
            if !on_heap(&value.ty) {
                return vec![stmt];
            }
            let ExprKind::Library { name: name @ ("uninit" | "zeros"), args } = &value.kind else {
                fixed = false;
                return vec![stmt];
            };
            fixed &= args.iter().all(|arg| is_before(arg, &set));
            let made = uninit(args.clone(), value.ty.clone(), value.span);
            allocations.push(build::assign(*variable, made));
            if *name == "zeros" { zeroed(*variable, args, body) } else { Vec::new() }
        });
        fixed.then_some(())
    }
}

/// Variables from `first` on, which passes added, keep the values of small arrays: they are no second names for them.
fn keep_values(block: &mut Block, first: usize) {
    transform_stmts(block, &mut |stmt| {
        if let StmtKind::Assign { variable, value } = &mut stmt.kind
            && variable.index() >= first
            && matches!(value.kind, ExprKind::Local(_) | ExprKind::Convert(_))
        {
            let nothing = int(0, value.span);
            *value = unshared(std::mem::replace(value, nothing));
        }
    });
}

/// Loops that store zeros to all elements of an array.
fn zeroed(array: VarId, extents: &[Expr], body: &mut Body) -> Block {
    let (span, ty) = (body.variables[array].span, body.variables[array].ty.clone());
    let at: Vec<VarId> = extents.iter().map(|_| body.temporary(build::int_type(), span)).collect();
    let index = at.iter().map(|v| Index::At(body.read(*v, span))).collect();
    let element = ty.as_array().map_or(build::int_type(), |ty| (*ty.element).clone());
    let value = build::convert(int(0, span), &element);
    let array = body.read(array, span);
    let store = StmtKind::Store { array, index, boundary: Boundary::Unchecked, value };
    let loops = at.into_iter().zip(extents).rev();
    loops.fold(vec![Stmt::new(store, span)], |body, (variable, extent)| {
        let range = build::range(int(0, span), of_ints("subtract", extent.clone(), int(1, span)));
        let attributes = LoopAttributes::default();
        vec![Stmt::new(StmtKind::For { variable, range, body, attributes }, span)]
    })
}

/// Puts the extents of arrays in the place of questions for them.
fn replace_extents(block: &mut Block, made: Vec<(VarId, Vec<Expr>)>) {
    let mut known: BTreeMap<VarId, Vec<Expr>> = BTreeMap::new();
    for (variable, mut extents) in made {
        extents.iter_mut().for_each(|extent| {
            transform(extent, &mut |e| replace_extent(e, &known));
        });
        known.insert(variable, extents);
    }
    transform_block(block, &mut |e| replace_extent(e, &known));
}

fn replace_extent(e: &mut Expr, known: &BTreeMap<VarId, Vec<Expr>>) {
    let extents = |array: &Expr| match array.kind {
        ExprKind::Local(v) => known.get(&v),
        _ => None,
    };
    let found = match &e.kind {
        ExprKind::Extent(array, axis) => extents(array).and_then(|all| all.get(*axis).cloned()),
        ExprKind::Count(array) => {
            extents(array).and_then(|all| all.iter().cloned().reduce(|a, b| of_ints("multiply", a, b)))
        }
        _ => None,
    };
    if let Some(found) = found {
        *e = found;
    }
}

/// Whether a check compares an extent with itself.
fn is_trivial(holds: &Expr) -> bool {
    let sides = |e: &Expr, name| match &e.kind {
        ExprKind::Apply { row, args } if row.name == name => <[Expr; 2]>::try_from(args.clone()).ok(),
        _ => None,
    };
    let differ = sides(holds, "equal").and_then(|[differ, _]| sides(&differ, "not_equal"));
    differ.is_some_and(|[a, b]| same(&a, &b))
}

/// Whether the host can compute an integer before a loop that sets these variables.
fn is_before(e: &Expr, set: &VarSet) -> bool {
    is_of_sizes(e) && variables(e).iter().all(|v| !set.contains(&v))
}

fn uninit(extents: Vec<Expr>, ty: Type, span: Span) -> Expr {
    let args = extents.into_iter().map(|extent| of_ints("max", extent, int(0, span))).collect();
    Expr::new(ExprKind::Library { name: "uninit", args }, ty, span)
}

/// Whether a loop gives arrays of unknown size, or slices of them, values as a whole, or calls functions with arrays.
fn has_array_statements(stmt: &Stmt, body: &Body) -> bool {
    let mut found = false;
    let is_array = |v: &VarId| matches!(body.variables[*v].ty, Type::Array(_));
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        found |= match &stmt.kind {
            StmtKind::Assign { value, .. } | StmtKind::Store { value, .. } => on_heap(&value.ty),
            StmtKind::Call { args, results, .. } => {
                args.iter().any(|arg| matches!(arg.ty, Type::Array(_)))
                    || results.iter().flatten().any(is_array)
            }
            _ => false,
        };
    });
    found
}

/// The names of one array behind an assignment that gives it a second one.
fn names_in(stmt: &Stmt) -> Option<Vec<VarId>> {
    let StmtKind::Assign { variable, value } = &stmt.kind else { return None };
    let mut names = Vec::new();
    sources(value, &mut names);
    if names.is_empty() || !matches!(value.ty, Type::Array(_)) {
        return None;
    }
    names.push(*variable);
    Some(names)
}

/// Whether no array gets stores in a loop with such a body while it has two names: one of them is set before, if only in the next
/// iteration. Of three names that may be one array, none gets stores.
fn names_end_before_stores(block: &Block, body: &Block) -> bool {
    let stored = stored_in(block);
    let groups = groups_of_names(block);
    let group_of = |stmt: &Stmt| {
        let names = names_in(stmt)?;
        groups.iter().find(|group| names.iter().all(|name| group.contains(name)))
    };
    let is_stored = |group: &&VarSet| group.iter().any(|name| stored.contains(&name));
    if groups.iter().any(|group| group.iter().count() > 2 && is_stored(&group)) {
        return false;
    }
    let mut open = 0;
    visit_stmts(block, &mut |stmt| open += usize::from(group_of(stmt).filter(is_stored).is_some()));
    for (k, stmt) in body.iter().enumerate() {
        let Some(names) = group_of(stmt).filter(is_stored) else { continue };
        let mut next = body.iter().skip(k + 1).chain(body.iter().take(k + 1));
        let stores = |stmt: &Stmt| stored_in(std::slice::from_ref(stmt)).iter().any(|v| names.contains(&v));
        let sets =
            |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Assign { variable, .. } if names.contains(variable));
        let ended = next.find(|stmt| stores(stmt) || sets(stmt)).is_some_and(|stmt| !stores(stmt));
        open -= usize::from(ended);
    }
    open == 0
}

/// The variables that may name one array by what a block assigns, in groups.
fn groups_of_names(block: &Block) -> Vec<VarSet> {
    let mut groups: Vec<VarSet> = Vec::new();
    visit_stmts(block, &mut |stmt| {
        let Some(names) = names_in(stmt) else { return };
        let mut whole: VarSet = names.into_iter().collect();
        groups.retain(|group| {
            let apart = group.intersection(&whole).into_iter().next().is_none();
            if !apart {
                whole = whole.union(group);
            }
            apart
        });
        groups.push(whole);
    });
    groups
}

/// Whether each iteration of a loop with such a body sets an array before anything is stored to it.
fn is_set_first(body: &Block, array: VarId) -> bool {
    for stmt in body {
        if stored_in(std::slice::from_ref(stmt)).contains(&array) {
            return false;
        }
        if matches!(&stmt.kind, StmtKind::Assign { variable, .. } if *variable == array) {
            return true;
        }
    }
    false
}

/// The variables that become another name for an array.
fn renamed(block: &Block) -> VarSet {
    let mut found = VarSet::new();
    visit_stmts(block, &mut |stmt| found.extend(names_in(stmt).and_then(|names| names.last().copied())));
    found
}

/// The variables that each iteration of a loop with such a body sets, before it may leave the loop.
fn set_always(body: &Block) -> VarSet {
    let mut found = VarSet::new();
    for stmt in body {
        let mut leaves = false;
        visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
            leaves |= matches!(stmt.kind, StmtKind::Break { .. });
        });
        if leaves {
            break;
        }
        match &stmt.kind {
            StmtKind::Assign { variable, .. } => drop(found.insert(*variable)),
            StmtKind::If { then, otherwise, .. } => {
                found.extend(set_always(then).intersection(&set_always(otherwise)));
            }
            _ => {}
        }
    }
    found
}

/// Assignments of arrays as stores to all elements of their storage.
fn store_instead(block: &mut Block, storage: &BTreeMap<VarId, VarId>) {
    rename(block, &mut |variable| storage.get(&variable).copied().unwrap_or(variable));
    let places: VarSet = storage.values().copied().collect();
    expand_stmts(block, &mut |stmt| {
        let span = stmt.span;
        let StmtKind::Assign { variable, value } = stmt.kind else { return vec![stmt] };
        if !places.contains(&variable) {
            return vec![Stmt::new(StmtKind::Assign { variable, value }, span)];
        }
        let index = vec![Index::All; rank(&value.ty).unwrap_or(1)];
        let array = build::local(variable, value.ty.clone(), span);
        vec![Stmt::new(StmtKind::Store { array, index, boundary: Boundary::Unchecked, value }, span)]
    });
}
