//! The state of the server and its dispatch: which method is answered by what.

use crate::answers::{self, LEGEND, MODIFIERS};
use crate::edits;
use crate::texts::{Open, Text};
use crate::wire::{answer, notification, refusal};
use quasar_core::query::Document;
use quasar_core::settings::Settings;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
const NOT_INITIALIZED: i64 = -32002;

/// What the server does behind a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    /// The client said `exit`; `in_order` if it said `shutdown` before.
    End {
        in_order: bool,
    },
}

/// Why a request has no answer.
pub(crate) struct Refused {
    pub(crate) code: i64,
    pub(crate) text: String,
}

impl Refused {
    /// A request that cannot be met.
    pub(crate) fn because(text: impl Into<String>) -> Refused {
        // RequestFailed of the protocol.
        Refused { code: -32803, text: text.into() }
    }
}

pub(crate) struct Server {
    texts: BTreeMap<String, Text>,
    folders: Vec<PathBuf>,
    settings: Settings,
    initialized: bool,
    shut_down: bool,
}

impl Server {
    pub(crate) fn new(folders: Vec<PathBuf>, settings: Settings) -> Server {
        Server { texts: BTreeMap::new(), folders, settings, initialized: false, shut_down: false }
    }

    /// Whether the passes have not seen some text.
    pub(crate) fn has_work(&self) -> bool {
        self.texts.values().any(|text| text.unchecked)
    }

    /// Runs the passes over one text they have not seen, and publishes its messages.
    pub(crate) fn work(&mut self) -> Vec<Value> {
        let Some(uri) = self.texts.values().find(|text| text.unchecked).map(|text| text.uri.clone()) else {
            return Vec::new();
        };
        let published = self.with(&uri, true, |text, document| {
            let list = answers::diagnostics(text, document);
            let params = json!({"uri": text.uri, "version": text.version, "diagnostics": list});
            notification("textDocument/publishDiagnostics", params)
        });
        published.into_iter().collect()
    }

    /// Calls `f` with an open text and what is known of it.
    fn with<R>(&mut self, uri: &str, passes: bool, f: impl FnOnce(&Text, &Document) -> R) -> Option<R> {
        let others = self.texts.values().filter(|text| text.uri != uri);
        let others: BTreeMap<String, String> =
            others.map(|text| (text.path.clone(), text.text.clone())).collect();
        let open = Open { texts: &others, folders: &self.folders, settings: &self.settings };
        let text = self.texts.get_mut(uri)?;
        text.document(&open, passes)?;
        let text = &*text;
        Some(f(text, text.known.as_ref()?))
    }

    /// Answers a message.
    pub(crate) fn message(&mut self, message: Result<Value, String>) -> (Vec<Value>, Next) {
        let message = match message {
            Ok(message) => message,
            Err(why) => return (vec![refusal(&Value::Null, PARSE_ERROR, &why)], Next::GoOn),
        };
        let id = message.get("id").cloned();
        let params = message.get("params").cloned().unwrap_or(Value::Null);
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // Answers to requests of the server, which has none, are nothing to answer.
            let is_answer = message.get("result").is_some() || message.get("error").is_some();
            let wrong = refusal(&id.unwrap_or(Value::Null), INVALID_REQUEST, "a message without a method");
            return (if is_answer { Vec::new() } else { vec![wrong] }, Next::GoOn);
        };
        match (method, id) {
            ("exit", _) => (Vec::new(), Next::End { in_order: self.shut_down }),
            (_, Some(id)) => (vec![self.request(&id, method, &params)], Next::GoOn),
            (_, None) => (self.notification(method, &params), Next::GoOn),
        }
    }

    fn notification(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let document = params.get("textDocument").unwrap_or(&Value::Null);
        let Some(uri) = document.get("uri").and_then(Value::as_str) else { return Vec::new() };
        let version = document.get("version").cloned().unwrap_or(Value::Null);
        match method {
            "textDocument/didOpen" => {
                let text = document.get("text").and_then(Value::as_str).unwrap_or_default();
                self.texts.insert(uri.to_string(), Text::new(uri, text, version));
            }
            "textDocument/didChange" => {
                let changes = params.get("contentChanges").and_then(Value::as_array);
                if let (Some(text), Some(changes)) = (self.texts.get_mut(uri), changes) {
                    text.change(changes, version);
                }
            }
            "textDocument/didSave" => {
                // What imports this text reads it again.
                for text in self.texts.values_mut() {
                    (text.known, text.unchecked) = (None, true);
                }
            }
            "textDocument/didClose" => {
                self.texts.remove(uri);
                let params = json!({"uri": uri, "diagnostics": []});
                return vec![notification("textDocument/publishDiagnostics", params)];
            }
            _ => {}
        }
        Vec::new()
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) -> Value {
        if self.shut_down {
            return refusal(id, INVALID_REQUEST, "the server is shut down");
        }
        match method {
            "initialize" => {
                self.initialized = true;
                return answer(id, capabilities());
            }
            "shutdown" => {
                self.shut_down = true;
                return answer(id, Value::Null);
            }
            _ if !self.initialized => return refusal(id, NOT_INITIALIZED, "`initialize` comes first"),
            _ => {}
        }
        let Some(handler) = handler(method) else {
            return refusal(id, METHOD_NOT_FOUND, &format!("there is no method '{method}'"));
        };
        let uri = params.get("textDocument").and_then(|document| document.get("uri")).and_then(Value::as_str);
        let Some(uri) = uri.filter(|uri| self.texts.contains_key(*uri)) else {
            return refusal(id, INVALID_PARAMS, "the request names no open text");
        };
        // Answers with reasons of loops come from the passes.
        let passes = method == "textDocument/codeAction";
        match self.with(uri, passes, |text, document| handler(text, document, params)) {
            Some(Ok(result)) => answer(id, result),
            Some(Err(refused)) => refusal(id, refused.code, &refused.text),
            None => refusal(id, INTERNAL_ERROR, "the compiler failed on this text"),
        }
    }
}

type Handler = fn(&Text, &Document, &Value) -> Result<Value, Refused>;

fn handler(method: &str) -> Option<Handler> {
    Some(match method {
        "textDocument/hover" => answers::hover,
        "textDocument/definition" => answers::definition,
        "textDocument/references" => answers::references,
        "textDocument/documentHighlight" => answers::highlights,
        "textDocument/completion" => answers::completion,
        "textDocument/signatureHelp" => answers::signature_help,
        "textDocument/documentSymbol" => answers::symbols,
        "textDocument/semanticTokens/full" => answers::semantic_tokens,
        "textDocument/inlayHint" => answers::inlay_hints,
        "textDocument/prepareRename" => edits::prepare_rename,
        "textDocument/rename" => edits::rename,
        "textDocument/formatting" => edits::formatting,
        "textDocument/codeAction" => edits::code_actions,
        _ => return None,
    })
}

fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "documentFormattingProvider": true,
            "renameProvider": {"prepareProvider": true},
            "completionProvider": {"triggerCharacters": [".", "'"]},
            "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
            "inlayHintProvider": true,
            "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            "semanticTokensProvider": {
                "legend": {"tokenTypes": LEGEND, "tokenModifiers": MODIFIERS},
                "full": true
            }
        },
        "serverInfo": {"name": "quasar", "version": env!("CARGO_PKG_VERSION")}
    })
}
