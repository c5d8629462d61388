//! The filters of `examples/denoise.rs` on a small image: compiled with the example, they compute what the interpreter
//! computes from the same text.

#[path = "../examples/denoise.rs"]
#[allow(dead_code, reason = "the test calls the filters alone")]
mod example;

use quasar::{Array, context};
use quasar_core::driver::{self, Options};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::message::render::{Style, snippets};
use quasar_core::source::NoImports;
use quasar_devicelib::value::Value;
use quasar_runtime::library::host_services::with_host;

/// What stands between the braces of the macro call.
fn quasar_text() -> &'static str {
    let text = include_str!("../examples/denoise.rs");
    let (_, behind) = text.split_once("\nquasar! {\n").expect("the example has an inline program");
    behind.split_once("\n}\n").expect("the program ends at a closing brace").0
}

/// Calls a function of the example on the interpreter.
fn interpret(function: &str, arguments: Vec<Value>) -> Vec<Value> {
    let mut options = Options { optimise: false, ..Options::default() };
    options.parse.rust_comments = true;
    let compilation = driver::compile("denoise.rs", quasar_text(), &NoImports, &options);
    let said = snippets(&compilation.messages, &compilation.sources, Style::Plain);
    let program = compilation.program.as_ref().unwrap_or_else(|| panic!("{said}"));
    with_host(options.settings.precision, |host| {
        Interpreter::new(program, InterpOptions::default(), host).call(function, arguments)
    })
    .unwrap_or_else(|error| panic!("{function}: {error}"))
}

/// An edge, a slope and some noise.
fn crop() -> Array<f32> {
    let image = Array::zeros(&[9, 11, 3]).expect("small");
    for y in 0..9 {
        for x in 0..11 {
            for c in 0..3 {
                let noise = ((y * 37 + x * 101 + c * 53) % 29) as f32;
                let edge = if x + y > 9 { 120.0 } else { 30.0 };
                image.set(&[y, x, c], edge + 5.0 * y as f32 + noise).expect("inside");
            }
        }
    }
    image
}

fn assert_alike(compiled: &Array<f32>, interpreted: Value) {
    let interpreted = Array::<f32>::from_value(interpreted).expect("an array of scalars");
    assert_eq!(compiled.dims(), interpreted.dims());
    for (k, (a, b)) in compiled.read().iter().zip(interpreted.read().iter()).enumerate() {
        assert!((a - b).abs() <= 1e-4 * b.abs().max(1.0), "element {k}: compiled {a}, interpreted {b}");
    }
}

fn number(x: f32) -> Value {
    Value::Scalar(quasar::Scalar::F32(x))
}

fn integer(x: i32) -> Value {
    Value::Scalar(quasar::Scalar::I32(x))
}

#[test]
fn gaussian_computes_what_the_interpreter_does() {
    let image = crop();
    let result = example::gaussian(&image, 1.2).expect("runs");
    assert_alike(&result, interpret("gaussian", vec![image.to_value(), number(1.2)]).remove(0));
}

#[test]
fn median_computes_what_the_interpreter_does_and_is_a_median() {
    let image = crop();
    let result = example::median(&image).expect("runs");
    let mut around: Vec<f32> = (3..6)
        .flat_map(|y| (4..7).map(move |x| (y, x)))
        .map(|(y, x)| image.get(&[y, x, 1]).expect("inside"))
        .collect();
    around.sort_by(f32::total_cmp);
    assert_eq!(result.get(&[4, 5, 1]).expect("inside"), around[4]);
    assert_alike(&result, interpret("median", vec![image.to_value()]).remove(0));
}

#[test]
fn bilateral_computes_what_the_interpreter_does() {
    let image = crop();
    let result = example::bilateral(&image, 2, 1.5, 40.0).expect("runs");
    let arguments = vec![image.to_value(), integer(2), number(1.5), number(40.0)];
    assert_alike(&result, interpret("bilateral", arguments).remove(0));
}

#[test]
fn non_local_means_in_bands_computes_what_the_interpreter_does_at_once() {
    let image = crop();
    let [compiled, interpreted] = [0, 1].map(|_| Array::<f32>::zeros(image.dims()).expect("small"));
    example::nlm_rows(&image, &compiled, 0, 4, 2, 1, 10.0).expect("runs");
    example::nlm_rows(&image, &compiled, 5, 8, 2, 1, 10.0).expect("runs");
    let mut arguments = vec![image.to_value(), interpreted.to_value()];
    arguments.extend([integer(0), integer(8), integer(2), integer(1), number(10.0)]);
    interpret("nlm_rows", arguments);
    assert_alike(&compiled, interpreted.to_value());
}

#[test]
fn the_noise_is_the_same_in_every_run() {
    let image = crop();
    let [a, b] = [0, 1].map(|_| {
        context::seed(2024);
        example::add_noise(&image, 25.0).expect("runs").to_vec()
    });
    assert_eq!(a, b);
}
