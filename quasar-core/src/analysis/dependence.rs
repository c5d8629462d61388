//! Dependence test: whether iterations of a loop nest are independent, with a reason for each refusal.
//!
//! Two accesses to one array in different iterations are independent if the equations between their indices have no
//! solution within the loop bounds; the prover decides that. Scalars are private, reductions, or loop-carried.

use super::affine::linear;
use super::aliases::Aliases;
use super::points_to::Sharing;
use crate::ir::rewrite::{
    children, free_variables, operands, same_indices, set_in, sets, variables, visit, visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Range, Stmt, StmtKind, VarId, VarSet};
use crate::logic::{Facts, Linear, Proposition, Rational, Relation, Truth};
use crate::source::Span;
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::Row;
use std::collections::BTreeMap;

/// With more pairs of accesses the nest counts as dependent, to bound the effort. The stores of a tile of 8x8 elements are 2080.
const MAX_PAIRS: usize = 5000;

/// One loop of a nest.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The loop variable.
    pub variable: VarId,
    /// The loop bounds.
    pub range: Range,
}

/// A reason why iterations may not run in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    /// The variable that carries the dependence.
    pub variable: VarId,
    /// Source location of the access.
    pub span: Span,
    /// Kind of the dependence, for messages.
    pub what: &'static str,
}

/// Properties of an independent nest.
#[derive(Clone, Debug, Default)]
pub struct Independence {
    /// Scalar reductions: variables that all iterations accumulate into.
    pub accumulators: Vec<(VarId, &'static Row)>,
    /// Arrays with updates that several iterations may apply to one element.
    pub shared_updates: VarSet,
}

/// Tests whether the iterations of `loops` around `block` are independent. Updates of one element by several iterations
/// are accepted, as atomic ones, if `allow_shared_updates` is set. `aliases` tells which array variables may share
/// elements.
pub fn test(
    body: &Body,
    loops: &[Loop],
    block: &Block,
    aliases: &Aliases,
    live_after: &VarSet,
    allow_shared_updates: bool,
) -> Result<Independence, Dependence> {
    let mut found =
        Independence { accumulators: scalars(body, block, live_after)?, ..Independence::default() };
    let mut accesses = collect(block);
    let own = own_arrays(body, block, &accesses, aliases, live_after);
    accesses.retain(|access| !own.contains(&access.variable));
    let definitions = definitions(block);
    let question = Question { loops, definitions: &definitions, varying: set_in(block), aliases };
    let mut pairs = 0;
    for (k, first) in accesses.iter().enumerate() {
        for second in &accesses[k..] {
            if !(first.writes() || second.writes())
                || aliases.sharing(first.variable, second.variable) == Sharing::Never
            {
                continue;
            }
            pairs += 1;
            let what = match (first.kind, second.kind) {
                (AccessKind::Update(a), AccessKind::Update(b)) if a == b && is_associative(a) => {
                    if question.disjoint(first, second) {
                        continue;
                    }
                    if allow_shared_updates {
                        found.shared_updates.extend([first.variable, second.variable]);
                        continue;
                    }
                    "several iterations update the same element"
                }
                _ if pairs <= MAX_PAIRS && question.disjoint(first, second) => continue,
                _ => "possible data dependency detected for variable!",
            };
            let at = if second.writes() { second } else { first };
            return Err(Dependence { variable: at.variable, span: at.span, what });
        }
    }
    // An array that several iterations update is not read in the nest: a load and an update of one element differ in
    // kind, which the comparison of pairs rejects.
    Ok(found)
}

/// The elements that iterations read before later ones write them, and that are written in no other order: what a copy of the array
/// from before the loops holds as well. `None` where other elements are read that iterations write.
pub fn old_elements(
    body: &Body,
    loops: &[Loop],
    block: &Block,
    aliases: &Aliases,
    live_after: &VarSet,
) -> Option<Vec<(VarId, Vec<Index>)>> {
    let mut accesses = collect(block);
    let own = own_arrays(body, block, &accesses, aliases, live_after);
    accesses.retain(|access| !own.contains(&access.variable));
    let definitions = definitions(block);
    let question = Question { loops, definitions: &definitions, varying: set_in(block), aliases };
    let (writes, loads): (Vec<&Access<'_>>, Vec<&Access<'_>>) =
        accesses.iter().partition(|access| access.writes());
    if writes.len() * loads.len() > MAX_PAIRS {
        return None;
    }
    let (mut old, mut others) = (Vec::new(), Vec::new());
    for load in loads {
        let met = writes.iter().filter(|write| {
            aliases.sharing(load.variable, write.variable) != Sharing::Never
                && !question.disjoint(load, write)
        });
        let met: Vec<&&Access<'_>> = met.collect();
        if met.is_empty() {
            others.push(load);
            continue;
        }
        let ahead = |write: &&&Access<'_>| {
            write.variable == load.variable && question.only_later(write, load) == Some(true)
        };
        if !met.iter().all(ahead) {
            return None;
        }
        old.push((load.variable, load.index.clone()));
    }
    let is_it = |(variable, index): &(VarId, Vec<Index>)| {
        let alike = |other: &&Access<'_>| other.variable == *variable && same_indices(&other.index, index);
        others.iter().any(alike)
    };
    (!old.is_empty() && !old.iter().any(is_it)).then_some(old)
}

/// Whether no two iterations of a loop update one element of an array.
pub fn updates_apart(body: &Body, each: &Loop, block: &Block, aliases: &Aliases) -> bool {
    let loops = std::slice::from_ref(each);
    let definitions = definitions(block);
    let question = Question { loops, definitions: &definitions, varying: set_in(block), aliases };
    let accesses = collect(block);
    let own = own_arrays(body, block, &accesses, aliases, &VarSet::new());
    let updates: Vec<&Access<'_>> = accesses
        .iter()
        .filter(|access| matches!(access.kind, AccessKind::Update(_)) && !own.contains(&access.variable))
        .collect();
    updates.len() * updates.len() <= MAX_PAIRS
        && updates.iter().enumerate().all(|(k, first)| {
            let apart = |second: &&Access<'_>| {
                aliases.sharing(first.variable, second.variable) == Sharing::Never
                    || question.disjoint(first, second)
            };
            updates[k..].iter().all(apart)
        })
}

/// Whether the iterations of a loop of host code are independent. Arrays that it uses as a whole are read everywhere; those
/// in `own` belong to an iteration each, as far as they have no other names.
pub fn test_whole(
    body: &Body,
    each: &Loop,
    block: &Block,
    aliases: &Aliases,
    live_after: &VarSet,
    own: &VarSet,
) -> bool {
    if scalars(body, block, live_after).is_err() {
        return false;
    }
    let mut accesses = collect(block);
    visit_stmts(block, &mut |stmt| {
        let written = match &stmt.kind {
            StmtKind::Store { array, .. } | StmtKind::Update { array, .. } => Some(array),
            _ => None,
        };
        operands(stmt, &mut |expr| {
            if written.is_none_or(|written| !std::ptr::eq(written, expr)) {
                whole_reads(expr, &mut accesses);
            }
        });
    });
    let is_own = |v: VarId| {
        let others = accesses.iter().map(|access| access.variable).filter(|other| *other != v);
        own.contains(&v) && others.into_iter().all(|other| aliases.sharing(v, other) == Sharing::Never)
    };
    let accesses: Vec<&Access<'_>> = accesses.iter().filter(|access| !is_own(access.variable)).collect();
    let loops = std::slice::from_ref(each);
    let definitions = definitions(block);
    let question = Question { loops, definitions: &definitions, varying: set_in(block), aliases };
    accesses.len() * accesses.len() <= MAX_PAIRS
        && accesses.iter().enumerate().all(|(k, first)| {
            let apart = |second: &&Access<'_>| {
                !(first.writes() || second.writes())
                    || aliases.sharing(first.variable, second.variable) == Sharing::Never
                    || question.disjoint(first, second)
            };
            accesses[k..].iter().copied().all(|second| apart(&second))
        })
}

/// Adds the arrays that an expression uses otherwise than by an index.
fn whole_reads(expr: &Expr, into: &mut Vec<Access<'_>>) {
    match &expr.kind {
        ExprKind::Local(variable) if !matches!(expr.ty, Type::Scalar(..) | Type::Enum(_) | Type::Text) => {
            into.push(Access {
                variable: *variable,
                index: Vec::new(),
                boundary: Boundary::Checked,
                kind: AccessKind::Load,
                span: expr.span,
                inner: Vec::new(),
            });
        }
        ExprKind::Load { array, index, .. } => {
            if !matches!(array.kind, ExprKind::Local(_)) {
                whole_reads(array, into);
            }
            for each in index {
                match each {
                    Index::At(e) | Index::List(e) | Index::Position(e) => whole_reads(e, into),
                    Index::Range(range) => {
                        whole_reads(&range.from, into);
                        range.step.iter().for_each(|step| whole_reads(step, into));
                        whole_reads(&range.to, into);
                    }
                    Index::All => {}
                }
            }
        }
        ExprKind::Extent(array, _) | ExprKind::Count(array) if matches!(array.kind, ExprKind::Local(_)) => {}
        _ => children(expr, &mut |child| whole_reads(child, into)),
    }
}

/// Whether an operation is associative and commutative, up to rounding.
pub fn is_associative(name: &str) -> bool {
    matches!(name, "add" | "subtract" | "multiply" | "min" | "max" | "and" | "or" | "xor")
}

// ---- scalars

/// The variables that all iterations of a loop accumulate into; the others that it sets belong to one iteration each.
pub fn scalars(
    body: &Body,
    block: &Block,
    live_after: &VarSet,
) -> Result<Vec<(VarId, &'static Row)>, Dependence> {
    let assigned = set_in(block);
    let exposed = free_variables(block);
    let mut accumulators = Vec::new();
    for variable in assigned {
        if !exposed.contains(&variable) && !live_after.contains(&variable) {
            continue;
        }
        if let Some(row) = accumulation(block, variable)
            && matches!(body.variables[variable].ty, Type::Scalar(element, _) if !element.is_complex())
        {
            accumulators.push((variable, row));
            continue;
        }
        let what = if exposed.contains(&variable) {
            "possible data dependency detected for variable!"
        } else {
            "the value of the last iteration is used after the loop"
        };
        let span = assignment_span(block, variable).unwrap_or(body.variables[variable].span);
        return Err(Dependence { variable, span, what });
    }
    Ok(accumulators)
}

fn assignment_span(block: &Block, variable: VarId) -> Option<Span> {
    let mut span = None;
    visit_stmts(block, &mut |stmt| {
        sets(stmt, &mut |v| {
            if *v == variable && span.is_none() {
                span = Some(stmt.span)
            }
        })
    });
    span
}

/// The operation by which the block accumulates into a variable, if it does nothing else with it.
pub fn accumulation(block: &Block, variable: VarId) -> Option<&'static Row> {
    let mut row: Option<&'static Row> = None;
    let mut sound = true;
    visit_stmts(block, &mut |stmt| {
        let mut assigns = false;
        sets(stmt, &mut |v| assigns |= *v == variable);
        if assigns {
            match accumulating_value(stmt, variable) {
                Some((found, _)) if row.is_none_or(|row| combined(row.name) == combined(found.name)) => {
                    row = Some(found)
                }
                _ => sound = false,
            }
        } else {
            operands(stmt, &mut |expr| sound &= !variables(expr).contains(&variable));
        }
    });
    let row = row.filter(|_| sound)?;
    quasar_devicelib::ops::find(combined(row.name))
}

/// The operation that combines partial results: differences are summed.
fn combined(name: &str) -> &str {
    if name == "subtract" { "add" } else { name }
}

/// For `v = v op e`, the operation and `e`.
pub fn accumulating_value(stmt: &Stmt, variable: VarId) -> Option<(&'static Row, &Expr)> {
    let StmtKind::Assign { variable: target, value } = &stmt.kind else { return None };
    let ExprKind::Apply { row, args } = &value.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    if *target != variable || !is_associative(row.name) {
        return None;
    }
    let is_self = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == variable);
    let other = if is_self(a) {
        b
    } else if is_self(b) && row.name != "subtract" {
        a
    } else {
        return None;
    };
    (!variables(other).contains(&variable)).then_some((row, other))
}

/// Integer variables with a single assignment in a block, outside inner loops, and their values. Accumulators are
/// excluded, since their values refer to their old ones.
fn definitions(block: &Block) -> Vec<(VarId, Expr)> {
    let carried = free_variables(block);
    let mut count: BTreeMap<VarId, usize> = BTreeMap::new();
    visit_stmts(block, &mut |stmt| sets(stmt, &mut |v| *count.entry(*v).or_default() += 1));
    let mut found = Vec::new();
    for stmt in block {
        if let StmtKind::Assign { variable, value } = &stmt.kind
            && count.get(variable) == Some(&1)
            && !carried.contains(variable)
        {
            found.push((*variable, value.clone()));
        }
    }
    found
}

// ---- arrays

#[derive(Clone, Copy, Debug, PartialEq)]
enum AccessKind {
    Load,
    Store,
    Update(&'static str),
}

/// Privatisable arrays: those that each iteration makes before any other use, with all their names.
fn own_arrays(
    body: &Body,
    block: &Block,
    accesses: &[Access<'_>],
    aliases: &Aliases,
    live_after: &VarSet,
) -> VarSet {
    let exposed = free_variables(block);
    let mut own: VarSet = set_in(block)
        .iter()
        .filter(|v| matches!(&body.variables[*v].ty, Type::Array(_)))
        .filter(|v| !exposed.contains(v) && !live_after.contains(v))
        .collect();
    let others: VarSet = accesses.iter().map(|access| access.variable).collect();
    loop {
        let mut left = own.clone();
        visit_stmts(block, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { variable, value } if is_new(value) || names_one_of(value, *variable, &own) => {
            }
            _ => sets(stmt, &mut |v| {
                left.remove(v);
            }),
        });
        let shared = |v: &VarId| {
            let mut others = others.iter().filter(|other| !own.contains(other));
            others.any(|other| aliases.sharing(*v, other) != Sharing::Never)
        };
        let left: VarSet = left.iter().filter(|v| !shared(v)).collect();
        if left == own {
            return own;
        }
        own = left;
    }
}

/// Whether a value is another name for an array of an iteration.
fn names_one_of(value: &Expr, variable: VarId, own: &VarSet) -> bool {
    match &value.kind {
        ExprKind::Local(v) => *v != variable && own.contains(v),
        ExprKind::Library { name: "reshape", args } => {
            args.first().is_some_and(|array| names_one_of(array, variable, own))
        }
        _ => false,
    }
}

/// Whether an expression creates a new array without aliases.
fn is_new(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Array(_)
        | ExprKind::Library {
            name: "zeros" | "ones" | "uninit" | "eye" | "czeros" | "cuninit" | "sort",
            ..
        } => true,
        ExprKind::Apply { .. } => matches!(value.ty, Type::Array(_)),
        ExprKind::Convert(inner) => is_new(inner),
        _ => false,
    }
}

struct Access<'a> {
    variable: VarId,
    index: Vec<Index>,
    boundary: Boundary,
    kind: AccessKind,
    span: Span,
    /// The loops around the access inside the nest.
    inner: Vec<(VarId, &'a Range)>,
}

impl Access<'_> {
    fn writes(&self) -> bool {
        self.kind != AccessKind::Load
    }
}

fn collect(block: &Block) -> Vec<Access<'_>> {
    let mut accesses = Vec::new();
    collect_block(block, &mut Vec::new(), &mut accesses);
    accesses
}

fn collect_block<'a>(block: &'a [Stmt], inner: &mut Vec<(VarId, &'a Range)>, into: &mut Vec<Access<'a>>) {
    for stmt in block {
        collect_loads(stmt, inner, into);
        let written = match &stmt.kind {
            StmtKind::Store { array, index, boundary, .. } => {
                Some((array, index, boundary, AccessKind::Store))
            }
            StmtKind::Update { array, index, boundary, row, result, .. } => {
                // An update whose result is used depends on the order of the updates.
                let kind = if result.is_some() { AccessKind::Store } else { AccessKind::Update(row.name) };
                Some((array, index, boundary, kind))
            }
            StmtKind::Exchange { array, index, boundary, .. } => {
                Some((array, index, boundary, AccessKind::Store))
            }
            _ => None,
        };
        if let Some((array, index, boundary, kind)) = written
            && let ExprKind::Local(variable) = array.kind
        {
            let access = Access {
                variable,
                index: index.clone(),
                boundary: *boundary,
                kind,
                span: stmt.span,
                inner: inner.clone(),
            };
            into.push(access);
        }
        match &stmt.kind {
            StmtKind::For { variable, range, body, .. } => {
                inner.push((*variable, range));
                collect_block(body, inner, into);
                inner.pop();
            }
            StmtKind::If { then, otherwise, .. } => {
                collect_block(then, inner, into);
                collect_block(otherwise, inner, into);
            }
            StmtKind::ForEach { body, .. } | StmtKind::While { body, .. } => collect_block(body, inner, into),
            StmtKind::Repeat { body, test, .. } => {
                collect_block(body, inner, into);
                collect_block(test, inner, into);
            }
            _ => {}
        }
    }
}

fn collect_loads<'a>(stmt: &'a Stmt, inner: &[(VarId, &'a Range)], into: &mut Vec<Access<'a>>) {
    operands(stmt, &mut |expr| {
        visit(expr, &mut |e| {
            if let ExprKind::Load { array, index, boundary } = &e.kind
                && let ExprKind::Local(variable) = array.kind
            {
                into.push(Access {
                    variable,
                    index: index.clone(),
                    boundary: *boundary,
                    kind: AccessKind::Load,
                    span: e.span,
                    inner: inner.to_vec(),
                });
            }
        });
    });
}

/// Whether the boundary mode of a load may map different indices to one element.
fn folds_back(access: &Access<'_>) -> bool {
    let folds = matches!(access.boundary, Boundary::Circular | Boundary::Mirror | Boundary::Clamped);
    folds && access.kind == AccessKind::Load
}

/// Context shared by all pairs of accesses.
struct Question<'a> {
    loops: &'a [Loop],
    definitions: &'a [(VarId, Expr)],
    varying: VarSet,
    aliases: &'a Aliases,
}

impl Question<'_> {
    /// Whether two accesses provably touch different elements whenever they belong to different iterations.
    fn disjoint(&self, first: &Access<'_>, second: &Access<'_>) -> bool {
        let comparable = self.aliases.have_same_dimensions(first.variable, second.variable)
            && first.index.len() == second.index.len();
        comparable && (self.own_places(first, second) || self.try_disjoint(first, second).unwrap_or(false))
    }

    /// The most frequent case, which needs no proof: each loop variable is the index of the same dimension in both
    /// accesses.
    fn own_places(&self, first: &Access<'_>, second: &Access<'_>) -> bool {
        let exact = |access: &Access<'_>, index: &Index, variable: VarId| {
            matches!(index, Index::At(Expr { kind: ExprKind::Local(v), .. }) if *v == variable)
                && !folds_back(access)
        };
        self.loops.iter().all(|each| {
            let variable = each.variable;
            !self.varying.contains(&variable)
                && first
                    .index
                    .iter()
                    .zip(&second.index)
                    .any(|(a, b)| exact(first, a, variable) && exact(second, b, variable))
        })
    }

    fn try_disjoint(&self, first: &Access<'_>, second: &Access<'_>) -> Option<bool> {
        let mut facts = Facts::default();
        self.describe(first, "", &mut facts);
        self.describe(second, "'", &mut facts);
        let mut same = Vec::new();
        for (k, (a, b)) in first.index.iter().zip(&second.index).enumerate() {
            let a = self.position(first, (k, a), "", &mut facts);
            if let (Some(a), Some(b)) = (a, self.position(second, (k, b), "'", &mut facts)) {
                same.push(Proposition::equal(&a, &b)?);
            }
        }
        let mut different = Vec::new();
        for each in self.loops {
            let (a, b) = (self.name(each.variable, ""), self.name(each.variable, "'"));
            let (a, b) = (atom(&a), atom(&b));
            different.push(Proposition::compare(&a, &b, Relation::NotZero)?);
        }
        same.push(Proposition::Any(different));
        Some(facts.check(&Proposition::All(same)) == Truth::Unsatisfiable)
    }

    /// Whether what an iteration writes was read by an earlier one, wherever both are one element.
    fn only_later(&self, write: &Access<'_>, load: &Access<'_>) -> Option<bool> {
        let mut facts = Facts::default();
        self.describe(write, "", &mut facts);
        self.describe(load, "'", &mut facts);
        let mut together = Vec::new();
        for (k, (a, b)) in write.index.iter().zip(&load.index).enumerate() {
            let (a, b) =
                (self.position(write, (k, a), "", &mut facts), self.position(load, (k, b), "'", &mut facts));
            if let (Some(a), Some(b)) = (a, b) {
                together.push(Proposition::equal(&a, &b)?);
            }
        }
        // The first loop in which the iterations differ tells which comes first.
        for each in self.loops {
            let (a, b) = (atom(&self.name(each.variable, "")), atom(&self.name(each.variable, "'")));
            let step = each.range.step.as_ref().map_or(Some(1), Expr::constant_int)?;
            let before = if step > 0 { Proposition::below(&a, &b)? } else { Proposition::below(&b, &a)? };
            let mut earlier = together.clone();
            earlier.push(before);
            if facts.check(&Proposition::All(earlier)) != Truth::Unsatisfiable {
                return Some(false);
            }
            together.push(Proposition::equal(&a, &b)?);
        }
        // An iteration itself may read what it has written.
        Some(facts.check(&Proposition::All(together)) == Truth::Unsatisfiable)
    }

    /// Adds the bounds of all loop variables and the definitions of scalars, for one of the two iterations.
    fn describe(&self, access: &Access<'_>, mark: &str, facts: &mut Facts) {
        let outer = self.loops.iter().map(|l| (l.variable, &l.range));
        for (variable, range) in outer.chain(access.inner.iter().copied()) {
            self.bounds(variable, range, mark, facts);
        }
        for (variable, value) in self.definitions {
            if let Some(value) = self.term(value, mark)
                && let Some(fact) = Proposition::equal(&atom(&self.name(*variable, mark)), &value)
            {
                facts.assume(fact);
            }
        }
    }

    fn bounds(&self, variable: VarId, range: &Range, mark: &str, facts: &mut Facts) {
        let name = self.name(variable, mark);
        let step = range.step.as_ref().map_or(Some(1), Expr::constant_int);
        let Some(step) = step.filter(|step| *step != 0) else { return };
        let (low, high) = if step > 0 { (&range.from, &range.to) } else { (&range.to, &range.from) };
        let this = atom(&name);
        if let Some(fact) = self.term(low, mark).and_then(|low| Proposition::at_most(&low, &this)) {
            facts.assume(fact);
        }
        if let Some(fact) = self.term(high, mark).and_then(|high| Proposition::at_most(&this, &high)) {
            facts.assume(fact);
        }
        if step.abs() != 1
            && let Some(from) = self.term(&range.from, mark)
        {
            let count = atom(&format!("step({name})"));
            if let Some(value) = from.plus(&count, Rational::from(i64::from(step)))
                && let Some(fact) = Proposition::equal(&this, &value)
            {
                facts.assume(fact);
            }
        }
    }

    /// The index of a dimension as a linear term, for a range one between its ends; `None` if it may be anything.
    fn position(
        &self,
        access: &Access<'_>,
        (axis, index): (usize, &Index),
        mark: &str,
        facts: &mut Facts,
    ) -> Option<Linear> {
        match index {
            Index::At(expr) if !folds_back(access) => self.term(expr, mark),
            Index::Range(range) if !folds_back(access) => {
                let step = range.step.as_ref().map_or(Some(1), Expr::constant_int)?;
                let (low, high) = match step {
                    1.. => (&range.from, &range.to),
                    0 => return None,
                    _ => (&range.to, &range.from),
                };
                let within = atom(&format!("range{axis}{mark}"));
                let (low, high) = (self.term(low, mark)?, self.term(high, mark)?);
                facts.assume(Proposition::at_most(&low, &within)?);
                facts.assume(Proposition::at_most(&within, &high)?);
                Some(within)
            }
            _ => None,
        }
    }

    fn term(&self, expr: &Expr, mark: &str) -> Option<Linear> {
        let fixed = |variable| (!self.varies(variable)).then(|| self.name(variable, mark));
        linear(expr, &|variable| Some(self.name(variable, mark)), &fixed)
    }

    /// Variables that change inside the nest get a separate name in each of the two iterations.
    fn name(&self, variable: VarId, mark: &str) -> String {
        format!("v{}{}", variable.index(), if self.varies(variable) { mark } else { "" })
    }

    fn varies(&self, variable: VarId) -> bool {
        self.varying.contains(&variable) || self.loops.iter().any(|l| l.variable == variable)
    }
}

fn atom(name: &str) -> Linear {
    Linear::atom(crate::logic::Atom::integer(name))
}
