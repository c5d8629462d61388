//! The elements over which loops of host code run.

use super::{Result, mismatch};
use crate::kernel::deferred_errors;
use quasar_devicelib::value::{Value, array};

/// The elements of a vector or cell in order. There are as many as at the start of the loop; each is read when its iteration begins,
/// so that it is what iterations before have stored.
pub struct Items {
    over: Value,
    next: usize,
    count: usize,
}

/// The elements over which a loop runs.
pub fn items(over: &Value) -> Result<Items> {
    deferred_errors::settle()?;
    let count = match over {
        Value::Array(a) => array::read(&**a, |view| view.data.len()),
        Value::Tuple(items) => items.len(),
        Value::Scalar(_) => 1,
        other => return Err(mismatch("vector", other)),
    };
    Ok(Items { over: over.clone(), next: 0, count })
}

impl Iterator for Items {
    type Item = Result<Value>;

    fn next(&mut self) -> Option<Result<Value>> {
        if self.next == self.count {
            return None;
        }
        let k = self.next;
        self.next += 1;
        if let Err(error) = deferred_errors::settle() {
            return Some(Err(error));
        }
        match &self.over {
            Value::Array(a) => array::read(&**a, |view| view.data.value(k)).map(Ok),
            Value::Tuple(items) => items.get(k).cloned().map(Ok),
            other => Some(Ok(other.clone())),
        }
    }
}
