//! The report: what took how long, as a file that is read again.

use super::record::MOST;
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
    /// The floating-point operations of a kernel's launches, as the compiler counted them.
    pub operations: u64,
    /// The calls of which it could not: rounds of their loops depend on values.
    pub uncounted: u64,
    /// The times of single calls, in their order: of many calls some, evenly over all.
    pub samples: Vec<u64>,
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

    /// Operations for each byte and for each nanosecond, where both are known.
    pub fn intensity(&self) -> Option<(f64, f64)> {
        let known = self.uncounted == 0 && self.untimed == 0;
        let all = known && self.operations > 0 && self.bytes > 0 && self.total > 0;
        let operations = self.operations as f64;
        all.then(|| (operations / self.bytes as f64, operations / self.total as f64))
    }

    /// Whether bytes in a time say how fast something was.
    pub fn has_rate(&self) -> bool {
        self.bytes > 0 && self.total > 0 && self.kind != Kind::Allocation
    }
}

/// How much memory for arrays a device had in use over time. On the host these are blocks of 32 KiB and more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// The device, or `host`.
    pub device: String,
    /// The most, in bytes.
    pub peak: u64,
    /// Nanoseconds since the beginning, and the bytes that are in use from then on. Of many points each stands for some, with the most
    /// of them.
    pub points: Vec<(u64, u64)>,
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
    /// Where it ran: a `thread 1` of the host, or the `stream` of the device.
    pub track: String,
    /// When it began.
    pub start: u64,
    /// How long it took, with what was done inside.
    pub time: u64,
    /// The bytes of its arrays.
    pub bytes: u64,
}

impl Event {
    /// The track among those of all devices.
    pub fn track_name(&self) -> String {
        if self.is_on_device() { format!("{}: {}", self.device, self.track) } else { self.track.clone() }
    }

    /// Whether the device timed it, and not the host.
    pub fn is_on_device(&self) -> bool {
        !self.track.starts_with("thread ")
    }
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The program.
    pub program: String,
    /// The processor that it ran on.
    pub machine: String,
    /// When it began, in seconds since 1970.
    pub date: u64,
    /// How long was measured, in nanoseconds.
    pub wall: u64,
    /// What took time, the longest first.
    pub rows: Vec<Row>,
    /// Each call, in the order of their beginnings.
    pub events: Vec<Event>,
    /// The calls that have no event because there were too many.
    pub left_out: u64,
    /// The memory of the host and of devices.
    pub memory: Vec<Memory>,
}

/// The version of the file.
const VERSION: u64 = 2;

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
                machine: json.text("machine")?,
                date: json.number("date")?,
                wall: json.number("wall")?,
                rows: json.list("rows")?.iter().map(row).collect::<Option<_>>()?,
                events: json.list("events")?.iter().map(event).collect::<Option<_>>()?,
                left_out: json.number("left_out")?,
                memory: json.list("memory")?.iter().map(memory).collect::<Option<_>>()?,
            })
        };
        read().ok_or_else(|| {
            "the report is damaged: something is missing in it, or has another type".to_owned()
        })
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        let mut text = format!(
            "{{\"quasar_profile\": {VERSION}, \"program\": {}, \"machine\": {}, \"date\": {}, \"wall\": {}, \"left_out\": {},\n\
             \"rows\": [",
            quoted(&self.program),
            quoted(&self.machine),
            self.date,
            self.wall,
            self.left_out
        );
        for (k, row) in self.rows.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            let _ = write!(
                text,
                "{comma}\n{{\"kind\": {}, \"name\": {}, \"file\": {}, \"line\": {}, \"device\": {}, \"count\": {}, \
                 \"untimed\": {}, \"total\": {}, \"min\": {}, \"max\": {}, \"bytes\": {}, \"operations\": {}, \
                 \"uncounted\": {}, \"grid\": {:?}, \"block\": {:?}, \"samples\": {:?}}}",
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
                row.operations,
                row.uncounted,
                row.grid,
                row.block,
                row.samples
            );
        }
        text.push_str("],\n\"events\": [");
        for (k, event) in self.events.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            let _ = write!(
                text,
                "{comma}\n{{\"kind\": {}, \"name\": {}, \"file\": {}, \"line\": {}, \"device\": {}, \"track\": {}, \
                 \"start\": {}, \"time\": {}, \"bytes\": {}}}",
                quoted(event.kind.name()),
                quoted(&event.name),
                quoted(&event.file),
                event.line,
                quoted(&event.device),
                quoted(&event.track),
                event.start,
                event.time,
                event.bytes
            );
        }
        text.push_str("],\n\"memory\": [");
        for (k, memory) in self.memory.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            let (at, bytes): (Vec<u64>, Vec<u64>) = memory.points.iter().copied().unzip();
            let _ = write!(
                text,
                "{comma}\n{{\"device\": {}, \"peak\": {}, \"at\": {at:?}, \"in_use\": {bytes:?}}}",
                quoted(&memory.device),
                memory.peak
            );
        }
        text.push_str("]}\n");
        text
    }

    /// The timeline in the format of traces that Chrome and Perfetto (`ui.perfetto.dev`) show.
    pub fn to_trace(&self) -> String {
        let mut tracks: Vec<String> = Vec::new();
        let mut lines = Vec::new();
        for event in &self.events {
            let track = event.track_name();
            let thread = tracks.iter().position(|known| *known == track).unwrap_or_else(|| {
                tracks.push(track);
                tracks.len() - 1
            });
            lines.push(format!(
                "{{\"name\": {}, \"cat\": {}, \"ph\": \"X\", \"ts\": {}, \"dur\": {}, \"pid\": 1, \"tid\": {thread}, \
                 \"args\": {{\"device\": {}, \"place\": {}, \"bytes\": {}}}}}",
                quoted(&event.name),
                quoted(event.kind.name()),
                micros(event.start),
                micros(event.time),
                quoted(&event.device),
                quoted(&super::text::place(&event.file, event.line)),
                event.bytes
            ));
        }
        let names = tracks.iter().enumerate().map(|(thread, track)| {
            format!(
                "{{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": {thread}, \"args\": {{\"name\": {}}}}}",
                quoted(track)
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
        operations: json.number("operations")?,
        uncounted: json.number("uncounted")?,
        samples: numbers(json, "samples")?,
        grid: json.extents("grid")?,
        block: json.extents("block")?,
    })
}

/// A list of whole numbers.
fn numbers(json: &Json, name: &str) -> Option<Vec<u64>> {
    let whole = |item: &Json| match item {
        Json::Number(x) if *x >= 0.0 && *x <= MOST as f64 && x.fract() == 0.0 => Some(*x as u64),
        _ => None,
    };
    json.list(name)?.iter().map(whole).collect()
}

fn memory(json: &Json) -> Option<Memory> {
    let (at, bytes) = (numbers(json, "at")?, numbers(json, "in_use")?);
    if at.len() != bytes.len() {
        return None;
    }
    let points = at.into_iter().zip(bytes).collect();
    Some(Memory { device: json.text("device")?, peak: json.number("peak")?, points })
}

fn event(json: &Json) -> Option<Event> {
    Some(Event {
        kind: kind(json)?,
        name: json.text("name")?,
        file: json.text("file")?,
        line: line(json)?,
        device: json.text("device")?,
        track: json.text("track")?,
        start: json.number("start")?,
        time: json.number("time")?,
        bytes: json.number("bytes")?,
    })
}

/// A report for tests.
#[cfg(test)]
pub(super) fn example() -> Report {
    let row = |kind, name: &str, line, count, total, bytes| Row {
        kind,
        name: name.into(),
        file: if line > 0 { "/folder/x.q".into() } else { String::new() },
        line,
        device: if line > 0 { "CPU".into() } else { "Fake \"one\"".into() },
        count,
        untimed: 0,
        total,
        min: total / count,
        max: total / count,
        bytes,
        operations: if line > 0 { 30_000_000 } else { 0 },
        uncounted: if line > 0 { 0 } else { count },
        samples: vec![total / count; 10],
        grid: if line > 0 { [1000, 1000, 1] } else { [0; 3] },
        block: [0; 3],
    };
    Report {
        program: "/folder/program".into(),
        machine: "a processor".into(),
        date: 1_800_000_000,
        wall: 40_000_000,
        rows: vec![
            row(Kind::Kernel, "main_line5", 2, 10, 30_000_000, 80_000_000),
            row(Kind::Copy, "to the device", 0, 1, 1_500, 4_000),
        ],
        events: vec![Event { device: "CPU".into(), track: "thread 1".into(), time: 3, ..Event::default() }],
        left_out: 3,
        memory: vec![Memory { device: "host".into(), peak: 9, points: vec![(0, 9), (5, 1)] }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_come_back_from_their_file() {
        let report = example();
        let text = report.to_json();
        assert_eq!(Report::parse(&text), Ok(report));
        for end in (0..text.trim_end().len()).filter(|&end| text.is_char_boundary(end)) {
            assert!(Report::parse(&text[..end]).is_err(), "{end}");
        }
        for (from, to, said) in [
            ("\"quasar_profile\": 2", "\"quasar_profile\": 3", "version 3"),
            ("\"quasar_profile\"", "\"traceEvents\"", "no report of a Quasar program"),
            ("\"count\": 10", "\"count\": -1", "damaged"),
            ("\"count\": 10", "\"count\": 1.5", "damaged"),
            ("\"kernel\"", "\"colonel\"", "damaged"),
            ("[1000, 1000, 1]", "[1000, 1000]", "damaged"),
            ("\"at\": [0, ", "\"at\": [", "damaged"),
            ("{", "", "no report, or a damaged one: line 1"),
        ] {
            let message = Report::parse(&text.replacen(from, to, 1)).unwrap_err();
            assert!(message.contains(said), "{message}");
        }
    }
}
