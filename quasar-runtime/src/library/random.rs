//! Random arrays made on the active device, where that is worth it: the same numbers as on the processor, where they are
//! used. Nothing is moved.

use super::host_services::with_host;
use crate::array::Array;
use crate::array::coherence::Access;
use crate::device::{Device, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::MissedGain;
use crate::kernel::offload::libraries::{Call, Helper};
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::library::random::{Distribution, Draw, OPERATIONS};
use quasar_devicelib::value::{ArrayElement, Value};
use std::sync::Arc;

/// Each thread makes every so-many-th number.
const TEXT: &str = r#"
Q_KERNEL void random_$n(Q_GLOBAL $t *x, q_u64 count, q_u64 seed, q_u64 first, q_u32 limit) {
    q_u64 step = (q_u64)Q_GRID_DIM(0) * (q_u64)Q_BLOCK_DIM(0);
    for (q_u64 i = (q_u64)Q_BLOCK(0) * (q_u64)Q_BLOCK_DIM(0) + (q_u64)Q_THREAD(0); i < count; i += step) {
        x[i] = $call;
    }
}
"#;

fn text(name: &str, element: &str, call: &str) -> String {
    TEXT.replace("$n", name).replace("$t", element).replace("$call", call)
}

fn float(name: &str, suffix: &str) -> String {
    let call = format!("q_{name}_{suffix}(seed, first + i)");
    text(&format!("{name}_{suffix}"), &format!("q_{suffix}"), &call)
}

static UNIFORM_SINGLE: Helper = Helper::new("random_uniform_f32", || float("uniform", "f32"));
static UNIFORM_DOUBLE: Helper = Helper::new("random_uniform_f64", || float("uniform", "f64"));
static NORMAL_SINGLE: Helper = Helper::new("random_normal_f32", || float("normal", "f32"));
static NORMAL_DOUBLE: Helper = Helper::new("random_normal_f64", || float("normal", "f64"));
static INTEGER: Helper =
    Helper::new("random_below", || text("below", "q_i32", "(q_i32)q_random_below(seed, first + i, limit)"));
static MISSED: MissedGain = MissedGain::new();

/// Operations for a number of the normal distribution.
const OPERATIONS_OF_NORMAL: u64 = 96;
/// Blocks of the kernels for each processor of a device.
const BLOCKS: u32 = 16;

/// The random array, if that is what is called and the active device should make it.
pub(super) fn call(name: &str, args: &[Value], working: ElementType) -> Result<Option<Value>> {
    // What is wrong with the arguments is said where the processor draws.
    let Some(Ok(draw)) = with_host(working, |host| Draw::of(name, args, host)) else { return Ok(None) };
    let made = match (draw.distribution, draw.ty) {
        (Distribution::Uniform, ElementType::Single) => typed::<f32>(&draw, &UNIFORM_SINGLE),
        (Distribution::Uniform, ElementType::Double) => typed::<f64>(&draw, &UNIFORM_DOUBLE),
        (Distribution::Normal, ElementType::Single) => typed::<f32>(&draw, &NORMAL_SINGLE),
        (Distribution::Normal, ElementType::Double) => typed::<f64>(&draw, &NORMAL_DOUBLE),
        (Distribution::Below(_), _) => typed::<i32>(&draw, &INTEGER),
        _ => Ok(None),
    }?;
    if made.is_some() {
        with_host(working, |host| draw.done(host));
    }
    Ok(made)
}

fn typed<T: ArrayElement>(draw: &Draw, helper: &'static Helper) -> Result<Option<Value>> {
    let Some(dims) = &draw.dims else { return Ok(None) };
    let normal = draw.distribution == Distribution::Normal;
    let call = Call {
        library: None,
        helpers: &[helper],
        work: (draw.count as u64).saturating_mul(if normal {
            OPERATIONS_OF_NORMAL
        } else {
            OPERATIONS as u64
        }),
        parallel: false,
        inputs: &[],
        missed: &MISSED,
    };
    call.offload(|device| make::<T>(device, helper, draw, dims))
}

fn make<T: ArrayElement>(
    device: &Arc<dyn Device>,
    helper: &Helper,
    draw: &Draw,
    dims: &[usize],
) -> Result<Value> {
    let result = Array::<T>::uninit(dims)?;
    let to = result.on_device(device, Access::Overwrite)?;
    let numbers = [draw.count as u64, draw.seed, draw.first].map(u64::to_ne_bytes);
    let limit = match draw.distribution {
        Distribution::Below(limit) => limit,
        Distribution::Uniform | Distribution::Normal => 0,
    };
    let limit = limit.to_ne_bytes();
    let mut args = vec![LaunchArg::Memory(&to)];
    args.extend(numbers.iter().map(|number| LaunchArg::Bytes(number)));
    args.push(LaunchArg::Bytes(&limit));
    let limits = device.limits();
    let most = limits.multiprocessors.max(1).saturating_mul(BLOCKS).min(limits.max_grid[0]);
    let blocks = u32::try_from(draw.count.div_ceil(256)).unwrap_or(u32::MAX).min(most);
    // SAFETY: the kernel stays below `count`, which is the number of elements of the memory, of the type that the kernel's
    // elements have; the arguments are those of its parameters.
    unsafe { helper.launch(device, [blocks, 1], &args)? };
    drop(to);
    Ok(result.to_value())
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_compile_for_cuda() {
        for helper in [&UNIFORM_SINGLE, &UNIFORM_DOUBLE, &NORMAL_SINGLE, &NORMAL_DOUBLE, &INTEGER] {
            assert_eq!(helper.compiles_for_cuda(), Ok(()));
        }
    }
}
