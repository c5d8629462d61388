//! What the threads of a warp do together on the virtual device. A thread that needs what others bring waits; when no thread of
//! its block can go on, those of each warp that have come to the same place go on together, the earliest place of the code first:
//! so threads that took different ways meet again behind them.

use super::code::{Op, Target};
use super::error::Fault;
use super::kernel::{Lane, LaunchState};
use super::machine::{Machine, waits_at};
use super::messages;
use super::schedule::State;
use super::thread::Thread;
use crate::ir::Scope;
use quasar_devicelib::element::Scalar;
use quasar_devicelib::kernel::groups::{self, Bits, Shuffle};
use quasar_devicelib::value::Value;
use std::rc::Rc;

fn number(args: &[Value], k: usize) -> Result<Scalar, Fault> {
    let number = args.get(k).and_then(Value::as_scalar);
    number.ok_or_else(|| messages::internal("an operation of a group without a number"))
}

fn lanes_of(args: &[Value]) -> Result<u32, Fault> {
    number(args, 0).map(|lanes| lanes.as_i64() as u32)
}

/// The result of an operation that needs no other thread; none of one that does.
pub(super) fn alone(name: &str, args: &[Value], lane: &Lane) -> Result<Option<Value>, Fault> {
    if !lane.active {
        return Err(messages::barrier_outside_kernel());
    }
    let thread = lane.id().thread as usize;
    Ok(Some(Value::Scalar(match name {
        "group_of_block" => Scalar::U32(groups::group_of_block(thread, lane.block_threads())),
        "group_partition" => {
            let size = number(args, 1)?.as_i64() as i32;
            Scalar::U32(groups::group_partition(thread, lanes_of(args)?, size))
        }
        "group_rank" => Scalar::I32(groups::group_rank(thread, lanes_of(args)?)),
        "group_size" => Scalar::I32(groups::group_size(thread, lanes_of(args)?)),
        _ => return Ok(None),
    })))
}

/// The threads of a warp that have come to one place.
struct Comers<'a> {
    threads: &'a [Thread],
    /// Who they are, as bits.
    there: u32,
}

impl Comers<'_> {
    fn args(&self, lane: u32) -> &[Value] {
        self.threads.get(lane as usize).map_or(&[], |thread| &thread.brought)
    }

    /// The lanes of the group of a thread; none where some of them are elsewhere or name another group.
    fn group(&self, lane: u32) -> Result<Option<u32>, Fault> {
        let lanes = lanes_of(self.args(lane))?;
        if lanes >> lane & 1 == 0 || lanes & !self.there != 0 {
            return Ok(None);
        }
        for other in (0..u32::BITS).filter(|other| lanes >> other & 1 == 1) {
            if lanes_of(self.args(other))? != lanes {
                return Ok(None);
            }
        }
        Ok(Some(lanes))
    }

    /// The lanes of a group whose threads brought a value.
    fn which(&self, lanes: u32, holds: impl Fn(Scalar) -> bool) -> Result<u32, Fault> {
        let mut found = 0;
        for lane in (0..u32::BITS).filter(|lane| lanes >> lane & 1 == 1) {
            found |= u32::from(holds(number(self.args(lane), 1)?)) << lane;
        }
        Ok(found)
    }

    /// What the thread in a lane gets.
    fn result(&self, name: &str, lane: u32, lanes: u32) -> Result<Value, Fault> {
        let shuffle = match name {
            "group_shuffle" => Some(Shuffle::From),
            "group_shuffle_up" => Some(Shuffle::Up),
            "group_shuffle_down" => Some(Shuffle::Down),
            "group_shuffle_xor" => Some(Shuffle::Xor),
            _ => None,
        };
        if let Some(shuffle) = shuffle {
            let operand = number(self.args(lane), 2)?.as_i64() as i32;
            return Ok(Value::Scalar(number(self.args(shuffle.source(lane, lanes, operand)), 1)?));
        }
        let own = match name {
            "group_lanes" | "group_sync" => return Ok(Value::Scalar(Scalar::U32(lanes))),
            _ => number(self.args(lane), 1)?,
        };
        let votes = match name {
            "group_match_any" | "group_match_all" => self.which(lanes, |other| bits(other) == bits(own))?,
            _ => self.which(lanes, Scalar::is_truthy)?,
        };
        Ok(Value::Scalar(match name {
            "group_all" => Scalar::I32(i32::from(votes == lanes)),
            "group_any" => Scalar::I32(i32::from(votes != 0)),
            "group_match_all" if votes != lanes => Scalar::U32(0),
            _ => Scalar::U32(groups::packed(lanes, votes)),
        }))
    }
}

/// The bits that threads compare: numbers of 32 and 64 bits.
fn bits(x: Scalar) -> u64 {
    match x {
        Scalar::F32(x) => x.bits(),
        Scalar::F64(x) => x.bits(),
        Scalar::U64(x) => x,
        other => other.as_i64() as u64,
    }
}

/// Where a thread waits for others of its warp, in the order of the code.
fn place(thread: &Thread, state: State) -> Option<usize> {
    match state {
        State::Meets | State::Waits(Scope::Warp) => waits_at(thread).map(|(_, pc)| pc),
        _ => None,
    }
}

impl Machine<'_> {
    /// Lets threads of a block go on that have come together in their warps. False when none waits for others of its warp.
    pub(super) fn meet(
        &mut self,
        kernel: &Rc<str>,
        launch: &mut LaunchState,
        threads: &mut [Thread],
        states: &mut [State],
    ) -> Result<bool, Fault> {
        let size = groups::warp_size() as usize;
        let (mut met, mut waiting) = (false, None);
        for (warp, (threads, states)) in threads.chunks_mut(size).zip(states.chunks_mut(size)).enumerate() {
            let mut places: Vec<usize> =
                threads.iter().zip(&*states).filter_map(|(thread, state)| place(thread, *state)).collect();
            places.sort_unstable();
            places.dedup();
            let mut goes_on = places.is_empty();
            for pc in places {
                goes_on = self.meet_at(launch, threads, states, pc)?;
                if goes_on {
                    met = true;
                    break;
                }
            }
            if !goes_on {
                let k = (0..threads.len()).find(|&k| place(&threads[k], states[k]).is_some()).unwrap_or(0);
                waiting = waiting.or(Some(warp * size + k));
            }
        }
        match waiting {
            Some(k) if !met => Err(self.alone_in_group(kernel, threads, states, k)),
            _ => Ok(met),
        }
    }

    /// Lets the threads of a warp go on from one place whose groups are complete there.
    fn meet_at(
        &mut self,
        launch: &mut LaunchState,
        threads: &mut [Thread],
        states: &mut [State],
        pc: usize,
    ) -> Result<bool, Fault> {
        let here: Vec<usize> =
            (0..threads.len()).filter(|&k| place(&threads[k], states[k]) == Some(pc)).collect();
        let there = here.iter().fold(0_u32, |lanes, &k| lanes | 1 << k);
        let Some((code, _)) = here.first().and_then(|&k| waits_at(&threads[k])) else { return Ok(false) };
        let Some(Op::Group { name, result, .. }) = code.ops.get(pc) else {
            let all = (0..threads.len()).all(|k| states[k] == State::Ended || there >> k & 1 == 1);
            if all {
                here.iter().for_each(|&k| states[k] = State::Ready);
                self.tell_meeting(threads, there);
            }
            return Ok(all);
        };
        let comers = Comers { threads, there };
        let mut results: Vec<(usize, u32, Value)> = Vec::new();
        for &k in &here {
            let lane = k as u32;
            let lanes = if *name == "group_lanes" { Some(there) } else { comers.group(lane)? };
            if let Some(lanes) = lanes {
                results.push((k, lanes, comers.result(name, lane, lanes)?));
            }
        }
        let met = !results.is_empty();
        for (k, lanes, value) in results {
            if *name == "group_sync" && lanes.trailing_zeros() as usize == k {
                self.tell_meeting(threads, lanes);
            }
            threads[k].brought.clear();
            states[k] = State::Ready;
            let target = if *name == "group_sync" { Target::Nowhere } else { *result };
            self.assign(&mut threads[k], launch, target, value);
        }
        Ok(met)
    }

    /// The threads in these lanes know now what each of them has written.
    fn tell_meeting(&mut self, threads: &[Thread], lanes: u32) {
        if let Some(observer) = &mut self.observer {
            let there = threads.iter().enumerate().filter(|(k, _)| lanes >> k & 1 == 1);
            observer.meet(&there.map(|(_, thread)| thread.lane.id()).collect::<Vec<_>>());
        }
    }

    /// A thread waits for others of its group that do not come.
    fn alone_in_group(&self, kernel: &Rc<str>, threads: &[Thread], states: &[State], k: usize) -> Fault {
        let warp = k / groups::warp_size() as usize * groups::warp_size() as usize;
        let own = place(&threads[k], states[k]);
        let lanes =
            threads[k].brought.first().and_then(Value::as_scalar).map_or(u32::MAX, |x| x.as_i64() as u32);
        let end = threads.len().min(warp + groups::warp_size() as usize);
        let others = (warp..end).filter(|&other| lanes >> (other - warp) & 1 == 1);
        let mut elsewhere = others.filter(|&other| place(&threads[other], states[other]) != own);
        let why = match elsewhere.next() {
            Some(other) => self.doing(&threads[other], states[other] != State::Ended),
            None => "the others name another group".to_string(),
        };
        let span = waits_at(&threads[k]).and_then(|(code, pc)| code.spans.get(pc).copied());
        let span = span.unwrap_or_default();
        let waits = format!("thread {} waits here", threads[k].lane.text());
        messages::no_meeting(&self.doing(&threads[k], true), &why).related(waits, span).at(kernel, span)
    }
}
