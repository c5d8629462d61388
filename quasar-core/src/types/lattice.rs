//! The join of the type lattice: the least type that holds values of two types, for variables at control-flow joins.

use super::{ArrayType, Overflow, Type, shape};
use quasar_devicelib::element::promote;

/// Widening at joins (language reference §2.9, 8).
pub fn join(a: &Type, b: &Type) -> Type {
    if a == b {
        return a.clone();
    }
    match (a, b) {
        // An erroneous branch must not hide the type of the other one.
        (Type::Error, other) | (other, Type::Error) => other.clone(),
        (Type::Scalar(x, overflow), Type::Scalar(y, _)) => {
            if x == y && *overflow != Overflow::Truth {
                Type::Scalar(*x, *overflow)
            } else {
                Type::scalar(promote(*x, *y))
            }
        }
        (Type::Enum(_), Type::Scalar(element, _)) | (Type::Scalar(element, _), Type::Enum(_)) => {
            Type::scalar(promote(quasar_devicelib::element::ElementType::Int32, *element))
        }
        (Type::Enum(_), Type::Enum(_)) => Type::INT,
        (Type::Array(x), Type::Array(y)) => arrays(x, y),
        (Type::Tuple(x), Type::Tuple(y)) if x.len() == y.len() => {
            Type::Tuple(x.iter().zip(y).map(|(x, y)| join(x, y)).collect())
        }
        (Type::Tuple(_), Type::Array(array)) | (Type::Array(array), Type::Tuple(_))
            if array.known_rank() == Some(1) =>
        {
            Type::array(Type::Dynamic, &[None])
        }
        (Type::Tuple(_), Type::Tuple(_)) => Type::array(Type::Dynamic, &[None]),
        (Type::Class(x), Type::Class(y)) => x.common(y).map_or(Type::Dynamic, Type::Class),
        (Type::Class(x) | Type::Pointer(x), Type::Class(y) | Type::Pointer(y)) => {
            x.common(y).map_or(Type::Dynamic, Type::Pointer)
        }
        (Type::Class(class) | Type::Pointer(class), Type::Null)
        | (Type::Null, Type::Class(class) | Type::Pointer(class)) => Type::Pointer(class.clone()),
        _ if !a.functions().is_empty() && !b.functions().is_empty() => {
            let mut all = a.functions().to_vec();
            all.extend(b.functions().iter().filter(|function| !a.functions().contains(function)).cloned());
            Type::Choice(all)
        }
        _ => Type::Dynamic,
    }
}

fn arrays(a: &ArrayType, b: &ArrayType) -> Type {
    let element = join(&a.element, &b.element);
    let (Some(left), Some(right)) = (a.known_rank(), b.known_rank()) else {
        return Type::Array(ArrayType::any_rank(element));
    };
    let rank = left.max(right);
    let sizes: shape::Sizes = shape::raise(&a.sizes, rank)
        .into_iter()
        .zip(shape::raise(&b.sizes, rank))
        .map(|(a, b)| if a == b { a } else { None })
        .collect();
    Type::array(element, &sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quasar_devicelib::element::ElementType::{Int32, Single};

    #[test]
    fn joins_widen() {
        let joined = |a: Type, b: Type| join(&a, &b).to_string();
        assert_eq!(joined(Type::INT, Type::scalar(Single)), "scalar");
        assert_eq!(joined(Type::numbers(Single, &[Some(3)]), Type::numbers(Single, &[Some(4)])), "vec");
        assert_eq!(
            joined(Type::numbers(Int32, &[Some(3)]), Type::numbers(Single, &[Some(2), Some(3)])),
            "mat(:,3)"
        );
        assert_eq!(joined(Type::INT, Type::numbers(Single, &[None])), "??");
        assert_eq!(joined(Type::Error, Type::INT), "int");
    }
}
