//! JPEG files, read by the crate `zune-jpeg` and written by `jpeg-encoder`.

use crate::{Depth, Failure, Image, Layout, not_held};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

/// From 1 to 100, in the way of libjpeg.
const QUALITY: u8 = 95;

pub(crate) fn decode(file: &[u8], most: u64) -> Result<Image, Failure> {
    // The decoder's own limits are smaller than what the format can say, which is not much.
    let options =
        DecoderOptions::default().set_strict_mode(false).set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    decoder.decode_headers().map_err(Failure::wrong)?;
    let stored = decoder.input_colorspace().ok_or_else(|| Failure::wrong("no colours"))?;
    let (channels, wanted) = match stored {
        ColorSpace::Luma => (1, stored),
        ColorSpace::LumaA => (2, stored),
        ColorSpace::RGBA => (4, stored),
        _ => (3, ColorSpace::RGB),
    };
    decoder.set_options(decoder.options().jpeg_set_out_colorspace(wanted));
    let (width, height) = decoder.dimensions().ok_or_else(|| Failure::wrong("no extents"))?;
    let extent = |n: usize| u32::try_from(n).map_err(Failure::wrong);
    let layout = Layout { width: extent(width)?, height: extent(height)?, channels, depth: Depth::Eight };
    let mut bytes = layout.zeros(most)?;
    decoder.decode_into(&mut bytes).map_err(Failure::wrong)?;
    Ok(Image { layout, bytes })
}

/// All channels are stored in full resolution.
pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, String> {
    let Layout { width, height, channels, depth } = image.layout;
    let (Ok(wide), Ok(high)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(format!("a jpg file holds at most 65535x65535 pixels, not {height}x{width}"));
    };
    let colours = match channels {
        1 => ColorType::Luma,
        3 => ColorType::Rgb,
        _ => return Err(not_held("jpg", &image.layout)),
    };
    if depth != Depth::Eight || wide == 0 || high == 0 {
        return Err(not_held("jpg", &image.layout));
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, QUALITY);
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    encoder.encode(&image.bytes, wide, high, colours).map_err(|error| error.to_string())?;
    Ok(file)
}
