//! Tiles do what the kernel does for single positions: kernels whose code is replaced by that of their register tiles, in launches
//! with a tile for each position, or by what blocks do for each position of theirs, print the same on the interpreter.

use quasar_core::driver::{Options, compile};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::ir::rewrite::{operands_mut, transform, transform_stmts};
use quasar_core::ir::schedule::OnDevice;
use quasar_core::ir::verify::verify;
use quasar_core::ir::{Coordinate, Dims, Expr, ExprKind, KernelId, Program, StmtKind, build};
use quasar_core::source::NoImports;
use quasar_core::transform::kernel::shaped_for_devices;
use quasar_devicelib::value::BufferHost;

fn run(program: &Program) -> String {
    let mut host = BufferHost::default();
    let mut interpreter = Interpreter::new(program, InterpOptions::default(), &mut host);
    interpreter.run_initializer().expect("a program without errors");
    interpreter.run_main(Vec::new()).expect("a program without errors");
    drop(interpreter);
    host.output
}

/// The code that takes the place of that of positions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tiles {
    /// Register tiles.
    Rows,
    /// What blocks of threads do for the positions of their tiles.
    Blocks,
}

/// The program with the code of tiles in place of that of positions, and how many kernels have it.
fn in_tiles(program: &Program, tiles: Tiles) -> (Program, usize) {
    match tiles {
        Tiles::Rows => in_strips(program),
        Tiles::Blocks => in_blocks(program),
    }
}

fn in_blocks(program: &Program) -> (Program, usize) {
    let mut tiled = shaped_for_devices(program);
    assert_eq!(verify(&tiled), Vec::<String>::new());
    let mut count = 0;
    for (_, kernel) in tiled.kernels.iter_mut() {
        let Some(OnDevice::Scheduled(schedule)) = &kernel.schedule.device else { continue };
        if let Some(tile) = schedule.tile.clone() {
            count += 1;
            kernel.body = tile.body;
            (kernel.strip, kernel.schedule.device) = (None, None);
        }
    }
    (tiled, count)
}

fn in_strips(program: &Program) -> (Program, usize) {
    let mut striped = shaped_for_devices(program);
    assert_eq!(verify(&striped), Vec::<String>::new());
    let has_tile = |id: &KernelId| striped.kernels[*id].strip.is_some();
    let ids: Vec<KernelId> = striped.kernels.ids().filter(has_tile).collect();
    for &id in &ids {
        let kernel = &mut striped.kernels[id];
        let strip = kernel.strip.take().expect("a strip");
        // The kernel is that of its tile, so its own schedule does not fit any more.
        kernel.schedule.device = None;
        assert_eq!((strip.rows, strip.apart, kernel.rank), (8, 1, 2));
        kernel.body = strip.body;
        // The components of the position count tiles now.
        transform_stmts(&mut kernel.body.block, &mut |stmt| {
            operands_mut(stmt, &mut |e| {
                transform(e, &mut |e| {
                    if let ExprKind::Coordinate(Coordinate::Position, 0) = e.kind {
                        *e = times(e.clone(), 8);
                    }
                });
            });
        });
    }
    for function in striped.functions.ids().collect::<Vec<_>>() {
        transform_stmts(&mut striped.functions[function].body.block, &mut |stmt| {
            if let StmtKind::Launch { kernel, dims: Dims::Each(dims), .. } = &mut stmt.kind
                && ids.contains(kernel)
            {
                dims[0] = binary("shr", dims[0].clone(), 3);
            }
        });
    }
    (striped, ids.len())
}

fn row(name: &str) -> &'static quasar_devicelib::ops::Row {
    quasar_devicelib::ops::find(name).expect("a row")
}

fn times(expr: Expr, factor: i32) -> Expr {
    binary("multiply", expr, factor)
}

fn binary(name: &str, expr: Expr, other: i32) -> Expr {
    let span = expr.span;
    build::apply(row(name), vec![expr, build::int(other, span)], build::int_type(), span)
}

/// `body` is what happens at a position `m`, `n` of images `x` and `y`, with weights `w`.
fn agrees(mode: &str, body: &str, kernels: usize) {
    let text = format!(
        "function [] = work(x : mat'{mode}, y : mat, w : vec)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
{body}
        endfor
    endfor
endfunction
function [] = main()
    x = zeros(24, 5)
    for m = 0..23
        for n = 0..4
            x[m,n] = mod(m * 37 + n * 11 + m * n, 97)
        endfor
    endfor
    y = zeros(24, 5)
    work(x, y, [1, 2, 4, 8])
    print y
endfunction
"
    );
    let output = agrees_as_a_whole(&text, kernels);
    assert!(output.len() > 300, "{body}\n{output}");
}

/// Gives what a program prints, with and without tiles of one column.
fn agrees_as_a_whole(text: &str, kernels: usize) -> String {
    agrees_in(Tiles::Rows, text, kernels)
}

fn agrees_in(tiles: Tiles, text: &str, kernels: usize) -> String {
    let options = Options { verify: true, ..Options::default() };
    let program = compile("test.q", text, &NoImports, &options).program.expect("a program without mistakes");
    let before = run(&program);
    let (striped, found) = in_tiles(&program, tiles);
    assert_eq!(found, kernels, "{text}");
    assert_eq!(verify(&striped), Vec::<String>::new());
    let after = run(&striped);
    assert!(before == after, "{text}\n{before}\n{after}");
    before
}

#[test]
fn sums_of_windows() {
    for mode in ["mirror", "circular", "clamped", "safe"] {
        let body = "s = 0.0
            for dy = -1..2
                for dx = -1..1
                    s += (dy + 2) * x[m+dy,n+dx]
                endfor
            endfor
            y[m,n] = s";
        agrees(mode, body, 1);
    }
}

#[test]
fn extremes_of_windows() {
    for row in ["max", "min"] {
        let body = format!(
            "v = x[m,n]
            for dy = -2..2
                for dx = -1..1
                    v = {row}(v, x[m+dy,n+dx])
                endfor
            endfor
            y[m,n] = v + m"
        );
        agrees("mirror", &body, 1);
    }
}

#[test]
fn loops_over_what_positions_share() {
    let body = "s = 0.0
            t = 1.0
            for k = 0..numel(w)-1
                t = t + w[k]
                s += w[k] * x[m,n+k] + t
                if s > 200
                    s -= 150
                endif
            endfor
            y[m,n] = s + t";
    agrees("circular", body, 1);
}

#[test]
fn what_a_branch_leaves_as_it_was() {
    let body = "best = 1e30
            id = 7
            for k = 0..numel(w)-1
                d = (x[m,n] - 10 * w[k])^2
                if d < best
                    best = d
                    id = k
                endif
            endfor
            y[m,n] = id";
    agrees("mirror", body, 1);
}

#[test]
fn loops_that_positions_leave_at_different_times() {
    let body = "s = 0.0
            for k = 0..numel(w)-1
                if x[m,n] + w[k] > 60
                    break
                endif
                s += w[k] * (x[m,n] + k)
            endfor
            j = 0
            while j < mod(m, 3)
                s += w[j]
                j += 1
            endwhile
            y[m,n] = s";
    agrees("mirror", body, 1);
}

#[test]
fn positions_that_share_nothing_stay_alone() {
    agrees("mirror", "            y[m,n] = 2 * x[m,n] + m", 0);
    agrees("mirror", "            y[m,n] = x[m,n+1] - x[m,n]", 0);
}

/// Looks for the extreme of products of `w`, of `count` elements, and `x`; prints `result`.
fn finds(ty: &str, start: &str, comparison: &str, result: &str, count: usize) -> String {
    let special = if ty == "scalar" && count % 2 == 1 {
        "w[1] = nan\n w[2] = -0.0\n w[4] = inf\n w[5] = -inf\n w[34] = nan"
    } else {
        ""
    };
    let text = format!(
        "function [] = work(x : mat[{ty}], y : mat, w : vec[{ty}])
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            best = {start}
            id = -1
            for k = 0..numel(w)-1
                d = w[k] * x[m,n]
                if {comparison}
                    id = 2 * k + n
                    best = d
                endif
            endfor
            y[m,n] = {result}
        endfor
    endfor
endfunction
function [] = main()
    x = zeros[{ty}](8, 3)
    for m = 0..7
        for n = 0..2
            x[m,n] = m * n - 2 * m + n
        endfor
    endfor
    w = zeros[{ty}](80)
    for k = 0..numel(w)-1
        w[k] = (mod(k * k * 5 + 3, 23) - 11) * (mod(k, 7) + k - mod(k, 16))
    endfor
    {special}
    y = zeros(8, 3)
    work(x, y, w[0..{count}-1])
    print y
endfunction
"
    );
    agrees_as_a_whole(&text, 1)
}

/// `body` computes an element of `y`, of 16x128, from `a`, of 16x7, and `b`, of 7x128.
fn contracts(body: &str, kernels: usize) {
    let text = format!(
        "function [] = work(a : mat, b : mat, y : mat)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
{body}
        endfor
    endfor
endfunction
function [] = main()
    a = zeros(16, 7)
    b = zeros(7, 128)
    for k = 0..6
        for m = 0..15
            a[m,k] = mod(m * 7 + k * 5, 11) - 4
        endfor
        for n = 0..127
            b[k,n] = mod(n * 3 + k * 2 + n * k, 13) - 5
        endfor
    endfor
    y = ones(16, 128)
    work(a, b, y)
    print y
endfunction
"
    );
    let output = agrees_in(Tiles::Blocks, &text, kernels);
    assert!(output.len() > 2000, "{body}\n{output}");
}

#[test]
fn contractions_in_tiles_of_blocks() {
    contracts(
        "            s = 0.0
            for k = 0..size(a,1)-1
                s += a[m,k] * b[k,n]
            endfor
            y[m,n] = s + m - n",
        1,
    );
    contracts(
        "            for k = 0..size(a,1)-1
                y[m,n] += abs(a[m,k] - b[k,n])
            endfor",
        1,
    );
    // Branches differ from position to position, and there are two sums.
    contracts(
        "            s = [0.0, 1.0]
            for k = 0..size(a,1)-1
                if a[m,k] > b[k,n]
                    s[0] += a[m,k] * b[k,n]
                else
                    s[1] -= b[k,n]
                endif
            endfor
            y[m,n] = s[0] + 3 * s[1]",
        0,
    );
    // Loops that differ from column to column.
    contracts(
        "            s = 0.0
            for k = 0..min(n, size(a,1)-1)
                s += a[m,k] * b[k,n]
            endfor
            y[m,n] = s",
        0,
    );
    // All loads depend on both components, so there is nothing to share.
    contracts(
        "            s = 0.0
            for k = 0..6
                s += y[m,n] * b[k,n] * b[mod(m+k,7),n]
            endfor
            y[m,n] = s",
        0,
    );
}

#[test]
fn places_of_extremes() {
    let mut outputs = std::collections::BTreeSet::new();
    for count in [1, 3, 15, 16, 17, 19, 20, 39, 65, 80] {
        for (start, comparison) in [
            ("1e30", "d < best"),
            ("-1e30", "best < d"),
            ("5.0", "best > d"),
            ("0.0", "d > best"),
            ("nan", "d < best"),
        ] {
            for result in ["id", "best", "1 / best"] {
                outputs.insert(finds("scalar", start, comparison, result, count));
            }
        }
        outputs.insert(finds("int", "maxvalue(int)", "d < best", "id", count));
        outputs.insert(finds("int", "0", "d > best", "id + best", count));
    }
    assert!(outputs.len() > 40, "most differ: {}", outputs.len());
}
