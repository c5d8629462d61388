//! The code around the positions of a kernel: what each row fetches, the walk over rows, and the walk along one.

use super::super::code::{Code, Ident, quote};
use super::super::names::{self, number};
use super::super::params::point_type;
use super::super::results::{laned, result_values};
use super::super::stmt::anonymous;
use super::super::types::{self, array_element, rank};
use super::lanes::{Packed, Printed};
use super::{Shaped, across, elements_ident, extent_ident, fast_path, in_blocks, slice_name};
use crate::analysis::access_pattern::{AccessPattern, HistogramKind};
use crate::ir::rewrite::{operands, set_in, visit, visit_stmts};
use crate::ir::{ExprKind, Kernel, VarId, VarSet};
use crate::target::cpu::{HISTOGRAM_COPIES, PREFETCH_POSITIONS, ROWS_IN_CACHE, STRIP_COLUMNS, SUM_LANES};
use crate::types::Boundary;

/// The parameters (array views last) that the code of one position needs, with the arguments of its call.
pub(super) fn inner(
    shaped: &Shaped<'_>,
    kernel: &Kernel,
    name: &Ident,
    locals: Code,
    body: Code,
) -> (Code, Code) {
    let found = shaped.found.borrow();
    let (mut params, mut args, mut trims) = (Code::new(), Code::new(), Code::new());
    let (mut slices, mut written, mut ahead) = (Vec::new(), Vec::new(), Vec::new());
    let last = kernel.rank - 1;
    for axis in 0..last {
        let p = names::position(axis);
        let axis = number(axis);
        params.extend(quote!(#p: i32,));
        args.extend(quote!(at[#axis],));
    }
    if in_blocks(kernel) {
        let rank = number(kernel.rank);
        params.extend(quote!(grid: lib::Grid<#rank>,));
        args.extend(quote!(grid,));
    }
    let used = used_variables(kernel);
    for &param in &kernel.body.params {
        let v = names::local(param);
        let ty = &kernel.body.variables[param].ty;
        match shaped.reaches.get(&param) {
            Some(AccessPattern::OwnRows { row: true, .. }) => {
                let (w, k) = (anonymous("w", param.index()), anonymous("k", param.index()));
                let e = array_element(ty).map(types::element);
                params.extend(quote!(#w: &mut [#e], #k: bool,));
                args.extend(quote!(#w, #k,));
                trims.extend(quote!(let #w = &mut #w[..n];));
                written.push(w);
            }
            Some(reach) => {
                if let Some(point) = point_type(*reach, kernel, param) {
                    if *reach == AccessPattern::ReadOnly {
                        let (d, e) = (elements_ident(param), array_element(ty).map(types::element));
                        params.extend(quote!(#d: &[#e],));
                        args.extend(quote!(#v.elements(),));
                        // In a variable of its own, whose extents the loop has in registers.
                        trims.extend(quote!(let #v = &mut { *#v };));
                    }
                    trims.extend(opened_table(*reach, param));
                    params.extend(quote!(#v: #point,));
                    args.extend(quote!(&mut #v,));
                }
            }
            None if used.contains(&param) => {
                let ty = types::device(ty);
                params.extend(quote!(#v: #ty,));
                args.extend(quote!(#v,));
            }
            None => {}
        }
    }
    for (variable, axis) in &found.extents {
        let e = extent_ident(*variable, *axis);
        params.extend(quote!(#e: i32,));
        args.extend(quote!(#e,));
    }
    for (k, hoisted) in found.hoisted.iter().enumerate() {
        let (u, ty) = (anonymous("u", k), &hoisted.ty);
        params.extend(quote!(#u: #ty,));
        args.extend(quote!(#u,));
    }
    let extremes =
        found.extremes.iter().enumerate().map(|(k, stage)| (anonymous("extreme", k), stage.element));
    let sums = found.taps.iter().enumerate().map(|(k, stage)| (anonymous("sum", k), stage.element));
    for (made, element) in extremes.chain(sums) {
        let e = types::element(element);
        params.extend(quote!(#made: &[#e],));
        args.extend(quote!(#made,));
        trims.extend(quote!(let #made = &#made[..n];));
        slices.push(made);
    }
    for (k, window) in found.windows.iter().enumerate() {
        let e = array_element(&kernel.body.variables[window.array].ty).map(types::element);
        let r = anonymous("r", k);
        for (n, offset) in window.offsets.iter().enumerate() {
            let s = slice_name(k, n);
            let shift = number((i64::from(*offset) - i64::from(window.low())) as usize);
            params.extend(quote!(#s: &[#e],));
            args.extend(quote!(lib::part(#r, #shift, s.len),));
            trims.extend(quote!(let #s = &#s[..n];));
            slices.push(s);
        }
        if !found.windows.iter().any(|other| window.is_behind(other)) {
            ahead.extend(slices.last().cloned());
        }
    }
    for (k, crossing) in found.crossings.iter().enumerate() {
        let e = array_element(&kernel.body.variables[crossing.array()].ty).map(types::element);
        let c = across::name(k);
        params.extend(quote!(#c: &[#e],));
        args.extend(quote!(#c,));
        trims.extend(quote!(let #c = &#c[..n];));
        slices.push(c);
    }
    for &result in &kernel.body.results {
        let (a, ty) = (anonymous("a", result.index()), &kernel.body.variables[result].ty);
        let ty = types::device(ty);
        if laned(kernel, result) {
            let lanes = number(SUM_LANES);
            params.extend(quote!(#a: &mut [#ty; #lanes],));
        } else {
            params.extend(quote!(#a: &mut #ty,));
        }
        args.extend(quote!(&mut #a,));
    }
    let (before, after) = result_values(kernel);
    let (p, label) = (names::position(last), Ident::lifetime("position"));
    let function = Ident::new(format!("{name}_row"));
    let (noting, noted) = fast_path::notes(&found);
    let point = |at: Code| {
        quote! {
            let #p = start.wrapping_add(#at as i32);
            #before
            #noting
            #locals
            #body
            #noted
            #after
        }
    };
    let tables = shaped.reaches.values().any(|r| matches!(r, AccessPattern::Histogram(_)));
    let together = match kernel.body.results.iter().any(|r| laned(kernel, *r)) {
        true => Some(SUM_LANES),
        false => tables.then_some(HISTOGRAM_COPIES),
    };
    // Slices of known length spare the tests of each index.
    let cut_read = slices.iter().map(|s| quote!(let #s = &#s[first..][..count];));
    let cut_written = written.iter().map(|w| quote!(let #w = &mut #w[first..][..count];));
    let ahead_read = ahead.iter().map(|s| quote!(lib::ahead(#s, first, count);));
    let ahead_written = written.iter().map(|w| quote!(lib::ahead_of_writing(#w, first, count);));
    let prefetch: Code = ahead_read.chain(ahead_written).collect();
    let cut: Code = cut_read.chain(cut_written).collect();
    let cut = quote!(if ahead { #prefetch } #cut);
    let asks = match ahead.is_empty() && written.is_empty() {
        true => quote!(false),
        false => quote!(lib::asks_ahead()),
    };
    let walk = match together.map(number) {
        Some(lanes) => {
            let point = point(quote!((first + i)));
            quote! {
                let ahead = #asks;
                let mut first = 0;
                while n - first >= #lanes {
                    let count = #lanes;
                    #cut
                    #label: for i in 0..#lanes { let lane = i; #point }
                    first += #lanes;
                }
                let count = n - first;
                #cut
                #label: for i in 0..count { let lane = i; #point }
            }
        }
        None => {
            let (point, step) = (point(quote!((first + i))), number(PREFETCH_POSITIONS));
            quote! {
                let ahead = #asks;
                let step = if ahead { #step } else { n };
                let mut first = 0;
                while first < n {
                    let count = (n - first).min(step);
                    #cut
                    #label: for i in 0..count { #point }
                    first += count;
                }
            }
        }
    };
    let rank = number(kernel.rank);
    let edge = if found.edge { quote!(, const EDGE: bool) } else { Code::new() };
    let quick = fast_path::printed(&found);
    let (mode, result, met, verdict) = (&quick.mode, &quick.result, &quick.met, &quick.verdict);
    let item = quote! {
        #[inline(always)]
        fn #function<I: lib::Isa #edge #mode>(
            n: usize, start: i32, dims: [i32; #rank], fault: &lib::Fault, #params
        ) #result {
            #trims
            #met
            #walk
            #verdict
        }
    };
    let call = |edge: Option<bool>, mode: Code, fault: Code| {
        let edge = edge.map(|edge| quote!(, #edge));
        quote!(#function::<I #edge #mode>(s.len, s.start, dims, #fault, #args))
    };
    let calls = |edge: Option<bool>| quick.calls(|mode, fault| call(edge, mode, fault));
    let calls = if found.edge {
        let with = call(Some(true), quick.general.clone(), quote!(fault));
        let without = calls(Some(false));
        quote!(if edge || !s.is_within(strict) { #with; } else { #without })
    } else {
        calls(None)
    };
    (item, calls)
}

/// The walk over the rows of a task.
pub(super) fn rows(
    shaped: &Shaped<'_>,
    kernel: &Kernel,
    calls: Code,
    (lanes, packed): (&[Printed], Option<&Packed>),
) -> Code {
    let found = shaped.found.borrow();
    let last = kernel.rank - 1;
    let (mut once, mut each_row, mut reaches, mut each) =
        (Code::new(), Code::new(), Code::new(), Code::new());
    // Those of the reaches beyond which an access is an error.
    let mut strict = Code::new();
    for (variable, axis) in &found.extents {
        let (e, v) = (extent_ident(*variable, *axis), names::local(*variable));
        once.extend(match axis {
            Some(axis) => {
                let axis = number(*axis);
                quote!(let #e = #v.extent(#axis);)
            }
            None => quote!(let #e = #v.count();),
        });
    }
    for axis in 0..last {
        let (p, axis) = (names::position(axis), number(axis));
        each_row.extend(quote!(let #p = at[#axis];));
    }
    each_row.extend(quote!(let mut edge = false;));
    for (k, hoisted) in found.hoisted.iter().enumerate() {
        let (u, value) = (anonymous("u", k), &hoisted.value);
        each_row.extend(quote!(let #u = #value;));
    }
    once.extend(fast_path::before(&found));
    for (k, window) in found.windows.iter().enumerate() {
        let (r, l, b) = (anonymous("r", k), anonymous("line", k), anonymous("b", k));
        let (v, lead, base, mode) =
            (names::local(window.array), &window.lead, &window.base, types::mode(window.boundary));
        let (low, high) = (window.low(), window.high());
        let dims = rank(&kernel.body.variables[window.array].ty).unwrap_or(1);
        let (n, axis) = (number(dims), number(dims - 1));
        once.extend(quote!(let mut #l = lib::Line::new();));
        each_row.extend(quote!(let #b = #base;));
        if window.boundary == Boundary::Checked {
            each_row.extend(quote!(edge |= !#v.has_row([#(#lead,)* 0]);));
        }
        let reach = quote!((#v.extent(#axis), #b.saturating_add(#low), #b.saturating_add(#high)),);
        if window.boundary == Boundary::Checked {
            strict.extend(reach.clone());
        }
        reaches.extend(reach);
        let extra = number((i64::from(high) - i64::from(low)) as usize);
        each.extend(quote! {
            let #r = #l.fetch::<#mode, #n, _>(&#v, [#(#lead,)* s.start.wrapping_add(#b).wrapping_add(#low)], s.len + #extra);
        });
    }
    for (k, crossing) in found.crossings.iter().enumerate() {
        let (before, fetched) = crossing.printed(k);
        once.extend(before);
        each.extend(fetched);
    }
    let further = last.checked_sub(1).map(|axis| {
        let p = names::position(axis);
        quote!(let #p = #p.wrapping_add(ahead);)
    });
    let turn = |of: &Ident, list: &Code| {
        quote! {
            edge |= #of.turn_to(&at, |ahead, list| { #further let mut edge = false; #list edge });
        }
    };
    if !found.extremes.is_empty() || !found.taps.is_empty() {
        each.extend(soon(shaped, kernel));
    }
    for (k, stage) in found.extremes.iter().enumerate() {
        let (windows, b, made) = (anonymous("windows", k), anonymous("base", k), anonymous("extreme", k));
        let (v, mode, e) =
            (names::local(stage.array), types::mode(stage.boundary), types::element(stage.element));
        let dims = rank(&kernel.body.variables[stage.array].ty).unwrap_or(1);
        let (n, axis, base, pick, offsets) =
            (number(dims), number(dims - 1), &stage.base, &stage.pick, &stage.offsets);
        let (low, high) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
        once.extend(quote!(let mut #windows = lib::Extremes::<#e, #n>::new();));
        each_row.extend(quote!(let #b = #base;));
        each_row.extend(turn(&windows, &stage.list));
        let reach = quote!((#v.extent(#axis), #b.saturating_add(#low), #b.saturating_add(#high)),);
        if stage.boundary == Boundary::Checked {
            strict.extend(reach.clone());
        }
        reaches.extend(reach);
        let columns = quote!((s.start.wrapping_add(#b), s.len));
        each.extend(quote! {
            let #made = #windows.of::<I, #mode, _, _>(&#v, #pick, &[#(#offsets),*], #columns, soon);
        });
    }
    for (k, stage) in found.taps.iter().enumerate() {
        let (taps, t) = (anonymous("taps", k), anonymous("sum", k));
        let (v, mode) = (names::local(stage.array), types::mode(stage.boundary));
        let dims = rank(&kernel.body.variables[stage.array].ty).unwrap_or(1);
        let (n, axis, e, base) = (number(dims), number(dims - 1), types::element(stage.element), &stage.base);
        once.extend(quote!(let mut #taps = lib::Taps::<#e, #n>::new();));
        each_row.extend(turn(&taps, &stage.list));
        let reach = quote!((#v.extent(#axis), #taps.low(), #taps.high()),);
        if stage.boundary == Boundary::Checked {
            strict.extend(reach.clone());
        }
        reaches.extend(reach);
        each.extend(quote!(let #t = #taps.sums::<I, #mode, _>(&#v, #base, (s.start, s.len), soon);));
    }
    for (param, reach) in &shaped.reaches {
        let v = names::local(*param);
        match reach {
            AccessPattern::OwnRows { row: true, .. } => {
                let (d, w, k) = (
                    anonymous("dump", param.index()),
                    anonymous("w", param.index()),
                    anonymous("k", param.index()),
                );
                let at = (0..last).map(names::position);
                let lead: Vec<_> = at.map(|p| quote!(#p,)).collect();
                let axis = number(last);
                once.extend(quote!(let mut #d = lib::Dump::new();));
                each_row.extend(quote!(edge |= !#v.has_row([#(#lead)* 0]);));
                let reach = quote!((#v.extent(#axis), 0, 0),);
                strict.extend(reach.clone());
                reaches.extend(reach);
                each.extend(quote!(let (#w, #k) = #v.row([#(#lead)* s.start], s.len, &mut #d);));
            }
            AccessPattern::Histogram(table) => {
                let open = match table {
                    HistogramKind::Any => quote!(open),
                    HistogramKind::Bytes => quote!(open_bytes),
                    HistogramKind::Counts => quote!(open_counts),
                };
                once.extend(quote!(let mut #v = #v.#open(&task);));
                if *table != HistogramKind::Any {
                    once.extend(quote!(let mut #v = #v.tables();));
                }
            }
            AccessPattern::ReadOnly
            | AccessPattern::OwnRows { .. }
            | AccessPattern::Bands { .. }
            | AccessPattern::AxisSlices { .. }
            | AccessPattern::Scatter
            | AccessPattern::Exclusive
            | AccessPattern::Cells => {}
        }
    }
    let strict = if found.edge { quote!(let strict = lib::inside(&[#strict]);) } else { Code::new() };
    let walk = quote! {
        for at in task.rows() {
            #each_row
            #strict
            for s in task.segments(lib::inside(&[#reaches]), edge) {
                #each
                #calls
            }
        }
    };
    let walk = if !lanes.is_empty() {
        once.extend(lanes.iter().map(|printed| printed.once.clone()).collect::<Code>());
        let prepares = found.taps.iter().any(|taps| taps.is_long);
        lanes.iter().fold(walk, |walk, printed| printed.vectors.walk(kernel, &walk, prepares))
    } else if found.windows.len() > ROWS_IN_CACHE || !found.taps.is_empty() || !found.extremes.is_empty() {
        quote!(for task in task.blocks(#STRIP_COLUMNS) { #walk })
    } else if let Some(tile) = &kernel.schedule.position_tile {
        let (axis, rows, columns) = (number(tile.axis), number(tile.rows), number(tile.columns as usize));
        quote!(for task in task.position_tiles(#axis, #rows, #columns) { #walk })
    } else {
        walk
    };
    match packed {
        Some(packed) => {
            let (before, walk) = (&packed.once, packed.walk(kernel, &walk));
            quote!(#once #before #walk)
        }
        None => quote!(#once #walk),
    }
}

/// Where the first of the arrays is written whose rows follow the positions.
fn soon(shaped: &Shaped<'_>, kernel: &Kernel) -> Code {
    let is_row =
        |param: &&VarId| matches!(shaped.reaches.get(param), Some(AccessPattern::OwnRows { row: true, .. }));
    match kernel.body.params.iter().find(is_row) {
        Some(param) => {
            let (v, at) = (names::local(*param), (0..kernel.rank - 1).map(names::position));
            quote!(let soon = #v.soon([#(#at,)* s.start]);)
        }
        None => quote!(let soon = lib::Soon::default();),
    }
}

pub(super) fn used_variables(kernel: &Kernel) -> VarSet {
    let mut used = crate::ir::rewrite::read_in(&kernel.body.block);
    used.add(&set_in(&kernel.body.block));
    visit_stmts(&kernel.body.block, &mut |stmt| {
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                if let ExprKind::Local(v) = e.kind {
                    used.insert(v);
                }
            });
        });
    });
    used
}

/// Opens a table for the updates of a row.
pub(super) fn opened_table(reach: AccessPattern, array: VarId) -> Code {
    let v = names::local(array);
    match reach {
        AccessPattern::Histogram(HistogramKind::Any) => quote!(let #v = &mut #v.opened();),
        _ => Code::new(),
    }
}
