//! Where the extents of the result of an array expression come from: one table for all analyses and passes that ask.

use super::{Expr, ExprKind, Index, Range};
use crate::types::Type;

/// An extent of a result, in terms of the expression's operands.
pub enum ResultExtent<'e> {
    /// An extent of another array.
    Of(&'e Expr, usize),
    /// The value of an `int` expression; there is no array where it is negative.
    Value(&'e Expr),
    /// The component of an integer vector.
    Component(&'e Expr, usize),
    /// The number of elements of an array.
    Elements(&'e Expr),
    /// The number of values in a range.
    Steps(&'e Range),
    /// A number.
    Known(u32),
    /// The sum of others.
    Sum(Vec<ResultExtent<'e>>),
}

/// An extent of an array, if its expression tells it. Variables have their own, and so have elements of cells; `reshape` takes -1 for
/// what the other sizes leave.
pub fn result_extent(expr: &Expr, axis: usize) -> Option<ResultExtent<'_>> {
    let rank = rank(expr)?;
    if axis >= rank {
        return None;
    }
    match &expr.kind {
        // Rows and columns are vectors.
        ExprKind::Convert(inner) if rank == 1 && self::rank(inner).is_some_and(|inner| inner != 1) => {
            Some(ResultExtent::Elements(inner))
        }
        ExprKind::Convert(inner) => of_same_rank(rank, inner, axis),
        ExprKind::Apply { args, .. } => args.iter().find_map(|arg| of_same_rank(rank, arg, axis)),
        ExprKind::Sequence(range) => Some(ResultExtent::Steps(range)),
        ExprKind::Load { array, index, .. } => of_slice(rank, array, index, axis),
        ExprKind::Reduce { arg, axis: Some(along), .. } => of_fold(rank, arg, *along, axis),
        ExprKind::Library { name, args } => of_library(rank, name, args, axis),
        _ => None,
    }
}

fn rank(expr: &Expr) -> Option<usize> {
    expr.ty.as_array()?.known_rank()
}

fn of_same_rank(rank: usize, arg: &Expr, axis: usize) -> Option<ResultExtent<'_>> {
    (self::rank(arg) == Some(rank)).then_some(ResultExtent::Of(arg, axis))
}

/// Of a slice, whose dimensions are those that have more than an index, or where the last ones have but one index as well.
fn of_slice<'e>(rank: usize, array: &'e Expr, index: &'e [Index], axis: usize) -> Option<ResultExtent<'e>> {
    let is_kept = |each: &Index| !matches!(each, Index::At(_));
    let kept = index.iter().filter(|each| is_kept(each)).count();
    let all = || index.iter().enumerate();
    let (along, each) = match rank {
        _ if rank == kept => all().filter(|(_, each)| is_kept(each)).nth(axis)?,
        _ if rank == index.len() => all().nth(axis)?,
        _ => return None,
    };
    match each {
        Index::All => Some(ResultExtent::Of(array, along)),
        Index::Range(range) => Some(ResultExtent::Steps(range)),
        Index::List(list) => Some(ResultExtent::Elements(list)),
        Index::At(_) => Some(ResultExtent::Known(1)),
        Index::Position(_) => None,
    }
}

/// Of a reduction along a dimension, which leaves the result, as an index does, or has extent 1.
fn of_fold(rank: usize, arg: &Expr, along: usize, axis: usize) -> Option<ResultExtent<'_>> {
    let before = self::rank(arg)?;
    if along < before && rank + 1 == before {
        return Some(ResultExtent::Of(arg, if axis < along { axis } else { axis + 1 }));
    }
    let found = if axis == along { ResultExtent::Known(1) } else { ResultExtent::Of(arg, axis) };
    (rank == before).then_some(found)
}

fn of_library<'e>(rank: usize, name: &str, args: &'e [Expr], axis: usize) -> Option<ResultExtent<'e>> {
    match (name, args) {
        (
            "copy" | "cumsum" | "cumprod" | "cummin" | "cummax" | "sort" | "circshift" | "fliplr" | "flipud"
            | "fftshift1" | "fftshift2" | "fftshift3" | "ifftshift1" | "ifftshift2" | "ifftshift3" | "fft1"
            | "fft2" | "fft3" | "ifft1" | "ifft2" | "ifft3" | "inv" | "cholesky" | "cross",
            [x, ..],
        ) => of_same_rank(rank, x, axis),
        ("transpose" | "herm_transpose", [x]) if rank == 2 && self::rank(x) == Some(2) => {
            Some(ResultExtent::Of(x, 1 - axis))
        }
        ("matmul", [a, b]) => of_product(rank, a, b, axis),
        ("solve", [_, b]) => of_same_rank(rank, b, axis),
        ("zeros" | "ones" | "uninit" | "czeros" | "cuninit", sizes) => of_sizes(rank, sizes, axis),
        ("eye", [side]) if side.ty == Type::INT => Some(ResultExtent::Value(side)),
        ("eye", sizes) => of_sizes(rank, sizes, axis),
        ("linspace" | "logspace", [_, _, count]) if count.ty == Type::INT => Some(ResultExtent::Value(count)),
        ("mean" | "std" | "var" | "any" | "all", [x, along]) => {
            of_fold(rank, x, usize::try_from(along.constant_int()?).ok()?, axis)
        }
        ("shuffledims", [x, order]) => {
            let ExprKind::Array(order) = &order.kind else { return None };
            let from = usize::try_from(order.get(axis)?.constant_int()?).ok()?;
            (self::rank(x) == Some(rank)).then_some(ResultExtent::Of(x, from))
        }
        ("repmat", [x, counts]) => of_copies(rank, x, counts, axis),
        ("horzcat", parts) if rank == 1 || rank == 2 => of_joined(rank, parts, rank - 1, axis),
        ("vertcat", parts) if rank == 2 => of_joined(rank, parts, 0, axis),
        _ => None,
    }
}

fn of_sizes<'e>(rank: usize, sizes: &'e [Expr], axis: usize) -> Option<ResultExtent<'e>> {
    if let [all] = sizes
        && matches!(all.ty, Type::Array(_))
    {
        return match &all.kind {
            ExprKind::Array(items) if items.len() == rank => value(items.get(axis)?),
            ExprKind::Array(_) => None,
            _ => Some(ResultExtent::Component(all, axis)),
        };
    }
    if sizes.len() == rank { value(&sizes[axis]) } else { None }
}

fn value(size: &Expr) -> Option<ResultExtent<'_>> {
    (size.ty == Type::INT).then_some(ResultExtent::Value(size))
}

/// Of a product of matrices and vectors: vectors are rows on the left and columns on the right.
fn of_product<'e>(rank: usize, a: &'e Expr, b: &'e Expr, axis: usize) -> Option<ResultExtent<'e>> {
    match (self::rank(a)?, self::rank(b)?, rank) {
        (2, 2, 2) => Some(ResultExtent::Of(if axis == 0 { a } else { b }, axis)),
        (2, 1, 1) => Some(ResultExtent::Of(a, 0)),
        (1, 2, 1) => Some(ResultExtent::Of(b, 1)),
        _ => None,
    }
}

/// Of copies beside each other. A vector is a row.
fn of_copies<'e>(rank: usize, x: &'e Expr, counts: &'e Expr, axis: usize) -> Option<ResultExtent<'e>> {
    let ExprKind::Array(counts) = &counts.kind else { return None };
    let (count, before) = (counts.get(axis).filter(|_| counts.len() == rank)?, self::rank(x)?);
    match before {
        1 if rank == 2 && axis == 0 => value(count),
        1 if rank == 2 && count.constant_int() == Some(1) => Some(ResultExtent::Of(x, 0)),
        _ if before == rank && count.constant_int() == Some(1) => Some(ResultExtent::Of(x, axis)),
        _ => None,
    }
}

/// Of arrays of one rank that are joined along a dimension. A number is one element of a vector.
fn of_joined(rank: usize, parts: &[Expr], along: usize, axis: usize) -> Option<ResultExtent<'_>> {
    let extent = |part| match self::rank(part) {
        Some(own) => (own == rank).then_some(ResultExtent::Of(part, axis)),
        None => (rank == 1 && part.ty.is_number()).then_some(ResultExtent::Known(1)),
    };
    let mut extents: Vec<_> = parts.iter().map(extent).collect::<Option<_>>()?;
    if axis == along { Some(ResultExtent::Sum(extents)) } else { extents.pop() }
}
