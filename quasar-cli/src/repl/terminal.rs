//! Lines from a terminal: editing, history, completion, several lines while something is open.

use super::defined::Defined;
use super::entry;
use super::questions::proposals;
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

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}
