//! Weighted sums over a stencil: `s = 0`, then `s += w[k] * x[p + k]` in one or several loops, where only the element
//! depends on the position along the row. All sums of a row are computed before its positions are visited.

use crate::analysis::innermost_invariance::{RowAccess, RowInvariance, RowOffset, place};
use crate::analysis::lanes::has_checked_loads;
use crate::ir::rewrite::{blocks, operands, visit};
use crate::ir::{Block, Expr, ExprKind, Index, Kernel, Range, Stmt, StmtKind, VarId};
use crate::target::cpu::STENCIL_ADDENDS;
use crate::types::known::scalar;
use crate::types::{Boundary, ElementType};

/// One term of a sum, or a loop around terms.
pub enum Node<'s> {
    Tap { lead: Vec<&'s Expr>, around: RowOffset, weight: Option<&'s Expr> },
    Loop { variable: VarId, range: &'s Range, body: Vec<Node<'s>> },
}

/// A weighted sum over a stencil.
pub struct StencilSum<'s> {
    pub variable: VarId,
    pub element: ElementType,
    pub base: &'s Expr,
    pub array: VarId,
    pub boundary: Boundary,
    pub nodes: Vec<Node<'s>>,
    /// The number of statements that it consists of.
    pub count: usize,
}

impl StencilSum<'_> {
    /// Whether some loop has a number of rounds that only the run tells.
    pub fn is_long(&self) -> bool {
        self.nodes.iter().any(Node::is_long)
    }
}

impl Node<'_> {
    fn is_long(&self) -> bool {
        match self {
            Node::Tap { .. } => false,
            Node::Loop { range, body, .. } => {
                range.constant_count().is_none() || body.iter().any(Node::is_long)
            }
        }
    }
}

struct Finder<'s, 'k> {
    kernel: &'s Kernel,
    uniform: RowInvariance<'k>,
    variable: VarId,
    array: Option<(VarId, Boundary)>,
}

/// The sum at the start of the statements.
pub(super) fn find<'s>(
    stmts: &'s [Stmt],
    kernel: &'s Kernel,
    uniform: &RowInvariance<'_>,
) -> Option<StencilSum<'s>> {
    let StmtKind::Assign { variable, value: base } = &stmts.first()?.kind else { return None };
    let element = scalar(&base.ty)?;
    let float = matches!(element, ElementType::Single | ElementType::Double);
    if !float || kernel.body.results.contains(variable) || base.constant().is_none() {
        return None;
    }
    let mut finder = Finder { kernel, uniform: uniform.clone(), variable: *variable, array: None };
    let nodes: Vec<_> = stmts[1..].iter().map_while(|stmt| finder.node(stmt)).collect();
    let (array, boundary) = finder.array?;
    let count = nodes.len() + 1;
    let long = nodes.len() >= STENCIL_ADDENDS || nodes.iter().any(|n| matches!(n, Node::Loop { .. }));
    long.then_some(StencilSum { variable: *variable, element, base, array, boundary, nodes, count })
}

impl<'s> Finder<'s, '_> {
    fn node(&mut self, stmt: &'s Stmt) -> Option<Node<'s>> {
        match &stmt.kind {
            StmtKind::Assign { variable, value } if *variable == self.variable => self.tap(value),
            StmtKind::For { variable, range, body, .. } => {
                let int = scalar(&range.from.ty) == Some(ElementType::Int32);
                let ends = [&range.from, &range.to];
                let plain = int
                    && range.step.as_ref().is_none_or(|step| step.constant_int().is_some())
                    && ends.iter().all(|e| self.is_uniform(e) && !has_checked_loads(e));
                if !plain || body.is_empty() || read_outside(&self.kernel.body.block, *variable) {
                    return None;
                }
                let was_set = self.uniform.vary(*variable, false);
                let body = body.iter().map(|s| self.node(s)).collect::<Option<Vec<_>>>();
                self.uniform.vary(*variable, was_set);
                Some(Node::Loop { variable: *variable, range, body: body? })
            }
            _ => None,
        }
    }

    fn is_uniform(&self, expr: &Expr) -> bool {
        self.uniform.holds(expr)
    }

    fn tap(&mut self, value: &'s Expr) -> Option<Node<'s>> {
        let ExprKind::Apply { row, args } = &value.kind else { return None };
        let [sum, term] = args.as_slice() else { return None };
        if row.name != "add" || !matches!(sum.kind, ExprKind::Local(v) if v == self.variable) {
            return None;
        }
        if let Some((lead, around)) = self.element(term) {
            return Some(Node::Tap { lead, around, weight: None });
        }
        let ExprKind::Apply { row, args } = &term.kind else { return None };
        let [a, b] = args.as_slice() else { return None };
        if row.name != "multiply" {
            return None;
        }
        let ((lead, around), weight) = match self.element(a) {
            Some(found) => (found, b),
            None => (self.element(b)?, a),
        };
        let inside = match &weight.kind {
            ExprKind::Load { index, .. } => {
                index.iter().all(|i| matches!(i, Index::At(e) if !has_checked_loads(e)))
            }
            _ => !has_checked_loads(weight),
        };
        let same = scalar(&weight.ty) == scalar(&value.ty);
        (inside && same && self.is_uniform(weight)).then_some(Node::Tap {
            lead,
            around,
            weight: Some(weight),
        })
    }

    /// The location of an element that moves with the position.
    fn element(&mut self, expr: &'s Expr) -> Option<(Vec<&'s Expr>, RowOffset)> {
        let ExprKind::Load { array, index, boundary } = &expr.kind else { return None };
        let ExprKind::Local(array) = array.kind else { return None };
        let RowAccess::Along { lead, around } = place(&self.uniform, array, index)? else { return None };
        let moved = || around.base.iter().map(|(_, e)| e);
        if lead.iter().copied().chain(moved()).any(has_checked_loads)
            || self.array.is_some_and(|known| known != (array, *boundary))
        {
            return None;
        }
        self.array = Some((array, *boundary));
        Some((lead, around))
    }
}

/// Whether a loop variable is read outside loops over it.
fn read_outside(block: &Block, variable: VarId) -> bool {
    block.iter().any(|stmt| {
        let mut found = false;
        operands(stmt, &mut |e| {
            visit(e, &mut |e| found |= matches!(e.kind, ExprKind::Local(v) if v == variable));
        });
        let own = matches!(&stmt.kind, StmtKind::For { variable: v, .. } if *v == variable);
        if !own {
            blocks(stmt, &mut |inner| found |= read_outside(inner, variable));
        }
        found
    })
}
