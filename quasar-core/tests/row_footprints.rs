//! Which rows of the arrays that it reads a kernel needs for a row of positions: what is known of indices, and what is not.

use quasar_core::analysis::row_footprint::row_footprints;
use quasar_core::driver::{Options, compile};
use quasar_core::ir::affine::{AffineForm, RowRange, Symbol};
use quasar_core::ir::{Body, Program};
use quasar_core::source::NoImports;
use quasar_core::transform::kernel::shaped_for_devices;

/// `low..high mode` for each range.
fn shown(body: &Body, rows: &[RowRange]) -> String {
    let symbol = |symbol: &Symbol| match symbol {
        Symbol::Position(axis) => format!("p{axis}"),
        Symbol::Launch(axis) => format!("n{axis}"),
        Symbol::Extent(v, axis) => format!("size({},{axis})", body.variables[*v].name),
        Symbol::Value(v) => body.variables[*v].name.clone(),
    };
    let form = |form: &AffineForm| {
        let terms = form.terms.iter().map(|(s, factor)| format!("{factor:+}*{}", symbol(s)));
        format!("{}{:+}", terms.collect::<String>(), form.constant)
    };
    let range = |range: &RowRange| {
        let mode = range.boundary.map_or("int".to_owned(), |boundary| format!("{boundary:?}"));
        format!("{}..{} {mode}", form(&range.low), form(&range.high))
    };
    let mut all: Vec<String> = rows.iter().map(range).collect();
    all.sort();
    all.join(", ")
}

fn compiled(text: &str) -> Program {
    let options = Options { optimise: true, verify: true, ..Options::default() };
    let compilation = compile("test.q", text, &NoImports, &options);
    compilation.program.unwrap_or_else(|| panic!("{text}"))
}

/// What is known of the rows of `x` where a loop that devices share reads it as `read`, behind statements.
fn rows_of(mode: &str, before: &str, read: &str) -> Option<String> {
    let text = format!(
        "function [] = f(x : mat'{mode}, y : mat, r : int, v : ivec)
    {{!parallel for; multi_device=true}}
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0.0
            {before}
            y[m,n] = s + {read}
        end
    end
end"
    );
    let program = shaped_for_devices(&compiled(&text));
    let mut kernels = program.kernels.iter().filter(|(_, kernel)| kernel.divisible);
    let (Some((_, kernel)), None) = (kernels.next(), kernels.next()) else { panic!("one kernel: {text}") };
    let array = kernel.body.params.iter().find(|param| kernel.body.variables[**param].name == "x");
    let known = row_footprints(&program, kernel);
    known.get(array.expect("the array")).map(|rows| shown(&kernel.body, rows))
}

#[test]
fn affine_indices_have_rows() {
    for (read, wanted) in [
        ("x[m,n]", "+1*p0+0..+1*p0+0 Safe"),
        ("x[m-1,n] + x[m+2,n] + x[m,n+7]", "+1*p0-1..+1*p0+2 Safe"),
        ("x[2*m+1,v[n]]", "+2*p0+1..+2*p0+1 Safe"),
        ("x[m+n,n]", "+1*p0+0..+1*n1+1*p0-1 Safe"),
        ("x[m+r,n]", "+1*r+1*p0+0..+1*r+1*p0+0 Safe"),
        ("x[size(x,0)-1-m,n]", "+1*size(x,0)-1*p0-1..+1*size(x,0)-1*p0-1 Safe"),
        ("x[max(m-1,0),n]", "+0..+0 Safe, +1*p0-1..+1*p0-1 Safe"),
        ("x[min(m+3,size(x,0)-1),n]", "+1*p0+3..+1*p0+3 Safe, +1*size(x,0)-1..+1*size(x,0)-1 Safe"),
        ("(m > 5 ? x[m-5,n] : x[3,n])", "+1*p0-5..+1*p0-5 Safe, +3..+3 Safe"),
        ("size(x,0)", ""),
    ] {
        assert_eq!(rows_of("safe", "", read).as_deref(), Some(wanted), "{read}");
    }
    for mode in ["Mirror", "Circular", "Clamped"] {
        let found = rows_of(&mode.to_lowercase(), "", "x[m-2,n]");
        assert_eq!(found, Some(format!("+1*p0-2..+1*p0-2 {mode}")));
    }
}

#[test]
fn loops_around_the_position_have_rows() {
    for (before, wanted) in [
        ("for a = -r..r\ns += x[m+a,n]\nend", Some("-1*r+1*p0+0..+1*r+1*p0+0 Safe")),
        ("for a = 0..2*r\ns += x[m-r+a,n]\nend", Some("-1*r+1*p0+0..+1*r+1*p0+0 Safe")),
        ("for a = r..-1..-r\ns += x[m-a,n]\nend", Some("-1*r+1*p0+0..+1*r+1*p0+0 Safe")),
        (
            "for a = 0..99\nfor b = -a..a\ns += x[m+b,n]\nend\nend",
            Some("+1*p0-99..+1*p0+99 Safe, -99..+0 int, +0..+99 int"),
        ),
        // How often it runs depends on data.
        ("a = m\nwhile a > 0\ns += x[a,n]\na = a - 1\nend", None),
        ("for a = 0..v[n]\ns += x[a,n]\nend", None),
    ] {
        let sorted = |text: &str| {
            let mut parts: Vec<String> = text.split(", ").map(str::to_owned).collect();
            parts.sort();
            parts
        };
        let found = rows_of("safe", before, "x[m,n]");
        // The own row lies inside of what loops read around it, or is a range besides.
        let own = "+1*p0+0..+1*p0+0 Safe";
        let found = found.map(|found| {
            let mut parts = sorted(&found);
            parts.retain(|part| part != own || wanted == Some(own));
            parts
        });
        assert_eq!(found, wanted.map(sorted), "{before}");
    }
}

#[test]
fn other_indices_mean_all_rows() {
    for read in ["x[v[m],n]", "x[n,m] + x[m*n,0]", "x[m*m,n]", "x[int(x[m,n]),0]"] {
        let found = rows_of("safe", "", read);
        assert_eq!(found, None, "{read}");
    }
    // Rows and columns by turns: a row of positions reads all rows.
    assert_eq!(rows_of("safe", "", "x[n,m]").as_deref(), Some("+0..+1*n1-1 Safe"));
}
