//! TIFF files of 32-bit floats. The crate `image` reads those with several channels alone, and writes no others.

use crate::array::Array;
use crate::error::{Error, Result};
use quasar_devicelib::value::array;
use std::io::{BufRead, Cursor, Seek};
use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::TiffEncoder;
use tiff::encoder::colortype::{Gray32Float, RGB32Float, RGBA32Float};
use tiff::tags::{SampleFormat, Tag};

/// The bytes of a file with these pixels, row after row.
pub(super) fn encoded(
    width: u32,
    height: u32,
    channels: usize,
    pixels: &[f32],
) -> std::result::Result<Vec<u8>, String> {
    /// What stands around the pixels, with some room.
    const AROUND: usize = 1 << 12;
    let bytes = array::reserve(AROUND + size_of_val(pixels)).map_err(|error| error.to_string())?;
    let mut file = Cursor::new(bytes);
    let mut write = || {
        let mut encoder = TiffEncoder::new(&mut file)?;
        match channels {
            1 => encoder.write_image::<Gray32Float>(width, height, pixels),
            3 => encoder.write_image::<RGB32Float>(width, height, pixels),
            _ => encoder.write_image::<RGBA32Float>(width, height, pixels),
        }
    };
    write().map_err(|error| error.to_string())?;
    Ok(file.into_inner())
}

/// The image of a file with one channel of 32-bit floats, which must not take more than `most` bytes. `None` for other files, whose
/// errors are told by who reads them.
pub(super) fn gray<R: BufRead + Seek>(
    file: &mut R,
    most: u64,
) -> std::result::Result<Option<Result<Array<f32>>>, String> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(most).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    let Ok(decoder) = Decoder::new(file) else { return Ok(None) };
    let mut decoder = decoder.with_limits(limits);
    let formats = decoder.find_tag_unsigned_vec::<u16>(Tag::SampleFormat).ok().flatten();
    let float = formats.is_some_and(|formats| formats == [SampleFormat::IEEEFP.to_u16()]);
    if !float || !matches!(decoder.colortype(), Ok(ColorType::Gray(32))) {
        return Ok(None);
    }
    let (width, height) = decoder.dimensions().map_err(|error| error.to_string())?;
    let claimed = u64::from(width) * u64::from(height) * size_of::<f32>() as u64;
    if claimed > most {
        return Err(format!(
            "the file claims an image of {width}x{height}, {} MB, and is too small to hold one",
            claimed >> 20
        ));
    }
    let dims = [height as usize, width as usize];
    // The decoder asks for its memory without a way to fail.
    if let Err(error) = array::reserve::<u8>(usize::try_from(claimed).unwrap_or(usize::MAX)) {
        drop(error);
        return Ok(Some(Err(Error::out_of_memory(usize::try_from(claimed).ok(), &dims))));
    }
    match decoder.read_image().map_err(|error| error.to_string())? {
        DecodingResult::F32(pixels) => Ok(Some(Array::from_vec(&dims, pixels))),
        _ => Err("the pixels are no floats of 32 bits".to_owned()),
    }
}
