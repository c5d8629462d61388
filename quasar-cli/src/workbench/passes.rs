//! The passes in order, with what each changed: the IR before and behind it, side by side, different lines marked.

use super::diff::{self, Line};
use crate::html::escape;
use quasar_core::query::outcome::{Change, Report, Step};
use quasar_core::transform::Stage;
use std::collections::BTreeSet;

/// So many equal lines are shown around different ones; the others open at a click.
const AROUND: usize = 3;

/// The view.
pub(super) fn view(report: &Report) -> String {
    let (mut list, mut bodies) = (String::new(), String::new());
    let mut stage = None;
    for (k, step) in report.steps.iter().enumerate() {
        if stage != Some(step.stage) {
            stage = Some(step.stage);
            list += &format!("<h3>{}</h3>", title(step.stage));
        }
        list += &link(k, step);
        bodies += &body(report, k, step);
    }
    format!(
        "<section id=\"passes\"><h2>Passes</h2><p class=\"tools\"><label>of <select data-do=\"function\">\
         <option value=\"\">all functions and kernels</option>{}</select></label><label><input type=\"checkbox\" \
         data-do=\"idle\"> passes that changed nothing, too</label></p>\
         <div class=\"split\"><nav class=\"steps\">{list}</nav><div class=\"bodies\">{bodies}</div></div></section>\n",
        functions(report)
    )
}

fn title(stage: Stage) -> &'static str {
    match stage {
        Stage::Program => "every program",
        Stage::Host => "host: loops and arrays become kernels",
        Stage::Unoptimised => "not optimised",
        Stage::Kernel => "kernels, for all targets",
        Stage::Cpu => "branch: kernels for the processor",
        Stage::Device => "branch: kernels for devices",
    }
}

/// All functions and kernels that some pass changed.
fn functions(report: &Report) -> String {
    let names: BTreeSet<(bool, &str)> = report
        .steps
        .iter()
        .flat_map(|step| &step.changes)
        .map(|change| (change.kernel, change.name.as_str()))
        .collect();
    let option = |(kernel, name): (bool, &str)| {
        let kind = if kernel { "kernel" } else { "function" };
        format!("<option value=\"{0}\">{kind} {0}</option>", escape(name))
    };
    names.into_iter().map(option).collect()
}

/// The names of what a pass changed, for the script: names have no blanks.
fn names(step: &Step) -> String {
    let names: Vec<String> = step.changes.iter().map(|change| escape(&change.name)).collect();
    names.join(" ")
}

fn link(k: usize, step: &Step) -> String {
    let idle = if step.changes.is_empty() { " idle" } else { "" };
    let count = match step.changes.len() {
        0 => String::new(),
        count => format!("<b>{count}</b>"),
    };
    format!(
        "<a class=\"step{idle}\" href=\"#P{k}\" data-f=\"{}\" title=\"{}\">{}{count}</a>",
        names(step),
        escape(step.summary),
        escape(step.pass)
    )
}

fn body(report: &Report, k: usize, step: &Step) -> String {
    let idle = if step.changes.is_empty() { " idle" } else { "" };
    let changes: String = match step.changes.is_empty() {
        true => "<p class=\"none\">changed nothing</p>".to_string(),
        false => step.changes.iter().map(|change| changed(report, change)).collect(),
    };
    format!(
        "<article class=\"pass{idle}\" id=\"P{k}\" data-f=\"{}\"><h3>{} <small>{}</small></h3>{changes}</article>\n",
        names(step),
        escape(step.pass),
        escape(step.summary)
    )
}

fn changed(report: &Report, change: &Change) -> String {
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let lines = diff::lines(before.unwrap_or_default(), after.unwrap_or_default());
    let (old, new) = (
        lines.iter().filter(|line| matches!(line, Line::Old(_))).count(),
        lines.iter().filter(|line| matches!(line, Line::New(_))).count(),
    );
    let what = match (before, after) {
        (None, _) => "made here",
        (_, None) => "dropped",
        _ => "",
    };
    let place = match change.span.file == report.document.root && change.span.start < change.span.end {
        true => {
            let line = report.line_of(change.span);
            format!(" <a href=\"#L{line}\">line {line}</a>")
        }
        false => String::new(),
    };
    let kind = if change.kernel { "kernel" } else { "function" };
    let (open, table) = match (before, after) {
        (Some(_), Some(_)) => (" open", both_sides(&lines)),
        _ => ("", one_side(&lines)),
    };
    format!(
        "<details class=\"change\" data-f=\"{name}\"{open}><summary>{kind} <b>{name}</b>{place} <i>{what}</i> \
         <span class=\"plus\">+{new}</span> <span class=\"minus\">&minus;{old}</span></summary>{table}</details>",
        name = escape(&change.name)
    )
}

/// A row of the table: what stands on both sides.
struct Row<'a> {
    old: Option<&'a str>,
    new: Option<&'a str>,
    same: bool,
}

/// Lines that went stand beside those that came in their place.
fn paired<'a>(lines: &[Line<'a>]) -> Vec<Row<'a>> {
    let mut found = Vec::new();
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let flush = |found: &mut Vec<Row<'a>>, old: &mut Vec<&'a str>, new: &mut Vec<&'a str>| {
        for k in 0..old.len().max(new.len()) {
            found.push(Row { old: old.get(k).copied(), new: new.get(k).copied(), same: false });
        }
        old.clear();
        new.clear();
    };
    for line in lines {
        match line {
            Line::Old(text) => old.push(text),
            Line::New(text) => new.push(text),
            Line::Same(text) => {
                flush(&mut found, &mut old, &mut new);
                found.push(Row { old: Some(text), new: Some(text), same: true });
            }
        }
    }
    flush(&mut found, &mut old, &mut new);
    found
}

/// What a pass made or dropped, which has nothing to stand beside it.
fn one_side(lines: &[Line<'_>]) -> String {
    let row = |(k, line): (usize, &Line<'_>)| {
        let (class, text) = match line {
            Line::Old(text) => ("old", text),
            Line::New(text) | Line::Same(text) => ("new", text),
        };
        format!("<tr><td class=\"num\">{}</td><td class=\"{class}\">{}</td></tr>", k + 1, escape(text))
    };
    let rows: String = lines.iter().enumerate().map(row).collect();
    format!("<table class=\"diff\"><colgroup><col class=\"num\"><col></colgroup><tbody>{rows}</table>")
}

/// The text before and behind a pass.
fn both_sides(lines: &[Line<'_>]) -> String {
    let columns = "<colgroup><col class=\"num\"><col><col class=\"num\"><col></colgroup>";
    format!("<table class=\"diff\">{columns}{}</table>", rows(lines))
}

fn rows(lines: &[Line<'_>]) -> String {
    let rows = paired(lines);
    let near = |k: usize| {
        let (from, to) = (k.saturating_sub(AROUND), (k + AROUND + 1).min(rows.len()));
        rows[from..to].iter().any(|row| !row.same)
    };
    let (mut out, mut numbers) = (String::new(), (0, 0));
    let mut folded = false;
    for (k, row) in rows.iter().enumerate() {
        if near(k) == folded {
            folded = !folded;
            out += if folded { "<tbody class=\"fold\">" } else { "<tbody>" };
        } else if k == 0 {
            out += "<tbody>";
        }
        out += &cells(row, &mut numbers);
    }
    out
}

fn cells(row: &Row<'_>, numbers: &mut (usize, usize)) -> String {
    let side = |text: Option<&str>, number: &mut usize, class: &str| match text {
        Some(text) => {
            *number += 1;
            format!("<td class=\"num\">{number}</td><td class=\"{class}\">{}</td>", escape(text))
        }
        None => "<td class=\"num\"></td><td class=\"gap\"></td>".to_string(),
    };
    let (old, new) = if row.same { ("", "") } else { ("old", "new") };
    format!("<tr>{}{}</tr>", side(row.old, &mut numbers.0, old), side(row.new, &mut numbers.1, new))
}
