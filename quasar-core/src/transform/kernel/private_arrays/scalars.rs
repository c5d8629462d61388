//! Variables in the place of the elements of private arrays, all of whose accesses are at known indices.

use super::super::constant_folding;
use crate::ir::rewrite::{
    children, children_mut, expand_stmts, operands, operands_mut, sets, visit, visit_stmts,
};
use crate::ir::{Body, Expr, ExprKind, Index, Stmt, StmtKind, VarId, VarSet, build};
use crate::types::known::fixed;
use crate::types::{Boundary, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::convert_scalar;
use std::collections::BTreeMap;

struct Array {
    sizes: Vec<usize>,
    element: Type,
    variables: Vec<VarId>,
}

type Arrays = BTreeMap<VarId, Array>;

/// Replaces arrays by variables. If that is impossible for some, nothing changes, and these come back.
pub(super) fn run(body: &mut Body, arrays: &[VarId]) -> VarSet {
    let mut found = Arrays::new();
    for &v in arrays {
        if let (Some(sizes), Type::Array(ty)) = (fixed(&body.variables[v].ty), &body.variables[v].ty) {
            found.insert(v, Array { sizes, element: (*ty.element).clone(), variables: Vec::new() });
        }
    }
    let mut stay: VarSet = arrays.iter().copied().filter(|v| !found.contains_key(v)).collect();
    visit_stmts(&body.block, &mut |stmt| judge(stmt, &found, &mut stay));
    if !stay.is_empty() {
        return stay;
    }
    for (v, array) in &mut found {
        for k in 0..array.sizes.iter().product() {
            let mut variable = body.variables[*v].clone();
            variable.name = format!("{}${k}", variable.name);
            variable.ty = array.element.clone();
            array.variables.push(body.variables.push(variable));
        }
    }
    let mut block = std::mem::take(&mut body.block);
    expand_stmts(&mut block, &mut |stmt| replaced(body, &found, stmt));
    body.block = block;
    stay
}

/// Finds out which arrays a statement uses in other ways.
fn judge(stmt: &Stmt, arrays: &Arrays, stay: &mut VarSet) {
    let value_of = match &stmt.kind {
        StmtKind::Assign { variable, value } if arrays.contains_key(variable) => {
            let array = &arrays[variable];
            let last = array.sizes.iter().product::<usize>() - 1;
            let split = component(value, last, array, arrays).is_some()
                && fixed(&value.ty).as_ref() == Some(&array.sizes)
                && !matches!(value.kind, ExprKind::Local(_));
            if !split {
                stay.insert(*variable);
            }
            split
        }
        _ => false,
    };
    if !value_of {
        sets(stmt, &mut |v| {
            if arrays.contains_key(v) {
                stay.insert(*v);
            }
        });
    }
    if let StmtKind::Store { array, index, boundary, .. } | StmtKind::Update { array, index, boundary, .. } =
        &stmt.kind
        && let Some((v, array)) = known(array, arrays)
    {
        let plain = match &stmt.kind {
            StmtKind::Store { value, .. } => build::same_type(&value.ty, &array.element),
            StmtKind::Update { value, .. } => build::same_type(&value.ty, &array.element),
            _ => false,
        };
        if offset(index, &array.sizes).is_none() || !plain || *boundary != Boundary::Unchecked {
            stay.insert(v);
        }
        operands(stmt, &mut |e| {
            if known(e, arrays).is_none() {
                uses(e, value_of, arrays, stay);
            }
        });
        return;
    }
    operands(stmt, &mut |e| uses(e, value_of, arrays, stay));
}

/// `whole` says whether the elements of an array are computed one by one.
fn uses(e: &Expr, whole: bool, arrays: &Arrays, stay: &mut VarSet) {
    let whole = whole && matches!(e.ty, Type::Array(_));
    if let ExprKind::Load { array, index, .. } = &e.kind
        && let Some((v, array)) = known(array, arrays)
    {
        if offset(index, &array.sizes).is_none() {
            stay.insert(v);
        }
        for each in index {
            match each {
                Index::At(e) => uses(e, false, arrays, stay),
                _ => {
                    stay.insert(v);
                }
            }
        }
        return;
    }
    match known(e, arrays) {
        Some((v, _)) if !whole => {
            stay.insert(v);
        }
        _ => children(e, &mut |child| uses(child, whole, arrays, stay)),
    }
}

fn known<'a>(e: &Expr, arrays: &'a Arrays) -> Option<(VarId, &'a Array)> {
    let ExprKind::Local(v) = e.kind else { return None };
    arrays.get(&v).map(|array| (v, array))
}

/// The number of an element at indices that are known and inside.
fn offset(index: &[Index], sizes: &[usize]) -> Option<usize> {
    if index.len() != sizes.len() {
        return None;
    }
    index.iter().zip(sizes).try_fold(0, |at, (each, size)| {
        let Index::At(e) = each else { return None };
        let k = usize::try_from(e.constant_int()?).ok().filter(|k| k < size)?;
        Some(at * size + k)
    })
}

/// An element of an array expression.
fn component(e: &Expr, k: usize, like: &Array, arrays: &Arrays) -> Option<Expr> {
    if !matches!(e.ty, Type::Array(_)) {
        return Some(e.clone());
    }
    let sizes = fixed(&e.ty)?;
    let element = (*e.ty.as_array()?.element).clone();
    let part = |e: &Expr| {
        let same = !matches!(e.ty, Type::Array(_)) || fixed(&e.ty).as_ref() == Some(&like.sizes);
        if same { component(e, k, like, arrays) } else { None }
    };
    match &e.kind {
        ExprKind::Array(items) => {
            let rest: usize = sizes.iter().skip(1).product();
            let item = items.get(k / rest)?;
            let mut inner = Array { sizes: sizes[1..].to_vec(), element, variables: Vec::new() };
            if inner.sizes.is_empty() {
                inner.sizes = vec![1];
                return matches!(item.ty, Type::Scalar(..)).then(|| item.clone());
            }
            component(item, k % rest, &inner, arrays)
        }
        ExprKind::Apply { row, args } => {
            let args = args.iter().map(part).collect::<Option<Vec<_>>>()?;
            Some(Expr::new(ExprKind::Apply { row, args }, element, e.span))
        }
        ExprKind::Convert(inner) if matches!(inner.ty, Type::Array(_)) => {
            let inner = part(inner)?;
            if build::same_type(&inner.ty, &element) {
                return Some(inner);
            }
            Some(Expr::new(ExprKind::Convert(Box::new(inner)), element, e.span))
        }
        ExprKind::Library { name, .. } => {
            let number = match *name {
                "zeros" | "uninit" => 0,
                "ones" => 1,
                _ => return None,
            };
            let Type::Scalar(kind, overflow) = &element else { return None };
            let value = convert_scalar(Scalar::I32(number), *kind, *overflow).ok()?;
            Some(Expr::new(ExprKind::Constant(value), element, e.span))
        }
        ExprKind::Local(v) => {
            let array = arrays.get(v)?;
            if array.variables.is_empty() {
                return Some(e.clone());
            }
            Some(build::local(array.variables[k], element, e.span))
        }
        _ => None,
    }
}

/// A statement in terms of variables.
fn replaced(body: &mut Body, arrays: &Arrays, mut stmt: Stmt) -> Vec<Stmt> {
    let span = stmt.span;
    if let StmtKind::Assign { variable, value } = &stmt.kind
        && let Some(array) = arrays.get(variable)
    {
        return assigned(body, arrays, (*variable, array), value);
    }
    match stmt.kind {
        StmtKind::Store { array, index, boundary, mut value } => {
            elements(&mut value, arrays);
            let element =
                known(&array, arrays).and_then(|(_, a)| Some(a.variables[offset(&index, &a.sizes)?]));
            match element {
                Some(element) => {
                    let value = of_element(element, value);
                    vec![Stmt::new(StmtKind::Assign { variable: element, value }, span)]
                }
                None => {
                    let mut stmt = Stmt::new(StmtKind::Store { array, index, boundary, value }, span);
                    operands_mut(&mut stmt, &mut |e| elements(e, arrays));
                    vec![stmt]
                }
            }
        }
        StmtKind::Update { array, index, boundary, row, mut value, atomic, result } => {
            elements(&mut value, arrays);
            let element = known(&array, arrays)
                .and_then(|(_, a)| Some((a.variables[offset(&index, &a.sizes)?], a.element.clone())));
            match element {
                Some((element, ty)) => {
                    let old = build::local(element, ty.clone(), span);
                    let new = of_element(element, build::apply(row, vec![old.clone(), value], ty, span));
                    let mut made = vec![Stmt::new(StmtKind::Assign { variable: element, value: new }, span)];
                    if let Some(result) = result {
                        made.push(Stmt::new(StmtKind::Assign { variable: result, value: old }, span));
                    }
                    made
                }
                None => {
                    let kind = StmtKind::Update { array, index, boundary, row, value, atomic, result };
                    let mut stmt = Stmt::new(kind, span);
                    operands_mut(&mut stmt, &mut |e| elements(e, arrays));
                    vec![stmt]
                }
            }
        }
        kind => {
            stmt.kind = kind;
            operands_mut(&mut stmt, &mut |e| elements(e, arrays));
            vec![stmt]
        }
    }
}

/// A value as it was in the array: what is added to a variable may be rounded otherwise than what is added to an element.
pub(in crate::transform) fn of_element(element: VarId, mut value: Expr) -> Expr {
    if let ExprKind::Apply { row, args } = &mut value.kind
        && row.name == "add"
        && args.first().is_some_and(|e| matches!(e.kind, ExprKind::Local(v) if v == element))
    {
        args.swap(0, 1);
    }
    value
}

/// All elements of an array. What is computed of the array itself is computed first.
fn assigned(body: &mut Body, arrays: &Arrays, (variable, array): (VarId, &Array), value: &Expr) -> Vec<Stmt> {
    let mut reads_itself = false;
    visit(value, &mut |e| reads_itself |= matches!(e.kind, ExprKind::Local(v) if v == variable));
    let (mut first, mut then) = (Vec::new(), Vec::new());
    for (k, element) in array.variables.iter().enumerate() {
        let Some(mut part) = component(value, k, array, arrays) else { continue };
        elements(&mut part, arrays);
        constant_folding::expr(&mut part);
        let part = build::convert(part, &array.element);
        if reads_itself {
            let (ty, span) = (part.ty.clone(), part.span);
            let kept = body.temporary(ty.clone(), span);
            first.push(build::assign(kept, part));
            then.push(build::assign(*element, build::local(kept, ty, span)));
        } else {
            first.push(build::assign(*element, part));
        }
    }
    first.append(&mut then);
    first
}

/// Variables in the place of elements.
fn elements(e: &mut Expr, arrays: &Arrays) {
    if let ExprKind::Load { array, index, .. } = &e.kind
        && let Some((_, array)) = known(array, arrays)
        && let Some(k) = offset(index, &array.sizes)
    {
        *e = build::local(array.variables[k], array.element.clone(), e.span);
        return;
    }
    children_mut(e, &mut |child| elements(child, arrays));
}
