//! What threads of a warp do together, for the virtual device, whose warps have one thread.

use super::{Call, Function, function};
use crate::element::Scalar;
use crate::kernel::groups as of;
use crate::value::{Value, ValueError};

pub(super) static FUNCTIONS: &[Function] = &[
    function("group_lanes", 0, 0, |_| given(Scalar::U32(of::group_lanes()))),
    function("group_of_block", 0, 0, |_| given(Scalar::U32(of::group_of_block()))),
    function("group_partition", 2, 2, |c| given(Scalar::U32(of::group_partition(lanes(c)?, int(c, 1)?)))),
    function("group_rank", 1, 1, |c| given(Scalar::I32(of::group_rank(lanes(c)?)))),
    function("group_size", 1, 1, |c| given(Scalar::I32(of::group_size(lanes(c)?)))),
    function("group_sync", 1, 1, |_| Ok(Vec::new())),
    function("group_shuffle", 3, 3, |c| Ok(vec![of::group_shuffle(lanes(c)?, value(c)?, int(c, 2)?)])),
    function("group_shuffle_up", 3, 3, |c| Ok(vec![of::group_shuffle_up(lanes(c)?, value(c)?, int(c, 2)?)])),
    function("group_shuffle_down", 3, 3, |c| {
        Ok(vec![of::group_shuffle_down(lanes(c)?, value(c)?, int(c, 2)?)])
    }),
    function("group_shuffle_xor", 3, 3, |c| {
        Ok(vec![of::group_shuffle_xor(lanes(c)?, value(c)?, int(c, 2)?)])
    }),
    function("group_all", 2, 2, |c| given(Scalar::I32(of::group_all(lanes(c)?, int(c, 1)?)))),
    function("group_any", 2, 2, |c| given(Scalar::I32(of::group_any(lanes(c)?, int(c, 1)?)))),
    function("group_ballot", 2, 2, |c| given(Scalar::U32(of::group_ballot(lanes(c)?, int(c, 1)?)))),
    function("group_match_any", 2, 2, |c| given(Scalar::U32(of::group_match_any(lanes(c)?, value(c)?)))),
    function("group_match_all", 2, 2, |c| given(Scalar::U32(of::group_match_all(lanes(c)?, value(c)?)))),
];

fn given(value: Scalar) -> Result<Vec<Value>, ValueError> {
    Ok(vec![Value::Scalar(value)])
}

fn value(c: &Call<'_>) -> Result<Value, ValueError> {
    c.args.get(1).cloned().ok_or_else(|| c.error("a value is missing"))
}

fn number(c: &Call<'_>, k: usize) -> Result<Scalar, ValueError> {
    match c.args.get(k) {
        Some(Value::Scalar(value)) => Ok(*value),
        _ => Err(c.error("a number is missing")),
    }
}

fn lanes(c: &Call<'_>) -> Result<u32, ValueError> {
    number(c, 0).map(|value| value.as_f64() as u32)
}

fn int(c: &Call<'_>, k: usize) -> Result<i32, ValueError> {
    number(c, k).map(|value| value.as_f64() as i32)
}
