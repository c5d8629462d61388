//! What Rust code sees: functions with documented signatures; and the state that they share.

use super::Unit;
use super::code::{Code, Ident, quote};
use super::names;
use super::types::{self, array_element};
use crate::ir::print::type_text;
use crate::ir::{Function, FunctionId};
use crate::message::{Message, Sink};
use crate::types::Type;

/// Module-level variables, and the initializer that runs once.
pub(super) fn globals(unit: &Unit<'_>) -> Code {
    let mut tokens = Code::new();
    for (id, global) in unit.program.globals.iter() {
        let (name, ty, said) = (names::global(id), types::host(&global.ty), &global.name);
        tokens.extend(quote!(static #name: abi::Global<#ty> = abi::Global::new(#said);));
    }
    let start = match unit.program.initializer {
        Some(function) => {
            let name = names::function(&unit.program.functions[function].name);
            quote! {
                static START: abi::Once = abi::Once::new();
                pub(super) fn start() -> abi::Result<()> { START.run(|| { let _ = #name()?; ::std::result::Result::Ok(()) }) }
            }
        }
        None => quote!(
            pub(super) fn start() -> abi::Result<()> {
                ::std::result::Result::Ok(())
            }
        ),
    };
    quote!(type I = lib::Baseline; #tokens #start)
}

/// The public functions.
pub(super) fn entries(unit: &Unit<'_>, sink: &mut Sink) -> Code {
    let mut tokens = Code::new();
    let module = Ident::new(unit.options.module.as_str());
    let mut has_main = false;
    for export in &unit.program.exports {
        has_main |= export.name == "main";
        let Some(name) = public_name(&export.name) else {
            sink.push(Message::not_supported(
                export.span,
                "a function with this name, which Rust does not allow,",
            ));
            continue;
        };
        tokens.extend(entry(unit, name, export.function, &export.doc));
    }
    if let (Some(main), false) = (unit.program.main, has_main) {
        tokens.extend(entry(unit, Ident::new("main"), main, "Runs the program's `main`."));
    }
    if unit.program.initializer.is_some() && !unit.program.exports.iter().any(|e| e.name == "initialize") {
        tokens.extend(quote! {
            /// Runs the top-level statements, unless they have been run.
            pub fn initialize() -> ::quasar::Result<()> { #module::start() }
        });
    }
    tokens
}

fn entry(unit: &Unit<'_>, name: Ident, function: FunctionId, doc: &str) -> Code {
    let function = &unit.program.functions[function];
    let module = Ident::new(unit.options.module.as_str());
    let inner = names::function(&function.name);
    let (mut params, mut args) = (Vec::new(), Vec::new());
    for param in &function.body.params {
        let variable = &function.body.variables[*param];
        let param = parameter_name(&variable.name, params.len());
        let (ty, arg) = parameter(&variable.ty, &param);
        params.push(quote!(#param: #ty));
        args.push(arg);
    }
    let (ty, result) = results(function);
    let doc = if doc.is_empty() { quote!() } else { quote!(#[doc = #doc]) };
    quote! {
        #doc
        #[allow(clippy::too_many_arguments, clippy::type_complexity)]
        pub fn #name(#(#params),*) -> ::quasar::Result<#ty> {
            let result = ::quasar::abi::run(|| {
                #module::start()?;
                #module::#inner(#(#args),*)
            })?;
            ::std::result::Result::Ok(#result)
        }
    }
}

fn is_keyword(name: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "as", "break", "const", "continue", "else", "enum", "extern", "false", "fn", "for", "if", "impl",
        "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "static", "struct",
        "trait", "true", "type", "unsafe", "use", "where", "while", "async", "await", "dyn", "abstract",
        "become", "box", "do", "final", "macro", "override", "priv", "typeof", "unsized", "virtual", "yield",
        "try", "gen",
    ];
    KEYWORDS.contains(&name)
}

/// A name as Rust has it, unless Rust cannot have it.
pub(super) fn public_name(name: &str) -> Option<Ident> {
    let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !matches!(name, "_" | "self" | "Self" | "super" | "crate");
    plain.then(|| if is_keyword(name) { Ident::raw(name) } else { Ident::new(name) })
}

pub(super) fn parameter_name(name: &str, k: usize) -> Ident {
    let known = public_name(name).filter(|_| name.is_ascii() && !name.starts_with('_'));
    known.unwrap_or_else(|| Ident::new(format!("arg{k}")))
}

pub(super) fn public(ty: &Type) -> Code {
    match ty {
        Type::Text => quote!(::std::string::String),
        Type::Tuple(parts) => {
            let parts = parts.iter().map(public);
            quote!((#(#parts,)*))
        }
        Type::Array(_) if array_element(ty).is_some() => {
            let e = public_element(ty);
            quote!(::quasar::Array<#e>)
        }
        Type::Scalar(..) | Type::Enum(_) => {
            let e = public_element(ty);
            quote!(#e)
        }
        Type::Unit => quote!(()),
        Type::Closure(_)
        | Type::Choice(_)
        | Type::Array(_)
        | Type::Dynamic
        | Type::Function(_)
        | Type::TypeValue
        | Type::Null
        | Type::Class(_)
        | Type::Pointer(_)
        | Type::Group(_)
        | Type::Error => {
            quote!(::quasar::Value)
        }
    }
}

fn public_element(ty: &Type) -> Code {
    use crate::types::ElementType as E;
    match types::scalar(ty).or_else(|| array_element(ty)).unwrap_or(E::Int32) {
        E::Half => quote!(::quasar::abi::Half),
        E::ComplexSingle => quote!(::quasar::Complex<f32>),
        E::ComplexDouble => quote!(::quasar::Complex<f64>),
        plain => types::element(plain),
    }
}

/// The type of a parameter in Rust, and what is passed on.
pub(super) fn parameter(ty: &Type, name: &Ident) -> (Code, Code) {
    match ty {
        Type::Text => (quote!(&str), quote!(::quasar::abi::text(#name))),
        Type::Array(_) if array_element(ty).is_some() => {
            let e = public_element(ty);
            match types::rank(ty) {
                Some(rank) => {
                    let (rank, ty) = (names::number(rank), type_text(ty));
                    (quote!(&::quasar::Array<#e>), quote!(::quasar::abi::ranked(#name.clone(), #rank, #ty)?))
                }
                None => (quote!(&::quasar::Array<#e>), quote!(#name.clone())),
            }
        }
        Type::Dynamic | Type::Array(_) => (quote!(&::quasar::Value), quote!(#name.clone())),
        _ => (public(ty), convert(ty, quote!(#name), |text| quote!(::quasar::abi::text(&#text)))),
    }
}

fn results(function: &Function) -> (Code, Code) {
    let types: Vec<_> =
        function.body.results.iter().map(|r| function.body.variables[*r].ty.clone()).collect();
    match types.as_slice() {
        [] => (
            quote!(()),
            quote!({
                let () = result;
            }),
        ),
        [ty] => (public(ty), convert(ty, quote!(result), owned)),
        many => {
            let parts = many.iter().map(public);
            let values = many.iter().enumerate().map(|(k, ty)| {
                let k = names::number(k);
                convert(ty, quote!(result.#k), owned)
            });
            (quote!((#(#parts,)*)), quote!((#(#values,)*)))
        }
    }
}

/// A string as Rust code gets it.
fn owned(text: Code) -> Code {
    quote!(#text.to_string())
}

/// A value between what Rust code sees and what functions compute with: they differ in strings, also in those of tuples.
fn convert(ty: &Type, value: Code, text: fn(Code) -> Code) -> Code {
    match ty {
        Type::Text => text(value),
        Type::Tuple(parts) if ty.any(&|part| matches!(part, Type::Text)) => {
            let parts = parts.iter().enumerate().map(|(k, part)| {
                let k = names::number(k);
                convert(part, quote!(whole.#k), text)
            });
            quote!({ let whole = #value; (#(#parts,)*) })
        }
        _ => value,
    }
}
