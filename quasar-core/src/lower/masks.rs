//! `x[condition]`: conditional assignment as loops over all elements, selection as a function of the library; as loops in
//! kernels.

use super::body::Lowering;
use crate::ir::build::{self, int_type};
use crate::ir::{Block, Expr, ExprKind, Failure, Index, LoopAttributes, LoopMode, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::syntax::ast::{self, AssignOp, IndexArg};
use crate::types::{ArrayType, Boundary, Rank, Type};

/// An array, the condition on its elements, and the variables of the loops over them.
#[derive(Clone)]
struct Selection {
    array: Expr,
    condition: Expr,
    counters: Vec<VarId>,
    span: Span,
}

/// How an element becomes another one: `None` for `=`, the expression and operator of a compound assignment.
pub(super) type Change<'a> = Option<(&'a ast::Expr, AssignOp)>;

impl<'a> Lowering<'a, '_> {
    /// `x[condition] = value`, or `x[condition] op= value`
    pub(super) fn masked_store(
        &mut self,
        base: &'a ast::Expr,
        mask: &'a ast::Expr,
        change: Change<'a>,
        value: Expr,
        span: Span,
    ) {
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
                return self.store_vector(selection, change, values, &element);
            }
            Type::Array(_) | Type::Scalar(..) | Type::Enum(_) => false,
            _ => return self.not_supported(span, "conditional assignment of a value of unknown type"),
        };
        if scatter {
            return self.store_in_turn(selection, change, &value, &element);
        }
        let item = element_at(&value, &selection.counters, self);
        let then = vec![self.store_here(&selection, change, item, &element)];
        self.over_elements(selection, LoopMode::Automatic, then);
    }

    /// Gives the selected elements those of a vector, which must be as many: they are counted before any is stored.
    fn store_in_turn(&mut self, selection: Selection, change: Change<'a>, values: &Expr, element: &Type) {
        let span = selection.span;
        let counter = self.body.temporary(int_type(), span);
        self.count(&selection, counter);
        self.fail_unless_as_many(counter, values, span);
        let at = vec![self.body.read(counter, span)];
        let item = build::load(values.clone(), at, Boundary::Clamped, span);
        self.out.push(build::assign(counter, build::int(0, span)));
        let then = vec![self.store_here(&selection, change, item, element), self.step(counter, span)];
        self.over_elements(selection, LoopMode::Serial, then);
    }

    /// Counts the selected elements.
    fn count(&mut self, selection: &Selection, counter: VarId) {
        self.out.push(build::assign(counter, build::int(0, selection.span)));
        let step = self.step(counter, selection.span);
        self.over_elements(selection.clone(), LoopMode::Automatic, vec![step]);
    }

    fn fail_unless_as_many(&mut self, counter: VarId, values: &Expr, span: Span) {
        let count = Expr::new(ExprKind::Count(Box::new(values.clone())), int_type(), span);
        let selected = self.body.read(counter, span);
        let differ = self.row("not_equal", vec![selected.clone(), count.clone()], &int_type(), span);
        let text = |text: &str| Expr::new(ExprKind::Text(text.to_owned()), Type::Text, span);
        let message = vec![
            text("Dimensions do not match: "),
            selected,
            text(" elements are selected and "),
            count,
            text(" are assigned"),
        ];
        let fail = Stmt::new(StmtKind::Fail { failure: Failure::Size, message }, span);
        self.emit(StmtKind::If { condition: differ, then: vec![fail], otherwise: Vec::new() }, span);
    }

    fn store_vector(&mut self, selection: Selection, change: Change<'a>, values: Expr, element: &Type) {
        let span = selection.span;
        let count = |e: &Expr| Expr::new(ExprKind::Count(Box::new(e.clone())), int_type(), span);
        let same = self.row("equal", vec![count(&selection.array), count(&values)], &int_type(), span);
        let own = element_at(&values, &selection.counters, self);
        let placed = vec![self.store_here(&selection, change, own, element)];
        let copy = selection.clone();
        let (then, ()) = self.in_block(|this| this.over_elements(copy, LoopMode::Automatic, placed));
        let (otherwise, ()) = self.in_block(|this| this.store_in_turn(selection, change, &values, element));
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
        let Some((array, condition)) = self.masked(base, mask, span) else {
            return Expr::new(ExprKind::Null, ty, span);
        };
        let element = array.ty.as_array().map(|array| (*array.element).clone()).unwrap_or(Type::Dynamic);
        let vec = match &ty {
            Type::Array(of) if of.rank == Rank::Known(1) => ty.clone(),
            _ => build::array_type(element.clone(), 1),
        };
        if !self.on_device() && matches!(element, Type::Scalar(..)) && has_rank_of(&condition, &array) {
            let name = "selected";
            return Expr::new(ExprKind::Library { name, args: vec![array, condition] }, vec, span);
        }
        let selection = self.at_counters(array, condition, span);
        let counter = self.body.temporary(int_type(), span);
        self.count(&selection, counter);
        let result = self.body.temporary(vec.clone(), span);
        let args = vec![self.body.read(counter, span)];
        let made = Expr::new(ExprKind::Library { name: "uninit", args }, vec, span);
        self.emit(StmtKind::Assign { variable: result, value: made }, span);
        self.out.push(build::assign(counter, build::int(0, span)));
        let item = element_at(&selection.array, &selection.counters, self);
        let store = StmtKind::Store {
            array: self.body.read(result, span),
            index: vec![Index::At(self.body.read(counter, span))],
            boundary: self.default_mode().boundary,
            value: item,
        };
        let step = self.step(counter, span);
        self.over_elements(selection, LoopMode::Serial, vec![Stmt::new(store, span), step]);
        self.body.read(result, span)
    }

    fn selection(&mut self, base: &'a ast::Expr, mask: &'a ast::Expr, span: Span) -> Option<Selection> {
        let (array, condition) = self.masked(base, mask, span)?;
        Some(self.at_counters(array, condition, span))
    }

    /// An array in a variable and the condition on its elements, whose arrays are in variables too.
    fn masked(&mut self, base: &'a ast::Expr, mask: &'a ast::Expr, span: Span) -> Option<(Expr, Expr)> {
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
        let condition = self.same_shape(&array, condition, span);
        Some((array, condition))
    }

    fn at_counters(&mut self, array: Expr, condition: Expr, span: Span) -> Selection {
        let rank = array.ty.as_array().map_or(0, |ty| ty.sizes.len());
        let counters: Vec<VarId> = (0..rank).map(|_| self.body.temporary(int_type(), span)).collect();
        let condition = element_at(&condition, &counters, self);
        let condition = self.truth_of(condition);
        Selection { array, condition, counters, span }
    }

    /// The condition with its arrays in variables, of which each must have the shape of the array.
    fn same_shape(&mut self, array: &Expr, condition: Expr, span: Span) -> Expr {
        let Type::Array(ty) = &condition.ty else { return condition };
        let ty = ty.clone();
        match condition.kind {
            ExprKind::Apply { row, args } => {
                let args = args.into_iter().map(|arg| self.same_shape(array, arg, span)).collect();
                build::apply(row, args, Type::Array(ty), condition.span)
            }
            ExprKind::Convert(inner) if same_rank(&inner.ty, &condition.ty) => {
                let inner = self.same_shape(array, *inner, span);
                Expr { kind: ExprKind::Convert(Box::new(inner)), ..condition }
            }
            _ => {
                let known = |ty: &ArrayType| ty.sizes.iter().all(Option::is_some);
                let leaf = self.atom(condition);
                let itself =
                    matches!((&leaf.kind, &array.kind), (ExprKind::Local(a), ExprKind::Local(b)) if a == b);
                let decided =
                    array.ty.as_array().is_some_and(|array| array.sizes == ty.sizes && known(array));
                if !itself && !decided && !self.on_device() {
                    let args = [array, &leaf].map(|e| build::convert(e.clone(), &Type::Dynamic)).to_vec();
                    self.emit(StmtKind::Library { name: "same_shape", args, results: Vec::new() }, span);
                }
                leaf
            }
        }
    }

    fn store_here(&mut self, selection: &Selection, change: Change<'a>, value: Expr, element: &Type) -> Stmt {
        let span = selection.span;
        let value = match change {
            Some((expr, op)) => {
                let current = element_at(&selection.array, &selection.counters, self);
                self.combine(expr, op, current, value, element)
            }
            None => self.convert_number(value, element),
        };
        let index =
            selection.counters.iter().map(|counter| Index::At(self.body.read(*counter, span))).collect();
        let boundary = self.boundary(&selection.array);
        Stmt::new(StmtKind::Store { array: selection.array.clone(), index, boundary, value }, span)
    }

    fn step(&mut self, counter: VarId, span: Span) -> Stmt {
        let args = vec![self.body.read(counter, span), build::int(1, span)];
        build::assign(counter, self.row("add", args, &int_type(), span))
    }

    /// Loops over all positions and does something where the condition holds; in order where the places are counted.
    fn over_elements(&mut self, selection: Selection, mode: LoopMode, then: Block) {
        let Selection { array, condition, counters, span } = selection;
        let mut body = vec![build::choice(condition, then, Vec::new(), span)];
        for (axis, counter) in counters.iter().enumerate().rev() {
            let extent = self.extent(&array, axis, span);
            let last = self.row("subtract", vec![extent, build::int(1, span)], &int_type(), span);
            let range = build::range(build::int(0, span), last);
            let attributes = LoopAttributes { mode, ..LoopAttributes::default() };
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

/// Whether all arrays of a condition have as many dimensions as an array.
fn has_rank_of(condition: &Expr, array: &Expr) -> bool {
    same_rank(&condition.ty, &array.ty)
        && match &condition.kind {
            ExprKind::Apply { args, .. } => {
                args.iter().all(|arg| matches!(arg.ty, Type::Scalar(..)) || has_rank_of(arg, array))
            }
            ExprKind::Convert(inner) => has_rank_of(inner, array),
            _ => true,
        }
}

fn same_rank(a: &Type, b: &Type) -> bool {
    matches!((a, b), (Type::Array(a), Type::Array(b)) if a.rank == b.rank)
}
