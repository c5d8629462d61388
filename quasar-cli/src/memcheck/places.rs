//! Findings of compute-sanitizer as messages at lines of the program.

use super::report::{Class, Finding, Frame};
use quasar_core::driver::Compilation;
use quasar_core::message::{Category, Code, Message};
use quasar_core::source::{SourceMap, Span};
use std::path::Path;

/// The program whose lines are looked for.
pub(super) struct Places<'a> {
    compilation: &'a Compilation,
}

/// What is printed of a finding.
pub(super) enum Shown {
    /// A message at a line.
    At(Box<Message>),
    /// The machine code knows no line of the program: a kernel of the run-time system, or of a library.
    Nowhere(String),
}

impl<'a> Places<'a> {
    pub(super) fn of(compilation: &'a Compilation) -> Places<'a> {
        Places { compilation }
    }

    fn sources(&self) -> &SourceMap {
        &self.compilation.sources
    }

    /// The lines of a finding; where no place has a line of the program, that of the kernel.
    fn spans<'f>(&self, finding: &'f Finding) -> Vec<(Span, &'f Frame)> {
        let line = |frame: &Frame| frame.place.as_ref().and_then(|(file, line)| self.line(file, *line));
        let lines: Vec<_> = finding.frames.iter().filter_map(|frame| Some((line(frame)?, frame))).collect();
        if !lines.is_empty() {
            return lines;
        }
        let kernel = finding.frames.iter().find_map(|frame| Some((self.kernel(&frame.function)?, frame)));
        kernel.into_iter().collect()
    }

    /// The text of a line without the blanks around it.
    fn line(&self, file: &str, line: u32) -> Option<Span> {
        let (id, source) = self.sources().files().find(|(_, source)| same_file(&source.name, file))?;
        let number = line.checked_sub(source.first_line + 1)? as usize;
        let start: usize = source.text.split_inclusive('\n').take(number).map(str::len).sum();
        let text = source.text.get(start..)?.lines().next()?;
        let start = start + text.len() - text.trim_start().len();
        let end = start + text.trim().len();
        Some(Span { file: id, start: u32::try_from(start).ok()?, end: u32::try_from(end).ok()? })
    }

    /// Where a kernel begins, whatever version of it runs.
    fn kernel(&self, function: &str) -> Option<Span> {
        let function = function.split('(').next().unwrap_or_default().strip_prefix("k_")?;
        let kernels = self.compilation.program.as_ref()?.kernels.iter();
        let versions = ["", "_team", "_block", "_tile"];
        let named = |name: &str| versions.iter().any(|end| function.strip_suffix(end) == Some(name));
        kernels.map(|(_, kernel)| kernel).find(|kernel| named(&kernel.name)).map(|kernel| kernel.span)
    }

    /// The first of its places that is a line of the program.
    pub(super) fn first(&self, finding: &Finding) -> Option<Span> {
        self.spans(finding).first().map(|(span, _)| *span)
    }

    /// The finding at its line; `others` are its repetitions in other threads.
    pub(super) fn shown(&self, finding: &Finding, others: usize) -> Shown {
        let roles = finding.frames.iter().any(|frame| !frame.role.is_empty());
        let mut spans = self.spans(finding).into_iter();
        let Some((first, frame)) = spans.next() else { return Shown::Nowhere(nowhere(finding)) };
        let (code, category) = (code(finding.class), Category::Error);
        let mut message = Message::new(Code(code), category, first, finding.text.clone());
        let label = if frame.role.is_empty() { who(finding, others) } else { role(frame) };
        if !label.is_empty() {
            message = message.labelled(label);
        }
        if roles {
            message = spans.fold(message, |message, (span, frame)| message.related(span, role(frame)));
        }
        match finding.notes.as_slice() {
            [] => Shown::At(Box::new(message)),
            notes => Shown::At(Box::new(message.help(notes.join("; ")))),
        }
    }
}

/// The codes that the emulator gives to the same mistakes.
fn code(class: Class) -> &'static str {
    match class {
        Class::Access => "Q0904",
        Class::Race => "Q0901",
        Class::Uninitialised => "Q0902",
        Class::Barrier => "Q0903",
        Class::Call | Class::Other => "",
    }
}

fn role(frame: &Frame) -> String {
    frame.role.clone()
}

/// The thread that did it.
fn who(finding: &Finding, others: usize) -> String {
    let triple = |numbers: [u64; 3]| numbers.map(|number| number.to_string()).join(",");
    let thread = finding.thread.map(|thread| format!("thread ({})", triple(thread)));
    let block = finding.block.map(|block| format!("in block ({})", triple(block)));
    let others = match others {
        0 => None,
        1 => Some("and 1 other thread".to_owned()),
        _ => Some(format!("and {others} other threads")),
    };
    thread.into_iter().chain(block).chain(others).collect::<Vec<_>>().join(" ")
}

/// A finding without a line.
fn nowhere(finding: &Finding) -> String {
    let kernel = finding.frames.first().map(|frame| match &frame.place {
        Some((file, line)) => format!(" in '{}' ({file}:{line})", frame.function),
        None => format!(" in '{}'", frame.function),
    });
    let notes = finding.notes.iter().map(|note| format!("\n  = help: {note}"));
    let who = who(finding, 0);
    let who = if who.is_empty() { who } else { format!(", {who}") };
    format!("Error: {}{}{who}{}", finding.text, kernel.unwrap_or_default(), notes.collect::<String>())
}

/// Whether two names are those of one file. The device text names the whole path, some versions of the sanitizer only its end.
fn same_file(source: &str, found: &str) -> bool {
    let whole = std::fs::canonicalize(source).unwrap_or_else(|_| source.into());
    source == found || whole == Path::new(found) || whole.ends_with(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quasar_core::driver::{Options, compile};
    use quasar_core::message::render::{Style, snippet};
    use quasar_core::source::NoImports;

    const PROGRAM: &str = "function [] = __kernel__ turn(x : vec'unchecked, y : vec, pos : int)
    y[pos] = x[pos + 1]
endfunction
y = zeros(4)
parallel_do(4, ones(4), y, turn)
";

    fn shown(text: &str) -> String {
        let compilation = compile("turn.q", PROGRAM, &NoImports, &Options::default());
        let report = super::super::report::read(text);
        match Places::of(&compilation).shown(&report.findings[0], report.findings.len() - 1) {
            Shown::At(message) => snippet(&message, &compilation.sources, Style::Plain),
            Shown::Nowhere(text) => text,
        }
    }

    #[test]
    fn findings_stand_at_their_lines() {
        let found = shown(
            "========= Invalid __global__ read of size 4 bytes\n=========     at q_load+0x90 in k.cu:7\n\
             =========         Device Frame: k_turn+0x90 in /any/where/../turn.q:2\n\
             =========         Device Frame: k_turn+0x90 in turn.q:2\n\
             =========     by thread (3,0,0) in block (0,0,0)\n=========     Address 0x10 is out of bounds\n",
        );
        let expected = "Error: turn.q - line 2: Invalid __global__ read of size 4 [Q0904]\n --> turn.q:2:5\n  |\n\
                        2 |     y[pos] = x[pos + 1]\n  |     ^^^^^^^^^^^^^^^^^^^ thread (3,0,0) in block (0,0,0)\n  \
                        = help: Address 0x10 is out of bounds\n";
        assert_eq!(found, expected);
    }

    #[test]
    fn kernels_without_lines_stand_at_their_start() {
        let found = shown("========= Invalid __global__ read of size 4\n=========     at k_turn+0x90\n");
        assert!(found.starts_with("Error: turn.q - line 1: Invalid __global__ read of size 4"), "{found}");
        let found = shown(
            "========= Invalid __global__ read of size 4\n=========     at k_other+0x90 in other.cu:3\n\
             =========     by thread (1,0,0) in block (2,0,0)\n",
        );
        let expected = "Error: Invalid __global__ read of size 4 in 'k_other' (other.cu:3), thread (1,0,0) in block (2,0,0)";
        assert_eq!(found, expected);
    }

    #[test]
    fn both_sides_of_a_race_are_shown() {
        let found = shown(
            "========= Error: Race reported between Write access at k_turn+0x100 in turn.q:2\n\
             =========     and Read access at k_turn+0x480 in turn.q:3 [508 hazards]\n",
        );
        assert!(
            found.starts_with("Error: turn.q - line 2: Race between two accesses of shared memory [Q0901]")
        );
        assert!(
            found.contains("Write access")
                && found.contains("3 | endfunction")
                && found.contains("Read access"),
            "{found}"
        );
    }
}
