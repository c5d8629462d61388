//! Schedules: how the processor visits the positions of a kernel.

use super::{Block, VarId};

/// The choices that were made for a kernel. What is not chosen is done position by position along rows.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Neighbouring positions that are visited together.
    pub vector: Option<Box<Vector>>,
    /// The first position, where it is not zero. The last one is as far behind as without it.
    pub origin: Vec<i32>,
    /// The parameters that must not alias, as they were before a pass reordered reads and writes.
    pub conflicts: Option<Vec<Conflict>>,
}

/// Two parameters of a kernel, by index, that must not alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The one that is only read, possibly after writes to the other.
    pub read: usize,
    /// The one that is written.
    pub written: usize,
    /// Whether the conflict exists only if positions run in order.
    pub in_order: bool,
}

/// The code of a kernel for neighbouring positions along the last dimension, the lanes. It is right where every index of the
/// mode 'checked is inside; where one may be outside, positions are visited one by one.
#[derive(Clone, Debug)]
pub struct Vector {
    /// How many positions.
    pub lanes: u32,
    /// The kernel's statements. Loops of one round over `every_position` are what each lane does for itself; all other
    /// statements are done once for all lanes.
    pub block: Block,
    /// The variables that have a value for each lane. Others that lanes assign to live in one of their loops only.
    pub wide: Vec<VarId>,
    /// Whether positions may be visited twice, so that vectors at the end of a row may overlap.
    pub overlaps: bool,
}
