//! Types of expressions and variables, from the tables of the analysis.

use super::{Document, holds};
use crate::driver::Compilation;
use crate::sema::model::{Binding, Callee, Definition, Instance};
use crate::sema::walk;
use crate::source::{FileId, Span};
use crate::syntax::ast::*;
use crate::types::Type;
use crate::types::display::Names;
use std::collections::HashMap;

/// What is known about an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeAt {
    /// The expression.
    pub span: Span,
    /// Its types, in the language's syntax: one for each way its function is called with, without repetitions.
    pub types: Vec<String>,
    /// The signatures of the functions that it calls, if it is a call.
    pub callees: Vec<String>,
}

/// The innermost expression at a place of the text that has a type.
pub fn type_at(document: &Document, offset: u32) -> Option<TypeAt> {
    let compilation = &document.compilation;
    if let Some(found) = binding_at(compilation, document.root, offset) {
        return Some(found);
    }
    let mut found = Vec::new();
    each_expr(compilation, document.root, &mut |e| {
        if holds(e.span, offset) {
            found.push((e.span, e.id));
        }
    });
    found.sort_by_key(|(span, _)| span.end - span.start);
    found.into_iter().find_map(|(span, id)| {
        let types = types_of(compilation, id);
        (!types.is_empty()).then(|| TypeAt { span, types, callees: callees_of(compilation, id) })
    })
}

/// The signatures of what the calls of a name at a place mean.
pub(super) fn callees_at(document: &Document, name: Span) -> Vec<String> {
    let compilation = &document.compilation;
    let mut found = Vec::new();
    each_expr(compilation, document.root, &mut |e| {
        if let ExprKind::Call { callee, .. } = &e.kind
            && callee.span == name
        {
            callees_of(compilation, e.id).into_iter().for_each(|callee| add(&mut found, callee));
        }
    });
    found
}

/// The type of a variable at its assignment, parameter or result.
pub fn type_of_definition(document: &Document, definition: Span) -> Vec<String> {
    let (compilation, index) = (&document.compilation, &document.index);
    let key = (definition.file, definition.start);
    let mut types = Vec::new();
    for ty in index.bindings.get(&key).into_iter().flatten() {
        add(&mut types, shown(compilation, ty));
    }
    for (span, id, declares) in index.exprs.get(&key).into_iter().flatten() {
        if types.is_empty() && (*span == definition || *declares) {
            types = types_of(compilation, *id);
        }
    }
    if types.is_empty()
        && let Some(id) = index.loops.get(&key)
    {
        for (_, instance) in compilation.model.instances.iter() {
            if let Some(ty) = instance.tables.loop_variables.get(id) {
                add(&mut types, shown(compilation, ty));
            }
        }
    }
    types
}

/// The class of the expression with a span, and its ancestors.
pub(super) fn classes_at(compilation: &Compilation, index: &Index, span: Span) -> Vec<String> {
    let mut classes = Vec::new();
    let exprs = index.exprs.get(&(span.file, span.start)).into_iter().flatten();
    for (_, id, _) in exprs.filter(|(found, ..)| *found == span) {
        for (_, instance) in compilation.model.instances.iter() {
            let ty = instance.tables.types.get(id);
            if let Some(Type::Class(class) | Type::Pointer(class)) = ty {
                let names = class.line().map(|class| class.name.split('[').next().unwrap_or_default());
                classes.extend(names.map(str::to_string));
            }
        }
    }
    classes
}

/// A file and the first byte of something in it.
type Place = (FileId, u32);

/// What stands at each place of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// Expressions after expansions, and whether they are declarations; outer ones first.
    exprs: HashMap<Place, Vec<(Span, NodeId, bool)>>,
    /// The `for` statements of variables.
    loops: HashMap<Place, NodeId>,
    /// The types of parameters and results.
    bindings: HashMap<Place, Vec<Type>>,
}

impl Index {
    pub(super) fn of(compilation: &Compilation) -> Index {
        let mut index = Index::default();
        compilation.unit.modules.iter().for_each(|each| walk::block(&each.module.items, &mut index));
        for (_, instance) in compilation.model.instances.iter() {
            for binding in instance.params.iter().chain(&instance.results) {
                if binding.span.start < binding.span.end && binding.ty != Type::Error {
                    let key = (binding.span.file, binding.span.start);
                    index.bindings.entry(key).or_default().push(binding.ty.clone());
                }
            }
        }
        index
    }
}

impl<'a> walk::Visitor<'a> for Index {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if let StmtKind::For { variable, .. } = &stmt.kind {
            self.loops.insert((variable.span.file, variable.span.start), stmt.id);
        }
        true
    }

    fn expr(&mut self, e: &'a Expr) -> bool {
        let declares = matches!(e.kind, ExprKind::Declare { .. });
        self.exprs.entry((e.span.file, e.span.start)).or_default().push((e.span, e.id, declares));
        true
    }
}

/// Calls `f` for each expression of a file, after expansions.
fn each_expr(compilation: &Compilation, file: FileId, f: &mut dyn FnMut(&Expr)) {
    struct All<'f>(FileId, &'f mut dyn FnMut(&Expr));
    impl<'a> walk::Visitor<'a> for All<'_> {
        fn expr(&mut self, e: &'a Expr) -> bool {
            if e.span.file == self.0 {
                (self.1)(e);
            }
            true
        }
    }
    let modules = compilation.unit.modules.iter().filter(|each| each.module.file == file);
    modules.for_each(|each| walk::block(&each.module.items, &mut All(file, f)));
}

fn shown(compilation: &Compilation, ty: &Type) -> String {
    let enums: Vec<String> = compilation.model.enums.iter().map(|(name, _)| name.clone()).collect();
    Names { working: compilation.settings.precision, enums: &enums }.of(ty)
}

fn add(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}

/// The types of a node in all instances; that of a variable after its assignment first.
fn types_of(compilation: &Compilation, id: NodeId) -> Vec<String> {
    let mut types = Vec::new();
    for (_, instance) in compilation.model.instances.iter() {
        let assigned = instance.tables.assigned.get(&id).map(|(ty, _)| ty);
        match assigned.or_else(|| instance.tables.types.get(&id)) {
            Some(Type::Error | Type::Unit) | None => {}
            Some(ty) => add(&mut types, shown(compilation, ty)),
        }
    }
    types
}

fn callees_of(compilation: &Compilation, id: NodeId) -> Vec<String> {
    let mut found = Vec::new();
    for (_, instance) in compilation.model.instances.iter() {
        let Some(callee) = instance.tables.callees.get(&id) else { continue };
        if let Callee::Builtin { builtin, .. } = callee {
            add(&mut found, format!("{}: {}", builtin.name, builtin.doc));
        } else if let Some(called) = callee.instance() {
            add(&mut found, signature(compilation, &compilation.model.instances[called]));
        }
    }
    found
}

/// The signature of an instance, as in `f(x : mat, k : int) -> (y : mat)`.
fn signature(compilation: &Compilation, instance: &Instance) -> String {
    let list = |bindings: &[Binding]| {
        let each = bindings.iter().map(|b| format!("{} : {}", b.name, shown(compilation, &b.ty)));
        each.collect::<Vec<_>>().join(", ")
    };
    format!("{}({}) -> ({})", instance.name, list(&instance.params), list(&instance.results))
}

/// The signatures that a function is compiled for.
pub(super) fn signatures_of(compilation: &Compilation, function: NodeId) -> Vec<String> {
    let mut found = Vec::new();
    for (_, instance) in compilation.model.instances.iter() {
        if instance.definition == Definition::Function(function) {
            add(&mut found, signature(compilation, instance));
        }
    }
    found
}

/// The parameter or result whose declaration is at a place.
fn binding_at(compilation: &Compilation, file: FileId, offset: u32) -> Option<TypeAt> {
    let mut found: Option<TypeAt> = None;
    for (_, instance) in compilation.model.instances.iter() {
        for binding in instance.params.iter().chain(&instance.results) {
            let span = binding.span;
            if span.file == file && span.start < span.end && holds(span, offset) && binding.ty != Type::Error
            {
                let found =
                    found.get_or_insert_with(|| TypeAt { span, types: Vec::new(), callees: Vec::new() });
                add(&mut found.types, shown(compilation, &binding.ty));
            }
        }
    }
    found
}
