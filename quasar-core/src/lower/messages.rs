//! What lowering says to the user.

use crate::message::{Category, Code, Message, Sink};
use crate::source::Span;
use crate::syntax::ast::Name;

/// `break` or `continue` outside a loop, or with an unknown label.
pub(super) fn no_such_loop(sink: &mut Sink, span: Span, label: Option<&Name>) {
    let message = match label {
        Some(label) => {
            Message::error("Q0204", label.span, format!("no enclosing loop has the label '{}'", label.text))
                .help("write the label and a colon on the line before the loop")
        }
        None => Message::error("Q0204", span, "there is no loop around this statement"),
    };
    sink.push(message);
}

/// A tuning parameter has no value.
pub(super) fn tuning_without_default(sink: &mut Sink, span: Span) {
    let text = "a tuning parameter needs a name in quotes and a default value";
    sink.push(Message::warning("Q0502", span, text).help("write `{!tuning_param name=\"$p\"; default=16}`"));
}

/// A tuning parameter has a value that is not in its range.
pub(super) fn tuning_out_of_range(sink: &mut Sink, span: Span, name: &str, range: Span) {
    let text = format!("the value of the tuning parameter '{name}' is not in its range");
    sink.push(Message::warning("Q0417", span, text).related(range, "the range"));
}

/// What stands for a tuning parameter.
pub(super) fn tuned(sink: &mut Sink, span: Span, name: &str, value: &str) {
    let text = format!("The tuning parameter '{name}' is {value}.");
    sink.push(Message::new(Code("Q0501"), Category::Optimization, span, text));
}

/// There is no transform of this name.
pub(super) fn no_transform(sink: &mut Sink, span: Span, name: &str) {
    let message = Message::warning("Q0502", span, format!("no transform is called '{name}'"));
    sink.push(message.help(format!("transforms are {}", super::transforms::NAMES.join(", "))));
}

/// A transform was asked for that is always done.
pub(super) fn transform_always(sink: &mut Sink, span: Span, name: &str, how: &str) {
    let text = format!("Transform '{name}': {how}.");
    sink.push(Message::new(Code("Q0501"), Category::Optimization, span, text));
}

/// A transform cannot be switched off.
pub(super) fn transform_stays(sink: &mut Sink, span: Span, name: &str, how: &str) {
    let text = format!("the transform '{name}' is not switched off: {how}");
    sink.push(Message::warning("Q0418", span, text));
}

/// A transform is asked for in another way.
pub(super) fn transform_elsewhere(sink: &mut Sink, span: Span, name: &str, how: &str) {
    let text = format!("the transform '{name}' has no effect here: {how}");
    sink.push(Message::warning("Q0418", span, text));
}

/// A call chooses its function at run time, which the settings forbid. The names are those of the functions, as far as they
/// are known.
pub(super) fn function_pointer(sink: &mut Sink, span: Span, names: &[&str]) {
    let mut text = "which function this call runs is known at run time only".to_string();
    if !names.is_empty() {
        text += &format!(": {}", names.join(", "));
    }
    let message = Message::error("Q0422", span, text)
        .help("branch on the condition that chooses, and call each function by its name")
        .help("`COMPILER_USEFUNCTIONPOINTERS = SmartlyAvoid` allows such calls");
    sink.push(message);
}

/// A loop stays in the host function because a setting wishes it.
pub(super) fn parallelizer_off(sink: &mut Sink, span: Span) {
    let text = "For-loop will be interpreted. This may cause performance degradation: automatic for-loop \
                parallelization is turned off.";
    let message = Message::new(Code("Q0405"), Category::PerformanceWarning, span, text)
        .help("write `{!parallel for}` or `{!serial for}` before loops that shall be compiled as kernels");
    sink.push(message);
}

/// A region of a kernel has no other end.
pub(super) fn open_group(sink: &mut Sink, span: Span) {
    let text =
        "`{!begin_grid_group}` and `{!end_grid_group}` stand in pairs among the statements of one block";
    sink.push(Message::error("Q0208", span, text));
}

/// A vector was copied in device code and one of the two is changed.
pub(super) fn register_alias(sink: &mut Sink, span: Span, name: &str) {
    let what =
        format!("two names for the fixed-size vector '{name}' in device code, one of which is changed");
    sink.push(Message::not_supported(span, what).help("write `copy(..)` where a second vector is meant"));
}

/// Which of the kernels of `schedule` runs where.
pub(super) fn scheduled(sink: &mut Sink, span: Span, where_: &str) {
    let text = format!("The run-time system chooses the kernel: {where_}.");
    sink.push(Message::new(Code("Q0501"), Category::Optimization, span, text));
}

/// A kernel of `schedule` has the target of one before it.
pub(super) fn never_chosen(sink: &mut Sink, span: Span, name: &str, first: &str) {
    let text = format!("'{name}' is never chosen: '{first}' before it has the same target");
    let message = Message::warning("Q0416", span, text);
    sink.push(message.help("write `{!kernel target=\"gpu\"}` or another target at the start of a kernel"));
}

/// A kernel or device function uses a variable of the module that stays on the host.
pub(super) fn global_of_host(sink: &mut Sink, span: Span, name: &str, ty: &str) {
    let text = format!(
        "the module-level variable '{name}' cannot be used in kernel or device code: it has the type '{ty}'"
    );
    sink.push(Message::error("Q0402", span, text).help("pass what the kernel needs of it as an argument"));
}
