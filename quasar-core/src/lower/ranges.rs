//! The parts of sequences: those of loops, of values and of indices.

use super::body::Lowering;
use crate::ir::build::{self, int_type};
use crate::ir::{Expr, ExprKind, Failure, Index, Range, Stmt, StmtKind};
use crate::source::Span;
use crate::syntax::ast;
use crate::types::{ElementType, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::value::sequence;

impl<'a> Lowering<'a, '_> {
    /// A sequence whose parts have the given number type.
    pub(super) fn range_of(
        &mut self,
        from: &'a ast::Expr,
        step: Option<&'a ast::Expr>,
        to: &'a ast::Expr,
        ty: &Type,
    ) -> Range {
        let parts: Vec<&'a ast::Expr> =
            std::iter::once(from).chain(step).chain(std::iter::once(to)).collect();
        let mut values = self.ordered(parts, |this, part| {
            let value = this.expr(part);
            build::convert(value, ty)
        });
        let to = values.pop();
        let mut values = values.into_iter();
        let zero = || build::int(0, from.span);
        let from = values.next().unwrap_or_else(zero);
        Range { from, step: values.next(), to: to.unwrap_or_else(zero) }
    }

    /// The rounds of a loop, behind tests of what is not known of them: the step is not zero, and all parts are finite.
    pub(super) fn possible(&mut self, range: Range) -> Range {
        let test = |e: &Expr| e.constant().is_none() && matches!(e.ty, Type::Scalar(..));
        let floats = build::element_of(&range.from.ty).is_some_and(ElementType::is_float);
        let step = range.step.map(|step| if test(&step) { self.atom(step) } else { step });
        if let Some(step) = step.as_ref().filter(|step| test(step)) {
            let zero = build::nothing(&step.ty, step.span).into_iter();
            let args: Vec<Expr> = std::iter::once(step.clone()).chain(zero).collect();
            let condition = self.row("equal", args, &build::int_type(), step.span);
            self.fail_if(condition, sequence::ZERO_STEP);
        }
        let mut finite = |part: Expr| {
            if !floats || !test(&part) {
                return part;
            }
            let (part, span) = (self.atom(part), range.to.span);
            let is_finite = self.row("isfinite", vec![part.clone()], &build::int_type(), span);
            let zero = build::int(0, span);
            let condition = self.row("equal", vec![is_finite, zero], &build::int_type(), span);
            self.fail_if(condition, sequence::NOT_FINITE);
            part
        };
        Range { from: finite(range.from), step: step.map(&mut finite), to: finite(range.to.clone()) }
    }

    /// The error of an impossible sequence.
    fn fail_if(&mut self, condition: Expr, text: &str) {
        let span = condition.span;
        let message = vec![Expr::new(ExprKind::Text(text.to_string()), Type::Text, span)];
        let fail = Stmt::new(StmtKind::Fail { failure: Failure::Argument, message }, span);
        self.emit(StmtKind::If { condition, then: vec![fail], otherwise: Vec::new() }, span);
    }

    /// A sequence as an index: the places are the elements of the sequence, their fractions cut off.
    pub(super) fn places(
        &mut self,
        from: &'a ast::Expr,
        step: Option<&'a ast::Expr>,
        to: &'a ast::Expr,
        ty: &Type,
        span: Span,
    ) -> Index {
        let Type::Array(array) = ty else {
            return Index::Range(self.range_of(from, step, to, &int_type()));
        };
        if !build::element_of(ty).is_some_and(ElementType::is_float) {
            return Index::Range(self.range_of(from, step, to, &int_type()));
        }
        let range = self.range_of(from, step, to, &array.element);
        let whole = |step: &Expr| {
            let value = match &step.kind {
                ExprKind::Convert(inner) => inner.constant(),
                _ => step.constant(),
            };
            let value = value?.as_f64();
            (value.fract() == 0.0 && value != 0.0 && value.abs() < 1e6).then_some(value as i32)
        };
        match range.step.as_ref().map_or(Some(1), whole) {
            Some(step) => Index::Range(self.whole_places(range, step, span)),
            None => {
                let values = Expr::new(ExprKind::Sequence(Box::new(range)), ty.clone(), span);
                Index::List(build::convert(values, &build::with_element(ty, ElementType::Int32)))
            }
        }
    }

    /// The places of a sequence of floats with a whole step. The last one depends on how many there are: `0.5..2` are 0 and 1.
    fn whole_places(&mut self, range: Range, step: i32, span: Span) -> Range {
        let Range { from, to, .. } = self.possible(range);
        let double = build::scalar_type(ElementType::Double);
        let first = match &from.kind {
            ExprKind::Convert(inner) if build::element_of(&inner.ty).is_some_and(ElementType::is_integer) => {
                (**inner).clone()
            }
            _ => self.not_between(&from, span),
        };
        let first = build::convert(first, &int_type());
        let first = if first.constant().is_some() { first } else { self.atom(first) };
        let number = |x: f64| Expr::new(ExprKind::Constant(Scalar::F64(x)), double.clone(), span);
        let parts = vec![build::convert(to, &double), build::convert(from, &double)];
        let mut rounds = self.row("subtract", parts, &double, span);
        if step != 1 {
            rounds = self.row("divide", vec![rounds, number(f64::from(step))], &double, span);
        }
        rounds = self.row("add", vec![rounds, number(sequence::TOLERANCE)], &double, span);
        rounds = build::convert(self.row("floor", vec![rounds], &double, span), &int_type());
        if step != 1 {
            rounds = self.row("multiply", vec![rounds, build::int(step, span)], &int_type(), span);
        }
        let to = self.row("add", vec![first.clone(), rounds], &int_type(), span);
        Range { from: first, step: (step != 1).then(|| build::int(step, span)), to }
    }

    /// The first place of a sequence, behind a test: fractions of negative places are not cut off in one direction.
    fn not_between(&mut self, from: &Expr, span: Span) -> Expr {
        if let Some(value) = from.constant().map(Scalar::as_f64)
            && (value >= 0.0 || value.fract() == 0.0)
        {
            return from.clone();
        }
        let zero = build::nothing(&from.ty, span).into_iter();
        let negative = std::iter::once(from.clone()).chain(zero).collect();
        let negative = self.row("less", negative, &int_type(), span);
        let floor = self.row("floor", vec![from.clone()], &from.ty.clone(), span);
        let between = self.row("not_equal", vec![from.clone(), floor], &int_type(), span);
        let condition = self.row("and", vec![negative, between], &int_type(), span);
        self.fail_if(condition, sequence::NEGATIVE_FRACTION);
        from.clone()
    }
}
