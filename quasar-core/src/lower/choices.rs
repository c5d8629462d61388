//! Functions that are chosen at run time: the value is the number of the function among those it may be, with what all
//! of them captured; a call compares the number. Only here and in inference such types exist.
//!
//! `f = c ? g : h; f(x)` becomes `f = c ? 0 : 1; if f == 0 { g(x) } else { h(x) }`; with captured values `f` is a tuple
//! `{number, values of g.., values of h..}`, in which those of the functions that were not chosen are zeros.

use super::body::{Lowering, results_of};
use super::function_values::{self, FunctionValues};
use super::messages;
use crate::ir::build::{self, int_type, is_number_alone, stand_in};
use crate::ir::rewrite::{transform_block, transform_stmts, visit_block};
use crate::ir::{Body, Expr, ExprKind, Program, StmtKind, VarId};
use crate::message::{Message, Sink};
use crate::sema::model::{Argument, InstanceId};
use crate::settings::FunctionPointers;
use crate::source::Span;
use crate::syntax::ast::{self, NodeId};
use crate::types::{Type, lattice};
use quasar_devicelib::ops;

impl<'a> Lowering<'a, '_> {
    /// A call of one of several functions.
    pub(super) fn call_choice(
        &mut self,
        expr: &'a ast::Expr,
        function: NodeId,
        calls: &'a [(InstanceId, Vec<Argument>)],
        wanted: bool,
    ) -> Vec<Expr> {
        let span = expr.span;
        let Some(callee) = self.expression(function) else {
            return vec![self.missing(span, "this call", self.type_of(expr))];
        };
        if self.cx.options.settings.function_pointers == FunctionPointers::Error {
            let instances = &self.cx.model.instances;
            let mut names: Vec<&str> = calls.iter().map(|(id, _)| instances[*id].name.as_str()).collect();
            names.dedup();
            messages::function_pointer(self.cx.sink, span, &names);
        }
        let value = self.expr(callee);
        let value = self.spill(value);
        let results = |(instance, _): &(InstanceId, Vec<Argument>)| -> Vec<Type> {
            results_of(&self.cx.model.instances[*instance]).iter().map(|result| result.ty.clone()).collect()
        };
        let join = |a: Vec<Type>, b: Vec<Type>| a.iter().zip(&b).map(|(a, b)| lattice::join(a, b)).collect();
        let types: Vec<Type> = calls.iter().map(results).reduce(join).unwrap_or_default();
        let targets: Vec<VarId> = match wanted {
            true => types.iter().map(|ty| self.body.temporary(ty.clone(), span)).collect(),
            false => Vec::new(),
        };
        self.call_from(expr, &value, calls, 0, &targets);
        targets.iter().map(|target| self.body.read(*target, span)).collect()
    }

    /// Calls the function of number `first` or one behind it.
    fn call_from(
        &mut self,
        expr: &'a ast::Expr,
        value: &Expr,
        calls: &'a [(InstanceId, Vec<Argument>)],
        first: usize,
        targets: &[VarId],
    ) {
        let Some((instance, args)) = calls.get(first) else { return };
        if first + 1 == calls.len() {
            return self.call_candidate(expr, value, (*instance, first), args, targets);
        }
        let condition = is_number(tag(value), first);
        let then = self.branch(|this| this.call_candidate(expr, value, (*instance, first), args, targets));
        let other = self.branch(|this| this.call_from(expr, value, calls, first + 1, targets));
        self.join(expr.id, condition, then, other, expr.span);
    }

    fn call_candidate(
        &mut self,
        expr: &'a ast::Expr,
        value: &Expr,
        (instance, number): (InstanceId, usize),
        args: &'a [Argument],
        targets: &[VarId],
    ) {
        let span = expr.span;
        let Some(function) = self.cx.function(instance) else {
            return self.not_supported(span, "calling a kernel without `parallel_do`");
        };
        let captured = &self.cx.model.instances[instance].captures;
        let fields = fields_of(value, number);
        let own = fields.len();
        let fields = fields.into_iter().zip(captured);
        let mut all: Vec<Expr> = fields.map(|(field, capture)| build::convert(field, &capture.ty)).collect();
        for unique in captured.iter().skip(own).filter_map(|capture| capture.module_variable()) {
            all.push(self.global(unique, span));
        }
        let mark = self.out.len();
        let args = self.arguments(instance, args);
        self.protect(&mut all, mark);
        all.extend(args);
        let (results, values) = self.targets(instance, !targets.is_empty(), span);
        self.emit(StmtKind::Call { function, args: all, results }, span);
        for (target, value) in targets.iter().zip(values) {
            let ty = self.body.variables[*target].ty.clone();
            let value = self.convert_number(value, &ty);
            self.assign_to(*target, value);
        }
    }

    /// A component of a cell of functions, by an index that is known at run time.
    pub(super) fn chosen_component(&mut self, tuple: Expr, index: Expr, count: usize, ty: &Type) -> Expr {
        let (tuple, span) = (self.atom(tuple), index.span);
        let index = self.convert_number(index, &int_type());
        let index = self.atom(index);
        let low = self.row("greater_equal", vec![index.clone(), build::int(0, span)], &int_type(), span);
        let high = self.row("less", vec![index.clone(), build::int(count as i32, span)], &int_type(), span);
        let condition = Expr::new(ExprKind::And(Box::new(low), Box::new(high)), int_type(), span);
        let text = format!("the index lies among the {count} functions");
        self.emit(StmtKind::Assert { condition, text, message: Vec::new() }, span);
        let mut items = self.components(tuple, count).into_iter().enumerate().rev();
        let last = items.next().map(|(_, item)| build::convert(item, ty));
        let chosen = items.fold(last, |otherwise, (k, item)| {
            Some(select(is_number(index.clone(), k), build::convert(item, ty), otherwise?))
        });
        chosen.unwrap_or_else(|| Expr::new(ExprKind::Null, ty.clone(), span))
    }
}

/// The number of the function that was chosen.
fn tag(value: &Expr) -> Expr {
    Expr::new(ExprKind::Field(Box::new(value.clone()), 0), int_type(), value.span)
}

/// `value == number`
fn is_number(value: Expr, number: usize) -> Expr {
    let span = value.span;
    let number = build::int(number as i32, span);
    match ops::find("equal") {
        Some(row) => build::apply(row, vec![value, number], int_type(), span),
        None => number,
    }
}

fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let (ty, span) = (then.ty.clone(), condition.span);
    let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
    Expr::new(ExprKind::Select { condition, then, otherwise }, ty, span)
}

/// What the function of a number captured, in a choice.
fn fields_of(value: &Expr, number: usize) -> Vec<Expr> {
    let candidates = value.ty.functions();
    let before: usize = candidates[..number.min(candidates.len())].iter().map(|f| f.captures.len()).sum();
    let captures = candidates.get(number).map(|f| f.captures.as_slice()).unwrap_or_default();
    let field = |(k, (_, ty)): (usize, &(String, Type))| {
        Expr::new(ExprKind::Field(Box::new(value.clone()), 1 + before + k), ty.clone(), value.span)
    };
    captures.iter().enumerate().map(field).collect()
}

/// Takes choices apart everywhere.
pub(super) fn run(program: &mut Program, values: &FunctionValues, sink: &mut Sink) {
    for id in program.functions.ids() {
        body(&mut program.functions[id].body, values, sink);
    }
    for id in program.kernels.ids() {
        body(&mut program.kernels[id].body, values, sink);
    }
    for id in program.globals.ids() {
        plain_type(&mut program.globals[id].ty);
    }
}

fn body(body: &mut Body, values: &FunctionValues, sink: &mut Sink) {
    let mut found = body.variables.iter().any(|(_, variable)| mentions_choice(&variable.ty));
    visit_block(&body.block, &mut |expr| {
        found |= mentions_choice(&expr.ty) || !expr.ty.functions().is_empty();
    });
    if !found {
        return;
    }
    transform_stmts(&mut body.block, &mut |stmt| match &mut stmt.kind {
        StmtKind::Library { name, args, .. } if SHOWN.contains(name) => {
            args.iter_mut().for_each(|arg| shown(arg, values));
        }
        StmtKind::Fail { message, .. } | StmtKind::Assert { message, .. } => {
            message.iter_mut().for_each(|arg| shown(arg, values));
        }
        StmtKind::Library { args, .. } if args.iter().any(|arg| mentions_choice(&arg.ty)) => {
            used_as_value(stmt.span, sink);
        }
        _ => {}
    });
    transform_block(&mut body.block, &mut |expr| plain(expr, values, sink));
    transform_block(&mut body.block, &mut |expr| plain_type(&mut expr.ty));
    for id in body.variables.ids() {
        plain_type(&mut body.variables[id].ty);
    }
}

fn used_as_value(span: Span, sink: &mut Sink) {
    let what = "comparing functions that are chosen at run time";
    sink.push(Message::not_supported(span, what));
}

/// What shows its arguments.
const SHOWN: &[&str] = &["print", "printf", "fprintf", "sprintf", "strcat", "tostring"];

/// A function that is printed is its text.
fn shown(arg: &mut Expr, values: &FunctionValues) {
    let span = arg.span;
    let text = |closure| Expr::new(ExprKind::Text(values.text(closure).to_owned()), Type::Text, span);
    let mut texts = arg.ty.functions().iter().map(text).enumerate().rev();
    let Some((_, last)) = texts.next() else { return };
    let number = tag(arg);
    *arg = texts.fold(last, |rest, (k, text)| select(is_number(number.clone(), k), text, rest));
}

fn mentions_choice(ty: &Type) -> bool {
    ty.any(&|ty| matches!(ty, Type::Choice(_)))
}

/// Makes the values of choices from what was converted to them; the types stay until all is done.
fn plain(expr: &mut Expr, values: &FunctionValues, sink: &mut Sink) {
    let span = expr.span;
    match &mut expr.kind {
        ExprKind::Convert(inner) if matches!(expr.ty, Type::Choice(_)) => match chosen(inner, &expr.ty) {
            Some(value) => *expr = value,
            None => {
                let what = "choosing at run time between functions that captured values of such types";
                sink.push(Message::not_supported(span, what));
            }
        },
        ExprKind::Convert(inner) if !inner.ty.functions().is_empty() && expr.ty.functions().is_empty() => {
            match as_value(inner, &expr.ty, values) {
                Some(value) => *expr = value,
                None => {
                    let what = format!("a function as a value of type '{}'", expr.ty);
                    sink.push(Message::not_supported(span, what));
                }
            }
        }
        ExprKind::Field(inner, 0) if is_number_alone(&inner.ty) => {
            *expr = Expr { ty: int_type(), ..(**inner).clone() };
        }
        ExprKind::Tuple(items) => {
            if let Type::Array(array) = &expr.ty
                && is_number_alone(&array.element)
            {
                expr.kind = ExprKind::Array(std::mem::take(items));
            }
        }
        ExprKind::Library { name, args } if SHOWN.contains(name) => {
            args.iter_mut().for_each(|arg| shown(arg, values));
        }
        ExprKind::Apply { args, .. } | ExprKind::Library { args, .. }
            if args.iter().any(|arg| matches!(arg.ty, Type::Choice(_))) =>
        {
            used_as_value(span, sink);
        }
        _ => {}
    }
}

/// A function, or one of fewer functions, as one of those of a type.
fn chosen(value: &Expr, ty: &Type) -> Option<Expr> {
    let span = value.span;
    let from = value.ty.functions();
    let places: Option<Vec<usize>> =
        from.iter().map(|f| ty.functions().iter().position(|candidate| candidate == f)).collect();
    let places = places?;
    let (last, others) = places.split_last()?;
    let number = others.iter().enumerate().rev().fold(build::int(*last as i32, span), |rest, (k, place)| {
        select(is_number(tag_of(value), k), build::int(*place as i32, span), rest)
    });
    if is_number_alone(ty) {
        return Some(Expr { ty: ty.clone(), ..number });
    }
    let mut items = vec![number];
    for (place, candidate) in ty.functions().iter().enumerate() {
        match places.iter().position(|k| *k == place) {
            Some(source) => items.extend(captured(value, source)),
            None => {
                for (_, ty) in &candidate.captures {
                    items.push(stand_in(ty, span)?);
                }
            }
        }
    }
    Some(Expr::new(ExprKind::Tuple(items), ty.clone(), span))
}

/// A function, or one of several, as a value that is known at run time.
fn as_value(from: &Expr, to: &Type, values: &FunctionValues) -> Option<Expr> {
    let candidates = from.ty.functions();
    let mut made = Vec::new();
    for (place, closure) in candidates.iter().enumerate() {
        made.push(function_values::value(values.find(closure, to)?, captured(from, place), to, from.span));
    }
    let last = made.pop()?;
    let others = made.into_iter().enumerate().rev();
    Some(others.fold(last, |rest, (k, value)| select(is_number(tag_of(from), k), value, rest)))
}

/// As [`tag`], after what stands below was done already.
fn tag_of(value: &Expr) -> Expr {
    if is_number_alone(&value.ty) { Expr { ty: int_type(), ..value.clone() } } else { tag(value) }
}

/// What a function captured, of a function or of a choice.
fn captured(value: &Expr, number: usize) -> Vec<Expr> {
    let Type::Closure(closure) = &value.ty else { return fields_of(value, number) };
    if let ExprKind::Tuple(items) = &value.kind {
        return items.clone();
    }
    let field = |(k, (_, ty)): (usize, &(String, Type))| {
        Expr::new(ExprKind::Field(Box::new(value.clone()), k), ty.clone(), value.span)
    };
    closure.captures.iter().enumerate().map(field).collect()
}

/// The type that a value has in the IR.
fn plain_type(ty: &mut Type) {
    match ty {
        Type::Array(array) => plain_type(&mut array.element),
        Type::Tuple(parts) => parts.iter_mut().for_each(plain_type),
        Type::Closure(closure) => closure.captures.iter_mut().for_each(|(_, ty)| plain_type(ty)),
        Type::Choice(_) if is_number_alone(ty) => *ty = int_type(),
        Type::Choice(candidates) => {
            let captured = candidates.iter().flat_map(|f| f.captures.iter().map(|(_, ty)| ty.clone()));
            let mut parts: Vec<Type> = std::iter::once(int_type()).chain(captured).collect();
            parts.iter_mut().for_each(plain_type);
            *ty = Type::Tuple(parts);
        }
        _ => {}
    }
}
