//! Array functions on the active device: what the device library describes as [`Work`], by kernels of our own.
//!
//! Types, shapes and errors are found there; here are decisions and launches. Kernels are made for the types that a program
//! uses, and nothing waits but `x[condition]` and `unique`, whose sizes are counts.

mod counts;
mod lines;
mod places;
mod products;
mod radix;
mod reductions;
mod selection;
mod sorted;

use crate::array::coherence::Access as Use;
use crate::array::{Array, DeviceGuard, hold, hold_list};
use crate::device::{Device, LaunchArg, select};
use crate::error::{Error, Result};
use crate::kernel::offload::libraries::{Call, Helper, is_on_host};
use crate::kernel::offload::{Arg, Bytes, DeviceArray, MissedGain};
use crate::threads::Threads;
use crate::value::uninit;
use half::f16;
use num_complex::Complex;
use quasar_devicelib::device_text::suffix;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::convert::convert_scalar;
use quasar_devicelib::value::index::{Access, Index};
use quasar_devicelib::value::offload::Work;
use quasar_devicelib::value::slice::Slice;
use quasar_devicelib::value::{Value, array, shape};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

static MISSED: MissedGain = MissedGain::new();

/// Does the work on the active device, if that is worth it.
pub(super) fn work(work: &Work<'_>) -> Result<Option<Value>> {
    if !select::possible() || is_small(work) {
        return Ok(None);
    }
    match *work {
        Work::Reduced { source, reduction, along, computing, result, dims } => {
            reductions::reduced(source, reduction, along, [computing, result], dims)
        }
        Work::Rearranged { source, first, dims, axes } => places::rearranged(source, first, dims, axes),
        Work::Joined { parts, result, outer, dims } => places::joined(parts, result, outer, dims),
        Work::Selected { source, condition } => selection::selected(source, condition),
        Work::Found { condition, dims } => selection::found(condition, dims),
        Work::Sorted { source, along, places } => sorted::sorted(source, along, places),
        Work::Distinct { source } => selection::distinct(source),
        Work::Counted { source, bins } => counts::counted_in(source, bins),
        Work::Dot { factors, computing } => products::dot(factors, computing),
        Work::Norm { source, squares, scaled } => products::norm(source, squares, scaled),
        Work::Kronecker { factors, extents, result } => products::kronecker(factors, extents, result),
    }
}

/// Results and arrays of the host with fewer elements are not worth a launch, whatever is done with them.
const SMALL: usize = 1024;

/// Whether no kernel needs to be looked for.
fn is_small(work: &Work<'_>) -> bool {
    let (sources, dims): (&[&Value], &[usize]) = match work {
        Work::Rearranged { source, dims, .. } => (&[source], dims),
        Work::Joined { dims, .. } if dims.iter().product::<usize>() >= SMALL => return false,
        Work::Joined { parts, .. } => return parts.iter().all(is_small_on_host),
        Work::Kronecker { extents: [[m, n], [p, q]], .. } if m * n * p * q >= SMALL => return false,
        Work::Kronecker { factors, .. } => (factors, &[]),
        Work::Reduced { source, .. }
        | Work::Norm { source, .. }
        | Work::Sorted { source, .. }
        | Work::Distinct { source }
        | Work::Counted { source, .. } => (&[source], &[]),
        Work::Selected { source, condition } => (&[source, condition], &[]),
        Work::Found { condition, .. } => (&[condition], &[]),
        Work::Dot { factors, .. } => (factors, &[]),
    };
    (dims.is_empty() || dims.iter().product::<usize>() < SMALL)
        && sources.iter().copied().all(is_small_on_host)
}

/// Whether there are few elements, which need not be copied to the host.
fn is_small_on_host(value: &Value) -> bool {
    named(value)
        .is_none_or(|array| array.dims().iter().product::<usize>() < SMALL && is_on_host(&Arg::Read(&*array)))
}

/// A slice whose positions lie evenly, if the active device should take it.
pub(crate) fn slice(array: &Value, indices: &[Index], access: Access<'_>) -> Result<Option<Value>> {
    if !select::possible() || is_small_on_host(array) {
        return Ok(None);
    }
    let Some(slice) = Slice::new(&array.dims(), indices, access) else { return Ok(None) };
    let sliced = places::rearranged(array, slice.first, &slice.dims, &slice.axes)?;
    let is_mask = array.as_array().is_some_and(|array| array.is_mask());
    Ok(sliced.map(|sliced| if is_mask { sliced.into_mask() } else { sliced }))
}

/// `array[indices] = value` of a slice whose positions lie evenly, if the active device should do it: a number, or elements of the
/// type of the array.
pub(crate) fn store(array: &Value, indices: &[Index], value: &Value, access: Access<'_>) -> Result<bool> {
    if !select::possible() || is_small_on_host(array) {
        return Ok(false);
    }
    let Some(target) = named(array).filter(|_| array.as_array().is_some_and(|array| !array.is_mask())) else {
        return Ok(false);
    };
    let Some(slice) = Slice::written(target.dims(), indices, access) else { return Ok(false) };
    let element = target.element_type();
    if let Some(x) = value.as_scalar() {
        let bytes = Bytes::from(convert_scalar(x, element, access.overflow)?);
        return places::stored(&*target, &slice, &places::Stored::Element(bytes.as_slice()));
    }
    let (Some(source), Some(same)) = (named(value), shares_storage(array, value)) else { return Ok(false) };
    let fits = source.element_type() == element && shape::assignable(&slice.dims, source.dims());
    if same || !fits || value.as_array().is_some_and(|array| array.is_mask()) {
        return Ok(false);
    }
    places::stored(&*target, &slice, &places::Stored::Array(&*source))
}

/// Whether two arrays are one.
fn shares_storage(a: &Value, b: &Value) -> Option<bool> {
    Some(a.as_array()?.storage() == b.as_array()?.storage())
}

/// A slice whose positions lie evenly, copied by several threads; nothing for few elements, and those of no type.
pub(crate) fn slice_on_host(array: &Value, indices: &[Index], access: Access<'_>) -> Result<Option<Value>> {
    // Short slices in loops of the host are looked at once only.
    if !may_be_long(&array.dims(), indices) {
        return Ok(None);
    }
    let Some(element) = array.element_type().filter(|_| named(array).is_some()) else { return Ok(None) };
    let Some(slice) = Slice::new(&array.dims(), indices, access).filter(|slice| slice.count() >= SHARED)
    else {
        return Ok(None);
    };
    let (value, mut copied) = (uninit(element, &slice.dims)?, false);
    if let (Some(source), Some(target)) = (array.as_array(), value.as_array()) {
        array::read(source, |from| {
            array::write(target, |to| copied = slice.copy(&Threads, from.data, to.data));
        });
    }
    let is_mask = array.as_array().is_some_and(|array| array.is_mask());
    Ok(copied.then(|| if is_mask { value.into_mask() } else { value }))
}

/// Whether indices may select as many elements as threads share.
fn may_be_long(dims: &[usize], indices: &[Index]) -> bool {
    let mut most = dims.iter().skip(indices.len()).product::<usize>();
    for (k, index) in indices.iter().enumerate() {
        most = most.saturating_mul(match index {
            Index::At(_) => 1,
            Index::Range { count, .. } => *count,
            Index::All => dims.get(k).copied().unwrap_or(1),
            Index::List(_) | Index::Position(_) | Index::Mask { .. } => return false,
        });
    }
    most >= SHARED
}

/// Elements of a slice that threads share.
const SHARED: usize = 1 << 16;

/// The array of ours that a value names.
fn named(value: &Value) -> Option<Box<dyn DeviceArray>> {
    macro_rules! typed {
        ($($element:ident $rust:ty),*) => {
            match value.element_type()? {
                $(ElementType::$element => Box::new(Array::<$rust>::named_by(value)?),)*
            }
        };
    }
    Some(typed!(
        Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64, Half f16, Single f32,
        Double f64, ComplexSingle Complex<f32>, ComplexDouble Complex<f64>
    ))
}

/// The number of elements; nothing for empty arrays, and for those whose elements kernels cannot count in 32 bits.
fn counted(dims: &[usize]) -> Option<usize> {
    let count = dims.iter().try_fold(1_usize, |count, &n| count.checked_mul(n))?;
    (count > 0 && i32::try_from(count).is_ok()).then_some(count)
}

/// A call that reads arrays.
fn call<'a>(inputs: &'a [Arg<'a>], helpers: &'a [&'a Helper], work: usize) -> Call<'a> {
    Call { library: None, helpers, work: work as u64, parallel: true, inputs, missed: &MISSED }
}

/// Makes arrays valid on a device, to be read.
fn reading<'a, const N: usize>(
    device: &Arc<dyn Device>,
    arrays: [&'a dyn DeviceArray; N],
) -> Result<[DeviceGuard<'a>; N]> {
    let all = reading_all(device, &arrays)?;
    all.try_into().map_err(|_| Error::system("an access did not begin"))
}

/// The same for any number of arrays.
fn reading_all<'a>(device: &Arc<dyn Device>, arrays: &[&'a dyn DeviceArray]) -> Result<Vec<DeviceGuard<'a>>> {
    let wanted: Vec<_> = arrays.iter().map(|array| array.wanted(Use::Read)).collect();
    let held = hold_list(&wanted)?;
    arrays.iter().zip(held).map(|(array, held)| array.on_device(device, Use::Read, held)).collect()
}

/// Makes a new array available on a device, to be written as a whole.
fn writing<'a>(device: &Arc<dyn Device>, array: &'a dyn DeviceArray) -> Result<DeviceGuard<'a>> {
    let [held] = hold([array.wanted(Use::Overwrite)])?;
    array.on_device(device, Use::Overwrite, held)
}

/// Adds up `through` of all 256 threads of a block: `through` becomes the sum up to the own thread, and all sums are in `totals`.
const RUNNING_TOTALS: &str = "\
totals[thread] = through;
        Q_BARRIER();
        for (q_u32 step = 1u; step < 256u; step *= 2u) {
            if (thread >= step) through += totals[thread - step];
            Q_BARRIER();
            totals[thread] = through;
            Q_BARRIER();
        }";

/// The kernel of a name, whose text is made when it is used first. There are as many as there are operations and types.
fn kernel(name: String, text: impl FnOnce(&str) -> String) -> &'static Helper {
    static MADE: Mutex<Option<HashMap<String, &'static Helper>>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let made = made.get_or_insert_default();
    if let Some(helper) = made.get(&name) {
        return helper;
    }
    let text = text(&name);
    let helper: &'static Helper = Box::leak(Box::new(Helper::made(name.clone().leak(), text)));
    made.insert(name, helper);
    helper
}

/// An expression of type `to` for one of type `from`.
fn converted(expression: &str, from: ElementType, to: ElementType) -> String {
    match from == to {
        true => expression.to_owned(),
        false => format!("q_to_{}_from_{}({expression})", suffix(to), suffix(from)),
    }
}

/// The unsigned type of elements of so many bytes; single components for pairs of doubles.
fn moved_as(ty: ElementType) -> &'static str {
    match ty.size() {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "c64",
    }
}

/// Numbers of 32 bits as arguments.
struct Numbers(Vec<[u8; 4]>);

impl Numbers {
    fn new(numbers: impl IntoIterator<Item = usize>) -> Numbers {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_ne_bytes();
        Numbers(numbers.into_iter().map(number).collect())
    }

    fn args(&self) -> impl Iterator<Item = LaunchArg<'_>> {
        self.0.iter().map(|number| LaunchArg::Bytes(number))
    }
}

/// So many blocks, or as many as a grid may have in a direction; blocks then take turns.
fn blocks(device: &Arc<dyn Device>, direction: usize, wanted: usize) -> u32 {
    let most = device.limits().max_grid.get(direction).copied().unwrap_or(1);
    u32::try_from(wanted).unwrap_or(u32::MAX).min(most).max(1)
}

/// Blocks of 256 threads for so many elements, few enough that each thread has several where there are many.
fn blocks_for(device: &Arc<dyn Device>, elements: usize) -> u32 {
    let most = device.limits().multiprocessors.max(1) as usize * 32;
    blocks(device, 0, elements.div_ceil(256).min(most))
}
