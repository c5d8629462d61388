//! Fourier transforms by a library of the active device, with the meaning that they have on the processor.
//!
//! The library knows real numbers and the first half of their spectrum, programs only whole spectra. So halves are
//! completed after a transform, and before one back to real numbers a spectrum is reduced to the half of its part that
//! belongs to real numbers, which is what the real part of the result depends on.

use super::fft::{Direction, Precision};
use crate::array::coherence::Access;
use crate::array::{Array, Scratch};
use crate::device::accel_libraries::{Elements, Library, Transform};
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::libraries::{Call, Helper};
use crate::kernel::offload::{Arg, MissedGain};
use num_complex::Complex;
use quasar_devicelib::value::{ArrayElement, Value};
use std::ops::Range;
use std::sync::Arc;

/// What is done to spectra besides; `$t` is `f32` or `f64`, `$c` the complex type.
///
/// An array of half spectra has `lines` of `n / 2 + 1` times `inner` elements, one of whole spectra has as many of `n` times
/// `inner`. The element at the negated frequencies lies in another line, `mirrored` one by one of two extents.
const TEXT: &str = r#"
Q_KERNEL void ft_scale_$t(Q_GLOBAL $c *x, q_u32 count, q_$t factor) {
    q_u32 step = (q_u32)Q_GRID_DIM(0) * (q_u32)Q_BLOCK_DIM(0);
    q_u32 i = (q_u32)Q_BLOCK(0) * (q_u32)Q_BLOCK_DIM(0) + (q_u32)Q_THREAD(0);
    for (; i < count; i += step) {
        $c z = x[i];
        z.re *= factor;
        z.im *= factor;
        x[i] = z;
    }
}

Q_FN q_u32 ft_mirrored_$t(q_u32 line, q_u32 e0, q_u32 e1) {
    q_u32 rest = line / e1, c = line - rest * e1;
    q_u32 array = rest / e0, b = rest - array * e0;
    return (array * e0 + (b == 0u ? 0u : e0 - b)) * e1 + (c == 0u ? 0u : e1 - c);
}

Q_KERNEL void ft_complete_$t(Q_GLOBAL const $c *part, Q_GLOBAL $c *whole, q_u32 lines, q_u32 e0, q_u32 e1, q_u32 n,
                             q_u32 inner, q_$t factor, q_$t sign) {
    q_u32 short_line = (n / 2u + 1u) * inner, line_length = n * inner;
    q_u32 step = (q_u32)Q_GRID_DIM(0) * (q_u32)Q_BLOCK_DIM(0);
    q_u32 first = (q_u32)Q_BLOCK(0) * (q_u32)Q_BLOCK_DIM(0) + (q_u32)Q_THREAD(0);
    for (q_u32 line = (q_u32)Q_BLOCK(1); line < lines; line += (q_u32)Q_GRID_DIM(1)) {
        q_u32 mirrored = ft_mirrored_$t(line, e0, e1);
        for (q_u32 k = first; k < line_length; k += step) {
            q_$t flip = sign;
            q_u32 place = line * short_line + k;
            if (k >= short_line) {
                q_u32 j = k / inner;
                place = mirrored * short_line + (n - j) * inner + (k - j * inner);
                flip = -sign;
            }
            $c z = part[place];
            z.re *= factor;
            z.im *= factor * flip;
            whole[line * line_length + k] = z;
        }
    }
}

Q_KERNEL void ft_reduce_$t(Q_GLOBAL const $c *whole, Q_GLOBAL $c *part, q_u32 lines, q_u32 e0, q_u32 e1, q_u32 n,
                           q_u32 inner, q_$t factor) {
    q_u32 short_line = (n / 2u + 1u) * inner, line_length = n * inner;
    q_u32 step = (q_u32)Q_GRID_DIM(0) * (q_u32)Q_BLOCK_DIM(0);
    q_u32 first = (q_u32)Q_BLOCK(0) * (q_u32)Q_BLOCK_DIM(0) + (q_u32)Q_THREAD(0);
    for (q_u32 line = (q_u32)Q_BLOCK(1); line < lines; line += (q_u32)Q_GRID_DIM(1)) {
        q_u32 mirrored = ft_mirrored_$t(line, e0, e1);
        for (q_u32 k = first; k < short_line; k += step) {
            q_u32 j = k / inner, i = k - j * inner;
            $c z = whole[line * line_length + k];
            $c m = whole[mirrored * line_length + (j == 0u ? 0u : n - j) * inner + i];
            z.re = (z.re + m.re) * factor;
            z.im = (z.im - m.im) * factor;
            part[line * short_line + k] = z;
        }
    }
}
"#;

/// Kernels in single and double precision.
type Helpers = [Helper; 2];

static SCALE: Helpers = [Helper::new("ft_scale_f32", text::<f32>), Helper::new("ft_scale_f64", text::<f64>)];
static COMPLETE: Helpers =
    [Helper::new("ft_complete_f32", text::<f32>), Helper::new("ft_complete_f64", text::<f64>)];
static REDUCE: Helpers =
    [Helper::new("ft_reduce_f32", text::<f32>), Helper::new("ft_reduce_f64", text::<f64>)];
static MISSED: MissedGain = MissedGain::new();

/// Transforms an array on the active device. `None`: the processor should do it. The axes are those of a rank; `real`: only
/// the real part of the result is wanted.
pub(super) fn call<T: Precision>(
    arg: &Value,
    axes: impl Fn(usize) -> Range<usize>,
    direction: Direction,
    real: bool,
) -> Result<Option<Value>>
where
    Complex<T>: ArrayElement,
{
    let task = |dims: &[usize], elements| Task::<T>::new(dims, axes(dims.len()), elements, direction);
    if let Some(source) = Array::<T>::named_by(arg).filter(|_| !real)
        && let Some(task) = task(source.dims(), Elements::RealToHalf)
    {
        return task.offload(&source, |device| task.real_to_whole(device, &source));
    }
    let Some(source) = Array::<Complex<T>>::named_by(arg) else { return Ok(None) };
    if real && let Some(task) = task(source.dims(), Elements::HalfToReal) {
        return task.offload(&source, |device| task.whole_to_real(device, &source));
    }
    match task(source.dims(), Elements::Complex) {
        Some(task) if !real => task.offload(&source, |device| task.complex(device, &source)),
        _ => Ok(None),
    }
}

/// A transform of an array.
struct Task<T> {
    transform: Transform,
    direction: Direction,
    /// By what results are multiplied.
    factor: T,
}

impl<T: Precision> Task<T>
where
    Complex<T>: ArrayElement,
{
    fn new(dims: &[usize], axes: Range<usize>, elements: Elements, direction: Direction) -> Option<Task<T>> {
        let count = |range: Range<usize>| dims.get(range)?.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        let (outer, inner) = (count(0..axes.start)?, count(axes.end..dims.len())?);
        let transform = Transform::new(elements, size_of::<T>() == 8, outer, dims.get(axes)?, inner)?;
        let factor = match direction {
            Direction::Forward => 1.0,
            Direction::Inverse => 1.0 / transform.points() as f64,
        };
        Some(Task { transform, direction, factor: T::rounded(factor) })
    }

    fn offload<S: ArrayElement>(
        &self,
        source: &Array<S>,
        run: impl FnOnce(&Arc<dyn Device>) -> Result<Value>,
    ) -> Result<Option<Value>> {
        let helper = match (self.transform.elements(), self.direction) {
            (Elements::Complex, Direction::Forward) => None,
            (Elements::Complex, Direction::Inverse) => Some(self.in_precision(&SCALE)),
            (Elements::RealToHalf, _) => Some(self.in_precision(&COMPLETE)),
            (Elements::HalfToReal, _) => Some(self.in_precision(&REDUCE)),
        };
        let call = Call {
            library: Some(Library::Fourier),
            helpers: helper.as_slice(),
            work: self.transform.operations(),
            parallel: true,
            inputs: &[Arg::Read(source)],
            missed: &MISSED,
        };
        call.offload(run)
    }

    fn in_precision(&self, [single, double]: &'static Helpers) -> &'static Helper {
        if self.transform.double() { double } else { single }
    }

    fn complex(&self, device: &Arc<dyn Device>, source: &Array<Complex<T>>) -> Result<Value> {
        let result = Array::<Complex<T>>::uninit(source.dims())?;
        let from = source.on_device(device, Access::Read)?;
        let to = result.on_device(device, Access::Overwrite)?;
        self.run(device, self.direction, &from, &to)?;
        if self.direction == Direction::Inverse {
            let count = number(source.len());
            let factor = self.factor.memory();
            let args = [LaunchArg::Memory(&to), LaunchArg::Bytes(&count), LaunchArg::Bytes(factor.as_ref())];
            let blocks = blocks(&**device, source.len());
            // SAFETY: the kernel changes the elements below `count`, which is the number of elements of its argument; the
            // arguments are those of its parameters.
            unsafe { self.in_precision(&SCALE).launch(device, [blocks, 1], &args)? };
        }
        drop((from, to));
        Ok(result.to_value())
    }

    fn real_to_whole(&self, device: &Arc<dyn Device>, source: &Array<T>) -> Result<Value> {
        let result = Array::<Complex<T>>::uninit(source.dims())?;
        let from = source.on_device(device, Access::Read)?;
        let to = result.on_device(device, Access::Overwrite)?;
        let half = Scratch::new(&**device, self.transform.half_bytes())?;
        self.run(device, Direction::Forward, &from, half.memory())?;
        // The inverse of real numbers is the conjugate of the spectrum, scaled.
        let sign = T::rounded(if self.direction == Direction::Inverse { -1.0 } else { 1.0 });
        let (sign, length) = (sign.memory(), self.transform.last());
        self.launch(device, &COMPLETE, [half.memory(), &to], length, Some(sign.as_ref()))?;
        drop((from, to));
        Ok(result.to_value())
    }

    fn whole_to_real(&self, device: &Arc<dyn Device>, source: &Array<Complex<T>>) -> Result<Value> {
        let result = Array::<T>::uninit(source.dims())?;
        let from = source.on_device(device, Access::Read)?;
        let to = result.on_device(device, Access::Overwrite)?;
        let half = Scratch::new(&**device, self.transform.half_bytes())?;
        let task = Task {
            transform: self.transform,
            direction: self.direction,
            factor: self.factor * T::rounded(0.5),
        };
        task.launch(device, &REDUCE, [&from, half.memory()], self.transform.half(), None)?;
        self.run(device, Direction::Inverse, half.memory(), &to)?;
        drop((from, to));
        Ok(result.to_value())
    }

    /// The transform itself.
    fn run(
        &self,
        device: &Arc<dyn Device>,
        direction: Direction,
        from: &DeviceMemory,
        to: &DeviceMemory,
    ) -> Result<()> {
        let work = Scratch::new(&**device, device.plan(&self.transform)?)?;
        device.transform(&self.transform, direction, [from, to, work.memory()])
    }

    /// Completes or reduces spectra, from lines to lines of which the second have so many elements, times `inner`.
    fn launch(
        &self,
        device: &Arc<dyn Device>,
        helpers: &'static Helpers,
        [from, to]: [&DeviceMemory; 2],
        length: usize,
        last: Option<&[u8]>,
    ) -> Result<()> {
        let transform = &self.transform;
        let [first, second] = match transform.extents() {
            [first, second, _] => [*first, *second],
            [second, _] => [1, *second],
            _ => [1, 1],
        };
        let numbers = [transform.lines(), first, second, transform.last(), transform.inner()].map(number);
        let factor = self.factor.memory();
        let mut args = vec![LaunchArg::Input(from), LaunchArg::Memory(to)];
        args.extend(numbers.iter().map(|number| LaunchArg::Bytes(number)));
        args.extend([factor.as_ref()].into_iter().chain(last).map(LaunchArg::Bytes));
        let across = blocks(&**device, length * transform.inner());
        let down = u32::try_from(transform.lines()).unwrap_or(u32::MAX).min(device.limits().max_grid[1]);
        // SAFETY: the kernels visit `lines` of both memories, of `last` and of `last / 2 + 1` times `inner` elements, which
        // is what the memories have, as the transform checks. The arguments are those of their parameters.
        unsafe { self.in_precision(helpers).launch(device, [across, down], &args) }
    }
}

/// Blocks of 256 threads for so many elements; more elements than threads go around.
fn blocks(device: &dyn Device, elements: usize) -> u32 {
    let most = device.limits().multiprocessors.max(1) * 16;
    u32::try_from(elements.div_ceil(256)).unwrap_or(u32::MAX).min(most).max(1)
}

fn number(n: usize) -> [u8; 4] {
    u32::try_from(n).unwrap_or(u32::MAX).to_ne_bytes()
}

fn text<T: Precision>() -> String {
    let [real, complex] = if size_of::<T>() == 8 { ["f64", "q_c64"] } else { ["f32", "q_c32"] };
    TEXT.replace("$t", real).replace("$c", complex)
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use crate::device::Dialect;
    use crate::device::cuda::nvrtc;
    use quasar_devicelib::device_text::compose;

    #[test]
    fn the_kernels_compile_for_cuda() {
        let compiler = match nvrtc() {
            Ok(compiler) => compiler,
            Err(reason) => return println!("not tested: {reason}"),
        };
        for text in [text::<f32>(), text::<f64>()] {
            let text = compose(Dialect::Cuda, &text);
            compiler.compile("transforms", &text, &[], 90).unwrap();
        }
    }
}
