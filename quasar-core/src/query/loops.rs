//! What the passes made of loops, in one line for each: from what their messages say they decided.

use super::Document;
use crate::message::{Decision, Message};
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;

/// What became of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopNote {
    /// The word `for`, `while` or `repeat`.
    pub span: Span,
    /// In words: `parallel over m, n`; `serial: it uses a whole array`.
    pub text: String,
    /// Places that explain it, with what is there.
    pub related: Vec<(Span, String)>,
}

/// The notes of all loops about which there is a message.
pub(super) fn notes(document: &Document) -> Vec<LoopNote> {
    let Some(tree) = document.tree() else { return Vec::new() };
    let mut loops = Loops(Vec::new());
    walk::block(&tree.items, &mut loops);
    let mut notes: Vec<LoopNote> = Vec::new();
    for message in &document.messages {
        let span = message.primary.span;
        let at = loops.0.iter().find(|stmt| span.file == stmt.span.file && stmt.span.start == span.start);
        let Some(stmt) = at else { continue };
        let Some(text) = in_words(message, stmt) else { continue };
        let word = if matches!(stmt.kind, StmtKind::Repeat { .. }) { 6 } else { 3 };
        let word = if matches!(stmt.kind, StmtKind::While { .. }) { 5 } else { word };
        let related = message.related.iter().map(|label| (label.span, label.text.clone())).collect();
        notes.push(LoopNote { span: Span { end: span.start + word, ..span }, text, related });
    }
    notes
}

fn in_words(message: &Message, stmt: &Stmt) -> Option<String> {
    match message.decision.as_ref()? {
        Decision::Parallel { dims } => Some(format!("parallel over {}", variables(stmt, *dims))),
        Decision::Serial { dims } => {
            let names = variables(stmt, (*dims).max(1));
            let over = if names.is_empty() { String::new() } else { format!(" over {names}") };
            Some(format!("one serial kernel{over}"))
        }
        Decision::Host { why } => Some(format!("serial: it {why}")),
        Decision::Threads { why } => Some(format!("parallel on the threads of the processor: it {why}")),
        Decision::Distributed => Some(message.text.trim_end_matches('.').to_string()),
        Decision::Depends { .. }
        | Decision::NoDimension { .. }
        | Decision::Tested(_)
        | Decision::Known { .. }
        | Decision::WhereNamesDiffer { .. }
        | Decision::Transformed { .. }
        | Decision::Fused { .. }
        | Decision::Stored { .. } => None,
    }
}

/// The variables of a nest of loops.
pub(super) fn variables(stmt: &Stmt, count: usize) -> String {
    let mut names = Vec::new();
    let mut at = Some(stmt);
    while let Some(StmtKind::For { variable, body, .. }) = at.map(|stmt| &stmt.kind) {
        names.push(variable.text.as_str());
        if names.len() == count {
            break;
        }
        at = body.iter().find(|stmt| matches!(stmt.kind, StmtKind::For { .. }));
    }
    names.join(", ")
}

struct Loops<'a>(Vec<&'a Stmt>);

impl<'a> walk::Visitor<'a> for Loops<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. }) {
            self.0.push(stmt);
        }
        true
    }
}
