//! Embedding of PTX: programs contain it if NVRTC is installed, and a warning otherwise.

use crate::embed;
use quasar_core::backend::rust::Options as Printing;
use quasar_core::driver::{self, Options};
use quasar_core::message::Sink;
use quasar_core::source::NoImports;

const PROGRAM: &str = "function [] = twice(x : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            x[m,n] = 2 * x[m,n]
        end
    end
end
function s : scalar = total(x : mat)
    s = sum(x .^ 2)
end
";

/// The printed kernels: the name of the entry point, and a placeholder for the PTX.
fn kernels(printing: &Printing, sink: &mut Sink) -> Vec<(String, Vec<u8>)> {
    let compiled = driver::compile("x.q", PROGRAM, &NoImports, &Options::default());
    let program = compiled.program.expect("the program is right");
    let printed = driver::print_rust(&program, &compiled.sources, printing, sink);
    let items = syn::parse_str::<syn::File>(&printed).expect("items").items;
    let hidden = items.into_iter().find_map(|item| match item {
        syn::Item::Mod(module) => module.content.map(|(_, items)| items),
        _ => None,
    });
    hidden.expect("the hidden module").iter().filter_map(kernel).collect()
}

fn kernel(item: &syn::Item) -> Option<(String, Vec<u8>)> {
    let syn::Item::Static(item) = item else { return None };
    // `DeviceKernel::new(Form { .. }).at(line).among(&all)`.
    let syn::Expr::MethodCall(listed) = &*item.expr else { return None };
    let syn::Expr::MethodCall(placed) = &*listed.receiver else { return None };
    let syn::Expr::Call(call) = &*placed.receiver else { return None };
    let Some(syn::Expr::Struct(form)) = call.args.first() else { return None };
    let literal = |name: &str| {
        let named = |field: &&syn::FieldValue| matches!(&field.member, syn::Member::Named(n) if n == name);
        match &form.fields.iter().find(named)?.expr {
            syn::Expr::Lit(literal) => Some(literal.lit.clone()),
            _ => None,
        }
    };
    match (literal("entry")?, literal("portable")?) {
        (syn::Lit::Str(entry), syn::Lit::ByteStr(ptx)) => Some((entry.value(), ptx.value())),
        _ => None,
    }
}

#[test]
fn kernels_are_text_only_unless_asked_for() {
    let found = kernels(&Printing::default(), &mut Sink::default());
    assert!(found.len() >= 2 && found.iter().all(|(_, ptx)| ptx.is_empty()), "{found:?}");
}

#[test]
fn kernels_hold_ptx_that_names_their_entries_or_a_warning_says_why_not() {
    let mut sink = Sink::default();
    let Some(portable) = embed::maker(&mut sink) else {
        let said = &sink.messages()[0].text;
        assert!(said.starts_with("the program holds kernels as text only, without PTX: "), "{said}");
        return;
    };
    let printing = Printing { portable: Some(portable), ..Printing::default() };
    let found = kernels(&printing, &mut sink);
    assert!(found.len() >= 2);
    for (entry, packed) in found {
        let ptx = quasar_compiled::portable::unpack(&packed);
        let ptx = ptx.unwrap_or_else(|| panic!("{entry} has no PTX: {sink:?}"));
        let ptx = String::from_utf8_lossy(&ptx);
        println!("{entry}: {} bytes of PTX, {} packed", ptx.len(), packed.len());
        assert!(ptx.contains(&format!(".visible .entry {entry}(")), "{entry} in {ptx}");
        assert!(ptx.contains(".target sm_75"), "{ptx}");
    }
    assert!(sink.is_empty(), "{sink:?}");
    let broken: fn(&str, &str) -> Result<Vec<u8>, String> = |_, _| Err("no reason".into());
    let printing = Printing { portable: Some(broken), ..Printing::default() };
    assert!(kernels(&printing, &mut sink).iter().all(|(_, ptx)| ptx.is_empty()));
    assert_eq!(sink.len(), 1, "said once for all kernels");
    assert_eq!(sink.messages()[0].text, "the program holds kernels as text only, without PTX: no reason");
    let error = embed::ptx("k", "extern \"C\" __global__ void k() { nothing; }").unwrap_err();
    assert!(error.contains("kernel 'k' does not compile") && error.contains("nothing"), "{error}");
}
