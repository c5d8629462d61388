//! What programs can ask about devices, and the display functions of programs without a display.

use crate::context;
use crate::device::select;
use crate::error::Result;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{Record, Value, ValueError};

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

/// `imshow(img[, range])`: without a display, a figure object and nothing else.
pub(super) fn imshow(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    match args {
        [image] | [image, _] if image.as_array().is_some() => figure(args, _working),
        [image] | [image, _] => {
            Err(ValueError::wrong_argument("imshow", 0, "an image", &image.kind()).into())
        }
        _ => Err(ValueError::argument_count("imshow", "1 to 2", args.len()).into()),
    }
}

/// `figure()`: without a display, an object for its methods.
pub(super) fn figure(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    Ok(vec![Value::Object(Record::new("object", true, Vec::new()))])
}

/// `title(s)`, `plot(x, y)`, `legend(..)`, `colorbar()`: nothing without a display.
pub(super) fn nothing(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    Ok(Vec::new())
}

/// `hold()`: a number, without a display.
pub(super) fn zero(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    Ok(vec![Value::int(0)])
}
