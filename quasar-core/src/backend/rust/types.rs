//! Rust types of values.

use super::code::{Code, quote};
use super::names::{self, number};
pub(super) use crate::types::known::{array_element, fixed, on_heap, rank, scalar};
use crate::types::{Boundary, ElementType, Type};
use quasar_devicelib::kernel::MAX_CAPTURES;

/// The Rust type of an element.
pub(super) fn element(ty: ElementType) -> Code {
    match ty {
        ElementType::Int8 => quote!(i8),
        ElementType::Int16 => quote!(i16),
        ElementType::Int32 => quote!(i32),
        ElementType::Int64 => quote!(i64),
        ElementType::UInt8 => quote!(u8),
        ElementType::UInt16 => quote!(u16),
        ElementType::UInt32 => quote!(u32),
        ElementType::UInt64 => quote!(u64),
        ElementType::Half => quote!(abi::Half),
        ElementType::Single => quote!(f32),
        ElementType::Double => quote!(f64),
        ElementType::ComplexSingle => quote!(abi::Complex<f32>),
        ElementType::ComplexDouble => quote!(abi::Complex<f64>),
    }
}

/// The type of a host value.
pub(super) fn host(ty: &Type) -> Code {
    match ty {
        Type::Scalar(..) | Type::Enum(_) => element(scalar(ty).unwrap_or(ElementType::Int32)),
        Type::Text => quote!(abi::Text),
        Type::Array(_) => match array_element(ty) {
            Some(e) => {
                let e = element(e);
                quote!(abi::Array<#e>)
            }
            None => quote!(abi::Value),
        },
        Type::Tuple(parts) => {
            let parts = parts.iter().map(host);
            quote!((#(#parts,)*))
        }
        Type::Closure(closure) => {
            let parts = closure.captures.iter().map(|(_, ty)| host(ty));
            quote!((#(#parts,)*))
        }
        Type::Class(class) | Type::Pointer(class) => {
            let family = names::family(class);
            quote!(abi::Reference<#family>)
        }
        Type::Unit => quote!(()),
        Type::Dynamic
        | Type::Choice(_)
        | Type::Function(_)
        | Type::TypeValue
        | Type::Null
        | Type::Group(_)
        | Type::Error => {
            quote!(abi::Value)
        }
    }
}

/// Whether the host keeps such values as dynamic ones.
pub(super) fn is_dynamic(ty: &Type) -> bool {
    match ty {
        Type::Dynamic
        | Type::Choice(_)
        | Type::Function(_)
        | Type::TypeValue
        | Type::Null
        | Type::Group(_)
        | Type::Error => true,
        Type::Array(_) => array_element(ty).is_none(),
        Type::Scalar(..)
        | Type::Enum(_)
        | Type::Text
        | Type::Tuple(_)
        | Type::Closure(_)
        | Type::Class(_)
        | Type::Pointer(_)
        | Type::Unit => false,
    }
}

/// The type of a value that a thread of a kernel keeps, if it can.
pub(super) fn device(ty: &Type) -> Option<Code> {
    match ty {
        Type::Scalar(..) | Type::Enum(_) => scalar(ty).map(element),
        Type::Array(_) => {
            let e = element(array_element(ty)?);
            if on_heap(ty) {
                let rank = number(rank(ty)?);
                return Some(quote!(lib::Heap<#e, #rank>));
            }
            let count = number(fixed(ty)?.iter().product());
            Some(quote!([#e; #count]))
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().map(device).collect::<Option<Vec<_>>>()?;
            Some(quote!((#(#parts,)*)))
        }
        Type::Closure(closure) if closure.captures.len() <= MAX_CAPTURES => {
            let parts = closure.captures.iter().map(|(_, ty)| device(ty)).collect::<Option<Vec<_>>>()?;
            Some(quote!((#(#parts,)*)))
        }
        Type::Unit => Some(quote!(())),
        Type::Closure(_)
        | Type::Choice(_)
        | Type::Dynamic
        | Type::Text
        | Type::Function(_)
        | Type::TypeValue
        | Type::Null
        | Type::Class(_)
        | Type::Pointer(_)
        | Type::Group(_)
        | Type::Error => None,
    }
}

/// The zero of such a value.
pub(super) fn device_zero(ty: &Type) -> Code {
    match ty {
        Type::Scalar(..) | Type::Enum(_) => {
            let e = scalar(ty).map(element);
            quote!(<#e>::default())
        }
        Type::Array(_) if on_heap(ty) => quote!(lib::Heap::default()),
        Type::Array(_) => {
            let (e, n) =
                (array_element(ty).map(element), number(fixed(ty).unwrap_or_default().iter().product()));
            quote!([<#e>::default(); #n])
        }
        Type::Tuple(parts) => {
            let parts = parts.iter().map(device_zero);
            quote!((#(#parts,)*))
        }
        Type::Closure(closure) => {
            let parts = closure.captures.iter().map(|(_, ty)| device_zero(ty));
            quote!((#(#parts,)*))
        }
        _ => quote!(()),
    }
}

/// The type that stands for a boundary mode.
pub(super) fn mode(boundary: Boundary) -> Code {
    match boundary {
        Boundary::Checked => quote!(lib::Checked),
        Boundary::Safe => quote!(lib::Safe),
        Boundary::Circular => quote!(lib::Circular),
        Boundary::Mirror => quote!(lib::Mirror),
        Boundary::Clamped => quote!(lib::Clamped),
        Boundary::Unchecked => quote!(lib::Unchecked),
    }
}
