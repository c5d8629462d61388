//! Access patterns of kernels: which arrays they only read, write at the own position, or write anywhere. Back ends
//! choose array views and privatisation by them.

use super::bands::bands;
use crate::ir::barriers::meets;
use crate::ir::rewrite::{stored_in, visit_block, visit_stmts};
use crate::ir::{Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, Program, StmtKind, VarId};
use crate::source::Span;
use crate::target::any::REGISTER_ARRAY;
use crate::types::known::{fixed, rank};
use crate::types::{Boundary, ElementType, Type};
use std::collections::BTreeMap;

/// The access pattern of an array parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessPattern {
    /// Read only.
    ReadOnly,
    /// Writes at the own position, in at least the `depth` leading components; if `row` is set, all accesses are at
    /// exactly the own position.
    OwnRows { depth: usize, row: bool },
    /// Writes at so many other places, whose rows belong to the first component of the position ([`bands`]).
    Bands { count: usize },
    /// All accesses are to elements whose index along this axis is the first component of the position.
    AxisSlices { axis: usize },
    /// Writes anywhere.
    Scatter,
    /// A histogram: adds anywhere and has no other access.
    Histogram(HistogramKind),
    /// Arbitrary access by a single thread.
    Exclusive,
    /// Anything, by one thread, where other parameters may have the same elements.
    Cells,
}

/// Facts about a histogram's updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistogramKind {
    /// No facts.
    Any,
    /// All indices are bytes.
    Bytes,
    /// All indices are bytes, and all increments are one.
    Counts,
}

/// The array parameters of a kernel that are passed by reference, with their access patterns.
pub fn reaches(program: &Program, kernel: &Kernel) -> BTreeMap<VarId, AccessPattern> {
    let all = uses_of_params(program, kernel);
    all.into_iter().map(|(param, uses)| (param, reach(kernel, param, &uses))).collect()
}

/// The arrays that a kernel modifies without restricting all accesses to elements whose first index is the first
/// component of the position.
pub fn beyond_own_rows(program: &Program, kernel: &Kernel) -> Vec<VarId> {
    let all = uses_of_params(program, kernel).into_iter();
    let beyond = all.filter(|(_, uses)| uses.changed() && (uses.passed() || !uses.own_rows));
    beyond.map(|(param, _)| param).collect()
}

fn uses_of_params(program: &Program, kernel: &Kernel) -> Vec<(VarId, Uses)> {
    let body = &kernel.body;
    let arrays = body.params.iter().filter(|param| by_reference(program, body, **param));
    let unused = |param: &VarId| (*param, Uses::new(rank(&body.variables[*param].ty)));
    uses(program, kernel, arrays.map(unused).collect())
}

/// Whether a parameter is an array passed by reference: of unknown size, large, or modified.
pub fn by_reference(program: &Program, body: &Body, param: VarId) -> bool {
    let ty = &body.variables[param].ty;
    matches!(ty, Type::Array(_))
        && fixed(ty).is_none_or(|sizes| {
            sizes.iter().product::<usize>() > REGISTER_ARRAY || changes(program, &body.block, param, DEPTH)
        })
}

/// The accesses of a kernel to an array.
#[derive(Default)]
struct Uses {
    array_rank: Option<usize>,
    loads: usize,
    stores: usize,
    adds: usize,
    /// Other modifications of elements.
    updates: usize,
    /// Some increment is not one.
    amounts: bool,
    /// How many leading components of the position all indices start with, and whether all are exactly the position.
    places: Option<(usize, bool)>,
    /// All accesses are to elements whose first index is the first component of the position.
    own_rows: bool,
    /// The axes along which all indices are the first component of the position, as bits.
    own_axes: u32,
    /// Some index of an increment is not a single byte.
    not_bytes: bool,
    /// Number of mentions of the array, and of those for an element or an extent; the others use the array as a whole
    /// value.
    mentions: usize,
    parts: usize,
    changed_by_callee: bool,
}

impl Uses {
    fn new(array_rank: Option<usize>) -> Uses {
        Uses { array_rank, own_rows: array_rank.is_some(), own_axes: u32::MAX, ..Uses::default() }
    }

    fn at(&mut self, index: &[Index], boundary: Boundary, rank: usize) {
        let depth = own_prefix(index, rank);
        let alone = matches!(boundary, Boundary::Checked | Boundary::Unchecked | Boundary::Safe);
        self.own_axes &= if alone && self.array_rank == Some(index.len()) { own_axes(index) } else { 0 };
        self.own_rows &= depth > 0 && self.array_rank == Some(index.len());
        let exact = index.len() == rank && depth == rank;
        let (known, all_exact) = self.places.unwrap_or((depth, true));
        self.places = Some((known.min(depth), all_exact && exact));
    }

    /// Whether elements of a changed array are only added to.
    fn only_adds(&self) -> bool {
        self.loads + self.stores + self.updates == 0
    }

    fn changed(&self) -> bool {
        self.stores + self.adds + self.updates > 0 || self.changed_by_callee
    }

    fn passed(&self) -> bool {
        self.mentions > self.parts
    }
}

fn is_param(expr: &Expr, param: VarId) -> bool {
    matches!(expr.kind, ExprKind::Local(v) if v == param)
}

/// The entry of the array that an expression names.
fn entry<'u>(all: &'u mut [(VarId, Uses)], array: &Expr) -> Option<&'u mut Uses> {
    let ExprKind::Local(v) = array.kind else { return None };
    all.iter_mut().find(|(param, _)| *param == v).map(|(_, uses)| uses)
}

/// Collects the accesses to the listed arrays.
fn uses(program: &Program, kernel: &Kernel, mut all: Vec<(VarId, Uses)>) -> Vec<(VarId, Uses)> {
    if all.is_empty() {
        return all;
    }
    let (block, rank) = (&kernel.body.block, kernel.rank);
    visit_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { array, index, boundary, .. } => {
            let Some(uses) = entry(&mut all, array) else { return };
            uses.stores += 1;
            uses.parts += 1;
            uses.at(index, *boundary, rank);
        }
        StmtKind::Update { array, index, boundary, row, result, value, .. } => {
            let Some(uses) = entry(&mut all, array) else { return };
            if row.name == "add" && result.is_none() {
                uses.adds += 1;
                uses.amounts |= value.constant().is_none_or(|c| c.as_f64() != 1.0);
                uses.not_bytes |= !matches!(index.as_slice(), [Index::At(e)] if byte(e).is_some());
            } else {
                uses.updates += 1;
            }
            uses.parts += 1;
            uses.at(index, *boundary, rank);
        }
        StmtKind::Exchange { array, index, boundary, .. } => {
            let Some(uses) = entry(&mut all, array) else { return };
            uses.updates += 1;
            uses.parts += 1;
            uses.at(index, *boundary, rank);
        }
        StmtKind::Call { function, args, .. } => {
            for (k, arg) in args.iter().enumerate() {
                let Some(uses) = entry(&mut all, arg) else { continue };
                let body = &program.functions[*function].body;
                uses.changed_by_callee |=
                    body.params.get(k).is_some_and(|p| changes(program, &body.block, *p, DEPTH));
            }
        }
        _ => {}
    });
    visit_block(block, &mut |expr| match &expr.kind {
        ExprKind::Load { array, index, boundary } => {
            let Some(uses) = entry(&mut all, array) else { return };
            uses.loads += 1;
            uses.parts += 1;
            uses.at(index, *boundary, rank);
        }
        ExprKind::Extent(array, _) | ExprKind::Count(array) => {
            if let Some(uses) = entry(&mut all, array) {
                uses.parts += 1;
            }
        }
        ExprKind::Local(_) => {
            if let Some(uses) = entry(&mut all, expr) {
                uses.mentions += 1;
            }
        }
        _ => {}
    });
    all
}

/// Deeper call chains are assumed to modify their arguments.
pub const DEPTH: usize = 8;

/// Whether statements write elements of an array, also in called functions.
pub fn changes(program: &Program, block: &Block, array: VarId, depth: usize) -> bool {
    if stored_in(block).contains(&array) || depth == 0 {
        return true;
    }
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { function, args, .. } = &stmt.kind {
            let body = &program.functions[*function].body;
            for (arg, param) in args.iter().zip(&body.params) {
                found |= is_param(arg, array) && changes(program, &body.block, *param, depth - 1);
            }
        }
    });
    found
}

/// The arrays that a kernel only adds to, anywhere or in rows that several positions have in common.
pub fn histograms(program: &Program, kernel: &Kernel) -> Vec<VarId> {
    let added = uses_of_params(program, kernel).into_iter().filter(|(param, uses)| {
        match reach(kernel, *param, uses) {
            AccessPattern::Histogram(_) => true,
            AccessPattern::OwnRows { depth, .. } => {
                depth < kernel.rank && uses.only_adds() && uses.array_rank.is_some_and(|rank| depth < rank)
            }
            _ => false,
        }
    });
    added.map(|(param, _)| param).collect()
}

/// The first statement of a block that writes elements of an array, also in called functions.
pub fn first_write(program: &Program, block: &Block, array: VarId) -> Option<Span> {
    let mut first = None;
    visit_stmts(block, &mut |stmt| {
        let writes = match &stmt.kind {
            StmtKind::Store { array: to, .. }
            | StmtKind::Update { array: to, .. }
            | StmtKind::Exchange { array: to, .. } => is_param(to, array),
            StmtKind::Call { function, args, .. } => {
                let body = &program.functions[*function].body;
                args.iter()
                    .zip(&body.params)
                    .any(|(arg, param)| is_param(arg, array) && changes(program, &body.block, *param, DEPTH))
            }
            _ => false,
        };
        if writes && first.is_none() {
            first = Some(stmt.span);
        }
    });
    first
}

fn reach(kernel: &Kernel, param: VarId, uses: &Uses) -> AccessPattern {
    if kernel.aliased {
        return AccessPattern::Cells;
    }
    if !uses.changed() {
        return AccessPattern::ReadOnly;
    }
    if !kernel.parallel || kernel.schedule.one_thread {
        return AccessPattern::Exclusive;
    }
    if uses.passed() || meets(&kernel.body.block) {
        return AccessPattern::Scatter;
    }
    let (depth, exact) = uses.places.unwrap_or((0, false));
    if depth > 0 {
        return AccessPattern::OwnRows { depth, row: uses.adds + uses.updates == 0 && exact };
    }
    let axis = uses.own_axes.trailing_zeros() as usize;
    let reads = uses.loads + uses.adds + uses.updates > 0;
    if reads && uses.array_rank.is_some_and(|rank| axis < rank) {
        return AccessPattern::AxisSlices { axis };
    }
    if uses.only_adds() {
        let bytes = rank(&kernel.body.variables[param].ty) == Some(1) && !uses.not_bytes;
        return AccessPattern::Histogram(match (bytes, uses.amounts) {
            (true, false) => HistogramKind::Counts,
            (true, true) => HistogramKind::Bytes,
            (false, _) => HistogramKind::Any,
        });
    }
    match bands(kernel, param) {
        Some(bands) => AccessPattern::Bands { count: bands.places.len() },
        None if uses.array_rank.is_some_and(|rank| axis < rank) => AccessPattern::AxisSlices { axis },
        None => AccessPattern::Scatter,
    }
}

/// The axes along which an index is the first component of the position, as bits.
fn own_axes(index: &[Index]) -> u32 {
    let own = |index: &Index| {
        matches!(index, Index::At(Expr { kind: ExprKind::Coordinate(Coordinate::Position, 0), .. }))
    };
    let axes = index.iter().take(u32::BITS as usize).enumerate().filter(|(_, index)| own(index));
    axes.fold(0, |all, (axis, _)| all | 1 << axis)
}

/// The byte that an `int` was converted from.
pub fn byte(index: &Expr) -> Option<&Expr> {
    match &index.kind {
        ExprKind::Convert(inner) if matches!(inner.ty, Type::Scalar(ElementType::UInt8, _)) => Some(inner),
        ExprKind::Convert(inner)
            if matches!(inner.ty, Type::Scalar(ElementType::Int32 | ElementType::Single, _)) =>
        {
            byte(inner)
        }
        _ => None,
    }
}

/// The number of leading indices that are the components of the position, in order.
pub fn own_prefix(index: &[Index], rank: usize) -> usize {
    index
        .iter()
        .take(rank)
        .enumerate()
        .take_while(|(k, index)| {
            matches!(index, Index::At(Expr { kind: ExprKind::Coordinate(Coordinate::Position, axis), .. }) if axis == k)
        })
        .count()
}
