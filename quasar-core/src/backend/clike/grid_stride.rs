//! Grid-stride kernels, with several elements per thread and iteration: elementwise kernels, reductions, and histograms
//! in small arrays.

use super::entry::{Version, end};
use super::expr::{Printer, apply, local_name};
use super::functions::mentions;
use super::lines::Lines;
use super::types::{array_element, constant, rank, scalar, suffix};
use super::{Malformed, conditions, malformed};
use crate::ir::schedule::{BlockHistogram, GridStride, OwnElement};
use crate::ir::versions::CodeVersion;
use crate::ir::{Accumulator, Kernel, VarId};
use crate::target::gpu::{GRID_STRIDE_THREADS, VECTOR_BYTES};
use crate::types::ElementType;
use quasar_devicelib::ops::Row;

impl BlockHistogram {
    /// Element type of the tables.
    pub(super) fn kept(&self) -> ElementType {
        if self.counts { ElementType::UInt32 } else { self.element }
    }

    /// The statement that adds to an element, given by its lvalue in the array.
    pub(super) fn add(&self, place: &str, value: &str) -> String {
        let (name, e, kept) = (local_name(self.array), suffix(self.element), suffix(self.kept()));
        let at = &place[name.len()..];
        let amount = if self.counts { "1u" } else { value };
        let table = table_name(self.array);
        format!(
            "if (copies) q_atomic_add_shared_{kept}(&{table}{at}, {amount}); else q_atomic_add_{e}(&{place}, {value});"
        )
    }
}

/// The registers that hold the own elements of an array.
pub(super) fn own_name(array: VarId) -> String {
    format!("e{}", array.index())
}

fn table_name(array: VarId) -> String {
    format!("h{}", array.index())
}

impl GridStride {
    /// Conditions of the vectorised version beyond those of loop versioning: equal extents and aligned addresses.
    fn aligned(&self, kernel: &Kernel) -> Vec<String> {
        let mut conditions = Vec::new();
        let mut addresses = Vec::new();
        for OwnElement { array, .. } in &self.own {
            let v = local_name(*array);
            conditions.extend((0..kernel.rank).map(|axis| format!("{v}_d{axis} == n{axis}")));
            addresses.push(format!("(size_t){v}"));
        }
        if self.vector > 1 {
            conditions.push(format!("(({}) & {}) == 0", addresses.join(" | "), VECTOR_BYTES - 1));
        }
        conditions
    }

    /// Prints the body after the parameter declarations. `fast` is the version without bounds checks.
    pub(super) fn print(
        &self,
        lines: &mut Lines,
        kernel: &Kernel,
        fast: Option<(Version, &CodeVersion)>,
        general: &Version,
    ) -> Result<(), Malformed> {
        self.set_up(lines, kernel);
        let extent = |n: &str| format!("(q_u64)({n} > 0 ? {n} : 0)");
        let row: String = (1..kernel.rank).map(|k| format!(" * {}", extent(&format!("n{k}")))).collect();
        let count = extent(&end(kernel, 0)) + &row;
        let (threads, together) = (GRID_STRIDE_THREADS, self.vector);
        lines.push(format!("const q_u64 count = {count};"));
        lines.push(format!("const q_u64 stride = (q_u64)Q_GRID_DIM(0) * {};", threads as usize * together));
        let at = format!("((q_u64)Q_BLOCK(0) * {threads} + Q_THREAD(0)) * {together}");
        match kernel.divisible {
            true => {
                lines.push(format!("const q_u64 start = (q_u64)part_start{row};"));
                lines.push(format!("q_u64 at = start + {at};"));
            }
            false => lines.push(format!("q_u64 at = {at};")),
        }
        if let Some((fast, facts)) = fast {
            let mut conditions = if self.own.is_empty() { Vec::new() } else { self.aligned(kernel) };
            if kernel.divisible && !self.own.is_empty() && together > 1 {
                conditions.push(format!("start % {together} == 0"));
            }
            conditions.extend(conditions::printed(&facts.launch));
            let open = if conditions.is_empty() {
                "{".to_owned()
            } else {
                format!("if ({}) {{", conditions.join(" && "))
            };
            lines.open(open);
            if self.own.is_empty() {
                self.one_by_one(lines, kernel, &fast, "fast_next");
            } else {
                self.several(lines, kernel, &fast)?;
            }
            lines.close("}");
        }
        self.one_by_one(lines, kernel, general, "next");
        self.tear_down(lines);
        Ok(())
    }

    /// A grid-stride loop that runs a version one position at a time; also the remainder of the vectorised loop.
    fn one_by_one(&self, lines: &mut Lines, kernel: &Kernel, version: &Version, label: &str) {
        lines.open("for (; at < count; at += stride) {");
        let together = self.vector;
        if together > 1 {
            lines.push(format!("const q_u64 end = count - at < {together} ? count : at + {together};"));
            lines.open("for (q_u64 here = at; here < end; ++here) {");
        }
        let used = |axis: usize| mentions(&version.code, &format!("p{axis}"));
        components(lines, kernel, if together > 1 { "here" } else { "at" }, &used);
        position(lines, version, label);
        if together > 1 {
            lines.close("}");
        }
        lines.close("}");
    }

    /// The main loop, several positions per iteration, each with an accumulator of its own.
    fn several(&self, lines: &mut Lines, kernel: &Kernel, version: &Version) -> Result<(), Malformed> {
        let together = self.vector;
        let lanes = if together > 1 { kernel.accumulators.as_slice() } else { &[] };
        for each in lanes {
            let (e, start) = neutral(kernel, each)?;
            let lane = lane(each);
            lines.push(format!("q_{e} {lane}[{together}];"));
            lines.push("#pragma unroll");
            lines.push(format!("for (q_i32 c = 0; c < {together}; ++c) {lane}[c] = {start};"));
        }
        // Unrolling keeps several loads in flight.
        if self.histograms.is_empty() {
            lines.push(if self.gather { "#pragma unroll 4" } else { "#pragma unroll 2" });
        }
        lines.open(format!("for (; at + {together} <= count; at += stride) {{"));
        for own in &self.own {
            let array = &own.array;
            let (v, e) = (local_name(*array), own_name(*array));
            let Some(element) = array_element(&kernel.body.variables[*array].ty) else {
                return malformed(kernel.span, "an array of this type");
            };
            lines.push(format!("Q_ALIGNED q_{} {e}[{together}];", suffix(element)));
            if own.read {
                lines.push(moved(element.size() * together, together, &e, &format!("({v} + at)"), true));
            }
        }
        lines.push("#pragma unroll");
        lines.open(format!("for (q_i32 c = 0; c < {together}; ++c) {{"));
        for each in lanes {
            lines.push(format!("{} = {}[c];", local_name(each.variable), lane(each)));
        }
        position(lines, version, "fast_next");
        for each in lanes {
            lines.push(format!("{}[c] = {};", lane(each), local_name(each.variable)));
        }
        lines.close("}");
        for OwnElement { array, .. } in self.own.iter().filter(|own| own.written) {
            let (v, e) = (local_name(*array), own_name(*array));
            let size = array_element(&kernel.body.variables[*array].ty).map_or(1, |e| e.size());
            lines.push(moved(size * together, together, &e, &format!("({v} + at)"), false));
        }
        lines.close("}");
        for each in lanes {
            let (v, lane) = (local_name(each.variable), lane(each));
            let Some(element) = scalar(&kernel.body.variables[each.variable].ty) else { continue };
            lines.push(format!("{v} = {lane}[0];"));
            for k in 1..together {
                lines.push(format!(
                    "{v} = {};",
                    apply(each.row, element, &[v.clone(), format!("{lane}[{k}]")])
                ));
            }
        }
        Ok(())
    }

    /// Declares and zeroes a block's tables. The copies of all tables fill its shared memory.
    fn set_up(&self, lines: &mut Lines, kernel: &Kernel) {
        if self.histograms.is_empty() {
            return;
        }
        lines.push("q_u64 table_bytes = 0;");
        for table in &self.histograms {
            let array = &table.array;
            let (v, h) = (local_name(*array), table_name(*array));
            let rank = rank(&kernel.body.variables[*array].ty).unwrap_or(1);
            let count: Vec<String> = (0..rank).map(|axis| format!("(q_u64){v}_d{axis}")).collect();
            lines.push(format!("const q_u64 {h}_count = {};", count.join(" * ")));
            lines.push(format!("const q_u64 {h}_at = table_bytes;"));
            lines.push(format!("table_bytes += ({h}_count * {} + 15) / 16 * 16;", table.kept().size()));
        }
        lines.push("const q_u32 copies = table_bytes == 0 || table_bytes > shared_bytes ? 0 : shared_bytes / (q_u32)table_bytes;");
        lines.push(
            "const q_u32 copy = copies == 0 ? 0 : (q_u32)Q_THREAD(0) / 32 % copies * (q_u32)table_bytes;",
        );
        for table in &self.histograms {
            let array = &table.array;
            let (h, e) = (table_name(*array), suffix(table.kept()));
            lines.push(format!("Q_SHARED q_{e}* {h} = (Q_SHARED q_{e}*)(shared_memory + (copies == 0 ? 0 : copy + (q_u32){h}_at));"));
        }
        let threads = GRID_STRIDE_THREADS;
        lines.push(format!("for (q_u32 k = Q_THREAD(0); k < copies * ((q_u32)table_bytes / 4); k += {threads}) ((Q_SHARED q_u32*)shared_memory)[k] = 0;"));
        lines.push("Q_BARRIER();");
    }

    /// Adds a block's tables to the arrays that they privatise.
    fn tear_down(&self, lines: &mut Lines) {
        if self.histograms.is_empty() {
            return;
        }
        let threads = GRID_STRIDE_THREADS;
        lines.push("Q_BARRIER();");
        for table in &self.histograms {
            let array = &table.array;
            let (v, h) = (local_name(*array), table_name(*array));
            let (e, kept) = (suffix(table.element), suffix(table.kept()));
            let add = quasar_devicelib::ops::find("add");
            lines.open(format!(
                "for (q_u32 k = Q_THREAD(0); copies != 0 && k < {h}_count; k += {threads}) {{"
            ));
            lines.push(format!("q_{kept} sum = 0;"));
            lines.push(format!("for (q_u32 c = 0; c < copies; ++c) {{ const q_{kept} part = ((Q_SHARED q_{kept}*)(shared_memory + c * (q_u32)table_bytes + {h}_at))[k]; sum = {}; }}",
                add.map_or_else(String::new, |row| apply(row, table.kept(), &["sum".to_owned(), "part".to_owned()]))));
            lines.push(format!("if (sum != 0) q_atomic_add_{e}(&{v}[k], (q_{e})sum);"));
            lines.close("}");
        }
    }
}

/// Computes the components of the position with a row-major number.
pub(super) fn components(lines: &mut Lines, kernel: &Kernel, number: &str, used: &dyn Fn(usize) -> bool) {
    let mut rest = number.to_owned();
    for axis in (1..kernel.rank).rev() {
        lines.push(format!("const q_u64 a{axis} = q_quotient({rest}, n{axis});"));
        if used(axis) {
            lines.push(format!("const q_i32 p{axis} = (q_i32)({rest} - a{axis} * (q_u64)n{axis});"));
        }
        rest = format!("a{axis}");
    }
    if used(0) {
        lines.push(format!("const q_i32 p0 = (q_i32)({rest});"));
    }
}

/// Block reduction into element 0 of a shared array: by shuffles within each warp, if the device has warps and can
/// shuffle the type, then among warps through the array. `half` is half of the number of threads.
pub(super) fn combine(
    lines: &mut Lines,
    all: &str,
    value: &str,
    row: &Row,
    element: ElementType,
    half: &str,
) {
    let both = |a: String, b: String| apply(row, element, &[a, b]);
    if matches!(element.bits(), 32 | 64) && !element.is_complex() {
        let combined = both("own".into(), "other".into());
        let ty = format!("q_{}", suffix(element));
        lines.open("{");
        lines.push(format!("{ty} own = {value};"));
        lines.push("#pragma unroll");
        lines.open("for (q_u32 distance = Q_WARP_SIZE / 2; distance > 0; distance /= 2) {");
        lines.push(format!("const {ty} other = Q_LANE_DOWN(own, distance);"));
        lines.push(format!("own = {combined};"));
        lines.close("}");
        lines.push(format!("if (Q_THREAD(0) % Q_WARP_SIZE == 0) {all}[Q_THREAD(0) / Q_WARP_SIZE] = own;"));
        lines.close("}");
        lines.push("Q_BARRIER();");
        lines.open(format!("for (q_u32 width = {half} / Q_WARP_SIZE; width > 0; width /= 2) {{"));
    } else {
        lines.push(format!("{all}[Q_THREAD(0)] = {value};"));
        lines.push("Q_BARRIER();");
        lines.open(format!("for (q_u32 width = {half}; width > 0; width /= 2) {{"));
    }
    lines.push("const q_u32 t = Q_THREAD(0);");
    lines.push(format!(
        "if (t < width) {all}[t] = {};",
        both(format!("{all}[t]"), format!("{all}[t + width]"))
    ));
    lines.push("Q_BARRIER();");
    lines.close("}");
}

/// The code for one position, followed by its label.
fn position(lines: &mut Lines, version: &Version, label: &str) {
    lines.append_text(&version.locals);
    lines.push("{");
    lines.append_text(&version.code);
    lines.push("}");
    lines.push(format!("{label}: ;"));
}

fn lane(accumulator: &Accumulator) -> String {
    format!("l{}", accumulator.variable.index())
}

fn neutral(kernel: &Kernel, accumulator: &Accumulator) -> Result<(&'static str, String), Malformed> {
    let Some(element) = scalar(&kernel.body.variables[accumulator.variable].ty) else {
        return malformed(kernel.span, "a result of this type");
    };
    Ok((suffix(element), constant(quasar_devicelib::ops::neutral(accumulator.row.name, element))))
}

/// Moves consecutive elements between memory and registers, as one vector if their size allows.
fn moved(bytes: usize, count: usize, registers: &str, memory: &str, fetch: bool) -> String {
    match (bytes, fetch) {
        (4 | 8 | 16, true) => format!("q_fetch_{bytes}({registers}, {memory});"),
        (4 | 8 | 16, false) => format!("q_put_{bytes}({memory}, {registers});"),
        (_, true) => format!("for (q_i32 c = 0; c < {count}; ++c) {registers}[c] = {memory}[c];"),
        (_, false) => format!("for (q_i32 c = 0; c < {count}; ++c) {memory}[c] = {registers}[c];"),
    }
}

impl Printer<'_, '_> {
    /// Declares the accumulated results, initialised to the neutral value.
    pub(super) fn results(&mut self, kernel: &Kernel) -> Result<(), Malformed> {
        for accumulator in &kernel.accumulators {
            let (e, start) = neutral(kernel, accumulator)?;
            self.lines.push(format!("q_{e} {} = {start};", local_name(accumulator.variable)));
        }
        Ok(())
    }
}

/// The block reduction of the results; each block stores its partial result at its own index.
pub(super) fn reduction(kernel: &Kernel, params: &mut Vec<String>) -> Result<Lines, Malformed> {
    let mut lines = Lines::at(1);
    let (threads, half) = (GRID_STRIDE_THREADS, (GRID_STRIDE_THREADS / 2).to_string());
    for (k, accumulator) in kernel.accumulators.iter().enumerate() {
        let Some(element) = scalar(&kernel.body.variables[accumulator.variable].ty) else {
            return malformed(kernel.span, "a result of this type");
        };
        let (e, v) = (suffix(element), local_name(accumulator.variable));
        params.push(format!("Q_GLOBAL q_{e}* r{k}"));
        lines.push(format!("Q_SHARED_DECL q_{e} c{k}[{threads}];"));
        combine(&mut lines, &format!("c{k}"), &v, accumulator.row, element, &half);
        lines.push(format!("if (Q_THREAD(0) == 0) r{k}[Q_BLOCK(0)] = c{k}[0];"));
    }
    Ok(lines)
}
