//! Launches: arguments become views, results come back combined with their old values.

use super::code::{Code, Ident, Literal, quote};
use super::expr::{self, Printer};
use super::host;
use super::kernel::{in_blocks, is_small, reaches_of};
use super::names::{self, number};
use super::offload;
use super::stmt::anonymous;
use super::types::{self, array_element, fixed, rank, scalar};
use crate::analysis::access_pattern::{AccessPattern, DEPTH, changes};
use crate::analysis::cost::{Work, work_of};
use crate::analysis::param_aliasing;
use crate::ir::affine::{AffineForm, Symbol};
use crate::ir::barriers::{has_grid_barriers, meets};
use crate::ir::print::kernel_text;
use crate::ir::rewrite::visit_stmts;
use crate::ir::schedule::Operations;
use crate::ir::{Dims, ExprKind, Kernel, LaunchMode, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::types::{Boundary, ElementType, Type};
use std::collections::BTreeMap;

/// A launch of a kernel from host code.
pub(super) fn launch(p: &mut Printer<'_>, stmt: &Stmt) -> Code {
    let StmtKind::Launch { kernel: id, dims, block, args, results, mode } = &stmt.kind else {
        return Code::new();
    };
    let kernel = &p.unit.program.kernels[*id];
    let said =
        format!("({}) {}", if mode.is_serial() { "serial_do" } else { "parallel_do" }, kernel.shown_name());
    let reaches = reaches_of(p.unit, kernel);
    let at = p.at(stmt.span);
    let division = if mode.is_serial() { None } else { offload::rank_division(kernel, &said) };
    let by_rows = division.is_some() && kernel.schedule.ranks.as_ref().is_some_and(|ranks| ranks.by_rows);
    let is_linear = kernel.schedule.linearized && !by_rows;
    let mut paged = Vec::new();
    let mut shapes = Vec::new();
    let conflicts = param_aliasing::conflicts(p.unit.program, kernel);
    let (mut bound, mut kept, mut guards, mut finish) = (Code::new(), Code::new(), Code::new(), Code::new());
    let mut wanted = Vec::new();
    let mut views = quote!(());
    let mut written = Vec::new();
    for (k, (arg, param)) in args.iter().zip(&kernel.body.params).enumerate() {
        let a = anonymous("a", k);
        let ty = &kernel.body.variables[*param].ty;
        bound.extend(host::bind(p, &a, arg));
        if reaches.get(param).is_some_and(|r| *r != AccessPattern::ReadOnly) {
            written.push((k, array_element(ty)));
        }
    }
    for (k, param) in kernel.body.params.iter().enumerate().rev() {
        let (a, g, h) = (anonymous("a", k), anonymous("g", k), anonymous("h", k));
        let ty = &kernel.body.variables[*param].ty;
        let view = match reaches.get(param) {
            Some(reach) => {
                let (e, n) = (array_element(ty).map(types::element), number(rank(ty).unwrap_or(1)));
                let strip_place = by_rows.then(|| offload::place(kernel, k));
                let dims = match is_linear {
                    true => quote!(&abi::extents_in_row(&row, #a.dims())),
                    false => quote!(#a.dims()),
                };
                if !matches!(reach, AccessPattern::Histogram(_)) {
                    shapes.push(quote!(#a.dims()));
                }
                let written_view =
                    |kind: &Code| (guard(k, true, strip_place, &at), quote!(lib::#kind::new(&mut #g, #dims)));
                if let Some(place) = strip_place.filter(|_| goes_by_strips(reach)) {
                    let place = number(place);
                    paged.push(quote!((#place, &mut #g)));
                }
                let (guard, view) = match reach {
                    AccessPattern::ReadOnly => {
                        let view = match kernel.schedule.rows.contains_key(param) {
                            true => quote!(lib::Rows::<#e, #n>::all(&#g, #dims)),
                            false => quote!(lib::View::<#e, #n>::new(&#g, #dims)),
                        };
                        (guard(k, false, strip_place, &at), view)
                    }
                    AccessPattern::OwnRows { .. } => written_view(&quote!(Band::<#e, #n>)),
                    AccessPattern::Bands { count } => {
                        let count = number(*count);
                        written_view(&quote!(Bands::<#e, #n, #count>))
                    }
                    AccessPattern::AxisSlices { axis } => {
                        let axis = number(*axis);
                        written_view(&quote!(AxisSlices::<#e, #n, #axis>))
                    }
                    AccessPattern::Scatter => written_view(&quote!(Scatter::<#e, #n>)),
                    AccessPattern::Exclusive => written_view(&quote!(Whole::<#e, #n>)),
                    AccessPattern::Cells => {
                        (quote!(let #g = #a.cells_held(#h)#at;), quote!(#g.view::<#n>(#a.dims())))
                    }
                    AccessPattern::Histogram(_) => {
                        let t = anonymous("t", k);
                        match checked_update(kernel, *param) {
                            Some(span) => {
                                let line = Literal::plain(p.line(span));
                                let name = &kernel.body.variables[*param].name;
                                finish.extend(quote! {
                                    abi::tallied(#t.finish(), #a.len(), #name, abi::place(#said, HERE, #line))?;
                                });
                            }
                            None => finish.extend(quote!(let _ = #t.finish();)),
                        }
                        (
                            quote! {
                                let mut #g = #a.write_held(#h)#at;
                                let #t = lib::Tally::<#e, lib::Add, #n>::new(&mut #g, #a.dims());
                            },
                            quote!(&#t),
                        )
                    }
                };
                if *reach == AccessPattern::ReadOnly {
                    let element = array_element(ty);
                    for (j, other) in &written {
                        if *other == element {
                            let b = anonymous("a", *j);
                            let conflict = conflicts.iter().find(|c| (c.read, c.written) == (k, *j));
                            if conflict.is_some_and(|c| !c.in_order || mode.is_serial() || !kernel.parallel) {
                                let name = |k: usize| &kernel.body.variables[kernel.body.params[k]].name;
                                let (read, written) = (name(k), name(*j));
                                bound.extend(quote!(abi::distinct(&#a, &#b, #read, #written)#at;));
                            }
                        }
                    }
                }
                guards.extend(guard);
                let reads = match reach {
                    AccessPattern::Cells => !changes(p.unit.program, &kernel.body.block, *param, DEPTH),
                    reach => *reach == AccessPattern::ReadOnly,
                };
                let access = if reads { quote!(reading) } else { quote!(writing) };
                wanted.push((h, quote!(abi::#access(&#a))));
                view
            }
            None => {
                // Small arrays are read when the launch holds all its arrays: nobody changes them in between.
                let v = anonymous("v", k);
                let value = kept_by_threads(&quote!(#a), ty, &at, &mut wanted);
                kept.extend(quote!(let #v = #value;));
                quote!(#v)
            }
        };
        views = quote!((#view, #views));
    }
    let size = extents(p, dims, &at);
    let (mut asked, mut asked_block) = (quote!(::std::option::Option::None), Code::new());
    let grid = match block {
        Some(block) => {
            let block = extents(p, block, &at);
            asked = quote!(::std::option::Option::Some(&block));
            asked_block = quote!(let block = #block;);
            quote!(#asked_block let grid = abi::blocks(size, block)#at;)
        }
        None if in_blocks(kernel) => quote!(let grid = lib::Grid::new(size);),
        None => Code::new(),
    };
    if in_blocks(kernel) {
        views = quote!((grid, #views));
    }
    // Blocks that wait for each other are visited by one thread.
    let in_order = mode.is_serial()
        || !kernel.parallel
        || kernel.schedule.one_thread
        || has_grid_barriers(&kernel.body.block);
    let depth = if in_order { 0 } else { depth(&reaches, kernel.rank) };
    let cost = position_cost(kernel, &reaches);
    let depth = number(depth);
    let line = Literal::plain(p.line(kernel.span));
    let together = meets(&kernel.body.block);
    let counted = counted_operations(kernel);
    let (box_, cost) = if together {
        (quote!(grid.block_counts()), quote!(abi::block_cost(&grid, #cost)))
    } else if is_linear {
        (quote!(row.unwrap_or(size)), quote!(#cost))
    } else {
        (quote!(size), quote!(#cost))
    };
    let row = match is_linear {
        true => quote!(let row = abi::one_row(&size, &[#(#shapes),*]);),
        false => Code::new(),
    };
    let (name, n) = (names::kernel(&kernel.name), number(kernel.rank));
    let received = receive_sums(p, stmt, results);
    if *mode == LaunchMode::IfProfitable {
        let Some(Some(ran)) = results.last() else { return Code::new() };
        let ran = names::local(*ran);
        if !p.unit.devices.contains_key(id) {
            return quote!(#ran = 0i32;);
        }
        let (device, found) = (offload::constant(kernel), offload::results(kernel));
        let args = offload::arguments(kernel, &reaches);
        return quote! {{
            #bound
            let size = #size;
            #counted
            #asked_block
            match if abi::device_in_use() { abi::offload(&#device, &size, #asked, &[#args], #said, HERE)? } else { ::std::option::Option::None } {
                ::std::option::Option::Some(found) => {
                    let sums = #found;
                    #received
                    #ran = 1i32;
                }
                ::std::option::Option::None => #ran = 0i32,
            }
        }};
    }
    let (holds, wanted): (Vec<_>, Vec<_>) = wanted.into_iter().unzip();
    let held = match wanted.is_empty() {
        true => Code::new(),
        false if kernel.aliased => quote!(let [#(#holds),*] = abi::hold_aliased([#(#wanted),*])#at;),
        false => quote!(let [#(#holds),*] = abi::hold([#(#wanted),*])#at;),
    };
    let plan = quote!(abi::Plan { depth: #depth, cost: #cost, kernel: &abi::Source { name: #said, file: HERE.1, line: #line } });
    let launched = match by_rows {
        false => quote!(let sums = abi::launch::<#name, #n>(#box_, #views, #plan, &fault);),
        true => quote! {
            let (mut fault, mut sums) = (fault, ::std::option::Option::None);
            while let ::std::option::Option::Some(strip) = strips.next(&mut [#(#paged),*], &fault)#at {
                let part;
                (part, fault) = abi::launch_strip::<#name, #n>(#box_, #views, #plan, &share, &strip, fault)?;
                sums = abi::merge_strips::<#name, #n>(sums, part);
            }
            let sums = abi::all_strips(sums)?;
        },
    };
    let mut here = quote! {{
        #held
        #kept
        #guards
        #row
        let fault = lib::Fault::new();
        #launched
        #finish
        abi::finish(fault, #said, HERE)?;
        sums
    }};
    let floats = offload::floats_written(p.unit, kernel, &reaches);
    if !floats.is_empty() {
        let floats = floats.into_iter().map(|(k, name, line)| {
            let (a, line) = (anonymous("a", k), Literal::plain(line));
            quote!((&#a, #name, #line))
        });
        here = quote! {{
            let watch = abi::watch(&[#(#floats),*])?;
            let sums = #here;
            abi::watched(watch, #said, HERE)?;
            sums
        }};
    }
    let sums = if !mode.is_serial() && p.unit.devices.contains_key(id) {
        let (device, found) = (offload::constant(kernel), offload::results(kernel));
        let args = offload::arguments(kernel, &reaches);
        let offload = match (&division, mode) {
            (Some(_), _) => quote!(offload_share),
            (None, LaunchMode::Devices) => quote!(offload_to_all),
            (None, _) => quote!(offload),
        };
        let share = if division.is_some() { quote!(&share,) } else { Code::new() };
        let whole = if division.is_some() { quote!(&&strips.is_whole()) } else { Code::new() };
        quote! {
            match if abi::device_in_use() #whole { abi::#offload(#share &#device, &size, #asked, &[#args], #said, HERE)? } else { ::std::option::Option::None } {
                ::std::option::Option::Some(found) => #found,
                ::std::option::Option::None => #here,
            }
        }
    } else {
        here
    };
    let (shared, ended) = match &division {
        None => (Code::new(), Code::new()),
        Some(division) => {
            let args = offload::arguments(kernel, &reaches);
            let seal = Literal::typed(seal(p, kernel), "u64");
            let begun = quote! {
                let division = #division;
                let given = [#args];
                let share = abi::share(&division, &size, &given)#at;
                let mut strips = abi::strips(&division, &size, &given, #seal)#at;
            };
            (begun, quote!(share.end()?;))
        }
    };
    quote! {{
        #bound
        let size = #size;
        #counted
        #grid
        #shared
        let sums = #sums;
        #ended
        #received
    }}
}

/// Tells a profile how many operations a position of the next launch has, if that is known.
fn counted_operations(kernel: &Kernel) -> Code {
    let known = kernel.schedule.operations.as_ref().and_then(|known| operations_of(kernel, known));
    let told = known.map_or_else(
        || quote!(::std::option::Option::None),
        |known| quote!(::std::option::Option::Some(#known)),
    );
    quote!(abi::operations(|| #told);)
}

fn operations_of(kernel: &Kernel, known: &Operations) -> Option<Code> {
    let fixed = Literal::typed(known.fixed, "i64");
    let mut code = quote!(#fixed as f64);
    for (rounds, inside) in &known.loops {
        let (rounds, inside) = (rounds_of(kernel, rounds)?, operations_of(kernel, inside)?);
        code.extend(quote!(+ (#rounds).max(0.0) * (#inside)));
    }
    Some(code)
}

/// A sum over the arguments of a launch. Arrays that threads make or keep in registers have no extents here.
fn rounds_of(kernel: &Kernel, sum: &AffineForm) -> Option<Code> {
    let argument = |v| kernel.body.params.contains(v);
    let told = sum.terms.iter().all(|(symbol, _)| match symbol {
        Symbol::Extent(v, _) => argument(v) && !is_small(&kernel.body.variables[*v].ty),
        Symbol::Value(v) => argument(v),
        Symbol::Launch(_) => true,
        Symbol::Position(_) => false,
    });
    let trips = trips_of(kernel, sum);
    told.then(|| quote!((#trips) as f64))
}

/// One extent per component of the position.
fn extents(p: &mut Printer<'_>, dims: &Dims, at: &Code) -> Code {
    match dims {
        Dims::Each(each) => {
            let each: Vec<_> = each.iter().map(|e| p.value(e)).collect();
            quote!([#(#each),*])
        }
        Dims::Vector(vector) => {
            let vector = host::dynamic(p, vector);
            quote!(abi::dims(&#vector)#at)
        }
    }
}

/// Where a kernel adds to elements of an array that must exist.
fn checked_update(kernel: &Kernel, array: VarId) -> Option<Span> {
    let mut found = None;
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if let StmtKind::Update { array: to, boundary: Boundary::Checked, .. } = &stmt.kind
            && matches!(to.kind, ExprKind::Local(v) if v == array)
        {
            found = found.or(Some(stmt.span));
        }
    });
    found
}

/// The guard of an array; where launches may go strip by strip, with its place among the arguments.
fn guard(k: usize, writes: bool, strip_place: Option<usize>, at: &Code) -> Code {
    let (a, g, h) = (anonymous("a", k), anonymous("g", k), anonymous("h", k));
    match (strip_place.map(number), writes) {
        (None, false) => quote!(let #g = #a.read_held(#h)#at;),
        (None, true) => quote!(let mut #g = #a.write_held(#h)#at;),
        (Some(place), false) => quote!(let mut #g = strips.reading(&#a, #h, #place)#at;),
        (Some(place), true) => quote!(let mut #g = strips.writing(&#a, #h, #place)#at;),
    }
}

/// What tells a launch from those of other programs; 0 where positions cannot be visited again.
fn seal(p: &Printer<'_>, kernel: &Kernel) -> u64 {
    if !kernel.schedule.ranks.as_ref().is_some_and(|division| division.repeatable) {
        return 0;
    }
    let add = |hash: u64, text: &str| {
        text.bytes().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    let texts = p.unit.sources.files().map(|(_, file)| file.text.as_str());
    let hash = texts.fold(add(0xcbf2_9ce4_8422_2325, env!("CARGO_PKG_VERSION")), add);
    add(hash, &kernel_text(p.unit.program, kernel)).max(1)
}

/// Whether a launch may go strip by strip over an array that it uses so.
fn goes_by_strips(reach: &AccessPattern) -> bool {
    !matches!(reach, AccessPattern::Cells | AccessPattern::Histogram(_))
}

/// How many leading components of the position parts of the launch may differ in.
fn depth(reaches: &BTreeMap<VarId, AccessPattern>, rank: usize) -> usize {
    let depths = reaches.values().filter_map(|reach| match reach {
        AccessPattern::OwnRows { depth, .. } => Some(*depth),
        AccessPattern::Bands { .. } | AccessPattern::AxisSlices { .. } => Some(1),
        AccessPattern::Exclusive | AccessPattern::Cells => Some(0),
        AccessPattern::ReadOnly | AccessPattern::Scatter | AccessPattern::Histogram(_) => None,
    });
    depths.min().unwrap_or(rank)
}

/// An argument of which each thread has its own copy. `wanted` are the accesses of the launch, to which those of small arrays
/// are added.
fn kept_by_threads(value: &Code, ty: &Type, at: &Code, wanted: &mut Vec<(Ident, Code)>) -> Code {
    let parts: Vec<&Type> = match ty {
        _ if is_small(ty) => {
            let count = number(fixed(ty).unwrap_or_default().iter().product());
            let held = anonymous("s", wanted.len());
            wanted.push((held.clone(), quote!(abi::reading(&#value))));
            return quote!(abi::small::<_, #count>(&#value, #held)#at);
        }
        Type::Closure(closure) => closure.captures.iter().map(|(_, ty)| ty).collect(),
        Type::Tuple(parts) => parts.iter().collect(),
        _ => return value.clone(),
    };
    let parts = parts.iter().enumerate().map(|(k, part)| {
        let k = number(k);
        kept_by_threads(&quote!(#value.#k), part, at, wanted)
    });
    quote!((#(#parts,)*))
}

fn receive_sums(p: &mut Printer<'_>, stmt: &Stmt, results: &[Option<crate::ir::VarId>]) -> Code {
    let StmtKind::Launch { kernel, .. } = &stmt.kind else { return Code::new() };
    let kernel = &p.unit.program.kernels[*kernel];
    let (mut tokens, mut path) = (Code::new(), quote!(sums));
    for (k, result) in kernel.body.results.iter().enumerate() {
        let inside = &kernel.body.variables[*result].ty;
        let value = quote!(#path.0);
        path = quote!(#path.1);
        let Some(Some(target)) = results.get(k) else { continue };
        let v = names::local(*target);
        if let Some(accumulator) = kernel.accumulators.iter().find(|a| a.variable == *result) {
            let element = scalar(inside).unwrap_or(ElementType::Int32);
            let combined = expr::apply(accumulator.row, element, vec![quote!(#v), value]);
            tokens.extend(quote!(#v = #combined;));
        } else if matches!(inside, Type::Array(_)) {
            let at = p.at(stmt.span);
            let sizes = fixed(inside).unwrap_or_default();
            let sizes = sizes.iter().map(|s| number(*s));
            tokens.extend(quote!(#v = abi::Array::from_vec(&[#(#sizes),*], (#value).to_vec())#at;));
        } else {
            tokens.extend(quote!(#v = #value;));
        }
    }
    tokens
}

/// The estimated operations of a position, as code behind the arguments of a launch and its size.
fn position_cost(kernel: &Kernel, reaches: &BTreeMap<VarId, AccessPattern>) -> Code {
    let known = |symbol| match symbol {
        Symbol::Launch(_) => true,
        Symbol::Extent(v, _) => reaches.contains_key(&v),
        Symbol::Value(v) => {
            kernel.body.params.contains(&v)
                && scalar(&kernel.body.variables[v].ty) == Some(ElementType::Int32)
        }
        Symbol::Position(_) => false,
    };
    cost_of(kernel, &work_of(kernel, &known))
}

fn cost_of(kernel: &Kernel, work: &Work) -> Code {
    let operations = Literal::plain(work.operations);
    if work.loops.is_empty() {
        return quote!(#operations);
    }
    let loops = work.loops.iter().map(|(trips, each)| {
        let (trips, each) = (trips_of(kernel, trips), cost_of(kernel, each));
        quote!((#trips, #each))
    });
    quote!(abi::position_cost(#operations, &[#(#loops),*]))
}

/// How many iterations a loop has.
fn trips_of(kernel: &Kernel, trips: &AffineForm) -> Code {
    let argument = |v| kernel.body.params.iter().position(|param| *param == v).map(|k| anonymous("a", k));
    let constant = Literal::typed(trips.constant, "i64");
    let mut sum = quote!(#constant);
    for &(symbol, factor) in &trips.terms {
        let value = match symbol {
            Symbol::Launch(axis) => {
                let axis = number(axis);
                quote!(size[#axis])
            }
            Symbol::Extent(v, axis) => {
                let (a, axis) = (argument(v), number(axis));
                quote!(#a.extent(#axis))
            }
            Symbol::Value(v) => {
                let a = argument(v);
                quote!(#a)
            }
            Symbol::Position(_) => continue,
        };
        let factor = Literal::typed(factor, "i64");
        sum = quote!(#sum + #factor * #value as i64);
    }
    sum
}
