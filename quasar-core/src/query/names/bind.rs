//! The walk over the trees that binds names.

use super::{Names, Symbol, SymbolId, SymbolKind};
use crate::sema::Assigned;
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::walk::{Node, for_each_child, for_each_type_child};
use std::collections::HashMap;

/// Binds the names of all modules.
pub(super) fn bind(
    trees: &[Module],
    imports: &[Vec<usize>],
    classes_at: &dyn Fn(Span) -> Vec<String>,
) -> Names {
    let mut binder = Binder::default();
    for tree in trees {
        binder.declare_module(tree);
    }
    for (k, tree) in trees.iter().enumerate() {
        binder.module = k;
        binder.imports = imports.get(k).cloned().unwrap_or_default();
        binder.block(&tree.items);
    }
    binder.members(classes_at);
    binder.named_arguments();
    binder.names
}

/// The names of a module or function.
#[derive(Default)]
struct Scope {
    values: HashMap<String, SymbolId>,
    types: HashMap<String, SymbolId>,
    span: Option<Span>,
}

#[derive(Default)]
struct Binder {
    names: Names,
    modules: Vec<Scope>,
    module: usize,
    imports: Vec<usize>,
    /// Functions, lambdas and rules around the current code, innermost last.
    scopes: Vec<Scope>,
    labels: Vec<(String, SymbolId)>,
    /// Fields and members by the name of their class or enum.
    owned: HashMap<(String, String), SymbolId>,
    /// The parameters of functions.
    params: HashMap<(SymbolId, String), Vec<SymbolId>>,
    /// `base.member`: the base, its symbol, the member.
    waiting: Vec<(Span, Option<SymbolId>, Name)>,
    /// `name := value` in calls.
    named: Vec<(SymbolId, Name)>,
}

impl Binder {
    fn add(&mut self, name: &Name, kind: SymbolKind, scope: Option<Span>) -> SymbolId {
        let (spans, name) = (vec![name.span], name.text.clone());
        let symbol = Symbol {
            name,
            kind,
            definitions: spans.clone(),
            places: spans,
            scope,
            owner: None,
            concealed: false,
        };
        self.names.symbols.push(symbol);
        self.names.symbols.len() - 1
    }

    fn used(&mut self, id: SymbolId, span: Span) {
        self.names.symbols[id].places.push(span);
    }

    fn defined_again(&mut self, id: SymbolId, span: Span) {
        self.names.symbols[id].definitions.push(span);
        self.used(id, span);
    }

    // Declarations.

    fn declare_module(&mut self, tree: &Module) {
        let mut scope = Scope::default();
        let mut assigned = Assigned::default();
        for item in &tree.items {
            match &item.kind {
                StmtKind::Function(function) => self.declare_function(&mut scope, function, None),
                StmtKind::Macro(function) => {
                    let id = self.add(&function.name, SymbolKind::Macro, None);
                    scope.values.insert(function.name.text.clone(), id);
                }
                _ => walk::stmt(item, &mut assigned),
            }
        }
        let mut types = Types(Vec::new());
        walk::block(&tree.items, &mut types);
        for definition in types.0 {
            self.declare_type(&mut scope, definition);
        }
        self.declare_assigned(&mut scope, &assigned, None);
        self.modules.push(scope);
    }

    fn declare_function(&mut self, scope: &mut Scope, function: &Function, around: Option<Span>) {
        let name = &function.name;
        match scope.values.get(&name.text).copied() {
            Some(id) if self.names.symbols[id].kind == SymbolKind::Function => {
                self.defined_again(id, name.span);
            }
            _ => {
                let id = self.add(name, SymbolKind::Function, around);
                self.names.symbols[id].concealed = function.concealed;
                scope.values.insert(name.text.clone(), id);
            }
        }
    }

    fn declare_type(&mut self, scope: &mut Scope, definition: &TypeDef) {
        let kind = match definition.body {
            TypeBody::Enum(_) => SymbolKind::Enum,
            _ => SymbolKind::Type,
        };
        let id = self.add(&definition.name, kind, None);
        let owner = definition.name.text.clone();
        scope.types.entry(owner.clone()).or_insert(id);
        let (kind, list): (SymbolKind, Vec<&Name>) = match &definition.body {
            TypeBody::Alias(_) => return,
            TypeBody::Class { fields, .. } | TypeBody::Derived { fields, .. } => {
                (SymbolKind::Field, fields.iter().map(|field| &field.name).collect())
            }
            TypeBody::Enum(members) => (SymbolKind::Member, members.iter().map(|(name, _)| name).collect()),
        };
        for name in list {
            let id = self.add(name, kind, None);
            self.names.symbols[id].owner = Some(owner.clone());
            self.owned.entry((owner.clone(), name.text.clone())).or_insert(id);
        }
    }

    /// Variables, in the order of their first assignment.
    fn declare_assigned(&mut self, scope: &mut Scope, assigned: &Assigned<'_>, around: Option<Span>) {
        let mut list: Vec<(&str, Span)> =
            assigned.names.iter().map(|(name, (_, span))| (*name, *span)).collect();
        list.sort_by_key(|(_, span)| span.start);
        for (name, span) in list {
            if !scope.values.contains_key(name) && !name.is_empty() {
                let id = self.add(&Name { text: name.to_string(), span }, SymbolKind::Variable, around);
                scope.values.insert(name.to_string(), id);
            }
        }
    }

    // Uses.

    fn value(&self, name: &str) -> Option<SymbolId> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.values.get(name));
        let own = || self.modules.get(self.module)?.values.get(name);
        let imported = || {
            let visible = |id: &&SymbolId| !self.names.symbols[**id].concealed;
            self.imports.iter().rev().find_map(|k| self.modules.get(*k)?.values.get(name).filter(visible))
        };
        local.or_else(own).or_else(imported).copied()
    }

    fn type_symbol(&self, name: &str) -> Option<SymbolId> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.types.get(name));
        let own = || self.modules.get(self.module)?.types.get(name);
        let imported = || self.imports.iter().rev().find_map(|k| self.modules.get(*k)?.types.get(name));
        local.or_else(own).or_else(imported).copied()
    }

    /// A name in an expression: a value, or a type that makes one.
    fn name(&mut self, text: &str, span: Span) -> Option<SymbolId> {
        let id = self.value(text).or_else(|| self.type_symbol(text))?;
        self.used(id, span);
        Some(id)
    }

    fn block(&mut self, block: &[Stmt]) {
        // Functions of a block are visible in all of it.
        if let Some(mut scope) = self.scopes.pop() {
            for stmt in block {
                if let StmtKind::Function(function) = &stmt.kind {
                    let span = scope.span;
                    self.declare_function(&mut scope, function, span);
                }
            }
            self.scopes.push(scope);
        }
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Function(function) | StmtKind::Macro(function) => self.function(function, stmt.span),
            StmtKind::TypeDef(definition) => self.type_definition(definition, stmt.span),
            StmtKind::Reduction(reduction) => self.reduction(reduction, stmt.span),
            StmtKind::Attribute(attribute) => {
                attribute.arguments.iter().for_each(|argument| self.expr(&argument.value));
            }
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expr(condition);
                    self.block(body);
                }
                self.block(otherwise.as_deref().unwrap_or_default());
            }
            StmtKind::Labelled { label, body } => {
                let id = self.add(label, SymbolKind::Label, Some(stmt.span));
                self.labels.push((label.text.clone(), id));
                self.stmt(body);
                self.labels.pop();
            }
            StmtKind::For { variable, sequence, body } => {
                self.name(&variable.text, variable.span);
                self.expr(sequence);
                self.block(body);
            }
            StmtKind::While { condition, body } => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::Repeat { body, until } => {
                self.block(body);
                self.expr(until);
            }
            StmtKind::Match { subject, arms } => {
                self.expr(subject);
                for arm in arms {
                    arm.patterns.iter().for_each(|pattern| self.expr(pattern));
                    self.block(&arm.body);
                }
            }
            StmtKind::Try { body, catches } => {
                self.block(body);
                for catch in catches {
                    if let Some(name) = &catch.variable {
                        self.name(&name.text, name.span);
                    }
                    catch.ty.iter().for_each(|ty| self.ty(ty));
                    self.block(&catch.body);
                }
            }
            StmtKind::Break(Some(label)) | StmtKind::Continue(Some(label)) => {
                let known = self.labels.iter().rev().find(|(name, _)| *name == label.text).map(|(_, id)| *id);
                known.into_iter().for_each(|id| self.used(id, label.span));
            }
            StmtKind::Print(list) | StmtKind::Error(list) => list.iter().for_each(|e| self.expr(e)),
            StmtKind::Symbolic(names) => {
                for name in names {
                    self.name(&name.text, name.span);
                }
            }
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Break(None)
            | StmtKind::Continue(None)
            | StmtKind::SyncThreads(_)
            | StmtKind::Pragma { .. }
            | StmtKind::Invalid => {}
        }
    }

    /// Runs `f` in a scope with parameters and type parameters.
    fn inside(
        &mut self,
        span: Span,
        type_params: &[TypeParam],
        params: &[Param],
        f: impl FnOnce(&mut Self, &mut Scope),
    ) -> Scope {
        let mut scope = Scope { span: Some(span), ..Scope::default() };
        for param in type_params {
            let id = self.add(&param.name, SymbolKind::TypeParameter, Some(span));
            scope.types.insert(param.name.text.clone(), id);
            scope.values.insert(param.name.text.clone(), id);
        }
        for param in params {
            let id = self.add(&param.name, SymbolKind::Parameter, Some(span));
            scope.values.insert(param.name.text.clone(), id);
        }
        f(self, &mut scope);
        scope
    }

    fn function(&mut self, function: &Function, span: Span) {
        let own = self.value(&function.name.text);
        let scope = self.inside(span, &function.type_params, &function.params, |binder, scope| {
            for output in &function.outputs {
                match scope.values.get(&output.name.text).copied() {
                    Some(id) => binder.used(id, output.name.span),
                    None => {
                        let id = binder.add(&output.name, SymbolKind::Output, Some(span));
                        scope.values.insert(output.name.text.clone(), id);
                    }
                }
            }
            let mut assigned = Assigned::default();
            walk::block(&function.body, &mut assigned);
            binder.declare_assigned(scope, &assigned, Some(span));
        });
        if let Some(function_id) = own {
            for param in &function.params {
                if let Some(id) = scope.values.get(&param.name.text) {
                    self.params.entry((function_id, param.name.text.clone())).or_default().push(*id);
                }
            }
        }
        self.scopes.push(scope);
        for param in &function.type_params {
            param.constraint.iter().for_each(|ty| self.ty(ty));
        }
        self.params(&function.params);
        for output in &function.outputs {
            output.annotation.iter().for_each(|annotation| self.annotation(annotation));
        }
        self.block(&function.body);
        self.scopes.pop();
    }

    fn type_definition(&mut self, definition: &TypeDef, span: Span) {
        let scope = self.inside(span, &definition.params, &[], |_, _| {});
        self.scopes.push(scope);
        match &definition.body {
            TypeBody::Alias(ty) => self.ty(ty),
            TypeBody::Class { fields, .. } => {
                fields.iter().filter_map(|field| field.ty.as_ref()).for_each(|ty| self.ty(ty));
            }
            TypeBody::Derived { base, fields } => {
                self.ty(base);
                fields.iter().filter_map(|field| field.ty.as_ref()).for_each(|ty| self.ty(ty));
            }
            TypeBody::Enum(members) => {
                members.iter().filter_map(|(_, value)| value.as_ref()).for_each(|e| self.expr(e));
            }
        }
        self.scopes.pop();
    }

    fn reduction(&mut self, reduction: &Reduction, span: Span) {
        let scope = self.inside(span, &[], &reduction.params, |_, _| {});
        self.scopes.push(scope);
        self.params(&reduction.params);
        self.expr(&reduction.pattern);
        self.expr(&reduction.replacement);
        reduction.condition.iter().for_each(|e| self.expr(e));
        self.scopes.pop();
    }

    fn params(&mut self, params: &[Param]) {
        for param in params {
            param.annotation.iter().for_each(|annotation| self.annotation(annotation));
            param.default.iter().for_each(|e| self.expr(e));
        }
    }

    fn annotation(&mut self, annotation: &Annotation) {
        annotation.ty.iter().for_each(|ty| self.ty(ty));
        annotation.modifiers.iter().flat_map(|modifier| &modifier.args).for_each(|e| self.expr(e));
    }

    fn ty(&mut self, ty: &TypeExpr) {
        if let TypeExprKind::Named { name, rank, .. } = &ty.kind {
            if let Some(id) = self.type_symbol(&name.text) {
                self.used(id, name.span);
            }
            if let Some(RankExpr::Param(param)) = rank {
                self.name(&param.text, param.span);
            }
        }
        for_each_type_child(ty, &mut |node| self.node(node));
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Expr(e) => self.expr(e),
            Node::Type(ty) => self.ty(ty),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(name) => {
                self.name(name, e.span);
            }
            ExprKind::Declare { name, annotation } => {
                self.name(&name.text, name.span);
                self.annotation(annotation);
            }
            ExprKind::Member { base, member } => {
                let id = match &base.kind {
                    ExprKind::Name(name) => self.value(name).or_else(|| self.type_symbol(name)),
                    _ => None,
                };
                self.waiting.push((base.span, id, member.clone()));
                self.expr(base);
            }
            ExprKind::Lambda(lambda) => {
                let scope = self.inside(e.span, &[], &lambda.params, |binder, scope| {
                    let mut assigned = Assigned::default();
                    walk::expr(&lambda.body, &mut assigned);
                    binder.declare_assigned(scope, &assigned, Some(e.span));
                });
                self.scopes.push(scope);
                self.params(&lambda.params);
                self.expr(&lambda.body);
                self.scopes.pop();
            }
            ExprKind::Call { callee, args } => {
                if let ExprKind::Name(name) = &callee.kind
                    && let Some(id) = self.value(name)
                {
                    for arg in args {
                        if let CallArg::Named(name, _) = arg {
                            self.named.push((id, name.clone()));
                        }
                    }
                }
                for_each_child(&e.kind, &mut |node| self.node(node));
            }
            kind => for_each_child(kind, &mut |node| self.node(node)),
        }
    }

    // What needs all definitions, and types.

    fn members(&mut self, classes_at: &dyn Fn(Span) -> Vec<String>) {
        for (base, id, member) in std::mem::take(&mut self.waiting) {
            let enum_name = id.filter(|id| self.names.symbols[*id].kind == SymbolKind::Enum);
            let owners = match enum_name {
                Some(id) => vec![self.names.symbols[id].name.clone()],
                None => classes_at(base),
            };
            let of = |owner: &String| self.owned.get(&(owner.clone(), member.text.clone())).copied();
            let known = owners.iter().find_map(of);
            let fields = || {
                let named = self.owned.iter().filter(|((_, name), _)| *name == member.text);
                let found: Vec<SymbolId> = named.map(|(_, id)| *id).collect();
                (found.len() == 1 && owners.is_empty()).then(|| found[0])
            };
            let method = || {
                let id = self.modules.iter().find_map(|scope| scope.values.get(&member.text).copied())?;
                (self.names.symbols[id].kind == SymbolKind::Function).then_some(id)
            };
            if let Some(id) = known.or_else(fields).or_else(method) {
                self.used(id, member.span);
            }
        }
    }

    fn named_arguments(&mut self) {
        for (function, name) in std::mem::take(&mut self.named) {
            let params = self.params.get(&(function, name.text.clone())).cloned().unwrap_or_default();
            if let Some(id) = params.first() {
                self.used(*id, name.span);
            }
        }
    }
}

/// Collects type definitions, also inside of functions and blocks.
struct Types<'a>(Vec<&'a TypeDef>);

impl<'a> walk::Visitor<'a> for Types<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if let StmtKind::TypeDef(definition) = &stmt.kind {
            self.0.push(definition);
        }
        true
    }
}
