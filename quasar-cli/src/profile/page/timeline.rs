//! The timeline: the calls as data for the script, in the lanes of threads and devices.

use super::{nothing, section};
use quasar_runtime::profile::{Event, Kind, Report, shown_place};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The view, which the script fills.
pub(super) fn view(report: &Report) -> String {
    let mut content = if report.events.is_empty() {
        nothing("No call has a place in time.")
    } else {
        "<p class=\"tools\"><button data-zoom=\"0.5\">Closer</button><button data-zoom=\"2\">Farther</button>\
         <button data-zoom=\"0\">All</button><span class=\"keys\">\
         <i class=\"kernel\"></i>kernel <i class=\"copy\"></i>copy <i class=\"allocation\"></i>memory \
         <i class=\"library\"></i>library <i class=\"compilation\"></i>compilation</span>\
         <span id=\"range\"></span></p><div id=\"lanes\" tabindex=\"0\"><svg></svg></div>\
         <noscript><p class=\"none\">The timeline needs scripts.</p></noscript>"
            .to_owned()
    };
    if report.left_out > 0 {
        content += &nothing(&format!("Without the last {} calls; the table counts all.", report.left_out));
    }
    let hint = "The wheel goes closer, dragging moves; a click shows the line of a call. Threads of the host wait where they copy and compile.";
    section("timeline", "Timeline", hint, &content)
}

/// The calls for the script: what there is, the lanes, and of each call its lane, what it is, when it began, how long it took, and its bytes.
pub(super) fn data(report: &Report) -> String {
    let mut lanes = Numbered::default();
    let mut things = Numbered::default();
    let mut kept: Vec<Value> = Vec::new();
    let mut events: Vec<[u64; 5]> = Vec::new();
    for event in &report.events {
        let key = (event.kind.name(), &event.name[..], event.line, &event.device[..]);
        let (thing, is_new) = things.number(key);
        if is_new {
            kept.push(thing_of(report, event));
        }
        let mut add = |lane: String| {
            let lane = lanes.number(lane).0 as u64;
            events.push([lane, thing as u64, event.start, event.time, event.bytes]);
        };
        add(event.track_name());
        // Copies are shown at their device, too.
        if event.kind == Kind::Copy && !event.is_on_device() {
            add(format!("{}: copies", event.device));
        }
    }
    // Threads come first, and what belongs to a device stands together.
    let mut order: Vec<usize> = (0..lanes.all.len()).collect();
    let thread = |lane: &str| lane.strip_prefix("thread ").and_then(|number| number.parse::<u64>().ok());
    order.sort_by_key(|k| {
        let lane = lanes.all.get(*k).map(String::as_str).unwrap_or_default();
        (thread(lane).is_none(), thread(lane), lane.to_owned())
    });
    let data =
        json!({ "wall": report.wall, "lanes": lanes.all, "order": order, "things": kept, "events": events });
    // Nothing in a text may end the element that holds it.
    let text = data.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"data\">{text}</script>\n")
}

fn thing_of(report: &Report, event: &Event) -> Value {
    let row = report.rows.iter().position(|row| {
        (row.kind, &row.name, row.line, &row.device) == (event.kind, &event.name, event.line, &event.device)
    });
    json!({
        "kind": event.kind.name(), "name": event.name, "device": event.device,
        "place": shown_place(&event.file, event.line), "row": row,
    })
}

/// Gives each value a number.
#[derive(Default)]
struct Numbered<T> {
    all: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    /// The number of a value, and whether it is a new one.
    fn number(&mut self, value: T) -> (usize, bool) {
        if let Some(number) = self.numbers.get(&value) {
            return (*number, false);
        }
        let number = self.all.len();
        self.all.push(value.clone());
        self.numbers.insert(value, number);
        (number, true)
    }
}
