//! Functions as values.

use super::{Value, deferred_errors, mismatch, settled};
use crate::error::{Error, Result};
use quasar_devicelib::value::function::{Method, expect_arguments, several};
use quasar_devicelib::value::{ErrorKind, FunctionObject, ValueError, release};
use std::any::Any;
use std::sync::Arc;

/// What was captured and the arguments, one after the other.
type Arguments = std::vec::IntoIter<Value>;

/// A function of the program, with what it captured.
struct Function {
    text: &'static str,
    takes: usize,
    is_method: bool,
    captured: Vec<Value>,
    run: fn(Arguments) -> Result<Vec<Value>>,
}

/// A function as a value: what is shown of it, how many arguments it takes, whether objects call it with themselves, what it
/// captured, and what it does with that and its arguments.
pub fn function(
    text: &'static str,
    takes: usize,
    is_method: bool,
    captured: Vec<Value>,
    run: fn(Arguments) -> Result<Vec<Value>>,
) -> Value {
    Value::Function(Arc::new(Function { text, takes, is_method, captured, run }))
}

impl Function {
    fn run(&self, args: Vec<Value>) -> Result<Vec<Value>> {
        expect_arguments(self, self.takes, args.len())?;
        let mut all = self.captured.clone();
        all.extend(args);
        (self.run)(all.into_iter())
    }
}

impl FunctionObject for Function {
    fn describe(&self) -> String {
        self.text.to_owned()
    }

    fn call(&self, args: &[Value]) -> Result<Vec<Value>, ValueError> {
        self.run(args.to_vec()).map_err(|error| ValueError::new(ErrorKind::Unknown, error.message()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn captured(&self) -> Vec<Value> {
        self.captured.clone()
    }

    fn take_captured(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.captured)
    }

    fn is_method(&self) -> bool {
        self.is_method
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        release(self.take_captured());
    }
}

/// A call of a function value of which so many results are taken.
pub fn invoke(callee: &Value, args: Vec<Value>, wanted: usize) -> Result<Vec<Value>> {
    deferred_errors::settle()?;
    let Value::Function(function) = callee else {
        return Err(Error::wrong_type(format!("expected a function to call, found {}", callee.kind())));
    };
    let (function, args) = Method::resolved(function, args);
    let values = settled(match function.as_any().downcast_ref::<Function>() {
        Some(function) => function.run(args),
        None => function.call(&args).map_err(Error::from),
    })?;
    Ok(several(values, wanted))
}

/// The value, if it is a function; the type is that of the declaration.
pub fn function_value(value: Value, ty: &str) -> Result<Value> {
    match value {
        Value::Function(_) => Ok(value),
        other => Err(mismatch(ty, &other)),
    }
}
