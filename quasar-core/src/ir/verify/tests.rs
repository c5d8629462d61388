//! Programs that break one rule each.

use super::super::build::{self, array_type, int_type, scalar_type};
use super::*;
use crate::ir::{Coordinate, Function, Kernel, Scope, Variable};
use crate::source::Span;

fn program_with(device: bool, build: impl FnOnce(&mut Body)) -> Program {
    let mut body = Body::default();
    build(&mut body);
    let mut program = Program::default();
    let name = "f".to_string();
    program.functions.push(Function {
        name: name.clone(),
        source_name: name,
        device,
        processor: false,
        lambda: false,
        body,
        span: Span::default(),
    });
    program
}

fn complaints(device: bool, build: impl FnOnce(&mut Body)) -> Vec<String> {
    verify(&program_with(device, build))
}

const AT: Span = Span { file: crate::source::FileId(0), start: 0, end: 0 };

#[test]
fn a_good_function_passes() {
    let found = complaints(true, |body| {
        let x = body.variables.push(Variable::new("x", array_type(int_type(), 1), AT));
        let y = body.variables.push(Variable::new("y", scalar_type(ElementType::Single), AT));
        body.params = vec![x];
        body.results = vec![y];
        let element =
            build::load(body.read(x, AT), vec![build::int(0, AT)], crate::types::Boundary::Safe, AT);
        body.block = vec![build::assign(y, build::convert(element, &scalar_type(ElementType::Single)))];
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn types_must_agree() {
    let found = complaints(false, |body| {
        let y = body.variables.push(Variable::new("y", scalar_type(ElementType::Single), AT));
        body.results = vec![y];
        body.block = vec![build::assign(y, build::int(1, AT))];
    });
    assert_eq!(found, ["f: assignment: y : scalar gets int"]);
}

#[test]
fn rows_are_applied_inside_their_domain() {
    let found = complaints(false, |body| {
        let y = body.variables.push(Variable::new("y", int_type(), AT));
        let row = quasar_devicelib::ops::find("divide").expect("the table has it");
        let args = vec![build::int(1, AT), build::int(2, AT)];
        body.block = vec![build::assign(y, build::apply(row, args, int_type(), AT))];
    });
    assert_eq!(found, ["f: divide of int"]);
}

#[test]
fn results_must_be_set() {
    let found = complaints(false, |body| {
        let y = body.variables.push(Variable::new("y", int_type(), AT));
        body.results = vec![y];
    });
    assert_eq!(found, ["f: y is never set"]);
}

#[test]
fn unknown_types_stay_on_the_host() {
    let found = complaints(true, |body| {
        body.variables.push(Variable::new("y", Type::Dynamic, AT));
    });
    assert_eq!(found, ["f: y has the host type ??"]);
    assert!(
        complaints(false, |body| {
            body.variables.push(Variable::new("y", Type::Dynamic, AT));
        })
        .is_empty()
    );
}

#[test]
fn positions_and_barriers_belong_to_kernels() {
    let fill = |body: &mut Body| {
        let y = body.variables.push(Variable::new("y", int_type(), AT));
        let at = Expr::new(ExprKind::Coordinate(Coordinate::Position, 1), int_type(), AT);
        body.block = vec![build::assign(y, at), Stmt::new(StmtKind::Barrier(Scope::Block), AT)];
    };
    let found = complaints(false, fill);
    assert_eq!(found, ["f: position outside a kernel", "f: barrier or fence outside a kernel"]);
    let mut program = Program::default();
    let mut body = Body::default();
    fill(&mut body);
    let accumulators = Vec::new();
    let name = "k".to_string();
    let id = program.kernels.push(Kernel {
        name,
        body,
        rank: 2,
        accumulators,
        parallel: true,
        aliased: false,
        divisible: false,
        attributes: Default::default(),
        strip: None,
        schedule: Default::default(),
        span: AT,
    });
    assert_eq!(verify(&program), Vec::<String>::new());
    program.kernels[id].rank = 1;
    assert_eq!(verify(&program), ["k: component of a position out of range"]);
}

#[test]
fn breaks_stay_inside_their_loops() {
    let found = complaints(false, |body| {
        let inner = vec![Stmt::new(StmtKind::Break { levels: 1 }, AT)];
        body.block = vec![Stmt::new(StmtKind::While { condition: build::int(1, AT), body: inner }, AT)];
    });
    assert_eq!(found, ["f: break or continue without such a loop"]);
}

#[test]
fn variables_must_exist() {
    let found = complaints(false, |body| {
        let ghost = crate::ids::Id::new(9);
        body.block = vec![build::assign(ghost, build::int(1, AT))];
    });
    assert_eq!(found, ["f: variable #9 is out of range"]);
}

#[test]
fn indices_match_the_rank() {
    let found = complaints(false, |body| {
        let x = body.variables.push(Variable::new("x", array_type(int_type(), 2), AT));
        let y = body.variables.push(Variable::new("y", int_type(), AT));
        body.params = vec![x];
        let at = vec![build::int(0, AT)];
        let element = build::load(body.read(x, AT), at, crate::types::Boundary::Checked, AT);
        body.block = vec![build::assign(y, element)];
    });
    assert_eq!(found, ["f: 1 indices for mat[int]"]);
}
