//! The code of contractions: functions that pack both factors, those for what a row does before and behind the loops, and the walk
//! over tiles that calls them.

use super::super::super::code::{Code, Ident, quote};
use super::super::super::expr::{Printer, Target};
use super::super::super::names::{self, number};
use super::super::super::types;
use super::super::Shaped;
use super::{
    Form, LaneCode, Role, assumed, bounds, declared, lane_code, lane_values, parameters, positions, print_in,
};
use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::{Lanes, affine, is_even, lanes};
use crate::ir::rewrite::{set_in, variables};
use crate::ir::schedule::{Contraction, Factor, Vector};
use crate::ir::{ExprKind, Index, Kernel, Stmt, StmtKind, VarId, VarSet};
use crate::target::cpu::{CONTRACTION_END, TILE_COLUMNS};
use crate::types::known::scalar;
use crate::types::{Boundary, ElementType};

/// The printed code of a contraction.
pub(in super::super) struct Packed {
    /// Its functions.
    pub(in super::super) items: Code,
    /// What stands before all rows.
    pub(in super::super) once: Code,
    /// The component of the position along which rows are neighbours, and how many.
    pub(in super::super) tile: (usize, u32),
    /// The columns for which some row of a tile does anything; all of them without conditions.
    bounds: Option<Code>,
    assumed: Code,
    long: Code,
    short: Code,
    rows: Code,
    lanes: u32,
    overlaps: bool,
    /// Whether the factor of the lanes is the same for all rows.
    shared: bool,
    /// Conditions under which a row ends where those of all arrays do that it writes: a vector may cross that end.
    ends: Code,
}

/// A function of a contraction.
struct Function {
    item: Code,
    once: Code,
    name: Ident,
    args: Code,
}

/// Prints the contraction of a kernel that is scheduled as one.
pub(in super::super) fn packed(
    printer: &mut Printer<'_>,
    shaped: &Shaped<'_>,
    name: &Ident,
) -> Option<Packed> {
    let contraction = shaped.kernel.schedule.contraction.as_deref()?;
    let Contraction { axis, rows, sum, of_rows, of_lanes, whole, .. } = contraction;
    let mut print = |vector: &Vector, role: Role, suffix: &str| {
        let name = Ident::new(format!("{name}_{suffix}"));
        function(printer, shaped, vector, role, name)
    };
    let before = print(&contraction.before, Role::Part { sum: *sum }, "before");
    let behind = print(&contraction.behind, Role::Part { sum: *sum }, "behind");
    let pack_rows = print(&of_rows.values, Role::Across { variable: of_rows.variable, axis: *axis }, "rows");
    let pack_lanes = print(&of_lanes.values, Role::Values { variable: of_lanes.variable }, "columns");
    let set = set_in(&whole.block);
    let assumed_of = RowInvariance::new(shaped.kernel, &shaped.reaches, &set);
    let target = std::mem::replace(&mut printer.target, Target::Device);
    let assumed = assumed(printer, &assumed_of, &whole.block);
    let bounds = bounds(printer, whole);
    let code = lane_code(shaped, whole, (Form::Row, Role::Whole), assumed_of);
    let step = print_in(printer, &code, std::slice::from_ref(&contraction.step));
    printer.target = target;
    let (step, step_item) = match is_product(shaped.kernel, contraction) {
        true => (None, Code::new()),
        false => {
            let name = Ident::new(format!("{name}_step"));
            let item = step_item(shaped.kernel, contraction, &name, &step);
            (Some(name), item)
        }
    };
    let functions = [&before, &behind, &pack_rows, &pack_lanes];
    let (ty_of, end) = (|v: VarId| types::device(&shaped.kernel.body.variables[v].ty), CONTRACTION_END);
    let (a, b) = (ty_of(of_rows.variable), ty_of(of_lanes.variable));
    let (r, long, short) = (number(*rows as usize), number(whole.lanes as usize), number(end as usize));
    let spares = functions.map(|each| each.once.clone());
    let once = quote! {
        #(#spares)*
        let mut packed_rows = lib::Panels::<#a, #r>::new();
        let mut packed_long = lib::Panels::<#b, #long>::new();
        let mut packed_short = lib::Panels::<#b, #short>::new();
    };
    let tile = |lanes: u32, panels: &str| {
        tile(shaped.kernel, contraction, (&before, &behind, &pack_lanes), step.as_ref(), (lanes, panels))
    };
    Some(Packed {
        items: functions.iter().map(|each| &each.item).chain([&step_item]).cloned().collect(),
        once,
        tile: (*axis, *rows),
        bounds,
        assumed,
        long: tile(whole.lanes, "packed_long"),
        short: tile(end, "packed_short"),
        rows: pack(of_rows, &pack_rows, (&Ident::new("packed_rows".to_string()), *rows), *axis),
        lanes: whole.lanes,
        overlaps: whole.overlaps,
        shared: of_lanes.axes.is_empty(),
        ends: ends(shaped),
    })
}

/// Whether the segment `s` ends where the rows of all arrays do that it writes. Elements that are not those of the position may be
/// inside behind that end.
fn ends(shaped: &Shaped<'_>) -> Code {
    if shaped.reaches.values().any(|reach| *reach == AccessPattern::Scatter) {
        return quote!(false);
    }
    let written = shaped.reaches.iter().filter(|(_, reach)| **reach != AccessPattern::ReadOnly);
    let last = number(shaped.kernel.rank - 1);
    let ends = written.map(|(array, _)| {
        let v = names::local(*array);
        quote!(&& #v.extent(#last) == s.start.wrapping_add(s.len as i32))
    });
    let ends: Code = ends.collect();
    quote!(true #ends)
}

/// Whether the sum grows by products of floats, which are fused where that is faster.
fn is_product(kernel: &Kernel, contraction: &Contraction) -> bool {
    let Contraction { sum, of_rows, of_lanes, step, .. } = contraction;
    let StmtKind::Assign { value, .. } = &step.kind else { return false };
    let ExprKind::Apply { row: add, args } = &value.kind else { return false };
    let [before, by] = args.as_slice() else { return false };
    let ExprKind::Apply { row: multiply, args: factors } = &by.kind else { return false };
    let all = [before].into_iter().chain(factors);
    let locals: Vec<VarId> =
        all.filter_map(|e| if let ExprKind::Local(v) = e.kind { Some(v) } else { None }).collect();
    let element = |v: VarId| scalar(&kernel.body.variables[v].ty);
    let float = matches!(element(*sum), Some(ElementType::Single | ElementType::Double));
    let (a, b) = (of_rows.variable, of_lanes.variable);
    let alike = element(a) == element(*sum) && element(b) == element(*sum);
    add.name == "add"
        && multiply.name == "multiply"
        && float
        && alike
        && (locals == [*sum, a, b] || locals == [*sum, b, a])
}

/// The function by which the sum grows.
fn step_item(kernel: &Kernel, contraction: &Contraction, name: &Ident, step: &Code) -> Code {
    let Contraction { sum, of_rows, of_lanes, .. } = contraction;
    let ty = |v: VarId| types::device(&kernel.body.variables[v].ty);
    let (s, a, b) = (names::local(*sum), names::local(of_rows.variable), names::local(of_lanes.variable));
    let (sum_ty, a_ty, b_ty) = (ty(*sum), ty(of_rows.variable), ty(of_lanes.variable));
    quote! {
        struct #name;
        impl lib::Step<#sum_ty, #a_ty, #b_ty> for #name {
            #[inline(always)]
            fn step<I: lib::Isa>(mut #s: #sum_ty, #a: #a_ty, #b: #b_ty) -> #sum_ty { #step #s }
        }
    }
}

/// Code that turns to the panel of a factor.
fn pack(factor: &Factor, function: &Function, (panels, lanes): (&Ident, u32), along: usize) -> Code {
    let group = factor.axes.iter().map(|axis| names::position(*axis));
    let (name, args, lanes) = (&function.name, &function.args, number(lanes as usize));
    let at = names::position(along);
    quote! {
        if let Some(mut panel) = #panels.missing(&[#(#group),*], #at) {
            #name::<I, #lanes, false>(start, #args &mut panel);
        }
    }
}

/// The code of a tile with so many lanes.
fn tile(
    kernel: &Kernel,
    contraction: &Contraction,
    (before, behind, columns): (&Function, &Function, &Function),
    step: Option<&Ident>,
    (lanes, panels): (u32, &str),
) -> Code {
    let Contraction { axis, rows, sum, of_lanes, .. } = contraction;
    let (panels, r, l) = (Ident::new(panels.to_string()), number(*rows as usize), number(lanes as usize));
    let packed = pack(of_lanes, columns, (&panels, lanes), kernel.rank - 1);
    let (p, last) = (names::position(*axis), names::position(kernel.rank - 1));
    let of_row = |function: &Function| {
        let (name, args) = (&function.name, &function.args);
        quote! {
            for row in 0..#r {
                let #p = #p.wrapping_add(row as i32);
                #name::<I, #l, false>(start, #args &mut sums[row]);
            }
        }
    };
    let (before, behind) = (of_row(before), of_row(behind));
    let zero = types::device_zero(&kernel.body.variables[*sum].ty);
    let combine = match step {
        Some(step) => quote!(lib::combine::<I, #step, _, _, _, #r, #l>),
        None => quote!(lib::combine_products::<I, _, #r, #l>),
    };
    quote! {
        let #last = start;
        #packed
        let mut sums = [[#zero; #l]; #r];
        #before
        #combine(&mut sums, packed_rows.elements(), #panels.elements());
        #behind
    }
}

/// Prints a function of a contraction.
fn function(
    printer: &mut Printer<'_>,
    shaped: &Shaped<'_>,
    vector: &Vector,
    role: Role,
    name: Ident,
) -> Function {
    let kernel = shaped.kernel;
    let set = set_in(&vector.block);
    let uniform = RowInvariance::new(kernel, &shaped.reaches, &set);
    let code = lane_code(shaped, vector, (Form::Row, role), uniform);
    let target = std::mem::replace(&mut printer.target, Target::Device);
    let body = print_in(printer, &code, &vector.block);
    printer.target = target;
    let (spares, once) = code.spares();
    let (params, args) = parameters(shaped, kernel, Form::Row, &spares);
    let (opened, closed) = code.own_elements(printer);
    let declared = declared(kernel, vector);
    let (further, first, last) = match role {
        Role::Values { variable } | Role::Across { variable, .. } => {
            let ty = types::device(&kernel.body.variables[variable].ty);
            (quote!(panel: &mut lib::Panel<'_, #ty, L>), Code::new(), Code::new())
        }
        Role::Part { sum } => {
            let (ty, l) = (types::device(&kernel.body.variables[sum].ty), lane_values(sum));
            (quote!(sums: &mut [#ty; L]), quote!(#l = *sums;), quote!(*sums = #l;))
        }
        Role::Whole | Role::Threads => Default::default(),
    };
    let item = quote! {
        #[inline(always)]
        fn #name<I: lib::Isa, const L: usize, const INSIDE: bool>(start: i32, #params #further) -> bool {
            #declared #first #opened #body #closed #last
            true
        }
    };
    Function { item, once, name, args }
}

impl Packed {
    /// The walk over tiles. Positions that are in none are left to `rest`.
    pub(in super::super) fn walk(&self, kernel: &Kernel, rest: &Code) -> Code {
        let Packed {
            bounds,
            assumed,
            long,
            short,
            rows,
            lanes,
            overlaps,
            shared,
            ends,
            tile: (axis, high),
            ..
        } = self;
        let (positions, p) = (positions(kernel), names::position(*axis));
        let (axis, high) = (number(*axis), number(*high as usize));
        let hull = bounds.as_ref().map(|bounds| {
            quote! {
                let mut hull = lib::Columns::none();
                for row in 0..#high {
                    let #p = #p.wrapping_add(row as i32);
                    let mut columns = lib::Columns::all();
                    #bounds
                    hull.extend(columns);
                }
                columns = hull;
            }
        });
        let (most, least) = (number(*lanes as usize), number(CONTRACTION_END as usize));
        quote! {
            for task in task.blocks(#TILE_COLUMNS) {
                for tile in task.packed_tiles(#axis, #high, #shared) {
                    let (mut start, mut done) = (0, 0);
                    if let Some(at) = tile.first() {
                        #positions
                        let mut columns = lib::Columns::all();
                        #hull
                        for row in 0..#high { let #p = #p.wrapping_add(row as i32); #assumed }
                        let s = tile.inside(columns.range());
                        let partial = #ends;
                        while let Some((at, long)) = lib::next_part::<#most, #least>(&mut done, s.len, #overlaps, partial) {
                            let start = s.start.wrapping_add(at as i32);
                            #rows
                            if long { #long } else { #short }
                        }
                        start = s.start;
                    }
                    for task in tile.without(start, done) { #rest }
                }
            }
        }
    }
}

impl LaneCode<'_> {
    /// A loop that packs elements which lie side by side for each lane, if the statement is one.
    pub(super) fn lines(&self, printer: &mut Printer<'_>, stmt: &Stmt) -> Option<Code> {
        let (variable, axis) = match self.role {
            Role::Values { variable } => (variable, self.uniform.last()),
            Role::Across { variable, axis } => (variable, axis),
            Role::Whole | Role::Threads | Role::Part { .. } => return None,
        };
        let StmtKind::For { variable: counter, range, body, .. } = &stmt.kind else { return None };
        let [Stmt { kind: StmtKind::For { body, .. }, .. }] = body.as_slice() else { return None };
        let [Stmt { kind: StmtKind::Assign { variable: set, value }, span }] = body.as_slice() else {
            return None;
        };
        let ExprKind::Load { array, index, boundary } = &value.kind else { return None };
        let ExprKind::Local(array) = array.kind else { return None };
        let (Index::At(last), lead) = index.split_last()? else { return None };
        let counts = |e: &Index| matches!(e, Index::At(e) if !variables(e).contains(counter));
        let mut counters = VarSet::new();
        counters.insert(*counter);
        let found = affine(&self.uniform, &counters, last)?;
        let along = found.loops == [(1, *counter)] && found.position == 0 && lead.iter().all(counts);
        let in_rows =
            matches!(self.role, Role::Values { .. }) && lanes(&self.uniform, None, index) != Lanes::Gather;
        if *set != variable || range.step.is_some() || !along || in_rows {
            return None;
        }
        let boundary = if *boundary == Boundary::Checked { Boundary::Unchecked } else { *boundary };
        let (from, to) = (printer.value(&range.from), printer.value(&range.to));
        let at = printer.element_index(index, *span);
        let (v, p, k, mode) =
            (names::local(array), names::position(axis), names::local(*counter), types::mode(boundary));
        let first = if matches!(self.role, Role::Values { .. }) { quote!(start) } else { quote!(#p) };
        let even = index.iter().all(|each| matches!(each, Index::At(e) if is_even(e, axis)));
        let lines = Ident::new(if even { "even_lines" } else { "lines" }.to_string());
        Some(quote! {
            panel.#lines::<#mode, _>(&*#v, (#from, #to), |lane, #k| {
                let #p = #first.wrapping_add(lane as i32);
                #at
            });
        })
    }
}
