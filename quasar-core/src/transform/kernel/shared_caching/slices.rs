//! `sharedmemcaching` with `kernel_arg`: keeps the named slices of arrays in shared memory. Threads read them there, or
//! add to a copy that the block adds to the array at the end. Accesses that are not provably inside or outside the
//! slice test at run time.

use super::{all_of, folding, is, same_row, uses};
use crate::ir::build::{self, element_of, int, int_type};
use crate::ir::rewrite::{expand_stmts, operands_mut, same, set_in, transform, visit_block, visit_stmts};
use crate::ir::{
    Block, Coordinate, Expr, ExprKind, Index, Kernel, KernelArg, Linear, Slice, Stmt, StmtKind, Storage,
    VarId, Variable,
};
use crate::source::Span;
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::Row;

/// The part of an axis that is cached.
enum Axis {
    /// The whole axis.
    All,
    /// `count` indices from `first` on; a `dropped` axis has a single one and is no axis of the cache.
    From { first: Expr, count: i32, dropped: bool },
}

/// A slice of an array, and the variable that caches it.
struct Part {
    array: VarId,
    axes: Vec<Axis>,
    cache: VarId,
    ty: Type,
    /// Extents of the slice.
    counts: Vec<Expr>,
    /// Boundary mode for fetching and storing it.
    mode: Boundary,
}

/// Where an access lies relative to the slice.
enum Place {
    Inside,
    Outside,
    When(Expr),
}

/// Caches a slice of an array in shared memory, of which so many bytes are left. Returns the bytes used.
pub(super) fn keep(
    kernel: &mut Kernel,
    array: VarId,
    arg: &KernelArg,
    room: u64,
    span: Span,
) -> Result<u64, String> {
    let name = &arg.name;
    let fold = what_it_does(kernel, array, arg)?;
    let axes = axes(kernel, array, arg, span)?;
    let whole = axes.iter().all(|axis| matches!(axis, Axis::All));
    let mode = match (whole, mode_of(kernel, array)) {
        (true, _) => Boundary::Unchecked,
        (false, Some(mode)) => mode,
        (false, None) => {
            return Err(format!(
                "the accesses to '{name}' may fail, or have several boundary modes, so that a part of it cannot stand for it"
            ));
        }
    };
    let mut found = false;
    each_access(kernel, array, &mut |index| found |= !matches!(place(&axes, index, span), Place::Outside));
    if !found {
        return Err(format!("no access to '{name}' is in its `cache_slices`"));
    }
    let (counts, mut first, bytes) = extents(kernel, array, &axes, arg, room, span)?;
    let part = declare(kernel, array, axes, counts, mode, span);
    let block = &mut kernel.body.block;
    match fold {
        None => redirect_loads(block, &part),
        Some(_) => redirect_updates(block, &part),
    }
    let last = match fold {
        None => {
            let kind = ExprKind::Load {
                array: Box::new(kernel.body.read(array, span)),
                index: part.selection(span),
                boundary: part.mode,
            };
            first.push(build::assign(part.cache, Expr::new(kind, part.ty.clone(), span)));
            None
        }
        Some(fold) => {
            first.extend(start(kernel, &part, fold, span));
            let kind = StmtKind::Update {
                array: kernel.body.read(array, span),
                index: part.selection(span),
                boundary: part.mode,
                row: fold,
                value: kernel.body.read(part.cache, span),
                atomic: true,
                result: None,
            };
            Some(Stmt::new(kind, span))
        }
    };
    kernel.body.block.splice(0..0, first);
    kernel.body.block.extend(last);
    Ok(bytes)
}

// ---- what is requested

/// The operation that combines partial results; `None` if the array is only read.
fn what_it_does(kernel: &Kernel, array: VarId, arg: &KernelArg) -> Result<Option<&'static Row>, String> {
    let uses = uses(kernel, array);
    let name = &arg.name;
    let only_read = uses.loads > 0 && uses.loads == uses.mentions;
    let Some(op) = &arg.op else {
        return match uses.updates.first() {
            None if only_read => Ok(None),
            Some(_) if uses.updates.len() == uses.mentions => {
                Err(format!("the kernel adds to '{name}': say by which operator, as in `op=\"+=\"`"))
            }
            _ => Err(format!("the kernel does something else with '{name}' than read its elements")),
        };
    };
    if matches!(arg.direction.as_str(), "in" | "const") {
        return Err(format!("'{name}' is an input, which has no `op`; write `type=\"inout\"`"));
    }
    let Some(asked) = fold_of(op) else {
        return Err(format!(
            "'{op}' does not put parts of a result together; `op` is one of +=, -=, *=, __=, ^^=, &=, |= and ~="
        ));
    };
    match uses.updates.first().copied() {
        Some(used) if uses.updates.len() == uses.mentions && same_row(&uses.updates, used) => {
            if folding(used).name != asked {
                return Err(format!("the kernel changes '{name}' by another operator than '{op}'"));
            }
            Ok(Some(folding(used)))
        }
        _ => Err(format!("the kernel does something else with '{name}' than add to its elements")),
    }
}

/// The operation that combines the partial results of a compound assignment.
fn fold_of(op: &str) -> Option<&'static str> {
    Some(match op {
        "+=" | "-=" => "add",
        "*=" | ".*=" => "multiply",
        "__=" => "min",
        "^^=" => "max",
        "&=" => "and",
        "|=" => "or",
        "~=" => "xor",
        _ => return None,
    })
}

/// The slice that `cache_slices` names, or the whole array.
fn axes(kernel: &Kernel, array: VarId, arg: &KernelArg, span: Span) -> Result<Vec<Axis>, String> {
    let rank = all_of(&kernel.body, array).len();
    let Some((of, slices)) = &arg.slices else { return Ok((0..rank).map(|_| Axis::All).collect()) };
    let name = &arg.name;
    if of != name {
        return Err(format!("`cache_slices` is about '{of}', and `name` about '{name}'"));
    }
    if slices.len() != rank {
        let indices = if slices.len() == 1 { "index" } else { "indices" };
        return Err(format!("'{name}' has {rank} dimensions, and `cache_slices` {} {indices}", slices.len()));
    }
    let mut axes = Vec::new();
    for (k, slice) in slices.iter().enumerate() {
        axes.push(match slice {
            Slice::All => Axis::All,
            Slice::At(at) => Axis::From { first: value(kernel, at, span)?, count: 1, dropped: true },
            Slice::Range(from, to) => {
                let length = to.offset.checked_sub(from.offset).and_then(|n| n.checked_add(1));
                let alike = (&from.name, from.factor) == (&to.name, to.factor);
                let count = length.filter(|n| alike && *n > 0).ok_or_else(|| {
                    format!(
                        "how long the slice of '{name}' is along dimension {k} must be known at compile time, as in `a..a+3`"
                    )
                })?;
                Axis::From { first: value(kernel, from, span)?, count, dropped: false }
            }
        });
    }
    // A single element is cached as a vector of length one.
    if axes.iter().all(|axis| matches!(axis, Axis::From { dropped: true, .. }))
        && let Some(Axis::From { dropped, .. }) = axes.first_mut()
    {
        *dropped = false;
    }
    Ok(axes)
}

/// An index that is uniform over the block.
fn value(kernel: &Kernel, at: &Linear, span: Span) -> Result<Expr, String> {
    let body = &kernel.body;
    let Some((name, component)) = &at.name else { return Ok(int(at.offset, span)) };
    let coordinate = match name.as_str() {
        "blkidx" => Some(Coordinate::BlockIndex),
        "blkdim" => Some(Coordinate::BlockDim),
        "blkcnt" => Some(Coordinate::BlockCount),
        "pos" | "blkpos" => {
            return Err(format!("'{name}' differs between the threads of a block, which share the slices"));
        }
        _ => None,
    };
    let base = match (coordinate, *component) {
        (Some(coordinate), k) if k < kernel.rank => {
            Expr::new(ExprKind::Coordinate(coordinate, k), int_type(), span)
        }
        (Some(_), k) => return Err(format!("'{name}' has no component {k}")),
        (None, k) => {
            let param = body.params.iter().copied().find(|v| body.variables[*v].name == *name);
            let Some(param) = param else {
                let what = "slices are named by numbers, parameters and 'blkidx'";
                return Err(format!("'{name}' is no parameter of the kernel: {what}"));
            };
            if set_in(&body.block).contains(&param) {
                return Err(format!("'{name}' changes in the kernel, and its slices are fetched before"));
            }
            match &body.variables[param].ty {
                Type::Scalar(element, _) if !element.is_complex() && k == 0 => {
                    build::convert(body.read(param, span), &int_type())
                }
                Type::Array(ty) if ty.vector_length().is_some_and(|n| k < n as usize) => {
                    let load =
                        build::load(body.read(param, span), vec![int(k as i32, span)], Boundary::Safe, span);
                    build::convert(load, &int_type())
                }
                _ => return Err(format!("'{name}' does not name a place in an array")),
            }
        }
    };
    let scaled = if at.factor == 1 { base } else { build::of_ints("multiply", base, int(at.factor, span)) };
    Ok(plus(scaled, at.offset))
}

/// Adds a constant.
fn plus(e: Expr, number: i32) -> Expr {
    let span = e.span;
    match e.constant_int() {
        Some(known) => int(known.wrapping_add(number), span),
        None if number == 0 => e,
        None => build::of_ints("add", e, int(number, span)),
    }
}

/// The extents of a slice, the statements that compute them, and the size in bytes.
fn extents(
    kernel: &mut Kernel,
    array: VarId,
    axes: &[Axis],
    arg: &KernelArg,
    room: u64,
    span: Span,
) -> Result<(Vec<Expr>, Block, u64), String> {
    let (name, ty) = (&arg.name, kernel.body.variables[array].ty.clone());
    let known = |k: usize| ty.as_array().and_then(|ty| ty.sizes.get(k).copied().flatten());
    let (mut counts, mut first) = (Vec::new(), Block::new());
    for (k, axis) in axes.iter().enumerate() {
        counts.push(match (axis, known(k)) {
            (Axis::From { dropped: true, .. }, _) => continue,
            (Axis::From { count, .. }, _) => int(*count, span),
            (Axis::All, Some(size)) => int(size as i32, span),
            (Axis::All, None) => {
                let extent = build::extent(kernel.body.read(array, span), k, span);
                if arg.numel.is_none() {
                    extent
                } else {
                    // Value bounds are recorded for variables only.
                    let variable = kernel.body.temporary(int_type(), span);
                    first.push(build::assign(variable, extent));
                    kernel.body.read(variable, span)
                }
            }
        });
    }
    let number = |count: &Expr| count.constant_int().and_then(|n| u64::try_from(n).ok());
    let exact = counts.iter().try_fold(1u64, |n, count| n.checked_mul(number(count)?));
    if let (Some(exact), Some(most)) = (exact, arg.numel)
        && exact > u64::from(most)
    {
        return Err(format!("`numel` is {most}, and what is cached of '{name}' has {exact} elements"));
    }
    let element = element_of(&ty).map_or(16, |element| element.size() as u64);
    let bytes = exact.or(arg.numel.map(u64::from)).map_or(0, |n| n.saturating_mul(element));
    if bytes > room {
        return Err(format!(
            "what is cached of '{name}' exceeds shared memory: {bytes} bytes, with {room} left"
        ));
    }
    if let (None, Some(most)) = (exact, arg.numel) {
        let all = counts.iter().cloned().reduce(|a, b| build::of_ints("multiply", a, b));
        let all = all.unwrap_or_else(|| int(1, span));
        let fits = build::of_ints("less_equal", all, int(i32::try_from(most).unwrap_or(i32::MAX), span));
        let text = format!("at most {most} elements of '{name}' are cached");
        first.push(Stmt::new(StmtKind::Assert { condition: fits, text, message: Vec::new() }, span));
    }
    Ok((counts, first, bytes))
}

/// The boundary mode of all accesses to an array. Unchecked accesses never leave it, and if an access may fail there is
/// no mode.
fn mode_of(kernel: &Kernel, array: VarId) -> Option<Boundary> {
    let mut modes: Vec<Boundary> = Vec::new();
    let mut note = |mode: Boundary| {
        if mode != Boundary::Unchecked && !modes.contains(&mode) {
            modes.push(mode);
        }
    };
    visit_block(&kernel.body.block, &mut |e| {
        if let ExprKind::Load { array: inner, boundary, .. } = &e.kind
            && is(inner, array)
        {
            note(*boundary);
        }
    });
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if let StmtKind::Update { array: inner, boundary, .. } = &stmt.kind
            && is(inner, array)
        {
            note(*boundary);
        }
    });
    match modes[..] {
        [] => Some(Boundary::Safe),
        [Boundary::Checked] => None,
        [mode] => Some(mode),
        _ => None,
    }
}

/// Declares the variable that caches a slice.
fn declare(
    kernel: &mut Kernel,
    array: VarId,
    axes: Vec<Axis>,
    counts: Vec<Expr>,
    mode: Boundary,
    span: Span,
) -> Part {
    let original = kernel.body.variables[array].clone();
    let sizes = counts.iter().map(|count| count.constant_int().and_then(|n| u32::try_from(n).ok()));
    let ty = match &original.ty {
        Type::Array(ty) => build::sized_type((*ty.element).clone(), sizes.collect()),
        other => other.clone(),
    };
    let mut variable = Variable::new(&format!("{}_cache", original.name), ty.clone(), span);
    (variable.storage, variable.boundary) = (Storage::Shared, original.boundary);
    let cache = kernel.body.variables.push(variable);
    Part { array, axes, cache, ty, counts, mode }
}

/// Initialises a block's copy with the neutral value.
fn start(kernel: &Kernel, part: &Part, fold: &'static Row, span: Span) -> Block {
    let Type::Array(ty) = &part.ty else { return Block::new() };
    let neutral = build::neutral(fold, &ty.element, span);
    let zero = neutral.constant().is_some_and(|value| !value.is_truthy());
    let name = if zero { "zeros" } else { "uninit" };
    let fresh = Expr::new(ExprKind::Library { name, args: part.counts.clone() }, part.ty.clone(), span);
    let mut first = vec![build::assign(part.cache, fresh)];
    if !zero {
        let (array, index) = (kernel.body.read(part.cache, span), vec![Index::All; part.counts.len()]);
        let kind = StmtKind::Store { array, index, boundary: Boundary::Unchecked, value: neutral };
        first.push(Stmt::new(kind, span));
    }
    first
}

impl Part {
    /// The slice as indices into the array.
    fn selection(&self, span: Span) -> Vec<Index> {
        let mut counts = self.counts.iter();
        let up_to = |count: &Expr| {
            Index::Range(build::range(int(0, span), build::of_ints("subtract", count.clone(), int(1, span))))
        };
        let of_axis = |axis: &Axis| match axis {
            Axis::From { first, dropped: true, .. } => Index::At(first.clone()),
            Axis::From { first, count, dropped: false } => {
                counts.next();
                let last = plus(first.clone(), count - 1);
                Index::Range(build::range(first.clone(), last))
            }
            Axis::All => match counts.next() {
                // A variable with a known bound.
                Some(count) if matches!(count.kind, ExprKind::Local(_)) => up_to(count),
                _ => Index::All,
            },
        };
        self.axes.iter().map(of_axis).collect()
    }

    /// The same element in the cache.
    fn cached(&self, index: &[Index], span: Span) -> (Expr, Vec<Index>) {
        let at = self.axes.iter().zip(index).filter_map(|(axis, each)| match (axis, each) {
            (Axis::All, each) => Some(each.clone()),
            (Axis::From { dropped: true, .. }, _) => None,
            (Axis::From { first, .. }, Index::At(i)) => Some(Index::At(match distance(i, first) {
                Some(known) => int(known, span),
                None if first.constant_int() == Some(0) => i.clone(),
                None => build::of_ints("subtract", i.clone(), first.clone()),
            })),
            (Axis::From { .. }, each) => Some(each.clone()),
        });
        (build::local(self.cache, self.ty.clone(), span), at.collect())
    }
}

// ---- accesses of the kernel

/// Visits the indices of all accesses to an array.
fn each_access(kernel: &Kernel, array: VarId, f: &mut dyn FnMut(&[Index])) {
    visit_block(&kernel.body.block, &mut |e| {
        if let ExprKind::Load { array: inner, index, .. } = &e.kind
            && is(inner, array)
        {
            f(index);
        }
    });
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if let StmtKind::Update { array: inner, index, .. } = &stmt.kind
            && is(inner, array)
        {
            f(index);
        }
    });
}

/// An index as a base plus a constant.
fn split(e: &Expr) -> (Option<&Expr>, i32) {
    if let Some(number) = e.constant_int() {
        return (None, number);
    }
    if let ExprKind::Apply { row, args } = &e.kind
        && let [a, b] = args.as_slice()
        && let Some(number) = b.constant_int()
    {
        let (base, before) = split(a);
        match row.name {
            "add" => return (base, before.wrapping_add(number)),
            "subtract" => return (base, before.wrapping_sub(number)),
            _ => {}
        }
    }
    (Some(e), 0)
}

/// The constant distance of an index from the first one of a slice, if it is known.
fn distance(index: &Expr, first: &Expr) -> Option<i32> {
    match (split(index), split(first)) {
        ((None, a), (None, b)) => a.checked_sub(b),
        ((Some(x), a), (Some(y), b)) if same(x, y) => a.checked_sub(b),
        _ => None,
    }
}

/// Whether an access lies in the slice.
fn place(axes: &[Axis], index: &[Index], span: Span) -> Place {
    let mut all: Option<Expr> = None;
    let both = |a: Option<Expr>, b: Expr| {
        Some(match a {
            None => b,
            Some(a) => Expr::new(ExprKind::And(Box::new(a), Box::new(b)), int_type(), span),
        })
    };
    for (axis, each) in axes.iter().zip(index) {
        let (Axis::From { first, count, .. }, Index::At(i)) = (axis, each) else { continue };
        match distance(i, first) {
            Some(known) if (0..*count).contains(&known) => {}
            Some(_) => return Place::Outside,
            None if *count == 1 => all = both(all, build::of_ints("equal", i.clone(), first.clone())),
            None => {
                let last = plus(first.clone(), count - 1);
                all = both(all, build::of_ints("less_equal", first.clone(), i.clone()));
                all = both(all, build::of_ints("less_equal", i.clone(), last));
            }
        }
    }
    all.map_or(Place::Inside, Place::When)
}

/// The mode of an access to the cache. Behind a run-time test an unchecked access becomes safe, since a concurrent
/// write may change the index between the test and the access.
fn careful(boundary: Boundary, place: &Place) -> Boundary {
    match (boundary, place) {
        (Boundary::Unchecked, Place::When(_)) => Boundary::Safe,
        _ => boundary,
    }
}

fn redirect_loads(block: &mut Block, part: &Part) {
    super::transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut |e| transform(e, &mut |e| load_from(part, e)));
    });
}

fn load_from(part: &Part, e: &mut Expr) {
    let ExprKind::Load { array, index, boundary } = &e.kind else { return };
    if !is(array, part.array) {
        return;
    }
    let place = place(&part.axes, index, e.span);
    let (cache, at) = part.cached(index, e.span);
    let boundary = careful(*boundary, &place);
    let kind = ExprKind::Load { array: Box::new(cache), index: at, boundary };
    let cached = Expr::new(kind, e.ty.clone(), e.span);
    match place {
        Place::Inside => *e = cached,
        Place::Outside => {}
        Place::When(condition) => {
            let (then, otherwise) = (Box::new(cached), Box::new(e.clone()));
            e.kind = ExprKind::Select { condition: Box::new(condition), then, otherwise };
        }
    }
}

fn redirect_updates(block: &mut Block, part: &Part) {
    expand_stmts(block, &mut |stmt| {
        let span = stmt.span;
        let StmtKind::Update { array, index, boundary, row, value, atomic, result: None } = &stmt.kind else {
            return vec![stmt];
        };
        if !is(array, part.array) {
            return vec![stmt];
        }
        let place = place(&part.axes, index, span);
        let (cache, at) = part.cached(index, span);
        let kind = StmtKind::Update {
            array: cache,
            index: at,
            boundary: careful(*boundary, &place),
            row,
            value: value.clone(),
            atomic: *atomic,
            result: None,
        };
        let cached = Stmt::new(kind, span);
        match place {
            Place::Inside => vec![cached],
            Place::Outside => vec![stmt],
            Place::When(condition) => vec![build::choice(condition, vec![cached], vec![stmt], span)],
        }
    });
}
