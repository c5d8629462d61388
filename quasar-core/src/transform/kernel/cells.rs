//! Arrays of arrays as parameters of kernels: all numbers one behind the other, and a table of where each array begins and what
//! its extents are.
//!
//! ```text
//! function [] = __kernel__ k(c : vec[mat], y : vec, pos : int)     k(c : vec, c : mat[int], y : vec, pos : int)
//!     y[pos] = c[pos][1,2]                                              y[pos] = c[at[pos,0] + 1 * at[pos,2] + 2]
//! ```
//!
//! A variable for one of the arrays is its place and its extents; where the whole array is a value, it is a copy, which the pass
//! for arrays in memory makes. Launches join the arrays before, and take apart what the kernel has changed after.

use crate::analysis::reach::{DEPTH, changes};
use crate::ir::build::{self, array_type, int, int_type};
use crate::ir::rewrite::{
    blocks_mut, children_mut, expand_stmts, operands_mut, same, stored_in, visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, Index, KernelId, Program, Range, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::types::known::{array_element, rank};
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// Takes the arrays of arrays out of kernels.
pub(super) fn run(program: &mut Program) {
    let mut launched = BTreeMap::new();
    for id in program.kernels.ids().collect::<Vec<_>>() {
        let body = &program.kernels[id].body;
        if !body.params.iter().any(|p| inner(&body.variables[*p].ty).is_some()) {
            continue;
        }
        let mut body = std::mem::take(&mut program.kernels[id].body);
        let places = kernel(program, &mut body);
        program.kernels[id].body = body;
        launched.insert(id, places);
    }
    if launched.is_empty() {
        return;
    }
    for id in program.functions.ids().collect::<Vec<_>>() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        let mut block = std::mem::take(&mut body.block);
        expand_stmts(&mut block, &mut |stmt| launch(&mut body, &launched, stmt));
        body.block = block;
        program.functions[id].body = body;
    }
}

/// The type of the arrays in an array of arrays of numbers.
fn inner(ty: &Type) -> Option<&Type> {
    let (array, _) = (ty.as_array()?, rank(ty)?);
    let inner = &*array.element;
    (array_element(inner).is_some() && rank(inner).is_some()).then_some(inner)
}

/// What a parameter became: whether it was one of arrays of such elements and that rank, and whether they change.
struct Passed {
    of: Option<(Type, usize)>,
    changed: bool,
}

/// One array of arrays.
#[derive(Clone)]
struct Cell {
    data: Expr,
    table: Expr,
    /// Dimensions of the arrays.
    rank: usize,
    element: Type,
}

/// Where the elements of one of the arrays are.
#[derive(Clone)]
struct Item {
    data: Expr,
    begin: Expr,
    dims: Vec<Expr>,
    element: Type,
}

fn kernel(program: &Program, body: &mut Body) -> Vec<Passed> {
    let (mut params, mut cells, mut passed) = (Vec::new(), BTreeMap::new(), Vec::new());
    let originals = body.params.clone();
    for &param in &originals {
        let declared = body.variables[param].clone();
        let Some(item) = inner(&declared.ty) else {
            params.push(param);
            passed.push(Passed { of: None, changed: false });
            continue;
        };
        let (element, of_items, outer) =
            (element(item), rank(item).unwrap_or(1), rank(&declared.ty).unwrap_or(1));
        let mut data = declared.clone();
        data.ty = array_type(element.clone(), 1);
        let mut table = declared;
        table.ty = array_type(int_type(), outer as u8 + 1);
        let (data, table) = (body.variables.push(data), body.variables.push(table));
        params.extend([data, table]);
        let span = body.variables[data].span;
        let cell =
            Cell { data: body.read(data, span), table: body.read(table, span), rank: of_items, element };
        passed.push(Passed { of: Some((cell.element.clone(), of_items)), changed: false });
        cells.insert(param, cell);
    }
    let mut block = std::mem::take(&mut body.block);
    let names = names(body, &block, &cells);
    let mut pass = Pass { program, cells: &cells, items: BTreeMap::new() };
    for (variable, param) in names {
        let (cell, span) = (&cells[&param], body.variables[variable].span);
        let number = |body: &mut Body| {
            let v = body.temporary(int_type(), span);
            body.read(v, span)
        };
        let begin = number(body);
        let dims = (0..cell.rank).map(|_| number(body)).collect();
        let item = Item { data: cell.data.clone(), begin, dims, element: cell.element.clone() };
        pass.items.insert(variable, item);
    }
    pass.block(&mut block);
    body.params = params;
    let stored = stored_in(&block);
    for (passed, param) in passed.iter_mut().zip(&originals) {
        let data = cells.get(param).map(|cell| &cell.data.kind);
        passed.changed = matches!(data, Some(ExprKind::Local(v)) if stored.contains(v));
    }
    body.block = block;
    passed
}

fn element(ty: &Type) -> Type {
    match ty {
        Type::Array(array) => (*array.element).clone(),
        other => other.clone(),
    }
}

/// The variables that name arrays of one parameter and nothing else.
fn names(body: &Body, block: &[Stmt], cells: &BTreeMap<VarId, Cell>) -> BTreeMap<VarId, VarId> {
    let (mut found, mut others) = (BTreeMap::new(), Vec::new());
    visit_stmts(block, &mut |stmt| {
        let mut from = None;
        if let StmtKind::Assign { variable, value } = &stmt.kind
            && let ExprKind::Load { array, .. } = &strip(value).kind
            && let ExprKind::Local(param) = array.kind
            && let Some(cell) = cells.get(&param)
            && rank(&body.variables[*variable].ty) == Some(cell.rank)
            && array_element(&body.variables[*variable].ty)
                == array_element(&array_type(cell.element.clone(), 1))
            && *found.entry(*variable).or_insert(param) == param
        {
            from = Some(*variable);
        }
        crate::ir::rewrite::sets(stmt, &mut |v| {
            if from != Some(*v) {
                others.push(*v);
            }
        });
    });
    found.retain(|v, _| !others.contains(v) && !body.params.contains(v));
    found
}

/// An array without conversions that change no element.
fn strip(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner)
            if array_element(&inner.ty).is_some()
                && array_element(&inner.ty) == array_element(&e.ty)
                && rank(&inner.ty) == rank(&e.ty) =>
        {
            strip(inner)
        }
        _ => e,
    }
}

fn apply(name: &str, a: Expr, b: Expr) -> Expr {
    let (row, span) = (find(name).expect("a row that the table has"), a.span);
    build::apply(row, vec![a, b], int_type(), span)
}

struct Pass<'p> {
    program: &'p Program,
    cells: &'p BTreeMap<VarId, Cell>,
    /// Variables for one array.
    items: BTreeMap<VarId, Item>,
}

impl Pass<'_> {
    fn block(&self, block: &mut Block) {
        for mut stmt in std::mem::take(block) {
            blocks_mut(&mut stmt, &mut |inner| self.block(inner));
            self.stmt(stmt, block);
        }
    }

    fn stmt(&self, mut stmt: Stmt, out: &mut Block) {
        let span = stmt.span;
        match &mut stmt.kind {
            StmtKind::Assign { variable, value } if self.items.contains_key(variable) => {
                let names = &self.items[variable];
                let Some(item) = self.item(strip(value)) else { return out.push(stmt) };
                let mut both = vec![(&names.begin, item.begin)];
                both.extend(names.dims.iter().zip(item.dims));
                for (name, mut value) in both {
                    self.expr(&mut value);
                    if let ExprKind::Local(variable) = name.kind {
                        out.push(Stmt::new(StmtKind::Assign { variable, value }, span));
                    }
                }
                return;
            }
            StmtKind::Store { array, index, boundary, .. }
            | StmtKind::Update { array, index, boundary, .. }
            | StmtKind::Exchange { array, index, boundary, .. } => {
                let mode = match *boundary {
                    Boundary::Checked | Boundary::Unchecked => *boundary,
                    _ => Boundary::Safe,
                };
                if let Some(item) = self.item(array)
                    && let Some(at) = place(&item, index, mode)
                {
                    (*array, *index, *boundary) = (item.data, vec![Index::At(at)], mode);
                }
            }
            // What a function changes would be lost with the copy.
            StmtKind::Call { function, args, .. } => {
                let callee = &self.program.functions[*function].body;
                let changed = args.iter().zip(&callee.params).any(|(arg, param)| {
                    self.item(strip(arg)).is_some() && changes(self.program, &callee.block, *param, DEPTH)
                });
                if changed {
                    return out.push(stmt);
                }
            }
            _ => {}
        }
        operands_mut(&mut stmt, &mut |e| self.expr(e));
        out.push(stmt);
    }

    /// Where an array of a parameter is.
    fn item(&self, e: &Expr) -> Option<Item> {
        match &e.kind {
            ExprKind::Local(v) => self.items.get(v).cloned(),
            ExprKind::Load { array, index, boundary } => {
                let ExprKind::Local(param) = array.kind else { return None };
                let cell = self.cells.get(&param)?;
                let plain = index.iter().all(|i| matches!(i, Index::At(_)));
                if !plain || Some(index.len() + 1) != rank(&cell.table.ty) {
                    return None;
                }
                let entry = |k: usize| {
                    let mut index = index.clone();
                    index.push(Index::At(int(k as i32, e.span)));
                    let array = Box::new(cell.table.clone());
                    Expr::new(ExprKind::Load { array, index, boundary: *boundary }, int_type(), e.span)
                };
                let dims = (1..=cell.rank).map(entry).collect();
                let (data, element) = (cell.data.clone(), cell.element.clone());
                Some(Item { data, begin: entry(0), dims, element })
            }
            _ => None,
        }
    }

    fn expr(&self, e: &mut Expr) {
        let span = e.span;
        match &e.kind {
            ExprKind::Load { array, index, boundary } => {
                if let Some(item) = self.item(strip(array))
                    && let Some(at) = place(&item, index, *boundary)
                {
                    let mode = match boundary {
                        Boundary::Checked | Boundary::Unchecked => *boundary,
                        _ => Boundary::Safe,
                    };
                    let ty = e.ty.clone();
                    *e = Expr { ty, ..build::load(item.data, vec![at], mode, span) };
                    return children_mut(e, &mut |child| self.expr(child));
                }
            }
            ExprKind::Extent(array, axis) => {
                if let Some(item) = self.item(strip(array)) {
                    *e = item.dims.get(*axis).cloned().unwrap_or_else(|| int(1, span));
                    return self.expr(e);
                }
                if let Some(cell) = self.cell(array) {
                    *e = build::extent(cell.table.clone(), *axis, span);
                    return;
                }
            }
            ExprKind::Count(array) => {
                if let Some(item) = self.item(strip(array)) {
                    *e = count(&item, span);
                    return self.expr(e);
                }
                if let Some(cell) = self.cell(array) {
                    let outer = rank(&cell.table.ty).unwrap_or(2) - 1;
                    let extents = (0..outer).map(|axis| build::extent(cell.table.clone(), axis, span));
                    *e = extents.reduce(|a, b| apply("multiply", a, b)).unwrap_or_else(|| int(1, span));
                    return;
                }
            }
            _ => {}
        }
        if let Some(item) = self.item(e) {
            *e = whole(&item, span);
        }
        children_mut(e, &mut |child| self.expr(child));
    }

    fn cell(&self, array: &Expr) -> Option<&Cell> {
        match &array.kind {
            ExprKind::Local(v) => self.cells.get(v),
            _ => None,
        }
    }
}

fn count(item: &Item, span: Span) -> Expr {
    item.dims.iter().cloned().reduce(|a, b| apply("multiply", a, b)).unwrap_or_else(|| int(1, span))
}

/// The place of an element among all numbers; one that is outside in modes that do not map it back.
fn place(item: &Item, index: &[Index], mode: Boundary) -> Option<Expr> {
    if index.len() != item.dims.len() {
        return None;
    }
    let (mut at, mut inside): (Option<Expr>, Option<Expr>) = (None, None);
    for (each, n) in index.iter().zip(&item.dims) {
        let Index::At(i) = each else { return None };
        let mapped = match mode {
            Boundary::Circular => apply("periodize", i.clone(), n.clone()),
            Boundary::Mirror => apply("mirror_ext", i.clone(), n.clone()),
            Boundary::Clamped => apply("clamp", i.clone(), apply("subtract", n.clone(), int(1, i.span))),
            Boundary::Checked | Boundary::Safe | Boundary::Unchecked => i.clone(),
        };
        if matches!(mode, Boundary::Checked | Boundary::Safe) {
            let both = |a, b: Expr| {
                let span = b.span;
                Expr::new(ExprKind::And(Box::new(a), Box::new(b)), int_type(), span)
            };
            let low = apply("greater_equal", i.clone(), int(0, i.span));
            let test = both(low, apply("less", i.clone(), n.clone()));
            inside = Some(inside.map_or(test.clone(), |before| both(before, test)));
        }
        at = Some(match at {
            None => mapped,
            Some(rows) => apply("add", apply("multiply", rows, n.clone()), mapped),
        });
    }
    let at = apply("add", item.begin.clone(), at?);
    let span = at.span;
    Some(match inside {
        None => at,
        Some(condition) => {
            let (condition, otherwise) = (Box::new(condition), Box::new(int(-1, span)));
            Expr::new(ExprKind::Select { condition, then: Box::new(at), otherwise }, int_type(), span)
        }
    })
}

/// A copy of an array.
fn whole(item: &Item, span: Span) -> Expr {
    let last = apply("subtract", apply("add", item.begin.clone(), count(item, span)), int(1, span));
    let range = Range { from: item.begin.clone(), step: None, to: last };
    let array = Box::new(item.data.clone());
    let slice = ExprKind::Load { array, index: vec![Index::Range(range)], boundary: Boundary::Unchecked };
    let slice = Expr::new(slice, array_type(item.element.clone(), 1), span);
    if item.dims.len() == 1 {
        return slice;
    }
    let args = std::iter::once(slice).chain(item.dims.iter().cloned()).collect();
    let ty = array_type(item.element.clone(), item.dims.len() as u8);
    Expr::new(ExprKind::Library { name: "reshape", args }, ty, span)
}

/// A launch with the arrays joined, between what joins them and what takes them apart.
fn launch(body: &mut Body, launched: &BTreeMap<KernelId, Vec<Passed>>, mut stmt: Stmt) -> Vec<Stmt> {
    let span = stmt.span;
    let StmtKind::Launch { kernel, args, .. } = &mut stmt.kind else { return vec![stmt] };
    let Some(params) = launched.get(kernel) else { return vec![stmt] };
    let (mut before, mut after, mut known) = (Block::new(), Block::new(), Vec::<(Expr, [Expr; 2])>::new());
    let mut keep = |value: Expr, before: &mut Block| {
        let variable = body.temporary(value.ty.clone(), span);
        before.push(build::assign(variable, value));
        body.read(variable, span)
    };
    let mut passed = Vec::new();
    for (arg, param) in std::mem::take(args).into_iter().zip(params) {
        let Some((element, of_items)) = &param.of else {
            passed.push(arg);
            continue;
        };
        // An argument that is given twice is one array.
        let before_it = known.iter().find(|(value, _)| same(value, &arg)).map(|(_, both)| both.clone());
        let both = before_it.unwrap_or_else(|| {
            let outer = rank(&arg.ty).unwrap_or(1) as u8;
            let value = keep(arg.clone(), &mut before);
            let zero = quasar_devicelib::ops::find("add").expect("the table has it");
            let zero = build::neutral(zero, element, span);
            let join = ExprKind::Library { name: "cells_joined", args: vec![value.clone(), zero] };
            let data = keep(Expr::new(join, array_type(element.clone(), 1), span), &mut before);
            let rank = int(*of_items as i32, span);
            let list = ExprKind::Library { name: "cells_places", args: vec![value.clone(), rank] };
            let table = keep(Expr::new(list, array_type(int_type(), outer + 1), span), &mut before);
            if param.changed {
                let args = vec![value, data.clone()];
                let apart = StmtKind::Library { name: "cells_apart", args, results: Vec::new() };
                after.push(Stmt::new(apart, span));
            }
            known.push((arg.clone(), [data.clone(), table.clone()]));
            [data, table]
        });
        passed.extend(both);
    }
    *args = passed;
    before.push(stmt);
    before.append(&mut after);
    before
}
