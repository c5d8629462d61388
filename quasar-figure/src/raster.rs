//! Figures as pixels.

use crate::draw::{self, Placed};
use crate::glyphs;
use crate::model::Figure;
use crate::{Error, Result};
use plotters::prelude::{BitMapBackend, DrawingBackend, IntoDrawingArea};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};
use std::io;

/// Images with fewer pixels at each side are enlarged by a whole number.
const SMALL: usize = 128;

/// Pixels, row after row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// 3 for RGB, 4 where pixels may be transparent.
    pub channels: usize,
    /// The bytes of all pixels.
    pub data: Vec<u8>,
}

impl Raster {
    /// Everything white.
    pub fn white(width: usize, height: usize) -> Raster {
        Raster { width, height, channels: 3, data: vec![255; width * height * 3] }
    }

    /// The bytes of a pixel; nothing outside.
    pub fn pixel(&self, x: usize, y: usize) -> &[u8] {
        let start = (y * self.width + x) * self.channels;
        if x < self.width { self.data.get(start..start + self.channels).unwrap_or_default() } else { &[] }
    }

    /// A pixel before white.
    pub fn opaque(&self, x: usize, y: usize) -> [u8; 3] {
        match *self.pixel(x, y) {
            [r, g, b] => [r, g, b],
            [r, g, b, alpha] => {
                let alpha = u32::from(alpha);
                [r, g, b].map(|c| ((u32::from(c) * alpha + 255 * (255 - alpha) + 127) / 255) as u8)
            }
            _ => [255; 3],
        }
    }

    /// The same image in another size: pixels become squares where it grows, and means where it shrinks.
    pub fn resized(&self, width: usize, height: usize) -> Raster {
        let mut data = Vec::with_capacity(width * height * self.channels);
        let span = |at: usize, new: usize, old: usize| {
            let from = at * old / new;
            from..((at + 1) * old / new).clamp(from + 1, old.max(from + 1))
        };
        for y in 0..height {
            for x in 0..width {
                let (rows, columns) = (span(y, height, self.height), span(x, width, self.width));
                let count = rows.len() * columns.len();
                for channel in 0..self.channels {
                    let row_sum = |row: usize| -> usize {
                        let of =
                            |x| usize::from(self.pixel(x, row).get(channel).copied().unwrap_or_default());
                        columns.clone().map(of).sum()
                    };
                    let sum: usize = rows.clone().map(row_sum).sum();
                    data.push(((sum + count / 2) / count) as u8);
                }
            }
        }
        Raster { width, height, channels: self.channels, data }
    }

    /// Puts another image over this one, which is RGB.
    fn put(&mut self, other: &Raster, left: i32, top: i32) {
        for y in 0..other.height {
            for x in 0..other.width {
                let (column, row) = (i64::from(left) + x as i64, i64::from(top) + y as i64);
                let inside =
                    (0..self.width as i64).contains(&column) && (0..self.height as i64).contains(&row);
                let start = (row * self.width as i64 + column) * 3;
                if inside && let Some(pixel) = self.data.get_mut(start as usize..start as usize + 3) {
                    pixel.copy_from_slice(&other.opaque(x, y));
                }
            }
        }
    }

    /// The file.
    ///
    /// # Errors
    /// If the encoder refuses the image.
    pub fn png(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let size = |n: usize| u32::try_from(n).map_err(|_| Error::Drawing("it is too large".into()));
        let mut encoder = png::Encoder::new(&mut bytes, size(self.width)?, size(self.height)?);
        encoder.set_color(if self.channels == 4 { png::ColorType::Rgba } else { png::ColorType::Rgb });
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&self.data));
        written.map_err(|error| Error::Drawing(error.to_string()))?;
        Ok(bytes)
    }
}

/// Draws a figure. An image alone is its pixels, enlarged by a whole number if it is small.
///
/// # Errors
/// If the figure is too large to be drawn.
pub fn render(figure: &Figure) -> Result<Raster> {
    if let Some((picture, map)) = figure.only_image() {
        let pixels = picture.pixels(map);
        let factor = SMALL.div_ceil(picture.width.max(picture.height));
        let same = factor == 1;
        return Ok(if same {
            pixels
        } else {
            pixels.resized(picture.width * factor, picture.height * factor)
        });
    }
    render_in(figure, draw::size(figure))
}

/// Draws a figure with margins in a given size.
///
/// # Errors
/// As [`render`].
pub fn render_in(figure: &Figure, (width, height): (u32, u32)) -> Result<Raster> {
    let mut raster = Raster::white(width as usize, height as usize);
    // The first time for the places of the images, which are below everything else.
    let mut placed: Vec<Placed> = Vec::new();
    let mut scratch = raster.data.clone();
    draw::draw(&Pixels::on(&mut scratch, (width, height)).into_drawing_area(), figure, &mut placed)?;
    for image in &placed {
        let (width, height) = image.size;
        raster.put(&image.pixels.resized(width as usize, height as usize), image.left, image.top);
    }
    let pixels = Pixels::on(&mut raster.data, (width, height));
    draw::draw(&pixels.into_drawing_area(), figure, &mut Vec::new())?;
    Ok(raster)
}

/// The pixels that `plotters` draws on, with texts in a font that is part of the program.
struct Pixels<'a> {
    inner: BitMapBackend<'a>,
}

impl<'a> Pixels<'a> {
    fn on(data: &'a mut [u8], size: (u32, u32)) -> Pixels<'a> {
        Pixels { inner: BitMapBackend::with_buffer(data, size) }
    }
}

type Drawn<B> = std::result::Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

impl<'a> DrawingBackend for Pixels<'a> {
    type ErrorType = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.inner.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn<Self> {
        self.inner.ensure_prepared()
    }

    fn present(&mut self) -> Drawn<Self> {
        self.inner.present()
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn<Self> {
        self.inner.draw_pixel(point, color)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn<Self> {
        self.inner.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn<Self> {
        self.inner.draw_rect(upper_left, bottom_right, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, pos: BackendCoord) -> Drawn<Self> {
        let (width, height) = glyphs::extent(text, style.size());
        let dx = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Right => -width,
            HPos::Center => -width / 2,
        };
        let dy = match style.anchor().v_pos {
            VPos::Top => 0,
            VPos::Center => -height / 2,
            VPos::Bottom => -height,
        };
        let (turn, mut colour) = (style.transform(), style.color());
        let (strongest, (right, bottom)) = (colour.alpha, self.get_size());
        let mut result = Ok(());
        glyphs::each_dot(text, style.size(), |x, y, strength| {
            let (x, y) = turn.transform(x + dx, y + dy);
            let (x, y) = (pos.0 + x, pos.1 + y);
            colour.alpha = strongest * strength;
            if result.is_ok() && (0..right as i32).contains(&x) && (0..bottom as i32).contains(&y) {
                result = self.inner.draw_pixel((x, y), colour);
            }
        });
        result
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> std::result::Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let (width, height) = glyphs::extent(text, style.size());
        Ok((width as u32, height as u32))
    }
}

/// Reads back what [`Raster::png`] made, for tests and previews.
///
/// # Errors
/// If the bytes are no PNG file of 8-bit RGB or RGBA.
pub fn decode(bytes: &[u8]) -> Result<Raster> {
    let fail = |error: String| Error::Drawing(error);
    let mut reader =
        png::Decoder::new(io::Cursor::new(bytes)).read_info().map_err(|error| fail(error.to_string()))?;
    let size = reader.output_buffer_size().ok_or_else(|| fail("it is too large".into()))?;
    let mut data = vec![0; size];
    let info = reader.next_frame(&mut data).map_err(|error| fail(error.to_string()))?;
    let channels = info.color_type.samples();
    Ok(Raster { width: info.width as usize, height: info.height as usize, channels, data })
}
