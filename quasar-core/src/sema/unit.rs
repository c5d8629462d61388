//! The compilation unit: the ASTs of all modules, and an index from ids to function and lambda definitions.

use crate::sema::walk;
use crate::syntax::ast::{Expr, ExprKind, Function, Lambda, Module, NodeId, Stmt, StmtKind};
use crate::syntax::made::SyntheticTrees;
use std::collections::BTreeMap;

/// All modules of a compilation.
#[derive(Debug, Default)]
pub struct Unit {
    /// In load order: imported modules before their importers, the root last.
    pub modules: Vec<UnitModule>,
    /// The index of the implicit module with language functions for device code, if it is loaded.
    pub device: Option<usize>,
    /// Arena of nodes synthesised by the analysis: replacement expressions and functions.
    pub made: SyntheticTrees,
}

/// One file of the unit.
#[derive(Clone, Debug)]
pub struct UnitModule {
    /// The name in messages and, without extension, in the names of its variables.
    pub name: String,
    /// The AST.
    pub module: Module,
    /// The imported modules, as indices into [`Unit::modules`].
    pub imports: Vec<usize>,
}

impl Unit {
    /// The function statement with this id. Walks all trees: use [`Unit::index`] for repeated queries.
    pub fn function(&self, id: NodeId) -> Option<&Function> {
        self.index().functions.remove(&id)
    }

    /// The lambda expression with this id. Walks all trees, too.
    pub fn lambda(&self, id: NodeId) -> Option<&Lambda> {
        self.index().lambdas.remove(&id)
    }

    /// Builds the index of all definitions.
    pub fn index(&self) -> UnitIndex<'_> {
        let mut index = UnitIndex::default();
        for (position, module) in self.modules.iter().enumerate() {
            index.module = position;
            walk::block(&module.module.items, &mut index);
        }
        let mut made = MadeDefinitions(index);
        self.made.exprs().for_each(|expr| walk::expr(expr, &mut made));
        self.made.definitions().for_each(|stmt| walk::stmt(stmt, &mut made));
        made.0
    }
}

/// Index of the functions and lambdas of a [`Unit`].
#[derive(Debug, Default)]
pub struct UnitIndex<'a> {
    module: usize,
    /// Function statements, by the id of the statement.
    pub functions: BTreeMap<NodeId, &'a Function>,
    /// Lambdas, by the id of the expression.
    pub lambdas: BTreeMap<NodeId, &'a Lambda>,
    /// The module of each of them, as an index into [`Unit::modules`].
    pub modules: BTreeMap<NodeId, usize>,
}

impl<'a> UnitIndex<'a> {
    /// Adds the lambdas in an expression synthesised for a module.
    pub(super) fn add_made(&mut self, expr: &'a Expr, module: usize) {
        let mut made = MadeDefinitions(std::mem::take(self));
        made.0.module = module;
        walk::expr(expr, &mut made);
        *self = made.0;
    }

    /// Adds a function statement synthesised for a module, with the lambdas in it.
    pub(super) fn add_made_function(&mut self, stmt: &'a Stmt, module: usize) {
        let mut made = MadeDefinitions(std::mem::take(self));
        made.0.module = module;
        walk::stmt(stmt, &mut made);
        *self = made.0;
    }

    /// The function statement with this id.
    pub fn function(&self, id: NodeId) -> Option<&'a Function> {
        self.functions.get(&id).copied()
    }

    /// The lambda expression with this id.
    pub fn lambda(&self, id: NodeId) -> Option<&'a Lambda> {
        self.lambdas.get(&id).copied()
    }
}

impl<'a> walk::Visitor<'a> for UnitIndex<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if let StmtKind::Function(function) = &stmt.kind {
            self.functions.insert(stmt.id, function);
            self.modules.insert(stmt.id, self.module);
        }
        true
    }

    fn expr(&mut self, expr: &'a Expr) -> bool {
        if let ExprKind::Lambda(lambda) = &expr.kind {
            self.lambdas.insert(expr.id, lambda);
            self.modules.insert(expr.id, self.module);
        }
        true
    }
}

/// Indexes synthesised trees; subtrees with source ids were copied from modules and are indexed there.
struct MadeDefinitions<'a>(UnitIndex<'a>);

impl<'a> walk::Visitor<'a> for MadeDefinitions<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if stmt.id.is_synthetic() {
            self.0.stmt(stmt);
        }
        true
    }

    fn expr(&mut self, expr: &'a Expr) -> bool {
        if expr.id.is_synthetic() {
            self.0.expr(expr);
        }
        true
    }
}
