//! Kernels with fewer threads than positions: `{!kernel_tiling ..}`, and grid-group regions that run for every
//! position.
//!
//! ```text
//! parallel_do(n, x, k)                       parallel_do(t, x, n, ceil(n / t), k)
//!
//! k: s = 0                                   k: s = 0
//!    {!begin_grid_group}                        for j = 0..iterations-1
//!    x[pos] = f(s)                                 p = pos + j*t          (local tiling: pos*iterations + j)
//!    {!end_grid_group}                             if p < n { x[p] = f(s) }
//! ```
//!
//! All threads run the same number of iterations. If a region contains barriers, the number of threads must divide the
//! number of positions, so that no thread skips one.

use crate::ir::barriers::waits;
use crate::ir::build::{self, int, int_type};
use crate::ir::rewrite::{
    blocks_mut, expand_stmts, jumps_out, operands_mut, transform, visit_block, visit_stmts,
};
use crate::ir::{
    Block, Body, Coordinate, Dims, Expr, ExprKind, Kernel, KernelId, LaunchMode, LoopAttributes, Program,
    Stmt, StmtKind, Tiling, VarId, Variable,
};
use crate::message::Sink;
use crate::source::Span;
use crate::target::gpu::FILLING_THREADS;
use crate::transform::{PassContext, messages};
use crate::types::ElementType;
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// How a tiled kernel is launched.
struct Tiled {
    tiling: Tiling,
    /// Whether the number of threads must divide the number of positions.
    exact: bool,
}

/// Tiles all kernels that request it.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    let mut tiled = BTreeMap::new();
    for id in program.kernels.ids().collect::<Vec<_>>() {
        flattening(&program.kernels[id], sink);
        let Some(tiling) = asked_for(&program.kernels[id]) else { continue };
        let launched = launches_fit(program, id);
        let kernel = &mut program.kernels[id];
        match launched.and_then(|()| tile(kernel, &tiling)) {
            Ok(exact) => {
                sink.push(messages::tiled(tiling.span, &kernel.name, tiling.local));
                tiled.insert(id, Tiled { tiling, exact });
            }
            Err(why) => sink.push(messages::not_tiled(tiling.span, &kernel.name, why)),
        }
    }
    if tiled.is_empty() {
        return;
    }
    for id in program.functions.ids().collect::<Vec<_>>() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        let mut block = std::mem::take(&mut body.block);
        expand_stmts(&mut block, &mut |stmt| launch(&mut body, &tiled, stmt));
        body.block = block;
        program.functions[id].body = body;
    }
}

/// Checks the flattening attribute: grids of rank above three always flatten their leading dimensions into one.
fn flattening(kernel: &Kernel, sink: &mut Sink) {
    if let Some((dims, span)) = kernel.attributes.flattening {
        sink.push(if dims as usize == kernel.rank && dims > 3 {
            messages::flattened(span, dims)
        } else {
            messages::not_flattened(span, &kernel.name, kernel.rank)
        });
    }
}

fn asked_for(kernel: &Kernel) -> Option<Tiling> {
    let mut region: Option<Span> = None;
    visit_stmts(&kernel.body.block, &mut |stmt| region = region.or(is_region(stmt).then_some(stmt.span)));
    let region = region.map(|span| Tiling { local: false, dims: None, span });
    kernel.attributes.tiling.clone().or(region)
}

fn is_region(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::For { attributes, .. } if attributes.every_position)
}

/// Whether all launches of a kernel give their dimensions one by one.
fn launches_fit(program: &Program, id: KernelId) -> Result<(), &'static str> {
    let mut fit = Ok(());
    let mut look = |body: &Body, on_host: bool| {
        visit_stmts(&body.block, &mut |stmt| {
            let StmtKind::Launch { kernel, dims, mode, .. } = &stmt.kind else { return };
            if *kernel != id {
                return;
            }
            fit = match (dims, mode) {
                (_, LaunchMode::Serial) => Err("`serial_do` visits the positions in order"),
                (_, LaunchMode::Devices) => Err("`multi_parallel_do` divides the positions"),
                (Dims::Vector(_), _) => Err("the number of dimensions of a launch is known at run time only"),
                _ if !on_host => Err("it is launched by a kernel"),
                _ => fit,
            };
        });
    };
    program.functions.iter().for_each(|(_, function)| look(&function.body, true));
    program.kernels.iter().for_each(|(_, kernel)| look(&kernel.body, false));
    fit
}

// ---- the kernel

/// Context of the loops over positions.
struct Regions<'b> {
    body: &'b mut Body,
    rank: usize,
    tiling: &'b Tiling,
    /// Number of positions and of iterations along each dimension. A local tiling has constant iteration counts.
    extents: Vec<VarId>,
    rounds: Vec<VarId>,
}

/// Adds the loops to a kernel. Returns whether the number of threads must divide the number of positions.
fn tile(kernel: &mut Kernel, tiling: &Tiling) -> Result<bool, &'static str> {
    if !kernel.parallel {
        return Err("its threads run in order");
    }
    if tiling.dims.as_ref().is_some_and(|dims| dims.len() != kernel.rank) {
        return Err("`dims` must have a number for each dimension of the position");
    }
    if tiling.local && tiling.dims.is_none() {
        return Err("a local tiling needs the extents of a tile in `dims`");
    }
    let explicit = kernel.body.block.iter().any(is_region) || has_region(&kernel.body.block);
    if !explicit && uses_blocks(&kernel.body.block) {
        return Err("it depends on the blocks of its threads");
    }
    let mut exact = false;
    let regions = |block: &Block, exact: &mut bool| {
        let mut sound = true;
        visit_stmts(block, &mut |stmt| {
            if let StmtKind::For { body, .. } = &stmt.kind
                && is_region(stmt)
            {
                sound &= !jumps_out(body, 0);
                *exact |= waits(body);
            }
        });
        sound
    };
    if !explicit {
        let block = std::mem::take(&mut kernel.body.block);
        let variable = kernel.body.temporary(int_type(), kernel.span);
        let range = build::range(int(0, kernel.span), int(0, kernel.span));
        let attributes = LoopAttributes { every_position: true, ..LoopAttributes::default() };
        kernel.body.block =
            vec![Stmt::new(StmtKind::For { variable, range, body: block, attributes }, kernel.span)];
    }
    if !regions(&kernel.body.block, &mut exact) {
        return Err("there is a jump out of a region for every position");
    }
    if exact && tiling.local {
        return Err("there are barriers where threads have several positions next to each other");
    }
    let mut add = |name: String| {
        let variable = kernel.body.variables.push(Variable::new(&name, int_type(), tiling.span));
        kernel.body.params.push(variable);
        variable
    };
    let extents = (0..kernel.rank).map(|k| add(format!("extent{k}"))).collect();
    let rounds = if tiling.local { 0 } else { kernel.rank };
    let rounds = (0..rounds).map(|k| add(format!("rounds{k}"))).collect();
    let mut block = std::mem::take(&mut kernel.body.block);
    let mut made = Regions { body: &mut kernel.body, rank: kernel.rank, tiling, extents, rounds };
    made.block(&mut block, None, exact);
    kernel.body.block = block;
    Ok(exact)
}

fn has_region(block: &Block) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| found |= is_region(stmt));
    found
}

fn uses_blocks(block: &Block) -> bool {
    let mut found = waits(block);
    visit_block(block, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(c, _) if !matches!(c, Coordinate::Position | Coordinate::WarpSize));
    });
    found
}

impl Regions<'_> {
    /// Replaces regions by loops; `position` is that of the enclosing region, if there is one.
    fn block(&mut self, block: &mut Block, position: Option<&[VarId]>, exact: bool) {
        for stmt in block {
            operands_mut(stmt, &mut |e| {
                transform(e, &mut |e| {
                    if let (ExprKind::Coordinate(Coordinate::Position, k), Some(position)) =
                        (&e.kind, position)
                    {
                        *e = build::local(position[*k], int_type(), e.span);
                    }
                });
            });
            if is_region(stmt) {
                self.region(stmt, exact);
            } else {
                blocks_mut(stmt, &mut |inner| self.block(inner, position, exact));
            }
        }
    }

    fn region(&mut self, stmt: &mut Stmt, exact: bool) {
        let span = stmt.span;
        let StmtKind::For { body, .. } = &mut stmt.kind else { return };
        let mut block = std::mem::take(body);
        let position: Vec<VarId> = (0..self.rank)
            .map(|k| self.body.variables.push(Variable::new(&format!("pos{k}"), int_type(), span)))
            .collect();
        self.block(&mut block, Some(&position), exact);
        if !exact {
            let inside = (0..self.rank).map(|k| {
                let sides = [position[k], self.extents[k]].map(|v| self.body.read(v, span));
                build::apply(row("less"), sides.to_vec(), int_type(), span)
            });
            let all =
                inside.reduce(|a, b| Expr::new(ExprKind::And(Box::new(a), Box::new(b)), int_type(), span));
            block = vec![build::choice(all.unwrap_or_else(|| int(1, span)), block, Vec::new(), span)];
        }
        for k in (0..self.rank).rev() {
            let round = self.body.temporary(int_type(), span);
            let place = self.place(k, self.body.read(round, span), span);
            block.insert(0, build::assign(position[k], place));
            let count = match (self.rounds.get(k), &self.tiling.dims) {
                (Some(rounds), _) => self.body.read(*rounds, span),
                (None, dims) => int(dims.as_ref().map_or(0, |dims| dims[k] as i32), span),
            };
            block = vec![for_each_round(round, count, std::mem::take(&mut block), span)];
        }
        if let Some(whole) = block.pop() {
            *stmt = whole;
        }
    }

    /// The position of a thread in an iteration.
    fn place(&self, k: usize, round: Expr, span: Span) -> Expr {
        let own = Expr::new(ExprKind::Coordinate(Coordinate::Position, k), int_type(), span);
        if let (true, Some(dims)) = (self.tiling.local, &self.tiling.dims) {
            return build::of_ints("add", build::of_ints("multiply", own, int(dims[k] as i32, span)), round);
        }
        let threads = Expr::new(ExprKind::Coordinate(Coordinate::LaunchDim, k), int_type(), span);
        build::of_ints("add", own, build::of_ints("multiply", round, threads))
    }
}

/// `for variable = 0..count-1`
pub(super) fn for_each_round(variable: VarId, count: Expr, body: Block, span: Span) -> Stmt {
    let last = match count.constant_int() {
        Some(count) => int(count - 1, span),
        None => build::of_ints("subtract", count, int(1, span)),
    };
    let (range, attributes) = (build::range(int(0, span), last), LoopAttributes::default());
    Stmt::new(StmtKind::For { variable, range, body, attributes }, span)
}

// ---- launches

fn row(name: &str) -> &'static quasar_devicelib::ops::Row {
    find(name).expect("a row that the table has")
}

/// `floor(a / b)` of non-negative numbers.
fn quotient(a: Expr, b: Expr) -> Expr {
    let (span, double) = (a.span, build::scalar_type(ElementType::Double));
    let parts = [a, b].map(|e| build::convert(e, &double)).to_vec();
    let exact = build::apply(row("divide"), parts, double.clone(), span);
    build::convert(build::apply(row("floor"), vec![exact], double, span), &int_type())
}

fn kept(body: &mut Body, out: &mut Block, value: Expr) -> Expr {
    let span = value.span;
    let variable = body.temporary(int_type(), span);
    out.push(build::assign(variable, value));
    body.read(variable, span)
}

/// The launch with fewer threads, preceded by the computation of their number.
fn launch(body: &mut Body, tiled: &BTreeMap<KernelId, Tiled>, mut stmt: Stmt) -> Block {
    let span = stmt.span;
    let StmtKind::Launch { kernel, dims: Dims::Each(dims), args, .. } = &mut stmt.kind else {
        return vec![stmt];
    };
    let Some(Tiled { tiling, exact }) = tiled.get(kernel) else { return vec![stmt] };
    let mut out = Block::new();
    let extents: Vec<Expr> = dims.iter().map(|dim| kept(body, &mut out, dim.clone())).collect();
    let mut room = int(FILLING_THREADS, span);
    let mut threads = Vec::new();
    for (k, extent) in extents.iter().enumerate().rev() {
        let size = tiling.dims.as_ref().map(|dims| int(dims[k] as i32, span));
        let count = match (tiling.local, size) {
            (true, Some(size)) => {
                let up = build::of_ints("subtract", size.clone(), int(1, span));
                quotient(build::of_ints("add", extent.clone(), up), size)
            }
            (_, Some(most)) => build::of_ints("min", extent.clone(), most),
            (_, None) => {
                build::of_ints("min", extent.clone(), build::of_ints("max", room.clone(), int(1, span)))
            }
        };
        let count = kept(body, &mut out, count);
        if *exact {
            divide(body, &mut out, extent, &count);
        }
        room = quotient(room, build::of_ints("max", count.clone(), int(1, span)));
        threads.push(count);
    }
    threads.reverse();
    let rounds = extents.iter().zip(&threads).map(|(extent, count)| {
        let least = build::of_ints("max", count.clone(), int(1, span));
        let up = build::of_ints("subtract", least.clone(), int(1, span));
        quotient(build::of_ints("add", extent.clone(), up), least)
    });
    let rounds: Vec<Expr> = if tiling.local { Vec::new() } else { rounds.collect() };
    args.extend(extents.into_iter().chain(rounds));
    *dims = threads;
    out.push(stmt);
    out
}

/// Decreases the number of threads until it divides the number of positions.
fn divide(body: &Body, out: &mut Block, extent: &Expr, count: &Expr) {
    let ExprKind::Local(variable) = count.kind else { return };
    let span = count.span;
    let compare =
        |name: &str, a: Expr, b: i32| build::apply(row(name), vec![a, int(b, span)], int_type(), span);
    let rest = build::of_ints("mod", extent.clone(), count.clone());
    let [some, left] = [compare("greater", count.clone(), 1), compare("not_equal", rest, 0)].map(Box::new);
    let condition = Expr::new(ExprKind::And(some, left), int_type(), span);
    let less = build::assign(variable, build::of_ints("subtract", body.read(variable, span), int(1, span)));
    out.push(Stmt::new(StmtKind::While { condition, body: vec![less] }, span));
}
