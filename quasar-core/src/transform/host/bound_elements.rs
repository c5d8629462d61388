//! Elements of small vectors that bounds of loops read are variables, where nothing changes these vectors: bounds that are elements
//! could be changed by every store in the loop, and such loops are no dimensions of a nest.
//!
//! ```text
//! sz = [size(x,0), size(x,1)]            $sz0 = size(x,0), $sz1 = size(x,1)
//! for m = 0..sz[0]-1               =>    sz = [$sz0, $sz1]
//!     for n = 0..sz[1]-1 ..              for m = 0..$sz0-1
//!                                            for n = 0..$sz1-1 ..
//! ```
//!
//! A parameter is read at the beginning of its function, if that changes no vector of integers at all, nor do functions that it calls:
//! two names may be one, and so may a parameter and a field of an object, an element of a cell or a variable of the module.

use crate::ir::build;
use crate::ir::rewrite::{expand_stmts, set_in, sets, transform_block, visit, visit_stmts};
use crate::ir::{
    Block, Body, Expr, ExprKind, FunctionId, Index, Program, Stmt, StmtKind, VarId, VarSet, Variable,
};
use crate::message::Sink;
use crate::transform::PassContext;
use crate::transform::constants::{LOOK, only_read};
use crate::types::known::{array_element, fixed, scalar};
use crate::types::{Boundary, ElementType, Type};
use std::collections::BTreeMap;

/// Elements of the longest vector whose elements become variables: one for each dimension of an array, and a few more. Chosen.
const LONGEST: usize = 8;

/// Functions that are called farther away are taken to change what they like. Chosen.
const CALLS: usize = 4;

/// Looks at all host functions.
pub fn run(program: &mut Program, _: &PassContext<'_>, _: &mut Sink) {
    let ids: Vec<_> = program.functions.iter().filter(|(_, f)| !f.device).map(|(id, _)| id).collect();
    for id in ids {
        for vector in bounds(&program.functions[id].body) {
            if is_constant(program, id, vector) {
                replace(&mut program.functions[id].body, vector);
            }
        }
    }
}

/// The vectors whose elements are bounds of loops.
fn bounds(body: &Body) -> Vec<VarId> {
    let mut found = VarSet::new();
    visit_stmts(&body.block, &mut |stmt| {
        let StmtKind::For { range, .. } = &stmt.kind else { return };
        for end in [Some(&range.from), range.step.as_ref(), Some(&range.to)].into_iter().flatten() {
            visit(end, &mut |e| {
                if let Some((vector, _)) = element(e) {
                    found.insert(vector);
                }
            });
        }
    });
    let is_short = |v: &VarId| {
        let ty = &body.variables[*v].ty;
        array_element(ty) == Some(ElementType::Int32)
            && fixed(ty).is_some_and(|extents| extents.len() == 1 && extents[0] <= LONGEST)
    };
    found.iter().filter(is_short).collect()
}

/// The vector and the place of an element whose place is known.
fn element(e: &Expr) -> Option<(VarId, i32)> {
    let ExprKind::Load { array, index, boundary: Boundary::Checked | Boundary::Unchecked } = &e.kind else {
        return None;
    };
    match (&array.kind, &index[..]) {
        (ExprKind::Local(v), [Index::At(at)]) => Some((*v, at.constant_int()?)),
        _ => None,
    }
}

/// Whether a vector has the same elements wherever it is read.
fn is_constant(program: &Program, function: FunctionId, vector: VarId) -> bool {
    let body = &program.functions[function].body;
    let mut definitions = 0;
    let mut written_out = true;
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::Assign { variable, value } = &stmt.kind
            && *variable == vector
        {
            definitions += 1;
            written_out &= matches!(&value.kind, ExprKind::Array(_));
        }
    });
    if body.params.contains(&vector) {
        return !set_in(&body.block).contains(&vector) && !changes_integers(program, &body.block, CALLS);
    }
    let is_it = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == vector);
    definitions == 1
        && written_out
        && sets_alone(&body.block, vector)
        && only_read(program, &body.block, &is_it)
}

/// Whether statements may change elements of some array of integers, whatever its name, also in functions that they call.
fn changes_integers(program: &Program, block: &Block, calls: usize) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= match &stmt.kind {
            StmtKind::Store { array, .. }
            | StmtKind::Update { array, .. }
            | StmtKind::Exchange { array, .. } => may_hold_integers(&array.ty),
            StmtKind::Library { name, args, .. } => {
                !LOOK.contains(name) && args.iter().any(|arg| may_hold_integers(&arg.ty))
            }
            StmtKind::CallValue { .. } => true,
            StmtKind::Call { function, .. } => {
                calls == 0 || changes_integers(program, &program.functions[*function].body.block, calls - 1)
            }
            StmtKind::Launch { kernel, .. } => {
                calls == 0 || changes_integers(program, &program.kernels[*kernel].body.block, calls - 1)
            }
            _ => false,
        };
    });
    found
}

/// Whether a value is an array of integers, or one of unknown elements, or holds others.
fn may_hold_integers(ty: &Type) -> bool {
    match array_element(ty) {
        Some(element) => element == ElementType::Int32,
        None => scalar(ty).is_none() && !matches!(ty, Type::Text),
    }
}

/// Whether nothing but assignments sets a variable.
fn sets_alone(block: &Block, vector: VarId) -> bool {
    let mut alone = true;
    visit_stmts(block, &mut |stmt| {
        if !matches!(stmt.kind, StmtKind::Assign { .. }) {
            sets(stmt, &mut |v| alone &= *v != vector);
        }
    });
    alone
}

/// Puts variables in the place of the elements of a vector.
fn replace(body: &mut Body, vector: VarId) {
    let Some(&[count]) = fixed(&body.variables[vector].ty).as_deref() else { return };
    let span = body.variables[vector].span;
    let name = body.variables[vector].name.clone();
    let elements: Vec<VarId> = (0..count)
        .map(|k| body.variables.push(Variable::new(&format!("${name}{k}"), build::int_type(), span)))
        .collect();
    let mut known: BTreeMap<VarId, Expr> = BTreeMap::new();
    let mut block = std::mem::take(&mut body.block);
    transform_block(&mut block, &mut |e| {
        let Some((_, at)) = element(e).filter(|(v, _)| *v == vector) else { return };
        if let Some(element) = usize::try_from(at).ok().and_then(|at| elements.get(at)) {
            *e = build::local(*element, build::int_type(), e.span);
        }
    });
    expand_stmts(&mut block, &mut |mut stmt| {
        let StmtKind::Assign { variable, value } = &mut stmt.kind else { return vec![stmt] };
        let ExprKind::Array(items) = &mut value.kind else { return vec![stmt] };
        if *variable != vector || items.len() != elements.len() {
            return vec![stmt];
        }
        let mut list = Vec::with_capacity(items.len() + 1);
        for (item, element) in items.iter_mut().zip(&elements) {
            let value = std::mem::replace(item, build::local(*element, build::int_type(), item.span));
            if value.constant_int().is_some() {
                *item = value.clone();
                known.insert(*element, value.clone());
            }
            list.push(build::assign(*element, value));
        }
        list.push(stmt);
        list
    });
    if body.params.contains(&vector) {
        let load = |k: usize| {
            let array = build::local(vector, body.variables[vector].ty.clone(), span);
            build::load(array, vec![build::int(k as i32, span)], Boundary::Unchecked, span)
        };
        let first: Vec<Stmt> = elements.iter().enumerate().map(|(k, v)| build::assign(*v, load(k))).collect();
        block.splice(0..0, first);
    }
    // Numbers stay numbers.
    transform_block(&mut block, &mut |e| {
        if let ExprKind::Local(v) = &e.kind
            && let Some(value) = known.get(v)
        {
            *e = value.clone();
        }
    });
    body.block = block;
}
