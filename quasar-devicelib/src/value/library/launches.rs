//! Sizes of blocks, as launches choose and allow them.

use super::{Call, Function, function};
use crate::kernel::{MAX_BLOCK, default_block};
use crate::value::{ArrayBuf, Value, ValueError};

pub(super) static FUNCTIONS: &[Function] =
    &[function("max_block_size", 0, 1, max_block_size), function("opt_block_size", 0, 1, opt_block_size)];

/// The extents in the only argument; none without one.
fn extents(c: &Call<'_>) -> Result<Option<Vec<usize>>, ValueError> {
    if c.args.is_empty() {
        return Ok(None);
    }
    let given = c.integers(0)?;
    let positive = given.iter().map(|&n| usize::try_from(n).ok().filter(|&n| n > 0)).collect::<Option<_>>();
    positive.map(Some).ok_or_else(|| c.error(format!("extents must be positive, found {given:?}")))
}

/// The largest block that a device allows: the requested one, its longest side halved until it is small enough.
fn max_block_size(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let mut block = extents(c)?.unwrap_or_else(|| vec![32, MAX_BLOCK / 32]);
    while block.iter().try_fold(1usize, |n, &extent| n.checked_mul(extent)).is_none_or(|n| n > MAX_BLOCK) {
        let Some(longest) = block.iter_mut().max() else { break };
        *longest = longest.div_ceil(2);
    }
    Ok(vec![ArrayBuf::ints(block).into()])
}

/// The block of a launch that asks for none.
fn opt_block_size(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let dims = extents(c)?.unwrap_or_else(|| vec![MAX_BLOCK, MAX_BLOCK]);
    Ok(vec![ArrayBuf::ints(default_block(&dims)).into()])
}
