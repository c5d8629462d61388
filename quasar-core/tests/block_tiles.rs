//! Which kernels have a version with a tile of positions for each block of threads.

use quasar_core::backend::clike::{self, DeviceKernel, Style};
use quasar_core::driver::{Options, compile};
use quasar_core::message::Sink;
use quasar_core::source::NoImports;
use quasar_core::transform::kernel::shaped_for_devices;

/// The tile of a kernel over `i` and `j` with this body; a kernel in which indices are all inside of small limits.
fn tile(body: &str) -> Option<DeviceKernel> {
    let text = format!(
        "function c : mat = work(a : mat, b : mat, v : vec, n : int)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            {body}
        endfor
    endfor
endfunction
"
    );
    of_program(&text)
}

fn of_program(text: &str) -> Option<DeviceKernel> {
    let compilation = compile("test.q", text, &NoImports, &Options { verify: true, ..Options::default() });
    let program = compilation.program.expect("a program without mistakes");
    let program = shaped_for_devices(&program);
    let mut sink = Sink::default();
    let mut tiles = clike::kernels(&program, &compilation.sources, &mut sink)
        .into_values()
        .filter_map(|kernel| kernel.tile.map(|tile| *tile));
    assert!(!sink.has_errors(), "{:?}", sink.into_sorted());
    tiles.next()
}

fn sum(step: &str) -> String {
    format!("s = 0.0\n for k = 0..size(a,1)-1\n {step}\n endfor\n c[i,j] = s")
}

#[test]
fn sums_of_two_factors_are_staged() {
    for body in [
        sum("s += a[i,k]*b[k,j]"),
        sum("s += a[i,k]*b[k,j]*a[i,k]"),
        sum("t = a[i,k] - b[k,j]\n s += t*t"),
        sum("s = max(s, a[i,k] + b[k,j])"),
        sum("s += v[k]*a[i,k]*b[k,j]"),
        "for k = 0..size(a,1)-1\n c[i,j] += a[i,k]*b[k,j]\n endfor".to_owned(),
        "c[i,j] = sum(a[i,:] .* b[:,j])".to_owned(),
    ] {
        let found = tile(&body).expect("a tile");
        assert_eq!(found.style, Style::BlockTiles { rows: 1, columns: 2 }, "{body}");
        assert_eq!(found.text.matches("Q_BARRIER();").count(), 1, "{}", found.text);
        assert!(found.sites.is_empty() && found.safe.is_some(), "{}", found.text);
        assert_eq!(found.iterations.len(), 1, "{body}");
    }
}

#[test]
fn other_kernels_have_no_tile() {
    for body in [
        // A part that depends on both, and no part that depends on columns.
        sum("s += a[i,k]*b[k,j]*a[i,j]"),
        sum("s += a[i,k]"),
        // Two different factors of a row.
        sum("s += a[i,k]*b[k,j] + v[i]"),
        // Bounds that depend on the position, or on another loop.
        "s = 0.0\n for k = 0..i\n s += a[i,k]*b[k,j]\n endfor\n c[i,j] = s".to_owned(),
        "s = 0.0\n for k = 0..n\n for l = 0..k\n s += a[i,k]*b[l,j]\n endfor\n endfor\n c[i,j] = s"
            .to_owned(),
        // Two sums, a sum that others read, and a jump.
        sum("s += a[i,k]*b[k,j]\n c[i,j] = s"),
        sum("if a[i,k] > 0\n s += a[i,k]*b[k,j]\n endif"),
        sum("s += a[i,k]*b[k,j]\n if s > 9\n break\n endif"),
        // What is computed before is needed in the loop.
        "f = v[i]\n s = 0.0\n for k = 0..size(a,1)-1\n s += f*a[i,k]*b[k,j]*c[i,j]\n endfor\n c[i,j] = s + f"
            .to_owned(),
    ] {
        assert!(tile(&body).is_none(), "{body}");
    }
}

/// Rows or columns may be several components of the position, and others have a tile each.
#[test]
fn factors_tell_rows_and_columns() {
    let layer = |x: &str, order: [&str; 3], y: &str| {
        format!(
            "function y : cube = layer(x : cube'mirror, w : cube{{4}})
    y = zeros({y})
    for {} = 0..size(y,0)-1
        for {} = 0..size(y,1)-1
            for {} = 0..size(y,2)-1
                s = 0.0
                for c = 0..size(w,1)-1
                    for i = 0..2
                        for j = 0..2
                            s += w[o,c,i,j]*{x}
                        endfor
                    endfor
                endfor
                y[{}] = s
            endfor
        endfor
    endfor
endfunction
",
            order[0],
            order[1],
            order[2],
            order.join(",")
        )
    };
    let first = layer("x[c,m+i-1,n+j-1]", ["o", "m", "n"], "size(w,0), size(x,1), size(x,2)");
    let last = layer("x[m+i-1,n+j-1,c]", ["m", "n", "o"], "size(x,0), size(x,1), size(w,0)");
    let batch = "function c : cube = batch(a : cube, b : cube)
    c = zeros(size(a,0), size(a,1), size(b,2))
    for z = 0..size(a,0)-1
        for i = 0..size(a,1)-1
            for j = 0..size(b,2)-1
                for k = 0..size(a,2)-1
                    c[z,i,j] += a[z,i,k]*b[z,k,j]
                endfor
            endfor
        endfor
    endfor
endfunction
";
    let style = |text: &str| of_program(text).map(|tile| tile.style);
    assert_eq!(style(&first), Some(Style::BlockTiles { rows: 1, columns: 6 }));
    assert_eq!(style(&last), Some(Style::BlockTiles { rows: 3, columns: 4 }));
    assert_eq!(style(batch), Some(Style::BlockTiles { rows: 2, columns: 4 }));
}
