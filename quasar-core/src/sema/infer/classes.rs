//! The class table: the classes that the unit uses, with the types of their fields.
//!
//! A parametric class has an entry for each list of arguments. Fields are resolved lazily, so that classes may refer to
//! each other.

use super::Analyzer;
use crate::message::Message;
use crate::sema::messages;
use crate::sema::scope::{Lexical, TypeName};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::resolve::{Access, Bound, Resolved};
use crate::types::{ClassId, ClassType, Type};
use quasar_devicelib::value::object::MORE;
use std::sync::Arc;

/// The maximal number of classes. More indicate infinite instantiation: a class with fields of ever new instances of
/// itself.
const MAX_CLASSES: usize = 400;

/// An entry of the class table.
pub(in crate::sema) struct ClassInfo<'a> {
    pub(in crate::sema) ty: Arc<ClassType>,
    definition: &'a TypeDef,
    lexical: Lexical,
    kind: ClassKind,
    /// All fields, inherited ones first; empty until they are resolved.
    pub(in crate::sema) fields: Vec<FieldInfo>,
    resolved: bool,
}

/// A field.
#[derive(Clone, Debug)]
pub(in crate::sema) struct FieldInfo {
    pub(in crate::sema) name: String,
    pub(in crate::sema) ty: Type,
    span: Span,
}

impl<'a> Analyzer<'a> {
    /// The class for a name visible in a module, with the given arguments.
    pub(super) fn class_of_name(
        &mut self,
        module: usize,
        name: &str,
        span: Span,
        args: Vec<Bound>,
    ) -> Option<Arc<ClassType>> {
        let Some(TypeName::Class(definition)) = self.type_name(module, name) else { return None };
        let home = self.home_of(module, name);
        self.class(definition, home, span, args)
    }

    /// The module that defines a type visible in `module`.
    fn home_of(&self, module: usize, name: &str) -> usize {
        let Some(own) = self.scopes.get(module) else { return module };
        if own.types.contains_key(name) {
            return module;
        }
        let defines =
            |import: &&usize| self.scopes.get(**import).is_some_and(|s| s.visible_type(name).is_some());
        own.imports.iter().rev().find(defines).copied().unwrap_or(module)
    }

    fn class(
        &mut self,
        definition: &'a TypeDef,
        module: usize,
        span: Span,
        args: Vec<Bound>,
    ) -> Option<Arc<ClassType>> {
        let wanted = args.clone();
        let known = |this: &Self| {
            let mut places = this.of_definition(definition).iter();
            places.find_map(|place| {
                this.classes.get(*place).map(|info| &info.ty).filter(|ty| ty.args == wanted).cloned()
            })
        };
        if let Some(known) = known(self) {
            return Some(known);
        }
        if args.iter().any(|arg| matches!(arg, Bound::Type(ty) if ty.mentions_error())) {
            return None;
        }
        if self.of_definition(definition).len() >= MAX_CLASSES {
            self.say(messages::endless_class(span, &definition.name.text));
            return None;
        }
        let names = definition.params.iter().map(|param| param.name.text.clone());
        let bindings = names.zip(args.iter().cloned().map(Some)).collect();
        let lexical = Lexical { module, bindings, ..Lexical::default() };
        let base = match &definition.body {
            TypeBody::Derived { base, .. } => self.base(definition, base, &lexical),
            _ => None,
        };
        // Resolving the base may have added this class.
        if let Some(known) = known(self) {
            return Some(known);
        }
        let kind = match (&base, &definition.body) {
            (_, TypeBody::Class { kind, .. }) => *kind,
            (Some(base), _) => self.kind_of(base),
            _ => ClassKind::Mutable,
        };
        let name = self.class_name(&definition.name.text, &args);
        let id = ClassId(self.classes.len() as u32);
        let ty = Arc::new(ClassType { id, name, args, base, mutable: kind != ClassKind::Immutable });
        let fields = Vec::new();
        self.classes_of.entry(std::ptr::from_ref(definition).addr()).or_default().push(self.classes.len());
        self.classes.push(ClassInfo { ty: ty.clone(), definition, lexical, kind, fields, resolved: false });
        Some(ty)
    }

    /// The indices of the classes of a definition.
    fn of_definition(&self, definition: &TypeDef) -> &[usize] {
        self.classes_of.get(&std::ptr::from_ref(definition).addr()).map_or(&[], Vec::as_slice)
    }

    fn class_name(&self, plain: &str, args: &[Bound]) -> String {
        if args.is_empty() {
            return plain.to_owned();
        }
        let shown = |arg: &Bound| match arg {
            Bound::Type(ty) => self.show(ty),
            Bound::Integer(n) => n.to_string(),
        };
        format!("{plain}[{}]", args.iter().map(shown).collect::<Vec<_>>().join(","))
    }

    /// The base class.
    fn base(
        &mut self,
        definition: &'a TypeDef,
        written: &'a TypeExpr,
        lexical: &Lexical,
    ) -> Option<Arc<ClassType>> {
        if self.inheriting.iter().any(|other| std::ptr::eq(*other, definition)) {
            let text = format!("class '{}' inherits from itself", definition.name.text);
            self.class_messages.push(Message::error("Q0340", written.span, text));
            return None;
        }
        self.inheriting.push(definition);
        let (resolved, said) = self.apart(|this| this.resolve_in(written, lexical).0);
        self.inheriting.pop();
        match resolved {
            Resolved::Is(Type::Class(class)) => {
                self.remember_messages(said);
                Some(class)
            }
            Resolved::Is(Type::Error) => {
                self.remember_messages(said);
                None
            }
            other => {
                let found = other.single().map_or("this".to_owned(), |ty| format!("'{}'", self.show(ty)));
                let text = format!("a class inherits from a class, and {found} is none");
                self.remember_messages(vec![Message::error("Q0340", written.span, text)]);
                None
            }
        }
    }

    /// Runs `f` and returns its messages separately: they do not belong to the current function.
    fn apart<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> (R, Vec<Message>) {
        let outer = std::mem::take(&mut self.frame.messages);
        let result = f(self);
        (result, std::mem::replace(&mut self.frame.messages, outer))
    }

    fn remember_messages(&mut self, messages: Vec<Message>) {
        for message in messages {
            if !self.class_messages.contains(&message) {
                self.class_messages.push(message);
            }
        }
    }

    fn info(&self, class: &ClassType) -> Option<&ClassInfo<'a>> {
        self.classes.get(class.id.0 as usize)
    }

    pub(super) fn kind_of(&self, class: &ClassType) -> ClassKind {
        self.info(class).map_or(ClassKind::Mutable, |info| info.kind)
    }

    /// Whether objects of the class may gain fields at run time.
    pub(super) fn is_open(&self, class: &ClassType) -> bool {
        self.kind_of(class) == ClassKind::Dynamic
    }

    /// All fields of a class, resolved on first use.
    pub(in crate::sema) fn fields_of(&mut self, class: &Arc<ClassType>) -> Vec<FieldInfo> {
        let place = class.id.0 as usize;
        match self.classes.get_mut(place) {
            Some(info) if info.resolved => return info.fields.clone(),
            Some(info) => info.resolved = true,
            None => return Vec::new(),
        }
        let mut fields = match &class.base {
            Some(base) => self.fields_of(base),
            None => Vec::new(),
        };
        let (definition, lexical) = (self.classes[place].definition, self.classes[place].lexical.clone());
        if let TypeBody::Class { fields: written, .. } | TypeBody::Derived { fields: written, .. } =
            &definition.body
        {
            let (own, said) = self
                .apart(|this| written.iter().map(|field| this.field(field, &lexical)).collect::<Vec<_>>());
            self.remember_messages(said);
            for field in own {
                if fields.iter().any(|other| other.name == field.name) {
                    let text = format!("class '{}' has two fields '{}'", class.name, field.name);
                    self.remember_messages(vec![Message::error("Q0341", field.span, text)]);
                } else {
                    fields.push(field);
                }
            }
        }
        if self.is_open(class) && fields.iter().all(|field| field.name != MORE) {
            fields.push(FieldInfo { name: MORE.into(), ty: Type::Dynamic, span: definition.name.span });
        }
        self.classes[place].fields = fields;
        self.refuse_endless(class);
        self.classes[place].fields.clone()
    }

    fn field(&mut self, field: &'a Field, lexical: &Lexical) -> FieldInfo {
        let span = field.name.span;
        let (resolved, access) = match &field.ty {
            Some(ty) => self.resolve_in(ty, lexical),
            None => (Resolved::Any, Access::default()),
        };
        if access != Access::default() {
            self.not_supported(span, "access modifiers of fields");
        }
        let ty = match resolved {
            Resolved::Is(ty) => ty,
            Resolved::Any => Type::Dynamic,
            Resolved::OneOf(_) | Resolved::Open => {
                self.error("Q0341", span, format!("the field '{}' has no single type", field.name.text))
            }
        };
        let in_tuple = |ty: &Type| matches!(ty, Type::Tuple(_));
        let ty = match &ty {
            Type::Function(function) if function.kind == FunctionKind::Kernel => {
                self.not_supported(span, "kernel functions in fields")
            }
            Type::Function(_) => ty,
            _ if ty.any(&|ty| matches!(ty, Type::Function(_))) => {
                self.not_supported(span, "arrays of functions in fields")
            }
            _ if ty.any(&in_tuple) => self.not_supported(span, "tuples in fields"),
            Type::Array(array)
                if array.element.mentions_objects() && !array.sizes.iter().all(Option::is_none) =>
            {
                self.not_supported(span, "arrays of objects with fixed sizes in fields")
            }
            Type::Unit | Type::Null | Type::TypeValue => {
                let text = format!("a field cannot be of type '{}'", self.show(&ty));
                self.error("Q0341", span, text)
            }
            _ => ty,
        };
        FieldInfo { name: field.name.text.clone(), ty, span }
    }

    /// Objects are stored inline in their fields, so a class must not contain itself: reports a cycle.
    fn refuse_endless(&mut self, class: &Arc<ClassType>) {
        let place = class.id.0 as usize;
        for k in 0..self.classes[place].fields.len() {
            let FieldInfo { name, ty, span } = self.classes[place].fields[k].clone();
            let Type::Class(inner) = &ty else { continue };
            let mut seen = Vec::new();
            if !self.contains(inner, class, &mut seen) {
                continue;
            }
            let text =
                format!("class '{}' contains itself through the field '{name}', without end", class.name);
            let message = Message::error("Q0342", span, text)
                .help(format!("a pointer may be nullptr: {name} : ^{}", inner.name));
            self.remember_messages(vec![message]);
            self.classes[place].fields[k].ty = Type::Error;
        }
    }

    fn contains(&mut self, outer: &Arc<ClassType>, inner: &ClassType, seen: &mut Vec<ClassId>) -> bool {
        if outer.steps_to(inner).is_some() {
            return true;
        }
        if seen.contains(&outer.id) {
            return false;
        }
        seen.push(outer.id);
        self.fields_of(outer).iter().any(|field| match &field.ty {
            Type::Class(next) => self.contains(next, inner, seen),
            _ => false,
        })
    }

    /// Checks a type definition where it stands. One inside a function is visible in the whole module.
    pub(super) fn type_definition(&mut self, definition: &'a TypeDef) {
        let module = self.frame.lexical.module;
        let name = &definition.name;
        let place = self.scopes.get(module).and_then(|scope| scope.type_places.get(name.text.as_str()));
        if let Some((span, visible)) = place.copied().filter(|(span, _)| *span != name.span) {
            if visible && self.frame.top_level {
                let text = format!("there are two types with the name '{}'", name.text);
                self.say(Message::error("Q0309", name.span, text).related(span, "the other one"));
            } else {
                self.not_supported(name.span, "types of one name in several functions of a module");
            }
            return;
        }
        let class = matches!(definition.body, TypeBody::Class { .. } | TypeBody::Derived { .. });
        if !class || !definition.params.is_empty() {
            return;
        }
        if let Some(class) = self.class(definition, module, definition.name.span, Vec::new()) {
            self.fields_of(&class);
        }
    }

    /// Whether the type has a default value.
    pub(super) fn defaults(&mut self, ty: &Type) -> bool {
        match ty {
            Type::Class(class) => {
                let fields = self.fields_of(class);
                fields.iter().all(|field| field.name == MORE || self.defaults(&field.ty))
            }
            Type::Error => true,
            other => other.has_default(),
        }
    }

    /// The index and type of a field; `None` after an error.
    pub(super) fn field_named(
        &mut self,
        class: &Arc<ClassType>,
        name: &str,
        span: Span,
    ) -> Option<(usize, Type)> {
        let fields = self.fields_of(class);
        if let Some(k) = fields.iter().position(|field| field.name == name) {
            return Some((k, fields[k].ty.clone()));
        }
        let near = self.near_of(name, fields.iter().map(|field| field.name.as_str()));
        let message = Message::error("Q0343", span, format!("class '{}' has no field '{name}'", class.name));
        let is_method = !self.module_functions(self.frame.lexical.module, name).is_empty();
        self.say(match near {
            _ if is_method => {
                message.help(format!("'{name}' is a function; call it, as in object.{name}(..)"))
            }
            Some(near) => message.help(format!("did you mean '{near}'?")),
            None => {
                let named = fields.iter().map(|field| field.name.as_str());
                let all: Vec<&str> = named.filter(|name| *name != MORE).collect();
                if all.is_empty() {
                    message
                } else {
                    message.help(format!("its fields are {}", all.join(", ")))
                }
            }
        });
        None
    }
}
