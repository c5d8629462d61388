//! Prints statements: assignments, control flow, loops, errors, warp functions and shared allocations.

use super::arrays::{Exchange, Update};
use super::expr::{Before, Loop, Printer, converted, local_name, record_number, wide_name};
use super::functions::mentions;
use super::types::{array_element, fixed, scalar, suffix};
use super::{Malformed, Part, Site, Space, block_loops, cooperative_grid, malformed};
use crate::analysis::access_pattern::by_reference;
use crate::ir::barriers;
use crate::ir::rewrite::set_in;
use crate::ir::{
    Block, Expr, ExprKind, Failure, FunctionId, Range, Scope, Stmt, StmtKind, VarId, is_warp_function,
};
use crate::source::Span;
use crate::types::known::is_long;
use crate::types::{ElementType, Overflow};
use quasar_devicelib::device_text::FaultRecord;

type Done = Result<(), Malformed>;

impl Printer<'_, '_> {
    /// Prints statements in order.
    pub(super) fn block(&mut self, block: &[Stmt]) -> Done {
        match self.sections.take() {
            Some(section) => self.in_sections(block, section),
            None => block.iter().try_for_each(|stmt| self.stmt(stmt)),
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Done {
        let span = stmt.span;
        if let Some(directive) = self.unit.directive(span) {
            self.lines.push(directive);
        }
        if let Some(done) = self.in_block(stmt) {
            return done;
        }
        match &stmt.kind {
            StmtKind::Assign { variable, value } => {
                if self.in_memory.get(variable) == Some(&Space::Heap) && !self.body.params.contains(variable)
                {
                    return self.assign_made(*variable, value, span);
                }
                if self.in_memory.contains_key(variable) {
                    return malformed(span, "assigning another array to a parameter");
                }
                if let ExprKind::Library { name: name @ ("zeros" | "uninit"), .. } = value.kind
                    && is_long(&value.ty)
                {
                    if name == "zeros" {
                        self.clear(&local_name(*variable), &value.ty);
                    }
                    return Ok(());
                }
                let value = self.value(value)?;
                // Shadow threads, outside the launch, must not accumulate.
                let own = if self.accumulates && self.body.results.contains(variable) {
                    "if (!shadow) "
                } else {
                    ""
                };
                self.lines.push(format!("{own}{} = {value};", local_name(*variable)));
                Ok(())
            }
            StmtKind::Store { array, index, boundary, value } => {
                self.store(array, index, *boundary, value, span)
            }
            StmtKind::Update { array, index, boundary, row, value, atomic, result } => {
                let (boundary, atomic, result) = (*boundary, *atomic, *result);
                self.update(&Update { array, index, boundary, row, value, atomic, result, span })
            }
            StmtKind::Exchange { array, index, boundary, value, expected, result } => {
                let (boundary, expected, result) = (*boundary, expected.as_ref(), *result);
                self.exchange(&Exchange { array, index, boundary, value, expected, result, span })
            }
            StmtKind::Call { function, args, results } => self.call(*function, args, results, span),
            StmtKind::If { condition, then, otherwise } => self.choice(condition, then, otherwise),
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. } => self.rounds(stmt),
            StmtKind::Break { levels } => self.jump(*levels, false, span),
            StmtKind::Continue { levels } => self.jump(*levels, true, span),
            StmtKind::Fail { failure, message } => {
                let kind = match failure {
                    Failure::Raised => FaultRecord::ERROR,
                    Failure::Size => FaultRecord::SIZE,
                    Failure::Argument => FaultRecord::ARGUMENT,
                    Failure::Unset => FaultRecord::UNSET,
                };
                self.fail(kind, message, None, span)
            }
            StmtKind::Assert { condition, text, message } => {
                let condition = self.condition(condition)?;
                self.lines.open(format!("if (!{condition}) {{"));
                self.fail(FaultRecord::ASSERTION, message, Some(text), span)?;
                self.lines.close("}");
                Ok(())
            }
            StmtKind::Shared { variable, dims, zeroed } => self.shared(*variable, dims, *zeroed, span),
            StmtKind::Barrier(Scope::Block) => {
                self.lines.push(if self.block_loops.is_some() { block_loops::WAITS } else { "Q_BARRIER();" });
                Ok(())
            }
            StmtKind::Barrier(Scope::Warp) => {
                self.lines.push("Q_WARP_BARRIER();");
                Ok(())
            }
            StmtKind::Barrier(Scope::Grid | Scope::Host) => {
                self.lines.push(cooperative_grid::WAITS);
                Ok(())
            }
            StmtKind::Fence(Scope::Warp | Scope::Block) => {
                self.lines.push("Q_FENCE_BLOCK();");
                Ok(())
            }
            StmtKind::Fence(Scope::Grid) => {
                self.lines.push("Q_FENCE_GRID();");
                Ok(())
            }
            StmtKind::Fence(Scope::Host) => {
                self.lines.push("Q_FENCE_HOST();");
                Ok(())
            }
            StmtKind::ForEach { .. } => malformed(span, "a loop over the elements of a vector"),
            StmtKind::Launch { .. } => malformed(span, "a launch inside a kernel"),
            StmtKind::Library { name, args, results } if is_warp_function(stmt) => {
                self.warp_function(name, args, results)
            }
            StmtKind::Library { name, .. } => malformed(span, format!("'{name}'")),
            StmtKind::AssignGlobal { .. }
            | StmtKind::SetMember { .. }
            | StmtKind::CallValue { .. }
            | StmtKind::Strips { .. }
            | StmtKind::Try { .. } => malformed(span, "this statement"),
        }
    }

    /// Prints a loop. Heap memory allocated in an iteration is freed at its end if nothing outlives the iteration.
    fn rounds(&mut self, stmt: &Stmt) -> Done {
        let number = self.numbers.stmt(stmt);
        let frees = number.is_some_and(|number| self.heap.loops.contains(&number));
        let ends = frees.then(|| self.mark());
        self.begins.push(ends.clone());
        let done = match &stmt.kind {
            StmtKind::For { variable, range, body, attributes } => {
                self.for_range(*variable, range, body, attributes.unroll)
            }
            StmtKind::While { condition, body } => self.while_loop(condition, body),
            StmtKind::Repeat { body, test, until } => self.repeat(body, test, until),
            _ => Ok(()),
        };
        self.begins.pop();
        if let Some(mark) = ends {
            self.release(&mark);
        }
        done
    }

    /// Warp-level functions.
    fn warp_function(&mut self, name: &str, args: &[Expr], results: &[Option<VarId>]) -> Done {
        let mut values = args.iter().map(|arg| self.value(arg)).collect::<Result<Vec<_>, _>>()?;
        let mut function = format!("q_{name}");
        if name.starts_with("group_shuffle") || name.starts_with("group_match") {
            let Some(element) = args.get(1).and_then(|value| scalar(&value.ty)) else {
                return malformed(
                    args.first().map_or_else(Span::default, |arg| arg.span),
                    "a value of this type",
                );
            };
            function = format!("{function}_{}", suffix(element));
        }
        if name == "group_of_block" {
            values = vec!["thread".to_owned(), "threads".to_owned()];
        }
        let result = match results {
            [Some(result)] => format!("{} = ", local_name(*result)),
            _ => String::new(),
        };
        self.lines.push(format!("{result}{function}({});", values.join(", ")));
        Ok(())
    }

    fn choice(&mut self, condition: &Expr, then: &Block, otherwise: &Block) -> Done {
        let condition = self.condition(condition)?;
        self.lines.open(format!("if ({condition}) {{"));
        self.block(then)?;
        if !otherwise.is_empty() {
            self.lines.next("} else {");
            self.block(otherwise)?;
        }
        self.lines.close("}");
        Ok(())
    }

    fn enter(&mut self, repeat: bool) {
        self.temporaries += 1;
        self.loops.push(Loop { number: self.temporaries, repeat, leaves: false, continues: false });
    }

    /// The body of a loop, with the label that `continue` jumps to, if any. The body is then a block of its own, since
    /// a `goto` may not jump over declarations.
    fn loop_body(&mut self, body: &Block) -> Done {
        let (lines, _) = self.aside(0, |p| {
            if let Some(Some(mark)) = p.begins.last().cloned() {
                p.release(&mark);
            }
            p.block(body).map(|()| String::new())
        })?;
        match self.loops.last() {
            Some(inner) if inner.continues => {
                let label = format!("l{}_next: ;", inner.number);
                self.lines.push("{");
                self.lines.append(&lines);
                self.lines.push("}");
                self.lines.push(label);
            }
            _ => self.lines.append(&lines),
        }
        Ok(())
    }

    /// Closes a loop, with the label that `break` jumps to, if any.
    fn exit(&mut self) {
        if let Some(inner) = self.loops.pop()
            && inner.leaves
        {
            self.lines.push(format!("l{}_end: ;", inner.number));
        }
    }

    fn for_range(&mut self, variable: VarId, range: &Range, body: &Block, copies: Option<u32>) -> Done {
        let done = self.for_values(variable, range, body, copies);
        self.wide.remove(&variable);
        done
    }

    /// `copies` is how often the body is written out, 0 for all iterations.
    fn for_values(&mut self, variable: VarId, range: &Range, body: &Block, copies: Option<u32>) -> Done {
        let name = local_name(variable);
        let Some(element) = scalar(&range.from.ty) else {
            return malformed(range.from.span, "a loop over a range of unknown type");
        };
        if element != ElementType::Int32 {
            return self.for_floats(&name, element, range, body);
        }
        let (from, to) = (self.simple(&range.from)?, self.simple(&range.to)?);
        let step = range.step.as_ref().map_or(Ok("1".to_owned()), |step| self.simple(step))?;
        let constant = |e: &Expr| e.constant_int().map(i64::from);
        let ends =
            (constant(&range.from), range.step.as_ref().map_or(Some(1), constant), constant(&range.to));
        let k = self.temporary();
        match ends {
            // Known bounds far from overflow let the C compiler see the trip count and unroll.
            (Some(_), Some(by), Some(last)) if by != 0 && last.abs() + by.abs() < i64::from(i32::MAX) => {
                if copies == Some(0) {
                    return self.unrolled(
                        &name,
                        &format!(
                            "{k} = {from}; {k} {} {to}; {k} += {step}",
                            if by > 0 { "<=" } else { ">=" }
                        ),
                        &k,
                        variable,
                        body,
                    );
                }
                self.unroll_pragma(copies);
                let test = if by > 0 { "<=" } else { ">=" };
                self.lines.open(format!("for (q_i32 {k} = {from}; {k} {test} {to}; {k} += {step}) {{"));
                self.lines.push(format!("{name} = {k};"));
            }
            _ => {
                let count = self.temporary();
                let steps = match ends.1 {
                    Some(1) => format!("q_unit_steps({from}, {to})"),
                    _ => format!("q_steps({from}, {step}, {to})"),
                };
                self.lines.push(format!("const q_u32 {count} = {steps};"));
                self.unroll_pragma(copies);
                self.lines.open(format!("for (q_u32 {k} = 0; {k} < {count}; ++{k}) {{"));
                self.lines.push(format!("{name} = (q_i32)((q_u32)({from}) + {k} * (q_u32)({step}));"));
                self.widen(variable, &from, &step, &k);
            }
        }
        self.enter(false);
        self.loop_body(body)?;
        self.lines.close("}");
        self.exit();
        Ok(())
    }

    fn unroll_pragma(&mut self, copies: Option<u32>) {
        if let Some(copies) = copies.filter(|copies| *copies > 0) {
            self.lines.push(format!("#pragma unroll {copies}"));
        }
    }

    /// An unrolled loop. Costly loop-invariant values are hoisted here, since C compilers fail to hoist functions with
    /// branches.
    fn unrolled(&mut self, name: &str, header: &str, k: &str, variable: VarId, body: &Block) -> Done {
        let mut changing = set_in(body);
        changing.insert(variable);
        let outer = self.before.replace(Before { changing, values: Vec::new() });
        self.enter(false);
        let printed = self.aside(1, |p| p.loop_body(body).map(|()| String::new()));
        let before = std::mem::replace(&mut self.before, outer);
        let (lines, _) = printed?;
        for (value, name) in before.into_iter().flat_map(|before| before.values) {
            self.lines.push(format!("const q_i32 {name} = {value};"));
        }
        self.lines.push("#pragma unroll");
        self.lines.open(format!("for (q_i32 {header}) {{"));
        self.lines.push(format!("{name} = {k};"));
        self.lines.append(&lines);
        self.lines.close("}");
        self.exit();
        Ok(())
    }

    /// Declares the loop variable again in the offset type, in which compilers see the stride of addresses.
    pub(super) fn widen(&mut self, variable: VarId, from: &str, step: &str, round: &str) {
        let is_ranged = self.version.is_some_and(|version| version.ranged.contains(&variable));
        if is_ranged && self.wide.insert(variable) {
            let (name, index) = (wide_name(variable), "(Q_INDEX)");
            self.lines
                .push(format!("const Q_INDEX {name} = {index}({from}) + {index}{round} * {index}({step});"));
        }
    }

    fn for_floats(&mut self, name: &str, element: ElementType, range: &Range, body: &Block) -> Done {
        let mut ends = Vec::new();
        for end in [Some(&range.from), range.step.as_ref(), Some(&range.to)].into_iter().flatten() {
            let from = scalar(&end.ty).unwrap_or(ElementType::Int32);
            let (value, kept) = (self.value(end)?, self.temporary());
            let value = converted(&value, from, ElementType::Double, Overflow::Wrap);
            self.lines.push(format!("const q_f64 {kept} = {value};"));
            ends.push(kept);
        }
        let (from, step, to) = match ends.as_slice() {
            [from, step, to] => (from, step.as_str(), to),
            [from, to] => (from, "1.0", to),
            _ => return malformed(range.from.span, "this range"),
        };
        let (k, count) = (self.temporary(), self.temporary());
        let value = format!("({from} + (q_f64){k} * {step})");
        let value = converted(&value, ElementType::Double, element, Overflow::Wrap);
        self.lines.push(format!("const q_u64 {count} = q_float_steps({from}, {step}, {to});"));
        self.lines.open(format!("for (q_u64 {k} = 0; {k} < {count}; ++{k}) {{"));
        self.lines.push(format!("{name} = {value};"));
        self.enter(false);
        self.loop_body(body)?;
        self.lines.close("}");
        self.exit();
        Ok(())
    }

    fn while_loop(&mut self, condition: &Expr, body: &Block) -> Done {
        let (before, test) = self.aside(1, |p| p.condition(condition))?;
        self.enter(false);
        let (iteration, _) = self.aside(1, |p| p.loop_body(body).map(|()| String::new()))?;
        let fails = before.mentions("fault") || mentions(&test, "fault") || iteration.mentions("fault");
        let stops = self.stops(fails, body);
        if before.is_empty() {
            self.lines.open(format!("while ({test}) {{"));
        } else {
            self.lines.open("while (1) {");
            self.lines.append(&before);
            self.lines.push(format!("if (!{test}) break;"));
        }
        stops.iter().for_each(|line| self.lines.push(line));
        self.lines.append(&iteration);
        self.lines.close("}");
        self.exit();
        Ok(())
    }

    fn repeat(&mut self, body: &Block, test: &Block, until: &Expr) -> Done {
        self.enter(true);
        let (iteration, _) = self.aside(1, |p| {
            p.loop_body(body)?;
            // Jumps in the test refer to outer loops only.
            let inner = p.loops.pop();
            p.block(test)?;
            let until = p.condition(until)?;
            p.lines.push(format!("if ({until}) break;"));
            p.loops.extend(inner);
            Ok(String::new())
        })?;
        let stops = self.stops(iteration.mentions("fault"), body);
        self.lines.open("while (1) {");
        stops.iter().for_each(|line| self.lines.push(line));
        self.lines.append(&iteration);
        self.lines.close("}");
        self.exit();
        Ok(())
    }

    /// The line at the head of a loop without an end of its own by which it ends when an access in it has failed: the zero that
    /// such an access gives may keep it going. Declares the counter that the line uses. Loops in which threads meet go on,
    /// since the others wait.
    fn stops(&mut self, fails: bool, body: &Block) -> Option<String> {
        (fails && !barriers::meets(body)).then(|| {
            let counter = self.temporary();
            self.lines.push(format!("q_u32 {counter} = 0;"));
            format!("if (q_stops(fault, ++{counter})) break;")
        })
    }

    fn jump(&mut self, levels: u32, continues: bool, span: Span) -> Done {
        let Some(k) = self.loops.len().checked_sub(1 + levels as usize) else {
            return malformed(span, "a jump out of a parallel loop");
        };
        let target = &mut self.loops[k];
        let direct = levels == 0 && !(continues && target.repeat);
        let line = match (direct, continues) {
            (true, true) => "continue;".to_owned(),
            (true, false) => "break;".to_owned(),
            (false, true) => {
                target.continues = true;
                format!("goto l{}_next;", target.number)
            }
            (false, false) => {
                target.leaves = true;
                format!("goto l{}_end;", target.number)
            }
        };
        self.lines.push(line);
        Ok(())
    }

    /// Records an error with its message and leaves.
    fn fail(&mut self, kind: i32, message: &[Expr], condition: Option<&str>, span: Span) -> Done {
        let (mut parts, mut records) = (Vec::new(), Vec::new());
        for part in message {
            match (&part.kind, fixed(&part.ty), scalar(&part.ty)) {
                (ExprKind::Text(text), _, _) => parts.push(Part::Text(text.clone())),
                (_, Some(sizes), _) => {
                    let value = self.value(part)?;
                    let element = array_element(&part.ty).unwrap_or(ElementType::Int32);
                    for k in 0..sizes.iter().product() {
                        records.push((format!("{value}.e[{k}]"), element));
                    }
                    parts.push(Part::Array(element, sizes));
                }
                (_, None, Some(element)) if scalar(&part.ty).is_some() => {
                    records.push((self.simple(part)?, element));
                    parts.push(Part::Number(element));
                }
                _ => return malformed(part.span, "a value of this type in the message of an error"),
            }
        }
        if let (Some(text), true) = (condition, message.is_empty()) {
            parts.push(Part::Text(text.to_owned()));
        }
        let line = self.unit.line(span);
        let site = self.unit.site(Site { subject: String::new(), line, message: parts });
        if records.is_empty() {
            self.lines.push(format!("q_fail(fault, {kind}, {site});"));
        } else {
            self.lines.open(format!("if (q_fail(fault, {kind}, {site})) {{"));
            let mut k = 0;
            for (value, element) in &records {
                self.lines.push(record_number(k, value, *element));
                k += if element.is_complex() { 2 } else { 1 };
            }
            self.lines.close("}");
        }
        self.leave();
        Ok(())
    }

    /// Allocates a shared array: static if the extents are constants, otherwise from dynamic shared memory.
    fn shared(&mut self, variable: VarId, dims: &[Expr], zeroed: bool, span: Span) -> Done {
        let declared = &self.body.variables[variable];
        let (Some(element), Some(rank)) = (array_element(&declared.ty), super::types::rank(&declared.ty))
        else {
            return malformed(span, "a shared array of this type");
        };
        if rank != dims.len() || self.in_memory.get(&variable) != Some(&Space::Shared) {
            return malformed(span, "a shared array whose number of dimensions is not known");
        }
        let (name, ty) = (local_name(variable), format!("q_{}", super::types::suffix(element)));
        let constant = dims.iter().all(|dim| dim.constant_int().is_some());
        let fixed = self.unit.schedule.shared.get(&variable).copied().flatten();
        for (axis, dim) in dims.iter().enumerate() {
            let value = self.value(dim)?;
            self.lines.push(format!("{name}_d{axis} = {value};"));
        }
        if fixed.is_none() || !constant {
            self.unit.dynamic_shared |= fixed.is_none();
            let line = self.unit.line(span);
            let subject = declared.name.clone();
            let site = self.unit.site(Site {
                subject,
                line,
                message: vec![Part::Text("out of shared memory".into())],
            });
            let extents: Vec<String> = (0..rank).map(|axis| format!("{name}_d{axis}")).collect();
            let count = extents.iter().fold("(q_i64)1".to_owned(), |n, d| format!("{n} * {d}"));
            let negative = extents.iter().map(|d| format!("{d} < 0")).collect::<Vec<_>>().join(" || ");
            let too_many = match fixed {
                Some(most) => format!("({count}) > {most}"),
                None => format!("({count}) * (q_i64)sizeof({ty}) > (q_i64)shared_bytes - (q_i64)shared_used"),
            };
            self.lines.open(format!("if ({negative} || {too_many}) {{"));
            self.lines.push(format!("q_fail(fault, 3, {site});"));
            for extent in &extents {
                self.lines.push(format!("{extent} = 0;"));
            }
            self.lines.close("}");
            if fixed.is_none() {
                self.lines.push(format!("{name} = (Q_SHARED {ty}*)(shared_memory + shared_used);"));
                self.lines
                    .push(format!("shared_used += (q_u32)((({count}) * sizeof({ty}) + 15) / 16 * 16);"));
            }
        }
        if zeroed {
            let extents: Vec<String> = (0..rank).map(|axis| format!("{name}_d{axis}")).collect();
            let zero = super::expr::zero(element);
            self.lines.push(format!(
                "for (q_i32 k = thread; k < {}; k += threads) {name}[k] = {zero};",
                extents.join(" * ")
            ));
        }
        Ok(())
    }

    fn call(&mut self, function: FunctionId, args: &[Expr], results: &[Option<VarId>], span: Span) -> Done {
        let callee = self.unit.function(function);
        let (mut spaces, mut values) = (Vec::new(), Vec::new());
        for (arg, &param) in args.iter().zip(&callee.body.params) {
            if !by_reference(self.unit.program, &callee.body, param) {
                values.push(self.value(arg)?);
                continue;
            }
            let ExprKind::Local(v) = arg.kind else {
                return malformed(arg.span, "passing this array to a device function");
            };
            let rank = super::types::rank(&callee.body.variables[param].ty).unwrap_or(1);
            let name = local_name(v);
            match (self.in_memory.get(&v), fixed(&self.body.variables[v].ty)) {
                (Some(space), _) => {
                    spaces.push(*space);
                    values.push(name.clone());
                    values.extend((0..rank).map(|axis| format!("{name}_d{axis}")));
                }
                (None, Some(sizes)) => {
                    spaces.push(Space::Private);
                    values.push(format!("{name}.e"));
                    values.extend((0..rank).map(|axis| sizes.get(axis).copied().unwrap_or(1).to_string()));
                }
                (None, None) => return malformed(arg.span, "passing this array to a device function"),
            }
        }
        let called = self.unit.device_function(function, &spaces, self.shadows, span)?;
        values.extend(called.extra.iter().map(|s| (*s).to_owned()));
        let frees = self.unit.schedule.heap.functions.get(&function).is_some_and(|scopes| scopes.call);
        let mark = frees.then(|| self.mark());
        let call = format!("{}({})", called.name, values.join(", "));
        let wanted: Vec<Option<VarId>> = results.to_vec();
        if wanted.iter().all(Option::is_none) {
            self.lines.push(format!("{call};"));
        } else if callee.body.results.len() == 1 {
            if let Some(Some(v)) = wanted.first() {
                if self.in_memory.get(v) == Some(&Space::Heap) {
                    let kept = self.temporary();
                    self.lines.push(format!("const {} {kept} = {call};", called.result));
                    self.receive_made(*v, &kept);
                } else {
                    self.lines.push(format!("{} = {call};", local_name(*v)));
                }
            }
        } else {
            let kept = self.temporary();
            self.lines.push(format!("const {} {kept} = {call};", called.result));
            for (k, target) in wanted.iter().enumerate() {
                let Some(v) = target else { continue };
                match self.in_memory.get(v) {
                    Some(Space::Heap) => self.receive_made(*v, &format!("{kept}.f{k}")),
                    _ => self.lines.push(format!("{} = {kept}.f{k};", local_name(*v))),
                }
            }
        }
        if let Some(mark) = mark {
            self.release(&mark);
        }
        Ok(())
    }
}
