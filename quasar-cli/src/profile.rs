//! `quasar profile`: runs a program and says where its time goes; shows and compares reports.

mod changed;
mod page;

use crate::arguments::{Engine, Options, Profile};
use crate::{load, native, output, run};
use quasar_core::driver::Compilation;
use quasar_core::interp::Observer;
use quasar_runtime::profile::{self, Report};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs a program, prints its output and then the table.
pub(crate) fn measure(
    file: &Path,
    engine: &Engine,
    arguments: &[String],
    options: &Options,
    wanted: &Profile,
) -> Result<(), String> {
    for path in [&wanted.output, &wanted.trace, &wanted.page].into_iter().flatten() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(format!("Error: '{}' cannot be written: there is no such folder", path.display()));
        }
    }
    let (report, ran) = match engine {
        Engine::Interpreter => interpreted(file, arguments, options)?,
        Engine::Native(device) => native(file, arguments, options, device)?,
    };
    output::line("")?;
    output::text(&report.table())?;
    // What was measured is not lost where a file cannot be written.
    let saved = match &wanted.output {
        Some(path) => report.save(path).map_err(|error| format!("Error: {error}")),
        None => Ok(()),
    };
    saved.and(files_and_lines(&report, wanted))?;
    ran
}

/// Shows a report that was kept.
pub(crate) fn show(file: &Path, wanted: &Profile) -> Result<(), String> {
    let report = read(file)?;
    output::text(&report.table())?;
    files_and_lines(&report, wanted)
}

/// Compares two reports.
pub(crate) fn compare(before: &Path, now: &Path) -> Result<(), String> {
    let refused = |what| format!("Error: {} and {}: {what}", before.display(), now.display());
    output::text(&read(now)?.compared_to(&read(before)?).map_err(refused)?)
}

fn read(file: &Path) -> Result<Report, String> {
    Report::load(file).map_err(|error| format!("Error: {error}"))
}

/// What is wanted besides the table.
fn files_and_lines(report: &Report, wanted: &Profile) -> Result<(), String> {
    if let Some(path) = &wanted.trace {
        quasar_files::replace::replace(path, report.to_trace().as_bytes())
            .map_err(|error| format!("Error: the trace '{}' cannot be written: {error}", path.display()))?;
    }
    if wanted.lines {
        let text = |file: &str| quasar_files::read::text(Path::new(file)).map_err(|error| error.to_string());
        output::text(&format!("\n{}", report.annotated(text)))?;
        changed::files(report).iter().try_for_each(|file| output::line(&changed::message(file)))?;
    }
    if let Some(path) = &wanted.page {
        quasar_files::replace::replace(path, page::page(report).as_bytes())
            .map_err(|error| format!("Error: the page '{}' cannot be written: {error}", path.display()))?;
    }
    Ok(())
}

/// A report, and whether the program failed.
type Measured = (Report, Result<(), String>);

/// Loops are kernels here as they are in compiled programs, so the program runs behind the transforms.
fn interpreted(file: &Path, arguments: &[String], options: &Options) -> Result<Measured, String> {
    let compilation = load::compile(file, options, true)?;
    let mut observer = Kernels::of(&compilation);
    profile::start();
    let ran = run::run(&compilation, arguments, options, Some(&mut observer));
    let mut report = profile::stop().map_err(|error| format!("Error: {error}"))?;
    report.program = file.display().to_string();
    Ok((report, ran))
}

/// Where the kernels of a program begin.
fn places(compilation: &Compilation) -> HashMap<String, (String, u32)> {
    let kernels = compilation.program.iter().flat_map(|program| program.kernels.iter());
    let place = |span: quasar_core::source::Span| {
        let line = compilation.sources.line_column(span.file, span.start).0;
        (compilation.sources.file(span.file).name.clone(), line)
    };
    kernels.map(|(_, kernel)| (kernel.name.clone(), place(kernel.span))).collect()
}

/// Times the launches of the interpreter.
pub(crate) struct Kernels {
    places: HashMap<String, (String, u32)>,
    /// The launches that go on, the innermost last.
    running: Vec<(String, Vec<usize>, Instant)>,
}

impl Kernels {
    pub(crate) fn of(compilation: &Compilation) -> Kernels {
        Kernels { places: places(compilation), running: Vec::new() }
    }
}

impl Observer for Kernels {
    fn begin_launch(&mut self, kernel: &str, dims: &[usize], _block: &[usize], _serial: bool) {
        self.running.push((kernel.to_owned(), dims.to_vec(), Instant::now()));
    }

    fn end_launch(&mut self) {
        if let Some((kernel, dims, begin)) = self.running.pop() {
            let place = self.places.get(&kernel).map(|(file, line)| (&file[..], *line));
            profile::add_kernel(&kernel, place, begin, &dims);
        }
    }
}

fn native(file: &Path, arguments: &[String], options: &Options, device: &str) -> Result<Measured, String> {
    let path = report_file();
    let ran = native::run(file, arguments, options, device, Some(&path));
    let report = Report::load(&path);
    let _ = std::fs::remove_file(&path);
    match (report, ran) {
        (Ok(mut report), ran) => {
            report.program = file.display().to_string();
            Ok((report, ran))
        }
        (Err(_), Err(error)) => Err(error),
        (Err(error), Ok(())) => Err(format!("Error: the program left no report: {error}")),
    }
}

/// A file that no other process uses, in the folder that nobody else can write to.
fn report_file() -> PathBuf {
    quasar_files::trust::cache_folder().join(format!("profile-{}.json", std::process::id()))
}
