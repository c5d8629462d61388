//! Host functions: typed numbers and array handles; what is only known at run time goes through dynamic values.

mod statements;

pub(super) use statements::{stmt, thread_loop};

use super::Unit;
use super::classes;
use super::code::{Code, Ident, Literal, quote};
use super::expr::{Printer, Target};
use super::names;
use super::offload;
use super::stmt::set_at_once;
use super::types::{self, array_element, is_dynamic, rank, scalar};
use crate::analysis::blocks::asked_about;
use crate::ir::build::{self, unconverted};
use crate::ir::print::type_text;
use crate::ir::{BlockSize, Expr, ExprKind, Function, FunctionId, Index, Range};
use crate::message::Sink;
use crate::types::{ArrayType, Boundary, ElementType, Overflow, Type};

/// A host function.
pub(super) fn function(unit: &Unit<'_>, id: FunctionId, sink: &mut Sink) -> Code {
    let function = &unit.program.functions[id];
    let body = &function.body;
    let mut printer = Printer {
        unit,
        body,
        target: Target::Host,
        sink,
        loops: Vec::new(),
        far: Default::default(),
        labels: 0,
        leave: Code::new(),
        exits: Vec::new(),
        tail: None,
        outside: 0,
        in_try: false,
    };
    let params = body.params.iter().map(|p| {
        let (v, ty) = (names::local(*p), types::host(&body.variables[*p].ty));
        quote!(mut #v: #ty)
    });
    let at_once = set_at_once(&body.block);
    let mut locals = Code::new();
    for (id, variable) in body.variables.iter() {
        if body.params.contains(&id) {
            continue;
        }
        let (v, ty) = (names::local(id), types::host(&variable.ty));
        if at_once.contains(&id) {
            locals.extend(quote!(let mut #v: #ty;));
        } else {
            locals.extend(quote!(let mut #v: #ty = abi::blank();));
        }
    }
    let block = printer.block(&body.block);
    let (name, said) = (names::function(&function.name), &function.source_name);
    let file = &unit.sources.file(function.span.file).name;
    let results: Vec<_> = body.results.iter().map(|r| names::local(*r)).collect();
    let ty = result_type(function);
    let result = match results.as_slice() {
        [result] => quote!(#result),
        _ => quote!((#(#results,)*)),
    };
    let counted = unit.is_recursive(id).then(|| {
        let args: Vec<_> = body.params.iter().map(|p| names::local(*p)).collect();
        quote! {
            if abi::stack_is_low() { return abi::on_more_stack(move || #name(#(#args),*)); }
            let _call = abi::nested()?;
        }
    });
    quote! {
        pub(super) fn #name(#(#params),*) -> abi::Result<#ty> {
            const HERE: abi::Here = (#said, #file);
            #counted
            #locals
            #block
            ::std::result::Result::Ok(#result)
        }
    }
}

/// The Rust type of a function's results.
pub(super) fn result_type(function: &Function) -> Code {
    let types: Vec<_> =
        function.body.results.iter().map(|r| types::host(&function.body.variables[*r].ty)).collect();
    match types.as_slice() {
        [ty] => quote!(#ty),
        _ => quote!((#(#types,)*)),
    }
}

/// The value of an expression in its own Rust type.
pub(super) fn value(p: &mut Printer<'_>, expr: &Expr) -> Code {
    if let Some(value) = classes::value(p, expr) {
        return value;
    }
    match &expr.kind {
        ExprKind::Text(text) => quote!(abi::text(#text)),
        ExprKind::Global(global) => {
            let (name, at) = (names::global(*global), p.at(expr.span));
            quote!(#name.get()#at)
        }
        ExprKind::Tuple(items) if !is_dynamic(&expr.ty) && array_element(&expr.ty).is_none() => {
            let items: Vec<_> = items.iter().map(|e| p.value(e)).collect();
            quote!((#(#items,)*))
        }
        ExprKind::Load { array, index, boundary } if scalar(&expr.ty).is_some() => {
            match element_load(p, array, index, *boundary, expr) {
                Some(load) => load,
                None => typed(p, expr),
            }
        }
        ExprKind::Extent(array, axis) if array_element(&array.ty).is_some() => {
            let (array, axis) = (p.place(array), names::number(*axis));
            quote!((#array.extent(#axis) as i32))
        }
        ExprKind::Count(array) if array_element(&array.ty).is_some() => {
            let array = p.place(array);
            quote!((#array.len() as i32))
        }
        ExprKind::Array(items) | ExprKind::Tuple(items)
            if array_element(&expr.ty).is_some() && items.iter().all(|e| scalar(&e.ty).is_some()) =>
        {
            let at = p.at(expr.span);
            let items: Vec<_> = items.iter().map(|e| p.value(e)).collect();
            let ty = array_element(&expr.ty).map(types::element);
            let n = names::number(items.len());
            quote!(abi::Array::<#ty>::from_vec(&[#n], ::std::vec![#(#items),*])#at)
        }
        ExprKind::Convert(inner)
            if array_element(&expr.ty).is_some() && array_element(&expr.ty) == array_element(&inner.ty) =>
        {
            let value = p.value(inner);
            let value = match (rank(&inner.ty), rank(&expr.ty)) {
                (a, Some(b)) if a != Some(b) => {
                    let (b, ty, at) = (names::number(b), type_text(&expr.ty), p.at(expr.span));
                    quote!(abi::ranked(#value, #b, #ty)#at)
                }
                _ => value,
            };
            sized(p, value, inner, expr)
        }
        ExprKind::Library { name, args } if is_typed_creation(expr) => {
            let ty = array_element(&expr.ty).map(types::element);
            let (function, at) = (Ident::new(*name), p.at(expr.span));
            let rank = names::number(rank(&expr.ty).unwrap_or(0));
            let args: Vec<_> = args.iter().map(|a| p.value(a)).collect();
            quote!(abi::#function::<#ty>(#rank, &[#(#args),*])#at)
        }
        ExprKind::Convert(inner) if array_element(&expr.ty).is_some() => {
            let value = typed(p, expr);
            sized(p, value, inner, expr)
        }
        ExprKind::Library { name: "on_processor", .. } => quote!(i32::from(abi::on_processor())),
        ExprKind::Library { name: "on_device", .. } => quote!(i32::from(abi::on_device())),
        _ if is_dynamic(&expr.ty) => match call(p, expr) {
            Some(value) => value,
            None => p.unsupported(expr.span, "an expression of this type in compiled host code"),
        },
        _ => typed(p, expr),
    }
}

/// Whether an array of a known element type is made from sizes that are listed.
fn is_typed_creation(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Library { name: "zeros" | "ones" | "uninit", args } => {
            array_element(&expr.ty).is_some()
                && !args.is_empty()
                && args.iter().all(|a| scalar(&a.ty) == Some(ElementType::Int32))
        }
        _ => false,
    }
}

/// Whether the type of a value has all sizes that another type promises.
fn known_sizes(value: &Expr, wanted: &ArrayType) -> bool {
    let known: &[Option<u32>] = match &value.ty {
        Type::Array(array) if array.rank == wanted.rank => &array.sizes,
        _ => &[],
    };
    wanted.sizes.iter().all(Option::is_none) || wanted.sizes == known
}

/// Tests the sizes that the type of a conversion promises and that of its operand does not.
fn sized(p: &mut Printer<'_>, value: Code, inner: &Expr, expr: &Expr) -> Code {
    let Type::Array(wanted) = &expr.ty else { return value };
    if known_sizes(inner, wanted) {
        return value;
    }
    let sizes = wanted.sizes.iter().map(|size| match size {
        Some(n) => {
            let n = names::number(*n as usize);
            quote!(::std::option::Option::Some(#n))
        }
        None => quote!(::std::option::Option::None),
    });
    let (ty, at) = (type_text(&expr.ty), p.at(expr.span));
    quote!(abi::sized(#value, &[#(#sizes),*], #ty)#at)
}

/// A dynamic value brought into the type of the expression.
fn typed(p: &mut Printer<'_>, expr: &Expr) -> Code {
    let Some(value) = call(p, expr) else {
        return p.unsupported(expr.span, "an expression of this type in compiled host code");
    };
    let (ty, at) = (types::host(&expr.ty), p.at(expr.span));
    quote!(abi::typed::<#ty>(#value)#at)
}

/// The expression as a dynamic value.
pub(super) fn dynamic(p: &mut Printer<'_>, expr: &Expr) -> Code {
    match call(p, expr).filter(|_| !is_tested(expr)) {
        Some(value) => value,
        None => {
            let value = p.value(expr);
            quote!(abi::value(&#value))
        }
    }
}

/// Whether an expression is a conversion that tests sizes or the class of an object, which its own Rust type does.
fn is_tested(expr: &Expr) -> bool {
    let ExprKind::Convert(inner) = &expr.kind else { return false };
    match &expr.ty {
        Type::Class(_) | Type::Pointer(_) => true,
        Type::Array(array) => array_element(&expr.ty).is_some() && !known_sizes(inner, array),
        _ => false,
    }
}

/// The expression as a dynamic value, where the library of values computes it.
fn call(p: &mut Printer<'_>, expr: &Expr) -> Option<Code> {
    let at = p.at(expr.span);
    Some(match &expr.kind {
        ExprKind::Local(v) => {
            let v = names::local(*v);
            quote!(abi::value(&#v))
        }
        ExprKind::Null => quote!(abi::Value::Null),
        ExprKind::Function { function, captures } => function_value(p, *function, captures),
        ExprKind::Apply { row, args } if !args.iter().all(|a| scalar(&a.ty).is_some()) => {
            let args: Vec<_> = args.iter().map(|a| dynamic(p, a)).collect();
            let (name, working) = (row.name, working(p));
            let applied = quote!(abi::apply(#name, &[#(#args),*], #working)#at);
            match build::rank_of_number(row, &expr.ty) {
                Some(rank) => {
                    let rank = names::number(rank);
                    quote!(abi::kept(#applied, #rank)#at)
                }
                None => applied,
            }
        }
        ExprKind::Convert(inner) if scalar(&expr.ty).is_none() || scalar(&inner.ty).is_none() => {
            convert(p, inner, expr)
        }
        ExprKind::Array(items) => {
            let element = array_element(&expr.ty);
            let items: Vec<_> = items.iter().map(|e| dynamic(p, e)).collect();
            match element {
                Some(element) => {
                    let element = element_name(element);
                    quote!(abi::stack(#element, ::std::vec![#(#items),*])#at)
                }
                None => quote!(abi::Value::cell(::std::vec![#(#items),*])),
            }
        }
        ExprKind::Tuple(items) if is_dynamic(&expr.ty) => {
            let items: Vec<_> = items.iter().map(|e| dynamic(p, e)).collect();
            quote!(abi::Value::cell(::std::vec![#(#items),*]))
        }
        ExprKind::Sequence(range) => sequence(p, range, &at),
        ExprKind::Load { array, index, boundary } => load(p, array, index, *boundary, expr),
        ExprKind::Extent(array, axis) if is_dynamic(&array.ty) => {
            let (array, axis) = (dynamic(p, array), names::number(*axis));
            quote!(abi::extent(&#array, #axis))
        }
        ExprKind::Count(array) if is_dynamic(&array.ty) => {
            let array = dynamic(p, array);
            quote!(abi::count(&#array))
        }
        ExprKind::Field(inner, k) if is_dynamic(&inner.ty) => {
            let (inner, k) = (dynamic(p, inner), names::number(*k));
            quote!(abi::component(&#inner, #k)#at)
        }
        ExprKind::Reduce { row, arg, axis } => {
            let name = match row.name {
                "add" => "sum",
                "multiply" => "prod",
                "min" if axis.is_some() => "mindim",
                "max" if axis.is_some() => "maxdim",
                other => other,
            };
            let arg = dynamic(p, arg);
            let axis = axis.map(|axis| {
                let axis = axis as i64;
                quote!(, abi::Value::int(#axis))
            });
            let working = working(p);
            quote!(abi::call(#name, &[#arg #axis], #working)#at)
        }
        ExprKind::Library { .. } if is_typed_creation(expr) => return None,
        ExprKind::Library { name, args } => {
            let mut args: Vec<_> = args.iter().map(|a| shown(p, a)).collect();
            if let (Type::Array(array), "zeros" | "ones" | "uninit") = (&expr.ty, *name) {
                let element = match &*array.element {
                    Type::Enum(_) => Type::INT.to_string(),
                    element => element.to_string(),
                };
                args.insert(0, quote!(abi::Value::TypeName(#element.into())));
            }
            let working = working(p);
            let made = quote!(abi::call(#name, &[#(#args),*], #working)#at);
            match &expr.ty {
                // Compiled arrays hold the numbers of enums.
                Type::Array(array) if matches!(*array.element, Type::Enum(_)) => {
                    let ty = type_text(&expr.ty);
                    quote!(abi::convert(#made, abi::ElementType::Int32, abi::Overflow::Wrap, 0, #ty)#at)
                }
                _ => made,
            }
        }
        ExprKind::BlockSize(asked) => block_size(p, asked, &at),
        ExprKind::Coordinate(..) => p.unsupported(expr.span, "a position in host code"),
        _ => return None,
    })
}

/// What the program asks about blocks, with what is known of the versions of the kernel.
fn block_size(p: &mut Printer<'_>, asked: &BlockSize, at: &Code) -> Code {
    let versions = asked_about(p.unit.program, asked).into_iter().map(|(id, needs)| {
        let device = match p.unit.devices.contains_key(&id) {
            true => {
                let constant = offload::constant(&p.unit.program.kernels[id]);
                quote!(::std::option::Option::Some(&#constant))
            }
            false => quote!(::std::option::Option::None),
        };
        let (rank, threads) = (names::number(needs.rank), names::number(needs.threads));
        let usual = match &needs.usual {
            Some(block) => {
                let block = block.iter().map(|&n| names::number(n));
                quote!(::std::option::Option::Some(&[#(#block),*]))
            }
            None => quote!(::std::option::Option::None),
        };
        let shared = needs.shared.iter().map(|(factor, powers)| {
            let (factor, powers) = (Literal::typed(*factor, "i64"), powers.iter().map(|n| Literal::plain(*n)));
            quote!((#factor, [#(#powers),*]))
        });
        let needs = quote!(lib::BlockNeeds { rank: #rank, threads: #threads, usual: #usual, shared: &[#(#shared),*] });
        quote!(abi::BlockVersion { needs: #needs, device: #device })
    });
    let versions: Vec<_> = versions.collect();
    let dims = match &asked.dims {
        Some(dims) => {
            let dims = dynamic(p, dims);
            quote!(::std::option::Option::Some(&#dims))
        }
        None => quote!(::std::option::Option::None),
    };
    let question = if asked.largest { quote!(largest_block) } else { quote!(usual_block) };
    quote!(abi::#question(&[#(#versions),*], #dims)#at)
}

/// A value as library functions see it: enums with their names.
fn shown(p: &mut Printer<'_>, expr: &Expr) -> Code {
    let value = dynamic(p, expr);
    if let Type::Enum(id) = &expr.ty
        && let Some((name, members)) = p.unit.program.enums.get(id.0 as usize)
    {
        let members = members.iter().map(|(member, number)| quote!((#member, #number)));
        return quote!(abi::member(#value, #name, &[#(#members),*]));
    }
    value
}

fn working(p: &Printer<'_>) -> Code {
    element_name(p.unit.options.working)
}

pub(super) fn element_name(element: ElementType) -> Code {
    let name = Ident::new(format!("{element:?}"));
    quote!(abi::ElementType::#name)
}

pub(super) fn overflow_name(overflow: Overflow) -> Code {
    match overflow {
        Overflow::Checked => quote!(abi::Overflow::Checked),
        Overflow::Saturate => quote!(abi::Overflow::Saturate),
        Overflow::Wrap => quote!(abi::Overflow::Wrap),
        Overflow::Truth => quote!(abi::Overflow::Truth),
    }
}

/// A function as a value: a function of the runtime library that takes values and calls it.
fn function_value(p: &mut Printer<'_>, function: FunctionId, captures: &[Expr]) -> Code {
    let captured: Vec<_> = captures.iter().map(|value| dynamic(p, value)).collect();
    let callee = &p.unit.program.functions[function];
    let (text, takes, is_method) = callee.as_value(captures.len());
    let takes = names::number(takes);
    let args = callee.body.params.iter().map(|_| quote!(abi::typed(abi::next(&mut all)?)?));
    let name = names::function(&callee.name);
    let results: Vec<_> = (0..callee.body.results.len()).map(|k| Ident::new(format!("r{k}"))).collect();
    let pattern = match &results[..] {
        [] => quote!(()),
        [one] => quote!(#one),
        several => quote!((#(#several),*)),
    };
    quote! {
        abi::function(#text, #takes, #is_method, ::std::vec![#(#captured),*], |mut all| {
            let #pattern = #name(#(#args),*)?;
            let _ = all;
            ::std::result::Result::Ok(::std::vec![#(#results),*])
        })
    }
}

fn convert(p: &mut Printer<'_>, inner: &Expr, expr: &Expr) -> Code {
    let at = p.at(expr.span);
    let value = match (&inner.ty, &expr.ty) {
        (Type::Tuple(_), Type::Dynamic | Type::Array(_)) => {
            let value = dynamic(p, inner);
            quote!(#value.with_cells())
        }
        _ => dynamic(p, inner),
    };
    match &expr.ty {
        Type::Dynamic => value,
        Type::Scalar(element, overflow) => {
            let (element, overflow) = (element_name(*element), overflow_name(*overflow));
            quote!(abi::scalar(#value, #element, #overflow)#at)
        }
        Type::Enum(_) => quote!(abi::scalar(#value, abi::ElementType::Int32, abi::Overflow::Wrap)#at),
        Type::Array(array) => {
            let same = inner.ty.as_array().is_some_and(|from| from.element == array.element);
            let value = match converted_array(&value, array, same) {
                Some(converted) => quote!(#converted #at),
                None => value,
            };
            match rank(&expr.ty) {
                Some(b) if scalar(&array.element).is_none() && rank(&inner.ty) != Some(b) => {
                    let (b, ty) = (names::number(b), type_text(&expr.ty));
                    quote!(abi::ranked_items(#value, #b, #ty)#at)
                }
                _ => value,
            }
        }
        Type::Function(_) => {
            let ty = type_text(&expr.ty);
            quote!(abi::function_value(#value, #ty)#at)
        }
        Type::Text
        | Type::Tuple(_)
        | Type::Closure(_)
        | Type::Choice(_)
        | Type::Class(_)
        | Type::Pointer(_)
        | Type::Unit
        | Type::TypeValue
        | Type::Null
        | Type::Group(_)
        | Type::Error => value,
    }
}

/// An array as one with elements of another type, a `Result`; `None` where there is nothing to do. Unless its elements have
/// that type already, arrays in it are converted, and numbers are no items.
fn converted_array(value: &Code, array: &ArrayType, same: bool) -> Option<Code> {
    let ty = Type::Array(array.clone());
    let text = type_text(&ty);
    if let Some(element) = scalar(&array.element) {
        let overflow = match &*array.element {
            Type::Scalar(_, overflow) => overflow_name(*overflow),
            _ => overflow_name(Overflow::Wrap),
        };
        let (element, rank) = (element_name(element), names::number(rank(&ty).unwrap_or(0)));
        return Some(quote!(abi::convert(#value, #element, #overflow, #rank, #text)));
    }
    if same || *array.element == Type::Dynamic {
        return None;
    }
    let each = array.element.as_array().and_then(|inner| converted_array(&quote!(item), inner, false));
    Some(match each {
        Some(each) => quote!(abi::convert_items(#value, #text, |item| #each)),
        None => quote!(abi::array_of_items(#value, #text)),
    })
}

fn sequence(p: &mut Printer<'_>, range: &Range, at: &Code) -> Code {
    let (from, to) = (dynamic(p, &range.from), dynamic(p, &range.to));
    let step = match &range.step {
        Some(step) => {
            let step = dynamic(p, step);
            quote!(::std::option::Option::Some(&#step))
        }
        None => quote!(::std::option::Option::None),
    };
    quote!(abi::sequence(&#from, #step, &#to)#at)
}

fn boundary_name(boundary: Boundary) -> Code {
    let name = Ident::new(format!("{boundary:?}"));
    quote!(abi::Boundary::#name)
}

/// How an array is accessed: its name, what outside means, what a value that does not fit means.
fn access(p: &Printer<'_>, array: &Expr, boundary: Boundary) -> Code {
    let named = unconverted(array);
    let name = match &named.kind {
        ExprKind::Local(v) => p.body.variables[*v].said(),
        ExprKind::Global(g) => p.unit.program.globals[*g].name.as_str(),
        _ => "array",
    };
    let boundary = boundary_name(boundary);
    let overflow = match &named.ty {
        Type::Array(array) => array.overflow(),
        _ => Overflow::Checked,
    };
    let overflow = overflow_name(overflow);
    quote!(abi::Access { name: #name, boundary: #boundary, overflow: #overflow })
}

fn indices(p: &mut Printer<'_>, index: &[Index]) -> Code {
    let items: Vec<_> = index
        .iter()
        .map(|each| match each {
            Index::At(e) if scalar(&e.ty).is_some() => {
                let value = p.value(e);
                quote!(abi::Index::At((#value) as i64))
            }
            Index::At(e) => {
                let (value, at) = (dynamic(p, e), p.at(e.span));
                quote!(abi::Index::from_value(&#value)#at)
            }
            Index::Range(range) => {
                let at = p.at(range.from.span);
                let (from, to) = (dynamic(p, &range.from), dynamic(p, &range.to));
                let step = match &range.step {
                    Some(step) => dynamic(p, step),
                    None => quote!(abi::Value::int(1)),
                };
                quote!(abi::index_range(&#from, &#step, &#to)#at)
            }
            // A number, a vector or a mask.
            Index::List(e) if is_dynamic(&e.ty) => {
                let (value, at) = (dynamic(p, e), p.at(e.span));
                quote!(abi::Index::from_value(&#value)#at)
            }
            Index::List(e) => {
                let (value, at) = (dynamic(p, e), p.at(e.span));
                quote!(abi::index_list(&#value)#at)
            }
            Index::Position(e) => {
                let (value, at) = (dynamic(p, e), p.at(e.span));
                quote!(abi::index_position(&#value)#at)
            }
            Index::All => quote!(abi::Index::All),
        })
        .collect();
    quote!(&[#(#items),*])
}

/// A single element of a typed array.
fn element_load(
    p: &mut Printer<'_>,
    array: &Expr,
    index: &[Index],
    boundary: Boundary,
    expr: &Expr,
) -> Option<Code> {
    array_element(&array.ty)?;
    let at = element_position(p, array, index)?;
    let place = p.place(array);
    let mode = types::mode(boundary);
    if boundary == Boundary::Checked {
        let (site, here) = (p.site(array, expr.span), p.at(expr.span));
        return Some(quote!(abi::element_checked(&#place, #at, #site)#here));
    }
    let here = p.at(expr.span);
    Some(quote!(abi::element::<#mode, _, _>(&#place, #at)#here))
}

fn element_position(p: &mut Printer<'_>, array: &Expr, index: &[Index]) -> Option<Code> {
    if rank(&array.ty) != Some(index.len()) {
        return None;
    }
    let mut items = Vec::new();
    for each in index {
        let Index::At(e) = each else { return None };
        scalar(&e.ty)?;
        items.push(p.value(e));
    }
    Some(quote!([#(#items),*]))
}

fn load(p: &mut Printer<'_>, array: &Expr, index: &[Index], boundary: Boundary, expr: &Expr) -> Code {
    let (value, index) = (dynamic(p, array), indices(p, index));
    let (access, at) = (access(p, array, boundary), p.at(expr.span));
    quote!(abi::load(&#value, #index, #access)#at)
}

/// Where an expression's value is bound to a name.
pub(super) fn bind(p: &mut Printer<'_>, name: &Ident, expr: &Expr) -> Code {
    let value = p.value(expr);
    quote!(let #name = #value;)
}
