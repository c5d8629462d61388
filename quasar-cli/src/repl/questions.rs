//! What those who write a text ask about it: how a name may go on, what a name is, whether the text is complete.

use super::commands::COMMANDS;
use super::defined::Defined;
use super::entry::{self, Entry};
use super::program::Typed;
use super::session::Session;
use quasar_core::query::Document;
use quasar_core::query::completion::completions;
use quasar_lsp::about::about;

/// Where the word in front of a place begins, and what it may become.
pub(super) fn proposals(defined: &Defined, line: &str, at: usize) -> (usize, Vec<String>) {
    let before = line.get(..at).unwrap_or(line);
    if before.starts_with(':') && !before.contains(' ') {
        let commands = COMMANDS.iter().map(|(name, ..)| format!(":{name}"));
        return (0, commands.filter(|command| command.starts_with(before)).collect());
    }
    let (document, offset) = in_session(defined, line, at);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let start =
        before.rfind(|c| !is_name(c)).map_or(0, |k| k + before[k..].chars().next().map_or(1, char::len_utf8));
    let found = completions(&document, offset).into_iter().map(|completion| completion.name);
    (start, found.collect())
}

/// A text behind all that the session has, and one of its places there.
fn in_session(defined: &Defined, text: &str, at: usize) -> (Document, u32) {
    let entry = Entry::new(text);
    let typed = Typed { name: String::new(), text: text.to_owned() };
    // The definitions of the text itself stand in it.
    let mut program = defined.beginning(&Entry::new(""), &typed);
    for name in defined.variables.names() {
        // All variables, not only those that the text has already.
        program.add(&format!("{name} = 0\n"));
    }
    let offset = program.text.len() + at;
    program.add(&entry.text);
    let options = defined.compiler_options(false);
    (Document::inspect("session", &program.text, &defined.modules(), &options), offset as u32)
}

impl Session<'_> {
    /// Where the word in front of a place begins, and what it may become.
    pub(crate) fn proposals(&self, text: &str, at: usize) -> (usize, Vec<String>) {
        proposals(&self.defined.borrow(), text, at)
    }

    /// The type or the signatures of the name at a place, and its documentation.
    pub(crate) fn about(&self, text: &str, at: usize) -> Option<String> {
        let defined = self.defined.borrow();
        let (document, offset) = in_session(&defined, text, at);
        let name =
            document.word_at(offset).map(|word| &document.text()[word.start as usize..word.end as usize]);
        if let Some(name) = name
            && let Some(variable) = defined.variables.get(name)
        {
            return Some(format!("{name} : {}", variable.shown_type()));
        }
        let about = about(&document, offset)?;
        Some([about.code, about.docs].concat().join("\n"))
    }

    /// Whether more lines must follow.
    pub(crate) fn is_open(text: &str) -> bool {
        !text.trim_start().starts_with(':') && entry::is_open(text)
    }
}

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
