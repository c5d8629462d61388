//! Tile origins: expressions of the position that have one value in a whole block, if blocks lie within tiles.
//!
//! ```text
//! pos - mod(pos, 16)     int(pos / 16)     floor(pos / 16)      within tiles of 16 positions
//! pos - mod(pos, blkdim) int(pos / blkdim) pos - blkpos         in every block
//! ```
//!
//! Blocks begin at multiples of their extents, so a block lies within a tile along an axis exactly if its extent divides
//! that of the tile.

use crate::ir::rewrite::{sets, stored_in, visit_stmts};
use crate::ir::{Body, Coordinate, Expr, ExprKind, Index, StmtKind, VarId};
use crate::types::{ElementType, Type};
use std::collections::{BTreeMap, BTreeSet};

/// An axis of the positions and the extent of the tiles along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tile {
    /// The component of the position.
    pub axis: usize,
    /// The number of positions.
    pub extent: u32,
}

/// The component of a position that a value is, or what tiles are measured with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Component {
    Position(usize),
    InBlock(usize),
    BlockExtent(usize),
    Number(u32),
}

/// What the variables of a kernel hold that are assigned once: components of the position, and constants.
#[derive(Debug, Default)]
pub struct TileOrigins {
    known: BTreeMap<VarId, Vec<Component>>,
}

impl TileOrigins {
    /// Looks for the variables.
    pub fn of(body: &Body) -> TileOrigins {
        let mut assigned: BTreeMap<VarId, u32> = BTreeMap::new();
        visit_stmts(&body.block, &mut |stmt| {
            let times = if matches!(stmt.kind, StmtKind::Assign { .. }) { 1 } else { 2 };
            sets(stmt, &mut |v| *assigned.entry(*v).or_default() += times);
        });
        let stored = stored_in(&body.block);
        let once = |v: &VarId| assigned.get(v) == Some(&1) && !stored.contains(v) && !body.params.contains(v);
        let mut found = TileOrigins::default();
        visit_stmts(&body.block, &mut |stmt| {
            if let StmtKind::Assign { variable, value } = &stmt.kind
                && once(variable)
                && let Some(components) = found.components(value)
            {
                found.known.insert(*variable, components);
            }
        });
        found
    }

    /// The tiles whose origins, or numbers, an expression gives. None if it is no such expression; empty if the tiles
    /// are the blocks themselves.
    pub fn tiles(&self, expr: &Expr) -> Option<BTreeSet<Tile>> {
        match &expr.kind {
            ExprKind::Convert(value) if is_integer(&expr.ty) => self.quotient(value),
            ExprKind::Apply { row, args } if row.name == "floor" => self.quotient(args.first()?),
            ExprKind::Apply { row, args } if row.name == "subtract" => {
                let [position, rest] = args.as_slice() else { return None };
                let position = self.components(position)?;
                match &rest.kind {
                    ExprKind::Apply { row, args } if row.name == "mod" => {
                        let [value, extent] = args.as_slice() else { return None };
                        let same = self.components(value)? == position;
                        same.then(|| measured(&position, &self.components(extent)?)).flatten()
                    }
                    _ => {
                        let rest = self.components(rest)?;
                        let own = |(p, b): (&Component, &Component)| match (p, b) {
                            (Component::Position(p), Component::InBlock(b)) => p == b,
                            _ => false,
                        };
                        let all = rest.len() == position.len() && position.iter().zip(&rest).all(own);
                        all.then(BTreeSet::new)
                    }
                }
            }
            _ => None,
        }
    }

    /// `pos / extent`, which a conversion rounds down.
    fn quotient(&self, value: &Expr) -> Option<BTreeSet<Tile>> {
        let ExprKind::Apply { row, args } = &value.kind else { return None };
        let [position, extent] = args.as_slice() else { return None };
        if row.name != "divide" {
            return None;
        }
        measured(&self.components(position)?, &self.components(extent)?)
    }

    fn components(&self, expr: &Expr) -> Option<Vec<Component>> {
        Some(match &expr.kind {
            ExprKind::Coordinate(coordinate, axis) => vec![match coordinate {
                Coordinate::Position => Component::Position(*axis),
                Coordinate::BlockPosition => Component::InBlock(*axis),
                Coordinate::BlockDim => Component::BlockExtent(*axis),
                _ => return None,
            }],
            ExprKind::Constant(value) => {
                let value = (!value.element_type().is_complex()).then(|| value.as_f64())?;
                let whole = value >= 1.0 && value <= f64::from(1 << 24) && value.fract() == 0.0;
                vec![Component::Number(whole.then_some(value as u32)?)]
            }
            ExprKind::Array(items) => {
                let mut all = Vec::new();
                for item in items {
                    let [one] = self.components(item)?[..] else { return None };
                    all.push(one);
                }
                all
            }
            ExprKind::Convert(value) if is_exact(&expr.ty) => self.components(value)?,
            ExprKind::Local(v) => self.known.get(v)?.clone(),
            ExprKind::Load { array, index, .. } => {
                let [Index::At(at)] = index.as_slice() else { return None };
                let at = usize::try_from(at.constant_int()?).ok()?;
                vec![*self.components(array)?.get(at)?]
            }
            _ => return None,
        })
    }
}

/// The tiles of positions that are measured with extents, of which one may stand for all axes.
fn measured(position: &[Component], extents: &[Component]) -> Option<BTreeSet<Tile>> {
    if extents.len() != 1 && extents.len() != position.len() {
        return None;
    }
    let mut tiles = BTreeSet::new();
    for (k, component) in position.iter().enumerate() {
        let Component::Position(axis) = *component else { return None };
        match *extents.get(k).or(extents.first())? {
            Component::Number(extent) => {
                tiles.insert(Tile { axis, extent });
            }
            Component::BlockExtent(of) if of == axis => {}
            _ => return None,
        }
    }
    Some(tiles)
}

fn is_integer(ty: &Type) -> bool {
    element(ty).is_some_and(|element| element.is_integer())
}

/// Whether a type holds the positions of every launch, up to where `float` rounds.
fn is_exact(ty: &Type) -> bool {
    use ElementType::{Double, Int32, Int64, Single};
    matches!(element(ty), Some(Int32 | Int64 | Single | Double))
}

fn element(ty: &Type) -> Option<ElementType> {
    match ty {
        Type::Scalar(element, _) => Some(*element),
        Type::Array(array) => element(&array.element),
        _ => None,
    }
}
