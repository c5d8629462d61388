//! Runs of statements that consist of launches, allocations, numbers and other names of arrays, and the groups in them.

use super::guards::{self, steps};
use super::member::{Member, Use};
use super::set_by;
use crate::ir::rewrite::{operands_mut, transform};
use crate::ir::{
    Block, Body, Dims, Expr, ExprKind, KernelId, LaunchMode, Stmt, StmtKind, VarId, VarSet, build,
};
use crate::transform::host::fuse_launches::{alias, is_number, is_plain, renamed};
use std::collections::{BTreeMap, BTreeSet};

/// The runs of a block in order: how many statements each has; nothing for a statement that is in none.
pub(super) fn lengths(block: &[Stmt], members: &BTreeMap<KernelId, Member>) -> Vec<Option<usize>> {
    let mut runs = Vec::new();
    let mut length = 0;
    // The variables that the run has set or used: who sets one of them must stay behind.
    let mut touched = VarSet::new();
    for stmt in block {
        let belongs = steps(stmt, members).is_some();
        let (sets, uses) = if belongs { guards::touched(stmt) } else { Default::default() };
        let again = sets.iter().any(|variable| touched.contains(&variable));
        if length > 0 && (!belongs || again) {
            runs.push(Some(length));
            (length, touched) = (0, VarSet::new());
        }
        if belongs {
            length += 1;
            touched.add(&sets);
            touched.add(&uses);
        } else {
            runs.push(None);
        }
    }
    runs.extend((length > 0).then_some(Some(length)));
    runs
}

/// Whether a statement may stand in a run.
pub(super) fn belongs(stmt: &Stmt, members: &BTreeMap<KernelId, Member>) -> bool {
    match &stmt.kind {
        StmtKind::Assign { value, .. } => {
            is_number(value) || allocated(value).is_some() || renamed(stmt).is_some()
        }
        StmtKind::Launch { kernel, dims: Dims::Each(dims), block: None, args, mode, .. } => {
            let Some(member) = members.get(kernel) else { return false };
            let fits = |(k, arg): (usize, &Expr)| match member.arrays.contains_key(&k) {
                true => alias(arg).is_some(),
                false => is_plain(arg),
            };
            matches!(mode, LaunchMode::Parallel | LaunchMode::Devices)
                && dims.iter().all(is_plain)
                && args.iter().enumerate().all(fits)
        }
        _ => false,
    }
}

/// The extents of an array that a value makes, of zeros or anything.
pub(super) fn allocated(value: &Expr) -> Option<&[Expr]> {
    match &value.kind {
        ExprKind::Library { name: "uninit" | "zeros", args }
            if value.ty.as_array().is_some_and(|ty| ty.known_rank() == Some(args.len()))
                && args.iter().all(|e| e.ty == build::int_type() && is_plain(e)) =>
        {
            Some(args)
        }
        _ => None,
    }
}

/// A run of statements.
pub(super) struct Run<'r> {
    stmts: &'r [Stmt],
    /// The variables that are live behind the run.
    live: &'r VarSet,
    members: &'r BTreeMap<KernelId, Member>,
    body: &'r Body,
    /// Where launches stand.
    pub(super) launches: Vec<usize>,
    /// Other names of arrays.
    roots: BTreeMap<VarId, VarId>,
    /// The arrays that are made in the run: where, and their extents.
    made: BTreeMap<VarId, (usize, Vec<Expr>)>,
}

/// Launches that go strip by strip: those from `first` to before `end`.
pub(super) struct Group {
    first: usize,
    pub(super) end: usize,
    /// The arrays that are kept in line buffers.
    buffers: Vec<VarId>,
    /// The parameters that read them.
    pub(super) buffered: Vec<(KernelId, usize)>,
}

/// A launch in a run.
struct Launched<'r> {
    kernel: KernelId,
    member: &'r Member,
    args: &'r [Expr],
}

impl<'r> Run<'r> {
    pub(super) fn new(
        stmts: &'r [Stmt],
        live: &'r VarSet,
        members: &'r BTreeMap<KernelId, Member>,
        body: &'r Body,
    ) -> Run<'r> {
        let (mut roots, mut made) = (BTreeMap::new(), BTreeMap::new());
        let mut launches = Vec::new();
        for (k, stmt) in stmts.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Launch { .. } => launches.push(k),
                StmtKind::Assign { variable, value } => {
                    if let Some(dims) = allocated(value) {
                        made.insert(*variable, (k, dims.to_vec()));
                    } else if let Some((name, source)) = renamed(stmt) {
                        let root = roots.get(&source).copied().unwrap_or(source);
                        roots.insert(name, root);
                    }
                }
                _ => {}
            }
        }
        Run { stmts, live, members, body, launches, roots, made }
    }

    fn root(&self, variable: VarId) -> VarId {
        self.roots.get(&variable).copied().unwrap_or(variable)
    }

    fn launch(&self, k: usize) -> Launched<'r> {
        let StmtKind::Launch { kernel, args, .. } = &self.stmts[self.launches[k]].kind else {
            unreachable!("launches are listed")
        };
        Launched { kernel: *kernel, member: &self.members[kernel], args }
    }

    /// The launches from `first` to before `end`, if they can go strip by strip.
    pub(super) fn group(&self, first: usize, end: usize) -> Option<Group> {
        // For each array the launches that write it, and those that read it.
        let mut writers: BTreeMap<VarId, BTreeSet<usize>> = BTreeMap::new();
        let mut readers: BTreeMap<VarId, BTreeSet<usize>> = BTreeMap::new();
        let mut advance = true;
        let mut unknown = BTreeSet::new();
        for k in first..end {
            let launch = self.launch(k);
            let mut seen = BTreeSet::new();
            for (param, used) in &launch.member.arrays {
                let root = self.root(alias(&launch.args[*param])?);
                // An array that is passed twice has accesses that one parameter does not show.
                advance &= seen.insert(root);
                match used {
                    Use::Writes { .. } => writers.entry(root).or_default().insert(k),
                    Use::Reads(rows) => {
                        if rows.is_none() {
                            unknown.insert(root);
                        }
                        readers.entry(root).or_default().insert(k)
                    }
                };
            }
        }
        if !advance {
            return None;
        }
        let mut buffers = Vec::new();
        for (root, writing) in &writers {
            let reading = readers.get(root);
            let is_buffer = self.made.get(root).is_some_and(|(_, dims)| dims.len() >= 2)
                && !unknown.contains(root)
                && writing.len() == 1
                && reading.is_none_or(|reading| reading.first() > writing.first())
                && !self.is_used_outside(*root, first, end);
            if is_buffer {
                buffers.push(*root);
            } else if writing.len() > 1 || reading.is_some() {
                return None;
            }
        }
        if (first..end).any(|k| self.repeats_badly(k, &buffers)) {
            return None;
        }
        let read = |root: &VarId| readers.contains_key(root);
        // Each launch computes something that is read, or seen later.
        let useful = |k: usize| {
            writers.iter().any(|(root, by)| by.contains(&k) && (read(root) || !buffers.contains(root)))
        };
        let connected =
            buffers.iter().any(read) && (first..end).all(useful) && self.is_one(first, end, &buffers);
        if !connected {
            return None;
        }
        let mut buffered = Vec::new();
        for k in first..end {
            let launch = self.launch(k);
            for (param, used) in &launch.member.arrays {
                let root = self.root(alias(&launch.args[*param])?);
                if matches!(used, Use::Reads(_)) && buffers.contains(&root) {
                    buffered.push((launch.kernel, *param));
                }
            }
        }
        Some(Group { first, end, buffers, buffered })
    }

    /// Whether a launch that fills a line buffer also changes elements by what they were. It may compute rows again, where a mirrored
    /// index leads back.
    fn repeats_badly(&self, k: usize, buffers: &[VarId]) -> bool {
        let launch = self.launch(k);
        let is_buffer =
            |param: &usize| alias(&launch.args[*param]).is_some_and(|v| buffers.contains(&self.root(v)));
        let written = launch.member.arrays.iter().filter(|(_, used)| matches!(used, Use::Writes { .. }));
        let changes =
            |(param, used): &(&usize, &Use)| matches!(used, Use::Writes { reads: true }) && !is_buffer(param);
        written.clone().any(|(param, _)| is_buffer(param)) && written.clone().any(|each| changes(&each))
    }

    /// Whether the first and the last launch use line buffers, so that none of the group could as well stay alone.
    fn is_one(&self, first: usize, end: usize, buffers: &[VarId]) -> bool {
        [first, end - 1].into_iter().all(|k| {
            let launch = self.launch(k);
            launch.member.arrays.keys().any(|param| {
                alias(&launch.args[*param]).is_some_and(|variable| buffers.contains(&self.root(variable)))
            })
        })
    }

    /// Whether launches other than those from `first` to before `end` use an array, or something behind the run.
    fn is_used_outside(&self, root: VarId, first: usize, end: usize) -> bool {
        let passed = |k: usize| {
            let args = self.launch(k).args.iter();
            args.filter(|arg| arg.ty.as_array().is_some())
                .any(|arg| alias(arg).is_none_or(|v| self.root(v) == root))
        };
        self.names(root).any(|name| self.live.contains(&name))
            || (0..first).chain(end..self.launches.len()).any(passed)
    }

    /// All names of an array.
    fn names(&self, root: VarId) -> impl Iterator<Item = VarId> {
        let others = self.roots.iter().filter(move |(_, of)| **of == root).map(|(name, _)| *name);
        std::iter::once(root).chain(others)
    }

    /// The statements, with those of groups together.
    pub(super) fn rewritten(&self, groups: &[Group]) -> Block {
        let buffers: BTreeSet<VarId> =
            groups.iter().flat_map(|group| group.buffers.iter().copied()).collect();
        let mut out = Block::new();
        let mut open: Option<(&Group, Block)> = None;
        for (k, stmt) in self.stmts.iter().enumerate() {
            let group = self
                .launches
                .binary_search(&k)
                .ok()
                .and_then(|place| groups.iter().find(|group| (group.first..group.end).contains(&place)));
            match group {
                Some(group) => {
                    let mut stmt = stmt.clone();
                    self.settle(&mut stmt, &buffers);
                    let (_, body) = open.get_or_insert_with(|| (group, self.allocations(group)));
                    body.push(stmt);
                    if self.launches[group.end - 1] == k
                        && let Some((group, body)) = open.take()
                    {
                        let span = self.stmts[self.launches[group.end - 1]].span;
                        let kind = StmtKind::Strips { buffers: group.buffers.clone(), body };
                        out.push(Stmt::new(kind, span));
                    }
                }
                None => {
                    let made = set_by(stmt).is_some_and(|variable| buffers.contains(&self.root(variable)));
                    if !made {
                        let mut stmt = stmt.clone();
                        self.settle(&mut stmt, &buffers);
                        out.push(stmt);
                    }
                }
            }
        }
        out
    }

    /// Makes the line buffers of a group.
    fn allocations(&self, group: &Group) -> Block {
        let made = group.buffers.iter().map(|buffer| self.stmts[self.made[buffer].0].clone());
        made.map(|mut stmt| {
            self.settle(&mut stmt, &group.buffers.iter().copied().collect());
            stmt
        })
        .collect()
    }

    /// Uses the first names of line buffers, and the extents that they are made with.
    fn settle(&self, stmt: &mut Stmt, buffers: &BTreeSet<VarId>) {
        operands_mut(stmt, &mut |operand| self.settle_expr(operand, buffers));
    }

    fn settle_expr(&self, operand: &mut Expr, buffers: &BTreeSet<VarId>) {
        transform(operand, &mut |e| match &e.kind {
            ExprKind::Extent(array, axis) => {
                let Some(root) = alias(array).map(|variable| self.root(variable)) else { return };
                if buffers.contains(&root) {
                    let mut extent = self.made[&root].1[*axis].clone();
                    self.settle_expr(&mut extent, buffers);
                    *e = extent;
                }
            }
            ExprKind::Local(variable) if buffers.contains(&self.root(*variable)) => {
                let root = self.root(*variable);
                let ty = self.body.variables[root].ty.clone();
                *e = Expr::new(ExprKind::Local(root), ty, e.span);
            }
            _ => {}
        });
    }
}
