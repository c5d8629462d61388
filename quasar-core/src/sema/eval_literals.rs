//! `eval("x -> x + 1")` of a string literal: the parsed expression replaces the call, before any other phase sees the
//! trees. Strings known only to inference are handled there; strings known only at run time become modules of their
//! own, which [`importing`] builds.

use super::scope::Assigned;
use super::unit::{Unit, UnitModule};
use super::walk::{self, Visitor};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};
use crate::syntax::parse_expression;
use std::collections::BTreeSet;

/// Replaces the calls of `eval` whose argument is a literal.
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

/// Whether this defines a function `eval`, which overrides the builtin.
fn is_own(item: &Stmt) -> bool {
    matches!(&item.kind, StmtKind::Function(function) if function.name.text == "eval")
}

/// The literal in a call of `eval`, and its span.
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

/// The error for a string that is no expression.
pub(super) fn unreadable(place: Span, text: &str, mistake: &Message) -> Message {
    let said = format!("the text is no expression: {}", mistake.text);
    Message::error("Q0607", place, said).help(format!("the text is {text:?}"))
}

/// Whether some call of `eval` has a literal.
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

impl VisitMut for Expand<'_> {
    fn expr(&mut self, e: &mut Expr) {
        if let Some((text, place)) = literal(e) {
            let mut mistakes = Sink::default();
            let mut found = parse_expression(place.file, text, self.ids, &mut mistakes);
            if let Some(mistake) = mistakes.into_sorted().first() {
                self.sink.push(unreadable(place, text, mistake));
                found.kind = ExprKind::Invalid;
            }
            // A literal from a macro expansion has the span of the invocation, which does not match its length.
            let whole = place.end - place.start == text.len() as u32 + 2;
            Move { place, exact: whole && !text.contains('"') }.expr(&mut found);
            e.kind = ExprKind::Paren(Box::new(found));
        }
        change::expr_parts(self, e);
    }
}

/// Relocates spans in a string to those of its literal: exactly behind the quotation mark, unless some are doubled.
struct Move {
    place: Span,
    exact: bool,
}

impl VisitMut for Move {
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

/// Adds the module of an expression string, which imports the module `name` and its imports: `around`, with the
/// expression as the value of its only assignment. Modules keep only definitions and constants; returns the names of
/// their variables.
pub fn importing(unit: &mut Unit, name: &str, around: Module, expr: Expr, sink: &mut Sink) -> Vec<String> {
    let mut assigned = Assigned::default();
    walk::expr(&expr, &mut assigned);
    if !assigned.names.is_empty() || !assigned.elements.is_empty() {
        sink.push(Message::not_supported(expr.span, "assignments in the text of 'eval'"));
    }
    let mut variables = Vec::new();
    for module in &mut unit.modules {
        only_definitions(&mut module.module, &mut variables);
    }
    let mut imports = Vec::new();
    if let Some(position) = unit.modules.iter().position(|module| module.name == name) {
        imports.clone_from(&unit.modules[position].imports);
        imports.push(position);
        for item in &mut unit.modules[position].module.items {
            // The string belongs to the module, so it sees concealed functions.
            if let StmtKind::Function(function) = &mut item.kind {
                function.concealed = false;
            }
        }
    }
    let mut module = around;
    Fill(Some(expr)).block(&mut module.items);
    unit.modules.push(UnitModule { name: "text".into(), module, imports });
    variables
}

/// Replaces the value of the first assignment.
struct Fill(Option<Expr>);

impl VisitMut for Fill {
    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Assign { value, .. } = &mut e.kind
            && let Some(expr) = self.0.take()
        {
            **value = expr;
        }
    }
}

/// Removes the statements with effects from a module. Adds the names of variables that lose their value to `variables`.
fn only_definitions(module: &mut Module, variables: &mut Vec<String>) {
    let mut assigned = Assigned::default();
    let executed = |item: &&Stmt| {
        !matches!(item.kind, StmtKind::Function(_) | StmtKind::Macro(_) | StmtKind::TypeDef(_))
    };
    module.items.iter().filter(executed).for_each(|item| walk::stmt(item, &mut assigned));
    let mut constants: BTreeSet<&str> = BTreeSet::new();
    let mut kept = Vec::new();
    for item in &module.items {
        kept.push(match &item.kind {
            StmtKind::Function(_)
            | StmtKind::TypeDef(_)
            | StmtKind::Reduction(_)
            | StmtKind::Macro(_)
            | StmtKind::Symbolic(_)
            | StmtKind::Pragma { .. } => true,
            StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) => {
                match constant(target, value, &assigned, &constants) {
                    Some(name) => constants.insert(name),
                    None => false,
                }
            }
            _ => false,
        });
    }
    let others = assigned.names.keys().filter(|name| !constants.contains(*name));
    variables.extend(others.map(|name| (*name).to_owned()));
    let mut kept = kept.into_iter();
    module.items.retain(|_| kept.next().unwrap_or_default());
}

/// The name of a constant: assigned once, from numbers, strings, other constants and lambdas.
fn constant<'a>(
    target: &'a Target,
    value: &Expr,
    assigned: &Assigned<'_>,
    constants: &BTreeSet<&str>,
) -> Option<&'a str> {
    let Target::Place { place: Expr { kind: ExprKind::Name(name), .. }, .. } = target else { return None };
    let once = assigned.names.get(name.as_str()).is_some_and(|(count, _)| *count == 1);
    let changed = assigned.in_loops.contains(name.as_str()) || assigned.elements.contains(name.as_str());
    (once && !changed && is_fixed(value, constants)).then_some(name)
}

/// Whether an expression is constant: it has the same value whenever it is evaluated.
fn is_fixed(value: &Expr, constants: &BTreeSet<&str>) -> bool {
    match &value.kind {
        ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Lambda(_) => true,
        ExprKind::Name(name) => {
            constants.contains(name.as_str()) || matches!(name.as_str(), "true" | "false" | "pi")
        }
        ExprKind::Paren(inner) | ExprKind::Prefix { operand: inner, .. } => is_fixed(inner, constants),
        ExprKind::Infix { lhs, rhs, .. } => is_fixed(lhs, constants) && is_fixed(rhs, constants),
        _ => false,
    }
}
