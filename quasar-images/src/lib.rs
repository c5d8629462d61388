//! Image files as bytes: PNG, JPEG, TIFF, BMP, GIF and the PNM family; by features WebP and EXR.
//!
//! The crate `image` does the same and more, and takes its colour management along whatever its features: 45 processor seconds of an
//! optimised build, of which reading and writing files need few. What files mean is the same as there, which tests compare.
//! The decoders of PNG, TIFF and JPEG are those that `image` uses, JPEG is written by `jpeg-encoder`; BMP and PNM stand here.

#![forbid(unsafe_code)]

mod bmp;
#[cfg(feature = "exr")]
mod exr_file;
mod gif_file;
mod jpeg;
mod png_file;
mod pnm;
mod tiff_file;
#[cfg(feature = "webp")]
mod webp_file;

/// What a sample of a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 0 to 255.
    Eight,
    /// 0 to 65535, two bytes in the order of this machine.
    Sixteen,
    /// Floats of 32 bits, four bytes in the order of this machine.
    Float,
}

impl Depth {
    /// How many bytes a sample takes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Depth::Eight => 1,
            Depth::Sixteen => 2,
            Depth::Float => 4,
        }
    }
}

/// Extents of an image, and what its samples are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Samples of a pixel: gray, gray and alpha, RGB, RGBA.
    pub channels: usize,
    /// What they are.
    pub depth: Depth,
}

impl Layout {
    /// The bytes of all samples.
    fn size(&self) -> u64 {
        let pixels = u64::from(self.width) * u64::from(self.height);
        pixels.saturating_mul((self.channels * self.depth.bytes()) as u64)
    }

    /// Zeros for all samples, if a file may claim so many bytes.
    fn zeros(&self, most: u64) -> Result<Vec<u8>, Failure> {
        let size = self.believed(most)?;
        let mut bytes = self.room(size)?;
        bytes.resize(size, 0);
        Ok(bytes)
    }

    /// The bytes of all samples, if a file may claim so many.
    fn believed(&self, most: u64) -> Result<usize, Failure> {
        if self.size() > most {
            return Err(Failure::Claim(*self, self.size()));
        }
        usize::try_from(self.size()).map_err(|_| Failure::Memory(*self, usize::MAX))
    }

    /// Room for some bytes.
    fn room(&self, size: usize) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| Failure::Memory(*self, size))?;
        Ok(bytes)
    }
}

/// An image: rows from the top, pixels from the left, samples of a pixel together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Extents and what samples are.
    pub layout: Layout,
    /// The samples.
    pub bytes: Vec<u8>,
}

/// Why a file gives no image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It has none of the formats.
    Unknown,
    /// What is wrong in it, or not supported.
    Wrong(String),
    /// It claims an image of so many bytes, which it is too small to hold.
    Claim(Layout, u64),
    /// There is no memory for so many bytes.
    Memory(Layout, usize),
}

impl Failure {
    fn wrong(message: impl ToString) -> Failure {
        Failure::Wrong(message.to_string())
    }
}

/// The formats that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// PNG.
    Png,
    /// TIFF without compression.
    Tiff,
    /// BMP.
    Bmp,
    /// JPEG with quality 95, all channels in full resolution.
    Jpeg,
    /// PGM for gray images, otherwise PPM.
    Pnm,
    /// GIF, if there are at most 256 colours.
    Gif,
    /// WebP without loss.
    WebP,
    /// EXR with floats.
    Exr,
}

/// The image of a file, whose first bytes say which format it has. It takes at most `most` bytes.
///
/// # Errors
/// See [`Failure`].
pub fn decode(file: &[u8], most: u64) -> Result<Image, Failure> {
    match file {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => png_file::decode(file, most),
        [0xff, 0xd8, 0xff, ..] => jpeg::decode(file, most),
        [b'M', b'M', 0, b'*', ..] | [b'I', b'I', b'*', 0, ..] => tiff_file::decode(file, most),
        [b'G', b'I', b'F', b'8', ..] => gif_file::decode(file, most),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp(file, most),
        [0x76, 0x2f, 0x31, 0x01, ..] => exr(file, most),
        [b'B', b'M', ..] => bmp::decode(file, most),
        [b'P', kind @ b'1'..=b'7', rest @ ..] => pnm::decode(*kind, rest, most),
        _ => Err(Failure::Unknown),
    }
}

/// The bytes of a file.
///
/// # Errors
/// The format does not hold such images, or an encoder refuses.
pub fn encode(format: Format, image: &Image) -> Result<Vec<u8>, String> {
    if image.bytes.len() as u64 != image.layout.size() {
        return Err("the image has another number of samples than its extents say".to_owned());
    }
    match format {
        Format::Png => png_file::encode(image),
        Format::Tiff => tiff_file::encode(image),
        Format::Bmp => bmp::encode(image),
        Format::Jpeg => jpeg::encode(image),
        Format::Pnm => pnm::encode(image),
        Format::Gif => gif_file::encode(image),
        #[cfg(feature = "webp")]
        Format::WebP => webp_file::encode(image),
        #[cfg(not(feature = "webp"))]
        Format::WebP => Err(without("webp")),
        #[cfg(feature = "exr")]
        Format::Exr => exr_file::encode(image),
        #[cfg(not(feature = "exr"))]
        Format::Exr => Err(without("exr")),
    }
}

#[cfg(feature = "webp")]
use webp_file::decode as webp;

#[cfg(not(feature = "webp"))]
fn webp(_file: &[u8], _most: u64) -> Result<Image, Failure> {
    Err(Failure::Wrong(without("webp")))
}

#[cfg(feature = "exr")]
use exr_file::decode as exr;

#[cfg(not(feature = "exr"))]
fn exr(_file: &[u8], _most: u64) -> Result<Image, Failure> {
    Err(Failure::Wrong(without("exr")))
}

/// What is said of a format that is not built.
#[cfg(not(all(feature = "webp", feature = "exr")))]
fn without(feature: &str) -> String {
    format!("this program was built without the feature `{feature}` of the crate `quasar-array`")
}

/// A message for images that a format does not hold.
fn not_held(format: &str, layout: &Layout) -> String {
    format!("a {format} file does not hold {} channels of {} bits", layout.channels, 8 * layout.depth.bytes())
}

/// Reads bytes of a file one after the other.
struct Reader<'a> {
    file: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Failure> {
        let (taken, rest) = self.file.split_at_checked(count).ok_or_else(ends)?;
        self.file = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Failure> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> Result<u16, Failure> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn u32(&mut self) -> Result<u32, Failure> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

fn ends() -> Failure {
    Failure::wrong("the file ends within the image")
}
