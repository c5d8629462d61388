//! Copies beside kernels: which of them run in lanes of their own, and what they have to wait for there.
//!
//! Everything that a device does runs in its main lane, in the order of the calls, but for large copies between host and
//! device. The main lane's time is divided into epochs: whoever closes one records an event there. Each block of memory
//! is marked with the epochs in which the main lane last changed and last used it. So a copy to the host waits for the
//! kernels that made what it copies, and not for those that came later; a copy from the host waits for those that use the
//! memory that it fills. Marking is all that a launch pays.
//!
//! The main lane waits for a copy from the host as soon as it is submitted: what comes next is nearly always the kernel that
//! needs it, and kernels that came before are under way meanwhile. Whoever asks for a copy to the host waits for it, so that
//! nothing else has to.

use super::DeviceMemory;
#[cfg(any(feature = "cuda", test))]
use super::LaunchArg;
use crate::error::Result;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Copies of fewer bytes take less time than what it costs to order them between lanes.
pub(crate) const WORTHWHILE: usize = 256 << 10;

/// Events that are kept. Waiting for a later one instead of a forgotten one is right, only longer.
const EVENTS: usize = 64;

/// What a device does in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Kernels and all that is in no other lane.
    Main,
    /// Copies from the host.
    In,
    /// Copies to the host.
    Out,
}

/// A device with lanes.
pub(crate) trait Lanes {
    /// A moment of the main lane.
    type Event;
    /// Submits what is held back.
    fn flush(&self) -> Result<()>;
    /// What was submitted to the main lane. `old` is an event that nobody needs any more, to be used again.
    fn record(&self, old: Option<Self::Event>) -> Result<Self::Event>;
    /// Lets what a lane gets from now on wait for an event.
    fn wait(&self, lane: Lane, event: &Self::Event) -> Result<()>;
    /// Whether the main lane has come to an event.
    fn is_over(&self, event: &Self::Event) -> bool;
}

/// When the main lane last used a block of memory: numbers of epochs, 0 for never.
#[derive(Debug, Default)]
pub(crate) struct Mark {
    changed: AtomicU64,
    used: AtomicU64,
}

/// Marks that belong to no block. They are never freed, so that a handle to memory is a plain value; there are as many as
/// there ever were blocks at the same time.
static SPARE: Mutex<Vec<&'static Mark>> = Mutex::new(Vec::new());

impl Mark {
    /// The mark of memory that was never used.
    pub(crate) fn take() -> &'static Mark {
        let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mark = spare.unwrap_or_else(|| Box::leak(Box::default()));
        mark.changed.store(0, Ordering::Relaxed);
        mark.used.store(0, Ordering::Relaxed);
        mark
    }

    /// Takes back the mark of memory that is gone.
    pub(crate) fn put_back(mark: &'static Mark) {
        SPARE.lock().unwrap_or_else(PoisonError::into_inner).push(mark);
    }
}

/// See the module.
pub(crate) struct Overlap<E> {
    epoch: AtomicU64,
    /// The last epoch in which the main lane used marked memory.
    touched: AtomicU64,
    /// The work of all epochs up to this one is done.
    over: AtomicU64,
    /// Whether others submit to the main lane as well, which marks nothing.
    shared: AtomicBool,
    /// Events at the ends of epochs, in their order. Not each epoch has one.
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

    /// Marks memory that the main lane got work for. To be called after that was submitted or queued, so that an event at
    /// the end of this epoch comes after it.
    pub(crate) fn touch(&self, memory: &DeviceMemory, changes: bool) {
        fence(Ordering::SeqCst);
        mark(memory, changes, self.now());
    }

    /// The epoch to mark with.
    fn now(&self) -> u64 {
        let epoch = self.epoch.load(Ordering::SeqCst);
        raise(&self.touched, epoch);
        epoch
    }

    /// Marks what a launch uses, as [`Overlap::touch`].
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn touch_all(&self, args: &[LaunchArg<'_>]) {
        fence(Ordering::SeqCst);
        self.touch_queued(args);
    }

    /// The same under the lock that [`Lanes::flush`] takes, by which the launch comes before an event of this epoch.
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

    /// From now on others submit work to the main lane too: everything stays there.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// The lane for a copy from the host to some memory, which was told what to wait for. When the copy is submitted, the
    /// main lane has to wait for it, and the memory has to be marked.
    pub(crate) fn upload<L: Lanes<Event = E>>(&self, lanes: &L, to: &DeviceMemory) -> Result<Lane> {
        let Some(mark) = to.mark.filter(|_| to.bytes >= WORTHWHILE) else { return Ok(Lane::Main) };
        if self.shared.load(Ordering::Relaxed) {
            return Ok(Lane::Main);
        }
        let mut closed = self.closed();
        // Copies to the host of what was computed before shall not wait for this copy.
        self.close(lanes, &mut closed)?;
        self.hold_up(lanes, &mut closed, Lane::In, mark.used.load(Ordering::Relaxed))?;
        Ok(Lane::In)
    }

    /// The lane for a copy to the host from some memory, which was told what to wait for; and whether everything that was
    /// submitted is done after it.
    pub(crate) fn download<L: Lanes<Event = E>>(
        &self,
        lanes: &L,
        from: &DeviceMemory,
    ) -> Result<(Lane, bool)> {
        let now = self.epoch.load(Ordering::SeqCst);
        let last = from.mark.map_or(now, |mark| mark.changed.load(Ordering::Relaxed));
        let all = last >= self.touched.load(Ordering::Relaxed);
        if self.shared.load(Ordering::Relaxed) || (all && from.bytes < WORTHWHILE) {
            return Ok((Lane::Main, true));
        }
        self.hold_up(lanes, &mut self.closed(), Lane::Out, last)?;
        Ok((Lane::Out, all))
    }

    /// Whether nothing that was submitted uses a block any more, as far as can be seen without waiting.
    pub(crate) fn is_idle<L: Lanes<Event = E>>(&self, lanes: &L, mark: &Mark) -> bool {
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

    /// Closes an epoch, unless somebody is about to. Nothing is held back, and nobody else can hold something back.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn close_submitted<L: Lanes<Event = E>>(&self, lanes: &L) {
        if let Ok(mut closed) = self.closed.try_lock() {
            // Where that fails, those who need an event will see why.
            let _ = keep(lanes, &mut closed, self.finishing());
        }
    }

    /// Begins to wait for the main lane. When all that was submitted after this call is done, so is what was before.
    pub(crate) fn finishing(&self) -> u64 {
        let epoch = self.epoch.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        epoch
    }

    /// The main lane was waited for.
    pub(crate) fn finished(&self, epoch: u64) {
        self.over.fetch_max(epoch, Ordering::AcqRel);
    }

    fn close<L: Lanes<Event = E>>(&self, lanes: &L, closed: &mut VecDeque<(u64, E)>) -> Result<()> {
        let epoch = self.finishing();
        lanes.flush()?;
        keep(lanes, closed, epoch)
    }

    /// Lets a lane wait for the work of the main lane up to the end of an epoch.
    fn hold_up<L: Lanes<Event = E>>(
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

/// Several threads may read one memory. Mostly the mark is there already.
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

    /// A device that only knows what comes before what. Sets of numbers of operations are bits.
    #[derive(Default)]
    struct Model {
        overlap: Overlap<u128>,
        /// All that comes before what a lane gets next, lane by lane.
        lanes: RefCell<[u128; 3]>,
        /// Launches that are held back, with the memory that they use.
        held: RefCell<Vec<usize>>,
        /// What the host knows to be done.
        known: Cell<u128>,
        /// What is done before each operation.
        before: RefCell<Vec<u128>>,
        /// The operations, with the blocks that they read or change.
        uses: RefCell<Vec<Vec<(usize, bool)>>>,
        /// Whether the device is done with everything when it is asked.
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
        // The last one is small, the one before belongs to others.
        let bytes = |k| if k + 1 == BLOCKS { 100 } else { WORTHWHILE };
        let mark = |k| (k + 2 != BLOCKS).then(Mark::take);
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
        /// Of two operations of which one changes what the other uses, the later one comes after the earlier one.
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
            memory.iter().filter_map(|memory| memory.mark).for_each(Mark::put_back);
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
        // Memory that kernels use is filled after them.
        let again = model.upload(&memory[2], 2);
        assert!(after(again, other));
        // After a wait nothing is waited for.
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
