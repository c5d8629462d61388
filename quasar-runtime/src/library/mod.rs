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
mod table_file;
mod text_file;
#[allow(unsafe_code, reason = "launches kernels")]
mod transposed;
mod value_file;

pub(crate) use on_device::slice as slice_on_device;

use crate::error::Result;
use crate::value::adopt;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Value;

/// Calls a library function by its name, with `scalar` being of type `working`. `results` is the number of values
/// that the caller uses.
pub fn call(name: &str, args: &[Value], results: usize, working: ElementType) -> Result<Vec<Value>> {
    let _timer = crate::profile::library(name);
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
        Some(function) => function(args, working)?,
        None => host_services::call(name, args, results, working)?,
    };
    Ok(values.into_iter().map(adopt).collect())
}
