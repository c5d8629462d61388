//! Variables of a session or a debugger. Programs that are made for them get and leave the values through the functions `load` and
//! `save`, whose files have names here that no file has.

use quasar_core::types::ElementType;
use quasar_devicelib::value::{Host, HostState, Value, ValueError, Workers};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the names of variables begin with, as those of files.
pub(crate) const FOLDER: &str = "<session>/";

/// The variables that are there, and those that the running entry leaves behind.
#[derive(Clone, Default)]
pub(crate) struct Variables(Rc<RefCell<Inner>>);

#[derive(Default)]
struct Inner {
    now: BTreeMap<String, Variable>,
    left: BTreeMap<String, Value>,
}

/// A variable.
#[derive(Clone)]
pub(crate) struct Variable {
    pub(crate) value: Value,
    /// Its type as programs write it, if they can.
    pub(crate) ty: Option<String>,
}

impl Variable {
    /// Its type for the eye.
    pub(crate) fn shown_type(&self) -> String {
        match (&self.ty, &self.value) {
            (Some(ty), _) => ty.clone(),
            (None, Value::Function(_)) => "function".to_owned(),
            (None, value) => format!("?? (now {})", value.kind()),
        }
    }
}

impl Variables {
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.borrow().now.keys().cloned().collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<Variable> {
        self.0.borrow().now.get(name).cloned()
    }

    pub(crate) fn set(&self, name: String, variable: Variable) {
        self.0.borrow_mut().now.insert(name, variable);
    }

    pub(crate) fn remove(&self, name: &str) -> Option<Variable> {
        self.0.borrow_mut().now.remove(name)
    }

    /// Takes a value that a program left behind.
    pub(crate) fn take_left(&self, name: &str) -> Option<Value> {
        self.0.borrow_mut().left.remove(name)
    }

    /// Forgets what an entry that failed left behind.
    pub(crate) fn drop_left(&self) {
        self.0.borrow_mut().left.clear();
    }

    /// Takes over what an entry left behind; `types` has the types of its variables.
    pub(crate) fn keep_left(&self, types: &BTreeMap<String, String>) {
        let inner = &mut *self.0.borrow_mut();
        for (name, value) in std::mem::take(&mut inner.left) {
            let ty = types.get(&name).cloned();
            inner.now.insert(name, Variable { value, ty });
        }
    }
}

/// The host of a session.
pub(crate) struct SessionHost<'h> {
    pub(crate) host: &'h mut dyn Host,
    pub(crate) variables: Variables,
}

impl Host for SessionHost<'_> {
    fn print(&mut self, text: &str) -> Result<(), ValueError> {
        self.host.print(text)
    }

    fn state(&mut self) -> &mut HostState {
        self.host.state()
    }

    fn now_ms(&self) -> f64 {
        self.host.now_ms()
    }

    fn synchronize(&mut self) {
        self.host.synchronize();
    }

    fn write_file(&mut self, handle: &Value, text: &str) -> Result<(), ValueError> {
        self.host.write_file(handle, text)
    }

    fn workers(&self, operations: usize) -> &dyn Workers {
        self.host.workers(operations)
    }

    fn uninit(&self, ty: ElementType, dims: Vec<usize>) -> Result<Value, ValueError> {
        self.host.uninit(ty, dims)
    }

    fn external(
        &mut self,
        name: &str,
        args: &[Value],
        results: usize,
    ) -> Option<Result<Vec<Value>, ValueError>> {
        let variable = args.first().and_then(Value::as_text).and_then(|text| text.strip_prefix(FOLDER));
        match (name, variable, args.get(1)) {
            ("load", Some(variable), _) => {
                let value = self.variables.get(variable).map(|variable| variable.value);
                Some(Ok(vec![value.unwrap_or_default()]))
            }
            ("save", Some(variable), Some(value)) => {
                let left = &mut self.variables.0.borrow_mut().left;
                left.insert(variable.to_owned(), value.clone());
                Some(Ok(Vec::new()))
            }
            _ => self.host.external(name, args, results),
        }
    }
}
