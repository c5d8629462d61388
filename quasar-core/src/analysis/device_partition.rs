//! Whether a launch may be partitioned over several devices: each device gets whole rows of positions, and with them
//! the same rows of all written arrays, which no other device may access. What all positions only add to is added up by each
//! device for itself, and then together.

use super::access_pattern::{AccessPattern, beyond_own_rows, reaches};
use crate::ir::barriers::has_grid_barriers;
use crate::ir::{Kernel, Program, VarId};
use crate::types::ElementType;
use crate::types::known::array_element;

/// Why a single device must run all positions of a kernel, if so.
pub fn obstacle(program: &Program, kernel: &Kernel) -> Option<String> {
    if !kernel.parallel {
        return Some("its positions are visited in order".into());
    }
    let accumulated = |result: &VarId| kernel.accumulators.iter().any(|each| each.variable == *result);
    if !kernel.body.results.iter().all(accumulated) {
        return Some("it has results that are no sums, products, minima or maxima".into());
    }
    if has_grid_barriers(&kernel.body.block) {
        return Some("its blocks wait for each other".into());
    }
    let sums = accumulated_arrays(program, kernel);
    let array = beyond_own_rows(program, kernel).into_iter().find(|array| !sums.contains(array))?;
    let name = &kernel.body.variables[array].name;
    Some(format!("'{name}' is written, and used at other places than the row of the position"))
}

/// Whether a launch on some rows of the positions of a kernel is a part of the whole launch, as far as the arrays that it writes allow.
pub fn has_parts(kernel: &Kernel) -> bool {
    let accumulated = |result: &VarId| kernel.accumulators.iter().any(|each| each.variable == *result);
    kernel.parallel && kernel.body.results.iter().all(accumulated) && !has_grid_barriers(&kernel.body.block)
}

/// The arrays to which a kernel only adds, anywhere, with elements whose sums of sums are sums.
pub fn accumulated_arrays(program: &Program, kernel: &Kernel) -> Vec<VarId> {
    let adds = |array: &VarId| {
        let element = array_element(&kernel.body.variables[*array].ty);
        matches!(element, Some(ElementType::Int32 | ElementType::Single | ElementType::Double))
    };
    let all = reaches(program, kernel).into_iter();
    let sums = all.filter(|(_, pattern)| matches!(pattern, AccessPattern::Histogram(_)));
    sums.map(|(array, _)| array).filter(adds).collect()
}
