//! BMP files: with palettes, also packed, and with 16, 24 and 32 bits for a pixel. As for the crate `image`, those with palettes
//! are RGB, and only masks tell of transparency.

use crate::{Depth, Failure, Image, Layout, Reader, not_held};

/// Sizes of the headers that are known, by their version.
const HEADERS: [u32; 6] = [12, 40, 52, 56, 108, 124];
/// Larger extents are taken for a mistake.
const LARGEST: i32 = 0xffff;

/// How pixels are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    /// Indices of the palette.
    Indices,
    /// The same, packed.
    Packed,
    /// Three bytes: blue, green, red.
    Bytes,
    /// Masks say which bits are a channel's.
    Masks([Mask; 4]),
}

struct Header {
    width: u32,
    height: u32,
    /// The first row comes first.
    downwards: bool,
    bits: u16,
    coding: Coding,
    palette: Vec<[u8; 3]>,
}

/// The bits of a channel in a pixel: at most the upper 8 of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mask {
    shift: u32,
    len: u32,
}

impl Mask {
    fn new(mask: u32, bits: u32) -> Result<Mask, Failure> {
        if mask == 0 {
            return Ok(Mask { shift: 0, len: 0 });
        }
        let (shift, len) = (mask.trailing_zeros(), mask.count_ones());
        if (mask >> shift).trailing_ones() != len || shift + len > bits {
            return Err(Failure::wrong("the mask of a channel is none"));
        }
        let unused = len.saturating_sub(8);
        Ok(Mask { shift: shift + unused, len: len - unused })
    }

    /// The channel from 0 to 255.
    fn of(self, pixel: u32) -> u8 {
        let most = (1u32 << self.len) - 1;
        let value = pixel >> self.shift & most;
        // To the nearest, as tables of other readers have it.
        if most == 0 { 255 } else { ((value * 255 * 2 + most) / (2 * most)) as u8 }
    }
}

fn header(reader: &mut Reader<'_>) -> Result<(Header, usize), Failure> {
    reader.take(10)?;
    let start = reader.u32()? as usize;
    let size = reader.u32()?;
    if !HEADERS.contains(&size) {
        return Err(Failure::Wrong(format!("a header of {size} bytes is not known")));
    }
    let old = size == 12;
    let behind = reader.file.get(size as usize - 4..).ok_or_else(crate::ends)?;
    let (width, height) = match old {
        true => (i32::from(reader.u16()?), i32::from(reader.u16()?)),
        false => (reader.u32()? as i32, reader.u32()? as i32),
    };
    if width <= 0 || height == 0 || width > LARGEST || !(-i32::MAX..=LARGEST).contains(&height) {
        return Err(Failure::Wrong(format!("an image of {width}x{height} is not supported")));
    }
    let (planes, bits) = (reader.u16()?, reader.u16()?);
    if planes != 1 {
        return Err(Failure::wrong("there must be one plane"));
    }
    let (packing, colours) = if old {
        (0, 0)
    } else {
        let packing = reader.u32()?;
        reader.take(12)?;
        let colours = reader.u32()?;
        reader.take(4)?;
        (packing, colours)
    };
    let mask = |mask| Mask::new(mask, u32::from(bits));
    let mut rest = Reader { file: behind };
    let coding = match (packing, bits) {
        (0, 1 | 4 | 8) => Coding::Indices,
        (0, 2) if !old => Coding::Indices,
        (0, 24) => Coding::Bytes,
        (0, 16) if !old => Coding::Masks([mask(0x7c00)?, mask(0x03e0)?, mask(0x001f)?, mask(0)?]),
        (0, 32) if !old => Coding::Masks([mask(0xff_0000)?, mask(0xff00)?, mask(0xff)?, mask(0)?]),
        (1, 8) | (2, 4) => Coding::Packed,
        (3, 16 | 32) if !old => {
            // The masks are the first fields of larger headers, and stand behind the small one.
            let [red, green, blue] = [reader.u32()?, reader.u32()?, reader.u32()?];
            let alpha = if size >= 56 { reader.u32()? } else { 0 };
            let masks = [mask(red)?, mask(green)?, mask(blue)?, mask(alpha)?];
            if masks[..3].iter().any(|mask| mask.len == 0) {
                return Err(Failure::wrong("the mask of a channel is missing"));
            }
            Coding::Masks(masks)
        }
        _ => {
            return Err(Failure::Wrong(format!(
                "packing {packing} with {bits} bits for a pixel is not supported"
            )));
        }
    };
    if height < 0 && coding == Coding::Packed {
        return Err(Failure::wrong("a packed image must begin with its last row"));
    }
    let mut palette = Vec::new();
    if matches!(coding, Coding::Indices | Coding::Packed) {
        let most = 1u32 << bits;
        if colours > most {
            return Err(Failure::Wrong(format!("{colours} colours do not fit into {bits} bits")));
        }
        let count = if colours == 0 { most } else { colours };
        for colour in
            rest.take(count as usize * if old { 3 } else { 4 })?.chunks_exact(if old { 3 } else { 4 })
        {
            palette.push([colour[2], colour[1], colour[0]]);
        }
        palette.resize(256, [0; 3]);
    }
    let (width, downwards) = (width.unsigned_abs(), height < 0);
    Ok((Header { width, height: height.unsigned_abs(), downwards, bits, coding, palette }, start))
}

pub(crate) fn decode(file: &[u8], most: u64) -> Result<Image, Failure> {
    let (header, start) = header(&mut Reader { file })?;
    let transparent = matches!(header.coding, Coding::Masks([.., alpha]) if alpha.len > 0);
    let channels = if transparent { 4 } else { 3 };
    let layout = Layout { width: header.width, height: header.height, channels, depth: Depth::Eight };
    let stored = file.get(start..).ok_or_else(crate::ends)?;
    let (width, height) = (header.width as usize, header.height as usize);
    let line = (width * usize::from(header.bits)).div_ceil(32) * 4;
    // The last row may end without what fills it up.
    let needed = line * (height - 1) + (width * usize::from(header.bits)).div_ceil(8);
    if header.coding != Coding::Packed && stored.len() < needed {
        layout.believed(most)?;
        return Err(crate::ends());
    }
    let mut bytes = layout.zeros(most)?;
    if header.coding == Coding::Packed {
        unpack(&mut Reader { file: stored }, &header, &mut bytes)?;
        return Ok(Image { layout, bytes });
    }
    for (y, row) in bytes.chunks_exact_mut(width * channels).enumerate() {
        let at = line * if header.downwards { y } else { height - 1 - y };
        let stored = &stored[at..(at + line).min(stored.len())];
        let pixels = row.chunks_exact_mut(channels);
        match header.coding {
            Coding::Bytes => {
                for (pixel, bytes) in pixels.zip(stored.chunks_exact(3)) {
                    pixel.copy_from_slice(&[bytes[2], bytes[1], bytes[0]]);
                }
            }
            Coding::Masks(masks) => {
                let size = usize::from(header.bits / 8);
                for (pixel, bytes) in pixels.zip(stored.chunks_exact(size)) {
                    let number = bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
                    for (channel, mask) in pixel.iter_mut().zip(masks) {
                        *channel = mask.of(number);
                    }
                }
            }
            _ => {
                for (x, pixel) in pixels.enumerate() {
                    pixel.copy_from_slice(&header.palette[index(stored, header.bits, x)]);
                }
            }
        }
    }
    Ok(Image { layout, bytes })
}

/// Number `x` of indices with a few bits each.
fn index(stored: &[u8], bits: u16, x: usize) -> usize {
    let bits = usize::from(bits);
    let shift = 8 - bits - x * bits % 8;
    usize::from(stored[x * bits / 8]) >> shift & ((1 << bits) - 1)
}

/// Runs of indices. What is left out is black.
fn unpack(reader: &mut Reader<'_>, header: &Header, bytes: &mut [u8]) -> Result<(), Failure> {
    let wrong = || Failure::wrong("the packed pixels leave the image");
    let (width, height) = (header.width as usize, header.height as usize);
    let (mut x, mut y) = (0, 0);
    while y < height {
        let row = (height - 1 - y) * width;
        let mut put = |x: usize, index: usize| {
            bytes[3 * (row + x)..][..3].copy_from_slice(&header.palette[index]);
        };
        let (count, code) = (usize::from(reader.byte()?), reader.byte()?);
        match (count, code) {
            (0, 0) => (x, y) = (0, y + 1),
            (0, 1) => break,
            (0, 2) => {
                let (right, up) = (reader.byte()?, reader.byte()?);
                (x, y) = (x + usize::from(right), y + usize::from(up));
                if x > width || y >= height {
                    return Err(wrong());
                }
            }
            (0, count) => {
                let count = usize::from(count);
                let size = (count * usize::from(header.bits)).div_ceil(8);
                let stored = reader.take(size + size % 2)?;
                if count > width - x {
                    return Err(wrong());
                }
                (0..count).for_each(|k| put(x + k, index(stored, header.bits, k)));
                x += count;
            }
            (count, pair) => {
                // Some programs write runs of bytes that are too long for their row.
                if header.bits < 8 && count > width - x {
                    return Err(wrong());
                }
                let count = count.min(width - x);
                // Of two indices in a byte they are taken in turn.
                (0..count).for_each(|k| {
                    put(x + k, index(&[pair], header.bits, k % (8 / usize::from(header.bits))))
                });
                x += count;
            }
        }
    }
    Ok(())
}

pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, String> {
    let Layout { width, height, channels, depth } = image.layout;
    let held = matches!(channels, 1 | 3 | 4) && depth == Depth::Eight;
    let large = |_| "a bmp file of more than 4 GB".to_owned();
    let line = (width as usize * channels).div_ceil(4) * 4;
    if !held || width.max(height) > LARGEST.unsigned_abs() {
        return Err(not_held("bmp", &image.layout));
    }
    let (info, palette) = (if channels == 4 { 108 } else { 40 }, if channels == 1 { 1024 } else { 0 });
    let start = 14 + info + palette;
    let pixels = line * height as usize;
    let size = u32::try_from(start as usize + pixels).map_err(large)?;
    let mut file = Vec::new();
    file.try_reserve_exact(size as usize).map_err(|error| error.to_string())?;
    file.extend_from_slice(b"BM");
    for number in [size, 0, start, info, width, height] {
        file.extend(number.to_le_bytes());
    }
    file.extend(1u16.to_le_bytes());
    file.extend((8 * channels as u16).to_le_bytes());
    let packing = if channels == 4 { 3 } else { 0 };
    for number in [packing, pixels as u32, 0, 0, if channels == 1 { 256 } else { 0 }, 0] {
        file.extend(number.to_le_bytes());
    }
    if channels == 4 {
        for mask in [0x00ff_0000u32, 0x0000_ff00, 0x0000_00ff, 0xff00_0000] {
            file.extend(mask.to_le_bytes());
        }
        // The colours are those of sRGB.
        file.extend_from_slice(b"BGRs");
    }
    if channels == 1 {
        (0..=255u8).for_each(|gray| file.extend([gray, gray, gray, 0]));
    }
    file.resize(start as usize, 0);
    for row in image.bytes.chunks_exact(width as usize * channels).rev() {
        let end = file.len() + line;
        match channels {
            1 => file.extend_from_slice(row),
            _ => {
                for pixel in row.chunks_exact(channels) {
                    file.extend([pixel[2], pixel[1], pixel[0]]);
                    file.extend(pixel.get(3));
                }
            }
        }
        file.resize(end, 0);
    }
    Ok(file)
}
