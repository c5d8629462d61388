//! The forward dataflow analysis over a body. The set of assigned variables only grows along a path, so one visit of a
//! loop body suffices: what is assigned at the loop's entry is assigned at the start of each iteration.

use super::globals::GlobalSet;
use crate::ids::Arena;
use crate::ir::rewrite::{children, operands, sets};
use crate::ir::{
    Block, Body, Expr, ExprKind, Failure, FunctionId, GlobalId, Range, Stmt, StmtKind, Storage, VarId,
    VarSet, Variable, build,
};
use crate::source::Span;
use crate::types::Type;
use quasar_devicelib::value::error;
use std::collections::BTreeMap;

/// Sets of local and module-level variables.
#[derive(Clone, Default)]
pub(super) struct Places {
    pub(super) locals: VarSet,
    pub(super) globals: GlobalSet,
}

/// The variables assigned on all paths to a point; `None` if the point is unreachable.
type State = Option<Places>;

/// The meet at a join of paths: the intersection.
fn meet(state: &mut State, other: State) {
    match (state, other) {
        (_, None) => {}
        (state @ None, other) => *state = other,
        (Some(known), Some(other)) => {
            known.locals = known.locals.intersection(&other.locals);
            known.globals = known.globals.intersection(&other.globals);
        }
    }
}

/// The flags of variables.
#[derive(Default)]
pub(super) struct Flags {
    pub(super) locals: BTreeMap<VarId, VarId>,
    /// Flag and source name.
    pub(super) globals: BTreeMap<GlobalId, (GlobalId, String)>,
}

impl Flags {
    pub(super) fn is_empty(&self) -> bool {
        self.locals.is_empty() && self.globals.is_empty()
    }
}

/// The states at the jumps of a loop.
#[derive(Default)]
struct Jumps {
    breaks: State,
    continues: State,
}

/// The analysis of one body, and its results.
pub(super) struct AssignmentAnalysis<'f> {
    flags: &'f Flags,
    variables: Arena<Variable>,
    loops: Vec<Jumps>,
    /// The variables that are read where they may be unassigned.
    pub(super) unset: Places,
    /// The called functions, with the module-level variables assigned at the call.
    pub(super) calls: Vec<(FunctionId, GlobalSet)>,
    /// The module-level variables assigned at the end; `None` if the end is unreachable.
    pub(super) end: Option<GlobalSet>,
}

impl<'f> AssignmentAnalysis<'f> {
    /// Analyses a body, given the module-level variables assigned at its entry, and inserts assignments and tests of
    /// flags. The results of a function count as read by its caller; those of kernels start as zero.
    pub(super) fn over(
        body: &mut Body,
        flags: &'f Flags,
        entry: &GlobalSet,
        function: bool,
    ) -> AssignmentAnalysis<'f> {
        let variables = std::mem::take(&mut body.variables);
        let mut locals: VarSet = body.params.iter().copied().collect();
        // Other threads of a block assign shared variables, and compiler temporaries are always assigned before use.
        let others =
            variables.iter().filter(|(_, v)| v.storage == Storage::Shared || v.name.starts_with('$'));
        locals.extend(others.map(|(id, _)| id));
        if !function {
            locals.extend(&body.results);
        }
        let mut walk = AssignmentAnalysis {
            flags,
            variables,
            loops: Vec::new(),
            unset: Places::default(),
            calls: Vec::new(),
            end: None,
        };
        let mut state = Some(Places { locals, globals: entry.clone() });
        walk.block(&mut body.block, &mut state);
        if let Some(known) = &mut state {
            for result in body.results.iter().filter(|_| function) {
                let span = walk.variables[*result].span;
                walk.read(*result, span, known, &mut body.block);
            }
        }
        walk.end = state.map(|known| known.globals);
        body.variables = std::mem::take(&mut walk.variables);
        walk
    }

    fn block(&mut self, block: &mut Block, state: &mut State) {
        let mut at = 0;
        while let Some(stmt) = block.get_mut(at) {
            // The rest is unreachable.
            let Some(known) = state else { return };
            let (mut before, mut after) = (Block::new(), Block::new());
            match self.kept(stmt, known) {
                true => {}
                false => self.stmt(stmt, state, &mut before, &mut after),
            }
            let written = before.len() + after.len();
            block.splice(at + 1..at + 1, after);
            block.splice(at..at, before);
            at += 1 + written;
        }
    }

    /// A conversion at a join that gave a variable different types: it propagates an unassigned state.
    fn kept(&mut self, stmt: &mut Stmt, known: &mut Places) -> bool {
        let StmtKind::Assign { variable: to, value } = &stmt.kind else { return false };
        let Some(from) = converted(value).filter(|from| !known.locals.contains(from)) else { return false };
        let (source, target) = (&self.variables[from], &self.variables[*to]);
        if from == *to || source.name != target.name || value.span != target.span {
            return false;
        }
        self.unset.locals.insert(from);
        if let Some(flag) = self.flags.locals.get(&from) {
            let span = stmt.span;
            let mut then = Vec::new();
            then.extend(self.set(*to, span).filter(|_| !known.locals.contains(to)));
            let condition = build::local(*flag, build::int_type(), span);
            let kind = StmtKind::If { condition, then: Vec::new(), otherwise: Vec::new() };
            let assignment = std::mem::replace(stmt, Stmt::new(kind, span));
            then.insert(0, assignment);
            if let StmtKind::If { then: empty, .. } = &mut stmt.kind {
                *empty = then;
            }
        }
        true
    }

    fn stmt(&mut self, stmt: &mut Stmt, state: &mut State, before: &mut Block, after: &mut Block) {
        let Some(known) = state else { return };
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::While { .. } => return self.while_loop(stmt, state),
            StmtKind::Repeat { .. } => return self.repeat_loop(stmt, state),
            _ => operands(stmt, &mut |e| self.expr(e, span, known, before)),
        }
        match &mut stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                let mut other = state.clone();
                self.block(then, state);
                self.block(otherwise, &mut other);
                return meet(state, other);
            }
            StmtKind::For { variable, range, body, .. } => {
                return self.rounds(*variable, goes_round(range), body, span, state);
            }
            StmtKind::ForEach { variable, over, body, .. } => {
                return self.rounds(*variable, has_elements(over), body, span, state);
            }
            StmtKind::Try { body, handlers } => {
                let entry = state.clone();
                self.block(body, state);
                for handler in handlers {
                    let mut own = entry.clone();
                    let first = handler.variable.and_then(|variable| self.given(variable, span, &mut own));
                    self.block(&mut handler.block, &mut own);
                    handler.block.splice(0..0, first);
                    meet(state, own);
                }
                return;
            }
            StmtKind::Break { levels } => return self.jump(*levels, state, |jumps| &mut jumps.breaks),
            StmtKind::Continue { levels } => return self.jump(*levels, state, |jumps| &mut jumps.continues),
            StmtKind::Fail { .. } => *state = None,
            StmtKind::Call { function, .. } => self.calls.push((*function, known.globals.clone())),
            StmtKind::AssignGlobal { global, .. } => {
                let new = known.globals.insert(*global);
                after.extend(self.flags.globals.get(global).filter(|_| new).map(|(flag, _)| {
                    let value = build::int(1, span);
                    Stmt::new(StmtKind::AssignGlobal { global: *flag, value }, span)
                }));
            }
            _ => {}
        }
        sets(stmt, &mut |variable| after.extend(self.given(*variable, span, state)));
    }

    /// Sets the flag of a variable, unless it is already known to be assigned.
    fn given(&self, variable: VarId, span: Span, state: &mut State) -> Option<Stmt> {
        let new = state.as_mut()?.locals.insert(variable);
        self.set(variable, span).filter(|_| new)
    }

    fn set(&self, variable: VarId, span: Span) -> Option<Stmt> {
        let flag = self.flags.locals.get(&variable)?;
        Some(build::assign(*flag, build::int(1, span)))
    }

    /// A loop that assigns a variable in each iteration; with `sure` it runs at least once.
    fn rounds(&mut self, variable: VarId, sure: bool, body: &mut Block, span: Span, state: &mut State) {
        let entry = state.clone();
        self.loops.push(Jumps::default());
        let first = self.given(variable, span, state);
        self.block(body, state);
        body.splice(0..0, first);
        let Jumps { breaks, continues } = self.loops.pop().unwrap_or_default();
        meet(state, continues);
        if !sure {
            meet(state, entry);
        }
        meet(state, breaks);
    }

    fn while_loop(&mut self, stmt: &mut Stmt, state: &mut State) {
        let span = stmt.span;
        let StmtKind::While { condition, body } = &mut stmt.kind else { return };
        let mut tests = Block::new();
        if let Some(known) = state {
            self.expr(condition, span, known, &mut tests);
        }
        let endless = condition.constant().is_some_and(|value| value.is_truthy());
        let exit = state.clone().filter(|_| !endless);
        self.loops.push(Jumps::default());
        self.block(body, state);
        *state = exit;
        meet(state, self.loops.pop().unwrap_or_default().breaks);
        if !tests.is_empty() {
            // The condition is evaluated before each iteration, and so are the tests of the variables that it reads.
            let one = build::int(1, condition.span);
            let goes_on = std::mem::replace(condition, one);
            let leave = Stmt::new(StmtKind::Break { levels: 0 }, span);
            tests.push(build::choice(goes_on, Vec::new(), vec![leave], span));
            body.splice(0..0, tests);
        }
    }

    fn repeat_loop(&mut self, stmt: &mut Stmt, state: &mut State) {
        let span = stmt.span;
        let StmtKind::Repeat { body, test, until } = &mut stmt.kind else { return };
        self.loops.push(Jumps::default());
        self.block(body, state);
        let Jumps { breaks, continues } = self.loops.pop().unwrap_or_default();
        meet(state, continues);
        self.block(test, state);
        if let Some(known) = state {
            self.expr(until, span, known, test);
        }
        meet(state, breaks);
    }

    fn jump(&mut self, levels: u32, state: &mut State, to: fn(&mut Jumps) -> &mut State) {
        let from = state.take();
        let target = self.loops.iter_mut().rev().nth(levels as usize);
        if let Some(jumps) = target {
            meet(to(jumps), from);
        }
    }

    /// Visits the variables that an expression reads; adds `tests` for those that may be unassigned.
    fn expr(&mut self, expr: &Expr, stmt: Span, known: &mut Places, tests: &mut Block) {
        let span = if expr.span == Span::default() { stmt } else { expr.span };
        match &expr.kind {
            ExprKind::Local(variable) => self.read(*variable, span, known, tests),
            ExprKind::Global(global) => self.read_global(*global, span, known, tests),
            ExprKind::And(a, b) => {
                self.expr(a, stmt, known, tests);
                let then = self.sometimes(b, stmt, &mut known.clone());
                push_choice(a, then, Vec::new(), tests);
            }
            ExprKind::Or(a, b) => {
                self.expr(a, stmt, known, tests);
                let otherwise = self.sometimes(b, stmt, &mut known.clone());
                push_choice(a, Vec::new(), otherwise, tests);
            }
            ExprKind::Select { condition, then, otherwise } => {
                self.expr(condition, stmt, known, tests);
                let mut other = known.clone();
                let (then, otherwise) =
                    (self.sometimes(then, stmt, known), self.sometimes(otherwise, stmt, &mut other));
                push_choice(condition, then, otherwise, tests);
                known.locals = known.locals.intersection(&other.locals);
                known.globals = known.globals.intersection(&other.globals);
            }
            ExprKind::Function { function, .. } => {
                // The value is called later, when no fewer variables are assigned.
                self.calls.push((*function, known.globals.clone()));
                children(expr, &mut |e| self.expr(e, stmt, known, tests));
            }
            _ => children(expr, &mut |e| self.expr(e, stmt, known, tests)),
        }
    }

    /// The tests of an operand that is evaluated conditionally.
    fn sometimes(&mut self, expr: &Expr, stmt: Span, known: &mut Places) -> Block {
        let mut tests = Block::new();
        self.expr(expr, stmt, known, &mut tests);
        tests
    }

    /// After its test a variable counts as assigned.
    fn read(&mut self, variable: VarId, span: Span, known: &mut Places, tests: &mut Block) {
        if !known.locals.insert(variable) {
            return;
        }
        self.unset.locals.insert(variable);
        if let Some(flag) = self.flags.locals.get(&variable) {
            let flag = build::local(*flag, build::int_type(), span);
            tests.push(test(flag, &self.variables[variable].name, span));
        }
    }

    fn read_global(&mut self, global: GlobalId, span: Span, known: &mut Places, tests: &mut Block) {
        if !known.globals.insert(global) {
            return;
        }
        self.unset.globals.insert(global);
        if let Some((flag, name)) = self.flags.globals.get(&global) {
            let flag = Expr::new(ExprKind::Global(*flag), build::int_type(), span);
            tests.push(test(flag, name, span));
        }
    }
}

fn push_choice(condition: &Expr, then: Block, otherwise: Block, tests: &mut Block) {
    if !then.is_empty() || !otherwise.is_empty() {
        tests.push(build::choice(condition.clone(), then, otherwise, condition.span));
    }
}

/// The error if a flag is not set.
fn test(flag: Expr, name: &str, span: Span) -> Stmt {
    let message = vec![Expr::new(ExprKind::Text(error::unset(name)), Type::Text, span)];
    let fail = Stmt::new(StmtKind::Fail { failure: Failure::Unset, message }, span);
    build::choice(flag, Vec::new(), vec![fail], span)
}

/// The variable of which an expression is a conversion to another type.
fn converted(value: &Expr) -> Option<VarId> {
    match &value.kind {
        ExprKind::Local(variable) => Some(*variable),
        ExprKind::Convert(inner) => converted(inner),
        _ => None,
    }
}

/// Whether a constant range is not empty.
fn goes_round(range: &Range) -> bool {
    let number = |e: &Expr| e.constant().map(|value| value.as_f64());
    let step = range.step.as_ref().map_or(Some(1.0), number);
    let (Some(from), Some(to), Some(step)) = (number(&range.from), number(&range.to), step) else {
        return false;
    };
    if step > 0.0 { from <= to } else { step < 0.0 && from >= to }
}

/// Whether a vector is provably not empty.
fn has_elements(over: &Expr) -> bool {
    match &over.ty {
        Type::Array(array) => {
            !array.sizes.is_empty() && array.sizes.iter().all(|size| size.is_some_and(|n| n > 0))
        }
        _ => false,
    }
}
