//! What programs can ask about devices.

use crate::context;
use crate::device::select;
use crate::error::Result;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Value;

/// `sync()`: waits for all devices; work on the host is done when a call returns.
pub(super) fn sync(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    context::synchronize()?;
    Ok(Vec::new())
}

/// `numgpus()`: the devices besides the host that the program can name by their numbers.
pub(super) fn numgpus(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    Ok(vec![Value::int(select::addressed().len() as i64)])
}

/// `gpu_freemem()`: MB that arrays could still take on the device that executes kernels.
pub(super) fn gpu_freemem(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let free = select::active_device().map_or(0, |device| device.free_bytes());
    Ok(vec![Value::int((free >> 20) as i64)])
}

/// `device_info()`: a text, a line for each device that kernels may run on.
pub(super) fn device_info(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let mut lines = vec![format!("cpu: {} threads", context::threads())];
    lines.extend(select::active_devices().iter().map(|device| select::describe(&**device)));
    Ok(vec![Value::from(lines.join("\n"))])
}
