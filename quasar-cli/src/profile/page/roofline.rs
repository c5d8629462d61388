//! The roofline: how many operations kernels do for each byte and each second, below what the machine allows.

use super::axis::Logarithmic;
use super::table::of_limit;
use super::{Machine, id_of, nothing, section};
use crate::html::escape;
use quasar_runtime::profile::{self, Kind, Limits, Report, Row, shown_place};

const SIZE: (f64, f64) = (720.0, 400.0);
/// The plot in it: left, right, top, bottom.
const PLOT: (f64, f64, f64, f64) = (64.0, 700.0, 14.0, 356.0);
/// More points would hide each other; the longest ones are shown.
const MOST_POINTS: usize = 40;

/// The view.
pub(super) fn view(report: &Report, machine: &Machine<'_>) -> String {
    let kernels: Vec<&Row> = report.rows.iter().filter(|row| row.kind == Kind::Kernel).collect();
    let mut devices: Vec<&str> = kernels.iter().map(|row| &row.device[..]).collect();
    devices.sort_unstable();
    devices.dedup();
    let content: String = devices
        .iter()
        .map(|device| {
            let of_device: Vec<&Row> = kernels.iter().copied().filter(|row| row.device == *device).collect();
            format!("<h3>{}</h3>{}", escape(device), of(report, &of_device, machine.get(device)))
        })
        .collect();
    let content = if content.is_empty() { nothing("There are no kernels.") } else { content };
    let hint = "Operations are those of floating-point numbers, as the compiler counts them; bytes are those of the arrays, each once. Below the \
                slope memory limits a kernel, below the flat line arithmetic (multiply-adds in single precision).";
    section("roofline", "Roofline", hint, &content)
}

/// The plot of a device, its points, and the kernels that have none.
fn of(report: &Report, kernels: &[&Row], limits: Option<&Limits>) -> String {
    let known: Vec<(&Row, (f64, f64))> =
        kernels.iter().filter_map(|row| Some((*row, row.intensity()?))).take(MOST_POINTS).collect();
    let mut out = String::new();
    match limits {
        Some(limits) => {
            out += &format!(
                "<p class=\"hint\">Measured limits: {:.1} GB/s, {:.0} Gop/s.</p>",
                limits.bandwidth as f64 / 1e9,
                limits.operations as f64 / 1e9
            );
        }
        None if !profile::is_of_this_machine(report) => {
            out += &nothing(&format!(
                "The report was made on another machine ({}), whose limits are not known here.",
                report.machine
            ));
        }
        None => out += &nothing("The limits of this device are not known."),
    }
    if !known.is_empty() {
        out += &format!(
            "<div class=\"roof\">{}{}</div>",
            plot(report, &known, limits),
            legend(report, &known, limits)
        );
    }
    out + &without(kernels)
}

/// Why kernels have no point.
fn without(kernels: &[&Row]) -> String {
    let reason = |row: &Row| match () {
        () if row.untimed > 0 => Some("no times"),
        () if row.bytes == 0 => Some("the engine tells no bytes"),
        () if row.uncounted > 0 => Some("rounds of loops depend on values"),
        () if row.operations == 0 => Some("no floating-point operations"),
        () => None,
    };
    let list: String = kernels
        .iter()
        .filter_map(|row| Some(format!("<li>{} <i>{}</i></li>", escape(&row.name), reason(row)?)))
        .collect();
    if list.is_empty() {
        return list;
    }
    format!("<details class=\"without\"><summary>Kernels without a point</summary><ul>{list}</ul></details>")
}

fn plot(report: &Report, known: &[(&Row, (f64, f64))], limits: Option<&Limits>) -> String {
    let (left, right, top, bottom) = PLOT;
    let roof = limits.map(|limits| (limits.bandwidth as f64 / 1e9, limits.operations as f64 / 1e9));
    let roof = roof.filter(|(bandwidth, most)| *bandwidth > 0.0 && *most > 0.0);
    let ridge = roof.map(|(bandwidth, most)| most / bandwidth);
    let intensities = known.iter().map(|(_, (intensity, _))| *intensity);
    let x = Logarithmic::around(intensities.clone().chain(ridge), (left, right));
    let allowed = |intensity: f64| roof.map(|(bandwidth, most)| (intensity * bandwidth).min(most));
    let reached = known.iter().map(|(_, (_, reached))| *reached);
    let y = Logarithmic::around(
        reached.chain(intensities.filter_map(allowed)).chain(roof.map(|r| r.1)),
        (bottom, top),
    );
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"roofline\">",
        SIZE.0, SIZE.1
    );
    for value in x.decades() {
        let at = x.at(value);
        svg += &format!("<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>");
        svg += &format!(
            "<text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            decade(value)
        );
    }
    for value in y.decades() {
        let at = y.at(value);
        svg += &format!("<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>");
        svg += &format!(
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            at + 4.0,
            decade(value)
        );
    }
    svg += &format!(
        "<text class=\"label\" x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">operations for each byte</text>\
         <text class=\"label\" x=\"14\" y=\"{top}\" transform=\"rotate(-90 14 {top})\" text-anchor=\"end\">Gop/s</text>",
        bottom + 36.0
    );
    if let (Some((bandwidth, most)), Some(ridge)) = (roof, ridge) {
        let (first, last) = x.ends();
        // The slope begins where it enters the plot.
        let first = first.max(y.ends().0 / bandwidth);
        let points = [(first, first * bandwidth), (ridge, most), (last, most)];
        let points: Vec<String> =
            points.iter().map(|(a, b)| format!("{:.1},{:.1}", x.at(*a), y.at(*b))).collect();
        svg += &format!("<polyline class=\"limit\" points=\"{}\"/>", points.join(" "));
    }
    for (k, (row, (intensity, reached))) in known.iter().enumerate() {
        let (cx, cy) = (x.at(*intensity), y.at(*reached));
        svg += &format!(
            "<a href=\"#row{}\"><g class=\"point\"><circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"9\"/>\
             <text x=\"{cx:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><title>{}</title></g></a>",
            id_of(report, row),
            cy + 3.5,
            k + 1,
            escape(&row.name)
        );
    }
    svg + "</svg>"
}

/// 0.01, 1, 1000
fn decade(value: f64) -> String {
    if value >= 1.0 { format!("{value:.0}") } else { format!("{value}") }
}

fn legend(report: &Report, known: &[(&Row, (f64, f64))], limits: Option<&Limits>) -> String {
    let machine: Machine<'_> =
        known.iter().zip(limits).map(|((row, _), limits)| (&row.device[..], *limits)).collect();
    let rows: String = known
        .iter()
        .enumerate()
        .map(|(k, (row, (intensity, reached)))| {
            let part = of_limit(row, &machine).map_or_else(|| "-".to_owned(), |part| format!("{:.0} %", 100.0 * part));
            let bound = limits.map_or("", |limits| {
                let by_memory = intensity * (limits.bandwidth as f64) < limits.operations as f64;
                if by_memory { "memory" } else { "arithmetic" }
            });
            format!(
                "<tr><td class=\"num\">{}</td><td class=\"name\"><a href=\"#row{}\">{}</a></td><td>{}</td><td class=\"num\">{intensity:.2}</td>\
                 <td class=\"num\">{reached:.2}</td><td class=\"num\">{part}</td><td>{bound}</td></tr>",
                k + 1,
                id_of(report, row),
                escape(&row.name),
                escape(&shown_place(&row.file, row.line)),
            )
        })
        .collect();
    format!(
        "<table><thead><tr><th></th><th>kernel</th><th>place</th><th class=\"num\">op/B</th><th class=\"num\">Gop/s</th>\
         <th class=\"num\">of limit</th><th>limited by</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}
