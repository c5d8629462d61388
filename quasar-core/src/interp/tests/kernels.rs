//! Launches: positions, blocks, barriers, shared memory, results, errors.

use super::build::*;
use crate::interp::RunErrorKind;
use crate::ir::{Accumulator, Coordinate, Dims, Expr, ExprKind, LaunchMode, Program, Scope, StmtKind};
use crate::source::Span;
use crate::types::{Boundary, ElementType};

#[test]
fn every_position_runs_once() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let y = k.param("y", mat());
    let value = op("add", &[op("multiply", &[pos(0), n(10)]), pos(1)]);
    let block = vec![k.add_to(y, &[pos(0), pos(1)], convert(value, float()), true)];
    let kernel = k.kernel(&mut program, 2, block);
    let mut b = Builder::default();
    let y = b.param("y", mat());
    let out = b.result("out", mat());
    let block = vec![launch(kernel, &[3, 5], None, vec![b.get(y)]), set(out, b.get(y))];
    b.function(&mut program, "f", false, block);
    let expected = "[ [0,1,2,3,4],\n  [10,11,12,13,14],\n  [20,21,22,23,24] ]";
    assert_eq!(results(&mut program, || vec![zeros(&[3, 5])]), expected);
}

#[test]
fn blocks_cover_the_grid_and_padding_changes_nothing() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let y = k.param("y", vec_of(ElementType::Int32));
    let count = k.result("count", int_ty());
    let at = op(
        "add",
        &[
            op("multiply", &[coordinate(Coordinate::BlockIndex, 0), coordinate(Coordinate::BlockDim, 0)]),
            coordinate(Coordinate::BlockPosition, 0),
        ],
    );
    let block = vec![
        k.add_to(y, &[at], coordinate(Coordinate::BlockCount, 0), true),
        barrier(1),
        set(count, op("add", &[k.get(count), n(1)])),
    ];
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let (y, count) = (b.param("y", vec_of(ElementType::Int32)), b.result("count", int_ty()));
    let out = b.result("out", vec_of(ElementType::Int32));
    let block = vec![launch_to(kernel, &[5], Some(&[4]), vec![b.get(y)], &[count]), set(out, b.get(y))];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, || vec![ints(&[0; 5])]), "5 [2,2,2,2,2]");
}

#[test]
fn launches_over_nothing_do_nothing() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let count = k.result("count", int_ty());
    let block = vec![set(count, n(1))];
    let kernel = k.kernel(&mut program, 2, block);
    let mut b = Builder::default();
    let count = b.result("count", int_ty());
    let block = vec![launch_to(kernel, &[4, 0], None, vec![], &[count])];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, Vec::new), "0");
}

/// Each block sums its elements by a tree in shared memory: barriers inside a loop.
fn tree_sum(line: u32) -> Program {
    let mut program = Program::default();
    let mut k = Builder::default();
    let (x, total) =
        (k.param("x", vec_of(ElementType::Single)), k.param("total", vec_of(ElementType::Single)));
    let s = k.shared("s", ElementType::Single);
    let step = k.var("step", int_ty());
    let me = || coordinate(Coordinate::BlockPosition, 0);
    let other = k.load(s, &[op("add", &[me(), k.get(step)])], Boundary::Safe);
    let mine = k.load(s, &[me()], Boundary::Safe);
    let body = vec![
        when(op("less", &[me(), k.get(step)]), vec![k.store(s, &[me()], op("add", &[mine, other]))]),
        barrier(line),
        set(step, op("shr", &[k.get(step), n(1)])),
    ];
    let block = vec![
        stmt(StmtKind::Shared { variable: s, dims: vec![n(8)], zeroed: false }),
        k.store(s, &[me()], k.load(x, &[pos(0)], Boundary::Safe)),
        barrier(line),
        set(step, n(4)),
        stmt(StmtKind::While { condition: op("greater", &[k.get(step), n(0)]), body }),
        when(
            op("equal", &[me(), n(0)]),
            vec![k.add_to(total, &[n(0)], k.load(s, &[n(0)], Boundary::Safe), true)],
        ),
    ];
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let (x, total) =
        (b.param("x", vec_of(ElementType::Single)), b.param("total", vec_of(ElementType::Single)));
    let out = b.result("out", vec_of(ElementType::Single));
    let block = vec![launch(kernel, &[20], Some(&[8]), vec![b.get(x), b.get(total)]), set(out, b.get(total))];
    b.function(&mut program, "f", false, block);
    program
}

#[test]
fn blocks_sum_in_shared_memory() {
    let x: Vec<f32> = (1..=20).map(|k| k as f32).collect();
    assert_eq!(results(&mut tree_sum(3), || vec![floats(&x), floats(&[0.0])]), "[210]");
}

#[test]
fn grid_barriers_order_all_blocks() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let (a, b_) = (k.param("a", vec_of(ElementType::Single)), k.param("b", vec_of(ElementType::Single)));
    let mirrored = op("subtract", &[n(9), pos(0)]);
    let block = vec![
        k.store(a, &[pos(0)], convert(pos(0), float())),
        stmt(StmtKind::Barrier(Scope::Grid)),
        k.store(b_, &[pos(0)], k.load(a, &[mirrored], Boundary::Safe)),
    ];
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let (x, y) = (b.param("a", vec_of(ElementType::Single)), b.param("b", vec_of(ElementType::Single)));
    let out = b.result("out", vec_of(ElementType::Single));
    let block = vec![launch(kernel, &[10], Some(&[4]), vec![b.get(x), b.get(y)]), set(out, b.get(y))];
    b.function(&mut program, "f", false, block);
    let args = || vec![floats(&[0.0; 10]), floats(&[0.0; 10])];
    assert_eq!(results(&mut program, args), "[9,8,7,6,5,4,3,2,1,0]");
}

#[test]
fn divergent_barriers_name_both_places() {
    let mut program = Program::default();
    let k = Builder::default();
    let first = when(op("less", &[pos(0), n(2)]), vec![barrier(4)]);
    let kernel = k.kernel(&mut program, 1, vec![first, barrier(8)]);
    Builder::default().function(&mut program, "f", false, vec![launch(kernel, &[4], None, vec![])]);
    let error = call(&mut program, vec![]).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Divergence);
    assert!(error.text.contains("thread [0] waits at line 5"), "{}", error.text);
    assert!(error.text.contains("thread [2] waits at line 9"), "{}", error.text);

    let mut program = Program::default();
    let only = when(op("less", &[pos(0), n(2)]), vec![barrier(4)]);
    let kernel = Builder::default().kernel(&mut program, 1, vec![only]);
    Builder::default().function(&mut program, "f", false, vec![launch(kernel, &[4], None, vec![])]);
    let error = call(&mut program, vec![]).unwrap_err();
    assert!(error.text.contains("thread [2] has ended"), "{}", error.text);
}

#[test]
fn accumulators_join_the_old_value() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let (x, total, best) =
        (k.param("x", vec_of(ElementType::Single)), k.result("t", float()), k.result("m", float()));
    let element = || k.load(x, &[pos(0)], Boundary::Safe);
    let block = vec![
        set(total, op("add", &[k.get(total), element()])),
        set(best, op("max", &[k.get(best), element()])),
    ];
    let kernel = k.kernel(&mut program, 1, block);
    program.kernels[kernel].accumulators = vec![
        Accumulator { variable: total, row: row("add") },
        Accumulator { variable: best, row: row("max") },
    ];
    let mut b = Builder::default();
    let (x, t, m) =
        (b.param("x", vec_of(ElementType::Single)), b.result("t", float()), b.result("m", float()));
    let block =
        vec![set(t, f(100.0)), set(m, f(-50.0)), launch_to(kernel, &[4], None, vec![b.get(x)], &[t, m])];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, || vec![floats(&[-1.0, -2.0, -3.0, -4.0])]), "90 -1");
}

#[test]
fn scalar_results_start_as_zero_and_are_shared() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let total = k.result("total", int_ty());
    let block = vec![set(total, op("add", &[k.get(total), pos(0)]))];
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let total = b.result("total", int_ty());
    let block = vec![set(total, n(1000)), launch_to(kernel, &[5], None, vec![], &[total])];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, Vec::new), "10");
}

#[test]
fn fixed_arrays_belong_to_their_thread() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let (u, y) = (k.param("u", fixed(2)), k.param("y", vec_of(ElementType::Single)));
    let (v, w) = (k.var("v", fixed(2)), k.var("w", fixed(2)));
    let block = vec![
        set(v, k.get(u)),
        set(w, k.get(v)),
        k.add_to(v, &[n(0)], convert(pos(0), float()), false),
        k.store(
            y,
            &[pos(0)],
            op("add", &[k.load(v, &[n(0)], Boundary::Safe), k.load(w, &[n(0)], Boundary::Safe)]),
        ),
    ];
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let (u, y) = (b.param("u", fixed(2)), b.param("y", vec_of(ElementType::Single)));
    let (out, same) = (b.result("out", vec_of(ElementType::Single)), b.result("same", fixed(2)));
    let block =
        vec![launch(kernel, &[3], None, vec![b.get(u), b.get(y)]), set(out, b.get(y)), set(same, b.get(u))];
    b.function(&mut program, "f", false, block);
    let args = || vec![floats(&[10.0, 0.0]), floats(&[0.0; 3])];
    assert_eq!(results(&mut program, args), "[20,21,22] [10,0]");
}

#[test]
fn kernels_call_device_functions() {
    let mut program = Program::default();
    let mut d = Builder::default();
    let (x, y) = (d.param("x", float()), d.result("y", float()));
    let block = vec![set(y, op("multiply", &[d.get(x), d.get(x)]))];
    let square = d.function(&mut program, "square", true, block);
    let mut k = Builder::default();
    let (a, s) = (k.param("a", vec_of(ElementType::Single)), k.var("s", float()));
    let call = StmtKind::Call {
        function: square,
        args: vec![k.load(a, &[pos(0)], Boundary::Safe)],
        results: vec![Some(s)],
    };
    let block = vec![stmt(call), k.store(a, &[pos(0)], k.get(s))];
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let (a, out) = (b.param("a", vec_of(ElementType::Single)), b.result("out", vec_of(ElementType::Single)));
    let block = vec![launch(kernel, &[3], None, vec![b.get(a)]), set(out, b.get(a))];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, || vec![floats(&[1.0, 2.0, 3.0])]), "[1,4,9]");
}

#[test]
fn compare_and_swap_takes_one_winner() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let (lock, wins) =
        (k.param("lock", vec_of(ElementType::Int32)), k.param("wins", vec_of(ElementType::Int32)));
    let old = k.var("old", int_ty());
    let swap = StmtKind::Exchange {
        array: k.get(lock),
        index: vec![crate::ir::Index::At(n(0))],
        boundary: Boundary::Checked,
        value: n(7),
        expected: Some(n(0)),
        result: Some(old),
    };
    let win = when(op("equal", &[k.get(old), n(0)]), vec![k.add_to(wins, &[n(0)], n(1), true)]);
    let block = vec![stmt(swap), win];
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let (lock, wins) =
        (b.param("lock", vec_of(ElementType::Int32)), b.param("wins", vec_of(ElementType::Int32)));
    let (p, q) = (b.result("p", vec_of(ElementType::Int32)), b.result("q", vec_of(ElementType::Int32)));
    let run = launch(kernel, &[50], None, vec![b.get(lock), b.get(wins)]);
    let block = vec![run, set(p, b.get(lock)), set(q, b.get(wins))];
    b.function(&mut program, "f", false, block);
    assert_eq!(results(&mut program, || vec![ints(&[0]), ints(&[0])]), "[7] [1]");
}

#[test]
fn kernel_errors_name_the_kernel() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let a = k.param("A", mat());
    let block = vec![on(6, k.store(a, &[op("add", &[pos(0), n(5)]), n(0)], f(1.0)))];
    let kernel = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let a = b.param("X", mat());
    let block = vec![launch(kernel, &[1], None, vec![b.get(a)])];
    b.function(&mut program, "f", false, block);
    let error = call(&mut program, vec![zeros(&[4, 4])]).unwrap_err();
    assert_eq!(error.text, "(parallel_do) kernel - index out of bounds: A[5,0], size 4x4, line 7");
    assert_eq!(error.function, "kernel");

    let mut program = Program::default();
    let assert = StmtKind::Assert { condition: n(0), text: String::new(), message: vec![] };
    let kernel = Builder::default().kernel(&mut program, 1, vec![on(11, stmt(assert))]);
    Builder::default().function(&mut program, "f", false, vec![launch(kernel, &[1], None, vec![])]);
    let error = call(&mut program, vec![]).unwrap_err();
    assert_eq!(error.text, "(parallel_do) kernel - assertion failed: line 12");
}

#[test]
fn launches_nest_and_take_vectors() {
    let mut program = Program::default();
    let mut k = Builder::default();
    let (y, i) = (k.param("y", mat()), k.param("i", int_ty()));
    let block = vec![k.store(y, &[k.get(i), pos(0)], convert(op("add", &[k.get(i), pos(0)]), float()))];
    let inner = k.kernel(&mut program, 1, block);
    let mut k = Builder::default();
    let y = k.param("y", mat());
    let block = vec![launch(inner, &[3], None, vec![k.get(y), pos(0)])];
    let outer = k.kernel(&mut program, 1, block);
    let mut b = Builder::default();
    let (y, dims, out) =
        (b.param("y", mat()), b.param("dims", vec_of(ElementType::Int32)), b.result("out", mat()));
    let run = StmtKind::Launch {
        kernel: outer,
        dims: Dims::Vector(b.get(dims)),
        block: None,
        args: vec![b.get(y)],
        results: vec![],
        mode: LaunchMode::Serial,
    };
    let block = vec![stmt(run), set(out, b.get(y))];
    b.function(&mut program, "f", false, block);
    let args = || vec![zeros(&[2, 3]), ints(&[2])];
    assert_eq!(results(&mut program, args), "[ [0,1,2],\n  [1,2,3] ]");
}

#[test]
fn blocks_have_limits() {
    for (block, expected) in [(&[64, 64][..], "larger than the limit of 1024"), (&[0, 4], "at least 1")] {
        let mut program = Program::default();
        let kernel = Builder::default().kernel(&mut program, 2, vec![]);
        Builder::default().function(
            &mut program,
            "f",
            false,
            vec![launch(kernel, &[64, 64], Some(block), vec![])],
        );
        let error = call(&mut program, vec![]).unwrap_err();
        assert!(error.text.contains(expected), "{}", error.text);
    }
}

#[test]
fn deep_expressions_are_refused() {
    let mut program = Program::default();
    let mut b = Builder::default();
    let y = b.result("y", int_ty());
    let deep = (0..2000)
        .fold(n(1), |e, _| Expr::new(ExprKind::And(Box::new(e), Box::new(n(1))), int_ty(), Span::default()));
    b.function(&mut program, "f", false, vec![set(y, deep)]);
    let error = call(&mut program, vec![]).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Internal);
    assert!(error.text.contains("nested too deeply"), "{}", error.text);
}
