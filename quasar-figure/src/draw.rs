//! Where everything in a figure stands, for all kinds of pictures. Curves, ticks and frames are drawn by `plotters`; images are only
//! placed, since each kind of picture holds them in its own way.

use crate::clip::{self, Limits};
use crate::colour::{CYCLE, Rgb};
use crate::legend::{self, Entry, Sign};
use crate::model::{Axes, Figure, Layer, Line, Marker, Picture, Style};
use crate::raster::Raster;
use crate::{Error, Result};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// An image in a picture.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Its own pixels.
    pub pixels: Raster,
    /// The column of its first pixel.
    pub left: i32,
    /// The row of its first pixel.
    pub top: i32,
    /// Columns and rows that it covers.
    pub size: (u32, u32),
}

/// A picture that is drawn on.
pub(crate) type Area<B> = DrawingArea<B, Shift>;
type Coordinates = Cartesian2d<RangedCoordf64, RangedCoordf64>;
type Chart<'a, B> = ChartContext<'a, B, Coordinates>;

/// Columns and rows for axes with curves.
const CHART: (u32, u32) = (800, 600);
/// The most pixels at a side.
const MOST: u32 = 16_384;
pub(crate) const TEXT: f64 = 16.0;
const TITLE: f64 = 20.0;
const LINE: u32 = 28;
const BAR: u32 = 110;
const PAD: u32 = 8;

/// Columns and rows of a figure: an image alone determines them.
pub fn size(figure: &Figure) -> (u32, u32) {
    let (rows, columns) = figure.grid;
    let mut all = figure.axes.values();
    if let (Some(axes), None, (1, 1)) = (all.next(), all.next(), (rows, columns))
        && let Some(picture) = axes.image()
    {
        let margins = Margins::of(axes);
        let factor = 256_usize.div_ceil(picture.width.max(picture.height));
        let side = |n: usize| u32::try_from(n * factor).unwrap_or(MOST).min(MOST);
        return (
            (side(picture.width) + margins.left + margins.right).max(margins.texts(axes)),
            side(picture.height) + margins.top + margins.bottom,
        );
    }
    let part = |whole: u32, count: usize| {
        let enlarged = if count > 1 { whole * 3 / 4 } else { whole };
        enlarged.saturating_mul(u32::try_from(count).unwrap_or(1)).min(MOST)
    };
    (part(CHART.0, columns), part(CHART.1, rows))
}

/// Draws everything but the images, whose places it adds to `placed`.
///
/// # Errors
/// If the picture is too small, or the back end fails.
pub fn draw<B: DrawingBackend>(area: &Area<B>, figure: &Figure, placed: &mut Vec<Placed>) -> Result<()> {
    let parts = area.split_evenly(figure.grid);
    for (place, axes) in &figure.axes {
        let Some(part) = parts.get(*place) else { continue };
        match axes.image() {
            Some(picture) => draw_image(part, axes, picture, placed)?,
            None => draw_chart(part, axes)?,
        }
    }
    area.present().map_err(failed)
}

pub(crate) fn failed(error: impl std::fmt::Display) -> Error {
    Error::Drawing(error.to_string())
}

pub(crate) fn plain(size: f64) -> TextStyle<'static> {
    ("sans-serif", size).into_text_style(&(1, 1))
}

fn centred(size: f64) -> TextStyle<'static> {
    plain(size).pos(Pos::new(HPos::Center, VPos::Center))
}

/// The room beside an image.
struct Margins {
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
}

impl Margins {
    fn of(axes: &Axes) -> Margins {
        let line = |text: &str| if text.is_empty() { PAD } else { LINE };
        let bar = axes.colour_bar && axes.image().is_some_and(|picture| picture.channels == 1);
        Margins {
            left: line(&axes.ylabel),
            right: if bar { BAR } else { PAD },
            top: line(&axes.title),
            bottom: line(&axes.xlabel),
        }
    }

    /// The columns that the texts need.
    fn texts(&self, axes: &Axes) -> u32 {
        let of = |text: &str, size: f64| crate::glyphs::extent(text, size).0 as u32;
        of(&axes.title, TITLE).max(of(&axes.xlabel, TEXT)) + 2 * PAD
    }
}

fn draw_image<B: DrawingBackend>(
    area: &Area<B>,
    axes: &Axes,
    picture: &Picture,
    placed: &mut Vec<Placed>,
) -> Result<()> {
    if axes.limits.is_some() {
        return Err(Error::Argument(
            "not supported yet: a part of an image by axis([..]); show x[a..b,c..d]".into(),
        ));
    }
    let margins = Margins::of(axes);
    let (xs, ys) = area.get_pixel_range();
    let room = |whole: i32, used: u32| f64::from(whole.saturating_sub(used as i32).max(1));
    let (width, height) = (picture.width as f64, picture.height as f64);
    let across = room(xs.end - xs.start, margins.left + margins.right) / width;
    let down = room(ys.end - ys.start, margins.top + margins.bottom) / height;
    let scale = across.min(down);
    let scale = if scale >= 1.0 { scale.floor() } else { scale };
    let (wide, high) = ((width * scale).round().max(1.0) as i32, (height * scale).round().max(1.0) as i32);
    let middle = |from: i32, to: i32, before: u32, after: u32, size: i32| {
        from + before as i32 + ((to - from - before as i32 - after as i32 - size) / 2).max(0)
    };
    let left = middle(xs.start, xs.end, margins.left, margins.right, wide);
    let top = middle(ys.start, ys.end, margins.top, margins.bottom, high);
    for layer in &axes.layers {
        if let Layer::Image(picture) = layer {
            let size = (wide as u32, high as u32);
            placed.push(Placed { pixels: picture.pixels(&axes.colour_map), left, top, size });
        }
    }
    let inside = (left..left + wide, top..top + high);
    let (x, y) = (RangedCoordf64::from(0.0..width), RangedCoordf64::from(0.0..height));
    let over = area.strip_coord_spec().apply_coord_spec(Coordinates::new(x, y, inside));
    for (curve, style) in curves(axes) {
        let limits = [0.0, width, 0.0, height];
        draw_points(curve, style, limits, &mut |element| over.draw(&element).map_err(failed))?;
    }
    draw_texts(area, axes, (left, top, wide, high))?;
    if margins.right == BAR {
        draw_colour_bar(area, axes, picture, (left + wide + 12, top, high), placed)?;
    }
    Ok(())
}

/// Title and labels around an image.
fn draw_texts<B: DrawingBackend>(
    area: &Area<B>,
    axes: &Axes,
    (left, top, wide, high): (i32, i32, i32, i32),
) -> Result<()> {
    let (xs, ys) = area.get_pixel_range();
    let at = |x: i32, y: i32| (x - xs.start, y - ys.start);
    let half = (LINE / 2) as i32;
    let texts = [
        (&axes.title, centred(TITLE), at(left + wide / 2, top - half)),
        (&axes.xlabel, centred(TEXT), at(left + wide / 2, top + high + half)),
        (&axes.ylabel, centred(TEXT).transform(FontTransform::Rotate270), at(left - half, top + high / 2)),
    ];
    for (text, style, place) in texts.into_iter().filter(|(text, ..)| !text.is_empty()) {
        area.draw_text(text, &style, place).map_err(failed)?;
    }
    Ok(())
}

fn draw_colour_bar<B: DrawingBackend>(
    area: &Area<B>,
    axes: &Axes,
    picture: &Picture,
    (left, top, high): (i32, i32, i32),
    placed: &mut Vec<Placed>,
) -> Result<()> {
    let data = (0..256_u16).rev().flat_map(|step| axes.colour_map.colour(f32::from(step) / 255.0)).collect();
    let pixels = Raster { width: 1, height: 256, channels: 3, data };
    placed.push(Placed { pixels, left, top, size: (16, high as u32) });
    let (xs, ys) = area.get_pixel_range();
    let (low, most) = picture.range;
    let steps = if high < 80 { 1 } else { 4 };
    for step in 0..=steps {
        let part = f64::from(step) / f64::from(steps);
        let y = top + (f64::from(high) * (1.0 - part)).round() as i32;
        // The ends stay beside the bar.
        let y = y.clamp(top + 6, (top + high - 6).max(top + 6));
        let style = plain(TEXT).pos(Pos::new(HPos::Left, VPos::Center));
        let text = number(low + (most - low) * part, most - low);
        area.draw_text(&text, &style, (left + 22 - xs.start, y - ys.start)).map_err(failed)?;
    }
    Ok(())
}

/// A number beside an axis that covers a range of this size: with the digits that tell its neighbours apart.
fn number(x: f64, range: f64) -> String {
    // The positions of labels are computed, so that 0 may be a little beside it.
    if x.abs() <= range * 1e-9 {
        return "0".into();
    }
    let apart = ((range / 10.0).log10().floor() as i32).clamp(-400, 400);
    let size = x.abs().log10().floor() as i32;
    let trimmed = |text: String| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    if (-3..7).contains(&size) {
        let digits = (1 - apart).clamp(0, 9) as usize;
        return trimmed(format!("{x:.digits$}"));
    }
    let digits = (size - apart + 1).clamp(0, 12) as usize;
    let text = format!("{x:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", trimmed(mantissa.to_owned())),
        None => text,
    }
}

/// The curves with the colours that they have.
fn curves(axes: &Axes) -> Vec<(&[(f64, f64)], Style)> {
    let mut next = 0;
    let mut found = Vec::new();
    for layer in &axes.layers {
        if let Layer::Curve { points, style } = layer {
            found.push((&points[..], Style { colour: Some(coloured(style, &mut next)), ..*style }));
        }
    }
    found
}

fn coloured(style: &Style, next: &mut usize) -> Rgb {
    style.colour.unwrap_or_else(|| {
        let colour = CYCLE.get(*next % CYCLE.len()).copied().unwrap_or_default();
        *next += 1;
        colour
    })
}

pub(crate) fn rgb([r, g, b]: Rgb) -> RGBColor {
    RGBColor(r, g, b)
}

fn draw_chart<B: DrawingBackend>(area: &Area<B>, axes: &Axes) -> Result<()> {
    let shown = limits(axes);
    let [x0, x1, y0, y1] = shown;
    let mut builder = ChartBuilder::on(area);
    builder.margin(12).margin_right(24);
    if !axes.title.is_empty() {
        builder.caption(&axes.title, plain(TITLE));
    }
    if axes.frame {
        let label = |text: &str| if text.is_empty() { 32 } else { 56 };
        builder.x_label_area_size(label(&axes.xlabel)).y_label_area_size(label(&axes.ylabel) + 40);
    }
    let mut chart = builder.build_cartesian_2d(x0..x1, y0..y1).map_err(failed)?;
    if axes.frame {
        let (across, up) = (|x: &f64| number(*x, x1 - x0), |y: &f64| number(*y, y1 - y0));
        let mut mesh = chart.configure_mesh();
        mesh.x_label_formatter(&across).y_label_formatter(&up);
        mesh.x_labels(8).y_labels(8).light_line_style(TRANSPARENT).label_style(plain(TEXT));
        mesh.x_desc(&axes.xlabel).y_desc(&axes.ylabel).axis_desc_style(plain(TEXT));
        mesh.draw().map_err(failed)?;
    }
    let mut next = 0;
    let (mut names, mut named) = (axes.legend.iter(), Vec::new());
    for layer in &axes.layers {
        let (style, points, beside) = match layer {
            Layer::Curve { points, style } => (Some(*style), points, (0, 1)),
            Layer::Bars { points, beside } => (None, points, *beside),
            Layer::Image(_) => continue,
        };
        let colour = coloured(&style.unwrap_or(Style::LINE), &mut next);
        let sign = match style {
            Some(style) => {
                let style = Style { colour: Some(colour), ..style };
                let area = chart.plotting_area();
                draw_points(points, style, shown, &mut |element| area.draw(&element).map_err(failed))?;
                if style.line == Line::None { Sign::Points } else { Sign::Line }
            }
            None => {
                draw_bars(&mut chart, (points, beside), colour, shown)?;
                Sign::Bar
            }
        };
        named.extend(names.next().map(|name| Entry { name, colour, sign }));
    }
    legend::draw(&chart.plotting_area().strip_coord_spec(), &named)
}

/// What one drawn thing is.
type Element<'b, B> = DynElement<'b, B, (f64, f64)>;

/// Gives the parts of a curve inside of the limits to `draw`.
fn draw_points<'b, B: DrawingBackend + 'b>(
    points: &[(f64, f64)],
    style: Style,
    limits: Limits,
    draw: &mut impl FnMut(Element<'b, B>) -> Result<()>,
) -> Result<()> {
    let colour = rgb(style.colour.unwrap_or_default());
    let stroke = colour.stroke_width(2);
    for part in clip::curve(points, limits) {
        match style.line {
            Line::None => {}
            Line::Solid => draw(PathElement::new(part, stroke).into_dyn())?,
            Line::Dashed => draw(DashedPathElement::new(part, 10, 6, stroke).into_dyn())?,
            Line::Dotted => draw(DashedPathElement::new(part, 2, 5, stroke).into_dyn())?,
        }
    }
    if style.line != Line::None && style.marker.is_none() {
        for point in clip::alone(points, limits) {
            draw(Circle::new(point, 2, colour.filled()).into_dyn())?;
        }
    }
    let Some(marker) = style.marker else { return Ok(()) };
    let path = |parts: [(i32, i32); 2]| PathElement::new(parts, stroke);
    for &point in points.iter().filter(|&&point| clip::contains(limits, point)) {
        draw(match marker {
            Marker::Dot => Circle::new(point, 2, colour.filled()).into_dyn(),
            Marker::Circle => Circle::new(point, 4, stroke).into_dyn(),
            Marker::Cross => Cross::new(point, 4, stroke).into_dyn(),
            Marker::Triangle => TriangleMarker::new(point, 5, colour.filled()).into_dyn(),
            Marker::Square => {
                (EmptyElement::at(point) + Rectangle::new([(-3, -3), (3, 3)], colour.filled())).into_dyn()
            }
            Marker::Plus => {
                (EmptyElement::at(point) + path([(-5, 0), (5, 0)]) + path([(0, -5), (0, 5)])).into_dyn()
            }
        })?;
    }
    Ok(())
}

fn draw_bars<B: DrawingBackend>(
    chart: &mut Chart<'_, B>,
    (points, (which, together)): (&[(f64, f64)], (usize, usize)),
    colour: Rgb,
    limits: Limits,
) -> Result<()> {
    let all = 0.8 * distance(points);
    let (wide, left) = (all / together as f64, all * (which as f64 / together as f64 - 0.5));
    let finite = points.iter().filter(|point| point.0.is_finite() && point.1.is_finite());
    let shapes =
        finite.filter_map(|&(x, y)| clip::rectangle([(x + left, 0.0), (x + left + wide, y)], limits));
    let bars = shapes.map(|shape| Rectangle::new(shape, rgb(colour).filled()));
    chart.draw_series(bars).map_err(failed)?;
    Ok(())
}

/// The least distance of two bars that are not at one place.
fn distance(points: &[(f64, f64)]) -> f64 {
    let mut xs: Vec<f64> = points.iter().map(|point| point.0).filter(|x| x.is_finite()).collect();
    xs.sort_by(f64::total_cmp);
    let steps = xs.iter().zip(xs.iter().skip(1)).map(|(a, b)| b - a).filter(|step| *step > 0.0);
    let least = steps.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// The part of the plane that a chart shows.
fn limits(axes: &Axes) -> Limits {
    if let Some(limits) = axes.limits {
        return limits;
    }
    let (mut xs, mut ys) = ((f64::INFINITY, f64::NEG_INFINITY), (f64::INFINITY, f64::NEG_INFINITY));
    let widen = |range: &mut (f64, f64), x: f64| *range = (range.0.min(x), range.1.max(x));
    for layer in &axes.layers {
        let (points, half) = match layer {
            Layer::Curve { points, .. } => (points, None),
            Layer::Bars { points, .. } => (points, Some(0.5 * distance(points))),
            Layer::Image(_) => continue,
        };
        for &(x, y) in points.iter().filter(|point| point.0.is_finite() && point.1.is_finite()) {
            widen(&mut xs, x - half.unwrap_or(0.0));
            widen(&mut xs, x + half.unwrap_or(0.0));
            widen(&mut ys, y);
            if half.is_some() {
                widen(&mut ys, 0.0);
            }
        }
    }
    let ([x0, x1], [y0, y1]) = (opened(xs, 0.0), opened(ys, 0.05));
    [x0, x1, y0, y1]
}

/// A range that is not empty, with some room at both ends.
fn opened((low, high): (f64, f64), room: f64) -> [f64; 2] {
    if low > high {
        return [0.0, 1.0];
    }
    let size = high - low;
    // So far apart, or so near, that no number lies between.
    if !size.is_finite() || size <= low.abs().max(high.abs()) * 1e-12 {
        let around = low.abs().max(1.0) * 0.5;
        return if size.is_finite() { [low - around, high + around] } else { [low * 0.5, high * 0.5] };
    }
    [low - size * room, high + size * room]
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn labels_have_the_digits_that_tell_them_apart() {
        for (x, range, text) in [
            (0.0, 1.0, "0"),
            (-1.41e14, 3e30, "0"),
            (0.25, 1.0, "0.25"),
            (-2.0, 10.0, "-2"),
            (1_000_005.0, 20.0, "1000005"),
            (123_456_789.5, 4.0, "1.234567895e8"),
            (2e30, 3e30, "2e30"),
            (1e-7, 1e-6, "1e-7"),
            (0.1 + 0.2, 1.0, "0.3"),
            (1e-320, 2e-320, "1e-320"),
            (1.0, 0.0, "1"),
        ] {
            assert_eq!(number(x, range), text, "{x} of {range}");
        }
    }
}
