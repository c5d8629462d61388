//! Library functions on values that a thread keeps for itself: vectors and matrices of known size.

use super::code::{Code, quote};
use super::expr::Printer;
use super::names::number;
use super::types::{array_element, fixed, scalar};
use crate::ir::Expr;
use crate::types::{ElementType, Type};

/// The call, if such a function is known for these sizes.
pub(super) fn call(p: &mut Printer<'_>, name: &str, args: &[Expr], expr: &Expr) -> Option<Code> {
    let shapes: Vec<Vec<usize>> = args.iter().map(|arg| fixed(&arg.ty).unwrap_or_default()).collect();
    let dims: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let scalars: Vec<bool> = args.iter().map(|arg| scalar(&arg.ty).is_some()).collect();
    if dims.iter().zip(&scalars).any(|(dims, number)| dims.is_empty() && !number) {
        return None;
    }
    let plain = args.iter().all(|arg| {
        let element = array_element(&arg.ty).or_else(|| scalar(&arg.ty));
        element == array_element(&args[0].ty)
    });
    let element = args.first().and_then(|arg| array_element(&arg.ty));
    if let ("zeros" | "ones" | "uninit", Type::Array(_)) = (name, &expr.ty) {
        return filled(name, expr);
    }
    let element = element.filter(|_| plain)?;
    let exact = element.is_float() || element.is_complex();
    let values: Vec<_> = args.iter().map(|arg| p.value(arg)).collect();
    let rows = |k: usize| {
        let (value, shape) = (&values[k], &shapes[k]);
        let (r, c, count) = (number(shape[0]), number(shape[1]), number(shape[0] * shape[1]));
        quote!(lib::rows::<_, #r, #c, #count>(#value))
    };
    let square = |k: usize| matches!(dims[k], [r, c] if r == c);
    let (first, second) = (values.first()?, values.get(1));
    Some(match (name, dims.as_slice(), second) {
        ("dotprod", [a, b], Some(second)) if a == b => quote!(small::dot(#first, #second)),
        ("cross", [[3], [3]], Some(second)) => quote!(small::cross(#first, #second)),
        ("norm", [_], None) if element.is_float() && element != ElementType::Half => {
            quote!(lib::norm::<I, _, _>(#first))
        }
        ("det", [_], None) if exact && square(0) => {
            let a = rows(0);
            quote!(small::det::<I, _, _>(#a))
        }
        ("inv", [_], None) if exact && square(0) => {
            let a = rows(0);
            quote!(lib::flat(small::inv::<I, _, _>(#a)))
        }
        ("singular", [_], None) if exact && square(0) => {
            let a = rows(0);
            quote!((small::singular::<I, _, _>(#a) as i32))
        }
        ("solve", [_, [_, _]], Some(_)) if exact && square(0) => {
            let (a, b) = (rows(0), rows(1));
            quote!(lib::flat(small::solve::<I, _, _, _>(#a, #b)))
        }
        ("solve", [_, [count]], Some(second)) if exact && square(0) => {
            let (a, count) = (rows(0), number(*count));
            quote!(lib::flat(small::solve::<I, _, _, _>(#a, lib::rows::<_, #count, 1, #count>(#second))))
        }
        ("trace", [_], None) if square(0) => {
            let a = rows(0);
            quote!(small::trace(#a))
        }
        ("transpose", [[_, _]], None) => {
            let a = rows(0);
            quote!(lib::flat(small::transpose(#a)))
        }
        ("transpose", [[_]], None) | ("copy", [_], None) => quote!(#first),
        ("matmul", [[_, k], [l, _]], Some(_)) if k == l => {
            let (a, b) = (rows(0), rows(1));
            quote!(lib::flat(small::matmul(#a, #b)))
        }
        ("matmul", [[r, k], [l]], Some(second)) if k == l && fixed(&expr.ty).as_deref() == Some(&[*r]) => {
            let a = rows(0);
            quote!(small::matvec(#a, #second))
        }
        ("matmul", [[k], [l, _]], Some(_)) if k == l => {
            let b = rows(1);
            quote!(small::vecmat(#first, #b))
        }
        _ => return None,
    })
}

fn filled(name: &str, expr: &Expr) -> Option<Code> {
    let count = number(fixed(&expr.ty)?.iter().product());
    let element = super::types::element(array_element(&expr.ty)?);
    Some(match name {
        "ones" => quote!([ops::convert::<i32, #element>(1); #count]),
        _ => quote!([<#element>::default(); #count]),
    })
}
