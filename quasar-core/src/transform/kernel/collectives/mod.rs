//! Collectives on `'shared` variables: operations on them that are uniform over the block are distributed over its
//! threads.
//!
//! ```text
//! S : 'shared = x[0..63]     shared(S, 64)
//!                            for k = thread..threads..63 { S[k] = x[k] }
//!                            barrier
//! y[:] += S                  for k = thread..threads..63 { atomic y[k] += S[k] }
//! m = sum(S)                 each thread sums its share; a tree adds the sums
//! ```
//!
//! Divergent code stays with each thread. A barrier separates two accesses of one element by different threads, as long
//! as control flow is uniform. Before this pass a `'shared` variable has the semantics of a private one.

pub mod as_written;
mod cooperative_copy;
mod distribute_loops;
mod scalarize;
mod within_tiles;

use crate::analysis::barrier_intervals::jumps;
use crate::analysis::tile_origin::Tile;
use crate::analysis::uniformity::{AssumedTiles, Uniformity};
use crate::ir::build::{self, int};
use crate::ir::rewrite::{
    blocks, blocks_mut, operands, operands_mut, root, sets, transform, variables, visit, visit_stmts,
};
use crate::ir::{
    Block, Body, Expr, ExprKind, Index, Kernel, Program, Scope, Stmt, StmtKind, Storage, VarId, VarSet,
};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::transform::messages;
use crate::types::{Boundary, Type};
use cooperative_copy::Participants;
use quasar_devicelib::ops::find;
use scalarize::{Before, Refused, agree, extents, moves, operand_extents, positions, selected};
use std::collections::BTreeSet;

/// Expands the `'shared` variables of all kernels.
pub fn run(program: &mut Program, sink: &mut Sink) {
    for id in program.kernels.ids().collect::<Vec<_>>() {
        let declared = declared(&program.kernels[id].body);
        if !declared.is_empty() {
            within_tiles::expand_kernel(program, id, &declared, sink);
        }
    }
}

/// The `'shared` variables that are assigned values.
pub fn declared(body: &Body) -> VarSet {
    let mut found = VarSet::new();
    visit_stmts(&body.block, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::Assign { .. }) {
            sets(stmt, &mut |v| {
                if body.variables[*v].storage == Storage::Shared {
                    found.insert(*v);
                }
            });
        }
    });
    found
}

/// Expands the `'shared` variables of a kernel whose blocks are assumed to lie within tiles. Returns the tiles that this
/// relies on.
fn expand(
    kernel: &mut Kernel,
    declared: VarSet,
    covers: Box<dyn Fn(Tile) -> bool>,
    sink: &mut Sink,
) -> BTreeSet<Tile> {
    let assumed = kernel.declared_uniform();
    let tiles = AssumedTiles::of(&kernel.body, covers);
    let alike = Uniformity::of(kernel, &declared, &assumed, tiles);
    let block = std::mem::take(&mut kernel.body.block);
    let reads = distribute_loops::counted_reads(&block);
    let mut expansion = Collectives {
        rank: kernel.rank,
        divergent: kernel.attributes.divergent.clone(),
        body: std::mem::take(&mut kernel.body),
        alike,
        shared: declared,
        allocated: Vec::new(),
        reads,
        front: Block::new(),
        parts: Vec::new(),
        written: VarSet::new(),
        added: VarSet::new(),
        read: VarSet::new(),
        loops: 0,
        sink,
    };
    let mut whole = Block::new();
    expansion.block(block, true, &mut whole);
    let tiles = expansion.alike.tiles();
    let mut body = expansion.body;
    body.block = expansion.front;
    body.block.append(&mut whole);
    kernel.body = body;
    tiles
}

struct Collectives<'s> {
    rank: usize,
    /// Stores that each thread does for itself, whatever is known of them by now.
    divergent: Vec<Span>,
    body: Body,
    alike: Uniformity,
    /// The shared arrays that this pass manages.
    shared: VarSet,
    /// Those already allocated, with their extents.
    allocated: Vec<(VarId, Vec<Expr>)>,
    /// How often each variable is read in the whole kernel.
    reads: distribute_loops::Reads,
    /// Statements for the start of the kernel.
    front: Block,
    /// Scratch memory for reductions, by element type.
    parts: Vec<(Type, VarId)>,
    /// Shared arrays stored to, added to or read by any thread since the last barrier.
    written: VarSet,
    added: VarSet,
    read: VarSet,
    /// Nesting depth of loops and branches around the current statement.
    loops: u32,
    sink: &'s mut Sink,
}

impl Collectives<'_> {
    // ---- accesses since the last barrier

    fn clear(&mut self) {
        self.written = VarSet::new();
        self.added = VarSet::new();
        self.read = VarSet::new();
    }

    fn note_reads(&mut self, reads: &VarSet) {
        self.read.add(reads);
    }

    /// Records accesses; emits a barrier first if other threads may have touched the same arrays.
    fn touch(&mut self, reads: &VarSet, writes: &VarSet, adds: &VarSet, out: &mut Block, span: Span) {
        let meet = |a: &VarSet, b: &VarSet| a.iter().any(|v| b.contains(&v));
        let hazard = meet(reads, &self.written)
            || meet(reads, &self.added)
            || meet(writes, &self.written)
            || meet(writes, &self.added)
            || meet(writes, &self.read)
            || meet(adds, &self.written)
            || meet(adds, &self.read);
        if hazard {
            out.push(Stmt::new(StmtKind::Barrier(Scope::Block), span));
            self.clear();
        }
        self.read.add(reads);
        self.written.add(writes);
        self.added.add(adds);
    }

    /// The shared arrays that statements read, store to and add to.
    fn accesses(&self, block: &[Stmt]) -> [VarSet; 3] {
        let [mut reads, mut writes, mut adds] = [VarSet::new(), VarSet::new(), VarSet::new()];
        visit_stmts(block, &mut |stmt| {
            let mut note = |e: &Expr| reads.add(&self.shared_in(e));
            match &stmt.kind {
                StmtKind::Store { array, index, value, .. }
                | StmtKind::Update { array, index, value, .. } => {
                    note(value);
                    index_operands(index, &mut note);
                    if let Some(v) = root(array).filter(|v| self.shared.contains(v)) {
                        let add = matches!(stmt.kind, StmtKind::Update { .. });
                        if add {
                            adds.insert(v)
                        } else {
                            writes.insert(v)
                        };
                    }
                }
                // Functions may write to their arguments.
                StmtKind::Exchange { .. } | StmtKind::Call { .. } => operands(stmt, &mut |e| {
                    reads.add(&self.shared_in(e));
                    if let Some(v) = root(e).filter(|v| self.shared.contains(v)) {
                        writes.insert(v);
                    }
                }),
                StmtKind::Assign { variable, .. } if self.shared.contains(variable) => {
                    operands(stmt, &mut note);
                    writes.insert(*variable);
                }
                _ => operands(stmt, &mut note),
            }
        });
        [reads, writes, adds]
    }

    fn touch_all(&mut self, block: &[Stmt], out: &mut Block) {
        let Some(first) = block.first() else { return };
        let [reads, writes, adds] = self.accesses(block);
        self.touch(&reads, &writes, &adds, out, first.span);
    }

    /// The shared arrays whose elements an expression reads.
    fn shared_in(&self, expr: &Expr) -> VarSet {
        let mut found = VarSet::new();
        let mut sizes = VarSet::new();
        visit(expr, &mut |e| match &e.kind {
            ExprKind::Extent(array, _) | ExprKind::Count(array) => sizes.add(&variables(array)),
            ExprKind::Local(v) if self.shared.contains(v) => {
                found.insert(*v);
            }
            _ => {}
        });
        // An array used only for its extents is not read. If it also occurs otherwise, an unnecessary barrier is
        // harmless.
        let mut elements = VarSet::new();
        visit(expr, &mut |e| match &e.kind {
            ExprKind::Load { array, .. } => elements.add(&variables(array)),
            ExprKind::Apply { args, .. } | ExprKind::Library { args, .. } => {
                args.iter()
                    .filter(|arg| matches!(arg.ty, Type::Array(_)))
                    .for_each(|arg| elements.add(&variables(arg)));
            }
            _ => {}
        });
        found.retain(|v| !sizes.contains(v) || elements.contains(v));
        found
    }

    fn mentions(&self, block: &[Stmt]) -> bool {
        let [reads, writes, adds] = self.accesses(block);
        !(reads.is_empty() && writes.is_empty() && adds.is_empty())
    }

    // ---- statements

    fn refuse(&mut self, (span, what): Refused) {
        self.sink.push(Message::not_supported(span, what));
    }

    fn block(&mut self, block: Block, together: bool, out: &mut Block) {
        for stmt in block {
            if let Err(refused) = self.stmt(stmt, together, out) {
                self.refuse(refused);
            }
        }
    }

    fn stmt(&mut self, mut stmt: Stmt, together: bool, out: &mut Block) -> Result<(), Refused> {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign { variable, value } if self.shared.contains(variable) => {
                let (variable, value) = (*variable, value.clone());
                return self.initialise(variable, value, together, span, out);
            }
            StmtKind::Barrier(Scope::Block | Scope::Grid | Scope::Host) => {
                self.clear();
                out.push(stmt);
                return Ok(());
            }
            _ if !self.mentions(std::slice::from_ref(&stmt)) => {
                out.push(stmt);
                return Ok(());
            }
            StmtKind::For { .. } if together => {
                if let Some(done) = self.distribute_loop(&stmt, out)? {
                    out.extend(done);
                    return Ok(());
                }
            }
            _ => {}
        }
        let again = self.folds(&mut stmt, together, out)?;
        match &stmt.kind {
            StmtKind::Store { .. } | StmtKind::Update { .. } => self.store(stmt, together, out),
            StmtKind::If { .. } => self.choice(stmt, together, out),
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. } => {
                self.looped(stmt, together, again, out)
            }
            _ => {
                if together {
                    self.touch_all(std::slice::from_ref(&stmt), out);
                }
                out.push(stmt);
                Ok(())
            }
        }
    }

    fn choice(&mut self, stmt: Stmt, together: bool, out: &mut Block) -> Result<(), Refused> {
        let span = stmt.span;
        let StmtKind::If { condition, then, otherwise } = stmt.kind else { return Ok(()) };
        let inside = together && self.alike.expr(&condition);
        if together {
            self.touch(&self.shared_in(&condition), &VarSet::new(), &VarSet::new(), out, span);
            if !inside {
                self.touch_all(&then, out);
                self.touch_all(&otherwise, out);
            }
        }
        let before = (self.written.clone(), self.added.clone(), self.read.clone());
        self.loops += 1;
        let mut ways = [Block::new(), Block::new()];
        self.block(then, inside, &mut ways[0]);
        let after = std::mem::replace(&mut self.written, before.0);
        let (added, read) =
            (std::mem::replace(&mut self.added, before.1), std::mem::replace(&mut self.read, before.2));
        self.block(otherwise, inside, &mut ways[1]);
        self.written.add(&after);
        self.added.add(&added);
        self.read.add(&read);
        self.loops -= 1;
        let [then, otherwise] = ways;
        out.push(Stmt::new(StmtKind::If { condition, then, otherwise }, span));
        Ok(())
    }

    /// A loop. If it is uniform, the block executes it in lockstep. `again` recomputes what its condition needs after
    /// each iteration.
    fn looped(
        &mut self,
        mut stmt: Stmt,
        together: bool,
        mut again: Block,
        out: &mut Block,
    ) -> Result<(), Refused> {
        let span = stmt.span;
        let mut inside = together;
        operands(&stmt, &mut |e| inside &= self.alike.expr(e));
        blocks(&stmt, &mut |block| inside &= !jumps(block));
        if together {
            // An earlier iteration may have made every access of the loop.
            self.touch_all(std::slice::from_ref(&stmt), out);
        }
        self.loops += 1;
        let mut conditions = VarSet::new();
        operands(&stmt, &mut |e| conditions.add(&self.shared_in(e)));
        let waits = inside && !matches!(stmt.kind, StmtKind::For { .. });
        let waits = waits && !(conditions.is_empty() && again.is_empty());
        blocks_mut(&mut stmt, &mut |block| {
            let mut new = Block::new();
            self.block(std::mem::take(block), inside, &mut new);
            *block = new;
        });
        if let StmtKind::While { body, .. } | StmtKind::Repeat { test: body, .. } = &mut stmt.kind {
            if waits {
                body.push(Stmt::new(StmtKind::Barrier(Scope::Block), span));
            }
            body.append(&mut again);
        }
        self.loops -= 1;
        out.push(stmt);
        Ok(())
    }

    /// Computes the reductions of shared arrays in a statement in front of it. Returns the statements that recompute
    /// those in the condition of a loop after each iteration.
    fn folds(&mut self, stmt: &mut Stmt, together: bool, out: &mut Block) -> Result<Block, Refused> {
        let mut in_condition = matches!(stmt.kind, StmtKind::While { .. });
        blocks(stmt, &mut |block| in_condition &= jumps(block));
        let mut made = Block::new();
        let mut failed = None;
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if failed.is_some() || self.shared_in(e).is_empty() {
                    return;
                }
                if in_condition && fold_of(e).is_some() {
                    failed = Some((e.span, "a fold of shared memory in the condition of a loop with jumps"));
                    return;
                }
                match self.folded(e, together, &mut made) {
                    Ok(Some(value)) => *e = value,
                    Ok(None) => {}
                    Err(refused) => failed = Some(refused),
                }
            });
        });
        if let Some(refused) = failed {
            return Err(refused);
        }
        match &stmt.kind {
            StmtKind::Repeat { .. } => Ok(made),
            StmtKind::While { .. } => {
                out.extend(made.iter().cloned());
                Ok(made)
            }
            _ => {
                out.append(&mut made);
                Ok(Block::new())
            }
        }
    }

    fn folded(&mut self, e: &Expr, together: bool, out: &mut Block) -> Result<Option<Expr>, Refused> {
        let Some((row, arg, mean)) = fold_of(e) else { return Ok(None) };
        let Some(row) = find(row) else { return Ok(None) };
        let together = together && self.alike.expr(arg);
        if together {
            self.touch(&self.shared_in(arg), &VarSet::new(), &VarSet::new(), out, e.span);
        }
        let value = self.fold(row, arg, &e.ty, together, out)?;
        if together {
            self.sink.push(messages::together(e.span, "Parallel reduction over the threads of a block."));
        }
        if !mean {
            return Ok(Some(value));
        }
        let counts = extents(arg)?.into_iter().reduce(|a, b| scalarize::binary("multiply", a, b));
        let count = build::convert(counts.unwrap_or_else(|| int(1, e.span)), &e.ty);
        let divide = scalarize::row("divide");
        Ok(Some(build::apply(divide, vec![value, count], e.ty.clone(), e.span)))
    }

    // ---- values

    /// `S = value`
    fn initialise(
        &mut self,
        variable: VarId,
        value: Expr,
        together: bool,
        span: Span,
        out: &mut Block,
    ) -> Result<(), Refused> {
        if !together {
            return Err((
                span,
                "a value for an array that is declared 'shared where not all threads of the block come by",
            ));
        }
        if !self.alike.expr(&value) {
            let name = self.body.variables[variable].name.clone();
            self.sink.push(messages::not_alike(value.span, &name));
            return Ok(());
        }
        if moves(&value, variable) {
            return Err((
                span,
                "a value for an array that is declared 'shared made of other elements of the same array",
            ));
        }
        let counts = extents(&value)?;
        let fill = match &value.kind {
            ExprKind::Library { name: "uninit", .. } => None,
            ExprKind::Library { name: "zeros", .. } => Some(true),
            _ => Some(false),
        };
        let new = self.allocate(variable, &counts, fill == Some(true), span, out)?;
        match fill {
            None => return Ok(()),
            Some(true) if new => {
                self.written.insert(variable);
                return Ok(());
            }
            Some(_) => {}
        }
        self.check_operands(&value, out)?;
        self.touch(&self.shared_in(&value), &VarSet::from([variable]), &VarSet::new(), out, span);
        let array = self.body.read(variable, span);
        let place = Place { array, index: vec![Index::All; counts.len()], boundary: Boundary::Unchecked };
        self.each_element(&place, &counts, &value, Participants::Block, None, span, out)?;
        let name = &self.body.variables[variable].name;
        let text = format!("'{name}' is fetched into shared memory by the threads of a block together.");
        self.sink.push(messages::together(span, &text));
        Ok(())
    }

    /// Allocates a variable unless it is allocated already. Returns whether it is zeroed now.
    fn allocate(
        &mut self,
        variable: VarId,
        counts: &[Expr],
        zeroed: bool,
        span: Span,
        out: &mut Block,
    ) -> Result<bool, Refused> {
        if let Some((_, known)) = self.allocated.iter().find(|(known, _)| *known == variable) {
            if agree(known, counts).is_some() {
                return Err((span, "values of several sizes for an array that is declared 'shared"));
            }
            return Ok(false);
        }
        self.allocated.push((variable, counts.to_vec()));
        let allocation = |zeroed| StmtKind::Shared { variable, dims: counts.to_vec(), zeroed };
        if self.loops == 0 {
            out.push(Stmt::new(allocation(zeroed), span));
            return Ok(zeroed);
        }
        let given = |v: VarId| self.body.params.contains(&v);
        if !counts.iter().all(|count| variables(count).iter().all(given)) {
            return Err((span, "shared memory in a loop or branch whose size is computed in the kernel"));
        }
        self.front.push(Stmt::new(allocation(false), span));
        Ok(false)
    }

    /// Emits a run-time check that the operands have the same extents.
    fn check_operands(&mut self, value: &Expr, out: &mut Block) -> Result<(), Refused> {
        let mut found = Vec::new();
        operand_extents(value, &mut found)?;
        let Some((first, others)) = found.split_first() else { return Ok(()) };
        for other in others {
            self.check_sizes(first, other, value.span, out);
        }
        Ok(())
    }

    fn check_sizes(&mut self, a: &[Expr], b: &[Expr], span: Span, out: &mut Block) {
        if let Some(condition) = agree(a, b) {
            let text = "the dimensions agree".to_string();
            let message = vec![Expr::new(ExprKind::Text("dimensions do not match".into()), Type::Text, span)];
            out.push(Stmt::new(StmtKind::Assert { condition, text, message }, span));
        }
    }

    /// A store or update that involves shared memory.
    fn store(&mut self, stmt: Stmt, together: bool, out: &mut Block) -> Result<(), Refused> {
        let span = stmt.span;
        let (place, value, update) = match stmt.kind.clone() {
            StmtKind::Store { array, index, boundary, value } => {
                (Place { array, index, boundary }, value, None)
            }
            StmtKind::Update { array, index, boundary, row, value, atomic, result } => {
                (Place { array, index, boundary }, value, Some(Update { row, atomic, result }))
            }
            _ => return Ok(()),
        };
        let slices = place.index.iter().any(|i| !matches!(i, Index::At(_) | Index::Position(_)));
        let target = root(&place.array);
        let own = target.is_some_and(|v| self.shared.contains(&v));
        if !own && self.shared_in(&value).is_empty() && !slices {
            if together {
                self.touch_all(std::slice::from_ref(&stmt), out);
            }
            out.push(stmt);
            return Ok(());
        }
        let mut alike = self.alike.expr(&value);
        index_operands(&place.index, &mut |e| alike &= self.alike.expr(e));
        let unused = update.as_ref().is_none_or(|update| update.result.is_none());
        let own_stores = self.divergent.binary_search(&span).is_ok();
        let once = together && alike && unused && !own_stores && (own || !self.shared_in(&value).is_empty());
        if together {
            self.touch_all(std::slice::from_ref(&stmt), out);
        }
        if !slices {
            out.push(match update {
                _ if once => self.first_only(vec![of_block(stmt)], span),
                // Padding threads must not contribute to what a block accumulates.
                Some(Update { result: None, .. }) if own => self.present_only(vec![stmt], span),
                _ => stmt,
            });
            return Ok(());
        }
        if target.is_some_and(|v| moves(&value, v)) {
            return Err((span, "storing elements of shared memory elsewhere in the same array"));
        }
        let counts = selected(&place.array, &place.index)?;
        if matches!(value.ty, Type::Array(_)) {
            self.check_sizes(&counts, &extents(&value)?, span, out);
            self.check_operands(&value, out)?;
        }
        let who = match (once, own) {
            (false, _) => Participants::Each,
            (true, true) => Participants::Block,
            (true, false) => Participants::InLaunch,
        };
        self.each_element(&place, &counts, &value, who, update, span, out)?;
        if once && !own {
            let text = "Elements of shared memory are stored by the threads of a block together.";
            self.sink.push(messages::together(span, text));
        }
        Ok(())
    }

    /// Stores a value to all elements that the indices select.
    #[allow(clippy::too_many_arguments, reason = "the parts of one store")]
    fn each_element(
        &mut self,
        place: &Place,
        counts: &[Expr],
        value: &Expr,
        who: Participants,
        update: Option<Update>,
        span: Span,
        out: &mut Block,
    ) -> Result<(), Refused> {
        let element = match &place.array.ty {
            Type::Array(array) => (*array.element).clone(),
            other => other.clone(),
        };
        let mut once = Block::new();
        let rounds = self.spread(counts, who, span, &mut |this, at| {
            let mut before = Before { body: &mut this.body, once: Block::new(), each: Block::new() };
            let value = build::convert(before.element(value, at)?, &element);
            let Before { once: first, each: mut inside, .. } = before;
            once.extend(first);
            let Place { array, boundary, .. } = place.clone();
            let index = positions(&place.index, at);
            let kind = match &update {
                None => StmtKind::Store { array, index, boundary, value },
                Some(Update { row, atomic, result }) => {
                    let (atomic, result) = (*atomic || who == Participants::InLaunch, *result);
                    StmtKind::Update { array, index, boundary, row, value, atomic, result }
                }
            };
            inside.push(Stmt::new(kind, span));
            Ok(inside)
        })?;
        out.append(&mut once);
        out.push(rounds);
        Ok(())
    }
}

/// An update by one thread for its block becomes atomic, since other blocks may run the same one concurrently.
fn of_block(mut stmt: Stmt) -> Stmt {
    if let StmtKind::Update { atomic, .. } = &mut stmt.kind {
        *atomic = true;
    }
    stmt
}

/// The target of a store.
#[derive(Clone)]
struct Place {
    array: Expr,
    index: Vec<Index>,
    boundary: Boundary,
}

/// The operation of an update.
struct Update {
    row: &'static quasar_devicelib::ops::Row,
    atomic: bool,
    result: Option<VarId>,
}

/// Visits the expressions in indices.
fn index_operands(index: &[Index], f: &mut dyn FnMut(&Expr)) {
    for each in index {
        match each {
            Index::At(e) | Index::List(e) | Index::Position(e) => f(e),
            Index::Range(range) => {
                crate::analysis::barrier_intervals::ends(range).into_iter().for_each(&mut *f)
            }
            Index::All => {}
        }
    }
}

/// A full reduction to a scalar: its operation, its operand, and whether it is a mean.
fn fold_of(e: &Expr) -> Option<(&'static str, &Expr, bool)> {
    match &e.kind {
        ExprKind::Reduce { row, arg, axis: None } => Some((row.name, arg, false)),
        ExprKind::Library { name: "mean", args } if args.len() == 1 => {
            matches!(e.ty, Type::Scalar(..)).then_some(("add", &args[0], true))
        }
        _ => None,
    }
}
