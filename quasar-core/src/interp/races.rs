//! Dynamic detection of data races and of reads of uninitialised shared memory.
//!
//! Two accesses of different threads to one element race if at least one writes, not both are atomic, and no barrier
//! that both threads passed separates them. The verdict does not depend on the scheduling order.
//!
//! Exchanges order threads too, by a happens-before relation: a thread that exchanges an element, or reads one that is
//! exchanged, acquires everything that earlier exchanging threads had done and acquired. So a thread may write an
//! object, publish it by an exchange, and others may read it. Atomic operations between fences do the same: what a
//! thread did before its fence is released by its next atomic operation, and acquired by the fence after the operation
//! that observes it.

use super::observer::{Access, Kind, Observer, SharedArray, Space, ThreadId};
use crate::source::Span;
use quasar_devicelib::element::Scalar;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Further findings are counted but not stored.
const MAX_FINDINGS: usize = 100;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// Two unordered accesses to one element.
    Race,
    /// A read of an element of shared memory that no thread of the block has written.
    Uninitialised,
}

/// A defect of a kernel, reported once per pair of source locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Kind of defect.
    pub kind: FindingKind,
    /// The launched kernel.
    pub kernel: String,
    /// The variable.
    pub name: String,
    /// The element.
    pub offset: usize,
    /// The earlier access; for uninitialised memory the allocation.
    pub first: (ThreadId, Span),
    /// The later access.
    pub second: (ThreadId, Span),
    /// The kinds of both accesses.
    pub kinds: [Kind; 2],
}

/// An observer that collects findings.
#[derive(Debug, Default)]
pub struct RaceDetector {
    launches: Vec<LaunchRecord>,
    findings: Vec<Finding>,
    dropped: usize,
}

#[derive(Debug, Default)]
struct LaunchRecord {
    kernel: String,
    /// Whether nothing can race, because threads run in order.
    serial: bool,
    /// The number of block barriers that each block has passed.
    blocks: BTreeMap<u64, u64>,
    /// The number of grid barriers passed.
    grid: u64,
    elements: BTreeMap<(usize, usize), Element>,
    exchanges: Exchanges,
    /// Shared arrays with uninitialised elements, by block.
    undefined: BTreeMap<usize, u64>,
}

/// A vector clock: for each thread, how many of its exchanges are acquired.
type Knowledge = BTreeMap<ThreadId, u64>;

/// The happens-before relation through exchanged elements.
#[derive(Debug, Default)]
struct Exchanges {
    /// The clock that reading or exchanging an element acquires.
    elements: BTreeMap<(usize, usize), Arc<Knowledge>>,
    threads: BTreeMap<ThreadId, Arc<Knowledge>>,
    /// The number of exchanges and fences of each thread.
    made: Knowledge,
    /// The clocks of threads at their last fence, and the clocks that atomic operations after a fence released at
    /// elements.
    fenced: BTreeMap<ThreadId, Arc<Knowledge>>,
    counted: BTreeMap<(usize, usize), Arc<Knowledge>>,
    /// The clocks observed by atomic operations of threads, which their next fence acquires.
    found: BTreeMap<ThreadId, Arc<Knowledge>>,
}

impl Exchanges {
    fn made(&self, thread: ThreadId) -> u64 {
        self.made.get(&thread).copied().unwrap_or(0)
    }

    /// Whether a thread has acquired an earlier event of another one.
    fn orders(&self, earlier: &Event, later: ThreadId) -> bool {
        let known = self.threads.get(&later).and_then(|known| known.get(&earlier.thread));
        known.is_some_and(|known| *known > earlier.exchanges)
    }

    /// Threads of a warp wait for each other: each knows what all of them had done.
    fn meet(&mut self, threads: &[ThreadId]) {
        let mut all = Arc::<Knowledge>::default();
        for thread in threads {
            let made = self.made.entry(*thread).or_default();
            *made += 1;
            if let Some(known) = self.threads.get(thread) {
                all = joined(&all, known);
            }
            Arc::make_mut(&mut all).insert(*thread, *made);
        }
        self.threads.extend(threads.iter().map(|thread| (*thread, all.clone())));
    }

    fn fence(&mut self, thread: ThreadId) {
        let made = self.made.entry(thread).or_default();
        *made += 1;
        let mut known = self.threads.get(&thread).cloned().unwrap_or_default();
        if let Some(found) = self.found.remove(&thread) {
            known = joined(&known, &found);
        }
        Arc::make_mut(&mut known).insert(thread, *made);
        self.threads.insert(thread, known.clone());
        self.fenced.insert(thread, known);
    }

    /// An atomic operation observes the clock released there, and releases the clock of the fence before it.
    fn count(&mut self, thread: ThreadId, place: (usize, usize)) {
        let (there, own) = (self.counted.get(&place), self.fenced.get(&thread));
        let both = match (there, own) {
            (Some(there), Some(own)) => Some(joined(there, own)),
            (there, own) => there.or(own).cloned(),
        };
        if let Some(there) = there.cloned() {
            let found = self.found.entry(thread).or_default();
            *found = joined(found, &there);
        }
        if let Some(both) = both {
            self.counted.insert(place, both);
        }
    }

    fn note(&mut self, thread: ThreadId, place: (usize, usize), kind: Kind) {
        if kind == Kind::Atomic {
            return self.count(thread, place);
        }
        let there = self.elements.get(&place);
        if kind != Kind::Exchange && (kind != Kind::Load || there.is_none()) {
            return;
        }
        let mut known = match (self.threads.get(&thread), there) {
            (Some(own), Some(there)) => joined(own, there),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => Arc::default(),
        };
        if kind == Kind::Exchange {
            let made = self.made.entry(thread).or_default();
            *made += 1;
            Arc::make_mut(&mut known).insert(thread, *made);
            self.elements.insert(place, known.clone());
        }
        self.threads.insert(thread, known);
    }
}

fn joined(a: &Arc<Knowledge>, b: &Arc<Knowledge>) -> Arc<Knowledge> {
    let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if Arc::ptr_eq(a, b)
        || small.iter().all(|(thread, made)| large.get(thread).is_some_and(|known| known >= made))
    {
        return large.clone();
    }
    let mut all = Knowledge::clone(large);
    for (thread, made) in small.iter() {
        let known = all.entry(*thread).or_default();
        *known = (*known).max(*made);
    }
    Arc::new(all)
}

/// The accesses to an element that a later one may race with.
#[derive(Debug, Default)]
struct Element {
    write: Option<Event>,
    /// Reads since the write, by at most two threads: any writer differs from one of them.
    reads: [Option<Event>; 2],
}

#[derive(Clone, Copy, Debug)]
struct Event {
    thread: ThreadId,
    block_phase: u64,
    grid_phase: u64,
    /// The number of exchanges of the thread at that time.
    exchanges: u64,
    kind: Kind,
    value: Option<Scalar>,
    span: Span,
}

impl Event {
    /// Whether two accesses are unordered conflicts. Stores of the same value are benign.
    fn races_with(&self, later: &Event) -> bool {
        let both_store = self.kind == Kind::Store && later.kind == Kind::Store;
        if both_store && self.value.is_some() && self.value == later.value {
            return false;
        }
        let ordered = self.grid_phase != later.grid_phase
            || (self.thread.block == later.thread.block && self.block_phase != later.block_phase);
        let one_step = |kind: Kind| matches!(kind, Kind::Atomic | Kind::Exchange);
        let kinds = [self.kind, later.kind];
        // A read of an element that others exchange gets one of the exchanged values.
        let exchanged = kinds.contains(&Kind::Exchange) && kinds.contains(&Kind::Load);
        self.thread != later.thread && !ordered && !exchanged && !kinds.into_iter().all(one_step)
    }
}

impl RaceDetector {
    /// A detector that has seen nothing.
    pub fn new() -> RaceDetector {
        RaceDetector::default()
    }

    /// The findings, in execution order.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The number of findings that were not stored.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    fn add(&mut self, finding: Finding) {
        let places =
            |f: &Finding| (f.kind, f.first.1.min(f.second.1), f.first.1.max(f.second.1), f.name.clone());
        if self.findings.iter().any(|f| places(f) == places(&finding)) {
            return;
        }
        if self.findings.len() < MAX_FINDINGS { self.findings.push(finding) } else { self.dropped += 1 }
    }
}

impl LaunchRecord {
    fn event(&self, access: &Access<'_>) -> Event {
        Event {
            thread: access.thread,
            block_phase: self.blocks.get(&access.thread.block).copied().unwrap_or(0),
            grid_phase: self.grid,
            exchanges: self.exchanges.made(access.thread),
            kind: access.kind,
            value: access.value,
            span: access.span,
        }
    }

    /// Records an access and returns the earlier one that it races with.
    fn note(&mut self, access: &Access<'_>) -> Option<Event> {
        let event = self.event(access);
        let place = (access.array, access.offset);
        self.exchanges.note(access.thread, place, access.kind);
        let element = self.elements.entry(place).or_default();
        let (serial, exchanges) = (self.serial, &self.exchanges);
        let races =
            |other: &&Event| !serial && other.races_with(&event) && !exchanges.orders(other, event.thread);
        let write = element.write.as_ref().filter(races).copied();
        if access.kind == Kind::Load {
            let place = match &element.reads {
                [Some(first), _] if first.thread == event.thread => 0,
                [None, _] => 0,
                _ => 1,
            };
            element.reads[place] = Some(event);
            return write;
        }
        let read = element.reads.iter().flatten().find(races).copied();
        element.write = Some(event);
        element.reads = [None; 2];
        write.or(read)
    }
}

impl Observer for RaceDetector {
    fn begin_launch(&mut self, kernel: &str, _dims: &[usize], _block: &[usize], serial: bool) {
        self.launches.push(LaunchRecord { kernel: kernel.to_string(), serial, ..LaunchRecord::default() });
    }

    fn end_launch(&mut self) {
        self.launches.pop();
    }

    fn access(&mut self, access: &Access<'_>) {
        let Some(launch) = self.launches.last_mut() else { return };
        let earlier = match launch.undefined.get(&access.array) {
            Some(_) if access.space == Space::Shared && access.kind != Kind::Store => {
                let known =
                    launch.elements.get(&(access.array, access.offset)).is_some_and(|e| e.write.is_some());
                (!known).then_some((FindingKind::Uninitialised, access.thread, access.span, access.kind))
            }
            _ => None,
        };
        let race = launch.note(access).map(|event| (FindingKind::Race, event.thread, event.span, event.kind));
        let kernel = launch.kernel.clone();
        for (kind, thread, span, earlier) in earlier.into_iter().chain(race) {
            self.add(Finding {
                kind,
                kernel: kernel.clone(),
                name: access.name.to_string(),
                offset: access.offset,
                first: (thread, span),
                second: (access.thread, access.span),
                kinds: [earlier, access.kind],
            });
        }
    }

    fn allocate_shared(&mut self, shared: &SharedArray<'_>) {
        let &SharedArray { array, block, defined, .. } = shared;
        let Some(launch) = self.launches.last_mut() else { return };
        // The identity may have belonged to an array of an earlier block.
        let old: Vec<_> =
            launch.elements.range((array, 0)..=(array, usize::MAX)).map(|(key, _)| *key).collect();
        for key in old {
            launch.elements.remove(&key);
        }
        if defined {
            launch.undefined.remove(&array);
        } else {
            launch.undefined.insert(array, block);
        }
    }

    fn fence(&mut self, thread: ThreadId) {
        if let Some(launch) = self.launches.last_mut() {
            launch.exchanges.fence(thread);
        }
    }

    fn meet(&mut self, threads: &[ThreadId]) {
        if let Some(launch) = self.launches.last_mut() {
            launch.exchanges.meet(threads);
        }
    }

    fn barrier(&mut self, block: Option<u64>, _span: Span) {
        let Some(launch) = self.launches.last_mut() else { return };
        match block {
            Some(block) => *launch.blocks.entry(block).or_default() += 1,
            None => launch.grid += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(kind: Kind, thread: u64, offset: usize) -> Access<'static> {
        let thread = ThreadId { block: thread / 4, thread: thread % 4 };
        let span = Span::default();
        let (space, dims) = (Space::Global, &[8][..]);
        Access { kind, space, array: 1, name: "a", dims, offset, value: None, thread, function: "k", span }
    }

    fn findings(events: &[Access<'_>]) -> usize {
        let mut detector = RaceDetector::new();
        detector.begin_launch("k", &[8], &[4], false);
        events.iter().for_each(|event| detector.access(event));
        detector.findings().len()
    }

    #[test]
    fn a_write_races_with_accesses_of_other_threads() {
        use Kind::{Atomic, Load, Store};
        assert_eq!(findings(&[access(Store, 0, 0), access(Load, 1, 0)]), 1);
        assert_eq!(findings(&[access(Load, 0, 0), access(Load, 0, 0), access(Store, 1, 0)]), 1);
        assert_eq!(findings(&[access(Load, 0, 0), access(Load, 1, 0), access(Store, 0, 0)]), 1);
        assert_eq!(findings(&[access(Load, 0, 0), access(Load, 1, 0)]), 0);
        assert_eq!(findings(&[access(Store, 0, 0), access(Store, 0, 0), access(Load, 0, 0)]), 0);
        assert_eq!(findings(&[access(Store, 0, 0), access(Store, 1, 1)]), 0);
        assert_eq!(findings(&[access(Atomic, 0, 0), access(Atomic, 1, 0)]), 0);
        assert_eq!(findings(&[access(Atomic, 0, 0), access(Store, 1, 0)]), 1);
    }

    #[test]
    fn atomic_operations_between_fences_hand_over_what_was_written_before() {
        use Kind::{Atomic, Load, Store};
        let told = |fences: [bool; 2]| {
            let mut detector = RaceDetector::new();
            detector.begin_launch("k", &[8], &[4], false);
            for (thread, fence) in [(0, fences[0]), (5, fences[1])] {
                let first = if thread == 0 { access(Store, 0, 0) } else { access(Atomic, 5, 1) };
                detector.access(&first);
                if fence {
                    detector.fence(first.thread);
                }
                let second = if thread == 0 { access(Atomic, 0, 1) } else { access(Load, 5, 0) };
                detector.access(&second);
            }
            detector.findings().len()
        };
        assert_eq!(told([true, true]), 0);
        assert_eq!(told([true, false]), 1);
        assert_eq!(told([false, true]), 1);
    }

    #[test]
    fn exchanges_hand_over_what_was_written_before() {
        use Kind::{Exchange, Load, Store};
        let published = [access(Store, 0, 0), access(Exchange, 0, 1), access(Load, 1, 1), access(Load, 1, 0)];
        assert_eq!(findings(&published), 0);
        assert_eq!(findings(&[access(Load, 1, 1), access(Exchange, 0, 1), access(Exchange, 2, 1)]), 0);
        assert_eq!(findings(&[access(Store, 1, 1), access(Exchange, 0, 1)]), 1);
        // Writes after the exchange, and what other threads published, are not acquired.
        let late = [access(Exchange, 0, 1), access(Store, 0, 0), access(Exchange, 1, 1), access(Load, 1, 0)];
        assert_eq!(findings(&late), 1);
        let other = [access(Store, 0, 0), access(Exchange, 0, 1), access(Exchange, 1, 2), access(Load, 1, 0)];
        assert_eq!(findings(&other), 1);
        // Happens-before is transitive.
        let chain = [
            access(Store, 0, 0),
            access(Exchange, 0, 1),
            access(Exchange, 5, 1),
            access(Exchange, 5, 2),
            access(Load, 7, 2),
            access(Store, 7, 0),
        ];
        assert_eq!(findings(&chain), 0);
    }

    #[test]
    fn threads_of_a_warp_that_meet_know_what_each_has_done() {
        let [first, second, other] = [0, 1, 2].map(|thread| access(Kind::Store, thread, 0).thread);
        let found = |again: bool, reader: u64| {
            let mut detector = RaceDetector::new();
            detector.begin_launch("k", &[8], &[4], false);
            detector.access(&access(Kind::Store, 0, 0));
            detector.meet(&[first, second]);
            if again {
                detector.access(&access(Kind::Store, 0, 0));
                detector.meet(&[second, other]);
            }
            detector.access(&access(Kind::Load, reader, 0));
            detector.findings().len()
        };
        assert_eq!(found(false, 1), 0);
        assert_eq!(found(false, 2), 1);
        // What the first thread stores after it met the second is known to nobody.
        assert_eq!((found(true, 1), found(true, 2)), (1, 1));
    }

    #[test]
    fn barriers_order_the_threads_of_their_block() {
        let mut detector = RaceDetector::new();
        detector.begin_launch("k", &[8], &[4], false);
        detector.access(&access(Kind::Store, 0, 0));
        detector.barrier(Some(0), Span::default());
        detector.access(&access(Kind::Load, 1, 0));
        assert!(detector.findings().is_empty());
        detector.access(&access(Kind::Load, 5, 0));
        assert_eq!(detector.findings().len(), 1);
        detector.access(&access(Kind::Store, 0, 1));
        detector.barrier(None, Span::default());
        detector.access(&access(Kind::Load, 5, 1));
        assert_eq!(detector.findings().len(), 1);
    }
}
