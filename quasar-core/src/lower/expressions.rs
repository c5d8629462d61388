//! Expressions: names, literals and what is made of them. Operators, calls and indices stand beside.

use super::body::Lowering;
use super::groups::{LANES, value_type};
use crate::ir::build::{self, same_type};
use crate::ir::{Coordinate, Expr, ExprKind, Range};
use crate::sema::model::{NameUse, captured_name};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast, Number};
use crate::types::{ElementType, Group, Rank, Type};
use quasar_devicelib::element::Scalar;

impl<'a> Lowering<'a, '_> {
    /// The type that inference found.
    pub(super) fn type_of(&self, expr: &ast::Expr) -> Type {
        self.tables.types.get(&expr.id).map_or(Type::Dynamic, value_type)
    }

    /// Lowers an expression whose value is not used.
    pub(super) fn effect(&mut self, expr: &'a ast::Expr) {
        if !self.reachable {
            return;
        }
        match &expr.kind {
            Ast::Assign { target, op, value } => {
                self.assignment(expr, target, *op, value, false);
            }
            Ast::Paren(inner) => self.effect(inner),
            Ast::Sequence(items) => items.iter().for_each(|item| self.effect(item)),
            Ast::Declare { name, .. } => self.declaration(expr, name),
            Ast::Exchange { place, value, expected } => {
                self.exchange(expr, place, value, expected.as_deref(), false);
            }
            _ => match self.tables.callees.get(&expr.id) {
                Some(callee) => {
                    self.call_effect(expr, callee);
                }
                None => {
                    self.expr(expr);
                }
            },
        }
    }

    /// Lowers an expression; its value has the type that inference found.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr) -> Expr {
        let ty = self.type_of(expr);
        if ty == Type::Error {
            return Expr::new(ExprKind::Null, ty, expr.span);
        }
        if let Some(constant) = self.tables.constants.get(&expr.id)
            && !has_effect(expr)
            && let Some(value) = self.constant(constant, &ty, expr.span)
        {
            return value;
        }
        let value = self.plain(expr, &ty);
        let unit = ty == Type::Unit || value.ty == Type::Unit;
        if unit || same_type(&value.ty, &ty) || !self.tables.types.contains_key(&expr.id) {
            // Inference knows what is a mask, also of operators; what was converted from one is none.
            if value.ty.is_mask() != ty.is_mask() && !unit { Expr { ty, ..value } } else { value }
        } else {
            build::convert(value, &ty)
        }
    }

    fn plain(&mut self, expr: &'a ast::Expr, ty: &Type) -> Expr {
        let span = expr.span;
        if let Some(callee) = self.tables.callees.get(&expr.id)
            && !matches!(expr.kind, Ast::Assign { .. })
        {
            return self.call(expr, callee);
        }
        match &expr.kind {
            Ast::Number(number) => self.number(*number, ty, span),
            Ast::Text(text) => Expr::new(ExprKind::Text(text.clone()), Type::Text, span),
            Ast::Name(name) => self.name(expr, name),
            Ast::Infix { op, lhs, rhs } => self.infix(expr, *op, lhs, rhs),
            Ast::Prefix { op, operand } => self.prefix(expr, *op, operand),
            Ast::Range { from, step, to } => self.sequence(from, step.as_deref(), to, ty, span),
            Ast::Ternary { condition, then, otherwise } => self.ternary(expr, condition, then, otherwise),
            Ast::Index { base, indices } => self.load(expr, base, indices),
            Ast::Array(items) => self.array_literal(expr, items),
            Ast::Cell(items) => self.cell_literal(expr, items),
            Ast::TypeCheck { value, .. } => self.expr(value),
            Ast::Sequence(items) => {
                let Some((last, first)) = items.split_last() else {
                    return Expr::new(ExprKind::Null, Type::Unit, span);
                };
                first.iter().for_each(|item| self.effect(item));
                self.expr(last)
            }
            Ast::Paren(inner) => self.expr(inner),
            Ast::Chain(pieces) => self.chain(pieces, span),
            Ast::Carried => match self.carried.clone() {
                Some(value) => value,
                None => self.missing(span, "this part of a chain of operators", ty.clone()),
            },
            Ast::Assign { target, op, value } => match self.assignment(expr, target, *op, value, true) {
                Some(value) => value,
                None if *ty == Type::Unit => Expr::new(ExprKind::Null, Type::Unit, span),
                None => self.missing(span, "the value of an assignment to several targets", ty.clone()),
            },
            Ast::Declare { name, .. } => {
                self.declaration(expr, name);
                Expr::new(ExprKind::Null, Type::Unit, span)
            }
            Ast::Exchange { place, value, expected } => {
                match self.exchange(expr, place, value, expected.as_deref(), true) {
                    Some(value) => value,
                    None => Expr::new(ExprKind::Null, Type::Unit, span),
                }
            }
            Ast::Lambda(_) => self.closure(expr.id, ty.clone(), span),
            Ast::Member { base, member } => self.member(base, member, ty, span),
            Ast::Type(written) => {
                let ty = self.tables.type_values.get(&written.id).cloned();
                match ty {
                    Some(ty) => {
                        let text =
                            Expr::new(ExprKind::Text(crate::ir::print::type_text(&ty)), Type::Text, span);
                        Expr::new(
                            ExprKind::Library { name: "type_value", args: vec![text] },
                            Type::TypeValue,
                            span,
                        )
                    }
                    None => self.missing(span, "a type as a value here", Type::TypeValue),
                }
            }
            Ast::Call { callee, args } if self.group_of(callee).is_some() => {
                self.group_call(expr, callee, args)
            }
            Ast::Call { .. } | Ast::Instantiate { .. } => self.missing(span, "this call", ty.clone()),
            Ast::Object(fields) => self.dynamic_object(fields, span),
            Ast::Meta { .. } => self.missing(span, "this `$` function", ty.clone()),
            Ast::Invalid => Expr::new(ExprKind::Null, ty.clone(), span),
        }
    }

    /// Each piece of a chain but the last goes into a variable.
    fn chain(&mut self, pieces: &'a [ast::Expr], span: Span) -> Expr {
        let Some((last, first)) = pieces.split_last() else {
            return Expr::new(ExprKind::Null, Type::Unit, span);
        };
        let outer = self.carried.take();
        for piece in first {
            let value = self.expr(piece);
            self.carried = Some(self.spill(value));
        }
        let value = self.expr(last);
        self.carried = outer;
        value
    }

    fn number(&mut self, number: Number, ty: &Type, span: Span) -> Expr {
        let value = match number {
            Number::Int(value) => match (i32::try_from(value), i64::try_from(value)) {
                (Ok(value), _) => Scalar::I32(value),
                (Err(_), Ok(value)) => Scalar::I64(value),
                (Err(_), Err(_)) => Scalar::F64(value as f64),
            },
            Number::Float(value) => Scalar::F64(value),
            Number::Imaginary(value) => return self.imaginary(value, ty, span),
        };
        let raw = build::scalar_type(value.element_type());
        self.convert_number(Expr::new(ExprKind::Constant(value), raw, span), ty)
    }

    fn imaginary(&mut self, value: f64, ty: &Type, span: Span) -> Expr {
        let part = |value| {
            Expr::new(ExprKind::Constant(Scalar::F64(value)), build::scalar_type(ElementType::Double), span)
        };
        let ty = if matches!(ty, Type::Scalar(..)) {
            ty.clone()
        } else {
            build::scalar_type(ElementType::ComplexSingle)
        };
        let value = self.row("complex2", vec![part(0.0), part(value)], &ty, span);
        match value.kind {
            ExprKind::Convert(inner) => self.convert_number(folded(*inner), &ty),
            _ => folded(value),
        }
    }

    fn name(&mut self, expr: &'a ast::Expr, name: &str) -> Expr {
        let ty = self.type_of(expr);
        match self.tables.names.get(&expr.id) {
            Some(NameUse::Local(name)) => match &ty {
                // An inner function is a variable that holds what it captured.
                Type::Closure(closure) if !self.environment.contains_key(name) => {
                    let node = closure.definition;
                    self.closure(node, ty, expr.span)
                }
                _ => self.local(name, &ty, expr.span),
            },
            Some(NameUse::Global(unique)) => self.global(unique, expr.span),
            Some(NameUse::Special(name)) => match self.environment.get(name) {
                Some(_) => self.local(name, &ty, expr.span),
                None => match self.special(name, expr.span) {
                    Some(value) => value,
                    None => self.missing(expr.span, &format!("the kernel parameter '{name}'"), ty),
                },
            },
            Some(NameUse::Function(node)) => self.closure(*node, ty, expr.span),
            Some(NameUse::Constant) | None => match name {
                "nullptr" => Expr::new(ExprKind::Null, ty, expr.span),
                _ if self.environment.contains_key(name) => self.local(name, &ty, expr.span),
                _ => self.missing(expr.span, &format!("the use of '{name}'"), ty),
            },
        }
    }

    pub(super) fn local(&mut self, name: &str, ty: &Type, span: Span) -> Expr {
        let variable = match self.environment.get(name) {
            Some(variable) => *variable,
            None => {
                let mode = self.default_mode();
                self.variable(name, ty, mode, span)
            }
        };
        self.body.read(variable, span)
    }

    pub(super) fn global(&mut self, unique: &str, span: Span) -> Expr {
        if let Some(variable) = self.environment.get(&captured_name(unique)) {
            return self.body.read(*variable, span);
        }
        match self.cx.globals.get(unique) {
            // Inference made parameters of all that can be used there.
            Some(global) if self.on_device() => {
                let global = &self.cx.program.globals[*global];
                super::messages::global_of_host(self.cx.sink, span, &global.name, &global.ty.to_string());
                Expr::new(ExprKind::Null, Type::Dynamic, span)
            }
            Some(global) => {
                let ty = self.cx.program.globals[*global].ty.clone();
                Expr::new(ExprKind::Global(*global), ty, span)
            }
            None => self.missing(span, &format!("the module-level variable '{unique}' here"), Type::Dynamic),
        }
    }

    /// A special kernel parameter: an `int`, or a vector of its components.
    pub(super) fn special(&mut self, name: &str, span: Span) -> Option<Expr> {
        let coordinate = match name {
            "pos" => Coordinate::Position,
            "blkpos" => Coordinate::BlockPosition,
            "blkdim" => Coordinate::BlockDim,
            "blkidx" => Coordinate::BlockIndex,
            "blkcnt" => Coordinate::BlockCount,
            "warpsize" => Coordinate::WarpSize,
            "coalesced_threads" => return Some(self.of_lanes("group_lanes", Vec::new(), LANES, span)),
            "this_thread_block" => return Some(self.group_value(Group::Block, span)),
            "this_grid" | "this_multi_grid" => return Some(self.group_value(Group::Grid, span)),
            _ => return None,
        };
        let binding = self.instance.params.iter().find(|param| param.special && param.name == name)?;
        let component = |k| Expr::new(ExprKind::Coordinate(coordinate, k), build::int_type(), span);
        let value = match self.known_length(&binding.ty) {
            Some(count) if matches!(binding.ty, Type::Array(_)) => {
                super::literals::int_vector((0..count).map(component).collect(), span)
            }
            _ => component(0),
        };
        Some(build::convert(value, &binding.ty.clone()))
    }

    fn sequence(
        &mut self,
        from: &'a ast::Expr,
        step: Option<&'a ast::Expr>,
        to: &'a ast::Expr,
        ty: &Type,
        span: Span,
    ) -> Expr {
        let element = match ty {
            Type::Array(array) => (*array.element).clone(),
            Type::Dynamic => Type::Dynamic,
            _ => build::int_type(),
        };
        let range: Range = self.range_of(from, step, to, &element);
        if element == Type::Dynamic {
            // The type of the numbers is found when the program runs.
            let args = [range.from, range.to].into_iter().chain(range.step).collect();
            return Expr::new(ExprKind::Library { name: "seq", args }, Type::Dynamic, span);
        }
        let ty = match ty {
            Type::Array(array) if array.rank == Rank::Known(1) => ty.clone(),
            _ => build::array_type(element, 1),
        };
        Expr::new(ExprKind::Sequence(Box::new(range)), ty, span)
    }

    fn member(&mut self, base: &'a ast::Expr, member: &'a ast::Name, ty: &Type, span: Span) -> Expr {
        // An exception is its text.
        if member.text == "message" && self.type_of(base) == Type::Text {
            return self.expr(base);
        }
        if let Some(value) = self.object_member(base, &member.text, span) {
            return value;
        }
        if let Some(group) = self.group(base) {
            return self.group_property(base, group, &member.text, span);
        }
        self.missing(span, "members of objects", ty.clone())
    }
}

/// A row on constants is done at once.
fn folded(value: Expr) -> Expr {
    let ExprKind::Apply { row, args } = &value.kind else { return value };
    let constants: Option<Vec<Scalar>> = args.iter().map(Expr::constant).collect();
    match constants {
        Some(constants) => Expr { kind: ExprKind::Constant((row.eval)(&constants)), ..value },
        None => value,
    }
}

/// Whether evaluating an expression does more than give its value.
pub(super) fn has_effect(expr: &ast::Expr) -> bool {
    struct Find(bool);
    impl crate::sema::walk::Visitor<'_> for Find {
        fn expr(&mut self, expr: &ast::Expr) -> bool {
            // What stands before the last part of a sequence is evaluated for its effect alone.
            self.0 |= matches!(
                expr.kind,
                Ast::Assign { .. } | Ast::Exchange { .. } | Ast::Declare { .. } | Ast::Sequence(_)
            );
            // Arguments of meta functions are only spoken of.
            let spoken_of =
                matches!(&expr.kind, Ast::Call { callee, .. } if matches!(callee.kind, Ast::Meta { .. }));
            !spoken_of && !matches!(expr.kind, Ast::Lambda(_))
        }
    }
    let mut find = Find(false);
    crate::sema::walk::expr(expr, &mut find);
    find.0
}
