//! Tables that launches fill: which values go there, and that programs print the same with tables wherever they are possible.

mod slice;

use quasar_core::driver::{Options, compile};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::ir::schedule::TableRole;
use quasar_core::ir::verify::verify;
use quasar_core::ir::{Kernel, Program, print};
use quasar_core::message::Sink;
use quasar_core::source::NoImports;
use quasar_core::transform::{Stage, pipeline, tabulate_always};
use quasar_devicelib::value::BufferHost;
use std::path::{Path, PathBuf};

fn compiled(text: &str) -> Option<Program> {
    let options = Options { optimise: true, verify: true, ..Options::default() };
    let mut program = compile("test.q", text, &NoImports, &options).program?;
    pipeline::shape(&mut program, &[Stage::Kernel], &mut Sink::default());
    Some(program)
}

/// Programs that take more are left out.
const STEPS: u64 = 1_000_000;

/// What a program prints, and the error that ends it.
fn run(program: &Program) -> String {
    let mut host = BufferHost::default();
    let options = InterpOptions { step_limit: Some(STEPS), ..InterpOptions::default() };
    let mut interpreter = Interpreter::new(program, options, &mut host);
    let result = interpreter.run_initializer().and_then(|()| interpreter.run_main(Vec::new()).map(drop));
    drop(interpreter);
    let error = result.err().map(|error| error.to_string()).unwrap_or_default();
    format!("{}{error}", host.output)
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "q") {
            found.push(path);
        }
    }
}

fn with_role(program: &Program, role: fn(&TableRole) -> bool) -> Vec<&Kernel> {
    let kernels = program.kernels.iter().map(|(_, kernel)| kernel);
    kernels.filter(|kernel| kernel.schedule.tables.as_ref().is_some_and(role)).collect()
}

fn readers(program: &Program) -> Vec<&Kernel> {
    with_role(program, |role| matches!(role, TableRole::Reads { .. }))
}

#[test]
fn programs_print_the_same_with_tables() {
    let mut found = Vec::new();
    for folder in ["05-parallelism", "09-builtins"] {
        programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs").join(folder), &mut found);
    }
    found.sort();
    let (mut compared, mut kernels) = (0, 0);
    for (_, path) in found.into_iter().enumerate().filter(|(number, _)| slice::has(*number)) {
        let text = std::fs::read_to_string(&path).expect("a text");
        let Some(before) = compiled(&text).filter(|program| program.texts.is_none()) else { continue };
        let mut after = before.clone();
        tabulate_always(&mut after);
        assert_eq!(verify(&after), Vec::<String>::new(), "{}", path.display());
        if readers(&after).is_empty() {
            continue;
        }
        let (expected, found) = (run(&before), run(&after));
        if ![&expected, &found].iter().any(|output| output.contains("the limit that was set")) {
            kernels += readers(&after).len();
            compared += 1;
            assert_eq!(expected, found, "{}", path.display());
        }
    }
    let enough = compared > slice::share(100) && kernels > slice::share(300);
    assert!(enough, "{compared} programs, {kernels} kernels");
}

/// The kernels of a program behind the pass, where tables pay.
fn behind(text: &str) -> Program {
    let mut program = compiled(text).expect("a program without mistakes");
    let mut sink = Sink::default();
    pipeline::shape(&mut program, &[Stage::Cpu], &mut sink);
    assert!(sink.is_empty(), "{:?}", sink.messages());
    assert_eq!(verify(&program), Vec::<String>::new());
    program
}

/// The stores to tables, without the names of these.
fn stores(program: &Program) -> Vec<String> {
    let text = print::kernels(program);
    let fillers = text.split("endfunction").filter(|kernel| kernel.contains(", fills tables"));
    let lines = fillers.flat_map(str::lines).filter(|line| line.contains("]'unchecked = "));
    let mut stores: Vec<String> =
        lines.filter_map(|line| Some(format!("[{}", line.split_once('[')?.1))).collect();
    // A kernel and its version without tests have the same tables.
    stores.dedup();
    stores
}

const HEAD: &str = "function y : mat = f(x : mat, s : scalar)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
";
const FOOT: &str = "
        endfor
    endfor
endfunction
print f([[1.0,2],[3,4]], 2)
";

/// The stores to tables of a kernel with this code.
fn tables(code: &str) -> Vec<String> {
    stores(&behind(&format!("{HEAD}{code}{FOOT}")))
}

#[test]
fn values_of_one_component_go_to_tables() {
    let column = tables("y[m,n] = x[m,n] * exp(-n*s)");
    assert_eq!(column, ["[pos.0]'unchecked = exp(((-pos.0 -> scalar) * s))"]);
    let both = tables("y[m,n] = x[m,n] * exp(-n*s) * cos(m*s)");
    assert_eq!(both.len(), 2, "{both:?}");
    assert_eq!(tables("y[m,n] = x[m,n] * exp(-n*s) * exp(-n*s)").len(), 1, "one value has one table");
}

#[test]
fn what_is_cheap_or_depends_on_all_components_is_computed_in_place() {
    for code in [
        "y[m,n] = x[m,n] * (n*s + 1)",
        "y[m,n] = x[m,n] * exp(-m*n*s)",
        "y[m,n] = exp(-x[m,n])",
        "y[m,n] = exp(-s)",
        "y[m,n] = y[m,n] * exp(-y[0,n])",
    ] {
        assert_eq!(tables(code), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn variables_of_loops_are_axes() {
    let code = "t = 0.0
            for k = -2..2
                t += exp(-k*s)*cos(k*n*s)*x[m,n]
            endfor
            y[m,n] = t";
    let found = tables(code);
    // A sum of products is rounded once: its factors are tables, not the product.
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("[pos.0, pos.1]'unchecked = "), "{found:?}");
    let carried = "t = 0.0
            for k = 0..3
                t = exp(t + n)
            endfor
            y[m,n] = t*x[m,n]";
    assert_eq!(tables(carried).len(), 1, "a whole loop is a value of the column");
    let shared = "t = 0.0
            for k = 0..3
                y[m,n] = t*x[m,n]
                t = exp(k*s)
            endfor";
    assert_eq!(
        tables(shared).iter().filter(|store| store.contains("= t")).count(),
        0,
        "of the iteration before"
    );
}

#[test]
fn conversions_that_may_fail_are_tested() {
    let program = behind(&format!("{HEAD}y[m,n] = x[m,int(floor(n/s))]{FOOT}"));
    let fillers = with_role(&program, |role| *role == TableRole::Fills);
    assert_eq!(fillers.len(), 1);
    assert_eq!(fillers[0].accumulators.len(), 1, "it tells whether one would fail");
    let readers = readers(&program);
    let text = print::kernels(&program);
    assert_eq!(readers.len(), 1);
    assert_eq!(
        text.matches("floor").count(),
        6,
        "as it was, and filled, with the sides of the tests: {text}"
    );
    let unread = behind(&format!("{HEAD}k = int(floor(n/s))\n            y[m,n] = x[m,n]*exp(-n*s){FOOT}"));
    let fillers = with_role(&unread, |role| *role == TableRole::Fills);
    assert!(fillers.iter().any(|kernel| !kernel.accumulators.is_empty()), "nobody reads it, but it may fail");
}

#[test]
fn messages_name_the_kernel_of_the_program() {
    let program = behind(&format!("{HEAD}y[m,n] = x[m,n] * exp(-n*s){FOOT}"));
    let readers = readers(&program);
    assert_ne!(readers[0].name, readers[0].shown_name());
    assert!(program.kernels.iter().any(|(_, kernel)| kernel.name == readers[0].shown_name()));
}

/// The stores to tables of a launch over the rows of `q`, whose sum along a row is within other loops.
fn turned(loops: &str, ends: &str) -> Vec<String> {
    stores(&behind(&format!(
        "function y : vec = f(q : mat, x : mat)
    y = uninit(size(q,0))
    for i = 0..size(q,0)-1
        s = 0.0
        {loops}
            for k = 0..size(q,1)-1
                s += abs(q[i,k] - x[0,k])
            endfor
        {ends}
        y[i] = s
    endfor
endfunction
print f([[1.0,2],[3,4]], [[1.0,2]])
"
    )))
}

#[test]
fn rows_that_a_loop_reads_again_lie_side_by_side() {
    let again = turned("for j = 0..size(x,0)-1\n s = max(s, x[j,0])", "endfor");
    assert_eq!(again, ["[pos.0, pos.1]'unchecked = q[pos.1, pos.0]'unchecked"]);
    // Each element is read once: to turn it would cost as much.
    assert_eq!(turned("if x[0,0] > 0", "endif"), Vec::<String>::new());
    // How often the loop goes round is not known before the launch.
    assert_eq!(turned("while s < x[0,0]", "endwhile"), Vec::<String>::new());
}
