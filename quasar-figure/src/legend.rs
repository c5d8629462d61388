//! The legend of a chart: a box in the upper right corner with a line for each name. `plotters` has one as well, but measures its texts
//! with the fonts of a system, which WebAssembly does not have.

use crate::Result;
use crate::colour::Rgb;
use crate::draw::{Area, TEXT, failed, plain, rgb};
use plotters::prelude::*;

/// What stands in front of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A line.
    Line,
    /// A short line, for points without one.
    Points,
    /// A bar.
    Bar,
}

/// A name and what it names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) colour: Rgb,
    pub(crate) sign: Sign,
}

/// Pixels between the box and what is in it.
const MARGIN: i32 = 8;
/// Pixels between the box and the corner.
const CORNER: i32 = 5;
/// Columns of the signs.
const SIGNS: i32 = 30;
/// From line to line, in letters.
const LINE: f64 = 1.25;

/// Draws the legend over a chart.
pub(crate) fn draw<B: DrawingBackend>(area: &Area<B>, entries: &[Entry<'_>]) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let tops = (0..entries.len()).map(|line| (line as f64 * TEXT * LINE).round() as i32);
    let lines: Vec<(i32, &Entry<'_>, (i32, i32))> =
        tops.zip(entries).map(|(top, entry)| (top, entry, estimate(entry.name, TEXT))).collect();
    let width = lines.iter().map(|(_, _, size)| size.0).max().unwrap_or(0) + SIGNS + 2 * MARGIN;
    let height = lines.iter().map(|(top, _, size)| top + size.1).max().unwrap_or(0) + 2 * MARGIN;
    let (left, top) = (area.dim_in_pixel().0 as i32 - width - CORNER, CORNER);
    let corners = [(left, top), (left + width, top + height)];
    area.draw(&Rectangle::new(corners, WHITE.mix(0.85).filled())).map_err(failed)?;
    area.draw(&Rectangle::new(corners, BLACK.mix(0.4))).map_err(failed)?;
    for (below, entry, _) in &lines {
        let place = (left + SIGNS + MARGIN, top + MARGIN + below);
        area.draw(&Text::new(entry.name, place, plain(TEXT))).map_err(failed)?;
    }
    for (below, entry, size) in &lines {
        let begin = top + MARGIN + below;
        sign(area, entry, (left + MARGIN, (begin + begin + size.1) / 2))?;
    }
    Ok(())
}

fn sign<B: DrawingBackend>(area: &Area<B>, entry: &Entry<'_>, (x, y): (i32, i32)) -> Result<()> {
    let colour = rgb(entry.colour);
    let line = |from, to| PathElement::new([(x + from, y), (x + to, y)], colour.stroke_width(2));
    match entry.sign {
        Sign::Line => area.draw(&line(0, 16)),
        Sign::Points => area.draw(&line(6, 10)),
        Sign::Bar => area.draw(&Rectangle::new([(x + 2, y - 5), (x + 14, y + 5)], colour.filled())),
    }
    .map_err(failed)
}

/// About how many columns and rows a text takes in the fonts that viewers of SVG have.
pub(crate) fn estimate(text: &str, size: f64) -> (i32, i32) {
    // Fonts are as much higher than their letters, above and below.
    let letter = size / 1.24 / 1.24;
    let width = (letter * 0.7 * text.chars().count() as f64).round() as i32;
    (width, (letter * 0.24).round() as i32 + letter.round() as i32)
}
