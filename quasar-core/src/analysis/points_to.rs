//! Which arrays each variable of a program may refer to, across calls, fields, cells and captures.
//!
//! One body is analysed at a time, without regard to the order of its statements. An array stands for the place where it
//! comes from: a parameter, a variable that it was assigned to when it was made, or `OUTSIDE`, which is everything that
//! existed before the call and is no parameter. A call is replaced by a summary of the callee: which results may be which
//! parameters, and what it stores. Summaries are computed to a fixpoint over the call graph, and behind them the facts
//! about parameters: which pairs some caller may pass one array to. What is exported to Rust code, called as a value, or
//! called by nobody in the program, may be given one array for all of its parameters.

mod walk;

use crate::ids::Arena;
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::{Body, ExprKind, Function, FunctionId, Program, Stmt, StmtKind, VarId};
use crate::types::{ElementType, Type};
use std::collections::{BTreeMap, BTreeSet};
use walk::Walk;

/// Where an array comes from.
type Node = u32;

/// What existed before the call and is no parameter.
pub(super) const OUTSIDE: Node = 0;

/// A set of more arrays than this counts as all of them.
const MANY: usize = 64;
/// So many rounds of the fixpoint are made before everything that still changes counts as unknown.
const ROUNDS: usize = 24;

/// The node of arrays that were made for a variable, or of a parameter.
fn own(variable: VarId) -> Node {
    1 + 2 * variable.index() as Node
}

/// The node of arrays that were made inside of others that were made for a variable.
fn inner(node: Node) -> Node {
    if node == OUTSIDE { OUTSIDE } else { node + node % 2 }
}

/// Arrays that a value may refer to. The lowest bit of an element says whether under other dimensions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Set {
    nodes: BTreeSet<Node>,
    /// Whether it may be any array whatsoever.
    any: bool,
}

impl Set {
    fn of(node: Node) -> Set {
        Set { nodes: BTreeSet::from([node << 1]), any: false }
    }

    fn iter(&self) -> impl Iterator<Item = (Node, bool)> {
        self.nodes.iter().map(|entry| (entry >> 1, entry & 1 == 1))
    }

    /// Adds all of another set; whether that changed something.
    fn add(&mut self, other: &Set) -> bool {
        if self.any || (other.nodes.is_empty() && !other.any) {
            return false;
        }
        let before = self.nodes.len();
        self.nodes.extend(&other.nodes);
        self.any = other.any || self.nodes.len() > MANY;
        if self.any {
            self.nodes.clear();
        }
        self.any || self.nodes.len() != before
    }

    fn with(mut self, other: &Set) -> Set {
        self.add(other);
        self
    }

    /// The same arrays under dimensions that may be others.
    fn reshaped(&self) -> Set {
        Set { nodes: self.nodes.iter().map(|entry| entry | 1).collect(), any: self.any }
    }

    fn is_empty(&self) -> bool {
        self.nodes.is_empty() && !self.any
    }
}

/// How two variables may share elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharing {
    /// They do not.
    Never,
    /// They may be one array, and then have the same dimensions.
    Same,
    /// They may have the same elements, also under other dimensions.
    Reshaped,
}

/// The arrays that variables of a body refer to.
#[derive(Clone, Debug, Default)]
pub struct PointsTo {
    variables: Vec<Set>,
    contents: BTreeMap<Node, Set>,
    params: Vec<VarId>,
    /// How parameters and what is outside may share elements; the outside is behind the last parameter.
    pairs: BTreeMap<(usize, usize), Sharing>,
    /// Whether nothing is known of parameters.
    unknown_params: bool,
}

/// What a call does, in terms of its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
struct Summary {
    results: Vec<ResultSummary>,
    /// What is stored into arrays, cells and objects that existed before.
    stored: Origins,
    /// Whether what the call makes may be in several of these places.
    shared: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct ResultSummary {
    /// What it may be.
    direct: Origins,
    /// What may be reached from it.
    contents: Origins,
}

/// Origins of arrays as callers see them.
#[derive(Clone, Debug, Default, PartialEq)]
struct Origins {
    /// Parameters; `true` under other dimensions.
    params: BTreeSet<(usize, bool)>,
    /// What can be reached from arguments, and module-level variables.
    outside: bool,
    /// What the call makes.
    fresh: bool,
}

/// What is known of all functions.
#[derive(Debug, Default)]
pub struct ProgramAliases {
    bodies: BTreeMap<FunctionId, PointsTo>,
}

impl ProgramAliases {
    /// Analyses all functions.
    pub fn of(program: &Program) -> ProgramAliases {
        let mut analysis = Analysis { functions: &program.functions, summaries: BTreeMap::new() };
        analysis.summarise();
        let mut bodies = BTreeMap::new();
        for (id, function) in program.functions.iter() {
            bodies.insert(id, analysis.body(&function.body));
        }
        let mut found = ProgramAliases { bodies };
        found.meet_callers(program, &analysis);
        found
    }

    /// What is known of a function.
    pub fn of_function(&self, id: FunctionId) -> Option<&PointsTo> {
        self.bodies.get(&id)
    }

    /// Tells functions what their callers pass, until nothing new is found.
    fn meet_callers(&mut self, program: &Program, analysis: &Analysis<'_>) {
        let mut free: BTreeSet<FunctionId> = program.functions.ids().collect();
        let bodies = || program.functions.iter().map(|(_, function)| &function.body);
        for body in bodies() {
            visit_stmts(&body.block, &mut |stmt| {
                if let StmtKind::Call { function, .. } = &stmt.kind {
                    free.remove(function);
                }
            });
        }
        free.extend(program.exports.iter().map(|export| export.function));
        for body in bodies() {
            visit_block(&body.block, &mut |e| {
                if let ExprKind::Function { function, .. } = e.kind {
                    free.insert(function);
                }
            });
        }
        for id in &free {
            if let Some(body) = self.bodies.get_mut(id) {
                body.unknown_params = true;
            }
        }
        let mut changed: BTreeSet<FunctionId> = self.bodies.keys().copied().collect();
        while !changed.is_empty() {
            let mut found = Vec::new();
            for id in std::mem::take(&mut changed) {
                let Some(points) = self.bodies.get(&id) else { continue };
                let mut walk = Walk { analysis, points: points.clone(), changed: false };
                visit_stmts(&program.functions[id].body.block, &mut |stmt| {
                    if let StmtKind::Call { function, args, .. } = &stmt.kind
                        && self.bodies.get(function).is_some_and(|callee| !callee.unknown_params)
                    {
                        walk.passed(*function, args, &mut found);
                    }
                });
            }
            for (function, pair, sharing) in found {
                let Some(body) = self.bodies.get_mut(&function) else { continue };
                if body.unknown_params {
                    continue;
                }
                let known = body.pairs.entry(pair).or_insert(Sharing::Never);
                if sharing > *known {
                    *known = sharing;
                    changed.insert(function);
                }
            }
        }
    }
}

impl PointsTo {
    /// What statements of a body do by themselves, as far as nothing is known of the functions that they call. Parameters
    /// are different arrays.
    pub fn alone(body: &Body, block: &[Stmt]) -> PointsTo {
        let functions = Arena::new();
        Analysis { functions: &functions, summaries: BTreeMap::new() }.block(body, block)
    }

    /// How two variables may share elements, by what they refer to.
    pub fn sharing(&self, a: VarId, b: VarId) -> Sharing {
        let of = |v: VarId| self.variables.get(v.index());
        match (of(a), of(b)) {
            (Some(a), Some(b)) => self.meet(a, b),
            // A variable that a pass made later.
            _ => Sharing::Reshaped,
        }
    }

    fn meet(&self, a: &Set, b: &Set) -> Sharing {
        if a.is_empty() || b.is_empty() {
            return Sharing::Never;
        }
        if a.any || b.any {
            return Sharing::Reshaped;
        }
        let mut found = Sharing::Never;
        for (x, x_reshaped) in a.iter() {
            for (y, y_reshaped) in b.iter() {
                let nodes = if x == y && x != OUTSIDE { Sharing::Same } else { self.nodes_meet(x, y) };
                if nodes != Sharing::Never {
                    let reshaped = x_reshaped || y_reshaped;
                    found = found.max(if reshaped { Sharing::Reshaped } else { nodes });
                }
            }
        }
        found
    }

    /// Whether two different places may be one array: both existed before the call.
    fn nodes_meet(&self, x: Node, y: Node) -> Sharing {
        let position = |node: Node| match node {
            OUTSIDE => Some(self.params.len()),
            _ => self.params.iter().position(|param| own(*param) == node),
        };
        let (Some(i), Some(j)) = (position(x), position(y)) else { return Sharing::Never };
        if self.unknown_params || i == j {
            return Sharing::Reshaped;
        }
        self.pairs.get(&(i.min(j), i.max(j))).copied().unwrap_or(Sharing::Never)
    }

    fn is_param(&self, node: Node) -> bool {
        self.params.iter().any(|param| own(*param) == node)
    }

    /// What cells and objects of a node hold. Those of parameters are outside.
    fn contents(&self, node: Node) -> Set {
        if node == OUTSIDE || self.is_param(node) {
            let stored = self.contents.get(&OUTSIDE).cloned().unwrap_or_default();
            return stored.with(&Set::of(OUTSIDE));
        }
        self.contents.get(&node).cloned().unwrap_or_default()
    }

    fn held(&self, set: &Set) -> Set {
        let mut found = Set { nodes: BTreeSet::new(), any: set.any };
        for (node, _) in set.iter() {
            found.add(&self.contents(node));
        }
        found
    }

    /// All that can be reached from arrays, with themselves.
    fn reach(&self, set: &Set, containers: bool) -> Set {
        let mut found = set.clone();
        if !containers {
            return found;
        }
        loop {
            let held = self.held(&found);
            if !found.add(&held) {
                return found;
            }
        }
    }
}

/// The node of what is made inside of arguments and stores, where no variable is named.
const SCRATCH: Node = Node::MAX / 4 * 2;

/// Whether a value may be, or hold, an array or an object.
pub(super) fn refers(ty: &Type) -> bool {
    ty.any(&|part| {
        matches!(part, Type::Array(_) | Type::Dynamic | Type::Class(_) | Type::Pointer(_) | Type::Function(_))
    })
}

/// Whether a value may hold other arrays.
fn holds_references(ty: &Type) -> bool {
    refers(ty) && !is_leaf(ty)
}

fn is_leaf(ty: &Type) -> bool {
    ty.is_number_array()
}

/// Whether values of two types may be one array.
pub fn may_have_one_type(a: &Type, b: &Type) -> bool {
    let element = |ty: &Type| -> Option<ElementType> { ty.element_type().filter(|_| is_leaf(ty)) };
    match (element(a), element(b)) {
        (Some(a), Some(b)) => a == b,
        (Some(_), None) | (None, Some(_)) => matches!(a, Type::Dynamic) || matches!(b, Type::Dynamic),
        (None, None) => refers(a) && refers(b),
    }
}

struct Analysis<'p> {
    functions: &'p Arena<Function>,
    summaries: BTreeMap<FunctionId, Summary>,
}

impl Analysis<'_> {
    /// Computes the summaries of all functions, callees first: from nothing upwards, until they stay.
    fn summarise(&mut self) {
        let order = self.callees_first();
        let mut place: BTreeMap<FunctionId, usize> = BTreeMap::new();
        let mut callers: BTreeMap<FunctionId, BTreeSet<usize>> = BTreeMap::new();
        for (k, id) in order.iter().enumerate() {
            place.insert(*id, k);
            for callee in called(&self.functions[*id]) {
                callers.entry(callee).or_default().insert(k);
            }
        }
        let mut rounds: BTreeMap<FunctionId, usize> = BTreeMap::new();
        let mut open: BTreeSet<usize> = place.values().copied().collect();
        while let Some(k) = open.pop_first() {
            let id = order[k];
            let body = &self.functions[id].body;
            let round = rounds.entry(id).or_insert(0);
            *round += 1;
            let summary =
                if *round > ROUNDS { Summary::unknown(body) } else { Summary::of(body, &self.body(body)) };
            if self.summaries.get(&id) != Some(&summary) {
                self.summaries.insert(id, summary);
                open.extend(callers.get(&id).into_iter().flatten());
            }
        }
    }

    /// The functions, each behind those that it calls, as far as they do not call it.
    fn callees_first(&self) -> Vec<FunctionId> {
        let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
        for id in self.functions.ids() {
            let mut open = vec![(id, false)];
            while let Some((id, done)) = open.pop() {
                if done {
                    order.push(id);
                } else if seen.insert(id) {
                    open.push((id, true));
                    open.extend(called(&self.functions[id]).into_iter().map(|callee| (callee, false)));
                }
            }
        }
        order
    }

    fn body(&self, body: &Body) -> PointsTo {
        self.block(body, &body.block)
    }

    fn block(&self, body: &Body, block: &[Stmt]) -> PointsTo {
        let mut points =
            PointsTo { variables: vec![Set::default(); body.variables.len()], ..PointsTo::default() };
        points.params = body.params.clone();
        for param in &body.params {
            if refers(&body.variables[*param].ty) {
                points.variables[param.index()] = Set::of(own(*param));
            }
        }
        let mut walk = Walk { analysis: self, points, changed: true };
        while walk.changed {
            walk.changed = false;
            visit_stmts(block, &mut |stmt| walk.stmt(stmt, body));
        }
        walk.points
    }
}

impl Summary {
    fn of(body: &Body, points: &PointsTo) -> Summary {
        let stored = points.contents.get(&OUTSIDE).cloned().unwrap_or_default();
        let mut places = vec![points.reach(&stored, true)];
        for result in &body.results {
            let direct = &points.variables[result.index()];
            let containers = holds_references(&body.variables[*result].ty);
            let contents = if containers { points.reach(&points.held(direct), true) } else { Set::default() };
            places.extend([direct.clone(), contents]);
        }
        let mut seen = BTreeSet::new();
        let fresh = |set: &Set| -> Vec<Node> {
            set.iter()
                .map(|(node, _)| node)
                .filter(|node| *node != OUTSIDE && !points.is_param(*node))
                .collect()
        };
        let mut shared = places.iter().any(|set| set.any);
        for set in &places {
            let nodes: BTreeSet<Node> = fresh(set).into_iter().collect();
            shared |= nodes.iter().any(|node| !seen.insert(*node));
        }
        let mut origins = places.iter().map(|set| Origins::of(set, points));
        let stored = origins.next().unwrap_or_default();
        let mut results = Vec::new();
        while let (Some(direct), Some(contents)) = (origins.next(), origins.next()) {
            results.push(ResultSummary { direct, contents });
        }
        Summary { results, stored, shared }
    }

    /// What a function may do of which nothing is known.
    fn unknown(body: &Body) -> Summary {
        let all = Origins::unknown(body.params.len());
        let result = ResultSummary { direct: all.clone(), contents: all.clone() };
        Summary { results: vec![result; body.results.len()], stored: all, shared: true }
    }
}

/// The functions that a function calls by name.
fn called(function: &Function) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    visit_stmts(&function.body.block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind {
            found.insert(*function);
        }
    });
    found
}

impl Origins {
    fn of(set: &Set, points: &PointsTo) -> Origins {
        if set.any {
            return Origins::unknown(points.params.len());
        }
        let mut origins = Origins::default();
        for (node, reshaped) in set.iter() {
            match points.params.iter().position(|param| own(*param) == node) {
                _ if node == OUTSIDE => origins.outside = true,
                Some(k) => {
                    origins.params.insert((k, reshaped));
                }
                None => origins.fresh = true,
            }
        }
        origins
    }

    fn unknown(params: usize) -> Origins {
        Origins { params: (0..params).map(|k| (k, true)).collect(), outside: true, fresh: true }
    }

    fn is_empty(&self) -> bool {
        *self == Origins::default()
    }
}
