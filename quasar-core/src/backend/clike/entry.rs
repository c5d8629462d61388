//! The entry function of a kernel: its parameters, the positions of threads, and the accumulation of results.

use super::expr::{Printer, apply, local_name};
use super::functions::mentions;
use super::lines::Lines;
use super::types::{constant, rank, scalar, suffix};
use super::{DeviceKernel, REDUCING_THREADS, Refusal, Space, Style, Unit, arrays, refuse};
use crate::analysis::phases::{Phase, divide, waits};
use crate::analysis::reach::by_reference;
use crate::ir::rewrite::{stored_in, visit_block};
use crate::ir::{Coordinate, Expr, ExprKind, Kernel, KernelId, Storage, VarId};
use crate::types::Type;
use std::collections::BTreeMap;

/// The most components of a position; all but the last two run along the third dimension of a grid.
const MOST_COMPONENTS: usize = 16;

pub(super) fn kernel(unit: &mut Unit<'_>, id: KernelId) -> Result<DeviceKernel, Refusal> {
    let program = unit.program;
    let kernel = &program.kernels[id];
    if !kernel.parallel {
        return refuse(kernel.span, "a kernel whose positions are visited in order");
    }
    if kernel.rank == 0 || kernel.rank > MOST_COMPONENTS {
        return refuse(kernel.span, "this number of components of a position");
    }
    let style = style(kernel)?;
    if waits(&kernel.body.block) {
        reached_by_all(kernel)?;
    }
    let entry = format!("k_{}", kernel.name);
    let body = &kernel.body;
    let (mut params, mut far, mut prologue) = (Vec::new(), BTreeMap::new(), Lines::at(1));
    let stored = stored_in(&body.block);
    for &param in &body.params {
        let (v, ty) = (local_name(param), &body.variables[param].ty);
        if by_reference(unit.program, body, param) {
            let (Some(pointed), Some(rank)) = (arrays::pointed(ty), rank(ty)) else {
                return refuse(kernel.span, "a parameter of this type");
            };
            far.insert(param, Space::Global);
            let read_only = !stored.contains(&param) && !passed(body, param);
            let (constant, restrict) = if read_only { ("const ", " Q_RESTRICT") } else { ("", "") };
            params.push(format!("Q_GLOBAL {constant}{pointed}*{restrict} {v}"));
            params.extend((0..rank).map(|axis| format!("q_i32 {v}_d{axis}")));
        } else {
            value_param(unit, &mut params, &mut prologue, &v, ty, kernel)?;
        }
    }
    for (id, variable) in body.variables.iter() {
        if variable.storage == Storage::Shared {
            far.insert(id, Space::Shared);
        }
    }
    let (blocks, reducing) = (style == Style::Blocks, style == Style::Reducing);
    let mut printer = Printer {
        unit,
        body,
        lines: Lines::at(if reducing { 3 } else { 1 }),
        far,
        loops: Vec::new(),
        temporaries: 0,
        leave: match style {
            Style::Positions => "return;".to_owned(),
            Style::Blocks => String::new(),
            Style::Reducing => "goto next;".to_owned(),
        },
        shadows: blocks,
    };
    printer.block(&body.block)?;
    let code = std::mem::replace(&mut printer.lines, Lines::at(1)).into_text();
    params.extend((0..kernel.rank).map(|axis| format!("q_i32 n{axis}")));
    printer.shared_arrays(&code)?;
    let outer = std::mem::replace(&mut printer.lines, Lines::at(if reducing { 2 } else { 1 }));
    // What a thread keeps for one position; results are kept for all that it visits.
    printer.locals(&body.params, if reducing { &body.results } else { &[] })?;
    let locals = std::mem::replace(&mut printer.lines, outer);
    if reducing {
        printer.results(kernel)?;
    }
    let declarations = std::mem::replace(&mut printer.lines, Lines::at(1));
    let mut lines = Lines::at(0);
    let tail = match style {
        Style::Reducing => reduction(kernel, &mut params)?,
        Style::Positions | Style::Blocks => Lines::at(1),
    };
    let dynamic_shared = printer.unit.dynamic_shared;
    if dynamic_shared {
        params.push("q_u32 shared_bytes".to_owned());
    }
    if printer.unit.fails {
        params.push("Q_GLOBAL q_fault* fault".to_owned());
    }
    // The macro for memory that a launch provides is a parameter, the last one, in one dialect and nothing in the other.
    let last = if dynamic_shared { " Q_DYNAMIC_SHARED_PARAM(shared_memory)" } else { "" };
    lines.open(format!("Q_KERNEL void {entry}({}{last}) {{", params.join(", ")));
    if dynamic_shared {
        lines.push("Q_DYNAMIC_SHARED(shared_memory);");
        lines.push("q_u32 shared_used = 0;");
    }
    lines.append(&prologue);
    lines.append(&declarations);
    positions(&mut lines, kernel, style, &code);
    let mut text = lines.into_text();
    text.push_str(&locals.into_text());
    if reducing {
        text.push_str(&format!("        {{\n{code}        }}\n        next: ;\n    }}\n"));
    } else {
        text.push_str(&code);
    }
    text.push_str(&tail.into_text());
    text.push_str("}\n");
    let unit = printer.unit;
    let structures: String = unit.structures.iter().map(|(_, text)| format!("{text}\n")).collect();
    let text = format!("{structures}{}{text}", unit.printed.concat());
    Ok(DeviceKernel { entry, text, style, sites: std::mem::take(&mut unit.sites), dynamic_shared })
}

fn style(kernel: &Kernel) -> Result<Style, Refusal> {
    let mut blocks = waits(&kernel.body.block);
    visit_block(&kernel.body.block, &mut |e| {
        blocks |= matches!(e.kind, ExprKind::Coordinate(c, _) if !matches!(c, Coordinate::Position | Coordinate::WarpSize));
    });
    match (kernel.body.results.is_empty(), blocks) {
        (true, false) => Ok(Style::Positions),
        (true, true) => Ok(Style::Blocks),
        (false, false) if kernel.accumulators.len() == kernel.body.results.len() => Ok(Style::Reducing),
        (false, false) => refuse(kernel.span, "a result that is not accumulated"),
        (false, true) => refuse(kernel.span, "results together with blocks"),
    }
}

/// Devices do not tell when threads of a block wait at different barriers, so all threads must provably choose alike
/// wherever there is a barrier inside.
fn reached_by_all(kernel: &Kernel) -> Result<(), Refusal> {
    let phases = match divide(kernel) {
        Ok(phases) => phases,
        Err((span, what)) => return refuse(span, what),
    };
    let mut split = None;
    phases.each(&mut |phase| {
        let (chosen, place): (Vec<&Expr>, _) = match phase {
            Phase::Threads(_) | Phase::Shared { .. } => return,
            Phase::If { condition, place, .. }
            | Phase::While { condition, place, .. }
            | Phase::Repeat { until: condition, place, .. } => (vec![condition], place),
            Phase::For { range, place, .. } => (
                [Some(&range.from), range.step.as_ref(), Some(&range.to)].into_iter().flatten().collect(),
                place,
            ),
        };
        if !chosen.iter().all(|expr| phases.is_uniform(expr)) {
            split = split.or(Some(place.span));
        }
    });
    match split {
        Some(span) => refuse(span, "a barrier that some threads of a block may not reach"),
        None => Ok(()),
    }
}

/// Whether an array is passed to a function, which may change it.
fn passed(body: &crate::ir::Body, param: VarId) -> bool {
    let mut found = false;
    crate::ir::rewrite::visit_stmts(&body.block, &mut |stmt| {
        if let crate::ir::StmtKind::Call { args, .. } = &stmt.kind {
            found |= args.iter().any(|arg| matches!(arg.kind, ExprKind::Local(v) if v == param));
        }
    });
    found
}

/// A parameter that is a value: tuples come as one parameter for each number or small array in them.
fn value_param(
    unit: &mut Unit<'_>,
    params: &mut Vec<String>,
    prologue: &mut Lines,
    name: &str,
    ty: &Type,
    kernel: &Kernel,
) -> Result<(), Refusal> {
    let parts: Vec<Type> = match ty {
        Type::Tuple(parts) => parts.clone(),
        Type::Closure(closure) => closure.captures.iter().map(|(_, ty)| ty.clone()).collect(),
        _ => {
            let Some(ty) = unit.ty(ty) else {
                return refuse(kernel.span, format!("a parameter of type '{ty}'"));
            };
            params.push(format!("{ty} {}", name.replace('.', "_")));
            if name.contains('.') {
                prologue.push(format!("{name} = {};", name.replace('.', "_")));
            }
            return Ok(());
        }
    };
    if !name.contains('.') {
        let Some(ty) = unit.ty(ty) else {
            return refuse(kernel.span, format!("a parameter of type '{ty}'"));
        };
        prologue.push(format!("{ty} {name};"));
    }
    for (k, part) in parts.iter().enumerate() {
        value_param(unit, params, prologue, &format!("{name}.f{k}"), part, kernel)?;
    }
    Ok(())
}

impl Printer<'_, '_> {
    /// Declares the accumulated results, which start with the neutral value.
    fn results(&mut self, kernel: &Kernel) -> Result<(), Refusal> {
        for accumulator in &kernel.accumulators {
            let (ty, name) =
                (&kernel.body.variables[accumulator.variable].ty, local_name(accumulator.variable));
            let Some(element) = scalar(ty) else { return refuse(kernel.span, "a result of this type") };
            let start = constant(quasar_devicelib::ops::neutral(accumulator.row.name, element));
            self.lines.push(format!("q_{} {name} = {start};", suffix(element)));
        }
        Ok(())
    }

    /// Declares the shared arrays of the kernel.
    fn shared_arrays(&mut self, code: &str) -> Result<(), Refusal> {
        let body = self.body;
        for (id, variable) in body.variables.iter() {
            if variable.storage != Storage::Shared {
                continue;
            }
            let (Some(pointed), Some(rank)) = (arrays::pointed(&variable.ty), rank(&variable.ty)) else {
                return refuse(variable.span, "a shared array of this type");
            };
            let name = local_name(id);
            for axis in 0..rank {
                self.lines.push(format!("q_i32 {name}_d{axis} = 0;"));
            }
            if code.contains(&format!("{name} = (Q_SHARED ")) {
                self.lines.push(format!("Q_SHARED {pointed}* {name} = 0;"));
                continue;
            }
            let mut count = None;
            crate::ir::rewrite::visit_stmts(&body.block, &mut |stmt| {
                if let crate::ir::StmtKind::Shared { variable, dims, .. } = &stmt.kind
                    && *variable == id
                {
                    let sizes: Option<Vec<i32>> = dims.iter().map(Expr::constant_int).collect();
                    let product = sizes.map(|s| s.iter().map(|n| i64::from(*n)).product::<i64>());
                    count = count.max(product);
                }
            });
            let Some(count) = count else {
                return refuse(variable.span, "a shared array that is not allocated in the kernel");
            };
            self.lines.push(format!("Q_SHARED_DECL {pointed} {name}[{count}];"));
        }
        Ok(())
    }
}

/// Statements that find the position of a thread.
fn positions(lines: &mut Lines, kernel: &Kernel, style: Style, code: &str) {
    let rank = kernel.rank;
    // Dimensions of the grid: the last component runs along x.
    let along = |axis: usize| (rank - 1 - axis).min(2);
    let lead = rank.saturating_sub(2);
    if style == Style::Reducing {
        let count =
            (0..rank).map(|k| format!("(q_u64)(n{k} > 0 ? n{k} : 0)")).collect::<Vec<_>>().join(" * ");
        let threads = REDUCING_THREADS;
        lines.push(format!("const q_u64 count = {count};"));
        lines.open(format!(
            "for (q_u64 at = (q_u64)Q_BLOCK(0) * {threads} + Q_THREAD(0); at < count; at += (q_u64)Q_GRID_DIM(0) * {threads}) {{"
        ));
        let mut rest = "at".to_owned();
        for axis in (0..rank).rev() {
            let used = mentions(code, &format!("p{axis}"));
            if axis == 0 {
                if used {
                    lines.push(format!("const q_i32 p0 = (q_i32)({rest});"));
                }
                continue;
            }
            if used {
                lines.push(format!("const q_i32 p{axis} = (q_i32)({rest} % (q_u64)n{axis});"));
            }
            lines.push(format!("const q_u64 a{axis} = {rest} / (q_u64)n{axis};"));
            rest = format!("a{axis}");
        }
        return;
    }
    if style == Style::Blocks {
        lines.push("const q_i32 thread = (q_i32)((Q_THREAD(2) * Q_BLOCK_DIM(1) + Q_THREAD(1)) * Q_BLOCK_DIM(0) + Q_THREAD(0));");
        lines.push("const q_i32 threads = (q_i32)(Q_BLOCK_DIM(0) * Q_BLOCK_DIM(1) * Q_BLOCK_DIM(2));");
    }
    for axis in 0..rank {
        if axis + 2 < rank && rank > 3 {
            continue;
        }
        let k = along(axis);
        lines.push(format!("const q_i32 bd{axis} = (q_i32)Q_BLOCK_DIM({k}), bp{axis} = (q_i32)Q_THREAD({k}), bi{axis} = (q_i32)Q_BLOCK({k});"));
        lines.push(format!("const q_i32 bc{axis} = (n{axis} + bd{axis} - 1) / bd{axis}, p{axis} = (q_i32)((q_u32)bi{axis} * (q_u32)bd{axis} + (q_u32)bp{axis});"));
    }
    if rank > 3 {
        // Leading components are unfolded from the third dimension of the grid; blocks have one position along them.
        lines.push("q_u32 lead = Q_BLOCK(2);");
        for axis in (0..lead).rev() {
            lines.push(format!("const q_i32 bd{axis} = 1, bp{axis} = 0, bc{axis} = n{axis}, p{axis} = (q_i32)(lead % (q_u32)n{axis}), bi{axis} = p{axis};"));
            lines.push(format!("lead /= (q_u32)n{axis};"));
        }
    }
    let outside: Vec<String> = (0..rank).map(|axis| format!("(q_u32)p{axis} >= (q_u32)n{axis}")).collect();
    match style {
        Style::Blocks => lines.push(format!("const q_i32 shadow = {};", outside.join(" || "))),
        Style::Positions | Style::Reducing => lines.push(format!("if ({}) return;", outside.join(" || "))),
    }
}

/// Statements that combine what the threads of a block found and give it to the launch.
fn reduction(kernel: &Kernel, params: &mut Vec<String>) -> Result<Lines, Refusal> {
    let mut lines = Lines::at(1);
    let threads = REDUCING_THREADS;
    for (k, accumulator) in kernel.accumulators.iter().enumerate() {
        let Some(element) = scalar(&kernel.body.variables[accumulator.variable].ty) else {
            return refuse(kernel.span, "a result of this type");
        };
        let (e, v) = (suffix(element), local_name(accumulator.variable));
        params.push(format!("Q_GLOBAL q_{e}* r{k}"));
        let combined = apply(accumulator.row, element, &[format!("c{k}[t]"), format!("c{k}[t + width]")]);
        lines.push(format!("Q_SHARED_DECL q_{e} c{k}[{threads}];"));
        lines.push(format!("c{k}[Q_THREAD(0)] = {v};"));
        lines.push("Q_BARRIER();");
        lines.open(format!("for (q_u32 width = {}; width > 0; width /= 2) {{", threads / 2));
        lines.push("const q_u32 t = Q_THREAD(0);");
        lines.push(format!("if (t < width) c{k}[t] = {combined};"));
        lines.push("Q_BARRIER();");
        lines.close("}");
        lines.push(format!("if (Q_THREAD(0) == 0) r{k}[Q_BLOCK(0)] = c{k}[0];"));
    }
    Ok(lines)
}
