//! Loops that draw random numbers: they are drawn before the loop, for a part of its iterations at a time. Numbers are a function of
//! their place in the sequence, so that these are the same:
//!
//! ```text
//! for k = 1..n                          {!interpreted for}
//!     x = rand()                        for c = 1..DRAWN..n
//!     y = rand()                 =>         last = min(c + (DRAWN-1), n), r = rand(last-c+1, 2)
//!     if x*x + y*y < 1                      for k = c..last
//!         hits += 1                             if r[k-c,0]*r[k-c,0] + r[k-c,1]*r[k-c,1] < 1
//!     endif                                         hits += 1
//! endfor                                ..
//! ```
//!
//! Loops in an iteration whose number of rounds is the same for all iterations draw as many in each:
//!
//! ```text
//! for k = 1..n: for t = 1..steps: s *= exp(randn())    =>    r = randn(last-c+1, steps), .. s *= exp(r[k-c,t-1])
//! ```
//!
//! Where iterations may draw fewer, as in branches, they count the numbers that they take, in order, and the others are given back.

use super::{Nest, Pass, nest_of};
use crate::analysis::flow_facts::breaks;
use crate::ir::build::{self, int};
use crate::ir::effects::may_fail;
use crate::ir::rewrite::{blocks, read_in, same, set_in, variables, visit, visit_block, visit_stmts};
use crate::ir::{
    Block, Body, Expr, ExprKind, LoopAttributes, LoopMode, Range, Stmt, StmtKind, VarId, VarSet,
};
use crate::source::Span;
use crate::target::any::DRAWN;
use crate::transform::host::outline::{reads_elements, trip_count};
use crate::types::{Boundary, ElementType, Overflow, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::find;

/// How the iterations of a nest draw numbers.
struct Draws {
    /// The functions that draw, with what they are given besides sizes, and the type of their numbers. The sequence goes on by one for
    /// each number, whichever function draws it.
    kinds: Vec<Kind>,
    /// How many statements draw one.
    statements: i32,
    /// Whether some iterations may draw fewer.
    in_branches: bool,
    /// Whether some of the statements are in loops inside of an iteration.
    in_loops: bool,
}

struct Kind {
    name: &'static str,
    args: Vec<Expr>,
    ty: Type,
}

/// How many times the numbers that are drawn at once an iteration may draw.
const MOST_ROOMS: f64 = 4.0;

impl Kind {
    /// The function that a statement draws a number by, if its arguments stand as they are in `changing` code.
    fn of(stmt: &Stmt, changing: &VarSet, body: &Body) -> Option<Kind> {
        let StmtKind::Library { name, args, results } = &stmt.kind else { return None };
        let [Some(result)] = results[..] else { return None };
        let ty = body.variables[result].ty.clone();
        let stands = |arg: &Expr| {
            let mut loads = false;
            visit(arg, &mut |e| loads |= matches!(e.kind, ExprKind::Load { .. }));
            !loads
                && !variables(arg).iter().any(|v| changing.contains(&v))
                && !matches!(arg.ty, Type::Array(_))
        };
        let fits = is_draw(name)
            && args.len() == usize::from(*name == "randi")
            && args.iter().all(stands)
            && matches!(ty, Type::Scalar(..));
        fits.then(|| Kind { name, args: args.clone(), ty })
    }

    fn is(&self, other: &Kind) -> bool {
        let alike = |(a, b)| same(a, b);
        self.name == other.name && self.ty == other.ty && self.args.iter().zip(&other.args).all(alike)
    }
}

impl Draws {
    /// The draws of the innermost block of a nest, if nothing else in it draws, or may.
    fn of(nest: &Nest<'_>, body: &Body) -> Option<Draws> {
        let inner: &Block = nest.blocks.last()?;
        // The loop variables tell which numbers an iteration takes.
        let set = set_in(inner);
        if nest.loops.iter().any(|each| set.contains(&each.variable)) {
            return None;
        }
        let mut found = Draws { kinds: Vec::new(), statements: 0, in_branches: false, in_loops: false };
        let (changing, mut others) = (changing_in(nest), false);
        visit_stmts(inner, &mut |stmt| match &stmt.kind {
            StmtKind::Library { .. } => match Kind::of(stmt, &changing, body) {
                Some(kind) => {
                    found.statements += 1;
                    if !found.kinds.iter().any(|known| known.is(&kind)) {
                        found.kinds.push(kind);
                    }
                }
                None => others = true,
            },
            StmtKind::Call { .. } | StmtKind::CallValue { .. } => others = true,
            StmtKind::For { variable, range, body: block, .. } if draws_in(block) => {
                found.in_loops = true;
                others |= breaks(block) || !has_fixed_rounds(*variable, range, block, &changing);
            }
            StmtKind::If { .. } | StmtKind::For { .. } => {}
            // They would draw once more in each round.
            _ => blocks(stmt, &mut |block| others |= draws_in(block)),
        });
        visit_block(inner, &mut |e| {
            others |= matches!(&e.kind, ExprKind::Library { name, .. } if is_draw(name))
        });
        // Rounds that a `break` leaves out may be most of them, and the next part must not begin behind one.
        others |= nest.blocks.iter().any(|block| breaks(block));
        found.in_branches = has_jumps(inner) || always_drawn(inner) != found.statements;
        // A limit that is no positive number is an error where it is drawn by, which may be nowhere.
        let surely = nest.loops.len() == 1 && !found.in_branches && !found.in_loops;
        let valid = |arg: &Expr| surely || arg.constant_int().is_some_and(|limit| limit > 0);
        let valid = found.kinds.iter().flat_map(|kind| &kind.args).all(valid);
        (!others && valid && found.statements > 0).then_some(found)
    }
}

/// What is not the same in all iterations of a nest.
fn changing_in(nest: &Nest<'_>) -> VarSet {
    let mut changing = nest.blocks.last().map(|inner| set_in(inner)).unwrap_or_default();
    changing.extend(nest.loops.iter().map(|each| each.variable));
    changing
}

/// Whether a loop inside of an iteration has as many rounds in each.
fn has_fixed_rounds(variable: VarId, range: &Range, block: &Block, changing: &VarSet) -> bool {
    let by_one = range.step.as_ref().is_none_or(|step| step.constant_int() == Some(1));
    let fixed = |e: &Expr| {
        // They are computed before, also where there is no iteration.
        e.ty == Type::INT
            && !may_fail(e)
            && !reads_elements(e)
            && !variables(e).iter().any(|v| changing.contains(&v))
    };
    by_one && fixed(&range.from) && fixed(&range.to) && !set_in(block).contains(&variable)
}

fn has_jumps(block: &Block) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Break { .. } | StmtKind::Continue { .. });
    });
    found
}

/// How many statements that draw numbers stand in no branch.
fn always_drawn(block: &Block) -> i32 {
    let drawn = block.iter().map(|stmt| match &stmt.kind {
        StmtKind::Library { .. } => 1,
        StmtKind::For { body, .. } => always_drawn(body),
        _ => 0,
    });
    drawn.sum()
}

fn draws_in(block: &Block) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::Library { name, .. } if is_draw(name));
    });
    found
}

pub(super) fn is_draw(name: &str) -> bool {
    matches!(name, "rand" | "randn" | "randi")
}

impl Pass<'_> {
    /// The loop with its random numbers drawn before, where it becomes a kernel then.
    pub(super) fn with_draws(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Block> {
        let StmtKind::For { attributes, .. } = &stmt.kind else { return None };
        if !self.may_be_kernel(attributes.mode) {
            return None;
        }
        let nest = nest_of(stmt, self.body)?;
        let draws = Draws::of(&nest, self.body)?;
        let plain = nest
            .loops
            .iter()
            .all(|each| each.range.step.as_ref().is_none_or(|s| s.constant_int() == Some(1)));
        // Which number is the next one depends on the iterations before.
        if !plain || draws.in_branches && attributes.mode == LoopMode::Parallel {
            return None;
        }
        let ranges: Vec<(VarId, Range)> =
            nest.loops.iter().map(|each| (each.variable, each.range.clone())).collect();
        let mut fits = None;
        let mut block = self.attempt(|this| {
            let first = this.body.variables.len();
            let Drawn { mut before, mut outer, inner, behind, fits: asked } =
                drawn(stmt.clone(), &ranges, &draws, this.body)?;
            fits = asked;
            let made: Vec<VarId> = (first..this.body.variables.len()).map(VarId::new).collect();
            this.may_be_set.extend(made);
            let mut after = after.clone();
            after.add(&read_in(&behind));
            let block = this.with_own_bounds(inner, &after);
            if let StmtKind::For { body, .. } = &mut outer.kind {
                body.extend(block);
                body.extend(behind);
            }
            before.push(outer);
            Some(before)
        })?;
        if let Some(fits) = fits
            && let Some(outer) = block.pop()
        {
            block.push(build::choice(fits, vec![outer], vec![stmt.clone()], stmt.span));
        }
        Some(block)
    }
}

/// A loop whose random numbers are drawn before.
struct Drawn {
    /// What comes before all.
    before: Block,
    /// The loop over parts of the iterations, with what draws the numbers of a part.
    outer: Stmt,
    /// The loop over the iterations of a part.
    inner: Stmt,
    /// What comes behind that: the numbers that nobody took are those that are drawn next.
    behind: Block,
    /// Whether the numbers of an iteration are not too many to be kept, if that is asked at run time.
    fits: Option<Expr>,
}

fn drawn(mut stmt: Stmt, ranges: &[(VarId, Range)], draws: &Draws, body: &mut Body) -> Option<Drawn> {
    let span = stmt.span;
    let (first, rest) = ranges.split_first()?;
    let mut before = Block::new();
    let (from, to) =
        (kept(first.1.from.clone(), body, &mut before), kept(first.1.to.clone(), body, &mut before));
    // How many iterations of the outermost loop draw numbers at a time.
    let mut extents = Vec::new();
    let mut rounds = Rounds::default();
    let (each, mut exact) = if draws.in_loops {
        let inner = innermost(&mut stmt, rest.len())?;
        let (each, exact) = rounds.count(inner, body, &mut before);
        let exact = (each.constant_int().is_none() || !rest.is_empty()).then_some(exact);
        (known_or_kept(each, body, &mut before), exact)
    } else {
        (int(draws.statements, span), None)
    };
    let mut room = match each.constant_int() {
        Some(each) => int(DRAWN / each.max(1), span),
        None => quotient(int(DRAWN, span), number("max", each.clone(), int(1, span))),
    };
    for (_, range) in rest {
        let extent = kept(number("max", trip_count(range), int(0, span)), body, &mut before);
        room = quotient(room, number("max", extent.clone(), int(1, span)));
        exact = exact.map(|exact| real("multiply", exact, build::convert(extent.clone(), &double())));
        extents.push(extent);
    }
    let most = Expr::new(ExprKind::Constant(Scalar::F64(f64::from(DRAWN) * MOST_ROOMS)), double(), span);
    let fits = exact.map(|exact| number("less_equal", exact, most));
    let room = kept(number("max", room, int(1, span)), body, &mut before);
    let part = body.temporary(build::int_type(), span);
    let start = body.read(part, span);
    let mut block = Block::new();
    // The distance to the end, which is no smaller, so that no sum leaves the range of `int`.
    let less = number("subtract", room.clone(), int(1, span));
    let left = number("subtract", to.clone(), start.clone());
    let last = kept(number("add", start.clone(), number("min", less, left)), body, &mut block);
    let count = number("add", number("subtract", last.clone(), start.clone()), int(1, span));
    let mut sizes: Vec<Expr> = std::iter::once(count).chain(extents).chain([each]).collect();
    let total = sizes.iter().cloned().reduce(|a, b| number("multiply", a, b))?;
    let total = kept(total, body, &mut block);
    if draws.in_branches {
        sizes = vec![total.clone()];
    }
    let numbers = arrays(draws, &sizes, &total, body, &mut block)?;
    let mut places = Places { numbers, draws, at: Vec::new(), next: None, rounds: rounds.found.into_iter() };
    let mut behind = Block::new();
    if draws.in_branches {
        let next = body.temporary(build::int_type(), span);
        block.push(build::assign(next, int(0, span)));
        places.next = Some(next);
        behind.push(undrawn(number("subtract", total, body.read(next, span))));
    } else {
        places.at.push(number("subtract", body.read(first.0, span), start.clone()));
        for (variable, range) in rest {
            places.at.push(number("subtract", body.read(*variable, span), range.from.clone()));
        }
    }
    let inner = innermost(&mut stmt, rest.len())?;
    let mut changing = set_in(inner);
    changing.extend(ranges.iter().map(|(variable, _)| *variable));
    places.block(inner, int(0, span), &changing, body);
    if let StmtKind::For { range, attributes, .. } = &mut stmt.kind {
        *range = build::range(start, last);
        if draws.in_branches {
            attributes.mode = LoopMode::Serial;
        }
    }
    let attributes = LoopAttributes { mode: LoopMode::Host, ..LoopAttributes::default() };
    let range = Range { from, step: Some(room), to };
    let outer = Stmt::new(StmtKind::For { variable: part, range, body: block, attributes }, span);
    Some(Drawn { before, outer, inner: stmt, behind, fits })
}

/// The block inside of the innermost loop of a nest.
fn innermost(stmt: &mut Stmt, inside: usize) -> Option<&mut Block> {
    let mut found = stmt;
    for _ in 0..inside {
        let StmtKind::For { body, .. } = &mut found.kind else { return None };
        found = body.first_mut()?;
    }
    let StmtKind::For { body, .. } = &mut found.kind else { return None };
    Some(body)
}

/// The loops inside of an iteration, in the order of the text: how many numbers a round of each draws at most, and all rounds.
#[derive(Default)]
struct Rounds {
    found: Vec<(Expr, Expr)>,
}

impl Rounds {
    /// How many numbers statements draw at most: as an `int`, and as a number that does not wrap.
    fn count(&mut self, block: &Block, body: &mut Body, before: &mut Block) -> (Expr, Expr) {
        let span = block.first().map_or(Span::default(), |stmt| stmt.span);
        let zero = Expr::new(ExprKind::Constant(Scalar::F64(0.0)), double(), span);
        let mut total = (int(0, span), zero);
        let mut add = |(count, exact): (Expr, Expr)| {
            let sum = (total.0.clone(), total.1.clone());
            total = (number("add", sum.0, count), real("add", sum.1, exact));
        };
        for stmt in block {
            match &stmt.kind {
                StmtKind::Library { .. } => {
                    let one = Expr::new(ExprKind::Constant(Scalar::F64(1.0)), double(), span);
                    add((int(1, span), one));
                }
                StmtKind::For { range, body: inner, .. } if draws_in(inner) => {
                    let place = self.found.len();
                    self.found.push((int(0, span), int(0, span)));
                    let (each, exact) = self.count(inner, body, before);
                    let each = known_or_kept(each, body, before);
                    let trips = known_or_kept(number("max", trip_count(range), int(0, span)), body, before);
                    let all = known_or_kept(number("multiply", trips.clone(), each.clone()), body, before);
                    if let Some(found) = self.found.get_mut(place) {
                        *found = (each, all.clone());
                    }
                    add((all, real("multiply", build::convert(trips, &double()), exact)));
                }
                StmtKind::If { then, otherwise, .. } => {
                    add(self.count(then, body, before));
                    add(self.count(otherwise, body, before));
                }
                _ => {}
            }
        }
        total
    }
}

/// The arrays of numbers, one for each function: all of the same part of the sequence.
fn arrays(
    draws: &Draws,
    sizes: &[Expr],
    total: &Expr,
    body: &mut Body,
    into: &mut Block,
) -> Option<Vec<Expr>> {
    let span = total.span;
    let rank = u8::try_from(sizes.len()).ok()?;
    let mut numbers = Vec::new();
    for kind in &draws.kinds {
        if !numbers.is_empty() {
            into.push(undrawn(total.clone()));
        }
        let variable = body.temporary(build::array_type(kind.ty.clone(), rank), span);
        let args = kind.args.iter().chain(sizes).cloned().collect();
        let draw = StmtKind::Library { name: kind.name, args, results: vec![Some(variable)] };
        into.push(Stmt::new(draw, span));
        numbers.push(body.read(variable, span));
    }
    Some(numbers)
}

/// Gives numbers back to the sequence, which draws them again.
fn undrawn(count: Expr) -> Stmt {
    let span = count.span;
    Stmt::new(StmtKind::Library { name: "undraw", args: vec![count], results: Vec::new() }, span)
}

/// Where iterations find their numbers.
struct Places<'d> {
    numbers: Vec<Expr>,
    draws: &'d Draws,
    /// The place of an iteration, where each draws as many.
    at: Vec<Expr>,
    /// The variable that counts the numbers that were taken, where not.
    next: Option<VarId>,
    /// What rounds of the loops inside of an iteration draw.
    rounds: std::vec::IntoIter<(Expr, Expr)>,
}

impl Places<'_> {
    /// Makes statements read their numbers, the first one from the place `at` of the iteration, and gives the place behind them.
    fn block(&mut self, block: &mut Block, at: Expr, changing: &VarSet, body: &Body) -> Expr {
        let mut at = at;
        let mut found = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            let span = stmt.span;
            match &mut stmt.kind {
                StmtKind::For { variable, range, body: inner, .. } if draws_in(inner) => {
                    let (each, all) = self.rounds.next().unwrap_or_else(|| (int(0, span), int(0, span)));
                    let round = number("subtract", body.read(*variable, span), range.from.clone());
                    let here = number("add", at.clone(), number("multiply", round, each));
                    self.block(inner, here, changing, body);
                    at = number("add", at, all);
                    found.push(stmt);
                }
                StmtKind::If { then, otherwise, .. } => {
                    at = self.block(then, at, changing, body);
                    at = self.block(otherwise, at, changing, body);
                    found.push(stmt);
                }
                _ => match self.read(&stmt, &at, changing, body) {
                    Some(read) => {
                        found.extend(read);
                        at = number("add", at, int(1, span));
                    }
                    None => found.push(stmt),
                },
            }
        }
        *block = found;
        at
    }

    fn read(&self, stmt: &Stmt, at: &Expr, changing: &VarSet, body: &Body) -> Option<Vec<Stmt>> {
        let kind = Kind::of(stmt, changing, body)?;
        let StmtKind::Library { results, .. } = &stmt.kind else { return None };
        let result = (*results.first()?)?;
        let k = self.draws.kinds.iter().position(|known| known.is(&kind))?;
        let span = stmt.span;
        let index = match self.next {
            Some(next) => vec![body.read(next, span)],
            None => self.at.iter().cloned().chain([at.clone()]).collect(),
        };
        let value = build::load(self.numbers.get(k)?.clone(), index, Boundary::Unchecked, span);
        let mut found = vec![build::assign(result, value)];
        if let Some(next) = self.next {
            found.push(build::assign(next, number("add", body.read(next, span), int(1, span))));
        }
        Some(found)
    }
}

/// The same for what may be a constant.
fn known_or_kept(value: Expr, body: &mut Body, into: &mut Block) -> Expr {
    if value.constant_int().is_some() { value } else { kept(value, body, into) }
}

/// A value as a variable that is set before.
fn kept(value: Expr, body: &mut Body, into: &mut Block) -> Expr {
    let span = value.span;
    let variable = body.temporary(build::int_type(), span);
    into.push(build::assign(variable, value));
    body.read(variable, span)
}

/// Arithmetic of integers.
fn number(name: &str, a: Expr, b: Expr) -> Expr {
    let span: Span = a.span;
    match (name, a.constant_int(), b.constant_int()) {
        ("add", Some(0), _) => return b,
        ("add", _, Some(0)) | ("subtract", _, Some(0)) | ("multiply", _, Some(1)) => return a,
        ("multiply", Some(1), _) => return b,
        ("multiply", Some(x), Some(y)) if x.checked_mul(y).is_some() => return int(x.wrapping_mul(y), span),
        ("max", Some(x), Some(y)) => return int(x.max(y), span),
        ("add", Some(x), Some(y)) if x.checked_add(y).is_some() => return int(x.wrapping_add(y), span),
        _ => {}
    }
    let row = find(name).expect("a row that the table has");
    build::apply(row, vec![a, b], build::int_type(), span)
}

/// Arithmetic of numbers that do not wrap.
fn real(name: &str, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    build::apply(find(name).expect("a row that the table has"), vec![a, b], double(), span)
}

fn double() -> Type {
    build::scalar_type(ElementType::Double)
}

/// The whole part of a quotient of positive integers.
fn quotient(a: Expr, b: Expr) -> Expr {
    let (span, double) = (a.span, build::scalar_type(ElementType::Double));
    let parts = [a, b].map(|e| build::convert(e, &double)).to_vec();
    let row = |name| find(name).expect("a row that the table has");
    let exact = build::apply(row("divide"), parts, double.clone(), span);
    let whole = build::apply(row("floor"), vec![exact], double, span);
    // The value always fits, so a wrapping conversion avoids a check.
    Expr::new(ExprKind::Convert(Box::new(whole)), Type::Scalar(ElementType::Int32, Overflow::Wrap), span)
}
