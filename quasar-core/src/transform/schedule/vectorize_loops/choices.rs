//! Branches as choices of values. Those that set the same variables, or store to the same elements, in all cases choose what is set:
//!
//! ```text
//! if a[i] == b[j]
//!     t[i,j] = t[i-1,j-1] + 1
//! else                                   =>    t[i,j] = a[i] == b[j] ? t[i-1,j-1] + 1 : max(t[i-1,j], t[i,j-1])
//!     t[i,j] = max(t[i-1,j], t[i,j-1])
//! ```
//!
//! Those that accumulate choose between a term and what changes nothing, where lanes have accumulators:
//!
//! ```text
//! if p > 0                               =>    s = s + (p > 0 ? p * log(p) : 0)
//!     s = s + p * log(p)
//! ```

use crate::analysis::dependence::accumulating_value;
use crate::ir::build::{self, same_type};
use crate::ir::rewrite::{free_variables, read_in, same_indices, set_in, variables};
use crate::ir::{Block, Body, Expr, ExprKind, Stmt, StmtKind, VarSet};
use crate::types::known::scalar;
use quasar_devicelib::ops::find;

/// Makes choices of the branches of a block, where that is possible.
pub(super) fn merge(block: &mut Block, body: &mut Body) {
    let stmts = std::mem::take(block);
    for stmt in stmts {
        match merged(&stmt, body) {
            Some(merged) => block.extend(merged),
            None => block.push(stmt),
        }
    }
}

/// Makes choices of the terms of branches that accumulate; says whether there were any. `after`: what is read behind the block.
pub(super) fn merge_terms(block: &mut Block, body: &mut Body, after: &VarSet) -> bool {
    let stmts = std::mem::take(block);
    let mut found = false;
    for (k, stmt) in stmts.iter().enumerate() {
        let others: Block = [&stmts[..k], &stmts[k + 1..]].concat();
        match terms(stmt, body, &read_in(&others).union(after)) {
            Some(terms) => {
                found = true;
                block.extend(terms);
            }
            None => block.push(stmt.clone()),
        }
    }
    found
}

/// The statements of branches without the branches; `outside`: what is read elsewhere.
fn terms(stmt: &Stmt, body: &mut Body, outside: &VarSet) -> Option<Block> {
    let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return None };
    let set = set_in(then).union(&set_in(otherwise));
    // What is computed in all cases must be free to compute.
    if variables(condition).iter().any(|v| set.contains(&v)) || then.is_empty() {
        return None;
    }
    let span = condition.span;
    let name = body.temporary(build::int_type(), span);
    let holds = body.read(name, span);
    let truth = build::select(condition.clone(), build::int(1, span), build::int(0, span));
    let mut found = vec![build::assign(name, truth)];
    let fails = build::of_ints("equal", holds.clone(), build::int(0, span));
    for (block, condition, other) in [(then, holds, otherwise), (otherwise, fails, then)] {
        let outside = outside.union(&read_in(other));
        found.append(&mut terms_of_branch(block, &condition, body, &outside)?);
    }
    Some(found)
}

fn terms_of_branch(block: &Block, condition: &Expr, body: &mut Body, outside: &VarSet) -> Option<Block> {
    let mut block = block.clone();
    merge_terms(&mut block, body, outside);
    let exposed = free_variables(&block);
    let mut found = Block::new();
    for mut stmt in block {
        let StmtKind::Assign { variable, value } = &mut stmt.kind else { return None };
        let variable = *variable;
        scalar(&value.ty)?;
        if !exposed.contains(&variable) && !outside.contains(&variable) {
            // Its elements may be inside of arrays where the branch is taken only.
            let nothing = build::neutral(find("add")?, &value.ty, value.span);
            *value = build::select(condition.clone(), value.clone(), nothing);
            found.push(stmt);
            continue;
        }
        let (ty, span) = (value.ty.clone(), value.span);
        let (row, term) = accumulating_value(&stmt, variable)?;
        if variables(term).contains(&variable) {
            return None;
        }
        let term = build::convert(term.clone(), &ty);
        let term = build::select(condition.clone(), term, build::neutral(row, &ty, span));
        if let StmtKind::Assign { value, .. } = &mut stmt.kind
            && let ExprKind::Apply { args, .. } = &mut value.kind
        {
            for arg in args.iter_mut().filter(|arg| !matches!(arg.kind, ExprKind::Local(v) if v == variable))
            {
                *arg = term.clone();
            }
        }
        found.push(stmt);
    }
    Some(found)
}

fn merged(stmt: &Stmt, body: &mut Body) -> Option<Block> {
    let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return None };
    let (mut then, mut otherwise) = (then.clone(), otherwise.clone());
    merge(&mut then, body);
    merge(&mut otherwise, body);
    if then.is_empty() || then.len() != otherwise.len() {
        return None;
    }
    let (mut found, mut condition) = (Block::new(), condition.clone());
    if then.len() > 1 {
        // What is set may be what the condition reads.
        let name = body.temporary(condition.ty.clone(), condition.span);
        let read = body.read(name, condition.span);
        found.push(build::assign(name, std::mem::replace(&mut condition, read)));
    }
    for (mut stmt, other) in then.into_iter().zip(otherwise) {
        let other = same_target(&stmt, other)?;
        let value = value_of(&mut stmt)?;
        *value = build::select(condition.clone(), value.clone(), other);
        found.push(stmt);
    }
    Some(found)
}

fn value_of(stmt: &mut Stmt) -> Option<&mut Expr> {
    match &mut stmt.kind {
        StmtKind::Assign { value, .. } | StmtKind::Store { value, .. } => Some(value),
        _ => None,
    }
}

/// The value of the second statement, if both set the same.
fn same_target(first: &Stmt, second: Stmt) -> Option<Expr> {
    match (&first.kind, second.kind) {
        (StmtKind::Assign { variable: a, value: x }, StmtKind::Assign { variable: b, value }) => {
            (*a == b && same_type(&x.ty, &value.ty)).then_some(value)
        }
        (
            StmtKind::Store { array, index, boundary, value: x },
            StmtKind::Store { array: other, index: at, boundary: mode, value },
        ) => {
            let one =
                matches!((&array.kind, &other.kind), (ExprKind::Local(a), ExprKind::Local(b)) if a == b);
            (one && same_indices(index, &at) && *boundary == mode && same_type(&x.ty, &value.ty))
                .then_some(value)
        }
        _ => None,
    }
}
