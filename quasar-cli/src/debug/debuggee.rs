//! The program that is debugged: its files and lines, and values of expressions where it stands.

use crate::arguments::Options;
use crate::kept::{FOLDER, SessionHost, Variable, Variables};
use crate::{failure, load};
use quasar_core::driver::Compilation;
use quasar_core::interp::{InterpOptions, Interpreter, Moment};
use quasar_core::ir::{self, rewrite};
use quasar_core::message::Sink;
use quasar_core::message::render::{self, Style};
use quasar_core::source::{FileId, Span};
use quasar_core::syntax::ast::NodeIds;
use quasar_core::syntax::lexer::lex;
use quasar_core::syntax::token::TokenKind;
use quasar_core::syntax::{ParseOptions, parse_type};
use quasar_devicelib::value::{Value, format};
use quasar_runtime::library::host_services::with_host;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The function that computes the value of an expression.
const ASKED: &str = "debugger_value";
/// The name under which it leaves the value behind.
const ANSWER: &str = "?";
/// Longer values are cut.
const LONGEST: usize = 2000;
/// How many compiled expressions are kept.
const REMEMBERED: usize = 256;
/// The number of instructions after which an expression is given up.
const STEPS: u64 = 100_000_000;

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Line {
    pub(super) file: FileId,
    pub(super) line: u32,
}

/// A program with what is known about its text.
pub(crate) struct Debuggee {
    pub(super) path: PathBuf,
    pub(crate) compilation: Compilation,
    options: Options,
    /// The lines where statements begin.
    lines: BTreeSet<Line>,
    /// Functions with the first line of their bodies.
    functions: BTreeMap<String, Line>,
    /// Compiled expressions, by what they are made of.
    known: RefCell<HashMap<String, Rc<Compilation>>>,
}

/// The variables that expressions see: those of a call, and shared ones.
pub(crate) fn variables(moment: &Moment<'_>, call: Option<usize>) -> BTreeMap<String, Value> {
    let calls = moment.calls();
    let globals = moment.globals();
    let own = call.and_then(|call| calls.get(call)).map(|call| &call.variables[..]).unwrap_or_default();
    let all = globals.iter().chain(own).filter(|(name, _)| !name.starts_with('$'));
    let all = all.map(|(name, value)| ((*name).to_owned(), (*value).clone()));
    let position = call.map_or(Vec::new(), |call| position(moment, call));
    position.into_iter().chain(all).collect()
}

/// The position of a thread, which belongs to the kernel: the outermost call of its thread.
pub(super) fn position(moment: &Moment<'_>, call: usize) -> Vec<(String, Value)> {
    let coordinates = if call + 1 == moment.depth() { moment.coordinates() } else { Vec::new() };
    coordinates.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A value as `print` writes it, not too long.
pub(crate) fn shown(value: &Value) -> String {
    let text = format::print(value);
    let text = if matches!(value, Value::Text(_)) { format!("\"{text}\"") } else { text };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The name of a function for the eye; that of the statements of a file is made of the file's.
pub(super) fn readable(function: &str) -> &str {
    if function.is_empty() || function.ends_with(".q") { "the top-level statements" } else { function }
}

impl Debuggee {
    /// Compiles a program, and shows its messages.
    pub(super) fn load(path: &Path, options: &Options) -> Result<Debuggee, String> {
        Ok(Debuggee::of(path, options, load::compile(path, options, false)?))
    }

    /// Compiles a program; what is wrong with it, as text.
    pub(super) fn load_quietly(path: &Path, options: &Options) -> Result<Debuggee, String> {
        let (text, settings) = (crate::fmt::read(path)?, load::settings(options)?);
        let compilation = load::compile_text(&path.to_string_lossy(), &text, settings, options, false);
        let errors = compilation.messages.iter().filter(|message| message.category.is_error());
        let errors: Vec<_> = errors.cloned().collect();
        match errors.is_empty() {
            true => Ok(Debuggee::of(path, options, compilation)),
            false => Err(render::snippets(&errors, &compilation.sources, Style::Plain)),
        }
    }

    /// A program that was compiled from a file, as [`Debuggee::load`] does.
    pub(crate) fn of(path: &Path, options: &Options, compilation: Compilation) -> Debuggee {
        let mut debuggee = Debuggee {
            path: path.to_owned(),
            compilation,
            options: options.clone(),
            lines: BTreeSet::new(),
            functions: BTreeMap::new(),
            known: RefCell::new(HashMap::new()),
        };
        debuggee.find_lines();
        debuggee
    }

    fn find_lines(&mut self) {
        let Some(program) = &self.compilation.program else { return };
        let functions = program.functions.iter().map(|(_, f)| (&f.source_name, &f.body));
        let kernels = program.kernels.iter().map(|(_, kernel)| (&kernel.name, &kernel.body));
        let (mut lines, mut firsts) = (BTreeSet::new(), BTreeMap::new());
        for (name, body) in functions.chain(kernels) {
            let mut own = BTreeSet::new();
            rewrite::visit_stmts(&body.block, &mut |stmt: &ir::Stmt| {
                own.extend(self.line(stmt.span));
            });
            if let Some(first) = own.first() {
                firsts.entry(name.clone()).or_insert(*first);
            }
            lines.append(&mut own);
        }
        (self.lines, self.functions) = (lines, firsts);
    }

    /// The line of a place; `None` for what is not in a file of the user.
    pub(super) fn line(&self, span: Span) -> Option<Line> {
        let sources = &self.compilation.sources;
        let is_there = (span.file.0 as usize) < sources.files().count() && span.end > span.start;
        if !is_there || !self.is_own(span.file) {
            return None;
        }
        Some(Line { file: span.file, line: sources.line_column(span.file, span.start).0 })
    }

    /// Whether a file was read, and is no part of the compiler.
    fn is_own(&self, file: FileId) -> bool {
        let name = &self.compilation.sources.file(file).name;
        file == FileId(0) || self.compilation.files.contains(name)
    }

    /// The files of the program.
    pub(super) fn files(&self) -> impl Iterator<Item = FileId> + '_ {
        self.compilation.sources.files().map(|(file, _)| file).filter(|file| self.is_own(*file))
    }

    pub(super) fn file_name(&self, file: FileId) -> &str {
        &self.compilation.sources.file(file).name
    }

    /// The file of a name: the whole path, or its end.
    pub(super) fn file(&self, name: &str) -> Option<FileId> {
        let files = || self.compilation.sources.files().filter(|(file, _)| self.is_own(*file));
        let full = |name: &str| std::path::absolute(name).ok();
        let same = files().find(|(_, file)| file.name == name || full(&file.name) == full(name));
        same.or_else(|| files().find(|(_, file)| Path::new(&file.name).ends_with(name))).map(|(id, _)| id)
    }

    /// The text of a line.
    pub(super) fn text(&self, line: Line) -> Option<&str> {
        let file = self.compilation.sources.file(line.file);
        file.text.lines().nth(line.line.checked_sub(1)? as usize)
    }

    /// The line with a statement at or behind a line of the same file.
    pub(super) fn next_line(&self, line: Line) -> Result<Line, String> {
        let next = self.lines.range(line..).next().filter(|next| next.file == line.file);
        let count = self.compilation.sources.file(line.file).text.lines().count();
        match next {
            Some(next) => Ok(*next),
            None if line.line as usize > count || line.line == 0 => {
                let s = if count == 1 { "" } else { "s" };
                Err(format!("{} has {count} line{s}, no line {}", self.file_name(line.file), line.line))
            }
            None => Err(format!("no statement that can run begins at or behind line {}", line.line)),
        }
    }

    /// The first line of a function.
    pub(super) fn function(&self, name: &str) -> Option<Line> {
        self.functions.get(name).copied()
    }

    /// The value of an expression with these variables; `globals` are those that functions of the program share.
    pub(crate) fn evaluate(
        &self,
        text: &str,
        variables: &BTreeMap<String, Value>,
        globals: &[(String, Value)],
    ) -> Result<Value, String> {
        // A variable alone needs no program, and may hold what no program can pass on.
        if let Some(value) = variables.get(text.trim()) {
            return Ok(value.clone());
        }
        let lent = Variables::default();
        let compilation = self.compiled(text, variables, &lent)?;
        let Some(program) = &compilation.program else { return Err("it cannot be compiled".to_owned()) };
        let working = compilation.settings.precision;
        with_host(working, |host| {
            let mut host = SessionHost { host, variables: lent.clone() };
            let options = InterpOptions { working, step_limit: Some(STEPS), ..InterpOptions::default() };
            let mut interpreter = Interpreter::new(program, options, &mut host);
            for (name, value) in globals {
                interpreter.set_global(name, value.clone());
            }
            interpreter.call(ASKED, Vec::new()).map_err(|error| failure::text(&error))
        })?;
        lent.take_left(ANSWER).ok_or_else(|| "it has no value".to_owned())
    }

    /// The program with a function that computes an expression; gives `lent` the variables.
    fn compiled(
        &self,
        text: &str,
        variables: &BTreeMap<String, Value>,
        lent: &Variables,
    ) -> Result<Rc<Compilation>, String> {
        let tokens = lex(FileId(0), text, ParseOptions::default(), &mut Sink::default());
        let names = tokens.iter().filter(|token| token.kind == TokenKind::Ident);
        let names: BTreeSet<&str> =
            names.filter_map(|token| text.get(token.start as usize..token.end as usize)).collect();
        let mut function = format!("\nfunction [] = {ASKED}()\n");
        for (name, value) in variables.iter().filter(|(name, _)| names.contains(&name[..])) {
            lent.set(name.clone(), Variable { value: value.clone(), ty: None });
            let ty = value.type_name(self.compilation.settings.precision);
            let ty = if can_be_written(value, &ty) { ty } else { "??".to_owned() };
            function += &format!("{name} = (load(\"{FOLDER}{name}\") : {ty})\n");
        }
        function += &format!("save(\"{FOLDER}{ANSWER}\", {text})\nendfunction\n");
        if let Some(known) = self.known.borrow().get(&function) {
            return Ok(known.clone());
        }
        let own = &self.compilation.sources.file(FileId(0)).text;
        let name = self.path.to_string_lossy();
        let settings = self.compilation.settings.clone();
        let options = Options { command_line: false, ..self.options.clone() };
        let compilation = load::compile_unchecked(&name, &format!("{own}{function}"), settings, &options);
        let error = compilation.messages.iter().find(|message| message.category.is_error());
        if let Some(error) = error {
            return Err(error.text.clone());
        }
        let compilation = Rc::new(compilation);
        let mut known = self.known.borrow_mut();
        if known.len() < REMEMBERED {
            known.insert(function, compilation.clone());
        }
        Ok(compilation)
    }
}

fn can_be_written(value: &Value, ty: &str) -> bool {
    if !matches!(value, Value::Scalar(_) | Value::Text(_) | Value::Array(_) | Value::Object(_))
        || value.is_cell()
    {
        return false;
    }
    let (mut ids, mut sink) = (NodeIds::default(), Sink::default());
    parse_type(FileId(0), ty, &mut ids, &mut sink);
    !sink.has_errors()
}
