//! A block of threads per position: the threads share the iterations of some loops, and the first one does alone what is done
//! once. After an error all threads leave; one that is alone goes on to where the others wait.
//!
//! On CUDA devices, long loops at few positions are shared by a team of several blocks (`parts`), which are all resident, and only
//! in launches that cannot fail. They wait for each other in memory, where they also exchange what they accumulate.

use super::entry::Entry;
use super::expr::{Printer, local_name};
use super::lines::Lines;
use super::split_reduction::Value;
use super::types::{scalar, suffix};
use super::{Malformed, conditions, grid_stride};
use crate::ir::affine::Conditions;
use crate::ir::numbers::NodeNumbers;
use crate::ir::schedule::{BlockLoops, SharedLoop};
use crate::ir::{Kernel, Range, Stmt, StmtKind, VarId};
use crate::target::gpu::{POSITION_THREADS, SPLIT_COUNTERS};
use crate::types::ElementType;
use std::collections::BTreeSet;

/// Waiting for the blocks of a team, which count each time that they arrive. The last block to leave resets the counter for the next
/// launch.
const WAIT: &str = "\
#ifdef Q_CUDA
Q_FN void wait_for_team(volatile Q_GLOBAL q_u32* arrived, q_u32 parts, q_u32* wanted) {
    Q_BARRIER();
    if (parts < 2u) return;
    *wanted += parts;
    if (Q_THREAD(0) == 0) {
        Q_FENCE_GRID();
        q_atomic_add_u32(arrived, 1u);
        while ((q_i32)(*arrived - *wanted) < 0) {}
        Q_FENCE_GRID();
    }
    Q_BARRIER();
}
Q_FN void leave_team(volatile Q_GLOBAL q_u32* arrived, q_u32 parts, q_u32 wanted) {
    if (parts < 2u || Q_THREAD(0) != 0) return;
    if (q_atomic_add_u32(arrived, 1u) == wanted + parts - 1u) *arrived = 0u;
}
#define Q_WAIT_FOR_TEAM() wait_for_team(arrived, parts, &wanted)
#else
#define Q_WAIT_FOR_TEAM() Q_BARRIER()
#endif
";

/// Where all threads of a position wait for each other.
pub(super) const WAITS: &str = "Q_WAIT_FOR_TEAM();";

impl Entry {
    /// Prints the body after the parameter declarations. Returns the conditions under which a launch cannot fail. Others do not
    /// run on OpenCL devices, whose compilers do not take every return in front of a barrier.
    pub(super) fn block_loops<'p>(
        &mut self,
        printer: &mut Printer<'_, 'p>,
        kernel: &'p Kernel,
        form: &'p BlockLoops,
    ) -> Result<Option<Conditions>, Malformed> {
        printer.unit.printed.push(WAIT.to_owned());
        (printer.body, printer.numbers) = (&form.body, NodeNumbers::of(&form.body.block));
        printer.block_loops = Some(form);
        let schedule = printer.unit.schedule;
        let fast = match &schedule.versions.block {
            Some(facts) => Some((printer.version(kernel, 2, "return;", Some(facts))?, facts)),
            None => None,
        };
        let safe = fast.as_ref().and_then(|(_, facts)| printer.succeeds_where(facts));
        let general = printer.version(kernel, 2, "return;", None)?;
        self.declared(printer);
        self.params.extend(["q_u32 parts", "Q_GLOBAL q_u64* scratch"].map(str::to_owned));
        let lines = &mut self.inside;
        lines.push("const q_u64 here = (q_u32)Q_BLOCK(0) / parts;");
        lines.push("const q_u32 part = (q_u32)Q_BLOCK(0) - (q_u32)here * parts;");
        lines.push("volatile Q_GLOBAL q_u32* arrived = (volatile Q_GLOBAL q_u32*)scratch + here;");
        lines.push("q_u32 wanted = 0, turn = 0;");
        grid_stride::components(lines, kernel, "here", &|_| true);
        for element in elements(form) {
            let element = suffix(element);
            lines.push(format!("Q_SHARED_DECL q_{element} all_{element}[{POSITION_THREADS}];"));
        }
        let condition = fast.as_ref().and_then(|(_, facts)| conditions::printed(&facts.launch));
        match (&fast, condition) {
            (Some((fast, _)), Some(condition)) => {
                lines.push("#ifdef Q_CUDA");
                lines.push(format!("if (!({condition})) {{"));
                general.print(lines);
                lines.push("return;");
                lines.push("}");
                lines.push("#endif");
                fast.print(lines);
            }
            (Some((fast, _)), None) => fast.print(lines),
            (None, _) => general.print(lines),
        }
        lines.push("#ifdef Q_CUDA");
        lines.push("leave_team(arrived, parts, wanted);");
        lines.push("#endif");
        Ok(safe)
    }
}

/// The types of what shared loops accumulate.
fn elements(form: &BlockLoops) -> BTreeSet<ElementType> {
    let accumulated = form.loops.values().flat_map(|each| &each.accumulators);
    accumulated.filter_map(|each| scalar(&form.body.variables[each.variable].ty)).collect()
}

impl Printer<'_, '_> {
    /// Prints a statement of a block of threads, if it is one that threads share or that the first one does alone.
    pub(super) fn in_block(&mut self, stmt: &Stmt) -> Option<Result<(), Malformed>> {
        let form = self.block_loops?;
        let number = self.numbers.stmt(stmt)?;
        if form.first.contains(&number) {
            return Some(self.by_first(stmt));
        }
        Some(self.shared_loop(stmt, form.loops.get(&number)?))
    }

    fn by_first(&mut self, stmt: &Stmt) -> Result<(), Malformed> {
        self.lines.open("if (part == 0u && Q_THREAD(0) == 0) {");
        self.leaving_to_all(|p| p.stmt(stmt))?;
        Ok(())
    }

    /// Prints what a thread does alone, up to a brace. After an error it goes on behind that.
    fn leaving_to_all(
        &mut self,
        print: impl FnOnce(&mut Self) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        let label = format!("{}_all", self.temporary());
        let leave = std::mem::replace(&mut self.leave, format!("goto {label};"));
        let form = self.block_loops.take();
        let done = print(self);
        (self.leave, self.block_loops) = (leave, form);
        done?;
        self.lines.close("}");
        self.lines.push(format!("{label}: ;"));
        Ok(())
    }

    fn shared_loop(&mut self, stmt: &Stmt, shared: &SharedLoop) -> Result<(), Malformed> {
        let variables = &self.body.variables;
        let values = shared.accumulators.iter().map(|each| Value::new(variables, each, stmt.span));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        self.lines.open("{");
        let (mut loops, mut body) = (Vec::new(), std::slice::from_ref(stmt));
        for _ in 0..shared.collapsed {
            let [Stmt { kind: StmtKind::For { variable, range, body: inner, .. }, .. }] = body else { break };
            loops.push(self.counted(*variable, range)?);
            body = inner;
        }
        for Value { name, ty, start, .. } in &values {
            self.lines.push(format!("const {ty} before_{name} = {name};"));
            self.lines.push(format!("{name} = {start};"));
        }
        let ends = self.open_shared(&loops);
        self.leaving_to_all(|p| {
            body.iter().try_for_each(|stmt| p.stmt(stmt))?;
            ends.iter().for_each(|line| p.lines.push(line));
            Ok(())
        })?;
        for each in &loops {
            self.wide.remove(&each.variable);
        }
        let most = self.block_loops.map_or(0, BlockLoops::values);
        combine(&mut self.lines, &values, most);
        self.lines.close("}");
        Ok(())
    }

    /// Computes the bounds of a loop.
    fn counted(&mut self, variable: VarId, range: &Range) -> Result<Counted, Malformed> {
        let (from, to) = (self.simple(&range.from)?, self.simple(&range.to)?);
        let step = range.step.as_ref().map_or(Ok("1".to_owned()), |step| self.simple(step))?;
        let (round, count) = (self.temporary(), self.temporary());
        self.lines.push(format!("const q_u64 {count} = q_steps({from}, {step}, {to});"));
        Ok(Counted { variable, from, step, round, count })
    }

    /// Opens a loop over the iterations of a thread, and gives what ends each of them. The number of an iteration of collapsed loops
    /// has a digit for each loop, to which the digits of the number of threads are added.
    fn open_shared(&mut self, loops: &[Counted]) -> Vec<String> {
        let Some((first, inner)) = loops.split_first() else { return Vec::new() };
        for (suffix, value) in
            [("", "part * Q_BLOCK_DIM(0) + Q_THREAD(0)"), ("_by", "parts * Q_BLOCK_DIM(0)")]
        {
            let mut rest = format!("(q_u64)({value})");
            for Counted { round, count, .. } in inner.iter().rev() {
                let next = format!("{round}{suffix}_rest");
                self.lines.push(format!("const q_u64 {next} = {rest} / ({count} + ({count} == 0));"));
                self.lines.push(format!("q_u64 {round}{suffix} = {rest} - {next} * {count};"));
                rest = next;
            }
            self.lines.push(format!("q_u64 {}{suffix} = {rest};", first.round));
        }
        let mut some = vec![format!("{} < {}", first.round, first.count)];
        some.extend(inner.iter().map(|each| format!("{} > 0", each.count)));
        self.lines.open(format!("while ({}) {{", some.join(" && ")));
        for Counted { variable, from, step, round, .. } in loops {
            let name = local_name(*variable);
            self.lines.push(format!("{name} = (q_i32)((q_u32)({from}) + (q_u32){round} * (q_u32)({step}));"));
            self.widen(*variable, from, step, round);
        }
        let mut ends: Vec<String> = Vec::new();
        for (outer, Counted { round, count, .. }) in loops.iter().zip(inner).rev() {
            let outer = &outer.round;
            ends.push(format!("{round} += {round}_by;"));
            ends.push(format!("if ({round} >= {count}) {{ {round} -= {count}; ++{outer}; }}"));
        }
        ends.push(format!("{0} += {0}_by;", first.round));
        ends
    }
}

/// Combines what the threads have accumulated with what the variables were before the loop, in all threads. Blocks have places
/// for `most` values.
fn combine(lines: &mut Lines, values: &[Value], most: usize) {
    if values.is_empty() {
        return;
    }
    values.iter().for_each(|value| value.combine_in_block(lines));
    lines.push("#ifdef Q_CUDA");
    lines.open("if (parts > 1u) {");
    // A block may not overwrite what another one still reads: places take turns.
    let (first, count) = (SPLIT_COUNTERS / 2, values.len());
    lines.push(format!("Q_GLOBAL q_u64* found = scratch + {first} + (here * 2u + turn) * parts * {most}u;"));
    let slot = |value: &Value, part: &str, k: usize| {
        format!("*(volatile Q_GLOBAL {}*)(found + {part} * {count}u + {k})", value.ty)
    };
    lines.open("if (Q_THREAD(0) == 0) {");
    for (k, value) in values.iter().enumerate() {
        lines.push(format!("{} = {};", slot(value, "part", k), value.name));
    }
    lines.close("}");
    lines.push(WAITS);
    lines.push("turn ^= 1u;");
    for (k, value) in values.iter().enumerate() {
        let Value { name, start, .. } = value;
        lines.push(format!("{name} = {start};"));
        let both = value.both(name.clone(), slot(value, "t", k));
        lines.push(format!("for (q_u32 t = Q_THREAD(0); t < parts; t += Q_BLOCK_DIM(0)) {name} = {both};"));
        value.combine_in_block(lines);
    }
    lines.close("}");
    lines.push("#endif");
    for value in values {
        let Value { name, .. } = value;
        lines.push(format!("{name} = {};", value.both(format!("before_{name}"), name.clone())));
    }
}

/// A loop whose bounds are computed.
struct Counted {
    variable: VarId,
    from: String,
    step: String,
    /// The number of the iteration.
    round: String,
    /// How many there are.
    count: String,
}
