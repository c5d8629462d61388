//! Library functions that return arrays of run-time size, or scalars computed from them.

use super::source::{Source, extents_text};
use super::{Pass, apply, element_type, integer, minus_one, product, text};
use crate::ir::build::{self, int, int_type, scalar_type};
use crate::ir::rewrite::variables;
use crate::ir::{Expr, ExprKind, Failure, LoopAttributes, Range, StmtKind, VarId};
use crate::source::Span;
use crate::types::known::{array_element, is_long, on_heap, rank, scalar};
use crate::types::{Boundary, ElementType, Type};
use quasar_devicelib::element::Scalar;

impl Pass<'_> {
    /// `variable = value` for an array in memory. Returns whether the value has a supported form.
    pub(super) fn array(&mut self, variable: VarId, value: &Expr) -> bool {
        if matches!(value.kind, ExprKind::Local(_)) || !variables(value).contains(&variable) {
            return self.assign_to(variable, value);
        }
        if self.changes_in_place(variable, value) {
            return true;
        }
        // The value reads the variable, so it is built in a new array first.
        let ty = self.body.variables[variable].ty.clone();
        let fresh = self.body.temporary(ty.clone(), value.span);
        let found = self.assign_to(fresh, value);
        if found {
            self.out.push(build::assign(variable, build::local(fresh, ty, value.span)));
        }
        found
    }

    /// `w = w / sum(w)`, where each element depends on itself alone, and no other variable is the same array.
    fn changes_in_place(&mut self, variable: VarId, value: &Expr) -> bool {
        let ty = self.body.variables[variable].ty.clone();
        let alone = !self.renames && !self.called.contains(&variable) && !self.is_outside(variable);
        if !alone || element_type(&ty) != element_type(&value.ty) || !is_elementwise(value, variable) {
            return false;
        }
        let mark = self.out.len();
        let Some(source) = self.source(value).filter(|source| Some(source.dims.len()) == rank(&ty)) else {
            self.out.truncate(mark);
            return false;
        };
        let target = self.body.read(variable, value.span);
        self.loops(&source.dims, value.span, |this, at| this.put(&target, at, source.at(at), value.span));
        true
    }

    fn assign_to(&mut self, variable: VarId, value: &Expr) -> bool {
        let span = value.span;
        match &value.kind {
            ExprKind::Local(from) if !self.is_outside(*from) && on_heap(&value.ty) => {
                self.out.push(build::assign(variable, value.clone()));
                true
            }
            // Aliases a parameter or shared array: copying is right only if neither is modified.
            ExprKind::Local(from) if self.changed.contains(from) || self.changed.contains(&variable) => false,
            ExprKind::Convert(inner) => self.converted(variable, inner, value),
            ExprKind::Library { name: name @ ("zeros" | "uninit" | "czeros" | "cuninit"), args } => {
                let Some(dims) = self.sizes(name, args, &value.ty) else { return false };
                self.allocate(variable, &dims, name.ends_with("zeros"), span);
                true
            }
            ExprKind::Library { name: name @ ("horzcat" | "vertcat" | "cat"), args } => {
                self.joined(variable, name, args, span)
            }
            ExprKind::Library { name: name @ ("mean" | "var" | "std" | "any" | "all"), args } => {
                self.statistics(variable, name, args, span)
            }
            ExprKind::Library { name: "reshape", args } => self.reshaped(variable, args, &value.ty, span),
            ExprKind::Select { condition, then, otherwise } => {
                let mut condition = (**condition).clone();
                self.scalar(&mut condition);
                let (first, yes) = self.aside(|this| this.array(variable, then));
                let (second, no) = self.aside(|this| this.array(variable, otherwise));
                self.out.push(build::choice(condition, first, second, span));
                yes && no
            }
            ExprKind::Array(items) => self.stacked(variable, items, span),
            ExprKind::Sequence(range) => self.sequence(variable, (**range).clone(), span),
            ExprKind::Library { name: "seq", args } => match args.as_slice() {
                [from, to] => self.sequence(variable, build::range(from.clone(), to.clone()), span),
                [from, to, step] => {
                    let step = Some(step.clone());
                    self.sequence(variable, Range { from: from.clone(), step, to: to.clone() }, span)
                }
                _ => false,
            },
            ExprKind::Library { name: "matmul", args } => self.matmul(variable, args, &value.ty, span),
            ExprKind::Library { name: "inv" | "solve", args } => self.solved(variable, args, &value.ty, span),
            ExprKind::Library { name: "linspace", args } => self.linspace(variable, args, span),
            ExprKind::Library { name: "sort", args } => match args.as_slice() {
                [x] if rank(&x.ty) == Some(1) => self.sorted(variable, x, span),
                _ => false,
            },
            ExprKind::Library { name: "cumsum" | "cumprod" | "cummin" | "cummax", .. } => {
                self.scanned(variable, value)
            }
            ExprKind::Library { name: "selected", args } => self.selected(variable, args, span),
            ExprKind::Reduce { .. } => self.along_axis(variable, value),
            ExprKind::Local(_) | ExprKind::Apply { .. } | ExprKind::Load { .. } => {
                self.filled(variable, value)
            }
            ExprKind::Library { name, args } => match self.function(name, args, value) {
                Some(source) => {
                    self.fill(variable, &source, false, span);
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    fn filled(&mut self, variable: VarId, value: &Expr) -> bool {
        let Some(source) = self.source(value) else { return false };
        self.fill(variable, &source, false, value.span);
        true
    }

    /// As `array`, for an array of known size: a small one whose value is computed from arrays in memory, or a long one.
    pub(super) fn small(&mut self, variable: VarId, value: &Expr) -> bool {
        let span = value.span;
        let source = match &value.kind {
            ExprKind::Apply { .. } | ExprKind::Convert(_) | ExprKind::Load { .. } => self.source(value),
            ExprKind::Library { name, args } => match self.function(name, args, value) {
                None if is_long(&value.ty) && is_filled(name) => return self.assign_to(variable, value),
                None => self.made_in_memory(value),
                found => found,
            },
            ExprKind::Array(_) | ExprKind::Sequence(_) if is_long(&value.ty) => {
                return self.assign_to(variable, value);
            }
            ExprKind::Reduce { .. } => return self.along_axis(variable, value),
            _ => self.made_in_memory(value),
        };
        let (Some(mut source), Some(sizes)) = (source, crate::types::known::fixed(&value.ty)) else {
            return false;
        };
        let sizes: Vec<Expr> = sizes.iter().map(|n| int(*n as i32, span)).collect();
        if sizes.len() != source.dims.len() {
            return false;
        }
        self.alike(&sizes, &source.dims, span);
        source.dims = sizes;
        self.fill(variable, &source, false, span);
        true
    }

    /// As `array`, for a long one.
    pub(super) fn long(&mut self, variable: VarId, value: &Expr) -> bool {
        if !variables(value).contains(&variable) {
            return self.small(variable, value);
        }
        if self.changes_in_place(variable, value) {
            return true;
        }
        let made = self.body.temporary(self.body.variables[variable].ty.clone(), value.span);
        if !self.small(made, value) {
            return false;
        }
        let made = self.body.read(made, value.span);
        self.filled(variable, &made)
    }

    /// An array of known size that is made as one whose size is known at run time.
    fn made_in_memory(&mut self, value: &Expr) -> Option<Source> {
        let ty = build::array_type(element_type(&value.ty), rank(&value.ty)? as u8);
        let made = self.body.temporary(ty.clone(), value.span);
        let value = Expr { ty, ..value.clone() };
        self.array(made, &value).then_some(())?;
        let made = self.body.read(made, value.span);
        self.source(&made)
    }

    fn converted(&mut self, variable: VarId, inner: &Expr, value: &Expr) -> bool {
        let to = rank(&value.ty);
        if array_element(&inner.ty) == array_element(&value.ty)
            && on_heap(&inner.ty)
            && !matches!(inner.kind, ExprKind::Local(v) if self.is_outside(v))
        {
            if build::same_type(&inner.ty, &self.body.variables[variable].ty) {
                return self.array(variable, inner);
            }
            // A reshape: other dimensions of the same elements, or extents that only one of the types knows.
            let mut array = inner.clone();
            if !self.in_variable(&mut array) {
                return false;
            }
            let Some(source) = self.source(&array) else { return false };
            let dims = source.raised(to.unwrap_or(0)).dims;
            return Some(dims.len()) == to && self.same_elements(variable, array, dims, value.span);
        }
        self.filled(variable, value)
    }

    fn same_elements(&mut self, variable: VarId, array: Expr, dims: Vec<Expr>, span: Span) -> bool {
        let args = [vec![array], dims].concat();
        let ty = self.body.variables[variable].ty.clone();
        let value = Expr::new(ExprKind::Library { name: "reshape", args }, ty, span);
        self.out.push(build::assign(variable, value));
        true
    }

    /// The extents passed to a function, one per dimension of the result.
    fn dims(&mut self, args: &[Expr], ty: &Type) -> Option<Vec<Expr>> {
        let rank = rank(ty)?;
        let mut dims = Vec::new();
        match args {
            [list] if matches!(list.ty, Type::Array(_)) => {
                if let ExprKind::Array(items) = &list.kind {
                    dims.extend(items.iter().cloned());
                } else {
                    let mut list = list.clone();
                    self.in_variable(&mut list);
                    let source = self.source(&list)?;
                    let count = source.dims.first().and_then(Expr::constant_int)?;
                    dims.extend((0..count).map(|k| source.at(&[int(k, list.span)])));
                }
            }
            numbers => dims.extend(numbers.iter().cloned()),
        }
        while dims.len() > rank && dims.last().and_then(Expr::constant_int) == Some(1) {
            dims.pop();
        }
        let dims: Vec<Expr> =
            dims.into_iter().map(|dim| self.keep(build::convert(dim, &int_type()))).collect();
        (dims.len() == rank).then_some(dims)
    }

    /// As `dims`, with a check for functions that reject negative extents.
    fn sizes(&mut self, name: &str, args: &[Expr], ty: &Type) -> Option<Vec<Expr>> {
        let dims = self.dims(args, ty)?;
        for dim in &dims {
            let span = dim.span;
            let is_size = matches!(dim.kind, ExprKind::Extent(..));
            if !is_size && dim.constant_int().is_none_or(|n| n < 0) {
                let negative = integer("less", dim.clone(), int(0, span), span);
                let said = text(&format!("{name}: a size must not be negative, found "), span);
                self.fail_if(negative, Failure::Argument, vec![said, dim.clone()], span);
            }
        }
        Some(dims)
    }

    fn reshaped(&mut self, variable: VarId, args: &[Expr], ty: &Type, span: Span) -> bool {
        let Some((x, dims)) = args.split_first() else { return false };
        let mut array = x.clone();
        let outside = matches!(x.kind, ExprKind::Local(v) if self.is_outside(v)) || !on_heap(&x.ty);
        if outside {
            let Some(rank) = rank(&x.ty) else { return false };
            let copy = build::array_type(element_type(&x.ty), rank as u8);
            let copy = self.body.temporary(copy, span);
            let mut is_changed = self.changed.contains(&variable);
            super::named(x, &mut |array| is_changed |= self.changed.contains(&array));
            if is_changed {
                return false;
            }
            if !self.filled(copy, x) {
                return false;
            }
            array = self.body.read(copy, span);
        } else if !self.in_variable(&mut array) {
            return false;
        }
        let Some(mut dims) = self.dims(dims, ty) else { return false };
        let count = Expr::new(ExprKind::Count(Box::new(array.clone())), int_type(), span);
        if let Some(open) = dims.iter().position(|dim| dim.constant_int() == Some(-1)) {
            let others = [&dims[..open], &dims[open + 1..]].concat();
            dims[open] = self.quotient(count.clone(), product(&others, span), span);
        }
        let differs = integer("not_equal", product(&dims, span), count.clone(), span);
        let mut message = vec![text("reshape: ", span), count];
        message.push(text(" elements do not fill an array of size ", span));
        message.extend(extents_text(&dims, span));
        self.fail_if(differs, Failure::Argument, message, span);
        self.same_elements(variable, array, dims, span)
    }

    /// Arrays stacked as the rows of one.
    fn stacked(&mut self, variable: VarId, items: &[Expr], span: Span) -> bool {
        let mut sources: Vec<Source> = Vec::new();
        for item in items {
            let Some(source) = self.source(item).filter(|_| matches!(item.ty, Type::Array(_))) else {
                return false;
            };
            if let Some(first) = sources.first() {
                if first.dims.len() != source.dims.len() {
                    return false;
                }
                self.alike(&first.dims.clone(), &source.dims, span);
            }
            sources.push(source);
        }
        let Some(first) = sources.first() else { return false };
        let dims = [vec![int(items.len() as i32, span)], first.dims.clone()].concat();
        self.allocate(variable, &dims, false, span);
        let target = self.body.read(variable, span);
        for (row, source) in sources.iter().enumerate() {
            self.loops(&dims[1..], span, |this, at| {
                let place = [vec![int(row as i32, span)], at.to_vec()].concat();
                this.put(&target, &place, source.at(at), span);
            });
        }
        true
    }

    fn sequence(&mut self, variable: VarId, mut range: Range, span: Span) -> bool {
        range.from = self.keep(range.from);
        range.to = self.keep(range.to);
        range.step = range.step.map(|step| self.keep(step));
        let count = self.counted(&range);
        self.allocate(variable, std::slice::from_ref(&count), false, span);
        let (target, next) = (self.body.read(variable, span), self.body.temporary(int_type(), span));
        self.out.push(build::assign(next, int(0, span)));
        let at = build::local(next, int_type(), span);
        let value = self.body.temporary(range.from.ty.clone(), span);
        let read = self.body.read(value, span);
        let (body, ()) = self.aside(|this| {
            this.put(&target, std::slice::from_ref(&at), read, span);
            this.out.push(build::assign(next, integer("add", at.clone(), int(1, span), span)));
        });
        let attributes = LoopAttributes::default();
        self.push(StmtKind::For { variable: value, range, body, attributes }, span);
        true
    }

    /// As in the library: both ends are exact.
    fn linspace(&mut self, variable: VarId, args: &[Expr], span: Span) -> bool {
        let [a, b, n] = args else { return false };
        let double = scalar_type(ElementType::Double);
        let ty = self.body.variables[variable].ty.clone();
        let [a, b] = [a, b].map(|x| self.keep(build::convert(x.clone(), &double)));
        let Some(dims) = self.sizes("linspace", std::slice::from_ref(n), &ty) else { return false };
        self.allocate(variable, &dims, false, span);
        let target = self.body.read(variable, span);
        let last = minus_one(dims[0].clone(), span);
        self.loops(&dims, span, |this, at| {
            let part = |x: &Expr| build::convert(x.clone(), &double);
            let ratio = apply("divide", vec![part(&at[0]), part(&last)], &double, span);
            let width = apply("subtract", vec![b.clone(), a.clone()], &double, span);
            let way = apply("multiply", vec![width, ratio], &double, span);
            let inside = apply("add", vec![a.clone(), way], &double, span);
            let is_last = integer("equal", at[0].clone(), last.clone(), span);
            let value = build::select(is_last, b.clone(), inside);
            this.put(&target, at, value, span);
        });
        true
    }

    fn matmul(&mut self, variable: VarId, args: &[Expr], ty: &Type, span: Span) -> bool {
        let [a, b] = args else { return false };
        let (Some(a), Some(mut b)) = (self.source(a), self.source(b)) else { return false };
        if rank(ty) == Some(2) && b.dims.len() == 1 {
            // A column times a row.
            b = b.raised(2);
        }
        let number = element_type(ty);
        let (column, row) = (b.dims.len() == 1, a.dims.len() == 1);
        if a.dims.len() > 2 || b.dims.len() > 2 || row && column {
            return false;
        }
        let (inner, other) = (a.dims[a.dims.len() - 1].clone(), b.dims[0].clone());
        self.alike(std::slice::from_ref(&inner), std::slice::from_ref(&other), span);
        let rows = if row { int(1, span) } else { a.dims[0].clone() };
        let columns = if column { int(1, span) } else { b.dims[1].clone() };
        let dims = match (rank(ty), row, column) {
            (Some(2), ..) => vec![rows, columns],
            (Some(1), true, _) => vec![columns],
            (Some(1), _, true) => vec![rows],
            _ => return false,
        };
        self.allocate(variable, &dims, !column, span);
        let target = self.body.read(variable, span);
        if !column {
            self.multiplied_by_rows(&target, (a, b), (&dims, &inner), span);
            return true;
        }
        self.loops(&dims, span, |this, at| {
            let total = this.body.temporary(number.clone(), span);
            let sum = this.body.read(total, span);
            this.out.push(build::assign(total, zero(&number, span)));
            this.loops(std::slice::from_ref(&inner), span, |this, k| {
                let first = [at[0].clone(), k[0].clone()];
                let parts = [a.at(&first), b.at(k)].map(|x| build::convert(x, &number)).to_vec();
                let product = apply("multiply", parts, &number, span);
                let value = apply("add", vec![sum.clone(), product], &number, span);
                this.out.push(build::assign(total, value));
            });
            this.put(&target, at, sum.clone(), span);
        });
        true
    }

    /// A product whose second factor is a matrix, along the rows of that.
    fn multiplied_by_rows(
        &mut self,
        target: &Expr,
        (a, b): (Source, Source),
        (dims, inner): (&[Expr], &Expr),
        span: Span,
    ) {
        let number = element_type(&target.ty);
        let Some((columns, rows)) = dims.split_last() else { return };
        self.loops(rows, span, |this, row| {
            this.loops(std::slice::from_ref(inner), span, |this, k| {
                let first = [row, k].concat();
                let factor = this.keep(build::convert(a.at(&first), &number));
                this.loops(std::slice::from_ref(columns), span, |this, column| {
                    let at = [row, column].concat();
                    let second = build::convert(b.at(&[k, column].concat()), &number);
                    let product = apply("multiply", vec![factor, second], &number, span);
                    let sum = build::load(target.clone(), at.clone(), Boundary::Unchecked, span);
                    let value = apply("add", vec![sum, product], &number, span);
                    this.put(target, &at, value, span);
                });
            });
        });
    }

    /// The elements in ascending order, NaN last.
    fn sorted(&mut self, variable: VarId, x: &Expr, span: Span) -> bool {
        let Some(array) = self.real_vector(x) else { return false };
        let ty = self.body.variables[variable].ty.clone();
        let sorted = Expr::new(ExprKind::Library { name: "sort", args: vec![array] }, ty, span);
        self.out.push(build::assign(variable, sorted));
        true
    }

    /// A vector of real numbers that the thread has made.
    fn real_vector(&mut self, x: &Expr) -> Option<Expr> {
        array_element(&x.ty).filter(|element| !element.is_complex())?;
        let mut array = x.clone();
        let outside = matches!(x.kind, ExprKind::Local(v) if self.is_outside(v)) || !on_heap(&x.ty);
        if outside {
            let source = self.source(x).filter(|source| source.dims.len() == 1)?;
            let copy = self.body.temporary(build::array_type(element_type(&x.ty), 1), x.span);
            self.fill(copy, &source, false, x.span);
            return Some(self.body.read(copy, x.span));
        }
        self.in_variable(&mut array).then_some(array)
    }

    /// A reduction along one dimension.
    fn along_axis(&mut self, variable: VarId, value: &Expr) -> bool {
        let ExprKind::Reduce { row, arg, axis: Some(axis) } = &value.kind else { return false };
        let span = value.span;
        let Some(source) = self.source(arg) else { return false };
        self.lines(variable, &source, *axis, span, |this, number, length, item| {
            Some(this.folded(row.name, number, std::slice::from_ref(length), span, item))
        })
    }

    /// Statistics along one dimension.
    fn statistics(&mut self, variable: VarId, name: &str, args: &[Expr], span: Span) -> bool {
        let [x, axis] = args else { return false };
        let Some(axis) = axis.constant_int().and_then(|k| usize::try_from(k).ok()) else { return false };
        let Some(source) = self.source(x) else { return false };
        self.lines(variable, &source, axis, span, |this, number, length, item| {
            this.statistic(name, number, std::slice::from_ref(length), span, item)
        })
    }

    /// An array with one number for each line along a dimension. `f` receives the number type, the length of the lines,
    /// and a function that gives the elements of one.
    fn lines(
        &mut self,
        variable: VarId,
        source: &Source,
        axis: usize,
        span: Span,
        mut f: impl FnMut(&mut Self, &Type, &Expr, &dyn Fn(&[Expr]) -> Expr) -> Option<Expr>,
    ) -> bool {
        let Some(length) = source.dims.get(axis).cloned() else { return false };
        let ty = self.body.variables[variable].ty.clone();
        let (number, whole) = (element_type(&ty), rank(&ty) == Some(source.dims.len()));
        let mut dims = source.dims.clone();
        match whole {
            true => dims[axis] = int(1, span),
            false => _ = dims.remove(axis),
        }
        if rank(&ty) != Some(dims.len()) {
            return false;
        }
        self.allocate(variable, &dims, false, span);
        let target = build::local(variable, ty, span);
        let mut found = true;
        self.loops(&dims, span, |this, at| {
            let item = |k: &[Expr]| {
                let mut place = at.to_vec();
                match whole {
                    true => place[axis] = k[0].clone(),
                    false => place.insert(axis, k[0].clone()),
                }
                source.at(&place)
            };
            match f(this, &number, &length, &item) {
                Some(value) => this.put(&target, at, value, span),
                None => found = false,
            }
        });
        found
    }

    /// A sequential reduction of elements.
    pub(super) fn folded(
        &mut self,
        row: &str,
        number: &Type,
        dims: &[Expr],
        span: Span,
        mut item: impl FnMut(&[Expr]) -> Expr,
    ) -> Expr {
        let total = self.body.temporary(number.clone(), span);
        let read = build::local(total, number.clone(), span);
        let row = quasar_devicelib::ops::find(row).expect("a row that the table has");
        self.out.push(build::assign(total, build::neutral(row, number, span)));
        self.loops(dims, span, |this, at| {
            let next = build::convert(item(at), number);
            let value = build::apply(row, vec![read.clone(), next], number.clone(), span);
            this.out.push(build::assign(total, value));
        });
        read
    }

    /// Library functions that have a delayed, element-by-element form.
    pub(super) fn function(&mut self, name: &str, args: &[Expr], e: &Expr) -> Option<Source> {
        let (span, element) = (e.span, element_type(&e.ty));
        let first = args.first()?;
        match (name, args.len()) {
            ("ones", _) => {
                let dims = self.sizes(name, args, &e.ty)?;
                Some(Source::number(one(&element, span), dims))
            }
            ("eye", n) => {
                let both = [args, args].concat();
                let dims = self.sizes(
                    name,
                    if n == 1 && scalar(&first.ty).is_some() { &both } else { args },
                    &e.ty,
                )?;
                Some(Source::unit(dims, &element, span))
            }
            ("copy", 1) => self.source(first),
            ("fliplr" | "flipud", 1) => self.turned(first, if name == "fliplr" { 1 } else { 0 }),
            ("transpose", 1) => {
                let x = self.source(first)?.raised(2);
                (x.dims.len() == 2).then(|| x.permuted(&[1, 0]))
            }
            ("shuffledims", 2) => {
                let ExprKind::Array(order) = &args[1].kind else { return None };
                let order: Vec<usize> = order
                    .iter()
                    .map(|k| k.constant_int().and_then(|k| usize::try_from(k).ok()))
                    .collect::<Option<_>>()?;
                let x = self.source(first)?.raised(order.len());
                let valid = x.dims.len() == order.len() && (0..order.len()).all(|k| order.contains(&k));
                valid.then(|| x.permuted(&order))
            }
            ("repmat", _) => {
                let rank = rank(&e.ty)?;
                let x = self.source(first)?.raised(rank);
                let times = match &args[1..] {
                    [n] if scalar(&n.ty).is_some() => vec![n.clone(), n.clone()],
                    [list] => match &list.kind {
                        ExprKind::Array(items) => items.clone(),
                        _ => return None,
                    },
                    several => several.to_vec(),
                };
                if x.dims.len() != rank || times.len() > rank {
                    return None;
                }
                let mut dims = x.dims.clone();
                for (dim, n) in dims.iter_mut().zip(times) {
                    let n = build::convert(n, &int_type());
                    *dim = self.keep(integer("multiply", dim.clone(), n, span));
                }
                Some(x.tiles(dims))
            }
            _ => None,
        }
    }

    /// A scalar computed from arrays in memory.
    pub(super) fn number(&mut self, e: &Expr) -> Option<Expr> {
        let (span, ty) = (e.span, &e.ty);
        scalar(ty)?;
        let (name, args): (&str, &[Expr]) = match &e.kind {
            ExprKind::Reduce { row, arg, axis: None } => {
                let source = self.source(arg)?;
                if matches!(row.name, "min" | "max") {
                    self.not_empty(row.name, &source, span);
                }
                return Some(self.folded(row.name, ty, &source.dims, span, |at| source.at(at)));
            }
            ExprKind::Library { name, args } => (name, args),
            _ => return None,
        };
        let source = self.source(args.first()?)?;
        let real = scalar(ty).is_some_and(|e| e.is_float());
        match (name, args.len()) {
            ("isempty", 1) => Some(integer("equal", product(&source.dims, span), int(0, span), span)),
            ("any" | "all" | "mean" | "var" | "std", 1) => {
                self.statistic(name, ty, &source.dims, span, |at| source.at(at))
            }
            ("norm", 1) if real => {
                let square = |at: &[Expr]| {
                    let item = build::convert(source.at(at), ty);
                    apply("multiply", vec![item.clone(), item], ty, span)
                };
                let total = self.folded("add", ty, &source.dims, span, square);
                Some(apply("sqrt", vec![total], ty, span))
            }
            ("dotprod", 2) => {
                let other = self.source(&args[1])?;
                if other.dims.len() != source.dims.len() {
                    return None;
                }
                self.alike(&source.dims, &other.dims, span);
                let product = |at: &[Expr]| {
                    let parts = [source.at(at), other.at(at)].map(|x| build::convert(x, ty));
                    apply("multiply", parts.to_vec(), ty, span)
                };
                Some(self.folded("add", ty, &source.dims, span, product))
            }
            ("argmin" | "argmax", 1) => self.place_of_extreme(name, &args[0], span),
            ("median", 1) if real && source.dims.len() == 1 => self.median(&args[0], ty, span),
            _ => None,
        }
    }

    /// A statistic of a sequence of elements.
    pub(super) fn statistic(
        &mut self,
        name: &str,
        ty: &Type,
        dims: &[Expr],
        span: Span,
        item: impl Fn(&[Expr]) -> Expr,
    ) -> Option<Expr> {
        if matches!(name, "any" | "all") {
            let row = if name == "any" { "or" } else { "and" };
            let bits = self.folded(row, &int_type(), dims, span, |at| {
                let item = item(at);
                let nothing = zero(&item.ty, span);
                integer("not_equal", item, nothing, span)
            });
            return Some(integer("not_equal", bits, int(0, span), span));
        }
        scalar(ty).filter(|element| element.is_float())?;
        let count = product(dims, span);
        let total = self.folded("add", ty, dims, span, &item);
        let mean = apply("divide", vec![total, build::convert(count.clone(), ty)], ty, span);
        if name == "mean" {
            return Some(mean);
        }
        let mean = self.keep(mean);
        let square = |at: &[Expr]| {
            let distance = apply("subtract", vec![build::convert(item(at), ty), mean.clone()], ty, span);
            apply("multiply", vec![distance.clone(), distance], ty, span)
        };
        let total = self.folded("add", ty, dims, span, square);
        let less = apply("max", vec![minus_one(count, span), int(1, span)], &int_type(), span);
        let variance = apply("divide", vec![total, build::convert(less, ty)], ty, span);
        Some(if name == "var" { variance } else { apply("sqrt", vec![variance], ty, span) })
    }

    pub(super) fn not_empty(&mut self, name: &str, source: &Source, span: Span) {
        let empty = integer("equal", product(&source.dims, span), int(0, span), span);
        let said = text(&format!("{name}: an empty array has no extremum"), span);
        self.fail_if(empty, Failure::Argument, vec![said], span);
    }

    fn median(&mut self, x: &Expr, ty: &Type, span: Span) -> Option<Expr> {
        let x = match build::same_type(&element_type(&x.ty), ty) {
            true => x.clone(),
            false => build::convert(x.clone(), &build::array_type(ty.clone(), 1)),
        };
        let array = self.real_vector(&x)?;
        let middle = Expr::new(ExprKind::Library { name: "median", args: vec![array] }, ty.clone(), span);
        let result = self.body.temporary(ty.clone(), span);
        self.out.push(build::assign(result, middle));
        Some(build::local(result, ty.clone(), span))
    }
}

/// Whether the pass makes the result of a function by a loop that fills a variable of any kind.
fn is_filled(name: &str) -> bool {
    const FILLED: &[&str] = &[
        "all", "any", "cat", "cummax", "cummin", "cumprod", "cumsum", "horzcat", "linspace", "matmul",
        "mean", "seq", "std", "var", "vertcat",
    ];
    FILLED.contains(&name)
}

pub(in crate::transform::kernel) fn number(x: f64, ty: &Type, span: Span) -> Expr {
    let wide = Expr::new(ExprKind::Constant(Scalar::F64(x)), scalar_type(ElementType::Double), span);
    let Some(element) = scalar(ty) else { return wide };
    match quasar_devicelib::ops::convert_scalar(Scalar::F64(x), element, crate::types::Overflow::Wrap) {
        Ok(value) => Expr::new(ExprKind::Constant(value), ty.clone(), span),
        Err(_) => build::convert(wide, ty),
    }
}

/// Whether an operation on elements reads a variable as a whole only, and the same element of it for each; numbers are computed before.
fn is_elementwise(value: &Expr, variable: VarId) -> bool {
    match &value.kind {
        _ if !matches!(value.ty, Type::Array(_)) => true,
        ExprKind::Local(_) => true,
        ExprKind::Apply { args, .. } => {
            let of_one_rank =
                |arg: &Expr| !matches!(arg.ty, Type::Array(_)) || rank(&arg.ty) == rank(&value.ty);
            args.iter().all(|arg| of_one_rank(arg) && is_elementwise(arg, variable))
        }
        ExprKind::Convert(inner) => rank(&inner.ty) == rank(&value.ty) && is_elementwise(inner, variable),
        _ => !variables(value).contains(&variable),
    }
}

pub(super) fn zero(ty: &Type, span: Span) -> Expr {
    number(0.0, ty, span)
}

fn one(ty: &Type, span: Span) -> Expr {
    number(1.0, ty, span)
}
