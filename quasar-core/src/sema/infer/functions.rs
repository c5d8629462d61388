//! Function types: checks of closures against signatures, conversion of functions to first-class values, and calls of
//! several possible functions.

#![allow(clippy::result_large_err, reason = "a refusal is a whole message, made once per wrong use")]

use super::Analyzer;
use super::arguments::{Callable, Given};
use super::expressions::bare;
use super::monomorphize::Request;
use crate::message::Message;
use crate::sema::messages;
use crate::sema::model::*;
use crate::settings::FunctionPointers;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::printer::print_expr;
use crate::types::convert::{Conversion, conversion, is_subtype};
use crate::types::resolve::Resolved;
use crate::types::{ArrayType, ClosureType, FunctionType, Type, lattice};

impl<'a> Analyzer<'a> {
    /// Checks that functions match the signatures of a function type; other types pass.
    pub(super) fn check_functions(&mut self, span: Span, found: &Type, wanted: &Type) -> Result<(), Message> {
        let (found, wanted) = match (found, wanted) {
            (Type::Array(found), Type::Array(wanted)) => (&*found.element, &*wanted.element),
            (Type::Tuple(parts), Type::Array(wanted)) => {
                return parts.iter().try_for_each(|part| self.check_functions(span, part, &wanted.element));
            }
            both => both,
        };
        let Type::Function(wanted) = wanted else { return Ok(()) };
        found.functions().iter().try_for_each(|closure| self.check_function(span, closure, wanted))
    }

    /// The result of `type(f, T)` for a function type or kind of functions T: `None` if T is neither, `Some(None)` if it
    /// is decided only at run time.
    pub(super) fn function_test(&mut self, wanted: &'a Expr, found: &Type) -> Option<Option<bool>> {
        let text = match &bare(wanted).kind {
            ExprKind::Text(text) | ExprKind::Name(text) => text.trim(),
            ExprKind::Type(written) if matches!(written.kind, TypeExprKind::Function { .. }) => "[",
            _ => return None,
        };
        let definitions: Vec<NodeId> = found.functions().iter().map(|closure| closure.definition).collect();
        let kinds: Vec<FunctionKind> =
            definitions.iter().filter_map(|id| self.callable(*id)).map(|callable| callable.kind).collect();
        let known = *found != Type::Dynamic && !matches!(found, Type::Function(_));
        let are = !definitions.is_empty();
        let answer = match text {
            "function" => are,
            "lambda_expr" => are && definitions.iter().all(|id| self.index.lambda(*id).is_some()),
            "kernel_function" => are && kinds.iter().all(|kind| *kind != FunctionKind::Host),
            _ if text.starts_with('[') && (text == "[" || text.contains("->")) => {
                let written = match &bare(wanted).kind {
                    ExprKind::Type(written) => written,
                    _ => self.type_in_text(wanted.span, text)?,
                };
                let Some(Type::Function(wanted_type)) = self.resolve(written).0.single().cloned() else {
                    return None;
                };
                let variadic = wanted_type.params.iter().any(|(variadic, _)| *variadic);
                if are && (wanted_type.kind == FunctionKind::Kernel || variadic) {
                    return Some(None);
                }
                let kind = wanted_type.kind == FunctionKind::Host
                    || kinds.iter().all(|kind| *kind == wanted_type.kind);
                let takes = |this: &mut Self, id: &NodeId| {
                    let Some(callable) = this.callable(*id) else { return true };
                    callable.params.iter().zip(&wanted_type.params).all(|(param, (_, given))| {
                        let declared =
                            param.annotation.as_ref().and_then(|written| this.annotation(written).0);
                        declared.is_none_or(|declared| is_subtype(given, &declared) || given.is_number())
                    })
                };
                are && kind
                    && definitions.iter().all(|id| takes(self, id))
                    && self.check_functions(wanted.span, found, &Type::Function(wanted_type)).is_ok()
            }
            _ => return None,
        };
        Some(known.then_some(answer))
    }

    /// Replaces closures with typed parameters in a type by their function types.
    pub(super) fn with_signatures(&mut self, span: Span, ty: &Type) -> Type {
        match ty {
            Type::Closure(closure) => {
                self.signature_type(span, closure).map_or(ty.clone(), |found| Type::Function(Box::new(found)))
            }
            Type::Tuple(parts) if !parts.is_empty() => {
                let parts: Vec<Type> = parts.iter().map(|part| self.with_signatures(span, part)).collect();
                match &parts[0] {
                    one @ Type::Function(_) if parts.iter().all(|part| part == one) => {
                        Type::array(one.clone(), &[None])
                    }
                    _ => Type::Tuple(parts),
                }
            }
            Type::Array(array) => {
                let element = self.with_signatures(span, &array.element);
                Type::Array(ArrayType { element: Box::new(element), ..array.clone() })
            }
            _ => ty.clone(),
        }
    }

    fn signature_type(&mut self, span: Span, closure: &ClosureType) -> Option<FunctionType> {
        let callable = self.callable(closure.definition)?;
        let lexical = self.lexical_of(callable.definition, &[]);
        if callable.kind == FunctionKind::Kernel {
            return None;
        }
        let mut params = Vec::new();
        for param in callable.params {
            let declared =
                param.annotation.as_ref().filter(|_| !param.variadic && param.default.is_none())?;
            let Resolved::Is(ty) = self.annotation_in(declared, &lexical).0 else { return None };
            params.push((false, ty));
        }
        let mut found = FunctionType { kind: callable.kind, params, results: Vec::new() };
        let request = self.promised(span, &callable, closure, &found).ok()??;
        found.results = self.instantiate(request, span)?.1;
        let known = found.results.iter().all(|ty| !ty.mentions_dynamic() && *ty != Type::Error);
        known.then_some(found)
    }

    /// Whether two closures are the same library function: each mention of one creates a lambda.
    pub(super) fn same_library_function(&self, a: &ClosureType, b: &ClosureType) -> bool {
        let body = |closure: &ClosureType| {
            let lambda = self.index.lambda(closure.definition)?;
            let made = closure.definition.is_synthetic() && closure.captures.is_empty();
            made.then(|| print_expr(&lambda.body))
        };
        body(a).is_some_and(|text| body(b) == Some(text))
    }

    /// Whether a name is that of a type class.
    pub(super) fn is_type_class(&mut self, text: &str) -> bool {
        let name = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (name || text.starts_with('[')) && self.spelled_type(text).is_none()
    }

    /// Whether an annotation names functions of any type.
    pub(super) fn means_functions(annotation: &Annotation) -> bool {
        matches!(
            annotation.ty.as_ref().map(|ty| &ty.kind),
            Some(TypeExprKind::Named { name, .. })
                if ["function", "kernel_function", "lambda_expr"].contains(&name.text.as_str())
        )
    }

    fn check_function(
        &mut self,
        span: Span,
        closure: &ClosureType,
        wanted: &FunctionType,
    ) -> Result<(), Message> {
        let Some(callable) = self.callable(closure.definition) else { return Ok(()) };
        let kernels = [callable.kind, wanted.kind].contains(&FunctionKind::Kernel);
        let variadic = callable.params.iter().any(|param| param.variadic)
            || wanted.params.iter().any(|(variadic, _)| *variadic);
        if kernels || variadic {
            return Ok(());
        }
        let needed = callable.params.iter().filter(|param| param.default.is_none()).count();
        let given = wanted.params.len();
        if given < needed || given > callable.params.len() {
            let text = format!(
                "expected '{}', found a function that takes {} arguments: {}",
                self.show(&Type::Function(Box::new(wanted.clone()))),
                callable.params.len(),
                self.signature(&callable)
            );
            return Err(Message::error("Q0310", span, text));
        }
        let Some(request) = self.promised(span, &callable, closure, wanted)? else { return Ok(()) };
        let Some((_, results)) = self.instantiate(request, span) else { return Ok(()) };
        self.check_results(span, &callable, &results, wanted)
    }

    /// Converts functions to first-class values, of type `??` or a function type: each gets an instance for callers
    /// that know only this type. Those in tuples and cells are converted one by one.
    pub(super) fn convert_to_values(&mut self, span: Span, found: &Type, wanted: &Type) {
        let parts = match found {
            Type::Tuple(parts) => parts.iter().collect(),
            Type::Array(array) => vec![&*array.element],
            _ => Vec::new(),
        };
        for (k, part) in parts.into_iter().enumerate() {
            let wanted = match wanted {
                Type::Tuple(wanted) => wanted.get(k),
                Type::Array(wanted) => Some(&*wanted.element),
                Type::Dynamic => Some(&Type::Dynamic),
                _ => None,
            };
            if let Some(wanted) = wanted {
                self.convert_to_values(span, part, wanted);
            }
        }
        if !matches!(wanted, Type::Dynamic | Type::Function(_)) {
            return;
        }
        if let Err(message) = self.check_functions(span, found, wanted) {
            return self.say(message);
        }
        for closure in found.functions() {
            let key = (closure.clone(), wanted.clone());
            let known = |(known, of, _): &(ClosureType, Type, InstanceId)| (known, of) == (&key.0, &key.1);
            if self.frame.tables.function_values.iter().any(known) || self.converting_to_values.contains(&key)
            {
                continue;
            }
            self.converting_to_values.push(key.clone());
            if let Some(instance) = self.instance_for_all(span, closure, wanted) {
                self.frame.tables.function_values.push((key.0, key.1, instance));
            }
            self.converting_to_values.pop();
        }
    }

    /// Converts the functions among values of several paths to what all of them become.
    pub(super) fn widen_functions(&mut self, found: &[(Span, Type)], joined: &Type) {
        for (span, ty) in found {
            self.convert_to_values(*span, ty, joined);
        }
    }

    /// The function type of a closure that is passed as a pointer, as a setting requests, instead of specialising the
    /// callee for it.
    pub(super) fn as_pointer(
        &mut self,
        span: Span,
        actual: &Type,
        wanted: &Type,
        callee: FunctionKind,
    ) -> Option<Type> {
        let Type::Function(declared) = wanted else { return None };
        let hosts = callee == FunctionKind::Host && declared.kind == FunctionKind::Host && !self.on_device();
        if self.options.function_pointers != FunctionPointers::Always || !hosts {
            return None;
        }
        let functions = actual.functions();
        let fits = |callable: Callable<'a>| {
            callable.kind != FunctionKind::Kernel
                && callable.type_params.is_empty()
                && !callable.params.iter().any(|param| param.variadic)
        };
        if functions.is_empty() || !functions.iter().all(|f| self.callable(f.definition).is_some_and(fits)) {
            return None;
        }
        self.convert_to_values(span, actual, wanted);
        Some(wanted.clone())
    }

    fn instance_for_all(&mut self, span: Span, closure: &ClosureType, wanted: &Type) -> Option<InstanceId> {
        let callable = self.callable(closure.definition)?;
        let (promised, given): (Vec<Type>, Vec<Type>) = match wanted {
            Type::Function(wanted) => {
                (wanted.params.iter().map(|(_, ty)| ty.clone()).collect(), wanted.results.clone())
            }
            _ => (Vec::new(), Vec::new()),
        };
        let refused = match callable.kind {
            FunctionKind::Kernel => Some("a kernel function as a value that is known at run time"),
            _ if callable.params.iter().any(|param| param.variadic) => {
                Some("a variadic function as a value that is known at run time")
            }
            _ if !callable.type_params.is_empty() => {
                Some("a function with type parameters as a value that is known at run time")
            }
            _ => None,
        };
        if let Some(what) = refused {
            self.not_supported(span, what);
            return None;
        }
        let lexical = self.lexical_of(callable.definition, &[]);
        let mut params = Vec::new();
        for (place, param) in callable.params.iter().enumerate() {
            let declared = match &param.annotation {
                Some(annotation) => self.annotation_in(annotation, &lexical).0,
                None => Resolved::Any,
            };
            params.push(match declared {
                Resolved::Is(ty) => ty,
                _ => promised.get(place).cloned().unwrap_or(Type::Dynamic),
            });
        }
        let compiled = self.frame.compile_target;
        let plain = Request::plain(callable.definition, FunctionKind::Host, params, lexical, compiled);
        let request = Request { captures: self.captures_of(closure), ..plain };
        let (instance, results) = self.instantiate(request, span)?;
        for (place, result) in results.iter().enumerate() {
            let wanted = given.get(place).filter(|ty| matches!(ty, Type::Function(_)));
            self.convert_to_values(span, result, &Type::Dynamic);
            if let Some(wanted) = wanted {
                self.convert_to_values(span, result, &wanted.clone());
            }
        }
        Some(instance)
    }

    /// The instance for callers that know only the function type; `None` if the types of some parameters stay open.
    fn promised(
        &mut self,
        span: Span,
        callable: &Callable<'a>,
        closure: &ClosureType,
        wanted: &FunctionType,
    ) -> Result<Option<Request>, Message> {
        let mut lexical = self.lexical_of(callable.definition, &[]);
        let base = lexical.bindings.len();
        lexical.bindings.extend(callable.type_params.iter().map(|param| (param.name.text.clone(), None)));
        for (param, (_, ty)) in callable.params.iter().zip(&wanted.params) {
            if let Some(written) = param.annotation.as_ref().and_then(|annotation| annotation.ty.as_ref()) {
                self.bind(written, ty, &mut lexical, base);
            }
        }
        if callable.params.len() > wanted.params.len()
            || lexical.bindings[base..].iter().any(|(_, bound)| bound.is_none())
        {
            return Ok(None);
        }
        let mut params = Vec::new();
        for (param, (_, ty)) in callable.params.iter().zip(&wanted.params) {
            let declared = match &param.annotation {
                Some(annotation) => self.annotation_in(annotation, &lexical).0,
                None => Resolved::Any,
            };
            params.push(match declared {
                Resolved::Is(declared) => {
                    if matches!(conversion(ty, &declared), None | Some(Conversion::Truncate)) {
                        let text = format!(
                            "expected '{}', found a function whose parameter '{}' is '{}'",
                            self.show(&Type::Function(Box::new(wanted.clone()))),
                            param.name.text,
                            self.show(&declared)
                        );
                        return Err(Message::error("Q0310", span, text));
                    }
                    declared
                }
                _ => ty.clone(),
            });
        }
        let kind = if self.on_device() { FunctionKind::Device } else { callable.kind };
        let unknown = kind != FunctionKind::Host && params.iter().any(Type::mentions_dynamic);
        let plain = Request::plain(callable.definition, kind, params, lexical, self.frame.compile_target);
        let request = Request { captures: self.captures_of(closure), ..plain };
        Ok((!unknown).then_some(request))
    }

    fn check_results(
        &mut self,
        span: Span,
        callable: &Callable<'a>,
        results: &[Type],
        wanted: &FunctionType,
    ) -> Result<(), Message> {
        // A function type without results also allows functions that have some.
        if wanted.results.is_empty() {
            return Ok(());
        }
        let found = match results {
            [Type::Tuple(parts)] if wanted.results.len() > 1 => parts.clone(),
            // `{a, b}` of one type is a vector.
            [Type::Array(array)] if wanted.results.len() > 1 && array.known_rank() == Some(1) => {
                vec![(*array.element).clone(); wanted.results.len()]
            }
            several => several.to_vec(),
        };
        let place = match callable.definition {
            Definition::Lambda(id) => self.index.lambda(id).map_or(span, |lambda| lambda.body.span),
            Definition::Function(_) | Definition::Module(_) => span,
        };
        for (position, wanted) in wanted.results.iter().enumerate() {
            let found = found.get(position).unwrap_or(&Type::Unit);
            let fits = match conversion(found, wanted) {
                None | Some(Conversion::Truncate) => false,
                Some(_) => {
                    self.check_functions(place, found, wanted)?;
                    true
                }
            };
            if !fits {
                let message = messages::mismatch(place, &self.show(wanted), &self.show(found));
                let text = format!("the declared function type says what '{}' gives", callable.name);
                return Err(message.help(text));
            }
        }
        Ok(())
    }

    /// Checks the arguments of a function whose type the caller declared.
    pub(super) fn check_arguments(&mut self, given: &[Given<'a>], wanted: &FunctionType) {
        for (arg, (variadic, wanted)) in given.iter().zip(&wanted.params) {
            if !variadic {
                self.check_conversion(arg.expr.span, &arg.ty, wanted);
            }
        }
    }

    /// A call of one of several closures.
    pub(super) fn call_choice(
        &mut self,
        expr: &'a Expr,
        callee: &'a Expr,
        candidates: &[ClosureType],
        given: &[Given<'a>],
        wanted: usize,
    ) -> Vec<Type> {
        let mut calls = Vec::new();
        let mut each = Vec::new();
        let mut joined: Option<Vec<Type>> = None;
        for closure in candidates {
            let results = self.call_closure(expr, callee, closure, given, wanted);
            let called = self.frame.tables.callees.remove(&expr.id);
            let Some(Callee::Instance { instance, args, .. }) = called else { return vec![Type::Error] };
            calls.push((instance, args));
            each.push(results.clone());
            joined = Some(match joined {
                None => results,
                Some(before) if before.len() == results.len() => {
                    before.iter().zip(&results).map(|(a, b)| lattice::join(a, b)).collect()
                }
                Some(_) => {
                    let text = "the functions that may be called here give different numbers of results";
                    return vec![self.error("Q0311", expr.span, text)];
                }
            });
        }
        let results = joined.unwrap_or_default();
        for results_of_one in &each {
            for (found, joined) in results_of_one.iter().zip(&results) {
                self.widen_functions(&[(expr.span, found.clone())], joined);
            }
        }
        if self.on_device() && results.iter().any(Type::mentions_dynamic) {
            let text = "the functions that may be called here give results of different kinds, which a kernel cannot mix";
            return vec![self.error("Q0402", expr.span, text)];
        }
        self.frame.tables.callees.insert(expr.id, Callee::Choice { function: callee.id, calls });
        results
    }
}

/// Whether a closure keeps its precise type under an annotation: function types only check it, so calls stay direct.
pub(super) fn functions_stay_known(found: &Type, wanted: &Type) -> bool {
    let holds = |ty: &Type| ty.any(&|ty| matches!(ty, Type::Closure(_) | Type::Choice(_)));
    holds(found) && wanted.any(&|ty| matches!(ty, Type::Function(_)))
}
