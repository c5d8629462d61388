//! Forwarding of array expressions that variables hold: `a = x[:,0..2..n]; b = x[:,1..2..n]; y = a + b` is one launch that reads
//! `x`. Statements in a row that define and use such variables share the conditions of their delayed arrays, which are looked
//! at in front of all of them. Where one does not hold, the statements run as they were written, so that failures come in order.

use super::delay::{Delay, reads_elements};
use super::folds::Fold;
use super::launches::is_copy;
use super::sections::{Assignment, are_different, may_share};
use super::{Pass, is_fusible, is_value, rank_of};
use crate::analysis::aliases::Aliases;
use crate::ir::effects::may_fail;
use crate::ir::pull::PullArray;
use crate::ir::rewrite::{
    children_mut, operands, operands_mut, set_in, sets, stored_in, transform, variables, visit, visit_block,
    visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, Stmt, StmtKind, VarId, VarSet, build};
use crate::source::Span;
use crate::types::{Boundary, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The longest row of statements that are looked at together.
const LONGEST: usize = 24;
/// The most operations of an array that is computed again for each use, and of one that is used once.
const AGAIN: usize = 3;
const ONCE: usize = 32;

/// How often the variables of a function are read and assigned.
#[derive(Default)]
pub(super) struct Uses {
    reads: BTreeMap<VarId, usize>,
    sets: BTreeMap<VarId, usize>,
    /// Parameters, results, and arrays that statements change.
    kept: VarSet,
}

impl Uses {
    pub(super) fn of(body: &Body) -> Uses {
        let mut uses = Uses { kept: stored_in(&body.block), ..Uses::default() };
        body.params.iter().chain(&body.results).for_each(|variable| {
            uses.kept.insert(*variable);
        });
        visit_block(&body.block, &mut |e| count_read(e, &mut uses.reads));
        visit_stmts(&body.block, &mut |stmt| {
            sets(stmt, &mut |variable| *uses.sets.entry(*variable).or_default() += 1);
        });
        uses
    }

    /// How often a variable is read, if statements in a row hold all that the function does with it.
    fn all_in(&self, variable: VarId, stmts: &[Stmt]) -> Option<usize> {
        let count = self.reads.get(&variable).copied().unwrap_or(0);
        let alone = self.sets.get(&variable) == Some(&1) && !self.kept.contains(&variable);
        let inside = reads_of(stmts).get(&variable).copied().unwrap_or(0);
        (alone && count > 0 && inside == count).then_some(count)
    }
}

fn count_read(e: &Expr, reads: &mut BTreeMap<VarId, usize>) {
    if let ExprKind::Local(variable) = e.kind {
        *reads.entry(variable).or_default() += 1;
    }
}

/// How often statements read variables.
fn reads_of(stmts: &[Stmt]) -> BTreeMap<VarId, usize> {
    let mut reads = BTreeMap::new();
    for stmt in stmts {
        operands(stmt, &mut |operand| visit(operand, &mut |e| count_read(e, &mut reads)));
    }
    reads
}

/// What becomes of a statement where the conditions hold.
enum Member {
    /// A number that is evaluated in front of the conditions.
    Number,
    /// An array that is read where its variable was; numbers are evaluated in its place.
    Forwarded(Block),
    /// An array that is stored in a variable.
    Held { variable: VarId, array: PullArray, inside: Block },
    /// An assignment to a slice.
    Section { assignment: Assignment, inside: Block },
    /// A number that is made of folds.
    Folded { variable: VarId, value: Expr, folds: Vec<Folded>, inside: Block },
}

struct Folded {
    array: PullArray,
    fold: Fold,
    /// The variable for the result.
    result: VarId,
}

/// Statements in a row.
struct Plan<'a> {
    delay: Delay<'a>,
    aliases: &'a Aliases,
    uses: &'a Uses,
    members: Vec<(Member, Span, usize)>,
    /// Variables that hold delayed arrays, and how often they are still read.
    forwarded: BTreeMap<VarId, usize>,
    /// What the statements read or assign so far, and what they assign behind the conditions.
    touched: VarSet,
    assigned: VarSet,
    /// Pairs of variables that a condition tells apart.
    apart: BTreeSet<(VarId, VarId)>,
}

impl Pass<'_, '_> {
    /// How many statements at the beginning of a block are forwarded into each other, and what takes their place.
    pub(super) fn forwarded(&mut self, block: &[Stmt]) -> Option<(usize, Block)> {
        let StmtKind::Assign { variable, value } = &block.first()?.kind else { return None };
        if !is_array_expression(value) {
            return None;
        }
        let member = |stmt: &&Stmt| {
            matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::Store { .. } | StmtKind::Update { .. })
        };
        let mut count = block.iter().take(LONGEST).take_while(member).count();
        let mark = self.host.body.variables.len();
        while count > 1 && self.uses.all_in(*variable, &block[..count]).is_some() {
            match self.plan(&block[..count]) {
                Ok((before, conditions, members)) => {
                    let launches = self.launches(before, conditions, members, &block[..count]);
                    return Some((count, launches));
                }
                Err(shorter) => {
                    self.host.body.variables.truncate(mark);
                    count = shorter;
                }
            }
        }
        None
    }

    /// What becomes of the statements, or how many to look at instead.
    #[allow(clippy::type_complexity, reason = "the parts of a plan, which are used up at once")]
    fn plan(&mut self, stmts: &[Stmt]) -> Result<(Block, Vec<Expr>, Vec<(Member, Span, usize)>), usize> {
        let mut plan = Plan {
            delay: Delay::strict(&mut self.host.body),
            aliases: &self.aliases,
            uses: &self.uses,
            members: Vec::new(),
            forwarded: BTreeMap::new(),
            touched: VarSet::new(),
            assigned: VarSet::new(),
            apart: BTreeSet::new(),
        };
        let mut last = 0;
        for (k, stmt) in stmts.iter().enumerate() {
            let uses = plan.reads_forwarded(stmt);
            plan.add(stmt, stmts).ok_or(k)?;
            last = if uses { k + 1 } else { last };
        }
        if plan.forwarded.is_empty() || plan.forwarded.values().any(|left| *left > 0) {
            return Err(0);
        }
        match last == stmts.len() {
            true => Ok((plan.delay.before, plan.delay.conditions, plan.members)),
            false => Err(last),
        }
    }

    fn launches(
        &mut self,
        before: Block,
        conditions: Vec<Expr>,
        members: Vec<(Member, Span, usize)>,
        stmts: &[Stmt],
    ) -> Block {
        let mut result = before;
        let (mut launch, mut written) = (Block::new(), Block::new());
        let span = stmts[0].span;
        for ((member, span, operations), stmt) in members.into_iter().zip(stmts) {
            if !matches!(member, Member::Number) {
                written.push(stmt.clone());
            }
            if !matches!(member, Member::Forwarded(_)) {
                self.say_fused(span, operations);
            }
            self.member(member, span, &mut launch);
        }
        self.either(conditions, launch, written, span, &mut result);
        result
    }

    fn member(&mut self, member: Member, span: Span, launch: &mut Block) {
        match member {
            Member::Number => {}
            Member::Forwarded(inside) => launch.extend(inside),
            Member::Held { variable, array, inside } => {
                launch.extend(inside);
                let ty = self.host.body.variables[variable].ty.clone();
                let result = self.stored(&array, &ty, span, launch);
                let value = self.host.body.read(result, span);
                launch.push(build::assign(variable, build::convert(value, &ty)));
            }
            Member::Section { assignment, inside } => {
                launch.extend(inside);
                // The plan has the conditions.
                self.assign(assignment, launch);
            }
            Member::Folded { variable, value, folds, inside } => {
                launch.extend(inside);
                for Folded { array, fold, result } in folds {
                    let ty = self.host.body.variables[result].ty.clone();
                    let total = self.folded(array, fold, &ty, span, launch);
                    launch.push(build::assign(result, self.host.body.read(total, span)));
                }
                launch.push(build::assign(variable, value));
            }
        }
    }
}

impl Plan<'_> {
    fn reads_forwarded(&self, stmt: &Stmt) -> bool {
        reads_of(std::slice::from_ref(stmt)).keys().any(|variable| self.forwarded.contains_key(variable))
    }

    /// Adds a statement; nothing where it cannot be one of them.
    fn add(&mut self, stmt: &Stmt, stmts: &[Stmt]) -> Option<()> {
        let (known, first) = (self.delay.conditions.len(), self.delay.before.len());
        (self.delay.operations, self.delay.may_fail) = (0, false);
        let reads = reads_of(std::slice::from_ref(stmt));
        for (variable, count) in &reads {
            if let Some(left) = self.forwarded.get_mut(variable) {
                *left = left.checked_sub(*count)?;
            }
        }
        let sets = set_in(std::slice::from_ref(stmt));
        if sets.iter().any(|variable| self.touched.contains(&variable)) {
            return None;
        }
        let member = self.member(&mut stmt.clone(), stmts)?;
        self.touched.add(&sets);
        reads.keys().for_each(|variable| {
            self.touched.insert(*variable);
        });
        let fixed = |e: &Expr| !reads_elements(e) && variables(e).is_disjoint(&self.assigned);
        let mut sound = self.delay.conditions[known..].iter().all(fixed);
        for stmt in &self.delay.before[first..] {
            operands(stmt, &mut |e| sound &= fixed(e));
        }
        if !matches!(member, Member::Number) {
            self.assigned.add(&sets);
        }
        self.members.push((member, stmt.span, self.delay.operations));
        sound.then_some(())
    }

    fn member(&mut self, stmt: &mut Stmt, stmts: &[Stmt]) -> Option<Member> {
        operands_mut(stmt, &mut |operand| self.with_known_extents(operand));
        if let StmtKind::Assign { variable, value } = &mut stmt.kind {
            return match value.ty {
                Type::Scalar(..) => self.number(*variable, value),
                _ => self.array(*variable, value, stmts),
            };
        }
        let assignment = Assignment::of(&mut self.delay, self.aliases, stmt)?;
        let target = assignment.target;
        self.stay_as_they_are(target, assignment.span)?;
        if !assignment.separate() {
            for other in &assignment.apart {
                self.tell_apart(target, *other, assignment.span);
            }
        }
        Some(Member::Section { assignment, inside: std::mem::take(&mut self.delay.inside) })
    }

    /// Extents of arrays that are not stored yet are those of the delayed ones.
    fn with_known_extents(&self, value: &mut Expr) {
        transform(value, &mut |e| {
            let (array, axis) = match &e.kind {
                ExprKind::Extent(array, axis) => (array, *axis),
                ExprKind::Count(array) if rank_of(array) == Some(1) => (array, 0),
                _ => return,
            };
            if let ExprKind::Local(variable) = array.kind
                && let Some(known) = self.delay.known.get(&variable)
                && let Some(extent) = known.dims.get(axis)
            {
                *e = extent.clone();
            }
        });
    }

    /// What delayed arrays that are still read are made of does not change with the elements of an array.
    fn stay_as_they_are(&mut self, target: VarId, span: Span) -> Option<()> {
        let mut sound = true;
        let mut others = Vec::new();
        for (variable, _) in self.forwarded.iter().filter(|(_, left)| **left > 0) {
            self.delay.known.get(variable)?.reads(&mut |array, _| match array.kind {
                ExprKind::Local(read) if read != target => {
                    if may_share(self.aliases, self.delay.body, read, target) {
                        others.push(read);
                    }
                }
                _ => sound = false,
            });
        }
        for other in others {
            self.tell_apart(target, other, span);
        }
        sound.then_some(())
    }

    fn tell_apart(&mut self, a: VarId, b: VarId, span: Span) {
        if self.apart.insert((a, b)) {
            let different = are_different(self.delay.body, a, b, span);
            self.delay.require(Some(different));
        }
    }

    fn array(&mut self, variable: VarId, value: &mut Expr, stmts: &[Stmt]) -> Option<Member> {
        let (span, ty) = (value.span, value.ty.clone());
        if !is_array_expression(value) {
            return None;
        }
        let copy = is_copy(value);
        let array = self.delay.array(value)?;
        let inside = std::mem::take(&mut self.delay.inside);
        let body = &*self.delay.body;
        let fits = !array.dims.is_empty() && ty == body.variables[variable].ty;
        if !fits {
            return None;
        }
        if let Some(count) = self.uses.all_in(variable, stmts).filter(|count| self.is_cheap(&array, *count)) {
            self.forwarded.insert(variable, count);
            self.delay.known.insert(variable, array);
            return Some(Member::Forwarded(inside));
        }
        if self.delay.operations == 0 && !copy {
            return None;
        }
        let element = array.element().clone();
        let read = build::local(variable, ty, span);
        let held = PullArray::stored(read, array.dims.clone(), element, Boundary::Unchecked);
        self.delay.known.insert(variable, held);
        Some(Member::Held { variable, array, inside })
    }

    /// Whether computing an array for each of its uses costs less than storing it.
    fn is_cheap(&self, array: &PullArray, uses: usize) -> bool {
        let (mut operations, mut light, mut reads) = (0, true, 0);
        array.operations(&mut |row| {
            operations += 1;
            light &= matches!(row.name, "add" | "subtract" | "multiply" | "negate" | "min" | "max" | "abs");
        });
        array.reads(&mut |_, _| reads += 1);
        !self.delay.may_fail
            && match uses {
                1 => operations <= ONCE,
                _ => light && operations <= AGAIN && reads <= AGAIN,
            }
    }

    /// A number: evaluated in front of the conditions, or made of folds.
    fn number(&mut self, variable: VarId, value: &mut Expr) -> Option<Member> {
        let plain = !may_fail(value) && !reads_elements(value);
        let mut folds = Vec::new();
        if plain {
            self.delay.before.push(build::assign(variable, value.clone()));
            return Some(Member::Number);
        }
        self.folds(value, &mut folds)?;
        let rest = variables(value);
        if folds.is_empty() || self.delay.known.keys().any(|variable| rest.contains(variable)) {
            return None;
        }
        let inside = std::mem::take(&mut self.delay.inside);
        Some(Member::Folded { variable, value: value.clone(), folds, inside })
    }

    /// Replaces the folds in a number that cannot fail otherwise by variables.
    fn folds(&mut self, e: &mut Expr, folds: &mut Vec<Folded>) -> Option<()> {
        let span = e.span;
        if let Some((arg, fold)) = Fold::of(e) {
            if is_value(&arg.ty) || rank_of(arg).is_none() {
                return None;
            }
            let array = self.delay.array(arg)?;
            for condition in Fold::conditions(&array, span) {
                self.delay.require(Some(condition));
            }
            self.delay.operations += usize::from(self.delay.operations > 0);
            let result = self.delay.body.temporary(e.ty.clone(), span);
            folds.push(Folded { array, fold, result });
            *e = build::local(result, e.ty.clone(), span);
            return Some(());
        }
        match &mut e.kind {
            ExprKind::Apply { .. } | ExprKind::Convert(_) => {
                let mut sound = Some(());
                children_mut(e, &mut |child| sound = sound.and_then(|()| self.folds(child, folds)));
                sound
            }
            _ => (!may_fail(e) && !reads_elements(e)).then_some(()),
        }
    }
}

/// Whether an expression makes a new array of numbers in a way that may be delayed.
fn is_array_expression(e: &Expr) -> bool {
    rank_of(e).is_some()
        && !is_value(&e.ty)
        && match &e.kind {
            ExprKind::Convert(inner) => is_array_expression(inner),
            ExprKind::Load { .. } => true,
            ExprKind::Sequence(_) => true,
            _ => is_fusible(e),
        }
}
