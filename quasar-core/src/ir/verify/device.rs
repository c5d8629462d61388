//! Verifies the schedules of kernels for devices.

use crate::ir::numbers::NodeNumbers;
use crate::ir::rewrite::visit_stmts;
use crate::ir::schedule::{BlockLoops, BlockTile, DeviceSchedule, GridStride, HeapScopes, Mapping, OnDevice};
use crate::ir::{Kernel, Stmt, StmtKind, Storage, VarId};
use crate::types::ElementType;
use crate::types::known::{array_element, rank, scalar};

/// What is wrong with the schedule.
pub(super) fn problems(kernel: &Kernel) -> Vec<String> {
    let Some(OnDevice::Scheduled(schedule)) = &kernel.schedule.device else { return Vec::new() };
    let DeviceSchedule { mapping, split, block, tile, heap, shared, versions } = schedule.as_ref();
    let mut found = Vec::new();
    let mut require = |holds: bool, what: &str| {
        if !holds {
            found.push(format!("{}: {what}", kernel.name));
        }
    };
    match mapping {
        Mapping::RegisterTiles => require(kernel.strip.is_some(), "scheduled by tiles that it does not have"),
        Mapping::GridStride(grid_stride) => {
            require(!heap.used, "a grid-stride loop whose threads make arrays");
            positions_alone(kernel, grid_stride, &mut require);
        }
        Mapping::Positions | Mapping::Blocks | Mapping::CooperativeGrid { .. } => {}
    }
    scopes_of_loops(kernel, &heap.kernel, &mut require);
    let is_shared = |v: &VarId| {
        kernel.body.variables.iter().any(|(id, each)| id == *v && each.storage == Storage::Shared)
    };
    require(shared.keys().all(is_shared), "memory of blocks for an array that is not shared");
    for (version, body) in versions.all(kernel) {
        let count = body.map(|body| NodeNumbers::of(&body.block).access_count());
        require(count == Some(version.accesses.len()), "a version of other code");
    }
    if let Some(block) = block {
        block_of_threads(kernel, block, &mut require);
    }
    if let Some(tile) = tile {
        tile_of_block(kernel, tile, &mut require);
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

/// Threads share loops, which accumulate variables of the code; the first one stores what is stored otherwise.
fn block_of_threads(kernel: &Kernel, block: &BlockLoops, require: &mut dyn FnMut(bool, &str)) {
    let body = &block.body;
    require(body.params == kernel.body.params, "a block of threads with other parameters");
    let numbers = NodeNumbers::of(&body.block);
    let (mut loops, mut stores) = (Vec::new(), Vec::new());
    visit_stmts(&body.block, &mut |stmt| match &stmt.kind {
        StmtKind::For { range, .. } if scalar(&range.from.ty) == Some(ElementType::Int32) => {
            loops.extend(numbers.stmt(stmt));
        }
        StmtKind::Store { .. } | StmtKind::Update { .. } => stores.extend(numbers.stmt(stmt)),
        _ => {}
    });
    require(!block.loops.is_empty(), "a block of threads that share nothing");
    let shared = block.loops.keys().all(|number| loops.contains(number));
    require(shared, "a shared statement that is no loop over integers");
    require(block.first.iter().all(|number| stores.contains(number)), "a thread alone with what is no store");
    let known = |v: VarId| v.index() < body.variables.len();
    let accumulated =
        block.loops.values().flat_map(|each| &each.accumulators).all(|each| known(each.variable));
    require(accumulated, "an accumulator that is no variable");
}

/// Loops in loops compute both factors, and grow one variable.
fn tile_of_block(kernel: &Kernel, tile: &BlockTile, require: &mut dyn FnMut(bool, &str)) {
    let BlockTile { body, at, rows, columns, sum, iterations } = tile;
    require(body.params == kernel.body.params, "a tile of a block with other parameters");
    let apart = rows.axes.iter().all(|axis| !columns.axes.contains(axis));
    let known = rows.axes.iter().chain(&columns.axes).all(|axis| *axis < kernel.rank);
    let both = !rows.axes.is_empty() && !columns.axes.is_empty();
    require(apart && known && both, "rows and columns of a tile that are no components of the position");
    let (mut loops, mut block) = (0, body.block.get(*at..=*at).unwrap_or_default());
    while let [Stmt { kind: StmtKind::For { body, .. }, .. }] = block {
        loops += 1;
        block = body;
    }
    require(loops == iterations.len() && loops > 0, "a tile of a block with other loops");
    let set = block.iter().map(|stmt| match &stmt.kind {
        StmtKind::Assign { variable, .. } => Some(*variable),
        _ => None,
    });
    let wanted = [rows.variable, columns.variable, *sum].map(Some);
    require(set.eq(wanted), "a tile of a block that is no contraction");
}

/// Iterations, and nothing else, free what they allocate.
fn scopes_of_loops(kernel: &Kernel, scopes: &HeapScopes, require: &mut dyn FnMut(bool, &str)) {
    if scopes.loops.is_empty() {
        return;
    }
    let (numbers, mut loops) = (NodeNumbers::of(&kernel.body.block), Vec::new());
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. }) {
            loops.extend(numbers.stmt(stmt));
        }
    });
    require(
        scopes.loops.iter().all(|number| loops.contains(number)),
        "memory that goes back behind something that is no loop",
    );
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
