//! What became of array expressions: the kernel that computes them, or the library and why.

use super::code::{self, Node, Owner, holds};
use super::loops::kernel_in_words;
use super::{Reason, Report, Topic, add, schedule, statements};
use crate::ir;
use crate::ir::rewrite::children;
use crate::message::Decision;
use crate::query::Document;
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::transform::host::fuse_expressions::why_not_fused;
use crate::transform::host::kernel_rules::is_value;
use crate::types::Type;
use std::collections::BTreeSet;

/// The expressions of a statement itself, without those of statements inside.
pub(super) fn own_expressions(stmt: &Stmt) -> Vec<&Expr> {
    match &stmt.kind {
        StmtKind::Expr(e) => vec![e],
        StmtKind::Print(parts) | StmtKind::Error(parts) => parts.iter().collect(),
        StmtKind::If { branches, .. } => branches.iter().map(|(condition, _)| condition).collect(),
        StmtKind::While { condition, .. } => vec![condition],
        StmtKind::Repeat { until, .. } => vec![until],
        StmtKind::For { sequence, .. } => vec![sequence],
        StmtKind::Match { subject, .. } => vec![subject],
        _ => Vec::new(),
    }
}

/// Whether a statement has an operator or a function of the language whose operand or result is an array.
pub(super) fn has_arrays(document: &Document, stmt: &Stmt) -> bool {
    let mut arrays = Arrays { document, found: false };
    own_expressions(stmt).into_iter().for_each(|e| walk::expr(e, &mut arrays));
    arrays.found
}

struct Arrays<'d> {
    document: &'d Document,
    found: bool,
}

impl Arrays<'_> {
    fn is_array(&self, e: &Expr) -> bool {
        let mut instances = self.document.compilation.model.instances.iter();
        instances.any(|(_, instance)| {
            let assigned = instance.tables.assigned.get(&e.id).map(|(ty, _)| ty);
            let ty = assigned.or_else(|| instance.tables.types.get(&e.id));
            matches!(ty, Some(Type::Array(array)) if matches!(*array.element, Type::Scalar(..)))
        })
    }
}

impl<'a> walk::Visitor<'a> for Arrays<'_> {
    fn expr(&mut self, e: &'a Expr) -> bool {
        self.found |= match &e.kind {
            ExprKind::Infix { lhs, rhs, .. } => [e, lhs, rhs].into_iter().any(|e| self.is_array(e)),
            ExprKind::Prefix { operand, .. } => self.is_array(operand),
            ExprKind::Assign { target, op: Some(_), .. } => match &**target {
                Target::Place { place, .. } => self.is_array(place),
                Target::Multiple { .. } => false,
            },
            _ => false,
        };
        !self.found
    }
}

/// What became of the array expressions of a statement; at least one sentence.
pub(super) fn reasons(report: &Report, stmt: &Stmt) -> Vec<Reason> {
    let mut found = kernels_and_library(report, stmt);
    if !found.is_empty() {
        return found;
    }
    let mut any = false;
    for span in spans(stmt) {
        code::inside(&report.trace.host, span, &mut |_, _| any = true);
    }
    let whole = spans(stmt).into_iter().reduce(Span::to).unwrap_or(stmt.span);
    let text = match any {
        true => "no element is computed here: known numbers, references to arrays, or calls".to_string(),
        false => report.absent(whole, report.recorder.left_after(whole)),
    };
    found.push(Reason::new(Topic::Arrays, text));
    found
}

/// The kernels that compute arrays of a statement, and what the library does.
pub(super) fn kernels_and_library(report: &Report, stmt: &Stmt) -> Vec<Reason> {
    let arrays = has_arrays(&report.document, stmt);
    let mut found = Vec::new();
    for span in spans(stmt) {
        decided(report, span, &mut found);
        in_code(report, span, arrays, &mut found);
    }
    found
}

/// The places of a statement without those of statements inside.
fn spans(stmt: &Stmt) -> Vec<Span> {
    match stmt.kind {
        StmtKind::Expr(_) | StmtKind::Print(_) | StmtKind::Error(_) => vec![stmt.span],
        _ => own_expressions(stmt).into_iter().map(|e| e.span).collect(),
    }
}

fn decided(report: &Report, span: Span, found: &mut Vec<Reason>) {
    for message in report.trace.messages.iter().filter(|message| holds(span, message.primary.span)) {
        let reason = match &message.decision {
            Some(Decision::Fused { operations }) => {
                let text = format!("{operations} operations on arrays are fused into one kernel");
                Reason::new(Topic::Arrays, text).fast()
            }
            Some(Decision::Stored { name, why }) => {
                let text = format!("'{name}' is not fused, it gets an array of its own: {why}");
                Reason::new(Topic::Arrays, text).slow()
            }
            _ => continue,
        };
        add(found, reason);
    }
}

/// What the IR of a place shows. `arrays`: the statement has operators on arrays, also where threads keep them as values.
fn in_code(report: &Report, span: Span, arrays: bool, found: &mut Vec<Reason>) {
    let host = &report.trace.host;
    let mut owners = BTreeSet::new();
    let mut library: Vec<(Span, &'static str, Reason)> = Vec::new();
    code::inside(host, span, &mut |owner, node| {
        owners.insert(owner);
        if let (Owner::Function(id), Node::Expr(e)) = (owner, node)
            && !host.functions[id].device
        {
            // Operations inside of one that is told are told with it.
            if let Some((why, reason)) = by_library(report, e)
                && !library.iter().any(|(outer, told, _)| holds(*outer, e.span) && *told == why)
            {
                library.push((e.span, why, reason));
            }
        }
    });
    for owner in &owners {
        match owner {
            Owner::Kernel(id) if holds(span, host.kernels[*id].span) => {
                let text = format!("computed by the kernel {}", kernel_in_words(&host.kernels[*id]));
                add(found, Reason::new(Topic::Arrays, text).fast());
                found.extend(schedule::reasons(report, *id));
            }
            Owner::Kernel(id) if arrays => add(found, in_kernel(report, span, *id)),
            Owner::Function(id) if arrays && host.functions[*id].device => {
                let owner = report.owner(*owner);
                let text = format!("small arrays are values of the thread, in each call of the {owner}");
                add(found, Reason::new(Topic::Arrays, text));
            }
            _ => {}
        }
    }
    library.into_iter().for_each(|(.., reason)| add(found, reason));
}

/// The part that a kernel of other statements has in a statement.
fn in_kernel(report: &Report, span: Span, id: ir::KernelId) -> Reason {
    let kernel = &report.trace.host.kernels[id];
    let owner = report.owner(Owner::Kernel(id));
    let around = statements::all(&report.document).into_iter().any(|placed| {
        let header = match &placed.stmt.kind {
            StmtKind::Function(function) => function.header,
            _ => placed.stmt.span,
        };
        holds(placed.stmt.span, span)
            && (header.start == kernel.span.start || placed.stmt.span.start == kernel.span.start)
    });
    let text = match around {
        true => format!("small arrays are values of the thread, in each position of the {owner}"),
        false => format!("fused into the {owner}, of {}", report.place(kernel.span)),
    };
    Reason::new(Topic::Arrays, text)
}

/// What the library computes, and why no kernel does.
fn by_library(report: &Report, e: &ir::Expr) -> Option<(&'static str, Reason)> {
    let why = why_not_fused(e)?;
    let mut small = is_value(&e.ty);
    children(e, &mut |part| small &= is_value(&part.ty));
    let text = report.document.slice(e.span);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = format!("'{text}' is computed by the library, not fused: {why}");
    let reason = Reason::new(Topic::Arrays, text);
    Some((why, if small { reason } else { reason.slow() }))
}
