//! Calls: name lookup of the callee, overload resolution, and instantiation.

use super::Analyzer;
use super::arguments::{Callable, Given, Match};
use super::expressions::bare;
use super::monomorphize::{Request, SPECIAL};
use crate::builtins;
use crate::message::Message;
use crate::sema::flow_state::Variable;
use crate::sema::messages;
use crate::sema::model::*;
use crate::sema::scope::TypeName;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::resolve::{Bound, Resolved};
use crate::types::{ClosureType, Type};

impl<'a> Analyzer<'a> {
    /// The result types of `callee(args)`.
    pub(super) fn call(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        args: &'a [CallArg],
        wanted: usize,
    ) -> Vec<Type> {
        match &bare(callee).kind {
            ExprKind::Name(name) => self.named_call(expr, bare(callee), name, None, args, wanted),
            ExprKind::Instantiate { base, rank, args: type_args } => match &base.kind {
                ExprKind::Name(name) if name == "cell" || super::builtin_calls::is_construction(name) => {
                    self.construct(expr, name, rank.as_ref(), type_args, args)
                }
                ExprKind::Name(name) => {
                    let bounds = self.type_arguments(type_args);
                    self.named_call(expr, base, name, Some(bounds), args, wanted)
                }
                _ => vec![self.not_supported(callee.span, "type arguments here")],
            },
            ExprKind::Index { base, indices } if self.is_generic_name(base) => {
                let bounds = self.index_bounds(indices);
                match &base.kind {
                    ExprKind::Name(name) => self.named_call(expr, base, name, Some(bounds), args, wanted),
                    _ => vec![Type::Error],
                }
            }
            ExprKind::Meta { name, .. } => vec![self.meta(expr, name, args)],
            ExprKind::Member { .. } => self.method(expr, callee, args, wanted),
            _ => {
                let ty = self.expr(callee);
                let given = self.given(args);
                self.call_value(expr, callee, &ty, &given, wanted)
            }
        }
    }

    /// Whether a name is a function and not a variable, so that brackets after it hold type arguments.
    pub(super) fn is_generic_name(&self, base: &Expr) -> bool {
        match &base.kind {
            ExprKind::Name(name) => {
                let here = !self.is_foreign(base.id);
                let module = self.home(base.id);
                !(here && self.frame.env.contains_key(name))
                    && self.global(module, name).is_none()
                    && (here && self.frame.lexical.functions.iter().any(|(key, _)| key == name)
                        || self.is_class_name(name)
                        || matches!(self.type_name(module, name), Some(TypeName::Alias([_, ..], _)))
                        || !self.module_functions(module, name).is_empty())
            }
            _ => false,
        }
    }

    fn type_arguments(&mut self, args: &'a [TypeArg]) -> Vec<Bound> {
        let mut bounds = Vec::new();
        for arg in args {
            match arg {
                TypeArg::Type(ty) => match self.resolve(ty).0 {
                    Resolved::Is(ty) => bounds.push(Bound::Type(ty)),
                    _ => bounds.push(Bound::Type(Type::Dynamic)),
                },
                TypeArg::Const(expr) => {
                    let lexical = self.frame.lexical.clone();
                    match self.size_expression(expr, &lexical) {
                        Some(n) => bounds.push(Bound::Integer(n)),
                        None => {
                            self.error("Q0304", expr.span, "expected a constant integer");
                            bounds.push(Bound::Type(Type::Error));
                        }
                    }
                }
                TypeArg::Tuple(_) => bounds.push(Bound::Type(Type::Dynamic)),
            }
        }
        bounds
    }

    /// Type arguments that were parsed as indices.
    pub(super) fn index_bounds(&mut self, indices: &'a [IndexArg]) -> Vec<Bound> {
        let mut bounds = Vec::new();
        for index in indices {
            let IndexArg::Expr(value) = index else {
                bounds.push(Bound::Type(Type::Error));
                continue;
            };
            let ty = match self.written_type(value) {
                Some(ty) => Some(ty),
                None => {
                    self.expr(value);
                    self.frame.tables.type_values.get(&value.id).cloned()
                }
            };
            bounds.push(match (ty, self.known_integer(value.id)) {
                (Some(ty), _) => Bound::Type(ty),
                (None, Some(n)) => Bound::Integer(n),
                (None, None) => {
                    self.error("Q0304", value.span, "expected a type or a constant integer");
                    Bound::Type(Type::Error)
                }
            });
        }
        bounds
    }

    fn named_call(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        name: &'a str,
        explicit: Option<Vec<Bound>>,
        args: &'a [CallArg],
        wanted: usize,
    ) -> Vec<Type> {
        let explicit = explicit.unwrap_or_default();
        let module = self.home(callee.id);
        let here = !self.is_foreign(callee.id);
        let symbolic = |variable: &Variable| variable.symbolic;
        if here && self.frame.in_meta_operand && self.frame.env.get(name).is_some_and(symbolic) {
            return vec![self.predicate_call(args)];
        }
        if here && self.frame.env.contains_key(name) {
            let ty = self.expr(callee);
            let given = self.given(args);
            return self.call_value(expr, callee, &ty, &given, wanted);
        }
        if let Some((_, id)) =
            self.frame.lexical.functions.iter().rev().find(|(key, _)| here && key == name).cloned()
        {
            self.frame.tables.names.insert(callee.id, NameUse::Function(id));
            let given = self.given(args);
            return self.call_candidates(expr, callee, name, &[id], &given, &explicit, wanted);
        }
        if let Some((_, Some(Bound::Type(ty)))) =
            self.frame.lexical.bindings.iter().rev().find(|(key, _)| key == name).cloned()
        {
            return vec![self.convert_call(expr, ty, args)];
        }
        if self.is_class_name(name) {
            return self.class_call(expr, callee, name, explicit, args, wanted);
        }
        let candidates = self.module_functions(module, name);
        if self.global(module, name).is_some()
            && candidates.is_empty()
            && !(here && self.frame.locals.contains(name))
        {
            let ty = self.expr(callee);
            let given = self.given(args);
            return self.call_value(expr, callee, &ty, &given, wanted);
        }
        if !candidates.is_empty() {
            let given = self.given(args);
            return self.call_or_dispatch(expr, callee, name, &candidates, &given, &explicit, wanted);
        }
        if super::builtin_calls::is_construction(name) {
            return self.construct(expr, name, None, &[], args);
        }
        if let Some(types) = self.own_form(expr, name, args, wanted) {
            return types;
        }
        if builtins::exists(name) {
            let given = self.given(args);
            return match self.device_functions(name, &given, wanted) {
                Some(candidates) => {
                    self.call_candidates(expr, callee, name, &candidates, &given, &explicit, wanted)
                }
                None => self.builtin_call(expr, callee.span, name, &given, wanted),
            };
        }
        let named = match explicit.as_slice() {
            [] => self.type_from_name(name),
            _ => self.type_of_alias(module, name, &explicit, callee.span),
        };
        if let Some(ty) = named {
            return match &ty {
                Type::Array(_) => self.construct_type(expr, ty, "zeros", args),
                Type::Class(class) => {
                    let given = self.given(args);
                    vec![self.construct_object(expr, class, &given)]
                }
                _ => vec![self.convert_call(expr, ty, args)],
            };
        }
        if self.frame.in_meta_operand && self.is_symbolic(expr) && self.type_name(module, name).is_none() {
            return vec![self.predicate_call(args)];
        }
        if self.type_name(module, name).is_none()
            && let Some(message) = self.uncovered_by_rules(module, name, expr)
        {
            self.given(args);
            self.say(message);
            return vec![Type::Error];
        }
        // Reports an unknown name or an unsupported type; constants cannot be called.
        let ty = self.expr(callee);
        let given = self.given(args);
        match ty {
            Type::Error => vec![Type::Error],
            Type::TypeValue => {
                // Errors in other types are reported at their definitions.
                if !matches!(self.type_name(module, name), Some(TypeName::Alias(..))) {
                    return vec![Type::Error];
                }
                let text = format!("'{name}' is not one type that a value could be converted to");
                vec![self.error("Q0304", callee.span, text)]
            }
            ty => self.call_value(expr, callee, &ty, &given, wanted),
        }
    }

    /// A predicate without a body, which only assertions use.
    fn predicate_call(&mut self, args: &'a [CallArg]) -> Type {
        let given = self.given(args);
        let wrong = given.iter().any(|arg| arg.ty == Type::Error);
        if wrong { Type::Error } else { Type::INT }
    }

    /// A generic alias applied to these arguments; an error if their number is wrong.
    fn type_of_alias(&mut self, module: usize, name: &str, args: &[Bound], span: Span) -> Option<Type> {
        let Some(TypeName::Alias(params, body)) = self.type_name(module, name) else { return None };
        if params.len() != args.len() {
            let text = format!("type '{name}' takes {} arguments, found {}", params.len(), args.len());
            return Some(self.error("Q0306", span, text));
        }
        let mut lexical = self.frame.lexical.clone();
        let names = params.iter().map(|param| param.name.text.clone());
        lexical.bindings.extend(names.zip(args.iter().cloned().map(Some)));
        self.resolve_in(body, &lexical).0.single().cloned()
    }

    /// Resolves a call among overloads of one name.
    #[allow(clippy::too_many_arguments, reason = "the parts of a call")]
    pub(super) fn call_candidates(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        name: &str,
        candidates: &[NodeId],
        given: &[Given<'a>],
        explicit: &[Bound],
        _wanted: usize,
    ) -> Vec<Type> {
        let count = candidates
            .first()
            .and_then(|id| self.index.function(*id))
            .map_or(1, |function| function.outputs.len());
        if given.iter().any(|arg| arg.ty == Type::Error) {
            return vec![Type::Error; count];
        }
        let mut fitting: Vec<(u32, Callable<'a>, Match)> = Vec::new();
        let mut refusal: Option<Message> = None;
        let said = self.frame.messages.len();
        for id in candidates {
            let Some(callable) = self.callable(*id) else { continue };
            let lexical = self.lexical_of(callable.definition, &[]);
            match self.matching(&callable, given, explicit, &lexical, expr.span) {
                Ok(found) => fitting.push((found.cost + self.context_cost(&callable), callable, found)),
                Err(message) => {
                    refusal.get_or_insert(message);
                }
            }
        }
        fitting.sort_by_key(|(cost, ..)| *cost);
        if fitting.len() > 1 && fitting[0].0 == fitting[1].0 {
            let same_module = |callable: &Callable<'a>| match callable.definition {
                Definition::Function(id) => self.index.modules.get(&id) == Some(&self.frame.lexical.module),
                _ => false,
            };
            if same_module(&fitting[0].1) == same_module(&fitting[1].1) {
                let list = [fitting[0].1, fitting[1].1].map(|callable| self.signature(&callable));
                let text = format!(
                    "the call of '{name}' is ambiguous: {} and {} fit equally well",
                    list[0], list[1]
                );
                self.error("Q0205", expr.span, text);
            }
        }
        let Some((_, callable, found)) = fitting.into_iter().next() else {
            let own = self.frame.messages.len() > said;
            let only = candidates.first().and_then(|id| self.callable(*id));
            if let Some(kernel) = only.filter(|callable| callable.kind == FunctionKind::Kernel) {
                return vec![self.called_kernel(expr.span, &kernel)];
            }
            if let Some(message) = refusal {
                let message = if candidates.len() > 1 {
                    let known: Vec<Callable<'a>> =
                        candidates.iter().filter_map(|id| self.callable(*id)).collect();
                    let list: Vec<String> = known.iter().map(|callable| self.signature(callable)).collect();
                    let types: Vec<String> = given.iter().map(|arg| self.show(&arg.ty)).collect();
                    let text = format!("no function '{name}' takes ({})", types.join(", "));
                    Message::error("Q0324", expr.span, text)
                        .help(format!("candidates are {}", list.join("; ")))
                } else {
                    message
                };
                if !own || candidates.len() == 1 {
                    self.say(message);
                }
            }
            return vec![Type::Error; count];
        };
        if let Definition::Function(id) = callable.definition {
            self.frame.tables.names.insert(callee.id, NameUse::Function(id));
            let closure = ClosureType { definition: id, captures: Vec::new() };
            self.frame.tables.types.insert(callee.id, Type::Closure(Box::new(closure)));
        }
        self.call_instance(expr, &callable, found, given, Vec::new(), None)
    }

    /// Host code prefers host functions, device code device functions.
    fn context_cost(&self, callable: &Callable<'a>) -> u32 {
        match (self.on_device(), callable.kind) {
            (true, FunctionKind::Host) => 1000,
            (false, FunctionKind::Device) => 1,
            _ => 0,
        }
    }

    /// A kernel with arguments in parentheses, whether they fit or not.
    fn called_kernel(&mut self, span: Span, callable: &Callable<'a>) -> Type {
        let text =
            format!("kernel function '{}' cannot be called; launch it with parallel_do", callable.name);
        self.error("Q0401", span, text)
    }

    /// Instantiates a match and records the call.
    fn call_instance(
        &mut self,
        expr: &'a Expr,
        callable: &Callable<'a>,
        found: Match,
        given: &[Given<'a>],
        captures: Vec<(String, Variable)>,
        closure: Option<NodeId>,
    ) -> Vec<Type> {
        for remark in found.remarks {
            self.say(remark);
        }
        if callable.kind == FunctionKind::Kernel {
            return vec![self.called_kernel(expr.span, callable)];
        }
        let lambda = matches!(callable.definition, Definition::Lambda(_));
        let kind = match (callable.kind, self.on_device()) {
            (FunctionKind::Host, true) if !lambda => {
                let kind = if self.frame.kind == FunctionKind::Kernel { "kernel" } else { "device" };
                let text = format!(
                    "{kind} function '{}' cannot call the host function '{}'",
                    self.frame.name, callable.name
                );
                let message = Message::error("Q0401", expr.span, text).help(format!(
                    "declare it as __device__: function .. = __device__ {}(..)",
                    callable.name
                ));
                self.say(message);
                let count = match callable.definition {
                    Definition::Function(id) => self.index.function(id).map_or(1, |f| f.outputs.len()),
                    _ => 1,
                };
                return vec![Type::Error; count];
            }
            (FunctionKind::Host, true) => FunctionKind::Device,
            // Objects stay on the host, and so do calls with them of functions for both sides.
            (FunctionKind::Device, false) if found.params.iter().any(Type::mentions_objects) => {
                FunctionKind::Host
            }
            (kind, _) => kind,
        };
        if kind != FunctionKind::Host && !self.fully_defined(expr.span, callable, &found.params, &captures) {
            return vec![Type::Error];
        }
        // The callee may write vectors that are passed.
        if found.params.iter().any(|ty| matches!(ty, Type::Array(_))) || !captures.is_empty() {
            self.forget_parts();
        }
        let compiled = self.frame.compile_target;
        let plain = Request::plain(callable.definition, kind, found.params, found.lexical, compiled);
        let request = Request { captures, ..plain };
        match self.instantiate_for(request, &found.args, given, expr.span) {
            Some((instance, results)) => {
                self.frame
                    .tables
                    .callees
                    .insert(expr.id, Callee::Instance { instance, closure, args: found.args });
                results
            }
            None => vec![Type::Error],
        }
    }

    /// Device and kernel instances need statically known types.
    pub(super) fn fully_defined(
        &mut self,
        span: Span,
        callable: &Callable<'a>,
        params: &[Type],
        captures: &[(String, Variable)],
    ) -> bool {
        let ordinary = callable.params.iter().filter(|param| {
            callable.kind != FunctionKind::Kernel || !SPECIAL.contains(&param.name.text.as_str())
        });
        let unknown: Vec<&str> = ordinary
            .zip(params)
            .filter(|(_, ty)| ty.mentions_dynamic())
            .map(|(param, _)| param.name.text.as_str())
            .collect();
        if !unknown.is_empty() {
            let names = unknown.join("', '");
            self.say(messages::not_fully_defined(span, &names));
            return false;
        }
        for (name, variable) in captures {
            if let Some(what) = self.illegal_in_kernels(&variable.ty) {
                let text = format!(
                    "variable '{name}' has the type '{}' and cannot be used in kernel or device code: {what}",
                    self.show(&variable.ty)
                );
                self.error("Q0402", span, text);
                return false;
            }
        }
        for (param, ty) in callable.params.iter().zip(params) {
            if let Some(what) = self.illegal_in_kernels(ty) {
                let text = format!(
                    "argument '{}' of '{}' has the type '{}': {what}",
                    param.name.text,
                    callable.name,
                    self.show(ty)
                );
                self.error("Q0402", span, text);
                return false;
            }
        }
        true
    }

    /// A call of a value.
    pub(super) fn call_value(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        ty: &Type,
        given: &[Given<'a>],
        wanted: usize,
    ) -> Vec<Type> {
        match ty {
            Type::Error => vec![Type::Error],
            Type::Closure(closure) => {
                self.check_declared(callee, given);
                self.call_closure(expr, callee, closure, given, wanted)
            }
            Type::Choice(candidates) => {
                self.check_declared(callee, given);
                self.call_choice(expr, callee, candidates, given, wanted)
            }
            Type::Function(function) => {
                if self.on_device() {
                    self.not_supported(
                        expr.span,
                        "calling a function that is known at run time only in kernel code",
                    );
                    return vec![Type::Error; function.results.len()];
                }
                let variadic = function.params.last().is_some_and(|(variadic, _)| *variadic);
                if given.len() != function.params.len() && !variadic {
                    let text = format!(
                        "'{}' takes {} arguments, found {}",
                        self.show(ty),
                        function.params.len(),
                        given.len()
                    );
                    self.error("Q0313", expr.span, text);
                }
                self.check_arguments(given, function);
                for (arg, (_, wanted)) in given.iter().zip(&function.params) {
                    self.convert_to_values(arg.expr.span, &arg.ty, wanted);
                }
                self.frame.tables.callees.insert(expr.id, Callee::Value);
                function.results.clone()
            }
            Type::Dynamic => {
                for arg in given {
                    self.convert_to_values(arg.expr.span, &arg.ty, ty);
                }
                self.frame.tables.callees.insert(expr.id, Callee::Value);
                vec![Type::Dynamic; wanted.clamp(1, 16)]
            }
            other => {
                let text =
                    format!("a value of type '{}' cannot be called; use [..] for indices", self.show(other));
                vec![self.error("Q0207", callee.span, text)]
            }
        }
    }

    /// Checks arguments against the declared function type of a variable.
    fn check_declared(&mut self, callee: &'a Expr, given: &[Given<'a>]) {
        if let ExprKind::Name(name) = &bare(callee).kind
            && let Some(Variable { declared: Some(Type::Function(function)), .. }) = self.frame.env.get(name)
        {
            let function = function.clone();
            self.check_arguments(given, &function);
        }
    }

    pub(super) fn call_closure(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        closure: &ClosureType,
        given: &[Given<'a>],
        _wanted: usize,
    ) -> Vec<Type> {
        if given.iter().any(|arg| arg.ty == Type::Error) {
            return vec![Type::Error];
        }
        let Some(callable) = self.callable(closure.definition) else { return vec![Type::Error] };
        let lexical = self.lexical_of(callable.definition, &[]);
        let captures = self.captures_of(closure);
        let outer = std::mem::replace(&mut self.frame.captured, captures.clone());
        let found = self.matching(&callable, given, &[], &lexical, expr.span);
        self.frame.captured = outer;
        match found {
            Ok(found) => {
                let holder = if captures.is_empty() { None } else { Some(callee.id) };
                self.call_instance(expr, &callable, found, given, captures, holder)
            }
            Err(message) => {
                self.say(message);
                vec![Type::Error]
            }
        }
    }

    /// Why values of a type cannot be used in kernel and device code.
    pub(super) fn illegal_in_kernels(&mut self, ty: &Type) -> Option<&'static str> {
        illegal(ty).or_else(|| self.objects_illegal_in_kernels(ty))
    }
}

/// As `illegal_in_kernels`, except for objects.
fn illegal(ty: &Type) -> Option<&'static str> {
    if ty.mentions_dynamic() {
        return Some("its type is known at run time only");
    }
    if ty.any(&|ty| matches!(ty, Type::Text)) {
        return Some("strings are available in host code only");
    }
    if ty.any(&|ty| matches!(ty, Type::Function(_))) {
        return Some("the function it holds is known at run time only");
    }
    if ty.any(&|ty| matches!(ty, Type::Array(array) if array.rank == crate::types::Rank::Any)) {
        return Some("its number of dimensions is not known");
    }
    None
}
