//! Builtins that show something. A figure is an `int`, so that programs keep and compare it as any number.

use super::typing::{CallTypes, Typing, TypingError};
use super::{Availability::*, Builtin, Entry, Kind, MANY, Rule, row};
use crate::types::Type;

const fn shown(name: &'static str, doc: &'static str, arity: (usize, usize), rule: Rule) -> Entry {
    row(name, doc, Host, Kind::Effect(name), arity, rule)
}

pub(super) static TABLE: &[Entry] = &[
    shown("imshow", "Shows an image; the number of its figure.", (1, 2), image),
    shown("plot", "Shows points that lines connect; the number of the figure.", (1, 3), curve),
    shown("scatter", "Shows points; the number of the figure.", (1, 3), curve),
    shown("bar", "Shows bars; the number of the figure.", (1, 2), bars),
    shown("figure", "Goes to a figure, or to a new one; its number.", (0, 1), figure),
    shown("subplot", "Goes to axes in a grid of rows and columns, counted from 1.", (3, 3), places),
    shown("hold", "Whether axes keep what they show (\"on\", \"off\"); 1.", (1, 1), hold),
    shown("title", "The line above the current axes.", (1, 1), texts),
    shown("xlabel", "The line below the current axes.", (1, 1), texts),
    shown("ylabel", "The line at the left of the current axes.", (1, 1), texts),
    shown("legend", "The names of curves and bars, in order.", (1, MANY), texts),
    shown("colormap", "The colours of gray images, by name.", (1, 1), texts),
    shown("colorbar", "Explains the colours beside the image (\"on\", \"off\").", (0, 1), texts),
    shown("axis", "Which part is shown: [x0, x1, y0, y1], \"auto\", \"on\", \"off\".", (1, 1), nothing),
    shown("drawnow", "Shows all figures that changed.", (0, 0), nothing),
];

fn nothing(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::of(call.types(), Vec::new())
}

fn texts(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    (0..call.args.len()).try_for_each(|place| call.expect_text(place))?;
    Typing::of(call.types(), Vec::new())
}

fn places(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    ["the number of rows", "the number of columns", "the place"]
        .iter()
        .enumerate()
        .try_for_each(|(place, what)| call.expect_number(place, what))?;
    Typing::of(call.types(), Vec::new())
}

fn hold(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    Typing::one(call, Type::INT)
}

fn figure(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if !call.args.is_empty() {
        call.expect_number(0, "a figure")?;
    }
    Typing::one(call, Type::INT)
}

/// Checks that an argument may be an array of real numbers.
fn expect_real(call: &CallTypes<'_>, place: usize) -> Result<(), TypingError> {
    let ty = call.ty(place);
    if *ty == Type::Dynamic {
        return Ok(());
    }
    call.expect_numbers(place)?;
    match ty.element_type() {
        Some(element) if element.is_complex() => {
            Err(TypingError::Argument(place, format!("expected real numbers, found '{ty}'")))
        }
        _ => Ok(()),
    }
}

/// The range may be `[]`.
fn image(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    expect_real(call, 0)?;
    Typing::one(call, Type::INT)
}

fn bars(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    (0..call.args.len()).try_for_each(|place| expect_real(call, place))?;
    Typing::one(call, Type::INT)
}

/// The last argument may be a style.
fn curve(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let last = call.args.len().saturating_sub(1);
    let data = if last > 0 && *call.ty(last) == Type::Text { last } else { last + 1 };
    (0..data).try_for_each(|place| expect_real(call, place))?;
    if data > 2 {
        call.expect_text(2)?;
    }
    Typing::one(call, Type::INT)
}
