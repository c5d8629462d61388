//! Invariance along the innermost dimension: which values are the same for a row of positions, and which accesses move
//! with it.

use super::access_pattern::AccessPattern;
use crate::ir::conversions::total;
use crate::ir::rewrite::{set_in, visit};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, VarId, VarSet};
use quasar_devicelib::element::Scalar;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// `position + base + offset` along the last dimension, where `base` is invariant in a row.
#[derive(Clone, Debug)]
pub struct RowOffset {
    /// Terms with their signs; `true` is positive.
    pub base: Vec<(bool, Expr)>,
    /// The constant part.
    pub offset: i32,
}

/// The values that are invariant along a row.
#[derive(Clone)]
pub struct RowInvariance<'k> {
    last: usize,
    /// The first component of the position that varies.
    first: usize,
    set: Cow<'k, VarSet>,
    reaches: &'k BTreeMap<VarId, AccessPattern>,
    /// Whether the row is one of threads of a block, which have the block in common.
    in_block: bool,
    /// Variables of loops that the positions of a row go through together.
    loops: VarSet,
}

/// The variables of a kernel that may vary along a row. It visits the whole kernel, so the result should be reused.
pub fn changing(kernel: &Kernel) -> VarSet {
    let mut set = set_in(&kernel.body.block);
    set.extend(&kernel.body.results);
    set
}

impl<'k> RowInvariance<'k> {
    /// For a kernel with these access patterns and [`changing`] variables.
    pub fn new(
        kernel: &Kernel,
        reaches: &'k BTreeMap<VarId, AccessPattern>,
        changing: &'k VarSet,
    ) -> RowInvariance<'k> {
        let last = kernel.rank - 1;
        RowInvariance {
            last,
            first: last,
            set: Cow::Borrowed(changing),
            reaches,
            in_block: false,
            loops: VarSet::new(),
        }
    }

    /// For rows along the last two components, which are collapsed into one.
    pub fn collapsed(self) -> RowInvariance<'k> {
        RowInvariance { first: self.last.saturating_sub(1), ..self }
    }

    /// For rows of threads of one block.
    pub fn in_block(self) -> RowInvariance<'k> {
        RowInvariance { in_block: true, ..self }
    }

    /// Whether an expression is the component of the position, or of that in the block, that counts columns.
    pub fn is_column(&self, expr: &Expr) -> bool {
        match expr.kind {
            ExprKind::Coordinate(Coordinate::Position, axis) => axis == self.first,
            ExprKind::Coordinate(Coordinate::BlockPosition, axis) => self.in_block && axis == self.first,
            _ => false,
        }
    }

    /// Whether the last two components of the position are one.
    pub fn is_collapsed(&self) -> bool {
        self.first < self.last
    }

    /// Marks a variable as varying or invariant; returns whether it varied before.
    pub fn vary(&mut self, variable: VarId, varies: bool) -> bool {
        let set = self.set.to_mut();
        let varied = if varies { !set.insert(variable) } else { set.remove(&variable) };
        match (varied, varies) {
            (true, false) => drop(self.loops.insert(variable)),
            (_, true) => drop(self.loops.remove(&variable)),
            _ => {}
        }
        varied
    }

    /// Whether an expression has one value for a row, whatever loops the positions go through together.
    pub fn is_fixed(&self, expr: &Expr) -> bool {
        let mut fixed = self.holds(expr);
        visit(expr, &mut |e| fixed &= !matches!(e.kind, ExprKind::Local(v) if self.loops.contains(&v)));
        fixed
    }

    /// Whether an expression is invariant along a row.
    pub fn holds(&self, expr: &Expr) -> bool {
        let mut uniform = true;
        visit(expr, &mut |e| match &e.kind {
            ExprKind::Coordinate(Coordinate::Position, axis) => uniform &= *axis < self.first,
            ExprKind::Coordinate(Coordinate::BlockPosition, axis) => {
                uniform &= self.in_block && *axis < self.first;
            }
            ExprKind::Coordinate(..) => uniform &= self.in_block,
            ExprKind::Local(v) => uniform &= !self.set.contains(v),
            ExprKind::Load { array, .. } => {
                uniform &= matches!(array.kind, ExprKind::Local(v) if self.reaches.get(&v) == Some(&AccessPattern::ReadOnly));
            }
            ExprKind::Constant(_)
            | ExprKind::Apply { .. }
            | ExprKind::Extent(..)
            | ExprKind::Count(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Select { .. } => {}
            ExprKind::Convert(inner) => uniform &= total(inner, e),
            ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::Global(_)
            | ExprKind::Array(_)
            | ExprKind::Tuple(_)
            | ExprKind::Field(..)
            | ExprKind::New(_)
            | ExprKind::Function { .. }
            | ExprKind::Member(..)
            | ExprKind::Same(..)
            | ExprKind::Sequence(_)
            | ExprKind::Reduce { .. }
            | ExprKind::BlockSize(_)
            | ExprKind::Library { .. } => uniform = false,
        });
        uniform
    }

    /// Whether an array is only read.
    pub fn only_reads(&self, array: VarId) -> bool {
        self.reaches.get(&array) == Some(&AccessPattern::ReadOnly)
    }

    /// The component of the position that counts columns.
    pub fn column(&self) -> usize {
        self.first
    }

    /// The last component of the position.
    pub fn last(&self) -> usize {
        self.last
    }

    /// The index as an offset from the last component of the position.
    pub fn around(&self, index: &Expr) -> Option<RowOffset> {
        let mut around = RowOffset { base: Vec::new(), offset: 0 };
        let mut found = 0;
        self.terms(index, true, &mut around, &mut found)?;
        (found == 1).then_some(around)
    }

    fn terms(&self, expr: &Expr, positive: bool, around: &mut RowOffset, found: &mut u32) -> Option<()> {
        match &expr.kind {
            ExprKind::Constant(Scalar::I32(n)) => {
                let n = if positive { *n } else { n.checked_neg()? };
                around.offset = around.offset.checked_add(n)?;
            }
            ExprKind::Coordinate(Coordinate::Position, axis) if *axis == self.last => {
                *found += 1;
                return positive.then_some(());
            }
            ExprKind::Apply { row, args } if row.name == "add" => {
                self.terms(&args[0], positive, around, found)?;
                self.terms(&args[1], positive, around, found)?;
            }
            ExprKind::Apply { row, args } if row.name == "subtract" => {
                self.terms(&args[0], positive, around, found)?;
                self.terms(&args[1], !positive, around, found)?;
            }
            ExprKind::Apply { row, args } if row.name == "negate" => {
                self.terms(&args[0], !positive, around, found)?;
            }
            _ if self.holds(expr) => around.base.push((positive, expr.clone())),
            _ => return None,
        }
        Some(())
    }
}

/// The location of an access to a read-only array, relative to a row.
#[derive(Clone, Debug)]
pub enum RowAccess<'e> {
    /// At an offset from the position, in the row that `lead` selects.
    Along { lead: Vec<&'e Expr>, around: RowOffset },
    /// Invariant along the row.
    Still(Vec<&'e Expr>),
}

/// The location of an access whose address computation a row of positions can share.
pub fn place<'e>(uniform: &RowInvariance<'_>, array: VarId, index: &'e [Index]) -> Option<RowAccess<'e>> {
    if uniform.reaches.get(&array) != Some(&AccessPattern::ReadOnly) {
        return None;
    }
    let at = |each: &'e Index| match each {
        Index::At(e) => Some(e),
        _ => None,
    };
    let positions: Vec<&Expr> = index.iter().map(at).collect::<Option<_>>()?;
    let (last, lead) = positions.split_last()?;
    if !lead.iter().all(|e| uniform.holds(e)) {
        return None;
    }
    match uniform.around(last) {
        Some(around) => Some(RowAccess::Along { lead: lead.to_vec(), around }),
        None => uniform.holds(last).then_some(RowAccess::Still(positions)),
    }
}
