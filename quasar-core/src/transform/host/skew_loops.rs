//! Nests of two loops visited along other lines, for `imperfectloop`.
//!
//! ```text
//! for m = 1..M                        for d = 1-M..N-1                          in parallel
//!     for n = 1..N                        for m = max(1,1-d)..min(M,N-d)        in order
//!         y[m,n] = f(y[m-1,n-1])              y[m,m+d] = f(y[m-1,m+d-1])
//! ```

use crate::analysis::dependence::Loop;
use crate::ir::build::{self, int, int_type};
use crate::ir::rewrite::{operands_mut, set_in, substitute, transform_stmts};
use crate::ir::{Block, Body, Expr, LoopAttributes, Range, Stmt, StmtKind, VarId, VarSet};
use crate::transform::host::outline::depends_on;
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// A way to go through a nest.
pub(super) struct Way {
    /// The nest that goes this way.
    pub(super) stmt: Stmt,
    /// Whether the inner loop is the one that may be parallel, and not the outer one.
    pub(super) inside: bool,
    /// What it is, for messages.
    pub(super) what: &'static str,
}

fn binary(row: &str, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    match (row, a.constant_int(), b.constant_int()) {
        ("add", Some(x), Some(y)) => int(x.wrapping_add(y), span),
        ("subtract", Some(x), Some(y)) => int(x.wrapping_sub(y), span),
        _ => build::apply(find(row).expect("a row that the table has"), vec![a, b], int_type(), span),
    }
}

fn looped(variable: VarId, from: Expr, to: Expr, body: Block, attributes: LoopAttributes) -> Stmt {
    let span = to.span;
    Stmt::new(StmtKind::For { variable, range: Range { from, step: None, to }, body, attributes }, span)
}

/// Other ways through a nest of two loops with steps of one, whose innermost block is given.
pub(super) fn ways(
    stmt: &Stmt,
    inner: Option<&Block>,
    loops: &[Loop],
    body: &mut Body,
    after: &VarSet,
) -> Vec<Way> {
    let (Some(inner), [m, n]) = (inner, loops) else { return Vec::new() };
    let (rows, columns) = (m.variable, n.variable);
    let changed = set_in(inner);
    let fixed = [rows, columns].iter().all(|v| !changed.contains(v) && !after.contains(v));
    let steps =
        [m, n].iter().all(|each| each.range.step.as_ref().is_none_or(|step| step.constant_int() == Some(1)));
    if !fixed || !steps || depends_on(&n.range, &VarSet::from([rows])) {
        return Vec::new();
    }
    let attributes = match &stmt.kind {
        StmtKind::For { attributes, .. } => LoopAttributes { skewed: None, ..attributes.clone() },
        _ => LoopAttributes::default(),
    };
    let plain = LoopAttributes::default();
    let line = body.temporary(int_type(), stmt.span);
    let (row, d) = (body.read(rows, stmt.span), body.read(line, stmt.span));
    let (m, n) = (&m.range, &n.range);
    let least = |a: Expr, b: Expr| binary("max", a, b);
    let most = |a: Expr, b: Expr| binary("min", a, b);
    let with_column = |column: Expr| {
        let mut block = inner.clone();
        let replacements = BTreeMap::from([(columns, column)]);
        transform_stmts(&mut block, &mut |stmt| operands_mut(stmt, &mut |e| substitute(e, &replacements)));
        block
    };
    // d = n - m
    let diagonal = looped(
        rows,
        least(m.from.clone(), binary("subtract", n.from.clone(), d.clone())),
        most(m.to.clone(), binary("subtract", n.to.clone(), d.clone())),
        with_column(binary("add", row.clone(), d.clone())),
        plain.clone(),
    );
    let first = binary("subtract", n.from.clone(), m.to.clone());
    let last = binary("subtract", n.to.clone(), m.from.clone());
    let diagonals = looped(line, first, last, vec![diagonal], attributes.clone());
    // d = n + m
    let across = looped(
        rows,
        least(m.from.clone(), binary("subtract", d.clone(), n.to.clone())),
        most(m.to.clone(), binary("subtract", d.clone(), n.from.clone())),
        with_column(binary("subtract", d.clone(), row)),
        plain.clone(),
    );
    let first = binary("add", n.from.clone(), m.from.clone());
    let last = binary("add", n.to.clone(), m.to.clone());
    let waves = looped(line, first, last, vec![across], attributes.clone());
    let exchanged = looped(
        columns,
        n.from.clone(),
        n.to.clone(),
        vec![looped(rows, m.from.clone(), m.to.clone(), inner.clone(), plain)],
        attributes,
    );
    vec![
        Way { stmt: exchanged, inside: false, what: "the loops are exchanged" },
        Way { stmt: diagonals, inside: false, what: "the diagonals are visited in parallel" },
        Way {
            stmt: waves.clone(),
            inside: false,
            what: "the diagonals from the upper right are visited in parallel",
        },
        Way { stmt: waves, inside: true, what: "the elements of each diagonal are visited in parallel" },
    ]
}
