//! The walk over rows of few positions: plain loops, where no index of a task is outside.

use super::super::code::{Code, quote};
use super::super::expr::{Printer, Target};
use super::super::names::{self, number};
use super::{Shaped, lanes, locals};
use crate::analysis::innermost_invariance::RowInvariance;
use crate::ir::Kernel;
use crate::ir::rewrite::set_in;

/// The walk of a task: that of short rows where it is right, else `long`.
pub(super) fn printed(printer: &mut Printer<'_>, shaped: &Shaped<'_>, kernel: &Kernel, long: Code) -> Code {
    let Some(short) = &kernel.schedule.short_rows else { return long };
    let before = std::mem::replace(&mut printer.target, Target::Device);
    let set = set_in(&short.block);
    let uniform = RowInvariance::new(kernel, &shaped.reaches, &set);
    let assumed = lanes::assumed(printer, &uniform, &short.block);
    printer.target = Target::Inside;
    let (locals, body) = (locals(printer, kernel, &short.block), printer.block(&short.block));
    printer.target = before;
    let (last, most, plane) = (kernel.rank - 1, short.most, short.plane);
    let place = |axes: usize| -> Code {
        let each = (0..axes).map(|axis| {
            let (p, axis) = (names::position(axis), number(axis));
            quote!(let #p = at[#axis];)
        });
        each.collect()
    };
    let (corner, lead) = (place(last), place(last - 1));
    let (row, column) = (names::position(last - 1), names::position(last));
    quote! {
        if task.has_short_rows(#most, #plane) && task.corners().all(|at| {
            #corner
            let mut columns = lib::Columns::all();
            #assumed
            task.is_within(columns)
        }) {
            for (at, rows) in task.planes() {
                #lead
                for #row in rows {
                    'position: for #column in task.columns() { #locals #body }
                }
            }
        } else {
            #long
        }
    }
}
