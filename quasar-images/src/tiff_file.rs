//! TIFF files, through the crate `tiff`: 8 and 16 bits, and floats of 32.

use crate::{Depth, Failure, Image, Layout};
use std::io::Cursor;
use tiff::ColorType;
use tiff::decoder::{BufferLayoutPreference, Decoder, DecodingResult, Limits};
use tiff::encoder::{TiffEncoder, colortype};
use tiff::tags::{SampleFormat, Tag};

pub(crate) fn decode(file: &[u8], most: u64) -> Result<Image, Failure> {
    let mut decoder = Decoder::new(Cursor::new(file)).map_err(Failure::wrong)?;
    let (width, height) = decoder.dimensions().map_err(Failure::wrong)?;
    let color = decoder.colortype().map_err(Failure::wrong)?;
    let formats = decoder.find_tag_unsigned_vec::<u16>(Tag::SampleFormat).map_err(Failure::wrong)?;
    let refused = || Failure::Wrong(format!("pixels of type {color:?} are not supported"));
    let (channels, bits) = match color {
        ColorType::Gray(bits @ (1 | 8 | 16 | 32)) => (1, bits),
        ColorType::GrayA(bits @ (8 | 16)) => (2, bits),
        ColorType::RGB(bits @ (8 | 16 | 32)) | ColorType::CMYK(bits @ (8 | 16)) => (3, bits),
        ColorType::RGBA(bits @ (8 | 16 | 32)) => (4, bits),
        _ => return Err(refused()),
    };
    let (float, whole) = (SampleFormat::IEEEFP.to_u16(), SampleFormat::Uint.to_u16());
    let expected = if bits == 32 { float } else { whole };
    if !formats.unwrap_or_else(|| vec![whole]).iter().all(|&format| format == expected) {
        return Err(Failure::Wrong(format!("samples of this kind with {bits} bits are not supported")));
    }
    let depth = match bits {
        32 => Depth::Float,
        16 => Depth::Sixteen,
        _ => Depth::Eight,
    };
    let layout = Layout { width, height, channels, depth };
    let size = layout.believed(most)?;
    let inks = matches!(color, ColorType::CMYK(_));
    let decoded = Layout { channels: if inks { 4 } else { channels }, ..layout };
    let mut limits = Limits::default();
    limits.decoding_buffer_size = decoded.believed(most)?;
    limits.intermediate_buffer_size = usize::try_from(most - decoded.size()).unwrap_or(usize::MAX);
    limits.ifd_value_size = limits.intermediate_buffer_size;
    let mut decoder = decoder.with_limits(limits);
    // The decoder asks for its memory without a way to fail.
    drop(layout.room(limits_sum(size, decoded.size()))?);
    let mut buffer = DecodingResult::U8(Vec::new());
    let preference = decoder.read_image_to_buffer(&mut buffer).map_err(Failure::wrong)?;
    if has_more_pages(&mut decoder)? {
        return Err(Failure::wrong("the file has several pages, which is not supported"));
    }
    let stored = buffer.as_buffer(0);
    let stored = stored.as_bytes();
    if stored.len() < preference.complete_len {
        return Err(Failure::Memory(layout, preference.complete_len));
    }
    let mut bytes = layout.room(size)?;
    match () {
        () if preference.planes > 1 && inks => {
            return Err(Failure::wrong("planes of inks (CMYK) are not supported"));
        }
        () if preference.planes > 1 => interleave(&mut bytes, stored, &preference, &layout)?,
        () if inks && depth == Depth::Eight => {
            bytes.extend(stored.as_chunks::<4>().0.iter().flat_map(|inks| {
                let light = printed(inks.map(f32::from), 255.0);
                light.map(|x| x as u8)
            }));
        }
        () if inks => {
            bytes.extend(stored.as_chunks::<8>().0.iter().flat_map(|pixel| {
                let inks =
                    std::array::from_fn(|k| f32::from(u16::from_ne_bytes([pixel[2 * k], pixel[2 * k + 1]])));
                let light = printed(inks, 65535.0);
                light.map(|x| (x as u16).to_ne_bytes()).into_iter().flatten()
            }));
        }
        () if bits == 1 => {
            let width = width as usize;
            for row in stored.chunks_exact(width.div_ceil(8).max(1)) {
                bytes.extend((0..width).map(|n| 255 * (row[n / 8] >> (7 - n % 8) & 1)));
            }
        }
        () => bytes.extend_from_slice(stored),
    }
    if bytes.len() != size {
        return Err(Failure::wrong("the file has another number of samples than its extents say"));
    }
    Ok(Image { layout, bytes })
}

/// Whether an image of its own follows: no smaller version of the first, and no mask of it.
fn has_more_pages(decoder: &mut Decoder<Cursor<&[u8]>>) -> Result<bool, Failure> {
    const BELONGS_TO_ANOTHER: u32 = 0b101;
    while decoder.more_images() {
        decoder.next_image().map_err(Failure::wrong)?;
        let kind = decoder.find_tag_unsigned::<u32>(Tag::NewSubfileType).map_err(Failure::wrong)?;
        if kind.unwrap_or(0) & BELONGS_TO_ANOTHER == 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The bytes of what is decoded and of the image, in one piece.
fn limits_sum(image: usize, decoded: u64) -> usize {
    usize::try_from(decoded).unwrap_or(usize::MAX).saturating_add(image)
}

/// Samples of one channel after the other as pixels.
fn interleave(
    bytes: &mut Vec<u8>,
    stored: &[u8],
    preference: &BufferLayoutPreference,
    layout: &Layout,
) -> Result<(), Failure> {
    let stride = preference.plane_stride.map_or(0, |n| n.get());
    let size = layout.depth.bytes();
    let planes: Vec<&[u8]> = match stride {
        0 => Vec::new(),
        _ => stored.chunks_exact(stride).take(layout.channels).collect(),
    };
    if planes.len() < layout.channels {
        return Err(Failure::wrong("planes are missing"));
    }
    for at in (0..stride / size * size).step_by(size) {
        for plane in &planes {
            bytes.extend_from_slice(&plane[at..at + size]);
        }
    }
    Ok(())
}

/// What is left of white light.
fn printed([c, m, y, k]: [f32; 4], white: f32) -> [f32; 3] {
    let light = 1.0 - k / white;
    [c, m, y].map(|ink| (white - ink) * light)
}

pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, String> {
    fn samples<T, const N: usize>(image: &Image, number: fn([u8; N]) -> T) -> Result<Vec<T>, String> {
        let chunks = image.bytes.as_chunks().0;
        let mut samples = Vec::new();
        samples.try_reserve_exact(chunks.len()).map_err(|error| error.to_string())?;
        samples.extend(chunks.iter().map(|bytes| number(*bytes)));
        Ok(samples)
    }
    /// What stands around the pixels, with some room.
    const AROUND: usize = 1 << 12;
    let mut file = Vec::new();
    file.try_reserve_exact(AROUND + image.bytes.len()).map_err(|error| error.to_string())?;
    let mut file = Cursor::new(file);
    let mut encoder = TiffEncoder::new(&mut file).map_err(|error| error.to_string())?;
    let Layout { width, height, channels, depth } = image.layout;
    macro_rules! write {
        ($samples:expr, $gray:ident, $rgb:ident, $rgba:ident) => {{
            let samples = $samples;
            match channels {
                1 => encoder.write_image::<colortype::$gray>(width, height, samples),
                3 => encoder.write_image::<colortype::$rgb>(width, height, samples),
                4 => encoder.write_image::<colortype::$rgba>(width, height, samples),
                _ => return Err(crate::not_held("tif", &image.layout)),
            }
        }};
    }
    let written = match depth {
        Depth::Eight => write!(&image.bytes, Gray8, RGB8, RGBA8),
        Depth::Sixteen => write!(&samples(image, u16::from_ne_bytes)?, Gray16, RGB16, RGBA16),
        Depth::Float => write!(&samples(image, f32::from_ne_bytes)?, Gray32Float, RGB32Float, RGBA32Float),
    };
    written.map_err(|error| error.to_string())?;
    Ok(file.into_inner())
}
