//! The schedules of kernels in words.

use super::{Reason, Report, Topic};
use crate::ir::barriers::waits;
use crate::ir::rewrite::visit_stmts;
use crate::ir::schedule::{Contraction, DeviceSchedule, GridStride, Mapping, OnDevice, Staged};
use crate::ir::{Kernel, KernelId, NoCopy, Program, StmtKind};
use std::collections::BTreeSet;

/// How the processor and devices run a kernel, and what launches of it need not copy.
pub(super) fn reasons(report: &Report, id: KernelId) -> Vec<Reason> {
    let host = &report.trace.host.kernels[id];
    let mut found = Vec::new();
    if let Some(kernel) = kernel(&report.trace.processor, id, host) {
        let strips = in_strips(report, id).map(|with| format!("; {with}")).unwrap_or_default();
        let boxes = written_out(&report.trace.processor, &kernel.name);
        let how = match boxes {
            Some((boxes, positions)) => {
                format!("{positions} positions of the last dimensions written out; {}", on_processor(boxes))
            }
            None => on_processor(kernel),
        };
        found.push(Reason::new(Topic::Processor, how + &strips));
    }
    if let Some(kernel) = kernel(&report.trace.devices, id, host) {
        found.push(on_devices(report, kernel));
    }
    let free: Vec<String> = host
        .body
        .params
        .iter()
        .map(|param| &host.body.variables[*param])
        .filter_map(|param| match param.nocopy {
            NoCopy::Unknown => None,
            NoCopy::Declared => Some(format!("{}, as it declares", shown(&param.name))),
            NoCopy::Inferred => Some(format!("{}, which is written before it is read", shown(&param.name))),
        })
        .collect();
    if !free.is_empty() {
        let text = format!("devices need not get the old elements of {}", free.join(" and of "));
        found.push(Reason::new(Topic::Copies, text));
    }
    found
}

/// A name of the IR: what a pass made has none in the source.
fn shown(name: &str) -> String {
    if name.starts_with('$') { "the result".to_string() } else { format!("'{name}'") }
}

/// The kernel in the program of a target.
fn kernel<'a>(program: &'a Program, id: KernelId, same: &Kernel) -> Option<&'a Kernel> {
    let mut kernels = program.kernels.iter();
    kernels.find(|(other, kernel)| *other == id && kernel.name == same.name).map(|(_, kernel)| kernel)
}

/// The kernel that does several positions of one with this name for each of its own, and how many.
fn written_out<'a>(program: &'a Program, name: &str) -> Option<(&'a Kernel, u32)> {
    program.kernels.iter().find_map(|(_, kernel)| {
        let boxes = kernel.schedule.written_out.as_ref().filter(|boxes| boxes.of == name)?;
        Some((kernel, boxes.positions))
    })
}

/// The launches with which those of a kernel go strip by strip, and what is between them.
fn in_strips(report: &Report, id: KernelId) -> Option<String> {
    let program = &report.trace.processor;
    let mut found = None;
    for (_, function) in program.functions.iter() {
        visit_stmts(&function.body.block, &mut |stmt| {
            let StmtKind::Strips { buffers, body } = &stmt.kind else { return };
            let mut kernels = BTreeSet::new();
            visit_stmts(body, &mut |stmt| {
                if let StmtKind::Launch { kernel, .. } = &stmt.kind {
                    kernels.insert(*kernel);
                }
            });
            if !kernels.remove(&id) {
                return;
            }
            let others: Vec<String> =
                kernels.iter().map(|other| report.place(program.kernels[*other].span)).collect();
            let names: Vec<String> =
                buffers.iter().map(|v| shown(&function.body.variables[*v].name)).collect();
            let buffers = match names.as_slice() {
                [one] => format!("{one} is a line buffer"),
                names => format!("{} are line buffers", names.join(", ")),
            };
            found = Some(format!(
                "where arrays do not fit the cache, strip by strip with the launches of {}: {buffers}",
                others.join(", ")
            ));
        });
    }
    found
}

fn on_processor(kernel: &Kernel) -> String {
    let schedule = &kernel.schedule;
    let mut parts = vec![
        match (kernel.parallel, waits(&kernel.body.block)) {
            (false, _) => "one thread, positions in row-major order",
            (true, true) => {
                "threads share the blocks, all positions of a block reach a barrier before any goes on"
            }
            (true, false) => "threads share the rows of positions",
        }
        .to_string(),
    ];
    if kernel.aliased {
        parts.push("arrays may be one another".to_string());
    }
    if schedule.boxes.is_some() {
        parts.push("the elements of a position taken whole, where arrays have no others".to_string());
    }
    if let Some(vector) = &schedule.vector {
        let lanes = vector.widest.unwrap_or(vector.lanes);
        parts.push(format!("vectors of {lanes} neighbouring positions"));
        for array in &vector.interleaved {
            let name = &kernel.body.variables[array.array].name;
            parts.push(format!("'{name}' interleaved by {}", array.elements));
        }
    }
    if !schedule.intervals.is_empty() {
        parts.push("between barriers, neighbouring threads of a block go by lanes".to_string());
    }
    if schedule.linearized {
        parts.push("all positions as one row where they lie side by side in all arrays".to_string());
    }
    if let Some(vector) = &schedule.collapsed {
        parts.push(format!("the last two dimensions collapsed, in vectors of {}", vector.lanes));
    }
    if let Some(tile) = &schedule.tile {
        let lanes = tile.vector.lanes;
        parts.push(format!(
            "register tiles of {} rows along dimension {} by {lanes} positions",
            tile.rows, tile.axis
        ));
    }
    if let Some(contraction) = &schedule.contraction {
        let Contraction { rows, axis, whole, .. } = contraction.as_ref();
        parts.push(format!(
            "where there are enough positions, factors packed for tiles of {rows} rows along dimension {axis} by {} positions",
            whole.lanes
        ));
    }
    if let Some(tile) = &schedule.position_tile {
        parts.push(format!(
            "positions in tiles of {} by {} along dimension {}, since rows cross those of an array",
            tile.rows, tile.columns, tile.axis
        ));
    }
    if schedule.origin.iter().any(|first| *first != 0) {
        parts.push(format!("positions from {:?}", schedule.origin));
    }
    for bands in &schedule.bands {
        let beside = if bands.read.is_empty() { "" } else { ", beside rows that all read" };
        let name = &kernel.body.variables[bands.array].name;
        parts.push(format!("'{name}' divided into bands of rows{beside}"));
    }
    for accumulator in &kernel.accumulators {
        let name = shown(&kernel.body.variables[accumulator.variable].name);
        parts.push(format!("partial results of {name} joined by {}", accumulator.row.name));
    }
    parts.join("; ")
}

fn on_devices(report: &Report, kernel: &Kernel) -> Reason {
    let Some(device) = &kernel.schedule.device else {
        return Reason::new(Topic::Devices, "nothing was decided for devices");
    };
    let mut reason = Reason::new(Topic::Devices, String::new());
    match device {
        OnDevice::Refused { span, what } => {
            reason.text = format!("not on devices: {what}");
            reason.related.push((*span, "because of this".to_string()));
        }
        OnDevice::Scheduled(schedule) => {
            reason.text = mapping(&schedule.mapping);
            if schedule.split.is_some() {
                reason.text +=
                    "; for few positions a version in which threads share a loop (split reduction)";
            }
            if let Some(block) = &schedule.block {
                let when = if block.along_rows { "for rows and few positions" } else { "for few positions" };
                let loops = match block.loops.len() {
                    1 => "a loop".to_string(),
                    count => format!("{count} loops"),
                };
                reason.text += &format!("; {when} a version in which the threads of a block share {loops}");
            }
            if let Some(tile) = &schedule.tile {
                let axes = |staged: &Staged| {
                    staged.axes.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ")
                };
                reason.text += &format!(
                    "; a version with a block of threads for each tile of rows (dimension {}) and columns (dimension {}), \
                     whose factors are staged in shared memory",
                    axes(&tile.rows),
                    axes(&tile.columns)
                );
            }
            if schedule.heap.used {
                reason.text += "; threads allocate arrays from a heap";
            }
            if let Some(tile) = &kernel.strip {
                reason.text += &format!("; register tiles of {} positions, {} apart", tile.rows, tile.apart);
            }
            if let Some(block) = &kernel.attributes.block {
                let sizes: Vec<String> = block.iter().map(u32::to_string).collect();
                reason.text += &format!("; blocks of {}", sizes.join("x"));
            }
            reason.text += &versions(kernel, schedule);
            for (variable, elements) in &schedule.shared {
                let name = &kernel.body.variables[*variable].name;
                reason.text += &match elements {
                    Some(elements) => format!("; '{name}' has {elements} elements of shared memory"),
                    None => format!("; '{name}' takes shared memory whose size the launch chooses"),
                };
            }
        }
    }
    reason.related.retain(|(span, _)| span.file == report.document.root && span.start < span.end);
    reason
}

/// How positions map to threads, in words.
fn mapping(mapping: &Mapping) -> String {
    let GridStride { own, histograms, vector, gather } = match mapping {
        Mapping::Positions => return "a thread per position".to_string(),
        Mapping::RegisterTiles => return "a thread per register tile".to_string(),
        Mapping::Blocks => return "a thread per position, in whole blocks".to_string(),
        Mapping::CooperativeGrid { walks: false } => {
            return "all blocks at once (cooperative grid)".to_string();
        }
        Mapping::CooperativeGrid { walks: true } => {
            return "all blocks at once, each for several logical blocks (cooperative grid)".to_string();
        }
        Mapping::GridStride(schedule) => schedule,
    };
    let mut text = format!("blocks that loop over all positions (grid stride), {vector} elements at a time");
    let s = |count: usize| if count == 1 { "" } else { "s" };
    if !own.is_empty() {
        text += &format!(", own elements of {} array{} in registers", own.len(), s(own.len()));
    }
    if !histograms.is_empty() {
        text += &format!(", {} histogram{} in shared memory", histograms.len(), s(histograms.len()));
    }
    if *gather {
        text += ", partial results joined per block";
    }
    text
}

/// The versions of the code that need no tests of indices.
fn versions(kernel: &Kernel, schedule: &DeviceSchedule) -> String {
    match schedule.versions.all(kernel).count() {
        0 => String::new(),
        1 => "; a version of the code needs no tests of indices".to_string(),
        count => format!("; {count} versions of the code need no tests of indices"),
    }
}
