//! Split reduction: one or several blocks per position, whose threads share the iterations of a loop. Where neighbouring positions read
//! neighbouring elements (sums of columns), blocks have several positions, and the threads of each take turns.
//!
//! The blocks of a position write their partial results to scratch memory. The last one to arrive, found by an atomic
//! counter, combines them in block order and runs the statements after the loop; it resets the counter to zero for the
//! next launch.

use super::entry::{Entry, Version};
use super::expr::{Printer, apply, local_name};
use super::lines::Lines;
use super::types::{constant, scalar, suffix};
use super::{Malformed, conditions, grid_stride, malformed};
use crate::ids::Arena;
use crate::ir::rewrite::visit_stmts;
use crate::ir::schedule::SplitReduction;
use crate::ir::versions::CodeVersion;
use crate::ir::{Accumulator, Kernel, Stmt, StmtKind, VarId, VarSet, Variable};
use crate::source::Span;
use crate::target::gpu::{
    SPLIT_COUNTERS, SPLIT_FEW_BLOCKS, SPLIT_SIMPLE_STATEMENTS, SPLIT_THREADS, SPLIT_UNROLL,
};
use crate::types::ElementType;
use quasar_devicelib::ops::{Row, neutral};

impl Entry {
    /// Prints the body after the parameter declarations.
    pub(super) fn team<'p>(
        &mut self,
        printer: &mut Printer<'_, 'p>,
        kernel: &'p Kernel,
        split: &SplitReduction,
    ) -> Result<(), Malformed> {
        let block = &kernel.body.block;
        let StmtKind::For { variable, range, body, .. } = &block[split.at].kind else {
            return malformed(kernel.span, "this loop");
        };
        printer.locals(&kernel.body.params, &[])?;
        let locals = std::mem::replace(&mut printer.lines, Lines::at(1));
        "return;".clone_into(&mut printer.leave);
        printer.block(&block[..split.at])?;
        let (from, to) = (printer.simple(&range.from)?, printer.simple(&range.to)?);
        let step = range.step.as_ref().map_or(Ok("1".to_owned()), |step| printer.simple(step))?;
        printer.lines.push(format!("q_u32 rounds = q_steps({from}, {step}, {to});"));
        let before = std::mem::replace(&mut printer.lines, Lines::at(1));
        let fast = match &printer.unit.schedule.versions.split {
            Some(facts) => Some((rounds(printer, *variable, (&from, &step), body, Some(facts))?, facts)),
            None => None,
        };
        let general = rounds(printer, *variable, (&from, &step), body, None)?;
        "return;".clone_into(&mut printer.leave);
        printer.block(&block[split.at + 1..])?;
        let after = std::mem::replace(&mut printer.lines, Lines::at(2));
        self.params.push(if split.columns { "q_i32 shares" } else { "q_i32 parts" }.to_owned());
        self.params.push("Q_GLOBAL q_u64* scratch".to_owned());
        let lines = &mut self.inside;
        let share = Share { columns: split.columns };
        if split.columns {
            lines.push("const q_i32 parts = shares & 0xffffff;");
        }
        lines.push("const q_u64 here = (q_u32)Q_BLOCK(0) / (q_u32)parts;");
        lines.push("const q_u32 part = (q_u32)Q_BLOCK(0) - (q_u32)here * (q_u32)parts;");
        share.position(lines, kernel);
        lines.append(&locals);
        lines.append(&before);
        share.blocks(lines);
        let values: Vec<Value> = split
            .accumulators
            .iter()
            .map(|each| Value::new(&kernel.body.variables, each, kernel.span))
            .collect::<Result<_, _>>()?;
        for Value { name, ty, start, .. } in &values {
            lines.push(format!("const {ty} before_{name} = {name};"));
            lines.push(format!("{name} = {start};"));
        }
        let simple = is_simple(body);
        if let Some((fast, facts)) = &fast
            && let Some(condition) = conditions::printed(&facts.launch)
        {
            lines.open(format!("if ({condition}) {{"));
            share.rounds(lines, simple, fast);
            lines.next("} else {");
            share.rounds(lines, false, &general);
            lines.close("}");
        } else {
            share.rounds(lines, simple, &general);
        }
        lines.push("team: ;");
        for Value { name, ty, .. } in &values {
            lines.push(format!("Q_SHARED_DECL {ty} all_{name}[{SPLIT_THREADS}];"));
        }
        lines.push("Q_SHARED_DECL q_u32 arrived;");
        values.iter().for_each(|value| share.combine(lines, value));
        lines.push("q_i32 last = 1;");
        lines.open("Q_UNIFORM_IF(used > 1) {");
        share.all_parts(lines, &values);
        lines.close("}");
        for value in &values {
            let Value { name, .. } = value;
            let total = value.both(format!("before_{name}"), format!("all_{name}[{}]", share.column()));
            lines.push(format!("{name} = {total};"));
        }
        lines.open(format!("if (last && {}) {{", share.first_threads()));
        lines.append(&after);
        lines.close("}");
        Ok(())
    }
}

/// How the threads of a block share its positions and their iterations.
struct Share {
    /// Whether a block has several positions: up to [`SPLIT_COLUMNS`](crate::target::gpu::SPLIT_COLUMNS), a power of two that the launch chooses.
    columns: bool,
}

impl Share {
    /// The threads of a block that share the iterations of a position.
    fn threads(&self) -> String {
        if self.columns { "threads".to_owned() } else { SPLIT_THREADS.to_string() }
    }

    /// The position of a thread among those of its block.
    fn column(&self) -> &'static str {
        if self.columns { "column" } else { "0" }
    }

    /// The threads that finish a position each.
    fn first_threads(&self) -> &'static str {
        if self.columns { "Q_THREAD(0) < columns && !outside" } else { "Q_THREAD(0) == 0" }
    }

    /// Computes the position of a thread, and its number among those that share it. Threads behind the last position have that one, and no
    /// iterations.
    fn position(&self, lines: &mut Lines, kernel: &Kernel) {
        if !self.columns {
            lines.push("const q_u32 thread = Q_THREAD(0);");
            return grid_stride::components(lines, kernel, "here", &|_| true);
        }
        let all: Vec<String> = (0..kernel.rank).map(|axis| format!("(q_u64)n{axis}")).collect();
        lines.push(format!(
            "const q_u32 columns = 1u << ((q_u32)shares >> 24), threads = {SPLIT_THREADS} / columns;"
        ));
        lines.push("const q_u32 column = Q_THREAD(0) % columns, thread = Q_THREAD(0) / columns;");
        lines.push(format!("const q_u64 all = {};", all.join(" * ")));
        lines.push("const q_i32 outside = here * columns + column >= all;");
        lines.push("const q_u64 at = outside ? all - 1 : here * columns + column;");
        grid_stride::components(lines, kernel, "at", &|_| true);
    }

    /// Computes how many blocks have enough iterations; the others leave. Two blocks need more iterations each than many
    /// blocks do to pay off, since combining partial results costs as much as some iterations.
    fn blocks(&self, lines: &mut Lines) {
        let threads = self.threads();
        lines.push(format!(
            "const q_u32 each = parts < {SPLIT_FEW_BLOCKS} ? {} / (q_u32)parts : {SPLIT_UNROLL};",
            SPLIT_FEW_BLOCKS * SPLIT_UNROLL
        ));
        lines.push(format!(
            "const q_u32 enough = rounds / (each * {threads}) + (rounds % (each * {threads}) != 0);"
        ));
        lines.push("const q_u32 used = enough < 1 ? 1 : enough < (q_u32)parts ? enough : (q_u32)parts;");
        // Where all threads must go on to the barriers, the blocks in excess have no iterations.
        lines.push("Q_LEAVE_BLOCK(part >= used);");
        let none = if self.columns { "part >= used || outside" } else { "part >= used" };
        lines.push(format!("if ({none}) rounds = 0;"));
    }

    /// Combines the blocks' partial results in the last block. The others leave early, where compilers accept that in front
    /// of barriers.
    fn all_parts(&self, lines: &mut Lines, values: &[Value]) {
        let (first, count) = (SPLIT_COUNTERS / 2, values.len());
        let slot = |value: &Value, part: &str, k: usize| {
            let (ty, block) = (&value.ty, format!("(here * (q_u32)parts + {part})"));
            let place = if self.columns { format!("({block} * columns + column)") } else { block };
            format!("*(volatile Q_GLOBAL {ty}*)(scratch + {first} + {place} * {count} + {k})")
        };
        lines.push("volatile Q_GLOBAL q_u32* counter = (volatile Q_GLOBAL q_u32*)scratch + here;");
        if self.columns {
            // All threads have written before the first one says so.
            lines.open("if (Q_THREAD(0) < columns && part < used) {");
            for (k, value) in values.iter().enumerate() {
                lines.push(format!("{} = all_{}[column];", slot(value, "part", k), value.name));
            }
            lines.push("Q_FENCE_GRID();");
            lines.close("}");
            lines.push("Q_BARRIER();");
            lines.open("if (Q_THREAD(0) == 0 && part < used) {");
        } else {
            lines.open("if (Q_THREAD(0) == 0 && part < used) {");
            for (k, value) in values.iter().enumerate() {
                lines.push(format!("{} = all_{}[0];", slot(value, "part", k), value.name));
            }
        }
        lines.push("Q_FENCE_GRID();");
        lines.push("arrived = q_atomic_add_u32(counter, 1u);");
        lines.close("}");
        lines.push("Q_BARRIER();");
        lines.push("last = part < used && arrived == used - 1;");
        lines.push("Q_LEAVE_BLOCK(!last);");
        lines.push("Q_FENCE_GRID();");
        lines.push("if (last && Q_THREAD(0) == 0) *counter = 0;");
        for (k, value) in values.iter().enumerate() {
            let Value { name, start, .. } = value;
            lines.push(format!("{name} = {start};"));
            let both = value.both(name.clone(), slot(value, "t", k));
            let threads = self.threads();
            lines
                .push(format!("if (last) for (q_u32 t = thread; t < used; t += {threads}) {name} = {both};"));
            self.combine(lines, value);
        }
    }

    /// Block reduction into the first elements of the shared array, one for each position.
    fn combine(&self, lines: &mut Lines, value: &Value) {
        let Value { name, row, element, .. } = value;
        let all = format!("all_{name}");
        if !self.columns {
            let half = (SPLIT_THREADS / 2).to_string();
            return grid_stride::combine(lines, &all, name, row, *element, &half);
        }
        lines.push(format!("{all}[Q_THREAD(0)] = {name};"));
        lines.push("Q_BARRIER();");
        let most = SPLIT_THREADS / 2;
        lines.open(format!("for (q_u32 width = {most}; width >= columns; width /= 2) {{"));
        lines.push("const q_u32 t = Q_THREAD(0);");
        let both = value.both(format!("{all}[t]"), format!("{all}[t + width]"));
        lines.push(format!("if (t < width) {all}[t] = {both};"));
        lines.push("Q_BARRIER();");
        lines.close("}");
    }

    /// A thread's loop over its share of the iterations, with several loads in flight as long as enough iterations are
    /// left.
    fn rounds(&self, lines: &mut Lines, simple: bool, body: &Version) {
        let threads = self.threads();
        lines.push(format!("const q_u64 stride = (q_u64)used * {threads};"));
        lines.push(format!("q_u64 next = (q_u64)part * {threads} + thread;"));
        if simple {
            lines.open(format!(
                "for (; next + {} * stride < rounds; next += {SPLIT_UNROLL} * stride) {{",
                SPLIT_UNROLL - 1
            ));
            one_batch(lines, "", body);
            lines.close("}");
            one_batch(lines, "if (round < rounds) ", body);
        } else {
            lines.open("for (q_u64 round = next; round < rounds; round += stride) {");
            lines.append_text(&body.code);
            lines.close("}");
        }
    }
}

/// An accumulated variable.
pub(super) struct Value {
    pub(super) name: String,
    pub(super) ty: String,
    pub(super) element: ElementType,
    row: &'static Row,
    /// The neutral value.
    pub(super) start: String,
}

impl Value {
    pub(super) fn new(
        variables: &Arena<Variable>,
        Accumulator { variable, row }: &Accumulator,
        span: Span,
    ) -> Result<Value, Malformed> {
        // Several threads do not accumulate halves.
        let element = scalar(&variables[*variable].ty).filter(|e| *e != ElementType::Half);
        let Some(element) = element else { return malformed(span, "a result of this type") };
        let (start, ty) = (constant(neutral(row.name, element)), format!("q_{}", suffix(element)));
        Ok(Value { name: local_name(*variable), ty, element, row, start })
    }

    /// Combines what the threads of a block have found, in all threads.
    pub(super) fn combine_in_block(&self, lines: &mut Lines) {
        let Value { name, .. } = self;
        let all = format!("all_{}", suffix(self.element));
        grid_stride::combine(lines, &all, name, self.row, self.element, "Q_BLOCK_DIM(0) / 2");
        lines.push(format!("{name} = {all}[0];"));
        lines.push("Q_BARRIER();");
    }

    /// Two values combined.
    pub(super) fn both(&self, a: String, b: String) -> String {
        apply(self.row, self.element, &[a, b])
    }
}

fn one_batch(lines: &mut Lines, condition: &str, body: &Version) {
    lines.push("#pragma unroll");
    lines.open(format!("for (q_u32 k = 0; k < {SPLIT_UNROLL}; ++k) {{"));
    lines.push("const q_u64 round = next + k * stride;");
    lines.open(format!("{condition}{{"));
    lines.append_text(&body.code);
    lines.close("}");
    lines.close("}");
}

/// Prints the code of one iteration.
fn rounds<'p>(
    printer: &mut Printer<'_, 'p>,
    variable: VarId,
    (from, step): (&str, &str),
    body: &'p [Stmt],
    facts: Option<&'p CodeVersion>,
) -> Result<Version, Malformed> {
    "goto team;".clone_into(&mut printer.leave);
    (printer.version, printer.wide) = (facts, VarSet::new());
    let outer = std::mem::replace(&mut printer.lines, Lines::at(3));
    printer.lines.push(format!(
        "{} = (q_i32)((q_u32)({from}) + (q_u32)round * (q_u32)({step}));",
        local_name(variable)
    ));
    printer.widen(variable, from, step, "round");
    printer.block(body)?;
    let code = std::mem::replace(&mut printer.lines, outer).into_text();
    (printer.version, printer.wide) = (None, VarSet::new());
    Ok(Version { locals: String::new(), code, hoisted: Vec::new() })
}

fn is_simple(body: &[Stmt]) -> bool {
    let (mut count, mut loops) = (0, false);
    visit_stmts(body, &mut |stmt| {
        count += 1;
        loops |= matches!(stmt.kind, StmtKind::For { .. });
    });
    count <= SPLIT_SIMPLE_STATEMENTS && !loops
}
