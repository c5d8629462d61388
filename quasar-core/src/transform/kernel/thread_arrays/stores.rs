//! Stores to slices whose sizes are known at run time only.

use super::Pass;
use super::source::Source;
use crate::ir::rewrite::{operands_mut, same, variables};
use crate::ir::{Expr, ExprKind, Index, Stmt, StmtKind};
use crate::types::Type;
use crate::types::known::on_heap;

impl Pass<'_> {
    /// A store or an update; one of a slice becomes a loop.
    pub(super) fn store(&mut self, mut stmt: Stmt) {
        let (StmtKind::Store { array, index, value, .. } | StmtKind::Update { array, index, value, .. }) =
            &stmt.kind
        else {
            return;
        };
        let plain = index.iter().all(|i| matches!(i, Index::At(_)));
        let whole = matches!(array.kind, ExprKind::Local(_))
            && !index.iter().any(|i| matches!(i, Index::Position(_)))
            && !matches!(stmt.kind, StmtKind::Update { result: Some(_), .. });
        if plain || !whole {
            operands_mut(&mut stmt, &mut |e| self.scalar(e));
            self.out.push(stmt);
            return;
        }
        let (array, index, value) = (array.clone(), index.clone(), value.clone());
        if self.stored_slice(&stmt, &array, &index, &value).is_none() {
            self.out.push(stmt);
        }
    }

    fn stored_slice(&mut self, stmt: &Stmt, array: &Expr, index: &[Index], value: &Expr) -> Option<()> {
        let span = stmt.span;
        let mark = self.out.len();
        let found = (|| {
            let source = match value.ty {
                Type::Array(_) => {
                    let mut value = value.clone();
                    if self.may_overlap(array, &value) && !has_own_elements(array, index, &value) {
                        self.in_new_variable(&mut value).then_some(())?;
                    }
                    self.source(&value)?
                }
                _ => Source::number(self.keep(value.clone()), Vec::new()),
            };
            let places = self.places(array, index, span)?;
            let mut source = source;
            if !source.dims.is_empty() {
                source = fitted(source, places.dims())?;
                self.alike(places.dims(), &source.dims.clone(), span);
            }
            Some((source, places))
        })();
        let Some((source, places)) = found else {
            self.out.truncate(mark);
            return None;
        };
        // Where both sizes are the same, the one that is known makes loops that can be written out.
        let mut dims = places.dims().to_vec();
        for (dim, known) in dims.iter_mut().zip(&source.dims) {
            if known.constant_int().is_some() {
                *dim = known.clone();
            }
        }
        self.loops(&dims, span, |this, at| {
            let mut one = stmt.clone();
            if let StmtKind::Store { index, value, array, .. }
            | StmtKind::Update { index, value, array, .. } = &mut one.kind
            {
                *index = places.index(at);
                *value = crate::ir::build::convert(source.at(at), &super::element_type(&array.ty));
            }
            this.out.push(one);
        });
        Some(())
    }

    /// Whether a value may read elements that the statement writes.
    fn may_overlap(&self, array: &Expr, value: &Expr) -> bool {
        let (read, written) = (variables(value), variables(array));
        let kept = |v| on_heap(&self.body.variables[v].ty) && !self.is_outside(v);
        let both = read.iter().any(|v| written.contains(&v));
        both || self.renames && written.iter().any(&kept) && read.iter().any(kept)
    }

    /// Copies a value into a variable of its own, even if it is one already.
    fn in_new_variable(&mut self, value: &mut Expr) -> bool {
        let span = value.span;
        let variable = self.body.temporary(value.ty.clone(), span);
        let Some(source) = self.source(value) else { return false };
        self.fill(variable, &source, false, span);
        *value = self.body.read(variable, span);
        true
    }
}

/// Whether a value reads no elements of the target array but those that are written, each in its own place. Numbers are computed
/// before all elements.
fn has_own_elements(array: &Expr, index: &[Index], value: &Expr) -> bool {
    match &value.kind {
        _ if !matches!(value.ty, Type::Array(_)) => true,
        ExprKind::Load { array: from, index: at, .. } if matches!(from.kind, ExprKind::Local(_)) => {
            let same_places = index.len() == at.len() && index.iter().zip(at).all(same_index);
            same(array, from) && same_places
                || !variables(value).iter().any(|v| variables(array).contains(&v))
        }
        ExprKind::Apply { args, .. } => args.iter().all(|arg| has_own_elements(array, index, arg)),
        ExprKind::Convert(inner) => has_own_elements(array, index, inner),
        _ => !variables(value).iter().any(|v| variables(array).contains(&v)),
    }
}

fn same_index((a, b): (&Index, &Index)) -> bool {
    match (a, b) {
        (Index::At(a), Index::At(b)) => same(a, b),
        (Index::All, Index::All) => true,
        (Index::Range(a), Index::Range(b)) => {
            same(&a.from, &b.from) && same(&a.to, &b.to) && a.step.is_none() && b.step.is_none()
        }
        _ => false,
    }
}

/// Adapts a value to the rank of the target slice: dimensions of extent 1 are dropped or added.
fn fitted(mut source: Source, dims: &[Expr]) -> Option<Source> {
    while source.dims.len() > dims.len() {
        let axis = source.dims.iter().position(|n| n.constant_int() == Some(1))?;
        source = source.without(axis);
    }
    if source.dims.len() < dims.len() {
        let fits = dims.len() == 2 && dims[0].constant_int() == Some(1);
        return fits.then(|| source.raised(2));
    }
    Some(source)
}
