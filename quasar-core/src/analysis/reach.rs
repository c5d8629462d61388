//! How kernels reach their arrays: what they only read, what each position writes at its own place, what they write
//! anywhere.

use super::phases::waits;
use crate::ir::rewrite::{stored_in, visit_block, visit_stmts};
use crate::ir::{Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, Program, StmtKind, VarId};
use crate::types::known::{fixed, rank};
use crate::types::{ElementType, Type};
use std::collections::BTreeMap;

/// How a kernel reaches an array parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only reads.
    View,
    /// Writes at the own position, in the leading `depth` components at least; all accesses are at exactly the own
    /// position where `row` is set.
    Band { depth: usize, row: bool },
    /// Writes anywhere.
    Scatter,
    /// Adds anywhere and does nothing else.
    Tally(Table),
    /// Anything, by one thread.
    Whole,
}

/// What is known about an array that is only added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Nothing.
    Any,
    /// Only bytes are indices.
    Bytes,
    /// Only bytes are indices, and only ones are added.
    Counts,
}

/// The array parameters of a kernel that are not kept by each thread, with their reach.
pub fn reaches(program: &Program, kernel: &Kernel) -> BTreeMap<VarId, Reach> {
    let mut found = BTreeMap::new();
    for &param in &kernel.body.params {
        if by_reference(program, &kernel.body, param) {
            found.insert(param, reach(program, kernel, param));
        }
    }
    found
}

/// Threads get a copy of arrays with at most this many elements.
const COPIED: usize = 64;

/// Whether a parameter is an array that stays where it is: one of unknown size, a large one, or one that is changed.
pub fn by_reference(program: &Program, body: &Body, param: VarId) -> bool {
    let ty = &body.variables[param].ty;
    matches!(ty, Type::Array(_))
        && fixed(ty).is_none_or(|sizes| {
            sizes.iter().product::<usize>() > COPIED || changes(program, &body.block, param, 8)
        })
}

#[derive(Default)]
struct Uses {
    loads: Vec<Vec<Index>>,
    stores: Vec<Vec<Index>>,
    adds: Vec<Vec<Index>>,
    /// Something else than one is added.
    amounts: bool,
    updates: Vec<Vec<Index>>,
    passed: bool,
    changed_by_callee: bool,
}

fn is_param(expr: &Expr, param: VarId) -> bool {
    matches!(expr.kind, ExprKind::Local(v) if v == param)
}

fn uses(program: &Program, block: &Block, param: VarId) -> Uses {
    let mut uses = Uses::default();
    visit_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { array, index, .. } if is_param(array, param) => uses.stores.push(index.clone()),
        StmtKind::Update { array, index, row, result, value, .. } if is_param(array, param) => {
            if row.name == "add" && result.is_none() {
                uses.adds.push(index.clone());
                uses.amounts |= value.constant().is_none_or(|c| c.as_f64() != 1.0);
            } else {
                uses.updates.push(index.clone());
            }
        }
        StmtKind::Exchange { array, index, .. } if is_param(array, param) => uses.updates.push(index.clone()),
        StmtKind::Call { function, args, .. } => {
            for (k, arg) in args.iter().enumerate() {
                if is_param(arg, param) {
                    uses.passed = true;
                    let body = &program.functions[*function].body;
                    uses.changed_by_callee |=
                        body.params.get(k).is_some_and(|p| changes(program, &body.block, *p, 8));
                }
            }
        }
        _ => {}
    });
    let mut places = 0;
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { array, .. }
        | StmtKind::Update { array, .. }
        | StmtKind::Exchange { array, .. } = &stmt.kind
        {
            places += usize::from(is_param(array, param));
        }
    });
    let mut mentions = 0;
    visit_block(block, &mut |expr| match &expr.kind {
        ExprKind::Load { array, index, .. } if is_param(array, param) => {
            places += 1;
            uses.loads.push(index.clone());
        }
        ExprKind::Extent(array, _) | ExprKind::Count(array) if is_param(array, param) => places += 1,
        _ if is_param(expr, param) => mentions += 1,
        _ => {}
    });
    // Somewhere the array is a value as a whole.
    uses.passed |= mentions > places;
    uses
}

/// Whether statements write elements of an array, also through the functions they call.
fn changes(program: &Program, block: &Block, array: VarId, depth: usize) -> bool {
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

fn reach(program: &Program, kernel: &Kernel, param: VarId) -> Reach {
    let uses = uses(program, &kernel.body.block, param);
    let written = !(uses.stores.is_empty() && uses.adds.is_empty() && uses.updates.is_empty());
    if !written && !uses.changed_by_callee {
        return Reach::View;
    }
    if !kernel.parallel {
        return Reach::Whole;
    }
    if uses.passed || waits(&kernel.body.block) {
        return Reach::Scatter;
    }
    let all = uses.loads.iter().chain(&uses.stores).chain(&uses.adds).chain(&uses.updates);
    let depth = all.clone().map(|index| own_prefix(index, kernel.rank)).min().unwrap_or(0);
    if depth > 0 {
        let exact =
            |index: &Vec<Index>| index.len() == kernel.rank && own_prefix(index, kernel.rank) == kernel.rank;
        let simple = uses.adds.is_empty() && uses.updates.is_empty();
        return Reach::Band { depth, row: simple && all.clone().all(exact) };
    }
    let rank = rank(&kernel.body.variables[param].ty);
    if uses.loads.is_empty() && uses.stores.is_empty() && uses.updates.is_empty() {
        let bytes = rank == Some(1)
            && uses.adds.iter().all(|index| matches!(index.as_slice(), [Index::At(e)] if byte(e).is_some()));
        return Reach::Tally(match (bytes, uses.amounts) {
            (true, false) => Table::Counts,
            (true, true) => Table::Bytes,
            (false, _) => Table::Any,
        });
    }
    Reach::Scatter
}

/// The byte that an `int` is a conversion of.
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

/// How many leading indices are the components of the position in order.
fn own_prefix(index: &[Index], rank: usize) -> usize {
    index
        .iter()
        .take(rank)
        .enumerate()
        .take_while(|(k, index)| {
            matches!(index, Index::At(Expr { kind: ExprKind::Coordinate(Coordinate::Position, axis), .. }) if axis == k)
        })
        .count()
}
