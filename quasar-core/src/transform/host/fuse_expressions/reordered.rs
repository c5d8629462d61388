//! Delayed arrays whose elements are those of another one in the same or another order: copied, transposed, reversed, turned,
//! shifted, repeated.

use super::delay::{Delay, FAR, is_int};
use super::{element_type, rank_of};
use crate::ir::pull::{IndexMap, PullArray, compare, integer};
use crate::ir::{Expr, ExprKind, build};
use crate::types::{Boundary, Type};

/// Whether a function of the library gives elements of its first argument in an order that index maps say.
pub(super) fn is_reordered(name: &str, args: &[Expr], rank: usize) -> bool {
    let Some(of) = args.first().and_then(rank_of) else { return false };
    match (name, args) {
        ("copy", [_]) => rank == of,
        ("transpose", [_]) => rank == 2 && of <= 2,
        ("herm_transpose", [x]) => rank == 2 && of <= 2 && !is_complex(x),
        ("fliplr" | "flipud" | "rot90", [_]) => rank == 2 && of == 2,
        ("rot90", [_, turns]) => rank == 2 && of == 2 && turns.constant_int().is_some(),
        ("shuffledims", [_, order]) => rank == of && permutation(order, rank).is_some(),
        ("circshift", [_, shifts]) => match &shifts.kind {
            ExprKind::Array(shifts) => of > 1 && shifts.len() <= of && shifts.iter().all(|s| is_int(&s.ty)),
            _ => is_int(&shifts.ty),
        },
        _ => false,
    }
}

fn is_complex(e: &Expr) -> bool {
    matches!(element_type(&e.ty), Type::Scalar(element, _) if element.is_complex())
}

/// The constant order of all dimensions.
fn permutation(order: &Expr, rank: usize) -> Option<Vec<usize>> {
    let ExprKind::Array(order) = &order.kind else { return None };
    let order: Vec<usize> =
        order.iter().map(|k| usize::try_from(k.constant_int()?).ok()).collect::<Option<_>>()?;
    (order.len() == rank && (0..rank).all(|axis| order.contains(&axis))).then_some(order)
}

impl Delay<'_> {
    /// What [`is_reordered`] says.
    pub(super) fn reordered(&mut self, name: &str, args: &mut [Expr]) -> Option<PullArray> {
        let (arg, others) = args.split_first_mut()?;
        self.mapped = true;
        match (name, others) {
            ("circshift", [shifts]) => self.shifted(arg, shifts),
            ("shuffledims", [order]) => {
                let part = self.array(arg)?;
                let order = permutation(order, part.dims.len())?;
                Some(permuted(part, &order))
            }
            ("rot90", others) => {
                let turns = others.first().map_or(Some(1), Expr::constant_int)?;
                let part = self.array(arg)?;
                Some(match turns.rem_euclid(4) {
                    1 => flipped(permuted(part, &[1, 0]), 0),
                    2 => flipped(flipped(part, 0), 1),
                    3 => flipped(permuted(part, &[1, 0]), 1),
                    _ => part,
                })
            }
            ("copy", _) => self.array(arg),
            ("fliplr", _) => Some(flipped(self.array(arg)?, 1)),
            ("flipud", _) => Some(flipped(self.array(arg)?, 0)),
            _ => Some(transposed(self.array(arg)?)),
        }
    }

    /// Elements that go round: what is shifted beyond the end comes in at the beginning.
    fn shifted(&mut self, arg: &mut Expr, shifts: &mut Expr) -> Option<PullArray> {
        let part = self.opaque(arg)?.bounded(Boundary::Circular)?;
        let shifts = match &mut shifts.kind {
            ExprKind::Array(shifts) => &mut shifts[..],
            _ => std::slice::from_mut(shifts),
        };
        let shifts: Vec<Expr> = shifts.iter_mut().map(|shift| self.index(shift)).collect::<Option<_>>()?;
        let (span, dims) = (arg.span, part.dims.clone());
        let mut maps = Vec::new();
        for (axis, extent) in dims.iter().enumerate() {
            let at_least = |low, n: &Expr| compare("less_equal", build::int(low, span), n.clone());
            let at_most = |n: &Expr| compare("less_equal", n.clone(), build::int(FAR, span));
            self.require(at_least(1, extent));
            let Some(shift) = shifts.get(axis) else {
                maps.push(IndexMap::same(axis, span));
                continue;
            };
            self.require(at_most(extent));
            self.require(at_least(-FAR, shift));
            self.require(at_most(shift));
            let from = integer("subtract", build::int(0, span), shift.clone());
            maps.push(IndexMap::Along { axis, from, step: build::int(1, span) });
        }
        Some(part.mapped(dims, maps))
    }

    /// A vector or matrix once more along dimensions of extent 1; others stay as they are.
    pub(super) fn repeated(&mut self, arg: &mut Expr, counts: &mut Expr) -> Option<PullArray> {
        let (sizes, span) = (arg.ty.as_array()?.sizes.clone(), arg.span);
        let part = self.array(arg)?;
        let ExprKind::Array(counts) = &mut counts.kind else { return None };
        let counts = self.sizes(counts)?;
        // A vector is a row.
        let first = counts.len().checked_sub(sizes.len())?;
        let mut dims: Vec<Expr> = counts.iter().take(first).cloned().collect();
        let mut maps = Vec::new();
        for (k, size) in sizes.into_iter().enumerate() {
            let one = size == Some(1);
            maps.push(if one { IndexMap::At(build::int(0, span)) } else { IndexMap::same(first + k, span) });
            dims.push(if one { counts[first + k].clone() } else { part.dims[k].clone() });
        }
        self.mapped = true;
        Some(part.mapped(dims, maps))
    }
}

/// A vector becomes a column.
fn transposed(part: PullArray) -> PullArray {
    match &part.dims[..] {
        [count] => {
            let (count, one) = (count.clone(), build::int(1, count.span));
            let index = vec![IndexMap::same(0, one.span)];
            part.mapped(vec![count, one], index)
        }
        _ => permuted(part, &[1, 0]),
    }
}

/// Dimension k of the result is dimension `order[k]`.
fn permuted(part: PullArray, order: &[usize]) -> PullArray {
    let dims = order.iter().map(|&k| part.dims[k].clone()).collect();
    let axis = |k: usize| order.iter().position(|&from| from == k).unwrap_or(k);
    let index = (0..order.len()).map(|k| IndexMap::same(axis(k), part.dims[k].span)).collect();
    part.mapped(dims, index)
}

/// From the last to the first along a dimension.
fn flipped(part: PullArray, axis: usize) -> PullArray {
    let dims = part.dims.clone();
    let (span, extent) = (dims[axis].span, dims[axis].clone());
    let mut index: Vec<IndexMap> = (0..dims.len()).map(|axis| IndexMap::same(axis, span)).collect();
    let from = integer("subtract", extent, build::int(1, span));
    index[axis] = IndexMap::Along { axis, from, step: build::int(-1, span) };
    part.mapped(dims, index)
}

/// Whether an array is repeated along dimensions that its type says have the extent 1.
pub(super) fn repeats(arg: &Expr, counts: &Expr) -> bool {
    let ExprKind::Array(counts) = &counts.kind else { return false };
    let Some(array) = arg.ty.as_array().filter(|_| matches!(rank_of(arg), Some(1 | 2))) else { return false };
    let extents = [Some(1)].into_iter().chain(array.sizes.iter().copied());
    let extents = extents.skip(array.sizes.len() - 1);
    counts.len() == 2
        && counts.iter().zip(extents).all(|(count, extent)| {
            is_int(&count.ty) && (extent == Some(1) || count.constant_int() == Some(1))
        })
}
