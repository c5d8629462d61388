//! `eval` at run time: an expression string becomes a module of its own, which imports the module that contains the
//! call of `eval`:
//!
//! ```text
//! import "the module"
//! function y : ?? = __main__()
//!     y = the text
//! endfunction
//! ```
//!
//! All modules are loaded again, in the same order, so that their files keep the ids they have in the program and
//! errors show its lines. Module-level statements do not run again: the string sees functions, types, rewrite rules and
//! constants.

use super::{Loader, Options, expand, meaning, translate};
use crate::ir::texts::{EVAL, EvalEnvironment, Evaluated, ImportedText};
use crate::message::{Message, Sink};
use crate::sema::{ENTRY, eval_literals};
use crate::settings::Settings;
use crate::source::{FileId, SourceMap, SourceProvider};
use crate::syntax::{ParseOptions, parse, parse_expression};
use std::sync::Arc;

/// What is needed to compile strings at run time; `None` for programs that certainly never call `eval`.
pub(super) fn of(
    name: &str,
    text: &str,
    options: &Options,
    imports: Vec<ImportedText>,
) -> Option<Arc<EvalEnvironment>> {
    let speaks = |text: &str| text.contains(EVAL);
    if !(speaks(text) || imports.iter().any(|import| speaks(&import.text))) {
        return None;
    }
    Some(Arc::new(EvalEnvironment {
        name: name.into(),
        text: text.into(),
        first_line: options.first_line,
        rust_comments: options.parse.rust_comments,
        command_line: options.command_line,
        definitions: options.definitions.clone(),
        settings: options.settings.said(),
        working: options.settings.precision,
        imports,
        compile,
        host: None,
    }))
}

/// Provides the modules of a compiled program from memory.
struct Known<'t>(&'t EvalEnvironment);

impl SourceProvider for Known<'_> {
    fn load(&self, path: &str, from: &str) -> Result<Option<(String, String)>, String> {
        let found = self.0.imports.iter().find(|import| import.path == path && import.from == from);
        Ok(found.map(|found| (found.text.clone(), found.name.clone())))
    }
}

/// Compiles an expression string as if it were the body of a module that imports `module`.
pub fn compile(of: &Arc<EvalEnvironment>, module: &str, text: &str) -> Result<Evaluated, String> {
    let mut settings = Settings::default();
    for (name, value) in of.settings.iter().filter_map(|said| said.split_once('=')) {
        settings.set(name, value).map_err(|refusal| refusal.to_string())?;
    }
    let options = Options {
        settings: settings.clone(),
        // The text of the program was accepted as it is.
        parse: ParseOptions { rust_comments: of.rust_comments, mixed_endings: true },
        first_line: of.first_line,
        definitions: of.definitions.clone(),
        command_line: of.command_line,
        optimise: false,
        ..Options::default()
    };
    let (mut sink, provider) = (Sink::default(), Known(of));
    let mut loader = Loader::new(&provider, settings, &mut sink);
    loader.program(&of.name, &of.text, &options);
    let shared = loader.sources.clone();
    loader.device_functions(text);
    let file = loader.sources.add("text", text);
    let wrapper = format!("function y : ?? = {ENTRY}()\n    y = 0\nendfunction\n");
    let around = loader.sources.add("text", wrapper.clone());
    let Loader { sources, mut unit, mut ids, settings, .. } = loader;
    expand(&mut unit, &mut ids, &mut sink);
    let expr = parse_expression(file, text, &mut ids, &mut sink);
    let around = parse(around, &wrapper, &mut ids, &mut sink);
    let variables = eval_literals::importing(&mut unit, module, around, expr, &mut sink);
    let options = Options { settings, ..options };
    let model = meaning(&unit, &options, &mut sink);
    match translate(&unit, &model, &sources, &options, &mut sink) {
        Some(mut program) => {
            program.texts = Some(of.clone());
            program.exports.clear();
            Ok(Evaluated { program, sources: shared })
        }
        None => Err(mistake(sink.into_sorted(), &variables, &sources, file)),
    }
}

/// The first error as text: its message, its location, and the string.
fn mistake(messages: Vec<Message>, variables: &[String], sources: &SourceMap, text: FileId) -> String {
    let mut errors: Vec<&Message> = messages.iter().filter(|message| message.category.is_error()).collect();
    errors.sort_by_key(|message| message.primary.span.file != text);
    let Some(first) = errors.first() else { return "the text cannot be compiled".into() };
    let span = first.primary.span;
    let (line, column) = sources.line_column(span.file, span.start);
    let written = &sources.file(text).text;
    let place = match span.file == text {
        true if written.contains('\n') => format!("line {line}, column {column} of the text"),
        true => format!("column {column} of the text"),
        false => format!("line {line} of {}, which is used by the text", sources.file(span.file).name),
    };
    let word = sources.text(span);
    let unseen = first.code.0 == "Q0201" && variables.iter().any(|variable| variable == word);
    let why =
        if unseen { " (texts see the functions and constants of a module, not its variables)" } else { "" };
    format!("{}{why}, {place} {written:?}", first.text)
}
