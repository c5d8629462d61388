//! Objects of classes: fields of known types behind a lock. Compiled programs have a structure for each family of
//! classes, the interpreter a list of values; what can be done with an object is the same.

use super::{Frozen, MORE, Object, collector, release};
use crate::element::{ElementType, Overflow};
use crate::value::convert::convert_scalar;
use crate::value::{ErrorKind, Value, ValueError};
use std::any::Any;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is known of a class at run time.
#[derive(Clone, Debug)]
pub struct Class {
    /// As it is written.
    pub name: Cow<'static, str>,
    /// The numbers of the class and of those that it inherits from.
    pub line: Cow<'static, [u32]>,
    /// Its fields in order, those of what it inherits from first.
    pub fields: Cow<'static, [Field]>,
    /// Whether its objects may refer to themselves through others.
    pub circular: bool,
    /// Whether fields may be changed.
    pub mutable: bool,
}

/// A field of a class.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Whether its value lies inside of the object.
    pub inside: bool,
    /// What it holds.
    pub kind: FieldKind,
    /// The enum that it is of: its name and the names of its values.
    pub names: Option<(Cow<'static, str>, Members)>,
}

/// What a field holds, as far as it can be given a value by those who do not know its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A number; others are converted.
    Number(ElementType, Overflow),
    /// A string.
    Text,
    /// Any value.
    Any,
    /// A function.
    Function,
    /// Something else.
    Other,
}

/// The names and numbers of the values of an enum.
pub type Members = Cow<'static, [(Cow<'static, str>, i32)]>;

impl Field {
    /// A value as the field holds it.
    fn admitted(&self, value: Value, class: &str) -> Result<Value, ValueError> {
        let wrong = |kind: &str, value: &Value| {
            let text =
                format!("the field '{}' of '{class}' must be '{kind}', found '{}'", self.name, value.kind());
            Err(ValueError::new(ErrorKind::Type, text))
        };
        match (self.kind, value) {
            (FieldKind::Any, value)
            | (FieldKind::Text, value @ Value::Text(_))
            | (FieldKind::Function, value @ Value::Function(_)) => Ok(value),
            (FieldKind::Number(ty, overflow), value) => match value.as_scalar() {
                Some(x) => Ok(Value::Scalar(convert_scalar(x, ty, overflow)?)),
                None => wrong(ty.name(), &value),
            },
            (FieldKind::Text, value) => wrong("string", &value),
            (FieldKind::Function, value) => wrong("function", &value),
            (FieldKind::Other, _) => {
                let text = format!(
                    "not supported yet: giving the field '{}' of '{class}' a value where the class is not known",
                    self.name
                );
                Err(ValueError::new(ErrorKind::Type, text))
            }
        }
    }

    /// The value as it is shown.
    fn shown(&self, value: Value) -> Value {
        let Some((type_name, members)) = &self.names else { return value };
        let number = value.as_scalar().map(|x| x.as_i64());
        match members.iter().find(|(_, member)| number == Some(i64::from(*member))) {
            Some((name, number)) => {
                Value::Enum { type_name: (**type_name).into(), name: (**name).into(), number: *number }
            }
            None => value,
        }
    }
}

/// The fields of an object.
pub trait Fields: Clone + Send + 'static {
    /// Its class.
    fn class(&self) -> &Class;
    /// All fields in order.
    fn values(&self) -> Vec<Value>;
    /// Gives a field another value, which it may hold; the old one comes back.
    fn set(&mut self, field: usize, value: Value) -> Result<Value, ValueError>;
    /// Those that may refer to objects.
    fn references(&self) -> Vec<Value>;
    /// Moves those out.
    fn emptied(&mut self) -> Vec<Value>;
    /// Copies what lies inside of the object, which a clone of the fields shares.
    fn separate(&mut self) -> Result<(), ValueError>;
}

/// An object of a class.
pub struct Node<F: Fields> {
    fields: Mutex<F>,
}

impl<F: Fields> Node<F> {
    /// A new object.
    pub fn new(fields: F) -> Arc<Node<F>> {
        let circular = fields.class().circular;
        let node = Arc::new(Node { fields: Mutex::new(fields) });
        if circular {
            let shared: Arc<dyn Object> = node.clone();
            collector::watch(&shared);
        }
        node
    }

    fn lock(&self) -> MutexGuard<'_, F> {
        self.fields.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads fields. `f` must not touch other objects.
    pub fn read<R>(&self, f: impl FnOnce(&F) -> R) -> R {
        f(&self.lock())
    }

    /// Changes a field, whose old value is dropped when the object can be used again.
    pub fn replace<T>(&self, mut value: T, place: impl FnOnce(&mut F) -> &mut T) {
        std::mem::swap(place(&mut self.lock()), &mut value);
    }
}

impl<F: Fields> Drop for Node<F> {
    fn drop(&mut self) {
        release(self.emptied());
    }
}

impl<F: Fields> Object for Node<F> {
    fn type_name(&self) -> String {
        self.read(|fields| fields.class().name.to_string())
    }

    fn is_of(&self, class: usize) -> bool {
        self.read(|fields| fields.class().line.iter().any(|known| *known as usize == class))
    }

    fn fields(&self) -> Vec<(Arc<str>, Value)> {
        let mut more = None;
        let mut all: Vec<(Arc<str>, Value)> = self.read(|fields| {
            let shown = |(field, value): (&Field, Value)| {
                if field.name == MORE {
                    more = Some(value);
                    return None;
                }
                Some((Arc::from(&*field.name), field.shown(value)))
            };
            fields.class().fields.iter().zip(fields.values()).filter_map(shown).collect()
        });
        if let Some(Value::Object(more)) = more {
            all.extend(more.fields());
        }
        all
    }

    fn field(&self, name: &str) -> Option<Value> {
        let declared = self.read(|fields| {
            let place = fields.class().fields.iter().position(|field| field.name == name && name != MORE)?;
            let value = fields.values().into_iter().nth(place)?;
            Some(fields.class().fields[place].shown(value))
        });
        declared
            .or_else(|| self.fields().into_iter().find(|(field, _)| &**field == name).map(|(_, value)| value))
    }

    fn set_field(&self, name: &str, value: Value) -> Result<(), ValueError> {
        let class = self.read(|fields| fields.class().clone());
        let place = |name: &str| class.fields.iter().position(|field| field.name == name);
        let refused = |text: String| Err(ValueError::new(ErrorKind::Type, text));
        let place = match (place(name), place(MORE)) {
            (Some(_), _) if !class.mutable => {
                let text =
                    format!("the field '{name}' cannot be changed: class '{}' is not mutable", class.name);
                return refused(text);
            }
            (Some(place), _) => place,
            (None, Some(more)) => {
                return match self.read(|fields| fields.values().into_iter().nth(more)) {
                    Some(Value::Object(more)) => more.set_field(name, value),
                    _ => Err(dereference(name)),
                };
            }
            (None, None) => return refused(format!("class '{}' has no field '{name}'", class.name)),
        };
        let value = class.fields[place].admitted(value, &class.name)?;
        let old = self.lock().set(place, value)?;
        drop(old);
        Ok(())
    }

    fn duplicate(&self) -> Result<Arc<dyn Object>, ValueError> {
        let mut fields = self.read(F::clone);
        fields.separate()?;
        Ok(Node::new(fields))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn references(&self) -> Vec<Value> {
        self.lock().references()
    }

    fn emptied(&self) -> Vec<Value> {
        self.lock().emptied()
    }

    fn frozen(&self) -> Option<Box<dyn Frozen + '_>> {
        Some(Box::new(Held(self.lock())))
    }
}

struct Held<'a, F>(MutexGuard<'a, F>);

impl<F: Fields> Frozen for Held<'_, F> {
    fn references(&self) -> Vec<Value> {
        self.0.references()
    }

    fn emptied(&mut self) -> Vec<Value> {
        self.0.emptied()
    }
}

/// What is said of a field of `nullptr`.
#[cold]
pub fn dereference(field: &str) -> ValueError {
    ValueError::new(ErrorKind::Type, format!("nullptr has no field '{field}'"))
}

/// The field whose values in all objects of a class an array of a kernel holds; lowering calls such an array
/// `^class.field`. A position before the first is that of `nullptr`.
pub fn field_of_objects(array: &str) -> Option<&str> {
    array.strip_prefix('^')?.split('.').nth(1)
}

/// The fields of an object of the interpreter.
#[derive(Clone)]
pub struct Instance {
    class: Arc<Class>,
    values: Vec<Value>,
}

impl Instance {
    /// An object of a class.
    pub fn object(class: Arc<Class>, values: Vec<Value>) -> Value {
        Value::Object(Node::new(Instance { class, values }))
    }

    /// One field.
    pub fn value(&self, field: usize) -> Value {
        self.values.get(field).cloned().unwrap_or_default()
    }

    /// The place of a field; of a field that the class does not have, a place where nobody looks.
    pub fn place(&mut self, field: usize) -> &mut Value {
        if self.values.len() <= field {
            self.values.resize(field + 1, Value::Unit);
        }
        &mut self.values[field]
    }
}

/// Whether a value may lead to an object.
fn refers(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Function(_)) || value.is_cell()
}

impl Fields for Instance {
    fn class(&self) -> &Class {
        &self.class
    }

    fn values(&self) -> Vec<Value> {
        self.values.clone()
    }

    fn set(&mut self, field: usize, value: Value) -> Result<Value, ValueError> {
        Ok(std::mem::replace(self.place(field), value))
    }

    fn references(&self) -> Vec<Value> {
        self.values.iter().filter(|value| refers(value)).cloned().collect()
    }

    fn emptied(&mut self) -> Vec<Value> {
        self.values.iter_mut().filter(|value| refers(value)).map(std::mem::take).collect()
    }

    fn separate(&mut self) -> Result<(), ValueError> {
        for (value, field) in self.values.iter_mut().zip(&*self.class.fields) {
            if field.inside {
                *value = value.copied()?;
            }
        }
        Ok(())
    }
}
