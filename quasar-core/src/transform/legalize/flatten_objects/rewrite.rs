//! One body: what its variables with objects stand for, and its statements in those terms.

use super::leaves::{Handle, Object, Place, whole, zero};
use super::object_pools::Pools;
use super::{Mode, Pass, class_of_elements, is_open, leaf_array};
use crate::ir::build;
use crate::ir::rewrite::{blocks_mut, children_mut, operands_mut, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Stmt, StmtKind, VarId, VarSet, Variable};
use crate::source::Span;
use crate::types::{ArrayType, Boundary, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Where a number in an object is.
enum Number {
    Own(VarId),
    Element { array: Expr, index: Vec<Index>, boundary: Boundary },
}

pub(super) struct Rewriter<'a, 'p> {
    pub(super) pass: &'a mut Pass<'p>,
    pub(super) body: Body,
    /// Variables of classes.
    pub(super) handles: BTreeMap<VarId, Handle>,
    /// Arrays of objects: the arrays of their leaves.
    pub(super) arrays: BTreeMap<VarId, Vec<VarId>>,
    /// The new parameters.
    params: Vec<VarId>,
    /// The arrays and places that are written.
    pub(super) stored: BTreeSet<VarId>,
    out: Block,
}

impl<'a, 'p> Rewriter<'a, 'p> {
    pub(super) fn new(pass: &'a mut Pass<'p>, body: Body, modes: &[Mode]) -> Self {
        let mut this = Rewriter {
            pass,
            body,
            handles: BTreeMap::new(),
            arrays: BTreeMap::new(),
            params: Vec::new(),
            stored: BTreeSet::new(),
            out: Block::new(),
        };
        for (param, mode) in this.body.params.clone().into_iter().zip(modes) {
            this.param(param, mode);
        }
        this
    }

    /// The body, the new parameters that it writes to, and those that hold fields of objects in pools.
    pub(super) fn run(mut self, pools: &Pools) -> (Body, BTreeSet<usize>, BTreeSet<VarId>) {
        let of_pools = |(param, _): &(&VarId, _)| {
            let class = class_of_elements(&self.body.variables[**param].ty);
            class.is_some_and(|(_, class)| pools.of_flat(class).is_some())
        };
        let of_pools: VarSet =
            self.arrays.iter().filter(of_pools).flat_map(|(_, leaves)| leaves).copied().collect();
        self.locals();
        let block = std::mem::take(&mut self.body.block);
        let block = self.block(block);
        let results = self.body.results.clone().into_iter().flat_map(|result| self.result(result)).collect();
        self.body.block = block;
        self.body.params = std::mem::take(&mut self.params);
        self.body.results = results;
        let written = self.body.params.iter().enumerate().filter(|(_, param)| self.stored.contains(param));
        let written = written.map(|(k, _)| k).collect();
        let params = self.body.params.iter().enumerate();
        let of_pools: Vec<usize> = params.filter(|(_, id)| of_pools.contains(id)).map(|(k, _)| k).collect();
        crate::ir::prune::prune(&mut self.body);
        let of_pools = of_pools.into_iter().map(|k| self.body.params[k]).collect();
        (self.body, written, of_pools)
    }

    pub(super) fn refuse(&mut self, span: Span, what: &str) {
        self.pass.refuse(span, what);
    }

    // ---- variables

    fn leaf_variable(&mut self, of: VarId, name: &str, ty: Type) -> VarId {
        let original = &self.body.variables[of];
        let variable = Variable { name: format!("{}.{name}", original.name), ty, ..original.clone() };
        self.body.variables.push(variable)
    }

    fn param(&mut self, param: VarId, mode: &Mode) {
        let ty = self.body.variables[param].ty.clone();
        match (mode, &ty) {
            (Mode::Arrays, Type::Array(array)) => {
                let Some((_, class)) = class_of_elements(&ty) else { return };
                let leaves = self.leaves(class);
                let arrays: Vec<VarId> = leaves
                    .iter()
                    .map(|leaf| self.leaf_variable(param, &leaf.name, reference(array, &leaf.ty)))
                    .collect();
                self.params.extend(&arrays);
                self.arrays.insert(param, arrays);
            }
            (Mode::Leaves { cells }, Type::Class(class)) => {
                let mut places = Vec::new();
                for (k, leaf) in self.leaves(class).into_iter().enumerate() {
                    let place = if cells.contains(&k) {
                        Place::Cell(self.leaf_variable(param, &leaf.name, cell(&leaf.ty)))
                    } else {
                        Place::Value(self.leaf_variable(param, &leaf.name, leaf.ty))
                    };
                    let (Place::Value(variable) | Place::Cell(variable)) = place;
                    self.body.variables[variable].boundary = Boundary::Safe;
                    self.params.push(variable);
                    places.push(place);
                }
                self.handles.insert(param, Handle::Own(places));
            }
            (Mode::Cells, Type::Class(class)) => {
                let mut places = Vec::new();
                for leaf in self.leaves(class) {
                    let variable = self.leaf_variable(param, &leaf.name, cell(&leaf.ty));
                    self.body.variables[variable].boundary = Boundary::Safe;
                    self.params.push(variable);
                    let array = leaf.ty.as_array().is_some();
                    places.push(if array { Place::Value(variable) } else { Place::Cell(variable) });
                }
                self.handles.insert(param, Handle::Own(places));
            }
            (Mode::Element(rank), Type::Class(class)) => {
                let array = ArrayType::new(ty.clone(), &vec![None; *rank]);
                let leaves = self.leaves(class);
                let arrays: Vec<VarId> = leaves
                    .iter()
                    .map(|leaf| self.leaf_variable(param, &leaf.name, reference(&array, &leaf.ty)))
                    .collect();
                let index = self.position(param, *rank);
                self.params.extend(arrays.iter().chain(&index));
                // The caller's array was asked for what lies outside already.
                let boundary = Boundary::Safe;
                self.handles.insert(param, Handle::Element { arrays, index, boundary });
            }
            _ => self.params.push(param),
        }
    }

    /// Variables for a position.
    fn position(&mut self, of: VarId, rank: usize) -> Vec<VarId> {
        (0..rank).map(|k| self.leaf_variable(of, &k.to_string(), Type::INT)).collect()
    }

    /// Finds out what the local variables of classes stand for.
    fn locals(&mut self) {
        let params = self.body.params.clone();
        let open: Vec<VarId> = self
            .body
            .variables
            .iter()
            .filter(|(id, variable)| matches!(variable.ty, Type::Class(_)) && !params.contains(id))
            .map(|(id, _)| id)
            .collect();
        let assigned = assignments(&self.body.block);
        // Variables that take over from others come after those.
        for _ in 0..open.len().max(1) {
            for variable in &open {
                if !self.handles.contains_key(variable) {
                    self.local(*variable, &assigned);
                }
            }
        }
    }

    fn local(&mut self, variable: VarId, assigned: &BTreeMap<VarId, Vec<Expr>>) {
        let values = assigned.get(&variable).map_or(&[][..], Vec::as_slice);
        let Some(class) = self.class_of(&self.body.variables[variable].ty) else { return };
        let made = values.iter().all(|value| matches!(value.kind, ExprKind::New(_)));
        if made {
            // Made here, or the result of a call.
            let leaves = self.leaves(&class);
            let places = leaves.into_iter().map(|leaf| {
                let place = self.leaf_variable(variable, &leaf.name, leaf.ty);
                self.body.variables[place].boundary = Boundary::Safe;
                Place::Value(place)
            });
            let places = places.collect();
            self.handles.insert(variable, Handle::Own(places));
            return;
        }
        let Some(first) = values.first() else { return };
        // Positions are looked at when the statement is rewritten; here only where they lead.
        let Some(Object::Element { arrays, index, boundary }) = self.object(first) else {
            let alias = match (values, self.object(first)) {
                ([_], Some(Object::Own(places))) if self.is_fixed(first) => Some(Handle::Own(places)),
                _ => None,
            };
            self.handles.extend(alias.map(|handle| (variable, handle)));
            return;
        };
        let index = self.position(variable, index.len());
        self.handles.insert(variable, Handle::Element { arrays, index, boundary });
    }

    /// Whether an expression names a parameter or a part of one, which is one object for the whole body.
    fn is_fixed(&self, expr: &Expr) -> bool {
        super::root(expr).is_some_and(|root| self.body.params.contains(&root))
    }

    /// Whether a place belongs to an object that is made here.
    fn is_local(&self, place: Place) -> bool {
        matches!(place, Place::Value(variable) if !self.params.contains(&variable))
    }

    fn result(&mut self, result: VarId) -> Vec<VarId> {
        if !self.body.variables[result].ty.mentions_objects() {
            return vec![result];
        }
        let span = self.body.variables[result].span;
        match self.handles.get(&result) {
            Some(Handle::Own(places)) if places.iter().all(|place| self.is_local(*place)) => {
                let variables = places.iter().filter_map(|place| match place {
                    Place::Value(variable) => Some(*variable),
                    Place::Cell(_) => None,
                });
                variables.collect()
            }
            _ => {
                self.refuse(
                    span,
                    "giving back an object that is an element or a parameter in device functions",
                );
                Vec::new()
            }
        }
    }

    // ---- statements

    fn block(&mut self, block: Block) -> Block {
        let outer = std::mem::take(&mut self.out);
        for stmt in block {
            self.stmt(stmt);
        }
        std::mem::replace(&mut self.out, outer)
    }

    pub(super) fn emit(&mut self, kind: StmtKind, span: Span) {
        self.out.push(Stmt { kind, span });
    }

    fn stmt(&mut self, mut stmt: Stmt) {
        let span = stmt.span;
        match stmt.kind {
            StmtKind::Assign { variable, value } if matches!(value.ty, Type::Class(_)) => {
                self.assign_object(variable, value, span);
            }
            StmtKind::SetMember { object, field, value } => self.set_member(object, field, value, span),
            StmtKind::Store { array, index, boundary, value } => {
                let value = self.expr(value);
                if let Some((array, index, boundary)) = self.place(array, index, boundary) {
                    self.emit(StmtKind::Store { array, index, boundary, value }, span);
                }
            }
            StmtKind::Update { array, index, boundary, row, value, atomic, result } => {
                let value = self.expr(value);
                if !matches!(array.ty, Type::Array(_)) {
                    return self.update_number(array, row, value, result, span);
                }
                if let Some((array, index, boundary)) = self.place(array, index, boundary) {
                    self.emit(StmtKind::Update { array, index, boundary, row, value, atomic, result }, span);
                }
            }
            StmtKind::Exchange { array, index, boundary, value, expected, result } => {
                let value = self.expr(value);
                let expected = expected.map(|expected| self.expr(expected));
                if !matches!(array.ty, Type::Array(_)) {
                    return self.exchange_number(array, value, expected, result, span);
                }
                if let Some((array, index, boundary)) = self.place(array, index, boundary) {
                    self.emit(StmtKind::Exchange { array, index, boundary, value, expected, result }, span);
                }
            }
            StmtKind::Call { function, args, results } => self.call(function, args, results, span),
            _ => {
                operands_mut(&mut stmt, &mut |e| {
                    let taken = std::mem::replace(e, build::int(0, span));
                    *e = self.expr(taken);
                });
                blocks_mut(&mut stmt, &mut |block| *block = self.block(std::mem::take(block)));
                self.out.push(stmt);
            }
        }
    }

    pub(super) fn temporary(&mut self, value: Expr) -> Expr {
        let (span, variable) = (value.span, self.body.temporary(value.ty.clone(), value.span));
        self.emit(StmtKind::Assign { variable, value }, span);
        self.body.read(variable, span)
    }

    fn assign_object(&mut self, variable: VarId, value: Expr, span: Span) {
        let handle = self.handles.get(&variable).cloned();
        match (handle, &value.kind) {
            (Some(Handle::Own(places)), ExprKind::New(_)) => {
                let ExprKind::New(fields) = value.kind else { return };
                if fields.iter().any(|field| is_open(&field.ty)) {
                    return self.refuse(span, "making objects with arrays of unknown sizes in kernels");
                }
                let mut values = Vec::new();
                for field in fields {
                    values.extend(self.leaf_values(field));
                }
                // All are computed before the first place changes.
                let values: Vec<Expr> = values.into_iter().map(|value| self.temporary(value)).collect();
                for (place, value) in places.into_iter().zip(values) {
                    if let Place::Value(variable) = place {
                        self.emit(StmtKind::Assign { variable, value }, span);
                    }
                }
            }
            (Some(Handle::Element { arrays, index, .. }), _) => match self.object(&value) {
                Some(Object::Element { arrays: from, index: at, .. }) if from == arrays => {
                    let at = at.into_iter().filter_map(|index| match index {
                        Index::At(at) => Some(at),
                        _ => None,
                    });
                    let at: Vec<Expr> = at.map(|at| self.temporary(at)).collect();
                    for (variable, value) in index.into_iter().zip(at) {
                        self.emit(StmtKind::Assign { variable, value }, span);
                    }
                }
                _ => self.refuse(span, "a variable for objects of different origin in kernels"),
            },
            (Some(Handle::Own(places)), _) => match self.object(&value) {
                Some(Object::Own(from)) if from == places => {}
                _ => self.refuse(span, "a second name for an object that a kernel makes"),
            },
            _ => self.refuse(span, "this use of an object in kernels"),
        }
    }

    /// The values of all leaves of a field's value.
    pub(super) fn leaf_values(&mut self, value: Expr) -> Vec<Expr> {
        let span = value.span;
        let Some(class) = self.class_of(&value.ty) else { return vec![self.expr(value)] };
        let Some(object) = self.object(&value) else {
            self.refuse(span, "this use of an object in kernels");
            return Vec::new();
        };
        let mut values = Vec::new();
        for (k, leaf) in self.leaves(&class).into_iter().enumerate() {
            let part = match &object {
                Object::Own(places) => Object::Own(places[k..].to_vec()),
                Object::Element { arrays, index, boundary } => Object::Element {
                    arrays: arrays[k..].to_vec(),
                    index: index.clone(),
                    boundary: *boundary,
                },
            };
            values.extend(self.read(&part, &leaf.ty, span));
        }
        values
    }

    fn set_member(&mut self, object: Expr, field: usize, value: Expr, span: Span) {
        let ty = value.ty.clone();
        let value = self.expr(value);
        if is_open(&ty) {
            return self.refuse(span, "giving an object an array of unknown sizes in kernels");
        }
        let member = Expr::new(ExprKind::Member(Box::new(object), field), ty, span);
        let Some(object) = self.leaf(&member) else {
            return self.refuse(span, "this change of an object in kernels");
        };
        let store = |this: &mut Self, array: VarId, index, boundary, value: Expr| {
            this.stored.insert(array);
            let element = this.body.variables[array].ty.as_array().map(|array| (*array.element).clone());
            let value = build::convert(value, &element.unwrap_or(Type::INT));
            let array = this.body.read(array, span);
            this.emit(StmtKind::Store { array, index, boundary, value }, span);
        };
        match object {
            Object::Own(places) => match places.first() {
                Some(Place::Value(variable)) => {
                    let variable = *variable;
                    self.emit(StmtKind::Assign { variable, value }, span);
                }
                Some(Place::Cell(array)) => store(self, *array, vec![zero(span)], Boundary::Safe, value),
                None => {}
            },
            Object::Element { arrays, index, boundary } => {
                if let Some(array) = arrays.first() {
                    store(self, *array, index, boundary, value);
                }
            }
        }
    }

    /// Where a number in an object is: in a variable, or among elements that other threads see.
    fn number(&mut self, member: &Expr, span: Span) -> Option<Number> {
        let Some(object) = self.leaf(member) else {
            self.refuse(span, "this change of an object in kernels");
            return None;
        };
        let (array, index, boundary) = match object {
            Object::Own(places) => match *places.first()? {
                Place::Value(variable) => return Some(Number::Own(variable)),
                Place::Cell(array) => (array, vec![zero(span)], Boundary::Safe),
            },
            Object::Element { arrays, index, boundary } => (*arrays.first()?, index, boundary),
        };
        self.stored.insert(array);
        Some(Number::Element { array: self.body.read(array, span), index, boundary })
    }

    /// `object.field op= value`, in one step where other threads see the object.
    fn update_number(
        &mut self,
        member: Expr,
        row: &'static quasar_devicelib::ops::Row,
        value: Expr,
        result: Option<VarId>,
        span: Span,
    ) {
        match self.number(&member, span) {
            None => {}
            Some(Number::Own(variable)) => {
                let current = self.body.read(variable, span);
                let new = build::apply(row, vec![current, value], member.ty.clone(), span);
                self.emit(StmtKind::Assign { variable, value: new }, span);
                if let Some(result) = result {
                    let value = self.body.read(variable, span);
                    self.emit(StmtKind::Assign { variable: result, value }, span);
                }
            }
            Some(Number::Element { array, index, boundary }) => {
                self.emit(
                    StmtKind::Update { array, index, boundary, row, value, atomic: true, result },
                    span,
                );
            }
        }
    }

    /// `object.field <- value`; the old value goes to the result.
    fn exchange_number(
        &mut self,
        member: Expr,
        value: Expr,
        expected: Option<Expr>,
        result: Option<VarId>,
        span: Span,
    ) {
        match self.number(&member, span) {
            None => {}
            Some(Number::Own(variable)) => {
                let value = self.temporary(value);
                let current = self.body.read(variable, span);
                let old = self.temporary(current);
                let assign = Stmt::new(StmtKind::Assign { variable, value }, span);
                match (expected, quasar_devicelib::ops::find("equal")) {
                    (Some(expected), Some(equal)) => {
                        let condition = build::apply(equal, vec![old.clone(), expected], Type::INT, span);
                        self.out.push(build::choice(condition, vec![assign], Block::new(), span));
                    }
                    _ => self.out.push(assign),
                }
                if let Some(variable) = result {
                    self.emit(StmtKind::Assign { variable, value: old }, span);
                }
            }
            Some(Number::Element { array, index, boundary }) => {
                self.emit(StmtKind::Exchange { array, index, boundary, value, expected, result }, span);
            }
        }
    }

    /// Elements of an array that may lie inside of an object.
    fn place(
        &mut self,
        array: Expr,
        index: Vec<Index>,
        boundary: Boundary,
    ) -> Option<(Expr, Vec<Index>, Boundary)> {
        let span = array.span;
        let index: Vec<Index> = index.into_iter().map(|index| self.index(index)).collect();
        if !matches!(array.kind, ExprKind::Member(..)) {
            return Some((self.expr(array), index, boundary));
        }
        let leaf = array.ty.clone();
        let sizes = leaf.as_array().map_or(&[][..], |array| &array.sizes);
        let index: Vec<Index> = index
            .into_iter()
            .enumerate()
            .map(|(axis, index)| match index {
                Index::All => whole(sizes.get(axis).copied().flatten(), span),
                other => other,
            })
            .collect();
        let Some(object) = self.leaf(&array) else {
            self.refuse(span, "this use of an object in kernels");
            return None;
        };
        match object {
            Object::Own(places) => {
                let Some(Place::Value(variable)) = places.first().copied() else { return None };
                self.stored.insert(variable);
                Some((self.body.read(variable, span), index, boundary))
            }
            Object::Element { arrays, index: at, boundary: outside } if is_open(&leaf) => {
                let array = *arrays.first()?;
                self.stored.insert(array);
                Some((self.load(array, at, outside, &leaf, span), index, boundary))
            }
            Object::Element { arrays, index: mut at, boundary: outside } => {
                let array = *arrays.first()?;
                if boundary != outside && !inside(&leaf, &index) {
                    self.refuse(
                        span,
                        "different boundary modes for an array of objects and an array in them",
                    );
                }
                self.stored.insert(array);
                at.extend(index);
                Some((self.body.read(array, span), at, outside))
            }
        }
    }

    // ---- expressions

    fn index(&mut self, mut index: Index) -> Index {
        match &mut index {
            Index::At(e) | Index::List(e) | Index::Position(e) => {
                let taken = std::mem::replace(e, build::int(0, Span::default()));
                *e = self.expr(taken);
            }
            Index::Range(range) => {
                for e in
                    [Some(&mut range.from), range.step.as_mut(), Some(&mut range.to)].into_iter().flatten()
                {
                    let taken = std::mem::replace(e, build::int(0, Span::default()));
                    *e = self.expr(taken);
                }
            }
            Index::All => {}
        }
        index
    }

    pub(super) fn expr(&mut self, mut expr: Expr) -> Expr {
        let span = expr.span;
        match expr.kind {
            ExprKind::Member(..) if !matches!(expr.ty, Type::Class(_)) => {
                if let Some(object) = self.leaf(&expr)
                    && let Some(value) = self.read(&object, &expr.ty, span)
                {
                    return value;
                }
                self.refuse(span, "this use of an object in kernels");
                expr
            }
            ExprKind::Load { array, index, boundary } if matches!(array.kind, ExprKind::Member(..)) => {
                let stored = self.stored.clone();
                let place = self.place(*array, index, boundary);
                // It is only read here.
                self.stored = stored;
                match place {
                    Some((array, index, boundary)) => {
                        let raw = match (&array.ty, &expr.ty) {
                            (Type::Array(array), Type::Enum(_)) => (*array.element).clone(),
                            (_, ty) => ty.clone(),
                        };
                        let kind = ExprKind::Load { array: Box::new(array), index, boundary };
                        build::convert(Expr::new(kind, raw, span), &expr.ty)
                    }
                    None => build::int(0, span),
                }
            }
            ExprKind::Extent(array, axis) if class_of_elements(&array.ty).is_some() => {
                match self.first_leaf(&array) {
                    Some(leaf) => build::extent(self.body.read(leaf, span), axis, span),
                    None => {
                        self.refuse(span, "this use of an array of objects in kernels");
                        build::int(0, span)
                    }
                }
            }
            ExprKind::Count(array) if class_of_elements(&array.ty).is_some() => self.count(&array, span),
            ExprKind::Local(_) | ExprKind::New(_) | ExprKind::Same(..) if objects(&expr) => {
                self.refuse(span, "this use of an object in kernels");
                expr
            }
            _ => {
                children_mut(&mut expr, &mut |e| {
                    let taken = std::mem::replace(e, build::int(0, span));
                    *e = self.expr(taken);
                });
                expr
            }
        }
    }

    fn first_leaf(&self, array: &Expr) -> Option<VarId> {
        match array.kind {
            ExprKind::Local(variable) => self.arrays.get(&variable)?.first().copied(),
            _ => None,
        }
    }

    /// The number of objects in an array: the product of its extents.
    fn count(&mut self, array: &Expr, span: Span) -> Expr {
        let (Some(leaf), Some(rank)) =
            (self.first_leaf(array), array.ty.as_array().and_then(|a| a.known_rank()))
        else {
            self.refuse(span, "this use of an array of objects in kernels");
            return build::int(0, span);
        };
        let extents = (0..rank).map(|axis| build::extent(self.body.read(leaf, span), axis, span));
        let product = |a: Expr, b: Expr| match quasar_devicelib::ops::find("multiply") {
            Some(row) => build::apply(row, vec![a, b], Type::INT, span),
            None => a,
        };
        extents.reduce(product).unwrap_or_else(|| build::int(0, span))
    }
}

/// The type of an array of leaves as kernels and device functions are given it: by reference, whatever its sizes.
fn reference(array: &ArrayType, leaf: &Type) -> Type {
    match leaf_array(array, leaf) {
        Type::Array(array) => Type::Array(array.with_sizes(&vec![None; array.sizes.len()])),
        other => other,
    }
}

/// The type of one leaf of an object that a function changes: an array of one element, or the array that it is.
pub(super) fn cell(leaf: &Type) -> Type {
    if leaf.as_array().is_some() { leaf.clone() } else { Type::array(super::stored(leaf), &[Some(1)]) }
}

/// Whether an expression is, or compares, objects.
fn objects(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Same(..)) || expr.ty.mentions_objects()
}

/// Whether constant indices lie inside of an array of known sizes.
fn inside(array: &Type, index: &[Index]) -> bool {
    let Type::Array(array) = array else { return false };
    array.sizes.len() == index.len()
        && array.sizes.iter().zip(index).all(|(size, index)| match index {
            Index::At(at) => {
                at.constant_int().is_some_and(|at| at >= 0 && size.is_some_and(|size| (at as u32) < size))
            }
            Index::All => true,
            Index::Range(range) => {
                let ends = [&range.from, &range.to].map(Expr::constant_int);
                ends.iter().all(|end| {
                    end.is_some_and(|end| end >= 0 && size.is_some_and(|size| (end as u32) < size))
                })
            }
            _ => false,
        })
}

/// What is assigned to each variable of a class.
fn assignments(block: &Block) -> BTreeMap<VarId, Vec<Expr>> {
    let mut found: BTreeMap<VarId, Vec<Expr>> = BTreeMap::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Assign { variable, value } = &stmt.kind
            && matches!(value.ty, Type::Class(_))
        {
            found.entry(*variable).or_default().push(value.clone());
        }
    });
    found
}
