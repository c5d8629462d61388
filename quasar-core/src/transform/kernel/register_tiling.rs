//! Register tiling for devices: a thread computes several positions at once, so that it loads shared elements once. The
//! positions of a tile are neighbours along the dimension before the last, while the threads of a warp stay adjacent
//! along the last; in one dimension they are a block apart.
//!
//! ```text
//!     s = 0                          s8 = zeros(8)
//!     for k = -1..1        becomes   for k = -1..1
//!         s += w[k+1] * x[p0+k]          for r = 0..7: s = s8[r], s += w[k+1] * x[p0+r+k], s8[r] = s
//!     y[p0] = s                      for r = 0..7: s = s8[r], y[p0+r] = s
//! ```
//!
//! Device compilers unroll the loops over `r` and keep `s8` in registers. What is uniform over the tile is computed
//! once. A branch on a varying value, or a loop with varying trip count, is replicated as a whole for each position.

mod unrolling;

use super::{arg_extremum_blocking, copy_propagation, unroll_short_loops};
use crate::analysis::access_pattern::{AccessPattern, reaches};
use crate::analysis::innermost_invariance::{RowInvariance, changing};
use crate::analysis::symbolic_range::{SymbolicRange, hull};
use crate::analysis::window::{self, SlidingExtremum};
use crate::ir::affine::{AffineForm, Symbol};
use crate::ir::barriers::meets;
use crate::ir::rewrite::{
    blocks, blocks_mut, free_variables, operands, operands_mut, read_in, set_in, sets, stored_in, transform,
    transform_stmts, visit, visit_block, visit_stmts,
};
use crate::ir::{
    Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, KernelId, LoopAttributes, Program, RegisterTile,
    Stmt, StmtKind, Storage, VarId, VarSet, build,
};
use crate::parallel;
use crate::source::Span;
use crate::target::any::UNROLLED_NODES;
use crate::target::gpu::{
    TILE_ELEMENTS, TILE_ITERATIONS, TILE_NODES, TILE_POSITIONS, TILE_ROW_ELEMENTS, TILE_SAVED_LOADS,
    TILE_THREADS, TILE_UNROLLED_NODES, TILE_WINDOW_ROWS,
};
use crate::types::known::fixed;
use crate::types::{Boundary, Type};
use std::collections::{BTreeMap, BTreeSet};
use unrolling::unroll_loops;

/// Finds the strips of all kernels.
pub(in crate::transform) fn run(program: &mut Program) {
    let strips = parallel::map(program.kernels.ids().collect(), |kernel| strip(program, kernel));
    for ((_, kernel), strip) in program.kernels.iter_mut().zip(strips) {
        kernel.strip = strip.map(Box::new);
    }
}

/// The register tile of a kernel, if its positions share enough loads.
fn strip(program: &Program, id: KernelId) -> Option<RegisterTile> {
    let original = &program.kernels[id];
    let body = &original.body;
    let blocks = body.variables.iter().any(|(_, v)| v.storage == Storage::Shared);
    if !original.parallel || !body.results.is_empty() || original.rank == 0 || meets(&body.block) || blocks {
        return None;
    }
    let mut kernel = Kernel {
        name: original.name.clone(),
        body: written(body),
        rank: original.rank,
        accumulators: original.accumulators.clone(),
        parallel: original.parallel,
        aliased: original.aliased,
        divisible: original.divisible,
        attributes: Default::default(),
        strip: None,
        schedule: Default::default(),
        span: original.span,
    };
    let axis = kernel.rank.saturating_sub(2);
    let reaches = reaches(program, &kernel);
    let spared = spared(&kernel, axis, &reaches);
    let rows = TILE_POSITIONS;
    let large = |kernel: &Kernel| size(&kernel.body.block) * rows as usize > TILE_NODES;
    if spared < TILE_SAVED_LOADS || uses_blocks(&kernel.body.block) || large(&kernel) {
        return None;
    }
    if arg_extremum_blocking::run(&mut kernel.body) && large(&kernel) {
        kernel.body = written(body);
    }
    let mut tile =
        Stripper::new(&kernel, vec![Side { axis, count: rows, apart: apart(&kernel) }], &reaches).run()?;
    unroll_loops(&mut tile.block);
    Some(RegisterTile { rows, apart: apart(&kernel), body: tile })
}

/// The distance between the positions of a tile of one column.
fn apart(kernel: &Kernel) -> u32 {
    if kernel.rank == 1 { TILE_THREADS } else { 1 }
}

/// The body with short innermost loops unrolled. Device compilers unroll longer loops of constant bounds themselves, which leaves
/// them less code to read; the `min` or `max` of a window is recognised in unrolled code only.
fn written(body: &Body) -> Body {
    let mut extreme = false;
    weigh(&body.block, 1, &mut |e, weight| {
        extreme |=
            weight > 1 && matches!(&e.kind, ExprKind::Apply { row, .. } if matches!(row.name, "min" | "max"));
    });
    let mut body = body.clone();
    let nodes = if extreme { UNROLLED_NODES } else { TILE_UNROLLED_NODES };
    if unroll_short_loops::innermost(&mut body, nodes) {
        copy_propagation::run(&mut body);
    }
    body
}

fn uses_blocks(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(c, _) if c != Coordinate::Position);
    });
    found
}

fn size(block: &[Stmt]) -> usize {
    let mut nodes = 0;
    visit_block(block, &mut |_| nodes += 1);
    nodes
}

/// The range of each index except one.
type Others = Vec<Option<(AffineForm, AffineForm)>>;

/// Loads saved by each position of a tile but one: loads of elements that do not depend on the tile axis, and of
/// elements that neighbouring positions load as well.
fn spared(kernel: &Kernel, axis: usize, reaches: &BTreeMap<VarId, AccessPattern>) -> usize {
    // Offsets from the position, grouped by array and the other indices.
    let mut lines: BTreeMap<(VarId, Others), BTreeSet<i64>> = BTreeMap::new();
    let (mut still, own) = (0, [(Symbol::Position(axis), 1)]);
    let rounds = constant_loops(&kernel.body.block);
    let fetch = &mut |e: &Expr, weight: usize| {
        let ExprKind::Load { array, index, .. } = &e.kind else { return };
        let ExprKind::Local(v) = array.kind else { return };
        if reaches.get(&v) != Some(&AccessPattern::ReadOnly) {
            return;
        }
        let (mut moves, mut line, mut others) = (false, None, Vec::new());
        for index in index {
            let Index::At(index) = index else { return };
            match hull(index, &|v| rounds.get(&v).cloned()) {
                Some(found) if found.low.terms == own && found.high.terms == own && line.is_none() => {
                    line = Some((found.low.constant, found.high.constant));
                }
                found => others.push(found.map(|found| (found.low, found.high))),
            }
            visit(index, &mut |e| {
                moves |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, a) if a == axis);
            });
        }
        match line {
            Some((low, high)) => {
                let seen = low..=high.min(low + TILE_WINDOW_ROWS);
                lines.entry((v, others)).or_default().extend(seen);
            }
            None if !moves => still += weight,
            None => {}
        }
    };
    weigh(&kernel.body.block, 1, fetch);
    still + lines.values().map(|each| each.len() - 1).sum::<usize>()
}

/// Ranges of the variables of loops with constant bounds.
fn constant_loops(block: &[Stmt]) -> BTreeMap<VarId, SymbolicRange> {
    let mut found = BTreeMap::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::For { variable, range, .. } = &stmt.kind
            && let (Some(from), Some(to)) = (range.from.constant_int(), range.to.constant_int())
        {
            let (low, high) = (i64::from(from.min(to)), i64::from(from.max(to)));
            found.insert(
                *variable,
                SymbolicRange { low: AffineForm::constant(low), high: AffineForm::constant(high) },
            );
        }
    });
    found
}

/// Upper limit of a weight, so that sums of weights do not overflow.
const HEAVIEST: usize = 1 << 24;

/// Visits all expressions with their estimated execution count.
fn weigh(block: &[Stmt], weight: usize, f: &mut dyn FnMut(&Expr, usize)) {
    for stmt in block {
        operands(stmt, &mut |e| visit(e, &mut |e| f(e, weight)));
        let repeated =
            matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. });
        blocks(stmt, &mut |inner| {
            weigh(inner, if repeated { (weight * TILE_ITERATIONS).min(HEAVIEST) } else { weight }, f)
        });
    }
}

/// A part of a block.
enum Part<'s> {
    /// A uniform statement, executed once for the tile, with the parts of its blocks.
    Once(&'s Stmt, Vec<Vec<Part<'s>>>),
    /// Statements replicated for each position.
    Each(&'s [Stmt]),
    /// The `min` or `max` over a window.
    Window(SlidingExtremum<'s>),
}

/// A side of a tile.
#[derive(Clone, Copy)]
struct Side {
    /// The component of the position.
    axis: usize,
    /// Number of positions.
    count: u32,
    /// Distance between consecutive positions.
    apart: u32,
}

struct Stripper<'k> {
    kernel: &'k Kernel,
    reaches: &'k BTreeMap<VarId, AccessPattern>,
    /// The rows and, if there are several, the columns.
    sides: Vec<Side>,
    body: Body,
    /// Variables whose value may differ between positions of the tile.
    varying: VarSet,
    /// For each varying variable that lives across parts, the array of its values; the first dimension is the position.
    all: BTreeMap<VarId, VarId>,
}

impl<'k> Stripper<'k> {
    fn new(
        kernel: &'k Kernel,
        sides: Vec<Side>,
        reaches: &'k BTreeMap<VarId, AccessPattern>,
    ) -> Stripper<'k> {
        let Body { variables, params, results, block: _ } = &kernel.body;
        let (variables, params, results) = (variables.clone(), params.clone(), results.clone());
        let body = Body { variables, params, results, block: Vec::new() };
        Stripper { kernel, reaches, sides, body, varying: VarSet::new(), all: BTreeMap::new() }
    }

    fn find_all_varying(&mut self) {
        loop {
            let before = self.varying.len();
            self.find_varying(&self.kernel.body.block, false);
            if self.varying.len() == before {
                break;
            }
        }
    }

    /// Number of positions of the tile.
    fn positions(&self) -> u32 {
        self.sides.iter().map(|side| side.count).product()
    }

    fn run(mut self) -> Option<Body> {
        self.find_all_varying();
        if self.varying.iter().any(|v| self.body.params.contains(&v)) {
            return None;
        }
        let parts = self.parts(&self.kernel.body.block, &changing(self.kernel));
        let mut block = self.keep_values(&parts)?;
        block.extend(self.block(&parts));
        self.body.block = block;
        Some(self.body)
    }

    /// Creates zeroed arrays for the variables that are live across parts.
    fn keep_values(&mut self, parts: &[Part<'_>]) -> Option<Block> {
        let mut uses = BTreeMap::new();
        self.count_uses(parts, &mut uses);
        let mut cleared = Vec::new();
        for (variable, uses) in uses {
            if uses < 2 {
                continue;
            }
            let (rows, span) = (Some(self.positions()), self.body.variables[variable].span);
            let ty = match &self.body.variables[variable].ty {
                ty @ Type::Scalar(..) => build::sized_type(ty.clone(), vec![rows]),
                ty @ Type::Array(array) if fixed(ty).is_some() => {
                    let sizes = std::iter::once(rows).chain(array.sizes.iter().copied()).collect();
                    build::sized_type((*array.element).clone(), sizes)
                }
                _ => return None,
            };
            let sizes = fixed(&ty)?;
            if sizes.iter().product::<usize>() > TILE_ELEMENTS {
                return None;
            }
            let args = sizes.into_iter().map(|n| build::int(n as i32, span)).collect();
            let all = self.body.temporary(ty.clone(), span);
            let zeros = Expr::new(ExprKind::Library { name: "zeros", args }, ty, span);
            cleared.push(build::assign(all, zeros));
            self.all.insert(variable, all);
        }
        Some(cleared)
    }

    /// Counts in how many replicated parts each varying variable occurs; twice if it is read before it is assigned.
    fn count_uses(&self, parts: &[Part<'_>], uses: &mut BTreeMap<VarId, u32>) {
        for part in parts {
            match part {
                Part::Once(_, inner) => inner.iter().for_each(|parts| self.count_uses(parts, uses)),
                Part::Window(extreme) => *uses.entry(extreme.variable).or_default() += 2,
                Part::Each(stmts) => {
                    let free = free_variables(stmts);
                    let mut mentioned = read_in(stmts);
                    mentioned.add(&set_in(stmts));
                    for v in mentioned.intersection(&self.varying) {
                        *uses.entry(v).or_default() += if free.contains(&v) { 2 } else { 1 };
                    }
                }
            }
        }
    }

    /// Splits a block into parts.
    fn parts(&self, block: &'k [Stmt], set: &VarSet) -> Vec<Part<'k>> {
        let (mut parts, mut rest) = (Vec::new(), block);
        let uniform = RowInvariance::new(self.kernel, self.reaches, set);
        while let Some(first) = rest.first() {
            let (mut each, mut found) = (0, None);
            while let Some(stmt) = rest.get(each) {
                found = self.window(&rest[each..], &uniform);
                if found.is_some() || self.once(stmt) {
                    break;
                }
                each += 1;
            }
            let mut count = each;
            if each > 0 {
                parts.push(Part::Each(&rest[..each]));
            }
            if let Some(extreme) = found {
                count += extreme.count;
                parts.push(Part::Window(extreme));
            } else if each == 0 {
                let mut inner = Vec::new();
                blocks_of(first, &mut inner);
                let inner = inner.into_iter().map(|block| self.parts(block, set)).collect();
                parts.push(Part::Once(first, inner));
                count = 1;
            }
            rest = &rest[count..];
        }
        parts
    }

    /// The window reduction at the start of the statements, if positions can share its rows of elements.
    fn window(&self, stmts: &'k [Stmt], uniform: &RowInvariance<'_>) -> Option<SlidingExtremum<'k>> {
        let found = window::extreme(stmts, self.kernel, uniform)?;
        let moves = found.base.iter().any(|(_, term)| self.varies(term));
        let one_column = matches!(self.sides[..], [Side { axis, .. }] if axis + 2 == self.kernel.rank);
        let fits = one_column && !moves && self.varying.contains(&found.variable);
        (fits && self.lines(&found).is_some()).then_some(found)
    }

    /// The first and last row offset that a window reads, if it reads all rows between them.
    fn lines(&self, extreme: &SlidingExtremum<'_>) -> Option<(i32, i32)> {
        let lines: BTreeSet<i64> = extreme.leads.iter().map(|lead| self.line(lead)).collect::<Option<_>>()?;
        let (first, last) = (*lines.first()?, *lines.last()?);
        let all = last - first < lines.len() as i64;
        all.then_some((i32::try_from(first).ok()?, i32::try_from(last).ok()?))
    }

    /// Whether a statement itself is uniform over the tile; its blocks need not be.
    fn once(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Assign { variable, .. } => !self.varying.contains(variable),
            StmtKind::If { .. } | StmtKind::For { .. } => self.together(stmt),
            _ => false,
        }
    }

    /// Whether an expression may have different values at positions of a tile.
    fn varies(&self, expr: &Expr) -> bool {
        let mut found = false;
        visit(expr, &mut |e| {
            found |= match &e.kind {
                ExprKind::Coordinate(_, axis) => self.sides.iter().any(|side| side.axis == *axis),
                ExprKind::Local(v) => {
                    self.varying.contains(v)
                        || self.reaches.get(v).is_some_and(|reach| *reach != AccessPattern::ReadOnly)
                }
                _ => false,
            };
        });
        found
    }

    fn find_varying(&mut self, block: &[Stmt], apart: bool) {
        for stmt in block {
            let apart = apart || !self.together(stmt);
            let mut found = Vec::new();
            if apart || self.sets_varying(stmt) {
                sets(stmt, &mut |v| found.push(*v));
            }
            if let (StmtKind::Store { array, .. } | StmtKind::Update { array, .. }, true) =
                (&stmt.kind, apart || self.operands_vary(stmt))
                && let ExprKind::Local(v) = array.kind
                && !self.body.params.contains(&v)
            {
                found.push(v);
            }
            if matches!(stmt.kind, StmtKind::Call { .. }) {
                let given = given_in(std::slice::from_ref(stmt));
                found.extend(given.into_iter().filter(|v| !self.body.params.contains(v)));
            }
            self.varying.extend(found);
            let mut inner: Vec<&Block> = Vec::new();
            blocks_of(stmt, &mut inner);
            for block in inner {
                self.find_varying(block, apart);
            }
        }
    }

    fn operands_vary(&self, stmt: &Stmt) -> bool {
        let mut varies = false;
        operands(stmt, &mut |e| varies |= self.varies(e));
        varies
    }

    /// Whether a statement assigns a varying value.
    fn sets_varying(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Assign { value, .. } => self.varies(value),
            StmtKind::For { .. } => self.operands_vary(stmt),
            _ => true,
        }
    }

    /// Whether control flow is uniform, so that the positions of a tile execute the statement's blocks in lockstep.
    fn together(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::If { condition, .. } => !self.varies(condition),
            StmtKind::For { variable, body, .. } => {
                !self.operands_vary(stmt) && !self.varying.contains(variable) && !jumps(body)
            }
            StmtKind::While { .. } | StmtKind::Repeat { .. } => false,
            _ => true,
        }
    }

    fn block(&mut self, parts: &[Part<'_>]) -> Block {
        let each = |part: &Part<'_>| match part {
            Part::Window(extreme) => self.extreme(extreme),
            Part::Each(stmts) => self.for_each_position(stmts),
            Part::Once(stmt, inner) => {
                let mut stmt = (*stmt).clone();
                let mut inner = inner.iter();
                blocks_mut(&mut stmt, &mut |block| {
                    *block = inner.next().map_or_else(Vec::new, |parts| self.block(parts))
                });
                stmt
            }
        };
        parts.iter().map(each).collect()
    }

    /// A loop over the positions of a tile around statements.
    fn for_each_position(&mut self, stmts: &[Stmt]) -> Stmt {
        let span = stmts.first().map_or(self.kernel.span, |stmt| stmt.span);
        let each: Vec<VarId> =
            self.sides.iter().map(|_| self.body.temporary(build::int_type(), span)).collect();
        let mut copy = stmts.to_vec();
        transform_stmts(&mut copy, &mut |stmt| operands_mut(stmt, &mut |e| self.move_to(e, &each)));
        let mut changed = set_in(stmts);
        changed.add(&stored_in(stmts));
        changed.extend(given_in(stmts));
        // A branch may leave a variable unchanged, so its old value is loaded as well.
        let fetched: VarSet = free_variables(stmts).union(&changed);
        let (mut body, row) = self.number_of(&each, span);
        let kept = |v: &VarId| self.all.contains_key(v);
        body.extend(fetched.into_iter().filter(kept).map(|v| build::assign(v, self.fetched(v, row))));
        body.append(&mut copy);
        for v in changed.into_iter().filter(kept) {
            body.extend(self.put(v, row, self.body.read(v, span)));
        }
        let sides: Vec<(VarId, i32)> =
            each.iter().zip(&self.sides).map(|(v, side)| (*v, side.count as i32 - 1)).collect();
        let around = |body, (v, last): &(VarId, i32)| vec![self.unrolled(*v, 0, *last, body, span)];
        let mut nest = sides.iter().rev().fold(body, around);
        nest.swap_remove(0)
    }

    /// Numbers the positions of a tile: the variable that holds the number, and what computes it from the variables of the sides.
    fn number_of(&mut self, each: &[VarId], span: Span) -> (Block, VarId) {
        match (each, &self.sides[..]) {
            ([row, column], [_, columns]) => {
                let first = build::of_ints(
                    "multiply",
                    self.body.read(*row, span),
                    build::int(columns.count as i32, span),
                );
                let number = build::of_ints("add", first, self.body.read(*column, span));
                let place = self.body.temporary(build::int_type(), span);
                (vec![build::assign(place, number)], place)
            }
            _ => (Vec::new(), each[0]),
        }
    }

    /// A loop with constant bounds that device compilers shall unroll.
    fn unrolled(&self, variable: VarId, from: i32, to: i32, body: Block, span: Span) -> Stmt {
        let range = build::range(build::int(from, span), build::int(to, span));
        let attributes = LoopAttributes { unroll: Some(0), ..LoopAttributes::default() };
        Stmt::new(StmtKind::For { variable, range, body, attributes }, span)
    }

    /// The value of a variable at a position, or one of its components.
    fn at(&self, variable: VarId, component: &[usize], row: VarId) -> Expr {
        let span = self.kernel.span;
        let mut index = vec![self.body.read(row, span)];
        index.extend(component.iter().map(|k| build::int(*k as i32, span)));
        build::load(self.body.read(self.all[&variable], span), index, Boundary::Unchecked, span)
    }

    /// The whole value of a variable at a position.
    fn fetched(&self, variable: VarId, row: VarId) -> Expr {
        let ty = &self.body.variables[variable].ty;
        let Some(sizes) = fixed(ty) else { return self.at(variable, &[], row) };
        let components = components(&sizes);
        self.gathered(variable, row, &components, &sizes, ty.clone())
    }

    /// Components as a nested array literal of the given sizes.
    fn gathered(
        &self,
        variable: VarId,
        row: VarId,
        components: &[Vec<usize>],
        sizes: &[usize],
        ty: Type,
    ) -> Expr {
        let span = self.kernel.span;
        let items = match sizes {
            [_] => components.iter().map(|component| self.at(variable, component, row)).collect(),
            _ => {
                let Type::Array(array) = &ty else { return self.at(variable, &[], row) };
                let inner = build::sized_type((*array.element).clone(), array.sizes[1..].to_vec());
                let count: usize = sizes[1..].iter().product();
                let parts = components.chunks(count.max(1));
                parts.map(|part| self.gathered(variable, row, part, &sizes[1..], inner.clone())).collect()
            }
        };
        Expr::new(ExprKind::Array(items), ty, span)
    }

    /// Stores the value of a variable at a position.
    fn put(&self, variable: VarId, row: VarId, value: Expr) -> Block {
        let span = value.span;
        let array = self.body.read(self.all[&variable], span);
        let store = |component: &[usize], value: Expr| {
            let row = Index::At(self.body.read(row, span));
            let others = component.iter().map(|k| Index::At(build::int(*k as i32, span)));
            let index = std::iter::once(row).chain(others).collect();
            let (array, boundary) = (array.clone(), Boundary::Unchecked);
            Stmt::new(StmtKind::Store { array, index, boundary, value }, span)
        };
        let Some(sizes) = fixed(&value.ty) else { return vec![store(&[], value)] };
        let component = |k: &Vec<usize>| {
            let at = k.iter().map(|k| build::int(*k as i32, span)).collect();
            store(k, build::load(value.clone(), at, Boundary::Unchecked, span))
        };
        components(&sizes).iter().map(component).collect()
    }

    /// Rewrites an expression for another position of the tile.
    fn move_to(&self, expr: &mut Expr, each: &[VarId]) {
        transform(expr, &mut |e| {
            let ExprKind::Coordinate(Coordinate::Position, axis) = e.kind else { return };
            if let Some((side, v)) = self.sides.iter().zip(each).find(|(side, _)| side.axis == axis) {
                let mut distance = self.body.read(*v, e.span);
                if side.apart != 1 {
                    distance = build::of_ints("multiply", distance, build::int(side.apart as i32, e.span));
                }
                *e = build::of_ints("add", e.clone(), distance);
            }
        });
    }

    /// The `min` or `max` of a window: each row of elements is reduced once for all positions that read it.
    fn extreme(&mut self, extreme: &SlidingExtremum<'_>) -> Stmt {
        let (first, last) = self.lines(extreme).unwrap_or_default();
        let (span, int) = (self.kernel.span, build::int_type());
        let line = self.body.temporary(int.clone(), span);
        let kept = self.body.temporary(self.body.variables[extreme.variable].ty.clone(), span);
        let mut body = self.extreme_of_line(extreme, line, kept);
        // The positions whose window contains the row.
        let row = self.body.temporary(int.clone(), span);
        let at = |offset| build::of_ints("add", self.body.read(row, span), build::int(offset, span));
        let above = build::of_ints("less_equal", at(first), self.body.read(line, span));
        let below = build::of_ints("less_equal", self.body.read(line, span), at(last));
        let looks = Expr::new(ExprKind::And(Box::new(above), Box::new(below)), int, span);
        let both = vec![self.at(extreme.variable, &[], row), self.body.read(kept, span)];
        let both = build::apply(extreme.row, both, self.body.variables[kept].ty.clone(), span);
        let update = vec![build::choice(looks, self.put(extreme.variable, row, both), Vec::new(), span)];
        let distance = self.sides[0].count as i32 - 1;
        body.push(self.unrolled(row, 0, distance, update, span));
        self.unrolled(line, first, last + distance, body, span)
    }

    /// The reduction of one row of elements.
    fn extreme_of_line(&mut self, extreme: &SlidingExtremum<'_>, line: VarId, kept: VarId) -> Block {
        let (last, span) = (self.kernel.rank - 1, self.kernel.span);
        let array = self.body.read(extreme.array, span);
        let along = extreme.base.iter().fold(position(last, span), |sum, (positive, term)| {
            build::of_ints(if *positive { "add" } else { "subtract" }, sum, term.clone())
        });
        let lead = |axis: usize, e: &Expr| {
            let moved = || build::of_ints("add", position(axis, span), self.body.read(line, span));
            if axis == self.sides[0].axis { moved() } else { e.clone() }
        };
        let lead: Vec<Expr> = extreme.leads[0].iter().enumerate().map(|(axis, e)| lead(axis, e)).collect();
        let element = |offset: Expr| {
            let mut index = lead.clone();
            index.push(build::of_ints("add", along.clone(), offset));
            build::load(array.clone(), index, extreme.boundary, span)
        };
        let ty = self.body.variables[kept].ty.clone();
        let both = |body: &Body, load| {
            build::apply(extreme.row, vec![body.read(kept, span), load], ty.clone(), span)
        };
        let Some((first, others)) = extreme.offsets.split_first() else { return Vec::new() };
        let mut made = vec![build::assign(kept, element(build::int(*first, span)))];
        let last = *others.last().unwrap_or(first);
        if others.len() >= TILE_ROW_ELEMENTS && i64::from(last) - i64::from(*first) == others.len() as i64 {
            let k = self.body.temporary(build::int_type(), span);
            let next = both(&self.body, element(self.body.read(k, span)));
            made.push(Stmt::new(
                StmtKind::For {
                    variable: k,
                    range: build::range(build::int(first + 1, span), build::int(last, span)),
                    body: vec![build::assign(kept, next)],
                    attributes: LoopAttributes::default(),
                },
                span,
            ));
        } else {
            let step =
                |offset: &i32| build::assign(kept, both(&self.body, element(build::int(*offset, span))));
            made.extend(others.iter().map(step));
        }
        made
    }

    /// The offset of a window row from the position, if its other leading indices do not depend on the tile axis.
    fn line(&self, lead: &[&Expr]) -> Option<i64> {
        let axis = self.sides[0].axis;
        let found = hull(lead.get(axis)?, &|_| None)?;
        let alone = found.low == found.high && found.low.terms == [(Symbol::Position(axis), 1)];
        let others = lead.iter().enumerate().filter(|(other, _)| *other != axis);
        let still = others.into_iter().all(|(_, e)| !self.varies(e));
        (alone && still).then_some(found.low.constant)
    }
}

fn blocks_of<'s>(stmt: &'s Stmt, found: &mut Vec<&'s Block>) {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => found.extend([then, otherwise]),
        StmtKind::For { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::While { body, .. } => {
            found.push(body)
        }
        StmtKind::Repeat { body, test, .. } => found.extend([body, test]),
        StmtKind::Try { body, handlers } => {
            found.push(body);
            found.extend(handlers.iter().map(|handler| &handler.block));
        }
        _ => {}
    }
}

/// Whether a block contains `break` or `continue`.
fn jumps(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Break { .. } | StmtKind::Continue { .. });
    });
    found
}

fn position(axis: usize, span: Span) -> Expr {
    Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), span)
}

/// The indices of all elements of an array with these extents, in row-major order.
fn components(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![Vec::new()], |all, n| {
        let longer = |k: Vec<usize>| (0..*n).map(move |i| k.iter().copied().chain([i]).collect());
        all.into_iter().flat_map(longer).collect()
    })
}

/// The variables passed to functions, which may modify them.
fn given_in(block: &[Stmt]) -> VarSet {
    let mut found = VarSet::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { args, .. } = &stmt.kind {
            found.extend(args.iter().filter_map(|e| match e.kind {
                ExprKind::Local(v) if matches!(e.ty, Type::Array(_)) => Some(v),
                _ => None,
            }));
        }
    });
    found
}
