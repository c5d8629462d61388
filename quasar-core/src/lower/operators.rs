//! Rows of the scalar table on operands of different types, truth values, and selections.

use super::body::Lowering;
use crate::builtins::Builtin;
use crate::ir::build::{self, element_of, int_type, scalar_type, with_element};
use crate::ir::{Block, Expr, ExprKind, StmtKind};
use crate::source::Span;
use crate::syntax::ast::{self, AssignOp, InfixOp, NodeId, PrefixOp};
use crate::types::{ArrayType, ElementType, Rank, Type};
use quasar_devicelib::element::{Scalar, promote};
use quasar_devicelib::ops::{self, Domain, Row};

/// The row of an operator; short-circuit operators have one for their elementwise form.
pub(super) fn infix_row(op: InfixOp) -> &'static str {
    match op {
        InfixOp::Add => "add",
        InfixOp::Subtract => "subtract",
        InfixOp::Multiply | InfixOp::DotMultiply => "multiply",
        InfixOp::Divide | InfixOp::DotDivide => "divide",
        InfixOp::Power | InfixOp::DotPower => "power",
        InfixOp::Equal => "equal",
        InfixOp::NotEqual => "not_equal",
        InfixOp::Less => "less",
        InfixOp::LessEqual => "less_equal",
        InfixOp::Greater => "greater",
        InfixOp::GreaterEqual => "greater_equal",
        InfixOp::And => "logical_and",
        InfixOp::Or => "logical_or",
    }
}

/// The row of a compound assignment.
pub(super) fn assign_row(op: AssignOp) -> &'static str {
    match op {
        AssignOp::Add => "add",
        AssignOp::Subtract => "subtract",
        AssignOp::Multiply | AssignOp::DotMultiply => "multiply",
        AssignOp::Divide | AssignOp::DotDivide => "divide",
        AssignOp::Power | AssignOp::DotPower => "power",
        AssignOp::BitAnd => "and",
        AssignOp::BitOr => "or",
        AssignOp::BitXor => "xor",
        AssignOp::Max => "max",
        AssignOp::Min => "min",
    }
}

/// Whether a row works on small integers as they are when all operands have the same type.
fn keeps_small(name: &str) -> bool {
    matches!(
        name,
        "min"
            | "max"
            | "clamp"
            | "clamp3"
            | "and"
            | "or"
            | "xor"
            | "not"
            | "equal"
            | "not_equal"
            | "less"
            | "less_equal"
            | "greater"
            | "greater_equal"
            | "logical_not"
            | "logical_and"
            | "logical_or"
    )
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn infix(
        &mut self,
        expr: &'a ast::Expr,
        op: InfixOp,
        lhs: &'a ast::Expr,
        rhs: &'a ast::Expr,
    ) -> Expr {
        let ty = self.type_of(expr);
        if matches!(op, InfixOp::And | InfixOp::Or) && !matches!(ty, Type::Array(_)) {
            return self.short_circuit(op == InfixOp::And, lhs, rhs, expr.span);
        }
        let args = self.ordered([lhs, rhs], |this, arg| this.expr(arg));
        self.row(infix_row(op), args, &ty, expr.span)
    }

    pub(super) fn prefix(&mut self, expr: &'a ast::Expr, op: PrefixOp, operand: &'a ast::Expr) -> Expr {
        let ty = self.type_of(expr);
        let value = match op {
            PrefixOp::Not if !matches!(ty, Type::Array(_)) => self.truth(operand),
            _ => self.expr(operand),
        };
        match op {
            PrefixOp::Plus => build::convert(value, &ty),
            PrefixOp::Negate => self.row("negate", vec![value], &ty, expr.span),
            PrefixOp::Not => self.row("logical_not", vec![value], &ty, expr.span),
        }
    }

    /// Applies the row of this name to operands of any types; the result is converted to `ty`.
    pub(super) fn row(&mut self, name: &str, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        if name == "power"
            && let [_, exponent] = &args[..]
            && exponent.ty == int_type()
            && exponent.constant().is_some()
        {
            return self.integer_power(args, ty, span);
        }
        let Some(row) = ops::find(name) else {
            return self.missing(span, &format!("the function '{name}'"), ty.clone());
        };
        let elements: Option<Vec<ElementType>> = args.iter().map(|arg| element_of(&arg.ty)).collect();
        match elements {
            Some(elements) if element_of(ty).is_some() => self.row_on_numbers(row, args, &elements, ty, span),
            _ => {
                let args = args.into_iter().map(|arg| build::convert(arg, &Type::Dynamic)).collect();
                build::convert(build::apply(row, args, Type::Dynamic, span), ty)
            }
        }
    }

    fn row_on_numbers(
        &mut self,
        row: &'static Row,
        args: Vec<Expr>,
        elements: &[ElementType],
        ty: &Type,
        span: Span,
    ) -> Expr {
        let common = self.operand_type(row, elements);
        let arrays = args.iter().any(|arg| matches!(arg.ty, Type::Array(_)));
        if arrays && !matches!(ty, Type::Array(_)) {
            // Only equality of arrays with different shapes is a single truth value.
            return build::int((row.name == "not_equal") as i32, span);
        }
        let shape = if arrays { ty.clone() } else { int_type() };
        let args = args.into_iter().map(|arg| self.operand(arg, common, &shape)).collect();
        let raw = with_element(&shape, row.result.apply(common));
        build::convert(build::apply(row, args, raw, span), ty)
    }

    /// The element type in which a row works on operands of these types.
    fn operand_type(&self, row: &Row, elements: &[ElementType]) -> ElementType {
        let mut common = elements.iter().copied().reduce(promote).unwrap_or(ElementType::Int32);
        let uniform = elements.iter().all(|element| *element == elements[0]);
        if !(uniform && keeps_small(row.name)) {
            common = promote(common, if small(common) { ElementType::Int32 } else { common });
        } else if uniform {
            common = elements[0];
        }
        if row.domain.contains(common) {
            return common;
        }
        match row.domain {
            Domain::Integer => ElementType::Int32,
            _ if common.is_complex() => common.real(),
            _ => self.cx.options.settings.precision,
        }
    }

    /// An operand in the common element type, seen in the rank of the result.
    fn operand(&mut self, arg: Expr, element: ElementType, shape: &Type) -> Expr {
        let arg = match (&arg.ty, shape) {
            (Type::Array(from), Type::Array(to)) => match (from.rank, to.rank) {
                (Rank::Known(low), Rank::Known(high)) if low < high => {
                    let view = view_type(from, high);
                    build::convert(arg, &view)
                }
                (Rank::Known(2), Rank::Known(1)) => {
                    let vector = Type::array((*from.element).clone(), &from.sizes[..1]);
                    build::convert(arg, &vector)
                }
                _ => arg,
            },
            _ => arg,
        };
        let ty = with_element(&arg.ty, element);
        self.convert_number(arg, &ty)
    }

    /// A conversion that is done at once for constants.
    pub(super) fn convert_number(&mut self, value: Expr, ty: &Type) -> Expr {
        if let (Some(constant), Type::Scalar(to, overflow)) = (value.constant(), ty)
            && let Ok(converted) = ops::convert_scalar(constant, *to, *overflow)
        {
            return Expr::new(ExprKind::Constant(converted), ty.clone(), value.span);
        }
        build::convert(value, ty)
    }

    /// `x ^ n` with a constant `int` exponent.
    fn integer_power(&mut self, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        let mut args = args.into_iter();
        let (Some(base), Some(exponent), Some(row)) = (args.next(), args.next(), ops::find("powi")) else {
            return self.missing(span, "this power", ty.clone());
        };
        let (Some(from), Some(to)) = (element_of(&base.ty), element_of(ty)) else {
            let args = vec![build::convert(base, &Type::Dynamic), build::convert(exponent, &Type::Dynamic)];
            return match ops::find("power") {
                Some(row) => build::convert(build::apply(row, args, Type::Dynamic, span), ty),
                None => self.missing(span, "this power", ty.clone()),
            };
        };
        let element = promote(from, to);
        let shape = base.ty.clone();
        let base = self.operand(base, element, &shape);
        let raw = with_element(&shape, element);
        build::convert(build::apply(row, vec![base, exponent], raw, span), ty)
    }

    /// Whether inference knows a condition already.
    pub(super) fn decided(&self, condition: &ast::Expr) -> Option<bool> {
        let constant = |id: &NodeId| match self.tables.constants.get(id) {
            Some(crate::sema::model::Constant::Scalar(value)) => Some(value.is_truthy()),
            _ => None,
        };
        self.tables.decided.get(&condition.id).copied().or_else(|| constant(&condition.id))
    }

    /// As [`Lowering::decided`], for a condition that is evaluated here: what it changes, it changes.
    pub(super) fn evaluated(&mut self, condition: &'a ast::Expr) -> Option<bool> {
        let known = self.decided(condition)?;
        if super::expressions::has_effect(condition) {
            self.effect(condition);
        }
        Some(known)
    }

    /// A condition as an `int` that is zero or not.
    pub(super) fn truth(&mut self, condition: &'a ast::Expr) -> Expr {
        if self.tables.decided.contains_key(&condition.id)
            && let Some(known) = self.evaluated(condition)
        {
            return build::int(known as i32, condition.span);
        }
        let value = self.expr(condition);
        self.truth_of(value)
    }

    /// The truth of the condition of `?:`, which is no array.
    fn truth_of_one(&mut self, condition: &'a ast::Expr) -> Expr {
        if self.type_of(condition) != Type::Dynamic {
            return self.truth(condition);
        }
        let value = self.expr(condition);
        Expr::new(ExprKind::Library { name: "truth_of_one", args: vec![value] }, int_type(), condition.span)
    }

    /// The truth of a value: numbers that are not zero, arrays with elements that are all not zero.
    pub(super) fn truth_of(&mut self, value: Expr) -> Expr {
        let span = value.span;
        match &value.ty {
            Type::Scalar(ElementType::Int32, _) => value,
            Type::Scalar(element, _) => {
                let zero = Expr::new(ExprKind::Constant(Scalar::zero(*element)), scalar_type(*element), span);
                match ops::find("not_equal") {
                    Some(row) => build::apply(row, vec![value, zero], int_type(), span),
                    None => value,
                }
            }
            Type::Array(array) if element_of(&value.ty).is_some() => {
                let array = array.clone();
                self.all(value, &array, span)
            }
            Type::Enum(_) => build::convert(value, &int_type()),
            _ => {
                let value = build::convert(value, &Type::Dynamic);
                Expr::new(ExprKind::Library { name: "all", args: vec![value] }, int_type(), span)
            }
        }
    }

    fn all(&mut self, value: Expr, array: &ArrayType, span: Span) -> Expr {
        let (Some(min), Some(different)) = (ops::find("min"), ops::find("not_equal")) else {
            return self.missing(span, "the truth of an array", int_type());
        };
        let (value, same_shape) = self.compared(value);
        let different_shape = same_shape.as_ref().is_some_and(|(_, equality)| !equality);
        let value = if same_shape.is_some() { value } else { self.atom(value) };
        let count = if array.sizes.iter().all(|size| size.is_some_and(|n| n > 0)) && !array.sizes.is_empty() {
            None
        } else {
            let count = Expr::new(ExprKind::Count(Box::new(value.clone())), int_type(), span);
            Some(build::apply(different, vec![count, build::int(0, span)], int_type(), span))
        };
        let test = match element_of(&value.ty) {
            Some(ElementType::Int32) | None => value,
            Some(element) => {
                let zero = Expr::new(ExprKind::Constant(Scalar::zero(element)), scalar_type(element), span);
                let ty = with_element(&value.ty, ElementType::Int32);
                build::apply(different, vec![value, zero], ty, span)
            }
        };
        let fold =
            Expr::new(ExprKind::Reduce { row: min, arg: Box::new(test), axis: None }, int_type(), span);
        let fold = build::apply(different, vec![fold, build::int(0, span)], int_type(), span);
        let both = |a: Expr, b: Expr| Expr::new(ExprKind::And(Box::new(a), Box::new(b)), int_type(), span);
        let all = match count {
            Some(count) => both(count, fold),
            None => fold,
        };
        match same_shape {
            None => all,
            Some((same, _)) if different_shape => {
                let differ = self.row("logical_not", vec![same], &int_type(), span);
                Expr::new(ExprKind::Or(Box::new(differ), Box::new(all)), int_type(), span)
            }
            Some((same, _)) => both(same, all),
        }
    }

    /// For `a == b` and `a != b` of arrays whose shapes may differ: whether they agree, and which of the two it is.
    fn compared(&mut self, value: Expr) -> (Expr, Option<(Expr, bool)>) {
        let span = value.span;
        let ExprKind::Apply { row, args } = value.kind else { return (value, None) };
        let equality = row.name == "equal";
        let known = |e: &Expr| matches!(&e.ty, Type::Array(array) if matches!(array.rank, Rank::Known(_)));
        if !(equality || row.name == "not_equal") || !args.iter().all(known) {
            return (Expr { kind: ExprKind::Apply { row, args }, ..value }, None);
        }
        let args: Vec<Expr> = args.into_iter().map(|arg| self.atom(arg)).collect();
        let mut same: Option<Expr> = None;
        if let [Expr { ty: Type::Array(a), .. }, Expr { ty: Type::Array(b), .. }] = &args[..] {
            for (axis, sizes) in a.sizes.iter().zip(&b.sizes).enumerate() {
                if sizes.0.is_some() && sizes.0 == sizes.1 {
                    continue;
                }
                let extents = args.iter().map(|arg| build::extent(arg.clone(), axis, span)).collect();
                let test = self.row("equal", extents, &int_type(), span);
                same = Some(match same {
                    None => test,
                    Some(before) => {
                        Expr::new(ExprKind::And(Box::new(before), Box::new(test)), int_type(), span)
                    }
                });
            }
        }
        let value = Expr { kind: ExprKind::Apply { row, args }, ..value };
        (value, same.map(|same| (same, equality)))
    }

    /// `a && b`, `a || b`: the right operand is evaluated only where it decides.
    fn short_circuit(&mut self, and: bool, lhs: &'a ast::Expr, rhs: &'a ast::Expr, span: Span) -> Expr {
        let left = self.truth(lhs);
        if let Some(known) = left.constant() {
            if known.is_truthy() != and {
                return build::int(!and as i32, span);
            }
            let right = self.truth(rhs);
            return self.as_bit(right);
        }
        let environment = self.environment.clone();
        let reachable = self.reachable;
        let (mut block, right) = self.in_block(|this| this.truth(rhs));
        let right_ends = std::mem::replace(&mut self.reachable, reachable);
        if block.is_empty() {
            let (left, right) = (Box::new(left), Box::new(right));
            let kind = if and { ExprKind::And(left, right) } else { ExprKind::Or(left, right) };
            return Expr::new(kind, int_type(), span);
        }
        self.environment = environment;
        let result = self.body.temporary(int_type(), span);
        let left = self.as_bit(left);
        self.emit(StmtKind::Assign { variable: result, value: left }, span);
        if right_ends {
            let right = self.as_bit(right);
            block.push(build::assign(result, right));
        }
        let condition = self.body.read(result, span);
        let (then, otherwise) = if and { (block, Vec::new()) } else { (Vec::new(), block) };
        self.emit(StmtKind::If { condition, then, otherwise }, span);
        self.body.read(result, span)
    }

    /// `a && b` and `a || b` with values of unknown type: a number on the left may decide, an array does not.
    pub(super) fn short_circuit_of_values(&mut self, expr: &'a ast::Expr, builtin: &'static Builtin) -> Expr {
        let span = expr.span;
        let (ast::ExprKind::Infix { op, lhs, rhs }, Some(row)) = (&expr.kind, ops::find(builtin.name)) else {
            return self.missing(span, "this operator", Type::Dynamic);
        };
        let and = *op == InfixOp::And;
        let left = self.expr(lhs);
        let left = self.atom(build::convert(left, &Type::Dynamic));
        let args = vec![left.clone(), build::int(and.into(), span)];
        let condition = Expr::new(ExprKind::Library { name: "decides", args }, int_type(), span);
        let (environment, reachable) = (self.environment.clone(), self.reachable);
        let (mut otherwise, right) = self.in_block(|this| this.expr(rhs));
        self.environment = environment;
        let right_ends = std::mem::replace(&mut self.reachable, reachable);
        let result = self.body.temporary(Type::Dynamic, span);
        if right_ends {
            let args = vec![left, build::convert(right, &Type::Dynamic)];
            otherwise.push(build::assign(result, build::apply(row, args, Type::Dynamic, span)));
        }
        let decided = build::convert(build::int((!and).into(), span), &Type::Dynamic);
        let then = vec![build::assign(result, decided)];
        self.emit(StmtKind::If { condition, then, otherwise }, span);
        self.body.read(result, span)
    }

    /// A truth value as 0 or 1.
    fn as_bit(&mut self, value: Expr) -> Expr {
        let is_bit = match &value.kind {
            ExprKind::And(..) | ExprKind::Or(..) => true,
            ExprKind::Apply { row, .. } => row.result == ops::ResultRule::Truth,
            ExprKind::Constant(Scalar::I32(value)) => (0..=1).contains(value),
            _ => false,
        };
        match ops::find("not_equal") {
            Some(row) if !is_bit => {
                let span = value.span;
                build::apply(row, vec![value, build::int(0, span)], int_type(), span)
            }
            _ => value,
        }
    }

    /// `condition ? then : otherwise`
    pub(super) fn ternary(
        &mut self,
        expr: &'a ast::Expr,
        condition: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
    ) -> Expr {
        let ty = self.type_of(expr);
        if let Some(known) = self.evaluated(condition) {
            let value = self.expr(if known { then } else { otherwise });
            return build::convert(value, &ty);
        }
        let condition = self.truth_of_one(condition);
        let before = self.environment.clone();
        let reachable = self.reachable;
        let (mut first, then) = self.in_block(|this| this.expr(then));
        self.environment.clone_from(&before);
        let then_ends = std::mem::replace(&mut self.reachable, reachable);
        let (mut second, otherwise) = self.in_block(|this| this.expr(otherwise));
        self.environment = before;
        let otherwise_ends = std::mem::replace(&mut self.reachable, reachable);
        if !(then_ends && otherwise_ends) && reachable {
            let ways = [(first, then_ends.then_some(then)), (second, otherwise_ends.then_some(otherwise))];
            return self.failing_choice(condition, ways, ty, expr.span);
        }
        let (then, otherwise) = (build::convert(then, &ty), build::convert(otherwise, &ty));
        if first.is_empty() && second.is_empty() {
            let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
            return Expr::new(ExprKind::Select { condition, then, otherwise }, ty, expr.span);
        }
        if ty == Type::Unit {
            self.emit(StmtKind::If { condition, then: first, otherwise: second }, expr.span);
            return Expr::new(ExprKind::Null, Type::Unit, expr.span);
        }
        let result = self.body.temporary(ty, expr.span);
        first.push(build::assign(result, then));
        second.push(build::assign(result, otherwise));
        self.emit(StmtKind::If { condition, then: first, otherwise: second }, expr.span);
        self.body.read(result, expr.span)
    }

    /// A choice of which a branch always fails: that one has no value.
    fn failing_choice(
        &mut self,
        condition: Expr,
        ways: [(Block, Option<Expr>); 2],
        ty: Type,
        span: Span,
    ) -> Expr {
        let goes_on = ways.iter().any(|(_, value)| value.is_some());
        let result = (goes_on && ty != Type::Unit).then(|| self.body.temporary(ty.clone(), span));
        let [then, otherwise] = ways.map(|(mut block, value)| {
            if let (Some(result), Some(value)) = (result, value) {
                block.push(build::assign(result, build::convert(value, &ty)));
            }
            block
        });
        self.emit(StmtKind::If { condition, then, otherwise }, span);
        self.reachable = goes_on;
        match result {
            Some(result) => self.body.read(result, span),
            None => Expr::new(ExprKind::Null, ty, span),
        }
    }
}

fn small(element: ElementType) -> bool {
    matches!(
        element,
        ElementType::Int8
            | ElementType::Int16
            | ElementType::UInt8
            | ElementType::UInt16
            | ElementType::UInt32
    )
}

/// An array seen with more dimensions: a vec as a row, others with ones behind.
pub(super) fn view_type(array: &ArrayType, rank: u8) -> Type {
    let mut sizes = array.sizes.clone();
    if sizes.len() == 1 {
        sizes.insert(0, Some(1));
    }
    sizes.resize(rank as usize, Some(1));
    Type::Array(ArrayType { element: array.element.clone(), rank: Rank::Known(rank), sizes })
}
