//! `$specialize(f, constraints)` and `$elevate(f)`: synthesises versions of functions with parameters fixed or facts
//! assumed, or lifted from the host to devices.

use super::Analyzer;
use super::expressions::bare;
use super::flow_facts::Named;
use super::symbolic::{Renumber, Substitute};
use crate::builtins;
use crate::message::Sink;
use crate::sema::model::*;
use crate::sema::scope::{Assigned, Lexical};
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use crate::syntax::parse_type;
use crate::syntax::printer::print_expr;
use crate::types::convert::is_subtype;
use crate::types::{ClosureType, ElementType, Type};
use quasar_devicelib::element::Scalar;
use std::collections::BTreeSet;

/// The constraints of a version.
struct Version<'a> {
    /// Parameters with known values.
    values: Vec<(&'a str, Value)>,
    types: Vec<(&'a str, TypeExpr)>,
    /// Conditions to assume.
    facts: Vec<&'a Expr>,
    device: bool,
}

/// The known value of a parameter.
enum Value {
    /// An expression; the flag says that it already has the declared type.
    Written(Box<Expr>, bool),
    /// The function with this id.
    Function(NodeId),
    /// A builtin function.
    Builtin(String),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Value::Written(expr, _) => print_expr(expr),
            Value::Function(id) => format!("function {}", id.0),
            Value::Builtin(name) => name.clone(),
        }
    }
}

/// The versions made so far: original function, constraints as text, id and name of the version.
pub(super) type Versions = Vec<(NodeId, String, NodeId, String)>;

/// The operands of a chain of `&&`.
fn conjuncts<'a>(expr: &'a Expr, into: &mut Vec<&'a Expr>) {
    match &bare(expr).kind {
        ExprKind::Infix { op: InfixOp::And, lhs, rhs } => {
            conjuncts(lhs, into);
            conjuncts(rhs, into);
        }
        _ => into.push(bare(expr)),
    }
}

impl<'a> Analyzer<'a> {
    /// `$specialize(f, c1 && .. && cn)`
    pub(super) fn specialised(&mut self, expr: &'a Expr, function: &'a Expr, given: &[&'a Expr]) -> Type {
        let Some((closure, params)) = self.function_of(function) else { return Type::Error };
        let mut constraints = Vec::new();
        given.iter().for_each(|one| conjuncts(one, &mut constraints));
        let mut version = Version { values: Vec::new(), types: Vec::new(), facts: Vec::new(), device: false };
        for constraint in constraints {
            if self.constraint(params, constraint, &mut version).is_none() {
                return Type::Error;
            }
        }
        self.version_of(expr, closure, version)
    }

    /// `$elevate(f)`
    pub(super) fn elevated(&mut self, expr: &'a Expr, function: &'a Expr) -> Type {
        let Some((closure, _)) = self.function_of(function) else { return Type::Error };
        let version = Version { values: Vec::new(), types: Vec::new(), facts: Vec::new(), device: true };
        self.version_of(expr, closure, version)
    }

    /// `f[int]` as a value, where `f` is a generic function: the lambda that calls the instance. `None` if `base` is no
    /// generic function.
    pub(super) fn function_instance(&mut self, expr: &'a Expr, base: &'a Expr) -> Option<Type> {
        let ExprKind::Name(name) = &base.kind else { return None };
        if !self.is_generic_name(base) || self.is_class_name(name) {
            return None;
        }
        let functions = self.module_functions(self.home(base.id), name);
        let generic = |id: &NodeId| self.callable(*id).filter(|function| !function.type_params.is_empty());
        let mut functions = functions.iter().filter_map(generic);
        let function = functions.next()?;
        if functions.next().is_some() {
            let text = format!("'{name}', of which there are several generic ones, as a value");
            return Some(self.not_supported(expr.span, text));
        }
        let outputs = match function.definition {
            Definition::Function(id) => self.index.function(id).map_or(0, |function| function.outputs.len()),
            Definition::Lambda(_) | Definition::Module(_) => 1,
        };
        if outputs > 1 || function.params.iter().any(|param| param.variadic) {
            let what = "instances with several results or any number of arguments as values";
            return Some(self.not_supported(expr.span, what));
        }
        let params = function.params.iter().filter(|param| param.default.is_none());
        let params: Vec<Param> = params.map(|param| Param { annotation: None, ..param.clone() }).collect();
        let args = params.iter().map(|param| {
            CallArg::Positional(self.node(ExprKind::Name(param.name.text.clone()), param.name.span))
        });
        let args = args.collect();
        let call = self.node(ExprKind::Call { callee: Box::new(expr.clone()), args }, expr.span);
        let lambda = Lambda { kind: function.kind, params, bare: false, body: call };
        let lambda = self.node(ExprKind::Lambda(Box::new(lambda)), expr.span);
        Some(self.type_replacement(expr, lambda))
    }

    /// The function that an expression names, and its parameters.
    fn function_of(&mut self, function: &'a Expr) -> Option<(ClosureType, &'a [Param])> {
        let ty = self.undone(function);
        match &ty {
            Type::Error => None,
            Type::Closure(closure) => {
                let callable = self.callable(closure.definition)?;
                if !closure.captures.is_empty() && self.calls_itself(closure.definition) {
                    let what = "versions of functions that capture variables and call themselves";
                    self.not_supported(function.span, what);
                    return None;
                }
                Some(((**closure).clone(), callable.params))
            }
            other => {
                let text = format!("expected a function, found '{}'", self.show(other));
                self.error("Q0313", function.span, text);
                None
            }
        }
    }

    /// Whether a function mentions its own name, or a lambda the variable that holds it.
    fn calls_itself(&self, id: NodeId) -> bool {
        let mut named = Named::default();
        match (self.index.function(id), self.index.lambda(id)) {
            (Some(function), _) => walk::block(&function.body, &mut named),
            (None, Some(lambda)) => walk::expr(&lambda.body, &mut named),
            (None, None) => return false,
        }
        let own = self.lexical.get(&id).into_iter().flat_map(|lexical| &lexical.functions);
        own.filter(|(_, known)| *known == id).any(|(name, _)| named.0.iter().any(|(_, known)| known == name))
    }

    /// Adds one constraint to a version; `None` after an error.
    fn constraint(
        &mut self,
        params: &'a [Param],
        constraint: &'a Expr,
        version: &mut Version<'a>,
    ) -> Option<()> {
        let param = |e: &'a Expr| match &bare(e).kind {
            ExprKind::Name(name) => params.iter().find(|param| param.name.text == *name),
            _ => None,
        };
        match &constraint.kind {
            ExprKind::Infix { op: InfixOp::Equal, lhs, rhs } => {
                let (given, value) = match (param(lhs), param(rhs)) {
                    (Some(given), None) => (given, rhs),
                    (None, Some(given)) => (given, lhs),
                    _ => {
                        version.facts.push(constraint);
                        return Some(());
                    }
                };
                if version.values.iter().any(|(name, _)| *name == given.name.text) {
                    let text = format!("'{}' is given two values", given.name.text);
                    self.error("Q0313", constraint.span, text);
                    return None;
                }
                let value = self.known_value(given, value)?;
                version.values.push((&given.name.text, value));
            }
            ExprKind::Call { callee, args } => match (&bare(callee).kind, args.as_slice()) {
                (
                    ExprKind::Meta { name, .. },
                    [CallArg::Positional(Expr { kind: ExprKind::Text(kind), .. })],
                ) if name == "$ftype" && kind == "__device__" => {
                    version.device = true;
                }
                (ExprKind::Name(name), [CallArg::Positional(value), CallArg::Positional(ty)])
                    if name == "type" && param(value).is_some() =>
                {
                    let given = param(value)?;
                    let ty = self.narrower(given, ty)?;
                    version.types.push((&given.name.text, ty));
                }
                _ => version.facts.push(constraint),
            },
            _ => version.facts.push(constraint),
        }
        Some(())
    }

    /// Parses a type from a string.
    pub(super) fn type_in_text(&mut self, span: Span, text: &str) -> Option<&'a TypeExpr> {
        let written = parse_type(span.file, text, &mut NodeIds::default(), &mut Sink::default());
        self.made_type(span, written)
    }

    /// Allocates a type expression that is not in the source.
    fn made_type(&mut self, span: Span, mut written: TypeExpr) -> Option<&'a TypeExpr> {
        let unit = self.unit;
        Renumber { made: &unit.made, span, written: false }.ty(&mut written);
        let holder = Expr { id: unit.made.fresh(), span, kind: ExprKind::Type(Box::new(written)) };
        match &unit.made.keep_pattern(holder).kind {
            ExprKind::Type(kept) => Some(kept),
            _ => None,
        }
    }

    /// The type of a type constraint, which must be a subtype of the declared one.
    fn narrower(&mut self, param: &'a Param, ty: &'a Expr) -> Option<TypeExpr> {
        let kept = match &bare(ty).kind {
            ExprKind::Text(name) | ExprKind::Name(name) => self.type_in_text(ty.span, name),
            ExprKind::Type(written) => self.made_type(ty.span, (**written).clone()),
            _ => {
                self.error("Q0313", ty.span, "expected a type, as in type(x, \"mat\")");
                return None;
            }
        }?;
        let mut written = kept.clone();
        let wanted = self.resolve(kept).0.single().cloned()?;
        if let Some(annotation) = &param.annotation {
            let declared = self.annotation(annotation).0;
            if let Some(declared) = declared
                && !is_subtype(&wanted, &declared)
            {
                let text = format!(
                    "the type of '{}' can only be narrowed: '{}' is not '{}'",
                    param.name.text,
                    self.show(&wanted),
                    self.show(&declared)
                );
                self.error("Q0322", ty.span, text);
                return None;
            }
            let modifiers = annotation.ty.iter().flat_map(|ty| &ty.modifiers).chain(&annotation.modifiers);
            if written.modifiers.is_empty() {
                written.modifiers.extend(modifiers.cloned());
            }
        }
        Some(written)
    }

    /// The value that a constraint gives a parameter.
    fn known_value(&mut self, param: &'a Param, value: &'a Expr) -> Option<Value> {
        if let ExprKind::Name(name) = &bare(value).kind
            && !self.frame.env.contains_key(name)
            && self.module_functions(self.frame.lexical.module, name).is_empty()
            && builtins::exists(name)
        {
            return Some(Value::Builtin(name.clone()));
        }
        let ty = self.undone(value);
        match (&ty, self.frame.tables.constants.get(&value.id)) {
            (Type::Error, _) => None,
            (Type::Closure(closure), _) if closure.captures.is_empty() => {
                Some(Value::Function(closure.definition))
            }
            (Type::Closure(_), _) => {
                self.not_supported(value.span, "functions that capture variables as values of parameters");
                None
            }
            (_, Some(constant)) => {
                let constant = constant.clone();
                let declared = match &param.annotation {
                    Some(annotation) => self.quietly(|this| this.annotation(annotation).0),
                    None => None,
                };
                let own = declared.and_then(|declared| converted(&constant, &declared));
                Some(match (own.and_then(|own| literal(&own)), literal(&constant)) {
                    (Some(text), _) => Value::Written(Box::new(self.parsed(&text, value.span)), true),
                    (None, Some(text)) => Value::Written(Box::new(self.parsed(&text, value.span)), false),
                    (None, None) => Value::Written(Box::new(self.bare(value).clone()), false),
                })
            }
            _ => {
                let text = format!("'{}' is not known at compile time", print_expr(value));
                self.error("Q0606", value.span, text);
                None
            }
        }
    }

    /// The closure type of a version, which is made or found in the cache.
    fn version_of(&mut self, expr: &'a Expr, closure: ClosureType, version: Version<'a>) -> Type {
        let id = closure.definition;
        let mut key = format!("{} ", version.device);
        version.values.iter().for_each(|(name, value)| key += &format!("{name}=={} ", value.text()));
        version
            .types
            .iter()
            .for_each(|(name, ty)| key += &format!("{name}:{} ", crate::syntax::print_type(ty)));
        version.facts.iter().for_each(|fact| key += &format!("{} ", print_expr(fact)));
        let mut lexical =
            self.lexical_of(self.callable(id).map_or(Definition::Function(id), |c| c.definition), &[]);
        let module = self.index.modules.get(&id).copied().unwrap_or(lexical.module);
        let known = self.versions.iter().find(|(of, under, ..)| *of == id && *under == key);
        let (made, name) = match known {
            Some((_, _, made, name)) => (*made, name.clone()),
            None => {
                let number = self.versions.iter().filter(|(of, ..)| *of == id).count() + 1;
                let base = self.callable(id).map_or("function", |callable| callable.name);
                let name = format!("{base}_sp{number}");
                let function = match (self.index.function(id), self.index.lambda(id)) {
                    (Some(function), _) => function.clone(),
                    (None, Some(lambda)) => self.as_function(lambda),
                    (None, None) => return Type::Error,
                };
                let Some(made) = self.make_version(function, &name, &version, module) else {
                    return Type::Error;
                };
                self.versions.push((id, key, made, name.clone()));
                (made, name)
            }
        };
        for (param, value) in &version.values {
            if let Value::Function(id) = value {
                lexical.functions.push((alias(&name, param), *id));
            }
        }
        self.lexical.insert(made, Lexical { module, ..lexical });
        if !self.frame.lexical.functions.iter().any(|(_, known)| *known == made) {
            self.frame.lexical.functions.push((name.clone(), made));
        }
        if !closure.captures.is_empty() {
            return self.with_captures_of(expr, closure, made);
        }
        let found = self.node(ExprKind::Name(name), expr.span);
        self.type_replacement(expr, found)
    }

    /// The closure of a version with the captures of the original.
    fn with_captures_of(&mut self, expr: &'a Expr, closure: ClosureType, made: NodeId) -> Type {
        if let ExprKind::Call { args, .. } = &expr.kind
            && let Some(CallArg::Positional(function)) = args.first()
        {
            self.expr(function);
        }
        let captures = self.captures_of(&closure).into_iter().map(|(_, variable)| variable).collect();
        let version = ClosureType { definition: made, ..closure };
        let of_definition = self.captured.entry(version.definition).or_default();
        of_definition.retain(|(known, _)| *known != version);
        of_definition.push((version.clone(), captures));
        self.frame.tables.callees.insert(expr.id, Callee::Identity);
        Type::Closure(Box::new(version))
    }

    /// A lambda as a named function; those of kernels have no result.
    fn as_function(&self, lambda: &Lambda) -> Function {
        let span = lambda.body.span;
        let result = Name { text: "result".to_owned(), span };
        let mut body = lambda.body.clone();
        let mut outputs = Vec::new();
        if lambda.kind != FunctionKind::Kernel {
            let place = self.node(ExprKind::Name(result.text.clone()), span);
            let target = Box::new(Target::Place { place, annotation: None });
            let value = Box::new(body);
            body = self.node(ExprKind::Assign { target, op: None, value }, span);
            outputs.push(Output { name: result.clone(), annotation: None });
        }
        Function {
            name: result,
            kind: lambda.kind,
            explicit_host: false,
            bracketed: true,
            outputs,
            type_params: Vec::new(),
            params: lambda.params.clone(),
            concealed: false,
            body: vec![self.statement(body, span)],
            header: span,
        }
    }

    /// Synthesises the version: parameters with values are removed, and the body begins with the values and assertions.
    fn make_version(
        &mut self,
        mut function: Function,
        name: &str,
        version: &Version<'a>,
        module: usize,
    ) -> Option<NodeId> {
        let unit = self.unit;
        function.name.text = name.to_owned();
        if version.device && function.kind == FunctionKind::Host {
            function.kind = FunctionKind::Device;
            self.lift_calls(&mut function, module);
        }
        for (param, ty) in &version.types {
            let param = function.params.iter_mut().find(|known| known.name.text == *param)?;
            let span = param.name.span;
            param.annotation = Some(Annotation { ty: Some(ty.clone()), modifiers: Vec::new(), span });
        }
        let mut first: Block = Vec::new();
        let mut values: Vec<(&str, Expr)> = Vec::new();
        for (param, value) in &version.values {
            let place = function.params.iter().position(|known| known.name.text == *param)?;
            let param = function.params.remove(place);
            let span = param.name.span;
            match value {
                Value::Written(value, declared) => {
                    let target = self.node(ExprKind::Name(param.name.text.clone()), span);
                    let annotation =
                        param.annotation.filter(|annotation| annotation.ty.is_some() && !declared);
                    let target = Box::new(Target::Place { place: target, annotation });
                    let kind = ExprKind::Assign { target, op: None, value: value.clone() };
                    first.push(self.statement(self.node(kind, span), span));
                }
                Value::Function(_) => {
                    let alias = alias(name, &param.name.text);
                    values.push((version.name_of(&param.name.text)?, self.node(ExprKind::Name(alias), span)));
                }
                Value::Builtin(builtin) => {
                    let kind = ExprKind::Name(builtin.clone());
                    values.push((version.name_of(&param.name.text)?, self.node(kind, span)));
                }
            }
        }
        Substitute { values }.block(&mut function.body);
        let mut trusted = Vec::new();
        for fact in &version.facts {
            trusted.push(first.len());
            let callee = Box::new(self.node(ExprKind::Name("assert".to_owned()), fact.span));
            let args = vec![CallArg::Positional((*fact).clone())];
            let call = self.node(ExprKind::Call { callee, args }, fact.span);
            first.push(self.statement(call, fact.span));
        }
        function.body.splice(0..0, first);
        let id = unit.made.fresh();
        let mut stmt = Stmt { id, span: function.header, kind: StmtKind::Function(Box::new(function)) };
        Renumber { made: &unit.made, span: Span::default(), written: true }.stmt(&mut stmt);
        let kept = unit.made.keep_definition(stmt);
        self.index.add_made_function(kept, module);
        if let StmtKind::Function(function) = &kept.kind {
            for place in trusted {
                if let Some(Stmt { kind: StmtKind::Expr(call), .. }) = function.body.get(place) {
                    self.assumed_assertions.insert(call.id);
                }
            }
        }
        Some(kept.id)
    }

    /// In a lifted function, makes calls of host functions calls of their lifted versions.
    fn lift_calls(&self, function: &mut Function, module: usize) {
        let mut own = Assigned::default();
        walk::block(&function.body, &mut own);
        let mut own: BTreeSet<String> = own.names.keys().map(|name| (*name).to_owned()).collect();
        own.extend(function.params.iter().map(|param| param.name.text.clone()));
        own.extend(function.outputs.iter().map(|output| output.name.text.clone()));
        Lift { analyzer: self, module, own }.block(&mut function.body);
    }

    fn statement(&self, expr: Expr, span: Span) -> Stmt {
        Stmt { id: self.unit.made.fresh(), span, kind: StmtKind::Expr(expr) }
    }
}

/// Wraps the callees of a lifted function in `$elevate`.
struct Lift<'x, 'a> {
    analyzer: &'x Analyzer<'a>,
    module: usize,
    /// Local names, which shadow functions of the module.
    own: BTreeSet<String>,
}

impl Lift<'_, '_> {
    /// Whether a name refers to exactly one function, for the host.
    fn is_for_host(&self, name: &str) -> bool {
        let found = self.analyzer.module_functions(self.module, name);
        let host = |id: &NodeId| {
            self.analyzer.index.function(*id).is_some_and(|function| function.kind == FunctionKind::Host)
        };
        !self.own.contains(name) && found.len() == 1 && found.iter().all(host)
    }
}

impl VisitMut for Lift<'_, '_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        if let StmtKind::Function(inner) = &mut stmt.kind {
            self.own.insert(inner.name.text.clone());
            if inner.kind == FunctionKind::Host {
                inner.kind = FunctionKind::Device;
            }
        }
        change::stmt_parts(self, stmt);
    }

    fn expr(&mut self, e: &mut Expr) {
        change::expr_parts(self, e);
        if let ExprKind::Call { callee, .. } = &mut e.kind
            && let ExprKind::Name(name) = &callee.kind
            && self.is_for_host(name)
        {
            let (span, function) = (callee.span, (**callee).clone());
            let meta = ExprKind::Meta { name: "$elevate".to_owned(), selector: None };
            let meta = Box::new(self.analyzer.node(meta, span));
            let args = vec![CallArg::Positional(function)];
            **callee = self.analyzer.node(ExprKind::Call { callee: meta, args }, span);
        }
    }
}

impl<'a> Version<'a> {
    fn name_of(&self, name: &str) -> Option<&'a str> {
        self.values.iter().map(|(known, _)| *known).find(|known| *known == name)
    }
}

/// The name in a version of a function that a removed parameter held.
fn alias(version: &str, param: &str) -> String {
    format!("{param}__{version}")
}

/// Converts numbers to the element type of a declared type.
fn converted(constant: &Constant, declared: &Type) -> Option<Constant> {
    let element = declared.element_type()?;
    match (constant, declared) {
        (Constant::Scalar(value), Type::Scalar(..)) => {
            super::constants::convert(*value, element).map(Constant::Scalar)
        }
        (Constant::Array(sizes, values), Type::Array(_)) => {
            let values: Option<Vec<Scalar>> =
                values.iter().map(|value| super::constants::convert(*value, element)).collect();
            Some(Constant::Array(sizes.clone(), values?))
        }
        _ => None,
    }
}

/// A constant as a literal, if that is exact.
fn literal(constant: &Constant) -> Option<String> {
    let number = |value: &Scalar| match value.element_type() {
        ElementType::Int32 => Some(value.as_i64().to_string()),
        ElementType::Single | ElementType::Double if value.as_f64().is_finite() => {
            Some(format!("{:?}", value.as_f64()))
        }
        _ => None,
    };
    let row = |values: &[Scalar]| {
        let values: Option<Vec<String>> = values.iter().map(number).collect();
        Some(format!("[{}]", values?.join(",")))
    };
    match constant {
        Constant::Scalar(value) => number(value),
        Constant::Text(text) => Some(format!("\"{}\"", text.replace('"', "\"\""))),
        Constant::Array(sizes, values) => match sizes.as_slice() {
            [_] => row(values),
            [_, columns] if *columns > 0 => {
                let rows: Option<Vec<String>> = values.chunks(*columns).map(row).collect();
                Some(format!("[{}]", rows?.join(",")))
            }
            _ => None,
        },
    }
}
