//! Loads settings and programs, compiles, and prints messages; shared by all commands.

use crate::arguments::Options;
use crate::output;
use quasar_core::driver::{self, Compilation};
use quasar_core::message::render::{self, Style};
use quasar_core::message::{Category, Message};
use quasar_core::query::outcome::Report;
use quasar_core::settings::{CONFIG_FILE, Settings, is_setting};
use quasar_core::source::{SearchPath, SourceMap, SourceProvider};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Compiles a file and prints its messages; fails if there is an error.
pub(crate) fn compile(file: &Path, options: &Options, optimise: bool) -> Result<Compilation, String> {
    let (text, provider) = source(file, options)?;
    let settings = driver_options(settings(options)?, options, optimise);
    let compilation = driver::compile(&file.to_string_lossy(), &text, &provider, &settings);
    report(&compilation.messages, &compilation.sources, options);
    match failed(file, &compilation.messages) {
        None => Ok(compilation),
        Some(errors) => Err(errors),
    }
}

/// Compiles a file through all passes, for who asks what became of it; fails with its errors, if there are some.
pub(crate) fn outcome(file: &Path, options: &Options) -> Result<Report, String> {
    let (text, provider) = source(file, options)?;
    let settings = driver_options(settings(options)?, options, true);
    Report::of(&file.to_string_lossy(), &text, &provider, &settings).map_err(|document| {
        report(&document.messages, &document.compilation.sources, options);
        failed(file, &document.messages).unwrap_or_default()
    })
}

/// Compiles a text that is called `name`, and prints nothing.
pub(crate) fn compile_text(
    name: &str,
    text: &str,
    settings: Settings,
    options: &Options,
    optimise: bool,
) -> Compilation {
    driver::compile(name, text, &modules(), &driver_options(settings, options, optimise))
}

/// As [`compile_text`], unoptimised and without the messages of the passes, which take most of the time.
pub(crate) fn compile_unchecked(
    name: &str,
    text: &str,
    settings: Settings,
    options: &Options,
) -> Compilation {
    let settings = driver::Options { check: false, ..driver_options(settings, options, false) };
    driver::compile(name, text, &modules(), &settings)
}

/// The text of a program, and where its modules come from.
fn source(file: &Path, options: &Options) -> Result<(String, impl SourceProvider), String> {
    let text = match &options.text {
        Some(text) => text.clone(),
        None => crate::fmt::read(file)?,
    };
    Ok((text, modules()))
}

pub(crate) fn modules() -> impl SourceProvider {
    SearchPath { folders: folders(), read: quasar_files::read::module }
}

fn driver_options(settings: Settings, options: &Options, optimise: bool) -> driver::Options {
    driver::Options {
        optimise,
        // The program runs unoptimised, but gets the messages of the passes.
        check: !optimise,
        settings,
        command_line: options.command_line,
        definitions: options.definitions.clone(),
        last_pass: options.last_pass.clone(),
        ..driver::Options::default()
    }
}

/// The number of errors.
pub(crate) fn errors(messages: &[Message]) -> usize {
    messages.iter().filter(|message| message.category.is_error()).count()
}

/// How many errors there are, if there are some.
fn failed(file: &Path, messages: &[Message]) -> Option<String> {
    match errors(messages) {
        0 => None,
        1 => Some(format!("{}: 1 error", file.display())),
        errors => Some(format!("{}: {errors} errors", file.display())),
    }
}

/// The compiler settings from configuration file, environment and command line; later ones take precedence. Run-time
/// settings of the command line take effect directly.
pub(crate) fn settings(options: &Options) -> Result<Settings, String> {
    // What is compiled with arrays in folders has launches that go strip by strip.
    let mut settings = Settings { ranks: cfg!(feature = "zarr"), ..Settings::default() };
    let named = std::env::var_os("QUASAR_CONFIG").unwrap_or_else(|| CONFIG_FILE.into());
    let file = match quasar_files::read::settings(Path::new(&named), None) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("Error: the configuration file cannot be used: {error}")),
    };
    let wrong = settings.load(file.as_deref(), |name| std::env::var(name).ok());
    if !wrong.is_empty() {
        return Err(format!("Error: {}", wrong.join("\nError: ")));
    }
    for (name, value) in &options.settings {
        if is_setting(name) {
            settings.set(name, value).map_err(|refusal| format!("Error: {refusal}"))?;
        } else {
            quasar_runtime::context::set(name, value).map_err(|error| error.to_string())?;
        }
    }
    Ok(settings)
}

/// The folders searched for imports after that of the importing file.
pub(crate) fn folders() -> Vec<PathBuf> {
    std::env::var_os("QUASAR_PATH").map(|paths| std::env::split_paths(&paths).collect()).unwrap_or_default()
}

/// `quasar check`
pub(crate) fn check(file: &Path, options: &Options) -> Result<(), String> {
    let options = Options { verbosity: options.verbosity.max(1), ..options.clone() };
    compile(file, &options, true).map(drop)
}

/// So many errors are shown: those that follow often come from these.
const MOST_ERRORS: usize = 50;

/// Prints the messages that the options ask for.
pub(crate) fn report(messages: &[Message], sources: &SourceMap, options: &Options) {
    let mut hidden = 0;
    let style = if std::io::stderr().is_terminal() { Style::Coloured } else { Style::Plain };
    let mut errors = 0;
    for message in messages {
        errors += usize::from(message.category.is_error());
        if message.category.is_error() && errors > MOST_ERRORS {
            continue;
        }
        let needed = match message.category {
            Category::Error | Category::Limitation | Category::Bug | Category::Warning => 0,
            Category::PerformanceWarning | Category::Optimization => 1,
            Category::Reduction | Category::Information => 2,
        };
        if needed <= options.verbosity {
            output::complain(&render::snippet(message, sources, style));
        } else if message.category == Category::PerformanceWarning {
            hidden += 1;
        }
    }
    if errors > MOST_ERRORS {
        output::complain(&format!("{} more errors are not shown", errors - MOST_ERRORS));
    }
    match hidden {
        0 => {}
        1 => output::complain("1 performance warning is not shown; -v or `quasar check` shows it"),
        _ => output::complain(&format!(
            "{hidden} performance warnings are not shown; -v or `quasar check` shows them"
        )),
    }
}
