//! Loops: a fixpoint over the types of variables at the loop head.

use super::{Analyzer, LoopFrame};
use crate::sema::flow_state::{self, Environment, Identity, Variable};
use crate::sema::scope::Assigned;
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::{ElementType, Type};
use std::collections::BTreeSet;

/// The maximal number of fixpoint iterations; a variable that still changes then becomes dynamic.
const ATTEMPTS: usize = 12;

/// Collects the ids of all nodes of a statement.
#[derive(Default)]
struct Nodes {
    ids: BTreeSet<NodeId>,
}

impl<'a> walk::Visitor<'a> for Nodes {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        self.ids.insert(stmt.id);
        true
    }
    fn expr(&mut self, expr: &'a Expr) -> bool {
        self.ids.insert(expr.id);
        true
    }
}

/// Forgets the known value of a variable.
pub(super) fn may_change(variable: &mut Variable) {
    variable.value = None;
    variable.known_components = None;
    variable.self_function = None;
    if variable.identity != Identity::Volatile {
        variable.identity = Identity::Unknown;
    }
}

/// Variables, and with which types they arrive at the head of a loop.
type Arriving = Vec<(String, Span, Type)>;

fn arrival(env: &Environment, name: &str) -> Option<(String, Span, Type)> {
    env.get(name).map(|variable| (name.to_owned(), variable.span, variable.ty.clone()))
}

impl<'a> Analyzer<'a> {
    /// Infers a loop. `body` infers one iteration, from head to end. The loop ends when the condition of `ends` has the
    /// given value, unless a `break` leaves it.
    pub(super) fn run_loop(
        &mut self,
        stmt: &'a Stmt,
        label: Option<&str>,
        ends: Option<(&'a Expr, bool)>,
        body: &mut dyn FnMut(&mut Self),
    ) {
        let mut assigned = Assigned::default();
        walk::stmt(stmt, &mut assigned);
        let mut head = std::mem::take(&mut self.frame.env);
        let mut arriving: Arriving = assigned.names.keys().filter_map(|name| arrival(&head, name)).collect();
        let writes_integers = assigned.elements.iter().any(|name| {
            head.get(*name)
                .is_none_or(|variable| variable.ty.element_type().is_none_or(ElementType::is_integer))
        });
        for (name, variable) in &mut head {
            if assigned.names.contains_key(name.as_str()) {
                may_change(variable);
            }
            if writes_integers && !variable.access.constant {
                variable.known_components = None;
            }
        }
        let dead_before = self.frame.dead;
        let missed_before = std::mem::take(&mut self.frame.reads_later_assignment);
        let mut exit = Environment::new();
        let mut still_missed = false;
        let mut broken = false;
        let (mark, unknowns) = (self.frame.facts.mark(), self.frame.unknowns);
        let rules = self.frame.lexical.rules.clone();
        for attempt in 0..ATTEMPTS {
            let said = self.frame.messages.len();
            self.frame.env = head.clone();
            self.frame.dead = dead_before;
            self.frame.reads_later_assignment = false;
            self.frame.elements.clear();
            self.frame.lexical.rules.clone_from(&rules);
            let label = label.map(str::to_owned);
            let first = attempt == 0;
            self.frame.loops.push(LoopFrame { label, exits: Vec::new(), first, broken: false });
            body(self);
            self.frame.facts.release(mark);
            let frame = self.frame.loops.pop();
            broken = frame.as_ref().is_some_and(|frame| frame.broken);
            let mut ends = frame.map(|frame| frame.exits).unwrap_or_default();
            if !self.frame.dead {
                ends.push(std::mem::take(&mut self.frame.env));
            }
            let missed = self.frame.reads_later_assignment;
            let mut next = self.next_head(&head, &ends, missed, attempt);
            let unchanged =
                !self.made_assignments(&mut assigned, &mut next) && next == head && !(missed && first);
            if unchanged || attempt + 1 == ATTEMPTS {
                let names = assigned.names.keys();
                arriving.extend(names.flat_map(|name| ends.iter().filter_map(|end| arrival(end, name))));
                exit = self.exit(&next, &ends);
                still_missed = missed;
                break;
            }
            self.frame.messages.truncate(said);
            self.clear(stmt);
            // The next iteration creates the same unknowns, so the prover's cache answers repeated queries.
            self.frame.unknowns = unknowns;
            head = next;
        }
        self.mixed_on_device(&exit, &head);
        for (name, span, ty) in arriving {
            let Some(variable) = head.get(&name).filter(|variable| variable.ty != ty) else { continue };
            self.widen_functions(&[(span, ty)], &variable.ty);
        }
        self.frame.env = exit;
        self.frame.elements.clear();
        self.frame.dead = dead_before;
        self.frame.reads_later_assignment = missed_before || still_missed;
        if let Some((condition, value)) = ends.filter(|_| !broken) {
            self.learn(condition, value);
        }
        let heads: Vec<(String, Type)> = head
            .iter()
            .filter(|(name, variable)| {
                variable.global.is_none() && assigned.names.contains_key(name.as_str())
            })
            .map(|(name, variable)| (name.clone(), variable.ty.clone()))
            .collect();
        self.frame.tables.loop_heads.insert(stmt.id, heads);
    }

    /// Adds variables that rewritten code assigns to `assigned` and the head; returns whether there is a new one.
    fn made_assignments(&self, assigned: &mut Assigned<'a>, head: &mut Environment) -> bool {
        let mut new = false;
        for name in &self.frame.assigned_by_rewrites {
            if let Some(variable) = head.get_mut(*name)
                && !assigned.names.contains_key(name)
            {
                assigned.names.insert(name, (1, variable.span));
                may_change(variable);
                new = true;
            }
        }
        new
    }

    /// Reports variables of device code whose type differs between iterations.
    fn mixed_on_device(&mut self, exit: &Environment, head: &Environment) {
        if !self.on_device() {
            return;
        }
        for (name, variable) in exit.iter().chain(head).filter(|(_, variable)| variable.ty == Type::Dynamic) {
            let text = format!(
                "the type of '{name}' is known at run time only: it has different types in the iterations of a loop"
            );
            self.error("Q0402", variable.span, text);
        }
    }

    /// Enters the test behind the body, which `continue` reaches too: joins the states of jumps, and drops facts that
    /// hold only at the end of the body.
    pub(super) fn reach_test(&mut self, mark: usize) {
        let Some(frame) = self.frame.loops.last().filter(|frame| !frame.exits.is_empty()) else { return };
        self.frame.facts.release(mark);
        for exit in &frame.exits {
            for (name, variable) in &mut self.frame.env {
                let Some(other) = exit.get(name) else { continue };
                let joined = flow_state::join_variables(variable, other);
                variable.value = joined.value;
                variable.known_components = joined.known_components;
                variable.identity = joined.identity;
            }
        }
    }

    fn next_head(
        &self,
        head: &Environment,
        ends: &[Environment],
        missed: bool,
        attempt: usize,
    ) -> Environment {
        let mut next = head.clone();
        for end in ends {
            for (name, variable) in &mut next {
                if let Some(theirs) = end.get(name) {
                    let mut joined = flow_state::join_variables(variable, theirs);
                    joined.definite = variable.definite;
                    joined.value =
                        variable.value.clone().filter(|value| Some(value) == theirs.value.as_ref());
                    if attempt + 2 >= ATTEMPTS && joined.ty != variable.ty {
                        joined.ty = Type::Dynamic;
                    }
                    *variable = joined;
                }
            }
            if missed {
                // A variable read before its first assignment in the loop takes part once its type is not in error.
                for (name, variable) in end.iter().filter(|(_, variable)| variable.ty != Type::Error) {
                    next.entry(name.clone()).or_insert_with(|| Variable {
                        definite: false,
                        value: None,
                        known_components: None,
                        identity: Identity::Unknown,
                        ..variable.clone()
                    });
                }
            }
        }
        next
    }

    /// The environment after the loop: the head's variables, and those that the body introduces.
    fn exit(&self, head: &Environment, ends: &[Environment]) -> Environment {
        let mut exit = head.clone();
        let all = flow_state::join(ends);
        for (name, variable) in all {
            exit.entry(name).or_insert(Variable {
                definite: false,
                value: None,
                known_components: None,
                identity: Identity::Unknown,
                ..variable
            });
        }
        exit
    }

    /// Clears the table entries of a previous iteration.
    pub(super) fn clear(&mut self, stmt: &'a Stmt) {
        let mut nodes = Nodes::default();
        match &stmt.kind {
            // The sequence is evaluated before the loop.
            StmtKind::For { body, .. } => walk::block(body, &mut nodes),
            _ => walk::stmt(stmt, &mut nodes),
        }
        let tables = &mut self.frame.tables;
        for id in &nodes.ids {
            tables.forget(id);
            self.frame.known_components.remove(id);
        }
    }

    /// `break` and `continue`.
    pub(super) fn leave(&mut self, span: crate::source::Span, label: Option<&'a Name>, word: &str) {
        let env = self.frame.env.clone();
        let found = match label {
            None => self.frame.loops.last_mut(),
            Some(label) => self
                .frame
                .loops
                .iter_mut()
                .rev()
                .find(|frame| frame.label.as_deref() == Some(label.text.as_str())),
        };
        match (found, label) {
            (Some(frame), _) => {
                frame.exits.push(env);
                frame.broken |= word == "break";
            }
            (None, Some(label)) => {
                let text = format!("no enclosing loop has the label '{}'", label.text);
                self.error("Q0206", label.span, text);
            }
            (None, None) => {
                self.error("Q0206", span, format!("'{word}' outside of a loop"));
            }
        }
        self.frame.dead = true;
    }
}
