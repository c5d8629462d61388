//! Figures as SVG, and as HTML pages that hold them.

use crate::draw::{self, Placed};
use crate::model::Figure;
use crate::{Result, legend, raster};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotters::prelude::{DrawingBackend, IntoDrawingArea, SVGBackend};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};
use std::fmt::Write as _;

/// Draws a figure as one SVG file, with its images inside.
///
/// # Errors
/// If the figure cannot be drawn.
pub fn svg(figure: &Figure) -> Result<String> {
    if figure.only_image().is_some() {
        let pixels = raster::render(figure)?;
        let (width, height) = (pixels.width as u32, pixels.height as u32);
        let image = element(&Placed { pixels, left: 0, top: 0, size: (width, height) })?;
        return Ok(format!("{}{image}</svg>\n", opening(width, height)));
    }
    let (width, height) = draw::size(figure);
    let mut placed = Vec::new();
    let mut drawn = String::new();
    draw::draw(
        &Shapes { inner: SVGBackend::with_string(&mut drawn, (width, height)) }.into_drawing_area(),
        figure,
        &mut placed,
    )?;
    // The images are below everything else, so they come first.
    let body = drawn.split_once('>').map_or("", |(_, body)| body);
    let mut text = opening(width, height);
    let _ = write!(text, "<rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>");
    for image in &placed {
        text.push_str(&element(image)?);
    }
    text.push_str(body);
    Ok(text)
}

fn opening(width: u32, height: u32) -> String {
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n"
    )
}

fn element(image: &Placed) -> Result<String> {
    let (width, height) = image.size;
    let data = STANDARD.encode(image.pixels.png()?);
    Ok(format!(
        "<image x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
         style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{data}\"/>\n",
        image.left, image.top
    ))
}

/// One page that shows figures, each with a line of text; it needs no other file.
pub fn page(figures: &[(String, String)]) -> String {
    let mut text = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Figures</title>\n\
         <style>body{font-family:sans-serif;margin:2em}figure{margin:0 0 2em}svg{max-width:100%;height:auto}</style>\n\
         </head><body>\n",
    );
    for (name, svg) in figures {
        let name = name.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(text, "<figure>{svg}<figcaption>{name}</figcaption></figure>");
    }
    text.push_str("</body></html>\n");
    text
}

/// The shapes that `plotters` draws, with texts that are measured without the fonts of a system.
struct Shapes<'a> {
    inner: SVGBackend<'a>,
}

type Drawn<B> = std::result::Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

impl<'a> DrawingBackend for Shapes<'a> {
    type ErrorType = <SVGBackend<'a> as DrawingBackend>::ErrorType;

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

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn<Self> {
        self.inner.draw_path(path, style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn<Self> {
        self.inner.draw_circle(center, radius, style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn<Self> {
        self.inner.fill_polygon(corners, style)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, pos: BackendCoord) -> Drawn<Self> {
        self.inner.draw_text(text, style, pos)
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> std::result::Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let (width, height) = legend::estimate(text, style.size());
        Ok((width as u32, height as u32))
    }
}
