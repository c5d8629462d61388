//! Types of expressions and variables, from the tables of the analysis.

use super::{Document, holds};
use crate::driver::Compilation;
use crate::sema::model::{Binding, Callee, Instance};
use crate::sema::walk;
use crate::source::{FileId, Span};
use crate::syntax::ast::*;
use crate::types::Type;
use crate::types::display::Names;

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

/// The type of a variable at its assignment, parameter or result.
pub fn type_of_definition(document: &Document, definition: Span) -> Vec<String> {
    if let Some(found) = binding_at(&document.compilation, definition.file, definition.start) {
        return found.types;
    }
    let mut types = Vec::new();
    each_expr(&document.compilation, definition.file, &mut |e| {
        if e.span.start == definition.start && types.is_empty() {
            let names_it = e.span == definition || matches!(e.kind, ExprKind::Declare { .. });
            if names_it {
                types = types_of(&document.compilation, e.id);
            }
        }
    });
    if types.is_empty() {
        types = loop_variable(&document.compilation, definition);
    }
    types
}

/// The class of the expression with a span, and its ancestors.
pub(super) fn classes_at(compilation: &Compilation, span: Span) -> Vec<String> {
    let mut classes = Vec::new();
    each_expr(compilation, span.file, &mut |e| {
        if e.span != span {
            return;
        }
        for (_, instance) in compilation.model.instances.iter() {
            let ty = instance.tables.types.get(&e.id);
            if let Some(Type::Class(class) | Type::Pointer(class)) = ty {
                let names = class.line().map(|class| class.name.split('[').next().unwrap_or_default());
                classes.extend(names.map(str::to_string));
            }
        }
    });
    classes
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

/// The types of the variable of a `for` statement.
fn loop_variable(compilation: &Compilation, definition: Span) -> Vec<String> {
    struct Loop(Span, Option<NodeId>);
    impl<'a> walk::Visitor<'a> for Loop {
        fn stmt(&mut self, stmt: &'a Stmt) -> bool {
            if matches!(&stmt.kind, StmtKind::For { variable, .. } if variable.span == self.0) {
                self.1 = Some(stmt.id);
            }
            true
        }
    }
    let mut wanted = Loop(definition, None);
    let modules = compilation.unit.modules.iter().filter(|each| each.module.file == definition.file);
    modules.for_each(|each| walk::block(&each.module.items, &mut wanted));
    let mut types = Vec::new();
    for (_, instance) in compilation.model.instances.iter() {
        if let Some(ty) = wanted.1.and_then(|id| instance.tables.loop_variables.get(&id)) {
            add(&mut types, shown(compilation, ty));
        }
    }
    types
}
