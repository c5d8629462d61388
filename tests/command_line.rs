//! Compiled programs that are given a command line, and in double precision.

use quasar::{ElementType, abi::arguments, context};

mod program {
    quasar::quasar! {
        #![double] #![command_line]
        function [] = main(x : scalar, count = 2, ...rest)
            print x == 0.1, " ", count, " ", numel(rest)
        endfunction
        function y = third(x : vec)
            y = x / 3
        endfunction
    }
}

fn run(words: &[&str]) -> (quasar::Result<()>, String) {
    let words = words.iter().map(|word| word.to_string());
    let arguments = arguments(words, ElementType::Double);
    context::capture(|| program::main(&arguments))
}

#[test]
fn main_is_given_defaults_and_the_rest() {
    let (result, output) = run(&["0.1"]);
    result.unwrap();
    assert!(output.starts_with("1 2 0\n"), "{output}");
    let (result, output) = run(&["0.1", "5", "a", "b"]);
    result.unwrap();
    assert!(output.starts_with("1 5 2\n"), "{output}");
    let error = run(&[]).0.unwrap_err();
    assert!(error.to_string().contains("expected at least 1 argument, found 0"), "{error}");
}

#[test]
fn scalars_are_double() {
    let y = program::third(&quasar::Array::from([1.0_f64, 2.0])).unwrap();
    assert_eq!(y.to_vec(), [1.0 / 3.0, 2.0 / 3.0]);
}
