//! How launches divide arrays that a kernel writes at several places among the threads.

use super::super::code::{Code, quote};
use super::super::expr::{Printer, Target, constant};
use super::super::names::{self, number};
use super::super::types::{rank, scalar};
use super::in_blocks;
use crate::ir::Kernel;
use crate::ir::schedule::{BandPlace, Bands};
use quasar_devicelib::element::Scalar;

/// The function that divides arrays; nothing where no array is divided so.
pub(super) fn printed(printer: &mut Printer<'_>, kernel: &Kernel) -> Code {
    if kernel.schedule.bands.is_empty() {
        return Code::new();
    }
    let (mut pattern, mut values) = (quote!(()), Code::new());
    for &param in kernel.body.params.iter().rev() {
        let v = names::local(param);
        pattern = quote!((#v, #pattern));
        if scalar(&kernel.body.variables[param].ty).is_some() {
            values.extend(quote!(let #v = *#v;));
        }
    }
    if in_blocks(kernel) {
        pattern = quote!((_, #pattern));
    }
    let before = std::mem::replace(&mut printer.target, Target::Device);
    let divided: Code = kernel.schedule.bands.iter().map(|bands| divided(printer, kernel, bands)).collect();
    printer.target = before;
    quote! {
        fn divide(args: &mut Self::Args<'_>, positions: (i32, i32)) {
            let #pattern = args;
            #values
            #divided
        }
    }
}

/// Divides one array.
fn divided(printer: &mut Printer<'_>, kernel: &Kernel, bands: &Bands) -> Code {
    let dims = rank(&kernel.body.variables[bands.array].ty).unwrap_or(1);
    let places = bands.places.iter().map(|BandPlace { lead, terms, span }| {
        let mut at: Vec<Code> = lead.iter().map(|e| printer.value(e)).collect();
        at.push(terms.iter().fold(quote!(0_i32), |sum, (factor, term)| {
            let (factor, term) = (constant(Scalar::I32(*factor as i32)), printer.value(term));
            quote!((#sum).wrapping_add((#term).wrapping_mul(#factor)))
        }));
        at.resize(dims, quote!(0_i32));
        let (low, high) = (constant(Scalar::I32(span.0)), constant(Scalar::I32(span.1)));
        quote!(lib::Place { at: [#(#at),*], span: (#low, #high) },)
    });
    let places: Vec<Code> = places.collect();
    let (v, axis, factor) =
        (names::local(bands.array), number(bands.axis), constant(Scalar::I32(bands.factor)));
    let read = bands.read.iter().map(|row| {
        let mut at: Vec<Code> = row.iter().map(|e| printer.value(e)).collect();
        at.resize(dims, quote!(0_i32));
        quote!([#(#at),*],)
    });
    let read: Vec<Code> = read.collect();
    quote! {
        let places = [#(#places)*];
        #v.divide((#axis, #factor), places, [#(#read)*], positions);
    }
}
