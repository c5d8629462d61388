//! Open texts: what the client says of them, and what the compiler knows of them.

use crate::position::Lines;
use quasar_core::driver::Options;
use quasar_core::query::Document;
use quasar_core::settings::Settings;
use quasar_core::source::{SearchPath, SourceProvider};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// A text that is open in the editor.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) uri: String,
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) lines: Lines,
    pub(crate) version: Value,
    /// What is known of the current text; `None` until somebody asks.
    pub(crate) known: Option<Document>,
    /// Whether the passes have not seen the current text.
    pub(crate) unchecked: bool,
}

impl Text {
    pub(crate) fn new(uri: &str, text: &str, version: Value) -> Text {
        let path = path_of(uri);
        let (text, lines) = (text.to_string(), Lines::of(text));
        Text { uri: uri.to_string(), path, text, lines, version, known: None, unchecked: true }
    }

    /// Applies changes of the client in their order.
    pub(crate) fn change(&mut self, changes: &[Value], version: Value) {
        for change in changes {
            let new = change.get("text").and_then(Value::as_str).unwrap_or_default();
            let place = change.get("range").and_then(|range| {
                let start = self.lines.offset(&self.text, range.get("start")?)?;
                let end = self.lines.offset(&self.text, range.get("end")?)?;
                Some(start as usize..end as usize)
            });
            match place {
                Some(place) if place.start <= place.end => self.text.replace_range(place, new),
                Some(_) => {}
                None => self.text = new.to_string(),
            }
            self.lines = Lines::of(&self.text);
        }
        (self.version, self.known, self.unchecked) = (version, None, true);
    }

    /// Analyses the current text unless that is done; `passes` runs the passes as well. `None` if the compiler fails, which is a
    /// defect of it, but none of the editor's.
    pub(crate) fn document(&mut self, open: &Open<'_>, passes: bool) -> Option<&Document> {
        if self.known.is_none() || passes && self.unchecked {
            let read = if passes { Document::check } else { Document::inspect };
            let options = Options { settings: open.settings.clone(), verify: false, ..Options::default() };
            let provider = Modules { open };
            let result = catch_unwind(AssertUnwindSafe(|| read(&self.path, &self.text, &provider, &options)));
            self.unchecked &= !passes;
            self.known = result.ok().or(self.known.take());
        }
        self.known.as_ref()
    }
}

/// What analyses need beside a text: the texts of other open files take the place of their files.
#[derive(Debug)]
pub(crate) struct Open<'o> {
    pub(crate) texts: &'o BTreeMap<String, String>,
    pub(crate) folders: &'o [PathBuf],
    pub(crate) settings: &'o Settings,
}

struct Modules<'o> {
    open: &'o Open<'o>,
}

impl SourceProvider for Modules<'_> {
    fn load(&self, name: &str, from: &str) -> Result<Option<(String, String)>, String> {
        let read = |path: &Path| match self.open.texts.get(&*path.to_string_lossy()) {
            Some(text) => Ok(Some(text.clone())),
            None => quasar_files::read::module(path),
        };
        SearchPath { folders: self.open.folders.to_vec(), read }.load(name, from)
    }
}

/// The path in a `file:` address; other addresses stay as they are.
pub(crate) fn path_of(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else { return uri.to_string() };
    let mut bytes = Vec::new();
    let mut at = rest.bytes();
    while let Some(byte) = at.next() {
        let digits = at.clone().take(2).map(|b| char::from(b).to_digit(16)).collect::<Option<Vec<u32>>>();
        match (byte, digits.as_deref()) {
            (b'%', Some([high, low])) => {
                bytes.push((high * 16 + low) as u8);
                at.nth(1);
            }
            _ => bytes.push(byte),
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // `file:///c:/x.q` of Windows.
    let drive = path.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    drive.map(str::to_string).unwrap_or(path)
}

/// The `file:` address of a path.
pub(crate) fn uri_of(path: &str) -> String {
    let path = if path.as_bytes().get(1) == Some(&b':') { format!("/{path}") } else { path.to_string() };
    let mut uri = "file://".to_string();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(byte.into())
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

/// A place in a file of a document, as the protocol writes it; `None` for files that are part of the compiler.
pub(crate) fn location(text: &Text, document: &Document, span: quasar_core::source::Span) -> Option<Value> {
    if span.file == document.root {
        let range = text.lines.range(&text.text, span.start, span.end);
        return Some(json!({"uri": text.uri, "range": range}));
    }
    let file = document.compilation.sources.file(span.file);
    if !Path::new(&file.name).is_file() {
        return None;
    }
    let lines = Lines::of(&file.text);
    Some(json!({"uri": uri_of(&file.name), "range": lines.range(&file.text, span.start, span.end)}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_addresses() {
        assert_eq!(path_of("file:///a%20b/%C3%A9.q"), "/a b/é.q");
        assert_eq!(uri_of("/a b/é.q"), "file:///a%20b/%C3%A9.q");
        assert_eq!(path_of("file:///c:/x%"), "c:/x%");
        assert_eq!(path_of("untitled:1"), "untitled:1");
    }

    #[test]
    fn changes_are_applied_in_order() {
        let mut text = Text::new("untitled:1", "a = 1\nb = 2\n", json!(1));
        let range = |line, from, to| json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}});
        let changes = [
            json!({"range": range(1, 4, 5), "text": "\"é\"\nc"}),
            json!({"range": range(2, 0, 1), "text": ""}),
        ];
        text.change(&changes, json!(2));
        assert_eq!(text.text, "a = 1\nb = \"é\"\n\n");
        text.change(&[json!({"text": "x"})], json!(3));
        assert_eq!(text.text, "x");
    }
}
