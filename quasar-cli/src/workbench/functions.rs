//! The functions and kernels of the program, those that passes made included, with the reason for each.

use super::source::class;
use crate::html::escape;
use quasar_core::ir::rewrite::visit_stmts;
use quasar_core::ir::{Kernel, KernelId, Stmt, StmtKind};
use quasar_core::query::outcome::{Reason, Report, Topic, Verdict};
use quasar_core::source::Span;
use std::collections::BTreeSet;

/// The view.
pub(super) fn view(report: &Report) -> String {
    let host = &report.trace.host;
    let mut shown = BTreeSet::new();
    let mut rows = String::new();
    for (_, function) in host.functions.iter() {
        let kind = if function.device { "device function" } else { "function" };
        rows += &row(report, kind, &function.name, function.span, None, &[]);
        for id in launched(&function.body.block) {
            if shown.insert(id) {
                rows += &kernel(report, id);
            }
        }
    }
    for (id, _) in host.kernels.iter().filter(|(id, _)| !shown.contains(id)) {
        rows += &kernel(report, id);
    }
    format!(
        "<section id=\"functions\"><h2>Functions</h2><div class=\"listing\"><table class=\"list\"><thead><tr><th>name</th>\
         <th>from</th><th>what became of it</th></tr></thead><tbody>{rows}</tbody></table></div></section>\n"
    )
}

/// The kernels that a function launches, in the order of its code.
fn launched(block: &[Stmt]) -> Vec<KernelId> {
    let mut found = Vec::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Launch { kernel, .. } = &stmt.kind
            && !found.contains(kernel)
        {
            found.push(*kernel);
        }
    });
    found
}

fn kernel(report: &Report, id: KernelId) -> String {
    let kernel = &report.trace.host.kernels[id];
    let origin = report.origin(kernel).unwrap_or_else(|| written(kernel));
    row(report, "kernel", &kernel.name, kernel.span, Some(&origin), &report.schedule(id))
}

/// What is said of a kernel that no pass made.
fn written(kernel: &Kernel) -> Reason {
    let text = if kernel.parallel { "written as a kernel" } else { "written as a kernel, and serial" };
    let verdict = if kernel.parallel { Verdict::Fast } else { Verdict::Slow };
    Reason { topic: Topic::Kernel, verdict, text: text.to_string(), related: Vec::new() }
}

fn row(
    report: &Report,
    kind: &str,
    name: &str,
    span: Span,
    origin: Option<&Reason>,
    schedule: &[Reason],
) -> String {
    let from = match span.start < span.end {
        true if span.file == report.document.root => {
            format!("<a href=\"#L{0}\">line {0}</a>", report.line_of(span))
        }
        true => escape(&report.document.compilation.sources.file(span.file).name),
        false => String::new(),
    };
    let origin = origin.map(|reason| {
        let text = reason.text.lines().next().unwrap_or_default();
        format!("<span class=\"{}\">{}</span>", class(reason.verdict), escape(text))
    });
    let schedule: String = schedule
        .iter()
        .map(|reason| format!("<div><i>{}</i> {}</div>", reason.topic.name(), escape(&reason.text)))
        .collect();
    let inner = if origin.is_some() { " class=\"inner\"" } else { "" };
    format!(
        "<tr{inner}><td><i>{kind}</i> <code>{}</code></td><td>{from}</td><td>{}{schedule}</td></tr>",
        escape(name),
        origin.unwrap_or_default()
    )
}
