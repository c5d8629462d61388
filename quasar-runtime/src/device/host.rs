//! The CPU as a device: its memory is the host's, so there is nothing to transfer.

use super::{Device, DeviceMemory};
use crate::array::coherence::Place;
use crate::error::{Error, Place as SourcePlace, Result};

/// The CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostDevice;

impl HostDevice {
    fn no_memory(self) -> Error {
        Error::Device {
            place: SourcePlace::UNKNOWN,
            device: self.name().into(),
            message: "its memory is host memory, which arrays manage themselves".into(),
        }
    }
}

impl Device for HostDevice {
    fn name(&self) -> &str {
        "cpu"
    }

    fn place(&self) -> Place {
        Place::Host
    }

    fn allocate(&self, _bytes: usize) -> Result<DeviceMemory> {
        Err(self.no_memory())
    }

    fn release(&self, _memory: &DeviceMemory) {}

    fn upload(&self, _from: &[u8], _to: &DeviceMemory) -> Result<()> {
        Err(self.no_memory())
    }

    fn download(&self, _from: &DeviceMemory, _to: &mut [u8]) -> Result<()> {
        Err(self.no_memory())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}
