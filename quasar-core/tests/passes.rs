//! The passes as a list: their names are those of the attributes, each is verified, and the compiler stops behind the one that
//! is asked for.

use quasar_core::driver::{Options, compile};
use quasar_core::ir::print;
use quasar_core::lower::transforms::{NAMES, pass_of};
use quasar_core::source::NoImports;
use quasar_core::transform::Stage;
use quasar_core::transform::pass::LOWERED;
use quasar_core::transform::pipeline::{find, passes};

/// What attributes may name and no pass does. Printers decide the first four, which shall become passes.
const BY_OTHERS: &[&str] = &[
    "barriersplit",
    "flattening",
    "gridsync",
    "targetselect",
    // Lowering and inference.
    "branchcut",
    "constmem",
    "gridgroup",
    "hwtexture",
    // The run-time system.
    "kernel_partial_flattening",
    "partialflattening",
    // The compilers of the generated code.
    "cse",
    "hoist",
];

#[test]
fn names_of_attributes_are_names_of_passes() {
    for name in NAMES {
        match pass_of(name) {
            Some(pass) => assert!(find(pass).is_some(), "{name}: there is no pass {pass}"),
            None => assert!(BY_OTHERS.contains(name), "{name} is done by no pass"),
        }
        if find(name).is_some() {
            assert_eq!(pass_of(name), Some(*name), "the attribute is another pass than the one of its name");
        }
    }
    for name in BY_OTHERS {
        assert!(NAMES.contains(name) && pass_of(name).is_none(), "{name} can be taken from the list");
    }
}

const PROGRAM: &str = "function y : mat = twice(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = 2 * x[m,n]
        endfor
    endfor
endfunction
function [] = __kernel__ sum3(x : mat, y : mat, pos : ivec2)
    s = 0.0
    for k = -1..1
        s += x[pos[0]+k,pos[1]]
    endfor
    y[pos] = s
endfunction
x = ones(64,64)
y = twice(x)
parallel_do(size(y), x, y, sum3)
print sum(y)
";

/// The program behind a pass.
fn behind(pass: &str) -> String {
    let options = Options { last_pass: Some(pass.to_string()), verify: true, ..Options::default() };
    let compilation = compile("test.q", PROGRAM, &NoImports, &options);
    let errors: Vec<_> = compilation.messages.iter().filter(|message| message.category.is_error()).collect();
    assert!(errors.is_empty(), "{pass}: {errors:?}");
    print::program(&compilation.program.expect("a program without mistakes"))
}

#[test]
fn the_compiler_stops_behind_each_pass() {
    for pass in Stage::ALL.into_iter().flat_map(passes).chain([&LOWERED]) {
        assert!(behind(pass.name).contains("__kernel__ sum3("), "{}", pass.name);
    }
}

#[test]
fn a_pass_did_its_work_behind_it_and_not_before() {
    let launches = |pass| behind(pass).matches("parallel_do(").count();
    assert_eq!((launches("lower"), launches("boundscheck"), launches("autoparallel")), (1, 1, 2));
    let loops = |pass| behind(pass).matches("for k = ").count();
    assert_eq!((loops("copy_propagation"), loops("unroll_short_loops"), loops("register_tiling")), (1, 0, 1));
    assert!(behind("lower").contains("x : mat"), "the text is that of the IR");
}
