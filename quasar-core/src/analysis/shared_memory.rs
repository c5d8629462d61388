//! The shared memory that a kernel's blocks need: upper bounds derived from its assertions, and what is reserved for each array.
//!
//! `assert(M < 8 && N <= 20)` and `assert(M*N <= 512)` bound the allocation `shared(M, N)`. For `x < c` the bound is
//! `c`, as the language reference defines it.

use crate::ir::build::element_of;
use crate::ir::rewrite::visit_stmts;
use crate::ir::{Body, Expr, ExprKind, StmtKind, VarId};
use crate::source::Span;
use crate::target::gpu::STATIC_SHARED_BYTES;
use std::collections::BTreeMap;

/// Upper bounds of products of variables.
pub struct Bounds {
    facts: Vec<(Vec<VarId>, u64)>,
}

/// The shared memory of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The first array whose size is not constant.
    pub span: Span,
    /// Bytes of all arrays, if all are bounded.
    pub bytes: Option<u64>,
}

impl Bounds {
    /// The bounds that a body's assertions imply.
    pub fn of(body: &Body) -> Bounds {
        let mut bounds = Bounds { facts: Vec::new() };
        visit_stmts(&body.block, &mut |stmt| {
            if let StmtKind::Assert { condition, .. } = &stmt.kind {
                bounds.learn(condition);
            }
        });
        bounds
    }

    fn learn(&mut self, condition: &Expr) {
        let (row, args) = match &condition.kind {
            ExprKind::And(a, b) => {
                self.learn(a);
                return self.learn(b);
            }
            ExprKind::Apply { row, args } => (row.name, &args[..]),
            _ => return,
        };
        let [a, b] = args else { return };
        let (less, more) = match row {
            "logical_and" => {
                self.learn(a);
                return self.learn(b);
            }
            "less" | "less_equal" => (a, b),
            "greater" | "greater_equal" => (b, a),
            _ => return,
        };
        let mut factors = Vec::new();
        if let Some(most) = more.constant().and_then(|most| u64::try_from(most.as_i64()).ok())
            && product(less, &mut factors)
        {
            factors.sort_unstable();
            self.facts.push((factors, most));
        }
    }

    /// An upper bound of an expression.
    fn most(&self, expr: &Expr) -> Option<u64> {
        if let Some(value) = expr.constant_int() {
            return Some(u64::try_from(value).unwrap_or(0));
        }
        match &expr.kind {
            ExprKind::Local(v) => self.most_of(&[*v]),
            ExprKind::Apply { row, args } => match (row.name, &args[..]) {
                ("add", [a, b]) => self.most(a)?.checked_add(self.most(b)?),
                ("subtract", [a, b]) => {
                    Some(self.most(a)?.saturating_sub(b.constant_int()?.try_into().ok()?))
                }
                ("multiply", [a, b]) => self.most(a)?.checked_mul(self.most(b)?),
                ("min", [a, b]) => match (self.most(a), self.most(b)) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn most_of(&self, factors: &[VarId]) -> Option<u64> {
        self.facts.iter().filter(|(known, _)| known == factors).map(|(_, most)| *most).min()
    }

    /// An upper bound of the number of elements of an array with these extents.
    pub fn elements(&self, dims: &[Expr]) -> Option<u64> {
        let each = dims.iter().try_fold(1u64, |count, dim| count.checked_mul(self.most(dim)?));
        let mut factors = Vec::new();
        let (constants, others): (Vec<&Expr>, Vec<&Expr>) =
            dims.iter().partition(|dim| dim.constant_int().is_some());
        let plain = others.into_iter().all(|dim| product(dim, &mut factors));
        factors.sort_unstable();
        let constant = constants.iter().try_fold(1u64, |count, dim| count.checked_mul(self.most(dim)?));
        let together = if plain { self.most_of(&factors) } else { None };
        let together = together.and_then(|most| most.checked_mul(constant?));
        match (each, together) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

/// Collects the variables of a product; returns whether the expression is one.
fn product(expr: &Expr, factors: &mut Vec<VarId>) -> bool {
    match &expr.kind {
        ExprKind::Local(v) => {
            factors.push(*v);
            true
        }
        ExprKind::Apply { row, args } if row.name == "multiply" => {
            args.iter().all(|arg| product(arg, factors))
        }
        ExprKind::Convert(inner) => product(inner, factors),
        _ => false,
    }
}

/// The elements for which blocks reserve memory at compile time, for each shared array: as many as the largest of its
/// allocations has. `None` if that is not known of all of them, or is too much.
pub fn reserved(body: &Body) -> BTreeMap<VarId, Option<u64>> {
    let (bounds, mut found) = (Bounds::of(body), BTreeMap::new());
    visit_stmts(&body.block, &mut |stmt| {
        let StmtKind::Shared { variable, dims, .. } = &stmt.kind else { return };
        let size = element_of(&body.variables[*variable].ty).map_or(1, |element| element.size() as u64);
        let fits = |count: &u64| *count > 0 && count.saturating_mul(size) <= STATIC_SHARED_BYTES;
        let count = bounds.elements(dims).filter(fits);
        let known = found.entry(*variable).or_insert(count);
        *known = known.zip(count).map(|(a, b)| a.max(b));
    });
    found
}

/// The bytes of all shared arrays of constant size, and the first statement that allocates one.
pub fn constant_bytes(body: &Body) -> Option<(Span, u64)> {
    let (mut first, mut bytes) = (None, 0u64);
    visit_stmts(&body.block, &mut |stmt| {
        let StmtKind::Shared { variable, dims, .. } = &stmt.kind else { return };
        let count = dims
            .iter()
            .try_fold(1u64, |count, dim| count.checked_mul(u64::try_from(dim.constant_int()?).ok()?));
        let size = element_of(&body.variables[*variable].ty).map_or(1, |element| element.size() as u64);
        if let Some(count) = count {
            first = first.or(Some(stmt.span));
            let own = count.checked_mul(size).and_then(|own| own.checked_next_multiple_of(16));
            bytes = bytes.saturating_add(own.unwrap_or(u64::MAX));
        }
    });
    first.map(|span| (span, bytes))
}

/// The shared memory of a kernel in which not all shared arrays have constant sizes.
pub fn need(body: &Body) -> Option<Need> {
    let bounds = Bounds::of(body);
    let (mut open, mut bytes) = (None, Some(0u64));
    visit_stmts(&body.block, &mut |stmt| {
        let StmtKind::Shared { variable, dims, .. } = &stmt.kind else { return };
        if dims.iter().any(|dim| dim.constant_int().is_none()) {
            open = open.or(Some(stmt.span));
        }
        let size = element_of(&body.variables[*variable].ty).map_or(1, |element| element.size() as u64);
        let own = bounds.elements(dims).and_then(|count| count.checked_mul(size));
        bytes = bytes.zip(own).and_then(|(sum, own)| sum.checked_add(own));
    });
    open.map(|span| Need { span, bytes })
}
