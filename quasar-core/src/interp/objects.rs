//! Objects: class descriptors, field access and identity.

use super::code::FieldName;
use super::error::Fault;
use super::messages;
use crate::ir::Program;
use crate::types::{ClassType, Type};
use quasar_devicelib::value::Value;
use quasar_devicelib::value::object::{Class, Field, Instance, Node, dereference};
use std::borrow::Cow;
use std::sync::Arc;

/// The run-time descriptor of a class.
pub(super) fn class(program: &Program, ty: &Type) -> Option<Arc<Class>> {
    let class = program.class(ty.class()?)?;
    let fields = class.fields.iter().map(|field| Field {
        name: field.name.clone().into(),
        inside: field.is_inside(),
        kind: field.kind(),
        names: names(program, &field.ty),
    });
    Some(Arc::new(Class {
        name: class.ty.name.clone().into(),
        line: class.ty.line().map(|class| class.id.0).collect::<Vec<_>>().into(),
        fields: fields.collect::<Vec<_>>().into(),
        circular: class.circular,
        mutable: class.ty.mutable,
    }))
}

fn names(
    program: &Program,
    ty: &Type,
) -> Option<(Cow<'static, str>, quasar_devicelib::value::object::Members)> {
    let Type::Enum(id) = ty else { return None };
    let (name, members) = program.enums.get(id.0 as usize)?;
    let members: Vec<_> = members.iter().map(|(name, number)| (name.clone().into(), *number)).collect();
    Some((name.clone().into(), members.into()))
}

/// A field of a class.
pub(super) fn field_name(program: &Program, of: &Type, place: usize) -> FieldName {
    let field = of.class().and_then(|class| program.class(class)?.fields.get(place));
    FieldName { place, name: field.map_or("", |field| &field.name).into() }
}

fn instance(value: &Value) -> Option<&Node<Instance>> {
    match value {
        Value::Object(object) => object.as_any().downcast_ref(),
        _ => None,
    }
}

/// Reads a field of an object.
pub(super) fn member(object: &Value, field: &FieldName) -> Result<Value, Fault> {
    match (instance(object), object) {
        (Some(node), _) => Ok(node.read(|fields| fields.value(field.place))),
        (None, Value::Null) => Err(dereference(&field.name).into()),
        (None, other) => Err(messages::wrong_type("object", &other.kind())),
    }
}

/// Assigns a field.
pub(super) fn set(object: &Value, field: &FieldName, value: Value) -> Result<(), Fault> {
    match (instance(object), object) {
        (Some(node), _) => {
            node.replace(value, |fields| fields.place(field.place));
            Ok(())
        }
        (None, Value::Null) => Err(dereference(&field.name).into()),
        (None, other) => Err(messages::wrong_type("object", &other.kind())),
    }
}

/// Whether both refer to the same object, or both are null.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    a.is_identical(b) || matches!((a, b), (Value::Null, Value::Null))
}

/// Whether a value is an instance of a class or of a derived one.
pub(super) fn is_of(value: &Value, class: &ClassType) -> bool {
    instance(value).is_some_and(|node| {
        node.read(|fields| quasar_devicelib::value::object::Fields::class(fields).line.contains(&class.id.0))
    })
}
