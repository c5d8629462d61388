//! `quasar explain`: what the codes of messages mean, and what became of a line of a program.

use crate::arguments::Options;
use crate::{load, output};
use quasar_core::message::explain::{explain as find, explanations};
use quasar_core::query::outcome::{LineReport, NameType, Reason, Report, StatementReport, Topic};
use std::fmt::Write;
use std::path::Path;

/// Explains a code, or lists all.
pub(crate) fn explain(code: Option<&str>) -> Result<(), String> {
    match code {
        None => explanations().try_for_each(|row| output::line(&format!("{}  {}", row.code, row.cause))),
        Some(code) => {
            let unknown = || {
                format!("Error: there is no message with the code '{code}'; `quasar explain` lists all codes")
            };
            let row = find(code).ok_or_else(unknown)?;
            output::line(&format!("{}\n  What is wrong: {}\n  What to do: {}", row.code, row.cause, row.cure))
        }
    }
}

/// Explains a line of a program.
pub(crate) fn line(file: &Path, number: u32, options: &Options) -> Result<(), String> {
    let report = load::outcome(file, options)?;
    let line = report.line(number).ok_or_else(|| {
        let count = report.document.text().lines().count();
        format!("Error: {}: there is no line {number}, the file has {count}", file.display())
    })?;
    output::text(&text(&report, &line, &file.to_string_lossy()))
}

/// A line with what is known about it.
fn text(report: &Report, line: &LineReport, file: &str) -> String {
    let mut out = format!("{file}, line {}\n", line.number);
    let _ = writeln!(out, "  | {}", line.text.trim_end());
    if line.statements.is_empty() {
        out += "  there is no statement here\n";
    }
    for statement in &line.statements {
        add_statement(&mut out, report, statement);
    }
    let names = distinct(&line.names);
    if !names.is_empty() {
        out += "\n  names\n";
    }
    for name in names {
        for ty in [name.types.join(" or ")].iter().filter(|ty| !ty.is_empty()) {
            let _ = writeln!(out, "    {} : {ty}", name.name);
        }
        for callee in &name.callees {
            let _ = writeln!(out, "    {callee}");
        }
    }
    out
}

fn add_statement(out: &mut String, report: &Report, statement: &StatementReport) {
    let from = if statement.begins {
        String::new()
    } else {
        format!(", which begins in line {}", report.line_of(statement.span))
    };
    let _ = writeln!(out, "\n  {}{from}", statement.words);
    for reason in &statement.reasons {
        add_reason(out, report, reason, "    ");
    }
    for (words, line, reasons) in &statement.around {
        let _ = writeln!(out, "    in the {words}, line {line}");
        for reason in reasons.iter().filter(|reason| reason.topic == Topic::Loop) {
            add_reason(out, report, reason, "      ");
        }
    }
}

fn add_reason(out: &mut String, report: &Report, reason: &Reason, indent: &str) {
    let mut lines = reason.text.lines();
    let _ = writeln!(out, "{indent}{:<10} {}", reason.topic.name(), lines.next().unwrap_or_default());
    for line in lines {
        let _ = writeln!(out, "{indent}{:<10} {}", "", line.trim_start());
    }
    for (span, label) in &reason.related {
        let text = report.document.slice(*span).lines().next().unwrap_or_default();
        let _ = writeln!(out, "{indent}{:<10}   line {}: {text}  ({label})", "", report.line_of(*span));
    }
}

/// The names once for each list of types.
fn distinct(names: &[NameType]) -> Vec<&NameType> {
    let mut found: Vec<&NameType> = Vec::new();
    for name in names {
        let same = |other: &&NameType| {
            (&other.name, &other.types, &other.callees) == (&name.name, &name.types, &name.callees)
        };
        if !found.iter().any(same) {
            found.push(name);
        }
    }
    found
}
