//! Builders of IR programs for tests.

use crate::interp::{InterpOptions, Interpreter, Observer, RunError, ThreadOrder};
use crate::ir::build::{array_type, int, scalar_type, sized_type};
use crate::ir::{
    Block, Body, Coordinate, Dims, Export, Expr, ExprKind, Function, FunctionId, Index, Kernel, KernelId,
    LaunchMode, Program, Range, Scope, Stmt, StmtKind, Storage, VarId, Variable,
};
use crate::source::{FileId, SourceMap, Span};
use crate::types::{Boundary, ElementType, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::{self, Row};
use quasar_devicelib::value::{ArrayBuf, BufferHost, Value, format};

pub(super) fn at(line: u32) -> Span {
    Span { file: FileId(0), start: line * 2, end: line * 2 + 1 }
}

/// Lines of two bytes each, so that `at(k)` is on line k + 1.
pub(super) fn sources() -> SourceMap {
    let mut sources = SourceMap::default();
    sources.add("test.q", "x\n".repeat(40));
    sources
}

pub(super) fn int_ty() -> Type {
    scalar_type(ElementType::Int32)
}

pub(super) fn float() -> Type {
    scalar_type(ElementType::Single)
}

pub(super) fn vec_of(element: ElementType) -> Type {
    array_type(scalar_type(element), 1)
}

pub(super) fn mat() -> Type {
    array_type(scalar_type(ElementType::Single), 2)
}

pub(super) fn fixed(n: u32) -> Type {
    sized_type(scalar_type(ElementType::Single), vec![Some(n)])
}

pub(super) fn row(name: &str) -> &'static Row {
    ops::find(name).unwrap()
}

/// A body under construction.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) body: Body,
}

impl Builder {
    pub(super) fn var(&mut self, name: &str, ty: Type) -> VarId {
        self.body.variables.push(Variable::new(name, ty, Span::default()))
    }

    pub(super) fn param(&mut self, name: &str, ty: Type) -> VarId {
        let variable = self.var(name, ty);
        self.body.params.push(variable);
        variable
    }

    pub(super) fn result(&mut self, name: &str, ty: Type) -> VarId {
        let variable = self.var(name, ty);
        self.body.results.push(variable);
        variable
    }

    pub(super) fn shared(&mut self, name: &str, element: ElementType) -> VarId {
        let variable = self.var(name, vec_of(element));
        self.body.variables[variable].storage = Storage::Shared;
        variable
    }

    pub(super) fn get(&self, variable: VarId) -> Expr {
        self.body.read(variable, Span::default())
    }

    pub(super) fn load(&self, array: VarId, index: &[Expr], boundary: Boundary) -> Expr {
        crate::ir::build::load(self.get(array), index.to_vec(), boundary, Span::default())
    }

    pub(super) fn store(&self, array: VarId, index: &[Expr], value: Expr) -> Stmt {
        let index = index.iter().cloned().map(Index::At).collect();
        let array = self.get(array);
        stmt(StmtKind::Store { array, index, boundary: Boundary::Checked, value })
    }

    pub(super) fn add_to(&self, array: VarId, index: &[Expr], value: Expr, atomic: bool) -> Stmt {
        let index = index.iter().cloned().map(Index::At).collect();
        let (array, row) = (self.get(array), row("add"));
        stmt(StmtKind::Update { array, index, boundary: Boundary::Checked, row, value, atomic, result: None })
    }

    pub(super) fn function(
        mut self,
        program: &mut Program,
        name: &str,
        device: bool,
        block: Block,
    ) -> FunctionId {
        self.body.block = block;
        let (name, source_name) = (name.to_string(), name.to_string());
        program.functions.push(Function {
            name,
            source_name,
            device,
            processor: false,
            lambda: false,
            body: self.body,
            span: Span::default(),
        })
    }

    pub(super) fn kernel(mut self, program: &mut Program, rank: usize, block: Block) -> KernelId {
        self.body.block = block;
        let (name, span) = ("kernel".to_string(), Span::default());
        let kernel = Kernel {
            name,
            body: self.body,
            rank,
            accumulators: Vec::new(),
            parallel: true,
            aliased: false,
            divisible: false,
            attributes: Default::default(),
            strip: None,
            schedule: Default::default(),
            span,
        };
        program.kernels.push(kernel)
    }
}

pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, Span::default())
}

pub(super) fn on(line: u32, mut stmt: Stmt) -> Stmt {
    stmt.span = at(line);
    stmt
}

pub(super) fn set(variable: VarId, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { variable, value })
}

pub(super) fn n(value: i32) -> Expr {
    int(value, Span::default())
}

pub(super) fn f(value: f32) -> Expr {
    Expr::new(ExprKind::Constant(Scalar::F32(value)), float(), Span::default())
}

/// An operation whose result has the type of its operands.
pub(super) fn op(name: &str, args: &[Expr]) -> Expr {
    let ty = if matches!(name, "less" | "equal" | "greater") { int_ty() } else { args[0].ty.clone() };
    Expr::new(ExprKind::Apply { row: row(name), args: args.to_vec() }, ty, Span::default())
}

pub(super) fn convert(value: Expr, ty: Type) -> Expr {
    Expr::new(ExprKind::Convert(Box::new(value)), ty, Span::default())
}

pub(super) fn pos(k: usize) -> Expr {
    coordinate(Coordinate::Position, k)
}

pub(super) fn coordinate(which: Coordinate, k: usize) -> Expr {
    Expr::new(ExprKind::Coordinate(which, k), int_ty(), Span::default())
}

pub(super) fn list(items: Vec<Expr>, ty: Type) -> Expr {
    Expr::new(ExprKind::Array(items), ty, Span::default())
}

pub(super) fn count_to(variable: VarId, from: Expr, to: Expr, body: Block) -> Stmt {
    let range = Range { from, step: None, to };
    stmt(StmtKind::For { variable, range, body, attributes: Default::default() })
}

pub(super) fn when(condition: Expr, then: Block) -> Stmt {
    stmt(StmtKind::If { condition, then, otherwise: Vec::new() })
}

pub(super) fn barrier(line: u32) -> Stmt {
    on(line, stmt(StmtKind::Barrier(Scope::Block)))
}

pub(super) fn launch(kernel: KernelId, dims: &[i32], block: Option<&[i32]>, args: Vec<Expr>) -> Stmt {
    launch_to(kernel, dims, block, args, &[])
}

pub(super) fn launch_to(
    kernel: KernelId,
    dims: &[i32],
    block: Option<&[i32]>,
    args: Vec<Expr>,
    results: &[VarId],
) -> Stmt {
    let each = |items: &[i32]| Dims::Each(items.iter().map(|&k| n(k)).collect());
    let results = results.iter().map(|&v| Some(v)).collect();
    let (dims, block) = (each(dims), block.map(each));
    stmt(StmtKind::Launch { kernel, dims, block, args, results, mode: LaunchMode::Parallel })
}

pub(super) fn export(program: &mut Program, function: FunctionId) {
    let name = program.functions[function].name.clone();
    program.exports.push(Export { name, function, doc: String::new(), span: Span::default() });
}

pub(super) fn floats(items: &[f32]) -> Value {
    ArrayBuf::vec(items.to_vec()).into()
}

pub(super) fn ints(items: &[i32]) -> Value {
    ArrayBuf::vec(items.to_vec()).into()
}

pub(super) fn zeros(dims: &[usize]) -> Value {
    ArrayBuf::zeros(dims.to_vec(), ElementType::Single).unwrap().into()
}

pub(super) const ORDERS: [ThreadOrder; 4] =
    [ThreadOrder::Serial, ThreadOrder::Random(1), ThreadOrder::Random(2), ThreadOrder::Random(3)];

/// Calls the last function of a program.
pub(super) fn call(program: &mut Program, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
    call_with(program, InterpOptions::default(), args, None)
}

pub(super) fn call_with(
    program: &mut Program,
    options: InterpOptions,
    args: Vec<Value>,
    observer: Option<&mut dyn Observer>,
) -> Result<Vec<Value>, RunError> {
    let last = program.functions.ids().last().unwrap();
    if program.exports.iter().all(|e| e.function != last) {
        export(program, last);
    }
    let name = program.functions[last].name.clone();
    let mut host = BufferHost::default();
    let sources = sources();
    let interpreter = Interpreter::new(program, options, &mut host).with_sources(&sources);
    match observer {
        Some(observer) => interpreter.with_observer(observer).call(&name, args),
        None => { interpreter }.call(&name, args),
    }
}

pub(super) fn printed(values: &[Value]) -> String {
    values.iter().map(format::print).collect::<Vec<_>>().join(" ")
}

/// The printed results of the last function, which must be the same in every thread order.
pub(super) fn results(program: &mut Program, args: impl Fn() -> Vec<Value>) -> String {
    let mut texts = ORDERS.map(|order| {
        let options = InterpOptions { order, step_limit: Some(10_000_000), ..InterpOptions::default() };
        match call_with(program, options, args(), None) {
            Ok(values) => printed(&values),
            Err(error) => error.text,
        }
    });
    let first = std::mem::take(&mut texts[0]);
    texts[1..].iter().for_each(|other| assert_eq!(*other, first));
    first
}
