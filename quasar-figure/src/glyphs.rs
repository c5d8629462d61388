//! Letters as pixels: the fonts of the system differ, so texts are drawn with one that is part of the program.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width};

const WEIGHT: FontWeight = FontWeight::Regular;

/// The letters for texts of a size.
fn height(size: f64) -> RasterHeight {
    if size < 18.0 { RasterHeight::Size16 } else { RasterHeight::Size20 }
}

/// Width and height of a text.
pub(crate) fn extent(text: &str, size: f64) -> (i32, i32) {
    let height = height(size);
    let width = get_raster_width(WEIGHT, height) * text.chars().count();
    (i32::try_from(width).unwrap_or(i32::MAX), height.val() as i32)
}

/// Letters that the font lacks are shown as a question mark.
fn letter(letter: char, height: RasterHeight) -> Option<RasterizedChar> {
    get_raster(letter, WEIGHT, height).or_else(|| get_raster('?', WEIGHT, height))
}

/// Calls `dot` for every pixel that has something of the text, with how much, from 0 to 1.
pub(crate) fn each_dot(text: &str, size: f64, mut dot: impl FnMut(i32, i32, f64)) {
    let height = height(size);
    let width = get_raster_width(WEIGHT, height) as i32;
    for (place, glyph) in (0..).zip(text.chars()) {
        let Some(glyph) = letter(glyph, height) else { continue };
        for (y, row) in (0..).zip(glyph.rows()) {
            for (x, &strength) in (0..).zip(row).filter(|(_, strength)| **strength > 0) {
                dot(place * width + x, y, f64::from(strength) / 255.0);
            }
        }
    }
}
