//! Elements of arrays that lanes write at other places than their own: vectors that are read before and written behind the code of
//! lanes, and elements that all lanes read.

use super::super::super::code::{Code, quote};
use super::super::super::expr::{Printer, Target};
use super::super::super::names::{self, number};
use super::super::super::stmt::anonymous;
use super::{LaneCode, inside};
use crate::analysis::lanes;
use crate::ir::schedule::StoreVector;
use crate::ir::slices::is_same_element;
use crate::ir::{Index, VarId};
use crate::source::Span;
use std::collections::BTreeMap;

impl LaneCode<'_> {
    /// Code that reads the elements that lanes write at other places, and that writes them back; and the conditions on a segment
    /// `s` of a row.
    pub(super) fn store_vectors(&self, printer: &mut Printer<'_>) -> (Code, Code, Vec<Code>) {
        let (mut opened, mut closed) = (Code::new(), Code::new());
        let mut rows: BTreeMap<VarId, Vec<Code>> = BTreeMap::new();
        let p = names::position(self.shaped.kernel.rank - 1);
        let before = std::mem::replace(&mut printer.target, Target::Device);
        for (k, StoreVector { array, index, apart, backwards, written }) in
            self.vector.stores.iter().enumerate()
        {
            let (q, v, apart) = (anonymous("q", k), names::local(*array), *apart as usize);
            let at = printer.element_index(index, Span::default());
            if apart == 0 {
                opened.extend(quote!(let #q = #v.get::<lib::Safe>(#at);));
                rows.entry(*array).or_default().push(quote!((#at, 1),));
                continue;
            }
            let (is_strided, apart) = (apart > 1, number(apart));
            let first = if *backwards { self.at_last_lane(&at) } else { quote!({ let #p = start; #at }) };
            let end = if *backwards { quote!(.wrapping_add(s.len as i32 - 1)) } else { Code::new() };
            let (read, write) = if is_strided {
                (quote!(strided::<I, #apart, L, INSIDE>), quote!(set_strided::<I, #apart, L, INSIDE>))
            } else {
                (quote!(vector::<#apart, L, INSIDE>), quote!(set_vector::<#apart, L, INSIDE>))
            };
            let read = inside(&quote!(#v.#read(#first)));
            opened.extend(quote!(let mut #q = #read;));
            if *written {
                closed.extend(quote!(#v.#write(#first, #q);));
            }
            let row = quote!(({ let #p = s.start #end; #at }, s.len as i64 * #apart),);
            rows.entry(*array).or_default().push(row);
        }
        printer.target = before;
        let apart = rows.into_iter().map(|(array, rows)| {
            let v = names::local(array);
            quote!(&& #v.apart([#(#rows)*]))
        });
        (opened, closed, apart.collect())
    }

    /// An element of a lane in an array that lanes write at other places than their own.
    pub(super) fn of_store_vector(&self, variable: VarId, index: &[Index]) -> Option<Code> {
        let stores = self.vector.stores.iter().enumerate();
        stores.filter(|(_, vector)| vector.array == variable).find_map(|(number_of, vector)| {
            if vector.apart == 0 {
                let q = anonymous("q", number_of);
                return is_same_element(&vector.index, index).then(|| quote!(#q));
            }
            let k = lanes::element_of_store(&self.uniform, &vector.index, index)?;
            let (q, k) = (anonymous("q", number_of), number(k as usize));
            let lane = if vector.backwards { quote!(L - 1 - i) } else { quote!(i) };
            Some(if vector.apart > 1 { quote!(#q[#k][#lane]) } else { quote!(#q[#lane][#k]) })
        })
    }
}
