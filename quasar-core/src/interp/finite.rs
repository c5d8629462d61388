//! The NaN check of kernel outputs on the virtual device: an element that is not finite after a launch is an error unless it was so
//! before. The run-time system checks compiled kernels by the same rule.

use super::error::{Fault, RunErrorKind};
use crate::analysis::access_pattern::first_write;
use crate::ir::{Kernel, Program};
use crate::source::Span;
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::{ArrayRef, ErrorKind, Value, ValueError, array, shape};
use std::rc::Rc;

/// An array that a kernel writes.
pub(super) struct Output {
    array: Value,
    name: String,
    /// The first statement that writes it.
    span: Span,
    /// Which elements were not finite before the launch.
    before: Vec<bool>,
}

fn is_flaw(x: Scalar) -> bool {
    !(x.as_f64().is_finite() && x.imaginary().is_finite())
}

fn flaws(view: &ArrayRef<'_>) -> impl Iterator<Item = bool> {
    (0..view.data.len()).map(|k| view.data.scalar(k).is_some_and(is_flaw))
}

/// The arrays of floating-point numbers that a launch writes, before it begins.
pub(super) fn outputs(program: &Program, kernel: &Kernel, args: &[Value]) -> Result<Vec<Output>, ValueError> {
    let mut outputs = Vec::new();
    for (&param, arg) in kernel.body.params.iter().zip(args) {
        let Value::Array(elements) = arg else { continue };
        let checked = elements.element_type().is_some_and(|ty: ElementType| ty.is_float() || ty.is_complex());
        let Some(span) = first_write(program, &kernel.body.block, param).filter(|_| checked) else {
            continue;
        };
        let before = array::read(&**elements, |view| array::collect(view.data.len(), flaws(&view)))?;
        let name = kernel.body.variables[param].name.clone();
        outputs.push(Output { array: arg.clone(), name, span, before });
    }
    Ok(outputs)
}

/// The error for the first element that was finite before the launch and is not now.
pub(super) fn check(outputs: Vec<Output>, kernel: &Rc<str>) -> Result<(), Fault> {
    for Output { array: output, name, span, before } in outputs {
        let Value::Array(elements) = &output else { continue };
        let found = array::read(&**elements, |view| {
            let at = flaws(&view).zip(&before).position(|(now, before)| now && !before)?;
            let number = view.data.scalar(at)?;
            let nan = number.as_f64().is_nan() || number.imaginary().is_nan();
            let strides = shape::strides(view.dims).into_iter().zip(view.dims);
            let index: Vec<String> = strides.map(|(step, n)| (at / step % n).to_string()).collect();
            let index = index.join(",");
            let flaw = if nan { "NaN" } else { "infinity" };
            Some(format!("{flaw} in {name}[{index}], size {}", shape::dims_text(view.dims)))
        });
        if let Some(text) = found {
            let fault = Fault::new(RunErrorKind::Value(ErrorKind::System), text);
            return Err(fault.at(kernel, span));
        }
    }
    Ok(())
}
