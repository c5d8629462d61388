//! Whether a launch may be partitioned over several devices: each device gets whole rows of positions, and with them
//! the same rows of all written arrays, which no other device may access.

use super::access_pattern::beyond_own_rows;
use crate::ir::barriers::has_grid_barriers;
use crate::ir::{Kernel, Program};

/// Why a single device must run all positions of a kernel, if so.
pub fn obstacle(program: &Program, kernel: &Kernel) -> Option<String> {
    if !kernel.parallel {
        return Some("its positions are visited in order".into());
    }
    if !kernel.body.results.is_empty() {
        return Some("it has results".into());
    }
    if has_grid_barriers(&kernel.body.block) {
        return Some("its blocks wait for each other".into());
    }
    let array = beyond_own_rows(program, kernel)?;
    let name = &kernel.body.variables[array].name;
    Some(format!("'{name}' is written, and used at other places than the row of the position"))
}
