//! Launches behind several groups of conditions: what may fail and stands behind a condition in the source is evaluated where that
//! condition holds, and before the next ones are looked at.

use super::Pass;
use crate::ir::rewrite::{operands_mut, substitute};
use crate::ir::{Block, Expr, StmtKind, VarId};
use crate::source::Span;
use std::collections::BTreeMap;

/// Conditions, and what is evaluated before they are looked at.
pub(super) struct Stage {
    pub(super) before: Block,
    pub(super) conditions: Vec<Expr>,
}

/// The most stages before the last one: each has the expression as it was written once more.
pub(super) const MOST: usize = 3;

impl Stage {
    /// What variables hold that this stage sets.
    fn values(&self) -> Vec<(VarId, Expr)> {
        let value = |stmt: &crate::ir::Stmt| match &stmt.kind {
            StmtKind::Assign { variable, value } => Some((*variable, value.clone())),
            _ => None,
        };
        self.before.iter().filter_map(value).collect()
    }
}

impl Pass<'_, '_> {
    /// What is evaluated before each group of conditions, ready to be joined, and the conditions.
    pub(super) fn before_stages(&mut self, stages: Vec<Stage>) -> Vec<Ready> {
        let mut ready = Vec::with_capacity(stages.len());
        for stage in stages {
            let values = stage.values();
            values.iter().for_each(|(_, value)| self.say_stored(value));
            ready.push(Ready { values, before: self.block(stage.before), conditions: stage.conditions });
        }
        ready
    }

    /// Launches where the conditions of all stages hold, the statements as they were written where not.
    pub(super) fn staged(
        &mut self,
        stages: Vec<Ready>,
        launch: Block,
        mut written: Block,
        span: Span,
        into: &mut Block,
    ) {
        let mut inner = launch;
        for stage in stages.into_iter().rev() {
            let mut block = stage.before;
            self.either(stage.conditions, inner, written.clone(), span, &mut block);
            inner = block;
            // In front of the stage nothing of it is evaluated yet.
            for (variable, value) in stage.values.into_iter().rev() {
                let replacement = BTreeMap::from([(variable, value)]);
                written.iter_mut().for_each(|stmt| {
                    operands_mut(stmt, &mut |operand| substitute(operand, &replacement));
                });
            }
        }
        into.extend(inner);
    }
}

/// A stage whose statements are done with.
pub(super) struct Ready {
    values: Vec<(VarId, Expr)>,
    before: Block,
    pub(super) conditions: Vec<Expr>,
}
