//! All that is known about a line of the source.

use super::code::{self, holds};
use super::loops::kernel_in_words;
use super::statements::{Placed, is_loop, words_of};
use super::{Reason, Report, Topic, accesses, add, arrays, schedule};
use crate::message::{Category, Decision};
use crate::query::names::SymbolKind;
use crate::query::types;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::token::{Sign, TokenKind};
use std::collections::BTreeSet;

/// What is known about a line.
#[derive(Clone, Debug)]
pub struct LineReport {
    /// Its number, from 1.
    pub number: u32,
    /// Its text.
    pub text: String,
    /// The statements that begin in it, or the innermost one around it.
    pub statements: Vec<StatementReport>,
    /// The names in it that have a type, in order.
    pub names: Vec<NameType>,
}

/// What is known about a statement.
#[derive(Clone, Debug)]
pub struct StatementReport {
    /// What it is.
    pub words: String,
    /// Its place.
    pub span: Span,
    /// Whether it begins in the line.
    pub begins: bool,
    /// The loops and the function around it, the innermost first: what each is, its line, and what became of it.
    pub around: Vec<(String, u32, Vec<Reason>)>,
    /// What became of it.
    pub reasons: Vec<Reason>,
}

/// A name with its types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameType {
    /// The name.
    pub name: String,
    /// Its place.
    pub span: Span,
    /// The types that it has: one for each way the function around it is called with.
    pub types: Vec<String>,
    /// The signatures of what it calls.
    pub callees: Vec<String>,
}

pub(super) fn report(report: &Report, all: &[Placed<'_>], number: u32) -> Option<LineReport> {
    let text = report.document.text().lines().nth(number.checked_sub(1)? as usize)?;
    let of_line = |placed: &&Placed<'_>| report.line_of(placed.stmt.span) == number;
    let mut chosen: Vec<(&Placed<'_>, bool)> =
        all.iter().filter(of_line).map(|placed| (placed, true)).collect();
    if chosen.is_empty() {
        let around = |placed: &&Placed<'_>| {
            let span = placed.stmt.span;
            let last = Span { start: span.end.saturating_sub(1), ..span };
            report.line_of(span) < number && number <= report.line_of(last)
        };
        chosen.extend(all.iter().rfind(around).map(|placed| (placed, false)));
    }
    let statements =
        chosen.into_iter().map(|(placed, begins)| statement(report, all, placed, begins)).collect();
    Some(LineReport { number, text: text.to_string(), statements, names: names(report, number) })
}

fn statement(report: &Report, all: &[Placed<'_>], placed: &Placed<'_>, begins: bool) -> StatementReport {
    let around =
        placed.around.iter().filter(|stmt| is_loop(stmt) || matches!(stmt.kind, StmtKind::Function(_)));
    let around = around.map(|stmt| {
        let at = all.iter().find(|other| other.stmt.span == stmt.span && is_loop(other.stmt));
        let mut reasons = at.map(|at| report.of_loop(at)).unwrap_or_default();
        reasons.retain(|reason| matches!(reason.topic, Topic::Loop | Topic::Kernel));
        (words_of(stmt), report.line_of(stmt.span), reasons)
    });
    StatementReport {
        words: words_of(placed.stmt),
        span: placed.stmt.span,
        begins,
        around: around.collect(),
        reasons: reasons(report, all, placed),
    }
}

fn reasons(report: &Report, all: &[Placed<'_>], placed: &Placed<'_>) -> Vec<Reason> {
    let stmt = placed.stmt;
    let mut found = Vec::new();
    if is_loop(stmt) {
        found.extend(report.of_loop(placed));
    } else if let StmtKind::Function(function) = &stmt.kind {
        of_function(report, stmt.id, function, &mut found);
    } else if !arrays::own_expressions(stmt).is_empty() {
        found.extend(arrays::kernels_and_library(report, stmt));
        if found.is_empty() && report.has_arrays(stmt) {
            found.extend(report.of_arrays(stmt));
        } else if found.is_empty() {
            whereabouts(report, stmt, &mut found);
        }
    }
    accesses::reasons(report, stmt).into_iter().for_each(|reason| add(&mut found, reason));
    facts(report, all, placed, &mut found);
    remarks(report, stmt, &mut found);
    found
}

/// The kernel of a kernel function, and the signatures that a function is compiled for.
fn of_function(report: &Report, id: NodeId, function: &Function, found: &mut Vec<Reason>) {
    for signature in types::signatures_of(&report.document.compilation, id) {
        add(found, Reason::new(Topic::Facts, format!("compiled as {signature}")));
    }
    if function.kind == FunctionKind::Kernel {
        let own = |span: Span| holds(function.header, span);
        let kernels = report.trace.host.kernels.iter().filter(|(_, kernel)| own(kernel.span));
        for (id, kernel) in kernels {
            add(found, Reason::new(Topic::Kernel, kernel_in_words(kernel)));
            found.extend(schedule::reasons(report, id));
        }
    }
    if found.is_empty() {
        found.push(Reason::new(Topic::Code, "no code: nothing calls it with known types"));
    }
}

/// Which kernels and functions hold the code of a statement on numbers.
fn whereabouts(report: &Report, stmt: &Stmt, found: &mut Vec<Reason>) {
    let mut owners = BTreeSet::new();
    code::inside(&report.trace.host, stmt.span, &mut |owner, _| {
        owners.insert(owner);
    });
    if owners.is_empty() {
        let text = report.absent(stmt.span, report.recorder.left_after(stmt.span));
        found.push(Reason::new(Topic::Code, text));
        return;
    }
    let words: Vec<String> = owners.iter().map(|owner| report.owner(*owner)).collect();
    let (first, rest) = words.split_at(words.len().min(4));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    add(found, Reason::new(Topic::Code, format!("part of the {}{more}", first.join(", of the "))));
}

/// The ranges of the loops around, what was asserted before, and what the passes know besides.
fn facts(report: &Report, all: &[Placed<'_>], placed: &Placed<'_>, found: &mut Vec<Reason>) {
    let known = known(report, placed.stmt);
    let own = std::iter::once(&placed.stmt).filter(|stmt| is_loop(stmt));
    for stmt in own.chain(&placed.around) {
        if matches!(stmt.kind, StmtKind::Function(_)) {
            break;
        }
        if let StmtKind::For { variable, sequence, .. } = &stmt.kind
            && let ExprKind::Range { from, step, to } = &sequence.kind
        {
            let text = |e: &Expr| report.document.slice(e.span);
            let name = &variable.text;
            let step_text = step.as_deref().map(|step| format!(", in steps of {}", text(step)));
            let fact = match &step_text {
                None => format!("{} <= {name} <= {}", text(from), text(to)),
                Some(step) => format!("{name} from {} to {}{step}", text(from), text(to)),
            };
            // The passes say it of the value itself.
            if !known.iter().any(|known| names_in(known).any(|other| other == name)) {
                add(found, Reason::new(Topic::Facts, fact));
            }
        }
    }
    for other in all.iter().filter(|other| other.stmt.span.end <= placed.stmt.span.start) {
        let is_before = other.around.iter().all(|stmt| placed.around.iter().any(|own| own.span == stmt.span));
        if let Some(condition) = asserted(other.stmt).filter(|_| is_before && same_function(other, placed)) {
            let text = report.document.slice(condition.span);
            let text = format!("{text}, asserted in line {}", report.line_of(other.stmt.span));
            add(found, Reason::new(Topic::Facts, text));
        }
    }
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let asserted = found.iter().filter_map(|reason| reason.text.split_once(", asserted in line "));
    let asserted: Vec<String> =
        asserted.flat_map(|(conditions, _)| conditions.split("&&").map(bare).collect::<Vec<_>>()).collect();
    for fact in known.into_iter().filter(|fact| !asserted.contains(&bare(fact))) {
        add(found, Reason::new(Topic::Facts, fact));
    }
}

/// What passes know before a statement: facts that all copies of its code share, as far as they use what is in them.
fn known(report: &Report, stmt: &Stmt) -> Vec<String> {
    let own: Vec<Span> = arrays::own_expressions(stmt).into_iter().map(|e| e.span).collect();
    let mut copies: Vec<(&Vec<String>, &Vec<String>)> = Vec::new();
    for message in &report.trace.messages {
        let span = message.primary.span;
        let begins = (span.file, span.start) == (stmt.span.file, stmt.span.start);
        if let Some(Decision::Known { about, facts }) = &message.decision
            && (begins || own.iter().any(|own| holds(*own, span)))
        {
            copies.push((about, facts));
        }
    }
    let mut found: Vec<String> = Vec::new();
    for fact in copies.iter().flat_map(|(_, facts)| facts.iter()) {
        let uses = |about: &[String]| about.iter().any(|name| names_in(fact).any(|other| other == name));
        let all = copies.iter().all(|(about, facts)| facts.contains(fact) || !uses(about));
        if all && !found.contains(fact) {
            found.push(fact.clone());
        }
    }
    joined(found)
}

/// `m >= 0` and `m < 9` as `0 <= m < 9`.
fn joined(facts: Vec<String>) -> Vec<String> {
    let bound = |fact: &str, signs: [&str; 2]| {
        let (name, rest) = fact.split_once(' ')?;
        let (sign, limit) = rest.split_once(' ')?;
        signs.contains(&sign).then(|| (name.to_owned(), sign.replace('>', "<"), limit.to_owned()))
    };
    let mut found: Vec<String> = Vec::new();
    let mut lower: Vec<(usize, (String, String, String))> = Vec::new();
    for fact in facts {
        if let Some(below) = bound(&fact, [">=", ">"]) {
            lower.push((found.len(), below));
        } else if let Some((name, sign, limit)) = bound(&fact, ["<=", "<"])
            && let Some(at) = lower.iter().position(|(_, (other, ..))| *other == name)
        {
            let (place, (_, low_sign, low)) = lower.remove(at);
            found[place] = format!("{low} {low_sign} {name} {sign} {limit}");
            continue;
        }
        found.push(fact);
    }
    found
}

fn names_in(fact: &str) -> impl Iterator<Item = &str> {
    fact.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty() && !["size", "numel"].contains(word))
}

fn same_function(a: &Placed<'_>, b: &Placed<'_>) -> bool {
    let function = |placed: &Placed<'_>| {
        let of = placed.around.iter().find(|stmt| matches!(stmt.kind, StmtKind::Function(_)));
        of.map(|stmt| stmt.span)
    };
    function(a) == function(b)
}

/// The condition of an `assert`.
fn asserted(stmt: &Stmt) -> Option<&Expr> {
    let StmtKind::Expr(e) = &stmt.kind else { return None };
    let ExprKind::Call { callee, args } = &e.kind else { return None };
    match (&callee.kind, args.first()) {
        (ExprKind::Name(name), Some(CallArg::Positional(condition))) if name == "assert" => Some(condition),
        _ => None,
    }
}

/// What passes said about the expressions of a statement that is no decision which stands elsewhere.
fn remarks(report: &Report, stmt: &Stmt, found: &mut Vec<Reason>) {
    let spans: Vec<Span> = arrays::own_expressions(stmt).into_iter().map(|e| e.span).collect();
    for message in &report.trace.messages {
        let span = message.primary.span;
        let own = span.file == stmt.span.file && span.start == stmt.span.start
            || spans.iter().any(|own| holds(*own, span));
        let transformed = matches!(message.decision, Some(Decision::Transformed { .. })) && !is_loop(stmt);
        let told = message.decision.is_some() && !transformed || message.category == Category::Reduction;
        if own && !told {
            add(found, Reason::new(Topic::Remark, format!("{} [{}]", message.text, message.code.0)));
        }
    }
}

/// The names of a line that have types.
fn names(report: &Report, number: u32) -> Vec<NameType> {
    let document = &report.document;
    let mut found = Vec::new();
    for (k, token) in document.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Ident) {
        let span = Span { file: document.root, start: token.start, end: token.end };
        if report.line_of(span) != number {
            continue;
        }
        let symbol = document.names.at(document.root, token.start).map(|(_, symbol)| symbol);
        let function = symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Function);
        let at = types::type_at(document, token.start);
        let opens =
            document.tokens.get(k + 1).is_some_and(|next| next.kind == TokenKind::Sign(Sign::OpenParen));
        let callees = if opens { types::callees_at(document, span) } else { Vec::new() };
        let own = at.filter(|at| at.span == span && !function && callees.is_empty());
        let mut types = own.map(|at| at.types).unwrap_or_default();
        if types.is_empty() && !function {
            let definition = symbol.filter(|symbol| symbol.places.contains(&span));
            let first = definition.and_then(|symbol| symbol.definitions.first().copied());
            types = first.map(|first| types::type_of_definition(document, first)).unwrap_or_default();
        }
        if !types.is_empty() || !callees.is_empty() {
            found.push(NameType { name: document.slice(span).to_string(), span, types, callees });
        }
    }
    found
}
