//! Compiled programs that evaluate texts, which need the compiler in them: `cargo test --features eval --test evaluated_texts`.

use quasar::{Array, Error, Value, context};

mod as_interpreted {
    quasar::quasar_file!(#![quiet] #![command_line] "tests/programs/06-logic/evaluated_at_run_time.q");
}

mod program {
    quasar::quasar! {
        #![quiet]
        #![define(SCALE = 3)]
        SCALE = 2
        function y = scaled(x)
            assert(x >= 0, "negative")
            y = SCALE * x
        endfunction
        function y : scalar = evaluated(text : string, x : scalar)
            f : [scalar -> scalar] = eval(text)
            y = f(x)
        endfunction
        function y = any(text : string)
            y = eval(text)
        endfunction
        function y : mat = matrix(text : string)
            y = eval(text)
        endfunction
        function y : scalar = with_own(text : string, x : scalar)
            f = eval(text)
            g = t -> t + x
            y = f(g, x)
        endfunction
        function y = noted(x)
            print "noted ", x
            y = x
        endfunction
        function n : int = printed(text : string)
            f = eval(text)
            n = f(0)
        endfunction
    }
}

mod precise {
    quasar::quasar! {
        #![double]
        function y : scalar = number(text : string)
            y = eval(text)
        endfunction
    }
}

#[test]
fn a_program_prints_what_it_prints_on_the_interpreter() {
    let expected = include_str!("programs/06-logic/evaluated_at_run_time.expected");
    let (done, output) = context::capture(|| as_interpreted::main(&Value::cell(Vec::new())));
    done.expect("the program runs");
    assert_eq!(output, expected);
}

#[test]
fn functions_of_texts_know_those_of_the_program_and_values_from_outside() {
    assert_eq!(program::evaluated("x -> scaled(x) + 1", 4.0).unwrap(), 13.0);
    assert_eq!(program::with_own("(f, x) -> f(f(x)) * SCALE", 2.0).unwrap(), 18.0);
    let matrix = program::matrix("[[1, 2], [3, SCALE]]").unwrap();
    assert_eq!(matrix.dims(), [2, 2]);
    assert_eq!(matrix.to_vec(), [1.0, 2.0, 3.0, 3.0]);
    let value = program::any("uint8(200)").unwrap();
    assert_eq!(value.kind(), "uint8");
    assert_eq!(precise::number("1/3").unwrap(), 1.0_f64 / 3.0);
}

#[test]
fn functions_of_texts_go_to_rust_and_between_threads() {
    let Value::Function(function) = program::any("v -> sum(v) * SCALE").unwrap() else {
        panic!("no function")
    };
    let argument: Value = Array::from([1.0f32, 2.0]).into();
    let call = move || function.call(&[argument]).expect("it can be called");
    let values = std::thread::spawn(call).join().expect("no panic");
    assert_eq!(format!("{:?}", values[0]), format!("{:?}", Value::from(quasar::Scalar::F32(9.0))));
}

#[test]
fn what_texts_print_goes_where_the_program_prints() {
    let (n, output) = context::capture(|| program::printed("x -> noted(x + 5)"));
    assert_eq!((n.unwrap(), output.as_str()), (5, "noted 5\n"));
}

#[test]
fn errors_name_the_text_or_the_line_of_the_program() {
    let error = program::any("1 + unknown").unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error:?}");
    assert!(
        error
            .to_string()
            .contains("eval: unknown name 'unknown', column 5 of the text \"1 + unknown\", line 2"),
        "{error}"
    );
    let error = program::evaluated("x -> scaled(x)", -1.0).unwrap_err();
    assert!(error.to_string().contains("assertion failed: negative, line 15"), "{error}");
    let error = program::matrix("\"text\"").unwrap_err();
    assert!(matches!(error, Error::Type { .. }), "{error:?}");
    assert!(error.to_string().contains("'string' is not 'mat'"), "{error}");
}
