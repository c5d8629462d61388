//! Measures the interpreter's speed: run with `cargo test --release speed -- --ignored --nocapture`.

use super::build::*;
use crate::ir::Program;
use crate::types::Boundary;
use quasar_devicelib::value::Value;
use std::time::Instant;

/// Statements and operators per iteration of the loop in `convolve`: a loop step, an assignment, a load, three
/// operators.
const OPERATIONS: f64 = 6.0;

#[test]
#[ignore = "measures time"]
fn convolve() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let (x, y) = (k.param("x", mat()), k.param("y", mat()));
    let (sum, d) = (k.var("sum", float()), k.var("d", int_ty()));
    let load = k.load(x, &[pos(0), op("add", &[pos(1), k.get(d)])], Boundary::Mirror);
    let body = vec![set(sum, op("add", &[k.get(sum), op("multiply", &[load, f(0.5)])]))];
    let block =
        vec![set(sum, f(0.0)), count_to(d, n(-8), n(8), body), k.store(y, &[pos(0), pos(1)], k.get(sum))];
    let kernel = k.kernel(&mut program, 2, block);
    let mut b = Builder::default();
    let (x, y) = (b.param("x", mat()), b.param("y", mat()));
    let block = vec![launch(kernel, &[256, 256], None, vec![b.get(x), b.get(y)])];
    b.function(&mut program, "f", false, block);
    let start = Instant::now();
    call(&mut program, vec![zeros(&[256, 256]), zeros(&[256, 256])]).unwrap();
    let operations = 256.0 * 256.0 * 17.0 * OPERATIONS;
    eprintln!("{:.1} million operations per second", operations / start.elapsed().as_secs_f64() / 1e6);
}

#[test]
#[ignore = "measures time"]
fn scalar_loop() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (total, i) = (b.result("total", int_ty()), b.var("i", int_ty()));
    let body = vec![set(total, op("add", &[b.get(total), op("mod", &[b.get(i), n(7)])]))];
    b.function(&mut program, "f", false, vec![set(total, n(0)), count_to(i, n(1), n(1_000_000), body)]);
    let start = Instant::now();
    assert_eq!(printed(&call(&mut program, Vec::<Value>::new()).unwrap()), "2999998");
    eprintln!("{:.1} million operations per second", 4.0 / start.elapsed().as_secs_f64());
}
