//! The driver: loads modules and runs the phases in order. The only module that depends on all of them; it does no I/O
//! itself but asks a [`SourceProvider`].

mod entry;
mod instances;
mod texts;
mod trace;

use crate::backend::{clike, rust};
use crate::builtins;
use crate::ir::Program;
use crate::ir::texts::ImportedText;
use crate::lower::{LowerOptions, lower};
use crate::message::{Message, Sink};
use crate::sema::model::SemanticModel;
use crate::sema::unit::{Unit, UnitModule};
use crate::sema::{
    SemaOptions, analyze, auto_specialize, defaults, eval_literals as literals, macros, overrides,
    specialize_attribute,
};
use crate::settings::{self, Settings};
use crate::source::{self, FileId, SourceMap, SourceProvider, Span};
use crate::syntax::ast::{Import, NodeIds, Stmt, StmtKind};
use crate::syntax::{ParseOptions, parse_with};
use crate::transform::kernel::thread_memory;
use crate::transform::{PassContext, Runner, Stage, pipeline};
use quasar_devicelib::stack;
pub use texts::compile as compile_text;
pub use trace::{StageObserver, Trace, trace};

/// Options of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The compiler settings. `definitions` may override them.
    pub settings: Settings,
    /// Syntax extensions that the root module may use.
    pub parse: ParseOptions,
    /// The number of lines of the enclosing file before the root module's text.
    pub first_line: u32,
    /// External definitions: values of constants and settings, as `NAME = value`, and instances of generic functions
    /// for Rust callers, as `name[scalar]`. The k-th has the file id k + 1 in messages.
    pub definitions: Vec<String>,
    /// Whether `main` is called with command-line arguments, which arrive as one cell of strings.
    pub command_line: bool,
    /// Whether facts (assertions, loop bounds, sizes) decide conditions; otherwise only constants and types do.
    pub facts: bool,
    /// Whether the program is optimised; otherwise it is left as lowered.
    pub optimise: bool,
    /// Whether a program that is not optimised still gets the messages of the passes.
    pub check: bool,
    /// Whether loops are parallelised into kernels without an annotation.
    pub auto_parallel: bool,
    /// Whether array expressions are fused into kernels.
    pub auto_kernel: bool,
    /// Whether the IR is verified after each phase.
    pub verify: bool,
    /// The pass behind which the compiler stops, also where it is one that other programs would not get.
    pub last_pass: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            settings: Settings::default(),
            parse: ParseOptions::default(),
            first_line: 0,
            definitions: Vec::new(),
            command_line: false,
            facts: true,
            optimise: true,
            check: false,
            auto_parallel: true,
            auto_kernel: true,
            verify: cfg!(debug_assertions),
            last_pass: None,
        }
    }
}

/// The result of a compilation, also of an erroneous program.
#[derive(Debug)]
pub struct Compilation {
    /// The text of all modules.
    pub sources: SourceMap,
    /// All messages, sorted by source location.
    pub messages: Vec<Message>,
    /// The ASTs.
    pub unit: Unit,
    /// The result of the semantic analysis.
    pub model: SemanticModel,
    /// The program; `None` if a message is an error.
    pub program: Option<Program>,
    /// The settings in effect, with definitions applied.
    pub settings: Settings,
    /// The names of the files loaded from the provider, in load order.
    pub files: Vec<String>,
}

/// Stack bytes of a compilation: nested expressions and blocks recurse.
const STACK: usize = 4 << 20;

/// Compiles source text that is called `name` in messages.
pub fn compile(name: &str, text: &str, provider: &dyn SourceProvider, options: &Options) -> Compilation {
    stack::with_bytes(STACK, || compile_program(name, text, provider, options))
}

fn compile_program(name: &str, text: &str, provider: &dyn SourceProvider, options: &Options) -> Compilation {
    let mut sink = Sink::default();
    let mut loader = Loader::new(provider, options.settings.clone(), &mut sink);
    loader.program(name, text, options);
    let Loader { sources, mut unit, imported, mut ids, settings, instances, .. } = loader;
    let expansions = expand(&mut unit, &mut ids, &mut sink);
    let options = Options { settings, ..options.clone() };
    let model = meaning(&unit, &options, &mut sink);
    let mut program = translate(&unit, &model, &sources, &options, &mut sink);
    let mut files: Vec<String> = Vec::new();
    for import in &imported {
        if !files.contains(&import.name) {
            files.push(import.name.clone());
        }
    }
    if let Some(program) = &mut program {
        program.texts = texts::of(name, text, &options, imported);
    }
    let mut messages = sink.into_sorted();
    name_macros(&mut messages, &expansions);
    messages.retain(|message| message.category.is_error() || !is_of_library(message, &sources));
    for message in &mut messages {
        if let Some((_, place)) = instances.iter().find(|(file, _)| *file == message.primary.span.file) {
            message.primary.span = *place;
        }
    }
    Compilation { sources, messages, unit, model, program, settings: options.settings, files }
}

/// Compiles up to the analysis, for tools that answer while a text is edited: the analysis also runs over what could be
/// parsed of a text with errors. The messages are those of the first phase that found errors. There is no program.
pub fn inspect(name: &str, text: &str, provider: &dyn SourceProvider, options: &Options) -> Compilation {
    stack::with_bytes(STACK, || inspect_program(name, text, provider, options))
}

fn inspect_program(name: &str, text: &str, provider: &dyn SourceProvider, options: &Options) -> Compilation {
    let mut sink = Sink::default();
    let mut loader = Loader::new(provider, options.settings.clone(), &mut sink);
    loader.program(name, text, options);
    let Loader { sources, mut unit, mut ids, settings, .. } = loader;
    let options = Options { settings, ..options.clone() };
    let (mut expanded, mut analysed) = (Sink::default(), Sink::default());
    let expansions = expand(&mut unit, &mut ids, &mut expanded);
    let model = meaning(&unit, &options, &mut analysed);
    for later in [expanded, analysed] {
        if !sink.has_errors() {
            sink.extend(later);
        }
    }
    let mut messages = sink.into_sorted();
    name_macros(&mut messages, &expansions);
    Compilation {
        sources,
        messages,
        unit,
        model,
        program: None,
        settings: options.settings,
        files: Vec::new(),
    }
}

/// Runs the syntactic expansions that precede the analysis.
fn expand(unit: &mut Unit, ids: &mut NodeIds, sink: &mut Sink) -> Vec<macros::Expansion> {
    if sink.has_errors() {
        return Vec::new();
    }
    let expansions = macros::expand(unit, ids, sink);
    literals::expand(unit, ids, sink);
    auto_specialize::expand(unit, ids, sink);
    defaults::expand(unit, ids);
    specialize_attribute::expand(unit, ids, sink);
    expansions
}

/// Runs the semantic analysis.
fn meaning(unit: &Unit, options: &Options, sink: &mut Sink) -> SemanticModel {
    if sink.has_errors() {
        return SemanticModel::default();
    }
    let sema = SemaOptions {
        precision: options.settings.precision,
        facts: options.facts,
        function_pointers: options.settings.function_pointers,
    };
    analyze(unit, &sema, sink)
}

/// Adds the macro's definition as a related span to errors in its expansions.
/// Whether a message is about the code of a library module, which its users cannot change.
fn is_of_library(message: &Message, sources: &SourceMap) -> bool {
    let file = sources.file(message.primary.span.file);
    source::library::library_module(&file.name).is_some_and(|text| text == file.text)
}

fn name_macros(messages: &mut [Message], expansions: &[macros::Expansion]) {
    for message in messages.iter_mut().filter(|message| message.category.is_error()) {
        let place = message.primary.span;
        for expansion in expansions.iter().filter(|expansion| expansion.place == place) {
            *message = message.clone().related(expansion.definition, "in the expansion of this macro");
        }
    }
}

/// Runs the phases after the analysis.
fn translate(
    unit: &Unit,
    model: &SemanticModel,
    sources: &SourceMap,
    options: &Options,
    sink: &mut Sink,
) -> Option<Program> {
    if sink.has_errors() {
        return None;
    }
    let mut program = lower(unit, model, &LowerOptions { settings: &options.settings, sources }, sink);
    let context = PassContext {
        auto_parallel: options.auto_parallel,
        auto_kernel: options.auto_kernel,
        verify: options.verify,
        ..PassContext::with_settings(sources, &options.settings)
    };
    let mut runner = Runner::new(context).until(options.last_pass.as_deref());
    runner.lowered(&program, sink);
    runner.run(pipeline::PROGRAM, &mut program, sink);
    if sink.has_errors() {
        return None;
    }
    if options.last_pass.is_some() {
        until_last(runner, options, &mut program, sink);
        return (!sink.has_errors()).then_some(program);
    }
    let unoptimised = pipeline::unoptimised(&context);
    if options.optimise {
        Runner::new(context).run(pipeline::HOST, &mut program, sink);
    } else if options.check {
        Runner::new(context).run(pipeline::HOST, &mut program.clone(), sink);
        if !sink.has_errors() {
            // Its messages were already reported for the clone.
            Runner::new(unoptimised).run(pipeline::UNOPTIMISED, &mut program, &mut Sink::default());
        }
    } else {
        Runner::new(unoptimised).run(pipeline::UNOPTIMISED, &mut program, sink);
    }
    if !sink.has_errors() {
        let check = if options.settings.kernel_memory { thread_memory::warn } else { thread_memory::refuse };
        check(&program, sink);
    }
    (!sink.has_errors()).then_some(program)
}

/// The stages behind [`pipeline::PROGRAM`] that lead to the last pass.
fn until_last(mut runner: Runner<'_>, options: &Options, program: &mut Program, sink: &mut Sink) {
    let last = options.last_pass.as_deref().and_then(pipeline::find);
    let stages = match last.map(|(stage, _)| stage) {
        Some(stage @ (Stage::Cpu | Stage::Device)) => vec![Stage::Host, Stage::Kernel, stage],
        Some(Stage::Kernel) => vec![Stage::Host, Stage::Kernel],
        Some(Stage::Unoptimised) => vec![Stage::Unoptimised],
        _ => vec![Stage::Host],
    };
    for stage in stages {
        runner.run(pipeline::passes(stage), program, sink);
    }
}

/// Prints a program as Rust code, with its kernels for the CPU and as source text for devices. Constructs without a
/// printer yet are reported to `sink`.
pub fn print_rust(
    program: &Program,
    sources: &SourceMap,
    printing: &rust::Options,
    sink: &mut Sink,
) -> String {
    let mut processor = program.clone();
    pipeline::shape(&mut processor, &[Stage::Kernel], sink);
    let mut devices = processor.clone();
    pipeline::shape(&mut processor, &[Stage::Cpu], sink);
    pipeline::shape(&mut devices, &[Stage::Device], sink);
    let naming = if printing.device_lines { clike::Naming::Lines } else { clike::Naming::Nothing };
    let texts = clike::kernels_naming(naming, &devices, sources, sink);
    clike::report_missing(&devices, sink);
    rust::emit(&processor, &texts, sources, printing, sink)
}

/// Language functions implemented in Quasar for kernels and device functions. Loaded implicitly, never imported; see
/// [`builtins::IN_QUASAR`].
const DEVICE: (&str, &str) = ("device/functions.q", include_str!("../lib/device/functions.q"));

/// Native libraries whose functions are built into the compiler.
const NATIVE: &[&str] = &["Quasar.UI.dll", "Quasar.Video.dll", "Quasar.Runtime.dll"];

/// The load state of a module; an import of one that is still loading is cyclic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Loading,
    /// At this index of the unit's modules.
    Loaded(usize),
}

/// Loads modules depth-first, so that imports precede their importers in the unit.
struct Loader<'a> {
    provider: &'a dyn SourceProvider,
    sources: SourceMap,
    ids: NodeIds,
    unit: Unit,
    /// The modules loaded from the provider.
    imported: Vec<ImportedText>,
    known: Vec<(String, State)>,
    settings: Settings,
    /// Generated callers of generic instances, and the spans of the definitions that request them.
    instances: Vec<(FileId, Span)>,
    sink: &'a mut Sink,
}

impl<'a> Loader<'a> {
    fn new(provider: &'a dyn SourceProvider, settings: Settings, sink: &'a mut Sink) -> Loader<'a> {
        Loader {
            provider,
            sources: SourceMap::default(),
            ids: NodeIds::default(),
            unit: Unit::default(),
            imported: Vec::new(),
            known: Vec::new(),
            settings,
            instances: Vec::new(),
            sink,
        }
    }

    /// Loads the root module and its imports, and applies external definitions.
    fn program(&mut self, name: &str, text: &str, options: &Options) {
        let root = self.sources.add_at(name, text, options.first_line);
        let given: Vec<FileId> =
            options.definitions.iter().map(|text| self.sources.add("definition", text.clone())).collect();
        self.known.push((name.to_string(), State::Loading));
        self.module(name, root, options.parse);
        self.define(&given);
        self.precision();
        if options.command_line {
            self.entry();
        }
    }

    /// Computes in the precision that the root module asks for by a pragma.
    fn precision(&mut self) {
        let pragma = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Pragma { name, arguments: Some(word) } if name.text == "precision" => {
                Some(word.trim().to_owned())
            }
            _ => None,
        };
        let items = self.unit.modules.last().map_or(&[][..], |root| &root.module.items);
        if let Some(word) = items.iter().find_map(pragma) {
            // Another word is no precision, which lowering says.
            let _ = self.settings.set(settings::PRECISION, &word);
        }
    }

    /// Parses a file, loads its imports, and appends it after them. Returns its index.
    fn module(&mut self, name: &str, file: FileId, parse: ParseOptions) -> usize {
        let text = self.sources.file(file).text.clone();
        self.device_functions(&text);
        let module = parse_with(file, &text, parse, &mut self.ids, self.sink);
        let mut imports: Vec<usize> = Vec::new();
        for import in &module.imports {
            let imported = self.import(import, name);
            imports.extend(imported.filter(|position| !imports.contains(position)));
        }
        self.unit.modules.push(UnitModule { name: name.to_string(), module, imports });
        let position = self.unit.modules.len() - 1;
        if let Some(entry) = self.known.iter_mut().find(|(known, _)| known == name) {
            entry.1 = State::Loaded(position);
        }
        position
    }

    /// Loads the implicit device functions if device code in this text may call them, unless already loaded.
    fn device_functions(&mut self, text: &str) {
        if self.unit.device.is_none() && may_call_device_functions(text) {
            // Set first, or the recursion would not end: the module calls its own functions.
            self.unit.device = Some(self.unit.modules.len());
            let file = self.sources.add(DEVICE.0, DEVICE.1.to_string());
            self.unit.device = Some(self.module(DEVICE.0, file, ParseOptions::default()));
        }
    }

    /// Applies external definitions to settings, constants, tuning parameters and generic instances.
    fn define(&mut self, given: &[FileId]) {
        let mut list = Vec::new();
        for file in given {
            let text = self.sources.file(*file).text.clone();
            let place = Span { file: *file, start: 0, end: text.len() as u32 };
            if settings::is_setting(text.trim_start()) {
                self.set(&text, *file);
                continue;
            }
            if let Some(wanted) = instances::read(&text) {
                self.instance(&wanted, place);
                continue;
            }
            let before = self.sink.has_errors();
            // `$p` is no variable, but parses as an assignment once the `$` is blanked out.
            let tuning = text.trim_start().starts_with('$');
            let text = if tuning { text.replacen('$', " ", 1) } else { text };
            let module = parse_with(*file, &text, ParseOptions::default(), &mut self.ids, self.sink);
            if before || !self.sink.has_errors() {
                let definition = overrides::read(module, place, self.sink);
                list.extend(
                    definition.map(|definition| if tuning { definition.of_tuning() } else { definition }),
                );
            }
        }
        overrides::apply(&mut self.unit, list, self.sink);
    }

    /// Changes a setting, `NAME = value`.
    fn set(&mut self, text: &str, file: FileId) {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let word = value.trim().trim_matches('"');
        let Err(refusal) = self.settings.set(name, word) else { return };
        let part = if refusal.unknown { 0..name.len() } else { text.len() - value.len()..text.len() };
        let blank = |c: &char| c.is_whitespace();
        let written = text.get(part.clone()).unwrap_or_default();
        let start = part.start + written.chars().take_while(blank).map(char::len_utf8).sum::<usize>();
        let span = Span { file, start: start as u32, end: (start + written.trim().len()) as u32 };
        self.sink.push(Message::error("Q0216", span, refusal.text).help(refusal.help));
    }

    /// Adds callers of an instance of a generic function to the root module.
    fn instance(&mut self, wanted: &instances::Wanted, place: Span) {
        let Some(root) = self.unit.modules.last_mut() else { return };
        match instances::text(&root.module, wanted) {
            Some(text) => {
                let file = self.sources.add("instance", text.clone());
                let made = parse_with(file, &text, ParseOptions::default(), &mut self.ids, self.sink);
                root.module.items.extend(made.items);
                self.instances.push((file, place));
            }
            None => self.sink.push(instances::unknown(wanted, place)),
        }
    }

    /// Adds the generated command-line entry point to the root module.
    fn entry(&mut self) {
        let Some(root) = self.unit.modules.last_mut() else { return };
        let Some(text) = entry::text(&root.module) else { return };
        let file = self.sources.add(crate::sema::COMMAND_LINE, text.clone());
        let entry = parse_with(file, &text, ParseOptions::default(), &mut self.ids, self.sink);
        root.module.items.extend(entry.items);
    }

    fn import(&mut self, import: &Import, from: &str) -> Option<usize> {
        if import.path.to_ascii_lowercase().ends_with(".dll") {
            let file = import.path.rsplit(['/', '\\']).next().unwrap_or("");
            if !NATIVE.contains(&file) {
                self.sink.push(unknown_native_library(import));
            }
            return None;
        }
        // Messages quote lines of the files they refer to: only program text may be read and shown.
        if !import.path.to_ascii_lowercase().ends_with(".q") {
            self.sink.push(not_a_module(import));
            return None;
        }
        let provided = match self.provider.load(&import.path, from) {
            Ok(provided) => provided,
            Err(cause) => {
                self.sink.push(module_unreadable(import, &cause));
                return None;
            }
        };
        let from_provider = provided.is_some();
        let found = provided.or_else(|| {
            source::library::library_module(&import.path).map(|text| (text.to_string(), import.path.clone()))
        });
        let Some((text, name)) = found else {
            self.sink.push(module_not_found(import));
            return None;
        };
        let again = self.known.iter().find(|(known, _)| *known == name).map(|(_, state)| *state);
        if from_provider && !self.imported.iter().any(|i| i.path == import.path && i.from == from) {
            let (path, from) = (import.path.clone(), from.to_string());
            self.imported.push(ImportedText { path, from, name: name.clone(), text: text.clone() });
        }
        match again {
            Some(State::Loaded(position)) => return Some(position),
            Some(State::Loading) => {
                self.sink.push(cyclic_import(import, &self.known));
                return None;
            }
            None => {}
        }
        let file = self.sources.add(&name, text);
        self.known.push((name.clone(), State::Loading));
        Some(self.module(&name, file, ParseOptions::default()))
    }
}

/// Conservative: whether some text may contain device code that calls a function implemented in Quasar for devices.
fn may_call_device_functions(text: &str) -> bool {
    let on_device = text.contains("__kernel__") || text.contains("__device__");
    on_device && builtins::IN_QUASAR.iter().any(|name| text.contains(name))
}

fn unknown_native_library(import: &Import) -> Message {
    let text = format!("the native library '{}' is not known", import.path);
    Message::error("Q0210", import.span, text).help(format!("known are {}", NATIVE.join(", ")))
}

fn module_not_found(import: &Import) -> Message {
    let names: Vec<&str> = source::library::modules().collect();
    Message::error("Q0211", import.span, format!("the module '{}' was not found", import.path))
        .help(
            "modules are searched beside the importing file, in the library path and in the built-in library",
        )
        .help(format!("the built-in library has {}", names.join(", ")))
}

fn not_a_module(import: &Import) -> Message {
    let text = format!("'{}' is no module: files of modules end in '.q'", import.path);
    Message::error("Q0211", import.span, text)
}

fn module_unreadable(import: &Import, cause: &str) -> Message {
    Message::error("Q0211", import.span, format!("the module '{}' cannot be read: {cause}", import.path))
}

fn cyclic_import(import: &Import, known: &[(String, State)]) -> Message {
    let open: Vec<&str> =
        known.iter().filter(|(_, s)| *s == State::Loading).map(|(name, _)| name.as_str()).collect();
    Message::error(
        "Q0212",
        import.span,
        format!("'{}' imports itself, through {}", import.path, open.join(", ")),
    )
    .help("move what both need into a third module")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files(&'static [(&'static str, &'static str)]);

    impl SourceProvider for Files {
        fn load(&self, name: &str, _from: &str) -> Result<Option<(String, String)>, String> {
            match self.0.iter().find(|(known, _)| *known == name) {
                Some((_, "unreadable")) => Err("this is a device or a pipe, not a file".into()),
                found => Ok(found.map(|(name, text)| (text.to_string(), name.to_string()))),
            }
        }
    }

    fn codes(text: &str, files: &'static [(&'static str, &'static str)]) -> (Vec<&'static str>, Compilation) {
        let compilation = compile("root.q", text, &Files(files), &Options::default());
        let errors = compilation.messages.iter().filter(|m| m.category.is_error());
        (errors.map(|m| m.code.0).collect(), compilation)
    }

    #[test]
    fn what_is_no_module_or_cannot_be_read_is_refused_at_the_import() {
        let files =
            &[("/etc/passwd", "secret line\n"), ("pipe.q", "unreadable"), ("notes.txt", "secret line\n")];
        for (name, said) in [
            ("/etc/passwd", "'/etc/passwd' is no module: files of modules end in '.q'"),
            ("notes.txt", "'notes.txt' is no module: files of modules end in '.q'"),
            ("/dev/zero", "'/dev/zero' is no module: files of modules end in '.q'"),
            ("", "'' is no module: files of modules end in '.q'"),
            ("pipe.q", "the module 'pipe.q' cannot be read: this is a device or a pipe, not a file"),
        ] {
            let (errors, compilation) = codes(&format!("import \"{name}\"\n"), files);
            assert_eq!(errors, ["Q0211"], "{name}");
            assert_eq!(compilation.messages[0].text, said);
            assert!(compilation.files.is_empty(), "{name}: the file was not looked at");
        }
    }

    #[test]
    fn each_file_is_loaded_once_and_before_its_importers() {
        let files = &[("a.q", "import \"b.q\"\n"), ("b.q", "")];
        let (errors, compilation) = codes("import \"a.q\"\nimport \"b.q\"\n", files);
        assert!(errors.is_empty(), "{:?}", compilation.messages);
        let names: Vec<&str> = compilation.unit.modules.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["b.q", "a.q", "root.q"]);
        assert_eq!(compilation.unit.modules[2].imports, [1, 0]);
        assert_eq!(compilation.files, ["a.q", "b.q"]);
    }

    #[test]
    fn cycles_and_unknown_modules_are_errors() {
        let files = &[("a.q", "import \"b.q\"\n"), ("b.q", "import \"a.q\"\n")];
        assert_eq!(codes("import \"a.q\"\n", files).0, ["Q0212"]);
        assert_eq!(codes("import \"nowhere.q\"\n", files).0, ["Q0211"]);
        assert_eq!(codes("import \"Other.dll\"\n", files).0, ["Q0210"]);
        assert!(codes("import \"Quasar.UI.dll\"\n", files).0.is_empty());
    }

    #[test]
    fn concealed_functions_are_unknown_elsewhere() {
        let files = &[(
            "m.q",
            "function y = plain(x : int) concealed\n    y = x\nendfunction\n\
             function y = generic[T](x : T) concealed\n    y = x\nendfunction\n\
             function y = outer(x)\n    function y = within(x) concealed\n        y = 2 * x\n    endfunction\n    \
             y = within(x) + generic(x) + plain(x)\nendfunction\n",
        )];
        let text = "import \"m.q\"\nprint outer(3)\n";
        assert!(codes(text, files).0.is_empty());
        for name in ["plain", "generic", "within"] {
            let (errors, compilation) = codes(&format!("{text}print {name}(1)\n"), files);
            assert_eq!(errors, ["Q0201"], "{name}");
            assert_eq!(compilation.messages[0].text, format!("unknown name '{name}'"));
        }
    }

    /// Code, span and text of each error of a program with external definitions.
    fn defined(text: &str, definitions: &[&str]) -> Vec<String> {
        let definitions = definitions.iter().map(ToString::to_string).collect();
        let files = &[("m.q", "DEPTH = 3\n")];
        let options = Options { definitions, ..Options::default() };
        let compilation = compile("root.q", text, &Files(files), &options);
        let errors = compilation.messages.iter().filter(|m| m.category.is_error());
        errors
            .map(|m| format!("{} {}..{} {}", m.code.0, m.primary.span.file.0, m.primary.span.start, m.text))
            .collect()
    }

    #[test]
    fn values_from_outside_replace_those_of_constants() {
        let program = "import \"m.q\"\nN : int = 4\nnames = \"a\"\nassert(N == 7 && DEPTH == 5)\nx = zeros(N)\n\
                       assert(numel(x) == 7)\nfunction y = f()\n    y = N + DEPTH\nendfunction\n";
        assert_eq!(defined(program, &["N=7", "DEPTH = 2 + 3"]), [""; 0]);
        let contradiction = &defined(program, &["N = 7"])[0];
        assert!(contradiction.starts_with("Q0601 0.."), "{contradiction}");
    }

    #[test]
    fn tuning_parameters_take_values_from_outside() {
        let program = "function [] = __kernel__ k(x : vec, pos : int, blkdim : int)\n    {!tuning_param name=\"$p\"; \
                       range=[8,16]; default=8; desc=\"threads\"}\n    {!cuda_launch_bounds max_threads_per_block=$p}\n    \
                       x[pos] = blkdim\nendfunction\nx = zeros(64)\nparallel_do(64, x, k)\n";
        assert_eq!(defined(program, &["$p = 16"]), [""; 0]);
        assert_eq!(defined(program, &["$q = 16"]), ["Q0214 1..1 the program has no tuning parameter '$q'"]);
        let options = Options { definitions: vec!["$p=16".to_string()], ..Options::default() };
        let compilation = compile("root.q", program, &Files(&[]), &options);
        let kernels = compilation.program.expect("a program").kernels;
        let bounds = kernels.iter().find_map(|(_, kernel)| kernel.attributes.bounds);
        assert_eq!(bounds.map(|bounds| bounds.threads), Some(16));
        // Kernels that say nothing of their blocks have a parameter for them.
        let program = program.replace("    {!cuda_launch_bounds max_threads_per_block=$p}\n", "");
        let options = Options { definitions: vec!["$blocks_k=64".to_string()], ..Options::default() };
        let compilation = compile("root.q", &program, &Files(&[]), &options);
        let kernels = compilation.program.expect("a program").kernels;
        let bounds = kernels.iter().find_map(|(_, kernel)| kernel.attributes.bounds);
        assert_eq!(bounds.map(|bounds| bounds.threads), Some(64));
        assert_eq!(
            defined(&program, &["$blocks_q = 16"]),
            ["Q0214 1..1 the program has no tuning parameter '$blocks_q'"]
        );
    }

    #[test]
    fn values_from_outside_that_do_not_fit_are_errors_at_them() {
        let program =
            "N : int = 4\nk = 1\nk = 2\n[a, b] = [1, 2]\nfunction y = f(x)\n    y = x\nendfunction\n";
        let no_constant = |name: &str| format!("Q0214 1..0 the program has no constant '{name}'");
        assert_eq!(defined(program, &["M = 7"]), [no_constant("M")]);
        assert_eq!(defined(program, &["f = 7"]), [no_constant("f")]);
        assert_eq!(
            defined(program, &["k = 7"]),
            ["Q0214 1..0 'k' is no constant: the program assigns it more than once"]
        );
        assert_eq!(
            defined(program, &["a = 7"]),
            ["Q0214 1..0 'a' cannot be given a value: no statement assigns it alone"]
        );
        assert_eq!(defined(program, &["N = 1", " N = 2"]), ["Q0214 2..1 'N' is given two values"]);
        assert_eq!(
            defined(program, &["N"]),
            ["Q0213 1..0 a value from outside is written as `NAME = value`"]
        );
        assert_eq!(defined(program, &["N = 1 +"]).len(), 1);
        let wrong = &defined(program, &["N = \"seven\""])[0];
        assert!(wrong.starts_with("Q0310 1..4"), "{wrong}");
    }

    #[test]
    fn settings_are_given_as_values_are() {
        let text = "x = zeros(2)\n";
        let definitions = ["COMPILER_precision = Double", "compiler_loop_parallelizer=\"false\""];
        let options = Options { definitions: definitions.map(String::from).to_vec(), ..Options::default() };
        let compilation = compile("root.q", text, &Files(&[]), &options);
        assert!(compilation.messages.is_empty(), "{:?}", compilation.messages);
        assert_eq!(compilation.settings.precision, crate::types::ElementType::Double);
        assert!(!compilation.settings.loop_parallelizer);
        assert_eq!(
            defined(text, &[" COMPILER_SPEED = 3"]),
            ["Q0216 1..1 there is no setting 'COMPILER_SPEED'"]
        );
        assert_eq!(
            defined(text, &["COMPILER_PRECISION = half"]),
            ["Q0216 1..21 'half' is no value of 'COMPILER_PRECISION'"]
        );
        assert_eq!(
            defined(text, &["COMPILER_PRECISION"]),
            ["Q0216 1..18 '' is no value of 'COMPILER_PRECISION'"]
        );
    }

    #[test]
    fn definitions_that_hide_imported_ones_are_warned_about() {
        let files = &[(
            "m.q",
            "count = 3\nfunction y = f(x : int)\n    y = x\nendfunction\nfunction y = g(x : int) concealed\n    y = x\n\
             endfunction\nfunction y = h(x : int)\n    y = x\nendfunction\n",
        )];
        let text = "import \"m.q\"\nfunction y = f(z : int)\n    y = z\nendfunction\nfunction y = g(x : int)\n    y = x\n\
                    endfunction\nfunction y = h(x : mat)\n    y = x\nendfunction\ncount = 4\nprint f(1), g(1), h(1)\n";
        let (errors, compilation) = codes(text, files);
        assert!(errors.is_empty(), "{:?}", compilation.messages);
        let hiding = compilation.messages.iter().filter(|message| message.code.0 == "Q0215");
        let hiding: Vec<&str> = hiding.map(|message| message.text.as_str()).collect();
        assert_eq!(
            hiding,
            ["this 'f' hides the function of 'm.q'", "this 'count' hides the variable of 'm.q'"]
        );
    }

    #[test]
    fn every_library_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/lib");
        for entry in std::fs::read_dir(folder).expect("the library exists").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(
                !name.ends_with(".q") || source::library::library_module(&name).is_some(),
                "{name} is not in LIBRARY"
            );
        }
    }

    #[test]
    fn functions_for_devices_are_those_that_calls_find() {
        let (errors, compilation) = codes("y = 1 % __device__ svd\n", &[]);
        assert!(errors.is_empty(), "{:?}", compilation.messages);
        let module = &compilation.unit.modules[compilation.unit.device.expect("it is loaded")];
        let defines = |name: &str| {
            module.module.items.iter().any(
                |item| matches!(&item.kind, crate::syntax::ast::StmtKind::Function(f) if f.name.text == name),
            )
        };
        for name in builtins::IN_QUASAR {
            assert!(defines(name), "{name}");
        }
        assert!(codes("y = svd([[1.0]])\n", &[]).1.unit.device.is_none());
    }

    #[test]
    fn a_file_of_the_provider_goes_before_the_library() {
        let (errors, compilation) = codes("import \"system.q\"\n", &[("system.q", "")]);
        assert!(errors.is_empty());
        assert_eq!(compilation.files, ["system.q"]);
        assert_eq!(compilation.unit.modules.len(), 2);
    }
}
