//! Lines from a terminal: editing, history, completion, several lines while something is open.

use super::commands::COMMANDS;
use super::defined::Defined;
use super::entry::{self, Entry};
use super::program::Typed;
use quasar_core::query::Document;
use quasar_core::query::completion::completions;
use quasar_files::trust;
use rustyline::completion::Completer;
use rustyline::config::{CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

/// What is shown where one writes.
const PROMPT: &str = "quasar> ";
/// How many entries the history has.
const HISTORY: usize = 10_000;

/// What came from the terminal.
pub(super) enum Line {
    Text(String),
    /// Ctrl-C: what was written is dropped.
    Dropped,
    End,
}

/// A terminal.
pub(super) struct Terminal {
    editor: Editor<Assistant, FileHistory>,
    history: Option<PathBuf>,
}

impl Terminal {
    pub(super) fn new(defined: Rc<RefCell<Defined>>) -> Result<Terminal, String> {
        let failed = |error: ReadlineError| format!("Error: the terminal cannot be used: {error}");
        let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true);
        let config = config.max_history_size(HISTORY).map_err(failed)?.build();
        let mut editor = Editor::with_config(config).map_err(failed)?;
        editor.set_helper(Some(Assistant { defined }));
        let folder = trust::cache_folder();
        // A session without a history is better than none.
        let history = trust::make_private(&folder).is_ok().then(|| folder.join("history"));
        if let Some(file) = &history {
            let _ = editor.load_history(file);
        }
        Ok(Terminal { editor, history })
    }

    pub(super) fn line(&mut self) -> Result<Line, String> {
        match self.editor.readline(PROMPT) {
            Ok(text) => Ok(Line::Text(text)),
            Err(ReadlineError::Interrupted) => Ok(Line::Dropped),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(format!("Error: the terminal cannot be read: {error}")),
        }
    }

    pub(super) fn keep_history(&mut self) {
        if let Some(file) = &self.history {
            let _ = self.editor.save_history(file);
        }
    }
}

/// Answers the questions of the editor of lines.
struct Assistant {
    defined: Rc<RefCell<Defined>>,
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let open = !text.trim_start().starts_with(':') && entry::is_open(text);
        Ok(if open { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(proposals(&self.defined.borrow(), line, at))
    }
}

/// Where the word in front of a place begins, and what it may become.
pub(super) fn proposals(defined: &Defined, line: &str, at: usize) -> (usize, Vec<String>) {
    let before = line.get(..at).unwrap_or(line);
    if before.starts_with(':') && !before.contains(' ') {
        let commands = COMMANDS.iter().map(|(name, ..)| format!(":{name}"));
        return (0, commands.filter(|command| command.starts_with(before)).collect());
    }
    let entry = Entry::new(line);
    let typed = Typed { name: String::new(), text: line.to_owned() };
    // The definitions of the line itself stand in it.
    let mut program = defined.beginning(&Entry::new(""), &typed);
    for name in defined.variables.names() {
        // All variables are proposed, not only those that the line has already.
        program.add(&format!("{name} = 0\n"));
    }
    let offset = program.text.len() + at;
    program.add(&entry.text);
    let options = defined.compiler_options(false);
    let document = Document::inspect("session", &program.text, &defined.modules(), &options);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let start =
        before.rfind(|c| !is_name(c)).map_or(0, |k| k + before[k..].chars().next().map_or(1, char::len_utf8));
    let found = completions(&document, offset as u32).into_iter().map(|completion| completion.name);
    (start, found.collect())
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Options;
    use crate::kept::{Variable, Variables};
    use quasar_core::settings::Settings;

    #[test]
    fn names_of_the_session_and_of_the_language_are_proposed() {
        let variables = Variables::default();
        variables.set("sqrtable".into(), Variable { value: Default::default(), ty: Some("int".into()) });
        let defined = Defined::new(Settings::default(), &Options::default(), variables);
        let (start, found) = proposals(&defined, "x = 2 * sqrt", 12);
        assert_eq!((start, &found[..]), (8, &["sqrt".to_string(), "sqrtable".to_string()][..]));
        let (start, found) = proposals(&defined, "é + sqrta", "é + sqrta".len());
        assert_eq!((start, found), (5, vec!["sqrtable".to_string()]));
        assert_eq!(proposals(&defined, ":ti", 3), (0, vec![":time".to_string()]));
    }
}
