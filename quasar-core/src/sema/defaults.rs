//! Early binding of default values: a default uses the values that module-level variables have where the function is
//! defined. Each variable that changes later is copied before the definition.
//!
//! ```text
//! a = 1                                  a = 1
//! function y = f(x = 2 * a)     ->       a__f_1 = a
//!     ..                                 function y = f(x = 2 * a__f_1)
//! a = 2                                      ..
//! ```
//!
//! Variables that are assigned once need no copy. Inner functions capture their variables anyway.

use super::unit::Unit;
use super::walk::{self, Visitor};
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use std::collections::{BTreeMap, BTreeSet};

/// Copies the changing variables that defaults use, in all modules.
pub fn expand(unit: &mut Unit, ids: &mut NodeIds) {
    for module in &mut unit.modules {
        if module.module.items.iter().any(has_defaults) {
            keep(&mut module.module.items, ids);
        }
    }
}

fn has_defaults(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Function(f) if f.params.iter().any(|param| param.default.is_some()))
}

fn keep(items: &mut Block, ids: &mut NodeIds) {
    let mut assigned = Assignments::default();
    walk::block(items, &mut assigned);
    let changing: BTreeSet<String> =
        assigned.count.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name.to_owned()).collect();
    if changing.is_empty() {
        return;
    }
    let mut valued: BTreeSet<String> = BTreeSet::new();
    let mut done = Block::with_capacity(items.len());
    for mut stmt in std::mem::take(items) {
        if let StmtKind::Function(function) = &mut stmt.kind {
            let (span, mut kept) = (stmt.span, BTreeMap::new());
            let name = function.name.text.clone();
            let mut before: Vec<String> = Vec::new();
            for param in &mut function.params {
                if let Some(default) = &mut param.default {
                    let mut taken = Taken { own: &before, outer: &valued, of: &name, kept: &mut kept, ids };
                    taken.expr(default);
                }
                before.push(param.name.text.clone());
            }
            for (variable, own) in kept {
                let place = Expr { id: ids.fresh(), span, kind: ExprKind::Name(own) };
                let value = Expr { id: ids.fresh(), span, kind: ExprKind::Name(variable) };
                let target = Box::new(Target::Place { place, annotation: None });
                let kind = ExprKind::Assign { target, op: None, value: Box::new(value) };
                let assignment = Expr { id: ids.fresh(), span, kind };
                done.push(Stmt { id: ids.fresh(), span, kind: StmtKind::Expr(assignment) });
            }
        } else {
            let mut here = Assignments::default();
            walk::stmt(&stmt, &mut here);
            let named = here.count.into_keys().filter(|name| changing.contains(*name));
            valued.extend(named.map(str::to_owned));
        }
        done.push(stmt);
    }
    *items = done;
}

/// The number of times the top level assigns each variable; an assignment in a loop counts as two.
#[derive(Default)]
struct Assignments<'a> {
    count: BTreeMap<&'a str, usize>,
}

impl<'a> Assignments<'a> {
    fn target(&mut self, place: &'a Expr) {
        if let ExprKind::Name(name) = &place.kind {
            *self.count.entry(name).or_default() += 1;
        }
    }
}

impl<'a> Visitor<'a> for Assignments<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Function(_) | StmtKind::Macro(_) | StmtKind::Reduction(_) | StmtKind::TypeDef(_) => {
                false
            }
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. } => {
                let mut inside = Assignments::default();
                if let StmtKind::For { variable, .. } = &stmt.kind {
                    inside.count.insert(&variable.text, 1);
                }
                if let StmtKind::For { body, .. }
                | StmtKind::While { body, .. }
                | StmtKind::Repeat { body, .. } = &stmt.kind
                {
                    walk::block(body, &mut inside);
                }
                inside.count.into_iter().for_each(|(name, count)| {
                    *self.count.entry(name).or_default() += 2 * count;
                });
                false
            }
            _ => true,
        }
    }

    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Assign { target, .. } => match &**target {
                Target::Place { place, .. } => self.target(place),
                Target::Multiple { places, .. } => {
                    places.iter().flatten().for_each(|(place, _)| self.target(place));
                }
            },
            ExprKind::Lambda(_) => return false,
            _ => {}
        }
        true
    }
}

/// Renames the changing variables of one default to their copies.
struct Taken<'t> {
    /// The parameters to the left, which shadow variables.
    own: &'t [String],
    /// The changing variables that are assigned before the definition.
    outer: &'t BTreeSet<String>,
    /// The name of the function.
    of: &'t str,
    /// The copy of each variable.
    kept: &'t mut BTreeMap<String, String>,
    ids: &'t mut NodeIds,
}

impl VisitMut for Taken<'_> {
    fn expr(&mut self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Name(name) if self.outer.contains(name) && !self.own.contains(name) => {
                let own = format!("{name}__{}", self.of);
                // Overloads share a name but not their defaults.
                let number = self.ids.len();
                let own = self.kept.entry(name.clone()).or_insert_with(|| format!("{own}_{number}"));
                name.clone_from(own);
            }
            // The parameters of a lambda shadow variables.
            ExprKind::Lambda(_) => {}
            _ => change::expr_parts(self, e),
        }
    }
}
