//! Which array variables of a body may name the same elements, and which of those do so under the same dimensions: what
//! [`points_to`](super::points_to) found, in terms of two variables.

use super::points_to::{PointsTo, Sharing, may_have_one_type};
use crate::ir::rewrite::{read_in, stored_in};
use crate::ir::{Body, Expr, ExprKind, Stmt, VarId};
use crate::types::Type;
use std::collections::BTreeSet;

/// The array variables of a body that may share elements.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    points: PointsTo,
    types: Vec<Type>,
    /// Pairs that a test of the run has told apart where the question is asked.
    apart: BTreeSet<(VarId, VarId)>,
    /// Whether such a test has found that what shares elements has the same dimensions.
    same_dimensions: bool,
}

impl Aliases {
    /// What variables of a body refer to.
    pub fn of(body: &Body, points: PointsTo) -> Aliases {
        let types = body.variables.iter().map(|(_, variable)| variable.ty.clone()).collect();
        Aliases { points, types, ..Aliases::default() }
    }

    /// The aliases in statements of a body whose parameters are different arrays, such as that of a kernel.
    pub fn alone(body: &Body, block: &[Stmt]) -> Aliases {
        Aliases::of(body, PointsTo::alone(body, block))
    }

    /// Whether a variable was there when the body was looked at.
    pub fn knows(&self, variable: VarId) -> bool {
        variable.index() < self.types.len()
    }

    /// How two variables may share elements.
    pub fn sharing(&self, a: VarId, b: VarId) -> Sharing {
        if a == b {
            return Sharing::Same;
        }
        // Variables that passes add are numbers.
        let (Some(first), Some(second)) = (self.types.get(a.index()), self.types.get(b.index())) else {
            return Sharing::Never;
        };
        if self.apart.contains(&(a.min(b), a.max(b))) || !may_have_one_type(first, second) {
            return Sharing::Never;
        }
        match self.points.sharing(a, b) {
            Sharing::Reshaped if self.same_dimensions || (is_vector(first) && is_vector(second)) => {
                Sharing::Same
            }
            found => found,
        }
    }

    /// Whether equal indices into both name equal elements, if the variables share elements at all.
    pub fn have_same_dimensions(&self, a: VarId, b: VarId) -> bool {
        self.sharing(a, b) != Sharing::Reshaped
    }

    /// The same, where some pairs are known to be different arrays.
    pub fn with_apart(&self, pairs: &[(VarId, VarId)]) -> Aliases {
        let mut aliases = self.clone();
        aliases.apart.extend(pairs.iter().map(|(a, b)| (*a.min(b), *a.max(b))));
        aliases
    }

    /// The same, where arrays that share elements are known to have the same dimensions.
    pub fn with_same_dimensions(&self) -> Aliases {
        Aliases { same_dimensions: true, ..self.clone() }
    }

    /// Pairs of variables that may share elements and are used in a statement, which writes to one of each pair.
    pub fn pairs_in(&self, stmt: &Stmt) -> Vec<(VarId, VarId)> {
        let block = std::slice::from_ref(stmt);
        let written = stored_in(block);
        let mut used: Vec<VarId> = read_in(block).union(&written).into_iter().collect();
        used.retain(|v| self.types.get(v.index()).is_some_and(|ty| matches!(ty, Type::Array(_))));
        used.sort_unstable();
        let mut pairs = Vec::new();
        for (k, &a) in used.iter().enumerate() {
            let others = used.get(k + 1..).unwrap_or_default().iter();
            let changed = others.filter(|b| written.contains(&a) || written.contains(b));
            pairs.extend(changed.filter(|b| self.sharing(a, **b) != Sharing::Never).map(|&b| (a, b)));
        }
        pairs
    }
}

/// Whether all arrays of a type that share their elements have the same dimensions.
fn is_vector(ty: &Type) -> bool {
    ty.as_array().and_then(|array| array.known_rank()) == Some(1)
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
