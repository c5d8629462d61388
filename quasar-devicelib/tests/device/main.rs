//! The library of functions for devices (`device/*.h`) does what the Rust functions do: every function is run on an
//! OpenCL device and on a CUDA device, and compiled by NVRTC for several chips.
//!
//! What this machine lacks is shown as ignored; `--include-ignored` makes it an error. OpenCL needs a driver such as
//! PoCL, NVRTC the Python package `nvidia-cuda-nvrtc` or the CUDA toolkit, the CUDA tests a GPU as well.

mod accuracy;
mod atomics;
mod conversions;
mod cuda;
mod groups;
mod heap;
mod job;
mod maps;
mod opencl;
mod random;
mod rows;
mod small;
mod walk;

use job::{Case, Executor};
use libtest_mimic::{Arguments, Failed, Trial};
use quasar_devicelib::device_text::{Dialect, compose, names};
use std::collections::BTreeSet;

fn cases() -> Vec<Case> {
    let mut cases = rows::cases();
    cases.extend(conversions::cases());
    cases.extend(maps::cases());
    cases.extend(small::cases());
    cases.extend(atomics::cases());
    cases.extend(walk::cases());
    cases.extend(groups::cases());
    cases.extend(random::cases());
    cases.extend(heap::cases());
    cases
}

/// The tests of a device; ignored when it is missing.
fn trials<E: Executor>() -> Vec<Trial> {
    let missing = E::missing();
    if let Some(reason) = &missing {
        eprintln!("tests of {} are ignored: {reason}", E::NAME);
    }
    let trial = |case: Case| {
        let name = format!("{}::{}", E::NAME, case.name);
        let test = move || -> Result<(), Failed> {
            let text = compose(E::DIALECT, &case.job.text);
            let buffers = E::open()?.run(&text, &case.job)?;
            (case.check)(&buffers, E::DIALECT).map_err(Failed::from)
        };
        Trial::test(name, test).with_ignored_flag(missing.is_some())
    };
    cases().into_iter().map(trial).collect()
}

/// Every case compiled for several chips.
fn nvrtc_trials() -> Vec<Trial> {
    let present = cuda::has_nvrtc();
    if !present {
        eprintln!("tests of nvrtc are ignored: no NVRTC");
    }
    let mut trials = Vec::new();
    for arch in ["sm_75", "sm_80", "sm_90"] {
        let test = move || -> Result<(), Failed> {
            if !cuda::has_nvrtc() {
                return Err("no NVRTC".into());
            }
            for case in cases() {
                let text = compose(Dialect::Cuda, &case.job.text);
                cuda::compile(&text, arch).map_err(|log| format!("{}: {log}", case.name))?;
            }
            Ok(())
        };
        trials.push(Trial::test(format!("nvrtc::{arch}"), test).with_ignored_flag(!present));
    }
    trials
}

/// No function of the library is left out by the cases.
fn all_functions_are_run() -> Result<(), Failed> {
    for dialect in [Dialect::Cuda, Dialect::OpenCl] {
        let texts: Vec<String> = cases().iter().map(|case| compose(dialect, &case.job.text)).collect();
        let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let used: BTreeSet<&str> = texts.iter().flat_map(|text| text.split(move |c| !is_part(c))).collect();
        let left: Vec<_> = names(dialect).into_iter().filter(|name| !used.contains(name)).collect();
        if !left.is_empty() {
            return Err(format!("{dialect:?}: {left:?}").into());
        }
    }
    Ok(())
}

fn main() {
    let mut trials = trials::<opencl::OpenCl>();
    trials.extend(self::trials::<cuda::Cuda>());
    trials.extend(nvrtc_trials());
    trials.push(Trial::test("all_functions_are_run", all_functions_are_run));
    let documentation = || accuracy::check_documentation().map_err(Failed::from);
    trials.push(Trial::test("accuracy_is_documented", documentation));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
