//! Which expressions devices have a form for.

use super::{Checker, Legal, private, refuse};
use crate::ir::small_calls::{SmallCall, small_call};
use crate::ir::{Expr, ExprKind, Index, VarId};
use crate::source::Span;
use crate::types::known::{array_element, fixed, rank, scalar};

impl Checker<'_, '_> {
    pub(super) fn value(&mut self, expr: &Expr) -> Legal {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Coordinate(..) => Ok(()),
            ExprKind::Local(variable) => self.local(*variable, expr),
            ExprKind::Apply { row: _, args } => self.apply(args, expr),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.value(a)?;
                self.value(b)
            }
            ExprKind::Select { condition, then, otherwise } => {
                self.value(condition)?;
                self.value(then)?;
                self.value(otherwise)
            }
            ExprKind::Field(inner, _) => self.value(inner),
            ExprKind::Convert(inner) => self.convert(inner, expr),
            ExprKind::Load { array, index, boundary: _ } => {
                if scalar(&expr.ty).is_none() {
                    return refuse(span, "a slice whose size is not known");
                }
                self.element(array, index, span)
            }
            ExprKind::Extent(array, _) | ExprKind::Count(array) => self.extents(array, span).map(|_| ()),
            ExprKind::Array(items) => self.array(items, expr),
            ExprKind::Tuple(items) => {
                items.iter().try_for_each(|item| self.value(item))?;
                private(&expr.ty, span)
            }
            ExprKind::Reduce { row: _, arg, axis: None } if fixed(&arg.ty).is_some() => {
                self.value(arg)?;
                private(&expr.ty, span)
            }
            ExprKind::Library { name, args } => self.library(name, args, expr),
            ExprKind::Text(_) | ExprKind::Null => refuse(span, "text or nullptr"),
            ExprKind::Global(_) => refuse(span, "a module-level variable"),
            ExprKind::New(_) | ExprKind::Member(..) | ExprKind::Same(..) => refuse(span, "an object"),
            ExprKind::Function { .. } => refuse(span, "a function as a value"),
            ExprKind::BlockSize(_) => refuse(span, "the size of blocks"),
            ExprKind::Sequence(_) => refuse(span, "a sequence as a value"),
            ExprKind::Reduce { .. } => refuse(span, "a reduction over an array of unknown size"),
        }
    }

    /// An array in memory as a value is copied, which needs a known size.
    fn local(&self, variable: VarId, expr: &Expr) -> Legal {
        if !self.in_memory.contains_key(&variable) {
            return Ok(());
        }
        if fixed(&expr.ty).is_none() {
            return refuse(expr.span, "an array of unknown size as a value");
        }
        private(&expr.ty, expr.span)
    }

    fn apply(&mut self, args: &[Expr], expr: &Expr) -> Legal {
        if scalar(&expr.ty).is_some() && args.iter().all(|arg| scalar(&arg.ty).is_some()) {
            return args.iter().try_for_each(|arg| self.value(arg));
        }
        if fixed(&expr.ty).is_none() {
            return refuse(expr.span, "an operation on arrays of unknown size");
        }
        args.iter().try_for_each(|arg| self.named(arg))?;
        private(&expr.ty, expr.span)
    }

    fn convert(&mut self, inner: &Expr, expr: &Expr) -> Legal {
        if scalar(&expr.ty).is_some() && scalar(&inner.ty).is_some() {
            return self.value(inner);
        }
        let count = |sizes: Vec<usize>| sizes.iter().product::<usize>();
        let (from, to) = (fixed(&inner.ty).map(count), fixed(&expr.ty).map(count));
        let (a, b) = (array_element(&inner.ty), array_element(&expr.ty));
        if from.is_none() || to.is_none() || a.is_none() || b.is_none() {
            return refuse(expr.span, "this conversion");
        }
        if from != to {
            return refuse(expr.span, "a conversion between sizes");
        }
        self.value(inner)?;
        if a == b { Ok(()) } else { private(&expr.ty, expr.span) }
    }

    /// How many dimensions an array has.
    fn extents(&self, array: &Expr, span: Span) -> Result<usize, super::Refused> {
        if let Some(sizes) = fixed(&array.ty) {
            return Ok(sizes.len());
        }
        let ExprKind::Local(v) = array.kind else {
            return Err((span, "an element of this value".to_owned()));
        };
        rank(&self.body.variables[v].ty).ok_or_else(|| (span, "an array of unknown rank".to_owned()))
    }

    /// One element of an array.
    pub(super) fn element(&mut self, array: &Expr, index: &[Index], span: Span) -> Legal {
        let rank = self.extents(array, span)?;
        if array_element(&array.ty).is_none() {
            return refuse(span, "an array of this type");
        }
        if index.len() != rank {
            return refuse(span, "an element of an array of another rank");
        }
        for each in index {
            match each {
                Index::At(e) => self.named(e)?,
                _ => return refuse(span, "a slice whose size is not known"),
            }
        }
        match array.kind {
            ExprKind::Local(_) => Ok(()),
            _ => self.value(array),
        }
    }

    /// `[a, b]`
    fn array(&mut self, items: &[Expr], expr: &Expr) -> Legal {
        if fixed(&expr.ty).is_none() {
            return refuse(expr.span, "an array of unknown size as a value");
        }
        for item in items {
            if fixed(&item.ty).is_none() && scalar(&item.ty).is_none() {
                return refuse(item.span, "this part of an array");
            }
            self.value(item)?;
        }
        private(&expr.ty, expr.span)
    }

    /// Library functions of small arrays.
    fn library(&mut self, name: &str, args: &[Expr], expr: &Expr) -> Legal {
        let call = small_call(name, args, expr).map_err(|what| (expr.span, what))?;
        if !matches!(call, SmallCall::Fill { .. }) {
            args.iter().try_for_each(|arg| self.value(arg))?;
        }
        if call == SmallCall::Argument { Ok(()) } else { private(&expr.ty, expr.span) }
    }
}
