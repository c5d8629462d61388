//! The walk over boxes of elements, one for each position, where all arrays have boxes of the extents that the code names.

use super::super::code::{Code, quote};
use super::super::expr::{Printer, Target};
use super::super::names::{self, number};
use super::super::stmt::anonymous;
use super::{Shaped, locals};
use crate::analysis::access_pattern::AccessPattern;
use crate::ir::Kernel;
use crate::ir::rewrite::set_in;
use crate::ir::schedule::ArrayBox;

/// The walk of a task: box by box where that is right, else `rest`.
pub(super) fn printed(printer: &mut Printer<'_>, shaped: &Shaped<'_>, kernel: &Kernel, rest: Code) -> Code {
    let Some(boxes) = &kernel.schedule.boxes else { return rest };
    let before = std::mem::replace(&mut printer.target, Target::Inside);
    let (locals, body) = (locals(printer, kernel, &boxes.block), printer.block(&boxes.block));
    printer.target = before;
    let set = set_in(&boxes.block);
    let (mut fits, mut opened, mut found) = (Code::new(), Code::new(), Code::new());
    let (mut taken, mut put, mut counted) = (Code::new(), Code::new(), Code::new());
    for (n, ArrayBox { array, extents, places, variables }) in boxes.arrays.iter().enumerate() {
        let (v, b) = (names::local(*array), anonymous("b", n));
        for (axis, extent) in extents.iter().enumerate() {
            let (axis, extent) = (number(axis + 1), number(*extent as usize));
            fits.extend(quote!(&& #v.extent(#axis) == #extent));
        }
        let elements = number(extents.iter().product::<u32>() as usize);
        opened.extend(match shaped.reaches.get(array) {
            Some(AccessPattern::ReadOnly) => quote!(#v.boxes::<#elements>(task.columns()),),
            _ => quote!(#v.boxes_mut::<#elements>(task.columns()),),
        });
        found.extend(quote!(Some(#b),));
        counted.extend(match shaped.reaches.get(array) {
            Some(AccessPattern::ReadOnly) => quote!(let #b = &#b[..count];),
            _ => quote!(let #b = &mut #b[..count];),
        });
        for (place, variable) in places.iter().zip(variables) {
            let (x, place) = (names::local(*variable), number(*place as usize));
            if set.contains(variable) {
                taken.extend(quote!(#x = #b[k][#place];));
                put.extend(quote!(#b[k][#place] = #x;));
            } else {
                taken.extend(quote!(let #x = #b[k][#place];));
            }
        }
    }
    let p = names::position(0);
    quote! {
        match (true #fits, #opened) {
            (true, #found) => {
                let (first, count) = (task.columns().start, task.columns().len());
                #counted
                for k in 0..count {
                    lib::one_by_one();
                    let #p = first.wrapping_add(k as i32);
                    #locals #taken #body #put
                }
            }
            _ => { #rest }
        }
    }
}
