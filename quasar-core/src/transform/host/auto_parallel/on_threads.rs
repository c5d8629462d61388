//! Loops that shall be parallel and cannot be kernels: threads of the CPU share their iterations.

use super::super::block_memory::shares_memory;
use super::super::kernel_rules::Refusal;
use super::super::thread_loops::{Jumps, Shared, ThreadLoop, shared_variables};
use super::few_positions::{Positions, positions};
use super::{Pass, nest_of, trip_count};
use crate::analysis::dependence::{self, Loop};
use crate::analysis::host_dependence;
use crate::ir::rewrite::{set_in, visit_block, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, LoopMode, Stmt, StmtKind, VarSet, build, is_warp_function};
use crate::transform::messages;

impl Pass<'_> {
    /// A loop whose iterations threads share, for the reason that it gives for being no kernel. Loops inside it may still
    /// be kernels. It runs in order where that is better for its launches ([`Pass::has_large_launches`], or `large` if the caller
    /// knows).
    pub(super) fn on_threads(
        &mut self,
        stmt: &Stmt,
        after: &VarSet,
        (why, large): (&Refusal, Option<&Expr>),
    ) -> Result<Block, Refusal> {
        let StmtKind::For { variable, range, body, .. } = &stmt.kind else { return Err(why.clone()) };
        if shares_memory(stmt, self.body) || is_for_kernels(body) {
            return Err(why.clone());
        }
        if let Some((span, what)) = Jumps::of(body).leaves {
            return Err(Refusal { span, what: what.into() });
        }
        let each = Loop { variable: *variable, range: range.clone() };
        let mut outside = after.clone();
        outside.remove(variable);
        let accumulators = dependence::scalars(self.body, body, &outside).map_err(|dependence| {
            let name = &self.body.variables[dependence.variable].name;
            let what = format!("carries '{name}' from one iteration to the next");
            Refusal { span: dependence.span, what }
        })?;
        let counted = nest_of(stmt, self.body).is_some();
        if !counted && (!accumulators.is_empty() || after.contains(variable)) {
            let what = "has a step that is known at run time only, or other values than integers".into();
            return Err(Refusal { span: range.from.span, what });
        }
        if let Some(refusal) = self.keeps_order(stmt, &each, body) {
            self.sink.push(messages::in_order(stmt.span, refusal.span, &refusal.what));
            return Ok(vec![self.inside(stmt.clone(), after)]);
        }
        self.warn_of_dependence(stmt, &each, body, &outside);
        let inner = self.inside(stmt.clone(), after);
        let StmtKind::For { body: block, .. } = &inner.kind else { return Err(why.clone()) };
        self.sink.push(messages::on_threads(stmt.span, why.span, &why.what));
        let found = ThreadLoop { each: each.clone(), block, accumulators, span: stmt.span };
        let serial = self.launches_share_better(stmt, &inner, large);
        let name = format!("iteration_{}", self.kernel_name(stmt.span));
        let made = &mut *self.made;
        let mut result = found.outline((name, self.name), self.body, |function, args| {
            let function = made.push(function);
            Stmt::new(StmtKind::Call { function, args, results: Vec::new() }, stmt.span)
        });
        if let Some(condition) = serial {
            in_order_where(&condition, &mut result);
        }
        if after.contains(variable) {
            result.push(self.last_value(&each, trip_count(&each.range)));
        }
        Ok(result)
    }

    /// Where the launches in a loop of few iterations are better shared by the threads, and taken to devices, than the iterations.
    fn launches_share_better(&self, stmt: &Stmt, inner: &Stmt, large: Option<&Expr>) -> Option<Expr> {
        let nest = nest_of(stmt, self.body)?;
        if nest.attributes.mode != LoopMode::Automatic {
            return None;
        }
        let large = large.cloned().or_else(|| self.has_large_launches(inner))?;
        match positions(&nest, 1) {
            Positions::Many => None,
            Positions::Few => Some(large),
            Positions::If(few) => Some(build::and(few, large)),
        }
    }

    /// Says where iterations that shall be parallel may need each other's elements.
    fn warn_of_dependence(&mut self, stmt: &Stmt, each: &Loop, body: &Block, after: &VarSet) {
        let loops = std::slice::from_ref(each);
        let found = dependence::test(self.body, loops, body, &self.aliases, after, true);
        if let Err(dependence) = found
            && !set_in(body).contains(&dependence.variable)
        {
            let name = &self.body.variables[dependence.variable].name;
            self.sink.push(messages::forced_dependence(stmt.span, dependence.span, name, dependence.what));
        }
    }

    /// Whether the iterations of a loop of host code are known to be independent, and do more than a few numbers.
    pub(super) fn is_proved(&self, stmt: &Stmt, after: &VarSet) -> bool {
        let StmtKind::For { variable, range, body, .. } = &stmt.kind else { return false };
        let each = Loop { variable: *variable, range: range.clone() };
        let mut outside = after.clone();
        outside.remove(variable);
        host_dependence::is_worthwhile(body)
            && self.keeps_order(stmt, &each, body).is_none()
            && host_dependence::independent(self.body, &each, body, &self.aliases, &outside, &|function| {
                !self.effects.writes(function)
            })
    }

    /// A loop whose iterations are not known to be counted by an integer.
    pub(super) fn uncounted(&mut self, stmt: Stmt, after: &VarSet) -> Block {
        let StmtKind::For { range, attributes, .. } = &stmt.kind else { return vec![stmt] };
        if attributes.mode != LoopMode::Parallel || self.context.only_blocks {
            self.stays(stmt.span, range.from.span, "has values or a step that kernels cannot count");
            return vec![self.inside(stmt, after)];
        }
        let why =
            Refusal { span: range.from.span, what: "has values or a step that kernels cannot count".into() };
        self.on_threads(&stmt, after, (&why, None)).unwrap_or_else(|refusal| {
            self.sink.push(messages::in_order(stmt.span, refusal.span, &refusal.what));
            vec![self.inside(stmt, after)]
        })
    }

    /// Why the iterations of a loop do not run at the same time.
    fn keeps_order(&self, stmt: &Stmt, each: &Loop, body: &Block) -> Option<Refusal> {
        let shared = Shared {
            variables: shared_variables(body),
            aliases: &self.aliases,
            updates_apart: dependence::updates_apart(self.body, each, body, &self.aliases),
        };
        if let Some((span, what)) = self.effects.reason(body, &shared, self.functions) {
            return Some(Refusal { span, what });
        }
        self.keeps_results(std::slice::from_ref(stmt)).err()
    }
}

/// Lets a loop whose iterations threads share run in order where a condition holds.
fn in_order_where(condition: &Expr, block: &mut Block) {
    for stmt in block {
        let mut in_order = stmt.clone();
        if let StmtKind::For { attributes, .. } = &mut in_order.kind
            && attributes.mode == LoopMode::Threads
        {
            attributes.mode = LoopMode::Host;
            let (shared, span) = (stmt.clone(), stmt.span);
            *stmt = build::choice(condition.clone(), vec![in_order], vec![shared], span);
        }
    }
}

/// Whether statements do what only threads of a kernel can do.
fn is_for_kernels(block: &Block) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        let only = matches!(stmt.kind, StmtKind::Shared { .. } | StmtKind::Barrier(_) | StmtKind::Fence(_));
        found |= only || is_warp_function(stmt);
    });
    visit_block(block, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(..) | ExprKind::BlockSize(_));
    });
    found
}
