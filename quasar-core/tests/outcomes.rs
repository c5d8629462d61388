//! What became of the code of programs: every loop and every array expression of all test programs has a reason, and small programs
//! have the right ones.

use quasar_core::driver::{self, Options};
use quasar_core::ir::print;
use quasar_core::query::outcome::{Report, Topic};
use quasar_core::source::{NoImports, SearchPath};
use quasar_core::syntax::ast::StmtKind;
use quasar_core::transform::kernel::shaped_for_devices;
use std::fs;
use std::path::{Path, PathBuf};

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder of programs").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "q") {
            found.push(path);
        }
    }
}

fn report(path: &str, text: &str) -> Option<Report> {
    let read = |path: &Path| match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    };
    let provider = SearchPath { folders: Vec::new(), read };
    let options = Options { verify: false, ..Options::default() };
    Report::of(path, text, &provider, &options).ok()
}

fn is_loop(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. })
}

#[test]
fn every_loop_and_every_array_expression_of_the_test_programs_has_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs");
    let mut paths = Vec::new();
    programs(&root, &mut paths);
    let (mut compiled, mut loops, mut arrays) = (0, 0, 0);
    let (mut without, mut absent) = (Vec::new(), Vec::new());
    for path in &paths {
        let text = fs::read_to_string(path).expect("a program");
        let Some(report) = report(&path.to_string_lossy(), &text) else { continue };
        compiled += 1;
        for placed in report.statements() {
            let reasons = if is_loop(&placed.stmt.kind) {
                loops += 1;
                report.of_loop(&placed)
            } else if report.has_arrays(placed.stmt) {
                arrays += 1;
                report.of_arrays(placed.stmt)
            } else {
                continue;
            };
            let first = reasons.iter().find(|reason| matches!(reason.topic, Topic::Loop | Topic::Arrays));
            let line = report.line_of(placed.stmt.span);
            let is_absent = |text: &str| text.starts_with("no code") || text.starts_with("nothing is left");
            if first.is_some_and(|reason| is_absent(&reason.text)) {
                absent.push(format!("{}:{line}", path.display()));
            }
            if first.is_none_or(|reason| reason.text.trim().is_empty()) {
                without.push(format!("{}:{line}", path.display()));
            }
        }
    }
    println!("{compiled} programs, {loops} loops, {arrays} statements with array expressions");
    assert!(
        compiled > 500 && loops > 800 && arrays > 400,
        "{compiled} programs, {loops} loops, {arrays} arrays"
    );
    assert_eq!(without, Vec::<String>::new(), "places without a reason");
    // Few have no code: functions that nothing calls, branches that are never taken.
    assert!(absent.len() <= 20, "{} places without code: {absent:#?}", absent.len());
}

/// The reasons of the statements of a line.
fn reasons(text: &str, line: u32) -> Vec<String> {
    let report = report("t.q", text).expect("a program that compiles");
    let line = report.line(line).expect("a line");
    let reasons = line.statements.iter().flat_map(|statement| &statement.reasons);
    reasons.map(|reason| format!("{}: {}", reason.topic.name(), reason.text)).collect()
}

/// Whether the reasons of a line begin as expected; those that begin otherwise may stand between.
fn expect(text: &str, line: u32, expected: &[&str]) {
    let found = reasons(text, line);
    for expected in expected {
        assert!(found.iter().any(|reason| reason.starts_with(expected)), "no '{expected}' in {found:#?}");
    }
}

const BLUR: &str = "function y = blur(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = -1..1
                s += x[m,n+k]
            endfor
            y[m,n] = s/3
        endfor
    endfor
endfunction
x = rand(64,64)
for it = 1..3
    x = blur(x)
    print sum(x)
endfor
v = zeros(100)
for i = 1..99
    v[i] = v[i-1]*0.5 + 1
endfor
t = x.*2 + x - 1
w = sort(x[0,:])
print v, t, w
";

#[test]
fn loops_are_parallel_or_serial_for_the_right_reason() {
    expect(
        BLUR,
        3,
        &[
            "loop: parallel over m, n",
            "kernel: 'opt__blur_line3', over 2 dimensions",
            "devices: a thread per",
        ],
    );
    expect(
        BLUR,
        4,
        &["loop: parallel: dimension 2 of the nest over m, n, line 3", "facts: 0 <= n <= size(x,1)-1"],
    );
    expect(
        BLUR,
        6,
        &["loop: serial, in each position of the kernel of line 3: other statements stand beside it"],
    );
    expect(BLUR, 6, &["processor: the rounds of the loop are written out"]);
    expect(BLUR, 14, &["loop: serial, in its function: it "]);
    expect(BLUR, 19, &["loop: serial, compiled as one kernel: 'v': ", "devices: not on devices: "]);
}

#[test]
fn accesses_are_tested_where_they_may_be_outside() {
    expect(
        BLUR,
        7,
        &[
            "bounds: x[m,n+k]: tested when the program runs, since 'n+k' may be negative",
            "code: part of the kernel 'opt__blur_line3'",
        ],
    );
    expect(BLUR, 9, &["bounds: y[m,n]: not tested"]);
    expect(BLUR, 20, &["bounds: v[i-1]: not tested", "bounds: v[i]: not tested"]);
    let mirrored =
        "function y = f(x : mat'mirror)\n    y = 0.0\n    y = x[-1,-1]\nendfunction\nprint f(ones(2,2))\n";
    expect(mirrored, 3, &["bounds: x[-1,-1]: indices outside are mirrored ('mirror)"]);
}

#[test]
fn what_passes_know_at_a_line_is_told() {
    let text = "function y = f(x : mat, r : int)
    assert(r > 2 && r < 9)
    y = zeros(size(x))
    q = 2*r + 1
    for m = 0..size(x,0)-1
        for n = r..size(x,1)-1-r
            s = 0.0
            for k = -r..r
                s += x[m,n+k]
            end
            if m > 3
                y[m,n] = s/q
            endif
        end
    end
end
print f(ones(30,30), 3)
";
    expect(text, 4, &["facts: r > 2 && r < 9, asserted in line 2"]);
    expect(
        text,
        9,
        &[
            "facts: 0 <= m <= size(x,0) - 1",
            "facts: r + n <= size(x,1) - 1",
            "facts: r + k >= 0",
            "facts: k <= r",
        ],
    );
    expect(text, 12, &["facts: m > 3", "facts: q == 2*r + 1", "facts: size(y,0) == size(x,0)"]);
    // What is said once is not said in other words, and what holds in a branch not beside it.
    let found = reasons(text, 9);
    assert!(
        !found.iter().any(|fact| fact == "facts: r > 2"
            || fact.starts_with("facts: r <= n <=")
            || fact == "facts: m > 3"),
        "{found:?}"
    );
}

/// A function that is compiled for several types has facts of its own in each; a line has those of all.
#[test]
fn copies_of_code_share_what_is_told() {
    let function = "function y = f(x)
    y = 0.0
    for m = 0..numel(x)-1
        y += x[m]
    end
end
";
    let facts = |calls: &str| {
        let found = reasons(&format!("{function}{calls}"), 4).into_iter();
        found.filter(|reason| reason.starts_with("facts: ") && reason.contains("m ")).collect::<Vec<_>>()
    };
    assert_eq!(facts("print f([1,2,3])\n"), ["facts: 0 <= m <= 2"]);
    assert_eq!(facts("print f([1,2,3])\nprint f([1,2,3,4,5])\n"), ["facts: m >= 0"]);
}

#[test]
fn tests_of_indices_have_reasons() {
    let text = "function y = f(x : vec, p : ivec, k : int)
    y = 0.0
    for i = 0..numel(p)-1
        y += x[p[i]]
    endfor
    y += x[k]
    assert(k >= 0)
    y += x[k]
    y += x[k] + x[0]
endfunction
print f(ones(3), [0,1], 1)
";
    expect(
        text,
        4,
        &[
            "bounds: p[i]: not tested",
            "bounds: x[p[i]]: tested when the program runs, since nothing is known of 'p[i]'",
        ],
    );
    expect(text, 6, &["bounds: x[k]: tested when the program runs, since 'k' may be negative"]);
    expect(text, 8, &["bounds: x[k]: tested when the program runs, since 'k' may be beyond the size"]);
    let others = "function y = f(x : vec)
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        y[i] = x[i] + x[i+1]
    endfor
endfunction
print f(ones(3))
";
    expect(
        others,
        4,
        &[
            "bounds: y[i]: not tested",
            "bounds: x[i+1]: tested when the program runs, since 'i+1' may be beyond the size",
        ],
    );
    expect(
        others,
        4,
        &["bounds: x[i]: tested when the program runs, since others to this array in the loop are tested"],
    );
}

#[test]
fn array_expressions_are_fused_or_not_for_the_right_reason() {
    expect(
        BLUR,
        22,
        &[
            "arrays: 3 operations on arrays are fused into one kernel",
            "arrays: computed by the kernel 'opt__",
        ],
    );
    let sorted = [
        "arrays: 'sort(x[0,:])' is computed by the library",
        "copies: x[0,:] is copied into an array of its own",
    ];
    expect(BLUR, 23, &sorted);
    expect(
        "a = [1,2]\nb = a + 1\nprint b\n",
        2,
        &["arrays: 'a + 1' is computed by the library, not fused: so few"],
    );
}

/// Where loops nest, the reason of an inner one says which dependence keeps it in the position.
#[test]
fn inner_loops_say_what_they_carry() {
    let text = "function y = f(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m] = y[m]*0.5 + x[m,n]
        endfor
    endfor
endfunction
print f(ones(3,3))
";
    expect(text, 3, &["loop: parallel over m"]);
    expect(text, 4, &["loop: serial, in each position of the kernel of line 3: 'y': "]);
}

#[test]
fn loops_that_no_pass_says_anything_about_have_reasons_too() {
    let text = "x = zeros(10)
for i = [1,2,3]
    print i
endfor
{!interpreted for}
for i = 0..9
    x[i] = i
endfor
while x[0] < 3
    x = x + 1
endwhile
function [] = __kernel__ k(x : vec, pos : int)
    for i = 0..2
        x[pos] = x[pos] + i
    endfor
endfunction
parallel_do(10, x, k)
function y = unused(x)
    for i = 0..2
        y = x + i
    endfor
endfunction
";
    expect(text, 2, &["loop: serial, in its function: it goes over the elements of a vector"]);
    expect(text, 6, &["loop: serial, in its function: it is to stay in its function by an attribute"]);
    expect(text, 9, &["loop: serial, in its function: it "]);
    expect(
        text,
        13,
        &["loop: serial, in each position of the kernel 'k': a kernel is written for one position"],
    );
    expect(text, 19, &["loop: no code: nothing calls the function around it"]);
    expect(text, 12, &["kernel: 'k', over 1 dimension", "processor: ", "devices: "]);
}

#[test]
fn names_have_their_types() {
    let report = report("t.q", BLUR).expect("a program that compiles");
    let line = report.line(9).expect("a line");
    let names: Vec<String> =
        line.names.iter().map(|name| format!("{} {}", name.name, name.types.join("|"))).collect();
    assert_eq!(names, ["y mat", "m int", "n int", "s scalar"]);
    assert!(report.line(0).is_none() && report.line(26).is_none());
}

/// The passes of the report make the program that is compiled.
#[test]
fn reports_are_about_the_program_that_is_compiled() {
    let report = report("t.q", BLUR).expect("a program that compiles");
    let compiled = driver::compile("t.q", BLUR, &NoImports, &Options::default()).program.expect("a program");
    assert_eq!(print::program(&report.trace.host), print::program(&compiled));
    let shaped = shaped_for_devices(&compiled);
    assert_eq!(print::program(&report.trace.devices), print::program(&shaped));
}

/// The pass that changed a function has its text before and behind it.
#[test]
fn passes_say_what_they_changed() {
    let report = report("t.q", BLUR).expect("a program that compiles");
    let step = report.steps.iter().find(|step| step.pass == "autoparallel").expect("the pass");
    let blur = step.changes.iter().find(|change| change.name == "blur").expect("the function");
    let has = |text: &Option<std::sync::Arc<str>>, part: &str| {
        text.as_ref().is_some_and(|text| text.contains(part))
    };
    assert!(
        has(&blur.before, "for m = ") && !has(&blur.after, "for m = ") && has(&blur.after, "parallel_do(")
    );
    let kernel = step.changes.iter().find(|change| change.name == "opt__blur_line3").expect("the kernel");
    assert!(kernel.kernel && kernel.before.is_none() && has(&kernel.after, "pos.0"));
}

/// Whether the reasons of a line contain these texts.
fn tells(text: &str, line: u32, expected: &[&str]) {
    let found = reasons(text, line).join("\n");
    for expected in expected {
        assert!(found.contains(expected), "no '{expected}' in {found}");
    }
}

#[test]
fn schedules_of_several_launches_and_of_tiles_are_told() {
    let steps = "function y : mat = steps(x : mat'mirror)
    t : mat'mirror = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            t[m,n] = x[m-1,n] + x[m+1,n]
        endfor
    endfor
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = t[m-1,n] - t[m+1,n]
        endfor
    endfor
endfunction
";
    tells(steps, 3, &["strip by strip with the launches of line 9: 't' is a line buffer"]);
    tells(steps, 9, &["strip by strip with the launches of line 3: 't' is a line buffer"]);
    let product = "function c : mat = product(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            for k = 0..size(a,1)-1
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction
";
    tells(product, 3, &["factors packed", "each tile of rows (dimension 0) and columns (dimension 1)"]);
}
