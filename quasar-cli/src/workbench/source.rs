//! The source with what became of each line below it, and types under the pointer.

use crate::html::escape;
use quasar_core::query::names::SymbolKind;
use quasar_core::query::outcome::{LineReport, NameType, Reason, Report, StatementReport, Topic, Verdict};
use quasar_core::query::tokens::{Piece, PieceKind, pieces};
use std::collections::BTreeMap;

/// The view.
pub(super) fn view(report: &Report, lines: &[LineReport]) -> String {
    let rows = highlighted(report, lines);
    let mut out = String::from(
        "<section id=\"source\"><h2>Source</h2><p class=\"tools\"><button data-do=\"open\">Open all</button>\
         <button data-do=\"close\">Close all</button><label><input type=\"checkbox\" data-do=\"minor\"> lines of which there is \
         little to say, too</label></p><div class=\"listing\">\n",
    );
    for (line, code) in lines.iter().zip(&rows) {
        out += &format!(
            "<div class=\"row\" id=\"L{n}\"><a class=\"ln\" href=\"#L{n}\">{n}</a><code>{code}</code></div>\n",
            n = line.number
        );
        let indent = line.text.chars().take_while(|c| c.is_whitespace()).count();
        for statement in line.statements.iter().filter(|statement| statement.begins) {
            out += &why(report, statement, indent);
        }
    }
    out + "</div></section>\n"
}

/// What became of a statement: its main reason, and the others in what opens.
fn why(report: &Report, statement: &StatementReport, indent: usize) -> String {
    let Some((main, major)) = main_reason(&statement.reasons) else { return String::new() };
    let class = class(main.verdict);
    let minor = if major { "" } else { " minor" };
    let mut out = format!(
        "<details class=\"why {class}{minor}\"><summary><span style=\"margin-left:{indent}ch\">{}</span></summary>\
         <div class=\"more\" style=\"margin-left:{indent}ch\"><p class=\"words\">{}</p><dl>",
        escape(&summary(main, &statement.reasons)),
        escape(&statement.words)
    );
    for reason in &statement.reasons {
        out += &entry(report, reason);
    }
    for (words, line, reasons) in &statement.around {
        let told = reasons.iter().find(|reason| reason.topic == Topic::Loop);
        let told = told.map(|reason| format!(": {}", one_line(&reason.text))).unwrap_or_default();
        out += &format!(
            "<dt>inside</dt><dd><a href=\"#L{line}\">line {line}</a>, {}{}</dd>",
            escape(words),
            escape(&told)
        );
    }
    out + "</dl></div></details>\n"
}

fn entry(report: &Report, reason: &Reason) -> String {
    let related: String = reason
        .related
        .iter()
        .map(|(span, label)| {
            let line = report.line_of(*span);
            let text = report.document.slice(*span).lines().next().unwrap_or_default();
            format!(
                "<br><a href=\"#L{line}\">line {line}</a> <code>{}</code> <i>{}</i>",
                escape(text),
                escape(label)
            )
        })
        .collect();
    format!(
        "<dt>{}</dt><dd class=\"{}\">{}{related}</dd>",
        reason.topic.name(),
        class(reason.verdict),
        escape(&reason.text)
    )
}

/// The sentence that stands for a statement, and whether it tells more than where the code is.
fn main_reason(reasons: &[Reason]) -> Option<(&Reason, bool)> {
    let of = |topics: &[Topic]| reasons.iter().find(|reason| topics.contains(&reason.topic));
    let tested =
        || reasons.iter().find(|reason| reason.topic == Topic::Bounds && reason.verdict == Verdict::Slow);
    of(&[Topic::Loop, Topic::Arrays])
        .or_else(|| of(&[Topic::Kernel]))
        .or_else(tested)
        .or_else(|| of(&[Topic::Copies, Topic::Remark]))
        .map(|reason| (reason, true))
        .or_else(|| reasons.first().map(|reason| (reason, reason.text.starts_with("compiled as"))))
}

/// The line that stands for a statement. Several tests of indices are counted.
fn summary(main: &Reason, reasons: &[Reason]) -> String {
    let tested = |reason: &&Reason| reason.topic == Topic::Bounds && reason.verdict == Verdict::Slow;
    match reasons.iter().filter(tested).count() {
        count if count > 1 && tested(&main) => format!("{count} accesses are tested when the program runs"),
        _ => one_line(&main.text),
    }
}

pub(super) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fast => "fast",
        Verdict::Slow => "slow",
        Verdict::Neutral => "neutral",
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of the text as parts of a page: coloured by what names mean, with types.
pub(super) fn highlighted(report: &Report, lines: &[LineReport]) -> Vec<String> {
    let text = report.document.text();
    let names: BTreeMap<u32, &NameType> =
        lines.iter().flat_map(|line| &line.names).map(|name| (name.span.start, name)).collect();
    let pieces = pieces(&report.document);
    let mut rows = Vec::new();
    let mut start = 0usize;
    let mut next = 0usize;
    for row in text.split_inclusive('\n').take(lines.len()) {
        let end = start + row.trim_end_matches(['\n', '\r']).len();
        let mut out = String::new();
        let mut at = start;
        // Pieces of several lines (none of the language today) are coloured in their first line only.
        while let Some(piece) = pieces.get(next).filter(|piece| (piece.span.start as usize) < end) {
            let (from, to) = ((piece.span.start as usize).max(at), (piece.span.end as usize).min(end));
            out += &escape(text.get(at..from).unwrap_or_default());
            out += &coloured(
                piece,
                text.get(from..to).unwrap_or_default(),
                names.get(&piece.span.start).copied(),
            );
            at = to.max(at);
            next += 1;
        }
        out += &escape(text.get(at..end).unwrap_or_default());
        rows.push(out);
        start += row.len();
    }
    rows
}

fn coloured(piece: &Piece, text: &str, name: Option<&NameType>) -> String {
    let class = match piece.kind {
        PieceKind::Keyword => "k",
        PieceKind::Number => "m",
        PieceKind::Text => "s",
        PieceKind::Comment => "c",
        PieceKind::Operator => "o",
        PieceKind::Builtin => "b",
        PieceKind::BuiltinType | PieceKind::Symbol(SymbolKind::Type | SymbolKind::Enum) => "t",
        PieceKind::Meta | PieceKind::Modifier => "a",
        PieceKind::Symbol(SymbolKind::Function | SymbolKind::Macro) => "f",
        PieceKind::Symbol(_) | PieceKind::Unknown => "v",
    };
    let tip = name.map(|name| {
        let typed = name.types.iter().map(|ty| format!("{} : {ty}", name.name));
        typed.chain(name.callees.iter().cloned()).collect::<Vec<_>>().join("\n")
    });
    match tip {
        Some(tip) => {
            format!(
                "<span class=\"{class} n\" tabindex=\"0\" data-t=\"{}\">{}</span>",
                escape(&tip),
                escape(text)
            )
        }
        None => format!("<span class=\"{class}\">{}</span>", escape(text)),
    }
}
