//! Runtime errors inside CPU kernels: the first one is recorded and reported when the launch ends.

use crate::element::{Element, ElementType, Scalar};
use crate::stack;
use crate::value::{ArrayBuf, ArrayData, Value, format};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A source location: the name of an array (or the text of a condition) and a line.
pub type Site = (&'static str, u32);

/// The kind of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An index out of range in the mode `'checked`.
    OutOfBounds {
        /// The index.
        index: Vec<i32>,
        /// The extents.
        dims: Vec<i32>,
    },
    /// A failed assertion, with its text.
    Assertion(String),
    /// `error(..)`, with its message.
    Error(String),
    /// A value out of range of an integer type.
    Overflow(String),
    /// Mismatching sizes or numbers of elements.
    Size(String),
    /// An argument with an impossible value.
    Argument(String),
    /// A read of an uninitialised variable.
    Unset(String),
    /// Recursion too deep.
    System(String),
}

/// The first error of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The kind.
    pub kind: FaultKind,
    /// The array concerned; may be empty.
    pub subject: &'static str,
    /// The line.
    pub line: u32,
}

/// Collects the first error of a launch, across threads.
#[derive(Debug, Default)]
pub struct Fault {
    set: AtomicBool,
    report: Mutex<Option<Report>>,
}

impl Fault {
    /// Without an error.
    pub fn new() -> Fault {
        Fault::default()
    }

    /// Whether an error was raised.
    #[inline(always)]
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Relaxed)
    }

    /// Takes the error.
    pub fn into_report(self) -> Option<Report> {
        self.report.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Records an error unless there already is one.
    #[cold]
    #[inline(never)]
    pub fn raise(&self, site: Site, kind: FaultKind) {
        if !self.set.swap(true, Ordering::Relaxed) {
            let mut report = self.report.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            *report = Some(Report { kind, subject: site.0, line: site.1 });
        }
    }

    /// Raises an index out of range.
    #[cold]
    #[inline(never)]
    pub fn out_of_bounds(&self, site: Site, index: &[i32], dims: &[i32]) {
        self.raise(site, FaultKind::OutOfBounds { index: index.to_vec(), dims: dims.to_vec() });
    }

    /// Raises a failed assertion.
    #[cold]
    #[inline(never)]
    pub fn assertion(&self, site: Site, text: &str) {
        self.raise(site, FaultKind::Assertion(text.to_owned()));
    }
}

/// Calls a function that may be recursive. `None`, and an error, if the recursion is too deep.
#[inline]
pub fn nested<R>(fault: &Fault, line: u32, f: impl FnOnce() -> R) -> Option<R> {
    let called = stack::Call::in_kernel().and_then(|call| {
        let result = stack::with_room(f);
        drop(call);
        result
    });
    called.map_err(|error| fault.raise(("", line), FaultKind::System(error.text))).ok()
}

/// Formats a number like `print`.
pub fn shown<T: Element>(x: T) -> String {
    format::scalar(x.to_scalar())
}

/// Formats a small array like `print`.
pub fn shown_array<T: Element>(x: &[T], dims: &[usize]) -> String {
    let items: Vec<_> = x.iter().map(|x| x.to_scalar()).collect();
    shown_scalars(T::TYPE, &items, dims)
}

/// As [`shown_array`], for elements of a dynamic type.
pub fn shown_scalars(ty: ElementType, items: &[Scalar], dims: &[usize]) -> String {
    match ArrayData::from_scalars(ty, items) {
        Ok(data) => format::print(&Value::from(ArrayBuf { dims: dims.to_vec(), data })),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_by_print() {
        assert_eq!(shown(2.5_f32), "2.5");
        assert_eq!(shown_array(&[1, 2, 3], &[3]), "[1,2,3]");
    }
}
