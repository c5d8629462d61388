//! Functions that are chosen at run time: the value becomes the number of the function among those it may be, with what all
//! of them captured. Only before this pass and in inference such types exist.
//!
//! `f = c ? g : h; f(x)` becomes `f = c ? 0 : 1; if f == 0 { g(x) } else { h(x) }`; with captured values `f` is a tuple
//! `{number, values of g.., values of h..}`, in which those of the functions that were not chosen are zeros. The chain of calls is
//! there already.

use crate::ir::build::{self, int_type, is_number_alone, placeholder};
use crate::ir::choices::{FunctionValues, fields_of, is_number, tag};
use crate::ir::rewrite::{transform_block, transform_stmts, visit_block};
use crate::ir::{Body, Expr, ExprKind, FunctionId, Program, StmtKind};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::transform::PassContext;
use crate::types::Type;

/// Takes choices apart everywhere.
pub(in crate::transform) fn run(program: &mut Program, _: &PassContext<'_>, sink: &mut Sink) {
    let values = &std::mem::take(&mut program.function_values);
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
    *arg = texts.fold(last, |rest, (k, text)| build::select(is_number(number.clone(), k), text, rest));
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
        ExprKind::Convert(inner) if holds_functions(&inner.ty) && !holds_functions(&expr.ty) => {
            match parts_as_values(inner, &expr.ty, values) {
                Some(value) => *expr = value,
                None => {
                    let what = format!("functions in a cell as a value of type '{}'", expr.ty);
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
        build::select(is_number(tag_of(value), k), build::int(*place as i32, span), rest)
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
                    items.push(placeholder(ty, span)?);
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
        made.push(value(values.find(closure, to)?, captured(from, place), to, from.span));
    }
    let last = made.pop()?;
    let others = made.into_iter().enumerate().rev();
    Some(others.fold(last, |rest, (k, value)| build::select(is_number(tag_of(from), k), value, rest)))
}

/// Whether values of a type, or what lies in them, are functions that are known at compile time.
fn holds_functions(ty: &Type) -> bool {
    match ty {
        Type::Tuple(parts) => parts.iter().any(holds_functions),
        Type::Array(array) => holds_functions(&array.element),
        _ => !ty.functions().is_empty(),
    }
}

/// A tuple or cell in which functions become values that are known at run time.
fn parts_as_values(from: &Expr, to: &Type, values: &FunctionValues) -> Option<Expr> {
    let span = from.span;
    let items: Vec<Expr> = match (&from.kind, &from.ty) {
        (ExprKind::Tuple(items), _) => items.clone(),
        (_, Type::Tuple(parts)) => {
            let field = |(k, ty): (usize, &Type)| {
                Expr::new(ExprKind::Field(Box::new(from.clone()), k), ty.clone(), span)
            };
            parts.iter().enumerate().map(field).collect()
        }
        _ => return None,
    };
    let count = u32::try_from(items.len()).ok();
    let (wanted, whole): (Vec<Type>, Type) = match to {
        Type::Tuple(parts) if parts.len() == items.len() => (parts.clone(), to.clone()),
        Type::Array(array) => (vec![(*array.element).clone(); items.len()], to.clone()),
        Type::Dynamic => (vec![Type::Dynamic; items.len()], Type::array(Type::Dynamic, &[count])),
        _ => return None,
    };
    let one = |(item, wanted): (&Expr, &Type)| match &item.ty {
        ty if !ty.functions().is_empty() && wanted.functions().is_empty() => as_value(item, wanted, values),
        ty if holds_functions(ty) && !holds_functions(wanted) => parts_as_values(item, wanted, values),
        _ => Some(build::convert(item.clone(), wanted)),
    };
    let items: Option<Vec<Expr>> = items.iter().zip(&wanted).map(one).collect();
    Some(build::convert(Expr::new(ExprKind::Tuple(items?), whole, span), to))
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

/// A closure, of which these are the captured values, as a value.
fn value(function: FunctionId, captures: Vec<Expr>, ty: &Type, span: Span) -> Expr {
    Expr::new(ExprKind::Function { function, captures }, ty.clone(), span)
}
