//! Conversions between arrays and the types of Rust, `ndarray` and `image`.
//!
//! Owned elements are moved where their layout is row-major; borrowed ones are copied.

#[cfg(feature = "image")]
mod image_buffers;
#[cfg(feature = "ndarray")]
mod ndarrays;

#[cfg(feature = "image")]
pub use image_buffers::from_dynamic_image;

use super::buffer::HostCopy;
use super::{Array, Shape};
use quasar_devicelib::element::Element;

impl<T: Element> Array<T> {
    /// An array of elements whose number is the product of the extents by construction.
    fn with_elements(shape: Shape, elements: Vec<T>) -> Array<T> {
        debug_assert_eq!(shape.count(), elements.len());
        Array::with_host_copy(shape, HostCopy::Adopted(elements))
    }
}

impl<T: Element> From<Vec<T>> for Array<T> {
    /// A vec; the elements are moved.
    fn from(elements: Vec<T>) -> Array<T> {
        Array::with_elements(Shape::vector(elements.len()), elements)
    }
}

impl<T: Element> From<&[T]> for Array<T> {
    /// A vec; the elements are copied.
    fn from(elements: &[T]) -> Array<T> {
        elements.to_vec().into()
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Array<T> {
    /// A vec.
    fn from(elements: [T; N]) -> Array<T> {
        elements.to_vec().into()
    }
}

impl<T: Element, const M: usize, const N: usize> From<[[T; N]; M]> for Array<T> {
    /// A mat with M rows and N columns.
    fn from(rows: [[T; N]; M]) -> Array<T> {
        Array::with_elements(Shape::small([M, N]), rows.as_flattened().to_vec())
    }
}

impl<T: Element, const M: usize, const N: usize, const P: usize> From<[[[T; P]; N]; M]> for Array<T> {
    /// A cube of M×N×P elements.
    fn from(planes: [[[T; P]; N]; M]) -> Array<T> {
        Array::with_elements(Shape::small([M, N, P]), planes.as_flattened().as_flattened().to_vec())
    }
}

/// What other packages bring, and features of this one know. Nothing is of this kind: it is here for its message.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an `Array` is not made of `{Self}`",
    label = "neither a vector, a slice nor nested arrays of elements",
    note = "arrays of the crate `ndarray` and buffers of the crate `image` need the features `ndarray` and `image` of the package `quasar-array`"
)]
pub trait OfAnotherPackage {}

impl<T: Element, X: OfAnotherPackage> From<X> for Array<T> {
    fn from(_: X) -> Array<T> {
        unreachable!("nothing is of this kind")
    }
}

impl<T: Element> From<Array<T>> for Vec<T> {
    /// The elements in row-major order, moved as in [`Array::into_vec`].
    fn from(array: Array<T>) -> Vec<T> {
        array.into_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_arrays_are_row_major() {
        let a = Array::from([[1, 2, 3], [4, 5, 6]]);
        assert_eq!(a.dims(), [2, 3]);
        assert_eq!(a.get(&[1, 0]).unwrap(), 4);
        let b = Array::from([[[1u8], [2]], [[3], [4]]]);
        assert_eq!((b.dims(), b.to_vec()), ([2, 2, 1].as_slice(), vec![1, 2, 3, 4]));
        let c: Array<f32> = [[0.0f32; 0]; 3].into();
        assert_eq!(c.dims(), [3, 0]);
        let v: Vec<i32> = a.into();
        assert_eq!(v, [1, 2, 3, 4, 5, 6]);
        assert_eq!(Array::from(&v[..2]).dims(), [2]);
    }
}
