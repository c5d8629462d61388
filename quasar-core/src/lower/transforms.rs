//! The transforms that attributes may name, `{!function_transform enable=".."}` and `{!kernel_transform enable=".."}`: which of
//! them are done where they are asked for, and what to say of the others.

/// What becomes of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is done to the kernel that asks for it.
    OfKernels,
    /// `imperfectloop`: done to the loops that follow.
    Skewing,
    /// `autoparallel`: done unless it is switched off.
    Parallel,
    /// `constprop`: done to kernels unless it is switched off there, and always otherwise.
    Constants(&'static str),
    /// It is always done, by whom or how.
    Always(&'static str),
    /// Something else asks for it.
    Elsewhere(&'static str),
}

/// What becomes of the transform with a name.
pub(super) fn standing(name: &str) -> Option<Standing> {
    use Standing::*;
    Some(match name {
        "localwindow" | "sharedmemcaching" | "sharedmempromotion" | "branchdivergencereducer" => OfKernels,
        "imperfectloop" => Skewing,
        "autoparallel" => Parallel,
        "autoserialize" => Always("loops with dependences are compiled to run in order"),
        "parallelreduction" => Always("what loops and kernels accumulate is combined in parallel"),
        "autokernel" => Always("each statement on arrays becomes one kernel where that is possible"),
        "fnptr_elimination" => Always("functions are resolved at compile time, without pointers"),
        "inlining" => Elsewhere("the setting `COMPILER_LAMBDAEXPRESSION_INLINING` decides"),
        "constprop" => Constants("constants are folded, also those that kernels are given"),
        "branchcut" => Always("branches that are never taken are dropped"),
        "deadcode" => Always("what has no effect is dropped"),
        "cse" => Always("the compilers of the generated code compute common expressions once"),
        "hoist" => Always("the compilers of the generated code compute what stays the same before a loop"),
        "datatransfer" => Always("arrays are copied where they are used, and only if they changed elsewhere"),
        "boundscheck" => Always("tests of indices that hold are dropped"),
        "multidevice" => Elsewhere("write `multi_device=true` at a loop, or `multi_parallel_do`"),
        "kernel_tiling" => Elsewhere("write `{!kernel_tiling dims=..}`"),
        "kernel_partial_flattening" | "partialflattening" => {
            Always("grids of more than 3 dimensions are flattened")
        }
        "flattening" => {
            Always("positions that only look at their own elements are walked through as one row")
        }
        "hwtexture" => Elsewhere("write `'hwtex_nearest` or `'hwtex_linear` at a parameter"),
        "constmem" => Elsewhere("write `'hwconst` at a parameter"),
        "simd" => Always("rows of positions are computed with vector instructions"),
        "unroll" => Elsewhere("write `{!unroll}` before a loop; short loops are unrolled without that"),
        "dkmlowering" => Always("small arrays of fixed size lie in registers"),
        "barriersplit" => Always("the processor runs what lies between barriers for all threads of a block"),
        "gridsync" => {
            Always("kernels with barriers over the grid have blocks that fit on the device together")
        }
        "gridgroup" => Always("regions between `begin_grid_group` and `end_grid_group` visit all positions"),
        "nested" => Always("each thread visits the positions of nested kernels"),
        "targetselect" => Always("kernels run on the devices that `{!kernel target=..}` names"),
        _ => return None,
    })
}

/// The names, for a message and for who compares them with the passes.
pub const NAMES: &[&str] = &[
    "autokernel",
    "autoparallel",
    "autoserialize",
    "barriersplit",
    "boundscheck",
    "branchcut",
    "branchdivergencereducer",
    "constmem",
    "constprop",
    "cse",
    "datatransfer",
    "deadcode",
    "dkmlowering",
    "flattening",
    "fnptr_elimination",
    "gridgroup",
    "gridsync",
    "hoist",
    "hwtexture",
    "imperfectloop",
    "inlining",
    "kernel_partial_flattening",
    "kernel_tiling",
    "localwindow",
    "multidevice",
    "nested",
    "parallelreduction",
    "partialflattening",
    "sharedmemcaching",
    "sharedmempromotion",
    "simd",
    "targetselect",
    "unroll",
];

/// The pass that does what a name stands for; `None` where lowering, the printers, the run-time system or the compilers of the
/// generated code do it.
pub fn pass_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "autokernel" => "autokernel",
        "autoparallel" | "autoserialize" | "imperfectloop" => "autoparallel",
        "boundscheck" => "boundscheck",
        "branchdivergencereducer" => "branchdivergencereducer",
        "constprop" => "constprop",
        "datatransfer" => "datatransfer",
        "deadcode" => "deadcode",
        "dkmlowering" => "scalarize_builtins",
        "fnptr_elimination" => "defunctionalize",
        "inlining" => "inlining",
        "kernel_tiling" => "kernel_tiling",
        "localwindow" | "sharedmemcaching" | "sharedmempromotion" => "sharedmemcaching",
        "multidevice" => "multidevice",
        "nested" => "nested",
        "parallelreduction" => "parallelreduction",
        "simd" => "simd",
        "unroll" => "unroll",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_what_is_known() {
        assert!(NAMES.iter().all(|name| standing(name).is_some()));
        assert!(NAMES.is_sorted());
        assert_eq!(standing("magic"), None);
    }
}
