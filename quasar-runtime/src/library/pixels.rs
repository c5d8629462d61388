//! Numbers as pixels of image files: how deep they must be so that nothing is lost, and what a program chose to lose.

use quasar_devicelib::element::Scalar;
use quasar_devicelib::value::{ArrayElement, ArrayRef};

/// How many bits a channel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// 0 to 255.
    Eight,
    /// 0 to 65535.
    Sixteen,
}

impl Depth {
    fn most(self) -> f64 {
        match self {
            Depth::Eight => f64::from(u8::MAX),
            Depth::Sixteen => f64::from(u16::MAX),
        }
    }
}

/// The channels of all pixels of an image, row after row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pixels {
    /// 8 bits a channel.
    Eight(Vec<u8>),
    /// 16 bits a channel.
    Sixteen(Vec<u16>),
}

#[cfg_attr(not(feature = "image-files"), expect(dead_code, reason = "called by the writer of files"))]
impl Pixels {
    /// How many bits a channel has.
    pub(super) fn depth(&self) -> Depth {
        match self {
            Pixels::Eight(_) => Depth::Eight,
            Pixels::Sixteen(_) => Depth::Sixteen,
        }
    }

    /// Gray pixels as RGB.
    pub(super) fn tripled(self) -> Result<Pixels, Failure> {
        fn each<T: Copy>(gray: &[T]) -> Result<Vec<T>, Failure> {
            let mut pixels = room(gray.len().saturating_mul(3))?;
            pixels.extend(gray.iter().flat_map(|&x| [x; 3]));
            Ok(pixels)
        }
        Ok(match self {
            Pixels::Eight(gray) => Pixels::Eight(each(&gray)?),
            Pixels::Sixteen(gray) => Pixels::Sixteen(each(&gray)?),
        })
    }

    /// The bytes as encoders take them, in the order of this machine.
    pub(super) fn into_bytes(self) -> Result<Vec<u8>, Failure> {
        match self {
            Pixels::Eight(bytes) => Ok(bytes),
            Pixels::Sixteen(numbers) => {
                let mut bytes = room(numbers.len().saturating_mul(2))?;
                bytes.extend(numbers.into_iter().flat_map(u16::to_ne_bytes));
                Ok(bytes)
            }
        }
    }
}

/// Why numbers are no pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// There is no memory for so many bytes.
    Memory(usize),
    /// What would be lost.
    Loss(String),
}

fn room<T>(count: usize) -> Result<Vec<T>, Failure> {
    let mut vector = Vec::new();
    let failed = |_| Failure::Memory(count.saturating_mul(size_of::<T>()));
    vector.try_reserve_exact(count).map_err(failed)?;
    Ok(vector)
}

fn numbers<'a>(view: &'a ArrayRef<'_>) -> impl Iterator<Item = f64> + 'a {
    (0..view.data.len()).map(|i| view.data.scalar(i).map_or(0.0, |x| x.as_f64()))
}

/// The rounded numbers, with 16 bits where 8 are not enough or the elements have 16. An image from 0 to 1 is refused: in another language
/// it would be scaled, here it would be black.
pub(super) fn exact(view: &ArrayRef<'_>) -> Result<Pixels, Failure> {
    let count = view.data.len();
    if let Some(bytes) = u8::slice(view.data) {
        let mut pixels = room(count)?;
        pixels.extend_from_slice(bytes);
        return Ok(Pixels::Eight(pixels));
    }
    if let Some(wide) = u16::slice(view.data) {
        let mut pixels = room(count)?;
        pixels.extend_from_slice(wide);
        return Ok(Pixels::Sixteen(pixels));
    }
    let single = f32::slice(view.data);
    let bounds = match single {
        Some(single) => bounds(single.iter().map(|&x| f64::from(x))),
        None => bounds(numbers(view)),
    };
    let Some((low, high)) = bounds else {
        return Err(Failure::Loss(loss("the image holds NaN or infinite values")));
    };
    if low.round() < 0.0 || high.round() > Depth::Sixteen.most() {
        return Err(Failure::Loss(loss(&format!(
            "the values go from {} to {}, but pixels from 0 to 65535",
            low as f32, high as f32
        ))));
    }
    if high <= 1.0 && numbers(view).any(|x| x.fract() != 0.0) {
        return Err(Failure::Loss(
            "the values go from 0 to 1, of which rounding to 0 and 1 would leave next to nothing; give what is white: \
             imwrite(file, img, [0,1]), or imwrite(file, img, [0,1], 16) for 16 bits; in a tif file imwrite(file, img, \
             \"float\") keeps them as they are"
                .to_owned(),
        ));
    }
    if high.round() > Depth::Eight.most() {
        let mut pixels = room(count)?;
        pixels.extend(numbers(view).map(|x| x.round() as u16));
        return Ok(Pixels::Sixteen(pixels));
    }
    let mut pixels = room(count)?;
    match single {
        Some(single) => pixels.extend(single.iter().map(|x| x.round() as u8)),
        None => pixels.extend(numbers(view).map(|x| x.round() as u8)),
    }
    Ok(Pixels::Eight(pixels))
}

fn loss(what: &str) -> String {
    format!("{what}; to cut them off, give the range that shall be kept: imwrite(file, img, [0,255])")
}

/// The smallest and the largest; none if one is not finite.
fn bounds(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut found = (f64::INFINITY, f64::NEG_INFINITY);
    let mut finite = true;
    for x in numbers {
        finite &= x.is_finite();
        found = (found.0.min(x), found.1.max(x));
    }
    // Of nothing, which the writer refuses.
    if found.0 > found.1 && finite {
        return Some((0.0, 0.0));
    }
    finite.then_some(found)
}

/// The numbers as floats of 32 bits, which must hold whole numbers exactly and the size of the others.
pub(super) fn floats(view: &ArrayRef<'_>) -> Result<Vec<f32>, Failure> {
    const EXACT: u64 = 1 << f32::MANTISSA_DIGITS;
    let mut pixels = room(view.data.len())?;
    if let Some(single) = f32::slice(view.data) {
        pixels.extend_from_slice(single);
        return Ok(pixels);
    }
    for i in 0..view.data.len() {
        let x = view.data.scalar(i).unwrap_or(Scalar::F32(0.0));
        let near = x.as_f64() as f32;
        let kept = match x {
            Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) => near.is_finite() || !x.as_f64().is_finite(),
            Scalar::U64(x) => (x >> x.trailing_zeros().min(63)) < EXACT,
            other => {
                let size = other.as_i64().unsigned_abs();
                (size >> size.trailing_zeros().min(63)) < EXACT
            }
        };
        if !kept {
            return Err(Failure::Loss(format!("floats of 32 bits do not hold the value {}", Shown(x))));
        }
        pixels.push(near);
    }
    Ok(pixels)
}

/// A number with all of its digits.
struct Shown(Scalar);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Scalar::U64(x) => x.fmt(f),
            Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) => write!(f, "{:e}", self.0.as_f64()),
            other => other.as_i64().fmt(f),
        }
    }
}

/// The numbers of a range from black to white, what lies outside cut off; NaN becomes black.
pub(super) fn in_range(
    view: &ArrayRef<'_>,
    (low, high): (f64, f64),
    depth: Depth,
) -> Result<Pixels, Failure> {
    let scale = depth.most() / (high - low);
    let scaled = numbers(view).map(|x| ((x - low) * scale).round());
    let count = view.data.len();
    Ok(match depth {
        Depth::Eight => {
            let mut pixels = room(count)?;
            pixels.extend(scaled.map(|x| x as u8));
            Pixels::Eight(pixels)
        }
        Depth::Sixteen => {
            let mut pixels = room(count)?;
            pixels.extend(scaled.map(|x| x as u16));
            Pixels::Sixteen(pixels)
        }
    })
}
