//! Which indices are tested when the program runs, and which slices are copied.

use super::code::{self, Node};
use super::{Reason, Report, Topic, Verdict, add, arrays};
use crate::ir::{ExprKind, Index, StmtKind};
use crate::message::{Decision, Doubt};
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast;
use crate::types::{Boundary, Type};

/// An index expression as written.
struct Written {
    span: Span,
    base: Span,
    indices: Vec<Span>,
}

/// What became of the index expressions of a statement.
pub(super) fn reasons(report: &Report, stmt: &ast::Stmt) -> Vec<Reason> {
    let mut found = Vec::new();
    for written in written(stmt) {
        let mut modes = Vec::new();
        let mut copied = false;
        code::inside(&report.trace.host, stmt.span, &mut |_, node| {
            if let Some((boundary, index)) = access(&written, node) {
                modes.push(boundary);
                let slice = index.iter().any(|index| !matches!(index, Index::At(_)));
                let read = matches!(node, Node::Expr(e) if matches!(e.ty, Type::Array(_)));
                copied |= slice && read;
            }
        });
        let text = report.document.slice(written.span);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(how) = in_words(&modes) {
            let why = if modes.contains(&Boundary::Checked) { doubts(report, &written) } else { Vec::new() };
            let how = if why.is_empty() { how } else { format!("{how}, since {}", why.join("; ")) };
            let reason = Reason::new(Topic::Bounds, format!("{text}: {how}"));
            let verdict = match modes.contains(&Boundary::Checked) {
                true => Verdict::Slow,
                false => Verdict::Fast,
            };
            add(&mut found, Reason { verdict, ..reason });
        }
        if copied {
            let text = format!("{text} is copied into an array of its own, since it is used as a whole");
            add(&mut found, Reason::new(Topic::Copies, text));
        }
    }
    found
}

fn written(stmt: &ast::Stmt) -> Vec<Written> {
    struct Indices(Vec<Written>);
    impl<'a> walk::Visitor<'a> for Indices {
        fn expr(&mut self, e: &'a ast::Expr) -> bool {
            if let ast::ExprKind::Index { base, indices } = &e.kind {
                let indices = indices.iter().map(|index| match index {
                    ast::IndexArg::All(span) => *span,
                    ast::IndexArg::Expr(e) | ast::IndexArg::Spread(e) => e.span,
                });
                self.0.push(Written { span: e.span, base: base.span, indices: indices.collect() });
            }
            true
        }
    }
    let mut indices = Indices(Vec::new());
    arrays::own_expressions(stmt).into_iter().for_each(|e| walk::expr(e, &mut indices));
    indices.0
}

/// Why an access is tested.
fn doubts(report: &Report, written: &Written) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let index = |axis: usize| match written.indices.get(axis) {
        Some(span) => format!("'{}'", report.document.slice(*span)),
        None => format!("index {axis}"),
    };
    let messages = [written.span, written.base]
        .into_iter()
        .flat_map(|span| report.decisions(span).filter(move |message| message.primary.span == span));
    for message in messages {
        let Some(Decision::Tested(doubt)) = &message.decision else { continue };
        let words = match doubt {
            Doubt::Sizes => "the sizes of the array are not known".to_string(),
            Doubt::Index(axis) => format!("nothing is known of {}", index(*axis)),
            Doubt::Negative(axis) => format!("{} may be negative", index(*axis)),
            Doubt::Beyond(axis) => format!("{} may be beyond the size", index(*axis)),
            Doubt::Others => "others to this array in the loop are tested".to_string(),
            Doubt::Many => "there are more accesses in the function than are looked at".to_string(),
        };
        if !found.contains(&words) {
            found.push(words);
        }
    }
    found
}

/// How the IR does an access, if a node is that.
fn access<'a>(written: &Written, node: Node<'a>) -> Option<(Boundary, &'a [Index])> {
    match node {
        Node::Expr(e) => match &e.kind {
            ExprKind::Load { index, boundary, .. } if e.span == written.span => Some((*boundary, index)),
            _ => None,
        },
        Node::Stmt(stmt) => match &stmt.kind {
            StmtKind::Store { array, index, boundary, .. }
            | StmtKind::Update { array, index, boundary, .. }
            | StmtKind::Exchange { array, index, boundary, .. }
                if array.span == written.base || array.span == written.span =>
            {
                Some((*boundary, index))
            }
            _ => None,
        },
    }
}

fn in_words(modes: &[Boundary]) -> Option<String> {
    let tested = modes.iter().filter(|mode| **mode == Boundary::Checked).count();
    let mut mapped = Vec::new();
    for mode in modes {
        let words = match mode {
            Boundary::Safe => "indices outside read zero and write nothing ('safe)",
            Boundary::Circular => "indices outside go round ('circular)",
            Boundary::Mirror => "indices outside are mirrored ('mirror)",
            Boundary::Clamped => "indices outside are those of the edge ('clamped)",
            Boundary::Checked | Boundary::Unchecked => continue,
        };
        if !mapped.contains(&words) {
            mapped.push(words);
        }
    }
    match (modes.len(), tested, mapped.is_empty()) {
        (0, ..) => None,
        (_, 0, false) => Some(mapped.join("; ")),
        (_, 0, true) => Some("not tested: it is always inside, or declared so".to_string()),
        (count, tested, _) if count == tested => Some("tested when the program runs".to_string()),
        (count, tested, _) => Some(format!("tested in {tested} of its {count} versions")),
    }
}
