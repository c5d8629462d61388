//! Variables in the place of the elements of private arrays, all of whose accesses are at known indices.

use super::super::constant_folding;
use crate::ir::rewrite::{
    children, children_mut, expand_stmts, operands, operands_mut, sets, transform_stmts, visit, visit_stmts,
};
use crate::ir::{Body, Expr, ExprKind, Index, Stmt, StmtKind, VarId, VarSet, build};
use crate::source::Span;
use crate::target::cpu::ELEMENTS_OF_FOLDS;
use crate::types::known::fixed;
use crate::types::{Boundary, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::{convert_scalar, neutral};
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

/// Numbers that are combined from small arrays, none of which is a variable.
pub(super) fn folds(body: &mut Body) {
    let none = Arrays::new();
    transform_stmts(&mut body.block, &mut |stmt| operands_mut(stmt, &mut |e| elements(e, &none)));
}

/// Finds out which arrays a statement uses in other ways.
fn judge(stmt: &Stmt, arrays: &Arrays, stay: &mut VarSet) {
    let value_of = match &stmt.kind {
        StmtKind::Assign { variable, value } if arrays.contains_key(variable) => {
            let array = &arrays[variable];
            let split = fixed(&value.ty).as_ref() == Some(&array.sizes)
                && components(value, arrays).is_some()
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
        _ => {
            let whole = whole || folded(e, arrays).is_some();
            children(e, &mut |child| uses(child, whole, arrays, stay));
        }
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

/// The elements of an array expression.
fn components(e: &Expr, arrays: &Arrays) -> Option<Vec<Expr>> {
    (0..fixed(&e.ty)?.iter().product()).map(|k| component(e, k, arrays)).collect()
}

/// An element of an array expression.
fn component(e: &Expr, k: usize, arrays: &Arrays) -> Option<Expr> {
    if !matches!(e.ty, Type::Array(_)) {
        return Some(e.clone());
    }
    let sizes = fixed(&e.ty)?;
    let element = (*e.ty.as_array()?.element).clone();
    let part = |e: &Expr| {
        let same = !matches!(e.ty, Type::Array(_)) || fixed(&e.ty).as_ref() == Some(&sizes);
        if same { component(e, k, arrays) } else { None }
    };
    match &e.kind {
        ExprKind::Array(items) => {
            let rest: usize = sizes.iter().skip(1).product();
            let item = items.get(k / rest)?;
            if sizes.len() == 1 {
                return matches!(item.ty, Type::Scalar(..)).then(|| item.clone());
            }
            (fixed(&item.ty)? == sizes[1..]).then(|| component(item, k % rest, arrays))?
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
        ExprKind::Library { name: name @ ("zeros" | "uninit" | "ones"), .. } => {
            let Type::Scalar(kind, overflow) = &element else { return None };
            let number = Scalar::I32(i32::from(*name == "ones"));
            let value = convert_scalar(number, *kind, *overflow).ok()?;
            Some(Expr::new(ExprKind::Constant(value), element, e.span))
        }
        ExprKind::Library { name, args } => computed(name, args, (&sizes, &element), k, arrays),
        ExprKind::Local(v) => match arrays.get(v) {
            None => Some(stored(e, k, &sizes)),
            Some(array) if array.variables.is_empty() => Some(e.clone()),
            Some(array) => Some(build::local(array.variables[k], element, e.span)),
        },
        _ => None,
    }
}

/// An element of an array that stays.
fn stored(array: &Expr, k: usize, sizes: &[usize]) -> Expr {
    let mut rest = k;
    let mut at: Vec<Expr> = sizes
        .iter()
        .rev()
        .map(|size| {
            let index = build::int((rest % size) as i32, array.span);
            rest /= size;
            index
        })
        .collect();
    at.reverse();
    build::load(array.clone(), at, Boundary::Unchecked, array.span)
}

/// An element of what a function gives.
fn computed(
    name: &str,
    args: &[Expr],
    (sizes, element): (&[usize], &Type),
    k: usize,
    arrays: &Arrays,
) -> Option<Expr> {
    if args.iter().any(|arg| arg.ty.as_array().is_none_or(|a| !build::same_type(&a.element, element))) {
        return None;
    }
    let dims = args.iter().map(|arg| fixed(&arg.ty)).collect::<Option<Vec<_>>>()?;
    if dims.iter().any(|dims| dims.iter().product::<usize>() > ELEMENTS_OF_FOLDS) {
        return None;
    }
    let of = |arg: usize, k: usize| component(&args[arg], k, arrays);
    let span = args.first()?.span;
    let binary =
        |name: &str, a: Expr, b: Expr| build::apply(build::row(name), vec![a, b], element.clone(), span);
    match (name, dims.iter().map(Vec::as_slice).collect::<Vec<_>>().as_slice()) {
        ("copy", [_]) => of(0, k),
        ("transpose", [[rows, columns]]) => of(0, k % rows * columns + k / rows),
        ("cross", [[3], [3]]) => {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let product = |i, j| Some(binary("multiply", of(0, i)?, of(1, j)?));
            Some(binary("subtract", product(i, j)?, product(j, i)?))
        }
        ("matmul", [a, b]) => {
            let inner = *a.last()?;
            let columns = if b.len() == 2 { b[1] } else { 1 };
            if *b.first()? != inner || a.len() == 1 || sizes.len() != b.len() {
                return None;
            }
            let (row, column) = (k / columns, k % columns);
            let terms = (0..inner)
                .map(|l| Some(binary("multiply", of(0, row * inner + l)?, of(1, l * columns + column)?)));
            chain("add", terms.collect::<Option<Vec<_>>>()?, element, span)
        }
        _ => None,
    }
}

/// What becomes one number of the elements of an array.
fn folded(e: &Expr, arrays: &Arrays) -> Option<Expr> {
    let of = |arg: &Expr| {
        let element = &arg.ty.as_array()?.element;
        let few = fixed(&arg.ty)?.iter().product::<usize>() <= ELEMENTS_OF_FOLDS;
        if few && build::same_type(element, &e.ty) { components(arg, arrays) } else { None }
    };
    match &e.kind {
        ExprKind::Reduce { row, arg, axis: None } => chain(row.name, of(arg)?, &e.ty, e.span),
        ExprKind::Library { name: "dotprod", args } => {
            let [a, b] = args.as_slice() else { return None };
            let (a, b) = (of(a)?, of(b)?);
            if a.len() != b.len() {
                return None;
            }
            let terms = a.into_iter().zip(b);
            let terms =
                terms.map(|(a, b)| build::apply(build::row("multiply"), vec![a, b], e.ty.clone(), e.span));
            chain("add", terms.collect(), &e.ty, e.span)
        }
        _ => None,
    }
}

/// Numbers combined from the left, as the functions of small arrays do.
fn chain(row: &str, numbers: Vec<Expr>, ty: &Type, span: Span) -> Option<Expr> {
    let Type::Scalar(kind, _) = ty else { return None };
    let first = Expr::new(ExprKind::Constant(neutral(row, *kind)), ty.clone(), span);
    Some(
        numbers
            .into_iter()
            .fold(first, |sum, number| build::apply(build::row(row), vec![sum, number], ty.clone(), span)),
    )
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
        let Some(mut part) = component(value, k, arrays) else { continue };
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
    if let Some(number) = folded(e, arrays) {
        *e = number;
    }
    children_mut(e, &mut |child| elements(child, arrays));
}
