//! Evaluated source (`eval`). Each becomes a program of its own in the machine of the caller, so that function values
//! can be passed in both directions; their code refers to the program that it belongs to.

use super::code::Code;
use super::error::{Fault, RunError, RunErrorKind};
use super::host::Closure;
use super::machine::{MAX_LAUNCHES, Machine};
use super::{Interpreter, messages};
use crate::analysis::recursion::recursive;
use crate::ids::IdSet;
use crate::ir::texts::Evaluated;
use crate::ir::{Function, Program};
use crate::types::ElementType;
use quasar_devicelib::value::{Detail, ErrorKind, FunctionObject, Host, Value, ValueError};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// How many compiled sources are cached. Beyond that, source whose value holds no function is dropped at once.
const REMEMBERED: usize = 64;

/// Compiled source, by module and text.
pub(super) type Known = BTreeMap<(Arc<str>, Arc<str>), Arc<Evaluated>>;

/// The origin of a program.
pub(super) enum Origin<'p> {
    /// The program that is run.
    Own(&'p Program),
    /// Evaluated source.
    Text(Arc<Evaluated>),
}

impl Origin<'_> {
    pub(super) fn program(&self) -> &Program {
        match self {
            Origin::Own(program) => program,
            Origin::Text(text) => &text.program,
        }
    }

    pub(super) fn text(&self) -> Option<Arc<Evaluated>> {
        match self {
            Origin::Own(_) => None,
            Origin::Text(text) => Some(text.clone()),
        }
    }
}

/// A program with its module-level variables and its compiled bodies.
pub(super) struct Loaded<'p> {
    pub(super) origin: Origin<'p>,
    pub(super) globals: Vec<Value>,
    pub(super) functions: Vec<Option<Rc<Code>>>,
    pub(super) kernels: Vec<Option<Rc<Code>>>,
    /// The functions that may be recursive.
    pub(super) recursive: IdSet<Function>,
}

impl<'p> Loaded<'p> {
    pub(super) fn new(origin: Origin<'p>) -> Loaded<'p> {
        let program = origin.program();
        Loaded {
            globals: vec![Value::Unit; program.globals.len()],
            functions: vec![None; program.functions.len()],
            kernels: vec![None; program.kernels.len()],
            recursive: recursive(program),
            origin,
        }
    }
}

impl Machine<'_> {
    /// `eval(text)` in a module of one of the programs.
    pub(super) fn evaluate(&mut self, place: usize, args: &[Value]) -> Result<Value, Fault> {
        let [text, Value::Text(module)] = args else {
            return Err(messages::internal("an 'eval' of nothing"));
        };
        let Value::Text(text) = text else { return Err(messages::no_text(&text.kind())) };
        let key = (module.clone(), text.clone());
        let evaluated = match self.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                let Some(texts) = self.program(place).texts.clone() else {
                    return Err(messages::no_compiler());
                };
                let compiled = (texts.compile)(&texts, module, text).map_err(messages::wrong_text)?;
                let compiled = Arc::new(compiled);
                if self.known.len() < REMEMBERED {
                    self.known.insert(key.clone(), compiled.clone());
                }
                compiled
            }
        };
        if self.launches >= MAX_LAUNCHES {
            return Err(messages::text_depth(MAX_LAUNCHES));
        }
        let before = self.programs.len();
        let value = self.nested(|machine| {
            let place = machine.load(&evaluated)?;
            let Some(function) = machine.program(place).main else {
                return Err(messages::internal("a text without a value"));
            };
            machine.call_function(place, function, Vec::new())
        })?;
        let value = value.into_iter().next().unwrap_or_default();
        let plain = match &value {
            Value::Scalar(_) | Value::Text(_) => true,
            Value::Array(array) => array.element_type().is_some(),
            _ => false,
        };
        if plain && before + 1 == self.programs.len() && !self.known.contains_key(&key) {
            self.programs.pop();
        }
        Ok(value)
    }

    /// The index of the program of evaluated source; a new one is initialised first.
    pub(super) fn load(&mut self, text: &Arc<Evaluated>) -> Result<usize, Fault> {
        let is_it = |loaded: &super::texts::Loaded<'_>| match &loaded.origin {
            Origin::Text(known) => Arc::ptr_eq(known, text),
            Origin::Own(_) => false,
        };
        if let Some(place) = self.programs.iter().position(is_it) {
            return Ok(place);
        }
        let place = self.programs.len();
        self.programs.push(Loaded::new(Origin::Text(text.clone())));
        if let Some(initializer) = text.program.initializer {
            self.call_function(place, initializer, Vec::new())?;
        }
        Ok(place)
    }
}

/// The precision of `scalar` in evaluated source.
pub(super) fn working(program: &Program) -> ElementType {
    program.texts.as_ref().map_or(ElementType::Single, |texts| texts.working)
}

/// Evaluates source for a program that is not interpreted itself.
pub fn evaluate(text: &Arc<Evaluated>, host: &mut dyn Host) -> Result<Value, ValueError> {
    let mut interpreter = Interpreter::of_text(text, host);
    let done = interpreter.run_initializer().and_then(|()| interpreter.run_main(Vec::new()));
    let values = done.map_err(|error| value_error(error, text))?;
    Ok(values.into_iter().next().unwrap_or_default())
}

/// Calls a function of evaluated source from outside any machine.
pub(super) fn call(
    text: &Arc<Evaluated>,
    closure: &Closure,
    args: &[Value],
) -> Result<Vec<Value>, ValueError> {
    let Some(with_host) = text.program.texts.as_ref().and_then(|texts| texts.host) else {
        return Err(messages::called_outside(&closure.describe()));
    };
    let mut result = Ok(Vec::new());
    with_host(working(&text.program), &mut |host| {
        let mut interpreter = Interpreter::of_text(text, host);
        let called = interpreter.run_initializer().and_then(|()| {
            let called = interpreter.machine.call_closure(closure, args);
            called.map_err(|fault| interpreter.report(fault))
        });
        result = called.map_err(|error| value_error(error, text));
    });
    result
}

/// The error as compiled code represents it, with its line if it happened in a function of the program.
fn value_error(error: RunError, text: &Evaluated) -> ValueError {
    let (kind, said) = match error.kind {
        RunErrorKind::Value(kind) => (kind, error.brief),
        RunErrorKind::Raised => (ErrorKind::User, error.brief),
        RunErrorKind::Assertion if error.brief.is_empty() => (ErrorKind::User, "assertion failed".into()),
        RunErrorKind::Assertion => (ErrorKind::User, format!("assertion failed: {}", error.brief)),
        _ => (ErrorKind::Unknown, error.brief),
    };
    let known = !error.function.is_empty() && (error.span.file.0 as usize) < text.sources.files().count();
    let line = known.then(|| text.sources.line_column(error.span.file, error.span.start).0);
    let detail = line.map(|line| Box::new(Detail::Line(line)));
    ValueError { detail, ..ValueError::new(kind, said) }
}
