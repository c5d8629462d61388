//! `eval("x -> x + 1")`: an expression in a string literal becomes the expression itself, before anything else looks at
//! the trees. Texts that are known only to the analysis are its own matter; those that only the running program knows become
//! modules, which import the one with the call.

use super::scope::Assigned;
use super::unit::{Unit, UnitModule};
use super::walk::{self, Visitor};
use crate::message::{Message, Sink};
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::change::{self, Change};
use crate::syntax::parse_expression;
use std::collections::BTreeSet;

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

/// Adds the module of a text, which imports a module of the unit and what that imports: `around` with the expression as the value
/// of its only assignment. Modules keep definitions and constants; the names of what else their statements assign are the result.
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
            // The text belongs to the module.
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

/// Puts an expression in the place of the value of the first assignment.
struct Fill(Option<Expr>);

impl Change for Fill {
    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Assign { value, .. } = &mut e.kind
            && let Some(expr) = self.0.take()
        {
            **value = expr;
        }
    }
}

/// Drops the statements of a module that do something. Names of variables that nothing assigns then are added.
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

/// The name of a constant: assigned once, and the value is made of numbers, texts, other constants and lambdas.
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

/// Whether an expression has the same value whenever it is computed.
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
