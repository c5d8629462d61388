//! Requests whose answer changes the text: renaming, formatting, and what messages propose.

use crate::answers::{diagnostic, offset};
use crate::server::Refused;
use crate::texts::Text;
use quasar_core::message::Message;
use quasar_core::query::Document;
use quasar_core::query::names::{Names, Symbol};
use quasar_core::source::{FileId, NoImports, Span};
use quasar_core::syntax::ParseOptions;
use quasar_core::syntax::formatter::format;
use quasar_core::syntax::lexer::lex_lines;
use quasar_core::syntax::token::TokenKind;
use serde_json::{Value, json};

type Answer = Result<Value, Refused>;

/// The name under the cursor if it can be renamed.
fn renamable<'d>(text: &Text, document: &'d Document, params: &Value) -> Result<(Span, &'d Symbol), Refused> {
    let at = document.names.at(document.root, offset(text, params)?);
    let Some((span, symbol)) = at else {
        return Err(Refused::because("there is no name of the program here"));
    };
    if document
        .messages
        .iter()
        .any(|message| message.category.is_error() && message.code.0.starts_with("Q01"))
    {
        return Err(Refused::because(
            "the text has syntax errors, so that not all uses of the name are known",
        ));
    }
    if let Some(other) = symbol.places.iter().find(|span| span.file != document.root) {
        let file = &document.compilation.sources.file(other.file).name;
        return Err(Refused::because(format!(
            "'{}' also stands in {file}; rename it there first",
            symbol.name
        )));
    }
    Ok((span, symbol))
}

pub(crate) fn prepare_rename(text: &Text, document: &Document, params: &Value) -> Answer {
    let (span, symbol) = renamable(text, document, params)?;
    Ok(json!({"range": text.lines.range(&text.text, span.start, span.end), "placeholder": symbol.name}))
}

pub(crate) fn rename(text: &Text, document: &Document, params: &Value) -> Answer {
    let (_, symbol) = renamable(text, document, params)?;
    let new = params.get("newName").and_then(Value::as_str).unwrap_or_default();
    if !is_name(new) {
        return Err(Refused::because(format!("'{new}' is no name")));
    }
    let mut renamed = text.text.clone();
    for span in symbol.places.iter().rev() {
        renamed.replace_range(span.start as usize..span.end as usize, new);
    }
    if !keeps_meanings(document, text, &renamed) {
        return Err(Refused::because(format!(
            "'{new}' already means something else where '{}' is used",
            symbol.name
        )));
    }
    let edits = symbol
        .places
        .iter()
        .map(|span| json!({"range": text.lines.range(&text.text, span.start, span.end), "newText": new}));
    let edits: Vec<Value> = edits.collect();
    let mut changes = serde_json::Map::new();
    changes.insert(text.uri.clone(), Value::Array(edits));
    Ok(json!({"changes": changes}))
}

/// Whether a text is one token, a name that means nothing in the language.
fn is_name(text: &str) -> bool {
    let tokens =
        lex_lines(FileId(0), text, ParseOptions::default(), &mut quasar_core::message::Sink::default());
    let one = tokens
        .first()
        .is_some_and(|t| t.kind == TokenKind::Ident && t.end as usize == text.len() && t.start == 0);
    one && !quasar_core::syntax::operators::is_type_name(text)
        && text != "pi"
        && text != "true"
        && text != "false"
}

/// Whether the names of a changed text mean the same as before, each by its place in the order of names.
fn keeps_meanings(document: &Document, text: &Text, renamed: &str) -> bool {
    let meanings = |text: &str| {
        let document = Document::inspect(&document_name(document), text, &NoImports, &Default::default());
        let errors = document.messages.iter().filter(|message| message.category.is_error()).count();
        (partition(&document.names, document.root), errors)
    };
    meanings(&text.text) == meanings(renamed)
}

fn partition(names: &Names, file: FileId) -> Vec<usize> {
    names.partition(file)
}

fn document_name(document: &Document) -> String {
    document.compilation.sources.file(document.root).name.clone()
}

pub(crate) fn formatting(text: &Text, _document: &Document, _params: &Value) -> Answer {
    let Ok(formatted) = format(&text.text) else {
        return Err(Refused::because("a text with syntax errors cannot be formatted"));
    };
    if formatted == text.text {
        return Ok(json!([]));
    }
    let range = text.lines.range(&text.text, 0, text.text.len() as u32);
    Ok(json!([{"range": range, "newText": formatted}]))
}

/// What the help lines of messages propose to write.
pub(crate) fn code_actions(text: &Text, document: &Document, params: &Value) -> Answer {
    let at = |key: &str| params.pointer(key).and_then(|position| text.lines.offset(&text.text, position));
    let (from, to) = (at("/range/start").unwrap_or(0), at("/range/end").unwrap_or(u32::MAX));
    let mut actions = Vec::new();
    for message in &document.messages {
        let span = message.primary.span;
        if span.file != document.root || span.end < from || to < span.start {
            continue;
        }
        for help in &message.help {
            let Some((title, edit)) = proposed(text, message, help) else { continue };
            let mut changes = serde_json::Map::new();
            changes.insert(text.uri.clone(), json!([edit]));
            actions.push(json!({
                "title": title,
                "kind": "quickfix",
                "diagnostics": [diagnostic(text, document, message)],
                "edit": {"changes": changes},
            }));
        }
    }
    Ok(Value::Array(actions))
}

/// The edit that a help line means, if it says exactly what to write.
fn proposed(text: &Text, message: &Message, help: &str) -> Option<(String, Value)> {
    let span = message.primary.span;
    let quoted = |help: &str, mark: char| -> Option<String> {
        let (_, rest) = help.split_once(mark)?;
        Some(rest.split_once(mark)?.0.to_string())
    };
    let range = |start, end| text.lines.range(&text.text, start, end);
    if let Some(rest) = help.strip_prefix("did you mean ") {
        let new = quoted(rest, if rest.starts_with('`') { '`' } else { '\'' })?;
        // The message may mark more than the word that it names: `'szie'` in `unknown name 'szie'`.
        let old = quoted(&message.text, '\'').or_else(|| quoted(&message.text, '`'));
        let marked = text.text.get(span.start as usize..span.end as usize)?;
        let old = old.filter(|old| marked.contains(old.as_str())).unwrap_or_else(|| marked.to_string());
        let start = span.start + marked.find(&old)? as u32;
        let edit = json!({"range": range(start, start + old.len() as u32), "newText": new});
        return Some((format!("write `{new}`"), edit));
    }
    if help.starts_with("write `import \"") {
        let line = quoted(help, '`')?;
        return Some((line.clone(), json!({"range": range(0, 0), "newText": format!("{line}\n")})));
    }
    if help.starts_with("write `{!") && help.contains("before the loop") {
        let attribute = quoted(help, '`')?;
        let head = text.text.get(..span.start as usize)?;
        let start = head.rfind('\n').map_or(0, |at| at + 1);
        let blanks: String = head[start..].chars().take_while(|c| c.is_whitespace()).collect();
        let new = format!("{blanks}{attribute}\n");
        return Some((
            format!("write `{attribute}`"),
            json!({"range": range(start as u32, start as u32), "newText": new}),
        ));
    }
    let replaced = ["\"not equal\" is written `!=`", "write `elseif`"];
    if replaced.contains(&help) {
        let new = quoted(help, '`')?;
        return Some((
            format!("write `{new}`"),
            json!({"range": range(span.start, span.end), "newText": new}),
        ));
    }
    None
}
