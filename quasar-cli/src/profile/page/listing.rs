//! The lines of the sources with their share of the time as heat.

use super::{nothing, section};
use crate::html::escape;
use crate::profile::changed;
use quasar_runtime::profile::{Report, Row, shown_time};
use std::collections::BTreeMap;
use std::path::Path;

/// Longer files are shown around the lines that took time.
const WHOLE: usize = 400;
const AROUND: usize = 6;

/// The rows of each line of a file.
type Lines<'r> = BTreeMap<usize, Vec<&'r Row>>;

/// The view.
pub(super) fn view(report: &Report) -> String {
    let mut files: BTreeMap<&str, Lines<'_>> = BTreeMap::new();
    for row in report.rows.iter().filter(|row| row.line > 0 && !row.file.is_empty()) {
        files.entry(&row.file).or_default().entry(row.line as usize).or_default().push(row);
    }
    let measured = report.rows.iter().map(|row| row.total).sum::<u64>().max(1);
    let changed = changed::files(report);
    let mut content = String::new();
    for (file, lines) in &files {
        content += &format!("<h3>{}</h3>", escape(file));
        if changed.contains(file) {
            content += &format!("<p class=\"warning\">{}</p>", escape(&changed::message(file)));
        }
        content += &match quasar_files::read::text(Path::new(file)) {
            Ok(text) => listing(file, &text, lines, measured),
            Err(error) => {
                let lines = lines.iter().map(|(line, rows)| row(file, *line, "", rows, measured));
                let why = nothing(&format!("The source cannot be shown: {error}"));
                format!("{why}<div class=\"listing\">{}</div>", lines.collect::<String>())
            }
        };
    }
    if content.is_empty() {
        content = nothing("No kernel has a place in a source.");
    }
    let hint = "Where kernels begin, with their time. The redder, the longer.";
    section("lines", "Lines", hint, &content)
}

fn listing(file: &str, text: &str, lines: &Lines<'_>, measured: u64) -> String {
    let whole = text.lines().count() <= WHOLE;
    let is_near = |k: usize| whole || lines.keys().any(|at| at.abs_diff(k) <= AROUND);
    let mut out = String::from("<div class=\"listing\">");
    let mut last = 0;
    for (k, line) in text.lines().enumerate().map(|(k, line)| (k + 1, line)).filter(|(k, _)| is_near(*k)) {
        if last + 1 != k {
            out += "<div class=\"gap\">...</div>";
        }
        last = k;
        out += &row(file, k, line, lines.get(&k).map_or(&[], Vec::as_slice), measured);
    }
    let end = text.lines().count();
    for (line, rows) in lines.iter().filter(|(line, _)| **line > end) {
        out += &row(file, *line, "(the file has no such line any more)", rows, measured);
    }
    out + "</div>"
}

/// A line, and what began there.
fn row(file: &str, line: usize, code: &str, rows: &[&Row], measured: u64) -> String {
    let (attributes, told) =
        if rows.is_empty() { Default::default() } else { heat(file, line, rows, measured) };
    format!(
        "<div class=\"row\"{attributes}><span class=\"told\">{told}</span><span class=\"ln\">{line}</span><code>{}</code></div>\n",
        escape(code)
    )
}

/// The colour of a line, and its share and time.
fn heat(file: &str, line: usize, rows: &[&Row], measured: u64) -> (String, String) {
    let total: u64 = rows.iter().map(|row| row.total).sum();
    let count: u64 = rows.iter().map(|row| row.count).sum();
    let share = total as f64 / measured as f64;
    let names: Vec<String> = rows
        .iter()
        .map(|row| {
            format!("{} on {}: {} in {} calls", row.name, row.device, shown_time(row.total as f64), row.count)
        })
        .collect();
    // Shares of a hundredth are seen, too.
    let strength = 2.0 + 78.0 * share.sqrt();
    let attributes = format!(
        " id=\"{}\" style=\"--heat:{strength:.0}%\" title=\"{}\"",
        anchor(file, line as u32),
        escape(&names.join("\n"))
    );
    (attributes, format!("<b>{:.1} %</b> {} in {count}", 100.0 * share, shown_time(total as f64)))
}

/// The name of a line on the page.
pub(super) fn anchor(file: &str, line: u32) -> String {
    let name: String = file.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("L{name}-{line}")
}
