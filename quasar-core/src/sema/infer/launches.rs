//! Kernel launches: the kernel's instance, its versions for different targets, its special parameters, and the rank of
//! positions.

use super::Analyzer;
use super::arguments::{Callable, Given};
use super::expressions::bare;
use super::groups;
use super::monomorphize::{Request, SPECIAL};
use crate::message::Message;
use crate::sema::model::*;
use crate::sema::scope::Lexical;
use crate::sema::walk;
use crate::sema::{messages, roots};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::resolve::Resolved;
use crate::types::{ArrayType, ClosureType, Type};
use std::collections::BTreeSet;

/// A resolved launch.
pub(super) struct Launched {
    pub(super) instance: InstanceId,
    /// The expression that holds the kernel's captures.
    pub(super) closure: Option<NodeId>,
    pub(super) args: Vec<Argument>,
    pub(super) results: Vec<Type>,
}

impl<'a> Analyzer<'a> {
    /// `parallel_do(dims, args.., kernel)`, `serial_do` and `multi_parallel_do`.
    pub(super) fn launch(
        &mut self,
        expr: &'a Expr,
        name: &str,
        args: &'a [CallArg],
        _wanted: usize,
    ) -> Vec<Type> {
        let given = self.given(args);
        let [dims, middle @ .., kernel] = given.as_slice() else {
            return vec![self.error(
                "Q0403",
                expr.span,
                format!("'{name}' takes dimensions, arguments and a kernel"),
            )];
        };
        if given.iter().any(|arg| arg.ty == Type::Error) {
            return vec![Type::Error];
        }
        let launch = match name {
            "serial_do" => Launch::Serial,
            "multi_parallel_do" => Launch::Devices,
            _ => Launch::Parallel,
        };
        let found = match &kernel.ty {
            Type::Choice(kernels) => {
                self.launch_choice(expr.span, (name, launch), dims, middle, (kernels, kernel.expr))
            }
            ty => self.launch_of(expr.span, (name, launch), dims, middle, (ty, kernel.expr)),
        };
        let Some((callee, results)) = found else { return vec![Type::Error] };
        self.frame.tables.callees.insert(expr.id, callee);
        results
    }

    /// The launch of one kernel, with its versions for devices, and what it gives.
    fn launch_of(
        &mut self,
        span: Span,
        callee: (&str, Launch),
        dims: &Given<'a>,
        arguments: &[Given<'a>],
        kernel: (&Type, &'a Expr),
    ) -> Option<(Callee, Vec<Type>)> {
        let found = self.launched(span, callee, dims, arguments, kernel)?;
        let others = self.for_devices(span, &found, callee, dims, arguments, kernel)?;
        let Launched { instance, closure, args, results } = found;
        let dims = dims.expr.id;
        let callee = if others.is_empty() {
            Callee::Launch { instance, closure, dims, args, launch: callee.1 }
        } else {
            let versions = others.into_iter().chain([(instance, closure)]).collect();
            Callee::Schedule { versions, dims, args }
        };
        Some((callee, results))
    }

    /// The launches of kernels of which the running program chooses one.
    fn launch_choice(
        &mut self,
        span: Span,
        callee: (&str, Launch),
        dims: &Given<'a>,
        arguments: &[Given<'a>],
        (kernels, place): (&[ClosureType], &'a Expr),
    ) -> Option<(Callee, Vec<Type>)> {
        let mut launches = Vec::new();
        let mut results: Option<Vec<Type>> = None;
        for kernel in kernels {
            let ty = Type::Closure(Box::new(kernel.clone()));
            let (launch, own) = self.launch_of(span, callee, dims, arguments, (&ty, place))?;
            if results.as_ref().is_some_and(|results| *results != own) {
                let text = "the kernels that may be launched here give results of different types";
                self.error("Q0403", place.span, text);
                return None;
            }
            launches.push(launch);
            results = Some(own);
        }
        Some((Callee::LaunchChoice { kernel: place.id, launches }, results?))
    }

    /// The device versions of a kernel that queries its `$target`; empty without a query, or if only the CPU runs it.
    /// `None` after an error.
    pub(super) fn for_devices(
        &mut self,
        span: Span,
        found: &Launched,
        (name, launch): (&str, Launch),
        dims: &Given<'a>,
        arguments: &[Given<'a>],
        kernel: (&Type, &'a Expr),
    ) -> Option<Vec<(InstanceId, Option<NodeId>)>> {
        // Kernels inherit the target of the kernel that launches them.
        if self.on_device() || launch == Launch::Serial {
            return Some(Vec::new());
        }
        if self.asked_by(found.instance) != TargetQuery::Nothing && launch == Launch::Devices {
            self.not_supported(kernel.1.span, "'multi_parallel_do' of a kernel that asks for its '$target'");
            return None;
        }
        let mut asked = self.asked_by(found.instance);
        loop {
            let mut versions = Vec::new();
            // Branches for devices may contain more specific queries.
            let mut further = asked;
            for device in asked.devices() {
                let before = std::mem::replace(&mut self.frame.compile_target, *device);
                let version = self.launched(span, (name, launch), dims, arguments, kernel);
                self.frame.compile_target = before;
                let version = version?;
                if version.results != found.results {
                    let text = "the versions of this kernel for its targets give results of different types";
                    self.error("Q0403", kernel.1.span, text);
                    return None;
                }
                further = further.max(self.asked_by(version.instance));
                versions.push((version.instance, version.closure));
            }
            if further == asked {
                return Some(versions);
            }
            asked = further;
        }
    }

    /// The most specific target query of an instance and its transitive callees.
    fn asked_by(&self, instance: InstanceId) -> TargetQuery {
        let mut asked = TargetQuery::Nothing;
        let mut seen = BTreeSet::from([instance]);
        let mut open = vec![instance];
        while let Some(id) = open.pop() {
            let one = &self.instances[id];
            asked = asked.max(one.target_query);
            one.tables.each_callee(&mut |callee| {
                open.extend(roots::called(callee).into_iter().filter(|next| seen.insert(*next)));
            });
        }
        asked
    }

    /// Instantiates the kernel of a launch; `kernel` is its type and expression.
    pub(super) fn launched(
        &mut self,
        span: Span,
        (name, launch): (&str, Launch),
        dims: &Given<'a>,
        arguments: &[Given<'a>],
        (kernel, place): (&Type, &'a Expr),
    ) -> Option<Launched> {
        let Type::Closure(closure) = kernel else {
            if matches!(kernel, Type::Choice(_)) {
                self.not_supported(place.span, "choosing a kernel of a 'schedule' at run time");
                return None;
            }
            let text = format!(
                "the last argument of '{name}' must be a kernel function, found '{}'",
                self.show(kernel)
            );
            self.error("Q0403", place.span, text);
            return None;
        };
        let callable = self.callable(closure.definition)?;
        self.launchable(&callable, (name, launch), place.span)?;
        let components = self.dims_length(dims).ok()?;
        let lexical = self.lexical_of(callable.definition, &[]);
        let found = match self.matching(&callable, arguments, &[], &lexical, span) {
            Ok(found) => found,
            Err(message) => {
                self.say(message);
                return None;
            }
        };
        for remark in &found.remarks {
            self.say(remark.clone());
        }
        let captures = self.captures_of(closure);
        if !self.legal_arguments(&callable, &found.params, arguments, span)
            || !self.fully_defined(span, &callable, &found.params, &captures)
        {
            return None;
        }
        let (params, rank) =
            self.kernel_params(&callable, &found.params, &found.lexical, components, span)?;
        self.dropped_extents(dims.expr, &callable, &params, rank);
        self.forget_parts();
        let request = Request {
            definition: callable.definition,
            kind: FunctionKind::Kernel,
            captures,
            params,
            rank,
            lexical: found.lexical,
            compile_target: self.frame.compile_target,
            known: Vec::new(),
        };
        let holder = if request.captures.is_empty() { None } else { Some(place.id) };
        let (instance, results) = self.instantiate_for(request, &found.args, arguments, span)?;
        // The value of a kernel lambda is not a result.
        let results = if matches!(callable.definition, Definition::Lambda(_)) { Vec::new() } else { results };
        Some(Launched { instance, closure: holder, args: found.args, results })
    }

    /// Whether the first argument of a block-size query is a launchable kernel, or no function at all.
    pub(super) fn asks_about_kernel(&mut self, name: &str, ty: &Type, place: Span) -> bool {
        match ty {
            Type::Closure(closure) => {
                let Some(callable) = self.callable(closure.definition) else { return false };
                self.launchable(&callable, (name, Launch::Devices), place).is_some()
            }
            Type::Choice(_) => {
                self.not_supported(place, "asking about a kernel that is chosen at run time");
                false
            }
            _ => true,
        }
    }

    /// Checks that a function can be launched.
    fn launchable(
        &mut self,
        callable: &Callable<'a>,
        (name, launch): (&str, Launch),
        place: Span,
    ) -> Option<()> {
        if callable.kind != FunctionKind::Kernel {
            let text = format!("'{}' is not a kernel function", callable.name);
            let message = Message::error("Q0403", place, text)
                .help("kernel functions are marked with __kernel__, as in __kernel__ (pos) -> y[pos] = 0");
            self.say(message);
            return None;
        }
        if let Some(param) = callable.params.iter().find(|param| param.variadic || param.default.is_some()) {
            let text = "kernel functions have no optional or variadic parameters";
            self.error("Q0403", param.name.span, text);
            return None;
        }
        let all = callable.params.iter().any(|param| param.name.text == "this_multi_grid");
        if all && launch != Launch::Devices {
            let text =
                format!("kernel '{}' has 'this_multi_grid', which '{name}' does not give", callable.name);
            let message = Message::error("Q0403", place, text);
            self.say(message.help("launch it by multi_parallel_do, or use 'this_grid'"));
            return None;
        }
        Some(())
    }

    /// Warns if a launch has more dimensions than the kernel's position has components.
    fn dropped_extents(&mut self, dims: &'a Expr, callable: &Callable<'a>, params: &[Type], rank: usize) {
        // A scalar position is a linear index over all dimensions.
        let mut all = callable.params.iter().zip(params);
        if all.any(|(param, ty)| param.name.text == "pos" && ty.is_number()) {
            return;
        }
        let grid = match (&bare(dims).kind, self.frame.tables.types.get(&dims.id)) {
            (ExprKind::Array(rows), Some(Type::Array(array))) if array.known_rank() == Some(2) => {
                match rows.first() {
                    Some(Element::Expr(grid)) => grid,
                    _ => return,
                }
            }
            _ => dims,
        };
        let parts = self.frame.known_components.get(&grid.id).cloned().unwrap_or_default();
        let dropped: Vec<i64> = parts.get(rank..).unwrap_or_default().iter().copied().flatten().collect();
        if dropped.iter().any(|extent| *extent > 1) && dropped.len() + rank == parts.len() {
            self.say(messages::dropped_extents(grid.span, callable.name, rank, &dropped));
        }
    }

    /// The number of dimensions of a launch; `None` if it is known only at run time.
    fn dims_length(&mut self, dims: &Given<'a>) -> Result<Option<u32>, ()> {
        let real = dims.ty.element_type().is_some_and(|element| !element.is_complex());
        match &dims.ty {
            ty if ty.is_number() && real => Ok(Some(1)),
            Type::Array(array) if real => match array.sizes.as_slice() {
                [length] => Ok(*length),
                // [dims, block]
                [Some(2), length] => Ok(*length),
                [] => Ok(None),
                _ => {
                    self.error(
                        "Q0403",
                        dims.expr.span,
                        "the dimensions of a launch are a number, a vec, or [dims, block]",
                    );
                    Err(())
                }
            },
            Type::Dynamic => Ok(None),
            other => {
                let text =
                    format!("the dimensions of a launch are a number or a vec, found '{}'", self.show(other));
                self.error("Q0403", dims.expr.span, text);
                Err(())
            }
        }
    }

    fn legal_arguments(
        &mut self,
        callable: &Callable<'a>,
        params: &[Type],
        given: &[Given<'a>],
        span: Span,
    ) -> bool {
        let ordinary: Vec<&Param> =
            callable.params.iter().filter(|param| !SPECIAL.contains(&param.name.text.as_str())).collect();
        for (k, (param, ty)) in ordinary.iter().zip(params).enumerate() {
            let place = given.get(k).filter(|arg| arg.all.len() <= 1).map_or(span, |arg| arg.expr.span);
            if ty.mentions_dynamic() {
                self.say(crate::sema::messages::not_fully_defined(place, &param.name.text));
                return false;
            }
            if let Some(what) = self.illegal_in_kernels(ty) {
                let text = format!(
                    "argument '{}' of kernel '{}' has the type '{}': {what}",
                    param.name.text,
                    callable.name,
                    self.show(ty)
                );
                self.error("Q0402", place, text);
                return false;
            }
        }
        true
    }

    /// The types of all parameters of a kernel, special ones included, and the rank of its position.
    fn kernel_params(
        &mut self,
        callable: &Callable<'a>,
        ordinary: &[Type],
        lexical: &Lexical,
        components: Option<u32>,
        span: Span,
    ) -> Option<(Vec<Type>, usize)> {
        let mut declared: Vec<(&'a Param, Option<Type>)> = Vec::new();
        for param in callable.params.iter().filter(|param| SPECIAL.contains(&param.name.text.as_str())) {
            let group = groups::named(&param.name.text);
            let ty = param.annotation.as_ref().filter(|_| group.is_none()).and_then(|annotation| match self
                .annotation_in(annotation, lexical)
                .0
            {
                Resolved::Is(ty) => Some(ty),
                _ => None,
            });
            declared.push((param, ty));
        }
        let mut rank = None;
        for (param, ty) in &declared {
            let length = match ty {
                Some(ty) if ty.is_number() => Some(1),
                Some(Type::Array(array)) => array.vector_length(),
                _ => None,
            };
            if param.name.text != "warpsize" && groups::named(&param.name.text).is_none() && rank.is_none() {
                rank = length;
            }
        }
        if rank.is_none() && callable.params.iter().any(|param| param.name.text == "pos") {
            rank = self.rank_by_use(callable, ordinary, components);
        }
        let Some(rank) = rank.or(components) else {
            let text = format!(
                "the number of dimensions of the launch of '{}' is not known; declare 'pos', for instance as ivec2",
                callable.name
            );
            self.error("Q0403", span, text);
            return None;
        };
        if !(1..=16).contains(&rank) {
            self.error("Q0403", span, "a launch has between 1 and 16 dimensions");
            return None;
        }
        let default = if rank == 1 { Type::INT } else { Type::index_vector(Some(rank)) };
        let mut rest = ordinary.iter();
        let mut types = Vec::new();
        for param in callable.params {
            let special = SPECIAL.contains(&param.name.text.as_str());
            let ty = if param.name.text == "warpsize" {
                Type::INT
            } else if let Some(group) = groups::named(&param.name.text) {
                if let Some(annotation) = param.annotation.as_ref().filter(|ty| !groups::is_annotation(ty)) {
                    let text = format!("'{}' is a thread_block", param.name.text);
                    self.error("Q0403", annotation.span, text);
                    return None;
                }
                types.push(Type::Group(group));
                continue;
            } else if special {
                let ty =
                    declared.iter().find(|(other, _)| other.id == param.id).and_then(|(_, ty)| ty.clone());
                match ty {
                    Some(Type::Array(array)) if array.vector_length().is_none() => {
                        Type::Array(array.with_sizes(&[Some(rank)]))
                    }
                    Some(Type::Array(array)) if array.vector_length() != Some(rank) => {
                        let text = format!(
                            "'{}' is '{}', but a position of '{}' has {rank} components",
                            param.name.text,
                            self.show(&Type::Array(array)),
                            callable.name
                        );
                        self.error("Q0403", param.name.span, text);
                        return None;
                    }
                    Some(ty) => ty,
                    None => default.clone(),
                }
            } else {
                rest.next().cloned().unwrap_or(Type::Error)
            };
            if special && ty.element_type().is_none_or(|element| element.is_complex()) {
                let text = format!("'{}' is a number or a vec, not '{}'", param.name.text, self.show(&ty));
                self.error("Q0403", param.name.span, text);
                return None;
            }
            types.push(ty);
        }
        Some((types, rank as usize))
    }

    /// The length of an untyped `pos`, inferred from its uses.
    fn rank_by_use(
        &self,
        callable: &Callable<'a>,
        ordinary: &[Type],
        components: Option<u32>,
    ) -> Option<u32> {
        let names = callable.params.iter().filter(|param| !SPECIAL.contains(&param.name.text.as_str()));
        let arrays: Vec<(&str, &ArrayType)> = names
            .zip(ordinary)
            .filter_map(|(param, ty)| Some((param.name.text.as_str(), ty.as_array()?)))
            .collect();
        let mut uses = PositionUses { arrays, fixed: None, weak: None };
        match callable.definition {
            Definition::Function(id) => walk::block(&self.index.function(id)?.body, &mut uses),
            Definition::Lambda(id) => walk::expr(&self.index.lambda(id)?.body, &mut uses),
            Definition::Module(_) => {}
        }
        uses.fixed.or(if components.is_none() { uses.weak } else { None })
    }
}

/// What the uses of `pos` imply about its length.
struct PositionUses<'x> {
    arrays: Vec<(&'x str, &'x ArrayType)>,
    /// Definite: combined with a vector of known length, or spread before other indices.
    fixed: Option<u32>,
    /// A guess, used if nothing else is known.
    weak: Option<u32>,
}

fn is_pos(expr: &Expr) -> bool {
    matches!(&bare(expr).kind, ExprKind::Name(name) if name == "pos")
}

impl PositionUses<'_> {
    fn rank_of(&self, base: &Expr) -> Option<u32> {
        let ExprKind::Name(name) = &bare(base).kind else { return None };
        let (_, array) = self.arrays.iter().find(|(key, _)| key == name)?;
        array.known_rank().map(|rank| rank as u32)
    }

    fn length_of(&self, expr: &Expr) -> Option<u32> {
        match &bare(expr).kind {
            ExprKind::Array(elements) if elements.iter().all(|e| matches!(e, Element::Expr(_))) => {
                u32::try_from(elements.len()).ok()
            }
            ExprKind::Name(name) => self.arrays.iter().find(|(key, _)| key == name)?.1.vector_length(),
            _ => None,
        }
    }
}

impl<'a> walk::Visitor<'a> for PositionUses<'_> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Infix { op: InfixOp::Add | InfixOp::Subtract | InfixOp::DotMultiply, lhs, rhs } => {
                let other = match (is_pos(lhs), is_pos(rhs)) {
                    (true, false) => Some(rhs),
                    (false, true) => Some(lhs),
                    _ => None,
                };
                if let Some(length) = other.and_then(|other| self.length_of(other)) {
                    self.fixed = self.fixed.or(Some(length));
                }
            }
            ExprKind::Index { base, indices } => match indices.as_slice() {
                [IndexArg::Spread(spread), rest @ ..] if is_pos(spread) && !rest.is_empty() => {
                    if let Some(rank) = self.rank_of(base) {
                        let others = rest.len() as u32;
                        self.fixed = self.fixed.or(rank.checked_sub(others).filter(|n| *n > 0));
                    }
                }
                [IndexArg::Expr(index)] if is_pos(index) => {
                    self.weak = self.weak.max(self.rank_of(base));
                }
                [IndexArg::Expr(index)] if is_pos(base) => {
                    if let ExprKind::Number(Number::Int(n)) = &bare(index).kind {
                        self.weak = self.weak.max(u32::try_from(*n).ok().and_then(|n| n.checked_add(1)));
                    }
                }
                _ => {}
            },
            _ => {}
        }
        true
    }
}
