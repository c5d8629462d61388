//! From what lowering writes down to what the rest of the compiler knows: the passes of the list `PROGRAM`.

pub(super) mod copy_in_out;
pub(super) mod defunctionalize;
pub(super) mod flatten_objects;
pub(super) mod inline_collectives;
pub(super) mod merge_aliased_args;
pub(super) mod override_bounds_checks;
pub(super) mod return_mutated_params;
pub(super) mod texture_writes;
