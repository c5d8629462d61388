//! Concatenation of arrays, and extents derived from the number of elements.

use super::source::Source;
use super::{Pass, apply, integer, text};
use crate::ir::build::{self, int, int_type, scalar_type};
use crate::ir::{Expr, Failure, VarId};
use crate::source::Span;
use crate::transform::kernel::small::joined_along;
use crate::types::known::rank;
use crate::types::{ElementType, Type};

impl Pass<'_> {
    /// `horzcat`, `vertcat` and `cat`. A vector is a row if the result is no vector.
    pub(super) fn joined(&mut self, variable: VarId, name: &str, args: &[Expr], span: Span) -> bool {
        let Some(whole) = rank(&self.body.variables[variable].ty) else { return false };
        let Some((axis, parts)) = joined_along(name, args) else { return false };
        let axis = if whole == 1 { 0 } else { axis };
        let mut sources: Vec<Source> = Vec::new();
        for part in parts {
            let source = match part.ty {
                Type::Array(_) => self.source(part),
                _ => Some(Source::number(self.keep(part.clone()), vec![int(1, span)])),
            };
            let Some(source) = source.map(|source| source.raised(whole)) else { return false };
            if source.dims.len() != whole {
                return false;
            }
            if let Some(first) = sources.first() {
                let others = |dims: &[Expr]| [&dims[..axis], &dims[axis + 1..]].concat();
                self.alike(&others(&first.dims), &others(&source.dims), span);
            }
            sources.push(source);
        }
        let Some(first) = sources.first() else { return false };
        let mut dims = first.dims.clone();
        let mut begins = vec![int(0, span)];
        for source in &sources {
            let end = integer("add", begins[begins.len() - 1].clone(), source.dims[axis].clone(), span);
            begins.push(self.keep(end));
        }
        dims[axis] = begins[sources.len()].clone();
        self.allocate(variable, &dims, false, span);
        let target = self.body.read(variable, span);
        for (source, begin) in sources.iter().zip(begins) {
            self.loops(&source.dims, span, |this, at| {
                let mut place = at.to_vec();
                place[axis] = integer("add", place[axis].clone(), begin, span);
                this.put(&target, &place, source.at(at), span);
            });
        }
        true
    }

    /// Divides a number of elements by `part`; fails unless it divides evenly.
    pub(super) fn quotient(&mut self, count: Expr, part: Expr, span: Span) -> Expr {
        let part = self.keep(part);
        let none = integer("equal", part.clone(), int(0, span), span);
        let message = || {
            let said = text(" elements do not fill an array with one open extent", span);
            vec![text("reshape: ", span), count.clone(), said]
        };
        self.fail_if(none, Failure::Size, message(), span);
        let rest = integer("mod", count.clone(), part.clone(), span);
        self.fail_if(rest, Failure::Size, message(), span);
        // Doubles represent all element counts exactly.
        let double = scalar_type(ElementType::Double);
        let numbers = [count, part].map(|x| build::convert(x, &double)).to_vec();
        let exact = apply("divide", numbers, &double, span);
        self.keep(build::convert(exact, &int_type()))
    }
}
