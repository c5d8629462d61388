//! Copies between the host and devices: how many, how much, how fast.

use super::{nothing, section};
use crate::html::escape;
use quasar_runtime::profile::{Kind, Report, Row, shown_bytes, shown_time};
use std::collections::BTreeMap;

/// The view.
pub(super) fn view(report: &Report) -> String {
    let mut devices: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in report.rows.iter().filter(|row| row.kind == Kind::Copy) {
        devices.entry(&row.device).or_default().push(row);
    }
    if devices.is_empty() {
        let text = nothing("Nothing was copied between the host and a device.");
        return section("transfers", "Transfers", "", &text);
    }
    let drawings: String = devices.iter().map(|(device, rows)| drawing(device, rows)).collect();
    let most = devices.values().flatten().map(|row| row.bytes).max().unwrap_or(1).max(1);
    let lines: String = devices.values().flatten().map(|row| line(row, most)).collect();
    let table = format!(
        "<table><thead><tr><th>device</th><th>copies</th><th class=\"num\">calls</th><th class=\"num\">bytes</th>\
         <th class=\"num\">mean size</th><th class=\"num\">total</th><th class=\"num\">GB/s</th></tr></thead>\
         <tbody>{lines}</tbody></table>"
    );
    let hint = "Times are those of the calls: a copy from a device also waits for the kernels before it.";
    section("transfers", "Transfers", hint, &format!("<div class=\"flows\">{drawings}</div>{table}"))
}

fn line(row: &Row, most: u64) -> String {
    let rate = match row.has_rate() {
        true => format!("{:.1}", row.bytes as f64 / row.total as f64),
        false => "-".to_owned(),
    };
    format!(
        "<tr><td>{}</td><td>{}</td><td class=\"num\">{}</td><td class=\"num\"><i class=\"bar\" style=\"width:{:.1}%\"></i>{}</td>\
         <td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{rate}</td></tr>",
        escape(&row.device),
        escape(&row.name),
        row.count,
        100.0 * row.bytes as f64 / most as f64,
        shown_bytes(row.bytes),
        shown_bytes(row.bytes / row.count.max(1)),
        shown_time(row.total as f64)
    )
}

/// The host, a device, and arrows as wide as what goes along them.
fn drawing(device: &str, rows: &[&Row]) -> String {
    let bytes = |name: &str| rows.iter().filter(|row| row.name == name).map(|row| row.bytes).sum::<u64>();
    let ways = [("to the device", 34.0, true), ("from the device", 74.0, false)];
    let most = ways.iter().map(|(name, ..)| bytes(name)).max().unwrap_or(1).max(1) as f64;
    let arrows: String = ways
        .iter()
        .filter(|(name, ..)| bytes(name) > 0)
        .map(|(name, y, right)| {
            let bytes = bytes(name);
            let width = 2.0 + 10.0 * bytes as f64 / most;
            let (from, to, tip) = if *right { (104.0, 266.0, 12.0) } else { (276.0, 114.0, -12.0) };
            format!(
                "<line class=\"flow\" x1=\"{from}\" x2=\"{to}\" y1=\"{y}\" y2=\"{y}\" stroke-width=\"{width:.1}\"/>\
                 <path class=\"tip\" d=\"M{to} {a} L{b} {y} L{to} {c} Z\"/>\
                 <text class=\"tick\" x=\"190\" y=\"{d}\" text-anchor=\"middle\">{}</text>",
                shown_bytes(bytes),
                a = y - 11.0,
                b = to + tip,
                c = y + 11.0,
                d = y - 12.0,
            )
        })
        .collect();
    format!(
        "<svg class=\"flows\" viewBox=\"0 0 380 100\" width=\"380\" height=\"100\" role=\"img\" aria-label=\"transfers\">\
         <rect class=\"box\" x=\"1\" y=\"10\" width=\"98\" height=\"80\" rx=\"8\"/><text x=\"50\" y=\"55\" text-anchor=\"middle\">host</text>\
         <rect class=\"box\" x=\"281\" y=\"10\" width=\"98\" height=\"80\" rx=\"8\"/><text x=\"330\" y=\"55\" text-anchor=\"middle\">device</text>\
         {arrows}<title>{}</title></svg>",
        escape(device)
    )
}
