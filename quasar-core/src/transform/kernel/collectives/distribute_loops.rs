//! Distributes uniform loops that fill shared memory, or copy out of it, over the threads of a block.

use super::Collectives;
use super::cooperative_copy::Participants;
use super::scalarize::{Refused, binary};
use crate::analysis::aliases::Aliases;
use crate::analysis::barrier_intervals::ends;
use crate::analysis::dependence::{self, Loop};
use crate::ir::build;
use crate::ir::rewrite::{jumps_out, operands, root, set_in, stored_in, visit, visit_block, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Index, Range, Stmt, StmtKind, VarId, VarSet};
use crate::transform::host::outline::{depends_on, trip_count};
use crate::transform::messages;
use crate::types::{ElementType, Type};
use std::collections::BTreeMap;

/// How often variables are read.
pub(super) type Reads = BTreeMap<VarId, usize>;

/// How often each variable is read in statements.
pub(super) fn counted_reads(block: &[Stmt]) -> Reads {
    let mut found = Reads::new();
    visit_stmts(block, &mut |stmt| {
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                if let ExprKind::Local(v) = e.kind {
                    *found.entry(v).or_default() += 1;
                }
            });
        });
    });
    found
}

impl Collectives<'_> {
    /// Distributes the iterations of a loop, or lets the first thread run all of them if they carry dependences.
    /// Returns `None` for loops that have other effects as well.
    pub(super) fn distribute_loop(&mut self, stmt: &Stmt, out: &mut Block) -> Result<Option<Block>, Refused> {
        let whole = std::slice::from_ref(stmt);
        // An `every_position` region is not a loop.
        if matches!(&stmt.kind, StmtKind::For { attributes, .. } if attributes.every_position) {
            return Ok(None);
        }
        let Some(stores) = self.only_stores(stmt) else { return Ok(None) };
        let nest = self.nest(stmt);
        let aliases = Aliases::alone(&self.body, whole);
        let independent = |(loops, block): &(Vec<Loop>, &Block)| {
            let found = dependence::test(&self.body, loops, block, &aliases, &VarSet::new(), false);
            found.is_ok_and(|found| found.accumulators.is_empty())
        };
        let found = nest.iter().rev().find(|found| independent(found));
        let who = if stores { Participants::InLaunch } else { Participants::Block };
        let Some((loops, block)) = found else {
            // An inner loop may still be distributable.
            let mut inner = false;
            visit_stmts(whole, &mut |each| {
                inner |= each.span != stmt.span && matches!(each.kind, StmtKind::For { .. })
            });
            if inner {
                return Ok(None);
            }
            self.touch_all(whole, out);
            return Ok(Some(vec![self.first_only(vec![stmt.clone()], stmt.span)]));
        };
        self.touch_all(whole, out);
        let counts: Vec<Expr> = loops.iter().map(|each| count(&each.range)).collect();
        let shared = self.spread(&counts, who, stmt.span, &mut |_, at| {
            let values =
                loops.iter().zip(at).map(|(each, k)| build::assign(each.variable, value(&each.range, k)));
            Ok(values.chain(block.iter().cloned()).collect())
        })?;
        self.sink.push(messages::together(
            stmt.span,
            "The iterations of the FOR loop are shared by the threads of a block.",
        ));
        Ok(Some(vec![shared]))
    }

    /// Whether a loop is uniform and does nothing but store to shared memory, or from it. The value tells whether it
    /// also stores to other memory.
    fn only_stores(&self, stmt: &Stmt) -> Option<bool> {
        let whole = std::slice::from_ref(stmt);
        if !self.alike.block(whole) {
            return None;
        }
        let inside = counted_reads(whole);
        let own = |v: VarId| {
            let elsewhere = self.reads.get(&v) != inside.get(&v);
            !elsewhere && !self.body.results.contains(&v)
        };
        if set_in(whole).iter().any(|v| !own(v)) {
            return None;
        }
        let (mut sound, mut elsewhere) = (true, false);
        visit_stmts(whole, &mut |inner| match &inner.kind {
            StmtKind::Store { array, value, .. } | StmtKind::Update { array, value, result: None, .. } => {
                let target = root(array);
                let shared = target.is_some_and(|v| self.shared.contains(&v));
                elsewhere |= !shared;
                sound &= shared || !self.shared_in(value).is_empty();
                sound &= matches!(value.ty, Type::Scalar(..)) && one_element(inner);
            }
            StmtKind::Assign { variable, value } => {
                sound &= !self.shared.contains(variable) && !matches!(value.ty, Type::Array(_));
            }
            StmtKind::If { .. } | StmtKind::For { .. } => {}
            StmtKind::While { .. } | StmtKind::Break { .. } | StmtKind::Continue { .. } => {}
            StmtKind::Call { args, .. } => {
                sound &=
                    args.iter().all(|arg| self.shared_in(arg).is_empty() || !matches!(arg.ty, Type::Array(_)))
            }
            _ => sound = false,
        });
        let folds = |e: &Expr| super::fold_of(e).is_some();
        visit_block(whole, &mut |e| sound &= !folds(e) || self.shared_in(e).is_empty());
        (sound && !stored_in(whole).is_empty()).then_some(elsewhere)
    }

    /// The prefixes of a perfect loop nest, each one loop deeper, with the body inside.
    fn nest<'s>(&self, stmt: &'s Stmt) -> Vec<(Vec<Loop>, &'s Block)> {
        let mut found: Vec<(Vec<Loop>, &Block)> = Vec::new();
        let mut loops: Vec<Loop> = Vec::new();
        let mut current = stmt;
        while let StmtKind::For { variable, range, body, .. } = &current.kind {
            let integer = matches!(self.body.variables[*variable].ty, Type::Scalar(ElementType::Int32, _));
            let step = range.step.as_ref().map_or(Some(1), Expr::constant_int);
            let mut changing = set_in(body);
            changing.extend(loops.iter().map(|each| each.variable));
            let reads = ends(range).iter().any(|e| !self.shared_in(e).is_empty());
            if !integer || step.is_none_or(|step| step == 0) || depends_on(range, &changing) || reads {
                break;
            }
            if jumps_out(body, 0) {
                break;
            }
            loops.push(Loop { variable: *variable, range: range.clone() });
            found.push((loops.clone(), body));
            match body.as_slice() {
                [only] => current = only,
                _ => break,
            }
        }
        found
    }
}

/// Whether a store has a single target element.
fn one_element(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Store { index, .. } | StmtKind::Update { index, .. } => {
            index.iter().all(|i| matches!(i, Index::At(_)))
        }
        _ => true,
    }
}

fn count(range: &Range) -> Expr {
    match range.step.as_ref().map_or(Some(1), Expr::constant_int) {
        Some(1) => {
            let distance = binary("subtract", range.to.clone(), range.from.clone());
            binary("add", distance, build::int(1, range.to.span))
        }
        _ => trip_count(range),
    }
}

/// The value of a loop variable in its `k`-th iteration.
fn value(range: &Range, k: &Expr) -> Expr {
    let scaled = match &range.step {
        Some(step) => binary("multiply", k.clone(), step.clone()),
        None => k.clone(),
    };
    binary("add", scaled, range.from.clone())
}
