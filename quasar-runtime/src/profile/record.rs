//! What is recorded while a program runs. Spans are kept for the timeline up to a limit, sums for all.

use super::report::{Event, Kind, Memory, Report, Row};
use super::{Poll, Source, Timing, Track, shown};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The spans that the timeline keeps. A span takes about 150 bytes.
const MOST_SPANS: usize = 1 << 17;
/// The times of single calls that each row keeps.
const MOST_SAMPLES: usize = 1 << 8;
/// The points that the curve of a device's memory keeps.
const MOST_POINTS: usize = 1 << 12;
/// Sums go no further: up to here JSON's numbers are exact.
pub(super) const MOST: u64 = 1 << 53;
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
    pub(super) track: Track,
    /// Nanoseconds since the beginning.
    pub(super) start: u64,
    pub(super) time: u64,
    /// The time without that of what ended inside; none where the device has not said the time.
    pub(super) own: Option<u64>,
    pub(super) bytes: u64,
    /// Its arithmetic operations, if they are known.
    pub(super) operations: Option<u64>,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
}

/// Times of calls, evenly over all of them: when there are too many, every other one goes, and of the next ones fewer come.
struct Samples {
    times: Vec<u64>,
    /// A call of so many is taken.
    stride: u64,
    seen: u64,
}

impl Default for Samples {
    fn default() -> Samples {
        Samples { times: Vec::new(), stride: 1, seen: 0 }
    }
}

impl Samples {
    fn add(&mut self, time: u64) {
        if self.seen.is_multiple_of(self.stride) {
            if self.times.len() == MOST_SAMPLES {
                let mut keep = false;
                self.times.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.stride *= 2;
            }
            if self.seen.is_multiple_of(self.stride) {
                self.times.push(time);
            }
        }
        self.seen += 1;
    }
}

/// How much memory was in use, and when. Of neighbours the larger one stays when there are too many.
#[derive(Default)]
struct Curve {
    points: Vec<(u64, u64)>,
    peak: u64,
}

impl Curve {
    fn add(&mut self, at: u64, bytes: u64) {
        self.peak = self.peak.max(bytes);
        if self.points.len() == MOST_POINTS {
            let pairs = self.points.chunks(2);
            self.points = pairs
                .filter_map(|pair| Some((pair.first()?.0, pair.iter().map(|point| point.1).max()?)))
                .collect();
        }
        self.points.push((at, bytes));
    }
}

#[derive(Default)]
struct Sums {
    count: u64,
    untimed: u64,
    total: u64,
    min: u64,
    max: u64,
    bytes: u64,
    operations: u64,
    uncounted: u64,
    samples: Samples,
    /// Of the longest call.
    grid: [u32; 3],
    block: [u32; 3],
}

pub(super) struct Recorder {
    /// Where the report goes, if the environment says so.
    pub(super) output: Option<PathBuf>,
    begin: Instant,
    /// The same moment, in seconds since 1970.
    date: u64,
    devices: Vec<String>,
    sums: HashMap<(What, usize), Sums>,
    spans: Vec<Span>,
    left_out: u64,
    waiting: VecDeque<(Span, Box<dyn Timing>)>,
    /// Until when each device is known to be busy.
    busy: Vec<u64>,
    /// The memory of each device.
    memory: Vec<Curve>,
}

impl Recorder {
    pub(super) fn new(output: Option<PathBuf>) -> Recorder {
        Recorder {
            output,
            begin: Instant::now(),
            date: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            devices: Vec::new(),
            sums: HashMap::new(),
            spans: Vec::new(),
            left_out: 0,
            waiting: VecDeque::new(),
            busy: Vec::new(),
            memory: Vec::new(),
        }
    }

    /// The number of a device.
    pub(super) fn device(&mut self, name: &str) -> usize {
        self.devices.iter().position(|known| known == name).unwrap_or_else(|| {
            self.devices.push(name.to_owned());
            self.busy.push(0);
            self.memory.push(Curve::default());
            self.devices.len() - 1
        })
    }

    /// Nanoseconds from the beginning to a moment.
    pub(super) fn at(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.begin).as_nanos()).unwrap_or(u64::MAX)
    }

    /// So much memory of a device is in use.
    pub(super) fn in_use(&mut self, device: usize, at: u64, bytes: u64) {
        if let Some(curve) = self.memory.get_mut(device) {
            curve.add(at, bytes);
        }
    }

    pub(super) fn add(&mut self, span: Span) {
        let key = (span.what.clone(), span.device);
        let sums = self.sums.entry(key).or_default();
        sums.count += 1;
        sums.bytes = sums.bytes.saturating_add(span.bytes).min(MOST);
        match span.operations {
            Some(operations) => sums.operations = sums.operations.saturating_add(operations).min(MOST),
            None => sums.uncounted += 1,
        }
        match span.own {
            None => sums.untimed += 1,
            Some(own) => {
                if sums.count - sums.untimed == 1 || own > sums.max {
                    (sums.grid, sums.block) = (span.grid, span.block);
                }
                sums.min = if sums.count - sums.untimed == 1 { own } else { sums.min.min(own) };
                sums.max = sums.max.max(own);
                sums.total = sums.total.saturating_add(own);
                sums.samples.add(own);
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
            operations: sums.operations,
            uncounted: sums.uncounted,
            samples: sums.samples.times,
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
                track: span.track.name(),
                start: span.start,
                time: span.time,
                bytes: span.bytes,
            })
            .collect();
        events.sort_by_key(|event| event.start);
        let curves = self.memory.into_iter().enumerate().filter(|(_, curve)| !curve.points.is_empty());
        let memory =
            curves.map(|(k, curve)| Memory { device: device(k), peak: curve.peak, points: curve.points });
        let memory = memory.collect();
        let (program, machine) = (std::env::args().next().unwrap_or_default(), machine());
        let (date, left_out) = (self.date, self.left_out);
        Report { program, machine, date, wall, rows, events, left_out, memory }
    }
}

/// The processor and how many threads it runs, as far as the system tells.
pub(super) fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {threads} threads")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_over_all_calls() {
        let mut samples = Samples::default();
        for call in 0..100_000 {
            samples.add(call);
        }
        let times = &samples.times;
        assert!(times.len() > MOST_SAMPLES / 2 && times.len() <= MOST_SAMPLES, "{}", times.len());
        let step = times[1] - times[0];
        assert!(times.windows(2).all(|two| two[1] - two[0] == step), "{times:?}");
        assert!(times[0] == 0 && 100_000 - times[times.len() - 1] <= step);
        let mut few = Samples::default();
        (0..5).for_each(|call| few.add(call));
        assert_eq!(few.times, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn curves_keep_their_peak() {
        let mut curve = Curve::default();
        for at in 0..100_000 {
            curve.add(at, if at == 12_345 { 7 } else { at % 3 });
        }
        assert!(curve.points.len() <= MOST_POINTS);
        assert_eq!(curve.peak, 7);
        assert_eq!(curve.points.iter().map(|point| point.1).max(), Some(7));
        assert!(curve.points.windows(2).all(|two| two[0].0 < two[1].0));
    }
}
