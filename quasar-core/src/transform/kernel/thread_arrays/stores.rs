//! Stores to slices whose sizes are known at run time only.

use super::Pass;
use super::source::Source;
use crate::ir::rewrite::{operands_mut, same, variables};
use crate::ir::{Expr, ExprKind, Index, Stmt, StmtKind, build};
use crate::types::known::on_heap;
use crate::types::{Boundary, Type};

/// Puts another array in place of the one that a statement stores to, or none.
fn replace_target(stmt: &mut Stmt, by: Option<Expr>) -> Option<Expr> {
    let (StmtKind::Store { array, .. } | StmtKind::Update { array, .. }) = &mut stmt.kind else {
        return None;
    };
    let by = by.unwrap_or_else(|| build::int(0, array.span));
    Some(std::mem::replace(array, by))
}

impl Pass<'_> {
    /// A store or an update; one of a slice becomes a loop.
    pub(super) fn store(&mut self, mut stmt: Stmt) {
        let (StmtKind::Store { array, index, boundary, value }
        | StmtKind::Update { array, index, boundary, value, .. }) = &stmt.kind
        else {
            return;
        };
        let plain = index.iter().all(|i| matches!(i, Index::At(_)));
        let whole = matches!(array.kind, ExprKind::Local(_))
            && !index.iter().any(|i| matches!(i, Index::Position(_)))
            && !matches!(stmt.kind, StmtKind::Update { result: Some(_), .. });
        if plain || !whole {
            // An array under other dimensions is the same array: a copy of it would get what is stored.
            let array = replace_target(&mut stmt, None);
            operands_mut(&mut stmt, &mut |e| self.scalar(e));
            replace_target(&mut stmt, array);
            self.out.push(stmt);
            return;
        }
        let target = Target { array: array.clone(), index: index.clone(), boundary: *boundary };
        let value = value.clone();
        if self.stored_slice(&stmt, &target, &value).is_none() {
            self.out.push(stmt);
        }
    }

    fn stored_slice(&mut self, stmt: &Stmt, target: &Target, value: &Expr) -> Option<()> {
        let (span, array) = (stmt.span, &target.array);
        let mark = self.out.len();
        let found = (|| {
            let source = match value.ty {
                Type::Array(_) => {
                    let mut value = value.clone();
                    if self.may_overlap(array, &value) && !target.has_own_elements(&value) {
                        self.in_new_variable(&mut value).then_some(())?;
                    }
                    self.source_once(&value)?
                }
                _ => Source::number(self.keep(value.clone()), Vec::new()),
            };
            let places = self.places(array, &target.index, span)?;
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
                *value = build::convert(this.element(&source, at), &super::element_type(&array.ty));
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

/// What a statement stores to.
struct Target {
    array: Expr,
    index: Vec<Index>,
    boundary: Boundary,
}

impl Target {
    /// Whether a value reads no element that the store of another element writes. Numbers are computed before all elements.
    fn has_own_elements(&self, value: &Expr) -> bool {
        let apart = |value: &Expr| !variables(value).iter().any(|v| variables(&self.array).contains(&v));
        match &value.kind {
            _ if !matches!(value.ty, Type::Array(_)) => true,
            ExprKind::Load { array: from, index, boundary } if matches!(from.kind, ExprKind::Local(_)) => {
                let injective = is_injective(self.boundary) && is_injective(*boundary);
                injective && same(&self.array, from) && same_lines(&self.index, index) || apart(value)
            }
            ExprKind::Apply { args, .. } => args.iter().all(|arg| self.has_own_elements(arg)),
            ExprKind::Convert(inner) => self.has_own_elements(inner),
            _ => apart(value),
        }
    }
}

/// Whether indices outside are no other elements of the array.
fn is_injective(boundary: Boundary) -> bool {
    matches!(boundary, Boundary::Safe | Boundary::Checked | Boundary::Unchecked)
}

/// Whether two slices go along the same indices of the same dimensions. Where their other indices differ, they are apart; where
/// those are equal, each element is its own.
fn same_lines(a: &[Index], b: &[Index]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (Index::At(_), Index::At(_)) | (Index::All, Index::All) => true,
            (Index::Range(a), Index::Range(b)) => {
                same(&a.from, &b.from) && same(&a.to, &b.to) && a.step.is_none() && b.step.is_none()
            }
            _ => false,
        })
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
