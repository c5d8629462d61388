//! Which shape kernels get for devices, and what their versions leave out.

use quasar_core::backend::clike::{self, DeviceKernel, Style};
use quasar_core::backend::rust::Options as Printing;
use quasar_core::driver::{Options, compile, print_rust};
use quasar_core::ir::affine::AffineForm;
use quasar_core::ir::schedule::{DeviceSchedule, GridStride, Mapping, OnDevice, SplitReduction};
use quasar_core::ir::verify::verify;
use quasar_core::ir::versions::{CodeVersion, IndexFact};
use quasar_core::ir::{KernelId, Program};
use quasar_core::message::Sink;
use quasar_core::source::{NoImports, SourceMap};
use quasar_core::transform::kernel::shaped_for_devices;
use std::collections::BTreeMap;

/// The only kernel of a function whose parameters are given, for a loop over `m` and `n` with this body.
fn kernel(params: &str, body: &str) -> DeviceKernel {
    let text = format!(
        "function [] = work({params})
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            {body}
        endfor
    endfor
endfunction
"
    );
    only_kernel(&text)
}

/// The text of all kernels that devices run.
fn printed(program: &Program, sources: &SourceMap) -> BTreeMap<KernelId, DeviceKernel> {
    let mut sink = Sink::default();
    let kernels = clike::kernels(program, sources, &mut sink);
    assert!(!sink.has_errors(), "{:?}", sink.into_sorted());
    kernels
}

fn only_kernel(text: &str) -> DeviceKernel {
    let compilation = compile("test.q", text, &NoImports, &Options { verify: true, ..Options::default() });
    let program = compilation.program.expect("a program without mistakes");
    let program = shaped_for_devices(&program);
    let kernels = printed(&program, &compilation.sources);
    assert_eq!(kernels.len(), 1, "{text}");
    kernels.into_values().next().expect("a kernel")
}

#[test]
fn own_elements_are_moved_together() {
    let walk = |together| Style::Walk { together, gather: false };
    let found = kernel("x : mat, y : mat", "y[m,n] = 2 * x[m,n]");
    assert_eq!(found.style, walk(4));
    assert!(found.text.contains("q_fetch_16(") && found.text.contains("q_put_16("), "{}", found.text);
    let found = kernel("x : mat[uint8], y : mat[uint8]", "y[m,n] = mod(x[m,n], 7)");
    assert_eq!(found.style, walk(16));
    // The widest type decides; bytes are moved by fours beside singles.
    let found = kernel("x : mat[uint8], y : mat", "y[m,n] = x[m,n]");
    assert_eq!(found.style, walk(4));
    assert!(found.text.contains("q_fetch_4(") && found.text.contains("q_put_16("), "{}", found.text);
}

/// A filter of one dimension by these taps, in a loop over which this stands.
fn filter(attribute: &str, taps: &str) -> String {
    let text = format!(
        "function [] = main(x : vec, y : vec, w : vec)
    taps = {taps}
    {attribute}
    for m = 2..numel(x)-3
        s = 0.0
        for k = 0..4
            s += taps[k] * x[m + k - 2]
        endfor
        y[m] = s
    endfor
endfunction
"
    );
    only_kernel(&text).text
}

#[test]
fn taps_of_filters_are_numbers_in_the_code() {
    let pointers = |text: &str| text.matches("Q_GLOBAL const q_f32*").count();
    let text = filter("", "[1,2,4,6,8]/16");
    assert_eq!(pointers(&text), 1, "{text}");
    assert!(text.contains("0.0625f *") && text.contains("0.25f *") && !text.contains("<= 4;"), "{text}");
    for (attribute, taps) in [("", "w"), ("{!kernel_transform disable=\"constprop\"}", "[1,2,4,6,8]/16")] {
        let text = filter(attribute, taps);
        assert_eq!(pointers(&text), 2, "{text}");
        assert!(!text.contains("0.0625f") && text.contains("<= 4;"), "{text}");
    }
}

/// A kernel with a loop of `n` rounds, or of 5, behind this attribute.
fn with_loop(attribute: &str, last: &str) -> String {
    let text = format!(
        "function [] = __kernel__ k(x : vec'unchecked, y : vec'unchecked, n : int, pos : int)
    s = 0.0
    {attribute}
    for k = 0..{last}
        s += sqrt(x[pos + k])
    endfor
    y[pos] = s
endfunction
function [] = main(n : int)
    parallel_do(8, zeros(8), zeros(8), n, k)
endfunction
"
    );
    only_kernel(&text).text
}

#[test]
fn loops_are_unrolled_where_that_is_asked_for() {
    let roots = |text: &str| text.matches("sqrt").count();
    assert_eq!(roots(&with_loop("", "n")), 1);
    // Three rounds at a time, and those that are left.
    let text = with_loop("{!unroll times=3}", "n");
    assert_eq!(roots(&text), 4, "{text}");
    assert_eq!(text.matches("for (").count(), 2, "{text}");
    let text = with_loop("{!unroll}", "40");
    assert!(text.contains("#pragma unroll"), "{text}");
}

#[test]
fn widths_of_vectors_are_limits() {
    for (attribute, elements) in [
        ("", 4),
        ("{!auto_vectorize}", 4),
        ("{!auto_vectorize width=2}", 2),
        ("{!auto_vectorize width=1}", 1),
    ] {
        let loops = format!(
            "function [] = work(x : mat, y : mat)
    for m = 0..size(x,0)-1
        {attribute}
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] + 1
        endfor
    endfor
endfunction
"
        );
        let found = only_kernel(&loops);
        assert_eq!(found.style, Style::Walk { together: elements, gather: false }, "{attribute}");
    }
}

#[test]
fn elements_that_not_every_position_stores_are_fetched_before() {
    let found = kernel("x : mat, y : mat", "if x[m,n] > 0\n y[m,n] = 1\n endif");
    assert_eq!(found.text.matches("q_fetch_16(").count(), 2, "{}", found.text);
    let found = kernel("x : mat, y : mat", "y[m,n] = x[m,n] + 1");
    assert_eq!(found.text.matches("q_fetch_16(").count(), 1, "{}", found.text);
}

#[test]
fn sums_are_combined_by_shuffles_in_warps() {
    let loop_over = "function s : scalar = total(x : vec)
    s = 0.0
    for k = 0..numel(x)-1
        s += x[k]
    endfor
endfunction
";
    let text = only_kernel(loop_over).text;
    assert!(text.contains("const q_f32 other = Q_LANE_DOWN(own, distance);"), "{text}");
}

#[test]
fn arrays_that_are_only_read_are_constant() {
    let found = kernel("x : mat, y : mat", "y[m,n] += x[m,n] + x[n,m]");
    let read_only = |v: &str| found.text.contains(&format!("Q_GLOBAL const q_f32* Q_RESTRICT {v},"));
    assert_eq!(["v0", "v1"].map(read_only), [true, false], "{}", found.text);
}

#[test]
fn kernels_that_devices_share_take_the_start_and_the_end_of_a_part() {
    let source = "function [] = __kernel__ k(x : mat, y : mat, pos : ivec2)\n y[pos] = x[pos[0], pos[1] + 1]\nendfunction\n";
    let launch = |how: &str| {
        let text =
            format!("{source}function [] = f(x : mat, y : mat)\n {how}(size(x), x, y, k)\nendfunction\n");
        only_kernel(&text).text
    };
    let (one, all) = (launch("parallel_do"), launch("multi_parallel_do"));
    assert!(!one.contains("part_") && all.contains("q_i32 n1, q_i32 part_start, q_i32 part_end"), "{all}");
    assert!(all.contains(">= (q_u32)part_end") && !all.contains(">= (q_u32)n0"), "{all}");
}

#[test]
fn positions_in_other_places_are_visited_one_by_one() {
    for body in ["y[m,n] = x[m,n] + m", "y[n,m] = x[m,n]", "y[m,n] = x[m,n] + x[n,m]", "y[m,0] = x[m,n]"] {
        assert_eq!(kernel("x : mat, y : mat'safe", body).style, Style::Positions, "{body}");
    }
}

#[test]
fn small_arrays_that_are_added_to_become_tables() {
    let found = kernel("x : mat[uint8], h : vec", "h[x[m,n]] += 1");
    assert_eq!(found.style, Style::Walk { together: 16, gather: true });
    assert_eq!(found.tables, [(1, 4)]);
    assert!(found.text.contains("q_atomic_add_shared_u32("), "ones are counted as integers: {}", found.text);
    let found = kernel("x : mat[uint8], h : vec", "h[x[m,n]] += 0.5");
    assert!(found.text.contains("q_atomic_add_shared_f32("), "{}", found.text);
}

#[test]
fn strips_have_a_version_without_index_maps() {
    let body = "s = 0.0
            for dy = -1..1
                s += x[m+dy,n-1] + x[m+dy,n+1]
            endfor
            y[m,n] = s";
    let found = kernel("x : mat'mirror, y : mat", body);
    assert_eq!(found.style, Style::Strips { rows: 8 });
    let (free, mapped) = found.text.split_once("} else if (").expect("two versions of a strip");
    assert!(!free.contains("q_mirror(") && !free.contains("q_in_range("), "{}", found.text);
    // Each of three rows is written once for all positions, with both columns; those are mapped once.
    let mapped = mapped.split("return;").next().unwrap_or_default();
    assert_eq!(mapped.matches("q_mirror_near(").count(), 6, "{}", found.text);
    // One reflection is enough where the image is not smaller than what its windows reach beyond it.
    assert!(mapped.contains("(q_i64)(-1) - n0 + (2) * (q_i64)v0_d0 >= 0"), "{}", found.text);
}

#[test]
fn loops_that_hold_loops_are_not_copied() {
    let body = "s = 0.0
            for i = 0..2
                for k = 0..size(x,1)-1
                    s += w[i,k]*x[m,k]
                endfor
            endfor
            y[m,n] = max(s, 0)";
    let found = kernel("x : mat, y : mat, w : mat", body);
    assert_eq!(found.style, Style::Strips { rows: 8 });
    // A tile, and single positions.
    assert_eq!(found.text.matches("* v0[").count(), 2, "{}", found.text);
}

#[test]
fn counts_of_few_rows_are_shared_by_all_positions() {
    let kernels = |range: &str, index: &str| {
        let text = format!(
            "function h : mat = counts(x : cube)
    h = zeros(size(x,0), 256)
    for c = {range}
        for i = 0..size(x,1)-1
            for j = 0..size(x,2)-1
                h[c, {index}] += 1
            endfor
        endfor
    endfor
endfunction
"
        );
        let options = Options { verify: true, ..Options::default() };
        let compilation = compile("test.q", &text, &NoImports, &options);
        let program = shaped_for_devices(&compilation.program.expect("a program without mistakes"));
        let mut found: Vec<(usize, bool)> = Vec::new();
        for (_, kernel) in program.kernels.iter().filter(|(_, kernel)| kernel.parallel) {
            let Some(OnDevice::Scheduled(schedule)) = &kernel.schedule.device else { continue };
            let table = matches!(&schedule.mapping, Mapping::GridStride(walk) if walk.histograms.len() == 1);
            found.push((kernel.rank, table));
        }
        found.sort_unstable();
        found
    };
    // Known to be few, known to be many, and told by the launch.
    assert_eq!(kernels("0..2", "int(x[c,i,j])"), [(3, true)]);
    assert_eq!(kernels("0..99", "int(x[c,i,j])"), [(1, false)]);
    assert_eq!(kernels("0..size(x,0)-1", "int(x[c,i,j])"), [(1, false), (3, true)]);
    // Sums are no counts: no data chooses the element.
    assert_eq!(kernels("0..2", "i"), [(2, false)]);
    // Additions at the own position need no copies.
    let own = kernel("x : mat, y : mat", "y[m,n] += x[m,n]");
    assert_eq!((own.style, own.tables.len()), (Style::Walk { together: 4, gather: false }, 0));
}

#[test]
fn tests_are_left_out_where_a_launch_stays_inside() {
    let found = kernel("x : mat, y : mat", "y[m,n+1] = x[m,n] + n");
    assert_eq!(found.style, Style::Positions);
    let (fast, general) = found.text.split_once("        return;\n    }").expect("two versions");
    assert!(!fast.contains("q_in_range(") && general.contains("q_in_range("), "{}", found.text);
    // The last index is one more than that of the last position.
    assert!(fast.contains("(q_i64)(-1) - n1 + v1_d1 >= 0"), "{}", found.text);
    // Programs that count on places outside keep their tests, and have no version that never runs.
    let found = kernel("x : mat'safe, y : mat", "y[m,n] = x[m,n+1] + n");
    assert!(found.text.contains("q_in_range("), "{}", found.text);
}

#[test]
fn a_pass_finds_the_accesses_that_need_no_test() {
    let (program, _) = scheduled("y[pos] = x[int(x[pos])]");
    let (_, kernel) = program.kernels.iter().next().expect("a kernel");
    let Some(OnDevice::Scheduled(schedule)) = kernel.schedule.device.as_ref() else {
        panic!("{:?}", kernel.schedule.device)
    };
    let version = schedule.versions.position.as_ref().expect("a version without tests");
    // In the order of a visit: the store, the outer load, whose index only data knows, and the inner one.
    let facts: Vec<IndexFact> = (0..3).map(|access| version.index(access, 0)).collect();
    assert_eq!(facts, [IndexFact::InBounds, IndexFact::Unknown, IndexFact::InBounds]);
    assert_eq!((version.accesses.len(), version.launch.sums().count()), (3, 2));
    let (program, _) = scheduled("syncthreads\n y[pos] = x[pos]");
    let (_, kernel) = program.kernels.iter().next().expect("a kernel");
    let Some(OnDevice::Scheduled(schedule)) = kernel.schedule.device.as_ref() else {
        panic!("{:?}", kernel.schedule.device)
    };
    assert_eq!(schedule.versions.all(kernel).count(), 0, "threads of blocks do not leave alone");
}

#[test]
fn launches_that_cannot_fail_are_known() {
    let safe = |params: &str, body: &str| {
        let printed = |sums: Vec<AffineForm>| {
            let mut sums: Vec<String> =
                sums.iter().map(|s| format!("{:?} {}", s.terms, s.constant)).collect();
            sums.sort();
            sums.join("; ").replace("Id", "")
        };
        kernel(params, body).safe.map(printed)
    };
    let inside = |found: &Option<String>, what: &str| found.as_ref().is_some_and(|sums| sums.contains(what));
    // Own elements, a table of all bytes, a window, and one that is shifted.
    let found = safe("x : mat[uint8], h : vec, y : mat", "y[m,n] = h[x[m,n]]");
    assert!(inside(&found, ", 0), 1)] -256") && inside(&found, "(Launch(0), -1), (Extent("), "{found:?}");
    let body = "y[m,n] = x[m-1,n] + x[m,n-1] + x[m+1,n] + x[m,n+1] + x[m+1,n+1] + x[m-1,n-1]";
    assert!(safe("x : mat'mirror, y : mat", body).is_some());
    assert!(inside(&safe("x : mat, y : mat", "y[m,n+1] = x[m,n] + n"), ", 1), 1)] -1"));
    // Indices that only data knows, and what fails for other reasons.
    assert_eq!(safe("x : mat, h : vec, y : mat", "y[m,n] = h[int(x[m,n])]"), None);
    assert_eq!(safe("x : mat, y : mat", "assert(x[m,n] > 0)\n y[m,n] = x[m,n] + n"), None);
}

#[test]
fn one_loop_that_accumulates_is_shared() {
    let body = "s = 0.0
            for k = 0..size(w,0)-1
                s += w[k,n] * x[m,n]
            endfor
            y[m,n] = s";
    let found = kernel("x : mat, y : mat, w : mat", body);
    let team = found.team.expect("a form for few positions");
    assert_eq!(team.style, Style::Team { values: 32, columns: 32 });
    assert!(team.text.contains("Q_THREADS(256)") && team.text.contains("all_v"), "{}", team.text);
    // Rounds in order, rounds with effects, and rounds that are no integers stay with one thread.
    for body in [
        "s = 0.0\n for k = 0.0..0.5..size(w,0)-1\n s += k * x[m,n]\n endfor\n y[m,n] = s",
        "s = 0.0\n for k = 0..0.25..w[m,n]\n s += x[int(k),n]\n endfor\n y[m,n] = s",
        "s = 0.0\n for k = x[m,n]..9\n s += k\n endfor\n y[m,n] = s",
        "s = 0.0\n for k = 0..size(w,0)-1\n s = 0.5 * s + w[k,n]\n endfor\n y[m,n] = s",
        "s = 0.0\n for k = 0..size(w,0)-1\n s += w[k,n]\n y[m,n] = s\n endfor",
        "s = 0.0\n for k = 0..size(w,0)-1\n s += w[k,n]\n if s > 9\n break\n endif\n endfor\n y[m,n] = s",
    ] {
        assert!(kernel("x : mat, y : mat, w : mat", body).team.is_none(), "{body}");
    }
}

/// The version of a kernel over rows in which blocks share loops.
fn of_rows(body: &str) -> Option<Box<DeviceKernel>> {
    let text = format!(
        "function [] = work(x : mat, y : mat, h : vec[int], v : vec)
    for i = 0..size(x,0)-1
        {body}
    endfor
endfunction
"
    );
    only_kernel(&text).block
}

/// A loop over a row.
fn along(statements: &str) -> String {
    format!("for k = 1..size(x,1)-1\n {statements}\n endfor\n")
}

#[test]
fn loops_along_rows_are_shared_by_blocks() {
    let body = format!("s = 0.0\n {}{}", along("s += x[i,k]\n y[i,k] = 2"), along("y[i,k] = y[i,k] / s"));
    let found = of_rows(&body).expect("a version for rows");
    assert_eq!(found.style, Style::BlockEach { along_rows: true, values: 1 });
    // Where a position has columns, neighbouring positions are neighbours in memory.
    let columns = format!("s = 0.0\n {}{}", along("s += x[k,i]"), along("y[k,i] = s"));
    assert_eq!(
        of_rows(&columns).map(|found| found.style),
        Some(Style::BlockEach { along_rows: false, values: 1 })
    );
    // Scans, extremes with their places, jumps, and short loops are for one thread.
    for body in [
        along("s += x[i,k]\n y[i,k] = s"),
        along("if x[i,k] > s\n s = x[i,k]\n p = k\n endif"),
        along("if x[i,k] < 0\n break\n endif\n s += x[i,k]"),
        along("y[i,k] = y[i,k-1] + x[i,k]"),
        "for k = 0..5\n y[i,k] = x[i,k]\n endfor".to_owned(),
    ] {
        assert!(of_rows(&format!("s = 0.0\n p = 0\n {body}\n v[i] = s + p")).is_none(), "{body}");
    }
}

#[test]
fn threads_of_a_block_wait_where_one_reads_what_another_has_written() {
    let barriers = |body: &str| {
        let text = of_rows(&format!("v[i] = 1\n {body}")).expect("a version for rows").text;
        // The version without tests comes last.
        let version = text.rsplit("return;\n    }\n    #endif").next();
        version.map(|text| text.matches("Q_WAIT_FOR_TEAM();").count())
    };
    let (fill, other) = (along("y[i,k] = x[i,k]"), along("x[i,k] = 1"));
    assert_eq!(barriers(&fill), Some(0));
    assert_eq!(barriers(&format!("{fill} {other}")), Some(1), "x is read before it is written");
    assert_eq!(barriers(&format!("{fill} h[i] = 2")), Some(0));
    assert_eq!(barriers(&format!("{fill} h[i] = int(y[i,0])")), Some(1));
    assert_eq!(barriers(&format!("{fill} if y[i,0] > 1\n {other} endif")), Some(1), "for both");
    let again = format!("{} y[i,0] = y[i,1]", along("y[i,k] = 2 * y[i,k]"));
    assert_eq!(barriers(&format!("for t = 0..3\n {again}\n endfor")), Some(2), "the next round reads, too");
}

#[test]
fn elements_that_loops_add_to_are_kept_in_registers() {
    let product = |order: &str| {
        let text = format!(
            "function c : mat = product(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        {order}
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction
"
        );
        only_kernel(&text)
    };
    let (rows, columns) = ("for k = 0..size(a,1)-1", "for j = 0..size(b,1)-1");
    for order in [format!("{rows}\n{columns}"), format!("{columns}\n{rows}")] {
        let found = product(&order);
        assert_eq!(found.style, Style::Strips { rows: 8 }, "{order}");
        assert!(!found.text.contains("q_atomic"), "{order}: {}", found.text);
        let team = found.team.expect("a form for few positions");
        assert_eq!(team.style, Style::Team { values: 32, columns: 32 }, "{order}");
    }
    // An element that may be missing is not read before the loop, which may have no iterations.
    let found =
        kernel("x : mat, y : mat'checked, w : mat", "for k = 0..size(w,0)-1\n y[m,n] += w[k,n]\n endfor");
    assert!(found.team.is_none(), "{}", found.text);
}

#[test]
fn launches_know_the_iterations_that_threads_share() {
    let iterations = |range: &str| {
        let text = format!(
            "function y : vec = work(x : mat, n : int)
    y = uninit(size(x,0))
    for m = 0..size(x,0)-1
        s = 0.0
        for k = {range}
            s += x[m,k]
        endfor
        y[m] = s
    endfor
endfunction
"
        );
        let compilation = compile("test.q", &text, &NoImports, &Options::default());
        let program = compilation.program.expect("a program without mistakes");
        let printed = print_rust(&program, &compilation.sources, &Printing::default(), &mut Sink::default());
        let text = printed.split_whitespace().collect::<String>();
        let found: Vec<_> =
            text.split("iterations:").skip(1).map(|rest| rest.split(",seal").next()).collect();
        assert!(found.len() > 1, "one kernel in several versions: {text}");
        found.into_iter().flatten().find(|each| *each != "&[]").map(str::to_owned)
    };
    let whole = "&[abi::Sum{constant:0i64,terms:&[(abi::Symbol::Extent(0,1),1i64),]}]";
    assert_eq!(iterations("0..size(x,1)-1").as_deref(), Some(whole));
    let given = iterations("2..n").expect("a number");
    assert!(given.contains("constant:-1i64") && given.contains("abi::Symbol::Value("), "{given}");
    // The longest row of a triangle; iterations that a step leaves out are not counted.
    assert_eq!(iterations("m..size(x,1)-1").as_deref(), Some(whole));
    assert_eq!(iterations("0..2..size(x,1)-1"), None);
}

#[test]
fn loops_that_look_for_a_place_take_rounds_in_groups() {
    let search = |round: &str, after: &str| {
        let body = format!(
            "best = 1e30
            id = 0
            d = 0.0
            for k = 0..size(w,0)-1
                {round}
            endfor
            y[m,n] = id + n + {after}"
        );
        kernel("x : mat, y : mat, w : mat", &body).text
    };
    let plain = "d = abs(x[m,n] - w[k,0])\n if d < best\n best = d\n id = k\n endif";
    let text = search(plain, "best");
    let (fast, general) = text.split_once("const q_i32 first").expect("strips and single positions");
    assert!(fast.contains(" <= 3; ") && fast.contains("q_min_f32("), "{text}");
    assert!(!fast.contains("q_in_range(") && !general.contains("q_min_f32("), "{text}");
    assert!(search("if w[k,n] + m > best\n id = k\n best = w[k,n] + m\n endif", "0").contains("q_max_f32("));
    for (round, after) in [
        ("d = abs(x[m,n] - w[k,0])\n if d <= best\n best = d\n id = k\n endif", "0"),
        ("d = abs(x[m,n] - w[k,0])\n if d < best\n best = d\n id += 1\n endif", "0"),
        ("d = abs(x[m,n] - w[k,0])\n if d < best\n best = d + 1\n id = k\n endif", "0"),
        ("d = abs(x[m,n] - w[k,0]) - best\n if d < best\n best = d\n id = k\n endif", "0"),
        ("d = abs(d - w[k,0])\n if d < best\n best = d\n id = k\n endif", "0"),
        (plain, "d"),
    ] {
        assert!(!search(round, after).contains("q_min_f32("), "{round}");
    }
}

/// The only kernel for devices of a program with a written kernel of this body, if there is one.
fn written(body: &str) -> Option<DeviceKernel> {
    let (program, sources) = scheduled(body);
    printed(&program, &sources).into_values().next()
}

/// A program with one written kernel, behind the passes for devices.
fn scheduled(body: &str) -> (Program, SourceMap) {
    let text = format!(
        "function [] = __kernel__ k(x : vec, y : vec, n : int, pos : int, blkidx : int)
    {body}
endfunction
x = zeros(9)
parallel_do([[9],[4]], x, zeros(9), 3, k)
"
    );
    let compilation = compile("test.q", &text, &NoImports, &Options { verify: true, ..Options::default() });
    (shaped_for_devices(&compilation.program.expect("a program without mistakes")), compilation.sources)
}

#[test]
fn a_pass_chooses_how_devices_run_a_kernel() {
    let choice = |body: &str| {
        let (program, _) = scheduled(body);
        let (_, kernel) = program.kernels.iter().next().expect("a kernel");
        kernel.schedule.device.as_ref().expect("a choice").to_string()
    };
    for (body, expected) in [
        ("y[pos] = 2 * x[pos]", "grid-stride by 4, 2 own, 0 privatised"),
        ("y[pos] += x[pos]", "grid-stride by 4, 2 own, 0 privatised"),
        ("y[int(x[pos])] += 1", "grid-stride by 4, 1 own, 1 privatised, gathered"),
        ("y[pos] = x[8 - pos]", "a thread per position"),
        ("y[pos] = blkidx", "blocks"),
        ("y[pos] = x[pos]\n syncthreads(grid)\n x[pos] = y[8 - pos]", "cooperative grid of logical blocks"),
        ("a = x[pos]\n syncthreads(grid)\n x[8 - pos] = a", "cooperative grid"),
        (
            "if x[pos] > 0\n syncthreads\n endif",
            "not on devices: a barrier that some threads of a block may not reach",
        ),
    ] {
        assert_eq!(choice(body), expected, "{body}");
    }
}

#[test]
fn a_pass_refuses_what_devices_have_no_form_for() {
    for (body, expected) in [
        ("assert(x[pos] > 0, ones(17))", "an error message with so many values"),
        ("assert(x[pos] > 0, \"a \", ones(4,4), \" \", n)", "an error message with so many values"),
        ("y[0] ^= 2", "an atomic change by 'power'"),
        ("a = zeros(0)\n y[pos] = numel(a)", "a value of type 'vec(0)'"),
    ] {
        let (program, sources) = scheduled(body);
        let (_, kernel) = program.kernels.iter().next().expect("a kernel");
        match kernel.schedule.device.as_ref() {
            Some(OnDevice::Refused { what, .. }) => assert_eq!(what, expected, "{body}"),
            other => panic!("{body}: {other:?}"),
        }
        assert!(printed(&program, &sources).is_empty(), "{body}");
    }
    // What is just inside of the same limits.
    for body in [
        "assert(x[pos] > 0, ones(15), n)",
        "y[0] *= 2",
        "a = zeros(1)\n y[pos] = numel(a)",
        "a = inv(x[0] * ones(8,8))\n y[pos] = a[0,0]",
    ] {
        assert!(written(body).is_some(), "{body}");
    }
}

#[test]
fn kernels_that_no_pass_scheduled_are_not_printed() {
    let (mut program, sources) = scheduled("y[pos] = 2 * x[pos]");
    program.kernels.iter_mut().for_each(|(_, kernel)| kernel.schedule.device = None);
    let mut sink = Sink::default();
    assert!(clike::kernels(&program, &sources, &mut sink).is_empty());
    assert_eq!(sink.into_sorted().len(), 1);
}

#[test]
fn schedules_that_do_not_fit_their_kernel_are_found() {
    let problems = |change: &dyn Fn(&mut DeviceSchedule)| {
        let (mut program, _) = scheduled("y[pos] = 2 * x[pos]");
        let (_, kernel) = program.kernels.iter_mut().next().expect("a kernel");
        match kernel.schedule.device.as_mut() {
            Some(OnDevice::Scheduled(schedule)) => change(schedule),
            other => panic!("no schedule: {other:?}"),
        }
        verify(&program)
    };
    let grid_stride = |change: fn(&mut GridStride)| {
        problems(&|schedule| match &mut schedule.mapping {
            Mapping::GridStride(grid_stride) => change(grid_stride),
            other => panic!("no grid-stride loop: {other:?}"),
        })
    };
    assert_eq!(problems(&|_| {}), Vec::<String>::new());
    assert_eq!(grid_stride(|each| each.vector = 3), ["k: a vector whose length is no power of two"]);
    assert_eq!(grid_stride(|each| each.own.clear()), ["k: a grid-stride loop for nothing"]);
    assert_eq!(problems(&|each| each.heap.used = true), ["k: a grid-stride loop whose threads make arrays"]);
    assert_eq!(
        problems(&|each| each.mapping = Mapping::RegisterTiles),
        ["k: scheduled by tiles that it does not have"]
    );
    assert_eq!(
        problems(&|each| each.versions.split = Some(CodeVersion::default())),
        ["k: a version of other code"]
    );
    assert_eq!(
        problems(&|each| each.heap.kernel.loops.push(0)),
        ["k: memory that goes back behind something that is no loop"]
    );
    let split = SplitReduction { at: 0, accumulators: Vec::new(), iterations: None, columns: false };
    assert_eq!(
        problems(&|each| each.split = Some(split.clone())),
        [
            "k: a split reduction of something that is no loop over integers",
            "k: a split reduction without accumulators"
        ]
    );
}

#[test]
fn blocks_that_wait_for_each_other_take_turns_where_nothing_is_kept() {
    let style = |body: &str| written(body).map(|found| found.style);
    let turns = "y[pos] = x[pos]\n syncthreads(grid)\n x[pos] = y[8 - pos]";
    let found = written(turns).expect("a form for devices");
    assert_eq!(found.style, Style::Grid { walks: true });
    let sections: Vec<&str> = found.text.split("wait_for_grid(gate, (q_u32)thread);").collect();
    assert_eq!(sections.len(), 2, "{}", found.text);
    assert!(sections.iter().all(|section| section.contains("for (q_u32 number")), "{}", found.text);
    let looped = "for k = 1..n\n y[pos] = x[pos] + k\n syncthreads(grid)\n x[pos] = y[8 - pos]\n syncthreads(grid)\n endfor";
    assert_eq!(style(looped), Some(Style::Grid { walks: true }));
    let kept = "a = x[pos]\n syncthreads(grid)\n x[8 - pos] = a";
    assert_eq!(style(kept), Some(Style::Grid { walks: false }));
    let shared = "s = shared(4)\n s[0] = 1\n syncthreads(grid)\n x[pos] = s[0]";
    assert_eq!(style(shared), Some(Style::Grid { walks: false }));
}

#[test]
fn barriers_that_not_all_threads_may_reach_stay_on_the_processor() {
    for body in [
        "if x[pos] > 0\n syncthreads(grid)\n endif",
        "if blkidx == 0\n syncthreads(grid)\n endif",
        "while true\n syncthreads(grid)\n if x[pos] > 0\n break\n endif\n endwhile",
        "while true\n syncthreads\n if x[pos] > 0\n break\n endif\n endwhile",
    ] {
        assert!(written(body).is_none(), "{body}");
    }
    assert!(written("if blkidx == 0\n syncthreads\n endif").is_some());
    assert!(written("if n == 0\n syncthreads(grid)\n endif").is_some());
}

#[test]
fn each_line_of_a_text_names_the_line_that_it_stands_for() {
    let text = "function [] = __kernel__ k(x : vec, pos : int)\n    if x[pos] > 0\n        x[pos] = 1\n    endif\nend\n\
                function [] = f(x : vec)\n    parallel_do(8, x, k)\nend\n";
    let compilation = compile("a\\\"b.q", text, &NoImports, &Options::default());
    let program = shaped_for_devices(&compilation.program.expect("a program without mistakes"));
    let (sources, mut sink) = (&compilation.sources, Sink::default());
    let plain = clike::kernels(&program, sources, &mut sink).into_values().next().expect("a kernel").text;
    let named = clike::kernels_naming(clike::Naming::Lines, &program, sources, &mut sink);
    let named = named.into_values().next().expect("a kernel").text;
    let others: Vec<&str> = named.lines().filter(|line| !line.starts_with("#line ")).collect();
    assert_eq!(others, plain.lines().collect::<Vec<_>>(), "nothing else changes");
    let stored: Vec<&str> = named.split("#line ").filter(|part| part.contains("] = 1.0f;")).collect();
    assert!(!stored.is_empty() && stored.iter().all(|part| part.starts_with("3 \"a/_b.q\"\n")), "{named}");
    assert_eq!(named.matches("#line ").count(), others.len(), "{named}");
}
