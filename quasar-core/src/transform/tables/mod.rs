//! Tables of values that do not depend on the whole position, which launches on the processor fill before they visit positions:
//!
//! ```text
//! parallel_do([M, N], x, y, s, k)             t = uninit(N)
//!                                             parallel_do([N], s, t, fill)         % t[n] = exp(-n*s)
//! k: y[m,n] = x[m,n] * exp(-n*s)       ->     parallel_do([M, N], x, y, s, t, k2)  % y[m,n] = x[m,n] * t[n]
//! ```
//!
//! A value goes to a table if it depends on at most one component of the position, and on variables of loops whose bounds are known
//! before the launch; if it costs more than an element of the table; and if it cannot fail. Conversions to `int` may fail: the kernel
//! that fills the tables tests them, and where one would, the launch does without tables, so that the error is raised where it stands.
//! So does a launch with few positions. Elements that lie in the row of an array that the last component of the position selects
//! (`x[n,k]` at `(m,n)`, along `k`; at `n` where a loop around that along `k` reads them again) go to a table as well, where this gives
//! the kernel vectors: there they lie side by side. Whether their indices are inside is tested before the launch. Devices compute such values again, which is cheaper than a launch.

mod fill;
pub(super) mod launches;
mod plan;
mod purity;
mod scopes;

use crate::analysis::access_pattern::{self, AccessPattern};
use crate::ir::barriers::meets;
use crate::ir::merged::free_name;
use crate::ir::rewrite::{has_loops, visit_block};
use crate::ir::schedule::{Schedule, TableRole};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, KernelId, Program, Stmt, VarId, VarSet};
use crate::parallel;
use crate::target::cpu::{TABLE_COST, TABLE_LAUNCH, TABLE_REUSE};
use crate::types::known::fixed;
use plan::{Plan, Table};
use purity::has_costly_operation;
use std::collections::{BTreeMap, BTreeSet};

/// When tables pay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profit {
    /// What a value costs, at least, in additions.
    cost: u32,
    /// Positions of the launch, at least.
    positions: f64,
    /// Positions along some component that share each element, at least.
    reuse: i32,
}

impl Profit {
    /// The numbers of the processor.
    pub(super) const USUAL: Profit = Profit { cost: TABLE_COST, positions: TABLE_LAUNCH, reuse: TABLE_REUSE };
    /// Wherever tables are possible.
    pub(super) const ALWAYS: Profit = Profit { cost: 1, positions: 1.0, reuse: 1 };
}

/// What a value depends on, as bits: components of the position, then loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Axes(u32);

impl Axes {
    const NONE: Axes = Axes(0);
    /// More than a table may depend on.
    const ALL: Axes = Axes(u32::MAX);

    fn position(axis: usize) -> Axes {
        if axis < 31 { Axes(1 << axis) } else { Axes::ALL }
    }

    fn of_loop(rank: usize, k: usize) -> Axes {
        Axes::position(rank.saturating_add(k))
    }

    fn with(self, other: Axes) -> Axes {
        Axes(self.0 | other.0)
    }

    fn has(self, other: Axes) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A loop whose bounds are known before the launch.
#[derive(Clone, Debug)]
struct Loop {
    variable: VarId,
    from: Expr,
    to: Expr,
}

/// How launches of a kernel use tables.
struct Tabulated {
    /// The kernel that reads tables, which are its last parameters.
    reading: KernelId,
    /// The kernels that fill tables.
    filling: Vec<Filling>,
}

/// A kernel that fills the tables with some axes.
struct Filling {
    kernel: KernelId,
    /// The parameters of the original kernel that it takes, by index.
    args: Vec<usize>,
    /// The tables that it fills, by their numbers; they are its last parameters.
    tables: Vec<usize>,
    /// The loops and then the component of the position along which the tables lie.
    loops: Vec<Loop>,
    position: Option<usize>,
    /// Whether it tests conversions; its result tells whether one would fail.
    tests: bool,
}

/// Fills tables before launches.
pub(super) fn run(program: &mut Program, profit: Profit) {
    let launched: Vec<KernelId> = launches::launched(program).into_iter().collect();
    let plans = parallel::map(launched, |id| (id, planned(program, &program.kernels[id], profit)));
    let mut made = BTreeMap::new();
    for (id, plan) in plans {
        if let Some(planned) = plan {
            made.insert(id, add(program, id, planned));
        }
    }
    launches::change(program, &made, profit);
}

/// The kernels for a launch with tables.
struct Planned {
    reading: Kernel,
    filling: Vec<(Kernel, Filling)>,
    tables: Vec<Table>,
}

fn planned(program: &Program, kernel: &Kernel, profit: Profit) -> Option<Planned> {
    let plain = kernel.parallel && !kernel.aliased && kernel.rank > 0 && is_by_position(&kernel.body.block);
    if !plain {
        return None;
    }
    let patterns = access_pattern::reaches(program, kernel);
    let is_constant = |param: &VarId| match patterns.get(param) {
        Some(pattern) => *pattern == AccessPattern::ReadOnly,
        None => fixed(&kernel.body.variables[*param].ty).is_some(),
    };
    let constant: VarSet = kernel.body.params.iter().copied().filter(is_constant).collect();
    let with = |turned: bool| {
        let (block, tables) = Plan::of(program, kernel, constant.clone(), (profit.cost, turned))?;
        Some((fill::reading(kernel, block, &tables), tables))
    };
    let turned = if is_turned(program, kernel) { with(true) } else { None };
    let (reading, tables) = match turned.filter(|(reading, _)| becomes_vectors(program, reading)) {
        Some(found) => found,
        None if profit.cost > 1 && !has_costly_operation(&kernel.body.block) => return None,
        // Lanes that would no longer go round together cost more than values that each of them computes again.
        None => with(false).filter(|(reading, _)| {
            !has_loops(&reading.body.block)
                || becomes_vectors(program, reading)
                || !becomes_vectors(program, kernel)
        })?,
    };
    let axes: BTreeSet<Axes> = tables.iter().map(|table| table.axes).collect();
    let filling = axes.into_iter().map(|axes| fill::filling(kernel, &tables, axes)).collect();
    Some(Planned { reading, filling, tables })
}

/// Whether a kernel goes along rows that the last component of its position selects, for which it has no vectors.
fn is_turned(program: &Program, kernel: &Kernel) -> bool {
    let (mut across, last) = (false, kernel.rank - 1);
    visit_block(&kernel.body.block, &mut |e| {
        if let ExprKind::Load { index, .. } = &e.kind
            && let [lead @ .., _] = index.as_slice()
        {
            across |= lead.iter().any(|each| {
                matches!(each, Index::At(Expr { kind: ExprKind::Coordinate(Coordinate::Position, axis), .. }) if *axis == last)
            });
        }
    });
    across && !becomes_vectors(program, kernel)
}

/// Whether neighbouring positions will go through the loops of a kernel together.
fn becomes_vectors(program: &Program, kernel: &Kernel) -> bool {
    super::schedule::has_vectors(program, kernel.clone())
}

/// Whether threads know nothing but their position.
pub(super) fn is_by_position(block: &[Stmt]) -> bool {
    let mut alone = !meets(block);
    visit_block(block, &mut |e| {
        alone &= !matches!(&e.kind, ExprKind::Coordinate(which, _) if *which != Coordinate::Position);
    });
    alone
}

/// Adds the kernels to the program.
fn add(program: &mut Program, of: KernelId, planned: Planned) -> (Tabulated, Vec<Table>) {
    let name = program.kernels[of].name.clone();
    let mut push = |mut kernel: Kernel, role: TableRole| {
        kernel.name = free_name(program, &name);
        kernel.schedule = Schedule { tables: Some(role), ..Schedule::default() };
        program.kernels.push(kernel)
    };
    let reading = push(planned.reading, TableRole::Reads { of: name.clone() });
    let filling = planned
        .filling
        .into_iter()
        .map(|(kernel, filling)| Filling { kernel: push(kernel, TableRole::Fills), ..filling });
    (Tabulated { reading, filling: filling.collect() }, planned.tables)
}
