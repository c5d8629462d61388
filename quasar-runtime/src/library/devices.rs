//! What programs can ask about devices, and the display functions of programs without a display.

use crate::context;
use crate::error::Result;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{Record, Value, ValueError};

/// `sync()`: all work on the host is done when a call returns.
pub(super) fn sync(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    Ok(Vec::new())
}

/// `numgpus()`, `gpu_freemem()`: there is no device besides the host.
pub(super) fn zero(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    Ok(vec![Value::int(0)])
}

/// `device_info()`: a text.
pub(super) fn device_info(_args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    Ok(vec![Value::from(format!("cpu: {} threads", context::threads()))])
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
