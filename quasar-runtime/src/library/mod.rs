//! Library functions that need files, the console, threads or other crates.

pub mod command_line;
mod devices;
pub mod fft;
#[allow(unsafe_code, reason = "launches kernels")]
mod fft_device;
#[cfg(feature = "figure")]
pub mod figure;
pub mod host_services;
pub mod image_file;
#[cfg(feature = "mat")]
mod mat_file;
mod numpy_file;
#[allow(unsafe_code, reason = "launches kernels")]
mod on_device;
mod pixels;
#[allow(unsafe_code, reason = "launches kernels")]
mod product;
#[allow(unsafe_code, reason = "launches kernels")]
mod random;
#[allow(unsafe_code, reason = "launches kernels")]
mod scans;
mod store_file;
mod table_file;
mod text_file;
#[allow(unsafe_code, reason = "launches kernels")]
mod transposed;
mod value_file;

pub(crate) use on_device::{slice as slice_on_device, slice_on_host, store as store_on_device};

use crate::cluster;
use crate::error::Result;
use crate::value::adopt;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Value;
use quasar_devicelib::value::array::DataRef;

/// Functions that use no elements of their arrays.
const LOOK_AT_NO_ELEMENTS: &[&str] =
    &["size", "numel", "ndims", "same_elements", "isreal", "iscomplex", "class", "flush_array"];

/// Calls a library function by its name, with `scalar` being of type `working`. `results` is the number of values
/// that the caller uses.
pub fn call(name: &str, args: &[Value], results: usize, working: ElementType) -> Result<Vec<Value>> {
    crate::calls::library(name)?;
    let _timer = crate::profile::library(name);
    if cluster::is_active() {
        // All ranks have the elements, in the order of the arguments.
        args.iter().try_for_each(|arg| gather(arg, DEPTH))?;
    }
    if !LOOK_AT_NO_ELEMENTS.contains(&name) {
        crate::store::bring(args)?;
    }
    for on_device in [product::call, transposed::call, scans::call] {
        if let Some(found) = on_device(name, args)? {
            return Ok(vec![found]);
        }
    }
    if let Some(made) = product::here(name, args)? {
        return Ok(vec![adopt(made)]);
    }
    if let Some(drawn) = random::call(name, args, working)? {
        return Ok(vec![drawn]);
    }
    // Not through the trait of hosts, whose errors know no files.
    let values = match host_services::find(name) {
        Some(function) if host_services::is_seen_outside(name) => {
            cluster::on_first(|| function(args, working), Vec::new)?
        }
        Some(function) => function(args, working)?,
        None => host_services::call(name, args, results, working)?,
    };
    if name == "load" {
        value_file::all_taken(args, values.len(), results)?;
    }
    Ok(values.into_iter().map(adopt).collect())
}

/// How deep objects and cells lie in each other, at most, whose arrays are gathered.
const DEPTH: usize = 64;

/// Brings the elements of the arrays of a value, which ranks of a cluster share, to each.
fn gather(value: &Value, depth: usize) -> Result<()> {
    let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
    match value {
        Value::Array(array) => {
            array.prepare()?;
            if array.element_type().is_some() {
                return Ok(());
            }
            let mut inside = Vec::new();
            array.read(&mut |view| {
                if let DataRef::Values(values) = view.data {
                    inside.extend(values.iter().cloned());
                }
            });
            inside.iter().try_for_each(|value| gather(value, depth))
        }
        Value::Tuple(values) => values.iter().try_for_each(|value| gather(value, depth)),
        Value::Object(object) => object.fields().iter().try_for_each(|(_, value)| gather(value, depth)),
        _ => Ok(()),
    }
}
