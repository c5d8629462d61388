//! Runs launches of outlined kernels twice, in a random order of positions and in order. Arrays and results must agree,
//! or the compiler has parallelised a loop that is not parallel.

use super::code::Code;
use super::error::{Fault, RunErrorKind};
use super::kernel::Request;
use super::machine::Machine;
use super::{ThreadOrder, messages};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::value::Value;
use quasar_devicelib::value::array::{self, ArrayBuf};
use quasar_devicelib::value::index::{Access, assign_all};
use std::rc::Rc;

/// Relative tolerance for reordered floating-point sums.
const TOLERANCE: f64 = 1e-3;

/// Snapshots of the arrays among values, to restore modified ones.
struct Elements(Vec<(usize, ArrayBuf)>);

impl Elements {
    /// `None` if a value holds anything but numbers.
    fn of(values: &[Value]) -> Result<Option<Elements>, Fault> {
        let mut found = Vec::new();
        for (k, value) in values.iter().enumerate() {
            match value {
                Value::Array(a) if a.element_type().is_some() => {
                    found.push((k, array::read(&**a, |view| view.to_buf())?));
                }
                Value::Scalar(_) => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(Elements(found)))
    }

    fn put_back(self, values: &[Value]) -> Result<(), Fault> {
        for (k, elements) in self.0 {
            assign_all(&values[k], &elements.into(), Access::default())?;
        }
        Ok(())
    }
}

impl Machine<'_> {
    /// Runs a launch both ways; the in-order results remain.
    pub(super) fn execute_twice(
        &mut self,
        code: &Rc<Code>,
        rank: usize,
        request: Request,
    ) -> Result<Vec<Value>, Fault> {
        let together = code.needs.block || code.needs.grid;
        let before = if together { None } else { Elements::of(&request.args)? };
        let Some(before) = before else { return self.execute(code, rank, request, false) };
        let order = self.options.order;
        if order == ThreadOrder::Serial {
            self.options.order = ThreadOrder::Random(self.launches as u64 + 1);
        }
        let mixed = self.execute(code, rank, request.clone(), false);
        self.options.order = order;
        let after = Elements::of(&request.args)?;
        before.put_back(&request.args)?;
        let args = request.args.clone();
        let in_order = self.execute(code, rank, request, true)?;
        // An error that occurs in one order only is not an error of the program.
        let (Ok(mixed), Some(after)) = (mixed, after) else { return Ok(in_order) };
        for (k, found) in after.0 {
            let Value::Array(a) = &args[k] else { continue };
            let expected = array::read(&**a, |view| view.to_buf())?;
            let count = expected.data.view().len();
            let element = |buf: &ArrayBuf, at: usize| buf.data.view().scalar(at);
            let differs = (0..count).find(|at| !alike(element(&found, *at), element(&expected, *at)));
            if let Some(at) = differs {
                let name = code.params.get(k).and_then(|slot| code.names.get(*slot as usize));
                let values = [element(&found, at), element(&expected, at)];
                return Err(messages::orders_differ(
                    name.map_or("", |name| name),
                    &expected.dims,
                    at,
                    values,
                ));
            }
        }
        match mixed.iter().zip(&in_order).all(|(a, b)| alike(a.as_scalar(), b.as_scalar())) {
            true => Ok(in_order),
            false => Err(Fault::new(RunErrorKind::Internal, messages::RESULTS_DIFFER)),
        }
    }
}

/// Whether two numbers agree up to the rounding of sums.
fn alike(a: Option<Scalar>, b: Option<Scalar>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a.is_none() == b.is_none() };
    let floats = !a.element_type().is_integer();
    let (x, y) = (a.as_f64(), b.as_f64());
    a == b
        || floats && (x.is_nan() && y.is_nan() || (x - y).abs() <= TOLERANCE * x.abs().max(y.abs()).max(1.0))
}
