//! Compiled programs that are given a command line or settings of the compiler.

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

/// Sums of elements at positions, some of which lie outside.
macro_rules! sums {
    ($module:ident $($setting:tt)*) => {
        mod $module {
            quasar::quasar!(
                "function y = total(x : vec, k : ivec)
                     y = 0.0
                     for m = 0..numel(k)-1
                         y += x[k[m]]
                     endfor
                 endfunction
                 function y = any(x : vec'unchecked, k : ivec)
                     y = 0.0
                     for m = 0..numel(k)-1
                         y += x[k[m]]
                     endfor
                 endfunction",
                $($setting)*
            );
        }
    };
}

sums!(as_written);
sums!(checked COMPILER_OUTOFBOUNDS_CHECKS = True);
sums!(unchecked COMPILER_OUTOFBOUNDS_CHECKS = false, COMPILER_LOOP_PARALLELIZER = False);
sums!(in_double COMPILER_PRECISION = "double");

#[test]
fn settings_in_calls_decide_how_programs_are_compiled() {
    let x = quasar::Array::from([1.0_f32, 2.0, 4.0]);
    let inside = quasar::Array::from([2, 0, 1]);
    let outside = quasar::Array::from([0, 9]);
    for sum in [as_written::total, as_written::any, checked::any, unchecked::total, unchecked::any] {
        assert_eq!(sum(&x, &inside).unwrap(), 7.0);
    }
    for sum in [as_written::total, checked::total, checked::any] {
        let error = sum(&x, &outside).unwrap_err().to_string();
        assert!(error.contains("out of bounds"), "{error}");
    }
    for sum in [as_written::any, unchecked::total, unchecked::any] {
        assert!(sum(&x, &outside).is_ok());
    }
    let x = quasar::Array::from([0.1_f64, 0.2, 0.4]);
    let sum = in_double::total(&x, &inside).unwrap();
    assert!((sum - 0.7).abs() < 1e-12, "{sum}");
}
