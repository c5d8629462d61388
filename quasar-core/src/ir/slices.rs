//! Vectors of elements of axis slices: where lanes read and write elements of one array, in loops too, and nothing that one statement
//! writes is read by another of the same loop over the lanes.

use super::rewrite::{blocks, blocks_mut, operands, same, stored_in, visit};
use super::{Block, Expr, ExprKind, Index, Stmt, StmtKind, VarId, build};
use crate::types::known::{array_element, scalar};

/// The index of all stores to an array, if they have one index and nothing reads an element behind them.
pub fn only_store(body: &[Stmt], array: VarId) -> Option<&[Index]> {
    let mut index = None;
    follow(body, array, &mut index).then_some(index).flatten()
}

/// Whether statements behind a store have only the same store.
fn follow<'b>(body: &'b [Stmt], array: VarId, index: &mut Option<&'b [Index]>) -> bool {
    body.iter().all(|stmt| {
        if index.is_some() && reads(stmt, array) {
            return false;
        }
        match &stmt.kind {
            StmtKind::Store { array: to, index: at, .. } if is_array(to, array) => {
                let known = index.get_or_insert(at);
                is_same_element(known, at)
            }
            StmtKind::If { then, otherwise, .. } => {
                follow(then, array, index) && follow(otherwise, array, index)
            }
            _ => !stored_in(std::slice::from_ref(stmt)).contains(&array),
        }
    })
}

/// Whether two indices are written alike, and are those of one element.
pub fn is_same_element(a: &[Index], b: &[Index]) -> bool {
    let alike = |(a, b): (&Index, &Index)| matches!((a, b), (Index::At(a), Index::At(b)) if same(a, b));
    a.len() == b.len() && a.iter().zip(b).all(alike)
}

fn is_array(e: &Expr, array: VarId) -> bool {
    matches!(e.kind, ExprKind::Local(v) if v == array)
}

/// Whether the operands of a statement itself read elements.
fn reads(stmt: &Stmt, array: VarId) -> bool {
    let mut found = false;
    operands(stmt, &mut |e| {
        visit(e, &mut |e| {
            found |= matches!(&e.kind, ExprKind::Load { array: from, .. } if is_array(from, array))
        });
    });
    found
}

/// Whether a statement reads or writes elements, at any depth.
pub fn reaches(stmt: &Stmt, array: VarId) -> bool {
    let mut found = reads(stmt, array) || stored_in(std::slice::from_ref(stmt)).contains(&array);
    blocks(stmt, &mut |inner| found |= inner.iter().any(|stmt| reaches(stmt, array)));
    found
}

/// Writes changes of elements of some arrays as loads and stores: nobody else has these elements.
pub fn store_changes(block: &mut Block, arrays: &[VarId]) {
    for stmt in block {
        blocks_mut(stmt, &mut |inner| store_changes(inner, arrays));
        let StmtKind::Update { array, index, boundary, row, value, result: None, .. } = &stmt.kind else {
            continue;
        };
        if arrays.iter().any(|v| is_array(array, *v)) && array_element(&array.ty) == scalar(&value.ty) {
            let (ty, boundary) = (value.ty.clone(), *boundary);
            let load = ExprKind::Load { array: Box::new(array.clone()), index: index.clone(), boundary };
            let old = Expr::new(load, ty.clone(), stmt.span);
            let value = build::apply(row, vec![old, value.clone()], ty, stmt.span);
            stmt.kind = StmtKind::Store { array: array.clone(), index: index.clone(), boundary, value };
        }
    }
}
