//! Statements of host functions, and what is left of them there where kernels have others.

use super::super::classes;
use super::super::code::{Code, Ident, quote};
use super::super::expr::Printer;
use super::super::launch;
use super::super::names;
use super::super::types::{self, array_element, scalar};
use super::{access, dynamic, element_position, indices, shown, working};
use crate::ir::effects::may_fail;
use crate::ir::texts::EVAL;
use crate::ir::{Block, Expr, ExprKind, Failure, Handler, Index, Range, Stmt, StmtKind, VarId};
use crate::message::Message;
use crate::types::Boundary;

/// A statement that only host code has, or that differs there.
pub(in crate::backend::rust) fn stmt(p: &mut Printer<'_>, stmt: &Stmt) -> Code {
    let at = p.at(stmt.span);
    match &stmt.kind {
        StmtKind::AssignGlobal { global, value } => {
            let (name, value) = (names::global(*global), p.value(value));
            quote!(#name.set(#value)#at;)
        }
        StmtKind::Store { array, index, boundary, value: stored } => {
            // An element that is an array itself is stored to as a dynamic value: its typed form might be a copy.
            if array_element(&array.ty).is_some()
                && !matches!(array.kind, ExprKind::Load { .. })
                && scalar(&stored.ty).is_some()
                && let Some(position) = element_position(p, array, index)
            {
                let place = p.place(array);
                let (value, ahead) = evaluated_first(p.value(stored), stored, array, index);
                if *boundary == Boundary::Checked {
                    let site = p.site(array, stmt.span);
                    return ahead(quote!(abi::put_checked(&#place, #position, #value, #site)#at;));
                }
                return ahead(quote!(abi::put(&#place, #position, #value)#at;));
            }
            let (value, ahead) = evaluated_first(dynamic(p, stored), stored, array, index);
            let target = dynamic(p, array);
            let (index, access) = (indices(p, index), access(p, array, *boundary));
            ahead(quote!(abi::store(&#target, #index, &#value, #access)#at;))
        }
        StmtKind::Update { array, index, boundary, row, value, atomic: _, result } => {
            let (value, ahead) = evaluated_first(dynamic(p, value), value, array, index);
            let target = dynamic(p, array);
            let (index, access, name) = (indices(p, index), access(p, array, *boundary), row.name);
            let working = working(p);
            let call = quote!(abi::update(&#target, #index, #name, &#value, #access, #working)#at);
            dynamic_results(p, &[*result], ahead(quote!(::std::vec![#call])), &at)
        }
        StmtKind::SetMember { object, field, value } => classes::set(p, object, *field, value, &at),
        StmtKind::Exchange { array, index, boundary, value, expected, result } => {
            let (value, ahead) = evaluated_first(dynamic(p, value), value, array, index);
            let target = dynamic(p, array);
            let expected = match expected {
                Some(expected) => {
                    let expected = dynamic(p, expected);
                    quote!(::std::option::Option::Some(&#expected))
                }
                None => quote!(::std::option::Option::None),
            };
            let (index, access) = (indices(p, index), access(p, array, *boundary));
            let call = quote!(abi::exchange_element(&#target, #index, &#value, #expected, #access)#at);
            dynamic_results(p, &[*result], ahead(quote!(::std::vec![#call])), &at)
        }
        StmtKind::CallValue { callee, args, results } => {
            let callee = dynamic(p, callee);
            let args: Vec<_> = args.iter().map(|a| dynamic(p, a)).collect();
            let count = names::number(results.len());
            dynamic_results(
                p,
                results,
                quote!(abi::invoke(&#callee, ::std::vec![#(#args),*], #count)#at),
                &at,
            )
        }
        StmtKind::Library { name, args, results } if name.starts_with("place_launches") => {
            // Nothing waits for this, unlike for functions that do something on the host.
            let (place, args) = (Ident::new(*name), args.iter().map(|a| p.value(a)).collect::<Vec<_>>());
            let call = quote!(abi::#place(#(#args),*)#at);
            match results.as_slice() {
                [Some(before)] => {
                    let before = names::local(*before);
                    quote!(#before = #call;)
                }
                _ => quote!(#call;),
            }
        }
        StmtKind::Library { name: EVAL, args, results } => evaluation(p, stmt, args, results, &at),
        StmtKind::Library { name, args, results } => {
            let args: Vec<_> = args.iter().map(|a| shown(p, a)).collect();
            let (count, working) = (names::number(results.len()), working(p));
            dynamic_results(p, results, quote!(abi::call_all(#name, &[#(#args),*], #count, #working)#at), &at)
        }
        StmtKind::Launch { .. } => {
            let launch = launch::launch(p, stmt);
            if p.in_try { quote!(#launch abi::settle()?;) } else { launch }
        }
        StmtKind::ForEach { variable, over, body, .. } => for_each(p, *variable, over, body),
        StmtKind::Strips { buffers, body } => {
            crate::backend::rust::strips::strips(p, buffers, body, stmt.span)
        }
        StmtKind::Try { body, handlers } => attempt(p, body, handlers),
        StmtKind::Fail { failure, message } => {
            let parts: Vec<_> = message.iter().map(|e| shown(p, e)).collect();
            let function = Ident::new(match failure {
                Failure::Raised => "fail",
                Failure::Size => "sizes_differ",
                Failure::Argument => "impossible",
                Failure::Unset => "unset",
            });
            quote!(abi::#function(&[#(#parts),*])#at;)
        }
        StmtKind::Assert { condition, text, message } => {
            let condition = p.condition(condition);
            let parts: Vec<_> = message.iter().map(|e| shown(p, e)).collect();
            quote!(if !#condition { abi::assertion(#text, &[#(#parts),*])#at; })
        }
        StmtKind::Shared { .. } | StmtKind::Barrier(_) | StmtKind::Fence(_) => Code::new(),
        StmtKind::Assign { .. }
        | StmtKind::Call { .. }
        | StmtKind::If { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::Repeat { .. }
        | StmtKind::Break { .. }
        | StmtKind::Continue { .. } => Code::new(),
    }
}

/// The value that a statement stores, and what puts its evaluation in front of the statement, where it is seen which of it and the
/// place fails: the code of the place stands first.
fn evaluated_first(code: Code, value: &Expr, array: &Expr, index: &[Index]) -> (Code, impl Fn(Code) -> Code) {
    let place_fails = || {
        let fails = |each: &Index| match each {
            Index::At(at) => scalar(&at.ty).is_none() || may_fail(at),
            Index::All => false,
            Index::Range(_) | Index::List(_) | Index::Position(_) => true,
        };
        may_fail(array) || index.iter().any(fails)
    };
    let ahead = may_fail(value) && place_fails();
    let (named, first) = if ahead { (quote!(value), Some(code)) } else { (code, None) };
    let put = move |stmt: Code| match &first {
        Some(code) => quote!({ let value = #code; #stmt }),
        None => stmt,
    };
    (named, put)
}

/// Takes results out of a vector of dynamic values.
fn dynamic_results(p: &mut Printer<'_>, results: &[Option<VarId>], call: Code, at: &Code) -> Code {
    if results.iter().all(Option::is_none) {
        return quote!(let _ = #call;);
    }
    let mut takes = Code::new();
    for result in results {
        match result {
            Some(v) => {
                let ty = p.body.variables[*v].ty.clone();
                let (v, host) = (names::local(*v), types::host(&ty));
                takes.extend(quote!(#v = abi::typed::<#host>(abi::next(&mut results)#at)#at;));
            }
            None => takes.extend(quote!(let _ = results.next();)),
        }
    }
    quote!({ let mut results = (#call).into_iter(); #takes })
}

/// A loop whose iterations threads share: its body is a call, so that iterations have no variables in common.
pub(in crate::backend::rust) fn thread_loop(
    p: &mut Printer<'_>,
    variable: VarId,
    range: &Range,
    body: &Block,
) -> Code {
    let (name, steps) = (names::local(variable), p.steps(range));
    let body = p.block(body);
    quote! {{
        static CONTENTION: abi::Contention = abi::Contention::new();
        abi::share_iterations(&CONTENTION, #steps, |#name| { #body ::std::result::Result::Ok(()) })?;
    }}
}

fn for_each(p: &mut Printer<'_>, variable: VarId, over: &Expr, body: &Block) -> Code {
    let (items, at) = (dynamic(p, over), p.at(over.span));
    let ty = types::host(&p.body.variables[variable].ty);
    let name = names::local(variable);
    p.labels += 1;
    let label = format!("l{}", p.labels);
    p.loops.push(super::super::expr::Loop {
        label: label.clone(),
        repeat: false,
        phased: false,
        masks: None,
    });
    let body = p.block(body);
    p.loops.pop();
    let label = Ident::lifetime(&label);
    quote!(#label: for item in abi::items(&#items)#at { #name = abi::typed::<#ty>(item #at)#at; #body })
}

/// The body runs as a closure, so that `?` leaves it only; jumps out of it come back as a number.
fn attempt(p: &mut Printer<'_>, body: &Block, handlers: &[Handler]) -> Code {
    let exits = std::mem::take(&mut p.exits);
    let outside = std::mem::replace(&mut p.outside, p.loops.len());
    let in_try = std::mem::replace(&mut p.in_try, true);
    let inner = p.block(body);
    (p.outside, p.in_try) = (outside, in_try);
    let taken = std::mem::replace(&mut p.exits, exits);
    let arms: Vec<_> = taken
        .into_iter()
        .map(|(code, _)| {
            let go = p.jump_to((code as usize - 1) / 2, code % 2 == 0);
            quote!(::std::result::Result::Ok(#code) => { #go })
        })
        .collect();
    let all = handlers.iter().any(|handler| handler.exception.is_none());
    let rest = (!all)
        .then(|| quote!(::std::result::Result::Err(error) => return ::std::result::Result::Err(error),));
    let handlers: Vec<_> = handlers
        .iter()
        .map(|handler| {
            let keep = handler.variable.map(|v| {
                let v = names::local(v);
                quote!(#v = abi::text(&error.message());)
            });
            let block = p.block(&handler.block);
            let guard = handler.exception.map(|exception| {
                let class = Ident::new(format!("{exception:?}"));
                quote!(if abi::is_exception(&error, abi::Exception::#class))
            });
            quote!(::std::result::Result::Err(error) #guard => { #keep #block })
        })
        .collect();
    quote! {
        match abi::attempt(|| -> abi::Result<u32> { #inner ::std::result::Result::Ok(0) })? {
            #(#handlers)*
            #rest
            #(#arms)*
            _ => {}
        }
    }
}

/// `eval` of a text that only the running program knows.
fn evaluation(p: &mut Printer<'_>, stmt: &Stmt, args: &[Expr], results: &[Option<VarId>], at: &Code) -> Code {
    if !p.unit.options.texts {
        let said = "'eval' of a text that is not known at compile time, in a program that does not contain the compiler";
        let help = "build with the feature `eval` of the crate `quasar`, choose among lambdas by `match`, or make the text a constant of the module, to which the macro call or `-D NAME=..` gives a value";
        p.sink.push(Message::not_supported(stmt.span, said).help(help));
        return quote!();
    }
    let args: Vec<_> = args.iter().map(|arg| dynamic(p, arg)).collect();
    let call = quote!(abi::evaluate(&TEXTS, #(&#args),*)#at);
    dynamic_results(p, results, quote!(::std::vec![#call]), at)
}
