//! What became of loops: the kernel or the function that they are in, and why.

use super::code::{self, Node, Owner};
use super::statements::{Placed, is_loop};
use super::{Reason, Report, Topic, Verdict, add, schedule};
use crate::ir::{self, Kernel, KernelId, Program};
use crate::message::{Decision, Message};
use crate::query::loops::variables;
use crate::source::Span;
use crate::syntax::ast::{Stmt, StmtKind};
use std::collections::BTreeSet;

/// What became of a loop; at least one sentence.
pub(super) fn reasons(report: &Report, placed: &Placed<'_>) -> Vec<Reason> {
    let stmt = placed.stmt;
    let mut found = decided(report, stmt);
    let mut kernels = kernels_at(report, stmt.span);
    if found.is_empty()
        && let Some((reason, around)) = in_kernel_around(report, placed)
    {
        found.push(reason);
        kernels = kernels_at(report, around.span);
    } else if found.is_empty() {
        found.extend(in_code(report, placed));
    }
    if found.is_empty() {
        found.push(Reason::new(Topic::Loop, gone(report, stmt)));
    }
    for id in kernels {
        add(&mut found, Reason::new(Topic::Kernel, kernel_in_words(&report.trace.host.kernels[id])));
        found.extend(schedule::reasons(report, id));
    }
    for (program, topic) in
        [(&report.trace.processor, Topic::Processor), (&report.trace.devices, Topic::Devices)]
    {
        if !owners(&report.trace.host, stmt.span).is_empty() && owners(program, stmt.span).is_empty() {
            add(&mut found, Reason::new(topic, "the rounds of the loop are written out"));
        }
    }
    found
}

/// What became of a loop that is nowhere in the IR.
fn gone(report: &Report, stmt: &Stmt) -> String {
    let step = report.recorder.statement_left_after(stmt.span);
    let mut body = false;
    code::inside(&report.trace.host, stmt.span, &mut |_, _| body = true);
    match step.and_then(|step| report.steps.get(step)).filter(|_| body) {
        Some(step) => {
            format!("its rounds are written out since the pass '{}' ({})", step.pass, step.summary)
        }
        None => report.absent(stmt.span, step),
    }
}

/// A kernel by its name and the box that it is launched over.
pub(super) fn kernel_in_words(kernel: &Kernel) -> String {
    match kernel.parallel {
        true => format!("'{}', over {}", kernel.name, dimensions(kernel.rank)),
        false => format!("'{}', in one thread", kernel.name),
    }
}

/// A number of dimensions in words.
pub(super) fn dimensions(rank: usize) -> String {
    if rank == 1 { "1 dimension".to_string() } else { format!("{rank} dimensions") }
}

/// The kernels that loops at a place became.
fn kernels_at(report: &Report, at: Span) -> Vec<KernelId> {
    let kernels = report.trace.host.kernels.iter();
    kernels.filter(|(_, each)| same_start(each.span, at)).map(|(id, _)| id).collect()
}

fn same_start(a: Span, b: Span) -> bool {
    a.file == b.file && a.start == b.start
}

/// The decisions of passes about a loop. One sentence says both that it is serial and why.
fn decided(report: &Report, stmt: &Stmt) -> Vec<Reason> {
    let messages: Vec<&Message> = report.decisions(stmt.span).collect();
    let of = |message: &&Message| message.decision.clone();
    let decisions: Vec<Decision> = messages.iter().filter_map(of).collect();
    let serial = decisions.iter().any(|decision| matches!(decision, Decision::Serial { .. }));
    let depends = decisions.iter().any(|decision| matches!(decision, Decision::Depends { .. }));
    let mut found = Vec::new();
    for (message, decision) in messages.iter().zip(&decisions) {
        if matches!(decision, Decision::Serial { .. }) && depends {
            continue;
        }
        let Some(text) = in_words(stmt, decision, serial) else { continue };
        let related = message.related.iter().map(|label| (label.span, label.text.clone())).collect();
        let verdict = verdict(decision);
        add(&mut found, Reason { topic: Topic::Loop, verdict, text, related });
    }
    found
}

/// A reason as a part of a sentence.
fn plain(why: &str) -> &str {
    why.trim_end_matches(['!', '.'])
}

fn verdict(decision: &Decision) -> Verdict {
    match decision {
        Decision::Parallel { .. } | Decision::Threads { .. } | Decision::Distributed => Verdict::Fast,
        Decision::Serial { .. } | Decision::Depends { .. } | Decision::Host { .. } => Verdict::Slow,
        Decision::WhereNamesDiffer { .. }
        | Decision::Transformed { .. }
        | Decision::NoDimension { .. }
        | Decision::Tested(_)
        | Decision::Known { .. }
        | Decision::Fused { .. }
        | Decision::Stored { .. } => Verdict::Neutral,
    }
}

fn in_words(stmt: &Stmt, decision: &Decision, kernel: bool) -> Option<String> {
    Some(match decision {
        Decision::Parallel { dims } => format!("parallel over {}", variables(stmt, *dims)),
        Decision::Serial { dims: 0 } => {
            "serial, compiled as one kernel: its number of rounds is not known before".to_string()
        }
        Decision::Serial { dims } => {
            format!("serial over {}, compiled as one kernel, as its attribute asks", variables(stmt, *dims))
        }
        Decision::Depends { name, what } if kernel => {
            format!("serial, compiled as one kernel: '{name}': {}", plain(what))
        }
        Decision::Depends { name, what } => {
            format!("serial, in its function, with parallel loops inside: '{name}': {}", plain(what))
        }
        Decision::Host { why } => format!("serial, in its function: it {why}"),
        Decision::Threads { why } => {
            format!("parallel on the threads of the processor, and no kernel: it {why}")
        }
        Decision::Distributed => "serial; the launches of its iterations go round the GPUs".to_string(),
        Decision::WhereNamesDiffer { pairs } => {
            let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("'{a}' and '{b}'")).collect();
            format!("in order where these share elements when the program runs: {}", pairs.join(", "))
        }
        Decision::Transformed { what } => what.clone(),
        Decision::NoDimension { .. }
        | Decision::Tested(_)
        | Decision::Known { .. }
        | Decision::Fused { .. }
        | Decision::Stored { .. } => return None,
    })
}

/// What a loop is in the kernel that a loop around it became, and that loop.
fn in_kernel_around<'a>(report: &Report, placed: &Placed<'a>) -> Option<(Reason, &'a Stmt)> {
    let loops = placed.around.iter().copied().filter(|stmt| is_loop(stmt));
    let mut around = loops.enumerate();
    around.find_map(|(k, around)| {
        let mut decisions = report.decisions(around.span).filter_map(|message| message.decision.as_ref());
        decisions
            .find_map(|decision| inside(report, placed, k + 1, around, decision))
            .map(|reason| (reason, around))
    })
}

/// What a loop is inside of another one, so many loops further out, about which a pass decided this.
fn inside(
    report: &Report,
    placed: &Placed<'_>,
    depth: usize,
    around: &Stmt,
    decision: &Decision,
) -> Option<Reason> {
    let line = report.place(around.span);
    let reason = |text: String| Some(Reason::new(Topic::Loop, text));
    match decision {
        Decision::Parallel { dims } if depth < *dims => {
            let over = variables(around, *dims);
            let text = format!("parallel: dimension {} of the nest over {over}, {line}", depth + 1);
            Some(Reason::new(Topic::Loop, text).fast())
        }
        Decision::Parallel { dims } => {
            let mut decisions = report.decisions(around.span).filter_map(|message| message.decision.as_ref());
            let told = decisions.find_map(|decision| match decision {
                Decision::NoDimension { why } if depth == *dims => Some(why.as_str()),
                _ => None,
            });
            let why = plain(told.unwrap_or_else(|| why_not_in_nest(placed)));
            reason(format!("serial, in each position of the kernel of {line}: {why}"))
        }
        Decision::Serial { .. } => reason(format!("serial, inside of the serial kernel of {line}")),
        Decision::Transformed { what } => reason(format!("with the loop of {line}: {what}")),
        _ => None,
    }
}

/// Why a loop is no part of the perfect nest of loops around it.
fn why_not_in_nest(placed: &Placed<'_>) -> &'static str {
    let counts = |stmt: &&Stmt| !matches!(stmt.kind, StmtKind::Attribute(_) | StmtKind::Pragma { .. });
    match placed.around.first().map(|stmt| &stmt.kind) {
        _ if !matches!(placed.stmt.kind, StmtKind::For { .. }) => "its number of rounds is not known before",
        Some(StmtKind::For { body, .. }) if body.iter().filter(counts).count() > 1 => {
            "other statements stand beside it in the loop around it"
        }
        Some(StmtKind::For { .. }) => {
            "its bounds change in the loop around it, or it has attributes or values of its own"
        }
        _ => "it does not stand directly in the loop around it",
    }
}

/// The loops of the IR that came from a place, by who holds them.
fn owners(program: &Program, at: Span) -> BTreeSet<Owner> {
    let mut found = BTreeSet::new();
    code::each(program, &mut |owner, node| {
        if let Node::Stmt(stmt) = node
            && same_start(stmt.span, at)
            && matches!(
                stmt.kind,
                ir::StmtKind::For { .. }
                    | ir::StmtKind::ForEach { .. }
                    | ir::StmtKind::While { .. }
                    | ir::StmtKind::Repeat { .. }
            )
        {
            found.insert(owner);
        }
    });
    found
}

/// A loop about which no pass decided anything.
fn in_code(report: &Report, placed: &Placed<'_>) -> Vec<Reason> {
    let words = |owner: Owner| match owner {
        Owner::Kernel(id) if report.trace.host.kernels[id].parallel => {
            format!(
                "serial, in each position of the {}: a kernel is written for one position",
                report.owner(owner)
            )
        }
        Owner::Kernel(_) => format!("serial, inside of the serial {}", report.owner(owner)),
        Owner::Function(id) if report.trace.host.functions[id].device => {
            format!("serial, in each call of the {}, which runs in one thread", report.owner(owner))
        }
        Owner::Function(_) => format!("serial, in the {}", report.owner(owner)),
    };
    let owners = owners(&report.trace.host, placed.stmt.span);
    owners.into_iter().map(|owner| Reason::new(Topic::Loop, words(owner))).collect()
}
