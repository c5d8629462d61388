//! Prints the reduction at the end of kernels that depend on blocks. Each thread accumulates privately and its block
//! combines the values of its threads. The last block to arrive, found by an atomic counter, combines those of all
//! blocks and resets the counter to zero for the next launch.

use super::Malformed;
use super::lines::Lines;
use super::split_reduction::Value;
use super::types::suffix;
use crate::ir::Kernel;
use quasar_devicelib::device_text::results::{BYTES, COUNTERS, MOST_THREADS};

/// The statements at the end of a kernel with results; adds the parameters that they need. `thread` is the linear
/// thread index in a block of `threads` threads.
pub(super) fn combined(kernel: &Kernel, params: &mut Vec<String>) -> Result<Lines, Malformed> {
    let mut lines = Lines::at(1);
    let results =
        kernel.accumulators.iter().map(|each| Value::new(&kernel.body.variables, each, kernel.span));
    let values: Vec<Value> = results.collect::<Result<_, _>>()?;
    if values.is_empty() {
        return Ok(lines);
    }
    params.push("Q_GLOBAL q_u64* scratch".to_owned());
    for (k, value) in values.iter().enumerate() {
        params.push(format!("Q_GLOBAL q_{}* r{k}", suffix(value.element)));
        lines.push(format!("Q_SHARED_DECL {} all_{}[{MOST_THREADS}];", value.ty, value.name));
    }
    lines.push("Q_SHARED_DECL q_u32 arrived;");
    in_block(&mut lines, &values);
    lines.push("const q_u32 block = (Q_BLOCK(2) * Q_GRID_DIM(1) + Q_BLOCK(1)) * Q_GRID_DIM(0) + Q_BLOCK(0);");
    lines.push("const q_u32 blocks = Q_GRID_DIM(0) * Q_GRID_DIM(1) * Q_GRID_DIM(2);");
    lines.push("q_i32 last = 1;");
    lines.open("Q_UNIFORM_IF(blocks > 1u) {");
    in_launch(&mut lines, &values);
    lines.close("}");
    for (k, Value { name, .. }) in values.iter().enumerate() {
        lines.push(format!("if (last && thread == 0) r{k}[0] = all_{name}[0];"));
    }
    Ok(lines)
}

/// Tree reduction over the threads of a block, however many there are, into element 0 of the shared arrays.
fn in_block(lines: &mut Lines, values: &[Value]) {
    for value in values {
        lines.push(format!("all_{0}[thread] = {0};", value.name));
    }
    lines.push("Q_BARRIER();");
    lines.open(format!("for (q_i32 width = {}; width > 0; width /= 2) {{", MOST_THREADS / 2));
    lines.open("if (thread < width && thread + width < threads) {");
    for value in values {
        let all = format!("all_{}", value.name);
        let both = value.both(format!("{all}[thread]"), format!("{all}[thread + width]"));
        lines.push(format!("{all}[thread] = {both};"));
    }
    lines.close("}");
    lines.push("Q_BARRIER();");
    lines.close("}");
}

/// Combines the partial results of all blocks in the last one to arrive. Barriers stay out of branches, which some
/// OpenCL compilers miscompile; the other blocks leave early where that is safe.
fn in_launch(lines: &mut Lines, values: &[Value]) {
    let (first, count) = (COUNTERS / 2, values.len());
    let slot = |value: &Value, block: &str, k: usize| {
        // A struct cannot be volatile; the fences suffice.
        let volatile = if value.element.is_complex() { "" } else { "volatile " };
        let place = format!("scratch + {first} + ((q_u64)({block}) * {count} + {k}) * {}", BYTES / 8);
        format!("*({volatile}Q_GLOBAL {}*)({place})", value.ty)
    };
    lines.push("volatile Q_GLOBAL q_u32* counter = (volatile Q_GLOBAL q_u32*)scratch;");
    lines.open("if (thread == 0) {");
    for (k, value) in values.iter().enumerate() {
        lines.push(format!("{} = all_{}[0];", slot(value, "block", k), value.name));
    }
    lines.push("Q_FENCE_GRID();");
    lines.push("arrived = q_atomic_add_u32(counter, 1u);");
    lines.close("}");
    lines.push("Q_BARRIER();");
    lines.push("last = arrived == blocks - 1u;");
    lines.push("Q_LEAVE_BLOCK(!last);");
    lines.push("Q_FENCE_GRID();");
    lines.push("if (last && thread == 0) *counter = 0;");
    for (k, value) in values.iter().enumerate() {
        let Value { name, start, .. } = value;
        lines.push(format!("{name} = {start};"));
        let both = value.both(name.clone(), slot(value, "t", k));
        lines.push(format!(
            "if (last) for (q_u32 t = (q_u32)thread; t < blocks; t += (q_u32)threads) {name} = {both};"
        ));
    }
    in_block(lines, values);
}
