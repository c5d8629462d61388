//! Thread arrays: arrays in kernels and device functions whose size is known at run time only. Each becomes an
//! allocation, and computations with it become loops over elements:
//!
//! ```text
//! w = x[p, 0..n-1] .* 2         w = uninit(n)
//!                               for k = 0..n-1
//!                                   w[k] = x[p, k] * 2
//!                               endfor
//! ```
//!
//! After this pass such variables are assigned in five ways only: `zeros` or `uninit` with one extent per dimension,
//! another such variable, `reshape` of one with a list of extents (the same elements), `sort` of one, and calls. Numbers are
//! computed of whole arrays by `median` only. What cannot be brought into this form is left alone, and the back ends report it
//! as not supported.

mod counts;
mod elimination;
mod functions;
mod joining;
mod ordered;
mod source;
mod stores;

pub(super) use functions::number;

use crate::ir::build::{self, int, int_type};
use crate::ir::rewrite::{children, children_mut, operands_mut, same, sets, stored_in, visit, visit_stmts};
use crate::ir::{
    Block, Body, Expr, ExprKind, Failure, Index, LoopAttributes, Range, Stmt, StmtKind, VarId, VarSet,
};
use crate::source::Span;
use crate::types::known::{is_kept, is_long, on_heap};
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::find;

/// Runs the pass on one body.
pub(super) fn run(body: &mut Body) {
    if !mentions_arrays(&body.block) {
        return;
    }
    let block = std::mem::take(&mut body.block);
    let names = Names::of(&block);
    let mut pass = Pass {
        body,
        out: Block::new(),
        changed: names.changed,
        called: names.called,
        renames: names.renames,
        kept: Vec::new(),
    };
    let block = pass.block(block);
    pass.body.block = block;
}

/// Variables that may alias an array that is modified.
struct Names {
    changed: VarSet,
    /// What functions get and give, which may be the same array.
    called: VarSet,
    /// Whether any variable aliases an array at all.
    renames: bool,
}

impl Names {
    fn of(block: &[Stmt]) -> Names {
        let (mut changed, mut called) = (stored_in(block), VarSet::new());
        let mut pairs = Vec::new();
        visit_stmts(block, &mut |stmt| match &stmt.kind {
            StmtKind::Call { args, .. } => {
                args.iter().for_each(|arg| named(arg, &mut |array| _ = called.insert(array)));
                sets(stmt, &mut |result| _ = called.insert(*result));
                args.iter().for_each(|arg| named(arg, &mut |array| _ = changed.insert(array)));
            }
            StmtKind::Assign { variable, value } => {
                named(value, &mut |other| pairs.push((*variable, other)));
            }
            _ => {}
        });
        // Fixpoint: a modification through one alias affects all of them.
        for _ in 0..=pairs.len() {
            for (a, b) in &pairs {
                if changed.contains(a) || changed.contains(b) {
                    changed.insert(*a);
                    changed.insert(*b);
                }
            }
        }
        Names { changed, called, renames: !pairs.is_empty() }
    }
}

/// Visits the arrays that an expression may alias.
fn named(e: &Expr, found: &mut dyn FnMut(VarId)) {
    match &e.kind {
        ExprKind::Local(v) if matches!(e.ty, Type::Array(_)) => found(*v),
        ExprKind::Convert(inner) => named(inner, found),
        ExprKind::Select { then, otherwise, .. } => {
            named(then, found);
            named(otherwise, found);
        }
        ExprKind::Library { name: "reshape", args } => args.iter().take(1).for_each(|x| named(x, found)),
        _ => {}
    }
}

/// Whether there is anything to do.
fn mentions_arrays(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        crate::ir::rewrite::operands(stmt, &mut |e| found |= needs_memory(e));
        if let StmtKind::Store { index, value, .. } | StmtKind::Update { index, value, .. } = &stmt.kind {
            found |= matches!(value.ty, Type::Array(_)) || index.iter().any(|i| matches!(i, Index::List(_)));
        }
        found |= matches!(stmt.kind, StmtKind::ForEach { .. });
    });
    found
}

/// Whether back ends print the value of a long array: what it is made of, or a list of numbers.
fn is_printed(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Local(_) | ExprKind::Library { name: "zeros" | "uninit" | "czeros" | "cuninit", .. } => {
            true
        }
        ExprKind::Array(items) => {
            items.iter().all(|item| !matches!(item.ty, Type::Array(_)) || is_printed(item))
        }
        _ => false,
    }
}

/// Whether an expression has a subexpression that is an array in memory, or that operates on a whole one.
fn needs_memory(e: &Expr) -> bool {
    if on_heap(&e.ty) && !matches!(e.kind, ExprKind::Local(_)) || is_long(&e.ty) && !is_printed(e) {
        return true;
    }
    let of_long = matches!(e.kind, ExprKind::Library { .. } | ExprKind::Reduce { .. });
    let mut found = false;
    let whole = !matches!(e.kind, ExprKind::Load { .. } | ExprKind::Extent(..) | ExprKind::Count(_));
    children(e, &mut |child| {
        found |= needs_memory(child)
            || whole && on_heap(&child.ty)
            || of_long && is_long(&child.ty)
            || matches!(e.kind, ExprKind::Load { .. }) && is_selection(e);
    });
    found
}

/// Whether an array has slices whose indices are tested.
fn tests_slices(array: &Expr) -> bool {
    let mut found = false;
    visit(array, &mut |e| {
        found |= matches!(&e.kind, ExprKind::Load { boundary: Boundary::Checked, .. }) && on_heap(&e.ty);
    });
    found
}

/// Whether a load gathers elements through an index list.
fn is_selection(e: &Expr) -> bool {
    let ExprKind::Load { array, index, .. } = &e.kind else { return false };
    on_heap(&array.ty) && index.iter().any(|i| matches!(i, Index::List(list) if on_heap(&list.ty)))
}

struct Pass<'b> {
    body: &'b mut Body,
    /// Statements emitted so far.
    out: Block,
    /// Arrays whose elements may change.
    changed: VarSet,
    /// Arrays that functions get and give.
    called: VarSet,
    renames: bool,
    /// Numbers that the statement has computed so far, and the variables that hold them.
    kept: Vec<(Expr, VarId)>,
}

impl Pass<'_> {
    fn block(&mut self, block: Block) -> Block {
        let outer = std::mem::take(&mut self.out);
        for stmt in block {
            // What the statement before has set may be read again.
            self.kept.clear();
            self.stmt(stmt);
        }
        self.kept.clear();
        std::mem::replace(&mut self.out, outer)
    }

    /// Collects the statements that `f` emits.
    fn aside<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> (Block, R) {
        let (outer, kept) = (std::mem::take(&mut self.out), self.kept.len());
        let result = f(self);
        self.kept.truncate(kept);
        (std::mem::replace(&mut self.out, outer), result)
    }

    fn push(&mut self, kind: StmtKind, span: Span) {
        self.out.push(Stmt::new(kind, span));
    }

    fn stmt(&mut self, mut stmt: Stmt) {
        let span = stmt.span;
        match stmt.kind {
            StmtKind::If { mut condition, then, otherwise } => {
                self.scalar(&mut condition);
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                self.push(StmtKind::If { condition, then, otherwise }, span);
            }
            StmtKind::For { variable, mut range, body, attributes } => {
                self.range(&mut range);
                let body = self.block(body);
                self.push(StmtKind::For { variable, range, body, attributes }, span);
            }
            StmtKind::ForEach { variable, over, body, attributes } => {
                self.for_each(variable, over, body, attributes, span);
            }
            StmtKind::While { mut condition, body } => {
                let (mut before, ()) = self.aside(|this| this.scalar(&mut condition));
                let mut body = self.block(body);
                if !before.is_empty() {
                    let go_on = std::mem::replace(&mut condition, int(1, span));
                    let leave = vec![Stmt::new(StmtKind::Break { levels: 0 }, span)];
                    before.push(build::choice(go_on, Vec::new(), leave, span));
                    before.append(&mut body);
                    body = before;
                }
                self.push(StmtKind::While { condition, body }, span);
            }
            StmtKind::Repeat { body, test, mut until } => {
                let body = self.block(body);
                let mut test = self.block(test);
                let (mut before, ()) = self.aside(|this| this.scalar(&mut until));
                test.append(&mut before);
                self.push(StmtKind::Repeat { body, test, until }, span);
            }
            StmtKind::Assign { variable, value } => self.assign(variable, value, span),
            StmtKind::Store { .. } | StmtKind::Update { .. } => self.store(stmt),
            StmtKind::Call { function, mut args, results } => {
                args.iter_mut().for_each(|arg| self.argument(arg));
                self.push(StmtKind::Call { function, args, results }, span);
            }
            _ => {
                operands_mut(&mut stmt, &mut |e| self.scalar(e));
                self.out.push(stmt);
            }
        }
    }

    fn assign(&mut self, variable: VarId, mut value: Expr, span: Span) {
        let ty = &self.body.variables[variable].ty;
        // A value that is computed from other arrays needs no variable of its own.
        let direct = matches!(ty, Type::Array(_))
            && !on_heap(ty)
            && build::same_type(ty, &value.ty)
            && !crate::ir::rewrite::variables(&value).contains(&variable);
        if needs_memory(&value) && (is_long(ty) || direct) {
            let long = is_long(ty);
            let mark = self.out.len();
            let filled = if long { self.long(variable, &value) } else { self.small(variable, &value) };
            if filled {
                return;
            }
            self.out.truncate(mark);
        }
        if !on_heap(&self.body.variables[variable].ty) {
            self.scalar(&mut value);
            return self.push(StmtKind::Assign { variable, value }, span);
        }
        if !self.array(variable, &value) {
            // Reported by the back ends.
            self.push(StmtKind::Assign { variable, value }, span);
        }
    }

    /// An array argument of a function.
    fn argument(&mut self, arg: &mut Expr) {
        let own_name = match &arg.kind {
            ExprKind::Local(_) => true,
            ExprKind::Convert(inner) => matches!(inner.kind, ExprKind::Local(v) if self.is_outside(v)),
            _ => false,
        };
        if is_kept(&arg.ty) && !own_name {
            self.in_variable(arg);
        } else if !own_name {
            self.scalar(arg);
        }
    }

    fn for_each(&mut self, variable: VarId, over: Expr, body: Block, attributes: LoopAttributes, span: Span) {
        let mut items = over;
        if !self.in_variable(&mut items) || crate::types::known::rank(&items.ty) != Some(1) {
            let body = self.block(body);
            return self.push(StmtKind::ForEach { variable, over: items, body, attributes }, span);
        }
        let k = self.body.temporary(int_type(), span);
        let at = build::local(k, int_type(), span);
        let item = build::load(items.clone(), vec![at], Boundary::Unchecked, span);
        let item = build::convert(item, &self.body.variables[variable].ty);
        let mut inner = vec![build::assign(variable, item)];
        inner.append(&mut self.block(body));
        let count = Expr::new(ExprKind::Count(Box::new(items)), int_type(), span);
        let range = build::range(int(0, span), minus_one(count, span));
        self.push(StmtKind::For { variable: k, range, body: inner, attributes }, span);
    }

    fn range(&mut self, range: &mut Range) {
        self.scalar(&mut range.from);
        if let Some(step) = &mut range.step {
            self.scalar(step);
        }
        self.scalar(&mut range.to);
    }

    /// Removes arrays in memory from an expression that is not one itself.
    fn scalar(&mut self, e: &mut Expr) {
        if !needs_memory(e) {
            return;
        }
        let span = e.span;
        match &mut e.kind {
            ExprKind::And(a, b) | ExprKind::Or(a, b) if needs_memory(b) => {
                let (a, b) = ((**a).clone(), (**b).clone());
                let is_and = matches!(e.kind, ExprKind::And(..));
                *e = self.circuit(a, b, is_and, span);
            }
            ExprKind::Select { condition, then, otherwise }
                if needs_memory(then) || needs_memory(otherwise) =>
            {
                let (mut condition, then, otherwise) =
                    ((**condition).clone(), (**then).clone(), (**otherwise).clone());
                self.scalar(&mut condition);
                let result = self.body.temporary(e.ty.clone(), span);
                let (then, ()) = self.aside(|this| this.assign(result, then, span));
                let (otherwise, ()) = self.aside(|this| this.assign(result, otherwise, span));
                self.out.push(build::choice(condition, then, otherwise, span));
                *e = build::local(result, e.ty.clone(), span);
            }
            ExprKind::Load { array, index, .. } if !matches!(e.ty, Type::Array(_)) => {
                if on_heap(&array.ty) {
                    self.in_variable(array);
                } else {
                    self.scalar(array);
                }
                for each in index {
                    if let Index::At(at) = each {
                        self.scalar(at);
                    }
                }
            }
            ExprKind::Extent(array, _) | ExprKind::Count(array)
                if on_heap(&array.ty) && tests_slices(array) =>
            {
                // The slice fails although its elements are not read.
                if self.in_variable(array) {
                    self.scalar(e);
                }
            }
            ExprKind::Extent(array, axis) if on_heap(&array.ty) => {
                if let Some(found) = self.source(array) {
                    *e = found.dims.get(*axis).cloned().unwrap_or_else(|| int(1, span));
                }
            }
            ExprKind::Count(array) if on_heap(&array.ty) => {
                if let Some(found) = self.source(array) {
                    *e = product(&found.dims, span);
                }
            }
            _ if matches!(e.ty, Type::Array(_)) && !on_heap(&e.ty) => {
                let result = self.body.temporary(e.ty.clone(), span);
                if self.small(result, e) {
                    *e = build::local(result, e.ty.clone(), span);
                } else {
                    children_mut(e, &mut |child| self.scalar(child));
                }
            }
            _ => match self.number(e) {
                Some(number) => *e = number,
                None => children_mut(e, &mut |child| {
                    if !on_heap(&child.ty) {
                        self.scalar(child);
                    }
                }),
            },
        }
    }

    /// `a && b` or `a || b` where `b` needs statements in front of it.
    fn circuit(&mut self, mut a: Expr, b: Expr, is_and: bool, span: Span) -> Expr {
        self.scalar(&mut a);
        let result = self.body.temporary(int_type(), span);
        let (second, ()) = self.aside(|this| {
            let mut b = b;
            this.scalar(&mut b);
            let truth = Expr::new(ExprKind::Or(Box::new(b), Box::new(int(0, span))), int_type(), span);
            this.out.push(build::assign(result, truth));
        });
        let other = vec![build::assign(result, int(i32::from(!is_and), span))];
        let (then, otherwise) = if is_and { (second, other) } else { (other, second) };
        self.out.push(build::choice(a, then, otherwise, span));
        build::local(result, int_type(), span)
    }

    /// Assigns an array to a variable unless it is one; returns whether that was possible.
    fn in_variable(&mut self, e: &mut Expr) -> bool {
        if matches!(e.kind, ExprKind::Local(_)) {
            return true;
        }
        let variable = self.body.temporary(e.ty.clone(), e.span);
        let found = if on_heap(&e.ty) { self.array(variable, e) } else { self.small(variable, e) };
        if found {
            *e = build::local(variable, e.ty.clone(), e.span);
        }
        found
    }

    /// A scalar in a form that is free to repeat.
    fn keep(&mut self, mut value: Expr) -> Expr {
        self.scalar(&mut value);
        let is_extent = matches!(&value.kind, ExprKind::Extent(a, _) if matches!(a.kind, ExprKind::Local(_)));
        if value.is_atom() && !matches!(value.kind, ExprKind::Local(_)) || is_extent {
            return value;
        }
        let (ty, span) = (value.ty.clone(), value.span);
        if let Some((_, variable)) = self.kept.iter().find(|(kept, _)| same(kept, &value)) {
            return build::local(*variable, ty, span);
        }
        let variable = self.body.temporary(ty.clone(), span);
        if counts::is_fixed(&value) {
            self.kept.push((value.clone(), variable));
        }
        self.out.push(build::assign(variable, value));
        build::local(variable, ty, span)
    }

    /// Whether a variable is an array that the thread did not allocate: a parameter or a shared array.
    fn is_outside(&self, variable: VarId) -> bool {
        let declared = &self.body.variables[variable];
        self.body.params.contains(&variable) || declared.storage == crate::ir::Storage::Shared
    }

    /// Nested loops over all elements of an array; `f` emits the body for a multi-index.
    fn loops(&mut self, dims: &[Expr], span: Span, f: impl FnOnce(&mut Self, &[Expr])) {
        let counters: Vec<VarId> = dims.iter().map(|_| self.body.temporary(int_type(), span)).collect();
        let at: Vec<Expr> = counters.iter().map(|k| build::local(*k, int_type(), span)).collect();
        let (mut body, ()) = self.aside(|this| f(this, &at));
        for (&variable, dim) in counters.iter().zip(dims).rev() {
            let range = build::range(int(0, span), minus_one(dim.clone(), span));
            let attributes = LoopAttributes::default();
            body = vec![Stmt::new(StmtKind::For { variable, range, body, attributes }, span)];
        }
        self.out.append(&mut body);
    }

    /// Fails with a message if a condition holds.
    fn fail_if(&mut self, condition: Expr, failure: Failure, message: Vec<Expr>, span: Span) {
        let fail = vec![Stmt::new(StmtKind::Fail { failure, message }, span)];
        self.out.push(build::choice(condition, fail, Vec::new(), span));
    }
}

fn apply(name: &str, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
    let row = find(name).expect("a row that the table has");
    build::apply(row, args, ty.clone(), span)
}

/// An operation on two integers, computed here where both are known.
fn integer(name: &str, a: Expr, b: Expr, span: Span) -> Expr {
    let known = |f: fn(i32, i32) -> i32| Some(int(f(a.constant_int()?, b.constant_int()?), span));
    let known = match name {
        "add" => known(i32::wrapping_add),
        "subtract" => known(i32::wrapping_sub),
        "multiply" => known(i32::wrapping_mul),
        _ => None,
    };
    if let Some(known) = known {
        return known;
    }
    apply(name, vec![a, b], &int_type(), span)
}

fn minus_one(value: Expr, span: Span) -> Expr {
    integer("subtract", value, int(1, span), span)
}

fn product(dims: &[Expr], span: Span) -> Expr {
    let dims = dims.iter().cloned();
    dims.reduce(|a, b| integer("multiply", a, b, span)).unwrap_or_else(|| int(1, span))
}

fn text(words: &str, span: Span) -> Expr {
    Expr::new(ExprKind::Text(words.to_owned()), Type::Text, span)
}

pub(super) fn element_type(ty: &Type) -> Type {
    match ty {
        Type::Array(array) => (*array.element).clone(),
        other => other.clone(),
    }
}
