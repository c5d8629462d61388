//! Thread loops: parallel loops that cannot be kernels. The body becomes a host function, so that its variables belong to
//! one iteration, and threads of the CPU share its calls:
//!
//! ```text
//! {!parallel for}                      {!threads for}
//! for m = 0..M-1                       for m = 0..M-1
//!     w = sort(x[m,:])        =>           parallel_main_line2(m, x, y)
//!     y[m] = w[1]                      endfor
//! endfor
//! ```
//!
//! What iterations only add to is kept for each of them and combined in order.

use super::outline::{add_params, inputs, loop_value, trip_count};
use crate::analysis::aliases::Aliases;
use crate::analysis::dependence::Loop;
use crate::analysis::host_dependence;
use crate::analysis::points_to::{ProgramAliases, Sharing};
use crate::ids::Arena;
use crate::ir::rewrite::{blocks, copy_block, free_variables, root, set_in, stored_in, visit_stmts};
use crate::ir::{
    Block, Body, Expr, ExprKind, Function, FunctionId, Index, LoopAttributes, LoopMode, Program, Range, Stmt,
    StmtKind, VarId, VarSet, build,
};
use crate::source::Span;
use crate::types::Boundary;
use quasar_devicelib::ops::Row;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What calls of functions in host code may change besides their results.
pub(super) struct HostEffects {
    /// Functions whose calls keep their order, each with what it does.
    ordered: BTreeMap<FunctionId, String>,
    /// Functions that may change what others see, or read what may change without being passed to them.
    writes: BTreeSet<FunctionId>,
}

impl HostEffects {
    /// Those of a program, by what its functions and the functions that they call do.
    pub(super) fn of(program: &Program, aliases: &ProgramAliases) -> HostEffects {
        let mut callers: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
        let mut found = HostEffects { ordered: BTreeMap::new(), writes: BTreeSet::new() };
        let mut open = Vec::new();
        for (id, function) in program.functions.iter() {
            let points = aliases.of_function(id).cloned().unwrap_or_default();
            let aliases = Aliases::of(&function.body, points);
            let params = function.body.params.iter().copied().collect();
            let shared = Shared { variables: params, aliases: &aliases, updates_apart: false };
            if let Some((_, what)) = found.reason(&function.body.block, &shared, &program.functions) {
                found.ordered.insert(id, what);
                open.push(id);
            }
            if host_dependence::is_seen_outside(&function.body.block, &|v| shared.reaches(v)) {
                found.writes.insert(id);
            }
            visit_stmts(&function.body.block, &mut |stmt| {
                if let StmtKind::Call { function, .. } = &stmt.kind {
                    callers.entry(*function).or_default().push(id);
                }
            });
        }
        let mut writes: Vec<FunctionId> = found.writes.iter().copied().collect();
        while let Some(id) = writes.pop() {
            let callers = callers.get(&id).into_iter().flatten();
            writes.extend(callers.filter(|caller| found.writes.insert(**caller)));
        }
        while let Some(id) = open.pop() {
            let what = called(&program.functions[id]);
            for caller in callers.remove(&id).unwrap_or_default() {
                if let Entry::Vacant(place) = found.ordered.entry(caller) {
                    place.insert(what.clone());
                    open.push(caller);
                }
            }
        }
        found
    }

    /// Whether calls of a function may do more than give results, made from what is passed to it.
    pub(super) fn writes(&self, function: FunctionId) -> bool {
        self.writes.contains(&function)
    }

    /// What in a block keeps it from being run by several threads at once, and where.
    pub(super) fn reason(
        &self,
        block: &[Stmt],
        shared: &Shared<'_>,
        functions: &Arena<Function>,
    ) -> Option<(Span, String)> {
        let mut found = None;
        visit_stmts(block, &mut |stmt| {
            if found.is_none() {
                found = self.reason_of(stmt, shared, functions).map(|what| (stmt.span, what));
            }
        });
        found
    }

    fn reason_of(&self, stmt: &Stmt, shared: &Shared<'_>, functions: &Arena<Function>) -> Option<String> {
        let is_shared = |expr: &Expr| root(expr).is_none_or(|variable| shared.reaches(variable));
        match &stmt.kind {
            StmtKind::Library { name, .. } => Some(format!("calls '{name}'")),
            StmtKind::CallValue { .. } => Some("calls a function that is known at run time only".into()),
            StmtKind::AssignGlobal { .. } => Some("assigns a module-level variable".into()),
            StmtKind::Call { function, .. } if self.ordered.contains_key(function) => {
                Some(called(&functions[*function]))
            }
            StmtKind::SetMember { object, .. } => match &object.kind {
                ExprKind::Local(variable) if !shared.variables.contains(variable) => None,
                ExprKind::Load { .. } => None,
                _ => Some("changes an object that iterations share".into()),
            },
            // The host reads and writes in two steps.
            StmtKind::Update { array, .. } if !shared.updates_apart && is_shared(array) => {
                Some("updates elements that iterations share".into())
            }
            StmtKind::Exchange { array, .. } if is_shared(array) => {
                Some("exchanges a value atomically".into())
            }
            _ => None,
        }
    }
}

/// What several calls of a function, or iterations of a loop, have in common.
pub(super) struct Shared<'a> {
    /// The variables that come from outside.
    pub(super) variables: VarSet,
    /// What else reaches their elements.
    pub(super) aliases: &'a Aliases,
    /// Whether it is known that no element is updated twice.
    pub(super) updates_apart: bool,
}

impl Shared<'_> {
    fn reaches(&self, variable: VarId) -> bool {
        self.variables.contains(&variable)
            || self.variables.iter().any(|other| self.aliases.sharing(variable, other) != Sharing::Never)
    }
}

fn called(function: &Function) -> String {
    format!("calls '{}', whose calls keep their order", function.source_name)
}

/// How statements leave the iteration that they belong to.
#[derive(Clone, Copy, Default)]
pub(super) struct Jumps {
    /// What ends the loop before its last iteration, and where.
    pub(super) leaves: Option<(Span, &'static str)>,
    /// Whether an iteration ends before its last statement.
    continues: bool,
}

impl Jumps {
    /// Those of the body of a loop.
    pub(super) fn of(block: &[Stmt]) -> Jumps {
        let mut found = Jumps::default();
        found.look(block, 0);
        found
    }

    fn look(&mut self, block: &[Stmt], depth: u32) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Break { levels } if *levels >= depth => {
                    self.leaves = Some((stmt.span, "leaves the loop with `break`"));
                }
                StmtKind::Continue { levels } if *levels > depth => {
                    self.leaves = Some((stmt.span, "goes on with an outer loop by `continue`"));
                }
                StmtKind::Continue { levels } if *levels == depth => self.continues = true,
                _ => {}
            }
            let inner = match &stmt.kind {
                StmtKind::For { .. }
                | StmtKind::ForEach { .. }
                | StmtKind::While { .. }
                | StmtKind::Repeat { .. } => depth + 1,
                _ => depth,
            };
            blocks(stmt, &mut |block| self.look(block, inner));
        }
    }
}

/// A loop whose iterations threads may share.
pub(super) struct ThreadLoop<'a> {
    /// Its variable and bounds.
    pub(super) each: Loop,
    /// What an iteration does.
    pub(super) block: &'a Block,
    /// Variables that all iterations only add to.
    pub(super) accumulators: Vec<(VarId, &'static Row)>,
    /// Where it was written.
    pub(super) span: Span,
}

impl ThreadLoop<'_> {
    /// The function of an iteration, and the statements that run it, in which `call` makes the call of the function.
    pub(super) fn outline(
        &self,
        name: (String, &str),
        host: &mut Body,
        call: impl FnOnce(Function, Vec<Expr>) -> Stmt,
    ) -> Block {
        if self.accumulators.is_empty() {
            let params = self.params(self.each.variable);
            let function = self.function(name, host, &params, self.block.clone());
            let call = call(function, self.args(&params, host));
            return vec![self.looped(self.each.variable, self.each.range.clone(), call)];
        }
        self.reduction(name, host, call)
    }

    /// An array for each accumulator takes what the iterations add.
    fn reduction(
        &self,
        name: (String, &str),
        host: &mut Body,
        call: impl FnOnce(Function, Vec<Expr>) -> Stmt,
    ) -> Block {
        let span = self.span;
        let int = build::int_type();
        let mut out = Block::new();
        let mut kept = |host: &mut Body, value: &Expr| {
            let variable = host.temporary(value.ty.clone(), span);
            out.push(build::assign(variable, value.clone()));
            host.read(variable, span)
        };
        let Range { from, to, step } = &self.each.range;
        let range = Range { from: kept(host, from), to: kept(host, to), step: step.clone() };
        let row = |name: &str| quasar_devicelib::ops::find(name).expect("a row that the table has");
        let count =
            build::apply(row("max"), vec![trip_count(&range), build::int(0, span)], int.clone(), span);
        let count = kept(host, &count);
        let place = host.temporary(int.clone(), span);
        let each = Loop { variable: self.each.variable, range };
        let mut block = vec![build::assign(each.variable, loop_value(&each, host.read(place, span), host))];
        let mut parts = Vec::new();
        for (variable, row) in &self.accumulators {
            let ty = host.variables[*variable].ty.clone();
            let array = build::array_type(ty.clone(), 1);
            let zeros = ExprKind::Library { name: "zeros", args: vec![count.clone()] };
            let part = kept(host, &Expr::new(zeros, array, span));
            block.push(build::assign(*variable, build::neutral(row, &ty, span)));
            parts.push(part);
        }
        block.extend(self.once(host));
        for ((variable, _), part) in self.accumulators.iter().zip(&parts) {
            let index = vec![Index::At(host.read(place, span))];
            let value = host.read(*variable, span);
            let kind = StmtKind::Store { array: part.clone(), index, boundary: Boundary::Checked, value };
            block.push(Stmt::new(kind, span));
        }
        let mut params = inputs(&block, &[], &[place]);
        params.insert(0, place);
        let args = self.args(&params, host);
        let call = call(self.function(name, host, &params, block), args);
        let one = build::int(1, span);
        let last = build::apply(row("subtract"), vec![count, one], int, span);
        let places = build::range(build::int(0, span), last);
        out.push(self.looped(place, places.clone(), call));
        out.push(self.combined(place, places, &parts, host));
        out
    }

    /// Adds what the iterations kept, in their order.
    fn combined(&self, place: VarId, range: Range, parts: &[Expr], host: &Body) -> Stmt {
        let span = self.span;
        let add = |((variable, row), part): (&(VarId, &'static Row), &Expr)| {
            let ty = host.variables[*variable].ty.clone();
            let kind = ExprKind::Load {
                array: Box::new(part.clone()),
                index: vec![Index::At(host.read(place, span))],
                boundary: Boundary::Checked,
            };
            let args = vec![host.read(*variable, span), Expr::new(kind, ty.clone(), span)];
            build::assign(*variable, build::apply(row, args, ty, span))
        };
        let body = self.accumulators.iter().zip(parts).map(add).collect();
        let attributes = LoopAttributes { mode: LoopMode::Host, ..LoopAttributes::default() };
        Stmt::new(StmtKind::For { variable: place, range, body, attributes }, span)
    }

    /// What the function of an iteration takes, first the variable that tells which one it is.
    fn params(&self, first: VarId) -> Vec<VarId> {
        let mut params = inputs(self.block, &[], &[first]);
        params.insert(0, first);
        params
    }

    fn args(&self, params: &[VarId], host: &Body) -> Vec<Expr> {
        params.iter().map(|variable| host.read(*variable, self.span)).collect()
    }

    /// The statements of an iteration, where `continue` means its end.
    fn once(&self, host: &mut Body) -> Block {
        if !Jumps::of(self.block).continues {
            return self.block.clone();
        }
        let variable = host.temporary(build::int_type(), self.span);
        let zero = || build::int(0, self.span);
        let attributes = LoopAttributes { mode: LoopMode::Host, ..LoopAttributes::default() };
        let range = build::range(zero(), zero());
        let kind = StmtKind::For { variable, range, body: self.block.clone(), attributes };
        vec![Stmt::new(kind, self.span)]
    }

    fn function(
        &self,
        (name, source_name): (String, &str),
        host: &mut Body,
        params: &[VarId],
        block: Block,
    ) -> Function {
        let block = if self.accumulators.is_empty() { self.once(host) } else { block };
        let (mut body, mut map) = (Body::default(), BTreeMap::new());
        add_params(params, host, &mut body, &mut map);
        body.block = copy_block(&block, host, &mut body, &mut map);
        let source_name = source_name.to_string();
        Function { name, source_name, device: false, processor: false, lambda: false, body, span: self.span }
    }

    fn looped(&self, variable: VarId, range: Range, call: Stmt) -> Stmt {
        let attributes = LoopAttributes { mode: LoopMode::Threads, ..LoopAttributes::default() };
        Stmt::new(StmtKind::For { variable, range, body: vec![call], attributes }, self.span)
    }
}

/// The variables that all iterations of a loop share.
pub(super) fn shared_variables(block: &[Stmt]) -> VarSet {
    let set = set_in(block);
    free_variables(block).union(&stored_in(block)).difference(&set)
}
