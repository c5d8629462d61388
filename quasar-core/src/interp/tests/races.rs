//! The race detector on kernels.

use super::build::*;
use crate::interp::{FindingKind, InterpOptions, RaceDetector, ThreadOrder};
use crate::ir::{Coordinate, Program, Stmt, StmtKind};
use crate::types::{Boundary, ElementType};
use quasar_devicelib::value::Value;

fn findings(program: &mut Program, order: ThreadOrder, args: Vec<Value>) -> Vec<(FindingKind, String)> {
    let mut detector = RaceDetector::new();
    let options = InterpOptions { order, ..InterpOptions::default() };
    call_with(program, options, args, Some(&mut detector)).unwrap();
    detector.findings().iter().map(|f| (f.kind, f.name.clone())).collect()
}

/// A kernel that shifts a block's elements through shared memory, with or without the barrier between.
fn shift(with_barrier: bool, initialised: bool) -> Program {
    let mut program = Program::default();
    let mut k = Builder::default();
    let y = k.param("y", vec_of(ElementType::Single));
    let s = k.shared("s", ElementType::Single);
    let me = || coordinate(Coordinate::BlockPosition, 0);
    let mut block: Vec<Stmt> =
        vec![stmt(StmtKind::Shared { variable: s, dims: vec![n(5)], zeroed: initialised })];
    if initialised {
        block.push(barrier(1));
    }
    block.push(on(2, k.store(s, &[me()], convert(pos(0), float()))));
    if with_barrier {
        block.push(barrier(3));
    }
    let next = k.load(s, &[op("add", &[me(), n(1)])], Boundary::Safe);
    block.push(on(4, k.store(y, &[pos(0)], next)));
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let y = b.param("y", vec_of(ElementType::Single));
    let block = vec![launch(kernel, &[8], Some(&[4]), vec![b.get(y)])];
    b.function(&mut program, "f", false, block);
    program
}

#[test]
fn missing_barriers_are_found_in_any_order() {
    for order in ORDERS {
        let args = || vec![floats(&[0.0; 8])];
        assert!(findings(&mut shift(true, true), order, args()).is_empty());
        let found = findings(&mut shift(false, true), order, args());
        assert_eq!(found, [(FindingKind::Race, "s".to_string())]);
    }
}

#[test]
fn reads_of_shared_memory_without_values_are_found() {
    let found = findings(&mut shift(true, false), ThreadOrder::Serial, vec![floats(&[0.0; 8])]);
    assert_eq!(found, [(FindingKind::Uninitialised, "s".to_string())]);
}

fn histogram(atomic: bool) -> Program {
    let mut program = Program::default();
    let mut k = Builder::default();
    let h = k.param("h", vec_of(ElementType::Int32));
    let block = vec![k.add_to(h, &[op("mod", &[pos(0), n(3)])], n(1), atomic)];
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let (h, out) = (b.param("h", vec_of(ElementType::Int32)), b.result("out", vec_of(ElementType::Int32)));
    let block = vec![launch(kernel, &[100], None, vec![b.get(h)]), set(out, b.get(h))];
    b.function(&mut program, "f", false, block);
    program
}

#[test]
fn atomics_do_not_race() {
    for order in ORDERS {
        assert!(findings(&mut histogram(true), order, vec![ints(&[0; 3])]).is_empty());
        let found = findings(&mut histogram(false), order, vec![ints(&[0; 3])]);
        assert_eq!(found, [(FindingKind::Race, "h".to_string())]);
    }
}

#[test]
fn random_orders_show_lost_updates() {
    assert_eq!(results(&mut histogram(true), || vec![ints(&[0; 3])]), "[34,33,33]");
    let lost = |order| {
        let options = InterpOptions { order, ..InterpOptions::default() };
        printed(&call_with(&mut histogram(false), options, vec![ints(&[0; 3])], None).unwrap())
    };
    assert_eq!(lost(ThreadOrder::Serial), "[34,33,33]");
    assert_ne!(lost(ThreadOrder::Random(1)), "[34,33,33]");
}

#[test]
fn private_arrays_are_not_watched() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let (v, i) = (k.var("v", fixed(4)), k.var("i", int_ty()));
    let block = vec![
        set(v, list(vec![f(0.0), f(0.0), f(0.0), f(0.0)], fixed(4))),
        count_to(i, n(0), n(3), vec![k.add_to(v, &[k.get(i)], f(1.0), false)]),
    ];
    let kernel = k.kernel(&mut program, 1, block);
    Builder::default().function(&mut program, "f", false, vec![launch(kernel, &[16], None, vec![])]);
    assert!(findings(&mut program, ThreadOrder::Random(5), vec![]).is_empty());
}
