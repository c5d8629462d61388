//! PNG files, through the crate `png`.

use crate::{Depth, Failure, Image, Layout, not_held};
use png::{BitDepth, ColorType};
use std::io::Cursor;

pub(crate) fn decode(file: &[u8], most: u64) -> Result<Image, Failure> {
    let limits = png::Limits { bytes: usize::try_from(most).unwrap_or(usize::MAX) };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), limits);
    // Palettes and few bits become samples of 8 bits; 16 bits stay.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(Failure::wrong)?;
    let (width, height) = reader.info().size();
    let (channels, depth) = match reader.output_color_type() {
        (ColorType::Grayscale, depth) => (1, depth),
        (ColorType::GrayscaleAlpha, depth) => (2, depth),
        (ColorType::Rgb, depth) => (3, depth),
        (ColorType::Rgba, depth) => (4, depth),
        (ColorType::Indexed, _) => return Err(Failure::wrong("a palette that is none")),
    };
    let depth = match depth {
        BitDepth::Eight => Depth::Eight,
        BitDepth::Sixteen => Depth::Sixteen,
        other => return Err(Failure::Wrong(format!("samples of {} bits", other as u8))),
    };
    let layout = Layout { width, height, channels, depth };
    let mut bytes = layout.zeros(most)?;
    reader.next_frame(&mut bytes).map_err(Failure::wrong)?;
    if depth == Depth::Sixteen {
        swap(&mut bytes);
    }
    Ok(Image { layout, bytes })
}

/// Samples of 16 bits from the order of this machine to that of the file, and back.
fn swap(bytes: &mut [u8]) {
    for sample in bytes.as_chunks_mut().0 {
        *sample = u16::from_be_bytes(*sample).to_ne_bytes();
    }
}

pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, String> {
    let Layout { width, height, channels, depth } = image.layout;
    let color = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    };
    let swapped;
    let (depth, bytes) = match depth {
        Depth::Eight => (BitDepth::Eight, &image.bytes),
        Depth::Sixteen => {
            let mut copy = image.layout.room(image.bytes.len()).map_err(|_| "not enough memory")?;
            copy.extend_from_slice(&image.bytes);
            swap(&mut copy);
            swapped = copy;
            (BitDepth::Sixteen, &swapped)
        }
        Depth::Float => return Err(not_held("png", &image.layout)),
    };
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Adaptive);
    let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
    writer.write_image_data(bytes).map_err(|error| error.to_string())?;
    writer.finish().map_err(|error| error.to_string())?;
    Ok(file)
}
