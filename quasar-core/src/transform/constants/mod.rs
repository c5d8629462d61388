//! Constant propagation of arrays: arrays of numbers known at compile time, such as filter masks, become part of the
//! code of the kernels that receive them. Loops over them are unrolled, so that each element is a literal.
//!
//! ```text
//! mask = [1, 2, 1] / 4                           parallel_do(n, x, y, k)
//! parallel_do(n, x, mask, y, k)
//!
//! for i = 0..2                                   s = s + 0.25 * x[pos - 1]
//!     s = s + mask[i] * x[pos + i - 1]           s = s + 0.5 * x[pos]
//! endfor                                         s = s + 0.25 * x[pos + 1]
//! ```
//!
//! An array that is still read at run time after this stays a parameter, for example with data-dependent indices:
//! registers cannot be indexed.

mod folding;
mod known;
mod modules;
mod reading;
mod variables;

pub(super) use modules::run as of_modules;

use super::{PassContext, messages};
use crate::ir::rewrite::{read_in, transform_stmts, variables};
use crate::ir::{Block, Expr, FunctionId, Kernel, KernelId, Program, Stmt, StmtKind, Storage, VarId, VarSet};
use crate::message::Sink;
use crate::source::Span;
use crate::transform::kernel::drop_definitions;
use folding::{Arrays, fold, own_arrays, reads_literals};
use known::{Known, is_small, known};
pub(super) use reading::LOOK;
use std::collections::{BTreeMap, BTreeSet};
use variables::Variables;

/// Whether statements only read the elements of the arrays that `is` recognises, and make no alias of them.
pub(super) fn only_read(program: &Program, block: &Block, is: &dyn Fn(&Expr) -> bool) -> bool {
    reading::only_read(program, block, is, reading::DEPTH)
}

/// The most specialised versions of a kernel, one per combination of known arguments.
const VERSIONS: usize = 8;

/// The known array arguments of a launch, by parameter index.
type Given = Vec<(usize, Known)>;

/// A launch that passes known arrays.
struct Site {
    function: FunctionId,
    kernel: KernelId,
    given: Given,
    span: Span,
}

/// A kernel specialised for known arguments.
struct Version {
    /// Its id, once it is part of the program.
    id: KernelId,
    kernel: Option<Kernel>,
    /// Indices of the parameters that it drops.
    without: Vec<usize>,
    names: Vec<String>,
}

/// Runs the pass on all kernels and launches.
pub(super) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    inside(program);
    let globals = modules::known_globals(program);
    let params: BTreeMap<KernelId, Vec<usize>> = program
        .kernels
        .iter()
        .map(|(id, kernel)| (id, takers(kernel)))
        .filter(|(_, p)| !p.is_empty())
        .collect();
    if params.is_empty() {
        return;
    }
    let sites = sites(program, &params, &globals);
    let mut versions = versions(program, &sites);
    if versions.is_empty() {
        return;
    }
    add(program, &sites, &mut versions);
    for site in &sites {
        if let Some(version) =
            versions.iter().find(|(id, given, _)| *id == site.kernel && *given == site.given)
        {
            let names: Vec<&str> = version.2.names.iter().map(String::as_str).collect();
            sink.push(messages::known_elements(site.span, &program.kernels[version.2.id].name, &names));
        }
    }
    launch(program, sites, &versions);
}

/// Propagates constant arrays that kernels create themselves.
fn inside(program: &mut Program) {
    for id in program.kernels.ids().collect::<Vec<_>>() {
        let kernel = &program.kernels[id];
        if kernel.attributes.constants_stay {
            continue;
        }
        let mut arrays = own_arrays(program, &kernel.body);
        if arrays.is_empty() && !reads_literals(&kernel.body) {
            continue;
        }
        let mut body = kernel.body.clone();
        let kept = fold(&mut body, &arrays);
        if !kept.is_empty() {
            arrays.retain(|v, _| !kept.contains(v));
            body = program.kernels[id].body.clone();
            fold(&mut body, &arrays);
        }
        program.kernels[id].body = body;
    }
}

/// The parameters of a kernel that may be specialised.
fn takers(kernel: &Kernel) -> Vec<usize> {
    let asked = |name: &str| kernel.attributes.enabled.iter().any(|(known, _)| known == name);
    // The program requested shared memory for them.
    if kernel.attributes.constants_stay || asked("sharedmempromotion") {
        return Vec::new();
    }
    let may = |v: &VarId| {
        let variable = &kernel.body.variables[*v];
        is_small(&variable.ty)
            && variable.storage == Storage::Local
            && !kernel.attributes.args.iter().any(|arg| arg.name == variable.name)
    };
    let params = kernel.body.params.iter().enumerate();
    params.filter(|(_, v)| may(v)).map(|(k, _)| k).collect()
}

/// All launches of kernels that may be specialised.
fn sites(
    program: &Program,
    params: &BTreeMap<KernelId, Vec<usize>>,
    globals: &modules::Globals,
) -> Vec<Site> {
    let kernels: BTreeSet<KernelId> = params.keys().copied().collect();
    let mut found = Vec::new();
    for (function, host) in program.functions.iter().filter(|(_, function)| !function.device) {
        Variables::of(program, &host.body, globals).launches(&kernels, &mut |stmt, known| {
            let StmtKind::Launch { kernel, args, .. } = &stmt.kind else { return };
            let known = |k: &usize| Some((*k, known(args.get(*k)?)?));
            let given = params[kernel].iter().filter_map(known).collect();
            found.push(Site { function, kernel: *kernel, given, span: stmt.span });
        });
    }
    found
}

/// The specialised versions for all launches.
fn versions(program: &Program, sites: &[Site]) -> Vec<(KernelId, Given, Version)> {
    let mut tried: Vec<(KernelId, &Given)> = Vec::new();
    let mut found = Vec::new();
    for site in sites.iter().filter(|site| !site.given.is_empty()) {
        let same = tried.iter().filter(|(id, _)| *id == site.kernel);
        if same.clone().count() == VERSIONS || same.clone().any(|(_, given)| **given == site.given) {
            continue;
        }
        tried.push((site.kernel, &site.given));
        if let Some(version) = version(program, site.kernel, &site.given) {
            found.push((site.kernel, site.given.clone(), version));
        }
    }
    found
}

fn version(program: &Program, id: KernelId, given: &Given) -> Option<Version> {
    let original = &program.kernels[id];
    let mut arrays: Arrays =
        given.iter().map(|(k, known)| (original.body.params[*k], known.clone())).collect();
    // Arrays that the kernel writes or aliases are still mentioned after folding, and so are kept.
    let mut kernel = loop {
        let mut kernel = original.clone();
        let kept = fold(&mut kernel.body, &arrays);
        if kept.is_empty() {
            break kernel;
        }
        arrays.retain(|v, _| !kept.contains(v));
        if arrays.is_empty() {
            return None;
        }
    };
    let position = |v: &VarId| original.body.params.iter().position(|param| param == v);
    let without: Vec<usize> = arrays.keys().filter_map(position).collect();
    let names =
        without.iter().map(|k| original.body.variables[original.body.params[*k]].name.clone()).collect();
    kernel.body.params.retain(|v| !arrays.contains_key(v));
    Some(Version { id, kernel: Some(kernel), without, names })
}

/// Adds the versions to the program; one replaces the original kernel if no launch needs that any more.
fn add(program: &mut Program, sites: &[Site], versions: &mut [(KernelId, Given, Version)]) {
    let made: Vec<(KernelId, Given)> = versions.iter().map(|(id, given, _)| (*id, given.clone())).collect();
    let left = |site: &&Site| !made.iter().any(|(id, given)| *id == site.kernel && *given == site.given);
    let mut taken: BTreeSet<KernelId> = sites.iter().filter(left).map(|site| site.kernel).collect();
    for (id, _, version) in versions {
        let Some(mut kernel) = version.kernel.take() else { continue };
        if taken.insert(*id) {
            program.kernels[*id] = kernel;
            continue;
        }
        let is_free = |name: &String| program.kernels.iter().all(|(_, kernel)| kernel.name != *name);
        let mut numbered = (2..).map(|k| format!("{}_{k}", kernel.name));
        if let Some(name) = numbered.find(is_free) {
            kernel.name = name;
        }
        version.id = program.kernels.push(kernel);
    }
}

/// Redirects launches to the versions, and drops the specialised arguments.
fn launch(program: &mut Program, sites: Vec<Site>, versions: &[(KernelId, Given, Version)]) {
    let changed: BTreeSet<FunctionId> = sites.iter().map(|site| site.function).collect();
    let kernels: BTreeSet<KernelId> = sites.iter().map(|site| site.kernel).collect();
    // In the order in which they were found.
    let mut sites = sites.into_iter();
    for id in changed {
        let body = &mut program.functions[id].body;
        let mut left_out = VarSet::new();
        let mut change = |stmt: &mut Stmt| {
            let StmtKind::Launch { kernel, args, .. } = &mut stmt.kind else { return };
            if !kernels.contains(kernel) {
                return;
            }
            let Some(site) = sites.next() else { return };
            let version = versions.iter().find(|(id, given, _)| *id == site.kernel && *given == site.given);
            let Some((_, _, version)) = version else { return };
            *kernel = version.id;
            let mut k = 0;
            args.retain(|arg| {
                let kept = !version.without.contains(&k);
                k += 1;
                if !kept {
                    left_out.add(&variables(arg));
                }
                kept
            });
        };
        transform_stmts(&mut body.block, &mut change);
        let read = read_in(&body.block);
        let results = &body.results;
        drop_definitions(&mut body.block, &|v, value| {
            let needless = left_out.contains(&v) && !read.contains(&v) && !results.contains(&v);
            needless && known(value, &|_| None).is_some()
        });
    }
}
