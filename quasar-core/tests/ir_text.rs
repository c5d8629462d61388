//! The IR as text: what is written is read back, behind every pass of all programs of the tests, and passes do the same to what
//! was read. `tests/passes/*.test` hold a source, whose first line names passes (`% behind autoparallel ..`), and what is
//! counted behind each of them. `UPDATE_EXPECT=1` writes what was found; review the difference.

mod slice;

use quasar_core::driver::{Options, compile};
use quasar_core::ir::rewrite::{visit_block, visit_stmts};
use quasar_core::ir::{ExprKind, Program, StmtKind, text};
use quasar_core::message::Sink;
use quasar_core::source::{NoImports, SourceMap};
use quasar_core::transform::pass::Pass;
use quasar_core::transform::{PassContext, Runner, Stage, pipeline};
use std::path::{Path, PathBuf};

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|known| known == extension) {
            found.push(path);
        }
    }
}

fn all(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), extension, &mut found);
    found.sort();
    assert!(!found.is_empty(), "the files were not found");
    found
}

/// A program as lowering makes it; nothing for one with mistakes or with imports of other files.
fn lowered(source: &str) -> Option<(Program, SourceMap)> {
    let options = Options { last_pass: Some("lower".to_string()), ..Options::default() };
    let compilation = compile("test.q", source, &NoImports, &options);
    compilation.program.map(|program| (program, compilation.sources))
}

/// Runs all passes of optimised programs for a target.
fn run(
    program: &mut Program,
    sources: &SourceMap,
    target: Stage,
    observer: &mut dyn FnMut(&Pass, &Program),
) -> bool {
    let mut sink = Sink::default();
    let mut runner = Runner::new(PassContext::new(sources)).observed(observer);
    runner.lowered(program, &mut sink);
    for stage in [Stage::Program, Stage::Host, Stage::Kernel, target] {
        runner.run(pipeline::passes(stage), program, &mut sink);
        if sink.has_errors() {
            return false;
        }
    }
    true
}

#[test]
fn what_is_written_is_read_back_behind_every_pass() {
    let mut checked = 0;
    let programs = all("../tests/programs", "q").into_iter().enumerate();
    for (_, path) in programs.filter(|(number, _)| slice::has(*number)) {
        let source = std::fs::read_to_string(&path).expect("a text");
        let Some((mut program, sources)) = lowered(&source) else { continue };
        let mut again =
            text::read(&text::write(&program)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut last = String::new();
        let mut observer = |pass: &Pass, program: &Program| {
            let written = text::write(program);
            if written != last {
                let read = text::read(&written);
                let read = read.unwrap_or_else(|e| panic!("{} behind {}: {e}", path.display(), pass.name));
                assert!(text::write(&read) == written, "{} behind {}", path.display(), pass.name);
                (checked, last) = (checked + 1, written);
            }
        };
        // Texts that the program evaluates are no part of what is written.
        let whole = program.texts.is_none();
        if run(&mut program, &sources, Stage::Device, &mut observer) && whole {
            run(&mut again, &sources, Stage::Device, &mut |_, _| {});
            assert!(text::write(&again) == text::write(&program), "{}: passes differ", path.display());
        }
    }
    assert!(checked > slice::share(2000), "{checked}");
}

/// What passes are judged by, over the whole program.
fn counts(program: &Program) -> String {
    let (mut launches, mut calls, mut branches, mut loops) = (0, 0, 0, 0);
    let (mut barriers, mut stores, mut loads, mut variables) = (0, 0, 0, 0);
    let bodies = program.functions.iter().map(|(_, function)| &function.body);
    let strips = program.kernels.iter().filter_map(|(_, kernel)| kernel.strip.as_ref()).count();
    for body in bodies.chain(program.kernels.iter().map(|(_, kernel)| &kernel.body)) {
        variables += body.variables.len();
        visit_stmts(&body.block, &mut |stmt| match stmt.kind {
            StmtKind::Launch { .. } => launches += 1,
            StmtKind::Call { .. } | StmtKind::CallValue { .. } => calls += 1,
            StmtKind::If { .. } => branches += 1,
            StmtKind::For { .. }
            | StmtKind::ForEach { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. } => {
                loops += 1;
            }
            StmtKind::Barrier(_) => barriers += 1,
            StmtKind::Store { .. } | StmtKind::Update { .. } | StmtKind::Exchange { .. } => stores += 1,
            _ => {}
        });
        visit_block(&body.block, &mut |expr| {
            loads += usize::from(matches!(expr.kind, ExprKind::Load { .. }))
        });
    }
    let kernels = program.kernels.len();
    format!(
        "kernels {kernels}, launches {launches}, calls {calls}, branches {branches}, loops {loops}, barriers {barriers}, \
         loads {loads}, stores {stores}, variables {variables}, tiled {strips}"
    )
}

#[test]
fn passes_do_what_is_counted() {
    let mut wrong = Vec::new();
    for path in all("tests/passes", "test") {
        let case = std::fs::read_to_string(&path).expect("a text");
        let source = case.find("--- ").map_or(case.as_str(), |at| &case[..at]);
        let first = source.lines().next().and_then(|line| line.strip_prefix("% behind "));
        let names: Vec<&str> = first.expect("the first line names passes").split_whitespace().collect();
        let (program, sources) = lowered(source).unwrap_or_else(|| panic!("{} has mistakes", path.display()));
        let written = text::write(&program);
        let mut found = format!("{source}--- counts\n");
        for name in names {
            let (stage, _) = pipeline::find(name).unwrap_or((Stage::Program, &pipeline::PROGRAM[0]));
            let target = if stage == Stage::Cpu { Stage::Cpu } else { Stage::Device };
            let mut program = text::read(&written).expect("what was written");
            let mut line = None;
            run(&mut program, &sources, target, &mut |pass, program| {
                if pass.name == name {
                    line = Some(counts(program));
                }
            });
            found += &format!("{name}: {}\n", line.unwrap_or_else(|| panic!("there is no pass {name}")));
        }
        if found == case {
            continue;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, found).expect("written");
        } else {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A kernel as one writes it down for a test: `n = pos; y[n] = x[n + 1]`.
const KERNEL: &str = r#"(Program classes [] fields [] initializer - main - enums [] (FunctionValues made [] texts [])
  globals [] functions [] kernels [
    (Kernel name "k" body (Body variables [
        (Variable name "x" ty (Array (ArrayType element (Scalar Single Checked) rank (Known 1) sizes [-])) boundary Safe
          constant true nocopy Unknown storage Local span @0:0..0)
        (Variable name "y" ty (Array (ArrayType element (Scalar Single Checked) rank (Known 1) sizes [-])) boundary Safe
          constant false nocopy Unknown storage Local span @0:0..0)
        (Variable name "n" ty (Scalar Int32 Checked) boundary Checked constant false nocopy Unknown storage Local
          span @0:0..0)
      ] params [%0 %1] results [] block [
        (Assign variable %2 value (Coordinate Position 0) : (Scalar Int32 Checked) @0:0..0) @0:0..0
        (Store array (Local %1) : (Array (ArrayType element (Scalar Single Checked) rank (Known 1) sizes [-])) @0:0..0
          index [(At (Local %2) : (Scalar Int32 Checked) @0:0..0)] boundary Safe
          value (Load array (Local %0) : (Array (ArrayType element (Scalar Single Checked) rank (Known 1) sizes [-])) @0:0..0
            index [(At (Apply row add args [(Local %2) : (Scalar Int32 Checked) @0:0..0
              (Constant (I32 1)) : (Scalar Int32 Checked) @0:0..0]) : (Scalar Int32 Checked) @0:0..0)]
            boundary Safe) : (Scalar Single Checked) @0:0..0) @0:0..0])
      rank 1 accumulators [] parallel true divisible false aliased false
      attributes (KernelAttributes declared_uniform [] divergent [] tiling - flattening - bounds - vectors - name - target Any memory_model false
        enabled [] constants_stay false args [] block - textures [])
      strip - schedule (Schedule vector - collapsed - intervals [] linearized false tile - contraction - position_tile - origin [] bands [] conflicts [] one_thread false branchless false tables - written_out - untested - boxes - short_rows - rows [] ranks - operations - device -) span @0:0..0)] exports [])"#;

#[test]
fn a_pass_runs_on_a_kernel_that_was_written_down() {
    let mut program = text::read(KERNEL).expect("a program");
    assert_eq!(quasar_core::ir::verify::verify(&program), Vec::<String>::new());
    let (_, pass) = pipeline::find("copy_propagation").expect("a pass");
    let (sources, mut sink) = (SourceMap::default(), Sink::default());
    Runner::new(PassContext::new(&sources)).run(&[*pass], &mut program, &mut sink);
    assert!(sink.is_empty(), "{:?}", sink.messages());
    let expected = "function [] = __kernel__ k(x : vec'safe'const, y : vec'safe) % rank 1
    local n : int
    y[pos.0]'safe = x[(pos.0 + 1)]'safe
endfunction
";
    assert_eq!(quasar_core::ir::print::kernels(&program), expected);
}
