//! Executes instructions of one thread until it ends, reaches a barrier, or has done one step.

use super::code::{Code, ExchangeOp, Node, Op, Place, RangeNode, StoreOp, Target, UpdateOp};
use super::error::{Fault, RunErrorKind};
use super::expressions::{Eval, Located};
use super::kernel::LaunchState;
use super::memory::Selection;
use super::observer::{Kind, Observer, SharedArray};
use super::texts::{Known, Loaded, Origin};
use super::thread::{Handler, LoopState, Pending, Thread};
use super::watch::Watcher;
use super::{InterpOptions, ThreadOrder, compile, messages, objects, warps};
use crate::ir::{Failure, FunctionId, KernelId, Program, Scope};
use crate::source::SourceMap;
use quasar_devicelib::element::{ElementType, Overflow};
use quasar_devicelib::kernel::shared_count;
use quasar_devicelib::ops::Row;
use quasar_devicelib::stack;
use quasar_devicelib::value::convert::convert_scalar;
use quasar_devicelib::value::{ErrorKind, Host, Value, ValueError, elementwise, format, library, sequence};
use std::rc::Rc;

/// The deepest nesting of launches, each of which uses the interpreter's stack.
pub(super) const MAX_LAUNCHES: usize = 12;

/// The state of a program, apart from its threads.
pub(super) struct Machine<'p> {
    /// The program, and those of evaluated source.
    pub(super) programs: Vec<Loaded<'p>>,
    /// Compiled source, by module and text.
    pub(super) known: Known,
    pub(super) host: &'p mut dyn Host,
    pub(super) observer: Option<&'p mut dyn Observer>,
    pub(super) sources: Option<&'p SourceMap>,
    pub(super) options: InterpOptions,
    pub(super) watcher: Option<&'p mut dyn Watcher>,
    /// The only program whose lines errors name; all, if there is none.
    pub(super) named: Option<usize>,
    /// The number of instructions that have begun.
    pub(super) steps: u64,
    /// The next instruction at which the watcher looks or the limit is over: one comparison for both.
    pub(super) looks_at: u64,
    pub(super) launches: usize,
}

/// Why a thread was suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// One step is done.
    Step,
    /// It reached a barrier.
    Barrier(Scope),
    /// It waits for the threads of its group.
    Meeting,
    /// The outermost body has ended; its variables are still there.
    End,
}

/// Why the instruction loop ended.
enum Flow {
    Pause(Pause),
    /// A call; the caller's next instruction is set.
    Call,
    /// A launch.
    Launch,
    /// The body has ended.
    Return,
}

impl<'p> Machine<'p> {
    pub(super) fn new(origin: Origin<'p>, options: InterpOptions, host: &'p mut dyn Host) -> Machine<'p> {
        Machine {
            programs: vec![Loaded::new(origin)],
            known: Known::default(),
            host,
            observer: None,
            sources: None,
            watcher: None,
            named: None,
            steps: 0,
            looks_at: options.step_limit.map_or(u64::MAX, |limit| limit.saturating_add(1)),
            options,
            launches: 0,
        }
    }

    /// Sets the watcher, which looks at the next instruction.
    pub(super) fn watch(&mut self, watcher: &'p mut dyn Watcher) {
        self.watcher = Some(watcher);
        self.looks_at = 0;
    }

    /// One of the programs, by index.
    pub(super) fn program(&self, place: usize) -> &Program {
        self.programs[place].origin.program()
    }

    pub(super) fn function_code(&mut self, place: usize, id: FunctionId) -> Result<Rc<Code>, Fault> {
        let Loaded { origin, functions, recursive, .. } = &mut self.programs[place];
        match functions.get_mut(id.index()) {
            Some(Some(code)) => Ok(code.clone()),
            Some(empty) => {
                let code = compile::function(origin, place, &origin.program().functions[id]);
                // The program and evaluated source may call each other through values.
                let recursive = recursive.contains(&id) || matches!(origin, Origin::Text(_));
                Ok(empty.insert(Rc::new(Code { recursive, ..code })).clone())
            }
            None => Err(messages::internal("a call of a function that does not exist")),
        }
    }

    pub(super) fn kernel_code(&mut self, place: usize, id: KernelId) -> Result<Rc<Code>, Fault> {
        let Loaded { origin, kernels, .. } = &mut self.programs[place];
        match kernels.get_mut(id.index()) {
            Some(Some(code)) => Ok(code.clone()),
            Some(empty) => {
                let code = compile::kernel(origin, place, &origin.program().kernels[id]);
                Ok(empty.insert(Rc::new(code)).clone())
            }
            None => Err(messages::internal("a launch of a kernel that does not exist")),
        }
    }

    /// Runs `f` one level of launch nesting deeper.
    pub(super) fn nested<R>(&mut self, f: impl FnOnce(&mut Self) -> Result<R, Fault>) -> Result<R, Fault> {
        if self.launches >= MAX_LAUNCHES {
            return Err(messages::launch_depth(MAX_LAUNCHES));
        }
        self.launches += 1;
        let result = f(self);
        self.launches -= 1;
        result
    }

    /// Evaluates expressions of the innermost frame.
    pub(super) fn eval<'a>(&'a mut self, thread: &'a Thread, launch: &'a LaunchState) -> Eval<'a> {
        let (slots, code) = match thread.frames.last() {
            Some(frame) => (&thread.slots[frame.base..], Some(&frame.code)),
            None => (&[][..], None),
        };
        let observer = self.observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer);
        let names = code.map_or(&[][..], |code| &code.names);
        let named = code.filter(|code| self.named.is_none_or(|place| place == code.program));
        let function = named.map(|code| &code.name);
        Eval {
            host: &mut *self.host,
            observer,
            globals: &self.programs[code.map_or(0, |code| code.program)].globals,
            slots,
            names,
            function,
            launch,
            lane: &thread.lane,
            working: self.options.working,
            // Tests go both ways: threads in any order as on a device.
            on_device: self.options.order != ThreadOrder::Serial,
        }
    }

    /// Assigns a variable.
    pub(super) fn assign(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        target: Target,
        value: Value,
    ) {
        match target {
            Target::Slot(k) => {
                let base = thread.frames.last().map_or(0, |frame| frame.base);
                if let Some(slot) = thread.slots.get_mut(base + k as usize) {
                    *slot = value;
                }
            }
            Target::Output(_) if thread.lane.shadow => {}
            Target::Output(k) => {
                if let Some(output) = launch.outputs.get_mut(k as usize) {
                    *output = value;
                }
            }
            Target::Nowhere => {}
        }
    }

    /// Resumes a thread. With `single` it suspends after every step, and between evaluating a store and executing it.
    pub(super) fn run(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        single: bool,
    ) -> Result<Pause, Fault> {
        loop {
            let Some(frame) = thread.frames.last() else { return Ok(Pause::End) };
            let code = frame.code.clone();
            let mut pc = frame.pc;
            let flow = match thread.pending.take() {
                Some(pending) => {
                    self.finish(thread, launch, &code, pending).map(|()| Flow::Pause(Pause::Step))
                }
                None => self.steps(thread, launch, &code, &mut pc, single),
            };
            if let Some(frame) = thread.frames.last_mut() {
                frame.pc = pc;
            }
            let flow = match flow {
                Ok(Flow::Pause(pause)) => return Ok(pause),
                Ok(Flow::Call) => self.call(thread, launch, &code, pc - 1),
                Ok(Flow::Launch) => match &code.ops[pc - 1] {
                    Op::Launch(op) => self.launch(thread, launch, op),
                    _ => Ok(()),
                },
                Ok(Flow::Return) if thread.frames.len() <= 1 => return Ok(Pause::End),
                Ok(Flow::Return) => self.finish_call(thread, launch, &code),
                Err(fault) => Err(fault),
            };
            if let Err(fault) = flow {
                let fault = self.placed(thread, fault);
                handle(thread, fault)?;
            }
            if single {
                return Ok(Pause::Step);
            }
        }
    }

    /// Adds the location of the innermost active statement of the program; evaluated source has no lines there.
    fn placed(&self, thread: &Thread, fault: Fault) -> Fault {
        let files = self.sources.map_or(u32::MAX, |sources| sources.files().count() as u32);
        let place = thread.frames.iter().rev().find_map(|frame| {
            let span = frame.code.spans.get(frame.pc.saturating_sub(1)).copied().unwrap_or_default();
            let named = self.named.is_none_or(|place| place == frame.code.program);
            (named && span.file.0 < files).then_some((&frame.code.name, span))
        });
        let fault = fault.within(files);
        match place {
            Some((name, span)) => fault.at(name, span),
            None => fault,
        }
    }

    fn step(&mut self, thread: &Thread, code: &Code, pc: usize) -> Result<(), Fault> {
        self.steps += 1;
        if self.steps >= self.looks_at {
            self.look(thread, pc)?;
        }
        if let Some(observer) = &mut self.observer
            && observer.wants_statements()
        {
            observer.statement(&code.name, code.spans.get(pc).copied().unwrap_or_default());
        }
        Ok(())
    }

    fn steps(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        code: &Rc<Code>,
        pc: &mut usize,
        single: bool,
    ) -> Result<Flow, Fault> {
        loop {
            self.step(thread, code, *pc)?;
            let Some(op) = code.ops.get(*pc) else { return Ok(Flow::Return) };
            *pc += 1;
            match op {
                Op::Assign { target, value, copy } => {
                    let mut value = self.eval(thread, launch).value(value)?;
                    if *copy {
                        value = value.copied()?;
                    }
                    self.assign(thread, launch, *target, value);
                }
                Op::AssignGlobal { global, value } => {
                    let value = self.eval(thread, launch).value(value)?;
                    if let Some(slot) = self.programs[code.program].globals.get_mut(*global as usize) {
                        *slot = value;
                    }
                }
                Op::Store(op) => self.store(thread, launch, op, *pc - 1, single)?,
                Op::Update(op) => self.update(thread, launch, op, *pc - 1, single)?,
                Op::Exchange(op) => self.exchange(thread, launch, op)?,
                Op::SetMember(op) => {
                    let mut eval = self.eval(thread, launch);
                    let (value, object) = (eval.value(&op.value)?, eval.value(&op.object)?);
                    objects::set(&object, &op.field, value)?;
                }
                Op::Evaluate { args, results } => {
                    let args = self.eval(thread, launch).values(args)?;
                    let value = self.evaluate(code.program, &args)?;
                    self.assign_all(thread, launch, "eval", results, vec![value])?;
                }
                Op::Call { .. } | Op::CallValue { .. } => return Ok(Flow::Call),
                Op::Launch(_) => return Ok(Flow::Launch),
                Op::Library { name, args, results } => {
                    let mut eval = self.eval(thread, launch);
                    let args = eval.values(args)?;
                    let values = library::call(name, &args, results.len(), eval.host)?;
                    self.assign_all(thread, launch, name, results, values)?;
                }
                Op::Group { name, args, result } => {
                    let args = self.eval(thread, launch).values(args)?;
                    match warps::alone(name, &args, &thread.lane)? {
                        Some(value) => self.assign(thread, launch, *result, value),
                        None => {
                            thread.brought = args;
                            return Ok(Flow::Pause(Pause::Meeting));
                        }
                    }
                }
                Op::Jump(to) => *pc = *to as usize,
                Op::Unless { condition, to } => {
                    if !self.eval(thread, launch).truth(condition)? {
                        *pc = *to as usize;
                    }
                }
                Op::ForStart { depth, range } => {
                    let state = self.loop_start(thread, launch, range)?;
                    thread.set_loop(*depth, state);
                }
                Op::EachStart { depth, over } => {
                    let state = self.each_start(thread, launch, over)?;
                    thread.set_loop(*depth, state);
                }
                Op::Next { depth, target, exit } => {
                    match thread.loop_state(*depth).and_then(LoopState::advance) {
                        Some(value) => self.assign(thread, launch, *target, value),
                        None => {
                            thread.set_loop(*depth, LoopState::Idle);
                            *pc = *exit as usize;
                        }
                    }
                }
                Op::Try { handler } => {
                    let frame = thread.frames.len().saturating_sub(1);
                    thread.handlers.push(Handler { frame, pc: *handler as usize });
                }
                Op::Catch { exception, variable, next } => {
                    match thread.fault.take_if(|fault| fault.is(*exception)) {
                        Some(fault) => {
                            let text = Value::from(fault.text(self.sources));
                            self.assign(thread, launch, *variable, text);
                        }
                        None => *pc = *next as usize,
                    }
                }
                Op::Rethrow => {
                    let fault = thread.fault.take();
                    return Err(fault.unwrap_or_else(|| messages::internal("no error to pass on")));
                }
                Op::Leave(count) => {
                    let rest = thread.handlers.len().saturating_sub(*count as usize);
                    thread.handlers.truncate(rest);
                }
                Op::Fail(failure, message) => {
                    let text = self.message(thread, launch, message)?;
                    let kind = match failure {
                        Failure::Raised => RunErrorKind::Raised,
                        Failure::Size => RunErrorKind::Value(ErrorKind::Shape),
                        Failure::Argument => RunErrorKind::Value(ErrorKind::Argument),
                        Failure::Unset => RunErrorKind::Unassigned,
                    };
                    return Err(Fault::new(kind, text));
                }
                Op::Assert { condition, message } => {
                    if !self.eval(thread, launch).truth(condition)? {
                        let text = self.message(thread, launch, message)?;
                        return Err(Fault::new(RunErrorKind::Assertion, text));
                    }
                }
                Op::Shared { slot, dims, element, zeroed } => {
                    self.shared(thread, launch, *slot, dims, *element, *zeroed)?;
                }
                Op::Barrier(scope) => {
                    if !thread.lane.active {
                        return Err(messages::barrier_outside_kernel());
                    }
                    return Ok(Flow::Pause(Pause::Barrier(*scope)));
                }
                Op::Fence { far } => {
                    if let Some(observer) = self.observer.as_mut().filter(|_| *far && thread.lane.active) {
                        observer.fence(thread.lane.id());
                    }
                }
                Op::Refuse(text) => return Err(messages::internal(text)),
            }
            if single {
                return Ok(Flow::Pause(Pause::Step));
            }
        }
    }

    fn message(&mut self, thread: &Thread, launch: &LaunchState, parts: &[Node]) -> Result<String, Fault> {
        let values = self.eval(thread, launch).values(parts)?;
        Ok(format::joined(&values)?)
    }

    fn loop_start(
        &mut self,
        thread: &Thread,
        launch: &LaunchState,
        range: &RangeNode,
    ) -> Result<LoopState, Fault> {
        let [from, step, to] = self.eval(thread, launch).bounds(range)?;
        let element = sequence::element_type(from, step, to)?;
        let count = sequence::count(from, step, to)?;
        let all_integers = [from, step, to].iter().all(|x| x.element_type().is_integer());
        if all_integers {
            let element =
                if step.element_type() == from.element_type() { from.element_type() } else { element };
            return Ok(LoopState::Integers {
                next: from.as_i64(),
                step: step.as_i64(),
                left: count,
                element,
            });
        }
        let first = convert_scalar(from, element, Overflow::Wrap)?;
        let step = convert_scalar(step, element, Overflow::Wrap)?;
        Ok(LoopState::Numbers { first, step, next: 0, count })
    }

    fn each_start(&mut self, thread: &Thread, launch: &LaunchState, over: &Node) -> Result<LoopState, Fault> {
        let items = self.eval(thread, launch).value(over)?;
        let count = match &items {
            Value::Array(a) => {
                let mut count = 0;
                a.read(&mut |view| count = view.data.len());
                count
            }
            Value::Tuple(items) => items.len(),
            other => return Err(messages::wrong_type("vec", &other.kind())),
        };
        Ok(LoopState::Items { items, next: 0, count })
    }

    fn shared(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        slot: u32,
        dims: &[Node],
        element: ElementType,
        zeroed: bool,
    ) -> Result<(), Fault> {
        let mut extents = Vec::with_capacity(dims.len());
        let mut eval = self.eval(thread, launch);
        for node in dims {
            extents.push(i32::try_from(eval.integer(node)?).unwrap_or(i32::MAX));
        }
        let name = eval.names.get(slot as usize).cloned();
        if let Some(value) = launch.shared(&thread.lane, slot).cloned() {
            self.assign(thread, launch, Target::Slot(slot), value);
            return Ok(());
        }
        let count = shared_count(&extents, element.size(), launch.shared_taken(&thread.lane));
        let bytes = count.map_err(|text| Fault::new(RunErrorKind::Raised, text))? * element.size();
        let extents = extents.into_iter().map(|n| n as usize).collect();
        let (value, made) = launch.make_shared(&thread.lane, slot, extents, element)?;
        if let (Some(array), Some(observer)) = (made, &mut self.observer) {
            let name = name.as_deref().unwrap_or("");
            let block = thread.lane.id().block;
            observer.allocate_shared(&SharedArray { array, name, bytes, block, defined: zeroed });
        }
        self.assign(thread, launch, Target::Slot(slot), value);
        Ok(())
    }

    fn store(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        op: &StoreOp,
        pc: usize,
        single: bool,
    ) -> Result<(), Fault> {
        let mut eval = self.eval(thread, launch);
        let value = eval.value(&op.value)?;
        let located = eval.locate(&op.place)?;
        self.write(thread, launch, &op.place, located, value, pc, single)
    }

    /// Executes a store now, or in the next step so that other threads can run in between.
    #[allow(clippy::too_many_arguments, reason = "the parts of one store")]
    fn write(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        place: &Place,
        located: Located,
        value: Value,
        pc: usize,
        later: bool,
    ) -> Result<(), Fault> {
        if later {
            thread.pending = Some(Pending { located, value, pc });
            return Ok(());
        }
        if matches!(located.selection, Selection::Whole) {
            let target = place.variable.unwrap_or(Target::Nowhere);
            self.assign(thread, launch, target, value);
            return Ok(());
        }
        self.eval(thread, launch).write(&located, &value, place, Kind::Store)
    }

    fn finish(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        code: &Code,
        pending: Pending,
    ) -> Result<(), Fault> {
        let place = match code.ops.get(pending.pc) {
            Some(Op::Store(op)) => &op.place,
            Some(Op::Update(op)) => &op.place,
            _ => return Ok(()),
        };
        self.write(thread, launch, place, pending.located, pending.value, pending.pc, false)
    }

    fn update(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        op: &UpdateOp,
        pc: usize,
        single: bool,
    ) -> Result<(), Fault> {
        let working = self.options.working;
        let mut eval = self.eval(thread, launch);
        let operand = eval.value(&op.value)?;
        let located = eval.locate(&op.place)?;
        let old = match (&located.selection, op.place.variable) {
            (Selection::Whole, Some(_)) => eval.value(&op.place.array)?,
            _ => eval.read_at(&located.array, &located.selection, &op.place, !op.atomic)?,
        };
        let new = combine(op.row, old, operand, working)?;
        if op.atomic && !matches!(located.selection, Selection::Whole) {
            eval.write(&located, &new, &op.place, Kind::Atomic)?;
        } else {
            self.write(thread, launch, &op.place, located, new.clone(), pc, single && !op.atomic)?;
        }
        self.assign(thread, launch, op.result, new);
        Ok(())
    }

    fn exchange(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        op: &ExchangeOp,
    ) -> Result<(), Fault> {
        let mut eval = self.eval(thread, launch);
        let value = eval.value(&op.value)?;
        let expected = op.expected.as_ref().map(|node| eval.value(node)).transpose()?;
        let located = eval.locate(&op.place)?;
        let whole = matches!(located.selection, Selection::Whole);
        let old = if whole {
            eval.value(&op.place.array)?
        } else {
            eval.read_at(&located.array, &located.selection, &op.place, false)?
        };
        let stores = expected.is_none_or(|expected| elementwise::equal(&old, &expected));
        if stores && whole {
            let target = op.place.variable.unwrap_or(Target::Nowhere);
            self.assign(thread, launch, target, value);
        } else if !whole {
            // A failed compare-and-swap is observed too.
            let new = if stores { &value } else { &old };
            eval.write(&located, new, &op.place, Kind::Exchange)?;
        }
        self.assign(thread, launch, op.result, old);
        Ok(())
    }

    /// Assigns the results of a call.
    pub(super) fn assign_all(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        function: &str,
        targets: &[Target],
        values: Vec<Value>,
    ) -> Result<(), Fault> {
        if values.len() < targets.len()
            && targets[values.len()..].iter().any(|t| !matches!(t, Target::Nowhere))
        {
            return Err(messages::result_count(function, targets.len(), values.len()));
        }
        for (target, value) in targets.iter().zip(values) {
            self.assign(thread, launch, *target, value);
        }
        Ok(())
    }

    /// Pushes a frame for a body.
    pub(super) fn enter(
        &mut self,
        thread: &mut Thread,
        code: &Rc<Code>,
        args: Vec<Value>,
    ) -> Result<(), Fault> {
        if code.recursive && thread.calls >= stack::limit() {
            return Err(ValueError::calls(stack::limit()).into());
        }
        if args.len() != code.params.len() {
            return Err(messages::argument_count(&code.name, code.params.len(), args.len()));
        }
        thread.enter(code, args);
        Ok(())
    }
}

/// The new value of a compound assignment, before the conversion to the type of the target.
fn combine(row: &Row, old: Value, operand: Value, working: ElementType) -> Result<Value, Fault> {
    if let (Value::Scalar(a), Value::Scalar(b)) = (&old, &operand) {
        let element = a.element_type();
        // Small integers are promoted to `int`, so that the store can detect a value that does not fit.
        let direct = element == b.element_type() && element.bits() >= 32 && row.domain.contains(element);
        if direct {
            return Ok(Value::Scalar((row.eval)(&[*a, *b])));
        }
    }
    Ok(elementwise::apply(row, &[old, operand], working)?)
}

/// The instruction at which a thread is suspended, for messages.
pub(super) fn waits_at(thread: &Thread) -> Option<(Rc<Code>, usize)> {
    let frame = thread.frames.last()?;
    Some((frame.code.clone(), frame.pc.checked_sub(1)?))
}

/// Jumps to the handlers of the innermost `try`, or propagates the error.
fn handle(thread: &mut Thread, fault: Fault) -> Result<(), Fault> {
    if !fault.is_catchable() {
        return Err(fault);
    }
    let Some(handler) = thread.handlers.pop() else { return Err(fault) };
    while thread.frames.len() > handler.frame + 1 {
        thread.leave();
    }
    thread.pending = None;
    if let Some(frame) = thread.frames.last_mut() {
        frame.pc = handler.pc;
    }
    thread.fault = Some(fault);
    Ok(())
}
