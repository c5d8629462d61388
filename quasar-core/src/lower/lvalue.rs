//! Places: what an assignment may write to.

use super::body::Lowering;
use super::objects::Member;
use crate::ir::build::is_small;
use crate::ir::{Expr, ExprKind, GlobalId, Index, Storage};
use crate::sema::model::{IndexUse, NameUse};
use crate::sema::walk;
use crate::syntax::ast::FunctionKind;
use crate::syntax::ast::{self, ExprKind as Ast, IndexArg, NodeId, Target};
use crate::types::{Boundary, Type};
use std::collections::BTreeSet;

/// Where a value goes.
pub(super) enum Place<'a> {
    /// A variable of the source, with the id under which its new type stands.
    Variable(&'a str, NodeId),
    /// A module-level variable.
    Global(GlobalId),
    /// An element or slice.
    Element(Element),
    /// `object.field`
    Member(Member),
    /// A field that is known at run time.
    Property(Expr, &'a str),
    /// `x[condition]`
    Mask(&'a ast::Expr, &'a ast::Expr),
}

/// `array[index]` as a target.
pub(super) struct Element {
    pub(super) array: Expr,
    pub(super) index: Vec<Index>,
    pub(super) boundary: Boundary,
}

impl Element {
    /// Whether it is one element and not a slice.
    pub(super) fn is_single(&self) -> bool {
        self.index.iter().all(|index| matches!(index, Index::At(_) | Index::Position(_)))
    }

    /// Whether an index is a number, a vector or a mask, which is known at run time only.
    pub(super) fn depends_on_value(&self) -> bool {
        self.index.iter().any(|index| matches!(index, Index::List(e) if e.ty == Type::Dynamic))
    }

    /// Whether the items have a known type other than a number.
    pub(super) fn has_typed_items(&self) -> bool {
        !matches!(self.element(), Type::Dynamic | Type::Scalar(..) | Type::Enum(_))
    }

    /// The element type of the array.
    pub(super) fn element(&self) -> Type {
        match &self.array.ty {
            Type::Array(array) => (*array.element).clone(),
            _ => Type::Dynamic,
        }
    }
}

impl<'a> Lowering<'a, '_> {
    /// The place that an expression names; its indices are evaluated now. `None` after a message.
    pub(super) fn place(&mut self, expr: &'a ast::Expr) -> Option<Place<'a>> {
        match &expr.kind {
            Ast::Paren(inner) => self.place(inner),
            Ast::Name(name) => Some(match self.tables.names.get(&expr.id) {
                Some(NameUse::Global(unique)) => match self.cx.globals.get(unique) {
                    Some(global) => Place::Global(*global),
                    None => Place::Variable(name, expr.id),
                },
                _ => Place::Variable(name, expr.id),
            }),
            Ast::Index { base, indices } => {
                let uses = self.uses(expr, indices);
                if let ([IndexUse::Mask], [IndexArg::Expr(mask)]) = (&uses[..], &indices[..])
                    && self.has_rank(base)
                {
                    return Some(Place::Mask(base, mask));
                }
                if matches!(self.type_of(base), Type::Scalar(..)) {
                    return self.place(base);
                }
                let mut whole = vec![self.expr(base)];
                let mark = self.out.len();
                let index = self.indices(indices, &uses, false);
                self.protect(&mut whole, mark);
                let array = whole.pop()?;
                let boundary = self.boundary(&array);
                let ty = self.stored_type(expr, &array, &index);
                let (array, index) = self.fit(array, index, &ty, expr.span);
                Some(Place::Element(Element { array, index, boundary }))
            }
            Ast::Member { base, member } => {
                if self.type_of(base) == Type::Dynamic {
                    return Some(Place::Property(self.expr(base), &member.text));
                }
                if let Some(member) = self.member_place(base, &member.text) {
                    return Some(Place::Member(member));
                }
                if let Some(object) = self.further_of(base, &self.type_of(base)) {
                    return Some(Place::Property(object, &member.text));
                }
                self.not_supported(expr.span, "assignment to members of objects");
                None
            }
            _ => {
                self.not_supported(expr.span, "assignment to this expression");
                None
            }
        }
    }

    /// What stands at a place: inference says it where the place is also typed as an expression.
    fn stored_type(&self, expr: &ast::Expr, array: &Expr, index: &[Index]) -> Type {
        if let Some(ty) = self.tables.types.get(&expr.id) {
            return ty.clone();
        }
        let single = index.iter().all(|index| matches!(index, Index::At(_)));
        match &array.ty {
            Type::Array(shape) if single && index.len() + 1 != shape.sizes.len() => (*shape.element).clone(),
            _ => Type::Unit,
        }
    }

    /// Whether all threads of a kernel see the array, so that changing an element must be one step.
    pub(super) fn is_shared(&self, array: &Expr) -> bool {
        if !self.on_device() {
            return false;
        }
        let root = crate::ir::rewrite::root(array);
        // What a kernel is given is the host's array, however small.
        let given = self.instance.kind == FunctionKind::Kernel
            && root.is_some_and(|variable| self.body.params.contains(&variable));
        match root.map(|variable| &self.body.variables[variable]) {
            Some(variable) => given || variable.storage == Storage::Shared || !is_small(&variable.ty),
            None => !matches!(array.kind, ExprKind::Array(_)),
        }
    }
}

/// The variables whose elements statements change.
pub(super) fn mutated_names(block: &[ast::Stmt]) -> BTreeSet<String> {
    let mut find = Mutated(BTreeSet::new());
    walk::block(block, &mut find);
    find.0
}

/// The variables whose elements an expression changes.
pub(super) fn mutated_names_of(expr: &ast::Expr) -> BTreeSet<String> {
    let mut find = Mutated(BTreeSet::new());
    walk::expr(expr, &mut find);
    find.0
}

struct Mutated(BTreeSet<String>);

impl Mutated {
    fn place(&mut self, place: &ast::Expr, compound: bool) {
        match &place.kind {
            Ast::Index { base, .. } => self.place(base, true),
            Ast::Paren(inner) => self.place(inner, compound),
            Ast::Name(name) if compound => {
                self.0.insert(name.clone());
            }
            _ => {}
        }
    }
}

impl walk::Visitor<'_> for Mutated {
    fn expr(&mut self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            Ast::Assign { target, op, .. } => match &**target {
                Target::Place { place, .. } => self.place(place, op.is_some()),
                Target::Multiple { places, .. } => {
                    places.iter().flatten().for_each(|(place, _)| self.place(place, false));
                }
            },
            Ast::Exchange { place, .. } => self.place(place, true),
            _ => {}
        }
        true
    }
}
