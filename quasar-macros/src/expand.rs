//! Macro expansion from tokens to generated code: everything that works without rustc, so that unit tests can run it.

use crate::names::{self, Declared};
use crate::report::{self, Level};
use crate::source_text::{Given, Refusal, Source, package, values};
use crate::tuned;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quasar_core::backend::rust::{self, Options as Printing, Portable};
use quasar_core::driver::{self, Compilation, Options};
use quasar_core::message::{Message, Sink};
use quasar_core::sema::model::SemanticModel;
use quasar_core::sema::{SemaOptions, analyze};
use quasar_core::settings::{self, CONFIG_FILE, Settings as Compiler};
use quasar_core::source::SourceProvider;
use quasar_core::types::ElementType;
use quote::{format_ident, quote};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The result of an expansion.
pub(crate) struct Expansion {
    /// Messages and other tokens with spans in the Rust file.
    pub(crate) messages: TokenStream,
    /// The generated code, as text: building its tokens here would take most of the time of an expansion.
    pub(crate) printed: String,
    /// The functions in it that the program has tokens for.
    pub(crate) declared: Vec<Declared>,
}

impl Expansion {
    fn refusal(refusal: &Refusal) -> Expansion {
        Expansion { messages: report::refuse(refusal), printed: String::new(), declared: Vec::new() }
    }
}

/// Expands a call whose source text `find` gets from the tokens.
pub(crate) fn call(
    input: TokenStream,
    span: Span,
    find: fn(TokenStream, Span) -> Result<Source, Refusal>,
) -> Expansion {
    guarded(span, || {
        let (input, mut settings) = leading(input, span);
        match find(input, span) {
            Ok(mut source) => {
                source.given.splice(0..0, std::mem::take(&mut settings.given));
                expand(&source, &settings)
            }
            Err(refusal) => Expansion::refusal(&refusal),
        }
    })
}

/// Reports a panic of the compiler as a message.
pub(crate) fn guarded(span: Span, work: impl FnOnce() -> Expansion) -> Expansion {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let said = payload.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        defect(said, span)
    })
}

/// The message about a defect of the compiler.
pub(crate) fn defect(said: &str, span: Span) -> Expansion {
    let text = format!("Bug in Quasar: the compiler stopped: {said}\nhelp: please report the program");
    Expansion::refusal(&Refusal { text, span })
}

/// The settings that may precede a program, each as `#![..]`.
#[cfg(test)]
pub(crate) const SETTINGS: [&str; 7] = [
    "quiet",
    "verbose",
    "double",
    "command_line",
    "untuned",
    "define(N = 3, b = [1, 2])",
    "instantiate(f[scalar])",
];

/// The settings before a program.
struct Settings {
    level: Level,
    double: bool,
    command_line: bool,
    /// Whether values that `quasar tune` found are not used.
    untuned: bool,
    given: Vec<Given>,
}

/// Splits the settings off the front of the tokens.
fn leading(mut input: TokenStream, call: Span) -> (TokenStream, Settings) {
    let level = Level::from_environment();
    let (double, command_line, untuned, given) = (false, false, false, Vec::new());
    let mut settings = Settings { level, double, command_line, untuned, given };
    loop {
        let mut trees = input.clone().into_iter();
        // A leading `instantiate` may parse as the attribute of the following item.
        if let (Some(TokenTree::Punct(hash)), Some(TokenTree::Group(group))) = (trees.next(), trees.next())
            && (hash.as_char(), group.delimiter()) == ('#', Delimiter::Bracket)
            && let Some(wanted) = arguments("instantiate", &group.stream())
        {
            settings.given.extend(values(wanted, call));
            input = trees.collect();
            continue;
        }
        let mut trees = input.clone().into_iter();
        let front = (trees.next(), trees.next(), trees.next());
        let (Some(TokenTree::Punct(hash)), Some(TokenTree::Punct(bang)), Some(TokenTree::Group(group))) =
            front
        else {
            return (input, settings);
        };
        if (hash.as_char(), bang.as_char(), group.delimiter()) != ('#', '!', Delimiter::Bracket) {
            return (input, settings);
        }
        let given = ["define", "instantiate"].iter().find_map(|word| arguments(word, &group.stream()));
        if let Some(given) = given {
            settings.given.extend(values(given, call));
            input = trees.collect();
            continue;
        }
        match group.stream().to_string().as_str() {
            "quiet" => settings.level = Level::Errors,
            "verbose" => settings.level = Level::All,
            "double" => settings.double = true,
            "command_line" => settings.command_line = true,
            "untuned" => settings.untuned = true,
            _ => return (input, settings),
        }
        input = trees.collect();
    }
}

/// The tokens between the parentheses of a setting `name(..)`.
fn arguments(name: &str, setting: &TokenStream) -> Option<TokenStream> {
    let mut trees = setting.clone().into_iter();
    match (trees.next()?, trees.next()?, trees.next()) {
        (TokenTree::Ident(word), TokenTree::Group(group), None)
            if word == name && group.delimiter() == Delimiter::Parenthesis =>
        {
            Some(group.stream())
        }
        _ => None,
    }
}

/// Loads imports from the folder of the importing file.
struct Files {
    /// The name of the root module in messages, which need not be a path.
    root: String,
    /// The folder that contains it.
    folder: PathBuf,
}

impl SourceProvider for Files {
    fn load(&self, name: &str, from: &str) -> Result<Option<(String, String)>, String> {
        let beside = if from == self.root { None } else { Path::new(from).parent() };
        let path = beside.unwrap_or(&self.folder).join(name);
        let text = quasar_files::read::module(&path)?;
        Ok(text.map(|text| (text, path.to_string_lossy().into_owned())))
    }
}

fn expand(source: &Source, settings: &Settings) -> Expansion {
    let configuration = Configuration::find();
    let mut said = Compiler::default();
    let mut wrong = said.load(configuration.text.as_deref(), |name| std::env::var(name).ok());
    wrong.extend(configuration.refused.clone());
    if !wrong.is_empty() {
        let text = format!("quasar: {}", wrong.join("\n"));
        let mut refused = Expansion::refusal(&Refusal { text, span: source.span });
        refused.messages.extend(configuration.watch());
        return refused;
    }
    said.ranks |= cfg!(feature = "ranks");
    if settings.double {
        said.precision = ElementType::Double;
    }
    let mut options = Options {
        first_line: source.first_line,
        settings: said,
        command_line: settings.command_line,
        definitions: source.given.iter().map(|given| given.text.clone()).collect(),
        ..Options::default()
    };
    options.parse.rust_comments = source.tokens;
    // The compiler's tests verify every phase on the same programs; here it would only slow down each build.
    options.verify = false;
    let files = Files { root: source.name.clone(), folder: source.folder.clone() };
    let tuned = if settings.untuned { None } else { tuned::of(source, &files, &mut options.definitions) };
    let compiled = driver::compile(&source.name, &source.text, &files, &options);
    if source.outline {
        let (printed, declared) = signatures(&compiled, source);
        return Expansion { messages: TokenStream::new(), printed, declared };
    }
    let mut watched = watch(source, &compiled.files);
    watched.extend(configuration.watch());
    if let Some(tuned) = &tuned {
        let (engine, file) = (tuned::ENGINE, include(&tuned.path));
        watched.extend(quote!(const _: ::std::option::Option<&str> = ::std::option_env!(#engine); #file));
    }
    let mut sink = Sink::default();
    let (mut printed, mut declared) = (String::new(), Vec::new());
    if let Some(program) = &compiled.program {
        let printing = Printing {
            module: module_name(source),
            working: compiled.settings.precision,
            portable: portable(&mut sink),
            texts: cfg!(feature = "eval"),
            device_lines: compiled.settings.device_lines,
            lines: false,
        };
        printed = driver::print_rust(program, &compiled.sources, &printing, &mut sink);
        declared = names::declared(&compiled.unit, &compiled.model, source);
    }
    let mut messages = compiled.messages.clone();
    messages.extend(sink.into_sorted());
    messages.extend(tuned.and_then(|tuned| tuned.refused));
    if messages.iter().any(|message| message.category.is_error()) {
        messages.retain(|message| message.category.is_error());
        (printed, declared) = signatures(&compiled, source);
    }
    sort(&mut messages);
    let said = report::report(&messages, &compiled.sources, source, settings.level);
    Expansion { messages: quote!(#watched #said), printed, declared }
}

/// The PTX compiler, if the feature is enabled and a compiler is found.
fn portable(_sink: &mut Sink) -> Option<Portable> {
    #[cfg(feature = "embed-ptx")]
    return crate::embed::maker(_sink);
    #[cfg(not(feature = "embed-ptx"))]
    None
}

/// The environment variables that affect the expansion.
const VARIABLES: &[&str] = &[
    "QUASAR_MESSAGES",
    #[cfg(feature = "embed-ptx")]
    crate::embed::ARCHITECTURE,
    #[cfg(feature = "embed-ptx")]
    "QUASAR_NVRTC",
];

fn sort(messages: &mut [Message]) {
    messages.sort_by_key(|message| (message.primary.span, message.category));
}

/// What comments say of types that are not known.
const UNKNOWN: &str = " : <error>";

/// Stubs with the signatures of an erroneous program's functions, so that their callers still type-check.
fn signatures(compiled: &Compilation, source: &Source) -> (String, Vec<Declared>) {
    let analysed = compiled.model.instances.iter().next().is_some();
    let again = || {
        let settings = SemaOptions { precision: compiled.settings.precision, ..SemaOptions::default() };
        analyze(&compiled.unit, &settings, &mut Sink::default())
    };
    let model: SemanticModel = if analysed {
        compiled.model.clone()
    } else {
        catch_unwind(AssertUnwindSafe(again)).unwrap_or_default()
    };
    let main = model.main.map(|id| ("main", id, ""));
    let named = model.exports.iter().map(|(name, id, doc)| (name.as_str(), *id, doc.as_str()));
    let mut functions = String::new();
    for (name, id, doc) in named.chain(main) {
        let instance = &model.instances[id];
        let params: Vec<_> = instance.params.iter().map(|p| (p.name.clone(), p.ty.clone())).collect();
        let results: Vec<_> = instance.results.iter().map(|r| r.ty.clone()).collect();
        functions += &rust::signature(name, &params, &results, &doc.replace(UNKNOWN, ""));
    }
    (functions, names::declared(&compiled.unit, &model, source))
}

/// Makes cargo rebuild the crate when a file or environment variable changes.
fn watch(source: &Source, imported: &[String]) -> TokenStream {
    let root = source.path.iter().map(|p| p.to_string_lossy().into_owned());
    let files = root.chain(imported.iter().cloned()).filter_map(|file| include(Path::new(&file)));
    let variables = VARIABLES;
    quote! {
        #(const _: ::std::option::Option<&str> = ::std::option_env!(#variables);)*
        #(#files)*
    }
}

/// An item that makes rustc track a file.
fn include(file: &Path) -> Option<TokenStream> {
    let path = std::fs::canonicalize(file).ok()?;
    let path = path.to_string_lossy().into_owned();
    Some(quote!(
        const _: &[u8] = ::std::include_bytes!(#path);
    ))
}

/// The configuration file with compiler settings.
struct Configuration {
    path: PathBuf,
    text: Option<String>,
    /// Why an existing file was not read.
    refused: Option<String>,
}

impl Configuration {
    /// The file that `QUASAR_CONFIG` names, or the one beside `Cargo.toml`.
    fn find() -> Configuration {
        let beside = || package().join(CONFIG_FILE);
        let path = std::env::var_os("QUASAR_CONFIG").map_or_else(beside, |named| package().join(named));
        // The owner of the package is trusted, who decides what is compiled anyway.
        let (text, refused) = match quasar_files::read::settings(&path, Some(&package().join("Cargo.toml"))) {
            Ok(text) => (Some(text), None),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (None, None),
            Err(error) => (None, Some(format!("the configuration file cannot be used: {error}"))),
        };
        Configuration { path, text, refused }
    }

    /// Makes cargo rebuild the crate when file or environment change. A newly created file is not noticed.
    fn watch(&self) -> TokenStream {
        let file = self.text.as_ref().and_then(|_| include(&self.path));
        let names = settings::names();
        quote! {
            const _: ::std::option::Option<&str> = ::std::option_env!("QUASAR_CONFIG");
            #(const _: ::std::option::Option<&str> = ::std::option_env!(#names);)*
            #file
        }
    }
}

/// A name that is unique among the calls in the same Rust module.
fn module_name(source: &Source) -> String {
    let mut hasher = DefaultHasher::new();
    (&source.name, &source.text, source.first_line).hash(&mut hasher);
    source.given.iter().for_each(|given| given.text.hash(&mut hasher));
    format_ident!("__quasar_{:016x}", hasher.finish()).to_string()
}
