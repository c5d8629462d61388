//! What the passes say.

use crate::ir::Expr;
use crate::message::{Category, Code, Decision, Message, Sink};
use crate::source::Span;

fn optimization(span: Span, text: String) -> Message {
    Message::new(Code("Q0501"), Category::Optimization, span, text)
}

/// A nest became a parallel kernel.
pub fn parallelised(span: Span, dims: usize) -> Message {
    optimization(span, format!("Automatic parallelization of the {dims}-dim FOR loop."))
        .decided(Decision::Parallel { dims })
}

/// A call became the code of what it called.
pub fn inlined(span: Span, name: &str) -> Message {
    optimization(span, format!("The call of '{name}' is replaced by its code."))
}

/// A call does not take some results.
pub fn not_computed(span: Span, function: &str, names: &[&str]) -> Message {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    optimization(span, format!("'{function}' does not compute {}, which nobody takes.", names.join(", ")))
}

/// A parameter that is said to be overwritten, and is not.
pub fn never_written(span: Span, name: &str) -> Message {
    let text = format!(
        "'{name}' is `'nocopy`, but the kernel never writes to it: its elements are undefined on a device"
    );
    Message::warning("Q0423", span, text).help("remove `'nocopy`, which is for arrays that a kernel fills")
}

/// A nest became a serial kernel.
pub fn serialised(span: Span, dims: usize) -> Message {
    optimization(span, format!("Automatic serialization of the {dims}-dim FOR loop."))
        .decided(Decision::Serial { dims })
}

/// A loop of unknown length became a serial kernel.
pub fn compiled(span: Span) -> Message {
    optimization(span, "Automatic serialization of the loop.".to_string())
        .decided(Decision::Serial { dims: 0 })
}

/// The launches of a loop's iterations go round the devices.
pub fn distributed(span: Span, devices: Option<u32>) -> Message {
    let whose = devices.map_or("the GPUs".to_string(), |k| format!("{k} GPUs"));
    optimization(span, format!("The iterations of the FOR loop are distributed over {whose}."))
        .decided(Decision::Distributed)
}

/// Why a loop's iterations are not.
pub fn not_distributed(span: Span, why: &str) -> Message {
    Message::warning("Q0408", span, format!("`multi_device=true` has no effect: {why}"))
}

/// The GPUs run a launch together.
pub fn divided(span: Span) -> Message {
    optimization(span, "The positions of the launch are divided among the GPUs.".to_string())
}

/// One device runs a launch that was meant for all.
pub fn not_divided(span: Span, kernel: &str, why: &str) -> Message {
    let text = format!("one GPU runs '{kernel}' alone: {why}");
    Message::new(Code("Q0409"), Category::PerformanceWarning, span, text)
}

/// A statement on arrays became one kernel.
pub fn fused(span: Span, operations: usize) -> Message {
    optimization(span, format!("Automatic kernel generation from {operations} array operations."))
        .decided(Decision::Fused { operations })
}

/// A launch became one with that of another line.
pub fn one_launch(span: Span, line: u32) -> Message {
    let what = format!("computed by one launch with line {line}");
    optimization(span, format!("The positions are computed by one launch with those of line {line}."))
        .decided(Decision::Transformed { what })
}

/// A part of an array expression is computed by the library, in front of the kernel.
pub fn stored(span: Span, name: &str, why: &str) -> Message {
    optimization(span, format!("'{name}' is computed into an array of its own: {why}."))
        .decided(Decision::Stored { name: name.to_string(), why: why.to_string() })
}

/// What the blocks of a kernel need at most.
pub fn shared_memory(span: Span, bytes: u64) -> Message {
    let text = format!("Calculated an upper bound for the amount of shared memory: {bytes} bytes");
    Message::new(Code("Q0503"), Category::Information, span, text)
}

/// The blocks of a kernel need more than there is.
pub fn too_much_shared_memory(span: Span, kernel: &str, bytes: u64) -> Message {
    let text = format!("the blocks of '{kernel}' need {bytes} bytes of shared memory, and have 49152");
    Message::error("Q0424", span, text).help("use smaller tiles, or global memory")
}

/// How much the blocks of a kernel need is known at run time only.
pub fn unbounded_memory(span: Span, kernel: &str) -> Message {
    let text = format!(
        "no upper bound is known for the shared memory of '{kernel}': each block reserves all there is"
    );
    Message::new(Code("Q0412"), Category::PerformanceWarning, span, text)
        .help("state one, for example `assert(M<=16 && N<=16)`, or use constant sizes")
}

/// A kernel is launched by a kernel.
pub fn nested(span: Span, kernel: &str) -> Message {
    optimization(span, format!("Each thread visits the positions of the nested kernel '{kernel}' in order."))
}

/// A kernel is launched by a kernel but needs what only the host can give it.
pub fn not_nested(span: Span, kernel: &str, what: &str) -> Message {
    let text = format!("kernel '{kernel}' cannot be launched by a kernel: it {what}");
    Message::error("Q0421", span, text)
        .help("a nested kernel has its position 'pos' and nothing else; launch it from the host")
}

/// A launch asks for a larger block than its kernel allows.
pub fn beyond_bounds(span: Span, most: u32) -> Message {
    let text = format!("the block has more threads than the {most} that `cuda_launch_bounds` allows");
    Message::error("Q0415", span, text)
}

/// A transform that was asked for did something.
pub fn applied(span: Span, transform: &str, what: &str) -> Message {
    let decision = Decision::Transformed { what: format!("{transform}: {what}") };
    optimization(span, format!("Transform '{transform}': {what}.")).decided(decision)
}

/// A transform that was asked for did nothing.
pub fn not_applied(span: Span, transform: &str, why: &str) -> Message {
    Message::warning("Q0414", span, format!("the transform '{transform}' has no effect: {why}"))
}

/// The rounds of a loop are written out, all of them or so many at a time.
pub fn unrolled(span: Span, rounds: usize, in_groups: bool) -> Message {
    let how = if in_groups { format!("{rounds} rounds at a time") } else { format!("all {rounds} rounds") };
    optimization(span, format!("Loop unrolling: {how}."))
        .decided(Decision::Transformed { what: format!("written out, {how}") })
}

/// Arrays of known numbers became part of the code of a kernel.
pub fn known_elements(span: Span, kernel: &str, names: &[&str]) -> Message {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    optimization(span, format!("The elements of {} are constants in '{kernel}'.", names.join(", ")))
}

/// Why they are not.
pub fn not_unrolled(span: Span, why: &str) -> Message {
    Message::warning("Q0419", span, format!("the loop is not unrolled: {why}"))
}

/// Why the copies of a loop's statements do not stand together.
pub fn not_interleaved(span: Span, why: &str) -> Message {
    Message::warning("Q0419", span, format!("the rounds of the loop are not interleaved: {why}"))
}

/// A kernel moves or computes several elements at a time.
pub fn vectorised(span: Span, kernel: &str, elements: u32) -> Message {
    let devices = match elements {
        1 => "threads of GPUs one by one".to_string(),
        _ => format!("threads of GPUs {elements} elements at a time"),
    };
    let text =
        format!("Vectors: '{kernel}' takes rows by the vector instructions of the processor, {devices}.");
    optimization(span, text)
}

/// Why it does not.
pub fn not_vectorised(span: Span, kernel: &str, why: &str) -> Message {
    Message::warning("Q0420", span, format!("`auto_vectorize` has no effect on '{kernel}': {why}"))
}

/// A kernel has fewer threads than positions.
pub fn tiled(span: Span, kernel: &str, local: bool) -> Message {
    let how = if local { "a tile of neighbouring positions" } else { "positions all over the grid" };
    optimization(span, format!("Tiling of the kernel '{kernel}': each thread visits {how}."))
}

/// Why it has not.
pub fn not_tiled(span: Span, kernel: &str, why: &str) -> Message {
    Message::warning("Q0413", span, format!("tiling has no effect on '{kernel}': {why}"))
}

/// Leading dimensions become one.
pub fn flattened(span: Span, dims: u32) -> Message {
    optimization(span, format!("Partial flattening of the {dims}-dim grid to 3 dimensions."))
}

/// There is nothing to flatten.
pub fn not_flattened(span: Span, kernel: &str, rank: usize) -> Message {
    let text = format!(
        "`kernel_partial_flattening` has no effect: the positions of '{kernel}' have {rank} dimensions"
    );
    Message::warning("Q0413", span, text).help("`dim` is the number of dimensions of the grid, more than 3")
}

/// What the threads of a block do together.
pub fn together(span: Span, what: &str) -> Message {
    let decision = Decision::Transformed { what: what.trim_end_matches('.').to_string() };
    optimization(span, what.to_string()).decided(decision)
}

/// There are no blocks where a variable is declared `'shared`.
pub fn nobody_shares(span: Span, name: &str) -> Message {
    Message::warning("Q0411", span, format!("`'shared` has no effect on '{name}': this is no kernel"))
        .help("write `{!parallel for}` before the loop whose iterations share it")
}

/// A barrier in a host function, in a loop that did not become a kernel.
pub fn barrier_on_host(span: Span) -> Message {
    Message::error("Q0405", span, "syncthreads belongs into kernel functions and parallel loops").help(
        "write `{!parallel for; blkdim=..}` before a loop whose iterations share memory that is declared 'shared",
    )
}

/// A value that is another one in each thread was meant for all of them.
pub fn not_alike(span: Span, name: &str) -> Message {
    let text =
        format!("'{name}' is shared by the threads of a block, but this value depends on their positions");
    Message::error("Q0410", span, text)
        .help(format!("declare it `{name} : 'shared = uninit(..)` and let each thread store its part, or"))
        .help("name what is the same for a whole block in `{!shared_mem_promotion assume_blk_constant={..}}`")
}

/// Why a nest is not parallel.
pub fn dependence(span: Span, dims: usize, at: Span, line: u32, name: &str, what: &str, ty: &str) -> Message {
    let text = format!(
        "Warnings during parallelization of the {dims}-dim FOR loop.\n  Line {line} - '{name}': {what} (type '{ty}'). \
         Switching to serialization."
    );
    Message::warning("Q0402", span, text)
        .decided(Decision::Depends { name: name.to_string(), what: what.to_string() })
        .related(at, format!("'{name}' is used here"))
        .help("iterations that only add to a variable (`s += ..`) are reduced in parallel")
        .help("write `{!serial for}` before the loop if the order is intended, which silences this")
}

/// A forced loop with dependences.
pub fn forced_dependence(span: Span, at: Span, name: &str, what: &str) -> Message {
    let text = format!("`{{!parallel for}}` runs this loop in parallel although '{name}': {what}");
    Message::warning("Q0403", span, text)
        .related(at, format!("'{name}' is used here"))
        .help("the result may depend on the order of iterations")
}

/// A forced loop that cannot be a kernel.
pub fn cannot_force(span: Span, at: Span, what: &str) -> Message {
    Message::error("Q0404", span, format!("`{{!parallel for}}` cannot run this loop in parallel: it {what}"))
        .related(at, "this does not work in a parallel loop")
        .help("move it out of the loop, or write `{!interpreted for}` to keep the loop in the host function")
}

/// A parallel loop that is no kernel.
pub fn on_threads(span: Span, at: Span, what: &str) -> Message {
    optimization(
        span,
        format!("The threads of the processor share the iterations of the FOR loop: it {what}."),
    )
    .decided(Decision::Threads { why: what.to_string() })
    .related(at, "kernels cannot do this")
}

/// A loop that was meant to be parallel.
pub fn in_order(span: Span, at: Span, what: &str) -> Message {
    let text = format!("the iterations of this `{{!parallel for}}` run one after the other: it {what}");
    Message::new(Code("Q0426"), Category::PerformanceWarning, span, text)
        .decided(Decision::Host { why: what.to_string() })
        .related(at, "because of this")
        .help("write `{!interpreted for}` before the loop if this is intended, which silences this")
}

/// A loop that stays in the host function.
pub fn interpreted(span: Span, at: Span, what: &str) -> Message {
    let text = format!("For-loop will be interpreted: it {what}. This may cause performance degradation.");
    Message::new(Code("Q0405"), Category::PerformanceWarning, span, text)
        .decided(Decision::Host { why: what.to_string() })
        .related(at, "because of this")
        .help("write `{!interpreted for}` before the loop if this is intended, which silences this")
}

/// A thread would make an array, which the settings forbid.
pub fn no_kernel_memory(span: Span, name: &str) -> Message {
    let what = match name.strip_prefix('$') {
        Some(_) => "an array".to_string(),
        None => format!("the array '{name}'"),
    };
    let text = format!("each thread would make {what}, whose size is not known or too large for registers");
    Message::error("Q0421", span, text)
        .help("make it before the launch and pass it to the kernel, or give it a small size that is known")
        .help("`COMPILER_KERNEL_DYNAMICMEMORY = True` lets threads make such arrays")
}

/// The threads of a kernel make arrays, the first of them here.
pub fn kernel_memory(span: Span, kernel: &str, name: &str, bytes: Option<usize>) -> Message {
    let what = match name.strip_prefix('$') {
        Some(_) => "an array".to_string(),
        None => format!("the array '{name}'"),
    };
    let text = format!(
        "kernel '{kernel}' takes dynamic memory: each thread makes {what}, whose size is not known or too large for registers"
    );
    let own = match bytes {
        Some(bytes) => format!("{bytes} bytes"),
        None => "the bytes of a thread".to_string(),
    };
    Message::new(Code("Q0425"), Category::PerformanceWarning, span, text)
        .help("give it a small size that is known, or make it before the launch and pass it to the kernel")
        .help("`{!kernel memorymodel=\"concurrent\"}` in the kernel says that this is meant")
        .help(format!(
            "a device needs at most multiprocessors x resident blocks x threads of a block x {own}"
        ))
}

/// A kernel whose result depends on the order of its threads.
pub fn ordered_result(span: Span, name: &str) -> Message {
    let text = format!(
        "the kernel's result '{name}' is not only accumulated: the threads run one after the other in row-major order"
    );
    Message::new(Code("Q0406"), Category::PerformanceWarning, span, text).help(format!(
        "results that are only added to (`{name} += ..`), or combined by min or max, run in parallel"
    ))
}

/// A function writes to an array that was converted for its call, and the way back loses something.
pub fn converted_back(sink: &mut Sink, arg: &Expr, source: &Expr, callee: &str) {
    let text = format!(
        "'{callee}' writes to this array, which is converted from '{}' to '{}' for the call and back after it",
        source.ty, arg.ty
    );
    let message = Message::warning("Q0314", arg.span, text)
        .help("what it writes is truncated; pass an array of the type that it expects to keep it");
    sink.push(message);
}

/// As above, where there is no way back.
pub fn not_converted_back(sink: &mut Sink, arg: &Expr, source: &Expr, callee: &str) {
    let text = format!(
        "'{callee}' writes to this array, which is converted from '{}' to '{}' for the call and cannot be converted back",
        source.ty, arg.ty
    );
    let message = Message::error("Q0324", arg.span, text)
        .help(format!("pass an array of type '{}', or a copy(..)", arg.ty));
    sink.push(message);
}

/// As above, in device code.
pub fn converted_in_device_code(sink: &mut Sink, span: Span) {
    let what = "device code that converts an array for a function which writes to it";
    sink.push(Message::not_supported(span, what).help("pass an array with elements of the expected type"));
}
