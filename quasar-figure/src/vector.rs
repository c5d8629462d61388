//! Figures as SVG, and as HTML pages that hold them.

use crate::draw::{self, Placed};
use crate::model::Figure;
use crate::{Result, raster};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotters::prelude::{IntoDrawingArea, SVGBackend};
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
        &SVGBackend::with_string(&mut drawn, (width, height)).into_drawing_area(),
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
