//! Image files: PNG, JPEG, TIFF, BMP, PGM and PPM.

use crate::array::Array;
use crate::error::{Error, Place, Result};
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{ArrayRef, Value, ValueError, array};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Which channels a program wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channels {
    /// Those of the file: `mat` for gray, `cube(:,:,3)` for RGB, `cube(:,:,4)` with transparency.
    #[default]
    AsStored,
    /// `cube(:,:,3)`.
    Rgb,
    /// `mat`, the luminance of a colour image.
    Gray,
}

/// The file formats by extension.
#[cfg(feature = "image")]
const EXTENSIONS: &str = "png, jpg, jpeg, tif, tiff, bmp, pgm, ppm";

fn image_error(function: &'static str, path: &Path, message: impl ToString) -> Error {
    Error::ImageFile {
        place: Place::UNKNOWN,
        function,
        path: path.to_path_buf(),
        message: message.to_string(),
    }
}

/// `imread(file[, "rgb"|"gray"])`.
pub(super) fn imread(args: &[Value], working: ElementType) -> Result<Vec<Value>> {
    let (file, channels) = match args {
        [file] => (file, Channels::AsStored),
        [file, mode] => match mode.as_text() {
            Some("rgb") => (file, Channels::Rgb),
            Some("gray") => (file, Channels::Gray),
            _ => {
                return Err(Error::argument(format!(
                    "imread: argument 2 must be \"rgb\" or \"gray\", found {}",
                    described(mode)
                )));
            }
        },
        _ => return Err(ValueError::argument_count("imread", "1 to 2", args.len()).into()),
    };
    let Some(path) = file.as_text() else {
        return Err(ValueError::wrong_argument("imread", 0, "a file name", &file.kind()).into());
    };
    let image = read(Path::new(path), channels)?;
    if working != ElementType::Double {
        return Ok(vec![image.to_value()]);
    }
    let wide = image.try_read()?.iter().map(|&x| f64::from(x)).collect();
    Ok(vec![Array::from_vec(image.dims(), wide)?.to_value()])
}

fn described(value: &Value) -> String {
    value.as_text().map_or_else(|| value.kind(), |text| format!("\"{text}\""))
}

/// `imwrite(file, img[, range])`, or the image first.
pub(super) fn imwrite(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let (first, second, range) = match args {
        [first, second] => (first, second, None),
        [first, second, range] => (first, second, Some(range)),
        _ => return Err(ValueError::argument_count("imwrite", "2 to 3", args.len()).into()),
    };
    let (path, image, position) = match (first.as_text(), second.as_text()) {
        (Some(path), _) => (path, second, 1),
        (None, Some(path)) => (path, first, 0),
        (None, None) => {
            return Err(ValueError::wrong_argument("imwrite", 0, "a file name", &first.kind()).into());
        }
    };
    let object = match image {
        Value::Array(object) if object.element_type().is_some_and(|ty| !ty.is_complex()) => object,
        other => {
            return Err(ValueError::wrong_argument("imwrite", position, "an image", &other.kind()).into());
        }
    };
    let path = Path::new(path);
    let (dims, bytes) = array::read(&**object, |view| {
        let range = range.map(|range| chosen_range(range, &view)).transpose()?;
        Ok::<_, Error>((view.dims.to_vec(), to_bytes(&view, range)?))
    })?;
    write(path, &dims, bytes)?;
    Ok(Vec::new())
}

/// The values shown black and white: `[lo, hi]`, or those that occur for `[]`.
fn chosen_range(range: &Value, image: &ArrayRef<'_>) -> Result<(f64, f64)> {
    let wrong = || Error::argument("imwrite: the range must be [] or [low, high] with low < high");
    let object = range.as_array().ok_or_else(wrong)?;
    let bounds: Vec<f64> = array::read(object, |view| {
        (0..view.data.len()).filter_map(|i| view.data.scalar(i)).map(|x| x.as_f64()).collect()
    });
    match bounds[..] {
        [low, high] if low < high => Ok((low, high)),
        [] => {
            let values = (0..image.data.len()).filter_map(|i| image.data.scalar(i)).map(|x| x.as_f64());
            let (low, high) = values
                .filter(|x| x.is_finite())
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            Ok(if low < high { (low, high) } else { (low.min(0.0), low.max(0.0) + 1.0) })
        }
        _ => Err(wrong()),
    }
}

/// The elements rounded and saturated to 8 bits; NaN becomes 0.
fn to_bytes(view: &ArrayRef<'_>, range: Option<(f64, f64)>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let count = view.data.len();
    bytes.try_reserve_exact(count).map_err(|_| Error::out_of_memory(Some(count), view.dims))?;
    match (range, f32::slice_of(view), u8::slice_of(view)) {
        (None, _, Some(exact)) => bytes.extend_from_slice(exact),
        (None, Some(single), _) => bytes.extend(single.iter().map(|x| x.round() as u8)),
        (range, _, _) => {
            let (low, scale) = range.map_or((0.0, 1.0), |(low, high)| (low, 255.0 / (high - low)));
            let values = (0..count).map(|i| view.data.scalar(i).map_or(0.0, |x| x.as_f64()));
            bytes.extend(values.map(|x| ((x - low) * scale).round() as u8));
        }
    }
    Ok(bytes)
}

/// Short for borrowing typed elements.
trait SliceOf: Sized {
    fn slice_of<'a>(view: &ArrayRef<'a>) -> Option<&'a [Self]>;
}

impl<T: quasar_devicelib::value::ArrayElement> SliceOf for T {
    fn slice_of<'a>(view: &ArrayRef<'a>) -> Option<&'a [T]> {
        T::slice(view.data)
    }
}

/// Reads an image file as numbers from 0 to 255, or to 65535 for 16 bits.
#[cfg(feature = "image")]
pub fn read(path: &Path, channels: Channels) -> Result<Array<f32>> {
    let fail = |message: String| image_error("imread", path, message);
    let reader = image::ImageReader::open(path).map_err(|error| fail(error.to_string()))?;
    let reader = reader.with_guessed_format().map_err(|error| fail(error.to_string()))?;
    if reader.format().is_none() {
        return Err(fail(format!("unknown format; supported are {EXTENSIONS}")));
    }
    let decoded = reader.decode().map_err(|error| fail(error.to_string()))?;
    let stored = crate::array::convert::from_dynamic_image(decoded)?;
    select_channels(stored, channels)
}

/// Reads an image file.
#[cfg(not(feature = "image"))]
pub fn read(path: &Path, _channels: Channels) -> Result<Array<f32>> {
    Err(image_error("imread", path, WITHOUT_IMAGE))
}

/// Writes 8-bit pixels.
#[cfg(not(feature = "image"))]
pub fn write(path: &Path, _dims: &[usize], _bytes: Vec<u8>) -> Result<()> {
    Err(image_error("imwrite", path, WITHOUT_IMAGE))
}

#[cfg(not(feature = "image"))]
const WITHOUT_IMAGE: &str = "this program was built without the feature `image` of the crate `quasar`";

#[cfg_attr(not(feature = "image"), expect(dead_code, reason = "called by the reader of files"))]
fn select_channels(image: Array<f32>, channels: Channels) -> Result<Array<f32>> {
    let (height, width, stored) = (image.extent(0), image.extent(1), image.extent(2));
    let dims = match channels {
        Channels::Gray if stored != 1 => vec![height, width],
        Channels::Rgb if stored != 3 => vec![height, width, 3],
        _ => return Ok(image),
    };
    let result = Array::<f32>::uninit(&dims)?;
    {
        let source = image.try_read()?;
        let mut target = result.try_overwrite()?;
        let wanted = if channels == Channels::Gray { 1 } else { 3 };
        for (target, source) in target.chunks_exact_mut(wanted).zip(source.chunks_exact(stored.max(1))) {
            match (target, source) {
                // Gray pixels stored as RGB keep their exact value.
                ([gray], [r, g, b, ..]) if r == g && g == b => *gray = *r,
                ([gray], [r, g, b, ..]) => *gray = 0.299 * r + 0.587 * g + 0.114 * b,
                ([r, g, b], [x]) => (*r, *g, *b) = (*x, *x, *x),
                ([r, g, b], [x, y, z, ..]) => (*r, *g, *b) = (*x, *y, *z),
                _ => {}
            }
        }
    }
    Ok(result)
}

/// Writes 8-bit pixels of an image with the given extents, in the format of the extension. An existing file is
/// replaced only when everything has been written.
#[cfg(feature = "image")]
pub fn write(path: &Path, dims: &[usize], mut bytes: Vec<u8>) -> Result<()> {
    use image::codecs::jpeg::JpegEncoder;
    use image::codecs::pnm::{PnmEncoder, PnmSubtype, SampleEncoding};
    use image::{ExtendedColorType, ImageEncoder, ImageFormat};

    const JPEG_QUALITY: u8 = 95;
    let fail = |message: String| image_error("imwrite", path, message);
    let (height, width, mut channels) = image_extents(dims).map_err(fail)?;
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match (extension.as_str(), channels) {
        ("jpg" | "jpeg" | "ppm", 4) => {
            bytes = bytes.chunks_exact(4).flat_map(|pixel| pixel.iter().take(3).copied()).collect();
            channels = 3;
        }
        ("ppm", 1) => {
            bytes = bytes.into_iter().flat_map(|x| [x; 3]).collect();
            channels = 3;
        }
        ("pgm", 3 | 4) => return Err(fail("a pgm file holds gray images only; use ppm".into())),
        _ => {}
    }
    let color = match channels {
        1 => ExtendedColorType::L8,
        3 => ExtendedColorType::Rgb8,
        _ => ExtendedColorType::Rgba8,
    };
    let mut encoded = io::Cursor::new(Vec::new());
    let result = match extension.as_str() {
        "png" => {
            image::write_buffer_with_format(&mut encoded, &bytes, width, height, color, ImageFormat::Png)
        }
        "tif" | "tiff" => {
            image::write_buffer_with_format(&mut encoded, &bytes, width, height, color, ImageFormat::Tiff)
        }
        "bmp" => {
            image::write_buffer_with_format(&mut encoded, &bytes, width, height, color, ImageFormat::Bmp)
        }
        "jpg" | "jpeg" => JpegEncoder::new_with_quality(&mut encoded, JPEG_QUALITY)
            .write_image(&bytes, width, height, color),
        "pgm" => PnmEncoder::new(&mut encoded)
            .with_subtype(PnmSubtype::Graymap(SampleEncoding::Binary))
            .write_image(&bytes, width, height, color),
        "ppm" => PnmEncoder::new(&mut encoded)
            .with_subtype(PnmSubtype::Pixmap(SampleEncoding::Binary))
            .write_image(&bytes, width, height, color),
        other => return Err(fail(format!("unknown extension '{other}'; use one of {EXTENSIONS}"))),
    };
    result.map_err(|error| fail(error.to_string()))?;
    write_atomically(path, |writer| writer.write_all(encoded.get_ref()))
        .map_err(|error| fail(error.to_string()))
}

/// Height, width and channels.
#[cfg(feature = "image")]
fn image_extents(dims: &[usize]) -> std::result::Result<(u32, u32, usize), String> {
    let found = || {
        let size = dims.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        format!("an image has size MxN, MxNx1, MxNx3 or MxNx4 with M, N > 0, found {size}")
    };
    let (height, width, channels) = match *dims {
        [width] => (1, width, 1),
        [height, width] => (height, width, 1),
        [height, width, channels @ (1 | 3 | 4)] => (height, width, channels),
        _ => return Err(found()),
    };
    let extent = |n: usize| u32::try_from(n).ok().filter(|&n| n > 0).ok_or_else(found);
    Ok((extent(height)?, extent(width)?, channels))
}

/// Writes a file beside the target and renames it, so that readers see the old contents or the new ones.
pub(super) fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let name = path.file_name().ok_or_else(|| io::Error::other("this is not a file name"))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}-{}.tmp", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    let temporary: PathBuf = path.with_file_name(temporary);
    let result = File::create_new(&temporary)
        .and_then(|file| {
            let mut writer = BufWriter::new(file);
            write(&mut writer)?;
            writer.flush()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The first error says what went wrong; a file that was never created cannot be removed.
        let _ = fs::remove_file(&temporary);
    }
    result
}
