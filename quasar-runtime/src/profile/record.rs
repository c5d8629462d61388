//! What is recorded while a program runs. Spans are kept for the timeline up to a limit, sums for all.

use super::report::{Event, Kind, Report, Row};
use super::{Poll, Source, Timing, shown};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::time::Instant;

/// The spans that the timeline keeps. A span takes about 150 bytes.
const MOST_SPANS: usize = 1 << 17;
/// Launches on devices that may be unanswered before they are asked for.
const MOST_WAITING: usize = 1 << 8;

/// What took time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct What {
    pub(super) kind: Kind,
    pub(super) name: Cow<'static, str>,
    pub(super) file: Cow<'static, str>,
    pub(super) line: u32,
}

impl What {
    pub(super) fn of(source: &'static Source) -> What {
        Self::of_source(*source)
    }

    pub(super) fn of_source(source: Source) -> What {
        let (name, file) = (Cow::Borrowed(shown(source.name)), Cow::Borrowed(source.file));
        What { kind: Kind::Kernel, name, file, line: source.line }
    }

    pub(super) fn named(kind: Kind, name: impl Into<Cow<'static, str>>) -> What {
        What { kind, name: name.into(), file: Cow::Borrowed(""), line: 0 }
    }
}

/// Something that took time.
pub(super) struct Span {
    pub(super) what: What,
    /// The number of the device.
    pub(super) device: usize,
    /// Nanoseconds since the beginning.
    pub(super) start: u64,
    pub(super) time: u64,
    /// The time without that of what ended inside; none where the device has not said the time.
    pub(super) own: Option<u64>,
    pub(super) bytes: u64,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
}

#[derive(Default)]
struct Sums {
    count: u64,
    untimed: u64,
    total: u64,
    min: u64,
    max: u64,
    bytes: u64,
    /// Of the longest call.
    grid: [u32; 3],
    block: [u32; 3],
}

pub(super) struct Recorder {
    /// Where the report goes, if the environment says so.
    pub(super) output: Option<PathBuf>,
    begin: Instant,
    devices: Vec<String>,
    sums: HashMap<(What, usize), Sums>,
    spans: Vec<Span>,
    left_out: u64,
    waiting: VecDeque<(Span, Box<dyn Timing>)>,
    /// Until when each device is known to be busy.
    busy: Vec<u64>,
}

impl Recorder {
    pub(super) fn new(output: Option<PathBuf>) -> Recorder {
        Recorder {
            output,
            begin: Instant::now(),
            devices: Vec::new(),
            sums: HashMap::new(),
            spans: Vec::new(),
            left_out: 0,
            waiting: VecDeque::new(),
            busy: Vec::new(),
        }
    }

    /// The number of a device.
    pub(super) fn device(&mut self, name: &str) -> usize {
        self.devices.iter().position(|known| known == name).unwrap_or_else(|| {
            self.devices.push(name.to_owned());
            self.busy.push(0);
            self.devices.len() - 1
        })
    }

    /// Nanoseconds from the beginning to a moment.
    pub(super) fn at(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.begin).as_nanos()).unwrap_or(u64::MAX)
    }

    pub(super) fn add(&mut self, span: Span) {
        let key = (span.what.clone(), span.device);
        let sums = self.sums.entry(key).or_default();
        sums.count += 1;
        sums.bytes = sums.bytes.saturating_add(span.bytes);
        match span.own {
            None => sums.untimed += 1,
            Some(own) => {
                if sums.count - sums.untimed == 1 || own > sums.max {
                    (sums.grid, sums.block) = (span.grid, span.block);
                }
                sums.min = if sums.count - sums.untimed == 1 { own } else { sums.min.min(own) };
                sums.max = sums.max.max(own);
                sums.total = sums.total.saturating_add(own);
            }
        }
        if self.spans.len() < MOST_SPANS {
            self.spans.push(span);
        } else {
            self.left_out += 1;
        }
    }

    /// A launch whose time comes later.
    pub(super) fn wait_for(&mut self, span: Span, timing: Box<dyn Timing>) {
        self.waiting.push_back((span, timing));
        if self.waiting.len() >= MOST_WAITING {
            self.settle();
        }
    }

    /// Takes the launches that are over.
    pub(super) fn settle(&mut self) {
        let mut rest = VecDeque::new();
        for (mut span, mut timing) in std::mem::take(&mut self.waiting) {
            match timing.poll() {
                Poll::Waiting => rest.push_back((span, timing)),
                Poll::Unknown => self.add(span),
                Poll::Took(after, time) => {
                    // A device without a clock does one launch after the other.
                    span.start = match after {
                        Some(after) => span.start.saturating_add(after),
                        None => span.start.max(self.busy.get(span.device).copied().unwrap_or(0)),
                    };
                    (span.time, span.own) = (time, Some(time));
                    if let Some(busy) = self.busy.get_mut(span.device) {
                        *busy = span.start.saturating_add(time);
                    }
                    self.add(span);
                }
            }
        }
        self.waiting = rest;
    }

    pub(super) fn finish(mut self) -> Report {
        let wall = self.at(Instant::now());
        self.settle();
        for (span, _) in std::mem::take(&mut self.waiting) {
            self.add(span);
        }
        let devices = self.devices;
        let device = |k: usize| devices.get(k).cloned().unwrap_or_default();
        let rows = self.sums.into_iter().map(|((what, at), sums)| Row {
            kind: what.kind,
            name: what.name.into_owned(),
            file: what.file.into_owned(),
            line: what.line,
            device: device(at),
            count: sums.count,
            untimed: sums.untimed,
            total: sums.total,
            min: sums.min,
            max: sums.max,
            bytes: sums.bytes,
            grid: sums.grid,
            block: sums.block,
        });
        let mut rows: Vec<Row> = rows.collect();
        rows.sort_by(|a, b| {
            b.total
                .cmp(&a.total)
                .then_with(|| (&a.name, a.line, &a.device).cmp(&(&b.name, b.line, &b.device)))
        });
        let mut events: Vec<Event> = self
            .spans
            .into_iter()
            .filter(|span| span.own.is_some())
            .map(|span| Event {
                kind: span.what.kind,
                name: span.what.name.into_owned(),
                file: span.what.file.into_owned(),
                line: span.what.line,
                device: device(span.device),
                start: span.start,
                time: span.time,
                bytes: span.bytes,
            })
            .collect();
        events.sort_by_key(|event| event.start);
        let program = std::env::args().next().unwrap_or_default();
        Report { program, wall, rows, events, left_out: self.left_out }
    }
}
