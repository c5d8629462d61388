//! Where a program wants the launches that follow. The functions here are those of a host without devices; a run-time system with
//! devices has its own of these names.

use super::{Call, Function, function};
use crate::value::affinity::{AUTOMATIC, check_gpu};
use crate::value::{Value, ValueError};

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
