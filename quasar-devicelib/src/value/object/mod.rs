//! Objects: what classes and dynamic objects have in common, and how their storage is given back.
//!
//! An object lives as long as something refers to it. Objects that refer to each other in a circle are found by
//! the module `collector`. No lock of an object is ever held while another one is taken, except by the collector.

mod collector;
mod node;
mod record;

pub use collector::collect;
pub use node::{Class, Field, FieldKind, Fields, Instance, Members, Node, dereference, field_of_objects};
pub use record::Record;

use super::{ArrayObject, FunctionObject, Value, ValueError};
use std::any::Any;
use std::sync::Arc;

/// The field of an object of a dynamic class that holds the fields which it gets when the program runs. No name is so.
pub const MORE: &str = "$more";

/// An object with named fields.
pub trait Object: Send + Sync {
    /// The name of its class; `object` for a dynamic one.
    fn type_name(&self) -> String;
    /// Whether it is of the class with this number or of one that inherits from it.
    fn is_of(&self, _class: usize) -> bool {
        false
    }
    /// The fields in their order.
    fn fields(&self) -> Vec<(Arc<str>, Value)>;
    /// One field.
    fn field(&self, name: &str) -> Option<Value> {
        self.fields().into_iter().find(|(field, _)| &**field == name).map(|(_, value)| value)
    }
    /// Changes a field, or adds one to a dynamic object.
    fn set_field(&self, name: &str, value: Value) -> Result<(), ValueError>;
    /// Another object with the same field values; objects that lie inside of this one are copied as well.
    fn duplicate(&self) -> Result<Arc<dyn Object>, ValueError>;
    /// The implementation, for those who know it.
    fn as_any(&self) -> &dyn Any;
    /// The same, shared.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
    /// What it refers to, as far as that may be objects.
    fn references(&self) -> Vec<Value> {
        Vec::new()
    }
    /// Moves what it refers to out of it, before it goes.
    fn emptied(&self) -> Vec<Value>;
    /// Keeps everybody else from the fields, for the collector; none for objects that it does not look at.
    fn frozen(&self) -> Option<Box<dyn Frozen + '_>> {
        None
    }
}

/// An object that nobody else can read or change.
pub trait Frozen {
    /// What it refers to.
    fn references(&self) -> Vec<Value>;
    /// Moves that out of it.
    fn emptied(&mut self) -> Vec<Value>;
}

/// Drops values without recursion: long lists of objects, deeply nested cells or functions that captured each other would
/// exhaust the stack.
pub fn release(mut pending: Vec<Value>) {
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(mut a) if a.element_type().is_none() => {
                add(&mut pending, Arc::get_mut(&mut a).map(ArrayObject::take_items).unwrap_or_default());
            }
            Value::Tuple(mut items) => {
                let items = Arc::get_mut(&mut items).into_iter().flatten().map(std::mem::take);
                add(&mut pending, items.collect());
            }
            Value::Object(object) if Arc::strong_count(&object) == 1 => add(&mut pending, object.emptied()),
            Value::Function(mut f) => {
                let captured = Arc::get_mut(&mut f).map(FunctionObject::take_captured).unwrap_or_default();
                add(&mut pending, captured);
            }
            _ => {}
        }
    }
}

/// Adds values to those that are dropped later, or drops them where there is no memory to remember them.
fn add(pending: &mut Vec<Value>, items: Vec<Value>) {
    if pending.try_reserve(items.len()).is_ok() {
        pending.extend(items);
    }
}
