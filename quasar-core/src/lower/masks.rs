//! `x[condition]`: conditional assignment and selection, as loops over all elements.

use super::body::Lowering;
use crate::ir::build::{self, int_type};
use crate::ir::{Block, Expr, ExprKind, Index, LoopAttributes, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::syntax::ast::{self, IndexArg};
use crate::types::{Rank, Type};

/// An array, the condition on its elements, and the variables of the loops over them.
struct Selection {
    array: Expr,
    condition: Expr,
    counters: Vec<VarId>,
    span: Span,
}

impl<'a> Lowering<'a, '_> {
    /// `x[condition] = value`
    pub(super) fn masked_store(&mut self, base: &'a ast::Expr, mask: &'a ast::Expr, value: Expr, span: Span) {
        let Some(selection) = self.selection(base, mask, span) else { return };
        let Type::Array(array) = &selection.array.ty else { return };
        let (element, rank) = ((*array.element).clone(), selection.counters.len());
        let value = match &value.ty {
            // A single row or column gives a vector its elements.
            Type::Array(values) if rank == 1 && values.rank != Rank::Known(1) => {
                let vec = build::array_type((*values.element).clone(), 1);
                let value = build::convert(value, &vec);
                self.atom(value)
            }
            _ => value,
        };
        let scatter = match &value.ty {
            Type::Array(values) if values.rank == Rank::Known(1) && rank > 1 => true,
            Type::Array(values) if values.rank == Rank::Known(1) => {
                // Of two vectors, the one as long as `x` gives each element its own value.
                let values = value.clone();
                return self.store_vector(selection, values, &element);
            }
            Type::Array(_) | Type::Scalar(..) | Type::Enum(_) => false,
            _ => return self.not_supported(span, "conditional assignment of a value of unknown type"),
        };
        let (before, after, item) = if scatter {
            self.taken_in_turn(&value, span)
        } else {
            let item = element_at(&value, &selection.counters, self);
            (Vec::new(), Vec::new(), item)
        };
        let item = self.convert_number(item, &element);
        let mut then = vec![self.store_here(&selection, item)];
        then.extend(after);
        self.out.extend(before);
        self.over_elements(selection, then);
    }

    fn store_vector(&mut self, selection: Selection, values: Expr, element: &Type) {
        let span = selection.span;
        let count = |e: &Expr| Expr::new(ExprKind::Count(Box::new(e.clone())), int_type(), span);
        let same = self.row("equal", vec![count(&selection.array), count(&values)], &int_type(), span);
        let (before, after, item) = self.taken_in_turn(&values, span);
        let item = self.convert_number(item, element);
        let own = element_at(&values, &selection.counters, self);
        let own = self.convert_number(own, element);
        let mut scattered = vec![self.store_here(&selection, item)];
        scattered.extend(after);
        let placed = vec![self.store_here(&selection, own)];
        let copy = Selection {
            array: selection.array.clone(),
            condition: selection.condition.clone(),
            counters: selection.counters.clone(),
            span,
        };
        let (then, ()) = self.in_block(|this| this.over_elements(copy, placed));
        let (otherwise, ()) = self.in_block(|this| {
            this.out.extend(before);
            this.over_elements(selection, scattered);
        });
        self.emit(StmtKind::If { condition: same, then, otherwise }, span);
    }

    /// `x[condition]` as a vector.
    pub(super) fn masked_load(
        &mut self,
        expr: &'a ast::Expr,
        base: &'a ast::Expr,
        indices: &'a [IndexArg],
    ) -> Expr {
        let span = expr.span;
        let ty = self.type_of(expr);
        let [IndexArg::Expr(mask)] = indices else { return self.missing(span, "this index", ty) };
        let Some(selection) = self.selection(base, mask, span) else {
            return Expr::new(ExprKind::Null, ty, span);
        };
        let counter = self.body.temporary(int_type(), span);
        let zero = || build::assign(counter, build::int(0, span));
        let copy = Selection {
            array: selection.array.clone(),
            condition: selection.condition.clone(),
            counters: selection.counters.clone(),
            span,
        };
        self.out.push(zero());
        let step = self.step(counter, span);
        self.over_elements(copy, vec![step]);
        let vec = match &ty {
            Type::Array(array) if array.rank == Rank::Known(1) => ty.clone(),
            _ => match &selection.array.ty {
                Type::Array(array) => build::array_type((*array.element).clone(), 1),
                _ => ty.clone(),
            },
        };
        let result = self.body.temporary(vec.clone(), span);
        let args = vec![self.body.read(counter, span)];
        let made = Expr::new(ExprKind::Library { name: "uninit", args }, vec, span);
        self.emit(StmtKind::Assign { variable: result, value: made }, span);
        self.out.push(zero());
        let item = element_at(&selection.array, &selection.counters, self);
        let store = StmtKind::Store {
            array: self.body.read(result, span),
            index: vec![Index::At(self.body.read(counter, span))],
            boundary: self.default_mode().boundary,
            value: item,
        };
        let step = self.step(counter, span);
        self.over_elements(selection, vec![Stmt::new(store, span), step]);
        self.body.read(result, span)
    }

    fn selection(&mut self, base: &'a ast::Expr, mask: &'a ast::Expr, span: Span) -> Option<Selection> {
        let array = self.expr(base);
        let array = self.atom(array);
        let rank = match &array.ty {
            Type::Array(ty) => match ty.rank {
                Rank::Known(rank) => rank as usize,
                Rank::Any => 0,
            },
            _ => 0,
        };
        if rank == 0 {
            self.not_supported(span, "a condition as index of an array of unknown rank");
            return None;
        }
        let condition = self.expr(mask);
        let counters: Vec<VarId> = (0..rank).map(|_| self.body.temporary(int_type(), span)).collect();
        let condition = element_at(&condition, &counters, self);
        let condition = self.truth_of(condition);
        Some(Selection { array, condition, counters, span })
    }

    fn store_here(&mut self, selection: &Selection, value: Expr) -> Stmt {
        let span = selection.span;
        let index =
            selection.counters.iter().map(|counter| Index::At(self.body.read(*counter, span))).collect();
        let boundary = self.boundary(&selection.array);
        Stmt::new(StmtKind::Store { array: selection.array.clone(), index, boundary, value }, span)
    }

    /// Reads the elements of a vector one after the other: what to do before the loop, after each, and the element.
    fn taken_in_turn(&mut self, values: &Expr, span: Span) -> (Block, Block, Expr) {
        let counter = self.body.temporary(int_type(), span);
        let at = vec![self.body.read(counter, span)];
        let boundary = self.default_mode().boundary;
        let item = build::load(values.clone(), at, boundary, span);
        let step = self.step(counter, span);
        (vec![build::assign(counter, build::int(0, span))], vec![step], item)
    }

    fn step(&mut self, counter: VarId, span: Span) -> Stmt {
        let args = vec![self.body.read(counter, span), build::int(1, span)];
        build::assign(counter, self.row("add", args, &int_type(), span))
    }

    /// Loops over all positions and does something where the condition holds.
    fn over_elements(&mut self, selection: Selection, then: Block) {
        let Selection { array, condition, counters, span } = selection;
        let mut body = vec![build::choice(condition, then, Vec::new(), span)];
        for (axis, counter) in counters.iter().enumerate().rev() {
            let extent = self.extent(&array, axis, span);
            let last = self.row("subtract", vec![extent, build::int(1, span)], &int_type(), span);
            let range = build::range(build::int(0, span), last);
            let attributes = LoopAttributes::default();
            let kind = StmtKind::For { variable: *counter, range, body, attributes };
            body = vec![Stmt::new(kind, span)];
        }
        if self.reachable {
            self.out.extend(body);
        }
    }
}

/// The element of an elementwise expression at the position that the counters give.
fn element_at(value: &Expr, counters: &[VarId], lowering: &mut Lowering<'_, '_>) -> Expr {
    let span = value.span;
    let Type::Array(array) = &value.ty else { return value.clone() };
    let element = (*array.element).clone();
    match &value.kind {
        ExprKind::Apply { row, args } => {
            let args = args.iter().map(|arg| element_at(arg, counters, lowering)).collect();
            build::apply(row, args, element, span)
        }
        ExprKind::Convert(inner) if same_rank(&inner.ty, &value.ty) => {
            let inner = element_at(inner, counters, lowering);
            build::convert(inner, &element)
        }
        _ => {
            let value = lowering.atom(value.clone());
            let mut at: Vec<Expr> =
                counters.iter().map(|counter| lowering.body.read(*counter, span)).collect();
            if array.sizes.len() == 1 && at.len() == 2 {
                at.remove(0);
            }
            let boundary = lowering.default_mode().boundary;
            build::load(value, at, boundary, span)
        }
    }
}

fn same_rank(a: &Type, b: &Type) -> bool {
    matches!((a, b), (Type::Array(a), Type::Array(b)) if a.rank == b.rank)
}
