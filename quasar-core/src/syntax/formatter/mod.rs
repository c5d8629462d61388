//! The formatter: lays out the lines of a source file and the blanks between its tokens. It works on the tokens, so that comments stay where
//! they are; the tree only tells how deep a line is nested and which signs are operators.
//!
//! What it does:
//! * Lines are indented by four blanks a block. Continuation lines move with the first line of their statement.
//! * Assignments, comparisons, logical operators, `? :`, `->`, `:=` and the colon of a type have one blank on both sides; arithmetic
//!   operators and ranges have blanks on both sides or on none, as written.
//! * Runs of blanks become one, except in brackets over several lines, where they align columns.
//! * Comments behind code stay in one column where they stood in one column.
//! * Lines end without blanks, two empty lines at most follow each other, the text ends with one line end.
//!
//! The result is parsed and compared with the original tree; it is only returned if both are the same.

mod indent;
mod spacing;

use super::ast::{Module, NodeIds};
use super::compare::same_module;
use super::lexer::{comments, lex_lines};
use super::token::{Token, TokenKind};
use super::{ParseOptions, parse};
use crate::message::{Message, Sink};
use crate::source::FileId;
use indent::Indents;
use spacing::Gaps;

/// Blanks for each level of nesting.
const INDENT: usize = 4;
/// Columns of a tab.
const TAB: usize = 4;
/// Empty lines that may follow each other.
const EMPTY_LINES: usize = 2;

/// Formats a source file.
///
/// # Errors
/// The messages of the parser if the text has syntax errors: it cannot be formatted then. The spans are those of file 0.
pub fn format(text: &str) -> Result<String, Vec<Message>> {
    let source = Source::read(text);
    if source.sink.has_errors() {
        return Err(source.sink.into_sorted());
    }
    for spaces in [true, false] {
        let formatted = Layout::new(&source, spaces).text();
        if is_same(&source, &formatted) {
            return Ok(formatted);
        }
    }
    Ok(text.to_string())
}

/// Whether a formatted text has the tree and the comments of its original.
fn is_same(source: &Source<'_>, formatted: &str) -> bool {
    let again = Source::read(formatted);
    let words = |source: &Source<'_>| {
        source.comments.iter().map(|(s, e)| source.slice(*s, *e).trim_end().to_string()).collect::<Vec<_>>()
    };
    !again.sink.has_errors() && same_module(&source.module, &again.module) && words(source) == words(&again)
}

/// A text with its tokens, comments and tree.
struct Source<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    comments: Vec<(u32, u32)>,
    module: Module,
    sink: Sink,
}

impl<'t> Source<'t> {
    fn read(text: &'t str) -> Source<'t> {
        let mut sink = Sink::default();
        let module = parse(FileId(0), text, &mut NodeIds::default(), &mut sink);
        let tokens = lex_lines(FileId(0), text, ParseOptions::default(), &mut Sink::default());
        let comments = comments(text, &tokens);
        Source { text, tokens, comments, module, sink }
    }

    fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// A line of the source.
struct Line {
    /// The columns of white space in front.
    column: usize,
    /// The tokens, as indices.
    tokens: std::ops::Range<usize>,
    comment: Option<(u32, u32)>,
}

struct Layout<'s> {
    source: &'s Source<'s>,
    lines: Vec<Line>,
    indents: Indents,
    gaps: Option<Gaps>,
}

impl<'s> Layout<'s> {
    fn new(source: &'s Source<'s>, spaces: bool) -> Layout<'s> {
        let gaps = spaces.then(|| Gaps::of(&source.module, &source.tokens));
        Layout { source, lines: lines(source), indents: Indents::of(&source.module), gaps }
    }

    fn text(&self) -> String {
        let indents = self.all_indents();
        let codes: Vec<String> = self.lines.iter().map(|line| self.code(line)).collect();
        let mut out = String::new();
        let mut empty = 0;
        for (k, line) in self.lines.iter().enumerate() {
            if codes[k].is_empty() && line.comment.is_none() {
                empty += 1;
                continue;
            }
            if !out.is_empty() {
                out.push_str(&"\n".repeat(empty.min(EMPTY_LINES)));
            }
            empty = 0;
            let mut shown = " ".repeat(indents[k]) + &codes[k];
            if let Some((start, end)) = line.comment {
                if !codes[k].is_empty() {
                    let column = self.comment_column(k, &indents, &codes);
                    let width = shown.chars().count();
                    shown += &" ".repeat(column.saturating_sub(width).max(1));
                }
                shown += self.source.slice(start, end).trim_end();
            }
            out += shown.trim_end();
            out.push('\n');
        }
        out
    }

    /// The tokens of a line with the blanks between them.
    fn code(&self, line: &Line) -> String {
        let tokens = &self.source.tokens;
        let mut out = String::new();
        for k in line.tokens.clone() {
            let token = tokens[k];
            if k > line.tokens.start {
                let before = tokens[k - 1];
                let written = self.source.slice(before.end, token.start);
                match &self.gaps {
                    Some(gaps) => out += &gaps.between(tokens, k, written),
                    None => out += written,
                }
            }
            out += self.source.slice(token.start, token.end);
        }
        out
    }

    /// The indentation of each line.
    fn all_indents(&self) -> Vec<usize> {
        let mut all = vec![0; self.lines.len()];
        // How far the first line of the statement moved, and where it stands.
        let (mut moved, mut first) = (0isize, 0);
        let mut open = false;
        for (k, line) in self.lines.iter().enumerate() {
            let Some(token) = self.first_token(line) else {
                if line.comment.is_some() {
                    all[k] = if open { shifted(line.column, moved, first) } else { self.of_comment(k) };
                }
                continue;
            };
            match self.indents.of_line(token) {
                Some(depth) => {
                    all[k] = depth * INDENT;
                    (moved, first) = (all[k] as isize - line.column as isize, all[k]);
                }
                None => all[k] = shifted(line.column, moved, first + self.least(token)),
            }
            open = self.continues(k);
        }
        all
    }

    fn first_token(&self, line: &Line) -> Option<Token> {
        line.tokens.clone().next().map(|k| self.source.tokens[k])
    }

    /// The least indentation of a continuation line behind its first line.
    fn least(&self, token: Token) -> usize {
        match token.kind {
            TokenKind::Sign(sign) if sign.is_closing() => 0,
            _ => INDENT,
        }
    }

    /// Whether the next line with code belongs to the statement of this one.
    fn continues(&self, k: usize) -> bool {
        let next = self.lines[k + 1..].iter().find_map(|line| self.first_token(line));
        next.is_some_and(|token| self.indents.of_line(token).is_none())
    }

    /// A comment belongs to the code below it; at the end of a block to the block, unless it stands further left.
    fn of_comment(&self, k: usize) -> usize {
        let below = self.lines[k + 1..].iter().find_map(|line| Some((line, self.first_token(line)?)));
        let Some((line, token)) = below else { return 0 };
        let depth = self.indents.of_line(token).unwrap_or(0);
        let inside = self.indents.closes(token) && self.lines[k].column > line.column;
        (depth + usize::from(inside)) * INDENT
    }

    /// The column of the comment behind a line of code: that of its neighbours where they stood in one column.
    fn comment_column(&self, k: usize, indents: &[usize], codes: &[String]) -> usize {
        let written = |line: &Line| {
            let (start, _) = line.comment.filter(|_| !line.tokens.is_empty())?;
            let head = &self.source.text[..start as usize];
            Some(columns(&head[head.rfind('\n').map_or(0, |at| at + 1)..]))
        };
        let width = |k: usize| indents[k] + codes[k].chars().count();
        let Some(column) = written(&self.lines[k]) else { return width(k) + 1 };
        let aligned = |k: &usize| written(&self.lines[*k]) == Some(column);
        let above = (0..k).rev().take_while(aligned);
        let below = (k + 1..self.lines.len()).take_while(aligned);
        let group: Vec<usize> = above.chain([k]).chain(below).collect();
        // The least distance that was written, at least one blank, is kept.
        let distance = group.iter().map(|k| column.saturating_sub(self.written_end(*k))).min().unwrap_or(1);
        group.iter().map(|k| width(*k)).max().unwrap_or(0) + distance.max(1)
    }

    /// The column behind the code of a line as written.
    fn written_end(&self, k: usize) -> usize {
        let line = &self.lines[k];
        let Some(last) = line.tokens.clone().last() else { return 0 };
        let head = &self.source.text[..self.source.tokens[last].end as usize];
        columns(&head[head.rfind('\n').map_or(0, |at| at + 1)..])
    }
}

fn shifted(column: usize, moved: isize, least: usize) -> usize {
    column.saturating_add_signed(moved).max(least)
}

fn lines(source: &Source<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut comments = source.comments.iter().copied().peekable();
    let (mut first, mut start) = (0, if source.text.starts_with('\u{feff}') { 3 } else { 0 });
    for (k, token) in source.tokens.iter().enumerate() {
        if !matches!(token.kind, TokenKind::Newline | TokenKind::End) {
            continue;
        }
        let comment = comments.next_if(|(at, _)| *at < token.end || token.kind == TokenKind::End);
        let head = source.slice(start, token.start);
        let blanks = &head[..head.len() - head.trim_start().len()];
        lines.push(Line { column: columns(blanks), tokens: first..k, comment });
        (first, start) = (k + 1, token.end);
    }
    lines
}

/// The width of a text, with tabs.
fn columns(text: &str) -> usize {
    text.chars().fold(0, |at, c| if c == '\t' { (at / TAB + 1) * TAB } else { at + 1 })
}

#[cfg(test)]
mod tests;
