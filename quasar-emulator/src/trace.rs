//! A human-readable trace: the accesses of each thread to memory that threads share, one per line.

use crate::launches::Launch;
use crate::monitor::{Grid, element};
use quasar_core::interp::{Access, Kind, Space};
use quasar_core::source::{SourceMap, Span};
use quasar_devicelib::value::format;

/// Collects lines up to a maximum.
#[derive(Clone, Debug)]
pub(crate) struct Trace<'a> {
    /// Restricts the trace to the thread at this position, and barriers.
    position: Option<&'a [usize]>,
    most: usize,
    pub(crate) lines: Vec<String>,
    pub(crate) dropped: usize,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(most: usize, position: Option<&'a [usize]>) -> Trace<'a> {
        Trace { position, most, lines: Vec::new(), dropped: 0 }
    }

    fn push(&mut self, line: String) {
        if self.lines.len() < self.most { self.lines.push(line) } else { self.dropped += 1 }
    }

    pub(crate) fn launch(&mut self, launch: &Launch) {
        self.push(format!("launch {launch}"));
    }

    pub(crate) fn access(&mut self, access: &Access<'_>, grid: &Grid, sources: &SourceMap) {
        let position = grid.position(access.thread);
        if self.position.is_some_and(|wanted| wanted != position) {
            return;
        }
        let does = match access.kind {
            Kind::Load => "reads",
            Kind::Store => "writes",
            Kind::Atomic => "changes",
            Kind::Exchange => "exchanges",
        };
        let space = if access.space == Space::Shared { " (shared)" } else { "" };
        let value = access.value.map(|x| format!(" = {}", format::scalar(x))).unwrap_or_default();
        let who = grid.name(access.thread);
        let what = element(access.name, access.dims, access.offset);
        let line = line(sources, access.span);
        self.push(format!("  line {line:>3}  {who:<14} {does:<7} {what}{value}{space}"));
    }

    pub(crate) fn barrier(&mut self, block: Option<u64>, span: Span, sources: &SourceMap) {
        let line = line(sources, span);
        let who = block.map_or("the grid".to_string(), |block| format!("block {block}"));
        self.push(format!("  line {line:>3}  {who} passes the barrier"));
    }
}

fn line(sources: &SourceMap, span: Span) -> u32 {
    if (span.file.0 as usize) < sources.files().count() {
        sources.line_column(span.file, span.start).0
    } else {
        0
    }
}
