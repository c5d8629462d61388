//! Objects: construction, fields, methods, and which objects kernels can access.

use super::Analyzer;
use super::arguments::{Form, Given, Part, Piece};
use super::expressions::bare;
use crate::builtins;
use crate::message::{Message, foreign_name};
use crate::sema::messages;
use crate::sema::model::*;
use crate::sema::scope::TypeName;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::convert::{Conversion, conversion};
use crate::types::resolve::Bound;
use crate::types::{ArrayType, ClassType, Type};
use quasar_devicelib::value::object::MORE;
use std::sync::Arc;

impl<'a> Analyzer<'a> {
    /// Whether a name refers to a class here, and not to a variable.
    pub(super) fn is_class_name(&self, name: &str) -> bool {
        let module = self.frame.lexical.module;
        !self.frame.env.contains_key(name)
            && !self.frame.lexical.bindings.iter().any(|(key, _)| key == name)
            && matches!(self.type_name(module, name), Some(TypeName::Class(_)))
    }

    /// A type that was parsed as an expression, such as `stack[stack[int]]`; `None` for other expressions.
    pub(super) fn written_type(&mut self, expr: &'a Expr) -> Option<Type> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.written_type(inner),
            ExprKind::Name(name) if !self.frame.env.contains_key(name) => self.type_from_name(name),
            ExprKind::Index { base, indices } => match &base.kind {
                ExprKind::Name(name) if self.is_class_name(name) => {
                    let bounds = self.index_bounds(indices);
                    self.class_with(name, base.span, bounds).map(Type::Class)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The class of a name with arguments; `None` after an error.
    pub(super) fn class_with(&mut self, name: &str, span: Span, args: Vec<Bound>) -> Option<Arc<ClassType>> {
        let module = self.frame.lexical.module;
        let Some(TypeName::Class(definition)) = self.type_name(module, name) else { return None };
        if definition.params.len() != args.len() {
            let found = args.len();
            let text = format!("type '{name}' takes {} arguments, found {found}", definition.params.len());
            let message = Message::error("Q0306", span, text);
            let list: Vec<&str> = definition.params.iter().map(|param| param.name.text.as_str()).collect();
            self.say(if found == 0 {
                message.help(format!("write {name}[{}](..)", list.join(",")))
            } else {
                message
            });
            return None;
        }
        self.class_of_name(module, name, span, args)
    }

    /// `C(..)` and `C[T](..)`: a function of that name if one accepts the arguments, otherwise the primary constructor.
    pub(super) fn class_call(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        name: &'a str,
        explicit: Vec<Bound>,
        args: &'a [CallArg],
        wanted: usize,
    ) -> Vec<Type> {
        let given = self.given(args);
        if given.iter().any(|arg| arg.ty == Type::Error) {
            return vec![Type::Error];
        }
        let candidates = self.module_functions(self.frame.lexical.module, name);
        if !candidates.is_empty()
            && !self.names_fields(name, &given)
            && self.fits_one(&candidates, &given, &explicit, expr.span)
        {
            return self.call_candidates(expr, callee, name, &candidates, &given, &explicit, wanted);
        }
        match self.class_with(name, callee.span, explicit) {
            Some(class) => vec![self.construct_object(expr, &class, &given)],
            None => vec![Type::Error],
        }
    }

    /// Whether the argument names are fields of the class, which selects its primary constructor.
    fn names_fields(&self, name: &str, given: &[Given<'a>]) -> bool {
        let Some(TypeName::Class(definition)) = self.type_name(self.frame.lexical.module, name) else {
            return false;
        };
        let (TypeBody::Class { fields, .. } | TypeBody::Derived { fields, .. }) = &definition.body else {
            return false;
        };
        let derived = matches!(definition.body, TypeBody::Derived { .. });
        given.iter().any(|arg| match arg.form {
            Form::Named(named) => derived || fields.iter().any(|field| field.name.text == named.text),
            _ => false,
        })
    }

    /// The primary constructor.
    pub(super) fn construct_object(
        &mut self,
        expr: &'a Expr,
        class: &Arc<ClassType>,
        given: &[Given<'a>],
    ) -> Type {
        if let Some(what) =
            self.objects_illegal_in_kernels(&Type::Class(class.clone())).filter(|_| self.on_device())
        {
            return self.illegal_object(expr.span, class, what);
        }
        let fields = self.fields_of(class);
        let places: Vec<usize> = (0..fields.len()).filter(|k| fields[*k].name != MORE).collect();
        let mut slots: Vec<Option<Argument>> = vec![None; fields.len()];
        let (mut next, mut wrong) = (0, false);
        for arg in given {
            let pieces = match arg.form {
                Form::Named(name) => match self.field_named(class, &name.text, name.span) {
                    Some((k, _)) => vec![(k, Piece::of(arg), name.span)],
                    None => {
                        wrong = true;
                        continue;
                    }
                },
                Form::Positional | Form::Spread => {
                    let Some(pieces) = self.pieces(std::slice::from_ref(arg), false) else {
                        return Type::Error;
                    };
                    let first = next;
                    next += pieces.len();
                    pieces
                        .into_iter()
                        .enumerate()
                        .map(|(k, piece)| {
                            (places.get(first + k).copied().unwrap_or(fields.len()), piece, arg.expr.span)
                        })
                        .collect()
                }
            };
            for (k, piece, span) in pieces {
                let Some(field) = fields.get(k) else {
                    let text = format!(
                        "too many values for class '{}', which has {} fields",
                        class.name,
                        places.len()
                    );
                    return self.error("Q0313", span, text);
                };
                if slots[k].is_some() {
                    wrong = true;
                    self.error("Q0313", span, format!("the field '{}' is given twice", field.name));
                    continue;
                }
                wrong |= !self.fits_field(class, &field.name, &field.ty, &piece);
                slots[k] = Some(piece.argument(field.ty.clone()));
            }
        }
        if wrong {
            return Type::Class(class.clone());
        }
        for (field, slot) in fields.iter().zip(&slots) {
            if slot.is_none() && field.name != MORE && !self.defaults(&field.ty) {
                let (ty, name) = (self.show(&field.ty), &field.name);
                let text = format!("the field '{name}' of '{}' has no default and must be given", class.name);
                let why = format!("values of type '{ty}' start with nothing; write {name} := ..");
                self.say(Message::error("Q0344", expr.span, text).help(why));
            }
        }
        self.frame.tables.callees.insert(expr.id, Callee::New { fields: slots });
        Type::Class(class.clone())
    }

    fn fits_field(&mut self, class: &ClassType, name: &str, ty: &Type, piece: &Piece) -> bool {
        match conversion(&piece.ty, ty) {
            None => {
                let (wanted, found) = (self.show(ty), self.show(&piece.ty));
                let text =
                    format!("the field '{name}' of '{}' must be '{wanted}', found '{found}'", class.name);
                self.error("Q0324", piece.span, text);
                false
            }
            Some(how) => {
                if how == Conversion::Truncate {
                    let (from, to) = (self.show(&piece.ty), self.show(ty));
                    self.say(messages::implicit_conversion(piece.span, &from, &to));
                }
                self.convert_to_values(piece.span, &piece.ty, ty);
                true
            }
        }
    }

    /// Whether an array of this type can be constructed; reports why not if it would hold objects.
    pub(super) fn array_of_objects(&mut self, span: Span, array: &ArrayType, fill: &str) -> bool {
        if !array.element.mentions_objects() {
            return true;
        }
        let name = self.show(&array.element);
        if self.on_device() {
            self.not_supported(span, "making objects in kernel and device functions");
        } else if array.known_rank().is_none() {
            self.not_supported(span, "making arrays of objects of any dimensionality");
        } else if matches!(*array.element, Type::Tuple(_)) {
            self.not_supported(span, "making arrays of tuples with objects");
        } else if fill == "ones" {
            self.error("Q0312", span, format!("objects of class '{name}' cannot be one"));
        } else if matches!(&*array.element, Type::Class(_)) && !self.defaults(&array.element) {
            let text =
                format!("the objects of the array have no default: not all fields of '{name}' have one");
            let help =
                format!("write a cell of objects such as {{{name}(..), {name}(..)}}, or an array of ^{name}");
            self.say(Message::error("Q0344", span, text).help(help));
        } else {
            return true;
        }
        false
    }

    /// `stack[int]` without parentheses is `stack[int]()`.
    pub(super) fn default_object(
        &mut self,
        expr: &'a Expr,
        name: &'a str,
        base: &'a Expr,
        indices: &'a [IndexArg],
    ) -> Type {
        let bounds = self.index_bounds(indices);
        self.class_call(expr, base, name, bounds, &[], 1).pop().unwrap_or(Type::Error)
    }

    /// `object.field` as a value.
    pub(super) fn object_field(&mut self, class: &Arc<ClassType>, member: &'a Name) -> Type {
        if let Some(what) =
            self.objects_illegal_in_kernels(&Type::Class(class.clone())).filter(|_| self.on_device())
        {
            return self.illegal_object(member.span, class, what);
        }
        if self.is_further(class, &member.text) {
            return Type::Dynamic;
        }
        self.field_named(class, &member.text, member.span).map_or(Type::Error, |(_, ty)| ty)
    }

    /// Whether a name may be a field that an object of a dynamic class gains at run time.
    fn is_further(&mut self, class: &Arc<ClassType>, name: &str) -> bool {
        self.is_open(class) && self.fields_of(class).iter().all(|field| field.name != name)
    }

    fn illegal_object(&mut self, span: Span, class: &ClassType, what: &str) -> Type {
        let text =
            format!("an object of class '{}' cannot be used in kernel or device code: {what}", class.name);
        self.error("Q0402", span, text)
    }

    /// Why the objects of a type are host-only. Kernels can access objects whose fields are numbers, arrays of numbers
    /// of known rank, and other such objects.
    pub(super) fn objects_illegal_in_kernels(&mut self, ty: &Type) -> Option<&'static str> {
        match ty {
            Type::Class(class) | Type::Pointer(class) => {
                if self.is_open(class) {
                    return Some("objects of dynamic classes stay on the host");
                }
                let fields = self.fields_of(class);
                if fields.is_empty() {
                    return Some(
                        "objects without fields in kernel and device functions are not supported yet",
                    );
                }
                fields.iter().find_map(|field| self.field_illegal_in_kernels(&field.ty))
            }
            Type::Array(array) if matches!(*array.element, Type::Class(_) | Type::Pointer(_)) => {
                self.objects_illegal_in_kernels(&array.element)
            }
            other if other.mentions_objects() => {
                Some("this way of holding objects in kernel and device functions is not supported yet")
            }
            _ => None,
        }
    }

    fn field_illegal_in_kernels(&mut self, ty: &Type) -> Option<&'static str> {
        match ty {
            // The target of a pointer is checked where a kernel dereferences it.
            Type::Scalar(..) | Type::Enum(_) | Type::Pointer(_) | Type::Error => None,
            Type::Class(_) => self.objects_illegal_in_kernels(ty),
            Type::Array(array) if matches!(*array.element, Type::Scalar(..)) => match array.known_rank() {
                Some(_) => None,
                None => Some("the number of dimensions of an array in it is not known"),
            },
            _ => Some("not all of its fields are numbers or arrays of numbers"),
        }
    }

    /// Whether a field may be assigned, or written in place.
    pub(super) fn may_write_field(&mut self, class: &Arc<ClassType>, member: &Name) -> bool {
        if self.kind_of(class) != ClassKind::Immutable {
            return true;
        }
        let text =
            format!("the field '{}' cannot be changed: class '{}' is not mutable", member.text, class.name);
        let help = "declare it as 'mutable class', or make a new object";
        self.say(Message::error("Q0345", member.span, text).help(help));
        false
    }

    /// Checks a write to elements of a field: arrays of fixed size are stored inline, as part of the object.
    pub(super) fn element_of_field_written(&mut self, base: &'a Expr, member: &'a Name) {
        let Some(class) = self.frame.tables.types.get(&base.id).and_then(Type::class).cloned() else {
            return;
        };
        let inside = self.fields_of(&class).iter().any(|field| {
            field.name == member.text && matches!(&field.ty, Type::Array(array) if array.count().is_some())
        });
        if inside {
            self.may_write_field(&class, member);
        }
    }

    /// `{a := 1, b := 2}`
    pub(super) fn dynamic_object(&mut self, expr: &'a Expr, fields: &'a [(Name, Expr)]) -> Type {
        for (k, (name, value)) in fields.iter().enumerate() {
            if fields[..k].iter().any(|(other, _)| other.text == name.text) {
                self.error("Q0341", name.span, format!("the field '{}' is given twice", name.text));
            }
            let ty = self.expr(value);
            self.convert_to_values(value.span, &ty, &Type::Dynamic);
        }
        if self.on_device() {
            self.host_only(expr.span, "objects that are known at run time")
        } else {
            Type::Dynamic
        }
    }

    /// `object.field = value`; returns the type of the assignment expression.
    pub(super) fn assign_field(
        &mut self,
        base: &'a Expr,
        member: &'a Name,
        field: &Type,
        value: &Type,
        span: Span,
    ) -> Type {
        if *field == Type::Error || *value == Type::Error {
            return Type::Error;
        }
        let of = self.frame.tables.types.get(&base.id);
        let further = match of {
            Some(Type::Dynamic) => true,
            Some(Type::Class(class) | Type::Pointer(class)) => {
                let class = class.clone();
                self.is_further(&class, &member.text)
            }
            _ => false,
        };
        if further {
            self.convert_to_values(span, value, &Type::Dynamic);
            self.forget_parts();
            return value.clone();
        }
        let of = self.frame.tables.types.get(&base.id);
        let Some(class) = of.and_then(Type::class).cloned() else {
            return self.error("Q0204", member.span, "this is not a variable, element or field");
        };
        if self.may_write_field(&class, member) {
            self.check_conversion(span, value, field);
            self.convert_to_values(span, value, field);
            self.forget_parts();
        }
        value.clone()
    }

    /// `o.f(a)` is `f(o, a)`.
    pub(super) fn method(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        args: &'a [CallArg],
        wanted: usize,
    ) -> Vec<Type> {
        let ExprKind::Member { base, member } = &bare(callee).kind else { return vec![Type::Error] };
        let ty = self.expr(base);
        let given = self.given(args);
        if ty == Type::Error || given.iter().any(|arg| arg.ty == Type::Error) {
            return vec![Type::Error];
        }
        if let Type::Group(group) = ty {
            return vec![self.group_method(expr, group, member, &given)];
        }
        let name = member.text.as_str();
        // A handler's exception is represented by its text.
        if ty == Type::Text && name == "message" && given.is_empty() {
            self.frame.tables.callees.insert(expr.id, Callee::Identity);
            return vec![Type::Text];
        }
        if let Some(class) = ty.class().cloned()
            && let Some(field) = self.fields_of(&class).into_iter().find(|field| field.name == name)
            && matches!(field.ty, Type::Function(_) | Type::Dynamic)
        {
            return self.call_field(expr, callee, field.ty, &given, wanted);
        }
        let inner = self.frame.lexical.functions.iter().rev().find(|(key, _)| key == name);
        let candidates = match inner {
            Some((_, id)) => vec![*id],
            None => self.module_functions(self.frame.lexical.module, name),
        };
        let mut all = vec![Given { form: Form::Positional, expr: base, ty: ty.clone(), all: Vec::new() }];
        all.extend(given.iter().cloned());
        let open = ty == Type::Dynamic || ty.class().is_some_and(|class| self.is_open(&class.clone()));
        if open && !self.fits_one(&candidates, &all, &[], expr.span) {
            let named = (expr, bare(callee), name, &[][..]);
            if let Some(results) = self.method_of_heirs(named, &candidates, &all) {
                return results;
            }
            return self.call_field(expr, callee, Type::Dynamic, &given, wanted);
        }
        if candidates.is_empty() {
            let text = format!("no function '{name}' takes '{}' as its first argument", self.show(&ty));
            let message = Message::error("Q0201", member.span, text);
            self.say(match self.near(name) {
                _ if builtins::exists(name) => message.help(format!("it is called as {name}(..)")),
                near => match (foreign_name(name), near) {
                    (Some(here), _) => message.help(here),
                    (None, Some(near)) => message.help(format!("did you mean '{near}'?")),
                    (None, None) => message
                        .help(format!("define it: function .. = {name}(self : {}, ..)", self.show(&ty))),
                },
            });
            return vec![Type::Error];
        }
        self.call_or_dispatch(expr, bare(callee), name, &candidates, &all, &[], wanted)
    }

    /// Whether a function of this name takes objects of a class.
    pub(super) fn has_method(&self, class: &ClassType, name: &str) -> bool {
        let written = class.name.split('[').next();
        self.module_functions(self.frame.lexical.module, name).iter().any(|id| {
            let first = self.index.function(*id).and_then(|function| function.params.first());
            let annotation = first.and_then(|param| param.annotation.as_ref()?.ty.as_ref());
            matches!(annotation.map(|ty| &ty.kind), Some(TypeExprKind::Named { name, .. }) if Some(name.text.as_str()) == written)
        })
    }

    /// A call of the function that a field holds.
    fn call_field(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        field: Type,
        given: &[Given<'a>],
        wanted: usize,
    ) -> Vec<Type> {
        if self.on_device() {
            return vec![self.host_only(expr.span, "functions in fields")];
        }
        self.frame.tables.types.insert(bare(callee).id, field.clone());
        self.forget_parts();
        self.call_value(expr, callee, &field, given, wanted)
    }

    /// Whether one of the overloads accepts the arguments.
    fn fits_one(
        &mut self,
        candidates: &[NodeId],
        given: &[Given<'a>],
        explicit: &[Bound],
        span: Span,
    ) -> bool {
        let said = self.frame.messages.len();
        let fits = candidates.iter().any(|id| {
            let Some(callable) = self.callable(*id) else { return false };
            let lexical = self.lexical_of(callable.definition, &[]);
            self.matching(&callable, given, explicit, &lexical, span).is_ok()
        });
        self.frame.messages.truncate(said);
        fits
    }

    /// Whether two values can be the same object; reports why not.
    pub(super) fn comparable(&mut self, span: Span, a: &Type, b: &Type) -> bool {
        let related = match (a.class(), b.class()) {
            (Some(x), Some(y)) => x.common(y).is_some(),
            (Some(_), None) => matches!(b, Type::Null | Type::Dynamic),
            (None, Some(_)) => matches!(a, Type::Null | Type::Dynamic),
            (None, None) => true,
        };
        if !related {
            let text = format!("'{}' and '{}' are never the same object", self.show(a), self.show(b));
            self.error("Q0346", span, text);
        }
        related
    }
}

impl Piece {
    /// An argument that is one value.
    pub(super) fn of(arg: &Given<'_>) -> Piece {
        Piece { id: arg.expr.id, part: Part::Whole, ty: arg.ty.clone(), span: arg.expr.span }
    }
}
