//! Shared-memory caching requested by attributes: stencil windows around the positions of a block (`localwindow`),
//! small arrays that all threads read or add to (`sharedmempromotion`), and slices of arrays (`sharedmemcaching` with
//! `kernel_arg`, in `slices.rs`).
//!
//! ```text
//! {!kernel_transform enable="localwindow"}      W : 'shared = x[o..o+blkdim+1]    with o = blkidx*blkdim-1
//! y[pos] = x[pos-1] + x[pos+1]                  y[pos] = W[pos-1-o] + W[pos+1-o]
//!
//! {!kernel_transform enable="sharedmempromotion"}
//! hist[int(x[pos])] += 1                        H : 'shared = zeros(n); H[int(x[pos])] += 1; hist[:] += H
//! ```
//!
//! The pass only introduces `'shared` variables; the pass for collectives expands them.

mod slices;

use crate::ir::barriers::waits;
use crate::ir::build::{self, element_of, int, int_type};
use crate::ir::rewrite::{
    operands_mut, root, set_in, transform, transform_stmts, visit, visit_block, visit_stmts,
};
use crate::ir::{
    Block, Body, Coordinate, Dims, Expr, ExprKind, Index, Kernel, KernelArg, KernelId, LoopAttributes,
    Program, Range, Stmt, StmtKind, Storage, VarId, Variable,
};
use crate::message::Sink;
use crate::source::Span;
use crate::target::gpu::STATIC_SHARED_BYTES;
use crate::transform::{PassContext, messages};
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::{Row, find};
use std::collections::BTreeMap;

/// Runs the transforms that kernels request.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    for id in program.kernels.ids().collect::<Vec<_>>() {
        for (name, span) in program.kernels[id].attributes.enabled.clone() {
            let done = match name.as_str() {
                "localwindow" => windows(program, id, span),
                "sharedmempromotion" => promote(program, id, span),
                "sharedmemcaching" => cache(&mut program.kernels[id], span),
                _ => continue,
            };
            sink.push(match done {
                Ok(arrays) => {
                    let what = format!("{} in shared memory", arrays.join(", "));
                    messages::applied(span, &name, &what)
                }
                Err(why) => messages::not_applied(span, &name, &why),
            });
        }
    }
}

type Done = Result<Vec<String>, String>;

fn row(name: &str) -> &'static Row {
    find(name).expect("a row that the table has")
}

// ---- how a kernel uses its arrays

/// The array parameters of a kernel whose elements are numbers.
fn arrays(kernel: &Kernel) -> Vec<VarId> {
    let body = &kernel.body;
    let set = set_in(&body.block);
    let numbers = |v: &VarId| {
        matches!(body.variables[*v].ty, Type::Array(_)) && element_of(&body.variables[*v].ty).is_some()
    };
    body.params.iter().copied().filter(|v| numbers(v) && !set.contains(v)).collect()
}

/// The uses of a parameter: mentions other than for its extents, and how many of them are loads and updates.
#[derive(Default)]
struct Uses {
    mentions: usize,
    loads: usize,
    /// Operations of the single-element updates whose result is not used.
    updates: Vec<&'static Row>,
}

fn uses(kernel: &Kernel, array: VarId) -> Uses {
    let mut found = Uses::default();
    let mut sizes = 0;
    visit_block(&kernel.body.block, &mut |e| match &e.kind {
        ExprKind::Local(v) if *v == array => found.mentions += 1,
        ExprKind::Extent(inner, _) | ExprKind::Count(inner) if is(inner, array) => sizes += 1,
        _ => {}
    });
    found.mentions -= sizes;
    visit_block(&kernel.body.block, &mut |e| {
        if let ExprKind::Load { array: inner, index, .. } = &e.kind
            && is(inner, array)
            && index.iter().all(|i| matches!(i, Index::At(_)))
        {
            found.loads += 1;
        }
    });
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if let StmtKind::Update { array: inner, index, row, result: None, .. } = &stmt.kind
            && is(inner, array)
            && index.iter().all(|i| matches!(i, Index::At(_)))
        {
            found.updates.push(row);
        }
    });
    found
}

fn is(expr: &Expr, variable: VarId) -> bool {
    matches!(expr.kind, ExprKind::Local(v) if v == variable)
}

/// A new shared variable for the elements of an array of known extents.
fn shared_variable(body: &mut Body, array: VarId, sizes: &[u32], span: Span) -> VarId {
    let original = &body.variables[array];
    let name = format!("{}_cache", original.name);
    let (mut ty, mode) = (original.ty.clone(), original.boundary);
    if let Type::Array(ty) = &mut ty {
        ty.sizes = sizes.iter().map(|size| Some(*size)).collect();
    }
    let mut variable = Variable::new(&name, ty, span);
    (variable.storage, variable.boundary) = (Storage::Shared, mode);
    body.variables.push(variable)
}

fn all_of(body: &Body, array: VarId) -> Vec<Index> {
    match &body.variables[array].ty {
        Type::Array(ty) => vec![Index::All; ty.sizes.len()],
        _ => Vec::new(),
    }
}

/// Replaces an array by another one of the same extents.
fn redirect(block: &mut Block, from: VarId, to: VarId, ty: &Type) {
    transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if is(e, from) {
                    *e = build::local(to, ty.clone(), e.span);
                }
            });
        });
    });
}

// ---- whole arrays

/// Lets a block read a copy of the array in shared memory.
fn read_copy(kernel: &mut Kernel, array: VarId, sizes: &[u32], span: Span) {
    let copy = shared_variable(&mut kernel.body, array, sizes, span);
    let ty = kernel.body.variables[copy].ty.clone();
    redirect(&mut kernel.body.block, array, copy, &ty);
    let value = build::convert(kernel.body.read(array, span), &ty);
    kernel.body.block.insert(0, build::assign(copy, value));
}

/// Privatises an array per block: threads update the copy, which is added to the array at the end.
fn add_copy(kernel: &mut Kernel, array: VarId, fold: &'static Row, sizes: &[u32], span: Span) {
    let own = shared_variable(&mut kernel.body, array, sizes, span);
    let body = &mut kernel.body;
    let ty = body.variables[own].ty.clone();
    redirect(&mut body.block, array, own, &ty);
    let extents = sizes.iter().map(|size| int(*size as i32, span)).collect();
    let neutral = match &ty {
        Type::Array(ty) => build::neutral(fold, &ty.element, span),
        _ => return,
    };
    let zero = neutral.constant().is_some_and(|value| !value.is_truthy());
    let name = if zero { "zeros" } else { "uninit" };
    let start = Expr::new(ExprKind::Library { name, args: extents }, ty, span);
    let mut first = vec![build::assign(own, start)];
    let (place, index) = (body.read(own, span), all_of(body, own));
    if !zero {
        let kind = StmtKind::Store {
            array: place.clone(),
            index: index.clone(),
            boundary: Boundary::Unchecked,
            value: neutral,
        };
        first.push(Stmt::new(kind, span));
    }
    body.block.splice(0..0, first);
    let (target, boundary) = (body.read(array, span), Boundary::Unchecked);
    let kind = StmtKind::Update {
        array: target,
        index,
        boundary,
        row: fold,
        value: place,
        atomic: true,
        result: None,
    };
    body.block.push(Stmt::new(kind, span));
}

/// Why a kernel cannot have whole arrays in shared memory, if it cannot.
fn obstacle(kernel: &Kernel) -> Option<String> {
    if !kernel.parallel {
        return Some("the threads of the kernel run in order".to_string());
    }
    waits(&kernel.body.block).then(|| "the kernel has barriers or shared memory of its own".to_string())
}

/// `sharedmempromotion`
fn promote(program: &mut Program, id: KernelId, span: Span) -> Done {
    if let Some(why) = obstacle(&program.kernels[id]) {
        return Err(why);
    }
    let sizes = known_sizes(program, id);
    let kernel = &mut program.kernels[id];
    let (mut done, mut room) = (Vec::new(), STATIC_SHARED_BYTES);
    for array in arrays(kernel) {
        let position = kernel.body.params.iter().position(|param| *param == array);
        let Some(sizes) = position.and_then(|k| sizes.get(&k).cloned()) else { continue };
        let ty = kernel.body.variables[array].ty.clone();
        let count = sizes.iter().fold(1u64, |n, size| n.saturating_mul(u64::from(*size)));
        if sizes.len() != all_of(&kernel.body, array).len() {
            continue;
        }
        let bytes = count.saturating_mul(element_of(&ty).map_or(16, |e| e.size() as u64));
        let uses = uses(kernel, array);
        let name = kernel.body.variables[array].name.clone();
        let by_position = loads_by_position(kernel, array);
        if bytes > room || by_position {
            continue;
        }
        match uses.updates.first().copied() {
            None if uses.loads > 0 && uses.loads == uses.mentions => read_copy(kernel, array, &sizes, span),
            Some(row) if uses.updates.len() == uses.mentions && same_row(&uses.updates, row) => {
                add_copy(kernel, array, folding(row), &sizes, span);
            }
            _ => continue,
        }
        room -= bytes;
        done.push(name);
    }
    if done.is_empty() {
        return Err("no array of known size is read by all threads, or only added to".to_string());
    }
    in_region(kernel, span);
    Ok(done)
}

/// The operation that combines partial results: differences are added up.
fn folding(fold: &'static Row) -> &'static Row {
    if fold.name == "subtract" { row("add") } else { fold }
}

fn same_row(rows: &[&'static Row], first: &'static Row) -> bool {
    let fold = ["add", "subtract", "multiply", "min", "max", "and", "or", "xor"].contains(&first.name);
    fold && rows.iter().all(|row| row.name == first.name)
}

/// Wraps the positions of a block in a region, so that it fills shared memory once for many positions.
fn in_region(kernel: &mut Kernel, span: Span) {
    let shared = |v: &VarId, body: &Body| body.variables[*v].storage == Storage::Shared;
    let mut block = std::mem::take(&mut kernel.body.block);
    let sets_up = |stmt: &Stmt, body: &Body| match &stmt.kind {
        StmtKind::Assign { variable, .. } => shared(variable, body),
        StmtKind::Store { array, index, .. } => {
            root(array).is_some_and(|v| shared(&v, body)) && index.iter().all(|i| matches!(i, Index::All))
        }
        _ => false,
    };
    let first = block.iter().take_while(|stmt| sets_up(stmt, &kernel.body)).count();
    let flushes = |stmt: &&Stmt| matches!(&stmt.kind, StmtKind::Update { value, .. } if root(value).is_some_and(|v| shared(&v, &kernel.body)));
    let last = block.iter().rev().take_while(flushes).count();
    let inside: Block = block.splice(first..block.len() - last, []).collect();
    let variable = kernel.body.temporary(int_type(), span);
    let attributes = LoopAttributes { every_position: true, ..LoopAttributes::default() };
    let range = build::range(int(0, span), int(0, span));
    block.insert(first, Stmt::new(StmtKind::For { variable, range, body: inside, attributes }, span));
    kernel.body.block = block;
}

/// The extents of each argument that are the same known ones in all launches.
fn known_sizes(program: &Program, id: KernelId) -> BTreeMap<usize, Vec<u32>> {
    let mut found: BTreeMap<usize, Option<Vec<u32>>> = BTreeMap::new();
    for (_, function) in program.functions.iter() {
        visit_stmts(&function.body.block, &mut |stmt| {
            let StmtKind::Launch { kernel, args, .. } = &stmt.kind else { return };
            if *kernel != id {
                return;
            }
            for (k, arg) in args.iter().enumerate() {
                let inner = if let ExprKind::Convert(inner) = &arg.kind { inner } else { arg };
                let sizes: Option<Vec<u32>> = match &inner.ty {
                    Type::Array(ty) => ty.sizes.iter().copied().collect(),
                    _ => None,
                };
                let known = found.entry(k).or_insert_with(|| sizes.clone());
                *known = known.take().filter(|known| Some(known) == sizes.as_ref());
            }
        });
    }
    found.into_iter().filter_map(|(k, sizes)| Some((k, sizes?))).collect()
}

/// Whether some load is indexed by a component of the position: such accesses are coalesced and well cached.
fn loads_by_position(kernel: &Kernel, array: VarId) -> bool {
    let mut found = false;
    visit_block(&kernel.body.block, &mut |e| {
        if let ExprKind::Load { array: inner, index, .. } = &e.kind
            && is(inner, array)
        {
            for each in index {
                if let Index::At(at) = each {
                    visit(at, &mut |e| {
                        found |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, _))
                    });
                }
            }
        }
    });
    found
}

/// `sharedmemcaching` with `kernel_arg`
fn cache(kernel: &mut Kernel, span: Span) -> Done {
    if let Some(why) = obstacle(kernel) {
        return Err(why);
    }
    let (mut done, mut room) = (Vec::new(), STATIC_SHARED_BYTES);
    // All requested arrays or none.
    let mut changed = kernel.clone();
    for arg in kernel.attributes.args.clone() {
        if arg.access != "shared" {
            continue;
        }
        let array = arrays(kernel).into_iter().find(|v| kernel.body.variables[*v].name == arg.name);
        let array = array.ok_or_else(|| format!("the kernel has no array parameter '{}'", arg.name))?;
        room -= slices::keep(&mut changed, array, &arg, room, span)?;
        done.push(arg.name);
    }
    if done.is_empty() {
        return Err("no `kernel_arg` with `access=\"shared\"` says which arrays".to_string());
    }
    *kernel = changed;
    Ok(done)
}

// ---- windows

/// The range of offsets from the position that loads of an array use along each dimension.
type Window = Vec<(i32, i32)>;

/// `localwindow`
fn windows(program: &mut Program, id: KernelId, span: Span) -> Done {
    let kernel = &program.kernels[id];
    if let Some(why) = obstacle(kernel) {
        return Err(why);
    }
    let block = match kernel.rank {
        1 => vec![256],
        2 => vec![16, 16],
        3 => vec![1, 16, 16],
        _ => return Err("the position has more than 3 dimensions".to_string()),
    };
    if asks_for_blocks(program, id) {
        return Err("a launch asks for other blocks".to_string());
    }
    let mut found: Vec<(VarId, Window, Boundary)> = Vec::new();
    let mut room = STATIC_SHARED_BYTES;
    for array in arrays(kernel) {
        let (Some(window), Some(mode)) = (window_of(kernel, array), mode_of(kernel, array)) else { continue };
        if window.iter().all(|(low, high)| low == high) {
            continue;
        }
        let sides = window.iter().zip(&block);
        let count = sides.fold(1u64, |n, ((low, high), b)| {
            n.saturating_mul((i64::from(*high) - i64::from(*low) + b) as u64)
        });
        let element = element_of(&kernel.body.variables[array].ty).map_or(16, |e| e.size() as u64);
        let bytes = count.saturating_mul(element);
        if bytes > room {
            return Err(format!(
                "the window of '{}' exceeds shared memory",
                kernel.body.variables[array].name
            ));
        }
        room -= bytes;
        found.push((array, window, mode));
    }
    if found.is_empty() {
        return Err("no array is only read at bounded distances from the position".to_string());
    }
    let kernel = &mut program.kernels[id];
    kernel.attributes.block = Some(block.iter().map(|&n| n as u32).collect());
    let names = found.iter().map(|(array, ..)| kernel.body.variables[*array].name.clone()).collect();
    for (array, window, mode) in found {
        keep_window(kernel, array, &window, mode, &block, span);
    }
    for function in program.functions.ids().collect::<Vec<_>>() {
        transform_stmts(&mut program.functions[function].body.block, &mut |stmt| {
            let at = stmt.span;
            if let StmtKind::Launch { kernel, block: asked, .. } = &mut stmt.kind
                && *kernel == id
            {
                *asked = Some(Dims::Each(block.iter().map(|n| int(*n as i32, at)).collect()));
            }
        });
    }
    Ok(names)
}

fn asks_for_blocks(program: &Program, id: KernelId) -> bool {
    let mut found = false;
    for (_, function) in program.functions.iter() {
        visit_stmts(&function.body.block, &mut |stmt| {
            if let StmtKind::Launch { kernel, block: Some(_), .. } = &stmt.kind {
                found |= *kernel == id;
            }
        });
    }
    found
}

/// The window of an array, if the kernel only loads it, at bounded offsets.
fn window_of(kernel: &Kernel, array: VarId) -> Option<Window> {
    let uses = uses(kernel, array);
    let rank = all_of(&kernel.body, array).len();
    if uses.loads == 0 || uses.loads != uses.mentions || rank != kernel.rank {
        return None;
    }
    let name = &kernel.body.variables[array].name;
    if let Some(KernelArg { window: [Some(low), Some(high)], .. }) =
        kernel.attributes.args.iter().find(|arg| arg.name == *name)
        && low.len() == rank
        && high.len() == rank
    {
        return Some(low.iter().copied().zip(high.iter().copied()).collect());
    }
    let ranges = ranges(&kernel.body);
    let mut window: Window = vec![(i32::MAX, i32::MIN); rank];
    let mut bounded = true;
    visit_block(&kernel.body.block, &mut |e| {
        let ExprKind::Load { array: inner, index, .. } = &e.kind else { return };
        if !is(inner, array) {
            return;
        }
        for (k, each) in index.iter().enumerate() {
            let Index::At(at) = each else { continue };
            match distance(at, &ranges) {
                Some((Some(axis), low, high)) if axis == k => {
                    window[k] = (window[k].0.min(low), window[k].1.max(high));
                }
                _ => bounded = false,
            }
        }
    });
    bounded.then_some(window)
}

/// The boundary mode for fetching a window: that of all loads of the array. Unchecked loads never see elements outside,
/// and if a load may fail there is no window.
fn mode_of(kernel: &Kernel, array: VarId) -> Option<Boundary> {
    let mut modes: Vec<Boundary> = Vec::new();
    visit_block(&kernel.body.block, &mut |e| {
        if let ExprKind::Load { array: inner, boundary, .. } = &e.kind
            && is(inner, array)
            && *boundary != Boundary::Unchecked
            && !modes.contains(boundary)
        {
            modes.push(*boundary);
        }
    });
    match modes[..] {
        [] => Some(Boundary::Safe),
        [Boundary::Checked] => None,
        [mode] => Some(mode),
        _ => None,
    }
}

/// The ranges of loop variables with constant bounds.
fn ranges(body: &Body) -> BTreeMap<VarId, (i32, i32)> {
    let mut found = BTreeMap::new();
    let mut times: BTreeMap<VarId, usize> = BTreeMap::new();
    visit_stmts(&body.block, &mut |stmt| {
        crate::ir::rewrite::sets(stmt, &mut |v| *times.entry(*v).or_default() += 1);
        if let StmtKind::For { variable, range: Range { from, to, step: None }, .. } = &stmt.kind
            && let (Some(from), Some(to)) = (from.constant_int(), to.constant_int())
            && from <= to
        {
            found.insert(*variable, (from, to));
        }
    });
    found.retain(|v, _| times.get(v) == Some(&1));
    found
}

/// An index as a component of the position, if any, plus a range of constants.
fn distance(expr: &Expr, ranges: &BTreeMap<VarId, (i32, i32)>) -> Option<(Option<usize>, i32, i32)> {
    match &expr.kind {
        ExprKind::Coordinate(Coordinate::Position, axis) => Some((Some(*axis), 0, 0)),
        ExprKind::Local(v) => ranges.get(v).map(|(low, high)| (None, *low, *high)),
        ExprKind::Constant(_) => expr.constant_int().map(|n| (None, n, n)),
        ExprKind::Apply { row, args } => {
            let [a, b] = args.as_slice() else { return None };
            let (a, b) = (distance(a, ranges)?, distance(b, ranges)?);
            match row.name {
                "add" => {
                    let axis = match (a.0, b.0) {
                        (Some(_), Some(_)) => return None,
                        (x, y) => x.or(y),
                    };
                    Some((axis, a.1.checked_add(b.1)?, a.2.checked_add(b.2)?))
                }
                "subtract" if b.0.is_none() => Some((a.0, a.1.checked_sub(b.2)?, a.2.checked_sub(b.1)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Redirects the loads of an array to the window of the block.
fn keep_window(
    kernel: &mut Kernel,
    array: VarId,
    window: &Window,
    mode: Boundary,
    block: &[i64],
    span: Span,
) {
    let body = &mut kernel.body;
    let original = body.variables[array].clone();
    let ty = match &original.ty {
        Type::Array(ty) => {
            let sizes =
                window.iter().zip(block).map(|((low, high), b)| Some((high - low) as u32 + *b as u32));
            build::sized_type((*ty.element).clone(), sizes.collect())
        }
        _ => return,
    };
    let mut variable = Variable::new(&format!("{}_window", original.name), ty.clone(), span);
    (variable.storage, variable.boundary) = (Storage::Shared, Boundary::Unchecked);
    let cache = body.variables.push(variable);
    let origin: Vec<Expr> = (0..window.len())
        .map(|k| {
            let index = Expr::new(ExprKind::Coordinate(Coordinate::BlockIndex, k), int_type(), span);
            build::of_ints(
                "add",
                build::of_ints("multiply", index, int(block[k] as i32, span)),
                int(window[k].0, span),
            )
        })
        .collect();
    transform_stmts(&mut body.block, &mut |stmt| {
        operands_mut(stmt, &mut |e| transform(e, &mut |e| from_window(e, array, cache, &ty, &origin)));
    });
    let slices = origin.iter().zip(window).zip(block).map(|((from, (low, high)), b)| {
        let to = build::of_ints("add", from.clone(), int(high - low + *b as i32 - 1, span));
        Index::Range(build::range(from.clone(), to))
    });
    let load =
        ExprKind::Load { array: Box::new(body.read(array, span)), index: slices.collect(), boundary: mode };
    body.block.insert(0, build::assign(cache, Expr::new(load, ty, span)));
}

fn from_window(e: &mut Expr, array: VarId, cache: VarId, ty: &Type, origin: &[Expr]) {
    let span = e.span;
    let ExprKind::Load { array: inner, index, boundary } = &mut e.kind else { return };
    if !is(inner, array) {
        return;
    }
    **inner = build::local(cache, ty.clone(), span);
    *boundary = Boundary::Unchecked;
    for (each, origin) in index.iter_mut().zip(origin) {
        if let Index::At(at) = each {
            *at = build::of_ints("subtract", at.clone(), origin.clone());
        }
    }
}
