//! Removes tests of indices that provably hold: `x[m,n]` in `for m = 0..size(x,0)-1` needs none.
//!
//! An access that would report an index out of range (`'checked`) and cannot becomes an `'unchecked` one, which has the
//! same value and no way to fail. It runs before loops become kernels, while the bounds of the loops are in sight:
//!
//! ```text
//! for m = 0..(size(x, 0) - 1)              for m = 0..(size(x, 0) - 1)
//!     s = s + x'checked[m]           =>        s = s + x'unchecked[m]
//! ```
//!
//! Indices that map the boundary by hand become boundary modes (`by_hand.rs`).
//!
//! Inside one loop an array keeps its tests when some access to it needs them: rows of windows are read as one.

mod by_hand;

use crate::analysis::flow_facts::{FlowFacts, Point, breaks};
use crate::ids::Arena;
use crate::ir::barriers::meets;
use crate::ir::rewrite::{
    blocks_mut, children_mut, operands, operands_mut, root, set_in, sets, transform, variables,
};
use crate::ir::{
    Block, Body, Dims, Expr, ExprKind, Function, Handler, Index, KernelId, Program, Stmt, StmtKind, VarId,
    VarSet, Variable,
};
use crate::message::{Decision, Doubt, Sink};
use crate::parallel;
use crate::source::Span;
use crate::transform::PassContext;
use crate::types::Boundary;
use by_hand::Definition;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// More accesses of one function are not looked at.
const MAX_QUESTIONS: usize = 4000;

/// Runs the transform on every function and kernel.
pub fn run(program: &mut Program, context: &PassContext<'_>, sink: &mut Sink) {
    let ranks: BTreeMap<KernelId, usize> =
        program.kernels.iter().map(|(id, kernel)| (id, kernel.rank)).collect();
    let functions = program.functions.iter_mut().map(|(_, function)| function).collect();
    let launches = parallel::map(functions, |function: &mut Function| {
        let known = if function.device { FlowFacts::of_kernel(&[]) } else { FlowFacts::default() };
        run_body(&mut function.body, known, (function.device, context.tell_facts), &ranks)
    });
    let mut within: Launches = BTreeMap::new();
    for (launches, said) in launches {
        launches.into_iter().for_each(|(kernel, found)| narrow(&mut within, kernel, found));
        said.tell(sink);
    }
    let kernels = program.kernels.iter_mut().map(|(id, kernel)| (&mut kernel.body, within.remove(&id)));
    let said = parallel::map(kernels.collect(), |(body, launches): (&mut Body, Option<BTreeSet<Within>>)| {
        let mut known = FlowFacts::of_kernel(&body.results);
        if !meets(&body.block) {
            // Where threads meet, those beyond the grid run too.
            for Within { axis, param, dimension } in launches.unwrap_or_default() {
                if let Some(variable) = body.params.get(param) {
                    known.bound_position(axis, &body.read(*variable, Span::default()), dimension);
                }
            }
        }
        run_body(body, known, (true, context.tell_facts), &ranks).1
    });
    said.into_iter().for_each(|said| said.tell(sink));
}

/// What is said of a body.
#[derive(Default)]
struct Said {
    /// Accesses that keep their tests, with their places.
    doubts: Vec<(Span, Doubt)>,
    /// What is known before statements, if somebody asks.
    known: Option<Vec<(Span, Decision)>>,
}

impl Said {
    fn tell(self, sink: &mut Sink) {
        let doubts = self.doubts.into_iter().map(|(span, doubt)| (span, Decision::Tested(doubt)));
        let all = doubts.chain(self.known.into_iter().flatten());
        all.for_each(|(span, decision)| sink.remark(decision.remark(span, span)));
    }
}

/// One component of the positions of a kernel lies inside a dimension of one of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Within {
    axis: usize,
    param: usize,
    dimension: usize,
}

/// What holds for all launches of each kernel.
type Launches = BTreeMap<KernelId, BTreeSet<Within>>;

/// One more launch, for which this holds.
fn narrow(launches: &mut Launches, kernel: KernelId, within: BTreeSet<Within>) {
    match launches.entry(kernel) {
        Entry::Vacant(first) => {
            first.insert(within);
        }
        Entry::Occupied(mut all) => all.get_mut().retain(|each| within.contains(each)),
    }
}

/// What stands in a kernel runs in a loop over positions. `ranks` are those of the program's kernels.
fn run_body(
    body: &mut Body,
    known: FlowFacts,
    (in_loop, tells): (bool, bool),
    ranks: &BTreeMap<KernelId, usize>,
) -> (Launches, Said) {
    let mut block = std::mem::take(&mut body.block);
    let (freed, tested) = (VarSet::new(), VarSet::new());
    let (depth, launches) = (usize::from(in_loop), Launches::new());
    let variables = &body.variables;
    let said = Said { known: tells.then(Vec::new), ..Said::default() };
    let (loops, set_in_loop) = (VarSet::new(), if in_loop { set_in(&block) } else { VarSet::new() });
    let (definitions, modes) = (BTreeMap::new(), BTreeMap::new());
    let mut pass = Pass {
        variables,
        known,
        questions: 0,
        depth,
        freed,
        tested,
        modes,
        loops,
        stored: Vec::new(),
        set_in_loop,
        definitions,
        by_mode: false,
        ranks,
        launches,
        said,
    };
    pass.block(&mut block);
    if in_loop {
        pass.settle(&mut block);
    }
    let found = (pass.launches, pass.said);
    let indices: VarSet = pass.definitions.keys().copied().filter(|_| pass.by_mode).collect();
    body.block = block;
    by_hand::remove_unread(body, &indices);
    found
}

struct Pass<'a> {
    variables: &'a Arena<Variable>,
    known: FlowFacts,
    questions: usize,
    /// Enclosing loops.
    depth: usize,
    /// Arrays of which accesses in the present outermost loop lost or kept their test.
    freed: VarSet,
    tested: VarSet,
    /// Arrays that accesses in that loop read by a mode which the program had by hand; none if by several.
    modes: BTreeMap<VarId, Option<Boundary>>,
    /// The variables of the enclosing loops.
    loops: VarSet,
    /// Arrays that the enclosing loops store to, each without the loops inside it.
    stored: Vec<VarSet>,
    /// What the outermost loop sets.
    set_in_loop: VarSet,
    /// What index variables that map a boundary by hand were set to.
    definitions: BTreeMap<VarId, Definition>,
    /// Whether accesses go by modes that the program had by hand.
    by_mode: bool,
    ranks: &'a BTreeMap<KernelId, usize>,
    launches: Launches,
    said: Said,
}

impl Pass<'_> {
    /// Whether the end of the block is never reached.
    fn block(&mut self, block: &mut Block) -> bool {
        let mut ended = false;
        for stmt in block {
            ended |= self.stmt(stmt);
        }
        ended
    }

    fn stmt(&mut self, stmt: &mut Stmt) -> bool {
        self.tell_facts(stmt);
        let is_loop = matches!(
            stmt.kind,
            StmtKind::For { .. }
                | StmtKind::ForEach { .. }
                | StmtKind::While { .. }
                | StmtKind::Repeat { .. }
        );
        if !is_loop {
            return self.inner(stmt);
        }
        if self.depth == 0 {
            self.set_in_loop = set_in(std::slice::from_ref(stmt));
        }
        self.depth += 1;
        self.stored.push(by_hand::stored_by_iterations(stmt));
        self.inner(stmt);
        self.stored.pop();
        self.depth -= 1;
        if self.depth == 0 {
            self.settle(std::slice::from_mut(stmt));
        }
        false
    }

    /// Says what is known of the variables in the operands of a statement.
    fn tell_facts(&mut self, stmt: &Stmt) {
        let Some(told) = &mut self.said.known else { return };
        let mut about = VarSet::new();
        operands(stmt, &mut |operand| about.extend(variables(operand).iter()));
        let names = about.iter().map(|variable| self.variables[variable].name.clone());
        let names: Vec<String> = names.filter(|name| !name.starts_with('$')).collect();
        if !names.is_empty() {
            let facts = self.known.in_words(self.variables, &about);
            told.push((stmt.span, Decision::Known { about: names, facts }));
        }
    }

    /// Ends an outermost loop: arrays of which some accesses keep their test keep all.
    fn settle(&mut self, block: &mut [Stmt]) {
        let mixed: VarSet = self.freed.intersection(&self.tested);
        if !mixed.is_empty() {
            block.iter_mut().for_each(|stmt| test_again(stmt, &mixed, self.variables, &mut self.said.doubts));
        }
        let modes = std::mem::take(&mut self.modes).into_iter();
        let modes: BTreeMap<_, _> = modes
            .filter(|(array, _)| !self.tested.contains(array))
            .filter_map(|(array, mode)| Some((array, mode?)))
            .collect();
        if !modes.is_empty() {
            block.iter_mut().for_each(|stmt| by_hand::read_all(stmt, &modes, self.variables));
        }
        self.freed.clear();
        self.tested.clear();
    }

    fn inner(&mut self, stmt: &mut Stmt) -> bool {
        match &mut stmt.kind {
            StmtKind::If { condition, then, otherwise } => return self.choice(condition, then, otherwise),
            StmtKind::For { variable, range, body, .. } => {
                let ty = self.variables[*variable].ty.clone();
                let limits = self.known.limits(range);
                let parts = [Some(&mut range.from), range.step.as_mut(), Some(&mut range.to)];
                parts.into_iter().flatten().for_each(|e| self.expr(e));
                let outer = self.loops.insert(*variable);
                self.looped(body, |this, body| {
                    this.known.iterate(*variable, &ty, &limits);
                    this.block(body);
                });
                if outer {
                    self.loops.remove(variable);
                }
                self.known.set(*variable);
            }
            StmtKind::ForEach { variable, over, body, .. } => {
                self.expr(over);
                self.looped(body, |this, body| {
                    this.known.set(*variable);
                    this.block(body);
                });
                self.known.set(*variable);
            }
            StmtKind::While { condition, body } => {
                let left = breaks(body);
                self.looped(body, |this, body| {
                    this.expr(condition);
                    this.known.learn(condition, true);
                    this.block(body);
                });
                if !left {
                    self.known.learn(condition, false);
                }
            }
            StmtKind::Repeat { body, test, until } => {
                let left = breaks(body) || breaks(test);
                self.known.forget(test);
                self.looped(body, |this, body| {
                    let mark = this.known.mark();
                    this.block(body);
                    // `continue` comes here too.
                    this.known.release(mark);
                    this.known.forget(body);
                    this.block(test);
                    this.expr(until);
                });
                self.known.forget(test);
                if !left && test.is_empty() {
                    self.known.learn(until, true);
                }
            }
            StmtKind::Try { body, handlers } => {
                let mark = self.known.mark();
                self.block(body);
                self.known.release(mark);
                self.known.forget(body);
                for Handler { variable, block, .. } in handlers.iter_mut() {
                    variable.iter().for_each(|variable| self.known.set(*variable));
                    self.block(block);
                    self.known.release(mark);
                }
                handlers.iter().for_each(|handler| self.known.forget(&handler.block));
            }
            StmtKind::Assign { variable, value } => {
                self.expr(value);
                let by_hand = self.definition_of(value);
                self.known.assign(*variable, &self.variables[*variable].ty, value);
                by_hand.into_iter().for_each(|definition| self.define(*variable, definition));
            }
            StmtKind::Assert { condition, message, .. } => {
                self.expr(condition);
                message.iter_mut().for_each(|part| self.expr(part));
                self.known.learn(condition, true);
            }
            StmtKind::Break { .. } | StmtKind::Continue { .. } => return true,
            StmtKind::Fail { message, .. } => {
                message.iter_mut().for_each(|part| self.expr(part));
                return true;
            }
            _ => self.plain(stmt),
        }
        false
    }

    fn choice(&mut self, condition: &mut Expr, then: &mut Block, otherwise: &mut Block) -> bool {
        self.expr(condition);
        let mark = self.known.mark();
        let before = self.known.leave(mark);
        self.known.learn(condition, true);
        let first_ends = self.block(then);
        let first = self.known.leave(mark);
        self.known.back_to(&before);
        self.known.learn(condition, false);
        let second_ends = self.block(otherwise);
        let second = self.known.leave(mark);
        self.join(first_ends, first, second_ends, second);
        first_ends && second_ends
    }

    fn join(&mut self, first_ends: bool, first: Point, second_ends: bool, second: Point) {
        match (first_ends, second_ends) {
            (true, _) => self.known.go_on(second),
            (_, true) => self.known.go_on(first),
            _ => self.known.meet(&first, &second),
        }
    }

    /// A loop's body at its head, where any number of iterations may have run.
    fn looped(&mut self, body: &mut Block, run: impl FnOnce(&mut Self, &mut Block)) {
        self.known.forget_iterations(body);
        let mark = self.known.mark();
        run(self, body);
        self.known.release(mark);
        self.known.forget_iterations(body);
    }

    /// A statement without blocks that changes what it says itself.
    fn plain(&mut self, stmt: &mut Stmt) {
        operands_mut(stmt, &mut |e| self.expr(e));
        if let StmtKind::Store { array, index, boundary, .. }
        | StmtKind::Update { array, index, boundary, .. }
        | StmtKind::Exchange { array, index, boundary, .. } = &mut stmt.kind
        {
            self.access(array, index, boundary, array.span);
        }
        if let StmtKind::Launch { kernel, dims, block, args, .. } = &stmt.kind {
            let within = match (dims, block) {
                (Dims::Each(dims), None) if self.ranks.get(kernel) == Some(&dims.len()) => {
                    self.within(dims, args)
                }
                _ => BTreeSet::new(),
            };
            narrow(&mut self.launches, *kernel, within);
        }
        let sizes = match &stmt.kind {
            StmtKind::Library { name: "rand" | "randn", args, .. } => self.known.sizes(args),
            _ => None,
        };
        sets(stmt, &mut |variable| self.known.set(*variable));
        self.known.arrays_change();
        if let (StmtKind::Library { results, .. }, Some(sizes)) = (&stmt.kind, sizes)
            && let [Some(array)] = results.as_slice()
        {
            self.known.resize(*array, &self.variables[*array].ty, &sizes);
        }
    }

    /// Which dimensions of arguments a launch does not go beyond.
    fn within(&mut self, dims: &[Expr], args: &[Expr]) -> BTreeSet<Within> {
        let mut found = BTreeSet::new();
        for (param, arg) in args.iter().enumerate() {
            let shape = self.known.shape(arg).unwrap_or_default();
            for (axis, dim) in dims.iter().enumerate() {
                for (dimension, extent) in shape.iter().enumerate() {
                    if self.known.at_most(dim, extent) {
                        found.insert(Within { axis, param, dimension });
                    }
                }
            }
        }
        found
    }

    fn expr(&mut self, expr: &mut Expr) {
        let mark = self.known.mark();
        match &mut expr.kind {
            ExprKind::And(a, b) => {
                self.expr(a);
                self.known.learn(a, true);
                self.expr(b);
                self.known.release(mark);
            }
            ExprKind::Or(a, b) => {
                self.expr(a);
                self.known.learn(a, false);
                self.expr(b);
                self.known.release(mark);
            }
            ExprKind::Select { condition, then, otherwise } => {
                self.expr(condition);
                self.known.learn(condition, true);
                self.expr(then);
                self.known.release(mark);
                self.known.learn(condition, false);
                self.expr(otherwise);
                self.known.release(mark);
            }
            _ => children_mut(expr, &mut |child| self.expr(child)),
        }
        if let ExprKind::Load { array, index, boundary } = &mut expr.kind {
            let tested = *boundary == Boundary::Checked && self.depth > 0 && self.questions < MAX_QUESTIONS;
            if !tested || !self.read_by_mode(array, index, boundary) {
                self.access(array, index, boundary, expr.span);
            }
        }
    }

    /// `span`: the place of a load; that of the array in an access that writes.
    fn access(&mut self, array: &Expr, index: &[Index], boundary: &mut Boundary, span: Span) {
        if *boundary != Boundary::Checked {
            return;
        }
        if self.questions >= MAX_QUESTIONS {
            self.said.doubts.push((span, Doubt::Many));
            return;
        }
        self.questions += 1;
        let doubt = self.known.doubt(array, index);
        let inside = doubt.is_none();
        self.said.doubts.extend(doubt.map(|doubt| (span, doubt)));
        if inside {
            *boundary = Boundary::Unchecked;
        }
        if let (Some(variable), true) = (root(array), self.depth > 0) {
            if inside {
                self.freed.insert(variable)
            } else {
                self.tested.insert(variable)
            };
        }
    }
}

/// Gives accesses to these arrays their tests back.
fn test_again(
    stmt: &mut Stmt,
    arrays: &VarSet,
    variables: &Arena<Variable>,
    doubts: &mut Vec<(Span, Doubt)>,
) {
    let mut restore = |array: &Expr, boundary: &mut Boundary, span: Span| {
        if let Some(variable) = root(array)
            && arrays.contains(&variable)
            && variables[variable].boundary == Boundary::Checked
            && *boundary == Boundary::Unchecked
        {
            doubts.push((span, Doubt::Others));
            *boundary = Boundary::Checked;
        }
    };
    operands_mut(stmt, &mut |operand| {
        transform(operand, &mut |e| {
            let span = e.span;
            if let ExprKind::Load { array, boundary, .. } = &mut e.kind {
                restore(array, boundary, span);
            }
        });
    });
    if let StmtKind::Store { array, boundary, .. }
    | StmtKind::Update { array, boundary, .. }
    | StmtKind::Exchange { array, boundary, .. } = &mut stmt.kind
    {
        restore(array, boundary, array.span);
    }
    blocks_mut(stmt, &mut |block| {
        block.iter_mut().for_each(|stmt| test_again(stmt, arrays, variables, doubts));
    });
}
