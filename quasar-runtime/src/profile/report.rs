//! The report: what took how long, as a file that is read again.

use crate::error::{Error, Place, Result};
use quasar_devicelib::json::{Json, quoted};
use std::fmt::Write as _;
use std::path::Path;

/// What took time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A kernel.
    #[default]
    Kernel,
    /// A copy to, from or inside of a device.
    Copy,
    /// Memory of a device.
    Allocation,
    /// A function of the library, without the kernels and copies in it.
    Library,
    /// A kernel that was compiled, or loaded from a cache, for a device.
    Compilation,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Kernel, Kind::Copy, Kind::Allocation, Kind::Library, Kind::Compilation];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Kernel => "kernel",
            Kind::Copy => "copy",
            Kind::Allocation => "allocation",
            Kind::Library => "library",
            Kind::Compilation => "compilation",
        }
    }
}

/// All calls of one thing on one device. Times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// The file of a kernel; empty if that is unknown.
    pub file: String,
    /// The line of a kernel; 0 if that is unknown.
    pub line: u32,
    /// The device, or `CPU`.
    pub device: String,
    /// How often.
    pub count: u64,
    /// The calls that the device told no time of.
    pub untimed: u64,
    /// The time of all.
    pub total: u64,
    /// The shortest.
    pub min: u64,
    /// The longest.
    pub max: u64,
    /// The bytes of the arrays that were read and written, or copied, or allocated.
    pub bytes: u64,
    /// Of a kernel, the blocks of the longest launch, on the processor its positions.
    pub grid: [u32; 3],
    /// Of a kernel on a device, the threads of a block.
    pub block: [u32; 3],
}

impl Row {
    /// The time of a call.
    pub fn mean(&self) -> f64 {
        self.total as f64 / (self.count - self.untimed.min(self.count)).max(1) as f64
    }
}

/// One call, for the timeline. Times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// The file of a kernel.
    pub file: String,
    /// The line of a kernel.
    pub line: u32,
    /// The device, or `CPU`.
    pub device: String,
    /// When it began.
    pub start: u64,
    /// How long it took, with what was done inside.
    pub time: u64,
    /// The bytes of its arrays.
    pub bytes: u64,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The program.
    pub program: String,
    /// How long was measured, in nanoseconds.
    pub wall: u64,
    /// What took time, the longest first.
    pub rows: Vec<Row>,
    /// Each call, in the order of their beginnings.
    pub events: Vec<Event>,
    /// The calls that have no event because there were too many.
    pub left_out: u64,
}

/// The version of the file.
const VERSION: u64 = 1;

fn file_error(path: &Path, message: impl Into<String>) -> Error {
    Error::File { place: Place::UNKNOWN, function: "profile", path: path.into(), message: message.into() }
}

impl Report {
    /// Writes the report; an old file is replaced in one step.
    pub fn save(&self, path: &Path) -> Result<()> {
        quasar_files::replace::replace(path, self.to_json().as_bytes())
            .map_err(|error| file_error(path, error.to_string()))
    }

    /// Reads a report.
    pub fn load(path: &Path) -> Result<Report> {
        let text =
            quasar_files::read::long_text(path).map_err(|error| file_error(path, error.to_string()))?;
        Report::parse(&text).map_err(|message| file_error(path, message))
    }

    /// Reads the text of a report, or says what is wrong.
    pub fn parse(text: &str) -> std::result::Result<Report, String> {
        let json =
            Json::parse(text).map_err(|message| format!("this is no report, or a damaged one: {message}"))?;
        match json.number("quasar_profile") {
            Some(VERSION) => {}
            Some(version) => {
                return Err(format!("this is a report of version {version}; version {VERSION} is read here"));
            }
            None => return Err("this is JSON, but no report of a Quasar program".to_owned()),
        }
        let read = || {
            Some(Report {
                program: json.text("program")?,
                wall: json.number("wall")?,
                rows: json.list("rows")?.iter().map(row).collect::<Option<_>>()?,
                events: json.list("events")?.iter().map(event).collect::<Option<_>>()?,
                left_out: json.number("left_out")?,
            })
        };
        read().ok_or_else(|| {
            "the report is damaged: something is missing in it, or has another type".to_owned()
        })
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        let mut text = format!(
            "{{\"quasar_profile\": {VERSION}, \"program\": {}, \"wall\": {}, \"left_out\": {},\n\"rows\": [",
            quoted(&self.program),
            self.wall,
            self.left_out
        );
        for (k, row) in self.rows.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            let _ = write!(
                text,
                "{comma}\n{{\"kind\": {}, \"name\": {}, \"file\": {}, \"line\": {}, \"device\": {}, \"count\": {}, \
                 \"untimed\": {}, \"total\": {}, \"min\": {}, \"max\": {}, \"bytes\": {}, \"grid\": {:?}, \"block\": {:?}}}",
                quoted(row.kind.name()),
                quoted(&row.name),
                quoted(&row.file),
                row.line,
                quoted(&row.device),
                row.count,
                row.untimed,
                row.total,
                row.min,
                row.max,
                row.bytes,
                row.grid,
                row.block
            );
        }
        text.push_str("],\n\"events\": [");
        for (k, event) in self.events.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            let _ = write!(
                text,
                "{comma}\n{{\"kind\": {}, \"name\": {}, \"file\": {}, \"line\": {}, \"device\": {}, \"start\": {}, \
                 \"time\": {}, \"bytes\": {}}}",
                quoted(event.kind.name()),
                quoted(&event.name),
                quoted(&event.file),
                event.line,
                quoted(&event.device),
                event.start,
                event.time,
                event.bytes
            );
        }
        text.push_str("]}\n");
        text
    }

    /// The timeline in the format of traces that Chrome and Perfetto (`ui.perfetto.dev`) show.
    pub fn to_trace(&self) -> String {
        let mut devices: Vec<&str> = Vec::new();
        let mut lines = Vec::new();
        for event in &self.events {
            let thread = devices.iter().position(|known| *known == event.device).unwrap_or_else(|| {
                devices.push(&event.device);
                devices.len() - 1
            });
            lines.push(format!(
                "{{\"name\": {}, \"cat\": {}, \"ph\": \"X\", \"ts\": {}, \"dur\": {}, \"pid\": 1, \"tid\": {thread}, \
                 \"args\": {{\"place\": {}, \"bytes\": {}}}}}",
                quoted(&event.name),
                quoted(event.kind.name()),
                micros(event.start),
                micros(event.time),
                quoted(&super::text::place(&event.file, event.line)),
                event.bytes
            ));
        }
        let names = devices.iter().enumerate().map(|(thread, device)| {
            format!(
                "{{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": {thread}, \"args\": {{\"name\": {}}}}}",
                quoted(device)
            )
        });
        let all: Vec<String> = names.chain(lines).collect();
        format!("{{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n{}\n]}}\n", all.join(",\n"))
    }
}

/// Nanoseconds as microseconds, with all digits.
fn micros(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}

fn kind(json: &Json) -> Option<Kind> {
    let name = json.text("kind")?;
    Kind::ALL.into_iter().find(|kind| kind.name() == name)
}

fn line(json: &Json) -> Option<u32> {
    u32::try_from(json.number("line")?).ok()
}

fn row(json: &Json) -> Option<Row> {
    Some(Row {
        kind: kind(json)?,
        name: json.text("name")?,
        file: json.text("file")?,
        line: line(json)?,
        device: json.text("device")?,
        count: json.number("count")?,
        untimed: json.number("untimed")?,
        total: json.number("total")?,
        min: json.number("min")?,
        max: json.number("max")?,
        bytes: json.number("bytes")?,
        grid: json.extents("grid")?,
        block: json.extents("block")?,
    })
}

fn event(json: &Json) -> Option<Event> {
    Some(Event {
        kind: kind(json)?,
        name: json.text("name")?,
        file: json.text("file")?,
        line: line(json)?,
        device: json.text("device")?,
        start: json.number("start")?,
        time: json.number("time")?,
        bytes: json.number("bytes")?,
    })
}
