//! The sources keep the rules of the architecture: length, opening comment, and the order of modules in the compiler.

use std::fs;
use std::path::{Path, PathBuf};

const CRATES: &[&str] = &[
    ".",
    "quasar-compiled",
    "quasar-core",
    "quasar-cust",
    "quasar-devicelib",
    "quasar-emulator",
    "quasar-eval",
    "quasar-fft",
    "quasar-files",
    "quasar-lsp",
    "quasar-macros",
    "quasar-playground",
    "quasar-runtime",
    "quasar-cli",
];
const MAX_LINES: usize = 800;

/// The modules of the compiler in layers; each may import what its row names. `types` speaks of node ids and function
/// kinds, which the tree defines, so `syntax` stands below it.
const MAY_IMPORT: &[(&str, &str)] = &[
    ("ids", ""),
    ("target", ""),
    ("source", ""),
    ("writer", ""),
    ("parallel", ""),
    ("settings", ""),
    ("message", "ids source writer"),
    ("syntax", "ids source writer message"),
    ("types", "ids source writer message syntax"),
    ("logic", "ids source writer message types"),
    ("builtins", "ids source writer message types logic target"),
    ("sema", "ids source writer parallel settings message syntax types logic builtins target"),
    ("meta", "ids source writer message syntax types logic builtins target sema"),
    ("ir", "ids source writer message types logic builtins target"),
    // Above the driver: what tools ask.
    ("query", "source settings message syntax types builtins sema ir transform driver"),
    ("lower", "ids source writer settings message syntax types logic builtins target sema meta ir"),
    ("analysis", "ids source writer message types logic builtins target ir"),
    ("transform", "ids source writer parallel settings message types logic builtins target ir analysis"),
    ("pipeline", "ids source writer message types logic builtins target ir analysis transform"),
    ("backend", "ids source writer parallel message types logic builtins target ir analysis"),
    ("interp", "ids source writer message types logic builtins target ir analysis"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for name in CRATES {
        for folder in ["src", "tests", "examples", "benches"] {
            rust_files(&root().join(name).join(folder), &mut files);
        }
    }
    files.sort();
    assert!(files.len() > 20, "the sources were not found");
    files.into_iter().map(|f| (f.clone(), fs::read_to_string(f).unwrap())).collect()
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<String> = sources()
        .iter()
        .filter(|(_, text)| text.lines().count() > MAX_LINES)
        .map(|(file, text)| format!("{}: {} lines", file.display(), text.lines().count()))
        .collect();
    assert!(long.is_empty(), "split these files:\n{}", long.join("\n"));
}

#[test]
fn every_file_opens_with_its_job() {
    // Cases of compile-fail tests are read by people in the error output, recipes in the book, templates in new crates, not as sources.
    let shown = ["compile_fail", "recipes", "new"];
    let silent: Vec<String> = sources()
        .iter()
        .filter(|(file, text)| {
            !text.starts_with("//!") && !file.iter().any(|part| shown.iter().any(|shown| part == *shown))
        })
        .map(|(file, _)| file.display().to_string())
        .collect();
    assert!(silent.is_empty(), "these files need a `//!`:\n{}", silent.join("\n"));
}

/// The modules after each `crate::` in a text, also in `use crate::{a, b::c}`; comments are left out.
fn imported(text: &str) -> Vec<String> {
    let code: String =
        text.lines().filter(|l| !l.trim_start().starts_with("//")).map(|l| format!("{l}\n")).collect();
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut word = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => found.push(std::mem::take(&mut word)),
                    _ if depth == 0 => word.push(c),
                    _ => {}
                }
            }
            found.push(word);
        } else {
            found.push(rest.to_string());
        }
    }
    let head = |path: &String| {
        path.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>()
    };
    found.iter().map(head).filter(|name| !name.is_empty()).collect()
}

#[test]
fn imports_are_found_in_all_forms() {
    let text = "use crate::ir::Kernel;\nuse crate::{sema::Model, types::{A, B}};\n// crate::no\nfn f() { crate::lower::g() }";
    assert_eq!(imported(text), ["ir", "sema", "types", "lower"]);
}

#[test]
fn modules_of_the_compiler_import_only_downwards() {
    let src = root().join("quasar-core/src");
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Ok(inside) = file.strip_prefix(&src) else { continue };
        let first = inside.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_string();
        if first == "lib" || first == "driver" {
            continue;
        }
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|row| row.0 == first) else {
            wrong.push(format!("{}: the module `{first}` has no place in the order", inside.display()));
            continue;
        };
        for module in imported(&text) {
            if module != first && !allowed.split(' ').any(|a| a == module) {
                wrong.push(format!("{}: `{first}` must not import `{module}`", inside.display()));
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Integers that no schedule compares a kernel with: how deep passes look, and what keeps their own arithmetic from overflow.
const NOT_OF_TARGETS: &[&str] = &["DEPTH", "HEAVIEST", "LARGEST_RANK", "LAST_START"];

#[test]
fn numbers_of_schedules_stand_in_one_file() {
    let src = root().join("quasar-core/src");
    let mut found = Vec::new();
    for (file, text) in sources() {
        let Ok(inside) = file.strip_prefix(&src) else { continue };
        if !["backend", "transform/kernel", "transform/schedule"]
            .iter()
            .any(|folder| inside.starts_with(folder))
        {
            continue;
        }
        for line in text.lines() {
            let Some((_, declared)) = line.split_once("const ") else { continue };
            let Some((name, ty)) = declared.split_once(": ") else { continue };
            let upper = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
            let number = ["u8", "u16", "u32", "u64", "usize", "i32", "i64", "f32", "f64"]
                .iter()
                .any(|number| ty.strip_prefix(number).is_some_and(|rest| rest.starts_with(" =")));
            let printed = ty.contains("= #");
            if upper && number && !printed && !NOT_OF_TARGETS.contains(&name) {
                found.push(format!("{}: {name}", inside.display()));
            }
        }
    }
    assert!(found.is_empty(), "give these a row in `target.rs`, with the unit and the reason: {found:?}");
}

/// What the printers still decide themselves, by analyses that passes shall run before them. The list only gets shorter.
const ANALYSES_OF_PRINTERS: &[(&str, &str)] = &[
    ("clike", "access_pattern"),
    (
        "rust",
        "access_pattern barrier_intervals blocks cost device_partition idempotence innermost_invariance lanes may_fail \
         param_aliasing recursion row_footprint window",
    ),
];

/// The first module of each path behind `crate::analysis::`, also in `crate::analysis::{a, b}`.
fn analyses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, start) in text.match_indices("crate::analysis::") {
        let rest = &text[at + start.len()..];
        let group = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        for path in group.unwrap_or(rest).split(',').take(if group.is_some() { usize::MAX } else { 1 }) {
            let name = path.trim().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_');
            found.push(name.collect());
        }
    }
    found
}

#[test]
fn printers_run_no_other_analyses_than_those_listed() {
    let folder = root().join("quasar-core/src/backend");
    let mut found: Vec<(String, String)> = Vec::new();
    for (file, text) in sources() {
        let Ok(inside) = file.strip_prefix(&folder) else { continue };
        assert!(!text.contains("crate::transform"), "{}: printers print what passes made", inside.display());
        let printer = inside.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_string();
        found.extend(analyses(&text).into_iter().map(|name| (printer.clone(), name)));
    }
    found.sort();
    found.dedup();
    let listed: Vec<(String, String)> = ANALYSES_OF_PRINTERS
        .iter()
        .flat_map(|(printer, names)| names.split(' ').map(|name| (printer.to_string(), name.to_string())))
        .collect();
    let more: Vec<_> = found.iter().filter(|one| !listed.contains(one)).collect();
    assert!(more.is_empty(), "make these passes that run before the printers: {more:?}");
    let fewer: Vec<_> = listed.iter().filter(|one| !found.contains(one)).collect();
    assert!(fewer.is_empty(), "take these out of the list: {fewer:?}");
}

/// Names that modules had before they got the field's words, and the word to use.
const OLD_NAMES: &[(&str, &str)] = &[
    ("ahead", "prefetch"),
    ("alike", "uniformity"),
    ("band", "disjoint_rows"),
    ("block_results", "block_reduction"),
    ("branches", "if_conversion"),
    ("catalogue", "attribute_schema"),
    ("copy_back", "copy_in_out"),
    ("extremes", "sliding_extrema"),
    ("faults", "may_fail"),
    ("few", "small_vec"),
    ("flat", "elementwise_kernel"),
    ("fold", "constant_folding"),
    ("granted", "loop_versioning"),
    ("hardware", "driver_device"),
    ("hiding", "shadowing"),
    ("hull", "symbolic_range"),
    ("implied", "call_site_specialization"),
    ("knowledge", "flow_facts"),
    ("linear", "matmul"),
    ("long_loop", "split_reduction_candidate"),
    ("mailbox", "result_buffer"),
    ("mistake", "diagnostic"),
    ("overlap", "param_aliasing"),
    ("pending", "deferred_errors"),
    ("phases", "barrier_intervals"),
    ("plans", "plan_cache"),
    ("quick", "fast_path"),
    ("reach", "access_pattern"),
    ("repeat", "idempotence"),
    ("residence", "residency"),
    ("row", "innermost_invariance"),
    ("same_arguments", "merge_aliased_args"),
    ("soon", "prefetch"),
    ("specialise", "specialize"),
    ("spoken", "symbolic"),
    ("steady", "loop_invariance"),
    ("strip", "register_tiling"),
    ("surfaces", "texture_writes"),
    ("tally", "histogram"),
    ("taps", "stencil"),
    ("team", "split_reduction"),
    ("together", "collectives, row_sharing"),
    ("transfers", "infer_transfers"),
    ("unset", "definite_assignment"),
    ("unused_outputs", "dead_outputs"),
    ("vendor", "accel_libraries"),
    ("wish", "affinity"),
];

#[test]
fn old_names_of_modules_do_not_come_back() {
    let mut found = Vec::new();
    for name in CRATES {
        let src = root().join(name).join("src");
        let mut files = Vec::new();
        rust_files(&src, &mut files);
        for file in files {
            let inside = file.strip_prefix(&src).unwrap_or(&file);
            for part in inside.iter().map(|part| part.to_string_lossy().trim_end_matches(".rs").to_string()) {
                if let Some((old, new)) = OLD_NAMES.iter().find(|(old, _)| *old == part) {
                    found.push(format!("{}: say {new} for {old}", inside.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// How many places in the printers for devices find a kernel malformed that no pass refused. The number only gets smaller.
const MALFORMED: usize = 61;

#[test]
fn printers_for_devices_refuse_nothing() {
    let folder = root().join("quasar-core/src/backend");
    let (mut refused, mut malformed) = (Vec::new(), 0);
    for (file, text) in sources().iter().filter(|(file, _)| file.starts_with(&folder)) {
        if text.contains("refuse(") || text.contains("Refusal") {
            refused.push(file.display().to_string());
        }
        malformed += text.matches("malformed(").count();
    }
    assert!(refused.is_empty(), "refuse kernels in `transform/schedule/legality`: {refused:?}");
    assert!(malformed <= MALFORMED, "{malformed} places, which a pass should know");
}
