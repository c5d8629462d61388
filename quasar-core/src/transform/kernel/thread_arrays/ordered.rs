//! Arrays whose elements depend on those before them: scans, and the elements for which a condition holds.

use super::source::Source;
use super::{Pass, apply, element_type, integer, minus_one};
use crate::ir::build::{self, int, int_type};
use crate::ir::{Expr, ExprKind, Index, LoopAttributes, Range, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::types::Boundary;
use crate::types::known::{rank, scalar};

impl Pass<'_> {
    /// The sums, products or extremes of the elements up to each, along one dimension.
    pub(super) fn scanned(&mut self, variable: VarId, value: &Expr) -> bool {
        let ExprKind::Library { name, args } = &value.kind else { return false };
        let span = value.span;
        let row = match *name {
            "cumsum" => "add",
            "cumprod" => "multiply",
            "cummin" => "min",
            _ => "max",
        };
        let Some(source) = args.first().and_then(|x| self.source(x)) else { return false };
        let axis = match args.get(1) {
            Some(axis) => axis.constant_int().and_then(|k| usize::try_from(k).ok()),
            None => Some(usize::from(source.dims.len() > 1)),
        };
        let Some(axis) = axis.filter(|k| *k < source.dims.len()) else { return false };
        if source.dims.len() == 1 {
            self.scanned_vector(variable, &source, row, span);
            return true;
        }
        self.fill(variable, &source, false, span);
        let array = self.body.read(variable, span);
        let number = element_type(&array.ty);
        self.loops(&source.dims, span, |this, at| {
            let mut before = at.to_vec();
            before[axis] = minus_one(at[axis].clone(), span);
            let parts =
                [before, at.to_vec()].map(|at| build::load(array.clone(), at, Boundary::Unchecked, span));
            let sum = apply(row, parts.to_vec(), &number, span);
            let (then, ()) = this.aside(|this| this.put(&array, at, sum, span));
            let later = integer("greater", at[axis].clone(), int(0, span), span);
            this.out.push(build::choice(later, then, Vec::new(), span));
        });
        true
    }

    /// The total so far is kept in a variable.
    fn scanned_vector(&mut self, variable: VarId, source: &Source, row: &str, span: Span) {
        self.allocate(variable, &source.dims, false, span);
        let array = self.body.read(variable, span);
        let number = element_type(&array.ty);
        let total = self.body.temporary(number.clone(), span);
        let so_far = self.body.read(total, span);
        let item = |k: Expr| build::convert(source.at(&[k]), &number);
        let (first, ()) = self.aside(|this| {
            this.out.push(build::assign(total, item(int(0, span))));
            this.put(&array, &[int(0, span)], so_far.clone(), span);
        });
        let counter = self.body.temporary(int_type(), span);
        let k = self.body.read(counter, span);
        let (body, ()) = self.aside(|this| {
            let next = apply(row, vec![so_far.clone(), item(k.clone())], &number, span);
            this.out.push(build::assign(total, next));
            this.put(&array, std::slice::from_ref(&k), so_far.clone(), span);
        });
        let last = minus_one(source.dims[0].clone(), span);
        let range = build::range(int(1, span), last.clone());
        // The loop has no iteration where there is no first element.
        self.out.push(build::assign(total, super::functions::zero(&number, span)));
        let some = integer("greater_equal", last, int(0, span), span);
        self.out.push(build::choice(some, first, Vec::new(), span));
        let attributes = LoopAttributes::default();
        self.push(StmtKind::For { variable: counter, range, body, attributes }, span);
    }

    /// The elements at whose places a condition is not 0: they are counted, and then stored side by side.
    pub(super) fn selected(&mut self, variable: VarId, args: &[Expr], span: Span) -> bool {
        let [x, condition] = args else { return false };
        let mark = self.out.len();
        let sources = (self.source(x), self.source(condition));
        let (Some(x), Some(condition)) = sources else {
            self.out.truncate(mark);
            return false;
        };
        if x.dims.len() != condition.dims.len() {
            self.out.truncate(mark);
            return false;
        }
        self.alike(&x.dims, &condition.dims, span);
        let counter = self.body.temporary(int_type(), span);
        let count = self.body.read(counter, span);
        let step = || build::assign(counter, integer("add", count.clone(), int(1, span), span));
        let holds = |at: &[Expr]| {
            let truth = condition.at(at);
            let nothing = super::functions::zero(&truth.ty, span);
            integer("not_equal", truth, nothing, span)
        };
        self.out.push(build::assign(counter, int(0, span)));
        self.loops(&x.dims, span, |this, at| {
            this.out.push(build::choice(holds(at), vec![step()], Vec::new(), span));
        });
        self.allocate(variable, std::slice::from_ref(&count), false, span);
        let target = self.body.read(variable, span);
        self.out.push(build::assign(counter, int(0, span)));
        self.loops(&x.dims, span, |this, at| {
            let (chosen, ()) = this.aside(|this| {
                this.put(&target, std::slice::from_ref(&count), x.at(at), span);
                this.out.push(step());
            });
            this.out.push(build::choice(holds(at), chosen, Vec::new(), span));
        });
        true
    }

    /// The first place of the extreme of a vector, which ignores NaN; 0 where there is nothing else.
    pub(super) fn place_of_extreme(&mut self, name: &str, x: &Expr, span: Span) -> Option<Expr> {
        let mut x = x.clone();
        if !matches!(x.kind, ExprKind::Load { .. }) {
            self.in_variable(&mut x).then_some(())?;
        }
        let source = self.source(&x).filter(|source| source.dims.len() == 1)?;
        let number = element_type(&x.ty);
        scalar(&number).filter(|element| !element.is_complex())?;
        self.not_empty(name, &source, span);
        let row = if name == "argmin" { "min" } else { "max" };
        let extreme = self.folded(row, &number, &source.dims, span, |at| source.at(at));
        let place = self.body.temporary(int_type(), span);
        self.out.push(build::assign(place, int(0, span)));
        self.loops(&source.dims, span, |this, at| {
            let found =
                vec![build::assign(place, at[0].clone()), Stmt::new(StmtKind::Break { levels: 0 }, span)];
            let same = integer("equal", source.at(at), extreme, span);
            this.out.push(build::choice(same, found, Vec::new(), span));
        });
        Some(self.body.read(place, span))
    }

    /// An array with one dimension backwards; a vector is a row.
    pub(super) fn turned(&mut self, x: &Expr, axis: usize) -> Option<Source> {
        let (mut x, rank) = (x.clone(), rank(&x.ty)?);
        let axis = if rank == 1 { axis.checked_sub(1) } else { Some(axis) };
        let Some(axis) = axis else { return self.source(&x) };
        self.in_variable(&mut x).then_some(())?;
        let span = x.span;
        let mut index = vec![Index::All; rank];
        let last = minus_one(build::extent(x.clone(), axis, span), span);
        let step = Some(int(-1, span));
        index[axis] = Index::Range(Range { from: last, step, to: int(0, span) });
        let ty = build::array_type(element_type(&x.ty), rank as u8);
        let kind = ExprKind::Load { array: Box::new(x), index, boundary: Boundary::Unchecked };
        self.source(&Expr::new(kind, ty, span))
    }
}
