//! Dynamic objects: a list of fields behind a lock.

use super::{Frozen, Object, collector, release};
use crate::value::{ErrorKind, Value, ValueError};
use std::any::Any;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

/// An object whose fields are known by name.
pub struct Record {
    class: Arc<str>,
    open: bool,
    fields: RwLock<Vec<(Arc<str>, Value)>>,
}

impl Record {
    /// An object of a class. Fields can be added later if it is `open`.
    pub fn new(class: &str, open: bool, fields: Vec<(Arc<str>, Value)>) -> Arc<Record> {
        let record = Arc::new(Record { class: class.into(), open, fields: RwLock::new(fields) });
        if open {
            let shared: Arc<dyn Object> = record.clone();
            collector::watch(&shared);
        }
        record
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        release(self.emptied());
    }
}

impl Object for Record {
    fn type_name(&self) -> String {
        self.class.to_string()
    }

    fn fields(&self) -> Vec<(Arc<str>, Value)> {
        self.fields.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_field(&self, name: &str, value: Value) -> Result<(), ValueError> {
        let mut fields = self.fields.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(field) = fields.iter_mut().find(|(field, _)| &**field == name) {
            let old = std::mem::replace(&mut field.1, value);
            drop(fields);
            drop(old);
            return Ok(());
        }
        if !self.open {
            let text = format!("'{}' has no field '{name}'", self.class);
            return Err(ValueError::new(ErrorKind::Type, text));
        }
        fields.push((name.into(), value));
        Ok(())
    }

    fn duplicate(&self) -> Result<Arc<dyn Object>, ValueError> {
        Ok(Record::new(&self.class, self.open, self.fields()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn emptied(&self) -> Vec<Value> {
        let mut fields = self.fields.write().unwrap_or_else(PoisonError::into_inner);
        fields.drain(..).map(|(_, value)| value).collect()
    }

    fn frozen(&self) -> Option<Box<dyn Frozen + '_>> {
        let fields = self.fields.write().unwrap_or_else(PoisonError::into_inner);
        self.open.then(|| Box::new(Held(fields)) as Box<dyn Frozen + '_>)
    }
}

struct Held<'a>(RwLockWriteGuard<'a, Vec<(Arc<str>, Value)>>);

impl Frozen for Held<'_> {
    fn references(&self) -> Vec<Value> {
        self.0.iter().map(|(_, value)| value.clone()).collect()
    }

    fn emptied(&mut self) -> Vec<Value> {
        self.0.drain(..).map(|(_, value)| value).collect()
    }
}
