//! Makes the indices of private arrays known: constants go to where they are used, loops and bounded `while` loops become straight
//! code, and an access at one of several indices becomes a choice among elements.

use super::super::unroll_short_loops::rounds;
use super::size;
use super::values::Values;
use crate::ir::effects::may_fail;
use crate::ir::rewrite::{
    blocks_mut, children_mut, jumps_out, operands, operands_mut, read_in, set_in, sets, stored_in, variables,
    visit,
};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Stmt, StmtKind, VarId, VarSet, build};
use crate::source::Span;
use crate::target::cpu::{
    PRIVATE_ARRAY_CHOICES, PRIVATE_ARRAY_INDEX, PRIVATE_ARRAY_ROUNDS, PRIVATE_ARRAY_TAIL,
};
use crate::types::known::fixed;
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::{Row, find};
use std::collections::VecDeque;

pub(super) struct Propagation<'b> {
    body: &'b mut Body,
    arrays: &'b [VarId],
    /// Expression nodes that may still be made.
    left: usize,
    /// Arrays that must stay.
    stay: VarSet,
    /// Arrays with accesses that became choices.
    chosen: VarSet,
}

/// Where an expression stands.
struct Place {
    /// What must be done before its statement.
    before: Block,
    /// Whether it is evaluated once, whenever the statement is reached.
    always: bool,
}

impl<'b> Propagation<'b> {
    pub(super) fn new(body: &'b mut Body, arrays: &'b [VarId], nodes: usize) -> Propagation<'b> {
        Propagation { body, arrays, left: nodes, stay: VarSet::new(), chosen: VarSet::new() }
    }

    pub(super) fn run(&mut self) {
        let block = std::mem::take(&mut self.body.block);
        self.body.block = self.block(block, &mut Values::default());
    }

    /// The arrays that must stay, and those with accesses that became choices.
    pub(super) fn finish(self) -> (VarSet, VarSet) {
        (self.stay, self.chosen)
    }

    fn block(&mut self, block: Block, known: &mut Values) -> Block {
        let mut rest = VecDeque::from(block);
        let mut made = Block::new();
        while let Some(stmt) = rest.pop_front() {
            let span = stmt.span;
            match stmt.kind {
                StmtKind::If { condition, then, otherwise } => {
                    let mut place = Place { before: Block::new(), always: true };
                    let condition = self.condition(condition, known, &mut place);
                    made.append(&mut place.before);
                    match condition.constant().map(|value| value.is_truthy()) {
                        Some(true) => made.extend(self.block(then, known)),
                        Some(false) => made.extend(self.block(otherwise, known)),
                        None => {
                            let mut other = known.clone();
                            let (then, otherwise) =
                                (self.block(then, known), self.block(otherwise, &mut other));
                            known.join(&other);
                            made.push(build::choice(condition, then, otherwise, span));
                        }
                    }
                }
                StmtKind::While { condition, body } => {
                    match self.bounded(&condition, &body, &mut rest, known, span) {
                        Some(stmts) => made.extend(stmts),
                        None => made.push(self.loops(StmtKind::While { condition, body }, known, span)),
                    }
                }
                StmtKind::For { variable, mut range, body, attributes } => {
                    known.put(&mut range.from);
                    known.put(&mut range.to);
                    range.step.iter_mut().for_each(|step| known.put(step));
                    let touched = self.touches(&body) && !attributes.every_position;
                    let fits = |values: &Vec<i32>| size(&body) * values.len() <= self.left;
                    match rounds(&range).filter(|_| touched && !jumps_out(&body, 0)).filter(fits) {
                        Some(values) => {
                            for value in values {
                                let value = build::int(value, span);
                                known.set(variable, known.of(&value));
                                made.push(build::assign(variable, value));
                                let round = body.clone();
                                self.left = self.left.saturating_sub(size(&round));
                                made.extend(self.block(round, known));
                            }
                        }
                        None => {
                            let kind = StmtKind::For { variable, range, body, attributes };
                            made.push(self.loops(kind, known, span));
                        }
                    }
                }
                kind => self.simple(Stmt::new(kind, span), known, &mut made),
            }
        }
        made
    }

    /// A statement with blocks that are done any number of times, or not at all.
    fn loops(&mut self, mut kind: StmtKind, known: &mut Values, span: Span) -> Stmt {
        let mut stmt = Stmt::new(StmtKind::Break { levels: 0 }, span);
        std::mem::swap(&mut stmt.kind, &mut kind);
        known.forget(&set_in(std::slice::from_ref(&stmt)));
        if let StmtKind::While { condition, .. } = &mut stmt.kind {
            let mut place = Place { before: Block::new(), always: false };
            self.expr(condition, known, &mut place);
        }
        blocks_mut(&mut stmt, &mut |inner| {
            let block = std::mem::take(inner);
            *inner = self.block(block, &mut known.clone());
        });
        stmt
    }

    /// A `while` loop as branches within each other, if it surely ends after a few rounds.
    fn bounded(
        &mut self,
        condition: &Expr,
        body: &Block,
        rest: &mut VecDeque<Stmt>,
        known: &mut Values,
        span: Span,
    ) -> Option<Block> {
        let changed = set_in(body);
        let counts = variables(condition).iter().any(|v| changed.contains(&v) && known.only(v).is_some());
        let touched = self.touches(body) || self.reads(condition);
        if !counts || !touched || jumps_out(body, 0) {
            return None;
        }
        let lost: VarSet = changed.iter().filter(|v| known.knows(*v)).collect();
        let follows = |stmt: &&Stmt| {
            let simple = matches!(
                stmt.kind,
                StmtKind::Store { .. } | StmtKind::Update { .. } | StmtKind::Assign { .. }
            );
            let mut reads = false;
            operands(stmt, &mut |e| reads |= variables(e).iter().any(|v| lost.contains(&v)));
            simple && reads
        };
        let tail: Block = rest.iter().take(PRIVATE_ARRAY_TAIL).take_while(follows).cloned().collect();
        let variables = self.body.variables.len();
        let mut after = known.clone();
        let kept = (self.stay.clone(), self.chosen.clone());
        match self.round(condition, (body, &tail), &mut after, PRIVATE_ARRAY_ROUNDS, span) {
            Some(made) => {
                rest.drain(..tail.len());
                *known = after;
                Some(made)
            }
            None => {
                // What was tried in vain counts, so that the work is bounded.
                self.body.variables.truncate(variables);
                (self.stay, self.chosen) = kept;
                None
            }
        }
    }

    /// ```text
    ///     while c          if c
    ///         body             body
    ///     endwhile             if c ..
    ///     tail             else
    ///                          tail
    ///                      endif
    /// ```
    fn round(
        &mut self,
        condition: &Expr,
        (body, tail): (&Block, &Block),
        known: &mut Values,
        rounds: usize,
        span: Span,
    ) -> Option<Block> {
        let mut place = Place { before: Block::new(), always: true };
        let now = self.condition(condition.clone(), known, &mut place);
        let mut made = place.before;
        let constant = now.constant().map(|value| value.is_truthy());
        if constant == Some(false) {
            made.extend(self.block(tail.clone(), known));
            return Some(made);
        }
        let nodes = size(body) + size(tail);
        if rounds == 0 || nodes > self.left {
            return None;
        }
        self.left -= nodes;
        let mut other = known.clone();
        let mut then = self.block(body.clone(), known);
        then.extend(self.round(condition, (body, tail), known, rounds - 1, span)?);
        if constant == Some(true) {
            made.extend(then);
            return Some(made);
        }
        let otherwise = self.block(tail.clone(), &mut other);
        known.join(&other);
        made.push(build::choice(now, then, otherwise, span));
        Some(made)
    }

    /// A condition whose parts are known may be.
    fn condition(&mut self, mut e: Expr, known: &Values, place: &mut Place) -> Expr {
        known.put(&mut e);
        e = decided(e);
        self.expr(&mut e, known, place);
        e
    }

    /// A statement without blocks, or with others than those above.
    fn simple(&mut self, mut stmt: Stmt, known: &mut Values, made: &mut Block) {
        let mut nested = false;
        blocks_mut(&mut stmt, &mut |_| nested = true);
        if nested {
            let span = stmt.span;
            made.push(self.loops(stmt.kind, known, span));
            return;
        }
        let mut place = Place { before: Block::new(), always: true };
        operands_mut(&mut stmt, &mut |e| {
            known.put(e);
            self.expr(e, known, &mut place);
        });
        made.append(&mut place.before);
        let mut value = None;
        if let StmtKind::Assign { value: of, .. } = &stmt.kind {
            value = known.of(of).or_else(|| known.within(of));
        }
        let mut changed = VarSet::new();
        sets(&stmt, &mut |v| {
            changed.insert(*v);
        });
        known.forget(&changed);
        if let (StmtKind::Assign { variable, .. }, Some(_)) = (&stmt.kind, &value) {
            known.set(*variable, value);
        }
        self.write(stmt, known, made);
    }

    /// A store, which may be one of several.
    fn write(&mut self, mut stmt: Stmt, known: &Values, made: &mut Block) {
        let span = stmt.span;
        let (StmtKind::Store { array, index, boundary, .. }
        | StmtKind::Update { array, index, boundary, .. }) = &mut stmt.kind
        else {
            made.push(stmt);
            return;
        };
        let Some((variable, sizes)) = self.array(array) else {
            made.push(stmt);
            return;
        };
        let Some(places) = places(index, &sizes, *boundary, known) else {
            self.stay.insert(variable);
            made.push(stmt);
            return;
        };
        if places.inside {
            *boundary = Boundary::Unchecked;
        }
        let Some(choices) = places.choices else {
            made.push(stmt);
            return;
        };
        let nodes = choices.len() * 10;
        let (array, index, boundary) = (array.clone(), index.clone(), *boundary);
        let change = change(stmt.kind, &array);
        let fits =
            nodes <= self.left && choices.len() <= PRIVATE_ARRAY_CHOICES && boundary != Boundary::Checked;
        let Some((row, value)) = change.filter(|_| fits) else {
            self.stay.insert(variable);
            return;
        };
        self.left -= nodes;
        self.chosen.insert(variable);
        let index: Vec<Expr> = index.into_iter().filter_map(|each| self.named(each, made)).collect();
        let value = self.kept(value, made);
        for choice in choices {
            let at: Vec<Expr> = choice.iter().map(|k| build::int(*k, span)).collect();
            let old = build::load(array.clone(), at.clone(), Boundary::Unchecked, span);
            let Some(condition) = is_at(&index, &choice, span) else { continue };
            let value = match row {
                Some(row) => build::apply(row, vec![old.clone(), value.clone()], old.ty.clone(), span),
                None => value.clone(),
            };
            let value = build::select(condition, value, old);
            let index = at.into_iter().map(Index::At).collect();
            let kind = StmtKind::Store { array: array.clone(), index, boundary: Boundary::Unchecked, value };
            made.push(Stmt::new(kind, span));
        }
    }

    /// An expression with its accesses of private arrays as choices among their elements.
    fn expr(&mut self, e: &mut Expr, known: &Values, place: &mut Place) {
        match &mut e.kind {
            ExprKind::Select { condition, then, otherwise } => {
                self.expr(condition, known, place);
                let always = std::mem::replace(&mut place.always, false);
                self.expr(then, known, place);
                self.expr(otherwise, known, place);
                place.always = always;
            }
            ExprKind::And(first, second) | ExprKind::Or(first, second) => {
                self.expr(first, known, place);
                let always = std::mem::replace(&mut place.always, false);
                self.expr(second, known, place);
                place.always = always;
            }
            _ => children_mut(e, &mut |child| self.expr(child, known, place)),
        }
        if let ExprKind::Load { .. } = &e.kind {
            self.read(e, known, place);
        }
    }

    fn read(&mut self, e: &mut Expr, known: &Values, place: &mut Place) {
        let span = e.span;
        let ExprKind::Load { array, index, boundary } = &mut e.kind else { return };
        let Some((variable, sizes)) = self.array(array) else { return };
        let Some(places) = places(index, &sizes, *boundary, known) else {
            self.stay.insert(variable);
            return;
        };
        if places.inside {
            *boundary = Boundary::Unchecked;
        }
        let Some(choices) = places.choices else { return };
        let nodes = choices.len() * 6;
        let cheap = index.iter().all(|each| matches!(each, Index::At(e) if is_cheap(e)));
        let refused = *boundary == Boundary::Checked || !(place.always || cheap);
        if nodes > self.left || choices.len() > PRIVATE_ARRAY_CHOICES || refused {
            self.stay.insert(variable);
            return;
        }
        self.left -= nodes;
        self.chosen.insert(variable);
        let (array, index) = ((**array).clone(), std::mem::take(index));
        let index: Vec<Expr> = if place.always {
            index.into_iter().filter_map(|each| self.named(each, &mut place.before)).collect()
        } else {
            let at = |each| if let Index::At(e) = each { Some(e) } else { None };
            index.into_iter().filter_map(at).collect()
        };
        let mut chosen: Option<Expr> = None;
        for choice in choices.iter().rev() {
            let at = choice.iter().map(|k| build::int(*k, span)).collect();
            let element = build::load(array.clone(), at, Boundary::Unchecked, span);
            chosen = Some(match (chosen, is_at(&index, choice, span)) {
                (Some(other), Some(condition)) => build::select(condition, element, other),
                _ => element,
            });
        }
        if let Some(chosen) = chosen {
            *e = chosen;
        }
    }

    /// A value that is used several times.
    fn kept(&mut self, value: Expr, before: &mut Block) -> Expr {
        if value.is_atom() {
            return value;
        }
        let (ty, span) = (value.ty.clone(), value.span);
        let variable = self.body.temporary(ty.clone(), span);
        before.push(build::assign(variable, value));
        build::local(variable, ty, span)
    }

    fn named(&mut self, index: Index, before: &mut Block) -> Option<Expr> {
        match index {
            Index::At(e) if is_cheap(&e) => Some(e),
            Index::At(e) => Some(self.kept(e, before)),
            _ => None,
        }
    }

    /// A private array, and its sizes.
    fn array(&self, array: &Expr) -> Option<(VarId, Vec<usize>)> {
        let ExprKind::Local(variable) = array.kind else { return None };
        if !self.arrays.contains(&variable) {
            return None;
        }
        Some((variable, fixed(&self.body.variables[variable].ty)?))
    }

    fn touches(&self, block: &[Stmt]) -> bool {
        let mut used = read_in(block);
        used.add(&stored_in(block));
        self.arrays.iter().any(|v| used.contains(v))
    }

    fn reads(&self, e: &Expr) -> bool {
        let read = variables(e);
        self.arrays.iter().any(|v| read.contains(v))
    }
}

/// Which elements an access may mean.
struct Places {
    /// Whether its indices are surely inside.
    inside: bool,
    /// The elements, if there are several.
    choices: Option<Vec<Vec<i32>>>,
}

/// The elements of an access, if it is one of single elements whose boundary mode changes no index.
fn places(index: &[Index], sizes: &[usize], boundary: Boundary, known: &Values) -> Option<Places> {
    if index.len() != sizes.len() {
        return None;
    }
    let (mut inside, mut constant) = (true, true);
    let mut choices: Vec<Vec<i32>> = vec![Vec::new()];
    for (each, size) in index.iter().zip(sizes) {
        let Index::At(e) = each else { return None };
        let size = i32::try_from(*size).ok()?;
        let values = known.of(e);
        constant &= e.constant_int().is_some();
        let within = known.range(e).is_some_and(|(least, most)| least >= 0 && most < size);
        inside &= within;
        let values: Vec<i32> = match values.filter(|_| within) {
            Some(values) => values.into_iter().collect(),
            None => (0..size).collect(),
        };
        choices = choices
            .iter()
            .flat_map(|choice| values.iter().map(move |k| [choice.as_slice(), &[*k]].concat()))
            .collect();
    }
    if constant {
        return inside.then_some(Places { inside, choices: None });
    }
    let plain = matches!(boundary, Boundary::Checked | Boundary::Unchecked);
    (inside || plain).then_some(Places { inside, choices: Some(choices) })
}

/// What a store or an update does to an element: the operation, if there is one, and its operand.
fn change(kind: StmtKind, array: &Expr) -> Option<(Option<&'static Row>, Expr)> {
    let (row, value) = match kind {
        StmtKind::Store { value, .. } => (None, value),
        StmtKind::Update { row, value, result: None, .. } => (Some(row), value),
        _ => return None,
    };
    let alike = matches!(&array.ty, Type::Array(ty) if build::same_type(&ty.element, &value.ty));
    alike.then_some((row, value))
}

/// Whether indices have given values. What is constant does.
fn is_at(index: &[Expr], values: &[i32], span: Span) -> Option<Expr> {
    let equal = find("equal")?;
    let varying = index.iter().zip(values).filter(|(e, _)| e.constant_int().is_none());
    varying
        .map(|(e, k)| build::apply(equal, vec![e.clone(), build::int(*k, span)], build::int_type(), span))
        .reduce(|a, b| Expr::new(ExprKind::And(Box::new(a), Box::new(b)), build::int_type(), span))
}

fn is_cheap(e: &Expr) -> bool {
    let (mut nodes, mut loads) = (0, false);
    visit(e, &mut |e| {
        nodes += 1;
        loads |= matches!(e.kind, ExprKind::Load { .. });
    });
    nodes <= PRIVATE_ARRAY_INDEX && !loads && !may_fail(e)
}

/// A condition without the parts that are known.
fn decided(e: Expr) -> Expr {
    let (is_and, first, second) = match e.kind {
        ExprKind::And(first, second) => (true, first, second),
        ExprKind::Or(first, second) => (false, first, second),
        _ => return e,
    };
    let (first, second) = (decided(*first), decided(*second));
    let truth = |e: &Expr| e.constant().map(|value| value.is_truthy());
    match (truth(&first), truth(&second)) {
        (Some(value), _) if value == is_and => second,
        (Some(_), _) => first,
        (None, Some(value)) if value == is_and => first,
        _ => {
            let (first, second) = (Box::new(first), Box::new(second));
            let kind = if is_and { ExprKind::And(first, second) } else { ExprKind::Or(first, second) };
            Expr::new(kind, e.ty, e.span)
        }
    }
}
