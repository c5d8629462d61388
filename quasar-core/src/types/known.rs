//! What a type says about the values of kernels: their element type, rank and extents.

use super::{ArrayType, ElementType, Rank, Type};

/// The element type of a number, or of an enum.
pub fn scalar(ty: &Type) -> Option<ElementType> {
    match ty {
        Type::Scalar(element, _) => Some(*element),
        Type::Enum(_) => Some(ElementType::Int32),
        _ => None,
    }
}

/// The element type of an array of numbers.
pub fn array_element(ty: &Type) -> Option<ElementType> {
    match ty {
        Type::Array(array) => scalar(&array.element),
        _ => None,
    }
}

/// The rank of an array when it is known.
pub fn rank(ty: &Type) -> Option<usize> {
    match ty {
        Type::Array(ArrayType { rank: Rank::Known(rank), .. }) => Some(usize::from(*rank)),
        _ => None,
    }
}

/// The bytes of an array of numbers whose extents are all known.
pub fn known_bytes(ty: &Type) -> Option<usize> {
    let Type::Array(array) = ty else { return None };
    let mut sizes = array.sizes.iter();
    let element = array_element(ty).filter(|_| rank(ty) == Some(array.sizes.len()))?;
    sizes.try_fold(element.size(), |bytes, size| bytes.checked_mul((*size)? as usize))
}

/// A thread keeps an array of at most so many elements for itself.
pub const KEPT: u32 = 1024;

/// The extents of an array that a thread keeps for itself: all known, and few elements.
pub fn fixed(ty: &Type) -> Option<Vec<usize>> {
    let Type::Array(array) = ty else { return None };
    let sizes: Vec<usize> = array.sizes.iter().map(|s| s.map(|s| s as usize)).collect::<Option<_>>()?;
    let count = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(*s))?;
    (!sizes.is_empty() && count <= KEPT as usize && scalar(&array.element).is_some()).then_some(sizes)
}

/// Whether a thread that makes such an array needs memory for it while it runs: it is too large for what the thread keeps, or
/// its size is known at run time only.
pub fn on_heap(ty: &Type) -> bool {
    array_element(ty).is_some() && rank(ty).is_some() && fixed(ty).is_none()
}
