//! Objects of classes: making them, and what lies inside of one. An object or array of known sizes that is the field of
//! another lies inside of that: giving it a value copies into it, and nobody else refers to it from the start.

use super::body::Lowering;
use super::lvalue::Element;
use super::operators::assign_row;
use crate::ir::build;
use crate::ir::{Expr, ExprKind, Field, Index, LoopAttributes, LoopMode, Stmt, StmtKind, VarId};
use crate::sema::model::Argument;
use crate::source::Span;
use crate::syntax::ast::{self, NodeId};
use crate::types::{ArrayType, Boundary, ClassType, Type};
use quasar_devicelib::element::promote;
use quasar_devicelib::ops;
use quasar_devicelib::value::object::MORE;
use std::sync::Arc;

/// `object.field` as a target.
pub(super) struct Member {
    pub(super) object: Expr,
    pub(super) place: usize,
    pub(super) field: Field,
}

impl Member {
    pub(super) fn read(&self, span: Span) -> Expr {
        let kind = ExprKind::Member(Box::new(self.object.clone()), self.place);
        Expr::new(kind, self.field.ty.clone(), span)
    }
}

impl<'a> Lowering<'a, '_> {
    fn class_fields(&self, class: &ClassType) -> Vec<Field> {
        self.cx.program.class(class).map(|class| class.fields.clone()).unwrap_or_default()
    }

    /// A new object whose fields come from the arguments, or are the defaults of their types.
    pub(super) fn new_object(
        &mut self,
        expr: &'a ast::Expr,
        given: &'a [Option<Argument>],
        ty: &Type,
    ) -> Expr {
        let Type::Class(class) = ty else { return self.missing(expr.span, "this object", ty.clone()) };
        // Arguments are evaluated as they are written, whatever the order of the fields.
        let mut order: Vec<(usize, &'a Argument)> =
            given.iter().enumerate().filter_map(|(k, arg)| Some((k, arg.as_ref()?))).collect();
        order.sort_by_key(|(_, arg)| written_at(arg));
        let values = self.converted(order.iter().map(|(_, arg)| *arg), &[]);
        if values.len() != order.len() {
            return self.missing(expr.span, "this object", ty.clone());
        }
        let mut values: Vec<(usize, Expr)> = order.iter().map(|(k, _)| *k).zip(values).collect();
        values.sort_by_key(|(k, _)| *k);
        let mut values = values.into_iter().peekable();
        let mut fields = Vec::new();
        for (k, field) in self.class_fields(class).into_iter().enumerate() {
            let value = values.next_if(|(place, _)| *place == k).map(|(_, value)| value);
            let value = match value {
                Some(value) => self.inside(&field.ty, value),
                None if field.name == MORE => no_fields(expr.span),
                None => match self.default_value(&field.ty, expr.span) {
                    Some(value) => value,
                    None => self.missing(expr.span, "the default of a field", field.ty),
                },
            };
            fields.push(value);
        }
        self.make(class, fields, expr.span)
    }

    fn make(&mut self, class: &Arc<ClassType>, fields: Vec<Expr>, span: Span) -> Expr {
        self.spill(Expr::new(ExprKind::New(fields), Type::Class(class.clone()), span))
    }

    /// An object whose fields all have their defaults.
    pub(super) fn default_object(&mut self, class: &Arc<ClassType>, span: Span) -> Option<Expr> {
        let fields = self.class_fields(class);
        let values: Option<Vec<Expr>> = fields.iter().map(|field| self.default_field(field, span)).collect();
        Some(self.make(class, values?, span))
    }

    fn default_field(&mut self, field: &Field, span: Span) -> Option<Expr> {
        if field.name == MORE { Some(no_fields(span)) } else { self.default_value(&field.ty, span) }
    }

    /// A value for a field of this type of a new object: what lies inside of it is its own.
    fn inside(&mut self, ty: &Type, value: Expr) -> Expr {
        let span = value.span;
        match ty {
            Type::Class(class) if !self.just_made(&value, class) => {
                let from = self.atom(value);
                let mut values = Vec::new();
                for (k, field) in self.class_fields(class).into_iter().enumerate() {
                    let kind = ExprKind::Member(Box::new(from.clone()), k);
                    let value = Expr::new(kind, field.ty.clone(), span);
                    values.push(if field.name == MORE {
                        copied(value)
                    } else {
                        self.inside(&field.ty, value)
                    });
                }
                self.make(class, values, span)
            }
            Type::Array(array) if array.count().is_some() && !is_fresh(&value) => copied(value),
            _ => value,
        }
    }

    /// Whether a value is an object of exactly this class that the last statement made, which nobody else knows.
    fn just_made(&self, value: &Expr, class: &ClassType) -> bool {
        let (ExprKind::Local(variable), Some(last)) = (&value.kind, self.out.last()) else { return false };
        let StmtKind::Assign { variable: made, value } = &last.kind else { return false };
        variable == made
            && self.body.variables[*made].name.starts_with('$')
            && matches!(value.kind, ExprKind::New(_))
            && value.ty.class().is_some_and(|made| **made == *class)
    }

    /// The values of all fields of an object, and behind them the object itself.
    pub(super) fn all_fields(&mut self, object: Expr) -> Vec<Expr> {
        let span = object.span;
        let Some(class) = object.ty.class().cloned() else { return vec![object] };
        let object = self.atom(object);
        let mut fields = Vec::new();
        for (place, field) in self.class_fields(&class).into_iter().enumerate() {
            fields.push(Member { object: object.clone(), place, field }.read(span));
        }
        fields.push(build::convert(object, &Type::Dynamic));
        fields
    }

    /// The field that a member expression names.
    pub(super) fn field_of(&self, object: &Type, name: &str) -> Option<(usize, Field)> {
        let class = self.cx.program.class(object.class()?)?;
        let place = class.fields.iter().position(|field| field.name == name)?;
        Some((place, class.fields[place].clone()))
    }

    /// `{a := 1, b := 2}`
    pub(super) fn dynamic_object(&mut self, fields: &'a [(ast::Name, ast::Expr)], span: Span) -> Expr {
        let values = self.ordered(fields, |this, (_, value)| {
            let value = this.expr(value);
            build::convert(value, &Type::Dynamic)
        });
        let named =
            fields.iter().zip(values).flat_map(|((name, _), value)| [text(&name.text, name.span), value]);
        let kind = ExprKind::Library { name: "object", args: named.collect() };
        self.spill(Expr::new(kind, Type::Dynamic, span))
    }

    /// `object.field` as a value; none where `object` is no object.
    pub(super) fn object_member(&mut self, base: &'a ast::Expr, name: &str, span: Span) -> Option<Expr> {
        if self.type_of(base) == Type::Dynamic {
            let object = self.expr(base);
            return Some(property(object, name, span));
        }
        let ty = self.type_of(base);
        let Some((place, field)) = self.field_of(&ty, name) else {
            let object = self.further_of(base, &ty)?;
            return Some(property(object, name, span));
        };
        let object = self.expr(base);
        Some(Member { object, place, field }.read(span))
    }

    /// An object of a dynamic class as one whose fields are known at run time; none for others.
    pub(super) fn further_of(&mut self, base: &'a ast::Expr, ty: &Type) -> Option<Expr> {
        self.field_of(ty, MORE)?;
        let object = self.expr(base);
        Some(build::convert(object, &Type::Dynamic))
    }

    /// `object.field` as a target; none where `object` is no object.
    pub(super) fn member_place(&mut self, base: &'a ast::Expr, name: &str) -> Option<Member> {
        let (place, field) = self.field_of(&self.type_of(base), name)?;
        Some(Member { object: self.expr(base), place, field })
    }

    /// `object.field = value`
    pub(super) fn set_member(&mut self, member: Member, value: Expr, span: Span) {
        let value = self.convert_number(value, &member.field.ty);
        match &member.field.ty {
            Type::Class(class) => {
                let (from, part) = (self.atom(value), member.read(span));
                let part = self.spill(part);
                self.copy_into(&part, &from, &class.clone(), span);
            }
            Type::Array(array) if array.count().is_some() => {
                let index = vec![Index::All; array.sizes.len()];
                let array = member.read(span);
                let boundary = self.default_mode().boundary;
                self.emit(StmtKind::Store { array, index, boundary, value }, span);
            }
            _ => {
                let Member { object, place: field, .. } = member;
                self.emit(StmtKind::SetMember { object, field, value }, span);
            }
        }
    }

    /// A new array with a new object in each place, where it is one of objects, or with zeros where it is one of arrays of
    /// known sizes.
    pub(super) fn with_objects(&mut self, array: Expr) -> Expr {
        let Some(ArrayType { element, .. }) =
            array.ty.as_array().cloned().filter(|a| a.known_rank().is_some())
        else {
            return array;
        };
        // Arrays of known sizes are zeros, others start as nothing.
        let starts =
            matches!(*element, Type::Class(_)) || element.as_array().is_some() && element.has_default();
        if !starts {
            return array;
        }
        let span = array.span;
        let array = self.spill(array);
        self.for_each_place(&array, span, |this, index| {
            let value = match &*element {
                Type::Class(class) => this.default_object(class, span),
                other => build::nothing(other, span),
            };
            if let Some(value) = value {
                let store =
                    StmtKind::Store { array: array.clone(), index, boundary: Boundary::Checked, value };
                this.emit(store, span);
            }
        });
        array
    }

    /// `copy` of an array of pointers: what they refer to is not copied.
    pub(super) fn copied_references(&mut self, name: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let ("copy", [array]) = (name, args) else { return None };
        let shape = array.ty.as_array().filter(|array| matches!(*array.element, Type::Pointer(_)))?;
        let (index, array) = (vec![Index::All; shape.known_rank()?], Box::new(array.clone()));
        let ty = array.ty.clone();
        Some(Expr::new(ExprKind::Load { array, index, boundary: Boundary::Checked }, ty, span))
    }

    /// Gives an element of an array of objects, which lies in the array, the value of another object.
    pub(super) fn overwrite_element(
        &mut self,
        place: Element,
        class: &Arc<ClassType>,
        value: Expr,
        span: Span,
    ) {
        let Element { array, index, boundary } = place;
        let value = build::convert(value, &Type::Class(class.clone()));
        let from = self.atom(value);
        let kind = ExprKind::Load { array: Box::new(array), index, boundary };
        let part = self.spill(Expr::new(kind, Type::Class(class.clone()), span));
        self.copy_into(&part, &from, class, span);
    }

    /// The same for a slice: each of its objects gets the values of the one at its place.
    pub(super) fn overwrite_slice(
        &mut self,
        place: Element,
        class: &Arc<ClassType>,
        value: Expr,
        span: Span,
    ) {
        let Element { array, index, boundary } = place;
        let Some(rank) = array.ty.as_array().and_then(ArrayType::known_rank) else {
            return self.not_supported(span, "assigning to slices of arrays of any dimensionality");
        };
        let dropped = index.iter().filter(|index| matches!(index, Index::At(_))).count();
        let slice = Type::array(Type::Class(class.clone()), &vec![None; rank - dropped]);
        let from = self.atom(value);
        let kind = ExprKind::Load { array: Box::new(array), index, boundary };
        let slice = self.spill(Expr::new(kind, slice, span));
        if from.ty.as_array().and_then(ArrayType::known_rank) != Some(rank - dropped) {
            return self.not_supported(span, "assigning arrays of objects to slices of other dimensionality");
        }
        for axis in 0..rank - dropped {
            let sizes =
                vec![build::extent(slice.clone(), axis, span), build::extent(from.clone(), axis, span)];
            let condition = self.row("equal", sizes, &build::int_type(), span);
            let text = "as many objects are assigned as the slice has".to_string();
            self.emit(StmtKind::Assert { condition, text, message: Vec::new() }, span);
        }
        self.for_each_place(&slice, span, |this, index| {
            let at = |array: &Expr| {
                let (array, index) = (Box::new(array.clone()), index.clone());
                let kind = ExprKind::Load { array, index, boundary: Boundary::Checked };
                Expr::new(kind, Type::Class(class.clone()), span)
            };
            let part = this.spill(at(&slice));
            let value = this.spill(at(&from));
            this.copy_into(&part, &value, class, span);
        });
    }

    /// Does something for each place of an array.
    fn for_each_place(&mut self, array: &Expr, span: Span, f: impl FnOnce(&mut Self, Vec<Index>)) {
        let rank = array.ty.as_array().map_or(0, |array| array.sizes.len());
        let places: Vec<VarId> = (0..rank).map(|_| self.body.temporary(build::int_type(), span)).collect();
        let (mut block, ()) = self.in_block(|this| {
            let index = places.iter().map(|place| Index::At(this.body.read(*place, span))).collect();
            f(this, index);
        });
        for (axis, variable) in places.iter().enumerate().rev() {
            let last = self.row(
                "subtract",
                vec![build::extent(array.clone(), axis, span), build::int(1, span)],
                &build::int_type(),
                span,
            );
            let range = build::range(build::int(0, span), last);
            let attributes = LoopAttributes { mode: LoopMode::Host, ..LoopAttributes::default() };
            let kind = StmtKind::For { variable: *variable, range, body: block, attributes };
            block = vec![Stmt { kind, span }];
        }
        for stmt in block {
            self.emit(stmt.kind, stmt.span);
        }
    }

    /// `copy` of a value.
    pub(super) fn copied(&mut self, value: Expr) -> Expr {
        let copy = copied(value);
        self.spill(copy)
    }

    /// Copies all fields of an object into another one.
    fn copy_into(&mut self, part: &Expr, from: &Expr, class: &ClassType, span: Span) {
        for (place, field) in self.class_fields(class).into_iter().enumerate() {
            let kind = ExprKind::Member(Box::new(from.clone()), place);
            let value = Expr::new(kind, field.ty.clone(), span);
            let value = if field.name == MORE { copied(value) } else { value };
            self.set_member(Member { object: part.clone(), place, field }, value, span);
        }
    }

    /// `object.field op= value` in device code, where other threads may see the object.
    pub(super) fn update_member(
        &mut self,
        expr: &'a ast::Expr,
        member: Member,
        op: ast::AssignOp,
        value: Expr,
        wanted: bool,
    ) -> Option<Expr> {
        let (span, ty) = (expr.span, member.field.ty.clone());
        let row = ops::find(assign_row(op))?;
        let types = (build::element_of(&ty), build::element_of(&value.ty));
        let direct =
            matches!(types, (Some(to), Some(from)) if promote(to, from) == to && row.domain.contains(to));
        if !direct {
            let what = "changing a field by a value of a wider type in kernels";
            return Some(self.missing(span, what, ty));
        }
        let value = self.convert_number(value, &ty);
        let result = wanted.then(|| self.body.temporary(ty, span));
        let (array, index) = (member.read(span), Vec::new());
        let boundary = Boundary::Checked;
        self.emit(StmtKind::Update { array, index, boundary, row, value, atomic: true, result }, span);
        result.map(|result| self.body.read(result, span))
    }

    /// Whether two references are the same, where both sides are such; the row says whether that or its opposite is asked.
    pub(super) fn identity(&mut self, row: &str, args: &[Expr], span: Span) -> Option<Expr> {
        let [a, b] = args else { return None };
        let refers = |e: &Expr| e.ty.class().is_some() || e.ty == Type::Null;
        let one = a.ty.class().is_some() || b.ty.class().is_some();
        if !one || !refers(a) || !refers(b) || !matches!(row, "equal" | "not_equal") {
            return None;
        }
        let kind = ExprKind::Same(Box::new(a.clone()), Box::new(b.clone()));
        let same = Expr::new(kind, build::int_type(), span);
        if row == "equal" {
            return Some(same);
        }
        Some(self.row("logical_not", vec![same], &build::int_type(), span))
    }
}

/// A field that is known at run time.
pub(super) fn property(object: Expr, name: &str, span: Span) -> Expr {
    let kind = ExprKind::Library { name: "object_field", args: vec![object, text(name, span)] };
    Expr::new(kind, Type::Dynamic, span)
}

/// What an object of a dynamic class holds besides its declared fields, at first.
fn no_fields(span: Span) -> Expr {
    Expr::new(ExprKind::Library { name: "object", args: Vec::new() }, Type::Dynamic, span)
}

fn copied(value: Expr) -> Expr {
    let (ty, span) = (value.ty.clone(), value.span);
    Expr::new(ExprKind::Library { name: "copy", args: vec![value] }, ty, span)
}

pub(super) fn text(text: &str, span: Span) -> Expr {
    Expr::new(ExprKind::Text(text.to_string()), Type::Text, span)
}

/// Where an argument stands among those of its call.
fn written_at(argument: &Argument) -> (NodeId, usize) {
    match argument {
        Argument::Expr(id, _)
        | Argument::LinearView(id, _)
        | Argument::SpreadRest(id, _)
        | Argument::SpreadText(id)
        | Argument::Default(id, ..) => (*id, 0),
        Argument::SpreadComponent(id, k, _) => (*id, *k),
        Argument::Field { default, .. } => written_at(default),
    }
}

/// Whether evaluating makes an array that nobody else knows.
fn is_fresh(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Array(_) | ExprKind::Apply { .. } => true,
        ExprKind::Library { name, .. } => matches!(*name, "zeros" | "ones" | "uninit" | "copy"),
        ExprKind::Convert(inner) => is_fresh(inner),
        _ => false,
    }
}
