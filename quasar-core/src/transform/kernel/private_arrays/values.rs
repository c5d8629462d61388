//! The values that integers may have.

use super::super::constant_folding;
use crate::ir::rewrite::{substitute, variables, visit};
use crate::ir::{Expr, ExprKind, VarId, VarSet, build};
use crate::target::cpu::PRIVATE_ARRAY_VALUES;
use crate::types::ElementType;
use crate::types::known::scalar;
use std::collections::{BTreeMap, BTreeSet};

/// The values that variables may have. What is not known is missing.
#[derive(Clone, Default)]
pub(super) struct Values {
    of: BTreeMap<VarId, BTreeSet<i32>>,
}

impl Values {
    /// The only value of a variable.
    pub(super) fn only(&self, variable: VarId) -> Option<i32> {
        let known = self.of.get(&variable)?;
        known.first().copied().filter(|_| known.len() == 1)
    }

    pub(super) fn knows(&self, variable: VarId) -> bool {
        self.of.contains_key(&variable)
    }

    pub(super) fn set(&mut self, variable: VarId, values: Option<BTreeSet<i32>>) {
        match values {
            Some(values) => self.of.insert(variable, values),
            None => self.of.remove(&variable),
        };
    }

    pub(super) fn forget(&mut self, variables: &VarSet) {
        self.of.retain(|v, _| !variables.contains(v));
    }

    /// What holds where two paths meet.
    pub(super) fn join(&mut self, other: &Values) {
        self.of.retain(|v, values| {
            let Some(more) = other.of.get(v) else { return false };
            values.extend(more);
            values.len() <= PRIVATE_ARRAY_VALUES
        });
    }

    /// Puts known numbers in the place of variables.
    pub(super) fn put(&self, e: &mut Expr) {
        let known: BTreeMap<VarId, Expr> =
            variables(e).iter().filter_map(|v| Some((v, build::int(self.only(v)?, e.span)))).collect();
        if !known.is_empty() {
            substitute(e, &known);
        }
        constant_folding::expr(e);
    }

    /// All values of an integer, if they are known and few.
    pub(super) fn of(&self, e: &Expr) -> Option<BTreeSet<i32>> {
        if scalar(&e.ty) != Some(ElementType::Int32) {
            return None;
        }
        if let Some(value) = e.constant_int() {
            return Some(BTreeSet::from([value]));
        }
        if let ExprKind::Select { then, otherwise, .. } = &e.kind {
            let mut values = self.of(then)?;
            values.extend(self.of(otherwise)?);
            return Some(values).filter(|values| values.len() <= PRIVATE_ARRAY_VALUES);
        }
        let mut simple = true;
        visit(e, &mut |e| {
            simple &= matches!(e.kind, ExprKind::Local(_) | ExprKind::Constant(_) | ExprKind::Apply { .. });
            simple &= scalar(&e.ty) == Some(ElementType::Int32);
        });
        if !simple {
            return None;
        }
        let mut read = variables(e).iter().collect::<Vec<_>>().into_iter();
        let (variable, None) = (read.next()?, read.next()) else { return None };
        let each = self.of.get(&variable)?.iter().map(|value| {
            let (mut at, value) = (e.clone(), build::int(*value, e.span));
            substitute(&mut at, &BTreeMap::from([(variable, value)]));
            constant_folding::expr(&mut at);
            at.constant_int()
        });
        each.collect()
    }

    /// All values between the least and the largest, if they are few.
    pub(super) fn within(&self, e: &Expr) -> Option<BTreeSet<i32>> {
        let (least, most) = self.range(e).filter(|_| scalar(&e.ty) == Some(ElementType::Int32))?;
        let few = i64::from(most) - i64::from(least) < PRIVATE_ARRAY_VALUES as i64;
        few.then(|| (least..=most).collect())
    }

    /// The least and the largest value of an integer.
    pub(super) fn range(&self, e: &Expr) -> Option<(i32, i32)> {
        if let Some(values) = self.of(e) {
            return Some((*values.first()?, *values.last()?));
        }
        match &e.kind {
            ExprKind::Convert(inner) => match scalar(&inner.ty)? {
                ElementType::UInt8 => Some((0, 255)),
                _ => None,
            },
            ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
                ("and", [a, b]) => {
                    let mask = a.constant_int().or(b.constant_int()).filter(|mask| *mask >= 0)?;
                    Some((0, mask))
                }
                ("mod", [_, by]) => {
                    let by = by.constant_int().filter(|by| *by > 0)?;
                    Some((0, by - 1))
                }
                ("min", [a, b]) => {
                    let (a, b) = (self.range(a), self.range(b));
                    let most = a.into_iter().chain(b).map(|range| range.1).min()?;
                    let least = a.zip(b).map_or(i32::MIN, |(a, b)| a.0.min(b.0));
                    Some((least, most))
                }
                ("max", [a, b]) => {
                    let (a, b) = (self.range(a), self.range(b));
                    let least = a.into_iter().chain(b).map(|range| range.0).max()?;
                    let most = a.zip(b).map_or(i32::MAX, |(a, b)| a.1.max(b.1));
                    Some((least, most))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
