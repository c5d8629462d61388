//! Delayed arrays: functions from a multi-index to an element, so that a whole array expression becomes one loop.

use super::functions::zero;
use super::{Pass, apply, counts, element_type, integer, text};
use crate::ir::build::{self, int, int_type};
use crate::ir::rewrite::{same, visit};
use crate::ir::{Expr, ExprKind, Failure, Index, Range, VarId};
use crate::source::Span;
use crate::target::any::CHEAP_INDEX_NODES;
use crate::types::known::{fixed, on_heap, rank};
use crate::types::{Boundary, ElementType, Type, shape};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::Row;

/// A delayed array: its extents, and how to compute an element.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) dims: Vec<Expr>,
    form: Form,
    element: Type,
    span: Span,
}

#[derive(Clone)]
enum Form {
    /// The elements of a variable.
    Variable(Expr),
    /// A broadcast scalar.
    Number(Expr),
    /// An elementwise operation on arrays and scalars.
    Apply(&'static Row, Vec<Source>),
    /// The elements converted to another type.
    Convert(Box<Source>),
    /// A permuted or reshaped view: dimension `k` of the source is dimension `axes[k]` of the result, or has extent 1.
    View(Box<Source>, Vec<Option<usize>>),
    /// As `View`, with indices that wrap around the source's extents.
    Tiles(Box<Source>, Vec<Option<usize>>),
    /// A slice of a variable.
    Slice { array: Expr, along: Vec<Along>, boundary: Boundary },
    /// The identity matrix.
    Unit,
    /// A product of matrices: sums over so many elements. Its elements take statements ([`Pass::element`]).
    Product { factors: Box<[Source; 2]>, inner: Expr },
}

/// The indices of a slice along a dimension of the array; those that vary run along dimension `axis` of the result.
#[derive(Clone)]
enum Along {
    At(Expr),
    Steps { from: Expr, step: Option<Expr>, axis: Option<usize> },
    List { list: Expr, axis: Option<usize> },
}

fn beginning(span: Span) -> Expr {
    int(0, span)
}

impl Source {
    /// The element at a multi-index.
    pub(super) fn at(&self, at: &[Expr]) -> Expr {
        let (span, element) = (self.span, &self.element);
        let pick = |axis: Option<usize>| axis.and_then(|k| at.get(k).cloned()).unwrap_or(beginning(span));
        match &self.form {
            Form::Variable(array) => build::load(array.clone(), at.to_vec(), Boundary::Unchecked, span),
            Form::Number(x) => x.clone(),
            Form::Apply(row, args) => {
                let args = args.iter().map(|arg| arg.at(at)).collect();
                build::apply(row, args, element.clone(), span)
            }
            Form::Convert(inner) => build::convert(inner.at(at), element),
            Form::View(inner, axes) => inner.at(&axes.iter().map(|axis| pick(*axis)).collect::<Vec<_>>()),
            Form::Tiles(inner, axes) => {
                let at = axes.iter().zip(&inner.dims);
                let at = at.map(|(axis, n)| integer("mod", pick(*axis), n.clone(), span));
                inner.at(&at.collect::<Vec<_>>())
            }
            Form::Slice { array, along, boundary } => {
                let positions = along.iter().map(|along| match along {
                    Along::At(e) => e.clone(),
                    Along::Steps { from, step, axis } => {
                        let distance = match step {
                            Some(step) => integer("multiply", pick(*axis), step.clone(), span),
                            None => pick(*axis),
                        };
                        match from.constant_int() {
                            Some(0) => distance,
                            _ => integer("add", from.clone(), distance, span),
                        }
                    }
                    Along::List { list, axis } => {
                        build::load(list.clone(), vec![pick(*axis)], Boundary::Unchecked, span)
                    }
                });
                build::load(array.clone(), positions.collect(), *boundary, span)
            }
            Form::Unit => {
                let same = integer("equal", pick(Some(0)), pick(Some(1)), span);
                build::convert(same, element)
            }
            Form::Product { .. } => unreachable!("only stores delay products, and compute them before"),
        }
    }

    /// Whether elements are loads, or multiples of them, which cost little to repeat.
    fn is_stored(&self) -> bool {
        match &self.form {
            Form::Variable(_) | Form::Slice { .. } => true,
            Form::Apply(row, args) if row.name == "multiply" => {
                let numbers = args.iter().filter(|arg| matches!(arg.form, Form::Number(_))).count();
                numbers + 1 == args.len() && args.iter().any(Source::is_stored)
            }
            Form::Convert(inner) | Form::View(inner, _) => inner.is_stored(),
            _ => false,
        }
    }

    fn of(form: Form, dims: Vec<Expr>, element: &Type, span: Span) -> Source {
        Source { dims, form, element: element.clone(), span }
    }

    /// Converts the elements.
    pub(super) fn converted(self, element: &Type) -> Source {
        if build::same_type(&self.element, element) {
            return self;
        }
        let (dims, span) = (self.dims.clone(), self.span);
        Source::of(Form::Convert(Box::new(self)), dims, element, span)
    }

    /// Raises the rank: a vector is one row, further extents are 1.
    pub(super) fn raised(self, rank: usize) -> Source {
        let from = self.dims.len();
        if from >= rank {
            return self;
        }
        let (span, element) = (self.span, self.element.clone());
        let shift = usize::from(from == 1);
        let mut dims = vec![int(1, span); rank];
        dims[shift..shift + from].clone_from_slice(&self.dims);
        let axes = (0..from).map(|k| Some(k + shift)).collect();
        Source::of(Form::View(Box::new(self), axes), dims, &element, span)
    }

    /// Permutes the dimensions.
    pub(super) fn permuted(self, order: &[usize]) -> Source {
        let (span, element) = (self.span, self.element.clone());
        let dims = order.iter().map(|k| self.dims[*k].clone()).collect();
        let axes = (0..order.len()).map(|k| order.iter().position(|from| *from == k)).collect();
        Source::of(Form::View(Box::new(self), axes), dims, &element, span)
    }

    /// The same elements as an array of another rank: raised, or without dimensions that are known to have the extent 1, as a
    /// column has in the place of a vector.
    fn of_rank(mut self, rank: usize) -> Option<Source> {
        while self.dims.len() > rank {
            let one = |axis: &usize| self.dims[*axis].constant_int() == Some(1);
            let last = self.dims.len() - 1;
            let axis = Some(last).filter(one).or_else(|| Some(0).filter(|axis| rank == 1 && one(axis)))?;
            self = self.without(axis);
        }
        Some(self.raised(rank))
    }

    /// Drops a dimension of extent 1.
    pub(super) fn without(self, axis: usize) -> Source {
        let (span, element) = (self.span, self.element.clone());
        let mut dims = self.dims.clone();
        dims.remove(axis);
        let axes = (0..self.dims.len()).map(|k| (k != axis).then(|| if k > axis { k - 1 } else { k }));
        let axes = axes.collect();
        Source::of(Form::View(Box::new(self), axes), dims, &element, span)
    }

    pub(super) fn tiles(self, dims: Vec<Expr>) -> Source {
        let (span, element) = (self.span, self.element.clone());
        let axes = (0..self.dims.len()).map(Some).collect();
        Source::of(Form::Tiles(Box::new(self), axes), dims, &element, span)
    }

    pub(super) fn unit(dims: Vec<Expr>, element: &Type, span: Span) -> Source {
        Source::of(Form::Unit, dims, element, span)
    }

    pub(super) fn number(x: Expr, dims: Vec<Expr>) -> Source {
        let (element, span) = (x.ty.clone(), x.span);
        Source::of(Form::Number(x), dims, &element, span)
    }
}

impl Pass<'_> {
    /// As [`Pass::source`], for an array each of whose elements is computed once, by [`Pass::element`]: products are delayed too.
    pub(super) fn source_once(&mut self, e: &Expr) -> Option<Source> {
        let span = e.span;
        match &e.kind {
            ExprKind::Apply { row, args } if !args.is_empty() => {
                let mut sources = Vec::new();
                for arg in args {
                    sources.push(match arg.ty {
                        Type::Array(_) => self.source_once(arg)?,
                        _ => Source::number(self.keep(arg.clone()), Vec::new()),
                    });
                }
                self.elementwise_of(row, sources, &element_type(&e.ty), span)
            }
            ExprKind::Library { name: "transpose", args } => {
                let x = self.source_once(args.first()?)?.raised(2);
                (x.dims.len() == 2).then(|| x.permuted(&[1, 0]))
            }
            ExprKind::Library { name: "matmul", args } => {
                let [a, b] = args.as_slice() else { return None };
                let (a, mut b) = (self.source(a)?, self.source(b)?);
                if a.dims.len() == 2 && b.dims.len() == 1 {
                    // A column times a row.
                    b = b.raised(2);
                }
                if rank(&e.ty) != Some(2) || a.dims.len() != 2 || b.dims.len() != 2 {
                    return self.source(e);
                }
                if !a.is_stored() || !b.is_stored() {
                    return self.source(e);
                }
                let dims = vec![a.dims[0].clone(), b.dims[1].clone()];
                let inner = a.dims[1].clone();
                self.alike(std::slice::from_ref(&inner), &b.dims[..1], span);
                let form = Form::Product { factors: Box::new([a, b]), inner };
                Some(Source::of(form, dims, &element_type(&e.ty), span))
            }
            _ => self.source(e),
        }
    }

    /// An element of a delayed array, behind the statements that compute its products.
    pub(super) fn element(&mut self, source: &Source, at: &[Expr]) -> Expr {
        let span = source.span;
        match &source.form {
            Form::Apply(row, args) => {
                let args = args.iter().map(|arg| self.element(arg, at)).collect();
                build::apply(row, args, source.element.clone(), span)
            }
            Form::Convert(inner) => build::convert(self.element(inner, at), &source.element),
            Form::View(inner, axes) => {
                let pick = |axis: &Option<usize>| axis.and_then(|k| at.get(k).cloned());
                let at: Vec<_> = axes.iter().map(|axis| pick(axis).unwrap_or(beginning(span))).collect();
                self.element(inner, &at)
            }
            Form::Product { factors, inner } => {
                let total = self.body.temporary(source.element.clone(), span);
                let sum = self.body.read(total, span);
                self.out.push(build::assign(total, zero(&source.element, span)));
                let [a, b] = &**factors;
                self.loops(std::slice::from_ref(inner), span, |this, k| {
                    let parts = [a.at(&[at[0].clone(), k[0].clone()]), b.at(&[k[0].clone(), at[1].clone()])];
                    let parts = parts.map(|x| build::convert(x, &source.element)).to_vec();
                    let product = apply("multiply", parts, &source.element, span);
                    let value = apply("add", vec![sum.clone(), product], &source.element, span);
                    this.out.push(build::assign(total, value));
                });
                sum
            }
            _ => source.at(at),
        }
    }

    /// The delayed form of an array, after emitting the statements that it needs; `None` if there is no such form.
    pub(super) fn source(&mut self, e: &Expr) -> Option<Source> {
        let (span, element) = (e.span, element_type(&e.ty));
        match &e.kind {
            ExprKind::Local(_) => Some(self.variable(e.clone())),
            ExprKind::Apply { row, args } => self.elementwise(row, args, &element, span),
            ExprKind::Convert(inner) => {
                let inner = self.source(inner)?.converted(&element);
                inner.of_rank(rank(&e.ty)?)
            }
            ExprKind::Load { array, index, boundary } => self.slice(e, array, index, *boundary),
            ExprKind::Library { name, args } => match self.function(name, args, e) {
                Some(found) => Some(found),
                None => self.made(e),
            },
            _ => self.made(e),
        }
    }

    fn variable(&mut self, array: Expr) -> Source {
        let (span, element) = (array.span, element_type(&array.ty));
        let known = |axis: usize| match &array.ty {
            Type::Array(ty) => ty.sizes.get(axis).copied().flatten().and_then(|n| i32::try_from(n).ok()),
            _ => None,
        };
        let extent = |axis| match known(axis) {
            Some(n) => int(n, span),
            None => build::extent(array.clone(), axis, span),
        };
        let dims = (0..rank(&array.ty).unwrap_or(1)).map(extent).collect();
        Source::of(Form::Variable(array), dims, &element, span)
    }

    /// An array that is materialised first.
    fn made(&mut self, e: &Expr) -> Option<Source> {
        let mut array = e.clone();
        if !on_heap(&e.ty) && !super::needs_memory(e) {
            let variable = self.body.temporary(e.ty.clone(), e.span);
            self.out.push(build::assign(variable, array));
            return Some(self.variable(build::local(variable, e.ty.clone(), e.span)));
        }
        self.in_variable(&mut array).then(|| self.variable(array))
    }

    fn elementwise(
        &mut self,
        row: &'static Row,
        args: &[Expr],
        element: &Type,
        span: Span,
    ) -> Option<Source> {
        let mut sources = Vec::new();
        for arg in args {
            sources.push(match arg.ty {
                Type::Array(_) => self.source(arg)?,
                _ => Source::number(self.keep(arg.clone()), Vec::new()),
            });
        }
        self.elementwise_of(row, sources, element, span)
    }

    fn elementwise_of(
        &mut self,
        row: &'static Row,
        mut sources: Vec<Source>,
        element: &Type,
        span: Span,
    ) -> Option<Source> {
        let most = sources.iter().map(|s| s.dims.len()).max()?;
        let mut dims: Option<Vec<Expr>> = None;
        for source in &mut sources {
            if source.dims.is_empty() {
                continue;
            }
            *source = source.clone().raised(most);
            match &dims {
                None => dims = Some(source.dims.clone()),
                Some(first) => self.alike(&first.clone(), &source.dims, span),
            }
        }
        Some(Source::of(Form::Apply(row, sources), dims?, element, span))
    }

    /// Emits a check that two arrays have the same extents.
    pub(super) fn alike(&mut self, a: &[Expr], b: &[Expr], span: Span) {
        let differ = a.iter().zip(b).filter(|(a, b)| {
            let known = a.constant_int().is_some() && a.constant_int() == b.constant_int();
            !known && !same(a, b)
        });
        let differ = differ.map(|(a, b)| integer("not_equal", a.clone(), b.clone(), span));
        let either = |a, b| Expr::new(ExprKind::Or(Box::new(a), Box::new(b)), int_type(), span);
        let Some(condition) = differ.reduce(either) else { return };
        let mut message = vec![text("Dimensions do not match: ", span)];
        message.extend(extents_text(a, span));
        message.push(text(" and ", span));
        message.extend(extents_text(b, span));
        self.fail_if(condition, Failure::Size, message, span);
    }

    fn slice(&mut self, e: &Expr, array: &Expr, index: &[Index], boundary: Boundary) -> Option<Source> {
        let (span, element) = (e.span, element_type(&e.ty));
        let mut array = array.clone();
        self.in_variable(&mut array).then_some(())?;
        if rank(&array.ty)? != index.len() {
            return None;
        }
        let extents: Vec<(Option<u32>, bool)> =
            (0u32..).zip(index).map(|(k, i)| (Some(k), matches!(i, Index::At(_)))).collect();
        let kept: Vec<usize> =
            shape::drop_indexed(&extents).into_iter().flatten().map(|k| k as usize).collect();
        if kept.len() != rank(&e.ty)? {
            return None;
        }
        let (along, counts) = self.along(&array, index, span)?;
        let along = along.into_iter().enumerate().map(|(k, mut along)| {
            if let Along::Steps { axis, .. } | Along::List { axis, .. } = &mut along {
                *axis = kept.iter().position(|from| *from == k);
            }
            along
        });
        let along = along.collect();
        let dims = kept.iter().map(|k| counts[*k].clone()).collect();
        Some(Source::of(Form::Slice { array, along, boundary }, dims, &element, span))
    }

    /// The indices that a slice selects, and their number, along each dimension.
    fn along(&mut self, array: &Expr, index: &[Index], span: Span) -> Option<(Vec<Along>, Vec<Expr>)> {
        let (mut along, mut counts) = (Vec::new(), Vec::new());
        for (k, each) in index.iter().enumerate() {
            let (position, count) = match each {
                Index::At(e) => (Along::At(self.place(e)), int(1, span)),
                Index::All => {
                    let count = match fixed(&array.ty) {
                        Some(sizes) => int(sizes[k] as i32, span),
                        None => build::extent(array.clone(), k, span),
                    };
                    (Along::Steps { from: beginning(span), step: None, axis: None }, count)
                }
                Index::Range(range) => {
                    let (from, step, count) = self.steps(range)?;
                    (Along::Steps { from, step, axis: None }, count)
                }
                Index::List(list) => {
                    let mut list = list.clone();
                    let whole = rank(&list.ty) == Some(1) && element_type(&list.ty) == int_type();
                    (whole && self.in_variable(&mut list)).then_some(())?;
                    let count = match fixed(&list.ty) {
                        Some(sizes) => int(sizes[0] as i32, span),
                        None => build::extent(list.clone(), 0, span),
                    };
                    (Along::List { list, axis: None }, count)
                }
                Index::Position(_) => return None,
            };
            along.push(position);
            counts.push(count);
        }
        Some((along, counts))
    }

    /// An index that stands for each element: dependences are hardly seen through variables that hold indices, in branches not at all.
    fn place(&mut self, e: &Expr) -> Expr {
        if is_plain_index(e) { e.clone() } else { self.keep(e.clone()) }
    }

    /// The first value, the step and the number of values of an integer range.
    fn steps(&mut self, range: &Range) -> Option<(Expr, Option<Expr>, Expr)> {
        let span = range.from.span;
        if range.from.ty != int_type() || range.to.ty != int_type() {
            return None;
        }
        let step = range.step.clone().filter(|step| step.constant_int() != Some(1));
        if step.is_none()
            && let Some(count) = counts::cancelled(range)
        {
            let from = self.place(&range.from);
            return Some((from, None, self.keep(counts::at_least_none(count))));
        }
        let (from, to) = (self.keep(range.from.clone()), self.keep(range.to.clone()));
        let Some(step) = step else {
            let distance = match from.constant_int() {
                Some(0) => to,
                _ => integer("subtract", to, from.clone(), span),
            };
            // Ranges usually end at `n-1`; `n-1 + 1` folds to `n`.
            let count = integer("add", distance, int(1, span), span);
            return Some((from, None, self.keep(counts::at_least_none(count))));
        };
        let step = self.keep(step);
        let count = match step.constant_int() {
            Some(constant) if constant != 0 => self.keep(count_by(constant, &from, &to, span)),
            _ => self.counted(&Range { from: from.clone(), step: Some(step.clone()), to }),
        };
        Some((from, Some(step), count))
    }

    /// The number of values of a range.
    pub(super) fn counted(&mut self, range: &Range) -> Expr {
        let span = range.from.span;
        let count = self.body.temporary(int_type(), span);
        let read = build::local(count, int_type(), span);
        self.out.push(build::assign(count, int(0, span)));
        let variable = self.body.temporary(range.from.ty.clone(), span);
        let body = vec![build::assign(count, integer("add", read.clone(), int(1, span), span))];
        let (range, attributes) = (range.clone(), Default::default());
        self.push(crate::ir::StmtKind::For { variable, range, body, attributes }, span);
        read
    }

    /// The targets of a slice store, with the extents of the slice.
    pub(super) fn places(&mut self, array: &Expr, index: &[Index], span: Span) -> Option<Places> {
        let (mut along, counts) = self.along(array, index, span)?;
        let (mut next, mut dims) = (0, Vec::new());
        for (along, count) in along.iter_mut().zip(counts) {
            if let Along::Steps { axis, .. } | Along::List { axis, .. } = along {
                *axis = Some(next);
                next += 1;
                dims.push(count);
            }
        }
        let form = Form::Slice { array: array.clone(), along, boundary: Boundary::Unchecked };
        Some(Places(Source::of(form, dims, &element_type(&array.ty), span)))
    }

    /// Materialises a delayed array in a new array, by a loop.
    pub(super) fn fill(&mut self, variable: VarId, source: &Source, zeroed: bool, span: Span) {
        let ty = self.body.variables[variable].ty.clone();
        self.allocate(variable, &source.dims, zeroed, span);
        let target = build::local(variable, ty, span);
        self.loops(&source.dims, span, |this, at| this.put(&target, at, source.at(at), span));
    }

    /// A new array, which needs heap memory unless its size is known.
    pub(super) fn allocate(&mut self, variable: VarId, dims: &[Expr], zeroed: bool, span: Span) {
        let name = if zeroed { "zeros" } else { "uninit" };
        let ty = self.body.variables[variable].ty.clone();
        let value = Expr::new(ExprKind::Library { name, args: dims.to_vec() }, ty, span);
        self.out.push(build::assign(variable, value));
    }

    /// `target[at] = value`
    pub(super) fn put(&mut self, target: &Expr, at: &[Expr], value: Expr, span: Span) {
        let value = build::convert(value, &element_type(&target.ty));
        let index = at.iter().cloned().map(Index::At).collect();
        let (array, boundary) = (target.clone(), Boundary::Unchecked);
        self.push(crate::ir::StmtKind::Store { array, index, boundary, value }, span);
    }
}

/// Whether an index is made of integers by little arithmetic, so that it is free to repeat.
fn is_plain_index(e: &Expr) -> bool {
    let (mut nodes, mut plain) = (0, e.ty == int_type());
    visit(e, &mut |e| {
        nodes += 1;
        plain &= e.ty == int_type()
            && match &e.kind {
                ExprKind::Local(_) | ExprKind::Constant(_) | ExprKind::Coordinate(..) => true,
                ExprKind::Apply { row, .. } => matches!(row.name, "add" | "subtract" | "multiply"),
                _ => false,
            };
    });
    plain && nodes <= CHEAP_INDEX_NODES
}

/// The number of values of an integer range with a constant step. Doubles hold every distance of integers.
fn count_by(step: i32, from: &Expr, to: &Expr, span: Span) -> Expr {
    let double = build::scalar_type(ElementType::Double);
    let wide = |x: &Expr| build::convert(x.clone(), &double);
    let (first, last) = if step > 0 { (from, to) } else { (to, from) };
    let distance = apply("subtract", vec![wide(last), wide(first)], &double, span);
    let size = Expr::new(ExprKind::Constant(Scalar::F64(f64::from(step).abs())), double.clone(), span);
    let steps = build::convert(apply("divide", vec![distance, size], &double, span), &int_type());
    let count = integer("add", steps, int(1, span), span);
    let empty = integer("less", last.clone(), first.clone(), span);
    build::select(empty, int(0, span), count)
}

/// The target elements of a slice store.
pub(super) struct Places(Source);

impl Places {
    pub(super) fn dims(&self) -> &[Expr] {
        &self.0.dims
    }

    /// The indices of a target element.
    pub(super) fn index(&self, at: &[Expr]) -> Vec<Index> {
        match self.0.at(at).kind {
            ExprKind::Load { index, .. } => index,
            _ => Vec::new(),
        }
    }
}

/// Extents formatted for messages.
pub(super) fn extents_text(dims: &[Expr], span: Span) -> Vec<Expr> {
    let mut parts = Vec::new();
    for (k, dim) in dims.iter().enumerate() {
        if k > 0 {
            parts.push(text("x", span));
        }
        parts.push(dim.clone());
    }
    parts
}
