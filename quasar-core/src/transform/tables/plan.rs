//! Which values of a kernel go to tables, and its code with elements of tables in their place.

use super::purity::has_tested;
use super::scopes::{Needed, Scopes};
use super::{Axes, Loop};
use crate::ir::rewrite::{
    blocks_mut, children_mut, operands, operands_mut, same, set_in, sets, transform, transform_stmts,
    variables, visit,
};
use crate::ir::{
    Block, Coordinate, Expr, ExprKind, Index, Kernel, Program, Range, Stmt, StmtKind, VarId, VarSet, build,
};
use crate::target::cpu::{TABLE_LOOPS, TABLES};
use crate::types::known::scalar;
use crate::types::{Boundary, ElementType, Type};
use quasar_devicelib::ops::find;
use std::collections::BTreeSet;

/// A table.
pub(super) struct Table {
    pub(super) axes: Axes,
    /// The loops among the axes.
    pub(super) loops: Vec<Loop>,
    /// The component of the position among the axes.
    pub(super) position: Option<usize>,
    pub(super) element: ElementType,
    /// What the kernel computed.
    written: Expr,
    /// The same in terms of the position of the kernel that fills the table.
    pub(super) value: Expr,
    /// The statements that it needs, in the same terms, each with its order.
    pub(super) needed: Vec<(usize, Stmt)>,
    /// What must lie inside of an array, so that nothing fails: the array, a dimension, and the index.
    pub(super) inside: Vec<Inside>,
    /// The loop whose rounds share each element, where positions do not.
    pub(super) around: Option<Loop>,
}

/// An array, one of its dimensions, and an index that must lie inside of it.
pub(super) type Inside = (VarId, usize, Place);

/// An index.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A component of the position.
    Position(usize),
    /// The variable of a loop.
    Loop(Box<Loop>),
}

impl Table {
    /// The type of the array.
    pub(super) fn ty(&self) -> Type {
        let rank = self.loops.len() + usize::from(self.position.is_some());
        build::array_type(build::scalar_type(self.element), rank as u8)
    }
}

/// The plan of a kernel.
pub(super) struct Plan<'k> {
    kernel: &'k Kernel,
    scopes: Scopes<'k>,
    /// What a value costs, at least.
    cost: u32,
    /// Whether elements of rows that lie across those of positions are worth it.
    turned: bool,
    tables: Vec<Table>,
    /// The variables that the code reads that stays.
    demanded: VarSet,
    /// The statements that tables need, by their order.
    needed: BTreeSet<usize>,
}

impl<'k> Plan<'k> {
    /// The code with tables, if there are some.
    pub(super) fn of(
        program: &'k Program,
        kernel: &'k Kernel,
        constant: VarSet,
        (cost, turned): (u32, bool),
    ) -> Option<(Block, Vec<Table>)> {
        let mut demanded = VarSet::new();
        loop {
            let scopes = Scopes::new(program, kernel, constant.clone());
            let before = demanded.len();
            let mut plan =
                Plan { kernel, scopes, cost, turned, tables: Vec::new(), demanded, needed: BTreeSet::new() };
            let block = plan.block(&kernel.body.block, None);
            if plan.tables.is_empty() {
                return None;
            }
            // What an earlier statement reads that a later one set in the iteration before is known the next time.
            if plan.demanded.len() == before {
                return Some((block, plan.tables));
            }
            demanded = plan.demanded;
        }
    }

    fn block(&mut self, block: &'k [Stmt], around: Option<Loop>) -> Block {
        self.scopes.enter(block, around);
        let mut kept = Vec::new();
        for (at, stmt) in block.iter().enumerate().rev() {
            self.scopes.visit(at);
            if self.stays(stmt) {
                kept.push(self.stmt(stmt));
            }
        }
        self.scopes.leave();
        kept.reverse();
        kept
    }

    /// Whether a statement does something that tables do not.
    fn stays(&self, stmt: &Stmt) -> bool {
        let block = std::slice::from_ref(stmt);
        let set = set_in(block);
        self.scopes.of_this(stmt) == Axes::ALL
            || set.iter().any(|v| self.demanded.contains(&v) || !self.scopes.is_own(v))
            || has_tested(block) && !self.needed.contains(&self.scopes.number(stmt))
    }

    fn stmt(&mut self, stmt: &'k Stmt) -> Stmt {
        let mut copy = without_blocks(stmt);
        match (&stmt.kind, &mut copy.kind) {
            // A sum of products has one rounding less.
            (StmtKind::Assign { variable, value }, StmtKind::Assign { value: sum, .. })
                if is_sum_of_product(*variable, value) =>
            {
                children_mut(sum, &mut |term| match term.kind {
                    ExprKind::Apply { .. } => children_mut(term, &mut |factor| self.rewrite(factor)),
                    _ => self.rewrite(term),
                });
            }
            _ => operands_mut(&mut copy, &mut |e| self.rewrite(e)),
        }
        let around = match &stmt.kind {
            StmtKind::For { variable, range, .. } => self.axis(*variable, range),
            _ => None,
        };
        let blocks = blocks_of(stmt);
        let mut blocks: Vec<Block> =
            blocks.into_iter().map(|block| self.block(block, around.clone())).collect();
        blocks.reverse();
        blocks_mut(&mut copy, &mut |block| *block = blocks.pop().unwrap_or_default());
        copy
    }

    /// The loop, if its bounds are known before the launch.
    fn axis(&self, variable: VarId, range: &Range) -> Option<Loop> {
        let unit = range.step.as_ref().is_none_or(|step| step.constant_int() == Some(1));
        let known = unit && self.is_known(&range.from) && self.is_known(&range.to);
        known.then(|| Loop { variable, from: range.from.clone(), to: range.to.clone() })
    }

    fn is_known(&self, bound: &Expr) -> bool {
        let mut known = scalar(&bound.ty) == Some(ElementType::Int32) && self.scopes.of(bound) == Axes::NONE;
        visit(bound, &mut |e| {
            known &= match &e.kind {
                ExprKind::Constant(_) | ExprKind::Extent(..) => true,
                ExprKind::Local(v) => self.kernel.body.params.contains(v),
                ExprKind::Apply { row, .. } => matches!(row.name, "add" | "subtract" | "multiply" | "negate"),
                _ => false,
            };
        });
        known
    }

    /// Puts elements of tables into an expression, and notes what else it reads.
    fn rewrite(&mut self, e: &mut Expr) {
        // Neighbours of a place share its table: `j` and `j + 1`.
        let shared = without_constant(e).is_some_and(|place| self.table(place).is_some());
        if !shared && let Some(element) = self.table(e).map(|k| self.element(k, e)) {
            visit(&element, &mut |e| {
                if let ExprKind::Local(v) = e.kind {
                    self.demanded.insert(v);
                }
            });
            *e = element;
            return;
        }
        if let ExprKind::Local(v) = e.kind {
            self.demanded.insert(v);
        }
        children_mut(e, &mut |child| self.rewrite(child));
    }

    /// The table for an expression, if that pays.
    fn table(&mut self, e: &Expr) -> Option<usize> {
        let Type::Scalar(element, _) = e.ty else { return None };
        if !matches!(element, ElementType::Int32 | ElementType::Single | ElementType::Double) {
            return None;
        }
        let inside = if self.turned { self.tested_across(e) } else { None };
        let axes = match &inside {
            Some((axes, _)) => *axes,
            None => self.scopes.of(e),
        };
        if !self.may_be_axes(axes) {
            return None;
        }
        if let Some(known) =
            self.tables.iter().position(|table| table.axes == axes && same(&table.written, e))
        {
            return Some(known);
        }
        let needed = self.scopes.needed(e)?;
        let across = inside.is_some() || self.turned && self.is_across(e, axes);
        // Positions along one dimension share no elements of a table, but rounds of a loop do.
        let alone = self.kernel.rank == 1 && axes.has(Axes::position(0));
        let pays = across || !alone && self.scopes.cost(e, &needed, axes) >= self.cost;
        if self.tables.len() >= TABLES || !pays {
            return None;
        }
        let inside = inside.map_or(Vec::new(), |(_, inside)| inside);
        self.add(e, axes, &needed, (element, inside))
    }

    /// Whether an element lies in the row of an array that the last component of the position selects, so that neighbouring
    /// positions read elements that are a row apart, while a loop goes along it.
    fn is_across(&self, e: &Expr, axes: Axes) -> bool {
        let ExprKind::Load { index, .. } = &e.kind else { return false };
        let last = Axes::position(self.kernel.rank - 1);
        let of = |each: &Index| match each {
            Index::At(e) => self.scopes.of(e),
            _ => Axes::ALL,
        };
        let Some((along, lead)) = index.split_last() else { return false };
        let along = of(along);
        (self.kernel.rank > 1 || self.around(axes).is_some())
            && axes.has(last)
            && !along.has(last)
            && along != Axes::NONE
            && lead.iter().any(|each| of(each) == last)
    }

    /// The innermost loop around the statement being visited that a value does not depend on.
    fn around(&self, axes: Axes) -> Option<&Loop> {
        let here = self.scopes.loops_here();
        let k = here.into_iter().rev().find(|k| !axes.has(Axes::of_loop(self.kernel.rank, *k)))?;
        Some(&self.scopes.loops[k])
    }

    /// As `is_across`, for an element whose indices are tested: what it depends on, and what must lie inside of the array.
    fn tested_across(&self, e: &Expr) -> Option<(Axes, Vec<Inside>)> {
        let ExprKind::Load { array, index, boundary: Boundary::Checked } = &e.kind else { return None };
        let ExprKind::Local(variable) = array.kind else { return None };
        let last = self.kernel.rank - 1;
        let place = |each: &Index| match each {
            Index::At(Expr { kind: ExprKind::Coordinate(Coordinate::Position, axis), .. })
                if *axis == last =>
            {
                Some(Place::Position(last))
            }
            Index::At(Expr { kind: ExprKind::Local(v), .. }) => {
                let here = self.scopes.loops_here();
                let k = here.iter().rev().find(|k| self.scopes.loops[**k].variable == *v)?;
                Some(Place::Loop(Box::new(self.scopes.loops[*k].clone())))
            }
            _ => None,
        };
        let places: Vec<Place> = index.iter().map(place).collect::<Option<_>>()?;
        let axes = index.iter().fold(Axes::NONE, |axes, each| match each {
            Index::At(e) => axes.with(self.scopes.of(e)),
            _ => Axes::ALL,
        });
        let known = self.scopes.of(array) == Axes::NONE && self.is_across(e, axes);
        known.then(|| (axes, places.into_iter().enumerate().map(|(k, place)| (variable, k, place)).collect()))
    }

    /// Adds a table, if the statements that its value needs can stand alone.
    fn add(
        &mut self,
        e: &Expr,
        axes: Axes,
        needed: &[Needed<'k>],
        (element, inside): (ElementType, Vec<Inside>),
    ) -> Option<usize> {
        let rank = self.kernel.rank;
        let is_axis = |k: &usize| axes.has(Axes::of_loop(rank, *k));
        let loops: Vec<usize> = (0..self.scopes.loops.len()).filter(is_axis).collect();
        let position = (0..rank).find(|axis| axes.has(Axes::position(*axis)));
        let stmts: Vec<&Stmt> = needed.iter().map(|each| each.stmt).collect();
        let set: VarSet = stmts
            .iter()
            .flat_map(|stmt| set_in(std::slice::from_ref(*stmt)).iter().collect::<Vec<_>>())
            .collect();
        let clean = loops.iter().all(|k| !set.contains(&self.scopes.loops[*k].variable));
        let here = self.scopes.loops_here();
        if !clean || !loops.iter().all(|k| here.contains(k)) || !is_set_first(&stmts, e, &set) {
            return None;
        }
        let alone = needed.iter().map(|each| {
            let mut stmt = [each.stmt.clone()];
            let around = self.scopes.loops_around(*each);
            transform_stmts(&mut stmt, &mut |s| {
                operands_mut(s, &mut |e| self.with_positions(e, (&loops, position), around));
            });
            let [stmt] = stmt;
            (self.scopes.number(each.stmt), stmt)
        });
        let needed: Vec<(usize, Stmt)> = alone.collect();
        let mut value = e.clone();
        if let ExprKind::Load { boundary, .. } = &mut value.kind
            && !inside.is_empty()
        {
            *boundary = Boundary::Unchecked;
        }
        self.with_positions(&mut value, (&loops, position), &here);
        self.needed.extend(needed.iter().map(|(number, _)| *number));
        let loops = loops.iter().map(|k| self.scopes.loops[*k].clone()).collect();
        let around = self.around(axes).filter(|_| rank == 1 && position.is_some()).cloned();
        let written = e.clone();
        self.tables.push(Table { axes, loops, position, element, written, value, needed, inside, around });
        Some(self.tables.len() - 1)
    }

    /// Whether a table may have these axes: there must be positions that share its elements.
    fn may_be_axes(&self, axes: Axes) -> bool {
        let rank = self.kernel.rank;
        let positions = (0..rank).filter(|axis| axes.has(Axes::position(*axis))).count();
        axes != Axes::NONE
            && axes != Axes::ALL
            && positions <= usize::from(rank > 1 || self.turned)
            && (axes.0.count_ones() as usize - positions) <= TABLE_LOOPS
    }

    /// Writes an expression in terms of the position of the kernel that fills the table.
    fn with_positions(&self, e: &mut Expr, (loops, position): (&[usize], Option<usize>), around: &[usize]) {
        let axis = |k: usize, span| {
            Expr::new(ExprKind::Coordinate(Coordinate::Position, k), build::int_type(), span)
        };
        transform(e, &mut |e| {
            let span = e.span;
            match e.kind {
                ExprKind::Coordinate(Coordinate::Position, k) if Some(k) == position => {
                    *e = axis(loops.len(), span);
                }
                ExprKind::Local(v) => {
                    // The innermost loop of this variable.
                    let Some(k) = around.iter().rev().find(|k| self.scopes.loops[**k].variable == v) else {
                        return;
                    };
                    let Some(place) = loops.iter().position(|each| each == k) else { return };
                    let from = &self.scopes.loops[*k].from;
                    *e = arithmetic("add", axis(place, span), from.clone());
                }
                _ => {}
            }
        });
    }

    /// An element of a table in the place of what the kernel computed.
    fn element(&self, k: usize, e: &Expr) -> Expr {
        let (table, span) = (&self.tables[k], e.span);
        let int = build::int_type;
        let mut index: Vec<Index> = table
            .loops
            .iter()
            .map(|each| arithmetic("subtract", build::local(each.variable, int(), span), each.from.clone()))
            .map(Index::At)
            .collect();
        index.extend(
            table.position.map(|axis| {
                Index::At(Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), int(), span))
            }),
        );
        let array =
            Box::new(build::local(VarId::new(self.kernel.body.variables.len() + k), table.ty(), span));
        Expr::new(ExprKind::Load { array, index, boundary: Boundary::Unchecked }, e.ty.clone(), span)
    }
}

/// A sum or difference of integers, of which the second is often zero.
pub(super) fn arithmetic(name: &str, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    match find(name) {
        Some(row) if b.constant_int() != Some(0) => build::apply(row, vec![a, b], build::int_type(), span),
        _ => a,
    }
}

/// The integer to which another adds a constant.
fn without_constant(e: &Expr) -> Option<&Expr> {
    let ExprKind::Apply { row, args } = &e.kind else { return None };
    let int = scalar(&e.ty) == Some(ElementType::Int32);
    match (row.name, args.as_slice()) {
        ("add" | "subtract", [place, constant]) if int && constant.constant_int().is_some() => Some(place),
        ("add", [constant, place]) if int && constant.constant_int().is_some() => Some(place),
        _ => None,
    }
}

/// Whether an assignment adds a product, which is rounded once.
fn is_sum_of_product(variable: VarId, value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Apply { row, args }
        if row.name == "add"
            && matches!(args[0].kind, ExprKind::Local(v) if v == variable)
            && matches!(&args[1].kind, ExprKind::Apply { row, .. } if row.name == "multiply"))
}

/// A statement whose blocks are empty.
fn without_blocks(stmt: &Stmt) -> Stmt {
    let none = Block::new;
    let kind = match &stmt.kind {
        StmtKind::If { condition, .. } => {
            StmtKind::If { condition: condition.clone(), then: none(), otherwise: none() }
        }
        StmtKind::For { variable, range, attributes, .. } => StmtKind::For {
            variable: *variable,
            range: range.clone(),
            body: none(),
            attributes: attributes.clone(),
        },
        StmtKind::ForEach { variable, over, attributes, .. } => StmtKind::ForEach {
            variable: *variable,
            over: over.clone(),
            body: none(),
            attributes: attributes.clone(),
        },
        StmtKind::While { condition, .. } => StmtKind::While { condition: condition.clone(), body: none() },
        StmtKind::Repeat { until, .. } => {
            StmtKind::Repeat { body: none(), test: none(), until: until.clone() }
        }
        kind => kind.clone(),
    };
    Stmt::new(kind, stmt.span)
}

/// The blocks of a statement, in the order of [`blocks_mut`].
fn blocks_of(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::For { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::While { body, .. } => {
            vec![body]
        }
        StmtKind::Repeat { body, test, .. } => vec![body, test],
        _ => Vec::new(),
    }
}

/// Whether statements, and a value behind them, read no variable of their own that is not set.
fn is_set_first(stmts: &[&Stmt], value: &Expr, own: &VarSet) -> bool {
    let mut set = VarSet::new();
    stmts.iter().all(|stmt| sets_first(stmt, own, &mut set)) && reads_set(value, own, &set)
}

fn reads_set(e: &Expr, own: &VarSet, set: &VarSet) -> bool {
    variables(e).iter().all(|v| set.contains(&v) || !own.contains(&v))
}

fn sets_first(stmt: &Stmt, own: &VarSet, set: &mut VarSet) -> bool {
    let mut fine = true;
    operands(stmt, &mut |e| fine &= reads_set(e, own, set));
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => {
            let (mut left, mut right) = (set.clone(), set.clone());
            fine &= then.iter().all(|stmt| sets_first(stmt, own, &mut left));
            fine &= otherwise.iter().all(|stmt| sets_first(stmt, own, &mut right));
            set.add(&left.intersection(&right));
        }
        StmtKind::For { variable, body, .. } => {
            let mut inside = set.clone();
            inside.insert(*variable);
            fine &= body.iter().all(|stmt| sets_first(stmt, own, &mut inside));
        }
        _ => sets(stmt, &mut |v| {
            set.insert(*v);
        }),
    }
    fine
}
