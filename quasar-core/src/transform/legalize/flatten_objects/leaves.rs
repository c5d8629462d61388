//! Where the leaves of an object are.

use super::rewrite::Rewriter;
use super::{Leaf, leaves, range_of};
use crate::ir::build;
use crate::ir::{Expr, ExprKind, Index, VarId};
use crate::source::Span;
use crate::types::{Boundary, ClassType, Type};
use std::sync::Arc;

/// Where one leaf of an object of its own is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// In a variable.
    Value(VarId),
    /// In the only element of an array.
    Cell(VarId),
}

/// What a variable of a class stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Handle {
    /// An object with places of its own.
    Own(Vec<Place>),
    /// The element of arrays at these positions.
    Element { arrays: Vec<VarId>, index: Vec<VarId>, boundary: Boundary },
}

/// What an expression of a class stands for.
#[derive(Clone, Debug)]
pub(super) enum Object {
    Own(Vec<Place>),
    Element { arrays: Vec<VarId>, index: Vec<Index>, boundary: Boundary },
}

impl Object {
    /// The part of it that begins with this leaf.
    fn part(self, from: usize, count: usize) -> Object {
        match self {
            Object::Own(places) => Object::Own(places.into_iter().skip(from).take(count).collect()),
            Object::Element { arrays, index, boundary } => {
                let arrays = arrays.into_iter().skip(from).take(count).collect();
                Object::Element { arrays, index, boundary }
            }
        }
    }
}

impl Rewriter<'_, '_> {
    pub(super) fn leaves(&self, class: &ClassType) -> Vec<Leaf> {
        leaves(self.pass.program, class)
    }

    /// The object that an expression names; `None` where it names none that is known here.
    pub(super) fn object(&mut self, expr: &Expr) -> Option<Object> {
        match &expr.kind {
            ExprKind::Local(variable) => match self.handles.get(variable)?.clone() {
                Handle::Own(places) => Some(Object::Own(places)),
                Handle::Element { arrays, index, boundary } => {
                    let read = |at: &VarId| Index::At(build::local(*at, Type::INT, expr.span));
                    Some(Object::Element { arrays, index: index.iter().map(read).collect(), boundary })
                }
            },
            ExprKind::Load { array, index, boundary } => {
                let ExprKind::Local(variable) = array.kind else { return None };
                let arrays = self.arrays.get(&variable)?.clone();
                let mut positions = Vec::new();
                for index in index {
                    let Index::At(at) = index else { return None };
                    positions.push(Index::At(self.expr(at.clone())));
                }
                Some(Object::Element { arrays, index: positions, boundary: *boundary })
            }
            ExprKind::Member(outer, field) => {
                let class = outer.ty.class()?.clone();
                let (from, count) = range_of(self.pass.program, &class, *field);
                Some(self.object(outer)?.part(from, count))
            }
            ExprKind::Convert(inner) => {
                let count = self.leaves(expr.ty.class()?).len();
                Some(self.object(inner)?.part(0, count))
            }
            _ => None,
        }
    }

    /// The value of the first leaf of an object.
    pub(super) fn read(&self, object: &Object, leaf: &Type, span: Span) -> Option<Expr> {
        let value = match object {
            Object::Own(places) => match *places.first()? {
                Place::Value(variable) => self.body.read(variable, span),
                Place::Cell(variable) => self.load(variable, vec![zero(span)], Boundary::Safe, leaf, span),
            },
            Object::Element { arrays, index, boundary } => {
                self.load(*arrays.first()?, index.clone(), *boundary, leaf, span)
            }
        };
        Some(build::convert(value, leaf))
    }

    /// Elements of an array of leaves: those of a leaf that is an array of known sizes follow the position.
    pub(super) fn load(
        &self,
        array: VarId,
        mut index: Vec<Index>,
        boundary: Boundary,
        leaf: &Type,
        span: Span,
    ) -> Expr {
        let ty = match leaf {
            Type::Array(inner) if !super::is_open(leaf) => {
                index.extend(inner.sizes.iter().map(|size| whole(*size, span)));
                Type::array(super::stored(&inner.element), &inner.sizes)
            }
            other => super::stored(other),
        };
        let array = Box::new(self.body.read(array, span));
        Expr::new(ExprKind::Load { array, index, boundary }, ty, span)
    }

    /// The leaf that an expression of a field names.
    pub(super) fn leaf(&mut self, expr: &Expr) -> Option<Object> {
        match &expr.kind {
            ExprKind::Member(..) => self.object(expr),
            _ => None,
        }
    }

    pub(super) fn class_of(&self, ty: &Type) -> Option<Arc<ClassType>> {
        match ty {
            Type::Class(class) => Some(class.clone()),
            _ => None,
        }
    }
}

/// All positions of a dimension of known size.
pub(super) fn whole(size: Option<u32>, span: Span) -> Index {
    let last = size.and_then(|size| i32::try_from(size).ok()).unwrap_or(0) - 1;
    Index::Range(build::range(build::int(0, span), build::int(last, span)))
}

/// The position in an array of one element.
pub(super) fn zero(span: Span) -> Index {
    Index::At(build::int(0, span))
}
