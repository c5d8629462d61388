//! Calls of device functions with objects.

use super::leaves::{Handle, Object, Place, zero};
use super::rewrite::{Rewriter, cell};
use super::{Mode, Pass, class_of_elements, leaves, stored};
use crate::ir::{Expr, ExprKind, Function, FunctionId, Index, StmtKind, VarId, build};
use crate::source::Span;
use crate::types::{Boundary, Type};
use std::collections::BTreeSet;

impl Pass<'_> {
    /// The function, or the copy of it, that gets its objects in these ways. The first call says how the function itself does.
    fn passed_by(&mut self, function: FunctionId, modes: Vec<Mode>) -> FunctionId {
        if let Some((_, copies)) = self.originals.get(&function) {
            let mut all = std::iter::once(&function).chain(copies);
            if let Some(known) = all.find(|id| self.modes.get(id) == Some(&modes)) {
                return *known;
            }
        }
        let plain = self.program.functions[function].clone();
        let first = !self.originals.contains_key(&function);
        let (original, copies) = self.originals.entry(function).or_insert((plain, Vec::new()));
        let id = if first {
            function
        } else {
            let name = self.program.free_name(&original.name);
            let id = self.program.functions.push(Function { name, ..original.clone() });
            copies.push(id);
            self.results.push(self.results[function.index()].clone());
            let of_original = |(of, _): &&(FunctionId, usize)| *of == function;
            let written: Vec<usize> = self.written.iter().filter(of_original).map(|(_, k)| *k).collect();
            self.written.extend(written.into_iter().map(|k| (id, k)));
            id
        };
        self.modes.insert(id, modes);
        self.queue.push_back(id);
        id
    }
}

impl Rewriter<'_, '_> {
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        args: Vec<Expr>,
        results: Vec<Option<VarId>>,
        span: Span,
    ) {
        let mut modes = Vec::new();
        let mut passed = Vec::new();
        // Objects that are only read are passed as they are now.
        let (mut read, mut changed, mut back) = (Vec::new(), Vec::new(), Vec::new());
        for (k, arg) in args.into_iter().enumerate() {
            let changes = self.pass.written.contains(&(function, k));
            let at = arg.span;
            let mode = match &arg.ty {
                ty if class_of_elements(ty).is_some() => Mode::Arrays,
                Type::Class(_) if !changes => Mode::Leaves { cells: BTreeSet::new() },
                Type::Class(_) => match self.object(&arg) {
                    Some(Object::Element { index, .. }) => Mode::Element(index.len()),
                    Some(Object::Own(_)) => Mode::Cells,
                    None => return self.refuse(at, "this use of an object in kernels"),
                },
                _ => Mode::Plain,
            };
            let of = self.arrays_of(&arg);
            if mode == Mode::Cells && of.iter().any(|place| changed.contains(place)) {
                return self.refuse(at, "one object for two parameters of a function that changes it");
            }
            if changes {
                changed.extend(of)
            } else {
                read.extend(of)
            }
            match mode {
                Mode::Cells => self.cells(&arg, &mut passed, &mut back),
                _ => self.argument(&mode, arg, changes, &mut passed),
            }
            modes.push(mode);
        }
        if read.iter().any(|array| changed.contains(array)) {
            return self
                .refuse(span, "functions that are given an object and change it through another argument");
        }
        let function = self.pass.passed_by(function, modes);
        let targets = self.targets(function, results, span);
        self.emit(StmtKind::Call { function, args: passed, results: targets }, span);
        for (variable, value) in back {
            self.emit(StmtKind::Assign { variable, value }, span);
        }
    }

    /// The places of an object that a function changes. Numbers in variables are passed in arrays of one element, from which they
    /// come back.
    fn cells(&mut self, object: &Expr, passed: &mut Vec<Expr>, back: &mut Vec<(VarId, Expr)>) {
        let span = object.span;
        let (Some(class), Some(Object::Own(places))) = (self.class_of(&object.ty), self.object(object))
        else {
            return;
        };
        for (place, leaf) in places.into_iter().zip(self.leaves(&class)) {
            let (Place::Value(variable) | Place::Cell(variable)) = place;
            self.stored.insert(variable);
            let value = self.body.read(variable, span);
            let array = match place {
                Place::Value(_) if leaf.ty.as_array().is_none() => {
                    let one = cell(&leaf.ty);
                    let value = build::convert(value, &stored(&leaf.ty));
                    let array = self.temporary(Expr::new(ExprKind::Array(vec![value]), one, span));
                    let first = self.load_first(&array, &leaf.ty);
                    back.push((variable, first));
                    array
                }
                _ => value,
            };
            passed.push(array);
        }
    }

    fn load_first(&self, array: &Expr, leaf: &Type) -> Expr {
        let (index, boundary) = (vec![zero(array.span)], Boundary::Unchecked);
        let load = ExprKind::Load { array: Box::new(array.clone()), index, boundary };
        build::convert(Expr::new(load, stored(leaf), array.span), leaf)
    }

    /// The arrays that hold the objects of an argument.
    fn arrays_of(&mut self, arg: &Expr) -> Vec<VarId> {
        match (&arg.kind, &arg.ty) {
            (_, Type::Class(_)) => match self.object(arg) {
                Some(Object::Element { arrays, .. }) => arrays,
                Some(Object::Own(places)) => places
                    .into_iter()
                    .map(|(Place::Value(variable) | Place::Cell(variable))| variable)
                    .collect(),
                None => Vec::new(),
            },
            (ExprKind::Local(variable), _) => self.arrays.get(variable).cloned().unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    fn argument(&mut self, mode: &Mode, arg: Expr, changes: bool, passed: &mut Vec<Expr>) {
        let span = arg.span;
        match mode {
            Mode::Plain | Mode::Cells => passed.push(self.expr(arg)),
            Mode::Leaves { .. } => {
                let values = self.leaf_values(arg);
                passed.extend(values);
            }
            Mode::Arrays => {
                let arrays = match arg.kind {
                    ExprKind::Local(variable) => self.arrays.get(&variable).cloned(),
                    _ => None,
                };
                let Some(arrays) = arrays else {
                    return self.refuse(span, "this use of an array of objects in kernels");
                };
                for array in arrays {
                    if changes {
                        self.stored.insert(array);
                    }
                    passed.push(self.body.read(array, span));
                }
            }
            Mode::Element(_) => {
                let Some(Object::Element { arrays, index, boundary: _ }) = self.object(&arg) else { return };
                for array in arrays {
                    self.stored.insert(array);
                    passed.push(self.body.read(array, span));
                }
                for index in index {
                    if let Index::At(at) = index {
                        passed.push(at);
                    }
                }
            }
        }
    }

    /// Where the results go: those that are objects are their leaves.
    fn targets(
        &mut self,
        function: FunctionId,
        results: Vec<Option<VarId>>,
        span: Span,
    ) -> Vec<Option<VarId>> {
        let signature = self.pass.result_types(function);
        let mut targets = Vec::new();
        for (result, ty) in results.into_iter().zip(signature) {
            let Type::Class(class) = &ty else {
                targets.push(result);
                continue;
            };
            let count = leaves(self.pass.program, class).len();
            let places = match result.map(|result| self.handles.get(&result).cloned()) {
                None => vec![None; count],
                Some(Some(Handle::Own(places))) => places
                    .into_iter()
                    .map(|place| match place {
                        Place::Value(variable) => Some(variable),
                        Place::Cell(_) => None,
                    })
                    .collect(),
                Some(_) => {
                    self.refuse(span, "this use of an object that a function gives back in kernels");
                    return targets;
                }
            };
            targets.extend(places);
        }
        targets
    }
}
