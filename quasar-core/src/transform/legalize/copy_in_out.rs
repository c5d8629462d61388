//! An array whose elements must be converted for a call is copied in; where the callee may write to it, what it changed
//! is copied out after the call (language reference §2.2).
//!
//! `f(a)` becomes `$t = (a -> mat); f($t); $copy_back(a, $t)`, if `f` writes to its parameter.

use crate::ir::build::{self, element_of};
use crate::ir::dataflow::{Facts, fixpoint};
use crate::ir::rewrite::{expand_stmts, root, visit_stmts};
use crate::ir::{Body, Expr, ExprKind, FunctionId, KernelId, Program, Stmt, StmtKind, VarSet};
use crate::message::Sink;
use crate::transform::{PassContext, messages};
use crate::types::convert::{Conversion, conversion};
use crate::types::{ElementType, Overflow, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Adds the copies in all bodies.
pub(in crate::transform) fn run(program: &mut Program, _: &PassContext<'_>, sink: &mut Sink) {
    if !any_conversion(program) {
        return;
    }
    let written = Written::of(program);
    let functions = program.functions.iter().map(|(id, f)| (Callee::Function(id), f.source_name.clone()));
    let kernels = program.kernels.iter().map(|(id, k)| (Callee::Kernel(id), k.name.clone()));
    let names: BTreeMap<Callee, String> = functions.chain(kernels).collect();
    for id in program.functions.ids() {
        let device = program.functions[id].device;
        let mut body = std::mem::take(&mut program.functions[id].body);
        Pass { written: &written, names: &names, device, sink: &mut *sink }.body(&mut body);
        program.functions[id].body = body;
    }
    for id in program.kernels.ids() {
        let mut body = std::mem::take(&mut program.kernels[id].body);
        Pass { written: &written, names: &names, device: true, sink: &mut *sink }.body(&mut body);
        program.kernels[id].body = body;
    }
}

/// What a statement calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Callee {
    Function(FunctionId),
    Kernel(KernelId),
    Value,
}

pub(super) fn call_of(stmt: &Stmt) -> Option<(Callee, &Vec<Expr>)> {
    match &stmt.kind {
        StmtKind::Call { function, args, .. } => Some((Callee::Function(*function), args)),
        StmtKind::Launch { kernel, args, .. } => Some((Callee::Kernel(*kernel), args)),
        StmtKind::CallValue { args, .. } => Some((Callee::Value, args)),
        _ => None,
    }
}

fn any_conversion(program: &Program) -> bool {
    let functions = program.functions.iter().map(|(_, f)| &f.body);
    let kernels = program.kernels.iter().map(|(_, k)| &k.body);
    functions.chain(kernels).any(|body| {
        let mut found = false;
        visit_stmts(&body.block, &mut |stmt| {
            found |= call_of(stmt).is_some_and(|(_, args)| args.iter().any(|arg| copied(arg).is_some()));
        });
        found
    })
}

/// The array that an argument copies with other elements, where it can be written to later.
fn copied(arg: &Expr) -> Option<&Expr> {
    let ExprKind::Convert(inner) = &arg.kind else { return None };
    let (Type::Array(_), Some(to)) = (&arg.ty, numbers_in(&arg.ty)) else { return None };
    let other = match &inner.ty {
        Type::Array(_) => numbers_in(&inner.ty) != Some(to),
        Type::Dynamic => true,
        _ => false,
    };
    (other && is_place(inner)).then_some(&**inner)
}

/// The type of the numbers in an array, or in arrays in it.
fn numbers_in(ty: &Type) -> Option<ElementType> {
    match ty {
        Type::Array(array) if array.element.as_array().is_some() => numbers_in(&array.element),
        other => element_of(other),
    }
}

/// Whether an expression names an array that stays after the call.
fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Member(..) => true,
        ExprKind::Convert(inner) | ExprKind::Field(inner, _) => is_place(inner),
        // An element of a cell; slices of numbers are copies anyway.
        ExprKind::Load { array, .. } => element_of(&array.ty).is_none() && is_place(array),
        ExprKind::Library { name: "reshape", args } => args.first().is_some_and(is_place),
        ExprKind::Select { then, otherwise, .. } => is_place(then) || is_place(otherwise),
        _ => false,
    }
}

/// The parameters to whose elements a function or kernel may write, itself or through what it calls.
pub(super) struct Written(BTreeSet<(Callee, usize)>);

impl Facts for Written {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl Written {
    pub(super) fn of(program: &Program) -> Written {
        fixpoint(Written(BTreeSet::new()), |written| {
            for (id, function) in program.functions.iter() {
                written.add(Callee::Function(id), &function.body);
            }
            for (id, kernel) in program.kernels.iter() {
                written.add(Callee::Kernel(id), &kernel.body);
            }
        })
    }

    pub(super) fn contains(&self, callee: Callee, position: usize) -> bool {
        callee == Callee::Value || self.0.contains(&(callee, position))
    }

    fn add(&mut self, callee: Callee, body: &Body) {
        let touched = self.touched(body);
        let positions = body.params.iter().enumerate().filter(|(_, param)| touched.contains(param));
        self.0.extend(positions.map(|(k, _)| (callee, k)));
    }

    /// The variables that may name an array to whose elements a body writes.
    pub(super) fn touched(&self, body: &Body) -> VarSet {
        let mut touched = VarSet::new();
        visit_stmts(&body.block, &mut |stmt| self.touch(stmt, &mut touched));
        // From what was touched back to what it may be a name of.
        fixpoint(touched, |touched| {
            visit_stmts(&body.block, &mut |stmt| match &stmt.kind {
                StmtKind::Assign { variable, value } if touched.contains(variable) => {
                    names_in(value, touched)
                }
                StmtKind::Store { array, value, .. }
                    if element_of(&array.ty).is_none()
                        && root(array).is_some_and(|v| touched.contains(&v)) =>
                {
                    names_in(value, touched);
                }
                _ => {}
            });
        })
    }

    /// The variables whose elements a statement may change, as far as it shows.
    fn touch(&self, stmt: &Stmt, touched: &mut VarSet) {
        match &stmt.kind {
            StmtKind::Store { array, .. }
            | StmtKind::Update { array, .. }
            | StmtKind::Exchange { array, .. } => names_in(array, touched),
            // Whoever reads the variable of the module or the field may write through it.
            StmtKind::AssignGlobal { value, .. } | StmtKind::SetMember { value, .. } => {
                names_in(value, touched)
            }
            StmtKind::Assign { value: Expr { kind: ExprKind::New(fields), .. }, .. } => {
                fields.iter().for_each(|value| names_in(value, touched))
            }
            _ => {
                if let Some((callee, args)) = call_of(stmt) {
                    let changed = args.iter().enumerate().filter(|(k, _)| self.contains(callee, *k));
                    changed.for_each(|(_, arg)| names_in(arg, touched));
                }
            }
        }
    }
}

/// The variables whose elements a value may name.
pub(super) fn names_in(value: &Expr, into: &mut VarSet) {
    match &value.kind {
        ExprKind::Local(variable) => {
            into.insert(*variable);
        }
        ExprKind::Convert(inner) | ExprKind::Field(inner, _) => names_in(inner, into),
        ExprKind::Load { array, .. } if element_of(&array.ty).is_none() => names_in(array, into),
        ExprKind::Library { name: "reshape", args } => {
            args.iter().take(1).for_each(|arg| names_in(arg, into))
        }
        ExprKind::Library { args, .. } | ExprKind::Tuple(args) | ExprKind::Array(args)
            if element_of(&value.ty).is_none() =>
        {
            args.iter().for_each(|arg| names_in(arg, into));
        }
        ExprKind::Select { then, otherwise, .. } => {
            names_in(then, into);
            names_in(otherwise, into);
        }
        _ => {}
    }
}

struct Pass<'a> {
    written: &'a Written,
    names: &'a BTreeMap<Callee, String>,
    device: bool,
    sink: &'a mut Sink,
}

impl Pass<'_> {
    fn body(mut self, body: &mut Body) {
        let mut block = std::mem::take(&mut body.block);
        expand_stmts(&mut block, &mut |stmt| self.stmt(body, stmt));
        body.block = block;
    }

    fn stmt(&mut self, body: &mut Body, mut stmt: Stmt) -> Vec<Stmt> {
        let Some((callee, args)) = call_of(&stmt) else { return vec![stmt] };
        let positions: Vec<usize> = (0..args.len())
            .filter(|k| copied(&args[*k]).is_some() && self.written.contains(callee, *k))
            .collect();
        let (StmtKind::Call { args, .. } | StmtKind::Launch { args, .. } | StmtKind::CallValue { args, .. }) =
            &mut stmt.kind
        else {
            return vec![stmt];
        };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for k in positions {
            let span = args[k].span;
            let Some(source) = copied(&args[k]).cloned() else { continue };
            if !self.possible(callee, &args[k], &source) {
                continue;
            }
            let original = body.temporary(source.ty.clone(), span);
            let copy = body.temporary(args[k].ty.clone(), span);
            before.push(build::assign(original, source));
            let converted = build::convert(body.read(original, span), &args[k].ty);
            before.push(build::assign(copy, converted));
            args[k] = body.read(copy, span);
            let rules = [overflow_of(&body.variables[copy].ty), overflow_of(&body.variables[original].ty)];
            let mut operands = vec![body.read(original, span), body.read(copy, span)];
            operands.extend(
                rules.map(|rule| Expr::new(ExprKind::Text(rule.name().to_string()), Type::Text, span)),
            );
            let kind = StmtKind::Library { name: "copy_back", args: operands, results: Vec::new() };
            after.push(Stmt::new(kind, span));
        }
        before.push(stmt);
        before.append(&mut after);
        before
    }

    /// Whether elements can be converted back; says what is lost.
    fn possible(&mut self, callee: Callee, arg: &Expr, source: &Expr) -> bool {
        if self.device {
            messages::converted_in_device_code(self.sink, arg.span);
            return false;
        }
        let (Some(from), Some(to)) = (numbers_in(&arg.ty), numbers_in(&source.ty)) else { return true };
        let Some(name) = self.names.get(&callee) else { return true };
        match conversion(&build::scalar_type(from), &build::scalar_type(to)) {
            Some(Conversion::Truncate) => messages::converted_back(self.sink, arg, source, name),
            Some(_) => {}
            None => {
                messages::not_converted_back(self.sink, arg, source, name);
                return false;
            }
        }
        true
    }
}

fn overflow_of(ty: &Type) -> Overflow {
    match ty.as_array() {
        Some(array) if array.element.as_array().is_some() => overflow_of(&array.element),
        Some(array) => array.overflow(),
        None => Overflow::Checked,
    }
}
