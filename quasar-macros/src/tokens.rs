//! Maps the tokens of a call to the source text they were parsed from, and ranges of that text back to tokens.
//!
//! Quasar needs line breaks and comments, which Rust tokens do not preserve. A call written in the file has its exact
//! text. If another macro generated the call, the text is reconstructed from the positions of the tokens.

use crate::place;
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

/// A token or delimiter.
pub(crate) struct Leaf {
    pub(crate) text: String,
    pub(crate) span: Span,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The range of a token in the text.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) span: Span,
}

/// All tokens in order, including delimiters but not doc comments.
pub(crate) fn leaves(input: TokenStream) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    collect(input, &mut leaves);
    leaves
}

fn collect(input: TokenStream, leaves: &mut Vec<Leaf>) {
    for tree in input {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = delimiters(&group);
                leaves.extend(leaf(open, group.span_open()));
                // The attribute that a doc comment expands to has the span of the comment.
                if !is_comment(group.span()) {
                    collect(group.stream(), leaves);
                }
                leaves.extend(leaf(close, group.span_close()));
            }
            other => leaves.extend(leaf(&other.to_string(), other.span())),
        }
    }
}

fn delimiters(group: &Group) -> (&'static str, &'static str) {
    match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

fn is_comment(span: Span) -> bool {
    span.source_text().is_some_and(|text| text.starts_with("//") || text.starts_with("/*"))
}

fn leaf(text: &str, span: Span) -> Option<Leaf> {
    let (line, column) = (place::line(span), place::column(span));
    (!text.is_empty() && !is_comment(span)).then(|| Leaf { text: text.to_string(), span, line, column })
}

/// The text before the program, with `#![..]` and `#[instantiate(..)]` blanked out.
fn without_settings(head: &str) -> String {
    let mut text = head.to_string();
    while let Some(start) = text.find("#![").or_else(|| text.find("#[instantiate")) {
        let mut depth = 0usize;
        let close = text[start..].find(|c| {
            depth = match c {
                '[' => depth + 1,
                ']' => depth - 1,
                _ => depth,
            };
            c == ']' && depth == 0
        });
        let end = close.map_or(text.len(), |close| start + close + 1);
        let blank: String = text[start..end].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
        text.replace_range(start..end, &blank);
    }
    text
}

/// The text between the delimiters of the call, the line where it begins, and the ranges of its tokens; `None` if the
/// tokens do not come from there.
pub(crate) fn exact(leaves: &[Leaf], call: Span) -> Option<(String, usize, Vec<Place>)> {
    let whole = call.source_text()?;
    let bang = whole.find('!')?;
    let open = bang + whole[bang..].find(['{', '(', '['])? + 1;
    let close = whole.rfind(['}', ')', ']']).filter(|close| *close >= open)?;
    let lines: Vec<usize> =
        std::iter::once(0).chain(whole.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut places = Vec::new();
    for leaf in leaves {
        let line = leaf.line.checked_sub(place::line(call))?;
        let column = if line == 0 { leaf.column.checked_sub(place::column(call))? } else { leaf.column - 1 };
        let start = *lines.get(line)?;
        let start = start + whole[start..].char_indices().nth(column)?.0;
        if start < open || start > close {
            return None;
        }
        // The name in `'name` has the span of the apostrophe.
        let rest = &whole[start..close];
        let quote = usize::from(leaf.text != "'" && rest.starts_with('\''));
        if !rest[quote..].starts_with(&leaf.text) {
            return None;
        }
        places.push(Place { start, end: start + leaf.text.len(), span: leaf.span });
    }
    let mut inside = whole[open..close].to_string();
    let head = places.first().map_or(inside.len(), |first| first.start - open);
    let blank_head = without_settings(&inside[..head]);
    inside.replace_range(..head, &blank_head);
    // Blank padding, so that columns are those of the Rust file.
    let line = whole[..open].matches('\n').count();
    let indent = if line == 0 { place::column(call) - 1 } else { 0 };
    let before = whole[..open].rsplit('\n').next().unwrap_or("").chars().count();
    let blank = indent + before;
    for place in &mut places {
        place.start = place.start - open + blank;
        place.end = place.end - open + blank;
    }
    Some((" ".repeat(blank) + &inside, place::line(call) + line, places))
}

/// Reconstructs text from the positions of the tokens. Tokens that a `macro_rules!` macro inserted go on the line where
/// they were inserted.
pub(crate) fn rebuild(leaves: &[Leaf], call: Span) -> (String, Vec<Place>) {
    let end = place::line(call) + call.source_text().unwrap_or_default().matches('\n').count();
    let inserted = |leaf: &Leaf| {
        !(place::line(call)..=end).contains(&leaf.line) || place::file(leaf.span) != place::file(call)
    };
    let mut text = String::new();
    let mut places = Vec::new();
    let (mut previous, mut outer): (Option<&Leaf>, Option<&Leaf>) = (None, None);
    for leaf in leaves {
        match previous {
            None => text.push_str(&" ".repeat(leaf.column.saturating_sub(1))),
            Some(before) if inserted(before) == inserted(leaf) => advance(&mut text, before, leaf),
            Some(_) if inserted(leaf) => text.push(' '),
            Some(_) => match outer {
                Some(before) if leaf.line > before.line => advance(&mut text, before, leaf),
                _ => text.push(' '),
            },
        }
        let start = text.len();
        text.push_str(&leaf.text);
        places.push(Place { start, end: text.len(), span: leaf.span });
        previous = Some(leaf);
        if !inserted(leaf) {
            outer = previous;
        }
    }
    (text, places)
}

/// Adds the white space between two tokens of one file.
fn advance(text: &mut String, before: &Leaf, leaf: &Leaf) {
    let behind = before.column + before.text.chars().count();
    if leaf.line > before.line {
        text.push_str(&"\n".repeat((leaf.line - before.line).min(1000)));
        text.push_str(&" ".repeat(leaf.column.saturating_sub(1)));
    } else if before.text == "'" && leaf.column == before.column {
        // The name in `'name`.
    } else if leaf.line < before.line || leaf.column < behind {
        text.push(' ');
    } else {
        text.push_str(&" ".repeat(leaf.column - behind));
    }
}

/// The body of a function in an outline.
pub(crate) struct Body {
    /// Where its header is in the text.
    pub(crate) head: std::ops::Range<usize>,
    /// Its names.
    pub(crate) words: Vec<Word>,
}

/// A name in a body.
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) span: Span,
    /// Whether it is assigned a value: `x = 1`, `for x = 0..9`.
    pub(crate) assigned: bool,
    /// Whether it is called, or indexed.
    pub(crate) called: bool,
}

/// The function headers alone, for editors that provide no positions: enough to know what can be called. What ends a statement is not
/// known, so that of bodies there are only names.
pub(crate) fn outline(leaves: &[Leaf]) -> (String, Vec<Place>, Vec<Body>) {
    let (mut text, mut places, mut bodies) = (String::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < leaves.len() {
        if leaves[at].text == "function" {
            let head = leaves[at..].iter().position(|leaf| leaf.text == ")").unwrap_or(0);
            let begin = text.len();
            for leaf in &leaves[at..=at + head] {
                let start = text.len();
                text.push_str(&leaf.text);
                places.push(Place { start, end: text.len(), span: leaf.span });
                text.push(' ');
            }
            let behind = &leaves[at + head + 1..];
            let end = behind.iter().position(|leaf| leaf.text == "function").unwrap_or(behind.len());
            bodies.push(Body { head: begin..text.len(), words: words(&behind[..end]) });
            text.push_str("\nendfunction\n");
            at += head;
        }
        at += 1;
    }
    (text, places, bodies)
}

/// The names among tokens, without those of fields and modes.
fn words(leaves: &[Leaf]) -> Vec<Word> {
    let text = |at: Option<usize>| at.and_then(|at| leaves.get(at)).map_or("", |leaf| leaf.text.as_str());
    let mut found = Vec::new();
    for (at, leaf) in leaves.iter().enumerate() {
        let begins = leaf.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !begins || matches!(text(at.checked_sub(1)), "." | "'") {
            continue;
        }
        found.push(Word {
            text: leaf.text.clone(),
            span: leaf.span,
            assigned: text(Some(at + 1)) == "=" && text(Some(at + 2)) != "=",
            called: text(Some(at + 1)) == "(",
        });
    }
    found
}

/// The first and the last token that a range of the text overlaps, or the last token before it.
pub(crate) fn touched(places: &[Place], start: usize, end: usize) -> Option<(Span, Span)> {
    let inside: Vec<&Place> =
        places.iter().filter(|p| p.start < end.max(start + 1) && p.end > start).collect();
    if let (Some(first), Some(last)) = (inside.first(), inside.last()) {
        return Some((first.span, last.span));
    }
    let before = places.iter().rev().find(|p| p.end <= start).or(places.first())?;
    Some((before.span, before.span))
}
