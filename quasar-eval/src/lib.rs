//! `eval` of texts that only the running program knows, for compiled programs: the compiler and the interpreter beside the run-time
//! system. The crate `quasar` uses it with its feature `eval`; nothing here is meant to be named by users.

#![forbid(unsafe_code)]

use quasar_core::driver::compile_text;
use quasar_core::interp;
use quasar_core::ir::texts::{Evaluated, ImportedText, Texts as Program};
use quasar_core::settings::{PRECISION, Settings};
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{ErrorKind, Host, Value, ValueError};
use quasar_runtime::library::host_services::with_host;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many texts of a program are remembered.
const REMEMBERED: usize = 64;

/// What a program was compiled from.
#[derive(Clone, Copy, Debug)]
pub struct Sources {
    /// The name of the root module.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// How many lines of an enclosing file stand before it.
    pub first_line: usize,
    /// Whether it stands as tokens in a Rust file.
    pub rust_comments: bool,
    /// Whether `main` is given the texts of a command line.
    pub command_line: bool,
    /// Values from outside, each as `NAME = value`.
    pub definitions: &'static [&'static str],
    /// The settings of the compiler, each as `NAME = value`.
    pub settings: &'static [&'static str],
    /// The imported modules: what the import says, the importing module, the name, the text.
    pub imports: &'static [[&'static str; 4]],
}

/// What texts became, by the module that asks and the text.
type Known = BTreeMap<(Arc<str>, Arc<str>), Arc<Evaluated>>;

/// What texts of a program are compiled with, and those that were.
pub struct Texts {
    sources: Sources,
    program: OnceLock<Arc<Program>>,
    known: Mutex<Known>,
}

impl Texts {
    /// Texts of a program from these sources.
    pub const fn new(sources: Sources) -> Texts {
        Texts { sources, program: OnceLock::new(), known: Mutex::new(BTreeMap::new()) }
    }

    fn program(&self) -> &Arc<Program> {
        self.program.get_or_init(|| {
            let Sources { name, text, first_line, rust_comments, command_line, .. } = self.sources;
            let owned = |list: &[&str]| list.iter().map(|said| said.to_string()).collect();
            let imports = self.sources.imports.iter().map(|[path, from, name, text]| ImportedText {
                path: path.to_string(),
                from: from.to_string(),
                name: name.to_string(),
                text: text.to_string(),
            });
            Arc::new(Program {
                name: name.into(),
                text: text.into(),
                first_line: first_line as u32,
                rust_comments,
                command_line,
                definitions: owned(self.sources.definitions),
                settings: owned(self.sources.settings),
                working: precision(self.sources.settings),
                imports: imports.collect(),
                compile: compile_text,
                host: Some(host),
            })
        })
    }

    fn compiled(&self, module: &Arc<str>, text: &Arc<str>) -> Result<Arc<Evaluated>, ValueError> {
        let key = (module.clone(), text.clone());
        // Nobody panics while it is locked; what it holds is whole in any case.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&key) {
            return Ok(known.clone());
        }
        let compiled = compile_text(self.program(), module, text);
        let compiled = compiled
            .map_err(|said| ValueError::new(ErrorKind::Argument, format!("eval: {said}")))
            .map(Arc::new)?;
        let mut known = known();
        if known.len() < REMEMBERED {
            known.insert(key, compiled.clone());
        }
        Ok(compiled)
    }
}

/// The precision of `scalar` that settings say.
fn precision(said: &[&str]) -> ElementType {
    let mut settings = Settings::default();
    for (name, value) in said.iter().filter_map(|said| said.split_once('=')) {
        if name.trim() == PRECISION {
            // The compiler wrote it.
            let _ = settings.set(name, value);
        }
    }
    settings.precision
}

/// Functions from texts print and read where the program does.
fn host(working: ElementType, work: &mut dyn FnMut(&mut dyn Host)) {
    with_host(working, |host| work(host));
}

/// `eval(text)` in a module of the program.
pub fn evaluate(texts: &Texts, text: &Value, module: &Value) -> Result<Value, ValueError> {
    let (Value::Text(text), Value::Text(module)) = (text, module) else {
        let said = format!("'eval' takes a text, found '{}'", text.kind());
        return Err(ValueError::new(ErrorKind::Type, said));
    };
    let compiled = texts.compiled(module, text)?;
    with_host(texts.program().working, |host| interp::evaluate(&compiled, host))
}
