//! What the Rust back end prints for hand-made programs: few, small checks of its form.

use quasar_core::backend::rust::{Options, emit};
use quasar_core::driver;
use quasar_core::ir::{
    Accumulator, Body, Coordinate, Dims, Export, Expr, ExprKind, Function, Index, Kernel, LaunchMode,
    LoopAttributes, Program, Stmt, StmtKind, VarId, Variable, build,
};
use quasar_core::message::Sink;
use quasar_core::source::{NoImports, SourceMap, Span};
use quasar_core::transform::{Stage, pipeline};
use quasar_core::types::{Boundary, ElementType, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

const AT: Span = Span { file: quasar_core::source::FileId(0), start: 0, end: 0 };

fn single() -> Type {
    build::scalar_type(ElementType::Single)
}

fn mat(element: ElementType) -> Type {
    build::array_type(build::scalar_type(element), 2)
}

fn pos(axis: usize) -> Expr {
    Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), AT)
}

fn float(x: f32) -> Expr {
    Expr::new(ExprKind::Constant(Scalar::F32(x)), single(), AT)
}

fn apply(row: &str, args: Vec<Expr>) -> Expr {
    let ty = args[0].ty.clone();
    build::apply(find(row).expect("a row"), args, ty, AT)
}

fn add(a: Expr, b: i32) -> Expr {
    apply("add", vec![a, build::int(b, AT)])
}

fn variable(body: &mut Body, name: &str, ty: Type) -> VarId {
    body.variables.push(Variable::new(name, ty, AT))
}

fn store(body: &Body, y: VarId, value: Expr, boundary: Boundary) -> Stmt {
    let index = vec![Index::At(pos(0)), Index::At(pos(1))];
    Stmt::new(StmtKind::Store { array: body.read(y, AT), index, boundary, value }, AT)
}

fn kernel(name: &str, body: Body, accumulators: Vec<Accumulator>) -> Kernel {
    Kernel {
        name: name.to_string(),
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
    }
}

/// `y[m, n] = 255 * (x[m, n] / 255) ^ g`
fn gamma() -> Kernel {
    let mut body = Body::default();
    let x = variable(&mut body, "x", mat(ElementType::Single));
    let y = variable(&mut body, "y", mat(ElementType::Single));
    let g = variable(&mut body, "g", single());
    body.params = vec![x, y, g];
    let element = build::load(body.read(x, AT), vec![pos(0), pos(1)], Boundary::Checked, AT);
    let power = apply("power", vec![apply("divide", vec![element, float(255.0)]), body.read(g, AT)]);
    let value = apply("multiply", vec![float(255.0), power]);
    body.block = vec![store(&body, y, value, Boundary::Checked)];
    kernel("gamma", body, Vec::new())
}

/// `y[m, n] = y[m, n] ^ 0.5`
fn in_place() -> Kernel {
    let mut body = Body::default();
    let y = variable(&mut body, "y", mat(ElementType::Single));
    body.params = vec![y];
    let element = build::load(body.read(y, AT), vec![pos(0), pos(1)], Boundary::Checked, AT);
    body.block = vec![store(&body, y, apply("power", vec![element, float(0.5)]), Boundary::Checked)];
    kernel("in_place", body, Vec::new())
}

/// The mean of nine neighbours.
fn mean() -> Kernel {
    let mut body = Body::default();
    let x = variable(&mut body, "x", mat(ElementType::Single));
    let y = variable(&mut body, "y", mat(ElementType::Single));
    let v = variable(&mut body, "v", single());
    body.params = vec![x, y];
    body.block = vec![build::assign(v, float(0.0))];
    for dy in -1..=1 {
        for dx in -1..=1 {
            let at = vec![add(pos(0), dy), add(pos(1), dx)];
            let element = build::load(body.read(x, AT), at, Boundary::Mirror, AT);
            body.block.push(build::assign(v, apply("add", vec![body.read(v, AT), element])));
        }
    }
    let value = apply("divide", vec![body.read(v, AT), float(9.0)]);
    body.block.push(store(&body, y, value, Boundary::Safe));
    kernel("mean", body, Vec::new())
}

/// The largest of 11 by 11 neighbours, as two loops.
fn largest() -> Kernel {
    let mut body = Body::default();
    let x = variable(&mut body, "x", mat(ElementType::Single));
    let y = variable(&mut body, "y", mat(ElementType::Single));
    let v = variable(&mut body, "v", single());
    let [dy, dx] = ["dy", "dx"].map(|name| variable(&mut body, name, build::int_type()));
    body.params = vec![x, y];
    let shifted = |body: &Body, axis: usize, by: VarId| apply("add", vec![pos(axis), body.read(by, AT)]);
    let at = vec![shifted(&body, 0, dy), shifted(&body, 1, dx)];
    let element = build::load(body.read(x, AT), at, Boundary::Mirror, AT);
    let inner = vec![build::assign(v, apply("max", vec![body.read(v, AT), element]))];
    let around = |variable, body| StmtKind::For {
        variable,
        range: build::range(build::int(-5, AT), build::int(5, AT)),
        body,
        attributes: LoopAttributes::default(),
    };
    let inner = vec![Stmt::new(around(dx, inner), AT)];
    let first = build::load(body.read(x, AT), vec![pos(0), pos(1)], Boundary::Mirror, AT);
    body.block = vec![build::assign(v, first), Stmt::new(around(dy, inner), AT)];
    let value = body.read(v, AT);
    body.block.push(store(&body, y, value, Boundary::Safe));
    kernel("largest", body, Vec::new())
}

/// 31 taps along one axis, as a loop.
fn taps(axis: usize) -> Kernel {
    let mut body = Body::default();
    let x = variable(&mut body, "x", mat(ElementType::Single));
    let y = variable(&mut body, "y", mat(ElementType::Single));
    let w = variable(&mut body, "w", build::array_type(single(), 1));
    let v = variable(&mut body, "v", single());
    let k = variable(&mut body, "k", build::int_type());
    body.params = vec![x, y, w];
    let mut at = vec![pos(0), pos(1)];
    at[axis] = add(apply("add", vec![pos(axis), body.read(k, AT)]), -15);
    let element = build::load(body.read(x, AT), at, Boundary::Mirror, AT);
    let weight = build::load(body.read(w, AT), vec![body.read(k, AT)], Boundary::Checked, AT);
    let product = apply("multiply", vec![weight, element]);
    let inner = vec![build::assign(v, apply("add", vec![body.read(v, AT), product]))];
    let range = build::range(build::int(0, AT), build::int(30, AT));
    let attributes = LoopAttributes::default();
    let taps = Stmt::new(StmtKind::For { variable: k, range, body: inner, attributes }, AT);
    body.block = vec![build::assign(v, float(0.0)), taps];
    let value = body.read(v, AT);
    body.block.push(store(&body, y, value, Boundary::Safe));
    kernel(["taps_down", "taps_across"][axis], body, Vec::new())
}

/// `total += x[m, n]`
fn total() -> Kernel {
    let mut body = Body::default();
    let x = variable(&mut body, "x", mat(ElementType::Single));
    let total = variable(&mut body, "total", single());
    body.params = vec![x];
    body.results = vec![total];
    let element = build::load(body.read(x, AT), vec![pos(0), pos(1)], Boundary::Checked, AT);
    body.block = vec![build::assign(total, apply("add", vec![body.read(total, AT), element]))];
    let row = find("add").expect("a row");
    kernel("total", body, vec![Accumulator { variable: total, row }])
}

/// `h[x[m, n]] += 1`
fn histogram() -> Kernel {
    let mut body = Body::default();
    let x = variable(&mut body, "x", mat(ElementType::UInt8));
    let h = variable(&mut body, "h", build::array_type(build::scalar_type(ElementType::Int32), 1));
    body.params = vec![x, h];
    let element = build::load(body.read(x, AT), vec![pos(0), pos(1)], Boundary::Checked, AT);
    let index = vec![Index::At(build::convert(element, &build::int_type()))];
    let row = find("add").expect("a row");
    let array = body.read(h, AT);
    let (boundary, value) = (Boundary::Checked, build::int(1, AT));
    body.block = vec![Stmt::new(
        StmtKind::Update { array, index, boundary, row, value, atomic: true, result: None },
        AT,
    )];
    kernel("histogram", body, Vec::new())
}

/// A host function that launches a kernel over its first parameter and returns its other array parameter, or the
/// kernel's result.
fn launcher(program: &mut Program, made: Kernel) {
    let name = made.name.clone();
    let mut body = Body::default();
    for param in &made.body.params {
        let declared = made.body.variables[*param].clone();
        let inside = body.variables.push(declared);
        body.params.push(inside);
    }
    let result = made.body.results.first().map(|r| {
        let inside = body.variables.push(made.body.variables[*r].clone());
        body.block.push(build::assign(inside, float(0.0)));
        inside
    });
    let x = body.params[0];
    let dims = Dims::Each((0..2).map(|axis| build::extent(body.read(x, AT), axis, AT)).collect());
    let args = body.params.iter().map(|p| body.read(*p, AT)).collect();
    let results = result.iter().map(|r| Some(*r)).collect();
    let id = program.kernels.push(made);
    body.block.push(Stmt::new(
        StmtKind::Launch { kernel: id, dims, block: None, args, results, mode: LaunchMode::Parallel },
        AT,
    ));
    body.results = vec![result.unwrap_or_else(|| body.params[body.params.len().min(2) - 1])];
    let function = program.functions.push(Function {
        name: format!("run_{name}"),
        source_name: name.clone(),
        lambda: false,
        device: false,
        processor: false,
        body,
        span: AT,
    });
    program.exports.push(Export { name, function, doc: "A test.".to_string(), span: AT });
}

/// The printed code without white space.
fn print(program: &Program) -> (String, Sink) {
    let mut sources = SourceMap::default();
    sources.add("test.q", "");
    let mut sink = Sink::default();
    let text = emit(program, &BTreeMap::new(), &sources, &Options::default(), &mut sink);
    (text.split_whitespace().collect(), sink)
}

fn all() -> Program {
    let mut program = Program::default();
    for made in [gamma(), mean(), total(), histogram(), largest(), taps(0), taps(1)] {
        launcher(&mut program, made);
    }
    let mut sink = Sink::default();
    pipeline::shape(&mut program, &[Stage::Kernel, Stage::Cpu], &mut sink);
    assert!(sink.is_empty(), "{:?}", sink.messages());
    program
}

#[test]
fn kernels_read_rows_as_slices() {
    let (text, sink) = print(&all());
    assert!(sink.is_empty(), "{:?}", sink.messages());
    assert!(!text.contains("unsafe"));
    let mut program = Program::default();
    launcher(&mut program, in_place());
    let (other, _) = print(&program);
    assert!(other.contains("ops::power") && !other.contains("QUICK"), "it cannot start again: {other}");
    if let Ok(path) = std::env::var("PRINT_TO") {
        std::fs::write(path, &text).expect("written");
    }
    assert_eq!(text.matches("impllib::Kernel").count(), 7);
    // The mean looks at 3 rows, the gamma, the sum and the bytes at one each, and the maximum for its first value.
    assert_eq!(text.matches(".fetch::").count(), 3 + 3 + 1);
    assert_eq!(text.matches("lib::Extremes::").count(), 1, "a window of maxima is taken row by row");
    assert_eq!(text.matches("lib::Taps::").count(), 2, "weighted sums are made row by row");
    assert_eq!(text.matches("list.push").count(), 62 + 11);
    assert!(
        text.contains("lib::count_byte"),
        "a byte indexes its table without a test, and ones are counted"
    );
    assert_eq!(text.matches("constQUICK").count(), 1, "rows of powers are tried in a quick form");
    assert!(text.contains("lib::fold"), "floats are summed in lanes");
}

#[test]
fn the_size_of_another_array_may_bound_a_window() {
    let text = "function [] = work(x : mat'safe, w : mat, y : mat)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            total = 0.0
            for p = 0..size(w,0)-1
                for q = 0..size(w,1)-1
                    total += w[p,q]*x[m+p,n+q]
                endfor
            endfor
            y[m,n] = total
        endfor
    endfor
endfunction
";
    let options = driver::Options { verify: true, ..driver::Options::default() };
    let compilation = driver::compile("test.q", text, &NoImports, &options);
    let program = compilation.program.expect("a program without mistakes");
    let mut sink = Sink::default();
    let text = driver::print_rust(&program, &compilation.sources, &Options::default(), &mut sink);
    assert!(sink.is_empty(), "{:?}", sink.messages());
    assert!(text.contains("Taps"), "{text}");
}

#[test]
fn only_the_line_of_an_array_that_leads_is_asked_for_ahead() {
    // Four lines of `x`, of which three follow the one below; a line of a second array, and the one that is written.
    let text = "function y : mat = f(x : mat'unchecked, z : mat'unchecked)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m-1,n] + x[m,n-1] + x[m,n+1] + x[m+1,n] + z[m,n]
        endfor
    endfor
endfunction
";
    let options = driver::Options { verify: true, ..driver::Options::default() };
    let compilation = driver::compile("test.q", text, &NoImports, &options);
    let program = compilation.program.expect("a program without mistakes");
    let text = driver::print_rust(&program, &compilation.sources, &Options::default(), &mut Sink::default());
    let count = |what: &str| text.matches(what).count();
    assert_eq!((count("lib::ahead("), count("lib::ahead_of_writing(")), (2, 1), "{text}");
}

#[test]
fn comments_above_functions_are_the_documentation_of_exports() {
    let text = "% The file.\n\n% Twice the number.\n%\n% No `x[0]` here, nor [0,1].\nfunction y = twice(x : scalar)\n    \
                y = 2 * x\nendfunction\nz = 3 % no comment of a function\nfunction y = bare(x : int)\n    y = x\nendfunction\n";
    let compilation = driver::compile("d.q", text, &NoImports, &driver::Options::default());
    let program = compilation.program.expect("the text is a program");
    let docs: BTreeMap<&str, &str> =
        program.exports.iter().map(|export| (&export.name[..], &export.doc[..])).collect();
    let twice = "Twice the number.\n\nNo `x[0]` here, nor [0,1].\n\nfunction y : scalar = twice(x : scalar)";
    assert_eq!(docs["twice"], twice);
    assert_eq!(docs["bare"], "function y : int = bare(x : int)");
}

/// Labels of loops that stand in a loop of the same label, which rustc warns of.
fn shadowed_labels(text: &str) -> Vec<String> {
    let (mut around, mut depth, mut found) = (Vec::new(), 0_usize, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                around.retain(|(_, inside)| *inside < depth);
            }
            '\'' => {
                let name: String = text[at + 1..].chars().take_while(char::is_ascii_alphanumeric).collect();
                if name.starts_with('l') && text[at + 1 + name.len()..].trim_start().starts_with(": ") {
                    if around.iter().any(|(other, _)| *other == name) {
                        found.push(name.clone());
                    }
                    around.push((name, depth));
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn loops_of_lanes_in_loops_of_a_block_have_labels_of_their_own() {
    let text = "function [] = __kernel__ step(a : mat, b : mat, c : mat, blkpos : ivec2, blkidx : ivec2)\n\
                s = 0.0\nu = shared(16, 16)\nv = shared(16, 16)\nfor k = 0..16..size(a,1)-1\n\
                u[blkpos[0],blkpos[1]] = a[16*blkidx[0]+blkpos[0],k+blkpos[1]]\n\
                v[blkpos[0],blkpos[1]] = b[k+blkpos[0],16*blkidx[1]+blkpos[1]]\nsyncthreads\n\
                for i = 0..15\ns += u[blkpos[0],i]*v[i,blkpos[1]]\nendfor\nsyncthreads\nendfor\n\
                c[16*blkidx[0]+blkpos[0],16*blkidx[1]+blkpos[1]] = s\nendfunction\n\
                function c : mat = product(a : mat, b : mat)\nc = uninit(size(a,0), size(b,1))\n\
                parallel_do([size(c), [16, 16]], a, b, c, step)\nendfunction\n";
    let compilation = driver::compile("p.q", text, &NoImports, &driver::Options::default());
    let program = compilation.program.expect("the text is a program");
    let mut sink = Sink::default();
    let code = driver::print_rust(&program, &compilation.sources, &Options::default(), &mut sink);
    assert!(code.contains("'l2 :"), "the kernel has loops in loops: {code}");
    assert_eq!(shadowed_labels(&code), Vec::<String>::new());
}
