//! Which array variables of a body may name the same elements, and which of those do so under the same dimensions.

use crate::ir::rewrite::{read_in, stored_in, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Stmt, StmtKind, VarId, VarSet};
use crate::types::Type;
use std::collections::BTreeMap;

/// The array variables of a body in groups that share elements, because one was assigned to the other.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    elements: Groups,
    dimensions: Groups,
    /// Variables that see elements of another one under other dimensions.
    reshaped: VarSet,
}

impl Aliases {
    /// The groups of the variables that a block assigns.
    pub fn of(block: &Block) -> Aliases {
        let mut found = Aliases::default();
        visit_stmts(block, &mut |stmt| {
            if let StmtKind::Assign { variable, value } = &stmt.kind
                && matches!(value.ty, Type::Array(_))
            {
                found.shares(*variable, value, true);
            }
        });
        found
    }

    /// The variable that stands for all that may name the same elements.
    pub fn representative(&self, variable: VarId) -> VarId {
        self.elements.find(variable)
    }

    /// Whether equal indices into both name equal elements, if the variables share elements at all.
    pub fn same_dimensions(&self, a: VarId, b: VarId) -> bool {
        let group = self.dimensions.find(a);
        a == b
            || group == self.dimensions.find(b)
                && !self.reshaped.iter().any(|v| self.dimensions.find(v) == group)
    }

    /// Pairs of variables that may share elements and are used in a statement, which writes to one of each pair.
    pub fn pairs_in(&self, stmt: &Stmt) -> Vec<(VarId, VarId)> {
        let block = std::slice::from_ref(stmt);
        let written = stored_in(block);
        let mut used: Vec<VarId> = read_in(block).union(&written).into_iter().collect();
        used.sort_unstable();
        let mut pairs = Vec::new();
        for (k, &a) in used.iter().enumerate() {
            let others = used.get(k + 1..).unwrap_or_default().iter();
            let same = others.filter(|&&b| self.elements.find(a) == self.elements.find(b));
            pairs.extend(same.filter(|b| written.contains(&a) || written.contains(b)).map(|&b| (a, b)));
        }
        pairs
    }

    fn shares(&mut self, variable: VarId, value: &Expr, same: bool) {
        match &value.kind {
            ExprKind::Local(source) => {
                self.elements.join(variable, *source);
                if same {
                    self.dimensions.join(variable, *source);
                } else {
                    self.reshaped.insert(variable);
                }
            }
            ExprKind::Convert(inner) => {
                let rank = |ty: &Type| ty.as_array().and_then(|array| array.known_rank());
                let keeps = rank(&inner.ty).is_some() && rank(&inner.ty) == rank(&value.ty);
                self.shares(variable, inner, same && keeps);
            }
            ExprKind::Field(inner, _) => self.shares(variable, inner, same),
            ExprKind::Library { name: "reshape", args } => {
                args.first().iter().for_each(|arg| self.shares(variable, arg, false));
            }
            ExprKind::Select { then, otherwise, .. } => {
                self.shares(variable, then, same);
                self.shares(variable, otherwise, same);
            }
            _ => {}
        }
    }
}

/// The variables of which a value may be another name.
pub fn sources(value: &Expr, found: &mut Vec<VarId>) {
    match &value.kind {
        ExprKind::Local(source) => found.push(*source),
        ExprKind::Convert(inner) | ExprKind::Field(inner, _) => sources(inner, found),
        ExprKind::Library { name: "reshape", args } => {
            args.first().iter().for_each(|arg| sources(arg, found))
        }
        ExprKind::Select { then, otherwise, .. } => {
            sources(then, found);
            sources(otherwise, found);
        }
        _ => {}
    }
}

/// Disjoint sets of variables.
#[derive(Clone, Debug, Default)]
struct Groups(BTreeMap<VarId, VarId>);

impl Groups {
    fn find(&self, mut variable: VarId) -> VarId {
        while let Some(next) = self.0.get(&variable) {
            variable = *next;
        }
        variable
    }

    fn join(&mut self, a: VarId, b: VarId) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.0.insert(a, b);
        }
    }
}
