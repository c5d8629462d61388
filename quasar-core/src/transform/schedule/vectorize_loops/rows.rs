//! Elements along rows as arrays of as many elements as there are lanes, which are read before the lanes go on and written behind
//! them.

use super::accesses::Access;
use super::elements::element;
use super::{add, sub};
use crate::ir::build::{self, int};
use crate::ir::rewrite::{operands_mut, same_indices, transform, transform_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Stmt, StmtKind, VarId, build::range};
use crate::types::Boundary;
use crate::types::known::scalar;
use quasar_devicelib::ops::find;

/// The elements of one place for all lanes.
struct Row {
    array: VarId,
    index: Vec<Index>,
    /// The array that holds them.
    lanes: VarId,
    /// Whether they are read first.
    read: bool,
    written: bool,
    /// Whether the last lane has the first element.
    reversed: bool,
}

/// The rows of the lanes of a loop.
pub(super) struct Rows {
    rows: Vec<Row>,
    count: u32,
    /// Whether the first lane has the last iteration, as all rows are reversed.
    flipped: bool,
}

impl Rows {
    /// Those that a loop reads and writes.
    pub(super) fn new(body: &mut Body, accesses: &[Access], count: u32) -> Rows {
        let mut rows: Vec<Row> = Vec::new();
        // Values are read before they are stored, also within a statement.
        let along = |access: &&Access| matches!(access.moves(), Some(1 | -1));
        for access in accesses.iter().filter(along).filter(|access| access.is_direct()) {
            let known = rows.iter_mut().find(|row| row.array == access.variable && access.is_at(&row.index));
            if let Some(row) = known {
                row.written |= access.stores;
                continue;
            }
            let Some(element) = element(&body.variables[access.variable].ty) else { continue };
            let ty = build::sized_type(element, vec![Some(count)]);
            let lanes = body.temporary(ty, access.array.span);
            let (array, index) = (access.variable, access.index.clone());
            let (written, reversed) = (access.stores, access.is_reversed());
            rows.push(Row { array, index, lanes, read: !written, written, reversed });
        }
        let flipped = !rows.is_empty() && rows.iter().all(|row| row.reversed);
        Rows { rows, count, flipped }
    }

    /// What reads the rows, where the loop variable has the value of the first lane.
    pub(super) fn reads(&self, body: &Body) -> Block {
        let each = self.rows.iter().map(|row| {
            let lanes = self.lanes(body, row);
            let value = if row.read {
                let array = body.read(row.array, lanes.span);
                let kind = ExprKind::Load {
                    array: Box::new(array),
                    index: self.part(row),
                    boundary: Boundary::Unchecked,
                };
                Expr::new(kind, lanes.ty.clone(), lanes.span)
            } else {
                let element = element(&lanes.ty).unwrap_or_else(build::int_type);
                let zero = find("add").expect("a row that the table has");
                let zero = build::neutral(zero, &element, lanes.span);
                Expr::new(ExprKind::Array(vec![zero; self.count as usize]), lanes.ty.clone(), lanes.span)
            };
            build::assign(row.lanes, value)
        });
        each.collect()
    }

    /// What writes the rows, where the loop variable has the value of the first lane.
    pub(super) fn writes(&self, body: &Body) -> Block {
        let written = self.rows.iter().filter(|row| row.written);
        let each = written.map(|row| {
            let value = self.lanes(body, row);
            let (array, span) = (body.read(row.array, value.span), value.span);
            let store =
                StmtKind::Store { array, index: self.part(row), boundary: Boundary::Unchecked, value };
            Stmt::new(store, span)
        });
        each.collect()
    }

    /// How many iterations behind the first one that of a lane is.
    pub(super) fn iteration(&self, lane: &Expr) -> Expr {
        if self.flipped { self.counted_back(lane) } else { lane.clone() }
    }

    fn counted_back(&self, lane: &Expr) -> Expr {
        sub(int(self.count as i32 - 1, lane.span), lane.clone())
    }

    /// An iteration of a lane.
    pub(super) fn in_lane(&self, body: &Body, block: &mut Block, lane: &Expr) {
        let lane_of = |row: &Row| match row.reversed == self.flipped {
            true => lane.clone(),
            false => self.counted_back(lane),
        };
        let find = |array: &Expr, index: &[Index]| {
            let ExprKind::Local(v) = array.kind else { return None };
            self.rows.iter().find(|row| row.array == v && same_indices(&row.index, index))
        };
        transform_stmts(block, &mut |stmt| {
            operands_mut(stmt, &mut |e| {
                transform(e, &mut |e| {
                    if let ExprKind::Load { array, index, boundary: Boundary::Unchecked } = &e.kind
                        && scalar(&e.ty).is_some()
                        && let Some(row) = find(array, index)
                    {
                        *e = build::load(
                            self.lanes(body, row),
                            vec![lane_of(row)],
                            Boundary::Unchecked,
                            e.span,
                        );
                    }
                });
            });
            if let StmtKind::Store { array, index, boundary, .. } = &mut stmt.kind
                && let Some(row) = find(array, index)
            {
                *array = self.lanes(body, row);
                *index = vec![Index::At(lane_of(row))];
                *boundary = Boundary::Unchecked;
            }
        });
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn lanes(&self, body: &Body, row: &Row) -> Expr {
        body.read(row.lanes, body.variables[row.lanes].span)
    }

    /// The index of all lanes.
    fn part(&self, row: &Row) -> Vec<Index> {
        let mut index = row.index.clone();
        if let Some(last) = index.last_mut()
            && let Index::At(at) = last
        {
            let others = int(self.count as i32 - 1, at.span);
            let from = if row.reversed { sub(at.clone(), others.clone()) } else { at.clone() };
            *last = Index::Range(range(from.clone(), add(from, others)));
        }
        index
    }
}
