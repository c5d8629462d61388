//! Queries of types for kernels: element type, rank and known extents.

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

/// The rank of an array, if it is known.
pub fn rank(ty: &Type) -> Option<usize> {
    match ty {
        Type::Array(ArrayType { rank: Rank::Known(rank), .. }) => Some(usize::from(*rank)),
        _ => None,
    }
}

/// The size in bytes of an array of numbers, if all extents are known.
pub fn known_bytes(ty: &Type) -> Option<usize> {
    let Type::Array(array) = ty else { return None };
    let mut sizes = array.sizes.iter();
    let element = array_element(ty).filter(|_| rank(ty) == Some(array.sizes.len()))?;
    sizes.try_fold(element.size(), |bytes, size| bytes.checked_mul((*size)? as usize))
}

/// The most elements of an array that a thread keeps privately.
pub const KEPT: u32 = 1024;

/// The extents of an array that a thread keeps privately: all known, with few elements.
pub fn fixed(ty: &Type) -> Option<Vec<usize>> {
    let Type::Array(array) = ty else { return None };
    let sizes: Vec<usize> = array.sizes.iter().map(|s| s.map(|s| s as usize)).collect::<Option<_>>()?;
    let count = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(*s))?;
    (!sizes.is_empty() && count <= KEPT as usize && scalar(&array.element).is_some()).then_some(sizes)
}

/// Whether an array has a known number of elements, which are too many for an expression of each: a thread keeps it privately, and
/// loops fill it.
pub fn is_long(ty: &Type) -> bool {
    fixed(ty).is_some_and(|sizes| sizes.iter().product::<usize>() as u64 > ArrayType::MAX_IN_REGISTERS)
}

/// Whether a thread fills an array of numbers by loops: a long one, or one in memory.
pub fn is_kept(ty: &Type) -> bool {
    on_heap(ty) || is_long(ty)
}

/// Whether an array created by a thread needs heap memory: it is too large to be private, or its size is known at run
/// time only.
pub fn on_heap(ty: &Type) -> bool {
    array_element(ty).is_some() && rank(ty).is_some() && fixed(ty).is_none()
}

/// Whether a thread can keep a value of this type in private memory: a number, a small array, or a tuple of such.
pub fn is_private(ty: &Type) -> bool {
    match ty {
        Type::Scalar(..) | Type::Enum(_) | Type::Unit => true,
        Type::Array(_) => fixed(ty).is_some_and(|sizes| !sizes.contains(&0)),
        Type::Tuple(parts) => parts.iter().all(is_private),
        Type::Closure(closure) => closure.captures.iter().all(|(_, ty)| is_private(ty)),
        Type::Dynamic
        | Type::Text
        | Type::Choice(_)
        | Type::Function(_)
        | Type::TypeValue
        | Type::Null
        | Type::Class(_)
        | Type::Pointer(_)
        | Type::Group(_)
        | Type::Error => false,
    }
}
