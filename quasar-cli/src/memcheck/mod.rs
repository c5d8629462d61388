//! `quasar memcheck`: runs a program where each access of its kernels is looked at. With an NVIDIA GPU and compute-sanitizer that is
//! the compiled program on the GPU; otherwise the emulator, which needs neither.

mod places;
mod report;
mod sanitizer;

use crate::arguments::{MemoryCheck, Options};
use crate::{load, native, output};
use places::{Places, Shown};
use quasar_core::message::render::{self, Style};
use quasar_emulator::{Emulator, Program};
use quasar_runtime::device::select;
use quasar_runtime::settings::GPU_MEMORY_MODEL;
use report::{Finding, Report};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};

/// How a check ended: whether something was found, or why it could not be done.
type Checked = Result<bool, String>;

/// Exit status 0: nothing was found; 1: something was; 2: the program could not be checked.
pub(crate) fn memcheck(
    file: &Path,
    wanted: &MemoryCheck,
    arguments: &[String],
    options: &Options,
) -> ExitCode {
    let checked = match chosen(wanted) {
        Ok(path) => sanitized(file, &path, wanted, arguments, options),
        Err(why) => {
            output::complain(&format!("Note: the emulator looks at the kernels, with all its checks: {why}"));
            emulated(file, arguments, options)
        }
    };
    match checked {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::from(1),
        Err(why) => {
            if !why.is_empty() {
                output::complain(&why);
            }
            ExitCode::from(2)
        }
    }
}

/// The sanitizer that is used, or why the emulator is.
fn chosen(wanted: &MemoryCheck) -> Result<PathBuf, String> {
    if wanted.emulate {
        return Err("`--emulate` asks for it".to_owned());
    }
    if let Some(path) = &wanted.sanitizer {
        return Ok(path.clone());
    }
    match select::cuda() {
        Ok(devices) if !devices.is_empty() => {}
        Ok(_) => return Err("there is no NVIDIA GPU".to_owned()),
        Err(reason) => return Err(format!("there is no NVIDIA GPU that can be used ({reason})")),
    }
    sanitizer::find().ok_or_else(|| {
        "compute-sanitizer is neither in PATH nor below CUDA_HOME or /usr/local/cuda*; it comes with the CUDA toolkit".to_owned()
    })
}

/// Builds the program with the lines of its kernels, and runs it below compute-sanitizer.
fn sanitized(
    file: &Path,
    sanitizer: &Path,
    wanted: &MemoryCheck,
    arguments: &[String],
    options: &Options,
) -> Checked {
    let mut options = options.clone();
    options.settings.push((quasar_core::settings::DEVICE_LINES.to_owned(), "True".to_owned()));
    // Freed memory that is kept, and sizes that are rounded up, would hide accesses behind arrays.
    if !options.settings.iter().any(|(name, _)| name.eq_ignore_ascii_case(GPU_MEMORY_MODEL)) {
        options.settings.push((GPU_MEMORY_MODEL.to_owned(), "SmallFootprint".to_owned()));
    }
    let built = native::built(file, &options, "cuda")?;
    let log = quasar_files::trust::cache_folder().join(format!("memcheck-{}.log", std::process::id()));
    let program = built.process(arguments, &options, "cuda");
    let (report, status) =
        sanitizer::run(sanitizer, &wanted.tool, &program, &log).map_err(|error| format!("Error: {error}"))?;
    let places = Places::of(&built.compilation);
    let style = if std::io::stdout().is_terminal() { Style::Coloured } else { Style::Plain };
    for (finding, others) in merged(&report.findings, &places) {
        let text = match places.shown(finding, others) {
            Shown::At(message) => render::snippet(&message, &built.compilation.sources, style),
            Shown::Nowhere(text) => format!("{text}\n"),
        };
        output::line(&text)?;
    }
    outcome(&report, status, &wanted.tool)
}

/// Findings with how often they repeat: the same at the same place, in other threads.
fn merged<'f>(findings: &'f [Finding], places: &Places<'_>) -> Vec<(&'f Finding, usize)> {
    let mut kept: Vec<(&Finding, usize)> = Vec::new();
    for finding in findings {
        let same = |(known, _): &&mut (&Finding, usize)| {
            (known.class, &known.text) == (finding.class, &finding.text)
                && places.first(known) == places.first(finding)
                && known.frames.len() == finding.frames.len()
        };
        match kept.iter_mut().find(same) {
            Some((_, others)) => *others += 1,
            None => kept.push((finding, 0)),
        }
    }
    kept
}

/// The last line, and the result.
fn outcome(report: &Report, status: ExitStatus, tool: &str) -> Checked {
    let count = report.findings.len() as u64 + report.not_printed;
    if count > 0 {
        let more = match report.not_printed {
            0 => String::new(),
            more => format!(", {more} of them not shown"),
        };
        let cut = if report.complete { "" } else { "; the report is cut off, there may be more" };
        let noun = if count == 1 { "finding" } else { "findings" };
        output::line(&format!("{count} {noun} of compute-sanitizer ({tool}){more}{cut}"))?;
        return Ok(true);
    }
    if let Some(why) = report.failures.first() {
        let help = if why.contains("before first instrumented") {
            "\n  = help: the program ended before it used the GPU"
        } else {
            ""
        };
        return Err(format!("Error: compute-sanitizer could not look at the program: {why}{help}"));
    }
    if !report.began {
        return Err(format!("Error: compute-sanitizer did not start ({status}): there is no report"));
    }
    if !status.success() || report.program_failed {
        return Err(format!("Error: the program failed ({status}); until then, nothing was found"));
    }
    if !report.complete {
        return Err("Error: the report of compute-sanitizer is cut off: it has no summary".to_owned());
    }
    output::line(&format!("nothing found by compute-sanitizer ({tool})"))?;
    Ok(false)
}

/// The same without a GPU.
fn emulated(file: &Path, arguments: &[String], options: &Options) -> Checked {
    let settings = load::settings(options)?;
    let program = Program::for_command_line(file, settings, load::folders(), &options.definitions)
        .map_err(|error| error.to_string())?;
    let coloured = std::io::stdout().is_terminal();
    let report = Emulator::new(&program).coloured(coloured).main(arguments);
    output::text(report.output())?;
    output::line(&report.to_string())?;
    match report.result() {
        _ if !report.is_clean() => Ok(true),
        Ok(_) => Ok(false),
        Err(_) => Err("Error: the program failed; until then, nothing was found".to_owned()),
    }
}
