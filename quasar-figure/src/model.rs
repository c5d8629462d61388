//! What a figure holds: axes in a grid, and in each axes images, curves and bars.

use crate::colour::{ColourMap, LETTERS, Rgb};
use crate::raster::Raster;
use crate::{Error, Result};
use std::collections::BTreeMap;

/// The most pixels of an image.
const MOST_PIXELS: usize = 1 << 28;

/// An image: numbers that are 0 at the low end of its range and 1 at the high end.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// 1 for gray, 3 for RGB, 4 for RGB and how opaque.
    pub channels: usize,
    /// The numbers of all pixels, row after row.
    pub values: Vec<f32>,
    /// Which numbers of the program are shown as 0 and as 1.
    pub range: (f64, f64),
    /// How many numbers are NaN.
    pub nan: usize,
    /// How many numbers lie outside of the range.
    pub outside: usize,
}

/// Which numbers are black and white.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// The smallest and the largest finite number.
    Found,
    /// These.
    Given(f64, f64),
}

impl Picture {
    /// An image of rows, columns and channels.
    ///
    /// # Errors
    /// If it is empty, has another number of channels than 1, 3 or 4, or a range is none.
    pub fn new(dims: [usize; 3], numbers: &[f64], range: Range) -> Result<Picture> {
        let [height, width, channels] = dims;
        if height == 0 || width == 0 {
            return Err(Error::Argument(format!("the image is empty ({height}x{width})")));
        }
        if !matches!(channels, 1 | 3 | 4) {
            let message = format!(
                "an image has 1 channel (gray), 3 (RGB) or 4 (RGB and how opaque it is), found {channels}"
            );
            return Err(Error::Argument(message));
        }
        let count = height.checked_mul(width).filter(|&count| count <= MOST_PIXELS);
        if count.and_then(|count| count.checked_mul(channels)) != Some(numbers.len()) {
            return Err(Error::Argument(format!("an image of {height}x{width} pixels cannot be shown")));
        }
        let (low, high) = match range {
            Range::Given(low, high) => (low, high),
            Range::Found => found(numbers),
        };
        if low >= high || !low.is_finite() || !high.is_finite() {
            return Err(Error::Argument(format!(
                "the range must be [low, high] with low < high, found [{low}, {high}]"
            )));
        }
        let nan = numbers.iter().filter(|x| x.is_nan()).count();
        let outside = numbers.iter().filter(|&&x| x < low || x > high).count();
        let values = numbers.iter().map(|&x| ((x - low) / (high - low)) as f32).collect();
        Ok(Picture { width, height, channels, values, range: (low, high), nan, outside })
    }

    /// The pixels, with four channels where the image has them.
    pub fn pixels(&self, map: &ColourMap) -> Raster {
        let byte = |x: &f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
        let mut data = Vec::with_capacity(self.values.len().max(self.width * self.height * 3));
        for pixel in self.values.chunks(self.channels) {
            let nan = pixel.iter().any(|x| x.is_nan());
            match pixel {
                [gray] => data.extend(map.colour(*gray)),
                colours if nan => {
                    data.extend(crate::colour::NAN);
                    data.extend(colours.get(3).map(|_| 255));
                }
                colours => data.extend(colours.iter().map(byte)),
            }
        }
        let channels = if self.channels == 4 { 4 } else { 3 };
        Raster { width: self.width, height: self.height, channels, data }
    }

    /// What the picture does not show, in words; nothing if it shows everything.
    pub fn loss(&self) -> Option<String> {
        let (low, high) = self.range;
        let nan = (self.nan > 0).then(|| format!("{} NaN (magenta)", self.nan));
        let outside = (self.outside > 0).then(|| format!("{} outside of {low} to {high}", self.outside));
        // Black means 0 and white 255 where nobody says otherwise, so that a picture from 0 to 1 is black.
        let dark = (self.range == (0.0, 255.0) && self.is_dark())
            .then(|| "all values lie between 0 and 1, which is black: `imshow(x, [0,1])`".to_owned());
        let parts: Vec<String> = nan.into_iter().chain(outside).chain(dark).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

impl Picture {
    /// Whether the values lie between 0 and 1, some of them between both, where 255 is white.
    fn is_dark(&self) -> bool {
        let one = 1.0 / 255.0;
        let inside = self.values.iter().all(|x| (0.0..=one).contains(x));
        inside && self.values.iter().any(|x| *x > 0.0 && *x < one)
    }
}

impl Layer {
    /// How many points of a curve, or bars, have no place: those that are not finite.
    fn not_finite(&self) -> usize {
        match self {
            Layer::Image(_) => 0,
            Layer::Curve { points, .. } | Layer::Bars { points, .. } => {
                points.iter().filter(|(x, y)| !x.is_finite() || !y.is_finite()).count()
            }
        }
    }
}

/// The smallest and the largest finite number; one number is shown black.
fn found(numbers: &[f64]) -> (f64, f64) {
    let finite = numbers.iter().filter(|x| x.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    match (low < high, low.is_finite()) {
        (true, _) => (low, high),
        (false, true) => (low, low + low.abs().max(1.0)),
        (false, false) => (0.0, 1.0),
    }
}

/// How a line goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// `-`
    Solid,
    /// `--`
    Dashed,
    /// `:`
    Dotted,
    /// Points only.
    None,
}

/// What stands at each point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// `.`
    Dot,
    /// `o`
    Circle,
    /// `x`
    Cross,
    /// `+`
    Plus,
    /// `s`
    Square,
    /// `^`
    Triangle,
}

/// How a curve looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Its colour; the next one of the cycle if it has none.
    pub colour: Option<Rgb>,
    /// Its line.
    pub line: Line,
    /// What stands at its points.
    pub marker: Option<Marker>,
}

impl Style {
    /// A line without markers.
    pub const LINE: Style = Style { colour: None, line: Line::Solid, marker: None };
    /// Points without a line.
    pub const POINTS: Style = Style { colour: None, line: Line::None, marker: Some(Marker::Circle) };

    /// Reads a style such as `r--`, `bo` or `k:x`.
    ///
    /// # Errors
    /// If a part is unknown or there twice; the message lists what there is.
    pub fn parse(text: &str) -> Result<Style> {
        let (mut colour, mut line, mut marker) = (None, None, None);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (taken, twice) = if rest.starts_with("--") {
                (2, line.replace(Line::Dashed).is_some())
            } else if let Some(found) = line_of(first).filter(|_| !rest.starts_with("-.")) {
                (1, line.replace(found).is_some())
            } else if let Some(found) = marker_of(first) {
                (1, marker.replace(found).is_some())
            } else if let Some((_, found)) = LETTERS.iter().find(|(letter, _)| *letter == first) {
                (1, colour.replace(*found).is_some())
            } else {
                (0, true)
            };
            if twice {
                return Err(Error::Argument(format!(
                    "\"{text}\" is no style; it is a colour (r g b c m y k w), a line (- -- :) and a marker (. o x + s ^), each \
                     at most once"
                )));
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
        let line = line.unwrap_or(if marker.is_some() { Line::None } else { Line::Solid });
        Ok(Style { colour, line, marker })
    }
}

fn line_of(letter: char) -> Option<Line> {
    match letter {
        '-' => Some(Line::Solid),
        ':' => Some(Line::Dotted),
        _ => None,
    }
}

fn marker_of(letter: char) -> Option<Marker> {
    Some(match letter {
        '.' => Marker::Dot,
        'o' => Marker::Circle,
        'x' => Marker::Cross,
        '+' => Marker::Plus,
        's' => Marker::Square,
        '^' => Marker::Triangle,
        _ => return None,
    })
}

/// One thing in axes.
#[derive(Clone, Debug, PartialEq)]
pub enum Layer {
    /// An image, whose pixel in row r and column c covers c to c + 1 and r to r + 1.
    Image(Picture),
    /// Points in order.
    Curve {
        /// Where the points are.
        points: Vec<(f64, f64)>,
        /// How they look.
        style: Style,
    },
    /// Bars from 0.
    Bars {
        /// The middles and the heights.
        points: Vec<(f64, f64)>,
        /// Which of how many bars that stand side by side at each place.
        beside: (usize, usize),
    },
}

/// A place with a coordinate system.
#[derive(Clone, Debug, PartialEq)]
pub struct Axes {
    /// What it shows, the last on top.
    pub layers: Vec<Layer>,
    /// The line above.
    pub title: String,
    /// The line below.
    pub xlabel: String,
    /// The line at the left.
    pub ylabel: String,
    /// The names of the curves and bars, in order.
    pub legend: Vec<String>,
    /// What makes colours of gray images.
    pub colour_map: ColourMap,
    /// Whether the colours are explained beside.
    pub colour_bar: bool,
    /// Whether new layers are added to those there.
    pub hold: bool,
    /// The chosen part: least and largest x, least and largest y.
    pub limits: Option<[f64; 4]>,
    /// Whether ticks and frame are drawn around curves.
    pub frame: bool,
}

impl Default for Axes {
    fn default() -> Axes {
        Axes {
            layers: Vec::new(),
            title: String::new(),
            xlabel: String::new(),
            ylabel: String::new(),
            legend: Vec::new(),
            colour_map: ColourMap::gray(),
            colour_bar: false,
            hold: false,
            limits: None,
            frame: true,
        }
    }
}

impl Axes {
    /// The first image, which determines the coordinates.
    pub fn image(&self) -> Option<&Picture> {
        self.layers.iter().find_map(|layer| match layer {
            Layer::Image(picture) => Some(picture),
            Layer::Curve { .. } | Layer::Bars { .. } => None,
        })
    }
}

/// Axes in a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Rows and columns of the grid.
    pub grid: (usize, usize),
    /// Axes by their place in the grid, row after row.
    pub axes: BTreeMap<usize, Axes>,
}

impl Default for Figure {
    fn default() -> Figure {
        Figure { grid: (1, 1), axes: BTreeMap::new() }
    }
}

impl Figure {
    /// What its images and charts do not show, in words.
    pub fn loss(&self) -> Option<String> {
        let layers = || self.axes.values().flat_map(|axes| &axes.layers);
        let images = layers().filter_map(|layer| match layer {
            Layer::Image(picture) => picture.loss(),
            _ => None,
        });
        let points: usize = layers().map(Layer::not_finite).sum();
        let points = match points {
            0 => None,
            1 => Some("1 point is not finite".to_owned()),
            _ => Some(format!("{points} points are not finite")),
        };
        let parts: Vec<String> = images.chain(points).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Whether nothing is there to see.
    pub fn is_empty(&self) -> bool {
        self.axes.values().all(|axes| axes.layers.is_empty())
    }

    /// The image and its colours, where the figure is nothing else: it is shown pixel by pixel, without margins.
    pub fn only_image(&self) -> Option<(&Picture, &ColourMap)> {
        let mut all = self.axes.values();
        let (Some(axes), None, (1, 1)) = (all.next(), all.next(), self.grid) else { return None };
        let plain = !axes.colour_bar
            && axes.limits.is_none()
            && [&axes.title, &axes.xlabel, &axes.ylabel].iter().all(|text| text.is_empty());
        match &axes.layers[..] {
            [Layer::Image(picture)] if plain => Some((picture, &axes.colour_map)),
            _ => None,
        }
    }
}
