//! Scalar results of kernels: how the positions of a part accumulate them and how parts are combined.

use super::code::{Code, quote};
use super::expr::{constant, is_plain};
use super::names::{self, number};
use super::stmt::anonymous;
use super::types::{self, scalar};
use crate::ir::{Kernel, VarId};
use crate::target::cpu::SUM_LANES;
use crate::types::ElementType;

/// Whether a result is accumulated in lanes: floats, whose order the vectoriser must not choose by itself.
pub(super) fn laned(kernel: &Kernel, result: VarId) -> bool {
    let ty = scalar(&kernel.body.variables[result].ty);
    kernel.accumulators.iter().any(|a| a.variable == result)
        && ty.is_some_and(|t| t.is_float() && is_plain(t))
}

/// Code that takes the results out of their accumulators and puts them back.
pub(super) fn result_values(kernel: &Kernel) -> (Code, Code) {
    let (mut before, mut after) = (Code::new(), Code::new());
    for &result in &kernel.body.results {
        let (v, a) = (names::local(result), anonymous("a", result.index()));
        if laned(kernel, result) {
            before.extend(quote!(let mut #v = #a[lane];));
            after.extend(quote!(#a[lane] = #v;));
        } else {
            before.extend(quote!(let mut #v = *#a;));
            after.extend(quote!(*#a = #v;));
        }
    }
    (before, after)
}

/// The type of the results of a part, their start, their end, and how two parts combine.
pub(super) fn sums(kernel: &Kernel) -> (Code, Code, Code, Code) {
    let (mut ty, mut finish, mut first, mut second, mut both) =
        (quote!(()), quote!(()), quote!(()), quote!(()), quote!(()));
    let mut start = Code::new();
    for &result in kernel.body.results.iter().rev() {
        let declared = &kernel.body.variables[result].ty;
        let own = types::device(declared).unwrap_or_else(|| quote!(()));
        let a = anonymous("a", result.index());
        let (x, y) = (anonymous("x", result.index()), anonymous("y", result.index()));
        let element = scalar(declared).unwrap_or(ElementType::Int32);
        let accumulator = kernel.accumulators.iter().find(|each| each.variable == result);
        let zero = match accumulator {
            Some(each) => constant(quasar_devicelib::ops::neutral(each.row.name, element)),
            None => types::device_zero(declared),
        };
        let combined = match accumulator {
            Some(each) => super::expr::apply(each.row, element, vec![quote!(#x), quote!(#y)]),
            // Some value of a racing store wins; one that was not stored is zero.
            None => quote!(if #y != #zero { #y } else { #x }),
        };
        let own_value = if laned(kernel, result) {
            let lanes = number(SUM_LANES);
            start.extend(quote!(let mut #a: [#own; #lanes] = [#zero; #lanes];));
            quote!(lib::fold(#a, |#x, #y| #combined))
        } else {
            start.extend(quote!(let mut #a: #own = #zero;));
            quote!(#a)
        };
        ty = quote!((#own, #ty));
        finish = quote!((#own_value, #finish));
        first = quote!((#x, #first));
        second = quote!((#y, #second));
        both = quote!((#combined, #both));
    }
    let merge = quote!(let #first = first; let #second = second; #both);
    (ty, start, finish, merge)
}
