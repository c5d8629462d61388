//! Schedules the threads of a launch. Threads synchronise at barriers; in between they run one after the other, or
//! switch at every step in a seeded order, which exposes synchronisation bugs.

use super::ThreadOrder;
use super::code::{Code, Target};
use super::error::Fault;
use super::kernel::{Geometry, Lane, LaunchState};
use super::machine::{Machine, Pause, waits_at};
use super::messages;
use super::thread::Thread;
use crate::ir::Scope;
use quasar_devicelib::value::{Value, array};
use std::rc::Rc;

/// The number of barrier-free threads that run interleaved.
const INTERLEAVED: usize = 32;

/// The most threads that may synchronise with each other.
const MAX_TOGETHER: usize = 1 << 18;

/// The state of a thread in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    Waits(Scope),
    /// For the threads of its group.
    Meets,
    Ended,
}

/// A pseudo-random permutation of `0..count`.
struct Shuffle {
    factor: u64,
    offset: u64,
    count: u64,
}

impl Shuffle {
    fn new(count: u64, order: ThreadOrder, random: &mut Generator) -> Shuffle {
        if order == ThreadOrder::Serial || count < 2 {
            return Shuffle { factor: 1, offset: 0, count };
        }
        let mut factor = random.below(count).max(1);
        while gcd(factor, count) != 1 {
            factor = factor % count + 1;
        }
        Shuffle { factor, offset: random.below(count), count }
    }

    fn at(&self, k: u64) -> u64 {
        let image = u128::from(self.factor) * u128::from(k) + u128::from(self.offset);
        (image % u128::from(self.count.max(1))) as u64
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A small random generator for scheduling, independent of the random numbers of programs.
struct Generator(u64);

impl Generator {
    fn new(order: ThreadOrder) -> Generator {
        match order {
            ThreadOrder::Serial => Generator(1),
            ThreadOrder::Random(seed) => Generator(seed ^ 0x9E37_79B9_7F4A_7C15),
        }
    }

    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % count.max(1)
    }
}

impl Machine<'_> {
    /// Runs all threads of a launch.
    pub(super) fn run_grid(
        &mut self,
        code: &Rc<Code>,
        geometry: &Rc<Geometry>,
        launch: &mut LaunchState,
        args: &[Value],
        serial: bool,
    ) -> Result<(), Fault> {
        if args.len() != code.params.len() {
            return Err(messages::argument_count(&code.name, code.params.len(), args.len()));
        }
        let mut variables = vec![Value::Unit; code.names.len()];
        for (&param, arg) in code.params.iter().zip(args) {
            variables[param as usize] = arg.clone();
        }
        for ((target, output), initial) in code.results.iter().zip(&code.outputs).zip(&launch.outputs) {
            if let (Target::Slot(k), Some(_)) = (target, output.row) {
                variables[*k as usize] = initial.clone();
            }
        }
        let order = if serial { ThreadOrder::Serial } else { self.options.order };
        let mut random = Generator::new(order);
        let run = Run { code, geometry, variables: &variables, order };
        if code.needs.grid {
            self.run_together(&run, launch, 0..geometry.blocks(), &mut random)
        } else if code.needs.block {
            let blocks = Shuffle::new(geometry.blocks(), order, &mut random);
            for k in 0..geometry.blocks() {
                let block = blocks.at(k);
                self.run_together(&run, launch, block..block + 1, &mut random)?;
            }
            Ok(())
        } else if order == ThreadOrder::Serial {
            self.run_serially(&run, launch)
        } else {
            self.run_interleaved(&run, launch, &mut random)
        }
    }

    fn run_serially(&mut self, run: &Run<'_>, launch: &mut LaunchState) -> Result<(), Fault> {
        let mut thread = Thread::new(Lane::of_position(run.geometry, 0));
        for k in 0..run.geometry.positions() {
            thread.lane = Lane::of_position(run.geometry, k);
            thread.start(run.code, run.variables);
            while self.run(&mut thread, launch, false)? != Pause::End {}
            fold(&thread, run.code, launch);
        }
        Ok(())
    }

    /// Runs a window over the permuted positions; at each step a random thread of it proceeds.
    fn run_interleaved(
        &mut self,
        run: &Run<'_>,
        launch: &mut LaunchState,
        random: &mut Generator,
    ) -> Result<(), Fault> {
        let positions = Shuffle::new(run.geometry.positions(), run.order, random);
        let mut next = 0;
        let mut threads: Vec<Thread> = Vec::with_capacity(INTERLEAVED);
        loop {
            while threads.len() < INTERLEAVED && next < positions.count {
                let mut thread = Thread::new(Lane::of_position(run.geometry, positions.at(next)));
                thread.start(run.code, run.variables);
                threads.push(thread);
                next += 1;
            }
            if threads.is_empty() {
                return Ok(());
            }
            let k = random.below(threads.len() as u64) as usize;
            self.tell_switch(&threads[k]);
            if self.run(&mut threads[k], launch, true)? == Pause::End {
                fold(&threads[k], run.code, launch);
                threads.swap_remove(k);
            }
        }
    }

    /// Runs all threads of some blocks that synchronise at barriers.
    fn run_together(
        &mut self,
        run: &Run<'_>,
        launch: &mut LaunchState,
        blocks: std::ops::Range<u64>,
        random: &mut Generator,
    ) -> Result<(), Fault> {
        let per_block = run.geometry.block_threads();
        let count = u128::from(per_block) * u128::from(blocks.end - blocks.start);
        if count > MAX_TOGETHER as u128 {
            return Err(messages::too_many_threads(count, MAX_TOGETHER));
        }
        let mut threads = array::reserve(count as usize)?;
        for block in blocks {
            for number in 0..per_block {
                let mut thread = Thread::new(Lane::of_thread(run.geometry, block, number));
                thread.start(run.code, run.variables);
                threads.push(thread);
            }
        }
        let mut states = array::filled(State::Ready, threads.len())?;
        loop {
            self.run_phase(run, launch, &mut threads, &mut states, random)?;
            let blocks = threads.chunks_mut(per_block as usize).zip(states.chunks_mut(per_block as usize));
            let mut met = false;
            for (threads, states) in blocks {
                met |= self.meet(&run.code.name, launch, threads, states)?;
            }
            if !met && !self.release(run, &threads, &mut states, per_block as usize)? {
                break;
            }
        }
        launch.end_blocks();
        Ok(())
    }

    /// Runs every thread until it ends or reaches a barrier.
    fn run_phase(
        &mut self,
        run: &Run<'_>,
        launch: &mut LaunchState,
        threads: &mut [Thread],
        states: &mut [State],
        random: &mut Generator,
    ) -> Result<(), Fault> {
        let single = run.order != ThreadOrder::Serial;
        let mut ready: Vec<usize> =
            array::collect(threads.len(), (0..threads.len()).filter(|&k| states[k] == State::Ready))?;
        if !single {
            ready.reverse();
        }
        while !ready.is_empty() {
            let at = if single { random.below(ready.len() as u64) as usize } else { ready.len() - 1 };
            let k = ready[at];
            self.tell_switch(&threads[k]);
            states[k] = match self.run(&mut threads[k], launch, single)? {
                Pause::Step => continue,
                Pause::Barrier(scope) => State::Waits(scope),
                Pause::Meeting => State::Meets,
                Pause::End => {
                    fold(&threads[k], run.code, launch);
                    State::Ended
                }
            };
            ready.swap_remove(at);
        }
        Ok(())
    }

    /// Releases the threads that have all reached the same barrier. Returns false if all have ended.
    fn release(
        &mut self,
        run: &Run<'_>,
        threads: &[Thread],
        states: &mut [State],
        per_block: usize,
    ) -> Result<bool, Fault> {
        let mut waiting_blocks = 0;
        let mut released = false;
        for (group, states) in threads.chunks(per_block).zip(states.chunks_mut(per_block)) {
            self.check_agreement(run, group, states)?;
            match states.first() {
                Some(State::Waits(Scope::Block)) => {
                    released = true;
                    states.fill(State::Ready);
                    self.tell_barrier(&group[0], Some(group[0].lane.id().block));
                }
                Some(State::Waits(Scope::Grid | Scope::Host)) => waiting_blocks += 1,
                Some(State::Ended | State::Ready | State::Meets | State::Waits(Scope::Warp)) | None => {}
            }
        }
        if released || waiting_blocks == 0 {
            return Ok(released);
        }
        self.check_agreement(run, threads, states)?;
        states.fill(State::Ready);
        if let Some(first) = threads.first() {
            self.tell_barrier(first, None);
        }
        Ok(true)
    }

    /// Checks that all threads of a group wait at the same barrier, or that all have ended.
    fn check_agreement(&self, run: &Run<'_>, group: &[Thread], states: &[State]) -> Result<(), Fault> {
        let place = |k: usize| match states[k] {
            State::Ended | State::Ready | State::Meets => None,
            State::Waits(_) => waits_at(&group[k]).map(|(code, pc)| (Rc::as_ptr(&code), pc)),
        };
        let Some(other) = (1..group.len()).find(|&k| place(k) != place(0)) else { return Ok(()) };
        let (waiting, other) = if place(0).is_some() { (0, other) } else { (other, 0) };
        let span = |k: usize| waits_at(&group[k]).and_then(|(code, pc)| code.spans.get(pc).copied());
        let mut fault = messages::divergent(
            &self.doing(&group[waiting], true),
            &self.doing(&group[other], place(other).is_some()),
        );
        let name = |k: usize| group[k].lane.text();
        let here = span(waiting).unwrap_or_default();
        fault = match place(other).and_then(|_| span(other)) {
            Some(there) => fault
                .related(format!("thread {} waits here", name(waiting)), here)
                .related(format!("thread {} waits here", name(other)), there),
            None => fault.related(
                format!("thread {} waits here, thread {} has ended", name(waiting), name(other)),
                here,
            ),
        };
        Err(fault.at(&run.code.name, here))
    }

    pub(super) fn doing(&self, thread: &Thread, waits: bool) -> String {
        let name = thread.lane.text();
        if !waits {
            return format!("thread {name} has ended");
        }
        let span = waits_at(thread).and_then(|(code, pc)| code.spans.get(pc).copied());
        match (self.sources, span) {
            (Some(sources), Some(span)) if (span.file.0 as usize) < sources.files().count() => {
                format!("thread {name} waits at line {}", sources.line_column(span.file, span.start).0)
            }
            (_, Some(span)) => format!("thread {name} waits at offset {}", span.start),
            (_, None) => format!("thread {name} waits"),
        }
    }

    fn tell_switch(&mut self, thread: &Thread) {
        let Some(observer) = &mut self.observer else { return };
        if observer.wants_statements() {
            let span = thread.frames.last().and_then(|f| f.code.spans.get(f.pc)).copied();
            observer.switch_thread(thread.lane.id(), span.unwrap_or_default());
        }
    }

    fn tell_barrier(&mut self, thread: &Thread, block: Option<u64>) {
        let Some(observer) = &mut self.observer else { return };
        let span = waits_at(thread).and_then(|(code, pc)| code.spans.get(pc).copied());
        observer.barrier(block, span.unwrap_or_default());
    }
}

/// The initial state of all threads of a launch.
struct Run<'a> {
    code: &'a Rc<Code>,
    geometry: &'a Rc<Geometry>,
    variables: &'a [Value],
    order: ThreadOrder,
}

/// Accumulates the private results of a finished thread into those of the launch.
fn fold(thread: &Thread, code: &Code, launch: &mut LaunchState) {
    if thread.lane.shadow {
        return;
    }
    for ((target, output), total) in code.results.iter().zip(&code.outputs).zip(&mut launch.outputs) {
        if let (Target::Slot(k), Some(row)) = (target, output.row)
            && let (Some(Value::Scalar(own)), Value::Scalar(sum)) = (thread.slot(*k), &*total)
        {
            *total = Value::Scalar((row.eval)(&[*sum, *own]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_visit_everything_once() {
        for count in [1, 2, 7, 64, 1000] {
            for seed in 0..5 {
                let order = ThreadOrder::Random(seed);
                let shuffle = Shuffle::new(count, order, &mut Generator::new(order));
                let mut seen: Vec<u64> = (0..count).map(|k| shuffle.at(k)).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..count).collect::<Vec<_>>());
            }
        }
    }
}
