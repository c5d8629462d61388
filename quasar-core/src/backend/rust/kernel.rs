//! Kernels: a walk over rows of positions, with the elements around each row as slices, and device functions.

use super::Unit;
use super::expr::{Printer, Target};
use super::groups;
use super::names::{self, number};
use super::params::{params, point_type};
use super::results::{LANES, laned, result_values, sums};
use super::shape::{self, Reach, Uniform};
use super::stage;
use super::stmt::{anonymous, lifetime};
use super::types::{self, array_element, fixed, rank, scalar};
use crate::analysis::phases::waits;
use crate::ir::rewrite::{operands, set_in, sets, visit, visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, StmtKind, Storage, VarId};
use crate::message::Sink;
use crate::source::Span;
use crate::types::{Boundary, Type};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Kernels that look at more rows than this walk over narrow strips, so that the rows stay in the cache.
const ROWS: usize = 5;
const STRIP: i32 = 1024;

/// A kernel with what was decided about its accesses.
pub(super) struct Shaped<'k> {
    kernel: &'k Kernel,
    reaches: BTreeMap<VarId, Reach>,
    found: RefCell<Found>,
}

/// What the code of one position needs from its row, in the order of first use.
#[derive(Default)]
struct Found {
    windows: Vec<Window>,
    hoisted: Vec<Hoisted>,
    extents: Vec<(VarId, Option<usize>)>,
    stages: Vec<Stage>,
    edge: bool,
}

/// Rows whose columns are combined before the positions of a row are visited.
struct Stage {
    windows: Vec<usize>,
    offsets: Vec<i32>,
    combined: TokenStream,
}

struct Window {
    array: VarId,
    boundary: Boundary,
    lead: Vec<TokenStream>,
    base: TokenStream,
    key: String,
    /// Offsets in the order of first use.
    offsets: Vec<i32>,
    /// Only a stage reads it.
    staged: bool,
}

struct Hoisted {
    key: String,
    value: TokenStream,
    ty: TokenStream,
}

impl Window {
    fn low(&self) -> i32 {
        self.offsets.iter().copied().min().unwrap_or(0)
    }
    fn high(&self) -> i32 {
        self.offsets.iter().copied().max().unwrap_or(0)
    }
}

fn slice_name(window: usize, offset: usize) -> Ident {
    quote::format_ident!("s{}_{}", window, offset)
}

impl<'k> Shaped<'k> {
    fn new(unit: &Unit<'_>, kernel: &'k Kernel) -> Shaped<'k> {
        let reaches = shape::reaches(unit.program, kernel);
        Shaped { kernel, reaches, found: RefCell::default() }
    }

    pub(super) fn extent_name(&self, variable: VarId, axis: Option<usize>) -> TokenStream {
        let name = extent_ident(variable, axis);
        let mut found = self.found.borrow_mut();
        if !found.extents.contains(&(variable, axis)) {
            found.extents.push((variable, axis));
        }
        quote!(#name)
    }

    fn is_row(&self, variable: VarId) -> bool {
        matches!(self.reaches.get(&variable), Some(Reach::Band { row: true, .. }))
    }

    /// A load as an element of a slice or a value of the row, where the access allows it.
    pub(super) fn load(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        index: &[Index],
        boundary: Boundary,
        expr: &Expr,
    ) -> Option<TokenStream> {
        if self.is_row(variable) {
            let w = anonymous("w", variable.index());
            return Some(quote!(#w[i]));
        }
        if self.reaches.get(&variable) != Some(&Reach::View) {
            return None;
        }
        let positions: Vec<&Expr> = index
            .iter()
            .map(|each| match each {
                Index::At(e) => Some(e),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let uniform = Uniform::new(self.kernel, &self.reaches);
        let (last, lead) = positions.split_last()?;
        if !lead.iter().all(|e| uniform.holds(e)) {
            return None;
        }
        let value = if let Some(around) = uniform.around(last) {
            self.window(printer, variable, lead, &around, boundary)
        } else if uniform.holds(last) {
            self.hoist(printer, variable, &positions, boundary, expr)
        } else {
            return None;
        };
        if boundary != Boundary::Checked {
            return Some(value);
        }
        self.found.borrow_mut().edge = true;
        let name = names::local(variable);
        let at = printer.element_index(index, expr.span);
        let site = printer.site(&Expr { kind: ExprKind::Local(variable), ..expr.clone() }, expr.span);
        Some(quote!((if EDGE { #name.checked(#at, fault, #site) } else { #value })))
    }

    fn window(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        lead: &[&Expr],
        around: &shape::Around,
        boundary: Boundary,
    ) -> TokenStream {
        let (lead, base) = self.row_index(printer, lead, around);
        let key = format!("{variable:?} {boundary:?} {} | {base}", quote!(#(#lead),*));
        let mut found = self.found.borrow_mut();
        let k = match found.windows.iter().position(|w| w.key == key) {
            Some(k) => k,
            None => {
                found.windows.push(Window {
                    array: variable,
                    boundary,
                    lead,
                    base,
                    key,
                    offsets: Vec::new(),
                    staged: false,
                });
                found.windows.len() - 1
            }
        };
        let offsets = &mut found.windows[k].offsets;
        let n = match offsets.iter().position(|o| *o == around.offset) {
            Some(n) => n,
            None => {
                offsets.push(around.offset);
                offsets.len() - 1
            }
        };
        let slice = slice_name(k, n);
        quote!(#slice[i])
    }

    /// Several statements at once, where they take the extreme of a window: how many, and what stands for them.
    pub(super) fn staged(
        &self,
        printer: &mut Printer<'_>,
        stmts: &[crate::ir::Stmt],
    ) -> Option<(usize, TokenStream)> {
        let uniform = Uniform::new(self.kernel, &self.reaches);
        let first = stage::step(stmts.first()?, &uniform)?;
        if self.reaches.get(&first.array) != Some(&Reach::View) {
            return None;
        }
        let steps: Vec<_> = stmts
            .iter()
            .map_while(|s| stage::step(s, &uniform).filter(|s| stage::alike(s, &first)))
            .collect();
        // By row: the text of its leading indices, and the offsets along it.
        let mut rows: Vec<(String, Vec<TokenStream>, Vec<i32>)> = Vec::new();
        let mut bases = BTreeSet::new();
        let mut base_tokens = quote!(0_i32);
        for step in &steps {
            let (lead, base) = self.row_index(printer, &step.lead, &step.around);
            let text = quote!(#(#lead),*).to_string();
            bases.insert(base.to_string());
            base_tokens = base;
            match rows.iter_mut().find(|row| row.0 == text) {
                Some(row) => row.2.push(step.around.offset),
                None => rows.push((text, lead, vec![step.around.offset])),
            }
        }
        let offsets: BTreeSet<i32> = rows.first()?.2.iter().copied().collect();
        let full = rows.iter().all(|row| row.2.iter().copied().collect::<BTreeSet<_>>() == offsets);
        if !full
            || bases.len() != 1
            || rows.len() < 2
            || offsets.len() < 2
            || steps.len() != rows.len() * offsets.len()
        {
            return None;
        }
        let count = steps.len();
        let op = |a: TokenStream, b: TokenStream| super::expr::apply(first.row, first.element, vec![a, b]);
        let edge = if first.boundary == Boundary::Checked {
            if stmts[..count].iter().any(mentions_sizes) {
                return None;
            }
            self.found.borrow_mut().edge = true;
            let before = std::mem::replace(&mut printer.target, Target::Device);
            let plain = printer.block(&stmts[..count]);
            printer.target = before;
            Some(plain)
        } else {
            None
        };
        let mut found = self.found.borrow_mut();
        let k = found.stages.len();
        let offsets: Vec<i32> = offsets.into_iter().collect();
        let mut windows = Vec::new();
        for (text, lead, _) in rows {
            let key = format!("stage {k} {text}");
            let (array, boundary) = (first.array, first.boundary);
            let (base, offsets) = (base_tokens.clone(), offsets.clone());
            windows.push(found.windows.len());
            found.windows.push(Window { array, boundary, lead, base, key, offsets, staged: true });
        }
        let v = names::local(first.variable);
        let steps = (0..offsets.len()).map(|n| {
            let t = quote::format_ident!("t{}_{}", k, n);
            let combined = op(quote!(#v), quote!(#t[i]));
            quote!(#v = #combined;)
        });
        let fast = quote!(#(#steps)*);
        found.stages.push(Stage { windows, offsets, combined: op(quote!(a), quote!(b)) });
        Some((
            count,
            match edge {
                Some(plain) => quote!(if EDGE { #plain } else { #fast }),
                None => fast,
            },
        ))
    }

    /// Leading indices and the base of the last one, as they stand outside the code of a position.
    fn row_index(
        &self,
        printer: &mut Printer<'_>,
        lead: &[&Expr],
        around: &shape::Around,
    ) -> (Vec<TokenStream>, TokenStream) {
        at_row(printer, |row| {
            let lead: Vec<_> = lead.iter().map(|e| row.value(e)).collect();
            let mut base = quote!(0_i32);
            for (positive, term) in &around.base {
                let term = row.value(term);
                base = if *positive {
                    quote!((#base).wrapping_add(#term))
                } else {
                    quote!((#base).wrapping_sub(#term))
                };
            }
            (lead, base)
        })
    }

    fn hoist(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        index: &[&Expr],
        boundary: Boundary,
        expr: &Expr,
    ) -> TokenStream {
        let name = names::local(variable);
        let at = at_row(printer, |row| {
            let items: Vec<_> = index.iter().map(|e| row.value(e)).collect();
            quote!([#(#items),*])
        });
        let value = if boundary == Boundary::Checked {
            quote!(#name.probe(#at, &mut edge))
        } else {
            let mode = types::mode(boundary);
            quote!(#name.get::<#mode>(#at))
        };
        let key = value.to_string();
        let ty = scalar(&expr.ty).map(types::element);
        let mut found = self.found.borrow_mut();
        let k = match found.hoisted.iter().position(|h| h.key == key) {
            Some(k) => k,
            None => {
                found.hoisted.push(Hoisted { key, value, ty: quote!(#ty) });
                found.hoisted.len() - 1
            }
        };
        let name = anonymous("u", k);
        quote!(#name)
    }

    /// A store at the own position as one into a slice.
    pub(super) fn store(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        boundary: Boundary,
        array: &Expr,
        value: &TokenStream,
        span: Span,
    ) -> Option<TokenStream> {
        if !self.is_row(variable) {
            return None;
        }
        let w = anonymous("w", variable.index());
        let check = if boundary == Boundary::Checked {
            self.found.borrow_mut().edge = true;
            let (k, site) = (anonymous("k", variable.index()), printer.site(array, span));
            let rank = self.kernel.rank;
            let at = (0..rank).map(names::position);
            let dims: Vec<_> = (0..rank).map(|axis| self.extent_name(variable, Some(axis))).collect();
            quote!(if EDGE && !#k { fault.out_of_bounds(#site, &[#(#at),*], &[#(#dims),*]); })
        } else {
            TokenStream::new()
        };
        Some(quote!(#check #w[i] = #value;))
    }

    /// An addition to a private table.
    #[allow(clippy::too_many_arguments, reason = "the parts of one statement")]
    pub(super) fn update(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        index: &[Index],
        boundary: Boundary,
        array: &Expr,
        value: &TokenStream,
        span: Span,
    ) -> Option<TokenStream> {
        let name = names::local(variable);
        match self.reaches.get(&variable) {
            Some(Reach::Tally { bytes: true }) => {
                let [Index::At(e)] = index else { return None };
                let byte = printer.value(shape::byte(e)?);
                Some(quote!(lib::add_byte::<_, lib::Add>(#name, i, #byte, #value);))
            }
            Some(Reach::Tally { bytes: false }) => {
                let at = printer.element_index(index, span);
                if boundary == Boundary::Checked {
                    let site = printer.site(array, span);
                    return Some(quote!(#name.add_checked(i, #at, #value, fault, #site);));
                }
                Some(quote!(#name.add(i, #at, #value);))
            }
            _ => None,
        }
    }
}

fn extent_ident(variable: VarId, axis: Option<usize>) -> Ident {
    match axis {
        Some(axis) => quote::format_ident!("e{}_{}", variable.index(), axis),
        None => quote::format_ident!("e{}_n", variable.index()),
    }
}

/// Prints something as it stands outside the code of a position.
fn at_row<R>(printer: &mut Printer<'_>, print: impl FnOnce(&mut Printer<'_>) -> R) -> R {
    let before = printer.target;
    if let Target::Point(shaped) = before {
        printer.target = Target::Row(shaped);
    }
    let result = print(printer);
    printer.target = before;
    result
}

/// Whether a statement asks for the size of an array.
fn mentions_sizes(stmt: &crate::ir::Stmt) -> bool {
    let mut found = false;
    operands(stmt, &mut |e| {
        visit(e, &mut |e| found |= matches!(e.kind, ExprKind::Extent(..) | ExprKind::Count(_)));
    });
    found
}

/// A kernel as an implementation of the trait that launches use.
pub(super) fn kernel(unit: &Unit<'_>, kernel: &Kernel, sink: &mut Sink) -> TokenStream {
    let shaped = Shaped::new(unit, kernel);
    let Some(params) = params(&shaped.reaches, kernel) else {
        let what = "a kernel parameter of this type";
        sink.push(crate::message::Message::not_supported(kernel.span, what));
        return TokenStream::new();
    };
    if kernel.rank == 0 {
        sink.push(crate::message::Message::not_supported(kernel.span, "a kernel without a position"));
        return TokenStream::new();
    }
    let set = set_in(&kernel.body.block);
    if let Some(param) = shaped.reaches.keys().find(|param| set.contains(param)) {
        let variable = &kernel.body.variables[*param];
        let what = format!("assigning another array to the parameter '{}' of a kernel", variable.name);
        sink.push(crate::message::Message::not_supported(variable.span, &what));
        return TokenStream::new();
    }
    visit_stmts(&kernel.body.block, &mut |stmt| {
        sets(stmt, &mut |v| {
            if kernel.body.variables[*v].storage == Storage::Shared
                && !matches!(stmt.kind, StmtKind::Shared { .. })
            {
                let what = "a value for an array that is declared 'shared";
                sink.push(crate::message::Message::not_supported(stmt.span, what));
            }
        });
    });
    if waits(&kernel.body.block) {
        return groups::kernel(unit, kernel, &shaped.reaches, (params.pattern, params.ty), sink);
    }
    let leave = quote!(continue 'position;);
    let mut printer = Printer {
        unit,
        body: &kernel.body,
        target: Target::Point(&shaped),
        sink,
        loops: Vec::new(),
        far: shaped.reaches.keys().copied().collect(),
        labels: 0,
        leave,
        exits: Vec::new(),
        tail: None,
        outside: 0,
    };
    let body = printer.block(&kernel.body.block);
    let locals = locals(&mut printer, kernel);
    let (name, rank) = (names::kernel(&kernel.name), number(kernel.rank));
    let (inner, calls) = inner(&shaped, kernel, &name, locals, body);
    let run = rows(&shaped, kernel, calls);
    let (sum, start, finish, merge) = sums(kernel);
    let (mut pattern, mut args) = (params.pattern, params.ty);
    if in_blocks(kernel) {
        (pattern, args) = (quote!((grid, #pattern)), quote!((lib::Grid<#rank>, #args)));
    }
    quote! {
        pub(super) struct #name;
        impl lib::Kernel<#rank> for #name {
            type Args<'a> = #args;
            type Sum = #sum;
            #[inline(always)]
            fn run<I: lib::Isa>(args: Self::Args<'_>, task: lib::Task<#rank>, fault: &lib::Fault) -> Self::Sum {
                let #pattern = args;
                let dims = task.dims();
                #start
                #run
                #finish
            }
            fn merge(first: Self::Sum, second: Self::Sum) -> Self::Sum {
                type I = lib::Baseline;
                #merge
            }
        }
        #inner
    }
}

/// Declarations of the variables that each thread has for itself.
fn locals(printer: &mut Printer<'_>, kernel: &Kernel) -> TokenStream {
    let mut tokens = TokenStream::new();
    let set = set_in(&kernel.body.block);
    for (id, variable) in kernel.body.variables.iter() {
        let is_param = kernel.body.params.contains(&id);
        if !set.contains(&id) || kernel.body.results.contains(&id) {
            continue;
        }
        let name = names::local(id);
        if is_param {
            tokens.extend(quote!(let mut #name = #name;));
            continue;
        }
        match types::device(&variable.ty) {
            Some(ty) => {
                let zero = types::device_zero(&variable.ty);
                tokens.extend(quote!(let mut #name: #ty = #zero;));
            }
            None => {
                let what = format!("a variable of this type in a kernel: '{}'", variable.name);
                printer.unsupported(variable.span, &what);
            }
        }
    }
    tokens
}

/// The parameters (array views last) that the code of one position needs, with the arguments of its call.
fn inner(
    shaped: &Shaped<'_>,
    kernel: &Kernel,
    name: &Ident,
    locals: TokenStream,
    body: TokenStream,
) -> (TokenStream, TokenStream) {
    let found = shaped.found.borrow();
    let (mut params, mut args, mut trims) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
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
            Some(Reach::Band { row: true, .. }) => {
                let (w, k) = (anonymous("w", param.index()), anonymous("k", param.index()));
                let e = array_element(ty).map(types::element);
                params.extend(quote!(#w: &mut [#e], #k: bool,));
                args.extend(quote!(#w, #k,));
                trims.extend(quote!(let #w = &mut #w[..n];));
            }
            Some(reach) => {
                if let Some(ty) = point_type(*reach, ty) {
                    params.extend(quote!(#v: #ty,));
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
    for (k, stage) in found.stages.iter().enumerate() {
        let Some(window) = stage.windows.first().map(|w| &found.windows[*w]) else { continue };
        let e = array_element(&kernel.body.variables[window.array].ty).map(types::element);
        let c = anonymous("stage", k);
        for (n, offset) in stage.offsets.iter().enumerate() {
            let t = quote::format_ident!("t{}_{}", k, n);
            let shift = number((i64::from(*offset) - i64::from(window.low())) as usize);
            params.extend(quote!(#t: &[#e],));
            args.extend(quote!(lib::part(#c, #shift, s.len),));
            trims.extend(quote!(let #t = &#t[..n];));
        }
    }
    for (k, window) in found.windows.iter().enumerate().filter(|(_, w)| !w.staged) {
        let e = array_element(&kernel.body.variables[window.array].ty).map(types::element);
        let r = anonymous("r", k);
        for (n, offset) in window.offsets.iter().enumerate() {
            let s = slice_name(k, n);
            let shift = number((i64::from(*offset) - i64::from(window.low())) as usize);
            params.extend(quote!(#s: &[#e],));
            args.extend(quote!(lib::part(#r, #shift, s.len),));
            trims.extend(quote!(let #s = &#s[..n];));
        }
    }
    for &result in &kernel.body.results {
        let (a, ty) = (anonymous("a", result.index()), &kernel.body.variables[result].ty);
        let ty = types::device(ty);
        if laned(kernel, result) {
            let lanes = number(LANES);
            params.extend(quote!(#a: &mut [#ty; #lanes],));
        } else {
            params.extend(quote!(#a: &mut #ty,));
        }
        args.extend(quote!(&mut #a,));
    }
    let (before, after) = result_values(kernel);
    let (p, label) = (names::position(last), lifetime("position"));
    let function = quote::format_ident!("{}_row", name);
    let point = quote! {
        let #p = start.wrapping_add(i as i32);
        #before
        #locals
        #body
        #after
    };
    let walk = if kernel.body.results.iter().any(|r| laned(kernel, *r)) {
        let lanes = number(LANES);
        quote! {
            for first in (0..n).step_by(#lanes) {
                #label: for i in first..n.min(first + #lanes) { #point }
            }
        }
    } else {
        quote!(#label: for i in 0..n { #point })
    };
    let rank = number(kernel.rank);
    let edge = if found.edge { quote!(, const EDGE: bool) } else { TokenStream::new() };
    let item = quote! {
        #[inline(always)]
        fn #function<I: lib::Isa #edge>(n: usize, start: i32, dims: [i32; #rank], fault: &lib::Fault, #params) {
            #trims
            #walk
        }
    };
    let call = |generic: TokenStream| quote!(#function::<I #generic>(s.len, s.start, dims, fault, #args););
    let calls = if found.edge {
        let (with, without) = (call(quote!(, true)), call(quote!(, false)));
        quote!(if s.edge { #with } else { #without })
    } else {
        call(TokenStream::new())
    };
    (item, calls)
}

/// The walk over the rows of a task.
fn rows(shaped: &Shaped<'_>, kernel: &Kernel, calls: TokenStream) -> TokenStream {
    let found = shaped.found.borrow();
    let last = kernel.rank - 1;
    let (mut once, mut each_row, mut reaches, mut each) =
        (TokenStream::new(), TokenStream::new(), TokenStream::new(), TokenStream::new());
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
        reaches.extend(quote!((#v.extent(#axis), #b.saturating_add(#low), #b.saturating_add(#high)),));
        let extra = number((i64::from(high) - i64::from(low)) as usize);
        each.extend(quote! {
            let #r = #l.fetch::<#mode, #n>(&#v, [#(#lead,)* s.start.wrapping_add(#b).wrapping_add(#low)], s.len + #extra);
        });
    }
    for (k, stage) in found.stages.iter().enumerate() {
        let (c, scratch, combined) = (anonymous("stage", k), anonymous("scratch", k), &stage.combined);
        let rows = stage.windows.iter().map(|w| anonymous("r", *w));
        once.extend(quote!(let mut #scratch = ::std::vec::Vec::new();));
        each.extend(quote!(let #c = lib::combine(&mut #scratch, [#(#rows),*], |a, b| #combined);));
    }
    for (param, reach) in &shaped.reaches {
        let v = names::local(*param);
        match reach {
            Reach::Band { row: true, .. } => {
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
                reaches.extend(quote!((#v.extent(#axis), 0, 0),));
                each.extend(quote!(let (#w, #k) = #v.row([#(#lead)* s.start], s.len, &mut #d);));
            }
            Reach::Tally { bytes } => {
                let open = if *bytes { quote!(open_bytes) } else { quote!(open) };
                once.extend(quote!(let mut #v = #v.#open(&task);));
                if *bytes {
                    once.extend(quote!(let mut #v = #v.tables();));
                }
            }
            Reach::View | Reach::Band { .. } | Reach::Scatter | Reach::Whole => {}
        }
    }
    let walk = quote! {
        for at in task.rows() {
            #each_row
            for s in task.segments(lib::inside(&[#reaches]), edge) {
                #each
                #calls
            }
        }
    };
    if found.windows.len() > ROWS {
        return quote!(#once for task in task.blocks(#STRIP) { #walk });
    }
    quote!(#once #walk)
}

fn used_variables(kernel: &Kernel) -> BTreeSet<VarId> {
    let mut used = crate::ir::rewrite::read_in(&kernel.body.block);
    used.extend(set_in(&kernel.body.block));
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

/// Whether a kernel must be told its blocks.
pub(super) fn in_blocks(kernel: &Kernel) -> bool {
    let mut found = waits(&kernel.body.block);
    visit_block(&kernel.body.block, &mut |e| {
        found |= matches!(
            e.kind,
            ExprKind::Coordinate(
                Coordinate::BlockPosition
                    | Coordinate::BlockDim
                    | Coordinate::BlockIndex
                    | Coordinate::BlockCount,
                _
            )
        );
    });
    found
}

/// Used by launches: how each array parameter is passed.
pub(super) fn reaches_of(unit: &Unit<'_>, kernel: &Kernel) -> BTreeMap<VarId, Reach> {
    shape::reaches(unit.program, kernel)
}

/// Whether a parameter is an array that each thread keeps for itself.
pub(super) fn is_small(ty: &Type) -> bool {
    fixed(ty).is_some()
}
