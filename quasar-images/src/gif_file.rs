//! GIF files with one image, through the crate `gif`. Up to 256 colours are written as they are; nothing is mapped to others.

use crate::{Depth, Failure, Image, Layout, not_held};
use gif::{ColorOutput, DecodeOptions, Encoder, Frame, MemoryLimit};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroU64;

pub(crate) fn decode(file: &[u8], most: u64) -> Result<Image, Failure> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.check_frame_consistency(true);
    options.set_memory_limit(NonZeroU64::new(most).map_or(MemoryLimit::Unlimited, MemoryLimit::Bytes));
    let mut decoder = options.read_info(file).map_err(Failure::wrong)?;
    let (width, height) = (decoder.width(), decoder.height());
    let common = decoder.global_palette().map(<[u8]>::to_vec);
    let frame = decoder.read_next_frame().map_err(Failure::wrong)?;
    let frame = frame.ok_or_else(|| Failure::wrong("the file has no image"))?.clone();
    // What is behind the image may be damaged.
    if let Ok(Some(_)) = decoder.next_frame_info() {
        return Err(Failure::wrong("the file is an animation of several images, which is not supported"));
    }
    let covers = (frame.left, frame.top, frame.width, frame.height) == (0, 0, width, height);
    let channels = if covers && frame.transparent.is_none() { 3 } else { 4 };
    let layout = Layout { width: width.into(), height: height.into(), channels, depth: Depth::Eight };
    let mut bytes = layout.zeros(most)?;
    let palette = frame.palette.as_ref().or(common.as_ref());
    let palette = palette.ok_or_else(|| Failure::wrong("the file has no colours"))?.as_chunks::<3>().0;
    let rows = frame.buffer.chunks_exact(usize::from(frame.width).max(1));
    let line = usize::from(width) * channels;
    for (row, target) in rows.zip(bytes.chunks_exact_mut(line.max(1)).skip(frame.top.into())) {
        let target = target.get_mut(usize::from(frame.left) * channels..).unwrap_or_default();
        for (&index, pixel) in row.iter().zip(target.chunks_exact_mut(channels)) {
            let colour =
                palette.get(usize::from(index)).ok_or_else(|| Failure::wrong("a colour is missing"))?;
            let alpha = if frame.transparent == Some(index) { 0 } else { 255 };
            pixel.iter_mut().zip(colour.iter().chain([&alpha])).for_each(|(to, from)| *to = *from);
        }
    }
    Ok(Image { layout, bytes })
}

pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, String> {
    let Layout { width, height, channels, depth } = image.layout;
    if depth != Depth::Eight || !matches!(channels, 1 | 3 | 4) {
        return Err(not_held("gif", &image.layout));
    }
    let (Ok(width), Ok(height)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(format!("a gif file holds at most 65535x65535 pixels, not {height}x{width}"));
    };
    let mut indices = Vec::new();
    indices.try_reserve_exact(image.bytes.len() / channels).map_err(|error| error.to_string())?;
    let mut palette = BTreeMap::new();
    let mut transparent = None;
    for pixel in image.bytes.chunks_exact(channels) {
        let colour =
            match *pixel {
                [gray] => [gray, gray, gray, 255],
                [r, g, b] => [r, g, b, 255],
                [r, g, b, alpha @ (0 | 255)] => [r, g, b, alpha],
                _ => return Err(
                    "a gif file holds pixels that are opaque or transparent, and nothing between; use png"
                        .into(),
                ),
            };
        let count = palette.len();
        let index = *palette.entry(colour).or_insert(count);
        if colour[3] == 0 && *transparent.get_or_insert(index) != index {
            return Err(
                "a gif file holds one colour under transparent pixels; set it to 0, or use png".into()
            );
        }
        indices.push(
            u8::try_from(index)
                .map_err(|_| "a gif file holds 256 colours, and the image has more; use png")?,
        );
    }
    let mut colours = vec![0; palette.len() * 3];
    for ([r, g, b, _], index) in palette {
        if let Some(place) = colours.get_mut(index * 3..index * 3 + 3) {
            place.copy_from_slice(&[r, g, b]);
        }
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height, &colours).map_err(|error| error.to_string())?;
    let transparent = transparent.and_then(|index| u8::try_from(index).ok());
    let frame = Frame { width, height, transparent, buffer: Cow::Owned(indices), ..Frame::default() };
    encoder.write_frame(&frame).map_err(|error| error.to_string())?;
    drop(encoder);
    Ok(file)
}
