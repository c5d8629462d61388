//! The observer of one run: feeds the race detector and collects diagnostics, launches and the trace.

use crate::diagnostic::{Mistake, MistakeKind};
use crate::launches::Launch;
use crate::trace::Trace;
use quasar_core::interp::{
    Access, Finding, FindingKind, Kind, Observer, Outside, RaceDetector, SharedArray, ThreadId,
};
use quasar_core::source::{SourceMap, Span};

/// Formats an element for messages: `s[1,2]`.
pub(crate) fn element(name: &str, dims: &[usize], offset: usize) -> String {
    let mut rest = offset;
    let mut index: Vec<String> = Vec::with_capacity(dims.len());
    for &extent in dims.iter().rev() {
        index.push((rest % extent.max(1)).to_string());
        rest /= extent.max(1);
    }
    index.reverse();
    let name = if name.is_empty() { "array" } else { name };
    format!("{name}[{}]", index.join(","))
}

/// The grid of a launch, which maps threads to positions.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    dims: Vec<usize>,
    block: Vec<usize>,
}

impl Grid {
    /// The position of a thread.
    pub(crate) fn position(&self, thread: ThreadId) -> Vec<usize> {
        let counts: Vec<usize> = self.dims.iter().zip(&self.block).map(|(d, b)| d.div_ceil(*b)).collect();
        let (mut blocks, mut threads) = (thread.block as usize, thread.thread as usize);
        let mut position = vec![0; self.dims.len()];
        for axis in (0..self.dims.len()).rev() {
            let (count, block) = (counts[axis].max(1), self.block[axis].max(1));
            position[axis] = blocks % count * block + threads % block;
            blocks /= count;
            threads /= block;
        }
        position
    }

    /// Formats a thread: `thread [3,4]`.
    pub(crate) fn name(&self, thread: ThreadId) -> String {
        let position: Vec<String> = self.position(thread).iter().map(usize::to_string).collect();
        format!("thread [{}]", position.join(","))
    }
}

/// A launch in progress.
struct Active {
    grid: Grid,
    launch: Launch,
    /// Bytes of shared memory of each block; the maximum is reported.
    shared: Vec<(u64, usize)>,
    findings: usize,
}

/// The observer of one run.
pub(crate) struct Monitor<'a> {
    sources: &'a SourceMap,
    /// Restricts the diagnostics to this kernel.
    kernel: Option<&'a str>,
    races: RaceDetector,
    active: Vec<Active>,
    pub(crate) mistakes: Vec<Mistake>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) trace: Option<Trace<'a>>,
}

impl<'a> Monitor<'a> {
    pub(crate) fn new(sources: &'a SourceMap, kernel: Option<&'a str>, trace: Option<Trace<'a>>) -> Self {
        let (active, mistakes, launches) = (Vec::new(), Vec::new(), Vec::new());
        Monitor { sources, kernel, races: RaceDetector::new(), active, mistakes, launches, trace }
    }

    fn is_of_interest(&self) -> bool {
        let running = self.active.last().map(|active| active.launch.kernel.as_str());
        self.kernel.is_none_or(|kernel| running == Some(kernel))
    }

    fn add(&mut self, mistake: Mistake) {
        if !self.mistakes.iter().any(|known| known.repeats(&mistake)) {
            self.mistakes.push(mistake);
        }
    }

    /// Converts new findings of the race detector to diagnostics.
    fn take_findings(&mut self, dims: &[usize]) {
        let Some(active) = self.active.last_mut() else { return };
        let found = self.races.findings();
        let fresh: Vec<Finding> = found.get(active.findings..).unwrap_or_default().to_vec();
        active.findings = found.len();
        let grid = active.grid.clone();
        for finding in fresh {
            let mistake = self.describe(&finding, &grid, dims);
            self.add(mistake);
        }
    }

    fn describe(&self, finding: &Finding, grid: &Grid, dims: &[usize]) -> Mistake {
        let name = if finding.name.is_empty() { "an array" } else { &finding.name };
        let element = element(&finding.name, dims, finding.offset);
        let thread = |thread: ThreadId| grid.name(thread);
        let (kernel, sources) = (&finding.kernel, self.sources);
        let ((first, first_span), (second, second_span)) = (finding.first, finding.second);
        match finding.kind {
            FindingKind::Uninitialised => {
                let text = format!("'{name}' is shared memory that has no value here");
                Mistake::new(MistakeKind::Uninitialised, kernel, &finding.name, text).at(
                    sources,
                    second_span,
                    format!("{} reads {element}, which no thread of its block has written", thread(second)),
                )
            }
            FindingKind::Race => {
                let text = format!(
                    "race on '{name}': two threads use one element, one of them writes it, and no barrier stands between"
                );
                let does = |kind: Kind| match kind {
                    Kind::Load => "reads",
                    Kind::Store => "writes",
                    Kind::Atomic => "changes",
                    Kind::Exchange => "exchanges",
                };
                let [earlier, later] = finding.kinds.map(does);
                let mistake = Mistake::new(MistakeKind::Race, kernel, &finding.name, text)
                    .at(sources, second_span, format!("{} {later} {element}", thread(second)))
                    .at(sources, first_span, format!("{} {earlier} {element}", thread(first)));
                let one_line = mistake.lines().len() == 1;
                mistake.advise(match (finding.kinds.contains(&Kind::Load), first.block == second.block) {
                    (false, _) => {
                        "let each thread write an element of its own, or change it by an atomic operation such as '+='"
                    }
                    (true, _) if one_line => {
                        "read from one array and write to another, or change elements by an atomic operation such as '+='"
                    }
                    (true, true) => "put 'syncthreads' between the two",
                    (true, false) => {
                        "the threads are of different blocks: wait by 'syncthreads(grid)', or make it two launches"
                    }
                })
            }
        }
    }
}

impl Observer for Monitor<'_> {
    fn begin_launch(&mut self, kernel: &str, dims: &[usize], block: &[usize], serial: bool) {
        self.races.begin_launch(kernel, dims, block, serial);
        let (dims, block) = (dims.to_vec(), block.to_vec());
        let grid = Grid { dims: dims.clone(), block: block.clone() };
        let (kernel, shared_bytes) = (kernel.to_string(), 0);
        let launch = Launch { kernel, dims, block, shared_bytes, barriers: 0, accesses: 0, count: 1 };
        if let Some(trace) = &mut self.trace {
            trace.launch(&launch);
        }
        let findings = self.races.findings().len();
        self.active.push(Active { grid, launch, shared: Vec::new(), findings });
    }

    fn end_launch(&mut self) {
        self.races.end_launch();
        let Some(mut active) = self.active.pop() else { return };
        active.launch.shared_bytes = active.shared.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
        let new = active.launch;
        let alike = |old: &&mut Launch| {
            (&old.kernel, &old.dims, &old.block, old.shared_bytes)
                == (&new.kernel, &new.dims, &new.block, new.shared_bytes)
        };
        match self.launches.iter_mut().find(alike) {
            Some(old) => {
                old.count += 1;
                old.barriers += new.barriers;
                old.accesses += new.accesses;
            }
            None => self.launches.push(new),
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        self.races.access(access);
        if let Some(active) = self.active.last_mut() {
            active.launch.accesses += 1;
        }
        if !self.is_of_interest() {
            return;
        }
        self.take_findings(access.dims);
        if let (Some(trace), Some(active)) = (&mut self.trace, self.active.last()) {
            trace.access(access, &active.grid, self.sources);
        }
    }

    fn fence(&mut self, thread: ThreadId) {
        self.races.fence(thread);
    }

    fn outside(&mut self, outside: &Outside<'_>) {
        if !self.is_of_interest() {
            return;
        }
        let (name, size) =
            (outside.name, outside.dims.iter().map(usize::to_string).collect::<Vec<_>>().join("x"));
        let index: Vec<String> = outside.index.iter().map(i64::to_string).collect();
        let does = if outside.kind == Kind::Load { "reads" } else { "writes" };
        let active = self.active.last();
        let who = match (active, outside.thread) {
            (Some(active), Some(thread)) => active.grid.name(thread),
            _ => "the program".to_string(),
        };
        let kernel = active.map_or("", |active| &active.launch.kernel);
        let index = index.join(",");
        let (kind, text, what) = if outside.dropped {
            let text = format!("a store outside of '{name}' does nothing: {name}[{index}], size {size}");
            (MistakeKind::Dropped, text, format!("{who} {does} {name}[{index}]"))
        } else {
            let text = format!("index out of bounds: {name}[{index}], size {size}");
            (MistakeKind::OutOfBounds, text, format!("{who} {does} {name}[{index}] without a test"))
        };
        let mistake = Mistake::new(kind, kernel, name, text).at(self.sources, outside.span, what);
        self.add(mistake);
    }

    fn allocate_shared(&mut self, shared: &SharedArray<'_>) {
        self.races.allocate_shared(shared);
        if let Some(active) = self.active.last_mut() {
            match active.shared.iter_mut().find(|(block, _)| *block == shared.block) {
                Some((_, bytes)) => *bytes += shared.bytes,
                None => active.shared.push((shared.block, shared.bytes)),
            }
        }
    }

    fn meet(&mut self, threads: &[ThreadId]) {
        self.races.meet(threads);
    }

    fn barrier(&mut self, block: Option<u64>, span: Span) {
        self.races.barrier(block, span);
        if let Some(active) = self.active.last_mut() {
            active.launch.barriers += 1;
        }
        if self.is_of_interest()
            && let Some(trace) = &mut self.trace
        {
            trace.barrier(block, span, self.sources);
        }
    }
}
