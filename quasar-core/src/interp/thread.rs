//! The resumable state of one thread: call frames, variables, loops, handlers. The host program runs in one too.

use super::code::Code;
use super::error::Fault;
use super::expressions::Located;
use super::kernel::Lane;
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::isa::Baseline;
use quasar_devicelib::ops;
use quasar_devicelib::value::{Value, array};
use std::rc::Rc;

/// The frame of an executing body.
pub(super) struct Frame {
    pub(super) code: Rc<Code>,
    /// The next instruction.
    pub(super) pc: usize,
    /// First variable slot.
    pub(super) base: usize,
    /// First loop state.
    pub(super) loops: usize,
}

/// The state of an active loop.
pub(super) enum LoopState {
    Idle,
    Integers { next: i64, step: i64, left: usize, element: ElementType },
    Numbers { first: Scalar, step: Scalar, next: usize, count: usize },
    Items { items: Value, next: usize, count: usize },
}

/// An active `try`, whose code starts at `pc`.
pub(super) struct Handler {
    pub(super) frame: usize,
    pub(super) pc: usize,
}

/// A store that is evaluated but not executed yet.
pub(super) struct Pending {
    pub(super) located: Located,
    pub(super) value: Value,
    /// The instruction that it belongs to.
    pub(super) pc: usize,
}

/// One thread.
pub(super) struct Thread {
    pub(super) frames: Vec<Frame>,
    /// How many of them count against the recursion limit.
    pub(super) calls: u32,
    pub(super) slots: Vec<Value>,
    pub(super) loops: Vec<LoopState>,
    pub(super) handlers: Vec<Handler>,
    pub(super) lane: Lane,
    pub(super) pending: Option<Pending>,
    /// What it brings to the other threads of its group, for which it waits.
    pub(super) brought: Vec<Value>,
    /// The error that the handlers of a `try` are checked against.
    pub(super) fault: Option<Fault>,
}

impl Thread {
    /// An idle thread.
    pub(super) fn new(lane: Lane) -> Thread {
        let (frames, slots, loops, handlers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Thread {
            frames,
            calls: 0,
            slots,
            loops,
            handlers,
            lane,
            pending: None,
            brought: Vec::new(),
            fault: None,
        }
    }

    /// Starts a body with the given variables.
    pub(super) fn start(&mut self, code: &Rc<Code>, variables: &[Value]) {
        self.frames.clear();
        self.calls = 0;
        self.slots.clear();
        self.loops.clear();
        self.handlers.clear();
        self.pending = None;
        self.brought.clear();
        self.fault = None;
        self.slots.extend_from_slice(variables);
        self.loops.extend((0..code.loops).map(|_| LoopState::Idle));
        self.frames.push(Frame { code: code.clone(), pc: 0, base: 0, loops: 0 });
    }

    /// Pushes the frame of a called body; there must be as many arguments as parameters.
    pub(super) fn enter(&mut self, code: &Rc<Code>, args: Vec<Value>) {
        let (base, loops) = (self.slots.len(), self.loops.len());
        self.slots.resize(base + code.names.len(), Value::Unit);
        for (&param, arg) in code.params.iter().zip(args) {
            self.slots[base + param as usize] = arg;
        }
        self.loops.extend((0..code.loops).map(|_| LoopState::Idle));
        self.calls += u32::from(code.recursive);
        self.frames.push(Frame { code: code.clone(), pc: 0, base, loops });
    }

    /// Pops the innermost frame.
    pub(super) fn leave(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.calls -= u32::from(frame.code.recursive);
        self.slots.truncate(frame.base);
        self.loops.truncate(frame.loops);
        Some(frame)
    }

    /// A variable of the innermost frame.
    pub(super) fn slot(&self, k: u32) -> Option<&Value> {
        self.slots.get(self.frames.last()?.base + k as usize)
    }

    /// The loop at a depth of the innermost frame.
    pub(super) fn loop_state(&mut self, depth: u32) -> Option<&mut LoopState> {
        let base = self.frames.last()?.loops;
        self.loops.get_mut(base + depth as usize)
    }

    pub(super) fn set_loop(&mut self, depth: u32, state: LoopState) {
        if let Some(slot) = self.loop_state(depth) {
            *slot = state;
        }
    }
}

impl LoopState {
    /// The next value; `None` at the end.
    pub(super) fn advance(&mut self) -> Option<Value> {
        match self {
            LoopState::Idle => None,
            LoopState::Integers { next, step, left, element } => {
                *left = left.checked_sub(1)?;
                let value = match element {
                    ElementType::Int32 => Scalar::I32(*next as i32),
                    other => Scalar::from_i64(*next, *other),
                };
                *next = next.wrapping_add(*step);
                Some(Value::Scalar(value))
            }
            LoopState::Numbers { first, step, next, count } => {
                let k = *next;
                if k >= *count {
                    return None;
                }
                *next = k + 1;
                Some(Value::Scalar(nth(*first, *step, k)))
            }
            LoopState::Items { items, next, count } => {
                let k = *next;
                if k >= *count {
                    return None;
                }
                *next = k + 1;
                match items {
                    Value::Array(a) => array::read(&**a, |view| view.data.value(k)),
                    Value::Tuple(items) => items.get(k).cloned(),
                    _ => None,
                }
            }
        }
    }
}

/// Element `k` of a sequence, computed in the type of its parts.
fn nth(first: Scalar, step: Scalar, k: usize) -> Scalar {
    match (first, step) {
        (Scalar::F32(a), Scalar::F32(s)) => {
            Scalar::F32(ops::add::<Baseline, _>(a, ops::multiply::<Baseline, _>(k as f32, s)))
        }
        (Scalar::F64(a), Scalar::F64(s)) => {
            Scalar::F64(ops::add::<Baseline, _>(a, ops::multiply::<Baseline, _>(k as f64, s)))
        }
        (a, s) => {
            let element = a.element_type();
            let k = Scalar::from_i64(k as i64, element);
            match (ops::find("add"), ops::find("multiply")) {
                (Some(add), Some(multiply)) => (add.eval)(&[a, (multiply.eval)(&[k, s])]),
                _ => a,
            }
        }
    }
}
