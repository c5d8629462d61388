//! What Rust code sees of a function that cannot be compiled, so that its callers are not wrong as well.

use super::exports;
use crate::types::Type;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// A public function with these parameters and results that is never run. Types that are not known fit any use.
pub fn signature(name: &str, params: &[(String, Type)], results: &[Type]) -> TokenStream {
    let name = if exports::is_keyword(name) {
        Ident::new_raw(name, Span::call_site())
    } else {
        format_ident!("{}", name)
    };
    let mut unknown = Vec::new();
    let mut known = |ty: &Type, written: TokenStream| {
        if !ty.mentions_error() {
            return written;
        }
        let name = format_ident!("Unknown{}", unknown.len());
        unknown.push(name.clone());
        quote!(#name)
    };
    let params: Vec<TokenStream> = params
        .iter()
        .enumerate()
        .map(|(k, (name, ty))| {
            let name = exports::parameter_name(name, k);
            let ty = known(ty, exports::parameter(ty, &name).0);
            quote!(#name: #ty)
        })
        .collect();
    let results: Vec<TokenStream> = results.iter().map(|ty| known(ty, exports::public(ty))).collect();
    let result = match results.as_slice() {
        [one] => one.clone(),
        many => quote!((#(#many),*)),
    };
    quote! {
        #[allow(unused, clippy::all, missing_docs, unreachable_pub)]
        pub fn #name<#(#unknown),*>(#(#params),*) -> ::quasar::Result<#result> {
            ::std::unreachable!()
        }
    }
}
