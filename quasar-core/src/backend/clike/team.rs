//! Kernels with one block for each position, whose threads share the rounds of a loop.

use super::entry::{Entry, Version};
use super::expr::{Printer, apply, local_name};
use super::granted::{self, Granted};
use super::lines::Lines;
use super::types::{constant, scalar, suffix};
use super::{Refusal, TEAM_THREADS, refuse, walk};
use crate::analysis::long_loop::LongLoop;
use crate::ir::rewrite::visit_stmts;
use crate::ir::{Kernel, Range, Stmt, StmtKind, VarId};
use std::collections::BTreeSet;

/// So many rounds of a simple loop fetch at once.
const AT_ONCE: usize = 8;
/// A loop with more statements is none.
const SIMPLE: usize = 4;

impl Entry {
    /// Everything behind the declarations of parameters.
    pub(super) fn team<'p>(
        &mut self,
        printer: &mut Printer<'_, 'p>,
        kernel: &'p Kernel,
        long: &LongLoop,
    ) -> Result<(), Refusal> {
        let block = &kernel.body.block;
        let StmtKind::For { variable, range, body, .. } = &block[long.at].kind else {
            return refuse(kernel.span, "this loop");
        };
        printer.locals(&kernel.body.params, &[])?;
        let locals = std::mem::replace(&mut printer.lines, Lines::at(1));
        "return;".clone_into(&mut printer.leave);
        printer.block(&block[..long.at])?;
        let (from, to) = (printer.simple(&range.from)?, printer.simple(&range.to)?);
        let step = range.step.as_ref().map_or(Ok("1".to_owned()), |step| printer.simple(step))?;
        printer.lines.push(format!("const q_u32 rounds = q_steps({from}, {step}, {to});"));
        let before = std::mem::replace(&mut printer.lines, Lines::at(1));
        let given = Granted::new(&kernel.body, BTreeSet::new(), None, false);
        let fast = rounds(printer, *variable, range, (&from, &step), body, Some(given))?;
        let general = rounds(printer, *variable, range, (&from, &step), body, None)?;
        "return;".clone_into(&mut printer.leave);
        printer.block(&block[long.at + 1..])?;
        let after = std::mem::replace(&mut printer.lines, Lines::at(1));
        let lines = &mut self.inside;
        lines.push("const q_u64 here = (q_u64)Q_BLOCK(0);");
        walk::components(lines, kernel, "here", &|_| true);
        lines.append(&locals);
        lines.append(&before);
        let values: Vec<Value> =
            long.accumulators.iter().map(|each| Value::new(kernel, each)).collect::<Result<_, _>>()?;
        for Value { name, ty, start, .. } in &values {
            lines.push(format!("const {ty} before_{name} = {name};"));
            lines.push(format!("{name} = {start};"));
        }
        let simple = is_simple(body);
        if let Some(condition) = granted::printed(&fast.granted.launch) {
            lines.open(format!("if ({condition}) {{"));
            shared_rounds(lines, simple, &fast);
            lines.next("} else {");
            shared_rounds(lines, simple, &general);
            lines.close("}");
        } else {
            shared_rounds(lines, simple, &general);
        }
        lines.push("team: ;");
        for (value, (_, row)) in values.iter().zip(&long.accumulators) {
            let Value { name, ty, element, .. } = value;
            lines.push(format!("Q_SHARED_DECL {ty} all_{name}[{TEAM_THREADS}];"));
            walk::combine(lines, &format!("all_{name}"), name, row, *element, TEAM_THREADS);
            let total = apply(row, *element, &[format!("before_{name}"), format!("all_{name}[0]")]);
            lines.push(format!("{name} = {total};"));
        }
        lines.push("if (Q_THREAD(0) != 0) return;");
        lines.append(&after);
        Ok(())
    }
}

/// An accumulated variable.
struct Value {
    name: String,
    ty: String,
    element: crate::types::ElementType,
    /// The neutral value.
    start: String,
}

impl Value {
    fn new(
        kernel: &Kernel,
        (variable, row): &(VarId, &'static quasar_devicelib::ops::Row),
    ) -> Result<Value, Refusal> {
        let Some(element) = scalar(&kernel.body.variables[*variable].ty) else {
            return refuse(kernel.span, "a result of this type");
        };
        let start = constant(quasar_devicelib::ops::neutral(row.name, element));
        Ok(Value { name: local_name(*variable), ty: format!("q_{}", suffix(element)), element, start })
    }
}

/// The walk of a thread over its rounds.
fn shared_rounds(lines: &mut Lines, simple: bool, body: &Version) {
    if simple {
        lines.push(format!("#pragma unroll {AT_ONCE}"));
    }
    lines.open(format!("for (q_u64 round = Q_THREAD(0); round < rounds; round += {TEAM_THREADS}) {{"));
    lines.append_text(&body.code);
    lines.close("}");
}

/// The code of a round.
fn rounds<'p>(
    printer: &mut Printer<'_, 'p>,
    variable: VarId,
    range: &Range,
    (from, step): (&str, &str),
    body: &'p [Stmt],
    granted: Option<Granted>,
) -> Result<Version, Refusal> {
    "goto team;".clone_into(&mut printer.leave);
    printer.granted = granted;
    if let Some(granted) = &mut printer.granted {
        granted.enter(variable, range);
    }
    let outer = std::mem::replace(&mut printer.lines, Lines::at(3));
    printer.lines.push(format!(
        "{} = (q_i32)((q_u32)({from}) + (q_u32)round * (q_u32)({step}));",
        local_name(variable)
    ));
    printer.widen(variable, from, step, "round");
    printer.block(body)?;
    let code = std::mem::replace(&mut printer.lines, outer).into_text();
    let granted = printer.granted.take().unwrap_or_default();
    Ok(Version { locals: String::new(), code, granted, ahead: Vec::new() })
}

fn is_simple(body: &[Stmt]) -> bool {
    let (mut count, mut loops) = (0, false);
    visit_stmts(body, &mut |stmt| {
        count += 1;
        loops |= matches!(stmt.kind, StmtKind::For { .. });
    });
    count <= SIMPLE && !loops
}
