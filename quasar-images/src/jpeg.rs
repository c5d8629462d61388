//! Reading JPEG files, through the crate `zune-jpeg`.

use crate::{Depth, Failure, Image, Layout};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

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
