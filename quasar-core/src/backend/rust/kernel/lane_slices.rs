//! Elements of arrays that lanes both read and write, axis slices among them: side by side, in loops too.

use super::super::code::{Code, Ident, quote};
use super::super::expr::Printer;
use super::super::names;
use super::super::stmt::anonymous;
use super::super::types::{self, array_element};
use super::lanes::LaneCode;
use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::lanes::{self, Lanes};
use crate::ir::rewrite::{stored_in, visit_stmts};
use crate::ir::slices::only_store;
use crate::ir::{ExprKind, Index, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::types::Boundary;

/// Elements that lanes write side by side in one loop.
pub(super) struct SliceStore {
    array: VarId,
    at: Code,
    /// Whether all lanes write theirs.
    always: bool,
    /// Whether all of them are in range.
    inside: bool,
}

impl LaneCode<'_> {
    pub(super) fn is_slices(&self, variable: VarId) -> bool {
        self.vector.slices.contains(&variable)
    }

    /// The elements of axis slices that lanes write side by side. Where an array has other accesses behind a store, or
    /// stores at several places, each lane does its own in order.
    pub(super) fn slice_stores(&self, printer: &mut Printer<'_>, body: &[Stmt]) -> Vec<SliceStore> {
        let mut found = Vec::new();
        for array in self.vector.slices.iter().copied() {
            if let Some(index) = only_store(body, array)
                && lanes::lanes(&self.uniform, None, index) == Lanes::Along(1)
            {
                let always = body.iter().any(|stmt| {
                    stored_in(std::slice::from_ref(stmt)).contains(&array)
                        && matches!(stmt.kind, StmtKind::Store { .. })
                });
                // What a lane does not write, another thread may write meanwhile.
                let shared = self.shaped.reaches.get(&array) == Some(&AccessPattern::Scatter);
                if shared && !always {
                    continue;
                }
                let (at, inside) =
                    (printer.element_index(index, Span::default()), stores_inside(body, array));
                found.push(SliceStore { array, at, always, inside });
            }
        }
        found
    }

    /// What stands before and behind a loop over lanes that write elements side by side.
    pub(super) fn opened_slices(&self) -> (Code, Code) {
        let (mut opened, mut closed) = (Code::new(), Code::new());
        let first = self.at_first_lane();
        for SliceStore { array, at, always, inside } in self.slices.take() {
            let (w, v) = (slice_lanes(array), names::local(array));
            let set = Ident::new(if inside { "set_lanes_at" } else { "put_lanes" });
            let element = array_element(&self.shaped.kernel.body.variables[array].ty).map(types::element);
            opened.extend(match always {
                true => quote!(let mut #w: [#element; L] = [<#element>::default(); L];),
                false => quote!(let mut #w: [#element; L] = #v.get_lanes::<I, L>(#at);),
            });
            closed.extend(quote!({ #first #v.#set::<I, L>(#at, #w); }));
        }
        (opened, closed)
    }

    /// A load of elements that lanes also write: side by side, or one for all, where nothing is written before.
    pub(super) fn load_slices(
        &self,
        variable: VarId,
        boundary: Boundary,
        one: Code,
        at: &Code,
        index: &[Index],
    ) -> Code {
        let written = self.stored.borrow().contains(&variable)
            && !self.slices.borrow().iter().any(|store| store.array == variable);
        let name = names::local(variable);
        let is_inside = matches!(boundary, Boundary::Unchecked | Boundary::Checked);
        let is_plain = is_inside || boundary == Boundary::Safe;
        match lanes::lanes(&self.uniform, None, index) {
            _ if written => one,
            Lanes::Along(1) if is_plain => {
                let lanes = Ident::new(if is_inside { "lanes_at" } else { "get_lanes" });
                let row = self.fetch("s", one, || quote!(#name.#lanes::<I, L>(#at)));
                quote!(#row[i])
            }
            Lanes::Broadcast => {
                let value = self.fetch("u", one.clone(), || one);
                quote!(#value)
            }
            _ => one,
        }
    }

    /// A store of a lane.
    pub(super) fn store_slices(&self, variable: VarId, at: &Code, value: &Code) -> Code {
        if self.slices.borrow().iter().any(|store| store.array == variable) {
            let w = slice_lanes(variable);
            return quote!(#w[i] = #value;);
        }
        let v = names::local(variable);
        quote!(#v.put(#at, #value);)
    }
}

/// Whether all stores to an array are in range, or were seen to be before the row.
fn stores_inside(body: &[Stmt], array: VarId) -> bool {
    let mut inside = true;
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Store { array: to, boundary, .. } = &stmt.kind
            && matches!(to.kind, ExprKind::Local(v) if v == array)
        {
            inside &= matches!(boundary, Boundary::Unchecked | Boundary::Checked);
        }
    });
    inside
}

/// The elements of axis slices that lanes write.
fn slice_lanes(variable: VarId) -> Ident {
    anonymous("y", variable.index())
}
