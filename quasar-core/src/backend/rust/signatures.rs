//! What Rust code sees of a function that cannot be compiled, so that its callers are not wrong as well.

use super::code::{Code, Ident, quote};
use super::exports;
use crate::types::Type;

/// A public function with these parameters and results that is never run; nothing if Rust cannot have the name. Types
/// that are not known fit any use.
pub fn signature(name: &str, params: &[(String, Type)], results: &[Type], doc: &str) -> String {
    let Some(name) = exports::public_name(name) else { return String::new() };
    let mut unknown = Vec::new();
    let mut known = |ty: &Type, written: Code| {
        if !ty.mentions_error() {
            return written;
        }
        let name = Ident::new(format!("Unknown{}", unknown.len()));
        unknown.push(name.clone());
        quote!(#name)
    };
    let params: Vec<Code> = params
        .iter()
        .enumerate()
        .map(|(k, (name, ty))| {
            let name = exports::parameter_name(name, k);
            let ty = known(ty, exports::parameter(ty, &name).0);
            quote!(#name: #ty)
        })
        .collect();
    let results: Vec<Code> = results.iter().map(|ty| known(ty, exports::public(ty))).collect();
    let result = match results.as_slice() {
        [one] => one.clone(),
        many => quote!((#(#many),*)),
    };
    let doc = if doc.is_empty() { quote!() } else { quote!(#[doc = #doc]) };
    let function = quote! {
        #doc
        #[allow(unused, clippy::all, missing_docs, unreachable_pub)]
        pub fn #name<#(#unknown),*>(#(#params),*) -> ::quasar::Result<#result> {
            ::std::unreachable!()
        }
    };
    function.into_text()
}
