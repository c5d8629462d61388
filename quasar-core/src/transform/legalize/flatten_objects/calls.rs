//! Calls of device functions with objects.

use super::leaves::{Handle, Object, Place};
use super::rewrite::Rewriter;
use super::{Mode, class_of_elements, leaves};
use crate::ir::{Expr, ExprKind, FunctionId, Index, StmtKind, VarId};
use crate::source::Span;
use crate::types::Type;
use std::collections::BTreeSet;

impl Rewriter<'_, '_> {
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        args: Vec<Expr>,
        results: Vec<Option<VarId>>,
        span: Span,
    ) {
        let known = self.pass.modes.get(&function).cloned();
        let mut modes = Vec::new();
        let mut passed = Vec::new();
        // Objects that are only read are passed as they are now.
        let (mut read, mut changed) = (Vec::new(), Vec::new());
        for (k, arg) in args.into_iter().enumerate() {
            let changes = self.pass.written.contains(&(function, k));
            let at = arg.span;
            let mode = match &arg.ty {
                ty if class_of_elements(ty).is_some() => Mode::Arrays,
                Type::Class(_) if !changes => Mode::Leaves { cells: BTreeSet::new() },
                Type::Class(_) => match self.object(&arg) {
                    Some(Object::Element { index, .. }) => Mode::Element(index.len()),
                    _ => {
                        self.refuse(at, "functions that change an object of the kernel itself");
                        return;
                    }
                },
                _ => Mode::Plain,
            };
            let of = self.arrays_of(&arg);
            if changes {
                changed.extend(of)
            } else {
                read.extend(of)
            }
            self.argument(&mode, arg, changes, &mut passed);
            modes.push(mode);
        }
        if read.iter().any(|array| changed.contains(array)) {
            return self
                .refuse(span, "functions that are given an object and change it through another argument");
        }
        match known {
            Some(known) if known != modes => {
                return self
                    .refuse(span, "a function that changes elements of arrays of different dimensions");
            }
            Some(_) => {}
            None => self.learn(function, modes),
        }
        let targets = self.targets(function, results, span);
        self.emit(StmtKind::Call { function, args: passed, results: targets }, span);
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

    /// The first call says how a function gets its objects.
    fn learn(&mut self, function: FunctionId, modes: Vec<Mode>) {
        self.pass.modes.insert(function, modes);
        self.pass.queue.push_back(function);
    }

    fn argument(&mut self, mode: &Mode, arg: Expr, changes: bool, passed: &mut Vec<Expr>) {
        let span = arg.span;
        match mode {
            Mode::Plain => passed.push(self.expr(arg)),
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
