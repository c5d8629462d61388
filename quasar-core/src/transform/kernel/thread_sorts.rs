//! Devices have no functions that sort: sorts and medians of arrays that threads make become loops.
//!
//! ```text
//! y = sort(x)              y = uninit(n), for k = 0..n-1: y[k] = x[k] ..
//!                          gap = n/2
//!                          while gap > 0
//!                              for i = gap..n-1: insert y[i] among y[i-gap], y[i-2*gap] ..
//!                              gap = gap/2
//! ```

use crate::ir::build::{self, int, int_type, of_ints};
use crate::ir::rewrite::expand_stmts;
use crate::ir::{Block, Body, Expr, ExprKind, Index, LoopAttributes, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::transform::kernel::thread_arrays::{element_type, number};
use crate::types::Boundary;
use crate::types::known::on_heap;

/// Runs the pass on one body.
pub(super) fn run(body: &mut Body) {
    let mut block = std::mem::take(&mut body.block);
    expand_stmts(&mut block, &mut |stmt| {
        let StmtKind::Assign { variable, value } = &stmt.kind else { return vec![stmt] };
        let ExprKind::Library { name: name @ ("sort" | "median"), args } = &value.kind else {
            return vec![stmt];
        };
        let [Expr { kind: ExprKind::Local(array), ty, .. }] = args.as_slice() else { return vec![stmt] };
        if !on_heap(ty) {
            return vec![stmt];
        }
        let (variable, array, is_sort) = (*variable, *array, *name == "sort");
        let mut made = Sorting { body, out: Block::new(), span: stmt.span };
        if is_sort {
            made.sort(array, variable);
        } else {
            made.median(array, variable);
        }
        made.out
    });
    body.block = block;
}

struct Sorting<'b> {
    body: &'b mut Body,
    out: Block,
    span: Span,
}

impl Sorting<'_> {
    /// The elements of an array in ascending order, NaN last, in another one.
    fn sort(&mut self, from: VarId, to: VarId) {
        if from != to {
            self.copy(from, to);
        }
        self.shell_sort(to);
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        let (source, ty) = (self.body.read(from, self.span), self.body.variables[to].ty.clone());
        let count = build::extent(source.clone(), 0, self.span);
        let made = ExprKind::Library { name: "uninit", args: vec![count.clone()] };
        self.out.push(build::assign(to, Expr::new(made, ty, self.span)));
        let k = self.int();
        let value = self.at(source, self.read(k));
        let each = self.put(to, self.read(k), value);
        self.out.push(self.each(k, int(0, self.span), count, vec![each]));
    }

    fn shell_sort(&mut self, of: VarId) {
        let array = self.body.read(of, self.span);
        let [gap, i, k] = [(); 3].map(|()| self.int());
        let kept = self.body.temporary(element_type(&array.ty), self.span);
        let item = self.body.read(kept, self.span);
        let count = build::extent(array.clone(), 0, self.span);
        let before = || self.at(array.clone(), of_ints("subtract", self.read(k), self.read(gap)));
        let later =
            build::or(of_ints("greater", before(), item.clone()), of_ints("not_equal", before(), before()));
        let condition = build::and(of_ints("greater_equal", self.read(k), self.read(gap)), later);
        let shift = vec![
            self.put(of, self.read(k), before()),
            build::assign(k, of_ints("subtract", self.read(k), self.read(gap))),
        ];
        let insert = vec![
            build::assign(kept, self.at(array.clone(), self.read(i))),
            build::assign(k, self.read(i)),
            self.stmt(StmtKind::While { condition, body: shift }),
            self.put(of, self.read(k), item),
        ];
        let round = self.each(i, self.read(gap), count.clone(), insert);
        let next = build::assign(gap, half(self.read(gap)));
        let condition = of_ints("greater", self.read(gap), int(0, self.span));
        self.out.push(build::assign(gap, half(count)));
        self.out.push(self.stmt(StmtKind::While { condition, body: vec![round, next] }));
    }

    /// The middle of the ascending order, or the mean of the two there; NaN of no elements. The array itself stays as it is.
    fn median(&mut self, of: VarId, result: VarId) {
        let ty = self.body.variables[result].ty.clone();
        let list = self.body.temporary(self.body.variables[of].ty.clone(), self.span);
        self.sort(of, list);
        let array = self.body.read(list, self.span);
        let count = build::extent(array.clone(), 0, self.span);
        let one = int(1, self.span);
        let places = [half(of_ints("subtract", count.clone(), one)), half(count.clone())];
        let [low, high] = [(); 2].map(|()| self.body.temporary(ty.clone(), self.span));
        let mut then: Block = [low, high]
            .into_iter()
            .zip(places)
            .map(|(v, place)| build::assign(v, self.at(array.clone(), place)))
            .collect();
        let [low, high] = [low, high].map(|v| self.body.read(v, self.span));
        let apply = |name: &str, args| build::apply(build::row(name), args, ty.clone(), self.span);
        let halves =
            [&low, &high].map(|x| apply("divide", vec![x.clone(), number(2.0, &ty, self.span)])).to_vec();
        let middle = apply("add", halves);
        let alike = of_ints("equal", low.clone(), high);
        then.push(build::assign(result, build::select(alike, low, middle)));
        let otherwise = vec![build::assign(result, number(f64::NAN, &ty, self.span))];
        let some = of_ints("greater", count, int(0, self.span));
        self.out.push(build::choice(some, then, otherwise, self.span));
    }

    fn int(&mut self) -> VarId {
        self.body.temporary(int_type(), self.span)
    }

    fn read(&self, v: VarId) -> Expr {
        self.body.read(v, self.span)
    }

    fn at(&self, array: Expr, index: Expr) -> Expr {
        build::load(array, vec![index], Boundary::Unchecked, self.span)
    }

    fn put(&self, array: VarId, index: Expr, value: Expr) -> Stmt {
        let (array, index) = (self.read(array), vec![Index::At(index)]);
        self.stmt(StmtKind::Store { array, index, boundary: Boundary::Unchecked, value })
    }

    /// A loop from a number to the one before `end`.
    fn each(&self, variable: VarId, from: Expr, end: Expr, body: Block) -> Stmt {
        let range = build::range(from, of_ints("subtract", end, int(1, self.span)));
        self.stmt(StmtKind::For { variable, range, body, attributes: LoopAttributes::default() })
    }

    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt::new(kind, self.span)
    }
}

/// Half of a number that is not negative.
fn half(value: Expr) -> Expr {
    let span = value.span;
    of_ints("shr", value, int(1, span))
}
