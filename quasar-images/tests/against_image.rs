//! Files that the crate `image` writes or reads, by both.

use image::{DynamicImage, ExtendedColorType, ImageFormat};
use quasar_images::{Depth, Failure, Format, Image, Layout, decode, encode};
use std::io::Cursor;

const MOST: u64 = 1 << 30;

/// Numbers that look random.
fn noise(count: usize, seed: u32) -> Vec<u8> {
    let mut x = seed.wrapping_mul(0x9e37_79b9) | 1;
    let next = || {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        (x >> 11) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn picture(width: u32, height: u32, channels: usize, depth: Depth) -> Image {
    let count = (width * height) as usize * channels;
    let mut bytes = noise(count * depth.bytes(), width * 7 + height);
    if depth == Depth::Float {
        bytes = bytes.iter().step_by(4).flat_map(|&x| (f32::from(x) * 0.37 - 3.0).to_ne_bytes()).collect();
    }
    Image { layout: Layout { width, height, channels, depth }, bytes }
}

/// What `image` finds in a file.
fn theirs(file: &[u8]) -> Result<Image, String> {
    let found = image::load_from_memory(file).map_err(|error| error.to_string())?;
    let color = found.color();
    let depth = match color.bytes_per_pixel() / color.channel_count() {
        1 => Depth::Eight,
        2 => Depth::Sixteen,
        _ => Depth::Float,
    };
    let layout = Layout {
        width: found.width(),
        height: found.height(),
        channels: color.channel_count().into(),
        depth,
    };
    Ok(Image { layout, bytes: found.as_bytes().to_vec() })
}

fn their_file(image: &Image, format: ImageFormat) -> Option<Vec<u8>> {
    use ExtendedColorType::{L8, L16, La8, La16, Rgb8, Rgb16, Rgb32F, Rgba8, Rgba16, Rgba32F};
    let color = match (image.layout.channels, image.layout.depth) {
        (1, Depth::Eight) => L8,
        (2, Depth::Eight) => La8,
        (3, Depth::Eight) => Rgb8,
        (4, Depth::Eight) => Rgba8,
        (1, Depth::Sixteen) => L16,
        (2, Depth::Sixteen) => La16,
        (3, Depth::Sixteen) => Rgb16,
        (4, Depth::Sixteen) => Rgba16,
        (3, Depth::Float) => Rgb32F,
        (4, Depth::Float) => Rgba32F,
        _ => return None,
    };
    let mut file = Cursor::new(Vec::new());
    let Layout { width, height, .. } = image.layout;
    image::write_buffer_with_format(&mut file, &image.bytes, width, height, color, format).ok()?;
    Some(file.into_inner())
}

#[test]
fn both_read_what_either_writes() {
    let formats = [
        (Format::Png, ImageFormat::Png),
        (Format::Tiff, ImageFormat::Tiff),
        (Format::Bmp, ImageFormat::Bmp),
        (Format::Pnm, ImageFormat::Pnm),
    ];
    let mut compared = 0;
    for (ours, other) in formats {
        for (width, height) in [(1, 1), (3, 5), (8, 2), (17, 9)] {
            for channels in 1..=4 {
                for depth in [Depth::Eight, Depth::Sixteen, Depth::Float] {
                    let image = picture(width, height, channels, depth);
                    let what = format!("{ours:?} {:?}", image.layout);
                    // Gray floats in TIFF files are read here alone.
                    let shared = depth != Depth::Float || channels > 2;
                    for file in [encode(ours, &image).ok(), their_file(&image, other)].into_iter().flatten() {
                        let found = decode(&file, MOST).unwrap_or_else(|error| panic!("{what}: {error:?}"));
                        if shared {
                            assert_eq!(Ok(&found), theirs(&file).as_ref(), "{what}");
                        }
                        // Palettes are colours.
                        if found.layout.channels == image.layout.channels && ours != Format::Pnm {
                            assert_eq!(found, image, "{what}");
                        }
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn jpeg_files_are_as_near_as_theirs() {
    for (width, height) in [(1, 1), (8, 8), (31, 17), (64, 40)] {
        for channels in [1, 3] {
            let layout = Layout { width, height, channels, depth: Depth::Eight };
            let smooth = (0..width as usize * height as usize * channels).map(|k| {
                let (pixel, channel) = (k / channels, k % channels);
                let (x, y) = (pixel % width as usize, pixel / width as usize);
                (128.0 + 100.0 * ((x * (channel + 1)) as f32 * 0.11 + y as f32 * 0.07).sin()) as u8
            });
            let images = [
                Image { layout, bytes: smooth.collect() },
                picture(width, height, channels, Depth::Eight),
                Image { layout, bytes: vec![255; layout.width as usize * layout.height as usize * channels] },
            ];
            for image in &images {
                let color = if channels == 1 { ExtendedColorType::L8 } else { ExtendedColorType::Rgb8 };
                let mut other = Vec::new();
                let mut encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut other, 95);
                encoder.encode(&image.bytes, width, height, color).unwrap();
                let file = encode(Format::Jpeg, image).unwrap();
                let found = decode(&file, MOST).unwrap();
                assert_eq!(Ok(&found), theirs(&file).as_ref());
                let error = |found: &Image| {
                    let pairs = found.bytes.iter().zip(&image.bytes);
                    pairs.map(|(&x, &y)| f64::from(x.abs_diff(y)).powi(2)).sum::<f64>()
                };
                let (ours, other_error) = (error(&found), error(&decode(&other, MOST).unwrap()));
                let count = image.bytes.len() as f64;
                assert!(ours <= 1.02 * other_error + 0.5 * count, "{layout:?}: {ours} {other_error}");
                let (len, other_len) = (file.len() as f64, other.len() as f64);
                // The encoder also writes the tables of colours for gray.
                assert!(len < 1.05 * other_len + 100.0, "{layout:?}: {len} {other_len} bytes");
            }
        }
    }
}

/// A BMP file with a header of 40 bytes or more, of which the first ones follow.
fn bmp(size: u32, width: i32, height: i32, bits: u16, packing: u32, colours: u32, rest: &[u8]) -> Vec<u8> {
    let masks = if packing == 3 && size == 40 { 12 } else { 0 };
    let palette = if bits <= 8 { 4 * if colours == 0 { 1 << bits } else { colours } } else { 0 };
    let mut file = b"BM".to_vec();
    for number in [0, 0, 14 + size + masks + palette, size, width as u32, height as u32] {
        file.extend(number.to_le_bytes());
    }
    file.extend([1, 0]);
    file.extend(bits.to_le_bytes());
    for number in [packing, 0, 0, 0, colours, 0] {
        file.extend(number.to_le_bytes());
    }
    file.extend_from_slice(rest);
    file
}

#[test]
fn bmp_files_of_all_kinds_mean_the_same() {
    let mut files = Vec::new();
    for bits in [1u16, 2, 4, 8] {
        for (width, height) in [(1, 1), (13, 3), (5, -4), (33, 2)] {
            for colours in [0, 2] {
                files.push(bmp(40, width, height, bits, 0, colours, &noise(4000, u32::from(bits))));
            }
        }
    }
    for (bits, masks) in [
        (16, [0xf800u32, 0x07e0, 0x001f, 0]),
        (16, [0x0f00, 0x00f0, 0x000f, 0xf000]),
        (16, [0x7000, 0x0380, 0x0060, 0x8000]),
        (32, [0xff00_0000, 0x00ff_0000, 0xff00, 0xff]),
        (32, [0x3ff0_0000, 0x000f_fc00, 0x03ff, 0]),
        (32, [0x7f, 0x3f80, 0x001f_c000, 0]),
        (32, [0, 0xff00, 0xff, 0]),
        (32, [0xf0f0, 0x0f00, 0x0f, 0]),
    ] {
        for size in [40, 56, 108, 124] {
            let fields = if size == 40 { 12 } else { size as usize - 40 };
            let mut rest: Vec<u8> = masks.iter().flat_map(|mask| mask.to_le_bytes()).collect();
            rest.resize(fields, 0);
            rest.extend(noise(4000, size));
            files.push(bmp(size, 5, 3, bits, 3, 0, &rest));
        }
    }
    for bits in [16, 24, 32] {
        for (width, height) in [(7, 3), (6, -2)] {
            files.push(bmp(40, width, height, bits, 0, 0, &noise(4000, u32::from(bits))));
        }
    }
    let palette = |bits: u32| noise(4 << bits, bits);
    for (packing, bits) in [(1, 8u16), (2, 4)] {
        for codes in [
            &[4, 0x12, 0, 3, 0x45, 0x67, 0x89, 0, 0, 0, 2, 0x33, 0, 2, 1, 1, 3, 0x71, 0, 1][..],
            &[7, 0x21, 0, 0, 7, 0x43, 0, 0, 7, 0x65, 0, 0, 7, 0x87, 0, 1],
            &[0, 1],
            &[0, 2, 200, 200, 0, 1],
            &[5, 1],
            &[0, 4, 0x12, 0x34, 0, 0, 0, 5, 0x56, 0x78, 0x9a, 0, 0, 0, 0, 0, 0, 0],
        ] {
            files.push(bmp(40, 7, 4, bits, packing, 0, &[&palette(bits.into()), codes].concat()));
        }
    }
    let mut refused = 0;
    for (k, file) in files.iter().enumerate() {
        match (decode(file, MOST), theirs(file)) {
            (Ok(ours), Ok(other)) => assert_eq!(ours, other, "file {k}"),
            (Err(_), Err(_)) => refused += 1,
            (ours, other) => panic!("file {k}: {:?} {:?}", ours.map(|x| x.layout), other.map(|x| x.layout)),
        }
    }
    assert!(refused < files.len() / 4, "{refused} of {}", files.len());
}

#[test]
fn pnm_files_of_all_kinds_mean_the_same() {
    let bytes = noise(200, 3);
    let binary = |header: &str| [header.as_bytes(), &bytes].concat();
    let files = [
        b"P1 3 2\n1 0 1\n010".to_vec(),
        b"P1\n# a comment\n3 2\n101010".to_vec(),
        b"P2 # gray\n 2 2 255 1 2\n3 255 ".to_vec(),
        b"P2 2 2 15 1 2 3 15 ".to_vec(),
        b"P2 2 1 1000 1 999 ".to_vec(),
        b"P3 1 2 255 1 2 3 4 5 6 ".to_vec(),
        b"P3 1 1 255 1 2".to_vec(),
        binary("P4 11 3\n"),
        binary("P5 5 4 255\n"),
        binary("P5 5 4 100\n"),
        binary("P5\n#x\n5 4\n65535\n"),
        binary("P6 3 4 255\n"),
        binary("P6 3 4 4095\n"),
        binary("P6 30 40 255\n"),
        binary("P5 5 4 0\n"),
        binary("P5 5 4 70000\n"),
        binary("P7\nWIDTH 3\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"),
        binary("P7\nWIDTH 3\nHEIGHT 2\nDEPTH 2\nMAXVAL 1000\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n"),
        binary("P7\n# c\nWIDTH 3\nHEIGHT 2\nDEPTH 3\nMAXVAL 255\nENDHDR\n"),
        binary("P7\nWIDTH 3\nHEIGHT 2\nDEPTH 3\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\n"),
        binary("P7\nWIDTH 3\nDEPTH 3\nMAXVAL 255\nENDHDR\n"),
    ];
    for file in &files {
        let text = String::from_utf8_lossy(&file[..file.len().min(60)]).into_owned();
        match (decode(file, MOST), theirs(file)) {
            (Ok(ours), Ok(other)) => assert_eq!(ours, other, "{text}"),
            (Err(_), Err(_)) => {}
            (ours, other) => panic!("{text}: {ours:?} {other:?}"),
        }
    }
}

#[test]
fn converted_images_mean_the_same() {
    // What `image` converts keeps its size.
    let image = DynamicImage::ImageRgb8(image::RgbImage::from_raw(5, 3, noise(45, 1)).unwrap());
    for other in
        [image.to_luma16().into(), image.to_rgba8().into(), DynamicImage::from(image.to_luma_alpha8())]
    {
        let other: DynamicImage = other;
        let mut file = Cursor::new(Vec::new());
        other.write_to(&mut file, ImageFormat::Png).unwrap();
        let file = file.into_inner();
        assert_eq!(Ok(decode(&file, MOST).unwrap()), theirs(&file));
    }
}

#[test]
fn claims_of_small_files_are_refused() {
    for claim in ["P5 200000 200000 255\n", "P6 60000 60000 65535\n", "P5 4000000000 4000000000 255\n"] {
        let found = decode(&[claim.as_bytes(), &[7; 100]].concat(), MOST);
        assert!(matches!(found, Err(Failure::Claim(..))), "{claim}");
    }
    let huge = bmp(40, 60000, 60000, 24, 0, 0, &[0; 100]);
    assert!(matches!(decode(&huge, MOST), Err(Failure::Claim(..))));
    assert_eq!(decode(b"hello", MOST), Err(Failure::Unknown));
    assert_eq!(decode(b"", MOST), Err(Failure::Unknown));
}

#[test]
fn cut_files_are_no_images() {
    for format in [Format::Png, Format::Tiff, Format::Bmp, Format::Jpeg, Format::Pnm] {
        let file = encode(format, &picture(9, 7, 3, Depth::Eight)).unwrap();
        for len in 0..file.len() {
            // What is left of a JPEG file may be an image.
            let found = decode(&file[..len], MOST);
            let trailer = file.len() - len <= 12;
            assert!(
                found.is_err() || trailer || format == Format::Jpeg,
                "{format:?} {len} of {}",
                file.len()
            );
        }
    }
}
