//! Loads settings and programs, compiles, and prints messages; shared by all commands.

use crate::arguments::Options;
use crate::output;
use quasar_core::driver::{self, Compilation};
use quasar_core::message::Category;
use quasar_core::message::render::{self, Style};
use quasar_core::settings::{CONFIG_FILE, Settings, is_setting};
use quasar_core::source::SearchPath;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Compiles a file and prints its messages; fails if there is an error.
pub(crate) fn compile(file: &Path, options: &Options, optimise: bool) -> Result<Compilation, String> {
    let settings = settings(options)?;
    let text = match &options.text {
        Some(text) => text.clone(),
        None => crate::fmt::read(file)?,
    };
    let compilation = compile_text(&file.to_string_lossy(), &text, settings, options, optimise);
    report(&compilation, options);
    match errors(&compilation) {
        0 => Ok(compilation),
        1 => Err(format!("{}: 1 error", file.display())),
        errors => Err(format!("{}: {errors} errors", file.display())),
    }
}

/// Compiles a text that is called `name`, and prints nothing.
pub(crate) fn compile_text(
    name: &str,
    text: &str,
    settings: Settings,
    options: &Options,
    optimise: bool,
) -> Compilation {
    // A program that runs unoptimised gets the messages of the passes.
    compile_with(name, text, settings, options, optimise, !optimise)
}

/// As [`compile_text`], unoptimised and without the messages of the passes, which take most of the time.
pub(crate) fn compile_unchecked(
    name: &str,
    text: &str,
    settings: Settings,
    options: &Options,
) -> Compilation {
    compile_with(name, text, settings, options, false, false)
}

fn compile_with(
    name: &str,
    text: &str,
    settings: Settings,
    options: &Options,
    optimise: bool,
    check: bool,
) -> Compilation {
    let provider = SearchPath { folders: folders(), read: quasar_files::read::module };
    let settings = driver::Options {
        optimise,
        check,
        settings,
        command_line: options.command_line,
        definitions: options.definitions.clone(),
        last_pass: options.last_pass.clone(),
        ..driver::Options::default()
    };
    driver::compile(name, text, &provider, &settings)
}

/// The number of errors.
pub(crate) fn errors(compilation: &Compilation) -> usize {
    compilation.messages.iter().filter(|message| message.category.is_error()).count()
}

/// The compiler settings from configuration file, environment and command line; later ones take precedence. Run-time
/// settings of the command line take effect directly.
pub(crate) fn settings(options: &Options) -> Result<Settings, String> {
    let mut settings = Settings::default();
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

/// Prints the messages that the options ask for.
pub(crate) fn report(compilation: &Compilation, options: &Options) {
    let mut hidden = 0;
    let style = if std::io::stderr().is_terminal() { Style::Coloured } else { Style::Plain };
    for message in &compilation.messages {
        let needed = match message.category {
            Category::Error | Category::Limitation | Category::Bug | Category::Warning => 0,
            Category::PerformanceWarning | Category::Optimization => 1,
            Category::Reduction | Category::Information => 2,
        };
        if needed <= options.verbosity {
            output::complain(&render::snippet(message, &compilation.sources, style));
        } else if message.category == Category::PerformanceWarning {
            hidden += 1;
        }
    }
    match hidden {
        0 => {}
        1 => output::complain("1 performance warning is not shown; -v or `quasar check` shows it"),
        _ => output::complain(&format!(
            "{hidden} performance warnings are not shown; -v or `quasar check` shows them"
        )),
    }
}
