//! The page of a report: timeline, table, lines with heat, roofline, transfers, memory. It needs nothing but itself; what stands still is
//! drawn here, and the timeline by the script, which zooms into it.

mod axis;
mod copies;
mod listing;
mod memory;
mod roofline;
mod table;
mod timeline;

use crate::html::{self, escape};
use quasar_runtime::profile::{self, Kind, Limits, Report, shown_place, shown_time};
use std::collections::BTreeMap;

/// What the machine allows, for each device of a report that is measured here.
type Machine<'r> = BTreeMap<&'r str, Limits>;

/// The page of a report.
pub(super) fn page(report: &Report) -> String {
    let machine = machine(report);
    let body = format!(
        "{}\n<main>\n{}{}{}{}{}{}</main>\n{}",
        header(report),
        timeline::view(report),
        table::view(report, &machine),
        listing::view(report),
        roofline::view(report, &machine),
        copies::view(report),
        memory::view(report),
        timeline::data(report),
    );
    let title = format!("{} - Quasar profile", shown_place(&report.program, 0));
    html::page(&title, include_str!("page.css"), &body, include_str!("page.js"))
}

/// The limits of the devices with kernels whose bytes are known, if the report was made here.
fn machine(report: &Report) -> Machine<'_> {
    if !profile::is_of_this_machine(report) {
        return Machine::new();
    }
    let kernels = report.rows.iter().filter(|row| row.kind == Kind::Kernel && row.has_rate());
    let mut devices: Vec<&str> = kernels.map(|row| &row.device[..]).collect();
    devices.sort_unstable();
    devices.dedup();
    devices.into_iter().filter_map(|device| Some((device, profile::limits(device)?))).collect()
}

fn header(report: &Report) -> String {
    let measured: u64 = report.rows.iter().map(|row| row.total).sum();
    let count = |kind| report.rows.iter().filter(|row| row.kind == kind).map(|row| row.count).sum::<u64>();
    let numbers = [
        (shown_time(report.wall as f64), "from beginning to end"),
        (shown_time(measured as f64), "in calls"),
        (count(Kind::Kernel).to_string(), "launches"),
        (count(Kind::Copy).to_string(), "copies"),
        (count(Kind::Compilation).to_string(), "compilations"),
    ];
    let chips: String = numbers
        .iter()
        .filter(|(number, _)| number != "0")
        .map(|(number, words)| format!("<span class=\"chip\"><b>{number}</b> {words}</span>"))
        .collect();
    let views = [
        ("timeline", "Timeline"),
        ("calls", "Calls"),
        ("lines", "Lines"),
        ("roofline", "Roofline"),
        ("transfers", "Transfers"),
        ("memory", "Memory"),
    ];
    let views: String = views.iter().map(|(id, words)| format!("<a href=\"#{id}\">{words}</a>")).collect();
    format!(
        "<header><div class=\"title\"><h1>{}</h1><span class=\"tool\">Quasar profile {} on {}</span></div>\
         <div class=\"chips\">{chips}</div><nav>{views}</nav></header>",
        escape(&report.program),
        env!("CARGO_PKG_VERSION"),
        escape(&report.machine),
    )
}

/// A part of the page.
fn section(id: &str, title: &str, hint: &str, content: &str) -> String {
    format!("<section id=\"{id}\"><h2>{title}</h2><p class=\"hint\">{hint}</p>{content}</section>\n")
}

/// What stands where there is nothing to show.
fn nothing(why: &str) -> String {
    format!("<p class=\"none\">{}</p>", escape(why))
}

/// The number of a row, by which the script finds it.
fn id_of(report: &Report, row: &profile::Row) -> usize {
    report.rows.iter().position(|other| std::ptr::eq(other, row)).unwrap_or_default()
}
