//! Versions of a kernel's code for devices. Under conditions that a launch or a thread tests, accesses need no test and no map
//! of their indices: what the version knows of each access stands here, and the printer leaves out what is not needed.

use super::affine::Conditions;
use super::schedule::OnDevice;
use super::{Body, Kernel, VarId};

/// The versions of a kernel beside the general one, which tests and maps all indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeVersions {
    /// The code of a position without tests.
    pub position: Option<CodeVersion>,
    /// The code of a register tile without tests and maps.
    pub tile: Option<CodeVersion>,
    /// The code of a register tile whose indices may be outside, where that depends on the thread.
    pub near_tile: Option<CodeVersion>,
    /// The loop of the split reduction without tests.
    pub split: Option<CodeVersion>,
    /// The code of a block of threads per position without tests.
    pub block: Option<CodeVersion>,
    /// The code of a block of threads per tile without tests.
    pub block_tile: Option<CodeVersion>,
}

impl CodeVersions {
    /// All of them, each with the code that it is a version of.
    pub fn all<'k>(&self, kernel: &'k Kernel) -> impl Iterator<Item = (&CodeVersion, Option<&'k Body>)> {
        let tile = kernel.strip.as_deref();
        let (block, block_tile) = match &kernel.schedule.device {
            Some(OnDevice::Scheduled(schedule)) => (
                schedule.block.as_ref().map(|block| &block.body),
                schedule.tile.as_ref().map(|tile| &tile.body),
            ),
            _ => (None, None),
        };
        let (tile, whole) = (tile.map(|tile| &tile.body), Some(&kernel.body));
        let all = [
            (&self.position, whole),
            (&self.split, whole),
            (&self.block, block),
            (&self.block_tile, block_tile),
            (&self.tile, tile),
            (&self.near_tile, tile),
        ];
        all.into_iter().filter_map(|(version, body)| Some((version.as_ref()?, body)))
    }
}

/// A version of the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeVersion {
    /// Conditions on the launch under which the version is right.
    pub launch: Conditions,
    /// Conditions on the position of each thread, in addition.
    pub thread: Conditions,
    /// Conditions on the launch under which each index outside is at most one extent away. They are part of those under which
    /// the version is right.
    pub near: Conditions,
    /// What is known of each access, by its number ([`NodeNumbers`](super::numbers::NodeNumbers)).
    pub accesses: Vec<AccessFacts>,
    /// Loop variables that do not wrap around, so that they may be computed in the type of offsets.
    pub ranged: Vec<VarId>,
    /// Parameters that nobody assigns.
    pub fixed: Vec<VarId>,
}

/// What a version knows of an access to elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessFacts {
    /// It is to the element at the own position of an array whose own elements are in registers.
    Own,
    /// What it knows of the indices; nothing of those that are missing.
    Indices(Vec<IndexFact>),
}

/// What a version knows of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexFact {
    /// Nothing.
    Unknown,
    /// It is in bounds.
    InBounds,
    /// It is at most one extent out of bounds.
    Near,
}

impl CodeVersion {
    /// Whether an access is to the own element of an array that is in registers.
    pub fn is_own(&self, access: usize) -> bool {
        matches!(self.accesses.get(access), Some(AccessFacts::Own))
    }

    /// What is known of an index of an access.
    pub fn index(&self, access: usize, axis: usize) -> IndexFact {
        match self.accesses.get(access) {
            Some(AccessFacts::Indices(indices)) => indices.get(axis).copied().unwrap_or(IndexFact::Unknown),
            Some(AccessFacts::Own) | None => IndexFact::Unknown,
        }
    }
}
