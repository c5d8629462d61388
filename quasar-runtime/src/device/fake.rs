//! A device for tests: memory of its own in ordinary vectors, and a record of every call.

use super::{Device, DeviceMemory};
use crate::array::coherence::Place;
use crate::error::{Error, Place as SourcePlace, Result};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One call of a [`FakeDevice`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Memory was reserved.
    Allocate(usize),
    /// Memory was given back.
    Release(u64),
    /// Bytes came from the host.
    Upload(u64, usize),
    /// Bytes went to the host.
    Download(u64, usize),
    /// The host waited.
    Synchronize,
}

/// See the module.
#[derive(Debug)]
pub struct FakeDevice {
    name: String,
    place: Place,
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    calls: Vec<Call>,
    memory: BTreeMap<u64, Vec<u8>>,
    next: u64,
    broken: bool,
}

impl FakeDevice {
    /// A device with a number and so many bytes of memory.
    pub fn new(number: u8, capacity: usize) -> FakeDevice {
        FakeDevice {
            name: format!("fake{number}"),
            place: Place::Linear(number),
            capacity,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The calls since the last question.
    pub fn take_calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.state().calls)
    }

    /// The bytes of reserved memory.
    pub fn used(&self) -> usize {
        self.state().memory.values().map(Vec::len).sum()
    }

    /// Does what a kernel would do: changes the bytes of memory in place.
    pub fn run(&self, memory: &DeviceMemory, kernel: impl FnOnce(&mut [u8])) {
        if let Some(bytes) = self.state().memory.get_mut(&memory.id) {
            kernel(bytes);
        }
    }

    /// From now on every operation fails.
    pub fn fail(&self) {
        self.state().broken = true;
    }

    fn error(&self, message: &str) -> Error {
        Error::Device { place: SourcePlace::UNKNOWN, device: self.name.clone(), message: message.into() }
    }

    fn working(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.state();
        if state.broken { Err(self.error("broken")) } else { Ok(state) }
    }
}

impl Device for FakeDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self) -> Place {
        self.place
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceMemory> {
        let mut state = self.working()?;
        state.calls.push(Call::Allocate(bytes));
        let used: usize = state.memory.values().map(Vec::len).sum();
        if used + bytes > self.capacity {
            return Err(self.error("out of memory"));
        }
        state.next += 1;
        let id = state.next;
        state.memory.insert(id, vec![0xA5; bytes]);
        Ok(DeviceMemory { id, bytes })
    }

    fn release(&self, memory: &DeviceMemory) {
        let mut state = self.state();
        state.calls.push(Call::Release(memory.id));
        state.memory.remove(&memory.id);
    }

    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()> {
        let mut state = self.working()?;
        state.calls.push(Call::Upload(to.id, from.len()));
        match state.memory.get_mut(&to.id) {
            Some(bytes) if bytes.len() == from.len() => {
                bytes.copy_from_slice(from);
                Ok(())
            }
            _ => Err(self.error("upload to memory of another size")),
        }
    }

    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<()> {
        let mut state = self.working()?;
        state.calls.push(Call::Download(from.id, to.len()));
        match state.memory.get(&from.id) {
            Some(bytes) if bytes.len() == to.len() => {
                to.copy_from_slice(bytes);
                Ok(())
            }
            _ => Err(self.error("download from memory of another size")),
        }
    }

    fn synchronize(&self) -> Result<()> {
        self.working()?.calls.push(Call::Synchronize);
        Ok(())
    }
}
