//! Calls of functions and launches of kernels that are chosen at run time: a chain of comparisons of the number of the function,
//! with one direct call or launch each. What the values themselves become is the job of the pass `defunctionalize`.

use super::body::{Lowering, results_of};
use super::messages;
use crate::ir::build::{self, int_type};
use crate::ir::choices::{fields_of, is_number, tag};
use crate::ir::{Expr, ExprKind, StmtKind, VarId};
use crate::sema::model::{Argument, Callee, InstanceId};
use crate::settings::FunctionPointers;
use crate::source::Span;
use crate::syntax::ast::{self, NodeId};
use crate::types::{Type, lattice};

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
        let mut all = self.chosen_captures(value, number, instance, span);
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

    /// What the function of a number captured, and the variables of its module that it reads.
    pub(super) fn chosen_captures(
        &mut self,
        value: &Expr,
        number: usize,
        instance: InstanceId,
        span: Span,
    ) -> Vec<Expr> {
        let captured = &self.cx.model.instances[instance].captures;
        let fields = fields_of(value, number);
        let own = fields.len();
        let fields = fields.into_iter().zip(captured);
        let mut all: Vec<Expr> = fields.map(|(field, capture)| build::convert(field, &capture.ty)).collect();
        for unique in captured.iter().skip(own).filter_map(|capture| capture.module_variable()) {
            all.push(self.global(unique, span));
        }
        all
    }

    /// A launch of one of several kernels.
    pub(super) fn launch_choice(
        &mut self,
        expr: &'a ast::Expr,
        kernel: NodeId,
        launches: &'a [Callee],
        wanted: bool,
    ) -> Vec<Expr> {
        let Some(written) = self.expression(kernel) else {
            return vec![self.missing(expr.span, "this launch", self.type_of(expr))];
        };
        let value = self.expr(written);
        let value = self.spill(value);
        let first = launches.first().and_then(Callee::instance);
        let (targets, values) = first.map(|id| self.targets(id, wanted, expr.span)).unwrap_or_default();
        let targets: Vec<VarId> = targets.into_iter().flatten().collect();
        self.launch_from(expr, (kernel, &value), launches, 0, &targets);
        values
    }

    /// Launches the kernel of number `first` or one behind it.
    fn launch_from(
        &mut self,
        expr: &'a ast::Expr,
        (kernel, value): (NodeId, &Expr),
        launches: &'a [Callee],
        first: usize,
        targets: &[VarId],
    ) {
        let Some(launch) = launches.get(first) else { return };
        let one = |this: &mut Self| {
            this.chosen_kernels.push((kernel, value.clone(), first));
            let values = this.results(expr, launch, !targets.is_empty());
            this.chosen_kernels.pop();
            for (target, value) in targets.iter().zip(values) {
                this.assign_to(*target, value);
            }
        };
        if first + 1 == launches.len() {
            return one(self);
        }
        let condition = is_number(tag(value), first);
        let then = self.branch(one);
        let other = self.branch(|this| this.launch_from(expr, (kernel, value), launches, first + 1, targets));
        self.join(expr.id, condition, then, other, expr.span);
    }

    /// A component of a cell of functions, by an index that is known at run time.
    pub(super) fn chosen_component(&mut self, tuple: Expr, index: Expr, count: usize, ty: &Type) -> Expr {
        let (tuple, span) = (self.atom(tuple), index.span);
        let index = self.convert_number(index, &int_type());
        let index = self.atom(index);
        let low = self.row("greater_equal", vec![index.clone(), build::int(0, span)], &int_type(), span);
        let high = self.row("less", vec![index.clone(), build::int(count as i32, span)], &int_type(), span);
        let condition = Expr::new(ExprKind::And(Box::new(low), Box::new(high)), int_type(), span);
        let items = if matches!(ty, Type::Choice(_)) { "functions" } else { "components" };
        let text = format!("the index lies among the {count} {items}");
        self.emit(StmtKind::Assert { condition, text, message: Vec::new() }, span);
        let mut items = self.components(tuple, count).into_iter().enumerate().rev();
        let last = items.next().map(|(_, item)| build::convert(item, ty));
        let chosen = items.fold(last, |otherwise, (k, item)| {
            Some(build::select(is_number(index.clone(), k), build::convert(item, ty), otherwise?))
        });
        chosen.unwrap_or_else(|| Expr::new(ExprKind::Null, ty.clone(), span))
    }
}
