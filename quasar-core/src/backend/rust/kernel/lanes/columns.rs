//! The columns of a row for which the code of lanes is right.

use super::super::super::code::{Code, Ident, quote};
use super::super::super::expr::{Printer, constant};
use super::super::super::names::{self, number};
use super::super::super::stmt::anonymous;
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::{self, Affine, Assumption};
use crate::ir::schedule::{ColumnBound, Vector};
use crate::ir::{Stmt, VarId};
use quasar_devicelib::element::Scalar;

/// Code that keeps the columns between the bounds of a vector.
pub(super) fn bounds(printer: &mut Printer<'_>, vector: &Vector) -> Option<Code> {
    let code = between(printer, &vector.columns);
    (!vector.columns.is_empty()).then_some(code)
}

/// Code that keeps the columns inside of bounds.
pub(super) fn between(printer: &mut Printer<'_>, bounds: &[ColumnBound]) -> Code {
    let bounds = bounds.iter().map(|ColumnBound { least, strict, value }| {
        let value = printer.value(value);
        if *least { quote!(columns.from(#value, #strict);) } else { quote!(columns.to(#value, #strict);) }
    });
    bounds.collect()
}

/// Code that keeps the columns in which no tested index is outside.
pub(in super::super) fn assumed(
    printer: &mut Printer<'_>,
    uniform: &RowInvariance<'_>,
    block: &[Stmt],
) -> Code {
    let mut code = Code::new();
    for assumption in lanes::assumptions(uniform, block).unwrap_or_default() {
        code.extend(match assumption {
            Assumption::Loop(variable, from, to) => {
                let (r, from, to) = (span_name(variable), span(printer, &from), span(printer, &to));
                quote!(let #r = lib::Span::between(#from, #to);)
            }
            Assumption::Inside { array, axis, index } => {
                let (array, axis, mut part) = (names::local(array), number(axis), span(printer, &index));
                if index.channel != 0 {
                    let (factor, last) = (constant(Scalar::I64(index.channel)), number(uniform.last()));
                    part = quote!(#part.plus(#factor, lib::Span::below(dims[#last])));
                }
                let stride = constant(Scalar::I64(index.position));
                quote!(columns.keep(#stride, #part, #array.extent(#axis));)
            }
        });
    }
    code
}

fn span_name(variable: VarId) -> Ident {
    anonymous("r", variable.index())
}

/// The values that an index takes beside the column.
fn span(printer: &mut Printer<'_>, index: &Affine) -> Code {
    let start = constant(Scalar::I32(index.constant));
    let mut code = quote!(lib::Span::at(#start));
    for (factor, term) in &index.terms {
        let (factor, value) = (constant(Scalar::I64(*factor)), printer.value(term));
        code = quote!(#code.plus(#factor, lib::Span::at(#value)));
    }
    for (factor, variable) in &index.loops {
        let (factor, name) = (constant(Scalar::I64(*factor)), span_name(*variable));
        code = quote!(#code.plus(#factor, #name));
    }
    code
}
