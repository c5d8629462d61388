//! GIF, WebP and EXR: files of Pillow and of OpenEXR are read, what is written comes back, and what would be lost is refused.

use quasar_images::{Depth, Failure, Format, Image, Layout, decode, encode};

const MOST: u64 = 1 << 30;

fn image(width: u32, height: u32, channels: usize, bytes: Vec<u8>) -> Image {
    Image { layout: Layout { width, height, channels, depth: Depth::Eight }, bytes }
}

/// The picture in the files: 5 rows of 7 pixels, with these channels for pixel k.
fn picture(channels: usize) -> Image {
    let pixel = |k: usize| [k * 7 % 256, k * 3 % 256, 255 - k * 5, k * 7 % 256].map(|x| x as u8);
    let bytes = (0..35).flat_map(|k| pixel(k)[..channels].to_vec()).collect();
    image(7, 5, channels, bytes)
}

fn refused(result: Result<Image, Failure>) -> String {
    match result {
        Err(Failure::Wrong(message)) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn gif_files_of_others_are_read() {
    assert_eq!(decode(include_bytes!("files/rgb.gif"), MOST), Ok(picture(3)));
    let clear = decode(include_bytes!("files/clear.gif"), MOST).unwrap();
    assert_eq!(clear.layout.channels, 4);
    let expected = [[0, 0, 0, 255], [255, 0, 0, 255], [0, 255, 0, 0], [10, 20, 30, 255]];
    for (k, pixel) in clear.bytes.chunks_exact(4).enumerate() {
        assert_eq!(pixel, expected[k % 4], "{k}");
    }
    assert!(refused(decode(include_bytes!("files/two.gif"), MOST)).contains("several images"));
}

#[test]
fn gif_files_come_back_or_are_refused() {
    let rgb = picture(3);
    assert_eq!(decode(&encode(Format::Gif, &rgb).unwrap(), MOST), Ok(rgb));
    let clear = image(2, 2, 4, vec![1, 2, 3, 255, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0]);
    assert_eq!(decode(&encode(Format::Gif, &clear).unwrap(), MOST), Ok(clear));
    let gray = image(16, 16, 1, (0..=255).collect());
    let tripled: Vec<u8> = (0..=255).flat_map(|x| [x; 3]).collect();
    assert_eq!(decode(&encode(Format::Gif, &gray).unwrap(), MOST).unwrap().bytes, tripled);
    let many = image(257, 1, 3, (0..257u16).flat_map(|k| [k as u8, (k >> 8) as u8, 9]).collect());
    assert!(encode(Format::Gif, &many).unwrap_err().contains("256 colours"));
    let half = image(1, 1, 4, vec![1, 2, 3, 128]);
    assert!(encode(Format::Gif, &half).unwrap_err().contains("opaque or transparent"));
    let hidden = image(2, 1, 4, vec![1, 2, 3, 0, 3, 2, 1, 0]);
    assert!(encode(Format::Gif, &hidden).unwrap_err().contains("under transparent pixels"));
}

#[cfg(feature = "webp")]
#[test]
fn webp_files_are_read_and_written() {
    assert_eq!(decode(include_bytes!("files/rgba.webp"), MOST), Ok(picture(4)));
    let lossy = decode(include_bytes!("files/rgb.webp"), MOST).unwrap();
    // As Pillow decodes it; decoders differ in how they enlarge colours.
    for (at, pixel) in [(0, [15, 2, 223]), (34, [228, 100, 111])] {
        let found = &lossy.bytes[3 * at..3 * at + 3];
        assert!(found.iter().zip(pixel).all(|(&x, y): (&u8, u8)| x.abs_diff(y) < 8), "{found:?}");
    }
    assert!(refused(decode(include_bytes!("files/two.webp"), MOST)).contains("several images"));
    for channels in [3, 4] {
        let written = encode(Format::WebP, &picture(channels)).unwrap();
        assert_eq!(decode(&written, MOST), Ok(picture(channels)));
    }
    let gray = image(2, 1, 1, vec![7, 200]);
    assert_eq!(decode(&encode(Format::WebP, &gray).unwrap(), MOST).unwrap().bytes, [7, 7, 7, 200, 200, 200]);
    assert!(encode(Format::WebP, &image(20000, 1, 1, vec![0; 20000])).unwrap_err().contains("at most 16384"));
}

#[cfg(not(feature = "webp"))]
#[test]
fn webp_files_need_a_feature() {
    assert!(refused(decode(include_bytes!("files/rgb.webp"), MOST)).contains("without the feature `webp`"));
    assert!(encode(Format::WebP, &picture(3)).unwrap_err().contains("without the feature `webp`"));
}

#[cfg(not(feature = "exr"))]
#[test]
fn exr_files_need_a_feature() {
    assert!(refused(decode(include_bytes!("files/rgb.exr"), MOST)).contains("without the feature `exr`"));
    assert!(encode(Format::Exr, &picture(3)).unwrap_err().contains("without the feature `exr`"));
}

#[cfg(feature = "exr")]
#[test]
fn exr_files_are_read_and_written() {
    let numbers = |image: &Image| -> Vec<f32> {
        image.bytes.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect()
    };
    let rgb = decode(include_bytes!("files/rgb.exr"), MOST).unwrap();
    assert_eq!(rgb.layout, Layout { width: 7, height: 5, channels: 3, depth: Depth::Float });
    for (k, pixel) in numbers(&rgb).chunks_exact(3).enumerate() {
        let n = k as f32;
        match k {
            0 => assert!(pixel[0].is_nan()),
            1 => assert_eq!(pixel[0], f32::INFINITY),
            _ => assert_eq!(pixel[0], n * 0.25 - 3.0),
        }
        assert_eq!(pixel[1..], [n * 1000.0, 1.0 / (n + 1.0)]);
    }
    let half = decode(include_bytes!("files/half.exr"), MOST).unwrap();
    assert_eq!((half.layout.channels, numbers(&half)[34]), (1, 34.0 / 8.0));
    assert!(refused(decode(include_bytes!("files/depth.exr"), MOST)).contains("channels Z"));
    assert!(refused(decode(include_bytes!("files/whole.exr"), MOST)).contains("no floats"));
    for channels in 1..=4 {
        let layout = Layout { channels, ..rgb.layout };
        let bytes = rgb.bytes.iter().cycle().skip(24).take(7 * 5 * 4 * channels).copied().collect();
        let image = Image { layout, bytes };
        assert_eq!(decode(&encode(Format::Exr, &image).unwrap(), MOST), Ok(image), "{channels}");
    }
    assert!(encode(Format::Exr, &picture(3)).unwrap_err().contains("does not hold"));
}

#[test]
fn damaged_files_give_no_images_and_no_panic() {
    let files: [&[u8]; 6] = [
        include_bytes!("files/rgb.gif"),
        include_bytes!("files/clear.gif"),
        include_bytes!("files/rgb.webp"),
        include_bytes!("files/rgba.webp"),
        include_bytes!("files/rgb.exr"),
        include_bytes!("files/half.exr"),
    ];
    let mut random = 1u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for file in files {
        for length in 0..file.len() {
            let _ = decode(&file[..length], 1 << 24);
        }
        for _ in 0..3000 {
            let mut other = file.to_vec();
            for _ in 0..1 + next(4) {
                let at = next(other.len());
                other[at] = next(256) as u8;
            }
            let _ = decode(&other, 1 << 24);
        }
    }
}

/// Pages that are smaller versions of the first, as scanners write them, are no images of their own.
#[test]
fn tiff_files_of_several_pages_are_refused() {
    use tiff::encoder::{TiffEncoder, colortype::Gray8};
    use tiff::tags::Tag;
    let file = |kinds: &[u32]| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut bytes).unwrap();
        for kind in kinds {
            let mut page = encoder.new_image::<Gray8>(2, 1).unwrap();
            page.encoder().write_tag(Tag::NewSubfileType, *kind).unwrap();
            page.write_data(&[1, 2]).unwrap();
        }
        bytes.into_inner()
    };
    assert_eq!(decode(&file(&[0]), MOST).unwrap().bytes, [1, 2]);
    assert_eq!(decode(&file(&[0, 1, 4]), MOST).unwrap().bytes, [1, 2]);
    for pages in [&[0, 0][..], &[0, 2], &[0, 1, 2]] {
        assert_eq!(refused(decode(&file(pages), MOST)), "the file has several pages, which is not supported");
    }
}
