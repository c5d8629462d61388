//! Vectors over positions: neighbouring positions of a row go through the loops of a kernel together, so that the innermost
//! loop is over positions, whose elements lie side by side. Each position does what it did in the same order.

use super::{
    columns, few_elements, interior, interleave, long_columns, scattered, store_vectors, unroll_and_jam,
    updates,
};
use crate::analysis::access_pattern::{self, AccessPattern, own_prefix};
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::{self, Lanes, assumptions, has_checked_loads, lanes};
use crate::analysis::{may_fail, window};
use crate::ir::barriers::waits;
use crate::ir::conversions::total;
use crate::ir::rewrite::{
    blocks, blocks_mut, operands, operands_mut, read_in, set_in, sets, stored_in, substitute,
    transform_stmts, visit, visit_block, visit_stmts,
};
use crate::ir::schedule::{Interleaved, StoreVector, Vector};
use crate::ir::slices::{self, store_changes};
use crate::ir::{
    Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, LoopAttributes, Program, Range, Stmt, StmtKind,
    VarId, VarSet, Variable, build,
};
use crate::source::Span;
use crate::target::any::CHEAP_INDEX_NODES;
use crate::target::cpu::{
    COLLAPSED_ELEMENTS_RANK, COLLAPSED_RANK, LONG_VECTOR, SHORT_VECTOR, USUAL_ELEMENTS, WIDE_OF_LONG_VECTOR,
};
use crate::types::ElementType;
use crate::types::known::scalar;
use std::cell::Cell;
use std::collections::BTreeMap;

/// A choice for a kernel.
#[derive(Default)]
pub(super) struct Choice {
    vector: Option<Vector>,
    collapsed: Option<Vector>,
    /// How many loops go on as long as some lane does.
    masks: usize,
    /// Variables of the code of lanes alone, behind those of the kernel.
    more: Vec<Variable>,
}

impl Choice {
    /// With the variables that the kernel it was made for has more than that which gets it.
    fn with_variables(mut self, made_for: &Kernel, kernel: &Kernel) -> Choice {
        let more = made_for.body.variables.iter().skip(kernel.body.variables.len());
        self.more = more.map(|(_, variable)| variable.clone()).collect();
        self
    }

    /// Puts the choice into the kernel.
    pub(super) fn apply(self, kernel: &mut Kernel) {
        if self.vector.is_some() || self.collapsed.is_some() {
            let int = |name: &str| Variable::new(name, build::int_type(), Span::default());
            self.more.into_iter().for_each(|variable| {
                kernel.body.variables.push(variable);
            });
            kernel.body.variables.push(int("$lane"));
            (0..self.masks).for_each(|_| {
                kernel.body.variables.push(int("$goes"));
            });
        }
        kernel.schedule.vector = self.vector.map(Box::new);
        kernel.schedule.collapsed = self.collapsed.map(Box::new);
    }
}

/// The vectors of a kernel, where they pay.
pub(super) fn choose(program: &Program, kernel: &Kernel) -> Choice {
    let choice = divided(program, kernel, false);
    if choice.vector.is_some() || choice.collapsed.is_some() {
        return choice;
    }
    let found = of_updates(program, kernel).or_else(|| of_few_elements(program, kernel));
    found.unwrap_or(choice)
}

/// Lanes that compute what updates of shared arrays need.
fn of_updates(program: &Program, kernel: &Kernel) -> Option<Choice> {
    let behind = updates::behind(program, kernel)?;
    let choice = divided(program, &behind, false);
    choice.vector.is_some().then(|| choice.with_variables(&behind, kernel))
}

/// Whether neighbouring positions go through the loops of a kernel together, whatever its arrays' extents.
pub(super) fn has_vectors(program: &Program, kernel: &Kernel) -> bool {
    divided(program, kernel, false).vector.is_some() || of_updates(program, kernel).is_some()
}

/// Lanes that know how many elements each position has.
fn of_few_elements(program: &Program, kernel: &Kernel) -> Option<Choice> {
    let (usual, arrays) = few_elements::of_usual_number(kernel)?;
    let usual = updates::behind(program, &usual).unwrap_or(usual);
    let choice = divided(program, &usual, false);
    let vector = choice.vector.as_ref()?;
    let tested = |array: &VarId| {
        vector.interleaved.iter().any(|each| each.array == *array && each.elements == USUAL_ELEMENTS)
    };
    if !arrays.iter().all(tested) {
        return None;
    }
    let mut choice = Choice { collapsed: None, ..choice.with_variables(&usual, kernel) };
    for each in choice.vector.iter_mut().flat_map(|vector| &mut vector.interleaved) {
        each.exact |= arrays.contains(&each.array);
    }
    Some(choice)
}

/// The code of lanes along rows, though lanes may gather in loops: for schedules that fetch those elements in another way. The kernel
/// gets the variable of lanes.
pub(super) fn code_of_lanes(program: &Program, kernel: &mut Kernel) -> Option<Vector> {
    let choice = divided(program, kernel, true);
    let vector = choice.vector.filter(|_| choice.masks == 0)?;
    kernel.body.variables.push(Variable::new("$lane", build::int_type(), Span::default()));
    Some(vector)
}

/// The vectors of a kernel; `gathers` says whether lanes may gather in loops, and whether windows do not matter.
fn divided(program: &Program, kernel: &Kernel, gathers: bool) -> Choice {
    if !kernel.parallel || kernel.rank == 0 || !kernel.body.results.is_empty() {
        return Choice::default();
    }
    if waits(&kernel.body.block) {
        return Choice::default();
    }
    let reaches = access_pattern::reaches(program, kernel);
    let set = set_in(&kernel.body.block);
    let mut block = kernel.body.block.clone();
    let is_slices = |(array, reach): &(&VarId, &AccessPattern)| match reach {
        AccessPattern::AxisSlices { .. } => true,
        AccessPattern::Scatter => scattered::has_lanes(kernel, **array),
        _ => false,
    };
    let slices: Vec<VarId> = reaches.iter().filter(is_slices).map(|(v, _)| *v).collect();
    // Vectors in bands are for arrays that threads do not share.
    let banded = |(_, reach): &(&VarId, &AccessPattern)| matches!(reach, AccessPattern::Bands { .. });
    // Several elements of the own position.
    let several = |(_, reach): &(&VarId, &AccessPattern)| matches!(reach, AccessPattern::OwnRows { depth, row: false } if *depth == kernel.rank);
    let found = reaches.iter().filter(|each| banded(each) || several(each)).map(|(v, _)| *v);
    let alone = slices.iter().copied().chain(found);
    store_changes(&mut block, &alone.collect::<Vec<_>>());
    let shared = updates::shared(&reaches);
    let allowed = Allowed { narrows: !gathers, ..Allowed::default() };
    if !is_plain(&kernel.body, &block[..updates::begin(&block, &shared)], &allowed) {
        return Choice::default();
    }
    let interleaved = interleave::interleaved(kernel, &block, &reaches);
    let channels = interleave::own_channels(kernel, &block, &reaches, &interleaved);
    let own = |(array, reach): (&VarId, &AccessPattern)| match reach {
        AccessPattern::ReadOnly
        | AccessPattern::OwnRows { row: true, .. }
        | AccessPattern::Bands { .. }
        | AccessPattern::AxisSlices { .. } => true,
        AccessPattern::Scatter => slices.contains(array) || scattered::is_permuted(kernel, *array),
        AccessPattern::Histogram(_) => shared.contains(array),
        _ => interleaved.iter().any(|each| each.array == *array) || channels.contains(array),
    };
    if !reaches.iter().all(own) || kernel.body.params.iter().any(|param| set.contains(param)) {
        return Choice::default();
    }
    name_no_indices(&mut block, false);
    let writes = block.split_off(updates::begin(&block, &shared));
    if !updates::are_apart(&writes, &reaches) {
        return Choice::default();
    }
    let changing = set_in(&block);
    let uniform = RowInvariance::new(kernel, &reaches, &changing);
    let (block, bounds) = columns::take(&uniform, block);
    let Some(stores) = store_vectors::store_vectors(&uniform, &reaches, &block) else {
        return Choice::default();
    };
    let at_once = !slices.is_empty() || reaches.values().any(|reach| *reach == AccessPattern::Scatter);
    let (mut masks, apart) = (0, Cell::new(false));
    let mut of_lanes = |uniform: RowInvariance<'_>, pays: &dyn Fn(&Splitter<'_>) -> bool| {
        let lane = VarId::new(kernel.body.variables.len());
        let interleaved = if uniform.is_collapsed() { Vec::new() } else { interleaved.clone() };
        let mut splitter = Splitter::new(uniform.clone(), lane, interleaved, &slices);
        let (block, within) = interior::take(&uniform, block.clone());
        let block = splitter.split(block)?;
        masks = masks.max(splitter.masks);
        let by_elements = splitter.apart || splitter.channels;
        apart.set(apart.get() || by_elements && !splitter.uniform.is_collapsed());
        let tests = lanes::tests(&uniform, &lanes::loop_variables(&block), &block);
        // With wrong numbers a loop might not end, and such arrays are written before a vector is known to be right.
        if (tests || may_fail::narrows(&block)) && (splitter.masks > 0 || gathers || at_once) {
            return None;
        }
        if splitter.gathers && !gathers || !pays(&splitter) {
            return None;
        }
        // Nothing may fail any more where updates begin.
        if lanes::tests(&uniform, &lanes::loop_variables(&writes), &writes) {
            return None;
        }
        let block: Block = block.into_iter().chain(splitter.whole(writes.clone())).collect();
        assumptions(&uniform, &block)?;
        let arrays =
            Arrays { interleaved: splitter.interleaved, slices: slices.clone(), stores: stores.clone() };
        let mut vector = vector(kernel, &reaches, block, arrays)?;
        (vector.columns, vector.within) = (bounds.clone(), within);
        Some(vector)
    };
    let pays = |splitter: &Splitter<'_>| {
        // What positions write side by side, they would write one by one.
        let beside = splitter.interleaved.iter().any(|each| interleave::is_written(each, &block));
        let one_channel = splitter.channels && !interleave::has_power(kernel);
        let by_elements = splitter.apart || beside || one_channel || !channels.is_empty();
        let alone = !stores.is_empty() || !slices.is_empty() || !writes.is_empty();
        splitter.shared_loop || by_elements || alone
    };
    let vector = of_lanes(uniform.clone(), &pays);
    let cut_off = vector.as_ref().is_some_and(|vector| !vector.within.is_empty());
    // Positions of which only some do anything share no windows, and neither do loops that end at the border.
    let windows = bounds.is_empty() && !cut_off && has_window(&block, kernel, &uniform);
    // Short rows cost more than anything that is done along them, but for elements that are apart, which lanes would gather.
    let rows = |reach: &AccessPattern| *reach == AccessPattern::ReadOnly || is_row(reach);
    let least_rank = if is_elementwise(&block, kernel) { COLLAPSED_ELEMENTS_RANK } else { COLLAPSED_RANK };
    let several = kernel.rank >= least_rank
        && !kernel.schedule.linearized
        && bounds.is_empty()
        && !cut_off
        && reaches.values().all(rows);
    let collapsed =
        if several && !apart.get() && !gathers { of_lanes(uniform.collapsed(), &|_| true) } else { None };
    // Rows that share all elements of a window are a contraction, for which register tiles are faster.
    let tiles = |vector: &Vector| collapsed.is_none() && unroll_and_jam::shares_vectors(kernel, vector);
    let down = |vector: &Vector| long_columns::goes_down_columns(kernel, &vector.block);
    Choice {
        vector: vector.filter(|vector| gathers || !windows || down(vector) || tiles(vector)),
        collapsed,
        masks,
        more: Vec::new(),
    }
}

/// Whether a position does no more than to compute elements at its own place of others there.
fn is_elementwise(block: &Block, kernel: &Kernel) -> bool {
    let own = |index: &[Index]| own_prefix(index, kernel.rank) == kernel.rank && index.len() == kernel.rank;
    let mut elementwise = true;
    visit_stmts(block, &mut |stmt| {
        elementwise &= match &stmt.kind {
            StmtKind::Assign { .. } | StmtKind::If { .. } => true,
            StmtKind::Store { index, .. } => own(index),
            _ => false,
        };
    });
    visit_block(block, &mut |e| {
        if let ExprKind::Load { index, .. } = &e.kind {
            elementwise &= own(index);
        }
    });
    elementwise
}

/// Whether all accesses are at the own position.
fn is_row(reach: &AccessPattern) -> bool {
    matches!(reach, AccessPattern::OwnRows { row: true, .. })
}

fn is_local(array: &Expr, variable: VarId) -> bool {
    matches!(array.kind, ExprKind::Local(v) if v == variable)
}

/// The arrays of which lanes have vectors.
struct Arrays {
    interleaved: Vec<Interleaved>,
    slices: Vec<VarId>,
    stores: Vec<StoreVector>,
}

/// The code of lanes as a vector.
fn vector(
    kernel: &Kernel,
    reaches: &BTreeMap<VarId, AccessPattern>,
    block: Block,
    Arrays { interleaved, slices, stores }: Arrays,
) -> Option<Vector> {
    let wide = wide(&block)?;
    // Masks are no variables yet: they are integers.
    let known = wide.iter().filter(|v| v.index() < kernel.body.variables.len());
    let mut bytes = known.filter_map(|v| scalar(&kernel.body.variables[v].ty)).map(ElementType::size);
    let long = wide.len() <= WIDE_OF_LONG_VECTOR && bytes.all(|bytes| bytes <= 4);
    let mut reads_own = false;
    visit_block(&block, &mut |e| {
        if let ExprKind::Load { array, .. } = &e.kind {
            reads_own |= !matches!(array.kind, ExprKind::Local(v) if reaches.get(&v) == Some(&AccessPattern::ReadOnly));
        }
    });
    // Elements that get the same value twice are as good as those that get it once; sums are not.
    let mut updates = false;
    visit_stmts(&block, &mut |stmt| {
        updates |= matches!(stmt.kind, StmtKind::Update { .. } | StmtKind::Exchange { .. });
    });
    let lanes = if long { LONG_VECTOR } else { SHORT_VECTOR };
    Some(Vector {
        lanes,
        widest: None,
        block,
        wide: wide.into_iter().collect(),
        overlaps: !reads_own && !updates,
        interleaved,
        slices,
        stores,
        columns: Vec::new(),
        within: Vec::new(),
    })
}

/// What code may hold beside what [`is_plain`] always takes.
#[derive(Clone, Default)]
pub(super) struct Allowed {
    /// Numbers that may not fit a smaller type.
    pub(super) narrows: bool,
    /// Elements of these arrays, beside those of parameters.
    pub(super) own: VarSet,
    /// The block of the position, and the place in it.
    pub(super) in_block: bool,
}

/// Whether a kernel holds nothing but arithmetic on numbers, elements, loops and branches, none of which fails.
pub(super) fn is_plain(body: &Body, block: &[Stmt], allowed: &Allowed) -> bool {
    let Allowed { narrows, own, in_block } = allowed;
    let is_array = |v: &VarId| body.params.contains(v) || own.contains(v);
    let far = |e: &Expr| matches!(&e.kind, ExprKind::Local(v) if is_array(v));
    let mut plain = true;
    visit_stmts(block, &mut |stmt| {
        plain &= match &stmt.kind {
            StmtKind::Assign { variable, .. } => scalar(&body.variables[*variable].ty).is_some(),
            StmtKind::Store { array, .. } => far(array),
            StmtKind::If { .. } | StmtKind::While { .. } => true,
            StmtKind::For { range, attributes, .. } => {
                let steps = range.step.as_ref().is_none_or(|step| step.constant_int().is_some());
                steps && scalar(&range.from.ty) == Some(ElementType::Int32) && !attributes.every_position
            }
            _ => false,
        };
    });
    plain && {
        visit_block(block, &mut |e| {
            plain &= match &e.kind {
                ExprKind::Constant(_)
                | ExprKind::Apply { .. }
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Select { .. }
                | ExprKind::Extent(..)
                | ExprKind::Count(_)
                | ExprKind::Coordinate(Coordinate::Position, _) => true,
                ExprKind::Coordinate(..) => *in_block,
                ExprKind::Local(v) => is_array(v) || scalar(&e.ty).is_some(),
                ExprKind::Convert(inner) => {
                    let real = |e: &Expr| scalar(&e.ty).is_some_and(|element| !element.is_complex());
                    let fits = scalar(&inner.ty).is_some() && scalar(&e.ty).is_some() && total(inner, e);
                    fits || *narrows && real(inner) && real(e)
                }
                ExprKind::Load { array, .. } => far(array) && scalar(&e.ty).is_some(),
                _ => false,
            };
        });
        plain
    }
}

/// Whether the positions of a row share the work on windows, which is faster where they do nothing else in loops.
fn has_window(block: &Block, kernel: &Kernel, uniform: &RowInvariance<'_>) -> bool {
    let mut found = Windows::default();
    found.look(block, kernel, uniform);
    found.windows && !found.other_loops
}

/// What a kernel does in loops.
#[derive(Default)]
struct Windows {
    windows: bool,
    /// Whether there are loops beside those over windows.
    other_loops: bool,
}

impl Windows {
    fn look(&mut self, block: &Block, kernel: &Kernel, uniform: &RowInvariance<'_>) {
        let mut k = 0;
        while k < block.len() {
            if let Some(window) = window::find(&block[k..], kernel, uniform) {
                self.windows = true;
                k += window.count().max(1);
                continue;
            }
            let before = std::mem::take(&mut self.windows);
            blocks(&block[k], &mut |inner| self.look(inner, kernel, uniform));
            self.other_loops |= matches!(block[k].kind, StmtKind::For { .. }) && !self.windows;
            self.windows |= before;
            k += 1;
        }
    }
}

/// Puts integers that are computed of positions, sizes and loop variables in the place of the variables that hold them, in
/// loops too, so that indices show how far they are from the position. The variables go, unless they are to `stay`.
pub(super) fn name_no_indices(block: &mut Block, stay: bool) {
    let mut sets_of: BTreeMap<VarId, u32> = BTreeMap::new();
    visit_stmts(block, &mut |stmt| sets(stmt, &mut |v| *sets_of.entry(*v).or_default() += 1));
    let mut reads_of: BTreeMap<VarId, u32> = BTreeMap::new();
    count_reads(block, &mut reads_of);
    replace_indices(block, &sets_of, &reads_of, stay);
}

fn count_reads(block: &[Stmt], reads: &mut BTreeMap<VarId, u32>) {
    visit_block(block, &mut |e| {
        if let ExprKind::Local(v) = e.kind {
            *reads.entry(v).or_default() += 1;
        }
    });
}

fn replace_indices(
    block: &mut Block,
    sets_of: &BTreeMap<VarId, u32>,
    reads_of: &BTreeMap<VarId, u32>,
    stay: bool,
) {
    let mut k = 0;
    while k < block.len() {
        blocks_mut(&mut block[k], &mut |inner| replace_indices(inner, sets_of, reads_of, stay));
        let (here, rest) = block.split_at_mut(k + 1);
        let StmtKind::Assign { variable, value } = &here[k].kind else {
            k += 1;
            continue;
        };
        let mut read = BTreeMap::new();
        count_reads(rest, &mut read);
        let only_here = read.get(variable) == reads_of.get(variable);
        let changed = set_in(rest);
        let keeps =
            crate::ir::rewrite::variables(value).iter().all(|v| !changed.contains(&v) && v != *variable);
        if sets_of.get(variable) != Some(&1) || !only_here || !keeps || !is_index(value) {
            k += 1;
            continue;
        }
        let replacements = BTreeMap::from([(*variable, value.clone())]);
        transform_stmts(rest, &mut |s| operands_mut(s, &mut |e| substitute(e, &replacements)));
        match stay {
            true => k += 1,
            false => _ = block.remove(k),
        }
    }
}

/// Whether a value is an integer that is cheap to compute again.
fn is_index(value: &Expr) -> bool {
    let (mut nodes, mut simple) = (0, true);
    visit(value, &mut |e| {
        nodes += 1;
        simple &= match &e.kind {
            ExprKind::Local(_) => true,
            ExprKind::Constant(_) | ExprKind::Coordinate(..) | ExprKind::Extent(..) => {
                scalar(&e.ty) == Some(ElementType::Int32)
            }
            ExprKind::Apply { row, .. } => {
                scalar(&e.ty) == Some(ElementType::Int32)
                    && matches!(row.name, "add" | "subtract" | "multiply" | "negate")
            }
            _ => false,
        };
    });
    simple && nodes <= CHEAP_INDEX_NODES && scalar(&value.ty) == Some(ElementType::Int32)
}

/// Divides statements into those that are done once for all lanes and those that each lane does.
pub(super) struct Splitter<'k> {
    uniform: RowInvariance<'k>,
    lane: VarId,
    /// Whether lanes go through a loop together.
    shared_loop: bool,
    /// Whether lanes read elements of a row that are apart.
    apart: bool,
    /// Whether lanes read one channel.
    channels: bool,
    /// Whether lanes gather elements inside a loop: its iterations may read them side by side, which lanes must not undo.
    gathers: bool,
    /// The number of loops around the statements that are divided.
    depth: usize,
    /// How many loops go on as long as some lane does.
    pub(super) masks: usize,
    /// Arrays of which lanes may fetch all elements along the last dimension.
    interleaved: Vec<Interleaved>,
    /// Arrays that lanes read and write in loops.
    slices: &'k [VarId],
}

impl<'k> Splitter<'k> {
    pub(super) fn new(
        uniform: RowInvariance<'k>,
        lane: VarId,
        interleaved: Vec<Interleaved>,
        slices: &'k [VarId],
    ) -> Splitter<'k> {
        Splitter {
            uniform,
            lane,
            shared_loop: false,
            apart: false,
            channels: false,
            gathers: false,
            depth: 0,
            masks: 0,
            interleaved,
            slices,
        }
    }

    pub(super) fn split(&mut self, block: Block) -> Option<Block> {
        let mut found = Block::new();
        let mut own = Block::new();
        for stmt in block {
            match self.shared(stmt)? {
                Ok(stmt) => {
                    found.extend(self.region(&mut own)?);
                    found.extend(stmt);
                }
                Err(stmt) => {
                    // Elements are fetched before a loop over the lanes, and written behind it.
                    let written = stored_in(&own);
                    if self.slices.iter().any(|v| written.contains(v) && slices::reaches(&stmt, *v)) {
                        found.extend(self.region(&mut own)?);
                    }
                    own.push(stmt);
                }
            }
        }
        found.extend(self.region(&mut own)?);
        Some(found)
    }

    /// A statement that lanes do together, divided itself, or one that each does for itself.
    fn shared(&mut self, stmt: Stmt) -> Option<Result<Vec<Stmt>, Stmt>> {
        let span = stmt.span;
        match stmt.kind {
            StmtKind::For { variable, range, body, attributes } => {
                let bounds = [&range.from, &range.to];
                if !bounds.iter().all(|e| self.uniform.holds(e) && !has_checked_loads(e))
                    || set_in(&body).contains(&variable)
                {
                    return None;
                }
                let varied = self.uniform.vary(variable, false);
                self.depth += 1;
                let body = self.split(body);
                self.depth -= 1;
                self.uniform.vary(variable, varied);
                self.shared_loop = true;
                Some(Ok(vec![Stmt::new(StmtKind::For { variable, range, body: body?, attributes }, span)]))
            }
            StmtKind::If { condition, then, otherwise }
                if self.uniform.holds(&condition) && !has_checked_loads(&condition) =>
            {
                let (then, otherwise) = (self.split(then)?, self.split(otherwise)?);
                Some(Ok(vec![Stmt::new(StmtKind::If { condition, then, otherwise }, span)]))
            }
            StmtKind::While { condition, body } => self.masked(condition, body, span).map(Ok),
            kind => Some(Err(Stmt { kind, span })),
        }
    }

    /// A loop that goes on as long as some lane does. The others wait.
    ///
    /// ```text
    ///     while c                lanes: goes = c
    ///         body               while goes
    ///                                lanes: if goes { body, goes = c }
    /// ```
    fn masked(&mut self, condition: Expr, mut body: Block, span: Span) -> Option<Vec<Stmt>> {
        self.masks += 1;
        let goes = VarId::new(self.lane.index() + self.masks);
        let read = build::local(goes, build::int_type(), span);
        let mut first = vec![build::assign(goes, condition.clone())];
        body.push(build::assign(goes, condition));
        let step = StmtKind::If { condition: read.clone(), then: body, otherwise: Block::new() };
        self.depth += 1;
        let step = self.region(&mut vec![Stmt::new(step, span)]);
        self.depth -= 1;
        self.shared_loop = true;
        let step = step?.into_iter().collect();
        let first = self.region(&mut first)?;
        let rounds = Stmt::new(StmtKind::While { condition: read, body: step }, span);
        Some(first.into_iter().chain([rounds]).collect())
    }

    /// What each lane does, as a loop of one round.
    fn region(&mut self, own: &mut Block) -> Option<Option<Stmt>> {
        if own.is_empty() {
            return Some(None);
        }
        let body = std::mem::take(own);
        let mut loops = false;
        visit_stmts(&body, &mut |stmt| {
            loops |= matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. })
        });
        if loops {
            return None;
        }
        self.look(&body);
        Some(self.whole(body))
    }

    /// How lanes read elements in a region.
    fn look(&mut self, body: &Block) {
        visit_block(body, &mut |e| {
            if let ExprKind::Load { array, index, .. } = &e.kind {
                let elements = self.interleaved.iter().find(|each| is_local(array, each.array));
                match lanes(&self.uniform, elements.map(|each| each.elements), index) {
                    Lanes::Along(apart) => self.apart |= apart > 1,
                    Lanes::Interleaved(_) | Lanes::Backwards | Lanes::ByColumn => self.apart = true,
                    Lanes::Channel => self.channels = true,
                    Lanes::Gather => self.gathers |= self.depth > 0,
                    Lanes::Broadcast => {}
                }
            }
        });
    }

    /// Statements that each lane does, if there are some, with the loops in them.
    fn whole(&self, body: Block) -> Option<Stmt> {
        let span = body.first()?.span;
        let range: Range = build::range(build::int(0, span), build::int(0, span));
        let attributes = LoopAttributes { every_position: true, ..LoopAttributes::default() };
        Some(Stmt::new(StmtKind::For { variable: self.lane, range, body, attributes }, span))
    }
}

/// The variables with a value for each lane: those that lanes set and that one region does not set before it reads them, or
/// that several regions mention. `None` where such a variable is one of a loop.
pub(super) fn wide(block: &Block) -> Option<VarSet> {
    let mut regions: Vec<&Block> = Vec::new();
    let mut loops = VarSet::new();
    collect(block, &mut regions, &mut loops);
    let mut wide = VarSet::new();
    for (k, region) in regions.iter().enumerate() {
        for variable in set_in(region).iter() {
            if loops.contains(&variable) {
                return None;
            }
            let elsewhere = regions.iter().enumerate().any(|(other, region)| {
                other != k && (read_in(region).contains(&variable) || set_in(region).contains(&variable))
            });
            if elsewhere || !sets_first(region, variable) {
                wide.insert(variable);
            }
        }
    }
    Some(wide)
}

/// Finds the regions, and the variables of the loops around them.
fn collect<'b>(block: &'b Block, regions: &mut Vec<&'b Block>, loops: &mut VarSet) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::For { body, attributes, .. } if attributes.every_position => regions.push(body),
            StmtKind::For { variable, body, .. } => {
                loops.insert(*variable);
                collect(body, regions, loops);
            }
            StmtKind::While { body, .. } => collect(body, regions, loops),
            StmtKind::If { then, otherwise, .. } => {
                collect(then, regions, loops);
                collect(otherwise, regions, loops);
            }
            _ => {}
        }
    }
}

/// Whether statements set a variable before it reads it.
pub(super) fn sets_first(region: &[Stmt], variable: VarId) -> bool {
    for (k, stmt) in region.iter().enumerate() {
        let here = std::slice::from_ref(stmt);
        let mut reads = false;
        operands(stmt, &mut |e| {
            visit(e, &mut |e| reads |= matches!(e.kind, ExprKind::Local(v) if v == variable))
        });
        match &stmt.kind {
            StmtKind::Assign { variable: v, .. } if *v == variable => return !reads,
            StmtKind::For { variable: v, .. } if *v == variable && only_here(region, k, variable) => {
                return !reads;
            }
            StmtKind::If { then, otherwise, .. }
                if !reads && !mentions(otherwise, variable) && only_here(region, k, variable) =>
            {
                return sets_first(then, variable);
            }
            _ if reads || read_in(here).contains(&variable) || set_in(here).contains(&variable) => {
                return false;
            }
            _ => {}
        }
    }
    false
}

/// Whether only one statement of a region mentions a variable.
fn only_here(region: &[Stmt], k: usize, variable: VarId) -> bool {
    !mentions(&region[..k], variable) && !mentions(&region[k + 1..], variable)
}

fn mentions(block: &[Stmt], variable: VarId) -> bool {
    read_in(block).contains(&variable) || set_in(block).contains(&variable)
}
