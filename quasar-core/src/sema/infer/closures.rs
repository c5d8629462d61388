//! Closures: free-variable analysis, captures, and the types of lambdas and inner functions.

use super::Analyzer;
use crate::sema::flow_state::{Identity, Variable};
use crate::sema::model::module_variable;
use crate::sema::scope::Lexical;
use crate::sema::walk;
use crate::syntax::ast::*;
use crate::types::{ClosureType, Type};
use std::collections::BTreeSet;

/// Collects the names that a body reads before it assigns them, in order of first use.
#[derive(Default)]
struct Free<'a> {
    order: Vec<&'a str>,
    seen: BTreeSet<&'a str>,
    /// Names that are variables of the body itself.
    local: BTreeSet<&'a str>,
    /// The number of enclosing conditional statements, in which an assignment does not definitely make a name local.
    conditional: usize,
}

impl<'a> Free<'a> {
    fn read(&mut self, name: &'a str) {
        if !self.local.contains(name) && self.seen.insert(name) {
            self.order.push(name);
        }
    }

    fn assign(&mut self, name: &'a str) {
        if self.conditional == 0 && !self.seen.contains(name) {
            self.local.insert(name);
        }
    }

    fn inner(&mut self, params: &'a [Param], own: Option<&'a str>, visit: impl FnOnce(&mut Free<'a>)) {
        for default in params.iter().filter_map(|param| param.default.as_ref()) {
            walk::expr(default, self);
        }
        let mut inner = Free::default();
        inner.local.extend(params.iter().map(|param| param.name.text.as_str()));
        inner.local.extend(own);
        visit(&mut inner);
        for name in inner.order {
            self.read(name);
        }
    }
}

impl<'a> walk::Visitor<'a> for Free<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Function(function) => {
                self.inner(&function.params, Some(&function.name.text), |inner| {
                    walk::block(&function.body, inner)
                });
                self.assign(&function.name.text);
                false
            }
            StmtKind::For { variable, sequence, body } => {
                walk::expr(sequence, self);
                self.conditional += 1;
                if !self.seen.contains(variable.text.as_str()) {
                    self.local.insert(&variable.text);
                }
                walk::block(body, self);
                self.conditional -= 1;
                false
            }
            StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Match { .. }
            | StmtKind::Try { .. } => {
                if self.conditional > 0 {
                    return true;
                }
                self.conditional += 1;
                walk::stmt(stmt, self);
                self.conditional -= 1;
                false
            }
            _ => true,
        }
    }

    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => self.read(name),
            ExprKind::Lambda(lambda) => {
                self.inner(&lambda.params, None, |inner| walk::expr(&lambda.body, inner));
                return false;
            }
            ExprKind::Assign { target, op: None, value } => {
                walk::expr(value, self);
                let places: Vec<&'a Expr> = match &**target {
                    Target::Place { place, .. } => vec![place],
                    Target::Multiple { places, .. } => {
                        places.iter().flatten().map(|(place, _)| place).collect()
                    }
                };
                for place in places {
                    match &place.kind {
                        ExprKind::Name(name) => self.assign(name),
                        _ => walk::expr(place, self),
                    }
                }
                return false;
            }
            _ => {}
        }
        true
    }
}

/// The number of captured variables that are not module-level ones.
fn own_of(captures: &[(String, Variable)]) -> usize {
    captures.iter().filter(|(name, _)| module_variable(name).is_none()).count()
}

fn free_in(function: &Function) -> Free<'_> {
    let mut free = Free::default();
    free.local.extend(function.params.iter().map(|param| param.name.text.as_str()));
    for output in &function.outputs {
        free.local.insert(&output.name.text);
    }
    function.params.iter().filter_map(|param| param.default.as_ref()).for_each(|e| walk::expr(e, &mut free));
    walk::block(&function.body, &mut free);
    free
}

impl<'a> Analyzer<'a> {
    /// The free names of a function or lambda.
    pub(super) fn free_names_of(&self, id: NodeId) -> Vec<&'a str> {
        match (self.index.function(id), self.index.lambda(id)) {
            (Some(function), _) => free_in(function).order,
            (None, Some(lambda)) => {
                let mut free = Free::default();
                free.local.extend(lambda.params.iter().map(|param| param.name.text.as_str()));
                walk::expr(&lambda.body, &mut free);
                free.order
            }
            (None, None) => Vec::new(),
        }
    }

    /// The free names of a function, and those of the local rewrite rules in scope.
    fn free_names(&self, function: &'a Function) -> Vec<&'a str> {
        let mut free = free_in(function);
        self.names_of_local_rules().into_iter().for_each(|name| free.read(name));
        free.order
    }

    /// The captures of a body with these free names; `None` if a variable is only assigned later in a loop, so that the
    /// types at the back edge are needed first.
    fn capture(
        &mut self,
        free: Vec<&'a str>,
        params: &[Param],
        own: Option<&str>,
    ) -> Option<Vec<(String, Variable)>> {
        let mut captures = Vec::new();
        let mut known = true;
        for name in free {
            if Some(name) == own || params.iter().any(|param| param.name.text == name) {
                continue;
            }
            let Some(variable) = self.frame.env.get(name) else {
                known &= !self.frame.locals.contains(name);
                captures.extend(self.variable_of_module(self.frame.lexical.module, name));
                continue;
            };
            let constant = self.frame.top_level
                && self
                    .global(self.frame.lexical.module, name)
                    .is_some_and(|(_, global)| global.value.is_some());
            if constant {
                continue;
            }
            let keep = variable.access.constant;
            captures.push((
                name.to_owned(),
                Variable {
                    global: None,
                    self_function: None,
                    identity: Identity::Unknown,
                    special: false,
                    definite: true,
                    value: variable.value.clone().filter(|_| keep),
                    known_components: variable.known_components.clone().filter(|_| keep),
                    ..variable.clone()
                },
            ));
        }
        self.frame.reads_later_assignment |= !known && !self.frame.loops.is_empty();
        (known || self.frame.loops.iter().all(|frame| !frame.first)).then_some(captures)
    }

    fn closure(
        &mut self,
        id: NodeId,
        free: &[&'a str],
        captures: Vec<(String, Variable)>,
        own: Option<&str>,
    ) -> Type {
        for (name, _) in &captures {
            if let Some(unique) = self.frame.env.get(name).and_then(|variable| variable.global.clone()) {
                self.frame.tables.captured.insert(name.clone(), unique);
            }
        }
        if let Some((name, variable)) =
            captures.iter().find(|(_, variable)| matches!(variable.ty, Type::Group(_)))
        {
            let what = format!("the group of threads '{name}' in an inner function");
            return self.not_supported(variable.span, what);
        }
        let types = captures.iter().map(|(name, variable)| (name.clone(), variable.ty.clone())).collect();
        let closure = ClosureType { definition: id, captures: types };
        let mut lexical = Lexical {
            module: self.frame.lexical.module,
            functions: self.frame.lexical.functions.clone(),
            bindings: self.frame.lexical.bindings.clone(),
            rules: self.frame.lexical.rules.clone(),
        };
        if let Some(own) = own {
            lexical.functions.push((own.to_owned(), id));
        }
        self.lexical.insert(id, lexical);
        let frame = &self.frame;
        let is_later = |name: &&&'a str| {
            frame.locals.contains(**name) && !frame.env.contains_key(**name) || frame.later.contains(**name)
        };
        self.later.insert(id, free.iter().filter(is_later).copied().collect());
        let variables: Vec<Variable> = captures.into_iter().map(|(_, variable)| variable).collect();
        let of_definition = self.captured.entry(id).or_default();
        match of_definition.iter_mut().find(|(known, _)| *known == closure) {
            Some((_, known)) => *known = variables,
            None => of_definition.push((closure.clone(), variables)),
        }
        Type::Closure(Box::new(closure))
    }

    /// The type of a lambda; `own` is the variable it is assigned to.
    pub(super) fn lambda(&mut self, expr: &'a Expr, lambda: &'a Lambda, own: Option<&'a str>) -> Type {
        for default in lambda.params.iter().filter_map(|param| param.default.as_ref()) {
            self.error("Q0313", default.span, "parameters of lambdas have no default values");
        }
        let mut free = Free::default();
        free.local.extend(lambda.params.iter().map(|param| param.name.text.as_str()));
        walk::expr(&lambda.body, &mut free);
        let own = own.filter(|own| free.seen.contains(own));
        self.names_of_local_rules().into_iter().for_each(|name| free.read(name));
        let names = free.order.clone();
        match self.capture(free.order, &lambda.params, own) {
            Some(captures) if captures.iter().all(|(_, variable)| variable.ty != Type::Error) => {
                self.closure(expr.id, &names, captures, own)
            }
            _ => Type::Error,
        }
    }

    /// Predeclares a sequence of inner functions without captures, so that they may call each other.
    pub(super) fn announce_functions(&mut self, following: &'a [Stmt]) {
        if self.frame.top_level {
            return;
        }
        for stmt in following {
            let StmtKind::Function(function) = &stmt.kind else { break };
            let name = &function.name.text;
            let free = self.free_names(function);
            if self.capture(free, &function.params, Some(name)).is_some_and(|captures| own_of(&captures) == 0)
            {
                self.frame.lexical.functions.push((name.clone(), stmt.id));
            }
        }
    }

    /// A function inside a function.
    pub(super) fn inner_function(&mut self, stmt: &'a Stmt, function: &'a Function) {
        let name = &function.name.text;
        let module = self.scopes.get(self.frame.lexical.module);
        if module.is_some_and(|scope| scope.own_functions.contains(&stmt.id)) {
            return;
        }
        let free = self.free_names(function);
        let names = free.clone();
        let Some(captures) = self.capture(free, &function.params, Some(name)) else {
            self.frame.env.insert(name.clone(), Variable::new(Type::Error, function.name.span));
            return;
        };
        let plain = captures.is_empty();
        let ty = self.closure(stmt.id, &names, captures, Some(name));
        if plain {
            self.frame.env.remove(name);
            self.frame.lexical.functions.push((name.clone(), stmt.id));
            return;
        }
        let mut variable = Variable::new(ty, function.name.span);
        variable.self_function = Some(stmt.id);
        self.frame.env.insert(name.clone(), variable);
    }

    /// The captured variables of a closure value.
    pub(super) fn captures_of(&self, closure: &ClosureType) -> Vec<(String, Variable)> {
        let of_definition = self.captured.get(&closure.definition).into_iter().flatten();
        let known =
            of_definition.into_iter().find(|(known, _)| known == closure).map(|(_, variables)| variables);
        closure
            .captures
            .iter()
            .enumerate()
            .map(|(k, (name, ty))| {
                let variable = known.and_then(|variables| variables.get(k)).cloned();
                (
                    name.clone(),
                    variable.unwrap_or_else(|| Variable::new(ty.clone(), crate::source::Span::default())),
                )
            })
            .collect()
    }
}
