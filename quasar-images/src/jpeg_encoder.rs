//! Writing JPEG files: sequential, with the tables of the standard (ITU-T T.81, annex K), quality 95, and all channels in full resolution.

use crate::{Depth, Image, Layout, not_held};

/// As quality goes from 1 to 100, in the way of libjpeg.
const QUALITY: u32 = 95;

/// Table K.1: how coarse brightness is.
#[rustfmt::skip]
const LUMA: [u8; 64] = [
    16, 11, 10, 16,  24,  40,  51,  61,
    12, 12, 14, 19,  26,  58,  60,  55,
    14, 13, 16, 24,  40,  57,  69,  56,
    14, 17, 22, 29,  51,  87,  80,  62,
    18, 22, 37, 56,  68, 109, 103,  77,
    24, 35, 55, 64,  81, 104, 113,  92,
    49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103,  99,
];

/// Table K.2: how coarse colours are.
#[rustfmt::skip]
const CHROMA: [u8; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99,
    18, 21, 26, 66, 99, 99, 99, 99,
    24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
];

/// The order in which the coefficients of a block are stored.
#[rustfmt::skip]
const ZIGZAG: [u8; 64] = [
     0,  1,  8, 16,  9,  2,  3, 10,
    17, 24, 32, 25, 18, 11,  4,  5,
    12, 19, 26, 33, 40, 48, 41, 34,
    27, 20, 13,  6,  7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36,
    29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46,
    53, 60, 61, 54, 47, 55, 62, 63,
];

/// A Huffman code: how many codes of 1 to 16 bits there are, and what they stand for.
struct Code {
    counts: [u8; 16],
    values: &'static [u8],
}

const FIRST_VALUES: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/// Tables K.3 and K.4: first coefficients.
const FIRST: [Code; 2] = [
    Code { counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], values: &FIRST_VALUES },
    Code { counts: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], values: &FIRST_VALUES },
];

/// Tables K.5 and K.6: other coefficients.
#[rustfmt::skip]
const OTHERS: [Code; 2] = [
    Code {
        counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
        values: &[
            0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
            0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
            0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
            0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
            0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
            0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
            0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
            0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
            0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
        ],
    },
    Code {
        counts: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
        values: &[
            0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
            0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
            0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36,
            0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
            0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a,
            0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a,
            0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba,
            0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
            0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
        ],
    },
];

/// The bits of each value, and how many.
type Bits = [(u16, u8); 256];

impl Code {
    fn bits(&self) -> Bits {
        let mut bits = [(0, 0); 256];
        let mut values = self.values.iter();
        let mut code = 0;
        for (len, &count) in (1..).zip(&self.counts) {
            for &value in values.by_ref().take(usize::from(count)) {
                bits[usize::from(value)] = (code, len);
                code += 1;
            }
            code <<= 1;
        }
        bits
    }
}

/// What the coefficients of a channel are divided by.
fn divisors(table: &[u8; 64]) -> [u8; 64] {
    const SCALE: u32 = 200 - 2 * QUALITY;
    table.map(|x| ((u32::from(x) * SCALE + 50) / 100).clamp(1, 255) as u8)
}

/// The file so far, and the bits that do not fill a byte yet.
struct Writer {
    file: Vec<u8>,
    pending: u64,
    count: u32,
}

impl Writer {
    /// A marker with what belongs to it.
    fn segment(&mut self, marker: u8, parts: &[&[u8]]) {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        self.file.extend([0xff, marker]);
        self.file.extend((len as u16 + 2).to_be_bytes());
        parts.iter().for_each(|part| self.file.extend_from_slice(part));
    }

    fn put(&mut self, (bits, len): (u16, u8)) {
        self.pending = self.pending << len | u64::from(bits);
        self.count += u32::from(len);
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.pending >> self.count) as u8;
            self.file.push(byte);
            if byte == 0xff {
                self.file.push(0);
            }
        }
    }

    /// A block of coefficients behind one with this first coefficient.
    fn block(&mut self, block: &[i32; 64], before: i32, first: &Bits, others: &Bits) {
        let (len, bits) = magnitude(block[0] - before);
        self.put(first[usize::from(len)]);
        self.put((bits, len));
        let mut zeros = 0;
        for &k in &ZIGZAG[1..] {
            let coefficient = block[usize::from(k)];
            if coefficient == 0 {
                zeros += 1;
                continue;
            }
            while zeros > 15 {
                self.put(others[0xf0]);
                zeros -= 16;
            }
            let (len, bits) = magnitude(coefficient);
            self.put(others[zeros << 4 | usize::from(len)]);
            self.put((bits, len));
            zeros = 0;
        }
        if zeros > 0 {
            self.put(others[0]);
        }
    }
}

/// How many bits a number takes, and which: those of negative ones are of the number less one.
fn magnitude(x: i32) -> (u8, u16) {
    let len = 32 - x.unsigned_abs().leading_zeros();
    let bits = if x < 0 { x - 1 } else { x };
    (len as u8, (bits & ((1 << len) - 1)) as u16)
}

/// The cosine transform of 8 samples, `STRIDE` apart, as it is defined.
fn transform<const STRIDE: usize>(block: &mut [f32; 64], start: usize, waves: &[[f32; 8]; 8]) {
    let samples: [f32; 8] = std::array::from_fn(|n| block[start + STRIDE * n]);
    // What lies opposite is the same but for the sign, which halves the work.
    let sums: [f32; 4] = std::array::from_fn(|n| samples[n] + samples[7 - n]);
    let differences: [f32; 4] = std::array::from_fn(|n| samples[n] - samples[7 - n]);
    for (k, wave) in waves.iter().enumerate() {
        let half = if k % 2 == 0 { &sums } else { &differences };
        block[start + STRIDE * k] = half.iter().zip(wave).map(|(x, w)| x * w).sum();
    }
}

/// `cos(pi/8 (n + 1/2) k)`, scaled so that the transform keeps lengths.
fn waves() -> [[f32; 8]; 8] {
    std::array::from_fn(|k| {
        std::array::from_fn(|n| {
            let scale = if k == 0 { (1.0f64 / 8.0).sqrt() } else { 0.5 };
            (scale * (std::f64::consts::PI / 8.0 * (n as f64 + 0.5) * k as f64).cos()) as f32
        })
    })
}

/// The block of a channel whose upper left corner is at `(x, y)`; beyond the border the last pixels are repeated.
fn block(image: &Image, x: usize, y: usize, channel: usize) -> [f32; 64] {
    let Layout { width, height, channels, .. } = image.layout;
    let (width, height) = (width as usize, height as usize);
    std::array::from_fn(|k| {
        let (x, y) = ((x + k % 8).min(width - 1), (y + k / 8).min(height - 1));
        let pixel = &image.bytes[(y * width + x) * channels..][..channels];
        match *pixel {
            [gray] => f32::from(gray) - 128.0,
            _ => {
                let [r, g, b] = [pixel[0], pixel[1], pixel[2]].map(f32::from);
                match channel {
                    0 => 0.299 * r + 0.587 * g + 0.114 * b - 128.0,
                    1 => -0.168_735_9 * r - 0.331_264_1 * g + 0.5 * b,
                    _ => 0.5 * r - 0.418_687_6 * g - 0.081_312_4 * b,
                }
            }
        }
    })
}

pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, String> {
    let Layout { width, height, channels, depth } = image.layout;
    let (Ok(wide), Ok(high)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(format!("a jpg file holds at most 65535x65535 pixels, not {height}x{width}"));
    };
    if depth != Depth::Eight || !matches!(channels, 1 | 3) || wide == 0 || high == 0 {
        return Err(not_held("jpg", &image.layout));
    }
    let mut writer = Writer { file: vec![0xff, 0xd8], pending: 0, count: 0 };
    // Version 1.2, square pixels.
    writer.segment(0xe0, &[b"JFIF\0", &[1, 2, 0, 0, 1, 0, 1, 0, 0]]);
    let tables = &[divisors(&LUMA), divisors(&CHROMA)][..channels.min(2)];
    let kinds = || (0..channels).map(|channel| channel.min(1) as u8);
    for (number, table) in (0u8..).zip(tables) {
        writer.segment(0xdb, &[&[number], &ZIGZAG.map(|k| table[usize::from(k)])]);
    }
    let [[h, eight], [w, ate]] = [high.to_be_bytes(), wide.to_be_bytes()];
    let frame: Vec<u8> = (1..).zip(kinds()).flat_map(|(id, kind)| [id, 0x11, kind]).collect();
    writer.segment(0xc0, &[&[8, h, eight, w, ate, channels as u8], &frame]);
    for number in 0..channels.min(2) {
        for (class, code) in [(0, &FIRST[number]), (0x10, &OTHERS[number])] {
            writer.segment(0xc4, &[&[class | number as u8], &code.counts, code.values]);
        }
    }
    let scan: Vec<u8> = (1..).zip(kinds()).flat_map(|(id, kind)| [id, kind * 0x11]).collect();
    writer.segment(0xda, &[&[channels as u8], &scan, &[0, 63, 0]]);
    let (first, others) = (FIRST.map(|code| code.bits()), OTHERS.map(|code| code.bits()));
    let divisors: Vec<[f32; 64]> = tables.iter().map(|table| table.map(f32::from)).collect();
    let waves = waves();
    let mut before = [0; 3];
    for y in (0..height as usize).step_by(8) {
        for x in (0..width as usize).step_by(8) {
            for (channel, before) in before.iter_mut().enumerate().take(channels) {
                let kind = channel.min(1);
                let mut block = block(image, x, y, channel);
                (0..8).for_each(|row| transform::<1>(&mut block, 8 * row, &waves));
                (0..8).for_each(|column| transform::<8>(&mut block, column, &waves));
                let steps = &divisors[kind];
                let coefficients = std::array::from_fn(|k| (block[k] / steps[k]).round() as i32);
                writer.block(&coefficients, *before, &first[kind], &others[kind]);
                *before = coefficients[0];
            }
        }
    }
    // Ones fill up the last byte.
    writer.put((0x7f, 7));
    writer.file.extend([0xff, 0xd9]);
    Ok(writer.file)
}
