//! What the run-time system needs from a device.

pub mod fake;
pub mod host;

use crate::array::coherence::Place;
use crate::error::Result;
use std::fmt;

/// Memory of a device, named by a number that the device chose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceMemory {
    /// The device's name for it.
    pub id: u64,
    /// Its size.
    pub bytes: usize,
}

/// A processor with memory.
pub trait Device: Send + Sync + fmt::Debug {
    /// What people call it.
    fn name(&self) -> &str;
    /// Where its memory is.
    fn place(&self) -> Place;
    /// Reserves memory. Its contents are undefined.
    fn allocate(&self, bytes: usize) -> Result<DeviceMemory>;
    /// Gives memory back. Unknown memory is ignored.
    fn release(&self, memory: &DeviceMemory);
    /// Copies from host memory; both sides have one size.
    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()>;
    /// Copies to host memory; both sides have one size.
    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<()>;
    /// Waits until everything submitted is done.
    fn synchronize(&self) -> Result<()>;
}
