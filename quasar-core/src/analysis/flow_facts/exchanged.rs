//! Extents of arrays that a loop exchanges, as steps in time do with two buffers (`t = a; a = b; b = t`): they keep the extents that
//! all of them had before.

use super::FlowFacts;
use crate::ir::rewrite::{operands, sets, variables, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Stmt, StmtKind, VarId, VarSet};
use crate::logic::{Linear, Proposition};
use crate::types::Type;
use std::collections::BTreeMap;

/// What a loop does with the names of arrays.
#[derive(Default)]
struct Exchanges {
    /// `variable = other`, with the type of both.
    names: Vec<(VarId, VarId, Type)>,
    /// Variables that are also set in other ways.
    others: VarSet,
}

impl Exchanges {
    fn of(body: &Block) -> Exchanges {
        let mut found = Exchanges::default();
        visit_stmts(body, &mut |stmt| match renamed(stmt) {
            Some((variable, other, ty)) => found.names.push((variable, other, ty.clone())),
            None => sets(stmt, &mut |variable| {
                found.others.insert(*variable);
            }),
        });
        found
    }

    /// The arrays that may have the name `first`, or that it may be the name of, in any number of iterations.
    fn group(&self, first: VarId) -> VarSet {
        let mut group = VarSet::from([first]);
        loop {
            let count = group.len();
            for (a, b, _) in &self.names {
                if group.contains(a) || group.contains(b) {
                    group.extend([a, b]);
                }
            }
            if group.len() == count {
                return group;
            }
        }
    }
}

/// `variable = other`, of arrays.
fn renamed(stmt: &Stmt) -> Option<(VarId, VarId, &Type)> {
    match &stmt.kind {
        StmtKind::Assign { variable, value: Expr { kind: ExprKind::Local(other), ty, .. } } => {
            matches!(ty, Type::Array(_)).then_some((*variable, *other, ty))
        }
        _ => None,
    }
}

/// Whether each iteration sets a variable before it reads it.
fn is_set_first(variable: VarId, body: &Block) -> bool {
    let first = body.iter().find(|stmt| {
        let mut found = false;
        visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
            operands(stmt, &mut |e| found |= variables(e).contains(&variable));
            sets(stmt, &mut |set| found |= *set == variable);
        });
        found
    });
    first.and_then(renamed).is_some_and(|(set, other, _)| set == variable && other != variable)
}

impl FlowFacts {
    /// Arrays that a loop exchanges, with the extents that all of them have before it and keep. A name that each iteration sets first
    /// is none of them: without iterations it keeps another array.
    pub(super) fn exchanged(&mut self, body: &Block) -> Vec<(VarId, Type, Vec<Linear>)> {
        let exchanges = Exchanges::of(body);
        let types: BTreeMap<VarId, &Type> =
            exchanges.names.iter().flat_map(|(a, b, ty)| [(*a, ty), (*b, ty)]).collect();
        let (mut done, mut found) = (VarSet::new(), Vec::new());
        for (first, _, ty) in &exchanges.names {
            if done.contains(first) {
                continue;
            }
            let group = exchanges.group(*first);
            done.extend(&group);
            let plain = group
                .iter()
                .all(|v| !exchanges.others.contains(&v) && types.get(&v).is_some_and(|t| *t == ty));
            let kept: Vec<VarId> = group.iter().filter(|v| !is_set_first(*v, body)).collect();
            let Some(extents) = self.common_extents(&kept, ty).filter(|_| plain) else { continue };
            found.extend(kept.into_iter().map(|variable| (variable, ty.clone(), extents.clone())));
        }
        found
    }

    /// The extents of all of these arrays, if they are known to be the same.
    fn common_extents(&mut self, group: &[VarId], ty: &Type) -> Option<Vec<Linear>> {
        let Type::Array(array) = ty else { return None };
        let mut common: Option<Vec<Linear>> = None;
        for variable in group {
            if self.unsteady.contains(variable) {
                return None;
            }
            let value = *self.values.get(variable)?;
            let extents = self.extents(value, array)?;
            let Some(common) = &common else {
                common = Some(extents);
                continue;
            };
            let equal = |(a, b): (&Linear, &Linear)| {
                Proposition::equal(a, b).is_some_and(|equal| self.facts.holds(&equal))
            };
            if common.len() != extents.len() || !common.iter().zip(&extents).all(equal) {
                return None;
            }
        }
        common
    }
}
