//! Verifies the schedules of kernels for devices.

use crate::ir::schedule::{DeviceSchedule, GridStride, Mapping, OnDevice};
use crate::ir::{Kernel, StmtKind, VarId};
use crate::types::ElementType;
use crate::types::known::{array_element, rank, scalar};

/// What is wrong with the schedule.
pub(super) fn problems(kernel: &Kernel) -> Vec<String> {
    let Some(OnDevice::Scheduled(DeviceSchedule { mapping, split, heap })) =
        kernel.schedule.device.as_deref()
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut require = |holds: bool, what: &str| {
        if !holds {
            found.push(format!("{}: {what}", kernel.name));
        }
    };
    match mapping {
        Mapping::RegisterTiles => require(kernel.strip.is_some(), "scheduled by tiles that it does not have"),
        Mapping::GridStride(grid_stride) => {
            require(!*heap, "a grid-stride loop whose threads make arrays");
            positions_alone(kernel, grid_stride, &mut require);
        }
        Mapping::Positions | Mapping::Blocks | Mapping::CooperativeGrid { .. } => {}
    }
    if let Some(split) = split {
        let stmt = kernel.body.block.get(split.at).map(|stmt| &stmt.kind);
        let is_loop = matches!(stmt, Some(StmtKind::For { range, .. })
            if scalar(&range.from.ty) == Some(ElementType::Int32));
        require(is_loop, "a split reduction of something that is no loop over integers");
        require(!split.accumulators.is_empty(), "a split reduction without accumulators");
        let known = |v: VarId| v.index() < kernel.body.variables.len();
        require(
            split.accumulators.iter().all(|each| known(each.variable)),
            "an accumulator that is no variable",
        );
    }
    found
}

fn positions_alone(kernel: &Kernel, grid_stride: &GridStride, require: &mut dyn FnMut(bool, &str)) {
    let GridStride { own, histograms, vector, gather } = grid_stride;
    let is_param = |array: VarId| kernel.body.params.contains(&array);
    let of_launch =
        |array: VarId| is_param(array) && rank(&kernel.body.variables[array].ty) == Some(kernel.rank);
    require(own.iter().all(|each| of_launch(each.array)), "own elements of an array with other dimensions");
    let element = |array: VarId| array_element(&kernel.body.variables[array].ty);
    let typed =
        histograms.iter().all(|each| is_param(each.array) && element(each.array) == Some(each.element));
    require(typed, "a histogram of another type");
    require(vector.is_power_of_two(), "a vector whose length is no power of two");
    require(!own.is_empty() || *gather, "a grid-stride loop for nothing");
}
