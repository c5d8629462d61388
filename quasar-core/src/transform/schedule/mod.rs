//! Schedules of kernels, as [`ir::schedule`](crate::ir::schedule) holds them.

mod block_loops;
mod block_tile;
mod boxes;
mod carried_elements;
mod columns;
mod contraction;
mod device;
mod factors;
mod few_elements;
pub(super) mod interchange;
mod interior;
mod interleave;
mod intervals;
mod legality;
mod linearize;
mod long_arrays;
mod long_columns;
mod loop_versioning;
pub(super) mod order_components;
mod origin;
pub(super) mod own_element;
pub(super) mod plain_nests;
mod position_tile;
pub(super) mod ranks;
mod scattered;
mod short_rows;
mod store_vectors;
mod strips;
mod triangles;
mod unroll_and_jam;
mod unswitch;
mod untested;
mod updates;
mod vectorize;
mod vectorize_loops;

use crate::analysis::access_pattern::{self, AccessPattern};
use crate::analysis::bands::bands;
use crate::analysis::operations::operations;
use crate::analysis::param_aliasing;
use crate::ir::schedule::OnDevice;
use crate::ir::versions::CodeVersions;
use crate::ir::{Kernel, Program};
use crate::parallel;

/// Moves the first positions of kernels to where they write.
pub(super) fn move_origins(program: &mut Program) {
    settle_conflicts(program);
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, origin::run);
}

/// Counts the operations of positions, for profiles.
pub(super) fn count_operations(program: &mut Program) {
    let found = parallel::map(program.kernels.ids().collect(), |kernel| {
        operations(program, &program.kernels[kernel])
    });
    for ((_, kernel), found) in program.kernels.iter_mut().zip(found) {
        kernel.schedule.operations = found;
    }
}

/// Keeps elements that belong to one position in variables while loops go on.
pub(super) fn scalar_replacement(program: &mut Program) {
    settle_conflicts(program);
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, own_element::run);
}

/// Makes versions of kernels without tests of indices, for launches that stay inside their arrays.
pub(super) fn untested_versions(program: &mut Program) {
    untested::run(program);
}

/// Keeps what an iteration writes and the next one reads in variables.
pub(super) fn carry_elements(program: &mut Program) {
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, carried_elements::run);
}

/// Whether aliasing parameters are an error does not depend on what the passes do.
fn settle_conflicts(program: &mut Program) {
    let conflicts = parallel::map(program.kernels.ids().collect(), |kernel| {
        let kernel = &program.kernels[kernel];
        kernel.schedule.conflicts.clone().unwrap_or_else(|| param_aliasing::conflicts(program, kernel))
    });
    for ((_, kernel), conflicts) in program.kernels.iter_mut().zip(conflicts) {
        kernel.schedule.conflicts = Some(conflicts);
    }
}

/// Whether a kernel would have vectors of neighbouring positions, which go through loops together.
pub(super) fn has_vectors(program: &Program, mut kernel: Kernel) -> bool {
    own_element::run(&mut kernel);
    vectorize::has_vectors(program, &kernel)
}

/// Chooses the vectors of all kernels, which arrays are divided into bands, and what short rows do.
pub(super) fn choose_vectors(program: &mut Program) {
    let bands = parallel::map(program.kernels.ids().collect(), |kernel| {
        let kernel = &program.kernels[kernel];
        let reaches = access_pattern::reaches(program, kernel).into_iter();
        let banded = reaches.filter(|(_, reach)| matches!(reach, AccessPattern::Bands { .. }));
        banded.filter_map(|(array, _)| bands(kernel, array)).collect()
    });
    for ((_, kernel), bands) in program.kernels.iter_mut().zip(bands) {
        kernel.schedule.bands = bands;
    }
    let linear = parallel::map(program.kernels.ids().collect(), |kernel| {
        linearize::choose(program, &program.kernels[kernel])
    });
    for ((_, kernel), linear) in program.kernels.iter_mut().zip(linear) {
        kernel.schedule.linearized = linear;
    }
    let choices = parallel::map(program.kernels.ids().collect(), |kernel| {
        vectorize::choose(program, &program.kernels[kernel])
    });
    for ((_, kernel), choice) in program.kernels.iter_mut().zip(choices) {
        choice.apply(kernel);
    }
    let found = parallel::map(program.kernels.ids().collect(), |kernel| {
        intervals::choose(program, &program.kernels[kernel])
    });
    for ((_, kernel), found) in program.kernels.iter_mut().zip(found) {
        found.apply(kernel);
    }
    let boxes = parallel::map(program.kernels.ids().collect(), |kernel| {
        boxes::choose(program, &program.kernels[kernel])
    });
    for ((_, kernel), found) in program.kernels.iter_mut().zip(boxes) {
        let Some((boxes, variables)) = found else { continue };
        variables.into_iter().for_each(|variable| {
            kernel.body.variables.push(variable);
        });
        kernel.schedule.boxes = Some(Box::new(boxes));
    }
    let short = parallel::map(program.kernels.ids().collect(), |kernel| {
        short_rows::choose(program, &program.kernels[kernel])
    });
    for ((_, kernel), short) in program.kernels.iter_mut().zip(short) {
        kernel.schedule.short_rows = short.map(Box::new);
    }
}

/// Finds the kernels whose loops are contractions.
pub(super) fn pack_contractions(program: &mut Program) {
    let found = parallel::map(program.kernels.ids().collect(), |kernel| {
        contraction::choose(program, &program.kernels[kernel])
    });
    for ((_, kernel), found) in program.kernels.iter_mut().zip(found) {
        let Some((contraction, variables)) = found else { continue };
        variables.into_iter().for_each(|variable| {
            kernel.body.variables.push(variable);
        });
        kernel.schedule.contraction = Some(Box::new(contraction));
    }
}

/// Chooses the register tiles of all kernels with vectors.
pub(super) fn choose_tiles(program: &mut Program) {
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, |kernel| {
        unroll_and_jam::run(kernel);
        long_columns::run(kernel);
    });
}

/// Chooses the tiles in which kernels visit positions.
pub(super) fn choose_position_tiles(program: &mut Program) {
    for (_, kernel) in program.kernels.iter_mut() {
        kernel.schedule.position_tile = position_tile::choose(kernel);
    }
}

/// Takes branches that are the same in all iterations out of innermost loops.
pub(super) fn unswitch_loops(program: &mut Program) {
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, unswitch::run);
}

/// Makes long arrays of known size in memory where inner loops go along them.
pub(super) fn long_arrays(program: &mut Program) {
    program.kernels.iter_mut().for_each(|(_, kernel)| long_arrays::run(kernel));
}

/// Strip-mines the inner loops of kernels whose positions are not in vectors.
pub(super) fn vectorize_loops(program: &mut Program) {
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, vectorize_loops::run);
}

/// Lets strips of rows go through several launches.
pub(super) fn group_strips(program: &mut Program) {
    strips::run(program);
}

/// Chooses how devices run all kernels.
pub(super) fn schedule_device(program: &mut Program) {
    let choices = parallel::map(program.kernels.ids().collect(), |kernel| {
        device::choose(program, &program.kernels[kernel])
    });
    for ((_, kernel), choice) in program.kernels.iter_mut().zip(choices) {
        kernel.schedule.device = Some(choice);
    }
}

/// Finds the versions of kernels that need no tests of indices.
pub(super) fn version_loops(program: &mut Program) {
    let versions = parallel::map(program.kernels.ids().collect(), |kernel| {
        let kernel = &program.kernels[kernel];
        match kernel.schedule.device.as_ref() {
            Some(OnDevice::Scheduled(schedule)) => loop_versioning::versions(program, kernel, schedule),
            _ => CodeVersions::default(),
        }
    });
    for ((_, kernel), versions) in program.kernels.iter_mut().zip(versions) {
        if let Some(OnDevice::Scheduled(schedule)) = kernel.schedule.device.as_mut() {
            schedule.versions = versions;
        }
    }
}

/// Refuses kernels that devices have no form for.
pub(super) fn refuse_for_devices(program: &mut Program) {
    let refused = parallel::map(program.kernels.ids().collect(), |kernel| {
        let kernel = &program.kernels[kernel];
        match kernel.schedule.device.as_ref() {
            Some(OnDevice::Scheduled(schedule)) => legality::refused(program, kernel, schedule),
            _ => None,
        }
    });
    for ((_, kernel), refused) in program.kernels.iter_mut().zip(refused) {
        if let Some((span, what)) = refused {
            kernel.schedule.device = Some(OnDevice::Refused { span, what });
        }
    }
}
