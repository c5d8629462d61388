//! Answers to questions about a program that stands: calls, variables, parts of values, expressions.

use crate::debug::debuggee::{Debuggee, readable, shown};
use crate::debug::engine::{CallAt, Stop};
use quasar_core::source::FileId;
use quasar_devicelib::value::{self, array};
use serde_json::{Value, json};

/// How many parts of a value are shown.
const PARTS: usize = 1000;
/// Longer texts of variables are cut: they stand in one line.
const WIDTH: usize = 200;

/// What the adapter can do.
pub(super) fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsFunctionBreakpoints": true,
        "supportsStepBack": true,
        "supportsEvaluateForHovers": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportsLoadedSourcesRequest": true,
    })
}

pub(super) fn source_of(debuggee: &Debuggee, file: FileId) -> Value {
    let name = debuggee.file_name(file);
    let path = std::path::absolute(name).map_or(name.to_owned(), |path| path.to_string_lossy().into_owned());
    let short = path.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
    json!({"name": short, "path": path})
}

/// Lists of variables that an editor may ask for, by number from 1; valid while the program stands.
#[derive(Default)]
pub(super) struct Handles(Vec<Vec<(String, value::Value)>>);

impl Handles {
    fn add(&mut self, variables: Vec<(String, value::Value)>) -> usize {
        self.0.push(variables);
        self.0.len()
    }

    /// The answer to a request, or why there is none.
    pub(super) fn answer(&mut self, request: &Value, stop: &Stop<'_>) -> Result<Value, String> {
        let given = &request["arguments"];
        match request["command"].as_str().unwrap_or_default() {
            "stackTrace" => Ok(stack(given, stop)),
            "scopes" => self.scopes(given, stop),
            "variables" => {
                let number = given["variablesReference"].as_u64().unwrap_or_default() as usize;
                let list = number.checked_sub(1).and_then(|k| self.0.get(k)).cloned();
                let list = list.ok_or("there are no such variables")?;
                let variables: Vec<Value> =
                    list.iter().map(|(name, value)| self.variable(name, value)).collect();
                Ok(json!({"variables": variables}))
            }
            "evaluate" => {
                let call = call(given, stop)?;
                let text = given["expression"].as_str().unwrap_or_default();
                let value = stop.evaluate(text, &call)?;
                let shown = self.variable("", &value);
                Ok(json!({
                    "result": shown["value"],
                    "type": shown["type"],
                    "variablesReference": shown["variablesReference"],
                }))
            }
            "pause" => Ok(json!({})),
            other => Err(format!("the request '{other}' is not known")),
        }
    }

    fn scopes(&mut self, given: &Value, stop: &Stop<'_>) -> Result<Value, String> {
        let call = call(given, stop)?;
        let mut scopes = Vec::new();
        if let Some(variables) = stop.variables(&call) {
            let reference = self.add(variables);
            scopes.push(json!({"name": "Locals", "variablesReference": reference, "expensive": false}));
        }
        let globals = stop.moment.globals().into_iter();
        let globals: Vec<_> = globals.map(|(name, value)| (name.to_owned(), value.clone())).collect();
        if !globals.is_empty() {
            let reference = self.add(globals);
            scopes.push(json!({"name": "Globals", "variablesReference": reference, "expensive": false}));
        }
        Ok(json!({"scopes": scopes}))
    }

    fn variable(&mut self, name: &str, value: &value::Value) -> Value {
        let text = shown(value).split_whitespace().collect::<Vec<_>>().join(" ");
        let text = match text.char_indices().nth(WIDTH) {
            Some((end, _)) => format!("{}..", text.get(..end).unwrap_or_default()),
            None => text,
        };
        let parts = parts(value);
        let reference = if parts.is_empty() { 0 } else { self.add(parts) };
        json!({"name": name, "value": text, "type": value.kind(), "variablesReference": reference})
    }
}

/// The parts of a value with their names: elements of vectors and cells, fields.
fn parts(value: &value::Value) -> Vec<(String, value::Value)> {
    let numbered = |items: Vec<value::Value>| {
        items.into_iter().take(PARTS).enumerate().map(|(k, item)| (format!("[{k}]"), item)).collect()
    };
    match value {
        value::Value::Object(object) => {
            object.fields().into_iter().map(|(name, value)| (name.to_string(), value)).collect()
        }
        value::Value::Tuple(items) => numbered(items.to_vec()),
        value::Value::Array(items) if items.dims().len() == 1 => array::read(&**items, |view| {
            let count = view.data.len().min(PARTS);
            numbered((0..count).filter_map(|k| view.data.value(k)).collect())
        }),
        _ => Vec::new(),
    }
}

fn stack(given: &Value, stop: &Stop<'_>) -> Value {
    let calls = stop.calls();
    let count = |key: &str| given[key].as_u64().unwrap_or_default() as usize;
    let wanted = if count("levels") == 0 { usize::MAX } else { count("levels") };
    let frame = |(k, call): (usize, &CallAt)| {
        let line = stop.debuggee.line(call.span);
        let position = (k == 0).then(|| stop.moment.position()).flatten();
        let position = position.map_or(String::new(), |position| format!(" {position}"));
        json!({
            "id": k + 1,
            "name": format!("{}{position}", readable(&call.function)),
            "source": line.map(|line| source_of(stop.debuggee, line.file)),
            "line": line.map_or(0, |line| line.line),
            "column": 1,
        })
    };
    let frames = calls.iter().enumerate().skip(count("startFrame")).take(wanted);
    json!({"stackFrames": frames.map(frame).collect::<Vec<_>>(), "totalFrames": calls.len()})
}

/// The call that a request is about; the innermost if it names none.
fn call(given: &Value, stop: &Stop<'_>) -> Result<CallAt, String> {
    let number = given["frameId"].as_u64().unwrap_or(1) as usize;
    let call = number.checked_sub(1).and_then(|k| stop.calls().into_iter().nth(k));
    call.ok_or_else(|| "there is no such call".to_owned())
}
