//! Every builtin function that kernels may call compiles in one and gives what it gives on the host.

use quasar_core::backend::rust;
use quasar_core::builtins::{Availability, Entry, Kind, entries};
use quasar_core::driver::{Options, compile, print_rust};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::message::Sink;
use quasar_core::source::NoImports;
use quasar_devicelib::value::BufferHost;

fn in_kernels() -> impl Iterator<Item = &'static Entry> {
    entries().filter(|entry| entry.builtin.availability == Availability::Everywhere)
}

/// Library functions have programs, which every engine runs: each of these calls all of its functions.
#[test]
fn programs_call_every_library_function() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/programs/09-builtins/");
    let text = |name: &str| std::fs::read_to_string(format!("{folder}{name}.q")).expect("the program");
    let programs = ["every_function_of_small_arrays", "algebra_of_small_arrays"];
    let programs: String = programs.iter().map(|name| text(&format!("{name}_in_kernels"))).collect();
    for entry in in_kernels() {
        // What a name means is answered while compiling.
        let library = matches!(entry.builtin.kind, Kind::Library(_) | Kind::Reduction(_) | Kind::Query)
            && entry.builtin.name != "exist";
        let called = programs.contains(&format!("({}(", entry.builtin.name))
            || programs.contains(&format!(" = {}(", entry.builtin.name));
        assert!(!library || called, "no program calls '{}' in a kernel", entry.builtin.name);
    }
}

/// Arguments that are in the domain of a function.
fn arguments(entry: &Entry, count: usize) -> String {
    let integers = matches!(entry.builtin.name, "and" | "or" | "xor" | "not" | "shl" | "shr");
    let names = if integers { ["k[pos]", "2", "3"] } else { ["x[pos]", "0.75", "2.5"] };
    names[..count].join(", ")
}

/// A number for a value of any type of number.
fn number(entry: &Entry, call: &str) -> String {
    match entry.builtin.name {
        "complex" | "cscalar" => format!("real({call}) + 3*imag({call})"),
        _ => format!("0.0 + {call}"),
    }
}

#[test]
fn elementwise_functions_and_conversions_agree_with_the_host() {
    let (mut lines, mut count) = (String::new(), 0);
    for entry in in_kernels() {
        if !matches!(entry.builtin.kind, Kind::Elementwise(_) | Kind::Convert) {
            continue;
        }
        for arguments in entry.arity.0..=entry.arity.1 {
            let call = format!("{}({})", entry.builtin.name, self::arguments(entry, arguments));
            lines.push_str(&format!("    y[pos,{count}] = {}\n", number(entry, &call)));
            count += 1;
        }
    }
    assert!(count > 60, "{count} functions");
    let program = format!(
        "function [] = __kernel__ in_kernel(x : vec, k : ivec, y : mat, pos : int)\n{lines}endfunction\n\
         function [] = on_host(x : vec, k : ivec, y : mat, pos : int)\n{lines}endfunction\n\
         x = [0.25, 1.5, 0.9]\nk = [5, 0, 12]\n[y, z] = [zeros(3,{count}), zeros(3,{count})]\n\
         parallel_do(3, x, k, y, in_kernel)\non_host(x, k, z, 0)\non_host(x, k, z, 1)\non_host(x, k, z, 2)\n\
         for m = 0..2\nfor n = 0..{count}-1\n\
         if !(abs(y[m,n] - z[m,n]) <= 0.000001*(1 + abs(z[m,n]))) && !(isnan(y[m,n]) && isnan(z[m,n]))\n\
         print m, \" \", n, \" \", y[m,n], \" \", z[m,n]\nendif\nendfor\nendfor\nprint \"compared\"\n"
    );
    for optimise in [false, true] {
        let options = Options { optimise, verify: true, ..Options::default() };
        let compilation = compile("test.q", &program, &NoImports, &options);
        let Some(ir) = &compilation.program else { panic!("{:?}", compilation.messages) };
        let mut host = BufferHost::default();
        Interpreter::new(ir, InterpOptions::default(), &mut host).run_initializer().expect("no error");
        assert_eq!(host.output, "compared\n");
        let mut sink = Sink::default();
        print_rust(ir, &compilation.sources, &rust::Options::default(), &mut sink);
        assert!(!sink.has_errors(), "{:?}", sink.into_sorted());
    }
}
