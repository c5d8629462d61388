//! Elements of axis slices as lanes read and write them: side by side, in loops too.

use super::super::code::{Code, Ident, quote};
use super::super::expr::Printer;
use super::super::names;
use super::super::stmt::anonymous;
use super::super::types::{self, array_element};
use super::lanes::LaneCode;
use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::lanes::{self, Lanes};
use crate::ir::rewrite::stored_in;
use crate::ir::slices::only_store;
use crate::ir::{Index, Stmt, StmtKind, VarId};
use crate::source::Span;

/// Elements that lanes write side by side in one loop.
pub(super) struct SliceStore {
    array: VarId,
    at: Code,
    /// Whether all lanes write theirs.
    always: bool,
}

impl LaneCode<'_> {
    pub(super) fn is_slices(&self, variable: VarId) -> bool {
        matches!(self.shaped.reaches.get(&variable), Some(AccessPattern::AxisSlices { .. }))
    }

    /// The elements of axis slices that lanes write side by side. Where an array has other accesses behind a store, or
    /// stores at several places, each lane does its own in order.
    pub(super) fn slice_stores(&self, printer: &mut Printer<'_>, body: &[Stmt]) -> Vec<SliceStore> {
        let mut found = Vec::new();
        for array in self.shaped.reaches.keys().copied().filter(|v| self.is_slices(*v)) {
            if let Some(index) = only_store(body, array)
                && lanes::lanes(&self.uniform, None, index) == Lanes::Along(1)
            {
                let always = body.iter().any(|stmt| {
                    stored_in(std::slice::from_ref(stmt)).contains(&array)
                        && matches!(stmt.kind, StmtKind::Store { .. })
                });
                found.push(SliceStore { array, at: printer.element_index(index, Span::default()), always });
            }
        }
        found
    }

    /// What stands before and behind a loop over lanes that write elements side by side.
    pub(super) fn opened_slices(&self) -> (Code, Code) {
        let (mut opened, mut closed) = (Code::new(), Code::new());
        let p = names::position(self.shaped.kernel.rank - 1);
        for SliceStore { array, at, always } in self.slices.take() {
            let (w, v) = (slice_lanes(array), names::local(array));
            let element = array_element(&self.shaped.kernel.body.variables[array].ty).map(types::element);
            opened.extend(match always {
                true => quote!(let mut #w: [#element; L] = [<#element>::default(); L];),
                false => quote!(let mut #w: [#element; L] = #v.lanes(#at);),
            });
            closed.extend(quote!({ let #p = start; #v.set_lanes(#at, #w); }));
        }
        (opened, closed)
    }

    /// A load of elements that lanes also write: side by side where nothing is written before.
    pub(super) fn load_slices(&self, variable: VarId, one: Code, at: &Code, index: &[Index]) -> Code {
        let written = self.stored.borrow().contains(&variable)
            && !self.slices.borrow().iter().any(|store| store.array == variable);
        if written || lanes::lanes(&self.uniform, None, index) != Lanes::Along(1) {
            return one;
        }
        let name = names::local(variable);
        let row = self.fetch("s", one, || quote!(#name.lanes::<L>(#at)));
        quote!(#row[i])
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

/// The elements of axis slices that lanes write.
fn slice_lanes(variable: VarId) -> Ident {
    anonymous("y", variable.index())
}
