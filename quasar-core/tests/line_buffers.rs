//! Which launches of the processor go strip by strip, with which arrays in line buffers, and what keeps them apart.

use quasar_core::driver::{Options, compile};
use quasar_core::ir::StmtKind;
use quasar_core::ir::rewrite::visit_stmts;
use quasar_core::message::Sink;
use quasar_core::source::NoImports;
use quasar_core::transform::pass::Stage;
use quasar_core::transform::pipeline;

/// The arrays in line buffers and the number of launches, for each group of a program.
fn groups(text: &str) -> Vec<String> {
    let options = Options { optimise: true, verify: true, ..Options::default() };
    let mut program =
        compile("test.q", text, &NoImports, &options).program.unwrap_or_else(|| panic!("{text}"));
    let mut sink = Sink::default();
    pipeline::shape(&mut program, &[Stage::Kernel, Stage::Cpu], &mut sink);
    assert!(sink.is_empty(), "{:?}", sink.messages());
    let mut found = Vec::new();
    for (_, function) in program.functions.iter() {
        visit_stmts(&function.body.block, &mut |stmt| {
            let StmtKind::Strips { buffers, body } = &stmt.kind else { return };
            let names: Vec<_> = buffers.iter().map(|v| function.body.variables[*v].name.as_str()).collect();
            let launches = body.iter().filter(|stmt| matches!(stmt.kind, StmtKind::Launch { .. }));
            found.push(format!("{}: {}", names.join(" "), launches.count()));
        });
    }
    found
}

/// A function of two loops: what makes `t`, what the first loop stores, what the second one reads, and what follows.
fn two(mode: &str, first: &str, second: &str, behind: &str) -> Vec<String> {
    groups(&format!(
        "function [y : mat, z : mat] = f(x : mat'mirror, v : ivec'unchecked)
    [M, N] = size(x)
    t : mat'{mode} = zeros(M, N)
    y = zeros(M, N)
    z = x
    for m = 0..M-1
        for n = 0..N-1
            {first}
        endfor
    endfor
    for m = 0..M-1
        for n = 0..N-1
            {second}
        endfor
    endfor
    {behind}
endfunction"
    ))
}

const FIRST: &str = "t[m,n] = x[m,n-1] + x[m,n+1]";
const SECOND: &str = "y[m,n] = t[m-1,n] + t[m+1,n]";

#[test]
fn rows_that_advance_are_buffered() {
    for mode in ["mirror", "clamped", "safe"] {
        assert_eq!(two(mode, FIRST, SECOND, ""), ["t: 2"], "{mode}");
    }
    assert_eq!(two("mirror", FIRST, "y[m,n] = t[2*m,n] + t[m+3,N-1-n]", ""), ["t: 2"]);
}

#[test]
fn other_rows_are_not() {
    // The first rows need the last ones, rows depend on the column or on data, and later rows need earlier ones.
    assert!(two("circular", FIRST, SECOND, "").is_empty());
    assert!(two("mirror", FIRST, "y[m,n] = t[n,m]", "").is_empty());
    assert!(two("mirror", FIRST, "y[m,n] = t[v[m],n]", "").is_empty());
    assert!(two("mirror", FIRST, "y[m,n] = t[M-1-m,n]", "").is_empty());
}

#[test]
fn what_others_know_is_stored() {
    assert!(two("mirror", FIRST, SECOND, "z = t").is_empty(), "a result");
    assert!(two("mirror", FIRST, SECOND, "print t[0,0]").is_empty(), "read behind");
    assert!(two("mirror", FIRST, SECOND, "print size(t,0)").is_empty(), "asked for its size");
}

/// Rows of a line buffer may be computed again: an array of the caller must not be changed twice.
#[test]
fn what_was_there_is_changed_once() {
    let both = |store: &str| {
        groups(&format!(
            "function y : mat = f(x : mat'mirror, z : mat'unchecked)
    [M, N] = size(x)
    t : mat'mirror = zeros(M, N)
    y = zeros(M, N)
    for m = 0..M-1
        for n = 0..N-1
            {store}
            t[m,n] = m - n
        endfor
    endfor
    for m = 0..M-1
        for n = 0..N-1
            y[m,n] = t[m+5,n]
        endfor
    endfor
endfunction"
        ))
    };
    assert_eq!(both("z[m,n] = 1"), ["t: 2"]);
    assert!(both("z[m,n] += 1").is_empty());
    assert!(both("z[m,n] = 2*z[m,n]").is_empty());
}

#[test]
fn failures_stay_in_order() {
    assert!(two("mirror", FIRST, "y[m,n+1] = t[m-1,n]", "").is_empty());
    assert!(two("mirror", "t[m,n] = int(x[m,n]/0.001)", SECOND, "").is_empty());
}

#[test]
fn groups_grow_through_functions() {
    let text = "function y : mat = blur(x : mat'mirror)
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m-1,n] + x[m+1,n]
        endfor
    endfor
endfunction
function y : mat = sharpened(x : mat)
    a = blur(x)
    b = blur(a .* x)
    y = x + b - blur(blur(b))
endfunction
print sharpened(ones(4,4))";
    let found = groups(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with(": 4"), "{found:?}");
}
