//! WebP files with one image, through the crate `image-webp`. They are written without loss.

use crate::{Depth, Failure, Image, Layout, not_held};
use image_webp::{ColorType, DecodingError, WebPDecoder, WebPEncoder};
use std::io::Cursor;

/// The most pixels in a row, and the most rows.
const LARGEST: u32 = 1 << 14;

pub(crate) fn decode(file: &[u8], most: u64) -> Result<Image, Failure> {
    let mut decoder = WebPDecoder::new(Cursor::new(file)).map_err(Failure::wrong)?;
    if decoder.is_animated() {
        return Err(Failure::wrong("the file is an animation of several images, which is not supported"));
    }
    let (width, height) = decoder.dimensions();
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let layout = Layout { width, height, channels, depth: Depth::Eight };
    let mut bytes = layout.zeros(most)?;
    decoder.set_memory_limit(usize::try_from(most).unwrap_or(usize::MAX));
    decoder.read_image(&mut bytes).map_err(|error| match error {
        DecodingError::MemoryLimitExceeded => Failure::Claim(layout, layout.size()),
        other => Failure::wrong(other),
    })?;
    Ok(Image { layout, bytes })
}

pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, String> {
    let Layout { width, height, channels, depth } = image.layout;
    if width > LARGEST || height > LARGEST {
        return Err(format!("a webp file holds at most {LARGEST}x{LARGEST} pixels, not {height}x{width}"));
    }
    let colours = match (channels, depth) {
        (1, Depth::Eight) => ColorType::L8,
        (3, Depth::Eight) => ColorType::Rgb8,
        (4, Depth::Eight) => ColorType::Rgba8,
        _ => return Err(not_held("webp", &image.layout)),
    };
    let mut file = Vec::new();
    let encoded = WebPEncoder::new(&mut file).encode(&image.bytes, width, height, colours);
    encoded.map_err(|error| error.to_string())?;
    Ok(file)
}
