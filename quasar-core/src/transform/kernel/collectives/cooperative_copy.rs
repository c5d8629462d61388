//! Distributes loops and reductions over the threads of a block.

use super::Collectives;
use super::scalarize::{Before, Refused, accumulate, binary, extents, for_each, row, shared_array, unravel};
use crate::ir::build::{self, int, int_type};
use crate::ir::{Block, Coordinate, Expr, ExprKind, Index, Scope, Stmt, StmtKind, VarId, VarSet};
use crate::source::Span;
use crate::target::gpu::BLOCK_THREADS;
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::Row;

/// Which threads execute the iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Participants {
    /// Each thread executes all of them.
    Each,
    /// The threads of the block share them.
    Block,
    /// The threads whose positions are inside the launch share them: stores of padding threads to memory other than
    /// shared memory are dropped.
    InLaunch,
}

/// Creates the body of a distributed loop for a multi-index.
type Inside<'f, 's> = dyn FnMut(&mut Collectives<'s>, &[Expr]) -> Result<Block, Refused> + 'f;

impl<'s> Collectives<'s> {
    fn coordinate(&self, coordinate: Coordinate, axis: usize, span: Span) -> Expr {
        Expr::new(ExprKind::Coordinate(coordinate, axis), int_type(), span)
    }

    /// The number of participating threads along an axis.
    fn threads(&self, who: Participants, axis: usize, span: Span) -> Expr {
        let block = self.coordinate(Coordinate::BlockDim, axis, span);
        if who != Participants::InLaunch {
            return block;
        }
        let index = self.coordinate(Coordinate::BlockIndex, axis, span);
        let first = binary("multiply", index, block.clone());
        let left = binary("subtract", self.coordinate(Coordinate::LaunchDim, axis, span), first);
        binary("min", block, left)
    }

    /// The linear index of a thread along the first axes, and the number of threads.
    fn rank(&self, who: Participants, axes: usize, span: Span) -> (Expr, Expr) {
        let (mut number, mut count) = (int(0, span), int(1, span));
        for axis in 0..axes {
            let threads = self.threads(who, axis, span);
            number = binary("multiply", number, threads.clone());
            number = binary("add", number, self.coordinate(Coordinate::BlockPosition, axis, span));
            count = binary("multiply", count, threads);
        }
        (number, count)
    }

    /// Statements for threads whose positions are inside the launch.
    pub(super) fn present_only(&mut self, block: Block, span: Span) -> Stmt {
        let inside = |this: &Self, axis| {
            let position = this.coordinate(Coordinate::Position, axis, span);
            let end = this.coordinate(Coordinate::LaunchDim, axis, span);
            build::apply(row("less"), vec![position, end], int_type(), span)
        };
        let first = inside(self, 0);
        let all = (1..self.rank).fold(first, |all, axis| binary("and", all, inside(self, axis)));
        build::choice(all, block, Vec::new(), span)
    }

    /// Statements for one thread of the block.
    pub(super) fn first_only(&self, block: Block, span: Span) -> Stmt {
        let (number, _) = self.rank(Participants::Block, self.rank, span);
        let first = build::apply(row("equal"), vec![number, int(0, span)], int_type(), span);
        build::choice(first, block, Vec::new(), span)
    }

    /// Distributed loops over a box. `inside` receives the multi-index.
    pub(super) fn spread(
        &mut self,
        counts: &[Expr],
        who: Participants,
        span: Span,
        inside: &mut Inside<'_, 's>,
    ) -> Result<Stmt, Refused> {
        let flat = who != Participants::Each && counts.len() > 1 && self.rank == 1;
        let boxed = counts.to_vec();
        let loops = if flat {
            vec![
                boxed.iter().cloned().reduce(|a, b| binary("multiply", a, b)).unwrap_or_else(|| int(1, span)),
            ]
        } else {
            boxed.clone()
        };
        let variables: Vec<VarId> = loops.iter().map(|_| self.body.temporary(int_type(), span)).collect();
        let values: Vec<Expr> = variables.iter().map(|v| self.body.read(*v, span)).collect();
        let mut block = Block::new();
        let at = match flat {
            false => values,
            true => {
                unravel(&values[0], &boxed).into_iter().map(|place| self.kept(place, &mut block)).collect()
            }
        };
        block.append(&mut inside(self, &at)?);
        for (axis, count) in loops.into_iter().enumerate().rev() {
            let (from, step) = self.share_of(axis, variables.len(), who, span);
            block =
                vec![for_each(variables[axis], from, step, binary("subtract", count, int(1, span)), block)];
        }
        block.pop().ok_or((span, "an array without dimensions in shared memory"))
    }

    /// Assigns a value to a temporary.
    fn kept(&mut self, value: Expr, block: &mut Block) -> Expr {
        let (variable, span) = (self.body.temporary(int_type(), value.span), value.span);
        block.push(build::assign(variable, value));
        self.body.read(variable, span)
    }

    /// The start and the stride of a thread along an axis of the box: the last axes map to the last axes of the block,
    /// and the first one to all remaining axes.
    fn share_of(&self, axis: usize, axes: usize, who: Participants, span: Span) -> (Expr, Option<Expr>) {
        let behind = axes - 1 - axis;
        if who == Participants::Each || behind >= self.rank {
            return (int(0, span), None);
        }
        if axis == 0 {
            let (number, count) = self.rank(who, self.rank - behind, span);
            return (number, Some(count));
        }
        let own = self.rank - 1 - behind;
        (self.coordinate(Coordinate::BlockPosition, own, span), Some(self.threads(who, own, span)))
    }

    /// A full reduction of an array expression, by all threads of the block `together` or redundantly by each thread.
    pub(super) fn fold(
        &mut self,
        fold: &'static Row,
        arg: &Expr,
        ty: &Type,
        together: bool,
        out: &mut Block,
    ) -> Result<Expr, Refused> {
        let span = arg.span;
        let counts = extents(arg)?;
        self.check_operands(arg, out)?;
        let sum = self.body.temporary(ty.clone(), span);
        let who = if together { Participants::Block } else { Participants::Each };
        let mut once = Block::new();
        let rounds = self.spread(&counts, who, span, &mut |this, at| {
            let mut before = Before { body: &mut this.body, once: Block::new(), each: Block::new() };
            let value = build::convert(before.element(arg, at)?, ty);
            let Before { once: first, each: mut inside, .. } = before;
            once.extend(first);
            inside.push(accumulate(&this.body, sum, fold, value));
            Ok(inside)
        })?;
        out.append(&mut once);
        out.push(build::assign(sum, build::neutral(fold, ty, span)));
        out.push(rounds);
        let own = self.body.read(sum, span);
        if !together {
            return Ok(own);
        }
        let all = self.combined(own, fold, ty, out);
        let result = self.body.temporary(ty.clone(), span);
        self.alike.insert(result);
        out.push(build::assign(result, all));
        Ok(self.body.read(result, span))
    }

    /// Tree reduction over the threads of the block in shared memory.
    fn combined(&mut self, own: Expr, fold: &'static Row, ty: &Type, out: &mut Block) -> Expr {
        let span = own.span;
        let parts = self.parts(ty, span);
        let part = self.body.read(parts, span);
        let (number, threads) = self.rank(Participants::Block, self.rank, span);
        let at = |k: Expr| build::load(part.clone(), vec![k], Boundary::Unchecked, span);
        let store = |k: Expr, value: Expr| {
            let index = vec![Index::At(k)];
            let kind = StmtKind::Store { array: part.clone(), index, boundary: Boundary::Unchecked, value };
            Stmt::new(kind, span)
        };
        let barrier = || Stmt::new(StmtKind::Barrier(Scope::Block), span);
        self.touch(&VarSet::new(), &VarSet::from([parts]), &VarSet::new(), out, span);
        out.push(store(number.clone(), own));
        out.push(barrier());
        let step = self.body.temporary(int_type(), span);
        let distance = self.body.read(step, span);
        let compare = |name, a: Expr, b: Expr| build::apply(row(name), vec![a, b], int_type(), span);
        let other = binary("add", number.clone(), distance.clone());
        let both = [
            compare("less", number.clone(), distance.clone()),
            compare("less", other.clone(), threads.clone()),
        ];
        let [first, second] = both.map(Box::new);
        let takes_part = Expr::new(ExprKind::And(first, second), int_type(), span);
        let value = build::apply(fold, vec![at(number.clone()), at(other)], ty.clone(), span);
        let body = vec![
            build::choice(takes_part, vec![store(number, value)], Vec::new(), span),
            barrier(),
            build::assign(step, binary("shr", distance.clone(), int(1, span))),
        ];
        let power = build::apply(row("nextpow2"), vec![threads], int_type(), span);
        out.push(build::assign(step, binary("shr", power, int(1, span))));
        let condition = compare("greater", distance, int(0, span));
        out.push(Stmt::new(StmtKind::While { condition, body }, span));
        self.clear();
        self.note_reads(&VarSet::from([parts]));
        at(int(0, span))
    }

    /// Shared scratch memory with one element per thread.
    fn parts(&mut self, ty: &Type, span: Span) -> VarId {
        if let Some((_, known)) = self.parts.iter().find(|(known, _)| build::same_type(known, ty)) {
            return *known;
        }
        let variable = shared_array(&mut self.body, ty, BLOCK_THREADS, span);
        let dims = vec![int(BLOCK_THREADS as i32, span)];
        self.front.push(Stmt::new(StmtKind::Shared { variable, dims, zeroed: false }, span));
        self.parts.push((ty.clone(), variable));
        self.shared.insert(variable);
        variable
    }
}
