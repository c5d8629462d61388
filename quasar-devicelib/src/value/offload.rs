//! What library functions ask of a device.
//!
//! A function finds out types, shapes and errors, and then describes what is left to do with the elements. A host with a device
//! may do that there; otherwise the function goes on with the elements in memory.

use super::Value;
use super::rearrange::Axis;
use crate::element::ElementType;

/// How the elements of a line become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// Their sum, divided by their number.
    Mean,
    /// The smallest one; NaN loses.
    Minimum,
    /// The largest one; NaN loses.
    Maximum,
    /// 1 if one of them is not 0.
    Any,
    /// 1 if none of them is 0.
    All,
    /// The sum of the squared distances from their mean, divided by one less than their number.
    Variance,
    /// The square root of that.
    Deviation,
    /// The number of the first smallest element, 0 if all are NaN.
    PlaceOfMinimum,
    /// The same of the largest element.
    PlaceOfMaximum,
}

/// Where elements are counted.
#[derive(Clone, Copy, Debug)]
pub enum Bins<'a> {
    /// In so many bins of one width, the first of which begins with `low`, and the last of which takes what lies behind. Only
    /// finite elements are counted, none of which is less than `low`.
    Even {
        /// Where the first bin begins.
        low: f64,
        /// The positive width of a bin.
        width: f64,
        /// The number of bins.
        count: usize,
    },
    /// Element k counts `edges[k] <= x < edges[k+1]`; the last one counts `x == edges[end]`. Edges ascend.
    Edges(&'a [f64]),
}

impl Bins<'_> {
    /// The number of bins.
    pub fn number(&self) -> usize {
        match self {
            Bins::Even { count, .. } => *count,
            Bins::Edges(edges) => edges.len(),
        }
    }

    /// The bin of a number, if there is one.
    pub fn place(&self, x: f64) -> Option<usize> {
        match *self {
            Bins::Even { low, width, count } => {
                x.is_finite().then(|| (((x - low) / width) as usize).min(count.saturating_sub(1)))
            }
            Bins::Edges(edges) => {
                let above = edges.partition_point(|&edge| edge <= x);
                let inside = above > 0 && (above < edges.len() || edges.last() == Some(&x));
                inside.then(|| above - 1)
            }
        }
    }
}

/// Work with the elements of arrays. The result is one array where nothing else is said.
#[derive(Clone, Copy, Debug)]
pub enum Work<'a> {
    /// Reduces the lines along a dimension, described as in `lines`: `(outer, n, inner)`.
    Reduced {
        /// The array.
        source: &'a Value,
        /// What is made of each line.
        reduction: Reduction,
        /// The lines.
        along: (usize, usize, usize),
        /// In which type elements are combined; variances are computed in double precision.
        computing: ElementType,
        /// The type of the result.
        result: ElementType,
        /// The dimensions of the result, which has an element for each line.
        dims: &'a [usize],
    },
    /// Takes the elements at the sums of distances along each dimension.
    Rearranged {
        /// The array.
        source: &'a Value,
        /// The number of the element from which distances are counted.
        first: usize,
        /// The dimensions of the result.
        dims: &'a [usize],
        /// The distances; together they have as many positions as the result has elements.
        axes: &'a [Axis],
    },
    /// Takes blocks of each part in turn, until each part has given `outer` of them.
    Joined {
        /// The arrays.
        parts: &'a [Value],
        /// The type of the result.
        result: ElementType,
        /// How many blocks each part has.
        outer: usize,
        /// The dimensions of the result.
        dims: &'a [usize],
    },
    /// Takes the elements at whose places a condition is not 0, as a vec.
    Selected {
        /// The array.
        source: &'a Value,
        /// An array with as many elements.
        condition: &'a Value,
    },
    /// The positions where a condition is not 0, a row for each.
    Found {
        /// The condition.
        condition: &'a Value,
        /// The extents that positions refer to.
        dims: &'a [usize],
    },
    /// Sorts the lines along a dimension: a tuple of the sorted elements and, where they are wanted, of their old places.
    Sorted {
        /// The array.
        source: &'a Value,
        /// The lines.
        along: (usize, usize, usize),
        /// Whether places are wanted.
        places: bool,
    },
    /// The different elements of an array of real numbers in ascending order, as a vec. All NaN are one, and zeros of both signs.
    Distinct {
        /// The array.
        source: &'a Value,
    },
    /// How many elements of an array of real numbers lie in each bin, as a vec of `int`.
    Counted {
        /// The array.
        source: &'a Value,
        /// The bins.
        bins: Bins<'a>,
    },
    /// The sum of the products of two arrays, in an array of one element.
    Dot {
        /// The arrays, with as many elements.
        factors: [&'a Value; 2],
        /// In which type, which is that of the result, they are computed.
        computing: ElementType,
    },
    /// A tuple of two arrays of one double each: the largest absolute value, NaN if there is one, and the sum of the absolute
    /// values, or of their squares, divided by that.
    Norm {
        /// The array.
        source: &'a Value,
        /// Whether quotients are squared.
        squares: bool,
        /// Whether the values are divided by the largest, which is 1 in the result otherwise.
        scaled: bool,
    },
    /// Each element of a matrix times another matrix.
    Kronecker {
        /// The matrices.
        factors: [&'a Value; 2],
        /// Their rows and columns.
        extents: [[usize; 2]; 2],
        /// The type of the result, in which products are computed.
        result: ElementType,
    },
}
