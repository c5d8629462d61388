//! The code that is made of a program beside its lines: IR, Rust, CUDA. What comes from a line lights up with it.

use super::{pretty, source};
use crate::html::escape;
use quasar_core::backend::{clike, rust};
use quasar_core::driver;
use quasar_core::ir::print::{function_lines, kernel_lines};
use quasar_core::ir::schedule::OnDevice;
use quasar_core::message::Sink;
use quasar_core::query::outcome::{LineReport, Report};
use quasar_core::source::Span;

/// A function or kernel: its name, its printed lines, and the lines of the source that they come from.
struct Part {
    name: String,
    lines: Vec<(String, Option<u32>)>,
    range: Option<(u32, u32)>,
}

/// The view.
pub(super) fn view(report: &Report, lines: &[LineReport]) -> Result<String, String> {
    let parts = parts(report);
    let columns = [
        ("source", "Source", source_lines(report, lines)),
        ("ir", "Final IR", parts.iter().map(ir).collect()),
        ("rust", "Rust for the processor", rust(report, &parts)),
        ("cuda", "CUDA and OpenCL", cuda(report, &parts)?),
    ];
    let buttons: String = columns
        .iter()
        .map(|(id, words, _)| {
            format!("<label><input type=\"checkbox\" checked data-column=\"{id}\"> {words}</label>")
        })
        .collect();
    let columns: String = columns
        .iter()
        .map(|(id, words, text)| {
            format!("<div class=\"column\" data-is=\"{id}\"><h3>{words}</h3><div class=\"text\">{text}</div></div>")
        })
        .collect();
    Ok(format!(
        "<section id=\"code\"><h2>Code</h2><p class=\"tools\">{buttons}<span class=\"hint\">A click on a line marks what it became, \
         and where code comes from.</span></p><div class=\"columns\">{columns}</div></section>\n"
    ))
}

/// The functions of the host, and kernels as the processor gets them.
fn parts(report: &Report) -> Vec<Part> {
    let program = &report.trace.processor;
    let functions = program.functions.iter().map(|(_, f)| (f.name.clone(), function_lines(program, f)));
    let kernels = program.kernels.iter().map(|(_, k)| (k.name.clone(), kernel_lines(program, k)));
    let line = |span: Span| {
        (span.file == report.document.root && span.start < span.end).then(|| report.line_of(span))
    };
    functions
        .chain(kernels)
        .map(|(name, lines)| {
            let lines: Vec<(String, Option<u32>)> =
                lines.into_iter().map(|(text, span)| (text, line(span))).collect();
            let known = || lines.iter().filter_map(|(_, line)| *line);
            let range = known().min().zip(known().max());
            Part { name, lines, range }
        })
        .collect()
}

fn source_lines(report: &Report, lines: &[LineReport]) -> String {
    let rows = source::highlighted(report, lines);
    rows.iter()
        .enumerate()
        .map(|(k, row)| {
            format!(
                "<div class=\"cl\" data-l=\"{0}\"><span class=\"ln\">{0}</span><code>{row}</code></div>",
                k + 1
            )
        })
        .collect()
}

/// The lines of the source that a part comes from, for the script.
fn range(part: Option<&Part>) -> String {
    match part.and_then(|part| part.range) {
        Some((first, last)) => format!(" data-a=\"{first}\" data-b=\"{last}\""),
        None => String::new(),
    }
}

fn ir(part: &Part) -> String {
    shown(&part.lines, Some(part))
}

/// Lines of a part, each with the line of the source that it comes from.
fn shown(lines: &[(String, Option<u32>)], part: Option<&Part>) -> String {
    let lines: String = lines
        .iter()
        .map(|(text, line)| {
            let (mark, number) = match line {
                Some(line) => (format!(" data-l=\"{line}\""), line.to_string()),
                None => (String::new(), String::new()),
            };
            format!(
                "<div class=\"cl\"{mark}><span class=\"ln\">{number}</span><code>{}</code></div>",
                escape(text)
            )
        })
        .collect();
    format!("<div class=\"part\"{}>{lines}</div>", range(part))
}

fn rust(report: &Report, parts: &[Part]) -> String {
    let compilation = &report.document.compilation;
    let working = compilation.settings.precision;
    let printing = rust::Options { working, lines: true, ..rust::Options::default() };
    let mut sink = Sink::default();
    let text = driver::print_rust(&report.trace.host, &compilation.sources, &printing, &mut sink);
    let items = pretty::items(&text);
    let missing: String =
        sink.into_sorted().iter().map(|message| format!("<p>{}</p>", escape(&message.text))).collect();
    let root = report.document.root.0;
    let own = |place: &Option<pretty::Place>| place.filter(|(file, _)| *file == root).map(|(_, line)| line);
    let items: String = items
        .iter()
        .map(|item| {
            let lines: Vec<_> = item.lines.iter().map(|(text, place)| (text.clone(), own(place))).collect();
            shown(&lines, part_of(&item.head, parts))
        })
        .collect();
    missing + &items
}

/// The function or kernel that an item of the printed module belongs to: `f_blur`, `K_opt__blur_line3_row`.
fn part_of<'a>(head: &str, parts: &'a [Part]) -> Option<&'a Part> {
    let words = || head.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_of = |word: &str, name: &str| {
        let rest = ["f_", "K_", "D_"].iter().find_map(|prefix| word.strip_prefix(prefix)?.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let found = parts.iter().filter(|part| words().any(|word| is_of(word, &part.name)));
    found.max_by_key(|part| part.name.len())
}

fn cuda(report: &Report, parts: &[Part]) -> Result<String, String> {
    let program = &report.trace.devices;
    let sources = &report.document.compilation.sources;
    let mut out = String::new();
    for (id, kernel) in program.kernels.iter() {
        let part = parts.iter().find(|part| part.name == kernel.name);
        let line = |span: Span| sources.line_column(span.file, span.start).0;
        let mut add = |text: &str| out += &shown(&device_lines(report, text.trim_end()), part);
        if let Some(OnDevice::Refused { span, what }) = &kernel.schedule.device {
            add(&format!("// {}: on the processor only: line {}: {what}", kernel.name, line(*span)));
            continue;
        }
        let text = clike::kernel_naming(clike::Naming::Lines, program, id, sources).map_err(
            |clike::Malformed { span, what }| {
                format!("internal error: {}, line {}: no pass refused {what}", kernel.name, line(span))
            },
        )?;
        if let Some(text) = text {
            text.versions().for_each(|version| add(&version.text));
        }
    }
    Ok(if out.is_empty() { "<p class=\"none\">The program has no kernels.</p>".to_string() } else { out })
}

/// The lines of a text for devices, without the directives that say where each comes from.
fn device_lines(report: &Report, text: &str) -> Vec<(String, Option<u32>)> {
    let root = &report.document.compilation.sources.file(report.document.root).name;
    let (mut found, mut place) = (Vec::new(), None);
    for line in text.lines() {
        match line.trim_start().strip_prefix("#line ").and_then(|rest| rest.split_once(' ')) {
            Some((number, file)) => {
                place = number.parse().ok().filter(|_| file.trim_matches('"') == root.as_str())
            }
            None => found.push((line.to_owned(), place)),
        }
    }
    found
}
