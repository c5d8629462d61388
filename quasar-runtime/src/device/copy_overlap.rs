//! Overlap of copies with kernels: decides which copies run on streams of their own and which events they must wait for
//! (ADR 16). The drivers implement [`Lanes`]; this module has no driver calls.
//!
//! All work of a device runs on its main stream in the order of the calls, except large host-device copies. The main
//! stream is divided into epochs, each of which may end with a recorded event. A block of memory is marked with the
//! epochs in which the main stream last wrote and last used it. So a download waits for the kernels that produced its
//! source, not for later ones, and an upload waits for the kernels that use its destination. A launch only pays for the
//! marks.
//!
//! The main stream waits for an upload as soon as the upload is submitted: the next kernel nearly always needs the
//! data, and earlier kernels keep running meanwhile. A download blocks its caller, so no stream has to wait for it.

use super::DeviceMemory;
#[cfg(any(feature = "cuda", test))]
use super::LaunchArg;
use crate::error::Result;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// For copies of fewer bytes the synchronisation between streams costs more than it saves.
pub(crate) const MIN_OVERLAP_BYTES: usize = 256 << 10;

/// Capacity of the event list. Waiting for a later event in place of a discarded one is correct, only longer.
const EVENTS: usize = 64;

/// A stream of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Kernels, and everything that has no stream of its own.
    Main,
    /// Copies from the host.
    In,
    /// Copies to the host.
    Out,
}

/// A device with several streams.
pub(crate) trait Lanes {
    /// An event of the main stream.
    type Event;
    /// Submits batched launches.
    fn flush(&self) -> Result<()>;
    /// Records an event on the main stream. `old` is an unused event, which may be recycled.
    fn record(&self, old: Option<Self::Event>) -> Result<Self::Event>;
    /// Makes later work of a stream wait for an event.
    fn wait(&self, lane: Lane, event: &Self::Event) -> Result<()>;
    /// Whether the main stream has passed an event.
    fn is_over(&self, event: &Self::Event) -> bool;
}

/// The epochs in which the main stream last wrote and last used a block of memory; 0 for never.
#[derive(Debug, Default)]
pub(crate) struct LastUse {
    changed: AtomicU64,
    used: AtomicU64,
}

/// Marks without a block. They are never freed, so that a handle to memory is plain data; their number is the maximum
/// number of blocks that existed at the same time.
static SPARE: Mutex<Vec<&'static LastUse>> = Mutex::new(Vec::new());

impl LastUse {
    /// A mark for unused memory.
    pub(crate) fn take() -> &'static LastUse {
        let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mark = spare.unwrap_or_else(|| Box::leak(Box::default()));
        mark.changed.store(0, Ordering::Relaxed);
        mark.used.store(0, Ordering::Relaxed);
        mark
    }

    /// Recycles the mark of freed memory.
    pub(crate) fn put_back(mark: &'static LastUse) {
        SPARE.lock().unwrap_or_else(PoisonError::into_inner).push(mark);
    }
}

/// The epochs of one device and the events at their ends.
pub(crate) struct Overlap<E> {
    epoch: AtomicU64,
    /// The last epoch in which the main stream used marked memory.
    touched: AtomicU64,
    /// The work of all epochs up to this one is complete.
    over: AtomicU64,
    /// Whether other code also submits to the main stream, without marking.
    shared: AtomicBool,
    /// Recorded events with their epochs, in order. Not each epoch has an event.
    closed: Mutex<VecDeque<(u64, E)>>,
}

impl<E> Default for Overlap<E> {
    fn default() -> Overlap<E> {
        Overlap {
            epoch: AtomicU64::new(1),
            touched: AtomicU64::new(0),
            over: AtomicU64::new(0),
            shared: AtomicBool::new(false),
            closed: Mutex::default(),
        }
    }
}

impl<E> Overlap<E> {
    fn closed(&self) -> MutexGuard<'_, VecDeque<(u64, E)>> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks memory that work of the main stream uses. Must be called after the work was submitted or queued, so that
    /// an event at the end of this epoch follows it.
    pub(crate) fn touch(&self, memory: &DeviceMemory, changes: bool) {
        fence(Ordering::SeqCst);
        mark(memory, changes, self.now());
    }

    /// The current epoch, for marking.
    fn now(&self) -> u64 {
        let epoch = self.epoch.load(Ordering::SeqCst);
        raise(&self.touched, epoch);
        epoch
    }

    /// Marks the memory of a launch, like [`Overlap::touch`].
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn touch_all(&self, args: &[LaunchArg<'_>]) {
        fence(Ordering::SeqCst);
        self.touch_queued(args);
    }

    /// Like `touch_all`, under the lock that [`Lanes::flush`] takes, which orders the launch before an event of this
    /// epoch.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn touch_queued(&self, args: &[LaunchArg<'_>]) {
        let epoch = self.now();
        for arg in args {
            match arg {
                LaunchArg::Memory(memory) => mark(memory, true, epoch),
                LaunchArg::Input(memory) | LaunchArg::Constant(memory, _) => mark(memory, false, epoch),
                LaunchArg::Bytes(_) => {}
            }
        }
    }

    /// From now on other code submits to the main stream too, so all copies stay there.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// The stream for an upload to `to`, already ordered after the work that it depends on. After submitting the copy,
    /// the caller must make the main stream wait for it and mark the memory.
    pub(crate) fn upload<L: Lanes<Event = E>>(&self, lanes: &L, to: &DeviceMemory) -> Result<Lane> {
        let Some(mark) = to.mark.filter(|_| to.bytes >= MIN_OVERLAP_BYTES) else { return Ok(Lane::Main) };
        if self.shared.load(Ordering::Relaxed) {
            return Ok(Lane::Main);
        }
        let mut closed = self.closed();
        // Downloads of earlier results must not wait for this upload, so the epoch ends here.
        self.close(lanes, &mut closed)?;
        self.wait_for_epoch(lanes, &mut closed, Lane::In, mark.used.load(Ordering::Relaxed))?;
        Ok(Lane::In)
    }

    /// The stream for a download from `from`, already ordered after the work that it depends on, and whether all
    /// submitted work is complete after it.
    pub(crate) fn download<L: Lanes<Event = E>>(
        &self,
        lanes: &L,
        from: &DeviceMemory,
    ) -> Result<(Lane, bool)> {
        let now = self.epoch.load(Ordering::SeqCst);
        let last = from.mark.map_or(now, |mark| mark.changed.load(Ordering::Relaxed));
        let all = last >= self.touched.load(Ordering::Relaxed);
        if self.shared.load(Ordering::Relaxed) || (all && from.bytes < MIN_OVERLAP_BYTES) {
            return Ok((Lane::Main, true));
        }
        self.wait_for_epoch(lanes, &mut self.closed(), Lane::Out, last)?;
        Ok((Lane::Out, all))
    }

    /// Whether no submitted work uses a block any more, as far as can be seen without blocking.
    pub(crate) fn is_idle<L: Lanes<Event = E>>(&self, lanes: &L, mark: &LastUse) -> bool {
        let used = mark.used.load(Ordering::Relaxed);
        if used <= self.over.load(Ordering::Acquire) {
            return true;
        }
        let closed = self.closed();
        let found = closed.get(closed.partition_point(|(epoch, _)| *epoch < used));
        let Some((epoch, _)) = found.filter(|(_, event)| lanes.is_over(event)) else { return false };
        self.over.fetch_max(*epoch, Ordering::AcqRel);
        true
    }

    /// Closes an epoch, unless another thread is doing so. No launch is batched, and no other thread can batch one.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn close_submitted<L: Lanes<Event = E>>(&self, lanes: &L) {
        if let Ok(mut closed) = self.closed.try_lock() {
            // A failure is reported to whoever needs an event.
            let _ = keep(lanes, &mut closed, self.finishing());
        }
    }

    /// Begins a wait for the main stream. Once all work submitted after this call is complete, so is the work of the
    /// returned epoch.
    pub(crate) fn finishing(&self) -> u64 {
        let epoch = self.epoch.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        epoch
    }

    /// Records that the main stream completed the epoch.
    pub(crate) fn finished(&self, epoch: u64) {
        self.over.fetch_max(epoch, Ordering::AcqRel);
    }

    fn close<L: Lanes<Event = E>>(&self, lanes: &L, closed: &mut VecDeque<(u64, E)>) -> Result<()> {
        let epoch = self.finishing();
        lanes.flush()?;
        keep(lanes, closed, epoch)
    }

    /// Makes a stream wait for the work of the main stream up to the end of an epoch.
    fn wait_for_epoch<L: Lanes<Event = E>>(
        &self,
        lanes: &L,
        closed: &mut VecDeque<(u64, E)>,
        lane: Lane,
        epoch: u64,
    ) -> Result<()> {
        if epoch <= self.over.load(Ordering::Acquire) {
            return Ok(());
        }
        if closed.back().is_none_or(|(last, _)| *last < epoch) {
            self.close(lanes, closed)?;
        }
        match closed.get(closed.partition_point(|(other, _)| *other < epoch)) {
            Some((_, event)) => lanes.wait(lane, event),
            None => Ok(()),
        }
    }
}

/// Records an event for the end of an epoch.
fn keep<L: Lanes>(lanes: &L, closed: &mut VecDeque<(u64, L::Event)>, epoch: u64) -> Result<()> {
    let old = if closed.len() < EVENTS { None } else { closed.pop_front().map(|(_, event)| event) };
    closed.push_back((epoch, lanes.record(old)?));
    Ok(())
}

fn mark(memory: &DeviceMemory, changes: bool, epoch: u64) {
    let Some(mark) = memory.mark else { return };
    raise(&mark.used, epoch);
    if changes {
        raise(&mark.changed, epoch);
    }
}

/// An atomic maximum. Several threads may read the same memory; mostly the mark is already current, which saves the
/// read-modify-write.
fn raise(last: &AtomicU64, epoch: u64) {
    if last.load(Ordering::Relaxed) < epoch {
        last.fetch_max(epoch, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::{Cell, RefCell};

    const BLOCKS: usize = 5;

    /// A device model that tracks the happens-before order only. Sets of operations are bit masks.
    #[derive(Default)]
    struct Model {
        overlap: Overlap<u128>,
        /// For each stream, what happens before its next operation.
        lanes: RefCell<[u128; 3]>,
        /// Batched launches, with the memory that they use.
        held: RefCell<Vec<usize>>,
        /// Operations that the host knows to be complete.
        known: Cell<u128>,
        /// For each operation, what happens before it.
        before: RefCell<Vec<u128>>,
        /// The operations, with the blocks that they read or write.
        uses: RefCell<Vec<Vec<(usize, bool)>>>,
        /// Whether the device reports all work as complete.
        fast: Cell<bool>,
        waits: Cell<usize>,
    }

    impl Lanes for Model {
        type Event = u128;

        fn flush(&self) -> Result<()> {
            let held = std::mem::take(&mut *self.held.borrow_mut());
            held.into_iter().for_each(|operation| self.submit(Lane::Main, operation));
            Ok(())
        }

        fn record(&self, _old: Option<u128>) -> Result<u128> {
            assert!(self.held.borrow().is_empty());
            Ok(self.lanes.borrow()[Lane::Main as usize])
        }

        fn wait(&self, lane: Lane, event: &u128) -> Result<()> {
            self.waits.set(self.waits.get() + 1);
            self.lanes.borrow_mut()[lane as usize] |= event;
            Ok(())
        }

        fn is_over(&self, event: &u128) -> bool {
            if self.fast.get() {
                self.known.set(self.known.get() | event);
            }
            self.fast.get()
        }
    }

    impl Model {
        fn operation(&self, uses: &[(usize, bool)]) -> usize {
            self.uses.borrow_mut().push(uses.to_vec());
            self.before.borrow_mut().push(0);
            self.uses.borrow().len() - 1
        }

        fn submit(&self, lane: Lane, operation: usize) {
            let mut lanes = self.lanes.borrow_mut();
            let before = lanes[lane as usize] | self.known.get();
            self.before.borrow_mut()[operation] = before;
            lanes[lane as usize] = before | 1 << operation;
        }

        fn launch(&self, memory: &[DeviceMemory], uses: &[(usize, bool)], queued: bool) -> usize {
            let operation = self.operation(uses);
            self.held.borrow_mut().push(operation);
            if !queued {
                self.flush().unwrap();
            }
            let args = uses.iter().map(|&(k, changes)| match changes {
                true => LaunchArg::Memory(&memory[k]),
                false => LaunchArg::Input(&memory[k]),
            });
            self.overlap.touch_all(&args.collect::<Vec<_>>());
            operation
        }

        fn upload(&self, memory: &DeviceMemory, block: usize) -> usize {
            let lane = self.overlap.upload(self, memory).unwrap();
            self.flush().unwrap();
            let operation = self.operation(&[(block, true)]);
            self.submit(lane, operation);
            let done = self.lanes.borrow()[lane as usize];
            self.lanes.borrow_mut()[Lane::Main as usize] |= done;
            self.overlap.touch(memory, true);
            operation
        }

        fn download(&self, memory: &DeviceMemory, block: usize) -> usize {
            let (lane, _) = self.overlap.download(self, memory).unwrap();
            if lane == Lane::Main {
                self.flush().unwrap();
            }
            let operation = self.operation(&[(block, false)]);
            self.submit(lane, operation);
            self.known.set(self.known.get() | self.before.borrow()[operation] | 1 << operation);
            operation
        }

        fn synchronize(&self) {
            let epoch = self.overlap.finishing();
            self.flush().unwrap();
            self.known.set(self.known.get() | self.lanes.borrow()[Lane::Main as usize]);
            self.overlap.finished(epoch);
        }
    }

    fn memory() -> Vec<DeviceMemory> {
        // The last one is small, the one before belongs to other code.
        let bytes = |k| if k + 1 == BLOCKS { 100 } else { MIN_OVERLAP_BYTES };
        let mark = |k| (k + 2 != BLOCKS).then(LastUse::take);
        (0..BLOCKS).map(|k| DeviceMemory { mark: mark(k), ..DeviceMemory::new(k as u64, bytes(k)) }).collect()
    }

    #[derive(Clone, Debug)]
    enum Step {
        Launch(Vec<(usize, bool)>, bool),
        Upload(usize),
        Download(usize),
        Close,
        Synchronize,
        Idle(usize, bool),
        Share,
    }

    fn step() -> impl Strategy<Value = Step> {
        let uses = prop::collection::vec((0..BLOCKS, any::<bool>()), 1..4);
        prop_oneof![
            6 => (uses, any::<bool>()).prop_map(|(uses, queued)| Step::Launch(uses, queued)),
            3 => (0..BLOCKS).prop_map(Step::Upload),
            3 => (0..BLOCKS).prop_map(Step::Download),
            1 => Just(Step::Close),
            1 => Just(Step::Synchronize),
            2 => (0..BLOCKS, any::<bool>()).prop_map(|(block, fast)| Step::Idle(block, fast)),
            1 => Just(Step::Share),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        /// If one of two operations writes what the other uses, the later one is ordered after the earlier one.
        #[test]
        fn no_conflict_is_left_open(steps in prop::collection::vec(step(), 1..120)) {
            let (model, memory) = (Model::default(), memory());
            for step in steps {
                match step {
                    Step::Launch(uses, queued) => {
                        model.launch(&memory, &uses, queued);
                    }
                    Step::Upload(k) => {
                        model.upload(&memory[k], k);
                    }
                    Step::Download(k) => {
                        model.download(&memory[k], k);
                    }
                    Step::Close => {
                        model.flush().unwrap();
                        model.overlap.close_submitted(&model);
                    }
                    Step::Synchronize => model.synchronize(),
                    Step::Idle(k, fast) => {
                        model.fast.set(fast);
                        if memory[k].mark.is_some_and(|mark| model.overlap.is_idle(&model, mark)) {
                            let uses = model.uses.borrow();
                            let on = (0..uses.len()).filter(|&j| uses[j].iter().any(|(other, _)| *other == k));
                            for j in on {
                                prop_assert!(model.known.get() >> j & 1 == 1, "{j} is not done with {k}");
                            }
                        }
                    }
                    Step::Share => model.overlap.share(),
                }
            }
            model.synchronize();
            let (uses, before) = (model.uses.borrow(), model.before.borrow());
            for k in 0..uses.len() {
                for j in 0..k {
                    let conflict = uses[j].iter().any(|(a, changes)| {
                        uses[k].iter().any(|(b, also)| a == b && (*changes || *also))
                    });
                    prop_assert!(!conflict || before[k] >> j & 1 == 1, "{k} does not come after {j}");
                }
            }
            memory.iter().filter_map(|memory| memory.mark).for_each(LastUse::put_back);
        }
    }

    #[test]
    fn copies_wait_for_no_other_kernels() {
        let (model, memory) = (Model::default(), memory());
        let after = |later: usize, earlier: usize| model.before.borrow()[later] >> earlier & 1 == 1;
        // Upload, filter, upload the next, filter, and only then read both.
        let first = model.upload(&memory[0], 0);
        let filter = model.launch(&memory, &[(0, false), (1, true)], true);
        let second = model.upload(&memory[2], 2);
        let other = model.launch(&memory, &[(2, true)], false);
        assert!(after(filter, first) && after(other, second) && after(second, first));
        assert!(!after(second, filter), "fresh memory waits for nothing");
        let read = model.download(&memory[1], 1);
        assert!(after(read, filter) && !after(read, second) && !after(read, other));
        // The upload overwrites memory that kernels use, so it is ordered after them.
        let again = model.upload(&memory[2], 2);
        assert!(after(again, other));
        // After a synchronisation there is nothing to wait for.
        model.synchronize();
        let waits = model.waits.get();
        model.upload(&memory[1], 1);
        model.synchronize();
        model.download(&memory[1], 1);
        assert_eq!(model.waits.get(), waits);
    }

    #[test]
    fn events_that_were_forgotten_are_replaced_by_later_ones() {
        let (model, memory) = (Model::default(), memory());
        let kernel = model.launch(&memory, &[(0, true)], false);
        (0..2 * EVENTS).for_each(|_| model.overlap.close_submitted(&model));
        assert_eq!(model.overlap.closed().len(), EVENTS);
        let read = model.download(&memory[0], 0);
        assert!(model.before.borrow()[read] >> kernel & 1 == 1);
    }
}
