//! How many operations a position of a kernel has, as profiles count them.

use quasar_core::analysis::operations::operations;
use quasar_core::driver::{Options, compile};
use quasar_core::ir::Body;
use quasar_core::ir::affine::{AffineForm, Symbol};
use quasar_core::ir::schedule::Operations;
use quasar_core::source::NoImports;

fn form(body: &Body, form: &AffineForm) -> String {
    let symbol = |symbol: &Symbol| match symbol {
        Symbol::Position(axis) => format!("p{axis}"),
        Symbol::Launch(axis) => format!("n{axis}"),
        Symbol::Extent(v, axis) => format!("size({},{axis})", body.variables[*v].name),
        Symbol::Value(v) => body.variables[*v].name.clone(),
    };
    let terms = form.terms.iter().map(|(s, factor)| format!("{factor}*{}", symbol(s)));
    terms.chain([form.constant.to_string()]).collect::<Vec<_>>().join(" + ")
}

fn shown(body: &Body, found: &Operations) -> String {
    let loops = found
        .loops
        .iter()
        .map(|(rounds, inside)| format!(" + ({}) * [{}]", form(body, rounds), shown(body, inside)));
    found.fixed.to_string() + &loops.collect::<String>()
}

/// The operations of the only kernel of a loop over `y`.
fn of(statements: &str) -> Option<String> {
    let text = format!(
        "function z = __device__ twice(t : scalar)
    z = 2*t
end
function [] = f(x : mat, y : mat, c : cmat, r : int, w : vec)
    {{!parallel for}}
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            {statements}
        end
    end
end"
    );
    let options = Options { optimise: true, verify: true, ..Options::default() };
    let compilation = compile("test.q", &text, &NoImports, &options);
    let program = compilation.program.unwrap_or_else(|| panic!("{text}\n{:?}", compilation.messages));
    let mut kernels = program.kernels.iter().filter(|(_, kernel)| !kernel.aliased && !kernel.fills_tables());
    let (Some((_, kernel)), None) = (kernels.next(), kernels.next()) else { panic!("one kernel: {text}") };
    operations(&program, kernel).map(|found| shown(&kernel.body, &found))
}

#[test]
fn indices_and_comparisons_are_no_operations() {
    assert_eq!(of("y[m,n] = x[m+1,2*n]").as_deref(), Some("0"));
    assert_eq!(of("y[m,n] = 2*x[m,n] + sqrt(x[m,n])").as_deref(), Some("3"));
    assert_eq!(of("y[m,n] = max(x[m,n], 0) / 3").as_deref(), Some("2"));
    assert_eq!(of("y[m,n] = real(c[m,n] * c[m,n+1])").as_deref(), Some("7"));
    assert_eq!(of("y[m,n] = twice(x[m,n])").as_deref(), Some("1"));
}

#[test]
fn of_branches_the_longer_one_counts() {
    let text = "if x[m,n] > 1
                y[m,n] = x[m,n] * x[m,n] + 1
            else
                y[m,n] = 2 * x[m,n]
            endif";
    assert_eq!(of(text).as_deref(), Some("2"));
}

#[test]
fn rounds_are_counted_where_launches_tell_them() {
    let sum = |range: &str, step: &str| {
        of(&format!(
            "s = 0.0
            for k = {range}
                {step}
            end
            y[m,n] = s"
        ))
    };
    assert_eq!(sum("0..9", "s = s + 2*x[m,n+k]").as_deref(), Some("20"));
    assert_eq!(sum("0..3..9", "s = s + 2*x[m,n+k]").as_deref(), Some("8"));
    assert_eq!(
        sum("0..size(x,1)-1", "s = s + x[m,k]*x[k,n]").as_deref(),
        Some("0 + (1*size(x,1) + 0) * [2]")
    );
    assert_eq!(sum("-r..r", "s += x[m,n+k]").as_deref(), Some("0 + (2*r + 1) * [1]"));
    assert_eq!(sum("0..numel(w)-1", "s += w[k]*x[m,n+k]").as_deref(), Some("0 + (1*size(w,0) + 0) * [2]"));
    assert_eq!(sum("0..numel(x)-1", "s += w[k]"), None, "no extent of an array");
    assert_eq!(sum("0..m", "s += x[m,n+k]"), None, "each row has others");
    assert_eq!(
        sum("0..r", "for j=0..r\ns += x[m,n+k+j]\nend").as_deref(),
        Some("0 + (1*r + 1) * [0 + (1*r + 1) * [1]]")
    );
}

#[test]
fn loops_that_end_on_a_value_are_not_counted() {
    let text = "s = x[m,n]
            while s < 10
                s = 2*s
            end
            y[m,n] = s";
    assert_eq!(of(text), None);
}
