//! Image files: PNG, JPEG, TIFF, BMP, GIF, PGM and PPM; by features WebP and EXR.

use super::pixels::{self, Depth, Pixels};
use crate::array::Array;
use crate::error::{Error, Place, Result};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::{ArrayObject, ArrayRef, Value, ValueError, array};
#[cfg(feature = "image-files")]
use quasar_images::{Failure, Format, Image, Layout};
use std::path::Path;

/// Which channels a program wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channels {
    /// Those of the file: 1 for gray, 3 for RGB, 4 with transparency.
    #[default]
    AsStored,
    /// `cube(:,:,3)`.
    Rgb,
    /// `mat`, the luminance of a colour image.
    Gray,
}

/// The file formats by extension.
#[cfg(feature = "image-files")]
const EXTENSIONS: &str = "png, jpg, jpeg, tif, tiff, bmp, gif, webp, exr, pgm, ppm";

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
    let mut image = read(Path::new(path), channels)?;
    // Images of a file that nobody knows yet are cubes.
    if let (Channels::AsStored, &[height, width]) = (channels, image.dims()) {
        image = image.reshape(&[height, width, 1])?;
    }
    if working != ElementType::Double {
        return Ok(vec![image.to_value()]);
    }
    let wide = {
        let pixels = image.try_read()?;
        array::collect(pixels.len(), pixels.iter().map(|&x| f64::from(x)))?
    };
    Ok(vec![Array::from_vec(image.dims(), wide)?.to_value()])
}

fn described(value: &Value) -> String {
    value.as_text().map_or_else(|| value.kind(), |text| format!("\"{text}\""))
}

/// `imwrite(file, img[, range[, bits]])` or `imwrite(file, img, "float")`; the image may come first.
pub(super) fn imwrite(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let (first, second, options) = match args {
        [first, second, options @ ..] if options.len() <= 2 => (first, second, options),
        _ => return Err(ValueError::argument_count("imwrite", "2 to 4", args.len()).into()),
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
    if let [Value::Text(mode), rest @ ..] = options {
        if &**mode != "float" || !rest.is_empty() {
            return Err(Error::argument(
                "imwrite: behind the image goes the range of values, with the number of bits if you like, or \"float\" alone",
            ));
        }
        return write_floats(Path::new(path), &**object);
    }
    let depth = match options.get(1).map(|bits| bits.as_scalar().map(Scalar::as_i64)) {
        None => None,
        Some(Some(8)) => Some(Depth::Eight),
        Some(Some(16)) => Some(Depth::Sixteen),
        Some(_) => return Err(Error::argument("imwrite: the number of bits must be 8 or 16")),
    };
    let path = Path::new(path);
    let (dims, pixels) = array::read(&**object, |view| {
        let pixels = match options.first() {
            Some(range) => {
                pixels::in_range(&view, chosen_range(range, &view)?, depth.unwrap_or(Depth::Eight))
            }
            None => pixels::exact(&view),
        };
        Ok::<_, Error>((view.dims.to_vec(), pixels.map_err(|failure| failure.error(path, view.dims))?))
    })?;
    write(path, &dims, pixels)?;
    Ok(Vec::new())
}

/// Writes the numbers themselves, as floats of 32 bits.
fn write_floats(path: &Path, image: &dyn ArrayObject) -> Result<Vec<Value>> {
    let (dims, pixels) = array::read(image, |view| {
        let pixels = pixels::floats(&view).map_err(|failure| failure.error(path, view.dims))?;
        Ok::<_, Error>((view.dims.to_vec(), pixels))
    })?;
    #[cfg(feature = "image-files")]
    {
        let fail = |message: String| image_error("imwrite", path, message);
        let (height, width, channels) = image_extents(&dims).map_err(fail)?;
        let format = match extension(path).as_str() {
            "tif" | "tiff" => Format::Tiff,
            "exr" => Format::Exr,
            _ => return Err(fail("floats go to tif and exr files only, or by save to npy".to_owned())),
        };
        let layout = Layout { width, height, channels, depth: quasar_images::Depth::Float };
        let mut bytes = array::reserve(size_of_val(&pixels[..])).map_err(|error| fail(error.to_string()))?;
        bytes.extend(pixels.iter().flat_map(|x| x.to_ne_bytes()));
        let bytes = quasar_images::encode(format, &Image { layout, bytes }).map_err(fail)?;
        quasar_files::replace::replace(path, &bytes).map_err(|error| fail(error.to_string()))?;
        Ok(Vec::new())
    }
    #[cfg(not(feature = "image-files"))]
    {
        let _ = (dims, pixels);
        Err(image_error("imwrite", path, WITHOUT_IMAGE))
    }
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

impl pixels::Failure {
    fn error(self, path: &Path, dims: &[usize]) -> Error {
        match self {
            pixels::Failure::Memory(count) => Error::out_of_memory(Some(count), dims),
            pixels::Failure::Loss(message) => image_error("imwrite", path, message),
        }
    }
}

/// Reads an image file as numbers from 0 to 255, or to 65535 for 16 bits.
#[cfg(feature = "image-files")]
pub fn read(path: &Path, channels: Channels) -> Result<Array<f32>> {
    let fail = |message: String| image_error("imread", path, message);
    let file = quasar_files::read::bytes(path).map_err(|error| fail(error.to_string()))?;
    let image =
        quasar_images::decode(&file, believable(file.len() as u64)).map_err(|failure| match failure {
            Failure::Unknown => fail(format!("unknown format; supported are {EXTENSIONS}")),
            Failure::Wrong(message) => fail(message),
            Failure::Claim(Layout { width, height, .. }, bytes) => fail(format!(
                "the file claims an image of {width}x{height}, {} MB, and is too small to hold one",
                bytes >> 20
            )),
            Failure::Memory(layout, bytes) => Error::out_of_memory(Some(bytes), &dims(&layout)),
        })?;
    drop(file);
    select_channels(numbers(&image)?, channels)
}

/// How many bytes of pixels a file of a size may claim: more than any format packs into so little, and a blank page.
#[cfg(feature = "image-files")]
fn believable(bytes: u64) -> u64 {
    const DENSEST: u64 = 4096;
    const BLANK_PAGE: u64 = 512 << 20;
    bytes.saturating_mul(DENSEST).max(BLANK_PAGE)
}

/// The extents of the array: gray images with transparency become RGBA.
#[cfg(feature = "image-files")]
fn dims(layout: &Layout) -> Vec<usize> {
    let (height, width) = (layout.height as usize, layout.width as usize);
    match layout.channels {
        1 => vec![height, width],
        2 | 4 => vec![height, width, 4],
        channels => vec![height, width, channels],
    }
}

/// The stored pixels: 0 to 255 for 8 bits, 0 to 65535 for 16 bits, as they are for floating point.
#[cfg(feature = "image-files")]
fn numbers(image: &Image) -> Result<Array<f32>> {
    use quasar_images::Depth;

    let dims = dims(&image.layout);
    let count =
        image.bytes.len() / image.layout.depth.bytes() / image.layout.channels * dims.get(2).unwrap_or(&1);
    let memory = |_| Error::out_of_memory(count.checked_mul(size_of::<f32>()), &dims);
    let mut pixels = array::reserve::<f32>(count).map_err(memory)?;
    let mut put = |samples: &mut dyn Iterator<Item = f32>| match image.layout.channels {
        2 => {
            while let (Some(gray), Some(alpha)) = (samples.next(), samples.next()) {
                pixels.extend([gray, gray, gray, alpha]);
            }
        }
        _ => pixels.extend(samples),
    };
    match image.layout.depth {
        Depth::Eight => put(&mut image.bytes.iter().map(|&x| f32::from(x))),
        Depth::Sixteen => {
            put(&mut image.bytes.as_chunks().0.iter().map(|x| f32::from(u16::from_ne_bytes(*x))));
        }
        Depth::Float => put(&mut image.bytes.as_chunks().0.iter().map(|x| f32::from_ne_bytes(*x))),
    }
    Array::from_vec(&dims, pixels)
}

/// Reads an image file.
#[cfg(not(feature = "image-files"))]
pub fn read(path: &Path, _channels: Channels) -> Result<Array<f32>> {
    Err(image_error("imread", path, WITHOUT_IMAGE))
}

/// Writes pixels.
#[cfg(not(feature = "image-files"))]
pub(super) fn write(path: &Path, _dims: &[usize], _pixels: Pixels) -> Result<()> {
    Err(image_error("imwrite", path, WITHOUT_IMAGE))
}

#[cfg(not(feature = "image-files"))]
const WITHOUT_IMAGE: &str = "this program was built without the feature `image-files` of the crate `quasar`";

#[cfg_attr(not(feature = "image-files"), expect(dead_code, reason = "called by the reader of files"))]
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

/// Writes the pixels of an image with the given extents, in the format of the extension. An existing file is replaced only
/// when everything has been written.
#[cfg(feature = "image-files")]
pub(super) fn write(path: &Path, dims: &[usize], mut pixels: Pixels) -> Result<()> {
    let fail = |message: String| image_error("imwrite", path, message);
    let (height, width, mut channels) = image_extents(dims).map_err(fail)?;
    let extension = extension(path);
    match (extension.as_str(), channels) {
        ("jpg" | "jpeg" | "ppm", 4) => {
            return Err(fail(format!(
                "a {extension} file holds no transparency; write the first three channels, or use png or tif"
            )));
        }
        ("ppm", 1) => {
            pixels = pixels.tripled().map_err(|failure| failure.error(path, dims))?;
            channels = 3;
        }
        ("pgm", 3 | 4) => return Err(fail("a pgm file holds gray images only; use ppm".into())),
        _ => {}
    }
    let wide = pixels.depth() == Depth::Sixteen;
    if wide && matches!(extension.as_str(), "jpg" | "jpeg" | "bmp" | "gif" | "webp" | "pgm" | "ppm") {
        return Err(fail(format!(
            "a {extension} file holds 8 bits for each channel here, but this image needs 16; use png or tif, or give the \
             range of values that shall be kept: imwrite(file, img, [0,255])"
        )));
    }
    let format = match extension.as_str() {
        "png" => Format::Png,
        "tif" | "tiff" => Format::Tiff,
        "bmp" => Format::Bmp,
        "jpg" | "jpeg" => Format::Jpeg,
        "pgm" | "ppm" => Format::Pnm,
        "gif" => Format::Gif,
        "webp" => Format::WebP,
        "exr" => {
            let message = "an exr file holds floats, not whole numbers; imwrite(file, img, \"float\") writes them as they are";
            return Err(fail(message.to_owned()));
        }
        other => return Err(fail(format!("unknown extension '{other}'; use one of {EXTENSIONS}"))),
    };
    let depth = if wide { quasar_images::Depth::Sixteen } else { quasar_images::Depth::Eight };
    let bytes = pixels.into_bytes().map_err(|failure| failure.error(path, dims))?;
    let image = Image { layout: Layout { width, height, channels, depth }, bytes };
    let encoded = quasar_images::encode(format, &image).map_err(fail)?;
    quasar_files::replace::replace(path, &encoded).map_err(|error| fail(error.to_string()))
}

#[cfg(feature = "image-files")]
fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase()
}

/// Height, width and channels.
#[cfg(feature = "image-files")]
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
