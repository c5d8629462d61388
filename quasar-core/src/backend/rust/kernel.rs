//! Kernels: a walk over rows of positions, with the elements around each row as slices, and device functions.

mod across;
mod bands;
mod boxes;
mod cpu_rows;
mod fast_path;
mod lane_columns;
mod lane_groups;
mod lane_slices;
mod lanes;
mod short_rows;

use self::across::Crossing;
use self::cpu_rows::{inner, rows};
pub(super) use self::lanes::{LaneCode, Lanes, group, threads};
use super::Unit;
use super::code::{Code, Ident, quote};
use super::expr::{Printer, Target, is_plain};
use super::groups;
use super::names::{self, number};
use super::params::params;
use super::results::sums;
use super::stmt::anonymous;
use super::types::{self, fixed, scalar};
use crate::analysis::access_pattern::{self, AccessPattern, HistogramKind};
use crate::analysis::innermost_invariance::{RowAccess, RowInvariance, RowOffset, changing, place};
use crate::analysis::window::{self, Node, SlidingExtremum, Stencil, StencilSum};
use crate::ir::barriers::meets;
use crate::ir::rewrite::{set_in, sets, visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, Stmt, StmtKind, Storage, VarId, VarSet};
use crate::message::Sink;
use crate::source::Span;
use crate::types::{Boundary, ElementType, Type};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A kernel with what was decided about its accesses.
pub(super) struct Shaped<'k> {
    kernel: &'k Kernel,
    reaches: BTreeMap<VarId, AccessPattern>,
    /// The variables that may change within a row.
    changing: VarSet,
    /// Whether a row may be tried in a quicker way first.
    repeatable: bool,
    /// Whether what may fail has a quick form then.
    speculates: bool,
    found: RefCell<Found>,
}

/// What the code of one position needs from its row, in the order of first use.
#[derive(Default)]
struct Found {
    windows: Vec<Line>,
    crossings: Vec<Crossing>,
    hoisted: Vec<Hoisted>,
    extents: Vec<(VarId, Option<usize>)>,
    extremes: Vec<ExtremeStage>,
    taps: Vec<TapStage>,
    /// The hoisted values that are exponents of powers.
    exponents: BTreeSet<usize>,
    /// The hoisted values that are arrays which bytes index.
    byte_tables: BTreeSet<usize>,
    /// Whether the quick form notes what would fail.
    odd: bool,
    edge: bool,
}

/// A weighted sum that is made before the positions of a row are visited.
struct TapStage {
    array: VarId,
    boundary: Boundary,
    element: ElementType,
    base: Code,
    /// Puts the elements into `list`.
    list: Code,
    /// Whether there may be many, more than a row has positions.
    is_long: bool,
}

/// The extreme of a window, which is taken before the positions of a row are visited.
struct ExtremeStage {
    array: VarId,
    boundary: Boundary,
    element: ElementType,
    base: Code,
    offsets: Vec<i32>,
    /// What picks one of two elements.
    pick: Code,
    /// Puts the rows of the window into `list`.
    list: Code,
}

/// Elements along one row of an array.
struct Line {
    array: VarId,
    boundary: Boundary,
    lead: Vec<Code>,
    base: Code,
    /// The row without a constant, and the constant: which lines follow each other while rows are visited.
    row: (Vec<Code>, i64),
    /// Offsets in the order of first use.
    offsets: Vec<i32>,
}

struct Hoisted {
    value: Code,
    ty: Code,
}

impl Line {
    fn low(&self) -> i32 {
        self.offsets.iter().copied().min().unwrap_or(0)
    }
    fn high(&self) -> i32 {
        self.offsets.iter().copied().max().unwrap_or(0)
    }
    /// Whether rows that are visited later read this line again, from the cache, where they now read `other`.
    fn is_behind(&self, other: &Line) -> bool {
        (self.array, &self.base, &self.row.0) == (other.array, &other.base, &other.row.0)
            && self.row.1 < other.row.1
    }
}

fn slice_name(window: usize, offset: usize) -> Ident {
    Ident::new(format!("s{}_{}", window, offset))
}

impl<'k> Shaped<'k> {
    fn new(unit: &Unit<'_>, kernel: &'k Kernel) -> Shaped<'k> {
        let reaches = access_pattern::reaches(unit.program, kernel);
        let repeatable = fast_path::repeatable(kernel, &reaches);
        let speculates = fast_path::speculates(kernel);
        let (changing, found) = (changing(kernel), RefCell::default());
        Shaped { kernel, reaches, changing, repeatable, speculates, found }
    }

    fn uniform(&self) -> RowInvariance<'_> {
        RowInvariance::new(self.kernel, &self.reaches, &self.changing)
    }

    pub(super) fn extent_name(&self, variable: VarId, axis: Option<usize>) -> Code {
        let name = extent_ident(variable, axis);
        let mut found = self.found.borrow_mut();
        if !found.extents.contains(&(variable, axis)) {
            found.extents.push((variable, axis));
        }
        quote!(#name)
    }

    fn is_row(&self, variable: VarId) -> bool {
        matches!(self.reaches.get(&variable), Some(AccessPattern::OwnRows { row: true, .. }))
    }

    /// A load as an element of a slice or a value of the row, where the access allows it.
    pub(super) fn load(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        index: &[Index],
        boundary: Boundary,
        expr: &Expr,
    ) -> Option<Code> {
        if self.is_row(variable) {
            let w = anonymous("w", variable.index());
            return Some(quote!(#w[i]));
        }
        if let Some(value) = self.crossing(printer, variable, index, boundary) {
            return Some(value);
        }
        let uniform = self.uniform();
        let value = match place(&uniform, variable, index)? {
            RowAccess::Along { lead, around } => self.window(printer, variable, &lead, &around, boundary),
            RowAccess::Still(positions) => self.hoist(printer, variable, &positions, boundary, expr),
        };
        if boundary != Boundary::Checked {
            return Some(value);
        }
        self.found.borrow_mut().edge = true;
        let name = names::local(variable);
        let at = printer.element_index(index, expr.span);
        let site = printer.site(&Expr { kind: ExprKind::Local(variable), ..expr.clone() }, expr.span);
        let tested = printer.or_leave(&quote!(#name.try_get(#at, fault, #site)));
        Some(quote!((if EDGE { #tested } else { #value })))
    }

    fn window(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        lead: &[&Expr],
        around: &RowOffset,
        boundary: Boundary,
    ) -> Code {
        let (lead, base, row) = self.row_index(printer, lead, around);
        let mut found = self.found.borrow_mut();
        let same = |w: &Line| (w.array, w.boundary, &w.lead, &w.base) == (variable, boundary, &lead, &base);
        let k = match found.windows.iter().position(same) {
            Some(k) => k,
            None => {
                found.windows.push(Line { array: variable, boundary, lead, base, row, offsets: Vec::new() });
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

    /// Several statements at once, where they look at a window: how many, and what stands for them.
    pub(super) fn staged(
        &self,
        printer: &mut Printer<'_>,
        stmts: &[crate::ir::Stmt],
    ) -> Option<(usize, Code)> {
        let window = window::find(stmts, self.kernel, &self.uniform())?;
        let stmts = &stmts[..window.count()];
        let mut checked = false;
        let fast = match &window {
            Stencil::Extreme(extreme) => {
                checked |= extreme.boundary == Boundary::Checked;
                if checked && stmts.iter().any(|stmt| self.mentions_rows(stmt)) {
                    return None;
                }
                self.extreme(printer, extreme)
            }
            Stencil::Taps(taps) => {
                if stmts.iter().any(|stmt| self.mentions_rows(stmt)) {
                    return None;
                }
                checked |= taps.boundary == Boundary::Checked;
                self.summed(printer, taps, &mut checked)
            }
        };
        if !checked {
            return Some((stmts.len(), fast));
        }
        self.found.borrow_mut().edge = true;
        let before = std::mem::replace(&mut printer.target, Target::Device);
        let plain = printer.block(stmts);
        printer.target = before;
        Some((stmts.len(), quote!(if EDGE { #plain } else { #fast })))
    }

    /// Whether a statement asks for the size of an array of which the code of a position has but a row.
    fn mentions_rows(&self, stmt: &crate::ir::Stmt) -> bool {
        let view = |array: &Expr| matches!(array.kind, ExprKind::Local(v) if self.reaches.get(&v) == Some(&AccessPattern::ReadOnly));
        let mut found = false;
        visit_block(std::slice::from_ref(stmt), &mut |e| match &e.kind {
            ExprKind::Extent(array, _) | ExprKind::Count(array) => found |= !view(array),
            _ => {}
        });
        found
    }

    /// The extreme of a window.
    fn extreme(&self, printer: &mut Printer<'_>, found: &SlidingExtremum<'_>) -> Code {
        let array = names::local(found.array);
        let (list, base) = at_row(printer, |row| {
            let mut list = Code::new();
            for lead in &found.leads {
                let lead: Vec<_> = lead.iter().map(|e| row.value(e)).collect();
                if found.boundary == Boundary::Checked {
                    list.extend(quote!(edge |= !#array.has_row([#(#lead,)* 0]);));
                }
                list.extend(quote!(list.push([#(#lead,)* 0], ());));
            }
            (list, base(row, &found.base))
        });
        // One comparison is enough to ignore NaN where there is a number to begin with.
        let (element, larger) = (found.element, found.row.name == "max");
        let number = found.number && element.is_float() && is_plain(element);
        let (pick, best) = match (number, larger) {
            (true, true) => (quote!(LargestNumber), quote!(>)),
            (true, false) => (quote!(SmallestNumber), quote!(<)),
            (false, true) => (quote!(Largest), Code::new()),
            (false, false) => (quote!(Smallest), Code::new()),
        };
        let k = self.found.borrow().extremes.len();
        let (v, extreme) = (names::local(found.variable), anonymous("extreme", k));
        let (pick, combined) = if number {
            let least = super::expr::constant(quasar_devicelib::ops::neutral(found.row.name, element));
            (quote!(lib::#pick(#least)), quote!(if #extreme[i] #best #v { #extreme[i] } else { #v }))
        } else {
            let args = vec![quote!(#v), quote!(#extreme[i])];
            (quote!(lib::#pick), super::expr::apply(found.row, element, args))
        };
        self.found.borrow_mut().extremes.push(ExtremeStage {
            array: found.array,
            boundary: found.boundary,
            element,
            base,
            offsets: found.offsets.clone(),
            pick,
            list,
        });
        quote!(#v = #combined;)
    }

    /// A weighted sum over a window. Sets `checked` where a weight is tested.
    fn summed(&self, printer: &mut Printer<'_>, found: &StencilSum<'_>, checked: &mut bool) -> Code {
        let base = printer.value(found.base);
        let list = at_row(printer, |row| {
            found.nodes.iter().map(|node| tap_list(row, found, node, checked)).collect()
        });
        let k = self.found.borrow().taps.len();
        let (array, boundary, element) = (found.array, found.boundary, found.element);
        self.found.borrow_mut().taps.push(TapStage {
            array,
            boundary,
            element,
            base,
            list,
            is_long: found.is_long(),
        });
        let (v, sum) = (names::local(found.variable), anonymous("sum", k));
        quote!(#v = #sum[i];)
    }

    /// Leading indices and the base of the last one, as they stand outside the code of a position.
    fn row_index(
        &self,
        printer: &mut Printer<'_>,
        lead: &[&Expr],
        around: &RowOffset,
    ) -> (Vec<Code>, Code, (Vec<Code>, i64)) {
        at_row(printer, |row| {
            let printed: Vec<_> = lead.iter().map(|e| row.value(e)).collect();
            let base = base(row, &around.base);
            let (last, by) = lead.last().map_or((None, 0), |last| last.base_and_offset());
            let mut place = printed.clone();
            place.pop();
            place.extend(last.map(|last| row.value(last)));
            (printed, base, (place, by))
        })
    }

    fn hoist(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        index: &[&Expr],
        boundary: Boundary,
        expr: &Expr,
    ) -> Code {
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
        let ty = scalar(&expr.ty).map(types::element);
        let name = anonymous("u", self.hoisted(value, quote!(#ty)));
        quote!(#name)
    }

    /// The number of a value that is computed once a row.
    fn hoisted(&self, value: Code, ty: Code) -> usize {
        let mut found = self.found.borrow_mut();
        match found.hoisted.iter().position(|h| h.value == value) {
            Some(k) => k,
            None => {
                found.hoisted.push(Hoisted { value, ty });
                found.hoisted.len() - 1
            }
        }
    }

    /// A store at the own position as one into a slice.
    pub(super) fn store(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        boundary: Boundary,
        array: &Expr,
        value: &Code,
        span: Span,
    ) -> Option<Code> {
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
            let leave = &printer.leave;
            quote!(if EDGE && !#k { fault.out_of_bounds(#site, &[#(#at),*], &[#(#dims),*]); #leave })
        } else {
            Code::new()
        };
        // What would have failed in the quick form leaves the element as it is. That is read first: as one of two loads behind a test,
        // it would become a load from one of two arrays, and the loop no vectors.
        let value = match self.found.borrow().odd {
            true => quote!({
                let old = #w[i];
                let value = #value;
                if here < ops::ODD { value } else { old }
            }),
            false => value.clone(),
        };
        Some(quote!(#check #w[i] = #value;))
    }

    /// The elements of an array that is only read, as an argument of the function of a row.
    pub(super) fn elements(&self, variable: VarId) -> Option<Ident> {
        let only_read = self.reaches.get(&variable) == Some(&AccessPattern::ReadOnly);
        only_read.then(|| elements_ident(variable))
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
        value: &Code,
        span: Span,
    ) -> Option<Code> {
        let name = names::local(variable);
        match self.reaches.get(&variable) {
            Some(AccessPattern::Histogram(table @ (HistogramKind::Bytes | HistogramKind::Counts))) => {
                let [Index::At(e)] = index else { return None };
                let byte = printer.value(access_pattern::byte(e)?);
                Some(match table {
                    HistogramKind::Counts => quote!(lib::count_byte(#name, lane, #byte);),
                    _ => quote!(lib::add_byte::<_, lib::Add>(#name, lane, #byte, #value);),
                })
            }
            Some(AccessPattern::Histogram(HistogramKind::Any)) => {
                let at = printer.element_index(index, span);
                if boundary == Boundary::Checked {
                    let site = printer.site(array, span);
                    return Some(quote!(#name.add_checked(lane, #at, #value, fault, #site);));
                }
                Some(quote!(#name.add(lane, #at, #value);))
            }
            _ => None,
        }
    }
}

/// The sum of terms with signs.
fn base(printer: &mut Printer<'_>, terms: &[(bool, Expr)]) -> Code {
    terms.iter().fold(quote!(0_i32), |sum, (positive, term)| {
        let term = printer.value(term);
        if *positive { quote!((#sum).wrapping_add(#term)) } else { quote!((#sum).wrapping_sub(#term)) }
    })
}

/// Code that puts elements of a sum into `list`, with `edge` set where one of them is out of range.
fn tap_list(printer: &mut Printer<'_>, found: &StencilSum<'_>, node: &Node<'_>, checked: &mut bool) -> Code {
    match node {
        Node::Loop { variable, range, body } => {
            let name = names::local(*variable);
            let (from, to) = (printer.value(&range.from), printer.value(&range.to));
            let steps = match range.step.as_ref().and_then(Expr::constant_int) {
                None | Some(1) => quote!(lib::upto(#from, #to)),
                Some(step) => quote!(lib::steps(#from, #step, #to)),
            };
            let body: Code = body.iter().map(|n| tap_list(printer, found, n, checked)).collect();
            quote!(for #name in #steps { #body })
        }
        Node::Tap { lead, around, weight } => {
            let lead: Vec<_> = lead.iter().map(|e| printer.value(e)).collect();
            let last = base(printer, &around.base);
            let offset = around.offset;
            let weight = match weight {
                None => {
                    let ty = types::element(found.element);
                    quote!((1.0 as #ty))
                }
                Some(Expr {
                    kind: ExprKind::Load { array, index, boundary: Boundary::Checked },
                    span,
                    ..
                }) => {
                    *checked = true;
                    let (name, at) = (printer.value(array), printer.element_index(index, *span));
                    quote!(#name.probe(#at, &mut edge))
                }
                Some(weight) => printer.value(weight),
            };
            let inside = (found.boundary == Boundary::Checked).then(|| {
                let array = names::local(found.array);
                quote!(edge |= !#array.has_row([#(#lead,)* 0]);)
            });
            quote!(#inside list.push([#(#lead,)* (#last).wrapping_add(#offset)], #weight);)
        }
    }
}

fn extent_ident(variable: VarId, axis: Option<usize>) -> Ident {
    match axis {
        Some(axis) => Ident::new(format!("e{}_{}", variable.index(), axis)),
        None => Ident::new(format!("e{}_n", variable.index())),
    }
}

/// The elements of an array that is only read, in the function of a row.
fn elements_ident(variable: VarId) -> Ident {
    anonymous("data", variable.index())
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

/// A kernel as an implementation of the trait that launches use.
pub(super) fn kernel(unit: &Unit<'_>, kernel: &Kernel, sink: &mut Sink) -> Code {
    let shaped = Shaped::new(unit, kernel);
    let Some(params) = params(&shaped.reaches, kernel) else {
        let what = "a kernel parameter of this type";
        sink.push(crate::message::Message::not_supported(kernel.span, what));
        return Code::new();
    };
    if kernel.rank == 0 {
        sink.push(crate::message::Message::not_supported(kernel.span, "a kernel without a position"));
        return Code::new();
    }
    let mut results = kernel.body.results.iter().map(|result| &kernel.body.variables[*result]);
    if let Some(result) = results.find(|result| types::on_heap(&result.ty)) {
        let what = "a kernel with an array of unknown size as a result";
        sink.push(crate::message::Message::not_supported(result.span, what));
        return Code::new();
    }
    let set = set_in(&kernel.body.block);
    if let Some(param) = shaped.reaches.keys().find(|param| set.contains(param)) {
        let variable = &kernel.body.variables[*param];
        let what = format!("assigning another array to the parameter '{}' of a kernel", variable.name);
        sink.push(crate::message::Message::not_supported(variable.span, &what));
        return Code::new();
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
    if meets(&kernel.body.block) {
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
        in_try: false,
    };
    let body = printer.block(&kernel.body.block);
    let locals = locals(&mut printer, kernel, &kernel.body.block);
    let (name, rank) = (names::kernel(&kernel.name), number(kernel.rank));
    let (inner, calls) = inner(&shaped, kernel, &name, locals, body);
    let vectors = lanes::printed(&mut printer, &shaped, kernel, &name);
    let packed = lanes::packed(&mut printer, &shaped, &name);
    let items = vectors.iter().map(|printed| &printed.item);
    let vector_items: Code = items.chain(packed.iter().map(|packed| &packed.items)).cloned().collect();
    let run = rows(&shaped, kernel, calls, (&vectors, packed.as_ref()));
    let run = short_rows::printed(&mut printer, &shaped, kernel, run);
    let run = boxes::printed(&mut printer, &shaped, kernel, run);
    let origin = (!kernel.schedule.origin.is_empty()).then(|| {
        let origin = kernel.schedule.origin.iter();
        quote!(const ORIGIN: [i32; #rank] = [#(#origin),*];)
    });
    let tile = kernel.schedule.tile.as_ref().map(|tile| (tile.axis, tile.rows));
    let tile = packed.as_ref().map(|packed| packed.tile).or(tile).map(|(axis, rows)| {
        let (axis, rows, packs) = (number(axis), number(rows as usize), packed.is_some());
        let packs = packs.then(|| {
            quote!(
                const PACKS: bool = true;
            )
        });
        quote!(const TILE: Option<(usize, usize)> = Some((#axis, #rows)); #packs)
    });
    let lanes = kernel.schedule.vector.as_ref().map(|vector| {
        let lanes = number(vector.widest.unwrap_or(vector.lanes) as usize);
        quote!(const LANES: Option<usize> = Some(#lanes);)
    });
    let divide = bands::printed(&mut printer, kernel);
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
            #origin
            #tile
            #lanes
            #divide
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
        #vector_items
    }
}

/// Declarations of the variables that each thread has for itself.
fn locals(printer: &mut Printer<'_>, kernel: &Kernel, block: &[Stmt]) -> Code {
    let mut tokens = Code::new();
    let set = set_in(block);
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

/// Whether a kernel must be told its blocks.
pub(super) fn in_blocks(kernel: &Kernel) -> bool {
    let mut found = meets(&kernel.body.block);
    visit_block(&kernel.body.block, &mut |e| {
        found |= matches!(
            e.kind,
            ExprKind::Coordinate(
                Coordinate::BlockPosition
                    | Coordinate::BlockDim
                    | Coordinate::BlockIndex
                    | Coordinate::BlockCount
                    | Coordinate::LaunchDim,
                _
            )
        );
    });
    found
}

/// Used by launches: how each array parameter is passed.
pub(super) fn reaches_of(unit: &Unit<'_>, kernel: &Kernel) -> BTreeMap<VarId, AccessPattern> {
    access_pattern::reaches(unit.program, kernel)
}

/// Whether a parameter is an array that each thread keeps for itself.
pub(super) fn is_small(ty: &Type) -> bool {
    fixed(ty).is_some()
}
