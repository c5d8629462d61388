//! What the passes made of loops, in one line for each: from their messages.

use super::Document;
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
        let Some(text) = in_words(&message.text, message.code.0, stmt) else { continue };
        let word = if matches!(stmt.kind, StmtKind::Repeat { .. }) { 6 } else { 3 };
        let word = if matches!(stmt.kind, StmtKind::While { .. }) { 5 } else { word };
        let related = message.related.iter().map(|label| (label.span, label.text.clone())).collect();
        notes.push(LoopNote { span: Span { end: span.start + word, ..span }, text, related });
    }
    notes
}

fn in_words(text: &str, code: &str, stmt: &Stmt) -> Option<String> {
    if let Some(rest) = text.strip_prefix("Automatic parallelization of the ") {
        return Some(format!("parallel over {}", variables(stmt, dims(rest))));
    }
    if let Some(rest) = text.strip_prefix("Automatic serialization of the ") {
        let names = variables(stmt, dims(rest));
        let over = if names.is_empty() { String::new() } else { format!(" over {names}") };
        return Some(format!("one serial kernel{over}"));
    }
    match (code, text.split_once(": it ").or(text.split_once(": "))) {
        ("Q0405", why) => {
            let why = why.map_or(text, |(_, why)| why).split(". This may").next().unwrap_or_default();
            Some(format!("serial: it {}", why.trim_end_matches('.')))
        }
        ("Q0426", Some((_, why))) => Some(format!("serial: it {why}")),
        ("Q0501", Some((_, why))) if text.starts_with("The threads of the processor") => {
            Some(format!("parallel on the threads of the processor: it {}", why.trim_end_matches('.')))
        }
        ("Q0501", _) if text.starts_with("The iterations") => Some(text.trim_end_matches('.').to_string()),
        _ => None,
    }
}

/// The number in `2-dim FOR loop.`; 1 for `loop.`.
fn dims(text: &str) -> usize {
    text.split('-').next().and_then(|number| number.parse().ok()).unwrap_or(1)
}

/// The variables of a nest of loops.
fn variables(stmt: &Stmt, count: usize) -> String {
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
