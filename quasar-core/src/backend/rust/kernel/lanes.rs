//! The code of a kernel for several neighbouring positions, its lanes: loops that lanes share around loops over the lanes,
//! before which the elements that they read along a row are fetched as vectors.

mod columns;
mod contraction;
mod failures;
mod parameters;
mod stores;
mod threads;
mod walk;

pub(super) use self::columns::assumed;
use self::columns::{between, bounds};
pub(super) use self::contraction::{Packed, packed};
use self::parameters::parameters;
pub(in super::super) use self::threads::{Lanes, group, threads};
use self::walk::Vectors;
use super::super::code::{Code, Ident, quote};
use super::super::expr::{Printer, Target, constant};
use super::super::names::{self, number};
use super::super::stmt::anonymous;
use super::super::types::{self, array_element};
use super::Shaped;
use super::cpu_rows::opened_table;
use super::lane_columns::ColumnGroup;
use super::lane_groups::LaneGroups;
use super::lane_slices::SliceStore;
use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes;
use crate::ir::rewrite::{has_loops, read_in, set_in, stored_in, visit_block, visit_stmts};
use crate::ir::schedule::Vector;
use crate::ir::{Expr, ExprKind, Index, Kernel, Stmt, StmtKind, VarId, VarSet, build};
use crate::target::cpu::CHANNELS;
use crate::types::{Boundary, ElementType};
use quasar_devicelib::element::Scalar;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// What the code of lanes needs while it is printed.
pub(in super::super) struct LaneCode<'k> {
    pub(super) shaped: &'k Shaped<'k>,
    pub(super) vector: &'k Vector,
    /// What the lanes have in common.
    pub(super) uniform: RowInvariance<'k>,
    /// The same before all loops, and the variables of those: what is known before a row is visited.
    before: (RowInvariance<'k>, VarSet),
    /// What differs where the last two components of the position are one.
    form: Form,
    /// What of a kernel the code is.
    role: Role,
    /// Places for vectors that cross the border of their array: elements, and how far apart the lanes are.
    spares: RefCell<Vec<(ElementType, usize)>>,
    /// What is fetched before the loop over the lanes that is being printed.
    fetched: RefCell<Vec<Fetched>>,
    /// Whether a loop over the lanes is being printed.
    inside: Cell<bool>,
    /// Elements of axis slices that the loop over the lanes being printed writes side by side.
    pub(super) slices: RefCell<Vec<SliceStore>>,
    /// The elements that it reads together.
    groups: RefCell<LaneGroups>,
    pub(super) columns: RefCell<Vec<ColumnGroup>>,
    /// The arrays of which it writes elements.
    pub(super) stored: RefCell<BTreeSet<VarId>>,
}

/// Along what the lanes lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The last component of the position.
    Row,
    /// The last two.
    Collapsed,
    /// The last component, for so many rows that are neighbours along another.
    Tile { axis: usize, rows: usize },
}

/// What of a kernel the code of lanes is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// All of it.
    Whole,
    /// What stands before or behind the loops of a contraction, whose sums are a parameter.
    Part { sum: VarId },
    /// What threads of a block do between two barriers.
    Threads,
    /// The values of a variable in a contraction, which are packed.
    Values { variable: VarId },
    /// The same, where the lanes are neighbours along another component of the position.
    Across { variable: VarId, axis: usize },
}

/// A value that is fetched before a loop over the lanes.
struct Fetched {
    key: Code,
    value: Code,
    name: Ident,
}

/// The printed code of lanes.
pub(super) struct Printed {
    /// The function for one vector.
    pub(super) item: Code,
    /// What stands before all rows.
    pub(super) once: Code,
    /// The walk over the rows, around that of the positions that are not in a vector.
    pub(super) vectors: Vectors,
}

impl LaneCode<'_> {
    /// How the kernel reaches its arrays.
    pub(in super::super) fn shaped(&self) -> &Shaped<'_> {
        self.shaped
    }

    fn is_own(&self, variable: VarId) -> bool {
        matches!(self.shaped.reaches.get(&variable), Some(AccessPattern::OwnRows { .. }))
    }

    /// A loop over the lanes, if the statement is one.
    pub(in super::super) fn region(&self, printer: &mut Printer<'_>, stmt: &Stmt) -> Option<Code> {
        let StmtKind::For { body, attributes, .. } = &stmt.kind else { return None };
        if !attributes.every_position {
            return self.lines(printer, stmt);
        }
        // Nothing may fail behind updates.
        let updates = has_updates(body);
        let noted = if updates { self.verdict().1 } else { Code::new() };
        // What loops read differs between their iterations.
        self.inside.set(!has_loops(body));
        *self.slices.borrow_mut() = self.slice_stores(printer, body);
        *self.groups.borrow_mut() = LaneGroups::of(&self.uniform, body);
        *self.columns.borrow_mut() = ColumnGroup::all(&self.uniform, body);
        *self.stored.borrow_mut() = stored_in(body).into_iter().collect();
        let code = printer.block(body);
        self.inside.set(false);
        let fetched = self.fetched.take();
        let fetched: Code =
            fetched.iter().map(|Fetched { name, value, .. }| quote!(let #name = #value;)).collect();
        let (set, read) = (set_in(body), read_in(body));
        let (mut before, mut behind) = self.notes(body);
        for (id, variable) in self.shaped.kernel.body.variables.iter() {
            let (v, l, ty) = (names::local(id), lane_values(id), types::device(&variable.ty));
            if self.vector.wide.contains(&id) {
                if set.contains(&id) || read.contains(&id) {
                    before.extend(quote!(let mut #v = #l[i];));
                }
                if set.contains(&id) {
                    behind.extend(quote!(#l[i] = #v;));
                }
            } else if set.contains(&id) {
                let zero = types::device_zero(&variable.ty);
                before.extend(quote!(let mut #v: #ty = #zero;));
            }
        }
        if let Role::Across { variable, axis } = self.role {
            let (p, l) = (names::position(axis), lane_values(variable));
            return Some(quote!({
                for i in 0..L { let #p = #p.wrapping_add(i as i32); #before #code #behind }
                panel.push(#l);
            }));
        }
        let (opened, closed) = self.opened_slices();
        let closed = if let Role::Values { variable } = self.role {
            let l = lane_values(variable);
            quote!(panel.push(#l);)
        } else {
            closed
        };
        let rank = self.shaped.kernel.rank;
        let p = names::position(rank - 1);
        if self.form == Form::Collapsed {
            let column = names::position(rank - 2);
            return Some(quote!({
                let (#column, #p) = (0_i32, 0_i32);
                #fetched
                for i in 0..L {
                    let at = start as u32 + i as u32;
                    let (#column, #p) = ((at / channels) as i32, (at % channels) as i32);
                    #before #code #behind
                }
            }));
        }
        let first = self.at_first_lane();
        let thread = self.at_thread();
        let one = quote!(let #p = start.wrapping_add(i as i32); #thread #before #code #behind);
        let each = match updates {
            false => quote!(for i in 0..L { #one }),
            // As many together as there are copies of a table.
            true => quote! {
                for first in (0..L).step_by(lib::COPIES) {
                    for lane in 0..lib::COPIES.min(L) { let i = first + lane; #one }
                }
            },
        };
        Some(quote!({
            #noted
            #first
            #fetched
            #opened
            #each
            #closed
        }))
    }

    /// A loop that goes on as long as some lane does, if the statement is one.
    pub(in super::super) fn rounds(&self, printer: &mut Printer<'_>, stmt: &Stmt) -> Option<Code> {
        let StmtKind::While { condition: Expr { kind: ExprKind::Local(goes), .. }, body } = &stmt.kind else {
            return None;
        };
        if self.inside.get() || !self.vector.wide.contains(goes) {
            return None;
        }
        let (l, body) = (lane_values(*goes), printer.block(body));
        Some(quote!(while lib::any(&#l) { #body }))
    }

    /// A load as the lanes do it.
    pub(in super::super) fn load(
        &self,
        printer: &mut Printer<'_>,
        variable: VarId,
        index: &[Index],
        boundary: Boundary,
        expr: &Expr,
    ) -> Code {
        if self.is_own(variable) {
            return self.own_element(variable, index);
        }
        if let Some(element) = self.of_store_vector(variable, index) {
            return element;
        }
        let at = printer.element_index(index, expr.span);
        let name = names::local(variable);
        if lanes::is_tested(&self.before.0, &self.before.1, expr) {
            return quote!(#name.checked_quick(#name.elements(), #at, &mut here));
        }
        // Indices that are tested elsewhere were seen to be inside before the row.
        let mode = types::mode(if boundary == Boundary::Checked { Boundary::Unchecked } else { boundary });
        let one = quote!(#name.get::<#mode>(#at));
        if !self.inside.get() || matches!(self.role, Role::Across { .. }) {
            return one;
        }
        if self.is_slices(variable) {
            return self.load_slices(variable, boundary, one, &at, index);
        }
        match lanes::lanes(&self.uniform, self.interleaved(variable), index) {
            lanes::Lanes::Gather => one,
            lanes::Lanes::ByColumn => {
                self.by_column(printer, (variable, boundary, index), &mode).unwrap_or(one)
            }
            lanes::Lanes::Channel => {
                let key = quote!(#name.channel::<I, #mode, L>(#at));
                let all = self.fetch("s", key, || inside(&quote!(#name.channel::<I, #mode, L, INSIDE>(#at))));
                quote!(#all[i])
            }
            lanes::Lanes::Interleaved(elements) => {
                let Some(element) = array_element(&self.shaped.kernel.body.variables[variable].ty) else {
                    return one;
                };
                let [lead @ .., k] = index else { return one };
                let first = Index::At(build::int(0, expr.span));
                let at = printer.element_index(&[lead, &[first]].concat(), expr.span);
                let step = number(elements);
                let key = quote!(#name.interleaved::<I, #mode, #step, L>(#at));
                let all = self.fetch("s", key, || {
                    let spare = self.spare(element, elements);
                    inside(&quote!(#name.interleaved::<I, #mode, #step, L, INSIDE>(#at, &mut #spare[..])))
                });
                let k = element_number(k);
                quote!(#all[#k][i])
            }
            lanes::Lanes::Broadcast => {
                let name = self.fetch("u", one.clone(), || one);
                quote!(#name)
            }
            lanes::Lanes::Backwards => {
                let Some(element) = array_element(&self.shaped.kernel.body.variables[variable].ty) else {
                    return one;
                };
                let at = self.at_last_lane(&at);
                let key = quote!(#name.vector::<#mode, 1, L>(#at));
                let row = self.fetch("s", key, || {
                    let spare = self.spare(element, 1);
                    inside(&quote!(#name.vector::<#mode, 1, L, INSIDE>(#at, &mut #spare[..])))
                });
                quote!(#row[L - 1 - i][0])
            }
            lanes::Lanes::Along(apart) => {
                let Some(element) = array_element(&self.shaped.kernel.body.variables[variable].ty) else {
                    return one;
                };
                let step = number(apart);
                let group = self.groups.borrow().find(&self.uniform, variable, boundary, index);
                let (at, element_of) = match group {
                    Some((first, k)) => (printer.element_index(&first, expr.span), k as usize),
                    None => (at, 0),
                };
                let key = quote!(#name.vector::<#mode, #step, L>(#at));
                let row = self.fetch("s", key, || {
                    let spare = self.spare(element, apart);
                    let found = match self.form {
                        Form::Row | Form::Tile { .. } if apart > 1 => {
                            quote!(#name.strided::<I, #mode, #step, L, INSIDE>(#at, &mut #spare[..]))
                        }
                        Form::Row | Form::Tile { .. } => {
                            quote!(#name.vector::<#mode, #step, L, INSIDE>(#at, &mut #spare[..]))
                        }
                        Form::Collapsed => quote! {
                            #name.collapsed_vector::<#mode, L, INSIDE>(#at, (start, channels), &mut #spare[..])
                        },
                    };
                    inside(&found)
                });
                let k = number(element_of);
                if apart > 1 { quote!(#row[#k][i]) } else { quote!(#row[i][#k]) }
            }
        }
    }

    /// An index as it is for the last lane.
    fn at_last_lane(&self, at: &Code) -> Code {
        let p = names::position(self.shaped.kernel.rank - 1);
        quote!({ let #p = start.wrapping_add(L as i32 - 1); #at })
    }

    /// The name of a value that is fetched before the loop over the lanes.
    pub(super) fn fetch(&self, prefix: &str, key: Code, value: impl FnOnce() -> Code) -> Ident {
        let known = self.fetched.borrow().iter().find(|f| f.key == key).map(|f| f.name.clone());
        known.unwrap_or_else(|| {
            let value = value();
            let mut fetched = self.fetched.borrow_mut();
            let name = anonymous(prefix, fetched.len());
            fetched.push(Fetched { key, value, name: name.clone() });
            name
        })
    }

    /// A place for a vector that crosses the border of its array.
    fn spare(&self, element: ElementType, apart: usize) -> Ident {
        let mut spares = self.spares.borrow_mut();
        spares.push((element, apart));
        self.role.spare(self.form, spares.len() - 1)
    }

    /// Code that reads the elements of the positions, and that writes them back.
    fn own_elements(&self, printer: &mut Printer<'_>) -> (Code, Code) {
        let rank = self.shaped.kernel.rank;
        let (mut opened, mut closed) = (Code::new(), Code::new());
        let rows = if let Form::Tile { rows, .. } = self.form { rows } else { 1 };
        let (stored, read) = (stored_in(&self.vector.block), read_in(&self.vector.block));
        let all = self.shaped.reaches.keys().copied().filter(|v| self.is_own(*v));
        let all = all.filter(|v| self.role == Role::Whole || stored.contains(v) || read.contains(v));
        for (own, row) in all.flat_map(|own| (0..rows).map(move |row| (own, row))) {
            let (o, v) = (own_row(own, row), names::local(own));
            let (read, write) = match self.form {
                _ if self.interleaved(own).is_some() => {
                    let elements = number(self.interleaved(own).unwrap_or(1) as usize);
                    let lead: Vec<_> = (0..rank - 1).map(|axis| self.position(axis, row)).collect();
                    let at = quote!([#(#lead)* start, 0]);
                    let read = quote!(interleaved::<I, #elements, L, INSIDE>(#at));
                    (read, quote!(set_interleaved::<I, #elements, L, INSIDE>(#at, #o)))
                }
                Form::Row | Form::Tile { .. } => {
                    let lead: Vec<_> = (0..rank - 1).map(|axis| self.position(axis, row)).collect();
                    let channel = self.own_channel(own).map(|channel| printer.value(&channel));
                    if let Some(channel) = channel {
                        let at = quote!([#(#lead)* start, #channel]);
                        (quote!(channel::<I, L, INSIDE>(#at)), quote!(set_channel::<L, INSIDE>(#at, #o)))
                    } else {
                        let at = quote!([#(#lead)* start]);
                        (quote!(vector::<L, INSIDE>(#at)), quote!(set_vector::<L, INSIDE>(#at, #o)))
                    }
                }
                Form::Collapsed => {
                    let lead = (0..rank - 2).map(names::position).map(|p| quote!(#p,));
                    let at = quote!([#(#lead)* 0, 0], (start, channels));
                    let read = quote!(collapsed_vector::<L, INSIDE>(#at));
                    (read, quote!(set_collapsed_vector::<L, INSIDE>(#at, #o)))
                }
            };
            let read = match self.role {
                Role::Part { .. } if self.overwrites(own) => {
                    let element =
                        array_element(&self.shaped.kernel.body.variables[own].ty).map(types::element);
                    quote!([<#element>::default(); L])
                }
                _ => inside(&quote!(#v.#read)),
            };
            opened.extend(quote!(let mut #o = #read;));
            if self.role == Role::Whole || stored.contains(&own) {
                closed.extend(quote!(#v.#write;));
            }
        }
        (opened, closed)
    }

    /// Which of the elements of each column positions read and write, where that is one for all of them.
    fn own_channel(&self, array: VarId) -> Option<Expr> {
        let is_array = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == array);
        let mut found = None;
        let mut see = |index: &[Index]| {
            if let Some(Index::At(last)) = index.get(self.shaped.kernel.rank) {
                found = Some(last.clone());
            }
        };
        visit_stmts(&self.vector.block, &mut |stmt| {
            if let StmtKind::Store { array: to, index, .. } = &stmt.kind
                && is_array(to)
            {
                see(index);
            }
        });
        found
    }

    /// Whether the code reads no elements of an array, and every lane stores its own.
    fn overwrites(&self, array: VarId) -> bool {
        let is_array = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == array);
        let mut reads = false;
        visit_block(&self.vector.block, &mut |e| {
            reads |= matches!(&e.kind, ExprKind::Load { array: from, .. } if is_array(from));
        });
        let always = self.vector.block.iter().any(|stmt| match &stmt.kind {
            StmtKind::For { body, attributes, .. } if attributes.every_position => body
                .iter()
                .any(|stmt| matches!(&stmt.kind, StmtKind::Store { array: to, .. } if is_array(to))),
            _ => false,
        });
        always && !reads && self.interleaved(array).is_none()
    }

    /// A component of the position of a row.
    fn position(&self, axis: usize, row: usize) -> Code {
        let p = names::position(axis);
        match self.form {
            Form::Tile { axis: along, .. } if along == axis && row > 0 => {
                let row = constant(Scalar::I32(row as i32));
                quote!(#p.wrapping_add(#row),)
            }
            _ => quote!(#p,),
        }
    }

    /// The extents that must be the same: those of the arrays whose elements lie along the lanes.
    fn channels(&self) -> Code {
        let mut along: BTreeMap<VarId, usize> = BTreeMap::new();
        let rank = self.shaped.kernel.rank;
        along.extend(self.shaped.reaches.keys().copied().filter(|v| self.is_own(*v)).map(|v| (v, rank - 1)));
        visit_block(&self.vector.block, &mut |e| {
            if let ExprKind::Load { array, index, .. } = &e.kind
                && let ExprKind::Local(variable) = array.kind
                && matches!(lanes::lanes(&self.uniform, None, index), lanes::Lanes::Along(_))
            {
                along.insert(variable, index.len() - 1);
            }
        });
        let extents = along.iter().map(|(variable, axis)| {
            let (v, axis) = (names::local(*variable), number(*axis));
            quote!(#v.extent(#axis),)
        });
        extents.collect()
    }

    /// Conditions on arrays of which lanes read a channel: columns that have many elements are far apart.
    fn few_channels(&self) -> Vec<Code> {
        let mut found: BTreeMap<VarId, usize> = BTreeMap::new();
        visit_block(&self.vector.block, &mut |e| {
            if let ExprKind::Load { array, index, .. } = &e.kind
                && let ExprKind::Local(variable) = array.kind
                && lanes::lanes(&self.uniform, self.interleaved(variable), index) == lanes::Lanes::Channel
            {
                found.insert(variable, index.len() - 1);
            }
        });
        let written = self.shaped.reaches.keys().copied().filter(|v| self.is_own(*v));
        let written = written.filter(|v| self.interleaved(*v).is_none() && self.own_channel(*v).is_some());
        found.extend(written.map(|v| (v, self.shaped.kernel.rank)));
        let condition = |(variable, axis): (VarId, usize)| {
            let (v, axis, most) = (names::local(variable), number(axis), constant(Scalar::I32(CHANNELS)));
            quote!(&& #v.extent(#axis) <= #most)
        };
        found.into_iter().map(condition).collect()
    }

    /// A store at the own position.
    pub(in super::super) fn store(&self, variable: VarId, index: &[Index], at: &Code, value: &Code) -> Code {
        if let Some(element) = self.of_store_vector(variable, index) {
            return quote!(#element = #value;);
        }
        if self.is_slices(variable) {
            return self.store_slices(variable, at, value);
        }
        if self.shaped.reaches.get(&variable) == Some(&AccessPattern::Scatter) {
            let v = names::local(variable);
            return quote!(#v.put(#at, #value););
        }
        let own = self.own_element(variable, index);
        quote!(#own = #value;)
    }

    /// The element of a lane that the kernel writes.
    fn own_element(&self, variable: VarId, index: &[Index]) -> Code {
        let own = self.own_row(variable, index);
        match index.last().filter(|_| self.interleaved(variable).is_some()).map(element_number) {
            Some(k) => quote!(#own[#k][i]),
            None => quote!(#own[i]),
        }
    }

    /// How many elements a position has, if the array is interleaved.
    fn interleaved(&self, variable: VarId) -> Option<u32> {
        self.vector.interleaved(variable)
    }

    /// The elements of the positions of the row to which an index belongs.
    fn own_row(&self, variable: VarId, index: &[Index]) -> Ident {
        own_row(variable, if let Form::Tile { axis, .. } = self.form { row_of(index, axis) } else { 0 })
    }
}

/// A vector, without which the function for `INSIDE` gives up. Nothing is written before the last one.
fn inside(vector: &Code) -> Code {
    quote!(match #vector { Some(vector) => vector, None => return false })
}

fn own_row(variable: VarId, row: usize) -> Ident {
    Ident::new(format!("o{}_{row}", variable.index()))
}

/// Whether statements change elements of arrays that all positions share.
fn has_updates(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Update { .. }));
    found
}

/// The row of a tile to which an index belongs, which is a position of it.
fn row_of(index: &[Index], axis: usize) -> usize {
    let row = match index.get(axis) {
        Some(Index::At(Expr { kind: ExprKind::Apply { args, .. }, .. })) => {
            args.last().and_then(Expr::constant_int)
        }
        _ => None,
    };
    row.and_then(|row| usize::try_from(row).ok()).unwrap_or(0)
}

/// An index that is a number.
fn element_number(index: &Index) -> Code {
    let number_of = |e: &Expr| e.constant_int().and_then(|k| usize::try_from(k).ok());
    let number = number(match index {
        Index::At(e) => number_of(e).unwrap_or_default(),
        _ => 0,
    });
    quote!(#number)
}

fn lane_values(variable: VarId) -> Ident {
    anonymous("l", variable.index())
}

/// What begins each row.
fn positions(kernel: &Kernel) -> Code {
    let mut positions = Code::new();
    for axis in 0..kernel.rank - 1 {
        let (p, axis) = (names::position(axis), number(axis));
        positions.extend(quote!(let #p = at[#axis];));
    }
    positions
}

/// Prints the vectors of a kernel that is scheduled so, the inner ones first.
pub(super) fn printed(
    printer: &mut Printer<'_>,
    shaped: &Shaped<'_>,
    kernel: &Kernel,
    name: &Ident,
) -> Vec<Printed> {
    let schedule = &kernel.schedule;
    let row = schedule.vector.iter().map(|vector| (vector, Form::Row, "lanes"));
    let collapsed = schedule.collapsed.iter().map(|vector| (vector, Form::Collapsed, "collapsed"));
    let row = row.map(|(vector, form, suffix)| (vector.as_ref(), form, suffix));
    let collapsed = collapsed.map(|(vector, form, suffix)| (vector.as_ref(), form, suffix));
    let tile = schedule.tile.iter().map(|tile| {
        let form = Form::Tile { axis: tile.axis, rows: tile.rows as usize };
        (&tile.vector, form, "tile")
    });
    row.chain(collapsed)
        .chain(tile)
        .map(|(vector, form, suffix)| {
            let name = Ident::new(format!("{name}_{suffix}"));
            printed_vector(printer, shaped, (vector, form), name)
        })
        .collect()
}

/// What is needed to print code of lanes.
fn lane_code<'k>(
    shaped: &'k Shaped<'k>,
    vector: &'k Vector,
    (form, role): (Form, Role),
    uniform: RowInvariance<'k>,
) -> LaneCode<'k> {
    let (spares, fetched, inside) = (RefCell::default(), RefCell::default(), Cell::new(false));
    let (slices, groups, stored) = (RefCell::default(), RefCell::default(), RefCell::default());
    let columns = RefCell::default();
    let (mut uniform, loops) = (uniform, lanes::loop_variables(&vector.block));
    let before = (uniform.clone(), loops.clone());
    loops.iter().for_each(|v| {
        uniform.vary(v, false);
    });
    LaneCode {
        shaped,
        vector,
        uniform,
        before,
        form,
        role,
        spares,
        fetched,
        inside,
        slices,
        groups,
        columns,
        stored,
    }
}

/// Prints one vector of a kernel.
fn printed_vector(
    printer: &mut Printer<'_>,
    shaped: &Shaped<'_>,
    (vector, form): (&Vector, Form),
    name: Ident,
) -> Printed {
    let kernel = shaped.kernel;
    let set = set_in(&vector.block);
    let invariance = || {
        let uniform = RowInvariance::new(kernel, &shaped.reaches, &set);
        if form == Form::Collapsed { uniform.collapsed() } else { uniform }
    };
    let code = lane_code(shaped, vector, (form, Role::Whole), invariance());
    let before = std::mem::replace(&mut printer.target, Target::Device);
    let (bounds, mut assumed) = (bounds(printer, vector), assumed(printer, &invariance(), &vector.block));
    assumed.extend(between(printer, &vector.within));
    let body = print_in(printer, &code, &vector.block);
    printer.target = before;
    let channels = (form == Form::Collapsed).then(|| code.channels());
    let (spares, once) = code.spares();
    let (params, args) = parameters(shaped, kernel, form, &spares);
    let declared = declared(kernel, vector);
    let (opened, closed) = code.own_elements(printer);
    let (opened_stores, closed_stores, apart) = code.store_vectors(printer);
    let counted = channels.as_ref().map(|_| quote!(channels: std::num::NonZeroU32,));
    let (noting, noted) = code.verdict();
    let gives_up = code.gives_up(&vector.block);
    let tables: Code = shaped.reaches.iter().map(|(array, reach)| opened_table(*reach, *array)).collect();
    let item = quote! {
        #[inline(always)]
        fn #name<I: lib::Isa, const L: usize, const INSIDE: bool>(start: i32, #counted #params) -> bool {
            #tables #declared #noting #opened #opened_stores #body #noted #closed #closed_stores
            true
        }
    };
    let (lanes, widest, overlaps) = (vector.lanes, vector.widest, vector.overlaps);
    let interleaved = vector.interleaved.iter().map(|each| {
        let rank = types::rank(&kernel.body.variables[each.array].ty).unwrap_or(1);
        let (v, axis) = (names::local(each.array), number(rank - 1));
        let elements = constant(Scalar::I32(each.elements as i32));
        if each.exact {
            return quote!(&& #v.extent(#axis) == #elements);
        }
        let most = constant(Scalar::I32(CHANNELS));
        quote!(&& (#elements ..= #most).contains(&#v.extent(#axis)))
    });
    let interleaved = interleaved.chain(apart).chain(code.few_channels()).collect();
    let streams = !vector.slices.is_empty();
    let vectors = Vectors {
        bounds,
        assumed,
        name,
        args,
        lanes,
        widest,
        overlaps,
        channels,
        streams,
        gives_up,
        interleaved,
        form,
    };
    Printed { item, once, vectors }
}

/// The variables of the function for one vector.
fn declared(kernel: &Kernel, vector: &Vector) -> Code {
    let mut declared: Code = lanes::loop_variables(&vector.block)
        .iter()
        .map(|v| {
            let v = names::local(v);
            quote!(let mut #v = 0_i32;)
        })
        .collect();
    for &v in &vector.wide {
        let ty = &kernel.body.variables[v].ty;
        let (l, ty, zero) = (lane_values(v), types::device(ty), types::device_zero(ty));
        declared.extend(quote!(let mut #l: [#ty; L] = [#zero; L];));
    }
    declared
}

/// Prints statements as lanes do them.
fn print_in(printer: &mut Printer<'_>, code: &LaneCode<'_>, block: &[Stmt]) -> Code {
    let mut inner = Printer {
        unit: printer.unit,
        body: printer.body,
        target: Target::Lane(code),
        sink: printer.sink,
        loops: Vec::new(),
        far: printer.far.clone(),
        // Loops of the block that these statements stand in have theirs.
        labels: if printer.loops.is_empty() { 0 } else { printer.labels },
        leave: Code::new(),
        exits: Vec::new(),
        tail: None,
        outside: 0,
        in_try: false,
    };
    inner.block(block)
}
