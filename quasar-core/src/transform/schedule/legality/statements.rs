//! Which statements devices have a form for.

use super::{Checker, Legal, Space, private, refuse};
use crate::analysis::access_pattern::by_reference;
use crate::ir::{Block, Expr, ExprKind, FunctionId, Index, Range, Stmt, StmtKind, VarId, is_warp_function};
use crate::source::Span;
use crate::target::gpu::FAULT_VALUES;
use crate::types::known::{array_element, fixed, rank, scalar};
use quasar_devicelib::ops::Row;

/// Operations that have an atomic update.
const ATOMIC: &[&str] = &["add", "subtract", "multiply", "divide", "min", "max", "and", "or", "xor"];

impl Checker<'_, '_> {
    pub(super) fn block(&mut self, block: &[Stmt]) -> Legal {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Legal {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign { variable, value } => self.assign(*variable, value, span),
            StmtKind::Store { array, index, boundary: _, value } => self.store(array, index, value, span),
            StmtKind::Update { array, index, boundary: _, row, value, atomic, result: _ } => {
                self.changed(array, span)?;
                self.named(value)?;
                self.element(array, index, span)?;
                if *atomic { self.atomic(array, row, span) } else { Ok(()) }
            }
            StmtKind::Exchange { array, index, boundary: _, value, expected, result: _ } => {
                self.changed(array, span)?;
                self.named(value)?;
                expected.iter().try_for_each(|expected| self.named(expected))?;
                self.element(array, index, span)
            }
            StmtKind::Call { function, args, results: _ } => self.call(*function, args, span),
            StmtKind::If { condition, then, otherwise } => {
                self.value(condition)?;
                self.block(then)?;
                self.block(otherwise)
            }
            StmtKind::For { variable: _, range, body, attributes: _ } => self.for_range(range, body),
            StmtKind::While { condition, body } => {
                self.value(condition)?;
                self.in_loop(body)
            }
            StmtKind::Repeat { body, test, until } => {
                self.in_loop(body)?;
                self.block(test)?;
                self.value(until)
            }
            StmtKind::Break { levels } | StmtKind::Continue { levels } if *levels >= self.loops => {
                refuse(span, "a jump out of a parallel loop")
            }
            StmtKind::Break { .. } | StmtKind::Continue { .. } => Ok(()),
            StmtKind::Fail { failure: _, message } => self.message(message, span),
            StmtKind::Assert { condition, text: _, message } => {
                self.value(condition)?;
                self.message(message, span)
            }
            StmtKind::Shared { variable, dims, zeroed: _ } => self.shared(*variable, dims, span),
            StmtKind::Barrier(_) | StmtKind::Fence(_) => Ok(()),
            StmtKind::ForEach { .. } => refuse(span, "a loop over the elements of a vector"),
            StmtKind::Launch { .. } => refuse(span, "a launch inside a kernel"),
            StmtKind::Library { name, args, results: _ } if is_warp_function(stmt) => {
                self.warp_function(name, args)
            }
            StmtKind::Library { name, .. } => refuse(span, format!("'{name}'")),
            StmtKind::AssignGlobal { .. }
            | StmtKind::SetMember { .. }
            | StmtKind::CallValue { .. }
            | StmtKind::Strips { .. }
            | StmtKind::Try { .. } => refuse(span, "this statement"),
        }
    }

    fn assign(&mut self, variable: VarId, value: &Expr, span: Span) -> Legal {
        match self.in_memory.get(&variable) {
            None => self.value(value),
            Some(Space::Heap) if !self.body.params.contains(&variable) => {
                self.allocation(variable, value, span)
            }
            Some(_) => refuse(span, "assigning another array to a parameter"),
        }
    }

    /// An array that the thread allocates, takes over, or gives other dimensions.
    fn allocation(&mut self, variable: VarId, value: &Expr, span: Span) -> Legal {
        let rank = rank(&self.body.variables[variable].ty).unwrap_or(1);
        let numbers = |args: &[Expr]| args.len() == rank && args.iter().all(|dim| scalar(&dim.ty).is_some());
        let on_heap = |from: &VarId| self.in_memory.get(from) == Some(&Space::Heap);
        match &value.kind {
            ExprKind::Local(from) if on_heap(from) => Ok(()),
            ExprKind::Library { name: "reshape", args } => match args.split_first() {
                Some((Expr { kind: ExprKind::Local(from), .. }, dims)) if on_heap(from) && numbers(dims) => {
                    dims.iter().try_for_each(|dim| self.named(dim))
                }
                _ => refuse(span, "other dimensions of this array"),
            },
            ExprKind::Library { name: "zeros" | "uninit", args } if numbers(args) => {
                args.iter().try_for_each(|dim| self.named(dim))
            }
            _ => refuse(span, "this array of unknown size"),
        }
    }

    /// An array that a statement changes has a name.
    fn changed(&self, array: &Expr, span: Span) -> Legal {
        match array.kind {
            ExprKind::Local(_) => Ok(()),
            _ => refuse(span, "a change of this place"),
        }
    }

    fn store(&mut self, array: &Expr, index: &[Index], value: &Expr, span: Span) -> Legal {
        self.changed(array, span)?;
        if scalar(&value.ty).is_none() {
            return refuse(span, "a slice whose size is not known");
        }
        self.value(value)?;
        self.element(array, index, span)
    }

    fn atomic(&self, array: &Expr, row: &Row, span: Span) -> Legal {
        let common =
            matches!(array.kind, ExprKind::Local(v) if self.in_memory.get(&v) == Some(&Space::Common));
        if common && !ATOMIC.contains(&row.name) {
            return refuse(span, format!("an atomic change by '{}'", row.name));
        }
        Ok(())
    }

    fn in_loop(&mut self, body: &Block) -> Legal {
        self.loops += 1;
        let legal = self.block(body);
        self.loops -= 1;
        legal
    }

    fn for_range(&mut self, range: &Range, body: &Block) -> Legal {
        if scalar(&range.from.ty).is_none() {
            return refuse(range.from.span, "a loop over a range of unknown type");
        }
        let parts = [Some(&range.from), range.step.as_ref(), Some(&range.to)];
        parts.into_iter().flatten().try_for_each(|part| self.value(part))?;
        self.in_loop(body)
    }

    /// The parts of an error message, of which a device records the values.
    fn message(&mut self, message: &[Expr], span: Span) -> Legal {
        let mut words = 0;
        for part in message {
            if matches!(part.kind, ExprKind::Text(_)) {
                continue;
            }
            let (element, count) = match (fixed(&part.ty), scalar(&part.ty)) {
                (Some(sizes), _) => (array_element(&part.ty), sizes.iter().product()),
                (None, Some(element)) => (Some(element), 1),
                (None, None) => return refuse(part.span, "a value of this type in the message of an error"),
            };
            self.value(part)?;
            words += count * if element.is_some_and(|e| e.is_complex()) { 2 } else { 1 };
        }
        if words > FAULT_VALUES {
            return refuse(span, "an error message with so many values");
        }
        Ok(())
    }

    fn shared(&mut self, variable: VarId, dims: &[Expr], span: Span) -> Legal {
        let ty = &self.body.variables[variable].ty;
        let (Some(_), Some(rank)) = (array_element(ty), rank(ty)) else {
            return refuse(span, "a shared array of this type");
        };
        if rank != dims.len() || !self.in_memory.contains_key(&variable) {
            return refuse(span, "a shared array whose number of dimensions is not known");
        }
        dims.iter().try_for_each(|dim| self.value(dim))
    }

    /// What the threads of a warp do together.
    fn warp_function(&mut self, name: &str, args: &[Expr]) -> Legal {
        args.iter().try_for_each(|arg| self.value(arg))?;
        let typed = name.starts_with("group_shuffle") || name.starts_with("group_match");
        if typed && args.get(1).and_then(|value| scalar(&value.ty)).is_none() {
            return refuse(args.first().map_or_else(Span::default, |arg| arg.span), "a value of this type");
        }
        Ok(())
    }

    fn call(&mut self, function: FunctionId, args: &[Expr], span: Span) -> Legal {
        let callee = &self.program.functions[function].body;
        let mut spaces = Vec::new();
        for (arg, &param) in args.iter().zip(&callee.params) {
            if !by_reference(self.program, callee, param) {
                self.value(arg)?;
                continue;
            }
            let space = match arg.kind {
                ExprKind::Local(v) => self
                    .in_memory
                    .get(&v)
                    .copied()
                    .or_else(|| fixed(&self.body.variables[v].ty).map(|_| Space::Private)),
                _ => None,
            };
            let Some(space) = space else {
                return refuse(arg.span, "passing this array to a device function");
            };
            spaces.push(space);
        }
        self.function(function, spaces, span)
    }

    /// A value that is kept under a name, to be used several times.
    pub(super) fn named(&mut self, expr: &Expr) -> Legal {
        self.value(expr)?;
        match expr.kind {
            ExprKind::Constant(_) | ExprKind::Local(_) => Ok(()),
            _ => private(&expr.ty, expr.span),
        }
    }
}
