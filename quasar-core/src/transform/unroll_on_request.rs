//! `{!unroll}` and `{!unroll times=k}`: loops whose rounds are written out.
//!
//! ```text
//! for m = a..b { body(m) }      for t = a..k..last { m = t; body(m); m = t+1; body(m); ..; next = t+k }
//!                               for m = next..b { body(m) }
//! ```
//!
//! With `interleave=true` the copies of each statement stand together, where no statement needs what another one of another
//! round leaves. Loops that all rounds replace stay loops in kernels, whose printers write them out.

use super::kernel::rounds;
use super::{PassContext, messages};
use crate::ir::build::{self, int_type};
use crate::ir::rewrite::{
    expand_stmts, jumps_out, operands, operands_mut, read_in, rename, set_in, sets, stored_in, transform,
    variables, visit,
};
use crate::ir::{Block, Body, Expr, ExprKind, Program, Range, Stmt, StmtKind, VarId, VarSet};
use crate::message::Sink;
use crate::source::Span;
use crate::target::any::UNROLL_COPIES;
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// Writes out the loops that ask for it.
pub(super) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    for (_, function) in program.functions.iter_mut() {
        each(&mut function.body, !function.device, sink);
    }
    for (_, kernel) in program.kernels.iter_mut() {
        each(&mut kernel.body, false, sink);
    }
}

fn each(body: &mut Body, on_host: bool, sink: &mut Sink) {
    let mut block = std::mem::take(&mut body.block);
    expand_stmts(&mut block, &mut |stmt| match asked(&stmt) {
        Some((times, at)) => unrolled(stmt, times, at, (body, on_host), sink),
        None => vec![stmt],
    });
    body.block = block;
}

/// How many rounds a loop wants to be written out, all of them for 0, and where it says so.
fn asked(stmt: &Stmt) -> Option<(u32, Span)> {
    let StmtKind::For { attributes, .. } = &stmt.kind else { return None };
    let times = attributes.unroll.filter(|times| *times != 1 && !attributes.multi_device)?;
    Some((times, attributes.unrolled_at?))
}

/// The variables of a statement.
fn mentioned(stmt: &Stmt) -> VarSet {
    let mut found = VarSet::default();
    rename(&mut [stmt.clone()], &mut |variable| {
        found.insert(variable);
        variable
    });
    found
}

fn unrolled(
    mut stmt: Stmt,
    times: u32,
    at: Span,
    (body, on_host): (&mut Body, bool),
    sink: &mut Sink,
) -> Block {
    let StmtKind::For { variable, range, body: inner, attributes } = &mut stmt.kind else {
        return vec![stmt];
    };
    let interleaved = attributes.interleave;
    let why = match (times, rounds(range)) {
        _ if jumps_out(inner, 0) => Some("`break` or `continue` leaves its rounds"),
        _ if range.from.ty != int_type() => Some("its variable is no int"),
        (0, None) => {
            Some("the number of rounds is not known at compile time, or more than 64; write `times=k`")
        }
        (UNROLL_COPIES.., _) => Some("so many copies would make it slower"),
        (1.., _) if step(range).is_none() => Some("its step is not known at compile time"),
        _ => None,
    };
    if let Some(why) = why {
        attributes.unroll = None;
        sink.push(messages::not_unrolled(at, why));
        return vec![stmt];
    }
    if let (0, Some(values)) = (times, rounds(range)) {
        sink.push(messages::unrolled(at, values.len(), false));
        if !on_host {
            return vec![stmt];
        }
        let set = |value: i32| build::assign(*variable, build::int(value, stmt.span));
        return values
            .into_iter()
            .flat_map(|value| std::iter::once(set(value)).chain(inner.clone()))
            .collect();
    }
    let copies = match interleaved {
        true => match Interleaving::of(inner, *variable, on_host) {
            Ok(plan) => Some(plan),
            Err(why) => {
                sink.push(messages::not_interleaved(at, why));
                None
            }
        },
        false => None,
    };
    sink.push(messages::unrolled(at, times as usize, true));
    in_groups(body, (*variable, range.clone(), std::mem::take(inner)), times as i32, copies, stmt.span)
}

/// The distance between rounds: positive, and far from overflow.
fn step(range: &Range) -> Option<i32> {
    let step = range.step.as_ref().map_or(Some(1), Expr::constant_int)?;
    (1..1 << 20).contains(&step).then_some(step)
}

/// The loop over groups of rounds, and the one over those that are left.
fn in_groups(
    body: &mut Body,
    (variable, range, inner): (VarId, Range, Block),
    times: i32,
    plan: Option<Interleaving>,
    span: Span,
) -> Block {
    let step = step(&range).unwrap_or(1);
    let (int, ahead) = (int_type(), (times - 1) * step);
    let mut keep = |value: Expr| {
        let kept = body.temporary(int_type(), span);
        (build::assign(kept, value), kept)
    };
    let (first, from) = keep(range.from);
    let (second, to) = keep(range.to);
    let (third, next) = keep(build::local(from, int.clone(), span));
    let (round, last) = (body.temporary(int.clone(), span), body.temporary(int.clone(), span));
    let read = |v: VarId| build::local(v, int_type(), span);
    let row = |name: &str, a: Expr, b: Expr| {
        let row = find(name).expect("a row that the table has");
        build::apply(row, vec![a, b], int_type(), span)
    };
    let number = |n: i32| build::int(n, span);
    // No group unless its first and last place, and the place behind it, are all in the range of int.
    let low = row("less", read(from), number(i32::MAX - ahead - step));
    let high = row("less", read(to), number(i32::MAX - step));
    let fits = row("less_equal", row("add", read(from), number(ahead)), read(to));
    let and = |a: Expr, b: Expr| Expr::new(ExprKind::And(Box::new(a), Box::new(b)), int_type(), span);
    let whole = row("subtract", read(to), number(ahead));
    let none = row("subtract", read(from), number(1));
    let limit = Expr::new(
        ExprKind::Select {
            condition: Box::new(and(and(low, high), fits)),
            then: Box::new(whole),
            otherwise: Box::new(none),
        },
        int.clone(),
        span,
    );
    let place = |k: i32| if k == 0 { read(round) } else { row("add", read(round), number(k * step)) };
    let mut group = match plan {
        Some(plan) => plan.copies(body, &inner, variable, times, &place),
        None => (0..times)
            .flat_map(|k| std::iter::once(build::assign(variable, place(k))).chain(inner.clone()))
            .collect(),
    };
    group.push(build::assign(next, place(times)));
    let loop_over = |variable, from: Expr, by: i32, to: Expr, body: Block| {
        let step = (by != 1).then(|| build::int(by, span));
        let range = Range { from, step, to };
        Stmt::new(StmtKind::For { variable, range, body, attributes: Default::default() }, span)
    };
    vec![
        first,
        second,
        third,
        build::assign(last, limit),
        loop_over(round, read(from), times * step, read(last), group),
        loop_over(variable, read(next), step, read(to), inner),
    ]
}

/// How the copies of statements can stand together: the variables that each copy has of its own.
struct Interleaving {
    own: VarSet,
}

impl Interleaving {
    fn of(block: &Block, variable: VarId, on_host: bool) -> Result<Interleaving, &'static str> {
        let simple = |stmt: &Stmt| {
            matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::Store { .. } | StmtKind::Update { .. })
        };
        if !block.iter().all(simple) {
            return Err("its body has other statements than assignments");
        }
        if set_in(block).contains(&variable) {
            return Err("its body changes the variable of the loop");
        }
        let mut own = VarSet::default();
        for changed in set_in(block).iter() {
            let uses = block.iter().filter(|stmt| mentioned(stmt).contains(&changed));
            let carried = carried(block, changed);
            match (carried, uses.count()) {
                (true, 1) => {}
                (true, _) => return Err("a statement needs what another one left in the round before"),
                (false, _) => {
                    own.insert(changed);
                }
            }
        }
        for (k, stmt) in block.iter().enumerate() {
            let stored = stored_in(std::slice::from_ref(stmt));
            let others = block.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, other)| other);
            for other in others {
                let touches = arrays_in(other);
                if stored.iter().any(|array| touches.contains(&array))
                    || (on_host && !stored.is_empty() && !touches.is_empty())
                {
                    return Err("two statements use an array that one of them changes");
                }
            }
        }
        Ok(Interleaving { own })
    }

    /// All copies of the first statement, then all of the second one.
    fn copies(
        self,
        body: &mut Body,
        block: &Block,
        variable: VarId,
        times: i32,
        place: &dyn Fn(i32) -> Expr,
    ) -> Block {
        let mut maps: Vec<BTreeMap<VarId, VarId>> = Vec::new();
        for _ in 1..times {
            let fresh = |v: VarId| (v, body.variables[v].ty.clone());
            let own: Vec<_> = self.own.iter().map(fresh).collect();
            let span = block.first().map(|stmt| stmt.span).unwrap_or_default();
            maps.push(own.into_iter().map(|(v, ty)| (v, body.temporary(ty, span))).collect());
        }
        // What the last round leaves stays.
        maps.push(BTreeMap::new());
        let mut all = Vec::new();
        for stmt in block {
            for (k, map) in maps.iter().enumerate() {
                let mut copy = vec![stmt.clone()];
                rename(&mut copy, &mut |v| map.get(&v).copied().unwrap_or(v));
                for stmt in &mut copy {
                    operands_mut(stmt, &mut |e| {
                        transform(e, &mut |e| {
                            if matches!(e.kind, ExprKind::Local(v) if v == variable) {
                                *e = place(k as i32);
                            }
                        });
                    });
                }
                all.append(&mut copy);
            }
        }
        // As after the last of the rounds.
        all.push(build::assign(variable, place(times - 1)));
        all
    }
}

/// Whether a round may read what the one before left in a variable.
fn carried(block: &Block, variable: VarId) -> bool {
    for stmt in block {
        let mut read = false;
        operands(stmt, &mut |e| read |= variables(e).contains(&variable));
        if read {
            return true;
        }
        let mut set = false;
        sets(stmt, &mut |v| set |= *v == variable);
        if set {
            return false;
        }
    }
    read_in(block).contains(&variable)
}

/// The arrays that a statement reads or writes.
fn arrays_in(stmt: &Stmt) -> VarSet {
    let mut found = stored_in(std::slice::from_ref(stmt));
    operands(stmt, &mut |e| {
        visit(e, &mut |e| {
            if let (ExprKind::Local(v), crate::types::Type::Array(_)) = (&e.kind, &e.ty) {
                found.insert(*v);
            }
        });
    });
    found
}
