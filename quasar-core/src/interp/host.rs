//! Calls: functions of the program, function values and entry points.

use super::code::{Code, Named, Op, Target};
use super::convert::convert;
use super::error::Fault;
use super::kernel::{Lane, LaunchState};
use super::machine::{Machine, Pause};
use super::messages;
use super::texts::{self, Origin};
use super::thread::Thread;
use crate::ir::FunctionId;
use crate::ir::texts::Evaluated;
use quasar_devicelib::stack;
use quasar_devicelib::value::function::{Method, expect_arguments, several};
use quasar_devicelib::value::{FunctionObject, Value, ValueError, release};
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

/// Stack that the interpreter reserves, since its own recursion follows the nesting of expressions and launches.
const STACK: usize = 1 << 20;

/// A function of the program as a value, with its captures.
pub(super) struct Closure {
    function: FunctionId,
    /// The evaluated source that it came with; `None` for functions of the program itself.
    origin: Option<Arc<Evaluated>>,
    text: String,
    takes: usize,
    is_method: bool,
    captures: Vec<Value>,
}

/// Describes a function used as a value.
pub(super) fn named(origin: &Origin<'_>, function: FunctionId, captures: usize) -> Named {
    let (text, takes, is_method) = origin.program().functions[function].as_value(captures);
    Named { function, origin: origin.text(), text: text.into(), takes, is_method }
}

/// A function as a value.
pub(super) fn function(named: &Named, captures: Vec<Value>) -> Value {
    let Named { function, origin, text, takes, is_method } = named.clone();
    Value::Function(Arc::new(Closure {
        function,
        origin,
        text: text.to_string(),
        takes,
        is_method,
        captures,
    }))
}

impl FunctionObject for Closure {
    fn describe(&self) -> String {
        self.text.clone()
    }

    fn call(&self, args: &[Value]) -> Result<Vec<Value>, ValueError> {
        if let Some(origin) = &self.origin {
            return texts::call(origin, self, args);
        }
        Err(messages::called_outside(&self.text))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn captured(&self) -> Vec<Value> {
        self.captures.clone()
    }

    fn take_captured(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.captures)
    }

    fn is_method(&self) -> bool {
        self.is_method
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        release(self.take_captured());
    }
}

impl Machine<'_> {
    /// Executes the call instruction at `pc`.
    pub(super) fn call(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        code: &Rc<Code>,
        pc: usize,
    ) -> Result<(), Fault> {
        match &code.ops[pc] {
            Op::Call { function, args, results: _ } => {
                let args = self.eval(thread, launch).values(args)?;
                let callee = self.function_code(code.program, *function)?;
                self.enter(thread, &callee, args)
            }
            Op::CallValue { callee, args, results } => {
                let mut eval = self.eval(thread, launch);
                let callee = eval.value(callee)?;
                let args = eval.values(args)?;
                self.call_value(thread, launch, &callee, args, results)
            }
            _ => Ok(()),
        }
    }

    fn call_value(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        callee: &Value,
        args: Vec<Value>,
        results: &[Target],
    ) -> Result<(), Fault> {
        let Value::Function(function) = callee else {
            return Err(messages::not_callable(&callee.kind()));
        };
        let (function, args) = Method::resolved(function, args);
        match function.as_any().downcast_ref::<Closure>() {
            Some(closure) => {
                expect_arguments(closure, closure.takes, args.len())?;
                let code = self.closure_code(closure)?;
                let args = closure.captures.iter().cloned().chain(args).collect();
                self.enter(thread, &code, args)
            }
            None => {
                let values = function.call(&args)?;
                self.assign_all(thread, launch, &function.describe(), results, values)
            }
        }
    }

    /// Returns from a called body: assigns its results to variables of the caller.
    pub(super) fn finish_call(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        code: &Code,
    ) -> Result<(), Fault> {
        let caller = thread.frames.len().checked_sub(2).and_then(|k| thread.frames.get(k));
        let Some((caller, pc)) = caller.and_then(|c| Some((c.code.clone(), c.pc.checked_sub(1)?))) else {
            return Ok(());
        };
        let targets = match caller.ops.get(pc) {
            Some(Op::CallValue { results, .. }) if results.len() > 1 && code.results.len() == 1 => {
                let values = several(vec![result_of(thread, code, code.results[0])?], results.len());
                thread.leave();
                return self.assign_all(thread, launch, &code.name, results, values);
            }
            Some(Op::Call { results, .. } | Op::CallValue { results, .. }) => results,
            _ => return Err(messages::internal("a return without a call")),
        };
        let mut values = Vec::with_capacity(targets.len());
        for (target, result) in targets.iter().zip(&code.results) {
            values.push(match target {
                Target::Nowhere => Value::Unit,
                Target::Slot(_) | Target::Output(_) => result_of(thread, code, *result)?,
            });
        }
        thread.leave();
        self.assign_all(thread, launch, &code.name, targets, values)
    }

    /// Calls a host function from outside.
    pub(super) fn call_function(
        &mut self,
        place: usize,
        function: FunctionId,
        args: Vec<Value>,
    ) -> Result<Vec<Value>, Fault> {
        let code = self.function_code(place, function)?;
        // The code relies on the types of its parameters, which the caller does not know.
        let body = &self.program(place).functions[function].body;
        let types = body.params.iter().map(|param| &body.variables[*param].ty);
        let converted = args.iter().zip(types).map(|(arg, ty)| convert(arg.clone(), ty));
        let args = match args.len() == body.params.len() {
            true => converted.collect::<Result<_, _>>()?,
            false => args,
        };
        self.call_code(&code, args)
    }

    /// Calls a function value from outside.
    pub(super) fn call_closure(&mut self, closure: &Closure, args: &[Value]) -> Result<Vec<Value>, Fault> {
        expect_arguments(closure, closure.takes, args.len())?;
        let code = self.closure_code(closure)?;
        self.call_code(&code, closure.captures.iter().chain(args).cloned().collect())
    }

    /// The code of a function value, of whichever program it belongs to.
    fn closure_code(&mut self, closure: &Closure) -> Result<Rc<Code>, Fault> {
        let place = match &closure.origin {
            Some(origin) => self.load(origin)?,
            None => 0,
        };
        self.function_code(place, closure.function)
    }

    fn call_code(&mut self, code: &Rc<Code>, args: Vec<Value>) -> Result<Vec<Value>, Fault> {
        stack::with_bytes(STACK, || self.run_code(code, args))
    }

    fn run_code(&mut self, code: &Rc<Code>, args: Vec<Value>) -> Result<Vec<Value>, Fault> {
        let mut thread = Thread::new(Lane::host());
        let mut launch = LaunchState::default();
        self.enter(&mut thread, code, args)?;
        loop {
            match self.run(&mut thread, &mut launch, false)? {
                Pause::End => break,
                Pause::Step => {}
                Pause::Barrier(_) | Pause::Meeting => return Err(messages::barrier_outside_kernel()),
            }
        }
        code.results.iter().map(|&result| result_of(&thread, code, result)).collect()
    }
}

fn result_of(thread: &Thread, code: &Code, result: Target) -> Result<Value, Fault> {
    let Target::Slot(k) = result else { return Ok(Value::Unit) };
    match thread.slot(k) {
        Some(Value::Unit) | None => {
            let name = code.names.get(k as usize).map_or("", |name| name);
            Err(messages::unassigned(name))
        }
        Some(value) => Ok(value.clone()),
    }
}
