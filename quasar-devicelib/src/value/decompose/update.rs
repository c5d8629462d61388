//! What follows a panel of a factorisation: the product of two narrow matrices is subtracted from the rest.

use super::super::array;
use super::super::error::ValueError;
use super::super::gemm;
use super::super::workers::{Caller, Workers, try_each};
use super::rows::for_elements;

/// Rows and columns of the products that are subtracted at once: they stay in the second cache of a processor.
const HIGH: usize = 64;
const WIDE: usize = 256;

/// The part of a square matrix that is wanted. What lies beside its diagonal may change too.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// Everything, also of matrices that are not square.
    All,
    /// On and below the diagonal.
    Lower,
    /// On and above the diagonal.
    Upper,
}

/// Subtracts `left * transpose(right)` from whole rows, in the columns from number `first` on. Both factors have `depth` columns.
pub(super) fn subtract_product(
    workers: &dyn Workers,
    (rows, stride, first): (&mut [f64], usize, usize),
    [left, right]: [&[f64]; 2],
    depth: usize,
    part: Part,
) -> Result<(), ValueError> {
    let (count, width) = (left.len() / depth, right.len() / depth);
    let workers = for_elements(workers, count * width);
    let mut parts = array::collect(count.div_ceil(HIGH), rows.chunks_mut(HIGH * stride).enumerate())?;
    if part == Part::Upper {
        // The last parts are taken first: those should be the longest.
        parts.reverse();
    }
    try_each(workers, parts, &|(block, rows)| {
        let top = block * HIGH;
        let bottom = count.min(top + HIGH);
        let columns = match part {
            Part::All => 0..width,
            Part::Lower => 0..bottom,
            Part::Upper => top..width,
        };
        let left = &left[top * depth..bottom * depth];
        for column in columns.clone().step_by(WIDE) {
            let end = columns.end.min(column + WIDE);
            let (right, size) = (&right[column * depth..end * depth], [bottom - top, depth, end - column]);
            let product = gemm::multiply_turned(&Caller, left, right, size, [false, true])?;
            for (row, product) in rows.chunks_exact_mut(stride).zip(product.chunks_exact(end - column)) {
                row[first + column..first + end].iter_mut().zip(product).for_each(|(x, y)| *x -= y);
            }
        }
        Ok(())
    })
}
