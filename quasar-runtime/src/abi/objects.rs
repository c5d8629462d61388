//! Objects of classes: references that count, and access to fields.

use super::{Dynamic, Value};
use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use quasar_devicelib::value::object::{Node, dereference};
use quasar_devicelib::value::{ErrorKind, Object, ValueError};
use std::sync::Arc;

pub use quasar_devicelib::value::object::{Class, Field, FieldKind, Fields};

/// An object of a family of classes, or `nullptr`.
pub struct Reference<F: Fields>(Option<Arc<Node<F>>>);

impl<F: Fields> Clone for Reference<F> {
    fn clone(&self) -> Self {
        Reference(self.0.clone())
    }
}

/// A new object.
pub fn object<F: Fields>(fields: F) -> Reference<F> {
    Reference(Some(Node::new(fields)))
}

/// `nullptr`
pub fn null<F: Fields>() -> Reference<F> {
    Reference(None)
}

/// The value of a field.
#[inline]
pub fn field_of<F: Fields, T: Clone>(
    object: &Reference<F>,
    name: &str,
    place: impl FnOnce(&F) -> &T,
) -> Result<T, ValueError> {
    match &object.0 {
        Some(node) => Ok(node.read(|fields| place(fields).clone())),
        None => Err(dereference(name)),
    }
}

/// Gives a field another value, when no launch before has failed.
#[inline]
pub fn set_field<F: Fields, T>(
    object: &Reference<F>,
    name: &str,
    value: T,
    place: impl FnOnce(&mut F) -> &mut T,
) -> Result<()> {
    deferred_errors::settle()?;
    match &object.0 {
        Some(node) => {
            node.replace(value, place);
            Ok(())
        }
        None => Err(dereference(name).into()),
    }
}

/// Whether both refer to one object, or neither to any.
#[inline]
pub fn same<F: Fields>(a: &Reference<F>, b: &Reference<F>) -> bool {
    match (&a.0, &b.0) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// Whether it is `nullptr`.
#[inline]
pub fn is_null<F: Fields>(reference: &Reference<F>) -> bool {
    reference.0.is_none()
}

/// The reference where it is not `nullptr`; `class` is what is expected.
#[inline]
pub fn present<F: Fields>(reference: Reference<F>, class: &str) -> Result<Reference<F>> {
    match reference.0 {
        Some(_) => Ok(reference),
        None => Err(unlike(class, "nullptr")),
    }
}

/// A dynamic value as a reference to an object of the class with this number or of one that inherits from it.
pub fn reference<F: Fields>(value: Value, class: u32, name: &str, nullable: bool) -> Result<Reference<F>> {
    match value {
        Value::Null if nullable => Ok(null()),
        other => {
            let kind = other.kind();
            let fits = |node: &Arc<Node<F>>| node.read(|fields| fields.class().line.contains(&class));
            match node(other).filter(fits) {
                Some(node) => Ok(Reference(Some(node))),
                None => Err(unlike(name, &kind)),
            }
        }
    }
}

#[cold]
pub(super) fn unlike(expected: &str, found: &str) -> Error {
    Error::wrong_type(format!("Type check failed: '{found}' is not '{expected}'"))
}

fn node<F: Fields>(value: Value) -> Option<Arc<Node<F>>> {
    match value {
        Value::Object(object) => object.into_any().downcast().ok(),
        _ => None,
    }
}

/// `copy(x)`
pub fn copied<F: Fields>(reference: &Reference<F>) -> Result<Reference<F>, ValueError> {
    match &reference.0 {
        Some(original) => Ok(Reference(node(Value::Object(original.duplicate()?)))),
        None => Ok(null()),
    }
}

/// Copies what lies inside of an object.
pub fn separate<T: Dynamic>(place: &mut T) -> Result<(), ValueError> {
    let copy = T::from_value(place.to_value().copied()?);
    *place = copy.map_err(|error| ValueError::new(ErrorKind::Type, error.message()))?;
    Ok(())
}

/// Moves a value out of an object that goes.
pub fn emptied<T: Dynamic>(place: &mut T) -> Value {
    // The dynamic value keeps what it refers to, so that nothing is dropped here.
    std::mem::replace(place, T::blank()).to_value()
}

/// Gives a field a value that it may hold; its old value comes back.
pub fn exchange<T: Dynamic>(place: &mut T, value: Value) -> Result<Value, ValueError> {
    let value = T::from_value(value).map_err(|error| ValueError::new(ErrorKind::Type, error.message()))?;
    Ok(std::mem::replace(place, value).to_value())
}

/// What is said of a field that does not exist.
#[cold]
pub fn no_field() -> Result<Value, ValueError> {
    Err(ValueError::new(ErrorKind::Unknown, "an object without such a field"))
}

impl<F: Fields> Dynamic for Reference<F> {
    fn to_value(&self) -> Value {
        match &self.0 {
            Some(node) => Value::Object(Arc::clone(node) as Arc<dyn Object>),
            None => Value::Null,
        }
    }

    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::Null => Ok(null()),
            other => {
                let kind = other.kind();
                node(other).map(|node| Reference(Some(node))).ok_or_else(|| unlike("another class", &kind))
            }
        }
    }

    fn blank() -> Self {
        null()
    }
}
