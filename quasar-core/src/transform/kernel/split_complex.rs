//! Complex variables of loops become two numbers each, of which vectors are made: lanes of pairs would be moved apart for each operation.
//!
//! ```text
//! while abs(z) < 2 { z = z*z + c }
//! =>  while hypot(z_re, z_im) < 2 { t = z_re*z_re - z_im*z_im + c_re;  z_im = z_re*z_im + z_im*z_re + c_im;  z_re = t }
//! ```
//!
//! Each part is computed as the operation on complex numbers does it. What has no form here is computed of the whole numbers.

use crate::ir::barriers::waits;
use crate::ir::rewrite::{children_mut, expand_stmts, operands_mut, read_in, sets, visit, visit_stmts};
use crate::ir::{Body, Expr, ExprKind, Kernel, Stmt, StmtKind, Storage, VarId, VarSet, build};
use crate::source::Span;
use crate::target::cpu::COMPLEX_NODES;
use crate::types::Type;
use crate::types::known::scalar;
use quasar_devicelib::element::{ElementType, Scalar};
use std::collections::BTreeMap;

/// Runs the pass on one kernel.
pub(super) fn run(kernel: &mut Kernel) {
    let body = &mut kernel.body;
    if waits(&body.block) || !is_in_loop(body) {
        return;
    }
    let mut pairs = BTreeMap::new();
    for v in candidates(body) {
        let variable = body.variables[v].clone();
        let Some(ty) = part_type(&variable.ty) else { continue };
        let mut part = |name: &str| {
            let mut part = variable.clone();
            part.name = format!("{}${name}", variable.name);
            part.ty = ty.clone();
            body.variables.push(part)
        };
        let pair = (part("re"), part("im"));
        pairs.insert(v, pair);
    }
    let mut block = std::mem::take(&mut body.block);
    let mut split = Split { body, pairs };
    expand_stmts(&mut block, &mut |stmt| split.statement(stmt));
    body.block = block;
}

/// Whether a loop makes a complex variable of itself otherwise than by adding to it: sums have schedules of their own.
fn is_in_loop(body: &Body) -> bool {
    let candidates = candidates(body);
    let mut found = false;
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::For { body, .. } | StmtKind::While { body, .. } = &stmt.kind {
            visit_stmts(body, &mut |stmt| {
                if let StmtKind::Assign { variable, value } = &stmt.kind {
                    found |= candidates.contains(variable) && is_iterated(*variable, value);
                }
            });
        }
    });
    found
}

/// Whether a variable's new value is made of the old one, and no sum with it.
fn is_iterated(variable: VarId, value: &Expr) -> bool {
    let reads = |e: &Expr| {
        let mut found = false;
        visit(e, &mut |e| found |= is_local(e, variable));
        found
    };
    match &value.kind {
        ExprKind::Apply { row, args } if matches!(row.name, "add" | "subtract") => {
            let direct = args.iter().filter(|arg| is_local(arg, variable)).count();
            let others = args.iter().filter(|arg| !is_local(arg, variable)).any(reads);
            direct > 1 || others
        }
        ExprKind::Local(_) => false,
        _ => reads(value),
    }
}

fn is_local(e: &Expr, variable: VarId) -> bool {
    matches!(e.kind, ExprKind::Local(v) if v == variable)
}

/// The complex variables that a thread keeps to itself and sets as a whole.
fn candidates(body: &Body) -> Vec<VarId> {
    let used = read_in(&body.block);
    let mut other = VarSet::new();
    visit_stmts(&body.block, &mut |stmt| match &stmt.kind {
        StmtKind::Assign { .. } => {}
        _ => sets(stmt, &mut |v| {
            other.insert(*v);
        }),
    });
    let own = |v: VarId| !body.params.contains(&v) && !body.results.contains(&v) && !other.contains(&v);
    let all = body.variables.iter().filter(|(v, variable)| {
        variable.storage == Storage::Local && used.contains(v) && part_type(&variable.ty).is_some() && own(*v)
    });
    all.map(|(v, _)| v).collect()
}

/// The type of the parts of a complex number.
fn part_type(ty: &Type) -> Option<Type> {
    match scalar(ty)? {
        ElementType::ComplexSingle => Some(build::scalar_type(ElementType::Single)),
        ElementType::ComplexDouble => Some(build::scalar_type(ElementType::Double)),
        _ => None,
    }
}

struct Split<'b> {
    body: &'b mut Body,
    pairs: BTreeMap<VarId, (VarId, VarId)>,
}

impl Split<'_> {
    fn statement(&mut self, mut stmt: Stmt) -> Vec<Stmt> {
        if let StmtKind::Assign { variable, value } = &stmt.kind
            && let Some((re, im)) = self.pairs.get(variable).copied()
        {
            return self.assigned((re, im), value);
        }
        operands_mut(&mut stmt, &mut |e| self.rewrite(e));
        vec![stmt]
    }

    /// Both parts of a variable. The first waits until the second is computed, which may read the old one.
    fn assigned(&mut self, (re, im): (VarId, VarId), value: &Expr) -> Vec<Stmt> {
        let span = value.span;
        let mut before = Vec::new();
        let (first, second) = self.parts(value, &mut Some(&mut before));
        let mut reads = false;
        visit(&second, &mut |e| reads |= matches!(e.kind, ExprKind::Local(v) if v == re));
        if reads {
            let ty = first.ty.clone();
            let kept = self.body.temporary(ty.clone(), span);
            before.push(build::assign(kept, first));
            before.push(build::assign(im, second));
            before.push(build::assign(re, build::local(kept, ty, span)));
        } else {
            before.push(build::assign(re, first));
            before.push(build::assign(im, second));
        }
        before
    }

    /// Reads of the variables, in an expression of any type.
    fn rewrite(&mut self, e: &mut Expr) {
        if let ExprKind::Apply { row, args } = &e.kind
            && let [z] = args.as_slice()
            && part_type(&z.ty).is_some()
            && self.reads(z)
            && matches!(row.name, "real" | "imag" | "abs")
        {
            let (re, im) = self.parts(z, &mut None);
            let (ty, span) = (e.ty.clone(), e.span);
            *e = match row.name {
                "real" => re,
                "imag" => im,
                _ => build::apply(build::row("hypot"), vec![re, im], ty, span),
            };
            return;
        }
        match &e.kind {
            ExprKind::Local(v) => {
                if let Some(whole) = self.whole(*v, e) {
                    *e = whole;
                }
            }
            _ => children_mut(e, &mut |child| self.rewrite(child)),
        }
    }

    /// A variable as one number.
    fn whole(&self, v: VarId, e: &Expr) -> Option<Expr> {
        let (re, im) = self.pairs.get(&v)?;
        let part = part_type(&e.ty)?;
        let parts = [re, im].map(|v| build::local(*v, part.clone(), e.span));
        Some(build::apply(build::row("complex2"), parts.to_vec(), e.ty.clone(), e.span))
    }

    fn reads(&self, e: &Expr) -> bool {
        let mut found = false;
        visit(e, &mut |e| found |= matches!(e.kind, ExprKind::Local(v) if self.pairs.contains_key(&v)));
        found
    }

    /// The parts of a complex expression. What both need is computed `before`, where that is possible.
    fn parts(&mut self, e: &Expr, before: &mut Option<&mut Vec<Stmt>>) -> (Expr, Expr) {
        let (span, ty) = (e.span, part_type(&e.ty).unwrap_or_else(|| e.ty.clone()));
        match &e.kind {
            ExprKind::Local(v) => {
                if let Some((re, im)) = self.pairs.get(v) {
                    return (build::local(*re, ty.clone(), span), build::local(*im, ty, span));
                }
            }
            ExprKind::Constant(Scalar::C32(z)) => {
                return (number(Scalar::F32(z.re), &ty, span), number(Scalar::F32(z.im), &ty, span));
            }
            ExprKind::Constant(Scalar::C64(z)) => {
                return (number(Scalar::F64(z.re), &ty, span), number(Scalar::F64(z.im), &ty, span));
            }
            ExprKind::Convert(inner) => match part_type(&inner.ty) {
                None if matches!(inner.ty, Type::Scalar(..)) => {
                    let mut re = (**inner).clone();
                    self.rewrite(&mut re);
                    return (build::convert(re, &ty), zero(&ty, span));
                }
                Some(_) => {
                    let (re, im) = self.parts(inner, before);
                    return (build::convert(re, &ty), build::convert(im, &ty));
                }
                None => {}
            },
            ExprKind::Apply { row, args } => {
                if let Some(parts) = self.operation(row.name, args, &ty, before) {
                    return parts;
                }
            }
            _ => {}
        }
        self.of_whole(e, &ty, before)
    }

    /// The parts of a number that is computed as a whole.
    fn of_whole(&mut self, e: &Expr, ty: &Type, before: &mut Option<&mut Vec<Stmt>>) -> (Expr, Expr) {
        let mut whole = e.clone();
        self.rewrite(&mut whole);
        let whole = match before {
            Some(before) if !matches!(whole.kind, ExprKind::Local(_)) => {
                let kept = self.body.temporary(e.ty.clone(), e.span);
                before.push(build::assign(kept, whole));
                build::local(kept, e.ty.clone(), e.span)
            }
            _ => whole,
        };
        let part = |name: &str| build::apply(build::row(name), vec![whole.clone()], ty.clone(), e.span);
        (part("real"), part("imag"))
    }

    fn operation(
        &mut self,
        name: &str,
        args: &[Expr],
        ty: &Type,
        before: &mut Option<&mut Vec<Stmt>>,
    ) -> Option<(Expr, Expr)> {
        let span = args.first()?.span;
        let complex = args.iter().all(|arg| part_type(&arg.ty).as_ref() == Some(ty));
        let unary = |name: &str, x: Expr| build::apply(build::row(name), vec![x], ty.clone(), span);
        let binary =
            |name: &str, a: Expr, b: Expr| build::apply(build::row(name), vec![a, b], ty.clone(), span);
        match (name, args) {
            ("complex", [re]) if build::same_type(&re.ty, ty) => {
                let mut re = re.clone();
                self.rewrite(&mut re);
                Some((re, zero(ty, span)))
            }
            ("complex2", [re, im]) if build::same_type(&re.ty, ty) && build::same_type(&im.ty, ty) => {
                let (mut re, mut im) = (re.clone(), im.clone());
                self.rewrite(&mut re);
                self.rewrite(&mut im);
                Some((re, im))
            }
            ("negate", [z]) if complex => {
                let (re, im) = self.parts(z, before);
                Some((unary("negate", re), unary("negate", im)))
            }
            ("conj", [z]) if complex => {
                let (re, im) = self.parts(z, before);
                Some((re, unary("negate", im)))
            }
            ("add" | "subtract", [a, b]) if complex => {
                let ((ar, ai), (br, bi)) = (self.parts(a, before), self.parts(b, before));
                Some((binary(name, ar, br), binary(name, ai, bi)))
            }
            ("multiply", [a, b]) if complex => {
                let (a, b) = (self.parts(a, before), self.parts(b, before));
                self.product(a, b, ty, before)
            }
            ("powi", [z, exponent])
                if part_type(&z.ty).as_ref() == Some(ty) && exponent.constant_int() == Some(2) =>
            {
                let z = self.parts(z, before);
                let z = self.named(z, before)?;
                let square = self.product(z.clone(), z, ty, before)?;
                // As `powi` begins.
                let one = (number(one(ty)?, ty, span), zero(ty, span));
                self.product(one, square, ty, before)
            }
            _ => None,
        }
    }

    fn product(
        &mut self,
        a: (Expr, Expr),
        b: (Expr, Expr),
        ty: &Type,
        before: &mut Option<&mut Vec<Stmt>>,
    ) -> Option<(Expr, Expr)> {
        let span = a.0.span;
        let ((ar, ai), (br, bi)) = (self.named(a, before)?, self.named(b, before)?);
        let binary = |name: &str, a: &Expr, b: &Expr| {
            build::apply(build::row(name), vec![a.clone(), b.clone()], ty.clone(), span)
        };
        let re = binary("subtract", &binary("multiply", &ar, &br), &binary("multiply", &ai, &bi));
        let im = binary("add", &binary("multiply", &ar, &bi), &binary("multiply", &ai, &br));
        Some((re, im))
    }

    /// Parts that are read more than once. Nothing if they would have to be computed as often and are long.
    fn named(&mut self, (re, im): (Expr, Expr), before: &mut Option<&mut Vec<Stmt>>) -> Option<(Expr, Expr)> {
        let mut name = |e: Expr| {
            if matches!(e.kind, ExprKind::Local(_) | ExprKind::Constant(_)) {
                return Some(e);
            }
            let Some(before) = before else {
                let mut nodes = 0;
                visit(&e, &mut |_| nodes += 1);
                return (nodes <= COMPLEX_NODES).then_some(e);
            };
            let (ty, span) = (e.ty.clone(), e.span);
            let kept = self.body.temporary(ty.clone(), span);
            before.push(build::assign(kept, e));
            Some(build::local(kept, ty, span))
        };
        Some((name(re)?, name(im)?))
    }
}

fn number(value: Scalar, ty: &Type, span: Span) -> Expr {
    Expr::new(ExprKind::Constant(value), ty.clone(), span)
}

fn zero(ty: &Type, span: Span) -> Expr {
    let zero = if scalar(ty) == Some(ElementType::Double) { Scalar::F64(0.0) } else { Scalar::F32(0.0) };
    number(zero, ty, span)
}

fn one(ty: &Type) -> Option<Scalar> {
    match scalar(ty)? {
        ElementType::Single => Some(Scalar::F32(1.0)),
        ElementType::Double => Some(Scalar::F64(1.0)),
        _ => None,
    }
}
