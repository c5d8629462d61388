//! Which array variables of a body may name the same elements, and which of those do so under the same dimensions.

use crate::ir::rewrite::{read_in, root, stored_in, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Index, Stmt, StmtKind, VarId, VarSet};
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
        let mut kept = Vec::new();
        visit_stmts(block, &mut |stmt| {
            if let StmtKind::Assign { variable, value } = &stmt.kind
                && matches!(value.ty, Type::Array(_))
            {
                found.shares(*variable, value, true);
            }
            Kept::of(stmt, &mut kept);
        });
        for (k, one) in kept.iter().enumerate() {
            for other in &kept[..k] {
                if found.may_meet(one, other) {
                    found.elements.join(one.variable, other.variable);
                }
            }
        }
        found
    }

    /// Whether two places may hold one array.
    fn may_meet(&self, a: &Kept, b: &Kept) -> bool {
        let same_home = match (a.home, b.home) {
            (Home::Member(a), Home::Member(b)) => a == b,
            (Home::Cell(a), Home::Cell(b)) => self.elements.find(a) == self.elements.find(b),
            (Home::Member(_), Home::Cell(_)) | (Home::Cell(_), Home::Member(_)) => false,
        };
        same_home && (a.at.is_none() || b.at.is_none() || a.at == b.at)
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

/// A variable that names an array which an object or a cell holds.
struct Kept {
    home: Home,
    /// The index in the cell, where it is known.
    at: Option<i32>,
    variable: VarId,
}

/// What holds an array: this field of some object, or this cell.
#[derive(Clone, Copy)]
enum Home {
    Member(usize),
    Cell(VarId),
}

impl Kept {
    /// What a statement takes out of objects and cells, or puts into them.
    fn of(stmt: &Stmt, found: &mut Vec<Kept>) {
        let mut keep = |home, at, value: &Expr| {
            let mut variables = Vec::new();
            sources(value, &mut variables);
            found.extend(variables.into_iter().map(|variable| Kept { home, at, variable }));
        };
        match &stmt.kind {
            StmtKind::SetMember { field, value, .. } => keep(Home::Member(*field), None, value),
            StmtKind::Store { array, index, value, .. } if matches!(value.ty, Type::Array(_)) => {
                if let Some((home, at)) = held_at(array, index) {
                    keep(home, at, value);
                }
            }
            StmtKind::Assign { variable, value } => match &unconverted(value).kind {
                ExprKind::New(fields) => {
                    (0..).zip(fields).for_each(|(field, value)| keep(Home::Member(field), None, value));
                }
                ExprKind::Tuple(items) => {
                    (0..).zip(items).for_each(|(k, item)| keep(Home::Cell(*variable), Some(k), item));
                }
                _ => {
                    if let Some((home, at)) = taken_from(value) {
                        found.push(Kept { home, at, variable: *variable });
                    }
                }
            },
            _ => {}
        }
    }
}

fn unconverted(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => value,
    }
}

/// Where an array comes from that is not made here.
fn taken_from(value: &Expr) -> Option<(Home, Option<i32>)> {
    match &value.kind {
        _ if !matches!(value.ty, Type::Array(_)) => None,
        ExprKind::Convert(inner) => taken_from(inner),
        ExprKind::Member(_, field) => Some((Home::Member(*field), None)),
        ExprKind::Load { array, index, .. } => held_at(array, index),
        _ => None,
    }
}

/// The place of an element of a cell.
fn held_at(cell: &Expr, index: &[Index]) -> Option<(Home, Option<i32>)> {
    let holds_arrays = cell.ty.as_array().is_some_and(|array| matches!(*array.element, Type::Array(_)));
    if !holds_arrays {
        return None;
    }
    let at = match index {
        [Index::At(at)] => at.constant_int(),
        _ => None,
    };
    match taken_from(cell) {
        Some((home, None)) => Some((home, at)),
        Some((home, Some(_))) => Some((home, None)),
        None => root(cell).map(|variable| (Home::Cell(variable), at)),
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
