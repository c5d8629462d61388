//! What a session knows: definitions and variables, and the programs that are made of them and of an entry.

use super::entry::{self, Definition, DefinitionKind, Entry, PARSING};
use super::program::{Program, Typed};
use crate::arguments::Options;
use crate::kept::{FOLDER, Variable, Variables};
use crate::load;
use quasar_core::driver::{self, Compilation};
use quasar_core::ir;
use quasar_core::message::Sink;
use quasar_core::settings::Settings;
use quasar_core::source::{FileId, SearchPath, SourceProvider};
use quasar_core::syntax::ast::{ExprKind, NodeIds, StmtKind, Target};
use quasar_core::syntax::{parse_type, parse_with};
use quasar_core::types::display::Names;
use quasar_core::types::{Boundary, Overflow, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The name under which the type of an expression is asked for; no variable has it.
const ASKED: &str = "?";

/// A function that gives its argument, as a value of any type: a function or a cell becomes a value of its own by that.
const ANY: &str = "session_value";

/// What an entry leaves behind in another way than usual.
#[derive(Default)]
pub(super) struct Special {
    /// Variables that cannot be kept.
    pub(super) unkept: BTreeSet<String>,
    /// Variables whose values are values of their own only where any type is wanted: functions, and cells of several types.
    pub(super) converted: BTreeSet<String>,
}

/// What becomes of the last expression of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Plain,
    /// Its value is printed.
    Printed,
    /// The whole entry is an expression whose type is asked for.
    Asked,
}

/// The definitions and variables of a session.
pub(super) struct Defined {
    settings: Settings,
    definitions: Vec<(Definition, Typed)>,
    pub(super) variables: Variables,
    /// The imported files whose statements have run.
    started: BTreeSet<String>,
    given: Vec<String>,
}

/// What was there before something was forgotten.
pub(super) struct Forgotten {
    definitions: Vec<(Definition, Typed)>,
    variable: Option<(String, Variable)>,
}

impl Defined {
    pub(super) fn new(settings: Settings, options: &Options, variables: Variables) -> Defined {
        let given = options.definitions.clone();
        Defined { settings, definitions: Vec::new(), variables, started: BTreeSet::new(), given }
    }

    /// The headers of functions, the names of types and imports, as they were typed.
    pub(super) fn headers(&self) -> Vec<String> {
        let header = |(definition, typed): &(Definition, Typed)| {
            let text = typed.text.get(definition.range.clone()).unwrap_or_default();
            text.lines().next().unwrap_or_default().trim_end().to_owned()
        };
        self.definitions.iter().map(header).collect()
    }

    /// The headers of the functions of a name.
    pub(super) fn functions(&self, name: &str) -> Vec<String> {
        let of_name = self
            .definitions
            .iter()
            .map(|(definition, _)| definition.kind == DefinitionKind::Function && definition.name == name);
        self.headers().into_iter().zip(of_name).filter(|(_, is)| *is).map(|(header, _)| header).collect()
    }

    /// Forgets everything of a name; `None` if there is nothing. What is forgotten can be put back.
    pub(super) fn forget(&mut self, name: &str) -> Option<Forgotten> {
        let before = self.definitions.clone();
        self.definitions.retain(|(definition, _)| definition.name != name);
        let variable = self.variables.remove(name);
        let known = variable.is_some() || self.definitions.len() < before.len();
        known.then(|| Forgotten { definitions: before, variable: variable.map(|it| (name.to_owned(), it)) })
    }

    /// Undoes a `forget`.
    pub(super) fn put_back(&mut self, forgotten: Forgotten) {
        self.definitions = forgotten.definitions;
        if let Some((name, variable)) = forgotten.variable {
            self.variables.set(name, variable);
        }
    }

    /// Takes over the definitions of an entry that ran.
    pub(super) fn define(&mut self, entry: &Entry, typed: &Typed, compilation: &Compilation) {
        for new in entry.definitions() {
            self.variables.remove(&new.name);
            let new = (new, typed.clone());
            // In its place: the numbers of classes follow from the order.
            match self.definitions.iter_mut().find(|(old, _)| new.0.replaces(old)) {
                Some(old) => *old = new,
                None => self.definitions.push(new),
            }
        }
        self.started.extend(compilation.files.iter().cloned());
    }

    /// The program of an entry.
    pub(super) fn program(&self, entry: &Entry, typed: &Typed, last: Last, special: &Special) -> Program {
        let mut program = self.beginning(entry, typed);
        for range in entry.statements() {
            match entry.printed() {
                Some(at) if last == Last::Printed && range.contains(&at) => {
                    program.add_typed(typed, range.start..at);
                    program.add("print ");
                    program.add_typed(typed, at..range.end);
                }
                _ if last == Last::Asked => {
                    program.add(&format!("save(\"{FOLDER}{ASKED}\", "));
                    program.add_typed(typed, range);
                    program.add(")");
                }
                _ => program.add_typed(typed, range),
            }
            program.add("\n");
        }
        if !special.converted.is_empty() {
            program.add(&format!("function y : ?? = {ANY}(x : ??)\ny = x\nendfunction\n"));
        }
        for name in entry.assigned().iter().filter(|name| !special.unkept.contains(*name)) {
            let value = match special.converted.contains(name) {
                true => format!("{ANY}({name})"),
                false => name.clone(),
            };
            // A branch may have left it without a value.
            program.add(&format!("try\nsave(\"{FOLDER}{name}\", {value})\ncatch no_value\nendtry\n"));
        }
        program
    }

    /// What stands before the statements of an entry: its definitions, and those that it does not replace; variables.
    pub(super) fn beginning(&self, entry: &Entry, typed: &Typed) -> Program {
        let new = entry.definitions();
        let mut all: Vec<(&Definition, &Typed)> =
            self.definitions.iter().map(|(definition, typed)| (definition, typed)).collect();
        for new in &new {
            match all.iter_mut().find(|(old, _)| new.replaces(old)) {
                Some(old) => *old = (new, typed),
                None => all.push((new, typed)),
            }
        }
        let mut names = BTreeSet::new();
        entry::names(&entry.text, &mut names);
        for (definition, typed) in &all {
            entry::names(typed.text.get(definition.range.clone()).unwrap_or_default(), &mut names);
        }
        let mut program = Program::default();
        let add = |program: &mut Program, wanted: &dyn Fn(DefinitionKind) -> bool| {
            for (definition, typed) in all.iter().filter(|(definition, _)| wanted(definition.kind)) {
                program.add_typed(typed, definition.range.clone());
                program.add("\n");
            }
        };
        add(&mut program, &|kind| kind == DefinitionKind::Import);
        add(&mut program, &|kind| kind == DefinitionKind::Type);
        // Objects know the number of their class, which is that of its first use: here, whatever an entry uses.
        for (k, (class, _)) in all.iter().filter(|(definition, _)| definition.is_class).enumerate() {
            program.add(&format!("session_class_{k} : ^{} = nullptr\n", class.name));
        }
        for name in self.variables.names().iter().filter(|name| names.contains(*name)) {
            let variable = self.variables.get(name);
            let loaded = format!("load(\"{FOLDER}{name}\")");
            match variable.and_then(|variable| variable.ty) {
                Some(ty) => match MODES.iter().find_map(|(_, mode)| ty.strip_suffix(mode)) {
                    Some(base) => program.add(&format!("{name} : {ty} = ({loaded} : {base})\n")),
                    None => program.add(&format!("{name} = ({loaded} : {ty})\n")),
                },
                None => program.add(&format!("{name} = {loaded}\n")),
            }
        }
        add(&mut program, &|kind| kind > DefinitionKind::Type);
        program
    }

    pub(super) fn compile(&self, program: &Program, optimise: bool) -> Compilation {
        let options = self.compiler_options(optimise);
        driver::compile("session", &program.text, &self.modules(), &options)
    }

    pub(super) fn compiler_options(&self, optimise: bool) -> driver::Options {
        driver::Options {
            optimise,
            settings: self.settings.clone(),
            parse: PARSING,
            definitions: self.given.clone(),
            ..driver::Options::default()
        }
    }

    pub(super) fn modules(&self) -> Modules<'_> {
        Modules { started: &self.started }
    }
}

/// Finds imported files. The statements of a file run once in a session; in later programs it has its functions, types and
/// constants.
pub(super) struct Modules<'a> {
    started: &'a BTreeSet<String>,
}

impl SourceProvider for Modules<'_> {
    fn load(&self, name: &str, from: &str) -> Result<Option<(String, String)>, String> {
        let search = SearchPath { folders: load::folders(), read: quasar_files::read::module };
        let found = search.load(name, from)?;
        Ok(found.map(|(text, name)| match self.started.contains(&name) {
            true => (without_statements(&text), name),
            false => (text, name),
        }))
    }
}

/// A text with blanks instead of statements other than assignments.
fn without_statements(text: &str) -> String {
    let (mut ids, mut sink) = (NodeIds::default(), Sink::default());
    let module = parse_with(FileId(0), text, PARSING, &mut ids, &mut sink);
    let mut bytes = text.as_bytes().to_vec();
    for item in &module.items {
        let stays = match &item.kind {
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Assign { target, .. } => {
                    matches!(&**target, Target::Place { place, .. } if matches!(place.kind, ExprKind::Name(_)))
                }
                ExprKind::Declare { .. } => true,
                _ => false,
            },
            StmtKind::Function(_) | StmtKind::TypeDef(_) | StmtKind::Reduction(_) => true,
            StmtKind::Macro(_) | StmtKind::Symbolic(_) | StmtKind::Pragma { .. } => true,
            _ => false,
        };
        if !stays {
            let range = item.span.start as usize..item.span.end as usize;
            let inside = bytes.get_mut(range).unwrap_or_default();
            inside.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// What is known of the values that a program leaves behind.
#[derive(Default)]
pub(super) struct Types {
    /// Types of variables, as programs write them.
    pub(super) written: BTreeMap<String, String>,
    /// Variables whose values must be converted, as those of [`Special`].
    pub(super) converted: BTreeSet<String>,
    /// The type of the expression that was asked for.
    pub(super) asked: Option<String>,
}

pub(super) fn types(program: &ir::Program, settings: &Settings) -> Types {
    let enums: Vec<String> = program.enums.iter().map(|(name, _)| name.clone()).collect();
    let names = Names { working: settings.precision, enums: &enums };
    let mut types = Types::default();
    let mut look = |body: &ir::Body, args: &[ir::Expr]| {
        let [ir::Expr { kind: ir::ExprKind::Text(file), .. }, value] = args else { return };
        let Some(name) = file.strip_prefix(FOLDER) else { return };
        let value = ir::build::unconverted(value);
        let mode = match value.kind {
            ir::ExprKind::Local(variable) => mode(body.variables[variable].boundary),
            _ => "",
        };
        let ty = format!("{}{mode}", names.of(&value.ty));
        if name == ASKED {
            types.asked = Some(ty);
        } else if value.ty.any(&must_be_converted) {
            types.converted.insert(name.to_owned());
        } else if !value.ty.any(&is_known_at_run_time) && can_be_written(&ty) {
            types.written.insert(name.to_owned(), ty);
        }
    };
    // Each module has a function with its statements.
    for (_, function) in program.functions.iter() {
        saved(&function.body.block, &mut |args| look(&function.body, args));
    }
    types
}

fn saved(block: &ir::Block, look: &mut impl FnMut(&[ir::Expr])) {
    for stmt in block {
        match &stmt.kind {
            ir::StmtKind::Library { name: "save", args, .. } => look(args),
            ir::StmtKind::Try { body, .. } => saved(body, look),
            _ => {}
        }
    }
}

/// What indices outside of an array mean, as types write it.
const MODES: &[(Boundary, &str)] = &[
    (Boundary::Safe, "'safe"),
    (Boundary::Circular, "'circular"),
    (Boundary::Mirror, "'mirror"),
    (Boundary::Clamped, "'clamped"),
    (Boundary::Unchecked, "'unchecked"),
];

fn mode(boundary: Boundary) -> &'static str {
    MODES.iter().find(|(known, _)| *known == boundary).map_or("", |(_, mode)| mode)
}

/// Whether a value of such a type is one of its own only where any type is wanted.
fn must_be_converted(ty: &Type) -> bool {
    matches!(ty, Type::Closure(_) | Type::Choice(_) | Type::Tuple(_) | Type::Scalar(_, Overflow::Truth))
}

/// Whether a type says nothing.
fn is_known_at_run_time(ty: &Type) -> bool {
    matches!(ty, Type::Dynamic | Type::Error | Type::Unit | Type::Null | Type::Group(_))
}

fn can_be_written(ty: &str) -> bool {
    let (mut ids, mut sink) = (NodeIds::default(), Sink::default());
    parse_type(FileId(0), ty, &mut ids, &mut sink);
    !sink.has_errors()
}
