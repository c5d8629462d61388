//! Prints the conditions under which a version of the code is right.

use super::expr::{extent_name, local_name};
use crate::ir::affine::{AffineForm, Conditions, Symbol};

/// Conditions as a C expression, or `None` if there are none.
pub(super) fn printed(conditions: &Conditions) -> Option<String> {
    let sums: Vec<String> = conditions.sums().map(|s| format!("{} >= 0", sum(s))).collect();
    (!sums.is_empty()).then(|| sums.join(" && "))
}

fn sum(sum: &AffineForm) -> String {
    let mut text = format!("(q_i64)({})", sum.constant);
    for (symbol, factor) in &sum.terms {
        let name = match symbol {
            Symbol::Launch(axis) => format!("n{axis}"),
            Symbol::Extent(v, axis) => extent_name(*v, *axis),
            Symbol::Value(v) => local_name(*v),
            Symbol::Position(axis) => format!("p{axis}"),
        };
        match factor {
            1 => text.push_str(&format!(" + {name}")),
            -1 => text.push_str(&format!(" - {name}")),
            _ => text.push_str(&format!(" + ({factor}) * (q_i64){name}")),
        }
    }
    text
}
