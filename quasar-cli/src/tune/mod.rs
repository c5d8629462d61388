//! `quasar tune`: measures a program with other values of its tuning parameters, and keeps the best beside it.

mod compare;
mod measure;
mod search;
mod table;
pub(crate) mod tuned;

use crate::arguments::{Options, Tuner};
use crate::{native, output};
use measure::{Limits, Subject, Times};
use quasar_core::query::tuning::values::{self, Best, Tuned};
use quasar_core::query::tuning::{Tuning, TuningParam};
use search::Combination;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The sizes of blocks that are tried.
const BLOCKS: [u32; 5] = [64, 128, 256, 512, 1024];
/// What is not faster by this factor is no better: times of one program differ by as much.
const WORTH: f64 = 0.97;
/// Candidates whose first run takes so many times the first one of the program's own values are given up.
const SLOW: f64 = 3.0;

/// How many combinations are measured again at the end, beside the program's own values, and how often.
const CONTENDERS: usize = 3;
const ROUNDS: usize = 2;

/// What was measured of a combination.
struct Candidate {
    values: Combination,
    result: Result<Times, String>,
    /// How its output differs from that of the program's own values.
    difference: Option<String>,
}

impl Candidate {
    /// Milliseconds, for combinations that may be chosen.
    fn time(&self) -> f64 {
        match (&self.result, &self.difference) {
            (Ok(times), None) => times.typical(),
            _ => f64::INFINITY,
        }
    }
}

/// `quasar tune`
pub(crate) fn tune(
    file: &Path,
    wanted: &Tuner,
    arguments: &[String],
    options: &Options,
) -> Result<(), String> {
    let begin = Instant::now();
    if crate::fmt::is_stream(file) {
        return Err("Error: `quasar tune` compiles files: write the program into one".to_owned());
    }
    native::device_exists(&wanted.engine)?;
    let tuning = tuned::of(file)?;
    let params = params(file, &tuning, wanted, options)?;
    let called = wanted.function.as_deref().map(|call| caller(file, call)).transpose()?;
    let subject = Subject {
        file: called.as_deref().unwrap_or(file),
        arguments,
        options,
        engine: &wanted.engine,
        runs: wanted.runs,
    };
    let (kind, device) = tuned::device(&wanted.engine);
    let mut kept = kept(file, &tuning);
    let known = kept.best.iter().find(|best| (&best.engine, &best.device) == (&kind, &device));
    let earlier = known.and_then(|best| combination(&params, &best.values));
    let measured = measured(&subject, &params, earlier, wanted, begin);
    if let Some(called) = &called {
        let _ = std::fs::remove_file(called);
    }
    let measured = measured?;
    output::text(&table::shown(&params, &measured, &format!("{kind}, {device}")))?;
    keep(file, &mut kept, &params, &measured, (kind, device))?;
    match measured.get(best_of(&measured)) {
        Some(best) if wanted.write && best.values != own_values(&params) => {
            write_back(&tuning, &definitions(&params, &best.values))
        }
        _ => Ok(()),
    }
}

/// What earlier runs kept beside the program, if its parameters are the same.
fn kept(file: &Path, tuning: &Tuning) -> Tuned {
    let known =
        quasar_files::read::text(&values::file_of(file)).ok().and_then(|text| Tuned::read(&text).ok());
    let parameters = values::digest(&tuning.params);
    let known = known.filter(|known| known.parameters == parameters);
    known.unwrap_or_else(|| Tuned { parameters, best: Vec::new() })
}

/// The combination of values that were kept, if they are in the ranges.
fn combination(params: &[TuningParam], values: &[(String, String)]) -> Option<Combination> {
    let index = |param: &TuningParam| match values.iter().find(|(name, _)| *name == param.name) {
        Some((_, value)) => param.range.iter().position(|known| known == value),
        None => Some(own(param)),
    };
    params.iter().map(index).collect()
}

fn own_values(params: &[TuningParam]) -> Combination {
    params.iter().map(own).collect()
}

/// The parameters whose values are searched: those with several values, which the command line does not fix.
fn params(
    file: &Path,
    tuning: &Tuning,
    wanted: &Tuner,
    options: &Options,
) -> Result<Vec<TuningParam>, String> {
    let mut all = tuning.params.clone();
    if wanted.blocks {
        all.extend(tuning.blocks(&BLOCKS));
    }
    let given = |name: &str| {
        options.definitions.iter().any(|text| text.split('=').next().is_some_and(|n| n.trim() == name))
    };
    for param in &mut all {
        // The program's own value is measured in any case.
        if !param.range.contains(&param.default) {
            param.range.insert(0, param.default.clone());
        }
    }
    all.retain(|param| param.range.len() > 1);
    let (fixed, free): (Vec<_>, Vec<_>) = all.into_iter().partition(|param| given(&param.name));
    if !free.is_empty() {
        return Ok(free);
    }
    if !fixed.is_empty() {
        return Err(format!(
            "Error: {}: the command line gives all tuning parameters a value",
            file.display()
        ));
    }
    let help = match (wanted.blocks, tuning.kernels.is_empty()) {
        (true, _) => "no kernel is written as such without bounds of its blocks either",
        (false, true) => {
            "write `{!tuning_param name=\"$p\"; range=[8,16]; default=8}` in a function, and `$p` in its other attributes"
        }
        (false, false) => "`--blocks` tries sizes of blocks for its kernels",
    };
    Err(format!(
        "Error: {}: there is no tuning parameter with several values\n  = help: {help}",
        file.display()
    ))
}

/// A program that calls a function of another one, instead of its `main`.
fn caller(file: &Path, call: &str) -> Result<PathBuf, String> {
    let name = call.trim();
    let text = crate::fmt::read(file)?;
    let functions = functions_of(&text);
    // Mistakes in more than a name are the compiler's to find.
    if !name.contains('(') && !functions.iter().any(|known| known == name) {
        let help = match functions.as_slice() {
            [] => String::new(),
            names => format!("\n  = help: it has {}", names.join(", ")),
        };
        return Err(format!("Error: {}: there is no function '{name}'{help}", file.display()));
    }
    let call = if name.contains('(') { name.to_owned() } else { format!("{name}()") };
    let path = std::fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let (folder, own) = (measure::scratch(), format!("tuned_call_{}.q", std::process::id()));
    quasar_files::trust::make_private(&folder).map_err(|error| format!("Error: {error}"))?;
    let text =
        format!("import {:?}\nfunction [] = main()\n    print {call}\nendfunction\n", path.to_string_lossy());
    let caller = folder.join(own);
    std::fs::write(&caller, text).map_err(|error| format!("{}: {error}", caller.display()))?;
    Ok(caller)
}

/// The functions that stand at the top of a program.
fn functions_of(text: &str) -> Vec<String> {
    use quasar_core::syntax::ast::{NodeIds, StmtKind};
    let mut sink = quasar_core::message::Sink::default();
    let file = quasar_core::source::FileId(0);
    let module = quasar_core::syntax::parse(file, text, &mut NodeIds::default(), &mut sink);
    let function = |item: &quasar_core::syntax::ast::Stmt| match &item.kind {
        StmtKind::Function(function) => Some(function.name.text.clone()),
        _ => None,
    };
    module.items.iter().filter_map(function).collect()
}

/// The definitions of a combination.
fn definitions(params: &[TuningParam], values: &Combination) -> Vec<(String, String)> {
    let chosen =
        params.iter().zip(values).map(|(param, value)| (param.name.clone(), param.range[*value].clone()));
    chosen.filter(|(_, value)| !value.is_empty()).collect()
}

/// Measures the program with its own values, then searches. The first result is that of the own values.
fn measured(
    subject: &Subject<'_>,
    params: &[TuningParam],
    earlier: Option<Combination>,
    wanted: &Tuner,
    begin: Instant,
) -> Result<Vec<Candidate>, String> {
    let budget = Duration::from_secs_f64(wanted.budget);
    let start = own_values(params);
    let sizes: Vec<usize> = params.iter().map(|param| param.range.len()).collect();
    let count = search::count(&sizes);
    let mut progress = table::Progress::new(count, budget);
    let mut tried: Vec<Candidate> = Vec::new();
    let built = subject.built(&texts(params, &start))?;
    let far = Duration::from_secs_f64(wanted.budget.max(60.0));
    let own_times = subject.timed(&built, Limits { slow: far, end: far })?;
    let expected = own_times.printed.clone();
    let whole = own_times.runs.iter().copied().fold(0.0, f64::max);
    // First runs are slower than later ones, so they are compared with each other.
    let first = own_times.runs.first().copied().unwrap_or(0.0);
    let mut best = own_times.typical();
    tried.push(Candidate { values: start.clone(), result: Ok(own_times), difference: None });
    search::search(&sizes, &start, earlier.as_ref(), |values| {
        if *values == start {
            return Some(best);
        }
        if begin.elapsed() > budget {
            return None;
        }
        progress.show(tried.len(), begin.elapsed(), best);
        let limits = Limits {
            slow: Duration::from_secs_f64(first * SLOW / 1e3 + 0.005),
            // Compilers of devices, and whatever a first run makes ready, may take their time.
            end: Duration::from_secs_f64(whole * 10.0 / 1e3 + 20.0),
        };
        let result = subject.built(&texts(params, values)).and_then(|built| subject.timed(&built, limits));
        let printed = result.as_ref().ok().map(|times| times.printed.as_str());
        let difference =
            printed.and_then(|printed| compare::difference(&expected, printed, wanted.tolerance));
        let candidate = Candidate { values: values.clone(), result, difference };
        let time = candidate.time();
        best = best.min(time);
        tried.push(candidate);
        Some(time)
    });
    progress.end();
    confirm(subject, params, &mut tried);
    Ok(tried)
}

fn texts(params: &[TuningParam], values: &Combination) -> Vec<String> {
    definitions(params, values).into_iter().map(|(name, value)| format!("{name} = {value}")).collect()
}

/// The index of a parameter's own value.
fn own(param: &TuningParam) -> usize {
    param.range.iter().position(|value| *value == param.default).unwrap_or(0)
}

/// The least of many times is a lucky one, and other work on the machine may have disturbed any of them: the own values and the best
/// others are measured again, in turn.
fn confirm(subject: &Subject<'_>, params: &[TuningParam], tried: &mut [Candidate]) {
    let mut order: Vec<usize> = (1..tried.len()).filter(|k| tried[*k].time().is_finite()).collect();
    order.sort_by(|a, b| tried[*a].time().total_cmp(&tried[*b].time()));
    order.truncate(CONTENDERS);
    if order.is_empty() {
        return;
    }
    order.insert(0, 0);
    let far = Limits { slow: Duration::from_secs(600), end: Duration::from_secs(600) };
    for _ in 0..ROUNDS {
        for k in &order {
            let Some(candidate) = tried.get_mut(*k) else { continue };
            let built = subject.built(&texts(params, &candidate.values));
            let again = built.and_then(|built| subject.timed(&built, far));
            if let (Ok(times), Ok(more)) = (&mut candidate.result, again) {
                times.add(more);
            }
        }
    }
}

/// The index of the best combination; the own values where nothing is worth a change.
fn best_of(tried: &[Candidate]) -> usize {
    let fastest = tried.iter().enumerate().min_by(|(_, a), (_, b)| a.time().total_cmp(&b.time()));
    match (fastest, tried.first()) {
        (Some((k, best)), Some(own)) if best.time() < own.time() * WORTH => k,
        _ => 0,
    }
}

/// Keeps the best values beside the program.
fn keep(
    file: &Path,
    kept: &mut Tuned,
    params: &[TuningParam],
    tried: &[Candidate],
    (engine, device): (String, String),
) -> Result<(), String> {
    let path = values::file_of(file);
    let best = best_of(tried);
    let (Some(own), Some(chosen)) = (tried.first(), tried.get(best)) else { return Ok(()) };
    if best == 0 {
        if kept.remove(&engine, &device) {
            write(&path, &kept.written())?;
            output::line(&format!("{}: the values for this device were taken away", path.display()))?;
        }
        return Ok(());
    }
    let values = definitions(params, &chosen.values);
    kept.put(Best { engine, device, values, times: [own.time(), chosen.time()] });
    write(&path, &kept.written())?;
    output::line(&format!("{}: kept for `quasar run`, `profile`, `build` and `quasar_file!`", path.display()))
}

/// Writes values into the attributes of the program and of what it imports.
fn write_back(tuning: &Tuning, values: &[(String, String)]) -> Result<(), String> {
    for (id, source) in tuning.sources.files() {
        let text = tuning.with_defaults(id, values);
        let path = Path::new(&source.name);
        // Modules of the library are no files.
        if text != source.text && path.is_file() {
            write(path, &text)?;
            output::line(&format!("{}: the default values are the best ones now", path.display()))?;
        }
    }
    for (name, value) in values {
        if let Some(kernel) = name.strip_prefix(quasar_core::query::tuning::BLOCKS)
            && !tuning.params.iter().any(|param| param.name == *name)
        {
            output::line(&format!(
                "write `{{!cuda_launch_bounds max_threads_per_block={value}}}` into '{kernel}' to have it without the file"
            ))?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    quasar_files::replace::replace(path, text.as_bytes())
        .map_err(|error| format!("Error: '{}' cannot be written: {error}", path.display()))
}
