//! Files of Netpbm: bitmaps, gray and colour, as text (P1 to P3) and as bytes (P4 to P6), and PAM (P7).

use crate::{Depth, Failure, Image, Layout, Reader, not_held};

/// How samples are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Text,
    Bytes,
    /// One bit for a pixel, where 1 is black; rows begin at bytes.
    Bits,
}

struct Header {
    layout: Layout,
    largest: u32,
    coding: Coding,
}

pub(crate) fn decode(kind: u8, file: &[u8], most: u64) -> Result<Image, Failure> {
    let mut reader = Reader { file };
    let header = if kind == b'7' { any_map(&mut reader)? } else { plain(kind, &mut reader)? };
    let Header { layout, largest, coding } = header;
    let size = layout.believed(most)?;
    let samples = size / layout.depth.bytes();
    let bitmap = kind == b'1' || kind == b'4';
    let row = layout.width as usize;
    let needed = match coding {
        Coding::Bytes => size,
        Coding::Bits => row.div_ceil(8) * layout.height as usize,
        // A digit for each sample.
        Coding::Text => samples,
    };
    if reader.file.len() < needed {
        return Err(crate::ends());
    }
    let mut bytes = layout.room(size)?;
    match (coding, layout.depth) {
        (Coding::Bits, _) => {
            for bits in reader.take(needed)?.chunks_exact(row.div_ceil(8).max(1)) {
                bytes.extend((0..row).map(|n| 1 - (bits[n / 8] >> (7 - n % 8) & 1)));
            }
        }
        (Coding::Bytes, Depth::Eight) => bytes.extend_from_slice(reader.take(size)?),
        (Coding::Bytes, _) => {
            let pairs = reader.take(size)?.as_chunks().0;
            bytes.extend(pairs.iter().flat_map(|pair| u16::from_be_bytes(*pair).to_ne_bytes()));
        }
        (Coding::Text, _) if bitmap => {
            while bytes.len() < samples {
                match reader.byte()? {
                    b'0' => bytes.push(1),
                    b'1' => bytes.push(0),
                    blank if is_blank(blank) => {}
                    other => return Err(Failure::Wrong(format!("the byte {other:#04x} is no bit"))),
                }
            }
        }
        (Coding::Text, Depth::Eight) => {
            for _ in 0..samples {
                bytes.push(u8::try_from(number(&mut reader, false)?).map_err(Failure::wrong)?);
            }
        }
        (Coding::Text, _) => {
            for _ in 0..samples {
                let sample = u16::try_from(number(&mut reader, false)?).map_err(Failure::wrong)?;
                bytes.extend(sample.to_ne_bytes());
            }
        }
    }
    spread(&mut bytes, layout.depth, largest);
    Ok(Image { layout, bytes })
}

/// Samples from 0 to `largest` as ones that use their whole range.
fn spread(bytes: &mut [u8], depth: Depth, largest: u32) {
    let whole: u16 = if depth == Depth::Eight { 255 } else { 65535 };
    if u32::from(whole) == largest {
        return;
    }
    let factor = f32::from(whole) / largest as f32;
    match depth {
        Depth::Eight => {
            let table: [u8; 256] = std::array::from_fn(|x| (x as f32 * factor).round() as u8);
            bytes.iter_mut().for_each(|x| *x = table[usize::from(*x)]);
        }
        _ => {
            for sample in bytes.as_chunks_mut().0 {
                *sample = ((f32::from(u16::from_ne_bytes(*sample)) * factor).round() as u16).to_ne_bytes();
            }
        }
    }
}

fn plain(kind: u8, reader: &mut Reader<'_>) -> Result<Header, Failure> {
    let (width, height) = (number(reader, true)?, number(reader, true)?);
    let bitmap = matches!(kind, b'1' | b'4');
    let largest = if bitmap { 1 } else { number(reader, true)? };
    let coding = match kind {
        b'1'..=b'3' => Coding::Text,
        b'4' => Coding::Bits,
        _ => Coding::Bytes,
    };
    let channels = if matches!(kind, b'3' | b'6') { 3 } else { 1 };
    Ok(Header { layout: Layout { width, height, channels, depth: depth(largest)? }, largest, coding })
}

fn depth(largest: u32) -> Result<Depth, Failure> {
    match largest {
        1..=255 => Ok(Depth::Eight),
        256..=65535 => Ok(Depth::Sixteen),
        _ => Err(Failure::Wrong(format!("the largest sample is {largest}; it must be 1 to 65535"))),
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b' ')
}

/// The next number and the blank behind it. Comments go from `#` to the end of a line.
fn number(reader: &mut Reader<'_>, comments: bool) -> Result<u32, Failure> {
    let mut value: Option<u32> = None;
    while let Some((&byte, rest)) = reader.file.split_first() {
        reader.file = rest;
        match byte {
            b'#' if comments => {
                let end = rest.iter().position(|&byte| matches!(byte, b'\r' | b'\n'));
                reader.file = &rest[end.unwrap_or(rest.len())..];
            }
            byte if is_blank(byte) => {
                if value.is_some() {
                    break;
                }
            }
            b'0'..=b'9' => {
                let longer =
                    value.unwrap_or(0).checked_mul(10).and_then(|x| x.checked_add(u32::from(byte - b'0')));
                value = Some(longer.ok_or_else(|| Failure::wrong("a number is too large"))?);
            }
            other => return Err(Failure::Wrong(format!("the byte {other:#04x} is no digit"))),
        }
    }
    value.ok_or_else(crate::ends)
}

/// The header of a PAM file: lines with a name and a value.
fn any_map(reader: &mut Reader<'_>) -> Result<Header, Failure> {
    if reader.byte()? != b'\n' {
        return Err(Failure::wrong("a line must end behind P7"));
    }
    let [mut width, mut height, mut channels, mut largest] = [None; 4];
    let mut kind = String::new();
    loop {
        let end = reader.file.iter().position(|&byte| byte == b'\n').ok_or_else(crate::ends)?;
        let line = reader.take(end + 1)?;
        let line = std::str::from_utf8(line).map_err(Failure::wrong)?.trim();
        if line.is_empty() {
            return Err(Failure::wrong("the header ends without ENDHDR"));
        }
        let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let slot = match name {
            "ENDHDR" => break,
            "WIDTH" => &mut width,
            "HEIGHT" => &mut height,
            "DEPTH" => &mut channels,
            "MAXVAL" => &mut largest,
            "TUPLTYPE" => {
                kind.push_str(if kind.is_empty() { "" } else { " " });
                kind.push_str(value.trim());
                continue;
            }
            _ if name.starts_with('#') => continue,
            other => return Err(Failure::Wrong(format!("the header has an unknown line '{other}'"))),
        };
        let number: u32 = value.trim().parse().map_err(Failure::wrong)?;
        if slot.replace(number).is_some() {
            return Err(Failure::Wrong(format!("the header has two lines '{name}'")));
        }
    }
    let (Some(width), Some(height), Some(channels), Some(largest)) = (width, height, channels, largest)
    else {
        return Err(Failure::wrong("the header lacks WIDTH, HEIGHT, DEPTH or MAXVAL"));
    };
    let expected = match &*kind {
        "BLACKANDWHITE" | "GRAYSCALE" => 1,
        "BLACKANDWHITE_ALPHA" | "GRAYSCALE_ALPHA" => 2,
        "RGB" => 3,
        "RGB_ALPHA" => 4,
        "" if (1..=4).contains(&channels) => channels,
        _ => return Err(Failure::Wrong(format!("pixels of type '{kind}' are not supported"))),
    };
    if channels != expected {
        return Err(Failure::Wrong(format!(
            "pixels of type '{kind}' have {expected} channels, not {channels}"
        )));
    }
    let layout = Layout { width, height, channels: channels as usize, depth: depth(largest)? };
    Ok(Header { layout, largest, coding: Coding::Bytes })
}

pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, String> {
    let Layout { width, height, channels, depth } = image.layout;
    let kind = match (channels, depth) {
        (1, Depth::Eight) => 5,
        (3, Depth::Eight) => 6,
        _ => return Err(not_held("pgm or ppm", &image.layout)),
    };
    let header = format!("P{kind}\n{width} {height}\n255\n");
    let mut file = Vec::new();
    file.try_reserve_exact(header.len() + image.bytes.len()).map_err(|error| error.to_string())?;
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(&image.bytes);
    Ok(file)
}
