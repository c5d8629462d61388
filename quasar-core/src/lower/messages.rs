//! What lowering says to the user.

use crate::message::{Message, Sink};
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

/// An attribute that this compiler does not know.
pub(super) fn attribute_ignored(sink: &mut Sink, span: Span, name: &str) {
    let text = format!("the attribute '{name}' has no effect yet");
    sink.push(Message::warning("Q0502", span, text).help("the program means the same without it"));
}

/// A vector was copied in device code and one of the two is changed.
pub(super) fn register_alias(sink: &mut Sink, span: Span, name: &str) {
    let what =
        format!("two names for the fixed-size vector '{name}' in device code, one of which is changed");
    sink.push(Message::not_supported(span, what).help("write `copy(..)` where a second vector is meant"));
}
