//! Calls of methods that the class of an object chooses when the program runs:
//! `o.f(x)` becomes `if o is a duck { f(o, x) of ducks } else { f(o, x) of birds }`.

use super::body::{Lowering, results_of};
use crate::ir::build::{self, int_type};
use crate::ir::{Expr, ExprKind, StmtKind, VarId};
use crate::sema::model::{Argument, InstanceId};
use crate::syntax::ast::{self, NodeId};
use crate::types::{ClassType, Type, lattice};
use std::sync::Arc;

type Call = (Arc<ClassType>, InstanceId, Vec<Argument>);

impl<'a> Lowering<'a, '_> {
    pub(super) fn dispatch(
        &mut self,
        expr: &'a ast::Expr,
        object: NodeId,
        calls: &'a [Call],
        otherwise: Option<&'a (InstanceId, Vec<Argument>)>,
        wanted: bool,
    ) -> Vec<Expr> {
        let span = expr.span;
        let Some(receiver) = self.expression(object) else {
            return vec![self.missing(span, "this call", self.type_of(expr))];
        };
        let value = self.expr(receiver);
        let value = self.spill(value);
        let instances = calls.iter().map(|(_, instance, _)| instance);
        let instances = instances.chain(otherwise.map(|(instance, _)| instance));
        let types_of = |instance: &InstanceId| -> Vec<Type> {
            results_of(&self.cx.model.instances[*instance]).iter().map(|result| result.ty.clone()).collect()
        };
        let join = |a: Vec<Type>, b: Vec<Type>| a.iter().zip(&b).map(|(a, b)| lattice::join(a, b)).collect();
        let mut types: Vec<Type> = instances.map(types_of).reduce(join).unwrap_or_default();
        if otherwise.is_none() {
            // The function in a field gives values of unknown types.
            types.fill(Type::Dynamic);
        }
        let targets: Vec<VarId> = match wanted {
            true => types.iter().map(|ty| self.body.temporary(ty.clone(), span)).collect(),
            false => Vec::new(),
        };
        self.dispatched.push((object, value));
        self.dispatch_from(expr, calls, otherwise, &targets);
        self.dispatched.pop();
        targets.iter().map(|target| self.body.read(*target, span)).collect()
    }

    fn dispatch_from(
        &mut self,
        expr: &'a ast::Expr,
        calls: &'a [Call],
        otherwise: Option<&'a (InstanceId, Vec<Argument>)>,
        targets: &[VarId],
    ) {
        let Some(((class, instance, args), others)) = calls.split_first() else {
            return match otherwise {
                Some((instance, args)) => self.call_for_class(expr, *instance, args, targets),
                None => self.call_of_field(expr, targets),
            };
        };
        let Some((_, value)) = self.dispatched.last().cloned() else { return };
        let asked = vec![build::convert(value, &Type::Dynamic), build::int(class.id.0 as i32, expr.span)];
        let condition =
            Expr::new(ExprKind::Library { name: "is_of_class", args: asked }, int_type(), expr.span);
        let then = self.branch(|this| this.call_for_class(expr, *instance, args, targets));
        let other = self.branch(|this| this.dispatch_from(expr, others, otherwise, targets));
        self.join(expr.id, condition, then, other, expr.span);
    }

    /// The call of the function that the object has in its field.
    fn call_of_field(&mut self, expr: &'a ast::Expr, targets: &[VarId]) {
        let values = self.call_value(expr, !targets.is_empty());
        for (target, value) in targets.iter().zip(values) {
            let value = build::convert(value, &Type::Dynamic);
            self.assign_to(*target, value);
        }
    }

    fn call_for_class(
        &mut self,
        expr: &'a ast::Expr,
        instance: InstanceId,
        args: &'a [Argument],
        targets: &[VarId],
    ) {
        let span = expr.span;
        let Some(function) = self.cx.function(instance) else {
            return self.not_supported(span, "calling a kernel without `parallel_do`");
        };
        let args = self.full_arguments(instance, None, args, span);
        let (results, values) = self.targets(instance, !targets.is_empty(), span);
        self.emit(StmtKind::Call { function, args, results }, span);
        for (target, value) in targets.iter().zip(values) {
            let ty = self.body.variables[*target].ty.clone();
            let value = self.convert_number(value, &ty);
            self.assign_to(*target, value);
        }
    }
}
