//! Flattens ragged arrays (arrays of arrays) passed to kernels: one array of all elements, and a table with the start
//! and the extents of each inner array.
//!
//! ```text
//! function [] = __kernel__ k(c : vec[mat], y : vec, pos : int)     k(c : vec, c : mat[int], y : vec, pos : int)
//!     y[pos] = c[pos][1,2]                                              y[pos] = c[at[pos,0] + 1 * at[pos,2] + 2]
//! ```
//!
//! A variable that names an inner array becomes its start and extents. Where the whole inner array is a value, it is
//! copied to thread memory by the pass for heap arrays. Launches flatten the arrays before, and write modified elements
//! back after.

use crate::analysis::access_pattern::{DEPTH, changes};
use crate::ir::build::{self, array_type, int, int_type};
use crate::ir::rewrite::{blocks_mut, children_mut, expand_stmts, operands_mut, same, visit_stmts};
use crate::ir::{
    Block, Body, Expr, ExprKind, FunctionId, Index, KernelId, Program, Range, Stmt, StmtKind, VarId,
};
use crate::source::Span;
use crate::types::known::{array_element, rank};
use crate::types::{Boundary, Type};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Flattens the ragged parameters of kernels, and of the device functions that receive them.
pub(in crate::transform) fn run(program: &mut Program) {
    let mut versions = Versions::default();
    let mut launched = BTreeMap::new();
    for id in program.kernels.ids().collect::<Vec<_>>() {
        if has_cells(&program.kernels[id].body) {
            let mut body = std::mem::take(&mut program.kernels[id].body);
            let passed = versions.body(program, &mut body);
            program.kernels[id].body = body;
            launched.insert(id, passed);
        }
    }
    let hosts: Vec<FunctionId> =
        program.functions.iter().filter(|(_, f)| !f.device).map(|(id, _)| id).collect();
    if program.functions.iter().any(|(_, function)| function.device && has_cells(&function.body)) {
        for id in &hosts {
            versions.ask_for_called(program, &program.functions[*id].body.block.clone(), &|_| true);
        }
    }
    let mut called = BTreeMap::new();
    while let Some((original, version)) = versions.open.pop() {
        let mut body = program.functions[version].body.clone();
        let passed = versions.body(program, &mut body);
        program.functions[version].body = body;
        called.insert(original, (version, passed));
    }
    if launched.is_empty() && called.is_empty() {
        return;
    }
    for (id, passed) in &mut launched {
        find_changed(program, &program.kernels[*id].body, passed);
    }
    for (version, passed) in called.values_mut() {
        find_changed(program, &program.functions[*version].body, passed);
    }
    for id in hosts {
        let mut body = std::mem::take(&mut program.functions[id].body);
        let mut block = std::mem::take(&mut body.block);
        expand_stmts(&mut block, &mut |stmt| with_joined(&mut body, &launched, &called, stmt));
        body.block = block;
        program.functions[id].body = body;
    }
}

/// Whether any parameter is a ragged array of numbers.
fn has_cells(body: &Body) -> bool {
    body.params.iter().any(|p| inner(&body.variables[*p].ty).is_some())
}

/// Clones of device functions that take flattened arrays.
#[derive(Default)]
struct Versions {
    of: BTreeMap<FunctionId, FunctionId>,
    /// Functions and clones whose bodies have not been rewritten yet.
    open: Vec<(FunctionId, FunctionId)>,
}

impl Versions {
    /// Clones the device functions that statements call with ragged arrays, for arguments that satisfy the predicate.
    fn ask_for_called(&mut self, program: &mut Program, block: &[Stmt], passes: &dyn Fn(&Expr) -> bool) {
        let mut wanted = Vec::new();
        visit_stmts(block, &mut |stmt| {
            if let StmtKind::Call { function, args, .. } = &stmt.kind {
                let callee = &program.functions[*function];
                let fits = args
                    .iter()
                    .zip(&callee.body.params)
                    .all(|(arg, param)| inner(&callee.body.variables[*param].ty).is_none() || passes(arg));
                if callee.device && fits && has_cells(&callee.body) {
                    wanted.push(*function);
                }
            }
        });
        for original in wanted {
            let Entry::Vacant(entry) = self.of.entry(original) else { continue };
            let mut version = program.functions[original].clone();
            version.name = format!("{}__joined", version.name);
            let version = program.functions.push(version);
            entry.insert(version);
            self.open.push((original, version));
        }
    }

    /// Rewrites a body; returns what became of each parameter.
    fn body(&mut self, program: &mut Program, body: &mut Body) -> Vec<Passed> {
        let (mut params, mut cells, mut passed) = (Vec::new(), BTreeMap::new(), Vec::new());
        for param in body.params.clone() {
            let declared = body.variables[param].clone();
            let Some(item) = inner(&declared.ty) else {
                params.push(param);
                passed.push(Passed { of: None, data: param, changed: false });
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
            let cell = FlatArray {
                data: body.read(data, span),
                table: body.read(table, span),
                rank: of_items,
                element,
            };
            passed.push(Passed { of: Some((cell.element.clone(), of_items)), data, changed: false });
            cells.insert(param, cell);
        }
        let mut block = std::mem::take(&mut body.block);
        let names = names(body, &block, &cells);
        self.ask_for_called(program, &block, &|arg| cell_named(arg, &cells).is_some());
        let mut pass = Pass { program, cells: &cells, items: BTreeMap::new(), versions: &self.of };
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
        body.block = block;
        passed
    }
}

/// The type of the inner arrays of a ragged array of numbers.
fn inner(ty: &Type) -> Option<&Type> {
    let (array, _) = (ty.as_array()?, rank(ty)?);
    let inner = &*array.element;
    (array_element(inner).is_some() && rank(inner).is_some()).then_some(inner)
}

/// What became of a parameter: for a ragged array, its element type and outer rank, and whether it is modified.
struct Passed {
    of: Option<(Type, usize)>,
    /// The parameter, or the one with all elements.
    data: VarId,
    changed: bool,
}

fn find_changed(program: &Program, body: &Body, passed: &mut [Passed]) {
    for passed in passed.iter_mut().filter(|passed| passed.of.is_some()) {
        passed.changed = changes(program, &body.block, passed.data, DEPTH);
    }
}

/// A flattened ragged array.
#[derive(Clone)]
struct FlatArray {
    data: Expr,
    table: Expr,
    /// Rank of the inner arrays.
    rank: usize,
    element: Type,
}

/// Location of an inner array.
#[derive(Clone)]
struct Item {
    data: Expr,
    begin: Expr,
    dims: Vec<Expr>,
    element: Type,
}

fn element(ty: &Type) -> Type {
    match ty {
        Type::Array(array) => (*array.element).clone(),
        other => other.clone(),
    }
}

/// The variables that only ever name inner arrays of a single parameter.
fn names(body: &Body, block: &[Stmt], cells: &BTreeMap<VarId, FlatArray>) -> BTreeMap<VarId, VarId> {
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

/// Strips conversions that change no element.
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

/// The ragged array that an expression names.
fn cell_named<'c>(e: &Expr, cells: &'c BTreeMap<VarId, FlatArray>) -> Option<&'c FlatArray> {
    match &e.kind {
        ExprKind::Local(v) => cells.get(v),
        // Conversions between known and unknown extents.
        ExprKind::Convert(value) if inner(&value.ty).is_some() && inner(&value.ty) == inner(&e.ty) => {
            cell_named(value, cells)
        }
        _ => None,
    }
}

struct Pass<'p> {
    program: &'p Program,
    cells: &'p BTreeMap<VarId, FlatArray>,
    versions: &'p BTreeMap<FunctionId, FunctionId>,
    /// Variables that name an inner array.
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
            // A function must not modify an inner array: it would get a copy.
            StmtKind::Call { function, args, .. } => {
                let callee = &self.program.functions[*function].body;
                let changed = args.iter().zip(&callee.params).any(|(arg, param)| {
                    self.item(strip(arg)).is_some() && changes(self.program, &callee.block, *param, DEPTH)
                });
                if changed {
                    return out.push(stmt);
                }
                self.call(function, args);
            }
            _ => {}
        }
        operands_mut(&mut stmt, &mut |e| self.expr(e));
        out.push(stmt);
    }

    /// Redirects a call with ragged arguments to the clone that takes flattened arrays.
    fn call(&self, function: &mut FunctionId, args: &mut Vec<Expr>) {
        let callee = &self.program.functions[*function].body;
        let parts = |(arg, param): (&Expr, &VarId)| match inner(&callee.variables[*param].ty) {
            Some(_) => cell_named(arg, self.cells).map(|cell| vec![cell.data.clone(), cell.table.clone()]),
            None => Some(vec![arg.clone()]),
        };
        let parts: Option<Vec<Vec<Expr>>> = args.iter().zip(&callee.params).map(parts).collect();
        if let (Some(parts), Some(version)) = (parts, self.versions.get(function)) {
            (*function, *args) = (*version, parts.into_iter().flatten().collect());
        }
    }

    /// The location of the inner array that an expression denotes.
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
                    *e = extents
                        .reduce(|a, b| build::of_ints("multiply", a, b))
                        .unwrap_or_else(|| int(1, span));
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

    fn cell(&self, array: &Expr) -> Option<&FlatArray> {
        match &array.kind {
            ExprKind::Local(v) => self.cells.get(v),
            _ => None,
        }
    }
}

fn count(item: &Item, span: Span) -> Expr {
    item.dims.iter().cloned().reduce(|a, b| build::of_ints("multiply", a, b)).unwrap_or_else(|| int(1, span))
}

/// The index of an element in the flat array; an out-of-range one if the boundary mode does not map it back inside.
fn place(item: &Item, index: &[Index], mode: Boundary) -> Option<Expr> {
    if index.len() != item.dims.len() {
        return None;
    }
    let (mut at, mut inside): (Option<Expr>, Option<Expr>) = (None, None);
    for (each, n) in index.iter().zip(&item.dims) {
        let Index::At(i) = each else { return None };
        let mapped = match mode {
            Boundary::Circular => build::of_ints("periodize", i.clone(), n.clone()),
            Boundary::Mirror => build::of_ints("mirror_ext", i.clone(), n.clone()),
            Boundary::Clamped => {
                build::of_ints("clamp", i.clone(), build::of_ints("subtract", n.clone(), int(1, i.span)))
            }
            Boundary::Checked | Boundary::Safe | Boundary::Unchecked => i.clone(),
        };
        if matches!(mode, Boundary::Checked | Boundary::Safe) {
            let both = |a, b: Expr| {
                let span = b.span;
                Expr::new(ExprKind::And(Box::new(a), Box::new(b)), int_type(), span)
            };
            let low = build::of_ints("greater_equal", i.clone(), int(0, i.span));
            let test = both(low, build::of_ints("less", i.clone(), n.clone()));
            inside = Some(inside.map_or(test.clone(), |before| both(before, test)));
        }
        at = Some(match at {
            None => mapped,
            Some(rows) => build::of_ints("add", build::of_ints("multiply", rows, n.clone()), mapped),
        });
    }
    let at = build::of_ints("add", item.begin.clone(), at?);
    let span = at.span;
    Some(match inside {
        None => at,
        Some(condition) => {
            let (condition, otherwise) = (Box::new(condition), Box::new(int(-1, span)));
            Expr::new(ExprKind::Select { condition, then: Box::new(at), otherwise }, int_type(), span)
        }
    })
}

/// A slice with the whole inner array.
fn whole(item: &Item, span: Span) -> Expr {
    let last = build::of_ints(
        "subtract",
        build::of_ints("add", item.begin.clone(), count(item, span)),
        int(1, span),
    );
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

/// A launch, or a call of a device function, with flattened arguments, between the code that flattens them and the code
/// that writes them back.
fn with_joined(
    body: &mut Body,
    launched: &BTreeMap<KernelId, Vec<Passed>>,
    called: &BTreeMap<FunctionId, (FunctionId, Vec<Passed>)>,
    mut stmt: Stmt,
) -> Vec<Stmt> {
    let span = stmt.span;
    let found = match &mut stmt.kind {
        StmtKind::Launch { kernel, args, .. } => launched.get(kernel).map(|params| (args, params)),
        StmtKind::Call { function, args, .. } => called.get(function).map(|(version, params)| {
            *function = *version;
            (args, params)
        }),
        _ => None,
    };
    let Some((args, params)) = found else { return vec![stmt] };
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
        // An argument that is passed twice is flattened once.
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
