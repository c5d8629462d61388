//! Device functions as kernels call them.

use super::Unit;
use super::code::{Code, quote};
use super::expr::{Printer, Target};
use super::names::{self, number};
use super::stmt::anonymous;
use super::types::{self, array_element, rank};
use crate::analysis::access_pattern::by_reference;
use crate::ir::FunctionId;
use crate::ir::rewrite::set_in;
use crate::message::{Message, Sink};

/// A device function as kernels call it.
pub(super) fn function(unit: &Unit<'_>, id: FunctionId, sink: &mut Sink) -> Code {
    let function = &unit.program.functions[id];
    let body = &function.body;
    let (mut generics, mut params, mut locals) = (Code::new(), Code::new(), Code::new());
    for (k, &param) in body.params.iter().enumerate() {
        let (v, ty) = (names::local(param), &body.variables[param].ty);
        let far = by_reference(unit.program, body, param);
        if far && set_in(&body.block).contains(&param) {
            let what = format!("assigning another array to '{}'", body.variables[param].name);
            sink.push(Message::not_supported(function.span, &what));
        }
        match (types::device(ty), array_element(ty), rank(ty)) {
            (Some(ty), ..) if !far => params.extend(quote!(mut #v: #ty,)),
            (_, Some(e), Some(n)) => {
                let (a, e, n) = (anonymous("A", k), types::element(e), number(n));
                generics.extend(quote!(#a: lib::Access<#e, #n>,));
                params.extend(quote!(#v: &mut #a,));
            }
            _ => {
                sink.push(Message::not_supported(function.span, "this parameter of a device function"));
            }
        }
    }
    let results: Vec<_> = body.results.iter().map(|r| names::local(*r)).collect();
    for (id, variable) in body.variables.iter() {
        if body.params.contains(&id) {
            continue;
        }
        let name = names::local(id);
        if let Some(ty) = types::device(&variable.ty) {
            let zero = types::device_zero(&variable.ty);
            locals.extend(quote!(let mut #name: #ty = #zero;));
        }
    }
    let ty: Vec<_> = body.results.iter().map(|r| types::device(&body.variables[*r].ty)).collect();
    let (ty, result) = match (ty.as_slice(), results.as_slice()) {
        ([ty], [result]) => (quote!(#ty), quote!(#result)),
        _ => (quote!((#(#ty,)*)), quote!((#(#results,)*))),
    };
    let leave = quote!(return #result;);
    let mut printer = Printer {
        unit,
        body,
        target: Target::Device,
        sink,
        loops: Vec::new(),
        far: body.params.iter().copied().filter(|p| by_reference(unit.program, body, *p)).collect(),
        labels: 0,
        leave,
        exits: Vec::new(),
        tail: None,
        outside: 0,
        in_try: false,
    };
    let block = printer.block(&body.block);
    let name = names::device(&function.name);
    let inline = if unit.is_recursive(id) { quote!(#[inline]) } else { quote!(#[inline(always)]) };
    quote! {
        #inline
        fn #name<I: lib::Isa, #generics>(#params fault: &lib::Fault) -> #ty {
            #locals
            #block
            #result
        }
    }
}
