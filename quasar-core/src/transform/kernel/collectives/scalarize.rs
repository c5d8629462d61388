//! Scalarises array expressions for collectives: the extents of an expression, and the expression of one element.

use crate::ir::build::{self, element_of, int, int_type};
use crate::ir::result_extents::{ResultExtent, result_extent};
use crate::ir::rewrite::same;
use crate::ir::{
    Block, Body, Expr, ExprKind, Index, LoopAttributes, Range, Stmt, StmtKind, Storage, VarId, Variable,
};
use crate::source::Span;
use crate::types::{Boundary, ElementType, Overflow, Rank, Type};
use quasar_devicelib::ops::{Row, find};

/// What cannot be scalarised, and where.
pub(super) type Refused = (Span, &'static str);

/// Statements needed before an element can be computed.
pub(super) struct Before<'b> {
    pub(super) body: &'b mut Body,
    /// Executed once for all elements.
    pub(super) once: Block,
    /// Executed for each element.
    pub(super) each: Block,
}

/// Applies an integer operation, with constant folding.
pub(super) fn binary(row: &'static str, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    match (row, a.constant_int(), b.constant_int()) {
        ("add" | "subtract", _, Some(0)) | ("multiply", _, Some(1)) => return a,
        ("add", Some(0), _) | ("multiply", Some(1), _) => return b,
        ("add", Some(x), Some(y)) => return int(x.wrapping_add(y), span),
        ("multiply", Some(0), _) => return a,
        ("multiply", _, Some(0)) => return b,
        ("subtract", Some(x), Some(y)) => return int(x.wrapping_sub(y), span),
        ("multiply", Some(x), Some(y)) => return int(x.wrapping_mul(y), span),
        _ => {}
    }
    // Trip counts have the form `n - 1 + 1`.
    if let ("add", ExprKind::Apply { row: inner, args }, Some(y)) = (row, &a.kind, b.constant_int())
        && let ("subtract", Some(x)) = (inner.name, args[1].constant_int())
        && is_int(&a)
    {
        return binary("subtract", args[0].clone(), int(x.wrapping_sub(y), span));
    }
    build::apply(self::row(row), vec![a, b], int_type(), span)
}

pub(super) fn row(name: &str) -> &'static Row {
    find(name).expect("a row that the table has")
}

/// `a / b` for a multiple of `b`. Single precision represents all counts that fit into shared memory.
fn quotient(a: Expr, b: Expr) -> Expr {
    let (span, single) = (a.span, build::scalar_type(ElementType::Single));
    let parts = [a, b].map(|e| build::convert(e, &single)).to_vec();
    let exact = build::apply(row("divide"), parts, single.clone(), span);
    let whole = build::apply(row("round"), vec![exact], single, span);
    // The value always fits, so a wrapping conversion avoids a check.
    Expr::new(ExprKind::Convert(Box::new(whole)), Type::Scalar(ElementType::Int32, Overflow::Wrap), span)
}

/// The multi-index of the `k`-th element in row-major order.
pub(super) fn unravel(k: &Expr, counts: &[Expr]) -> Vec<Expr> {
    let mut at = Vec::new();
    let mut rest = k.clone();
    for count in counts.iter().skip(1).rev() {
        let (own, above) = match count.constant_int() {
            Some(n) if n > 0 && (n & (n - 1)) == 0 => {
                let bits = int(n.trailing_zeros() as i32, k.span);
                let own = binary("and", rest.clone(), int(n - 1, k.span));
                (own, binary("shr", rest, bits))
            }
            _ => {
                let own = binary("mod", rest.clone(), count.clone());
                let above = quotient(binary("subtract", rest, own.clone()), count.clone());
                (own, above)
            }
        };
        at.push(own);
        rest = above;
    }
    at.push(rest);
    at.reverse();
    at
}

/// Number of values in a range.
fn count_of(range: &Range) -> Result<Expr, Refused> {
    let span = range.to.span;
    let step = range.step.as_ref().map_or(Some(1), Expr::constant_int);
    if !matches!(range.from.ty, Type::Scalar(ElementType::Int32, _)) {
        return Err((span, "a sequence of fractions in shared memory"));
    }
    let distance = binary("subtract", range.to.clone(), range.from.clone());
    match step {
        Some(1) => Ok(binary("add", distance, int(1, span))),
        Some(step) if step != 0 => {
            let whole = binary("subtract", distance.clone(), binary("mod", distance, int(step, span)));
            Ok(binary("add", quotient(whole, int(step, span)), int(1, span)))
        }
        _ => Err((span, "a sequence whose step is not constant in shared memory")),
    }
}

/// The `k`-th value of a range.
fn value_of(range: &Range, k: Expr) -> Expr {
    let scaled = match &range.step {
        Some(step) => binary("multiply", k, step.clone()),
        None => k,
    };
    binary("add", scaled, range.from.clone())
}

fn known(ty: &Type) -> Option<Vec<u32>> {
    match ty {
        Type::Array(array) if array.rank != Rank::Any => array.sizes.iter().copied().collect(),
        _ => None,
    }
}

/// The extents of a slice.
pub(super) fn selected(array: &Expr, index: &[Index]) -> Result<Vec<Expr>, Refused> {
    let mut counts = Vec::new();
    for (axis, each) in index.iter().enumerate() {
        match each {
            Index::At(_) => {}
            Index::All => counts.push(extent(array, axis)?),
            Index::Range(range) => counts.push(count_of(range)?),
            Index::List(list) => {
                counts.push(
                    extents(list)?
                        .into_iter()
                        .reduce(|a, b| binary("multiply", a, b))
                        .ok_or((list.span, "a list of positions of this type in shared memory"))?,
                );
            }
            Index::Position(at) => {
                return Err((at.span, "a position vector of unknown length in shared memory"));
            }
        }
    }
    Ok(counts)
}

/// The indices of one element of a slice.
pub(super) fn positions(index: &[Index], at: &[Expr]) -> Vec<Index> {
    let mut at = at.iter().cloned();
    let mut next = |span| at.next().unwrap_or_else(|| int(0, span));
    let place = |each: &Index| match each {
        Index::At(_) | Index::Position(_) => each.clone(),
        Index::All => Index::At(next(Span::default())),
        Index::Range(range) => Index::At(value_of(range, next(range.to.span))),
        Index::List(list) => {
            let k = next(list.span);
            Index::At(build::load(list.clone(), vec![k], Boundary::Safe, list.span))
        }
    };
    index.iter().map(place).collect()
}

fn extent(array: &Expr, axis: usize) -> Result<Expr, Refused> {
    match known(&array.ty).and_then(|sizes| sizes.get(axis).copied()) {
        Some(size) => Ok(int(size as i32, array.span)),
        None if matches!(array.kind, ExprKind::Local(_)) => {
            Ok(build::extent(array.clone(), axis, array.span))
        }
        None => {
            let all = extents(array)?;
            all.get(axis).cloned().ok_or((array.span, "a view of an array in shared memory"))
        }
    }
}

/// The extents of an array expression, without evaluating it.
pub(super) fn extents(expr: &Expr) -> Result<Vec<Expr>, Refused> {
    let refused = (expr.span, "an array of this form in shared memory");
    let rank = match &expr.ty {
        Type::Array(array) if element_of(&expr.ty).is_some() && array.rank != Rank::Any => array.sizes.len(),
        _ => return Err(refused),
    };
    if let Some(sizes) = known(&expr.ty) {
        return Ok(sizes.into_iter().map(|n| int(n as i32, expr.span)).collect());
    }
    let found = match &expr.kind {
        ExprKind::Local(_) => (0..rank).map(|k| build::extent(expr.clone(), k, expr.span)).collect(),
        ExprKind::Load { array, index, .. } => selected(array, index)?,
        ExprKind::Apply { args, .. } => {
            let first = args.iter().find(|arg| matches!(arg.ty, Type::Array(_)));
            extents(first.ok_or(refused)?)?
        }
        ExprKind::Convert(inner) => extents(inner)?,
        ExprKind::Select { then, .. } => extents(then)?,
        _ => {
            let each = |axis| of_result(result_extent(expr, axis).ok_or(refused)?, refused);
            (0..rank).map(each).collect::<Result<_, _>>()?
        }
    };
    if found.len() == rank { Ok(found) } else { Err(refused) }
}

fn of_result(extent: ResultExtent<'_>, refused: Refused) -> Result<Expr, Refused> {
    match extent {
        ResultExtent::Of(array, axis) => extents(array)?.get(axis).cloned().ok_or(refused),
        ResultExtent::Value(size) => Ok(size.clone()),
        ResultExtent::Steps(range) => count_of(range),
        ResultExtent::Known(size) => Ok(int(size as i32, refused.0)),
        ResultExtent::Component(..) | ResultExtent::Elements(_) | ResultExtent::Sum(_) => Err(refused),
    }
}

/// Whether a reduction drops its axis, as an `Index::At` would; otherwise the extent becomes 1.
fn dropped(rank: usize, folded: usize) -> bool {
    rank == folded + 1
}

fn is_int(expr: &Expr) -> bool {
    matches!(expr.ty, Type::Scalar(ElementType::Int32, _))
}

impl Before<'_> {
    /// An element of an array expression; a scalar is broadcast.
    pub(super) fn element(&mut self, expr: &Expr, at: &[Expr]) -> Result<Expr, Refused> {
        let span = expr.span;
        let Type::Array(array) = &expr.ty else { return Ok(expr.clone()) };
        let ty = (*array.element).clone();
        match &expr.kind {
            ExprKind::Local(v) => {
                let boundary = self.body.variables[*v].boundary;
                Ok(build::load(expr.clone(), at.to_vec(), boundary, span))
            }
            ExprKind::Load { array, index, boundary } if self.is_far(array) => {
                let index = positions(index, at);
                Ok(Expr::new(ExprKind::Load { array: array.clone(), index, boundary: *boundary }, ty, span))
            }
            ExprKind::Apply { row, args } => {
                let args = args.iter().map(|arg| self.element(arg, at)).collect::<Result<_, _>>()?;
                Ok(build::apply(row, args, ty, span))
            }
            ExprKind::Convert(inner) if extents(inner)?.len() == at.len() => {
                Ok(build::convert(self.element(inner, at)?, &ty))
            }
            ExprKind::Select { condition, then, otherwise } => {
                let (then, otherwise) = (self.element(then, at)?, self.element(otherwise, at)?);
                let kind = ExprKind::Select {
                    condition: condition.clone(),
                    then: Box::new(then),
                    otherwise: Box::new(otherwise),
                };
                Ok(Expr::new(kind, ty, span))
            }
            ExprKind::Sequence(range) => Ok(value_of(range, at[0].clone())),
            ExprKind::Reduce { row, arg, axis: Some(axis) } => self.folded(row, arg, *axis, at, &ty),
            ExprKind::Library { name: "zeros", .. } => Ok(number(0, &ty, span)),
            ExprKind::Library { name: "ones", .. } => Ok(number(1, &ty, span)),
            ExprKind::Library { name: "transpose", args } => {
                let at: Vec<Expr> = at.iter().rev().cloned().collect();
                self.element(&args[0], &at)
            }
            _ if known(&expr.ty).is_some() && array.is_small() => {
                let kept = self.body.temporary(expr.ty.clone(), span);
                self.once.push(build::assign(kept, expr.clone()));
                let kept = self.body.read(kept, span);
                Ok(build::load(kept, at.to_vec(), Boundary::Safe, span))
            }
            _ => Err((span, "an array of this form in shared memory")),
        }
    }

    /// Whether an expression is a variable in memory, or a view of one.
    fn is_far(&self, array: &Expr) -> bool {
        match &array.kind {
            ExprKind::Local(_) => true,
            ExprKind::Convert(inner) => {
                matches!(inner.kind, ExprKind::Local(_)) && element_of(&inner.ty) == element_of(&array.ty)
            }
            _ => false,
        }
    }

    /// An element of a reduction along an axis.
    fn folded(
        &mut self,
        row: &'static Row,
        arg: &Expr,
        axis: usize,
        at: &[Expr],
        ty: &Type,
    ) -> Result<Expr, Refused> {
        let span = arg.span;
        let counts = extents(arg)?;
        let count = counts.get(axis).cloned().ok_or((span, "this fold in shared memory"))?;
        let (sum, k) = (self.body.temporary(ty.clone(), span), self.body.temporary(int_type(), span));
        let mut at = at.to_vec();
        if dropped(counts.len(), at.len()) {
            at.insert(axis, self.body.read(k, span));
        } else {
            at[axis] = self.body.read(k, span);
        }
        let outer = std::mem::take(&mut self.each);
        let value = self.element(arg, &at)?;
        let mut inside = std::mem::replace(&mut self.each, outer);
        let value = build::convert(value, ty);
        inside.push(accumulate(self.body, sum, row, value));
        self.each.push(build::assign(sum, build::neutral(row, ty, span)));
        self.each.push(for_each(k, int(0, span), None, binary("subtract", count, int(1, span)), inside));
        Ok(self.body.read(sum, span))
    }
}

fn number(value: i64, ty: &Type, span: Span) -> Expr {
    let element = element_of(ty).unwrap_or(ElementType::Int32);
    Expr::new(
        ExprKind::Constant(quasar_devicelib::element::Scalar::from_i64(value, element)),
        ty.clone(),
        span,
    )
}

/// `sum = sum row value`
pub(super) fn accumulate(body: &Body, sum: VarId, row: &'static Row, value: Expr) -> Stmt {
    let span = value.span;
    let this = body.read(sum, span);
    let ty = this.ty.clone();
    build::assign(sum, build::apply(row, vec![this, value], ty, span))
}

/// `for variable = from..step..to`
pub(super) fn for_each(variable: VarId, from: Expr, step: Option<Expr>, to: Expr, body: Block) -> Stmt {
    let (span, attributes) = (to.span, LoopAttributes::default());
    let step = step.filter(|step| step.constant_int() != Some(1));
    Stmt::new(StmtKind::For { variable, range: Range { from, step, to }, body, attributes }, span)
}

/// The condition under which two lists of extents agree, unless they are provably equal.
pub(super) fn agree(a: &[Expr], b: &[Expr]) -> Option<Expr> {
    let mut all: Option<Expr> = None;
    for (a, b) in a.iter().zip(b) {
        if same(a, b) {
            continue;
        }
        let (int, span) = (int_type(), a.span);
        let equal = build::apply(row("equal"), vec![a.clone(), b.clone()], int.clone(), span);
        all = Some(match all {
            None => equal,
            Some(before) => Expr::new(ExprKind::And(Box::new(before), Box::new(equal)), int, span),
        });
    }
    all
}

/// The extents of the operands that must agree with each other.
pub(super) fn operand_extents(expr: &Expr, found: &mut Vec<Vec<Expr>>) -> Result<(), Refused> {
    match &expr.kind {
        ExprKind::Apply { args, .. } => args
            .iter()
            .filter(|arg| matches!(arg.ty, Type::Array(_)))
            .try_for_each(|arg| operand_extents(arg, found)),
        ExprKind::Convert(inner) if matches!(inner.ty, Type::Array(_)) => operand_extents(inner, found),
        _ if matches!(expr.ty, Type::Array(_)) => {
            found.push(extents(expr)?);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A new shared array.
pub(super) fn shared_array(body: &mut Body, element: &Type, length: u32, span: Span) -> VarId {
    let name = format!("${}", body.variables.len());
    let ty = build::sized_type(element.clone(), vec![Some(length)]);
    let mut variable = Variable::new(&name, ty, span);
    variable.storage = Storage::Shared;
    variable.boundary = Boundary::Unchecked;
    body.variables.push(variable)
}

/// Whether an expression reads elements of an array at other indices than the element it computes.
pub(super) fn moves(expr: &Expr, array: VarId) -> bool {
    let mentions = |e: &Expr| crate::ir::rewrite::variables(e).contains(&array);
    match &expr.kind {
        ExprKind::Local(_) => false,
        ExprKind::Apply { args, .. } => args.iter().any(|arg| moves(arg, array)),
        ExprKind::Convert(inner) => moves(inner, array),
        ExprKind::Extent(..) | ExprKind::Count(_) => false,
        _ => mentions(expr),
    }
}
