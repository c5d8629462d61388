//! Launches in a row that become one, with what stands between them.

use super::Fusion;
use super::member::{Member, is_allocation, is_check, is_number};
use super::names::{Names, alias};
use crate::ir::pull::all;
use crate::ir::rewrite::{operands, same, variables, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Stmt, StmtKind, VarId, VarSet, build};
use crate::transform::messages;
use std::collections::BTreeSet;

/// The most launches that become one.
const MOST: usize = 8;
/// The most arrays that one launch reads and writes.
const ARRAYS: usize = 12;

/// A statement of a group.
pub(super) enum Item {
    Member(Box<(Member, Stmt)>),
    /// A statement between launches.
    Passed {
        stmt: Box<Stmt>,
        place: Place,
    },
}

/// Where a statement between launches runs, if those become one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In front of all conditions: a number.
    Hoisted,
    /// In front of the launch.
    Before,
    /// Behind the launch: a number that is made of what launches give.
    Behind,
    /// Nowhere: a test that cannot fail where the conditions of the launches before it hold.
    Nowhere,
}

/// Statements from the first launch to the last, and what may still follow.
#[derive(Default)]
pub(super) struct Group {
    pub(super) items: Vec<Item>,
    /// Variables that the statements read.
    reads: VarSet,
    /// Variables that they set, and those of them that are set behind the conditions.
    sets: VarSet,
    later: VarSet,
    /// Numbers that the launches give, and what is made of those.
    results: VarSet,
    /// What must hold beside the guards, for the launches to be one.
    pub(super) extra: Vec<Expr>,
    /// Pairs of variables that those tell apart.
    pub(super) apart: BTreeSet<(VarId, VarId)>,
    /// The arrays, by their first names.
    pub(super) arrays: BTreeSet<VarId>,
    /// The first names as they are known behind the last launch, and what is live there.
    pub(super) names: Names,
    pub(super) live: VarSet,
    /// How many items there are up to the last launch.
    through: usize,
    /// Whether a launch writes what others see.
    visible: bool,
}

impl Group {
    pub(super) fn members(&self) -> impl DoubleEndedIterator<Item = &Member> {
        self.items.iter().filter_map(|item| match item {
            Item::Member(each) => Some(&each.0),
            Item::Passed { .. } => None,
        })
    }

    pub(super) fn guarded(&self) -> bool {
        self.members().any(|member| member.guard.is_some())
    }

    fn add_reads(&mut self, e: &Expr, names: &Names) {
        for variable in &variables(e) {
            self.reads.insert(variable);
            self.reads.insert(names.root(variable));
        }
    }

    fn add_set(&mut self, variable: VarId, later: bool) {
        self.sets.insert(variable);
        if later {
            self.later.insert(variable);
        }
    }
}

impl Fusion<'_, '_> {
    /// Whether a statement may run before the launches of a group.
    pub(super) fn passes(&self, group: &Group, stmt: &Stmt) -> bool {
        if group.items.is_empty() {
            return is_allocation(stmt);
        }
        let known = !reads(stmt, &group.results);
        let seen = (group.visible || self.tries > 0) && group.members().next().is_some();
        match &stmt.kind {
            StmtKind::Assign { variable, value } if !known => {
                let free = group.results.contains(variable) || !group.sets.contains(variable);
                is_number(value) && free && !group.reads.contains(variable)
            }
            StmtKind::Assign { variable, value } => {
                let taken = group.reads.contains(variable)
                    || group.sets.contains(variable)
                    || group.results.contains(variable);
                let simple = is_number(value) || alias(value).is_some() || !seen && is_allocation(stmt);
                simple && !taken
            }
            _ => known && !seen && is_check(stmt),
        }
    }

    /// Adds a statement between launches.
    pub(super) fn pass(&mut self, group: &mut Group, stmt: Stmt) {
        // Looked at before anything is learned from the test itself.
        let never = is_check(&stmt) && self.never_fails_behind(group, &stmt);
        let mut place = if never { Place::Nowhere } else { Place::Before };
        self.learn(&stmt);
        let mut stmt = stmt;
        if reads(&stmt, &group.results) {
            if let StmtKind::Assign { variable, .. } = &stmt.kind {
                group.results.insert(*variable);
                group.add_set(*variable, true);
                self.names.forget(*variable);
            }
            operands(&stmt, &mut |e| {
                let others = variables(e).difference(&group.results);
                group.reads.add(&others);
            });
            group.items.push(Item::Passed { stmt: Box::new(stmt), place: Place::Behind });
            return;
        }
        operands(&stmt, &mut |e| group.add_reads(e, &self.names));
        if let StmtKind::Assign { variable, value } = &mut stmt.kind {
            let known = self.names.substituted(value);
            if is_number(value) && variables(&known).is_disjoint(&group.later) {
                place = Place::Hoisted;
                *value = known;
            }
            group.add_set(*variable, place != Place::Hoisted);
            self.names.assign(*variable, value);
        }
        group.items.push(Item::Passed { stmt: Box::new(stmt), place });
    }

    /// Whether a test cannot fail where all conditions of a group hold.
    fn never_fails_behind(&mut self, group: &Group, stmt: &Stmt) -> bool {
        let mark = self.facts.mark();
        for guard in group.members().filter_map(|member| member.guard.as_ref()) {
            self.facts.learn(&self.names.substituted(guard), true);
        }
        let never = self.never_fails(stmt);
        self.facts.release(mark);
        never
    }

    /// Whether a launch may become one with those of a group.
    pub(super) fn takes(&mut self, group: &mut Group, member: &Member) -> bool {
        let guard = member.guard.as_ref().map(|guard| self.names.substituted(guard));
        if guard.is_some_and(|guard| {
            let read = variables(&guard);
            !read.is_disjoint(&group.later) || !read.is_disjoint(&group.results)
        }) {
            return false;
        }
        let Some(first) = group.members().next() else { return true };
        // A handler may read what was set in front of a failure.
        if self.tries > 0
            || group.members().count() >= MOST
            || first.launch.dims.len() != member.launch.dims.len()
        {
            return false;
        }
        let mut known = true;
        let launch = &member.launch;
        launch
            .args
            .iter()
            .chain(&launch.dims)
            .for_each(|e| known &= variables(e).is_disjoint(&group.results));
        for stmt in member.around() {
            operands(stmt, &mut |e| known &= variables(e).is_disjoint(&group.results));
        }
        let allocates = member.before.iter().any(is_allocation);
        if !known || allocates && group.visible {
            return false;
        }
        let mut taken = false;
        for variable in around_of(member) {
            taken |= group.reads.contains(&variable) || group.sets.contains(&variable);
        }
        // Where numbers are accumulated, they were set before.
        let numbers = sets_of(&member.after);
        for variable in launch.results.iter().flatten().chain(&numbers) {
            taken |= group.reads.contains(variable) || group.results.contains(variable);
        }
        taken |=
            numbers.iter().any(|each| group.sets.contains(each) && !launch.results.contains(&Some(*each)));
        let names = self.names_with(member);
        let arrays = arrays_of(member, &names);
        let shared = arrays.iter().any(|array| group.arrays.contains(array));
        if taken || !shared || group.arrays.union(&arrays).count() > ARRAYS {
            return false;
        }
        let Some(extra) = self.conditions(group, member, &names) else { return false };
        group.extra.extend(extra);
        true
    }

    /// Adds a launch. `live`: the variables that are live behind it.
    pub(super) fn add(&mut self, group: &mut Group, member: Member, stmt: Stmt, live: VarSet) {
        self.names = self.names_with(&member);
        let names = &self.names;
        let launch = &member.launch;
        launch.args.iter().chain(&launch.dims).chain(&member.guard).for_each(|e| group.add_reads(e, names));
        for stmt in member.around() {
            operands(stmt, &mut |e| group.add_reads(e, names));
        }
        let numbers = sets_of(&member.after);
        let results: Vec<VarId> = launch.results.iter().flatten().copied().chain(numbers).collect();
        let sets = around_of(&member).into_iter().chain(results.iter().copied());
        sets.for_each(|variable| group.add_set(variable, true));
        group.results.extend(&results);
        for stmt in &member.after {
            operands(stmt, &mut |e| group.reads.add(&variables(e).difference(&group.results)));
        }
        group.arrays.extend(arrays_of(&member, names));
        group.visible |= self.written(&member).any(|array| names.fresh(array).is_none());
        group.names = names.clone();
        group.live = live;
        group.items.push(Item::Member(Box::new((member, stmt))));
        group.through = group.items.len();
    }

    /// Whether no array that a launch writes is known to be another argument of it as well.
    pub(super) fn has_different_arrays(&self, member: &Member) -> bool {
        let names = self.names_with(member);
        let roots: Vec<VarId> = member.launch.args.iter().filter_map(alias).map(|v| names.root(v)).collect();
        let mut written = self.written(member).map(|array| names.root(array));
        written.all(|array| roots.iter().filter(|root| **root == array).count() == 1)
    }

    /// What variables name where a launch runs.
    fn names_with(&self, member: &Member) -> Names {
        let mut names = self.names.clone();
        for stmt in member.around() {
            if let StmtKind::Assign { variable, value } = &stmt.kind {
                names.assign(*variable, value);
            }
        }
        names
    }

    /// The variables of the arrays that a launch writes.
    fn written(&self, member: &Member) -> impl Iterator<Item = VarId> {
        let candidate = self.candidate(&member.launch);
        let params = candidate.kernel.body.params.iter().zip(&member.launch.args);
        let written = |param: &VarId| candidate.arrays.get(param).is_some_and(|accesses| accesses.writes);
        params.filter(move |(param, _)| written(param)).filter_map(|(_, arg)| alias(arg))
    }

    /// Writes the statements of a group, with one launch instead of several.
    pub(super) fn flush(&mut self, group: &mut Group, result: &mut Block) {
        let mut group = std::mem::take(group);
        if group.guarded() {
            self.names = Names::default();
        }
        let rest = group.items.split_off(group.through);
        if group.members().count() < 2 {
            group.items.into_iter().for_each(|item| result.push(item.original()));
        } else {
            self.fuse(group, result);
        }
        rest.into_iter().for_each(|item| result.push(item.original()));
    }

    fn fuse(&mut self, group: Group, result: &mut Block) {
        let mut guards = Vec::new();
        for guard in group.members().filter_map(|member| member.guard.as_ref()) {
            parts(group.names.substituted(guard), &mut guards);
        }
        let spans: Vec<_> = group.members().map(|member| member.launch.span).collect();
        let span = spans[0];
        let merged = self.merged(&group);
        spans[1..].iter().for_each(|each| {
            self.host.sink.push(messages::one_launch(*each, self.context.line(span)));
        });
        let (mut fused, mut several, mut written) = (Block::new(), Block::new(), Block::new());
        let (mut launches, mut behind) = (Block::new(), Block::new());
        for item in group.items {
            match item {
                Item::Passed { stmt, place: Place::Hoisted } => result.push(*stmt),
                Item::Passed { stmt, place } => {
                    let stmt = *stmt;
                    written.push(stmt.clone());
                    match place {
                        Place::Behind => behind.push(stmt),
                        Place::Nowhere => {}
                        Place::Before | Place::Hoisted => several.push(stmt),
                    }
                }
                Item::Member(each) => {
                    let (member, _) = *each;
                    several.extend(member.around().cloned());
                    launches.push(member.launch.stmt());
                    behind.extend(member.after.iter().cloned());
                    match member.guard {
                        Some(_) => written.extend(member.written),
                        None => written.extend(member.unguarded()),
                    }
                }
            }
        }
        let behind = merged.without_stores(behind);
        if group.extra.is_empty() {
            fused.extend(merged.without_stores(several));
            fused.extend(merged.launch);
        } else {
            fused.extend(several);
            fused.push(build::choice(all(group.extra, span), merged.launch, launches, span));
        }
        fused.extend(behind);
        match guards.is_empty() {
            true => result.extend(fused),
            false => result.push(build::choice(all(guards, span), fused, written, span)),
        }
    }
}

impl Item {
    fn original(self) -> Stmt {
        match self {
            Item::Member(each) => each.1,
            Item::Passed { stmt, .. } => *stmt,
        }
    }
}

/// The parts of a condition that must all hold, each once.
fn parts(condition: Expr, found: &mut Vec<Expr>) {
    match condition.kind {
        ExprKind::And(a, b) => {
            parts(*a, found);
            parts(*b, found);
        }
        _ if found.iter().any(|known| same(known, &condition)) => {}
        _ => found.push(condition),
    }
}

/// Whether a statement, or what is inside of it, reads variables.
fn reads(stmt: &Stmt, of: &VarSet) -> bool {
    let mut found = false;
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        operands(stmt, &mut |e| found |= !variables(e).is_disjoint(of));
    });
    found
}

/// The variables that the statements around a launch set.
fn around_of(member: &Member) -> Vec<VarId> {
    sets_of(member.around())
}

fn sets_of<'s>(block: impl IntoIterator<Item = &'s Stmt>) -> Vec<VarId> {
    let set = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign { variable, .. } => Some(*variable),
        _ => None,
    };
    block.into_iter().filter_map(set).collect()
}

/// The arrays of a launch, by their first names.
fn arrays_of(member: &Member, names: &Names) -> BTreeSet<VarId> {
    member.launch.args.iter().filter_map(alias).map(|array| names.root(array)).collect()
}
