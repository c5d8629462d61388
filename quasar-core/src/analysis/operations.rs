//! Counts the arithmetic operations of kernels, for profiles: what a position computes with floating-point numbers, whatever it
//! takes to find its elements. Rounds of loops are counted where the launch tells how many there are.

use super::symbolic_range::trip_count;
use crate::ir::affine::{AffineForm, Symbol};
use crate::ir::rewrite::{children, operands, set_in, transform};
use crate::ir::schedule::Operations;
use crate::ir::{Expr, ExprKind, Kernel, Program, Range, Stmt, StmtKind, VarId};
use crate::types::{ArrayType, Type};
use quasar_devicelib::ops::{ResultRule, Row};

impl Operations {
    fn add(&mut self, other: Operations) {
        self.fixed = self.fixed.saturating_add(other.fixed);
        self.loops.extend(other.loops);
    }

    fn times(mut self, count: i64) -> Operations {
        self.fixed = self.fixed.saturating_mul(count);
        for (_, inside) in &mut self.loops {
            *inside = std::mem::take(inside).times(count);
        }
        self
    }

    fn is_zero(&self) -> bool {
        self.fixed == 0 && self.loops.is_empty()
    }

    /// Of two branches the one with more, as far as that can be compared.
    fn most(self, other: Operations) -> Operations {
        let weight = |of: &Operations| (of.loops.len(), of.fixed);
        if weight(&self) >= weight(&other) { self } else { other }
    }
}

/// The operations of a position of a kernel; `None` if the launch does not tell them.
pub fn operations(program: &Program, kernel: &Kernel) -> Option<Operations> {
    let changed = set_in(&kernel.body.block);
    let given = |v| kernel.body.params.contains(&v) && !changed.contains(&v);
    Counter { program, given: &given }.block(&kernel.body.block, DEPTH)
}

/// How deep functions call each other.
const DEPTH: usize = 16;

struct Counter<'c> {
    program: &'c Program,
    given: &'c dyn Fn(VarId) -> bool,
}

impl Counter<'_> {
    fn block(&self, block: &[Stmt], depth: usize) -> Option<Operations> {
        let mut sum = Operations::default();
        for stmt in block {
            sum.add(self.stmt(stmt, depth)?);
        }
        Some(sum)
    }

    fn stmt(&self, stmt: &Stmt, depth: usize) -> Option<Operations> {
        let mut sum = Operations::default();
        let mut known = true;
        operands(stmt, &mut |e| match self.expr(e) {
            Some(count) => sum.fixed = sum.fixed.saturating_add(count),
            None => known = false,
        });
        if !known {
            return None;
        }
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                let (then, otherwise) = (self.block(then, depth)?, self.block(otherwise, depth)?);
                sum.add(then.most(otherwise));
            }
            StmtKind::For { range, body, .. } => {
                let inside = self.block(body, depth)?;
                match range.constant_count() {
                    _ if inside.is_zero() => {}
                    Some(count) => sum.add(inside.times(count.max(0))),
                    None => sum.loops.push((self.rounds(range)?, inside)),
                }
            }
            // Errors end a launch.
            StmtKind::Fail { .. } | StmtKind::Assert { .. } => return Some(Operations::default()),
            StmtKind::ForEach { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => {
                if !self.block(body, depth)?.is_zero() {
                    return None;
                }
            }
            StmtKind::Update { row, value, .. } => sum.fixed += of_row(row, &value.ty),
            StmtKind::Call { function, .. } => {
                // Rounds of its loops are not those of a launch.
                let called = &self.program.functions[*function];
                let counter = Counter { program: self.program, given: &|_| false };
                sum.add(counter.block(&called.body.block, depth.checked_sub(1)?)?);
            }
            StmtKind::Launch { .. }
            | StmtKind::CallValue { .. }
            | StmtKind::Strips { .. }
            | StmtKind::Try { .. } => return None,
            StmtKind::Assign { .. }
            | StmtKind::AssignGlobal { .. }
            | StmtKind::Store { .. }
            | StmtKind::Exchange { .. }
            | StmtKind::SetMember { .. }
            | StmtKind::Library { .. }
            | StmtKind::Break { .. }
            | StmtKind::Continue { .. }
            | StmtKind::Shared { .. }
            | StmtKind::Barrier(_)
            | StmtKind::Fence(_) => {}
        }
        Some(sum)
    }

    /// The rounds of a loop by ones, as a sum that all positions share.
    fn rounds(&self, range: &Range) -> Option<AffineForm> {
        let mut range = range.clone();
        for end in [&mut range.from, &mut range.to] {
            transform(end, &mut count_as_extent);
        }
        let rounds = trip_count(&range, self.given)?;
        let shared = rounds.terms.iter().all(|(symbol, _)| !matches!(symbol, Symbol::Position(_)));
        shared.then_some(rounds)
    }

    fn expr(&self, expr: &Expr) -> Option<i64> {
        let mut sum = 0i64;
        let mut known = true;
        children(expr, &mut |child| match self.expr(child) {
            Some(count) => sum = sum.saturating_add(count),
            None => known = false,
        });
        let own = match &expr.kind {
            ExprKind::Apply { row, args } => {
                let ty = args.first().map_or(&expr.ty, |arg| &arg.ty);
                of_row(row, ty).saturating_mul(elements(ty).filter(|_| known)?)
            }
            ExprKind::Reduce { row, arg, .. } => of_row(row, &arg.ty).saturating_mul(elements(&arg.ty)?),
            _ => 0,
        };
        known.then(|| sum.saturating_add(own))
    }
}

/// The number of elements of a vector is its extent.
fn count_as_extent(expr: &mut Expr) {
    if let ExprKind::Count(array) = &expr.kind
        && array.ty.as_array().and_then(ArrayType::known_rank) == Some(1)
    {
        expr.kind = ExprKind::Extent(array.clone(), 0);
    }
}

/// How many elements a value has.
fn elements(ty: &Type) -> Option<i64> {
    match ty {
        Type::Array(array) => array.count().map(i64::from),
        _ => Some(1),
    }
}

/// The operations of a function of scalars. Integers are indices, and comparisons are no arithmetic.
fn of_row(row: &Row, ty: &Type) -> i64 {
    match ty.element_type() {
        _ if row.result == ResultRule::Truth => 0,
        Some(element) if element.is_complex() => match row.name {
            "multiply" => 6,
            "add" | "subtract" | "negate" => 2,
            _ => 1,
        },
        Some(element) => i64::from(element.is_float()),
        None => 0,
    }
}
