//! The passes in order: all that happens to a program between lowering and printing, in one place.
//!
//! ```text
//! lower -> PROGRAM -> HOST (or UNOPTIMISED) -> KERNEL -> CPU    -> backend/rust
//!                                                     -> DEVICE -> backend/clike
//! ```

use super::host::{
    auto_parallel, bound_elements, division, eliminate_bounds_checks, fuse_expressions, fuse_launches,
    skip_clearing, structured_loops, turned_products,
};
use super::kernel::{
    check_pivots, collectives, copy_propagation, flatten_ragged, if_conversion, infer_transfers,
    launch_bounds, memory, nested, recognize_reductions, register_tiling, report_vectorization,
    scalarize_builtins, scalarize_private_arrays, scalarize_slices, shared_caching, skip_divisions,
    speculate_powers, split_complex, split_loop_variables, thread_arrays, thread_sorts, tiling,
    unroll_short_loops, whole_quotients,
};
use super::legalize::{
    copy_in_out, defunctionalize, flatten_objects, inline_collectives, merge_aliased_args,
    override_bounds_checks, return_mutated_params, texture_writes,
};
use super::pass::{Pass, PassContext, Runner, Stage};
use super::schedule::{
    carry_elements, choose_position_tiles, choose_tiles, choose_vectors, count_operations, group_strips,
    interchange, long_arrays, move_origins, order_components, pack_contractions, ranks, refuse_for_devices,
    scalar_replacement, schedule_device, unswitch_loops, untested_versions, vectorize_loops, version_loops,
};
use super::tables::Profit;
use super::{
    constants, dead_outputs, definite_assignment, inline_launches, inlining, tables, unroll_on_request,
    write_out,
};
use crate::ir::Program;
use crate::ir::params::pass_all_by_reference;
use crate::ir::verify::Form;
use crate::message::{Category, Sink};
use crate::source::SourceMap;

/// What every program gets: behind these passes it has no form that only the front end knows.
pub const PROGRAM: &[Pass] = &[
    Pass::new(
        "defunctionalize",
        "functions that are chosen at run time become numbers",
        defunctionalize::run,
    )
    .leaving(Form::Defunctionalized),
    Pass::new(
        "texture_writes",
        "kernels that write to textures read what was there before",
        texture_writes::run,
    )
    .leaving(Form::WithoutTextures),
    Pass::new("flatten_objects", "objects in kernels become arrays of numbers", flatten_objects::run)
        .leaving(Form::Flattened),
    Pass::new(
        "copy_in_out",
        "arrays that are converted for a call are copied back after it",
        copy_in_out::run,
    )
    .leaving(Form::Flattened),
    Pass::new(
        "inline_collectives",
        "functions in which threads do something together become code",
        inline_collectives::run,
    )
    .leaving(Form::Inlined),
    // Before calls become code: functions may ignore what is different for each thread.
    Pass::new("divergent_stores", "stores that each thread does for itself are noted", |program, _, _| {
        collectives::as_written::run(program)
    })
    .leaving(Form::Inlined),
    Pass::new(
        "return_mutated_params",
        "small arrays that device functions change become results",
        return_mutated_params::run,
    )
    .leaving(Form::Inlined),
    Pass::new("pass_by_reference", "kernels take arrays by reference", |program, _, _| {
        pass_all_by_reference(program)
    }),
    Pass::new("merge_aliased_args", "an array that is passed twice is passed once", merge_aliased_args::run),
    Pass::new(
        "override_bounds_checks",
        "a setting decides whether indices are tested",
        override_bounds_checks::run,
    ),
];

const UNSET: Pass = Pass::new(
    "definite_assignment",
    "variables that a path leaves unset are tested",
    definite_assignment::run,
);
const AUTO_PARALLEL: Pass =
    Pass::new("autoparallel", "independent loops become launches", auto_parallel::run);
const COLLECTIVES: Pass = Pass::new(
    "collectives",
    "the threads of blocks share what they do to 'shared variables",
    |program, _, sink| collectives::run(program, sink),
);
const SCALAR_REPLACEMENT: Pass =
    Pass::new("scalar_replacement", "elements that loops add to are kept in variables", |program, _, _| {
        scalar_replacement(program)
    });
const LAUNCH_BOUNDS: Pass = Pass::new("launch_bounds", "blocks keep to bounds", launch_bounds::run);

/// What programs get that are optimised.
pub const HOST: &[Pass] = &[
    // First, since an argument or an output that is unset is an error also where nobody uses it.
    UNSET,
    Pass::new("deadcode", "outputs that nobody takes are not computed", dead_outputs::run),
    Pass::new("inlining", "calls become the code of what they call", inlining::run),
    Pass::new("module_constants", "loops know the arrays of their module", constants::of_modules),
    Pass::new(
        "structure_loops",
        "what iterations do behind a jump to the next one stands in a branch",
        structured_loops::run,
    ),
    Pass::new("bound_elements", "elements that bounds of loops read are variables", bound_elements::run),
    Pass::new("nested", "threads visit the positions of nested kernels", nested::run),
    Pass::new("boundscheck", "tests of indices that hold are dropped", eliminate_bounds_checks::run),
    AUTO_PARALLEL,
    Pass::new(
        "interchange",
        "inner loops with elements of their own become components of the position",
        interchange::run,
    ),
    Pass::new(
        "order_components",
        "the components of the position follow the order of the arrays",
        order_components::run,
    ),
    Pass::new("unroll", "iterations of loops are written out", unroll_on_request::run),
    Pass::new("constprop", "kernels know the elements of arrays", constants::run),
    Pass::new("branchdivergencereducer", "branches become choices of values", if_conversion::run),
    Pass::new("sharedmemcaching", "kernels read arrays from shared memory", shared_caching::run),
    Pass::new("kernel_tiling", "kernels with more positions than threads", tiling::run),
    COLLECTIVES,
    LAUNCH_BOUNDS,
    Pass::new("bound_shared_memory", "shared memory is bounded by assertions", memory::run),
    Pass::new("turned_products", "products of transposes read matrices as they lie", turned_products::run),
    Pass::new("autokernel", "array expressions become one kernel each", fuse_expressions::run),
    Pass::new("parallelreduction", "results of kernels are accumulated", recognize_reductions::run),
    Pass::new(
        "inline_launches",
        "calls of functions that only launch become their code",
        inline_launches::run,
    ),
    Pass::new("skip_clearing", "arrays that the next launch overwrites are not cleared", skip_clearing::run),
    Pass::new("fuselaunches", "launches over the same positions become one", fuse_launches::run),
    Pass::new("simd", "rows are computed with vectors", report_vectorization::run),
    Pass::new("datatransfer", "what launches need not copy is found", infer_transfers::run),
    Pass::new("multidevice", "launches are divided among devices", division::run),
    Pass::new("ask_for_ranks", "launches may be shared by the ranks of a cluster", |program, context, _| {
        ranks::ask(program, context)
    }),
];

/// What a program cannot mean without: tests of variables that may be unset, and what blocks share.
pub const UNOPTIMISED: &[Pass] = &[
    UNSET,
    Pass::new(
        "check_nested",
        "nested kernels that need more than their position are refused",
        |program, _, sink| nested::refuse(program, sink),
    ),
    AUTO_PARALLEL,
    LAUNCH_BOUNDS,
    COLLECTIVES,
];

/// What kernels get for every target.
pub const KERNEL: &[Pass] = &[
    Pass::new("flatten_ragged", "arrays of arrays become arrays of numbers", |program, _, _| {
        flatten_ragged::run(program)
    }),
    // Where programs are not optimised, the results of kernels are not known yet; what there is to say was said otherwise.
    Pass::new(
        "settle_reductions",
        "results of kernels are accumulated, if they are not yet",
        |program, _, _| recognize_reductions::settle(program, &mut Sink::default()),
    ),
    Pass::new("split_loop_variables", "loops that use one variable get one each", |program, _, _| {
        split_loop_variables(program)
    }),
    Pass::new("check_pivots", "functions that divide by pivots test them first", |program, _, _| {
        check_pivots(program)
    }),
    Pass::new("scalarize_slices", "slices of small arrays become elements", |program, _, _| {
        scalarize_slices(program)
    }),
    Pass::new("scalarize_builtins", "functions of small arrays become code", |program, _, _| {
        scalarize_builtins(program)
    }),
    Pass::new("thread_arrays", "functions of arrays that threads make become loops", |program, _, _| {
        thread_arrays(program)
    }),
    Pass::new("copy_propagation", "cheap indices are computed where they are used", |program, _, _| {
        copy_propagation(program)
    }),
];

/// What kernels get for the processor.
pub const CPU: &[Pass] = &[
    Pass::new(
        "untested_versions",
        "launches that stay inside their arrays test no indices in loops",
        |program, _, _| untested_versions(program),
    ),
    Pass::new("write_out", "positions of small boxes become the code of one", |program, _, _| {
        write_out::run(program)
    }),
    Pass::new("tabulate", "values of few coordinates are computed before launches", |program, _, _| {
        tables::run(program, Profit::USUAL)
    }),
    // While loops are as they were written.
    Pass::new("count_operations", "profiles know how much a position computes", |program, _, _| {
        count_operations(program)
    }),
    Pass::new("move_origins", "positions begin where kernels write", |program, _, _| move_origins(program)),
    SCALAR_REPLACEMENT,
    Pass::new("unroll_short_loops", "short loops of constant bounds are written out", |program, _, _| {
        unroll_short_loops(program)
    }),
    Pass::new("split_complex", "complex variables of loops become two numbers", |program, _, _| {
        split_complex(program)
    }),
    Pass::new("scalarize_private_arrays", "small private arrays become variables", |program, _, _| {
        scalarize_private_arrays(program)
    }),
    Pass::new("speculate_powers", "powers of branches are computed in front of them", |program, _, _| {
        speculate_powers(program)
    }),
    Pass::new(
        "skip_divisions",
        "remainders of near numbers are found without a division",
        |program, _, _| skip_divisions(program),
    ),
    Pass::new("vectorize", "neighbouring positions go through loops together", |program, _, _| {
        choose_vectors(program)
    }),
    Pass::new("pack_contractions", "factors of sums of products are packed for tiles", |program, _, _| {
        pack_contractions(program)
    }),
    Pass::new("unroll_and_jam", "neighbouring rows go through loops together", |program, _, _| {
        choose_tiles(program)
    }),
    Pass::new(
        "tile_positions",
        "positions are visited in tiles where rows cross those of arrays",
        |program, _, _| choose_position_tiles(program),
    ),
    Pass::new("unswitch_loops", "branches that all iterations take leave inner loops", |program, _, _| {
        unswitch_loops(program)
    }),
    Pass::new("long_arrays", "long arrays that loops go along are made in memory", |program, _, _| {
        long_arrays(program)
    }),
    Pass::new("vectorize_loops", "inner loops along rows go by lanes", |program, _, _| {
        vectorize_loops(program)
    }),
    Pass::new("whole_quotients", "loops in order divide integers without floats", |program, _, _| {
        whole_quotients(program)
    }),
    Pass::new(
        "strips",
        "strips of rows go through several launches while they are in the cache",
        |program, _, _| group_strips(program),
    ),
    Pass::new(
        "divide_among_ranks",
        "the ranks of a cluster visit some rows of positions each",
        |program, _, _| ranks::divide(program),
    ),
];

/// What kernels get for devices.
pub const DEVICE: &[Pass] = &[
    Pass::new("thread_sorts", "sorts of arrays that threads make become loops", |program, _, _| {
        thread_sorts(program)
    }),
    SCALAR_REPLACEMENT,
    Pass::new(
        "carry_elements",
        "elements that the next iteration reads are kept in variables",
        |program, _, _| carry_elements(program),
    ),
    Pass::new(
        "register_tiling",
        "threads visit several positions, and fetch once what those share",
        |program, _, _| register_tiling::run(program),
    ),
    Pass::new("schedule_device", "positions are mapped to threads, or refused", |program, _, _| {
        schedule_device(program)
    }),
    Pass::new("device_legality", "kernels that devices have no form for are refused", |program, _, _| {
        refuse_for_devices(program)
    }),
    Pass::new("loop_versioning", "versions of kernels need no tests of indices", |program, _, _| {
        version_loops(program)
    }),
];

/// The passes of a stage in order.
pub fn passes(stage: Stage) -> &'static [Pass] {
    match stage {
        Stage::Program => PROGRAM,
        Stage::Host => HOST,
        Stage::Unoptimised => UNOPTIMISED,
        Stage::Kernel => KERNEL,
        Stage::Cpu => CPU,
        Stage::Device => DEVICE,
    }
}

/// The first stage with a pass of this name, and the pass.
pub fn find(name: &str) -> Option<(Stage, &'static Pass)> {
    let named = |stage| passes(stage).iter().find(|pass| pass.name == name).map(|pass| (stage, pass));
    Stage::ALL.into_iter().find_map(named)
}

/// The context of programs that are not optimised.
pub fn unoptimised<'a>(context: &PassContext<'a>) -> PassContext<'a> {
    PassContext { auto_parallel: false, only_blocks: true, ..*context }
}

/// Runs the passes of some stages over a program that the stages before have seen. A pass that breaks the program says so in
/// `sink`; nothing else is said.
pub fn shape(program: &mut Program, stages: &[Stage], sink: &mut Sink) {
    let sources = SourceMap::default();
    let (mut runner, mut own) = (Runner::new(PassContext::new(&sources)), Sink::default());
    for stage in stages {
        runner.run(passes(*stage), program, &mut own);
    }
    own.into_sorted()
        .into_iter()
        .filter(|message| message.category == Category::Bug)
        .for_each(|message| sink.push(message));
}

/// A program as its kernels will be for every target, for passes that must know it.
pub(super) fn as_printed(program: &Program) -> Program {
    let mut shaped = program.clone();
    let sources = SourceMap::default();
    let context = PassContext { verify: false, ..PassContext::new(&sources) };
    Runner::new(context).run(KERNEL, &mut shaped, &mut Sink::default());
    shaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_name_means_one_pass() {
        let mut summaries = BTreeMap::new();
        for pass in Stage::ALL.into_iter().flat_map(passes) {
            let known = summaries.insert(pass.name, pass.summary);
            assert!(known.is_none_or(|known| known == pass.summary), "{}", pass.name);
            assert!(pass.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", pass.name);
            assert!(find(pass.name).is_some());
        }
        assert!(find("magic").is_none());
    }
}
