//! The attributes that there are, where they stand and what their arguments take, and what is said of those without effect.

use crate::message::{Message, Sink, nearest};
use crate::source::Span;

/// An attribute of the language.
struct Row {
    name: &'static str,
    /// Where it has an effect.
    stands: &'static str,
    /// Its arguments, and what each takes.
    arguments: &'static [(&'static str, &'static str)],
}

const SWITCH: &str = "`true` or `false`";
const NAME: &str = "a text in quotes";
const IN_KERNELS: &str = "in kernels";
const ABOUT_KERNELS: &str = "in kernels and before loops that become kernels";
const BEFORE_LOOPS: &str = "before loops";

const OF_LOOPS: &[(&str, &str)] = &[
    ("blkdim", "a positive number, or one for each dimension"),
    ("dim", "the number of loops that become one kernel"),
    ("times", "the number of rounds to write out"),
    ("interleave", SWITCH),
    ("multi_device", "`true` or `false`, at loops of host functions"),
];
const OF_TRANSFORMS: &[(&str, &str)] =
    &[("enable", "the name of a transform"), ("disable", "the name of a transform")];

const CATALOGUE: &[Row] = &[
    Row { name: "parallel", stands: "before loops, as `{!parallel for}`", arguments: OF_LOOPS },
    Row { name: "serial", stands: "before loops, as `{!serial for}`", arguments: OF_LOOPS },
    Row { name: "interpreted", stands: "before loops, as `{!interpreted for}`", arguments: OF_LOOPS },
    Row { name: "unroll", stands: BEFORE_LOOPS, arguments: OF_LOOPS },
    Row {
        name: "auto_vectorize",
        stands: ABOUT_KERNELS,
        arguments: &[("width", "a positive number of elements")],
    },
    Row { name: "auto_specialize", stands: "in functions", arguments: &[] },
    Row { name: "auto_inline", stands: "in functions", arguments: &[] },
    Row { name: "inline", stands: "in functions", arguments: &[] },
    Row {
        name: "specialize",
        stands: "in functions, before their other statements",
        arguments: &[("args", "conditions joined by `||`")],
    },
    Row { name: "function_transform", stands: "in functions and before loops", arguments: OF_TRANSFORMS },
    Row { name: "kernel_transform", stands: ABOUT_KERNELS, arguments: OF_TRANSFORMS },
    Row {
        name: "kernel",
        stands: IN_KERNELS,
        arguments: &[
            ("name", NAME),
            (
                "target",
                "`\"cpu\"`, `\"gpu\"`, `\"cuda\"`, `\"opencl\"`, `\"nvidia_opencl\"` or `\"amd_opencl\"`",
            ),
            ("memorymodel", "`\"concurrent\"` or `\"cooperative\"`"),
        ],
    },
    Row {
        name: "kernel_arg",
        stands: ABOUT_KERNELS,
        arguments: &[
            ("name", "a parameter of the kernel"),
            ("type", "`\"in\"`, `\"out\"`, `\"inout\"` or `\"const\"`"),
            ("access", "`\"randomaccess\"`, `\"localwindow\"`, `\"shared\"` or `\"sequential\"`"),
            ("op", "an operator in quotes, as in `\"+=\"`"),
            ("min", "whole numbers known at compile time"),
            ("max", "whole numbers known at compile time"),
            ("numel", "a whole number known at compile time"),
            (
                "cache_slices",
                "a slice of the parameter, as in `v[:, a, 0..3]`, by numbers, parameters and multiples of `blkidx[k]`",
            ),
        ],
    },
    Row {
        name: "kernel_tiling",
        stands: ABOUT_KERNELS,
        arguments: &[
            ("dims", "positive numbers, or `\"auto\"`"),
            ("mode", "`\"global\"` or `\"local\"`"),
            ("target", NAME),
        ],
    },
    Row {
        name: "kernel_partial_flattening",
        stands: ABOUT_KERNELS,
        arguments: &[("dim", "a number of dimensions")],
    },
    Row {
        name: "shared_mem_promotion",
        stands: ABOUT_KERNELS,
        arguments: &[("assume_blk_constant", "names of variables, as in `{a, b}`")],
    },
    Row { name: "begin_grid_group", stands: IN_KERNELS, arguments: &[] },
    Row { name: "end_grid_group", stands: IN_KERNELS, arguments: &[] },
    Row {
        name: "cuda_launch_bounds",
        stands: ABOUT_KERNELS,
        arguments: &[
            ("max_threads_per_block", "a positive number"),
            ("min_blocks", "a positive number, after `max_threads_per_block`"),
        ],
    },
    Row {
        name: "sched",
        stands: "in functions of the host",
        arguments: &[("gpu_index", "the number of a GPU")],
    },
    Row { name: "tuning_param", stands: "in functions and kernels", arguments: &[] },
    Row { name: "meta", stands: "everywhere", arguments: &[] },
    Row { name: "author", stands: "everywhere", arguments: &[] },
    Row { name: "doc", stands: "everywhere", arguments: &[] },
];

const PRAGMAS: &str = "pragmas are `force_parallel`, `force_serial`, `loop_parallelizer(on)`, `loop_parallelizer(off)` and \
                       `precision(single)` or `precision(double)`";

fn row(name: &str) -> Option<&'static Row> {
    CATALOGUE.iter().find(|row| row.name == name)
}

fn warning(span: Span, text: String) -> Message {
    Message::warning("Q0502", span, text)
}

/// An attribute has no effect, because it is unknown or stands at a wrong place.
pub(super) fn ignored(sink: &mut Sink, span: Span, name: &str) {
    let message = match (row(name), nearest(name, CATALOGUE.iter().map(|row| row.name))) {
        (Some(row), _) => warning(span, format!("the attribute '{name}' has no effect here"))
            .help(format!("it stands {}", row.stands)),
        (None, Some(near)) => {
            warning(span, format!("there is no attribute '{name}'")).help(format!("did you mean '{near}'?"))
        }
        (None, None) => warning(span, format!("there is no attribute '{name}'"))
            .help("it is ignored: the program means the same without it"),
    };
    sink.push(message);
}

/// An argument of an attribute has no effect, because it has another name or another value than the attribute takes.
pub(super) fn argument_ignored(sink: &mut Sink, span: Span, attribute: &str, key: &str) {
    let arguments = row(attribute).map_or(&[][..], |row| row.arguments);
    if let Some((_, takes)) = arguments.iter().find(|(name, _)| *name == key) {
        return sink.push(warning(span, format!("'{key}' of the attribute '{attribute}' takes {takes}")));
    }
    let text = match key {
        "" => format!("the attribute '{attribute}' takes only arguments with names, as in `name=value`"),
        key => format!("the attribute '{attribute}' has no argument '{key}'"),
    };
    let names: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
    let help = match nearest(key, names.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None if names.is_empty() => "it has no arguments".to_owned(),
        None => format!("it has {}", names.join(", ")),
    };
    sink.push(warning(span, text).help(help));
}

/// `cache_slices` of an array that shall not be in shared memory.
pub(super) fn slices_ignored(sink: &mut Sink, span: Span) {
    let text = "'cache_slices' has an effect with `access=\"shared\"` only".to_owned();
    sink.push(warning(span, text).help("the transform 'sharedmemcaching' then caches them"));
}

/// `{!sched ..}` with words or arguments that it does not have.
pub(super) fn no_schedule(sink: &mut Sink, span: Span) {
    let help = "write `{!sched cpu}`, `{!sched gpu}`, `{!sched auto}` or `{!sched gpu_index=0}`";
    sink.push(warning(span, "'sched' does not say where launches go".to_owned()).help(help));
}

/// A pragma that is unknown.
pub(super) fn no_pragma(sink: &mut Sink, span: Span, name: &str) {
    sink.push(warning(span, format!("there is no pragma '{name}' with these arguments")).help(PRAGMAS));
}

/// A precision that is not the one of the program.
pub(super) fn other_precision(sink: &mut Sink, span: Span, word: &str, double: bool) {
    let program = if double { "double" } else { "single" };
    let text = format!("'precision({word})' has no effect here: the program computes in {program} precision");
    let help = "the first such pragma of the program's own file decides, outside of functions; imported files follow it";
    sink.push(warning(span, text).help(help));
}

#[cfg(test)]
mod tests {
    use super::super::attributes::{DOCUMENTATION, OF_KERNELS};
    use super::*;

    #[test]
    fn what_lowering_reads_is_in_the_catalogue() {
        for name in OF_KERNELS.iter().chain(DOCUMENTATION) {
            assert!(row(name).is_some(), "{name}");
        }
    }
}
