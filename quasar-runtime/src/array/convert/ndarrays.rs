//! Arrays of the crate `ndarray`.

use crate::array::{Array, Shape};
use crate::error::{Error, Result};
use ndarray::{ArrayBase, ArrayView, Dimension, IxDyn, OwnedRepr};
use quasar_devicelib::element::Element;

/// The elements in row-major order, moved if they already lie so.
fn elements<T: Element, D: Dimension>(array: ndarray::Array<T, D>) -> Vec<T> {
    if !array.is_standard_layout() {
        return array.iter().copied().collect();
    }
    let len = array.len();
    let (mut elements, offset) = array.into_raw_vec_and_offset();
    if let Some(offset) = offset
        && offset > 0
    {
        elements.drain(..offset.min(elements.len()));
    }
    elements.truncate(len);
    elements
}

macro_rules! fixed_rank {
    ($($dimension:ident),*) => {
        $(impl<T: Element> From<ndarray::Array<T, ndarray::$dimension>> for Array<T> {
            /// The elements are moved if they lie in row-major order.
            fn from(array: ndarray::Array<T, ndarray::$dimension>) -> Array<T> {
                let dims: [usize; <ndarray::$dimension as Rank>::RANK] = extents(array.shape());
                Array::with_elements(Shape::small(dims), elements(array))
            }
        }

        impl<T: Element> From<ArrayView<'_, T, ndarray::$dimension>> for Array<T> {
            /// The elements are copied.
            fn from(view: ArrayView<'_, T, ndarray::$dimension>) -> Array<T> {
                let dims: [usize; <ndarray::$dimension as Rank>::RANK] = extents(view.shape());
                Array::with_elements(Shape::small(dims), view.iter().copied().collect())
            }
        }

        impl<T: Element> TryFrom<Array<T>> for ArrayBase<OwnedRepr<T>, ndarray::$dimension> {
            type Error = Error;

            /// The elements are moved as in [`Array::into_vec`]. An array of another number of dimensions is an error.
            fn try_from(array: Array<T>) -> Result<Self> {
                let found = *array.shape();
                ndarray::ArrayD::from(array).into_dimensionality().map_err(|_| {
                    Error::size_mismatch(format!(
                        "an array of {} dimensions was expected, found one of size {found}",
                        <ndarray::$dimension as Rank>::RANK,
                    ))
                })
            }
        })*
    };
}

/// The number of dimensions as a constant.
trait Rank {
    const RANK: usize;
}

impl Rank for ndarray::Ix1 {
    const RANK: usize = 1;
}
impl Rank for ndarray::Ix2 {
    const RANK: usize = 2;
}
impl Rank for ndarray::Ix3 {
    const RANK: usize = 3;
}
impl Rank for ndarray::Ix4 {
    const RANK: usize = 4;
}

fixed_rank!(Ix1, Ix2, Ix3, Ix4);

fn extents<const N: usize>(shape: &[usize]) -> [usize; N] {
    std::array::from_fn(|k| shape.get(k).copied().unwrap_or(1))
}

impl<T: Element> TryFrom<ndarray::ArrayD<T>> for Array<T> {
    type Error = Error;

    /// The elements are moved if they lie in row-major order. More than 16 dimensions are an error.
    fn try_from(array: ndarray::ArrayD<T>) -> Result<Array<T>> {
        let shape = Shape::new(array.shape())?;
        Array::from_vec(shape.dims(), elements(array))
    }
}

impl<T: Element> From<Array<T>> for ArrayBase<OwnedRepr<T>, IxDyn> {
    /// The elements are moved as in [`Array::into_vec`].
    fn from(array: Array<T>) -> Self {
        let dims = array.dims().to_vec();
        let elements = array.into_vec();
        match ndarray::ArrayD::from_shape_vec(dims, elements) {
            Ok(array) => array,
            Err(_) => unreachable!("an array has as many elements as the product of its extents"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, Array2, Array3, ArrayD, array, s};

    #[test]
    fn row_major_elements_are_moved() {
        let source = Array2::from_shape_fn((3, 4), |(i, j)| (i * 4 + j) as f32);
        let address = source.as_ptr();
        let a = Array::from(source);
        assert_eq!(a.dims(), [3, 4]);
        assert_eq!(a.read().as_ptr(), address);
        let back = Array2::try_from(a).unwrap();
        assert_eq!(back.as_ptr(), address);
        assert_eq!(back[[2, 1]], 9.0);
    }

    #[test]
    fn other_layouts_are_copied_in_order() {
        let source: Array2<i32> = array![[1, 2, 3], [4, 5, 6]];
        let a = Array::from(source.clone().reversed_axes());
        assert_eq!((a.dims(), a.to_vec()), ([3, 2].as_slice(), vec![1, 4, 2, 5, 3, 6]));
        let b = Array::from(source.slice(s![.., 1..]));
        assert_eq!(b.to_vec(), [2, 3, 5, 6]);
        let c = Array::from(source.clone().slice_move(s![1.., ..]));
        assert_eq!(c.to_vec(), [4, 5, 6]);
        let d = Array::from(source.slice_move(s![..;-1, ..]));
        assert_eq!(d.to_vec(), [4, 5, 6, 1, 2, 3]);
    }

    #[test]
    fn dynamic_ranks_are_checked() {
        let a = Array::try_from(ArrayD::<u8>::zeros(vec![2, 1, 2])).unwrap();
        assert_eq!(Array3::try_from(a.clone()).unwrap().dim(), (2, 1, 2));
        let error = Array1::try_from(a).unwrap_err();
        assert_eq!(error.to_string(), "an array of 1 dimensions was expected, found one of size 2x1x2");
        assert!(Array::try_from(ArrayD::<u8>::zeros(vec![1; 17])).is_err());
        assert_eq!(Array::try_from(ArrayD::<u8>::zeros(vec![])).unwrap().dims(), [1]);
    }
}
