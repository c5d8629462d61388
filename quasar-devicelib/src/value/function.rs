//! Functions as values: what a variable of unknown type or a field holds when it holds a function.

use super::{ErrorKind, Value, ValueError, array};
use std::any::Any;
use std::sync::Arc;

/// A callable value.
pub trait FunctionObject: Send + Sync {
    /// What `print` writes: `function f(x)` or `lambda(x)`.
    fn describe(&self) -> String;
    /// Calls it.
    fn call(&self, args: &[Value]) -> Result<Vec<Value>, ValueError>;
    /// The implementation, for those who know it.
    fn as_any(&self) -> &dyn Any;
    /// What it captured.
    fn captured(&self) -> Vec<Value> {
        Vec::new()
    }
    /// Takes that out before it goes, since dropping it in place would recurse.
    fn take_captured(&mut self) -> Vec<Value> {
        Vec::new()
    }
    /// Whether its first parameter is `self`: an object calls it with itself.
    fn is_method(&self) -> bool {
        false
    }
}

/// A method of an object that was added at run time, with the object.
pub struct Method {
    function: Arc<dyn FunctionObject>,
    object: Value,
}

impl Method {
    /// The function that a field of an object holds, as the object calls it; other values are as they are.
    pub fn of(object: &Value, field: Value) -> Value {
        match field {
            Value::Function(function) if function.is_method() => {
                Value::Function(Arc::new(Method { function, object: object.clone() }))
            }
            other => other,
        }
    }

    /// The function that is called in the end, and its arguments.
    pub fn resolved(
        called: &Arc<dyn FunctionObject>,
        mut args: Vec<Value>,
    ) -> (Arc<dyn FunctionObject>, Vec<Value>) {
        let mut called = called.clone();
        while let Some(method) = called.as_any().downcast_ref::<Method>() {
            args.insert(0, method.object.clone());
            let function = method.function.clone();
            called = function;
        }
        (called, args)
    }
}

impl FunctionObject for Method {
    fn describe(&self) -> String {
        self.function.describe()
    }

    fn call(&self, args: &[Value]) -> Result<Vec<Value>, ValueError> {
        let all: Vec<Value> = std::iter::once(&self.object).chain(args).cloned().collect();
        self.function.call(&all)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn captured(&self) -> Vec<Value> {
        vec![self.object.clone(), Value::Function(self.function.clone())]
    }
}

/// An error unless a function got as many arguments as it takes.
pub fn expect_arguments(function: &dyn FunctionObject, takes: usize, found: usize) -> Result<(), ValueError> {
    if takes == found {
        return Ok(());
    }
    let plural = if takes == 1 { "" } else { "s" };
    let text = format!("{} takes {takes} argument{plural}, found {found}", function.describe());
    Err(ValueError::new(ErrorKind::Type, text))
}

/// The results of a call of which `wanted` are taken: one vector or cell of so many stands for several.
pub fn several(values: Vec<Value>, wanted: usize) -> Vec<Value> {
    let [Value::Array(whole)] = values.as_slice() else { return values };
    if wanted < 2 || whole.dims() != [wanted] {
        return values;
    }
    array::read(&**whole, |view| (0..wanted).filter_map(|k| view.data.value(k)).collect())
}
