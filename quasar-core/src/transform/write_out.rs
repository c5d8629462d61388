//! Positions of a small box are written out: a launch over a batch of small matrices becomes one over the matrices, whose code does
//! all elements of one, so that what they share is read once, and indices are numbers:
//!
//! ```text
//! parallel_do([N, 2, 2], ..)                     parallel_do([N], ..)
//!     y[p,i,j] = a[p,i,0]*b[p,0,j]        ->         y[p,0,0] = a[p,0,0]*b[p,0,0] + a[p,0,1]*b[p,1,0]
//!              + a[p,i,1]*b[p,1,j]                   y[p,0,1] = a[p,0,0]*b[p,0,1] + a[p,0,1]*b[p,1,1] ..
//! ```
//!
//! The positions of a box come in their order. That pays where they share what they read, or where they are the channels of a pixel that
//! are accumulated elsewhere; elements that stand for themselves are better done side by side. Devices have a thread for each position.

use super::kernel::{fold_expr, unroll_short_loops};
use super::schedule::own_element::plain_updates;
use super::tables::is_by_position;
use super::tables::launches::{Parts, offered, parts, replace_each};
use crate::analysis::access_pattern::{self, AccessPattern};
use crate::analysis::param_aliasing;
use crate::ir::merged::free_name;
use crate::ir::rewrite::{operands, operands_mut, rename, transform, transform_stmts, visit, visit_stmts};
use crate::ir::schedule::{Schedule, WrittenOut};
use crate::ir::{
    Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, KernelId, LaunchMode, Program, Stmt, StmtKind,
    VarId, build,
};
use crate::target::cpu::{BOX_NODES, BOX_POSITIONS};
use std::collections::{BTreeMap, BTreeSet};

/// Kernels and the extents of their last components, with the kernels that have these written out.
type Made = BTreeMap<(KernelId, Vec<i32>), Option<KernelId>>;

/// Changes the launches of a program.
pub(super) fn run(program: &mut Program) {
    let mut wanted = BTreeSet::new();
    for (_, function) in program.functions.iter().filter(|(_, function)| !function.device) {
        visit_stmts(&function.body.block, &mut |stmt| {
            wanted.extend(parts(stmt).and_then(|parts| boxed(&parts)))
        });
    }
    let mut made = Made::new();
    for (id, extents) in wanted {
        let kernel = written_out(program, id, &extents).map(|kernel| program.kernels.push(kernel));
        made.insert((id, extents), kernel);
    }
    if made.values().all(Option::is_none) {
        return;
    }
    replace_each(program, |body, stmt| changed(body, stmt, &made));
}

/// The kernel of a launch whose last extents are small numbers, and these.
fn boxed(parts: &Parts<'_>) -> Option<(KernelId, Vec<i32>)> {
    let mut extents = Vec::new();
    let mut positions = 1;
    for dim in parts.dims.iter().skip(1).rev() {
        let mut dim = dim.clone();
        fold_expr(&mut dim);
        match dim.constant_int() {
            Some(extent) if extent > 0 && positions * extent <= BOX_POSITIONS => {
                positions *= extent;
                extents.insert(0, extent);
            }
            _ => break,
        }
    }
    (positions > 1).then_some((parts.kernel, extents))
}

/// The launch on a device, else that of the kernel which does a box for each position.
fn changed(body: &mut Body, stmt: &Stmt, made: &Made) -> Option<Block> {
    let parts = parts(stmt)?;
    let kernel = (*made.get(&boxed(&parts)?)?)?;
    let (mut out, dims, ran) = offered(body, &parts, stmt.span);
    let lead = dims.len() - boxed(&parts)?.1.len();
    let mode = LaunchMode::Parallel;
    let launch =
        parts.launch(kernel, &dims[..lead], parts.args.to_vec(), (parts.results.to_vec(), mode), stmt.span);
    out.push(build::choice(ran, Vec::new(), vec![launch], stmt.span));
    Some(out)
}

/// The kernel with a box for each position, if that pays.
fn written_out(program: &Program, id: KernelId, extents: &[i32]) -> Option<Kernel> {
    let kernel = &program.kernels[id];
    let lead = kernel.rank - extents.len();
    let fits = kernel.parallel
        && !kernel.aliased
        && kernel.accumulators.is_empty()
        && kernel.body.results.is_empty()
        && kernel.schedule.ranks.is_none()
        && is_by_position(&kernel.body.block)
        && is_straight(&kernel.body.block);
    if !fits {
        return None;
    }
    let mut found = kernel.clone();
    unroll_short_loops::run(&mut found.body);
    let (mut nodes, mut loops) = (0, false);
    visit_stmts(&found.body.block, &mut |stmt| {
        loops |= matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. });
        operands(stmt, &mut |e| visit(e, &mut |_| nodes += 1));
    });
    let positions: i32 = extents.iter().product();
    if loops || nodes * positions as usize > BOX_NODES {
        return None;
    }
    for (array, reach) in access_pattern::reaches(program, kernel) {
        if matches!(reach, AccessPattern::OwnRows { .. }) {
            plain_updates(&mut found.body.block, array, &kernel.body.variables[array].ty);
        }
    }
    let once = std::mem::take(&mut found.body.block);
    for place in 0..positions {
        let block = at_place(&mut found.body, once.clone(), (lead, extents), place);
        found.body.block.extend(block);
    }
    pays(&found, lead).then_some(())?;
    found.rank = lead;
    found.name = free_name(program, &kernel.name);
    found.schedule = Schedule {
        conflicts: Some(param_aliasing::conflicts(program, kernel)),
        written_out: Some(WrittenOut { of: kernel.name.clone(), positions: positions as u32 }),
        ..Schedule::default()
    };
    Some(found)
}

/// Whether positions end with their last statement, and set only their own variables.
fn is_straight(block: &Block) -> bool {
    let mut straight = true;
    visit_stmts(block, &mut |stmt| {
        straight &= matches!(
            stmt.kind,
            StmtKind::Assign { .. }
                | StmtKind::Store { .. }
                | StmtKind::Update { result: None, .. }
                | StmtKind::If { .. }
                | StmtKind::For { .. }
        );
    });
    straight
}

/// The code of one position of a box, with variables of its own.
fn at_place(body: &mut Body, mut block: Block, (lead, extents): (usize, &[i32]), place: i32) -> Block {
    let mut rest = place;
    let mut components: Vec<i32> = extents
        .iter()
        .rev()
        .map(|extent| {
            let component = rest % extent;
            rest /= extent;
            component
        })
        .collect();
    components.reverse();
    transform_stmts(&mut block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Coordinate(Coordinate::Position, axis) = e.kind
                    && let Some(component) = axis.checked_sub(lead).and_then(|k| components.get(k))
                {
                    *e = build::int(*component, e.span);
                }
            });
        });
    });
    let mut own: BTreeMap<VarId, VarId> = BTreeMap::new();
    rename(&mut block, &mut |v| {
        if body.params.contains(&v) {
            return v;
        }
        *own.entry(v).or_insert_with(|| body.variables.push(body.variables[v].clone()))
    });
    block
}

/// Whether positions of a box share a quarter of what they read of it, or accumulate elsewhere.
fn pays(kernel: &Kernel, lead: usize) -> bool {
    let (mut reads, mut own, mut accumulates) = (Vec::new(), true, false);
    visit_stmts(&kernel.body.block, &mut |stmt| {
        match &stmt.kind {
            StmtKind::Store { index, .. } => own &= is_in_box(index, lead) == Some(true),
            StmtKind::Update { index, .. } => accumulates |= is_in_box(index, lead) != Some(true),
            _ => {}
        }
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                let ExprKind::Load { index, .. } = &e.kind else { return };
                match is_in_box(index, lead) {
                    Some(true) => reads.push(e.clone()),
                    Some(false) => {}
                    None => own = false,
                }
            });
        });
    });
    let all = reads.len();
    let mut distinct: Vec<Expr> = Vec::new();
    for read in reads {
        if !distinct.iter().any(|known| crate::ir::rewrite::same(known, &read)) {
            distinct.push(read);
        }
    }
    own && (accumulates || distinct.len() * 4 <= all * 3)
}

/// Whether an element belongs to the box of the position; `None` where that depends on more than the position.
fn is_in_box(index: &[Index], lead: usize) -> Option<bool> {
    let mut own = index.len() >= lead;
    let mut known = true;
    let mut mentions = false;
    for (axis, each) in index.iter().enumerate() {
        let Index::At(e) = each else { return None };
        let place = match e.kind {
            ExprKind::Coordinate(Coordinate::Position, k) => k == axis && axis < lead,
            _ => false,
        };
        own &= if axis < lead { place } else { e.constant_int().is_some() };
        mentions |= matches!(e.kind, ExprKind::Coordinate(..));
        known &= place || e.constant_int().is_some();
    }
    match (own, known) {
        (true, _) => Some(true),
        (false, true) if !mentions => Some(false),
        _ => None,
    }
}
