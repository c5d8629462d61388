//! Runs entries: compiles each with what is known, runs it, and takes over what it defined and assigned if it did not fail.

use super::defined::{Defined, Last, Special, Types, types};
use super::entry::Entry;
use super::program::{Program, Typed};
use crate::arguments::Options;
use crate::kept::{FOLDER, Variables};
use crate::{failure, output};
use quasar_core::driver::Compilation;
use quasar_core::interp;
use quasar_core::ir;
use quasar_core::ir::print::{function_text, kernel_text};
use quasar_core::ir::texts::Evaluated;
use quasar_core::message::render::{self, Style};
use quasar_core::message::{Category, Message};
use quasar_core::settings::Settings;
use quasar_core::source::SourceMap;
use quasar_devicelib::value::Value;
use quasar_runtime::library::figure;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// What is usual here: a module variable with several types, where one name is used for one thing after the other, and a value that is
/// not printed, since `;` stands behind it.
const USUAL: [&str; 2] = ["Q0325", "Q0337"];

/// A session of a user.
pub(crate) struct Session<'a> {
    pub(super) defined: Rc<RefCell<Defined>>,
    settings: Settings,
    variables: Variables,
    machine: interp::Session<'a>,
    /// How many texts were typed.
    count: usize,
    /// The classes of the last program, by their numbers.
    classes: Vec<String>,
    /// Whether nobody reads the output any more.
    pub(crate) is_unread: bool,
}

/// A program that compiled, with its entry.
struct Ready {
    program: Program,
    compilation: Compilation,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        settings: &Settings,
        options: &Options,
        variables: Variables,
        machine: interp::Session<'a>,
    ) -> Session<'a> {
        let defined = Defined::new(settings.clone(), options, variables.clone());
        let defined = Rc::new(RefCell::new(defined));
        Session {
            defined,
            settings: settings.clone(),
            variables,
            machine,
            count: 0,
            classes: Vec::new(),
            is_unread: false,
        }
    }

    fn typed(&mut self, text: &str) -> Typed {
        self.count += 1;
        Typed { name: format!("input {}", self.count), text: text.to_owned() }
    }

    /// Runs a text; says what is wrong with it and returns `false` if it fails. Nothing of it stays then.
    pub(super) fn run(&mut self, text: &str) -> bool {
        let typed = self.typed(text);
        self.run_typed(&typed)
    }

    /// Runs the text of a file.
    pub(crate) fn run_file(&mut self, name: &str, text: &str) -> bool {
        self.run_typed(&Typed { name: name.to_owned(), text: text.to_owned() })
    }

    fn run_typed(&mut self, typed: &Typed) -> bool {
        let entry = Entry::new(&typed.text);
        let Some(Ready { program, mut compilation }) = self.ready(&entry, typed) else { return false };
        let Some(ir) = compilation.program.take() else { return false };
        let Types { written, .. } = types(&ir, &self.settings);
        let classes = classes(&ir);
        if !classes.starts_with(&self.classes) && self.has_objects() {
            return false;
        }
        let evaluated = Arc::new(Evaluated { program: ir, sources: SourceMap::default() });
        let ran = self.machine.run(&evaluated);
        let shown = figure::show_figures();
        if let Err(error) = &ran {
            self.variables.drop_left();
            self.is_unread = error.brief.starts_with("the output cannot be written");
            self.fail(error, &program, &compilation);
        } else {
            self.defined.borrow_mut().define(&entry, typed, &compilation);
            self.variables.keep_left(&written);
            self.classes = classes;
        }
        if let Err(error) = &shown {
            output::complain(&format!("Error: {error}"));
        }
        ran.is_ok() && shown.is_ok()
    }

    /// Says which variables may hold objects, if there are any: their classes cannot change.
    fn has_objects(&self) -> bool {
        let holds = |name: &String| {
            let value = self.variables.get(name).map(|variable| variable.value);
            value.is_some_and(|value| matches!(value, Value::Object(_)) || value.is_cell())
        };
        let names: Vec<String> = self.variables.names().into_iter().filter(holds).collect();
        if !names.is_empty() {
            let names = names.join(", ");
            output::complain(&format!(
                "Error: this changes classes, of which variables may have objects: {names}; ':forget' them first"
            ));
        }
        !names.is_empty()
    }

    fn fail(&self, error: &interp::RunError, program: &Program, compilation: &Compilation) {
        let files = compilation.sources.files().count();
        let message = failure::message(error, &compilation.sources);
        match message.and_then(|message| program.message(&message, files)) {
            Some(message) => self.show(&[message], program, compilation),
            None => output::complain(&format!("Error: {}", failure::text(error))),
        }
    }

    /// Compiles an entry, so that its last expression is printed if it has a value; shows the messages.
    fn ready(&self, entry: &Entry, typed: &Typed) -> Option<Ready> {
        let mut special = Special::default();
        let shows = entry.shows().is_some_and(|name| {
            self.defined.borrow().functions(name).is_empty() && self.variables.get(name).is_none()
        });
        if entry.printed().is_some() && !shows {
            let ready = self.compile(entry, typed, Last::Printed, &mut special);
            if ready.compilation.program.is_some() {
                self.report(&ready, typed);
                return Some(ready);
            }
        }
        let ready = self.compile(entry, typed, Last::Plain, &mut special);
        self.report(&ready, typed);
        for name in &special.unkept {
            output::complain(&format!("Warning: the value of '{name}' cannot be kept"));
        }
        ready.compilation.program.is_some().then_some(ready)
    }

    /// Compiles an entry. Variables that cannot be left behind as others are, are treated as they must be.
    fn compile(&self, entry: &Entry, typed: &Typed, last: Last, special: &mut Special) -> Ready {
        loop {
            let defined = self.defined.borrow();
            let program = defined.program(entry, typed, last, special);
            let compilation = defined.compile(&program, false);
            let known = special.unkept.len() + special.converted.len();
            match &compilation.program {
                Some(ir) => special.converted.extend(types(ir, &self.settings).converted),
                None => special.unkept.extend(refused(&program, &compilation)),
            }
            if special.unkept.len() + special.converted.len() == known {
                return Ready { program, compilation };
            }
        }
    }

    /// Shows the errors of a compilation, and the warnings about what was typed last.
    fn report(&self, ready: &Ready, typed: &Typed) {
        let Ready { program, compilation } = ready;
        let files = compilation.sources.files().count();
        let wanted = |message: &&Message| match message.category {
            Category::Warning => {
                !USUAL.contains(&message.code.0) && program.is_in(message.primary.span, &typed.name)
            }
            category => category.is_error(),
        };
        let wanted: Vec<&Message> = compilation.messages.iter().filter(wanted).collect();
        let shown: Vec<Message> =
            wanted.iter().filter_map(|message| program.message(message, files)).collect();
        self.show(&shown, program, compilation);
        let errors = wanted.iter().filter(|message| message.category.is_error()).count();
        if errors > 0 && !shown.iter().any(|message| message.category.is_error()) {
            // What stands around an entry should never be wrong; if it is, that must not be silent.
            let texts = wanted.iter().map(|message| format!("Error: {}", message.text));
            texts.for_each(|text| output::complain(&text));
        }
    }

    fn show(&self, messages: &[Message], program: &Program, compilation: &Compilation) {
        let sources = program.sources(&compilation.sources);
        let style = if std::io::stderr().is_terminal() { Style::Coloured } else { Style::Plain };
        for message in messages {
            output::complain(&render::snippet(message, &sources, style));
        }
    }

    /// `:type EXPR`
    pub(super) fn type_of(&mut self, text: &str) -> Result<bool, String> {
        let headers = self.defined.borrow().functions(text);
        if !headers.is_empty() {
            headers.iter().try_for_each(|header| output::line(header))?;
            return Ok(true);
        }
        if let Some(variable) = self.variables.get(text) {
            output::line(&variable.shown_type())?;
            return Ok(true);
        }
        let typed = self.typed(text);
        let entry = Entry::new(text);
        let ready = self.compile(&entry, &typed, Last::Asked, &mut Special::default());
        self.report(&ready, &typed);
        let Some(program) = &ready.compilation.program else { return Ok(false) };
        match types(program, &self.settings).asked {
            Some(ty) => output::line(&ty).map(|()| true),
            None => {
                output::complain("Error: ':type' takes one expression");
                Ok(false)
            }
        }
    }

    /// `:forget NAME`
    pub(super) fn forget(&mut self, name: &str) -> bool {
        let Some(forgotten) = self.defined.borrow_mut().forget(name) else {
            output::complain(&format!("Error: nothing is called '{name}'"));
            return false;
        };
        let typed = self.typed("");
        let ready = self.compile(&Entry::new(""), &typed, Last::Plain, &mut Special::default());
        if ready.compilation.program.is_some() {
            return true;
        }
        self.defined.borrow_mut().put_back(forgotten);
        self.report(&ready, &typed);
        output::complain(&format!("'{name}' stays, since it is used"));
        false
    }

    /// `:time EXPR`
    pub(super) fn time(&mut self, text: &str) -> Result<bool, String> {
        let begin = Instant::now();
        let ran = self.run(text);
        output::line(&format!("{:.3} ms", begin.elapsed().as_secs_f64() * 1e3))?;
        Ok(ran)
    }

    /// `:emit f` or `:emit f(1, 2)`: the function and its kernels behind the transforms.
    pub(super) fn emit(&mut self, text: &str) -> Result<bool, String> {
        let name = text.split('(').next().unwrap_or_default().trim().to_owned();
        let call = if text.contains('(') { text } else { "" };
        let typed = self.typed(call);
        let entry = Entry::new(call);
        let mut ready = self.compile(&entry, &typed, Last::Printed, &mut Special::default());
        if ready.compilation.program.is_none() {
            ready = self.compile(&entry, &typed, Last::Plain, &mut Special::default());
        }
        self.report(&ready, &typed);
        if ready.compilation.program.is_none() {
            return Ok(false);
        }
        let Ready { program, .. } = ready;
        let Some(ir) = self.defined.borrow().compile(&program, true).program else { return Ok(false) };
        let functions = ir.functions.iter().filter(|(_, function)| function.source_name == name);
        let mut parts = BTreeSet::new();
        for (_, function) in functions {
            parts.extend(program.part(function.span));
            output::line(&function_text(&ir, function))?;
        }
        for (_, kernel) in ir.kernels.iter() {
            if program.part(kernel.span).is_some_and(|part| parts.contains(&part)) {
                output::line(&kernel_text(&ir, kernel))?;
            }
        }
        if parts.is_empty() {
            let hint = match self.defined.borrow().functions(&name).is_empty() {
                true => String::new(),
                false => format!("; its parameters have no types: write a call, as in ':emit {name}(1)'"),
            };
            output::complain(&format!("Error: there is no code of '{name}'{hint}"));
        }
        Ok(!parts.is_empty())
    }
}

/// The classes of a program with their fields.
fn classes(program: &ir::Program) -> Vec<String> {
    let fields = |class: &ir::Class| {
        let fields = class.fields.iter().map(|field| format!("{} : {}", field.name, field.ty));
        fields.collect::<Vec<_>>().join(", ")
    };
    program.classes.iter().map(|class| format!("{} {}", class.ty.name, fields(class))).collect()
}

/// The variables whose values an entry cannot leave behind: if that alone is wrong with its program.
fn refused(program: &Program, compilation: &Compilation) -> BTreeSet<String> {
    let files = compilation.sources.files().count();
    let errors = compilation.messages.iter().filter(|message| message.category.is_error());
    let variable = |message: &Message| {
        let span = message.primary.span;
        if program.place(span, files).is_some() {
            return None;
        }
        let (before, behind) = program.text.split_at_checked(span.start as usize)?;
        let line = format!("{}{}", before.rsplit('\n').next()?, behind.lines().next()?);
        let name = line.strip_prefix("save(\"")?.strip_prefix(FOLDER)?.split('"').next()?;
        Some(name.to_owned())
    };
    errors.map(variable).collect::<Option<_>>().unwrap_or_default()
}
