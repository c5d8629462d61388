//! Walks through the statements of a body, and notes what they make variables, cells and objects refer to.

use super::Node;
use super::{
    Analysis, OUTSIDE, Origins, PointsTo, ResultSummary, SCRATCH, Set, Sharing, Summary, holds_references,
    inner, is_leaf, may_have_one_type, own, refers,
};
use crate::ir::rewrite::children;
use crate::ir::{Body, Expr, ExprKind, FunctionId, Stmt, StmtKind, VarId};
use crate::types::Type;
use std::collections::BTreeSet;

/// One walk over a body.
pub(super) struct Walk<'a, 'p> {
    pub(super) analysis: &'a Analysis<'p>,
    pub(super) points: PointsTo,
    pub(super) changed: bool,
}

impl Walk<'_, '_> {
    /// What a call passes to the parameters of a function.
    pub(super) fn passed(
        &mut self,
        function: FunctionId,
        args: &[Expr],
        found: &mut Vec<(FunctionId, (usize, usize), Sharing)>,
    ) {
        let values: Vec<Set> = args.iter().map(|arg| self.value(arg, SCRATCH, SCRATCH)).collect();
        let points = &self.points;
        let mut outside = Set::of(OUTSIDE);
        for (arg, value) in args.iter().zip(&values) {
            if holds_references(&arg.ty) {
                outside.add(&points.held(&points.reach(value, true)));
            }
        }
        for (i, (arg, value)) in args.iter().zip(&values).enumerate() {
            if value.is_empty() {
                continue;
            }
            for (j, (other_arg, other)) in args.iter().zip(&values).enumerate().skip(i + 1) {
                if may_have_one_type(&arg.ty, &other_arg.ty) {
                    found.push((function, (i, j), points.meet(value, other)));
                }
            }
            found.push((function, (i, args.len()), points.meet(value, &outside)));
        }
        found.retain(|(_, _, sharing)| *sharing != Sharing::Never);
    }

    fn assign(&mut self, variable: VarId, value: &Set) {
        self.changed |= self.points.variables[variable.index()].add(value);
    }

    /// What comes to lie in cells and objects.
    fn store(&mut self, targets: &Set, values: &Set) {
        if values.is_empty() {
            return;
        }
        let nodes: Vec<Node> = match targets.any {
            false => targets.iter().map(|(node, _)| node).collect(),
            true => self.points.contents.keys().copied().chain([OUTSIDE]).collect(),
        };
        for node in nodes {
            let node = if self.points.is_param(node) { OUTSIDE } else { node };
            self.changed |= self.points.contents.entry(node).or_default().add(values);
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt, body: &Body) {
        match &stmt.kind {
            StmtKind::Assign { variable, value } => {
                let node = own(*variable);
                let value = self.value(value, node, inner(node));
                self.assign(*variable, &value);
            }
            StmtKind::AssignGlobal { value, .. } => {
                let value = self.value(value, SCRATCH, SCRATCH);
                self.store(&Set::of(OUTSIDE), &value);
            }
            StmtKind::Store { array, value, .. }
            | StmtKind::Update { array, value, .. }
            | StmtKind::Exchange { array, value, .. }
                if !is_leaf(&array.ty) =>
            {
                let target = self.value(array, SCRATCH, SCRATCH);
                let mut values = self.value(value, SCRATCH, SCRATCH);
                values.add(&self.points.held(&values));
                if matches!(stmt.kind, StmtKind::Update { .. }) {
                    values.add(&Set::of(SCRATCH));
                }
                self.store(&target, &values);
                if let StmtKind::Update { result: Some(result), .. }
                | StmtKind::Exchange { result: Some(result), .. } = &stmt.kind
                {
                    let held = self.points.held(&target);
                    self.assign(*result, &held.with(&values));
                }
            }
            StmtKind::SetMember { object, value, .. } => {
                let target = self.value(object, SCRATCH, SCRATCH);
                let values = self.value(value, SCRATCH, SCRATCH);
                self.store(&target, &values);
            }
            StmtKind::ForEach { variable, over, .. } => {
                let over = self.value(over, SCRATCH, SCRATCH);
                let held = self.points.held(&over);
                if refers(&body.variables[*variable].ty) {
                    self.assign(*variable, &held.with(&Set::of(own(*variable))));
                }
            }
            StmtKind::Call { function, args, results } => match self.analysis.summaries.get(function) {
                Some(summary) => self.call(summary.clone(), args, results, body),
                // Where nothing is known yet, the fixpoint comes back.
                None if self.analysis.functions.is_empty() => {
                    self.unknown_call(args.iter(), results, body);
                }
                None => {}
            },
            StmtKind::CallValue { callee, args, results } => {
                self.unknown_call(args.iter().chain([callee]), results, body);
            }
            StmtKind::Library { name, args, results } => self.effects(name, args, results, body),
            StmtKind::Launch { args, results, .. } => self.effects("", args, results, body),
            _ => {}
        }
    }

    /// A library function with effects, or a kernel: it may put arrays into the cells and objects that it is given, and
    /// give back what it was given.
    fn effects(&mut self, name: &str, args: &[Expr], results: &[Option<VarId>], body: &Body) {
        const ONLY_READ: &[&str] = &[
            "print",
            "printf",
            "fprintf",
            "error",
            "dimensions_differ",
            "undraw",
            "imwrite",
            "imshow",
            "plot",
            "scatter",
            "bar",
        ];
        if ONLY_READ.contains(&name) {
            return;
        }
        let mut containers = Set::default();
        let mut all = Set::default();
        for arg in args {
            let value = self.value(arg, SCRATCH, SCRATCH);
            let holds = holds_references(&arg.ty);
            let reached = self.points.reach(&value, holds);
            all.add(&reached);
            if holds {
                containers.add(&reached);
            }
        }
        if !containers.is_empty() {
            all.add(&Set::of(SCRATCH));
            self.store(&containers, &all);
        }
        for target in results.iter().flatten().filter(|v| refers(&body.variables[**v].ty)) {
            let node = own(*target);
            self.assign(*target, &all.reshaped().with(&Set::of(node)));
            if !is_leaf(&body.variables[*target].ty) {
                self.store(&Set::of(node), &all);
            }
        }
    }

    fn unknown_call<'e>(
        &mut self,
        args: impl Iterator<Item = &'e Expr>,
        results: &[Option<VarId>],
        body: &Body,
    ) {
        let args: Vec<&Expr> = args.collect();
        let all = Origins { outside: true, ..Origins::unknown(args.len()) };
        let result = ResultSummary { direct: all.clone(), contents: all.clone() };
        let summary = Summary { results: vec![result; results.len()], stored: all, shared: true };
        let args: Vec<Expr> = args.into_iter().cloned().collect();
        self.call(summary, &args, results, body);
    }

    fn call(&mut self, summary: Summary, args: &[Expr], results: &[Option<VarId>], body: &Body) {
        let values: Vec<Set> = args.iter().map(|arg| self.value(arg, SCRATCH, SCRATCH)).collect();
        let mut reached = Set::of(OUTSIDE);
        let mut containers = Set::of(OUTSIDE);
        for (arg, value) in args.iter().zip(&values) {
            if holds_references(&arg.ty) {
                let all = self.points.reach(value, true);
                reached.add(&self.points.held(&all));
                containers.add(&all);
            }
        }
        if !summary.stored.is_empty() {
            let stored = translate(&summary.stored, &values, &reached, SCRATCH);
            self.store(&containers, &stored);
        }
        // What is made and may be in several places has one node for all of them.
        let stays = summary.stored.is_empty();
        let common = results.iter().flatten().next().filter(|_| stays).map_or(SCRATCH, |first| own(*first));
        for (target, result) in results.iter().zip(&summary.results) {
            let Some(target) = target else { continue };
            if !refers(&body.variables[*target].ty) {
                continue;
            }
            let (node, within) = match summary.shared {
                true => (common, common),
                false => (own(*target), inner(own(*target))),
            };
            let direct = translate(&result.direct, &values, &reached, node);
            self.assign(*target, &direct);
            if !result.contents.is_empty() {
                let contents = translate(&result.contents, &values, &reached, within);
                self.store(&Set::of(node), &contents);
                self.store(&Set::of(within), &contents);
            }
        }
    }

    /// What an expression may be. What it makes belongs to `node`, what it makes inside of that to `within`.
    fn value(&mut self, expr: &Expr, node: Node, within: Node) -> Set {
        if !refers(&expr.ty) {
            return Set::default();
        }
        match &expr.kind {
            ExprKind::Local(variable) => self.points.variables[variable.index()].clone(),
            ExprKind::Global(_) => {
                let stored = self.points.contents.get(&OUTSIDE).cloned().unwrap_or_default();
                stored.with(&Set::of(OUTSIDE))
            }
            ExprKind::Convert(from) => self.converted(expr, from, node, within),
            ExprKind::Select { then, otherwise, .. } => {
                let then = self.value(then, node, within);
                then.with(&self.value(otherwise, node, within))
            }
            ExprKind::Field(from, _) | ExprKind::Member(from, _) => {
                let from = self.value(from, within, within);
                self.points.held(&from).with(&from_any(&from))
            }
            ExprKind::Load { array, .. } => {
                let array_value = self.value(array, within, within);
                let held = self.points.held(&array_value);
                match is_leaf(&array.ty) {
                    true => Set::of(node),
                    false => {
                        self.store(&Set::of(node), &held);
                        held.with(&Set::of(node))
                    }
                }
            }
            ExprKind::Library { name, args } => self.library(expr, name, args, node, within),
            _ => self.made(expr, node, within),
        }
    }

    /// A value that the expression makes, which may hold its operands.
    fn made(&mut self, expr: &Expr, node: Node, within: Node) -> Set {
        if !is_leaf(&expr.ty) {
            let mut parts = Vec::new();
            children(expr, &mut |child| parts.push(child.clone()));
            for part in &parts {
                let value = self.value(part, within, within);
                let mut values = value.clone();
                if !matches!(expr.kind, ExprKind::Tuple(_) | ExprKind::New(_) | ExprKind::Function { .. }) {
                    values.add(&self.points.held(&value));
                }
                self.store(&Set::of(node), &values);
            }
        }
        Set::of(node)
    }

    /// A conversion keeps an array that has the type already.
    fn converted(&mut self, expr: &Expr, from: &Expr, node: Node, within: Node) -> Set {
        let value = self.value(from, node, within);
        if is_leaf(&expr.ty) && is_leaf(&from.ty) {
            if !may_have_one_type(&expr.ty, &from.ty) {
                return Set::of(node);
            }
            let rank = |ty: &Type| ty.as_array().and_then(|array| array.known_rank());
            let keeps = rank(&from.ty).is_some() && rank(&from.ty) == rank(&expr.ty);
            return if keeps { value } else { value.reshaped() };
        }
        if is_leaf(&expr.ty) {
            // Out of a value of unknown type: a scalar or an array of other numbers makes a new one.
            return value.reshaped().with(&Set::of(node));
        }
        if is_leaf(&from.ty) {
            return value.with(&Set::of(node));
        }
        let held = self.points.held(&value);
        self.store(&Set::of(node), &held.with(&Set::of(within)));
        value.with(&Set::of(node))
    }

    fn library(&mut self, expr: &Expr, name: &str, args: &[Expr], node: Node, within: Node) -> Set {
        if gives_new_array(name) && is_leaf(&expr.ty) {
            return Set::of(node);
        }
        let mut all = Set::default();
        for arg in args {
            let value = self.value(arg, within, within);
            let containers = holds_references(&arg.ty);
            if containers || may_have_one_type(&arg.ty, &expr.ty) || !is_leaf(&expr.ty) {
                all.add(&self.points.reach(&value, containers));
            }
        }
        if name != "copy" {
            all = all.reshaped();
        }
        if !is_leaf(&expr.ty) {
            self.store(&Set::of(node), &all);
        }
        all.with(&Set::of(node))
    }
}

/// A set that says no more than that it may be anything, where the other does.
fn from_any(set: &Set) -> Set {
    Set { nodes: BTreeSet::new(), any: set.any }
}

/// What a callee says, in terms of the caller.
fn translate(origins: &Origins, args: &[Set], reached: &Set, fresh: Node) -> Set {
    let mut set = Set::default();
    for (k, reshaped) in &origins.params {
        let Some(value) = args.get(*k) else { continue };
        set.add(&if *reshaped { value.reshaped() } else { value.clone() });
    }
    if origins.outside {
        set.add(reached);
    }
    if origins.fresh {
        set.add(&Set::of(fresh));
    }
    set
}

/// Library functions that make the array of numbers that they give. Others may give back what they were given.
fn gives_new_array(name: &str) -> bool {
    const NEW: &[&str] = &[
        "zeros",
        "ones",
        "uninit",
        "czeros",
        "cuninit",
        "eye",
        "copy",
        "linspace",
        "logspace",
        "seq",
        "places",
        "rand",
        "randn",
        "randi",
        "size",
        "cumsum",
        "cumprod",
        "cummin",
        "cummax",
        "matmul",
        "matmul_turned",
        "sum",
        "prod",
        "mean",
        "min",
        "max",
        "mindim",
        "maxdim",
        "transpose",
        "repmat",
        "filled",
        "fft1",
        "fft2",
        "fft3",
        "ifft1",
        "ifft2",
        "ifft3",
        "imread",
        "create_array",
        "vertcat",
        "horzcat",
        "kron",
        "inv",
        "diag",
        "cross",
        "hist",
        "find",
        "selected",
    ];
    NEW.contains(&name)
}
