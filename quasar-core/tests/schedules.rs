//! Schedules of kernels for the CPU: which kernels have vectors and where their positions begin, and that scheduled code
//! computes what the kernels did, on the interpreter.

use quasar_core::driver::{Options, compile};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::ir::rewrite::{operands_mut, read_in, stored_in, transform, transform_stmts};
use quasar_core::ir::schedule::{Schedule, Vector, VectorTile};
use quasar_core::ir::verify::verify;
use quasar_core::ir::{Coordinate, Expr, ExprKind, Kernel, Program, Stmt, StmtKind, VarSet, build};
use quasar_core::message::Sink;
use quasar_core::source::{NoImports, Span};
use quasar_core::transform::{Stage, pipeline};
use quasar_core::types::known::rank;
use quasar_devicelib::ops::find;
use quasar_devicelib::value::BufferHost;

const NESTS: &str = include_str!("../../tests/programs/05-parallelism/loop_nests.q");
const TILES: &str = include_str!("../../tests/programs/05-parallelism/register_tiles.q");
const CHANNELS: &str = include_str!("../../tests/programs/05-parallelism/channels_last.q");
const CHANNELS_APART: &str = include_str!("../../tests/programs/05-parallelism/channels_apart.q");
const COLUMNS: &str = include_str!("../../tests/programs/05-parallelism/loops_along_columns.q");
const BEHIND_SUMS: &str = include_str!("../../tests/programs/05-parallelism/columns_behind_sums.q");
const SHORT: &str = include_str!("../../tests/programs/05-parallelism/short_rows.q");
const BOXES: &str = include_str!("../../tests/programs/05-parallelism/boxes_of_elements.q");
const PLACES: &str = include_str!("../../tests/programs/05-parallelism/several_places.q");
const MASKED: &str = include_str!("../../tests/programs/05-parallelism/masked_loops.q");
const BORDERS: &str = include_str!("../../tests/programs/05-parallelism/windows_that_end_at_the_border.q");
const PRIVATE: &str = include_str!("../../tests/programs/05-parallelism/private_arrays.q");
const INTERLEAVED: &str = include_str!("../../tests/programs/05-parallelism/interleaved.q");
const FEW: &str = include_str!("../../tests/programs/05-parallelism/few_elements.q");

fn run(program: &Program) -> String {
    let mut host = BufferHost::default();
    let mut interpreter = Interpreter::new(program, InterpOptions::default(), &mut host);
    interpreter.run_initializer().expect("a program without errors");
    interpreter.run_main(Vec::new()).expect("a program without errors");
    drop(interpreter);
    host.output
}

fn compiled(text: &str) -> Program {
    let options = Options { optimise: true, verify: true, ..Options::default() };
    compile("test.q", text, &NoImports, &options).program.expect("a program without mistakes")
}

fn scheduled(program: &Program) -> Program {
    let mut scheduled = program.clone();
    let mut sink = Sink::default();
    pipeline::shape(&mut scheduled, &[Stage::Kernel, Stage::Cpu], &mut sink);
    assert!(sink.is_empty(), "{:?}", sink.messages());
    assert_eq!(verify(&scheduled), Vec::<String>::new());
    scheduled
}

/// The code of a vector of a schedule, which is taken away.
type Taken = fn(&mut Schedule) -> Option<Box<Vector>>;

/// The program with the code of vectors in place of kernels, and positions that begin at zero.
fn as_kernels(scheduled: &Program, take: Taken) -> Program {
    let mut program = scheduled.clone();
    for (_, kernel) in program.kernels.iter_mut() {
        if let Some(vector) = take(&mut kernel.schedule) {
            let alone = std::mem::take(&mut kernel.body.block);
            kernel.body.block = match within(kernel, &vector) {
                Some(inside) => vec![build::choice(inside, vector.block, alone, kernel.span)],
                None => vector.block,
            };
        }
        begin_at_zero(kernel);
    }
    assert_eq!(verify(&program), Vec::<String>::new());
    program
}

/// Whether a column is one for which the code of lanes is right, and arrays have as many elements as it takes, where it is not so for all.
fn within(kernel: &Kernel, vector: &Vector) -> Option<Expr> {
    let axis = kernel.rank - 1;
    let tests = vector.within.iter().map(|bound| {
        let span = bound.value.span;
        let column = Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), span);
        build::of_ints(if bound.least { "greater_equal" } else { "less_equal" }, column, bound.value.clone())
    });
    let counts = vector.interleaved.iter().filter_map(|each| {
        let ty = kernel.body.variables[each.array].ty.clone();
        let last = rank(&ty)? - 1;
        let array = Box::new(build::local(each.array, ty, Span::default()));
        let extent = Expr::new(ExprKind::Extent(array, last), build::int_type(), Span::default());
        Some(build::of_ints("equal", extent, build::int(each.elements as i32, Span::default())))
    });
    tests.chain(counts).reduce(build::and)
}

/// Positions that begin at zero.
fn begin_at_zero(kernel: &mut Kernel) {
    let origin = std::mem::take(&mut kernel.schedule.origin);
    transform_stmts(&mut kernel.body.block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Coordinate(Coordinate::Position, axis) = e.kind
                    && let Some(first) = origin.get(axis)
                {
                    let args = vec![e.clone(), build::int(*first, e.span)];
                    *e = build::apply(find("add").expect("a row"), args, e.ty.clone(), e.span);
                }
            });
        });
    });
}

/// The program with the code of tiles in place of kernels: the first position of a tile does what all do, the others nothing,
/// those that are in no tile what they did.
fn as_tiles(scheduled: &Program) -> Program {
    let mut program = scheduled.clone();
    for (_, kernel) in program.kernels.iter_mut() {
        let alone = kernel.body.block.clone();
        let Some(VectorTile { axis, rows, vector }) = kernel.schedule.tile.take().map(|tile| *tile) else {
            begin_at_zero(kernel);
            continue;
        };
        kernel.body.block = vector.block;
        let origin = kernel.schedule.origin.clone();
        begin_at_zero(kernel);
        let tile = std::mem::replace(&mut kernel.body.block, alone);
        kernel.schedule.origin = origin;
        begin_at_zero(kernel);
        let alone = std::mem::take(&mut kernel.body.block);
        let span = kernel.span;
        let at = |c: Coordinate| Expr::new(ExprKind::Coordinate(c, axis), build::int_type(), span);
        let binary = |name: &str, a: Expr, b: Expr| {
            build::apply(find(name).expect("a row"), vec![a, b], build::int_type(), span)
        };
        let rows = build::int(rows as i32, span);
        let (position, most) = (at(Coordinate::Position), at(Coordinate::LaunchDim));
        let behind = binary("mod", position.clone(), rows.clone());
        let end = binary("subtract", most.clone(), binary("mod", most, rows));
        let first = Stmt::new(
            StmtKind::If {
                condition: binary("equal", behind, build::int(0, span)),
                then: tile,
                otherwise: Vec::new(),
            },
            span,
        );
        let condition = binary("less", position, end);
        let all = StmtKind::If { condition, then: vec![first], otherwise: alone };
        kernel.body.block = vec![Stmt::new(all, span)];
    }
    assert_eq!(verify(&program), Vec::<String>::new());
    program
}

/// The names of loops that became kernels, with what was chosen for them.
fn choices(program: &Program) -> Vec<String> {
    // Versions without tests are chosen for as the kernels are.
    let tested = program.kernels.iter().filter(|(_, kernel)| kernel.schedule.untested.is_none());
    let kernels = tested.map(|(_, kernel)| {
        let name = kernel.name.trim_start_matches("opt__");
        let name = name.rsplit_once("_line").map_or(name, |(name, _)| name);
        let vector = kernel.schedule.vector.as_ref();
        let lanes = vector.map(|v| format!(" {} lanes, {} wide", v.lanes, v.wide.len()));
        let collapsed = kernel.schedule.collapsed.as_ref().map(|v| format!(" collapsed {}", v.lanes));
        let linearized = if kernel.schedule.linearized { " linearized" } else { "" };
        let tile = kernel.schedule.tile.as_ref().map(|t| format!(" tiles {}x{}", t.rows, t.axis));
        let each = vector.iter().flat_map(|v| &v.interleaved).map(|each| each.elements.to_string());
        let each = each.collect::<Vec<_>>().join(" and ");
        let interleaved = (!each.is_empty()).then(|| format!(" interleaved {each}"));
        let stores = vector.iter().flat_map(|v| &v.stores);
        let stores = stores.map(|s| if s.backwards { "-1".to_string() } else { s.apart.to_string() });
        let stores = stores.collect::<Vec<_>>().join(" and ");
        let stores = (!stores.is_empty()).then(|| format!(" stores {stores}"));
        let positions = kernel.schedule.position_tile.as_ref();
        let positions = positions.map(|t| format!(" positions {}x{} along {}", t.rows, t.columns, t.axis));
        let origin = &kernel.schedule.origin;
        let origin = (!origin.is_empty()).then(|| format!(" from {origin:?}"));
        format!(
            "{name}{}{}{}{}{linearized}{}{}{}",
            lanes.unwrap_or_default(),
            interleaved.unwrap_or_default(),
            stores.unwrap_or_default(),
            collapsed.unwrap_or_default(),
            tile.unwrap_or_default(),
            positions.unwrap_or_default(),
            origin.unwrap_or_default()
        )
    });
    kernels.collect()
}

#[test]
fn scheduled_kernels_compute_the_same() {
    let program = compiled(NESTS);
    assert_eq!(run(&as_kernels(&scheduled(&program), |schedule| schedule.vector.take())), run(&program));
    let programs = [INTERLEAVED, FEW, PLACES, MASKED, COLUMNS, BEHIND_SUMS, BORDERS, CHANNELS_APART];
    for program in programs.map(compiled) {
        assert_eq!(run(&as_kernels(&scheduled(&program), |schedule| schedule.vector.take())), run(&program));
    }
}

#[test]
fn collapsed_kernels_and_tiles_compute_the_same() {
    let program = compiled(CHANNELS);
    assert_eq!(run(&as_kernels(&scheduled(&program), |schedule| schedule.collapsed.take())), run(&program));
    for program in [compiled(NESTS), compiled(TILES)] {
        assert_eq!(run(&as_tiles(&scheduled(&program))), run(&program));
    }
}

#[test]
fn columns_and_channels_are_collapsed() {
    let with = |statement: &str| {
        choice(&format!(
            "function y : cube = f(x : cube'clamped, g : vec, r : int)\n y = uninit(size(x))\n \
             for m = 0..size(x,0)-1\n for n = 0..size(x,1)-1\n for c = 0..size(x,2)-1\n s = 0.0\n {statement}\n \
             y[m,n,c] = s\n endfor\n endfor\n endfor\nendfunction\n"
        ))
    };
    let collapsed = "f collapsed 32";
    assert_eq!(with("s = x[m+1,n-2,c]"), collapsed);
    assert_eq!(with("for d = -r..r\n s += x[m,n+d,c]\n endfor"), collapsed);
    assert_eq!(with("s = x[m,n,c]*g[c] + x[m,n,0]"), collapsed, "what is read once may be gathered");
    assert_eq!(with("if r > 1\n s = x[m,r-n,c]\n endif"), collapsed, "gathered, not a row of elements");
    assert_eq!(
        with("for d = -r..r\n s += g[c]*x[m,n+d,c]\n endfor"),
        "f 32 lanes, 1 wide tiles 4x0",
        "gathered in a loop"
    );
    assert_eq!(with("for d = -r..r\n s += x[m,2*n+d,c]\n endfor"), "f", "columns apart");
    assert_eq!(with("for d = -r..r\n s += x[m,n,c+d]\n endfor"), "f", "channels apart");
    assert_eq!(
        with("for d = -r..n\n s += x[m,d,c]\n endfor"),
        "f 32 lanes, 1 wide",
        "a loop with another end for each column"
    );
    assert_eq!(with("s = g[int(x[m,n,c])]"), collapsed, "lanes note a conversion that fails");
    assert_eq!(with("s = g[int(g[n])*c]"), collapsed, "and an index that is outside");
}

#[test]
fn loops_inside_of_kernels_are_shared_by_lanes() {
    let found = choices(&scheduled(&compiled(NESTS)));
    let expected = [
        "filtered 32 lanes, 1 wide tiles 4x0",
        "add_box 32 lanes, 1 wide",
        "two_sums 32 lanes, 3 wide",
        "thinned 32 lanes, 0 wide",
        "pairs 32 lanes, 1 wide",
        "product 32 lanes, 1 wide tiles 4x0",
        "smooth from [1, 2]",
        "row_sums",
        "counted 32 lanes, 1 wide",
    ];
    for expected in expected {
        assert!(found.iter().any(|f| f == expected), "{expected}: {found:#?}");
    }
}

/// What is chosen for the only kernel of a function.
fn choice(text: &str) -> String {
    let found = choices(&scheduled(&compiled(text)));
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().expect("a kernel")
}

#[test]
fn rows_that_share_loads_are_tiles() {
    let found = choice(
        "function y : cube = f(x : cube'safe, w : mat'safe, r : int)\n y = zeros(size(x))\n \
         for k = 0..size(x,0)-1\n for m = 0..size(x,1)-1\n for n = 0..size(x,2)-1\n s = 0.0\n for c = 0..r\n \
         s += w[k,c]*x[c,m,n]*x[k,0,n]\n endfor\n y[k,m,n] = s\n endfor\n endfor\n endfor\nendfunction\n",
    );
    assert_eq!(found, "f 32 lanes, 1 wide tiles 4x1", "along the axis whose rows share two of three loads");
}

#[test]
fn contractions_are_tiles_and_windows_are_not() {
    let with = |index: &str| {
        choice(&format!(
            "function y : mat = f(a : mat, x : mat'safe)\n y = uninit(size(a,0), size(x,1))\n \
             for m = 0..size(a,0)-1\n for n = 0..size(x,1)-1\n s = 0.0\n for k = 0..size(a,1)-1\n \
             s += a[m,k]*x[{index}]\n endfor\n y[m,n] = s\n endfor\n endfor\nendfunction\n"
        ))
    };
    assert_eq!(with("k,n"), "f 32 lanes, 1 wide tiles 4x0", "all rows load the same elements");
    assert_eq!(with("m+k,n"), "f", "each row has a window of its own");
}

#[test]
fn elements_of_a_position_are_fetched_together() {
    let with = |of: &str, statement: &str| {
        choice(&format!(
            "function y : cube(:,:,3) = f(x : cube{of})\n y = zeros(size(x,0), size(x,1), 3)\n \
             for m = 0..size(x,0)-1\n for n = 0..size(x,1)-1\n {statement}\n endfor\n endfor\nendfunction\n"
        ))
    };
    let both = "f 32 lanes, 0 wide interleaved 3 and 3";
    assert_eq!(with("", "y[m,n,0] = x[m,n,0] + x[m,n,2]"), both);
    assert_eq!(with("(:,:,3)", "y[m,n,1] = x[m,n,0]"), both, "the type says how many");
    assert_eq!(with("'mirror", "y[m,n,2] = x[m-1,n+2,1]"), "f 32 lanes, 0 wide interleaved 2 and 3");
    let one = "f 32 lanes, 0 wide interleaved 3";
    assert_eq!(with("(:,:,9)", "y[m,n,1] = x[m,n,0]"), one, "too many elements to fetch all");
    assert_eq!(with("", "y[m,n,0] = x[n,m,2]"), "f", "columns");
    assert_eq!(with("", "y[m,n,0] = x[m,n,2]^0.4"), "f", "rows have a quick form of powers");
    assert_eq!(with("", "y[m,n,int(x[m,n,1])] = x[m,n,2]"), "f", "an element that only the position knows");
}

#[test]
fn lanes_read_and_write_one_channel() {
    let with = |statement: &str| {
        choice(&format!(
            "function y : cube = f(x : cube, p : mat, c : int)\n y = zeros(size(x,0), size(x,1), size(x,2))\n \
             for m = 0..size(x,0)-1\n for n = 0..size(x,1)-1\n {statement}\n endfor\n endfor\nendfunction\n"
        ))
    };
    let lanes = "f 32 lanes, 0 wide";
    assert_eq!(with("y[m,n,c] = p[m,n]"), lanes);
    assert_eq!(with("y[m,n,c] = x[m,n+1,c] - x[m,n-1,c]"), lanes);
    assert_eq!(with("y[m,n,c+1] += x[m,n,c]"), lanes);
    assert_eq!(with("for d = 0..c\n y[m,n,c] += x[m,n,d]\n endfor"), "f", "another channel in each round");
    assert_eq!(with("y[m,n,c] = p[m,n] + y[m,n,0]"), "f", "two channels, which may be one");
    assert_eq!(with("y[m,n,int(p[m,n])] = x[m,n,c]"), "f", "a channel that only the position knows");
}

#[test]
fn lanes_compute_places_of_updates() {
    let with = |statements: &str| {
        choice(&format!(
            "function h : mat = f(x : mat, w : mat, l : mat[int], p : cube)\n h = zeros(100,3)\n \
             for m = 0..size(x,0)-1\n for n = 0..size(x,1)-1\n {statements}\n endfor\n endfor\nendfunction\n"
        ))
    };
    assert_eq!(with("h[int(x[m,n]),0] += 1"), "f 32 lanes, 1 wide linearized");
    assert_eq!(with("h[l[m,n],1] += x[m,n] * w[m,n]"), "f 32 lanes, 2 wide linearized");
    assert_eq!(with("if w[m,n] > 0\n h[int(x[m,n]),0] += 1\n endif"), "f 32 lanes, 2 wide linearized");
    assert_eq!(with("h[int(p[m,n,0]),int(p[m,n,1])] += 1"), "f 32 lanes, 2 wide interleaved 2");
    let loops = "s = 0.0\n for k = 0..size(w,0)-1\n s += x[m,n] * w[k,n]\n endfor\n \
                 for k = 0..2\n h[int(s),k] += w[m,n]\n endfor";
    assert_eq!(with(loops), "f 32 lanes, 7 wide", "updates behind loops");
    assert_eq!(with("h[m,0] += 1\n h[int(x[m,n]),0] += h[m,1]"), "f", "elements that others change are read");
}

#[test]
fn places_along_a_row_are_written_as_vectors() {
    let with = |statements: &str| {
        let text = format!(
            "function [] = __kernel__ f(x : mat'unchecked, y : mat'unchecked, h : int, t : ivec'unchecked, pos : ivec2)\n \
             m = pos[0]\n n = pos[1]\n {statements}\nendfunction\nx = zeros(8,8)\ny = zeros(8,8)\n\
             t = zeros[int](8)\nparallel_do([4,4], x, y, 4, t, f)\n"
        );
        choice(&text)
    };
    assert_eq!(with("y[m,n+h] = x[m,n]\n y[m+h,n] = x[m,n]"), "f 32 lanes, 0 wide stores 1 and 1");
    assert_eq!(
        with("y[2*m,2*n+1] = x[m,n]\n y[2*m+1,2*n] = 1\n y[2*m,2*n] = 2"),
        "f 32 lanes, 0 wide stores 2 and 2"
    );
    assert_eq!(with("y[m+h,3*n+1] = x[m,n]"), "f 32 lanes, 0 wide stores 3");
    assert_eq!(with("y[m+h,h-n] = x[m,n]"), "f 32 lanes, 0 wide stores -1");
    assert_eq!(with("if x[m,n] > 0\n y[m+h,n] = x[m,n]\n endif"), "f 32 lanes, 0 wide stores 1");
    assert_eq!(with("y[m+h,5*n] = x[m,n]"), "f", "too far apart");
    assert_eq!(with("y[m+h,t[n]] = x[m,n]"), "f", "an index that each position reads");
    assert_eq!(with("y[n,m] = x[m,n]"), "f 32 lanes, 0 wide", "each lane writes its own column");
    assert_eq!(
        with("y[m+h,n] = x[m,n] + y[m,n]"),
        "f 32 lanes, 0 wide stores 1 and 1",
        "a row is tested to be none that is written"
    );
    assert_eq!(with("y[m+h,n] = x[m,n] + y[m+h,n+1]"), "f", "elements are read that other lanes write");
    assert_eq!(with("for k = 0..h\n y[m+h,n+k] = x[m,n]\n endfor"), "f", "elsewhere in each iteration");
    assert_eq!(
        with("y[m,n+h] = x[m,n]\n y[m+1,n] = 2"),
        "f 32 lanes, 0 wide",
        "rows that belong to two positions are shared by threads"
    );
}

#[test]
fn loops_go_on_as_long_as_some_lane_does() {
    let with = |condition: &str, statement: &str| {
        choice(&format!(
            "function y : mat = f(x : mat'clamped, t : vec[int], r : int)\n y = zeros(size(x))\n \
             for m = 0..size(x,0)-1\n for n = 0..size(x,1)-1\n s = x[m,n]\n while {condition}\n {statement}\n \
             endwhile\n y[m,n] = s\n endfor\n endfor\nendfunction\n"
        ))
    };
    assert_eq!(with("s > 4", "s -= x[m,n+1]"), "f 32 lanes, 2 wide");
    assert_eq!(
        with("s > 4 && s < x[m,0]", "if s > 5\n s -= 4\n else\n s -= 1\n endif"),
        "f 32 lanes, 2 wide"
    );
    assert_eq!(with("s > 4", "s -= x[n,m]"), "f positions 16x128 along 0", "gathered in a loop");
    assert_eq!(with("s > 4", "for k = 0..r\n s -= k\n endfor"), "f linearized", "a loop inside");
    assert_eq!(with("s > 4", "s -= 1\n if s < r\n break\n endif"), "f linearized", "a jump");
    assert_eq!(with("s > t[int(s)]", "s -= 1"), "f", "a conversion that may fail");
}

#[test]
fn windows_that_end_at_the_border_go_round_together_inside() {
    let program = scheduled(&compiled(BORDERS));
    let inside = program.kernels.iter().filter_map(|(_, kernel)| {
        let within = kernel.schedule.vector.as_ref()?.within.len();
        (within > 0 && kernel.schedule.untested.is_none())
            .then(|| format!("{} {within}", kernel.name.trim_start_matches("opt__")))
    });
    let expected = [
        "sums_line4 5",
        "largest_line33 5",
        "moments_line18 5",
        "weighted_line43 5",
        "tested_line72 5",
        "sliced_line100 4",
        "sliced_line101 4",
        "counted_line121 5",
    ];
    assert_eq!(inside.collect::<Vec<_>>(), expected);
}

#[test]
fn elements_of_a_row_are_read_backwards() {
    let with = |index: &str| {
        choice(&format!(
            "function y : mat = f(x : mat'mirror)\n y = uninit(size(x))\n for m = 0..size(x,0)-1\n \
             for n = 0..size(x,1)-1\n y[m,n] = x[m,n] + x[{index}]\n endfor\n endfor\nendfunction\n"
        ))
    };
    assert_eq!(with("m,size(x,1)-1-n"), "f 32 lanes, 0 wide");
    assert_eq!(with("m,9-2*n"), "f", "gathered");
}

#[test]
fn places_that_columns_decide_are_gathered_together() {
    let with = |load: &str| {
        choice(&format!(
            "function y : mat = f(x : mat'clamped, z : cube'clamped, t : vec[int]'unchecked, u : mat[int]'unchecked, w : mat)\n \
             y = uninit(size(w))\n for m = 0..size(w,0)-1\n for n = 0..size(w,1)-1\n y[m,n] = {load}\n endfor\n endfor\n\
             endfunction\n"
        ))
    };
    assert_eq!(with("x[m,t[n]-1] + x[m,t[n]]*w[m,n]"), "f 32 lanes, 0 wide");
    assert_eq!(with("x[t[m],2*t[n]+m]"), "f 32 lanes, 0 wide");
    assert_eq!(with("z[m,t[n],1]"), "f 32 lanes, 0 wide", "pixels");
    assert_eq!(with("x[t[n],m]"), "f positions 16x128 along 0", "elements that are a row apart");
    assert_eq!(with("x[m,u[m,n]]"), "f", "places of each position");
    assert_eq!(with("x[t[n],t[n]]"), "f", "places along two dimensions");
}

#[test]
fn lanes_go_along_columns_together() {
    let with = |statements: &str| {
        choice(&format!(
            "function y : mat = f(x : mat'unchecked, t : vec[int]'unchecked, r : int)\n y = zeros(size(x))\n \
             for n = 0..size(x,1)-1\n for m = 1..size(x,0)-1\n {statements}\n endfor\n endfor\nendfunction\n"
        ))
    };
    assert_eq!(with("y[m,n] = y[m-1,n] + x[m,n]"), "f 32 lanes, 0 wide");
    assert_eq!(with("y[m,n] += y[m-1,n]"), "f 32 lanes, 0 wide");
    assert_eq!(with("y[m,n] = x[m,n]\n y[m-1,n] = y[m,n] + 1"), "f 32 lanes, 0 wide");
    assert_eq!(with("if y[m-1,n] > r\n y[m,n] = r\n endif"), "f 32 lanes, 0 wide");
    assert_eq!(with("y[t[m],n] = y[m-1,n]"), "f", "a row that is not known to be inside");
    assert_eq!(with("y[m,n] = y[t[n],n]"), "f", "gathered in a loop");
}

#[test]
fn boxes_do_what_positions_do() {
    // Without the errors, for which positions are visited as they were.
    let without_errors =
        BOXES.split_once("    try").expect("errors at the end").0.to_string() + "endfunction\n";
    for (text, least) in [(SHORT, 1), (without_errors.as_str(), 4)] {
        let mut program = scheduled(&compiled(text));
        let (expected, mut boxes) = (run(&program), 0);
        for (_, kernel) in program.kernels.iter_mut() {
            if let Some(found) = kernel.schedule.boxes.take() {
                kernel.body.block = found.code(&kernel.body);
                boxes += 1;
            }
        }
        assert!(boxes >= least, "{boxes} kernels");
        assert_eq!(verify(&program), Vec::<String>::new());
        assert_eq!(run(&program), expected);
    }
}

#[test]
fn small_boxes_of_positions_are_written_out() {
    let with = |loops: &str, inner: &str| {
        let program = scheduled(&compiled(&format!(
            "function y : cube = f(a : cube'unchecked, b : cube'unchecked, t : mat'unchecked)\n y = zeros(size(a))\n \
             for n = 0..size(a,0)-2\n {loops}\n {inner}\n endfor\n endfor\n endfor\nendfunction\n"
        )));
        let mut schedules = program.kernels.iter().map(|(_, kernel)| &kernel.schedule);
        let found = schedules.find_map(|schedule| Some((schedule.written_out.as_ref()?.positions, schedule)));
        found.map(|(positions, schedule)| {
            let arrays = schedule.boxes.iter().flat_map(|boxes| &boxes.arrays);
            (positions, arrays.map(|each| each.extents.clone()).collect::<Vec<_>>())
        })
    };
    let three = "for i = 0..2\n for j = 0..2";
    let product = "for k = 0..2\n y[n,i,j] += a[n,i,k]*b[n,k,j]\n endfor";
    assert_eq!(with(three, product), Some((9, vec![vec![3, 3]; 3])));
    assert_eq!(with("for i = 0..1\n for j = 0..1", "y[n,i,j] = a[n,j,i]"), None, "nothing is shared");
    assert_eq!(with("for i = 0..4\n for j = 0..4", product), None, "too many positions");
    let table = with(three, "y[n,i,j] = a[n,i,0] + a[n,i,1] + t[i,j]");
    assert_eq!(table, Some((9, Vec::new())), "an array that all positions read has no boxes");
    assert_eq!(with(three, "y[n,i,j] = a[n,i,0] + a[n,i,1] + a[n+1,i,0]"), None, "elements of others");
}

#[test]
fn stored_columns_are_as_wide_as_those_that_are_summed() {
    let lanes = |sums: &str, stored: &str| {
        let program = scheduled(&compiled(&format!(
            "function y : mat = f(x : mat)\n y = zeros(size(x))\n for n = 0..size(x,1)-1\n {sums}\n \
             for m = 0..size(x,0)-1\n y[m,n] = {stored}\n endfor\n endfor\nendfunction\n"
        )));
        let (_, kernel) = program.kernels.iter().next().expect("a kernel");
        kernel.schedule.vector.as_ref().map(|vector| (vector.lanes, vector.widest))
    };
    let sum =
        |name: &str, of: &str| format!("{name} = 0.0\n for m = 0..size(x,0)-1\n {name} += {of}\n endfor\n");
    let (s, q) = (sum("s", "x[m,n]"), sum("q", "(x[m,n]-s)^2"));
    assert_eq!(lanes(&s, "x[m,n] - s"), Some((32, Some(128))));
    assert_eq!(
        lanes(&(s.clone() + &q), "(x[m,n] - s)/q"),
        Some((32, Some(128))),
        "no loop keeps all of them"
    );
    let all: String = (1..=5).map(|k| sum(&format!("s{k}"), &format!("x[m,n]^{k}"))).collect();
    assert_eq!(lanes(&all, "x[m,n]*(s1+s2+s3+s4+s5)"), Some((32, None)), "a loop that keeps many");
}

#[test]
fn components_follow_the_order_of_arrays() {
    let kernel = |nest: &str, statement: &str| {
        let text = format!(
            "function [y : mat, s : scalar] = f(x : mat, M : int, N : int)\n y = zeros(9, 9)\n s = 0.0\n {nest}\n {statement}\n endfor\n \
             endfor\nendfunction\n"
        );
        let program = compiled(&text);
        let launches = quasar_core::ir::print::program(&program);
        let launch = launches
            .lines()
            .find(|line| line.contains("parallel_do([N") || line.contains("parallel_do([M"))
            .expect("a launch");
        launch.split_once("do(").and_then(|(_, rest)| rest.split_once(']')).expect("extents").0.to_string()
    };
    let columns = "for n = 0..N-1\n for m = 0..M-1";
    assert_eq!(kernel(columns, "y[m,n] = x[m,n]"), "[M, N");
    assert_eq!(kernel(columns, "y[m,n] = x[n,m]"), "[M, N", "as the array that is written");
    assert_eq!(kernel(columns, "s += x[m,n]"), "[M, N", "as the array that is read");
    assert_eq!(kernel(columns, "s += x[m,n]*x[n,m]"), "[N, M", "no order that all have");
    assert_eq!(kernel(columns, "y[n,m] = x[n,m]"), "[N, M");
    assert_eq!(kernel(columns, "y[m,n] = x[m+n,n]"), "[M, N");
}

#[test]
fn positions_are_visited_in_tiles_where_they_cross_rows() {
    let with = |value: &str| {
        choice(&format!(
            "function y : mat = f(x : mat'clamped)\n y = uninit(size(x))\n for m = 0..size(x,0)-1\n \
             for n = 0..size(x,1)-1\n y[m,n] = {value}\n endfor\n endfor\nendfunction\n"
        ))
    };
    assert_eq!(with("x[n,m]"), "f positions 16x128 along 0");
    assert_eq!(with("x[m,n] + 2*x[n+1,m-2]"), "f positions 16x128 along 0");
    assert_eq!(with("x[m,n]"), "f linearized");
    assert_eq!(with("x[n,3]"), "f 32 lanes, 0 wide interleaved 4", "a column for all rows");
}

#[test]
fn what_lanes_cannot_do_together_is_not_vectorised() {
    let with = |statement: &str| {
        let text = format!(
            "function y : mat = f(x : mat'clamped, t : vec[int], r : int)\n y = zeros(size(x))\n \
             for m = 0..size(x,0)-1\n for n = 0..size(x,1)-1\n s = 0.0\n for d = 0..r\n {statement}\n endfor\n \
             y[m,n] = s\n endfor\n endfor\nendfunction\n"
        );
        choice(&text)
    };
    assert_eq!(with("s += x[m,n+d]*x[m,n]"), "f 32 lanes, 1 wide");
    assert_eq!(with("s += x[n,m+d]"), "f positions 16x128 along 0", "columns");
    assert_eq!(
        with("s += x[m,t[d]+n]*x[m,n]"),
        "f 32 lanes, 1 wide tiles 4x0",
        "elements of an index that a loop reads"
    );
    assert_eq!(
        with("s += t[t[d]]*x[m,n]"),
        "f 32 lanes, 1 wide tiles 4x0",
        "an index of the mode 'checked that only the loop knows, which lanes test"
    );
    assert_eq!(
        with("s += int(x[m,n+d]*x[m,n])"),
        "f 32 lanes, 1 wide",
        "a conversion that may fail, which lanes note"
    );
    let until = "k = 0\n while k < int(x[m,n])\n k += 1\n endwhile\n s += k*x[m,n+d]";
    assert_eq!(with(until), "f", "a conversion that may fail, on which depends how long lanes go round");
    assert_eq!(with("for e = 0..n\n s += x[m,n+d+e]\n endfor"), "f", "a loop with another end for each lane");
}

#[test]
fn own_elements_are_one_row() {
    let with = |body: &str| {
        // The first of two: the other one is for arrays that are one.
        let found = choices(&scheduled(&compiled(&format!(
            "function s = f(x : mat, y : mat, a : scalar)\n s = 0.0\n for m = 0..size(x,0)-1\n \
             for n = 0..2\n {body}\n endfor\n endfor\nendfunction\n"
        ))));
        found.into_iter().next().expect("a kernel")
    };
    assert_eq!(with("y[m,n] = a*x[m,n] + y[m,n]"), "f linearized");
    assert_eq!(with("s += x[m,n]*y[m,n]"), "f linearized", "a sum");
    assert_eq!(with("if x[m,n] > a\n y[m,n] = 0\n endif"), "f linearized");
    for other in ["y[m,n] = x[m,0]", "y[m,n] = x[m,n] + n", "y[m,n] = x[m,n+1]", "s += x[m,n]*size(y,1)"] {
        let found = with(other);
        assert!(!found.contains("linearized"), "{other}: {found}");
    }
}

#[test]
fn interiors_begin_where_they_write() {
    let with = |index: &str, value: &str| {
        let text = format!(
            "function [] = f(x : mat, y : mat)\n for m = 0..size(x,0)-3\n for n = 0..size(x,1)-3\n \
             y[{index}] = {value}\n endfor\n endfor\nendfunction\n"
        );
        let found = choices(&scheduled(&compiled(&text)));
        found.into_iter().next().expect("a kernel")
    };
    assert_eq!(with("m+1,n+1", "x[m,n+2]"), "f from [1, 1]");
    assert_eq!(with("m,n+2", "x[m,n] + y[m,n+2]"), "f from [0, 2]");
    assert_eq!(with("m,n", "x[m,n]"), "f linearized", "at zero already");
    assert_eq!(with("n+1,m+1", "x[m,n]"), "f positions 16x128 along 0 from [1, 1]", "the order of y");
}

#[test]
fn small_private_arrays_become_variables() {
    let program = compiled(PRIVATE);
    let scheduled = scheduled(&program);
    let arrays = |name: &str| {
        let mut kernels = scheduled.kernels.iter().map(|(_, kernel)| kernel);
        let kernel = kernels.find(|kernel| kernel.name.contains(name)).expect(name);
        let used = used_in(&kernel.body.block);
        let small = |v| build::is_small(&kernel.body.variables[v].ty) && !kernel.body.params.contains(&v);
        (used.iter().filter(|v| small(*v)).count(), kernel.schedule.branchless)
    };
    for name in ["exchanged", "inserted", "largest3", "tensor", "legendre", "products"] {
        assert_eq!(arrays(name), (0, false), "{name}");
    }
    for name in ["most_frequent", "crossed"] {
        assert_eq!(arrays(name), (0, true), "{name}");
    }
    assert!(arrays("outside").0 > 0, "an index may be outside");
    assert_eq!(run(&as_kernels(&scheduled, |_| None)), run(&program));
}

fn used_in(block: &[Stmt]) -> VarSet {
    let mut used = read_in(block);
    used.add(&stored_in(block));
    used
}
