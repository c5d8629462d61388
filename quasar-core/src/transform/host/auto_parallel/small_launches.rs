//! Loops in order around launches that are small, as steps in time over a short rod or an elimination of a small matrix: to start
//! such a launch takes longer than its work, so that one kernel does everything in order.
//!
//! ```text
//! for k = ..                              if 14.0 * max(n - 1, 0) < 65536 && on_processor()
//!     for j = k+1..n-1          =>            for k = .. for j = ..   % one kernel
//!         y[j] -= a[k,j]*y[k]             else
//!                                             for k = .. parallel_do(n-1-k, ..)
//! ```
//!
//! The work of a launch is bounded by the values that its sizes take at the ends of the loops around it.

use super::Pass;
use crate::ir::build::{self, and};
use crate::ir::effects::may_fail;
use crate::ir::rewrite::{operands, set_in, visit, visit_stmts};
use crate::ir::{Coordinate, Dims, Expr, ExprKind, Kernel, LoopMode, Range, Stmt, StmtKind, VarId, VarSet};
use crate::message::Decision;
use crate::target::cpu::{LARGE_LAUNCH, SMALL_LAUNCH};
use crate::transform::host::kernel_builder::NewKernels;
use crate::transform::host::outline;
use crate::types::{ElementType, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

impl Pass<'_> {
    /// What a loop with launches inside becomes: `launches`, or one kernel where they are small.
    pub(super) fn where_small(
        &mut self,
        stmt: &Stmt,
        launches: &Stmt,
        may_be_set: &VarSet,
        after: &VarSet,
    ) -> Option<Stmt> {
        let whole = vec![stmt.clone()];
        if !self.context.auto_parallel || self.allowed(&whole, after).is_err() || has_attributes(&whole) {
            return None;
        }
        self.keeps_results(&whole).ok()?;
        let small = self.are_small(launches)?;
        let span = stmt.span;
        let name = self.kernel_name(span);
        let outlined = outline::serial(name, self.body, &whole, after, may_be_set, span);
        let what = "one kernel in order where all launches inside are small".to_string();
        self.sink.remark(Decision::Transformed { what }.remark(span, span));
        let launch = self.launch(outlined, vec![build::int(1, span)], span);
        let on_processor = ExprKind::Library { name: "on_processor", args: Vec::new() };
        let on_processor = Expr::new(on_processor, build::int_type(), span);
        Some(build::choice(and(small, on_processor), vec![launch], vec![launches.clone()], span))
    }

    /// Where all launches in a loop have little work, if that can be told before the loop.
    fn are_small(&self, launches: &Stmt) -> Option<Expr> {
        let changing = set_in(std::slice::from_ref(launches));
        let limits = Limits::new(Names::Host(changing));
        let mut found = Launches { kernels: self.kernels, limits, works: Vec::new() };
        found.block(std::slice::from_ref(launches))?;
        found.works.into_iter().map(|work| is_small(work, launches)).reduce(and)
    }
}

impl Pass<'_> {
    /// Where some launch in a loop has work for all threads, if that can be told before the loop.
    pub(super) fn has_large_launches(&self, launches: &Stmt) -> Option<Expr> {
        let changing = set_in(std::slice::from_ref(launches));
        let mut works = Vec::new();
        visit_stmts(std::slice::from_ref(launches), &mut |stmt| {
            let StmtKind::Launch { kernel, dims, block: None, args, .. } = &stmt.kind else { return };
            let limits = Limits::new(Names::Host(changing.clone()));
            let kernel = self.kernels.get(*kernel).filter(|kernel| kernel.parallel);
            works.extend(kernel.and_then(|kernel| limits.work_of(kernel, dims, args, stmt)));
        });
        works.into_iter().map(|work| is_large(work, launches)).reduce(build::or)
    }

    /// The nodes that a position of the launch computes that a loop became (`whole`), at most, if that can be told before.
    pub(super) fn work_of_iteration(&self, stmt: &Stmt, whole: &[Stmt]) -> Option<Expr> {
        let mut found = None;
        visit_stmts(whole, &mut |launch| {
            let StmtKind::Launch { kernel, dims, args, .. } = &launch.kind else { return };
            let limits = Limits::new(Names::Host(set_in(std::slice::from_ref(stmt))));
            let kernel = self.kernels.get(*kernel);
            let work = kernel.and_then(|kernel| limits.work_of_position(kernel, dims, args, launch));
            found = found.take().or(work.map(|(_, work)| work));
        });
        found
    }
}

/// Whether work is too little for a launch of its own.
pub(super) fn is_small(work: Expr, at: &Stmt) -> Expr {
    compared("less", work, SMALL_LAUNCH, at)
}

/// Whether work is too little for all threads.
pub(super) fn is_medium(work: Expr, at: &Stmt) -> Expr {
    compared("less", work, LARGE_LAUNCH, at)
}

/// Whether work is enough for all threads.
pub(super) fn is_large(work: Expr, at: &Stmt) -> Expr {
    compared("greater_equal", work, LARGE_LAUNCH, at)
}

fn compared(comparison: &str, work: Expr, limit: i32, at: &Stmt) -> Expr {
    let limit = number(f64::from(limit), at);
    build::apply(row(comparison), vec![work, limit], build::int_type(), at.span)
}

/// Where the work of an iteration of a loop is that of a small launch, if that can be told before the loop.
pub(super) fn small_loop(stmt: &Stmt) -> Option<Expr> {
    let mut limits = Limits::new(Names::Host(set_in(std::slice::from_ref(stmt))));
    let work = match &stmt.kind {
        StmtKind::For { variable, range, body, .. } => {
            limits.enter(*variable, range);
            limits.work(body, stmt)?
        }
        StmtKind::While { body, .. } => limits.work(body, stmt)?,
        StmtKind::Repeat { body, test, .. } => {
            apply("add", limits.work(body, stmt)?, limits.work(test, stmt)?)
        }
        _ => return None,
    };
    Some(is_small(work, stmt))
}

/// Whether loops say how they want to be run.
pub(super) fn has_attributes(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::For { attributes, .. } | StmtKind::ForEach { attributes, .. } = &stmt.kind {
            found |= attributes.mode != LoopMode::Automatic || attributes.skewed.is_some();
            found |= attributes.multi_device || attributes.kernel.is_some() || attributes.block.is_some();
        }
    });
    found
}

fn row(name: &str) -> &'static quasar_devicelib::ops::Row {
    find(name).expect("a row that the table has")
}

fn double() -> Type {
    build::scalar_type(ElementType::Double)
}

fn number(value: f64, at: &Stmt) -> Expr {
    Expr::new(ExprKind::Constant(Scalar::F64(value)), double(), at.span)
}

fn apply(name: &str, a: Expr, b: Expr) -> Expr {
    let one = |e: &Expr| matches!(e.kind, ExprKind::Constant(Scalar::F64(1.0)));
    match name {
        "multiply" if one(&a) => b,
        _ => {
            let span = a.span;
            build::apply(row(name), vec![a, b], double(), span)
        }
    }
}

/// The work of the launches of a host loop.
struct Launches<'a> {
    kernels: &'a NewKernels,
    limits: Limits<'a>,
    /// Nodes that each computes at all its positions, at most.
    works: Vec<Expr>,
}

impl Launches<'_> {
    /// Nothing where some launch may have any work.
    fn block(&mut self, block: &[Stmt]) -> Option<()> {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Launch { kernel, dims, block: None, args, .. } => {
                    let kernel = self.kernels.get(*kernel)?;
                    if kernel.parallel {
                        let work = self.limits.work_of(kernel, dims, args, stmt)?;
                        self.works.push(work);
                    }
                }
                StmtKind::For { variable, range, body, attributes } => {
                    if matches!(attributes.mode, LoopMode::Threads | LoopMode::Parallel) {
                        return None;
                    }
                    self.limits.enter(*variable, range);
                    self.block(body)?;
                }
                StmtKind::If { then, otherwise, .. } => {
                    self.block(then)?;
                    self.block(otherwise)?;
                }
                StmtKind::While { body, .. } => self.block(body)?,
                StmtKind::Repeat { body, test, .. } => {
                    self.block(body)?;
                    self.block(test)?;
                }
                StmtKind::Assign { .. }
                | StmtKind::Store { .. }
                | StmtKind::Update { .. }
                | StmtKind::Break { .. }
                | StmtKind::Continue { .. }
                | StmtKind::Assert { .. }
                | StmtKind::Fail { .. } => {}
                _ => return None,
            }
        }
        Some(())
    }
}

/// The smallest and the largest values of integers, as numbers in double precision that can be computed before a loop.
struct Limits<'a> {
    names: Names<'a>,
    /// The limits of loop variables, and of the parameters of a kernel.
    known: BTreeMap<VarId, [Expr; 2]>,
    /// The limits of the components of the position, in a kernel.
    position: Vec<[Expr; 2]>,
}

/// What the variables are that an expression names.
enum Names<'a> {
    /// Those of the host, of which the loop sets these.
    Host(VarSet),
    /// Those of a kernel, whose parameters are these expressions of the host, if it does not change them.
    Kernel(BTreeMap<VarId, &'a Expr>),
}

impl Names<'_> {
    /// An array as the host names it, if it is the same one in all iterations.
    fn array(&self, array: &Expr) -> Option<Expr> {
        let ExprKind::Local(v) = array.kind else { return None };
        match self {
            Names::Host(changing) => (!changing.contains(&v)).then(|| array.clone()),
            Names::Kernel(args) => args.get(&v).map(|arg| (*arg).clone()),
        }
    }
}

impl<'a> Limits<'a> {
    fn new(names: Names<'a>) -> Self {
        Limits { names, known: BTreeMap::new(), position: Vec::new() }
    }

    /// Whether an integer is the same in all iterations, and the host can compute it before.
    fn is_fixed(&self, e: &Expr) -> bool {
        // What fails does so where it stands.
        let mut fixed = e.ty == build::int_type() && !may_fail(e);
        visit(e, &mut |e| {
            fixed &= match (&e.kind, &self.names) {
                (ExprKind::Load { .. } | ExprKind::Library { .. } | ExprKind::Coordinate(..), _) => false,
                (ExprKind::Local(v), Names::Host(changing)) => {
                    !changing.contains(v) && !self.known.contains_key(v)
                }
                (ExprKind::Local(_), Names::Kernel(_)) => false,
                _ => true,
            };
        });
        fixed
    }

    /// Learns the limits of a loop variable, if they are known.
    fn enter(&mut self, variable: VarId, range: &Range) {
        let (from, to) = (self.of_both(&range.from), self.of_both(&range.to));
        let limits = from.zip(to).map(|(from, to)| {
            let [low, high] = [0, 1].map(|k| [from[k].clone(), to[k].clone()]);
            let ([a, b], [c, d]) = (low, high);
            [apply("min", a, b), apply("max", c, d)]
        });
        match limits {
            Some(limits) => self.known.insert(variable, limits),
            None => self.known.remove(&variable),
        };
    }

    /// The limits of an integer.
    fn of_both(&self, e: &Expr) -> Option<[Expr; 2]> {
        let fixed = |e: Expr| {
            let number = build::convert(e, &double());
            Some([number.clone(), number])
        };
        if self.is_fixed(e) {
            return fixed(e.clone());
        }
        let inner = |e: &Expr| self.of_both(e);
        match &e.kind {
            ExprKind::Local(v) => self.known.get(v).cloned(),
            ExprKind::Coordinate(Coordinate::Position, axis) => self.position.get(*axis).cloned(),
            ExprKind::Extent(array, axis) => fixed(build::extent(self.names.array(array)?, *axis, e.span)),
            ExprKind::Count(array) => {
                let count = ExprKind::Count(Box::new(self.names.array(array)?));
                fixed(Expr::new(count, build::int_type(), e.span))
            }
            ExprKind::Select { then, otherwise, .. } => {
                let ([a, b], [c, d]) = (inner(then)?, inner(otherwise)?);
                Some([apply("min", a, c), apply("max", b, d)])
            }
            ExprKind::Apply { row, args } => {
                let [a, b] = args.as_slice() else { return None };
                if let ("mod", Some(n @ 1..)) = (row.name, b.constant_int()) {
                    return Some([0, n - 1].map(|n| build::convert(build::int(n, e.span), &double())));
                }
                let ([low_a, high_a], [low_b, high_b]) = (inner(a)?, inner(b)?);
                match row.name {
                    "add" => Some([apply("add", low_a, low_b), apply("add", high_a, high_b)]),
                    "subtract" => Some([apply("subtract", low_a, high_b), apply("subtract", high_a, low_b)]),
                    "min" | "max" => Some([apply(row.name, low_a, low_b), apply(row.name, high_a, high_b)]),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// How many iterations a range has, at most.
    fn trips(&self, range: &Range) -> Option<Expr> {
        let step = range.step.as_ref().map_or(Some(1), Expr::constant_int)?;
        let ([low, _], [_, high]) = match step {
            1.. => (self.of_both(&range.from)?, self.of_both(&range.to)?),
            _ => (self.of_both(&range.to)?, self.of_both(&range.from)?),
        };
        let [zero, one] = [0, 1].map(|n| build::convert(build::int(n, range.to.span), &double()));
        Some(apply("max", apply("add", apply("subtract", high, low), one), zero))
    }

    /// The nodes that a launch computes at all its positions, at most.
    fn work_of(&self, kernel: &Kernel, dims: &Dims, args: &[Expr], launch: &Stmt) -> Option<Expr> {
        let (positions, each) = self.work_of_position(kernel, dims, args, launch)?;
        Some(apply("multiply", positions, each))
    }

    /// How many positions a launch has, and how many nodes each computes, at most.
    fn work_of_position(
        &self,
        kernel: &Kernel,
        dims: &Dims,
        args: &[Expr],
        launch: &Stmt,
    ) -> Option<(Expr, Expr)> {
        let Dims::Each(dims) = dims else { return None };
        let zero = || number(0.0, launch);
        let params = kernel.body.params.iter().copied().zip(args);
        let arrays = params.clone().filter(|(_, arg)| self.names.array(arg).is_some());
        let mut inside = Limits::new(Names::Kernel(arrays.collect()));
        for (param, arg) in params.filter(|(_, arg)| arg.ty == build::int_type()) {
            if let Some(limits) = self.of_both(arg) {
                inside.known.insert(param, limits);
            }
        }
        let mut positions = number(1.0, launch);
        for dim in dims {
            let [_, most] = self.of_both(dim)?;
            inside.position.push([zero(), most.clone()]);
            positions = apply("multiply", positions, apply("max", most, zero()));
        }
        // What a kernel sets has no limits but those of its loops.
        set_in(&kernel.body.block).iter().for_each(|v| drop(inside.known.remove(&v)));
        let each = inside.work(&kernel.body.block, launch)?;
        Some((positions, each))
    }

    /// The nodes that a thread computes in a block, at most.
    fn work(&mut self, block: &[Stmt], launch: &Stmt) -> Option<Expr> {
        let mut nodes = 0.0;
        let mut loops: Vec<Expr> = Vec::new();
        for stmt in block {
            operands(stmt, &mut |e| visit(e, &mut |_| nodes += 1.0));
            match &stmt.kind {
                StmtKind::For { variable, range, body: inner, .. } => {
                    let trips = self.trips(range)?;
                    self.enter(*variable, range);
                    let each = self.work(inner, launch)?;
                    loops.push(apply("multiply", trips, each));
                }
                StmtKind::If { then, otherwise, .. } => {
                    loops.push(self.work(then, launch)?);
                    loops.push(self.work(otherwise, launch)?);
                }
                StmtKind::Assign { .. }
                | StmtKind::Store { .. }
                | StmtKind::Update { .. }
                | StmtKind::Break { .. }
                | StmtKind::Continue { .. }
                | StmtKind::Fail { .. } => {}
                _ => return None,
            }
        }
        Some(loops.into_iter().fold(number(nodes, launch), |sum, each| apply("add", sum, each)))
    }
}
