//! `quasar workbench`: one page that shows a program with what became of each line, what the passes changed, and the code that is made
//! of it. The page needs nothing but itself.

mod code;
mod diff;
mod functions;
mod passes;
mod pretty;
mod source;

use crate::arguments::Options;
use crate::html::{self, escape};
use crate::{load, output};
use quasar_core::message::render::{self, Style};
use quasar_core::query::outcome::{LineReport, Report, Topic, Verdict};
use std::path::Path;

/// Writes the page of a program.
pub(crate) fn workbench(file: &Path, page: &Path, options: &Options) -> Result<(), String> {
    let report = load::outcome(file, options)?;
    let text = whole(&report, &file.to_string_lossy())?;
    quasar_files::replace::replace(page, text.as_bytes())
        .map_err(|error| format!("Error: {}: {error}", page.display()))?;
    output::line(&format!("{} shows what became of {}", page.display(), file.display()))
}

fn whole(report: &Report, file: &str) -> Result<String, String> {
    let lines = report.lines();
    let code = code::view(report, &lines)?;
    let body = format!(
        "{header}\n<main>\n{source}{functions}{passes}{code}{messages}</main>\n",
        header = header(report, file, &lines),
        source = source::view(report, &lines),
        functions = functions::view(report),
        passes = passes::view(report),
        messages = messages(report),
    );
    let title = format!("{file} - Quasar workbench");
    Ok(html::page(&title, include_str!("page.css"), &body, include_str!("page.js")))
}

/// The name of the program, its numbers, and the ways to the views.
fn header(report: &Report, file: &str, lines: &[LineReport]) -> String {
    let host = &report.trace.host;
    let reasons = || {
        let statements = lines.iter().flat_map(|line| &line.statements).filter(|statement| statement.begins);
        statements.flat_map(|statement| &statement.reasons)
    };
    let count = |topic, verdict| {
        reasons().filter(|reason| reason.topic == topic && reason.verdict == verdict).count()
    };
    let numbers = [
        ("", "functions", host.functions.len()),
        ("", "kernels", host.kernels.len()),
        ("fast", "parallel loops", count(Topic::Loop, Verdict::Fast)),
        ("slow", "serial loops", count(Topic::Loop, Verdict::Slow)),
        ("slow", "tested accesses", count(Topic::Bounds, Verdict::Slow)),
        (
            "",
            "passes that changed something",
            report.steps.iter().filter(|step| !step.changes.is_empty()).count(),
        ),
    ];
    let numbers: String = numbers
        .iter()
        .filter(|(_, _, number)| *number > 0)
        .map(|(class, words, number)| format!("<span class=\"chip {class}\"><b>{number}</b> {words}</span>"))
        .collect();
    let views = [
        ("source", "Source"),
        ("functions", "Functions"),
        ("passes", "Passes"),
        ("code", "Code"),
        ("messages", "Messages"),
    ];
    let views: String =
        views.iter().map(|(id, words)| format!("<a href=\"#{id}\" data-view=\"{id}\">{words}</a>")).collect();
    format!(
        "<header><div class=\"title\"><h1>{}</h1><span class=\"tool\">Quasar workbench {}</span></div>\
         <div class=\"chips\">{numbers}</div><nav>{views}</nav></header>",
        escape(file),
        env!("CARGO_PKG_VERSION")
    )
}

/// All that the compiler said.
fn messages(report: &Report) -> String {
    let said = report.trace.messages.iter().filter(|message| !message.text.is_empty());
    let all: String = said
        .map(|message| {
            let class = match message.category.is_error() {
                true => "error",
                false => "note",
            };
            let text = render::snippet(message, &report.document.compilation.sources, Style::Plain);
            format!("<pre class=\"message {class}\">{}</pre>", escape(text.trim_end()))
        })
        .collect();
    let all =
        if all.is_empty() { "<p class=\"none\">The compiler said nothing.</p>".to_string() } else { all };
    format!("<section id=\"messages\"><h2>Messages</h2>{all}</section>\n")
}
