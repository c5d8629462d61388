//! `eval("x -> x + 1")`: an expression in a string literal becomes the expression itself, before anything else looks at
//! the trees. Texts that are known only to the analysis are its own matter.

use super::unit::Unit;
use super::walk::{self, Visitor};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, Change};
use crate::syntax::parse_expression;

/// Puts in what literals in calls of `eval` say.
pub fn expand(unit: &mut Unit, ids: &mut NodeIds, sink: &mut Sink) {
    if unit.modules.iter().any(|module| module.module.items.iter().any(is_own)) {
        return;
    }
    for module in &mut unit.modules {
        let mut find = Find(false);
        walk::block(&module.module.items, &mut find);
        if find.0 {
            Expand { ids, sink }.block(&mut module.module.items);
        }
    }
}

/// Whether a function of the program has the name.
fn is_own(item: &Stmt) -> bool {
    matches!(&item.kind, StmtKind::Function(function) if function.name.text == "eval")
}

/// The literal in a call of `eval`, and where it stands.
fn literal(expr: &Expr) -> Option<(&str, Span)> {
    let ExprKind::Call { callee, args } = &expr.kind else { return None };
    match (&callee.kind, args.as_slice()) {
        (ExprKind::Name(name), [CallArg::Positional(Expr { kind: ExprKind::Text(text), span, .. })])
            if name == "eval" =>
        {
            Some((text, *span))
        }
        _ => None,
    }
}

/// Says that an expression cannot be read.
pub(super) fn unreadable(place: Span, text: &str, mistake: &Message) -> Message {
    let said = format!("the text is no expression: {}", mistake.text);
    Message::error("Q0607", place, said).help(format!("the text is {text:?}"))
}

/// Whether there is such a call.
struct Find(bool);

impl<'a> Visitor<'a> for Find {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        self.0 |= literal(expr).is_some();
        !self.0
    }
}

struct Expand<'x> {
    ids: &'x mut NodeIds,
    sink: &'x mut Sink,
}

impl Change for Expand<'_> {
    fn expr(&mut self, e: &mut Expr) {
        if let Some((text, place)) = literal(e) {
            let mut mistakes = Sink::default();
            let mut found = parse_expression(place.file, text, self.ids, &mut mistakes);
            if let Some(mistake) = mistakes.into_sorted().first() {
                self.sink.push(unreadable(place, text, mistake));
                found.kind = ExprKind::Invalid;
            }
            // What came with a macro stands where the macro is used.
            let whole = place.end - place.start == text.len() as u32 + 2;
            Move { place, exact: whole && !text.contains('"') }.expr(&mut found);
            e.kind = ExprKind::Paren(Box::new(found));
        }
        change::expr_parts(self, e);
    }
}

/// Moves places in a text to where its literal stands: behind the quotation mark, unless some are doubled.
struct Move {
    place: Span,
    exact: bool,
}

impl Change for Move {
    fn node(&mut self, _: &mut NodeId, span: &mut Span) {
        self.span(span);
    }

    fn span(&mut self, span: &mut Span) {
        *span = match self.exact {
            true => Span {
                start: self.place.start + 1 + span.start,
                end: self.place.start + 1 + span.end,
                ..self.place
            },
            false => self.place,
        };
    }
}
