//! Where a program wants the launches that follow: codes that it keeps in variables, to go back to. The functions here are
//! those of a host without devices; a run-time system with devices has its own of these names.

use super::{Call, Function, function};
use crate::value::{Value, ValueError};

/// The run-time system decides. Codes from 0 on are numbers of GPUs.
pub const AUTOMATIC: i32 = -1;
/// The CPU.
pub const CPU: i32 = -2;
/// A GPU.
pub const GPU: i32 = -3;

/// `place_launches(code)` gives the code before, `place_launches_on_gpu(index)` and `place_launches_in_turn(turn)` too.
pub(super) static FUNCTIONS: &[Function] = &[
    function("place_launches", 1, 1, nowhere),
    function("place_launches_on_gpu", 1, 1, |c| {
        let index = c.integers(0)?;
        index.iter().try_for_each(|&index| check_gpu(i32::try_from(index).unwrap_or(i32::MAX)))?;
        nowhere(c)
    }),
    function("place_launches_in_turn", 1, 1, nowhere),
];

fn nowhere(_: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    Ok(vec![Value::int(i64::from(AUTOMATIC))])
}

/// Whether a GPU may have this number.
pub fn check_gpu(index: i32) -> Result<(), ValueError> {
    if index >= 0 {
        return Ok(());
    }
    Err(ValueError::argument("sched", format!("the number of a GPU must not be negative, found {index}")))
}
