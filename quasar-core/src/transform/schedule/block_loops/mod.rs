//! A block of threads per position: loops whose iterations are independent are shared by the threads, also those that store.
//! Everything else is computed by all threads alike, and stored by the first one:
//!
//! ```text
//! for k = 0..n-1: m = max(m, x[p,k])            a thread has every 256th iteration; then the threads combine their maxima
//! y[p,0] = m                              =>    the first thread
//! for k = 1..n-1: y[p,k] = x[p,k]-y[p,0]        barrier; a thread has every 256th iteration
//! ```
//!
//! That is for launches whose positions go along rows, where neighbouring threads would be a row apart in memory, and for
//! those with few positions. Between two barriers, no thread reads or writes what another one has written or, before it writes,
//! read ([`order`]).

mod order;

use crate::analysis::access_pattern::{DEPTH, by_reference, changes};
use crate::analysis::aliases::Aliases;
use crate::analysis::dependence::{self, Loop};
use crate::analysis::liveness::{LiveAfter, live_in_loop};
use crate::analysis::symbolic_range::trip_count;
use crate::ir::affine::AffineForm;
use crate::ir::build;
use crate::ir::rewrite::{
    blocks_mut, free_variables, jumps_out, operands_mut, read_in, set_in, sets, stored_in, transform,
    transform_stmts, variables, visit, visit_block, visit_stmts,
};
use crate::ir::schedule::{BlockLoops, Mapping, SharedLoop};
use crate::ir::{
    Accumulator, Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, Program, Range, Stmt, StmtKind,
    VarId, VarSet,
};
use crate::target::any::SHORT_LOOP;
use crate::target::gpu::{BLOCK_TRIP_COUNT, WARP};
use crate::types::known::scalar;
use crate::types::{ElementType, Type};
use order::Order;
use std::collections::{BTreeMap, BTreeSet};

/// The code of a kernel for a block of threads per position, if they have loops to share.
pub(super) fn block_loops(program: &Program, kernel: &Kernel, mapping: &Mapping) -> Option<BlockLoops> {
    let gathers = matches!(mapping, Mapping::GridStride(walk) if walk.gather);
    let block = &kernel.body.block;
    if gathers || kernel.aliased || !kernel.body.results.is_empty() || jumps_out(block, 0) {
        return None;
    }
    let far =
        kernel.body.params.iter().copied().filter(|v| by_reference(program, &kernel.body, *v)).collect();
    let (stored, set) = (stored_in(block), set_in(block));
    if !are_own(block, &stored.intersection(&far), kernel.rank) && !are_independent(kernel) {
        return None;
    }
    let aliases = Aliases::alone(&kernel.body, block);
    let body = Body { block: Block::new(), ..kernel.body.clone() };
    let mut divider =
        Divider { program, body, aliases, far, stored, set, iterations: Vec::new(), long: false };
    let nodes = divider.block(block.clone(), &VarSet::new())?;
    let Divider { body, far, iterations, long, .. } = divider;
    if !long {
        return None;
    }
    let along_rows = goes_along_rows(&nodes, kernel.rank - 1);
    let mut found = BlockLoops { body, loops: BTreeMap::new(), first: Vec::new(), iterations, along_rows };
    found.body.block = emitted(Order::new(far).block(nodes), &mut 0, &mut found);
    Some(found)
}

/// Statements as the threads of a block run them.
enum Node {
    /// All threads do the same.
    All(Stmt),
    /// The first thread does it alone.
    First(Stmt),
    /// The threads share the iterations of a loop, and combine what they accumulate.
    Shared(Stmt, SharedLoop),
    /// All threads take the same way through a statement, whose blocks are here.
    Nest(Stmt, Vec<Vec<Node>>),
}

/// The statements of nodes, from the given number on.
fn emitted(nodes: Vec<Node>, number: &mut usize, found: &mut BlockLoops) -> Block {
    let mut block = Block::with_capacity(nodes.len());
    for node in nodes {
        let own = *number;
        let stmt = match node {
            Node::Nest(mut stmt, blocks) => {
                *number += 1;
                let mut blocks =
                    blocks.into_iter().map(|nodes| emitted(nodes, number, found)).collect::<Vec<_>>();
                let mut each = blocks.drain(..);
                blocks_mut(&mut stmt, &mut |block| *block = each.next().unwrap_or_default());
                block.push(stmt);
                continue;
            }
            Node::All(stmt) => stmt,
            Node::First(stmt) => {
                found.first.push(own);
                stmt
            }
            Node::Shared(stmt, shared) => {
                found.loops.insert(own, shared);
                stmt
            }
        };
        visit_stmts(std::slice::from_ref(&stmt), &mut |_| *number += 1);
        block.push(stmt);
    }
    block
}

/// Divides code among the threads of a block.
struct Divider<'p> {
    program: &'p Program,
    body: Body,
    aliases: Aliases,
    /// The arrays in memory that all threads see.
    far: VarSet,
    /// The arrays that the kernel writes.
    stored: VarSet,
    /// The variables that it sets.
    set: VarSet,
    /// The factors of the iterations of the first shared loop of which a launch knows them.
    iterations: Vec<AffineForm>,
    /// Whether a shared loop may be long.
    long: bool,
}

impl Divider<'_> {
    /// The statements as all threads run them; `None` where that does not pay, or might change what they do.
    fn block(&mut self, block: Block, after: &VarSet) -> Option<Vec<Node>> {
        let mut live_after = LiveAfter::of(&block, after);
        let mut found = Vec::with_capacity(block.len());
        for stmt in block {
            let live = live_after.step();
            self.stmt(stmt, live, &mut found)?;
        }
        Some(found)
    }

    fn stmt(&mut self, stmt: Stmt, live: &VarSet, found: &mut Vec<Node>) -> Option<()> {
        let inner = live_in_loop(&stmt, live);
        let nest = |kind, blocks| Node::Nest(Stmt::new(kind, stmt.span), blocks);
        let node = match stmt.kind {
            StmtKind::Assign { .. } | StmtKind::Fail { .. } | StmtKind::Assert { .. } => Node::All(stmt),
            StmtKind::Break { .. } | StmtKind::Continue { .. } => Node::All(stmt),
            StmtKind::Call { .. } if self.is_pure(&stmt) => Node::All(stmt),
            StmtKind::Store { ref array, .. } | StmtKind::Update { ref array, result: None, .. } => {
                let ExprKind::Local(array) = array.kind else { return None };
                if self.far.contains(&array) { Node::First(stmt) } else { Node::All(stmt) }
            }
            StmtKind::If { mut condition, then, otherwise } => {
                self.name_loads(&mut condition, found);
                let blocks = vec![self.block(then, live)?, self.block(otherwise, live)?];
                nest(StmtKind::If { condition, then: Block::new(), otherwise: Block::new() }, blocks)
            }
            StmtKind::For { .. } => self.for_loop(stmt, (live, &inner), found)?,
            // Threads could not wait in front of the test, which is no statement of its own.
            StmtKind::While { condition, body } if !self.reads_stored(&condition) => {
                let blocks = vec![self.with_shared(body, &inner)?];
                nest(StmtKind::While { condition, body: Block::new() }, blocks)
            }
            StmtKind::Repeat { body, test, until } if !self.reads_stored(&until) => {
                let blocks = vec![self.with_shared(body, &inner)?, self.block(test, &inner)?];
                nest(StmtKind::Repeat { body: Block::new(), test: Block::new(), until }, blocks)
            }
            _ => return None,
        };
        found.push(node);
        Some(())
    }

    fn for_loop(
        &mut self,
        mut stmt: Stmt,
        (live, inner): (&VarSet, &VarSet),
        found: &mut Vec<Node>,
    ) -> Option<Node> {
        let nest = nest_of(&stmt);
        // As many loops as possible count as one: their iterations are neighbours in memory.
        let shared = (1..=nest.len()).rev().find_map(|count| {
            let accumulators = self.accumulators(&nest[..count], live)?;
            Some(SharedLoop { collapsed: count, accumulators })
        });
        if let Some(shared) = shared {
            let ranges = nest[..shared.collapsed].iter().map(|each| &each.0.range);
            self.long |=
                ranges.clone().map(Range::constant_count).product::<Option<i64>>().is_none_or(is_long);
            if self.iterations.is_empty() {
                let fixed = |v| self.body.params.contains(&v) && !self.set.contains(&v);
                // Of loops over triangles, the longest.
                let count = |range| Some(trip_count(range, &fixed)?.over_launch(true, &|_| 1));
                self.iterations = ranges.map(count).collect::<Option<_>>().unwrap_or_default();
            }
            self.name_range(&mut stmt, found);
            return Some(Node::Shared(stmt, shared));
        }
        self.name_range(&mut stmt, found);
        let StmtKind::For { range, body, .. } = &mut stmt.kind else { return None };
        let (count, body) = (range.constant_count(), std::mem::take(body));
        let short = count.is_some_and(|n| n <= SHORT_LOOP);
        let nodes = if short { self.block(body, inner) } else { self.with_shared(body, inner) };
        Some(Node::Nest(stmt, vec![nodes?]))
    }

    /// The body of a loop that may be long: all threads go through it, which only pays for what they share in it.
    fn with_shared(&mut self, block: Block, after: &VarSet) -> Option<Vec<Node>> {
        let nodes = self.block(block, after)?;
        nodes.iter().any(has_shared).then_some(nodes)
    }

    /// What the iterations of a nest accumulate, if threads may share them.
    fn accumulators(&self, nest: &[(Loop, &Block)], after: &VarSet) -> Option<Vec<Accumulator>> {
        let body = nest.last()?.1;
        let ranges = || nest.iter().map(|each| &each.0.range);
        let ends = || ranges().flat_map(|range| [&range.from, &range.to].into_iter().chain(&range.step));
        let few =
            ranges().map(Range::constant_count).product::<Option<i64>>().is_some_and(|n| n < i64::from(WARP));
        if few || ends().any(|end| scalar(&end.ty) != Some(ElementType::Int32)) {
            return None;
        }
        // Bounds are computed before the loops, whose variables nobody else sets or reads.
        let (mut set, loops) = (set_in(body), nest.iter().map(|each| each.0.variable).collect::<VarSet>());
        if loops.len() < nest.len() || loops.iter().any(|v| set.contains(&v) || after.contains(&v)) {
            return None;
        }
        set.add(&loops);
        let inner = ends().skip(2 + usize::from(nest[0].0.range.step.is_some()));
        if ends().any(|end| !variables(end).is_disjoint(&set))
            || inner.into_iter().any(|end| self.reads_stored(end))
        {
            return None;
        }
        // What an iteration keeps in arrays is its own.
        let exposed = free_variables(body);
        let private = |v: VarId| !self.far.contains(&v) && (exposed.contains(&v) || after.contains(&v));
        if jumps_out(body, 0) || !self.is_plain(body) || stored_in(body).iter().any(private) {
            return None;
        }
        let loops: Vec<Loop> = nest.iter().map(|each| each.0.clone()).collect();
        let found = dependence::test(&self.body, &loops, body, &self.aliases, after, true).ok()?;
        let shared =
            |array: &Expr| matches!(array.kind, ExprKind::Local(v) if found.shared_updates.contains(&v));
        let mut atomic = true;
        visit_stmts(body, &mut |stmt| {
            if let StmtKind::Update { array, atomic: is_atomic, .. } = &stmt.kind {
                atomic &= *is_atomic || !shared(array);
            }
        });
        let accumulators = found.accumulators.into_iter().map(|(variable, row)| {
            let element = scalar(&self.body.variables[variable].ty)?;
            (!element.is_complex() && element != ElementType::Half).then_some(Accumulator { variable, row })
        });
        accumulators.collect::<Option<_>>().filter(|_| atomic)
    }

    /// Whether the statements of an iteration do nothing that only the order of all iterations gives a meaning.
    fn is_plain(&self, block: &[Stmt]) -> bool {
        let mut plain = true;
        visit_stmts(block, &mut |stmt| {
            plain &= match &stmt.kind {
                StmtKind::Assign { .. }
                | StmtKind::Store { .. }
                | StmtKind::Update { result: None, .. }
                | StmtKind::If { .. }
                | StmtKind::For { .. }
                | StmtKind::While { .. }
                | StmtKind::Repeat { .. }
                | StmtKind::Break { .. }
                | StmtKind::Continue { .. }
                | StmtKind::Fail { .. }
                | StmtKind::Assert { .. } => true,
                StmtKind::Call { .. } => self.is_pure(stmt),
                _ => false,
            };
        });
        // The dependence test looks at elements only.
        let written = stored_in(block).intersection(&self.far);
        plain && whole_uses(block).iter().all(|v| !written.contains(&v))
    }

    /// Whether a call gives results and changes no array.
    fn is_pure(&self, call: &Stmt) -> bool {
        let call = vec![call.clone()];
        read_in(&call).iter().all(|v| {
            !matches!(self.body.variables[v].ty, Type::Array(_)) || !changes(self.program, &call, v, DEPTH)
        })
    }

    /// Gives what a condition reads of arrays that the kernel writes a name: threads go on to write when others have yet to read.
    fn name_loads(&mut self, e: &mut Expr, found: &mut Vec<Node>) {
        if self.reads_stored(e) {
            let variable = self.body.temporary(e.ty.clone(), e.span);
            let read = self.body.read(variable, e.span);
            found.push(Node::All(build::assign(variable, std::mem::replace(e, read))));
        }
    }

    /// The same for the bounds of a loop.
    fn name_range(&mut self, stmt: &mut Stmt, found: &mut Vec<Node>) {
        let StmtKind::For { range: Range { from, step, to }, .. } = &mut stmt.kind else { return };
        let ends = [Some(from), step.as_mut(), Some(to)];
        ends.into_iter().flatten().for_each(|end| self.name_loads(end, found));
    }

    /// Whether an expression reads elements that the kernel writes.
    fn reads_stored(&self, e: &Expr) -> bool {
        let mut read = VarSet::new();
        order::reads(e, &mut read);
        read.iter().any(|v| self.stored.contains(&v) && self.far.contains(&v))
    }
}

/// The loops that have nothing but the next one in them, with their bodies.
fn nest_of(stmt: &Stmt) -> Vec<(Loop, &Block)> {
    let (mut found, mut stmt) = (Vec::new(), stmt);
    while let StmtKind::For { variable, range, body, attributes } = &stmt.kind
        && attributes.unroll.is_none()
    {
        found.push((Loop { variable: *variable, range: range.clone() }, body));
        let [inner] = body.as_slice() else { break };
        stmt = inner;
    }
    found
}

fn is_long(iterations: i64) -> bool {
    iterations >= BLOCK_TRIP_COUNT
}

fn has_shared(node: &Node) -> bool {
    match node {
        Node::Shared(..) => true,
        Node::Nest(_, blocks) => blocks.iter().flatten().any(has_shared),
        Node::All(_) | Node::First(_) => false,
    }
}

/// The arrays that statements use otherwise than by elements and extents.
fn whole_uses(block: &[Stmt]) -> VarSet {
    let mut whole = VarSet::new();
    let mut counts: BTreeMap<VarId, i32> = BTreeMap::new();
    visit_block(block, &mut |e| match &e.kind {
        ExprKind::Local(v) => *counts.entry(*v).or_default() += 1,
        ExprKind::Load { array, .. } | ExprKind::Extent(array, _) | ExprKind::Count(array) => {
            if let ExprKind::Local(v) = array.kind {
                *counts.entry(v).or_default() -= 1;
            }
        }
        _ => {}
    });
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { array, .. } | StmtKind::Update { array, .. } = &stmt.kind
            && let ExprKind::Local(v) = array.kind
        {
            *counts.entry(v).or_default() -= 1;
        }
    });
    whole.extend(counts.into_iter().filter(|(_, n)| *n > 0).map(|(v, _)| v));
    whole
}

/// Whether each position has elements of its own of the arrays that it reads and writes: every component is an index, at the same
/// place of all accesses. Other positions might else write what the threads of a block expect to read alike.
pub(super) fn are_own(block: &[Stmt], arrays: &VarSet, rank: usize) -> bool {
    let mut places: BTreeMap<VarId, Vec<Places>> = BTreeMap::new();
    let mut read = VarSet::new();
    let mut access = |array: &Expr, index: &[Index]| {
        if let ExprKind::Local(v) = array.kind
            && arrays.contains(&v)
        {
            places.entry(v).or_default().push(components(index));
        }
    };
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { array, index, .. } | StmtKind::Update { array, index, .. } = &stmt.kind {
            access(array, index);
        }
    });
    visit_block(block, &mut |e| {
        if let ExprKind::Load { array, index, .. } = &e.kind {
            access(array, index);
            read.add(&variables(array));
        }
    });
    read.add(&whole_uses(block));
    arrays.intersection(&read).iter().all(|v| {
        let places = places.get(&v).map_or(&[][..], Vec::as_slice);
        let Some((first, others)) = places.split_first() else { return false };
        let common = first.iter().filter(|place| others.iter().all(|other| other.contains(place)));
        let found: BTreeSet<usize> = common.map(|(component, ..)| *component).collect();
        found.len() == rank && !whole_uses(block).contains(&v)
    })
}

/// Whether no position reads what another one writes, by the test of loops: also where elements are read that no position writes, as the
/// row of the pivot in an elimination.
fn are_independent(kernel: &Kernel) -> bool {
    let (mut body, span) = (kernel.body.clone(), kernel.span);
    let mut block = std::mem::take(&mut body.block);
    let last = body.temporary(build::int_type(), span);
    let loops: Vec<Loop> = (0..kernel.rank)
        .map(|_| {
            let variable = body.temporary(build::int_type(), span);
            Loop { variable, range: build::range(build::int(0, span), body.read(last, span)) }
        })
        .collect();
    transform_stmts(&mut block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Coordinate(Coordinate::Position, component) = e.kind
                    && let Some(each) = loops.get(component)
                {
                    *e = body.read(each.variable, e.span);
                }
            });
        });
    });
    let aliases = Aliases::alone(&body, &block);
    let found = dependence::test(&body, &loops, &block, &aliases, &VarSet::new(), true);
    found.is_ok_and(|found| found.accumulators.is_empty())
}

/// Components of the position among the indices of an access: which, at which axis, with which offset.
type Places = Vec<(usize, usize, i64)>;

fn components(index: &[Index]) -> Places {
    let mut found = Vec::new();
    for (axis, index) in index.iter().enumerate() {
        if let Index::At(at) = index
            && let (Some(base), offset) = at.base_and_offset()
            && let ExprKind::Coordinate(Coordinate::Position, component) = base.kind
        {
            found.push((component, axis, offset));
        }
    }
    found
}

/// Whether the shared loops go along rows that belong to the position alone: neighbouring iterations are neighbours in memory,
/// and neighbouring positions, which differ in the component `last`, are not. What several positions read, as the rows and columns
/// of a product, threads with a position each fetch once for many of them.
fn goes_along_rows(nodes: &[Node], last: usize) -> bool {
    let mut strides = Strides { of_position: vec![VarSet::new(); last + 1], rows: 0, others: 0 };
    strides.nodes(nodes);
    strides.rows > 0 && strides.others == 0
}

/// Counts the accesses in shared loops by what is neighbouring in them.
struct Strides {
    /// For each component of the position, the variables that depend on it.
    of_position: Vec<VarSet>,
    rows: usize,
    others: usize,
}

impl Strides {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::All(stmt) => self.taint(std::slice::from_ref(stmt)),
                Node::First(_) => {}
                Node::Nest(_, blocks) => blocks.iter().for_each(|nodes| self.nodes(nodes)),
                Node::Shared(stmt, shared) => self.accesses(stmt, shared.collapsed),
            }
        }
    }

    fn taint(&mut self, block: &[Stmt]) {
        visit_stmts(block, &mut |stmt| {
            let StmtKind::Assign { value, .. } = &stmt.kind else { return };
            for component in 0..self.of_position.len() {
                if self.depends_on(value, component) {
                    sets(stmt, &mut |v| {
                        self.of_position[component].insert(*v);
                    });
                }
            }
        });
    }

    /// Whether a value depends on the last component.
    fn depends(&self, e: &Expr) -> bool {
        self.depends_on(e, self.of_position.len() - 1)
    }

    fn depends_on(&self, e: &Expr, component: usize) -> bool {
        let mut found = false;
        visit(e, &mut |e| {
            found |= match &e.kind {
                ExprKind::Coordinate(Coordinate::Position, each) => *each == component,
                ExprKind::Local(v) => self.of_position[component].contains(v),
                _ => false,
            };
        });
        found
    }

    fn accesses(&mut self, stmt: &Stmt, collapsed: usize) {
        let nest = nest_of(stmt);
        let Some((each, body)) = nest.get(collapsed - 1) else { return };
        // What depends on the innermost loop goes along it.
        let mut along: VarSet = [each.variable].into_iter().collect();
        visit_stmts(body, &mut |stmt| {
            if let StmtKind::Assign { variable, value } = &stmt.kind
                && !variables(value).is_disjoint(&along)
            {
                along.insert(*variable);
            }
        });
        self.taint(body);
        let (mut rows, mut others) = (0, 0);
        let mut access = |index: &[Index]| {
            let Some((Index::At(last), lead)) = index.split_last() else { return };
            let leads = |component| {
                lead.iter().any(|index| matches!(index, Index::At(at) if self.depends_on(at, component)))
            };
            let across = (0..self.of_position.len()).all(leads);
            rows += usize::from(!variables(last).is_disjoint(&along) && across && !self.depends(last));
            others += usize::from(self.depends(last));
        };
        visit_stmts(body, &mut |stmt| {
            if let StmtKind::Store { index, .. } | StmtKind::Update { index, .. } = &stmt.kind {
                access(index);
            }
        });
        visit_block(body, &mut |e| {
            if let ExprKind::Load { index, .. } = &e.kind {
                access(index);
            }
        });
        self.rows += rows;
        self.others += others;
    }
}
