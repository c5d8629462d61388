//! The memory of arrays over time, on the host and on devices.

use super::axis::steps;
use super::{nothing, section};
use crate::html::escape;
use quasar_runtime::profile::{self, Memory, Report, shown_bytes, shown_time};

const SIZE: (f64, f64) = (1000.0, 150.0);
/// The plot in it: left, right, top, bottom.
const PLOT: (f64, f64, f64, f64) = (76.0, 988.0, 10.0, 122.0);

/// The view.
pub(super) fn view(report: &Report) -> String {
    let content: String = report
        .memory
        .iter()
        .map(|memory| {
            format!(
                "<h3>{} <small>at most {}</small></h3>{}",
                escape(&memory.device),
                shown_bytes(memory.peak),
                curve(memory, report.wall)
            )
        })
        .collect();
    let interpreted = report.rows.iter().any(|row| row.device == profile::INTERPRETER);
    let content = match content.is_empty() {
        true if interpreted => nothing("The interpreter does not tell what its arrays take."),
        true => nothing("No memory was taken for arrays."),
        false => content,
    };
    let hint = "What arrays take, from when they are made until they are dropped; on the host arrays of 32 KB and more. Freed memory that is kept \
                for later is not in it.";
    section("memory", "Memory", hint, &content)
}

fn curve(memory: &Memory, wall: u64) -> String {
    let (left, right, top, bottom) = PLOT;
    let (end, most) = (wall.max(1) as f64, memory.peak.max(1) as f64);
    let x = |at: f64| left + at / end * (right - left);
    let y = |bytes: f64| bottom - bytes / most * (bottom - top);
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"memory\">",
        SIZE.0, SIZE.1
    );
    for at in steps(end, 8.0) {
        let x = x(at);
        svg += &format!("<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>");
        svg += &format!(
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            shown_time(at)
        );
    }
    for bytes in steps(most, 3.0) {
        let (at, text) = (y(bytes), if bytes == 0.0 { "0".to_owned() } else { shown_bytes(bytes as u64) });
        svg += &format!("<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>");
        svg += &format!(
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    // What was in use when the measuring began is known with the first change.
    let first = memory.points.first().map_or(0.0, |point| x(point.0 as f64));
    let mut path = format!("M{first:.1} {bottom}");
    for (at, bytes) in &memory.points {
        path += &format!(" H{:.1} V{:.1}", x(*at as f64), y(*bytes as f64));
    }
    svg += &format!("<path class=\"area\" d=\"{path} H{:.1} V{bottom} Z\"/>", x(end));
    svg + "</svg>"
}
