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
}

/// Work with the elements of arrays whose result is one array.
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
}
