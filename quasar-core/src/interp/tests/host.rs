//! Host code: statements, calls, errors.

use super::build::*;
use crate::interp::{InterpOptions, RunErrorKind};
use crate::ir::{Expr, ExprKind, Failure, Global, Handler, Index, Program, Range, StmtKind};
use crate::source::Span;
use crate::types::{Boundary, ElementType, Overflow, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::value::{ErrorKind, Value};

#[test]
fn a_loop_keeps_its_own_counter() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (total, i) = (b.result("total", int_ty()), b.var("i", int_ty()));
    let last = b.result("last", int_ty());
    let body = vec![set(total, op("add", &[b.get(total), b.get(i)])), set(i, n(100))];
    let block = vec![set(total, n(0)), count_to(i, n(1), n(4), body), set(last, b.get(i))];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, Vec::new), "10 100");
}

#[test]
fn jumps_leave_the_loops_they_name() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (total, i, j) = (b.result("total", int_ty()), b.var("i", int_ty()), b.var("j", int_ty()));
    let step = set(total, op("add", &[b.get(total), n(1)]));
    let inner = vec![
        when(op("equal", &[b.get(j), n(1)]), vec![stmt(StmtKind::Continue { levels: 0 })]),
        when(op("equal", &[b.get(j), n(3)]), vec![stmt(StmtKind::Continue { levels: 1 })]),
        when(op("equal", &[b.get(i), n(2)]), vec![stmt(StmtKind::Break { levels: 1 })]),
        step,
    ];
    // i = 0 and 1 count j = 0 and 2 each; i = 2 leaves both loops at j = 0.
    let block = vec![set(total, n(0)), count_to(i, n(0), n(9), vec![count_to(j, n(0), n(9), inner)])];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, Vec::new), "4");
}

#[test]
fn the_test_of_repeat_runs_after_continue() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (k, seen) = (b.result("k", int_ty()), b.result("seen", int_ty()));
    let body = vec![
        when(op("less", &[b.get(k), n(3)]), vec![stmt(StmtKind::Continue { levels: 0 })]),
        set(seen, op("add", &[b.get(seen), n(1)])),
    ];
    let test = vec![set(k, op("add", &[b.get(k), n(1)]))];
    let until = op("equal", &[b.get(k), n(5)]);
    let block = vec![set(k, n(0)), set(seen, n(0)), stmt(StmtKind::Repeat { body, test, until })];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, Vec::new), "5 2");
}

#[test]
fn ranges_of_floats_include_their_end() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (count, x) = (b.result("count", int_ty()), b.result("x", float()));
    let body = vec![set(count, op("add", &[b.get(count), n(1)]))];
    let range = Range { from: f(0.0), step: Some(f(0.1)), to: f(1.0) };
    let each = stmt(StmtKind::For { variable: x, range, body, attributes: Default::default() });
    b.function(&mut program, "f", false, vec![set(count, n(0)), each]);
    assert_eq!(results(&mut program, Vec::new), "11 1");
}

/// `f(k) = k < 2 ? k : f(k-1) + f(k-2)`
fn fibonacci() -> Program {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (k, y) = (b.param("k", int_ty()), b.result("y", int_ty()));
    let (p, q) = (b.var("p", int_ty()), b.var("q", int_ty()));
    let call = |d: i32, to| {
        let args = vec![op("subtract", &[b.get(k), n(d)])];
        stmt(StmtKind::Call { function: crate::ids::Id::new(0), args, results: vec![Some(to)] })
    };
    let otherwise = vec![call(1, p), call(2, q), set(y, op("add", &[b.get(p), b.get(q)]))];
    let condition = op("less", &[b.get(k), n(2)]);
    let block = vec![stmt(StmtKind::If { condition, then: vec![set(y, b.get(k))], otherwise })];
    b.function(&mut program, "f", true, block);
    program
}

#[test]
fn functions_may_call_themselves() {
    assert_eq!(results(&mut fibonacci(), || vec![Value::int(15)]), "610");
}

#[test]
fn endless_programs_stop_with_an_error() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let k = b.param("k", int_ty());
    let again = StmtKind::Call { function: crate::ids::Id::new(0), args: vec![b.get(k)], results: vec![] };
    b.function(&mut program, "f", false, vec![stmt(again)]);
    let error = call(&mut program, vec![Value::int(1)]).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Value(ErrorKind::System));
    assert!(error.text.starts_with("calls are nested more than"), "{}", error.text);

    let mut program = Program::default();
    let endless = stmt(StmtKind::While { condition: n(1), body: vec![] });
    Builder::default().function(&mut program, "f", false, vec![endless]);
    let options = InterpOptions { step_limit: Some(1000), ..InterpOptions::default() };
    let error = call_with(&mut program, options, vec![], None).unwrap_err();
    assert_eq!(error.text, "stopped after 1000 steps, the limit that was set, line 1");
}

#[test]
fn handlers_catch_errors_of_callees() {
    let mut program = Program::default();
    let b = Builder::default();
    let text = Expr::new(ExprKind::Text("bad ".into()), Type::Text, Span::default());
    let failing = b.function(
        &mut program,
        "g",
        false,
        vec![stmt(StmtKind::Fail { failure: Failure::Raised, message: vec![text, n(7)] })],
    );
    let mut b = Builder::default();
    let (message, i) = (b.result("message", Type::Text), b.var("i", int_ty()));
    let body = vec![stmt(StmtKind::Try {
        body: vec![when(op("equal", &[b.get(i), n(1)]), vec![stmt(StmtKind::Break { levels: 0 })])],
        handlers: vec![Handler { exception: None, variable: None, block: vec![] }],
    })];
    let call = stmt(StmtKind::Call { function: failing, args: vec![], results: vec![] });
    let block = vec![
        count_to(i, n(0), n(5), body),
        stmt(StmtKind::Try {
            body: vec![call.clone()],
            handlers: vec![Handler { exception: None, variable: Some(message), block: vec![] }],
        }),
        when(op("equal", &[b.get(i), n(5)]), vec![call]),
    ];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, Vec::new), "bad 7");
}

#[test]
fn errors_name_the_array_and_the_line() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let a = b.param("A", mat());
    let store = on(6, b.store(a, &[n(5), n(0)], f(1.0)));
    b.function(&mut program, "f", false, vec![store]);
    let error = call(&mut program, vec![zeros(&[4, 4])]).unwrap_err();
    assert_eq!(error.text, "index out of bounds: A[5,0], size 4x4, line 7");
    assert_eq!((error.function.as_str(), error.span), ("f", at(6)));
}

#[test]
fn assertions_name_their_line() {
    for (message, expected) in [(vec![], "0 > 1, line 12"), (vec![n(7)], "7, line 12")] {
        let mut program = Program::default();
        let assert = StmtKind::Assert { condition: n(0), text: "0 > 1".into(), message };
        Builder::default().function(&mut program, "f", false, vec![on(11, stmt(assert))]);
        let error = call(&mut program, vec![]).unwrap_err();
        assert_eq!(error.kind, RunErrorKind::Assertion);
        assert_eq!(error.text, format!("assertion failed: {expected}"));
    }
}

#[test]
fn unassigned_variables_are_errors() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (k, x, y) = (b.param("k", int_ty()), b.var("x", int_ty()), b.result("y", int_ty()));
    let block = vec![when(b.get(k), vec![set(x, n(3))]), set(y, b.get(x))];
    b.function(&mut program, "f", false, block);
    assert_eq!(printed(&call(&mut program, vec![Value::int(1)]).unwrap()), "3");
    let error = call(&mut program, vec![Value::int(0)]).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Unassigned);
    assert!(error.text.contains("'x'"), "{}", error.text);
}

#[test]
fn arrays_are_references_and_slices_are_copies() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (a, c) = (b.param("a", vec_of(ElementType::Single)), b.result("c", vec_of(ElementType::Single)));
    let alias = b.var("alias", vec_of(ElementType::Single));
    let slice = ExprKind::Load {
        array: Box::new(b.get(a)),
        index: vec![Index::Range(Range { from: n(0), step: None, to: n(1) })],
        boundary: Boundary::Checked,
    };
    let slice = Expr::new(slice, vec_of(ElementType::Single), Span::default());
    let block = vec![set(c, slice), set(alias, b.get(a)), b.store(alias, &[n(1)], f(9.0))];
    b.function(&mut program, "f", false, block);
    let a = floats(&[1.0, 2.0, 3.0]);
    assert_eq!(printed(&call(&mut program, vec![a.clone()]).unwrap()), "[1,2]");
    assert_eq!(printed(&[a]), "[1,9,3]");
}

#[test]
fn literals_stack_vectors_to_matrices() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (u, y) = (b.param("u", vec_of(ElementType::Single)), b.result("y", mat()));
    let rows = vec![b.get(u), list(vec![f(3.0), f(4.0)], fixed(2))];
    let block = vec![set(y, list(rows, mat()))];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, || vec![floats(&[1.0, 2.0])]), "[ [1,2],\n  [3,4] ]");
    let error = call(&mut program, vec![floats(&[1.0])]).unwrap_err();
    assert!(error.text.starts_with("rows of different sizes: 1 and 2"), "{}", error.text);
}

#[test]
fn stores_convert_as_the_element_type_says() {
    for (overflow, expected) in [(Overflow::Saturate, "[255]"), (Overflow::Wrap, "[44]")] {
        let mut program = Program::default();
        let mut b = Builder::default();
        let ty = crate::ir::build::array_type(Type::Scalar(ElementType::UInt8, overflow), 1);
        let a = b.result("a", ty);
        let zero = Expr::new(
            ExprKind::Constant(Scalar::U8(200)),
            Type::Scalar(ElementType::UInt8, overflow),
            Span::default(),
        );
        let ty = b.body.variables[a].ty.clone();
        let block = vec![set(a, list(vec![zero], ty)), b.add_to(a, &[n(0)], n(100), false)];
        b.function(&mut program, "f", false, block);
        assert_eq!(results(&mut program, Vec::new), expected);
    }
}

#[test]
fn globals_live_between_calls() {
    let mut program = Program::default();
    let counter = program.globals.push(Global { name: "counter".into(), ty: int_ty() });
    let read = Expr::new(ExprKind::Global(counter), int_ty(), Span::default());
    let b = Builder::default();
    let begin = stmt(StmtKind::AssignGlobal { global: counter, value: n(40) });
    let initializer = b.function(&mut program, "begin", false, vec![begin]);
    program.initializer = Some(initializer);
    let mut b = Builder::default();
    let y = b.result("y", int_ty());
    let step = StmtKind::AssignGlobal { global: counter, value: op("add", &[read.clone(), n(1)]) };
    let main = b.function(&mut program, "main", false, vec![stmt(step), set(y, read)]);
    program.main = Some(main);
    let mut host = quasar_devicelib::value::BufferHost::default();
    let mut interpreter = crate::interp::Interpreter::new(&program, InterpOptions::default(), &mut host);
    let error = interpreter.run_main(vec![]).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Unassigned);
    interpreter.run_initializer().unwrap();
    interpreter.run_main(vec![]).unwrap();
    assert_eq!(printed(&interpreter.run_main(vec![]).unwrap()), "42");
    assert!(interpreter.call("nothing", vec![]).unwrap_err().text.contains("'nothing'"));
}

#[test]
fn dynamic_values_are_checked_when_they_get_a_type() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let (x, y) = (b.param("x", Type::Dynamic), b.result("y", fixed(3)));
    let block = vec![set(y, convert(b.get(x), fixed(3)))];
    b.function(&mut program, "f", false, block);
    assert_eq!(printed(&call(&mut program, vec![ints(&[1, 2, 3])]).unwrap()), "[1,2,3]");
    let error = call(&mut program, vec![Value::from("text")]).unwrap_err();
    assert_eq!(error.text, "Type check failed: 'string' is not 'vec(3)', line 1");
    let error = call(&mut program, vec![floats(&[1.0])]).unwrap_err();
    assert_eq!(error.text, "size constraint violated: expected vec(3), got 1, line 1");
}
