//! The table of calls: how many, how long, how fast, and how the times of single calls run.

use super::{Machine, nothing, section};
use crate::html::escape;
use quasar_runtime::profile::{Report, Row, shown_bytes, shown_place, shown_time};

/// The view.
pub(super) fn view(report: &Report, machine: &Machine<'_>) -> String {
    if report.rows.is_empty() {
        let text = nothing("Nothing was measured: no kernels, copies or calls of the library.");
        return section("calls", "Calls", "", &text);
    }
    let head = [
        ("share", true),
        ("", false),
        ("name", false),
        ("place", false),
        ("device", false),
        ("calls", true),
        ("total", true),
        ("min", true),
        ("mean", true),
        ("max", true),
        ("each call", false),
        ("bytes", true),
        ("GB/s", true),
        ("Gop/s", true),
        ("of limit", true),
        ("size", false),
    ];
    let head: String = head
        .iter()
        .map(|(words, number)| format!("<th{}>{words}</th>", if *number { " class=\"num\"" } else { "" }))
        .collect();
    let measured = report.rows.iter().map(|row| row.total).sum::<u64>().max(1);
    let rows: String =
        report.rows.iter().enumerate().map(|(k, row)| line(k, row, measured, machine)).collect();
    let hint = "A click on a title sorts. GB/s counts each array once; the share of the limit is that of the roofline, and can be above 100 % \
                where arrays stay in caches.";
    let table = format!(
        "<div class=\"wide\"><table id=\"table\"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    );
    section("calls", "Calls", hint, &(table + &unknown(report)))
}

fn unknown(report: &Report) -> String {
    let untimed: u64 = report.rows.iter().map(|row| row.untimed).sum();
    if untimed == 0 {
        return String::new();
    }
    nothing(&format!("The time of {untimed} launches is unknown: their device did not tell it."))
}

fn line(k: usize, row: &Row, measured: u64, machine: &Machine<'_>) -> String {
    let share = 100.0 * row.total as f64 / measured as f64;
    let timed = row.count > row.untimed;
    let time = |x: f64| number(x, &if timed { shown_time(x) } else { "?".to_owned() });
    let rate = |known: bool, count: u64| match known {
        true => number(count as f64 / row.total as f64, &format!("{:.1}", count as f64 / row.total as f64)),
        false => number(-1.0, "-"),
    };
    let counted = row.uncounted == 0 && row.operations > 0 && row.total > 0;
    let limit = of_limit(row, machine);
    let limit =
        limit.map_or_else(|| number(-1.0, "-"), |part| number(part, &format!("{:.0} %", 100.0 * part)));
    let cells = [
        format!(
            "<td class=\"num\" data-v=\"{share}\"><i class=\"bar\" style=\"width:{share:.1}%\"></i>{share:.1} %</td>"
        ),
        format!("<td><span class=\"kind {0}\">{0}</span></td>", row.kind.name()),
        format!("<td class=\"name\">{}</td>", escape(&row.name)),
        format!("<td>{}</td>", place(row)),
        format!("<td>{}</td>", escape(&row.device)),
        number(row.count as f64, &row.count.to_string()),
        time(row.total as f64),
        time(row.min as f64),
        time(row.mean()),
        time(row.max as f64),
        format!("<td>{}</td>", spark(row)),
        number(row.bytes as f64, &shown_bytes(row.bytes)),
        rate(row.has_rate(), row.bytes),
        rate(counted, row.operations),
        limit,
        format!("<td>{}</td>", escape(&row.extents())),
    ];
    format!("<tr id=\"row{k}\">{}</tr>\n", cells.concat())
}

fn place(row: &Row) -> String {
    let text = escape(&shown_place(&row.file, row.line));
    if row.line == 0 {
        text
    } else {
        format!("<a href=\"#{}\">{text}</a>", super::listing::anchor(&row.file, row.line))
    }
}

/// A number of a table, with what it is sorted by.
fn number(value: f64, text: &str) -> String {
    format!("<td class=\"num\" data-v=\"{value}\">{text}</td>")
}

/// How much of what the machine allows a kernel reaches: of the bandwidth where it has no operations.
pub(super) fn of_limit(row: &Row, machine: &Machine<'_>) -> Option<f64> {
    let limits = machine.get(&row.device[..])?;
    if !row.has_rate() || row.uncounted > 0 || row.kind != quasar_runtime::profile::Kind::Kernel {
        return None;
    }
    let (bandwidth, most) = (limits.bandwidth as f64 / 1e9, limits.operations as f64 / 1e9);
    match row.intensity() {
        Some((intensity, reached)) => Some(reached / (intensity * bandwidth).min(most)),
        None if row.operations == 0 => Some(row.bytes as f64 / row.total as f64 / bandwidth),
        None => None,
    }
}

/// The times of calls from the first to the last.
fn spark(row: &Row) -> String {
    const SIZE: (f64, f64) = (96.0, 20.0);
    let most = row.samples.iter().copied().max().unwrap_or(0) as f64;
    if row.samples.len() < 2 || most == 0.0 {
        return String::new();
    }
    let last = (row.samples.len() - 1) as f64;
    let points: Vec<String> = (row.samples.iter().enumerate())
        .map(|(k, time)| {
            let (x, y) = (k as f64 / last * SIZE.0, SIZE.1 - 1.0 - *time as f64 / most * (SIZE.1 - 2.0));
            format!("{x:.1},{y:.1}")
        })
        .collect();
    format!(
        "<svg class=\"spark\" width=\"{}\" height=\"{}\"><polyline points=\"{}\"/></svg>",
        SIZE.0,
        SIZE.1,
        points.join(" ")
    )
}
