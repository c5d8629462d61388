//! Messages of run-time errors that the interpreter itself detects.

use super::error::{Fault, RunErrorKind};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::kernel::BlockError;
use quasar_devicelib::kernel::groups;
use quasar_devicelib::value::{ErrorKind, Value, ValueError, error, format, shape};

pub(super) fn unassigned(name: &str) -> Fault {
    Fault::new(RunErrorKind::Unassigned, error::unset(name))
}

pub(super) fn no_number(found: &str) -> Fault {
    Fault::new(RunErrorKind::Value(ErrorKind::Type), format!("expected a number, found {found}"))
}

pub(super) fn wrong_type(expected: &str, found: &str) -> Fault {
    Fault::new(
        RunErrorKind::Value(ErrorKind::Type),
        format!("Type check failed: '{found}' is not '{expected}'"),
    )
}

pub(super) fn size_constraint(expected: &str, found: &[usize]) -> Fault {
    let text = format!("size constraint violated: expected {expected}, got {}", shape::dims_text(found));
    Fault::new(RunErrorKind::Value(ErrorKind::Shape), text)
}

pub(super) fn ragged(first: &[usize], other: &[usize]) -> Fault {
    let text = format!(
        "rows of different sizes: {} and {}; all parts of a matrix must have one size",
        shape::dims_text(first),
        shape::dims_text(other)
    );
    Fault::new(RunErrorKind::Value(ErrorKind::Shape), text)
}

pub(super) fn step_limit(limit: u64) -> Fault {
    Fault::new(RunErrorKind::Limit, format!("stopped after {limit} steps, the limit that was set"))
}

pub(super) fn launch_depth(limit: usize) -> Fault {
    Fault::new(RunErrorKind::Limit, format!("launches are nested more than {limit} deep"))
}

pub(super) fn too_many_threads(count: u128, limit: usize) -> Fault {
    let text =
        format!("{count} threads must run together at a barrier, more than {limit}; launch fewer threads");
    Fault::new(RunErrorKind::Limit, text)
}

pub(super) fn block(error: BlockError) -> Fault {
    Fault::new(RunErrorKind::Value(ErrorKind::Argument), error.to_string())
}

pub(super) fn extents(text: String) -> Fault {
    Fault::new(RunErrorKind::Value(ErrorKind::Argument), text)
}

pub(super) fn grid_too_large() -> Fault {
    Fault::new(RunErrorKind::Limit, "the launch has more positions than can be counted")
}

pub(super) fn divergent(waiting: &str, other: &str) -> Fault {
    let text = format!(
        "divergent barrier: {waiting}, while {other}; all threads of a block must reach the same barrier"
    );
    Fault::new(RunErrorKind::Divergence, text)
}

pub(super) fn no_meeting(waiting: &str, why: &str) -> Fault {
    let text = format!("{waiting}: {}; {why}", groups::missing());
    Fault::new(RunErrorKind::Divergence, text)
}

pub(super) fn barrier_outside_kernel() -> Fault {
    internal("a barrier outside a kernel launch")
}

pub(super) fn not_callable(found: &str) -> Fault {
    Fault::new(RunErrorKind::Value(ErrorKind::Type), format!("expected a function to call, found {found}"))
}

pub(super) fn result_count(function: &str, expected: usize, found: usize) -> Fault {
    let text = format!("'{function}' gives {found} values where {expected} are taken");
    Fault::new(RunErrorKind::Value(ErrorKind::Argument), text)
}

pub(super) fn argument_count(function: &str, expected: usize, found: usize) -> Fault {
    let text = format!("'{function}' takes {expected} arguments, found {found}");
    Fault::new(RunErrorKind::Value(ErrorKind::Argument), text)
}

pub(super) fn no_such_export(name: &str) -> Fault {
    Fault::new(RunErrorKind::Value(ErrorKind::Unknown), format!("the program exports no function '{name}'"))
}

pub(super) fn no_main() -> Fault {
    Fault::new(RunErrorKind::Value(ErrorKind::Unknown), "the program has no function 'main'")
}

pub(super) fn internal(what: impl std::fmt::Display) -> Fault {
    Fault::new(RunErrorKind::Internal, format!("internal error: {what}"))
}

pub(super) fn wrong_text(said: String) -> Fault {
    Fault::new(RunErrorKind::Value(ErrorKind::Argument), format!("eval: {said}"))
}

pub(super) fn text_depth(limit: usize) -> Fault {
    let text = format!("eval: texts are evaluated inside of texts more than {limit} deep");
    Fault::new(RunErrorKind::Limit, text)
}

pub(super) fn no_text(found: &str) -> Fault {
    Fault::new(RunErrorKind::Value(ErrorKind::Type), format!("'eval' takes a text, found '{found}'"))
}

pub(super) fn no_compiler() -> Fault {
    let text = "eval: the program was compiled without what texts are compiled with";
    Fault::new(RunErrorKind::Value(ErrorKind::System), text)
}

pub(super) fn called_outside(function: &str) -> ValueError {
    let text = format!("{function} cannot be called by a library function here");
    ValueError::new(ErrorKind::Unknown, text)
}

/// The error of a launch whose results depend on the order.
pub(super) const RESULTS_DIFFER: &str =
    "the loop gives another result in parallel than in order; write {!serial for} before it, and report this";

pub(super) fn orders_differ(array: &str, dims: &[usize], at: usize, values: [Option<Scalar>; 2]) -> Fault {
    let mut index = Vec::new();
    let mut rest = at;
    for extent in dims.iter().rev() {
        index.push((rest % (*extent).max(1)).to_string());
        rest /= (*extent).max(1);
    }
    index.reverse();
    let [found, expected] = values.map(|x| x.map_or_else(String::new, |x| format::print(&Value::Scalar(x))));
    let text = format!(
        "the loop does something else in parallel than in order: {array}[{}] is {found} instead of {expected}; write {{!serial for}} before it, and report this",
        index.join(",")
    );
    Fault::new(RunErrorKind::Internal, text)
}
