//! Calls of functions, closures and function values.

use super::body::{Environment, Lowering, results_of};
use super::groups::value_type;
use super::messages;
use crate::ir::build;
use crate::ir::{Expr, ExprKind, Index, LaunchMode, StmtKind, VarId};
use crate::sema::model::{Argument, Callee, Definition, InstanceId, Launch};
use crate::settings::FunctionPointers;
use crate::source::Span;
use crate::syntax::ast::{self, NodeId};
use crate::types::{Boundary, Type};
use std::collections::BTreeMap;

impl<'a> Lowering<'a, '_> {
    /// A call, or an operator that is one, as a value.
    pub(super) fn call(&mut self, expr: &'a ast::Expr, callee: &'a Callee) -> Expr {
        let ty = self.type_of(expr);
        match callee {
            Callee::Builtin { builtin, args } => self.builtin(expr, builtin, args, &ty),
            Callee::Construct { fill, args } => self.construct(fill, args, &ty, expr.span),
            Callee::New { fields } => self.new_object(expr, fields, &ty),
            Callee::Convert => match first_operand(expr) {
                Some(operand) => {
                    let value = self.expr(operand);
                    let found = value.ty.class().zip(ty.class());
                    let value = match found.is_some_and(|(found, wanted)| found.steps_to(wanted).is_none()) {
                        // Which class the object has is asked when the program runs.
                        true => build::convert(value, &Type::Dynamic),
                        false => value,
                    };
                    self.convert_number(value, &ty)
                }
                None => self.missing(expr.span, "this conversion", ty),
            },
            Callee::Identity => match first_operand(expr) {
                Some(operand) => {
                    let value = self.expr(operand);
                    self.as_version(value, &ty)
                }
                None => self.missing(expr.span, "this use of a function", ty),
            },
            Callee::Instance { .. }
            | Callee::Choice { .. }
            | Callee::LaunchChoice { .. }
            | Callee::Dispatch { .. }
            | Callee::Launch { .. }
            | Callee::Schedule { .. }
            | Callee::Value => {
                let results = self.results(expr, callee, true);
                self.pack(results, ty, expr.span)
            }
        }
    }

    /// A function that captured variables as one of its versions, which captured the same.
    fn as_version(&mut self, value: Expr, ty: &Type) -> Expr {
        let (Type::Closure(found), Type::Closure(version)) = (&value.ty, ty) else { return value };
        if found.definition == version.definition {
            return value;
        }
        let (names, span) = (version.captures.iter().map(|(name, _)| name), value.span);
        let value = self.atom(value);
        let items = names.filter_map(|name| field(&value, name, span)).collect();
        Expr::new(ExprKind::Tuple(items), ty.clone(), span)
    }

    /// Several results as one value: a tuple where the type says so, otherwise the first.
    fn pack(&mut self, results: Vec<Expr>, ty: Type, span: Span) -> Expr {
        if let Type::Tuple(types) = &ty
            && types.len() == results.len()
            && !(results.len() == 1 && matches!(results[0].ty, Type::Tuple(_)))
        {
            let items = results.into_iter().zip(types).map(|(value, ty)| build::convert(value, ty)).collect();
            return Expr::new(ExprKind::Tuple(items), ty, span);
        }
        match results.into_iter().next() {
            Some(value) => value,
            None => Expr::new(ExprKind::Null, Type::Unit, span),
        }
    }

    /// A call whose value is not used.
    pub(super) fn call_effect(&mut self, expr: &'a ast::Expr, callee: &'a Callee) {
        if callee.instance().is_some() || matches!(callee, Callee::Value) {
            self.results(expr, callee, false);
            return;
        }
        let value = self.call(expr, callee);
        // A value nobody looks at is computed where that may fail or say something.
        if matches!(value.kind, ExprKind::Library { .. }) && !self.on_device() {
            self.spill(value);
        }
    }

    /// The results of a call with several of them; `None` for other expressions.
    pub(super) fn several(&mut self, expr: &'a ast::Expr) -> Option<Vec<Expr>> {
        if let ast::ExprKind::Paren(inner) = &expr.kind {
            return self.several(inner);
        }
        let callee = self.tables.callees.get(&expr.id)?;
        if let Some(instance) = callee.instance() {
            let count = results_of(&self.cx.model.instances[instance]).len();
            return (count > 1).then(|| self.results(expr, callee, true));
        }
        match (callee, self.type_of(expr)) {
            (Callee::Builtin { builtin, args }, Type::Tuple(types)) => {
                self.library_results(builtin, args, &types, expr.span)
            }
            (Callee::Value, Type::Tuple(_)) => Some(self.results(expr, callee, true)),
            _ => None,
        }
    }

    pub(super) fn results(&mut self, expr: &'a ast::Expr, callee: &'a Callee, wanted: bool) -> Vec<Expr> {
        match callee {
            Callee::Instance { instance, closure, args } => {
                let Some(function) = self.cx.function(*instance) else {
                    self.not_supported(expr.span, "calling a kernel without `parallel_do`");
                    return Vec::new();
                };
                let args = self.full_arguments(*instance, *closure, args, expr.span);
                let (results, values) = self.targets(*instance, wanted, expr.span);
                self.emit(StmtKind::Call { function, args, results }, expr.span);
                values
            }
            Callee::Launch { instance, closure, dims, args, launch } => {
                let mode = match launch {
                    Launch::Parallel => LaunchMode::Parallel,
                    Launch::Serial => LaunchMode::Serial,
                    Launch::Devices => LaunchMode::Devices,
                };
                self.launch(expr, (*instance, *closure), *dims, args, mode, wanted)
            }
            Callee::Schedule { versions, dims, args } => self.schedule(expr, versions, *dims, args, wanted),
            Callee::Choice { function, calls } => self.call_choice(expr, *function, calls, wanted),
            Callee::LaunchChoice { kernel, launches } => self.launch_choice(expr, *kernel, launches, wanted),
            Callee::Dispatch { object, calls, otherwise } => {
                self.dispatch(expr, *object, calls, otherwise.as_ref(), wanted)
            }
            Callee::Value => self.call_value(expr, wanted),
            Callee::Builtin { .. }
            | Callee::Construct { .. }
            | Callee::New { .. }
            | Callee::Convert
            | Callee::Identity => Vec::new(),
        }
    }

    /// Variables for the results of an instance and the expressions that read them.
    pub(super) fn targets(
        &mut self,
        instance: InstanceId,
        wanted: bool,
        span: Span,
    ) -> (Vec<Option<VarId>>, Vec<Expr>) {
        let results = results_of(&self.cx.model.instances[instance]);
        if !wanted {
            return (vec![None; results.len()], Vec::new());
        }
        let targets: Vec<VarId> =
            results.iter().map(|result| self.body.temporary(value_type(&result.ty), span)).collect();
        let values = targets.iter().map(|target| self.body.read(*target, span)).collect();
        (targets.into_iter().map(Some).collect(), values)
    }

    /// Captured values, then the written arguments.
    pub(super) fn full_arguments(
        &mut self,
        instance: InstanceId,
        closure: Option<NodeId>,
        args: &'a [Argument],
        span: Span,
    ) -> Vec<Expr> {
        let captures = self.captures(instance, closure, span);
        self.arguments_behind(captures, instance, args)
    }

    pub(super) fn captures(&mut self, id: InstanceId, closure: Option<NodeId>, span: Span) -> Vec<Expr> {
        let instance = &self.cx.model.instances[id];
        if instance.captures.is_empty() {
            return Vec::new();
        }
        if let Some((_, value, number)) =
            self.chosen_kernels.last().filter(|(kernel, ..)| closure == Some(*kernel)).cloned()
        {
            return self.chosen_captures(&value, number, id, span);
        }
        let node = match instance.definition {
            Definition::Function(node) | Definition::Lambda(node) => Some(node),
            Definition::Module(_) => None,
        };
        let value = closure.and_then(|closure| self.expression(closure)).map(|e| self.expr(e));
        let inner = node.and_then(|node| self.inner.get(&node).copied());
        let value = value.or_else(|| inner.map(|variable| self.body.read(variable, span)));
        let value = value
            .map(|value| if matches!(value.kind, ExprKind::Tuple(_)) { value } else { self.atom(value) });
        let mut captures = Vec::new();
        for capture in &instance.captures {
            let found = value.as_ref().and_then(|value| field(value, &capture.name, span));
            let found = found.or_else(|| self.captured(node?, &capture.name, span));
            match found {
                Some(value) => captures.push(build::convert(value, &capture.ty)),
                None => {
                    let what =
                        format!("calling '{}' where '{}' has no value yet", instance.name, capture.name);
                    captures.push(self.missing(span, &what, capture.ty.clone()));
                }
            }
        }
        captures
    }

    /// The arguments of a call in the order of the parameters, converted.
    pub(super) fn arguments(&mut self, instance: InstanceId, args: &'a [Argument]) -> Vec<Expr> {
        self.arguments_behind(Vec::new(), instance, args)
    }

    /// The arguments of a call behind what the callee captured, which default values may name.
    fn arguments_behind(
        &mut self,
        captures: Vec<Expr>,
        instance: InstanceId,
        args: &'a [Argument],
    ) -> Vec<Expr> {
        let callee = &self.cx.model.instances[instance];
        let captured = callee.captures.iter().take(captures.len());
        let params = callee.params.iter().filter(|p| !p.special);
        let names: Vec<&str> = captured.chain(params).map(|binding| binding.name.as_str()).collect();
        let rest = callee.params.last().filter(|_| callee.variadic).map(|param| param.ty.clone());
        let mut values = self.converted_behind(captures, args, &names);
        let whole = matches!(args.last(), Some(Argument::SpreadRest(..)));
        if let (Some(ty), false) = (rest, whole) {
            let items = values.split_off(values.len().min(names.len() - 1));
            values.push(packed(items, ty, Span::default()));
        }
        values
    }

    /// The arguments of a call of a builtin function.
    pub(super) fn plain_arguments(&mut self, args: &'a [Argument]) -> Vec<Expr> {
        self.converted(args, &[])
    }

    pub(super) fn converted(
        &mut self,
        args: impl IntoIterator<Item = &'a Argument>,
        names: &[&str],
    ) -> Vec<Expr> {
        self.converted_behind(Vec::new(), args, names)
    }

    fn converted_behind(
        &mut self,
        mut done: Vec<Expr>,
        args: impl IntoIterator<Item = &'a Argument>,
        names: &[&str],
    ) -> Vec<Expr> {
        let args: Vec<&'a Argument> = args.into_iter().collect();
        let mut spreads: BTreeMap<NodeId, Vec<Expr>> = BTreeMap::new();
        for arg in &args {
            let mut mark = self.out.len();
            let value = match arg {
                Argument::Expr(node, ty) => self.argument(*node, ty),
                Argument::LinearView(node, ty) => self.expression(*node).map(|expr| {
                    let array = self.expr(expr);
                    let view = linear_view(self.atom(array));
                    self.convert_number(view, ty)
                }),
                Argument::SpreadComponent(node, index, ty) => {
                    if !spreads.contains_key(node) {
                        let parts = self.spread(*node, count_of(&args, *node));
                        spreads.insert(*node, parts);
                    }
                    let part = spreads.get(node).and_then(|parts| parts.get(*index)).cloned();
                    part.map(|part| self.convert_number(part, ty))
                }
                Argument::SpreadRest(node, ty) => self.argument(*node, ty).map(whole),
                Argument::SpreadText(node) => self.expression(*node).map(|expr| {
                    let args = vec![self.expr(expr)];
                    Expr::new(ExprKind::Library { name: "strjoin", args }, Type::Text, expr.span)
                }),
                Argument::Default(..) => {
                    self.name_values(&mut done);
                    mark = self.out.len();
                    self.omitted(arg, &done, names)
                }
                Argument::Field { objects, name, ty, default } => {
                    self.name_values(&mut done);
                    for node in objects {
                        if !spreads.contains_key(node) {
                            let parts = self.expression(*node).map(|object| self.spread_object(object));
                            spreads.insert(*node, parts.unwrap_or_default());
                        }
                    }
                    mark = self.out.len();
                    let objects = objects.iter().filter_map(|node| spreads.get(node)?.last().cloned());
                    self.field_or(objects.collect(), name, ty, &mut |this| {
                        this.omitted(default, &done, names)
                    })
                }
            };
            self.protect(&mut done, mark);
            done.extend(value);
        }
        done
    }

    /// The default value that stands for an argument.
    fn omitted(&mut self, argument: &'a Argument, done: &[Expr], names: &[&str]) -> Option<Expr> {
        let Argument::Default(node, ty, tables) = argument else { return None };
        let tables = self.tables.defaults.get(*tables).unwrap_or(self.tables);
        let outside = std::mem::replace(&mut self.tables, tables);
        let value = self.default_argument(*node, ty, done, names);
        self.tables = outside;
        value
    }

    /// The parts of `...object` that are known now, and the object itself.
    fn spread_object(&mut self, expr: &'a ast::Expr) -> Vec<Expr> {
        let object = self.expr(expr);
        if object.ty.class().is_some() {
            return self.all_fields(object);
        }
        vec![self.atom(object)]
    }

    /// The field of the last object that has one of this name, otherwise another value.
    fn field_or(
        &mut self,
        mut objects: Vec<Expr>,
        name: &str,
        ty: &Type,
        otherwise: &mut dyn FnMut(&mut Self) -> Option<Expr>,
    ) -> Option<Expr> {
        let Some(object) = objects.pop() else { return otherwise(self) };
        let span = object.span;
        let args = vec![object.clone(), super::objects::text(name, span)];
        let has = Expr::new(ExprKind::Library { name: "has_field", args }, build::int_type(), span);
        let variable = self.body.temporary(ty.clone(), span);
        let (then, ()) = self.in_block(|this| {
            let value = this.convert_number(super::objects::property(object, name, span), ty);
            this.emit(StmtKind::Assign { variable, value }, span);
        });
        let (otherwise, found) = self.in_block(|this| {
            let value = this.field_or(objects, name, ty, otherwise)?;
            this.emit(StmtKind::Assign { variable, value }, span);
            Some(())
        });
        found?;
        self.emit(StmtKind::If { condition: has, then, otherwise }, span);
        Some(self.body.read(variable, span))
    }

    fn argument(&mut self, node: NodeId, ty: &Type) -> Option<Expr> {
        if let Some((_, object)) = self.dispatched.last().filter(|(known, _)| *known == node) {
            let object = build::convert(object.clone(), &Type::Dynamic);
            return Some(build::convert(object, ty));
        }
        let expr = self.expression(node)?;
        let value = self.expr(expr);
        Some(self.convert_number(value, &value_type(ty)))
    }

    /// The parts of `...e`, of which `wanted` are used.
    fn spread(&mut self, node: NodeId, wanted: usize) -> Vec<Expr> {
        let Some(expr) = self.expression(node) else { return Vec::new() };
        if let Some(items) = expr.cell_items() {
            let mut parts = Vec::new();
            for item in items {
                let mark = self.out.len();
                let value = self.expr(item);
                self.protect(&mut parts, mark);
                parts.push(value);
            }
            return parts;
        }
        if let Some(values) = self.several(expr) {
            return values;
        }
        let value = self.expr(expr);
        if value.ty.class().is_some() {
            return self.all_fields(value);
        }
        match self.known_length(&value.ty) {
            Some(count) => self.components(value, count),
            None => self.counted_components(value, wanted),
        }
    }

    /// The components of a vector that must have this many.
    pub(super) fn counted_components(&mut self, value: Expr, wanted: usize) -> Vec<Expr> {
        let span = value.span;
        let value = self.atom(value);
        let args = vec![value.clone(), build::int(wanted as i32, span)];
        self.emit(StmtKind::Library { name: "expect_count", args, results: Vec::new() }, span);
        self.components(value, wanted)
    }

    /// Puts values into variables, so that default values can name them.
    fn name_values(&mut self, values: &mut [Expr]) {
        for value in values {
            if matches!(value.kind, ExprKind::Local(_)) {
                continue;
            }
            let variable = self.body.temporary(value.ty.clone(), value.span);
            let read = self.body.read(variable, value.span);
            let value = std::mem::replace(value, read);
            let span = value.span;
            self.emit(StmtKind::Assign { variable, value }, span);
        }
    }

    /// A default value: its names are the parameters to the left.
    fn default_argument(&mut self, node: NodeId, ty: &Type, done: &[Expr], names: &[&str]) -> Option<Expr> {
        let mut inside = Environment::new();
        for (value, name) in done.iter().zip(names) {
            if let ExprKind::Local(variable) = value.kind {
                inside.insert((*name).to_string(), variable);
            }
        }
        let outside = std::mem::replace(&mut self.environment, inside);
        let own = std::mem::take(&mut self.own);
        let expr = self.expression(node).map(|expr| self.meant(expr));
        let value = expr.map(|expr| self.expr(expr)).map(|value| self.convert_number(value, ty));
        self.own = own;
        self.environment = outside;
        value
    }

    /// Says that a result of the call just made is not used.
    pub(super) fn drop_result(&mut self, value: &Expr) {
        let (ExprKind::Local(variable), Some(last)) = (&value.kind, self.out.last_mut()) else { return };
        if let StmtKind::Call { results, .. }
        | StmtKind::CallValue { results, .. }
        | StmtKind::Library { results, .. }
        | StmtKind::Launch { results, .. } = &mut last.kind
            && let Some(slot) = results.iter_mut().find(|slot| **slot == Some(*variable))
        {
            *slot = None;
        }
    }

    pub(super) fn call_value(&mut self, expr: &'a ast::Expr, wanted: bool) -> Vec<Expr> {
        let ast::ExprKind::Call { callee, args } = &expr.kind else {
            return vec![self.missing(expr.span, "this call", self.type_of(expr))];
        };
        let mut all = vec![self.called(callee)];
        let params = match &all[0].ty {
            Type::Function(function) => function.params.clone(),
            _ => Vec::new(),
        };
        for (position, arg) in args.iter().enumerate() {
            let mark = self.out.len();
            let value = match arg {
                ast::CallArg::Positional(arg) | ast::CallArg::Named(_, arg) | ast::CallArg::Spread(arg) => {
                    self.expr(arg)
                }
            };
            if matches!(arg, ast::CallArg::Spread(_)) {
                self.not_supported(expr.span, "`...` in a call of a function value");
            }
            let ty =
                params.get(position).filter(|(rest, _)| !rest).map_or(Type::Dynamic, |(_, ty)| ty.clone());
            let value = self.convert_number(value, &ty);
            self.protect(&mut all, mark);
            all.push(build::convert(value, &Type::Dynamic));
        }
        let callee = all.remove(0);
        let types = match self.type_of(expr) {
            Type::Unit => Vec::new(),
            Type::Tuple(types) => types,
            other => vec![other],
        };
        let types = match &callee.ty {
            Type::Function(function) => function.results.clone(),
            _ => types,
        };
        let targets: Vec<VarId> = match wanted {
            true => types.iter().map(|_| self.body.temporary(Type::Dynamic, expr.span)).collect(),
            false => Vec::new(),
        };
        let results = match wanted {
            true => targets.iter().copied().map(Some).collect(),
            false => Vec::new(),
        };
        if self.cx.options.settings.function_pointers == FunctionPointers::Error {
            messages::function_pointer(self.cx.sink, expr.span, &[]);
        }
        self.emit(StmtKind::CallValue { callee, args: all, results }, expr.span);
        let values = targets.iter().zip(types);
        values.map(|(target, ty)| build::convert(self.body.read(*target, expr.span), &ty)).collect()
    }

    /// The function that is called: what a field holds may be a method, which the object calls with itself.
    fn called(&mut self, callee: &'a ast::Expr) -> Expr {
        match &callee.kind {
            ast::ExprKind::Paren(inner) => self.called(inner),
            ast::ExprKind::Member { base, member } if self.type_of(callee) == Type::Dynamic => {
                let known = self.dispatched.last().filter(|(known, _)| *known == base.id).cloned();
                let object = known.map_or_else(|| self.expr(base), |(_, object)| object);
                let object = build::convert(object, &Type::Dynamic);
                let args = vec![object, super::objects::text(&member.text, callee.span)];
                Expr::new(ExprKind::Library { name: "object_method", args }, Type::Dynamic, callee.span)
            }
            _ => self.expr(callee),
        }
    }
}

/// The arguments of a variadic parameter: an array of numbers, a cell or a tuple.
fn packed(items: Vec<Expr>, ty: Type, span: Span) -> Expr {
    let numbers = build::element_of(&ty).is_some();
    let kind = if numbers { ExprKind::Array(items) } else { ExprKind::Tuple(items) };
    Expr::new(kind, ty, span)
}

/// A vector of its own with the same elements.
fn whole(array: Expr) -> Expr {
    let (ty, span) = (array.ty.clone(), array.span);
    let load =
        ExprKind::Load { array: Box::new(array), index: vec![Index::All], boundary: Boundary::Checked };
    Expr::new(load, ty, span)
}

/// A captured value inside a closure.
fn field(closure: &Expr, name: &str, span: Span) -> Option<Expr> {
    let Type::Closure(ty) = &closure.ty else { return None };
    let position = ty.captures.iter().position(|(captured, _)| captured == name)?;
    if let ExprKind::Tuple(items) = &closure.kind {
        return items.get(position).cloned();
    }
    Some(Expr::new(
        ExprKind::Field(Box::new(closure.clone()), position),
        ty.captures[position].1.clone(),
        span,
    ))
}

/// The first operand of a call or operator.
fn first_operand(expr: &ast::Expr) -> Option<&ast::Expr> {
    match &expr.kind {
        ast::ExprKind::Call { args, callee } => match args.first() {
            Some(ast::CallArg::Positional(e) | ast::CallArg::Named(_, e) | ast::CallArg::Spread(e)) => {
                Some(e)
            }
            None => first_operand(callee),
        },
        ast::ExprKind::Infix { lhs, .. } => Some(lhs),
        ast::ExprKind::Prefix { operand, .. } => Some(operand),
        ast::ExprKind::Member { base, .. } | ast::ExprKind::Index { base, .. } => Some(base),
        ast::ExprKind::Paren(inner) => Some(inner),
        ast::ExprKind::TypeCheck { value, .. } => Some(value),
        _ => None,
    }
}

/// The elements of an array as a vec that shares them.
fn linear_view(array: Expr) -> Expr {
    let span = array.span;
    let Type::Array(known) = &array.ty else { return array };
    let element = (*known.element).clone();
    let count = Expr::new(ExprKind::Count(Box::new(array.clone())), build::int_type(), span);
    let ty = build::sized_type(element, vec![None]);
    Expr::new(ExprKind::Library { name: "reshape", args: vec![array, count] }, ty, span)
}

/// How many components of `...e` the arguments use.
fn count_of(args: &[&Argument], spread: NodeId) -> usize {
    let used = |arg: &Argument| match arg {
        Argument::SpreadComponent(node, index, _) if *node == spread => index + 1,
        _ => 0,
    };
    args.iter().map(|arg| used(arg)).max().unwrap_or(0)
}
